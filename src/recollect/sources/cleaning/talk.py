"""Written talk: messages as JSON, one object a line or a list, or lines that begin with a speaker."""

import json
from typing import Any

from recollect.sources.cleaning import plain, transcript
from recollect.sources.cleaning.model import Cleaned, Said, speakers, spoken
from recollect.sources.cleaning.moments import epoch, moment

_TEXTS = ("content", "text", "message", "body")
_NAMES = ("name", "speaker", "author", "from", "role", "user")
_TIMES = ("at", "timestamp", "ts", "time", "created_at", "date")


def clean(raw: str) -> Cleaned | None:
    """A talk with its speakers; None where the text is none."""
    lines = _messages(raw)
    if not lines:
        return transcript.clean(raw, speech=transcript.is_captions(raw))
    moments = [line.at for line in lines if line.at]
    return Cleaned(
        text=plain.tidy(spoken(lines)),
        participants=speakers(lines),
        started_at=min(moments, default=None),
        ended_at=max(moments, default=None),
        lines=lines,
    )


def _messages(raw: str) -> tuple[Said, ...]:
    """Messages that are written as JSON; none where the text is anything else."""
    return tuple(line for each in _objects(raw.strip("\ufeff \t\r\n")) if (line := _said(each)))


def _objects(raw: str) -> list[Any]:
    if not raw.startswith(("[", "{")):
        return []
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return _of_lines(raw)
    listed = found.get("messages") if isinstance(found, dict) else found
    return listed if isinstance(listed, list) else [found]


def _of_lines(raw: str) -> list[Any]:
    """One object a line; nothing where a line is none."""
    try:
        return [json.loads(line) for line in raw.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return []


def _said(message: Any) -> Said | None:
    if not isinstance(message, dict):
        return None
    text = plain.tidy(_text(next((message[key] for key in _TEXTS if message.get(key)), "")))
    name = next((message[key] for key in _NAMES if isinstance(message.get(key), str) and message[key].strip()), None)
    time = next((message[key] for key in _TIMES if message.get(key)), None)
    return Said(text, " ".join(name.split()) if name else None, moment(time) or epoch(time)) if text else None


def _text(value: Any) -> str:
    """Text, or the text parts of a message that has several parts."""
    if isinstance(value, str):
        return value
    parts = value if isinstance(value, list) else []
    texts = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return "\n".join(text for text in texts if isinstance(text, str))
