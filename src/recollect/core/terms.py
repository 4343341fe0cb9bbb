"""What BM25 counts: the terms of a text in any script, and the numbers that stand for them."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from threading import Lock

import snowballstemmer

# Function words and the remains of contractions. They fill a question without saying what it is
# about, and left in place they take a third of the postings of every space.
_STOP_WORDS = """
    a about again all also am an and any are as at be because been being but by can could d did do
    does doing don else ever for from further had has have having he her here hers herself him
    himself his how i if in into is it its itself just ll m me mine more most my myself no nor not
    now of off on once only or other our ours ourselves out over own re s same shall she should so
    some such t than that the their theirs them themselves then there these they this those through
    to too until up us ve very was we were what when where which while who whom whose why will with
    would you your yours yourself yourselves
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

# Written without spaces (or, as Korean, with words that carry their endings): Thai, Lao, Burmese,
# Khmer, kana, Han and Hangul. Character pairs find the words that no space marks.
_PAIRED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
# Marks that a reader of the script may leave out: accents of Latin, Greek and Cyrillic, Hebrew
# points, Arabic vowel signs. Marks of other scripts are letters in their own right and stay.
_OPTIONAL_MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]+")
_MARKS = "".join(c for c in map(chr, range(0x300, 0x10000)) if unicodedata.category(c) in ("Mn", "Mc"))
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_LETTERS_OR_DIGITS = re.compile(r"[^\W\d_]+|\d+")
_RUN = re.compile(rf"(?P<paired>[{_PAIRED}]+)|(?:(?![{_PAIRED}])[^\W_][{_MARKS}]*)+")

_ONLY_PAIRED = re.compile(rf"[{_PAIRED}]+")

_LARGEST_ID = 999_999_999
_LONGEST_WORD = 24

_stemmer = snowballstemmer.stemmer("english")
# Its own store of words, beside ours, is put in order at times: that takes up to a fifth of a second.
_stemmer.maxCacheSize = 0
# It keeps the word that it works on in itself: two threads at once would cut each other's words.
_stemming = Lock()


def terms(text: str) -> list[str]:
    """The terms of a text in order: folded, stemmed words without stop words; pairs where no spaces are."""
    words = _ASCII_WORD.findall(text.lower()) if text.isascii() else _words(_folded(text))
    return [stem for word in words if (stem := _stem(word))]


def stems(text: str) -> frozenset[str]:
    """The stems of all words of a text, small ones too; letters and digits apart ("5k" is "5" and "k")."""
    return _stems_of_word(text) if len(text) <= _LONGEST_WORD else _stems(text)


@lru_cache(maxsize=50_000)
def _stems_of_word(word: str) -> frozenset[str]:
    """Most that is asked for is a word, and the same ones come again and again."""
    return _stems(word)


def _stems(text: str) -> frozenset[str]:
    return frozenset(next(iter(terms(part)), part) for part in _LETTERS_OR_DIGITS.findall(text.casefold()))


def term_id(space: str, term: str) -> int:
    """The number, 1 to 999,999,999, that stands for a term in a space; another space, another number."""
    return _term_id(space, term)


def term_ids(space: str, found: Iterable[str]) -> list[int]:
    """The number of each term, in order."""
    return [_term_id(space, term) for term in found]


def term_counts(space: str, text: str) -> dict[int, int]:
    """How often each term occurs in a text, by its number."""
    return Counter(term_ids(space, terms(text)))


def runs_together(text: str) -> bool:
    """Whether a text is of a script that puts no spaces between words, or none that could be relied on."""
    return _ONLY_PAIRED.fullmatch(text) is not None


def count_together(text: str) -> int:
    """How many characters of a text are of such a script."""
    return 0 if text.isascii() else sum(map(len, _ONLY_PAIRED.findall(text)))


def _folded(text: str) -> str:
    """Without case, compatibility forms and optional marks; composed again, for Hangul and kana."""
    bare = _OPTIONAL_MARKS.sub("", unicodedata.normalize("NFKD", text).casefold())
    return unicodedata.normalize("NFC", bare)


def _words(folded: str) -> list[str]:
    found: list[str] = []
    for run in _RUN.finditer(folded):
        if run.lastgroup == "paired" and len(run[0]) > 1:
            found.extend(first + second for first, second in pairwise(run[0]))
        else:
            found.append(run[0])
    return found


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    """The English stem; a stop word gives the empty string; words of other alphabets stay as they are."""
    if word in STOP_WORDS:
        return ""
    if not word.isascii() or not word.isalpha():
        return word
    with _stemming:
        stem: str = _stemmer.stemWord(word)
    return stem


@lru_cache(maxsize=500_000)
def _term_id(space: str, term: str) -> int:
    # The space is hashed in front of the term so that equal terms of two spaces share no number:
    # the statistics of one space then never touch those of another.
    digest = blake2b(f"{space}\0{term}".encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % _LARGEST_ID + 1
