"""Names and relations in a text, by rules: capitalised names, technical terms, and "X uses Y" between them; English.

It has to be the same for the same words, so that texts can be compared by what they name, more than complete.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from recollect.graph.model import Entity, Extracted, Link, canonical
from recollect.understanding.units import units, without_marks


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CONCEPTS = frozenset(
    term.replace("-", " ")
    for term in _words(
        """
        authentication authorization login logout signup session password encryption hashing database schema migration
        index query transaction cache caching queue worker job scheduler api endpoint route middleware webhook frontend
        backend server client deployment release rollback monitoring logging alerting testing unit-test
        integration-test refactoring documentation performance latency throughput memory-leak bug regression security
        vulnerability backup replication sharding access-token refresh-token api-key rate-limit rate-limiting
        load-balancer container pipeline build dependency configuration feature-flag search embedding vector model
        training evaluation dataset budget deadline milestone roadmap requirement invoice payment billing subscription
        refund customer ticket contract
        """
    )
)
_TECHNOLOGIES = _words(
    """
    postgresql postgres mysql mariadb sqlite redis mongodb kafka rabbitmq neo4j elasticsearch docker kubernetes
    terraform python rust go java typescript javascript react vue angular django flask fastapi pydantic numpy pandas
    pytorch tensorflow linux windows macos nginx github gitlab aws azure gcp openai anthropic graphql grpc oauth oauth2
    jwt pgvector citus celery jenkins grafana prometheus stripe
    """
)
_COMMON_CAPITALS = _words("TODO OK NOT AND OR IS ARE THE NO YES DONE WIP FIXME NOTE ETC NB ASAP FAQ TBD PM AM II III")
_SMALL = _words(
    """
    the a an this that these those we i it he she they you our my his her their its if when while after before then next
    first second third finally also but and or not no yes now today tomorrow yesterday monday tuesday wednesday thursday
    friday saturday sunday january february march april may june july august september october november december in on
    at by for from to with as is are was were be been implement implemented implementing add added adding fix fixed
    fixing create created creating update updated updating write wrote written writing set use used using test tested
    testing need needs waiting working started finished done current task progress blockers notes summary status plan
    goal goals decision decisions result results question questions all each every some most many there here what why
    how who where which please see remove removed refactor refactored deploy deployed decided chose moved switched
    dr mr mrs ms prof investigate investigated review reviewed research found discovered asked
    """
)


def _any_of(terms: frozenset[str], ending: str = "") -> re.Pattern[str]:
    """Any of these words, the longest first."""
    listed = "|".join(sorted(map(re.escape, terms), key=lambda term: (-len(term), term)))
    return re.compile(rf"\b({listed}){ending}\b", re.IGNORECASE)


_CONCEPT = _any_of(_CONCEPTS, "(?:s|es)?")
_KNOWN = _any_of(_TECHNOLOGIES)
_CODE = re.compile(r"`([^`\n]{2,60})`")
_FILE = re.compile(r"(?<![\w/])(?:[\w.-]+/)*[\w-]+\.(?:py|sql|md|ts|js|tsx|json|ya?ml|toml|rs|go|java|sh|html|css)\b")
_IDENTIFIER = re.compile(r"\b(?:[a-z][a-z0-9]*(?:_[a-z0-9]+)+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-z]+[A-Z]\w+)\b")
_ACRONYM = re.compile(r"\b[A-Z][A-Z0-9]{1,9}s?\b(?!-)")
_NAME = re.compile(r"\b[A-Z][\w'’-]*[a-z0-9](?:[ ](?:(?:of|de|van|von|der|the) )?[A-Z][\w'’-]*[a-z0-9]|[ ]\d+)*")
_TITLED = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof)\.? |@)$")
_ADVERBS = r"(?:no longer|does not|do not|did not|doesn't|never|not|now|also|still|only|already|currently)"
_BETWEEN = re.compile(rf"\s*(?:{_ADVERBS}\s+)?", re.IGNORECASE)
_THE = re.compile(
    rf"\b(?:the|our|this) ((?:[a-z][a-z0-9-]{{2,}} ){{0,2}}?[a-z][a-z0-9-]{{2,}})(?: {_ADVERBS})?\s*$", re.IGNORECASE
)
_DENIED = re.compile(r"\b(?:no longer|not|never|n't|stopped|without|neither|dropped|removed)\b|n['’]t\b", re.IGNORECASE)
_RELATIONS = {
    "uses": r"uses?|using|used|relies on|rely on|adopted|chose",
    "depends_on": r"depends? on|depended on|requires?|required|needs?",
    "works_at": r"works? (?:at|for)|worked (?:at|for)|is employed (?:at|by)|joined",
    "works_with": r"works? with|collaborates? with|pairs? with",
    "reports_to": r"reports? to",
    "manages": r"manages?|leads?|owns?|maintains?",
    "part_of": r"is part of|belongs? to|is a (?:part|module|member) of",
    "connects_to": r"connects? to|talks? to|calls?|integrates? with|sends? \w+ to|reads? from|writes? to",
    "runs_on": r"runs? on|is hosted on|is deployed (?:on|to)|deployed (?:on|to)|runs? in",
    "built_with": r"is (?:written|built|implemented) (?:in|with|on)|built (?:with|on)|written in",
    "replaces": r"replaces?|replaced|supersedes?",
    "located_in": r"lives? in|is based in|is located in|moved to",
    "blocked_by": r"is blocked by|blocked by|waits? for|waiting for",
    "implements": r"implements?|implemented|supports?|provides?",
}
_VERBS = [(name, re.compile(rf"\b(?:{verbs})\b", re.IGNORECASE)) for name, verbs in _RELATIONS.items()]
_LISTING = frozenset({",", "and", "or", ", and", ", or", "&"})
_BREAK = re.compile(r"[.;!?]\s")
_OF_PEOPLE = frozenset({"works_at", "works_with", "reports_to"})
FUNCTIONAL = frozenset({"works_at", "reports_to", "located_in"})
"""Relations of which one holds at a time: another object ends the one before."""
_FAR = 40
"""Characters between a verb and the name that goes with it."""


@dataclass(frozen=True, slots=True)
class _Mention:
    start: int
    end: int
    entity: Entity


def extract(text: str) -> Extracted:
    """What a text names, and how these stand to each other; each once."""
    sentences = [without_marks(unit.text) for unit in units(text) if not unit.heading]
    seen_inside = {word for sentence in sentences for word in _capitalised_inside(sentence)}
    entities: dict[tuple[str, str, str], Entity] = {}
    links: dict[tuple[object, ...], Link] = {}
    for sentence in sentences:
        mentions = _mentions(sentence, seen_inside)
        found = list(_links(sentence, mentions))
        for link in found:
            links[link.subject, link.type, link.object] = link
        for entity in _told(mentions, found, denied=_DENIED.search(sentence) is not None):
            known = entities.get(entity.key)
            entities[entity.key] = entity if known is None or known.denied else known
    return Extracted(tuple(entities.values()), tuple(links.values()))


def _told(mentions: Sequence[_Mention], links: Sequence[Link], *, denied: bool) -> Iterator[Entity]:
    """The entities of a sentence; of a denied relation the object is denied, the subject is not."""
    subjects = {link.subject for link in links}
    for mention in mentions:
        entity = mention.entity
        off = denied and (entity.key not in subjects)
        yield Entity(entity.kind, entity.type, entity.name, entity.confidence, off)


def _capitalised_inside(sentence: str) -> Iterator[str]:
    """Names that stand where no sentence begins."""
    for match in _NAME.finditer(sentence):
        if match.start() > 0:
            yield match[0]


def _mentions(sentence: str, inside: set[str]) -> list[_Mention]:
    taken: list[_Mention] = []
    for mention in _candidates(sentence, inside):
        if canonical(mention.entity.name) and all(
            mention.end <= other.start or mention.start >= other.end for other in taken
        ):
            taken.append(mention)
    return sorted(_with_people(sentence, taken) + _subjects(sentence, taken), key=lambda mention: mention.start)


def _candidates(sentence: str, inside: set[str]) -> Iterator[_Mention]:
    """What may be a name, the surest first."""
    for match in _CODE.finditer(sentence):
        yield _Mention(match.start(), match.end(), Entity("entity", "code", match[1], 0.9))
    for match in _KNOWN.finditer(sentence):
        yield _Mention(match.start(), match.end(), Entity("entity", "technology", match[0], 0.9))
    for pattern in (_FILE, _IDENTIFIER):
        for match in pattern.finditer(sentence):
            yield _Mention(match.start(), match.end(), Entity("entity", "code", match[0], 0.9))
    for match in _ACRONYM.finditer(sentence):
        name = match[0].removesuffix("s")
        if name not in _COMMON_CAPITALS and name.casefold() not in _CONCEPTS:
            yield _Mention(match.start(), match.end(), Entity("entity", "technology", name, 0.8))
    yield from _names(sentence, inside)
    for match in _CONCEPT.finditer(sentence):
        yield _Mention(match.start(), match.end(), Entity("concept", "", match[1].lower(), 0.75))


def _names(sentence: str, inside: set[str]) -> Iterator[_Mention]:
    for match in _NAME.finditer(sentence):
        words = match[0].split()
        start = match.start()
        while words and words[0].casefold() in _SMALL:
            start += len(words[0]) + 1
            words = words[1:]
        name = " ".join(words)
        if not words or (start == 0 and len(words) == 1 and name not in inside and not _acts(sentence, len(name))):
            continue
        if name.casefold() not in _CONCEPTS:
            yield _Mention(start, start + len(name), Entity("entity", "name", name, 0.7))


def _acts(sentence: str, end: int) -> bool:
    """Whether a relation follows: then the first word of the sentence is a name."""
    return any(_does(sentence, end, verb) for _, verb in _VERBS)


def _does(sentence: str, end: int, verb: re.Pattern[str]) -> bool:
    """Whether a verb follows what ends there, no more than "no longer" or the like between them."""
    return verb.match(_BETWEEN.sub("", sentence[end : end + 2 * _FAR], count=1)) is not None


def _with_people(sentence: str, mentions: Sequence[_Mention]) -> list[_Mention]:
    """Names that do what people do, or carry a title, are people."""
    return [_as_person(mention) if _is_person(sentence, mention) else mention for mention in mentions]


def _as_person(mention: _Mention) -> _Mention:
    return _Mention(mention.start, mention.end, Entity("person", "", mention.entity.name, mention.entity.confidence))


def _is_person(sentence: str, mention: _Mention) -> bool:
    if mention.entity.type != "name":
        return False
    does = any(name in _OF_PEOPLE and _does(sentence, mention.end, verb) for name, verb in _VERBS)
    return does or _TITLED.search(sentence[: mention.start]) is not None


def _subjects(sentence: str, mentions: Sequence[_Mention]) -> list[_Mention]:
    """Things without a name that a relation is said of: "the billing service uses …"."""
    found: dict[int, _Mention] = {}
    for _, verb in _VERBS:
        for match in verb.finditer(sentence):
            thing = _THE.search(sentence[: match.start()])
            if thing is None or thing[1].split()[-1].casefold() in _SMALL:
                continue
            start, end = thing.start(1), thing.end(1)
            if all(end <= other.start or start >= other.end for other in [*mentions, *found.values()]):
                found[start] = _Mention(start, end, Entity("entity", "component", thing[1].lower(), 0.7))
    return list(found.values())


def _links(sentence: str, mentions: Sequence[_Mention]) -> Iterator[Link]:
    """Each relation between the name before its verb and those after it."""
    for type, verb in _VERBS:
        for match in verb.finditer(sentence):
            subject = _before(sentence, mentions, match.start())
            if subject is None:
                continue
            denied = _DENIED.search(sentence[subject.end : match.end()]) is not None
            for thing in _after(sentence, mentions, match.end()):
                if thing.entity.key != subject.entity.key:
                    sure = min(subject.entity.confidence, thing.entity.confidence)
                    yield Link(subject.entity.key, type, thing.entity.key, sure, 0.5, denied, sentence[:280])


def _before(sentence: str, mentions: Sequence[_Mention], place: int) -> _Mention | None:
    """The name before a verb; of "… and reports to" the first one, of which all verbs are said."""
    near = [mention for mention in mentions if 0 <= place - mention.end <= _FAR]
    if near and sentence[near[-1].end : place].strip(" ,") in ("and", "and also"):
        return mentions[0]
    return near[-1] if near else None


def _after(sentence: str, mentions: Sequence[_Mention], place: int) -> Iterable[_Mention]:
    """The first name after a verb, and those that are listed with it."""
    end = place
    for mention in (mention for mention in mentions if mention.start >= place):
        between = sentence[end : mention.start]
        first = end == place
        if _BREAK.search(between):
            return
        if (first and len(between) > _FAR) or (not first and between.strip() not in _LISTING):
            return
        yield mention
        end = mention.end
