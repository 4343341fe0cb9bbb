"""Moments as documents write them."""

import re
from datetime import UTC, date, datetime, time
from typing import Any

_DAY = re.compile(r"(?<!\d)((?:19|20)\d{2})[-_. ]?(0[1-9]|1[0-2])[-_. ]?(0[1-9]|[12]\d|3[01])(?!\d)")
_NOON = time(12, tzinfo=UTC)


def moment(value: Any) -> datetime | None:
    """A moment with a zone of what a document gives as its date; None where it is none.

    A time without a zone is taken as UTC. A day without a time is its noon in UTC: nearly everywhere the same day.
    """
    try:
        return _moment(value)
    except (ValueError, OverflowError, OSError):
        return None


def _moment(value: Any) -> datetime | None:
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC)
    if isinstance(value, date):
        return datetime.combine(value, _NOON)
    if not isinstance(value, str):
        return None
    said = value.strip()
    if re.fullmatch(r"\d{4}-?\d{2}-?\d{2}", said):
        return datetime.combine(date.fromisoformat(said), _NOON)
    return _moment(datetime.fromisoformat(said)) if said else None


def epoch(value: Any) -> datetime | None:
    """A moment of seconds since 1970, also as text; None where they are none, or no date within reason."""
    try:
        seconds = float(value)
        return datetime.fromtimestamp(seconds, UTC) if 0 < seconds < 5e9 else None
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def day_in(name: str) -> datetime | None:
    """The day that a file's name tells: "2026-03-02 standup", "IMG_20260302"."""
    found = _DAY.search(name)
    return moment("-".join(found.groups())) if found else None
