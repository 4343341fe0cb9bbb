"""A trained model as the package ships it: an ONNX file whose weights take 8 bits each, beside `words.bin`.

The words are not in the file: no run changes them, and all models of the package share them.
"""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn

from train.recall.base import WORDS, Words
from train.recall.network import Embedder, Reranker

WORDS_FILE = "words.bin"
WORDS_NAME = f"m.b.{WORDS}_quantized"
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def export(model: Embedder | Reranker, layers: int, words: Words, path: Path) -> None:
    """Write a model, and see that what was written gives what the model gives."""
    plain = type(model)(layers, attention="eager")
    plain.load_state_dict({name: values.detach().float().cpu() for name, values in model.state_dict().items()})
    plain.eval()
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        whole, small = Path(folder) / "whole.onnx", Path(folder) / "small.onnx"
        _write(plain, whole)
        # A scale for each channel: one for a whole matrix loses what small channels say.
        quantize_dynamic(whole, small, per_channel=True, weight_type=QuantType.QInt8)
        made = onnx.load(str(small))
    _leave_words(made, words)
    path.write_bytes(made.SerializeToString())
    alike = _agreement(plain, session(path, words))
    print(
        f"  {path}: {path.stat().st_size:,} bytes without its words; agrees with the trained one by {alike:.4f}",
        flush=True,
    )


def session(path: Path, words: Words) -> onnxruntime.InferenceSession:
    """An exported model, to be run."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.add_external_initializers([WORDS_NAME], [onnxruntime.OrtValue.ortvalue_from_numpy(words.values)])
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


class _Named(nn.Module):
    """A model under the name that its weights have in the file."""

    def __init__(self, model: Embedder | Reranker) -> None:
        super().__init__()
        self.m = model

    def forward(self, *inputs: Tensor) -> Tensor:
        found: Tensor = self.m(*inputs)
        return found


def _write(model: Embedder | Reranker, path: Path) -> None:
    inputs = _inputs(model)
    output = "embedding" if isinstance(model, Embedder) else "score"
    any_text = torch.ones(2, 9, dtype=torch.long)
    torch.onnx.export(
        _Named(model).eval(),
        (any_text,) * len(inputs),
        str(path),
        input_names=list(inputs),
        output_names=[output],
        dynamic_axes={**{name: {0: "batch", 1: "length"} for name in inputs}, output: {0: "batch"}},
        opset_version=17,
        dynamo=False,
    )


def _leave_words(made: onnx.ModelProto, words: Words) -> None:
    """A reference in place of the words, which must be those of the base."""
    (stored,) = (each for each in made.graph.initializer if each.name == WORDS_NAME)
    if not np.array_equal(numpy_helper.to_array(stored), words.values):
        raise ValueError("the words of the model are not those of the base")
    stored.ClearField("raw_data")
    stored.data_location = TensorProto.EXTERNAL
    for key, value in (("location", WORDS_FILE), ("offset", "0"), ("length", str(words.values.nbytes))):
        stored.external_data.add(key=key, value=value)


@torch.no_grad()
def _agreement(model: Embedder | Reranker, exported: onnxruntime.InferenceSession) -> float:
    """How alike the answers of a model and of its exported form are, over texts of several lengths: a cosine."""
    wanted, found = [], []
    dice = np.random.default_rng(0)
    for length in (3, 12, 40, 90):
        ids = dice.integers(1_000, 30_000, (1, length))
        given: dict[str, Any] = dict(zip(_inputs(model), (ids, np.ones_like(ids), np.zeros_like(ids)), strict=False))
        wanted.append(model(*(torch.from_numpy(values) for values in given.values())).numpy().ravel())
        found.append(exported.run(None, given)[0].ravel())
    one, other = np.concatenate(wanted), np.concatenate(found)
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def _inputs(model: Embedder | Reranker) -> tuple[str, ...]:
    return _INPUTS if isinstance(model, Reranker) else _INPUTS[:2]
