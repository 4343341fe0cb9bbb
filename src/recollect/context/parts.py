"""The parts of a message in the dialects of OpenAI and Anthropic, read as one."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recollect.context.model import WindowMessage

_TEXTS = frozenset({"text", "input_text", "output_text"})
_CALLS = frozenset({"tool_use", "function", "tool_call", "function_call"})
_RESULTS = frozenset({"tool_result", "function_call_output"})
_MEDIA = frozenset({"image", "image_url", "input_image", "input_audio", "audio", "file", "input_file", "document"})
_THOUGHTS = frozenset({"thinking", "redacted_thinking", "reasoning"})
"""What a model thought before it spoke is for the model that thought it."""
_DATA_LENGTH = 1_000
"""A string inside a media part that is longer is the medium itself, not a reference to it."""


@dataclass(frozen=True, slots=True)
class Text:
    """Words."""

    part: Mapping[str, Any]
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that is called."""

    id: str
    name: str
    arguments: Any
    """An object, or the JSON text of one."""
    part: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool answered."""

    id: str
    content: Any
    part: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Other:
    """An image, a sound, a document, or something that only one dialect knows."""

    part: Mapping[str, Any]

    @property
    def type(self) -> str:
        """What the part calls itself."""
        return str(self.part.get("type"))


Piece = Text | Call | Result | Other


def read(message: WindowMessage) -> list[Piece]:
    """The parts of a message in order."""
    if isinstance(message.content, str):
        return [Text({"type": "text", "text": message.content}, message.content)]
    return [_piece(part) for part in message.content]


def plain(message: WindowMessage) -> str:
    """All of a message in words: tool calls and results in brackets, media by their kind."""
    if isinstance(message.content, str):
        return message.content
    return "\n".join(filter(None, map(spoken, read(message))))


def spoken(piece: Piece) -> str:
    """A part in words."""
    match piece:
        case Text():
            return piece.text
        case Call():
            return f"[tool call {piece.name} {arguments_text(piece.arguments)}]"
        case Result():
            return f"[tool result: {result_text(piece.content)}]"
        case Other() if piece.type in _THOUGHTS:
            return ""
        case Other() if piece.type in _MEDIA:
            return f"[{piece.type}]"
        case Other():
            return as_json(piece.part)


def arguments_text(arguments: Any) -> str:
    """The arguments of a call as JSON text."""
    return arguments if isinstance(arguments, str) else as_json(arguments)


def arguments_object(arguments: Any) -> dict[str, Any]:
    """The arguments of a call as an object; text that is none is kept under "arguments"."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except ValueError:
            return {"arguments": arguments}
    return arguments if isinstance(arguments, dict) else {"arguments": arguments}


def result_text(content: Any) -> str:
    """What a tool answered, in words."""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        return "\n".join(spoken(_piece(part)) if isinstance(part, Mapping) else str(part) for part in content)
    return "" if content is None else as_json(content)


def as_json(value: Any) -> str:
    """Compact JSON that leaves every script as it is."""
    return json.dumps(value, ensure_ascii=False, default=str)


def carries_data(part: Mapping[str, Any]) -> bool:
    """Whether a medium is sent within the part, rather than referred to."""
    return part.get("type") in _MEDIA and any(len(text) > _DATA_LENGTH for text in _strings(part))


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, Sequence):
        for inner in value:
            yield from _strings(inner)


def _piece(part: Mapping[str, Any]) -> Piece:
    kind = part.get("type", "text")
    if kind in _TEXTS and isinstance(part.get("text"), str):
        return Text(part, part["text"])
    if kind in _CALLS:
        return _call(part)
    if kind in _RESULTS:
        identity = part.get("tool_use_id") or part.get("call_id") or part.get("tool_call_id") or ""
        return Result(str(identity), part.get("content", part.get("output")), part)
    return Other(part)


def _call(part: Mapping[str, Any]) -> Call:
    function = part.get("function")
    told = function if isinstance(function, Mapping) else part
    arguments = told.get("input", told.get("arguments", {}))
    return Call(str(part.get("call_id") or part.get("id") or ""), str(told.get("name", "")), arguments, part)
