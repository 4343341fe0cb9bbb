"""What was forgotten stays out: texts without it, for all that derives something, and a Conflict for who adds it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from recollect.core.errors import Conflict
from recollect.db.database import Connection, Deadlock
from recollect.flows.parts import Parts
from recollect.graph.model import Extracted
from recollect.records import store, tombstones
from recollect.records.model import NewMemory
from recollect.records.tombstones import Bars

LEARNED_KINDS = frozenset({"statement", "profile", "episode", "insight", "procedure"})
"""What is learned of texts, and never written where it is barred. Raw data is; nodes and stories are kept free of it
where they are made."""

Row = TypeVar("Row")


async def bars_of(parts: Parts, connection: Connection, *spaces: str) -> Bars:
    """What is barred in spaces that the transaction may read."""
    return await tombstones.bars(connection, spaces, parts.keyring)


async def bars_in(parts: Parts, *spaces: str) -> Bars:
    """The same, in a transaction of its own."""
    return await tombstones.bars_in(parts.database, spaces, parts.keyring)


def told_rows(bars: Bars, rows: Iterable[Row]) -> list[Row]:
    """Messages as something may be derived from them; who is barred said nothing."""
    return [_told_row(bars, row) for row in rows]


def _told_row(bars: Bars, row: Any) -> Any:
    body = "" if bars.bars(row.name) else bars.told(row.body)
    return row if body == row.body else row._replace(body=body)


def told_before(bars: Bars, row: Any) -> Any:
    """A message whose surroundings hold nothing that is barred; what it says itself stays."""
    if not row.body_before:
        return row
    before = "" if bars.bars(row.name_before) else bars.told(row.body_before)
    return row if before == row.body_before else row._replace(body_before=before, name_before=None)


def unbarred(bars: Bars, found: Extracted) -> Extracted:
    """What a text says for the graph, but for what is barred."""
    if not bars:
        return found
    entities = tuple(
        replace(each, aliases=tuple(bars.keep(each.aliases))) for each in found.entities if not bars.bars(each.name)
    )
    keys = {entity.key for entity in entities}
    links = (link for link in found.links if {link.subject, link.object} <= keys and not bars.bars(link.description))
    remarks = (remark for remark in found.remarks if remark.about in keys and not bars.bars(remark.text))
    return Extracted(entities, tuple(links), tuple(remarks))


def derivable(bars: Bars, memories: Sequence[NewMemory]) -> list[NewMemory]:
    """Those of some new memories that nothing bars."""
    return [each for each in memories if each.kind not in LEARNED_KINDS or not _is_barred(bars, each)]


def _is_barred(bars: Bars, memory: NewMemory) -> bool:
    return bars.bars(memory.title, memory.content) or bars.was_deleted(memory.content)


async def hold_unless_forgotten(connection: Connection, space: str, newest: UUID | None, now: datetime) -> None:
    """Hold a space, for what was read from it before; where something was forgotten since, it has to be read again."""
    await store.raise_revision(connection, space, now, knowledge=False, changes=0)
    if await tombstones.newest(connection, space) != newest:
        raise Deadlock("PostgreSQL", "something was forgotten meanwhile; nothing was written: try again")


async def refuse(
    parts: Parts, connection: Connection, space: str, texts: Iterable[str | None], *, lift: bool = False
) -> None:
    """A person adds something: what is barred is refused, or with `lift` is barred no longer."""
    await refuse_all(parts, connection, space, [(texts, lift)])


async def refuse_all(
    parts: Parts, connection: Connection, space: str, said: Iterable[tuple[Iterable[str | None], bool]]
) -> None:
    """The same for several things, each with whether it lifts what bars it; before the transaction holds any row."""
    await tombstones.write_beside_others(connection, space)
    bars = await bars_of(parts, connection, space)
    given = [([text for text in texts if text], lift) for texts, lift in said]
    if bars.deleted:
        await tombstones.learn_again(connection, space, bars, [text for texts, _ in given for text in texts])
    if not bars:
        return
    lifted: set[UUID] = set()
    for texts, lift in given:
        ids = bars.tombstones_of(texts) - lifted
        if ids and not lift:
            named = ", ".join(map(str, sorted(ids)))
            raise Conflict(f"it was forgotten, and is barred by tombstone {named}: lift it, or add it with lift=True")
        lifted |= ids
    if lifted:
        await tombstones.lift(connection, space, lifted)
