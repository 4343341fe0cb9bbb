"""How the model that compares statements is made: its groups, and, where torch is installed, a run in small."""

from pathlib import Path

from recollect.providers import onnx
from train.same import pairs
from training import made_in_small, needs_torch


def test_every_group_has_others_that_say_the_same_and_near_misses():
    groups = pairs.read()
    assert len(groups) == 2_720
    examples = pairs.examples(groups[:20], strangers=1)
    assert {example.same for example in examples} == {True, False}


@needs_torch
def test_a_run_in_small_makes_a_model_that_compares(tmp_path: Path):
    said = made_in_small("same", tmp_path / "model.onnx")
    assert "4 groups" in said
    row = [onnx.START, *onnx.tokens("Tea is hot."), onnx.END, *onnx.tokens("Hot is tea."), onnx.END]
    (likely,) = onnx.Model(tmp_path / "model.onnx", shares_words=True).run(row, [1] * len(row))
    assert 0 < likely < 1
