"""The shipped embedder: its numbers, and that nothing makes it fail."""

import asyncio
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from recollect.core.settings import load_settings
from recollect.providers import onnx
from recollect.providers.embedding import make_embedder
from recollect.providers.embedding.local import CONTENT, LocalEmbedder

STRANGE = {
    "empty": "",
    "space": " \n\t ",
    "emoji": "😀👩‍👩‍👧‍👦🇵🇹",
    "control": "\x00\x01\x02\x7f",
    "surrogate": "a\ud800b",
    "combining": "e\u0301" * 500,
    "one long word": "a" * 1_000_000,
    "a long line": "word " * 200_000,
    "Chinese": "記憶" * 5_000,
    "direction marks": "\u202e\u200f abc \ufeff",
}


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder()


async def test_vectors_are_of_unit_length(embedder: LocalEmbedder) -> None:
    found = await embedder.embed(["I moved to Lisbon.", "Tea, please."], purpose="document")
    assert found.shape == (2, 384)
    assert found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)


async def test_no_texts_give_no_rows(embedder: LocalEmbedder) -> None:
    assert (await embedder.embed([], purpose="query")).shape == (0, 384)


async def test_an_answer_is_nearer_to_its_question_than_another_text(embedder: LocalEmbedder) -> None:
    question = await embedder.embed(["Where do I live now?"], purpose="query")
    texts = await embedder.embed(["I moved to Lisbon in March.", "The disk was full."], purpose="document")
    right, wrong = (question @ texts.T)[0]
    assert right > wrong + 0.2


async def test_a_text_has_one_vector_whatever_is_embedded_beside_it(embedder: LocalEmbedder) -> None:
    texts = [f"{'word ' * (number % 60)}number {number}" for number in range(150)]
    together = await embedder.embed(texts, purpose="document")
    alone = await asyncio.gather(*(embedder.embed([text], purpose="query") for text in texts))
    assert np.array_equal(together, np.concatenate(alone))


@pytest.mark.parametrize("text", STRANGE.values(), ids=STRANGE)
async def test_strange_texts_have_vectors_and_passages(embedder: LocalEmbedder, text: str) -> None:
    passages = embedder.passages(text)
    assert passages
    found = await embedder.embed([text, *passages[:3]], purpose="document")
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)


async def test_a_text_that_fits_is_one_passage(embedder: LocalEmbedder) -> None:
    fits, longer = "tea " * CONTENT, "tea " * (CONTENT + 1)
    assert embedder.passages(fits) == [fits]
    assert len(embedder.passages(longer)) == 2


async def test_passages_fit_into_the_window_and_hold_every_word(embedder: LocalEmbedder) -> None:
    text = " ".join(f"Sentence number {number} about tea & biscuits." for number in range(2_000))
    passages = embedder.passages(text)
    assert all(len(onnx.tokens(passage)) <= CONTENT for passage in passages)
    assert {word for passage in passages for word in passage.split()} == set(text.split())


async def test_what_is_said_late_in_a_long_text_is_found_in_a_passage(embedder: LocalEmbedder) -> None:
    text = "The weather was nice and we talked for hours. " * 200 + "My cat is called Minka."
    question = await embedder.embed(["What is the name of my cat?"], purpose="query")
    cosines = (question @ (await embedder.embed(embedder.passages(text), purpose="document")).T)[0]
    assert cosines.argmax() == len(cosines) - 1


async def test_instances_share_one_model_of_the_process(embedder: LocalEmbedder) -> None:
    made = make_embedder(load_settings())
    assert isinstance(made, LocalEmbedder)
    assert made._engine is embedder._engine
    await made.ready()
    await made.close()
    assert (await embedder.embed(["still there"], purpose="query")).shape == (1, 384)


def test_event_loops_in_several_threads_use_it_at_once(embedder: LocalEmbedder) -> None:
    found: dict[int, float] = {}

    def one(number: int) -> None:
        rows = asyncio.run(embedder.embed([f"text {number}"] * 5, purpose="document"))
        found[number] = float(np.ptp(rows, axis=0).max())

    threads = [threading.Thread(target=one, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == dict.fromkeys(range(6), 0.0)


FORKED = """
import asyncio, os
from recollect.providers.embedding.local import LocalEmbedder
embedder = LocalEmbedder()
before = asyncio.run(embedder.embed(["tea"], purpose="query"))
child = os.fork()
if child == 0:
    after = asyncio.run(LocalEmbedder().embed(["tea"], purpose="query"))
    os._exit(0 if (after == before).all() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_loads_its_own() -> None:
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "0"


RESIDENT = """
import asyncio, json, psutil
from recollect.core.settings import load_settings
from recollect.providers.embedding import make_embedder
async def main():
    embedder = make_embedder(load_settings())
    texts = [f"{'word ' * (n % 250)}{n}" for n in range(200)]
    await embedder.embed(texts, purpose="document")
    print(json.dumps(psutil.Process().memory_info().rss))
asyncio.run(main())
"""


def test_the_process_stays_small_with_the_embedder_loaded() -> None:
    done = subprocess.run([sys.executable, "-c", RESIDENT], capture_output=True, text=True, timeout=120, check=True)
    assert json.loads(done.stdout) < 250_000_000


LIGHT = """
import sys
import recollect.providers.calibration, recollect.providers.embedding
import recollect.providers.language, recollect.providers.rerank
heavy = {"onnxruntime", "tokenizers", "pydantic_ai", "openai", "httpx", "numpy"}
print(sorted(heavy & set(sys.modules)))
"""


def test_the_seams_import_nothing_heavy() -> None:
    source = LIGHT.replace("import sys\n", f"import sys, types\n{BARE_PACKAGE}")
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


def test_the_runtime_of_the_models_reports_to_nobody(tmp_path: Path) -> None:
    """Unless it is told not to, it keeps events to send in a folder of the user's, but for runs of CI."""
    source = "from recollect.providers import onnx; onnx.Model(onnx.WORDS.with_name('model.onnx'), True)._loaded()"
    told = {name: value for name, value in os.environ.items() if name != "CI" and not name.startswith("ORT_")}
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", source], env=told | home, check=True)
    assert list(tmp_path.rglob("*")) == []


BARE_PACKAGE = f"""
bare = types.ModuleType("recollect")
bare.__path__ = [{str(onnx.WORDS.parents[2])!r}]
sys.modules["recollect"] = bare
"""
"""The package without what its `__init__` imports: only the seams are looked at."""
