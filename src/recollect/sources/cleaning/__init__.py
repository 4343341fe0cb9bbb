"""Cleaning: a raw document in, its words out, with title, people and times. One file for each form.

| type | read as |
|---|---|
| email | a message as it was sent, or its body alone |
| slack-thread | Slack's export |
| meeting, voice-memo | WebVTT, SRT, lines with speakers, else text; fillers go |
| conversation | messages as JSON, or lines with speakers |
| text-note, artifact, any other | what it plainly is: Markdown, captions, a page, a message; else text |

A document may also come as an object that names its type (`{"type": "email", "from": …, "body": …}`).
"""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from recollect.sources.cleaning import mail, markdown, markup, plain, slack, talk, transcript
from recollect.sources.cleaning.fillers import cleaner
from recollect.sources.cleaning.model import Cleaned, Said

_SPOKEN = frozenset({"meeting", "voice-memo", "call", "interview", "podcast", "transcript"})
_LARGEST_OBJECT = 64_000_000
_LONGEST_NAME, _MOST_NAMES, _LONGEST_TITLE = 100, 500, 300


def clean(source_type: str, raw: str) -> Cleaned:
    """A source as a person would read it. It never fails, and says something wherever the raw text does."""
    try:
        cleaned = _by_type(source_type.strip().casefold(), raw)
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError, AssertionError):
        # Parsers of the standard library give up on broken input in ways of their own.
        cleaned = plain.clean(raw)
    cleaned = _bounded(cleaned)
    if cleaned.text.strip() and (cleaned.title or _has_words(cleaned.text)):
        return cleaned
    return replace(cleaned, text=cleaned.title or plain.tidy(raw) or _printable(raw), lines=())


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))


def _bounded(cleaned: Cleaned) -> Cleaned:
    """Names and title on one line each and of a length that they can have; no end before the beginning."""
    names = (" ".join(plain.tidy(who).split())[:_LONGEST_NAME].strip() for who in cleaned.participants)
    ends = cleaned.ended_at
    return replace(
        cleaned,
        title=" ".join(plain.tidy(cleaned.title or "").split())[:_LONGEST_TITLE].strip() or None,
        participants=tuple(dict.fromkeys(name for name in names if name))[:_MOST_NAMES],
        ended_at=None if ends and cleaned.started_at and ends < cleaned.started_at else ends,
    )


def _printable(raw: str) -> str:
    """The raw text, as far as a database can hold it."""
    return raw.encode("utf-8", "replace").decode().replace("\x00", "").strip()


def _by_type(source_type: str, raw: str) -> Cleaned:
    fields = _fields(raw)
    if fields is not None:
        found = _of_fields(source_type, fields)
        if found is not None:
            return found
    return _READERS.get(source_type, _speech if source_type in _SPOKEN else _anything)(raw)


def _fields(raw: str) -> dict[str, Any] | None:
    """The object that a raw text is; None where it is none."""
    bare = raw.strip("\ufeff \t\r\n")
    if not (bare.startswith("{") and bare.endswith("}")) or len(bare) > _LARGEST_OBJECT:
        return None
    try:
        found = json.loads(bare)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _of_fields(source_type: str, fields: dict[str, Any]) -> Cleaned | None:
    """What an object holds, by the type that it names or was given as; None where it is no such object."""
    kind = str(fields.get("type") or source_type).casefold()
    if kind == "email" and isinstance(fields.get("body") or fields.get("content") or fields.get("text"), str):
        return mail.clean_fields(fields)
    if slack.is_export(fields):
        return slack.clean_export(fields)
    content = fields.get("content")
    if "type" in fields and isinstance(content, str) and content.strip():
        inside = clean(kind, content)
        title = fields.get("title")
        return replace(inside, title=title) if isinstance(title, str) and title.strip() else inside
    return None


def _slack(raw: str) -> Cleaned:
    return slack.clean(raw) or talk.clean(raw) or plain.clean(raw)


def _talk(raw: str) -> Cleaned:
    return slack.clean(raw) or talk.clean(raw) or _anything(raw)


def _speech(raw: str) -> Cleaned:
    """A transcript; notes of a meeting are none, and are read as what they are."""
    found = transcript.clean(raw) or slack.clean(raw)
    if found is not None:
        return found
    text = _anything(raw)
    return text if markdown.is_markdown(text.text) else replace(text, text=_unhummed(text.text))


def _unhummed(text: str) -> str:
    said = cleaner(text)
    return "\n".join(said(line) if line.strip() else line for line in text.split("\n"))


def _anything(raw: str) -> Cleaned:
    """By what it plainly is."""
    text = plain.tidy(raw)
    for is_it, read in _PLAINLY:
        if is_it(text):
            found = read(raw)
            if found is not None and found.text.strip():
                return found
    return plain.clean(raw)


def plain_type(raw: str) -> str:
    """The type of a text that comes without one, by what it plainly is; a note, if nothing else."""
    text = plain.tidy(raw)
    if transcript.is_captions(text) or transcript.is_spoken(text):
        return "meeting"
    if mail.is_message(text):
        return "email"
    return "slack-thread" if slack.read(text) is not None else "text-note"


def _page(raw: str) -> Cleaned:
    return Cleaned(plain.tidy(markup.text_of(raw)), title=markup.title_of(raw))


def _is_page(text: str) -> bool:
    return text[:200].lower().startswith(("<!doctype html", "<html", "<head", "<body"))


_READERS: dict[str, Callable[[str], Cleaned]] = {"email": mail.clean, "slack-thread": _slack, "conversation": _talk}
_PLAINLY: tuple[tuple[Callable[[str], bool], Callable[[str], Cleaned | None]], ...] = (
    (transcript.is_captions, transcript.clean),
    (_is_page, _page),
    (mail.is_message, mail.clean),
    (lambda text: slack.read(text) is not None, slack.clean),
    (transcript.is_spoken, lambda raw: transcript.clean(raw, speech=False)),
    (markdown.is_markdown, markdown.clean),
)

__all__ = ["Cleaned", "Said", "clean", "plain_type"]
