"""How many tokens a text has: estimated for any model, or counted by the vocabulary of one.

The estimate cuts a text into the pieces that byte-pair tokenizers start from (words with the space before them,
numbers, punctuation, white space) and adds what each piece costs. Words that are one token everywhere are listed;
others cost by their length and shape; a character outside ASCII costs what a block of its neighbours costs at most.
Where vocabularies differ the dearer one counts, so that what fits by the estimate fits.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from itertools import groupby
from operator import mul
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from recollect.core.errors import InvalidInput, Unavailable

ESTIMATE = "estimate"
"""The setting that asks for no vocabulary."""
_TIKTOKEN = "tiktoken:"

SPREAD = 0.6
"""How far a text may stray from what its pieces usually cost: so many times the square root of its tokens."""

_PIECES = re.compile(
    r" ?[A-Z]?[a-z]+"
    r"| ?[A-Z]+(?![a-z])"
    r"|'(?:[stmd]|re|ve|ll)(?![A-Za-z])"
    # Signs, with the end of the line if an indented one follows: it is part of their token, or of the indent's.
    r"| ?[!-/:-@\[-`{-~]+(?:\n(?=  ))?"
    r"|[0-9]+"
    r"|\s+(?!\S)|[\s\x00-\x1f\x7f]",
    re.ASCII,
)
_VOWELS = re.compile(r"[aeiouy]", re.IGNORECASE)
_CROWD = re.compile(r"[bcdfghjklmnpqrstvwxz]{4}", re.IGNORECASE)
_LONGEST_WORD = 24
_RULED = frozenset("-=*#_~+./%")
_BLANKS = {" ": 80, "\t": 8, "\n": 16}
_DATA = Path(__file__).parents[1] / "data" / "tokens" / "pieces.json"
_MOST_KEPT = 200_000
_LONGEST_KEPT = 40
_USUAL = 1.25
_MOST_ADDED = 0.2
_CYRILLIC = 0.75
_BLOCK = 6
_DEAREST = 4


class Weight(NamedTuple):
    """What a text adds to the tokens of a longer one: weights of texts can be added, counts only roughly."""

    tokens: float
    """What its ASCII pieces cost, or its tokens where they are counted."""
    pieces: int = 0
    beyond: float = 0.0
    """What its characters outside ASCII cost."""


class TokenCounter(Protocol):
    """Says how many tokens a text has."""

    exact: bool
    """Whether it counts by a vocabulary, so that a budget may be filled to the brim."""

    def count(self, text: str) -> int:
        """The tokens of a text."""
        ...

    def weigh(self, text: str) -> Weight:
        """What a text adds to a longer one."""
        ...

    def total(self, weights: Iterable[Weight]) -> int:
        """The tokens of texts put one after the other."""
        ...


class Estimator:
    """Counts by `estimate`: for any model, close from above."""

    exact = False

    def count(self, text: str) -> int:
        """About how many tokens a text has, rather too many than too few."""
        return estimate(text)

    def weigh(self, text: str) -> Weight:
        """What the pieces of a text cost."""
        return _weigh(text)

    def total(self, weights: Iterable[Weight]) -> int:
        """About how many tokens texts have that are put one after the other."""
        return _estimated(weights)


class _Exact:
    """What all who count by a vocabulary share."""

    exact = True

    def count(self, text: str) -> int:
        raise NotImplementedError

    def weigh(self, text: str) -> Weight:
        """The tokens of a text."""
        return Weight(self.count(text))

    def total(self, weights: Iterable[Weight]) -> int:
        """The tokens of texts put one after the other."""
        return int(sum(weight.tokens for weight in weights))


class ExactCounter(_Exact):
    """Counts by a vocabulary, a path to a Hugging Face `tokenizer.json` or what is in one; needs the extra."""

    def __init__(self, source: str | Path) -> None:
        self._tokenizer = _tokenizer(source)

    def count(self, text: str) -> int:
        """How many tokens a text has, without the marks that a model puts around it."""
        encoded = self._tokenizer.encode(_sound(text), add_special_tokens=False)
        return len(encoded.ids)


class TiktokenCounter(_Exact):
    """Counts by one of tiktoken's vocabularies; needs the extra."""

    def __init__(self, name: str) -> None:
        try:
            self._encoding: Any = import_module("tiktoken").get_encoding(name)
        except ImportError as error:
            raise Unavailable("tiktoken", "is not installed: pip install 'recollect[tiktoken]'") from error
        except ValueError as error:
            raise InvalidInput("tokenizer", f"tiktoken knows no {name!r}") from error
        except OSError as error:  # it fetches a vocabulary that it does not have yet
            raise Unavailable("tiktoken", f"the vocabulary {name} could not be fetched: {error}") from error

    def count(self, text: str) -> int:
        """How many tokens a text has; what looks like a special token is ordinary text."""
        return len(self._encoding.encode_ordinary(_sound(text)))


def estimate(text: str) -> int:
    """About how many tokens a text has, rather too many than too few, whatever its language or format."""
    return _estimated((_weigh(text),))


def counter_for(setting: str | None) -> TokenCounter:
    """The counter that a setting names: "estimate" (or nothing), a path to a tokenizer.json, "tiktoken:NAME"."""
    if setting is None or setting in ("", ESTIMATE):
        return Estimator()
    if setting.startswith(_TIKTOKEN):
        return TiktokenCounter(setting.removeprefix(_TIKTOKEN))
    return ExactCounter(Path(setting))


def _weigh(text: str) -> Weight:
    pieces = Counter(_PIECES.findall(text))
    cost: float = sum(map(mul, map(_COSTS.__getitem__, pieces), pieces.values()))
    return Weight(cost, pieces.total(), 0.0 if text.isascii() else _beyond_ascii(text))


def _estimated(weights: Iterable[Weight]) -> int:
    tokens, pieces, beyond = map(sum, zip(Weight(0.0), *weights, strict=True))
    # Where most words are unknown it is another language, in which they cost more than rare words of English.
    strange = min(max(tokens / (pieces or 1) - _USUAL, 0.0), _MOST_ADDED)
    usual = tokens * (1 + strange) + beyond
    return math.ceil(usual + SPREAD * math.sqrt(usual))


def _tokenizer(source: str | Path) -> Any:
    try:
        library = import_module("tokenizers").Tokenizer
    except ImportError as error:
        raise Unavailable("tokenizers", "is not installed: pip install 'recollect[tokenizers]'") from error
    try:
        is_content = isinstance(source, str) and source.lstrip().startswith("{")
        tokenizer = library.from_str(source) if is_content else library.from_file(str(source))
    except Exception as error:  # the library raises nothing narrower
        raise InvalidInput("tokenizer", f"cannot be read from {str(source)[:80]!r}: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _sound(text: str) -> str:
    """A text that can be encoded: half a surrogate pair becomes a question mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


class _Costs(dict[str, float]):
    """What each ASCII piece costs; what is not known yet is worked out, and kept while there is room."""

    def __missing__(self, piece: str) -> float:
        cost = _cost(piece)
        if len(piece) <= _LONGEST_KEPT and len(self) < _MOST_KEPT:
            self[piece] = cost
        return cost


def _cost(piece: str) -> float:
    bare = piece.lstrip(" ")
    if not bare or bare[0].isspace():
        return _blank_cost(piece)
    if bare[0].isalpha():
        return _word_cost(bare, spaced=bare != piece)
    if bare[0].isdigit():
        return max(-(-len(bare) // 3), 0.42 * len(bare))
    return _sign_cost(piece)


def _word_cost(word: str, *, spaced: bool) -> float:
    """A word that is not one token everywhere: by its length, and dearer in capitals or when it cannot be spoken."""
    length = len(word)
    if length <= 2:
        return 1.0 if length == 1 else 1.1 if word.islower() else 1.4
    if length > _LONGEST_WORD or not _VOWELS.search(word) or _CROWD.search(word):
        return 0.6 * length
    if word.isupper():
        return 0.8 + 0.33 * length
    if word[0].isupper():
        return 0.9 + 0.2 * length
    return (1.0 if spaced else 1.2) + 0.13 * length + 0.25 * max(0, length - 12)


def _sign_cost(signs: str) -> float:
    if signs.endswith("\n"):
        return _COSTS[signs[:-1]]
    length = len(signs)
    if length == 1 or (signs[0] == "'" and signs[1:].isalpha()):
        return 1.0
    if signs[0] in _RULED and signs == signs[0] * length:
        return 2.0 + length / 16
    return max(1.6, 0.7 * length)


def _blank_cost(blank: str) -> float:
    runs = groupby(blank.replace("\r\n", "\n"))
    return float(sum(1 + (sum(1 for _ in run) - 1) // _BLANKS.get(sign, 1) for sign, run in runs))


def _beyond_ascii(text: str) -> float:
    return sum(_character_cost(character) * count for character, count in Counter(text).items() if character > "\x7f")


@lru_cache(maxsize=1 << 16)
def _character_cost(character: str) -> float:
    if character in _SINGLE:
        return _CYRILLIC if "а" <= character <= "я" else 1.0
    block = ord(character) >> _BLOCK
    return float(_BLOCKS[block]) if block < len(_BLOCKS) else float(_DEAREST)


def _listed() -> dict[str, str]:
    with _DATA.open(encoding="utf-8") as file:
        listed: dict[str, str] = json.load(file)
    return listed


_LISTED = _listed()
_COSTS = _Costs.fromkeys(_LISTED["whole"].split("\n"), 1.0)
_SINGLE = frozenset(_LISTED["single"])
_BLOCKS = [int(digit, 36) for digit in _LISTED["blocks"]]
