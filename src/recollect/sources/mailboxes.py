"""Mails in files: one message, or a mailbox that is read one message at a time."""

import re
from collections.abc import Iterator
from datetime import datetime
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Any

from recollect.sources.cleaning import clean
from recollect.sources.cleaning.charsets import decoded, is_binary
from recollect.sources.cleaning.mail import has_headers, says_nothing
from recollect.sources.documents import Document, Skipped, document

_FROM = b"From "
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
_MESSAGE_ID = re.compile(r"^message-id:\s*(<[^<>\s]{1,300}>)", re.IGNORECASE | re.MULTILINE)
_WITH_ATTACHMENTS = 256_000
_LARGE_PART = 4_000
_HEAD = 8192
_LEFT_OUT = "[left out: not text]\n"


def mail(
    data: bytes, source_type: str, *, at: datetime | None, metadata: dict[str, Any], name: str
) -> Document | Skipped:
    """A message as a document; the same as another one by its id, its date and its words, as programs add headers."""
    raw = _text(_without_attachments(data))
    if says_nothing(raw):
        return Skipped(name, "is a mail with neither a subject nor a text")
    found = _MESSAGE_ID.search(raw.replace("\r\n", "\n").partition("\n\n")[0])
    if found is None:
        return document(raw, source_type, at=at, metadata=metadata)
    cleaned = clean("email", raw)
    identity = "\n".join(map(str, (found[1], cleaned.started_at, cleaned.text)))
    return document(raw, source_type, at=at, identity=identity, metadata=metadata | {"message_id": found[1]})


def mailbox(path: Path, source_type: str, most_bytes: int, metadata: dict[str, Any]) -> Iterator[Document | Skipped]:
    """The messages of a mailbox, one at a time."""
    problem = _problem(path)
    if problem:
        yield Skipped(str(path), problem)
        return
    for number, message in enumerate(_messages(path, most_bytes), 1):
        name = f"{path}, message {number}"
        if message is None:
            yield Skipped(name, f"is larger than {most_bytes:,} bytes")
        elif is_binary(message):
            yield Skipped(name, "is no text")
        elif message.strip():
            yield mail(message, source_type, at=None, metadata=metadata | {"message": number}, name=name)


def _problem(path: Path) -> str | None:
    """Why a file is no mailbox: it begins neither as one does, nor with the fields of a message."""
    with path.open("rb") as opened:
        head = opened.read(_HEAD)
    if is_mailbox(head):
        return None  # a message in it may still be no text
    if is_binary(head):
        return "is no text"
    if not head.strip():
        return "is empty"
    begins = head.lstrip().startswith(_FROM) or has_headers(decoded(head))
    return None if begins else "is no mailbox: no message begins in it"


def count(path: Path) -> int:
    """How many messages a mailbox has, about."""
    with path.open("rb") as lines:
        return max(1, sum(line.startswith(_FROM) for line in lines))


def is_mailbox(head: bytes) -> bool:
    """Whether a file that does not say what it is begins as a mailbox does."""
    first, _, rest = head.partition(b"\n")
    return first.startswith(_FROM) and re.match(rb"[A-Za-z-]{2,40}:", rest) is not None


def _messages(path: Path, most_bytes: int) -> Iterator[bytes | None]:
    """The bytes of each message; None for one that is too large."""
    lines: list[bytes] = []
    size, blank = 0, True
    with path.open("rb") as file:
        for line in file:
            if blank and line.startswith(_FROM):
                if size:
                    yield _whole(lines, size, most_bytes)
                lines, size = [], 0
            else:
                size += len(line)
                if size <= most_bytes:
                    lines.append(line)
            blank = not line.strip()
    if size:
        yield _whole(lines, size, most_bytes)


def _whole(lines: list[bytes], size: int, most_bytes: int) -> bytes | None:
    return None if size > most_bytes else _ESCAPED.sub(rb"\1", b"".join(lines))


def _text(data: bytes) -> str:
    """The message as text; where its bytes are not UTF-8, by the charset that one of its parts names."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        named = (part.get_content_charset() for part in message_from_bytes(data).walk())
        return decoded(data, next((label for label in named if label), None))


def _without_attachments(data: bytes) -> bytes:
    """A large message without pictures and files, of which nothing could be understood."""
    if len(data) < _WITH_ATTACHMENTS:
        return data
    try:
        message = message_from_bytes(data)
        for part in message.walk():
            _empty(part)
        return message.as_bytes()
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return data


def _empty(part: Message) -> None:
    payload = part.get_payload()
    if part.get_content_maintype() not in {"text", "multipart", "message"} and len(payload) > _LARGE_PART:
        del part["content-transfer-encoding"]
        part.set_payload(_LEFT_OUT)
