"""Bytes as text, whatever their label says."""

import codecs

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LAST_RESORTS = ("cp1252", "latin-1")
# What browsers take it for as well: the signs that tell them apart are never meant.
_MEANT = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "iso8859-9": "cp1254"}
_SINGLE_BYTE = ("cp125", "iso8859", "koi8", "mac", "ascii", "latin", "cp8", "cp4")


def decoded(data: bytes, label: str | None = None) -> str:
    """The text of bytes. A label of one byte a letter never fails, so bytes that are UTF-8 are taken as that first."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            return data.decode(name, "replace")
    for name in _candidates(label):
        try:
            return data.decode(name)
        except (UnicodeError, LookupError, ValueError):
            continue
    return data.decode("latin-1")


def _candidates(label: str | None) -> list[str]:
    named = _known(label)
    if named is None:
        return ["utf-8", *_LAST_RESORTS]
    meant = _MEANT.get(named, named)
    if named.startswith(_SINGLE_BYTE):
        return ["utf-8", meant, named, *_LAST_RESORTS]
    return [meant, named, "utf-8", *_LAST_RESORTS]


def _known(label: str | None) -> str | None:
    """The codec's own name; None for no label, and for one that names no encoding of text."""
    try:
        found = codecs.lookup((label or "").strip("\"' \t"))
    except (LookupError, ValueError):
        return None
    # "base64" or "rot13" are codecs too, of another kind.
    return found.name if getattr(found, "_is_text_encoding", True) else None


def is_binary(data: bytes) -> bool:
    """Whether bytes are no text in any encoding that is in use: pictures, archives, programs."""
    if any(data.startswith(mark) for mark, _ in _BOMS):
        return False
    head = data[:8192]
    if b"\x00" in head:
        return True
    odd = sum(byte < 32 and byte not in b"\t\n\r\x0c\x1b\x08" for byte in head)
    return odd * 20 > max(len(head), 20)
