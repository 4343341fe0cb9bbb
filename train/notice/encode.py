"""From spans to what a network can learn: the tokens of a message, and for each what it is and whether that counts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recollect.providers import onnx
from recollect.providers.tagging import KEYS, KINDS
from train.notice.align import Span, spans
from train.notice.messages import Message

CONTENT = 254
"""How many tokens of a message are read: with those for its start and its end, as many as the tagger reads at once."""
IGNORED = -100
"""The key of a token of which no key is known, as torch writes it."""
_OF_PROFILE = slice(KINDS.index("instruction"), None)
"""The kinds that end up in a profile: standing orders and what belongs to them."""


@dataclass(frozen=True, slots=True)
class Example:
    """One message as numbers; each row is a token, the first and the last stand for its start and its end."""

    ids: list[int]
    kinds: NDArray[np.float32]
    """1 where a token belongs to a kind."""
    counted: NDArray[np.float32]
    """1 where that is known, 0 where the tagger may say what it likes."""
    keys: NDArray[np.int64]
    """The number of the key that a token is a value of."""


def labelled(messages: Iterable[Message]) -> list[Example]:
    """The labelled messages as examples, less those that no person wrote: nothing is ever taken from them."""
    return [encode(message.content, spans(message), own=message.own) for message in messages if message.role == "user"]


def unlabelled(texts: Iterable[str]) -> list[Example]:
    """Texts without labels as examples; only their tokens mean anything."""
    return [encode(text, ()) for text in texts]


def encode(text: str, found: Iterable[Span], *, own: bool = True) -> Example:
    """A text with its spans as an example. It is split into tokens just as it will be when the tagger is used."""
    places, ids = onnx.spanned(text)
    places, ids = places[:CONTENT], ids[:CONTENT]
    kinds = np.zeros((len(ids), len(KINDS)), np.float32)
    counted = np.ones_like(kinds)
    keys = np.zeros(len(ids), np.int64)
    # What counts comes last: a word that one label demands and another allows is demanded.
    for span in sorted(found, key=lambda span: span.counts):
        tokens = _tokens(places, span)
        if span.label in KINDS:
            column = KINDS.index(span.label)
            kinds[tokens, column] = counted[tokens, column] = span.counts
        else:
            keys[tokens] = KEYS.index(span.label) if span.counts else IGNORED
    if not own:
        # Nothing that others say is for the owner's profile, but the tagger does not see who speaks: it must not
        # learn that "I'm vegan" is nothing.
        keys[:] = IGNORED
        counted[:, _OF_PROFILE] = 0
    return Example(
        [onnx.START, *ids, onnx.END],
        np.pad(kinds, ((1, 1), (0, 0))),
        np.pad(counted, ((1, 1), (0, 0))),
        np.pad(keys, 1, constant_values=IGNORED),
    )


def _tokens(places: Sequence[tuple[int, int]], span: Span) -> list[int]:
    """The tokens that a span touches."""
    return [at for at, (start, end) in enumerate(places) if start < span.place.end and end > span.place.start]
