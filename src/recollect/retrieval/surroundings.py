"""What surrounds a message when it is searched for, and what a question is really about.

Keywords find a turn better with its speaker, its date and the turn before it ("Yes, in Lisbon!" answers
what was asked just before). An embedding finds it better alone: in a small model a name outshouts what
was said, so names are taken out of the question too, and work through keywords and through who spoke.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from recollect.core.terms import runs_together, terms

PREVIOUS_CHARACTERS = 1_000
"""How much of the turn before is searched with a turn: its end, which is what the turn replies to."""

# Spelled out here because strftime would follow the locale of the process.
_MONTHS = (
    "January February March April May June July August September October November December".split()  # noqa: SIM905
)
_ASKER = re.compile(r"\b(?:I|i|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself)\b")
_ASSISTANT = re.compile(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s?$")
_SPACES = re.compile(r"\s+")
_TITLES = frozenset({"dr", "miss", "mr", "mrs", "ms", "mx", "prof", "professor", "sir", "the"})
# Names that are words too: "When will she come?" is not about Will. Here the case must be the name's own.
_WORDS_TOO = frozenset(
    {"april", "art", "august", "bill", "chance", "chase", "dawn", "drew", "faith", "frank", "grace", "grant"}
    | {"hope", "iris", "jack", "joy", "june", "mark", "max", "may", "miles", "pat", "rich", "rose", "summer"}
    | {"sunny", "will", "assistant", "system", "tool", "user"}
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question made ready for search."""

    text: str
    """As asked."""
    for_embedding: str
    """Without the names of speakers, unless nothing else was asked."""
    named: frozenset[str] = frozenset()
    """The known speakers whom it names, spelled as they are known."""
    first_person: bool = False
    """Whether the asker asks about themselves, and not about what the one they address said or did."""


def search_text(text: str, speaker: str | None, at: datetime, previous: tuple[str | None, str] | None) -> str:
    """A message as keyword search sees it: who, what, when, and what was said just before.

    The name of whoever spoke before stays out: with both names on most turns, neither would tell them apart.
    """
    parts = [f"{speaker}: {text}" if speaker else text, f"{at.day} {_MONTHS[at.month - 1]} {at.year}"]
    if previous is not None:
        parts.append(previous[1][-PREVIOUS_CHARACTERS:])
    return "\n".join(parts)


def embedding_text(text: str, speaker: str | None) -> str:
    """A message as the embedder sees it: the bare words. A model that wants names changes this alone."""
    del speaker
    return text


def prepare(question: str, speakers: Collection[str]) -> Question:
    """Tell what is asked from whom it is asked about."""
    pattern = _names_pattern(frozenset(speakers))
    found = {_key(match[0]) for match in pattern.finditer(question)} if pattern else set()
    first_person = _ASKER.search(question) is not None and _ASSISTANT.search(question) is None
    if not pattern or not found:
        return Question(question, question, frozenset(), first_person)
    named = frozenset(name for name in speakers if not found.isdisjoint(map(_key, _forms(name))))
    return Question(question, _without(question, pattern), named, first_person)


def _without(question: str, names: re.Pattern[str]) -> str:
    """The question without the names, unless nothing worth searching for is left."""
    bare = _SPACES.sub(" ", names.sub("", question)).strip()
    return bare if terms(bare) else question


def _key(form: str) -> str:
    """What two spellings of a name share: case and possessive endings do not count."""
    return _POSSESSIVE.sub("", " ".join(form.lower().split()))


@lru_cache(maxsize=10_000)
def _forms(name: str) -> tuple[str, ...]:
    """The full name and the first name, longest first; neither a title nor a single letter is a name."""
    words = name.split()
    while len(words) > 1 and words[0].lower().rstrip(".") in _TITLES:
        del words[0]
    return tuple(form for form in dict.fromkeys((" ".join(words), *words[:1])) if len(form) > 1)


@lru_cache(maxsize=1_000)
def _names_pattern(speakers: frozenset[str]) -> re.Pattern[str] | None:
    """Finds the names in a question, longer ones first."""
    forms = sorted({form for name in speakers for form in _forms(name)}, key=len, reverse=True)
    return re.compile("|".join(map(_form_pattern, forms))) if forms else None


def _form_pattern(form: str) -> str:
    """One form of a name, with its possessive; a script without spaces has no ends of words to look for."""
    spelled = r"\s+".join(map(re.escape, form.split()))
    if runs_together(form):
        return spelled
    flags = "" if form.lower() in _WORDS_TOO else "i"
    return rf"(?{flags}:(?<!\w){spelled}(?:['’][sS]?)?(?!\w))"
