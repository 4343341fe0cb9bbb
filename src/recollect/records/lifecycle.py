"""How memories fade and come back: pure functions. `lifecycle.sql` says the same in SQL; a test compares the two."""

import math
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from recollect.core.settings import Settings

State = Literal["candidate", "active", "core", "archived", "soft_deleted"]

_DAY = 86_400.0
_GRADIENT_LEAST, _GRADIENT_MOST = 0.5, 3.0
_LONGER, _SHORTER = 0.1, -0.05


@dataclass(frozen=True, slots=True)
class Rules:
    """The numbers of the lifecycle, all of them settings."""

    salience_recall: float = 0.05
    decay_rate: float = 0.02
    confident: float = 0.8
    archive_below: float = 0.01
    active_accesses: int = 1
    core_accesses: int = 10
    half_life_days: float = 30.0

    @classmethod
    def of(cls, settings: Settings) -> "Rules":
        """The rules that the settings name."""
        return cls(
            settings.salience_recall,
            settings.decay_rate,
            settings.decay_confident,
            settings.archive_below,
            settings.active_accesses,
            settings.core_accesses,
            settings.recency_half_life_days,
        )


@dataclass(frozen=True, slots=True)
class Use:
    """The part of a memory that recall and decay change."""

    state: str
    salience: float
    salience_at: datetime
    confidence: float
    ttl_policy: str = "decay"
    access_count: int = 0
    recall_frequency: int = 0
    last_recall_interval: float = 0.0
    decay_gradient: float = 1.0
    last_accessed_at: datetime | None = None


def days_between(earlier: datetime, later: datetime) -> float:
    """Days from one moment to another, never below 0: a clock may go back."""
    return max(0.0, (later - earlier).total_seconds() / _DAY)


def decay_rate(use: Use, rules: Rules) -> float:
    """The share that is lost a day. Confident candidates lose nothing, doubtful ones up to three times as much."""
    rate = rules.decay_rate / (1 + math.pow(use.recall_frequency, use.decay_gradient))
    if not _is_unproven(use):
        return rate
    if use.confidence >= rules.confident:
        return 0.0
    return rate * (1 + (1 - use.confidence) * 2)


def _is_unproven(use: Use) -> bool:
    """A candidate, or what was one when it was put away: a job that archives it does not change what is left of it."""
    return use.state == "candidate" or (use.state in ("archived", "soft_deleted") and use.recall_frequency == 0)


def salience(use: Use, now: datetime, rules: Rules) -> float:
    """What is left now: computed when read, so that it does not matter whether or when the nightly job ran."""
    if use.ttl_policy == "keep_forever":
        return 1.0
    return use.salience * math.exp(-decay_rate(use, rules) * days_between(use.salience_at, now))


def recalled(use: Use, now: datetime, rules: Rules) -> Use:
    """The use after a recall at `now`."""
    interval = days_between(use.last_accessed_at, now) if use.last_accessed_at else 0.0
    count = use.access_count + 1
    return replace(
        use,
        state=_promoted(use.state, count, rules),
        salience=min(1.0, salience(use, now, rules) + rules.salience_recall),
        # A clock that goes back must not charge again for days that are decayed already.
        salience_at=max(now, use.salience_at),
        access_count=count,
        recall_frequency=use.recall_frequency + 1,
        last_recall_interval=interval,
        decay_gradient=_spaced(use, interval),
        last_accessed_at=max(now, use.last_accessed_at or now),
    )


def _spaced(use: Use, interval: float) -> float:
    """Recalls that lie further and further apart make a memory last; a first recall has no interval yet."""
    if use.last_accessed_at is None or interval == use.last_recall_interval:
        return use.decay_gradient
    step = _LONGER if interval > use.last_recall_interval else _SHORTER
    return min(_GRADIENT_MOST, max(_GRADIENT_LEAST, use.decay_gradient + step))


def _promoted(state: str, access_count: int, rules: Rules) -> str:
    """candidate → active → core by use; what was archived comes back as active."""
    if state == "soft_deleted":
        return state
    if state == "core" or (state == "active" and access_count >= rules.core_accesses):
        return "core"
    if state == "archived" or access_count >= rules.active_accesses:
        return "active"
    return state


def relevance(days: float, access_count: int, half_life_days: float) -> float:
    """Half-life relevance: halves every `half_life_days`, and use holds it up."""
    return min(1.0, math.exp2(-max(0.0, days) / half_life_days) + min(0.1 * access_count, 0.5))


def level(importance: float) -> int:
    """Importance 0–1 as a level from 1 to 5."""
    return max(1, math.ceil(importance * 5))
