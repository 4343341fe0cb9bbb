"""How a context marks what it repeats, so that it is never taken for something newly said.

Recalled memory stands between two marker lines. The talk itself stands as it was said, under a heading of ours and
before a closing line of ours: a context that comes back as a message teaches nothing.
"""

import re

OPENING = "<<<recollect:recalled>>>"
CLOSING = "<<<recollect:end>>>"
HEADINGS = MEMORY, CONVERSATION, WORKING, RECALLED = (
    "# Long-term Memory",
    "# Recent Conversation",
    "# Working Memory",
    "# Relevant Memories",
)
LAST_LINE = "Answer consistently using the memory and conversation above."

_MARK = re.compile(r"<{3}(?=\s*/?\s*recollect\s*:)", re.IGNORECASE)
_ESCAPED = "<\u200b<<"
_OPENING = re.compile(r"<{3}\s*recollect\s*:\s*recalled\s*>{3}", re.IGNORECASE)
_HEADER = re.compile(r"^Memory updates since rev \d+:[^\S\n]*\n(?:- .*(?:\n|$))*", re.MULTILINE)
_CONTEXT = re.compile(
    rf"^[^\S\n]*(?:{'|'.join(map(re.escape, HEADINGS))})[^\S\n]*$.*^[^\S\n]*{re.escape(LAST_LINE)}[^\S\n]*$",
    re.MULTILINE | re.DOTALL,
)
# Without its end: the heading, and at once somebody who speaks.
_TALK = re.compile(
    rf"^[^\S\n]*{re.escape(CONVERSATION)}[^\S\n]*\n+(?:user|assistant|system|tool|function)(?: \([^)\n]*\))?: .*",
    re.MULTILINE | re.DOTALL,
)
_CLOSING = re.compile(r"<{3}\s*/?\s*recollect\s*:\s*end\s*>{3}", re.IGNORECASE)


def fenced(text: str) -> str:
    """Recalled text between the two marker lines; a marker inside it is broken, so that it cannot close the fence."""
    return f"{OPENING}\n{escaped(text)}\n{CLOSING}"


def escaped(text: str) -> str:
    """A text whose markers, if it has any, are broken."""
    # Most texts have none, and that is told at once.
    return _MARK.sub(_ESCAPED, text) if "<<<" in text else text


def unfenced(text: str) -> str:
    """A message without what a context repeats: what stands in fences or under a delta header, and the talk under its
    heading. An open fence reaches to the end."""
    if CONVERSATION in text or LAST_LINE in text:
        text = _TALK.sub("", _CONTEXT.sub("", text))
    text = _HEADER.sub("", text)
    kept: list[str] = []
    place = 0
    while (opening := _OPENING.search(text, place)) is not None:
        kept.append(text[place : opening.start()])
        closing = _CLOSING.search(text, opening.end())
        if closing is None:
            return "".join(kept)
        place = closing.end()
    kept.append(text[place:])
    return _CLOSING.sub("", "".join(kept))


def is_recalled(text: str) -> bool:
    """Whether some of a text is what a context repeats."""
    return unfenced(text).strip() != text.strip()
