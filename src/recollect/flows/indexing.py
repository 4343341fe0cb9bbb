"""From a text to its rows in the search index: passages, terms, and vectors that are computed once."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from recollect.core.terms import term_counts
from recollect.flows.parts import Parts
from recollect.graph.model import node_meaning, node_words
from recollect.records import store
from recollect.records.model import Passage
from recollect.retrieval.surroundings import embedding_text, search_text
from recollect.understanding.secrets import mask

_HASH_BYTES = 16


@dataclass(frozen=True, slots=True)
class Searchable:
    """A text as the two channels want it: what it says, and the words that each piece of it is found by."""

    meaning: str
    words: Callable[[str, bool], str]
    """From a piece, and whether it is the first one."""


def plain(text: str) -> Searchable:
    """A text that needs no surroundings."""
    return Searchable(text, lambda piece, _: piece)


def node(title: str | None, content: str, aliases: Sequence[str]) -> Searchable:
    """A person, concept or thing: what it is, and every name that it is found by. Secrets are found by nothing."""
    name, said = title or content, mask(content)

    def words(piece: str, first: bool) -> str:
        return node_words(name, piece, aliases) if first else piece

    return Searchable(node_meaning(name, said), words)


def digest(title: str | None, summary: str, keywords: Sequence[str]) -> Searchable:
    """A source: found by its title and summary, and by its keywords where somebody uses these very words."""
    more = " ".join(keywords)
    meaning = f"{title}: {summary}" if title else summary
    return Searchable(meaning, lambda piece, first: f"{piece}\n{more}" if first else piece)


def turn(row: Any) -> Searchable:
    """A message with its surroundings. Secrets are in the log and nowhere else: not found by word nor by meaning."""

    def words(piece: str, first: bool) -> str:
        # What was said before helps to find the beginning of a long turn, not all of it.
        before = (row.name_before, mask(row.body_before)) if first and row.body_before else None
        return search_text(piece, row.name, row.at, before)

    return Searchable(embedding_text(mask(row.body), row.name), words)


@dataclass(frozen=True, slots=True)
class Draft:
    """A passage that has no vector yet."""

    number: int
    text: str
    text_hash: bytes
    counts: dict[int, int]


async def passages_of(
    parts: Parts, space: str, texts: Sequence[Searchable], *, anew: bool = False
) -> list[tuple[Passage, ...]]:
    """The search entries of each text; `anew`, vectors of another model that are there already are not taken."""
    return await embedded(parts, space, await drafted(parts, space, texts), anew=anew)


async def drafted(parts: Parts, space: str, texts: Sequence[Searchable]) -> list[list[Draft]]:
    """The passages of each text, cut and counted, off the event loop: a long text takes its time."""
    return await asyncio.to_thread(_drafts, parts, space, texts)


async def embedded(
    parts: Parts, space: str, drafts: Sequence[Sequence[Draft]], *, anew: bool = False
) -> list[tuple[Passage, ...]]:
    """The same with their vectors."""
    wanted = {draft.text_hash: draft.text for row in drafts for draft in row}
    vectors = await _vectors(parts, space, wanted, anew)
    return [tuple(_passage(draft, vectors[draft.text_hash]) for draft in row) for row in drafts]


def _drafts(parts: Parts, space: str, texts: Sequence[Searchable]) -> list[list[Draft]]:
    return [
        [
            Draft(number, piece, blake2b(piece.encode(), digest_size=_HASH_BYTES).digest(), term_counts(space, words))
            for number, (piece, words) in enumerate(_pieces(parts, text))
        ]
        for text in texts
    ]


def _pieces(parts: Parts, text: Searchable) -> list[tuple[str, str]]:
    """Each passage with the words that it is found by."""
    pieces = parts.embedder.passages(text.meaning)
    return [(piece, text.words(piece, place == 0)) for place, piece in enumerate(pieces)]


async def _vectors(parts: Parts, space: str, texts: dict[bytes, str], anew: bool) -> dict[bytes, Any]:
    """A vector for each text, those that the space has embedded before included."""
    if not texts:
        return {}
    known: dict[bytes, Any] = {}
    if not anew:
        async with parts.database.transaction(space) as connection:
            known = await store.embedded_texts(connection, space, list(texts))
    fresh = [key for key in texts if key not in known]
    new = [texts[key] for key in fresh]
    vectors = await parts.governor.embed(parts.embedder, space, new, purpose="document")
    return known | dict(zip(fresh, vectors, strict=True))


def _passage(draft: Draft, vector: np.ndarray[Any, Any]) -> Passage:
    return Passage(draft.number, draft.text_hash, sum(draft.counts.values()), draft.counts, vector)
