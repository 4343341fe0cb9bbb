"""The time that a question names, as an interval; English only.

A question that names no time, or only seems to ("Does Summer like tea?"), gives None. Wherever two readings
are possible the wider one is taken, or none: an interval too wide costs a little order among the hits, one
too narrow hides the answer.

How it reads: the question is cut into items, each tagged with what it may mean; three tables of rules fold
neighbouring items into times (dates first, then what leans on them: "last", "the first week of", "ago", then
ranges); last, each time is read with the preposition before it and the word after it. A month, a year, a
weekday, a season or a holiday is often a name or half of one ("May", "Blade Runner 2049", "Sunday roast"):
each counts only behind a preposition that suits it, and only if no noun follows.

Choices that the words leave open:

- 3/5/2024 is month first in the zones of the United States and in Manila, day first elsewhere.
- "the last three weeks", "the past month": from that long before today to the end of today.
- "a few" is two to six, "several" three to ten, "around" and "about" reach one unit further on both sides.
- "until X" and "by X" include X. "since the move in March" begins where March does, and "before the move in
  March" ends where March does: the event lies somewhere inside.
- A weekday, date, month, season or holiday without a year is the most recent one; in a question that looks
  ahead ("What should I bring on Friday?") the next one; in the plain present ("Which birthdays are in
  March?") it recurs and names no time. "winter 2023" begins in December 2023.
- Two times in one question: the interval that spans both ("more in March or in April?"); if one of them is
  open ("after March and before June") what they share.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import Enum, auto
from functools import lru_cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class Interval:
    """A stretch of time in UTC that includes `since` and excludes `until`; None is open on that side."""

    since: datetime | None
    until: datetime | None

    def holds(self, at: datetime) -> bool:
        """Whether the instant lies inside."""
        return (self.since is None or self.since <= at) and (self.until is None or at < self.until)


def named_time(question: str, now: datetime, timezone: str) -> Interval | None:
    """The time that an English question names, for a user in an IANA time zone; None where it names none.

    `now` is the instant of asking, with an offset. An unknown zone raises what `ZoneInfo` raises.
    """
    if len(question) > _LONGEST:
        return None
    words = _WORDS.findall(question.lower())
    if _TRIGGERS.isdisjoint(words):
        return None
    zone = ZoneInfo(timezone)
    try:
        asked = _asked(frozenset(words), now, zone, timezone)
        reading = _merged(_readings(_parsed(question, asked), asked))
        return None if reading is None else _interval(reading, zone)
    except (OverflowError, ValueError):
        # Beyond the calendar, such as the end of the year 9999: no memory is there to be found.
        return None


# In characters. Beyond it stands a pasted text, whose many dates say nothing about what is asked.
_LONGEST = 2000


# ---------------------------------------------------------------- values


class _Span(NamedTuple):
    """A half-open stretch on the local clock, without zone."""

    start: datetime
    end: datetime


class _Reading(NamedTuple):
    """A span that may be open on a side."""

    start: datetime | None
    end: datetime | None


class _Recent(Enum):
    """Which occurrence of something that comes round again is the most recent one."""

    STARTED = auto()
    BEFORE_TODAY = auto()
    OVER = auto()


class _Tense(Enum):
    PAST = auto()
    PRESENT = auto()
    FUTURE = auto()


@dataclass(frozen=True, slots=True)
class _Asked:
    """The circumstances of the question."""

    now: datetime
    """On the local clock; `fold` tells the two passes of a repeated hour apart."""
    zone: ZoneInfo
    tense: _Tense
    habitual: bool
    """Asks for what is usual, not for one time."""
    fiction: bool
    """Speaks of books or films, whose titles may be years."""
    month_first: bool

    @property
    def today(self) -> datetime:
        return self.now.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)

    def moved(self, step: timedelta) -> datetime:
        """The local clock after real time has passed, whatever the clock did meanwhile."""
        instant = self.now.replace(tzinfo=self.zone).astimezone(UTC) + step
        return instant.astimezone(self.zone).replace(tzinfo=None)


@dataclass(frozen=True, slots=True)
class _Time:
    """A time that words name, perhaps one that comes round again and is not settled yet."""

    at: Callable[[int], _Span | None]
    """The occurrence so many periods from the present one; some have none, such as 29 February."""
    unit: str
    period: float = 0
    """Days from one occurrence to the next; 0: there is one only."""
    recent: _Recent = _Recent.STARTED
    last: _Recent = _Recent.STARTED
    """What "last" makes of `recent`."""
    cues: frozenset[str] | None = None
    """The words one of which must stand before it; None: it needs none."""
    guarded: bool = False
    """Whether a noun that follows would make it part of a name."""
    personal: bool = False
    """Whether it is a given name too."""


@dataclass(frozen=True, slots=True)
class _Item:
    """A word, a mark, or several of them folded into one meaning."""

    text: str
    """In lower case, but for words of a title; empty once folded."""
    tags: Mapping[str, Any]
    """What rules can match, each with its value."""
    glued: bool = False
    """Whether no space parts it from the item before."""


# ---------------------------------------------------------------- words


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}
_GIVEN_NAMES = _set("jan march mar april may june august")
# In lower case these are a verb or a noun more often than a month.
_LOWER_CASE_WORDS = _set("may march mar")
_WEEKDAYS = {
    name: number
    for number, name in enumerate(
        "monday tuesday wednesday thursday friday saturday sunday".split()  # noqa: SIM905
    )
}
_SHORT_WEEKDAYS = {
    "mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4, "sat": 5, "sun": 6,
}  # fmt: skip
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_UNITS = {
    "day": "day", "night": "night", "week": "week", "weekend": "weekend", "fortnight": "fortnight",
    "month": "month", "quarter": "quarter", "year": "year",
    "hour": "hour", "hr": "hour", "minute": "minute", "min": "minute",
}  # fmt: skip
_PARTS = {"morning": (5, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}
_NUMBERS = {
    word: (number, number)
    for number, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve".split(),  # noqa: SIM905
        start=1,
    )
} | {
    "a": (1, 1), "an": (1, 1), "couple": (2, 2), "few": (2, 6), "several": (3, 10), "fourteen": (14, 14),
    "fifteen": (15, 15), "eighteen": (18, 18), "twenty": (20, 20), "thirty": (30, 30), "fifty": (50, 50),
}  # fmt: skip
_ORDINALS = {
    word: number
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(),  # noqa: SIM905
        start=1,
    )
}
_HOLIDAYS = (
    ("christmas eve", 12, 24, 1),
    ("christmas day", 12, 25, 1),
    ("christmas|xmas", 12, 24, 3),
    ("boxing day", 12, 26, 1),
    ("new year|years eve", 12, 31, 1),
    ("new year|years day", 1, 1, 1),
    ("new year|years", 12, 31, 2),
    ("valentine|valentines day", 2, 14, 1),
    ("st|saint .? patrick|patricks day", 3, 17, 1),
    ("april fool|fools '? day", 4, 1, 1),
    ("may day", 5, 1, 1),
    ("juneteenth", 6, 19, 1),
    ("independence day", 7, 4, 1),
    ("bastille day", 7, 14, 1),
    ("halloween", 10, 31, 1),
    ("bonfire night", 11, 5, 1),
    ("veterans '? day", 11, 11, 1),
    ("armistice day", 11, 11, 1),
)

_OWNERS = _set("my your his her our their its whose")
_NEVER_OWNERS = _set("what who where how that it there here let when he she everything")
# With a capital inside a question these belong to a title ("Last Christmas", "The Day After Tomorrow").
_RELATIVE = _set(
    "last this next past since before after until till yesterday today tomorrow tonight ago early mid late"
    " earlier later coming current"
)

_RELATIVES = _set("last this next past coming early mid late")
_BOUNDS = _set("since before after until till by around from")
_MONTH_CUES = _BOUNDS | _RELATIVES | _set("in during throughout of over")
_PERSONAL_MONTH_CUES = _MONTH_CUES - _set("of from")
_LOWER_MONTH_CUES = _set("in during last early mid late")
_YEAR_CUES = _BOUNDS | _set("in during throughout early mid late over")
# Behind these a bare weekday is an adverb ("What did we do Saturday?"), not an object ("watch Wednesday").
_LOOSE = _set("do did go went eat ate say said happen happened here there out home together work him them us me")
_WEEKDAY_CUES = _BOUNDS | _RELATIVES | _LOOSE | _set("on")
_OWN_DAY_CUES = _set("in at during from since before after")
_SEASON_CUES = _BOUNDS | _RELATIVES | _set("in during throughout over")
_NAMED_SEASON_CUES = _RELATIVES | frozenset(f"the {cue}" for cue in _SEASON_CUES - _RELATIVES)
_FALL_CUES = _set("in last this next early mid late") | {"the in", "the during", "the over"}
_HOLIDAY_CUES = _BOUNDS | _RELATIVES | _set("on at over during")
_WEEKEND_CUES = _BOUNDS | _set("on at over during")
_DAY_CUES = _BOUNDS | _set("on")
_PLAIN_CUES = _set("in on at over during since before after until till by for throughout within")

_PAST_WORDS = _set(
    "did didn was wasn were weren had hadn been has hasn haven ve said told went gone came got gave took"
    " made saw seen met thought knew felt found left bought brought ate drank read wrote spoke spent sent"
    " kept held heard became began ran sat stood slept lost paid won chose drove flew fell grew taught"
    " caught wore built learnt"
)
_FUTURE_WORDS = _set(
    "will ll shall should must going gonna need needs tomorrow upcoming planned scheduled due am tonight"
)
_PRESENT_WORDS = _set("do does is are s can could would might don doesn isn aren")
_NO_PAST = _set("need indeed hundred speed breed planned scheduled exceed proceed succeed supposed embed naked sacred")
_HABITUAL_WORDS = _set("usually always normally typically generally tend whenever traditionally born")
_FICTION_WORDS = _set("book books novel novels chapter character characters author plot film movie orwell read reading")
_TITLE_YEARS = (1917, 1984, 2001)

# What may follow a weekday, a month, a year and the like without making a name with it: the small words, and
# the verbs in which a question ends ("How did the viewing in May go?"). Any other word may be a noun.
_FOLLOWERS = _set(
    "a about above after again against all alone already also although am an and any are aren around as"
    " asking at away back be because been before being below between both but by can could did didn do"
    " does doing during each either else even ever every for from had has have he her here him his how i"
    " if in including inside into instead is isn it its just me more most my myself near no nor not now of"
    " off on once one only onto or our out outside over please regarding same shall she should since so"
    " some somewhere still such than that the their them then there these they this those though through"
    " till to together today tonight too two under until up upon us versus very via vs was wasn we were"
    " weren what whatever when where whether which while who whom whose why will with within without would"
    " yesterday yet you your affect amount appear arrive be become begin bring call change come compare"
    " concern contain cost cover differ end ended feel finish fit get give go happen happened help improve"
    " include involve know last lead leave look make matter mean need play pan pay perform read remind"
    " require run say seem show sound start started stop take taste teach tell turn use want went work"
    " worked"
)
_STOPS = frozenset("?.,;:!)]\"'…–—|") | {"..."}
_ROUTINES = _set("work bed breakfast brunch lunch dinner supper school class church practice sunset sunrise dark")
_PHRASAL = _set("look looked looking looks named ask asked asking")
_DOERS = _set("book novel song poem painting film letter email gift album written made done sung taught sent")
_GOVERNORS = _set(
    "talk say said tell told think thought ask complain write wrote happy sad angry upset anxious nervous"
)
_TRUSTS = _set("interested believe believed confide confided trust faith confidence")

_OTHER_TRIGGERS = _set(
    "yesterday today tomorrow tonight xmas valentine valentines patrick patricks juneteenth halloween christmas"
)
_TRIGGERS = (
    frozenset("0123456789")
    | frozenset(_MONTHS)
    | frozenset(_WEEKDAYS)
    | frozenset(_SHORT_WEEKDAYS)
    | frozenset(_SEASONS)
    | frozenset(_UNITS)
    | frozenset(_PARTS)
    | frozenset(f"{word}s" for word in (*_UNITS, *_WEEKDAYS, *_SEASONS))
    | _OTHER_TRIGGERS
)

_UNITED_STATES = _set(
    "Adak Anchorage Boise Chicago Denver Detroit Indianapolis Juneau Los_Angeles Menominee Metlakatla"
    " New_York Nome Phoenix Sitka Yakutat Shiprock Louisville Fort_Wayne"
)
_MONTH_FIRST = re.compile(
    rf"America/(?:{'|'.join(sorted(_UNITED_STATES))}|Indiana/.+|Kentucky/.+|North_Dakota/.+)"
    r"|US/.+|Pacific/Honolulu|Asia/Manila|[ECMP]ST\d?[ECMP]?D?T?"
)


# ---------------------------------------------------------------- items

_WORDS = re.compile(r"[a-z]+|[0-9]")
_QUOTED = re.compile(
    r"\"[^\"]{1,80}\"|“[^”]{1,80}”|(?<!\w)['‘][^'’‘]{1,80}['’](?!\w)|(?<!\w)\*[^*]{1,80}\*|(?<!\w)_[^_]{1,80}_(?!\w)"
)
_TOKEN = re.compile(
    r"""
      (?<![\w/.-]) (?:
        (?P<iso>[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:T[0-9:.+-]+Z?)?|[0-9]{4}(?P<s>[/.])[0-9]{1,2}(?P=s)[0-9]{1,2})
      | (?P<numeric>[0-9]{1,2}(?P<t>[-/.])[0-9]{1,2}(?P=t)[0-9]{4}|[0-9]{1,2}/[0-9]{1,2}/[0-9]{2})
      | (?P<split>[0-9]{4}/[0-9]{2})
      | (?P<short>[0-9]{1,2}/[0-9]{1,2})
      | (?P<month>[0-9]{4}-(?:0[1-9]|1[0-2]))
      ) (?![\w/-])
    | (?P<fraction>[0-9]+(?:[.:][0-9]+|,[0-9]{3}(?![0-9]))+\w*)
    | (?P<years>(?<!\w)'[0-9]{2}(?!\w))
    | (?P<abbreviation>\b(?i:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.(?=\s*[0-9]))
    | (?P<word>\w+(?:'\w+)*)
    | (?P<mark>\S)
    """,
    re.VERBOSE,
)
_ORDINAL_DAY = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th)")
_DECADE = re.compile(r"((?:19|20)[0-9]0)s")
_QUARTER = re.compile(r"q([1-4])")
_HALF_YEAR = re.compile(r"h([12])")
_SENTENCE_START = _set('. ? ! : " “ ( -')


class _Case(NamedTuple):
    """What capitals can say in this question."""

    tells: bool
    """False for shouted questions and Questions Like This."""
    lower: bool
    """Written without capitals."""


def _case(text: str) -> _Case:
    words = [word for word in re.findall(r"[^\W\d_]+", text) if word != "I"]
    capitals = sum(word[0].isupper() for word in words)
    return _Case(tells=capitals <= 0.6 * len(words), lower=capitals == 0)


def _without_titles(text: str) -> str:
    """The question with each quoted title made one mark; a question quoted as a whole keeps its words."""
    text = text.strip().strip('"“”')
    return _QUOTED.sub(" § ", text.replace("’", "'"))


def _items(question: str) -> list[_Item]:
    text = _without_titles(question)
    case = _case(text)
    items: list[_Item] = []
    end = -1
    for match in _TOKEN.finditer(text):
        first = not items or items[-1].text in _SENTENCE_START
        items.append(_item(match, match.start() == end, first, case))
        end = match.end()
    return items


def _item(match: re.Match[str], glued: bool, first: bool, case: _Case) -> _Item:
    kind, text = str(match.lastgroup), match.group()
    if kind == "word":
        return _word(text, glued, first, case)
    if kind == "abbreviation":
        return _word(text.removesuffix("."), glued, first, case)
    tags: dict[str, Any] = {text: None}
    if kind == "mark":
        tags["MARK"] = None
    elif kind in _NUMERALS:
        name, value = _NUMERALS[kind](text)
        tags[name] = value
    return _Item(text, tags, glued)


def _integers(text: str) -> tuple[int, ...]:
    return tuple(int(digits) for digits in re.findall("[0-9]+", text))


_NUMERALS: Mapping[str, Callable[[str], tuple[str, Any]]] = {
    "iso": lambda text: ("DATE", _integers(text)[:3]),
    "numeric": lambda text: ("NUMERIC", (*_integers(text), "/" in text)),
    "split": lambda text: ("SPLIT", int(text[:4])),
    "short": lambda text: ("SHORT", _integers(text)),
    "month": lambda text: ("YEARMONTH", _integers(text)),
    "years": lambda text: ("SHORTYEAR", 2000 + int(text[1:])),
}


def _word(written: str, glued: bool, first: bool, case: _Case) -> _Item:
    text = written.lower()
    owner = text.endswith("'s")
    text = text.removesuffix("'s")
    capital = written[0].isupper()
    title = capital and not first and case.tells
    if title and text in _RELATIVE:
        return _Item(written, {}, glued)
    tags: dict[str, Any] = {text: None}
    if title and (text in _UNITS or text in _PARTS):
        return _Item(text, tags, glued)
    if text in _OWNERS or (owner and text not in _NEVER_OWNERS and text not in _TRIGGERS):
        tags["OWNER"] = None
    if text[0].isdigit():
        _tag_number(text, tags)
    elif owner:
        _tag_owner(text, tags)
    else:
        _tag_name(text, capital, case, tags)
    _tag_word(text, tags)
    return _Item(text, tags, glued)


def _tag_number(text: str, tags: dict[str, Any]) -> None:
    if match := _ORDINAL_DAY.fullmatch(text):
        tags["ORDINAL"] = tags["DAYTH"] = int(match[1])
        if 1 <= int(match[1]) <= 31:
            tags["DAY"] = int(match[1])
    elif match := _DECADE.fullmatch(text):
        tags["DECADE"] = int(match[1])
    elif text.isdecimal() and text.isascii() and len(text) <= 4:
        number = int(text)
        tags["NUMBER"] = (number, number)
        if 1 <= number <= 31 and len(text) <= 2:
            tags["DAY"] = number
        if 1900 <= number < 2200:
            tags["YEAR"] = number


def _tag_owner(text: str, tags: dict[str, Any]) -> None:
    """ "Monday's meeting" was on Monday; "March's full name" is a person's."""
    if text in _WEEKDAYS:
        tags["OWNDAY"] = _WEEKDAYS[text]


def _tag_name(text: str, capital: bool, case: _Case, tags: dict[str, Any]) -> None:
    if text in _MONTHS:
        tags["MONTH"] = (_MONTHS[text], _month_cues(text, capital, case), text in _GIVEN_NAMES)
    if text in _WEEKDAYS:
        tags["WEEKDAY"] = _WEEKDAYS[text]
    elif text in _SHORT_WEEKDAYS and capital:
        tags["WEEKDAY"] = _SHORT_WEEKDAYS[text]
    elif text.removesuffix("s") in _WEEKDAYS:
        tags["WEEKDAYS"] = _WEEKDAYS[text.removesuffix("s")]
    if text in _SEASONS:
        tags["SEASON"] = (_SEASONS[text], _season_cues(text, capital and case.tells))
    elif text.removesuffix("s") in _SEASONS:
        tags["SEASONS"] = _SEASONS[text.removesuffix("s")]
    elif match := _QUARTER.fullmatch(text):
        tags["QUARTER"] = int(match[1])
    elif match := _HALF_YEAR.fullmatch(text):
        tags["HALF"] = int(match[1])


def _month_cues(text: str, capital: bool, case: _Case) -> frozenset[str]:
    if not capital and text in _LOWER_CASE_WORDS and not (case.lower and text != "may"):
        return _LOWER_MONTH_CUES
    return _PERSONAL_MONTH_CUES if text in _GIVEN_NAMES else _MONTH_CUES


def _season_cues(text: str, capital: bool) -> frozenset[str]:
    if text == "fall":
        return _FALL_CUES
    return _NAMED_SEASON_CUES if capital else _SEASON_CUES


def _tag_word(text: str, tags: dict[str, Any]) -> None:
    if text in _NUMBERS:
        tags["NUMBER"] = _NUMBERS[text]
    if text in _ORDINALS:
        tags["ORDINAL"] = tags["NTH"] = _ORDINALS[text]
    if text in _PARTS:
        tags["PART"] = _PARTS[text]
    if text in _UNITS:
        tags["UNIT"] = tags["ONE_UNIT"] = _UNITS[text]
    elif text.removesuffix("s") in _UNITS:
        tags["UNIT"] = _UNITS[text.removesuffix("s")]


# ---------------------------------------------------------------- calendar


def _midnight(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day)


def _date(year: int, month: int, day: int, days: int = 1) -> _Span | None:
    """Some days from a date on, or None where the calendar has no such date."""
    try:
        start = _midnight(year, month, day)
    except ValueError:
        return None
    return _Span(start, start + timedelta(days=days))


def _months(year: int, month: int, count: int) -> _Span:
    start = _midnight(year, month, 1)
    return _Span(start, _shifted(start, "month", count))


def _shifted(at: datetime, unit: str, count: int) -> datetime:
    """So many units on, on the calendar; the 31st becomes the last day of a shorter month."""
    days = {"day": 1, "night": 1, "week": 7, "weekend": 7, "fortnight": 14}.get(unit)
    if days is not None:
        return at + timedelta(days=days * count)
    months = at.year * 12 + at.month - 1 + {"month": 1, "quarter": 3, "year": 12}[unit] * count
    first = at.replace(year=months // 12, month=months % 12 + 1, day=1)
    following = (first + timedelta(days=31)).replace(day=1)
    return first.replace(day=min(at.day, (following - timedelta(days=1)).day))


def _holding(day: datetime, unit: str) -> _Span:
    """The calendar unit that a day lies in; of a weekend, the one that ends its week."""
    monday = day - timedelta(days=day.weekday())
    if unit in _HOURS:
        start, first, last = _HOURS[unit]
        base = monday if start == "monday" else day
        return _Span(base + timedelta(hours=first), base + timedelta(hours=last))
    if unit == "month":
        return _months(day.year, day.month, 1)
    if unit == "quarter":
        return _months(day.year, (day.month - 1) // 3 * 3 + 1, 3)
    return _months(day.year, 1, 12)


_HOURS = {
    "day": ("day", 0, 24),
    "night": ("day", 18, 30),
    "week": ("monday", 0, 168),
    "fortnight": ("monday", 0, 168),
    "weekend": ("monday", 120, 168),
}


def _once(span: _Span | None, unit: str) -> _Time | None:
    return None if span is None else _Time(at=lambda _: span, unit=unit)


def _yearly(asked: _Asked, unit: str, of_year: Callable[[int], _Span | None], cues: frozenset[str] | None) -> _Time:
    year = asked.now.year
    return _Time(at=lambda k: of_year(year + k), unit=unit, period=365.2425, cues=cues, guarded=True)


def _weekly(asked: _Asked, first: int, days: int, cues: frozenset[str] | None) -> _Time:
    monday = _holding(asked.today, "week").start

    def at(k: int) -> _Span:
        start = monday + timedelta(days=7 * k + first)
        return _Span(start, start + timedelta(days=days))

    recent = _Recent.BEFORE_TODAY if days == 1 else _Recent.OVER
    unit = "day" if days == 1 else "weekend"
    return _Time(at=at, unit=unit, period=7, recent=recent, last=recent, cues=cues, guarded=True)


def _monthly(asked: _Asked, day: int, cues: frozenset[str] | None) -> _Time:
    month = _holding(asked.today, "month").start

    def at(k: int) -> _Span | None:
        first = _shifted(month, "month", k)
        return _date(first.year, first.month, day)

    return _Time(at=at, unit="day", period=30.44, cues=cues, guarded=True)


def _mapped(time: _Time, unit: str, cut: Callable[[_Span], _Span | None]) -> _Time:
    """The same time with each occurrence cut down, so that the cut one is what must have started."""

    def at(k: int) -> _Span | None:
        whole = time.at(k)
        return None if whole is None else cut(whole)

    return replace(time, at=at, unit=unit, cues=None)


# ---------------------------------------------------------------- settling on an occurrence


def _is_recent(span: _Span, recent: _Recent, asked: _Asked) -> bool:
    if recent is _Recent.OVER:
        return span.end <= asked.now
    if recent is _Recent.BEFORE_TODAY:
        return span.start < asked.today
    return span.start <= asked.now


def _first(time: _Time, ks: Iterable[int], fits: Callable[[_Span], bool]) -> _Span | None:
    for k in ks:
        span = time.at(k)
        if span is not None and fits(span):
            return span
    return None


def _previous(time: _Time, asked: _Asked, recent: _Recent) -> _Span | None:
    if not time.period:
        return time.at(0)
    return _first(time, range(2, -40, -1), lambda span: _is_recent(span, recent, asked))


def _coming(time: _Time, asked: _Asked) -> _Span | None:
    """The present or the next one."""
    if not time.period:
        return time.at(0)
    return _first(time, range(-2, 40), lambda span: span.end > asked.now)


def _near(time: _Time, at: datetime, asked: _Asked) -> int:
    return round((at - asked.now).days / time.period)


def _latest_until(time: _Time, at: datetime, asked: _Asked) -> _Span | None:
    """The last occurrence that starts no later than an instant."""
    k = _near(time, at, asked)
    return _first(time, range(k + 2, k - 40, -1), lambda span: span.start <= at)


def _earliest_from(time: _Time, at: datetime, asked: _Asked) -> _Span | None:
    k = _near(time, at, asked)
    return _first(time, range(k - 2, k + 40), lambda span: span.start >= at)


def _inside(time: _Time, whole: _Span, asked: _Asked) -> _Span | None:
    """The one occurrence that starts inside a span; None if there is none, or more than one."""
    k = _near(time, whole.start, asked)
    spans = [span for near in range(k - 2, k + 4) if (span := time.at(near)) is not None]
    found = [span for span in spans if whole.start <= span.start < whole.end]
    return found[0] if len(found) == 1 else None


# ---------------------------------------------------------------- builders: what names a time by itself


def _iso(asked: _Asked, date: tuple[int, int, int]) -> _Time | None:
    return _once(_date(*date), "day") if 1900 <= date[0] < 2200 else None


def _numeric(asked: _Asked, date: tuple[int, int, int, bool]) -> _Time | None:
    first, second, year, slashed = date
    day, month = _day_and_month(first, second, asked.month_first and slashed)
    return _iso(asked, (year if year > 99 else 2000 + year, month, day))


def _day_and_month(first: int, second: int, month_first: bool) -> tuple[int, int]:
    """A number beyond twelve tells; where none does, the custom decides."""
    if second > 12 or (month_first and first <= 12):
        return second, first
    return first, second


def _short_date(asked: _Asked, pair: tuple[int, int]) -> _Time | None:
    """12/24 behind "on"; 1/2 and 3/4 are more often fractions, 9/11 and 24/7 mean something else."""
    if pair in {(1, 2), (1, 3), (2, 3), (1, 4), (3, 4), (9, 11), (24, 7)}:
        return None
    day, month = _day_and_month(*pair, asked.month_first)
    return _day_month(asked, day, (month, _MONTH_CUES, False), cues=_DAY_CUES) if 1 <= month <= 12 else None


_Month = tuple[int, frozenset[str], bool]


def _day_month(asked: _Asked, day: int, month: _Month, cues: frozenset[str] | None = None) -> _Time | None:
    if month[1] is _LOWER_MONTH_CUES:
        cues = _DAY_CUES
    return _yearly(asked, "day", lambda year: _date(year, month[0], day), cues)


def _month_day(asked: _Asked, month: _Month, day: int) -> _Time | None:
    return _day_month(asked, day, month)


def _days_month(asked: _Asked, first: int, last: int, month: _Month) -> _Time | None:
    if last <= first:
        return None
    return _yearly(asked, "days", lambda year: _date(year, month[0], first, last - first + 1), None)


def _month_days(asked: _Asked, month: _Month, first: int, last: int) -> _Time | None:
    return _days_month(asked, first, last, month)


def _month(asked: _Asked, month: _Month) -> _Time:
    time = _yearly(asked, "month", lambda year: _months(year, month[0], 1), month[1])
    return replace(time, personal=month[2])


def _month_of(asked: _Asked, month: _Month, year: int) -> _Time | None:
    return _once(_months(year, month[0], 1), "month") if 1900 <= year < 2200 else None


def _year_month(asked: _Asked, pair: tuple[int, int]) -> _Time | None:
    whole = _once(_months(pair[0], pair[1], 1), "month")
    return whole and replace(whole, cues=_MONTH_CUES, guarded=True)


def _year(asked: _Asked, year: int) -> _Time | None:
    if year > asked.now.year + 10 or (asked.fiction and year in _TITLE_YEARS):
        return None
    return _Time(at=lambda _: _months(year, 1, 12), unit="year", cues=_YEAR_CUES, guarded=True)


def _decade(asked: _Asked, year: int) -> _Time:
    return _Time(at=lambda _: _months(year, 1, 120), unit="decade", cues=_YEAR_CUES, guarded=True)


def _quarter(asked: _Asked, number: int) -> _Time | None:
    if not 1 <= number <= 4:
        return None
    return _yearly(asked, "quarter", lambda year: _months(year, 3 * number - 2, 3), _YEAR_CUES | _RELATIVES)


def _half_year(asked: _Asked, number: int) -> _Time:
    return _yearly(asked, "half", lambda year: _months(year, 6 * number - 5, 6), _YEAR_CUES)


def _season(asked: _Asked, season: tuple[int, frozenset[str]]) -> _Time:
    time = _yearly(asked, "season", lambda year: _months(year, season[0], 3), season[1])
    return replace(time, last=_Recent.OVER)


def _season_of(asked: _Asked, season: tuple[int, frozenset[str]], year: int) -> _Time | None:
    return _once(_months(year, season[0], 3), "season") if 1900 <= year < 2200 else None


def _weekday(asked: _Asked, number: int) -> _Time:
    return _weekly(asked, number, 1, _WEEKDAY_CUES)


def _own_day(asked: _Asked, number: int) -> _Time:
    return replace(_weekly(asked, number, 1, _OWN_DAY_CUES), guarded=False)


def _weekday_the(asked: _Asked, weekday: int, day: int) -> _Time:
    """ "Friday the 13th": the 13th of a month in which it is a Friday."""
    time = _monthly(asked, day, _DAY_CUES)
    return replace(_mapped(time, "day", lambda span: span if span.start.weekday() == weekday else None), cues=_DAY_CUES)


def _holiday(month: int, day: int, days: int) -> Callable[[_Asked], _Time]:
    def build(asked: _Asked) -> _Time:
        time = _yearly(asked, "holiday", lambda year: _date(year, month, day, days), _HOLIDAY_CUES)
        return replace(time, last=_Recent.OVER)

    return build


def _day_from_now(days: int) -> Callable[[_Asked], _Time | None]:
    return lambda asked: _once(_holding(asked.today + timedelta(days=days), "day"), "day")


def _tonight(asked: _Asked) -> _Time | None:
    return _once(_holding(asked.today, "night"), "part")


def _couple(asked: _Asked) -> tuple[int, int]:
    return _NUMBERS["couple"]


# ---------------------------------------------------------------- builders: relative to now

_Count = tuple[int, int]
_HOUR = timedelta(hours=1)
_CLOCK = {"hour": _HOUR, "minute": timedelta(minutes=1)}


def _ago(asked: _Asked, count: _Count, unit: str) -> _Time | None:
    """The calendar units that lie so many back; of hours and minutes, those around that instant."""
    few, many = count
    if unit in _CLOCK:
        slack = timedelta(hours=1) if unit == "hour" else timedelta(minutes=15)
        step = _CLOCK[unit]
        return _once(_Span(asked.moved(-many * step - slack), asked.moved(-few * step + slack)), unit)
    first = _holding(_shifted(asked.today, unit, -many), unit)
    return _once(_Span(first.start, _holding(_shifted(asked.today, unit, -few), unit).end), unit)


def _ago_stretched(asked: _Asked, count: _Count, time: _Time) -> _Time | None:
    """ "two or three days ago"."""
    nearer, further = _ago(asked, count, time.unit), time.at(0)
    near = nearer and nearer.at(0)
    return _once(_hull(near, further), time.unit) if near and further else None


def _ago_or(asked: _Asked, few: _Count, unit: str, many: _Count) -> _Time | None:
    return _ago(asked, (few[0], many[1]), unit) if few[0] <= many[1] else None


def _ago_or_so(asked: _Asked, count: _Count, unit: str) -> _Time | None:
    time = _ago(asked, count, unit)
    return time and _about(asked, time)


def _about(asked: _Asked, time: _Time) -> _Time | None:
    span = time.at(0)
    return span and _once(_one_more(span, time.unit), time.unit)


def _one_more(span: _Span, unit: str) -> _Span:
    """A unit more on both sides; hours and minutes have their slack already."""
    if unit in _CLOCK:
        return span
    return _Span(_shifted(span.start, unit, -1), _shifted(span.end, unit, 1))


def _more_than(asked: _Asked, time: _Time) -> _Reading | None:
    span = time.at(0)
    return span and _Reading(None, span.end)


def _less_than(asked: _Asked, time: _Time) -> _Reading | None:
    span = time.at(0)
    return span and _Reading(span.start, None)


def _ago_today(asked: _Asked, count: _Count, unit: str) -> _Time | None:
    return None if unit in _CLOCK else _once(_holding(_shifted(asked.today, unit, -count[1]), "day"), "day")


def _recurring_ago(asked: _Asked, count: _Count, time: _Time) -> _Time | None:
    """ "two summers ago": the second of those already over."""
    spans = [span for k in range(1, -60, -1) if (span := time.at(k)) and _is_recent(span, time.last, asked)]
    return _once(spans[count[1] - 1], time.unit) if 1 <= count[1] <= len(spans) else None


def _weekdays_ago(asked: _Asked, count: _Count, weekday: int) -> _Time | None:
    return _recurring_ago(asked, count, _weekday(asked, weekday))


def _seasons_ago(asked: _Asked, count: _Count, month: int) -> _Time | None:
    return _recurring_ago(asked, count, _season(asked, (month, _SEASON_CUES)))


def _from_now(asked: _Asked, count: _Count, unit: str) -> _Time | None:
    return None if unit in _CLOCK else _ago(asked, (-count[1], -count[0]), unit)


def _rolling(asked: _Asked, count: _Count, unit: str) -> _Time | None:
    if unit in _CLOCK:
        return _once(_Span(asked.moved(-count[1] * _CLOCK[unit]), asked.now), unit)
    start = _shifted(asked.today, unit, -count[1])
    return _once(_Span(start, asked.today + timedelta(days=1)), "days")


def _rolling_cued(asked: _Asked, count: _Count, unit: str) -> _Time | None:
    """Behind "the" or a preposition only: in "How did I last two weeks?" it is a verb."""
    time = _rolling(asked, count, unit)
    return time and replace(time, cues=_PLAIN_CUES)


def _rolling_one(asked: _Asked, unit: str) -> _Time | None:
    if unit == "weekend":
        return _last_unit(asked, unit)
    return _rolling(asked, (1, 1), unit)


def _rolling_on(asked: _Asked, count: _Count, unit: str) -> _Time | None:
    """ "in the next two weeks"; told of the past, they follow an event instead."""
    if asked.tense is _Tense.PAST or unit in _CLOCK:
        return None
    end = _shifted(asked.today, unit, count[1]) + timedelta(days=1)
    return _once(_Span(asked.today, end), "days")


def _the_last_unit(asked: _Asked, time: _Time) -> _Time | None:
    if time.unit in {"weekend", "part"}:
        return replace(time, cues=_PLAIN_CUES)
    return _rolling(asked, (1, 1), time.unit)


def _the_next_unit(asked: _Asked, time: _Time) -> _Time | None:
    return None if time.unit in {"weekend", "part"} else _rolling_on(asked, (1, 1), time.unit)


def _last_unit(asked: _Asked, unit: str) -> _Time | None:
    if unit == "weekend":
        time = _weekly(asked, 5, 2, None)
        return _once(_previous(time, asked, _Recent.OVER), unit)
    if unit == "night":
        return _once(_holding(asked.today - timedelta(days=1), unit), "part")
    if unit == "hour":
        return _rolling(asked, (1, 1), unit)
    return _unit(asked, unit, -1)


def _unit(asked: _Asked, unit: str, step: int) -> _Time | None:
    """The calendar unit so many from the present one. "Last day" and "this hour" say something else."""
    if unit in {"day", "night", "fortnight", "hour", "minute"}:
        return None
    return _once(_holding(_shifted(_holding(asked.today, unit).start, unit, step), unit), unit)


def _this_unit(asked: _Asked, unit: str) -> _Time | None:
    return _this(asked, _weekly(asked, 5, 2, None)) if unit == "weekend" else _unit(asked, unit, 0)


def _next_unit(asked: _Asked, unit: str) -> _Time | None:
    return _next(asked, _weekly(asked, 5, 2, None)) if unit == "weekend" else _unit(asked, unit, 1)


def _unit_before_last(asked: _Asked, unit: str) -> _Time | None:
    if unit == "night":
        return _once(_holding(asked.today - timedelta(days=2), unit), "part")
    if unit == "weekend":
        return _recurring_ago(asked, (2, 2), _weekly(asked, 5, 2, None))
    return _unit(asked, unit, -2)


def _time_before_last(asked: _Asked, time: _Time) -> _Time | None:
    return _recurring_ago(asked, (2, 2), time) if time.period else None


def _unit_after_next(asked: _Asked, unit: str) -> _Time | None:
    return _unit(asked, unit, 2)


def _suits(time: _Time, cue: str) -> bool:
    return bool(time.period) and (time.cues is None or cue in time.cues)


def _last(asked: _Asked, time: _Time) -> _Time | None:
    return _once(_previous(time, asked, time.last), time.unit) if _suits(time, "last") else None


def _this(asked: _Asked, time: _Time) -> _Time | None:
    """The present one, else the nearest in the direction in which the question looks."""
    if not _suits(time, "this"):
        return None
    present = _coming(time, asked)
    if present is None or present.start <= asked.now or asked.tense is not _Tense.PAST:
        return _once(present, time.unit)
    return _once(_previous(time, asked, _Recent.OVER), time.unit)


def _next(asked: _Asked, time: _Time) -> _Time | None:
    if not _suits(time, "next"):
        return None
    return _once(_first(time, range(-2, 40), lambda span: span.start > asked.now), time.unit)


def _this_part(asked: _Asked, hours: tuple[int, int]) -> _Time | None:
    return _once(_hours(_holding(asked.today, "day"), hours), "part")


def _last_part(asked: _Asked, hours: tuple[int, int]) -> _Time | None:
    """ "last evening"; nobody says "last morning"."""
    if hours[0] < 18:
        return None
    return _once(_hours(_holding(asked.today - timedelta(days=1), "day"), hours), "part")


def _hours(day: _Span, hours: tuple[int, int]) -> _Span:
    return _Span(day.start + timedelta(hours=hours[0]), day.start + timedelta(hours=hours[1]))


# ---------------------------------------------------------------- builders: a piece of a time


def _part(asked: _Asked, time: _Time, hours: tuple[int, int]) -> _Time | None:
    if time.unit != "day":
        return None
    return _mapped(time, "part", lambda span: _hours(span, hours))


def _part_of(asked: _Asked, hours: tuple[int, int], time: _Time) -> _Time | None:
    return _part(asked, time, hours)


def _the_day_of(asked: _Asked, day: int, time: _Time) -> _Time | None:
    """ "the 5th of last month"."""
    if time.unit != "month":
        return None
    return _mapped(time, "day", lambda span: _date(span.start.year, span.start.month, day))


def _the_day(asked: _Asked, day: int) -> _Time:
    return _monthly(asked, day, _DAY_CUES)


def _third(index: int) -> Callable[[_Asked, _Time], _Time | None]:
    """Early, mid or late; where the thirds of a unit are a matter of taste they overlap."""

    def build(asked: _Asked, time: _Time) -> _Time | None:
        if time.cues is not None and "late" not in time.cues:
            return None
        if time.unit in {"day", "part", "days", "holiday", "decade"}:
            return time
        return _mapped(time, f"part of {time.unit}", lambda span: _piece(span, time.unit, index))

    return build


def _piece(span: _Span, unit: str, index: int) -> _Span | None:
    if unit == "month":
        marks = [span.start, span.start.replace(day=11), span.start.replace(day=21), span.end]
    elif unit in {"year", "quarter", "season"}:
        months = 4 if unit == "year" else 1
        marks = [_shifted(span.start, "month", months * third) for third in range(4)]
    elif unit == "week":
        first, last = ((0, 3), (1, 5), (3, 7))[index]
        return _Span(span.start + timedelta(days=first), span.start + timedelta(days=last))
    else:
        return None
    return _Span(marks[index], marks[index + 1])


def _third_of_this(index: int) -> Callable[[_Asked, str], _Time | None]:
    def build(asked: _Asked, unit: str) -> _Time | None:
        time = _unit(asked, unit, 0)
        return time and _third(index)(asked, time)

    return build


def _half(asked: _Asked, number: int, time: _Time) -> _Time | None:
    def cut(span: _Span) -> _Span:
        middle = span.start.replace(day=16) if time.unit == "month" else _shifted(span.start, "month", 6)
        return _Span(span.start, middle) if number == 1 else _Span(middle, span.end)

    return _mapped(time, "half", cut) if time.unit in {"month", "year"} and number in {1, 2} else None


_EDGES = {"day": 1, "week": 7, "month": 30, "year": 365, "weekend": 0}
_LENGTHS = {"week": 7, "month": 28, "quarter": 90, "season": 90, "year": 365, "decade": 3652}


def _edge(time: _Time, unit: str, piece_of: Callable[[_Span], _Span]) -> _Time | None:
    """A piece counted in units from a side of a longer time; None if it would reach out of it."""
    if unit not in _EDGES or _EDGES[unit] >= _LENGTHS.get(time.unit, 0):
        return None

    def cut(span: _Span) -> _Span | None:
        piece = piece_of(span)
        return piece if span.start <= piece.start < piece.end <= span.end else None

    return _mapped(time, "week" if unit == "week" else "days", cut)


def _nth_unit(asked: _Asked, number: int, unit: str, time: _Time) -> _Time | None:
    if unit == "weekend":
        return _nth_weekday(asked, number, 5, time, days=2)

    def piece(span: _Span) -> _Span:
        return _Span(_shifted(span.start, unit, number - 1), _shifted(span.start, unit, number))

    return _edge(time, unit, piece)


def _first_units(asked: _Asked, number: int, count: _Count, unit: str, time: _Time) -> _Time | None:
    if number != 1:
        return None
    return _edge(time, unit, lambda span: _Span(span.start, _shifted(span.start, unit, count[1])))


def _last_units(asked: _Asked, count: _Count, unit: str, time: _Time) -> _Time | None:
    return _edge(time, unit, lambda span: _Span(_shifted(span.end, unit, -count[1]), span.end))


def _last_unit_of(asked: _Asked, unit: str, time: _Time) -> _Time | None:
    if unit == "weekend":
        return _last_weekday(asked, 5, time, days=2)
    return _last_units(asked, (1, 1), unit, time)


def _nth_weekday(asked: _Asked, number: int, weekday: int, time: _Time, days: int = 1) -> _Time | None:
    def cut(span: _Span) -> _Span | None:
        start = span.start + timedelta(days=(weekday - span.start.weekday()) % 7 + 7 * (number - 1))
        return _Span(start, start + timedelta(days=days)) if span.start <= start < span.end else None

    return _mapped(time, "day" if days == 1 else "weekend", cut) if time.unit in _LENGTHS else None


def _last_weekday(asked: _Asked, weekday: int, time: _Time, days: int = 1) -> _Time | None:
    def cut(span: _Span) -> _Span:
        final = span.end - timedelta(days=1)
        start = final - timedelta(days=(final.weekday() - weekday) % 7)
        return _Span(start, start + timedelta(days=days))

    if time.unit not in _LENGTHS or time.unit == "week":
        return None
    return _mapped(time, "day" if days == 1 else "weekend", cut)


def _unit_of(asked: _Asked, unit: str, time: _Time) -> _Time | None:
    """ "the week of 3 May", "the month of May"."""
    if unit == time.unit:
        return replace(time, cues=None)
    if time.unit not in {"day", "holiday"} or unit not in {"week", "weekend", "month"}:
        return None
    return _mapped(time, unit, lambda span: _holding(span.start, unit))


def _beside(asked: _Asked, unit: str, side: str, time: _Time) -> _Time | None:
    """ "the week before Christmas"."""
    if unit not in {"day", "week", "month", "year"} or not _bounds(time):
        return None
    if side == "before":
        return _mapped(time, unit, lambda span: _Span(_shifted(span.start, unit, -1), span.start))
    return _mapped(time, unit, lambda span: _Span(span.end, _shifted(span.end, unit, 1)))


def _unit_before(asked: _Asked, unit: str, time: _Time) -> _Time | None:
    return _beside(asked, unit, "before", time)


def _unit_after(asked: _Asked, unit: str, time: _Time) -> _Time | None:
    return _beside(asked, unit, "after", time)


def _units_before(asked: _Asked, count: _Count, unit: str, time: _Time) -> _Time | None:
    """ "two weeks before Christmas": the calendar unit that holds that day."""
    if unit not in {"day", "week", "month", "year"} or not _bounds(time):
        return None
    return _mapped(time, unit, lambda span: _holding(_shifted(span.start, unit, -count[1]), unit))


def _units_after(asked: _Asked, count: _Count, unit: str, time: _Time) -> _Time | None:
    if unit not in {"day", "week", "month", "year"} or not _bounds(time):
        return None
    last = timedelta(days=1)
    return _mapped(time, unit, lambda span: _holding(_shifted(span.end - last, unit, count[1]), unit))


def _weekday_before(asked: _Asked, weekday: int, time: _Time, days: int = 1) -> _Time | None:
    """ "the Friday before 15 July"."""

    def cut(span: _Span) -> _Span:
        start = span.start - timedelta(days=(span.start.weekday() - weekday - 1) % 7 + 1)
        return _Span(start, start + timedelta(days=days))

    return _mapped(time, "day" if days == 1 else "weekend", cut) if _bounds(time) else None


def _weekday_after(asked: _Asked, weekday: int, time: _Time, days: int = 1) -> _Time | None:
    def cut(span: _Span) -> _Span:
        start = span.end + timedelta(days=(weekday - span.end.weekday()) % 7)
        return _Span(start, start + timedelta(days=days))

    return _mapped(time, "day" if days == 1 else "weekend", cut) if _bounds(time) else None


def _bounds(time: _Time) -> bool:
    return time.unit != "part" and not time.personal and (time.cues is None or "before" in time.cues)


# ---------------------------------------------------------------- builders: two times


def _joined(asked: _Asked, one: _Time, other: _Time) -> _Time | None:
    """ "March last year", "last week on Tuesday": the occurrence of one that lies inside the other."""
    if one.period and other.period:
        return _dated_weekday(one, other)
    if one.period or other.period:
        inner, outer = (one, other) if one.period else (other, one)
        whole = outer.at(0)
        return whole and _once(_inside(inner, whole, asked), inner.unit)
    return _nested(one, other)


def _dated_weekday(one: _Time, other: _Time) -> _Time | None:
    """ "Monday, 3 May": the date says it all."""
    weekday, date = (one, other) if one.period < other.period else (other, one)
    day = weekday.at(0)
    if day is None or weekday.period != 7 or date.unit != "day" or weekday.unit not in {"day", "part"}:
        return None
    if weekday.unit == "day":
        return date
    first = day.start.hour
    return _mapped(date, "part", lambda span: _hours(span, (first, first + round((day.end - day.start) / _HOUR))))


def _nested(one: _Time, other: _Time) -> _Time | None:
    a, b = one.at(0), other.at(0)
    if a is None or b is None:
        return None
    if b.start <= a.start and a.end <= b.end:
        return replace(one, cues=None)
    return replace(other, cues=None) if a.start <= b.start and b.end <= a.end else None


def _range(asked: _Asked, first: _Time, last: _Time) -> _Time | None:
    """From the start of one to the end of the other; the one with a year settles the other."""
    if first.period and not last.period:
        return _range_to(asked, first, last)
    if last.period and not first.period:
        return _range_from(asked, first, last)

    def at(k: int) -> _Span | None:
        end = last.at(k)
        start = end and (_latest_until(first, end.start, asked) if first.period else first.at(0))
        return _hull(start, end) if start and end else None

    return _ranged(first, last, at)


def _range_to(asked: _Asked, first: _Time, last: _Time) -> _Time | None:
    end = last.at(0)
    start = end and _latest_until(first, end.start, asked)
    return _ranged(first, last, lambda _: _hull(start, end)) if start and end else None


def _range_from(asked: _Asked, first: _Time, last: _Time) -> _Time | None:
    start = first.at(0)
    end = start and _earliest_from(last, start.start, asked)
    return _ranged(first, replace(last, period=0), lambda _: _hull(start, end)) if start and end else None


def _range_cued(asked: _Asked, first: _Time, last: _Time) -> _Time | None:
    time = _range(asked, first, last)
    return time and replace(time, cues=None)


def _strictly_between(asked: _Asked, first: _Time, last: _Time) -> _Time | None:
    """ "after March and before June": neither belongs to it."""
    whole = _range_cued(asked, first, last)
    unit = first.unit
    if whole is None or unit != last.unit or unit not in {"day", "month", "year"}:
        return whole

    def cut(span: _Span) -> _Span | None:
        inner = _Span(_shifted(span.start, unit, 1), _shifted(span.end, unit, -1))
        return inner if inner.start < inner.end else None

    return _mapped(whole, "range", cut)


def _either(asked: _Asked, *times: _Time) -> _Time | None:
    """ "March or April", in any order: what spans them, each settled by itself unless the last has a year."""
    if times[0].period and not times[-1].period:
        return _range(asked, times[0], times[-1])
    spans = [span for time in times if (span := _settled(time, "", asked)) is not None]
    if len(spans) < len(times):
        return None
    whole = _Span(min(span.start for span in spans), max(span.end for span in spans))
    return _ranged(times[0], replace(times[-1], period=0), lambda _: whole)


def _hull(one: _Span, other: _Span) -> _Span:
    return _Span(min(one.start, other.start), max(one.end, other.end))


def _ranged(first: _Time, last: _Time, at: Callable[[int], _Span | None]) -> _Time:
    cues = _shared_cues(first.cues, last.cues)
    guarded = first.guarded or last.guarded
    return replace(last, at=at, unit="range", cues=cues, guarded=guarded, personal=False)


def _shared_cues(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    if one is None and other is None:
        return None
    shared = (one or other or frozenset()) & (other or one or frozenset())
    return shared - _RELATIVES


def _open_from(asked: _Asked, time: _Time) -> _Reading | None:
    span = _previous(time, asked, time.recent)
    return span and _Reading(span.start, None)


# ---------------------------------------------------------------- rules


def _same(asked: _Asked, time: _Time) -> _Time:
    return replace(time, cues=None)


def _struck(asked: _Asked, *_: Any) -> bool:
    """What was folded is struck out: "my last week at Google" is no week of the calendar."""
    return True


def _recurring(asked: _Asked, time: _Time) -> bool | None:
    """ "every Monday" and "a Tuesday in March" are no one day."""
    return True if time.period else None


class _Rule(NamedTuple):
    elements: tuple[tuple[str, ...], ...]
    """The alternatives at each place; a last alternative "?" lets the place stay empty, "!" forbids them."""
    build: Callable[..., Any]
    makes: str
    order: int


_Row = tuple[str, Callable[..., Any]] | tuple[str, Callable[..., Any], str]


def _rules(*rows: _Row) -> dict[str, list[_Rule]]:
    """Rules by the words they can begin with, each list in the order of the table.

    A pattern is read word by word: "a|b" is either, "a|b?" either or neither, "!a|b" neither of them ahead.
    Capitals are tags, and their values go to the builder. What it returns takes the place of what was
    matched; None lets the next rule try.
    """
    index: dict[str, list[_Rule]] = {}
    for order, row in enumerate(rows):
        rule = _Rule(tuple(map(_element, row[0].split())), row[1], row[2] if len(row) == 3 else "TIME", order)
        for start in rule.elements[0]:
            index.setdefault(start, []).append(rule)
    return index


def _element(written: str) -> tuple[str, ...]:
    if written.endswith("?"):
        return (*written.removesuffix("?").split("|"), "?")
    if written.startswith("!"):
        return (*written.removeprefix("!").split("|"), "!")
    return tuple(written.split("|"))


_BASIC = _rules(
    ("DATE", _iso),
    ("NUMERIC", _numeric),
    ("SHORT", _short_date),
    ("YEARMONTH", _year_month),
    ("DAY -|–|to|and|or|until|till|through DAY of? MONTH", _days_month),
    ("MONTH DAY -|–|to|and|or|until|till|through DAY !MONTH|of|:", _month_days),
    ("DAY of? MONTH", _day_month),
    ("NTH of MONTH", _day_month),
    *((phrase, _holiday(month, day, days)) for phrase, month, day, days in _HOLIDAYS),
    ("MONTH the? DAY !:|%", _month_day),
    ("MONTH the NTH", _month_day),
    ("MONTH SHORTYEAR", _month_of),
    ("MONTH", _month),
    ("year YEAR", lambda asked, year: _once(_months(year, 1, 12), "year")),
    ("YEAR", _year),
    ("DECADE", _decade),
    ("QUARTER", _quarter),
    ("ORDINAL quarter", _quarter),
    ("HALF", _half_year),
    ("SEASON of? SPLIT|SHORTYEAR", _season_of),
    ("SEASON", _season),
    ("WEEKDAY ,? the DAYTH !of|MONTH", _weekday_the),
    ("WEEKDAY", _weekday),
    ("OWNDAY !MARK|END", _own_day),
    ("day before yesterday", _day_from_now(-2)),
    ("day after tomorrow", _day_from_now(2)),
    ("yesterday", _day_from_now(-1)),
    ("today", _day_from_now(0)),
    ("tomorrow", _day_from_now(1)),
    ("tonight", _tonight),
    ("couple of", _couple, "NUMBER"),
)

_LEANING = _rules(
    ("OWNER RELATIVE", _struck, "DEAD"),
    ("half AGO", _struck, "DEAD"),
    ("more than AGO", _more_than, "READING"),
    ("at least AGO", _more_than, "READING"),
    ("over AGO", _more_than, "READING"),
    ("less than AGO", _less_than, "READING"),
    ("under|within AGO", _less_than, "READING"),
    ("around|roughly|approximately|some|nearly|almost|maybe|perhaps AGO", _about),
    ("every|each|any|most|a|an|some TIME", _recurring, "DEAD"),
    ("NUMBER UNIT ago|back today", _ago_today),
    ("NUMBER or|to|-|– AGO", _ago_stretched, "AGO"),
    ("NUMBER UNIT or NUMBER ago", _ago_or, "AGO"),
    ("NUMBER UNIT or so ago", _ago_or_so, "AGO"),
    ("NUMBER UNIT ago|back", _ago, "AGO"),
    ("NUMBER WEEKDAYS ago", _weekdays_ago),
    ("NUMBER SEASONS ago", _seasons_ago),
    ("NUMBER UNIT from now|today", _from_now),
    ("in NUMBER UNIT '? time", _from_now),
    ("NUMBER UNIT before TIME", _units_before),
    ("NUMBER UNIT after TIME", _units_after),
    ("last|past|final NUMBER UNIT of|in the? TIME", _last_units),
    ("last|past NUMBER UNIT of", _struck, "DEAD"),
    ("last|past NUMBER UNIT", _rolling_cued, "ROLLING"),
    ("last|final ONE_UNIT of|in TIME", _last_unit_of),
    ("last WEEKDAY of|in TIME", _last_weekday),
    ("last ONE_UNIT of", _struck, "DEAD"),
    ("last PART !-", _last_part, "RELATIVE"),
    ("last ONE_UNIT !-", _last_unit, "LAST_UNIT"),
    ("past ONE_UNIT !-", _rolling_one, "RELATIVE"),
    ("last|past TIME", _last, "LAST_TIME"),
    ("this past RELATIVE", _same),
    ("this PART", _this_part),
    ("this|current ONE_UNIT !-", _this_unit),
    ("this TIME", _this),
    ("next NUMBER UNIT", _rolling_on, "RELATIVE"),
    ("next ONE_UNIT !-", _next_unit, "NEXT_UNIT"),
    ("next|coming TIME", _next, "RELATIVE"),
    ("the|these|those|all ROLLING", _same, "RELATIVE"),
    ("the LAST_UNIT", _the_last_unit),
    ("the NEXT_UNIT", _the_next_unit),
    ("the NEXT_UNIT", _struck, "DEAD"),
    ("the LAST_TIME", lambda asked, time: replace(time, cues=_PLAIN_CUES)),
    ("ONE_UNIT before last", _unit_before_last),
    ("TIME before last", _time_before_last),
    ("ONE_UNIT after next", _unit_after_next),
    ("ORDINAL NUMBER UNIT of|in the? TIME", _first_units),
    ("ORDINAL ONE_UNIT of|in the? TIME", _nth_unit),
    ("ORDINAL WEEKDAY of|in the? TIME", _nth_weekday),
    ("ORDINAL half of TIME", _half),
    ("early -|in? the? TIME", _third(0)),
    ("mid -|in? the? TIME", _third(1)),
    ("late -|in? the? TIME", _third(2)),
    ("start|beginning of the? TIME", _third(0)),
    ("middle of the? TIME", _third(1)),
    ("end of the? TIME", _third(2)),
    ("start|beginning of the|this ONE_UNIT !of", _third_of_this(0)),
    ("middle of the|this ONE_UNIT !of", _third_of_this(1)),
    ("end of the|this ONE_UNIT !of", _third_of_this(2)),
    ("earlier|later in the ONE_UNIT !of", _this_unit),
    ("rest|whole|all|most|course of the? TIME", _same),
    ("ONE_UNIT of the? TIME", _unit_of),
    ("WEEKDAY before TIME", _weekday_before),
    ("WEEKDAY after TIME", _weekday_after),
    ("weekend before TIME", lambda asked, time: _weekday_before(asked, 5, time, days=2)),
    ("weekend after TIME", lambda asked, time: _weekday_after(asked, 5, time, days=2)),
    ("ONE_UNIT before TIME", _unit_before),
    ("ONE_UNIT after TIME", _unit_after),
    ("PART of|on? the? TIME", _part_of),
    ("the weekend", lambda asked: _weekly(asked, 5, 2, _WEEKEND_CUES)),
    ("DAY of TIME", _the_day_of),
    ("DAYTH of the month", _the_day),
    ("the DAYTH !of|-|–", _the_day),
    ("TIME in|at? the? PART", _part),
    ("TIME of|in|on|at|,? the? TIME", _joined),
)

_RANGES = _rules(
    ("from TIME to|until|till|through now|date", _open_from, "READING"),
    ("from TIME on|onward|onwards|forward", _open_from, "READING"),
    ("between TIME and now", _open_from, "READING"),
    ("between TIME and the? TIME", _range_cued),
    ("from|since TIME to|through|until|till|-|–|— the? TIME", _range_cued),
    ("after TIME and|but|,? before TIME", _strictly_between),
    ("TIME to|through|until|till|-|–|—|/ the? TIME", _range),
    ("TIME , TIME ,? and|or TIME", _either),
    ("TIME and|or|than|versus|vs the|in|on? TIME", _either),
    ("TIME compare|compared to|with the? TIME", _either),
)


# ---------------------------------------------------------------- folding


def _parsed(question: str, asked: _Asked) -> list[_Item]:
    items = _fold_forward(_items(question), _BASIC, asked)
    items = _fold_backward(items, _LEANING, asked)
    return _fold_forward(items, _RANGES, asked)


def _fold_forward(items: list[_Item], rules: Mapping[str, list[_Rule]], asked: _Asked) -> list[_Item]:
    folded: list[_Item] = []
    place = 0
    while place < len(items):
        item, place = _fold_at(items, place, rules, asked) or (items[place], place + 1)
        folded.append(item)
    return folded


def _fold_backward(items: list[_Item], rules: Mapping[str, list[_Rule]], asked: _Asked) -> list[_Item]:
    """From the right, so that in "the last Friday of last month" the month is known before its Friday."""
    items = list(items)
    for place in range(len(items) - 1, -1, -1):
        while (fold := _fold_at(items, place, rules, asked)) is not None:
            items[place : fold[1]] = [fold[0]]
    return items


def _fold_at(
    items: list[_Item], place: int, rules: Mapping[str, list[_Rule]], asked: _Asked
) -> tuple[_Item, int] | None:
    """What the first rule that fits here makes of it, and the place behind."""
    for rule in _candidates(items[place], rules):
        match = _match(rule.elements, items, place)
        made = match and rule.build(asked, *match[0])
        if match and made is not None:
            return _folded(items[place : match[1]], rule.makes, made), match[1]
    return None


def _candidates(item: _Item, rules: Mapping[str, list[_Rule]]) -> list[_Rule]:
    found = [rule for tag in item.tags for rule in rules.get(tag, ())]
    return sorted(found, key=lambda rule: rule.order) if len(found) > 1 else found


def _folded(items: list[_Item], makes: str, made: Any) -> _Item:
    tags: dict[str, Any] = dict(items[0].tags) if len(items) == 1 and "TIME" not in items[0].tags else {}
    tags[makes] = made
    if isinstance(made, _Time):
        tags["TIME"] = made
        if makes in {"LAST_UNIT", "LAST_TIME", "NEXT_UNIT", "ROLLING"}:
            tags["RELATIVE"] = made
    return _Item("", tags, items[0].glued)


def _match(elements: tuple[tuple[str, ...], ...], items: list[_Item], place: int) -> tuple[tuple[Any, ...], int] | None:
    """The values of the tags that match from a place on, and the place behind them."""
    if not elements:
        return (), place
    element, rest = elements[0], elements[1:]
    tags: Mapping[str, Any] = items[place].tags if place < len(items) else {"END": None}
    hit = next((name for name in element if name in tags), None)
    if element[-1] == "!":
        return None if hit else _match(rest, items, place)
    if hit is not None and (found := _match(rest, items, place + 1)) is not None:
        return ((tags[hit], *found[0]) if hit.isupper() else found[0]), found[1]
    return _match(rest, items, place) if element[-1] == "?" else None


# ---------------------------------------------------------------- reading


def _asked(words: frozenset[str], now: datetime, zone: ZoneInfo, name: str) -> _Asked:
    return _Asked(
        now=now.astimezone(zone).replace(tzinfo=None),
        zone=zone,
        tense=_tense(words),
        habitual=not _HABITUAL_WORDS.isdisjoint(words),
        fiction=not _FICTION_WORDS.isdisjoint(words),
        month_first=_month_first(name),
    )


@lru_cache(maxsize=64)
def _month_first(timezone: str) -> bool:
    return _MONTH_FIRST.fullmatch(timezone) is not None


def _tense(words: frozenset[str]) -> _Tense:
    """Where the question looks. Without a verb to tell ("notes in March") a memory is asked for the past."""
    asks_plain = "do" in words or "does" in words
    past = not _PAST_WORDS.isdisjoint(words) or ("have" in words and not asks_plain)
    if past or any(word.endswith("ed") and len(word) > 4 and word not in _NO_PAST for word in words):
        return _Tense.PAST
    if not _FUTURE_WORDS.isdisjoint(words) or "have" in words:
        return _Tense.FUTURE
    return _Tense.PAST if _PRESENT_WORDS.isdisjoint(words) else _Tense.PRESENT


def _readings(items: list[_Item], asked: _Asked) -> Iterator[_Reading]:
    for place, item in enumerate(items):
        if "READING" in item.tags:
            yield item.tags["READING"]
        elif "TIME" in item.tags and (reading := _read(items, place, asked)) is not None:
            yield reading


def _read(items: list[_Item], place: int, asked: _Asked) -> _Reading | None:
    """One time, with what stands before and after it."""
    time: _Time = items[place].tags["TIME"]
    the = place > 0 and items[place - 1].text == "the"
    before = place - 2 if the else place - 1
    cue = _cue(items, before)
    if _hyphenated(items, place) or not _allowed(time, cue, the) or _misleads(time, items, before):
        return None
    if time.guarded and not _stands(items, place + 1):
        return None
    span = _settled(time, cue, asked)
    if span is None:
        return None
    if cue == "about" and "AGO" in items[place].tags and not _stranded(items, before):
        span = _one_more(span, time.unit)
    bound = _BOUNDED.get(cue)
    return bound(span) if bound else _about_event(items, before, span)


def _cue(items: list[_Item], place: int) -> str:
    """The preposition at a place; those of two words by the one that means the same."""
    if place < 0:
        return ""
    text = items[place].text
    if not place or (place > 1 and items[place - 2].text in _BUSY):
        return text
    return _PAIRS.get((items[place - 1].text, text), text)


# "What have I been up to today?"
_BUSY = _set("been be get got getting am is are was were i we you they he she it")
_PAIRS = {
    ("up", "to"): "until",
    ("or", "before"): "until",
    ("or", "after"): "since",
    ("prior", "to"): "before",
    ("earlier", "than"): "before",
    ("later", "than"): "after",
}


def _hyphenated(items: list[_Item], place: int) -> bool:
    """Part of a compound: "post-Christmas", "last week-long"."""
    if place and items[place].glued and items[place - 1].text in {"-", "/", "_", "#", "@", "$"}:
        return True
    after = items[place + 1 : place + 3]
    return len(after) == 2 and after[0].text == "-" and after[0].glued and after[1].glued


def _allowed(time: _Time, cue: str, the: bool) -> bool:
    if time.cues is None:
        return True
    if the and time.unit in {"month", "year"}:
        return False
    return cue in time.cues or (the and f"the {cue}" in time.cues)


def _misleads(time: _Time, items: list[_Item], place: int) -> bool:
    """Before a given name some prepositions belong to the person: "written by June", "interested in May"."""
    if not time.personal or time.cues is None or place < 1:
        return False
    cue, governor = items[place].text, items[place - 1].text
    if cue == "by":
        return governor in _DOERS or governor.endswith(("ed", "en", "wn"))
    return cue == "in" and governor in _TRUSTS


def _stands(items: list[_Item], place: int) -> bool:
    """Whether what follows leaves the time a time, rather than the first half of a name."""
    if place >= len(items):
        return True
    item = items[place]
    if not item.text or item.text in _STOPS or "PART" in item.tags:
        return not item.tags.keys() & {"NUMBER"}
    base = item.text.partition("'")[0]
    return base in _FOLLOWERS or (base.endswith("ly") and len(base) > 4)


def _settled(time: _Time, cue: str, asked: _Asked) -> _Span | None:
    if not time.period:
        return time.at(0)
    if cue == "since":
        return _previous(time, asked, time.recent)
    if asked.habitual or asked.tense is _Tense.PRESENT:
        return None
    if asked.tense is _Tense.FUTURE:
        return _coming(time, asked)
    return _previous(time, asked, time.recent)


def _stranded(items: list[_Item], place: int) -> bool:
    """Whether "about" ends what comes before it: "What was I worried about two weeks ago?"."""
    governor = items[place - 1].text if place else ""
    return governor in _GOVERNORS or governor.endswith(("ed", "ing"))


def _widened(span: _Span) -> _Reading:
    slack = timedelta(days=max((span.end - span.start).days // 2, 3))
    return _Reading(span.start - slack, span.end + slack)


_BOUNDED: Mapping[str, Callable[[_Span], _Reading]] = {
    "since": lambda span: _Reading(span.start, None),
    "after": lambda span: _Reading(span.end, None),
    "before": lambda span: _Reading(None, span.start),
    "until": lambda span: _Reading(None, span.end),
    "till": lambda span: _Reading(None, span.end),
    "by": lambda span: _Reading(None, span.end),
    "around": _widened,
}


def _about_event(items: list[_Item], place: int, span: _Span) -> _Reading:
    """The span, opened where it dates an event that the question asks around ("since the move in March")."""
    for at in range(place, max(place - 9, -1), -1):
        text = items[at].text
        if not text or text in _STOPS:
            break
        if text in {"since", "after", "before", "until", "till"} and not _idle(items, at):
            return _Reading(span.start, None) if text in {"since", "after"} else _Reading(None, span.end)
    return _Reading(*span)


def _idle(items: list[_Item], place: int) -> bool:
    """ "after work", "looked after": no event that reaches beyond the day."""
    if not items[place].tags or (place and items[place - 1].text in _PHRASAL):
        return True
    return place + 1 < len(items) and items[place + 1].text in _ROUTINES


def _merged(readings: Iterable[_Reading]) -> _Reading | None:
    merged: _Reading | None = None
    for reading in readings:
        merged = reading if merged is None else _both(merged, reading)
        if merged is None:
            return None
    return merged


def _both(one: _Reading, other: _Reading) -> _Reading | None:
    if None not in one and None not in other:
        return _Reading(*_hull(_Span(*one), _Span(*other)))  # type: ignore[arg-type]
    starts = [start for start in (one.start, other.start) if start is not None]
    ends = [end for end in (one.end, other.end) if end is not None]
    shared = _Reading(max(starts, default=None), min(ends, default=None))
    empty = shared.start is not None and shared.end is not None and shared.start >= shared.end
    return None if empty else shared


def _interval(reading: _Reading, zone: ZoneInfo) -> Interval | None:
    since, until = _instant(reading.start, zone), _instant(reading.end, zone)
    if since is not None and until is not None and since >= until:
        # A day that the zone skipped, as Samoa did on 30 December 2011.
        return None
    return Interval(since, until)


def _instant(local: datetime | None, zone: ZoneInfo) -> datetime | None:
    return None if local is None else local.replace(tzinfo=zone).astimezone(UTC)
