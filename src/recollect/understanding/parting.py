"""Two sentences of notes that are the same but for one place: whether what stands there can be true of both; English.

The same-fact test ends what is contradicted, and so it is careful. Of notes somebody is asked, and so this is not: a
version, a number, a state, a frequency or a bound in the place of another is a contradiction, unless the number only
tells which one is meant ("step 3", "ticket 14"); so is a denial of the same words, and an order that is turned round.
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
        _classes(
            """
            passing, passed, pass, passes, green, succeeded, succeed, succeeds, successful
            |failing, failed, fail, fails, red, broken|skipped|flaky
            """
        ),
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
_SPANS = {
    word: word.removesuffix("s")
    for word in word_set(
        """
        second seconds minute minutes hour hours day days night nights week weeks month months quarter quarters
        year years
        """
    )
}
_RATE = word_set("every per each a an once twice")
"""Words before a span of time that tell how often, or how much in it."""
_ALL = word_set("everyone everybody anyone anybody all")
_NONE = ("nobody", "no one", "none")
_ORDERED = word_set(
    "over before after than instead depends depend replaces replaced calls blocks precedes to into beats"
)
"""Words between two things that do not hold the other way round."""
_NOT = word_set("not no never nicht kein keine keinen keinem keiner keines nie niemals ne pas jamais non")
_SMALL = _NOT | word_set("a an the any ein eine einen einem einer eines un une de des du")
_N_APOSTROPHE = re.compile(r"\bn['’]")
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
    after: tuple[str, ...]


Verdict = tuple[Literal["contradict", "compatible"], str]


def parted(older: str, newer: str) -> Verdict | None:
    """Whether the one difference of two sentences makes them contradict each other, and why.

    Nothing where they differ in something that this test does not know.
    """
    place = _place(older, newer)
    over = _is_over(older, newer)
    found = place and (_other_number(place, over=over) or _other_word(place) or _other_bound(place))
    found = found or _other_way_round(older, newer) or _denied(older, newer)
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


def _other_bound(place: _Place) -> Verdict | None:
    """Another span of time after "every", at most and at least, some only and everyone."""
    shown = f"{place.older} / {place.newer}"
    last, sides = place.before[-1] if place.before else "", {place.older, place.newer}
    spans = [_SPANS.get(side) for side in (place.older, place.newer)]
    if last in _RATE and None not in spans and spans[0] != spans[1]:
        return "contradict", f"other frequency: {last} {shown}"
    if (last == "at" and sides == {"most", "least"}) or sides == {"up to", "at least"}:
        return "contradict", f"other bound: {shown}"
    if place.after[:1] == ("than",) and "more" in sides and sides & {"less", "fewer"}:
        return "contradict", f"other bound: {shown}"
    return ("contradict", f"others: {shown}") if len(set(map(_whom, sides)) - {None}) > 1 else None


def _whom(side: str) -> str | None:
    """Whether a side is about everyone, nobody or some only."""
    words = side.split()
    if words[0] in _ALL and (len(words) == 1 or words[0] == "all"):
        return "all"
    return "none" if side in _NONE else "some" if words[0] == "only" and len(words) > 1 else None


def _other_way_round(older: str, newer: str) -> Verdict | None:
    """The same two things in the other order around a word for which that counts: "PostgreSQL over MySQL"."""
    one, other = _TOKEN.findall(older.lower()), _TOKEN.findall(newer.lower())
    start, end = _ends(one, other)
    here, there = one[start : len(one) - end], other[start : len(other) - end]
    if len(here) < 3 or here == there or [here[-1], *here[1:-1], here[0]] != there or not _ORDERED & set(here[1:-1]):
        return None
    return "contradict", f"the other way round: {' '.join(here)} / {' '.join(there)}"


def _denied(older: str, newer: str) -> Verdict | None:
    """The same words, of which one text denies what the other says; in other languages too."""
    one, other = (_TOKEN.findall(_N_APOSTROPHE.sub("ne ", text.lower())) for text in (older, newer))
    if [word for word in one if word not in _SMALL] != [word for word in other if word not in _SMALL]:
        return None
    denying = [sorted(_NOT & set(words)) for words in (one, other)]
    if bool(denying[0]) == bool(denying[1]):
        return None
    return "contradict", f"denied: {' '.join(denying[0] or denying[1])}"


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
    start, end = _ends(one, other)
    here, there = one[start : len(one) - end], other[start : len(other) - end]
    if not here or not there or max(len(here), len(there)) > _MOST_WORDS or start + end == 0:
        return None
    return _Place(" ".join(here), " ".join(there), tuple(one[:start]), tuple(one[len(one) - end :]))


def _ends(one: list[str], other: list[str]) -> tuple[int, int]:
    """How many words they have in common at their beginning, and of the rest at their end."""
    start = _shared(one, other)
    return start, _shared(one[start:][::-1], other[start:][::-1])


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
