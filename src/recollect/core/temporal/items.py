"""A question cut into words and marks, each tagged with what it may mean."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from recollect.core.temporal import series, words
from recollect.core.temporal.times import Asked, Time, once

_QUOTED = re.compile(r"\"[^\"]{1,80}\"|“[^”]{1,80}”|(?<!\w)['‘][^'’‘]{1,80}['’](?!\w)|(?<!\w)\*[^*]{1,80}\*")
_SHORT_YEAR = re.compile(r"(?<!\w)'(?=[0-9]{2}(?!\w))")
_TOKEN = re.compile(
    r"""
      (?<![\w/.-]) (?:
        (?P<iso>[0-9]{4}(?P<dash>[-/])[0-9]{1,2}(?P=dash)[0-9]{1,2}(?:T[0-9:.+-]+Z?)?)
      | (?P<numeric>[0-9]{1,2}/[0-9]{1,2}(?:/[0-9]{2}(?:[0-9]{2})?)?|[0-9]{1,2}(?P<dot>[-.])[0-9]{1,2}(?P=dot)[0-9]{4})
      ) (?![\w/-])
    | (?P<fraction>[0-9]+(?:[.:][0-9]+|,[0-9]{3}(?![0-9]))+\w*)
    | (?P<word>\w+(?:'\w+)*)
    | (?P<mark>\S)
    """,
    re.VERBOSE,
)
_NUMBER = re.compile(r"(?P<number>[0-9]{1,4})|(?P<day>[0-9]{1,2})(?:st|nd|rd|th)|(?P<decade>(?:19|20)[0-9]0)s")
_QUARTERS = frozenset({"q1", "q2", "q3", "q4"})
_SENTENCE_STARTS = frozenset('.?!:"“(-')
_TABLES: Mapping[str, Mapping[str, Any]] = {
    "NUMBER": words.NUMBERS,
    "NTH": words.ORDINALS,
    "FINAL": words.FINAL,
    "EARLY": words.EARLY,
    "EDGE": words.EDGES,
    "SIDE": words.SIDES,
}


_TIMES = frozenset().union(
    words.MONTHS, words.WEEKDAYS, words.SHORT_WEEKDAYS, words.SEASONS, words.DAYS_FROM_TODAY, _QUARTERS, {"tonight"}
)
_COUNTED = frozenset().union(words.UNITS, words.PARTS, words.WEEKDAYS, words.SEASONS)
_MEANINGFUL = frozenset().union(*_TABLES.values(), _COUNTED, (f"{word}s" for word in _COUNTED))


@dataclass(frozen=True, slots=True)
class Item:
    """A word, a mark, or several of them folded into one meaning."""

    text: str
    """In lower case, but for words of a title; empty once folded."""
    tags: Mapping[str, Any]
    """What the grammar can match, each with its value: the word itself, or a meaning in capitals."""
    glued: bool = False
    """Whether no space parts it from the item before."""


_Named = tuple[str, Mapping[str, Any]]
"""The text and the tags of an item."""


def items_of(question: str, asked: Asked) -> list[Item]:
    """A quoted title becomes one mark, '24 is 2024; a question quoted as a whole keeps its words."""
    text = _SHORT_YEAR.sub("20", question.strip().strip('"“”').replace("’", "'"))
    text = _QUOTED.sub(" § ", text)
    capitals_tell = _capitals_tell(text)
    items: list[Item] = []
    end = -1
    for match in _TOKEN.finditer(text):
        before = items[-1].text if items else "."
        titled = capitals_tell and before not in _SENTENCE_STARTS and match.group()[0].isupper()
        named = _word(match.group(), before, titled, asked) if match.lastgroup == "word" else _other(match, asked)
        items.append(Item(*named, glued=match.start() == end))
        end = match.end()
    return items


def _capitals_tell(text: str) -> bool:
    """Not in shouted questions, nor in Questions Like This."""
    initials = [word[0] for word in re.findall(r"[^\W\d_]+", text) if word != "I"]
    return sum(map(str.isupper, initials)) <= 0.6 * len(initials)


def _other(match: re.Match[str], asked: Asked) -> _Named:
    """A mark, or a date in digits."""
    text = match.group()
    numbers = [int(digits) for digits in re.findall("[0-9]+", text)]
    time = None
    if match.lastgroup == "iso":
        time = series.date(*numbers[:3])
    elif match.lastgroup == "numeric":
        time = series.numeric_date(asked, "/" in text, *numbers)
    return text, {text: None} if time is None else {text: None, "TIME": time}


def _word(written: str, before: str, titled: bool, asked: Asked) -> _Named:
    text = written.lower()
    owner = text.endswith("'s")
    text = text.removesuffix("'s")
    if titled and text in words.TITLE_WORDS:
        return written, {}
    if titled and (text in words.UNITS or text in words.PARTS):
        return written, {text: None}
    tags = {text: None} | (_number(text) if text[0].isdigit() else _meanings(text, asked))
    if text in words.OWNERS or (owner and text not in words.FOLLOWERS and text not in words.TRIGGERS):
        tags["OWNER"] = None
    time = _time(text, before, written[0].isupper(), asked) if text in _TIMES else None
    if owner and time is not None and time.period:
        # "Monday's meeting" was on Monday, whatever noun follows; "March's full name" is a person's.
        time = replace(time, cues=words.BEFORE_OWN_DAY, guarded=False) if text in words.WEEKDAYS else None
    return text, tags if time is None else tags | {"TIME": time}


def _number(text: str) -> dict[str, Any]:
    match = _NUMBER.fullmatch(text)
    if match is None or match["decade"]:
        return {} if match is None else {"TIME": series.years(int(match["decade"]), 10)}
    number = int(match["day"] or match["number"])
    tags: dict[str, Any] = {"NTH": number, "DAYTH": number} if match["day"] else {"NUMBER": (number, number)}
    if 1 <= number <= 31:
        tags["DAY"] = number
    if 1900 <= number < 2200:
        tags["TIME"] = series.years(number)
    return tags


def _meanings(text: str, asked: Asked) -> dict[str, Any]:
    """What a word contributes to the times that other words name: most words nothing."""
    if text not in _MEANINGFUL:
        return {}
    tags = {tag: table[text] for tag, table in _TABLES.items() if text in table}
    one = text.removesuffix("s")
    if one in words.UNITS:
        tags["COUNTED"] = tags["UNIT" if text == one else "UNITS"] = series.unit(asked, one)
    elif one in words.PARTS:
        tags["COUNTED"] = tags["PART" if text == one else "PARTS"] = series.part_of_day(asked, one)
    elif text != one and (one in words.WEEKDAYS or one in words.SEASONS):
        tags["COUNTED"] = _time(one, "", False, asked)
    return tags


def _time(text: str, before: str, capital: bool, asked: Asked) -> Time | None:
    """The time that a word names by itself."""
    if text in words.MONTHS and (capital or text not in words.VERBS or before in words.BEFORE_VERB_MONTH):
        cues = words.BEFORE_GIVEN_NAME if text in words.GIVEN_NAMES else words.IN
        return series.months_of_year(asked, "month", words.MONTHS[text], 1, cues)
    if text in words.WEEKDAYS or (capital and text in words.SHORT_WEEKDAYS):
        return series.weekday(asked, (words.WEEKDAYS | words.SHORT_WEEKDAYS)[text])
    if text in words.SEASONS:
        # "after the fall" is after an accident.
        cues = words.IN - words.BOUNDS if text == "fall" else words.IN
        return series.months_of_year(asked, "season", words.SEASONS[text], 3, cues)
    if text in words.DAYS_FROM_TODAY:
        return series.day_from_today(asked, words.DAYS_FROM_TODAY[text])
    if text in _QUARTERS:
        return series.quarter(asked, int(text[1]))
    return once(series.part_of_day(asked, "night").at(0), "part") if text == "tonight" else None
