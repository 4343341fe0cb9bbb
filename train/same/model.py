"""The network: the body of our embedder over both statements, and one number of what its first token has become."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from transformers import BertModel

from train.notice.model import WIDTH, shape


class Comparer(nn.Module):
    """For two statements in a row the logit of their saying the same."""

    def __init__(self, weights: Mapping[str, Tensor], layers: int, dropout: float) -> None:
        super().__init__()
        self.body = BertModel(shape(layers), add_pooling_layer=False)
        self.body.load_state_dict({name: weights[name] for name in self.body.state_dict()})
        # Words stay the embedder's, so that the package ships them once.
        self.body.embeddings.word_embeddings.requires_grad_(False)
        self.dropout = nn.Dropout(dropout)
        self.between = nn.Linear(WIDTH, WIDTH)
        self.head = nn.Linear(WIDTH, 1)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        hidden = self.body(input_ids=ids, attention_mask=mask).last_hidden_state[:, 0]
        logits: Tensor = self.head(self.dropout(torch.tanh(self.between(self.dropout(hidden)))))
        return logits[:, 0]
