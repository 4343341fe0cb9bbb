"""What the graph is written with: vectors of names and relations are made before the transaction begins."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from recollect.db.database import Connection
from recollect.flows.indexing import node, passages_of, plain
from recollect.flows.parts import Parts
from recollect.graph.model import Extracted, Link, Prepared, tie_text
from recollect.graph.service import Desk, tie_key
from recollect.graph.store import Key
from recollect.records.model import Provenance
from recollect.understanding.secrets import mask


def graph_desk(
    parts: Parts,
    connection: Connection,
    space: str,
    now: datetime,
    agent: str | None,
    prepared: Prepared | None = None,
) -> Desk:
    """What `graph.service.absorb` is given."""
    return Desk(
        connection,
        space,
        now,
        parts.settings.salience_initial,
        Provenance(agent_id=agent),
        parts.rules,
        parts.settings.timezone,
        prepared or Prepared(),
    )


async def prepare(parts: Parts, space: str, found: Iterable[Extracted]) -> Prepared:
    """The vectors that new nodes and relations of some texts would need, in one go."""
    texts = list(found)
    entities = {entity.key: entity for extracted in texts for entity in extracted.entities}
    names = {key: entity.name for key, entity in entities.items()}
    links = {tie_key(link): link for extracted in texts for link in extracted.links if not link.denied}
    ties = [_said(link, names) for link in links.values()]
    wanted = [node(name, name, ()) for name in names.values()] + [plain(text) for text in ties]
    passages = await passages_of(parts, space, wanted)
    of_names, of_ties = passages[: len(names)], passages[len(names) :]
    return Prepared(
        dict(zip(names, of_names, strict=True)),
        {key: found[0] for key, found in zip(links, of_ties, strict=True)},
    )


def _said(link: Link, names: Mapping[Key, str]) -> str:
    subject, object = (names.get(key, key[2]) for key in (link.subject, link.object))
    return mask(tie_text(subject, link.type, object, link.description))
