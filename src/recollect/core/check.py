"""Checks of what callers hand in. Each names the field, and runs before anything is written."""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, date, datetime, time
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from recollect.core.errors import InvalidInput

_IDENTIFIER_LENGTH = 200
# As JSON writes it: after an even number of backslashes, each of which stands for itself.
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


def text(field: str, value: object, *, most_bytes: int, empty: bool = False) -> str:
    """Text that PostgreSQL can hold: no NUL, no lone surrogate, not too large, and something in it."""
    if not isinstance(value, str):
        raise InvalidInput(field, f"must be text, not {type(value).__name__}")
    if not empty and not value.strip():
        raise InvalidInput(field, "is empty")
    if "\x00" in value:
        raise InvalidInput(field, "holds a NUL character")
    size = len(_utf8(field, value))
    if size > most_bytes:
        raise InvalidInput(field, f"has {size:,} bytes; the limit is {most_bytes:,}")
    return value


def _utf8(field: str, value: str) -> bytes:
    try:
        return value.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(field, "holds a lone surrogate, which is no Unicode text") from error


def optional_text(field: str, value: object, *, most_bytes: int = 10_000) -> str | None:
    """Text, or nothing."""
    return None if value is None else text(field, value, most_bytes=most_bytes)


def identifier(field: str, value: object) -> str:
    """A name that a caller chose for a user, agent, thread and the like."""
    name = text(field, value, most_bytes=_IDENTIFIER_LENGTH * 4)
    if len(name) > _IDENTIFIER_LENGTH:
        raise InvalidInput(field, f"is longer than {_IDENTIFIER_LENGTH} characters")
    if len(name.splitlines()) > 1:
        raise InvalidInput(field, "must be one line")
    return name


def unit(field: str, value: object) -> float:
    """A number from 0 to 1."""
    # NaN fails every comparison, and whole numbers of any size can be compared.
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput(field, f"must be a number from 0 to 1, not {_shown(value)}")
    return float(value)


def optional_unit(field: str, value: object) -> float | None:
    """A number from 0 to 1, or nothing."""
    return None if value is None else unit(field, value)


def choice(field: str, value: object, choices: Collection[str]) -> str:
    """One of a few words."""
    if not isinstance(value, str) or value not in choices:
        raise InvalidInput(field, f"must be one of {', '.join(sorted(choices))}, not {_shown(value)}")
    return value


def count(field: str, value: object, *, least: int = 1, most: int = 10_000) -> int:
    """A whole number within bounds."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(field, "must be a whole number")
    if not least <= value <= most:
        raise InvalidInput(field, f"must be from {least} to {most}, not {value}")
    return value


def flag(field: str, value: object) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise InvalidInput(field, "must be true or false")
    return value


def moment(field: str, value: object) -> datetime:
    """A datetime with a zone; in text form too, as the wire and files have it."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise InvalidInput(field, f"is no date and time: {_shown(value)}") from None
    if not isinstance(value, datetime):
        raise InvalidInput(field, "must be a datetime")
    if value.tzinfo is None:
        raise InvalidInput(field, "must carry a time zone")
    return _in_utc(field, value)


def _in_utc(field: str, value: datetime) -> datetime:
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(field, "lies beyond the calendar") from None


def _shown(value: object) -> str:
    """A value in an error: not all of it, if it is long."""
    return repr(value)[:80]


def optional_moment(field: str, value: object) -> datetime | None:
    """A datetime with a zone, or nothing."""
    return None if value is None else moment(field, value)


def filter_moment(field: str, value: object, zone: str) -> datetime | None:
    """A moment for a filter: there a bare date is the start of that day in the space's time zone."""
    if isinstance(value, str) and len(value) == len("2026-01-31"):
        try:
            value = date.fromisoformat(value)
        except ValueError:
            raise InvalidInput(field, f"is no date: {_shown(value)}") from None
    if isinstance(value, date) and not isinstance(value, datetime):
        return _in_utc(field, datetime.combine(value, time.min, ZoneInfo(zone)))
    return optional_moment(field, value)


def uuid(field: str, value: object) -> UUID:
    """An id."""
    if isinstance(value, UUID):
        return value
    try:
        return UUID(str(value))
    except ValueError:
        raise InvalidInput(field, f"is no id: {str(value)[:80]!r}") from None


def optional_uuid(field: str, value: object) -> UUID | None:
    """An id, or nothing."""
    return None if value is None else uuid(field, value)


def names(field: str, value: object) -> tuple[str, ...]:
    """Several names: tags, kinds and the like."""
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        raise InvalidInput(field, "must be a list of names")
    return tuple(dict.fromkeys(identifier(field, name) for name in value))


def optional_names(field: str, value: object) -> tuple[str, ...] | None:
    """Several names, or nothing."""
    return None if value is None else names(field, value)


def mapping(field: str, value: object, *, most_bytes: int) -> dict[str, Any]:
    """A JSON object: what callers attach."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise InvalidInput(field, "must be an object with text keys")
    document(field, value, most_bytes=most_bytes)
    return dict(value)


def document(field: str, value: object, *, most_bytes: int) -> str:
    """Anything that JSON and PostgreSQL's jsonb can hold; its JSON text."""
    try:
        encoded = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(field, f"is no JSON: {error}") from None
    if _NUL.search(encoded):
        raise InvalidInput(field, "holds a NUL character")
    return text(field, encoded, most_bytes=most_bytes)
