"""Whether a message really says, and means, what a model took from it.

A model quotes the words that it went by. They are looked up in the message, and read with what stands around them: in
quotation marks, supposed, asked, denied or injected, they teach nothing. Where two readings are possible the
stricter one is taken: a wrong memory is worse than none.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from recollect.core.terms import terms

Voice = Literal["own", "unclear", "other"]
"""Of whom a passage speaks: of the speaker, in the first person; of nobody in particular; of somebody near to them."""

_MOST_WORDS = 60
_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"[.!?…](?=\s|$)|[。！？\n]")
_CLAUSE_END = re.compile(r"[.!?…](?=\s|$)|[。！？，、\n,;:()–—]")

_PIECE_END = re.compile(
    rf"{_CLAUSE_END.pattern}|\s(?=(?:and|but|so|because|while|though)\s(?:i|we|he|she|they|it|my|our|the|there)\b)"
    r"|\b(?:but|because|although)\b",
    re.IGNORECASE,
)

_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]+`|\"[^\"\n]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」|"
    r"(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w))+'(?!\w)|^>.*$",
    re.DOTALL | re.MULTILINE,
)
_INJECTED = re.compile(
    r"\b(?:ignore|disregard|override|bypass)\b[^.\n]{0,40}\b(?:instruction|rule|prompt|guideline|direction)s?\b"
    r"|^\W*(?:system|assistant|developer|tool)\b\W{0,3}:",
    re.IGNORECASE | re.MULTILINE,
)
_SUPPOSED = re.compile(
    r"^\W*(?:(?:and|so|but|ok|okay|now|please)\W+)*(?:suppos(?:e|ing)|imagine|pretend|assum(?:e|ing)|what if|let's say"
    r"|say (?:i|my)\b"
    r"|(?:write|translate|summari[sz]e|rephrase|proofread|correct)\b[^.\n]*:)",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"^\W*(?:(?:and|so|but|or|ok)\W+)?(?:what|where|when|who|whose|which|why|how"
    r"|(?:am|is|are|was|were|do|does|did|have|has|had|can|could|should|would|will|may|might|must)(?:n't)?\s+(?:i|my"
    r"|we|our))\b",
    re.IGNORECASE,
)
_DOUBTED = re.compile(
    r"\b(?:if|unless|wish|maybe|perhaps|possibly|might|i guess|i think i|as though|considering|thinking (?:of|about)"
    r"|(?:never|not|n't)\s+(?:say|said|saying|claim|claimed|mean|meant|that))\b|n't\s+(?:say|said|mean|claim)\b",
    re.IGNORECASE,
)
_FORMER = re.compile(r"\bused to\b", re.IGNORECASE)
_NEGATION = (
    r"(?:\b(?:not|never|no longer|nor|isn't|ain't)|n't)\W+"
    r"(?:(?:a|an|the|in|to|at|from|as|on|of|my|any|called|named|really|actually|even|allergic|intolerant"
    r"|live|living|work|working|based|use|using|speak|have)\W+){0,4}"
)
_NEGATED = re.compile(r"\b(?:not|never|no|none|cannot|without|stopped|quit|dislikes?|hates?)\b|n't\b", re.IGNORECASE)
_ARTICLES = frozenset({"a", "an", "the"})

# Left out where English writes a name or another word the same way: Mia, US, Mon, min.
_FIRST_PERSON = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|im|me|my|mine|myself|we|we're|we've|our|ours"
    r"|ich|mich|mir|mein\w*|wir|uns|unser\w*|je|j'\w+|moi|nous|notre|yo|nosotr[oa]s|nuestr[oa]s?|(?-i:[Ee]u)|meus?"
    r"|minhas?"
    r"|nosso|nossa|mio|miei|noi|nostr[oa]|ik|mij|mijn|wij|jag|mitt|mój|moja|moje|я|меня|мне|мой|моя|моё|мои|мы|мене"
    r"|мені)\b"
    r"|[我咱俺私僕]|わたし|ぼく|저는|나는|제가|내가",
    re.IGNORECASE,
)
_SOMEBODY_NEAR = re.compile(
    r"\b(?:my|our)\s+(?:(?:best|good|close|old|older|oldest|elder|eldest|young|younger|youngest|little|big|small"
    r"|dear|late"
    r"|own|new|former|first|second|adult)\s+){0,2}(?:wife|husband|partner|spouse|fianc[ée]+|girlfriend|boyfriend|ex"
    r"|mother|mom|mum"
    r"|father|dad|parents?|sister|brother|siblings?|twin|sons?|daughters?|kids?|child|children|baby|friends?|mate"
    r"|colleagues?|coworkers?|boss|manager|teacher|student|cousin|aunt|uncle|niece|nephew|grand\w+|in-laws?"
    r"|(?:room|flat|house)mate|neighbou?rs?|dogs?|cats?|pets?|puppy|kitten|client|customer|doctor)\b(?:'s)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Passage:
    """Words of a message with the clause and the sentence that they stand in."""

    clause: str
    sentence: str
    until: str
    """The sentence as far as the end of the words."""
    piece: str
    """Of the clause, the part that goes with the words: from one subject to the next."""
    aside: bool
    """In quotation marks, in code, or in injected text."""
    borrowed: str = ""
    """What of the sentence others say of themselves, in quotation marks."""

    @property
    def negated(self) -> bool:
        """Whether the words stand under a "not"."""
        return _NEGATED.search(self.piece) is not None

    @property
    def doubted(self) -> bool:
        """Whether they are said with doubt."""
        return _DOUBTED.search(self.piece) is not None

    @property
    def meant(self) -> bool:
        """Whether the speaker claims it: not quoted, supposed or asked."""
        asked = self.sentence.endswith(("?", "？")) and _ASKED.match(self.clause) is not None
        return not (self.aside or asked or _SUPPOSED.match(self.sentence))

    def borrows(self, value: str) -> bool:
        """Whether the value is there in somebody else's words only."""
        found = value.casefold()
        return found in self.borrowed.casefold() and self.sentence.casefold().count(found) == 1

    def doubts(self, value: str) -> bool:
        """Whether what is said before the value takes from its certainty."""
        return _DOUBTED.search(self._before(value)) is not None

    def is_past(self, value: str) -> bool:
        """Whether it speaks of what once was."""
        return _FORMER.search(self._before(value)) is not None

    def denies(self, value: str) -> bool:
        """Whether the clause says that it is not so."""
        words = [word for word in _WORD.findall(value) if word.casefold() not in _ARTICLES]
        if not words:
            return False
        pattern = rf"{_NEGATION}{re.escape(words[0])}(?:e?s)?(?!\w)"
        return re.search(pattern, self.clause, re.IGNORECASE) is not None

    def _before(self, value: str) -> str:
        """The sentence as far as the value; as far as the words where the value is not in so many among them."""
        return self.until.casefold().partition(value.casefold())[0]

    def voice(self) -> Voice:
        """Of whom the clause speaks."""
        without = _SOMEBODY_NEAR.sub(" ", self.clause)
        if _FIRST_PERSON.search(without):
            return "own"
        return "unclear" if without == self.clause else "other"


class Message:
    """A text in which quotes are looked up."""

    def __init__(self, text: str) -> None:
        self._text = text.replace("’", "'").replace("‘", "'")

    def passages(self, quote: str) -> list[Passage]:
        """Where the words occur, letter case, spaces and punctuation ignored."""
        words = _WORD.findall(quote)
        if not words or len(words) > _MOST_WORDS:
            return []
        start = r"(?<![^\W_])" if words[0].isascii() else ""
        pattern = re.compile(start + r"[\W_]*?".join(re.escape(word) for word in words), re.IGNORECASE)
        return [self._passage(*match.span()) for match in pattern.finditer(self._text)]

    def shares(self, text: str) -> float:
        """How much of what a text says is in the message: of its words that carry meaning, the share found there."""
        told = set(terms(text))
        return len(told & self._terms) / len(told) if told else 0.0

    def names(self, value: str) -> bool:
        """Whether the value, or a word of it, is there in so many words."""
        if value.casefold() in self._text.casefold():
            return True
        return not self._terms.isdisjoint(terms(value))

    @cached_property
    def _terms(self) -> frozenset[str]:
        return frozenset(terms(self._text))

    @cached_property
    def _aside(self) -> list[tuple[int, int]]:
        """Stretches that are not the speaker's own words; whatever follows injected text counts as part of it."""
        spans = [match.span() for match in _QUOTED.finditer(self._text)]
        injected = _INJECTED.search(self._text)
        return [*spans, (injected.start(), len(self._text))] if injected else spans

    @cached_property
    def _sentence_ends(self) -> list[int]:
        return list(_ends(_SENTENCE_END, self._text))

    @cached_property
    def _clause_ends(self) -> list[int]:
        return list(_ends(_CLAUSE_END, self._text))

    @cached_property
    def _piece_ends(self) -> list[int]:
        return list(_ends(_PIECE_END, self._text))

    def _passage(self, start: int, end: int) -> Passage:
        first, last = _around(self._sentence_ends, start, end)
        clause = slice(*_around(self._clause_ends, start, end))
        aside = any(begin <= start and end <= stop for begin, stop in self._aside)
        return Passage(
            clause=self._text[clause].strip(),
            sentence=self._text[first:last].strip(),
            until=self._text[first:end],
            piece=self._text[slice(*_around(self._piece_ends, start, end))].strip(),
            aside=aside,
            borrowed="\n".join(self._quoted_within(first, last)),
        )

    def _quoted_within(self, first: int, last: int) -> Iterator[str]:
        for begin, stop in self._aside:
            if first <= begin and stop <= last and _FIRST_PERSON.search(self._text, begin, stop):
                yield self._text[begin:stop]


def _ends(pattern: re.Pattern[str], text: str) -> Iterator[int]:
    yield from (match.end() for match in pattern.finditer(text))
    yield len(text)


def _around(ends: list[int], start: int, end: int) -> tuple[int, int]:
    """From the end before `start` to the first at or after `end`."""
    before = bisect_left(ends, start + 1)
    return (ends[before - 1] if before else 0, ends[bisect_left(ends, end)])
