"""What may be kept of an error: enough to act on, and nothing that somebody wrote."""

from pathlib import Path
from traceback import extract_tb

from recollect.core.errors import RecollectError

_LONGEST = 300
# PostgreSQL's class of errors about data: their messages quote it.
_DATA_EXCEPTION = "22"


def describe(error: BaseException) -> str:
    """The error's class, its message if that is ours or the server's and quotes no data, and its place."""
    parts = [type(error).__name__, _message(error), _place(error)]
    return " ".join(part for part in parts if part)[:_LONGEST]


def _message(error: BaseException) -> str:
    if isinstance(error, RecollectError):
        return f"({_first_line(str(error))})"
    state = getattr(error, "sqlstate", None)
    if not isinstance(state, str):
        return ""
    primary = getattr(getattr(error, "diag", None), "message_primary", None)
    quotes_data = state.startswith(_DATA_EXCEPTION)
    return f"({state}: {_first_line(primary)})" if primary and not quotes_data else f"({state})"


def _place(error: BaseException) -> str:
    frames = extract_tb(error.__traceback__)
    if not frames:
        return ""
    last = next((frame for frame in reversed(frames) if _is_ours(Path(frame.filename))), frames[-1])
    return f"at {Path(last.filename).name}:{last.lineno} in {last.name}"


def _is_ours(file: Path) -> bool:
    """Whether it says more than the library that we called, or the worker that called us."""
    return "recollect" in file.parts and "jobs" not in file.parts


def _first_line(text: str) -> str:
    return text.strip().split("\n", 1)[0]
