"""Memories, hits and their history for people to read."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from textwrap import wrap
from typing import TYPE_CHECKING
from uuid import UUID

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from recollect.memory import Bullets
    from recollect.records.model import HistoryEntry, Memory, Page
    from recollect.retrieval.search import Hit

_BAR = 12
_LEAST = 0.005  # parts below this would round to nothing
_LONG = 600
_LISTED = 200
_COLOURS = {
    "semantic": "cyan",
    "keyword": "green",
    "speaker": "magenta",
    "thread": "blue",
    "time": "yellow",
    "relation": "bright_blue",
    "graph": "bright_magenta",
    "rerank": "bright_cyan",
}


_TYPED = ("id", "id and name", "id and title", "job", "status")
_ID = 36


def table(*columns: str) -> Table:
    """A table of which nothing is cut away; what is typed into the next command stays on one line."""
    made = Table(box=None, pad_edge=False, header_style="dim")
    for name in columns:
        made.add_column(name, no_wrap=name in _TYPED, overflow="fold")
    return made


def with_id(name: str, id: UUID) -> Text:
    """A name, and below it the id: side by side they leave no room for anything else."""
    return Text.assemble(*(f"{line}\n" for line in wrap(name, _ID)), (str(id), "dim"))


def when(moment: datetime | None) -> str:
    """A moment in the reader's own time zone."""
    return "—" if moment is None else moment.astimezone().strftime("%d %b %Y, %H:%M")


def hits(found: "Sequence[Hit]") -> Iterator[RenderableType]:
    """Hits with the reasons for their scores."""
    if not found:
        yield Text("Nothing found.", style="dim")
        return
    most = max((part for hit in found for part in hit.why.values()), default=0.0)
    for place, hit in enumerate(found, start=1):
        yield _hit(place, hit, most)


def bullets(told: "Bullets") -> Iterator[RenderableType]:
    """Bullets, each with what it is tied to. Where something was found that did not fit, a warning says so instead."""
    if not told and not told.warnings:
        yield Text("Nothing found.", style="dim")
    for each in told:
        yield Text(f"- {each.text}")
        yield from (Text(f"  ↔ {tied.text}", style="dim") for tied in each.related)


def _hit(place: int, hit: "Hit", most: float) -> RenderableType:
    head = Text.assemble((f"{place:>2}. ", "bold"), (f"{hit.score:.2f}  ", "bold"), *_origin(hit.memory))
    body: list[RenderableType] = [_content(hit.memory), _reasons(hit, most), Text(str(hit.memory.id), style="dim")]
    if hit.also:
        body.append(Text(f"and {len(hit.also)} more of the same message", style="dim"))
    return Group(head, *(Padding(part, (0, 0, 0, 4), expand=False) for part in body), Text())


def _origin(memory: "Memory") -> list[tuple[str, str]]:
    """Who said it, when, and where it stands."""
    source = memory.provenance
    said_by = source.speaker or source.role or source.actor_id or source.agent_id
    kind = memory.kind if memory.type is None else f"{memory.kind}, {memory.type}"
    place = f"{source.thread_id} #{source.turn}" if source.turn is not None else kind
    pieces = [(said_by, "bold magenta"), (when(memory.happened_at), ""), (place, "blue")]
    shown = [(text, style) for text, style in pieces if text]
    return [piece for text, style in shown for piece in ((text, style), (" · ", "dim"))][:-1]


def _content(memory: "Memory") -> Text:
    text = memory.content if len(memory.content) <= _LONG else memory.content[:_LONG] + " …"
    return Text(text)


def _reasons(hit: "Hit", most: float) -> RenderableType:
    """A bar for each part of the score; they add up to it."""
    table = Table.grid(padding=(0, 1))
    parts = sorted(hit.why.items(), key=lambda part: -part[1])
    for name, value in parts:
        if abs(value) >= _LEAST:
            table.add_row(Text(name, style="dim"), _bar(value, most, _COLOURS.get(name, "white")), f"{value:.2f}")
    table.add_row(Text("evidence", style="dim"), _bar(hit.evidence, 1.0, "bright_black"), f"{hit.evidence:.2f}")
    return table


def _bar(value: float, most: float, colour: str) -> Text:
    filled = round(_BAR * max(0.0, value) / most) if most > 0 else 0
    return Text.assemble(("█" * filled, colour), ("░" * (_BAR - filled), "bright_black"))


def memory(found: "Memory") -> Iterator[RenderableType]:
    """One memory with all that is known of it."""
    table = Table.grid(padding=(0, 2))
    for name, value in _facts(found):
        table.add_row(Text(name, style="dim"), Text(value))
    yield Text(found.content)
    yield Text()
    yield table


def _facts(found: "Memory") -> Iterator[tuple[str, str]]:
    source = found.provenance
    facts: dict[str, object] = {
        "id": found.id,
        "kind": found.kind if found.type is None else f"{found.kind} ({found.type})",
        "title": found.title,
        "category": found.category,
        "tags": ", ".join(found.tags),
        "space": found.space,
        "said by": source.speaker or source.role,
        "thread": source.thread_id and f"{source.thread_id} #{source.turn}" if source.turn else source.thread_id,
        "happened": when(found.happened_at),
        "valid": _validity(found),
        "state": f"{found.state}, version {found.version}" + (", pinned" if found.pinned else ""),
        "salience": f"{found.salience:.2f}, recalled {found.access_count} times",
        "importance": f"{found.importance:.2f}, confidence {found.confidence:.2f}",
        "kept": found.ttl_policy,
        "stored": when(found.created_at),
        "purged on": when(found.purge_at) if found.purge_at else None,
        "metadata": found.metadata or None,
    }
    return ((name, str(value)) for name, value in facts.items() if value)


def _validity(found: "Memory") -> str | None:
    if found.valid_from is None and found.valid_until is None:
        return None
    return f"from {when(found.valid_from)} until {when(found.valid_until)}"


def one_line(found: "Memory", done: str) -> Iterator[RenderableType]:
    """What was done with a memory."""
    yield Text.assemble((done, "bold"), " ", (str(found.id), "dim"), "  ", short(found.content))


def page(found: "Page") -> Iterator[RenderableType]:
    """A page of memories, and how to see the next."""
    if not len(found):
        yield Text("Nothing here.", style="dim")
        return
    for row in found:
        aside = f" · {row.state}" if row.state == "archived" else ""
        head = Text.assemble((str(row.id), "dim"), "  ", *_origin(row), aside)
        yield Group(head, Padding(short(row.content, _LISTED), (0, 0, 0, 4), expand=False))
    if found.next:
        yield Text(f"More: --after {found.next}", style="dim")


def history(entries: "Iterable[HistoryEntry]") -> Iterator[RenderableType]:
    """What happened to a memory."""
    for entry in entries:
        version = "" if entry.version is None else f"version {entry.version}"
        by = f"by {entry.actor or entry.agent_id}" if entry.actor or entry.agent_id else ""
        why = entry.reason or "; ".join(f"{key} {_words(value)}" for key, value in entry.detail.items())
        pieces = [piece for piece in (version, by, why) if piece]
        head = Text.assemble(when(entry.at), "  ", (f"{entry.event:<7}", "bold"), "  ", " · ".join(pieces))
        yield Group(head, Padding(short(entry.content, _LISTED), (0, 0, 0, 4))) if entry.content else head


def _words(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def short(text: str, most: int = 100) -> Text:
    """A text in one line, cut where it is too long for one."""
    line = " ".join(text.split())
    return Text(line if len(line) <= most else line[: most - 1] + "…")


def rows(named: "Iterable[tuple[str, object]]") -> RenderableType:
    """Names and values, one beneath the other."""
    table = Table.grid(padding=(0, 2))
    for name, value in named:
        table.add_row(Text(name, style="dim"), value if isinstance(value, Text) else Text(str(value)))
    return table
