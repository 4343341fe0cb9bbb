"""The trained model as the package ships it: an ONNX file whose weights take 8 bits each."""

import tempfile
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn

from recollect.providers.onnx import WORDS_NAME, Model
from recollect.providers.tagging import KEYS, KINDS
from train.notice.model import EMBEDDER, Tagger

INPUTS = ("input_ids", "attention_mask")
WIDTHS = {"kinds": len(KINDS), "keys": len(KEYS)}
"""The outputs, and how many numbers each gives for a token."""


class _Likely(nn.Module):
    """A tagger that answers with likelihoods."""

    def __init__(self, tagger: Tagger) -> None:
        super().__init__()
        self.tagger = tagger

    def forward(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        kinds, keys = self.tagger(ids, mask)
        return kinds.sigmoid(), keys.softmax(-1)


def export(tagger: Tagger, path: Path) -> None:
    """Write a model, and see that what was written can be used."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        _write(tagger, whole)
        # A scale for each channel: one for a whole matrix loses what small channels say.
        quantize_dynamic(whole, path, per_channel=True, weight_type=QuantType.QInt8)
    share_words(path)
    check(path)


def share_words(path: Path) -> None:
    """The embedder's word embeddings in place of the model's own, which are the same: a reference, no second copy."""
    made, embedder = onnx.load(str(path)), onnx.load(str(EMBEDDER), load_external_data=False)
    theirs = {each.name: each for each in embedder.graph.initializer}
    known_as = {}
    for each in made.graph.initializer:
        _, found, part = each.name.rpartition("embeddings.word_embeddings.weight")
        if found:
            known_as[each.name] = WORDS_NAME.removesuffix("_quantized") + part
            each.CopyFrom(theirs[known_as[each.name]])
    for node in made.graph.node:
        node.input[:] = [known_as.get(name, name) for name in node.input]
    path.write_bytes(made.SerializeToString())
    print(f"{path.stat().st_size:,} bytes, without the words that it shares", flush=True)


def _write(tagger: Tagger, path: Path) -> None:
    any_text = torch.ones(2, 9, dtype=torch.long)
    torch.onnx.export(
        _Likely(tagger.float().cpu()).eval(),
        (any_text, any_text),
        str(path),
        input_names=list(INPUTS),
        output_names=list(WIDTHS),
        dynamic_axes={name: {0: "batch", 1: "length"} for name in (*INPUTS, *WIDTHS)},
        opset_version=17,
        dynamo=False,
    )


def check(path: Path) -> None:
    """Raise unless a file takes a text of any length and answers with all kinds and keys for each token."""
    model = Model(path, shares_words=True)
    for length in (3, 40):
        found = dict(zip(WIDTHS, model.outputs([1] * length, [1] * length), strict=True))
        shapes = {name: values.shape for name, values in found.items()}
        if shapes != {name: (1, length, width) for name, width in WIDTHS.items()}:
            raise ValueError(f"{path} answers in the shapes {shapes}")
