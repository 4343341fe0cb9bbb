"""Whether a value is of the kind that its key holds, and where it ends: a job is somebody, a name no language. Pure."""

import re
from collections.abc import Callable, Mapping

from recollect.understanding.keyless import vocabulary as words
from recollect.understanding.keyless.text import pattern

_RUNS_ON = re.compile(r",?(?: (?:and|but|so|or|where|which|who|because|since|plus))*(?: (?:I|i)(?:['’]\w+)?)?$")
"""The beginning of what follows: "Gdańsk and I", "titan arum and"."""
_DAY = pattern(
    r"(?:the )?\d{1,2}(?:st|nd|rd|th)?(?: of)? <MONTH>\b(?:,? (?:\d{4}|['’]\d\d))?"
    r"|<MONTH> (?:the )?\d{1,2}(?:st|nd|rd|th)?\b(?:,? (?:\d{4}|['’]\d\d))?|\d{4}-\d\d-\d\d"
    r"|\d{1,2}[./]\d{1,2}(?:[./]\d{2,4})?",
    re.IGNORECASE,
)
_ONE_OF = re.compile(r"^(?:the |an? )?(?:only|sole(?! trader)|other|same|resident|current|new) (?=\w)", re.IGNORECASE)
_CONTRASTED = re.compile(r",? (?:not|rather than|and not|but not) (?:an? )?\w.*$")
_PART = re.compile(r"[ \-/]+")
_OTHERS_OWN = re.compile(r"(?:his|her|their|your|its)\b|(?:girlfriends|boyfriends|wives|husbands|partners)\b", re.I)
_HALF = re.compile(r"\b(?:half|part|quarter)\b", re.IGNORECASE)
_SPELT = words.DEMONYMS | words.TONGUES


def fitted(key: str, value: str) -> str | None:
    """A value of a key of the identity in its own extent; nothing where it is no such thing."""
    value = _RUNS_ON.sub("", value).strip()
    fit = _KINDS.get(key)
    return value or None if fit is None or not value else fit(value)


def _name(value: str) -> str | None:
    parts = _PART.split(value)
    if any(letter.isdigit() for letter in value) or set(parts) <= _SPELT:
        return None
    return value


def _kin(value: str) -> str | None:
    return None if value in _SPELT or _OTHERS_OWN.match(value) else value


_CHILD = re.compile(
    r"\b(?:kids?|child(?:ren)?|sons?|daughters?|boys?|girls?|bab(?:y|ies)|twins?|triplets|toddlers?|teenagers?"
    r"|newborn|stepsons?"
    r"|stepdaughters?|little ones?|one|two|three|four|five|six|yo|year-olds?|month-olds?|eldest|youngest|oldest"
    r"|infant|lads?"
    r"|lass(?:es)?|bairns?)\b|\d",
    re.IGNORECASE,
)


def _child(value: str) -> str | None:
    named = any(part[:1].isupper() for part in value.split())
    return _kin(value) if named or _CHILD.search(value) else None


def _job(value: str) -> str | None:
    return _CONTRASTED.sub("", _ONE_OF.sub("", value)) or None


def _birthday(value: str) -> str | None:
    day = _DAY.search(value)
    return (
        value
        if day is None or day.group() == value
        else re.sub(r"\b(?:the|of) ", "", re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", day.group()))
    )


def _nationality(value: str) -> str | None:
    if _HALF.match(value) and len(_HALF.findall(value)) == 1:
        return None
    spelt = " " in value or value[:1].isupper() or value.capitalize() in _SPELT or value == "stateless"
    return value if spelt else None


_KINDS: Mapping[str, Callable[[str], str | None]] = {
    "name": _name,
    "full_name": _name,
    "preferred_name": _name,
    "children": _child,
    "partner": _kin,
    "pets": _kin,
    "job": _job,
    "birthday": _birthday,
    "nationality": _nationality,
}
