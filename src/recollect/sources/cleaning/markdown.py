"""Markdown: without front matter, comments and the targets of links; headings, lists and code stay as they are."""

import re
from typing import Any

import yaml

from recollect.sources.cleaning import plain
from recollect.sources.cleaning.model import Cleaned
from recollect.sources.cleaning.moments import moment

_FRONT = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_LONGEST_FRONT = 20_000
_CODE = re.compile(r"^(?:```|~~~).*?(?:^(?:```|~~~)[ \t]*$|\Z)|`[^`\n]{1,500}`", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)|%%[^%]{0,2000}%%", re.DOTALL)
_IMAGE = re.compile(
    r"!\[([^\]\n]{0,500})\](?:\([^()\n]{0,1000}(?:\([^()\n]{0,200}\)[^()\n]{0,200}){0,3}\)|\[[^\]\n]{0,200}\])"
)
_LINK = re.compile(
    r"\[([^\[\]\n]{1,500})\](?:\([^()\n]{0,1000}(?:\([^()\n]{0,200}\)[^()\n]{0,200}){0,3}\)|\[[^\]\n]{0,200}\])"
)
_WIKI = re.compile(r"!?\[\[([^\[\]|\n]{1,300})(?:\|([^\[\]\n]{1,300}))?\]\]")
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^<>\s]+)>")
_DEFINITION = re.compile(r"^[ \t]{0,3}\[[^\]\n^][^\]\n]*\]:[ \t]*\S+.*$", re.MULTILINE)
_TAG = re.compile(
    r"</?(?:br|p|div|span|details|summary|sub|sup|b|i|em|strong|u|kbd|center|font|a|img|hr)\b[^<>]{0,500}>",
    re.IGNORECASE,
)
_STRESS = re.compile(
    r"(?<![\w*])(\*{1,3})(?=[^\s*])([^*\n]{1,500}?)(?<=[^\s*])\1(?![\w*])|(?<!\w)__(?=\S)([^_\n]{1,500}?)__(?!\w)"
)
_FIRST_HEADING = re.compile(r"^#[ \t]+(.+?)[ \t]*#*$", re.MULTILINE)
_SIGNS = re.compile(
    r"^#{1,6}[ \t]+\S|^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\S|\[[^\]\n]{1,300}\]\([^)\n]{1,300}\)"
    r"|^```|\*\*[^*\n]{1,300}\*\*|<!--"
    r"|\[\[[^\]\n]{1,300}\]\]",
    re.MULTILINE,
)
_PEOPLE = ("participants", "attendees", "people", "with", "author", "authors", "from")
_DATES = ("date", "created", "created_at", "started_at", "start", "when", "datum")
_ENDS = ("ended_at", "end", "until")


def is_markdown(text: str) -> bool:
    """Whether a text has front matter or the marks of Markdown, more than one of them."""
    if _front(text):
        return True
    return len({found[0][:2].strip() for found in _SIGNS.finditer(text[:20_000])}) >= 2 or text.startswith("# ")


def clean(raw: str) -> Cleaned:
    """A document as text."""
    whole = plain.tidy(raw)
    front = _front(whole)
    text = plain.tidy(_body(_FRONT.sub("", whole, count=1) if front else whole))
    heading = _FIRST_HEADING.search(text)
    return Cleaned(
        text=text or whole,
        title=_word(front.get("title")) or (heading[1].strip() if heading else None) or plain.heading(text),
        participants=tuple(dict.fromkeys(name for key in _PEOPLE for name in _names(front.get(key)))),
        started_at=next((found for key in _DATES if (found := moment(front.get(key)))), None),
        ended_at=next((found for key in _ENDS if (found := moment(front.get(key)))), None),
    )


def _front(text: str) -> dict[str, Any]:
    """The fields that stand above the text."""
    found = _FRONT.match(text[:_LONGEST_FRONT])
    if found is None:
        return {}
    try:
        fields = yaml.safe_load(found[1])
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError):
        return {}
    return {str(name).lower(): value for name, value in fields.items()} if isinstance(fields, dict) else {}


def _word(value: Any) -> str | None:
    return " ".join(str(value).split())[:300] or None if isinstance(value, str | int | float) else None


def _names(value: Any) -> list[str]:
    if isinstance(value, str):
        value = re.split(r"[,;]", value)
    if not isinstance(value, list):
        return []
    names = (
        _WIKI.sub(lambda found: found[2] or found[1], each).strip(" @\"'") for each in value if isinstance(each, str)
    )
    return [name for name in names if name and len(name) <= 100][:100]


def _body(text: str) -> str:
    """The text with its marks taken away, but not within code."""
    kept: list[str] = []
    place = 0
    for code in _CODE.finditer(text):
        kept += [_unmarked(text[place : code.start()]), code[0]]
        place = code.end()
    kept.append(_unmarked(text[place:]))
    return "".join(kept)


def _unmarked(text: str) -> str:
    text = _DEFINITION.sub("", _COMMENT.sub("", text))
    text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", _WIKI.sub(lambda found: found[2] or found[1], text)))
    text = _TAG.sub(lambda found: "\n" if found[0].lower().startswith("<br") else "", _AUTOLINK.sub(r"\1", text))
    return _STRESS.sub(lambda found: found[2] or found[3] or "", text)
