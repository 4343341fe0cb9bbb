"""The pieces of which statements are put together, so that only `db` and the stores know the driver.

A value that is written into a statement may hold a percent sign, which the driver would take for a placeholder:
it is doubled here. What is put together with these pieces is therefore always executed with values, if only `{}`.
"""

from typing import Any, LiteralString

from psycopg import sql
from psycopg.abc import AdaptContext
from psycopg.sql import Composable, Composed, Identifier
from psycopg.types.json import Json, Jsonb

__all__ = ["SQL", "Composable", "Composed", "Identifier", "Json", "Jsonb", "Literal"]


class Literal(sql.Literal):
    """A value, written into a statement."""

    def as_bytes(self, context: AdaptContext | None = None) -> bytes:
        """The value as SQL text."""
        return super().as_bytes(context).replace(b"%", b"%%")


class SQL(sql.SQL):
    """A text with places for pieces; what is no piece is written in as a literal."""

    def __init__(self, text: LiteralString) -> None:
        super().__init__(text)

    def format(self, *args: Any, **kwargs: Any) -> Composed:
        """The text with its places filled."""
        return super().format(*map(_piece, args), **{name: _piece(value) for name, value in kwargs.items()})


def _piece(value: Any) -> Composable:
    return value if isinstance(value, Composable) else Literal(value)
