"""A text as a person reads it, and the way back: escapes of JSON, HTML, URLs and mails are decoded, marks that nobody
sees are left out, and every place of what comes of it is known in the text as it is written. Pure."""

import re
from base64 import b64decode
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html.entities import html5
from quopri import decodestring

Span = tuple[int, int]

_MOST_LAYERS = 5
"""JSON in a string of JSON, in a URL: what is decoded is decoded again, so often."""
_UNSEEN = "\u00ad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff"
_HINT = re.compile(rf"[\\&%={_UNSEEN}\uff01-\uff5e]")
_ESCAPE = re.compile(
    r"(?P<pair>\\+u[dD][89abAB][0-9a-fA-F]{2}\\+u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|(?P<unit>\\+u(?:[0-9a-fA-F]{4}|\{[0-9a-fA-F]{1,6}\}))"
    r"|(?P<bytes>(?:\\+x[0-9a-fA-F]{2})+)"
    r"|(?P<sign>\\+[nrt\"'/])"
    r"|(?P<entity>&(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});)"
    r"|(?P<url>(?:%[0-9a-fA-F]{2})+)"
    r"|(?P<word>=\?[\w.-]{1,40}\?[bBqQ]\?[^?\s]*\?=(?:\s+(?==\?))?)"
    r"|(?P<fold>=[ \t]*\r?\n)"
    r"|(?P<quoted>(?:=[0-9a-fA-F]{2})+)"
    rf"|(?P<unseen>[{_UNSEEN}]+)"
)
_HEX = re.compile(r"[0-9a-fA-F]{2}")
_WIDE = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}
_SIGNS = {"n": "\n", "r": "\n", "t": "\t"}
_SURROGATES = range(0xD800, 0xE000)


@dataclass(frozen=True, slots=True)
class Plain:
    """A text as it is read."""

    text: str
    pieces: tuple[tuple[int, int, int, bool], ...] = ()
    """Where a stretch begins, here and in the text below, where it ends there, and whether it is read as written."""
    below: "Plain | None" = None
    """What it was decoded from, if anything was."""

    def span(self, begin: int, end: int) -> Span:
        """Where a stretch of it stands in the text as it is written."""
        if self.below is None:
            return begin, end
        first, last = self._piece(begin), self._piece(max(begin, end - 1))
        start = first[1] + (begin - first[0] if first[3] else 0)
        stop = last[1] + end - last[0] if last[3] else last[2]
        return self.below.span(start, stop)

    def _piece(self, place: int) -> tuple[int, int, int, bool]:
        return self.pieces[max(0, bisect_right(self.pieces, place, key=lambda piece: piece[0]) - 1)]


def plain(text: str) -> Plain:
    """A text as it is read; where nothing is written in another way, as it is."""
    read = Plain(text)
    for _ in range(_MOST_LAYERS):
        if _HINT.search(read.text) is None:
            break
        decoded = _decoded(read)
        if decoded.text == read.text:
            break
        read = decoded
    return read


def _decoded(read: Plain) -> Plain:
    """One layer less."""
    source = read.text.translate(_WIDE) if not read.text.isascii() else read.text
    written: list[str] = []
    pieces: list[tuple[int, int, int, bool]] = []
    here = place = 0
    for found in _ESCAPE.finditer(source):
        parts = list(_READERS[found.lastgroup or ""](found[0]))
        if not parts:
            continue
        if found.start() > place:
            pieces.append((here, place, found.start(), True))
            written.append(source[place : found.start()])
            here += found.start() - place
        begin = found.start()
        for said, length in parts:
            if said:
                pieces.append((here, begin, begin + length, False))
                written.append(said)
                here += len(said)
            begin += length
        place = found.end()
    if place < len(source) or not pieces:
        pieces.append((here, place, len(source), True))
        written.append(source[place:])
    return Plain("".join(written), tuple(pieces), read)


# What escapes say: parts of the text, each with the length of what it is written by; nothing where it is none.

Parts = Iterator[tuple[str, int]]


def _pair(escape: str) -> Parts:
    high, low = (int(each[:4], 16) for each in re.split(r"\\+u", escape)[1:])
    yield chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)), len(escape)


def _unit(escape: str) -> Parts:
    code = int(escape.lstrip("\\")[1:].strip("{}"), 16)
    if code not in _SURROGATES and code <= 0x10FFFF:
        yield chr(code), len(escape)


def _sign(escape: str) -> Parts:
    yield _SIGNS.get(escape[-1], escape[-1]), len(escape)


def _entity(escape: str) -> Parts:
    name = escape[1:]
    if not name.startswith("#"):
        if name in html5:
            yield html5[name], len(escape)
        return
    code = int(name[2:-1], 16) if name[1] in "xX" else int(name[1:-1])
    if 0 < code <= 0x10FFFF and code not in _SURROGATES:
        yield chr(code), len(escape)


def _octets(escape: str) -> Parts:
    """A run of bytes: UTF-8, else as Windows writes the West's letters."""
    octets = bytes.fromhex("".join(_HEX.findall(re.sub(r"[\\x]+", " ", escape))))
    each = len(escape) // len(octets)
    try:
        letters = [(letter, len(letter.encode())) for letter in octets.decode()]
    except UnicodeDecodeError:
        letters = [(letter, 1) for letter in octets.decode("cp1252", "replace")]
    yield from ((letter, size * each) for letter, size in letters)


def _encoded_word(escape: str) -> Parts:
    charset, form, said = escape.rstrip()[2:-2].split("?", 2)
    try:
        octets = b64decode(said, validate=True) if form in "bB" else decodestring(said.encode(), header=True)
        yield octets.decode(charset), len(escape)
    except (LookupError, ValueError):
        return


def _nothing(escape: str) -> Parts:
    yield "", len(escape)


_READERS: dict[str, Callable[[str], Parts]] = {
    "pair": _pair,
    "unit": _unit,
    "bytes": _octets,
    "sign": _sign,
    "entity": _entity,
    "url": _octets,
    "word": _encoded_word,
    "fold": _nothing,
    "quoted": _octets,
    "unseen": _nothing,
}
