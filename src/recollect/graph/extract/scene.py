"""What a sentence is read with: its words and names, and whom its small words mean."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.graph.extract.found import Mention

Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Voice:
    """Whom the small words of a sentence mean."""

    key: Key | None = None
    """Who says "I" and "my"."""
    you: Key | None = None
    """Whom a letter greets."""
    he: Key | None = None
    """The only person of whom the sentences right before speak."""
    they: Key | None = None
    """The organisation that was named last."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A sentence with the names in it, in order."""

    text: str
    start: int
    mentions: Sequence[Mention]
    voice: Voice

    def before(self, mention: Mention) -> str:
        """What stands before a name."""
        return self.text[: mention.start - self.start]

    def behind(self, mention: Mention) -> str:
        """What stands behind a name."""
        return self.text[mention.end - self.start :]

    def between(self, one: Mention, other: Mention) -> str:
        """What stands between two names."""
        return self.text[one.end - self.start : other.start - self.start]
