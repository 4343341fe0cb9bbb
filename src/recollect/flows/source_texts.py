"""What is read out of a source: its cleaned text, a digest, and what it says for the graph; nothing is written here."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from recollect.conversation.store import QUERIES
from recollect.core.errors import RecollectError
from recollect.db.database import Connection
from recollect.flows.barring import bars_of, told_rows
from recollect.flows.comparing import readable
from recollect.flows.parts import Parts
from recollect.graph.extract import extract
from recollect.graph.extract.typed import NO_TYPES, Types
from recollect.graph.extract.with_model import extract_with_model
from recollect.graph.model import Entity, Extracted, Link, canonical
from recollect.sources.cleaning import clean
from recollect.sources.cleaning.model import Cleaned
from recollect.sources.digesting import Digest, digest, digest_with
from recollect.understanding import summary, with_model
from recollect.understanding.fence import unfenced
from recollect.understanding.model import Line, Summary
from recollect.understanding.secrets import mask

_SPOKEN = ("user", "assistant")
"""Whose words are part of a talk: tools and systems say nothing to anybody."""
_PIECE = 100_000
"""Characters that are read at once for the graph."""
_AROUND = ".,;:!?()[]{}<>\"'`*_“”‘’"
_TOLD = 80
"""Characters by which a sentence is known again."""


def cleaned(source_type: str, raw: str) -> Cleaned:
    """A document without what nobody wrote for its reader; secrets are masked, what was recalled into it is dropped."""
    found = clean(source_type, raw)
    return replace(
        found,
        text=readable(found.text).strip(),
        title=mask(found.title) if found.title else None,
        lines=tuple(replace(line, text=readable(line.text)) for line in found.lines),
    )


async def digested(parts: Parts, text: Cleaned, title: str | None, source_type: str) -> tuple[Digest, bool]:
    """A document in few words, and whether rules had to find them because the model could not."""
    of: dict[str, Any] = {"source_type": source_type, "participants": text.participants, "lines": text.lines}
    has_model = parts.model is not None and parts.model.name("summarise") is not None
    if parts.model is not None and has_model:
        try:
            return await digest_with(parts.model, text.text, title or text.title, **of), False
        except RecollectError:
            pass  # told by rules for now, and marked
    return await asyncio.to_thread(digest, text.text, title or text.title, **of), has_model


async def summarised(parts: Parts, lines: Sequence[Line]) -> tuple[Summary, bool]:
    """Lines in few words, and whether rules told them because the model could not."""
    if not lines:
        return Summary(""), False
    has_model = parts.model is not None and parts.model.name("summarise") is not None
    if parts.model is not None and has_model:
        try:
            return await with_model.summarise(parts.model, lines), False
        except RecollectError:
            pass  # told by rules for now, and marked
    return await asyncio.to_thread(summary.summarise, lines, parts.settings.chunk_tokens), has_model


@dataclass(frozen=True, slots=True)
class Hints:
    """What a space knows beside a text that is read for its graph."""

    types: Types = NO_TYPES
    """Kinds of things and relations of its own."""
    instructions: str | None = None
    owner: str | None = None
    """Who says "I" where a text does not tell."""


async def extracted(parts: Parts, text: str, speakers: Sequence[str], hints: Hints) -> tuple[Extracted, bool]:
    """What a text says for the graph, and whether rules found it because the model could not."""
    has_model = parts.model is not None and parts.model.name("extract") is not None
    if parts.model is not None and has_model:
        told: dict[str, Any] = {"types": hints.types, "owner": hints.owner, "instructions": hints.instructions}
        try:
            found = await extract_with_model(parts.model, text, speakers=speakers, **told)
            return with_people(found, speakers), False
        except RecollectError:
            pass  # found by rules for now, and marked
    return with_people(await asyncio.to_thread(_by_rules, text, speakers, hints), speakers), has_model


def _by_rules(text: str, speakers: Sequence[str], hints: Hints) -> Extracted:
    return united([extract(each, types=hints.types, speakers=speakers, owner=hints.owner) for each in pieces(text)])


def pieces(text: str, most: int = _PIECE) -> Iterator[str]:
    """A long text in pieces that end where a line does, or a word."""
    start = 0
    while start < len(text):
        end = min(len(text), start + most)
        if end < len(text):
            seam = max(text.rfind("\n", start, end), text.rfind(" ", start + most // 2, end))
            end = seam + 1 if seam > start else end
        yield text[start:end]
        start = end


def united(found: Sequence[Extracted]) -> Extracted:
    """What several pieces of one text say, each thing once."""
    if len(found) == 1:
        return found[0]
    entities: dict[tuple[str, str, str], Entity] = {}
    for entity in (entity for each in found for entity in each.entities):
        known = entities.get(entity.key)
        entities[entity.key] = entity if known is None else _both(known, entity)
    links = {(link.subject, link.type, link.object): link for each in found for link in each.links}
    remarks = {(remark.about, remark.text): remark for each in found for remark in each.remarks}
    return Extracted(tuple(entities.values()), tuple(links.values()), tuple(remarks.values()))


def _both(one: Entity, other: Entity) -> Entity:
    return replace(
        one,
        confidence=max(one.confidence, other.confidence),
        denied=one.denied and other.denied,
        aliases=tuple(dict.fromkeys((*one.aliases, *other.aliases))),
        points=one.points + other.points,
    )


def with_people(found: Extracted, names: Sequence[str]) -> Extracted:
    """The people who took part are people that the source speaks of, too."""
    known = {
        canonical(name)
        for entity in found.entities
        if entity.kind == "person"
        for name in (entity.name, *entity.aliases)
    }
    people = {canonical(name): Entity("person", "", name, 0.9) for name in reversed(names) if is_name(name)}
    fresh = tuple(person for name, person in reversed(people.items()) if name not in known)
    return replace(found, entities=(*found.entities, *fresh)) if fresh else found


def is_name(name: str) -> bool:
    """Whether a participant is named as people are, rather than by an address or a number."""
    return bool(canonical(name)) and "@" not in name and not any(letter.isdigit() for letter in name)


def of_chunks(found: Extracted, chunks: Sequence[tuple[UUID, str]]) -> list[tuple[UUID, Extracted]]:
    """What of all that a source says stands in each of its chunks: the hit is a chunk, and carries what it names."""
    if len(chunks) == 1:
        return [(chunks[0][0], replace(found, remarks=()))]
    by_word: dict[str, list[tuple[Entity, str]]] = {}
    for entity in found.entities:
        for name in (entity.name, *entity.aliases):
            if words := name.casefold().split():
                by_word.setdefault(words[0], []).append((entity, name.casefold()))
    links: dict[tuple[str, str, str], list[Link]] = {}
    for link in found.links:
        links.setdefault(link.subject, []).append(link)
    return [(id, _standing_in(text.casefold(), by_word, links)) for id, text in chunks]


def _standing_in(
    text: str, by_word: dict[str, list[tuple[Entity, str]]], links: dict[tuple[str, str, str], list[Link]]
) -> Extracted:
    """The names that stand in a text, and the relations between them that one of its sentences tells."""
    words = {part for word in text.split() for part in (word, word.strip(_AROUND), word.strip(_AROUND).split("'")[0])}
    found = [pair for word in words & by_word.keys() for pair in by_word[word]]
    named = {entity.key: entity for entity, name in found if name in text}
    tied = [
        link
        for key in named
        for link in links.get(key, ())
        if link.object in named and (not link.description or link.description.casefold()[:_TOLD] in text)
    ]
    return Extracted(tuple(named.values()), tuple(tied))


async def talk(parts: Parts, connection: Connection, space: str, source: Any) -> list[Any]:
    """The messages of a stretch of talk that were spoken and not taken back, in order."""
    place = {"space": space, "conversation_id": source.conversation_id}
    asked = place | {"first": source.first_turn, "last": source.last_turn}
    cursor = await connection.execute(QUERIES["turns"], asked)
    rows = [row for row in await cursor.fetchall() if row.retracted_at is None and row.role in _SPOKEN]
    free = told_rows(await bars_of(parts, connection, space), rows)
    return [row for row in free if row.body.strip()]


def lines_of(rows: Sequence[Any]) -> list[Line]:
    """Messages as a summary reads them, without what was recalled into them."""
    said = [(row, mask(unfenced(row.body)).strip()) for row in rows]
    return [Line(row.turn, row.role, row.name, text, row.at) for row, text in said if text]


def spoken(lines: Sequence[Line]) -> str:
    """A talk as text, each line with its speaker where the speaker has a name."""
    return "\n".join(f"{line.speaker}: {line.text}" if line.speaker else line.text for line in lines)


def speakers(lines: Sequence[Line]) -> tuple[str, ...]:
    """The people who speak, in the order of their first words; an assistant is none."""
    return tuple(dict.fromkeys(line.speaker for line in lines if line.speaker and line.role == "user"))
