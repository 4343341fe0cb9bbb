"""The common scale of similarity."""

import json
import logging
import math
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.errors import InvalidInput
from recollect.providers import calibration as module
from recollect.providers.calibration import Calibration, calibrate, calibration_for, save, to_toml
from recollect.providers.embedding.base import Vectors
from recollect.providers.embedding.fake import FakeEmbedder
from recollect.providers.embedding.local import LocalEmbedder

OURS = calibration_for("recollect-recall-v2")


def test_the_marks_lie_where_they_were_measured() -> None:
    marks = [(OURS.relevant, 0.6), (OURS.related, 0.75), (OURS.likely_same, 0.85), (OURS.same, 0.92), (1.0, 1.0)]
    assert [OURS.calibrated(raw) for raw, _ in marks] == pytest.approx([level for _, level in marks])
    assert [OURS.calibrated(raw) for raw in (OURS.floor, -1.0, 2.0, math.nan)] == [0.0, 0.0, 1.0, 0.0]


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_the_scale_rises_and_stays_within_its_ends(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0 <= OURS.calibrated(low) <= OURS.calibrated(high) <= 1


@given(st.floats(0, 1))
def test_raw_is_the_way_back(level: float) -> None:
    assert OURS.calibrated(OURS.raw(level)) == pytest.approx(level)


def test_the_pairs_are_many_and_labelled() -> None:
    pairs = [json.loads(line) for line in module.PAIRS.read_text("utf-8").splitlines()]
    kinds = Counter(pair["kind"] for pair in pairs)
    assert len(pairs) >= 60
    assert set(kinds) == {"paraphrase", "related", "unrelated", "question", "changed"}
    assert len({(pair["kind"], pair["first"], pair["second"]) for pair in pairs}) == len(pairs)


@pytest.mark.parametrize("embedder", [LocalEmbedder(), FakeEmbedder()], ids=lambda embedder: embedder.name)
async def test_the_shipped_values_are_what_is_measured(embedder: LocalEmbedder | FakeEmbedder) -> None:
    found, shipped = await calibrate(embedder), calibration_for(embedder.name)
    for name in ("floor", "relevant", "related", "same"):
        assert getattr(found, name) == pytest.approx(getattr(shipped, name), abs=0.03)
    # What parts two samples best lies anywhere in the gap between them, and one pair moves it there by more than any
    # of the cosines differs from one kind of processor to another: it has to part them as well.
    cosines = await module._measured(embedder)
    parted = [
        sum(cosine < mark for cosine in cosines["related"]) - sum(cosine < mark for cosine in cosines["paraphrase"])
        for mark in (found.likely_same, shipped.likely_same)
    ]
    assert abs(parted[0] - parted[1]) <= 1


async def test_kinds_of_pairs_fall_on_their_sides_of_the_marks() -> None:
    cosines = await module._measured(LocalEmbedder())
    share = {
        kind: lambda level, values=values: sum(OURS.calibrated(value) >= level for value in values) / len(values)
        for kind, values in cosines.items()
    }
    assert share["paraphrase"](module.LIKELY_SAME) > 0.9 > 0.1 > share["related"](module.LIKELY_SAME)
    assert share["question"](module.RELEVANT) > 0.9 > 0.1 > share["unrelated"](module.RELEVANT)
    assert share["changed"](module.LIKELY_SAME) > 0.9, "opposites look alike: similarity alone decides nothing"


class Muddled(FakeEmbedder):
    """An embedder for which everything is the same."""

    name = "muddled"

    def _vector(self, content: str) -> Vectors:
        return super()._vector("")


@pytest.mark.parametrize("embedder", [Muddled(), FakeEmbedder(1), FakeEmbedder(2)])
async def test_a_useless_embedder_gets_a_scale_that_rises(embedder: FakeEmbedder, tmp_path: Path) -> None:
    found = await calibrate(embedder)
    save(found, tmp_path)
    assert calibration_for(found.model, tmp_path).calibrated(1.0) == 1.0


def test_an_unknown_embedder_keeps_its_cosines_and_warns(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        found = calibration_for("openai:large")
    assert [found.calibrated(raw) for raw in (0.0, 0.3, 0.6, 0.92)] == pytest.approx([0.0, 0.3, 0.6, 0.92])
    assert "recollect calibrate" in caplog.text


def test_a_calibration_of_the_user_is_kept_and_found(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    mine = Calibration('openai:"odd" name', 0.1, 0.4, 0.5, 0.7, 0.9)
    own = Calibration("recollect-recall-v2", 0.0, 0.1, 0.2, 0.3, 0.4)
    for made in (mine, own, mine):
        save(made, folder)
    assert [calibration_for(made.model, folder) for made in (mine, own)] == [mine, own]
    assert calibration_for("recollect-recall-v2") == OURS


@pytest.mark.parametrize(
    "text",
    [
        "not toml =",
        '["m"]\nfloor = 0.1\n',
        '["m"]\nfloor = 0.9\nrelevant = 0.4\nrelated = 0.5\nlikely_same = 0.7\nsame = 0.9\n',
        '["m"]\nfloor = 0.1\nrelevant = 0.4\nrelated = 0.5\nlikely_same = 0.7\nsame = "x"\n',
        '["m"]\nfloor = 0.1\nrelevant = nan\nrelated = 0.5\nlikely_same = 0.7\nsame = 0.9\n',
        "m = 3\n",
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / module.FILE).write_text(text, "utf-8")
    with pytest.raises(InvalidInput) as caught:
        calibration_for("m", tmp_path)
    assert caught.value.field == "thresholds.toml"


def test_toml_holds_the_values() -> None:
    lines = to_toml(Calibration("m", -0.1, 0.2, 0.3, 0.4, 0.5)).splitlines()
    assert lines[:3] == ['["m"]', "floor = -0.1000", "relevant = 0.2000"]
