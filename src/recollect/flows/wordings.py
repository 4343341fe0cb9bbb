"""The words that statements have, or had before a person changed them.

A message that is read again says what it said: where a person gave its statement other words, or deleted it, the former
words are that statement still, and no news.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.flows.indexing import passages_of, plain
from recollect.flows.parts import Parts
from recollect.flows.statements import Asked, Draft, named
from recollect.records import store
from recollect.understanding.same_fact import compare


@dataclass(frozen=True, slots=True)
class Wording:
    """A text, and where it lies."""

    text: str
    vector: NDArray[np.float32]

    def nearness(self, parts: Parts, draft: Draft) -> float:
        """How near a draft is to it, calibrated."""
        return parts.calibration.calibrated(float(self.vector @ draft.passages[0].embedding))

    def repeats(self, draft: Draft) -> bool:
        """Whether a draft has the very words."""
        return plain_words(self.text) == plain_words(draft.statement.content)

    def says_same(self, parts: Parts, draft: Draft, owner: str | None) -> bool:
        """Whether a draft says the same, in these words or others."""
        near = self.nearness(parts, draft)
        if near < parts.settings.merge_likely:
            return False
        told = named(draft.statement.content, owner)
        return compare(named(self.text, owner), told, similarity=near).relation == "same"


def plain_words(text: str) -> str:
    """A text without case and spacing."""
    return " ".join(text.split()).casefold()


async def wordings_of(parts: Parts, space: str, rows: Sequence[Any]) -> list[tuple[Wording, ...]]:
    """The words of statements, the present ones first; of those that a person had a hand in, the former ones too."""
    by_hand = [row.id for row in rows if row.by_hand]
    async with parts.database.transaction(space) as connection:
        former = await store.former_texts(connection, space, by_hand)
    texts = [(row.content, *former.get(row.id, ())) for row in rows]
    entries = iter(await passages_of(parts, space, [plain(text) for each in texts for text in each]))
    return [tuple(Wording(text, next(entries)[0].embedding) for text in each) for each in texts]


async def still_to_say(parts: Parts, space: str, asked: Iterable[Asked]) -> list[Asked]:
    """Drafts of a message that was read before, without those that a person has given other words or deleted.

    Of a statement that no draft says any more, the draft that is near it and nearest is what it says now.
    """
    drafts = list(asked)
    async with parts.database.transaction(space) as connection:
        said = await store.stated_by(connection, space, sorted({str(draft.said.message_id) for draft, _ in drafts}))
    rows = [row for row in said if row.by_hand]
    settled: set[int] = set()
    for words in await wordings_of(parts, space, rows) if rows else ():
        same = {place for place, each in enumerate(drafts) if any(_is_said(parts, word, each) for word in words)}
        settled |= same or _nearest(parts, words, drafts)
    return [each for place, each in enumerate(drafts) if place not in settled]


def _is_said(parts: Parts, word: Wording, asked: Asked) -> bool:
    return word.repeats(asked[0]) or word.says_same(parts, *asked)


def _nearest(parts: Parts, words: Sequence[Wording], drafts: Sequence[Asked]) -> set[int]:
    """The place of the draft that is nearest to a statement, if it is near."""
    near = [max(word.nearness(parts, draft) for word in words) for draft, _ in drafts]
    best = int(np.argmax(near)) if near else 0
    return {best} if near and near[best] >= parts.settings.merge_related else set()
