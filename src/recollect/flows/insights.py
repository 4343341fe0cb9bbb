"""Theory of mind: what the talk of a user tells of their mood, trust and ways, as a few careful observations.

It needs a language model: rules would only guess, and the job says so where none is configured. Once a day at most,
off every reply, it reads a little of what happened, what was learned and what was said, and keeps one to three
insights. They weigh little, and fade if nobody asks for them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from recollect.core.errors import RecollectError, Unavailable
from recollect.core.ids import new_id
from recollect.db.compose import SQL, Composed
from recollect.db.database import Connection
from recollect.db.sql import load
from recollect.flows import remember, statistics
from recollect.flows.barring import bars_of, told_rows
from recollect.flows.indexing import passages_of, plain
from recollect.flows.parts import Parts
from recollect.records import store
from recollect.records.kinds import KINDS
from recollect.records.model import Actor, Event, NewMemory, Passage
from recollect.records.tombstones import Bars
from recollect.understanding import minds
from recollect.understanding.minds import Insight, Seen
from recollect.understanding.same_fact import compare

QUERIES = load("recollect.flows", "insights.sql")

Counts = dict[str, int]

_KIND = "insight"
_ACTIVITIES, _STATEMENTS, _TALK = 5, 3, 1_000
_TURNS = 40
"""Messages that are read until there is talk enough."""
_SEEN = ("low", "normal")
"""An insight is shown to every scope of the user: nothing of high sensitivity goes into one."""
_NEIGHBOURS = 3


@dataclass(frozen=True, slots=True)
class _Draft:
    """An insight, ready to be written."""

    insight: Insight
    passages: tuple[Passage, ...]


def spaces_due(parts: Parts, now: datetime) -> Composed:
    """The statement that finds the users whose talk may tell something new."""
    read_before = now - timedelta(hours=parts.settings.insight_hours)
    return SQL(QUERIES["spaces_due"]).format(read_before=read_before)


async def observe(parts: Parts, space: str, now: datetime) -> Counts:
    """Read what is new of one user, and keep what it tells."""
    model = parts.model
    if model is None or model.name("consolidate") is None:
        return {"seen": 1, "needs_model": 1}
    if parts.breaker.is_open(now):
        return {"seen": 1, "failed": 1}
    async with parts.database.transaction(space) as connection:
        bars = await bars_of(parts, connection, space)
        seen, ids = await _seen(connection, space, bars)
    if not seen.talk:
        return {"seen": 1}
    try:
        found = await minds.insights(model, seen)
    except Unavailable as error:
        parts.breaker.trip(now, error)
        return {"seen": 1, "failed": 1}
    except RecollectError:
        return {"seen": 1, "failed": 1}  # asked again in the next night
    passages = await passages_of(parts, space, [plain(insight.text) for insight in found])
    drafts = [_Draft(insight, each) for insight, each in zip(found, passages, strict=True)]
    written = await _write(parts, space, drafts, ids, now)
    return {"seen": 1, "changed": int(written > 0), "insights": written}


async def _seen(connection: Connection, space: str, bars: Bars) -> tuple[Seen, list[str]]:
    """What is shown to the model, and the ids of all that: whoever forgets one of them forgets the insight too."""
    since = await _last_read(connection, space)
    common = {"space": space, "sensitivity": list(_SEEN)}
    activities = await _rows(connection, "activities", common | {"most": _ACTIVITIES})
    learned = await _rows(connection, "new_statements", common | {"most": _STATEMENTS, "since": since})
    cursor = await connection.execute(QUERIES["talk"], {"space": space, "most": _TURNS})
    told = told_rows(bars, await cursor.fetchall())
    talk = [(row.name or row.role, row.body) for row in told if row.body]
    happened, known = (tuple(row.text for row in rows) for rows in (activities, learned))
    ids = [str(row.id) for row in (*activities, *learned, *told)]
    return Seen(happened, known, minds.snippet(talk[::-1], _TALK)), ids


async def _last_read(connection: Connection, space: str) -> datetime | None:
    cursor = await connection.execute(QUERIES["last_read"], {"space": space})
    row = await cursor.fetchone()
    return row.insights_at if row else None


async def _rows(connection: Connection, name: str, values: dict[str, Any]) -> list[Any]:
    cursor = await connection.execute(QUERIES[name], values)
    return await cursor.fetchall()


async def _write(parts: Parts, space: str, drafts: Sequence[_Draft], seen: Sequence[str], now: datetime) -> int:
    """One transaction: the insights that are new, and that the talk was read; unless somebody was faster."""
    async with parts.database.transaction(space) as connection:
        await store.raise_revision(connection, space, now, knowledge=False, changes=0)
        before = await _last_read(connection, space)
        if before is not None and before > now - timedelta(hours=parts.settings.insight_hours):
            return 0
        known = await _known(parts, connection, space, drafts)
        fresh = [_memory(draft, seen, now) for draft in drafts if draft.insight.text not in known]
        if fresh:
            actor = Actor("recollect", reason="theory of mind", by_hand=False)
            await remember.keep(parts, connection, space, fresh, actor, "created")
            await remember.link(parts, connection, space, [memory.id for memory in fresh], now)
        await connection.execute(QUERIES["note_read"], {"space": space, "now": now})
        event = Event("worker", "theory_of_mind", "ok" if fresh else "skipped", detail={"insights": len(fresh)})
        await store.record_events(connection, space, [event], now)
        await statistics.refresh_when_due(connection, space)
    return len(fresh)


async def _known(parts: Parts, connection: Connection, space: str, drafts: Sequence[_Draft]) -> set[str]:
    """What is an insight already, or was one that somebody deleted."""
    if not drafts:
        return set()
    category = KINDS[_KIND].category
    rows = await store.nearest_of_kind(
        connection,
        space,
        _KIND,
        [(category, draft.passages[0].embedding) for draft in drafts],
        least=parts.calibration.raw(parts.settings.merge_likely),
        most=_NEIGHBOURS,
    )
    found = set()
    for row in rows:
        text, near = drafts[row.place - 1].insight.text, parts.calibration.calibrated(row.similarity)
        if near >= parts.settings.merge_same or compare(row.content, text, similarity=near).relation == "same":
            found.add(text)
    return found


def _memory(draft: _Draft, seen: Sequence[str], now: datetime) -> NewMemory:
    kind, insight = KINDS[_KIND], draft.insight
    return NewMemory(
        id=new_id(),
        kind=_KIND,
        type=None,
        category=kind.category,
        content=insight.text,
        tier=kind.tier,
        importance=insight.importance,
        confidence=insight.confidence,
        happened_at=now,
        tags=insight.tags,
        data={"seen": list(seen)},
        passages=draft.passages,
    )
