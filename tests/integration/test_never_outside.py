"""Nothing outside an agent's allowlist and a scope's sensitivity is ever given back, by any verb there is.

Everything that can be read carries a word of its own, and the test knows which categories and sensitivities it takes to
see that word. Random scopes ask every verb for random things, and no answer and no error may hold a word that its scope
may not see. Verbs are enumerated from the public classes: a new one has to be told apart here.
"""

import asyncio
import random
import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from recollect import Recollect
from recollect.core.errors import NotAllowed, NotFound, RecollectError
from recollect.core.ids import new_id
from recollect.flows import transfer
from recollect.memory import Chat, Context, ScopedMemory
from recollect.records.model import Provenance
from recollect.records.relations import STRUCTURAL
from seeding import Garden

CATEGORIES = (
    *("profile", "activity", "event", "goals", "preferences", "constraints", "knowledge", "procedural"),
    *("relationship_dynamic", "relationships", "tasks"),
)
AGENTS = ("planner", "writer", "critic")
ROUNDS = 25

Call = Callable[["World", Any], Awaitable[Any]]


# The verbs ------------------------------------------------------------------------------------------------

READS: dict[type, dict[str, Call]] = {
    ScopedMemory: {
        "search": lambda w, me: me.search(w.words(), limit=w.rng.choice([3, 50]), **w.filters()),
        "search_many": lambda w, me: me.search_many([w.words(), {"query": w.words(), **w.filters()}]),
        "query": lambda w, me: me.query(
            w.words(),
            agent=w.rng.choice([None, None, *AGENTS]),
            categories=w.rng.choice([None, None, w.some(CATEGORIES)]),
            return_=w.rng.choice(["bullets", "full"]),
            top_k=w.rng.choice([3, 50]),
            budget_tokens=w.rng.choice([64, 10_000]),
        ),
        "get": lambda w, me: me.get(w.memory()),
        "get_all": lambda w, me: me.get_all(**w.filters()),
        "history": lambda w, me: me.history(w.rng.choice([w.memory(), w.relation(), w.consent])),
        "profile": lambda w, me: me.profile(),
        "consents": lambda w, me: me.consents(None),
        "pending": lambda w, me: me.pending(),
        "explore": lambda w, me: me.explore(
            w.rng.choice([[w.words()], [w.words(), w.words()]]),
            granularity=w.rng.choice([1, 2, 3]),
            mode=w.rng.choice(["fast", "full"]),
            within=w.rng.choice([None, None, w.node(), w.story]),
        ),
        "traverse": lambda w, me: me.traverse(w.node(), types=w.rng.choice([None, ["mentions", "about", "knows"]])),
        "path": lambda w, me: me.path(w.node(), w.node(), types=w.rng.choice([None, ["knows", "mentions"]])),
        "match": lambda w, me: me.match([(None, w.rng.choice(["knows", "mentions"]), None)]),
        "audit": lambda w, me: me.audit(),
        "overview": lambda w, me: me.overview(),
        "deleted": lambda w, me: me.deleted(),
        "find_conversation": lambda w, me: w.found(me),
        "conversations": lambda w, me: me.conversations(),
        "get_conversation": lambda w, me: me.get_conversation(w.thread()),
        "actives": lambda w, me: me.actives(w.rng.choice([None, *AGENTS])),
        "get_active": lambda w, me: me.get_active(w.active),
        "section_history": lambda w, me: me.section_history(w.active),
        "chunk_history": lambda w, me: me.chunk_history(w.source()),
        "reviews": lambda w, me: me.reviews(None),
        "nodes": lambda w, me: me.nodes(w.rng.choice([None, "person", "entity", "concept"])),
        "notes": lambda w, me: me.notes(w.rng.choice([w.memory(), w.node(), w.relation()])),
        "relations": lambda w, me: me.relations(w.rng.choice([w.memory(), w.node()])),
        "merges": lambda w, me: me.merges(None),
        "sources": lambda w, me: me.sources(),
        "watch": lambda w, me: w.watched(me),
    },
    Chat: {
        "messages": lambda w, me: w.talking(me, lambda chat: chat.messages()),
        "context": lambda w, me: w.talking(me, lambda chat: chat.context(w.words())),
        "narrative_arc": lambda w, me: w.talking(me, lambda chat: chat.narrative_arc()),
    },
}
WRITES: dict[type, dict[str, Call]] = {
    ScopedMemory: {
        "conversation": lambda w, me: me.conversation(w.thread()),
        "add": lambda w, me: me.add("Something new.", id=w.rng.choice([None, w.memory()])),
        "add_many": lambda w, me: me.add_many([{"content": "More that is new."}]),
        "update": lambda w, me: me.update(w.memory(), importance=w.rng.random()),
        "delete": lambda w, me: me.delete(w.memory()),
        "restore": lambda w, me: me.restore(w.memory()),
        "delete_all": lambda w, me: me.delete_all(kinds=["insight"], importance=None),
        "set_profile": lambda w, me: me.set_profile("preference", "tea", "green"),
        "decide": lambda w, me: me.decide(w.consent, accept=False),
        "promote": lambda w, me: me.promote(w.rng.choice([w.memory(), w.source()])),
        "create_active": lambda w, me: me.create_active("Work", sections={"notes": "Begun."}),
        "update_section": lambda w, me: me.update_section(w.active, "notes", "Gone on."),
        "end_active": lambda w, me: me.end_active(uuid4()),
        "migrate": lambda w, me: me.migrate(),
        "resolve": lambda w, me: me.resolve(w.review, "keep_old"),
        "add_note": lambda w, me: me.add_note(w.memory(), "Noted."),
        "update_note": lambda w, me: me.update_note(w.note(), lifetime="year"),
        "remove_note": lambda w, me: me.remove_note(w.note()),
        "relate": lambda w, me: me.relate(w.memory(), w.node(), "needs"),
        "update_relation": lambda w, me: me.update_relation(w.relation(), strength=w.rng.random()),
        "merge": lambda w, me: me.merge(w.node(), w.node()),
        "resolve_merge": lambda w, me: me.resolve_merge(w.merge, accept=False),
        "unmerge": lambda w, me: me.unmerge(w.merge),
        "ingest": lambda w, me: me.ingest("A text.", id=w.rng.choice([None, w.source()])),
        "retry_source": lambda w, me: me.retry_source(w.source()),
        "leave_team": lambda w, me: me.leave_team("none"),
        "guide": lambda w, me: me.guide(),
        "end_relation": lambda w, me: me.end_relation(w.relation()),
        "feedback": lambda w, me: me.feedback(w.memory(), "useful"),
        "forget": lambda w, me: me.forget(query=w.words(), dry_run=True),
        "lift": lambda w, me: me.lift(uuid4()),
        "import_lines": lambda w, me: me.import_lines([]),
        "accept_replay": lambda w, me: me.accept_replay(uuid4()),
        "discard_replay": lambda w, me: me.discard_replay(uuid4()),
    },
    Chat: {
        "add": lambda w, me: w.speaking(me, lambda chat: chat.add("user", "Hello.")),
        "add_many": lambda w, me: w.speaking(me, lambda chat: chat.add_many([{"role": "user", "content": "Hello."}])),
        "retract": lambda w, me: w.speaking(me, lambda chat: chat.retract(1, "Good day.")),
        "ack": lambda w, me: w.talking(me, lambda chat: chat.ack()),
        "pause": lambda w, me: w.talking(me, lambda chat: chat.pause()),
        "resume": lambda w, me: w.talking(me, lambda chat: chat.resume()),
        "end": lambda w, me: w.talking(me, lambda chat: chat.end()),
    },
}
GIVE_NOTHING: dict[type, set[str]] = {
    Recollect: {
        *("open", "close", "database_url", "scope", "run_job", "drain", "backup", "restore"),
        *("graph_status", "rebuild_graph", "verify_graph", "make_key", "keys", "rotate_key", "revoke_key"),
        *("jobs", "retry_job", "spaces"),
    },
    ScopedMemory: {
        *("scope", "templates", "tombstones", "spend", "timezone", "work", "revision"),
        # What a program saved for itself, under its own thread: see below.
        *("save_checkpoint", "load_checkpoint", "checkpoint", "checkpoints", "delete_checkpoints"),
        # Refused to whoever sees some categories alone: see below.
        *("replay", "replays", "get_replay", "export"),
    },
    Chat: {"scope"},
    Context: {"to_openai", "to_anthropic", "ack"},  # of a context that was given already: they are looked into below
}
NARROWED_WITHIN = {"query", "watch"}
"""Reading verbs that are not narrowed as a whole: an agent may be named, and a generator's setting would leak."""


def public(cls: type) -> set[str]:
    return {name for name in vars(cls) if not name.startswith("_")}


@pytest.mark.parametrize("cls", [Recollect, ScopedMemory, Chat, Context])
def test_every_verb_is_told_apart(cls: type) -> None:
    known = {*READS.get(cls, {}), *WRITES.get(cls, {}), *GIVE_NOTHING.get(cls, set())}
    assert public(cls) == known, "say in this file what a new verb gives back, and how it is asked"


def test_reading_verbs_are_narrowed_and_no_others() -> None:
    for cls in (ScopedMemory, Chat):
        narrowed = {name for name in public(cls) if getattr(vars(cls)[name], "reads", False)}
        assert narrowed == set(READS[cls]) - NARROWED_WITHIN


SHOWING: dict[str, Call] = {
    "replay": lambda w, me: me.replay(),
    "replays": lambda w, me: me.replays(),
    "get_replay": lambda w, me: me.get_replay(uuid4()),
    "tombstones": lambda w, me: me.tombstones(),
    "save_checkpoint": lambda w, me: me.save_checkpoint({"step": 1}),
    "load_checkpoint": lambda w, me: me.load_checkpoint(),
    "checkpoint": lambda w, me: me.checkpoint(),
    "checkpoints": lambda w, me: me.checkpoints(),
    "delete_checkpoints": lambda w, me: me.delete_checkpoints(),
}
"""Verbs that write nothing of memory, or nothing that others see, and need a right all the same."""


def rights_of(cls: type) -> dict[str, str]:
    return {name: vars(cls)[name].right for name in public(cls) if hasattr(vars(cls)[name], "right")}


def test_every_writing_verb_has_a_right() -> None:
    assert set(rights_of(ScopedMemory)) == set(WRITES[ScopedMemory]) | set(SHOWING)
    assert set(rights_of(Chat)) == set(WRITES[Chat])
    assert set(rights_of(Chat).values()) == {"speak"}


@pytest.mark.once
async def test_an_agent_has_the_rights_of_its_list_and_no_more(world: "World") -> None:
    """An agent on no list speaks and does nothing else; one on a list reaches neither everything nor the profile."""
    world.file.write_text("allowlists:\n  planner: [goals, activity]\n")
    calls = WRITES[ScopedMemory] | SHOWING
    for name, right in rights_of(ScopedMemory).items():
        stranger = world.rc.scope(user_id="alice", agent_id="stranger", thread_id="own stranger")
        planner = world.rc.scope(user_id="alice", agent_id="planner", thread_id="own planner")
        if right != "speak":
            with pytest.raises(NotAllowed, match="agent stranger"):
                await calls[name](world, stranger)
        if right == "profile":
            with pytest.raises(NotAllowed, match="category profile"):
                await calls[name](world, planner)
        if right == "everything":
            with pytest.raises(NotAllowed, match=name):
                await calls[name](world, planner)
    for me in (stranger, planner):
        with pytest.raises(NotAllowed):
            await anext(me.export())
    with pytest.raises(NotAllowed, match="agent stranger: it is on no allowlist"):
        await stranger.add("Something new.")
    [said] = await stranger.add([{"role": "user", "content": "Hello."}])
    assert said.turn


async def test_a_category_outside_the_list_is_refused_by_its_name(open_recollect) -> None:
    rc = await open_recollect(categories="allowlists:\n  planner: [goals, knowledge]\n")
    me = rc.scope(user_id="alice", agent_id="planner")
    mine = await me.add("Alice wants to sail.", type="goal")
    ann, ben = [await rc.scope(user_id="alice").add(text, type="goal") for text in ("Swim.", "Run.")]
    for asked, category in (
        (me.add("Alice likes tea.", type="preference"), "preferences"),
        (me.add("Alice likes tea.", category="tasks"), "tasks"),
        (
            me.add_many([{"content": "Alice runs."}, {"content": "Alice likes tea.", "type": "preference"}]),
            "preferences",
        ),
        (me.update(mine.id, category="tasks"), "tasks"),
        (me.relate(ann.id, ben.id, "needs"), "relationships"),
        (me.add("Alice trusts slowly.", kind="insight"), "relationship_dynamic"),
    ):
        with pytest.raises(NotAllowed, match=f"category {category}.*allowlist of agent planner"):
            await asked
    with pytest.raises(NotAllowed, match="lift"):
        await me.add("Alice wants to dive.", type="goal", lift=True)
    everything = {memory.content for memory in await rc.scope(user_id="alice").get_all()}
    assert everything == {"Alice wants to sail.", "Swim.", "Run."}
    assert (await me.ingest("A text.")).kind == "source"
    with pytest.raises(NotAllowed, match="category knowledge"):
        await (
            (await open_recollect(categories="allowlists:\n  planner: [goals]\n"))
            .scope(user_id="alice", agent_id="planner")
            .ingest("A text.")
        )


async def test_an_agent_goes_on_from_its_own_states_alone(open_recollect) -> None:
    rc = await open_recollect(categories="allowlists:\n  planner: [goals]\n  writer: [goals]\n")
    alice = rc.scope(user_id="alice", thread_id="chat-1")
    writer = rc.scope(user_id="alice", agent_id="writer", thread_id="draft")
    await alice.save_checkpoint({"secret": "tokens"})
    await writer.save_checkpoint({"draft": 1})
    for thread in ("chat-1", "draft"):
        planner = rc.scope(user_id="alice", agent_id="planner", thread_id=thread)
        for name in ("save_checkpoint", "load_checkpoint", "checkpoint", "checkpoints", "delete_checkpoints"):
            with pytest.raises(NotAllowed, match=f"thread {thread}"):
                await SHOWING[name](None, planner)
        assert [line async for line in planner.export(plain=True) if '"checkpoint"' in line] == []
    assert await writer.load_checkpoint() == {"draft": 1}
    assert len([line async for line in writer.export(plain=True) if '"checkpoint"' in line]) == 1
    assert await alice.load_checkpoint() == {"secret": "tokens"}
    assert await rc.scope(user_id="alice", thread_id="draft").load_checkpoint() == {"draft": 1}
    assert await writer.delete_checkpoints() == 1


# The world ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Guard:
    """What it takes to see a word: all of these categories, and the right to `high` where one is."""

    categories: frozenset[str]
    high: bool = False
    agent: str | None = None
    """Or to be this agent."""
    thread: str | None = None
    """Or to have this thread for its own."""
    name_of: str | None = None
    """Or to have the thread for its own that it names: whoever may speak there knows what it is called."""


@dataclass
class World:
    """A space full of words, who may see each, and random things to ask for."""

    rc: Recollect
    rng: random.Random
    file: Path
    guards: dict[str, list[Guard]] = field(default_factory=dict)
    ids: dict[str, list[Any]] = field(default_factory=dict)
    guarded: dict[UUID, Guard] = field(default_factory=dict)
    active: UUID = field(default_factory=uuid4)
    review: UUID = field(default_factory=uuid4)
    merge: UUID = field(default_factory=uuid4)
    consent: UUID = field(default_factory=uuid4)
    story: UUID = field(default_factory=uuid4)
    allowed: dict[str, tuple[str, ...]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    took_part: set[tuple[str | None, str]] = field(default_factory=set)

    def word(self, *guards: Guard) -> str:
        """A new word that takes one of these to see it."""
        number = len(self.guards)
        letters = "".join(chr(ord("a") + number // 26**place % 26) for place in range(3))
        self.guards[f"tok{letters}x"] = list(guards)
        return f"tok{letters}x"

    def words(self) -> str:
        """A question, often for what is hidden; an answer may repeat it."""
        self.asked.append(f"{self.rng.choice(['harbour', 'anchor', 'boat'])} {self.rng.choice(list(self.guards))}")
        return self.asked[-1]

    def some(self, of: Iterable[str]) -> list[str]:
        return [each for each in of if self.rng.random() < 0.3] or [self.rng.choice(list(of))]

    def filters(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self.rng.random() < 0.3:
            found["categories"] = self.some(CATEGORIES)
        if self.rng.random() < 0.3:
            found["include"] = ["archived", "expired"]
        if self.rng.random() < 0.2:
            found["as_known_at"] = self.rc.parts.clock() - timedelta(hours=self.rng.choice([0, 1]))
        if self.rng.random() < 0.2:
            found["kinds"] = self.some(["turn", "statement", "source", "chunk", "person", "entity", "episode"])
        return found

    def pick(self, name: str) -> Any:
        return self.rng.choice(self.ids[name])

    def memory(self) -> UUID:
        return self.pick(self.rng.choice(["memory", "node", "source", "turn"]))

    def node(self) -> UUID:
        return self.pick("node")

    def source(self) -> UUID:
        return self.pick("source")

    def relation(self) -> UUID:
        return self.pick("relation")

    def note(self) -> UUID:
        return self.pick("note")

    def thread(self) -> str:
        return self.pick("thread")

    async def talking(self, me: ScopedMemory, ask: Callable[[Chat], Awaitable[Any]]) -> Any:
        chat = await me.conversation(me.scope.thread_id or self.thread())
        return [chat, await ask(chat)]

    async def found(self, me: ScopedMemory) -> Chat:
        """A conversation by its id, whoever may know of it."""
        there = await self.rc.scope(user_id="alice", sensitivity="high").conversations()
        return await me.find_conversation(self.rng.choice(there).id)

    async def speaking(self, me: ScopedMemory, say: Callable[[Chat], Awaitable[Any]]) -> Any:
        """Where an agent has said something it has a thread of its own, unless it is bound to another."""
        chat, said = await self.talking(me, say)
        self.took_part.add((me.scope.agent_id, chat.conversation.thread_id))
        return [chat, said]

    def is_own(self, thread: str | None, me: ScopedMemory) -> bool:
        bound, agent = me.scope.thread_id, me.scope.agent_id
        return thread is not None and (thread == bound or (bound is None and (agent, thread) in self.took_part))

    async def watched(self, me: ScopedMemory) -> list[Any]:
        """The changes that there are already."""
        found = []
        changes = me.watch(after=0)
        try:
            while True:
                found.append(await asyncio.wait_for(anext(changes), 0.1))
        except TimeoutError:
            return found

    def may_see(self, guards: Iterable[Guard], me: ScopedMemory, agent: str | None) -> bool:
        """Told anew, from the rules as they were written to the file."""
        listed = None if agent is None else set(self.allowed.get(agent, ()))
        if any(self.is_own(guard.name_of, me) for guard in guards):
            return True
        if listed == set():
            return False
        high = me.scope.sensitivity == "high"

        def holds(guard: Guard) -> bool:
            if guard.agent is not None and guard.agent == agent:
                return True
            if self.is_own(guard.thread, me):
                return True
            return (listed is None or guard.categories <= listed) and (high or not guard.high)

        return any(holds(guard) for guard in guards)


def shown(value: Any) -> str:
    """All that an answer holds."""
    if isinstance(value, Context):
        return " ".join([value.text, repr(value.hits), repr(value.to_openai()), repr(value.to_anthropic())])
    if isinstance(value, Chat):
        return repr(value.conversation)
    if isinstance(value, list):
        return " ".join(map(shown, value))
    return repr(value)


async def build(world: World) -> None:
    """One of everything, of every category and sensitivity."""
    rc, rng = world.rc, world.rng
    garden, me = Garden(rc), rc.scope(user_id="alice", sensitivity="high")

    def guard(category: str | None = None, *, high: bool | None = None) -> Guard:
        named = frozenset([category or rng.choice(CATEGORIES)])
        return Guard(named, rng.random() < 0.3 if high is None else high)

    def keep(name: str, id: UUID, guard: Guard) -> UUID:
        world.ids.setdefault(name, []).append(id)
        world.guarded[id] = guard
        garden.execute(
            "update memory set category = %(category)s, sensitivity = %(level)s"
            " where space_id = %(space)s and id = %(id)s",
            id=id,
            category=min(guard.categories),
            level="high" if guard.high else "normal",
        )
        garden.execute(
            "update entry set category = %(category)s, sensitivity = %(level)s"
            " where space_id = %(space)s and memory_id = %(id)s",
            id=id,
            category=min(guard.categories),
            level="high" if guard.high else "normal",
        )
        return id

    kinds = ("statement", "episode", "insight", "procedure")
    for kind in kinds:
        for category in CATEGORIES:
            held = guard(category)
            added = await me.add(f"The anchor in the harbour is {world.word(held)}.", kind=kind)
            keep("memory", added.id, held)
            if rng.random() < 0.3:
                held_word = world.word(held)
                await me.update(added.id, content=f"The boat in the harbour is {held_word}.")
    for category in ("goals", "knowledge"):
        held = guard(category)
        gone = await me.add(f"The anchor that sank is {world.word(held)}.")
        await me.delete(keep("memory", gone.id, held))
    waiting = guard()
    pending = await garden.memory("statement", f"The boat may be {world.word(waiting)}.", use={"pending": True})
    keep("memory", pending, waiting)
    for number in range(4):
        held = guard("profile")
        fact = await me.set_profile("preference", f"key {number}", world.word(held))
        keep("memory", fact.memory_ids[0], held)
    await graph(world, garden, me, guard, keep)
    await talks(world, garden, me, keep)
    await work(world, garden)
    word = world.word(Guard(frozenset({"profile"})))
    world.consent = new_id()
    garden.execute(
        "insert into consent (space_id, id, type, key, value, confidence, importance, status, reason, said_at,"
        " proposed_at, expires_at) values (%(space)s, %(id)s, 'identity', 'city', %(word)s, 0.6, 0.8, 'open',"
        " 'inferred', %(now)s, %(now)s, %(then)s)",
        id=world.consent,
        word=word,
        now=rc.parts.clock(),
        then=rc.parts.clock() + timedelta(days=7),
    )


async def graph(world: World, garden: Garden, me: ScopedMemory, guard: Any, keep: Any) -> None:
    rng, now = world.rng, world.rc.parts.clock()
    nodes: list[UUID] = []
    for kind in ("person", "entity", "concept") * 3:
        held = guard({"person": "relationships"}.get(kind, "knowledge"))
        word = world.word(held)
        id = await garden.node(word.capitalize(), kind)
        garden.execute(
            "update memory set content = %(text)s where space_id = %(space)s and id = %(id)s",
            id=id,
            text=f"{word.capitalize()} has to do with the harbour and {world.word(held)}.",
        )
        nodes.append(keep("node", id, held))
        note = await me.add_note(id, f"Somebody said {world.word(held)}.")
        world.ids.setdefault("note", []).append(note.id)
    for _ in range(12):
        one, other = rng.sample(nodes, 2)
        both = [world.guarded[one], world.guarded[other]]
        held = Guard(
            frozenset({"relationships"}).union(*(each.categories for each in both)), any(each.high for each in both)
        )
        relation = await me.relate(one, other, "knows", description=f"They met at {world.word(held)}.", strength=0.8)
        world.ids.setdefault("relation", []).append(relation.id)
        note = await me.add_note(relation.id, f"That was {world.word(held)}.")
        world.ids["note"].append(note.id)
    sources = []
    for number in range(6):
        held = guard("knowledge")
        id = await garden.source(f"The harbour in {world.word(held)}.", now - timedelta(days=number), nodes[:3])
        sources.append(keep("source", id, held))
        garden.execute(
            "update memory set title = %(title)s where space_id = %(space)s and id = %(id)s",
            id=id,
            title=world.word(held),
        )
        keep("memory", await garden.chunk(id, f"A passage on the boat and {world.word(held)}."), held)
        await me.promote(id)
    for version in await me.get_all(kinds=["chunk"], tier="long", limit=100):
        keep("memory", version.id, world.guarded[version.provenance.source_id])
    held = guard("knowledge")
    world.story = keep("memory", await garden.storyline(nodes[0], sources[:3], now), held)
    garden.execute(
        "update memory set content = %(text)s, title = %(title)s where space_id = %(space)s and id = %(id)s",
        id=world.story,
        text=f"A long story of the harbour and {world.word(held)}.",
        title=world.word(held),
    )
    # Two that become one: the kept one goes by both names.
    gone, kept = Guard(frozenset({"knowledge"})), Guard(frozenset({"knowledge"}), True)
    word = world.word(gone, kept)
    pair = [await garden.node(world.word(kept).capitalize(), "entity"), await garden.node(word.capitalize(), "entity")]
    keep("node", pair[0], kept)
    keep("node", pair[1], gone)
    world.merge = (await me.merge(*pair)).id


async def talks(world: World, garden: Garden, me: ScopedMemory, keep: Any) -> None:
    """A long talk with chunks, a short one, and one of each agent's own."""
    rc = world.rc
    for thread, messages in (("long", 32), ("short", 3), *((f"own {agent}", 3) for agent in AGENTS)):
        chat = await me.conversation(thread, title=world.word(Guard(frozenset({"activity"}), name_of=thread)))
        await milestones(world, garden, chat, keep)
        world.ids.setdefault("thread", []).append(thread)
        for number in range(messages):
            seen = [Guard(frozenset({"activity"}), thread=thread if number >= messages - 12 else None)]
            seen += [Guard(frozenset({"event"}))] if messages > 20 else []
            await chat.add("user", f"The boat lies at {world.word(*seen)}.")
    await rc.drain()
    for turn in await me.get_all(kinds=["turn"], limit=200):
        world.ids.setdefault("turn", []).append(turn.id)
        world.guarded[turn.id] = Guard(frozenset({"activity"}))
    for chunk in await me.get_all(kinds=["episode"], types=["chunk"], limit=50):
        world.guarded[chunk.id] = Guard(frozenset({"event"}))


async def milestones(world: World, garden: Garden, chat: Chat, keep: Any) -> None:
    """What happened in a talk, of which not everybody may hear."""
    for high in (False, True):
        held = Guard(frozenset({"event"}), high)
        told = {"context": "", "participants": [], "outcome": None, "valence": 0.0, "significance": 0.9}
        place = Provenance(conversation_id=chat.conversation.id, thread_id=chat.conversation.thread_id)
        id = await garden.memory(
            "episode",
            f"It was decided that the boat is {world.word(held)}.",
            type="decision_made",
            title=f"A decision on {world.word(held)}",
            data=told | {"first_turn": 1, "last_turn": 2, "messages": [], "linked": []},
            provenance=place,
        )
        keep("memory", id, held)


async def work(world: World, garden: Garden) -> None:
    """Notes of an agent, of which one contradicts what landed before."""
    planner = world.rc.scope(user_id="alice", agent_id="planner")
    seen = [Guard(frozenset({"knowledge"})), Guard(frozenset(CATEGORIES), agent="planner")]
    of_own = world.word(*seen)
    active = await planner.create_active("Auth", sections={"notes": ""})
    world.active = active.id
    for minutes in (15, 60):
        text = f"The auth service of {of_own} uses JWT access tokens. Access tokens expire after {minutes} minutes."
        await planner.update_section(active.id, "notes", text)
        await planner.migrate()
    [review] = await world.rc.scope(user_id="alice").reviews()
    world.review = review.id


@pytest.fixture
async def world(open_recollect: Any, tmp_path: Path) -> World:
    file = tmp_path / "categories.yaml"
    file.write_text("allowlists: {}\n")
    rc = await open_recollect(categories=file)
    world = World(rc, random.Random(8), file)
    await build(world)
    return world


# The test -------------------------------------------------------------------------------------------------


def draw_rules(world: World) -> None:
    """Other allowlists, by the file: one agent is on none of them."""
    listed = AGENTS[: world.rng.choice([2, 3])]
    world.allowed = {agent: tuple(world.some(CATEGORIES)) for agent in listed}
    lists = "".join(f"  {agent}: [{', '.join(names)}]\n" for agent, names in world.allowed.items())
    world.file.write_text(f"# {world.rng.random()}\nallowlists:\n{lists}")


def draw_scope(world: World) -> ScopedMemory:
    agent = world.rng.choice([*AGENTS, *AGENTS, None])
    thread = None if agent is None else world.rng.choice([None, f"own {agent}", "long"])
    level = world.rng.choice(["normal", "normal", "high"])
    return world.rc.scope(user_id="alice", agent_id=agent, thread_id=thread, sensitivity=level)


async def answer(call: Call, world: World, me: ScopedMemory) -> str:
    world.asked.clear()
    try:
        told = shown(await call(world, me))
    except RecollectError as error:
        told = str(error)
    for question in world.asked:
        told = told.replace(question, "(the question)")
    return told


def leaked(world: World, me: ScopedMemory, told: str, agents: Iterable[str | None]) -> dict[str, str]:
    """The words of an answer that neither the scope nor any agent that it may name could see, and where they stand."""
    held = {match[0].lower(): match.start() for match in re.finditer(r"tok[a-z]{3}x", told, re.IGNORECASE)}
    hidden = [word for word in held if not any(world.may_see(world.guards[word], me, agent) for agent in agents)]
    return {word: f"{world.guards[word]}: …{told[max(0, held[word] - 200) : held[word] + 60]}…" for word in hidden}


async def everything(world: World, call: Call) -> int:
    """How many words somebody who may see all gets out of a verb, asked a few times."""
    me = world.rc.scope(user_id="alice", sensitivity="high")
    told = " ".join([await answer(call, world, me) for _ in range(12)])
    return len(set(re.findall(r"tok[a-z]{3}x", told.lower())))


async def test_nothing_outside_is_ever_given_back(world: World) -> None:
    calls = [(name, call) for verbs in READS.values() for name, call in verbs.items()]
    silent = [name for name, call in calls if not await everything(world, call)]
    assert silent == ["audit", "overview", "watch"], "the test would notice nothing of these"
    writes = [(name, call) for verbs in WRITES.values() for name, call in verbs.items()]
    for number in range(ROUNDS):
        draw_rules(world)
        for name, call in calls + (writes if number % 5 == 4 else []):
            me = draw_scope(world)
            unbound = name == "query" and me.scope.agent_id is None
            agents = [me.scope.agent_id, *(AGENTS if unbound else ())]
            told = await answer(call, world, me)
            assert leaked(world, me, told, agents) == {}, (number, name, me.scope)
            if name == "watch":
                ids = set(map(UUID, re.findall(r"memory_id=UUID\('([^']+)'\)", told)))
                known = {id: world.guarded[id] for id in ids if id in world.guarded}
                assert all(world.may_see([guard], me, agents[0]) for guard in known.values()), (number, me.scope)


@pytest.mark.once
async def test_an_export_holds_no_more_than_its_scope_may_see(world: World) -> None:
    for _ in range(10):
        draw_rules(world)
        me = draw_scope(world)
        try:
            told = repr([line async for line in transfer.export(world.rc.parts, me.scope)])
        except NotAllowed:
            continue
        assert leaked(world, me, told, [me.scope.agent_id]) == {}
    everybody = world.rc.scope(user_id="alice", sensitivity="high")
    assert "tok" in repr([line async for line in transfer.export(world.rc.parts, everybody.scope)])


@pytest.mark.once
async def test_what_may_be_seen_is_found(world: World) -> None:
    """The other side: narrowing takes nothing away that the scope may see."""
    for _ in range(10):
        draw_rules(world)
        me = draw_scope(world)
        for id in [world.pick("memory") for _ in range(10)]:
            seen = world.may_see([world.guarded[id]], me, me.scope.agent_id)
            if seen:
                assert (await me.get(id)).id == id
            else:
                with pytest.raises((NotFound, NotAllowed)):
                    await me.get(id)


def test_structural_relations_are_known() -> None:
    """They show where both of their ends do; every other type is of the category of relationships."""
    assert {"about", "groups", "includes", "mentions", "related_to", "rooted_in", "supersedes"} == STRUCTURAL
