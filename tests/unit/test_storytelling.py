"""Stories by rules: what is chosen, how it is dated, and how long it gets."""

from datetime import UTC, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from recollect.hierarchy import telling
from recollect.hierarchy.model import Extent, Node, Piece, most_sensitive
from recollect.understanding.writing import sentences

START = datetime(2026, 3, 8, 23, 30, tzinfo=UTC)
SARAH = Node(UUID(int=1), "Sarah Chen", ("Sarah",))


def pieces(*texts: str, days: float = 1) -> tuple[Piece, ...]:
    moments = [START + number * timedelta(days=days) for number in range(len(texts))]
    return tuple(
        Piece(UUID(int=number), 1, at, at, text, "normal")
        for number, (at, text) in enumerate(zip(moments, texts, strict=True))
    )


def told(*texts: str, zone: str = "UTC", more: int = 0) -> str:
    given = pieces(*texts)
    extent = Extent(len(given) + more, given[0].first, given[-1].last)
    return telling.storyline(SARAH, given, extent, ZoneInfo(zone))


class TestStorylines:
    def test_the_first_the_last_and_what_has_most_to_do_with_the_rest(self) -> None:
        story = told(
            "Sarah Chen joined the ledger team.",
            "It rained in Lisbon.",
            "Sarah found a leak in the ledger of the team.",
            "The ledger shipped.",
        )
        assert story == (
            "On 8 March 2026: Sarah Chen joined the ledger team. "
            "On 10 March 2026: Sarah found a leak in the ledger of the team. "
            "On 11 March 2026: The ledger shipped."
        )

    def test_days_are_those_of_the_zone(self) -> None:
        assert told("One.", "Two.", "Three.", zone="Pacific/Auckland").startswith("On 9 March 2026: One.")

    def test_the_sentence_that_names_the_node_speaks_for_a_source(self) -> None:
        assert "Sarah was promoted." in told("The weather was fine. Sarah was promoted. All left.", "Two.", "Three.")

    def test_more_than_can_be_told_is_counted(self) -> None:
        story = told("One.", "Two.", "Three.", "Four.", more=6)
        assert story.startswith("10 sources speak of Sarah Chen from 8 March 2026 to 11 March 2026. ")
        assert len(sentences(story)) == 3

    @pytest.mark.parametrize("texts", [("",), ("", ""), ("One.",), ("One.", "One.", "One."), ("One.", "Two.")])
    def test_there_are_two_sentences_at_least_whatever_there_is_to_tell(self, texts: tuple[str, ...]) -> None:
        assert 2 <= len(sentences(told(*texts))) <= 3

    def test_sentences_are_cut_closed_and_without_secrets(self) -> None:
        story = told("word " * 200, "The password is hunter2hunter2!", "- It ended")
        assert len(story) < 800
        assert "hunter2" not in story
        assert story.endswith("It ended.")


class TestMacros:
    @pytest.mark.parametrize("count", [2, 3, 4, 9])
    def test_two_to_four_sentences_with_the_beginning_and_the_end(self, count: int) -> None:
        given = pieces(*(f"It began. Chapter {n} ended." for n in range(count)), days=40)
        extent = Extent(30, given[0].first, given[-1].last, count)
        story = telling.macro(SARAH, given, extent, UTC)
        assert len(sentences(story)) == min(4, count + 1)
        assert story.startswith(f"30 sources in {count} storylines speak of Sarah Chen from 8 March 2026 to ")
        assert "8 March 2026: Chapter 0 ended." in story
        assert f"Chapter {count - 1} ended." in story

    def test_what_has_a_day_keeps_it(self) -> None:
        given = pieces("On 1 March 2026: It began.", "On 2 March 2026: It ended.")
        story = telling.macro(SARAH, given, Extent(2, START, START, 2), UTC)
        assert story.endswith("On 1 March 2026: It began. On 2 March 2026: It ended.")


class TestSpans:
    @pytest.mark.parametrize(
        ("days", "span"),
        [(0, "8 March 2026"), (2, "8 March – 10 March 2026"), (300, "8 March 2026 – 2 January 2027")],
    )
    def test_as_people_write_them(self, days: int, span: str) -> None:
        assert telling.span(Extent(1, START, START + timedelta(days=days)), UTC) == span


def test_the_most_sensitive_counts() -> None:
    assert most_sensitive("low", "high", "normal") == "high"
    assert most_sensitive("low", "low") == "low"
