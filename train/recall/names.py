"""Names are taken out of a question before it is embedded: in a small model a name outshouts what is asked."""

import re
from collections import Counter
from collections.abc import Callable, Iterable

from train.recall.talks import Talk

_NOT_PEOPLE = frozenset({"note", "calendar", "photo", "push", "call", "agent"})
"""What stands for a speaker in a year of somebody's messages, but is none."""
_FULL_NAME = re.compile(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b")
_SHORTEST_LEFT = 5


def first_name(speaker: str) -> str:
    """What a person is called in a talk."""
    return speaker.split(maxsplit=1)[0] if speaker.strip() else ""


def without_names(talk: Talk) -> Callable[[str], str]:
    """What takes the names of a talk's people out of a question about it."""
    names = _owner(talk) if talk.set == "lifebench" else _speakers(talk)
    if not names:
        return str.strip
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, longest_first))})('s)?(?!\w)")

    def without(question: str) -> str:
        rest = " ".join(pattern.sub("", question).split())
        return rest if len(rest) >= _SHORTEST_LEFT else question

    return without


def _speakers(talk: Talk) -> set[str]:
    speakers = {turn.speaker for turn in talk.turns if turn.speaker and turn.speaker not in _NOT_PEOPLE}
    shortest = 3 if talk.set == "qmsum" else 2  # meetings have "A" and "PM", which are letters and words elsewhere
    return {name for name in _and_first(speakers) if len(name) >= shortest}


def _owner(talk: Talk) -> set[str]:
    """The one whose messages these are: the questions' most frequent name, who is no speaker of the talk."""
    found = Counter(name for asked in talk.questions for name in _FULL_NAME.findall(asked.text))
    return {name for name, _ in found.most_common(1)} | {"I"}


def _and_first(speakers: Iterable[str]) -> set[str]:
    return {name for speaker in speakers for name in (speaker, first_name(speaker))}
