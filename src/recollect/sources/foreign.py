"""What other memories and assistants export, as lines for `recollect import`: mem0, ChatGPT and Claude.

A file is read one conversation, or memory, at a time, also within the archive in which it came. Every line has an id
that follows from the one it had, so that the same file twice adds nothing. What is left out is counted by why.
"""

import io
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import Any, TextIO
from uuid import UUID, uuid5
from zipfile import BadZipFile, ZipFile, is_zipfile

from recollect.core.errors import InvalidInput

KINDS = ("auto", "chatgpt", "claude", "mem0")

Json = dict[str, Any]

_IDS = UUID("d2f0b9c4-3c0b-5f3e-8d53-2b8a0b6c9f17")
_CONVERSATIONS = re.compile(r"(?:^|/)conversations(?:[-_.]?\d+)?\.json$")
_CHUNK = 1 << 16
_MOST = 1 << 28
"""Characters of one conversation, or of a file that is no list; more is taken for broken."""
_LISTS = ("results", "memories", "data", "conversations")
_SHOWN = 8


@dataclass(slots=True)
class Foreign:
    """A file of another system: its lines, and what was left out of it so far."""

    path: Path
    kind: str = "auto"
    left_out: Counter[str] = field(default_factory=Counter)
    total: int = 0
    """Characters there are, as far as that is known."""
    read: int = 0

    def lines(self) -> Iterator[str]:
        """Its messages and memories as an import takes them; one that is broken costs none of the others."""
        found, odd, known = self.kind, "", False
        for element in self._elements():
            seen = _kind_of(element)
            found = seen if found == "auto" and seen else found
            if seen == found:
                known = True
                yield from self._lines_of(found, element)
            elif seen is not None:
                raise self._refusal(found, _shape(element))
            else:
                odd = odd or _shape(element)
                self.left_out["object of unknown shape"] += 1
        if not known:
            raise self._refusal(found, odd)

    def _refusal(self, kind: str, shape: str) -> InvalidInput:
        why = f"is {_wanted(kind)}: it holds {shape}" if shape else "holds nothing to import"
        return InvalidInput("file", f"{self.path.name} {why}")

    def _lines_of(self, kind: str, element: Json) -> list[str]:
        try:
            return [json.dumps(line, ensure_ascii=False) for line in _READERS[kind](element, self.left_out)]
        except RecursionError:
            self.left_out["object of too many levels"] += 1
            return []

    def _elements(self) -> Iterator[Any]:
        try:
            for text in self._texts():
                yield from self._of(text)
        except (BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error) as error:
            raise InvalidInput("file", f"{self.path.name} cannot be read: {error}") from None

    def _texts(self) -> Iterator[TextIO]:
        if not is_zipfile(self.path):
            self.total = self.path.stat().st_size
            with self.path.open(encoding="utf-8-sig", errors="replace") as file:
                yield file
            return
        with ZipFile(self.path) as archive:
            held = [each for each in archive.infolist() if _CONVERSATIONS.search(each.filename)]
            held = held or [each for each in archive.infolist() if each.filename.endswith(".json")]
            if not held:
                raise InvalidInput("file", f"{self.path.name} is an archive without a conversations.json")
            self.total = sum(each.file_size for each in held)
            for each in sorted(held, key=lambda each: each.filename):
                with archive.open(each) as raw:
                    yield io.TextIOWrapper(raw, encoding="utf-8-sig", errors="replace")

    def _of(self, text: TextIO) -> Iterator[Any]:
        """The elements of a list, one at a time; of an object those of the list that it holds."""
        window = _Window(text, self._count)
        if window.skip("[") is not None:
            yield from window.elements(self.path.name)
            return
        whole = window.value(self.path.name)
        lists = [whole[name] for name in _LISTS if isinstance(whole, dict) and isinstance(whole.get(name), list)]
        if lists:
            self.left_out["relation"] += len(_listed(whole.get("relations")))
        yield from lists[0] if lists else [whole]

    def _count(self, characters: int) -> None:
        self.read += characters


class _Window:
    """A part of a long JSON text; it grows until a value is whole, and then lets go of it."""

    def __init__(self, text: TextIO, count: Callable[[int], None]) -> None:
        self._text, self._count = text, count
        self._held, self._over = "", False

    def _more(self) -> bool:
        """As much again as is held: a long value is tried a few times, not once a chunk."""
        chunk = self._text.read(max(_CHUNK, len(self._held)))
        self._count(len(chunk))
        self._held, self._over = self._held + chunk, not chunk
        return bool(chunk)

    def skip(self, wanted: str) -> str | None:
        """Go over white space and one of some characters; which it was."""
        while True:
            self._held = self._held.lstrip()
            if self._held:
                break
            if not self._more():
                return None
        if self._held[0] not in wanted:
            return None
        found, self._held = self._held[0], self._held[1:]
        return found

    def value(self, name: str) -> Any:
        """The value that begins here."""
        decoder = json.JSONDecoder()
        self.skip("")
        while True:
            try:
                found, end = decoder.raw_decode(self._held)
                # A number, or a word, may go on in what was not read yet.
                if end < len(self._held) or self._over or not self._more():
                    self._held = self._held[end:]
                    return found
            except (ValueError, RecursionError) as error:
                if len(self._held) > _MOST or isinstance(error, RecursionError) or not self._more():
                    raise InvalidInput("file", f"{name} is no JSON: {error}") from None

    def elements(self, name: str) -> Iterator[Any]:
        """The elements of the list that has begun."""
        if self.skip("]") is not None:
            return
        while True:
            yield self.value(name)
            if (found := self.skip(",]")) != ",":
                break
        if found is None:
            raise InvalidInput("file", f"{name} ends in the middle of its list")


# What it is


def _kind_of(element: Any) -> str | None:
    if not isinstance(element, dict):
        return None
    if isinstance(element.get("mapping"), dict):
        return "chatgpt"
    if isinstance(element.get("chat_messages"), list):
        return "claude"
    return "mem0" if isinstance(element.get("memory"), str) else None


def _wanted(kind: str) -> str:
    return "of no known shape" if kind == "auto" else f"no export of {kind}"


def _shape(element: Any) -> str:
    """What was seen, by its names and never by what it says."""
    if not isinstance(element, dict):
        return f"{type(element).__name__} where an object was expected"
    names = sorted(map(str, element))
    shown = ", ".join(names[:_SHOWN]) + ", …" * (len(names) > _SHOWN)
    return f"objects with {shown or 'no fields'}"


# Conversations


def _id(kind: str, *names: object) -> str:
    return str(uuid5(_IDS, json.dumps([kind, *map(str, names)])))


def _named(element: Json, *names: str) -> str:
    """What an element is called by the first of some names that says it; else by all that it holds."""
    given = (element[name] for name in names if isinstance(element.get(name), str | int | float) and element[name])
    return next(map(str, given), None) or _id("unnamed", json.dumps(element))


def _talk(kind: str, id: str, title: object) -> Json:
    named = clean(title) if isinstance(title, str) and title.strip() else None
    thread = f"{kind}-{id if id.isprintable() else _id(kind, id)}"
    return {"record": "conversation", "thread": thread[:200], "title": named and named[:500]}


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _chatgpt(conversation: Json, left_out: Counter[str]) -> Iterator[Json]:
    id = _named(conversation, "conversation_id", "id", "create_time")
    talk = _talk("chatgpt", id, conversation.get("title"))
    begun = False
    for node, message in _branch(conversation, left_out):
        text = _chatgpt_text(message, left_out)
        if text is None:
            continue
        if not begun:
            begun = True
            yield talk
        at = _epoch(message.get("create_time")) or _epoch(conversation.get("create_time"))
        role = message["author"]["role"]
        yield _message(talk["thread"], _id("chatgpt", id, node), role, text, at)


def _branch(conversation: Json, left_out: Counter[str]) -> list[tuple[str, Json]]:
    """The messages from the first to the one that was last looked at; other branches were regenerated or edited."""
    nodes = {name: node for name, node in conversation["mapping"].items() if isinstance(node, dict)}
    place = conversation.get("current_node")
    if not isinstance(place, str) or place not in nodes:
        place = next(reversed(nodes), None)
    way: dict[str, None] = {}
    while isinstance(place, str) and place in nodes and place not in way:
        way[place] = None
        place = nodes[place].get("parent")
    found = [(name, nodes[name]["message"]) for name in reversed(way) if isinstance(nodes[name].get("message"), dict)]
    spoken = sum(isinstance(node.get("message"), dict) for node in nodes.values())
    if spoken > len(found):
        left_out["message of another branch"] += spoken - len(found)
    return found


def _chatgpt_text(message: Json, left_out: Counter[str]) -> str | None:
    role = _object(message.get("author")).get("role")
    content, about = _object(message.get("content")), _object(message.get("metadata"))
    if role not in ("user", "assistant"):
        return _left(left_out, f"{_word(role)} message")
    if about.get("is_visually_hidden_from_conversation") or content.get("content_type") == "user_editable_context":
        return _left(left_out, "hidden message")
    if content.get("content_type") not in ("text", "multimodal_text"):
        return _left(left_out, f"{_word(content.get('content_type'))} message")
    if message.get("recipient") not in (None, "all"):
        return _left(left_out, "call of a tool")
    return _joined(content.get("parts"), left_out)


def _claude(conversation: Json, left_out: Counter[str]) -> Iterator[Json]:
    id = _named(conversation, "uuid", "created_at")
    talk = _talk("claude", id, conversation.get("name"))
    begun = False
    for place, message in enumerate(conversation["chat_messages"]):
        if not isinstance(message, dict):
            _left(left_out, "unknown message")
            continue
        text = _claude_text(message, left_out)
        if text is None:
            continue
        if not begun:
            begun = True
            yield talk
        role = "user" if message.get("sender") == "human" else "assistant"
        at = _moment(message.get("created_at")) or _moment(conversation.get("created_at"))
        yield _message(talk["thread"], _id("claude", id, message.get("uuid") or place), role, text, at)


def _claude_text(message: Json, left_out: Counter[str]) -> str | None:
    if message.get("sender") not in ("human", "assistant"):
        return _left(left_out, f"{_word(message.get('sender'))} message")
    for name in ("attachments", "files"):
        left_out["attachment"] += len(_listed(message.get(name)))
    return _joined(_listed(message.get("content")) or [message.get("text")], left_out)


def _joined(parts: Any, left_out: Counter[str]) -> str | None:
    """What the parts of a message say; what is no text is counted."""
    said = []
    for part in _listed(parts):
        text = part.get("text") if isinstance(part, dict) else part
        what = _word(part.get("content_type") or part.get("type")) if isinstance(part, dict) else "text"
        if isinstance(text, str) and what in ("text", "audio_transcription"):
            said.append(text)
        else:
            left_out[f"{what} part"] += 1
    whole = clean("\n".join(filter(str.strip, said)))
    return whole if whole.strip() else _left(left_out, "empty message")


def _word(value: Any) -> str:
    """What something is called, where that is a word."""
    return value[:50] if isinstance(value, str) and value.isprintable() and value else "unknown"


def _left(left_out: Counter[str], why: str) -> str | None:
    """Count what says nothing; None, for nothing."""
    left_out[why] += 1
    return None


def _message(thread: str, id: str, role: str, text: str, at: datetime | None) -> Json:
    line: Json = {"record": "message", "thread": thread, "id": id, "role": role, "content": text}
    return line if at is None else line | {"at": at.isoformat()}


# Memories


def _mem0(memory: Json, left_out: Counter[str]) -> Iterator[Json]:
    text = clean(memory["memory"])
    if not text.strip():
        _left(left_out, "empty memory")
        return
    kept = {name: memory[name] for name in ("user_id", "agent_id", "app_id", "run_id", "actor_id") if memory.get(name)}
    given = memory.get("metadata")
    metadata = given if isinstance(given, Mapping) else {}
    at = _moment(memory.get("created_at"))
    line = {
        "record": "memory",
        "id": _id("mem0", memory.get("id") or text),
        "content": text,
        "tags": _names(memory.get("categories")),
        "metadata": _cleaned({**metadata, "mem0": kept}),
    }
    yield line if at is None else line | {"happened_at": at.isoformat()}


def _names(given: Any) -> list[str]:
    named = given if isinstance(given, Sequence) and not isinstance(given, str) else ()
    texts = [clean(name)[:200] for name in named if isinstance(name, str)]
    return [text for text in texts if text.strip() and "\n" not in text]


_READERS: dict[str, Callable[[Json, Counter[str]], Iterator[Json]]] = {
    "chatgpt": _chatgpt,
    "claude": _claude,
    "mem0": _mem0,
}


# Texts and times


def clean(text: str) -> str:
    """A text that can be kept: without NUL, and without halves of characters."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\x00", "")


def _cleaned(value: Any) -> Any:
    """The same of every text in an object; numbers that JSON does not have are none."""
    if isinstance(value, Mapping):
        return {clean(str(name)): _cleaned(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_cleaned(each) for each in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    return clean(value) if isinstance(value, str) else value


def _epoch(value: Any) -> datetime | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _moment(value: Any) -> datetime | None:
    if not isinstance(value, str):
        return _epoch(value)
    try:
        found = datetime.fromisoformat(value)
        found = found if found.tzinfo else found.replace(tzinfo=UTC)
        found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return found
