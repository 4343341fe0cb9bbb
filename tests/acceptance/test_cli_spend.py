"""`recollect spend`, and what `db status` says of it."""


def test_what_was_spent_is_shown(run, answer, monkeypatch):
    run("add", "Alice takes the ferry.", "--user", "alice")
    found = answer("spend", "--user", "alice", "--days", "2")
    assert (found["space"], found["stopped"], len(found["days"])) == ("user:alice", False, 2)
    [asked] = found["days"][0]["asked"]
    assert (asked["model"], asked["task"], asked["usage"]["calls"], asked["usage"]["money"]) == ("fake", "embed", 1, 0)
    shown = run("spend", "--user", "alice").stdout
    assert "has no cap" in shown
    assert "embed" in shown
    assert "Nothing was asked" in run("spend", "--user", "bob").stdout
    monkeypatch.setenv("RECOLLECT_SPEND_TOKENS", "1000")
    monkeypatch.setenv("RECOLLECT_SPEND_MONEY", "0.5")
    assert "1,000 tokens and 0.5 dollars a day" in run("spend", "--user", "alice").stdout
    assert answer("db", "status")["database"]["spent_today"]["calls"] == 1
    assert "models today" in run("db", "status").stdout


def test_mistakes_are_told(run):
    assert "days" in run("spend", "--days", "0", ok=2).stderr
