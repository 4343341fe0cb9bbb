"""The graph channel: names in a question lead to nodes, and these to what mentions them or a neighbour of theirs.

It finds what other words say: a question about "Ms Chen" reaches the talk in which she is "Sarah". What was connected
is lifted by its own mention, by that of the source or talk that it is part of, or by a name in its own text.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from recollect.graph.model import canonical, keys_of
from recollect.retrieval.fusion import Candidate

HOP = 0.5
"""What a neighbour counts for, beside the node that was named."""
_AS_PART = 0.5
"""What a mention by the whole counts for its parts."""
_MOST_WORDS = 60
_LONGEST = 4
_MOST_NAMES = 100
_WORD = re.compile(r"\w[\w.+#]*(?:['’-]\w+)*")
_POSSESSIVE = re.compile(r"['’]s?$")


def names_in(question: str) -> tuple[str, ...]:
    """All that might be a name in a question, as names are kept: runs of up to four words."""
    words = [_POSSESSIVE.sub("", word).rstrip(".") for word in _WORD.findall(question)[:_MOST_WORDS]]
    runs = (
        key
        for length in range(_LONGEST, 0, -1)
        for start in range(len(words) - length + 1)
        for key in keys_of(" ".join(words[start : start + length]))
    )
    return tuple(dict.fromkeys(run for run in runs if len(run) > 1))


@dataclass(frozen=True)
class Connected:
    """What the names of a question are connected with in one space, from 0 to 1."""

    memories: Mapping[str, float] = field(default_factory=dict)
    """Memories that mention the nodes."""
    wholes: Mapping[str, float] = field(default_factory=dict)
    """Sources and conversations that do, for what is part of them."""
    names: Mapping[str, float] = field(default_factory=dict)
    """The names of these nodes."""

    @classmethod
    def of(cls, rows: Iterable[Any]) -> "Connected":
        """From rows of what, key and tie; the strongest tie counts as 1."""
        told = list(rows)
        most = max((row.tie for row in told), default=0.0)
        if most <= 0:
            return cls()
        found: dict[str, dict[str, float]] = {"memory": {}, "whole": {}, "name": {}}
        for row in told:
            found[row.what][row.key] = max(found[row.what].get(row.key, 0.0), row.tie / most)
        return cls(found["memory"], found["whole"], found["name"])

    def __bool__(self) -> bool:
        """Whether anything is connected."""
        return bool(self.memories or self.names)

    def tie(self, candidate: Candidate) -> float:
        """How strongly a candidate is connected, by what is known of it before it is read."""
        part = self.wholes.get(candidate.thread, 0.0) if candidate.thread is not None else 0.0
        return max(self.memories.get(candidate.memory_id, 0.0), _AS_PART * part)

    def tie_of(self, text: str) -> float:
        """How strongly a text is connected by the names that it holds."""
        if self._pattern is None:
            return 0.0
        held = (canonical(match[0]) for match in self._pattern.finditer(text))
        return max((self.names.get(name, 0.0) for name in held), default=0.0)

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        names = sorted(self.names, key=lambda name: (-self.names[name], name))[:_MOST_NAMES]
        spelled = (r"[\s-]+".join(map(re.escape, name.split("-"))) for name in sorted(names, key=len, reverse=True))
        return re.compile(rf"(?<!\w)(?:{'|'.join(spelled)})(?!\w)", re.IGNORECASE) if names else None


Connections = Mapping[str, Connected]
"""By space."""


def ties(connections: Connections, candidates: Sequence[Candidate]) -> dict[tuple[str, str], float]:
    """The candidates that are connected, by space and memory."""
    return {
        (c.space, c.memory_id): tie
        for c in candidates
        if (connected := connections.get(c.space)) and (tie := connected.tie(c)) > 0
    }
