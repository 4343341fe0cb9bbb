"""Who is who within a text: "Sarah Chen", "Sarah", "Ms Chen", "S. Chen" and "@sarah" are one person."""

import re
from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from recollect.graph.extract.found import Mention
from recollect.graph.model import canonical
from recollect.understanding.lexicon import (
    HONORIFICS,
    KIN_TITLES,
    PARTICLES,
    SUFFIXES,
    SURNAMES,
    cyrillic_stem,
    fold,
    is_given,
    may_be_short_for,
    other_forms,
)

_PARTS = re.compile(r"[\s.]+")
_HANDLE = re.compile(r"[a-z][\w-]*[.\d]\w*$")


@dataclass(slots=True)
class Person:
    """Somebody whom a text names, in all ways it does."""

    words: tuple[str, ...]
    """The folded words of the fullest name."""
    name: str
    mentions: list[Mention] = field(default_factory=list)
    names: Counter[str] = field(default_factory=Counter)
    titled: bool = False
    """Known by title and family name alone: "Ms Chen"."""
    _starts: list[int] = field(default_factory=list)
    """Where the mentions begin, in order."""

    def add(self, mention: Mention) -> None:
        """Count a mention under a name that others have, too."""
        self.mentions.append(mention)
        insort(self._starts, mention.start)

    def distance(self, place: int) -> tuple[int, int]:
        """How far before a place the person was named last; if not before it, how far behind."""
        at = bisect_right(self._starts, place)
        return (0, place - self._starts[at - 1]) if at else (1, self._starts[0] - place)

    def take(self, mention: Mention, name: str | None = None) -> None:
        """Count a mention as one of this person."""
        self.add(mention)
        said = name or mention.text
        self.names[said] += 1
        if mention.also:
            self.names[mention.also] += 1
        if mention.title:
            self.names[said_with_title(mention)] += 1

    @property
    def sure(self) -> float:
        """How sure it is that this is somebody: every further mention adds to it."""
        best = max(mention.sure for mention in self.mentions)
        return min(0.98, best + 0.02 * (len(self.mentions) - 1))

    @property
    def aliases(self) -> tuple[str, ...]:
        """The other names, as they stand in the text."""
        own = canonical(self.name)
        kept = {canonical(name): name for name in reversed(list(self.names)) if canonical(name) not in ("", own)}
        return tuple(sorted(kept.values(), key=lambda name: (-self.names[name], name)))


def said_with_title(mention: Mention) -> str:
    """A name with its title, on the side where it stands."""
    behind = fold(mention.title) in HONORIFICS
    return f"{mention.text} {mention.title}" if behind else f"{mention.title} {mention.text}"


def join(mentions: Iterable[Mention]) -> list[Person]:
    """The people of a text: fuller names first, each shorter one with the fuller that it is a part of."""
    known = _Known()
    for mention in sorted(mentions, key=lambda mention: (-_weight(mention), mention.start)):
        words = words_of(mention.text)
        if words:
            known.take(words, mention)
    for person in known.people:
        person.name = _display(person)
        person.mentions.sort(key=lambda mention: mention.start)
    return sorted(known.people, key=lambda person: person.mentions[0].start)


class _Known:
    """The people who are known so far, found by what they may be called."""

    def __init__(self) -> None:
        self.people: list[Person] = []
        self._by_word: dict[str, list[int]] = {}
        self._decided: dict[tuple[tuple[str, ...], str], Person] = {}

    def take(self, words: tuple[str, ...], mention: Mention) -> None:
        """Count a mention as one of somebody known, or as somebody new."""
        decided = self._decided.get((words, mention.title))
        if decided is not None:
            decided.take(mention)
            return
        fitting = [person for person in self._near(words) if _fits(words, mention, person)]
        fitting = [person for person in fitting if words[0] in person.words] or fitting
        person = _nearest(fitting, mention) if fitting else self._add(words, mention)
        _take(person, mention, shared=len(fitting) > 1)
        if len(fitting) < 2:
            self._decided[words, mention.title] = person

    def _add(self, words: tuple[str, ...], mention: Mention) -> Person:
        titled = bool(mention.title) and fold(mention.title).strip(".") not in KIN_TITLES
        person = Person(words, mention.text, titled=titled)
        for key in {*words, words[0][:3], *_handles(words)}:
            self._by_word.setdefault(key, []).append(len(self.people))
        self.people.append(person)
        return person

    def _near(self, words: tuple[str, ...]) -> list[Person]:
        """Those with whom a name shares a word, a beginning or a short form; in the order in which they came."""
        # A full name fits nobody without its last word: others who are called Maria need not be looked at.
        keys = {words[-1]} if len(words) > 1 else {*words, words[0][:3], *other_forms(words[0])}
        return [self.people[place] for place in sorted({place for key in keys for place in self._by_word.get(key, ())})]


def _take(person: Person, mention: Mention, *, shared: bool) -> None:
    """Count a mention; a name that several people share is no alias of one."""
    if shared:
        person.add(mention)
    else:
        person.take(mention)


def _weight(mention: Mention) -> int:
    """Fuller names weigh more; then those with capitals and without doubt."""
    words = words_of(mention.text)
    full = sum(len(word) > 1 for word in words) * 4 + len(words)
    return full * 2 + (not mention.weak)


@lru_cache(maxsize=10_000)
def words_of(name: str) -> tuple[str, ...]:
    """The folded words of a name, without particles, suffixes and handles' marks."""
    parts = _PARTS.split(fold(name).strip("@ .'").replace("'", ""))
    return tuple(cyrillic_stem(word) for word in parts if word and word not in PARTICLES and word not in SUFFIXES)


def _fits(words: Sequence[str], mention: Mention, person: Person) -> bool:
    """Whether a name may be another way to call a person."""
    known = person.words
    if tuple(words) == known:
        return not _strangers(mention, person)
    if len(words) == 1:
        return _fits_alone(words[0], mention, person)
    if person.titled and len(known) == 1:
        return words[-1] == known[0]
    if len(words) > len(known):
        return len(known) == 1 and False
    if words[-1] != known[-1] and not (len(words) < len(known) and words[-1] in known):
        return False
    return all(_same_part(part, known) for part in words[:-1])


def _strangers(mention: Mention, person: Person) -> bool:
    """Whether two people share a name but not a title: "Mr Ferguson" and "Mrs Ferguson"."""
    if not mention.title or not person.titled:
        return False
    own, theirs = (
        fold(mention.title).strip("."),
        {fold(each.title).strip(".") for each in person.mentions if each.title},
    )
    pairs = ({"mr", "mrs"}, {"mr", "ms"}, {"mr", "miss"}, {"herr", "frau"}, {"senor", "senora"})
    return any(own in pair and (pair - {own}) & theirs for pair in pairs)


def _fits_alone(word: str, mention: Mention, person: Person) -> bool:
    known = person.words
    if mention.title and fold(mention.title).strip(".") not in KIN_TITLES and fold(mention.title) not in HONORIFICS:
        return word == known[-1] or (word == known[0] and (len(known) == 1 or known[0] in SURNAMES))
    if word in known:
        return True
    first = known[0]
    if _is_short(word, first) or (len(known) == 1 and _is_short(first, word)):
        return not person.titled
    return _is_handle_of(word, person)


def _is_short(short: str, full: str) -> bool:
    """Whether a name is what somebody is called for short: "Kati" for "Katalin"."""
    if may_be_short_for(short, full):
        return True
    return is_given(short) and 3 <= len(short) <= 5 and len(full) - len(short) >= 3 and full.startswith(short)


def _is_handle_of(word: str, person: Person) -> bool:
    """Whether "schen", "sarahc" or "sarah_chen" are made of a name."""
    return len(word) > 3 and word in _handles(person.words)


def _handles(words: Sequence[str]) -> tuple[str, ...]:
    """What people make of a name for themselves in chats."""
    if len(words) < 2:
        return ()
    first, last = words[0], words[-1]
    return first[0] + last, first + last, first + last[0], f"{first}_{last}", f"{first}-{last}"


def _same_part(part: str, known: Sequence[str]) -> bool:
    if part in known:
        return True
    if len(part) == 1:
        return any(word.startswith(part) for word in known[:-1])
    return any(
        (len(word) == 1 and part.startswith(word)) or may_be_short_for(part, word) or may_be_short_for(word, part)
        for word in known[:-1]
    )


def _nearest(people: Sequence[Person], mention: Mention) -> Person:
    """Of several who could be meant, the one who was named last before it."""
    return min(people, key=lambda person: person.distance(mention.start))


def _display(person: Person) -> str:
    """The name to show: the fullest, with capitals if any mention has them."""
    same = [name for name in person.names if words_of(name) == person.words]
    plain = [name for name in same if canonical(name) == canonical(same[0])] or [person.name]
    best = max(
        plain,
        key=lambda name: (any(map(str.isupper, name[1:])) is False, any(map(str.isupper, name)), person.names[name]),
    )
    bare = best.lstrip("@")
    if (
        bare.islower()
        and not _HANDLE.match(bare)
        and all(is_given(word) or len(person.words) > 1 for word in person.words[:1])
    ):
        bare = " ".join(part if part in PARTICLES else part[:1].upper() + part[1:] for part in bare.split(" "))
    if person.titled and len(person.words) == 1:
        titled = [
            said_with_title(mention) for mention in person.mentions if mention.title and not mention.text.islower()
        ]
        return titled[0] if titled else bare
    return bare
