"""`recollect simulate`: days of a synthetic user, and a picture of what is remembered."""

import asyncio
import json
import math
from itertools import pairwise
from pathlib import Path

import pytest

from recollect.core.settings import load_settings
from recollect.graph.names import NODE_KINDS
from recollect.simulation.choices import changed, chosen, without_models
from recollect.simulation.course import Life, simulate
from recollect.simulation.looking import AWAY
from recollect.simulation.story import THEMES, YEAR, Story

pytestmark = pytest.mark.once

# Ten times as fast as usual, so that two months show what a year does.
RATE = 0.2
QUICK = {"decay_rate": RATE, "ephemeral_episodic_days": 12, "forgetting_days": 14, "purge_days": 7}


@pytest.fixture(scope="module")
def life() -> Life:
    return asyncio.run(simulate(64, **QUICK))


class TestStory:
    def test_the_same_seed_is_the_same_life(self) -> None:
        assert list(Story(3).days(60)) == list(Story(3).days(60))
        assert list(Story(3).days(60)) != list(Story(4).days(60))

    def test_a_year_has_what_lasts_what_pauses_and_what_comes_once(self) -> None:
        days = list(Story().days(YEAR))
        policies = {note.ttl_policy for day in days for note in day.notes}
        assert policies == {"decay", "ephemeral", "keep_forever"}
        assert any(day.talk for day in days)
        assert sum(day.is_quiet for day in days) > YEAR / 2
        for theme in THEMES:
            written = {place for place, day in enumerate(days) if any(theme.name in note.text for note in day.notes)}
            assert len(written) >= 5
            assert all(theme.goes_on(day) for day in written)

    def test_nobody_asks_how_it_is_going_once_it_is_over(self) -> None:
        for place, day in enumerate(Story().days(YEAR)):
            for theme in THEMES:
                if theme.question in {question.text for question in day.questions}:
                    assert theme.goes_on(place)


class TestFading:
    def test_salience_falls_as_the_formula_says(self, life: Life) -> None:
        """With no recall in between, and at most one ever: from the second on the rate depends on their spacing."""
        rates = []
        for track in life.tracks:
            for (day, left, recalls), (later, after, still) in pairwise(
                zip(track.days, track.salience, track.recalls, strict=True)
            ):
                if recalls == still and recalls <= 1 and track.ttl_policy != "keep_forever":
                    doubt = 0 if track.confidence >= 0.8 else 1 + (1 - track.confidence) * 2
                    rate = RATE / 2 if recalls else RATE * doubt
                    rates.append(rate)
                    assert after == pytest.approx(left * math.exp(-rate * (later - day)), rel=1e-6)
        assert {0, RATE / 2} < set(rates), "sure candidates, recalled ones and doubtful ones"

    def test_states_follow_use_and_what_is_left(self, life: Life) -> None:
        for track in life.tracks:
            for day, left, recalls, state in zip(track.days, track.salience, track.recalls, track.states, strict=True):
                if state in AWAY:
                    continue
                assert (state == "candidate") == (recalls == 0)
                assert state != "core" or recalls >= 10
                assert track.kind not in NODE_KINDS or left >= 0.01
                assert track.kind != "source" or left >= 0.2 or day - track.days[0] <= 7

    def test_what_was_for_today_only_goes_when_its_time_is_over(self, life: Life) -> None:
        for track in life.tracks:
            if track.ttl_policy == "ephemeral" and track.kind == "source":
                for day, state in zip(track.days, track.states, strict=True):
                    assert (state == "archived") == (day - track.days[0] >= 12)

    def test_every_fate_has_an_example(self, life: Life) -> None:
        fates = {example.fate: example.track for example in life.course.examples}
        assert fates["kept forever"].salience[-1] == 1
        assert fates["a note nobody asked for"].salience[-1] == 0.5
        assert fates["a note recalled once"].state == "archived"
        assert fates["a note for today only"].state == "archived"
        assert fates["a doubtful name, mentioned once"].state == "archived"
        assert fates["a note asked for again and again"].recalled > 3
        assert all(track.title for track in fates.values())

    def test_nights_archive_delete_and_tell_stories(self, life: Life) -> None:
        course, last = life.course, life.course.samples[-1]
        for job in ("decay", "source_consolidation", "forgetting", "purge", "storyline_promotion"):
            assert course.total(job), job
        assert course.total("purge") <= course.total("forgetting")
        assert {story.about for story in last.stories} >= {"Kestrel", "Solveig Lindqvist"}
        assert last.count("storyline") == sum(story.kind == "storyline" for story in last.stories)
        assert 0 < last.visible < last.entries


def test_no_model_is_asked_unless_the_call_names_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_MODEL", "openai:dear")
    monkeypatch.setenv("RECOLLECT_MODEL_SUMMARISE", "openai:dearer")
    free = without_models(load_settings(), ())
    assert (free.model, free.model_summarise) == (None, None)
    assert without_models(load_settings(), ["model"]).model == "openai:dear"


class TestPicture:
    @pytest.mark.parametrize(("ending", "signature"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
    def test_it_is_written(self, life: Life, tmp_path: Path, ending: str, signature: bytes) -> None:
        from recollect.simulation.drawing import draw

        picture = tmp_path / f"life.{ending}"
        draw(life, picture)
        assert picture.read_bytes().startswith(signature)

    def test_it_names_the_settings(self, life: Life) -> None:
        assert "decay_rate = 0.2 (default 0.02)" in changed(life.course.settings)
        assert changed(chosen(load_settings(), ())) == ""


class TestCommand:
    def test_it_draws_and_gives_the_series(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        from recollect.cli import app

        picture = tmp_path / "life.png"
        options = ["--days", "6", "-o", str(picture), "--set", "decay_rate=0.05", "--json"]
        app(["simulate", *options], standalone_mode=False)
        course = json.loads(capsys.readouterr().out)["course"]
        assert course["days"] == 6
        assert course["settings"]["decay_rate"] == 0.05
        assert course["settings"]["embedder"] == "fake"
        assert [sample["day"] for sample in course["samples"]] == list(range(6))
        assert sum(course["samples"][-1]["states"]["source"].values()) == 6
        assert picture.read_bytes().startswith(b"\x89PNG")

    def test_it_tells_in_a_table(self, life: Life, capsys: pytest.CaptureFixture[str]) -> None:
        from recollect.cli.output import Output
        from recollect.cli.simulate import _told

        Output(as_json=False).answer(None, lambda: _told(life.course, Path("life.png")))
        told = capsys.readouterr().out
        assert "decay_rate = 0.2 (default 0.02)" in told
        assert "storylines" in told
        assert "soft-deleted" in told
        assert "Drawn to life.png." in told

    def test_help_explains_what_is_drawn_and_what_can_be_set(self, capsys: pytest.CaptureFixture[str]) -> None:
        from recollect.cli import app

        app(["simulate", "--help"], standalone_mode=False)
        told = capsys.readouterr().out
        assert "decay_rate" in told
        assert "storylines" in told
