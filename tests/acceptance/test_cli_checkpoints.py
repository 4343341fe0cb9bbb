"""`recollect checkpoint`, on a real database."""

import json

WHO = ("--user", "alice", "--thread", "t")


def test_a_state_is_saved_loaded_listed_and_removed(run, answer, tmp_path):
    file = tmp_path / "state.json"
    file.write_text('{"step": 1, "name": "é"}', "utf-8")
    saved = answer("checkpoint", "save", str(file), *WHO, "--agent", "planner")
    assert (saved["version"], saved["thread_id"], saved["saved_by"]) == (1, "t", "planner")
    assert "version 2 of t" in run("checkpoint", "save", "-", *WHO, input='{"step": 2}').stdout
    assert json.loads(run("checkpoint", "load", *WHO).stdout) == {"step": 2}
    assert answer("checkpoint", "load", "--version", "1", *WHO)["state"] == {"step": 1, "name": "é"}
    assert [each["version"] for each in answer("checkpoint", "list", *WHO)] == [2, 1]
    assert "planner" in run("checkpoint", "list", *WHO).stdout
    assert answer("checkpoint", "list", "--before", "2", *WHO)[0]["version"] == 1
    assert answer("checkpoint", "delete", *WHO) == 2
    assert "No checkpoints" in run("checkpoint", "list", *WHO).stdout


def test_mistakes_are_told(run, tmp_path):
    assert "thread" in run("checkpoint", "load", "--user", "alice", ok=2).stderr
    assert "nothing was saved" in run("checkpoint", "load", *WHO, ok=3).stderr
    assert "no JSON" in run("checkpoint", "save", "-", *WHO, ok=2, input="{").stderr
    assert "there is no file" in run("checkpoint", "save", str(tmp_path / "none"), *WHO, ok=2).stderr
    run("checkpoint", "save", "-", *WHO, input="1")
    assert "if_version" in run("checkpoint", "save", "-", "--if-version", "0", *WHO, ok=4, input="2").stderr
