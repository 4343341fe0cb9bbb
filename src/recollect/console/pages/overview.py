"""The first page: what there is, how it grows, and what needs a person."""

import asyncio

from starlette.responses import Response

from recollect.console import drawing
from recollect.console.asking import Asked
from recollect.records.kinds import KINDS

_DAYS = 30
STATES = ("candidate", "active", "core", "pending", "archived", "soft_deleted")


async def show(asked: Asked) -> Response:
    """Numbers, growth, jobs, spend."""
    me = asked.memory
    seen, spend, work, failed = await asyncio.gather(
        me.overview(_DAYS), me.spend(), me.work(), me.sources("failed", limit=100)
    )
    kinds = [kind for kind in KINDS if kind in seen.counts]
    most = max((sum(states.values()) for states in seen.counts.values()), default=0)
    return await asked.page(
        "overview.html",
        seen=seen,
        kinds=kinds,
        states=STATES,
        most=most,
        columns=drawing.columns(seen.growth),
        spend=spend,
        work=work,
        failed_sources=failed,
        failed_runs=[each for each in work.schedule if each.run is not None and each.run.failed],
    )
