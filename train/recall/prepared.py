"""All that training needs of the talks, as numbers: made once, used by every run."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from train.recall import broad, templates
from train.recall.examples import GOLDS, Example, Text, examples
from train.recall.settings import Settings
from train.recall.talks import Talk, fewer, held_out

NONE = -1
"""In a table, where a row has fewer places than the widest."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Ragged:
    """Rows of tokens of different lengths, one behind the other."""

    tokens: NDArray[np.int32]
    starts: Ints
    lengths: Ints

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]]) -> "Ragged":
        """The rows given as lists."""
        lengths = np.array([len(row) for row in rows], np.int64)
        tokens = np.fromiter((token for row in rows for token in row), np.int32, int(lengths.sum()))
        return cls(tokens, np.cumsum(lengths) - lengths, lengths)


@dataclass(frozen=True, slots=True)
class Prepared:
    """Examples as tables; a place in them is a row of `rows`: first all texts, then all questions, then these bare."""

    rows: Ragged
    """What the embedder reads."""
    said: Ragged
    """What a reranker reads of each text, without the tokens for start and end."""
    said_alone: Ints
    """How many tokens of that are the turn itself; the rest is what was said before."""
    sets: NDArray[np.str_]
    talks: Ints
    """Which talk each example is about."""
    asked: Ints
    bare: Ints
    golds: Ints
    pools: Ints
    families: Ints
    talk_sets: list[str]
    """The set of each talk."""
    questions: list[str]
    """As they were asked."""
    contexts: list[str]
    """All texts as a reranker reads them."""


def talks_of(read: Sequence[Talk], settings: Settings) -> list[Talk]:
    """The talks that are trained on: those read, less the sets left out, and those of our own templates."""
    own = templates.talks(settings.own_talks, settings.own_seed)
    used = [talk for talk in [*read, *own] if talk.set not in settings.left_out]
    used = fewer(used, settings.questions) if settings.questions else used
    apart = held_out([talk.set for talk in used], settings)
    unlabelled = broad.talks([talk for place, talk in enumerate(used) if place not in apart], settings)
    return [*used, *(fewer(unlabelled, settings.questions) if settings.questions else unlabelled)]


def prepare(read: Sequence[Talk], tokenizer: Tokenizer, settings: Settings) -> Prepared:
    """Talks as numbers."""
    talks = talks_of(read, settings)
    found, texts = examples(talks, settings)
    return Prepared(
        _rows(found, texts, tokenizer, settings),
        *_said(texts, tokenizer, settings.window),
        np.array([example.set for example in found]),
        np.array([example.talk for example in found]),
        len(texts) + np.arange(len(found)),
        len(texts) + len(found) + np.arange(len(found)),
        _table([example.golds for example in found], GOLDS),
        _table([example.pool for example in found], max(len(example.pool) for example in found)),
        _numbered([example.family for example in found]),
        [talk.set for talk in talks],
        [example.asked for example in found],
        [text.in_context for text in texts],
    )


def encoded(tokenizer: Tokenizer, texts: Sequence[str], limit: int | None, special: bool = True) -> list[list[int]]:
    """The tokens of texts; a limit counts the tokens for start and end."""
    tokenizer.no_padding()
    tokenizer.no_truncation()
    if limit is not None:
        tokenizer.enable_truncation(limit)
    return [found.ids for found in tokenizer.encode_batch_fast(list(texts), add_special_tokens=special)]


def _rows(found: Sequence[Example], texts: Sequence[Text], tokenizer: Tokenizer, settings: Settings) -> Ragged:
    bodies = encoded(tokenizer, [text.text for text in texts], settings.text_tokens)
    asked = encoded(tokenizer, [example.asked for example in found], settings.question_tokens)
    bare = encoded(tokenizer, [example.bare for example in found], settings.question_tokens)
    return Ragged.of([*bodies, *asked, *bare])


def _said(texts: Sequence[Text], tokenizer: Tokenizer, window: int) -> tuple[Ragged, Ints]:
    """A turn in its context begins with the tokens of the turn alone, so one row holds both."""
    whole = encoded(tokenizer, [text.in_context for text in texts], window, special=False)
    alone = encoded(tokenizer, [text.said for text in texts], window, special=False)
    return Ragged.of(whole), np.array([len(row) for row in alone], np.int64)


def _table(rows: Sequence[Sequence[int]], width: int) -> Ints:
    table = np.full((len(rows), width), NONE, np.int64)
    for place, row in enumerate(rows):
        table[place, : len(row)] = row
    return table


def _numbered(names: Sequence[str | None]) -> Ints:
    known: dict[str, int] = {}
    return np.array([NONE if name is None else known.setdefault(name, len(known)) for name in names], np.int64)
