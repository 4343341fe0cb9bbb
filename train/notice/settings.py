"""Everything that can be set, in one place: the numbers that made the shipped model, and those of a quick try."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Schedule:
    """How one model is trained."""

    epochs: int
    rate: float
    """The highest learning rate of the body; it rises linearly to it, and falls linearly to nothing."""
    head_factor: float
    """How much faster the two heads learn than the body: they start from nothing."""
    batch: int
    warm_up: float
    """The part of all steps in which the rate rises."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The whole recipe."""

    layers: int = 6
    dropout: float = 0.1
    weight_decay: float = 0.01
    clip: float = 1.0
    key_weight: float = 2.0
    """What the keys count in the loss beside the kinds."""

    teachers: int = 4
    """Teachers differ in their seed alone, which is 0, 1, 2 …"""
    teacher: Schedule = Schedule(epochs=12, rate=3e-4, head_factor=10, batch=32, warm_up=0.1)

    student_seed: int = 6
    student: Schedule = Schedule(epochs=14, rate=4e-4, head_factor=5, batch=48, warm_up=0.06)
    hard_weight: float = 0.3
    """What the labels count in the student's loss beside the teachers' opinion."""

    polish_seed: int = 3
    polish: Schedule = Schedule(epochs=3, rate=1e-4, head_factor=1, batch=32, warm_up=0.07)
    polish_weights: Mapping[str, int] = field(default_factory=lambda: {"a": 3, "b": 3, "1": 2, "2": 2})
    """How often the messages of a set are taken in an epoch."""
    polish_rest: float = 1.0
    """The share of all other messages that is taken in an epoch."""

    turns_seed: int = 7
    turns: Mapping[str, int] = field(
        default_factory=lambda: {"spc": 5000, "lifebench": 4000, "qmsum": 1500, "molweni": 475, "synth": 1500}
    )
    """How many unlabelled turns are taken of each set, drawn in this order."""
    shortest_turn: int = 20
    longest_turn: int = 350

    messages: int | None = None
    """How many labelled messages are used; None: all."""


SHIPPED = Settings()

FURTHER = Settings(
    polish=Schedule(epochs=1, rate=1e-4, head_factor=1, batch=32, warm_up=0.07),
    polish_weights={"a": 1, "b": 1, "3": 2},
    polish_rest=0.2,
)
"""What a tagger that is there already learns of a newer set; the older ones keep it from forgetting."""

SMOKE = Settings(
    layers=1,
    teachers=2,
    teacher=Schedule(epochs=1, rate=3e-4, head_factor=10, batch=8, warm_up=0.1),
    student=Schedule(epochs=1, rate=4e-4, head_factor=5, batch=8, warm_up=0.1),
    polish=Schedule(epochs=1, rate=1e-4, head_factor=1, batch=8, warm_up=0.1),
    turns={"spc": 6, "synth": 6},
    messages=24,
)
"""Ends in seconds on a CPU and goes every way that the real run goes. What it makes is worth nothing."""
