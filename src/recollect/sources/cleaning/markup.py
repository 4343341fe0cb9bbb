"""HTML as text: blocks on lines of their own, items with a dash, quotes with ">", nothing that is not shown."""

import re
from html import unescape
from html.parser import HTMLParser

from recollect.sources.cleaning.phrases import words

_SKIPPED = words("script style head title template noscript svg math object iframe select button")
_VOID = words("area base br col embed hr img input link meta source track wbr")
_PARAGRAPHS = words("p ul ol dl table blockquote pre h1 h2 h3 h4 h5 h6")
_BLOCKS = _PARAGRAPHS | words(
    "address article aside body center dd details div dt fieldset figcaption figure footer form header html li main"
    " nav section summary tbody tfoot thead tr"
)
_CELLS = frozenset({"td", "th"})
_HIDDEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|font-size\s*:\s*0(?:px|pt|em)?\s*(?:;|$)",
    re.IGNORECASE,
)
_BLANKS = re.compile(r"[^\S\n]+")
_TAGS = re.compile(r"<[^<>]{0,2000}>")
_DEEPEST_QUOTE = 9


def text_of(html: str) -> str:
    """What a reader of the page would see."""
    reader = _Reader()
    try:
        reader.feed(html)
        reader.close()
    except (AssertionError, ValueError):
        # Declarations that are broken in certain ways stop the parser of the standard library.
        return _without_tags(html)
    return reader.text() or _without_tags(html)


def _without_tags(html: str) -> str:
    return unescape(_TAGS.sub(" ", html)).strip()


def title_of(html: str) -> str | None:
    """The page's title."""
    found = re.search(r"<title[^>]{0,200}>([^<]{1,500})", html[:20_000], re.IGNORECASE)
    return " ".join(unescape(found[1]).split()) or None if found else None


class _Reader(HTMLParser):
    """Collects lines, each with the depth of the quotes around it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._lines: list[tuple[int, str]] = []
        self._line: list[str] = []
        self._quotes = 0
        self._pre = 0
        self._unseen: list[str] = []
        """Open tags from the outermost that is not shown on."""

    def text(self) -> str:
        self._end_line()
        return "\n".join("> " * depth + line if line else ">" * bool(depth) for depth, line in self._lines).strip()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "body":
            self._unseen.clear()  # a head that nobody closed
        if self._unseen or (tag not in _VOID and _is_unseen(tag, attrs)):
            if tag not in _VOID:
                self._unseen.append(tag)
            return
        self._open(tag)

    def _open(self, tag: str) -> None:
        if tag in _BLOCKS or tag in {"br", "hr"}:
            again = tag == "br" and not "".join(self._line).strip()
            self._end_line(blank=again or tag in _PARAGRAPHS)
        if tag == "li":
            self._line.append("- ")
        if tag in _CELLS and self._line:
            self._line.append(" ")
        if tag == "blockquote":
            self._quotes = min(self._quotes + 1, _DEEPEST_QUOTE)
        self._pre += tag == "pre"

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not self._unseen:
            self._open(tag) if tag in _VOID else self._end_line()

    def handle_endtag(self, tag: str) -> None:
        if self._unseen:
            self._seen_again(tag)
            return
        if tag in _BLOCKS:
            self._end_line(blank=tag in _PARAGRAPHS)
        if tag == "blockquote":
            self._quotes = max(self._quotes - 1, 0)
        if tag == "pre":
            self._pre = max(self._pre - 1, 0)

    def _seen_again(self, tag: str) -> None:
        """A closing tag closes what was opened last by its name, and whatever was left open within."""
        if tag in self._unseen:
            while self._unseen.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if self._unseen:
            return
        first, *more = data.split("\n") if self._pre else [data.replace("\n", " ")]
        self._line.append(first)
        for line in more:
            self._end_line()
            self._line.append(line)

    def _end_line(self, *, blank: bool = False) -> None:
        joined = "".join(self._line)
        line = joined.rstrip() if self._pre else _BLANKS.sub(" ", joined).strip()
        self._line = []
        if line and line != "-":
            self._lines.append((self._quotes, line))
        if blank and self._lines and self._lines[-1][1]:
            self._lines.append((self._quotes, ""))


def _is_unseen(tag: str, attrs: list[tuple[str, str | None]]) -> bool:
    return tag in _SKIPPED or any(
        name == "hidden" or (name == "style" and value is not None and _HIDDEN.search(value[:500]))
        for name, value in attrs
    )
