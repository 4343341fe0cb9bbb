"""The protocol on standard input and output: one JSON message a line.

A request that has been read is answered before the end, whether the input ended or a signal came: what was
acknowledged is stored, and what was taken is not dropped half-way.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

Write = Callable[[str], None]
_CANCELLED = "notifications/cancelled"


class _Underway:
    """The requests that wait for their answers."""

    def __init__(self) -> None:
        self._ids: set[types.RequestId] = set()
        self._none = asyncio.Event()
        self._none.set()

    def came(self, message: Any) -> None:
        """A message was read."""
        if isinstance(message, types.JSONRPCRequest):
            self._ids.add(message.id)
            self._none.clear()
        elif isinstance(message, types.JSONRPCNotification) and message.method == _CANCELLED:
            self._over((message.params or {}).get("requestId"))  # nobody answers it any more

    def went(self, message: Any) -> None:
        """A message was written."""
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._over(message.id)

    def _over(self, id: types.RequestId | None) -> None:
        self._ids -= {id}
        if not self._ids:
            self._none.set()

    async def none(self) -> None:
        """Until all are answered."""
        await self._none.wait()


async def serve(server: Server[Any], lines: AsyncIterator[str], write: Write) -> None:
    """Answer the messages of the lines, until there are no more of them."""
    underway = _Underway()
    taken, taking = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    said, saying = anyio.create_memory_object_stream[SessionMessage](0)

    async def read() -> None:
        async with taken, said.clone() as refusals:
            async for line in lines:
                try:
                    message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
                except (ValidationError, ValueError):
                    await refusals.send(SessionMessage(_unreadable()))
                    continue
                underway.came(message)
                await taken.send(SessionMessage(message))
            await underway.none()

    async def tell() -> None:
        async with saying:
            async for each in saying:
                text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
                await asyncio.to_thread(write, text + "\n")
                underway.went(each.message)

    async with anyio.create_task_group() as group:
        group.start_soon(read)
        group.start_soon(tell)
        await server.run(taking, said, server.create_initialization_options())


def _unreadable() -> types.JSONRPCError:
    problem = types.ErrorData(code=types.PARSE_ERROR, message="the line is no message of JSON-RPC")
    return types.JSONRPCError(jsonrpc="2.0", id=None, error=problem)
