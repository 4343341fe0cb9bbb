"""Names that are known: countries and towns, companies, products; and whether they are meant where they stand."""

from recollect.core.terms import STOP_WORDS
from recollect.graph.extract.found import Mention
from recollect.graph.extract.reading import CAPITALS, LOWER, NUMBER, Token
from recollect.graph.extract.sight import Sight
from recollect.understanding.lexicon import (
    COMPANY_ENDINGS,
    DEMONYMS,
    GIVEN,
    KNOWN,
    LONGEST,
    ORGANISATION_ENDINGS,
    PLACE_ENDINGS,
    SURNAMES,
    WORDY,
    is_common,
    is_given,
    listed,
)

_SHORT = 3
"""Letters up to which a name is taken only as it is usually written."""
_WORDS_IN_CAPITALS = frozenset(("us", "who", "it"))
_SHORT_NAMES = listed("short_names")
_ASSISTANTS = listed("assistants")
"""Software that speaks and writes as people do."""


class Known(Sight):
    """The known names of a sentence."""

    def _known(self, place: int) -> tuple[Mention, int] | None:
        """The longest name that is known to begin here."""
        tokens = self._tokens
        most = LONGEST.get(tokens[place].folded)
        if most is None:
            return None
        for count in range(min(most, len(tokens) - place), 0, -1):
            words = tokens[place : place + count]
            type = KNOWN.get(" ".join(word.folded for word in words))
            if type is not None and self._together(place, place + count) and self._is_meant(place, count, type):
                sure = 0.9 if count > 1 or not is_given(words[0].folded) else 0.75
                if type in ("product", "organisation") and self._has_model(place + count, words[0]):
                    return self._mention(place, place + count + 1, "product", 0.9), place + count + 1
                if type == "product" and self._around.is_organisation(place, place + count):
                    type = "organisation"
                return self._mention(place, place + count, type, sure), place + count
        return None

    def _known_at(self, place: int, end: int) -> str | None:
        return KNOWN.get(" ".join(word.folded for word in self._tokens[place:end]))

    def _is_meant(self, place: int, count: int, type: str) -> bool:
        """Whether a known name is not some other word, or somebody's name, here."""
        token = self._tokens[place]
        after = self._word(place + count)
        if count == 1:
            return self._is_meant_alone(place, type)
        if token.shape == LOWER and type != "place":
            return not all(is_common(word.folded) for word in self._tokens[place : place + count])
        return not (
            type != "place"
            and after is not None
            and after.is_name_like
            and is_given(token.folded)
            and after.folded in SURNAMES
        )

    def _is_meant_alone(self, place: int, type: str) -> bool:
        token, after = self._tokens[place], self._next(place)
        if len(token.text) <= _SHORT and not self._is_short_name(token, type):
            return False
        if token.folded in DEMONYMS and after is not None and after.shape == LOWER:
            return place > 0 and self._tokens[place - 1].folded in ("the", "in") and after.folded in STOP_WORDS
        if token.shape == LOWER:
            return self._is_meant_small(place, type)
        return not self._goes_on_as_name(place, type) and self._is_meant_with_capital(place, type)

    def _is_meant_small(self, place: int, type: str) -> bool:
        """Whether a known name in lower case is meant, and no word."""
        token, after = self._tokens[place], self._next(place)
        word, tool = token.folded, type in ("technology", "product")
        placed = type == "place" and (self._around.is_place(place) or (after is not None and after.folded == "based"))
        if is_common(word) or (word in WORDY and type == "place"):
            return False
        if not (self._page.english or placed or (tool and token.text == word)):
            return False
        return placed or tool or not (is_given(word) or word in SURNAMES)

    def _goes_on_as_name(self, place: int, type: str) -> bool:
        """Whether the words behind belong to the name, which is another one then."""
        after = self._next(place)
        if after is None or not after.is_name_like:
            return False
        return self._is_longer(place) or (not after.possessive and self._continues(place, type))

    def _is_meant_with_capital(self, place: int, type: str) -> bool:
        token = self._tokens[place]
        word = token.folded
        if word in _WORDS_IN_CAPITALS:
            return word == "us" and token.shape == CAPITALS and not self._sentence.loud
        if is_given(word) or word in SURNAMES:
            return self._is_rather_a_thing(place, type)
        if is_common(word) and (place == self._first or self._sentence.loud):
            return type == "place" and self._around.is_place(place)
        return True

    def _is_longer(self, place: int) -> bool:
        """Whether the name goes on to what ends an organisation's: "Lagos General Hospital"."""
        for at in range(place + 1, min(place + 5, len(self._tokens))):
            token = self._tokens[at]
            if not self._follows(at) or not token.is_name_like or self._tokens[at - 1].possessive:
                return False
            if token.folded in COMPANY_ENDINGS or (token.folded in ORGANISATION_ENDINGS and at > place + 1):
                return True
        return False

    @staticmethod
    def _is_short_name(token: Token, type: str) -> bool:
        """Whether a word of few letters is the name and not a word of some language: "MIT", and not "mit"."""
        if token.shape == CAPITALS or not token.text.isascii() or token.folded in _SHORT_NAMES:
            return True
        return type in ("technology", "term") and token.shape in (LOWER, NUMBER) and len(token.text) > 2

    def _continues(self, place: int, type: str) -> bool:
        """Whether the name goes on: "Austin Reyes", "Phoenix Ceramics", but not "Google Ireland"."""
        following = self._tokens[place + 1]
        word = self._tokens[place].folded
        if (
            following.folded in COMPANY_ENDINGS
            or following.folded in ORGANISATION_ENDINGS
            or following.folded in PLACE_ENDINGS
        ):
            return True
        if following.folded in KNOWN or self._is_plain(following):
            return False
        return is_given(word) or (word in SURNAMES and is_given(following.folded)) or type == "place"

    def _is_rather_a_thing(self, place: int, type: str) -> bool:
        """Whether a name that people have too is a place or a product here."""
        word = self._tokens[place].folded
        if type == "place":
            if self._around.is_place(place):
                return not self._around.is_person(place, place + 1)
            return not is_given(word) and not self._around.is_person(place, place + 1)
        if word in _ASSISTANTS:
            return not self._around.is_relative(place)
        if self._around.is_person(place, place + 1, sure=True):
            return False
        return word not in GIVEN or word in WORDY

    def _has_model(self, place: int, brand: Token) -> bool:
        """Whether the number of a model follows: "Yamaha FG800", "iPhone 13"."""
        if place >= len(self._tokens) or not self._follows(place):
            return False
        text = self._tokens[place].text
        if text.isdigit():
            return len(text) < 3 and brand.folded in (
                "iphone",
                "ipad",
                "pixel",
                "galaxy",
                "windows",
                "playstation",
                "xbox",
            )
        return (
            text.isalnum()
            and text.isascii()
            and any(map(str.isdigit, text))
            and any(map(str.isalpha, text))
            and len(text) > 2
        )
