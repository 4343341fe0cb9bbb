"""What a large document costs grows as its text does: work is counted, not timed."""

import asyncio
import sys
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from uuid import uuid4

import pytest

from recollect.core.tokens import Estimator, Weight
from recollect.flows.source_texts import of_chunks
from recollect.graph import resolving, store
from recollect.graph.extract import extract
from recollect.graph.model import Entity
from recollect.sources.chunking import Sizes, pieces
from recollect.sources.cleaning import clean
from recollect.sources.digesting import digest

SMALL, LARGE = 300, 1_200
LINEAR = 1.5 * LARGE / SMALL
"""Calls that a text four times as long may take."""
GIVEN = ("Maria", "Tom", "Sarah", "Omar", "Ingrid", "Pedro", "Anna", "Lukas", "Priya", "Hana")
CONSONANTS = "bdfgklmnprst"


def family(number: int) -> str:
    first, second, third = number % 12, number // 12 % 12, number // 144 % 12
    return f"{CONSONANTS[first]}o{CONSONANTS[second]}a{CONSONANTS[third]}ovic".capitalize()


def people(count: int) -> str:
    """A text with so many sentences, each of somebody else."""
    said = (f"{GIVEN[n % 10]} {family(n)} talked to {family(n + 1)} about plan {n}." for n in range(count))
    return "\n".join(said)


def calls(work: Callable[[], object]) -> int:
    """How many functions are called."""
    found = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal found
        found += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found


def growth(work: Callable[[int], object]) -> float:
    return calls(lambda: work(LARGE)) / calls(lambda: work(SMALL))


def test_cleaning_digesting_and_reading_grow_as_the_text_does() -> None:
    texts = {count: people(count) for count in (SMALL, LARGE)}
    for work in (
        lambda count: clean("text-note", texts[count]),
        lambda count: digest(texts[count], None, source_type="text-note"),
        lambda count: extract(texts[count]),
    ):
        work(SMALL)  # what is kept for later is made
        work(LARGE)
        assert growth(work) < LINEAR


def test_what_stands_in_each_chunk_grows_as_the_text_does() -> None:
    def prepared(count: int) -> tuple[object, list[tuple[object, str]]]:
        text = people(count)
        return extract(text), [(uuid4(), text[start : start + 500]) for start in range(0, len(text), 500)]

    ready = {count: prepared(count) for count in (SMALL, LARGE)}
    assert growth(lambda count: of_chunks(*ready[count])) < LINEAR  # type: ignore[arg-type]


def test_resolving_grows_as_the_names_do(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nobody(*_: object) -> dict[object, object]:
        return {}

    for name in ("named", "by_first_name", "by_last_name", "refine_names", "claim"):
        monkeypatch.setattr(store, name, nobody)

    def named(count: int) -> None:
        full = [Entity("person", "", f"{GIVEN[n % 10]} {family(n)}") for n in range(count)]
        short = [Entity("person", "", family(n)) for n in range(count)]
        bare = [Entity("entity", "name", f"Thing {n}") for n in range(count)]
        typed = [Entity("entity", "product", f"Thing {n}") for n in range(count)]
        entities = {entity.key: entity for entity in (*full, *short, *bare, *typed)}
        asyncio.run(resolving.resolve(SimpleNamespace(), "user:alice", entities))  # type: ignore[arg-type]

    assert growth(named) < LINEAR


class Counting(Estimator):
    """How many letters and weights are looked at."""

    def __init__(self) -> None:
        self.looked = 0

    def count(self, text: str) -> int:
        self.looked += len(text)
        return super().count(text)

    def weigh(self, text: str) -> Weight:
        self.looked += len(text)
        return super().weigh(text)

    def total(self, weights: Iterable[Weight]) -> int:
        listed = list(weights)
        self.looked += len(listed)
        return super().total(listed)


@pytest.mark.parametrize(
    "said", ["lorem ipsum dolor ", "x", ". ", "a\n", '{"a":1,"b":"word"},', "A sentence is here. "]
)
def test_cutting_looks_at_each_part_of_a_text_a_few_times(said: str) -> None:
    def looked(size: int) -> int:
        counting = Counting()
        pieces(said * (size // len(said)), counting, Sizes())
        return counting.looked

    small, large = looked(20_000), looked(160_000)
    assert large / small < 1.5 * 8
