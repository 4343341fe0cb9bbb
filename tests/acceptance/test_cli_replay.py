"""`recollect replay` at the terminal: what would change is shown, taken in part, and let go."""

from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import Result

import recollect.memory
from rereading import BETTER, CHOSE, DECIDED, FERRY, NORA, SAID, Scripted

Run = Callable[..., Result]
Answer = Callable[..., Any]


@pytest.fixture
def script(run: Run, monkeypatch: pytest.MonkeyPatch) -> Scripted:
    """A talk that rules learned from; from now on there is a model."""
    run("chat", "--thread", "chat-1", input="".join(f"{text}\n" for text in SAID))
    script = Scripted(BETTER)
    made = recollect.memory.make_language_model
    monkeypatch.setattr(
        recollect.memory, "make_language_model", lambda settings, _, *more: made(settings, script.model, *more)
    )
    return script


def statements(answer: Answer) -> set[str]:
    return {memory["content"] for memory in answer("list", "--kind", "statement")["memories"]}


def test_a_replay_is_shown_taken_in_part_and_let_go(run: Run, answer: Answer, script: Scripted) -> None:
    shown = run("replay", "--thread", "chat-1").stdout
    assert "by scripted: 5 of 5 messages read; 2 added, 1 changed, 2 retired." in shown
    for line in (f"    - {DECIDED}", f"    + {CHOSE}", f"    - {NORA}", f"    + {FERRY}", "    - employer = Acme"):
        assert line in shown
    assert "chat-1 #3" in shown
    [replay] = answer("replay", "list")
    assert replay["status"] == "ready"
    changes = {change["after"]: change["id"] for change in replay["changes"]}
    assert f"recollect replay accept {replay['id']}" in shown

    taken = answer("replay", "accept", replay["id"], "--only", f"{changes[FERRY]},{changes[CHOSE]}")
    assert {change["after"] for change in taken["changes"] if change["status"] == "accepted"} == {FERRY, CHOSE}
    assert statements(answer) == {FERRY, CHOSE, NORA}
    assert f"{changes[FERRY]}  added statement  chat-1 #3  accepted" in run("replay", "show", replay["id"]).stdout
    assert "is discarded" in run("replay", "discard", replay["id"]).stdout
    assert statements(answer) == {FERRY, CHOSE, NORA}


def test_accepted_whole_nothing_is_left_to_change(run: Run, answer: Answer, script: Scripted) -> None:
    replay = answer("replay", "--thread", "chat-1")
    assert sorted(change["op"] for change in replay["changes"]) == ["added", "added", "changed", "retired", "retired"]
    assert {each["status"] for each in answer("replay", "accept", replay["id"])["changes"]} == {"accepted"}
    assert statements(answer) == {FERRY, CHOSE}
    assert "Nothing would change." in run("replay").stdout


def test_what_the_model_could_not_read_is_said(run: Run, script: Scripted) -> None:
    script.garbage = "Nora"
    assert "Of 1 messages the model gave no answer" in run("replay").stdout


def test_bad_input_is_named(run: Run, script: Scripted) -> None:
    assert "is no id" in run("replay", "show", "seven", ok=2).output
    assert "there is no replay" in run("replay", "discard", "01a1e396-915d-7000-99cf-01177f5047e6", ok=3).output
    assert "since" in run("replay", "--since", "yore", ok=2).output
    assert "nowhere" in run("replay", "--thread", "nowhere", ok=3).output
    assert "No replays." in run("replay", "list").stdout
