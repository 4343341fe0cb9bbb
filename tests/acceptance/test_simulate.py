"""`recollect simulate`: days of a synthetic user, and a picture of what is remembered."""

import json
from pathlib import Path

import pytest

from recollect.simulation.course import simulate
from recollect.simulation.story import Story


def test_the_same_seed_is_the_same_life() -> None:
    assert list(Story(3).days(60)) == list(Story(3).days(60))
    assert list(Story(3).days(60)) != list(Story(4).days(60))


async def test_days_leave_people_and_fade() -> None:
    course = await simulate(24, embedder="fake")
    last = course.samples[-1]
    assert course.notes > 10
    assert last.count("person") >= 3
    assert "Ottilie Brandt" in last.followed
    assert 0 < last.followed["Ottilie Brandt"] <= 1
    assert last.visible <= last.entries


def test_the_command_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from recollect.cli import app

    picture = tmp_path / "life.png"
    app(["simulate", "--days", "3", "-o", str(picture), "--set", "embedder=fake", "--json"], standalone_mode=False)
    told = json.loads(capsys.readouterr().out)
    assert told["course"]["days"] == 3
    assert picture.read_bytes().startswith(b"\x89PNG")
