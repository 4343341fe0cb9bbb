"""Talking at the terminal, and the commands of conversations and profiles, on a real database."""

import asyncio
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from typer.testing import Result

from openai_endpoint import Asked, Reply, Server, failed, gone, listening, said

Run = Callable[..., Result]
Answer = Callable[..., Any]

SCRIPT = Path(sys.executable).parent / "recollect"
MOVES = "Hi, my name is Alice and I live in Lisbon.\nActually, I moved to Porto.\n"


@pytest.fixture
def talk(run: Run) -> Callable[..., list[dict[str, Any]]]:
    """Pipe lines into a talk; the objects that it answers with."""

    def invoke(*lines: str, options: tuple[str, ...] = ()) -> list[dict[str, Any]]:
        done = run("chat", "--json", *options, input="".join(f"{line}\n" for line in lines))
        return [json.loads(line) for line in done.stdout.splitlines()]

    return invoke


def summed_up(learned: list[dict[str, Any]]) -> list[tuple[str, str | None, str, str | None]]:
    return [(each["what"], each["key"], each["text"], each["before"]) for each in learned]


# Talking without a model


def test_a_talk_shows_the_context_and_what_was_learned(run: Run) -> None:
    shown = run("chat", "--system", "Be brief.", input=MOVES + "\n/profile\n").stdout
    first, second, profile = shown.split("you › ")[1:]
    assert "No model is configured" in first
    assert re.search(r"sent \d+ tokens, \d+% of it stable", first)
    assert "learned: name = Alice" in first
    assert "learned: city = Lisbon" in first
    assert "changed: city = Porto (was Lisbon)" in second
    for line in ("  Be brief.", "  # Recent Conversation", "  user: Hi, my name is Alice and I live in Lisbon."):
        assert f"\n{line}\n" in second
    assert re.search(r"identity +city +Porto", profile)
    assert "\x1b" not in shown


def test_a_talk_in_json_is_one_object_a_line(talk: Callable[..., list[dict[str, Any]]]) -> None:
    first, second, profile = talk(*MOVES.splitlines(), "/profile")
    assert (first["turn"], first["said"], first["reply"], first["problem"], first["waits"]) == (
        1,
        MOVES.splitlines()[0],
        None,
        None,
        None,
    )
    assert ("learned", "city", "Lisbon", None) in summed_up(first["learned"])
    assert ("changed", "city", "Porto", "Lisbon") in summed_up(second["learned"])
    assert second["context"]["text"].startswith("# Recent Conversation\nuser: Hi, my name is Alice")
    assert 0 < second["context"]["stable_prefix"] < len(second["context"]["text"])
    assert {fact["key"]: fact["value"] for fact in profile["profile"]} == {"name": "Alice", "city": "Porto"}


def test_what_was_learned_is_told_once(talk: Callable[..., list[dict[str, Any]]]) -> None:
    first, second = talk("I live in Lisbon.", "Thanks.")
    assert [each["key"] for each in first["learned"]] == ["city"]
    assert second["learned"] == []
    [again] = talk("Hello again.")
    assert (again["turn"], again["learned"]) == (3, [])


def test_another_thread_recalls(talk: Callable[..., list[dict[str, Any]]]) -> None:
    talk("The spare key of the boat lies under the blue bucket.")
    [near] = talk("Where is the spare key of the boat?", options=("--thread", "other"))
    found = [*near["recalled"], *near["more"]]
    assert "blue bucket" in found[0]["memory"]["content"]
    assert "blue bucket" in near["context"]["text"]
    assert bool(near["more"]) == (not near["recalled"])


def test_where_nothing_is_sure_the_nearest_is_shown_and_given(run: Run, talk: Any, monkeypatch: Any) -> None:
    talk("The spare key of the boat lies under the blue bucket.")
    monkeypatch.setenv("RECOLLECT_CONTEXT_THRESHOLD", "1")
    [turn] = talk("What about water?", options=("--thread", "other"))
    assert turn["recalled"] == []
    [hit] = turn["more"]
    assert "blue bucket" in hit["memory"]["content"]
    working = turn["context"]["text"].split("# Working Memory")[1]
    assert re.search(
        r"<<<recollect:recalled>>>\n- \d{4}-\d\d-\d\d, user: The spare key .*\n<<<recollect:end>>>", working
    )
    # Another question: that one may be found by now, in the words of the thread before.
    assert "perhaps: " in run("chat", "--thread", "third", input="Any news of the tide?\n").stdout


def test_a_hedged_statement_waits_and_can_be_promoted(run: Run, answer: Answer, talk: Any) -> None:
    [turn, listed] = talk("I might move to Porto next year.", "/pending")
    [(what, key, text, _)] = summed_up(turn["learned"])
    assert (what, key) == ("pending", None)
    [waiting] = answer("pending")
    assert (waiting["content"], waiting["pending"]) == (text, True)
    assert [each["id"] for each in listed["pending"]] == [waiting["id"]]
    assert text in run("pending").stdout
    assert answer("promote", waiting["id"])["pending"] is False
    assert answer("pending") == []
    assert "Nothing is pending" in run("pending").stdout


def test_proposals_are_decided_in_the_talk(run: Run, answer: Answer) -> None:
    run("profile", "set", "identity", "city", "Lisbon")
    shown = run("chat", input="I live in Porto.\n/no 7\n/yes 1\n/profile\n").stdout
    assert "proposed: city = Porto? (a person set the present value) /yes 1 or /no 1" in shown
    assert "there is no open proposal 7" in shown
    assert "city = Porto: accepted" in shown
    assert "changed: city = Porto (was Lisbon)" in shown
    assert [fact["value"] for fact in answer("profile")] == ["Porto"]
    refused = run("chat", input="I live in Faro.\n/no 1\n").stdout
    assert "city = Faro: declined" in refused
    assert [fact["value"] for fact in answer("profile")] == ["Porto"]
    assert [each["status"] for each in answer("consents", "--status", "all")] == ["accepted", "declined"]


def test_commands_of_a_talk(run: Run) -> None:
    shown = run("chat", input="/context\n\n   \n/sing\n/help\nHello there.\n/context\n/quit\nNever said.\n").stdout
    for text in ("Nothing was asked yet.", "/sing is none; /help lists them", "/yes N, /no N"):
        assert text in shown
    assert shown.count("user: Hello there.") == 2
    assert "Never said" not in shown


def test_a_line_that_cannot_be_taken_ends_nothing(run: Run) -> None:
    done = run("chat", "--json", input=b"caf\xe9\nStill here.\n")
    wrong, right = map(json.loads, done.stdout.splitlines())
    assert "content: holds a lone surrogate" in wrong["problem"]
    assert (right["turn"], right["said"]) == (1, "Still here.")
    shown = run("chat", input=b"caf\xe9\nStill here.\n").stdout
    assert "you › caf?\ncontent: holds a lone surrogate" in shown


def test_a_talk_in_a_project_learns_of_both_spaces(talk: Callable[..., list[dict[str, Any]]]) -> None:
    [turn] = talk(
        "I live in Lisbon. We decided to use PostgreSQL for the archive.", options=("--user", "ana", "--project", "x")
    )
    spaces = {(each["kind"], each["space"]) for each in turn["learned"]}
    assert ("profile", "user:ana") in spaces
    assert {space for kind, space in spaces if kind == "statement"} <= {"project:x"}


def test_an_ended_conversation_is_taken_up_again(run: Run, answer: Answer, database_url: str) -> None:
    run("chat", input="Hello.\n")
    with psycopg.connect(database_url) as owner:
        owner.execute("update recollect.conversation set status = 'ended', ended_at = now()")
    run("chat", input="Hello again.\n")
    [conversation] = answer("conversations")
    assert (conversation["thread_id"], conversation["status"], conversation["last_turn"]) == ("chat", "active", 2)


# Talking with a model


@pytest.fixture
async def endpoint(run: Run, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Server]:
    """A model that replies with the number of its reply, and learns nothing."""
    async with listening() as server:
        monkeypatch.setenv("RECOLLECT_MODEL", "openai:tiny")
        monkeypatch.setenv("RECOLLECT_MODEL_URL", server.url)
        server.answer = lambda asked: said(
            {"text": f"Reply {len(replies_of(server))}."} if is_reply(asked) else {"facts": [], "statements": []}
        )
        yield server


def is_reply(asked: Asked) -> bool:
    return "Reply to the user's last message" in asked.text


def replies_of(server: Server) -> list[Asked]:
    return [asked for asked in server.asked if is_reply(asked)]


async def test_a_model_replies_to_the_context(run: Run, answer: Answer, endpoint: Server) -> None:
    done = await asyncio.to_thread(run, "chat", "--system", "Be brief.", input="My boat is called Rita.\nAnd hers?\n")
    assert "assistant › Reply 1." in done.stdout
    assert "assistant › Reply 2." in done.stdout
    assert "No model is configured" not in done.stdout
    _, second = replies_of(endpoint)
    for text in ("Be brief.", "user: My boat is called Rita.\nassistant: Reply 1.\n", "user: And hers?"):
        assert text in second.text
    logged = await asyncio.to_thread(answer, "messages", "--thread", "chat")
    assert [(message["role"], message["content"]) for message in logged] == [
        ("user", "My boat is called Rita."),
        ("assistant", "Reply 1."),
        ("user", "And hers?"),
        ("assistant", "Reply 2."),
    ]


async def test_replies_may_have_a_model_of_their_own(
    run: Run, endpoint: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_MODEL_REPLY", "openai:wise")
    await asyncio.to_thread(run, "chat", input="Hello.\n")
    assert {asked.body["model"] for asked in replies_of(endpoint)} == {"wise"}


async def test_what_is_only_near_is_given_to_the_model(
    run: Run, endpoint: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    await asyncio.to_thread(run, "add", "The spare key lies under the blue bucket.")
    monkeypatch.setenv("RECOLLECT_CONTEXT_THRESHOLD", "1")
    await asyncio.to_thread(run, "chat", input="What about water?\n")
    [asked] = replies_of(endpoint)
    assert "blue bucket" in asked.text


FAILURES: dict[str, tuple[Reply, str]] = {
    "busy": (failed(503), "tiny answered with status 503"),
    "nonsense": (said("I would rather sing."), "tiny did not answer in the form that it was asked for"),
}


@pytest.mark.parametrize("name", FAILURES)
async def test_a_model_that_fails_ends_nothing(run: Run, answer: Answer, endpoint: Server, name: str) -> None:
    reply, text = FAILURES[name]
    good = endpoint.answer
    assert good is not None
    endpoint.answer = lambda asked: reply if is_reply(asked) and "Still there?" not in asked.text else good(asked)
    done = await asyncio.to_thread(run, "chat", input="I live in Lisbon.\nStill there?\n")
    assert re.search(rf"\nNo reply: .*{text}\n", done.stdout)
    assert "assistant › Reply " in done.stdout
    logged = await asyncio.to_thread(answer, "messages", "--thread", "chat")
    assert [message["role"] for message in logged] == ["user", "user", "assistant"]


async def test_an_absent_model_ends_nothing(run: Run, endpoint: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_MODEL_URL", await gone())
    done = await asyncio.to_thread(run, "chat", "--json", input="I live in Lisbon.\n")
    [turn] = map(json.loads, done.stdout.splitlines())
    assert turn["reply"] is None
    assert "cannot be reached" in turn["problem"]
    # Rules read what the model could not.
    assert [each["key"] for each in turn["learned"]] == ["city"]


# As a process


@pytest.fixture
def environment(run: Run) -> dict[str, str]:
    """The environment of a script on the test's database, as `run` has set it."""
    return dict(os.environ)


def test_lines_from_a_file(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text("I live in Lisbon.\nThanks.")
    with (tmp_path / "lines.txt").open() as file:
        done = subprocess.run([SCRIPT, "chat", "--json"], env=environment, stdin=file, capture_output=True, check=True)
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["said"], second["said"]) == ("I live in Lisbon.", "Thanks.")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_talk_that_waits_for_a_line_can_be_stopped(environment: dict[str, str], number: int, code: int) -> None:
    talking = subprocess.Popen(
        [SCRIPT, "chat", "--json"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that starts the tests in the background has interrupts ignored, which children inherit.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    assert talking.stdin is not None
    assert talking.stdout is not None
    talking.stdin.write("I live in Lisbon.\nhalf a li")
    talking.stdin.flush()
    assert json.loads(talking.stdout.readline())["turn"] == 1
    time.sleep(0.2)
    talking.send_signal(number)
    assert talking.wait(30) == code
    talking.communicate()


def test_a_terminal_is_asked_for_lines(environment: dict[str, str]) -> None:
    typing, terminal = pty.openpty()
    try:
        os.write(typing, b"I live in Lisbon.\n\x04")  # Ctrl-D ends
        done = subprocess.run(
            [SCRIPT, "chat"], env=environment, stdin=terminal, capture_output=True, text=True, check=True
        )
    finally:
        os.close(typing)
        os.close(terminal)
    assert done.stdout.count("you › ") == 2
    assert done.stdout.endswith("you › \n")
    assert "learned: city = Lisbon" in done.stdout


# The context


def test_a_context_is_printed(run: Run, answer: Answer) -> None:
    run("chat", "--thread", "boat", input="I live in Lisbon.\n")
    run("add", "a\tb", "--role", "user", "--thread", "boat")
    ask = ("context", "Where do I live?", "--thread", "boat")
    text = run(*ask, "--system", "Be brief.").stdout
    assert text.startswith("Be brief.\n\n# Recent Conversation\nuser: I live in Lisbon.\n")
    assert "user: Where do I live?" in text
    whole = answer(*ask)
    assert whole["text"] == run(*ask).stdout.removesuffix("\n")
    assert whole["tokens"] > 10
    assert 0 < whole["stable_prefix"] < len(whole["text"])
    messages = json.loads(run(*ask, "--format", "openai").stdout)
    assert [message["role"] for message in messages] == ["user"] * 3
    anthropic = json.loads(run(*ask, "--format", "anthropic").stdout)
    assert anthropic["messages"][-1]["role"] == "user"
    assert whole["openai"] == messages


def test_a_small_budget_is_kept_and_told(run: Run, answer: Answer) -> None:
    run("chat", "--thread", "boat", input="I live in Lisbon.\n")
    done = run("context", "Where do I live?", "--thread", "boat", "--tokens", "64")
    assert "Recent Conversation" not in done.stdout
    assert "fewer than 256 tokens" in done.stderr
    assert answer("context", "Where do I live?", "--thread", "boat", "--tokens", "64")["tokens"] <= 64


# Profile, proposals, guidance


def test_the_profile_by_hand(run: Run, answer: Answer) -> None:
    assert "Nothing is known yet" in run("profile").stdout
    assert answer("profile", "set", "identity", "city", "Lisbon")["value"] == "Lisbon"
    run("profile", "set", "identity", "city", "Porto")
    run("profile", "set", "preference", "drink", "green tea", "--user", "ines")
    [fact] = answer("profile")
    assert (fact["type"], fact["key"], fact["value"], fact["confidence"]) == ("identity", "city", "Porto", 1.0)
    assert re.search(r"preference +drink +green tea", run("profile", "--user", "ines").stdout)
    events = answer("history", fact["memory_ids"][0])
    assert events[0]["reason"] == "set by hand"


def test_an_option_before_the_command_is_not_lost(run: Run, answer: Answer) -> None:
    refused = run("profile", "--user", "ines", "set", "identity", "city", "Porto", ok=2)
    assert "--user goes after 'set'" in refused.stderr
    assert answer("profile", "--user", "ines") == []
    assert answer("profile") == []


def test_proposals_by_command(run: Run, answer: Answer) -> None:
    run("profile", "set", "identity", "city", "Lisbon")
    run("chat", input="I live in Porto.\n")
    [proposal] = answer("consents")
    assert (proposal["key"], proposal["value"], proposal["status"]) == ("city", "Porto", "open")
    assert "city = Porto" in run("consents").stdout
    assert "Missing option" in run("decide", proposal["id"], ok=2).stderr
    assert answer("decide", proposal["id"], "--decline")["status"] == "declined"
    assert "is declined already" in run("decide", proposal["id"], "--accept", ok=4).stderr
    assert answer("consents") == []
    assert [each["id"] for each in answer("consents", "--status", "declined")] == [proposal["id"]]


def test_guidance(run: Run, answer: Answer) -> None:
    assert answer("guide") == {}
    assert "no guidance" in run("guide").stdout
    told = answer("guide", "--instructions", "Heed ships.", "--profile-key", "boat", "--profile-key", "home port")
    assert told["instructions"] == "Heed ships."
    assert told["profile_keys"] == ["boat", "home_port"]
    assert answer("guide", "--entity-type", "ship") == told | {"entity_types": ["ship"]}
    assert "boat, home_port" in run("guide").stdout


# Conversations


def test_conversations_and_their_messages(run: Run, answer: Answer) -> None:
    for thread in ("one", "two"):
        for number in (1, 2, 3):
            run("add", f"{thread} {number}", "--role", "user", "--thread", thread, "--name", "Ines")
    first = answer("conversations", "--limit", "1")
    assert [each["thread_id"] for each in first] == ["one"]
    assert [each["thread_id"] for each in answer("conversations", "--after", first[0]["id"])] == ["two"]
    assert answer("conversations", "--status", "ended") == []
    assert f"More: --after {first[0]['id']}" in run("conversations", "--limit", "1").stdout
    assert [message["content"] for message in answer("messages", "--thread", "one", "--first", "2", "-n", "1")] == [
        "one 2"
    ]
    shown = run("messages", "--thread", "two", "-n", "2").stdout
    assert "Ines (user)" in shown
    assert "More: --first 3" in shown


def test_a_message_is_taken_back(run: Run, answer: Answer) -> None:
    run("chat", input="I live in Lisbon.\n")
    assert [fact["value"] for fact in answer("profile")] == ["Lisbon"]
    done = answer("retract", "1", "--thread", "chat", "--replace", "I live in Porto.")
    assert (done["turn"], done["in_place_of"]) == (2, 1)
    assert [fact["value"] for fact in answer("profile")] == ["Porto"]
    first, second = answer("messages", "--thread", "chat")
    assert (first["retracted"], second["in_place_of"]) == (True, 1)
    shown = run("messages", "--thread", "chat").stdout
    assert "taken back" in shown
    assert "in place of 1" in shown
    assert "Turn 2 is taken back." in run("retract", "2", "--thread", "chat").stdout
    assert answer("profile") == []


def test_the_arc_of_a_conversation(run: Run, answer: Answer) -> None:
    run("add", "Hello.", "--role", "user", "--thread", "t")
    assert "No milestones yet" in run("arc", "--thread", "t").stdout
    run("add", "We decided to use PostgreSQL for the archive.", "--role", "user", "--thread", "t")
    told = answer("arc", "--thread", "t")
    [episode] = [each for third in ("beginning", "middle", "end") for each in told[third]]
    assert episode["milestone"]["type"] == "decision"
    assert "decision, turn 2: " in run("arc", "--thread", "t").stdout


MISTAKES: dict[str, tuple[tuple[str, ...], int, str]] = {
    "no thread": (("messages",), 2, "thread: name the conversation with --thread"),
    "unknown thread": (("messages", "--thread", "nowhere"), 3, "there is no conversation 'nowhere'"),
    "arc of nothing": (("arc", "--thread", "nowhere"), 3, "there is no conversation 'nowhere'"),
    "context without thread": (("context", "What?"), 2, "--thread: name the thread"),
    "context of few tokens": (("context", "What?", "--thread", "t", "--tokens", "3"), 2, "tokens: must be from 16"),
    "chat of few tokens": (("chat", "--tokens", "3"), 2, "tokens: must be at least 16"),
    "type": (("profile", "set", "mood", "city", "Porto"), 2, "type: must be one of constraint"),
    "empty value": (("profile", "set", "identity", "city", " "), 2, "value: is empty"),
    "status": (("consents", "--status", "odd"), 2, "status: must be one of accepted"),
    "no proposal": (("decide", str(UUID(int=1)), "--accept"), 3, "there is no proposal"),
    "no id": (("decide", "nonsense", "--accept"), 2, "id: is no id: 'nonsense'"),
    "nothing to promote": (("promote", str(UUID(int=1))), 3, "there is no memory"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_one_clear_line(run: Run, name: str) -> None:
    arguments, code, text = MISTAKES[name]
    result = run(*arguments, ok=code, input="Hello.\n")
    assert result.stdout == ""
    assert re.fullmatch(r"recollect: [^\n]*\n", result.stderr), result.stderr
    assert text in result.stderr
    told = run(*arguments, "--json", ok=code, input="Hello.\n")
    assert told.stdout == ""
    assert text.rpartition(": ")[2] in json.loads(told.stderr)["detail"]


def test_looking_begins_no_conversation(run: Run, answer: Answer) -> None:
    run("messages", "--thread", "nowhere", ok=3)
    run("retract", "1", "--thread", "nowhere", ok=3)
    assert answer("conversations") == []


def test_turns_that_are_not_there(run: Run) -> None:
    run("add", "Hello.", "--role", "user", "--thread", "t")
    assert "has no turn 9" in run("retract", "9", "--thread", "t", ok=3).stderr
    run("retract", "1", "--thread", "t")
    assert "turn 1 is retracted already" in run("retract", "1", "--thread", "t", ok=4).stderr
