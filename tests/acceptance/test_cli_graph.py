"""Walks and explorations at the terminal."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from typer.testing import Result

from conftest import MovedClock
from graphs import Arrow, Node, write

Run = Callable[..., Result]


class At:
    """The address of a test's database, as the writer of graphs wants it."""

    def __init__(self, url: str) -> None:
        self.database_url = url


def test_walks(run: Run, answer: Callable[..., Any], database_url: str, clock: MovedClock) -> None:
    run("list")  # brings the database up to date
    sarah, acme, pay, alone = Node("Sarah Chen", "person"), Node("Acme Corp"), Node("Payments", "concept"), Node("Moon")
    arrows = [Arrow(sarah, acme, "works_at", 0.8), Arrow(pay, acme, "part_of", 0.6)]
    write(At(database_url), "user:me", [sarah, acme, pay, alone], arrows, clock.now)  # type: ignore[arg-type]
    shown = run("traverse", str(sarah.id)).stdout
    assert "Sarah Chen -works_at-> Acme Corp (0.8)" in shown
    assert "2 away: Payments (concept)" in shown
    told = answer("traverse", str(sarah.id), "--depth", "1", "--type", "works_at")
    assert [node["memory"]["title"] for node in told["nodes"]] == ["Acme Corp"]
    assert "Payments -part_of-> Acme Corp" in run("path", str(sarah.id), str(pay.id)).stdout
    assert len(answer("path", str(sarah.id), str(pay.id))["relations"]) == 2
    assert answer("path", str(sarah.id), str(alone.id)) is None
    assert "No path of at most 6 relations." in run("path", str(sarah.id), str(alone.id)).stdout
    assert "no node with the name 'x'" in run("path", "x", "y", ok=3).output
    assert "there is no memory" in run("traverse", str(uuid4()), ok=3).output


def test_exploring(run: Run, answer: Callable[..., Any]) -> None:
    nothing = run("explore", "the job", "-g", "3")
    assert "Nothing found." in nothing.stdout
    assert "-g 1" in nothing.stderr
    assert "-g 1" not in run("explore", "the job", "-g", "1").stderr
    assert answer("explore", "the job") == {"granularity": 2, "within": None, "hits": [], "relations": []}
    assert "queries" in run("explore", ok=2).output
