"""What each nightly job finds: rows that are due, and as many that are not, just under each threshold.

A seeder plants both in one space. A further job needs one more function here, and its line in `SEEDERS`.
"""

import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from recollect.core.ids import new_id
from recollect.flows.storylines import attach
from recollect.records import notes
from recollect.records.notes import NewNote
from seeding import Garden

DAY = timedelta(days=1)
TICK = timedelta(microseconds=1)
EACH = 12
"""Rows that are due in one space, at least, and rows that are not."""


@dataclass
class Seeded:
    """What a job has to change, and what it has to leave as it is to the letter."""

    due: list[UUID] = field(default_factory=list)
    spared: list[UUID] = field(default_factory=list)

    def __add__(self, other: "Seeded") -> "Seeded":
        return Seeded(self.due + other.due, self.spared + other.spared)


Seeder = Callable[[Garden], Awaitable[Seeded]]


async def decay(garden: Garden) -> Seeded:
    """An active memory loses 2 % a day: from 0.5 it falls under 0.01 after 195.6 days."""
    now, seeded = garden.parts.clock(), Seeded()
    gone, left = now - 196 * DAY, now - 195 * DAY
    for number in range(EACH // 4):
        seeded.due += [
            await garden.memory("insight", f"Calm {number}.", use={"state": "active", "salience_at": gone}),
            await garden.node(f"Core {number}", state="core", salience_at=gone),
            await garden.memory("insight", f"Unsure {number}.", use={"confidence": 0.79, "salience_at": left}),
            await garden.memory(
                "statement", f"Brief {number}.", ttl_policy="ephemeral", use={"stored_at": now - 90 * DAY}
            ),
            await _mention(garden, f"Due {number}", gone),
        ]
        seeded.spared += [
            await garden.memory("insight", f"Fading {number}.", use={"state": "active", "salience_at": left}),
            await garden.node(f"Kept {number}", state="core", salience_at=gone, ttl_policy="keep_forever"),
            await garden.node(f"Pinned {number}", salience_at=gone, pinned=True),
            await garden.memory("insight", f"Sure {number}.", use={"confidence": 0.8, "salience_at": gone}),
            await garden.memory(
                "statement", f"Briefer {number}.", ttl_policy="ephemeral", use={"stored_at": now - 90 * DAY + TICK}
            ),
            await garden.memory(
                "episode", f"Happened {number}.", ttl_policy="ephemeral", use={"stored_at": now - 30 * DAY + TICK}
            ),
            await _mention(garden, f"Spared {number}", left),
        ]
    return seeded


async def _mention(garden: Garden, name: str, since: datetime) -> UUID:
    """A relation that was strong at a moment."""
    node = await garden.node(name)
    await garden.source(f"{name} is mentioned.", garden.parts.clock(), [node])
    [(id,)] = garden.rows("select id from relation where space_id = %(space)s and to_id = %(node)s", node=node)
    garden.stand([id], state="active", salience_at=since)
    return id


async def note_cleanup(garden: Garden) -> Seeded:
    """Notes end at their moment, not before, and some never."""
    now, node = garden.parts.clock(), await garden.node("Sarah Chen")
    ends = {"due": [now] * EACH, "spared": [now + TICK, None] * (EACH // 2)}
    seeded = Seeded([new_id() for _ in ends["due"]], [new_id() for _ in ends["spared"]])
    for ids, moments in ((seeded.due, ends["due"]), (seeded.spared, ends["spared"])):
        for number, (id, expires) in enumerate(zip(ids, moments, strict=True)):
            garden.execute(
                "insert into note (space_id, id, target_id, content, expires_at, created_at)"
                " values (%(space)s, %(id)s, %(node)s, %(text)s, %(expires)s, %(now)s)",
                id=id,
                node=node,
                text=f"Remark {number}.",
                expires=expires,
                now=now - 30 * DAY,
            )
    return seeded


async def consolidation(garden: Garden) -> Seeded:
    """After 30 days relevance is 0.5: importance 0.6 is at the threshold of 0.3, and not below it."""
    now, seeded = garden.parts.clock(), Seeded()

    async def milestone(text: str, importance: float, age: timedelta, **use: object) -> UUID:
        given = {"stored_at": now - age, "importance": importance} | use
        return await garden.memory("episode", text, type="breakthrough", use=given)

    for number in range(EACH // 2):
        seeded.due += [
            await milestone(f"Breakthrough {number}.", 0.59, 30 * DAY),
            await garden.memory(
                "statement", f"Maybe {number}.", pending=True, use={"stored_at": now - 30 * DAY, "importance": 0.59}
            ),
        ]
        seeded.spared += [
            await milestone(f"Edge {number}.", 0.6, 30 * DAY),
            await milestone(f"Young {number}.", 0.1, 30 * DAY - TICK),
            await milestone(f"Used {number}.", 0.59, 30 * DAY, access_count=1),
            await milestone(f"By hand {number}.", 0.1, 300 * DAY, by_hand=True),
            await garden.memory("statement", f"Known {number}.", use={"stored_at": now - 300 * DAY, "importance": 0.1}),
        ]
    return seeded


async def forgetting(garden: Garden) -> Seeded:
    """What nobody asked for in 60 days, and is of importance below 0.4."""
    now, seeded = garden.parts.clock(), Seeded()
    old = now - 60 * DAY
    for number in range(EACH // 2):
        seeded.due += [
            await garden.memory("statement", f"Trifle {number}.", use={"importance": 0.39, "stored_at": old}),
            await garden.memory(
                "procedure",
                f"Once {number}.",
                use={"importance": 0.1, "stored_at": old - DAY, "last_accessed_at": old, "state": "active"},
            ),
        ]
        seeded.spared += [
            await garden.memory("statement", f"Matters {number}.", use={"importance": 0.4, "stored_at": old}),
            await garden.memory("insight", f"Young {number}.", use={"importance": 0.1, "stored_at": old + TICK}),
            await garden.memory(
                "statement",
                f"Asked for {number}.",
                use={"importance": 0.1, "stored_at": old, "last_accessed_at": old + TICK},
            ),
            await garden.memory(
                "statement", f"Pinned {number}.", use={"importance": 0.1, "stored_at": old, "pinned": True}
            ),
        ]
    return seeded


async def purge(garden: Garden) -> Seeded:
    """What is past its date goes for good."""
    now = garden.parts.clock()

    async def deleted(text: str, purge_at: datetime) -> UUID:
        use = {"state": "soft_deleted", "state_before": "active", "deleted_at": now - 30 * DAY, "purge_at": purge_at}
        return await garden.memory("statement", text, use=use)

    return Seeded(
        [await deleted(f"Gone {number}.", now) for number in range(EACH)],
        [await deleted(f"Restorable {number}.", now + TICK) for number in range(EACH)],
    )


async def consent_expiry(garden: Garden) -> Seeded:
    """Proposals lapse at their moment; decided ones stay as they were decided."""
    now, seeded = garden.parts.clock(), Seeded()

    def proposal(value: str, status: str, expires: datetime) -> UUID:
        id = new_id()
        garden.execute(
            "insert into consent (space_id, id, type, key, value, confidence, importance, status, reason, said_at,"
            " proposed_at, expires_at) values (%(space)s, %(id)s, 'identity', 'city', %(value)s, 0.6, 0.8, %(status)s,"
            " 'inferred', %(then)s, %(then)s, %(expires)s)",
            id=id,
            value=value,
            status=status,
            then=now - 7 * DAY,
            expires=expires,
        )
        return id

    for number in range(EACH):
        seeded.due.append(proposal(f"Porto {number}", "open", now))
        seeded.spared.append(proposal(f"Quito {number}", "open", now + TICK))
        seeded.spared.append(proposal(f"Oslo {number}", "declined", now))
    return seeded


async def migration(garden: Garden) -> Seeded:
    """Sections with an update that has not landed."""
    me, seeded = _agent(garden), Seeded()
    for number in range(EACH):
        landed = await me.create_active(f"Landed {number}", sections={"notes": ""})
        await me.update_section(landed.id, "notes", _unlike(number))
        begun = await me.create_active(f"Begun {number}", sections={"notes": f"Shelf {number} is yet to be painted."})
        seeded.spared += [landed.id, begun.id]
    await me.migrate()
    for number in range(EACH):
        waiting = await me.create_active(f"Waiting {number}", sections={"notes": ""})
        await me.update_section(waiting.id, "notes", _unlike(100 + number))
        seeded.due.append(waiting.id)
    return seeded


def _unlike(number: int) -> str:
    """A text that has no word in common with those of other numbers."""
    chosen = random.Random(number)
    words = ["".join(chosen.choice("bdfgklmnprstvz") + chosen.choice("aeiou") for _ in range(4)) for _ in range(8)]
    return " ".join(words) + "."


def _agent(garden: Garden):
    return garden.rc.scope(user_id=garden.space.removeprefix("user:"), agent_id="coder")


async def promotion(garden: Garden) -> Seeded:
    """What is new gets 0.05 for that: stated importance from 0.65 on is enough for 0.7."""
    me, seeded = _agent(garden), Seeded()
    for number in range(2 * EACH):
        active = await me.create_active(f"Task {number}", sections={"notes": ""})
        await me.update_section(active.id, "notes", _unlike(number))
    for number, landed in enumerate(await me.migrate()):
        ids = [landed.source_id, *landed.chunk_ids]
        garden.stand(ids, importance=0.651 if number < EACH else 0.649)
        (seeded.due if number < EACH else seeded.spared).append(landed.source_id)
    return seeded


async def retention(garden: Garden) -> Seeded:
    """Chunks of sections after 30 idle days, versions 10 years after their end, log lines after 90 and 30 days."""
    now, seeded = garden.parts.clock(), Seeded()
    idle, ended = now - 30 * DAY, now - timedelta(days=3652.5)

    async def chunk(text: str, since: datetime, **use: object) -> UUID:
        id = await garden.memory("chunk", text, type="section", data={"sources": []}, use={"stored_at": since} | use)
        garden.execute(
            "update memory set updated_at = %(at)s where space_id = %(space)s and id = %(id)s", id=id, at=idle
        )
        return id

    async def version(text: str, until: datetime) -> UUID:
        return await garden.memory("chunk", text, type="section", tier="long", data={"chunk": ""}, valid_until=until)

    for number in range(EACH // 3):
        seeded.due += [
            await chunk(f"Idle {number}.", idle),
            await version(f"Ended {number}.", ended),
            _line(garden, now - 30 * DAY - TICK),
        ]
        seeded.spared += [
            await chunk(f"Young {number}.", idle + TICK),
            await chunk(f"Asked for {number}.", idle, last_accessed_at=idle + TICK, state="active"),
            await chunk(f"Pinned {number}.", idle, pinned=True),
            await version(f"Ends {number}.", ended + TICK),
            _line(garden, now - 30 * DAY),
        ]
    return seeded


def _line(garden: Garden, at: datetime) -> UUID:
    """Something that the system did."""
    id = new_id()
    garden.execute(
        "insert into event (space_id, id, at, node, op, status)"
        " values (%(space)s, %(id)s, %(at)s, 'worker', 'create', 'ok')",
        id=id,
        at=at,
    )
    return id


async def _spoken_of(garden: Garden, nodes: Sequence[UUID], days: Sequence[float], what: str = "bridges") -> list[UUID]:
    """Sources that mention all of some nodes, so many days ago."""
    now = garden.parts.clock()
    return [
        await garden.source(f"Day {ago}: they talked about {what}.", now - timedelta(days=ago), nodes) for ago in days
    ]


async def storyline_promotion(garden: Garden) -> Seeded:
    """Five sources on three days, the first more than three days ago, and a node in use; or as much since a storyline
    that had no source for 90 days."""
    now = garden.parts.clock()
    due = [await garden.node(f"Due {n}", state="core" if n % 2 else "active") for n in range(EACH - 3)]
    again = [await garden.node(f"Again {n}") for n in range(3)]
    unused = [await garden.node(f"Unused {n}", state="candidate") for n in range(3)]
    four, two_days, new, told, not_over = [[await garden.node(f"{w} {n}") for n in range(3)] for w in "ABCDE"]
    sources = await _spoken_of(garden, [*due, *again, *unused, *told, *not_over], [3.5, 3, 2, 1, 0.5])
    await _spoken_of(garden, four, [9, 8, 7, 6])
    await _spoken_of(garden, two_days, [9, 9, 9, 8, 8])
    await _spoken_of(garden, new, [3, 2.5, 2, 1, 0])
    for node in again:
        await garden.storyline(node, sources[:1], now - 90 * DAY)
    for node in told:
        await garden.storyline(node, sources, now - 0.5 * DAY)
    for node in not_over:
        await garden.storyline(node, sources[:1], now - 90 * DAY + TICK)
    return Seeded([*due, *again], [*unused, *four, *two_days, *new, *told, *not_over])


async def storyline_refresh(garden: Garden) -> Seeded:
    """What joined a storyline makes it dirty; an archived one waits until it is back."""
    now, seeded = garden.parts.clock(), Seeded()
    nodes = [await garden.node(f"Node {n}") for n in range(2 * EACH)]
    sources = await _spoken_of(garden, nodes, [9, 8, 7, 6, 5])
    stories = [await garden.storyline(node, sources, now - 5 * DAY) for node in nodes]
    late = await garden.source("They bought a boat.", now, nodes[:EACH])
    async with garden.parts.database.transaction(garden.space) as connection:
        await attach(garden.parts, connection, garden.space, late, nodes[:EACH], now)
    seeded.due, seeded.spared = stories[:EACH], stories[EACH:]
    await garden.behind(stories[-3:], "storyline")
    garden.stand(stories[-3:-1], state="archived")
    garden.stand(stories[-1:], state="soft_deleted")
    return seeded


async def macro_promotion(garden: Garden) -> Seeded:
    """Two storylines of a node that was first mentioned more than 30 days ago."""
    now = garden.parts.clock()
    due, one, archived, young, has = [
        [await garden.node(f"{word} {n}") for n in range(EACH if word == "Due" else 3)]
        for word in ("Due", "One", "Archived", "Young", "Has")
    ]
    old = await _spoken_of(garden, [*due, *one, *archived, *has], [30.1, 20])
    new = await _spoken_of(garden, young, [30, 20])
    for node in [*due, *one, *archived, *has, *young]:
        told = new if node in young else old
        first = await garden.storyline(node, told[:1], now - 30 * DAY)
        if node in one:
            continue
        second = await garden.storyline(node, told[1:], now - 20 * DAY)
        if node in archived:
            garden.stand([second], state="archived")
        if node in has:
            await garden.macro(node, [first, second])
    return Seeded(due, [*one, *archived, *young, *has])


async def macro_refresh(garden: Garden) -> Seeded:
    """Dirty macros; not those that are archived."""
    now, seeded = garden.parts.clock(), Seeded()
    nodes = [await garden.node(f"Node {n}") for n in range(2 * EACH)]
    sources = await _spoken_of(garden, nodes, [40, 10])
    macros, pairs = [], [(sources[0], 40), (sources[1], 10)]
    for node in nodes:
        stories = [await garden.storyline(node, [source], now - ago * DAY) for source, ago in pairs]
        macros.append(await garden.macro(node, stories))
    seeded.due, seeded.spared = macros[:EACH], macros[EACH:]
    await garden.behind([*macros[:EACH], *macros[-3:]], "macro")
    garden.stand(macros[-3:], state="archived")
    return seeded


async def source_consolidation(garden: Garden) -> Seeded:
    """Active and never recalled, a source falls from 0.5 under 0.2 after 45.8 days; it must be older than 7."""
    now, seeded = garden.parts.clock(), Seeded()
    gone, left = now - 46 * DAY, now - 45 * DAY

    async def source(text: str, stored: datetime, since: datetime, **use: object) -> UUID:
        node = await garden.node(text)
        given = {"state": "active", "stored_at": stored, "salience_at": since} | use
        id = await garden.source(f"{text} was there. {text} left.", now, [node], given)
        await garden.chunk(id, f"{text} was there.")
        return id

    for n in range(EACH // 2):
        seeded.due += [
            await source(f"Faded {n}", now - 7 * DAY - TICK, gone),
            await source(f"Referred {n}", now - 7 * DAY, gone, access_count=5),
        ]
        seeded.spared += [
            await source(f"Young {n}", now - 7 * DAY, gone, access_count=4),
            await source(f"Vivid {n}", now - 46 * DAY, left),
            await source(f"Pinned {n}", now - 46 * DAY, gone, pinned=True),
            await source(f"By hand {n}", now - 46 * DAY, gone, by_hand=True),
        ]
    five, four = await garden.node("Five"), await garden.node("Four")
    seeded.due += [five, *await _spoken_of(garden, [five], [5, 4, 3, 2, 1])]
    seeded.spared += [four, *await _spoken_of(garden, [four], [5, 4, 3, 2])]
    return seeded


async def descriptions(garden: Garden) -> Seeded:
    """Nodes that something was noted on since they were described."""
    nodes = [await garden.node(f"Person {_unlike(number)[:12]}") for number in range(2 * EACH)]
    drafts = [NewNote(node, _unlike(number), "year", "recollect") for number, node in enumerate(nodes)]
    async with garden.parts.database.transaction(garden.space) as connection:
        await notes.add(connection, garden.space, drafts, garden.parts.clock())
    await garden.behind(nodes[:EACH], "person")
    return Seeded(nodes[:EACH], nodes[EACH:])


SEEDERS: dict[str, Seeder] = {
    seeder.__name__: seeder
    for seeder in (
        decay,
        descriptions,
        note_cleanup,
        consolidation,
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
