"""What `recollect ingest` makes of files, whatever takes the documents."""

import io
from pathlib import Path
from uuid import UUID

import pytest

from recollect.cli.ingest import Intake, Report, documents, shown
from recollect.core.errors import InvalidInput, Unavailable
from recollect.sources.documents import Document, Skipped
from recollect.sources.files import Reading

DATA = Path(__file__).parent.parent / "data" / "sources"


class Shelf:
    """Takes documents and remembers their ids."""

    def __init__(self) -> None:
        self.held: dict[UUID, Document] = {}
        self.refused: dict[str, Exception] = {}

    async def known(self, id: UUID) -> bool:
        return id in self.held

    async def ingest(self, document: Document) -> None:
        for word, error in self.refused.items():
            if word in document.raw:
                raise error
        self.held[document.id] = document

    async def take(self, *paths: Path, **reading: str) -> Report:
        report = Report()
        done: list[int] = []
        intake = Intake(self.known, self.ingest)
        await intake.take(documents(paths, Reading(**reading)), report, done.append)
        assert done == list(range(1, report.seen + 1))
        return report


async def test_new_and_present_and_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The van is booked.")
    (tmp_path / "b.txt").write_text("The van is booked.")
    (tmp_path / "c.png").write_bytes(b"\x89PNG")
    shelf = Shelf()
    report = await shelf.take(tmp_path)
    assert [taken.file for taken in report.new] == ["a.txt"]
    assert [taken.file for taken in report.present] == ["b.txt"]
    assert [Path(each.path).name for each in report.skipped] == ["c.png"]
    again = await shelf.take(tmp_path)
    assert (again.new, len(again.present), len(again.skipped)) == ([], 2, 1)


async def test_one_refused_document_does_not_cost_the_others() -> None:
    shelf = Shelf()
    shelf.refused = {"regatta": InvalidInput("raw", "is too wet")}
    report = await shelf.take(DATA / "mail" / "club.mbox")
    assert [taken.title for taken in report.new] == ["Re: Regatta in Ghent"]
    assert {each.reason for each in report.skipped} == {"raw: is too wet"}


async def test_an_outage_ends_it_with_what_was_taken_known() -> None:
    shelf = Shelf()
    shelf.refused = {"steers": Unavailable("database", "is down")}
    report = Report()
    with pytest.raises(Unavailable):
        await Intake(shelf.known, shelf.ingest).take(
            documents([DATA / "mail" / "club.mbox"], Reading()), report, lambda done: None
        )
    assert len(report.new) == 2


async def test_stdin_is_a_document_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("Grüße aus Köln".encode("cp1252"))))
    report = await Shelf().take(Path("-"), DATA / "notes" / "doctor.txt")
    assert [(taken.source_type, taken.file) for taken in report.new] == [
        ("text-note", None),
        ("text-note", "doctor.txt"),
    ]


@pytest.mark.parametrize(("data", "reason"), [(b" \n", "is empty"), (b"\x00\x01", "is no text")])
async def test_a_pipe_without_words(monkeypatch: pytest.MonkeyPatch, data: bytes, reason: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert (await Shelf().take(Path("-"))).skipped == [Skipped("-", reason)]


async def test_the_report_names_a_few_and_counts_all() -> None:
    report = await Shelf().take(DATA)
    lines = list(shown(report))
    assert lines[0] == "email  Re: Delivery of the greenhouse sensors"
    assert lines[-2] == f"… and {len(report.new) - 20} more"
    assert lines[-1] == f"{len(report.new)} documents ingested."
    report.skipped.append(Skipped("x", "y"))
    report.present.append(report.new[0])
    assert list(shown(report))[-1].endswith("ingested; 1 there already; 1 skipped.")
    assert list(shown(Report())) == ["0 documents ingested."]
