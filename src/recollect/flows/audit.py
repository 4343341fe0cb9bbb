"""A look at what is remembered in a space: what is said twice, contradicts, is behind, hangs in the air, should not be
there, or breeds. It changes nothing.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from recollect.core.scope import Scope
from recollect.db.database import Connection
from recollect.db.sql import load
from recollect.flows import daily
from recollect.flows.daily import Finding, Pair
from recollect.flows.parts import Parts
from recollect.governance.spend import Spend
from recollect.understanding import fence
from recollect.understanding.secrets import holds_secret, mask

QUERIES = load("recollect.flows", "audit.sql")

Level = Literal["ok", "warn", "fail"]

_MOST_STATEMENTS = 2_000
_AT_ONCE = 200
_SHOWN = 10
_LONGEST = 160
_PATIENCE = timedelta(days=30)
"""How long a statement may wait to be corroborated before it counts as forgotten about."""
_NIGHTS = timedelta(days=2)
"""How long a text may be behind: a night, and one that was missed."""
_PASSED = 0.95
"""The share of drafts that keep to the writing rules (document D)."""
_WEEK = 7
_FIRST = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Found:
    """One case of something."""

    ids: tuple[UUID, ...]
    text: str


@dataclass(frozen=True, slots=True)
class AuditCheck:
    """One thing that was looked at: how many cases there are, and the first of them."""

    name: str
    level: Level
    finding: str
    found: int = 0
    cases: tuple[Found, ...] = ()
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Audit:
    """What was looked at in a space, in order."""

    space: str
    at: datetime
    checks: tuple[AuditCheck, ...]

    @property
    def clean(self) -> bool:
        """Whether there is nothing to mend."""
        return all(check.level == "ok" for check in self.checks)


async def audit(parts: Parts, scope: Scope) -> Audit:
    """Look at the space that a scope writes."""
    space, now = scope.space, parts.clock()
    async with parts.database.transaction(space) as connection:
        look = _Look(parts, connection, space, now)
        pairs = await look.pairs()
        checks = [await check(look) for check in _CHECKS]
    spent = await parts.governor.report(space, _WEEK)
    compared = await daily.compare(pairs)
    visible = [pair for pair in compared if scope.may_see(pair.older) and scope.may_see(pair.newer)]
    return Audit(space, now, (_duplicates(visible), _contradictions(visible), *checks, _caps(spent)))


def _caps(spent: Spend) -> AuditCheck:
    """Whether what models may cost is held to."""
    if not spent.warnings:
        return AuditCheck("spend", "ok", "what models cost can be held to its caps")
    cases = tuple(Found((), warning) for warning in spent.warnings[:_SHOWN])
    hint = "give the prices of these models in `prices`"
    return AuditCheck("spend", "warn", "a cap in dollars does not hold", len(spent.warnings), cases, hint)


@dataclass(frozen=True, slots=True)
class _Look:
    """What the checks look at."""

    parts: Parts
    connection: Connection
    space: str
    now: datetime

    async def rows(self, name: str, **values: Any) -> list[Any]:
        """What a statement gives in the space."""
        cursor = await self.connection.execute(QUERIES[name], {"space": self.space, **values})
        return await cursor.fetchall()

    async def pairs(self) -> list[Pair]:
        """Statements that are near each other, whatever was compared before."""
        ids = [row.id for row in await self.rows("statements", most=_MOST_STATEMENTS)]
        finding, found = Finding(self.parts, self.connection, self.space, self.now), dict[daily.Ids, Pair]()
        for start in range(0, len(ids), _AT_ONCE):
            for pair in await finding.pairs(ids[start : start + _AT_ONCE]):
                found.setdefault(pair.ids, pair)
        return list(found.values())

    async def texts(self, wanted: Callable[[str], bool]) -> list[Found]:
        """The derived texts that something is wrong with."""
        found, after = list[Found](), _FIRST
        while rows := await self.rows("texts", after=after, most=_AT_ONCE):
            found += [Found((row.id,), row.text) for row in rows if wanted(row.text)]
            after = rows[-1].id
        return found


def _check(name: str, found: Sequence[Found], level: Level, finding: str, hint: str) -> AuditCheck:
    if not found:
        return AuditCheck(name, "ok", "none")
    shown = tuple(Found(each.ids, _short(each.text)) for each in found[:_SHOWN])
    return AuditCheck(name, level, finding, len(found), shown, hint)


def _short(text: str) -> str:
    line = mask(" ".join(text.split()))
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1].rstrip() + "…"


def _cases(pairs: Sequence[Pair], relation: str) -> list[Found]:
    return [
        Found((pair.older.id, pair.newer.id), f"{pair.older.content} | {pair.newer.content}")
        for pair in pairs
        if pair.verdict.relation == relation
    ]


def _duplicates(pairs: Sequence[Pair]) -> AuditCheck:
    hint = "`recollect jobs run daily_consolidation` makes one of each"
    return _check("duplicates", _cases(pairs, "same"), "warn", "statements that say the same", hint)


def _contradictions(pairs: Sequence[Pair]) -> AuditCheck:
    hint = "delete the one that is wrong, or end its validity"
    found = _cases(pairs, "contradicts")
    return _check("contradictions", found, "warn", "statements that cannot both hold", hint)


def _found(rows: Sequence[Any]) -> list[Found]:
    return [Found((row.id,), row.text) for row in rows]


async def _stale(look: _Look) -> AuditCheck:
    waiting = _found(await look.rows("waiting", before=look.now - _PATIENCE))
    behind = _found(await look.rows("behind", before=look.now - _NIGHTS))
    failed = _found(await look.rows("failed_sources"))
    hint = "promote or delete what is pending; `recollect jobs run descriptions`; `recollect sources retry`"
    said = "pending for a month, texts behind for two nights, or documents given up"
    return _check("stale", [*waiting, *behind, *failed], "warn", said, hint)


async def _orphans(look: _Look) -> AuditCheck:
    found = [*_found(await look.rows("unsourced")), *_found(await look.rows("loose_ends"))]
    hint = "delete them: nothing that is left speaks for them"
    return _check("orphans", found, "fail", "memories or relations that nothing speaks for", hint)


async def _secrets(look: _Look) -> AuditCheck:
    hint = "`recollect forget ID` removes them for good"
    return _check("secrets", await look.texts(holds_secret), "fail", "derived texts that hold a secret", hint)


async def _loops(look: _Look) -> AuditCheck:
    hint = "delete them; put recalled text into prompts as `context` renders it, within its fence"
    found = await look.texts(fence.is_recalled)
    return _check("recall loops", found, "fail", "memories made of recalled memory", hint)


async def _format(look: _Look) -> AuditCheck:
    [row] = await look.rows("written", since=look.now - timedelta(days=look.parts.settings.event_days))
    if not row.written:
        return AuditCheck("format", "ok", "nothing was written of late")
    share = 1 - min(row.rejected, row.written) / row.written
    said = f"{share:.0%} of {row.written} drafts kept to the writing rules"
    return AuditCheck("format", "ok" if share >= _PASSED else "warn", said, row.rejected)


_CHECKS: tuple[Callable[[_Look], Awaitable[AuditCheck]], ...] = (_stale, _orphans, _secrets, _loops, _format)
