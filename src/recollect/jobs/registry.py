"""Which flow each job runs."""

from collections.abc import Mapping
from functools import partial

from recollect.flows import compress, fade, index_turns, reread, statistics, understand
from recollect.flows.parts import Parts
from recollect.queue.model import Handler


def handlers(parts: Parts) -> dict[str, Handler]:
    """Every job by name: those of one space, and the sweeps over all of them."""
    jobs: dict[str, Handler] = {
        index_turns.TASK: partial(index_turns.index_turns, parts),
        understand.TASK: partial(understand.understand, parts),
        reread.TASK: partial(reread.reread, parts),
        compress.TASK: partial(compress.compress, parts),
        statistics.TASK: partial(statistics.refresh, parts),
    }
    return jobs | {name: _sweep(parts, name) for name in fade.SWEEPS}


def _sweep(parts: Parts, name: str) -> Handler:
    async def run(_: str) -> Mapping[str, int]:
        return await fade.run(parts, name)

    return run
