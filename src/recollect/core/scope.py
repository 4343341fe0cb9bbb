"""Who is asking: a scope, and the spaces that it may write and read."""

from dataclasses import dataclass
from typing import Literal, Protocol

from recollect.core.check import identifier
from recollect.core.errors import InvalidInput, NotAllowed

Sensitivity = Literal["low", "normal", "high"]
SENSITIVITIES: tuple[Sensitivity, ...] = ("low", "normal", "high")


_TEAM = "team:"


def is_team(space: str) -> bool:
    """Whether a space belongs to a team."""
    return space.startswith(_TEAM)


def team_space(team_id: str) -> str:
    """The space of a team."""
    return _TEAM + team_id


class Guarded(Protocol):
    """What not everybody may see."""

    @property
    def sensitivity(self) -> str:
        """`low`, `normal` or `high`."""

    @property
    def category(self) -> str | None:
        """None: seen by whoever sees what it belongs to."""


def user_space(user_id: str) -> str:
    """The space of a user."""
    return f"user:{user_id}"


@dataclass(frozen=True, slots=True)
class Scope:
    """A user, project, agent, run and thread; who wrote is provenance, where it is written is the space."""

    user_id: str | None = None
    project_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None
    thread_id: str | None = None
    team_ids: tuple[str, ...] = ()
    sensitivity: Sensitivity = "normal"
    categories: tuple[str, ...] | None = None
    """What the agent's allowlist lets it see, as it stands at the moment; None: everything."""

    def __post_init__(self) -> None:
        for field in ("user_id", "project_id", "agent_id", "run_id", "thread_id"):
            if getattr(self, field) is not None:
                identifier(field, getattr(self, field))
        if isinstance(self.team_ids, str):
            raise InvalidInput("team_ids", "must be a list of team ids, not one string")
        object.__setattr__(self, "team_ids", tuple(identifier("team_ids", team) for team in self.team_ids))
        if not (self.user_id or self.project_id or self.agent_id):
            raise InvalidInput("user_id", "a scope needs a user_id, a project_id or an agent_id")
        if self.sensitivity not in SENSITIVITIES:
            raise InvalidInput("sensitivity", f"must be one of {', '.join(SENSITIVITIES)}")

    @property
    def space(self) -> str:
        """The one space that this scope writes: the project's if one is named, else the user's, else the agent's."""
        if self.project_id:
            return f"project:{self.project_id}"
        return self.own_space

    @property
    def own_space(self) -> str:
        """Where profile, consent and insights live: the user's own space, whatever the project."""
        if self.user_id:
            return user_space(self.user_id)
        return f"agent:{self.agent_id}" if self.agent_id else f"project:{self.project_id}"

    @property
    def owner(self) -> str:
        """Whose conversations these are, within the space."""
        if self.user_id:
            return user_space(self.user_id)
        return f"agent:{self.agent_id}" if self.agent_id else ""

    @property
    def readable(self) -> tuple[str, ...]:
        """Every space that this scope may read, the one that it writes first."""
        spaces = [self.space, self.own_space, *map(team_space, self.team_ids)]
        return tuple(dict.fromkeys(spaces))

    def sees(self, category: str) -> bool:
        """Whether the agent's allowlist has a category."""
        return self.categories is None or category in self.categories

    def may_see(self, thing: Guarded) -> bool:
        """`high` is for scopes that were opened for it, a category for agents whose allowlist has it."""
        open_to_it = thing.sensitivity != "high" or self.sensitivity == "high"
        return open_to_it and (thing.category is None or self.sees(thing.category))

    def refuse_blind(self) -> None:
        """An agent that sees nothing at all is told so, rather than that there is nothing."""
        if self.categories == ():
            raise NotAllowed(f"agent {self.agent_id}", "it is on no allowlist, so it may see nothing")

    def refuse_unseen(self, category: str) -> None:
        """A category that is named and not on the agent's allowlist is an error, rather than nothing found or kept."""
        if not self.sees(category):
            raise NotAllowed(f"category {category}", f"it is not on the allowlist of agent {self.agent_id}")

    def refuse_narrowed(self, what: str) -> None:
        """What reaches everything, or shows it, is not for an agent that sees some categories alone."""
        if self.categories is not None:
            raise NotAllowed(what, f"agent {self.agent_id} sees some categories alone; its user may")

    def team_space(self, team_id: str) -> str:
        """The space of one of the scope's teams."""
        if team_id not in self.team_ids:
            raise NotAllowed(f"team {team_id}", "the scope does not belong to it")
        return team_space(team_id)
