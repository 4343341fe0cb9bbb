"""Everything that can be set: the numbers that made the shipped model, and those of a quick try."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """The whole recipe."""

    layers: int = 6
    dropout: float = 0.1
    teachers: int = 2
    """Teachers differ in their seed alone, which is 0, 1, 2 …"""
    epochs: int = 5
    student_epochs: int = 7
    rate: float = 3e-4
    head_factor: float = 5.0
    """How much faster the head learns than the body: it starts from nothing."""
    batch: int = 128
    warm_up: float = 0.1
    """The part of all steps in which the rate rises."""
    weight_decay: float = 0.01
    clip: float = 1.0
    strangers: int = 2
    """Pairs with a statement of another group, for each group: what is about something else is not the same either."""
    hard_weight: float = 0.3
    """What the labels count in the student's loss beside the teachers' opinion."""
    student_seed: int = 17
    groups: int | None = None
    """How many groups are used; None: all."""


SHIPPED = Settings()
SMOKE = Settings(layers=1, teachers=2, epochs=1, student_epochs=1, batch=8, groups=4)
"""Ends in seconds on a CPU and goes every way that the real run goes. What it makes is worth nothing."""
