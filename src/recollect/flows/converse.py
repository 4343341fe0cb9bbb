"""A context for the next reply: what is read of a conversation, what it calls to mind, and what of it fits."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from recollect.context import gather
from recollect.context.budget import Budget
from recollect.context.fitting import LEAST_TOKENS, Context, fit
from recollect.context.gather import Asked, Gathered, is_shown
from recollect.conversation.model import Conversation
from recollect.conversation.store import QUERIES
from recollect.core import check
from recollect.core.errors import InvalidInput
from recollect.core.scope import Scope
from recollect.db.compose import Jsonb
from recollect.db.database import Batch
from recollect.flows.parts import Parts
from recollect.retrieval.search import Hit, Timing

__all__ = ["LEAST_TOKENS", "Asked", "Built", "acknowledge", "build", "checked_extra"]


@dataclass(frozen=True, slots=True)
class Built:
    """A context, the hits that are in it, and what its reader is told by it."""

    assembled: Context
    hits: tuple[Hit, ...]
    recall_advised: bool
    gathered: Gathered
    asked: Asked


def checked_extra(extra: object, most_bytes: int) -> tuple[str, ...]:
    """More texts for the working part, as a caller gave them."""
    if isinstance(extra, str) or not isinstance(extra, Sequence):
        raise InvalidInput("extra", "must be a list of texts")
    return tuple(check.text(f"extra[{place}]", text, most_bytes=most_bytes) for place, text in enumerate(extra))


async def build(parts: Parts, conversation: Conversation, asked: Asked, warning: str | None, timing: Timing) -> Built:
    """Gather, choose what fits, and keep what the reader is told."""
    began = perf_counter()
    gathered = await gather.gather(parts.database, parts.searcher, parts.settings, conversation, asked, timing)
    before = () if warning is None else (warning,)
    materials = replace(gathered.materials, warnings=(*before, *gathered.materials.warnings))
    assembled = await asyncio.to_thread(fit, materials, asked.tokens, parts.counter, _budget(parts))
    await gather.offer(parts.database, gathered.reading, asked)
    included = set(assembled.included)
    hits = tuple(hit for hit in gathered.hits if str(hit.memory.id) in included)
    timing.total = perf_counter() - began
    own = gathered.reading.conversation
    nothing_new = all(is_shown(hit.memory, own, assembled.chosen.shown) for hit in gathered.hits)
    return Built(assembled, hits, nothing_new or gathered.away, gathered, asked)


def _budget(parts: Parts) -> Budget:
    settings = parts.settings
    return Budget(
        system=settings.context_system,
        working=settings.context_working,
        recent_share=settings.context_recent,
        chunk=settings.window_step,
    )


async def acknowledge(
    parts: Parts, scope: Scope, conversation: Conversation, offered: Mapping[str, int] | None = None
) -> None:
    """The reader has read what a context offered, or the last one did."""
    batch = Batch(conversation.space)
    batch.add(
        QUERIES["acknowledge"],
        space=conversation.space,
        conversation_id=conversation.id,
        owner=scope.owner,
        agent=scope.agent_id or "",
        revisions=None if offered is None else Jsonb(_revisions(scope, offered)),
    )
    await parts.database.send(batch)


def _revisions(scope: Scope, offered: object) -> dict[str, int]:
    if not isinstance(offered, Mapping) or not set(offered) <= set(scope.readable):
        raise InvalidInput("offered", "must be what a context of this conversation offered")
    return {space: check.count("offered", revision, least=0, most=2**62) for space, revision in offered.items()}
