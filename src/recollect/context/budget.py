"""How a token budget is divided."""

from dataclasses import dataclass

from recollect.core.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class Shares:
    """A budget's parts, in tokens."""

    whole: int
    """What may be filled."""
    stable: int
    """System prompt, profile, summaries and recent messages together; none of them looks at what is volatile."""
    profile: int
    """Of the stable part: the most that the profile may take."""
    working: int
    """Active sections and `extra`."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The numbers by which a budget is divided. Shares are of 1."""

    system: int = 2_000
    """Set aside for the system prompt."""
    working: int = 8_000
    """Set aside for active sections and `extra`."""
    reserve_share: float = 0.125
    """Of a smaller total, each of these two is at most this share."""
    recent_share: float = 0.6
    """Of the rest: recent messages, with profile and summaries before them; what was found has the remainder."""
    system_most: float = 0.75
    """Of the stable part: how much of it a long system prompt may take before it is cut."""
    profile_most: float = 0.5
    """Of the stable part: how much of it the profile may take."""
    summaries_share: float = 0.2
    """Of the stable part: what the chunk summaries may take even if the messages then have to give way."""
    message_most: float = 0.5
    """Of the messages' part: a message that is larger is cut."""
    lone_message_most: float = 0.8
    """The same where it is the only one of that size, and all others of the window still fit."""
    fill: float = 0.95
    """How far a budget is filled by a counter that only estimates."""
    minimum: int = 256
    """Below this many tokens there is only the question and the profile."""
    minimum_share: float = 0.8
    """Of such a budget: what the profile may take."""
    chunk: int = 10
    """So many messages the window always holds once there are summaries; it grows to twice as many.

    Where the window does not fit, its start moves with every chunk."""
    message_overhead: int = 4
    """What a chat model adds to each message."""
    media: int = 1_600
    """What an image, sound or document counts that is sent within the message."""

    def shares(self, tokens: int, counter: TokenCounter) -> Shares:
        """The parts of a budget of so many tokens."""
        whole = tokens if counter.exact else int(tokens * self.fill)
        if tokens < self.minimum:
            profile = int(whole * self.minimum_share)
            return Shares(whole, stable=profile, profile=profile, working=0)
        system, working = (min(reserve, int(whole * self.reserve_share)) for reserve in (self.system, self.working))
        stable = system + int((whole - system - working) * self.recent_share)
        return Shares(whole, stable, int(stable * self.profile_most), working)
