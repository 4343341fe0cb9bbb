"""The trained model as the package ships it: an ONNX file whose weights take 8 bits each."""

import tempfile
from pathlib import Path

import onnxruntime
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn

from recollect.providers.tagging import KEYS, KINDS
from train.notice.model import Tagger

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
        print(f"{whole.stat().st_size:,} bytes in 32 bits, {path.stat().st_size:,} in 8", flush=True)
    check(path)


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
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    for length in (3, 40):
        text = torch.ones(1, length, dtype=torch.long).numpy()
        found = dict(zip(WIDTHS, session.run(list(WIDTHS), dict.fromkeys(INPUTS, text)), strict=True))
        shapes = {name: values.shape for name, values in found.items()}
        if shapes != {name: (1, length, width) for name, width in WIDTHS.items()}:
            raise ValueError(f"{path} answers in the shapes {shapes}")
