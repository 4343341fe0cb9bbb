"""Two sentences of notes that are the same but for one place: whether what stands there can be true of both; English.

The same-fact test ends what is contradicted, and so it is careful. Of notes somebody is asked, and so this is not: a
version, a number, a state or a frequency in the place of another is a contradiction, unless the number only tells
which one is meant ("step 3", "ticket 14").
"""

import re
from dataclasses import dataclass
from typing import Literal

from recollect.understanding.same_fact.reading import read
from recollect.understanding.same_fact.words import word_set

_TOKEN = re.compile(r"[\w]+(?:[.:/'’-]\w+)*")
_NUMBER = re.compile(r"v?\d[\d.,:]*(?:[a-z]{1,3}|%)?")
_MOST_WORDS = 3
"""Of the place in which they differ: what is longer says something else."""


def _classes(table: str) -> dict[str, str]:
    """Each phrase of a class stands for the first of it; classes are apart by "|", their phrases by commas."""
    lines = [[phrase.strip() for phrase in line.split(",")] for line in table.replace("\n", " ").split("|")]
    return {phrase: line[0] for line in lines for phrase in line}


# Of each table, a thing is in one class at a time.
_TABLES = {
    "state": (
        _classes("approved, accepted, granted, signed off|rejected, declined, denied, refused|under review"),
        _classes(
            """
            done, finished, completed, complete, resolved, fixed, merged, delivered, shipped|blocked, stuck
            |in progress, ongoing, underway, under way, started, being worked on|pending, waiting, open, todo, to do
            |planned|cancelled, canceled, dropped, abandoned|on hold, paused, postponed, deferred|not started
            |not done, unfinished, incomplete, unresolved|broken|closed|ready|reopened
            """
        ),
        _classes("passing, passed, green, succeeded, successful|failing, failed, red, broken|skipped|flaky"),
        _classes("healthy, up, online, running|unhealthy, down, offline, stopped|degraded"),
    ),
    "frequency": (
        _classes(
            """
            daily, every day, each day, once a day, nightly, every night|hourly, every hour|weekly, every week
            , once a week|monthly, every month, once a month|quarterly, every quarter|yearly, annually, every year
            |twice a day|twice a week|every minute|continuously|never|always|rarely|often
            """
        ),
    ),
}
_WHICH = word_set(
    """
    step phase stage part number no item task ticket issue pr mr bug story epic sprint week day iteration round area
    rack server node team room page line section chapter point idea note remark question case test scenario example
    option user customer order invoice commit run attempt try batch lot unit module milestone goal requirement build
    worker shard replica slot job entry row record figure table appendix lesson exercise exam problem
    """
)
"""Nouns whose number tells which one."""
_AT_THE_HEAD = word_set("version release")
"""The same, where the sentence begins with them."""
_ARTICLES = word_set("the a an our my his her their its this that each")
_VERSION = re.compile(r"\b([A-Z][A-Za-z+#]*) v?(\d+(?:\.\d+)*)\b")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where two sentences differ, and the words before it."""

    older: str
    newer: str
    before: tuple[str, ...]


Verdict = tuple[Literal["contradict", "compatible"], str]


def parted(older: str, newer: str) -> Verdict | None:
    """Whether the one difference of two sentences makes them contradict each other, and why.

    Nothing where they differ in something that this test does not know.
    """
    place = _place(older, newer)
    over = _is_over(older, newer)
    found = place and (_other_number(place, over=over) or _other_word(place))
    return found or (None if over else _other_version(older, newer))


def _other_number(place: _Place, *, over: bool) -> Verdict | None:
    if not _NUMBER.fullmatch(place.older) or not _NUMBER.fullmatch(place.newer):
        return None
    shown = f"{place.older} / {place.newer}"
    if _tells_which(place.before):
        return "compatible", f"another one: {shown}"
    return None if over else ("contradict", f"other number: {shown}")


def _other_word(place: _Place) -> Verdict | None:
    """Another state or frequency, or the same one; "the daily report" and "the weekly report" are two."""
    shown = f"{place.older} / {place.newer}"
    for name, tables in _TABLES.items():
        for table in tables:
            one, other = table.get(place.older), table.get(place.newer)
            if one and other:
                named = place.before and place.before[-1] in _ARTICLES
                return ("compatible", shown) if one == other or named else ("contradict", f"other {name}: {shown}")
    return None


def _other_version(older: str, newer: str) -> Verdict | None:
    """Another version of the same thing, wherever the two name it: "runs on PostgreSQL 14", "PostgreSQL 16 is used"."""
    one, other = _versions(older), _versions(newer)
    for name in sorted(one.keys() & other.keys()):
        if not one[name] & other[name]:
            return "contradict", f"other version: {name} {min(one[name])} / {min(other[name])}"
    return None


def _versions(text: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, number in _VERSION.findall(text):
        if name.lower() not in _WHICH | _AT_THE_HEAD:
            found.setdefault(name, set()).add(number)
    return found


def _place(older: str, newer: str) -> _Place | None:
    one, other = _TOKEN.findall(older.lower()), _TOKEN.findall(newer.lower())
    start = _shared(one, other)
    end = _shared(one[start:][::-1], other[start:][::-1])
    here, there = one[start : len(one) - end], other[start : len(other) - end]
    if not here or not there or max(len(here), len(there)) > _MOST_WORDS or start + end == 0:
        return None
    return _Place(" ".join(here), " ".join(there), tuple(one[:start]))


def _shared(one: list[str], other: list[str]) -> int:
    """How many words they begin with in common."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _tells_which(before: tuple[str, ...]) -> bool:
    return bool(before) and (before[-1] in _WHICH or (len(before) == 1 and before[0] in _AT_THE_HEAD))


def _is_over(older: str, newer: str) -> bool:
    """Whether either tells of something that happened: both may have."""
    return any(read(text).tense == "past" or _DID.match(text) is not None for text in (older, newer))


_DID = re.compile(r"\w+ed\b|(?:ran|wrote|made|built|found|got|took|sent|met|saw)\b", re.IGNORECASE)
