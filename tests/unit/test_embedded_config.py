"""The embedded server's settings and names, without a server."""

from pathlib import Path

import pytest

from recollect.core.errors import Unavailable
from recollect.db.embedded import config, problems
from recollect.db.embedded.cluster import read_postmaster, url

GB = 1024**3


@pytest.mark.parametrize(
    ("memory", "buffers", "work"),
    [(256 * 1024**2, "32MB", "4MB"), (2 * GB, "256MB", "16MB"), (64 * GB, "512MB", "16MB")],
)
def test_memory_settings_follow_the_machine(memory: int, buffers: str, work: str) -> None:
    values = config.settings(memory, GB)
    assert values["shared_buffers"] == buffers
    assert values["work_mem"] == work


def test_durability_is_never_traded_for_speed() -> None:
    values = config.settings(GB, GB)
    assert (values["fsync"], values["synchronous_commit"], values["full_page_writes"]) == ("on", "on", "on")


def test_small_shared_memory_is_avoided() -> None:
    assert config.settings(GB, 64 * 1024**2)["dynamic_shared_memory_type"] == "mmap"
    assert config.settings(GB, GB)["dynamic_shared_memory_type"] == "posix"


def test_values_are_quoted() -> None:
    text = config.render({"a": "it's", "b": "back\\slash"}, Path("/somewhere"))
    assert "a = 'it''s'" in text
    assert "b = 'back\\\\slash'" in text
    assert "unix_socket_directories = '/somewhere'" in text


def test_url_escapes_what_it_must() -> None:
    assert url(Path("/a b"), "a/b", "p@:w", "d?") == "postgresql://a%2Fb:p%40%3Aw@/d%3F?host=%2Fa+b&port=5432"


@pytest.mark.parametrize("text", ["", "12\n", "x\n/data\n1\n5432\n/s\n\n1 2\nready\n"])
def test_a_pid_file_that_is_not_whole_says_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "postmaster.pid").write_text(text)
    assert read_postmaster(tmp_path) is None


def test_file_system_errors_name_path_and_cause(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="the disk is full") as caught, problems.translated(tmp_path):
        raise OSError(28, "No space left on device", str(tmp_path / "x"))
    assert str(tmp_path / "x") in str(caught.value)
    assert caught.value.part == "embedded PostgreSQL"
