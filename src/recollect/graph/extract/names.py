"""Names in a sentence: runs of capitalised words, parted into people, organisations, places and other things.

Known names come first, then what their own words tell (a given name, "GmbH", "Street"), then what stands around them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from recollect.graph.extract.found import PERSON, UNKNOWN, Mention
from recollect.graph.extract.organisations import Organisations
from recollect.graph.extract.people import People
from recollect.graph.extract.places import Places
from recollect.graph.extract.reading import CAPITAL, CAPITALS, LOWER, MIXED, NUMBER, SIGN, Token
from recollect.graph.extract.sight import COMPANY_FORMS, NOT_NAMES, PLAIN_TITLES, STREETS
from recollect.understanding.lexicon import (
    COMPANY_ENDINGS,
    COUNTED,
    DATES,
    GIVEN,
    GREETINGS,
    KIN,
    KIN_TITLES,
    KNOWN,
    LABELS,
    LONGEST,
    ORGANISATION_OPENINGS,
    PARTICLES,
    ROLES,
    SURNAMES,
    TITLES,
    VALEDICTIONS,
    WORDY,
    fold,
    is_common,
    is_given,
    listed,
)

_SMALL_OPENINGS = GIVEN | LONGEST.keys() | PLAIN_TITLES | KIN_TITLES | STREETS | {"professor", "doctor"}
_RELATED = KIN | ROLES
_SUMMONS = listed("summons")
_THING_OPENINGS = listed("thing_openings")
_WORDY_PHRASES = listed("wordy_phrases")
_UNNUMBERED = frozenset((PERSON, "place"))
_LONGEST_NUMBER = 3
"""Digits of a number that belongs to a name: a longer one is a year, or an amount."""
_AFTER_NUMBER = frozenset('.,;:!?)]"”’…—–')


class Names(People, Organisations, Places):
    """The names of one sentence."""

    def find(self) -> list[Mention]:
        """Every name, in order."""
        found: list[Mention] = []
        place, tokens = 0, self._tokens
        while place < len(tokens):
            token = tokens[place]
            if not self._is_of_interest(token, place):
                place += 1
                continue
            mentions, place = self._at(place)
            if mentions:
                mentions[-1], place = self._completed(mentions[-1], place)
            found += mentions
        return found

    def _completed(self, mention: Mention, end: int) -> tuple[Mention, int]:
        """A thing's name with the legal form or the number that ends it: "BMW AG", "Apollo 2"."""
        if mention.type in _UNNUMBERED or mention.possessive or mention.end != self._tokens[end - 1].end:
            return mention, end
        if self._is_legal_form(end):
            return self._longer(mention, end, "organisation"), end + 1
        if mention.type != "organisation" and self._is_numbered(end) and fold(mention.text) not in KNOWN:
            return self._longer(mention, end, mention.type), end + 1
        return mention, end

    def _longer(self, mention: Mention, end: int, type: str) -> Mention:
        last = self._tokens[end]
        text = self._page.text[mention.start : last.end]
        return replace(mention, end=last.end, text=text, type=type, possessive=last.possessive)

    def _is_legal_form(self, place: int) -> bool:
        """Whether "AG" or "Inc" stands here, right behind a name."""
        if place >= len(self._tokens) or not self._follows(place) or self._sentence.loud:
            return False
        token = self._tokens[place]
        return token.folded in COMPANY_FORMS and (token.is_name_like or token.shape == CAPITALS)

    def _is_numbered(self, place: int) -> bool:
        """Whether a number here counts the things of a name, "Apollo 2", and not what follows it, "5 times"."""
        if place >= len(self._tokens) or not self._follows(place):
            return False
        number = self._tokens[place].text
        if not (number.isdecimal() and number.isascii() and len(number) <= _LONGEST_NUMBER):
            return False
        if place + 1 == len(self._tokens):
            return True
        after = self._tokens[place + 1]
        if after.shape == SIGN:
            return after.text in _AFTER_NUMBER
        return after.shape == LOWER and after.folded not in COUNTED

    @staticmethod
    def _begins(token: Token) -> bool:
        """Whether a word without a capital may begin a name."""
        return token.folded in _SMALL_OPENINGS or not token.text.isascii()

    def _is_of_interest(self, token: Token, place: int) -> bool:
        """Whether a name may begin here: told at once for nearly every word."""
        if token.shape in (SIGN, NUMBER):
            return token.folded in LONGEST
        if token.shape != LOWER or self._begins(token):
            return True
        before = self._tokens[place - 1].folded if place else ""
        return before in _RELATED or (before == "," and place > 1 and self._tokens[place - 2].folded in _RELATED)

    def _at(self, place: int) -> tuple[list[Mention], int]:
        """What is named from a word on, and where to go on."""
        token = self._tokens[place]
        for find in (self._called, self._no_person, self._street, self._titled, self._known):
            found = find(place)
            if found is not None:
                return [found[0]], found[1]
        if token.shape in (CAPITAL, MIXED) or (token.shape == CAPITALS and self._is_shouted_name(place)):
            run = self._run(place)
            if run > place:
                return list(self._parted(place, run)), run
        small = self._small(place) if token.shape == LOWER else None
        return ([small[0]], small[1]) if small is not None else ([], place + 1)

    def _parted(self, place: int, end: int) -> Iterator[Mention]:
        """The names of a run."""
        while place < end:
            token = self._tokens[place]
            if token.shape == SIGN or self._is_opening(place, end):
                place += 1
                continue
            if self._is_phrase(place, end):
                place += 2
                continue
            type, until = self._piece(place, end)
            if type is not None:
                yield self._mention(place, until, type[0], type[1], weak=type[2])
            place = max(until, place + 1)

    def _no_person(self, place: int) -> tuple[Mention, int] | None:
        """What begins as no person's name does: "Morbus Zeta", "Saint Helena"."""
        token, after = self._tokens[place], self._next(place)
        if token.folded not in _THING_OPENINGS or token.shape != CAPITAL or after is None or not after.is_name_like:
            return None
        if self._known(place) is not None or after.folded in COMPANY_ENDINGS or after.folded in NOT_NAMES:
            return None
        placed = token.folded in ("saint", "sankt") and self._around.is_place(place)
        return self._mention(place, place + 2, "place" if placed else UNKNOWN, 0.85), place + 2

    def _is_phrase(self, place: int, end: int) -> bool:
        """Whether two words are a phrase with capitals: "Will Power"."""
        if end - place < 2:
            return False
        return f"{self._tokens[place].folded}-{self._tokens[place + 1].folded}" in _WORDY_PHRASES

    def _is_opening(self, place: int, end: int) -> bool:
        """Whether a word of a run is no part of a name: what a sentence begins with, a day, a greeting."""
        token = self._tokens[place]
        word = token.folded
        if word in PLAIN_TITLES or word in ("ii", "iii", "iv") or self._is_noun_before_name(place, end):
            return True
        if word in NOT_NAMES or (word in PARTICLES and token.shape == LOWER):
            return not (word in DATES and is_given(word) and self._around.is_person(place, place + 1, sure=True))
        opens = place == self._first or self._sentence.loud
        return opens and not self._is_called_so(place, end) and self._is_first_word(place, end)

    def _is_first_word(self, place: int, end: int) -> bool:
        """Whether a word has its capital because a sentence begins with it."""
        word, alone = self._tokens[place].folded, end - place == 1
        if self._is_verb_before_name(place, end):
            return True
        if word in GREETINGS or word in VALEDICTIONS or word in TITLES:
            return alone or not is_given(word)
        if word in WORDY and is_given(word):
            if alone and not is_common(word) and self._acts(place):
                return False
            return self._is_verb_of_question(place, end) or (alone and not self._is_wordy_person(place))
        return is_common(word) and not self._is_company(place, end)

    def _is_verb_before_name(self, place: int, end: int) -> bool:
        """Whether an unknown word stands before a given name where a sentence begins: "Forgive Stuart".

        Not where somebody of both words does something: "Xanthe Ward works there".
        """
        word = self._tokens[place].folded
        if place != self._first or end - place < 2 or not is_given(self._tokens[place + 1].folded):
            return False
        if word in _SUMMONS:
            return True
        if end - place == 2 and not is_common(word) and self._around.is_person(place, end, sure=True):
            return False
        return not (is_given(word) or word in SURNAMES or word in ORGANISATION_OPENINGS)

    def _is_noun_before_name(self, place: int, end: int) -> bool:
        """Whether a German noun stands before a known name: "Kunde Siemens"."""
        if not self._page.nouns_capital or end - place < 2 or is_given(self._tokens[place].folded):
            return False
        return KNOWN.get(self._tokens[place + 1].folded) == "organisation"

    def _piece(self, place: int, end: int) -> tuple[tuple[str, float, bool] | None, int]:
        """The type of what begins here, how sure it is, whether that is only a guess, and where it ends."""
        known = self._known(place) if place > 0 else None
        if known is not None:
            return (known[0].type, known[0].sure, False), known[1]
        for find in (self._organisation, self._place, self._person):
            found = find(place, end)
            if found is not None:
                return found
        return self._other(place, end)

    def _other(self, place: int, end: int) -> tuple[tuple[str, float, bool] | None, int]:
        """A name of which its own words do not tell what it names."""
        tokens, until = self._tokens, place + 1
        while until < end and not tokens[until - 1].possessive and tokens[until].shape != SIGN:
            if tokens[until].folded in NOT_NAMES or is_given(tokens[until].folded):
                break
            until += 1
        words = tokens[place:until]
        plain = all(is_common(word.folded) for word in words)
        guess = None if plain and len(words) == 1 else self._around.guess(place, until)
        if guess is not None and not (self._page.nouns_capital and len(words) == 1 and guess[2] < 2):
            return (guess[0], guess[1], True), until
        if len(words) == 1 and self._is_branded(words[0]) and not self._sentence.loud:
            return ("product", 0.75, True), until
        return self._is_some_name(words, place), until

    def _is_some_name(self, words: Sequence[Token], place: int) -> tuple[str, float, bool] | None:
        if self._sentence.loud or self._page.nouns_capital or not self._page.english:
            return None
        if all(is_common(word.folded) or word.folded in LABELS or word.folded in ROLES for word in words):
            return None
        alone = place == self._first and len(words) == 1
        if alone and not self._acts(place) and not self._is_numbered(place + 1):
            return None
        return UNKNOWN, 0.7, True
