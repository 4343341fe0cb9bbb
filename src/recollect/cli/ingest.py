"""`recollect ingest`: files and folders become sources."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from recollect.cli.command import Call, command
from recollect.cli.filters import json_object
from recollect.cli.memories import checked_id
from recollect.cli.output import stdin
from recollect.cli.transfer import searchable
from recollect.core.check import optional_moment
from recollect.core.errors import Conflict, InvalidInput
from recollect.core.scope import SENSITIVITIES

if TYPE_CHECKING:
    from recollect.memory import Recollect, ScopedMemory
    from recollect.sources.documents import Document, Skipped
    from recollect.sources.files import Found, Reading

app = typer.Typer()

_STDIN = Path("-")
_MOST_SHOWN = 20
_OF_MANY = (".mbox", ".mbx", ".zip")


@dataclass(frozen=True, slots=True)
class Taken:
    """A document that is a source now, or was one already."""

    id: UUID
    source_type: str
    title: str | None
    file: str | None


@dataclass(slots=True)
class Report:
    """What became of the documents."""

    new: list[Taken] = field(default_factory=list)
    present: list[Taken] = field(default_factory=list)
    skipped: "list[Skipped]" = field(default_factory=list)

    @property
    def seen(self) -> int:
        """All of them."""
        return len(self.new) + len(self.present) + len(self.skipped)


@command(app, "ingest", without=("team", "sensitivity"))
async def ingest(
    call: Call,
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH…",
            help="Files and folders: .eml, .mbox, exports of Slack (folder or .zip), .vtt, .srt, .md, .txt, .html;"
            " `-` reads stdin.",
            show_default=False,
        ),
    ],
    type: Annotated[
        str | None,
        typer.Option(
            help="meeting, voice-memo, email, slack-thread, text-note, artifact…; if not given, what each is."
        ),
    ] = None,
    title: Annotated[str | None, typer.Option(help="A title; for one document.")] = None,
    sensitivity: Annotated[str, typer.Option(help="low, normal or high.")] = "normal",
    ttl: Annotated[str, typer.Option(help="How long it lasts: keep_forever, ephemeral or decay.")] = "decay",
    context: Annotated[str | None, typer.Option(help="What it belongs to, as in work or family.")] = None,
    participant: Annotated[
        list[str] | None, typer.Option(help="Who took part, whatever the document tells; may be repeated.")
    ] = None,
    started: Annotated[
        str | None, typer.Option(help="When it began, as in 2026-03-01T10:00+01:00, whatever the document tells.")
    ] = None,
    ended: Annotated[str | None, typer.Option(help="When it ended, likewise.")] = None,
    metadata: Annotated[
        str | None, typer.Option(help="A JSON object to keep with each, beside what the document tells.")
    ] = None,
    id: Annotated[str | None, typer.Option(help="An id of your own; for one document.")] = None,
    team: Annotated[str | None, typer.Option(help="Share it with this team: stored once, in the team's space.")] = None,
    wait: Annotated[bool, typer.Option(help="Wait until all of it can be found and is in the graph.")] = True,
) -> None:
    """Ingest documents. The same one twice is one source, wherever it lies; run it again after a crash to go on."""
    _check(paths, {"title": title, "id": id}, sensitivity)
    chosen, attached = None if id is None else checked_id(id), json_object("metadata", metadata) or {}
    given = {"sensitivity": sensitivity, "ttl_policy": ttl, "context_type": context, "team_id": team}
    instead = {
        "participants": tuple(participant or ()),
        "started_at": optional_moment("started", started),
        "ended_at": optional_moment("ended", ended),
    }
    from recollect.sources.files import Reading, count

    report = Report()
    async with call.memory(worker=True) as opened:
        memory = _scope(call, opened, team)
        reading = Reading(type, opened.settings.source_bytes)
        intake = Intake(
            known=partial(_is_known, opened, memory, team),
            ingest=partial(_ingest, memory, given, instead),
        )
        total = await asyncio.to_thread(count, _on_disk(paths)) + (_STDIN in paths)
        with call.out.progress("Ingesting") as advance:
            try:
                await intake.take(
                    documents(paths, reading, title, chosen, attached),
                    report,
                    lambda done: advance(done, max(total, done)),
                )
            except BaseException:
                call.out.remark(f"{len(report.new)} documents were ingested; run the same command again to go on.")
                raise
        for each in report.skipped:
            call.out.remark(f"skipped {each.path}: {each.reason}")
        if wait and (report.new or report.present):
            await searchable(call.out, opened, "Understanding" if report.new else "Finishing what was begun")
    call.out.answer(report, lambda: shown(report))


def _check(paths: Sequence[Path], of_one: dict[str, str | None], sensitivity: str) -> None:
    """Before a server is started for it."""
    for path in _on_disk(paths):
        if not path.exists():
            raise InvalidInput("paths", f"there is no file {path}")
    if sensitivity not in SENSITIVITIES:
        raise InvalidInput("sensitivity", f"must be one of {', '.join(SENSITIVITIES)}")
    if len(paths) > 1 or paths[0].is_dir() or paths[0].suffix.lower() in _OF_MANY:
        for name, value in of_one.items():
            if value is not None:
                raise InvalidInput(name, "is for one document")


def _on_disk(paths: Sequence[Path]) -> list[Path]:
    return [path for path in paths if path != _STDIN]


def _scope(call: Call, opened: "Recollect", team: str | None) -> "ScopedMemory":
    """The scope of the command line, of the team too. Whoever holds the files may see what is made of them."""
    return replace(call, team=None if team is None else [team], sensitivity="high").scope(opened)


async def _is_known(opened: "Recollect", memory: "ScopedMemory", team: str | None, id: UUID) -> bool:
    from recollect.records import store

    space = memory.scope.space if team is None else memory.scope.team_space(team)
    async with opened.parts.database.transaction(space) as connection:
        return bool(await store.get(connection, space, [id]))


async def _ingest(memory: "ScopedMemory", given: dict[str, Any], instead: dict[str, Any], document: "Document") -> None:
    """`instead` counts more than what a document tells of itself."""
    told = {name: value or getattr(document, name) for name, value in instead.items()}
    await memory.ingest(
        document.raw,
        document.source_type,
        title=document.title,
        metadata=document.metadata,
        id=document.id,
        **told,
        **given,
    )


# Reading and taking


def documents(
    paths: Sequence[Path],
    reading: "Reading",
    title: str | None = None,
    id: UUID | None = None,
    metadata: dict[str, Any] | None = None,
) -> "Iterator[Found]":
    """What lies under the paths, in their order, stdin among them; with a title, id and metadata that are given."""
    from recollect.sources.documents import Document

    for path in paths:
        for each in _found(path, reading):
            if not isinstance(each, Document):
                yield each
                continue
            kept = {**each.metadata, **(metadata or {})}
            yield replace(each, title=title or each.title, id=id or each.id, metadata=kept)


def _found(path: Path, reading: "Reading") -> "Iterator[Found]":
    from recollect.sources import files

    if path == _STDIN:
        yield files.of_bytes(stdin().read().encode("utf-8", "surrogateescape"), reading)
    else:
        yield from files.read([path], reading)


@dataclass(frozen=True, slots=True)
class Intake:
    """Where documents go."""

    known: Callable[[UUID], Awaitable[bool]]
    ingest: "Callable[[Document], Awaitable[None]]"

    async def take(self, found: "Iterator[Found]", report: Report, advance: Callable[[int], None]) -> None:
        """Ingest documents one after the other, and write down what became of each."""
        # Files are read on a thread, so that background work goes on meanwhile.
        while (each := await asyncio.to_thread(next, found, None)) is not None:
            await self._one(each, report)
            advance(report.seen)

    async def _one(self, each: "Found", report: Report) -> None:
        from recollect.sources.documents import Skipped

        if isinstance(each, Skipped):
            report.skipped.append(each)
            return
        taken = Taken(each.id, each.source_type, each.title, each.metadata.get("file"))
        if await self.known(each.id):
            report.present.append(taken)
            return
        try:
            await self.ingest(each)
        except (InvalidInput, Conflict) as error:
            report.skipped.append(Skipped(taken.file or str(_STDIN), str(error)))
        else:
            report.new.append(taken)


def shown(report: Report) -> Iterator[str]:
    """The report for people."""
    for taken in report.new[:_MOST_SHOWN]:
        yield f"{taken.source_type}  {taken.title or taken.file or taken.id}"
    if len(report.new) > _MOST_SHOWN:
        yield f"… and {len(report.new) - _MOST_SHOWN:,} more"
    parts = [f"{_counted(len(report.new), 'document')} ingested"]
    if report.present:
        parts.append(f"{len(report.present):,} there already")
    if report.skipped:
        parts.append(f"{len(report.skipped):,} skipped")
    yield "; ".join(parts) + "."


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
