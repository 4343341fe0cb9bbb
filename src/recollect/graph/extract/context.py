"""What stands around a name, and what that says of it: somebody who speaks, a place one moves to, a tool one uses."""

from recollect.graph.extract.found import PERSON
from recollect.graph.extract.reading import LOWER, SIGN, Sentence, Token
from recollect.understanding.lexicon import (
    BEFORE,
    GREETINGS,
    KIN,
    PLACE_BEFORE,
    PLACE_VERBS,
    ROLES,
    SURE_BEFORE,
    SURE_VERBS,
    VERBS,
    is_common,
    is_given,
    listed,
)

_USING = listed("using_words")
_TOOLS = listed("tool_words")
_AT = listed("at_words")
_WORK = listed("work_words")
_COMPANY_VERBS = listed("company_verbs")
_COMPANY_NOUNS = listed("company_nouns")
_CLIENTS = listed("client_words")
_PROJECTS = {
    "project": "project",
    "initiative": "project",
    "program": "project",
    "programme": "project",
    "conference": "event",
    "summit": "event",
    "festival": "event",
    "hackathon": "event",
    "meetup": "event",
    "expo": "event",
    "workshop": "event",
}
_BELONGING = KIN | ROLES | listed("belonging")
_INSIDE = frozenset(("in", "at", "near", "of", "on", "into", "via"))
"""What stands before something within another phrase, of which the verb behind it is not said."""
_AND = frozenset(("and", "&", "+", "und", "et", "og", "och", "ve", "or"))
_ARTICLES = frozenset(("the", "a", "an", "this", "that", "our", "my", "your", "their", "its"))
_OF_PLACES = listed("of_places")
_TELLING = listed("telling")
PRONOUNS = listed("pronouns")


class Around:
    """The words around a place of a sentence."""

    def __init__(self, sentence: Sentence) -> None:
        self._tokens = sentence.tokens

    def is_person(self, place: int, end: int, *, sure: bool = False) -> bool:
        """Whether somebody is named there; `sure`: only by what is said of nothing else."""
        before, after = self._before(place), self._after(end)
        possessive = self._tokens[end - 1].possessive
        if before is not None and (before.folded in (SURE_BEFORE if sure else BEFORE) or self._is_kin(before)):
            return True
        if before is not None and before.folded in _INSIDE and not possessive:
            return False
        if possessive or after is None:
            belongs = after is not None and after.folded in _BELONGING
            return belongs if possessive else self._is_listed(place, end)
        does = after.folded in SURE_VERBS or (after.folded in VERBS and not sure)
        return does or self._has_role(end) or self._is_listed(place, end)

    @staticmethod
    def _is_kin(token: Token) -> bool:
        return token.folded in KIN and token.shape == LOWER

    def is_relative(self, place: int) -> bool:
        """Whether a word for a relative or a role stands before it."""
        before = self._before(place)
        return before is not None and (before.folded in KIN or before.folded in ROLES)

    def is_addressed(self, place: int) -> bool:
        """Whether a lower-case word that may be a name is told, asked or met."""
        before, after = self._before(place), self._after(place + 1)
        if before is None or before.folded not in SURE_BEFORE:
            return False
        return (
            after is None
            or after.shape == SIGN
            or is_common(after.folded)
            or after.folded in ("to", "that", "if", "about")
        )

    def is_meant_small(self, place: int) -> bool:
        """Whether a lower-case name that is hardly ever a word does something, or is talked to: "bob fixed it"."""
        before = self._before(place)
        if before is not None and (before.folded in _ARTICLES or before.folded in PRONOUNS):
            return False
        if before is not None and before.folded in ("to", "from"):
            return self._is_told(place)
        return self.is_person(place, place + 1)

    def is_thing(self, place: int) -> bool:
        """Whether a lower-case given name stands where only a word can: behind an article."""
        before = self._before(place)
        return (
            before is not None and before.folded in _ARTICLES - {"that", "this"} and not self._tokens[place].possessive
        )

    def is_place(self, place: int) -> bool:
        """Whether one is in, moves to, or comes from it."""
        before = self._before(place)
        if before is None:
            return False
        if before.folded in PLACE_BEFORE:
            return not (before.folded in ("to", "at", "from") and self._is_told(place))
        return before.folded in PLACE_VERBS and before.folded not in VERBS

    def _is_told(self, place: int) -> bool:
        """Whether "to" is of telling or giving, and "from" of hearing."""
        verb = self._before(place - 1)
        return verb is not None and (verb.folded in SURE_BEFORE or verb.folded in _TELLING)

    def guess(self, place: int, end: int) -> tuple[str, float, int] | None:
        """The type of an unknown name, how sure that is, and how strong the sign."""
        before, after = self._before(place), self._after(end)
        typed = self._typed(before, after)
        if typed is not None:
            return typed, 0.8, 2
        if self.is_person(place, end, sure=True):
            return PERSON, 0.8, 2
        if before is None and after is None:
            return None
        named = self._organisation_here(before, after, place, end) or self._tool_here(before, after)
        if named is not None:
            return named
        within = before is not None and before.folded == "in" and not (after is not None and after.is_name_like)
        return ("place", 0.75, 2) if within or self._is_of_place(place) else None

    @staticmethod
    def _typed(before: Token | None, after: Token | None) -> str | None:
        if before is not None and before.folded == "project":
            return "project"
        if after is not None and after.shape == LOWER:
            return _PROJECTS.get(after.folded)
        return None

    def _organisation_here(
        self, before: Token | None, after: Token | None, place: int, end: int
    ) -> tuple[str, float, int] | None:
        """Where somebody works, or what does what companies do."""
        if before is not None and (
            before.folded in _CLIENTS
            or (before.folded in _AT and self._is_of_work(place))
            or self._is_led(before, place)
        ):
            return "organisation", 0.8, 2
        if before is not None and before.folded == "from" and self._before_is_somebody(place - 1):
            return "organisation", 0.75, 1
        owns = self._tokens[end - 1].possessive and after is not None and after.folded in _COMPANY_NOUNS - ROLES
        if owns or (after is not None and after.folded in _COMPANY_VERBS):
            return "organisation", 0.7, 1
        return None

    def _is_led(self, before: Token, place: int) -> bool:
        """Whether it is what somebody heads: "director of Terres Partagées"."""
        role = self._before(place - 1)
        return before.folded == "of" and role is not None and role.folded in ROLES

    def is_organisation(self, place: int, end: int) -> bool:
        """Whether somebody works there, or leads it, although the name is known of a product."""
        found = self._organisation_here(self._before(place), self._after(end), place, end)
        return found is not None and found[2] > 1

    def _tool_here(self, before: Token | None, after: Token | None) -> tuple[str, float, int] | None:
        if after is not None and after.shape == LOWER and after.folded in _TOOLS:
            return "product", 0.75, 1
        if before is not None and before.folded in _USING:
            return "product", 0.75, 1
        return None

    def _is_of_work(self, place: int) -> bool:
        word = self._before(place)
        if word is None or word.folded not in ("at", "for"):
            return word is not None
        near = [self._before(place - back) for back in (1, 2, 3)]
        return any(token is not None and token.folded in _WORK for token in near)

    def _before_is_somebody(self, place: int) -> bool:
        token = self._before(place)
        return token is not None and (
            token.is_name_like or token.folded in ROLES or token.folded in KIN or token.folded in _WORK
        )

    def _is_of_place(self, place: int) -> bool:
        before = self._before(place)
        if before is None or before.folded not in ("to", "from", "near", "at", "via", "outside"):
            return False
        verb = self._before(place - 1)
        return before.folded == "near" or (
            verb is not None
            and (
                verb.folded in _OF_PLACES or verb.folded in ("flight", "trip", "train", "bus", "ferry", "road", "drive")
            )
        )

    def _has_role(self, end: int) -> bool:
        """Whether a role follows: ", our CTO", "(engineering manager)"."""
        tokens = self._tokens
        if end + 1 >= len(tokens) or tokens[end].text not in (",", "("):
            return False
        near = tokens[end + 1 : end + 5]
        for token in near:
            if token.shape == SIGN or token.folded in _AND:
                return False
            if token.folded in ROLES or token.folded in KIN:
                return True
            if token.folded not in _ARTICLES and not is_common(token.folded):
                return token.folded == "who"
        return bool(near) and near[0].folded in ("who", "whose")

    def _is_listed(self, place: int, end: int) -> bool:
        """Whether it is named in one breath with somebody: "Yevhen and Carmela"."""
        tokens = self._tokens
        if place >= 2 and tokens[place - 1].folded in _AND and self._is_somebody(tokens[place - 2]):
            return True
        return end + 1 < len(tokens) and tokens[end].folded in _AND and self._is_somebody(tokens[end + 1])

    def _is_somebody(self, token: Token) -> bool:
        return token.is_name_like and is_given(token.folded) and not is_common(token.folded)

    def _before(self, place: int) -> Token | None:
        """The word right before a place; None behind a sign that parts them."""
        if place < 1:
            return None
        token = self._tokens[place - 1]
        if token.shape == SIGN:
            return None if token.text not in ('"', "“", "*", "_", "'") or place < 2 else self._before(place - 1)
        return token

    def _after(self, end: int) -> Token | None:
        if end >= len(self._tokens):
            return None
        token = self._tokens[end]
        return None if token.shape == SIGN and token.text not in ("(", ",") else token

    def greeted(self) -> bool:
        """Whether the sentence begins by greeting."""
        return bool(self._tokens) and self._tokens[0].folded in GREETINGS
