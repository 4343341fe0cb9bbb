"""The network: the body of our embedder with two heads on each token, one for kinds and one for keys."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor, nn
from transformers import BertConfig, BertModel

from recollect.providers.onnx import WORDS
from recollect.providers.tagging import KEYS, KINDS

EMBEDDER = WORDS.parent / "model.onnx"
WIDTH = 384
_IN_EMBEDDER = "m.b."
"""How the names of the embedder's body begin in its file."""
_IN_TAGGER = "tagger."
"""How all names begin in the file of a tagger."""


class Tagger(nn.Module):
    """For each token the logits of its kinds, of which several may hold, and of its key, which is one."""

    def __init__(self, weights: Mapping[str, Tensor], layers: int, dropout: float) -> None:
        super().__init__()
        self.body = BertModel(shape(layers), add_pooling_layer=False)
        # Of a body with fewer layers than the embedder, the names ask for the first ones.
        self.body.load_state_dict({name: weights[name] for name in self.body.state_dict()})
        # Words stay the embedder's, so that the package ships them once; so do positions, of which short messages would
        # teach only the first.
        self.body.embeddings.word_embeddings.requires_grad_(False)
        self.body.embeddings.position_embeddings.requires_grad_(False)
        self.dropout = nn.Dropout(dropout)
        self.kinds = nn.Linear(WIDTH, len(KINDS))
        self.keys = nn.Linear(WIDTH, len(KEYS))

    def forward(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        hidden = self.dropout(self.body(input_ids=ids, attention_mask=mask).last_hidden_state)
        return self.kinds(hidden), self.keys(hidden)


def shape(layers: int) -> BertConfig:
    """The shape of the embedder. Attention is the plain one, which can be exported."""
    return BertConfig(
        vocab_size=30_522,
        hidden_size=WIDTH,
        num_hidden_layers=layers,
        num_attention_heads=12,
        intermediate_size=1_536,
        max_position_embeddings=512,
        attn_implementation="eager",
    )


def embedder_weights() -> dict[str, Tensor]:
    """The weights of the embedder by their names in its body, as far as 8 bits have kept them."""
    return _weights(EMBEDDER, _IN_EMBEDDER, words=True)


def trained(path: Path, dropout: float) -> Tagger:
    """A tagger as it was exported, to be trained on."""
    embedder, own = embedder_weights(), _weights(path, _IN_TAGGER, words=False)
    layers = {name.split(".")[3] for name in own if name.startswith("body.encoder.layer.")}
    made = Tagger(embedder, len(layers), dropout)
    made.load_state_dict({**made.state_dict(), **own})
    return made


def _weights(path: Path, prefix: str, *, words: bool) -> dict[str, Tensor]:
    """The weights of an exported model by their names in its module; a tagger's file has no words of its own."""
    graph = onnx.load(str(path), load_external_data=words).graph
    stored = {each.name: numpy_helper.to_array(each) for each in graph.initializer if not each.external_data or words}
    found = {**_plain(stored, prefix), **_looked_up(stored, prefix), **_multiplied(graph, stored, prefix)}
    return {name: torch.tensor(np.ascontiguousarray(values)) for name, values in found.items()}


def _plain(stored: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    """Biases and norms, which are stored as they are."""
    parts = ("_quantized", "_scale", "_zero_point")
    return {
        name.removeprefix(prefix): values
        for name, values in stored.items()
        if name.startswith(prefix) and not name.endswith(parts)
    }


def _looked_up(stored: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    """Embeddings, which keep their names."""
    names = [name.removesuffix("_quantized") for name in stored if name.endswith("_quantized")]
    return {name.removeprefix(prefix): _widened(stored, name) for name in names if name.startswith(prefix)}


def _multiplied(graph: onnx.GraphProto, stored: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    """Matrices, which are stored turned and nameless: the node that multiplies by one tells which it is."""
    return {
        f"{_module(node.output[0], prefix)}.weight": _widened(stored, node.input[1].removesuffix("_quantized")).T
        for node in graph.node
        if node.op_type == "MatMulInteger"
    }


def _module(output: str, prefix: str) -> str:
    """`/m/b/encoder/layer.0/output/dense/MatMul_output_0…` is `encoder.layer.0.output.dense`."""
    return output.partition("/MatMul")[0].removeprefix("/" + prefix.replace(".", "/")).replace("/", ".")


def _widened(stored: Mapping[str, NDArray[Any]], name: str) -> NDArray[np.float32]:
    """8-bit values as the numbers they stand for."""
    values = stored[f"{name}_quantized"].astype(np.float32)
    zero = stored[f"{name}_zero_point"].astype(np.float32)
    widened: NDArray[np.float32] = (values - zero) * stored[f"{name}_scale"]
    return widened
