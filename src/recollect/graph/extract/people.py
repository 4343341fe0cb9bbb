"""People by their own names: with a title, behind a word for a relative, by given and family names, in lower case."""

from collections.abc import Sequence

from recollect.core.terms import STOP_WORDS
from recollect.graph.extract.found import PERSON, Mention
from recollect.graph.extract.known import Known
from recollect.graph.extract.reading import CAPITAL, CAPITALS, LOWER, MIXED, SIGN, Token
from recollect.graph.extract.sight import NOT_NAMES, PLAIN_TITLES, Piece
from recollect.understanding.lexicon import (
    COMPANY_ENDINGS,
    DATES,
    DETERMINERS,
    HONORIFICS,
    KIN,
    KIN_TITLES,
    KNOWN,
    LABELS,
    ORGANISATION_ENDINGS,
    PARTICLES,
    PLACE_ENDINGS,
    ROLES,
    SUFFIXES,
    SURNAMES,
    TITLES,
    WORDS,
    WORDY,
    is_common,
    is_given,
    listed,
    sounds_like_family,
)

_LONGEST_PERSON = 5
_SHORT_FAMILY = 4
_MOST_TITLES = 6
"""Words and dots of titles before one name: "Frau Prof. Dr."."""
_NOBLE = listed("noble")
_EPITHETS = frozenset(("big", "little", "old", "young", "wee"))
_SEASONS = DATES | listed("seasons")
_OWNERS = listed("owner_words")
_HARDLY_WORDS = listed("hardly_words")


class People(Known):
    """The people of a sentence."""

    def _titled(self, place: int) -> tuple[Mention, int] | None:
        """A person with a title: "Ms Chen", "Frau Doktor Lindemann", "Aunt Rosa", "my husband daniel"."""
        tokens, start = self._tokens, place
        while place < min(len(tokens), start + _MOST_TITLES) and self._is_title(tokens[place], place):
            place += 1
            if place < len(tokens) and tokens[place].text == ".":
                place += 1
        if place == start or place >= len(tokens):
            return self._related(start)
        lower = tokens[place].shape == LOWER and not (tokens[place].folded in PARTICLES and self._is_link(place))
        end = self._person_end(place, lower=lower)
        if end == place or (lower and not self._may_be_small_name(place)):
            return None
        if tokens[start].folded in KIN_TITLES and not is_given(tokens[place].folded) and lower:
            return None
        if (
            tokens[start].shape == LOWER
            and tokens[start].folded in KIN_TITLES
            and self._owner_before(start) is not None
        ):
            return self._mention(place, end, PERSON, 0.9), end
        title = self._page.text[tokens[start].start : tokens[place].start].strip()
        return self._mention(place, end, PERSON, 0.9, title=title, start=tokens[start].start), end

    def _is_title(self, token: Token, place: int) -> bool:
        if token.shape == LOWER:
            return token.folded in PLAIN_TITLES or token.folded in KIN_TITLES or token.folded in ("professor", "doctor")
        if token.folded in PLAIN_TITLES:
            return token.shape != CAPITALS or len(token.text) <= 3
        return (
            token.shape == CAPITAL
            and (token.folded in TITLES or token.folded in KIN_TITLES)
            and not self._goes_on(place)
        )

    def _goes_on(self, place: int) -> bool:
        """Whether the word after a title is none that a name begins with."""
        following = self._word(place + 1)
        return following is None or following.shape not in (CAPITAL, MIXED) or self._is_plain(following)

    def _related(self, place: int) -> tuple[Mention, int] | None:
        """Somebody behind a word for a relative or a role: "my daughter mei", "our conductor, Magnus"."""
        if place < 1 or not self._is_behind_relative(place) or not self._may_be_relative(place):
            return None
        end = self._person_end(place, lower=self._tokens[place].shape == LOWER)
        if end == place or self._known_at(place, end) in ("organisation", "product", "technology"):
            return None
        return self._mention(place, end, PERSON, 0.9), end

    def _is_behind_relative(self, place: int) -> bool:
        """Whether "my daughter", or "our conductor," stands before a word."""
        at = place - 1
        if self._tokens[at].text == "," and at > 0 and self._tokens[place].shape != LOWER:
            at -= 1
        word = self._tokens[at].folded
        return (word in KIN or word in ROLES) and self._owner_before(at) is not None

    def _may_be_relative(self, place: int) -> bool:
        token = self._tokens[place]
        if token.folded in NOT_NAMES or token.folded in KIN or token.folded in ROLES:
            return False
        if token.shape == LOWER:
            return self._is_small_given(place, sure=True)
        return token.shape == CAPITAL and (not self._is_plain(token) or token.folded in WORDY)

    def _owner_before(self, place: int) -> Token | None:
        """Whose relative: "my", "her", "Sarah's", with at most two words between."""
        for back in range(1, 4):
            if place - back < 0:
                return None
            token = self._tokens[place - back]
            if token.folded in _OWNERS or token.possessive:
                return token
            if token.shape == SIGN:
                return None
        return None

    def _person(self, place: int, end: int) -> Piece | None:
        """Somebody, by the words of the name; a lone one by what stands around it too."""
        if self._is_called_so(place, end):
            return (PERSON, 0.85, False), place + 2
        until = self._person_end(place, most=end)
        if self._is_branded(self._tokens[place]) or until == place or self._is_part_of_thing(place, until, end):
            return None
        words = [token for token in self._tokens[place:until] if token.shape != SIGN]
        if self._is_full_name(words):
            return (PERSON, 0.9, False), until
        if len(words) == 1:
            return self._alone(words[0].folded, place, until)
        return ((PERSON, 0.75, True), until) if self._around.is_person(place, until) else None

    def _alone(self, word: str, place: int, until: int) -> Piece | None:
        """Somebody by one word."""
        given = is_given(word)
        if word.startswith("o'") and len(word) > _SHORT_FAMILY:
            return (PERSON, 0.75, True), until
        if word in ROLES or (is_common(word) and not given):
            return None
        if given and not self._is_thing_here(place):
            return (PERSON, 0.8, word in WORDY or word in KNOWN), until
        return ((PERSON, 0.75, True), until) if self._around.is_person(place, until, sure=True) else None

    def _is_called_so(self, place: int, end: int) -> bool:
        """Whether it is what somebody is called among several: "Big Dave"."""
        if self._tokens[place].folded not in _EPITHETS or end - place < 2:
            return False
        return is_given(self._tokens[place + 1].folded)

    def _is_part_of_thing(self, place: int, until: int, end: int) -> bool:
        """Whether a run is no person although it begins with a name: "The Klezmer Kangaroos", "Atlas Ferries"."""
        tokens = self._tokens
        if (
            place
            and tokens[place - 1].folded == "the"
            and tokens[place - 1].shape == CAPITAL
            and place - 1 != self._first
        ):
            return True
        if place > 1 and tokens[place - 1].text == "." and tokens[place - 2].folded == "st":
            return True
        if (
            place
            and until - place > 1
            and (
                tokens[place - 1].folded in ("the", "st", "saint")
                or (tokens[place - 1].folded in DETERMINERS and not is_given(tokens[place].folded))
            )
        ):
            return True
        first = tokens[place].folded
        goes_on = until < end and not tokens[until - 1].possessive and tokens[until].is_name_like
        if (
            goes_on
            and until - place == 1
            and (first in WORDY or not is_given(first))
            and tokens[until].folded not in NOT_NAMES
        ):
            return True
        return (
            KNOWN.get(first) == "place"
            and until - place > 1
            and self._around.is_place(place)
            and tokens[until - 1].folded not in SURNAMES
        )

    def _is_full_name(self, words: Sequence[Token]) -> bool:
        """Whether the words look like a given name and a family name."""
        if len(words) < 2:
            return False
        first, last = words[0].folded, words[-1].folded
        if self._is_initial(words[0]):
            return not self._is_initial(words[-1]) and (not is_common(last) or last in SURNAMES)
        if is_given(first):
            return not (self._sentence.loud and is_common(first) and is_common(last))
        if is_common(first) or is_common(last):
            return False
        family = last in SURNAMES or sounds_like_family(last)
        return family or is_given(last) or any(word.folded in _NOBLE for word in words[1:-1])

    def _is_thing_here(self, place: int) -> bool:
        """Whether what stands around a lone given name says that it is none."""
        if len(self._tokens[place].text) < 3 and place == self._first:
            return not self._around.is_person(place, place + 1)
        if place == self._first and self._tokens[place].folded in WORDY:
            return not self._around.is_person(place, place + 1) and self._acts(place)
        before = self._tokens[place - 1] if place else None
        if before is None:
            return False
        wordy = self._tokens[place].folded in WORDY and not self._tokens[place].possessive
        return before.folded in ("the", "a", "an", "this", "that") or (wordy and before.folded in ("of", "in", "at"))

    def _person_end(self, place: int, most: int | None = None, *, lower: bool = False) -> int:
        """Where the name of a person would end that begins here."""
        tokens = self._tokens
        limit = min(len(tokens) if most is None else most, place + _LONGEST_PERSON + 2)
        end = place
        while end < limit and (end == place or self._follows(end)):
            token = tokens[end]
            if self._is_initial(token) and end + 1 < len(tokens) and tokens[end + 1].text == "." and end + 1 < limit:
                end += 2
                continue
            if not self._is_name_word(end, place, lower=lower):
                break
            end += 1
            if token.possessive:
                break
        while end > place and tokens[end - 1].shape == LOWER and not lower:
            end -= 1
        return end

    def _is_name_word(self, place: int, first: int, *, lower: bool) -> bool:
        """Whether a word may be part of the name of a person that begins at `first`."""
        token = self._tokens[place]
        word = token.folded
        if lower:
            return token.shape == LOWER and (place == first or (word in SURNAMES and not is_common(word)))
        if word in PARTICLES and token.shape == LOWER:
            return self._is_link(place)
        if token.shape == CAPITALS:
            return place > first and word in SURNAMES and len(word) > 2
        if place == first or not token.is_name_like:
            return token.is_name_like and word not in NOT_NAMES
        return self._is_further_word(place, first)

    def _is_further_word(self, place: int, first: int) -> bool:
        """Whether a capitalised word behind a given name is a further one, or a family name."""
        word = self._tokens[place].folded
        if word in NOT_NAMES:
            return word in DETERMINERS and is_given(word)
        if word in SUFFIXES or word in SURNAMES:
            return True
        if word in HONORIFICS or word in ORGANISATION_ENDINGS or word in COMPANY_ENDINGS:
            return False
        if is_given(word):
            return True
        if word in KNOWN or word in ROLES or word in PLACE_ENDINGS or word in LABELS:
            return False
        return not self._is_word(word) or (place == first + 1 and self._may_be_family(place))

    @staticmethod
    def _is_word(word: str) -> bool:
        """Whether a word within a name is an ordinary one; what only ends like one may be a family name."""
        return word in WORDS or (word.endswith("s") and is_common(word))

    def _may_be_family(self, place: int) -> bool:
        """Whether an ordinary word with a capital behind a given name is a family name: "Philippa Foot"."""
        first, token = self._tokens[place - 1], self._tokens[place]
        if self._sentence.loud or not self._page.english or token.folded.endswith("s") or first.folded in WORDY:
            return False
        following = self._next(place)
        return (
            is_given(first.folded) and not token.possessive and not (following is not None and following.is_name_like)
        )

    def _is_verb_of_question(self, place: int, end: int) -> bool:
        """Whether "Will Sarah come?" asks."""
        if self._tokens[place].folded not in ("will", "may"):
            return False
        return (
            end - place > 1 and is_given(self._tokens[place + 1].folded) and self._sentence.text.rstrip().endswith("?")
        )

    def _is_wordy_person(self, place: int) -> bool:
        """Whether a name that is a word too is a name where a sentence begins: "Grace is picking me up"."""
        if self._around.is_person(place, place + 1, sure=True):
            return True
        if self._tokens[place].folded in _SEASONS or len(self._tokens) < place + 3:
            return False
        does, what = self._tokens[place + 1 : place + 3]
        return does.folded in ("is", "was", "has") and what.folded.endswith("ing") and what.shape == LOWER

    def _small(self, place: int) -> tuple[Mention, int] | None:
        """A given name in lower case, as people write in chats."""
        if not self._is_small_given(place):
            return None
        end = self._person_end(place, lower=True)
        return self._mention(place, end, PERSON, 0.8, weak=True), end

    def _is_small_given(self, place: int, *, sure: bool = False) -> bool:
        token = self._tokens[place]
        word = token.folded
        if word in NOT_NAMES:
            return False
        if not is_given(word) or len(word) < 3 or not self._stands_free(place):
            return (
                sure
                and not is_common(word)
                and len(word) > 2
                and word not in WORDY
                and self._page.english
                and self._stands_free(place)
                and word not in KIN
            )
        if not self._page.english and not sure:
            return False
        if word in WORDY or is_common(word):
            if sure:
                return word in WORDY and not is_common(word)
            return self._around.is_addressed(place) or (word in _HARDLY_WORDS and self._around.is_meant_small(place))
        return sure or not self._around.is_thing(place)

    def _may_be_small_name(self, place: int) -> bool:
        word, title = self._tokens[place].folded, self._tokens[place - 1].folded
        if word in STOP_WORDS or word in NOT_NAMES or not self._stands_free(place) or f"{title} {word}" in KNOWN:
            return False
        return len(word) > 2 and (not is_common(word) or title in ("mr", "mrs", "ms"))
