"""LangGraph's checkpointer on Recollect: graphs that go on where they stopped, in the user's own space.

    graph = builder.compile(checkpointer=RecollectSaver(rc.scope(user_id="alice")))
    await graph.ainvoke(inputs, {"configurable": {"thread_id": "chat-1"}})

A saver belongs to one scope: threads of another user are not its own, whatever id they have. It takes a scope of
`recollect.Recollect`, or of `recollect.sync.Recollect` for graphs that run without `await`; either serves both kinds of
calls. LangGraph's store is in `langgraph_store`. Needs `pip install 'recollect[langgraph]'`.
"""

from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from secrets import token_hex
from typing import Any, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_serializable_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from recollect import sync
from recollect.adapters.bridge import Bridge
from recollect.adapters.langgraph_store import RecollectStore
from recollect.checkpoints import service as checkpoints
from recollect.checkpoints import store
from recollect.checkpoints.model import GraphCheckpoint, Packed, Place, Wanted, Write
from recollect.core import check
from recollect.core.errors import InvalidInput
from recollect.core.scope import Scope
from recollect.memory import ScopedMemory

__all__ = ["RecollectSaver", "RecollectStore"]

T = TypeVar("T")

# Up to here a value lies in the checkpoint itself, and is written with each; a larger one is written when it changes.
_SMALL = 1_024
_REMEMBERED = 10_000
_NAMESPACE_BYTES = 10_000
_PLAIN = (type(None), bool, int, float)
_STRATEGIES = ("keep_latest", "delete")
_END: Any = object()


class RecollectSaver(BaseCheckpointSaver[str]):
    """Keeps the checkpoints of graphs in the space of a scope, under its owner."""

    def __init__(self, memory: ScopedMemory | sync.ScopedMemory, *, serde: SerializerProtocol | None = None) -> None:
        super().__init__(serde=serde)
        self._bridge = Bridge(memory, "saver")
        self._memory: ScopedMemory = self._bridge.inner
        self._database, self._clock = self._memory._parts.database, self._memory._parts.clock
        self._most_bytes = self._memory._parts.settings.checkpoint_bytes
        # Values that are known to be stored apart, by thread, namespace, channel and version.
        self._stored: OrderedDict[tuple[Place, str, str], None] = OrderedDict()

    @property
    def _scope(self) -> Scope:
        return self._memory.scope

    # Reading

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint that a config names, or the latest of its thread."""
        place, id = _place(config), get_checkpoint_id(config)
        await self._refuse_foreign(place.thread_id)
        found = await self._bridge.there(store.get(self._database, self._scope, place, id or None))
        return None if found is None else self._tuple(*found)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """The checkpoints of a thread, or of all threads of the owner, the newest first."""
        wanted = _wanted(config, filter, before)
        await self._refuse_foreign(wanted.thread_id)
        found = store.listed(self._database, self._scope, wanted, limit)
        try:
            while (checkpoint := await self._bridge.there(_following(found))) is not _END:
                yield self._tuple(*checkpoint)
        finally:
            await self._bridge.there(_closed(found))

    def _tuple(self, found: GraphCheckpoint, writes: Sequence[Write]) -> CheckpointTuple:
        checkpoint: Checkpoint = self._loaded(found.content)
        values = {channel: self._loaded(value) for channel, value in found.values.items()}
        checkpoint["channel_values"] = {**checkpoint["channel_values"], **values}
        for channel in values:
            self._remember(found.place, channel, str(checkpoint["channel_versions"].get(channel)))
        return CheckpointTuple(
            config=_config(found.place, found.id),
            checkpoint=checkpoint,
            metadata=found.metadata,  # type: ignore[arg-type]
            parent_config=_config(found.place, found.parent_id) if found.parent_id else None,
            pending_writes=[(write.task_id, write.channel, self._loaded(write.content)) for write in writes],
        )

    # Writing

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint; durable when this returns."""
        place = _place(config)
        await self._refuse_foreign(place.thread_id)
        told = dict(get_serializable_checkpoint_metadata(config, metadata))
        check.document("metadata", told, most_bytes=self._most_bytes)
        small, large, versions = self._parted(place, checkpoint, new_versions)
        kept = GraphCheckpoint(
            place=place,
            id=check.identifier("checkpoint_id", checkpoint["id"]),
            parent_id=get_checkpoint_id(config),
            content=self._packed("checkpoint", {**checkpoint, "channel_values": small}),
            metadata=told,
            run_id=None if told.get("run_id") is None else str(told["run_id"]),
            versions=versions,
            values=large,
        )
        gone = await self._bridge.there(store.put(self._database, self._scope, kept, self._clock()))
        if gone:  # somebody took the thread away while the graph went on
            again = {channel: self._packed(channel, checkpoint["channel_values"][channel]) for channel in gone}
            kept, large = replace(kept, values=large | again), large | again
            await self._bridge.there(store.put(self._database, self._scope, kept, self._clock()))
        for channel in large:
            self._remember(place, channel, versions[channel])
        return _config(place, checkpoint["id"])

    def _parted(
        self, place: Place, checkpoint: Checkpoint, new_versions: ChannelVersions
    ) -> tuple[dict[str, Any], dict[str, Packed], dict[str, str]]:
        """Values that go into the checkpoint; those to be stored apart; the versions of all that lie apart."""
        small: dict[str, Any] = {}
        large: dict[str, Packed] = {}
        versions: dict[str, str] = {}
        for channel, value in checkpoint["channel_values"].items():
            version = checkpoint["channel_versions"].get(channel)
            if version is None or _is_plain(value):
                small[channel] = value
            elif channel not in new_versions and (place, channel, str(version)) in self._stored:
                versions[channel] = str(version)
            else:
                packed = self._packed(channel, value)
                if len(packed.body) <= _SMALL:
                    small[channel] = value
                else:
                    large[channel], versions[channel] = packed, str(version)
        return small, large, versions

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store what a task wrote after a checkpoint."""
        id = get_checkpoint_id(config)
        if not id:
            raise InvalidInput("checkpoint_id", "is missing: writes belong to a checkpoint")
        if not writes:
            return
        await self._refuse_foreign(_place(config).thread_id)
        made = [
            Write(task_id, task_path, WRITES_IDX_MAP.get(channel, place), channel, self._packed(channel, value))
            for place, (channel, value) in enumerate(writes)
        ]
        await self._bridge.there(store.put_writes(self._database, self._scope, _place(config), id, made))

    async def adelete_thread(self, thread_id: str) -> None:
        """Remove every checkpoint of a thread, and the states that were saved under it."""
        thread = check.identifier("thread_id", str(thread_id))
        await self._refuse_foreign(thread)
        await self._bridge.there(self._delete([thread], states=True))
        self._stored.clear()

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Remove the checkpoints of some runs, in whichever thread."""
        runs = _names("run_ids", run_ids)
        await self._refuse_foreign(None)
        if runs:
            await self._bridge.there(store.delete_runs(self._database, self._scope, runs))
            self._stored.clear()

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints of a thread to another one."""
        source = check.identifier("source_thread_id", str(source_thread_id))
        target = check.identifier("target_thread_id", str(target_thread_id))
        await self._refuse_foreign(source, target)
        await self._bridge.there(store.copy_thread(self._database, self._scope, source, target))

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Remove all but the latest checkpoint of each graph and subgraph of threads, or all of them (`delete`)."""
        threads = _names("thread_ids", thread_ids)
        check.choice("strategy", strategy, _STRATEGIES)
        await self._refuse_foreign(*threads)
        if not threads:
            return
        if strategy == "delete":
            await self._bridge.there(self._delete(threads, states=False))
        else:
            await self._keep_latest(threads)
        self._stored.clear()

    async def _keep_latest(self, threads: Sequence[str]) -> None:
        if chained := await self._bridge.there(store.keeping_changes(self._database, self._scope, threads)):
            names = ", ".join(sorted(chained))
            raise NotImplementedError(f"these threads keep changes since earlier checkpoints, which must stay: {names}")
        await self._bridge.there(store.keep_latest(self._database, self._scope, threads))

    # Without await

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint that a config names, or the latest of its thread."""
        return self._bridge.wait(lambda: self.aget_tuple(config))

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """The checkpoints of a thread, or of all threads of the owner, the newest first."""
        found = self.alist(config, filter=filter, before=before, limit=limit)
        try:
            while (checkpoint := self._bridge.wait(lambda: _following(found))) is not _END:
                yield checkpoint
        finally:
            self._bridge.wait(lambda: _closed(found))

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint; durable when this returns."""
        return self._bridge.wait(lambda: self.aput(config, checkpoint, metadata, new_versions))

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store what a task wrote after a checkpoint."""
        self._bridge.wait(lambda: self.aput_writes(config, writes, task_id, task_path))

    def delete_thread(self, thread_id: str) -> None:
        """Remove every checkpoint of a thread, and the states that were saved under it."""
        self._bridge.wait(lambda: self.adelete_thread(thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Remove the checkpoints of some runs, in whichever thread."""
        self._bridge.wait(lambda: self.adelete_for_runs(run_ids))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints of a thread to another one."""
        self._bridge.wait(lambda: self.acopy_thread(source_thread_id, target_thread_id))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Remove all but the latest checkpoint of each graph and subgraph of threads, or all of them (`delete`)."""
        self._bridge.wait(lambda: self.aprune(thread_ids, strategy=strategy))

    def get_next_version(self, current: str | None, channel: None) -> str:
        """A version that sorts after the current one; two branches of a thread never make the same."""
        number = 0 if current is None else int(str(current).partition(".")[0])
        return f"{number + 1:024}.{token_hex(8)}"

    # Parts

    async def _delete(self, threads: Sequence[str], *, states: bool) -> None:
        await store.delete_threads(self._database, self._scope, threads, self._clock(), states=states)

    async def _refuse_foreign(self, *threads: str | None) -> None:
        """An agent that is held to an allowlist has its own threads alone; None is all of them."""
        scope = self._scope
        named = [thread for thread in threads if thread is not None]
        if len(named) < len(threads):
            scope.refuse_narrowed("checkpoints of all threads")
        await self._bridge.there(checkpoints.refuse_foreign(self._database, scope, named))

    def _packed(self, name: str, value: Any) -> Packed:
        type, body = self.serde.dumps_typed(value)
        if len(body) > self._most_bytes:
            raise InvalidInput(name, f"has {len(body):,} bytes; the limit is {self._most_bytes:,}")
        return Packed(type, bytes(body))

    def _loaded(self, packed: Packed) -> Any:
        return self.serde.loads_typed((packed.type, packed.body))

    def _remember(self, place: Place, channel: str, version: str) -> None:
        self._stored[place, channel, version] = None
        while len(self._stored) > _REMEMBERED:
            self._stored.popitem(last=False)


async def _following(found: AsyncIterator[T]) -> T:
    return await anext(found, _END)


async def _closed(found: Any) -> None:
    await found.aclose()


def _is_plain(value: Any) -> bool:
    return isinstance(value, _PLAIN) or (isinstance(value, str) and len(value) <= _SMALL // 4)


def _place(config: RunnableConfig) -> Place:
    given = config.get("configurable", {})
    if given.get("thread_id") is None:
        raise InvalidInput("thread_id", "is missing in the config's configurable")
    return Place(check.identifier("thread_id", str(given["thread_id"])), _namespace(given.get("checkpoint_ns") or ""))


def _namespace(given: object) -> str:
    return check.text("checkpoint_ns", given, most_bytes=_NAMESPACE_BYTES, empty=True)


def _config(place: Place, id: str) -> RunnableConfig:
    return {
        "configurable": {"thread_id": place.thread_id, "checkpoint_ns": place.namespace, "checkpoint_id": id},
    }


def _wanted(config: RunnableConfig | None, filter: dict[str, Any] | None, before: RunnableConfig | None) -> Wanted:
    given = (config or {}).get("configurable", {})
    thread, namespace = given.get("thread_id"), given.get("checkpoint_ns")
    return Wanted(
        thread_id=None if thread is None else check.identifier("thread_id", str(thread)),
        namespace=None if namespace is None else _namespace(namespace),
        id=given.get("checkpoint_id"),
        before=None if before is None else get_checkpoint_id(before),
        metadata=check.mapping("filter", filter, most_bytes=1_000_000),
    )


def _names(field: str, given: Sequence[str]) -> "list[str]":
    if isinstance(given, str):
        raise InvalidInput(field, "must be a list")
    return [check.identifier(field, str(name)) for name in given]
