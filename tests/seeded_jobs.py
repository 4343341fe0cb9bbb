"""What each nightly job finds: rows that are due, and as many that are not, just under each threshold.

A seeder plants both in one space, under a word for what makes them due or spares them. A further job needs one more
function here, and its line in `SEEDERS`.
"""

import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from uuid import UUID

from recollect.core.ids import new_id
from recollect.flows.storylines import attach
from recollect.records import notes
from recollect.records.kinds import default_category
from recollect.records.notes import NewNote
from seeding import Garden

DAY = timedelta(days=1)
TICK = timedelta(microseconds=1)
EACH = 10
"""Rows of one space that are due for one reason, and rows that are spared for one."""

Reasons = dict[str, list[UUID]]


@dataclass
class Seeded:
    """What a job has to change, and what it has to leave as it is to the letter."""

    due: Reasons
    spared: Reasons
    along: list[UUID] = field(default_factory=list)
    """What changes with those that are due: the chunks of a source, the node that a note is on."""

    def __add__(self, other: "Seeded") -> "Seeded":
        return Seeded(_joined(self.due, other.due), _joined(self.spared, other.spared), self.along + other.along)


def _joined(one: Reasons, other: Reasons) -> Reasons:
    return {reason: one.get(reason, []) + other.get(reason, []) for reason in one | other}


Seeder = Callable[[Garden], Awaitable[Seeded]]


def _named(word: str) -> list[str]:
    return [f"{word} {number}" for number in range(EACH)]


def _said(word: str) -> list[str]:
    return [f"{name}." for name in _named(word)]


def _unlike(number: int) -> str:
    """A text that has no word in common with those of other numbers."""
    chosen = random.Random(number)
    words = ["".join(chosen.choice("bdfgklmnprstvz") + chosen.choice("aeiou") for _ in range(4)) for _ in range(8)]
    return " ".join(words) + "."


async def decay(garden: Garden) -> Seeded:
    """An active memory loses 2 % a day: from 0.5 it falls under 0.01 after 195.6 days. A candidate of confidence 0.79
    loses 2.84 %, and is there after 137.7 days."""
    now = garden.parts.clock()
    gone, left = now - 196 * DAY, now - 195 * DAY

    async def insights(word: str, since: datetime, **use: object) -> list[UUID]:
        return await garden.memories("insight", _said(word), use={"state": "active", "salience_at": since} | use)

    async def unsure(word: str, confidence: float, days: int) -> list[UUID]:
        return await insights(word, now - days * DAY, state="candidate", confidence=confidence)

    async def brief(kind: str, word: str, stored: datetime) -> list[UUID]:
        return await garden.memories(kind, _said(word), ttl_policy="ephemeral", use={"stored_at": stored})

    return Seeded(
        {
            "faded": await insights("Calm", gone),
            "faded and core": await garden.nodes(_named("Core"), state="core", salience_at=gone),
            "unsure": await unsure("Unsure", 0.79, 138),
            "relation": await _mentions(garden, "Due", gone),
            "90 days": await brief("statement", "Brief", now - 90 * DAY),
            "30 days": await brief("episode", "Happened", now - 30 * DAY),
        },
        {
            "fading": await insights("Fading", left),
            "unsure and fading": await unsure("Doubted", 0.79, 137),
            "sure enough": await unsure("Sure", 0.8, 1_000),
            "relation": await _mentions(garden, "Spared", left),
            "not 90 days": await brief("statement", "Briefer", now - 90 * DAY + TICK),
            "not 30 days": await brief("episode", "Happening", now - 30 * DAY + TICK),
            "of a kind that stays": await garden.memories(
                "statement", _said("Known"), use={"state": "active", "salience_at": gone}
            ),
            "pinned": await garden.nodes(_named("Pinned"), salience_at=gone, pinned=True),
            "kept forever": await garden.nodes(
                _named("Kept"), state="core", salience_at=gone, ttl_policy="keep_forever"
            ),
        },
    )


async def _mentions(garden: Garden, word: str, since: datetime) -> list[UUID]:
    """Relations that were strong at a moment."""
    nodes = await garden.nodes(_named(word))
    source = await garden.source(f"{word} and others are mentioned.", garden.parts.clock(), nodes)
    ids = _relations(garden, source)
    garden.stand(ids, state="active", salience_at=since)
    return ids


def _relations(garden: Garden, from_id: UUID) -> list[UUID]:
    found = garden.rows(
        "select id from relation where space_id = %(space)s and from_id = %(id)s order by to_id", id=from_id
    )
    return [id for (id,) in found]


async def note_cleanup(garden: Garden) -> Seeded:
    """Notes end at their moment, not before, and some never."""
    now, node = garden.parts.clock(), await garden.node("Sarah Chen")

    def noted(word: str, expires: datetime | None) -> list[UUID]:
        ids = [new_id() for _ in range(EACH)]
        garden.execute(
            "insert into note (space_id, id, target_id, content, expires_at, created_at)"
            " select %(space)s, id, %(node)s, text, %(expires)s, %(then)s"
            " from unnest(%(ids)s::uuid[], %(texts)s::text[]) as n (id, text)",
            ids=ids,
            node=node,
            texts=_said(word),
            expires=expires,
            then=now - 30 * DAY,
        )
        return ids

    return Seeded(
        {"over": noted("Over", now)},
        {"not over": noted("Lasting", now + TICK), "forever": noted("Forever", None)},
        along=[node],
    )


async def consolidation(garden: Garden) -> Seeded:
    """After 30 days relevance is 0.5: importance 0.6 is at the threshold of 0.3, and not below it."""
    now = garden.parts.clock()

    async def milestones(word: str, importance: float = 0.1, age: timedelta = 30 * DAY, **use: object) -> list[UUID]:
        given = {"stored_at": now - age, "importance": importance} | use
        return await garden.memories("episode", _said(word), type="breakthrough", use=given)

    old = {"stored_at": now - 30 * DAY, "importance": 0.599}
    return Seeded(
        {
            "milestone": await milestones("Breakthrough", 0.599),
            "pending": await garden.memories("statement", _said("Maybe"), pending=True, use=old),
        },
        {
            "of weight": await milestones("Edge", 0.6),
            "young": await milestones("Young", age=30 * DAY - TICK),
            "used": await milestones("Used", 0.599, access_count=1),
            "pinned": await milestones("Pinned", pinned=True),
            "by hand": await milestones("By hand", by_hand=True),
            "kept forever": await milestones("Kept", ttl_policy="keep_forever"),
            "known": await garden.memories("statement", _said("Known"), use=old),
            "of a conversation": await garden.memories("episode", _said("Told"), type="chunk", use=old),
        },
    )


async def forgetting(garden: Garden) -> Seeded:
    """What nobody asked for in 60 days, and is of importance below 0.4."""
    old = garden.parts.clock() - 60 * DAY

    async def remembered(kind: str, word: str, **use: object) -> list[UUID]:
        return await garden.memories(kind, _said(word), use={"importance": 0.1, "stored_at": old} | use)

    return Seeded(
        {
            "never asked for": await remembered("statement", "Trifle", importance=0.399),
            "asked for once": await remembered(
                "procedure", "Once", stored_at=old - DAY, last_accessed_at=old, state="active"
            ),
        },
        {
            "of importance": await remembered("statement", "Matters", importance=0.4),
            "young": await remembered("insight", "Young", stored_at=old + TICK),
            "asked for since": await remembered("statement", "Asked", last_accessed_at=old + TICK),
            "pinned": await remembered("statement", "Pinned", pinned=True),
            "by hand": await remembered("statement", "By hand", by_hand=True),
            "kept forever": await remembered("statement", "Kept", ttl_policy="keep_forever"),
            "not derived": await remembered("turn", "Spoken"),
        },
    )


async def purge(garden: Garden) -> Seeded:
    """What is past its date goes for good."""
    now = garden.parts.clock()

    async def deleted(word: str, purge_at: datetime) -> list[UUID]:
        use = {"state": "soft_deleted", "state_before": "active", "deleted_at": now - 30 * DAY, "purge_at": purge_at}
        return await garden.memories("statement", _said(word), use=use)

    return Seeded(
        {"past its date": await deleted("Gone", now)},
        {"restorable": await deleted("Restorable", now + TICK)},
    )


async def consent_expiry(garden: Garden) -> Seeded:
    """Proposals lapse at their moment; decided ones stay as they were decided."""
    now = garden.parts.clock()

    def proposed(city: str, status: str, expires: datetime) -> list[UUID]:
        ids = [new_id() for _ in range(EACH)]
        garden.execute(
            "insert into consent (space_id, id, type, key, value, confidence, importance, status, reason, said_at,"
            " proposed_at, expires_at) select %(space)s, id, 'identity', 'city', value, 0.6, 0.8, %(status)s,"
            " 'inferred', %(then)s, %(then)s, %(expires)s from unnest(%(ids)s::uuid[], %(cities)s::text[])"
            " as c (id, value)",
            ids=ids,
            cities=_named(city),
            status=status,
            then=now - 7 * DAY,
            expires=expires,
        )
        return ids

    return Seeded(
        {"lapsed": proposed("Porto", "open", now)},
        {"open": proposed("Quito", "open", now + TICK), "declined": proposed("Oslo", "declined", now)},
    )


def _agent(garden: Garden):
    return garden.rc.scope(user_id=garden.space.removeprefix("user:"), agent_id="coder")


async def _updated(garden: Garden, word: str, numbers: Sequence[int]) -> list[UUID]:
    """Active memories whose section was written since they were made."""
    me, ids = _agent(garden), []
    for number in numbers:
        active = await me.create_active(f"{word} {number}", sections={"notes": ""})
        await me.update_section(active.id, "notes", _unlike(number))
        ids.append(active.id)
    return ids


async def migration(garden: Garden) -> Seeded:
    """Sections with an update that has not landed."""
    me = _agent(garden)
    landed = await _updated(garden, "Landed", range(EACH))
    await me.migrate()
    begun = [await me.create_active(name, sections={"notes": f"{name} is yet to be painted."}) for name in _named("It")]
    return Seeded(
        {"waiting": await _updated(garden, "Waiting", range(100, 100 + EACH))},
        {"landed": landed, "begun": [active.id for active in begun]},
    )


async def promotion(garden: Garden) -> Seeded:
    """What is new gets 0.05 for that: stated importance from 0.65 on is enough for 0.7."""
    await _updated(garden, "Task", range(3 * EACH))
    landed = await _agent(garden).migrate()
    due, little, put_away = landed[:EACH], landed[EACH : 2 * EACH], landed[2 * EACH :]

    def sources(found: Sequence, **use: object) -> list[UUID]:
        garden.stand([id for each in found for id in (each.source_id, *each.chunk_ids)], **use)
        return [each.source_id for each in found]

    return Seeded(
        {"of importance": sources(due, importance=0.651)},
        {
            "of little importance": sources(little, importance=0.649),
            "archived": sources(put_away, importance=0.9, state="archived"),
        },
    )


async def retention(garden: Garden) -> Seeded:
    """Chunks of sections after 30 idle days, versions 10 years after their end, lines of the change log after 90 days
    and of events after 30."""
    now = garden.parts.clock()
    idle, ended = now - 30 * DAY, now - timedelta(days=3652.5)

    async def chunks(word: str, since: datetime = idle, **use: object) -> list[UUID]:
        ids = await garden.memories(
            "chunk", _said(word), type="section", data={"sources": []}, use={"stored_at": since} | use
        )
        garden.execute(
            "update memory set updated_at = %(at)s where space_id = %(space)s and id = any (%(ids)s)", ids=ids, at=idle
        )
        return ids

    async def versions(word: str, until: datetime) -> list[UUID]:
        return await garden.memories(
            "chunk", _said(word), type="section", tier="long", data={"chunk": ""}, valid_until=until
        )

    return Seeded(
        {
            "idle": await chunks("Idle"),
            "ended": await versions("Ended", ended),
            "event": _events(garden, now - 30 * DAY - TICK),
            "change": _changes(garden, 1, now - 90 * DAY - TICK),
        },
        {
            "young": await chunks("Young", idle + TICK),
            "asked for": await chunks("Asked for", last_accessed_at=idle + TICK, state="active"),
            "pinned": await chunks("Pinned", pinned=True),
            "by hand": await chunks("By hand", by_hand=True),
            "ending": await versions("Ends", ended + TICK),
            "event": _events(garden, now - 30 * DAY),
            "change": _changes(garden, 2, now - 90 * DAY),
        },
    )


def _events(garden: Garden, at: datetime) -> list[UUID]:
    """Things that the system did."""
    ids = [new_id() for _ in range(EACH)]
    garden.execute(
        "insert into event (space_id, id, at, node, op, status)"
        " select %(space)s, id, %(at)s, 'worker', 'create', 'ok' from unnest(%(ids)s::uuid[]) as e (id)",
        ids=ids,
        at=at,
    )
    return ids


def _changes(garden: Garden, revision: int, at: datetime) -> list[UUID]:
    """Lines of the change log, told by the memories that they are of."""
    ids = [new_id() for _ in range(EACH)]
    garden.execute(
        "insert into change_log (space_id, revision, position, memory_id, kind, event, at)"
        " select %(space)s, -%(revision)s, position, id, 'statement', 'updated', %(at)s"
        " from unnest(%(ids)s::uuid[]) with ordinality as c (id, position)",
        revision=revision,  # below zero: no real one is
        ids=ids,
        at=at,
    )
    return ids


async def _spoken_of(garden: Garden, nodes: Sequence[UUID], days: Sequence[float], what: str = "bridges") -> list[UUID]:
    """Sources that mention all of some nodes, so many days ago."""
    now = garden.parts.clock()
    return await garden.sources(
        [(f"Day {ago}: they talked about {what}.", now - timedelta(days=ago), nodes) for ago in days]
    )


async def storyline_promotion(garden: Garden) -> Seeded:
    """Five sources on three days, the first more than three days ago, and a node in use; or as much since a storyline
    that had no source for 90 days."""
    now = garden.parts.clock()
    over = now - 90 * DAY
    names = ("In use", "Again", "Four", "Two days", "New", "Told", "Not over", "Four since")
    due, again, four, two_days, new, told, not_over, four_since = [await garden.nodes(_named(name)) for name in names]
    garden.stand(due[::2], state="core")
    unused = await garden.nodes(_named("Unused"), state="candidate")
    sources = await _spoken_of(garden, [*due, *again, *unused, *told, *not_over], [3.5, 3, 2, 1, 0.5])
    await _spoken_of(garden, four, [9, 8, 7, 6])
    await _spoken_of(garden, two_days, [9, 9, 9, 8, 8])
    await _spoken_of(garden, new, [3, 2.5, 2, 1, 0])
    earlier = await _spoken_of(garden, four_since, [90, 3, 2, 1, 0.5])
    await garden.storylines(again, sources[:1], over)
    await garden.storylines(told, sources, now - 0.5 * DAY)
    await garden.storylines(not_over, sources[:1], over + TICK)
    await garden.storylines(four_since, earlier[:1], over)
    return Seeded(
        {"untold": due, "again": again},
        {
            "unused": unused,
            "four sources": four,
            "two days": two_days,
            "known for three days": new,
            "told": told,
            "not over": not_over,
            "four since": four_since,
        },
    )


async def storyline_refresh(garden: Garden) -> Seeded:
    """What joined a storyline makes it dirty; an archived one waits until it is back."""
    now = garden.parts.clock()
    nodes = await garden.nodes([f"Node {n}" for n in range(4 * EACH)])
    sources = await _spoken_of(garden, nodes, [9, 8, 7, 6, 5])
    stories = await garden.storylines(nodes, sources, now - 5 * DAY)
    late = await garden.source("They bought a boat.", now, nodes[:EACH])
    async with garden.parts.database.transaction(garden.space) as connection:
        await attach(garden.parts, connection, garden.space, late, nodes[:EACH], now)
    due, clean, archived, deleted = (stories[n * EACH : (n + 1) * EACH] for n in range(4))
    await garden.behind([*archived, *deleted], "storyline")
    garden.stand(archived, state="archived")
    garden.stand(deleted, state="soft_deleted")
    return Seeded({"behind": due}, {"not behind": clean, "archived": archived, "deleted": deleted})


async def macro_promotion(garden: Garden) -> Seeded:
    """Two storylines of a node that was first mentioned more than 30 days ago, or a further one of a node that has a
    macro."""
    now = garden.parts.clock()
    due, one, archived, young, has, more = [
        await garden.nodes(_named(word)) for word in ("Due", "One", "Archived", "Young", "Has", "More")
    ]
    old = await _spoken_of(garden, [*due, *one, *archived, *has, *more], [30.1, 20])
    new = await _spoken_of(garden, young, [30, 20])

    async def told(nodes: Sequence[UUID], sources: Sequence[UUID], **use: object) -> list[tuple[UUID, UUID]]:
        first = await garden.storylines(nodes, sources[:1], now - 30 * DAY)
        second = await garden.storylines(nodes, sources[1:], now - 20 * DAY, **use)
        return list(zip(first, second, strict=True))

    await told(due, old)
    await garden.storylines(one, old[:1], now - 30 * DAY)
    await told(archived, old, state="archived")
    await told(young, new)
    pairs = await told(has, old)
    full = await garden.macros(list(zip(has, pairs, strict=True)))
    late = await told(more, old)
    open_to_more = await garden.macros([(node, [first]) for node, (first, _) in zip(more, late, strict=True)])
    return Seeded(
        {"rootless": due, "left out": [second for _, second in late]},
        {
            "one storyline": one,
            "one in use": archived,
            "known for 30 days": young,
            "has one": has,
            "has all": full,
            "of one with a macro": more,
        },
        along=open_to_more,
    )


async def macro_refresh(garden: Garden) -> Seeded:
    """Dirty macros; not those that are archived or deleted."""
    now = garden.parts.clock()
    nodes = await garden.nodes([f"Node {n}" for n in range(4 * EACH)])
    sources = await _spoken_of(garden, nodes, [40, 10])
    first = await garden.storylines(nodes, sources[:1], now - 40 * DAY)
    second = await garden.storylines(nodes, sources[1:], now - 10 * DAY)
    macros = await garden.macros(list(zip(nodes, zip(first, second, strict=True), strict=True)))
    due, clean, archived, deleted = (macros[n * EACH : (n + 1) * EACH] for n in range(4))
    await garden.behind([*due, *archived, *deleted], "macro")
    garden.stand(archived, state="archived")
    garden.stand(deleted, state="soft_deleted")
    return Seeded({"behind": due}, {"not behind": clean, "archived": archived, "deleted": deleted})


async def source_consolidation(garden: Garden) -> Seeded:
    """Active and never recalled, a source falls from 0.5 under 0.2 after 45.8 days; it must be older than 7. Five that
    speak of one node together are told of together."""
    now = garden.parts.clock()
    gone, left, old = now - 46 * DAY, now - 45 * DAY, now - 7 * DAY - TICK
    along: list[UUID] = []

    async def sources(word: str, stored: datetime, since: datetime, **use: object) -> list[UUID]:
        nodes = await garden.nodes(_named(word))
        given = {"state": "active", "stored_at": stored, "salience_at": since} | use
        told = [
            (f"{name} was there. {name} left.", now, [node]) for name, node in zip(_named(word), nodes, strict=True)
        ]
        ids = await garden.sources(told, given)
        chunks = [await garden.chunk(id, f"{name} was there.") for name, id in zip(_named(word), ids, strict=True)]
        along.extend(nodes if word == "Referred" else [*nodes, *chunks] if word == "Faded" else [])
        return ids

    five, four = await garden.nodes(_named("Five")), await garden.nodes(_named("Four"))
    along += await _spoken_of(garden, five, [5, 4, 3, 2, 1])
    few = await _spoken_of(garden, four, [5, 4, 3, 2], "tunnels")
    return Seeded(
        {
            "faded": await sources("Faded", old, gone),
            "referred to": await sources("Referred", now - 7 * DAY, gone, access_count=5),
            "spoken of by five": five,
        },
        {
            "young": await sources("Young", now - 7 * DAY, gone),
            "referred to four times": await sources("Seldom", now - 7 * DAY, gone, access_count=4),
            "vivid": await sources("Vivid", old, left),
            "pinned": await sources("Pinned", old, gone, pinned=True),
            "by hand": await sources("By hand", old, gone, by_hand=True),
            "kept forever": await sources("Kept", old, gone, ttl_policy="keep_forever"),
            "spoken of by four": [*four, *few],
        },
        along,
    )


async def descriptions(garden: Garden) -> Seeded:
    """Nodes and relations that something was noted on since they were described."""
    numbers = count()

    async def people() -> list[UUID]:
        return await garden.nodes([f"Person {_unlike(next(numbers))[:12]}" for _ in range(EACH)])

    due, clean, leads, led = [await people() for _ in range(4)]
    await garden.ties([(one, [other], "works_with") for one, other in zip(leads, led, strict=True)])
    behind = [_relations(garden, one)[0] for one in leads]
    await garden.ties([(one, [other], "lives_with") for one, other in zip(due, clean, strict=True)])
    told = [_relations(garden, one)[0] for one in due]
    drafts = [NewNote(id, _unlike(next(numbers)), "year", "recollect") for id in (*due, *clean, *behind, *told)]
    async with garden.parts.database.transaction(garden.space) as connection:
        await notes.add(connection, garden.space, drafts, garden.parts.clock())
    await garden.behind(due, "person")
    await garden.behind(behind, "relation")
    return Seeded(
        {"node": due, "relation": behind},
        {"node": clean, "relation": told, "ends of a relation": [*leads, *led]},
    )


async def daily_consolidation(garden: Garden) -> Seeded:
    """Statements that say the same: changed within 72 hours, of level 3 or more, or asked for more than the others."""
    now, numbers = garden.parts.clock(), count()
    late, young = now - timedelta(hours=72), now - 90 * DAY + TICK

    async def twice(
        since: datetime = young, changed: datetime = late, types: Sequence[str] = ("fact", "fact"), **use: object
    ) -> list[UUID]:
        """Pairs that are the same word for word, and like nothing else."""
        texts = [_unlike(next(numbers)) for _ in range(EACH // 2)]
        ids = [
            id
            for type in types
            for id in await garden.memories(
                "statement",
                texts,
                type=type,
                category=default_category("statement", type),
                use={"importance": 0.4} | use,
            )
        ]
        garden.execute(
            "update memory set created_at = %(since)s, updated_at = %(changed)s"
            " where space_id = %(space)s and id = any (%(ids)s)",
            ids=ids, since=since, changed=changed,
        )  # fmt: skip
        return ids

    ended = await twice(changed=late + TICK)
    garden.execute(
        "update memory set valid_until = %(now)s where space_id = %(space)s and id = any (%(ids)s)", ids=ended, now=now
    )
    return Seeded(
        {
            "changed of late": await twice(changed=late + TICK),
            "weighty": await twice(importance=0.41),
            "asked for": await twice(access_count=7),
        },
        {
            "unchanged, light and not asked for": await twice(),
            "old": await twice(since=now - 90 * DAY, changed=late + TICK),
            "pending": await twice(changed=late + TICK, pending=True),
            "archived": await twice(changed=late + TICK, state="archived"),
            "of two categories": await twice(changed=late + TICK, types=("fact", "preference")),
            "ended": ended,
        },
    )


SEEDERS: dict[str, Seeder] = {
    seeder.__name__: seeder
    for seeder in (
        decay,
        descriptions,
        note_cleanup,
        consolidation,
        daily_consolidation,
        forgetting,
        purge,
        consent_expiry,
        migration,
        promotion,
        retention,
        storyline_promotion,
        storyline_refresh,
        macro_promotion,
        macro_refresh,
        source_consolidation,
    )
}
