"""Plain text: line ends, trailing blanks and signs that nobody sees; and lines that a mail program broke, joined."""

import re
from itertools import pairwise

from recollect.sources.cleaning.model import Cleaned

_LINE_ENDS = re.compile(r"\r\n?|[\u2028\u2029\x0b\x0c\x85]")
_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\ufeff\ufffe]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_TRAILING = re.compile(r"[^\S\n]+$", re.MULTILINE)
_GAPS = re.compile(r"\n{3,}")
_OWN_LINE = re.compile(r"\s|[-*+•–>#|=_]|\d{1,3}[.)]\s|[A-Za-z]\)\s")
_LONGEST_TITLE = 80
_NARROWEST, _WIDEST = 50, 100


def tidy(raw: str) -> str:
    """The text with one kind of line end, no signs that cannot be seen, and no blanks where nothing follows."""
    text = _UNSEEN.sub("", _LINE_ENDS.sub("\n", _SURROGATES.sub("\ufffd", raw)))
    return _GAPS.sub("\n\n", _TRAILING.sub("", text)).strip()


def clean(raw: str) -> Cleaned:
    """A note, all but untouched."""
    text = tidy(raw)
    return Cleaned(text, title=heading(text))


def heading(text: str) -> str | None:
    """The first line where it stands above the rest as a title does."""
    first, _, rest = text.partition("\n")
    apart = rest.startswith(("\n", "===", "---"))
    if not apart or not rest.strip() or len(first) > _LONGEST_TITLE or first.endswith((".", ",", ";", "?", "!", ":")):
        return None
    return re.sub(r"^#{1,6}\s+", "", first).strip() or None


def unwrapped(text: str) -> str:
    """Paragraphs as one line each, where lines end only because the next word had no room."""
    return "\n\n".join("\n".join(_joined(paragraph.split("\n"))) for paragraph in text.split("\n\n"))


def _joined(lines: list[str]) -> list[str]:
    width = max(map(len, lines))
    if not _NARROWEST <= width <= _WIDEST:
        return lines
    found = [lines[0]]
    for before, line in pairwise(lines):
        if _is_wrapped(before, line, width):
            found[-1] = f"{found[-1]} {line.strip()}"
        else:
            found.append(line)
    return found


def _is_wrapped(before: str, line: str, width: int) -> bool:
    """Whether the next line's first word would have made the one before too long, as far as its neighbours tell."""
    word = line.split(" ", 1)[0]
    return bool(word) and not _OWN_LINE.match(line) and len(before) + 1 + len(word) > width - 3
