"""The two networks: a body that is a BERT, and what is made of its tokens."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize
from transformers import BertConfig, BertModel

WIDTH = 384
_FROZEN = ("word_embeddings", "position_embeddings")
"""Words are shared by all models of the package; of positions, short texts would teach only the first."""

State = Mapping[str, Tensor]


class Embedder(nn.Module):
    """A text as a vector of length one: the mean of its tokens.

    The body is called `b`, and `m` what holds the whole model when it is exported, because other models of the package
    find the embedder's weights, and share its words, by these names.
    """

    def __init__(self, layers: int, dropout: float = 0.0, attention: str = "sdpa") -> None:
        super().__init__()
        self.b = body(layers, dropout, attention)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        hidden = self.b(input_ids=ids, attention_mask=_attended(self.b, mask)).last_hidden_state
        return normalize(_mean(hidden, mask).float(), dim=1)


class Reranker(nn.Module):
    """How well a turn answers a question, read together: one number."""

    def __init__(self, layers: int, dropout: float = 0.0, attention: str = "sdpa") -> None:
        super().__init__()
        self.b = body(layers, dropout, attention)
        self.head = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Linear(WIDTH, 1))

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        hidden = self.b(input_ids=ids, attention_mask=_attended(self.b, mask), token_type_ids=types).last_hidden_state
        score: Tensor = self.head(_mean(hidden, mask))
        return score[:, 0].float()


def body(layers: int, dropout: float, attention: str) -> BertModel:
    """A BERT of the base model's shape, with the layers that are wanted; what is frozen is frozen."""
    shape = BertConfig(
        vocab_size=30_522,
        hidden_size=WIDTH,
        num_hidden_layers=layers,
        num_attention_heads=12,
        intermediate_size=1_536,
        max_position_embeddings=512,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
        attn_implementation=attention,
    )
    made = BertModel(shape, add_pooling_layer=False)
    for name in _FROZEN:
        getattr(made.embeddings, name).requires_grad_(False)
    return made


def fewer_layers(weights: State, layers: Sequence[int]) -> dict[str, Tensor]:
    """The weights of a body that has only some layers of another, in their order."""
    found = {
        name: values for name, values in weights.items() if ".layer." not in name and not name.startswith("layer.")
    }
    for new, old in enumerate(layers):
        own = f"layer.{old}."
        found |= {name.replace(own, f"layer.{new}."): values for name, values in weights.items() if own in name}
    return found


def average(states: Sequence[State]) -> dict[str, Tensor]:
    """The mean of models that were trained from one start: better than each of them, at the cost of one."""
    return {name: torch.stack([state[name].float() for state in states]).mean(0) for name in states[0]}


def _attended(model: BertModel, mask: Tensor) -> Tensor:
    """The mask as the fast attention takes it: given the plain one, the body would wait for the GPU to look into it."""
    return mask.bool()[:, None, None] if model.config._attn_implementation == "sdpa" else mask


def _mean(hidden: Tensor, mask: Tensor) -> Tensor:
    counted = mask.unsqueeze(-1).to(hidden.dtype)
    return (hidden * counted).sum(1) / counted.sum(1).clamp(min=1e-9)
