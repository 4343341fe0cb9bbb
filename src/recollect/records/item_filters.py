"""Which items are meant, by what their values hold: LangGraph's filters, in the meaning of its in-memory store, as SQL.

A field is compared with a value, or with {"$eq" | "$ne" | "$gt" | "$gte" | "$lt" | "$lte": value}; an object with
neither is compared field by field, a list element by element. A field that is missing is null. What is no number is
neither larger nor smaller than one.
"""

from collections.abc import Mapping, Sequence
from math import isnan, nan
from typing import Any

from recollect.core import check
from recollect.core.errors import InvalidInput
from recollect.db.compose import SQL, Composed, Jsonb, Literal

_COMPARED = {"$gt": SQL(">"), "$gte": SQL(">="), "$lt": SQL("<"), "$lte": SQL("<=")}
_MOST_BYTES = 100_000
_TRUE = SQL("true").format()

# Numbers in text count as numbers; an exponent of four digits is beyond any float.
_NUMBER = SQL(
    "case jsonb_typeof({0}) when 'number' then ({0} #>> '{{}}')::numeric when 'boolean' then {0}::boolean::integer"
    r" when 'string' then case when {0} #>> '{{}}' ~ '^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{{1,3}})?\s*$'"
    " then ({0} #>> '{{}}')::numeric end end"
)


def conditions(given: Mapping[str, Any] | None) -> Composed:
    """A filter as a condition over the JSON text in `content`."""
    if not given:
        return _TRUE
    check.mapping("filter", given, most_bytes=_MOST_BYTES)
    value = SQL("content::jsonb").format()
    return _all([_equal(f"filter.{name}", _at(value, name), wanted) for name, wanted in given.items()])


def _all(conditions: Sequence[Composed]) -> Composed:
    return SQL("({})").format(SQL(" and ").join(conditions)) if conditions else _TRUE


def _at(value: Composed, place: str | int) -> Composed:
    return SQL("({} -> {})").format(value, place)


def _equal(field: str, value: Composed, wanted: Any) -> Composed:
    if isinstance(wanted, Mapping):
        return _like(field, value, wanted)
    if isinstance(wanted, list | tuple):
        same = [_equal(f"{field}[{place}]", _at(value, place), each) for place, each in enumerate(wanted)]
        # In a case, as only the length of an array can be asked for.
        return SQL(
            "(case when jsonb_typeof({0}) = 'array' then jsonb_array_length({0}) = {1} and {2} else false end)"
        ).format(value, len(wanted), _all(same))
    return _is(value, wanted)


def _like(field: str, value: Composed, wanted: Mapping[str, Any]) -> Composed:
    if any(name.startswith("$") for name in wanted):
        return _all([_operated(f"{field}.{name}", value, name, bound) for name, bound in wanted.items()])
    same = [_equal(f"{field}.{name}", _at(value, name), each) for name, each in wanted.items()]
    return SQL("(coalesce(jsonb_typeof({0}) = 'object', false) and {1})").format(value, _all(same))


def _operated(field: str, value: Composed, operator: str, bound: Any) -> Composed:
    if operator == "$eq":
        return _is(value, bound)
    if operator == "$ne":
        return SQL("(not {})").format(_is(value, bound))
    if operator not in _COMPARED:
        known = ", ".join(("$eq", "$ne", *_COMPARED))
        raise InvalidInput(field, f"is no operator: there are {known}")
    number = Literal(_number(field, bound))
    return SQL("coalesce(({}) {} {}::numeric, false)").format(_NUMBER.format(value), _COMPARED[operator], number)


def _is(value: Composed, wanted: Any) -> Composed:
    """Equal as Python has it: true is 1, and false 0."""
    same = [wanted]
    if isinstance(wanted, bool):
        same.append(int(wanted))
    elif isinstance(wanted, int | float) and wanted in (0, 1):
        same.append(bool(wanted))
    listed = SQL(", ").join([Literal(Jsonb(each)) for each in same])
    return SQL("(coalesce({}, 'null') in ({}))").format(value, listed)


def _number(field: str, bound: Any) -> str:
    """As text: a float of any size; in text it may be infinite."""
    try:
        number = float(bound)
    except (TypeError, ValueError, OverflowError):
        number = nan
    if isnan(number):
        raise InvalidInput(field, f"must be a number to compare with, not {bound!r:.80}")
    return repr(number)
