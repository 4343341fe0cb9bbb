"""The window of a conversation stays small: its oldest messages become chunks, and the oldest chunks become one.

A chunk is an episode with a summary, key topics and a range of turns. The raw log keeps every message. A conversation
counts as compressed up to a turn only once the chunk is written, so that a late worker never makes turns vanish.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import perf_counter
from typing import Any

from recollect.conversation.model import Conversation
from recollect.conversation.service import COMPRESS_TASK
from recollect.conversation.store import QUERIES, conversation_of, hold
from recollect.core import tokens
from recollect.core.courtesy import let_others_go_first
from recollect.core.errors import RecollectError
from recollect.core.ids import new_id
from recollect.core.settings import Settings
from recollect.db.database import Connection
from recollect.flows import milestones, remember, statistics
from recollect.flows.barring import bars_of, told_rows
from recollect.flows.indexing import passages_of, plain
from recollect.flows.parts import Parts
from recollect.flows.reading import line_of
from recollect.queue import enqueue_on
from recollect.records import service, store
from recollect.records.changes import Changes
from recollect.records.kinds import CHUNK, KINDS
from recollect.records.model import Actor, Event, Memory, NewMemory, Passage, Provenance
from recollect.understanding import summary, with_model
from recollect.understanding.model import Line, Milestone, Summary

TASK = COMPRESS_TASK

_WRITER = Actor("recollect", reason="chunk of a conversation", by_hand=False)
_RETRY_SECONDS = 60.0
_AT_ONCE = 16
"""Stretches that are told and written together where rules tell them."""

_WORDLESS = Summary("Nothing was said in words.")

Stretch = tuple[int, int]
"""The first and the last turn."""


@dataclass(frozen=True, slots=True)
class Told:
    """A stretch in few words, or several that follow each other."""

    stretch: Stretch
    text: Summary
    by_rules: bool
    """Whether rules had to tell it because the model could not."""
    at: datetime
    """When the last of it was said."""
    milestones: Sequence[milestones.Ready]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk to be written, and the milestones that were found in it."""

    memory: NewMemory
    milestones: Sequence[milestones.Ready]


async def compress(parts: Parts, space: str) -> dict[str, int]:
    """Bring every window of a space down to its size, and tell anew what has changed."""
    counts = {"seen": 0, "changed": 0, "merged": 0, "failed": 0}
    async with parts.database.transaction(space) as connection:
        cursor = await connection.execute(QUERIES["to_compress"], {"space": space, "most": parts.settings.window_most})
        waiting = [conversation_of(row) for row in await cursor.fetchall()]
    for conversation in waiting:
        counts["seen"] += 1
        await _tell_anew(parts, conversation, counts)
        await _shorten(parts, conversation, counts)
        await _merge_oldest(parts, conversation, counts)
    return counts


async def _shorten(parts: Parts, conversation: Conversation, counts: dict[str, int]) -> None:
    """The oldest messages as chunks: several at a time by rules, one by one by a model, which is slow."""
    done, has_model = conversation.compressed_turn, _has_model(parts)
    while stretches := _due(parts.settings, done, conversation.last_turn):
        # Of a long talk that came at once: what would be folded into the oldest chunk is told by it from the first.
        beyond = 0 if has_model else max(0, len(stretches) - parts.settings.chunks_most)
        some = stretches[: beyond + (1 if has_model else _AT_ONCE)]
        counts["changed"] += await _add_chunks(parts, conversation, some, beyond + 1, counts)
        done = some[-1][1]


def _due(settings: Settings, done: int, last: int) -> list[Stretch]:
    """The stretches that a window has to let go of."""
    step = settings.window_step
    count = -(-(last - done - settings.window_most) // step)
    return [(done + 1 + n * step, done + (n + 1) * step) for n in range(count)]


async def _add_chunks(
    parts: Parts, conversation: Conversation, stretches: Sequence[Stretch], as_one: int, counts: dict[str, int]
) -> int:
    """More chunks, but for those that another worker has written meanwhile; how many."""
    ready = await _prepared(parts, conversation, stretches, as_one)
    space, last = conversation.space, stretches[-1][1]
    async with parts.database.transaction(space) as connection:
        row = await hold(connection, space, conversation.id)
        fresh = [each for each in ready if row is not None and row.compressed_turn < each.memory.data["first_turn"]]
        if not fresh:
            return 0
        by_rules = sum("dirty" in each.memory.data for each in fresh)
        counts["failed"] += by_rules
        await _remember(parts, connection, [each.memory for each in fresh], space)
        for each in fresh:
            await milestones.write(parts, connection, conversation, each.milestones)
        await connection.execute(QUERIES["mark_compressed"], {"space": space, "id": conversation.id, "turn": last})
        await _follow_up(connection, space, by_rules > 0, 0)
    return len(fresh)


async def _prepared(parts: Parts, conversation: Conversation, stretches: Sequence[Stretch], as_one: int) -> list[Chunk]:
    """Chunks ready to be written, the first of which tells of so many stretches: all summaries are embedded at once."""
    folded = [await _folded(parts, conversation, stretches[:as_one])] if as_one > 1 else []
    told = [*folded, *await _all_told(parts, conversation, stretches[as_one if folded else 0 :])]
    entries = await passages_of(parts, conversation.space, [plain(one.text.text) for one in told])
    return [
        Chunk(_new_memory(conversation, one, passages), one.milestones)
        for one, passages in zip(told, entries, strict=True)
    ]


async def _all_told(parts: Parts, conversation: Conversation, stretches: Sequence[Stretch]) -> list[Told]:
    """Each stretch by itself; messages are read for several at a time."""
    told = []
    for start in range(0, len(stretches), _AT_ONCE):
        some = stretches[start : start + _AT_ONCE]
        rows = await _stretch(parts, conversation, some[0][0], some[-1][1])
        for first, last in some:
            said = [row for row in rows if first <= (row.in_place_of or row.turn) <= last]
            told.append(await _told(parts, conversation, (first, last), said))
    return told


async def _told(parts: Parts, conversation: Conversation, stretch: Stretch, said: Sequence[Any]) -> Told:
    text, by_rules = await _summary(parts, _lines(said))
    found = await _milestones(parts, _lines(said)) if not by_rules else ()
    ready = await milestones.prepared(parts, conversation, found, said, ())
    return Told(stretch, text, by_rules, max((row.at for row in said), default=parts.clock()), ready)


async def _folded(parts: Parts, conversation: Conversation, stretches: Sequence[Stretch]) -> Told:
    """Stretches that follow each other, as one: told from the messages themselves, many at a time."""
    told, moments = [], []
    for start in range(0, len(stretches), _AT_ONCE):
        some = stretches[start : start + _AT_ONCE]
        rows = await _stretch(parts, conversation, some[0][0], some[-1][1])
        told.append(await _outlined(parts, _lines(rows)))
        moments += [row.at for row in rows]
    text, whole = await _merged(parts, told), (stretches[0][0], stretches[-1][1])
    return Told(whole, text, False, max(moments, default=parts.clock()), ())


async def _outlined(parts: Parts, lines: Sequence[Line]) -> Summary:
    return await _unhurried(summary.outline, lines, 2 * parts.settings.chunk_tokens) if lines else _WORDLESS


async def _merged(parts: Parts, told: Sequence[Summary]) -> Summary:
    """Summaries as one, each with what came before it."""
    whole, *others = told
    for each in others:
        whole = await _unhurried(summary.merge, whole, each, 2 * parts.settings.chunk_tokens)
    return whole


async def _unhurried(work: Callable[..., Summary], *given: Any) -> Summary:
    """Work on a thread, after which those go first who wait for an answer."""
    began = perf_counter()
    done = await asyncio.to_thread(work, *given)
    await let_others_go_first(perf_counter() - began)
    return done


async def _stretch(parts: Parts, conversation: Conversation, first: int, last: int) -> list[Any]:
    async with parts.database.transaction(conversation.space) as connection:
        cursor = await connection.execute(
            QUERIES["stretch"],
            {"space": conversation.space, "conversation_id": conversation.id, "first": first, "last": last},
        )
        rows = [row for row in await cursor.fetchall() if row.retracted_at is None]
        return told_rows(await bars_of(parts, connection, conversation.space), rows)


def _lines(rows: Sequence[Any]) -> list[Line]:
    return [line_of(row) for row in rows if row.body.strip()]


async def _summary(parts: Parts, lines: Sequence[Line]) -> tuple[Summary, bool]:
    """The stretch in few words; and whether rules had to tell it because the model could not."""
    if not lines:
        return _WORDLESS, False
    has_model = _has_model(parts)
    if parts.model is not None and has_model:
        try:
            return await with_model.summarise(parts.model, lines), False
        except RecollectError:
            pass  # told by rules for now, and marked
    return await _unhurried(summary.summarise, lines, parts.settings.chunk_tokens), has_model


def _has_model(parts: Parts) -> bool:
    return parts.model is not None and parts.model.name("summarise") is not None


async def _milestones(parts: Parts, lines: Sequence[Line]) -> tuple[Milestone, ...]:
    """What a model finds beside what the rules found as the messages came."""
    if parts.model is None or parts.model.name("summarise") is None or not lines:
        return ()
    try:
        return await with_model.milestones(parts.model, lines)
    except RecollectError:
        return ()


def _data(told: Summary, first: int, last: int, *, tries: int | None) -> dict[str, Any]:
    data: dict[str, Any] = {
        "first_turn": first,
        "last_turn": last,
        "topics": list(told.topics),
        "tokens": tokens.estimate(told.text),
    }
    if tries is not None:
        data["dirty"] = tries
    return data


def _new_memory(conversation: Conversation, told: Told, passages: tuple[Passage, ...]) -> NewMemory:
    kind, (first, last) = KINDS["episode"], told.stretch
    return NewMemory(
        id=new_id(),
        kind="episode",
        type=CHUNK,
        category=kind.category,
        title=f"turns {first}-{last}",
        content=told.text.text,
        tier=kind.tier,
        importance=kind.importance,
        confidence=kind.confidence,
        happened_at=told.at,
        tags=tuple(told.text.topics),
        data=_data(told.text, first, last, tries=0 if told.by_rules else None),
        provenance=Provenance(conversation_id=conversation.id, thread_id=conversation.thread_id),
        passages=passages,
    )


async def _remember(parts: Parts, connection: Connection, chunks: Sequence[NewMemory], space: str) -> None:
    now = parts.clock()
    await remember.keep(parts, connection, space, chunks, _WRITER)
    events = [Event("episodic", "create", "ok", chunk.id, chunk.category) for chunk in chunks]
    await store.record_events(connection, space, events, now)


async def _follow_up(
    connection: Connection, space: str, by_rules: bool, tries: int, rest: timedelta | None = None
) -> None:
    """What rules told in the model's place is given to the model again, later. The last of a transaction."""
    if by_rules:
        after = _RETRY_SECONDS * 2**tries if rest is None else rest.total_seconds()
        await enqueue_on(connection, TASK, space, after=after)
    await statistics.refresh_when_due(connection, space)


# Chunks that have to be told anew ---------------------------------------------------------------------


async def _tell_anew(parts: Parts, conversation: Conversation, counts: dict[str, int]) -> None:
    """Chunks of which a message was retracted since, or which rules told because the model could not."""
    async with parts.database.transaction(conversation.space) as connection:
        rows = await store.episodes(connection, conversation.space, conversation.id, chunks=True)
    for row in rows:
        if "dirty" in row.data:
            await _rewrite(parts, conversation, store.memory_of(row, parts.clock(), parts.rules), counts)


async def _rewrite(parts: Parts, conversation: Conversation, chunk: Memory, counts: dict[str, int]) -> None:
    first, last, tries = chunk.data["first_turn"], chunk.data["last_turn"], chunk.data["dirty"] + 1
    told, by_rules = await _summary(parts, _lines(await _stretch(parts, conversation, first, last)))
    # Over its cap the model was not asked: that costs no try.
    rest = await parts.governor.stopped_for(chunk.space) if by_rules else None
    tries -= rest is not None
    again = by_rules and tries < parts.settings.job_attempts
    counts["failed"] += by_rules
    data = _data(told, first, last, tries=tries if again else None)
    [passages] = await passages_of(parts, chunk.space, [plain(told.text)])
    async with parts.database.transaction(chunk.space) as connection:
        await hold(connection, conversation.space, conversation.id)
        await _change(parts, connection, chunk, told, data, passages)
        await _follow_up(connection, chunk.space, again, tries, rest)
    counts["changed"] += 1


async def _change(
    parts: Parts,
    connection: Connection,
    chunk: Memory,
    told: Summary,
    data: dict[str, Any],
    passages: tuple[Passage, ...],
) -> None:
    """The chunk with another text; the one before stays as a former version."""
    held = await service.hold(connection, chunk.space, chunk.id, parts.clock(), parts.rules, None)
    title = f"turns {data['first_turn']}-{data['last_turn']}"
    changes = Changes({"content": told.text, "title": title, "tags": told.topics})
    if not changes.differing(held):
        await service.annotate(connection, held, data, parts.clock(), _WRITER, confidence=held.confidence)
        return
    await service.change(
        connection,
        held,
        changes,
        passages if told.text != held.content else None,
        parts.clock(),
        _WRITER,
        await store.mean_length(connection, chunk.space),
        event=None,
        data=data,
    )


# The oldest chunks become one ---------------------------------------------------------------------------


async def _merge_oldest(parts: Parts, conversation: Conversation, counts: dict[str, int]) -> None:
    async with parts.database.transaction(conversation.space) as connection:
        rows = await store.episodes(connection, conversation.space, conversation.id, chunks=True)
    live = [store.memory_of(row, parts.clock(), parts.rules) for row in rows if "merged_into" not in row.data]
    beyond = len(live) - parts.settings.chunks_most
    if beyond > 0:
        await _merge(parts, conversation, live[: beyond + 1])
        counts["merged"] += beyond


async def _merge(parts: Parts, conversation: Conversation, chunks: Sequence[Memory]) -> None:
    """The oldest of some chunks tells all of them from now on."""
    space, oldest, newer = conversation.space, chunks[0], chunks[1:]
    told = await _merged(parts, [_summary_of(chunk) for chunk in chunks])
    data = _data(told, oldest.data["first_turn"], newer[-1].data["last_turn"], tries=None)
    [passages] = await passages_of(parts, space, [plain(told.text)])
    async with parts.database.transaction(space) as connection:
        await hold(connection, conversation.space, conversation.id)
        await _change(parts, connection, oldest, told, data, passages)
        await _fold_away(parts, connection, newer, oldest)
        await _follow_up(connection, space, False, 0)


def _summary_of(chunk: Memory) -> Summary:
    return Summary(chunk.content, tuple(chunk.data.get("topics", ())))


async def _fold_away(parts: Parts, connection: Connection, chunks: Sequence[Memory], into: Memory) -> None:
    """The newer ones of merged chunks are archived: their words are in the oldest."""
    for chunk in chunks:
        data = chunk.data | {"merged_into": str(into.id)}
        await service.annotate(connection, chunk, data, parts.clock(), _WRITER, confidence=chunk.confidence)
    await service.archive(connection, into.space, [chunk.id for chunk in chunks], parts.clock(), _WRITER)
