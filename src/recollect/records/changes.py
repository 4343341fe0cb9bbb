"""What a caller may change of a memory, and what that changes in turn."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect.core import check
from recollect.core.errors import InvalidInput
from recollect.records.kinds import STATEMENT_TYPES
from recollect.records.model import Memory

TTL_POLICIES = frozenset({"keep_forever", "ephemeral", "decay"})

# A change of these is a new version: `as_known_at` can tell what was said, and held true, before.
_VERSIONED = frozenset({"content", "title", "summary", "valid_from", "valid_until"})


@dataclass(frozen=True, slots=True)
class Changes:
    """Checked new values, by field."""

    values: dict[str, Any]

    def after(self, memory: Memory) -> dict[str, Any]:
        """Every changeable field as it will be."""
        return {name: self.values.get(name, getattr(memory, name)) for name in _CHECKS}

    def differing(self, memory: Memory) -> set[str]:
        """The fields that really change."""
        return {name for name, value in self.values.items() if value != getattr(memory, name)}

    def check_against(self, memory: Memory) -> None:
        """What can be told only together with what stays as it is."""
        after = self.after(memory)
        if memory.kind == "statement":
            check.choice("type", after["type"], STATEMENT_TYPES)
        start, end = after["valid_from"], after["valid_until"]
        if start and end and start > end:
            field = "valid_until" if "valid_until" in self.values else "valid_from"
            raise InvalidInput(field, f"would end the validity ({end}) before its start ({start})")


def parse(given: dict[str, Any], most_bytes: int) -> Changes:
    """Check what a caller gave."""
    for name in given:
        if name not in _CHECKS:
            raise InvalidInput(name, "cannot be changed")
    if not given:
        raise InvalidInput("content", "nothing to change was given")
    values = {name: _CHECKS[name](name, value, most_bytes) for name, value in given.items()}
    return Changes(values)


def is_new_version(fields: set[str]) -> bool:
    """Whether the former state has to be kept."""
    return bool(fields & _VERSIONED)


def _text(name: str, value: Any, most_bytes: int) -> str:
    return check.text(name, value, most_bytes=most_bytes)


def _optional_text(name: str, value: Any, most_bytes: int) -> str | None:
    return check.optional_text(name, value, most_bytes=most_bytes)


def _name(name: str, value: Any, _: int) -> str:
    return check.identifier(name, value)


def _optional_name(name: str, value: Any, _: int) -> str | None:
    return None if value is None else check.identifier(name, value)


def _names(name: str, value: Any, _: int) -> tuple[str, ...]:
    return check.names(name, value)


def _mapping(name: str, value: Any, most_bytes: int) -> dict[str, Any]:
    return check.mapping(name, value, most_bytes=most_bytes)


def _unit(name: str, value: Any, _: int) -> float:
    return check.unit(name, value)


def _flag(name: str, value: Any, _: int) -> bool:
    return check.flag(name, value)


def _policy(name: str, value: Any, _: int) -> str:
    return check.choice(name, value, TTL_POLICIES)


def _sensitivity(name: str, value: Any, _: int) -> str:
    return check.choice(name, value, ("low", "normal", "high"))


def _moment(name: str, value: Any, _: int) -> datetime | None:
    return check.optional_moment(name, value)


_CHECKS: dict[str, Any] = {
    "content": _text,
    "title": _optional_text,
    "summary": _optional_text,
    "type": _optional_name,
    "category": _name,
    "tags": _names,
    "metadata": _mapping,
    "importance": _unit,
    "confidence": _unit,
    "pinned": _flag,
    "ttl_policy": _policy,
    "sensitivity": _sensitivity,
    "valid_from": _moment,
    "valid_until": _moment,
}
