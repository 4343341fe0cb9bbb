"""What is known of the owner, by key."""

from starlette.responses import Response

from recollect.console.asking import Asked
from recollect.profile.model import TYPES


async def show(asked: Asked) -> Response:
    """The facts that hold, by type."""
    facts = await asked.memory.profile()
    grouped = {type: [fact for fact in facts if fact.type == type] for type in TYPES}
    return await asked.page("profile.html", grouped=grouped, types=TYPES, facts=facts)


async def keep(asked: Asked) -> Response:
    """Say what holds for a key; what held before stays as history."""
    await asked.memory.set_profile(asked.needed("type"), asked.needed("key"), asked.needed("value"))
    return asked.go("/profile?done=profile_set")
