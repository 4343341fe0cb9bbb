"""Organisations by what their names end or begin with, and by what they are called."""

from recollect.graph.extract.found import Mention
from recollect.graph.extract.reading import LOWER, SIGN
from recollect.graph.extract.sight import COMPANY_FORMS, Piece, Sight
from recollect.understanding.lexicon import (
    COMPANY_ENDINGS,
    DEMONYMS,
    ORGANISATION_ENDINGS,
    ORGANISATION_OPENINGS,
    SURNAMES,
    is_common,
    is_given,
    listed,
)

_CALLED = {
    **dict.fromkeys(
        ("company", "startup", "start-up", "firm", "agency", "band", "shop", "bakery", "charity", "team", "nonprofit"),
        "organisation",
    ),
    **dict.fromkeys(
        (
            "app",
            "tool",
            "script",
            "service",
            "bot",
            "system",
            "something",
            "homegrown",
            "library",
            "product",
            "book",
            "game",
            "plugin",
        ),
        "product",
    ),
    **dict.fromkeys(("village", "town", "place", "city", "island", "suburb", "neighbourhood", "neighborhood"), "place"),
    "project": "project",
}
_GENERAL_ENDINGS = listed("general_endings")
"""Endings that are words of every day: they need a name before them."""


class Organisations(Sight):
    """The organisations of a sentence."""

    def _organisation(self, place: int, end: int) -> Piece | None:
        tokens = self._tokens
        last = place
        for at in range(place + 1, end):
            word = tokens[at].folded
            if (tokens[at].shape == LOWER and word not in COMPANY_FORMS) or (tokens[at - 1].possessive and at > place):
                break
            if word in COMPANY_ENDINGS or (word in ORGANISATION_ENDINGS and self._makes_organisation(place, at)):
                last = at
        if last > place:
            return ("organisation", 0.9, False), last + 1
        joined = next((at for at in range(place + 1, end - 1) if tokens[at].text == "&"), None)
        if joined is not None and not (is_given(tokens[place].folded) and is_given(tokens[joined + 1].folded)):
            return ("organisation", 0.85, False), end
        if tokens[place].folded in ORGANISATION_OPENINGS and end - place > 1 and not self._is_plain(tokens[end - 1]):
            return ("organisation", 0.85, False), end
        return None

    def _makes_organisation(self, place: int, at: int) -> bool:
        """Whether "Logistics" and the like end a name, and not a phrase with capitals."""
        words = self._tokens[place:at]
        if self._tokens[at].folded in _GENERAL_ENDINGS or self._sentence.loud:
            return any(
                not is_common(word.folded) and word.folded not in DEMONYMS for word in words if word.shape != SIGN
            )
        return not (len(words) == 1 and is_given(words[0].folded) and self._tokens[at].folded in SURNAMES)

    def _is_company(self, place: int, end: int) -> bool:
        return any(token.folded in COMPANY_ENDINGS and token.shape != LOWER for token in self._tokens[place + 1 : end])

    def _called(self, place: int) -> tuple[Mention, int] | None:
        """What somebody says the kind of: "a start-up called Hugo"."""
        tokens = self._tokens
        if place < 2 or not tokens[place].is_name_like or tokens[place - 1].folded not in ("called", "named"):
            return None
        type = _CALLED.get(tokens[place - 2].folded) or (
            "organisation" if tokens[place - 2].folded in ORGANISATION_ENDINGS else None
        )
        if type is None:
            return None
        end = self._run(place)
        return self._mention(place, end, type, 0.95), end
