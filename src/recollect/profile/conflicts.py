"""What becomes of a value that was said for a profile key, given those that the key has or had. Pure.

The values of a key are told in the order in which they were said, whatever the order in which they arrive: an older
word never undoes a newer one, so that copies of a talk, and late workers, leave the profile as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from recollect.profile.model import Held, Said
from recollect.understanding.model import Fact
from recollect.understanding.profile_keys import same_value

Outcome = Literal["add", "replace", "confirm", "end", "rule_out", "propose", "ignore"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do, why, and to which of the key's values."""

    outcome: Outcome
    reason: str
    target: Held | None = None


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules that settings change."""

    consent_keys: frozenset[str]
    signals: int


def decide(fact: Fact, said: Said, held: Sequence[Held], signals: int, policy: Policy) -> Decision:
    """`held` are the values of the key, of a key with many items those of this item; `signals` count this one too."""
    active = next((value for value in held if value.active), None)
    if fact.ended:
        return _ending(fact, said, active, held)
    if active and same_value(fact.key, active.value, fact.value):
        return Decision("confirm", "said again", active)
    if any(value.deleted and value.by_hand and same_value(fact.key, value.value, fact.value) for value in held):
        return Decision("ignore", "a person deleted it")
    if (last := _last_word(held)) and (said.at, said.turn) < last:
        return Decision("ignore", "older than what is known", active)
    if active and active.by_hand:
        return Decision("propose", "a person set the present value", active)
    return _newer(fact, active, signals, policy)


def _newer(fact: Fact, active: Held | None, signals: int, policy: Policy) -> Decision:
    """The value is newer than what is known; whether it is sure enough."""
    if not fact.first_person:
        if fact.key in policy.consent_keys:
            return Decision("propose", "inferred, and the key needs consent", active)
        if signals < policy.signals:
            return Decision("propose", f"inferred, from {signals} of {policy.signals} signals", active)
    if active and certainty(fact) < active.confidence:
        return Decision("ignore", "less certain than what is known", active)
    return Decision("replace" if active else "add", "corrected" if fact.correction else "said in chat", active)


def _ending(fact: Fact, said: Said, active: Held | None, held: Sequence[Held]) -> Decision:
    if active is None and fact.value and not held:
        return Decision("rule_out", "no longer true, and never known")
    if active is None or (fact.value and not same_value(fact.key, active.value, fact.value)):
        return Decision("ignore", "nothing that it could end")
    if (said.at, said.turn) < (active.said_at, active.turn):
        return Decision("ignore", "older than what is known", active)
    if active.by_hand:
        return Decision("propose", "a person set the present value", active)
    return Decision("end", "no longer true", active)


def _last_word(held: Sequence[Held]) -> tuple[datetime, int] | None:
    """When the newest word on the key was said: that a value holds, or that it ended; not of one that was withdrawn."""
    words = [(value.said_at, value.turn) for value in held if not value.deleted]
    words += [(value.ended_at, 0) for value in held if value.ended_at and (value.by_hand or not value.deleted)]
    return max(words, default=None)


def certainty(fact: Fact) -> float:
    """A correction spoken as one counts as certain."""
    return 1.0 if fact.correction else fact.confidence
