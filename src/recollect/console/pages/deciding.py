"""What waits for a person: contradictions, values for the profile, nodes that may be one."""

from starlette.responses import Response

from recollect.active.model import RESOLUTIONS
from recollect.console.asking import Asked
from recollect.core import check

_DECIDED = 20


def _id(asked: Asked) -> str:
    return str(asked.request.path_params["id"])


def _accepted(asked: Asked) -> bool:
    return check.choice("decision", asked.needed("decision"), ("yes", "no")) == "yes"


async def reviews(asked: Asked) -> Response:
    """Notes that contradict what is known, with both sides."""
    found = await asked.memory.reviews(None)
    waiting = [review for review in found if review.status == "open"]
    decided = [review for review in found if review.status != "open"][::-1]
    return await asked.page("reviews.html", found=waiting, decided=decided[:_DECIDED], resolutions=RESOLUTIONS)


async def resolve(asked: Asked) -> Response:
    """Say which side holds."""
    resolution = asked.needed("resolution")
    text = asked.sent("text") if resolution == "merged" else None
    await asked.memory.resolve(_id(asked), resolution, text)
    return asked.go("/reviews?done=resolved")


async def consents(asked: Asked) -> Response:
    """Values for the profile that were not simply taken."""
    found = await asked.memory.consents(None)
    waiting = [consent for consent in found if consent.status == "open"]
    decided = sorted(
        (consent for consent in found if consent.status != "open"),
        key=lambda consent: consent.decided_at or consent.proposed_at,
        reverse=True,
    )
    return await asked.page("consents.html", found=waiting, decided=decided[:_DECIDED])


async def decide(asked: Asked) -> Response:
    """Say yes or no."""
    consent = await asked.memory.decide(_id(asked), accept=_accepted(asked))
    return asked.go(f"/consents?done={'accepted' if consent.status == 'accepted' else 'declined'}")


async def merges(asked: Asked) -> Response:
    """Nodes that may be one, and those that were made one."""
    found = await asked.memory.merges(None)
    waiting = [merge for merge in found if merge.status == "proposed"]
    decided = [merge for merge in found if merge.status != "proposed"][::-1]
    return await asked.page("merges.html", found=waiting, decided=decided[:_DECIDED])


async def resolve_merge(asked: Asked) -> Response:
    """Say whether they are."""
    merge = await asked.memory.resolve_merge(_id(asked), accept=_accepted(asked))
    return asked.go(f"/merges?done={'merged' if merge.status == 'merged' else 'refused'}")


async def unmerge(asked: Asked) -> Response:
    """Part them again."""
    await asked.memory.unmerge(_id(asked))
    return asked.go("/merges?done=unmerged")
