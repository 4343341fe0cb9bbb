"""The conversation that a tool means."""

from recollect.memory import Chat, ScopedMemory

DEFAULT_THREAD = "assistant"
"""Where neither the call nor the scope names one."""


async def conversation(memory: ScopedMemory, thread: str | None) -> Chat:
    """The named conversation, else the scope's own, else the one that assistants share; begun if it is new."""
    return await memory.conversation(thread or memory.scope.thread_id or DEFAULT_THREAD)
