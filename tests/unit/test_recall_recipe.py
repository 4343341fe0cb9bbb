"""How the embedder and the reranker are made: what becomes of talks, and, where torch is installed, a run in small."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wordpieces
from recollect.providers import onnx
from recollect.providers.rerank import local
from recollect.retrieval.blend import pair_text
from train.recall import talks, templates
from train.recall.bm25 import Index
from train.recall.examples import examples, turn_text
from train.recall.names import without_names
from train.recall.prepared import NONE, prepare
from train.recall.settings import SHIPPED, SMOKE
from train.recall.talks import Question, Talk, Turn
from training import needs_torch

ROOT = Path(__file__).parents[2]
SMALL = [*templates.talks(8, seed=2), *(replace(made, set="life") for made in templates.talks(4, seed=4))]
"""Talks for a run in small, some of which are asked broad questions as well."""


def talk(*said: str, questions: tuple[Question, ...] = (), set: str = "test") -> Talk:
    """A talk of Ann Lee and Bob, who speak in turns."""
    turns = tuple(Turn(("Ann Lee", "Bob")[place % 2], text) for place, text in enumerate(said))
    return Talk(set, "1", turns, questions)


# Talks -------------------------------------------------------------------------------------------


def test_talks_are_read_as_they_were_written(tmp_path: Path):
    own = templates.talks(3, seed=1)
    talks.write(tmp_path / "talks.jsonl.xz", own)
    assert talks.read(tmp_path / "talks.jsonl.xz") == own


def test_of_each_set_the_same_part_is_kept_apart():
    sets = ["a"] * 50 + ["b"] * 10
    apart = talks.held_out(sets, replace(SHIPPED, held_out_seed=3))
    assert sorted(sets[place] for place in apart) == ["a"] * 5 + ["b"]
    assert apart == talks.held_out(sets, replace(SHIPPED, held_out_seed=3))
    assert apart != talks.held_out(sets, replace(SHIPPED, held_out_seed=4))


def test_television_scripts_are_left_out():
    assert "friendsqa" in SHIPPED.left_out


# Templates ---------------------------------------------------------------------------------------


def test_templates_fill_every_gap_and_point_at_turns_of_the_ones_asked_about():
    made = templates.talks(200, seed=5)
    for each in made:
        assert not any("{" in text for text in [*(t.text for t in each.turns), *(q.text for q in each.questions)])
        for asked in each.questions:
            speakers = {each.turns[gold].speaker for gold in asked.gold}
            assert all(speaker in asked.text for speaker in speakers)
    assert {asked.family for each in made for asked in each.questions} == {
        str(number) for number in range(len(templates.FAMILIES))
    }


def test_many_questions_of_the_templates_need_two_turns_that_lie_apart():
    golds = [asked.gold for each in templates.talks(100, seed=5) for asked in each.questions]
    apart = [gold for gold in golds if len(gold) == 2 and gold[1] - gold[0] > 4]
    assert len(apart) > len(golds) / 3


# From talks to examples --------------------------------------------------------------------------


def test_names_are_taken_out_of_a_question():
    without = without_names(talk("Hello", "Hi"))
    assert without("What is Ann's dog called?") == "What is dog called?"
    assert without("Where did Ann Lee meet Bob?") == "Where did meet ?"
    assert without("Bob?") == "Bob?"
    assert without("Is Bobby here?") == "Is Bobby here?"


def test_words_in_common_are_found_the_rarest_first():
    index = Index(["the old boat", "a boat and a dog", "dogs, dogs", "nothing"])
    assert index.best("Which dog has the boat?", 2) == [1, 2]
    assert index.best("Which violin?", 2) == []


def test_a_turn_is_shown_to_a_reranker_as_search_shows_it():
    said = talk("x" * 500, "I see")
    assert turn_text(said, 1).in_context == pair_text("I see", "Bob", ("Ann Lee", "x" * 500))
    assert turn_text(said, 0).in_context == pair_text("x" * 500, "Ann Lee", None)


def test_a_pool_holds_what_does_not_answer():
    asked = Question("What did Bob see?", gold=(1,), span=(1, 2))
    (example,), texts = examples([talk(*(f"turn {place}" for place in range(8)), questions=(asked,))], SHIPPED)
    assert [texts[place].text for place in example.golds] == ["turn 1"]
    assert {texts[place].text for place in example.pool} == {f"turn {place}" for place in (0, 3, 4, 5, 6, 7)}


def test_of_a_long_talk_the_pool_is_what_looks_like_an_answer_what_is_near_and_some_more():
    said = [f"word{place} of many" for place in range(400)]
    said[300] = "my boat is blue"
    asked = Question("Which colour has the boat?", gold=(10,))
    (example,), texts = examples([talk(*said, questions=(asked,))], SHIPPED)
    pool = [texts[place].text for place in example.pool]
    assert pool[0] == "my boat is blue"
    assert {said[place] for place in (8, 9, 11, 12)} <= set(pool)
    assert len(pool) <= SHIPPED.pool


def test_the_same_question_comes_only_so_often_but_of_a_template_always():
    turns = tuple(Turn("Ann", f"turn {place}") for place in range(8))
    same = [Talk("chat", str(number), turns, (Question("How are you?", (1,)),)) for number in range(9)]
    family = [Talk("own", str(number), turns, (Question("How is it?", (1,), family="1"),)) for number in range(9)]
    found, _ = examples([*same, *family], replace(SHIPPED, same_question=2))
    assert [example.set for example in found] == ["chat"] * 2 + ["own"] * 9


def test_tables_hold_the_tokens_of_questions_and_turns():
    asked = Question("What did Bob see?", gold=(1,))
    read = [talk(*(f"turn {place}" for place in range(8)), questions=(asked,))]
    found = prepare(read, wordpieces.library(), replace(SHIPPED, own_talks=0))
    gold = found.golds[0, 0]
    start = found.rows.starts[gold]
    tokens = found.rows.tokens[start : start + found.rows.lengths[gold]].tolist()
    assert tokens == [onnx.START, *onnx.tokens("turn 1"), onnx.END]
    assert found.said_alone[gold] == len(onnx.tokens("Bob: turn 1"))
    assert (found.golds[0] != NONE).sum() == 1
    assert (found.pools[0] != NONE).sum() == 7


# A run in small ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def base() -> Any:
    """The shipped embedder in place of the base model: it is at hand."""
    from train.notice.model import embedder_weights
    from train.recall.base import WORDS, Base, Words

    weights = {name: values.numpy() for name, values in embedder_weights().items()}
    return Base(Words.of(weights.pop(WORDS)), weights, wordpieces.library().to_str())


@needs_torch
def test_words_are_packed_as_the_package_ships_them(base: Any, tmp_path: Path):
    from train.recall import base as bases
    from train.recall import export

    bases.write(base, tmp_path)
    again = bases.read(tmp_path / "base.npz")
    assert export.WORDS_NAME == onnx.WORDS_NAME
    assert (tmp_path / "words.bin").read_bytes() == onnx.WORDS.read_bytes()
    assert all(np.allclose(values, again.others[name], rtol=1e-3, atol=1e-6) for name, values in base.others.items())


@needs_torch
def test_a_pair_is_laid_out_as_the_package_lays_it_out(base: Any):
    import torch

    from train.recall.tables import Pairs

    asked = Question("What did Ann say about the old wooden boat?", gold=(1,))
    read = [talk(*(f"{'boat ' * 40 * (place % 2)}turn {place}" for place in range(8)), questions=(asked,))]
    found = prepare(read, base.tokenizer(), replace(SHIPPED, own_talks=0))
    seen = []

    def spy(ids: Any, mask: Any, types: Any) -> Any:
        seen.extend(
            (ids[row, : mask[row].sum()].tolist(), types[row, : mask[row].sum()].tolist()) for row in range(len(ids))
        )
        return ids[:, 0].float()

    pairs = Pairs(found, 60, torch.device("cpu"))
    texts = [int(found.golds[0, 0]), int(found.pools[0, 1])]
    pairs.scores(spy, np.repeat(found.asked, 2), np.array(texts), parts=1)  # type: ignore[arg-type]
    for place, row in zip((1, 2), seen, strict=True):
        first = [onnx.START, *onnx.tokens(asked.text), onnx.END]
        second = [*onnx.tokens(turn_text(read[0], place).in_context)[: 60 - len(first) - 1], onnx.END]
        assert row == (first + second, [0] * len(first) + [1] * len(second))


@pytest.fixture(scope="module")
def lists(base: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a small teacher makes of a few talks."""
    from train.recall.runs import teach

    path = tmp_path_factory.mktemp("taught") / "lists.npz"
    teach(None, base, SMALL, SMOKE, path)
    return path


@needs_torch
def test_a_run_in_small_makes_both_models(base: Any, lists: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    from train.recall.make import MODELS
    from train.recall.runs import Order, make_all

    make_all([3], Order(MODELS, tmp_path, base, lists), SMALL, SMOKE)
    ids = [onnx.START, *onnx.tokens("I moved to Oslo"), onnx.END]
    vector = onnx.Model(tmp_path / "3" / "embedder.onnx", shares_words=True).run(ids, [1] * len(ids))
    assert vector.shape == (1, 384)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-3)
    score = onnx.Model(tmp_path / "3" / "reranker.onnx", shares_words=True).run(ids, [1] * len(ids), [0] * len(ids))
    assert score.shape == (1,)
    assert "embedder first by" in capsys.readouterr().out


@needs_torch
def test_lists_of_other_talks_are_refused(base: Any, lists: Path):
    from train.recall import lists as kept

    prepared = prepare(templates.talks(9, seed=3), base.tokenizer(), SMOKE)
    with pytest.raises(ValueError, match="other talks"):
        kept.read(lists, prepared)


@needs_torch
def test_a_teacher_reads_a_question_and_a_turn_and_nothing_behind_them(base: Any):
    import torch

    from train.recall.teacher import Lessons

    asked = Question("What did Ann say about the boat?", gold=(1,))
    read = [talk(*(f"{'boat ' * 9 * (place % 2)}turn {place}" for place in range(8)), questions=(asked,))]
    found = prepare(read, base.tokenizer(), replace(SHIPPED, own_talks=0))
    seen: list[list[int]] = []

    def spy(ids: Any, lengths: Any) -> Any:
        seen.extend(ids[row, : lengths[row]].tolist() for row in range(len(ids)))
        return ids[:, 0].float()

    lessons = Lessons(found, base.tokenizer(), 64, torch.device("cpu"))
    texts = np.array([int(found.golds[0, 0]), int(found.pools[0, 1])])
    for questions in (found.asked, found.bare):  # names are always in the question
        lessons.scores(spy, np.repeat(questions, 2), texts, parts=1)  # type: ignore[arg-type]
    wanted = [onnx.tokens(asked.text) + onnx.tokens(turn_text(read[0], place).in_context) for place in (1, 2)]
    assert sorted(seen) == sorted(wanted * 2)


@needs_torch
def test_a_teacher_looks_only_back():
    import torch

    from train.recall.teacher import Teacher

    torch.manual_seed(0)
    model = Teacher(1, torch.randn(50, 1_536)).eval()
    ids = torch.randint(0, 50, (2, 7))
    with torch.no_grad():
        whole = model(ids, torch.tensor([4, 7]))
        alone = model(ids[:1, :4], torch.tensor([4]))
    assert whole[0].item() == pytest.approx(alone[0].item(), abs=1e-4)


# What is kept in the repository ------------------------------------------------------------------


def test_talks_of_our_own_are_whole():
    read = talks.read(ROOT / "train" / "recall" / "life.jsonl.xz")
    assert len(read) > 100
    for each in read:
        assert each.set == "life"
        assert len({asked.text for asked in each.questions}) == len(each.questions)
        assert all(asked.gold and max(asked.gold) < len(each.turns) for asked in each.questions)


def test_pools_are_the_same_in_every_process():
    """The lists point into them; the order of a set would differ from one process to the next."""
    index = Index(["a boat by the old pier", "the pier is old", "an old boat", "a pier"])
    assert index.best("old boat pier old", 3) == index.best("old boat pier", 3)


def test_the_questions_of_a_reranker_fit_its_window():
    assert SHIPPED.window >= local.WINDOW
