"""Names, relations and remarks in a text, by rules; the same words give the same names.

`extract` reads a document or a talk for the graph; `extract_section` reads notes of an agent, which are compared by
all that they name.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from recollect.graph.extract import concepts, layout, scripts, things, typed
from recollect.graph.extract.concepts import CONCEPT, ENOUGH, TERM
from recollect.graph.extract.found import PERSON, Mention, Taken
from recollect.graph.extract.names import Names
from recollect.graph.extract.reading import Page, read
from recollect.graph.extract.relations import FUNCTIONAL, Relations
from recollect.graph.extract.remarks import remarks
from recollect.graph.extract.scene import Voice
from recollect.graph.extract.settling import Settled, settle
from recollect.graph.extract.speaking import addressed, families, owner_key, signed, voices
from recollect.graph.extract.topics import topics
from recollect.graph.extract.typed import NO_TYPES, Types
from recollect.graph.model import Entity, Extracted, Link

__all__ = ["FUNCTIONAL", "Types", "extract", "extract_section"]

_DENIED = re.compile(r"\b(?:no longer|not|never|stopped|without|neither|dropped|removed)\b|n['’]t\b", re.IGNORECASE)
_MOST_TOGETHER = 12
"""Relations of a text that say no more than that two are named together."""
_CROWDED = 60
"""Names from which a sentence is a list, or none, and says nothing of how they stand to each other."""
_BOTH_WAYS = frozenset({"works_with", "married_to", "sibling_of", "friend_of"})
"""Relations that hold in both directions: the first way in which it is said is kept."""


def extract(text: str, *, types: Types = NO_TYPES, speakers: Iterable[str] = (), owner: str | None = None) -> Extracted:
    """What a document or a talk names, how these stand to each other, and what it says of them.

    `speakers`: who is known to speak in it. `owner`: who says "I" where the text does not tell.
    """
    page = read(text)
    found = _mentions(page, types, speakers)
    terms, named = concepts.parted(found)
    settled = settle(named)
    taken = Taken()
    _add_concepts(settled, taken.take(topics(page, settled.mentions)), least=1)
    _add_concepts(settled, taken.take([*terms, *concepts.frequent(page, settled.mentions)]), least=ENOUGH)
    links, denied = _links(page, settled, types, owner)
    links += _unsaid([*signed(page, settled, links), *families(page, settled), *addressed(page, settled)], links)
    _add_owner(settled, links, owner)
    together = list(_together(page, settled, links))
    entities = tuple(_told(settled, denied))
    noted = remarks(page, settled.mentions, settled.entities)
    return Extracted(entities, (*links, *together), tuple(noted))


def extract_section(text: str) -> Extracted:
    """What notes name, every term of a concept included, and how these stand to each other."""
    page = read(text)
    found = _mentions(page, NO_TYPES, ())
    for mention in found:
        mention.type = "technology" if mention.type == TERM else mention.type
    settled = settle(found)
    taken = Taken()
    taken.take(settled.mentions)
    _add_concepts(settled, taken.take(concepts.terms(page)), least=1)
    links, denied = _links(page, settled, NO_TYPES, None)
    return Extracted(tuple(_told(settled, denied)), tuple(links))


def _mentions(page: Page, types: Types, speakers: Iterable[str]) -> list[Mention]:
    """All names, the surest first: what overlaps with a surer one is dropped."""
    taken = Taken()
    for more in (
        _longest(layout.people(page, speakers)),
        typed.mentions(page, types),
        things.code(page),
        (mention for number in range(len(page.sentences)) for mention in Names(page, number).find()),
        _longest(_written(page)),
        _longest(_written_things(page)),
        things.acronyms(page),
        things.components(page),
    ):
        taken.take(more)
    return sorted(taken.mentions, key=lambda mention: (mention.start, mention.end))


def _longest(mentions: Iterable[Mention]) -> list[Mention]:
    """The longest first: of those that overlap it is the one to take."""
    return sorted(mentions, key=lambda mention: (mention.start - mention.end, mention.start))


def _written(page: Page) -> Iterator[Mention]:
    """People in scripts without capitals."""
    for start, end, name in scripts.people(page.text):
        yield Mention(start, end, page.sentence_at(start), name, PERSON, 0.85)


def _written_things(page: Page) -> Iterator[Mention]:
    """Things in scripts without spaces."""
    for start, end, name, type in scripts.things(page.text):
        yield Mention(start, end, page.sentence_at(start), name, type, 0.85)


def _add_concepts(settled: Settled, mentions: Sequence[Mention], *, least: int) -> None:
    groups: dict[str, list[Mention]] = {}
    for mention in mentions:
        groups.setdefault(mention.text, []).append(mention)
    for name, said in groups.items():
        entity = Entity(CONCEPT, "", name, 0.75, points=len(said))
        if len(said) >= least and entity.key[2]:
            settled.entities.setdefault(entity.key, entity)
            for mention in said:
                mention.key = entity.key
                settled.mentions.append(mention)
    settled.mentions.sort(key=lambda mention: (mention.start, mention.end))


def _links(
    page: Page, settled: Settled, types: Types, owner: str | None
) -> tuple[list[Link], set[tuple[int, tuple[str, str, str]]]]:
    """The relations of all sentences, each once; and what each sentence names only to deny something of it."""
    own = typed.relations(types)
    links: dict[tuple[object, ...], Link] = {}
    denied: set[tuple[int, tuple[str, str, str]]] = set()
    heard = voices(page, settled, owner)
    for number, mentions in _by_sentence(page, settled).items():
        if len(mentions) > _CROWDED:
            continue
        found = Relations(page, number, mentions, heard[number], own).links()
        for link in found:
            turned = (link.object, link.type, link.subject)
            if not (link.type in _BOTH_WAYS and turned in links):
                links[link.subject, link.type, link.object] = link
        subjects = {link.subject for link in found}
        if _DENIED.search(page.sentences[number].text):
            denied |= {
                (number, mention.key) for mention in mentions if mention.key is not None and mention.key not in subjects
            }
    return list(links.values()), denied


def _unsaid(more: Iterable[Link], links: Sequence[Link]) -> list[Link]:
    """What no sentence says of two already, each once."""
    done = {frozenset((link.subject, link.object)) for link in links}
    found: dict[frozenset[tuple[str, str, str]], Link] = {}
    for link in more:
        pair = frozenset((link.subject, link.object))
        if len(pair) > 1 and pair not in done:
            found.setdefault(pair, link)
    return list(found.values())


def _together(page: Page, settled: Settled, links: Sequence[Link]) -> Iterator[Link]:
    done = {frozenset((link.subject, link.object)) for link in links}
    for number, mentions in _by_sentence(page, settled).items():
        if len(mentions) > _CROWDED:
            continue
        for link in Relations(page, number, mentions, Voice()).together(()):
            pair = frozenset((link.subject, link.object))
            if pair not in done and len(done) - len(links) < _MOST_TOGETHER:
                done.add(pair)
                yield link


def _by_sentence(page: Page, settled: Settled) -> dict[int, list[Mention]]:
    """The mentions within each sentence, without the label of its line."""
    found: dict[int, list[Mention]] = {}
    for mention in settled.mentions:
        if mention.start >= page.sentences[mention.sentence].start:
            found.setdefault(mention.sentence, []).append(mention)
    return found


def _add_owner(settled: Settled, links: Iterable[Link], owner: str | None) -> None:
    """The owner is named where a relation says "I", whether or not the text has the name."""
    key = owner_key(settled, owner) if owner else None
    if owner and key not in settled.entities and any(key in (link.subject, link.object) for link in links):
        entity = Entity("person", "", owner, 1.0, points=0)
        settled.entities[entity.key] = entity


def _told(settled: Settled, denied: set[tuple[int, tuple[str, str, str]]]) -> Iterator[Entity]:
    """The entities; a thing is denied where no sentence names it but to say that something does not hold of it."""
    affirmed = {mention.key for mention in settled.mentions if (mention.sentence, mention.key) not in denied}
    for key, entity in settled.entities.items():
        yield (
            entity
            if key in affirmed or entity.kind == "person" or entity.type == "place"
            else replace(entity, denied=True)
        )
