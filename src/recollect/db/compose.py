"""The pieces of which statements are put together, so that only `db` and the stores know the driver."""

from psycopg.sql import SQL, Composable, Composed, Identifier, Literal
from psycopg.types.json import Jsonb

__all__ = ["SQL", "Composable", "Composed", "Identifier", "Jsonb", "Literal"]
