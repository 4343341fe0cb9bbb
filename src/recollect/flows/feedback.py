"""What readers say of a memory: useful, or wrong. It moves rank and confidence, and stays in history."""

from uuid import UUID

from recollect.core import check
from recollect.core.scope import Scope
from recollect.db.database import again_after_deadlock
from recollect.flows import statistics
from recollect.flows.parts import Parts
from recollect.flows.revise import find
from recollect.records import service, store
from recollect.records.changes import Changes
from recollect.records.model import Actor, Memory
from recollect.records.verdicts import VERDICTS, with_verdict

_NEARER = 0.2
"""The part of the way to certainty that a useful memory goes."""
_DOUBTED = 0.5
"""What is left of the confidence in a wrong one."""
_RISE, _FALL = 0.05, 0.1
"""What importance, and with it the rank, gains or loses."""


@again_after_deadlock
async def give(parts: Parts, scope: Scope, id: UUID, verdict: object) -> Memory:
    """Take a verdict; a statement that becomes doubtful by it waits, as any doubtful one does, until it is promoted."""
    said = check.choice("verdict", verdict, VERDICTS)
    found = await find(parts, scope, id)
    # A verdict is no edit: jobs may go on with the memory, but what was said before speaks against it in vain.
    actor = Actor(scope.user_id, scope.agent_id, scope.thread_id, f"feedback: {said}", by_hand=False)
    now = parts.clock()
    async with parts.database.transaction(found.space) as connection:
        memory = await service.hold(connection, found.space, id, now, parts.rules, None)
        changes, mean_length = _changes(memory, said), await store.mean_length(connection, found.space)
        data = with_verdict(memory.data, said, now)
        if changes.differing(memory):
            await service.change(connection, memory, changes, None, now, actor, mean_length, event=None, data=data)
        else:
            await service.annotate(connection, memory, data, now, actor, confidence=memory.confidence, event="UPDATE")
        held = await service.get(connection, found.space, id, now, parts.rules)
        doubtful = held.kind == "statement" and held.confidence < parts.settings.pending_below
        if said == "wrong" and doubtful and not held.pending:
            await service.put_in_doubt(connection, held, now, actor)
        await statistics.refresh_when_due(connection, found.space)
        return await service.get(connection, found.space, id, now, parts.rules)


def _changes(memory: Memory, said: str) -> Changes:
    if said == "useful":
        sure, weight = memory.confidence + (1 - memory.confidence) * _NEARER, memory.importance + _RISE
    else:
        sure, weight = memory.confidence * _DOUBTED, memory.importance - _FALL
    return Changes({"confidence": sure, "importance": min(1.0, max(0.0, weight))})
