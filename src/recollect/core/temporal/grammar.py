"""The rules by which neighbouring items fold into times."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from recollect.core.temporal import expressions as means
from recollect.core.temporal import series
from recollect.core.temporal.items import Item
from recollect.core.temporal.times import Asked, Time
from recollect.core.temporal.words import HOLIDAYS

_Builder = Callable[..., Time | bool | None]


class _Element(NamedTuple):
    names: tuple[str, ...]
    kind: str
    """ "?" lets the place stay empty, "!" forbids the names."""


class _Rule(NamedTuple):
    elements: tuple[_Element, ...]
    starts: frozenset[str]
    build: _Builder
    makes: str


def _rule(pattern: str, build: _Builder, makes: str = "TIME") -> _Rule:
    """A pattern is read word by word: "a|b" is either, "a|b?" either or neither, "!a|b" neither of them ahead.

    Capitals are tags, and their values go to the builder. The time that it returns takes the place of what was
    matched; True strikes it out, None lets the next rule try.
    """
    elements = tuple(map(_element, pattern.split()))
    return _Rule(elements, frozenset(elements[0].names), build, makes)


def _element(written: str) -> _Element:
    kind = "?" if written.endswith("?") else "!" if written.startswith("!") else ""
    return _Element(tuple(written.strip("?!").split("|")), kind)


def _struck(asked: Asked, *_: Any) -> bool:
    """ "my last week at Google" is no week of the calendar."""
    return True


def _same(asked: Asked, time: Time) -> Time:
    return time


_TIMES = (
    *(_rule(phrase, series.holiday(*date)) for phrase, date in HOLIDAYS.items()),
    # Dates.
    _rule("DAY|NTH of? TIME", means.day_of),
    _rule("TIME the|.? DAY !:|%", means.month_day),
    _rule("the DAYTH !of|-|–", series.day_of_month),
    _rule("NTH quarter", series.quarter),
    _rule("the weekend", series.weekend),
    # What is no one time.
    _rule("OWNER LAST|NEXT", _struck),
    _rule("the NEXT", _struck),
    _rule("half AGO", _struck),
    _rule("every|each|any|most|some|a|an TIME", lambda asked, time: True if time.period else None),
    # Counted from now.
    _rule("more than AGO", _same, "UNTIL"),
    _rule("NUMBER or|to|-|– AGO", means.ago_from, "AGO"),
    _rule("NUMBER of? COUNTED ago|back", means.ago, "AGO"),
    _rule("the|these|in|over|during|for|within last|past NUMBER of? COUNTED !of", means.rolling),
    # Pieces.
    _rule("NTH|FINAL UNIT|TIME of|in the? TIME", means.nth),
    _rule("last UNIT of", _struck),
    _rule("NTH half of the? TIME", lambda asked, number, time: means.part_of(asked, number - 1, time, of=2)),
    _rule("EARLY -|in? the? TIME", means.part_of),
    _rule("EDGE of the? TIME|UNIT", means.part_of),
    _rule("UNIT of the? TIME", means.unit_of),
    # Beside now, and beside another time.
    _rule("the LAST", lambda asked, time: means.rolling(asked, (1, 1), time)),
    _rule("last|past|previous TIME|UNIT|PART", lambda asked, time: means.ago(asked, (1, 1), time), "LAST"),
    _rule("TIME|UNIT|PART before last", lambda asked, time: means.ago(asked, (2, 2), time)),
    _rule("this|current TIME|UNIT|PART", means.this),
    _rule("next|coming TIME|UNIT", means.following, "NEXT"),
    _rule("TIME|UNIT SIDE TIME", means.beside),
    # A time inside a time.
    _rule("PART of|on? the? TIME", means.joined),
    _rule("TIME of|in|on|at|,? the? TIME|PART", means.joined),
)

_RANGES = (
    _rule("from TIME on|onward|onwards", _same, "SINCE"),
    _rule("from|between TIME to|until|till|and now|today", _same, "SINCE"),
    _rule("TIME|DAY -|–|to|and|or|until|through DAY|TIME", means.days_between),
    _rule("between TIME and the? TIME", means.ranged),
    _rule("from|since TIME to|through|until|till|-|–|—|/ the? TIME", means.ranged),
    _rule("TIME to|through|until|till|-|–|—|/ the? TIME", means.ranged),
    _rule("TIME ,|and|or|than|versus|vs|compare|compared and|or|to|with|the? TIME", means.either),
)
# Most words begin no rule.
_STARTS = frozenset().union(*(rule.starts for rule in (*_TIMES, *_RANGES)))


def folded(items: list[Item], asked: Asked) -> list[Item]:
    # From the right, so that in "the last Friday of last month" the month is known before its Friday.
    for place in range(len(items) - 1, -1, -1):
        items = _folded_at(items, place, _TIMES, asked)
    # From the left, so that "between" is seen before the "and".
    for place in range(len(items)):
        items = _folded_at(items, place, _RANGES, asked)
    return items


def _folded_at(items: list[Item], place: int, rules: tuple[_Rule, ...], asked: Asked) -> list[Item]:
    while place < len(items) and (fold := _fold(items, place, rules, asked)) is not None:
        items = [*items[:place], fold[0], *items[fold[1] :]]
    return items


def _fold(items: list[Item], place: int, rules: tuple[_Rule, ...], asked: Asked) -> tuple[Item, int] | None:
    """What the first rule that fits here makes of it, and the place behind."""
    tags = items[place].tags
    if _STARTS.isdisjoint(tags):
        return None
    for rule in rules:
        if rule.starts.isdisjoint(tags):
            continue
        match = _match(rule.elements, items, place)
        made = match and rule.build(asked, *match[0])
        if match and made:
            meaning = {rule.makes: made, "TIME": made} if isinstance(made, Time) else {}
            return Item("", meaning, items[place].glued), match[1]
    return None


def _match(elements: tuple[_Element, ...], items: list[Item], place: int) -> tuple[tuple[Any, ...], int] | None:
    """The values of the tags that match from a place on, and the place behind them."""
    if not elements:
        return (), place
    (names, kind), rest = elements[0], elements[1:]
    tags: Mapping[str, Any] = items[place].tags if place < len(items) else {}
    hit = next((name for name in names if name in tags), None)
    if kind == "!":
        return None if hit else _match(rest, items, place)
    if hit is not None and (found := _match(rest, items, place + 1)) is not None:
        return ((tags[hit], *found[0]) if hit.isupper() else found[0]), found[1]
    return _match(rest, items, place) if kind == "?" else None
