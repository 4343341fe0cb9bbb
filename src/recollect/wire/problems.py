"""Errors on the wire: `application/problem+json`, from which the same error can be raised again."""

from typing import Any

from recollect.core.errors import (
    Conflict,
    InvalidInput,
    ModelMismatch,
    NotAllowed,
    NotFound,
    RecollectError,
    Unavailable,
)

MEDIA_TYPE = "application/problem+json"
STATUS: dict[type[RecollectError], int] = {
    NotFound: 404,
    InvalidInput: 422,
    NotAllowed: 403,
    Conflict: 409,
    ModelMismatch: 409,
    Unavailable: 503,
}
_NAMING: dict[type[RecollectError], str] = {InvalidInput: "field", NotAllowed: "what", Unavailable: "part"}
"""What an error names beside its message."""


def kind_of(error: RecollectError) -> type[RecollectError]:
    """The public class of an error; others are told apart inside the library alone."""
    return next((kind for kind in STATUS if isinstance(error, kind)), RecollectError)


def problem_of(error: RecollectError, status: int | None = None) -> dict[str, Any]:
    """An error as an object of JSON."""
    kind = kind_of(error)
    told = {
        "type": f"urn:recollect:error:{kind.__name__}",
        "title": kind.__name__,
        "status": status or STATUS.get(kind, 500),
        "detail": _clean(str(error)),
    }
    name = _NAMING.get(kind)
    return told | ({} if name is None else {name: _clean(str(getattr(error, name)))})


def _clean(text: str) -> str:
    """An error may quote what was given, and JSON's bytes hold no lone surrogate."""
    return text.encode(errors="replace").decode()


def error_of(problem: dict[str, Any]) -> RecollectError:
    """The error that a problem tells of."""
    kind = next((kind for kind in STATUS if kind.__name__ == problem.get("title")), RecollectError)
    detail = str(problem.get("detail", ""))
    if (name := _NAMING.get(kind)) is None:
        return kind(detail)
    named = str(problem.get(name, ""))
    return kind(named, detail.removeprefix(f"{named}: "))
