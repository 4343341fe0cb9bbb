"""The installed script, as a user runs it: processes, signals, pipes, and an embedded server of its own."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

SCRIPT = Path(sys.executable).parent / "recollect"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A bare environment: nothing is configured, and nothing of the developer's is touched."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RECOLLECT_", "XDG_"))}
    return kept | {"HOME": str(tmp_path), "NO_COLOR": "1", "COLUMNS": "120"}


def run(environment: dict[str, str], *arguments: object, input: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, input=input, check=False)


def start(environment: dict[str, str], *arguments: object, feed: Path | None = None) -> subprocess.Popen[str]:
    """In the background; `feed` becomes a pipe, which tells no end while it is open, however fast it is read."""
    if feed is not None:
        os.mkfifo(feed)
    command = [str(SCRIPT), *map(str, arguments)]
    return subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that starts the tests in the background has interrupts ignored, which children inherit.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )


@pytest.fixture
def on_server(environment: dict[str, str], database_url: str, tmp_path: Path) -> dict[str, str]:
    """The test's database, with the fake embedder."""
    settings = {"DATABASE_URL": database_url, "EMBEDDER": "fake", "DATA_DIR": str(tmp_path / "data")}
    return environment | {f"RECOLLECT_{name}": value for name, value in settings.items()}


@pytest.fixture
def data_dir(tmp_path: Path, environment: dict[str, str]) -> Iterator[Path]:
    """A fresh data directory, whose server does not outlive the test."""
    folder = tmp_path / "data"
    yield folder
    run(environment, "db", "stop", "--force", "--data-dir", folder)


def test_the_first_steps_of_a_newcomer(environment: dict[str, str], data_dir: Path) -> None:
    where = ("--data-dir", data_dir)
    assert "made when it is first used" in run(environment, "db", "status", *where).stdout
    shown = run(environment, "demo", *where)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "\x1b" not in shown.stdout
    for text in ("2026-05-09", "ibuprofen", "brass bell", "Coimbra", "Thursdays", "Nothing found.", "What to do next"):
        assert text in shown.stdout
    assert "was loaded before" in run(environment, "demo", *where).stdout
    added = run(environment, "add", "I prefer tea to coffee.", "--type", "preference", *where)
    assert added.stdout.startswith("Added ")
    found = json.loads(run(environment, "search", "what do I like to drink?", "--json", *where).stdout)
    assert found["hits"][0]["memory"]["content"] == "I prefer tea to coffee."
    assert run(environment, "db", "doctor", *where).returncode == 0
    status = json.loads(run(environment, "db", "status", "--json", *where).stdout)
    assert status["database"]["spaces"] == 2
    assert status["server"]["state"] == "stopped"
    assert json.loads(run(environment, "db", "stop", "--json", *where).stdout) == {"stopped": False}


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['recollect', '--help']\n"
        "from recollect.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'onnxruntime', 'psycopg', 'pydantic', 'procrastinate', 'recollect.memory'}\n"
        "sys.exit(', '.join(sorted(heavy & set(sys.modules))) or None)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def messages(database_url: str) -> list[str]:
    with psycopg.connect(database_url) as owner:
        rows = owner.execute("select content #>> '{}' from recollect.message order by conversation_id, turn").fetchall()
    return [row[0] for row in rows]


def test_an_import_killed_in_the_middle_goes_on(on_server: dict[str, str], database_url: str, tmp_path: Path) -> None:
    count, file = 20_000, tmp_path / "in.jsonl"
    lines = [{"thread": "t", "role": "user", "content": f"message {n % 5000}"} for n in range(count)]
    texts = [json.dumps(line) + "\n" for line in lines]
    file.write_text("".join(texts))
    for part in (0.1, 0.5):
        pipe = tmp_path / f"pipe-{part}"
        process = start(on_server, "import", pipe, "--no-wait", feed=pipe)
        with pipe.open("w") as opened:
            opened.writelines(texts[: int(part * count) + 2_000])
            opened.flush()
            while len(messages(database_url)) < part * count:
                time.sleep(0.05)
            process.kill()
            process.communicate()
    written = messages(database_url)
    assert 0 < len(written) < count
    done = json.loads(run(on_server, "import", file, "--no-wait", "--json").stdout)
    assert done["present"] == len(written)
    assert done["messages"] == count - len(written)
    assert messages(database_url) == [line["content"] for line in lines]


def test_bytes_that_are_no_text(on_server: dict[str, str]) -> None:
    for arguments in (["add", "-"], ["import", "-"], ["import", "/dev/stdin"]):
        line = b'{"thread": "t", "role": "user", "content": "\xff"}'
        done = subprocess.run([str(SCRIPT), *arguments], env=on_server, capture_output=True, input=line, check=False)
        assert done.returncode == 2
        assert b"content: holds a lone surrogate" in done.stderr
        assert b"Traceback" not in done.stderr


def until(process: subprocess.Popen[str], text: str) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if text in line:
            return
    pytest.fail(f"it never said {text!r}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_worker_works_until_it_is_told_to_stop(
    on_server: dict[str, str], database_url: str, number: signal.Signals
) -> None:
    process = start(on_server, "worker")
    until(process, "Working")
    added = run(on_server, "add", "The bell is in the cellar.", "--role", "user", "--thread", "t")
    assert added.returncode == 0
    indexed = "select indexed_turn from recollect.conversation"
    with psycopg.connect(database_url, autocommit=True) as owner:
        while owner.execute(indexed).fetchone() != (1,):
            time.sleep(0.05)
    process.send_signal(number)
    _, errors = process.communicate()
    assert process.returncode == 0
    assert "Stopped." in errors
    status: dict[str, Any] = json.loads(run(on_server, "db", "status", "--json").stdout)
    assert status["database"]["workers"] == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_in_the_middle_it_ends_in_order(
    on_server: dict[str, str], database_url: str, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    pipe = tmp_path / "in.jsonl"
    process = start(on_server, "import", pipe, feed=pipe)
    line = json.dumps({"thread": "t", "role": "user", "content": "again and again"}) + "\n"
    with pipe.open("w") as lines:
        lines.write(line * 2_000)
        lines.flush()
        while not messages(database_url):
            time.sleep(0.05)
        process.send_signal(number)
        output, errors = process.communicate()
    assert (process.returncode, output) == (code, "")
    assert "run the same command again to go on" in errors
    assert "Traceback" not in errors


def test_a_reader_that_leaves_is_no_error(on_server: dict[str, str]) -> None:
    for number in range(3):
        run(on_server, "add", "-", input=f"fact {number} " + "long " * 30_000)
    for arguments in (("export",), ("list",), ("list", "--json")):
        process = start(on_server, *arguments)
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""
        assert process.wait() == 141
