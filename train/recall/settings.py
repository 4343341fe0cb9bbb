"""Everything that can be set: the numbers of the real run, and those of a quick try."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Schedule:
    """How one model is trained."""

    epochs: int
    rate: float
    """The highest learning rate; it rises linearly to it, and falls linearly to nothing."""
    batch: int
    """Questions in a batch."""
    negatives: int
    """Wrong turns for each question of a batch."""
    hardest: int
    """Out of how many of the hardest wrong turns they are drawn."""
    warm_up: float = 0.1
    """The part of all steps in which the rate rises."""
    weights: Mapping[str, float] = field(default_factory=lambda: {"synth": 0.5, "own": 0.5, "life": 2.0, "broad": 0.0})
    """How often a question of a set is taken in an epoch, where that is not once."""


_REWEIGHTED = {
    "synth": 0.3,
    "own": 0.3,
    "lifebench": 2.0,
    "spc": 0.7,
    "molweni": 0.5,
    "fairytale": 0.7,
    "life": 4.0,
    "broad": 0.5,
}
_TAUGHT = {"synth": 0.5, "own": 0.5, "life": 2.0, "broad": 0.5}
_JUDGED = {"synth": 0.5, "own": 0.5, "life": 2.0, "broad": 1.0}
_TEACHING = {"synth": 0.3, "own": 0.3, "fairytale": 0.5, "spc": 0.6, "life": 2.0, "lifebench": 1.5, "broad": 0.0}


@dataclass(frozen=True, slots=True)
class Settings:
    """The whole recipe."""

    left_out: frozenset[str] = frozenset({"friendsqa"})
    """Sets of the file that are not trained on: the scripts of a television series are not ours to use."""
    own_talks: int = 420
    """Talks from the templates of `templates.py`."""
    own_seed: int = 11
    unlabelled: frozenset[str] = frozenset({"broad"})
    """Sets whose answers nobody named (`broad.py`): what learns from them learns from the teacher alone."""
    chats_joined: int = 8
    """As many short chats make one long talk there."""
    broad_of_one: int = 32
    broad_of_both: int = 4
    borrowed: int = 5
    """What each speaker is asked there: broad questions of one person and of two, and from each set those of others."""
    held_out: float = 0.1
    """The part of each set's talks that is never trained on, and scored instead."""
    held_out_seed: int = 0
    """The same talks for every run, as all runs learn from one teacher."""
    questions: int | None = None
    """How many questions of each set are used; None: all."""

    # Pools: the turns that negatives are chosen from
    long_talk: int = 60
    """With more turns, a talk gives not all of them, but those below."""
    pool_alike: int = 30
    pool_random: int = 20
    pool_elsewhere: int = 12
    """From other talks of a set, for the sets of which a single talk has too few wrong turns."""
    elsewhere: frozenset[str] = frozenset({"friendsqa", "molweni", "fairytale", "life"})
    pool: int = 64
    pool_seed: int = 2
    same_question: int = 25
    """How often the same question may come in a set of chats; people ask each other the same things."""

    # Negatives
    near_copy: float = 0.92
    """A turn whose cosine to the right one is above this says the same, and is no negative."""
    unsure: frozenset[str] = frozenset({"qmsum", "lifebench"})
    """Sets whose labels miss right turns: what scores above the labelled one is no negative there."""
    kept: int = 15

    # The teacher
    teacher_layers: int = 14
    """The lower half of the language model."""
    teacher_window: int = 160
    teacher: Schedule = Schedule(epochs=1, rate=2e-5, batch=24, negatives=7, hardest=15, weights=_TEACHING)

    # Embedder
    text_tokens: int = 128
    question_tokens: int = 64
    temperature: float = 0.05
    with_names: float = 0.2
    """The part of the questions that keep the names in them."""
    alike: float = 0.8
    """Above this cosine two questions of a batch may have the same answer, and are no negatives of each other."""
    faithful: float = 0.5
    """What it costs to move away from the base model's vectors."""
    first: Schedule = Schedule(epochs=3, rate=8e-5, batch=256, negatives=6, hardest=15)
    second: Schedule = Schedule(epochs=3, rate=8e-5, batch=256, negatives=6, hardest=15, weights=_TAUGHT)
    third: Schedule = Schedule(epochs=3, rate=8e-5, batch=256, negatives=6, hardest=15, weights=_REWEIGHTED)
    taught: float = 0.5
    """What the teacher's opinion counts in the second and third run, beside the labels."""
    softness: float = 1.5
    """By how much the teacher's scores are divided before others learn from them."""

    # Reranker
    window: int = 72
    """Tokens of question and turn together: what came before a turn has the room that the turn leaves it."""
    reranker: Schedule = Schedule(epochs=4, rate=1.5e-4, batch=64, negatives=15, hardest=15, weights=_JUDGED)
    reranker_taught: float = 0.7
    """What the teacher's opinion counts for the reranker, beside the labels."""
    absolute: float = 1.0
    """What it counts that a score alone tells whether a turn answers: lists teach no more than an order."""
    asked_as_is: float = 0.8
    """The part of the questions that keep the names in them: a reranker is shown who speaks."""
    with_previous: float = 0.85
    """The part of the lists that show what was said before each turn."""

    # All of them
    layers: int = 6
    dropout: float = 0.1
    weight_decay: float = 0.01
    clip: float = 1.0
    threads: int | None = None
    """On a CPU; None: as many as there are cores."""


SHIPPED = Settings()

_BRIEF = Schedule(epochs=1, rate=8e-5, batch=4, negatives=2, hardest=4, weights={"broad": 0.0})
_BRIEFLY_TAUGHT = replace(_BRIEF, weights={})
SMOKE = Settings(
    own_talks=4,
    questions=4,
    held_out=0.3,
    pool=12,
    kept=8,
    first=_BRIEF,
    second=_BRIEFLY_TAUGHT,
    third=_BRIEFLY_TAUGHT,
    reranker=_BRIEFLY_TAUGHT,
    teacher=_BRIEF,
    teacher_layers=1,
    teacher_window=32,
    layers=2,
    text_tokens=24,
    question_tokens=16,
    window=32,
    threads=1,  # of steps so short, several would only wait for each other
)
"""Ends in seconds on a CPU and goes every way that the real run goes. What it makes is worth nothing."""
