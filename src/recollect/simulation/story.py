"""What a synthetic user writes down, says and asks, day by day.

Themes last, pause and come back, or end; some things are mentioned once and never again, some are only for today. The
user looks up a part of what was written, a few days later, and asks how the themes are going for as long as they go on.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, product

from recollect.simulation.phrases import CALLS, MATTERS, MOOD, PLANS, SIGHTS, SYMPTOMS, THINGS

YEAR = 365
_EVERY = 5
"""Days from one on which something is written to the next: nobody keeps a diary every day."""
_LATER = (3, 12)
"""Days after which something that was written is looked up."""


@dataclass(frozen=True, slots=True)
class Theme:
    """Something that a life is about for a while."""

    name: str
    """A name that its notes use, and by which its node is known."""
    notes: Sequence[str]
    """With a place for the matter of the day."""
    question: str
    """How it is going."""
    spans: Sequence[tuple[int, int]]
    """From which day to which it is written about, within a year."""
    every: float
    """Days from one note to the next, on average, while it lasts."""
    asked_every: float
    """Days from one question to the next, while it lasts."""
    looked_up: float = 0.5
    """The share of its notes that are looked up later."""

    def goes_on(self, day: int) -> bool:
        """Whether it is written about on that day."""
        return any(first <= day % YEAR < last for first, last in self.spans)


@dataclass(frozen=True, slots=True)
class Note:
    """Something written down."""

    text: str
    ttl_policy: str = "decay"


@dataclass(frozen=True, slots=True)
class Question:
    """Something asked; of a theme as a whole the stories answer too."""

    text: str
    of_theme: bool = False


@dataclass(frozen=True, slots=True)
class Day:
    """What happens on one day."""

    notes: tuple[Note, ...] = ()
    talk: tuple[tuple[str, str], ...] = ()
    """Who says what, in the order of a conversation."""
    questions: tuple[Question, ...] = ()

    @property
    def is_quiet(self) -> bool:
        """Whether nothing happens."""
        return not (self.notes or self.talk or self.questions)


KEPT = "The spare key of the house lies with Henrike Vos, second bell from the top."
USED = "The ferry to the island leaves at ten past eight, at noon and at half past four."
ASKED = "When does the ferry to the island leave?"

THEMES: tuple[Theme, ...] = (
    Theme(
        "Ottilie Brandt",
        (
            "Lunch with Ottilie Brandt, who leads the lighthouse survey. We spoke about {matter}.",
            "Ottilie Brandt called from the lighthouse. She worries about {matter}.",
            "Walked the dyke with Ottilie Brandt: the survey is held up by {matter}.",
        ),
        "How is Ottilie Brandt's lighthouse survey going?",
        ((0, YEAR),),
        every=12,
        asked_every=12,
    ),
    Theme(
        "Marrow Lane",
        (
            "Morning at Marrow Lane with Piet Hollander. All about {matter} today.",
            "Rain over Marrow Lane; Piet Hollander and I dealt with {matter}.",
            "Piet Hollander showed me at Marrow Lane what to do about {matter}.",
        ),
        "What is going on at Marrow Lane?",
        ((80, 250),),
        every=10,
        asked_every=30,
    ),
    Theme(
        "Kestrel",
        (
            "Worked on the Kestrel with Amara Diallo. Most of the day went into {matter}.",
            "The Kestrel is a boat of surprises: Amara Diallo found out about {matter}.",
            "Amara Diallo and I tried the Kestrel, and came back because of {matter}.",
        ),
        "What does the Kestrel still need?",
        ((6, 60), (190, 250)),
        every=6,
        asked_every=15,
    ),
    Theme(
        "Winterreise",
        (
            "Rehearsal for the Winterreise. Solveig Lindqvist spoke at length about {matter}.",
            "Solveig Lindqvist moved the Winterreise rehearsal because of {matter}.",
            "The altos asked Solveig Lindqvist about {matter} before the Winterreise.",
        ),
        "How is the Winterreise coming along?",
        ((0, 45), (290, YEAR)),
        every=6,
        asked_every=20,
    ),
)


@dataclass(slots=True)
class Story:
    """The days of a life, the same for the same seed."""

    seed: int = 0
    themes: Sequence[Theme] = field(default=THEMES)

    def days(self, number: int) -> Iterator[Day]:
        """So many days, one after the other."""
        life = _Life(random.Random(self.seed), self.themes)
        return (life.day(day) for day in range(number))


class _Life:
    """What has happened so far, as far as later days depend on it."""

    def __init__(self, dice: random.Random, themes: Sequence[Theme]) -> None:
        self._dice = dice
        self._themes = themes
        self._matters = self._shuffled(f"the {mood} {matter}" for mood, matter in product(MOOD, MATTERS))
        self._sights = self._shuffled(SIGHTS)
        self._calls = self._shuffled(CALLS)
        self._troubles = self._shuffled(f"The {thing} {symptom}." for thing, symptom in product(THINGS, SYMPTOMS))
        self._plans = self._shuffled(PLANS)
        self._to_look_up: dict[int, list[Question]] = {}

    def _shuffled(self, phrases: Iterator[str] | Sequence[str]) -> Iterator[str]:
        """All of them in a random order, then all over again."""
        all_of_them = list(phrases)
        self._dice.shuffle(all_of_them)
        return (all_of_them[place % len(all_of_them)] for place in count())

    def day(self, day: int) -> Day:
        """One day; they have to be asked for in their order."""
        if day % _EVERY:
            return Day()
        notes = (*self._of_themes(day), *self._in_passing(day))
        return Day(notes, tuple(self._talk()), tuple(self._questions(day)))

    def _happens(self, every: float) -> bool:
        """Whether today is one of the days on which something happens that comes about so often."""
        return self._dice.random() < _EVERY / every

    def _of_themes(self, day: int) -> Iterator[Note]:
        for theme in self._themes:
            if theme.goes_on(day) and self._happens(theme.every):
                matter = next(self._matters)
                yield Note(self._dice.choice(theme.notes).format(matter=matter))
                if self._dice.random() < theme.looked_up:
                    self._look_up_later(day, f"What was it about {matter}?")

    def _look_up_later(self, day: int, question: str) -> None:
        due = day + self._dice.randint(*_LATER)
        due += -due % _EVERY
        self._to_look_up.setdefault(due, []).append(Question(question))

    def _in_passing(self, day: int) -> Iterator[Note]:
        """What is mentioned once, what is only for today; at first one thing to keep, and one that is often needed."""
        if day == 0:
            yield from (Note(KEPT, "keep_forever"), Note(USED))
        if self._happens(16):
            yield Note(next(self._sights))
        if self._happens(16):
            yield Note(next(self._calls), "ephemeral")

    def _talk(self) -> Iterator[tuple[str, str]]:
        if self._happens(15):
            yield "user", next(self._troubles)
            yield "assistant", "I fixed it."
            yield "user", "Thank you."
        if self._happens(24):
            yield "user", next(self._plans)

    def _questions(self, day: int) -> Iterator[Question]:
        yield from self._to_look_up.pop(day, ())
        if day and self._happens(14):
            yield Question(ASKED)
        for theme in self._themes:
            if theme.goes_on(day) and self._happens(theme.asked_every):
                yield Question(theme.question, of_theme=True)
