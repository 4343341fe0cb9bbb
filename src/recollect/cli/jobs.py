"""`recollect jobs …` and `recollect worker`: background work."""

import asyncio
import signal
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import Call, command, when_alone

if TYPE_CHECKING:
    from rich.console import RenderableType

    from recollect.jobs.looking import Work
    from recollect.queue import JobRun, QueuedJob

app = typer.Typer(name="jobs", help="See, run and retry background work.")
worker_app = typer.Typer()


@when_alone(app, scope=False)
@command(app, "list", scope=False)
async def list_(call: Call) -> None:
    """What waits, runs or failed, and when the jobs of the schedule ran last."""
    from recollect.core.clock import system_clock
    from recollect.flows.fade import SWEEPS
    from recollect.jobs.looking import look

    async with call.database() as opened:
        found = await look(opened.database, call.settings(), SWEEPS, system_clock())
    call.out.answer(found, lambda: _standing(found))


@command(worker_app, "work", without=("thread",))
async def work(call: Call) -> None:
    """How background work stands in the spaces that you read; `jobs list` tells of all."""
    async with call.scoped() as memory:
        found = await memory.work()
    call.out.answer(found, lambda: _standing(found))


def _standing(found: "Work") -> "Iterator[RenderableType]":
    yield from _queued(found.queue, "The queue is empty.")
    if runs := [scheduled.run for scheduled in found.schedule if scheduled.run is not None]:
        yield ""
        yield _runs(runs)


@command(app, "failed", scope=False)
async def failed(call: Call) -> None:
    """Jobs that were given up, and why."""
    from recollect.queue import failed_jobs

    async with call.database() as opened:
        found = await failed_jobs(opened.database)
    call.out.answer(found, lambda: _queued(found, "No job has failed."))


def _queued(found: "Sequence[QueuedJob]", none: str) -> "Iterator[RenderableType]":
    from rich.text import Text

    from recollect.cli import show

    if not found:
        yield Text(none, style="dim")
        return
    table = show.table("id", "task", "space", "state", "tries", "when", "error")
    for job in found:
        moment = job.failed_at or job.due_at
        cells = (
            str(job.id),
            job.task,
            job.space,
            job.state.value,
            str(job.attempts),
            show.when(moment),
            job.error or "",
        )
        table.add_row(*map(Text, cells))
    yield table


def _runs(runs: "Sequence[JobRun]") -> "RenderableType":
    from rich.text import Text

    from recollect.cli import show

    table = show.table("job", "last due", "last run", "outcome")
    for run in runs:
        counts = ", ".join(f"{count} {name}" for name, count in run.counts.items())
        table.add_row(run.job, show.when(run.last_due), show.when(run.last_started), Text(run.failed or counts))
    return table


@command(app, "run", scope=False)
async def run(call: Call, name: Annotated[str, typer.Argument(help="The job, such as decay or purge.")]) -> None:
    """Run a job now, over all spaces."""
    async with call.memory() as opened:
        with call.out.progress(name) as advance:
            counts = await opened.run_job(name, advance)

    def shown() -> Iterator["RenderableType"]:
        yield f"{name}: " + ", ".join(f"{count} {what}" for what, count in counts.items())

    call.out.answer(counts, shown)


@command(app, "drain", scope=False)
async def drain(
    call: Call,
    timeout: Annotated[float, typer.Option(help="How many seconds to give it at most.", min=0)] = 60,
) -> None:
    """Have done what is queued or running now, and what that leads to."""
    async with call.memory() as opened:
        with call.out.waiting("Working"):
            done = await opened.drain(timeout)
    call.out.answer(done, lambda: [f"{done.done} jobs done, {done.failed} failed, {done.deferred} left for later."])


@command(app, "retry", scope=False)
async def retry(
    call: Call, id: Annotated[int, typer.Argument(help="The failed job's id.", show_default=False)]
) -> None:
    """Start a failed job over; a worker takes it."""
    from recollect.queue import retry

    async with call.database() as opened:
        job = await retry(opened.database, id)
    call.out.answer(job, lambda: [f"Job {id} is in the queue again, as {job}."])


@command(worker_app, "worker", scope=False)
async def worker(
    call: Call,
    concurrency: Annotated[int | None, typer.Option(help="Jobs at a time, if other than the setting.", min=1)] = None,
) -> None:
    """Do background work until Ctrl-C or SIGTERM."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    settings = {} if concurrency is None else {"worker_concurrency": concurrency}
    async with call.memory(worker=True, **settings):
        _said(call, "started", "Working. Ctrl-C stops.")
        await stop.wait()
        call.out.remark("Ending what is under way.")
    _said(call, "stopped", "Stopped.")


def _said(call: Call, event: str, text: str) -> None:
    if call.json:
        call.out.line({"event": event})
    else:
        call.out.remark(text)
