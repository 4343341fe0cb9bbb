"""What somebody said of a memory, kept with it: no older word undoes it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

VERDICTS = ("useful", "wrong")
_FIELD = "verdict"


def with_verdict(data: Mapping[str, Any], verdict: str, now: datetime) -> dict[str, Any]:
    """What only a memory's kind has, and the verdict on it."""
    return {**data, _FIELD: {"said": verdict, "at": now.isoformat()}}


def is_judged(data: Mapping[str, Any]) -> bool:
    """Whether somebody gave a verdict."""
    return _FIELD in data


def is_refuted(data: Mapping[str, Any], said_at: datetime) -> bool:
    """Whether somebody called it wrong after something was said that speaks for it."""
    verdict = data.get(_FIELD)
    return bool(verdict and verdict["said"] == "wrong" and said_at <= datetime.fromisoformat(verdict["at"]))
