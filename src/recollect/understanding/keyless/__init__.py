"""Understanding without a language model: rules that take what a speaker plainly says, and a tagger that judges them.

There are many rules, and putting them together takes a second: that happens when the first message is read, not when a
process starts that may never read one.
"""

from functools import cache
from importlib import import_module
from typing import Any

from recollect.understanding.model import Understood, Utterance

__all__ = ["understand"]


def understand(utterance: Utterance) -> Understood:
    """What one message teaches. Only a user's own plain assertions count."""
    if utterance.role != "user" or not utterance.text.strip():
        return Understood()
    understood: Understood = _rules().understand(utterance)
    return understood


@cache
def _rules() -> Any:
    return import_module("recollect.understanding.keyless.reading")
