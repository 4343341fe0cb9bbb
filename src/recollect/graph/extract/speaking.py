"""Who writes and who is written to: whom "I", "you", "she" and "they" mean, and what a signature says."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence

from recollect.graph.extract.found import PERSON, Mention
from recollect.graph.extract.reading import Page
from recollect.graph.extract.scene import Key, Voice
from recollect.graph.extract.settling import Settled
from recollect.graph.model import Entity, Link
from recollect.understanding.lexicon import GREETINGS, fold, listed

_LONGEST_SIGNATURE = 4
"""Lines at the end of a text that a signature may have."""
_FULL = 2
_MOST_WORDS = 8
"""Words of a line of a signature."""
_NEAR = 2
"""Sentences over which "she" means somebody who was named."""
_NEAR_THING = 4
_INTRODUCED = re.compile(r"\b(?:my name is|my name['’]s|i am|i['’]m|this is|call me)\s+$", re.IGNORECASE)
_NEAREST = "|".join(sorted(listed("spouses") | listed("children")))
_MY = re.compile(rf"\bmy\s+(?:\w+\s+)?({_NEAREST})\s*,?\s*$", re.IGNORECASE)
_ADDRESS = re.compile(r"(?<![\w.+-])([\w.+-]+)@([\w-]+)(?:\.[\w-]+)+")
_PARTS = re.compile(r"[._-]+")


def voices(page: Page, settled: Settled, owner: str | None) -> list[Voice]:
    """Whom the small words of each sentence mean: "I" is whom its line names, else who signs, else the owner."""
    labels = {mention.start: mention.key for mention in settled.mentions if mention.type == PERSON}
    written = _writer(page, settled) or (owner_key(settled, owner) if owner else None)
    greeted, called = _greeted(page, settled), _introduced(page, settled)
    found = []
    for sentence, (he, they) in zip(page.sentences, _named_before(page, settled), strict=True):
        label = sentence.label
        key = labels.get(label.start) or called.get(fold(label.text)) if label is not None else None
        spoken = label is not None and not label.field and key is None
        found.append(Voice(key if key is not None else None if spoken else written, greeted, he, they))
    return found


def _introduced(page: Page, settled: Settled) -> dict[str, Key]:
    """Who a speaker without a name says to be: "user: hi, I'm Zainab"."""
    found: dict[str, Key] = {}
    for mention in settled.mentions:
        sentence = page.sentences[mention.sentence]
        if mention.type != PERSON or mention.key is None or sentence.label is None or mention.start < sentence.start:
            continue
        if _INTRODUCED.search(page.text[sentence.start : mention.start]):
            found.setdefault(fold(sentence.label.text), mention.key)
    return found


def families(page: Page, settled: Settled) -> Iterator[Link]:
    """Whoever speaks of "my wife Ifeoma" and of "my son Chidi" speaks of a mother and her son."""
    told: dict[str, dict[str, list[Mention]]] = {}
    for mention in settled.mentions:
        sentence = page.sentences[mention.sentence]
        if mention.type != PERSON or mention.key is None or mention.start < sentence.start:
            continue
        if relative := _MY.search(page.text[sentence.start : mention.start]):
            kind = "spouse" if relative[1].casefold() in listed("spouses") else "child"
            speaker = fold(sentence.label.text) if sentence.label is not None else ""
            told.setdefault(speaker, {}).setdefault(kind, []).append(mention)
    for family in told.values():
        spouses = {mention.key for mention in family.get("spouse", ())}
        for child in family.get("child", ()) if len(spouses) == 1 else ():
            for parent in spouses - {child.key}:
                assert parent is not None
                assert child.key is not None
                said = page.sentences[child.sentence].text[:280]
                yield Link(parent, "parent_of", child.key, 0.6, 0.5, False, said)


def addressed(page: Page, settled: Settled) -> Iterator[Link]:
    """Whoever has an address at an organisation that the text names works there."""
    found = dict.fromkeys((match[1], match[2]) for match in _ADDRESS.finditer(page.text))
    if not found:
        return
    domains: dict[str, set[Key]] = {}
    people: dict[str, list[Entity]] = {}
    for key, entity in settled.entities.items():
        if entity.type == "organisation":
            for name in (entity.name, *entity.aliases):
                domains.setdefault(_run_together(name), set()).add(key)
        elif entity.kind == "person":
            people.setdefault(fold(entity.name).split()[-1], []).append(entity)
    for local, domain in found:
        at, who = domains.get(_run_together(domain), set()), _bearers(local, people)
        if len(at) == 1 and len(who) == 1:
            yield Link(who[0].key, "works_at", next(iter(at)), 0.7, 0.5, False, f"{local}@{domain}")


def _run_together(name: str) -> str:
    return fold(name).replace(" ", "").replace("-", "")


def _bearers(local: str, people: Mapping[str, Sequence[Entity]]) -> list[Entity]:
    """Whose name the part of an address before the sign is: "jo.lindgren", "k.abernathy"."""
    words = [word for word in _PARTS.split(fold(local)) if word]
    if len(words) < _FULL:
        return []
    return [
        entity
        for entity in people.get(words[-1], ())
        if len(name := fold(entity.name).split()) >= _FULL and name[0].startswith(words[0])
    ]


def owner_key(settled: Settled, owner: str) -> Key:
    """The key of the owner: of the person whom the text calls so, or of the name."""
    for key, entity in settled.entities.items():
        if entity.kind == "person" and fold(owner) in map(fold, (entity.name, *entity.aliases)):
            return key
    return Entity("person", "", owner).key


def signed(page: Page, settled: Settled, links: Sequence[Link]) -> Iterator[Link]:
    """Whoever signs works at the organisation under the name: "Beate Oschmann / Neckar Biotech GmbH"."""
    done = {(link.subject, link.object) for link in links}
    for mention, number in _signatures(page, settled):
        end = page.lines[min(number + 2, len(page.lines) - 1)][1]
        other = next(
            (
                each
                for each in settled.mentions
                if each.type == "organisation" and mention.end <= each.start < end and _is_short_line(page, each)
            ),
            None,
        )
        if other is None or other.key is None or mention.key is None or (mention.key, other.key) in done:
            continue
        said = page.text[mention.start : other.end][:280]
        yield Link(mention.key, "works_at", other.key, 0.75, 0.5, False, said)


def _signatures(page: Page, settled: Settled) -> Iterator[tuple[Mention, int]]:
    """The people at the head of one of the last lines, with nothing else or a role behind the name."""
    lines = {start: number for number, (start, _) in enumerate(page.lines)}
    for mention in settled.mentions:
        number = lines.get(mention.start)
        if mention.type != PERSON or mention.key is None or number is None:
            continue
        _, stop = page.lines[number]
        if len(page.lines) - number <= _LONGEST_SIGNATURE and page.text[mention.end : stop].strip()[:1] in (
            "",
            ",",
            "|",
        ):
            yield mention, number


def _writer(page: Page, settled: Settled) -> Key | None:
    """Who signs a letter: a name at the head of one of its last lines, behind what it says."""
    if any(sentence.label is not None and not sentence.label.field for sentence in page.sentences):
        return None
    found = [mention for mention, number in _signatures(page, settled) if number > 1]
    return found[0].key if found and _greeted(page, settled) != found[0].key else None


def _greeted(page: Page, settled: Settled) -> Key | None:
    """Whom the first line greets: "Hi Anneke,"; nobody where it greets several."""
    if not page.lines:
        return None
    start, end = page.lines[0]
    words = fold(page.text[start:end]).replace(",", " ").split()
    if not words or words[0] not in GREETINGS or len(words) > _MOST_WORDS:
        return None
    people = {mention.key for mention in settled.mentions if mention.type == PERSON and start <= mention.start < end}
    return people.pop() if len(people) == 1 else None


def _is_short_line(page: Page, mention: Mention) -> bool:
    """Whether a name stands in a line of a few words, as in signatures, and not in what a letter says."""
    place = max(0, bisect_right(page.lines, (mention.start, len(page.text))) - 1)
    start, end = page.lines[place]
    return len(page.text[start:end].split()) <= _MOST_WORDS


def _named_before(page: Page, settled: Settled) -> Iterator[tuple[Key | None, Key | None]]:
    """For each sentence the only person of whom those right before speak, and the last organisation that they name."""
    people: dict[int, set[Key]] = {}
    things: dict[int, Key] = {}
    for mention in settled.mentions:
        if mention.key is None or mention.start < page.sentences[mention.sentence].start:
            continue
        if mention.type == PERSON:
            people.setdefault(mention.sentence, set()).add(mention.key)
        elif mention.type == "organisation":
            things[mention.sentence] = mention.key
    for number in range(len(page.sentences)):
        near = (people[at] for at in range(number - 1, number - 1 - _NEAR, -1) if at in people)
        alone = next(near, set())
        orgs = (things[at] for at in range(number - 1, number - 1 - _NEAR_THING, -1) if at in things)
        yield next(iter(alone)) if len(alone) == 1 else None, next(orgs, None)
