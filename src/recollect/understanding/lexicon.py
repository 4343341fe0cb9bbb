"""The words that names are told by: read once from the data files, looked up in sets."""

import re
import tomllib
import unicodedata
from functools import lru_cache
from pathlib import Path

_CYRILLIC = re.compile("[\u0400-\u04ff]{4,}$")
_CASE = re.compile("(?:ом|ем|ой|еи|ою|ею|у|ю|а|я|ы|и|е|ь)$")
_DATA = Path(__file__).parent / "data"
_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ß": "ss", "ı": "i", "æ": "ae", "œ": "oe", "’": "'", "ʼ": "'"}
)


@lru_cache(maxsize=50_000)
def _plain(word: str) -> str:
    spread = unicodedata.normalize("NFKD", word.casefold().translate(_LETTERS))
    bare = "".join(letter for letter in spread if not unicodedata.combining(letter))
    return unicodedata.normalize("NFC", bare)


def listed(name: str) -> frozenset[str]:
    """One of the closed lists."""
    return _LISTS[name]


def fold(word: str) -> str:
    """A word as the lists have it: lower case, without accents."""
    return word.lower() if word.isascii() else _plain(word)


def _lines(name: str) -> list[str]:
    lines = (_DATA / name).read_text("utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def _table(name: str) -> dict[str, str]:
    return tomllib.loads((_DATA / name).read_text("utf-8"))


def words(name: str) -> frozenset[str]:
    """The words of a data file, folded."""
    return frozenset(fold(word) for line in _lines(name) for word in line.split())


def _phrases(name: str) -> list[str]:
    """Names of several words; each also as other scripts and accents fold."""
    return [fold(phrase.strip()) for line in _lines(name) for phrase in line.split(",") if phrase.strip()]


GIVEN = words("given.txt")
SURNAMES = words("surnames.txt")
WORDY = words("wordy.txt")
"""Given names that are words, or names of other things, too."""
WORDS = words("words.txt")
CONCEPTS = frozenset(_phrases("concepts.txt"))
HEADS = words("heads.txt")
"""Nouns that make a term with the word before them."""
TOPICS = words("topics.txt")
"""Nouns that say alone what a text is about."""
_LISTS = {name: frozenset(words.split()) for name, words in _table("lists.toml").items()}
VERB_PHRASES = {type: phrases.split(", ") for type, phrases in _table("verbs.toml").items()}
"""What says that two stand in a relation, by type."""

TITLES = _LISTS["titles"]
HONORIFICS = _LISTS["honorifics"]
SUFFIXES = _LISTS["suffixes"]
KIN = _LISTS["kin"]
KIN_TITLES = _LISTS["kin_titles"]
ROLES = _LISTS["roles"]
DEMONYMS = _LISTS["demonyms"]
MONTHS = _LISTS["months"]
DATES = MONTHS | _LISTS["days"]
COMPANY_ENDINGS = _LISTS["company_endings"]
ORGANISATION_ENDINGS = _LISTS["organisation_endings"]
ORGANISATION_OPENINGS = _LISTS["organisation_openings"]
PLACE_ENDINGS = _LISTS["place_endings"]
PLACE_OPENINGS = _LISTS["place_openings"]
GREETINGS = _LISTS["greetings"]
VALEDICTIONS = _LISTS["valedictions"]
LABELS = _LISTS["labels"]
PEOPLE_FIELDS = _LISTS["people_fields"]
NOT_PEOPLE = _LISTS["not_people"]
VERBS = _LISTS["verbs"]
SURE_VERBS = _LISTS["sure_verbs"]
BEFORE = _LISTS["before"]
SURE_BEFORE = _LISTS["sure_before"]
PLACE_BEFORE = _LISTS["place_before"]
PLACE_VERBS = _LISTS["place_verbs"]
DETERMINERS = _LISTS["determiners"]
PARTICLES = _LISTS["particles"]
COUNTED = _LISTS["counted"]
"""What a number before it counts: such a number is no part of the name before it."""

TERMS = frozenset(_phrases("terms.txt"))
"""Techniques, protocols and formats."""
_FILES = {
    "places.txt": "place",
    "organisations.txt": "organisation",
    "products.txt": "product",
    "technologies.txt": "technology",
    "terms.txt": "term",
}
KNOWN: dict[str, str] = {}
"""The type of each name that is known, by its folded words; the later file has the last word."""
for _file, _type in _FILES.items():
    KNOWN.update(dict.fromkeys(_phrases(_file), _type))
LONGEST: dict[str, int] = {}
"""How many words the longest known name has that begins with a word."""
for _name in KNOWN:
    _first, *_others = _name.split()
    LONGEST[_first] = max(LONGEST.get(_first, 1), 1 + len(_others))

_NICKNAMES: dict[str, set[str]] = {}
_SHORT_FORMS: dict[str, set[str]] = {}
for _line in _lines("nicknames.txt"):
    _full, *_short = _line.split()
    for _each in _short:
        _NICKNAMES.setdefault(_each, set()).add(_full)
        _SHORT_FORMS.setdefault(_full, set()).add(_each)


def other_forms(name: str) -> frozenset[str]:
    """The usual short forms of a given name, and what it is a short form of."""
    return frozenset(_NICKNAMES.get(name, ())) | frozenset(_SHORT_FORMS.get(name, ()))


def may_be_short_for(short: str, full: str) -> bool:
    """Whether a given name is a usual short form of another."""
    return full in _NICKNAMES.get(short, ())


_ENDINGS = (
    *("ing", "ed", "ly", "tion", "sion", "ment", "ness", "ity", "able", "ible", "ful", "less", "ous", "ism", "ize"),
    *("ship", "hood", "ology", "ware", "ise", "ised", "ized"),
)
_LONG_ENOUGH = 6


@lru_cache(maxsize=50_000)
def is_common(word: str) -> bool:
    """Whether a folded word is an ordinary English one, inflected or not."""
    if word in WORDS:
        return True
    if word.endswith("s") and word[:-1] in WORDS:
        return True
    if word.endswith("es") and (word[:-2] in WORDS or (word.endswith("ies") and word[:-3] + "y" in WORDS)):
        return True
    if len(word) >= _LONG_ENOUGH and word.endswith(_ENDINGS) and word not in GIVEN and word not in SURNAMES:
        return True
    return "-" in word and all(part in WORDS or part.isdigit() for part in word.split("-"))


def cyrillic_stem(word: str) -> str:
    """A Cyrillic name without its case ending."""
    return _CASE.sub("", word) if _CYRILLIC.match(word) else word


_CYRILLIC_STEMS = frozenset(cyrillic_stem(name) for name in GIVEN if _CYRILLIC.match(name))


def is_given(word: str) -> bool:
    """Whether a folded word is a given name, also a double one, or one with a Slavic case ending."""
    if word in GIVEN:
        return True
    if word.isascii():
        return "-" in word and word.partition("-")[0] in GIVEN
    return _CYRILLIC.match(word) is not None and cyrillic_stem(word) in _CYRILLIC_STEMS


_FAMILY = (
    *(
        "ski",
        "sky",
        "skyi",
        "ska",
        "cki",
        "cka",
        "czyk",
        "wicz",
        "ovic",
        "evic",
        "vich",
        "enko",
        "chuk",
        "ov",
        "ova",
        "ev",
        "eva",
    ),
    *(
        "sson",
        "ssen",
        "sdottir",
        "dottir",
        "opoulos",
        "opoulou",
        "idis",
        "akis",
        "iou",
        "yan",
        "ian",
        "shvili",
        "adze",
        "oglu",
    ),
    *(
        "escu",
        "eanu",
        "auskas",
        "aite",
        "iene",
        "berg",
        "stein",
        "mann",
        "feld",
        "baum",
        "strom",
        "quist",
        "qvist",
        "gaard",
        "huis",
    ),
    *(
        "stra",
        "inen",
        "nen",
        "ez",
        "eiro",
        "etti",
        "elli",
        "ucci",
        "inho",
        "walla",
        "wala",
        "ji",
        "garh",
        "nathan",
        "swamy",
        "murthy",
    ),
    *(
        "singh",
        "zadeh",
        "pour",
        "nejad",
        "poor",
        "moto",
        "mura",
        "kawa",
        "yama",
        "shita",
        "hashi",
        "saki",
        "guchi",
        "worth",
        "bottom",
    ),
    *(
        "ington",
        "stone",
        "well",
        "ford",
        "bury",
        "combe",
        "field",
        "ridge",
        "croft",
        "cott",
        "ley",
        "sen",
        "son",
        "ert",
        "aert",
        "oux",
    ),
    *("eau", "ault", "ard", "ier", "chev", "kov", "nov", "rov", "lov", "dov", "gov", "pov", "tov", "oja", "ala", "ela"),
)
_OPENINGS = ("mc", "mac", "o'", "fitz", "d'", "al-", "el-", "ben-", "bin-", "abd", "de", "di", "van", "von")
_SHORTEST_FAMILY = 5


@lru_cache(maxsize=50_000)
def sounds_like_family(word: str) -> bool:
    """Whether a folded word ends, or begins, as family names do; only for words that are none of English."""
    if is_common(word) or len(word) < _SHORTEST_FAMILY:
        return False
    return word.endswith(_FAMILY) or word.startswith(_OPENINGS[:6])
