"""Whether two statements in the third person say the same, contradict each other, or are two things; English.

An embedder finds statements that are near; what it cannot see is what makes them disagree: a "not", a number, a
date, a name, who did it to whom. This test looks at just those. A wrong merge loses knowledge, while a duplicate
only costs a line: whatever the rules below do not settle is "different", and both are kept.

How it reads: dates, clock times and quantities are taken out of the text and made comparable; the rest becomes
words with their stems, cut into who it is about and what is said. `compare` then asks its rules in order, and the
first one that knows answers.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Literal

from recollect.core.temporal.words import MONTHS, WEEKDAYS
from recollect.core.terms import STOP_WORDS, terms

Relation = Literal["same", "contradicts", "different"]

LEAST_SIMILARITY = 0.75
"""Below this similarity two statements are about different things, whatever their words."""
# A text of more characters is no statement.
_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """How two statements stand to each other."""

    relation: Relation
    reason: str
    """In a few words, for the history."""
    fuller: Literal["older", "newer"] = "newer"
    """Of two that say the same, the one that says more: its text is the one to keep."""


def compare(older: str, newer: str, *, similarity: float = 0.9) -> Verdict:
    """How the newer statement stands to the older one; `similarity` is calibrated, 0 to 1."""
    if _plain(older) == _plain(newer):
        return Verdict("same", "same words")
    if similarity < LEAST_SIMILARITY or max(len(older), len(newer)) > _LONGEST:
        return Verdict("different", "not near")
    pair = _Pair(_read(older), _read(newer), similarity)
    return next(verdict for rule in _RULES if (verdict := rule(pair)) is not None)


def ends(newer: str) -> bool:
    """Whether a statement says that something no longer holds."""
    return _ENDS.search(_expanded(newer).lower()) is not None


# --- Words --------------------------------------------------------------------------------------------------------


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_IRREGULAR = {
    past: base
    for line in """
        bought buy|brought bring|built build|came come|chose choose|chosen choose|did do|done do|drank drink
        drove drive
        driven drive|ate eat|eaten eat|fell fall|felt feel|flew fly|forgot forget|forgotten forget|found find
        gave give
        given give|went go|gone go|got get|had have|heard hear|held hold|kept keep|knew know|known know|led lead
        left leave
        lent lend|lost lose|made make|met meet|paid pay|put put|ran run|read read|said say|sold sell|sent send
        spent spend
        spoke speak|spoken speak|stood stand|swam swim|taught teach|took take|taken take|thought think|told tell
        understood understand|wore wear|won win|wrote write|written write|began begin|begun begin|grew grow
        became become
        forbidden forbid|saw see|seen see|broke break|broken break|sang sing|slept sleep|hid hide|hurt hurt
        cut cut|set set|caught catch
        shot shoot|quit quit|rode ride|drew draw|threw throw|fed feed|fought fight|sat sit
    """.replace("\n", "|").split("|")
    if line.strip()
    for past, base in [line.split()]
}
_PLURALS = {"children": "child", "people": "person", "men": "man", "women": "woman", "feet": "foot", "mice": "mouse"}
_SYNONYMS = """
    big large huge|small little tiny|buy purchase|car automobile|live reside based|move relocate
    job occupation profession
    begin start|finish complete|like love enjoy adore fond|help assist|doctor physician|kid child|film movie
    phone telephone|holiday vacation|flat apartment|fast quick rapid|mum mother mom|dad father|company firm
    decide decision choose pick select opt|allergic allergy|answer reply respond response|fix repair|bike bicycle
    use utilize|photo picture photograph|often frequently|every each|go travel|daily everyday|teach teacher
    own possess
    must obligatory mandatory|wedding marriage|write author|break fracture|error bug defect|show display
    build construct
    choice preference|main primary|money cash|sick ill|glad happy|afraid scared fear|smart clever|exercise workout
    meal dish|postgres postgresql|gift present|speak talk|football soccer|gather collect|intend plan|search lookup
    allow permit|forbid prohibit ban|vegetarian veggie|employ work|study student|drink drinker|smoke smoker
    ship release launch|delay postpone|require need|cook cooking|hike hiking|hobby pastime
"""
# A word, and the word that it denies.
_OPPOSITES = """
    dislike like|hate like|detest like|loathe like|avoid prefer|forbid allow|disable enable|deactivate activate
    reject accept|disagree agree|exclude include|fail succeed|unable able
    impossible possible|unavailable available|unsafe safe|unhealthy healthy|unhappy happy|optional must
    oppose support
    distrust trust|inactive active|offline online|illegal legal|incorrect correct|wrong correct|false true
    dead alive
    absent present|unpaid paid|incomplete complete|insecure secure|private public|decline accept
"""
# Opposites that may both have happened, one after the other.
_SUCCESSIVE = """
    sell buy|close open|leave arrive|fire hire|remove add|decrease increase|lower raise|forget remember|lose win
    lock unlock
    borrow return|disconnect connect|uninstall install
"""
# Of each line, one at a time can be true of a thing.
_EXCLUSIVE = """
    vegetarian vegan pescatarian omnivore|married single divorced widowed engaged|left right|dark light
    metric imperial
    window aisle|tab space|short long|big small|hot cold|early late|high low|full part|open closed|on off
    indoor outdoor
    red blue green yellow black white grey brown purple orange pink|introvert extrovert
    morning evening night afternoon
    formal informal casual|cheap expensive|easy difficult hard|fast slow|good bad|north south east west
    sweet savoury
    left-handed right-handed|full-time part-time|older younger|taller shorter|better worse|remote onsite
    weekly monthly daily yearly
"""
_HAVE = _set("has have having had")
_BE = _set("is are was were be been being am")
_AUXILIARIES = _BE | _HAVE | _set("does do did will shall can could must should may might would cannot needs used")
_VERBS = _set(
    "like love prefer want need use live work own go eat drink run play speak study teach learn know write read make"
    " take"
    " meet plan hope hate avoid keep drive ride cook bring get give buy sell start stop enjoy dislike think believe"
    " require allow forbid support agree decide visit"
)
_NOT_VERBS = _set("always sometimes perhaps besides its this sales news series towards across")
_INTENDING = _set("going plan plans planning intend intends intending aims aiming")
_KEPT = _set(
    "only off out up down more less most least before after until again other another under above below all same"
)
_LIGHT = _set(
    "really very quite also currently now still already actually certain thing please both just presently recently"
    " anymore longer new newly generally kind sort type lot lots much many person called named name"
    " instead rather way today nowadays together"
)
_NEGATIONS = _set("not never no neither nor without hardly nobody nothing none")
_CONDITIONS = _set("if unless except when whenever while but although only until before after almost nearly")
_FREQUENCIES = _set("always often sometimes usually rarely seldom occasionally regularly mostly daily weekly monthly")
_MODALITIES = {
    "must": _set("must should needs require required obliged mandatory"),
    "can": _set("can could able"),
    "may": _set("may might maybe perhaps possibly probably likely considering considers thinking"),
    "want": _set("want wants wanted wish wishes would hopes hope"),
}
_PREPOSITIONS = _set(
    "along across within near via since among onto behind beside per toward towards around during despite inside"
    " outside"
)
_ADJUNCTS = _PREPOSITIONS | _set("in at on as with because and of from by for to into which who")
_CAN_MODIFY = _set("big small little large nice good great old young favourite favorite local whole entire large")
_DETERMINERS = _set("a an the his her their its this that")
_MANY_VALUED = _set(
    "friend colleague sister brother cousin child son daughter hobby pet goal skill concern problem reason option idea"
    " allergy neighbour neighbor interest dream plan wish uncle aunt tool ingredient member customer client rule topic"
    " strength weakness risk issue bug error task advantage user student teacher"
)
_ATTRIBUTES = _set(
    "deadline colour color name job status language budget limit version owner lead manager capital title address"
    " birthday age height weight price cost salary size diet timezone pronoun nickname employer role position editor"
    " drink food dish sport season band author book film game animal theme"
)
_COUNTRIES = _set(
    "portugal spain france germany italy austria switzerland poland norway sweden denmark finland ireland england"
    " scotland"
    " wales britain uk usa us america canada mexico brazil argentina chile peru colombia india china japan korea"
    " thailand"
    " vietnam indonesia australia netherlands belgium greece turkey egypt morocco kenya nigeria russia ukraine romania"
    " hungary czechia croatia slovenia serbia bulgaria iceland israel iran iraq pakistan singapore malaysia philippines"
    " europe asia africa bavaria catalonia texas california florida tuscany scandinavia estonia latvia lithuania"
    " slovakia"
)
_NUMBER_WORDS = {
    word: number
    for number, word in enumerate(
        re.findall(
            r"\w+",
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
            " seventeen eighteen nineteen twenty",
        )
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "dozen": 12}
_MULTIPLES = {"hundred": 100, "thousand": 1000, "k": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_UNITS: dict[str, tuple[str, float]] = {
    unit: (dimension, factor)
    for dimension, table in {
        "mass": {"mcg": 1e-6, "mg": 1e-3, "g": 1.0, "gram": 1.0, "kg": 1000.0, "kilo": 1000.0, "lb": 453.6},
        "length": {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "metre": 1.0, "meter": 1.0, "km": 1e3, "kilometre": 1e3,
                   "kilometer": 1e3, "mile": 1609.0, "ft": 0.3048, "inch": 0.0254},
        "time": {"ms": 1e-3, "millisecond": 1e-3, "s": 1.0, "sec": 1.0, "second": 1.0, "min": 60.0, "minute": 60.0,
                 "h": 3600.0, "hr": 3600.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0},
        "span": {"month": 1.0, "year": 12.0, "yr": 12.0},
        "volume": {"ml": 1e-3, "l": 1.0, "litre": 1.0, "liter": 1.0},
        "data": {"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12},
        "percent": {"%": 1.0, "percent": 1.0},
        "euro": {"€": 1.0, "eur": 1.0, "euro": 1.0},
        "dollar": {"$": 1.0, "usd": 1.0, "dollar": 1.0},
        "pound": {"£": 1.0, "gbp": 1.0, "pound": 1.0},
        "degree": {"°c": 1.0, "°": 1.0, "degree": 1.0},
    }.items()
    for unit, factor in table.items()
}  # fmt: skip


def _stem(word: str) -> str:
    """The stem of a word whatever its spelling: "favourite" as "favorite", "organise" as "organize"."""
    base = _IRREGULAR.get(word) or _PLURALS.get(word, word)
    spelled = re.sub(r"is(e|ed|es|ing)$", r"iz\1", base) if len(base) > 6 else base
    found = terms(spelled) or ([spelled] if spelled in _KEPT else [])
    stem = "".join(found).replace("our", "or")
    return stem.rstrip("ei") if len(stem) > 4 else stem


def _classes(table: str) -> dict[str, str]:
    """Each stem of a line stands for the first of the line."""
    lines = [line.split() for line in table.replace("\n", "|").split("|") if line.strip()]
    return {_stem(word): _stem(line[0]) for line in lines for word in line}


_CANON = _classes(_SYNONYMS)


def _canonical(word: str) -> str:
    stem = _stem(word)
    return _CANON.get(stem, stem)


def _opposites(table: str) -> dict[str, str]:
    lines = [line.split() for line in table.replace("\n", "|").split("|") if line.strip()]
    return {_canonical(word): _canonical(other) for word, other in lines}


_NEGATIVE = _opposites(_OPPOSITES)
_AFTERWARDS = _opposites(_SUCCESSIVE)
_ONE_OF = {
    _canonical(word): place
    for place, line in enumerate(_EXCLUSIVE.replace("\n", "|").split("|"))
    for word in line.split()
}
_MANY = frozenset(map(_canonical, _MANY_VALUED))
_SINGLE = frozenset(map(_canonical, _ATTRIBUTES))
_CHOSEN = frozenset(map(_canonical, _set("favourite preferred main default current primary official usual best")))
_TIMED = frozenset(
    map(
        _canonical,
        _set(
            "due start end begin open close leave depart arrive land schedule set move plan happen fall expire take"
            " place"
            " born postpone reschedule launch run"
        ),
    )
)

# --- Reading ------------------------------------------------------------------------------------------------------

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
_LEAVES = re.compile(r"\b(?:left|quit|resigned from|retired from|dropped out of)\b")
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
_SPELLED = "|".join(sorted(_NUMBER_WORDS, key=len, reverse=True))
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
_DIRECTION = re.compile(r"\b(over|than|instead of|rather than|from|before|after)\b")

_Date = tuple[int | None, int | None, int | None, int | None]


@dataclass(frozen=True, slots=True)
class _Word:
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
class _Reading:
    """A statement taken apart."""

    text: str
    subject: tuple[_Word, ...]
    said: tuple[_Word, ...]
    verb: str
    """The main verb or auxiliary as written, in lower case; empty where none was found."""
    lower: str
    quantities: Mapping[str, frozenset[float]] = field(default_factory=dict)
    shown: Mapping[str, str] = field(default_factory=dict)
    """How each quantity was written."""
    dates: frozenset[_Date] = frozenset()
    passive: bool = False

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(re.findall(r"[a-z']+", self.lower))

    @cached_property
    def negative(self) -> bool:
        """Whether an odd number of negations and opposites stands in it."""
        count = sum(word in _NEGATIONS for word in re.findall(r"[a-z]+", self.lower))
        count += len(_STOPPED.findall(self.lower)) + bool(_USED_TO.search(self.lower))
        count += sum(word.term in _NEGATIVE for word in self.said)
        return count % 2 == 1

    @cached_property
    def bag(self) -> frozenset[str]:
        """What is said, without who it is about; an opposite counts as what it negates."""
        return frozenset(_NEGATIVE.get(word.term, word.term) for word in self.said if word.term)

    @cached_property
    def about(self) -> frozenset[str]:
        return frozenset(word.term for word in self.subject if word.term)

    @cached_property
    def head(self) -> str:
        """The last word of the subject before a preposition: "sister" of "Alice's sister in Rome"."""
        named = [word for word in self.subject if word.term]
        inner = [word for place, word in enumerate(named) if place and _ADJUNCTS & set(word.gap) - {"and"}]
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
        return self.tense == "present" or bool(_SETTLED.search(self.lower))


_PERFECT = re.compile(
    r"\b(?:has|have|had) (?:\w+ly |never |not |already )?"
    rf"(?:\w+ed|been|run|come|become|{'|'.join(_IRREGULAR)})\b"
)
_SETTLED = re.compile(
    r"\b(?:was|were|been|will be|is) (?:born|set|moved|scheduled|named|fixed|postponed|rescheduled|planned|due)\b"
    r"|\b(?:decided|agreed|settled)\b|\bwill (?:start|take place|begin|happen|be on|be at|be in)\b|\bis going to be\b"
)


def _is_past(verb: str) -> bool:
    return verb.endswith("ed") or (verb in _IRREGULAR and verb not in _VERBS)


_PHRASES = tuple(
    (re.compile(phrase, re.IGNORECASE), word)
    for phrase, word in (
        (r"\bworks as (?=an?\b)", "is "),
        (r"'s (?:goal|aim) is to\b", " wants to"),
        (r"\bcan not stand\b", "hates"),
        (r"\blikes ([^,.;]+?) (?:better|more) than\b", r"prefers \1 over"),
        (r"\bany more\b", "anymore"),
        (rf"\b(?:every|each) (?={'|'.join(WEEKDAYS)})", "on "),
    )
)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", _expanded(text).casefold()))


def _expanded(text: str) -> str:
    """With straight quotes and without contractions of "not" and "will"."""
    text = " ".join(text.replace("’", "'").split())
    text = re.sub(r"\b([Cc])an(?:'t|not)\b", r"\1an not", text)
    text = re.sub(r"\b([Ww])on't\b", r"\1ill not", text)
    text = re.sub(r"(\w)n't\b", r"\1 not", text)
    for phrase, word in _PHRASES:
        text = phrase.sub(word, text)
    return re.sub(r"\b(\w+)'ll\b", r"\1 will", text)


@lru_cache(maxsize=4096)
def _read(text: str) -> _Reading:
    plain = _expanded(text)
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
    reading = _Reading(text, subject, said, verb, undated.lower(), quantities, shown, dates)
    return _active(reading, plain)


def _without_aspect(text: str) -> str:
    """ "stopped drinking" and "started drinking" as "did drinking": what they say of it is read from the text."""
    return _STARTED.sub("did ", _STOPPED.sub("did ", text))


def _leading_last(text: str) -> str:
    """ "In the evening, Alice reads" as "Alice reads In the evening"."""
    match = re.match(r"((?:In|On|At|For|During|Since|After|Before|From|By|As)\b[^,]{0,60}),\s+(.+?)\.?$", text)
    return f"{match[2]} {match[1].lower()}" if match else text


def _dates(text: str) -> tuple[str, frozenset[_Date]]:
    found: set[_Date] = set()

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
        value *= _MULTIPLES.get((match["multiple"] or "").lower(), 1)
        word = (match["money"] or match["unit"] or "").lower()
        unit = _UNITS.get(word) or _UNITS.get(word.removesuffix("s"))
        written = match[0].strip()
        if unit:
            found.append((unit[0], value * unit[1], written))
            return " # " if not match["money"] else f" # {match['unit'] or ''}"
        found.append((_canonical(word) if word not in STOP_WORDS else "", value, written))
        return f" # {match['unit'] or ''}"

    return _QUANTITY.sub(taken, re.sub(r"\b[Tt]wice\b", "2 times", text)), found


def _value(digits: str) -> float:
    if not digits or digits == "a":
        return 1.0
    if digits[0].isdigit():
        return float(digits)
    return float(sum(_NUMBER_WORDS[part] for part in re.split("[- ]", digits)))


def _words(text: str) -> tuple[_Word, ...]:
    """The words in order, each with the small words before it."""
    found: list[_Word] = []
    gap: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        bare = re.sub(r"'s?$", "", token)
        low = bare.lower()
        if _is_small(low, token, first=not found and not gap):
            gap.append(low)
            continue
        letter = low if len(low) == 1 and token.isupper() else ""
        term = "" if low in _LIGHT else _canonical(low) or letter
        found.append(_Word(bare or token, term, tuple(gap), owner=token != bare))
        gap = []
    return tuple(found)


def _is_small(low: str, token: str, *, first: bool) -> bool:
    if not any(map(str.isalnum, low)) or low == "#":
        return True
    if low in _AUXILIARIES or low in _KEPT:
        return False
    named = token[0].isupper() and not first and token not in {"I"}
    return low in _NEGATIONS or (low in STOP_WORDS | _PREPOSITIONS and not named)


def _cut(words: tuple[_Word, ...]) -> tuple[tuple[_Word, ...], str, tuple[_Word, ...]]:
    """Who it is about, the verb, and what is said; auxiliaries count for nothing by themselves."""
    place = next((place for place in range(1, len(words)) if _begins_said(words, place)), None)
    if place is None:
        return words[:1], "", words[1:]
    verb = words[place].text.lower()
    return words[:place], verb, tuple(_bare(word) for word in words[place:])


def _begins_said(words: tuple[_Word, ...], place: int) -> bool:
    word = words[place]
    if word.name:
        return False
    low = word.text.lower()
    if low in _AUXILIARIES:
        return True
    following = words[place + 1] if place + 1 < len(words) else None
    if following and not following.gap and following.text.lower() in _AUXILIARIES | _VERBS:
        return False
    ends_so = low.endswith("s") and not low.endswith(("ss", "us")) and low not in _NOT_VERBS and not word.owner
    return ends_so or low in _VERBS or _is_past(low)


def _bare(word: _Word) -> _Word:
    return replace(word, term="") if word.text.lower() in _AUXILIARIES | _INTENDING else word


def _active(reading: _Reading, plain: str) -> _Reading:
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


# --- Rules --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Pair:
    older: _Reading
    newer: _Reading
    similarity: float

    @cached_property
    def only_older(self) -> frozenset[str]:
        return self.older.bag - self.newer.bag - self.newer.about

    @cached_property
    def only_newer(self) -> frozenset[str]:
        return self.newer.bag - self.older.bag - self.older.about

    @cached_property
    def extra(self) -> frozenset[str]:
        return self.only_older | self.only_newer

    @cached_property
    def one_sided(self) -> bool:
        """Whether at most one of them says something that the other does not."""
        return not (self.only_older and self.only_newer)

    @cached_property
    def share(self) -> float:
        """How much of the longer one both say."""
        longest = max(len(self.older.bag), len(self.newer.bag), 1)
        return len(self.older.bag & self.newer.bag) / longest

    @cached_property
    def aligned(self) -> bool:
        """Whether both say the same of the same, numbers, dates and "not" aside."""
        return self.one_sided and len(self.extra) <= 2 and (self.share >= 0.5 or not self.extra)

    @cached_property
    def dates_clash(self) -> bool:
        one, other = self.older.dates, self.newer.dates
        return bool(one and other) and not any(_agree(a, b) for a in one for b in other)

    @cached_property
    def numbers_clash(self) -> str | None:
        """The label under which both have numbers, but others."""
        one, other = self.older.quantities, self.newer.quantities
        return next((label for label in one if label in other and not _near(one[label], other[label])), None)


def _agree(one: _Date, other: _Date) -> bool:
    return all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))


def _near(one: frozenset[float], other: frozenset[float]) -> bool:
    """Equal but for what floating point makes of a conversion."""
    return len(one) == len(other) and all(
        abs(a - b) <= 1e-6 * max(abs(a), abs(b)) for a, b in zip(sorted(one), sorted(other), strict=True)
    )


def _same(reason: str, pair: _Pair) -> Verdict:
    dated = len(pair.older.dates) + len(pair.older.quantities) - len(pair.newer.dates) - len(pair.newer.quantities)
    more = (len(pair.only_older) - len(pair.only_newer), dated)
    return Verdict("same", reason, "older" if more > (0, 0) else "newer")


def _contradicts(reason: str) -> Verdict:
    return Verdict("contradicts", reason)


def _different(reason: str) -> Verdict:
    return Verdict("different", reason)


def _turned_round(pair: _Pair) -> Verdict | None:
    """ "Tea is Alice's favourite drink" and "Alice's favourite drink is tea"."""
    older, newer = pair.older, pair.newer
    copulas = older.verb == newer.verb and older.verb in {"is", "are", "was"}
    plain = older.negative == newer.negative and not older.quantities and not newer.quantities
    named = not (_under_preposition(older) or _under_preposition(newer))
    if copulas and plain and named and older.about == newer.bag and newer.about == older.bag and older.bag:
        return _same("same fact in other words", pair)
    return None


def _under_preposition(reading: _Reading) -> bool:
    """Whether "is" leads to a preposition: "is for Bob" names nothing that Bob is."""
    first = next((word for word in reading.said if word.term), None)
    return first is not None and bool(_ADJUNCTS & set(first.gap))


def _other_subject(pair: _Pair) -> Verdict | None:
    older, newer = pair.older, pair.newer
    if "?" in older.text + newer.text or bool(older.about) != bool(newer.about):
        return _different("about another")
    if older.heads != newer.heads or (older.people ^ newer.people and not _one_name(older, newer)):
        return _different("about another")
    apart = older.about - newer.about and newer.about - older.about
    if apart or (older.head != newer.head and not (older.people & newer.people)):
        return _different("about another")
    return None


def _one_name(older: _Reading, newer: _Reading) -> bool:
    """Whether one is called by more of the same name ("Alice", "Alice Miller"), or the heads agree."""
    some, more = sorted((older.people, newer.people), key=len)
    return some < more and (bool(some) or older.head == newer.head)


def _ended(pair: _Pair) -> Verdict | None:
    """The newer one says that what the older one tells is over."""
    older, newer = pair.older, pair.newer
    if not ends(newer.text) or ends(older.text) or older.negative or older.tense != "present":
        return _left(pair)
    core = older.bag - {_canonical(older.verb)}
    if older.bag <= newer.bag or (core and core <= newer.bag and _gave_up(older, newer)):
        return _contradicts("no longer")
    return _left(pair)


_GIVEN_UP = re.compile(
    r"\b(?:cancelled|canceled|gave up|given up|stopped|quit|dropped|unsubscribed|retired|resigned|moved)\b"
)
_HELD = _set("has have uses takes is works plays attends drinks eats subscribes goes lives studies runs smokes")


def _gave_up(older: _Reading, newer: _Reading) -> bool:
    return older.verb in _HELD and bool(_GIVEN_UP.search(newer.lower))


def _left(pair: _Pair) -> Verdict | None:
    """ "left Acme" ends "works at Acme", and says nothing about "likes Acme"."""
    frame = _frame(pair.older)
    if frame is None or frame.key not in {"employer", "school", "home"} or not _LEAVES.search(pair.newer.lower):
        return None
    if pair.newer.words & _NEGATIONS:
        return None
    return _contradicts("no longer") if frame.value <= pair.newer.bag and pair.older.tense == "present" else None


def _negated(pair: _Pair) -> Verdict | None:
    older, newer = pair.older, pair.newer
    if older.negative == newer.negative:
        return None
    alike = older.tense == newer.tense and _modality(older) == _modality(newer) and _conditions_agree(pair)
    if alike and _no_clash(pair) and (not pair.extra or _denies_part(pair)):
        return _contradicts("negated")
    return _different("one denies, of something else")


def _denies_part(pair: _Pair) -> bool:
    """ "not allergic to nuts" against "allergic to nuts and milk"."""
    asserted = pair.newer if pair.older.negative else pair.older
    more = [word for word in asserted.said if word.term in pair.extra]
    return pair.extra <= asserted.bag and len(more) == 1 and "and" in more[0].gap


def _no_clash(pair: _Pair) -> bool:
    return not pair.dates_clash and pair.numbers_clash is None and not pair.older.dates ^ pair.newer.dates


def _opposed(pair: _Pair) -> Verdict | None:
    """ "sold" after "bought": both happened; "is closed" and "is open" cannot both be."""
    for here, there in ((pair.only_older, pair.only_newer), (pair.only_newer, pair.only_older)):
        if any(_AFTERWARDS.get(term) in there for term in here):
            lasting = pair.older.lasting and pair.newer.lasting and len(pair.extra) == 2
            return _contradicts("opposite") if lasting else _different("opposite happenings")
    return None


def _swapped(pair: _Pair) -> Verdict | None:
    """The same words with their places changed: who lent whom, what is preferred over what."""
    if pair.extra:
        return None
    older, newer = _operands(pair.older), _operands(pair.newer)
    if older and newer and older[0] & newer[1] and older[1] & newer[0]:
        if not pair.older.lasting:
            return _different("the other way round")
        return _contradicts("the other way round")
    return None


def _operands(reading: _Reading) -> tuple[frozenset[str], frozenset[str]] | None:
    """What stands before and behind a word of direction: "tea" and "coffee" of "tea over coffee"."""
    text = reading.lower
    if "prefer" in text:
        text = re.sub(r"\bto\b", "over", text)
    marks = list(_DIRECTION.finditer(text))
    if not marks:
        return None
    mark = marks[-1]
    left, right = text[: mark.start()], text[mark.end() :]
    if mark[1] == "from" and " to " in right:
        left, _, right = right.partition(" to ")
    return frozenset(map(_canonical, re.findall(r"\w+", left))) - {""}, frozenset(
        map(_canonical, re.findall(r"\w+", right))
    ) - {""}


@dataclass(frozen=True, slots=True)
class _Frame:
    """An attribute that has one value at a time."""

    key: str
    value: frozenset[str]
    name: bool
    event: bool
    """Told as a change: true ever after, so that a later value does not make it false."""


_VALUE = (
    r"(?P<value>[^,.;]+?)(?=,|\.|;|$"
    r"| (?:in|at|on|as|for|with|since|and|near|to|because|instead|from|during|by|who|which)\b)"
)
_FRAMES: tuple[tuple[str, re.Pattern[str], bool], ...] = tuple(
    (key, re.compile(rf"\b(?:{pattern}) (?:the |an? |her |his |their )?{_VALUE}"), event)
    for key, pattern, event in (
        ("home", "(?:lives?|living|resides?|is based|is located|is headquartered) in", False),
        ("home", "(?:moved|relocated) (?:\\w+ )?to|has moved to", True),
        ("employer", "(?:works?|working|is employed) (?:at|for|by)", False),
        ("employer", "(?:started|began) (?:working )?(?:at|for)|took a job at", True),
        ("spouse", "is married to", False),
        ("manager", "reports to", False),
        ("school", "studies at|goes to school at|is enrolled at", False),
        ("name", "is (?:called|named)", False),
        ("home page", "is hosted (?:on|at)", False),
        ("written in", "is written in", False),
    )
)
_CHOICE = re.compile(
    r"\b(?:decided (?:to use|to go with|on|for)|(?:has )?chosen?|picked|selected|went with|settled on|opted for|uses?)"
    r" (?P<value>[^,.;]+?) (?:as|for) (?:the |an? |her |his |their |its )?"
    r"(?P<role>[^,.;]+?)(?: instead| now)?(?:[.,;]|$)"
)
_JOINED = re.compile(r"\bjoined (?P<value>[^,.;]+?) as an?\b")
_WORKS_AS = re.compile(r"\bworks? as an? (?P<value>[^,.;]+?)(?=[,.;]|$| (?:in|at|for|on)\b)")


def _frame(reading: _Reading) -> _Frame | None:
    plain = _expanded(reading.text)
    if reading.tense == "future":
        return None
    if match := _WORKS_AS.search(reading.text):
        return _framed("occupation", match["value"], event=False)
    for key, pattern, event in _FRAMES:
        if match := pattern.search(plain):
            return _framed(key, match["value"], event=event)
    if match := _JOINED.search(plain):
        return _framed("employer", match["value"], event=True)
    if match := _CHOICE.search(plain):
        role = " ".join(sorted(map(_canonical, re.findall(r"\w+", match["role"]))))
        return _framed(f"choice for {role}", match["value"], event=False)
    return None


def _framed(key: str, value: str, *, event: bool) -> _Frame:
    found = frozenset(term for word in re.findall(r"[\w+#]+", value) if (term := _canonical(word.lower())))
    return _Frame(key, found, value[0].isupper(), event)


def _other_value(pair: _Pair) -> Verdict | None:
    """Another value of an attribute that has one at a time."""
    if pair.older.negative or pair.newer.negative:
        return None
    older, newer = _frame(pair.older), _frame(pair.newer)
    if older and newer and older.key == newer.key:
        return _reframed(pair, older, newer)
    return _changed(pair) or _redecided(pair) or _attribute(pair) or _exclusive(pair)


def _reframed(pair: _Pair, older: _Frame, newer: _Frame) -> Verdict | None:
    of_many = older.key == "name" and pair.older.head in _MANY
    if older.value & newer.value or older.event or older.name != newer.name or of_many:
        return None
    if older.name and bool(older.value & _COUNTRY_TERMS) != bool(newer.value & _COUNTRY_TERMS):
        return _different("one place may lie in the other")
    told_apart = (pair.only_older - older.value) and (pair.only_newer - newer.value)
    if newer.event or (pair.older.tense == pair.newer.tense and not told_apart):
        return _contradicts("other value of the same attribute")
    return None


_COUNTRY_TERMS = frozenset(map(_canonical, _COUNTRIES))
_CHANGE = re.compile(r"\b(?:switched|changed|migrated|moved|went) from (?P<old>[^,.;]+?) to (?P<new>[^,.;]+)")
_INSTEAD = re.compile(r"\b(?:instead of|rather than|in place of) (?P<old>[^,.;]+)")


def _changed(pair: _Pair) -> Verdict | None:
    """The newer one names the older one's value as what was left behind."""
    plain = _expanded(pair.newer.text)
    match = _CHANGE.search(plain) or _INSTEAD.search(plain)
    if not match or not (pair.older.tense == "present" or _SETTLED.search(pair.older.lower)) or pair.older.negative:
        return _instead(pair)
    left = frozenset(term for word in re.findall(r"[\w+#]+", match["old"]) if (term := _canonical(word.lower())))
    verb = _canonical(pair.older.verb)
    core = pair.older.bag - {verb} - _CHOOSING
    if _CHANGE.search(pair.older.text) or _INSTEAD.search(pair.older.text):
        return None
    return _contradicts("switched") if left and core and core <= left | pair.newer.bag and left & core else None


_CHOOSING = frozenset(map(_canonical, _set("decide use go choose pick select settle opt work live rely run host")))


def _instead(pair: _Pair) -> Verdict | None:
    """ "decided to use MySQL instead" after "decided to use PostgreSQL"."""
    if not re.search(r"\binstead\b(?! of)", pair.newer.lower) or not pair.older.lasting:
        return None
    both = pair.older.bag & pair.newer.bag
    one_each = len(pair.only_older) <= 2 and len(pair.only_newer) <= 2
    return _contradicts("instead") if both & _CHOOSING and one_each and not pair.one_sided else None


_DECIDED_ONCE = re.compile(
    r"\b(?:decided|agreed|chose|settled) (?:to |on )?(?:spend|hold|host|go|travel|use|build|make|paint|deploy|run|launch"
    r"|ship|schedule|book|release|celebrate|name|call|start|store|write|move|put)"
)
_DEFINITE = re.compile(r"\b(?:the|this year's|next year's) (?P<thing>(?:[a-z]+ )?[a-z]+)\b")


def _redecided(pair: _Pair) -> Verdict | None:
    """ "decided to spend the summer holiday in Brittany" after "… in Wales": one decision about one thing."""
    older, newer = pair.older.lower, pair.newer.lower
    few = 0 < len(pair.only_older) <= 2 and 0 < len(pair.only_newer) <= 2
    if not few or not _DECIDED_ONCE.search(older) or not _DECIDED_ONCE.search(newer):
        return None
    things = {match["thing"] for match in _DEFINITE.finditer(older)} & {
        match["thing"] for match in _DEFINITE.finditer(newer)
    }
    return _contradicts("decided otherwise") if things else None


def _attribute(pair: _Pair) -> Verdict | None:
    """ "The database is PostgreSQL" and "The database is MySQL"; not "the room is big" and "the room is cold"."""
    older, newer = pair.older, pair.newer
    if older.verb != newer.verb or older.verb not in {"is", "are"} or pair.one_sided:
        return None
    subject = older.subject[-1] if older.subject else None
    if subject is None or subject.name or older.head in _MANY or older.bag & newer.bag:
        return None
    named = _first_is_name(older) and _first_is_name(newer)
    if named or older.head in _SINGLE or older.about & _CHOSEN:
        return _contradicts("other name" if named else "other value of the same attribute")
    return None


def _first_is_name(reading: _Reading) -> bool:
    first = next((word for word in reading.said if word.term), None)
    return first is not None and first.name


def _exclusive(pair: _Pair) -> Verdict | None:
    """ "is vegetarian" and "is pescatarian", "prefers dark mode" and "prefers light mode"."""
    if len(pair.only_older) != 1 or len(pair.only_newer) != 1 or "a" in _article_before(pair):
        return None
    (one,), (other,) = pair.only_older, pair.only_newer
    if _ONE_OF.get(one, -1) != _ONE_OF.get(other, -2) or not (pair.older.lasting and pair.newer.lasting):
        return None
    states = pair.older.verb in _BE or _canonical(pair.older.verb) in _PREFERRING
    return _contradicts("other value of the same attribute") if states and pair.older.verb == pair.newer.verb else None


_PREFERRING = frozenset(map(_canonical, _set("prefers wants keeps needs must")))


def _article_before(pair: _Pair) -> set[str]:
    """The articles in front of the words that differ, where the thing named is one of several."""
    if pair.older.verb in _BE:
        return set()
    return {"a" for word in pair.older.said if word.term in pair.only_older and {"a", "an"} & set(word.gap)}


def _other_number(pair: _Pair) -> Verdict | None:
    label = pair.numbers_clash
    if label is None:
        return None
    shown = f"{pair.older.shown[label]} / {pair.newer.shown[label]}"
    indefinite = re.search(r"\b(?:a|an|another) (?=\d)", pair.older.lower + " " + pair.newer.lower)
    lasting = pair.older.lasting and pair.newer.lasting and pair.older.tense == pair.newer.tense
    settles = lasting and pair.aligned and not pair.extra and not indefinite and not _dated_apart(pair)
    if label == "clock":
        settles = settles and _timed(pair.older)
    return _contradicts(f"other number: {shown}") if settles else _different(f"other number: {shown}")


def _dated_apart(pair: _Pair) -> bool:
    return pair.dates_clash or bool(pair.older.dates ^ pair.newer.dates)


def _timed(reading: _Reading) -> bool:
    """Whether it is about a thing that takes place at one time."""
    things = reading.subject and not reading.subject[-1].name
    born = "born" in reading.words or "birthday" in reading.words
    return born or (bool(things) and (reading.verb in _BE | {"will"} or bool(reading.bag & _TIMED)))


def _other_date(pair: _Pair) -> Verdict | None:
    if not pair.dates_clash:
        return None
    lasting = pair.older.lasting and pair.newer.lasting
    settles = lasting and not pair.extra and _timed(pair.older) and _timed(pair.newer)
    return _contradicts("other date") if settles else _different("other date")


def _other_tense(pair: _Pair) -> Verdict | None:
    if pair.older.tense != pair.newer.tense:
        return _different(f"{pair.older.tense} / {pair.newer.tense}")
    return None


def _other_mood(pair: _Pair) -> Verdict | None:
    if _modality(pair.older) != _modality(pair.newer):
        return _different("other certainty or duty")
    if not _conditions_agree(pair) or not _frequencies_agree(pair):
        return _different("under another condition")
    return None


def _modality(reading: _Reading) -> frozenset[str]:
    duty = "has to" in reading.lower or "have to" in reading.lower
    found = {kind for kind, words in _MODALITIES.items() if reading.words & words}
    return frozenset(found | ({"must"} if duty else set()))


def _conditions_agree(pair: _Pair) -> bool:
    return pair.older.words & _CONDITIONS == pair.newer.words & _CONDITIONS


def _frequencies_agree(pair: _Pair) -> bool:
    one, other = pair.older.words & _FREQUENCIES, pair.newer.words & _FREQUENCIES
    return not (one and other) or bool(one & other)


def _other_verb(pair: _Pair) -> Verdict | None:
    """ "has a doctor" is not "is a doctor", though "has an allergy" is "is allergic"."""
    verbs = {pair.older.verb, pair.newer.verb}
    if not (verbs & _HAVE and verbs & _BE) or pair.older.tense == "past":
        return None
    said = (*pair.older.said, *pair.newer.said)
    forms = {word.text.lower().rstrip("s") for word in said if word.term}
    return None if len(forms) > len(pair.older.bag | pair.newer.bag) else _different("is / has")


def _told_again(pair: _Pair) -> Verdict | None:
    """The words agree: the same, or the same with more detail."""
    older, newer = pair.older, pair.newer
    if not pair.one_sided:
        names = any(word.name and word.term in pair.extra for word in (*older.said, *newer.said))
        return _different("other name" if names else "something else is said")
    if not (older.bag & newer.bag) and (older.bag or newer.bag):
        return _different("something else is said")
    if _counts_apart(pair) or _roles_apart(pair):
        return _different("told of other things")
    if not pair.extra:
        return _same("same fact in other words", pair)
    return _same("same fact in more detail", pair) if _only_detail(pair) else _different("told more narrowly")


def _counts_apart(pair: _Pair) -> bool:
    """A bare count that only one of them has: "a cat" and "two cats"."""
    one, other = pair.older.quantities, pair.newer.quantities
    dimensions = {dimension for dimension, _ in _UNITS.values()} | {"clock"}
    return any(label not in dimensions for label in one.keys() ^ other.keys())


def _roles_apart(pair: _Pair) -> bool:
    """Whether the shared names stand in another order or behind another direction."""
    older, newer = pair.older, pair.newer
    orders = [[word.term for word in reading.said if word.name and word.term in pair.newer.bag & pair.older.bag]
              for reading in (older, newer)]  # fmt: skip
    joined = "and" in older.words and "and" in newer.words
    moved = orders[0] != orders[1] and not joined and not older.passive and not newer.passive
    facing = [_facing(older), _facing(newer)]
    turned = any(facing[0][term] != facing[1][term] for term in facing[0].keys() & facing[1].keys())
    owners = [{word.term for word in reading.said if word.owner} for reading in (older, newer)]
    shared = pair.older.bag & pair.newer.bag
    return moved or turned or bool((owners[0] ^ owners[1]) & shared and not pair.extra and older.verb == newer.verb)


_FACING = _set("from to for against behind under above")


def _facing(reading: _Reading) -> dict[str, str]:
    """Which way each word lies: "from Rome", "to Rome", "for Rome"."""
    words = (*reading.subject, *reading.said)
    return {word.term: min(_FACING & set(word.gap)) for word in words if _FACING & set(word.gap)}


def _only_detail(pair: _Pair) -> bool:
    """Whether what one says beyond the other only adds to it: where, with whom, since when."""
    longer = pair.older if pair.only_older else pair.newer
    if longer.negative or len(pair.extra) > _most_detail(pair.similarity):
        return False
    said = longer.said
    first = next((word for word in said if word.term and not _modifies(word)), None)
    if first is not None and first.term in pair.extra:
        return False
    return all(_adds(said, place, pair.extra) for place, word in enumerate(said) if word.term in pair.extra)


def _most_detail(similarity: float) -> int:
    """How many words one may have beyond the other: the nearer the embedder puts them, the more."""
    return 4 if similarity >= 0.92 else 3 if similarity >= 0.85 else 1


def _modifies(word: _Word) -> bool:
    """Whether a word only colours what follows: "a big dog", "usually works"."""
    low = word.text.lower()
    return (low in _CAN_MODIFY and bool(_DETERMINERS & set(word.gap))) or low.endswith("ly") or low in _FREQUENCIES


def _adds(said: tuple[_Word, ...], place: int, extra: Iterable[str]) -> bool:
    """Whether a word stands behind a preposition, is an adverb, or belongs to a phrase that does."""
    word = said[place]
    if _modifies(word):
        return True
    if {"and", "or"} & set(word.gap):
        return not word.name
    if _ADJUNCTS & set(word.gap) or "," in word.gap:
        # "in the garden shed" adds a place; "in the big Rome office" changes what "Rome office" was.
        following = said[place + 1] if place + 1 < len(said) else None
        return following is None or bool(following.gap) or not following.term or following.term in extra
    return place > 0 and said[place - 1].term in extra and not set(word.gap) and _adds(said, place - 1, extra)


_RULES: tuple[Callable[[_Pair], Verdict | None], ...] = (
    _turned_round, _other_subject, _ended, _negated, _opposed, _swapped, _other_value, _other_number, _other_date,
    _other_tense, _other_mood, _other_verb, _told_again,
)  # fmt: skip
