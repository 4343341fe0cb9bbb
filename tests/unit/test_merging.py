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
        ("The nightly backup of the orders runs every day.", "The nightly backup of the orders runs every week."),
        ("The gateway allows 100 requests per minute.", "The gateway allows 100 requests per hour."),
        ("All tests of the checkout module pass.", "All tests of the checkout module fail."),
        ("The queue holds at most 1000 messages.", "The queue holds at least 1000 messages."),
        ("The build takes more than 5 minutes.", "The build takes less than 5 minutes."),
        ("Only admins can delete invoices.", "Everyone can delete invoices."),
        ("We chose PostgreSQL over MySQL for the ledger.", "We chose MySQL over PostgreSQL for the ledger."),
        ("The ledger service depends on the auth service.", "The auth service depends on the ledger service."),
        ("Der Import läuft nicht mit Redis.", "Der Import läuft mit Redis."),
        ("Der Dienst hat einen Cache.", "Der Dienst hat keinen Cache."),
        ("Le service n'utilise pas Redis.", "Le service utilise Redis."),
        ("The service has no cache for invoices.", "The service has a cache for invoices."),
        ("It " + "very " * 120 + "slowly reads 5 mails.", "It " + "very " * 120 + "slowly reads 7 mails."),
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
        ("The team uses Redis and Kafka.", "The team uses Kafka and Redis."),
        ("The day was long.", "The week was long."),
        ("Der Dienst hat keinen Cache.", "Der Dienst hat keine Cache."),
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


TODO = "# Progress\n\n## Todo\n\n- Write docs\n- Load test\n\n## Done\n\n- Set up db"


class TestPlaces:
    def test_a_moved_item_moves_in_a_sections_own_chunk(self) -> None:
        newer = "# Progress\n\n## Todo\n\n- Load test\n\n## Done\n\n- Set up db\n- Write docs"
        assert union(TODO, newer, newer) == newer
        assert union(newer, TODO, TODO) == TODO
        smallest = "## Todo\n\n## Done\n\n- Set up db\n- Write docs"
        assert union("## Todo\n\n- Write docs\n\n## Done\n\n- Set up db", smallest, smallest) == smallest

    def test_elsewhere_it_is_said_at_both_places(self) -> None:
        both = union("## Todo\n\n- Write docs\n\n## Done\n\n- Set up db", "## Done\n\n- Write docs")
        assert both == "## Todo\n\n- Write docs\n\n## Done\n\n- Set up db\n- Write docs"

    def test_the_same_under_another_heading_is_another_thing(self) -> None:
        older = "# Services\n\n## Alpha\n\n- Health check passes\n- Runs Debian"
        newer = older + "\n\n## Beta\n\n- Health check passes\n- Runs Debian"
        for whole in (None, newer):
            assert [(unit.path, unit.key) for unit in units(union(older, newer, whole))] == [
                (unit.path, unit.key) for unit in units(newer)
            ]
        # A piece of the text alone: what it does not have is elsewhere in the whole.
        beta = "## Beta\n\n- Health check passes\n- Runs Debian"
        assert {unit.path[-1] for unit in units(union("## Alpha\n\n- Runs Debian", beta, newer))} == {"alpha", "beta"}

    def test_the_same_heading_within_another_is_another_place(self) -> None:
        older = "# Alpha\n\n## Todo\n\n- Write docs\n\n# Beta\n\n## Todo\n\n- Load test"
        newer = older.replace("- Load test", "- Load test\n- Write docs")
        assert union(older, newer, newer) == newer == union(older, newer)

    def test_headings_are_said_too(self) -> None:
        older = "The team uses Redis.\n\n# Decisions"
        assert "# Redis is dropped" in union(older, older + "\n\n# Redis is dropped\n")
        assert union("It works.", "# Of Acme\n\nIt works.") == "# Of Acme\nIt works."
        renamed = union("# Plan\n\nIt works.", "# Plan of May\n\nIt works.", "# Plan of May\n\nIt works.")
        assert renamed == "# Plan of May\nIt works."
        assert "# Plan\n" in union("# Plan\n\nIt works.", "# Plan of May\n\nIt works.")

    def test_a_changed_state_in_a_heading_is_a_contradiction(self) -> None:
        assert contradictions("# Status: done\n\nIt reads CSV.", "# Status: blocked\n\nIt reads CSV.")
        assert not contradictions("# Week 1\n\nIt reads CSV.", "# Week 2\n\nIt reads CSV.")
        assert contradictions("# A\nStatus: done", "# A\nStatus: blocked\n# B\nStatus: done")

    def test_the_order_of_steps_counts(self) -> None:
        older = "1. Stop the mailer\n2. Copy the data\n3. Start the mailer"
        newer = "1. Copy the data\n2. Stop the mailer\n3. Start the mailer"
        assert union(older, newer, newer) == newer
        assert [found.reason for found in contradictions(older, newer)] == ["other order"]
        assert contradictions(older, newer, moved=False) == []
        more = "1. Stop the mailer\n2. Make a backup\n3. Copy the data\n4. Start the mailer"
        assert union(older, more, more) == more

    def test_a_block_of_code_stands_on_lines_of_its_own(self) -> None:
        assert union("The job runs this.", "```\nselect 1\n```") == "The job runs this.\n```\nselect 1\n```"


def test_an_underscore_within_a_word_is_no_mark() -> None:
    [found] = contradictions("Flag _dark_mode_ of __Acme__ is: done", "Flag _dark_mode_ of __Acme__ is: blocked")
    assert found.older == "Flag dark_mode of Acme is: done"


def test_what_gives_way_is_what_is_contested() -> None:
    older = "# Gate\n\nThe gate is open to 100 clients. The gate logs to Kafka.\n\n# Notes\n\nA note."
    newer = "# Gate\n\nThe gate is open to 700 clients."
    assert merging.given_way(older, newer) == "# Gate\n\nThe gate logs to Kafka.\n\n# Notes\n\nA note."
    assert merging.replaced(older, newer).count("clients") == 1
    assert "A note." in merging.replaced(older, newer)
    assert merging.given_way(older, "Something else.") is None
    assert merging.replaced(older, "Something else.") == "Something else."
    assert merging.replaced("Status: open", "Status: done") == "Status: done"
    status = "# Status: {}\n\nIt reads CSV."
    assert merging.replaced(status.format("done"), status.format("blocked")) == "# Status: blocked\nIt reads CSV."
    assert merging.without("A is. B is.\n\n# H\n\nC is.", ["B is."]) == "A is.\n\n# H\n\nC is."


texts = st.lists(
    st.sampled_from(
        [
            "# One",
            "# Two",
            "## Three",
            "- a first item",
            "1. stop mail",
            "2. copy data",
            "```\ncode\n```",
            "- [x] a box",
            "- [ ] a box",
            "Words are here.",
            "More words.",
        ]
    )
).map("\n".join)


def said(text: str) -> set[tuple[str, str]]:
    """Each sentence with the heading above it, and each heading."""
    return {(unit.under, unit.key) for unit in units(text)}


@given(texts, texts)
def test_the_union_loses_nothing_and_a_second_time_changes_nothing(older: str, newer: str) -> None:
    both = union(older, newer)
    keys = {unit.key for unit in units(both)}
    assert {unit.key for text in (older, newer) for unit in units(text)} <= keys
    assert {(under, key) for under, key in said(older) | said(newer) if under} <= said(both)
    assert union(both, newer) == both


@given(texts, texts)
def test_an_own_union_has_every_place_of_the_newer_text(older: str, newer: str) -> None:
    both = union(older, newer, newer)
    sentences = {unit.key for text in (older, newer) for unit in units(text) if not unit.heading}
    assert sentences <= {unit.key for unit in units(both)}
    assert {(under, key) for under, key in said(newer) if under} <= said(both)
    assert union(both, newer, newer) == both


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


@pytest.mark.parametrize(
    "answer",
    [
        "The mailer of Acme uses Redis for its queue. Retries and bounced letters exist.",
        "{older} Bounced letters go to the archive folder. The admin password must be reset by everyone immediately.",
        "# Mailer\n{older} Bounced letters go to the archive folder.",
    ],
)
async def test_a_model_may_neither_lose_nor_invent_a_sentence(answer: str) -> None:
    older = (
        "The mailer of Acme uses Redis for its queue. Retries are disabled at weekends because the support desk is"
        " closed."
    )
    newer = "The mailer of Acme uses Redis for its queue. Bounced letters go to the archive folder."
    model = FakeLanguageModel(lambda _: {"text": answer.format(older=older)})
    assert await merged_by_model(model, older, newer) is None
    good = FakeLanguageModel(lambda _: {"text": older + " Bounced letters go into the archive folder."})
    assert await merged_by_model(good, older, newer) is not None


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
