"""`recollect import --from` on a real database."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from typer.testing import Result

from recollect.cli.transfer import _left_out

DATA = Path(__file__).parents[1] / "data" / "foreign"


def test_exports_of_others(run: Callable[..., Result], answer: Callable[..., Any]) -> None:
    first = answer("import", DATA / "chatgpt.json", "--from", "chatgpt")
    assert (first["messages"], first["skipped"]) == (4, 0)
    assert first["left_out"]["message of another branch"] == 1
    again = answer("import", DATA / "chatgpt.json", "--from", "auto")
    assert (again["messages"], again["present"]) == (0, 4)
    assert answer("import", DATA / "claude.json", "--from", "auto")["messages"] == 3
    told = run("import", DATA / "mem0-v1.1.json", "--from", "mem0").stdout
    assert "2 memories added" in told
    assert "Left out: 1 relation, 1 empty memory." in told
    assert "2 messages of another branch" in _left_out({"message of another branch": 2})[0]
    assert "2 empty memories" in _left_out({"empty memory": 2})[0]
    [hit, *_] = answer("search", "which seat on the train?", "--kind", "statement")["hits"]
    assert hit["memory"]["content"] == "Prefers window seats on trains"
    assert hit["memory"]["happened_at"].startswith("2026-01-04")
    [turn, *_] = answer("search", "My bakery is called Crumb", "--kind", "turn")["hits"]
    assert turn["memory"]["happened_at"].startswith("2026-01-06")
    assert turn["memory"]["provenance"]["thread_id"] == "chatgpt-6f1c-chat"
    talk = next(each for each in answer("conversations") if each["thread_id"] == "chatgpt-6f1c-chat")
    last = answer("messages", "--thread", "chatgpt-6f1c-chat")[-1]["at"]
    assert talk["said_at"] == last
    assert last.startswith("2026-01-06")
    assert "Jan 2026" in run("conversations").stdout
    assert "paused" in run("pause", "--thread", "chatgpt-6f1c-chat").stdout


def test_what_is_no_export(run: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('[{"b": 1}]', "utf-8")
    assert "objects with b" in run("import", tmp_path / "x.json", "--from", "auto", ok=2).output
    assert "--from: must be one of" in run("import", tmp_path / "x.json", "--from", "gemini", ok=2).output
    assert "stdin" in run("import", "-", "--from", "auto", ok=2).output
