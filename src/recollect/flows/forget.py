"""Forgetting on request, with a receipt: rows, versions, vectors and history of something go, texts that carried it are
rewritten, raw passages give way to a marker, and a tombstone bars it from being derived again.

What goes in a space goes in one transaction, which also asks for the jobs that make the rest searchable again and have
it told anew; until they ran, those texts say less, never more. A dry run is the same transaction, undone.
"""

import hmac
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np

from recollect.conversation.service import COMPRESS_TASK
from recollect.core import check
from recollect.core.errors import Conflict, InvalidInput, NotFound, RecollectError
from recollect.core.ids import new_id
from recollect.core.scope import Scope, is_team
from recollect.core.terms import terms
from recollect.db.compose import SQL, Identifier
from recollect.db.database import Connection, again_after_deadlock
from recollect.db.sql import load
from recollect.flows import naming, owning, projecting, reindexing, searching, statistics, teams, unlearn
from recollect.flows.learn import zone_of
from recollect.flows.naming import Called
from recollect.flows.parts import Parts
from recollect.flows.projecting import Pending
from recollect.flows.revise import actor_of
from recollect.flows.scrub import OWN_WAY, REWRITTEN, WORDLESS, Reach, Scrub, Went
from recollect.flows.scrub import QUERIES as SCRUB
from recollect.graph.names import NODE_KINDS
from recollect.profile import store as profiles
from recollect.providers.calibration import RELATED
from recollect.queue import enqueue_on
from recollect.records import outbox, store, tombstones
from recollect.records.model import Memory
from recollect.records.tombstones import Form, Tombstone
from recollect.retrieval import request as requesting
from recollect.retrieval.search import Timing
from recollect.sources import store as sources
from recollect.sources.model import INGEST_TASK
from recollect.understanding import carrying
from recollect.understanding.carrying import Both, Learned, Names, Texts
from recollect.understanding.named import words_of

QUERIES = load("recollect.flows", "forget.sql")

TASK = "follow_forgetting"
_MOST_HITS = 50
_MOST_TEXTS = 64
"""Forgotten texts whose vectors a receipt looks for."""
_MOST_SENTENCES = 20
"""Of a text, that are looked at one by one."""
_FOUND_OTHERWISE = frozenset({"source", *NODE_KINDS})
"""Kinds that a query finds by their chunks and by their names."""
_MOST_NEAR = 50
NEAR = 0.99
"""A stored vector this near to that of a forgotten text may still stand for it."""
_FORMS = ("id", "message", "thread", "source", "person", "query", "everything")
_RAW_COUNTS = frozenset({"messages", "sources", "conversations"})
_TOLD = frozenset({"history", "event"})
_LOG = frozenset({"conversation", "message", "source"})
_PROJECTED = frozenset({"projection", "outbox"})
"""What says which space Neo4j has to empty too."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Something that would go."""

    id: UUID
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What was looked for after a forgetting."""

    left: int
    """Rows that still carry it; none, unless something went wrong. `keep_raw` leaves the log."""
    nearest: float | None
    """The largest cosine of a stored vector to that of a forgotten text; None where there was none to look for. Other
    than for a person, what was not touched is left aside: it may say the same, and was not asked to go."""
    searches: int
    """How many searches were made for it."""
    hits: int
    """How many of their hits carry it."""
    pending: tuple[Pending, ...] = ()
    """What Neo4j may still hold, as it could not be told yet."""

    @property
    def ok(self) -> bool:
        """Whether nothing was found, and nothing is pending."""
        near = self.nearest is not None and self.nearest >= NEAR
        return not (self.left or self.hits or self.pending or near)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was forgotten, in numbers and ids. Only a dry run shows texts, and a token to forget exactly that."""

    form: Form
    at: datetime
    dry_run: bool
    keep_raw: bool
    spaces: tuple[str, ...]
    counts: dict[str, int]
    removed: tuple[UUID, ...] = ()
    """Memories that are gone."""
    rewritten: tuple[UUID, ...] = ()
    """Memories that say less than before."""
    messages: tuple[UUID, ...] = ()
    sources: tuple[UUID, ...] = ()
    tombstones: tuple[UUID, ...] = ()
    check: Checked | None = None
    token: str | None = None
    shown: tuple[Shown, ...] = ()
    hidden: int = 0
    """Of what a dry run would show, how much the scope may not read: it goes too."""
    keys: dict[str, int] = field(default_factory=dict)
    """How many keys name it that callers chose: of a thread, category, section, agent or run. They stay as they are."""


@dataclass(slots=True)
class _Plan:
    """What is asked for, and how it is reached in each space."""

    form: Form
    target: str
    spaces: Sequence[str]
    reach: Callable[[Connection, str], Awaitable[Reach]]
    names: Names | None = None
    always: Sequence[str] = ()
    """Spaces that get a tombstone even where nothing of it is found."""
    keep_raw: bool = False
    ignored: frozenset[str] = frozenset()
    looking: bool = False
    """Whether it was forgotten already, and is merely looked for."""


class _Undone(Exception):
    """A dry run ends its transaction."""

    def __init__(self, went: Went) -> None:
        self.went = went


# The verb --------------------------------------------------------------------------------------------------


async def forget(parts: Parts, scope: Scope, given: Mapping[str, Any]) -> Receipt:
    """Forget what is named, or show what would go."""
    dry_run, keep_raw = check.flag("dry_run", given["dry_run"]), check.flag("keep_raw", given["keep_raw"])
    token = check.optional_text("token", given["token"])
    plan = await _plan(parts, scope, given)
    plan.keep_raw = keep_raw
    if dry_run or token is not None or plan.form == "query":
        shown = await _dry(parts, scope, plan)
        expected = await _token(parts, scope, plan, shown)
        if dry_run:
            return _receipt(parts, plan, shown, dry_run=True, token=expected)
        if token is None:
            raise InvalidInput("token", "is needed to forget by a query: it comes with a dry run")
        if not hmac.compare_digest(token.encode(), expected.encode()):
            raise Conflict("token: what would go is not what was shown with it: look again with a dry run")
    went: dict[str, Went] = {}
    stones: dict[str, UUID] = {}
    for space in plan.spaces:
        went[space], stone = await _in_space(parts, scope, plan, space)
        if stone is not None:
            stones[space] = stone
    for space in stones if plan.form != "everything" else ():
        await _follow_now(parts, space)
    checked = await _check(parts, scope, plan, went)
    return _receipt(parts, plan, went, stones=stones, checked=checked)


async def _dry(parts: Parts, scope: Scope, plan: _Plan) -> dict[str, Went]:
    found: dict[str, Went] = {}
    for space in plan.spaces:
        try:
            await _in_space(parts, scope, plan, space, dry=True)
        except _Undone as undone:
            found[space] = undone.went
    return found


@again_after_deadlock
async def _in_space(
    parts: Parts, scope: Scope, plan: _Plan, space: str, *, dry: bool = False
) -> tuple[Went, UUID | None]:
    """One space, whole or not at all; the tombstone that stands there now."""
    async with parts.database.transaction(space) as connection:
        await tombstones.forget_alone(connection, space)
        actor = actor_of(scope, "forgotten")
        if plan.form == "everything":
            went = await _everything(parts, connection, space, keep_raw=plan.keep_raw)
        else:
            unseen = await _unseen(connection, space, scope) if dry else set()
            reach = await plan.reach(connection, space)
            reach.keep_raw = plan.keep_raw
            if plan.looking and isinstance(reach.near, Learned):
                reach.near = reach.near.texts
            went = await Scrub(parts, connection, space, reach, actor).run()
            went.hide(unseen)
        if dry:
            raise _Undone(went)
        if not went.anything and space not in plan.always:
            return went, None
        stone = await _bury(parts, connection, scope, plan, space, went)
        await store.act(connection, space, parts.clock(), "FORGET", "forget", [stone], actor, {"form": plan.form})
        await _enqueue(parts, connection, space, went)
        if plan.form == "everything":
            await _empty_projection(parts, connection, space)
    parts.searcher.known.forget(space)
    return went, stone


async def _unseen(connection: Connection, space: str, scope: Scope) -> set[UUID]:
    asked = {"space": space, "high": scope.sensitivity == "high", "owners": [scope.owner, ""]}
    cursor = await connection.execute(QUERIES["unseen"], asked)
    return {row.id for row in await cursor.fetchall()}


async def _bury(parts: Parts, connection: Connection, scope: Scope, plan: _Plan, space: str, went: Went) -> UUID:
    """A tombstone for what went; one that bars the same already stays the only one."""
    key, now = parts.keyring.current(), parts.clock()
    marks = {(form, key.mark(form, text)) for form, text in _marks(plan, went)}
    if not went.anything and (known := await tombstones.having(connection, space, marks)):
        return known
    id = new_id()
    await tombstones.bury(connection, space, id, plan.form, marks, key.id, now, actor_of(scope), keep_raw=plan.keep_raw)
    await tombstones.account(connection, space, id, went.counts, went.waiting())
    return id


def _marks(plan: _Plan, went: Went) -> Iterable[tuple[str, str]]:
    """What is barred from now on: names, or the sentences that went; and the rows, for restores of old backups."""
    yield from (("row", str(id)) for id in went.rows)
    if plan.names is not None:
        yield from carrying.name_forms(plan.names)
        if plan.form == "person":
            return
    raw = "said" if plan.form in ("memory", "query") else "text"
    for form, texts in ((raw, went.said), ("text", went.known)):
        for text in texts:
            for begin, end in carrying.passages(text):
                yield from ((form, each) for each in carrying.sentence_forms(text[begin:end], plan.ignored))


async def _enqueue(parts: Parts, connection: Connection, space: str, went: Went) -> None:
    """What has to be derived anew, by jobs; the last that the transaction does."""
    await owning.follow_when_due(parts, connection, space)
    for task in sorted((TASK, COMPRESS_TASK, INGEST_TASK, statistics.TASK, unlearn.TASK)):
        await enqueue_on(connection, task, space)
    if went.sources:
        await teams.tell_members(connection, space)


async def _empty_projection(parts: Parts, connection: Connection, space: str) -> None:
    """Neo4j is to hold nothing of the space either; a process that knows it sees to that, as soon as it answers."""
    if await outbox.copy_emptied(connection, space) and parts.neo4j is not None:
        await enqueue_on(connection, outbox.TASK, space)


async def _everything(parts: Parts, connection: Connection, space: str, *, keep_raw: bool) -> Went:
    """All rows of a space, but for its own and its tombstones; `keep_raw` leaves the log and the documents."""
    went, now = Went(), parts.clock()
    await store.raise_revision(connection, space, now, knowledge=True, changes=0)
    kept = {"space", "tombstone", "tombstone_mark"} | (_LOG if keep_raw else set())
    for table in sorted((set(REWRITTEN) | OWN_WAY | WORDLESS) - kept - _PROJECTED):
        rest = SQL("")
        if keep_raw and table in ("memory", "memory_use"):
            rest = SQL(" and not kind = 'source'")
        statement = SQL("delete from {} where space_id = {}{}").format(Identifier(table), space, rest)
        cursor = await connection.execute(statement, {})
        went.count(table, cursor.rowcount)
    for table in sorted(_LOG - kept):
        cursor = await connection.execute(
            SQL("delete from {} where space_id = {}").format(Identifier(table), space), {}
        )
        went.count(table, cursor.rowcount)
    await connection.execute(QUERIES["empty_space"], {"space": space})
    return went


# What is meant ---------------------------------------------------------------------------------------------


async def _plan(parts: Parts, scope: Scope, given: Mapping[str, Any]) -> _Plan:
    named = [name for name in _FORMS if given.get(name) not in (None, False)]
    if len(named) != 1:
        raise InvalidInput(
            "id" if not named else named[1],
            "name one thing to forget: id, message, thread, source, person, query or everything",
        )
    [form] = named
    value = given[form]
    if form == "everything":
        check.flag("everything", value)
        return _Plan("everything", scope.space, [scope.space], _nothing, always=[scope.space])
    readers: dict[str, Callable[[Parts, Scope, Any], Awaitable[_Plan]]] = {
        "id": _by_id,
        "source": _source,
        "message": _message,
        "thread": _thread,
        "person": _person,
        "query": _query,
    }
    return await readers[form](parts, scope, value)


async def _nothing(connection: Connection, space: str) -> Reach:
    return Reach()


async def _person(parts: Parts, scope: Scope, given: object) -> _Plan:
    name = check.text("person", given, most_bytes=1_000).strip()
    if not words_of(name):
        raise InvalidInput("person", "needs letters")
    called = Called()
    for space in scope.readable:
        async with parts.database.transaction(space) as connection:
            await naming.by_name(connection, space, name, called)
    return await _named(parts, scope, "person", name, called)


async def _named(parts: Parts, scope: Scope, form: Form, target: str, called: Called) -> _Plan:
    """By every name, in every space that the scope writes."""
    for space in scope.readable:
        async with parts.database.transaction(space) as connection:
            await naming.others_of(connection, space, called)
    finder = called.finder()

    async def reach(connection: Connection, space: str) -> Reach:
        return Reach(finder=finder, raw=lambda _: finder, memories=set(called.nodes.get(space, ())))

    own = list(dict.fromkeys([scope.space, scope.own_space]))
    return _Plan(form, target, scope.readable, reach, names=finder, always=own)


async def _find(parts: Parts, scope: Scope, id: UUID) -> Memory | None:
    for space in scope.readable:
        async with parts.database.transaction(space) as connection:
            rows = await store.get(connection, space, [id])
        if rows and scope.may_see(rows[0]):
            return store.memory_of(rows[0], parts.clock(), parts.rules)
    return None


async def _by_id(parts: Parts, scope: Scope, given: object) -> _Plan:
    id = check.uuid("id", given)
    memory = await _find(parts, scope, id)
    if memory is not None:
        return await _memories(parts, scope, "memory", str(id), [memory])
    for space in scope.readable:
        async with parts.database.transaction(space) as connection:
            if plan := await _beside(parts, connection, space, id):
                return plan
            bars = await tombstones.bars(connection, [space], parts.keyring)
        if bars.has_row(id):  # it was forgotten before
            return _Plan("memory", str(id), [space], _nothing)
    raise NotFound(f"there is no memory {id}")


async def _beside(parts: Parts, connection: Connection, space: str, id: UUID) -> _Plan | None:
    """A note or a relation."""
    for name, kind in (("note", "notes"), ("relation", "relations")):
        cursor = await connection.execute(QUERIES[name], {"space": space, "id": id})
        if row := await cursor.fetchone():
            finder = Texts.of([row.content] if row.content else [])

            async def reach(connection: Connection, space: str, kind: str = kind, finder: Texts = finder) -> Reach:
                found = Reach(finder=finder)
                getattr(found, kind).add(id)
                return found

            return _Plan("memory", str(id), [space], reach)
    return None


async def _source(parts: Parts, scope: Scope, given: object) -> _Plan:
    id = check.uuid("source", given)
    memory = await _find(parts, scope, id)
    if memory is None:
        return await _by_id(parts, scope, id)
    if memory.kind != "source":
        raise InvalidInput("source", f"is the id of a {memory.kind}")
    return await _memories(parts, scope, "source", str(id), [memory])


async def _message(parts: Parts, scope: Scope, value: object) -> _Plan:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise InvalidInput("message", 'must be a thread and a turn, such as ("chat-1", 3)')
    thread = check.identifier("message", value[0])
    turn = check.count("message", value[1], most=2**31 - 1)
    found = await _conversations(parts, scope, thread)
    async with parts.database.transaction(scope.space) as connection:
        cursor = await connection.execute(
            QUERIES["message_at"], {"space": scope.space, "conversations": found, "turn": turn}
        )
        rows = await cursor.fetchall()
    if not rows:
        raise NotFound(f"conversation {thread!r} has no turn {turn}")
    return await _said(parts, scope, "message", f"{thread}:{turn}", rows, set())


async def _thread(parts: Parts, scope: Scope, given: object) -> _Plan:
    thread = check.identifier("thread", given)
    found = await _conversations(parts, scope, thread)
    async with parts.database.transaction(scope.space) as connection:
        cursor = await connection.execute(QUERIES["messages_in"], {"space": scope.space, "conversations": found})
        rows = await cursor.fetchall()
    return await _said(parts, scope, "thread", thread, rows, set(found))


async def _conversations(parts: Parts, scope: Scope, thread: str) -> list[UUID]:
    """The scope's own conversation of a thread; the shared one, where it has none."""
    async with parts.database.transaction(scope.space) as connection:
        for owner in dict.fromkeys([scope.owner, ""]):
            asked = {"space": scope.space, "owner": owner, "thread": thread}
            cursor = await connection.execute(QUERIES["conversation"], asked)
            if rows := await cursor.fetchall():
                return [row.id for row in rows]
    raise NotFound(f"there is no conversation {thread!r}")


async def _said(
    parts: Parts, scope: Scope, form: Form, target: str, rows: Sequence[Any], conversations: set[UUID]
) -> _Plan:
    """Messages whole, with all that came of them, also in the space of who said them."""
    ids = {row.id for row in rows}
    finder = Texts.of(row.body for row in rows)
    home = scope.space
    owners = {f"user:{row.actor_id}" for row in rows if row.actor_id} & set(scope.readable)

    async def reach(connection: Connection, space: str) -> Reach:
        if space == home:
            return Reach(finder=finder, messages=set(ids), conversations=set(conversations))
        asked = {"space": space, "ids": sorted(ids), "names": sorted(map(str, ids)), "prints": []}
        cursor = await connection.execute(SCRUB["learned_of_messages"], asked)
        return Reach(finder=finder, memories={row.id for row in await cursor.fetchall()})

    return _Plan(form, target, list(dict.fromkeys([home, scope.own_space, *sorted(owners)])), reach)


async def _query(parts: Parts, scope: Scope, query: object) -> _Plan:
    zone = await parts.searcher.zone(scope.readable)
    given = {"include": ["archived", "expired"], "threshold": parts.settings.context_threshold}
    request = requesting.parse(scope, query, _MOST_HITS, given, parts.settings, parts.clock(), zone)
    hits = await searching.search(parts, request, Timing())
    found = {memory.id: memory for hit in hits for memory in (hit.memory, *hit.also)}
    return await _memories(parts, scope, "query", str(query), await _saying(parts, str(query), found.values()))


async def _saying(parts: Parts, query: str, memories: Iterable[Memory]) -> list[Memory]:
    """Those that say it themselves, by their words or clearly by their meaning.

    A search also finds what is merely near, and what was said beside it.
    """
    wanted = frozenset(terms(query))
    found = list(memories)
    said = {memory.id: _sentences(memory) for memory in found if memory.kind not in _FOUND_OTHERWISE}
    if not said:
        return found
    [asked] = await parts.embedder.embed([query], purpose="query")
    told = await parts.embedder.embed([text for texts in said.values() for text in texts], purpose="document")
    vectors = iter(told)
    saying = set()
    for id, texts in said.items():
        near = max([parts.calibration.calibrated(float(np.dot(asked, next(vectors)))) for _ in texts])
        shared = max(len(wanted.intersection(terms(text))) for text in texts) / max(1, len(wanted))
        if near >= RELATED or shared >= parts.settings.context_threshold:
            saying.add(id)
    return [memory for memory in found if memory.id not in said or memory.id in saying]


def _sentences(memory: Memory) -> list[str]:
    """A text, and its sentences where there are several."""
    parted = [memory.content[begin:end] for begin, end in carrying.passages(memory.content)[:_MOST_SENTENCES]]
    return [memory.content, *(parted if len(parted) > 1 else [])]


async def _memories(parts: Parts, scope: Scope, form: Form, target: str, memories: Sequence[Memory]) -> _Plan:
    """Memories of any kind: nodes by every name, turns as messages, sources with all that came of them, others by what
    they say and what they were learned from."""
    called = Called(person=all(memory.kind == "person" for memory in memories if memory.kind in NODE_KINDS))
    by_space: dict[str, list[Memory]] = {}
    for memory in memories:
        by_space.setdefault(memory.space, []).append(memory)
        if memory.kind in NODE_KINDS:
            async with parts.database.transaction(memory.space) as connection:
                await naming.by_node(connection, memory.space, [memory.id], called)
    names = None
    if called.names:
        plan = await _named(parts, scope, form, target, called)
        if all(memory.kind in NODE_KINDS for memory in memories):
            return plan
        names = plan.names
    ignored = await _owner_words(parts, scope)
    spaces = list(dict.fromkeys([*by_space, *(scope.readable if names else []), scope.own_space]))

    async def reach(connection: Connection, space: str) -> Reach:
        return await _reach(connection, space, by_space.get(space, []), names, called, ignored)

    return _Plan(form, target, spaces, reach, names=names, ignored=ignored)


async def _owner_words(parts: Parts, scope: Scope) -> frozenset[str]:
    """The owner's names say nothing about which statement is meant."""
    async with parts.database.transaction(scope.own_space) as connection:
        facts = await profiles.active(connection, scope.own_space, parts.clock(), "high")
    names = [fact.value for fact in facts if fact.type == "identity" and fact.key.endswith("name")]
    return frozenset(word for name in [*names, scope.user_id or ""] for word in words_of(name))


async def _reach(
    connection: Connection,
    space: str,
    memories: Sequence[Memory],
    names: Names | None,
    called: Called,
    ignored: frozenset[str],
) -> Reach:
    reach = Reach(memories=set(called.nodes.get(space, ())))
    texts: list[str] = []
    for memory in memories:
        if memory.kind in NODE_KINDS:
            continue
        if memory.kind == "turn" and memory.provenance.message_id is not None:
            reach.messages.add(memory.provenance.message_id)
        elif memory.kind == "source":
            await _reach_source(connection, space, memory, reach)
        else:
            reach.memories.add(memory.id)
            reach.near_messages |= _messages_of(memory)
            reach.near_sources |= {UUID(str(id)) for id in memory.data.get("sources", [])}
            if memory.provenance.source_id is not None:
                reach.near_sources.add(memory.provenance.source_id)
        texts.append(memory.content)
    cursor = await connection.execute(QUERIES["versions"], {"space": space, "ids": [m.id for m in memories]})
    texts += [row.content for row in await cursor.fetchall()]
    finders: list[Any] = [Texts.of(texts, ignored=ignored)]
    if names is not None:
        finders.append(names)
        reach.raw = lambda _: names
    reach.finder = Both(tuple(finders), follows=names is not None)
    learned = [memory for memory in memories if memory.kind not in ("turn", "source", "chunk", *NODE_KINDS)]
    if learned or reach.near_sources:
        within = bool(learned)
        spoken = Texts.of((memory.content for memory in memories), within=within, ignored=ignored)
        reach.near = Learned(spoken) if learned else spoken
    return reach


async def _reach_source(connection: Connection, space: str, memory: Memory, reach: Reach) -> None:
    """A document whole; of a talk the messages that it was told from."""
    cursor = await connection.execute(QUERIES["talk"], {"space": space, "id": memory.id})
    said = [row.id for row in await cursor.fetchall()]
    reach.messages |= set(said)
    (reach.memories if said else reach.sources).add(memory.id)


def _messages_of(memory: Memory) -> set[UUID]:
    heard = {UUID(str(id)) for id in memory.data.get("messages", [])}
    return heard | ({memory.provenance.message_id} if memory.provenance.message_id else set())


# The receipt -----------------------------------------------------------------------------------------------


async def _token(parts: Parts, scope: Scope, plan: _Plan, went: Mapping[str, Went]) -> str:
    """A keyed hash of what would go, word for word, and of who looked: it is good for exactly that, and once.

    Once, as a forgetting leaves a tombstone, and those that stand are part of it.
    """
    shown = {
        space: [
            sorted(map(str, each.removed)),
            sorted(map(str, each.rewritten)),
            sorted(map(str, each.messages)),
            sorted(map(str, each.sources)),
            sorted(each.counts.items()),
            sorted([str(id), kind, text] for id, kind, text in each.shown),
            sorted(each.said),
            sorted(each.known),
        ]
        for space, each in went.items()
    }
    who = [scope.space, scope.user_id, scope.agent_id]
    stones = [str(stone.id) for stone in await listed(parts, scope)]
    text = json.dumps([who, plan.form, plan.target, plan.keep_raw, shown, stones], sort_keys=True)
    return hmac.digest(parts.keyring.current().secret, text.encode(), "sha256").hex()[:32]


def _receipt(
    parts: Parts,
    plan: _Plan,
    went: Mapping[str, Went],
    *,
    dry_run: bool = False,
    token: str | None = None,
    stones: Mapping[str, UUID] | None = None,
    checked: Checked | None = None,
) -> Receipt:
    counts: dict[str, int] = {}
    for each in went.values():
        for name, number in each.counts.items():
            counts[name] = counts.get(name, 0) + number
    keys = sum((each.keys for each in went.values()), Counter[str]())
    return Receipt(
        form=plan.form,
        at=parts.clock(),
        dry_run=dry_run,
        keep_raw=plan.keep_raw,
        spaces=tuple(space for space, each in went.items() if each.anything or space in (stones or {})),
        counts=dict(sorted(counts.items())),
        removed=_all(each.removed for each in went.values()),
        rewritten=_all(each.rewritten for each in went.values()),
        messages=_all(each.messages for each in went.values()),
        sources=_all(each.sources for each in went.values()),
        tombstones=tuple((stones or {}).values()),
        check=checked,
        token=token,
        shown=tuple(Shown(*line) for each in went.values() for line in each.shown) if dry_run else (),
        hidden=sum(each.hidden for each in went.values()) if dry_run else 0,
        keys=dict(sorted(keys.items())),
    )


def _all(ids: Iterable[Iterable[UUID]]) -> tuple[UUID, ...]:
    return tuple(sorted({id for some in ids for id in some}))


async def _check(parts: Parts, scope: Scope, plan: _Plan, went: Mapping[str, Went]) -> Checked:
    """Look for what is gone: row by row, by its vectors, and as a search would."""
    left = 0
    plan.looking = True
    again = await _dry(parts, scope, plan)
    for each in again.values():
        ignored = _RAW_COUNTS if plan.keep_raw else frozenset()
        if plan.form == "everything":
            ignored = _TOLD  # that it was forgotten is told, after all
        left += sum(number for name, number in each.counts.items() if name not in ignored)
    texts = [text for each in went.values() for text in (*each.known, *each.said) if text.strip()]
    near = [
        await _nearest(parts, space, texts[:_MOST_TEXTS], None if plan.form == "person" else each.touched)
        for space, each in went.items()
        if each.anything
    ]
    found = [value for value in near if value is not None]
    searches, hits = await _search(parts, scope, plan, went)
    return Checked(left, max(found) if found else None, searches, hits, await _pending(parts, plan, went))


async def _pending(parts: Parts, plan: _Plan, went: Mapping[str, Went]) -> tuple[Pending, ...]:
    """What Neo4j may still hold of it, once it was asked to forget it."""
    found = [
        await projecting.forgotten(parts, space, sorted({*each.rows, *each.removed, *each.rewritten}))
        for space, each in went.items()
        if each.anything or space in plan.always
    ]
    return tuple(each for each in found if each is not None)


async def _nearest(parts: Parts, space: str, texts: Sequence[str], among: set[UUID] | None) -> float | None:
    """How near a stored vector lies to one of some texts; among what was touched, or anything at all."""
    if not texts:
        return None
    vectors = await parts.embedder.embed(list(texts), purpose="document")
    best: float | None = None
    async with parts.database.transaction(space) as connection:
        for vector in vectors:
            literal = store.vector_literal(vector)
            asked = {"space": space, "query": literal.numbers, "length": literal.length, "most": _MOST_NEAR}
            cursor = await connection.execute(QUERIES["nearest"], asked)
            for row in await cursor.fetchall():
                if among is None or row.orphan or row.id in among:
                    best = max(-1.0 if best is None else best, float(row.similarity))
                    break
    return best


async def _search(parts: Parts, scope: Scope, plan: _Plan, went: Mapping[str, Went]) -> tuple[int, int]:
    """Searches for names or texts that went, and the hits that are, or still carry, what went."""
    if plan.form == "everything":
        return 0, 0
    asked = [" ".join(words) for words in sorted(plan.names.full)[:5]] if plan.names else []
    asked += [plan.target] if plan.form == "person" and not asked else []
    asked += [text[:500] for each in went.values() for text in (*each.known, *each.said)[:5] if text.strip()]
    removed = {id for each in went.values() for id in each.removed}
    zone, hits = await parts.searcher.zone(scope.readable), 0
    for question in asked[:10]:
        request = requesting.parse(scope, question, 20, {}, parts.settings, parts.clock(), zone)
        for hit in await searching.search(parts, request, Timing()):
            hits += hit.memory.id in removed or _still(plan, hit.memory)
    return len(asked[:10]), hits


def _still(plan: _Plan, memory: Memory) -> bool:
    return plan.names is not None and carrying.has(memory.content, plan.names)


# What follows ----------------------------------------------------------------------------------------------


async def _follow_now(parts: Parts, space: str) -> None:
    """What need not wait for a job; where it fails, the job does it."""
    try:
        await follow(parts, space)
        await statistics.refresh(parts, space)
    except RecollectError:
        pass


async def follow(parts: Parts, space: str) -> dict[str, int]:
    """The job: what is left is searchable again, and members of a team learn anew from sources that say less."""
    async with parts.database.transaction(space) as connection:
        waiting = await tombstones.waiting(connection, space)
    done = 0
    for stone, left in waiting.items():
        done += await reindexing.reindex(parts, space, [UUID(id) for id in left.get("again", [])])
        if is_team(space) and left.get("origins"):
            await _tell_members(parts, space, [UUID(id) for id in left["origins"]])
        async with parts.database.transaction(space) as connection:
            await tombstones.settle(connection, space, stone, left)
    return {"seen": len(waiting), "changed": done}


async def _tell_members(parts: Parts, team: str, origins: Sequence[UUID]) -> None:
    """References to a team's sources that say less: what came of them is taken back, and learned anew."""
    async with parts.database.owner() as owner:
        cursor = await owner.execute(teams.LIFECYCLE["spaces_referring"], {"team": team})
        members = [row.space_id for row in await cursor.fetchall()]
    for member in members:
        await _relearn(parts, member, team, origins)


@again_after_deadlock
async def _relearn(parts: Parts, space: str, team: str, origins: Sequence[UUID]) -> None:
    now = parts.clock()
    async with parts.database.transaction(space) as connection:
        asked = {"space": space, "team": team, "ids": list(origins)}
        cursor = await connection.execute(SCRUB["members_referring"], asked)
        ids = sorted(row.id for row in await cursor.fetchall())
        if ids:
            await unlearn.unlearn(connection, space, ids, await zone_of(parts, connection, space), now)
            await sources.unsettle(connection, space, ids)
            for task in sorted((INGEST_TASK, unlearn.TASK)):
                await enqueue_on(connection, task, space)


# Tombstones ------------------------------------------------------------------------------------------------


async def listed(parts: Parts, scope: Scope) -> list[Tombstone]:
    """The tombstones of all spaces that the scope may read, oldest first."""
    found = []
    for space in scope.readable:
        async with parts.database.transaction(space) as connection:
            found += await tombstones.listed(connection, space)
    return sorted(found, key=lambda stone: stone.id)


async def lift(parts: Parts, scope: Scope, id: UUID) -> Tombstone:
    """Take a tombstone away: what it barred may be learned again."""
    for space in scope.readable:
        async with parts.database.transaction(space) as connection:
            found = [stone for stone in await tombstones.listed(connection, space) if stone.id == id]
            if found:
                await tombstones.lift(connection, space, [id])
                actor = actor_of(scope, "tombstone lifted")
                await store.act(connection, space, parts.clock(), "UPDATE", "lift", [id], actor)
                return found[0]
    raise NotFound(f"there is no tombstone {id}")
