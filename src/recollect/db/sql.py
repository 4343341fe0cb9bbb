"""Named SQL: statements live in `.sql` files beside the code that uses them.

A file holds statements, each after a line `-- name: the_name` and a comment that says what it is for.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import LiteralString

_HEADER = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Queries:
    """The statements of one file, by name."""

    package: str
    statements: dict[str, LiteralString]

    def __getitem__(self, name: str) -> LiteralString:
        """The statement of that name."""
        return self.statements[name]


@cache
def load(package: str, filename: str = "queries.sql") -> Queries:
    """Read and split a file of named statements."""
    text = files(package).joinpath(filename).read_text(encoding="utf-8")
    return Queries(package, dict(_split(text)))


def _split(text: str) -> list[tuple[str, LiteralString]]:
    parts = _HEADER.split(text)[1:]
    return [(name, _strip(body)) for name, body in zip(parts[::2], parts[1::2], strict=True)]


def _strip(body: str) -> str:
    """Comments are for the reader of the file, not for the server's log."""
    lines = (line for line in body.splitlines() if not line.lstrip().startswith("--"))
    return "\n".join(lines).strip().rstrip(";")
