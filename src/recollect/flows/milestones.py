"""What happened in a conversation and is worth telling: milestones, written as episodes, merged and capped."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from recollect.conversation.model import Conversation
from recollect.core.ids import new_id
from recollect.core.scope import Scope
from recollect.db.database import Connection
from recollect.flows import remember
from recollect.flows.indexing import passages_of, plain
from recollect.flows.parts import Parts
from recollect.records import service, store
from recollect.records.changes import Changes
from recollect.records.kinds import KINDS
from recollect.records.model import Actor, Memory, NewMemory, Passage, Provenance
from recollect.understanding.milestones import Arc, arc, is_one, merged_into, milestones
from recollect.understanding.model import Line, Milestone

_WRITER = Actor("recollect", reason="milestone", by_hand=False)


@dataclass(frozen=True, slots=True)
class Ready:
    """A milestone with all that writing it needs."""

    milestone: Milestone
    passages: tuple[Passage, ...]
    messages: tuple[str, ...]
    linked: tuple[str, ...]
    at: Any


@dataclass(frozen=True, slots=True)
class Episode:
    """A milestone as it was remembered."""

    memory: Memory
    milestone: Milestone

    @property
    def first_turn(self) -> int:
        """Where it begins."""
        return self.milestone.first_turn

    @property
    def significance(self) -> float:
        """How much it matters, from 0 to 1."""
        return self.milestone.significance


def found(lines: Sequence[Line], after: int) -> tuple[Milestone, ...]:
    """Milestones that end after a turn; the lines before it only set the scene."""
    return tuple(milestone for milestone in milestones(lines) if milestone.last_turn > after)


async def prepared(
    parts: Parts,
    conversation: Conversation,
    milestones: Sequence[Milestone],
    rows: Sequence[Any],
    learned: Sequence[tuple[int, UUID]],
) -> list[Ready]:
    """Milestones with their search entries, the messages that they are told by, and what was learned there."""
    if not milestones:
        return []
    texts = [plain(f"{milestone.title}. {milestone.summary}") for milestone in milestones]
    passages = await passages_of(parts, conversation.space, texts)
    ready = []
    for milestone, entries in zip(milestones, passages, strict=True):
        turns = range(milestone.first_turn, milestone.last_turn + 1)
        spoken = [row for row in rows if row.turn in turns]
        ready.append(
            Ready(
                milestone,
                entries,
                tuple(str(row.id) for row in spoken),
                tuple(str(id) for turn, id in learned if turn in turns),
                max((row.at for row in spoken), default=parts.clock()),
            )
        )
    return ready


async def write(parts: Parts, connection: Connection, conversation: Conversation, ready: Sequence[Ready]) -> int:
    """Add milestones, or let them grow into one that is there; of too many the least are archived."""
    if not ready:
        return 0
    known = await of_conversation(parts, connection, conversation)
    told = [episode.milestone for episode in known]
    fresh = []
    for each in ready:
        same = next((episode for episode in known if is_one(episode.milestone, each.milestone, told)), None)
        if same is None:
            fresh.append(_new_memory(conversation, each))
        else:
            await _grow(parts, connection, same, each)
    if fresh:
        now, space = parts.clock(), conversation.space
        await remember.keep(parts, connection, space, fresh, _WRITER)
        if parts.settings.link_neighbours:
            await remember.link(parts, connection, space, [memory.id for memory in fresh], now)
        await _cap(parts, connection, conversation)
    return len(fresh)


async def _grow(parts: Parts, connection: Connection, known: Episode, new: Ready) -> None:
    """The same milestone, told on: it covers more turns and matters at least as much."""
    merged = merged_into(known.milestone, new.milestone)
    memory = known.memory
    data = _data(merged, _joined(memory.data["messages"], new.messages), _joined(memory.data["linked"], new.linked))
    changes = Changes({"title": merged.title, "importance": merged.significance})
    await service.change(
        connection,
        memory,
        changes,
        None,
        parts.clock(),
        _WRITER,
        await store.mean_length(connection, memory.space),
        event="merged",
        data=data,
    )


def _joined(one: Sequence[str], other: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([*one, *other]))


async def _cap(parts: Parts, connection: Connection, conversation: Conversation) -> None:
    """Past the most, the least significant leave the default search."""
    alive = [
        episode
        for episode in await of_conversation(parts, connection, conversation)
        if episode.memory.state != "archived"
    ]
    if (surplus := len(alive) - parts.settings.milestones_most) > 0:
        least = sorted(alive, key=lambda episode: (episode.significance, episode.memory.id))[:surplus]
        ids = [episode.memory.id for episode in least]
        actor = replace(_WRITER, reason="more milestones than a conversation keeps")
        await service.archive(connection, conversation.space, ids, parts.clock(), actor)


async def of_conversation(parts: Parts, connection: Connection, conversation: Conversation) -> list[Episode]:
    """The milestones of a conversation, in any state but deleted."""
    rows = await store.episodes(connection, conversation.space, conversation.id, chunks=False)
    now = parts.clock()
    return [
        Episode(store.memory_of(row, now, parts.rules), _milestone_of(row))
        for row in rows
        if "significance" in row.data
    ]


async def narrative_arc(parts: Parts, scope: Scope, conversation: Conversation) -> Arc[Episode]:
    """The milestones of a conversation that the scope may see, in thirds, and its key moments."""
    async with parts.database.transaction(conversation.space) as connection:
        told = await of_conversation(parts, connection, conversation)
    episodes = [episode for episode in told if scope.may_see(episode.memory)]
    return arc(episodes, conversation.last_turn, parts.settings.key_moment)


def _milestone_of(row: Any) -> Milestone:
    data = row.data
    return Milestone(
        type=row.type,
        title=row.title or "",
        summary=row.content,
        context=data["context"],
        participants=tuple(data["participants"]),
        outcome=data["outcome"],
        valence=data["valence"],
        significance=data["significance"],
        first_turn=data["first_turn"],
        last_turn=data["last_turn"],
    )


def _data(milestone: Milestone, messages: Sequence[str], linked: Sequence[str]) -> dict[str, Any]:
    return {
        "context": milestone.context,
        "participants": list(milestone.participants),
        "outcome": milestone.outcome,
        "valence": milestone.valence,
        "significance": milestone.significance,
        "first_turn": milestone.first_turn,
        "last_turn": milestone.last_turn,
        "messages": list(messages),
        "linked": list(linked),
    }


def _new_memory(conversation: Conversation, ready: Ready) -> NewMemory:
    milestone, kind = ready.milestone, KINDS["episode"]
    return NewMemory(
        id=new_id(),
        kind="episode",
        type=milestone.type,
        category=kind.category,
        title=milestone.title,
        content=milestone.summary,
        tier=kind.tier,
        importance=milestone.significance,
        confidence=kind.confidence,
        happened_at=ready.at,
        data=_data(milestone, ready.messages, ready.linked),
        provenance=Provenance(conversation_id=conversation.id, thread_id=conversation.thread_id),
        passages=ready.passages,
    )
