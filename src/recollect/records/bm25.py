"""BM25's share that belongs to a text: how much each of its terms counts, saturated and for its length."""

from collections.abc import Mapping

K1 = 1.2
B = 0.75

# Until a space has statistics of its own: the mean number of terms of a chat turn with its surroundings.
TYPICAL_LENGTH = 24.0

# The dimensions of a term vector: hashed terms need no dictionary.
DIMENSIONS = 1_000_000_000


def weights(counts: Mapping[int, int], length: int, mean_length: float) -> dict[int, float]:
    """The weight of each term: its frequency, saturating, and less in a text longer than the mean."""
    norm = _norm(length, mean_length)
    return {term: count * (K1 + 1) / (count + norm) for term, count in counts.items()}


def reweighted(old: Mapping[int, float], length: int, mean_length: float) -> dict[int, float]:
    """The same weights for another mean length, whatever mean they were made with.

    A weight tells a term's frequency but for a factor that is the same for all terms of the text; and the
    frequencies add up to its length.
    """
    shares = {term: weight / (K1 + 1 - weight) for term, weight in old.items()}
    factor = length / (sum(shares.values()) or 1.0)
    return weights({term: round(share * factor) for term, share in shares.items()}, length, mean_length)


def once(length: int, mean_length: float) -> float:
    """The weight of a term that occurs once."""
    return (K1 + 1) / (1 + _norm(length, mean_length))


def _norm(length: int, mean_length: float) -> float:
    return K1 * (1 - B + B * length / (mean_length or TYPICAL_LENGTH))
