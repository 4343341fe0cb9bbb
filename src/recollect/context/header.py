"""The delta header: what changed in memory since its reader was last told, in a few bullets."""

from collections.abc import Iterable, Sequence
from typing import Any

from recollect.records.lifecycle import level
from recollect.understanding.fence import escaped

_SIGNS = {
    "created": "+",
    "updated": "↑",
    "merged": "↔",
    "deleted": "−",
    "soft_deleted": "−",
    "restored": "↺",
}
_LONGEST = 160


def header(since: int, changes: Iterable[Any], most: int) -> list[str]:
    """Its lines: none when nothing changed; of many changes the weightiest, newest first among equals.

    A change is a row of the change log with what is left of its memory.
    """
    told = _latest_of_each(changes)
    weighty = sorted(told, key=lambda change: (-level(change.importance), -change.revision, change.position))[:most]
    if not weighty:
        return []
    ordered = sorted(weighty, key=lambda change: (change.revision, change.position))
    return [f"Memory updates since rev {since}:", *(_bullet(change) for change in ordered)]


def _latest_of_each(changes: Iterable[Any]) -> list[Any]:
    """One change for each memory, the newest; what came and went unseen is not told."""
    seen: dict[Any, list[Any]] = {}
    for change in sorted(changes, key=lambda change: (change.revision, change.position)):
        seen.setdefault(change.memory_id, []).append(change)
    return [_told(of_one) for of_one in seen.values() if _worth_telling(of_one)]


def _told(changes: Sequence[Any]) -> Any:
    """What was created and then updated is, to somebody who knew neither, created."""
    first, last = changes[0], changes[-1]
    return first if first.event == "created" and last.event in ("updated", "merged") else last


def _worth_telling(changes: Sequence[Any]) -> bool:
    """Not what came and went unseen, and not as news what has been overtaken since."""
    last = changes[-1]
    if last.event in ("deleted", "soft_deleted"):
        return bool(changes[0].event != "created")
    return last.valid_until is None


def _bullet(change: Any) -> str:
    sign, event = _SIGNS[change.event], change.event
    text = " ".join((change.title or change.content).split() if change.kind == "episode" else change.content.split())
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 1].rstrip() + "…"
    return f"- {sign}{event}: [{change.category}] {escaped(text)} (imp={level(change.importance)})"
