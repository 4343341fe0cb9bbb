"""What each name of a text is: said once for sure, it holds for every place where the name stands."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from recollect.graph.extract import aliases
from recollect.graph.extract.aliases import Person
from recollect.graph.extract.found import PERSON, UNKNOWN, Mention
from recollect.graph.model import Entity, canonical
from recollect.understanding.lexicon import fold

_CLEARLY = 0.08
"""By how much a surer sign has to be surer to count more than another."""
_JOINED = frozenset({"organisation", "project", "product", "event"})
"""Types whose names are cut short: "Brightwater" for "Brightwater Logistics"."""


@dataclass(slots=True)
class Settled:
    """The entities of a text, each with its mentions."""

    entities: dict[tuple[str, str, str], Entity] = field(default_factory=dict)
    mentions: list[Mention] = field(default_factory=list)
    """In order, each with the key of its entity."""


def settle(mentions: Sequence[Mention]) -> Settled:
    """Who and what is named: types agreed on, people joined, things by their names."""
    _agree(mentions)
    people = _people(mentions)
    settled = Settled()
    for person in people:
        _add(
            settled,
            Entity("person", "", person.name, person.sure, aliases=person.aliases, points=len(person.mentions)),
            person.mentions,
        )
    for type, name, also, said in _things(mentions):
        sure = min(0.98, max(each.sure for each in said) + 0.02 * (len(said) - 1))
        _add(settled, Entity("entity", type, name, sure, aliases=also, points=len(said)), said)
    settled.mentions.sort(key=lambda mention: (mention.start, mention.end))
    return settled


def _add(settled: Settled, entity: Entity, mentions: Iterable[Mention]) -> None:
    if not entity.key[2]:
        return
    settled.entities.setdefault(entity.key, entity)
    for mention in mentions:
        mention.key = entity.key
        settled.mentions.append(mention)


def _agree(mentions: Sequence[Mention]) -> None:
    """A guess gives way to what the same name surely is elsewhere in the text."""
    best: dict[str, Mention] = {}
    for mention in mentions:
        name = fold(mention.text)
        if name not in best or _strength(mention) > _strength(best[name]):
            best[name] = mention
    for mention in mentions:
        surest = best[fold(mention.text)]
        if surest.type != mention.type and (mention.weak or surest.sure - mention.sure >= _CLEARLY):
            mention.type, mention.sure = surest.type, max(mention.sure, surest.sure - _CLEARLY)


def _strength(mention: Mention) -> tuple[bool, bool, float]:
    return mention.type != UNKNOWN, not mention.weak, mention.sure


def _people(mentions: Sequence[Mention]) -> list[Person]:
    """The people; a family name alone is one of them where the text has the full name."""
    parts = {
        word
        for mention in mentions
        if mention.type == PERSON and len(words := aliases.words_of(mention.text)) > 1
        for word in words
    }
    for mention in mentions:
        if mention.type == UNKNOWN and fold(mention.text) in parts:
            mention.type = PERSON
    return aliases.join(mention for mention in mentions if mention.type == PERSON)


def _things(mentions: Sequence[Mention]) -> list[tuple[str, str, tuple[str, ...], list[Mention]]]:
    """Everything else by type and name, with shorter names of the same."""
    groups: dict[tuple[str, str], list[Mention]] = {}
    for mention in mentions:
        if mention.type != PERSON and canonical(mention.text):
            groups.setdefault((mention.type, canonical(mention.text)), []).append(mention)
    long = _full_names(groups)
    found: dict[tuple[str, str], tuple[list[Mention], set[str]]] = {}
    for (type, name), said in groups.items():
        key = long.get(name, (type, name)) if type in _JOINED or type == UNKNOWN else (type, name)
        own = found.setdefault(key, ([], set()))
        own[0].extend(said)
        others = (other for each in said for other in (each.text, each.also))
        own[1].update(other for other in others if canonical(other) not in ("", key[1]))
    return [(type, _shown(name, said), tuple(sorted(also)), said) for (type, name), (said, also) in found.items()]


def _full_names(groups: Iterable[tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Which longer name the first word of it, alone, stands for; none where two begin alike."""
    full: dict[str, tuple[str, str] | None] = {}
    for type, name in groups:
        first, _, rest = name.partition("-")
        if type in _JOINED and rest and not rest.isdigit():
            full[first] = None if first in full else (type, name)
    return {first: key for first, key in full.items() if key is not None}


def _shown(name: str, said: Sequence[Mention]) -> str:
    """The name as it is written best: with capitals where the text has them anywhere."""
    same = [mention.text for mention in said if canonical(mention.text) == name]
    return max(same, key=lambda text: (any(map(str.isupper, text)), -same.index(text)))
