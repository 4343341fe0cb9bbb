"""A real HTTP server that speaks as OpenAI-compatible endpoints do, and says what it is told to, right or wrong."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar


@dataclass
class Reply:
    """One answer of the server: a status and a body, after a delay; None hangs up without one."""

    body: Any = None
    status: int = 200
    delay: float = 0.0
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    """Hang up in the middle of the body."""

    def encoded(self) -> bytes:
        body = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **self.headers}
        lines = [f"HTTP/1.1 {self.status} Told", *(f"{name}: {value}" for name, value in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode() + (body[: len(body) // 2] if self.cut else body)


@dataclass
class Asked:
    """One request as the server saw it."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """What all messages of a chat request say."""
        return "\n".join(str(message.get("content", "")) for message in self.body.get("messages", []))


class Closed(Protocol):
    async def close(self) -> None: ...


C = TypeVar("C", bound=Closed)


class Server:
    """Answers request after request from a list, the last for all that follow; or with a function."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.replies: list[Reply] = []
        self.answer: Callable[[Asked], Reply] | None = None
        self.url = ""
        self.users: list[Closed] = []

    def closing(self, user: C) -> C:
        """The same user of this server, closed at the end of the test."""
        self.users.append(user)
        return user

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._one(reader, writer):
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client is gone, or the test is over
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
        body = json.loads(await reader.readexactly(int(headers.get("content-length", 0))))
        asked = Asked(head[0].split()[1], headers, body)
        self.asked.append(asked)
        reply = self.answer(asked) if self.answer else self.replies[min(len(self.asked), len(self.replies)) - 1]
        await asyncio.sleep(reply.delay)
        if reply.body is None:
            return False
        writer.write(reply.encoded())
        return not reply.cut


@asynccontextmanager
async def listening() -> AsyncIterator[Server]:
    """A server on a free port of this machine; whoever was given to `closing` is closed before it goes."""
    told = Server()
    opened = await asyncio.start_server(told.serve, "127.0.0.1", 0)
    told.url = f"http://127.0.0.1:{opened.sockets[0].getsockname()[1]}/v1"
    try:
        yield told
    finally:
        for user in told.users:
            await user.close()
        opened.close()


async def gone() -> str:
    """The address of a server that does not listen any more."""
    opened = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    port = opened.sockets[0].getsockname()[1]
    opened.close()
    await opened.wait_closed()
    return f"http://127.0.0.1:{port}/v1"


def said(content: Any, delay: float = 0.0, cut: bool = False, **message: Any) -> Reply:
    """A chat completion as llama.cpp and Ollama write it; what is no text is said as JSON."""
    words = content if content is None or isinstance(content, str) else json.dumps(content)
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": words, **message}}
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    head = {"id": "1", "object": "chat.completion", "created": 1, "model": "tiny"}
    return Reply({**head, "choices": [choice], "usage": usage}, delay=delay, cut=cut)


def refused(why: str = "I cannot help with that.") -> Reply:
    """A chat completion that declines."""
    return said(None, refusal=why)


def failed(status: int) -> Reply:
    """An error of the endpoint, to be tried again at once."""
    return Reply({"error": {"message": "told to fail"}}, status, headers={"Retry-After": "0"})
