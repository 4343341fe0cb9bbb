"""Paths as documents: files and folders, mails and mailboxes, exports of Slack, transcripts, notes.

What cannot be read is named, with the reason, and stops nothing.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from recollect.sources import exports, mailboxes
from recollect.sources.cleaning import plain_type
from recollect.sources.cleaning.charsets import decoded, is_binary
from recollect.sources.cleaning.moments import day_in, epoch
from recollect.sources.cleaning.transcript import is_silent
from recollect.sources.documents import Document, Skipped, document

MOST_BYTES = 64_000_000

_MAILS = frozenset({".eml"})
_MAILBOXES = frozenset({".mbox", ".mbx"})
_ARCHIVES = frozenset({".zip"})
_TEXTS = frozenset({".txt", ".text", ".md", ".markdown", ".vtt", ".srt", ".html", ".htm", ".json"})
SUFFIXES = tuple(sorted(_MAILS | _MAILBOXES | _ARCHIVES | _TEXTS))

Found = Document | Skipped


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read."""

    source_type: str | None = None
    """The type of all of them; if not given, what each of them plainly is. With it every text is taken."""
    most_bytes: int = MOST_BYTES


_AS_THEY_ARE = Reading()


def read(paths: Iterable[Path], reading: Reading = _AS_THEY_ARE) -> Iterator[Found]:
    """Every document under these paths, in order; folders to any depth, without what is hidden in them."""
    for place in _places(paths):
        if isinstance(place, Skipped):
            yield place
        else:
            yield from _read(place, reading)


def count(paths: Iterable[Path]) -> int:
    """How many documents there are, about; mailboxes are read for it."""
    return sum(1 if isinstance(place, Skipped) else _count(place) for place in _places(paths))


def of_text(raw: str, source_type: str | None = None) -> Document:
    """A text that comes without a file."""
    return document(raw, source_type or plain_type(raw))


def of_bytes(data: bytes, reading: Reading = _AS_THEY_ARE, name: str = "-") -> Found:
    """What comes through a pipe."""
    problem = _problem(data, reading)
    return Skipped(name, problem) if problem else of_text(decoded(data), reading.source_type)


def _problem(data: bytes, reading: Reading) -> str | None:
    """Why bytes are no document."""
    if len(data) > reading.most_bytes:
        return f"has {len(data):,} bytes; the limit is {reading.most_bytes:,}"
    if is_binary(data):
        return "is no text"
    return None if data.strip() else "is empty"


def _places(paths: Iterable[Path]) -> Iterator[Path | Skipped]:
    """Files and exports under paths."""
    for path in paths:
        try:
            whole = not path.is_dir() or exports.is_export(path) or exports.is_channel(path)
            inside = None if whole else sorted(path.iterdir())
        except OSError as error:
            yield _skipped(path, error)
            continue
        if inside is None:
            yield path
        else:
            # A link to a folder could lead round in a circle.
            yield from _places(
                each for each in inside if not each.name.startswith(".") and not (each.is_dir() and each.is_symlink())
            )


def _skipped(path: Path, error: OSError) -> Skipped:
    return Skipped(str(path), f"cannot be read: {error.strerror or error}")


def _count(place: Path) -> int:
    try:
        if place.is_dir():
            return exports.count(place)
        return mailboxes.count(place) if place.suffix.lower() in _MAILBOXES else 1
    except OSError:
        return 1


def _read(place: Path, reading: Reading) -> Iterator[Found]:
    """The documents of one file or export."""
    try:
        if not place.is_dir() and not place.is_file():
            yield Skipped(str(place), "is no file" if place.exists() else "is not there")
        else:
            yield from _documents(place, reading)
    except OSError as error:
        yield _skipped(place, error)


def _documents(place: Path, reading: Reading) -> Iterator[Found]:
    metadata = {"file": place.name, "path": str(place.absolute())}
    kind = reading.source_type
    suffix = place.suffix.lower()
    if place.is_dir() and exports.is_channel(place):
        yield from exports.channel(place, kind or "slack-thread", metadata)
    elif place.is_dir():
        yield from exports.export(place, str(place), kind or "slack-thread", metadata)
    elif suffix in _ARCHIVES:
        yield from exports.archive(place, kind or "slack-thread", reading.most_bytes, metadata)
    elif suffix in _MAILBOXES or (not suffix and mailboxes.is_mailbox(_head(place))):
        yield from mailboxes.mailbox(place, kind or "email", reading.most_bytes, metadata)
    else:
        yield _one(place, reading, metadata)


def _head(place: Path) -> bytes:
    with place.open("rb") as opened:
        return opened.read(8192)


def _one(place: Path, reading: Reading, metadata: dict[str, Any]) -> Found:
    """A file that is one document."""
    suffix = place.suffix.lower()
    if suffix not in _MAILS | _TEXTS and reading.source_type is None:
        named = f"has an unknown suffix, {suffix}" if suffix else "has no suffix"
        return Skipped(str(place), f"{named}; with a type given, any text is taken")
    size = place.stat().st_size
    if size > reading.most_bytes:
        return Skipped(str(place), f"has {size:,} bytes; the limit is {reading.most_bytes:,}")
    data = place.read_bytes()
    problem = _problem(data, reading)
    if problem:
        return Skipped(str(place), problem)
    if suffix in _MAILS:
        return mailboxes.mail(data, reading.source_type or "email", at=_at(place), metadata=metadata, name=str(place))
    return _text(place, decoded(data), reading.source_type, metadata)


def _text(place: Path, raw: str, source_type: str | None, metadata: dict[str, Any]) -> Found:
    kind = source_type or plain_type(raw)
    if place.suffix.lower() == ".json" and kind == "text-note" and source_type is None:
        return Skipped(str(place), "is no export of Slack; with a type given, any text is taken")
    if is_silent(raw):
        return Skipped(str(place), "has captions without a word")
    if kind == "slack-thread":
        raw = exports.with_names(raw, place)
    found = document(raw, kind, name=place.stem, at=_at(place), metadata=metadata)
    if source_type is None and kind == "meeting" and not found.participants:
        # Nobody is named: more likely one person's notes to themself.
        return document(raw, "voice-memo", name=place.stem, at=_at(place), metadata=metadata)
    return found


def _at(place: Path) -> datetime | None:
    """When a file that does not say so is from: the day in its name, else when it was last changed."""
    return day_in(place.stem) or epoch(place.stat().st_mtime)
