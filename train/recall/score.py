"""How good a model is, quickly: on talks that were kept apart, and on LoCoMo's. Nothing in training looks at either."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from train.recall.examples import turn_text
from train.recall.names import without_names
from train.recall.network import Embedder, Reranker
from train.recall.prepared import NONE, Ints, Prepared, Ragged, encoded
from train.recall.tables import Pairs, Table, all_embedded
from train.recall.talks import Question, Talk, Turn

_TOKENS = 256
_ADVERSARIAL = 5
_RANKS = (5, 10, 20)
_NEVER = -1e9


def of_embedder(model: Embedder, table: Table, prepared: Prepared, examples: Ints) -> str:
    """For each set, how often an answer comes before all wrong turns of its pool."""
    golds, pools = prepared.golds[examples], prepared.pools[examples]
    texts = np.concatenate([golds, pools], 1)
    needed, where = np.unique(np.append(texts[texts != NONE], prepared.bare[examples]), return_inverse=True)
    vectors = all_embedded(model, table, needed)
    places = torch.zeros(texts.shape, dtype=torch.long)
    used = int((texts != NONE).sum())
    places[torch.from_numpy(texts != NONE)] = torch.from_numpy(where[:used])
    asked = vectors[torch.from_numpy(where[used:]).to(vectors.device)]
    found = torch.stack([vectors[row.to(vectors.device)] @ each for row, each in zip(places, asked, strict=True)])
    return _first(found.cpu().numpy(), texts, golds.shape[1], prepared.sets[examples])


def of_reranker(model: Reranker, pairs: Pairs, prepared: Prepared, examples: Ints) -> str:
    """For each set, how often an answer comes before all wrong turns of its pool."""
    golds = prepared.golds[examples]
    texts = np.concatenate([golds, prepared.pools[examples]], 1)
    used = texts != NONE
    asked = np.broadcast_to(prepared.asked[examples][:, None], texts.shape)
    found = np.zeros(texts.shape, np.float32)
    found[used] = pairs.all_scores(model, asked[used], texts[used]).cpu().numpy()
    return _first(found, texts, golds.shape[1], prepared.sets[examples])


def _first(scores: np.ndarray, texts: Ints, golds: int, sets: np.ndarray) -> str:
    scores = np.where(texts == NONE, _NEVER, scores)
    first = scores[:, :golds].max(1) >= scores[:, golds:].max(1)
    parts = [f"{name} {100 * first[sets == name].mean():.1f}" for name in np.unique(sets)]
    return ", ".join([f"{100 * first.mean():.1f}", *parts])


def locomo(path: Path) -> list[Talk]:
    """LoCoMo's talks, without adversarial questions and those that no turn answers; the family is the category."""
    return [_locomo_talk(each) for each in json.loads(path.read_text("utf-8"))]


class Conversations:
    """Talks whose questions are asked of all their turns."""

    def __init__(self, talks: Sequence[Talk], tokenizer: Tokenizer, device: torch.device) -> None:
        self._talks = [(talk, _numbered(talk, tokenizer), without_names(talk)) for talk in talks]
        self._tokenizer = tokenizer
        self._device = device

    def recall(self, model: Embedder) -> str:
        """Recall of the embedder alone, in percent, over all questions and for each category."""
        found: dict[str, list[list[float]]] = defaultdict(list)
        for talk, rows, without in self._talks:
            scores = self._scores(model, rows, [without(asked.text) for asked in talk.questions])
            best = scores.topk(min(max(_RANKS), scores.shape[1])).indices.tolist()
            for asked, places in zip(talk.questions, best, strict=True):
                shares = [len(set(places[:rank]) & set(asked.gold)) / len(asked.gold) for rank in _RANKS]
                found["all"].append(shares)
                found[str(asked.family)].append(shares)
        return _shares(found)

    def _scores(self, model: Embedder, rows: Ragged, questions: Sequence[str]) -> Tensor:
        asked = Ragged.of(encoded(self._tokenizer, questions, _TOKENS))
        of_turns, of_questions = (
            all_embedded(model, Table(each, self._device), np.arange(len(each.lengths))) for each in (rows, asked)
        )
        return of_questions @ of_turns.T


def _numbered(talk: Talk, tokenizer: Tokenizer) -> Ragged:
    return Ragged.of(
        encoded(tokenizer, [turn_text(talk, place).text or " " for place in range(len(talk.turns))], _TOKENS)
    )


def _shares(found: Mapping[str, Sequence[Sequence[float]]]) -> str:
    names = sorted(found, key=lambda name: (name != "all", name))
    return ", ".join(f"{name} {' / '.join(f'{100 * each:.1f}' for each in np.mean(found[name], 0))}" for name in names)


def _locomo_talk(sample: Mapping[str, Any]) -> Talk:
    conversation = sample["conversation"]
    sessions = sorted(
        (key for key in conversation if key.startswith("session_") and not key.endswith("date_time")),
        key=lambda key: int(key.split("_")[1]),
    )
    said = [turn for session in sessions for turn in conversation[session]]
    places = {turn["dia_id"]: place for place, turn in enumerate(said)}
    turns = tuple(Turn(turn["speaker"], _with_caption(turn)) for turn in said)
    questions = (_locomo_question(asked, places) for asked in sample["qa"] if asked["category"] != _ADVERSARIAL)
    return Talk("locomo", sample["sample_id"], turns, tuple(asked for asked in questions if asked.gold))


def _with_caption(turn: Mapping[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [shared image: {caption}]" if caption else str(turn["text"])


def _locomo_question(asked: Mapping[str, Any], places: Mapping[str, int]) -> Question:
    named = " ".join(asked.get("evidence") or ()).replace(";", " ").replace(",", " ").split()
    gold = dict.fromkeys(places[each] for each in named if each in places)
    return Question(asked["question"], tuple(gold), family=str(asked["category"]))
