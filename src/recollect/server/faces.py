"""All faces of one memory behind one gate: REST, MCP for assistants, the console for whoever has a browser."""

import asyncio
from collections.abc import Sequence

from fastapi import FastAPI
from starlette.requests import Request

from recollect import console
from recollect.mcp.http import HttpFace
from recollect.memory import Recollect, ScopedMemory
from recollect.server.app import Lifetime, create_app
from recollect.server.gate import Gate


def create(rc: Recollect, *, keyless: bool, user: str, lifetimes: Sequence[Lifetime] = ()) -> FastAPI:
    """The whole server.

    `keyless`: for a loopback address, where nobody needs a key until one is made. `user`: for whom a browser or an
    assistant speaks that names nobody. `lifetimes`: what else has to run meanwhile.
    """
    gate, stopping = Gate(rc, keyless=keyless), asyncio.Event()

    async def whose(request: Request) -> ScopedMemory:
        return await gate.whose(request, {"user_id": user})

    # The gate knows by which name the server was called, and where that matters.
    tools = HttpFace(rc, whose, loopback=False, stopping=stopping)
    pages = console.app(rc, whose, gate.is_admin)
    running = [tools.run, *lifetimes]
    return create_app(rc, gate, mounts={"/mcp": tools, "": pages}, lifetimes=running, stopping=stopping)
