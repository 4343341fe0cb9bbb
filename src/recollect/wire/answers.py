"""The answers of verbs on the wire: the library's own values, and some that stand for objects that cannot travel."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, get_args, get_origin

from pydantic import TypeAdapter

from recollect.context.bullets import Bullet, Whole
from recollect.conversation.model import Conversation
from recollect.core.keys import Key
from recollect.memory import Bullets, Chat, Context, Hits
from recollect.retrieval.search import Hit

WHO: TypeAdapter[Key | None] = TypeAdapter(Key | None)
"""The key that a request came with; null where nobody needs one."""
STANDING = ("pause", "resume", "end")
"""Verbs after which a conversation stands otherwise."""


@dataclass(frozen=True, slots=True)
class Found:
    """Hits of a search, best first, and what the caller should know about them."""

    hits: list[Hit]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """Bullets of a query, best first, and what the caller should know about them."""

    bullets: list[Bullet | Whole]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """A context: as text, as messages of either kind, and what `ack` takes."""

    text: str
    tokens: int
    stable_prefix: int
    warnings: tuple[str, ...]
    hits: tuple[Hit, ...]
    recall_advised: bool
    offered: dict[str, int]
    openai: list[dict[str, Any]]
    anthropic: dict[str, Any]


def answer_of(verb: str, hint: Any) -> Any:
    """The type of what a verb answers, or of each part where it answers bit by bit."""
    if get_origin(hint) is AsyncIterator:
        return get_args(hint)[0]
    if verb in _ANSWERS:
        return _ANSWERS[verb]
    return _SENT.get(hint, hint)


# A conversation is told as it stands afterwards, and each search of many has warnings of its own.
_ANSWERS: dict[str, Any] = {
    "search_many": list[Found],
    **dict.fromkeys(STANDING, Conversation),
}
_SENT: dict[Any, Any] = {Hits: Found, Bullets: Answered, Context: Told, Chat: Conversation}


def sent(value: Any) -> Any:
    """What stands on the wire for a value."""
    if isinstance(value, Hits):
        return Found(list(value), value.warnings)
    if isinstance(value, Bullets):
        return Answered(list(value), value.warnings)
    if isinstance(value, Context):
        return _told(value)
    if isinstance(value, Chat):
        return value.conversation
    if isinstance(value, list) and value and isinstance(value[0], Hits):
        return [sent(each) for each in value]
    return value


def _told(context: Context) -> Told:
    return Told(
        context.text,
        context.tokens,
        context.stable_prefix,
        context.warnings,
        context.hits,
        context.recall_advised,
        context.offered,
        context.to_openai(),
        context.to_anthropic(),
    )
