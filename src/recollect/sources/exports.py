"""Exports of Slack: a folder, or an archive, with a folder of dated files for each channel.

A thread of three messages or more is a document of its own, whatever days it spans; what else was said in a channel
on a day is one document.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from zipfile import BadZipFile, ZipFile
from zipfile import Path as ZipPath

from recollect.sources.cleaning import slack
from recollect.sources.cleaning.charsets import decoded
from recollect.sources.cleaning.moments import epoch
from recollect.sources.documents import Document, Skipped, document

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\.json")
_DIRECT = re.compile(r"D[A-Z0-9]{6,}")
_ID = re.compile(r"[UW][A-Z0-9]{2,}")
_INDEXES = ("users.json", "channels.json", "groups.json", "dms.json")
_LEAST_OF_A_THREAD = 3

Json = dict[str, Any]


class Folder(Protocol):
    """A folder of the file system or of an archive, or a file in it."""

    @property
    def name(self) -> str:
        """The last part of its path."""

    def iterdir(self) -> "Iterable[Folder]":
        """What is in it."""

    def is_dir(self) -> bool:
        """Whether it is a folder."""

    def is_file(self) -> bool:
        """Whether it is a file."""

    def read_bytes(self) -> bytes:
        """What a file holds."""


@dataclass(frozen=True, slots=True)
class Archive:
    """A folder in an archive; `zipfile.Path` reads bytes by another name."""

    path: ZipPath

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.name

    def iterdir(self) -> "Iterable[Archive]":
        """What is in it."""
        return (Archive(each) for each in self.path.iterdir())

    def is_dir(self) -> bool:
        """Whether it is a folder."""
        return self.path.is_dir()

    def is_file(self) -> bool:
        """Whether it is a file."""
        return self.path.is_file()

    def read_bytes(self) -> bytes:
        """What a file holds."""
        with self.path.open("rb") as opened:
            return opened.read()


@dataclass(frozen=True, slots=True)
class _Export:
    """An export that is being read."""

    path: str
    users: Any
    source_type: str
    metadata: Json

    def skipped(self, file: Folder, reason: str) -> Skipped:
        return Skipped(f"{self.path}, {file.name}", reason)


def is_export(folder: Folder) -> bool:
    """Whether a folder is an export: it has the workspace's lists, and folders with a file for each day."""
    if not folder.is_dir():
        return False
    inside = list(folder.iterdir())
    listed = any(each.name in _INDEXES and each.is_file() for each in inside)
    return listed and any(_days(each) for each in inside if each.is_dir())


def is_channel(folder: Folder) -> bool:
    """Whether a folder is one channel of an export: nothing but a file of messages for each day."""
    inside = [each for each in folder.iterdir() if not each.name.startswith(".") and each.name not in _INDEXES]
    days = _days(folder)
    return bool(days) and len(days) == len(inside) and slack.is_export({"messages": _json(days[0])})


def count(folder: Folder) -> int:
    """How many documents an export, or a channel of one, has, about."""
    return len(_days(folder)) or sum(len(_days(each)) for each in folder.iterdir() if each.is_dir()) or 1


def export(folder: Folder, path: str, source_type: str, metadata: Json) -> Iterator[Document | Skipped]:
    """The documents of an export, channel by channel."""
    users = next((_json(each) for each in folder.iterdir() if each.name == "users.json"), None)
    reading = _Export(path, users, source_type, metadata)
    channels = sorted((each for each in folder.iterdir() if _days(each)), key=lambda each: each.name)
    found = False
    for channel in channels:
        for each in _channel(reading, channel):
            found = found or isinstance(each, Document)
            yield each
    if not found:
        yield Skipped(path, "has no message of a person")


def channel(folder: Path, source_type: str, metadata: Json) -> Iterator[Document | Skipped]:
    """The documents of one channel; people by the list of the export that it lies in, where there is one."""
    reading = _Export(str(folder), _users_near(folder), source_type, metadata)
    found = list(_channel(reading, folder))
    yield from found or [Skipped(str(folder), "has no message of a person")]


def with_names(raw: str, file: Path) -> str:
    """The messages of one day with the names of the people, where the export that they lie in has them."""
    export, names = slack.read(raw), slack.names_of(_users_near(file.parent))
    if export is None or export.get("users") or not names:
        return raw
    known = {id: names[id] for id in _ids(raw) if id in names}
    return json.dumps(export | {"users": known}, ensure_ascii=False) if known else raw


def _users_near(folder: Path) -> Any:
    """The people of the workspace: listed in the folder itself, or in the one around it."""
    near = (place / "users.json" for place in (folder, folder.absolute().parent))
    return next((_json(file) for file in near if file.is_file()), None)


def _ids(raw: str) -> list[str]:
    """Everything in a text that may be the id of somebody."""
    return list(dict.fromkeys(_ID.findall(raw)))


def archive(path: Path, source_type: str, most_bytes: int, metadata: Json) -> Iterator[Document | Skipped]:
    """The documents of an export that is packed in one file."""
    try:
        with ZipFile(path) as packed:
            if any(info.file_size > most_bytes for info in packed.infolist() if info.filename.endswith(".json")):
                yield Skipped(str(path), f"holds a file larger than {most_bytes:,} bytes")
                return
            folder = _root(Archive(ZipPath(packed)))
            if folder is None:
                yield Skipped(str(path), "is no export of Slack")
                return
            yield from export(folder, str(path), source_type, metadata)
    except (BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError) as error:
        yield Skipped(str(path), f"cannot be unpacked: {error}")


def _root(folder: Archive) -> Archive | None:
    """The folder with the export: the archive itself, or the one folder in it."""
    if is_export(folder):
        return folder
    inside = [each for each in folder.iterdir() if each.is_dir() and not each.name.startswith(("__", "."))]
    return inside[0] if len(inside) == 1 and is_export(inside[0]) else None


def _days(folder: Folder) -> list[Folder]:
    """A channel's files, oldest first."""
    if not folder.is_dir() or folder.name.startswith("."):
        return []
    return sorted((each for each in folder.iterdir() if _DAY.fullmatch(each.name)), key=lambda each: each.name)


def _json(file: Folder) -> Any:
    try:
        return json.loads(decoded(file.read_bytes()))
    except (ValueError, RecursionError, OSError):
        return None


def _channel(reading: _Export, folder: Folder) -> Iterator[Document | Skipped]:
    """A channel's threads and days."""
    bots = slack.bots_of(reading.users)
    said: list[Json] = []
    for day in _days(folder):
        messages = _json(day)
        if not isinstance(messages, list):
            yield reading.skipped(day, "is no list of messages")
            continue
        said += [each for each in messages if isinstance(each, dict) and slack.is_said(each, bots)]
    for messages in _documents(slack.in_order(said)):
        yield _document(reading, folder.name, messages)


def _documents(messages: Sequence[Json]) -> list[list[Json]]:
    """Messages that belong together: long threads, and the rest of each day."""
    threads: dict[str, list[Json]] = {}
    for message in messages:
        threads.setdefault(slack.thread_of(message), []).append(message)
    found: dict[str, list[Json]] = {}
    for key, thread in threads.items():
        long = len(thread) >= _LEAST_OF_A_THREAD
        found.setdefault(f"thread {key}" if long else _day(thread[0]), []).extend(thread)
    return list(found.values())


def _day(message: Json) -> str:
    at = epoch(message.get("ts"))
    return at.date().isoformat() if at else ""


def _document(reading: _Export, channel: str, messages: list[Json]) -> Document:
    dumped = json.dumps(messages, ensure_ascii=False)
    names = slack.names_of(reading.users)
    known = {id: names[id] for id in _ids(dumped) if id in names}
    where = None if _DIRECT.fullmatch(channel) else channel
    speaking = dict.fromkeys(known.get(str(each.get("user"))) for each in messages)
    heading = f"#{where}" if where else " and ".join(filter(None, speaking)) or "Direct messages"
    is_thread = len({slack.thread_of(each) for each in messages}) == 1 and len(messages) >= _LEAST_OF_A_THREAD
    day = _day(messages[0])
    about = {"channel": channel, "day": day} | ({"thread": slack.thread_of(messages[0])} if is_thread else {})
    return document(
        json.dumps({"channel": where, "users": known, "messages": messages}, ensure_ascii=False),
        reading.source_type,
        title=None if is_thread else f"{heading}, {day}",
        identity=json.dumps([channel, messages], sort_keys=True),
        metadata=reading.metadata | about,
    )
