"""Recollect: memory for AI agents and assistants."""

from typing import TYPE_CHECKING, Any

from recollect.core.errors import (
    Conflict,
    InvalidInput,
    ModelMismatch,
    NotAllowed,
    NotFound,
    RecollectError,
    Unavailable,
)

if TYPE_CHECKING:
    from recollect.memory import Recollect

__version__ = "0.1.0"

__all__ = [
    "Conflict",
    "InvalidInput",
    "ModelMismatch",
    "NotAllowed",
    "NotFound",
    "Recollect",
    "RecollectError",
    "Unavailable",
]


def __getattr__(name: str) -> Any:
    """`Recollect` when it is first asked for: with it come numpy and psycopg, which not everybody needs."""
    if name != "Recollect":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from recollect.memory import Recollect

    globals()[name] = Recollect
    return Recollect


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
