"""Workflows that somebody spells out: numbered steps in the imperative, under a line that says what they are for.

High precision on purpose: a list is taken only where its own words call it a way of doing something, or where the user
asks for it to be kept. What an assistant lists is advice, until the user says that it is to be remembered.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.understanding.fence import unfenced
from recollect.understanding.same_fact.words import word_set
from recollect.understanding.secrets import mask

LEAST_STEPS = 2
_MOST_STEPS = 30
_LONGEST_STEP = 280
_LONGEST_TITLE = 120


@dataclass(frozen=True, slots=True)
class Procedure:
    """A way of doing something."""

    title: str
    steps: tuple[str, ...]

    @property
    def text(self) -> str:
        """As it is kept and shown."""
        return "\n".join([self.title, *(f"{number}. {step}" for number, step in enumerate(self.steps, start=1))])


_STEP = re.compile(r"^[ \t]*(?:[*_]{2})?(?:step[ \t]+)?(\d{1,2})[.):][ \t]+(?:[*_]{2})?(.*\S)[ \t]*$", re.IGNORECASE)
_CUE = re.compile(
    r"\b(?:how (?:to|we|i|you)\b|steps?\b|process\b|procedure\b|workflow\b|runbook\b|playbook\b|checklist\b|routine\b"
    r"|way (?:to|we|i)\b|(?:to|for|when|whenever|before|after|every time)\b[^.!?]{3,80}:\s*$)",
    re.IGNORECASE,
)
_KEEP = re.compile(r"\b(?:remember|save|keep|store|note|write down|memori[sz]e)\b", re.IGNORECASE)
_STEPS = re.compile(r"\b(?:steps|procedure|workflow|process|runbook|checklist|playbook|how to)\b", re.IGNORECASE)
_NOT_IMPERATIVE = word_set(
    "i you he she it we they this that these those there the a an my your his her its our their who what which "
    "why how is are was were am be been being has have had will would can could may might shall should must not "
    "no yes in on at of for from to by with as if when while because since although and or but so then monday "
    "tuesday wednesday thursday friday saturday sunday today tomorrow yesterday"
)
_OPENING = re.compile(
    r"^(?:(?:ok(?:ay)?|hi|hey|so|well|right|sure|by the way|fyi|note)\b[,:!]?\s+)*"
    r"(?:please\s+)?(?:remember\s+|note\s+)?(?:that\s+)?(?:here(?:'s|’s| is| are)\s+|this is\s+|these are\s+)?",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(r"[*_`]{1,2}(?=\S)|(?<=\S)[*_`]{1,2}")
_HEADING = re.compile(r"^\s*#+\s*")


def told(text: str) -> Procedure | None:
    """The procedure that a user's message spells out, if it does."""
    found = _listed(text)
    return found if found is not None and (_CUE.search(_lead(text)) or asks_to_keep(text)) else None


def asks_to_keep(text: str) -> bool:
    """Whether a message asks for steps to be remembered ("Save these steps as our release procedure.")."""
    return any(_KEEP.search(sentence) and _STEPS.search(sentence) for sentence in re.split(r"[.!?\n]", text))


def kept(said: str, before: str) -> Procedure | None:
    """The steps of the message before that this one asks to keep."""
    return _listed(before) if asks_to_keep(said) and _listed(said) is None else None


def _listed(text: str) -> Procedure | None:
    lines = mask(unfenced(text)).splitlines()
    numbered = [(place, match) for place, line in enumerate(lines) if (match := _STEP.match(line))]
    run = _run([(place, int(match[1]), match[2]) for place, match in numbered])
    if len(run) < LEAST_STEPS or not all(_is_imperative(step) for _, step in run):
        return None
    title = _title(lines[: run[0][0]])
    return Procedure(title, tuple(_clean(step)[:_LONGEST_STEP] for _, step in run[:_MOST_STEPS])) if title else None


def _run(numbered: Sequence[tuple[int, int, str]]) -> list[tuple[int, str]]:
    """The steps that count up from one, with their lines."""
    run: list[tuple[int, str]] = []
    for place, number, step in numbered:
        if number == len(run) + 1:
            run.append((place, step))
        elif number == 1:
            run = [(place, step)] if len(run) < LEAST_STEPS else run
    return run


def _is_imperative(step: str) -> bool:
    """Whether a step tells somebody to do something: it begins with a verb, and with nothing that stands before one."""
    words = re.findall(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", _clean(step))
    if not words:
        return False
    first = words[0].lower()
    if first in ("don't", "do", "never", "always", "then", "finally", "first", "next", "optionally", "please"):
        return len(words) > 1
    return first not in _NOT_IMPERATIVE and not first.endswith(("ing", "ed", "tion", "ness")) and len(words) > 1


def _lead(text: str) -> str:
    """What stands before the first step."""
    lines = text.splitlines()
    first = next((place for place, line in enumerate(lines) if _STEP.match(line)), len(lines))
    return "\n".join(lines[:first]).strip()


def _title(lines: Sequence[str]) -> str:
    """What the steps are for: the last sentence before them."""
    said = [line.strip() for line in lines if line.strip()]
    if not said:
        return ""
    sentence = re.split(r"(?<=[.!?])\s+", said[-1])[-1]
    bare = _OPENING.sub("", _clean(_HEADING.sub("", sentence)), count=1).strip().rstrip(" :.,;–—-")
    return (bare[:1].upper() + bare[1:])[:_LONGEST_TITLE].strip()


def _clean(text: str) -> str:
    return " ".join(_EMPHASIS.sub("", text).split())
