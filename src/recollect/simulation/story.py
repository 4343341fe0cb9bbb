"""What a synthetic user writes down and asks, day by day: themes that last, come in seasons, pause, or come once."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

_YEAR = 365


@dataclass(frozen=True, slots=True)
class Theme:
    """Something that a life is about for a while."""

    name: str
    """A name that its notes use, and by which its node is known."""
    notes: Sequence[str]
    question: str
    spans: Sequence[tuple[int, int]]
    """From which day to which it is written about, within a year."""
    every: float
    """Days from one note to the next, on average, while it lasts."""
    asked_every: float | None
    """Days from one question to the next, always; None: nobody ever asks."""

    def goes_on(self, day: int) -> bool:
        """Whether it is written about on that day."""
        return any(first <= day % _YEAR < last for first, last in self.spans)


@dataclass(frozen=True, slots=True)
class Day:
    """What happens on one day."""

    notes: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()


THEMES: tuple[Theme, ...] = (
    Theme(
        "Ottilie Brandt",
        (
            "Had lunch with Ottilie Brandt today. Ottilie leads the lighthouse survey and wants two more boats.",
            "Ottilie Brandt called from Husum. She works at Nordwind Charts and will send the tide tables.",
            "Walked the dyke with Ottilie Brandt, who told me how the survey of the sandbanks is going.",
            "Ottilie Brandt wrote that the lighthouse survey needs another week because of the fog.",
        ),
        "How is Ottilie Brandt's survey going?",
        ((0, _YEAR),),
        every=5,
        asked_every=3,
    ),
    Theme(
        "Marrow Lane",
        (
            "Spent the morning in the allotment at Marrow Lane: sowed peas, turned the compost, met Piet Hollander.",
            "Marrow Lane again. Piet Hollander lent me his fork and warned about slugs in the lettuce.",
            "Rain over Marrow Lane, so Piet Hollander and I mended the water butt in the shed.",
            "First tomatoes from Marrow Lane; Piet Hollander grows a yellow kind that I want to try.",
        ),
        "What is growing at Marrow Lane?",
        ((80, 250),),
        every=3,
        asked_every=14,
    ),
    Theme(
        "Kestrel",
        (
            "Worked on the Kestrel sailing dinghy with Amara Diallo. Amara sanded the hull, I cut a new mast step.",
            "The Kestrel needs a new centreboard; Amara Diallo found oak at the yard in Tolkmicko.",
            "Amara Diallo and I varnished the Kestrel. Two more coats before she may go into the water.",
            "Took the Kestrel out for a trial with Amara Diallo. She leaks a little at the transom.",
        ),
        "What does the Kestrel still need?",
        ((10, 60), (190, 260)),
        every=2.5,
        asked_every=9,
    ),
    Theme(
        "Basil Okonkwo",
        (
            "Met Basil Okonkwo at the dentist's. Basil Okonkwo repairs harmoniums and lives in Oldham.",
        ),
        "Who repairs harmoniums?",
        ((20, 22),),
        every=2,
        asked_every=None,
    ),
    Theme(
        "Winterreise",
        (
            "Choir rehearsal for the Winterreise evening. Solveig Lindqvist conducts and is strict about breath.",
            "Solveig Lindqvist moved the Winterreise rehearsal to the chapel, which is cold but sounds better.",
            "Solveig Lindqvist praised the altos. The Winterreise concert is sold out.",
        ),
        "When is the Winterreise concert?",
        ((0, 40), (300, _YEAR)),
        every=3,
        asked_every=20,
    ),
    Theme(
        "Galenika",
        (
            "Invoice from Galenika for the reading glasses. Must ask whether the insurance pays a part.",
            "Galenika sent a second reminder about the glasses, although I paid last week.",
        ),
        "Did I pay Galenika?",
        ((120, 135),),
        every=4,
        asked_every=None,
    ),
)  # fmt: skip


@dataclass(slots=True)
class Story:
    """The days of a life, the same for the same seed."""

    seed: int = 0
    themes: Sequence[Theme] = field(default=THEMES)

    def days(self, count: int) -> Iterator[Day]:
        """So many days, one after the other."""
        dice = random.Random(self.seed)
        for day in range(count):
            yield Day(tuple(self._notes(dice, day)), tuple(self._questions(dice, day)))

    def _notes(self, dice: random.Random, day: int) -> Iterator[str]:
        for theme in self.themes:
            if theme.goes_on(day) and dice.random() < 1 / theme.every:
                yield dice.choice(theme.notes)

    def _questions(self, dice: random.Random, day: int) -> Iterator[str]:
        for theme in self.themes:
            if theme.asked_every is not None and dice.random() < 1 / theme.asked_every:
                yield theme.question
