"""The headers of a request that say for whom it speaks. Values are UTF-8, percent-encoded; teams end with commas."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

from recollect.core.errors import InvalidInput

HEADERS = {
    "user_id": "X-Recollect-User",
    "project_id": "X-Recollect-Project",
    "agent_id": "X-Recollect-Agent",
    "run_id": "X-Recollect-Run",
    "thread_id": "X-Recollect-Thread",
    "team_ids": "X-Recollect-Teams",
    "sensitivity": "X-Recollect-Sensitivity",
}
IDEMPOTENCY = "Idempotency-Key"
KEY_COOKIE = "recollect_key"
"""Where a browser keeps a key that others send in `Authorization`."""


def named_by(headers: Mapping[str, str]) -> dict[str, Any]:
    """What the headers of a request name of a scope."""
    given = {field: headers[name] for field, name in HEADERS.items() if name in headers}
    return {field: _teams(value) if field == "team_ids" else _decoded(field, value) for field, value in given.items()}


def _teams(value: str) -> tuple[str, ...]:
    return tuple(_decoded("team_ids", team.strip()) for team in value.split(",") if team.strip())


def _decoded(field: str, value: str) -> str:
    try:
        return unquote(value, errors="strict")
    except UnicodeDecodeError:
        raise InvalidInput(field, f"must be UTF-8, percent-encoded, in {HEADERS[field]}") from None


def naming(scope: Mapping[str, Any]) -> dict[str, str]:
    """The headers that name what is given of a scope."""
    return {
        HEADERS[field]: _quoted(value) if isinstance(value, str) else ",".join(map(_quoted, value))
        for field, value in scope.items()
        if value is not None
    }


def _quoted(value: str) -> str:
    return quote(value, safe="", errors="surrogatepass")
