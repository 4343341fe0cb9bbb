"""A small BM25, to find turns that share words with a question: wrong answers that look right."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

K1, B = 1.2, 0.75

_WORD = re.compile(r"[a-z0-9]+")
_STOP_WORDS = """
a about an and are as at be been by did do does for from had has have he her his how i if in is it its me my of on or
our she so that the their them they this to was we were what when where which who why will with would you your
"""
_STOP = frozenset(_STOP_WORDS.split())


def words(text: str) -> list[str]:
    """The words of a text that tell it from others, plurals as singulars."""
    found = _WORD.findall(text.lower())
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in found if word not in _STOP]


class Index:
    """Texts, to be searched."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(words(text)) for text in texts]
        lengths = np.array([count.total() for count in counts], np.float32)
        norm = K1 * (1 - B + B * lengths / max(1.0, float(lengths.mean())))
        found: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, count in enumerate(counts):
            for word, times in count.items():
                found[word].append((place, times))
        self._size = len(texts)
        self._postings = {word: self._weighted(pairs, norm) for word, pairs in found.items()}

    def best(self, question: str, count: int) -> list[int]:
        """The places of the texts that share most with a question, the best first; none that share nothing."""
        scores = np.zeros(self._size, np.float32)
        for word in dict.fromkeys(words(question)):
            if word in self._postings:
                places, parts = self._postings[word]
                scores[places] += parts
        # Rounded, and ties by place: pools shall be the same on every machine, whatever it does with the last digit.
        first = np.argsort(-scores.round(3), kind="stable")[:count]
        return [int(place) for place in first if scores[place] > 0]

    def _weighted(
        self, pairs: list[tuple[int, int]], norm: NDArray[np.float32]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        places, times = np.array(pairs).T
        rarity = np.log(1 + (self._size - len(pairs) + 0.5) / (len(pairs) + 0.5))
        return places, (rarity * times / (times + norm[places])).astype(np.float32)
