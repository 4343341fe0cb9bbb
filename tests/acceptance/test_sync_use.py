"""`recollect.sync` as its users meet it."""

import json
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from recollect import InvalidInput, RecollectError
from recollect.sync import Chat, Recollect, ScopedMemory

pytestmark = pytest.mark.once


@pytest.fixture
def rc(database_url: str, tmp_path: Path) -> Iterator[Recollect]:
    with Recollect.open(database_url, tmp_path, embedder="fake", worker=False) as opened:
        yield opened


def run(script: str, *arguments: str) -> str:
    """What a script prints, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), *arguments],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def indexed(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("select count(*) from recollect.memory where kind = 'turn'").fetchone()
    assert row is not None
    return int(row[0])


def test_a_conversation_from_message_to_hit(rc: Recollect) -> None:
    me = rc.scope(user_id="alice")
    chat = me.conversation("chat-1", title="Tea")
    assert isinstance(me, ScopedMemory)
    assert isinstance(chat, Chat)
    message = chat.add("user", "I drink green tea in the morning", name="Alice")
    assert (message.turn, chat.conversation.title) == (1, "Tea")
    rc.drain()
    [hit] = me.search("green tea")
    assert hit.memory.content == "I drink green tea in the morning"
    assert hit.memory.provenance.thread_id == "chat-1"
    assert [each.turn for each in chat.messages()] == [1]
    chat.end(outcome="done")
    assert chat.conversation.status == "ended"


def test_memories_by_hand(rc: Recollect) -> None:
    me = rc.scope(user_id="alice")
    added = me.add("Alice prefers tea", type="preference")
    assert me.update(added.id, content="Alice prefers coffee").version == 2
    assert [entry.event for entry in me.history(added.id)] == ["ADD", "UPDATE"]
    assert [memory.id for memory in me.get_all(kinds=["statement"])] == [added.id]
    assert me.delete(added.id).state == "soft_deleted"
    watched = me.watch(after=0)
    assert [next(watched).event for _ in range(3)] == ["created", "updated", "deleted"]


def test_errors_are_the_same(rc: Recollect) -> None:
    with pytest.raises(InvalidInput) as caught:
        rc.scope(user_id="alice").add("")
    assert caught.value.field == "content"


def test_settings_are_checked_before_a_thread_starts() -> None:
    with pytest.raises(InvalidInput, match="no_such_setting"):
        Recollect.open(no_such_setting=1)


def test_a_database_that_is_not_there_is_an_error_not_a_hang(tmp_path: Path) -> None:
    with pytest.raises(RecollectError, match="PostgreSQL"):
        Recollect.open(f"postgresql://u:p@/x?host={tmp_path}", tmp_path, embedder="fake")


def test_many_threads_share_one(rc: Recollect) -> None:
    me = rc.scope(user_id="alice")
    chat = me.conversation("busy")
    with ThreadPoolExecutor(8) as pool:
        turns = list(pool.map(lambda number: chat.add("user", f"note {number}").turn, range(80)))
    assert sorted(turns) == list(range(1, 81))


async def test_in_a_thread_that_runs_a_loop(database_url: str, tmp_path: Path) -> None:
    """As in a notebook: the caller's own loop is running, and none of ours touches it."""
    with Recollect.open(database_url, tmp_path, embedder="fake", worker=False) as rc:
        rc.scope(user_id="alice").add("Alice lives in Lisbon")
        assert len(rc.scope(user_id="alice").search("Lisbon")) == 1


def test_use_after_the_end(database_url: str, tmp_path: Path) -> None:
    with Recollect.open(database_url, tmp_path, embedder="fake", worker=False) as rc:
        me = rc.scope(user_id="alice")
    rc.close()
    for call in (lambda: me.search("tea"), lambda: rc.scope(user_id="bob"), lambda: rc.database_url):
        with pytest.raises(RecollectError, match="is closed"):
            call()


def test_leaving_has_the_background_work_done(database_url: str, tmp_path: Path) -> None:
    with Recollect.open(database_url, tmp_path, embedder="fake") as rc:
        rc.scope(user_id="alice").conversation("c").add_many([{"role": "user", "content": f"{n}"} for n in range(300)])
    assert indexed(database_url) == 300


def test_leaving_with_an_error_does_not_wait(database_url: str, tmp_path: Path) -> None:
    def leave() -> None:
        with Recollect.open(database_url, tmp_path, embedder="fake", worker=False) as rc:
            rc.scope(user_id="alice").conversation("c").add("user", "kept in any case")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        leave()
    with Recollect.open(database_url, tmp_path, embedder="fake", worker=False) as rc:
        assert len(rc.scope(user_id="alice").conversation("c").messages()) == 1


def test_a_script_that_never_closes_it(database_url: str, tmp_path: Path) -> None:
    """At exit, background work is done and recalls are written."""
    run(
        """
        import sys
        from recollect.sync import Recollect
        rc = Recollect.open(sys.argv[1], sys.argv[2], embedder="fake")
        me = rc.scope(user_id="alice")
        me.add("Alice prefers tea")
        me.search("tea")
        me.conversation("c").add("user", "said last")
        """,
        database_url,
        str(tmp_path),
    )
    assert indexed(database_url) == 1
    with psycopg.connect(database_url) as connection:
        counts = connection.execute("select access_count from recollect.memory_use where kind = 'statement'").fetchall()
    assert counts == [(1,)]


def test_a_script_on_the_embedded_server_leaves_nothing_running(tmp_path: Path) -> None:
    said = run(
        """
        import json, sys
        from recollect.db import embedded
        from pathlib import Path
        from recollect.sync import Recollect
        rc = Recollect.open(data_dir=sys.argv[1], embedder="fake")
        rc.scope(user_id="alice").add("Alice prefers tea")
        print(json.dumps(embedded.status(Path(sys.argv[1])).pid))
        """,
        str(tmp_path),
    )
    pid = json.loads(said)
    for _ in range(100):
        if not Path(f"/proc/{pid}").exists():
            return
        time.sleep(0.1)
    os.kill(pid, 0)
    pytest.fail("the server still runs")


@pytest.mark.parametrize("embedder", ["fake", "recollect-recall-v2"])
def test_a_forked_child_gets_an_error_and_ends(database_url: str, tmp_path: Path, embedder: str) -> None:
    said = run(
        """
        import os, sys
        from recollect import RecollectError
        from recollect.sync import Recollect
        with Recollect.open(sys.argv[1], sys.argv[2], embedder=sys.argv[3]) as rc:
            me = rc.scope(user_id="alice")
            me.add("Alice prefers tea")
            child = os.fork()
            if child == 0:
                try:
                    me.search("tea")
                except RecollectError as error:
                    print(error, flush=True)
                sys.exit(0)
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            print(code, len(me.search("tea")))
        """,
        database_url,
        str(tmp_path),
        embedder,
    )
    first, second = said.splitlines()
    assert "fork" in first
    assert second == "0 1"
