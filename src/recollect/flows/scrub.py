"""One space without something: every row that carried it goes or is rewritten, in the caller's transaction.

What carries it is found by its words (a finder) and by where it came from. Raw passages give way to a marker, derived
texts lose their sentences; what is told of many things (summaries, descriptions, stories) loses them too and is marked
to be told anew. Rewritten memories leave the search index, and `Went.waiting` says what has to be indexed again.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import Any
from uuid import UUID

from recollect.conversation.model import searchable_text
from recollect.core.terms import stems, terms
from recollect.db.compose import SQL, Identifier, Json, Jsonb
from recollect.db.database import Connection, touch
from recollect.db.sql import load
from recollect.flows import learn, unlearn
from recollect.flows.barring import LEARNED_KINDS
from recollect.flows.parts import Parts
from recollect.flows.scrub_states import States
from recollect.flows.source_texts import cleaned
from recollect.graph import dirty
from recollect.graph.names import NODE_KINDS
from recollect.records import items, outbox, relations, service, store
from recollect.records.kinds import CHUNK, is_knowledge
from recollect.records.lifecycle import Rules
from recollect.records.model import Actor
from recollect.sources import store as sources
from recollect.understanding import carrying
from recollect.understanding.carrying import FORGOTTEN, Both, Finder
from recollect.understanding.named import words_of
from recollect.understanding.secrets import mask

QUERIES = load("recollect.flows", "scrub.sql")

NOTHING_LEFT = "Nothing is told of it."
"""What a summary says until it is told anew."""
_STORIES = frozenset({"storyline", "macro"})
_TOLD_ANEW = frozenset({*NODE_KINDS, *_STORIES})


@dataclass(frozen=True, slots=True)
class Column:
    """A column that may hold what people say, and what becomes of it."""

    name: str
    form: str
    """`text`, `label`: its sentences go; `name`: a marker stands for it; `yaml`: its names go; `json`, `names`: what is
    in it goes; `shown`: it is emptied."""


def _columns(**forms: str) -> tuple[Column, ...]:
    return tuple(Column(name, form) for name, form in forms.items())


# Tables whose rows stay, with less in them: what they are known by, and what is rewritten.
REWRITTEN: dict[str, tuple[tuple[str, ...], tuple[Column, ...]]] = {
    "conversation": (("id",), _columns(title="label", outcome="text")),
    "reader": (("conversation_id", "owner", "agent"), _columns(profile="shown", told="json", offered="json")),
    "active": (("id",), _columns(title="name", description="text", template="yaml", metadata="json")),
    "section": (("active_id", "name"), _columns(title="name", content="text")),
    "section_text": (("active_id", "name", "number"), _columns(content="text")),
    "review": (("id",), _columns(content="text", reason="text", pieces="json")),
    "relation": (("id",), _columns(description="label", attitude="label", proximity="label", data="json")),
    "history": (("memory_id", "id"), _columns(reason="label", detail="json")),
    "event": (("id",), _columns(detail="json")),
    "node_merge": (("id",), _columns(moved="json")),
    "space": ((), _columns(guidance="json")),
    "space_statistics": ((), _columns(speakers="names")),
}
# Tables that are looked through in a way of their own, below; and those that hold numbers, ids and hashes alone.
OWN_WAY = frozenset(
    {"message", "source", "memory", "memory_version", "note", "consent", "node_name", "entry"}
    | {"checkpoint", "checkpoint_state", "checkpoint_value", "checkpoint_write"}
    | {"replay", "replay_reading", "replay_change"}
)
WORDLESS = frozenset(
    {"change_log", "dirty", "evidence", "memory_use", "mentioned", "relation_entry", "reread", "term_statistics"}
    | {"tombstone", "tombstone_mark", "outbox", "projection", "pair_check", "upkeep", "spend", "spend_stop"}
)


@dataclass(slots=True)
class Reach:
    """What has to go in one space."""

    finder: Finder = field(default_factory=Both)
    """Finds it in derived texts."""
    raw: Callable[[datetime], Finder | None] = lambda _: None
    """Finds it in raw text of a moment."""
    memories: set[UUID] = field(default_factory=set)
    """Memories that go whole."""
    messages: set[UUID] = field(default_factory=set)
    conversations: set[UUID] = field(default_factory=set)
    sources: set[UUID] = field(default_factory=set)
    relations: set[UUID] = field(default_factory=set)
    notes: set[UUID] = field(default_factory=set)
    near: Finder | None = None
    """Finds it in what it was learned from, where it may be said among other things."""
    near_messages: set[UUID] = field(default_factory=set)
    near_sources: set[UUID] = field(default_factory=set)
    keep_raw: bool = False


@dataclass(slots=True)
class Went:
    """What went in one space, or was rewritten."""

    removed: dict[UUID, str] = field(default_factory=dict)
    """Memories, with their kinds."""
    rewritten: dict[UUID, str] = field(default_factory=dict)
    messages: set[UUID] = field(default_factory=set)
    sources: set[UUID] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    """Raw passages that gave way."""
    known: list[str] = field(default_factory=list)
    """Derived texts that went."""
    rows: set[UUID] = field(default_factory=set)
    """Rows that went whole."""
    again: set[UUID] = field(default_factory=set)
    """Memories that have to be indexed again."""
    shown: list[tuple[UUID, str, str]] = field(default_factory=list)
    """What went, for who wants to see before: id, kind and text."""
    hidden: int = 0
    """How much of that may not be seen."""
    keys: Counter[str] = field(default_factory=Counter)
    """Keys that callers chose and that name it, by what they are keys of: they stay."""
    _notes: dict[UUID, set[UUID]] = field(default_factory=dict)
    """What notes that went were about, and came of."""

    def count(self, what: str, number: int = 1) -> None:
        """More of something."""
        if number:
            self.counts[what] = self.counts.get(what, 0) + number

    def hide(self, unseen: set[UUID]) -> None:
        """What may not be seen, and notes on it, is counted and not shown."""
        seen = [line for line in self.shown if not {line[0], *self._notes.get(line[0], ())} & unseen]
        self.hidden += len(self.shown) - len(seen)
        self.shown = seen

    def note(self, id: UUID, around: Iterable[UUID | None], text: str) -> None:
        """A note that went, with what it was about and came of."""
        self._notes[id] = {each for each in around if each is not None}
        self.known.append(text)
        self.shown.append((id, "note", text))

    @property
    def touched(self) -> set[UUID]:
        """All that is no longer as it was."""
        return {*self.removed, *self.rewritten, *self.again, *self.rows}

    @property
    def anything(self) -> bool:
        """Whether there was anything of it."""
        return bool(self.counts)

    def waiting(self) -> dict[str, list[str]]:
        """What still has to be followed, by id."""
        found = {"again": sorted(map(str, self.again - set(self.removed))), "origins": sorted(map(str, self.sources))}
        return {name: ids for name, ids in found.items() if ids}


@dataclass(slots=True)
class Scrub:
    """One transaction's work in one space."""

    parts: Parts
    connection: Connection
    space: str
    reach: Reach
    actor: Actor
    went: Went = field(default_factory=Went)
    _held: set[UUID] = field(default_factory=set)
    """Conversations."""
    _whole: set[UUID] = field(default_factory=set)
    """Messages of which nothing is left."""
    _left: dict[UUID, tuple[str, str]] = field(default_factory=dict)
    """Of messages that lost something: what they lost, and what is left."""
    _bodies: dict[UUID, str] = field(default_factory=dict)
    """What they say now; with `keep_raw` the log says more."""
    _prints: set[str] = field(default_factory=set)
    _emptied: set[UUID] = field(default_factory=set)
    """Sources of which the raw text alone stays."""
    _anew: set[UUID] = field(default_factory=set)
    """Nodes, relations and stories that are told anew."""
    _reread: set[UUID] = field(default_factory=set)
    """Sources that are read anew."""
    _talks: set[UUID] = field(default_factory=set)
    """Those of them that stand for stretches of talk."""

    async def run(self) -> Went:
        """All of it; the caller enqueues what follows, last."""
        await self._hold()
        states = States(self.connection, self.space, self.reach.finder, self.went.count)
        await states.note(self.reach.conversations)
        await self._conversations()
        await self._messages()
        await self._sources()
        await self._what_came_of_messages()
        await self._memories()
        await self._versions()
        await self._notes()
        await self._proposals()
        await self._others()
        await self._relations()
        await self._remove()
        await self._tell_anew()
        await states.scrub()
        await outbox.forget(self.connection, self.space, [*self.went.removed, *self.went.rewritten])
        await self._keys()
        return self.went

    # Reading

    async def _rows(self, name: str, /, **values: Any) -> list[Any]:
        cursor = await self.connection.execute(QUERIES[name], {"space": self.space, **values})
        return await cursor.fetchall()

    async def _ids(self, name: str, /, **values: Any) -> list[UUID]:
        return [row.id for row in await self._rows(name, **values)]

    async def _do(self, name: str, /, **values: Any) -> int:
        cursor = await self.connection.execute(QUERIES[name], {"space": self.space, **values})
        return int(cursor.rowcount)

    async def _having(
        self, table: str, columns: Iterable[str], finders: Sequence[Finder | None], also: Mapping[str, set[UUID]]
    ) -> list[Any]:
        """Rows of a table in which one of the finders may find something, or whose ids are named."""
        needles = [each.needles for each in finders if each is not None]
        chosen: Any = SQL("false")
        if needles:
            patterns = [f"%{_escaped(each)}%" for of_one in needles for each in of_one]
            chosen = SQL("true") if not all(needles) else _holding(columns, patterns)
        for name, ids in also.items():
            if ids:
                chosen = SQL("{} or {} = any ({}::uuid[])").format(chosen, Identifier(name), sorted(map(str, ids)))
        statement = SQL("select * from {} where space_id = {} and ({})").format(Identifier(table), self.space, chosen)
        cursor = await self.connection.execute(statement, {})
        return await cursor.fetchall()

    # Holding

    async def _hold(self) -> None:
        """Conversations, then the space, as whoever writes holds them; all of it is looked through after that."""
        reach, now = self.reach, self.parts.clock()
        named = reach.messages | reach.near_messages
        ids = set(reach.conversations) | set(await self._ids("conversations_of", ids=sorted(named)))
        finder = reach.raw(now)
        if finder is not None:
            ids |= {row.conversation_id for row in await self._having("message", _MESSAGE, [finder], {})}
        self._held = set(await self._ids("hold_conversations", ids=sorted(ids)))
        await store.raise_revision(self.connection, self.space, now, knowledge=False, changes=0)

    # Raw text

    async def _conversations(self) -> None:
        """Threads that go whole; `keep_raw` leaves their log."""
        ids = sorted(self.reach.conversations)
        if not ids:
            return
        for row in await self._rows("messages_of_conversations", ids=ids):
            self.reach.messages.add(row.id)
        self.reach.memories |= set(await self._ids("memories_of_conversations", ids=ids))
        self.went.count("conversations", len(self._held & set(ids)))
        self.went.rows |= set(ids)

    async def _messages(self) -> None:
        reach = self.reach
        now = self.parts.clock()
        finders = [reach.raw(now), None]
        rows = await self._having("message", _MESSAGE, finders, {"id": reach.messages | reach.near_messages})
        for row in rows:
            await self._message(row)
        if reach.conversations and not reach.keep_raw:
            for name in ("drop_messages", "drop_readers", "drop_rereads", "drop_conversations"):
                await self._do(name, ids=sorted(reach.conversations))

    async def _message(self, row: Any) -> None:
        reach = self.reach
        finder = reach.near if row.id in reach.near_messages else reach.raw(row.recorded_at)
        whole = row.id in reach.messages or (finder is not None and carrying.has(row.name, finder))
        if not whole:
            if finder is None:
                return
            content = _raw(row.content, finder)
            metadata = carrying.without_in(row.metadata, reach.finder if row.id in reach.near_messages else finder)
            if content == row.content and metadata == row.metadata:
                return
            body = searchable_text(content)
            lost = carrying.lost(row.body, finder)
            whole = bool(lost) and not carrying.told(body).strip()
        if whole:
            if row.content == FORGOTTEN and not row.body:
                return
            content, body, metadata, lost = FORGOTTEN, "", {}, [row.body]
            self._whole.add(row.id)
            self.went.rows.add(row.id)
        self._prints.add(_fingerprint(row))
        self._left[row.id] = (" ".join(lost), carrying.told(body))
        self._bodies[row.id] = body
        self.went.messages.add(row.id)
        self.went.count("messages")
        self.went.said += [text for text in lost if text.strip()]
        self.went.shown.append((row.id, "message", row.body))
        if not reach.keep_raw:
            name = None if whole and finder is not None and carrying.has(row.name, finder) else row.name
            values = {"content": Json(content), "body": body, "name": name, "metadata": Jsonb(metadata)}
            await self._do("reword_message", id=row.id, **values)

    async def _sources(self) -> None:
        """Documents: passages give way, and what is left is read anew."""
        reach, now = self.reach, self.parts.clock()
        also = reach.near_sources | reach.sources
        finder = reach.raw(now)
        if finder is not None:  # what a document says may be hidden in its raw text, as in an encoded mail
            read = await self._having("memory", ("content",), [finder], {})
            also |= {row.id for row in read if row.kind == "source" and carrying.has(row.content, finder)}
        rows = await self._having("source", _SOURCE, [finder], {"id": also})
        for row in rows:
            if row.id in reach.sources:
                (self._emptied if reach.keep_raw else reach.memories).add(row.id)
                self.went.sources.add(row.id)
                self.went.said += [row.raw] if row.raw else []
                continue
            finder = reach.near if row.id in reach.near_sources else reach.raw(row.received_at)
            if finder is None:
                continue
            raw = row.raw if row.raw is None else _document(row.source_type, row.raw, finder)
            people = [name for name in row.participants if not carrying.has(name, finder)]
            failed, context = (None if carrying.has(text, finder) else text for text in (row.failed, row.context_type))
            if (raw, people, failed, context) == (row.raw, list(row.participants), row.failed, row.context_type):
                continue
            self.went.count("sources")
            self.went.sources.add(row.id)
            self.went.said += carrying.lost(row.raw, finder) if row.raw else []
            self._reread.add(row.id)
            if not reach.keep_raw:
                told = {"participants": people, "failed": failed, "context": context}
                await self._do("reword_source", id=row.id, raw=raw, **told)
        if reach.sources:
            ids = sorted(reach.sources)
            reach.memories |= set(await self._ids("chunks_of_sources", ids=ids, names=list(map(str, ids))))

    async def _what_came_of_messages(self) -> None:
        """Turns, summaries and talks of messages that lost something; what was learned of the lost part alone."""
        ids = sorted(self._left)
        if not ids:
            return
        self.reach.memories |= self._whole
        self.went.again |= set(await self._ids("next_turns", ids=ids))
        self._talks = set(await self._ids("talks_of_turns", ids=ids))
        self._reread |= self._talks

    # Memories

    async def _memories(self) -> None:
        reach = self.reach
        ids = sorted(self._left)
        learned: set[UUID] = set()
        told: set[UUID] = set()
        if ids:
            named = list(map(str, ids))
            learned = set(await self._ids("learned_of_messages", ids=ids, names=named, prints=sorted(self._prints)))
            told = set(await self._ids("told_of_turns", ids=ids))
        about = await self._ids("told_of_nodes", ids=sorted(reach.memories)) if reach.memories else []
        reach.memories |= set(about)
        told |= await self._stories()
        also = reach.memories | learned | told | set(ids) | self._reread | self._emptied
        finders = [reach.finder, reach.raw(self.parts.clock()), reach.near if reach.near_sources else None]
        for row in await self._having("memory", (*_MEMORY, "type"), finders, {"id": also}):
            await self._memory(row, learned, told)
        nodes = sorted(id for id, kind in self.went.removed.items() if kind in NODE_KINDS)
        gone = set(await self._ids("told_of_nodes", ids=nodes)) if nodes else set()
        seen = [*self._left, *self.went.sources, *self.went.removed, *self.went.rewritten]
        gone |= set(await self._ids("insights_of", names=list(map(str, seen))))
        for row in await store.get(self.connection, self.space, sorted(gone - set(self.went.removed))):
            self._let_go(row)

    async def _stories(self) -> set[UUID]:
        """Stories of sources that lose something, which they may tell of in words of their own."""
        ids = sorted(self.went.sources | self._reread)
        return set(await self._ids("stories_of_sources", ids=ids)) if ids else set()

    async def _memory(self, row: Any, learned: set[UUID], told: set[UUID]) -> None:
        if row.id in self.reach.memories or (row.id in learned and await self._goes(row)):
            self._let_go(row)
        elif row.kind in ("turn", "source", "chunk"):
            await self._raw_memory(row)
        elif row.kind == items.KIND:
            await self._item(row)
        else:
            await self._derived(row, row.id in learned, row.id in told)

    async def _goes(self, row: Any) -> bool:
        """Whether something goes with what it was learned of."""
        milestone = row.kind == "episode" and row.type != CHUNK
        return not await self._told_by_the_rest(row) if milestone else self._came_of_it(row)

    async def _told_by_the_rest(self, row: Any) -> bool:
        """Whether what is left of its messages has all words of a milestone; others may be words for what is lost."""
        heard = [UUID(id) for id in row.data.get("messages", [])]
        bodies = {each.id: each.body for each in await self._rows("bodies", ids=heard)} | self._bodies
        left = " ".join([row.speaker or "", *(carrying.told(bodies.get(id, "")) for id in heard)])
        rest = carrying.without(f"{row.title or ''}. {row.content}", self.reach.finder)
        return stems(rest) <= stems(left)

    def _came_of_it(self, row: Any) -> bool:
        """Whether something was learned of what is lost, rather than of what is left."""
        if row.kind not in LEARNED_KINDS or row.kind == "episode":
            return False
        heard = [UUID(id) for id in row.data.get("messages", [])]
        if row.message_id in self._whole and row.message_id is not None:
            return True
        if row.message_id is None or row.message_id not in self._left:
            return bool(heard) and set(heard) <= self._whole
        lost, left = (len(set(terms(text)) & set(terms(row.content))) for text in self._left[row.message_id])
        return lost > left

    async def _raw_memory(self, row: Any) -> None:
        """Turns and chunks: what the raw text lost, they lose."""
        reach = self.reach
        finder = reader = reach.raw(row.created_at) or Both()
        if row.message_id in reach.near_messages or {row.id, row.source_id} & reach.near_sources:
            finder, reader = reach.finder, reach.near or finder
        again = row.id in self._reread
        content = mask(self._bodies[row.id]) if row.kind == "turn" and row.id in self._bodies else None
        after = {
            "title": _label(row.title, finder),
            "summary": "" if again and row.summary else _rest(row.summary, finder),
            "content": _raw(row.content, reader) if content is None else content,
            "tags": carrying.labelled(row.tags, finder, meant=again or carrying.has(row.content, finder)),
            "data": carrying.without_in(row.data, finder),
            "metadata": carrying.without_in(row.metadata, finder),
            "speaker": None if carrying.has(row.speaker, finder) else row.speaker,
        }
        if again:
            after["tags"] = []
            after["data"] = {name: value for name, value in after["data"].items() if name != "keywords"}
        if row.id in self._talks:
            after["content"] = NOTHING_LEFT
        if row.id in self._emptied:
            after |= {"summary": "", "tags": [], "content": row.content}
        if row.kind != "source" and after["content"] != row.content and not carrying.told(after["content"]).strip():
            self._let_go(row)
            return
        await self._reword(row, after)

    async def _item(self, row: Any) -> None:
        """What a program put: its JSON loses the passages that carry it; one that is named after it goes."""
        finder = self.reach.finder
        if carrying.has(row.title, finder) or carrying.has(row.type, finder):
            self._let_go(row)
            return
        value = json.loads(row.content)
        left = carrying.without_in(value, finder)
        after = {name: _as_is(row, name) for name in _MEMORY}
        if left != value:
            after["content"] = json.dumps(left, ensure_ascii=False)
        await self._reword(row, after | {"data": carrying.without_in(row.data, finder)})

    async def _derived(self, row: Any, learned: bool, told: bool) -> None:
        finder = self.reach.finder
        chunk = row.kind == "episode" and row.type == CHUNK
        after = {
            "title": _label(row.title, finder),
            "summary": _rest(row.summary, finder),
            "content": carrying.without(row.content, finder),
            "tags": carrying.labelled(row.tags, finder, meant=carrying.has(row.content, finder)),
            "data": self._data(row, learned),
            "metadata": carrying.without_in(row.metadata, finder),
            "speaker": None if carrying.has(row.speaker, finder) else row.speaker,
        }
        if chunk and told:
            after["content"], after["tags"] = NOTHING_LEFT, []
            after["data"] = after["data"] | {"dirty": -1, "topics": []}
        if row.kind in _STORIES and told:
            after["content"] = NOTHING_LEFT
        if row.kind in _TOLD_ANEW:
            after["content"] = after["content"] or after["title"] or NOTHING_LEFT
        changed = {name for name, value in after.items() if value != _as_is(row, name)}
        named = row.kind in _TOLD_ANEW and (carrying.has(row.title, finder) or carrying.has(row.type, finder))
        if named or ("content" in changed and (not after["content"].strip() or row.kind == "profile")):
            self._let_go(row)
        elif changed:
            await self._reword(row, after)
            if row.kind in _TOLD_ANEW and changed & {"content", "title", "data"}:
                self._anew.add(row.id)

    def _data(self, row: Any, learned: bool) -> dict[str, Any]:
        data: dict[str, Any] = carrying.without_in(row.data, self.reach.finder)
        if learned:
            gone = {*map(str, self._whole), *self._prints}
            for name in ("messages", "evidence"):
                if name in data:
                    data[name] = [each for each in data[name] if each not in gone]
        return data

    async def _reword(self, row: Any, after: dict[str, Any]) -> None:
        if all(value == _as_is(row, name) for name, value in after.items()):
            return
        values = after | {"data": Jsonb(after["data"]), "metadata": Jsonb(after["metadata"])}
        await self._do("reword_memory", id=row.id, now=self.parts.clock(), **values)
        touch(self.connection, self.space, [row.id])
        self.went.rewritten[row.id] = row.kind
        self.went.again.add(row.id)
        self.went.count(f"rewritten_{row.kind}")
        if after["content"] != row.content:
            self.went.shown.append((row.id, row.kind, row.content))
            if row.kind not in ("turn", "source", "chunk"):
                self.went.known += carrying.lost(row.content, self.reach.finder)

    def _let_go(self, row: Any) -> None:
        self.went.removed[row.id] = row.kind
        self.went.rows.add(row.id)
        self.went.count(row.kind)
        self.went.shown.append((row.id, row.kind, row.content))
        if row.kind in LEARNED_KINDS:
            self.went.known.append(row.content)

    async def _versions(self) -> None:
        """Former versions that carried it go, and so do all of what was told together with it."""
        told = {id for id, kind in self.went.rewritten.items() if kind in _TOLD_ANEW or kind in ("episode", "source")}
        finder = self.reach.finder
        finders = [finder, self.reach.raw(self.parts.clock())]
        rows = await self._having("memory_version", _VERSION, finders, {"memory_id": told | set(self.went.rewritten)})
        gone = [
            row
            for row in rows
            if row.memory_id in told
            or any(
                carrying.has(text, each)
                for text in (row.title, row.summary, row.content)
                for each in finders
                if each is not None
            )
        ]
        if gone:
            ids, versions = [row.memory_id for row in gone], [row.version for row in gone]
            await self._do("drop_versions", ids=ids, versions=versions)
            self.went.again |= set(ids)
            self.went.count("versions", len(gone))

    # Everything else

    async def _notes(self) -> None:
        finder, gone = self.reach.finder, set(self.reach.notes)
        for row in await self._having("note", ("content", "added_by"), [finder], {"id": self.reach.notes}):
            left = carrying.without(row.content, finder)
            if left != row.content or row.id in self.reach.notes:
                gone.add(row.id)
                self._anew.add(row.target_id)
                self.went.note(row.id, (row.target_id, row.source_id), row.content)
        if gone:
            self.went.count("notes", await self._do("drop_notes", ids=sorted(gone)))
            self.went.rows |= gone

    async def _proposals(self) -> None:
        finder = self.reach.finder
        rows = await self._having("consent", ("value", "key", "reason"), [finder], {})
        gone = {row.id for row in rows if any(carrying.has(text, finder) for text in (row.value, row.key, row.reason))}
        if self._whole:
            gone |= set(await self._ids("proposals_of_messages", ids=sorted(self._whole)))
        if gone:
            self.went.count("proposals", await self._do("drop_proposals", ids=sorted(gone)))
            await self._do("drop_history_of_ties", ids=sorted(gone))

    async def _others(self) -> None:
        finder = self.reach.finder
        for table, (keys, columns) in REWRITTEN.items():
            names = [column.name for column in columns]
            for row in await self._having(table, names, [finder], {}):
                after = {column.name: _after(getattr(row, column.name), column.form, finder) for column in columns}
                changed = {name: value for name, value in after.items() if value != getattr(row, name)}
                if changed:
                    await self._set(table, {key: getattr(row, key) for key in keys}, changed)
                    self.went.count(f"rewritten_{table}")
                    if table == "relation":
                        self._anew.add(row.id)
        typed = await self._having("relation", ("type",), [finder], {})
        self.reach.relations |= {row.id for row in typed if carrying.has(row.type, finder)}
        held = await self._having("node_name", ("name",), [finder], {})
        if gone := [row.name for row in held if carrying.has(row.name, finder)]:
            await self._do("drop_names", names=gone)

    async def _set(self, table: str, keys: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        assigned = SQL(", ").join(
            SQL("{} = {}").format(Identifier(name), _value(name, value)) for name, value in values.items()
        )
        chosen = SQL("").join(SQL(" and {} = {}").format(Identifier(name), value) for name, value in keys.items())
        statement = SQL("update {} set {} where space_id = {}{}").format(
            Identifier(table), assigned, self.space, chosen
        )
        await self.connection.execute(statement, {})

    async def _relations(self) -> None:
        """What was tied to something that goes is told anew; so is a relation whose vector quoted it."""
        removed = sorted(self.went.removed)
        if removed:
            around = await self._ids("around", ids=removed)
            self._anew |= set(around) - set(removed)

    # The end

    async def _remove(self) -> None:
        removed, now = sorted(self.went.removed), self.parts.clock()
        ties = {*(await self._ids("ties_of", ids=removed) if removed else []), *self.reach.relations}
        lines = [store.memory_of(row, now, Rules()) for row in await store.get(self.connection, self.space, removed)]
        taught = [id for id, kind in self.went.removed.items() if kind in ("source", "chunk")] + sorted(self._emptied)
        if taught:
            zone = await learn.zone_of(self.parts, self.connection, self.space)
            await unlearn.unlearn(self.connection, self.space, taught, zone, now)
        if removed:
            await service.purge(self.connection, self.space, removed, now)
            await self._do("drop_change_lines", ids=removed)
        if ties:
            await self._drop_ties(sorted(ties))
        again = sorted(self.went.again - set(removed))
        if again:
            await self._do("drop_entries", ids=again)
        await self._do("forget_profiles")
        await self._log([memory for memory in lines if is_knowledge(memory.kind, memory.type)])

    async def _drop_ties(self, ids: Sequence[UUID]) -> None:
        await relations.drop(self.connection, self.space, ids)
        await self._do("drop_history_of_ties", ids=list(ids))
        self.went.count("relations", len(ids))
        self.went.rows |= set(ids)

    async def _keys(self) -> None:
        """What callers named themselves stays as it is, or they would not find it again; the receipt tells of it."""
        rows = await self._rows("chosen_keys")
        self.went.keys.update(row.key_of for row in rows if carrying.has(row.key, self.reach.finder))

    async def _log(self, knowledge: Sequence[Any]) -> None:
        """History tells that something went, readers are told that it did; neither says what."""
        now = self.parts.clock()
        listed: list[tuple[UUID, int | None]] = [(id, None) for id in [*self.went.removed, *self.went.rewritten]]
        if listed:
            await store.tell(self.connection, self.space, now, "FORGET", listed, self.actor)
        changed = bool(knowledge) or self.went.anything
        revision = await store.raise_revision(
            self.connection, self.space, now, knowledge=changed, changes=len(self.went.again) + len(listed)
        )
        if knowledge:
            await store.log_changes(self.connection, self.space, now, revision, knowledge, "deleted", None)

    async def _tell_anew(self) -> None:
        """Marks for all that is told of what is left; sources that lost something are read anew."""
        now = self.parts.clock()
        anew = sorted(self._anew - set(self.went.removed))
        rows = await store.get(self.connection, self.space, anew)
        kinds = {row.id: row.kind for row in rows if row.kind in _TOLD_ANEW}
        memories = {row.id for row in rows}
        ties = [id for id in anew if id not in memories]
        if ties:
            await self._do("drop_tie_entries", ids=ties)
        await dirty.mark(self.connection, self.space, kinds | dict.fromkeys(ties, "relation"), now, anew=True)
        if reread := sorted(self._reread - set(self.went.removed)):
            await sources.unsettle(self.connection, self.space, reread)


_MESSAGE = ("body", "content", "name", "metadata")
_SOURCE = ("raw", "participants", "failed", "context_type")
_MEMORY = ("title", "summary", "content", "tags", "data", "metadata", "speaker")
_VERSION = ("title", "summary", "content")


# Letters that are written by others: in JSON, as bytes, in HTML, in a URL or mail, and at the end of a line of a mail.
_ESCAPES = r"\\[ux]|&[#a-zA-Z]|[%=][0-9a-fA-F]{2}|=\?|=(?:\\r)?(?:\\n|\s)"


def _value(name: str, value: Any) -> Any:
    """An array of names stays one; other lists and objects are JSON."""
    return Jsonb(value) if isinstance(value, dict | list) and name != "speakers" else value


def _escaped(needle: str) -> str:
    return needle.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _holding(columns: Iterable[str], patterns: Sequence[str]) -> Any:
    """Whether a row has one of some ASCII words; others, and those in which letters are escaped, are looked at whatever
    they hold."""
    whole = SQL("concat_ws(' ', {})").format(
        SQL(", ").join(SQL("{}::text").format(Identifier(column)) for column in columns)
    )
    return SQL(
        "lower({whole}) like any ({patterns}::text[]) or octet_length({whole}) <> length({whole})"
        " or {whole} ~ {escapes}"
    ).format(whole=whole, patterns=list(patterns), escapes=_ESCAPES)


def _as_is(row: Any, name: str) -> Any:
    value = getattr(row, name)
    return list(value) if name == "tags" else value


def _label(text: str | None, finder: Finder) -> str | None:
    return None if carrying.has(text, finder) else text


def _rest(text: str | None, finder: Finder) -> str | None:
    return carrying.without(text, finder) if text else text


def _spelled_out(text: str, finder: Finder) -> str:
    """A text whose form matters: the names alone give way."""
    for begin, end in reversed(finder.spans(text)):
        text = text[:begin] + "forgotten" + text[end:]
    return text


def _shown(value: Any, finder: Finder) -> Any:
    return value if carrying.without_in(value, finder) == value else type(value)()


_AFTER: dict[str, Callable[[Any, Finder], Any]] = {
    "text": carrying.without,
    "label": lambda value, finder: carrying.without(value, finder) or None,
    "name": lambda value, finder: FORGOTTEN if carrying.has(value, finder) else value,
    "yaml": _spelled_out,
    "names": lambda value, finder: carrying.labelled(value, finder, meant=False),
    "json": carrying.without_in,
    "shown": _shown,
}


def _after(value: Any, form: str, finder: Finder) -> Any:
    return None if value is None else _AFTER[form](value, finder)


def _raw(content: Any, finder: Finder) -> Any:
    """A message's content without it, parts and arguments of tools included."""
    if not isinstance(content, str):
        return _raw_in(content, finder)
    inner = carrying.json_in(content)
    if inner is not None and (after := _raw_in(inner, finder)) != inner:
        return json.dumps(after, ensure_ascii=False)
    return carrying.redacted(content, finder)


def _raw_in(value: Any, finder: Finder) -> Any:
    if isinstance(value, str):
        return _raw(value, finder)
    if isinstance(value, list):
        return [_raw_in(each, finder) for each in value]
    if isinstance(value, dict):
        return {key: _raw_in(each, finder) for key, each in value.items() if not carrying.has(str(key), finder)}
    return value


def _document(source_type: str, raw: str, finder: Finder) -> str:
    """A raw document without it; one whose form hides it, as an encoded mail does, becomes what a person reads."""
    if carrying.json_in(raw) is not None:
        return str(_raw(raw, finder))
    read = cleaned(source_type, raw)
    written = f" {' '.join(words_of(raw))} "
    lost = (" ".join(words_of(passage)) for passage in carrying.lost(read.text, finder))
    if any(f" {passage} " not in written for passage in lost):
        return carrying.redacted(read.text, finder)
    return carrying.redacted(raw, finder)


def _fingerprint(row: Any) -> str:
    """As witnesses of statements are kept."""
    said = f"{row.at.isoformat()}\n{row.name}\n{row.body}".encode(errors="replace")
    return blake2b(said, digest_size=12).hexdigest()
