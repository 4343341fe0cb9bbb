"""From talks to examples: a question, the turns that answer it, and a pool of turns that do not.

Which of a pool become negatives is decided later, by a model (`mine.py`). The pool of a short talk is all its other
turns; where they are few, also turns of other talks that share words with the question. Of a long talk it is what
shares words with the question, what stands next to an answer, and some drawn at random.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from train.recall.bm25 import Index
from train.recall.names import first_name, without_names
from train.recall.settings import Settings
from train.recall.talks import Question, Talk

GOLDS = 4
"""As many answers of a question are used."""
PREVIOUS = 200
"""As many characters of the turn before are shown to a reranker."""
_LONGEST = 1_200
_SHORTEST = 3
_NEIGHBOURS = (-1, 1, -2, 2)


@dataclass(frozen=True, slots=True)
class Text:
    """A turn as the models see it: the embedder its words alone, a reranker also who speaks and what came before."""

    text: str
    speaker: str = ""
    previous: str = ""
    """With its speaker."""

    @property
    def said(self) -> str:
        """The turn with its speaker."""
        return f"{self.speaker}: {self.text}" if self.speaker else self.text

    @property
    def in_context(self) -> str:
        """The turn as a reranker reads it."""
        return f"{self.said} < {self.previous}" if self.previous else self.said


@dataclass(frozen=True, slots=True)
class Example:
    """A question; golds and pool are places in a list of texts."""

    set: str
    talk: int
    asked: str
    bare: str
    """Without names."""
    golds: list[int]
    pool: list[int]
    family: str | None


@dataclass(slots=True)
class Texts:
    """All texts that examples speak of, each once."""

    all: list[Text] = field(default_factory=list)
    _places: dict[Text, int] = field(default_factory=dict)
    _turns: dict[tuple[str, str, int], int] = field(default_factory=dict)

    def place(self, talk: Talk, turn: int) -> int:
        """Where the text of a turn stands in the list; it is added if it is new."""
        known = (talk.set, talk.id, turn)
        if known not in self._turns:
            text = turn_text(talk, turn)
            self._turns[known] = self._places.setdefault(text, len(self.all))
            if self._turns[known] == len(self.all):
                self.all.append(text)
        return self._turns[known]


def turn_text(talk: Talk, place: int) -> Text:
    """A turn of a talk as a text."""
    turn = talk.turns[place]
    previous = ""
    if place:
        before = talk.turns[place - 1]
        previous = Text(before.text[:PREVIOUS], first_name(before.speaker)).said
    return Text(turn.text[:_LONGEST], first_name(turn.speaker), previous)


def examples(talks: Sequence[Talk], settings: Settings) -> tuple[list[Example], list[Text]]:
    """The questions of talks as examples, and the texts that these speak of."""
    texts, dice = Texts(), random.Random(settings.pool_seed)
    by_set: dict[str, list[int]] = defaultdict(list)
    for place, talk in enumerate(talks):
        by_set[talk.set].append(place)
    found = []
    for name, places in by_set.items():
        elsewhere = _elsewhere(talks, places, settings.pool_elsewhere) if name in settings.elsewhere else None
        for place in places:
            found += _of_talk(talks, place, elsewhere, texts, settings, dice)
    return _not_too_often(found, settings.same_question), texts.all


_Elsewhere = Callable[[str, int], list[tuple[int, int]]]


def _of_talk(
    talks: Sequence[Talk],
    place: int,
    elsewhere: _Elsewhere | None,
    texts: Texts,
    settings: Settings,
    dice: random.Random,
) -> Iterator[Example]:
    talk = talks[place]
    without, pool = without_names(talk), _pool(talk, settings, dice)
    for asked in talk.questions:
        golds = [texts.place(talk, turn) for turn in asked.gold if _long_enough(talk, turn)][:GOLDS]
        wrong = [(place, turn) for turn in pool(asked)] + (elsewhere(asked.text, place) if elsewhere else [])
        places = [texts.place(talks[at], turn) for at, turn in wrong if _long_enough(talks[at], turn)]
        distinct = list(dict.fromkeys(places))
        if talk.set not in settings.unlabelled:
            distinct = distinct[: settings.pool]
        if (golds or talk.set in settings.unlabelled) and len(distinct) >= GOLDS:
            family = f"{talk.set} {asked.family}" if asked.family is not None else None
            yield Example(talk.set, place, asked.text, without(asked.text), golds, distinct, family)


def _pool(talk: Talk, settings: Settings, dice: random.Random) -> Callable[[Question], list[int]]:
    """What chooses the turns of a talk that do not answer a question of it."""
    count = len(talk.turns)
    if count <= settings.long_talk or talk.set in settings.unlabelled:
        return lambda asked: _others(range(count), asked)
    index = Index([turn.text for turn in talk.turns])

    def of_long(asked: Question) -> list[int]:
        near = [gold + step for gold in asked.gold for step in _NEIGHBOURS if 0 <= gold + step < count]
        drawn = dice.sample(range(count), settings.pool_random)
        return _others([*index.best(asked.text, settings.pool_alike), *near, *drawn], asked)

    return of_long


def _others(turns: Iterable[int], asked: Question) -> list[int]:
    right = {*asked.gold, *asked.span}
    return [turn for turn in turns if turn not in right]


def _elsewhere(talks: Sequence[Talk], places: Sequence[int], count: int) -> _Elsewhere:
    """What finds turns of other talks of a set that share words with a question."""
    turns = [(place, turn) for place in places for turn in range(len(talks[place].turns))]
    index = Index([talks[place].turns[turn].text for place, turn in turns])

    def found(question: str, own: int) -> list[tuple[int, int]]:
        best = (turns[at] for at in index.best(question, 3 * count))
        return [(place, turn) for place, turn in best if place != own][:count]

    return found


def _not_too_often(found: Iterable[Example], limit: int) -> list[Example]:
    """Examples less those whose question came often enough, templates apart: of these a question is meant to recur."""
    seen: Counter[str] = Counter()
    kept = []
    for example in found:
        seen[example.bare.lower()] += 1
        if example.family is not None or seen[example.bare.lower()] <= limit:
            kept.append(example)
    return kept


def _long_enough(talk: Talk, turn: int) -> bool:
    return len(talk.turns[turn].text) >= _SHORTEST
