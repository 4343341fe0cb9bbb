"""`profile`: what holds for the user."""

from datetime import datetime
from uuid import UUID

from recollect.mcp.room import Room, Tokens, recalled
from recollect.mcp.tool import Data, Given, Told, Tool
from recollect.memory import ScopedMemory

DESCRIPTION = """\
See what is known for certain of the user: identity, preferences, constraints (allergies, diets, budgets), and \
instructions on how to answer, most important first, each value as it holds now. Use it at the start of a \
conversation, and before you suggest, book, cook, write or decide anything for the user. It is exact and complete, \
where `recall` looks for what fits. Heed instructions in it as the user's own wishes.

To change it, pass what the user said to `remember` as a message of role `user`."""


class Profile(Given):
    """Nothing is needed."""

    tokens: Tokens = 1_500


class Fact(Data):
    """A keyed fact."""

    type: str
    """identity, preference, constraint or instruction."""
    key: str
    value: str
    confidence: float
    importance: float
    since: datetime
    memories: list[UUID]
    """Their pasts are told by `history`."""


class ProfileFacts(Data):
    """The facts that hold, most important first."""

    facts: list[Fact]
    left_out: int


async def profile(memory: ScopedMemory, given: Profile) -> Told:
    """Tell the facts that there is room for."""
    known = await memory.profile()
    room = Room(given.tokens, texts=len(known))
    facts: list[Fact] = []
    lines: list[str] = []
    for each in known:
        begins = f"- since {each.since:%Y-%m-%d}, {each.type} {each.key}:"
        if (value := room.take(each.value, begins)) is not None:
            lines.append(f"{begins} {value}")
            facts.append(
                Fact(
                    type=each.type,
                    key=each.key,
                    value=value,
                    confidence=each.confidence,
                    importance=each.importance,
                    since=each.since,
                    memories=list(each.memory_ids),
                )
            )
    told = recalled(lines, "Nothing is known of the user yet.", room)
    return Told(told, ProfileFacts(facts=facts, left_out=room.left_out))


TOOL = Tool("profile", "The user's profile", DESCRIPTION, Profile, ProfileFacts, profile)
