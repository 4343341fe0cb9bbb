"""Understanding without a language model: rules that take what a speaker plainly says, and a tagger that judges them.

There are many rules, and putting them together takes a second or two: that happens when the first message is read, not
when a process starts that may never read one. Who has an event loop to keep puts them together part by part before.
"""

from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any

from recollect.understanding.model import Fact, Understood, Utterance

__all__ = ["PARTS", "corrections", "is_bare_correction", "put_together", "spoken_of", "understand"]

PARTS = ("identity", "tastes", "orders", "limits", "circumstances", "decisions", "goals", "demands", "reading")
"""The rules, the slowest to put together first; with the last of them all are there."""


def put_together(part: str) -> None:
    """Make one part of the rules ready. Takes up to half a second: not for an event loop."""
    import_module(f"{__name__}.{part}")


def understand(utterance: Utterance) -> Understood:
    """What one message teaches. Only a user's own plain assertions count."""
    if utterance.role != "user" or not utterance.text.strip():
        return Understood()
    understood: Understood = _rules().understand(utterance)
    return understood


def is_bare_correction(text: str) -> bool:
    """Whether a message may only correct what was said before it ("Actually, it's Porto.")."""
    is_bare: bool = _corrections().is_bare(text)
    return is_bare


def corrections(utterance: Utterance) -> tuple[Fact, ...]:
    """What a message that only corrects says of the facts just spoken of."""
    facts: tuple[Fact, ...] = _corrections().corrections(utterance)
    return facts


def spoken_of(utterance: Utterance) -> tuple[Fact, ...]:
    """What the talk is about after a message, given what it was about before.

    A user's message is about what it teaches, an assistant's about what it says or asks of the user.
    """
    if utterance.role == "user":
        return understand(utterance).facts
    turned = replace(utterance, text=_corrections().turned(utterance.text), role="user", spoken_of=())
    told = understand(turned).facts
    if told or "?" not in utterance.text:
        return told or utterance.spoken_of
    return tuple(fact for fact in utterance.spoken_of if fact.value.casefold() in utterance.text.casefold())


@cache
def _rules() -> Any:
    return import_module(f"{__name__}.reading")


@cache
def _corrections() -> Any:
    return import_module(f"{__name__}.correcting")
