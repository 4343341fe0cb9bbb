"""Relative dates made absolute: "last Friday" becomes the day that it was, reckoned from the message's own date."""

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from recollect.understanding.keyless import vocabulary as words

_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SHORT = {name[:3]: place for place, name in enumerate(_MONTHS, 1)}
_COUNTED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBERS = {word: n for n, word in enumerate(_COUNTED, 1)} | {"a": 1, "an": 1, "a couple of": 2, "couple of": 2}
_NUMBERS |= {"fourteen": 14, "fifteen": 15, "twenty": 20, "thirty": 30}

_NUMBER = (
    r"(?:\d{1,3}|a couple of|couple of|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|fourteen|fifteen|twenty|thirty)"
)
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\b\.?"
)
_WEEKDAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun|mon|tues|wednes|thurs|fri|satur|sun)day"
_PART = r"(?: (?:morning|afternoon|evening|night)(?!s))?"
_BOUND = (
    r"(?P<bound>(?i:to|by|since|until|till|before|after|from|through|starting|on|in|at|for|during|over|around|about"
    r"|of|late in|early in|later|earlier))(?P<the> the| this)? "
)

_DAY_OF_WEEK = (
    rf"(?:(?:an? \w+|an?|the|this|next|last|this coming|coming) )?{_WEEKDAY},?(?: on| the)* "
    rf"(?=\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTH}|last month|this month|next month)|{_MONTH} \d|\d{{1,2}}(?:st|nd"
    r"|rd|th)\b|\d{4}-\d\d-\d\d\b)"
)
"""A weekday that only accompanies a fuller date: "Saturday the" before "9th of May"."""

DATE = rf"(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}|{_MONTH} \d)"
"""How a day of a month begins; the comma of "Saturday, 31 October" parts nothing."""

_RELATIVE = re.compile(
    rf"\b(?:{_BOUND})?(?:{_DAY_OF_WEEK})?(?:"
    r"(?P<shift>the day before yesterday|the day after tomorrow|day before yesterday|day after tomorrow"
    r"|yesterday|tomorrow|today|tonight|last night|this morning|this afternoon|this evening)" + _PART + r"\b"
    r"|(?P<edge>(?:the )?(?:end|start|beginning|middle) of|late|early|mid)[ -](?:(?P<edge_which>the|this"
    rf"|next|last) )?(?P<edge_unit>week|month|year|quarter|{_MONTH}|\d{{4}}\b)(?: "
    r"(?P<edge_year>\d{4})\b)?"
    rf"|(?P<which>this past|this coming|last|next|this|the coming|coming) (?P<unit>{_WEEKDAY}|weekend|week"
    rf"|month|quarter|year|spring|summer|autumn|fall|winter|{_MONTH}|Christmas|Easter){_PART}(?!s"
    r"|-)\b(?P<week_tail> week\b)?"
    rf"|(?P<count>{_NUMBER}) (?P<step>day|week|month|year|fortnight)s? (?P<way>ago|from now|from today|back)(?: "
    r"today)?\b"
    rf"|(?P<ahead>in|within) (?P<ahead_count>{_NUMBER}) (?P<ahead_step>day|week|month|year|fortnight)(?:s'"
    r"|'s|s)?(?: time)?\b(?! of\b)"
    rf"|(?P<month_day>{_MONTH}) (?P<day_after>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:|\d)(?:,? (?P<year_after>\d{{4}})\b)?"
    rf"|(?P<day_before>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<day_month>{_MONTH})(?:,? (?P<year_before>\d{{4}})\b)?"
    r"|(?P<day_of>\d{1,2})(?:st|nd|rd|th)? of (?P<of_month>last|this|next) month\b"
    rf"|(?P<month>{_MONTH})(?: of)?,? (?P<month_year>\d{{4}}|(?:last|this|next) year)\b"
    rf"|(?P<bare_month>{_MONTH})(?![\w-])"
    rf"|(?:(?<=\bon )|(?!{_WEEKDAY} (?:noon|[a-z]{{3,}}[^s]s|[a-z]{{3,}}ing)\b))"
    rf"(?P<bare_weekday>{_WEEKDAY}){_PART}(?!s|-|\.\w| (?:mornings|afternoons|evenings|nights|night|through|to "
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|and (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)\b)\b"
    r"|(?P<ordinal>\d{1,2})(?:st|nd|rd|th)\b(?! (?:from now on|(?:every|each) month|(?:and"
    r"|or) (?:the )?\d{1,2}(?:st|nd|rd|th) floor|floor|time|place|of"
    r"|century|grade|birthday|anniversary"
    r"|edition|street|street|version|attempt|year|season|marathon|\w+ (?:birthday|anniversary)))"
    r"|(?P<iso>\d{4}-\d\d-\d\d)\b"
    r")"
)
_YEAR = re.compile(r"\b(?:in|since|from|until|by|of|around|during) (19\d\d|20\d\d)\b")
_RECURRING = re.compile(
    r"(?:\bevery|\beach|\bmost|\bon some|\bany|\bbetween|\bon my) (?:other |second |single )?$", re.IGNORECASE
)
_ALOOF = frozenset({"to", "by", "since", "until", "till", "before", "after", "from", "through", "starting", "around"})
_PART_OF_A_NAME = re.compile(
    r"(?:\b(?:the|an?|my|our|his|her|their|your|no|some|this|every|that|pick|picked|chose|chosen|choose|prefer)|'s"
    r"|\b(?!On|In|By|At|I\b)[A-Z][\w-]*) $"
)
_WRITTEN = (
    r"(?:(?:on|in|at|around) )?(?:\d{4}(?:-\d\d){0,2}|the (?:week|weekend) of \d{4}-\d\d-\d\d"
    r"|the (?:spring|summer|autumn|fall|winter) of \d{4})"
)
_TWICE = re.compile(rf"\b(?P<first>{_WRITTEN})(?:,? (?:which (?:is|was|will be) |so )?)(?P<second>{_WRITTEN})(?![\w-])")
_BROKEN = re.compile(
    r"\b(?:an?|the|my|our|his|her|their|your|of an?) (?:on|in|at) (?:the )?(?:week(?:end)? of )?\d{4}\b"
    rf"|\b{_WRITTEN},? {_WRITTEN}(?![\w-])|\b(?:on|in|at|for) (?:on|in|at) \d{{4}}"
)
_SEASONS = ("spring", "summer", "autumn", "fall", "winter")

_RESOLVED = re.compile(
    r"\b(?:(?:decided|agreed|chosen|chose|opted|voted|promised|committed) (?:not )?(?:to|that|against)"
    r"|decided:|settled on|decided on|(?:gave|given) (?:us|me)(?= (?:only |just )?(?:until|till)\b)) "
)
_RESOLVED_WHEN = re.compile(
    r"(?<!had )\b(?:decided|agreed|voted|opted|resolved|promised|committed|(?:picked|chose|chosen|set|fixed|found)"
    r" (?:an?|the|our) (?:\w+ )?(?:date|day|weekend|month|venue|slot))\b"
    rf"(?P<when>(?: [^\s,;:]+){{0,6}}?)(?::| (?:not to|to|that|against|for|on)\b(?! (?:the )?(?:{_WEEKDAY}|{_MONTH}"
    r"|\d|last\b|this\b|next\b)))"
    r"|\b(?:settled|landed)(?= on\b)|\b(?:chose|chosen|picked|opted for|selected|(?:went|gone) (?:with|for)"
    r"|settled on)\b"
    r"[^;:]{2,60}? for\b"
)
"""When something was resolved, and after it what was: "decided on Tuesday that …"."""
_FUTURE = re.compile(
    r"\b(?:will|am|is|are|going to|want|wants|plan|plans|planning|hope|hopes|aim|aims|need|must|has to"
    r"|starts?|begins?|would like|goal|deadline|due|cannot|let us|intend)\b"
)
_PAST = re.compile(rf"\b(?:{words.alternatives(words.IRREGULAR_PAST)}|been|ago|\w{{2,}}ed)\b")
_NOT_PAST = re.compile(
    r"\b(?:signed up|booked|registered|enrolled|need|speed|indeed|hundred|feed|bed|red|scheduled|planned"
    r"|supposed|married|engaged|expected|seed|breed|weed|based|wed)\b"
)


_PUT_OFF = re.compile(
    r"\b(?:(?:was|were|got|has been|have been|had been|is|are) )?(?:moved|postponed|pushed|rescheduled|delayed|deferred"
    r"|shifted|put|brought|fixed|set)(?: (?:the|our|my) [\w'-]+(?: [\w'-]+){0,2}?)?(?: off| back| forward| out)?"
    rf"(?: from (?:{_WEEKDAY}|{_MONTH}|the \d{{1,2}}(?:st|nd|rd|th)?))? (?:to|until|till|for) "
    r"(?=(?:the )?(?:this |next )?"
    rf"(?:{_WEEKDAY}|{_MONTH}|\d{{1,2}}(?:st|nd|rd|th)?\b))"
)
"""What was put off lies ahead: "the review was moved to Monday"."""
_SAME_IN_PAST = re.compile(
    r"^(?:I|we) (?:just |only |already |also |finally )*(?:read|put|set|cut|quit|hit|shut|split|beat|cast|let)\b.*"
    rf"\b(?:in (?:{_MONTH}|\d{{4}})|last \w+|yesterday|on {_WEEKDAY}(?!s)|this morning|ago)"
)


class _Point(NamedTuple):
    """A date as precise as it was said."""

    written: str
    day: date
    preposition: str


@dataclass(frozen=True, slots=True)
class Dated:
    """A text with its dates absolute, and the first of them as a day."""

    text: str
    day: date | None
    relative: bool
    """Whether a date was said that had to be reckoned, or a full one."""


def is_past(text: str) -> bool:
    """Whether a clause looks back."""
    if _SAME_IN_PAST.match(text):
        return True
    text = _PUT_OFF.sub("will ", _RESOLVED.sub("will ", text))
    ahead = _FUTURE.search(text)
    back = _PAST.search(_NOT_PAST.sub("", text))
    if back is None:
        return False
    return ahead is None or back.start() < ahead.start() or back.group() in {"was", "were"}


_CALENDAR = (
    "day", "week", "month", "year", "ago", "night", "morning", "noon", "evening", "quarter", "spring",
    "summer", "autumn",
    "fall", "winter", "christmas", "easter", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep",
    "oct", "nov",
    "dec", "fortnight", "tomorrow",
)  # fmt: skip


def _may_date(text: str) -> bool:
    """Whether a text holds a digit or a word of the calendar at all."""
    low = text.lower()
    return any(word in low for word in _CALENDAR) or any(map(str.isdigit, text))


_TWO_PREPOSITIONS = re.compile(r"\b(on|in) (on|in) (?=\d{4}|the week)", re.IGNORECASE)


def _second(found: re.Match[str]) -> str:
    """The preposition that the date brought, written as large as the one before it."""
    return f"{found[2].capitalize() if found[1][0].isupper() else found[2]} "


_SHARED_MONTH = re.compile(
    r"\b(?P<day>\d{1,2}(?:st|nd|rd|th)?)"
    rf"(?P<and>(?: and| or| to|,)(?: on)?(?: the)? \d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?P<month>{_MONTH}))"
)
"""Two days of one month, of which the first leaves the month to the second: "the 17th and 18th of January"."""


def absolute(text: str, today: date, past: bool | None = None) -> Dated:
    """The text with each date written in ISO form: a day, a month, a year, or the week of a Monday."""
    if not _may_date(text):
        return Dated(text, None, False)
    text = _SHARED_MONTH.sub(r"\g<day> \g<month>\g<and>", text)
    looks_back = _direction(text, is_past(text) if past is None else past)
    days: list[date] = []

    def written(found: re.Match[str]) -> str:
        before = text[max(found.start() - 24, 0) : found.start()]
        if _RECURRING.search(before) or (found["bare_weekday"] and _names_something(found, text, before)):
            return found.group()
        point = _point(found, today, looks_back(found.start()))
        if point is None:
            return found.group()
        days.append(point.day)
        return _with_preposition(found, point)

    try:
        made = _RELATIVE.sub(written, text)
    except (ValueError, OverflowError):
        return Dated(text, None, False)
    made = _TWICE.sub(_finer, _TWO_PREPOSITIONS.sub(_second, made))
    if days and _BROKEN.search(made):
        return Dated(text, None, False)
    if not days and (year := _YEAR.search(made)) is not None:
        return Dated(made, date(int(year[1]), 1, 1), False)
    return Dated(made, days[0] if days else None, bool(days))


_SINCE_WHAT = re.compile(r"\bsince (?:the|my|our|his|her|their|an?) [^,;:]+$")


def _direction(text: str, past: bool) -> Callable[[int], bool]:
    """Whether a date at a place of the text lies behind: what was resolved may lie ahead of when it was."""
    since, resolved = _SINCE_WHAT.search(text), _RESOLVED_WHEN.search(text)
    if since is not None:
        return lambda place: past or place > since.start()
    if resolved is None:
        return lambda place: past
    lies_behind = is_past(text[resolved.end() :])
    ahead_from = resolved.end("when") if resolved["when"] is not None else resolved.end()
    return lambda place: place < ahead_from or lies_behind


def _names_something(found: re.Match[str], text: str, before: str) -> bool:
    """A weekday that is part of a name ("the Tuesday class") or owns something ("Thursday's")."""
    after = text[found.end() :]
    if after.startswith(("'s", "’s")):
        return True
    if found["bound"]:
        return found["the"] is not None and _NOUN_AFTER.match(after) is not None
    return _PART_OF_A_NAME.search(before) is not None


_NOUN_AFTER = re.compile(
    r" (?!(?:at|in|on|before|after|of|and|or|but|so|because|since|until|with|for|from|to|by|when|I|we|the|my|our|that"
    r"|which|not)\b)[a-z]"
)


def _finer(found: re.Match[str]) -> str:
    """Of two dates for one time the one that says more ("last week on March 31st")."""
    first, second = found["first"], found["second"]
    return first if first.count("-") >= second.count("-") and "week" not in first else second


def _with_preposition(found: re.Match[str], point: _Point) -> str:
    bound = found["bound"]
    if bound and bound.lower() in _ALOOF:
        return f"{bound} {point.written}"
    if bound == "of":
        return f"of {point.written}"
    if bound == "about":
        return f"around {point.written}"
    if bound == "for":
        return f"for {point.written}"
    return f"{point.preposition} {point.written}".strip()


def _point(found: re.Match[str], today: date, back: bool) -> _Point | None:
    """The date that one match means; None where it names no single time."""
    readers = (
        ("shift", _shifted), ("edge", _edged), ("which", _chosen), ("count", _counted), ("ahead", _counted_ahead),
        ("month_day", _named_day), ("day_before", _named_day), ("day_of", _day_of_near_month), ("month", _named_month),
        ("bare_month", _bare_month), ("bare_weekday", _bare_weekday), ("ordinal", _day_of_month), ("iso", _iso),
    )  # fmt: skip
    for group, reader in readers:
        if found[group]:
            return reader(found, today, back)
    return None


def _shifted(found: re.Match[str], today: date, back: bool) -> _Point:
    said = found["shift"].removeprefix("the ")
    days = {"day before yesterday": -2, "day after tomorrow": 2, "yesterday": -1, "last night": -1, "tomorrow": 1}
    return _on(today + timedelta(days=days.get(said, 0)))


def _edged(found: re.Match[str], today: date, back: bool) -> _Point | None:
    edge = found["edge"].removeprefix("the ")
    edge = f"{edge} "
    article = "the " if " of" in edge else ""
    unit, which = found["edge_unit"], found["edge_which"]
    if unit.isdigit():
        return _Point(f"{article}{edge}{unit}", date(int(unit), 1, 1), "in" if not article else "at")
    if unit in {"week", "month", "year", "quarter"}:
        if not article:
            return None
        base = _unit_from(unit, {"next": 1, "last": -1}.get(which or "", 0), today)
    else:
        base = _month_point(_month_number(unit), found["edge_year"], today, back)
    return base and _Point(f"{article}{edge}{base.written}", base.day, "at" if article else "in")


def _chosen(found: re.Match[str], today: date, back: bool) -> _Point | None:
    which, unit = found["which"], found["unit"]
    step = {"last": -1, "this past": -1, "this": 0}.get(which, 1)
    if unit.lower() in _DAYS:
        if found["week_tail"]:
            return None
        return _on(_weekday(unit, today, "last" if step < 0 else "this" if which == "this" else "next"))
    if unit in _SEASONS:
        return _season(unit, step, today, back)
    if unit in {"Christmas", "Easter"}:
        year = today.year + min(step, 0)
        return _Point(
            f"{unit} {year}", date(year, 12 if unit == "Christmas" else 4, 25 if unit == "Christmas" else 1), "at"
        )
    if unit in {"week", "weekend", "month", "quarter", "year"}:
        return _unit_from(
            unit, step if which not in {"this coming", "coming"} else (0 if unit == "weekend" else 1), today
        )
    number = _month_number(unit)
    year = today.year
    if step < 0:
        year -= number >= today.month
    else:
        year += number < today.month or (which == "next" and number == today.month)
    return _month(year, number)


def _unit_from(unit: str, step: int, today: date) -> _Point:
    monday = today - timedelta(days=today.weekday())
    if unit == "week":
        start = monday + timedelta(weeks=step)
        return _Point(f"the week of {start}", start, "in")
    if unit == "weekend":
        saturday = monday + timedelta(days=5, weeks=step)
        return _Point(f"the weekend of {saturday}", saturday, "on")
    if unit == "quarter":
        index = today.year * 4 + (today.month - 1) // 3 + step
        return _Point(f"Q{index % 4 + 1} {index // 4}", date(index // 4, index % 4 * 3 + 1, 1), "in")
    if unit == "month":
        index = today.year * 12 + today.month - 1 + step
        return _month(index // 12, index % 12 + 1)
    return _year(today.year + step)


def _season(unit: str, step: int, today: date, back: bool) -> _Point:
    first = {"spring": 3, "summer": 6, "winter": 12}.get(unit, 9)
    year = today.year
    over = today.month >= first + 3
    if step < 0:
        year -= not over
    elif step > 0 or (step == 0 and over and not back):
        year += over or today.month >= first
    return _Point(f"the {unit} of {year}", date(year, first, 1), "in")


def _counted(found: re.Match[str], today: date, back: bool) -> _Point | None:
    count = _number(found["count"])
    return _moved(count if found["way"].startswith("from") else -count, found["step"], today)


def _counted_ahead(found: re.Match[str], today: date, back: bool) -> _Point | None:
    if back or found["bound"] or found["ahead"] == "within":
        return None
    return _moved(_number(found["ahead_count"]), found["ahead_step"], today)


def _moved(count: int, step: str, today: date) -> _Point:
    if step == "year":
        return _year(today.year + count)
    if step == "month":
        index = today.year * 12 + today.month - 1 + count
        return _month(index // 12, index % 12 + 1)
    return _on(today + timedelta(days=count * {"day": 1, "week": 7, "fortnight": 14}[step]))


def _named_day(found: re.Match[str], today: date, back: bool) -> _Point | None:
    month = _month_number(found["month_day"] or found["day_month"])
    day = int(found["day_after"] or found["day_before"])
    year = found["year_after"] or found["year_before"]
    if year:
        return _on(date(int(year), month, day))
    this = today.year
    if not 1 <= day <= monthrange(this, month)[1]:
        return None
    there = date(this, month, day)
    if back and there > today:
        return _on(date(this - 1, month, day))
    return _on(date(this + 1, month, day)) if not back and there < today else _on(there)


def _named_month(found: re.Match[str], today: date, back: bool) -> _Point:
    said = found["month_year"]
    year = int(said) if said.isdigit() else today.year + {"last": -1, "next": 1}.get(said.split()[0], 0)
    return _month(year, _month_number(found["month"]))


def _bare_month(found: re.Match[str], today: date, back: bool) -> _Point | None:
    """A month counts only behind a preposition: "May", "March" and "April" are other words too."""
    if found["bound"] is None or found["bound"] in {"at", "for"}:
        return None
    return _month_point(_month_number(found["bare_month"]), None, today, back or found["bound"] == "since")


def _month_point(number: int, year: str | None, today: date, back: bool) -> _Point:
    if year:
        return _month(int(year), number)
    if back:
        return _month(today.year - (number > today.month), number)
    return _month(today.year + (number < today.month), number)


def _bare_weekday(found: re.Match[str], today: date, back: bool) -> _Point | None:
    if found["bound"] in {"for", "of", "at", "in", "from", "through"}:
        return None
    return _on(_weekday(found["bare_weekday"], today, "last" if back or found["bound"] == "since" else "next"))


def _day_of_month(found: re.Match[str], today: date, back: bool) -> _Point | None:
    if found["bound"] not in {"on", "by", "until", "since", "before", "after", "from"} and not _weekday_said(found):
        return None
    day, index = int(found["ordinal"]), today.year * 12 + today.month - 1
    if back and day > today.day:
        index -= 1
    elif not back and day < today.day:
        index += 1
    year, month = index // 12, index % 12 + 1
    return _on(date(year, month, day)) if 1 <= day <= monthrange(year, month)[1] else None


def _weekday_said(found: re.Match[str]) -> bool:
    return "day" in found.group()


def _day_of_near_month(found: re.Match[str], today: date, back: bool) -> _Point | None:
    """ "the 15th of last month"."""
    index = today.year * 12 + today.month - 1 + {"last": -1, "next": 1}.get(found["of_month"], 0)
    year, month, day = index // 12, index % 12 + 1, int(found["day_of"])
    return _on(date(year, month, day)) if 1 <= day <= monthrange(year, month)[1] else None


def _iso(found: re.Match[str], today: date, back: bool) -> _Point:
    return _on(date.fromisoformat(found["iso"]))


def _weekday(name: str, today: date, which: str) -> date:
    ahead = (_DAYS.index(name.lower()) - today.weekday()) % 7
    if which == "last":
        return today + timedelta(days=ahead - 7)
    return today + timedelta(days=ahead or (7 if which == "next" else 0))


def _month_number(name: str) -> int:
    return _SHORT[name.lower()[:3]]


def _number(said: str) -> int:
    return int(said) if said.isdigit() else _NUMBERS[said]


def _on(day: date) -> _Point:
    return _Point(day.isoformat(), day, "on")


def _month(year: int, month: int) -> _Point:
    return _Point(f"{year:04d}-{month:02d}", date(year, month, 1), "in")


def _year(year: int) -> _Point:
    return _Point(str(year), date(year, 1, 1), "in")
