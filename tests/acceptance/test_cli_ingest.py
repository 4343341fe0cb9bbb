"""`recollect ingest` on a real database."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from typer.testing import Result

Run = Callable[..., Result]

DATA = Path(__file__).parent.parent / "data" / "sources"


def test_a_folder_is_ingested_once(answer: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "photo.png").write_bytes(b"\x89PNG\r\n\x00")
    first = answer("ingest", DATA, tmp_path / "photo.png")
    assert len(first["new"]) == 27
    assert first["present"] == []
    assert [Path(each["path"]).name for each in first["skipped"]] == ["photo.png"]
    again = answer("ingest", DATA / "mail", "--no-wait")
    assert again["new"] == []
    assert len(again["present"]) == 15
    hits = answer("search", "who pays the deposit for the Leeds warehouse", "--kind", "source")["hits"]
    assert any("Leeds" in (hit["memory"]["title"] or "") for hit in hits)


def test_what_a_source_is(answer: Callable[..., Any]) -> None:
    mail = DATA / "mail" / "03-outlook-reply.eml"
    [taken] = answer("ingest", mail, "--title", "Lease", "--sensitivity", "low")["new"]
    source = answer("get", taken["id"])
    assert (source["kind"], source["type"], source["title"]) == ("source", "email", "Lease")
    assert source["sensitivity"] == "low"
    assert source["metadata"]["file"] == "03-outlook-reply.eml"
    assert source["data"]["participants"] == ["Folake Adeyemi", "Paolo Rossi"]
    assert source["happened_at"].startswith("2026-03-03T14:02:11")


def test_stdin_and_a_type(run: Run, answer: Callable[..., Any]) -> None:
    told = run("ingest", "-", "--type", "artifact", "--title", "Plan", input="We launch on 14 April.")
    assert "artifact  Plan" in told.stdout
    assert "1 document ingested." in told.stdout
    assert answer("ingest", "-", input="We launch on 14 April.\n")["present"] != []


def test_sensitive_documents_are_ingested_and_known_again(answer: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("The diagnosis is confidential.")
    assert len(answer("ingest", tmp_path / "note.txt", "--sensitivity", "high")["new"]) == 1
    assert len(answer("ingest", tmp_path / "note.txt")["present"]) == 1
    assert answer("search", "diagnosis")["hits"] == []
    assert answer("search", "diagnosis", "--sensitivity", "high")["hits"] != []


def test_a_teams_documents_are_its_own(answer: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("The team meets on Friday.")
    assert len(answer("ingest", tmp_path / "note.txt", "--team", "rowers")["new"]) == 1
    assert len(answer("ingest", tmp_path / "note.txt", "--team", "rowers")["present"]) == 1
    assert len(answer("ingest", tmp_path / "note.txt")["new"]) == 1


def test_a_team_is_read_and_left(run: Run, answer: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("Sarah Chen coaches the rowers on Friday.")
    answer("ingest", tmp_path / "note.txt", "--team", "rowers", "--user", "bob")
    assert answer("search", "rowers", "--kind", "source")["hits"] == []
    [hit] = answer("search", "rowers", "--kind", "source", "--team", "rowers")["hits"]
    assert "coaches" in hit["memory"]["content"]
    answer("jobs", "run", "catch_up")
    assert "of rowers" in run("sources", "leave-team", "rowers").stdout


def test_what_is_said_of_a_document_counts_more_than_what_it_tells(
    run: Run, answer: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "note.txt").write_text("We talked about the budget.")
    given = ("--participant", "Ada Moss", "--participant", "Tom Weber", "--started", "2026-03-01T10:00+01:00")
    [taken] = answer("ingest", tmp_path / "note.txt", *given, "--ttl", "keep_forever", "--context", "work")["new"]
    source = answer("get", taken["id"])
    assert source["data"]["participants"] == ["Ada Moss", "Tom Weber"]
    assert source["happened_at"].startswith("2026-03-01T09:00:00")
    assert source["ttl_policy"] == "keep_forever"
    assert "started" in run("ingest", tmp_path / "note.txt", "--started", "soon", ok=2).output
    (tmp_path / "other.txt").write_text("Other words.")
    assert "ttl" in run("ingest", tmp_path / "other.txt", "--ttl", "aeon").output


def test_wrong_command_lines(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("words")
    assert "there is no file" in run("ingest", tmp_path / "missing.txt", ok=2).output
    assert "sensitivity" in run("ingest", tmp_path / "a.txt", "--sensitivity", "secret", ok=2).output
    assert "title" in run("ingest", tmp_path, "--title", "One", ok=2).output
    run("ingest", ok=2)


def test_what_is_there_and_not_yet_understood_is_waited_for(
    run: Run, answer: Callable[..., Any], tmp_path: Path
) -> None:
    """Ingested without waiting, or by a process that died: the same command again brings it to its end."""
    note = tmp_path / "note.txt"
    note.write_text("Sarah Chen works at Acme Robotics.")
    run("ingest", str(note), "--no-wait")
    assert "1 there already" in run("ingest", str(note)).stdout
    assert [source["status"] for source in answer("sources", "list")] == ["extracted"]
