"""Which names may be one: titles, first names, legal forms. Pure; the names are canonical where it says so."""

import re
import unicodedata
from collections.abc import Sequence

from recollect.understanding import same_fact

NODE_KINDS = ("person", "concept", "entity")
UNTYPED = "name"
"""The type of an entity of which no more is known than that it has a name."""
MOST_ALIASES = 20

_TITLES = frozenset(
    {"mr", "mrs", "ms", "miss", "mx", "dr", "prof", "professor", "sir", "madam", "herr", "frau", "señor", "señora"}
)
_LEGAL = {
    form: word
    for word, forms in {
        "corp": "corp corporation",
        "inc": "inc incorporated",
        "ltd": "ltd limited",
        "co": "co company",
        "gmbh": "gmbh",
        "ag": "ag",
        "llc": "llc",
        "plc": "plc",
        "sa": "sa",
        "bv": "bv",
    }.items()
    for form in forms.split()
}
_WORDS = re.compile(r"[^\W_]+")
_ACCENTS = re.compile("[\u0300-\u036f]")


def untitled(name: str) -> tuple[str, bool]:
    """A person's canonical name without "dr" and the like, and whether there was one."""
    words = name.split("-")
    rest = [word.rstrip(".") for word in words]
    while len(rest) > 1 and rest[0] in _TITLES:
        rest = rest[1:]
    return ("-".join(words[len(words) - len(rest) :]), True) if len(rest) < len(words) else (name, False)


def is_short(name: str) -> bool:
    """Whether a person's canonical name, without a title, is one word: a first name, or a surname after a title."""
    return "-" not in untitled(name)[0]


def short_of(short: str, name: str) -> bool:
    """Whether a short name is the first word of a person's name, or, after a title, the last one."""
    bare, titled = untitled(short)
    words = untitled(name)[0].split("-")
    return len(words) > 1 and bare == (words[-1] if titled else words[0])


def may_be_one(kind: str, one: str, other: str, similarity: float) -> bool:
    """The same-fact test on the names of two nodes: another number, word or initial makes them two.

    Accents, blanks, the order of "Chen, Sarah", a legal form or a middle initial that one of them leaves out do not.
    """
    first, second = _words(one), _words(other)
    if not first or not second:
        return False
    forms = ({_LEGAL[word] for word in words if word in _LEGAL} for words in (first, second))
    initials = ({word for word in words if len(word) == 1} for words in (first, second))
    if _disagree(*forms) or _disagree(*initials) or _marks(first) != _marks(second):
        return False
    plain, also = _essence(first), _essence(second)
    if "".join(plain) == "".join(also) or sorted(plain) == sorted(also):
        return True
    verdict = same_fact.compare(" ".join(plain), " ".join(also), similarity=similarity)
    return verdict.relation == "same" and not (kind == "person" and _namesakes(plain, also))


def _words(name: str) -> list[str]:
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", name).casefold())
    return _WORDS.findall(bare)


def _disagree(one: set[str], other: set[str]) -> bool:
    """Whether both say something, and not the same."""
    return bool(one and other and one != other)


def _marks(words: Sequence[str]) -> set[str]:
    """What tells Apollo 1 from Apollo 2, and Team A from Team B."""
    ends = {words[0], words[-1]}
    return {word for word in words if word.isdigit() or (len(word) == 1 and word in ends)}


def _essence(words: Sequence[str]) -> list[str]:
    """Without legal forms and middle initials, unless nothing would be left; digits tell things apart and stay."""
    inner = range(1, len(words) - 1)
    initials = {place for place in inner if len(words[place]) == 1 and words[place].isalpha()}
    kept = [word for place, word in enumerate(words) if word not in _LEGAL and place not in initials]
    return kept or list(words)


def _namesakes(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether the names merely share a stem: Carlo and Carlos are two people."""
    return same_fact.compare(_capitalised(one), _capitalised(other), similarity=1.0).relation != "same"


def _capitalised(words: Sequence[str]) -> str:
    return " ".join(word.capitalize() for word in words)
