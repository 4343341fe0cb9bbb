"""The bodies of requests: read up to a limit, and of the kind that was announced."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from tempfile import SpooledTemporaryFile
from typing import IO

from starlette.requests import Request

from recollect.core.errors import InvalidInput
from recollect.core.settings import Settings
from recollect.wire.verbs import Verb

JSON = "application/json"
LINES = "application/x-ndjson"
_IN_MEMORY = 8_000_000


class TooLarge(InvalidInput):
    """A body beyond the limit."""

    def __init__(self, most: int) -> None:
        super().__init__("body", f"is larger than {most:,} bytes")


class OtherKind(InvalidInput):
    """A body that is announced as something else."""

    def __init__(self, expected: str) -> None:
        super().__init__("Content-Type", f"must be {expected}")


def limit_of(verb: Verb, settings: Settings) -> int:
    """How large the body of a verb may be. In JSON a text may take twice as much as it has."""
    own = {
        "import_lines": settings.import_bytes,
        "ingest": 2 * settings.source_bytes,
        "save_checkpoint": 2 * settings.checkpoint_bytes,
    }
    return max(settings.body_bytes, own.get(verb.name, 0))


async def whole(request: Request, most: int) -> bytes:
    """All of a body of JSON; nothing where there is none."""
    parts = [part async for part in _parts(request, JSON, most)]
    return b"".join(parts)


@asynccontextmanager
async def spooled(request: Request, most: int) -> AsyncIterator[IO[bytes]]:
    """A body of lines, in a file that vanishes afterwards."""
    with SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
        async for part in _parts(request, LINES, most):
            file.write(part)
        file.seek(0)
        yield file


async def _parts(request: Request, kind: str, most: int) -> AsyncIterator[bytes]:
    _refuse_length(request, most)
    seen = 0
    async for part in request.stream():
        if part and not seen:
            _refuse_kind(request, kind)
        seen += len(part)
        if seen > most:
            raise TooLarge(most)
        yield part


def _refuse_length(request: Request, most: int) -> None:
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > most:
        raise TooLarge(most)


def _refuse_kind(request: Request, kind: str) -> None:
    """No form of another site can send this kind without asking first, and it is told no."""
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != kind:
        raise OtherKind(kind)
