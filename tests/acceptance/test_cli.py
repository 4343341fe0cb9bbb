"""The commands, in this process, on a real database with the fake embedder."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from typer.testing import Result

from recollect import __version__
from recollect.cli.exits import CODES

Run = Callable[..., Result]


ALL_COMMANDS = (
    *(
        "demo",
        "add",
        "search",
        "query",
        "get",
        "list",
        "history",
        "delete",
        "restore",
        "update",
        "delete-all",
        "add-many",
        "search-many",
        "watch",
        "explore",
        "traverse",
        "path",
        "import",
        "export",
        "ingest",
        "worker",
        "calibrate",
    ),
    *("chat", "context", "conversations", "messages", "retract", "arc"),
    *("conversation", "get-conversation", "find-conversation", "ack", "pause", "resume", "end"),
    *("revision", "timezone", "work"),
    *("profile", "profile set", "consents", "decide", "pending", "promote", "guide"),
    *("active create", "active update", "active show", "active list", "active end", "active templates"),
    *("migrate", "reviews", "resolve", "chunks"),
    *("replay", "replay list", "replay show", "replay accept", "replay discard"),
    *("jobs list", "jobs run", "jobs failed", "jobs retry", "jobs drain"),
    *("node notes", "node relations", "mcp setup"),
    *("db upgrade", "db status", "db reembed", "db doctor", "db stop"),
)


@pytest.mark.parametrize("command", ALL_COMMANDS)
def test_every_command_has_help_and_json(run: Run, command: str) -> None:
    shown = run(*command.split(), "--help").stdout
    assert "--json" in shown
    assert "--data-dir" in shown


def test_it_says_which_version_it_is(run: Run) -> None:
    assert run("--version").stdout == f"recollect {__version__}\n"


def test_help_names_every_command(run: Run) -> None:
    shown = run("--help").stdout
    for command in {command.split()[0] for command in ALL_COMMANDS} | {"bench"}:
        assert command in shown


def test_a_memory_through_its_life(run: Run, answer: Callable[..., Any]) -> None:
    added = answer("add", "Ines likes rain.", "--type", "preference", "--tag", "weather", "--metadata", '{"a": 1}')
    assert (added["kind"], added["type"], added["tags"], added["metadata"]) == (
        "statement",
        "preference",
        ["weather"],
        {"a": 1},
    )
    id = added["id"]
    assert UUID(id).version == 7
    [hit] = answer("search", "who likes rain")["hits"]
    assert hit["memory"]["id"] == id
    assert hit["score"] == pytest.approx(sum(hit["why"].values()))
    assert answer("get", id)["content"] == "Ines likes rain."
    assert [row["id"] for row in answer("list")["memories"]] == [id]
    assert answer("delete", id, "--reason", "wrong")["state"] == "soft_deleted"
    assert answer("search", "who likes rain")["hits"] == []
    assert answer("get", id)["purge_at"] is not None
    assert answer("restore", id)["state"] != "soft_deleted"
    events = answer("history", id)
    assert [entry["event"] for entry in events] == ["ADD", "DELETE", "RESTORE"]
    assert events[1]["reason"] == "wrong"
    for command in (("get", id), ("history", id), ("list",), ("search", "rain")):
        assert "\x1b" not in run(*command).output


def test_search_shows_why(run: Run) -> None:
    run("add", "The bell of tram 203 is in the cellar.", "--role", "user", "--name", "Joaquim", "--thread", "street")
    shown = run("search", "where is the bell").stdout
    for word in ("Joaquim", "street #1", "semantic", "keyword", "evidence", "█"):
        assert word in shown
    assert "Nothing found" in run("search", "bell", "--speaker", "nobody").stdout


def test_a_message_from_stdin(answer: Callable[..., Any]) -> None:
    at = "2026-03-01T10:00:00Z"
    said = answer("add", "-", "--role", "user", "--thread", "t", "--at", at, input="The ferry leaves at seven.\n")
    assert (said["turn"], said["at"]) == (1, at)
    [hit] = answer("search", "ferry", "--thread", "t", "--since", "2026-03-01", "--until", "2026-03-02")["hits"]
    assert hit["memory"]["provenance"]["turn"] == 1
    assert answer("search", "ferry", "--thread", "other")["hits"] == []


def test_the_same_id_adds_nothing(answer: Callable[..., Any]) -> None:
    id = str(uuid4())
    assert answer("add", "one", "--id", id)["id"] == id
    answer("add", "one", "--id", id)
    assert len(answer("list")["memories"]) == 1


def test_spaces_are_apart(answer: Callable[..., Any]) -> None:
    answer("add", "mine")
    answer("add", "hers", "--user", "ines")
    answer("add", "ours", "--project", "stop")
    answer("add", "its own", "--agent", "planner")
    listed = {
        who: [row["content"] for row in answer("list", *options)["memories"]]
        for who, options in {
            "me": (),
            "ines": ("--user", "ines"),
            "stop": ("--project", "stop"),
            "planner": ("--agent", "planner"),
        }.items()
    }
    assert listed == {"me": ["mine"], "ines": ["hers"], "stop": ["mine", "ours"], "planner": ["its own"]}


def test_lists_go_on_where_they_ended(answer: Callable[..., Any]) -> None:
    for number in range(3):
        answer("add", f"fact {number}")
    first = answer("list", "--limit", "2")
    rest = answer("list", "--after", first["next"])
    assert [row["content"] for row in first["memories"] + rest["memories"]] == ["fact 0", "fact 1", "fact 2"]
    assert rest["next"] is None


MISTAKES: dict[str, tuple[tuple[str, ...], int, str]] = {
    "no such memory": (("get", str(UUID(int=1))), 3, "there is no memory"),
    "no id": (("get", "nonsense"), 2, "id: is no id: 'nonsense'"),
    "empty": (("add", " "), 2, "content: is empty"),
    "unknown kind": (("add", "x", "--kind", "poem"), 2, "kind: must be one of"),
    "importance": (("add", "x", "--importance", "7"), 2, "importance: must be a number from 0 to 1"),
    "importance nan": (("add", "x", "--importance", "nan"), 2, "importance: must be a number from 0 to 1"),
    "naive time": (("add", "x", "--valid-from", "2026-01-01T00:00:00"), 2, "--valid-from: must carry a time zone"),
    "metadata": (("add", "x", "--metadata", "{"), 2, "metadata: is no JSON"),
    "metadata list": (("list", "--metadata", "[]"), 2, "metadata: must be a JSON object"),
    "no thread": (("add", "x", "--role", "user"), 2, "--thread: name the thread"),
    "filter": (("search", "x", "--since", "someday"), 2, "since: is no date"),
    "limit": (("search", "x", "--limit", "0"), 2, "limit: must be from 1"),
    "job": (("jobs", "run", "sleep"), 2, "must be one of catch_up, consent_expiry, consolidation"),
    "failed job": (("jobs", "retry", "99"), 3, "no failed job 99"),
    "file": (("import", "nowhere.jsonl"), 2, "file: there is no file nowhere.jsonl"),
    "server": (("list", "--database-url", "postgresql://u:p@127.0.0.1:1/x"), 5, "PostgreSQL: "),
    "url": (("list", "--database-url", "nonsense://"), 2, "--database-url: is no URL of a PostgreSQL server"),
    "folder": (("export", "--output", "nowhere/out.jsonl"), 2, "No such file or directory"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_one_clear_line(run: Run, name: str) -> None:
    arguments, code, text = MISTAKES[name]
    result = run(*arguments, ok=code)
    assert result.stdout == ""
    assert re.fullmatch(r"recollect: [^\n]*\n", result.stderr), result.stderr
    assert text in result.stderr


@pytest.mark.parametrize("name", MISTAKES)
def test_a_program_is_told_the_error_by_its_class(run: Run, name: str) -> None:
    arguments, code, text = MISTAKES[name]
    result = run(*arguments, "--json", ok=code)
    assert result.stdout == ""
    problem = json.loads(result.stderr)
    assert code == next((number for kind, number in CODES.items() if kind.__name__ == problem["title"]), 1)
    assert text.rpartition(": ")[2] in problem["detail"]
    if "field" in problem:  # a program knows the names of the verbs
        assert not problem["field"].startswith("-")


def test_settings_that_cannot_be_read(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "recollect.toml").write_text("a = [")
    assert "config: recollect.toml cannot be read" in run("list", ok=2).stderr
    (tmp_path / "recollect.toml").write_text('colour = "red"')
    assert "colour: " in run("list", ok=2).stderr
    (tmp_path / "recollect.toml").unlink()
    monkeypatch.setenv("RECOLLECT_DECAY_KINDS", "no JSON")
    assert "decay_kinds" in run("list", ok=2).stderr


def test_a_wrong_command_line_is_a_usage_error(run: Run) -> None:
    for arguments in (("sing",), ("get",), ("list", "--wrong"), ("search", "x", "--limit", "many")):
        result = run(*arguments, ok=2)
        assert result.stdout == ""
        assert "Usage" in result.stderr
        assert json.loads(run(*arguments, "--json", ok=2).stderr)["title"] == "InvalidInput"


def test_another_model_says_what_to_do(run: Run, answer: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    answer("add", "The bell is in the cellar.")
    monkeypatch.setenv("RECOLLECT_EMBEDDER_DIMENSIONS", "32")
    assert "recollect db reembed" in run("search", "bell", ok=6).stderr
    assert answer("db", "status")["database"]["embedder"] == {"name": "fake", "dimensions": 64}
    assert answer("db", "reembed")["memories"] == 1
    [hit] = answer("search", "bell")["hits"]
    assert hit["memory"]["content"] == "The bell is in the cellar."
    assert answer("db", "reembed") is None


def test_jobs(run: Run, answer: Callable[..., Any], database_url: str) -> None:
    answer("add", "a fact")
    assert answer("jobs", "run", "decay")["failed"] == 0
    assert answer("jobs", "failed") == []
    with psycopg.connect(database_url) as owner:
        owner.execute(
            "insert into recollect_queue.procrastinate_jobs (queue_name, task_name, lock, args, status)"
            " values ('recollect', 'statistics', 'statistics:user:me', '{\"space\": \"user:me\"}', 'failed')"
        )
    [failed] = answer("jobs", "failed")
    assert (failed["task"], failed["state"]) == ("statistics", "failed")
    assert "statistics" in run("jobs", "list").stdout
    answer("jobs", "retry", str(failed["id"]))
    assert [job["state"] for job in answer("jobs", "list")["queue"]] == ["waiting"]


@pytest.mark.local
def test_database_commands(run: Run, answer: Callable[..., Any], database_url: str) -> None:
    answer("add", "a fact")
    status = answer("db", "status")
    assert status["server"] is None
    assert (status["database"]["memories"], status["database"]["spaces"]) == (1, 1)
    assert "1 in 1 spaces" in run("db", "status").stdout
    assert answer("db", "doctor")["ok"] is True
    with psycopg.connect(database_url) as owner:
        owner.execute("alter table recollect.note disable row level security")
        owner.execute("revoke select on recollect.event from postgres_app")
    report = answer("db", "doctor", ok=1)
    assert [check["name"] for check in report["checks"] if check["level"] == "fail"] == ["rights", "isolation"]
    assert "→ alter table" in run("db", "doctor", ok=1).stdout
    assert answer("db", "upgrade")["applied"] == []
    report = answer("db", "doctor", ok=1)
    assert [check["name"] for check in report["checks"] if check["level"] == "fail"] == ["isolation"]


def test_an_upgrade_of_an_empty_database_says_what_it_applied(answer: Callable[..., Any], server_url: str) -> None:
    with psycopg.connect(server_url, autocommit=True) as owner:
        owner.execute("create database empty_one")
    try:
        url = psycopg.conninfo.make_conninfo(server_url, dbname="empty_one")
        done = answer("db", "upgrade", "--database-url", url)
        assert [step["number"] for step in done["applied"]][:1] == [1]
        assert done["applied"][-1]["number"] == done["schema"]
    finally:
        with psycopg.connect(server_url, autocommit=True) as owner:
            owner.execute("drop database empty_one with (force)")


def test_calibrate(run: Run, answer: Callable[..., Any], tmp_path: Path) -> None:
    dry = answer("calibrate", "--dry-run")
    assert dry["calibration"]["model"] == "fake"
    assert dry["file"] is None
    assert '["fake"]' in run("calibrate").stdout
    assert '["fake"]' in (tmp_path / "data" / "thresholds.toml").read_text()


def test_import_and_export(run: Run, answer: Callable[..., Any], tmp_path: Path) -> None:
    lines = [json.dumps({"thread": "t", "role": "user", "content": f"message {n}"}) for n in range(5)]
    file = tmp_path / "in.jsonl"
    file.write_text("\n".join([*lines, json.dumps({"content": "a fact"})]))
    done = answer("import", str(file))
    assert (done["messages"], done["memories"], done["present"]) == (5, 1, 0)
    assert answer("import", str(file))["present"] == 6
    assert answer("search", "message 3", "--limit", "1")["hits"][0]["memory"]["content"] == "message 3"
    out = tmp_path / "out.jsonl"
    assert answer("export", "--plain", "--output", str(out))["lines"] == 9
    assert out.read_text().splitlines()[1:] == run("export", "--plain").stdout.splitlines()[1:]
    answer("import", str(out), "--user", "ines")
    copied = run("export", "--plain", "--user", "ines").stdout.splitlines()
    assert copied[1:] == out.read_text().splitlines()[1:]
    assert [entry.name for entry in tmp_path.iterdir() if entry.name.startswith(".")] == []


def test_a_bad_line_of_an_import(run: Run, answer: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    good = b'{"thread": "t", "role": "user", "content": "good"}\n'
    file.write_bytes(good + b'{"thread": "t", "role": "user", "content": "\xff"}\n' + b"{\n")
    stopped = run("import", str(file), ok=2)
    assert "recollect: line 2, content: holds a lone surrogate" in stopped.stderr
    assert answer("list") == {"memories": [], "next": None}
    done = run("import", str(file), "--skip-errors", "--json")
    assert json.loads(done.stdout)["skipped"] == 2
    assert "line 2: content" in done.stderr
    assert "line 3: JSON" in done.stderr


def test_the_demo_can_be_repeated(run: Run, answer: Callable[..., Any]) -> None:
    first = answer("demo")
    again = answer("demo")
    assert first["imported"]["messages"] >= 30
    assert (again["imported"]["messages"], again["imported"]["memories"]) == (0, 0)
    assert again["imported"]["present"] == first["imported"]["messages"] + first["imported"]["memories"]
    assert len(again["answers"]) >= 4
    assert answer("match", "person", "plays_with", "person", "--user", "demo")
    shown = run("demo").stdout
    assert "What to do next" in shown
    assert "was loaded before" in shown


SLY = "A kite \x1b]0;pwned\x07\x1b[31mred\x1b[0m \x9b2J and\x7f more\r\nof\tit \x08\x08."


def controls(text: str) -> set[str]:
    """Control characters that a terminal would obey."""
    return {sign for sign in text if (sign < " " and sign not in "\n\t") or "\x7f" <= sign < "\xa0"}


@pytest.mark.parametrize("colours", [False, True])
def test_no_text_controls_the_terminal(run: Run, answer: Any, monkeypatch: pytest.MonkeyPatch, colours: bool) -> None:
    added = answer("add", SLY)
    run("profile", "set", "identity", "city", "Rome \x1b[31m red")
    run("chat", "--thread", "sly", input=SLY + "\n")
    if colours:
        monkeypatch.setenv("FORCE_COLOR", "1")
    commands = [("search", "kite"), ("get", added["id"]), ("list",), ("history", added["id"]), ("profile",)]
    commands += [("messages", "--thread", "sly"), ("context", "kite?", "--thread", "sly"), ("conversations",)]
    for command in commands:
        shown = run(*command).output
        assert controls(re.sub(r"\x1b\[[0-9;]*m", "", shown) if colours else shown) == set(), command
        assert "\x1b]0;" not in shown
    assert "␛]0;pwned" in run("search", "kite").output
    assert "\x1b]0;" not in run("chat", "--thread", "sly", input=SLY + "\n").output
    assert "\x1b" not in run("get", "no such \x1b[31m id", ok=2).output


def test_json_holds_a_text_to_the_letter(answer: Any) -> None:
    added = answer("add", SLY)
    assert answer("get", added["id"])["content"] == SLY
