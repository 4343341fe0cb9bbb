"""Whether two statements in the third person say the same, contradict each other, or are two things; English.

An embedder finds statements that are near; what it cannot see is what makes them disagree: a "not", a number, a
date, a name, who did it to whom. This test looks at just those. A wrong merge loses knowledge, while a duplicate
only costs a line: whatever the rules below do not settle is "different", and both are kept.

How it reads: dates, clock times and quantities are taken out of the text and made comparable; the rest becomes
words with their stems, cut into who it is about and what is said. `compare` then asks its rules in order, and the
first one that knows answers.
"""

import re
from collections.abc import Iterable

from recollect.understanding.same_fact.reading import ends, plain, read
from recollect.understanding.same_fact.rules import RULES, Pair
from recollect.understanding.same_fact.rules import doubtful as _doubtful
from recollect.understanding.same_fact.rules import settles as _settles
from recollect.understanding.same_fact.verdict import Relation, Verdict
from recollect.understanding.same_fact.words import UNITS, canonical

__all__ = ["LEAST_SIMILARITY", "Relation", "Verdict", "clashes", "compare", "doubtful", "ends", "settles"]

LEAST_SIMILARITY = 0.75
"""Below this similarity two statements are about different things, whatever their words."""
# A text of more characters is no statement.
_LONGEST = 2_000


def compare(older: str, newer: str, *, similarity: float = 0.9) -> Verdict:
    """How the newer statement stands to the older one; `similarity` is calibrated, 0 to 1."""
    if plain(older) == plain(newer):
        return Verdict("same", "same words")
    if similarity < LEAST_SIMILARITY or max(len(older), len(newer)) > _LONGEST:
        return Verdict("different", "not near")
    if _namesakes(older, newer):
        return Verdict("different", "other name")
    pair = Pair(read(older), read(newer), similarity)
    return next(verdict for rule in RULES if (verdict := rule(pair)) is not None)


def clashes(older: str, newer: str) -> bool:
    """Whether two statements have numbers or dates that cannot be meant by the same words."""
    pair = Pair(read(older), read(newer), 1.0)
    one, other = _measures(pair.older.quantities), _measures(pair.newer.quantities)
    units_clash = bool(one and other and one.isdisjoint(other))
    return pair.dates_clash or pair.numbers_clash is not None or units_clash


def _measures(quantities: Iterable[str]) -> set[str]:
    """What is measured, or in which money it is paid."""
    return {label for label in quantities if label in _MEASURES}


_MEASURES = frozenset(dimension for dimension, _ in UNITS.values()) | {
    "swiss",
    "franc",
    "yen",
    "rupee",
    "peso",
    "krona",
}


def doubtful(text: str) -> bool:
    """Whether a statement is said with doubt ("might", "is considering")."""
    return len(text) <= _LONGEST and _doubtful(read(text))


def settles(older: str, newer: str) -> bool:
    """Whether the newer statement says for sure what the older one left open ("might move", then "is moving")."""
    return max(len(older), len(newer)) <= _LONGEST and _settles(Pair(read(older), read(newer), 1.0))


def _namesakes(older: str, newer: str) -> bool:
    """Whether a name of one is nearly one of the other: Carlo and Carlos have one stem, and are two people."""
    one, other = (set(_NAME.findall(text)) for text in (older, newer))
    stems = {canonical(name.lower()) for name in other - one}
    return any(canonical(name.lower()) in stems for name in one - other)


_NAME = re.compile(r"\b[A-Z][a-zà-ÿ]+(?=\b)")
