"""Every verb of the library has a command, and every argument of a verb an option: found in the classes themselves."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import typer
from typer.testing import Result

from assistants import PROGRAM
from recollect.cli import words
from recollect.wire.verbs import VERBS
from typed import (
    COMMANDS,
    IDS,
    MORE,
    NO_COMMAND,
    OPTIONS,
    OTHER_DEFAULTS,
    WITHOUT,
    arguments_of,
    command_of,
    defaults_of,
    option_of,
    program,
    verbs,
)

Run = Callable[..., Result]


@pytest.mark.parametrize("verb", sorted(set(verbs()) - set(NO_COMMAND)))
def test_a_verb_has_a_command_with_an_option_for_each_argument(verb: str) -> None:
    for argument in arguments_of(verb) - set(WITHOUT):
        assert option_of(verb, argument), f"`recollect {command_of(verb)}` has no option for {argument}"
    assert option_of(verb, "json")


@pytest.mark.parametrize("verb", sorted(set(verbs()) - set(NO_COMMAND)))
def test_what_is_not_typed_is_what_is_not_given(verb: str) -> None:
    for argument, default in defaults_of(verb).items():
        option = option_of(verb, argument)
        if option is not None and f"{verb} {argument}" not in OTHER_DEFAULTS:
            typed = getattr(option.default, "value", option.default)
            assert (typed or None) == (default or None), argument


def test_every_verb_is_a_command_in_its_own_words(run: Run) -> None:
    """As the library, the server's paths and the client have them; in Python's spelling too."""
    for verb in VERBS:
        for name in (verb.name, verb.name.replace("_", "-")):
            command = program().get_command(typer.Context(program()), name)
            assert command is not None, f"`recollect {name}` is no command"
            assert command.callback is not None, f"`recollect {name}` does nothing alone"
    assert "Usage: recollect add-note" in run("add-note", "--help").stdout
    assert {verb.name.replace("_", "-") for verb in VERBS} >= words.VERBS.keys()


def test_exceptions_are_of_verbs_that_exist() -> None:
    known = set(verbs())
    assert {*COMMANDS, *OPTIONS, *NO_COMMAND, *MORE, *(each.split()[0] for each in OTHER_DEFAULTS)} <= known
    arguments = {argument for verb in known for argument in arguments_of(verb)}
    assert set(WITHOUT) | set(IDS) <= arguments


Answer = Callable[..., Any]


def test_many_are_added_found_changed_and_deleted(run: Run, answer: Answer) -> None:
    lines = '{"content": "Ines rows at dawn.", "tags": ["boat"]}\n{"content": "Ines sells nets.", "importance": 0.9}\n'
    first, second = answer("add-many", "-", input=lines)
    found = answer("search-many", "who rows", "who sells nets", "-n", "1")
    assert [[hit["memory"]["id"] for hit in each["hits"]] for each in found] == [[first["id"]], [second["id"]]]
    assert "who sells nets" in run("search-many", "who rows", "who sells nets").stdout
    said = ("--content", "Ines rows at dusk.", "--if-version", "1", "--pinned", "--title", "Rowing")
    changed = answer("update", first["id"], *said)
    assert (changed["content"], changed["pinned"], changed["version"]) == ("Ines rows at dusk.", True, 2)
    assert (changed["title"], changed["tags"]) == ("Rowing", ["boat"])
    assert answer("update", first["id"], "--clear", "title", "--clear", "tags", "--not-pinned")["title"] is None
    run("update", first["id"], "--content", "No.", "--if-version", "1", ok=4)
    assert [row["id"] for row in answer("list", "--min-importance", "0.8")["memories"]] == [second["id"]]
    assert answer("delete-all", "--max-importance", "0.6") == 1
    assert [row["id"] for row in answer("list")["memories"]] == [second["id"]]
    assert answer("delete-all", "--everything") == 1
    spoken = '[{"role": "user", "content": "Ahoy."}, {"role": "assistant", "content": "Ahoy!"}]'
    assert [each["turn"] for each in answer("add-many", "-", "--messages", "-t", "sea", input=spoken)] == [1, 2]


def test_nothing_of_many_is_added_where_one_is_wrong(run: Run, answer: Answer) -> None:
    bad = '{"content": "Ines rows."}\n{"content": "Ines sells nets.", "importance": 7}\n'
    assert "[1].importance" in run("add-many", "-", input=bad, ok=2).stderr
    assert answer("list")["memories"] == []


def test_a_conversation_is_begun_set_aside_and_ended(run: Run, answer: Answer) -> None:
    begun = answer("conversation", "--thread", "sea", "--title", "At sea")
    assert (begun["thread_id"], begun["title"], begun["status"]) == ("sea", "At sea", "active")
    assert "sea" in run("conversation", "--thread", "sea").stdout
    assert answer("pause", "-t", "sea")["status"] == "paused"
    assert answer("resume", "-t", "sea")["status"] == "active"
    ended = answer("end", "-t", "sea", "--outcome", "We came home.")
    assert (ended["status"], ended["outcome"]) == ("ended", "We came home.")
    assert answer("conversation", "-t", "brief", "--no-remember")["remember"] is False
    run("end", "-t", "brief")
    assert [each["thread_id"] for each in answer("conversations")] == ["sea"]
    run("pause", "-t", "nowhere", ok=3)


def test_a_context_takes_more_and_is_acknowledged(run: Run, answer: Answer) -> None:
    answer("conversation", "-t", "sea")
    answer("add", "Ines rows at dawn.")
    asked = ("context", "When does Ines row?", "-t", "sea", "--tokens", "600", "--extra", "The tide turns at six.")
    first = answer(*asked, "--ack")["text"]
    assert "The tide turns at six." in first
    assert "Memory updates since" in first
    assert "Memory updates since" not in answer(*asked)["text"]


def test_changes_are_watched(run: Run) -> None:
    run("add", "Ines rows at dawn.")
    run("add", "Ines sells nets.")
    shown = run("watch", "--after", "0", "--limit", "2").stdout.splitlines()
    assert [line.split()[0] for line in shown] == ["1", "2"]
    assert all("created" in line for line in shown)
    assert '"event": "created"' in run("watch", "--after", "1", "-n", "1", "--json").stdout


def test_watching_goes_on_until_it_is_interrupted(run: Run) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [*PROGRAM, "watch", "--after", "0", "--json"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for text in ("Ines rows at dawn.", "Ines sells nets."):
            run("add", text)
            assert json.loads(process.stdout.readline())["event"] == "created"
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
        assert process.stdout.read() == b""


def test_jobs_are_drained(answer: Answer) -> None:
    answer("import", "-", "--no-wait", input='{"role": "user", "content": "Ahoy.", "thread": "sea"}\n')
    done = answer("jobs", "drain", "--timeout", "30")
    assert done["failed"] == 0


def test_relations_are_said_whole_and_listed(answer: Answer, run: Run) -> None:
    ids = [answer("add", text)["id"] for text in ("Ines rows at dawn.", "Ines sells nets.")]
    said = ("--attitude", "fond", "--proximity", "close", "--confidence", "0.9", "--strength", "0.4")
    tie = answer("node", "relate", ids[0], "depends_on", ids[1], *said)
    assert (tie["attitude"], tie["proximity"], tie["confidence"], tie["strength"]) == ("fond", "close", 0.9, 0.4)
    assert tie["id"] in [each["id"] for each in answer("node", "relations", ids[0])]
    answer("node", "note", ids[0], "Look again.")
    assert [note["content"] for note in answer("node", "notes", ids[0])] == ["Look again."]
    assert "Look again." in run("node", "notes", ids[0]).stdout


@pytest.mark.parametrize(
    ("typed", "named"),
    [
        (("search", "nets", "--min-importance", "7"), "--min-importance: must be"),
        (("search", "nets", "--kind", "poem"), "--kind: must be"),
        (("search", "nets", "-n", "0"), "--limit: must be"),
        (("search", "nets", "--weight", "luck=1"), "--weight luck: is no weight"),
        (("search", "nets", "--weight", "keyword"), "--weight: must be"),
        (("search", "nets", "--by-agent", "a\nb"), "--by-agent: must be one line"),
        (("search", " "), "query: is empty"),
        (("list", "--since", "yore"), "--since: is no date"),
        (("add", "Nets.", "--valid-from", "2026-01-01T00:00"), "--valid-from: must carry a time zone"),
        (("add", "Nets.", "--metadata", "[]"), "--metadata: must be a JSON object"),
        (("update", "seven", "--title", "x"), "id: is no id"),
        (("list", "--user", "a\nb"), "--user: must be one line"),
        (("list", "--team", "a\nb"), "--team: must be one line"),
        (("delete-all",), "--everything: say which"),
        (("sources", "retry", "seven"), "id: is no id"),
        (("query", "nets", "--filter", "importance_min=9"), "--filter importance_min: must be"),
        (("traverse", "01a1e396-915d-7000-99cf-01177f5047e6", "--depth", "9"), "--depth: must be"),
    ],
)
def test_errors_name_what_was_typed(run: Run, typed: tuple[str, ...], named: str) -> None:
    assert named in run(*typed, ok=2).stderr
