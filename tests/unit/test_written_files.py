"""A file is there whole or not at all: whoever is killed, whoever else writes it, wherever it is to lie."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from recollect.core.errors import Conflict, InvalidInput
from recollect.core.files import written

KILLED = """
import os, signal, sys
from pathlib import Path
from recollect.core.files import written

with written(Path(sys.argv[1]), "file") as file:
    file.write("half of what was to be said, and long")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def put(path: Path, text: str) -> None:
    with written(path, "file") as file:
        file.write(text)


def test_what_a_killed_process_left_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    path.write_text("before\n")
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert (path.read_text(), len(list(tmp_path.iterdir()))) == ("before\n", 2)
    put(path, "after\n")
    assert (path.read_text(), list(tmp_path.iterdir())) == ("after\n", [path])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    path.write_text("before\n")
    with pytest.raises(UnicodeEncodeError):
        put(path, "half, and then \ud800")
    assert (path.read_text(), list(tmp_path.iterdir())) == ("before\n", [path])


def test_of_two_who_write_one_does(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    with written(path, "file") as file:
        with pytest.raises(Conflict, match="somebody else"):
            put(path, "theirs")
        file.write("ours")
    assert (path.read_text(), list(tmp_path.iterdir())) == ("ours", [path])


def test_a_link_and_a_pipe_stay_what_they_are(tmp_path: Path) -> None:
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to("target")
    put(link, "text")
    assert (link.is_symlink(), (tmp_path / "target").read_text()) == (True, "text")
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    put(pipe, "text")
    assert (os.read(reader, 100), pipe.is_fifo()) == (b"text", True)
    os.close(reader)


@pytest.mark.parametrize(("name", "why"), [(".", "is a folder"), ("nowhere/file", "No such file or directory")])
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises(InvalidInput, match=f"file: .*{why}"):
        put(tmp_path / name, "text")
