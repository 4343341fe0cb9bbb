"""Recollect: memory for AI agents and assistants."""

from recollect.core.errors import (
    Conflict,
    InvalidInput,
    ModelMismatch,
    NotAllowed,
    NotFound,
    RecollectError,
    Unavailable,
)
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
