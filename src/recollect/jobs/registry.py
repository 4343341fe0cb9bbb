"""Which flow each job runs."""

from collections.abc import Mapping
from functools import partial

from recollect.flows import (
    compress,
    fade,
    forget,
    index_turns,
    ingest,
    ingesting,
    migrate,
    owning,
    projecting,
    reread,
    reread_sources,
    statistics,
    talks,
    teams,
    understand,
    unlearn,
)
from recollect.flows.parts import Parts
from recollect.governance.spend import paid_by
from recollect.queue import EVERYWHERE
from recollect.queue.model import Handler
from recollect.records.outbox import TASK as PROJECTION


def handlers(parts: Parts) -> dict[str, Handler]:
    """Every job by name: those of one space, and the sweeps over all of them."""
    jobs: dict[str, Handler] = {
        index_turns.TASK: partial(index_turns.index_turns, parts),
        understand.TASK: partial(understand.understand, parts),
        reread.TASK: partial(reread.reread, parts),
        compress.TASK: partial(compress.compress, parts),
        ingest.TASK: partial(ingesting.ingest, parts),
        ingesting.AGAIN: partial(ingesting.ingest_again, parts),
        reread_sources.TASK: partial(reread_sources.reread, parts),
        teams.TASK: partial(teams.reconcile, parts),
        unlearn.TASK: partial(unlearn.follow_texts, parts),
        forget.TASK: partial(forget.follow, parts),
        owning.TASK: partial(owning.follow, parts),
        statistics.TASK: partial(statistics.refresh, parts),
    }
    sweeps = {name: _sweep(parts, name) for name in fade.SWEEPS}
    either = {
        migrate.TASK: _either(sweeps[migrate.TASK], partial(migrate.migrate_due, parts)),
        PROJECTION: _either(_projected(parts, sweeps[PROJECTION]), partial(projecting.project, parts)),
        talks.TASK: _either(sweeps[talks.TASK], partial(talks.source_talks, parts)),
    }
    return {name: _paid(run) for name, run in (jobs | sweeps | either).items()}


def _paid(handler: Handler) -> Handler:
    """What the job of a space asks of models is on its account; a sweep says itself whose it is at."""

    async def run(space: str) -> Mapping[str, int]:
        if space == EVERYWHERE:
            return await handler(space)
        with paid_by(space):
            return await handler(space)

    return run


def _either(everywhere: Handler, in_space: Handler) -> Handler:
    """A job that visits all spaces by the clock, and one of them when it is asked to."""

    async def run(space: str) -> Mapping[str, int]:
        return await (everywhere if space == EVERYWHERE else in_space)(space)

    return run


def _projected(parts: Parts, sweep: Handler) -> Handler:
    """Beside what is behind, what Neo4j has lost."""

    async def run(space: str) -> Mapping[str, int]:
        await projecting.look_after(parts)
        return await sweep(space)

    return run


def _sweep(parts: Parts, name: str) -> Handler:
    async def run(_: str) -> Mapping[str, int]:
        return await fade.run(parts, name)

    return run
