"""What models cost: every call counted for its space and day, and a stop where a cap is reached.

Counts gather in the process and are written together, off the path of whoever calls. Where a cap is set, a question
to a language model first puts down in the database what it will take at least, so that workers see calls of each other
that are under way; afterwards the account is put right. Over the cap the question is not asked: rules answer, as they
do for a model that fails, and what they did is marked and given to the model on another day.
"""

import asyncio
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from recollect.core.clock import Clock
from recollect.core.errors import RecollectError, Unavailable
from recollect.core.ids import new_id
from recollect.core.settings import Settings
from recollect.core.tokens import Estimator
from recollect.db.compose import Jsonb
from recollect.db.database import Batch, Database
from recollect.db.sql import load
from recollect.providers.embedding.base import Embedder, Purpose, Vectors
from recollect.providers.language import CallRecord, Task
from recollect.providers.metering import metered

QUERIES = load("recollect.governance", "spending.sql")

EMBED = "embed"
_PAUSE = 1.0  # seconds in which counts gather
_ZONE_SECONDS = 60.0
_MILLION = 1_000_000

_log = logging.getLogger(__name__)
_payer: ContextVar[str | None] = ContextVar("payer", default=None)


class CapReached(RecollectError):
    """The space has used up what it may spend today."""


@contextmanager
def paid_by(space: str) -> Iterator[None]:
    """Whatever is asked of models meanwhile is on the account of a space."""
    token = _payer.set(space)
    try:
        yield
    finally:
        _payer.reset(token)


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls, and what they took."""

    calls: int = 0
    failures: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    money: float = 0.0
    """US dollars."""
    unpriced: int = 0
    """Calls of models whose price is not known: they count as nothing."""

    @property
    def tokens(self) -> int:
        """Of questions and answers."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "Usage") -> "Usage":
        """Both together."""
        return Usage(*(mine + theirs for mine, theirs in zip(self._all(), other._all(), strict=True)))

    def __neg__(self) -> "Usage":
        """What takes it back."""
        return Usage(*(-each for each in self._all()))

    def _all(self) -> tuple[Any, ...]:
        return self.calls, self.failures, self.input_tokens, self.output_tokens, self.money, self.unpriced


@dataclass(frozen=True, slots=True)
class Asked:
    """Usage of one model for one task."""

    model: str
    task: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Day:
    """One day of a space."""

    day: date
    total: Usage
    asked: tuple[Asked, ...]
    stopped_at: datetime | None
    """Since when rules do the work of language models; None: a cap was not reached."""
    reason: str | None


@dataclass(frozen=True, slots=True)
class Spend:
    """What a space has spent, and may."""

    space: str
    timezone: str
    cap_tokens: int | None
    cap_money: float | None
    stopped: bool
    """Whether the language model rests until the day is over."""
    resumes_at: datetime | None
    days: tuple[Day, ...]
    """The newest first; the first is today."""
    warnings: tuple[str, ...] = ()
    """What keeps a cap from holding: models that were asked on these days and whose price is not known."""

    @property
    def today(self) -> Day:
        """The day that it is in the space's time zone."""
        return self.days[0]


@dataclass(frozen=True, slots=True)
class _Key:
    space: str
    minute: datetime
    """When it was: which day that is in the space is asked when it is written."""
    model: str
    task: str


@dataclass(slots=True)
class _Zone:
    name: str
    read_at: float = field(default=-_ZONE_SECONDS)


class Governor:
    """The accounts of one open Recollect."""

    def __init__(self, database: Database, settings: Settings, clock: Clock) -> None:
        self._database, self._settings, self._clock = database, settings, clock
        self._estimate = Estimator()
        self._waiting: dict[_Key, Usage] = {}
        self._zones: dict[str, _Zone] = {}
        self._unpriced: dict[tuple[str, str], bool] = {}
        """Models of spaces for which a cap in dollars does not hold, and whether that was told."""
        self._writing = asyncio.Lock()
        self._writer: asyncio.Task[None] | None = None

    @property
    def capped(self) -> bool:
        """Whether there is anything to hold to."""
        return self._settings.spend_tokens is not None or self._settings.spend_money is not None

    # Language models

    async def admit(self, model: str, task: Task, prompt: str) -> "_Charge | None":
        """Let a question pass and put down what it takes at least; CapReached where the day's cap is used up."""
        space = _payer.get()
        if space is None or not self.capped:
            return None
        day = await self._day(space)
        least = self._priced(model, Usage(input_tokens=self._estimate.count(prompt)))
        key = self._key(space, model, task)
        spent = await self._spent(space, day, {key: least})
        before = Usage(input_tokens=spent.tokens - least.tokens, money=spent.money - least.money)
        if (reason := self._over(before)) is None:
            return _Charge(key, least)
        self._note(key, -least)
        await self._stop(space, day, reason)
        raise CapReached(f"{reason}: rules stand in for the model until the day is over in {self._zones[space].name}")

    def settle(self, charge: "_Charge") -> None:
        """Take back what was put down before: what the call really took is counted by itself."""
        self._note(charge.key, -charge.usage)

    def record(self, call: CallRecord) -> None:
        """Count what a question to a language model took, whether it was answered or not."""
        if (space := _payer.get()) is None:
            return
        taken = Usage(1 + call.repairs, int(call.outcome != "ok"), call.input_tokens, call.output_tokens)
        self._note(self._key(space, call.model, call.task), self._priced(call.model, taken, call.cost))

    def _priced(self, model: str, usage: Usage, cost: float | None = None) -> Usage:
        price = self._settings.prices.get(model)
        if price is not None:
            into, out = price
            return replace(usage, money=(into * usage.input_tokens + out * usage.output_tokens) / _MILLION)
        return replace(usage, money=cost) if cost is not None else replace(usage, unpriced=usage.calls)

    def _over(self, spent: Usage) -> str | None:
        most_tokens, most_money = self._settings.spend_tokens, self._settings.spend_money
        if most_tokens is not None and spent.tokens >= most_tokens:
            return f"the day's {most_tokens:,} tokens are used up"
        if most_money is not None and spent.money >= most_money:
            return f"the day's {most_money:g} dollars are used up"
        return None

    async def _spent(self, space: str, day: date, more: Mapping[_Key, Usage]) -> Usage:
        """Write what waits of a space, and more; what the day has cost with that."""
        async with self._writing:
            due = self._of(space)
            batch = Batch(space)
            for key in {**due, **more}:
                self._count(batch, key, due.get(key, Usage()) + more.get(key, Usage()))
            place = batch.add(QUERIES["spent"], space=space, day=day)
            [row] = (await self._database.send(batch))[place]
            self._written(due)
        return Usage(input_tokens=row.tokens, money=row.money)

    def _of(self, space: str) -> dict[_Key, Usage]:
        return {key: usage for key, usage in self._waiting.items() if key.space == space}

    async def _stop(self, space: str, day: date, reason: str) -> None:
        """Say it, once a day."""
        batch = Batch(space)
        batch.add(QUERIES["stop"], space=space, day=day, now=self._clock(), reason=reason)
        [rows] = await self._database.send(batch)
        if rows:
            _log.warning("%s: %s; rules stand in for the model until tomorrow", space, reason)
            batch = Batch(space)
            self._tell(batch, space, "skipped", {"day": day.isoformat(), "reason": reason})
            await self._database.send(batch)

    def _tell(self, batch: Batch, space: str, status: str, detail: Mapping[str, Any]) -> None:
        """An event; what is said once in a process is said in the log too."""
        if status == "warning":
            _log.warning("%s: %s", space, detail["reason"])
        told = {"status": status, "detail": Jsonb(dict(detail))}
        batch.add(QUERIES["tell"], space=space, id=new_id(), now=self._clock(), **told)

    def _unheld(self, model: str) -> str:
        return (
            f"the cap of {self._settings.spend_money:g} dollars a day does not hold for {model}:"
            " its price is not known, and counts as nothing; give it in `prices`, or cap `spend_tokens`"
        )

    async def stopped_for(self, space: str) -> timedelta | None:
        """How long a space's language model still rests because of its cap; None where it does not."""
        if not self.capped:
            return None
        day = await self._day(space)
        spent = await self._spent(space, day, {})
        return None if self._over(spent) is None else self._end_of(space, day) - self._clock()

    # Embedders

    async def embed(self, embedder: Embedder, space: str, texts: Sequence[str], *, purpose: Purpose) -> Vectors:
        """Vectors of texts, on the account of a space. One that runs on this machine costs nothing."""
        if not texts:
            return await embedder.embed(texts, purpose=purpose)
        if self._settings.spend_stops_embedder and (left := await self.stopped_for(space)) is not None:
            raise Unavailable("embedder", f"the space has used up what it may spend, for {left.total_seconds():.0f} s")
        with metered() as meter:
            try:
                return await embedder.embed(texts, purpose=purpose)
            except BaseException:
                meter.failed()
                raise
            finally:
                taken = Usage(max(1, meter.calls), meter.failures, meter.tokens)
                priced = self._priced(embedder.name, taken) if meter.remote else taken
                self._note(self._key(space, embedder.name, EMBED), priced)

    # Writing

    def _key(self, space: str, model: str, task: str) -> _Key:
        return _Key(space, self._clock().replace(second=0, microsecond=0), model, task)

    def _note(self, key: _Key, usage: Usage) -> None:
        if usage.unpriced > 0 and self._settings.spend_money is not None:
            self._unpriced.setdefault((key.space, key.model), False)
        self._waiting[key] = self._waiting.get(key, Usage()) + usage
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write_soon())

    async def _write_soon(self) -> None:
        await asyncio.sleep(_PAUSE)
        await self._write()

    async def flush(self) -> None:
        """Write all that waits; nothing is lost in an orderly shutdown."""
        if self._writer is not None:
            self._writer.cancel()
        await self._write()

    async def _write(self) -> None:
        async with self._writing:
            for space in {key.space for key in self._waiting}:
                try:
                    await self._day(space)
                    due = self._of(space)
                    batch = Batch(space)
                    for key, usage in due.items():
                        self._count(batch, key, usage)
                    untold = [of for of, told in self._unpriced.items() if of[0] == space and not told]
                    for _, model in untold:
                        self._tell(batch, space, "warning", {"model": model, "reason": self._unheld(model)})
                    await self._database.send(batch)
                    self._unpriced |= dict.fromkeys(untold, True)
                except RecollectError as error:
                    # Not worth a crash; it stays, and is tried with what comes next.
                    _log.warning("what models took could not be counted yet: %s", error)
                    return
                self._written(due)

    def _count(self, batch: Batch, key: _Key, usage: Usage) -> None:
        batch.add(
            QUERIES["count"],
            space=key.space,
            day=self._day_of(key.space, key.minute),
            model=key.model,
            task=key.task,
            calls=usage.calls,
            failures=usage.failures,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            money=usage.money,
            unpriced=usage.unpriced,
        )

    def _written(self, due: dict[_Key, Usage]) -> None:
        """Forget what was written; what came meanwhile stays."""
        for key, usage in due.items():
            left = self._waiting[key] + -usage
            if left == Usage():
                del self._waiting[key]
            else:
                self._waiting[key] = left

    # Reading

    async def report(self, space: str, days: int) -> Spend:
        """What a space has spent on its last days."""
        await self.flush()
        today = await self._day(space)
        batch = Batch(space)
        first = today - timedelta(days=days - 1)
        batch.add(QUERIES["rows"], space=space, first=first)
        batch.add(QUERIES["stops"], space=space, first=first)
        rows, stops = await self._database.send(batch)
        told = tuple(_day(today - timedelta(days=back), rows, stops) for back in range(days))
        stopped = self.capped and self._over(told[0].total) is not None
        settings = self._settings
        return Spend(
            space,
            self._zones[space].name,
            settings.spend_tokens,
            settings.spend_money,
            stopped,
            self._end_of(space, today) if stopped else None,
            told,
            self._warnings(told),
        )

    def _warnings(self, days: Sequence[Day]) -> tuple[str, ...]:
        if self._settings.spend_money is None:
            return ()
        models = {asked.model for day in days for asked in day.asked if asked.usage.unpriced}
        return tuple(map(self._unheld, sorted(models)))

    async def _day(self, space: str) -> date:
        """The day that it is in the space's time zone."""
        zone = self._zones.setdefault(space, _Zone(self._settings.timezone))
        now = asyncio.get_running_loop().time()
        if now - zone.read_at >= _ZONE_SECONDS:
            zone.read_at = now
            batch = Batch(space)
            batch.add(QUERIES["zone"], space=space)
            [rows] = await self._database.send(batch)
            zone.name = (rows[0].timezone if rows else None) or self._settings.timezone
        return self._day_of(space, self._clock())

    def _day_of(self, space: str, moment: datetime) -> date:
        return moment.astimezone(ZoneInfo(self._zones[space].name)).date()

    def _end_of(self, space: str, day: date) -> datetime:
        zone = ZoneInfo(self._zones[space].name)
        return datetime.combine(day + timedelta(days=1), time.min, zone).astimezone(self._clock().tzinfo)


@dataclass(frozen=True, slots=True)
class _Charge:
    """What was put down for a question before it was asked."""

    key: _Key
    usage: Usage


def _day(day: date, rows: Sequence[Any], stops: Sequence[Any]) -> Day:
    asked = tuple(Asked(row.model, row.task, Usage(*row[3:])) for row in rows if row.day == day)
    total = sum((each.usage for each in asked), Usage())
    stop = next((stop for stop in stops if stop.day == day), None)
    return Day(day, total, asked, stop and stop.since, stop and stop.reason)
