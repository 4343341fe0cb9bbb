"""Every verb gives the same values and errors through the library, its blocking twin, the client and plain HTTP."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

import parity
from recollect import Recollect, client, sync
from recollect.wire.verbs import VERBS
from serving import caller, served

FACES = ("library", "blocking", "client", "http")


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


async def played(face: str, url: str, settings: dict[str, Any]) -> list[parity.Played]:
    async with Recollect.open(url, **settings) as rc:
        secret = await prepared(rc)
        if face == "library":
            return await parity.play_all(parity.of_library(rc), owner(url), rc.recalls.flush, typed=True)
        if face == "blocking":
            with sync.Recollect.open(url, **settings) as blocking:
                inner, loop = sync.within(blocking)

                async def settle() -> None:
                    await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(inner.recalls.flush(), loop))

                return await parity.play_all(parity.of_blocking(blocking), owner(url), settle, typed=True)
        async with served(rc) as address:
            if face == "client":
                async with client.Recollect.connect(address, key=secret) as remote:
                    return await parity.play_all(parity.of_library(remote), owner(url), rc.recalls.flush, typed=True)
            async with caller(address, secret) as http:
                return await parity.play_all(parity.of_http(http), owner(url), rc.recalls.flush, typed=False)


def differences(one: list[parity.Played], other: list[parity.Played], *, typed: bool) -> list[str]:
    """The rows that went otherwise, from where they part."""
    found = []
    for row, mine, theirs in zip(parity.SCRIPT, one, other, strict=True):
        a, b = (mine.typed, theirs.typed) if typed else (mine.written, theirs.written)
        if a != b:
            start = max(0, next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), 0) - 100)
            found.append(f"{row.verb}: {a[start : start + 300]}\n    but {b[start : start + 300]}")
    return found


def test_every_verb_has_a_row() -> None:
    assert {row.verb for row in parity.SCRIPT} == {verb.id for verb in VERBS}


async def test_every_face_gives_the_same(server: Any, settings: dict[str, Any]) -> None:
    results = {}
    for face in FACES:
        with server.fresh_database() as url:
            results[face] = await played(face, url, settings)
    library = results.pop("library")
    wrong = [
        f"{face}: {problem}"
        for face, told in results.items()
        for typed in ((False,) if face == "http" else (False, True))
        for problem in differences(library, told, typed=typed)
    ]
    assert not wrong, "\n".join(wrong)
    answered = {
        row.verb for row, each in zip(parity.SCRIPT, library, strict=True) if "#" in each.typed or "[" in each.typed
    }
    refused = {each.typed.split()[0] for each in library}
    assert {"Conflict", "NotFound", "NotAllowed", "InvalidInput"} <= refused
    assert len(answered) > len(VERBS) / 2
