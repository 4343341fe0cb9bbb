"""Every verb of the library has a command, and every argument of a verb an option: found in the classes themselves."""

import inspect
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import typer.main
from typer.testing import Result

from assistants import PROGRAM
from recollect.cli import app
from recollect.flows import remember
from recollect.memory import Chat, Context, Recollect, ScopedMemory
from recollect.records import changes, filters

Run = Callable[..., Result]

# A verb's command, where it is not called as the verb is (with a dash where the verb has an underscore).
COMMANDS = {
    "Recollect.backup": "db backup",
    "Recollect.drain": "jobs drain",
    "Recollect.graph_status": "graph status",
    "Recollect.jobs": "jobs list",
    "Recollect.keys": "keys list",
    "Recollect.make_key": "keys make",
    "Recollect.retry_job": "jobs retry",
    "Recollect.revoke_key": "keys revoke",
    "Recollect.rotate_key": "keys rotate",
    "Recollect.rebuild_graph": "graph rebuild",
    "Recollect.restore": "db restore",
    "Recollect.run_job": "jobs run",
    "Recollect.verify_graph": "graph verify",
    "ScopedMemory.accept_replay": "replay accept",
    "ScopedMemory.actives": "active list",
    "ScopedMemory.add_note": "node note",
    "ScopedMemory.checkpoint": "checkpoint load",
    "ScopedMemory.checkpoints": "checkpoint list",
    "ScopedMemory.chunk_history": "chunks",
    "ScopedMemory.create_active": "active create",
    "ScopedMemory.delete_checkpoints": "checkpoint delete",
    "ScopedMemory.discard_replay": "replay discard",
    "ScopedMemory.end_active": "active end",
    "ScopedMemory.end_relation": "node end-relation",
    "ScopedMemory.find_conversation": "messages",
    "ScopedMemory.get_active": "active show",
    "ScopedMemory.get_all": "list",
    "ScopedMemory.get_replay": "replay show",
    "ScopedMemory.import_lines": "import",
    "ScopedMemory.leave_team": "sources leave-team",
    "ScopedMemory.load_checkpoint": "checkpoint load",
    "ScopedMemory.merge": "node merge",
    "ScopedMemory.merges": "node merges",
    "ScopedMemory.nodes": "node list",
    "ScopedMemory.notes": "node notes",
    "ScopedMemory.relate": "node relate",
    "ScopedMemory.relations": "node relations",
    "ScopedMemory.remove_note": "node remove-note",
    "ScopedMemory.replays": "replay list",
    "ScopedMemory.resolve_merge": "node decide-merge",
    "ScopedMemory.retry_source": "sources retry",
    "ScopedMemory.save_checkpoint": "checkpoint save",
    "ScopedMemory.section_history": "active history",
    "ScopedMemory.set_profile": "profile set",
    "ScopedMemory.sources": "sources list",
    "ScopedMemory.templates": "active templates",
    "ScopedMemory.unmerge": "node unmerge",
    "ScopedMemory.update_note": "node edit-note",
    "ScopedMemory.update_relation": "node edit-relation",
    "ScopedMemory.update_section": "active update",
    "ScopedMemory.work": "jobs list",
    "Chat.ack": "context",
    "Chat.add": "add",
    "Chat.narrative_arc": "arc",
    "Context.ack": "context",
}

# An argument's option, where it is called otherwise.
OPTIONS = {
    "ScopedMemory.add": {"tags": "tag"},
    "ScopedMemory.add_many": {"memories": "file"},
    "ScopedMemory.add_note": {"id": "node"},
    "ScopedMemory.chunk_history": {"source_id": "source"},
    "ScopedMemory.conversation": {"thread_id": "thread"},
    "ScopedMemory.find_conversation": {"conversation_id": "thread"},
    "ScopedMemory.create_active": {"sections": "section"},
    "ScopedMemory.delete_all": {"agent": "by_agent"},
    "ScopedMemory.get_all": {"agent": "by_agent"},
    "ScopedMemory.guide": {
        "profile_keys": "profile_key",
        "entity_types": "entity_type",
        "relation_types": "relation_type",
    },
    "ScopedMemory.import_lines": {"lines": "file"},
    "ScopedMemory.ingest": {
        "raw": "paths",
        "source_type": "type",
        "participants": "participant",
        "started_at": "started",
        "ended_at": "ended",
        "context_type": "context",
        "ttl_policy": "ttl",
        "team_id": "team",
    },
    "ScopedMemory.leave_team": {"team_id": "team"},
    "ScopedMemory.match": {"pattern": "chain"},
    "ScopedMemory.merge": {"a_id": "a", "b_id": "b"},
    "ScopedMemory.notes": {"id": "node"},
    "ScopedMemory.path": {"a_id": "a", "b_id": "b"},
    "ScopedMemory.query": {"return_": "full"},
    "ScopedMemory.relate": {"a_id": "a", "b_id": "b"},
    "ScopedMemory.relations": {"id": "node"},
    "ScopedMemory.save_checkpoint": {"state": "file"},
    "ScopedMemory.search": {"agent": "by_agent"},
    "ScopedMemory.search_many": {"agent": "by_agent"},
    "ScopedMemory.traverse": {"node_id": "node"},
    "ScopedMemory.update": {"tags": "tag", "sensitivity": "new_sensitivity"},
    "Recollect.make_key": {
        "user_id": "user",
        "project_id": "project",
        "agent_id": "agent",
        "team_ids": "team",
    },
    "Chat.ack": {"offered": "ack"},
    "Chat.add_many": {"messages": "file"},
}
# Everywhere: an id that the verb calls by what it is of is an argument `id`.
IDS = ("active_id", "consent_id", "replay_id", "review_id", "source_id", "tombstone_id")

# What no option is for.
WITHOUT = {
    "progress": "a bar is drawn",
    "timing": "an object that is filled in",
    "min_level": "min_importance says the same; `query --filter` has D's levels",
    "max_level": "likewise",
    "user": "--user and --actor name one",
}
NO_COMMAND = {
    "Recollect.close": "a command closes what it opened",
    "ScopedMemory.get_conversation": "`conversation` opens a thread, `messages` reads it",
    "ScopedMemory.revision": "`watch` tells it with every change",
    "ScopedMemory.timezone": "`overview` tells it",
}

# What verbs take by name without saying so in their signatures.
_FILTERS = set(filters._CHECKS)
_ASKED = {"threshold", "context", "weights"}
MORE = {
    "ScopedMemory.add": remember._FIELDS,
    "ScopedMemory.search": _FILTERS | _ASKED,
    "ScopedMemory.search_many": _FILTERS | _ASKED | {"limit"},
    "ScopedMemory.get_all": _FILTERS,
    "ScopedMemory.delete_all": _FILTERS,
    "ScopedMemory.update": set(changes._CHECKS),
}


CLASSES: dict[str, type] = {each.__name__: each for each in (Recollect, ScopedMemory, Chat, Context)}


def verbs() -> Iterator[str]:
    """The public verbs: what is awaited, or iterated without end."""
    for owner, members in CLASSES.items():
        for name, value in vars(members).items():
            if not name.startswith("_") and (inspect.iscoroutinefunction(value) or inspect.isasyncgenfunction(value)):
                yield f"{owner}.{name}"


def arguments_of(verb: str) -> set[str]:
    owner, name = verb.split(".")
    function = vars(CLASSES[owner])[name]
    named = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD and parameter.name != "self"
    ]
    return {*named, *MORE.get(verb, ())}


def command_of(verb: str) -> str:
    return COMMANDS.get(verb, verb.split(".")[1].replace("_", "-"))


def commands(group: Any = None, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every command by the words that are typed for it; a group that does something alone, too."""
    for name, command in (group or typer.main.get_command(app)).commands.items():
        here = f"{path} {name}".strip()
        yield here, command
        if hasattr(command, "commands"):
            yield from commands(command, here)


@pytest.mark.parametrize("verb", sorted(set(verbs()) - set(NO_COMMAND)))
def test_a_verb_has_a_command_with_an_option_for_each_argument(verb: str) -> None:
    command = dict(commands())[command_of(verb)]
    options = {parameter.name for parameter in command.params}
    renamed = OPTIONS.get(verb, {})
    for argument in arguments_of(verb) - set(WITHOUT):
        wanted = renamed.get(argument, "id" if argument in IDS and "id" in options else argument)
        assert wanted in options, f"`recollect {command_of(verb)}` has no option for {argument}"
    assert "json" in options


def test_exceptions_are_of_verbs_that_exist() -> None:
    known = set(verbs())
    assert {*COMMANDS, *OPTIONS, *NO_COMMAND, *MORE} <= known
    arguments = {argument for verb in known for argument in arguments_of(verb)}
    assert set(WITHOUT) | set(IDS) <= arguments


Answer = Callable[..., Any]


def test_many_are_added_found_changed_and_deleted(run: Run, answer: Answer) -> None:
    lines = '{"content": "Ines rows at dawn.", "tags": ["boat"]}\n{"content": "Ines sells nets.", "importance": 0.9}\n'
    first, second = answer("add-many", "-", input=lines)
    found = answer("search-many", "who rows", "who sells nets", "-n", "1")
    assert [[hit["memory"]["id"] for hit in hits] for hits in found] == [[first["id"]], [second["id"]]]
    assert "who sells nets" in run("search-many", "who rows", "who sells nets").stdout
    said = ("--content", "Ines rows at dusk.", "--if-version", "1", "--pinned", "--title", "Rowing")
    changed = answer("update", first["id"], *said)
    assert (changed["content"], changed["pinned"], changed["version"]) == ("Ines rows at dusk.", True, 2)
    assert (changed["title"], changed["tags"]) == ("Rowing", ["boat"])
    assert answer("update", first["id"], "--clear", "title", "--clear", "tags", "--not-pinned")["title"] is None
    run("update", first["id"], "--content", "No.", "--if-version", "1", ok=4)
    assert [row["id"] for row in answer("list", "--min-importance", "0.8")["memories"]] == [second["id"]]
    assert answer("delete-all", "--max-importance", "0.6") == {"deleted": 1}
    assert [row["id"] for row in answer("list")["memories"]] == [second["id"]]
    assert answer("delete-all", "--everything") == {"deleted": 1}
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
    first = answer(*asked, "--ack")["context"]
    assert "The tide turns at six." in first
    assert "Memory updates since" in first
    assert "Memory updates since" not in answer(*asked)["context"]


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
