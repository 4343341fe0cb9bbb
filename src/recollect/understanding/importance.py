"""How much a source matters: what was said of it, and how it is used. A model may have an opinion too."""

import math
from dataclasses import dataclass

from pydantic import BaseModel, Field

from recollect.providers.language import LanguageModel
from recollect.understanding.secrets import mask

_OPINION = 0.3
"""What a model's opinion counts, of 1."""
_LONGEST = 4_000


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of a source."""

    stated: float
    """Importance that a caller gave, or the default."""
    accesses: int
    connections: int
    """Nodes that it mentions."""
    repetitions: int
    """Other sources that said the same."""
    age_days: float


def score(signals: Signals, half_life_days: float) -> float:
    """From 0 to 1. Something new that nobody stressed, repeated or asked for stays below 0.7."""
    access = 0.2 * (1 - math.exp(-signals.accesses / 5))
    connections = 0.1 * min(signals.connections / 10, 1)
    repetition = 0.15 * (1 - math.exp2(-signals.repetitions))
    recency = 0.05 * math.exp2(-max(signals.age_days, 0.0) / half_life_days)
    return max(0.0, min(1.0, signals.stated + access + connections + repetition + recency))


class Opinion(BaseModel):
    """How much a text matters in the long run."""

    importance: float = Field(ge=0, le=1)


_INSTRUCTIONS = (
    "You judge how much a note of an agent matters in the long run, from 0 (chatter, soon out of date) to 1 (knowledge"
    " that decides future work: decisions, architecture, constraints, lasting facts)."
)


async def with_opinion(model: LanguageModel, text: str, computed: float) -> float:
    """The computed importance, moved by what a model thinks of the text."""
    answer = await model.ask("judge", _INSTRUCTIONS, mask(text[:_LONGEST]), Opinion)
    return (1 - _OPINION) * computed + _OPINION * answer.value.importance


def at_best(computed: float) -> float:
    """The most that a model's opinion can make of a computed importance."""
    return (1 - _OPINION) * computed + _OPINION


def updated_confidence(known: float, evidence: float) -> float:
    """How sure something is after one more mention: evidence that is gathered weighs more than one witness."""
    return 0.7 * known + 0.3 * evidence
