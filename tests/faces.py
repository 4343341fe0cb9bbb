"""The faces that can play the script of `parity.py`: the library, its blocking twin, the client, plain HTTP and the
command line. The tools of assistants are in `tooled.py`."""

import asyncio
import io
import json
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from parity import Face, Play
from recollect import client, memory, sync
from recollect.cli import command
from recollect.cli.exits import code_of
from recollect.wire.headers import naming
from recollect.wire.problems import error_of
from recollect.wire.verbs import Verb
from typed import line_of, program

_CHANGES = 3


def of_library(rc: memory.Recollect | client.Recollect) -> Play:
    async def play(verb: Verb, scope: Mapping[str, Any], given: dict[str, Any]) -> Any:
        target: Any = rc if verb.admin else rc.scope(**scope)
        if verb.owner == "chat":
            target = await target.get_conversation("talk")
        answer = getattr(target, verb.name)(**given)
        if verb.streams:
            return await _some(answer, _CHANGES if verb.streams == "changes" else None)
        value = await answer
        return target.conversation if verb.tells_standing else value

    return play


async def _some(stream: AsyncIterator[Any], most: int | None) -> list[Any]:
    found: list[Any] = []
    async for each in stream:
        found.append(each)
        if len(found) == most:
            break
    return found


def of_blocking(rc: sync.Recollect) -> Play:
    def blocking(verb: Verb, scope: Mapping[str, Any], given: dict[str, Any]) -> Any:
        target: Any = rc if verb.admin else rc.scope(**scope)
        if verb.owner == "chat":
            target = target.get_conversation("talk")
        value = getattr(target, verb.name)(**given)
        if verb.streams:
            return list(islice(value, _CHANGES if verb.streams == "changes" else None))
        return target.conversation if verb.tells_standing else value

    async def play(verb: Verb, scope: Mapping[str, Any], given: dict[str, Any]) -> Any:
        return await asyncio.to_thread(blocking, verb, scope, given)

    return play


def of_http(http: httpx.AsyncClient) -> Play:
    """Answers as JSON, to be held against what the library's look like when they are written."""

    async def play(verb: Verb, scope: Mapping[str, Any], given: dict[str, Any]) -> Any:
        headers = naming(scope)
        path = verb.path.replace("{thread}", quote("talk", safe=""))
        if verb.streams == "changes":
            return await _events(http, path, headers, given)
        if verb.takes_lines:
            kind = {"Content-Type": "application/x-ndjson"}
            response = await http.post(path, content="\n".join(given["lines"]).encode(), headers=headers | kind)
        else:
            response = await http.post(path, json=as_json(given), headers=headers)
        _raise(response)
        return response.text.splitlines() if verb.streams else response.json()

    return play


async def _events(http: httpx.AsyncClient, path: str, headers: dict[str, str], given: dict[str, Any]) -> list[Any]:
    found = list[Any]()
    async with http.stream("GET", path, params=given, headers=headers) as response:
        if response.status_code != 200:
            await response.aread()
            _raise(response)
        async for line in response.aiter_lines():
            found += [json.loads(line.removeprefix("data: "))] if line.startswith("data: ") else []
            if len(found) == _CHANGES:
                break
    return found


def _raise(response: httpx.Response) -> None:
    if response.status_code != 200:
        raise error_of(response.json())


@contextmanager
def at_terminal(rc: memory.Recollect) -> Iterator[Face]:
    """Commands as they are typed with `--json`, all over one open memory and in the test's own loop."""
    loop = asyncio.get_running_loop()

    @asynccontextmanager
    async def opened(_: command.Call, **__: Any) -> AsyncIterator[memory.Recollect]:
        yield rc

    @asynccontextmanager
    async def database(_: command.Call) -> AsyncIterator[Any]:
        yield rc.parts

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command.Call, "memory", opened)
        patch.setattr(command.Call, "database", database)
        patch.setattr(command, "run_until_done", lambda work: asyncio.run_coroutine_threadsafe(work, loop).result())
        yield Face("terminal", _play_typed, told={"ingest": _taken})
    for number in (signal.SIGINT, signal.SIGTERM):  # `watch` listens for them
        loop.remove_signal_handler(number)


async def _play_typed(verb: Verb, scope: Mapping[str, Any], given: dict[str, Any]) -> Any:
    line = line_of(verb, {**scope, "thread_id": "talk"} if verb.owner == "chat" else scope, given)
    answer = _answered(verb, await asyncio.to_thread(_typed, line.words, line.input))
    if verb.id == "ingest":  # files and folders: a report of them all
        return answer["new"][0]
    if verb.id == "load_checkpoint":  # with its version
        return answer["state"]
    return answer[0] if verb.id == "chat_add" and line.command == "add-many" else answer


def _taken(source: Any) -> Any:
    """What a report has of each document."""
    return {"id": source["id"], "source_type": source["type"], "title": source["title"], "file": None}


@dataclass(frozen=True)
class Said:
    """How a command ended."""

    code: int
    out: str
    problems: str


def _typed(words: list[str], given: str | None) -> Said:
    out, problems, stdin = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = io.StringIO(given or "")
    try:
        with redirect_stdout(out), redirect_stderr(problems):
            program().main(words, prog_name="recollect")
    except SystemExit as ended:
        return Said(int(ended.code or 0), out.getvalue(), problems.getvalue())
    finally:
        sys.stdin = stdin
    raise AssertionError("a command ends the program")


def _answered(verb: Verb, said: Said) -> Any:
    if not said.out and said.code:
        error = error_of(json.loads(said.problems.splitlines()[-1]))
        assert said.code == code_of(error)
        raise error
    if verb.streams:
        lines = said.out.splitlines()
        return [json.loads(line) for line in lines] if verb.streams == "changes" else lines
    return json.loads(said.out)


def as_json(value: Any) -> Any:
    return json.loads(
        json.dumps(value, default=lambda each: each.isoformat() if isinstance(each, datetime) else str(each))
    )
