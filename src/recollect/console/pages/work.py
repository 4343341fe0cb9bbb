"""Background work and what models cost."""

from starlette.responses import Response

from recollect.console.asking import Asked, number
from recollect.core.errors import InvalidInput

_DAYS = 14


async def jobs(asked: Asked) -> Response:
    """Queue, schedule and workers: of all spaces for an administrator, else of those that are read."""
    seen = await (asked.recollect.jobs() if asked.admin else asked.memory.work())
    return await asked.page("jobs.html", work=seen)


async def run(asked: Asked) -> Response:
    """Run a job now, over all spaces."""
    asked.refuse_others("jobs")
    await asked.recollect.run_job(asked.needed("name"))
    return asked.go("/jobs?done=ran")


async def retry(asked: Asked) -> Response:
    """Start a failed job over."""
    asked.refuse_others("jobs")
    id = number(str(asked.request.path_params["id"]))
    if id is None:
        raise InvalidInput("id", "must be a number")
    await asked.recollect.retry_job(id)
    return asked.go("/jobs?done=retried")


async def spend(asked: Asked) -> Response:
    """What models have cost the space, by day."""
    return await asked.page("spend.html", spend=await asked.memory.spend(_DAYS))
