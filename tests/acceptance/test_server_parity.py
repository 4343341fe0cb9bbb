"""Every verb gives the same values and errors through the library, its blocking twin, the client, plain HTTP and the
command line; and through the tools of assistants, where there is one."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest

import faces
import parity
from parity import Face, Played
from recollect import Recollect, client, sync
from recollect.mcp import tools
from recollect.wire.verbs import VERBS
from serving import caller, served
from tooled import TOOLS, by_tools

FACES = ("library", "blocking", "client", "http", "terminal", "mcp")
Settle = Callable[[], Awaitable[None]]

# A command does what a write leaves to do where nobody else would; here the script says when it is done.
A_WORKER = "insert into recollect_queue.procrastinate_workers (last_heartbeat) values (now() + interval '1 day')"


@pytest.fixture
def settings(tmp_path: Path, clock: Any) -> dict[str, Any]:
    """One job at a time, so that what is learned is learned in one order."""
    ordered = {"worker": False, "worker_concurrency": 1, "understand": False}
    return {"data_dir": tmp_path, "clock": clock, "embedder": "fake", "categories": parity.RULES, **ordered}


async def prepared(rc: Recollect) -> str:
    """Somebody else's memory, and an admin's key."""
    await rc.scope(user_id="bob").add("Bob owns a kite.", id=parity.ELSEWHERE)
    return (await rc.make_key("root", admin=True)).secret


def owner(url: str) -> Callable[[str], None]:
    def run(statement: str) -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(statement)

    return run


async def settled(rc: Recollect) -> None:
    """Nothing is under way, and searches look anew at how many entries there are, which they do every few seconds."""
    await rc.recalls.flush()
    rc.parts.searcher.known.forget("user:alice")


@asynccontextmanager
async def faced(name: str, rc: Recollect, url: str, settings: dict[str, Any]) -> AsyncIterator[tuple[Face, Settle]]:
    """A face on an open memory, and how what it does off the answer path is waited for."""
    secret, settle = await prepared(rc), partial(settled, rc)
    match name:
        case "library":
            yield Face(name, faces.of_library(rc), typed=True), settle
        case "blocking":
            with sync.Recollect.open(url, **settings) as blocking:
                inner, loop = sync.within(blocking)

                async def settle_there() -> None:
                    await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(settled(inner), loop))

                yield Face(name, faces.of_blocking(blocking), typed=True), settle_there
        case "client":
            async with served(rc) as address, client.Recollect.connect(address, key=secret) as remote:
                yield Face(name, faces.of_library(remote), typed=True), settle
        case "http":
            async with served(rc) as address, caller(address, secret) as http:
                yield Face(name, faces.of_http(http)), settle
        case "terminal":
            owner(url)(A_WORKER)
            with faces.at_terminal(rc) as face:
                yield face, settle
        case "mcp":
            async with by_tools(rc) as face:
                yield face, settle


async def played(name: str, url: str, settings: dict[str, Any]) -> tuple[Face, list[Played | None]]:
    async with Recollect.open(url, **settings) as rc, faced(name, rc, url, settings) as (face, settle):
        return face, await parity.play_all(face, faces.of_library(rc), owner(url), settle)


def problems(face: Face, library: Sequence[Played | None], own: Sequence[Played | None]) -> list[str]:
    """The rows that went otherwise than by the library, from where they part."""
    found = []
    for row, expected, told in zip(parity.SCRIPT, library, own, strict=True):
        if expected is not None and told is not None:
            pairs = face.compared(row, expected, told)
            found += [f"{face.name}: {row.verb}: {_parting(a, b)}" for a, b in pairs if a != b]
    return found


def _parting(one: str, other: str) -> str:
    start = max(0, next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0) - 100)
    return f"{one[start : start + 300]}\n    but {other[start : start + 300]}"


def test_every_verb_has_a_row() -> None:
    assert {row.verb for row in parity.SCRIPT} == {verb.id for verb in VERBS}


def test_every_tool_has_a_row() -> None:
    assert set(TOOLS.values()) == set(tools.TOOLS)
    assert set(TOOLS) <= {row.verb for row in parity.SCRIPT}


async def test_every_face_gives_the_same(server: Any, settings: dict[str, Any]) -> None:
    wrong, library = list[str](), list[Played | None]()
    for name in FACES:
        with server.fresh_database() as url:
            face, told = await played(name, url, settings)
        library = library or told
        wrong += problems(face, library, told)
    assert not wrong, "\n".join(wrong)
    told_by_library = [each.typed for each in library if each is not None]
    assert len(told_by_library) == len(parity.SCRIPT)
    answered = {
        row.verb for row, told in zip(parity.SCRIPT, told_by_library, strict=True) if "#" in told or "[" in told
    }
    assert {"Conflict", "NotFound", "NotAllowed", "InvalidInput"} <= {told.split()[0] for told in told_by_library}
    assert len(answered) > len(VERBS) / 2
