"""Carrying a filled database to a cluster: is every row there afterwards, and does every search answer the same?

The database that is named has to be empty, on a server with Citus, and not distributed yet.
"""

import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from rich.console import Console

from recollect.bench import load, texts
from recollect.bench.place import Place, place, settle
from recollect.bench.report import Grid, Report, progress
from recollect.bench.scoring import Limit, mean, overlap
from recollect.bench.texts import Corpus
from recollect.bench.vectors import StoredVectors
from recollect.core.settings import load_settings
from recollect.db.cluster import Checksums, checksums, local_bytes
from recollect.flows import distribute as flow
from recollect.memory import Recollect
from recollect.providers.embedding import make_embedder

_LIMIT = 20
_NO_INDEX = 2**31 - 1
_SEED = 19


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much there is to carry."""

    spaces: int
    each: int
    large: int


async def run(
    console: Console,
    *,
    database_url: str,
    sizes: Sizes,
    questions: int = 500,
    shards: int = 32,
    paths: Sequence[Path] = (),
    cache: Path | None = None,
) -> Report:
    """Fill, ask, carry, ask again."""
    corpus = texts.read(paths, questions) if paths else texts.generated(20_000, questions)
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as kept:
        vectors = StoredVectors(make_embedder(load_settings()), cache or Path(kept))
        async with place(database_url) as where:
            with progress(console) as bar:
                async with where.open(embedder=vectors, worker=False, understand=False, exact_limit=_NO_INDEX) as rc:
                    await load.fill(rc, rc.scope(user_id=where.name("large")), vectors, corpus, sizes.large, bar)
                    scopes = [rc.scope(user_id=where.name(str(number))) for number in range(sizes.spaces)]
                    await load.fill_neighbours(rc, scopes, corpus, sizes.each, bar)
                    await load.tidy(rc)
                    said, fused = await _answers(rc, where, corpus, sizes), await _large(rc, where, corpus)
                    await settle(rc)
                async with where.open(embedder=vectors, worker=False, understand=False) as rc:
                    async with rc.parts.database.owner() as owner:
                        before = await checksums(owner)
                    began = perf_counter()
                    task = bar.add_task("distributing", total=None)
                    await flow.distribute(
                        rc.parts,
                        shards=shards,
                        progress=lambda done, total: bar.update(task, completed=done, total=total),
                    )
                    carried = perf_counter() - began
                    async with rc.parts.database.owner() as owner:
                        after, left_behind = await checksums(owner), await local_bytes(owner)
                    await flow.index_large_spaces(rc.parts)
                    bar.remove_task(task)
                async with where.open(embedder=vectors, worker=False, understand=False) as rc:
                    same = [old == new for old, new in zip(said, await _answers(rc, where, corpus, sizes), strict=True)]
                    shares = [
                        overlap(new, old) for old, new in zip(fused, await _large(rc, where, corpus), strict=True)
                    ]
    return _report(sizes, before, after, left_behind, carried, same, shares)


async def _answers(rc: Recollect, where: Place, corpus: Corpus, sizes: Sizes) -> list[list[str]]:
    """Every question in one of the small spaces."""
    chance = random.Random(_SEED)
    return [await _ids(rc, where.name(str(chance.randrange(sizes.spaces))), question) for question in corpus.questions]


async def _large(rc: Recollect, where: Place, corpus: Corpus) -> list[list[str]]:
    return [await _ids(rc, where.name("large"), question) for question in corpus.questions]


async def _ids(rc: Recollect, user: str, question: str) -> list[str]:
    return [str(hit.memory.id) for hit in await rc.scope(user_id=user).search(question, limit=_LIMIT)]


def _report(
    sizes: Sizes,
    before: Checksums,
    after: Checksums,
    left_behind: int,
    seconds: float,
    same: Sequence[bool],
    shares: Sequence[float],
) -> Report:
    wrong = sum(
        before[table].get(space) != after[table].get(space)
        for table in before
        for space in {*before[table], *after[table]}
    )
    rows = sum(count for spaces in before.values() for count, _ in spaces.values())
    limits = [
        Limit("checksums of a space and table that differ", wrong, 0),
        Limit("bytes left in the coordinator's own tables", left_behind, 0),
        Limit("same answers in spaces that are read whole", mean([float(one) for one in same]), 1.0, at_most=False),
        Limit("overlap@20 with the exact order in the large one", mean(shares), 0.97, at_most=False),
    ]
    values = {
        "spaces": len(before["space"]),
        "memories": sizes.spaces * sizes.each + sizes.large,
        "rows": rows,
        "checksums": sum(map(len, before.values())),
        "seconds": seconds,
        "questions": len(same),
    }
    grid = Grid("Distributing", list(values), [list(values.values())])
    return Report("distribute", values, [grid], limits)
