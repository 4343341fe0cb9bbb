"""The texts in bytes that a program packed: MessagePack, as LangGraph's graphs write it, or pickle. Pure.

A text stands behind its length there, and a length may look like a letter: "Anna", of 65 bytes, reads "AAnna". So each
text is taken by its length. Nothing is ever loaded: what the bytes would make of themselves is nobody's concern here.
"""

import pickletools
from collections.abc import Iterator

_MOST_LAYERS = 8
"""What one value wraps is packed again: a message in a list in a state."""
_PICKLED = b"\x80"

# By the first byte of a value: how many bytes it takes itself, beside its contents, where these follow as values.
_FIXED = {0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
_FIXED |= {0xC0: 0, 0xC2: 0, 0xC3: 0, 0xDC: 2, 0xDD: 4, 0xDE: 2, 0xDF: 4}
# How many bytes of it say a length, for texts, bytes, and extensions, which have a byte for their type.
_TEXTS = {0xD9: 1, 0xDA: 2, 0xDB: 4}
_BYTES = {0xC4: 1, 0xC5: 2, 0xC6: 4}
_WRAPPED = {0xC7: 1, 0xC8: 2, 0xC9: 4}
_SMALL_WRAPPED = {0xD4: 1, 0xD5: 2, 0xD6: 4, 0xD7: 8, 0xD8: 16}


def texts(body: bytes) -> list[str]:
    """The texts that bytes hold, in order; as far as they can be read."""
    if body[:1] == _PICKLED and len(body) > 2:
        return _pickled(body)
    return list(_packed(body, _MOST_LAYERS))


def _pickled(body: bytes) -> list[str]:
    found: list[str] = []
    try:
        for _, value, _ in pickletools.genops(body):
            if isinstance(value, str):
                found.append(value)
            elif isinstance(value, bytes | bytearray):
                found.append(value.decode("utf-8", "replace"))
    except Exception:  # whatever is wrong with it, what was read so far counts
        return found
    return found


def _packed(body: bytes, layers: int) -> Iterator[str]:
    """Value after value: those of lists and maps follow their heads, and need no looking after."""
    place, end = 0, len(body)
    while place < end:
        head = body[place]
        place += 1
        if head < 0xA0 or head >= 0xE0:  # a number, a small map or list
            continue
        if head < 0xC0:
            start, length = place, head & 0x1F
        elif head in _FIXED:
            place += _FIXED[head]
            continue
        else:
            start, length = _inner(body, place, head)
        place = start + length
        inside = body[start:place]
        if head < 0xC0 or head in _TEXTS:
            yield inside.decode("utf-8", "replace")
        elif layers:
            yield from texts(inside) if inside[:1] == _PICKLED else _packed(inside, layers - 1)


def _inner(body: bytes, place: int, head: int) -> tuple[int, int]:
    """Where the contents of a value begin, and how long they are."""
    if head in _SMALL_WRAPPED:
        return place + 1, _SMALL_WRAPPED[head]
    size = _TEXTS.get(head) or _BYTES.get(head) or _WRAPPED.get(head, 0)
    length = int.from_bytes(body[place : place + size], "big")
    return place + size + (head in _WRAPPED), length
