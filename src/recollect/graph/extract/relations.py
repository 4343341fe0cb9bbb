"""How the named stand to each other: by a verb between them, by a role or a relative, or by being named together."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from recollect.graph.extract import belonging
from recollect.graph.extract.found import PERSON, UNKNOWN, Mention
from recollect.graph.extract.reading import Page, Token
from recollect.graph.extract.scene import Scene, Voice
from recollect.graph.model import Link
from recollect.understanding.lexicon import ROLES, VERB_PHRASES, fold, listed

TOGETHER = "mentioned_with"
"""The relation of those who are only named in one sentence."""
FUNCTIONAL = frozenset({"works_at", "reports_to", "located_in", "lives_in"})
"""Relations of which one holds at a time: another object ends the one before."""

_FAR = 40
"""Characters between a verb and the name that goes with it."""
_CROWD = 6
_HE = re.compile(
    r"\b(?:he|she)(?:['’](?:s|d))?\s+(?:(?:also|now|still|currently|just|already|then|later)\s+)?$", re.IGNORECASE
)
_I = re.compile(r"\b(?:i|we)(?:['’](?:m|ve|d|re))?\s+(?:\w+\s+)?$", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:no longer|not|never|stopped|without|neither|dropped|removed)\b|n['’]t\b", re.IGNORECASE)
_PAST = re.compile(r"\b(?:used to|formerly|previously|once|former|ex)\b|\bex-", re.IGNORECASE)
_LISTING = frozenset({",", "and", "or", ", and", ", or", "&", "+", "plus", "both"})
_ANOTHER = re.compile(r"\b(?:whoever|someone|anyone|nobody|he|she|they|we|i|you|it)\b", re.IGNORECASE)
"""Somebody else, of whom the verb behind it is said."""
_MEALS = re.compile(r"\b(?:lunch|dinner|coffee|breakfast|drinks|met|meeting|saw)\b", re.IGNORECASE)
_BREAK = re.compile(r"[.;!?]\s")


def _phrases() -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """The verbs by their first word, the longest first."""
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for type, said in VERB_PHRASES.items():
        for phrase in said:
            words = tuple(phrase.split())
            found.setdefault(words[0], []).append((words, type))
    for phrases in found.values():
        phrases.sort(key=lambda phrase: -len(phrase[0]))
    return found


_PHRASES = _phrases()
_PAST_ONLY = "past"
"""The type of what was once and says nothing of today."""
_THINGS = frozenset(
    {"organisation", "product", "technology", UNKNOWN, "project", "component", "code", "event", "ticket", "place"}
)
_TURNED = "turned "
"""Before the type of a verb whose object stands before it: "is led by"."""
_OF_PEOPLE = frozenset(
    {
        "lives_in",
        "works_at",
        "works_with",
        "reports_to",
        "married_to",
        "sibling_of",
        "parent_of",
        "friend_of",
        "member_of",
        "studied_at",
        "founded",
        "ended",
    }
)
_OBJECTS = {
    "works_at": frozenset({"organisation", UNKNOWN}),
    "member_of": frozenset({"organisation", UNKNOWN, "project", "event"}),
    "studied_at": frozenset({"organisation", UNKNOWN}),
    "founded": frozenset({"organisation", UNKNOWN, "product", "project"}),
    "ended": frozenset({"organisation", "place", UNKNOWN}),
    "located_in": frozenset({"place", UNKNOWN}),
    "lives_in": frozenset({"place", UNKNOWN}),
    "acquired": frozenset({"organisation", "product", UNKNOWN}),
    "manages": frozenset(
        {PERSON, "organisation", "product", "technology", UNKNOWN, "project", "component", "code", "event"}
    ),
    **dict.fromkeys(
        ("connects_to", "depends_on", "uses", "replaces", "runs_on", "built_with", "part_of", "implements", "owns"),
        _THINGS,
    ),
    **dict.fromkeys(
        ("works_with", "reports_to", "married_to", "sibling_of", "parent_of", "friend_of"), frozenset({PERSON})
    ),
}
_NOT_OF_PEOPLE = frozenset(
    {"connects_to", "runs_on", "built_with", "replaces", "part_of", "depends_on", "implements", "acquired"}
)

_RELATIVES = {
    word: kind
    for name, kind in {
        "spouses": ("married_to", False),
        "parents": ("parent_of", True),
        "children": ("parent_of", False),
        "siblings": ("sibling_of", False),
        "friends": ("friend_of", False),
        "bosses": ("reports_to", False),
        "assistants_of_people": ("reports_to", True),
        "colleagues": ("works_with", False),
    }.items()
    for word in listed(name)
}
"""What somebody's relative is to them; True: the relation goes from the relative."""
_RELATIVE = "|".join(sorted(_RELATIVES, key=len, reverse=True))
_ADJECTIVES = (
    r"(?:(?:best|good|close|old|older|elder|younger|little|big|new|former|twin|late|eldest|youngest|line)\s+){0,2}"
)
_OWNED = re.compile(rf"^(?:['’]s?)\s+{_ADJECTIVES}({_RELATIVE})\s*,?\s*$", re.IGNORECASE)
_IS_OWNED = re.compile(r"^\s*(?:is|was|,)\s*$", re.IGNORECASE)
_THEIR = re.compile(
    rf"\b(his|her|their|your|my|our|mein|meine|mi|mon|ma)\s+{_ADJECTIVES}({_RELATIVE})(?:['’]s name)?"
    r"\s*(?:,|is|is called)?\s*$",
    re.IGNORECASE,
)
_MY = frozenset({"my", "our", "mein", "meine", "mi", "mon", "ma"})
_ROLE_AT = re.compile(
    r"^\s*,?\s*(?:\(|,|who is|is|our|the|their|a|an|\s)*(?:[\w&-]+\s+){0,4}?"
    r"(?:at|of|from|for|with|@|bei|de|von)\s+(?:the\s+|der\s+|l['’]\w+\s+)?$",
    re.IGNORECASE,
)
_AT_ONCE = re.compile(r"^\s*(?:,\s*|\()?(?:from|at|of|@|bei|von)\s+(?:the\s+|der\s+)?$", re.IGNORECASE)
_THEIR_ROLE = re.compile(r"^['’]s\s+((?:[\w-]+\s+){0,3}?[\w-]+)\s*,?\s*$")
_WORD = re.compile(r"[\w-]+")
_PLACED = re.compile(r"^\s*(?:,|in|\(|, in|office in|based in)\s*$", re.IGNORECASE)
_WITH = re.compile(
    rf"^(?:\s+in \d{{4}})?\s*,?\s*(?:together )?with (?:(?:my|his|her|their|our) )?{_ADJECTIVES}(?:{_RELATIVE})?,?\s*$",
    re.IGNORECASE,
)
_AND = re.compile(r"^\s*(?:and|&|\+|und|y)\s*$", re.IGNORECASE)
_MARRIED = re.compile(
    r"^\s*(?:are|were|got|have been|both)?\s*(?P<how>married|siblings|brothers|sisters|twins|(?:best |old |good )?"
    r"friends|colleagues|cofounders|co-founders|teammates|pair(?:ed)?\b|work(?:ed)? together)",
    re.IGNORECASE,
)
_HOW = {
    "married": "married_to",
    "siblings": "sibling_of",
    "brothers": "sibling_of",
    "sisters": "sibling_of",
    "twins": "sibling_of",
}


class Relations:
    """The relations of one sentence."""

    def __init__(
        self,
        page: Page,
        number: int,
        mentions: Sequence[Mention],
        voice: Voice,
        own: Sequence[tuple[str, re.Pattern[str]]] = (),
    ) -> None:
        sentence = page.sentences[number]
        self._text = page.text[sentence.start : sentence.end]
        self._start = sentence.start
        self._mentions = [mention for mention in mentions if mention.key is not None and mention.type != "concept"]
        self._voice = voice
        self._own = own
        self._tokens = sentence.tokens

    def links(self) -> list[Link]:
        """The best relation of each pair."""
        best: dict[frozenset[tuple[str, str, str]], Link] = {}
        scene = Scene(self._text, self._start, self._mentions, self._voice)
        for link in (
            *self._by_relatives(),
            *self._by_roles(),
            *self._by_verbs(),
            *self._by_places(),
            *belonging.links(scene),
        ):
            pair = frozenset((link.subject, link.object))
            if len(pair) == 2 and (pair not in best or link.confidence > best[pair].confidence):
                best[pair] = link
        return list(best.values())

    # Verbs

    def _by_verbs(self) -> Iterator[Link]:
        if not self._mentions:
            return
        for type, start, end in verbs(self._tokens):
            if type != _PAST_ONLY:
                yield from self._of_verb(type, start - self._start, end - self._start)
        for type, pattern in self._own:
            for match in pattern.finditer(self._text):
                yield from self._of_verb(type, match.start(), match.end())

    def _of_verb(self, type: str, start: int, end: int) -> Iterator[Link]:
        """A verb between the name before it, or who says "I", and the names behind it."""
        if type.startswith(_TURNED):
            yield from self._of_passive(type.removeprefix(_TURNED), start, end)
            return
        subject = self._subject(start, somebody=type in _OF_PEOPLE, elided=type == "works_with")
        if subject is None:
            return
        key, kind, place = subject
        if (type in _OF_PEOPLE and kind not in (PERSON, UNKNOWN)) or (type in _NOT_OF_PEOPLE and kind == PERSON):
            return
        if type == "manages" and kind not in (PERSON, UNKNOWN, "organisation", "component"):
            return
        between = self._text[place:end]
        denied = _DENIED.search(between) is not None
        ended = type == "ended" or _PAST.search(between) is not None
        for thing in self._after(end):
            if thing.key is None or thing.key == key or (type in _OBJECTS and thing.type not in _OBJECTS[type]):
                continue
            sure = 0.6 if UNKNOWN in (kind, thing.type) and type in _OF_PEOPLE else 0.75
            yield self._link(key, self._named(type, kind, thing), thing.key, sure, denied=denied or ended)
            if type == "founded" and not denied:
                yield from self._founded_with(thing)

    def _founded_with(self, thing: Mention) -> Iterator[Link]:
        """ "I started Kiori in 2009 with my sister Yumi"."""
        for mention in self._mentions:
            if mention.type == PERSON and mention.start >= thing.end:
                if _WITH.match(self._between(thing, mention)):
                    yield self._link(mention.key, "founded", thing.key, 0.65)
                return

    def _of_passive(self, type: str, start: int, end: int) -> Iterator[Link]:
        """A verb of which the name before it is the object: "Kiori was founded by Hiroshi"."""
        thing = self._before(start)
        if thing is None or thing.key is None or (type in _OBJECTS and thing.type not in _OBJECTS[type]):
            return
        denied = _DENIED.search(self._text[self._end(thing) : end]) is not None
        for doer in self._after(end):
            wanted = (PERSON, UNKNOWN) if type in _OF_PEOPLE else (PERSON, *_THINGS)
            if doer.key is not None and doer.key != thing.key and doer.type in wanted:
                yield self._link(doer.key, self._named(type, doer.type, thing), thing.key, 0.75, denied=denied)

    def _subject(self, start: int, *, somebody: bool, elided: bool) -> tuple[tuple[str, str, str], str, int] | None:
        """The key, the type and the place of whom a verb is said of."""
        subject = self._before(start, somebody=somebody)
        spoken = _I.search(self._text[max(0, start - 20) : start]) if self._voice.key is not None else None
        if spoken and (subject is None or self._end(subject) < start - len(spoken[0])):
            assert self._voice.key is not None
            return self._voice.key, PERSON, start - len(spoken[0])
        if not self._text[:start].strip() and elided and self._voice.key is not None:
            return self._voice.key, PERSON, start
        meant = _HE.search(self._text[max(0, start - 24) : start])
        if meant:
            key = self._he(start - len(meant[0]))
            return None if key is None else (key, PERSON, start - len(meant[0]))
        if subject is None or subject.key is None:
            return None
        return subject.key, subject.type, self._end(subject)

    def _he(self, place: int) -> tuple[str, str, str] | None:
        """Whom "he" or "she" means: the only one named before in the sentence, else the only one right before it."""
        people = {mention.key for mention in self._mentions if mention.type == PERSON and self._end(mention) <= place}
        return self._voice.he if not people else people.pop() if len(people) == 1 else None

    @staticmethod
    def _named(type: str, kind: str, thing: Mention) -> str:
        """The type of a relation by what it is between."""
        if type == "located_in" and kind == PERSON:
            return "lives_in"
        if type == "ended":
            return "lives_in" if thing.type == "place" else "works_at"
        if type == "manages" and kind == PERSON and thing.type == "organisation":
            return "works_at"
        return type

    def _before(self, place: int, *, somebody: bool = False) -> Mention | None:
        """The name before a verb; of "… and reports to" the first one, of which all verbs are said."""
        near = [mention for mention in self._mentions if 0 <= place - self._end(mention) <= _FAR]
        if somebody and near and near[-1].type != PERSON and self._text[self._end(near[-1]) : place].startswith(","):
            return next((mention for mention in reversed(near) if mention.type == PERSON), near[-1])
        if not near:
            return None
        between = self._text[self._end(near[-1]) : place]
        if between.strip(" ,").casefold() in ("and", "and also", "and now"):
            return self._mentions[0]
        if _ANOTHER.search(between) or _BREAK.search(between) or re.search(r"[,(]\s*\S+\s+\S+\s+\S+\s+\S+", between):
            return None
        return near[-1]

    def _after(self, place: int) -> Iterable[Mention]:
        """The first name after a verb, and those that are listed with it."""
        end = place
        for mention in self._mentions:
            start = mention.start - self._start
            if start < place:
                continue
            between = self._text[end:start]
            first = end == place
            if _BREAK.search(between):
                return
            if (first and len(between) > _FAR) or (not first and between.strip().casefold() not in _LISTING):
                return
            yield mention
            end = self._end(mention)

    # Roles, relatives, places

    def _by_roles(self) -> Iterator[Link]:
        """ "Sarah from Brightwater", "Sarah, CTO of Acme", "Acme's CTO Sarah"."""
        for one, other in pairwise(self._mentions):
            between = self._between(one, other)
            if one.type == PERSON and other.type in ("organisation", UNKNOWN):
                met = between.strip().casefold() == "at" and _MEALS.search(self._text[: self._begin(one)]) is not None
                if met or self._text[self._end(other) :].lstrip(" ,").casefold().startswith(("before", "back then")):
                    continue
                if _AT_ONCE.match(between) or (
                    _ROLE_AT.match(between) and _names_role(between) and not _DENIED.search(between)
                ):
                    yield self._link(
                        one.key,
                        "works_at",
                        other.key,
                        0.8 if other.type != UNKNOWN else 0.6,
                        denied=_PAST.search(between) is not None,
                    )
            elif one.type in ("organisation", UNKNOWN) and other.type == PERSON and self._is_their_role(between):
                yield self._link(other.key, "works_at", one.key, 0.8)

    def _by_relatives(self) -> Iterator[Link]:
        people = [mention for mention in self._mentions if mention.type == PERSON]
        for one, other in pairwise(people):
            between = self._between(one, other)
            owned = _OWNED.match(between)
            if owned:
                yield from self._related(one.key, owned[1], other.key)
            elif _IS_OWNED.match(between) and (
                role := re.match(
                    rf"['’]s\s+{_ADJECTIVES}({_RELATIVE})\b", self._text[self._end(other) :], re.IGNORECASE
                )
            ):
                yield from self._related(other.key, role[1], one.key)
            elif _AND.match(between) and (how := _MARRIED.match(self._text[self._end(other) :])):
                yield self._link(
                    one.key,
                    _HOW.get(how["how"].casefold(), "friend_of" if "friend" in how["how"].casefold() else "works_with"),
                    other.key,
                    0.85,
                )
        for place, mention in enumerate(people):
            their = _THEIR.search(self._text[: self._begin(mention)])
            if their is None:
                continue
            owner = self._whose(their[1].casefold(), people[:place])
            if owner is not None:
                yield from self._related(owner, their[2], mention.key)

    def _whose(self, word: str, before: Sequence[Mention]) -> tuple[str, str, str] | None:
        """Whose "my", "your" or "her" it is: of "her", the last one named before."""
        if word in _MY:
            return self._voice.key
        if word == "your":
            return self._voice.you
        return before[-1].key if before else self._voice.he

    def _related(self, owner: object, word: str, relative: object) -> Iterator[Link]:
        type, turned = _RELATIVES[word.casefold()]
        one, other = (relative, owner) if turned else (owner, relative)
        yield self._link(one, type, other, 0.85, denied=False)

    def _by_places(self) -> Iterator[Link]:
        """ "Galería Nopal in Roma Norte"."""
        for one, other in pairwise(self._mentions):
            if (
                one.type in ("organisation", "place")
                and other.type == "place"
                and _PLACED.match(self._between(one, other))
            ):
                if one.type == "place" and self._between(one, other).strip() not in (",", "in"):
                    continue
                yield self._link(one.key, "located_in", other.key, 0.7)

    def together(self, linked: Iterable[Link]) -> Iterator[Link]:
        """People who are named in one sentence, with each other or with an organisation."""
        named = list(
            {mention.key: mention for mention in self._mentions if mention.type in (PERSON, "organisation")}.values()
        )
        if len(named) > _CROWD:
            return
        done = {frozenset((link.subject, link.object)) for link in linked}
        for place, one in enumerate(named):
            for other in named[place + 1 :]:
                if (
                    PERSON not in (one.type, other.type)
                    or frozenset((one.key, other.key)) in done
                    or one.key is None
                    or other.key is None
                ):
                    continue
                first, second = sorted((one.key, other.key))
                yield Link(first, TOGETHER, second, 0.5, 0.3, False, self._text[:280])

    # Helpers

    @staticmethod
    def _is_their_role(between: str) -> bool:
        """Whether "'s CTO", or the like, stands between two."""
        found = _THEIR_ROLE.match(between)
        return found is not None and _names_role(found[1])

    def _link(self, subject: object, type: str, thing: object, sure: float, *, denied: bool = False) -> Link:
        assert isinstance(subject, tuple)
        assert isinstance(thing, tuple)
        return Link(subject, type, thing, sure, 0.5, denied, self._text[:280])

    def _begin(self, mention: Mention) -> int:
        return mention.start - self._start

    def _end(self, mention: Mention) -> int:
        return mention.end - self._start

    def _between(self, one: Mention, other: Mention) -> str:
        return self._text[self._end(one) : self._begin(other)]


def _names_role(text: str) -> bool:
    """Whether some word is what people do for a living."""
    return any(fold(word) in ROLES for word in _WORD.findall(text))


def verbs(tokens: Sequence[Token]) -> Iterator[tuple[str, int, int]]:
    """The verbs of relations in a sentence: type, and where each begins and ends."""
    for place, token in enumerate(tokens):
        phrases = _PHRASES.get(token.folded)
        if phrases is None:
            continue
        for words, type in phrases:
            last = place + len(words)
            if last <= len(tokens) and all(
                word in ("*", other.folded) for word, other in zip(words[1:], tokens[place + 1 : last], strict=True)
            ):
                yield type, token.start, tokens[last - 1].end
                break


def acts(tokens: Sequence[Token], end: int) -> bool:
    """Whether a relation follows what ends there, no more than "no longer" or the like between them."""
    return any(
        0 <= start - end <= 20 and type not in _OF_PEOPLE and type != _PAST_ONLY for type, start, _ in verbs(tokens)
    )
