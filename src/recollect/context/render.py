"""A context as text: the headings and the closing line of the prompt, stable part first."""

from collections.abc import Iterable

from recollect.context.model import ChunkText, RecalledText, Stable, Volatile, WindowMessage
from recollect.context.parts import plain
from recollect.understanding.fence import CONVERSATION, LAST_LINE, MEMORY, RECALLED, WORKING, fenced

PROFILE = "## User Profile"
SUMMARIES = "## Recent Context"
CHANGED = "## Changed Profile Facts"
EPISODES = "## Episodes"
FACTS = "## Facts"


def stable_text(stable: Stable) -> str:
    """The part that a later context repeats byte for byte; each block brings its own blank line, so it only grows."""
    head = [block for block in (stable.system, memory_block(stable)) if block]
    text = "".join(f"{block}\n" if place == 0 else f"\n{block}\n" for place, block in enumerate(head))
    if stable.messages:
        text += "\n" * bool(text) + f"{CONVERSATION}\n" + "".join(map(message_line, stable.messages))
    return text


def memory_block(stable: Stable) -> str:
    """Profile and summaries, fenced; empty if there are none."""
    blocks = [_listed(PROFILE, map(fact_line, stable.profile)), _listed(SUMMARIES, map(chunk_line, stable.summaries))]
    inside = "\n\n".join(filter(None, blocks))
    return f"{MEMORY}\n{fenced(inside)}" if inside else ""


def volatile_text(volatile: Volatile, *, in_chat: bool = False, after: bool = False) -> str:
    """What is said anew: updates, working notes, what was found, and at the end the question.

    In a chat the message that it stands in says that the user asks.
    """
    blocks = [
        "\n".join(volatile.header),
        fenced(_listed(CHANGED, map(_bullet, volatile.changed))) if volatile.changed else "",
        _working(volatile),
        _recalled(volatile),
        f"{_asked_by(volatile.asker, in_chat)}{volatile.question}" if volatile.question else "",
        LAST_LINE if volatile.closing else "",
    ]
    text = "\n\n".join(filter(None, blocks))
    return f"\n{text}" if after and text and not volatile.header else text


def _asked_by(asker: str | None, in_chat: bool) -> str:
    if in_chat:
        return f"{asker}: " if asker else ""
    return f"user ({asker}): " if asker else "user: "


def whole_text(stable: Stable, volatile: Volatile) -> tuple[str, int]:
    """The context as one text, and the length of its stable part; a delta header is the first of what is volatile."""
    before = stable_text(stable)
    return before + volatile_text(volatile, after=bool(before)), len(before)


def fact_line(fact: tuple[str, str]) -> str:
    """A profile fact in a list."""
    return _bullet(f"{fact[0]}: {fact[1]}")


def chunk_line(chunk: ChunkText) -> str:
    """A chunk summary in a list."""
    return _bullet(f"turns {chunk.first_turn}-{chunk.last_turn}: {chunk.text}")


def message_line(message: WindowMessage) -> str:
    """A message of the window; its speaker's name, if it has one, in brackets."""
    speaker = f"{message.role} ({message.name})" if message.name else message.role
    return f"{speaker}: {plain(message)}\n"


def _working(volatile: Volatile) -> str:
    blocks = [fenced("\n\n".join(volatile.actives)) if volatile.actives else "", *volatile.extra]
    inside = "\n\n".join(filter(None, blocks))
    return f"{WORKING}\n{inside}" if inside else ""


def _recalled(volatile: Volatile) -> str:
    blocks = [_listed(EPISODES, map(_said, volatile.episodes)), _listed(FACTS, map(_said, volatile.memories))]
    inside = "\n\n".join(filter(None, blocks))
    return f"{RECALLED}\n{fenced(inside)}" if inside else ""


def _said(recalled: RecalledText) -> str:
    return _bullet(recalled.text)


def _bullet(text: str) -> str:
    """A list item; further lines of its text are indented, so that the list stays one."""
    return "- " + text.strip().replace("\n", "\n  ")


def _listed(heading: str, lines: Iterable[str]) -> str:
    items = "\n".join(lines)
    return f"{heading}\n{items}" if items else ""
