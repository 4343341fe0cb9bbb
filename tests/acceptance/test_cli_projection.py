"""The graph in Neo4j at the terminal."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from test_cli_graph import At
from typer.testing import Result

from bolt import ask
from conftest import MovedClock
from graphs import Arrow, Node, write
from recollect.graph.projection.server import DevServer

Run = Callable[..., Result]

pytestmark = pytest.mark.xdist_group("neo4j")


def test_without_neo4j(run: Run, answer: Callable[..., Any]) -> None:
    assert "Neo4j is not configured" in run("graph", "status").stdout
    told = answer("graph", "status")
    assert (told["url"], told["spaces"]) == (None, [])
    assert "not configured" in run("graph", "verify", ok=5).output
    assert "not configured" in run("graph", "rebuild", ok=5).output


def test_patterns(run: Run, answer: Callable[..., Any], database_url: str, clock: MovedClock) -> None:
    run("list")
    ann, bob, acme = Node("Ann", "person"), Node("Bob", "person"), Node("Acme")
    arrows = [Arrow(ann, acme, "works_at", 0.8), Arrow(bob, acme, "works_at", 0.4)]
    write(At(database_url), "user:me", [ann, bob, acme], arrows, clock.now)  # type: ignore[arg-type]
    shown = run("match", "person", "works_at", "entity", "~works_at", "any", "--name", "0=Ann").stdout
    assert shown.strip() == "Ann -works_at-> Acme <-works_at- Bob"
    assert len(answer("match", "person", "any", "entity")) == 2
    assert "Nothing lies so." in run("match", "concept", "any", "any").stdout
    assert "chain" in run("match", "person", "works_at", ok=2).output
    assert "name" in run("match", "person", "any", "any", "--name", "Ann", ok=2).output


def test_rebuilding_and_comparing(
    run: Run,
    answer: Callable[..., Any],
    database_url: str,
    clock: MovedClock,
    neo4j: dict[str, Any],
    neo4j_server: DevServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in neo4j.items():
        monkeypatch.setenv(f"RECOLLECT_{name.upper()}", value)
    run("list")
    ann, acme = Node("Ann", "person"), Node("Acme")
    write(At(database_url), "user:me", [ann, acme], [Arrow(ann, acme)], clock.now)  # type: ignore[arg-type]
    assert "3 nodes and relations of 1 space copied." in run("graph", "rebuild").stdout
    assert "Equal: 2 nodes and 1 relations of 1 space." in run("graph", "verify").stdout
    shown = run("graph", "status").stdout
    assert "Neo4j 5.26" in shown
    assert "Nothing waits: Neo4j has all of 1 space." in shown
    ask(neo4j_server, "MATCH (n:Person) SET n.name = 'Anna'")
    shown = run("graph", "verify", ok=1).stdout
    assert f"node {ann.id} in user:me: different (name)" in shown
    told = answer("graph", "verify", "--space", "user:me", ok=1)
    assert told["differences"][0]["fields"] == ["name"]
    assert "no space user:nobody" in run("graph", "rebuild", "--space", "user:nobody", ok=3).output
    assert "no space user:nobody" in run("graph", "verify", "--space", "user:nobody", ok=3).output
    assert answer("graph", "rebuild", "--space", "user:me") == {"spaces": 1, "copied": 3}
    assert answer("graph", "verify")["differences"] == []


def test_a_neo4j_that_is_away_or_wrong(run: Run, answer: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_NEO4J_URL", "bolt://127.0.0.1:1")
    assert "does not answer" in run("graph", "status", ok=5).stdout
    assert answer("graph", "status", ok=5)["problem"].startswith("Neo4j: ")
    monkeypatch.setenv("RECOLLECT_NEO4J_URL", "http://127.0.0.1:7474")
    assert "neo4j_url: " in run("graph", "status", ok=2).output


def serving(home: Path) -> "subprocess.Popen[str]":
    """A server of somebody at a terminal."""
    program = [sys.executable, "-c", "from recollect.cli import main; main()"]
    command = [*program, "graph", "dev-server", "--home", str(home), "--json"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True, start_new_session=True
    )


def javas(home: Path) -> list[int]:
    """The Neo4js that run there."""
    return [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if f"--home-dir={home}" in (process.info["cmdline"] or ())
    ]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_server_to_try_it_with(neo4j_server: DevServer, tmp_path: Path, number: signal.Signals) -> None:
    with serving(tmp_path / "home") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        told = process.stdout.readline()
        assert '"neo4j_url": "bolt://127.0.0.1:' in told, process.stderr.read()
        assert len(javas(tmp_path / "home")) == 1
        process.send_signal(number)
        assert process.wait(90) == 0
    assert javas(tmp_path / "home") == []
    assert (tmp_path / "home" / "password").stat().st_mode & 0o777 == 0o600


def test_a_server_that_is_stopped_before_it_runs(neo4j_server: DevServer, tmp_path: Path) -> None:
    with serving(tmp_path / "home") as process:
        assert process.stderr is not None
        while not javas(tmp_path / "home"):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        told = process.stderr.read()
        assert process.wait(90) == 0
    assert "Traceback" not in told
    assert "Stopped." in told
    assert javas(tmp_path / "home") == []
