"""What other memories and assistants export, as lines for `recollect import`: mem0, ChatGPT and Claude.

A file is read one conversation, or memory, at a time, also within the archive in which it came. Every line has an id
that follows from the one it had, so that the same file twice adds nothing. What is left out is counted by why.
"""

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
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
        """Its messages and memories as an import takes them."""
        found = self.kind
        for element in self._elements():
            seen = _kind_of(element)
            found = seen if found == "auto" and seen else found
            if seen is None or seen != found:
                raise InvalidInput("file", f"{self.path.name} is {_wanted(found)}: it holds {_shape(element)}")
            for line in _READERS[found](element, self.left_out):
                yield json.dumps(line, ensure_ascii=False)

    def _elements(self) -> Iterator[Any]:
        empty = True
        for text in self._texts():
            for element in self._of(text):
                empty = False
                yield element
        if empty:
            raise InvalidInput("file", f"{self.path.name} holds nothing to import")

    def _texts(self) -> Iterator[TextIO]:
        if not is_zipfile(self.path):
            self.total = self.path.stat().st_size
            with self.path.open(encoding="utf-8-sig", errors="replace") as file:
                yield file
            return
        with _archive(self.path) as archive:
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
            self.left_out["relation"] += len(whole.get("relations") or ())
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


@contextmanager
def _archive(path: Path) -> Iterator[ZipFile]:
    try:
        with ZipFile(path) as archive:
            yield archive
    except (BadZipFile, NotImplementedError, RuntimeError) as error:
        raise InvalidInput("file", f"{path.name} cannot be opened: {error}") from None


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


def _talk(kind: str, id: object, title: object) -> Json:
    named = clean(title) if isinstance(title, str) and title.strip() else None
    return {"record": "conversation", "thread": f"{kind}-{id}"[:200], "title": named and named[:500]}


def _chatgpt(conversation: Json, left_out: Counter[str]) -> Iterator[Json]:
    id = conversation.get("conversation_id") or conversation.get("id") or conversation.get("create_time")
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
    if place not in nodes:
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
    role = (message.get("author") or {}).get("role")
    content, about = message.get("content") or {}, message.get("metadata") or {}
    if role not in ("user", "assistant"):
        return _left(left_out, f"{role} message")
    if about.get("is_visually_hidden_from_conversation") or content.get("content_type") == "user_editable_context":
        return _left(left_out, "hidden message")
    if content.get("content_type") not in ("text", "multimodal_text"):
        return _left(left_out, f"{content.get('content_type')} message")
    if message.get("recipient") not in (None, "all"):
        return _left(left_out, "call of a tool")
    return _joined(content.get("parts"), left_out)


def _claude(conversation: Json, left_out: Counter[str]) -> Iterator[Json]:
    id = conversation.get("uuid") or conversation.get("created_at")
    talk = _talk("claude", id, conversation.get("name"))
    begun = False
    for place, message in enumerate(conversation["chat_messages"]):
        if not isinstance(message, dict):
            _left(left_out, "message of unknown shape")
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
        return _left(left_out, f"{message.get('sender')} message")
    for name in ("attachments", "files"):
        left_out["attachment"] += len(message.get(name) or ())
    blocks = message.get("content")
    return _joined(blocks if isinstance(blocks, list) and blocks else [message.get("text")], left_out)


def _joined(parts: Any, left_out: Counter[str]) -> str | None:
    """What the parts of a message say; what is no text is counted."""
    said = []
    for part in parts if isinstance(parts, list) else ():
        text = part.get("text") if isinstance(part, dict) else part
        what = (part.get("content_type") or part.get("type") or "unknown") if isinstance(part, dict) else "text"
        if isinstance(text, str) and what in ("text", "audio_transcription"):
            said.append(text)
        else:
            left_out[f"{what} part"] += 1
    whole = clean("\n".join(filter(str.strip, said)))
    return whole if whole.strip() else _left(left_out, "empty message")


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
    return [name[:200] for name in named if isinstance(name, str) and name.strip() and "\n" not in name]


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
    """The same of every text in an object."""
    if isinstance(value, Mapping):
        return {clean(str(name)): _cleaned(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_cleaned(each) for each in value]
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
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
