"""Forgetting at the terminal: shown first, done with a token, listed without a word of it, lifted."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from typer.testing import Result

Run = Callable[..., Result]
Answer = Callable[..., Any]


def test_a_person_is_shown_forgotten_listed_and_lifted(run: Run, answer: Answer, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("Zelda Quist works at Doppler Group. The bridge is closed.")
    run("ingest", str(note))
    run("add", "It rains.", "--role", "user", "--thread", "with-zelda-quist")
    shown = run("forget", "--person", "Zelda Quist", "--dry-run").stdout
    assert "It would come to this: " in shown
    assert "Zelda Quist works at Doppler Group." in shown
    assert "Kept, as you chose them yourself, though they name it: 1 thread id." in " ".join(shown.split())
    token = re.search(r"Token: (\w+)", shown)[1]
    assert "token" in run("forget", "--person", "Zelda", "--token", token, ok=4).output
    receipt = answer("forget", "--person", "Zelda Quist", "--token", token)
    assert receipt["check"]["left"] == 0
    assert receipt["keys"] == {"thread": 1}
    assert "zelda" not in str(receipt).casefold()
    assert answer("node", "list", "Zelda") == []
    assert "bridge" in answer("search", "bridge")["hits"][0]["memory"]["content"]
    [stone] = answer("tombstones")
    assert stone["id"] in run("tombstones").stdout
    assert "tombstone" in run("add", "Zelda Quist called.", ok=4).output
    assert "Lifted: " in run("lift", stone["id"]).stdout
    assert "No tombstones." in run("tombstones").stdout
    assert "Added" in run("add", "Zelda Quist called.").stdout


def test_everything_needs_a_token(run: Run, answer: Answer) -> None:
    run("add", "Elephants are grey.")
    run("add", "--role", "user", "--thread", "chat", "I like elephants.")
    assert "token" in run("forget", "--everything", ok=2).output
    assert "token" in run("forget", "--query", "elephants", ok=2).output
    assert answer("forget", "--message", "chat", "1")["counts"]["messages"] == 1
    shown = answer("forget", "--everything", "--dry-run")
    run("forget", "--everything", "--token", shown["token"])
    assert answer("list") == [] or answer("list")["memories"] == []


def test_what_was_forgotten_is_added_with_lift(run: Run, answer: Answer) -> None:
    added = answer("add", "Elephants are grey.")
    assert "Forgotten: 1 statement removed." in run("forget", added["id"]).stdout
    assert "lift" in run("add", "Elephants are grey.", ok=4).output
    assert "Added" in run("add", "Elephants are grey.", "--lift").stdout
    assert "one thing" in run("forget", ok=2).output
