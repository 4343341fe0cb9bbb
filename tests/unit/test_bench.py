"""The benchmarks' own arithmetic, on data small enough to check by eye."""

import gzip
import json
import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from recollect.bench import footprint, locomo, longmemeval, texts
from recollect.bench.cli import app
from recollect.bench.report import Report, save
from recollect.bench.scoring import Limit, all_at, any_at, by_best_hit, mean, overlap, percentile, recall_at
from recollect.bench.speed import Samples
from recollect.bench.vectors import StoredVectors
from recollect.core.errors import InvalidInput
from recollect.providers.embedding.fake import FakeEmbedder


def test_recall_is_the_share_of_gold_found() -> None:
    assert recall_at(["a", "x", "b"], {"a", "b"}, 2) == 0.5
    assert recall_at(["a", "x", "b"], {"a", "b"}, 3) == 1.0
    assert recall_at([], {"a"}, 5) == 0.0


def test_a_repeated_hit_counts_once() -> None:
    assert recall_at(["a", "a", "a"], {"a", "b"}, 3) == 0.5


def test_any_and_all() -> None:
    assert (any_at(["x", "a"], {"a", "b"}, 2), all_at(["x", "a"], {"a", "b"}, 2)) == (1.0, 0.0)
    assert (any_at(["x", "a"], {"a", "b"}, 1), all_at(["b", "a"], {"a", "b"}, 2)) == (0.0, 1.0)


def test_threads_rank_by_their_best_hit() -> None:
    assert by_best_hit(["s2", "s1", "s2", "s3", "s1"]) == ["s2", "s1", "s3"]


def test_percentiles_are_values_that_occurred() -> None:
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert percentile(range(1, 101), 0.95) == 95
    assert math.isnan(percentile([], 0.5))
    assert math.isnan(mean([]))


def test_overlap_with_the_order_without_an_index() -> None:
    assert overlap(["a", "b"], ["b", "c"]) == 0.5
    assert overlap([], []) == 1.0


def test_limits_hold_in_their_direction() -> None:
    assert Limit("ms", 3.0, 3.0).kept
    assert not Limit("ms", 3.1, 3.0).kept
    assert Limit("%", 84.0, 83.0, at_most=False).kept
    assert not Limit("%", math.nan, 83.0, at_most=False).kept


def test_embedding_is_told_apart() -> None:
    samples = Samples("search")
    samples.add(0.010, 0.004)
    figures = samples.figures()
    assert figures["p50"] == pytest.approx(6.0)
    assert figures["p50_with_embedding"] == pytest.approx(10.0)
    assert figures["per_second"] == pytest.approx(100.0)


def test_results_without_a_number_are_written_as_null(tmp_path: Path) -> None:
    save(tmp_path / "r.json", Report("x", {"figure": math.nan, "by_size": {1000: 1.5}}).to_json())
    written = json.loads((tmp_path / "r.json").read_text())
    assert written["figure"] is None
    assert written["by_size"] == {"1000": 1.5}


# LoCoMo --------------------------------------------------------------------------------------------


def test_several_ids_in_one_string_of_evidence() -> None:
    known = frozenset({"D8:6", "D9:17", "D1:1"})
    assert locomo.evidence(["D8:6; D9:17"], known) == {"D8:6", "D9:17"}
    assert locomo.evidence(["D8:6 D9:17", "D1:1"], known) == known


def test_evidence_of_no_turn_is_left_out() -> None:
    assert locomo.evidence(["D", "D9:99", ""], frozenset({"D1:1"})) == frozenset()


def test_the_caption_of_an_image_is_part_of_the_text() -> None:
    assert locomo.spoken({"text": "Look!", "blip_caption": "a photo of a dog"}) == "Look!\n[image: a photo of a dog]"
    assert locomo.spoken({"text": " Hi "}) == "Hi"
    assert locomo.spoken({"text": "", "blip_caption": "a dog"}) == "[image: a dog]"


def test_dates_of_sessions() -> None:
    assert locomo.moment("1:56 pm on 8 May, 2023") == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert longmemeval.moment("2023/08/03 (Thu) 06:02") == datetime(2023, 8, 3, 6, 2, tzinfo=UTC)


def _talk(name: str, people: tuple[str, str], said: list[str], qa: list[dict[str, Any]]) -> dict[str, Any]:
    turns = [{"speaker": people[n % 2], "dia_id": f"D1:{n + 1}", "text": text} for n, text in enumerate(said[:3])]
    later = [{"speaker": people[n % 2], "dia_id": f"D2:{n + 1}", "text": text} for n, text in enumerate(said[3:])]
    return {
        "sample_id": name,
        "conversation": {
            "speaker_a": people[0],
            "speaker_b": people[1],
            "session_2_date_time": "9:05 am on 2 June, 2024",
            "session_2": later,
            "session_1_date_time": "1:56 pm on 8 May, 2024",
            "session_1": turns,
        },
        "qa": qa,
    }


TALKS = [
    _talk(
        "one",
        ("Mara", "Otto"),
        [
            "I repaired the green tractor on Monday.",
            "My violin lesson went badly.",
            "The cherry harvest begins in July.",
            "We sold forty jars of honey.",
            "I booked a sailing course in Kiel.",
        ],
        [
            {"question": "Who repaired the green tractor?", "answer": "Mara", "evidence": ["D1:1"], "category": 4},
            {"question": "What about honey and sailing?", "answer": "", "evidence": ["D2:1; D2:2"], "category": 1},
            {"question": "Nobody said this", "answer": "", "evidence": ["D"], "category": 4},
        ],
    ),
    _talk(
        "two",
        ("Ines", "Paul"),
        ["The lighthouse keeper retired.", "My passport expired.", "The bakery closed.", "Snow fell on the pass."],
        [
            {"question": "Who retired from the lighthouse?", "evidence": ["D1:1"], "category": 5},
            {"question": "When did snow fall on the pass?", "answer": "", "evidence": ["D2:1"], "category": 2},
        ],
    ),
]


@pytest.fixture
def locomo_file(tmp_path: Path) -> Path:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps(TALKS))
    return path


def test_reading_conversations(locomo_file: Path) -> None:
    first, second = locomo.read(locomo_file)
    assert [session.name for session in first.sessions] == ["session_1", "session_2"]
    assert [question.gold for question in first.questions] == [{"D1:1"}, {"D2:1", "D2:2"}]
    assert second.sessions[1].turns[0].speaker == "Ines"


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text('[{"text": "no conversation"}]')
    for module in (locomo, longmemeval):
        with pytest.raises(InvalidInput, match="path"):
            module.read(path)
    with pytest.raises(InvalidInput, match="texts"):
        texts.read([path], 10)


def test_scores_per_category_and_without_the_adversarial() -> None:
    def answered(category: int, found: tuple[str, ...]) -> locomo.Answered:
        return locomo.Answered(locomo.Question("?", frozenset({"a", "b"}), category), found)

    filler = tuple(f"x{n}" for n in range(5))
    scores = locomo.scores([answered(4, ("a", "b")), answered(1, (*filler, "a")), answered(5, ())])
    assert scores["single-hop"]["recall@5"] == 100
    assert scores["multi-hop"] == {"questions": 1, "recall@5": 0, "recall@10": 50, "recall@20": 50}
    assert scores["1–4"]["recall@10"] == 75
    assert scores["1–5"]["recall@10"] == 50
    assert math.isnan(scores["temporal"]["recall@5"])


async def test_locomo_from_end_to_end(locomo_file: Path, database_url: str) -> None:
    report = await locomo.run(locomo_file, Console(quiet=True), database_url=database_url, embedder="fake")
    assert report.values["scores"]["1–4"] == {"questions": 3, "recall@5": 100, "recall@10": 100, "recall@20": 100}
    assert report.values["scores"]["1–5"]["questions"] == 4


# LongMemEval ---------------------------------------------------------------------------------------

HISTORY = [
    {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "Which instrument do I practise?",
        "question_date": "2024/05/01 (Wed) 10:00",
        "answer_session_ids": ["s2"],
        "haystack_session_ids": ["s1", "s2", "s1"],
        "haystack_dates": ["2024/04/01 (Mon) 10:00", "2024/04/02 (Tue) 10:00", "2024/04/03 (Wed) 10:00"],
        "haystack_sessions": [
            [{"role": "user", "content": "Recommend a hotel in Bergen."}, {"role": "assistant", "content": "Try one."}],
            [
                {"role": "user", "content": "I practise an instrument daily, the oboe."},
                {"role": "assistant", "content": " "},
            ],
            [{"role": "user", "content": "How tall is the tower?"}],
        ],
    },
    {
        "question_id": "q2_abs",
        "question_type": "single-session-user",
        "question": "?",
        "question_date": "2024/05/01 (Wed) 10:00",
        "answer_session_ids": [],
        "haystack_session_ids": [],
        "haystack_dates": [],
        "haystack_sessions": [],
    },
]


@pytest.fixture
def longmemeval_file(tmp_path: Path) -> Path:
    path = tmp_path / "longmemeval.json.gz"
    path.write_bytes(gzip.compress(json.dumps(HISTORY).encode()))
    return path


def test_reading_histories(longmemeval_file: Path) -> None:
    [case] = longmemeval.read(longmemeval_file)
    assert (case.id, case.turns) == ("q1", 4)


async def test_longmemeval_from_end_to_end(longmemeval_file: Path, database_url: str) -> None:
    report = await longmemeval.run(
        longmemeval_file, Console(quiet=True), database_url=database_url, embedder="fake", at_question_date=True
    )
    assert report.values["scores"]["all"]["all@5"] == 100
    assert report.values["not_all_at_5"] == []


def test_a_sample_of_questions_is_the_same_each_time(longmemeval_file: Path) -> None:
    cases = longmemeval.read(longmemeval_file) * 10
    assert longmemeval.sample(cases, 3) == longmemeval.sample(cases, 3)
    assert len(longmemeval.sample(cases, 3)) == 3
    assert len(longmemeval.sample(cases, None)) == 10


# Texts and vectors ---------------------------------------------------------------------------------


def test_turns_become_texts_and_questions(longmemeval_file: Path, locomo_file: Path) -> None:
    corpus = texts.read([longmemeval_file, locomo_file], questions=8)
    assert corpus.questions[0] == "Which instrument do I practise?"
    assert "How tall is the tower?" in corpus.questions
    assert not set(corpus.texts) & set(corpus.questions)
    assert len(corpus.texts) == len(set(corpus.texts))


def test_generated_texts_are_distinct_and_the_same_each_time() -> None:
    assert texts.generated(200, 5) == texts.generated(200, 5)
    assert len(set(texts.generated(200, 5).texts)) == 200


def test_mixtures_are_of_unit_length_and_new() -> None:
    known = ["one two three four", "five six seven eight"]
    vectors = np.eye(2, 4, dtype=np.float32)
    written, directions = texts.mixed(known, vectors, first=100, count=50)
    assert len(set(written)) == 50
    assert np.allclose(np.linalg.norm(directions, axis=1), 1)


async def test_vectors_are_kept_between_runs(tmp_path: Path) -> None:
    for asked in (2, 0):
        inner = FakeEmbedder()
        stored = StoredVectors(inner, tmp_path)
        await stored.ready()
        rows = await stored.embed(["tea", "milk", "tea"], purpose="document")
        assert inner.texts == asked
        assert np.allclose(rows, await FakeEmbedder().embed(["tea", "milk", "tea"], purpose="document"))
    await stored.embed(["tea"], purpose="query")
    assert inner.texts == 1


async def test_vectors_that_an_interruption_cut_off_are_embedded_again(tmp_path: Path) -> None:
    stored = StoredVectors(FakeEmbedder(), tmp_path)
    await stored.ready()
    await stored.embed(["tea", "milk"], purpose="document")
    file = tmp_path / "fake.vectors"
    file.write_bytes(file.read_bytes()[:-7])
    inner = FakeEmbedder()
    again = StoredVectors(inner, tmp_path)
    await again.ready()
    rows = await again.embed(["tea", "milk"], purpose="document")
    assert inner.texts == 1
    assert np.allclose(rows, await FakeEmbedder().embed(["tea", "milk"], purpose="document"))


async def test_vectors_may_be_told() -> None:
    stored = StoredVectors(FakeEmbedder())
    told = np.zeros((1, 64), np.float32)
    with stored.told(["tea"], told):
        assert np.array_equal((await stored.embed(["tea", "milk"], purpose="document"))[0], told[0])
    assert not np.array_equal((await stored.embed(["tea"], purpose="document"))[0], told[0])


# The rest ------------------------------------------------------------------------------------------


def test_a_plain_install_holds_no_extras() -> None:
    sizes = footprint.installed()
    assert {"recollect", "numpy", "onnxruntime", "psycopg-binary"} <= sizes.keys()
    assert not {"pytest", "mypy", "openai"} & sizes.keys()
    assert all(size > 0 for name, size in sizes.items() if name != "exceptiongroup")


def test_sizes_must_be_numbers() -> None:
    result = CliRunner().invoke(app, ["speed", "--sizes", "many"])
    assert result.exit_code == 2
    assert "whole numbers" in result.output
