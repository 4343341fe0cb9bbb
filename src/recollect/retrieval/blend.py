"""Reranking: what a cross-encoder reads, and how its word is weighed against the fused score."""

import math
from collections.abc import Sequence
from dataclasses import replace

from recollect.retrieval.fusion import Scored, order

PREVIOUS_CHARACTERS = 200
"""How much of the turn before is shown: enough to know what was being answered."""


def pair_text(text: str, speaker: str | None, previous: tuple[str | None, str] | None) -> str:
    """A turn as the reranker reads it: who said what, and behind it what was said just before."""
    said = _said(speaker, text)
    if previous is None or not previous[1]:
        return said
    return f"{said} < {_said(previous[0], previous[1][:PREVIOUS_CHARACTERS])}"


def blend(hits: Sequence[Scored], raw: Sequence[float], weight: float = 0.1) -> list[Scored]:
    """The hits in their new order, given the reranker's scores of the first ones.

    The log-softmax is zero for a sure winner and negative for the others: what the reranker finds unlikely
    loses score. What it has not read loses as much as the least likely, and so stays behind what it has.
    """
    parts = [weight * part for part in _log_softmax(raw[: len(hits)])]
    if not parts:
        return list(hits)
    parts += [min(parts)] * (len(hits) - len(parts))
    blended = [_judged(hit, part) for hit, part in zip(hits, parts, strict=True)]
    blended.sort(key=order)
    return blended


def _said(speaker: str | None, text: str) -> str:
    first_name = speaker.split()[0] if speaker and not speaker.isspace() else ""
    return f"{first_name}: {text}" if first_name else text


def _judged(hit: Scored, part: float) -> Scored:
    why = {**hit.why, "rerank": part}
    return replace(hit, score=sum(why.values()), why=why)


def _log_softmax(raw: Sequence[float]) -> list[float]:
    """Shifted by the largest score first, so that no exponent overflows."""
    if not raw:
        return []
    largest = max(raw)
    total = math.log(sum(math.exp(score - largest) for score in raw))
    return [score - largest - total for score in raw]
