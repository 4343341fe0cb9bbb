"""A statement as the same-fact test reads it: subject, verb, what is said, numbers, dates, negation and tense."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from recollect.core.temporal.words import MONTHS, WEEKDAYS
from recollect.core.terms import STOP_WORDS
from recollect.understanding.same_fact.words import (
    ADJUNCTS,
    AUXILIARIES,
    INTENDING,
    IRREGULAR,
    KEPT,
    LIGHT,
    MULTIPLES,
    NEGATIONS,
    NEGATIVE,
    NOT_VERBS,
    NUMBER_WORDS,
    PREPOSITIONS,
    UNITS,
    VERBS,
    canonical,
)

_ENDS = re.compile(
    r"\bno longer\b|\bnot\b[^.;]*\bany ?more\b|(?<!is )(?<!are )(?<!was )(?<!get )(?<!gets )(?<!got )\bused to\b"
    r"|(?<!not )\b(?:stopped|quit|gave up|given up|ceased) (?!at\b|by\b|in\b|to\b|for\b|on\b|over\b)\w+"
    r"|\b(?:formerly|previously|until recently)\b"
    r"|\bis (?:over|finished|discontinued|deprecated|obsolete|cancelled|canceled)\b"
    r"|(?<!not )\b(?:has |have )?(?:resigned|retired) from\b|(?<!not )\bmoved (?:away|out)\b|(?<!not )\bbroke up\b"
    r"|(?<!not )\b(?:cancelled|canceled|unsubscribed|dropped out)\b"
    r"|\bleft (?:the|her|his|their) (?:job|company|team|firm|club)\b"
    r"|\bended\b"
)
LEAVES = re.compile(r"\b(?:left|quit|resigned from|retired from|dropped out of)\b")
_STOPPED = re.compile(r"\b(?:stop(?:s|ped)|quits?|ceased|gave up|given up) (?=\w+ing\b)", re.IGNORECASE)
_STARTED = re.compile(r"\b(?:start(?:s|ed)|began|begins?|begun) (?:to (?=\w+)|(?=\w+ing\b))", re.IGNORECASE)
_USED_TO = re.compile(r"(?<!is )(?<!are )(?<!get )(?<!gets )\bused to\b", re.IGNORECASE)
_FUTURE = re.compile(r"\b(?:will|shall|going to|(?:plans?|planning|intends?|hopes?|aims?) to|is about to)\b")
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DATE = re.compile(
    rf"""
      \b(?P<iso>(?P<y>[12]\d{{3}})-(?P<m>\d\d)(?:-(?P<d>\d\d))?)\b
    | \b(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\ (?:of\ )?(?P<m1>{_MONTH})\b\.?(?:,?\ (?P<y1>[12]\d{{3}})\b)?
    | \b(?P<m2>{_MONTH})\.?\ (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\ (?P<y2>[12]\d{{3}})\b)?
    | \b(?P<m3>{_MONTH})\ (?P<y3>[12]\d{{3}})\b
    | (?<=\bin\ )(?P<m4>{_MONTH})\b | (?<=\bsince\ )(?P<m5>{_MONTH})\b | (?<=\bby\ )(?P<m6>{_MONTH})\b
    | (?<=\bin\ )(?P<y4>(?:19|20)\d\d)\b | (?<=\bsince\ )(?P<y5>(?:19|20)\d\d)\b | (?<=\bby\ )(?P<y6>(?:19
    20)\d\d)\b
    | \b(?P<w>{"|".join(WEEKDAYS)})s?\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CLOCK = re.compile(
    r"\b(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?\ ?(?P<half>am|pm|a\.m\.|p\.m\.)(?!\w)"
    r"|\b(?P<hour24>\d{1,2}):(?P<minute24>\d\d)\b|\b(?P<word>noon|midnight)\b|\b(?P<oclock>\d{1,2})\ o'clock\b",
    re.IGNORECASE,
)
_SPELLED = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_QUANTITY = re.compile(
    rf"""
      (?P<money>[€$£])?\ ?(?<![\w.])
      (?P<digits>
          \d+(?:,\d{{3}})+(?:\.\d+)? | \d+(?:\.\d+)? | (?:{_SPELLED})(?:[-\ ](?:{_SPELLED}))?\b
        | (?:a\ )?(?=hundred|thousand)
      )
      (?:\ ?(?P<multiple>hundred|thousand|million|billion|k)\b)?
      (?:[ -]?(?P<unit>%|€|£|°c?|[a-z]+))?
    """,
    re.VERBOSE | re.IGNORECASE,
)
# "Apollo 1" is a name; "lent Bob 50 euros" holds a sum.
_NUMBERED_NAME = re.compile(
    r"(?:^([A-Z][\w+#]*) (\d+(?:\.\d+)*)(?!\w|\.\d))"
    r"|\b([A-Z][\w+#]*) (\d+(?:\.\d+)*)(?!\w|\.\d|[ -]?(?:%|€|£))"
    r"(?! (?!(?:is|was|has|does)\b)(?:[a-z]+s|euro|dollar|pound|percent|[kmc]?[gml]|am|pm)\b)"
)
_PASSIVE = re.compile(r"\b(?:is|are|was|were|been|be|being) (?:\w+ly )?\w+ (?:\w+ )?by (?P<agent>[^,.;]+)")
_TOKEN = re.compile(r"[\w+#]+(?:[-'.&/][\w+#]+)*|[,;.:()]")
DIRECTION = re.compile(r"\b(over|than|instead of|rather than|from|before|after)\b")

Date = tuple[int | None, int | None, int | None, int | None]


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    """As written."""
    term: str
    """Its canonical stem; empty where it says nothing by itself."""
    gap: tuple[str, ...]
    """The small words and marks between it and the word before."""
    owner: bool = False

    @property
    def name(self) -> bool:
        return self.text[0].isupper() or any(map(str.isdigit, self.text))


@dataclass(frozen=True)
class Reading:
    """A statement taken apart."""

    text: str
    subject: tuple[Word, ...]
    said: tuple[Word, ...]
    verb: str
    """The main verb or auxiliary as written, in lower case; empty where none was found."""
    lower: str
    quantities: Mapping[str, frozenset[float]] = field(default_factory=dict)
    shown: Mapping[str, str] = field(default_factory=dict)
    """How each quantity was written."""
    dates: frozenset[Date] = frozenset()
    passive: bool = False

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(re.findall(r"[a-z']+", self.lower))

    @cached_property
    def negative(self) -> bool:
        """Whether an odd number of negations and opposites stands in it."""
        count = sum(word in NEGATIONS for word in re.findall(r"[a-z]+", self.lower))
        count += len(_STOPPED.findall(self.lower)) + bool(_USED_TO.search(self.lower))
        count += sum(word.term in NEGATIVE for word in self.said)
        return count % 2 == 1

    @cached_property
    def bag(self) -> frozenset[str]:
        """What is said, without who it is about; an opposite counts as what it negates."""
        return frozenset(NEGATIVE.get(word.term, word.term) for word in self.said if word.term)

    @cached_property
    def about(self) -> frozenset[str]:
        return frozenset(word.term for word in self.subject if word.term)

    @cached_property
    def head(self) -> str:
        """The last word of the subject before a preposition: "sister" of "Alice's sister in Rome"."""
        named = [word for word in self.subject if word.term]
        inner = [word for place, word in enumerate(named) if place and ADJUNCTS & set(word.gap) - {"and"}]
        stop = named.index(inner[0]) if inner else len(named)
        return named[stop - 1].term if named else ""

    @cached_property
    def heads(self) -> int:
        """How many things the subject joins with "and"."""
        return 1 + sum("and" in word.gap for word in self.subject[1:])

    @cached_property
    def people(self) -> frozenset[str]:
        """The names in the subject that own nothing: those that it is about."""
        return frozenset(word.term for word in self.subject if word.name and word.term and not word.owner)

    @cached_property
    def tense(self) -> str:
        if _FUTURE.search(self.lower):
            return "future"
        if "since" in self.words or re.search(r"\b(?:has|have) been \w+ing\b", self.lower):
            return "present"
        if self.verb in {"was", "were", "did", "had"} or _USED_TO.search(self.lower) or _PERFECT.search(self.lower):
            return "past"
        return "past" if _is_past(self.verb) else "present"

    @cached_property
    def lasting(self) -> bool:
        """Whether it tells a state of things rather than something that happened once."""
        return self.tense == "present" or bool(SETTLED.search(self.lower))


_PERFECT = re.compile(
    r"\b(?:has|have|had) (?:\w+ly |never |not |already )?"
    rf"(?:\w+ed|been|run|come|become|{'|'.join(IRREGULAR)})\b"
)
SETTLED = re.compile(
    r"\b(?:was|were|been|will be|is) (?:born|set|moved|scheduled|named|fixed|postponed|rescheduled|planned|due)\b"
    r"|\b(?:decided|agreed|settled)\b|\bwill (?:start|take place|begin|happen|be on|be at|be in)\b|\bis going to be\b"
)


def _is_past(verb: str) -> bool:
    return verb.endswith("ed") or (verb in IRREGULAR and verb not in VERBS)


_PHRASES = tuple(
    (re.compile(phrase, re.IGNORECASE), word)
    for phrase, word in (
        (r"\bworks as (?=an?\b)", "is "),
        (r"'s (?:goal|aim) is to\b", " wants to"),
        (r"\bcan not stand\b", "hates"),
        (r"\blikes ([^,.;]+?) (?:better|more) than\b", r"prefers \1 over"),
        (r"\bwould rather (?:(?:have|drink|eat|use|take|get) )?([^,.;]+?) than\b", r"prefers \1 over"),
        (r",? \bafter all\b", ""),
        (
            r"\b(?:(?:has|have|had) )?(?:abandoned|dropped|shelved|ditched|scrapped|given up|gave up) (?:on )?"
            r"(?:the|her|his|their|its|all|\w+'s) (?:\w+ )?(?:ideas?|plans?|goal|dream|hopes?|ambition) (?:of|to|for) ",
            "gave up ",
        ),
        (r"\b(?:(?:has|have|had) given|gave) up on (?=\w+ing\b)", "gave up "),
        (r"\bany more\b", "anymore"),
        (rf"\b(?:every|each) (?={'|'.join(WEEKDAYS)})", "on "),
    )
)


def plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", expanded(text).casefold()))


def expanded(text: str) -> str:
    """With straight quotes and without contractions of "not" and "will"."""
    text = " ".join(text.replace("’", "'").split())
    text = re.sub(r"\b([Cc])an(?:'t|not)\b", r"\1an not", text)
    text = re.sub(r"\b([Ww])on't\b", r"\1ill not", text)
    text = re.sub(r"(\w)n't\b", r"\1 not", text)
    for phrase, word in _PHRASES:
        text = phrase.sub(word, text)
    return re.sub(r"\b(\w+)'ll\b", r"\1 will", text)


@lru_cache(maxsize=4096)
def read(text: str) -> Reading:
    plain = expanded(text)
    undated, dates = _dates(plain)
    rest, clocks = _clocks(undated)
    rest = _NUMBERED_NAME.sub(lambda match: match[0].replace(" ", "_"), rest)
    rest, amounts = _amounts(rest)
    words = _words(_leading_last(_without_aspect(rest)))
    subject, verb, said = _cut(words)
    values: dict[str, set[float]] = {}
    shown: dict[str, str] = {}
    for label, value, written in [*clocks, *amounts]:
        values.setdefault(label, set()).add(value)
        shown[label] = written
    quantities = {label: frozenset(found) for label, found in values.items()}
    reading = Reading(text, subject, said, verb, undated.lower(), quantities, shown, dates)
    return _active(reading, plain)


def _without_aspect(text: str) -> str:
    """ "stopped drinking" and "started drinking" as "did drinking": what they say of it is read from the text."""
    return _STARTED.sub("did ", _STOPPED.sub("did ", text))


def _leading_last(text: str) -> str:
    """ "In the evening, Alice reads" as "Alice reads In the evening"."""
    match = re.match(r"((?:In|On|At|For|During|Since|After|Before|From|By|As)\b[^,]{0,60}),\s+(.+?)\.?$", text)
    return f"{match[2]} {match[1].lower()}" if match else text


def _dates(text: str) -> tuple[str, frozenset[Date]]:
    found: set[Date] = set()

    def taken(match: re.Match[str]) -> str:
        given = {name[0]: value.lower() for name, value in match.groupdict().items() if value}
        year, day = (int(given[part]) if part in given else None for part in "yd")
        found.add((year, _month(given.get("m")), day, WEEKDAYS.get(given.get("w", ""))))
        return " "

    return _DATE.sub(taken, text), frozenset(found)


def _month(written: str | None) -> int | None:
    if written is None:
        return None
    return int(written) if written.isdigit() else MONTHS[written]


_Amount = tuple[str, float, str]


def _clocks(text: str) -> tuple[str, list[_Amount]]:
    """Times of day, in minutes."""
    found: list[_Amount] = []

    def taken(match: re.Match[str]) -> str:
        found.append(("clock", _minutes(match), match[0]))
        return " "

    return _CLOCK.sub(taken, text), found


def _minutes(match: re.Match[str]) -> float:
    if match["word"]:
        return 720.0 if match["word"].lower() == "noon" else 0.0
    hour = int(match["hour"] or match["hour24"] or match["oclock"])
    if match["half"]:
        hour = hour % 12 + (12 if match["half"].lower().startswith("p") else 0)
    return hour * 60.0 + int(match["minute"] or match["minute24"] or 0)


def _amounts(text: str) -> tuple[str, list[_Amount]]:
    """Numbers with the unit, or with the noun that is counted; that noun stays in the text."""
    found: list[_Amount] = []

    def taken(match: re.Match[str]) -> str:
        value = _value(match["digits"].lower().replace(",", "").strip())
        value *= MULTIPLES.get((match["multiple"] or "").lower(), 1)
        word = (match["money"] or match["unit"] or "").lower()
        unit = UNITS.get(word) or UNITS.get(word.removesuffix("s"))
        written = match[0].strip()
        if unit:
            found.append((unit[0], value * unit[1], written))
            return " # " if not match["money"] else f" # {match['unit'] or ''}"
        found.append((canonical(word) if word not in STOP_WORDS else "", value, written))
        return f" # {match['unit'] or ''}"

    return _QUANTITY.sub(taken, re.sub(r"\b[Tt]wice\b", "2 times", text)), found


def _value(digits: str) -> float:
    if not digits or digits == "a":
        return 1.0
    if digits[0].isdigit():
        return float(digits)
    return float(sum(NUMBER_WORDS[part] for part in re.split("[- ]", digits)))


def _words(text: str) -> tuple[Word, ...]:
    """The words in order, each with the small words before it."""
    found: list[Word] = []
    gap: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        bare = re.sub(r"'s?$", "", token)
        low = bare.lower()
        if _is_small(low, token, first=not found and not gap):
            gap.append(low)
            continue
        letter = low if len(low) == 1 and token.isupper() else ""
        term = "" if low in LIGHT else canonical(low) or letter
        found.append(Word(bare or token, term, tuple(gap), owner=token != bare))
        gap = []
    return tuple(found)


def _is_small(low: str, token: str, *, first: bool) -> bool:
    if not any(map(str.isalnum, low)) or low == "#":
        return True
    if low in AUXILIARIES or low in KEPT:
        return False
    named = token[0].isupper() and not first and token not in {"I"}
    return low in NEGATIONS or (low in STOP_WORDS | PREPOSITIONS and not named)


def _cut(words: tuple[Word, ...]) -> tuple[tuple[Word, ...], str, tuple[Word, ...]]:
    """Who it is about, the verb, and what is said; auxiliaries count for nothing by themselves."""
    place = next((place for place in range(1, len(words)) if _begins_said(words, place)), None)
    if place is None:
        return words[:1], "", words[1:]
    verb = words[place].text.lower()
    return words[:place], verb, tuple(_bare(word) for word in words[place:])


def _begins_said(words: tuple[Word, ...], place: int) -> bool:
    word = words[place]
    if word.name:
        return False
    low = word.text.lower()
    if low in AUXILIARIES:
        return True
    following = words[place + 1] if place + 1 < len(words) else None
    if following and not following.gap and following.text.lower() in AUXILIARIES | VERBS:
        return False
    ends_so = low.endswith("s") and not low.endswith(("ss", "us")) and low not in NOT_VERBS and not word.owner
    return ends_so or low in VERBS or _is_past(low)


def _bare(word: Word) -> Word:
    return replace(word, term="") if word.text.lower() in AUXILIARIES | INTENDING else word


def _active(reading: Reading, plain: str) -> Reading:
    """ "The report was written by Alice" as Alice's doing."""
    match = _PASSIVE.search(plain)
    if not match:
        return reading
    agent = _words(match["agent"])
    names = {word.text for word in agent}
    if not agent or not agent[0].name:
        return reading
    said = tuple(word for word in reading.said if word.text not in names) + reading.subject
    return replace(reading, subject=agent[:1], said=said, passive=True)


def ends(newer: str) -> bool:
    """Whether a statement says that something no longer holds."""
    return _ENDS.search(expanded(newer).lower()) is not None
