"""Reading what a context could hold: two round trips, then the searches, side by side."""

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from recollect.active.store import QUERIES as ACTIVES
from recollect.context.header import header
from recollect.context.model import ChunkText, Materials, RecalledText, WindowMessage
from recollect.conversation.model import Conversation
from recollect.conversation.store import QUERIES as CONVERSATIONS
from recollect.conversation.store import conversation_of
from recollect.core.describe import describe
from recollect.core.errors import NotFound, Unavailable
from recollect.core.scope import Scope
from recollect.core.settings import Settings
from recollect.db.compose import Jsonb
from recollect.db.database import Batch, Database
from recollect.db.sql import load
from recollect.governance.policy import Policy
from recollect.profile import store as profiles
from recollect.profile.model import ProfileFact
from recollect.records.filters import allowed_sensitivities
from recollect.records.kinds import CHUNK, KINDS
from recollect.records.lifecycle import Rules
from recollect.records.model import Memory
from recollect.records.store import memory_of
from recollect.retrieval import request as requesting
from recollect.retrieval.related import Related, related
from recollect.retrieval.search import Asked as Prepared
from recollect.retrieval.search import Hit, Searcher, Timing, origin
from recollect.understanding.secrets import mask

QUERIES = load("recollect.context")

# What a context looks for beside episodes. The profile is there already, procedures come only when asked for.
_KINDS = (
    "turn",
    "statement",
    "insight",
    "source",
    "chunk",
    "person",
    "concept",
    "entity",
    "storyline",
    "macro",
)
_PAGE = 400
"""Messages of the window that are read at a time; only where a worker is very late there are more."""
_LEAST_TOKENS = 4
"""What the shortest message costs at least."""
_MOST_CHARACTERS = 16
"""Hardly any text has more of them to a token: so far back a budget can reach."""
_MOST_CHANGES = 200
_MOST_WHOLE = 200
_PROFILE = KINDS["profile"].category
_NAMES = ("name", "preferred_name", "full_name")
_BEFORE_HITS = 100.0
"""More than any hit scores."""
_SCENE_MESSAGES = 2
_SCENE_CHARACTERS = 2_000
_MOST_ASKED = 10_000
"""Characters of a question that are looked for: what follows in a paste is no question any more."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a context is asked for, checked."""

    question: str
    scope: Scope
    system: str | None
    extra: tuple[str, ...]
    now: datetime
    tokens: int = 128_000
    policy: Policy = field(default_factory=Policy)

    @property
    def sight(self) -> str:
        """What the reader may see, in few words: a profile that was shown to another sight is not shown again."""
        seen = self.scope.categories
        named = "" if seen is None else "only " + ", ".join(sorted(seen))
        return " ".join(filter(None, ("high" if self.scope.sensitivity == "high" else "", named)))

    @property
    def agent(self) -> str:
        """The reader: an agent, or whoever reads without one."""
        return self.scope.agent_id or ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read of a conversation for one reader."""

    conversation: Conversation
    messages: tuple[WindowMessage, ...]
    unread: int
    """How many older messages of the window there are that the budget cannot hold."""
    asker: str | None
    """Who asks, where several people talk."""
    summaries: tuple[ChunkText, ...]
    facts: tuple[ProfileFact, ...]
    shown: tuple[tuple[str, str, str], ...]
    """The profile as the stable part shows it: type, key, value."""
    header: tuple[str, ...]
    offered: dict[str, int]
    told: dict[str, int]
    actives: tuple[str, ...]
    """What the reader works on, section by section."""
    whole: tuple[Memory, ...]
    """What is shown of some categories whatever the question."""
    fresh: bool
    """Whether the reader's row has to be written: somebody new, a moved window, or news."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """All that a context could hold, and the hits behind it."""

    materials: Materials
    reading: Reading
    hits: tuple[Hit, ...]
    away: bool
    """Whether a part of the search did not answer."""


async def gather(
    database: Database, searcher: Searcher, settings: Settings, conversation: Conversation, asked: Asked, timing: Timing
) -> Gathered:
    """Read the conversation, then look for what it calls to mind."""
    reading = await _read(database, settings, searcher.rules, conversation, asked)
    recalled = await _recall(searcher, settings, reading, asked, timing)
    materials = Materials(
        question=asked.question,
        system=asked.system,
        profile=[(key, value) for _, key, value in reading.shown],
        summaries=reading.summaries,
        messages=reading.messages,
        unread=reading.unread,
        asker=reading.asker,
        header=reading.header,
        changed=_changed(reading.shown, snapshot(reading.facts)),
        actives=reading.actives,
        extra=asked.extra,
        episodes=[_recalled(hit.memory, hit.score, reading, asked.scope) for hit in recalled.episodes],
        memories=[
            *(_recalled(memory, _BEFORE_HITS + memory.importance, reading, asked.scope) for memory in reading.whole),
            *(_recalled(hit.memory, hit.score, reading, asked.scope) for hit in recalled.memories),
        ],
        related=[_recalled(tie.memory, 0.0, reading, asked.scope) for tie in recalled.ties],
        most_episodes=settings.context_episodes,
        most_memories=settings.context_memories + len(reading.whole),
        warnings=recalled.away,
    )
    return Gathered(materials, reading, (*recalled.episodes, *recalled.memories), bool(recalled.away))


# The conversation -------------------------------------------------------------------------------------


async def _read(
    database: Database, settings: Settings, rules: Rules, conversation: Conversation, asked: Asked
) -> Reading:
    spaces = list(dict.fromkeys([conversation.space, asked.scope.own_space]))
    place = {"space": conversation.space, "conversation_id": conversation.id}
    first = Batch(*spaces)
    first.add(CONVERSATIONS["get"], space=conversation.space, id=conversation.id)
    first.add(CONVERSATIONS["reader"], **place, owner=asked.scope.owner, agent=asked.agent)
    for space in spaces:
        first.add(CONVERSATIONS["revision"], space=space)
    [found], [*reader], *revisions = await _rows(database, first, conversation)
    present = _with_window(conversation_of(found), settings)
    known = {space: rows[0].revision if rows else 0 for space, rows in zip(spaces, revisions, strict=True)}
    told = _told(present, reader, known)
    second = Batch(*dict.fromkeys([*spaces, asked.scope.space]))
    second.add(ACTIVES["open_sections"], space=asked.scope.space, agent=asked.agent)
    second.add(CONVERSATIONS["window"], **_newest(place, present))
    seen = allowed_sensitivities(asked.scope.sensitivity)
    second.add(QUERIES["chunks"], **place, sensitivity=seen)
    importance = 0.0 if _PROFILE in asked.policy.whole else settings.context_importance
    profiles.ask_active(second, asked.scope.own_space, asked.now, asked.scope.sensitivity, importance)
    for space in spaces:
        most = _MOST_CHANGES if known[space] > told[space] else 0
        second.add(QUERIES["changes_since"], space=space, since=told[space], sensitivity=seen, limit=most)
    working, newest, chunks, facts, *changes = await database.send(second)
    window, unread = await _whole_window(database, present, newest, asked.tokens)
    held = tuple(profiles.facts_of(facts))[: asked.policy.most(_PROFILE)]
    shown, moved = _shown(present, reader, held, asked.sight)
    names = _speakers(present, window, shown, asked.scope)
    lines = header(told[conversation.space], (row for rows in changes for row in rows), settings.context_changes)
    news = not reader or {**reader[0].told, **reader[0].offered} != known
    return Reading(
        present,
        tuple(_window_message(row, names) for row in window),
        unread,
        names.get(asked.scope.user_id or ""),
        tuple(ChunkText(row.first_turn, row.last_turn, row.content) for row in chunks),
        held,
        shown,
        tuple(lines),
        known,
        told,
        tuple(_section_text(row) for row in working),
        await _whole(database, rules, asked),
        moved or news,
    )


async def _whole(database: Database, rules: Rules, asked: Asked) -> tuple[Memory, ...]:
    """All of the categories that a context shows whole, as far as it reaches; the profile has a place of its own."""
    named = [name for name in asked.policy.whole if asked.scope.sees(name)]
    if not named:
        return ()
    spaces = asked.scope.readable
    batch = Batch(*spaces)
    for space in spaces:
        batch.add(
            QUERIES["whole"],
            space=space,
            categories=named,
            kinds=[*_KINDS, "episode", "procedure"],
            sensitivity=allowed_sensitivities(asked.scope.sensitivity),
            now=asked.now,
            limit=_MOST_WHOLE,
        )
    rows = [row for rows in await database.send(batch) for row in rows]
    return tuple(memory_of(row, asked.now, rules) for row in rows)


def _newest(place: dict[str, Any], conversation: Conversation) -> dict[str, Any]:
    """What the newest page of the window is asked for by."""
    return place | {"after": conversation.compressed_turn, "limit": _PAGE, "place": None, "turn": None}


async def _whole_window(
    database: Database, conversation: Conversation, newest: Sequence[Any], tokens: int
) -> tuple[list[Any], int]:
    """The window as far back as a budget can reach, page by page, and how many messages it has beyond that."""
    window, page = list(newest), newest
    asked = _newest({"space": conversation.space, "conversation_id": conversation.id}, conversation)
    while len(page) == _PAGE:
        asked |= {"place": window[0].place, "turn": window[0].turn}
        batch = Batch(conversation.space)
        enough = _at_least(window) > tokens
        batch.add(CONVERSATIONS["window_before" if enough else "window"], **asked)
        [page] = await database.send(batch)
        if enough:
            return window, int(page[0].messages)
        window = [*page, *window]
    return window, 0


def _at_least(rows: Sequence[Any]) -> int:
    """The tokens that messages cost at the very least."""
    return sum(_LEAST_TOKENS + len(row.body) // _MOST_CHARACTERS for row in rows)


def _with_window(conversation: Conversation, settings: Settings) -> Conversation:
    """A temporary conversation has no chunks; its window moves all the same."""
    beyond = conversation.last_turn - settings.window_most
    if conversation.remember or beyond <= 0:
        return conversation
    return replace(conversation, compressed_turn=-(-beyond // settings.window_step) * settings.window_step)


async def _rows(database: Database, batch: Batch, conversation: Conversation) -> list[list[Any]]:
    rows = await database.send(batch)
    if not rows[0]:
        raise NotFound(f"conversation {conversation.thread_id!r} is gone")
    return rows


def _told(conversation: Conversation, reader: Sequence[Any], known: dict[str, int]) -> dict[str, int]:
    """Up to which revision the reader was told; somebody new knows what the space knew when the talk began."""
    told: dict[str, int] = dict(reader[0].told) if reader else {}
    first = known | {conversation.space: conversation.begun_revision}
    return {space: min(told.get(space, first[space]), revision) for space, revision in known.items()}


def snapshot(facts: Sequence[ProfileFact]) -> tuple[tuple[str, str, str], ...]:
    """A profile as it is shown, and kept until the window moves."""
    return tuple((fact.type, fact.key, fact.value) for fact in facts)


def _shown(
    conversation: Conversation, reader: Sequence[Any], facts: Sequence[ProfileFact], sight: str
) -> tuple[tuple[tuple[str, str, str], ...], bool]:
    """The profile of the stable part: the one shown before, unless the window's start or what is seen has moved."""
    if reader and reader[0].anchor == conversation.compressed_turn and reader[0].sight == sight:
        return tuple((type, key, value) for type, key, value in reader[0].profile), False
    return snapshot(facts), True


def _changed(shown: Sequence[tuple[str, str, str]], now: Sequence[tuple[str, str, str]]) -> list[str]:
    """Facts that are not as the stable part shows them."""
    before = {(type, key): value for type, key, value in shown}
    after = {(type, key): value for type, key, value in now}
    news = [f"{key}: {value}" for (type, key), value in after.items() if before.get((type, key)) != value]
    gone = [f"{key}: no longer {value}" for (type, key), value in before.items() if (type, key) not in after]
    return news + gone


def _section_text(row: Any) -> str:
    """A section of what the reader works on, its secrets masked."""
    return f"{row.title} · {row.section}\n{mask(row.content)}"


def _speakers(
    conversation: Conversation, window: Sequence[Any], shown: Sequence[tuple[str, str, str]], scope: Scope
) -> dict[str, str]:
    """What the people of a shared talk are called, by their ids; none where only one of them talks.

    The reader goes by the name of the profile that is shown; of the others the scope sees no profile.
    """
    people = {row.actor_id for row in window if row.role == "user" and row.actor_id}
    people |= {scope.user_id} if scope.user_id else set()
    if conversation.owner or len(people) < 2:
        return {}
    own = {key: value for type, key, value in shown if type == "identity"}
    name = next((own[key] for key in _NAMES if key in own), scope.user_id)
    return {person: person for person in people} | ({scope.user_id: name} if scope.user_id and name else {})


def _window_message(row: Any, names: Mapping[str, str]) -> WindowMessage:
    unnamed = names.get(row.actor_id or "") if row.role == "user" else None
    return WindowMessage(row.turn, row.role, row.name or unnamed, row.content, row.body)


async def offer(database: Database, reading: Reading, asked: Asked) -> None:
    """Keep what this context tells its reader; the reader's own cursor stays until it adds something."""
    if not reading.fresh:
        return
    conversation = reading.conversation
    batch = Batch(conversation.space)
    batch.add(
        CONVERSATIONS["offer"],
        space=conversation.space,
        conversation_id=conversation.id,
        owner=asked.scope.owner,
        agent=asked.agent,
        told=Jsonb(reading.told),
        offered=Jsonb(reading.offered),
        anchor=conversation.compressed_turn,
        profile=Jsonb([list(fact) for fact in reading.shown]),
        sight=asked.sight,
    )
    await database.send(batch)


# What it calls to mind ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Recalled:
    """What a question calls to mind."""

    episodes: list[Hit]
    memories: list[Hit]
    ties: list[Related]
    """What these are tied to, and the question does not name."""
    away: list[str]
    """What was away meanwhile: the talk and the profile are there without it."""


async def _recall(searcher: Searcher, settings: Settings, reading: Reading, asked: Asked, timing: Timing) -> _Recalled:
    """Episodes and other memories that have to do with the question, none of the chunks that are shown anyway."""
    zone = await searcher.zone(asked.scope.readable)
    wanted = {
        "episode": settings.context_episodes + len(reading.summaries),
        "memory": settings.context_memories + len(reading.messages),
    }
    shared: dict[str, Any] = {"threshold": settings.context_threshold, "context": _scene(reading.messages)}

    def request(kinds: Sequence[str], limit: int) -> requesting.Request:
        given = shared | {"kinds": list(kinds)}
        question = asked.question[:_MOST_ASKED]
        return requesting.parse(asked.scope, question, min(limit, 200), given, settings, asked.now, zone)

    of_episodes, of_memories = request(["episode"], wanted["episode"]), request(_KINDS, wanted["memory"])
    question, away = await _question(searcher, of_memories, timing)
    (episodes, memories), missing = await _searches(searcher, of_episodes, of_memories, question)
    own = reading.conversation
    told = [hit for hit in episodes if not _is_own_chunk(hit.memory, own)]
    new = [hit for hit in _one_a_message(memories) if not hit.memory.is_bare]
    known = {memory.id for memory in reading.whole}
    others = [hit for hit in _within_most([*told, *new], asked.policy) if hit.memory.id not in known]
    kept = {hit.memory.id for hit in others}
    told, new = [hit for hit in told if hit.memory.id in kept], [hit for hit in new if hit.memory.id in kept]
    shown = [*_said_anew(told, own)[: settings.context_episodes], *_said_anew(new, own)[: settings.context_memories]]
    of_any = request(["episode", *_KINDS], 1)
    ties = await related(searcher, of_any, shown, settings.related_bullets, known | kept)
    return _Recalled(told, new, _ties_within_most(ties, others, asked.policy), [*away, *missing])


def _said_anew(hits: Sequence[Hit], conversation: Conversation) -> list[Hit]:
    """Those that no message of the window says."""
    return [hit for hit in hits if _turn_in_window(hit.memory, conversation) is None]


def _ties_within_most(ties: Sequence[Related], hits: Sequence[Hit], policy: Policy) -> list[Related]:
    """Without those of a category of which the hits have as many as a context takes."""
    counted = Counter(hit.memory.category for hit in hits)
    limits = {tie.memory.category: policy.most(tie.memory.category) for tie in ties}
    return [tie for tie in ties if (most := limits[tie.memory.category]) is None or counted[tie.memory.category] < most]


def _within_most(hits: Sequence[Hit], policy: Policy) -> list[Hit]:
    """The best hits, no more of a category than a context takes of it."""
    counted: Counter[str] = Counter()
    kept: list[Hit] = []
    for hit in sorted(hits, key=lambda hit: -hit.score):
        category = hit.memory.category
        counted[category] += 1
        most = policy.most(category)
        if most is None or counted[category] <= most:
            kept.append(hit)
    return kept


async def _question(searcher: Searcher, request: requesting.Request, timing: Timing) -> tuple[Prepared, list[str]]:
    """The question made ready; by its words alone where the embedder fails."""
    try:
        return await searcher.ask(request, timing), []
    except Exception as error:  # an embedder of the caller's own may raise whatever it likes
        asked = await searcher.ask_by_words(request)
        return asked, [f"recalled by words alone: {_problem('embedder', error)}"]


async def _searches(
    searcher: Searcher, of_episodes: requesting.Request, of_memories: requesting.Request, question: Prepared
) -> tuple[tuple[list[Hit], list[Hit]], list[str]]:
    """Episodes as they are found, and memories reranked; where that fails, in the order that they have without it."""
    plain, reranking = searcher.plain(), searcher.for_context()
    episodes = plain.search(of_episodes, asked=question)
    try:
        return await asyncio.gather(episodes, reranking.search(of_memories, asked=question)), []
    except Exception as error:
        if reranking.reranker is None:
            raise
        found = await asyncio.gather(*(plain.search(each, asked=question) for each in (of_episodes, of_memories)))
        return (found[0], found[1]), [f"recalled without reranking: {_problem('reranker', error)}"]


def _problem(part: str, error: Exception) -> str:
    """Which part is away, and why."""
    return str(error) if isinstance(error, Unavailable) else f"{part}: {describe(error)}"


def _scene(messages: Sequence[WindowMessage]) -> str | None:
    """The last words of the user: "and the other one?" says little alone."""
    said = [message.text for message in messages if message.role == "user" and message.text.strip()]
    return "\n".join(said[-_SCENE_MESSAGES:])[-_SCENE_CHARACTERS:] or None


def is_shown(memory: Memory, conversation: Conversation, shown: Collection[int] | None = None) -> bool:
    """Whether a context of the conversation shows it anyway: as a chunk, or by a message that is in the window.

    With `shown`, the turns that a context had room for, only those count.
    """
    turn = _turn_in_window(memory, conversation)
    return _is_own_chunk(memory, conversation) or (turn is not None and (shown is None or turn in shown))


def _is_own_chunk(memory: Memory, conversation: Conversation) -> bool:
    return memory.type == CHUNK and memory.provenance.conversation_id == conversation.id


def _turn_in_window(memory: Memory, conversation: Conversation) -> int | None:
    """The message of the window that it comes of, if it does."""
    source = memory.provenance
    last = memory.data.get("last_turn") if memory.kind in ("episode", "source") else source.turn
    in_window = source.conversation_id == conversation.id and last is not None and last > conversation.compressed_turn
    return last if in_window else None


def _recalled(memory: Memory, score: float, reading: Reading, scope: Scope) -> RecalledText:
    """A memory as it is said, and the message of the window that says it already."""
    return RecalledText(str(memory.id), said(memory, scope), score, _turn_in_window(memory, reading.conversation))


def _one_a_message(hits: Sequence[Hit]) -> list[Hit]:
    """Of hits that come of one message the best; the others say the same."""
    first: dict[Any, Hit] = {}
    for hit in hits:
        key = origin(hit.memory)
        if key in first:
            first[key] = replace(first[key], also=(*first[key].also, hit.memory))
        else:
            first[key] = hit
    return list(first.values())


def said(memory: Memory, scope: Scope) -> str:
    """A memory as it is said to a reader: when, and by whom, where that matters."""
    if memory.kind == "episode":
        text = memory.content if memory.type == CHUNK or not memory.title else f"{memory.title}: {memory.content}"
        return f"{memory.happened_at:%Y-%m-%d}: {text}"
    if memory.kind != "turn":
        return memory.gist
    source = memory.provenance
    # In a project somebody else's "I" is not the reader's.
    another = source.actor_id if source.role == "user" and source.actor_id != scope.user_id else None
    speaker = source.speaker or another or source.role or "user"
    return f"{memory.happened_at:%Y-%m-%d}, {speaker}: {mask(memory.content)}"
