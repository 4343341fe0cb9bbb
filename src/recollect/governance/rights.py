"""What an agent may do that is held to an allowlist: one right for every verb that writes, or shows everything.

Whoever asks without an agent is a person, and may do all of it; so may an agent where no allowlists are configured.

- `speak`: take part in its own thread. An agent on no list may do that, and nothing else.
- `own`: its own working notes, the reviews of them, and states that it saved itself.
- `seen`: change what it sees, and add what it will see: the categories of its list, and no others.
- `profile`: the same for what is known of the user, which is of the category `profile`.
- `everything`: what reaches all categories, or shows them: for its user, not for the agent.
"""

from typing import Literal

from recollect.core.scope import Scope

Right = Literal["speak", "own", "seen", "profile", "everything"]


def refuse(scope: Scope, verb: str, right: Right) -> None:
    """Raise NotAllowed where the scope's agent lacks the right; which rows it may reach is told where they are read."""
    if right == "speak":
        return
    scope.refuse_blind()
    if right == "everything":
        scope.refuse_narrowed(verb)
    if right == "profile":
        scope.refuse_unseen("profile")
