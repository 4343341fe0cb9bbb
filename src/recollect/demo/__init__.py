"""A small conversation written for `recollect demo`, and questions to ask of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

USER = "demo"


@dataclass(frozen=True, slots=True)
class Question:
    """A question, what there is to see in its answer, and the least evidence that it asks for."""

    text: str
    shows: str
    threshold: float | None = None


QUESTIONS = (
    Question("When does the little library open?", "A fact that changed: both days are found, each with its date."),
    Question("What am I not allowed to eat?", "No word in common with the answer: it is found by its meaning."),
    Question("What did Joaquim keep in the cellar?", "Someone is named: what he himself said gains by it."),
    Question("Where did Ines go on 18 April 2026?", "A time is named: what happened then gains by it."),
    Question("On which evening does the quartet meet now?", "Another change; the dates say which came later."),
    Question(
        "How do I descale an espresso machine?",
        "Never talked about: with a threshold, the answer is an honest nothing.",
        threshold=0.75,
    ),
)


def lines() -> Iterator[str]:
    """The conversation, in the form that `recollect import` reads."""
    with files(__name__).joinpath("conversation.jsonl").open(encoding="utf-8") as file:
        yield from file
