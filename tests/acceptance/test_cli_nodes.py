"""People, concepts and things at the terminal: seen, noted on, related, made one and parted."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Run = Callable[..., Result]
Answer = Callable[..., Any]
NOTE = "Sarah Chen works at Acme Robotics. Sarah Marsh works at Bolt Labs. Sarah Chen met Sarah Marsh in Lisbon."


@pytest.fixture
def ids(run: Run, answer: Answer, tmp_path: Path) -> dict[str, str]:
    """The ids of the nodes that a document names."""
    note = tmp_path / "note.txt"
    note.write_text(NOTE)
    run("ingest", str(note))
    return {node["title"]: node["id"] for node in answer("node", "list")}


def people(answer: Answer) -> set[str]:
    return {node["title"] for node in answer("node", "list", "--kind", "person")}


def test_a_node_is_meant_by_its_name(run: Run, answer: Answer, ids: dict[str, str]) -> None:
    assert people(answer) == {"Sarah Chen", "Sarah Marsh"}
    assert "No nodes." in run("node", "list", "Nobody").stdout
    assert answer("node", "show", "acme")["node"]["id"] == ids["Acme Robotics"]
    assert "Acme Robotics  organisation" in run("node", "show", ids["Acme Robotics"]).stdout
    assert answer("node", "show", "sarah marsh")["node"]["id"] == ids["Sarah Marsh"]
    several = run("node", "show", "sarah", ok=2).output
    assert "may be any of these" in several
    assert ids["Sarah Chen"] in several
    assert "no node with the name 'Tom'" in run("node", "show", "Tom", ok=3).output


def test_notes_and_relations(run: Run, answer: Answer, ids: dict[str, str]) -> None:
    note = answer("node", "note", "Sarah Chen", "Sarah likes tea.", "--lifetime", "year")
    assert note["lifetime"] == "year"
    assert "Sarah prefers coffee." in run("node", "edit-note", note["id"], "Sarah prefers coffee.").stdout
    tie = answer("node", "relate", "Sarah Chen", "mentors", "Sarah Marsh", "--description", "They meet on Mondays.")
    shown = run("node", "show", "Sarah Chen").stdout
    assert "Sarah prefers coffee." in shown
    assert "Sarah Chen -mentors-> Sarah Marsh: They meet on Mondays." in shown
    assert "Sarah Chen -mentors-> Sarah Marsh" in run("traverse", "Sarah Marsh", "--type", "mentors").stdout
    path = answer("path", "Sarah Marsh", "Sarah Chen", "--type", "mentors")
    assert [relation["id"] for relation in path["relations"]] == [tie["id"]]
    assert answer("node", "edit-relation", tie["id"], "--strength", "0.9")["strength"] == 0.9
    assert "nothing to change" in run("node", "edit-relation", tie["id"], ok=2).output
    assert "(until " in run("node", "end-relation", tie["id"]).stdout
    assert "-mentors->" not in run("node", "show", "Sarah Chen").stdout
    assert "Removed: Sarah prefers coffee." in run("node", "remove-note", note["id"]).stdout
    assert note["id"] not in [each["id"] for each in answer("node", "show", "Sarah Chen")["notes"]]
    assert "lifetime" in run("node", "note", "Sarah Chen", "Hm.", "--lifetime", "aeon", ok=2).output


def test_two_nodes_become_one_and_two_again(run: Run, answer: Answer, ids: dict[str, str]) -> None:
    assert "No merges." in run("node", "merges").stdout
    merged = answer("node", "merge", "Sarah Chen", "Sarah Marsh")
    assert people(answer) == {"Sarah Chen"}
    assert answer("node", "show", "Sarah Marsh")["node"]["id"] == ids["Sarah Chen"]
    assert "Sarah Chen and Sarah Marsh  person, merged" in run("node", "merges", "--status", "all").stdout
    assert answer("node", "unmerge", merged["id"])["status"] == "undone"
    assert people(answer) == {"Sarah Chen", "Sarah Marsh"}
    assert "is no id" in run("node", "decide-merge", "x", "--accept", ok=2).output
