"""The fence around recalled memory that is put into a prompt, so that it is never taken for something newly said."""

import re

OPENING = "<<<recollect:recalled>>>"
CLOSING = "<<<recollect:end>>>"

_MARK = re.compile(r"<{3}(?=\s*/?\s*recollect\s*:)", re.IGNORECASE)
_ESCAPED = "<\u200b<<"
_OPENING = re.compile(r"<{3}\s*recollect\s*:\s*recalled\s*>{3}", re.IGNORECASE)
_HEADER = re.compile(r"^Memory updates since rev \d+:[^\S\n]*\n(?:- .*(?:\n|$))*", re.MULTILINE)
_CLOSING = re.compile(r"<{3}\s*/?\s*recollect\s*:\s*end\s*>{3}", re.IGNORECASE)


def fenced(text: str) -> str:
    """Recalled text between the two marker lines; a marker inside it is broken, so that it cannot close the fence."""
    return f"{OPENING}\n{escaped(text)}\n{CLOSING}"


def escaped(text: str) -> str:
    """A text whose markers, if it has any, are broken."""
    # Most texts have none, and that is told at once.
    return _MARK.sub(_ESCAPED, text) if "<<<" in text else text


def unfenced(text: str) -> str:
    """A message without what stands in fences, or under a delta header. An open fence reaches to the end."""
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
