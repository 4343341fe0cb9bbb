"""Tables at a terminal: what is typed into the next command is there as a whole, however narrow the terminal is."""

from io import StringIO
from uuid import uuid4

import pytest
from rich.console import Console
from rich.text import Text

from recollect.cli import show

LONG = "a name of several words that has no end"


def shown(*cells: Text | str, columns: tuple[str, ...]) -> str:
    table = show.table(*columns)
    table.add_row(*cells)
    written = StringIO()
    Console(width=80, file=written).print(table)
    return written.getvalue()


@pytest.mark.parametrize("others", [3, 6])
def test_an_id_is_on_one_line(others: int) -> None:
    id = str(uuid4())
    assert id in shown(id, *[LONG] * others, columns=("id", *["words"] * others))


def test_an_id_below_a_name() -> None:
    id = uuid4()
    text = shown(show.with_id(f"{LONG} {LONG}", id), *[LONG] * 5, columns=("id and name", *["words"] * 5))
    assert str(id) in text
    assert "…" not in text


def test_a_long_word_is_folded_and_not_cut() -> None:
    text = shown("migration", "x" * 100, columns=("job", "outcome"))
    assert text.count("x") == 100
    assert "migration" in text
