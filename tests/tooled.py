"""The script of `parity.py` by the tools of assistants: which tool a verb is, what it is given, what it tells of it."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from mcp import Client

from faces import as_json
from parity import Face
from recollect.mcp.server import build
from recollect.memory import Recollect, ScopedMemory
from recollect.wire.problems import error_of
from recollect.wire.verbs import Verb

TOOLS = {
    "add": "remember",
    "chat_add_many": "remember",
    "search": "recall",
    "chat_context": "context",
    "query": "query",
    "explore": "explore",
    "profile": "profile",
    "history": "history",
    "forget": "forget",
}
"""The tool that a verb is for assistants."""


@asynccontextmanager
async def by_tools(rc: Recollect) -> AsyncIterator[Face]:
    """The official client within this process; the transports have tests of their own."""
    asking: list[ScopedMemory] = []

    async def whose(_: Any) -> ScopedMemory:
        return asking[-1]

    async with Client(build(whose)) as client:

        async def play(verb: Verb, scope: Mapping[str, Any], given: dict[str, Any]) -> Any:
            asking.append(rc.scope(**scope))
            return await _called(client, verb, as_json(given))

        yield Face("mcp", play, verbs=frozenset(TOOLS), told=_VIEWS)


async def _called(client: Client, verb: Verb, given: dict[str, Any]) -> Any:
    tool, arguments = TOOLS[verb.id], _arguments(verb, given)
    told = await _call(client, tool, arguments)
    if verb.id == "forget" and not given.get("dry_run"):  # in two steps
        told = await _call(client, tool, {**arguments, "token": told["token"]})
    return _READ[tool](told)


async def _call(client: Client, tool: str, arguments: dict[str, Any]) -> Any:
    answered = await client.call_tool(tool, arguments)
    told = answered.structured_content
    if answered.is_error:
        raise error_of({"title": told["error"], "detail": told["message"], **told})
    return told


def _arguments(verb: Verb, given: dict[str, Any]) -> dict[str, Any]:
    """What a tool is given, where it has another name or another default."""
    if verb.id == "chat_add_many":
        return {"messages": given["messages"], "thread": "talk"}
    if verb.id == "add" and isinstance(given["content"], list):
        return {"messages": given["content"]}
    if verb.id == "chat_context":
        return {**given, "thread": "talk"}
    if verb.id in ("search", "explore"):
        return {"limit": 10, "tokens": 8_000, **given}
    if verb.id == "query" and "return_" in given:
        return {name: value for name, value in given.items() if name != "return_"} | {"full": True}
    if verb.id == "forget":
        return {
            name: _said(value) if name == "message" else value for name, value in given.items() if name != "dry_run"
        }
    return given


def _said(message: list[Any]) -> dict[str, Any]:
    thread, turn = message
    return {"thread": thread, "turn": turn}


# What both tell: of a tool's answer, and of the library's --------------------------------------------------------

_OF_MEMORIES = ("id", "kind", "type", "category", "happened_at", "state", "importance", "confidence", "pinned", "tags")
_OF_MESSAGES = ("id", "turn", "role")
_OF_LINES = ("id", "category", "text")
_OF_WHOLE = (*_OF_LINES, "kind", "type", "importance", "confidence")
_OF_FACTS = ("type", "key", "value", "confidence", "importance", "since")


def _some(told: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: told[name] for name in names}


def _bullets(told: Any) -> Any:
    return [
        _some(each, _OF_WHOLE if each.get("kind") else _OF_LINES)
        | {"related": [_some(tied, _OF_LINES) for tied in each["related"]]}
        for each in told["bullets"]
    ]


def _ids(found: Any) -> list[str]:
    return [each["id"] for each in found]


_READ: Mapping[str, Callable[[Any], Any]] = {
    "remember": lambda told: (
        [_some(each, _OF_MESSAGES) for each in told["messages"]] or _some(told["memory"], (*_OF_MEMORIES, "text"))
    ),
    "recall": lambda told: [_some(each, (*_OF_MEMORIES, "score")) for each in told["hits"]],
    "context": lambda told: _some(told, ("text", "tokens", "recall_advised", "warnings", "memories")),
    "query": _bullets,
    "explore": lambda told: [
        _some(each, ("id", "kind", "type", "score", "all_parts"))
        | {"parts": _ids(each["parts"]), "about": _ids(each["about"])}
        for each in told["hits"]
    ],
    "profile": lambda told: [_some(each, (*_OF_FACTS, "memories")) for each in told["facts"]],
    "history": lambda told: [
        _some(each, ("at", "event", "version", "by", "reason", "text")) for each in told["entries"]
    ],
    "forget": lambda told: (
        _some(told, ("dry_run", "counts", "removed", "rewritten", "tombstones", "clean"))
        | {"shown": [_some(each, ("id", "kind")) for each in told["shown"]]}
    ),
}


def _kept(told: Any) -> Any:
    if isinstance(told, list):
        return [_some(each, _OF_MESSAGES) for each in told]
    return _some(told, _OF_MEMORIES) | {"text": told["content"]}


def _hit(told: Any) -> Any:
    return _some(told["memory"], _OF_MEMORIES) | {"score": round(told["score"], 4)}


def _explored(told: Any) -> Any:
    parts = {"parts": _ids(told["parts"]), "about": _ids(told["about"])}
    named = _some(told["memory"], ("id", "kind", "type"))
    return named | {"score": round(told["score"], 4), "all_parts": told["all_parts"]} | parts


def _entry(told: Any) -> Any:
    named = _some(told, ("at", "event", "version"))
    return named | {"by": told["actor"] or told["agent_id"], "reason": told["reason"], "text": told["content"]}


def _receipt(told: Any) -> Any:
    counted = {name: 0 if told["dry_run"] else len(told[name]) for name in ("removed", "rewritten")}
    clean = None if told["check"] is None else not told["check"]["left"] + told["check"]["hits"]
    shown = [_some(each, ("id", "kind")) for each in told["shown"]]
    named = _some(told, ("dry_run", "counts"))
    return named | counted | {"tombstones": told["tombstones"], "clean": clean, "shown": shown}


_VIEWS: Mapping[str, Callable[[Any], Any]] = {
    "add": _kept,
    "chat_add_many": _kept,
    "search": lambda told: [_hit(each) for each in told["hits"]],
    "chat_context": lambda told: (
        _some(told, ("text", "tokens", "recall_advised", "warnings"))
        | {"memories": [hit["memory"]["id"] for hit in told["hits"]]}
    ),
    "query": _bullets,
    "explore": lambda told: [_explored(each) for each in told["hits"]],
    "profile": lambda told: [_some(each, _OF_FACTS) | {"memories": each["memory_ids"]} for each in told],
    "history": lambda told: [_entry(each) for each in told],
    "forget": _receipt,
}
