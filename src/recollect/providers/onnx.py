"""Our ONNX models: each is loaded once in a process, on threads of its own, and shared by all who use it.

A text is always run alone. The models are quantised with scales taken from whatever runs together: in a
batch, a text's vector depends on its neighbours (its cosine to the text's own was 0.965 to 1), in exchange
for about a fifth more texts a second. Run alone, on one thread, as many at a time as there are threads, the
same text always gives the same numbers.
"""

import os
import threading
from array import array
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from recollect.providers.text import Offsets, encodable
from recollect.providers.wordpiece import WordPiece

T = TypeVar("T")

_EMBEDDER = Path(__file__).parents[1] / "data" / "recollect-recall-v2"
WORDS = _EMBEDDER / "words.bin"
"""The embedder's word embeddings, 8 bits each: half of its weights, which other models of ours use, too."""
WORDS_NAME = "m.b.embeddings.word_embeddings.weight_quantized"
WIDTH = 384
START, END = 101, 102
CHARACTERS = 8_192

_lock = threading.Lock()
_engines: dict[str, Any] = {}
_left_to_parent: list[dict[str, Any]] = []


def shared(name: str, make: Callable[[], T]) -> T:
    """The engine of that name in this process, made by the first who asks."""
    with _lock:
        if name not in _engines:
            _engines[name] = make()
        engine: T = _engines[name]
        return engine


def _start_anew_after_fork() -> None:
    """A child has none of the parent's threads: it loads its own and never tears the old ones down."""
    _left_to_parent.append(dict(_engines))
    _engines.clear()
    _lock.release()


os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_start_anew_after_fork)


def thread_count(setting: int) -> int:
    """The setting, or one for each core that this process may use."""
    if setting:
        return setting
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _runtime() -> Any:
    """ONNX Runtime, without the reports on every model that its wheels send to their maker unless told not to.

    The threads that send them would not live through a fork, either: a child would never end.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read when it is first imported
    import onnxruntime

    onnxruntime.disable_telemetry_events()  # for a program that had imported it before
    return onnxruntime


class Model:
    """One ONNX file, loaded by the first thread that runs it."""

    def __init__(self, path: Path, shares_words: bool = False) -> None:
        self._path = path
        self._shares_words = shares_words
        self._loading = threading.Lock()
        self._session: Any = None

    def run(self, *inputs: Sequence[int]) -> NDArray[np.float32]:
        """The first output for one row of each of the model's inputs, in their order."""
        return self.outputs(*inputs)[0]

    def outputs(self, *inputs: Sequence[int]) -> list[NDArray[np.float32]]:
        """All outputs for one row of each of the model's inputs, in their order."""
        session = self._loaded()
        rows = (np.asarray([row], np.int64) for row in inputs)
        names = (wanted.name for wanted in session.get_inputs())
        found: list[NDArray[np.float32]] = session.run(None, dict(zip(names, rows, strict=True)))
        return found

    def _loaded(self) -> Any:
        with self._loading:
            if self._session is None:
                options = _options()
                if self._shares_words:
                    options.add_external_initializers([WORDS_NAME], [_words()])
                self._session = _runtime().InferenceSession(
                    str(self._path), options, providers=["CPUExecutionProvider"]
                )
            return self._session


def _options() -> Any:
    """One thread for a run, and no plans of memory for each of the many lengths of text."""
    options = _runtime().SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    return options


@cache
def _words() -> Any:
    """The word embeddings, in memory once for all models that use them."""
    return _runtime().OrtValue.ortvalue_from_numpy(np.fromfile(WORDS, np.uint8).reshape(-1, WIDTH))


@cache
def _wordpiece() -> WordPiece:
    return WordPiece(_EMBEDDER)


def tokens(text: str) -> list[int]:
    """The numbers of the text's tokens, without special ones; of a very long text, of its beginning."""
    return list(_numbers(text[:CHARACTERS]))


def count(text: str) -> int:
    """How many tokens a text has that is not very long."""
    return len(_numbers(text[:CHARACTERS]))


@lru_cache(maxsize=1_024)
def _numbers(text: str) -> "array[int]":
    """Kept for a while: what was found to fit the window is embedded next."""
    return array("i", _wordpiece().ids(encodable(text)))


def spanned(text: str) -> tuple[Offsets, list[int]]:
    """Where each token of the text begins and ends, and its number; of a very long text, of its beginning."""
    ids, spans = _wordpiece().pieces(encodable(text[:CHARACTERS]))
    return spans, ids


def offsets(text: str) -> Offsets:
    """Where each token of the text begins and ends."""
    return _wordpiece().pieces(encodable(text))[1]
