"""What is found in a text before it is known who is who."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

PERSON = "person"
UNKNOWN = "name"
"""The type of what is certainly a name, and of nobody knows what."""


@dataclass(slots=True)
class Mention:
    """A stretch of a text that names something."""

    start: int
    end: int
    sentence: int
    text: str
    """The name as it stands there, without title."""
    type: str
    """`person`, `concept`, or the type of an entity."""
    sure: float = 0.8
    title: str = ""
    """Before or behind the name of a person: "Ms", "Aunt"."""
    weak: bool = False
    """Only a guess by what stands around it: what is said of the name elsewhere counts more."""
    key: tuple[str, str, str] | None = None
    """Of the entity that it was found to be."""
    possessive: bool = False
    also: str = ""
    """The name with the word for its type: "Atlas Project"."""


class Taken:
    """The stretches of a text that are taken: a further mention has to be free of them."""

    def __init__(self) -> None:
        self.mentions: list[Mention] = []
        self._starts: list[int] = []
        self._ends: list[int] = []

    def is_free(self, start: int, end: int) -> bool:
        """Whether nothing that is taken overlaps with a stretch."""
        place = bisect_left(self._starts, end)
        return place == 0 or self._ends[place - 1] <= start

    def take(self, mentions: Iterable[Mention]) -> list[Mention]:
        """Take those that are free, in their order; these."""
        kept = []
        for mention in mentions:
            if self.is_free(mention.start, mention.end):
                place = bisect_left(self._starts, mention.start)
                self._starts.insert(place, mention.start)
                self._ends.insert(place, mention.end)
                kept.append(mention)
        self.mentions += kept
        return kept
