"""Statements of one transaction, collected to be sent together."""

from collections.abc import Mapping
from typing import Any, LiteralString

from psycopg import sql

from recollect.db.pipeline import Meanwhile, nothing

Statement = tuple[sql.Composed | LiteralString, Mapping[str, Any]]


class Batch:
    """Statements of one transaction, collected to be sent together."""

    def __init__(self, space: str, *others: str, often: bool = False) -> None:
        self.spaces = [space, *others]
        self.often = often
        """Whether statements are asked so often, or values are so large, that these had better travel apart: texts are
        prepared then, and what is put together is parsed each time."""
        self.names_space = False
        """Whether its statement names the space to the policies itself, and sees no categories."""
        self.settings: dict[str, int] = {}
        """Settings of the transaction."""
        self.meanwhile: Meanwhile = nothing
        """What the sender of a batch that only reads does while the server works; again, should it be sent again."""
        self._first: list[Statement] = []
        self._last: list[Statement] = []
        self._parted_at: int | None = None

    def add(self, statement: sql.Composed | LiteralString, **values: Any) -> int:
        """Append a statement; its rows will be at the returned place of what `send` gives back."""
        self._first.append((statement, values))
        return len(self._first) - 1

    def add_last(self, statement: sql.Composed | LiteralString, **values: Any) -> None:
        """Add a statement whose rows nobody asks for, to be run after all others, once."""
        if (statement, values) not in self._last:
            self._last.append((statement, values))

    def part(self) -> None:
        """Ask what is added from now on at the same time, on a connection of its own; for a batch that only reads."""
        self._parted_at = len(self._first)

    @property
    def parts(self) -> "tuple[Batch, Batch] | None":
        """The two that it is sent as, if it was parted; what the sender does meanwhile, it does once."""
        if self._parted_at is None:
            return None
        one, other = (Batch(*self.spaces, often=self.often) for _ in range(2))
        one._first, other._first = self._first[: self._parted_at], self._first[self._parted_at :]
        one.settings = other.settings = self.settings
        one.meanwhile = self.meanwhile
        return one, other

    def take(self, other: "Batch") -> None:
        """Add the statements of another batch of the same spaces."""
        self._first += other._first
        for statement, values in other._last:
            self.add_last(statement, **values)

    @property
    def length(self) -> int:
        """How many statements were added to give rows."""
        return len(self._first)

    @property
    def statements(self) -> list[Statement]:
        """All of them, in the order in which they are run."""
        return self._first + self._last
