"""The known keys of the profile: which there are, which hold several values, how they are written and said."""

import re
from collections.abc import Mapping

from recollect.core.terms import terms
from recollect.understanding.model import FactType

KEYS: Mapping[FactType, tuple[str, ...]] = {
    "identity": (
        "name", "full_name", "preferred_name", "pronouns", "age", "birthday", "city", "hometown", "nationality",
        "language", "timezone", "job", "employer", "school", "partner", "children", "pets", "email",
    ),
    "preference": (
        "language", "editor", "operating_system", "framework", "database", "coding_style", "units", "theme", "tone",
    ),
    "constraint": ("diet", "allergy", "intolerance", "condition", "medication", "availability", "budget"),
    "instruction": ("reply_language", "reply_length", "reply_format"),
}  # fmt: skip
MANY = frozenset({"allergy", "intolerance", "condition", "medication", "children", "pets"})
FAVORITE = "favorite_"
STANDING = "rule_"
"""How the key of a standing order begins that has no key of its own."""

_SYNONYMS = {
    "dob": "birthday", "date_of_birth": "birthday", "birth_date": "birthday", "location": "city", "home_city": "city",
    "residence": "city", "occupation": "job", "profession": "job", "role": "job", "company": "employer",
    "workplace": "employer", "university": "school", "college": "school", "spouse": "partner", "wife": "partner",
    "husband": "partner", "child": "children", "kids": "children", "pet": "pets", "mail": "email",
    "email_address": "email", "nickname": "preferred_name", "native_language": "language", "mother_tongue": "language",
    "programming_language": "language", "ide": "editor", "os": "operating_system", "allergies": "allergy",
    "intolerances": "intolerance", "conditions": "condition", "medications": "medication", "time_zone": "timezone",
    "citizenship": "nationality", "origin": "hometown",
}  # fmt: skip
_AMERICAN = {
    "favourite": "favorite",
    "colour": "color",
    "flavour": "flavor",
    "theatre": "theater",
    "programme": "program",
}
_SINGULAR_S = ("ss", "us", "is", "news", "series", "os")

_IMPORTANCE = {
    "name": 1.0, "preferred_name": 1.0, "allergy": 1.0, "condition": 0.95, "medication": 0.95, "intolerance": 0.95,
    "diet": 0.9, "pronouns": 0.9, "full_name": 0.9, "partner": 0.85, "children": 0.85, "city": 0.85, "job": 0.85,
    "timezone": 0.8, "employer": 0.8, "birthday": 0.8, "language": 0.8, "tone": 0.8, "pets": 0.75, "age": 0.7,
    "school": 0.7, "hometown": 0.7, "nationality": 0.7, "email": 0.7, "budget": 0.7, "availability": 0.8,
    "units": 0.7, "theme": 0.5, "editor": 0.6, "operating_system": 0.6, "framework": 0.6, "database": 0.6,
    "coding_style": 0.7,
}  # fmt: skip
_BY_TYPE: Mapping[FactType, float] = {"identity": 0.7, "preference": 0.6, "constraint": 0.8, "instruction": 0.9}

_SENTENCES = {
    "name": "The user's name is {}.",
    "preferred_name": "The user wants to be called {}.",
    "age": "The user is {} years old.",
    "birthday": "The user's birthday is {}.",
    "city": "The user's city is {}.",
    "allergy": "The user is allergic to {}.",
    "intolerance": "The user does not tolerate {}.",
    "condition": "The user has {}.",
    "medication": "The user takes {}.",
    "children": "The user's children include {}.",
    "pets": "The user's pets include {}.",
    "availability": "The user's availability: {}.",
    "tone": "The user wants a tone that is {}.",
    "reply_language": "The user wants replies in {}.",
    "reply_length": "The user wants the length of replies to be {}.",
    "reply_format": "The user wants the format of replies to be {}.",
}
_ARTICLE = re.compile(r"^(?:a|an|the)\s+(?=\S)", re.IGNORECASE)
_EDGES = " \t\n\r\"'`*_.,;:!?()[]“”‘’"
_WORDS_OF_A_RULE = 5


def known(type: FactType, key: str) -> bool:
    """Whether a key belongs to a type."""
    if type == "preference" and key.startswith(FAVORITE) and len(key) > len(FAVORITE):
        return True
    return key in KEYS[type] or (type == "instruction" and key.startswith(STANDING))


def holds_many(key: str) -> bool:
    """Whether values of this key stand beside each other; else a new one replaces the old."""
    return key in MANY


def normal_key(key: str) -> str:
    """A key as we write it: lower case, underscores, American, singular after "favorite"."""
    words = [_AMERICAN.get(word, word) for word in re.split(r"[^0-9a-z]+", key.lower()) if word]
    if words[:1] == ["favorite"] and len(words) > 1:
        last = _singular(words[-1])
        return "_".join([*words[:-1], _AMERICAN.get(last, last)])
    joined = "_".join(words)
    return _SYNONYMS.get(joined, joined)


def favorite_key(thing: str) -> str:
    """The key for a favourite thing: "colours" gives favorite_color."""
    return normal_key(f"favorite {thing}")


def rule_key(order: str) -> str:
    """A key for a standing order, from the words that say what it is about: the same order twice is one fact."""
    said = list(dict.fromkeys(terms(order)))[:_WORDS_OF_A_RULE]
    return STANDING + ("_".join(said) or "other")


def normal_value(key: str, value: str) -> str:
    """A value as we keep it: one line, without quotes, article and closing punctuation."""
    line = " ".join(value.split()).strip(_EDGES)
    if key.startswith(STANDING) or key in {"availability", "coding_style"} or _THE_NAMES.match(line):
        return line
    return _ARTICLE.sub("", line)


_THE_NAMES = re.compile(r"[Tt]he (?:Hague|Bronx|Beatles|Gambia|Netherlands|Bahamas|Philippines)\b")


_ALIKE: Mapping[str, tuple[frozenset[str], ...]] = {
    "intolerance": (frozenset({"lactose", "dairy", "milk"}),),
    "units": (
        frozenset(
            {"imperial", "pounds", "pounds and ounces", "miles", "feet and inches", "fahrenheit", "us customary"}
        ),
        frozenset({"metric", "kilometers", "kilometres", "kilograms", "kilos", "grams", "celsius", "si"}),
    ),
}
"""Values that name one thing, by their key."""


def same_value(key: str, one: str, other: str) -> bool:
    """Whether two values say the same, whatever their case, articles and punctuation; of many things, also number."""
    if key in MANY and terms(one) and terms(one) == terms(other):
        return True
    if any({_compared(key, one), _compared(key, other)} <= alike for alike in _ALIKE.get(key, ())):
        return True
    return _compared(key, one) == _compared(key, other)


def importance(type: FactType, key: str) -> float:
    """How much a fact of this key matters, from 0 to 1."""
    if type == "instruction":
        return _BY_TYPE[type]
    return _IMPORTANCE.get(key, _BY_TYPE[type])


def sentence(key: str, value: str) -> str:
    """The fact as a short sentence in the third person."""
    said = value.rstrip(" .!")
    if key.startswith(STANDING):
        return f"The user's standing order: {said}."
    if key in _SENTENCES:
        return _SENTENCES[key].format(said)
    plural = key in {"pronouns", "units"}
    return f"The user's {key.replace('_', ' ')} {'are' if plural else 'is'} {said}."


def _compared(key: str, value: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", _ARTICLE.sub("", normal_value(key, value).casefold())))


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4 and word not in {"movies", "cookies", "series"}:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(_SINGULAR_S) else word
