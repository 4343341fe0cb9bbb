"""Two texts about the same thing: contradictions, and one text for both."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.errors import Unavailable
from recollect.providers.language.fake import FakeLanguageModel
from recollect.understanding import merging
from recollect.understanding.importance import Signals, score, updated_confidence
from recollect.understanding.merging import contradictions, merged_by_model, union
from recollect.understanding.units import units


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Access tokens expire after 15 minutes.", "Access tokens expire after 60 minutes."),
        ("We use Redis for sessions.", "We do not use Redis for sessions."),
        ("The auth service uses JWT.", "The auth service no longer uses JWT."),
        ("- The deployment target is AWS.", "- The deployment target is Azure."),
        ("We run PostgreSQL 14 in production.", "We run PostgreSQL 16 in production."),
        ("The production database runs on PostgreSQL 14.", "PostgreSQL 16 is what the production database runs on."),
        ("Python 3.11 is required.", "Python 3.12 is required."),
        ("The API listens on port 8080.", "The API listens on port 9090."),
        ("Deadline: 3 March", "Deadline: 10 March"),
        ("The backup runs daily at night.", "The backup runs weekly at night."),
        ("Backups run every day.", "Backups run once a week."),
        ("The budget request was approved.", "The budget request was rejected."),
        ("- Create API endpoints: blocked", "- Create API endpoints: done"),
        ("Status: **blocked**", "Status: **done**"),
        ("The migration is in progress.", "The migration is on hold."),
        ("The tests are failing.", "The tests are passing."),
    ],
)
def test_what_cannot_both_hold_is_found(older: str, newer: str) -> None:
    assert len(contradictions("Something else is said first.\n" + older, newer)) == 1
    assert contradictions(older, older) == []


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("- [ ] Create API endpoints", "- [x] Create API endpoints"),
        ("- [x] Set up database", "- [x] Set up cache"),
        ("Tokens expire after 15 minutes.", "Tokens expire after 15 minutes. Logout revokes them."),
        ("Atlas backup number 3 of the database is done.", "Atlas backup number 4 of the database is done."),
        ("Ticket 14 is closed.", "Ticket 16 is closed."),
        ("The daily report is sent to Maria.", "The weekly report is sent to Maria."),
        ("We upgraded PostgreSQL 14.", "We upgraded from PostgreSQL 14 to PostgreSQL 16."),
        ("On 3 March we met Acme.", "On 10 March we met Acme."),
        ("## Login\nStatus: blocked", "## Signup\nStatus: done"),
        ("The task is done.", "The task is finished."),
    ],
)
def test_what_can_both_hold_is_no_contradiction(older: str, newer: str) -> None:
    assert contradictions(older, newer) == []


def test_the_union_keeps_headings_and_takes_ticked_boxes() -> None:
    older = "# Progress\n\n- [x] Set up database\n- [ ] Create API endpoints\n\n# Notes\n\nThe API is versioned."
    newer = "# Progress\n\n- [x] Create API endpoints\n- [ ] Write tests\n\n# Risks\n\nNo backup yet."
    assert union(older, newer) == (
        "# Progress\n\n- [x] Set up database\n- [x] Create API endpoints\n- [ ] Write tests\n\n"
        "# Notes\n\nThe API is versioned.\n\n# Risks\nNo backup yet."
    )


def test_of_two_sentences_that_say_the_same_the_fuller_one_stays() -> None:
    older = "The billing service uses PostgreSQL."
    assert union(older, "The billing service uses PostgreSQL.") == older
    assert union("Tea is fine. " + older, older) == "Tea is fine. " + older


texts = st.lists(
    st.sampled_from(
        ["# One", "# Two", "- a first item", "- [x] a box", "- [ ] a box", "Words are here.", "More words."]
    )
).map("\n".join)


@given(texts, texts)
def test_the_union_loses_nothing_and_a_second_time_changes_nothing(older: str, newer: str) -> None:
    both = union(older, newer)
    keys = {unit.key for unit in units(both) if not unit.heading}
    assert {unit.key for text in (older, newer) for unit in units(text) if not unit.heading} <= keys
    assert union(both, newer) == both


async def test_a_model_may_merge_if_it_loses_nothing() -> None:
    model = FakeLanguageModel(lambda _: {"text": "Tokens expire after 15 minutes, says Maria. Logout works."})
    assert "Logout" in str(await merged_by_model(model, "Tokens expire after 15 minutes, says Maria.", "Logout works."))
    forgetful = FakeLanguageModel(lambda _: {"text": "Tokens expire. Logout works."})
    assert await merged_by_model(forgetful, "Tokens expire after 15 minutes, says Maria.", "Logout works.") is None
    for garbage in (
        "Tokens expire after 15 minutes, says Maria. Logout works.\0",
        "Tokens expire after 15 minutes, says Maria. Logout works since 1999.",
        "Tokens do not expire after 15 minutes, says Maria. Logout works.",
        "   ",
    ):
        said = FakeLanguageModel(lambda _, text=garbage: {"text": text})
        assert await merged_by_model(said, "Tokens expire after 15 minutes, says Maria.", "Logout works.") is None
    down = FakeLanguageModel(lambda _: Unavailable("model", "down"))
    with pytest.raises(Unavailable):
        await merged_by_model(down, "a", "b")
    assert await merged_by_model(down, "x" * 20_000, "b") is None
    assert merging.Merged(text="x").text == "x"


def test_importance_needs_more_than_being_new() -> None:
    new = Signals(stated=0.5, accesses=0, connections=20, repetitions=0, age_days=0)
    assert score(new, 30) < 0.7
    assert score(Signals(0.5, 0, 10, 1, 0), 30) >= 0.7
    assert score(Signals(0.9, 0, 0, 0, 400), 30) >= 0.7
    assert score(Signals(0.5, 20, 0, 0, 5), 30) >= 0.7
    assert 0 <= score(Signals(1, 10**6, 10**6, 10**6, -5), 30) <= 1


def test_confidence_follows_the_documents_formula() -> None:
    assert updated_confidence(0.5, 1.0) == pytest.approx(0.65)
    assert updated_confidence(0.8, 0.0) == pytest.approx(0.56)
