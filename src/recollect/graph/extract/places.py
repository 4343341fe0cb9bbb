"""Places by what their names end or begin with: streets, rivers, squares."""

from recollect.graph.extract.found import Mention
from recollect.graph.extract.reading import CAPITAL, NUMBER, Token
from recollect.graph.extract.sight import STREETS, Piece, Sight
from recollect.understanding.lexicon import PLACE_ENDINGS, SURNAMES, WORDY, is_common, is_given

_BUILDINGS = frozenset(
    ["haus", "villa", "casa", "chalet", "château", "chateau", "schloss", "palazzo", "residenz", "hotel", "hostel"]
)
"""What the name of a house begins with: "Haus Maria" is nobody."""
_STREET_ENDINGS = ("strasse", "platz", "allee", "gasse", "straat", "gatan", "plein", "gracht", "weg")


class Places(Sight):
    """The places of a sentence."""

    def _place(self, place: int, end: int) -> Piece | None:
        tokens = self._tokens
        last = place
        for at in range(place + 1, end):
            if tokens[at - 1].possessive:
                break
            if tokens[at].folded in PLACE_ENDINGS and tokens[at].shape == CAPITAL:
                last = at
        if last == place:
            return None
        words = tokens[place:last]
        numbered = place > 0 and tokens[place - 1].shape == NUMBER
        if (
            not numbered
            and is_given(words[0].folded)
            and tokens[last].folded in SURNAMES
            and words[0].folded not in WORDY
            and len(words) < 3
        ):
            return None
        located = self._around.is_place(place) or (place > 0 and tokens[place - 1].folded in ("on", "of"))
        if all(is_common(word.folded) for word in words) and not located:
            return None
        return ("place", 0.85, False), last + 1

    def _street(self, place: int) -> tuple[Mention, int] | None:
        """What begins with "rue", "calle", "St." or the word for a house."""
        tokens, token = self._tokens, self._tokens[place]
        if (
            token.folded == "st"
            and token.shape == CAPITAL
            and (name := self._word(place + 1)) is not None
            and name.is_name_like
        ):
            end = place + 2 + (tokens[place + 1].text == ".")
            return self._saint(place, end, name), end
        if token.is_name_like and len(token.folded) > 7 and token.folded.endswith(_STREET_ENDINGS):
            numbered = place + 1 < len(tokens) and tokens[place + 1].shape == NUMBER and len(tokens[place + 1].text) < 5
            end = place + 1 + numbered
            return self._mention(place, end, "place", 0.85), end
        opens = (token.folded in STREETS and not self._page.english) or self._is_building(place)
        if not opens or place + 1 >= len(tokens) or not tokens[place + 1].is_name_like:
            return None
        end = self._run(place + 1)
        return self._mention(place, end, "place", 0.85), end

    def _is_building(self, place: int) -> bool:
        """Whether a word opens the name of a house, and is no surname: "David Villa"."""
        token = self._tokens[place]
        named = place > 0 and is_given(self._tokens[place - 1].folded)
        return token.folded in _BUILDINGS and token.shape == CAPITAL and not named

    def _saint(self, place: int, end: int, name: Token) -> Mention:
        """A school, a hospital, or a place: "St. Catherine's" with the ending that is part of it."""
        found = self._mention(place, end, "organisation" if name.possessive else "place", 0.8)
        if name.possessive:
            found.end = name.end + 2
            found.text = self._page.text[found.start : found.end]
        return found
