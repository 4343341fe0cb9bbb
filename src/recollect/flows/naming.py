"""Every name that somebody or something goes by, so that all of it can be forgotten, and nobody else."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any
from uuid import UUID

from recollect.core.errors import Conflict
from recollect.db.database import Connection
from recollect.db.sql import load
from recollect.graph import store as graph
from recollect.graph.model import canonical, keys_of
from recollect.graph.names import untitled
from recollect.understanding.carrying import Names
from recollect.understanding.lexicon import GIVEN, PARTICLES, SUFFIXES, SURNAMES
from recollect.understanding.named import (
    SURE_TITLES,
    Words,
    given_and_family,
    initials_may_be,
    is_ordinary,
    is_whole,
    listed_words,
    national_forms,
    runs,
    told_form,
    whole_form,
    words_of,
)
from recollect.understanding.plain import plain

QUERIES = load("recollect.flows", "naming.sql")


@dataclass(slots=True)
class Called:
    """Who is meant, in several spaces: the nodes of each, and all names."""

    person: bool = True
    names: set[str] = field(default_factory=set)
    nodes: dict[str, set[UUID]] = field(default_factory=dict)
    others: set[Words] = field(default_factory=set)
    people: set[Words] = field(default_factory=set)
    """Those of the others who are people with several names."""
    monograms: set[tuple[str, str]] = field(default_factory=set)
    """The initials of everybody else."""

    def finder(self) -> Names:
        """What finds them by every name: in full, in reverse, by initials, and short where nobody else is meant."""
        if not self.person:
            things = frozenset(self.bare(name) for name in self.names if words_of(name))
            return Names(things, others=frozenset(self.others))
        whole = {name for name in self.names if is_whole(name)}
        spelled = {each for name in self.names if (said := _as_name(name)) for each in _spellings(said)}
        parted = [part for name in sorted(spelled) if (part := _Parted.of(name)) is not None]
        self._claim(parted)
        full = {words for part in parted for words in part.full | (part.halved - self.people)}
        first, last = (
            {part.first for part in parted} - {""},
            {part.last for part in parted if not part.is_elided} - {""},
        )
        mine = first | last
        alone = {part.first for part in parted if not part.last}  # who is called nothing else is meant by it
        shared = mine & self._borne() - alone
        full |= {part.given for part in parted if part.is_long(part.given) and not self._is_shared(part.given)}
        others = {words for words in self.others if self._words(full).intersection(words) and words not in full}
        forms = {form for part in parted for form in part.forms(self)}
        forms |= {told_form("whole", [form]) for name in whole for form in (_whole(name), *national_forms(name))}
        return Names(
            frozenset(full),
            frozenset(first),
            frozenset(last),
            frozenset(shared),
            frozenset(others),
            frozenset(forms),
        )

    def bare(self, name: str) -> Words:
        """The words of a name; titles and degrees are no part of a person's."""
        return _bare(name) if self.person else words_of(plain(name).text)

    def _claim(self, parted: Sequence["_Parted"]) -> None:
        """Whoever is known by a part of these names alone is no other, unless somebody else has that part, too."""
        short = {words: tail for words in self.others for part in parted if (tail := part.shortened(words))}
        self.others -= short.keys()
        self.people -= short.keys()
        shared = {words for words, tail in short.items() if self._is_shared(tail)}
        self.others |= shared
        self.people |= shared

    def _borne(self) -> set[str]:
        """Words of others' names, also two that may be written as one: O'Connor, Jean-Luc."""
        pairs = {pair for words in self.people for pair in _pairs(words)}
        return self._words(self.people) | pairs

    def _is_shared(self, phrase: Words) -> bool:
        """Whether somebody else has several words of a name in a row, too."""
        return any(
            words[at : at + len(phrase)] == phrase
            for words in self.people
            for at in range(len(words) - len(phrase) + 1)
        )

    @staticmethod
    def _words(names: Iterable[Words]) -> set[str]:
        return {word for words in names for word in words}

    def has_initials(self, one: str, other: str) -> bool:
        """Whether somebody else's name begins and ends, in this order, with words or letters."""
        return any(words[0].startswith(one) and words[-1].startswith(other) for words in self.people)


@dataclass(frozen=True, slots=True)
class _Parted:
    """One name of a person, by its parts; the surname is nothing where there is but one."""

    words: Words
    given: Words
    surname: Words

    @classmethod
    def of(cls, name: str) -> "_Parted | None":
        """A name without titles; a surname begins with its particle, and a hyphen keeps one together."""
        name = _plain(name)
        words = words_of(name)
        if not words:
            return None
        if runs(words):
            pieces = [words_of(piece) for piece in name.split() if words_of(piece)]
            given, surname = (pieces[1], pieces[0]) if len(pieces) == 2 else given_and_family(words)
            return cls(words, given, surname)
        if len(words) == 1:
            return cls(words, words, ())
        particle = next((at for at in range(1, len(words) - 1) if _begins_surname(words, at)), None)
        hyphenated = len(words_of(name.rsplit(maxsplit=1)[-1])) if " " in name.strip() else 1
        begin = particle if particle is not None else len(words) - max(1, min(hyphenated, len(words) - 1))
        first = words_of(name.split(maxsplit=1)[0]) if " " in name.strip() else words[:1]
        return cls(
            words, first if words[: len(first)] == first and len(first) < len(words) else words[:1], words[begin:]
        )

    @property
    def first(self) -> str:
        """The first name, where it counts alone."""
        return "" if runs(self.words) else self.words[0]

    @property
    def last(self) -> str:
        """The surname, where it counts alone."""
        return "" if runs(self.words) or len(self.words) == 1 else self.words[-1]

    def shortened(self, words: Words) -> Words:
        """What is left of a name that is a part of this one: a surname, alone or behind initials, or first names; or
        nothing."""
        letters = next((at for at, word in enumerate(words) if len(word) > 1), len(words))
        tail = words[letters:]
        if letters and not self._have_initials(words[:letters]):
            return ()
        surnames = {self.surname, self.families, (self.last,)} if letters else {self.surname, self.families}
        return tail if tail in surnames or (not letters and words in (self.given, *self.several)) else ()

    def _have_initials(self, letters: Words) -> bool:
        """Whether letters are those of first names, in order, of some or of all."""
        rest = iter(word[0] for word in self.words[: len(self.words) - len(self.surname)])
        return all(letter in rest for letter in letters)

    @property
    def is_elided(self) -> bool:
        """Whether a surname begins with a letter and its sign: O'Connor is no Connor."""
        return len(self.surname) > 1 and len(self.surname[0]) == 1

    def is_long(self, name: Words) -> bool:
        """Whether a part of it has several words."""
        return len(name) > 1 and not runs(self.words)

    @property
    def full(self) -> set[Words]:
        """The whole name, the surname first, and without what stands between."""
        if runs(self.words):
            return {self.words} if len(self.words) > 1 and self.surname else set()
        if not self.last:
            return set()
        rest = self.words[: len(self.words) - len(self.surname)]
        between = {(self.first, *self.surname), (*self.surname, self.first), (self.first, self.last)}
        if len(rest) > 1:  # JL Okonkwo
            between |= {(letters := "".join(word[0] for word in rest), *self.surname), (letters, self.last)}
        if len(rest) > 2:
            between |= {self.words[1:]} | ({(self.first, self.families[0])} if len(self.families) == 2 else set())
        if len(self.families) == 2:  # Carmen García López, Luis García
            between |= {(each, *self.families[:count]) for each in (self.first, *self._further) for count in (1, 2)}
        return {self.words, (*self.surname, *rest), (self.last, *self.words[:-1])} | between

    @property
    def halved(self) -> set[Words]:
        """With the first half of a double surname: Jean-Luc Okonkwo(-Reyes), JL Okonkwo."""
        given = self.words[: len(self.words) - len(self.surname)]
        if runs(self.words) or self.is_elided or len(self.surname) != 2 or len(given) < 2:
            return set()
        return {(*given, self.surname[0]), ("".join(word[0] for word in given), self.surname[0])}

    @property
    def _further(self) -> Words:
        """First names but for the first one."""
        given = self.words[1 : len(self.words) - len(self.families)]
        return tuple(word for word in given if len(word) > 2 and word in GIVEN)

    @property
    def families(self) -> Words:
        """The surname, with one before it that is no first name: García Márquez."""
        given = self.words[: len(self.words) - len(self.surname)]
        no_given = len(given) > 1 and (given[-1] not in GIVEN or (len(given) > 2 and given[-1] in SURNAMES))
        two = len(self.surname) == 1 and no_given and len(given[-1]) > 2 and given[-2] not in PARTICLES
        return self.words[len(given) - 1 :] if two else self.surname

    @property
    def several(self) -> list[Words]:
        """What somebody with several first names, or surnames, is called beside the whole name: José Luis (García)."""
        most = len(self.words) - len(self.surname)
        return [self.words[:count] for count in range(2, most + 1) if len(self.words[count - 1]) > 1]

    def forms(self, called: Called) -> Iterator[str]:
        """By initials, written together, and in scripts without spaces; where nobody else is meant."""
        if runs(self.words):
            yield from self._running(called)
        elif self.last:
            yield from self._initials(called)
            for surname in {self.surname, self.families}:
                if self.is_long(surname) and not called._is_shared(surname):
                    yield told_form("surname", surname)
            yield from (told_form("given", each) for each in self.several if not called._is_shared(each))
            letter, other = self.first[0], self.last[0]
            pairs: list[Words] = [(self.first, self.last), (self.last, self.first)]
            if not called.has_initials(letter, self.last):
                pairs += [(letter, self.last), (self.last, letter), (letter, *self.surname)]
            if not called.has_initials(self.first, other):
                pairs += [(self.first, other)]
            yield from (told_form("joined", ["".join(pair)]) for pair in pairs)

    def _initials(self, called: Called) -> Iterator[str]:
        letter, other = self.first[0], self.last[0]
        if not called.has_initials(letter, self.last):
            yield told_form("initial", (letter, self.last))
            yield told_form("initial", (self.last, letter))
            yield from (told_form("initial", (letter, *each)) for each in (self.surname, self.families))
            yield from (told_form("initial", each) for each in self._all_initials())
        if not called.has_initials(self.first, other):
            yield told_form("initial", (self.first, other))
        if (letter, other) not in called.monograms and initials_may_be((self.first, self.last)):
            yield told_form("initials", (letter, other))

    def _all_initials(self) -> Iterator[Words]:
        """Each first name by its letter: J. L. García Márquez."""
        letters = tuple(word[0] for word in self.words[: len(self.words) - len(self.families)])
        if len(letters) > 1:
            yield from {(*letters, *self.families), (*letters, self.last), (*letters, self.families[0])}

    def _running(self, called: Called) -> Iterator[str]:
        given = self.given or self.words
        if len(given) > 1 and not called._is_shared(given):
            yield told_form("given", given)
        if self.surname and not any(words[: len(self.surname)] == self.surname for words in called.people):
            yield told_form("family", self.surname)


_SPELLED = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "Å": "Aa", "Ø": "Oe"}
    | {"đ": "dj", "Đ": "Dj"}
)
_DEGREES = listed_words("phd dphil md mba msc bsc meng beng llm llb dds esq jr ii iii obe mbe cbe")
_LONE_TITLES = listed_words("mr mrs ms miss mx dr prof professor sir madam herr frau senor senora")
_MAYBE_DEGREES = SUFFIXES | listed_words("ma ba ms bs mag dipling sr iv")
_WITH_PARTICLE = listed_words("maria ma juan jose")
"""First names that may have one: María del Carmen, Juan de Dios."""
_SPANISH = listed_words("los las")


_JOINTS = (re.compile("['’ʼ`´]"), re.compile("[-\u2010\u2011]"))


def _spellings(name: str) -> set[str]:
    """A name, and as it is written where a keyboard lacks its letters, or an address its signs: oconnor, jeanluc."""
    composed = unicodedata.normalize("NFC", name)
    joined = {joint.sub("", composed) for joint in _JOINTS}
    return {each for spelled in {composed, *joined} for each in (spelled, spelled.translate(_SPELLED))}


def _whole(address: str) -> str:
    """An address as it is compared; the handle of who is called by a mere name or word has its sign: @anna."""
    bare = whole_form(address).lstrip("@")
    return bare if _as_name(address) or not address.strip().startswith("@") else f"@{bare}"


def _as_name(name: str) -> str:
    """What is a name of words; a handle is one where it is neither a common name nor a word: @nightowl42."""
    if not is_whole(name):
        return name
    handle = name.strip().removeprefix("@")
    if not handle.isalnum() or handle.isdigit():
        return ""
    word = words_of(handle)[0]
    return "" if word in GIVEN or is_ordinary(word) else handle


def _plain(name: str) -> str:
    """A name without titles and degrees, first names first."""
    pieces = [piece for piece in plain(name).text.split() if words_of(piece)]
    while len(pieces) > 1 and _is_degree(pieces):
        del pieces[-1]
    while len(pieces) > 1 and set(words_of(pieces[0])) <= (_LONE_TITLES if len(pieces) == 2 else SURE_TITLES):
        del pieces[0]
    family, comma, given = " ".join(pieces).strip(",").partition(",")
    return f"{given.strip()} {family}" if comma and set(words_of(given)[:1]) & GIVEN else " ".join(pieces)


def _is_degree(pieces: Sequence[str]) -> bool:
    """Whether a name ends with one; some are names, too, where no comma stands before them."""
    said = "".join(words_of(pieces[-1]))
    return said in _DEGREES or (pieces[-2].endswith(",") and said in _MAYBE_DEGREES)


def _begins_surname(words: Words, at: int) -> bool:
    """Whether a particle is that of a surname, and not of a first name: María del Carmen, María de los Ángeles."""
    if words[at] not in PARTICLES:
        return False
    after = next((word for word in words[at:] if word not in PARTICLES and word not in _SPANISH), "")
    return not (words[0] in _WITH_PARTICLE and after in GIVEN - SURNAMES and words[-1] != after)


def _bare(name: str) -> Words:
    """The words of a name without its titles."""
    return words_of(_plain(name))


async def by_name(connection: Connection, space: str, name: str, called: Called) -> None:
    """The person of a name in a space, with all other names; nobody where none is known."""
    short = canonical(_plain(name))
    wanted = {form for each in (name, _plain(name)) for key in keys_of(each) for form in (key, untitled(key)[0])}
    rows = await _rows(connection, "named", space, names=sorted(wanted))
    found = {row.node_id for row in rows if row.kind == "person"}
    if is_whole(name):
        nodes = await _rows(connection, "nodes", space, ids=sorted(found))
        found = {row.id for row in nodes if _has_address(row, name)}
    elif not found and "-" not in short:
        found = (await graph.by_first_name(connection, space, [short])).get(short, set())
    if len(found) > 1:
        raise Conflict(f"person: {len(found)} people go by that name: give the full name, or the id of one")
    called.names.add(name)
    await by_node(connection, space, found, called)


async def by_node(connection: Connection, space: str, ids: Iterable[UUID], called: Called) -> None:
    """Nodes by id, with those that were merged into them and all of their names."""
    known = set(ids)
    if known:
        known |= {row.id for row in await _rows(connection, "merged_into", space, ids=sorted(map(str, known)))}
    rows = await _rows(connection, "nodes", space, ids=sorted(known))
    called.nodes.setdefault(space, set()).update(row.id for row in rows)
    called.names |= {name for row in rows for name in _names(row)}
    # What is known as it is written says more: O'Connor.
    written = {key for name in called.names for key in keys_of(name)}
    names = await _rows(connection, "names_of", space, ids=sorted(known))
    called.names |= {row.name.replace("-", " ") for row in names if row.name not in written}


async def others_of(connection: Connection, space: str, called: Called) -> None:
    """Names of others in a space that share a word with these; who goes by one of these very names is no other."""
    names = [said for name in called.names if (said := _as_name(name))]
    named = {called.bare(each) for name in names for each in _spellings(name)}
    words = {word for name in named for word in name}
    rows = [(row.kind, _words_of_key(row), row.node_id) for row in await _rows(connection, "names", space)]
    mine = called.nodes.setdefault(space, set())
    mine |= {node for kind, found, node in rows if found in named and (kind == "person" or not called.person)}
    beside = [(kind, found) for kind, found, node in rows if node not in mine and len(found) > 1]
    called.monograms |= {(found[0][0], found[-1][0]) for kind, found in beside if kind == "person"}
    rest = [(kind, found) for kind, found in beside if words & {*found, *_pairs(found)}]
    called.others |= {found for _, found in rest}
    called.people |= {found for kind, found in rest if kind == "person"}


def _words_of_key(row: Any) -> Words:
    """The words of a name as nodes are known by it."""
    return _bare(row.name.replace("-", " ")) if row.kind == "person" else words_of(row.name)


def _pairs(words: Words) -> set[str]:
    """Two words in a row as one."""
    return {one + other for one, other in pairwise(words)}


def _has_address(row: Any, address: str) -> bool:
    """Whether a node has an address or handle, sign by sign."""
    return whole_form(address) in {whole_form(name) for name in _names(row)}


def _names(row: Any) -> list[str]:
    aliases: Sequence[str] = row.data.get("aliases", [])
    return [name for name in (row.title, *aliases) if name]


async def _rows(connection: Connection, name: str, space: str, **values: Any) -> list[Any]:
    cursor = await connection.execute(QUERIES[name], {"space": space, **values})
    return await cursor.fetchall()
