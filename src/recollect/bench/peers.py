"""Other memories, with the same texts, questions and embedder. Whatever is not installed is skipped."""

from dataclasses import dataclass, field

from rich.progress import Progress

from recollect.bench.report import Grid
from recollect.bench.texts import Corpus
from recollect.bench.vectors import StoredVectors


@dataclass(slots=True)
class Compared:
    """What peers managed."""

    figures: dict[str, dict[str, float]] = field(default_factory=dict)
    grids: list[Grid] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


async def compare(url: str, vectors: StoredVectors, corpus: Corpus, size: int, bar: Progress) -> Compared:
    """Not yet."""
    return Compared()
