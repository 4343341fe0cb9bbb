"""Leaving with everything, and coming back: whole exports and backups at the terminal."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

import servers

Run = Callable[..., Result]
Answer = Callable[..., Any]


@pytest.mark.local  # a cluster has one database for all
def test_a_whole_export_comes_back_whole(run: Run, answer: Answer, tmp_path: Path, server: servers.Server) -> None:
    run("add", "Elephants are grey.")
    run("add", "--role", "user", "--thread", "chat", "I like elephants.")
    out, again = tmp_path / "out.jsonl", tmp_path / "again.jsonl"
    assert answer("export", "--output", str(out))["lines"] > 5
    shown = answer("forget", "--everything", "--dry-run")
    assert shown["counts"]["memory"] >= 2
    with server.fresh_database() as url:
        elsewhere = ("--data-dir", str(tmp_path / "other"), "--database-url", url)
        done = answer("import", str(out), "--no-wait", *elsewhere)
        assert done["rows"] > 5
        run("export", "--output", str(again), *elsewhere)
    assert again.read_bytes() == out.read_bytes()


def test_a_backup_does_not_bring_back_what_was_forgotten(run: Run, answer: Answer, tmp_path: Path) -> None:
    kept = answer("add", "Elephants are grey.")
    run("add", "Whales are blue.", "--user", "bob")
    file = tmp_path / "all.jsonl"
    assert answer("db", "backup", str(file))["spaces"] == 2
    run("forget", kept["id"])
    assert "stay so" in run("db", "restore", str(file)).stdout
    assert answer("search", "elephants")["hits"] == []
    assert answer("search", "whales", "--user", "bob")["hits"][0]["memory"]["content"] == "Whales are blue."
    file.write_text(file.read_text().replace("Whales", "Sharks"))
    assert "checksum" in run("db", "restore", str(file), ok=2).output
    assert "No such file" in run("db", "restore", str(tmp_path / "nothing"), ok=2).output
