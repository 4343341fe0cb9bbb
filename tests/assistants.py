"""Assistants: the official client of the Model Context Protocol, on both transports, over a test's own database."""

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
import uvicorn
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route

from recollect import NotAllowed, Recollect
from recollect.mcp.http import HttpFace
from recollect.memory import ScopedMemory

PROGRAM = [sys.executable, "-c", "from recollect.cli import main; main()"]


class Stdio:
    """A process of its own for each assistant."""

    def __init__(self, database_url: str, folder: Path, **settings: str) -> None:
        given = {"DATABASE_URL": database_url, "DATA_DIR": str(folder), "EMBEDDER": "fake", "UNDERSTAND": "false"}
        self.environment = {f"RECOLLECT_{name}": value for name, value in (given | settings).items()}
        self.environment["PYTHONPATH"] = os.pathsep.join(sys.path)

    @asynccontextmanager
    async def connect(self, user: str, **scope: str) -> AsyncIterator[Client]:
        more = [word for name, value in scope.items() for word in (f"--{name}", value)]
        command, *arguments = [*PROGRAM, "mcp", "--user", user, *more]
        async with Client(StdioServerParameters(command=command, args=arguments, env=self.environment)) as client:
            yield client


class Http:
    """One server for all of them; a key is `key-` and the name of the user."""

    def __init__(self, rc: Recollect) -> None:
        self.rc = rc
        self.url = ""

    async def whose(self, request: Request) -> ScopedMemory:
        key = request.headers.get("authorization", "").removeprefix("Bearer ")
        if not key.startswith("key-"):
            raise NotAllowed("key", "it is missing or wrong")
        given = {name: request.headers.get(f"x-recollect-{name}") for name in ("agent", "project", "sensitivity")}
        return self.rc.scope(
            user_id=key.removeprefix("key-"),
            agent_id=given["agent"],
            project_id=given["project"],
            sensitivity=given["sensitivity"] or "normal",  # type: ignore[arg-type]
        )

    @asynccontextmanager
    async def serving(self) -> AsyncIterator["Http"]:
        face = HttpFace(self.rc, self.whose)
        app = Starlette(routes=[Route("/mcp", face.app)], lifespan=lambda _: face.run())
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
            server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
            running = asyncio.create_task(server.serve([listening]))
            try:
                yield self
            finally:
                server.should_exit = True
                await running

    @asynccontextmanager
    async def connect(self, user: str, *, mode: str = "auto", **scope: str) -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer key-{user}", **{f"X-Recollect-{name}": it for name, it in scope.items()}}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(self.url, http_client=http), mode=mode) as client,
        ):
            yield client


async def call(client: Client, tool: str, **given: Any) -> Any:
    """What a tool answers as data; it has to answer."""
    answered = await client.call_tool(tool, given)
    assert not answered.is_error, text_of(answered)
    return answered.structured_content


async def problem(client: Client, tool: str, **given: Any) -> Any:
    """What a tool says is wrong; it has to be refused."""
    answered = await client.call_tool(tool, given)
    assert answered.is_error, text_of(answered)
    assert answered.structured_content["error"] in text_of(answered)
    return answered.structured_content


def text_of(answered: types.CallToolResult) -> str:
    return "\n".join(part.text for part in answered.content if isinstance(part, types.TextContent))


async def read(client: Client, uri: str) -> str:
    [content] = (await client.read_resource(uri)).contents
    assert isinstance(content, types.TextResourceContents)
    return content.text


async def all_that_is_told(client: Client, words: str) -> str:
    """Everything that the tools and resources tell to who asks for some words."""
    asked: list[tuple[str, dict[str, Any]]] = [
        ("recall", {"query": words, "limit": 50, "tokens": 8000, "include": ["archived", "expired"]}),
        ("context", {"question": words, "thread": "plans"}),
        ("query", {"query": words, "top_k": 20, "budget_tokens": 8000, "full": True}),
        *(("explore", {"queries": [words], "granularity": level, "limit": 30}) for level in (1, 2, 3)),
        ("profile", {}),
    ]
    told = []
    for tool, given in asked:
        answered = await client.call_tool(tool, given)
        assert not answered.is_error, text_of(answered)
        # The question itself stands at the end of a context.
        told += [text_of(answered).replace(words, ""), str(answered.structured_content).replace(words, "")]
    listed = await client.list_resources()
    told += [str(resource) for resource in listed.resources]
    told += [await read(client, resource.uri) for resource in listed.resources]
    return "\n".join(told)
