"""One sentence as the rules for names see it: its words, and what they ask of them."""

from recollect.graph.extract.context import Around
from recollect.graph.extract.found import PERSON, Mention
from recollect.graph.extract.reading import CAPITAL, CAPITALS, LOWER, MIXED, SIGN, Page, Sentence, Token
from recollect.graph.extract.relations import acts
from recollect.understanding.lexicon import (
    DATES,
    DEMONYMS,
    DETERMINERS,
    HONORIFICS,
    NOT_PEOPLE,
    ORGANISATION_ENDINGS,
    ORGANISATION_OPENINGS,
    PARTICLES,
    ROLES,
    SURNAMES,
    is_common,
    is_given,
    listed,
)

_LONGEST_RUN = 7
PLAIN_TITLES = listed("plain_titles")
"""Titles that are no words: they may be written in lower case."""
STREETS = listed("street_openings")
COMPANY_FORMS = listed("company_forms")
NOT_NAMES = DETERMINERS | DATES | DEMONYMS | NOT_PEOPLE | listed("not_names")

Piece = tuple[tuple[str, float, bool], int]
"""The type of a piece of a run, how sure it is, whether that is only a guess; and where the piece ends."""


class Sight:
    """The words of one sentence, and what the rules ask of them."""

    def __init__(self, page: Page, number: int) -> None:
        self._page = page
        self._number = number
        self._sentence: Sentence = page.sentences[number]
        self._tokens = self._sentence.tokens
        self._around = Around(self._sentence)
        self._first = next((place for place, token in enumerate(self._tokens) if token.shape != SIGN), 0)

    def _run(self, place: int) -> int:
        """Where a run of capitalised words ends."""
        tokens, end = self._tokens, place
        while end < len(tokens) and end - place < _LONGEST_RUN:
            token = tokens[end]
            if end > place and (not self._follows(end) or token.folded in PLAIN_TITLES):
                break
            if end > place and token.shape == LOWER and token.folded in COMPANY_FORMS:
                return end + 1
            if token.is_name_like or (
                token.shape == CAPITALS and len(token.text) > 1 and (end > place or self._is_shouted_name(end))
            ):
                end += 1
                if (
                    self._is_initial(token)
                    and end < len(tokens)
                    and tokens[end].text == "."
                    and tokens[end].start == token.end
                ):
                    end += 1
                if token.possessive:
                    break
            elif end > place and self._is_link(end):
                end += 1
            else:
                break
        return end

    def _follows(self, place: int) -> bool:
        """Whether a word stands right behind the one before it, but for a blank."""
        before, token = self._tokens[place - 1], self._tokens[place]
        return token.start - before.end <= 1

    def _is_link(self, place: int) -> bool:
        """Whether a small word ties two parts of a name: "van der", "&", "of"."""
        token = self._tokens[place]
        if token.folded not in PARTICLES and token.text not in ("&", "of"):
            return False
        for after in range(place + 1, min(place + 4, len(self._tokens))):
            following = self._tokens[after]
            if following.is_name_like:
                return token.text != "of" or self._is_of(place)
            if following.folded not in PARTICLES:
                return False
        return False

    def _is_of(self, place: int) -> bool:
        before = self._tokens[place - 1].folded
        return before in ORGANISATION_ENDINGS or before in ORGANISATION_OPENINGS or before in ("isle", "gulf", "bay")

    def _is_shouted_name(self, place: int) -> bool:
        """Whether a word in capitals is a family name behind a given one: "Sarah CHEN"."""
        if place < 1 or self._sentence.loud or len(self._tokens[place].text) < 3:
            return False
        before = self._tokens[place - 1]
        return before.shape == CAPITAL and is_given(before.folded) and self._tokens[place].folded in SURNAMES

    def _acts(self, place: int) -> bool:
        """Whether a verb of things follows: "Atlas uses Redis"."""
        return acts(self._tokens[place : place + 5], self._tokens[place].end)

    def _stands_free(self, place: int) -> bool:
        """Whether a word is no part of a path, an address or an identifier."""
        token, text = self._tokens[place], self._page.text
        before = text[token.start - 1 : token.start]
        after = text[token.end : token.end + 1]
        return (
            before not in ("/", "_", "-", ".", "#", "$", "\\", "=")
            and after not in ("/", "_", "-", "@", "(", "=", "\\")
            and "." not in token.text
        )

    def _mention(
        self,
        place: int,
        end: int,
        type: str,
        sure: float,
        *,
        weak: bool = False,
        title: str = "",
        start: int | None = None,
    ) -> Mention:
        tokens = self._tokens
        if (
            type == PERSON
            and end < len(tokens)
            and not title
            and tokens[end].folded in HONORIFICS
            and tokens[end].is_name_like
        ):
            title = tokens[end].text
        first, last = tokens[place], tokens[end - 1]
        text = self._page.text[first.start : last.end]
        return Mention(
            first.start if start is None else start,
            last.end,
            self._number,
            text,
            type,
            sure,
            title,
            weak,
            possessive=last.possessive,
        )

    def _word(self, place: int) -> Token | None:
        """The word at or right behind a place, over a dot."""
        if place < len(self._tokens) and self._tokens[place].text == ".":
            place += 1
        return self._tokens[place] if place < len(self._tokens) else None

    def _next(self, place: int) -> Token | None:
        """The word right behind one, with but a blank between."""
        if place + 1 >= len(self._tokens) or not self._follows(place + 1) or self._tokens[place].possessive:
            return None
        return self._tokens[place + 1]

    def _together(self, place: int, end: int) -> bool:
        return all(self._follows(at) for at in range(place + 1, end))

    @staticmethod
    def _is_initial(token: Token) -> bool:
        return len(token.text) == 1 and token.shape == CAPITAL and token.folded != "i"

    @staticmethod
    def _is_branded(token: Token) -> bool:
        """Whether a word has capitals within it as brands have, and not as "McCartney" or "IBANs"."""
        if token.shape != MIXED or token.text.startswith(
            ("Mc", "Mac", "De", "Di", "Du", "La", "Le", "Van", "Fitz", "O'", "O’", "D'", "D’")
        ):
            return False
        return not token.text[:-1].isupper()

    @staticmethod
    def _is_plain(token: Token) -> bool:
        word = token.folded
        return (is_common(word) and word not in SURNAMES) or word in NOT_NAMES or word in ROLES
