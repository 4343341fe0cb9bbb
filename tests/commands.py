"""Commands, run in this process on a real database with the fake embedder."""

import json
import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.testing
from typer.main import get_command
from typer.testing import CliRunner, Result

from recollect.cli import app

Run = Callable[..., Result]

# The runner makes all commands anew for each one that it runs, which takes longer than most of them.
typer.testing._get_command = cache(get_command)


@pytest.fixture
def run(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Run a command on the test's database."""
    for name in [name for name in os.environ if name.startswith("RECOLLECT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("RECOLLECT_DATABASE_URL", database_url)
    monkeypatch.setenv("RECOLLECT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "fake")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()

    def invoke(*arguments: str, ok: int = 0, input: str | None = None) -> Result:
        result = runner.invoke(app, [str(argument) for argument in arguments], input=input)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == ok, result.output
        return result

    return invoke


@pytest.fixture
def answer(run: Run) -> Callable[..., Any]:
    """Run a command with --json; what it answered."""

    def invoke(*arguments: str, ok: int = 0, input: str | None = None) -> Any:
        return json.loads(run(*arguments, "--json", ok=ok, input=input).stdout)

    return invoke
