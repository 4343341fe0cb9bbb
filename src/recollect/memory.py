"""Recollect, the one public object, and the scopes and conversations that it hands out. It wires the rooms."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeVar, cast, overload
from uuid import UUID

from recollect.active import service as working
from recollect.active import templates
from recollect.active.model import Active, Migrated, Review, SectionText
from recollect.checkpoints import service as checkpointing
from recollect.checkpoints.model import Checkpoint, SavedCheckpoint
from recollect.context.bullets import Bullet
from recollect.conversation import service as conversations
from recollect.conversation.model import Content, Conversation, ListedConversation, Message, NewMessage, Watermark
from recollect.core import check
from recollect.core.clock import Clock, checked, system_clock
from recollect.core.courtesy import callers
from recollect.core.errors import InvalidInput, RecollectError
from recollect.core.keys import Key, NewKey
from recollect.core.scope import Scope, Sensitivity
from recollect.core.settings import Settings, load_settings
from recollect.core.tokens import counter_for
from recollect.db import migrate, sight
from recollect.db.bootstrap import Opened, open_database
from recollect.flows import (
    annotating,
    carry,
    connecting,
    converse,
    directory,
    exploring,
    fade,
    feedback,
    forget,
    ingest,
    milestones,
    overview,
    profiling,
    projecting,
    promote,
    querying,
    remember,
    replay,
    replay_accept,
    review,
    revise,
    searching,
    teams,
    transfer,
    uniting,
    verifying,
    walking,
)
from recollect.flows import audit as auditing
from recollect.flows import backup as backing
from recollect.flows import migrate as migrating
from recollect.flows import retract as retracting
from recollect.flows.audit import Audit
from recollect.flows.backup import Backup, Restored
from recollect.flows.directory import Space
from recollect.flows.forget import Receipt
from recollect.flows.milestones import Episode
from recollect.flows.overview import Overview
from recollect.flows.parts import Parts
from recollect.flows.projecting import GraphStatus
from recollect.flows.recall import Looks, Recalls
from recollect.flows.verifying import Verified
from recollect.flows.waiting import wait_for
from recollect.governance import rights
from recollect.governance.admission import Admission
from recollect.governance.counted import CountedModel
from recollect.governance.reloading import PolicyInForce
from recollect.governance.rights import Right
from recollect.governance.spend import Governor, Spend
from recollect.graph.model import Match, Merge, Node, Route, Traversal
from recollect.graph.projection.driver import Neo4j
from recollect.jobs import looking
from recollect.jobs.looking import Work
from recollect.jobs.registry import handlers
from recollect.jobs.schedule import Scheduler
from recollect.jobs.worker import Worker
from recollect.profile.model import Consent, ProfileFact
from recollect.providers.calibration import calibration_for
from recollect.providers.embedding import make_embedder
from recollect.providers.embedding.base import Embedder
from recollect.providers.language import CallRecord, make_language_model
from recollect.providers.rerank import context_reranker, make_reranker
from recollect.queue import retry as retry_job
from recollect.queue.model import Drained
from recollect.records import filters as filtering
from recollect.records import store
from recollect.records.lifecycle import Rules
from recollect.records.model import HistoryEntry, Memory, Note, Page
from recollect.records.outbox import TASK as PROJECTION
from recollect.records.outbox import Outbox
from recollect.records.relations import Relation
from recollect.records.tombstones import Tombstone
from recollect.replays.model import Replay
from recollect.retrieval import request as requesting
from recollect.retrieval.exploration import Exploration
from recollect.retrieval.search import Hit, Searcher, Timing
from recollect.sources.model import Source
from recollect.understanding.milestones import Arc


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9


def _unnamed(part: Any) -> Any:
    """A part that was handed over ready; one that was named is made from the settings."""
    return None if isinstance(part, str) else part


class Hits(list[Hit]):
    """The hits of a search, best first, and what the caller should know about them."""

    def __init__(self, hits: Iterable[Hit] = (), warnings: tuple[str, ...] = ()) -> None:
        super().__init__(hits)
        self.warnings = warnings


class Bullets(list[Bullet]):
    """The answer to a query, best first, and what the caller should know about it."""

    def __init__(self, told: Iterable[Bullet] = (), warnings: tuple[str, ...] = ()) -> None:
        super().__init__(told)
        self.warnings = warnings


@dataclass(frozen=True, slots=True)
class Change:
    """One line of a space's change log."""

    revision: int
    event: str
    memory_id: UUID
    kind: str
    thread_id: str | None
    at: datetime


Verb = TypeVar("Verb", bound=Callable[..., Coroutine[Any, Any, Any]])


def reads(verb: Verb) -> Verb:
    """A verb that gives back what others wrote: the database shows it what the scope may see, and nothing else."""

    @wraps(verb)
    async def narrowed(asked: "ScopedMemory | Chat", *args: Any, **kwargs: Any) -> Any:
        with callers.being_served(), sight.narrowed_to(asked._looked_at().categories):
            return await verb(asked, *args, **kwargs)

    narrowed.__dict__["reads"] = True
    return cast("Verb", narrowed)


def acts(right: Right) -> Callable[[Verb], Verb]:
    """A verb that writes, or shows everything: refused to an agent that lacks the right to it."""

    def held(verb: Verb) -> Verb:
        @wraps(verb)
        async def allowed(asked: "ScopedMemory | Chat", *args: Any, **kwargs: Any) -> Any:
            rights.refuse(asked.scope, verb.__name__, right)
            with callers.being_served():
                return await verb(asked, *args, **kwargs)

        allowed.__dict__["right"] = right
        return cast("Verb", allowed)

    return held


class Recollect:
    """An open memory. Made by `Recollect.open(…)`, used with `async with`, or awaited and closed by hand."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        model: Any,
        embedder: Embedder | None,
        worker: bool,
        governance: PolicyInForce,
    ) -> None:
        self.settings = settings
        self.governance = governance
        self._clock = checked(clock)
        self._model = model
        self._embedder = embedder
        self._with_worker = worker
        self._opened: Opened | None = None

    @classmethod
    def open(
        cls,
        database_url: str | None = None,
        data_dir: str | Path | None = None,
        clock: Clock | None = None,
        model: Any = None,
        embedder: Embedder | str | None = None,
        categories: str | Path | None = None,
        worker: bool = True,
        **settings: Any,
    ) -> Self:
        """Settings given here win over the environment and the configuration file."""
        if categories is not None and not isinstance(categories, str | Path):
            raise InvalidInput("categories", "must be the path of a YAML file, or YAML")
        if clock is not None and not callable(clock):
            raise InvalidInput("clock", "must be a callable that returns a datetime with a time zone")
        check.flag("worker", worker)
        if data_dir is not None and not str(data_dir):
            raise InvalidInput("data_dir", "is empty")
        named = {name: part for name, part in (("model", model), ("embedder", embedder)) if isinstance(part, str)}
        loaded = load_settings(database_url=database_url, data_dir=data_dir, **named, **settings)
        rules = PolicyInForce(loaded.categories if categories is None else categories)
        return cls(loaded, clock or system_clock, _unnamed(model), _unnamed(embedder), worker, rules)

    def __await__(self) -> Generator[Any, None, Self]:
        """`rc = await Recollect.open()`; then `await rc.close()` at the end."""
        return self.__aenter__().__await__()

    async def __aenter__(self) -> Self:
        """Start what has to run, and bring the database up to date."""
        embedder = self._embedder or make_embedder(self.settings)
        calibration = calibration_for(embedder.name, self.settings.data_dir)
        reranker = make_reranker(self.settings)
        recaller = context_reranker(self.settings, embedder.name, reranker)
        language = make_language_model(self.settings, self._model, self._count)
        self._opened = opened = await open_database(self.settings)
        try:
            await embedder.ready()
            async with opened.database.owner() as owner:
                await migrate.record_embedder(owner, embedder.name, embedder.dimensions)
            opened.database.follow = Outbox(adopting=self.settings.neo4j_url is not None).follow
            rules = Rules.of(self.settings)
            governor = Governor(opened.database, self.settings, self._clock)
            searcher = Searcher(
                opened.database, embedder, calibration, reranker, self.settings, rules, governor, recaller
            )
            self.parts = Parts(
                self.settings,
                self._clock,
                opened.database,
                embedder,
                calibration,
                None if language is None else CountedModel(language, governor),
                rules,
                searcher,
                governor,
                counter_for(self.settings.tokenizer),
                neo4j=None if self.settings.neo4j_url is None else Neo4j(self.settings),
            )
            self.recalls = Recalls(self.parts)
            self.admission = Admission(opened.database, self._clock)
            self.worker = Worker(opened.database, self.settings, handlers(self.parts), self._clock)
            self._scheduler = Scheduler(opened.database, frozenset(fade.SWEEPS), self._clock, self.settings.timezone)
            if self._with_worker:
                await projecting.begin(self.parts)
                await self.worker.start()
                await self._scheduler.start()
        except BaseException:
            await self._abandon(opened, embedder)
            raise
        return self

    async def _abandon(self, opened: Opened, embedder: Embedder) -> None:
        """Leave nothing running of an opening that failed."""
        self._opened = None
        if worker := getattr(self, "worker", None):
            await self._scheduler.stop()
            await worker.stop(0)
        await embedder.close()
        await opened.close()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close in order."""
        await self.close()

    async def close(self) -> None:
        """Write what waits, stop the worker, and let go of the database."""
        opened, self._opened = self._opened, None
        if opened is None:
            return
        await self._scheduler.stop()
        await self.worker.stop()
        await self.recalls.flush()
        await self.admission.flush()
        await self.parts.governor.flush()
        await self.parts.embedder.close()
        for reranker in {self.parts.searcher.reranker, self.parts.searcher.context_reranker}:
            if reranker is not None:
                await reranker.close()
        if self.parts.model is not None:
            await self.parts.model.close()
        if self.parts.neo4j is not None:
            await self.parts.neo4j.close()
        await opened.close()

    def _count(self, call: CallRecord) -> None:
        """What a question to a language model took, on the account of the space that it was asked for."""
        self.parts.governor.record(call)

    @property
    def database_url(self) -> str:
        """The owner's URL: for psql, backups and dumps."""
        return self.parts.database.owner_url

    def scope(
        self,
        user_id: str | None = None,
        project_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        thread_id: str | None = None,
        team_ids: Sequence[str] = (),
        sensitivity: Sensitivity = "normal",
    ) -> "ScopedMemory":
        """The memory as one user, project or agent sees it."""
        teams = check.names("team_ids", team_ids)
        scope = Scope(user_id, project_id, agent_id, run_id, thread_id, teams, sensitivity)
        if self._opened is None:
            raise RecollectError("Recollect is not open: use `async with Recollect.open(…) as rc`")
        return ScopedMemory(self, scope)

    async def run_job(self, name: str, progress: Callable[[int, int], None] | None = None) -> Mapping[str, int]:
        """Run a job now, over all spaces; what it counted."""
        check.choice("name", name, fade.SWEEPS)
        with fade.reporting(progress):
            return await self.worker.run_now(name)

    async def jobs(self) -> Work:
        """How background work stands in all spaces: queue, schedule and workers."""
        return await looking.look(self.parts.database, self.settings, fade.SWEEPS, self._clock())

    async def retry_job(self, id: int) -> int:
        """Start a failed job over; the id of the job that does it."""
        return await retry_job(self.parts.database, check.count("id", id, most=2**62))

    async def spaces(self, limit: int = 1_000) -> list[Space]:
        """The spaces that exist, by name."""
        return await directory.spaces(self.parts, check.count("limit", limit))

    async def backup(self, file: str | Path, progress: Callable[[int, int], None] | None = None) -> Backup:
        """Write all spaces into one file, with a checksum and the keys of what was forgotten."""
        return await backing.backup(self.parts, Path(file), progress)

    async def restore(self, file: str | Path, progress: Callable[[int, int], None] | None = None) -> Restored:
        """Bring back what a backup holds and the database does not; what was forgotten since stays forgotten."""
        return await backing.restore(self.parts, Path(file), progress)

    async def graph_status(self) -> GraphStatus:
        """How far Neo4j is, and whether it answers."""
        return await projecting.status(self.parts)

    async def rebuild_graph(
        self, spaces: Sequence[str] | None = None, progress: Callable[[int, int], None] | None = None
    ) -> Mapping[str, int]:
        """Copy all spaces, or some, to Neo4j anew; what it counted. Meanwhile PostgreSQL answers."""
        asked = None if spaces is None else check.names("spaces", spaces)
        counts = {"spaces": 0, "copied": 0}
        begun = await projecting.begin_anew(self.parts, asked)
        async with projecting.reporting(self.parts, begun, progress):
            for space in begun:
                done = await self.worker.run_now(PROJECTION, space)
                counts = {"spaces": counts["spaces"] + 1, "copied": counts["copied"] + done["copied"]}
        return counts

    async def verify_graph(
        self, spaces: Sequence[str] | None = None, progress: Callable[[int, int], None] | None = None
    ) -> Verified:
        """Compare Neo4j with PostgreSQL; every difference by name."""
        asked = None if spaces is None else check.names("spaces", spaces)
        return await verifying.verify(self.parts, asked, progress)

    async def make_key(
        self,
        name: str,
        *,
        user_id: str | None = None,
        project_id: str | None = None,
        agent_id: str | None = None,
        team_ids: Sequence[str] = (),
        sensitivity: Sensitivity = "normal",
        admin: bool = False,
    ) -> NewKey:
        """Make a key for the server: it speaks for this scope and no other, or for any if it is an admin's.

        Its secret is shown here and never again.
        """
        given = {
            "user_id": user_id,
            "project_id": project_id,
            "agent_id": agent_id,
            "team_ids": team_ids,
            "sensitivity": sensitivity,
            "admin": admin,
        }
        return await self.admission.make(name, given)

    async def keys(self) -> list[Key]:
        """Every key of the server, the oldest first; revoked ones too, and never a secret."""
        return await self.admission.all()

    async def rotate_key(self, id: UUID | str) -> NewKey:
        """Give a key another secret; the former one opens nothing from now on."""
        return await self.admission.rotate(check.uuid("id", id))

    async def revoke_key(self, id: UUID | str) -> Key:
        """Take a key away: it opens nothing from now on."""
        return await self.admission.revoke(check.uuid("id", id))

    async def drain(self, timeout: float | None = 60) -> Drained:
        """Have done what is queued or running now, and what that leads to."""
        if timeout is not None and not _is_number(timeout):
            raise InvalidInput("timeout", "must be a number of seconds from 0 on, or None")
        await self.recalls.flush()
        drained = await self.worker.drain(timeout)
        await self.parts.governor.flush()
        return drained


def for_looking(memory: "ScopedMemory") -> "ScopedMemory":
    """The same scope for a person who looks at what is there: nothing counts as recalled by it."""
    looker = copy(memory)
    looker._recalls = Looks(memory._recollect.recalls)
    return looker


class ScopedMemory:
    """The verbs, for one scope."""

    def __init__(self, recollect: Recollect, scope: Scope) -> None:
        self._recollect = recollect
        self._parts = recollect.parts
        self._recalls: Recalls | Looks = recollect.recalls
        self._bound = scope

    @property
    def scope(self) -> Scope:
        """Who asks, with what the allowlist of its agent lets it see at this moment."""
        return self._recollect.governance.current.seen_by(self._bound)

    def _looked_at(self) -> Scope:
        """The scope, for a verb that reads: an agent that sees nothing is refused."""
        scope = self.scope
        scope.refuse_blind()
        if (problem := self._recollect.governance.untold_problem()) is not None:
            self._recalls.note_problem(scope, "categories", problem, self._parts.clock())
        return scope

    # Conversations

    @acts("speak")
    async def conversation(
        self, thread_id: str | None = None, *, title: str | None = None, remember: bool = True, shared: bool = False
    ) -> "Chat":
        """The conversation of a thread, begun if it is new."""
        thread, now = self._thread(thread_id), self._parts.clock()
        opened = await conversations.begin(
            self._parts.database, self.scope, thread, now, title=title, remember=remember, shared=shared
        )
        return Chat(self, opened)

    def _thread(self, named: str | None) -> str:
        thread = named if named is not None else self.scope.thread_id
        if thread is None:
            raise InvalidInput("thread_id", "name the thread here or in the scope")
        return thread

    @reads
    async def get_conversation(self, thread_id: str | None = None, *, shared: bool = False) -> "Chat":
        """The conversation of a thread that has begun; NotFound where none has."""
        found = await conversations.find(self._parts.database, self.scope, self._thread(thread_id), shared=shared)
        return Chat(self, found)

    @reads
    async def conversations(
        self, status: str | None = None, limit: int = 100, after: str | UUID | None = None
    ) -> list[ListedConversation]:
        """The scope's conversations and the shared ones of its space."""
        return await conversations.conversations(self._parts.database, self.scope, status, limit, after)

    @reads
    async def find_conversation(self, conversation_id: UUID | str) -> "Chat":
        """A conversation by its id, as a list of them has it; none is begun."""
        id = check.uuid("conversation_id", conversation_id)
        return Chat(self, await conversations.find_by_id(self._parts.database, self.scope, id))

    # Memories

    @overload
    async def add(self, content: str, **values: Any) -> Memory: ...
    @overload
    async def add(self, content: list[Mapping[str, Any]], **values: Any) -> list[Message]: ...
    @acts("speak")
    async def add(self, content: str | list[Mapping[str, Any]], **values: Any) -> Memory | list[Message]:
        """Add a memory by hand, or a list of messages to the scope's thread."""
        if isinstance(content, list):
            return await self._add_messages(content, values)
        return await self._add_memory({"content": content, **values})

    @acts("seen")
    async def _add_memory(self, given: Mapping[str, Any]) -> Memory:
        return await remember.add(self._parts, self.scope, given)

    async def _add_messages(self, messages: list[Mapping[str, Any]], values: Mapping[str, Any]) -> list[Message]:
        if values:
            raise InvalidInput(min(values), "goes into each message")
        checked = _checked_messages(self._parts, messages)
        chat = await self.conversation()
        return await chat._append(checked)

    @acts("seen")
    async def add_many(self, memories: Sequence[Mapping[str, Any]]) -> list[Memory]:
        """Add memories in one transaction: all of them, or none."""
        if isinstance(memories, str | Mapping) or not isinstance(memories, Sequence):
            raise InvalidInput("memories", "must be a list of objects")
        for place, memory in enumerate(memories):
            if not isinstance(memory, Mapping):
                raise InvalidInput(f"memories[{place}]", "must be an object")
        return await remember.add_many(self._parts, self.scope, memories)

    @reads
    async def search(
        self,
        query: str,
        limit: int = 10,
        *,
        after: str | None = None,
        wait: Literal["searchable", "understood"] = "searchable",
        timing: Timing | None = None,
        **filters: Any,
    ) -> Hits:
        """The memories that fit a question best, each with the reasons for its score."""
        check.choice("wait", wait, ("searchable", "understood"))
        request = await self._request(query, limit, filters)
        warning = None
        if after is not None:
            warning = await wait_for(self._parts, self.scope, Watermark.parse(after), wait)
            self._parts.searcher.known.forget(self.scope.space)  # somebody new may have spoken
        timing = timing or Timing()
        # Asked with a threshold, a question may have no answer.
        parts = self._parts if request.threshold is None else self._parts.answering()
        hits = await searching.search(parts, request, timing)
        self._recalls.note_search(self.scope, hits, request.now, timing.total)
        return Hits(hits, () if warning is None else (warning,))

    @reads
    async def search_many(self, queries: Sequence[str | Mapping[str, Any]], **shared: Any) -> list[list[Hit]]:
        """Several searches at once; each is a question, or an object with the arguments of `search`."""
        if isinstance(queries, str | Mapping) or not isinstance(queries, Sequence):
            raise InvalidInput("queries", "must be a list of questions")
        asked = [await self._arguments(query, shared) for query in queries]
        return list(await asyncio.gather(*(self.search(**arguments) for arguments in asked)))

    async def query(
        self,
        query: str,
        *,
        agent: str | None = None,
        categories: Sequence[str] | None = None,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 3,
        threshold: float | None = None,
        return_: Literal["bullets", "full"] = "bullets",
        budget_tokens: int = 512,
    ) -> Bullets:
        """What an agent needs to know, in a few bullets within a budget; `full` for all that the memories say.

        What does not fit is left out, and `warnings` says so.

        The categories are those that the agent's allowlist has, or of those the ones that are named. Procedures come
        only where `procedural` is named. `filters`: user_id, agent_id, run_id, actor_id, role, category, pinned,
        importance_min and importance_max (levels 1 to 5), updated_after, updated_before.
        """
        given = {
            "categories": categories,
            "filters": filters,
            "top_k": top_k,
            "threshold": threshold,
            "return_": return_,
            "budget_tokens": budget_tokens,
        }
        acting = ScopedMemory(self._recollect, querying.acting_as(self._bound, agent))
        return await acting._query(query, given)

    @reads
    async def _query(self, query: str, given: Mapping[str, Any]) -> Bullets:
        timing, scope = Timing(), self.scope
        answered = await querying.query(self._parts, scope, query, given, timing)
        now = self._parts.clock()
        self._recalls.note_search(scope, answered.hits, now, timing.total, op="query")
        return Bullets(answered.told, answered.warnings)

    async def _arguments(self, query: str | Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
        """One search of many, checked before the first of them begins."""
        arguments = {**shared, **(query if isinstance(query, Mapping) else {"query": query})}
        rest = {name: value for name, value in arguments.items() if name not in ("query", "limit", "after", "wait")}
        await self._request(arguments.get("query"), arguments.get("limit", 10), rest)
        return arguments

    async def _request(self, query: object, limit: object, filters: Mapping[str, Any]) -> requesting.Request:
        parts = self._parts
        zone = await parts.searcher.zone(self.scope.readable)
        return requesting.parse(self.scope, query, limit, filters, parts.settings, parts.clock(), zone)

    @reads
    async def get(self, id: UUID | str) -> Memory:
        """One memory; a deleted one too, until it is purged."""
        memory = await revise.find(self._parts, self.scope, check.uuid("id", id))
        self._recalls.note(self.scope, [memory], self._parts.clock())
        return memory

    @reads
    async def get_all(
        self, limit: int = 100, after: str | UUID | None = None, *, newest_first: bool = False, **filters: Any
    ) -> Page:
        """A page of memories in the order of their ids; `page.next` goes into `after`."""
        return await revise.page(
            self._parts,
            self.scope,
            await self._filters(filters),
            check.count("limit", limit),
            check.optional_uuid("after", after),
            newest_first=check.flag("newest_first", newest_first),
        )

    @reads
    async def deleted(self, limit: int = 100, after: str | UUID | None = None) -> Page:
        """A page of deleted memories that can be restored, the newest first; `page.next` goes into `after`."""
        start = check.optional_uuid("after", after)
        return await revise.deleted(self._parts, self.scope, check.count("limit", limit), start)

    @reads
    async def overview(self, days: int = 30) -> Overview:
        """Memories by kind and state, how they grew in the last days, and how much was said."""
        return await overview.overview(self._parts, self.scope, check.count("days", days, most=366))

    async def timezone(self) -> str:
        """The time zone in which the scope's days are counted."""
        return await self._parts.searcher.zone(self.scope.readable)

    async def work(self) -> Work:
        """How background work stands in the spaces that the scope reads."""
        parts, spaces = self._parts, self.scope.readable
        return await looking.look(parts.database, parts.settings, fade.SWEEPS, parts.clock(), spaces)

    async def _filters(self, given: Mapping[str, Any]) -> filtering.Filters:
        zone = await self._parts.searcher.zone(self.scope.readable)
        return filtering.parse(dict(given), zone=zone, scope=self.scope)

    @acts("seen")
    async def update(self, id: UUID | str, *, if_version: int | None = None, **changes: Any) -> Memory:
        """Change a memory; with `if_version`, only if nobody changed it since."""
        version = None if if_version is None else check.count("if_version", if_version, most=2**31 - 1)
        return await revise.update(self._parts, self.scope, check.uuid("id", id), changes, version)

    @acts("seen")
    async def delete(self, id: UUID | str, *, reason: str | None = None) -> Memory:
        """Take a memory out of every search; it can be restored until it is purged."""
        return await revise.delete(self._parts, self.scope, check.uuid("id", id), check.optional_text("reason", reason))

    @acts("seen")
    async def delete_all(self, **filters: Any) -> int:
        """Delete every memory of the scope's space that the filters describe; how many."""
        return await revise.delete_all(self._parts, self.scope, await self._filters(filters))

    @acts("seen")
    async def restore(self, id: UUID | str) -> Memory:
        """Bring a deleted memory back."""
        return await revise.restore(self._parts, self.scope, check.uuid("id", id))

    @acts("seen")
    async def feedback(self, id: UUID | str, verdict: Literal["useful", "wrong"]) -> Memory:
        """Say that a memory was useful, or that it is wrong: its rank and confidence follow."""
        return await feedback.give(self._parts, self.scope, check.uuid("id", id), verdict)

    @reads
    async def audit(self) -> Audit:
        """Look for duplicates, contradictions, what is stale, orphaned, secret or breeds, in the scope's space."""
        return await auditing.audit(self._parts, self.scope)

    @acts("everything")
    async def forget(
        self,
        id: UUID | str | None = None,
        *,
        message: tuple[str, int] | None = None,
        thread: str | None = None,
        source: UUID | str | None = None,
        person: str | None = None,
        query: str | None = None,
        everything: bool = False,
        keep_raw: bool = False,
        dry_run: bool = False,
        token: str | None = None,
    ) -> Receipt:
        """Forget one thing for good, and bar it: a memory, message, thread, source, person, what a query finds, or all.

        `dry_run` shows what would go, with a token that forgets exactly that; `query` always needs one. `keep_raw`
        leaves the passages in messages and documents.
        """
        await self._recollect.recalls.flush()
        given = {
            "id": id,
            "message": message,
            "thread": thread,
            "source": source,
            "person": person,
            "query": query,
            "everything": everything,
            "keep_raw": keep_raw,
            "dry_run": dry_run,
            "token": token,
        }
        return await forget.forget(self._parts, self.scope, given)

    @acts("own")
    async def tombstones(self) -> list[Tombstone]:
        """What was forgotten, oldest first: when, by whom and how much, and nothing of what it was."""
        return await forget.listed(self._parts, self.scope)

    @acts("everything")
    async def lift(self, tombstone_id: UUID | str) -> Tombstone:
        """Take a tombstone away: what it bars may be learned again."""
        return await forget.lift(self._parts, self.scope, check.uuid("tombstone_id", tombstone_id))

    @reads
    async def history(self, id: UUID | str) -> list[HistoryEntry]:
        """Everything that happened to a memory, or to a proposal for the profile, oldest first."""
        return await profiling.history(self._parts, self.scope, check.uuid("id", id))

    # What is known of the owner

    @reads
    async def profile(self) -> list[ProfileFact]:
        """The keyed facts that hold for the scope's owner, most important first."""
        return await profiling.profile(self._parts, self.scope)

    @acts("profile")
    async def set_profile(self, type: str, key: str, value: str, confidence: float = 1.0) -> ProfileFact:
        """Say what holds for a key; what held before stays as history."""
        return await profiling.set_profile(self._parts, self.scope, type, key, value, confidence)

    @reads
    async def consents(self, status: str | None = "open") -> list[Consent]:
        """Values for the profile that wait for the user's word; of another status, or all with None."""
        return await profiling.consents(self._parts, self.scope, status)

    @acts("profile")
    async def decide(self, consent_id: UUID | str, *, accept: bool) -> Consent:
        """Say yes or no to a proposal."""
        id = check.uuid("consent_id", consent_id)
        return await profiling.decide(self._parts, self.scope, id, check.flag("accept", accept))

    @reads
    async def pending(self, limit: int = 100) -> list[Memory]:
        """Statements that wait to be corroborated: in no search and in no context until then."""
        return await profiling.pending(self._parts, self.scope, check.count("limit", limit))

    @acts("seen")
    async def promote(self, id: UUID | str) -> Memory:
        """Take a pending statement as known, or a source into long-term memory."""
        memory = await revise.find(self._parts, self.scope, check.uuid("id", id))
        if memory.kind == "source":
            return await promote.promote(self._parts, self.scope, memory)
        return await profiling.promote(self._parts, self.scope, memory)

    # The graph

    @reads
    async def explore(
        self,
        queries: Sequence[str | Mapping[str, Any]],
        granularity: int = 2,
        mode: Literal["fast", "full"] = "full",
        within: UUID | str | None = None,
        *,
        limit: int = 10,
        threshold: float | None = None,
        include: Sequence[str] = (),
    ) -> Exploration:
        """What fits any of the questions: 1 sources and nodes, 2 storylines, 3 macros; salience lifts it.

        A question is a text or {"query", "threshold"}; a threshold is on the calibrated scale. `fast` ranks by vectors
        alone. `within` drills down: in a macro to its storylines, or with 1 to their sources and nodes, in a storyline
        to its sources and nodes, in a node to its sources; with no question, to all of them, the newest first.
        """
        given = {"granularity": granularity, "mode": mode, "within": within, "limit": limit}
        found = await exploring.explore(
            self._parts, self.scope, queries, given | {"threshold": threshold, "include": include}
        )
        self._recalls.note(self.scope, [hit.memory for hit in found.hits], self._parts.clock())
        return found

    @reads
    async def traverse(
        self,
        node_id: UUID | str,
        depth: int = 2,
        types: Sequence[str] | None = None,
        *,
        limit: int = 50,
        include: Sequence[str] = (),
        valid_at: datetime | str | None = None,
    ) -> Traversal:
        """What lies around a node: nearest first, cut by rank where it is more than `limit` nodes.

        `types` are those of the relations that are followed, in both directions; None: all that are said of people,
        concepts and things. Those that hold memory together (`mentions`, `includes`, `about`, `groups`, `rooted_in`,
        `related_to`, `supersedes`) are followed only where they are named.
        """
        asked = {"types": types, "include": include, "valid_at": valid_at}
        id = check.uuid("node_id", node_id)
        found = await walking.traverse(self._parts, self.scope, id, depth, limit, asked)
        given = [found.start.id, *(node.memory.id for node in found.nodes), *(edge.id for edge in found.relations)]
        self._recalls.note_walk(found.start.space, given, self._parts.clock())
        return found

    @reads
    async def path(
        self,
        a_id: UUID | str,
        b_id: UUID | str,
        types: Sequence[str] | None = None,
        *,
        most: int = 6,
        include: Sequence[str] = (),
        valid_at: datetime | str | None = None,
    ) -> Route | None:
        """A shortest way between two nodes, of at most `most` relations; None where there is none."""
        asked = {"types": types, "include": include, "valid_at": valid_at}
        ends = check.uuid("a_id", a_id), check.uuid("b_id", b_id)
        found = await walking.path(self._parts, self.scope, *ends, most, asked)
        if found is not None:
            self._recalls.note_walk(found.nodes[0].space, found.ids, self._parts.clock())
        return found

    @reads
    async def match(
        self,
        pattern: Sequence[Sequence[str | None]],
        names: Sequence[str | UUID | None] | Mapping[int, str | UUID] | None = None,
        limit: int = 100,
        *,
        include: Sequence[str] = (),
        valid_at: datetime | str | None = None,
    ) -> list[Match]:
        """What lies in the graph as a pattern says: by the sum of the relations' strengths, then by ids.

        A pattern is a list of up to 4 edges that follow each other, each (kind, type, kind), with "back" as a fourth
        word where the relation leads from the second node to the first. None is any kind, or any type but those that
        hold memory together. `names` says what nodes are called, by their places in the pattern: a list with None for
        any, or {place: name}; an id will do as well. No node comes twice in a match.
        """
        asked = {"include": include, "valid_at": valid_at}
        found = await walking.match(self._parts, self.scope, pattern, names, limit, asked)
        for space in {match.nodes[0].space for match in found}:
            here = [match for match in found if match.nodes[0].space == space]
            given = {id for match in here for id in match.ids}
            self._recalls.note_walk(space, given, self._parts.clock())
        return found

    # What agents work on

    @acts("own")
    async def create_active(
        self,
        title: str,
        *,
        template: str | None = None,
        sections: Mapping[str, str] | None = None,
        description: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Active:
        """Begin working notes of the scope's agent; `template` is YAML, or the name of one that is built in."""
        desk = self._working
        return await working.create(desk, self.scope, title, template, sections, description, metadata)

    @acts("own")
    async def update_section(self, active_id: UUID | str, section: str, text: str) -> Active:
        """Give a section another text; its update count rises by one."""
        id = check.uuid("active_id", active_id)
        return await working.update_section(self._working, self.scope, id, section, text)

    @reads
    async def actives(self, agent: str | None = None, *, ended: bool = False) -> list[Active]:
        """What an agent works on: the named one, else the scope's own, else all of the space."""
        return await working.actives(self._working, self.scope, agent, ended=check.flag("ended", ended))

    @reads
    async def get_active(self, active_id: UUID | str) -> Active:
        """One active memory, with its sections."""
        return await working.get(self._working, self.scope, check.uuid("active_id", active_id))

    @reads
    async def section_history(self, active_id: UUID | str) -> list[SectionText]:
        """Every text that the sections of an active memory ever had, by section, in order."""
        return await working.texts(self._working, self.scope, check.uuid("active_id", active_id))

    @acts("own")
    async def end_active(self, active_id: UUID | str) -> Active:
        """The task is over: what has not landed in short-term memory is migrated now."""
        id = check.uuid("active_id", active_id)
        await working.end(self._working, self.scope, id)
        await migrating.migrate(self._parts, self.scope, id)
        return await working.get(self._working, self.scope, id)

    async def templates(self) -> dict[str, str]:
        """The templates that are built in: names and YAML."""
        return dict(templates.built_in())

    @property
    def _working(self) -> working.Desk:
        return working.Desk(self._parts.database, self._parts.settings, self._parts.clock)

    @acts("own")
    async def migrate(self) -> list[Migrated]:
        """Take updated sections into short-term memory now: of the scope's agent, or of all; what became of each."""
        return await migrating.migrate(self._parts, self.scope)

    @reads
    async def chunk_history(self, source_id: UUID | str) -> list[Memory]:
        """Every long-term version of a source's chunks, newest first."""
        return await promote.chunk_history(self._parts, self.scope, check.uuid("source_id", source_id))

    @reads
    async def reviews(self, status: str | None = "open") -> list[Review]:
        """Sections of the scope's agent, or of all, that contradict what is known, or may; all statuses with None."""
        return await review.reviews(self._parts, self.scope, status)

    @acts("own")
    async def resolve(self, review_id: UUID | str, resolution: str, text: str | None = None) -> Review:
        """Decide a review: `keep_old`, `keep_new`, `keep_both`, or `merged` with a text that says both."""
        id = check.uuid("review_id", review_id)
        return await review.resolve(self._parts, self.scope, id, resolution, text)

    # Where a program stood

    @acts("own")
    async def save_checkpoint(self, state: Any, *, if_version: int | None = None) -> SavedCheckpoint:
        """Save the state of the scope's thread, any JSON, as its next version; durable and whole when this returns.

        With `if_version`, only if that version is still the latest (0: if there is none yet); else Conflict.
        """
        return await checkpointing.save(self._shelf, state, if_version)

    @acts("own")
    async def load_checkpoint(self, version: int | None = None) -> Any:
        """The state that was saved last for the scope's thread, or in a version; None where none was saved."""
        found = await checkpointing.get(self._shelf, version)
        return None if found is None else found.state

    @acts("own")
    async def checkpoint(self, version: int | None = None) -> Checkpoint | None:
        """The same with its version, which goes into `if_version`, and who saved it when."""
        return await checkpointing.get(self._shelf, version)

    @acts("own")
    async def checkpoints(self, limit: int = 100, before: int | None = None) -> list[SavedCheckpoint]:
        """The versions of the thread's state that are kept, newest first; with `before`, those before a version."""
        return await checkpointing.listed(self._shelf, limit, before)

    @acts("own")
    async def delete_checkpoints(self) -> int:
        """Remove all checkpoints of the scope's thread, those of LangGraph's graphs too; how many."""
        return await checkpointing.delete(self._shelf)

    @property
    def _shelf(self) -> checkpointing.Shelf:
        parts = self._parts
        return checkpointing.Shelf(parts.database, parts.settings, parts.clock, self.scope, parts.odd_threads)

    async def spend(self, days: int = 1) -> Spend:
        """What models have cost the scope's space on its last days, its caps, and whether it is over one."""
        return await self._parts.governor.report(self.scope.space, check.count("days", days, most=366))

    # Replay

    @acts("everything")
    async def replay(
        self,
        thread: str | None = None,
        since: datetime | str | None = None,
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> Replay:
        """Read what was said again, by the model or extractor of today, and see what would change; nothing does yet.

        A run that was interrupted goes on, and one that nobody decided is brought up to date.
        """
        return await replay.replay(self._parts, self.scope, thread, since, progress)

    @acts("everything")
    async def replays(self, limit: int = 100) -> list[Replay]:
        """The scope's replays, newest first."""
        return await replay.replays(self._parts, self.scope, limit)

    @acts("everything")
    async def get_replay(self, replay_id: UUID | str) -> Replay:
        """One replay with its changes."""
        return await replay.get_replay(self._parts, self.scope, check.uuid("replay_id", replay_id))

    @acts("everything")
    async def accept_replay(self, replay_id: UUID | str, changes: Sequence[str] | None = None) -> Replay:
        """Take what a replay would change, all of it or some changes by id; each then says what became of it."""
        id = check.uuid("replay_id", replay_id)
        return await replay_accept.accept(self._parts, self.scope, id, changes)

    @acts("everything")
    async def discard_replay(self, replay_id: UUID | str) -> Replay:
        """Let go of what is left of a replay."""
        return await replay.discard(self._parts, self.scope, check.uuid("replay_id", replay_id))

    # The graph

    @reads
    async def nodes(
        self,
        kind: str | None = "person",
        name: str | None = None,
        limit: int = 100,
        after: str | UUID | None = None,
    ) -> list[Node]:
        """People, concepts or entities (all with None); with `name`, those with a name or alias that begins so."""
        found = await connecting.nodes(self._parts, self.scope, kind, name, limit, after)
        self._recalls.note(self.scope, found, self._parts.clock())
        return found

    @acts("seen")
    async def add_note(self, id: UUID | str, text: str, lifetime: str = "month") -> Note:
        """Note something on a node, a relation or any memory, for a week, a month, a year or forever."""
        return await annotating.add(self._parts, self.scope, check.uuid("id", id), text, lifetime)

    @acts("seen")
    async def update_note(self, id: UUID | str, text: str | None = None, *, lifetime: str | None = None) -> Note:
        """Give a note another text, or another life from now on."""
        return await annotating.change(self._parts, self.scope, check.uuid("id", id), text, lifetime)

    @acts("seen")
    async def remove_note(self, id: UUID | str) -> Note:
        """Take a note away; what it was."""
        return await annotating.remove(self._parts, self.scope, check.uuid("id", id))

    @reads
    async def notes(self, id: UUID | str) -> list[Note]:
        """What is noted on a node, a relation or any memory, oldest first."""
        return await annotating.listed(self._parts, self.scope, check.uuid("id", id))

    @acts("seen")
    async def relate(
        self,
        a_id: UUID | str,
        b_id: UUID | str,
        type: str,
        *,
        description: str | None = None,
        attitude: str | None = None,
        proximity: str | None = None,
        confidence: float | None = None,
        strength: float | None = None,
    ) -> Relation:
        """Say that a relation holds from one memory to another; one that holds already is changed by what is given."""
        ends = check.uuid("a_id", a_id), check.uuid("b_id", b_id)
        given = _stated(description, attitude, proximity, confidence, strength)
        return await connecting.relate(self._parts, self.scope, ends, type, given)

    @acts("seen")
    async def update_relation(
        self,
        id: UUID | str,
        *,
        description: str | None = None,
        attitude: str | None = None,
        proximity: str | None = None,
        confidence: float | None = None,
        strength: float | None = None,
    ) -> Relation:
        """Say something else of a relation; what was said on another day stays as a version that ended."""
        given = _stated(description, attitude, proximity, confidence, strength)
        return await connecting.change(self._parts, self.scope, check.uuid("id", id), given)

    @acts("seen")
    async def end_relation(self, id: UUID | str) -> Relation:
        """Say that a relation holds no longer: it stays as a version that ended, and no text begins it again."""
        return await connecting.end(self._parts, self.scope, check.uuid("id", id))

    @reads
    async def relations(self, id: UUID | str) -> list[Relation]:
        """The relations that hold from and to a memory, the strongest first."""
        return await connecting.of(self._parts, self.scope, check.uuid("id", id))

    @reads
    async def merges(self, status: str | None = "proposed") -> list[Merge]:
        """Nodes that may be one; of another status, or all with None."""
        return await uniting.listed(self._parts, self.scope, status)

    @acts("seen")
    async def merge(self, a_id: UUID | str, b_id: UUID | str) -> Merge:
        """Make two nodes one: the first is kept with all names of both, unless the second stands for the owner."""
        return await uniting.merge(self._parts, self.scope, check.uuid("a_id", a_id), check.uuid("b_id", b_id))

    @acts("seen")
    async def resolve_merge(self, id: UUID | str, *, accept: bool) -> Merge:
        """Say whether two nodes that may be one are; what is refused is not proposed again."""
        return await uniting.resolve(self._parts, self.scope, check.uuid("id", id), check.flag("accept", accept))

    @acts("seen")
    async def unmerge(self, id: UUID | str) -> Merge:
        """Part two nodes again that were made one: what was moved goes back."""
        return await uniting.unmerge(self._parts, self.scope, check.uuid("id", id))

    @acts("everything")
    async def guide(
        self,
        *,
        instructions: str | None = None,
        profile_keys: Sequence[str] | None = None,
        entity_types: Sequence[str] | None = None,
        relation_types: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """What the scope's space tells extraction, changed by what is given."""
        given = {
            "instructions": instructions,
            "profile_keys": profile_keys,
            "entity_types": entity_types,
            "relation_types": relation_types,
        }
        return await profiling.guide(self._parts, self.scope, given)

    async def watch(self, after: int | None = None) -> AsyncIterator[Change]:
        """Changes of the scope's space as they come; from now, or after a revision."""
        revision = await self.revision() if after is None else check.count("after", after, least=0, most=2**62)
        place = (revision, 2**31 - 1)
        while True:
            lines = await self._changes_after(*place)
            for line in lines:
                place = (line.revision, line.position)
                yield Change(line.revision, line.event, line.memory_id, line.kind, line.thread_id, line.at)
            if not lines:
                await asyncio.sleep(_WATCH_PAUSE)

    # Sources

    @acts("seen")
    async def ingest(
        self,
        raw: str,
        source_type: str = "text-note",
        *,
        title: str | None = None,
        participants: Sequence[str] = (),
        started_at: datetime | None = None,
        ended_at: datetime | None = None,
        context_type: str | None = None,
        sensitivity: Sensitivity = "normal",
        ttl_policy: str = "decay",
        metadata: Mapping[str, Any] | None = None,
        id: UUID | str | None = None,
        team_id: str | None = None,
    ) -> Memory:
        """Store a document: durable when this returns, searchable and in the graph soon after."""
        given = {
            "source_type": source_type,
            "title": title,
            "participants": participants,
            "started_at": started_at,
            "ended_at": ended_at,
            "context_type": context_type,
            "sensitivity": sensitivity,
            "ttl_policy": ttl_policy,
            "metadata": metadata,
            "id": id,
            "team_id": team_id,
        }
        return await ingest.ingest(self._parts, self.scope, raw, given)

    @reads
    async def sources(
        self, status: str | None = None, limit: int = 100, after: str | UUID | None = None
    ) -> list[Source]:
        """Sources without their texts, and how far each is understood; `failed` ones with why."""
        return await ingest.listed(self._parts, self.scope, status, limit, after)

    @acts("seen")
    async def retry_source(self, source_id: UUID | str) -> Source:
        """Try a source again that was given up."""
        return await ingest.retry(self._parts, self.scope, check.uuid("source_id", source_id))

    @acts("everything")
    async def leave_team(self, team_id: str) -> int:
        """Let go of a team's sources and of what came only of them; how many sources of it the user had used."""
        await self._recollect.recalls.flush()
        return await teams.leave(self._parts, self.scope, team_id)

    async def export(self, *, plain: bool = False) -> AsyncIterator[str]:
        """All of the scope's space as JSON lines, vectors and tombstones included, as it stands at one moment.

        `plain`: only what was said, ingested or added by hand.
        """
        if check.flag("plain", plain):
            async for line in transfer.export(self._parts, self.scope):
                yield json.dumps(line, ensure_ascii=False)
            return
        async for text in carry.export(self._parts, self.scope):
            yield text

    @acts("everything")
    async def import_lines(self, lines: Iterable[str]) -> transfer.Imported:
        """Take the lines of an export, or plain ones, into the scope's space; again, they add nothing.

        What was forgotten stays so, and what a person set stays; `skipped` and `problems` tell of the lines left out.
        """
        await self._recollect.recalls.flush()
        work = transfer.Import(self._parts, self.scope)
        async for _ in work.run(lines):
            pass
        return work.done

    async def revision(self) -> int:
        """How many changes the scope's space has seen: `watch(after=…)` goes on from there."""
        async with self._parts.database.transaction(self.scope.space) as connection:
            cursor = await connection.execute(store.QUERIES["revision"], {"space": self.scope.space})
            row = await cursor.fetchone()
        return row.revision if row else 0

    @reads
    async def _changes_after(self, revision: int, position: int) -> list[Any]:
        scope = self.scope
        asked = {"space": scope.space, "revision": revision, "position": position, "limit": 1_000}
        asked |= {"sensitivity": filtering.allowed_sensitivities(scope.sensitivity)}
        async with self._parts.database.transaction(scope.space) as connection:
            cursor = await connection.execute(store.QUERIES["changes_seen_after"], asked)
            return await cursor.fetchall()


_WATCH_PAUSE = 0.2


def _stated(
    description: str | None,
    attitude: str | None,
    proximity: str | None,
    confidence: float | None,
    strength: float | None,
) -> dict[str, Any]:
    """What a caller says of a relation."""
    return {
        "description": description,
        "attitude": attitude,
        "proximity": proximity,
        "confidence": confidence,
        "strength": strength,
    }


def _checked_messages(parts: Parts, given: Sequence[Mapping[str, Any]]) -> list[NewMessage]:
    if isinstance(given, str | Mapping) or not isinstance(given, Sequence):
        raise InvalidInput("messages", "must be a list of objects")
    return [_checked_message(parts, message, f"messages[{place}]") for place, message in enumerate(given)]


def _checked_message(parts: Parts, given: Mapping[str, Any], place: str = "") -> NewMessage:
    if not isinstance(given, Mapping):
        raise InvalidInput(place, "must be an object with role and content")
    field = f"{place}." if place else ""
    return conversations.new_message(given, parts.clock(), parts.settings.message_bytes, field=field)


class Chat:
    """One conversation."""

    def __init__(self, memory: ScopedMemory, conversation: Conversation) -> None:
        self._memory = memory
        self._parts = memory._parts
        self.conversation = conversation

    @property
    def scope(self) -> Scope:
        """Who takes part in it."""
        return self._memory.scope

    def _looked_at(self) -> Scope:
        return self._memory._looked_at()

    @acts("speak")
    async def add(
        self,
        role: str,
        content: Content,
        *,
        name: str | None = None,
        at: datetime | None = None,
        metadata: Mapping[str, Any] | None = None,
        id: UUID | str | None = None,
    ) -> Message:
        """Add a message: durable when this returns, searchable soon after."""
        values = {"role": role, "content": content, "name": name, "at": at, "metadata": metadata, "id": id}
        [message] = await self._append([_checked_message(self._parts, values)])
        return message

    @acts("speak")
    async def add_many(self, messages: Sequence[Mapping[str, Any]]) -> list[Message]:
        """Add messages in order, in one transaction."""
        return await self._append(_checked_messages(self._parts, messages))

    async def _append(self, messages: Sequence[NewMessage]) -> list[Message]:
        now = self._parts.clock()
        return await conversations.append(self._parts.database, self._memory.scope, self.conversation, messages, now)

    @reads
    async def messages(self, first: int = 1, limit: int = 100) -> list[Message]:
        """The raw log, in order."""
        return await conversations.messages(self._parts.database, self.scope, self.conversation, first, limit)

    @reads
    async def context(
        self,
        question: str,
        *,
        tokens: int | None = None,
        system: str | None = None,
        extra: Sequence[str] = (),
        after: str | None = None,
        wait: Literal["searchable", "understood"] = "searchable",
        timing: Timing | None = None,
    ) -> "Context":
        """What a model should know to answer: the talk so far and what it calls to mind, within a budget."""
        most = self._parts.settings.context_tokens if tokens is None else tokens
        check.count("tokens", most, least=converse.LEAST_TOKENS, most=10_000_000)
        asked = converse.Asked(
            check.text("question", question, most_bytes=self._parts.settings.message_bytes),
            self._memory.scope,
            check.optional_text("system", system, most_bytes=self._parts.settings.message_bytes),
            converse.checked_extra(extra, self._parts.settings.message_bytes),
            self._parts.clock(),
            most,
            self._memory._recollect.governance.current,
        )
        check.choice("wait", wait, ("searchable", "understood"))
        await conversations.refuse_foreign(self._parts.database, self.scope, self.conversation)
        warning = None
        if after is not None:
            warning = await wait_for(self._parts, self._memory.scope, Watermark.parse(after), wait)
        timing = timing or Timing()
        built = await converse.build(self._parts, self.conversation, asked, warning, timing)
        self._memory._recalls.note_context(
            self._memory.scope, built.hits, asked.now, timing.total, advised=built.recall_advised
        )
        return Context(self, built)

    @acts("speak")
    async def ack(self, offered: Mapping[str, int] | None = None) -> None:
        """Say that the updates at the head of a context were read: those of `Context.offered`, else of the last one."""
        await converse.acknowledge(self._parts, self.scope, self.conversation, offered)

    @acts("speak")
    async def retract(self, turn: int, replace: Content | None = None) -> Message | None:
        """Take a message back: it stays in the log, marked; what came only of it is withdrawn.

        With `replace`, a message that is read in its place, as after an edit or a regenerated answer.
        """
        return await retracting.retract(self._parts, self._memory.scope, self.conversation, turn, replace)

    @reads
    async def narrative_arc(self) -> Arc[Episode]:
        """The milestones of the conversation: beginning, middle, end, and the key moments."""
        self.conversation = await conversations.get(self._parts.database, self.conversation)
        return await milestones.narrative_arc(self._parts, self.scope, self.conversation)

    @acts("speak")
    async def pause(self) -> None:
        """Set the conversation aside."""
        await self._set_status("paused")

    @acts("speak")
    async def resume(self) -> None:
        """Take it up again."""
        await self._set_status("active")

    @acts("speak")
    async def end(self, outcome: str | None = None) -> None:
        """End it; a temporary conversation is removed."""
        await self._set_status("ended", outcome)

    async def _set_status(self, status: str, outcome: str | None = None) -> None:
        actor = revise.actor_of(self._memory.scope, status)
        self.conversation = await conversations.set_status(
            self._parts.database, self.conversation, status, self._parts.clock(), outcome, actor
        )


class Context:
    """What a model should know to answer, within its budget."""

    def __init__(self, chat: Chat, built: converse.Built) -> None:
        self._chat = chat
        self._built = built
        self.text = built.assembled.text
        self.tokens = built.assembled.tokens
        self.stable_prefix = built.assembled.stable_prefix
        self.warnings = built.assembled.warnings
        self.hits = built.hits
        self.recall_advised = built.recall_advised
        self.offered = built.gathered.reading.offered
        """The updates at its head: up to which revision of which space it tells of them."""

    def to_openai(self) -> list[dict[str, Any]]:
        """As messages of OpenAI's chat completions."""
        return self._built.assembled.to_openai()

    def to_anthropic(self) -> dict[str, Any]:
        """As `system` and `messages` of Anthropic's API."""
        return self._built.assembled.to_anthropic()

    async def ack(self) -> None:
        """Say that the updates at its head were read; adding to the thread says so too."""
        await self._chat.ack(self.offered)


__all__ = ["Change", "Chat", "Context", "Hits", "Recollect", "RecollectError", "ScopedMemory"]
