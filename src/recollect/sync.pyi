# Generated from memory.py by `./dev generate`: do not edit.
from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, overload
from uuid import UUID

from recollect.active.model import Active, Migrated, Review, SectionText
from recollect.checkpoints.model import Checkpoint, SavedCheckpoint
from recollect.context.bullets import Bullet
from recollect.conversation.model import Content, Conversation, Message
from recollect.core.clock import Clock
from recollect.core.scope import Scope, Sensitivity
from recollect.core.settings import Settings
from recollect.flows import transfer
from recollect.flows.audit import Audit
from recollect.flows.backup import Backup, Restored
from recollect.flows.forget import Receipt
from recollect.flows.milestones import Episode
from recollect.flows.projecting import GraphStatus
from recollect.flows.verifying import Verified
from recollect.governance.spend import Spend
from recollect.graph.model import Match, Merge, Node, Route, Traversal
from recollect.memory import Change, Hits
from recollect.profile.model import Consent, ProfileFact
from recollect.providers.embedding.base import Embedder
from recollect.queue.model import Drained
from recollect.records.model import HistoryEntry, Memory, Note, Page
from recollect.records.relations import Relation
from recollect.records.tombstones import Tombstone
from recollect.replays.model import Replay
from recollect.retrieval.exploration import Exploration
from recollect.retrieval.search import Hit, Timing
from recollect.sources.model import Source
from recollect.understanding.milestones import Arc

__all__ = ["Chat", "Context", "Recollect", "ScopedMemory", "within"]

class Context:
    text: str
    tokens: int
    stable_prefix: int
    warnings: tuple[str, ...]
    hits: tuple[Hit, ...]
    recall_advised: bool
    def to_openai(self) -> list[dict[str, Any]]: ...
    def to_anthropic(self) -> dict[str, Any]: ...
    def ack(self) -> None: ...

class Chat:
    conversation: Conversation
    @property
    def scope(self) -> Scope: ...
    def add(
        self,
        role: str,
        content: Content,
        *,
        name: str | None = None,
        at: datetime | None = None,
        metadata: Mapping[str, Any] | None = None,
        id: UUID | str | None = None,
    ) -> Message: ...
    def add_many(self, messages: Sequence[Mapping[str, Any]]) -> list[Message]: ...
    def messages(self, first: int = 1, limit: int = 100) -> list[Message]: ...
    def context(
        self,
        question: str,
        *,
        tokens: int | None = None,
        system: str | None = None,
        extra: Sequence[str] = (),
        after: str | None = None,
        wait: Literal["searchable", "understood"] = "searchable",
        timing: Timing | None = None,
    ) -> Context: ...
    def retract(self, turn: int, replace: Content | None = None) -> Message | None: ...
    def narrative_arc(self) -> Arc[Episode]: ...
    def pause(self) -> None: ...
    def resume(self) -> None: ...
    def end(self, outcome: str | None = None) -> None: ...

class ScopedMemory:
    @property
    def scope(self) -> Scope: ...
    def conversation(
        self, thread_id: str | None = None, *, title: str | None = None, remember: bool = True, shared: bool = False
    ) -> Chat: ...
    def conversations(
        self, status: str | None = None, limit: int = 100, after: str | UUID | None = None
    ) -> list[Conversation]: ...
    @overload
    def add(self, content: str, **values: Any) -> Memory: ...
    @overload
    def add(self, content: list[Mapping[str, Any]], **values: Any) -> list[Message]: ...
    def add_many(self, memories: Sequence[Mapping[str, Any]]) -> list[Memory]: ...
    def search(
        self,
        query: str,
        limit: int = 10,
        *,
        after: str | None = None,
        wait: Literal["searchable", "understood"] = "searchable",
        timing: Timing | None = None,
        **filters: Any,
    ) -> Hits: ...
    def search_many(self, queries: Sequence[str | Mapping[str, Any]], **shared: Any) -> list[list[Hit]]: ...
    def query(
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
    ) -> list[Bullet]: ...
    def get(self, id: UUID | str) -> Memory: ...
    def get_all(self, limit: int = 100, after: str | UUID | None = None, **filters: Any) -> Page: ...
    def update(self, id: UUID | str, *, if_version: int | None = None, **changes: Any) -> Memory: ...
    def delete(self, id: UUID | str, *, reason: str | None = None) -> Memory: ...
    def delete_all(self, **filters: Any) -> int: ...
    def restore(self, id: UUID | str) -> Memory: ...
    def feedback(self, id: UUID | str, verdict: Literal["useful", "wrong"]) -> Memory: ...
    def audit(self) -> Audit: ...
    def forget(
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
    ) -> Receipt: ...
    def tombstones(self) -> list[Tombstone]: ...
    def lift(self, tombstone_id: UUID | str) -> Tombstone: ...
    def history(self, id: UUID | str) -> list[HistoryEntry]: ...
    def profile(self) -> list[ProfileFact]: ...
    def set_profile(self, type: str, key: str, value: str, confidence: float = 1.0) -> ProfileFact: ...
    def consents(self, status: str | None = "open") -> list[Consent]: ...
    def decide(self, consent_id: UUID | str, *, accept: bool) -> Consent: ...
    def pending(self, limit: int = 100) -> list[Memory]: ...
    def promote(self, id: UUID | str) -> Memory: ...
    def explore(
        self,
        queries: Sequence[str | Mapping[str, Any]],
        granularity: int = 2,
        mode: Literal["fast", "full"] = "full",
        within: UUID | str | None = None,
        *,
        limit: int = 10,
        threshold: float | None = None,
        include: Sequence[str] = (),
    ) -> Exploration: ...
    def traverse(
        self,
        node_id: UUID | str,
        depth: int = 2,
        types: Sequence[str] | None = None,
        *,
        limit: int = 50,
        include: Sequence[str] = (),
        valid_at: datetime | str | None = None,
    ) -> Traversal: ...
    def path(
        self,
        a_id: UUID | str,
        b_id: UUID | str,
        types: Sequence[str] | None = None,
        *,
        most: int = 6,
        include: Sequence[str] = (),
        valid_at: datetime | str | None = None,
    ) -> Route | None: ...
    def match(
        self,
        pattern: Sequence[Sequence[str | None]],
        names: Sequence[str | UUID | None] | Mapping[int, str | UUID] | None = None,
        limit: int = 100,
        *,
        include: Sequence[str] = (),
        valid_at: datetime | str | None = None,
    ) -> list[Match]: ...
    def create_active(
        self,
        title: str,
        *,
        template: str | None = None,
        sections: Mapping[str, str] | None = None,
        description: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Active: ...
    def update_section(self, active_id: UUID | str, section: str, text: str) -> Active: ...
    def actives(self, agent: str | None = None, *, ended: bool = False) -> list[Active]: ...
    def get_active(self, active_id: UUID | str) -> Active: ...
    def section_history(self, active_id: UUID | str) -> list[SectionText]: ...
    def end_active(self, active_id: UUID | str) -> Active: ...
    def templates(self) -> dict[str, str]: ...
    def migrate(self) -> list[Migrated]: ...
    def chunk_history(self, source_id: UUID | str) -> list[Memory]: ...
    def reviews(self, status: str | None = "open") -> list[Review]: ...
    def resolve(self, review_id: UUID | str, resolution: str, text: str | None = None) -> Review: ...
    def save_checkpoint(self, state: Any, *, if_version: int | None = None) -> SavedCheckpoint: ...
    def load_checkpoint(self, version: int | None = None) -> Any: ...
    def checkpoint(self, version: int | None = None) -> Checkpoint | None: ...
    def checkpoints(self, limit: int = 100, before: int | None = None) -> list[SavedCheckpoint]: ...
    def delete_checkpoints(self) -> int: ...
    def spend(self, days: int = 1) -> Spend: ...
    def replay(
        self,
        thread: str | None = None,
        since: datetime | str | None = None,
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> Replay: ...
    def replays(self, limit: int = 100) -> list[Replay]: ...
    def get_replay(self, replay_id: UUID | str) -> Replay: ...
    def accept_replay(self, replay_id: UUID | str, changes: Sequence[str] | None = None) -> Replay: ...
    def discard_replay(self, replay_id: UUID | str) -> Replay: ...
    def nodes(
        self, kind: str | None = "person", name: str | None = None, limit: int = 100, after: str | UUID | None = None
    ) -> list[Node]: ...
    def add_note(self, id: UUID | str, text: str, lifetime: str = "month") -> Note: ...
    def update_note(self, id: UUID | str, text: str | None = None, *, lifetime: str | None = None) -> Note: ...
    def remove_note(self, id: UUID | str) -> Note: ...
    def notes(self, id: UUID | str) -> list[Note]: ...
    def relate(
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
    ) -> Relation: ...
    def update_relation(
        self,
        id: UUID | str,
        *,
        description: str | None = None,
        attitude: str | None = None,
        proximity: str | None = None,
        confidence: float | None = None,
        strength: float | None = None,
    ) -> Relation: ...
    def end_relation(self, id: UUID | str) -> Relation: ...
    def relations(self, id: UUID | str) -> list[Relation]: ...
    def merges(self, status: str | None = "proposed") -> list[Merge]: ...
    def merge(self, a_id: UUID | str, b_id: UUID | str) -> Merge: ...
    def resolve_merge(self, id: UUID | str, *, accept: bool) -> Merge: ...
    def unmerge(self, id: UUID | str) -> Merge: ...
    def guide(
        self,
        *,
        instructions: str | None = None,
        profile_keys: Sequence[str] | None = None,
        entity_types: Sequence[str] | None = None,
        relation_types: Sequence[str] | None = None,
    ) -> dict[str, Any]: ...
    def watch(self, after: int | None = None) -> Iterator[Change]: ...
    def ingest(
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
    ) -> Memory: ...
    def sources(self, status: str | None = None, limit: int = 100, after: str | UUID | None = None) -> list[Source]: ...
    def retry_source(self, source_id: UUID | str) -> Source: ...
    def leave_team(self, team_id: str) -> int: ...
    def export(self, *, plain: bool = False) -> Iterator[str]: ...
    def import_lines(self, lines: Iterable[str]) -> transfer.Imported: ...

class Recollect:
    settings: Settings
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
    ) -> Self: ...
    def close(self) -> None: ...
    @property
    def database_url(self) -> str: ...
    def scope(
        self,
        user_id: str | None = None,
        project_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        thread_id: str | None = None,
        team_ids: Sequence[str] = (),
        sensitivity: Sensitivity = "normal",
    ) -> ScopedMemory: ...
    def run_job(self, name: str, progress: Callable[[int, int], None] | None = None) -> Mapping[str, int]: ...
    def backup(self, file: str | Path, progress: Callable[[int, int], None] | None = None) -> Backup: ...
    def restore(self, file: str | Path, progress: Callable[[int, int], None] | None = None) -> Restored: ...
    def graph_status(self) -> GraphStatus: ...
    def rebuild_graph(
        self, spaces: Sequence[str] | None = None, progress: Callable[[int, int], None] | None = None
    ) -> Mapping[str, int]: ...
    def verify_graph(
        self, spaces: Sequence[str] | None = None, progress: Callable[[int, int], None] | None = None
    ) -> Verified: ...
    def drain(self, timeout: float | None = 60) -> Drained: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

def within(face: ScopedMemory | Chat) -> tuple[Any, AbstractEventLoop]: ...
