"""The trained model as the package ships it: an ONNX file whose weights take 8 bits each."""

import tempfile
from pathlib import Path

import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn

from recollect.providers.onnx import Model
from train.notice.export import INPUTS, share_words
from train.same.model import Comparer


class _Likely(nn.Module):
    """A comparer that answers with a likelihood."""

    def __init__(self, comparer: Comparer) -> None:
        super().__init__()
        self.comparer = comparer

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        likely: Tensor = self.comparer(ids, mask).sigmoid()
        return likely


def export(comparer: Comparer, path: Path) -> None:
    """Write a model, and see that what was written can be used."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        any_text = torch.ones(2, 9, dtype=torch.long)
        torch.onnx.export(
            _Likely(comparer.float().cpu()).eval(),
            (any_text, any_text),
            str(whole),
            input_names=list(INPUTS),
            output_names=["same"],
            dynamic_axes={**{name: {0: "batch", 1: "length"} for name in INPUTS}, "same": {0: "batch"}},
            opset_version=17,
            dynamo=False,
        )
        quantize_dynamic(whole, path, per_channel=True, weight_type=QuantType.QInt8)
    share_words(path)
    check(path)


def check(path: Path) -> None:
    """Raise unless a file takes pairs of any length and answers with one likelihood."""
    model = Model(path, shares_words=True)
    for length in (3, 40):
        answer = model.run([1] * length, [1] * length)
        if answer.shape != (1,):
            raise ValueError(f"{path} answers in the shape {answer.shape}")
