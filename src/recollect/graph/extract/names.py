"""Names in a sentence: runs of capitalised words, parted into people, organisations, places and other things.

Known names come first, then what their own words tell (a given name, "GmbH", "Street"), then what stands around them.
"""

from collections.abc import Iterator, Sequence

from recollect.core.terms import STOP_WORDS
from recollect.graph.extract import lexicon
from recollect.graph.extract.context import Around
from recollect.graph.extract.found import PERSON, UNKNOWN, Mention
from recollect.graph.extract.lexicon import (
    COMPANY_ENDINGS,
    DATES,
    DEMONYMS,
    DETERMINERS,
    GREETINGS,
    HONORIFICS,
    KIN,
    KIN_TITLES,
    KNOWN,
    LABELS,
    LONGEST,
    NOT_PEOPLE,
    ORGANISATION_ENDINGS,
    ORGANISATION_OPENINGS,
    PARTICLES,
    PLACE_ENDINGS,
    ROLES,
    SUFFIXES,
    SURNAMES,
    TITLES,
    VALEDICTIONS,
    WORDS,
    WORDY,
    is_common,
    is_given,
    sounds_like_family,
)
from recollect.graph.extract.reading import CAPITAL, CAPITALS, LOWER, MIXED, NUMBER, SIGN, Page, Sentence, Token
from recollect.graph.extract.relations import acts

_LONGEST_RUN = 7
_LONGEST_PERSON = 5
_PLAIN_TITLES = frozenset(
    "mr mrs ms miss mx dr prof herr frau mme mlle senor senora senorita sr sra pani pan panem dhr signora signor".split()
)
"""Titles that are no words: they may be written in lower case."""
_NOBLE = frozenset("van von de da di del della bin ibn bint al el ter ten".split())
_STREETS = frozenset("rue calle avenida piazza plaza rua ulica ul viale carrer gare place quai salle".split())
_STREET_ENDINGS = ("strasse", "platz", "allee", "gasse", "straat", "gatan", "plein", "gracht", "weg")
_CALLED = {
    **dict.fromkeys(("company", "startup", "start-up", "firm", "agency", "band", "shop", "bakery", "charity", "team", "nonprofit"), "organisation"),
    **dict.fromkeys(("app", "tool", "script", "service", "bot", "system", "something", "homegrown", "library", "product", "book", "game", "plugin"), "product"),
    **dict.fromkeys(("village", "town", "place", "city", "island", "suburb", "neighbourhood", "neighborhood"), "place"),
    "project": "project",
}
_EPITHETS = frozenset(("big", "little", "old", "young", "wee"))
_COMPANY_FORMS = frozenset("plc gmbh inc ltd llc ag kg bv nv ab sarl srl spa".split())
_SEASONS = DATES | frozenset("summer winter autumn spring dawn eve".split())
_OWNERS = frozenset("my our his her their your mein meine meiner unser unsere mi mis mon ma mes mio mia moj moja minha meu min mitt nuestro nuestra notre".split())
_NOT_NAMES = DETERMINERS | DATES | DEMONYMS | NOT_PEOPLE | frozenset("i i'm i'll i've i'd ok okay tv pm am it's".split())
_GENERAL_ENDINGS = frozenset(
    "team office department data cloud digital online web mobile market markets power energy health design security support water media books press "
    "times tech ai store building practice coffee kitchen foods sports club law legal finance credit paper tools materials devices games union express "
    "exchange gas oil record records farm court church band lab express network forum initiative fund trust market council committee "
    "school college bank insurance hotel restaurant library museum hospital clinic gym church temple studio cafe gallery".split()
)
"""Endings that are words of every day: they need a name before them."""


_SMALL_OPENINGS = lexicon.GIVEN | LONGEST.keys() | _PLAIN_TITLES | KIN_TITLES | _STREETS | {"professor", "doctor"}
_RELATED = KIN | ROLES


class Names:
    """The names of one sentence."""

    def __init__(self, page: Page, number: int) -> None:
        self._page = page
        self._number = number
        self._sentence: Sentence = page.sentences[number]
        self._tokens = self._sentence.tokens
        self._around = Around(self._sentence)
        self._first = next((place for place, token in enumerate(self._tokens) if token.shape != SIGN), 0)

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
            found += mentions
        return found

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
        called = self._called(place)
        if called is not None:
            return [called[0]], called[1]
        street = self._street(place)
        if street is not None:
            return [street[0]], street[1]
        titled = self._titled(place)
        if titled is not None:
            return [titled[0]], titled[1]
        known = self._known(place)
        if known is not None:
            return [known[0]], known[1]
        if token.shape in (CAPITAL, MIXED) or (token.shape == CAPITALS and self._is_shouted_name(place)):
            run = self._run(place)
            if run > place:
                return list(self._parted(place, run)), run
        if token.shape == LOWER:
            small = self._small(place)
            if small is not None:
                return [small[0]], small[1]
        return [], place + 1

    def _called(self, place: int) -> tuple[Mention, int] | None:
        """What somebody says the kind of: "a start-up called Hugo"."""
        tokens = self._tokens
        if place < 2 or not tokens[place].is_name_like or tokens[place - 1].folded not in ("called", "named"):
            return None
        type = _CALLED.get(tokens[place - 2].folded) or ("organisation" if tokens[place - 2].folded in ORGANISATION_ENDINGS else None)
        if type is None:
            return None
        end = self._run(place)
        return self._mention(place, end, type, 0.95), end

    def _street(self, place: int) -> tuple[Mention, int] | None:
        """What begins with "rue", "calle" or "St."."""
        tokens, token = self._tokens, self._tokens[place]
        if token.folded == "st" and token.shape == CAPITAL and (name := self._word(place + 1)) is not None and name.is_name_like:
            end = tokens.index(name) + 1
            return self._saint(place, end, name), end
        if token.is_name_like and len(token.folded) > 7 and token.folded.endswith(_STREET_ENDINGS):
            numbered = place + 1 < len(tokens) and tokens[place + 1].shape == NUMBER and len(tokens[place + 1].text) < 5
            end = place + 1 + numbered
            return self._mention(place, end, "place", 0.85), end
        if token.folded not in _STREETS or self._page.english or place + 1 >= len(tokens) or not tokens[place + 1].is_name_like:
            return None
        end = self._run(place + 1)
        return self._mention(place, end, "place", 0.85), end

    def _saint(self, place: int, end: int, name: Token) -> Mention:
        """A school, a hospital, or a place: "St. Catherine's" with the ending that is part of it."""
        found = self._mention(place, end, "organisation" if name.possessive else "place", 0.8)
        if name.possessive:
            found.end = name.end + 2
            found.text = self._page.text[found.start : found.end]
        return found

    # Titles and relatives

    def _titled(self, place: int) -> tuple[Mention, int] | None:
        """A person with a title: "Ms Chen", "Frau Doktor Lindemann", "Aunt Rosa", "my husband daniel"."""
        tokens, start = self._tokens, place
        while place < len(tokens) and self._is_title(tokens[place], place):
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
        if tokens[start].shape == LOWER and tokens[start].folded in KIN_TITLES and self._owner_before(start) is not None:
            return self._mention(place, end, PERSON, 0.9), end
        title = self._page.text[tokens[start].start : tokens[place].start].strip()
        return self._mention(place, end, PERSON, 0.9, title=title, start=tokens[start].start), end

    def _is_title(self, token: Token, place: int) -> bool:
        if token.shape == LOWER:
            return token.folded in _PLAIN_TITLES or token.folded in KIN_TITLES or token.folded in ("professor", "doctor")
        if token.folded in _PLAIN_TITLES:
            return token.shape != CAPITALS or len(token.text) <= 3
        return token.shape == CAPITAL and (token.folded in TITLES or token.folded in KIN_TITLES) and not self._goes_on(place)

    def _goes_on(self, place: int) -> bool:
        """Whether the word after a title is none that a name begins with."""
        following = self._word(place + 1)
        return following is None or following.shape not in (CAPITAL, MIXED) or self._is_plain(following)

    def _related(self, place: int) -> tuple[Mention, int] | None:
        """Somebody behind a word for a relative or a role: "my daughter mei", "our conductor, Magnus"."""
        tokens = self._tokens
        if place < 1 or tokens[place].shape not in (LOWER, CAPITAL):
            return None
        before = tokens[place - 1]
        if before.text == "," and place >= 2:
            before = tokens[place - 2]
        if before.folded not in KIN and before.folded not in ROLES:
            return None
        owner = self._owner_before(tokens.index(before))
        if owner is None or tokens[place].folded in _NOT_NAMES or tokens[place].folded in KIN | ROLES:
            return None
        if tokens[place].shape == LOWER and (before.end + 1 < tokens[place].start or not self._is_small_given(place, sure=True)):
            return None
        if tokens[place].shape == CAPITAL and self._is_plain(tokens[place]) and tokens[place].folded not in WORDY:
            return None
        end = self._person_end(place, lower=tokens[place].shape == LOWER)
        if end == place or self._known_at(place, end) in ("organisation", "product", "technology"):
            return None
        return self._mention(place, end, PERSON, 0.9), end

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

    # Known names

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

    def _has_model(self, place: int, brand: Token) -> bool:
        """Whether the number of a model follows: "Yamaha FG800", "iPhone 13"."""
        if place >= len(self._tokens) or not self._follows(place):
            return False
        text = self._tokens[place].text
        if text.isdigit():
            return len(text) < 3 and brand.folded in ("iphone", "ipad", "pixel", "galaxy", "windows", "playstation", "xbox")
        return text.isalnum() and text.isascii() and any(map(str.isdigit, text)) and any(map(str.isalpha, text)) and len(text) > 2

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
        return not (type != "place" and after is not None and after.is_name_like and is_given(token.folded) and after.folded in SURNAMES)

    def _is_meant_alone(self, place: int, type: str) -> bool:
        token, after = self._tokens[place], self._next(place)
        word = token.folded
        if len(word) <= 3 and not self._is_short_name(token, type):
            return False
        if word in DEMONYMS and after is not None and after.shape == LOWER:
            return place > 0 and self._tokens[place - 1].folded in ("the", "in") and after.folded in STOP_WORDS
        named = is_given(word) or word in SURNAMES
        if token.shape == LOWER:
            placed = type == "place" and (self._around.is_place(place) or (after is not None and after.folded == "based"))
            if (word in WORDY and type == "place") or not (self._page.english or placed or (word in KNOWN and token.text == word and type in ("technology", "product"))):
                return False
            return not is_common(word) and (not named or placed or type in ("product", "technology"))
        if after is not None and after.is_name_like and not after.possessive and self._continues(place, type):
            return False
        if token.shape == CAPITALS and len(word) <= 3 and word in ("us", "who", "it"):
            return word == "us" and not self._sentence.loud
        if named:
            return self._is_rather_a_thing(place, type)
        if is_common(word) and (place == self._first or self._sentence.loud):
            return type == "place" and self._around.is_place(place)
        return True

    @staticmethod
    def _is_short_name(token: Token, type: str) -> bool:
        """Whether a word of few letters is the name and not a word of some language: "MIT", and not "mit"."""
        if token.shape == CAPITALS or not token.text.isascii() or token.folded in ("sap", "aws", "gcp", "git", "vim", "npm", "ios", "dbt", "rio", "zug", "ulm", "goa", "ps5"):
            return True
        return type in ("technology", "term") and token.shape in (LOWER, NUMBER) and len(token.text) > 2

    def _continues(self, place: int, type: str) -> bool:
        """Whether the name goes on: "Austin Reyes", "Phoenix Ceramics", but not "Google Ireland"."""
        following = self._tokens[place + 1]
        word = self._tokens[place].folded
        if following.folded in COMPANY_ENDINGS or following.folded in ORGANISATION_ENDINGS or following.folded in PLACE_ENDINGS:
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
        if self._around.is_person(place, place + 1, sure=True):
            return False
        return word not in lexicon.GIVEN or word in WORDY

    # Runs of capitals

    def _run(self, place: int) -> int:
        """Where a run of capitalised words ends."""
        tokens, end = self._tokens, place
        while end < len(tokens) and end - place < _LONGEST_RUN:
            token = tokens[end]
            if end > place and (not self._follows(end) or token.folded in _PLAIN_TITLES):
                break
            if end > place and token.shape == LOWER and token.folded in _COMPANY_FORMS:
                return end + 1
            if token.is_name_like or (token.shape == CAPITALS and len(token.text) > 1 and (end > place or self._is_shouted_name(end))):
                end += 1
                if self._is_initial(token) and end < len(tokens) and tokens[end].text == "." and tokens[end].start == token.end:
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

    def _parted(self, place: int, end: int) -> Iterator[Mention]:
        """The names of a run."""
        while place < end:
            token = self._tokens[place]
            if token.shape == SIGN or self._is_opening(place, end):
                place += 1
                continue
            type, until = self._piece(place, end)
            if type is not None:
                yield self._mention(place, until, type[0], type[1], weak=type[2])
            place = max(until, place + 1)

    def _acts(self, place: int) -> bool:
        """Whether a verb of things follows: "Atlas uses Redis"."""
        return acts(self._tokens[place : place + 5], self._tokens[place].end)

    def _is_opening(self, place: int, end: int) -> bool:
        """Whether a word of a run is no part of a name: what a sentence begins with, a day, a greeting."""
        token = self._tokens[place]
        word = token.folded
        if word in _PLAIN_TITLES:
            return True
        if word in _NOT_NAMES or (word in PARTICLES and token.shape == LOWER):
            return not (word in DATES and is_given(word) and self._around.is_person(place, place + 1, sure=True))
        opens = place == self._first or self._sentence.loud
        if not opens:
            return False
        if self._is_called_so(place, end):
            return False
        if end - place > 1 and not is_given(word) and word not in SURNAMES and word not in ORGANISATION_OPENINGS and is_given(self._tokens[place + 1].folded) and place == self._first:
            return True
        if word in GREETINGS or word in VALEDICTIONS or word in TITLES:
            return not (is_given(word) and end - place > 1)
        if word in WORDY and is_given(word):
            if end - place == 1 and not is_common(word) and self._acts(place):
                return False
            return self._is_verb_of_question(place, end) or (end - place == 1 and not self._is_wordy_person(place))
        return is_common(word) and not self._is_company(place, end)

    def _is_called_so(self, place: int, end: int) -> bool:
        """Whether it is what somebody is called among several: "Big Dave"."""
        if self._tokens[place].folded not in _EPITHETS or end - place < 2:
            return False
        return is_given(self._tokens[place + 1].folded)

    def _is_verb_of_question(self, place: int, end: int) -> bool:
        """Whether "Will Sarah come?" asks."""
        if self._tokens[place].folded not in ("will", "may"):
            return False
        return end - place > 1 and is_given(self._tokens[place + 1].folded) and self._sentence.text.rstrip().endswith("?")

    def _is_wordy_person(self, place: int) -> bool:
        """Whether a name that is a word too is a name where a sentence begins: "Grace is picking me up"."""
        if self._around.is_person(place, place + 1, sure=True):
            return True
        if self._tokens[place].folded in _SEASONS or len(self._tokens) < place + 3:
            return False
        does, what = self._tokens[place + 1 : place + 3]
        return does.folded in ("is", "was", "has") and what.folded.endswith("ing") and what.shape == LOWER

    def _is_company(self, place: int, end: int) -> bool:
        return any(token.folded in COMPANY_ENDINGS and token.shape != LOWER for token in self._tokens[place + 1 : end])

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

    def _organisation(self, place: int, end: int) -> tuple[tuple[str, float, bool], int] | None:
        tokens = self._tokens
        last = place
        for at in range(place + 1, end):
            word = tokens[at].folded
            if (tokens[at].shape == LOWER and word not in _COMPANY_FORMS) or (tokens[at - 1].possessive and at > place):
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
            return any(not is_common(word.folded) and word.folded not in DEMONYMS for word in words if word.shape != SIGN)
        if len(words) == 1 and is_given(words[0].folded) and self._tokens[at].folded in SURNAMES:
            return False
        return True

    def _place(self, place: int, end: int) -> tuple[tuple[str, float, bool], int] | None:
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
        if is_given(words[0].folded) and tokens[last].folded in SURNAMES and words[0].folded not in WORDY and len(words) < 3:
            return None
        located = self._around.is_place(place) or (place > 0 and tokens[place - 1].folded in ("on", "of"))
        if all(is_common(word.folded) for word in words) and not located:
            return None
        return ("place", 0.85, False), last + 1

    def _person(self, place: int, end: int) -> tuple[tuple[str, float, bool], int] | None:
        if self._is_called_so(place, end):
            return (PERSON, 0.85, False), place + 2
        if self._is_branded(self._tokens[place]):
            return None
        until = self._person_end(place, most=end)
        if until > place and not self._is_part_of_thing(place, until, end):
            words = [token for token in self._tokens[place:until] if token.shape != SIGN]
            if self._is_full_name(words):
                return (PERSON, 0.9, False), until
            if len(words) == 1 and (words[0].folded in ROLES or (is_common(words[0].folded) and not is_given(words[0].folded))):
                return None
            if len(words) == 1 and is_given(words[0].folded) and not self._is_thing_here(place):
                return (PERSON, 0.8, words[0].folded in WORDY), until
            if self._around.is_person(place, until, sure=len(words) == 1):
                return (PERSON, 0.75, True), until
        return None

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

    def _is_part_of_thing(self, place: int, until: int, end: int) -> bool:
        """Whether a run is no person although it begins with a name: "The Klezmer Kangaroos", "Atlas Ferries"."""
        tokens = self._tokens
        if place and tokens[place - 1].folded == "the" and tokens[place - 1].shape == CAPITAL and place - 1 != self._first:
            return True
        if place > 1 and tokens[place - 1].text == "." and tokens[place - 2].folded == "st":
            return True
        if place and until - place > 1 and (tokens[place - 1].folded in ("the", "st", "saint") or (tokens[place - 1].folded in DETERMINERS and not is_given(tokens[place].folded))):
            return True
        first = tokens[place].folded
        goes_on = until < end and not tokens[until - 1].possessive and tokens[until].is_name_like
        if goes_on and until - place == 1 and (first in WORDY or not is_given(first)) and tokens[until].folded not in _NOT_NAMES:
            return True
        return KNOWN.get(first) == "place" and until - place > 1 and self._around.is_place(place) and tokens[until - 1].folded not in SURNAMES

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
        token = self._tokens[place]
        word = token.folded
        if lower:
            if place == first:
                return token.shape == LOWER
            return token.shape == LOWER and word in SURNAMES and not is_common(word)
        if word in PARTICLES and token.shape == LOWER:
            return self._is_link(place)
        if token.shape == CAPITALS:
            return place > first and word in SURNAMES and len(word) > 2
        if not token.is_name_like or word in _NOT_NAMES:
            return False
        if place == first:
            return True
        if word in SUFFIXES:
            return True
        if word in HONORIFICS and word not in SURNAMES:
            return False
        if word in ORGANISATION_ENDINGS or word in COMPANY_ENDINGS:
            return word in SURNAMES
        if word in SURNAMES or is_given(word):
            return True
        if word in KNOWN or word in ROLES or word in PLACE_ENDINGS or word in LABELS:
            return False
        return not self._is_word(word) or (place == first + 1 and self._may_be_family(place))

    def _may_be_family(self, place: int) -> bool:
        """Whether an ordinary word with a capital behind a given name is a family name: "Philippa Foot"."""
        first, token = self._tokens[place - 1], self._tokens[place]
        if self._sentence.loud or not self._page.english or token.folded.endswith("s") or first.folded in WORDY:
            return False
        following = self._next(place)
        return is_given(first.folded) and not token.possessive and not (following is not None and following.is_name_like)

    @staticmethod
    def _is_word(word: str) -> bool:
        """Whether a word within a name is an ordinary one; what only ends like one may be a family name."""
        return word in WORDS or (word.endswith("s") and is_common(word))

    def _other(self, place: int, end: int) -> tuple[tuple[str, float, bool] | None, int]:
        """A name of which its own words do not tell what it names."""
        tokens, until = self._tokens, place + 1
        while until < end and not tokens[until - 1].possessive and tokens[until].shape != SIGN:
            if tokens[until].folded in _NOT_NAMES or is_given(tokens[until].folded):
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
            return (UNKNOWN, 0.7, True) if len(words) > 1 and place != self._first else None
        if place == self._first and len(words) == 1 and not self._acts(place):
            return None
        return UNKNOWN, 0.7, True

    # Lower case

    def _small(self, place: int) -> tuple[Mention, int] | None:
        """A given name in lower case, as people write in chats."""
        if not self._is_small_given(place):
            return None
        end = self._person_end(place, lower=True)
        return self._mention(place, end, PERSON, 0.8, weak=True), end

    def _is_small_given(self, place: int, *, sure: bool = False) -> bool:
        token = self._tokens[place]
        word = token.folded
        if word in _NOT_NAMES:
            return False
        if not is_given(word) or len(word) < 3 or not self._stands_free(place):
            return sure and not is_common(word) and len(word) > 2 and word not in WORDY and self._page.english and self._stands_free(place) and word not in KIN
        if not self._page.english and not sure:
            return False
        if word in WORDY or is_common(word):
            return self._around.is_addressed(place) if not sure else word in WORDY and not is_common(word)
        return sure or not self._around.is_thing(place)

    def _may_be_small_name(self, place: int) -> bool:
        word, title = self._tokens[place].folded, self._tokens[place - 1].folded
        if word in STOP_WORDS or word in _NOT_NAMES or not self._stands_free(place) or f"{title} {word}" in KNOWN:
            return False
        return len(word) > 2 and (not is_common(word) or title in ("mr", "mrs", "ms"))

    def _stands_free(self, place: int) -> bool:
        """Whether a word is no part of a path, an address or an identifier."""
        token, text = self._tokens[place], self._page.text
        before = text[token.start - 1 : token.start]
        after = text[token.end : token.end + 1]
        return before not in ("/", "_", "-", ".", "#", "$", "\\", "=") and after not in ("/", "_", "-", "@", "(", "=", "\\") and "." not in token.text

    # Helpers

    def _mention(
        self, place: int, end: int, type: str, sure: float, *, weak: bool = False, title: str = "", start: int | None = None
    ) -> Mention:
        tokens = self._tokens
        if type == PERSON and end < len(tokens) and not title and tokens[end].folded in HONORIFICS and tokens[end].is_name_like:
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
        if token.shape != MIXED or token.text.startswith(("Mc", "Mac", "De", "Di", "Du", "La", "Le", "Van", "Fitz", "O'", "O’", "D'", "D’")):
            return False
        return not token.text[:-1].isupper()

    @staticmethod
    def _is_plain(token: Token) -> bool:
        word = token.folded
        return (is_common(word) and word not in SURNAMES) or word in _NOT_NAMES or word in ROLES
