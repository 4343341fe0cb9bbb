"""`recollect query`: an agent's question at the terminal, held to its allowlist."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def test_query_answers_in_bullets_within_the_allowlist(
    run: Run, answer: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "categories.yaml"
    file.write_text("allowlists:\n  planner: [tasks]\n")
    monkeypatch.setenv("RECOLLECT_CATEGORIES", str(file))
    run("add", "Deploy the site on Friday.", "--category", "tasks", "--importance", "0.9")
    run("add", "The site has a blue tone.", "--category", "tone")
    both = answer("query", "site")["bullets"]
    assert {bullet["category"] for bullet in both} == {"tasks", "tone"}
    [bullet] = answer("query", "site", "--user", "me", "--agent", "planner")["bullets"]
    assert bullet["text"] == "[tasks] Deploy the site on Friday."
    assert run("query", "site", "--user", "me", "--agent", "planner").stdout.strip() == "- " + bullet["text"]
    refused = run("query", "site", "--user", "me", "--agent", "planner", "--category", "tone", ok=7)
    assert "category tone" in refused.stderr
    assert "on no allowlist" in run("query", "site", "--user", "me", "--agent", "stranger", ok=7).stderr
    [weighty] = answer("query", "site", "--filter", "importance_min=4", "--filter", "pinned=false", "--full")["bullets"]
    assert (weighty["importance"], weighty["kind"]) == (5, "statement")
    assert "is not NAME=VALUE" in run("query", "site", "--filter", "pinned", ok=2).stderr
    assert "--filter colour" in run("query", "site", "--filter", "colour=red", ok=2).stderr
    assert "Nothing found" in run("query", "site", "--filter", "role=assistant").stdout


def test_a_bad_file_is_an_error_that_names_the_line(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "categories.yaml"
    file.write_text("allowlists:\n  planner: tasks\n")
    monkeypatch.setenv("RECOLLECT_CATEGORIES", str(file))
    assert "line 2: allowlists.planner must be a list" in run("query", "site", ok=2).stderr


def test_what_does_not_fit_into_the_budget_is_not_told_as_nothing_found(run: Run) -> None:
    run("add", "Deploy the site on Friday.", "--category", "tasks")
    small = run("query", "site", "--budget-tokens", "1")
    assert "Nothing found" not in small.stdout
    assert "1 of 1 memories were left out: they do not fit into 1 tokens" in small.stderr
    assert "left out" not in run("query", "site").stderr
