"""Where somebody is named in a text: in full, by initials, or short where nobody else is meant. Pure.

Who is meant is asked for, name by name (`Known`): of sets of words where the names are known, of keyed hashes where
nobody knows them any more. A name that is a word, too, counts only where a text writes it as a name.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from recollect.core.terms import STOP_WORDS
from recollect.understanding import lexicon

Span = tuple[int, int]
Words = tuple[str, ...]
Known = Callable[[str, str], bool]
"""Whether words, parted by blanks, are a name: `name`, in any case and place; `first` or `last`, a word that counts
alone where it is written as a name. `told_form` makes further forms of names of them."""

_MARKS = "\u0300-\u036f"
# Scripts without spaces: each character is a word of its own, so that a name is found inside a run of them.
RUNNING = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff"
WORD = re.compile(rf"[{RUNNING}]|(?:(?![{RUNNING}])[^\W_][{_MARKS}]*)+")
_RUN = re.compile(f"[{RUNNING}]")
_OPTIONAL = re.compile(f"[{_MARKS}]+")
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "æ": "ae", "œ": "oe"})

_SIGNS = r"[^\W_](?:[\w.+@/~-]*[^\W_])?"
_TOKEN = re.compile(rf"@?{_SIGNS}")
_NUMBER = re.compile(r"\+?\(?\d(?:[\s().\-/]{0,3}\d){6,18}")
_SCHEME = re.compile(r"^\w+:/*")
_DIGITS = re.compile(r"\d+")
_BETWEEN_DIGITS = re.compile(r"[ \u00a0().\-/]{1,3}")
_MOST_GROUPS, _SHORTEST_NUMBER, _LONGEST_NUMBER = 7, 7, 17
_LONGEST_TOKEN = 2_000
_AROUND = ".+-_/~ "
LONG_ENOUGH_JOINED = 8
"""Letters that a name written together needs to be one outside of an address."""
_ADJOINING = frozenset({" ", "-", "\u00a0", ".", "_", "’", "'"})
_STOPS = frozenset({". ", ".\u00a0"})
"""They end a sentence, but for behind an initial or a title."""
_INITIAL_GAPS = frozenset({".", "_", "-", ". ", ".\u00a0", " ", ".-"})
_GENITIVES = ("'s", "’s")
_TAILS = " \t\"'“”‘«([{*->#•_"
_OPENING = 60
"""Characters before a word that tell whether a sentence begins with it."""


def listed_words(words: str) -> frozenset[str]:
    """Words that are parted by blanks."""
    return frozenset(words.split())


SURE_TITLES = listed_words(
    "mr mrs ms miss mx mister missus dr doctor doktor docteur dottore dottoressa dott prof professor professore"
    " profesor professeur sir madam madame mme mlle mademoiselle monsieur herr frau fraulein frl hr fr senor"
    " senora senorita sr sra srta dona dra profa senhor senhora signor signora signorina sig meneer mijnheer"
    " mevrouw dhr mevr mw pan pani panna herra rouva neiti fru froken gospodin gospozha gospodja domnul doamna"
    " kyrios kyria lord lady dipl ing mag avv"
)
TITLES = SURE_TITLES | lexicon.TITLES | lexicon.KIN_TITLES
CALENDAR = listed_words(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august"
    " september october november december today tomorrow yesterday"
)
NO_NAMES = STOP_WORDS | CALENDAR | TITLES
ORDINARY = lexicon.WORDS | lexicon.WORDY | STOP_WORDS | CALENDAR | lexicon.words("surnames_that_are_words.txt")
_SAINTS = listed_words("st saint sainte san santa santo sankt")
_WITH_STOP = TITLES | _SAINTS
_WITH_ARTICLE = listed_words(
    "am im zum zur beim vom ins ans aufs au aux du des al del dal nel sul alla della nella sulla do da no na"
)
_ARTICLES = (lexicon.DETERMINERS | _WITH_ARTICLE) - {"i"}
_FAMILY_ARTICLES = listed_words("the die den der les los las i gli de both")
_ABOUT_TIME = listed_words(
    "in on since until till by of this next last early late mid from every each during before after im seit"
)
_ADDRESSED = lexicon.SURE_BEFORE | listed_words("met meet saw call called visited visit with love miss hate invited")
_FEELINGS = listed_words("love miss hate with")
_GOES_ON = listed_words(
    "about that to yesterday today tomorrow and for at in on if again last when because but today's tonight why how"
)
_VERBS = lexicon.VERBS | lexicon.SURE_VERBS
_INSIDE = listed_words("in inside into across throughout en em dans nel nella")
"""They stand before a place, and hardly ever before somebody."""
_BELIEVING = listed_words(
    "believe believes believed trust trusts trusted confide confided confidence faith interest interested"
)
"""But for: "I believe in Austin"."""
_LEADING = _INSIDE | listed_words("at to from near nach aus")
_GOING = listed_words(
    "fly flies flew flying flight flights travel travels travelled traveled travelling drive drives drove driving move"
    " moves moved moving go goes going went gone trip trips train trains bus ferry road arrived emigrated"
)
_BEHIND_VERBS = listed_words("you your me my it this that all the we i")
"""Before them the word behind a name is a verb: "Hi Anna Hope you are well"."""
_HARDLY_WORDS = lexicon.listed("hardly_words")
_NO_SUBJECTS = _ARTICLES | listed_words(
    "to i we you they will would can could should may might must shall not don't of with for my your his her our their"
)
_ENDINGS_OF_THINGS = (
    lexicon.COMPANY_ENDINGS | lexicon.ORGANISATION_ENDINGS | lexicon.PLACE_ENDINGS | lexicon.listed("general_endings")
)
_ABBREVIATIONS = listed_words(
    "us uk eu un pm am ps ad bc dc la ny nj vp po dj tv pc id ok ip it ai cv eg ie ca sa ag bv nv mr mt bs ba ma md phd"
)
_FAMILIES = lexicon.listed("chinese_families") | lexicon.listed("korean_families")
_LONG_FAMILIES = lexicon.listed("japanese_families")
_FORMS_OF_ADDRESS = tuple(
    listed_words(
        "先生 女士 小姐 老师 老師 教授 经理 經理 总监 主任 医生 醫生 律师 律師 同学 同學 阿姨 叔叔"
        " さん 様 さま 氏 くん 君 ちゃん 部長 課長 社長 先輩 씨 님 대리 과장 차장 부장 팀장 실장 대표 선생 교수 선배"
    )
)
_FOND = "小老阿"
_AFTER_FOND = frozenset("说說的和在也要去来來是会會有，。！？、：；")


@lru_cache(maxsize=100_000)
def folded(word: str) -> str:
    """A word without case and accents."""
    if word.isascii():
        return word.lower()
    bare = _OPTIONAL.sub("", unicodedata.normalize("NFKD", word).casefold().translate(_LETTERS))
    return unicodedata.normalize("NFC", bare)


def folded_text(text: str) -> str:
    """A whole text without case and accents: it holds each of its words as `words_of` has them."""
    return folded.__wrapped__(text)


def words_of(text: str) -> Words:
    """The words of a text, folded."""
    return tuple(folded(found[0]) for found in WORD.finditer(text))


def runs(words: Iterable[str]) -> bool:
    """Whether words are of a script that puts no spaces between them."""
    return any(_RUN.match(word) for word in words)


def told_form(form: str, words: Iterable[str]) -> str:
    """A further form of a name, as a name.

    `initial`: a name and the initial of the other one; `initials`: both initials; `joined`: written together in an
    address; `surname`, `given`: of several words; `family`, and `given` too: in a script without spaces; `whole`: an
    address, a handle or a number, as `whole_form` has it.
    """
    return f"{form}: {' '.join(words)}"


def whole_form(text: str) -> str:
    """What counts as a whole, as it is compared: an address or handle folded, of a number its digits."""
    if _NUMBER.fullmatch(text.strip()):
        digits = re.sub(r"\D", "", text)
        return digits[2:] if digits.startswith("00") else digits
    return folded_text(_SCHEME.sub("", text).strip(_AROUND))


def national_forms(text: str) -> list[str]:
    """A telephone number with its country, as it may be dialled within that: +49 170 … is 0170 …."""
    abroad = text.strip().startswith(("+", "00"))
    return [f"0{whole_form(text)[length:]}" for length in (1, 2, 3)] if abroad else []


def is_whole(name: str) -> bool:
    """Whether a name is none of words, but one address, handle, link or telephone number."""
    written = name.strip()
    if _NUMBER.fullmatch(written):
        return True
    signed = "@" in written or "_" in written or ("/" in written and "." in written)
    return signed and not any(map(str.isspace, written)) and bool(words_of(written))


@lru_cache(maxsize=100_000)
def is_ordinary(word: str) -> bool:
    """Whether a folded word means something else than a name, as it is or in the plural."""
    return word in ORDINARY or (word.endswith("s") and word[:-1] in ORDINARY)


def given_and_family(words: Words) -> tuple[Words, Words]:
    """A name in a script without spaces, parted; nothing where it cannot be told."""
    if len(words) > 3 and "".join(words[:2]) in _LONG_FAMILIES:
        return words[2:], words[:2]
    if 1 < len(words) < 4 and words[0] in _FAMILIES:
        return words[1:], words[:1]
    return (), ()


@dataclass(frozen=True, slots=True)
class Reading:
    """One text, and who is looked for in it."""

    text: str
    found: list[re.Match[str]]
    words: Words
    known: Known
    is_other: Callable[[Words], bool]
    longest: int

    @classmethod
    def of(cls, text: str, known: Known, is_other: Callable[[Words], bool], longest: int) -> "Reading":
        """A text, word by word; no name has more words than `longest`."""
        found = list(WORD.finditer(text))
        return cls(text, found, tuple(folded(each[0]) for each in found), known, is_other, longest)

    def places(self, begins: Callable[[str], bool]) -> Iterator[Span]:
        """Where they are named; `begins` says whether a place may begin with a word."""
        yield from self._wholes()
        end = 0
        for place, word in enumerate(self.words):
            if place < end or not begins(word):
                continue
            length, mine = self._in_full(place)
            if not length:
                length = self._in_short(place)
                mine = length > 0
            if mine:
                yield self._span(place, length)
            end = place + length

    def _span(self, place: int, length: int) -> Span:
        return self.found[place].start(), self.found[place + length - 1].end()

    # As a whole

    def _wholes(self) -> Iterator[Span]:
        """Addresses, handles and numbers, whole or not at all: no part of a longer one."""
        for found in _TOKEN.finditer(self.text):
            for piece in _pieces(found[0]):
                if self.known("name", told_form("whole", [whole_form(piece)])):
                    begin = found.start() + found[0].index(piece)
                    yield begin, begin + len(piece)
        yield from self._numbers()

    def _numbers(self) -> Iterator[Span]:
        """Runs of groups of digits that are one telephone number."""
        groups = list(_DIGITS.finditer(self.text))
        for first, group in enumerate(groups):
            digits, end = "", group.start()
            for other in groups[first : first + _MOST_GROUPS]:
                if digits and not _BETWEEN_DIGITS.fullmatch(self.text[end : other.start()]):
                    break
                digits, end = digits + other[0], other.end()
                if len(digits) > _LONGEST_NUMBER:
                    break
                long = len(digits) >= _SHORTEST_NUMBER and len(other[0]) > 1
                if long and self.known("name", told_form("whole", [digits.removeprefix("00")])):
                    yield group.start(), end

    # In full

    def _in_full(self, place: int) -> tuple[int, bool]:
        """How many words from here on are somebody's whole name, and whether it is theirs."""
        for length in range(min(self.longest, len(self.words) - place), 0, -1):
            run = self.words[place : place + length]
            if self.is_other(run):
                return length, False
            if self._is_name(run):
                return length, True
        return (3, True) if self._has_middle(place) else (0, False)

    def _is_name(self, run: Words) -> bool:
        name = " ".join(run)
        if self.known("name", name):
            return True
        if len(run) > 1:  # a genitive without an apostrophe, a family
            return name.endswith("s") and self.known("name", name[:-1])
        bare = name.rstrip("0123456789")
        return bare != name and len(bare) >= LONG_ENOUGH_JOINED and self.known("name", bare)

    def _has_middle(self, place: int) -> bool:
        """Whether a name stands between the two that are theirs."""
        if place + 2 >= len(self.words) or not (self._adjoin(place) and self._adjoin(place + 1)):
            return False
        middle = self.found[place + 1][0]
        if not (len(middle) == 1 or middle[0].isupper()) or self.words[place + 1] in NO_NAMES - {
            "a",
            "i",
            "s",
            "t",
            "m",
            "d",
        }:
            return False
        return self._is_name((self.words[place], self.words[place + 2]))

    # In short

    def _in_short(self, place: int) -> int:
        """How many words from here on name them by less than the whole name."""
        word = self.words[place]
        if _RUN.match(word):
            return self._in_running(place)
        if length := self._by_initial(place):
            return length
        if length := self._by_long_surname(place) or self._by_long_given(place):
            return length
        if len(word) == 1:
            return self._by_initials(place)
        if self._is_address(place) and self.known("name", told_form("joined", [word.rstrip("0123456789")])):
            return 1
        return int(any(self._alone(place, base) for base in _bases(word)))

    def _by_initial(self, place: int) -> int:
        """A name and the initial of the other one: "A. Wintour", "a.wintour@…", "Anna W.", "V. van der Meer"."""
        most = self.longest if len(self.words[place]) == 1 else 2
        for length in range(min(most, len(self.words) - place), 1, -1):
            run = self.words[place : place + length]
            if (len(run[0]) == 1) != (len(run[-1]) == 1) and self.known("name", told_form("initial", run)):
                return length if self._is_initial(place, length) else 0
        return 0

    def _is_initial(self, place: int, length: int) -> bool:
        """Whether a letter is an initial, as its stop says, or a sign that joins it, or capitals."""
        leads = len(self.words[place]) == 1
        at = place if leads else place + length - 2
        gap = self.text[self.found[at].end() : self.found[at + 1].start()]
        letter, name = (place, place + length - 1) if leads else (place + length - 1, place)
        if gap not in _INITIAL_GAPS:
            return False
        if gap in (".", "_", "-"):
            return True
        capital, ordinary = self._capital(letter) and self._capital(name), is_ordinary(self.words[name])
        if gap.startswith("."):
            return leads and (capital or not ordinary)
        dotted = self.text[self.found[letter].end() : self.found[letter].end() + 1] == "."
        return capital and (dotted or not (ordinary or self.words[letter] in STOP_WORDS))

    def _by_long_surname(self, place: int) -> int:
        """A surname of several words, in any case, unless somebody else's first name or initial stands before it."""
        for length in range(min(self.longest, len(self.words) - place), 1, -1):
            name = told_form("surname", self.words[place : place + length])
            if self.known("name", name) or (name.endswith("s") and self.known("name", name[:-1])):
                before = place - 1 if place and self._adjoin(place - 1) else None
                initial = before is not None and len(self.words[before]) == 1 and self._capital(before)
                named = self._is_named_first(before) or self._is_given(before)
                return 0 if initial or named else length
        return 0

    def _by_long_given(self, place: int) -> int:
        """Several first names, in any case, unless a name that is not theirs stands beside them."""
        for length in range(min(self.longest, len(self.words) - place), 1, -1):
            name, end = told_form("given", self.words[place : place + length]), place + length
            inflected = name.endswith("s") and self.known("name", name[:-1])
            if inflected or self.known("name", name):
                before = place - 1 if place and self._adjoin(place - 1) else None
                after = end if self._adjoin(end - 1) and not inflected else None
                other = self._is_named_last(after) or (after is not None and self._is_family(after))
                return 0 if other or self._is_beside_first(before) else length
        return 0

    def _by_initials(self, place: int) -> int:
        """Both initials with stops, as in "A.W.", where they are no part of something longer."""
        end = place + 1
        if end >= len(self.words) or not self.known("name", told_form("initials", self.words[place : end + 1])):
            return 0
        here, there = self.found[place], self.found[end]
        whole = self.text[here.start() : there.end() + 1]
        if not re.fullmatch(r"[^\W\d_]\. ?[^\W\d_]\.", whole) or not (here[0].isupper() and there[0].isupper()):
            return 0
        before = self.text[max(0, here.start() - 2) : here.start()]
        after = self.text[there.end() + 1 : there.end() + 3]
        more = re.search(r"[\w.&/]$", before) or re.match(r"\w|&", after)
        named = self._adjoin(end) and self._is_named_last(end + 1) and not self._begins(end + 1, stop=False)
        return 0 if more or named else 2

    def _is_address(self, place: int) -> bool:
        """Whether a word is an address before its @, or a handle after one."""
        found = self.found[place]
        return self.text[found.end() : found.end() + 1] == "@" or (
            self.text[found.start() - 1 : found.start()] == "@" and not self.text[max(0, found.start() - 2)].isalnum()
        )

    def _alone(self, place: int, base: str) -> bool:
        """Whether a word is a first name or surname that no other word makes into somebody else's name."""
        first, last = self.known("first", base), self.known("last", base)
        if not first and not last:
            return False
        inflected = base != self.words[place]
        if inflected and not self._may_be_inflected(place, last):
            return False
        return (last and self._is_surname(place, inflected)) or (first and self._is_first_name(place, inflected))

    def _may_be_inflected(self, place: int, last: bool) -> bool:
        """Whether an "s" may be a genitive or a plural: Carlos, Peters and roses are others."""
        word = self.words[place]
        if word in lexicon.GIVEN or word in lexicon.SURNAMES:
            return False
        if not is_ordinary(word):
            return True
        return last and self._capital(place) and place > 0 and self.words[place - 1] in _FAMILY_ARTICLES

    def _is_surname(self, place: int, inflected: bool) -> bool:
        word, capital = self.words[place], self._capital(place)
        ordinary = is_ordinary(word)
        before = place - 1 if place and self._adjoin(place - 1) else None
        if before is not None:
            title = self.words[before]
            gap = self.text[self.found[before].end() : self.found[place].start()]
            if title in TITLES:
                return capital or not ordinary or title in SURE_TITLES
            if len(title) == 1 and "." in gap:  # "B. Wintour" is another one, "M. Wintour" is Monsieur
                return title == "m" and self.found[before][0].isupper()
        after = place + 1 if place + 1 < len(self.words) and self._adjoin(place) else None
        if not capital:
            return not ordinary and not self._is_given(before) and not self._is_given(after)
        other = self._is_named_first(before) or (not inflected and self._goes_on_as_name(place, after))
        if other or self._is_place(place):
            return False
        family = inflected and ordinary  # after the article of a family
        return family or not ordinary or self._is_written_as_name(place, sure=True)

    def _is_first_name(self, place: int, inflected: bool) -> bool:
        ordinary = is_ordinary(self.words[place])
        before = place - 1 if place and self._adjoin(place - 1) else None
        after = place + 1 if place + 1 < len(self.words) and self._adjoin(place) else None
        if not self._capital(place):
            if ordinary:
                return self._is_addressed(place) or self._is_somebody(place)
            titled = before is not None and self.words[before] in SURE_TITLES
            return not titled and not (after is not None and self._is_family(after) and not inflected)
        if not inflected and self._goes_on_as_name(place, after):
            return False
        if self._is_beside_first(before) or (before is not None and self.words[before] in _SAINTS):
            return False
        if self._is_place(place):
            return False
        return not ordinary or self._is_written_as_name(place, sure=False)

    def _is_addressed(self, place: int) -> bool:
        """Whether a lower-case word is somebody who is told, asked or met: "i told mark yesterday"."""
        if not place or not self._adjoin(place - 1) or self.words[place - 1] not in _ADDRESSED:
            return False
        if place + 1 >= len(self.words) or not self._adjoin(place):
            return True
        return self.words[place + 1] in _GOES_ON

    def _is_somebody(self, place: int) -> bool:
        """Whether a lower-case name that is hardly ever a word, such as bob, does something, or has it, or is met."""
        before = self.words[place - 1] if place and self._adjoin(place - 1) else ""
        if self.words[place] not in _HARDLY_WORDS or before in _NO_SUBJECTS:
            return False
        after = self.words[place + 1] if self._adjoin(place) else ""
        owns = self.text[self.found[place].end() :].startswith(_GENITIVES)
        return owns or after in _VERBS or before in _ADDRESSED - _FEELINGS

    def _goes_on_as_name(self, place: int, after: int | None) -> bool:
        """Whether the word behind a name makes it another one; of a name that is a word, too, any capital does."""
        return self._is_name_like(after) if is_ordinary(self.words[place]) else self._is_named_last(after)

    def _is_written_as_name(self, place: int, *, sure: bool) -> bool:
        """Whether a capital makes a word a name: not after an article, in a date, or because a sentence begins."""
        word, found = self.words[place], self.found[place]
        before = self.words[place - 1] if place and self._adjoin(place - 1) else ""
        after = self.words[place + 1] if place + 1 < len(self.words) and self._adjoin(place) else ""
        if before in _ARTICLES:
            return False
        if word in CALENDAR and (before in _ABOUT_TIME or before[:1].isdigit() or after[:1].isdigit()):
            return False
        rest = self.text[found.end() : found.end() + 2]
        if rest in _GENITIVES:
            return True
        if not self._begins(place):
            return True
        if rest[:1] in (",", ":") and not sure:
            return True
        return after in (lexicon.SURE_VERBS if sure else _VERBS | {"and"})

    # What stands around

    def _capital(self, place: int) -> bool:
        return not self.found[place][0][0].islower()

    def _adjoin(self, place: int) -> bool:
        """Whether there is a next word of the same sentence, right beside one."""
        if place + 1 >= len(self.words):
            return False
        gap, word = self.text[self.found[place].end() : self.found[place + 1].start()], self.words[place]
        return gap in _ADJOINING or (gap in _STOPS and (len(word) == 1 or word in _WITH_STOP))

    def _begins(self, place: int, *, stop: bool = True) -> bool:
        """Whether a sentence or a line begins with a word."""
        start = self.found[place].start()
        before = self.text[max(0, start - _OPENING) : start]
        bare = before.rstrip(_TAILS)
        return not bare or bare[-1] in (".!?:;…\n\r。！？" if stop else "\n\r")

    def _is_name_like(self, place: int | None) -> bool:
        """Whether a capital may make a word a part of a name at all."""
        if place is None:
            return False
        written, word = self.found[place][0], self.words[place]
        if not written[0].isupper() or len(written) == 1 or word in NO_NAMES:
            return False
        if written.isupper() and len(written) > 2:  # a text that shouts says nothing by its capitals
            return (word in lexicon.GIVEN or word in lexicon.SURNAMES) and word not in lexicon.WORDS
        return True

    def _is_named_first(self, place: int | None) -> bool:
        """Whether a word before a surname may be somebody else's first name."""
        if place is None or not self._is_name_like(place) or self._is_place(place):
            return False
        word = self.words[place]
        if word in lexicon.GIVEN:  # a sentence may begin with "Will" or "May"
            return not (word in lexicon.WORDS and self._begins(place))
        if self._begins(place):
            return word not in ORDINARY and word not in lexicon.KNOWN and not word.endswith("ly")
        return not (_means_else(word) or word in lexicon.ROLES or word in lexicon.KNOWN)

    def _is_beside_first(self, place: int | None) -> bool:
        """Whether a word before a first name makes it somebody else's: another first name, or a surname.

        Mere capitals do not: "In Oslo Anna came".
        """
        if place is None or not self._is_name_like(place) or self._is_place(place):
            return False
        word, leads = self.words[place], self._leads(place)
        if word in lexicon.GIVEN:
            return not (word in lexicon.WORDS and self._begins(place)) and not (leads and word in lexicon.KNOWN)
        return word in lexicon.SURNAMES and not is_ordinary(word) and not leads and word not in lexicon.KNOWN

    def _is_named_last(self, place: int | None) -> bool:
        """Whether a word behind a first name may be somebody else's surname, or make it the name of a thing."""
        if place is None or not self._is_name_like(place):
            return False
        word = self.words[place]
        if word in lexicon.SURNAMES or word in lexicon.GIVEN or word in _ENDINGS_OF_THINGS:
            goes_on = place + 1 < len(self.words) and self._adjoin(place) and self.words[place + 1] in _BEHIND_VERBS
            return not (word in lexicon.WORDS and goes_on)
        return not _means_else(word)

    def _is_place(self, place: int) -> bool:
        """Whether a word is the name of a place, and something before it says that a place is meant."""
        if lexicon.KNOWN.get(self.words[place]) != "place" or not place or not self._adjoin(place - 1):
            return False
        if self.text[self.found[place].end() :].startswith(_GENITIVES):
            return False
        verb = self.words[place - 2] if place > 1 else ""
        if self.words[place - 1] in _INSIDE:
            return verb not in _BELIEVING
        return self.words[place - 1] in _LEADING and verb in _GOING

    def _leads(self, place: int) -> bool:
        """Whether a preposition says that a place or a house is meant: "at Acme", "from Paris"."""
        return place > 0 and self._adjoin(place - 1) and self.words[place - 1] in _LEADING

    def _is_given(self, place: int | None) -> bool:
        """Whether a word is somebody's first name, also in lower case."""
        return place is not None and self.words[place] in lexicon.GIVEN and not is_ordinary(self.words[place])

    def _is_family(self, place: int) -> bool:
        return self.words[place] in lexicon.SURNAMES and not is_ordinary(self.words[place])

    # Scripts without spaces

    def _in_running(self, place: int) -> int:
        for length in (4, 3, 2, 1):
            run = self.words[place : place + length]
            if len(run) < length:
                continue
            if length > 1 and self.known("name", told_form("given", run)) and not self._has_family(place):
                return length
            if self.known("name", told_form("family", run)) and self._is_spoken_to(place, length):
                return length
        return 0

    def _has_family(self, place: int) -> bool:
        """Whether a family name stands before a given one: somebody else's, or the whole name would have been found."""
        start = self.found[place].start()
        before = self.text[max(0, start - 2) : start]
        return before[-1:] in _FAMILIES or before in _LONG_FAMILIES

    def _is_spoken_to(self, place: int, length: int) -> bool:
        """Whether a family name has a form of address."""
        start, end = self._span(place, length)
        if self.text.startswith(_FORMS_OF_ADDRESS, end) and self.text[start - 1 : start] not in (
            "国",
            "國",
            "女",
            "帝",
        ):
            return True
        after = self.text[end : end + 1]
        return self.text[start - 1 : start] in tuple(_FOND) and (
            not after or not _RUN.match(after) or after in _AFTER_FOND
        )


def _pieces(token: str) -> set[str]:
    """What may be an address or a handle in a run of its signs: all of it, and what stands between slashes."""
    if len(token) > _LONGEST_TOKEN or not any(sign in token for sign in "@_/"):
        return set()
    pieces = {token, *token.split("/")} - {""}
    return {piece for each in pieces for piece in (each, each.strip("_"), each.lstrip("@"))} - {""}


def _bases(word: str) -> Iterator[str]:
    """A word, and what it is a genitive or plural of, or has a number behind: a handle."""
    yield word
    bare = word.rstrip("0123456789")
    if bare != word and len(bare) > 3 and not is_ordinary(bare):
        yield bare
    if word.endswith("s") and len(word) > 3:
        yield word[:-1]
        if word.endswith("es") and word[:-2].endswith(("s", "x", "z", "ch", "sh")):
            yield word[:-2]


@lru_cache(maxsize=100_000)
def _means_else(word: str) -> bool:
    """Whether a folded word that is no name of a person means something: a common word, a product, no place: Reno."""
    if word in lexicon.GIVEN or word in lexicon.SURNAMES:
        return False
    means = word in lexicon.DEMONYMS or lexicon.KNOWN.get(word, "place") != "place"
    return means or is_ordinary(word) or lexicon.is_common(word)


def initials_may_be(words: Words) -> bool:
    """Whether the initials of a name are nothing else, as U.S. is."""
    return "".join(word[0] for word in words) not in _ABBREVIATIONS
