"""What cleaning yields, as values."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Said:
    """A stretch of a source that one person said or wrote."""

    text: str
    speaker: str | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A source as a person would read it: without quotes, signatures, cue numbers and fillers."""

    text: str
    title: str | None = None
    participants: tuple[str, ...] = ()
    """Names, in the order in which they appear."""
    started_at: datetime | None = None
    """With a zone, as far as the source says so itself; a day without a time is its noon in UTC."""
    ended_at: datetime | None = None
    lines: tuple[Said, ...] = ()
    """Who said what, in order, where the source tells; together they say what `text` says."""


def spoken(lines: tuple[Said, ...]) -> str:
    """Lines as text, each with its speaker."""
    return "\n".join(f"{line.speaker}: {line.text}" if line.speaker else line.text for line in lines)


def speakers(lines: tuple[Said, ...]) -> tuple[str, ...]:
    """Everybody who speaks, in the order of their first words."""
    return tuple(dict.fromkeys(line.speaker for line in lines if line.speaker))
