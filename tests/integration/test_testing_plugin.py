"""The pytest plugin, as users meet it: in a pytest of their own, on a real database."""

import os
import subprocess
import sys
from importlib.metadata import entry_points

import pytest

pytestmark = pytest.mark.once

HEAD = """
import pytest
from recollect import Recollect
from recollect.sync import Recollect as Waiting

SETTINGS = {"embedder": "fake", "worker": False}


@pytest.fixture
async def rc():
    async with Recollect.open(**SETTINGS) as opened:
        yield opened


@pytest.fixture
def waiting():
    with Waiting.open(**SETTINGS) as opened:
        yield opened
"""


@pytest.fixture
def run_tests(database_url, tmp_path):
    """Runs a test of a user's; what pytest said of it."""

    def run(body: str) -> tuple[int, str]:
        file = tmp_path / "test_of_a_user.py"
        file.write_text(HEAD + body)
        installed = any(point.name == "recollect" for point in entry_points(group="pytest11"))
        named = [] if installed else ["-p", "recollect.testing"]
        environment = os.environ | {"RECOLLECT_DATABASE_URL": database_url, "RECOLLECT_DATA_DIR": str(tmp_path)}
        options = ["-q", "-o", "asyncio_mode=auto", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *named, *options, str(file)],
            capture_output=True, text=True, env=environment, cwd=tmp_path, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout

    return run


def test_what_holds_passes(run_tests):
    code, said = run_tests("""
async def test_all(rc, assert_recalls, assert_forgotten, assert_never_leaks):
    alice, bob = rc.scope(user_id="alice"), rc.scope(user_id="bob")
    await alice.add("Alice drinks green tea.")
    await bob.add("Bob drinks coffee.")
    await assert_recalls(alice, "What does Alice drink?", "green tea")
    await assert_forgotten(alice, "Project Nightingale")
    await assert_never_leaks(alice, "green tea", to=[bob])


def test_waiting(waiting, assert_recalls, assert_forgotten, assert_never_leaks):
    alice, bob = waiting.scope(user_id="carol"), waiting.scope(user_id="dave")
    alice.add("Carol drinks green tea.")
    assert_recalls(alice, "What does Carol drink?", "green tea")
    assert_forgotten(alice, "Project Nightingale")
    assert_never_leaks(alice, "green tea", to=[bob])
""")
    assert (code, "2 passed" in said) == (0, True), said


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("await assert_recalls(alice, 'What does Alice drink?', 'coffee')", "does not recall 'coffee'"),
        ("await assert_forgotten(alice, 'green TEA')", "search still has 'green TEA'"),
        ("await assert_never_leaks(alice, 'green tea', to=[alice])", "search still has 'green tea'"),
        ("await assert_never_leaks(alice, 'coffee', to=[alice])", "not known in the first place"),
        ("assert_recalls(alice, 'What does Alice drink?', 'coffee')", "was not awaited"),
    ],
)
def test_what_does_not_hold_fails_and_says_why(run_tests, body, why):
    code, said = run_tests(f"""
async def test_one(rc, assert_recalls, assert_forgotten, assert_never_leaks):
    alice = rc.scope(user_id="alice")
    await alice.add("Alice drinks green tea.")
    {body}
""")
    assert code == 1
    assert why in said


def test_a_message_is_no_secret_place(run_tests):
    code, said = run_tests("""
async def test_one(rc, assert_forgotten):
    alice = rc.scope(user_id="alice")
    chat = await alice.conversation("chat-1")
    await chat.add("user", "My cat is called Mango.")
    await assert_forgotten(alice, "mango")
""")
    assert code == 1
    assert "thread 'chat-1' still has 'mango'" in said


PLACES = {
    "await alice.save_checkpoint({'plan': 'Ask Mango.'})": "recollect.checkpoint_state",
    "await alice.save_checkpoint({'plan': '{\"who\": \"M\\\\u0061ngo\"}'})": "recollect.checkpoint_state",
    "await alice.create_active('Trip', sections={'plan': 'Feed Mango.'})": "recollect.section",
    "await alice.add('A cat.', metadata={'name': 'M&#97;ngo'})": "recollect.memory",
    "await alice.guide(instructions='Look for Mango.')": "recollect.space",
    "await (await alice.conversation('quiet', remember=False)).add('user', 'Mango.')": "thread 'quiet'",
    "await alice.update((await alice.add('Mango purrs.')).id, content='It purrs.')": "recollect.memory_version",
    "await alice.conversation('titled', title='On Mango')": "recollect.conversation",
}
NOTHING = {
    "await assert_forgotten(alice, 'mango')": "nothing is stored",
    "await assert_forgotten(alice)": "no text is named",
    "await assert_forgotten(alice, ' ')": "is no text to look for",
    "await assert_recalls(alice, 'Who purrs?')": "no text is named",
    "await assert_recalls(alice, 'Who purrs?', '')": "is no text to look for",
    "await assert_recalls(alice, 'Who purrs?', 'mango')": "it finds",
    "await assert_never_leaks(alice, 'mango', to=[])": "names nobody",
    "await assert_never_leaks(alice, to=[alice])": "no text is named",
    "await assert_never_leaks(alice, 'mango', to=[alice])": "not known in the first place",
}


def test_no_place_is_a_secret_one(run_tests):
    body = "".join(f"""
async def test_{number}(rc, assert_forgotten):
    alice = rc.scope(user_id="user-{number}", thread_id="desk")
    await alice.add("Alice drinks green tea.")
    await assert_forgotten(alice, "mango")
    {prepare}
    with pytest.raises(AssertionError) as raised:
        await assert_forgotten(alice, "mango")
    assert {f"{where} still has 'mango'"!r} in str(raised.value)
""" for number, (prepare, where) in enumerate(PLACES.items()))  # fmt: skip
    code, said = run_tests(
        body
        + """
def test_waiting(waiting, assert_forgotten):
    alice = waiting.scope(user_id="user-0", thread_id="desk")
    with pytest.raises(AssertionError, match="checkpoint_state still has 'mango'"):
        assert_forgotten(alice, "mango")
"""
    )
    assert (code, f"{len(PLACES) + 1} passed" in said) == (0, True), said


def test_what_would_prove_nothing_fails(run_tests):
    body = "".join(f"""
async def test_{number}(rc, assert_recalls, assert_forgotten, assert_never_leaks):
    alice = rc.scope(user_id="alice")
    with pytest.raises(AssertionError, match={why!r}):
        {asserted}
""" for number, (asserted, why) in enumerate(NOTHING.items()))  # fmt: skip
    code, said = run_tests(body)
    assert (code, f"{len(NOTHING)} passed" in said) == (0, True), said


def test_agents_that_see_less_of_the_same_space(run_tests):
    """What an agent may see is no leak; nor is it one that another may not ask at all. Every page is looked at."""
    code, said = run_tests("""
RULES = "allowlists: {planner: [tasks, activity]}"


@pytest.mark.parametrize("agent", ["planner", "stranger"])
def test_agents(agent, assert_never_leaks):
    with Waiting.open(**SETTINGS, categories=RULES) as rc:
        alice, other = rc.scope(user_id="alice"), rc.scope(user_id="alice", agent_id=agent)
        alice.add("Alice earns 90,000 a year.")
        alice.add("Ask for more than she earns.", category="tasks")
        assert_never_leaks(alice, "90,000", to=other)


async def test_pages(rc, monkeypatch, assert_forgotten, assert_never_leaks):
    monkeypatch.setattr("recollect.testing._MOST", 2)
    alice, bob = rc.scope(user_id="alice"), rc.scope(user_id="bob")
    await alice.add("Mango purrs.")
    for number in range(3):
        chat = await bob.conversation(f"chat-{number}")
        await chat.add_many([{"role": "user", "content": text} for text in ("One.", "Two.", "Three.")])
    await assert_never_leaks(alice, "mango", to=[bob])
    await chat.add("user", "Mango!")
    with pytest.raises(AssertionError, match="thread 'chat-2' still has"):
        await assert_never_leaks(alice, "mango", to=[bob])
""")
    assert (code, "3 passed" in said) == (0, True), said


def test_what_was_forgotten_is_nowhere(run_tests):
    code, said = run_tests("""
async def test_one(rc, assert_forgotten, assert_recalls):
    alice = rc.scope(user_id="alice", thread_id="desk", team_ids=["crew"])
    await alice.ingest("Zelda Quist sings. Rupert Vane paints boats.", team_id="crew")
    await alice.save_checkpoint({"plan": "Ask Zelda Quist. Buy bread."})
    await alice.conversation("quiet", remember=False)
    await rc.drain()
    await alice.forget(person="Zelda Quist")
    await rc.drain()
    await assert_forgotten(alice, "Zelda", "Quist")
    await assert_recalls(alice, "Who paints boats?", "Rupert Vane")
""")
    assert code == 0, said
