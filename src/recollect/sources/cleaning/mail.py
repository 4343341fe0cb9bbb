"""Email: a message as it was sent (RFC 822), as JSON, or its body alone."""

import base64
import binascii
import quopri
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_string
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Any

from recollect.sources.cleaning import markup, plain, quoting
from recollect.sources.cleaning.charsets import decoded
from recollect.sources.cleaning.model import Cleaned, Said
from recollect.sources.cleaning.moments import moment
from recollect.sources.cleaning.people import people
from recollect.sources.cleaning.phrases import words

HEADERS = words(
    "from to cc bcc subject date message-id received return-path mime-version content-type delivered-to reply-to sender"
    " in-reply-to references x-mailer content-transfer-encoding dkim-signature x-gm-thrid x-mozilla-status"
)
_FIELD = re.compile(r"([A-Za-z][A-Za-z0-9-]*):")
_TELLING = words("from to subject date message-id received return-path mime-version delivered-to")
_OF_SERVERS = words("message-id received return-path delivered-to")
_DEEPEST = 4
_MOST_PARTS = 200
_LONGEST_SUBJECT = 300
_STUB = 0.3
"""A plain text of less than this share of the HTML beside it only says that there is HTML."""


@dataclass(frozen=True, slots=True)
class _Mail:
    """A message taken apart."""

    sender: str = ""
    others: tuple[str, ...] = ()
    """Lines of addresses."""
    subject: str = ""
    sent: datetime | None = None
    body: str = ""
    attached: tuple[str, ...] = ()


def clean(raw: str) -> Cleaned:
    """A message without quotes, signatures and headers; they are its title, people and date."""
    return _cleaned(_taken_apart(raw) if has_headers(raw) else _Mail(body=raw))


def says_nothing(raw: str) -> bool:
    """Whether a message has fields alone: no subject, no body, no file."""
    if not has_headers(raw):
        return False
    mail = _taken_apart(raw)
    return not (mail.subject or mail.body.strip() or mail.attached)


def clean_fields(fields: dict[str, Any]) -> Cleaned:
    """A message that comes as an object: from, to, cc, subject, date, body."""
    body = str(fields.get("body") or fields.get("content") or fields.get("text") or "")
    mail = _Mail(
        sender=_addresses(fields.get("from")),
        others=tuple(_addresses(fields.get(name)) for name in ("to", "cc")),
        subject=_one_line(str(fields.get("subject") or fields.get("title") or "")),
        sent=moment(fields.get("date") or fields.get("sent_at")) or _date(str(fields.get("date") or "")),
        body=markup.text_of(body) if is_html(body) else body,
    )
    return _cleaned(mail)


def _addresses(value: Any) -> str:
    """An address, several, or objects that hold them, as one line."""
    if isinstance(value, dict):
        name, address = (str(value.get(key) or "") for key in ("name", "email"))
        return f'"{name}" <{address}>'
    if isinstance(value, list | tuple):
        return ", ".join(_addresses(each) for each in value)
    return str(value or "")


def has_headers(raw: str) -> bool:
    """Whether a text that is said to be a message begins with fields of mail, one of them telling."""
    names = _field_names(raw)
    known = [name for name in names if name in HEADERS or name.startswith("x-")]
    return bool(_TELLING & set(known)) and (len(known) >= 2 or len(names) == 1) and len(known) * 2 >= len(names)


def is_message(raw: str) -> bool:
    """Whether a text that is not said to be one is plainly a message: notes too begin with "Date:" or "To:"."""
    names = set(_field_names(raw))
    return bool(names & _OF_SERVERS) or ("from" in names and len(names & _TELLING) >= 2)


def _field_names(raw: str) -> list[str]:
    """The names of the fields that a text begins with."""
    names = []
    for line in raw.lstrip("\ufeff \t\r\n")[:4000].splitlines()[:40]:
        field = _FIELD.match(line)
        if field:
            names.append(field[1].lower())
        elif not line.startswith((" ", "\t", ">From ", "From ")) or not line.strip():
            break
    return names


def is_html(text: str) -> bool:
    """Whether a text is a page, or a piece of one."""
    head = text.lstrip()[:2000].lower()
    return head.startswith(("<!doctype html", "<html", "<body", "<div", "<p>", "<table", "<head", "<meta")) or (
        head.startswith("<") and "</" in head and re.search(r"<(?:br|p|div|span)\b", head) is not None
    )


# Reading


def _taken_apart(raw: str) -> _Mail:
    text = re.sub(r"^(?:>?From [^\n]*\n)+", "", raw.lstrip("\ufeff \t\r\n"))
    message = message_from_string(text.replace("\r\n", "\n").replace("\r", "\n"))
    bodies, attached = _parts(message)
    return _Mail(
        sender=_header(message, "from") or _header(message, "sender"),
        others=tuple(_header(message, name) for name in ("to", "cc")),
        subject=_one_line(_header(message, "subject")),
        sent=_date(_header(message, "date")),
        body="\n\n".join(body for body in bodies if body.strip()),
        attached=tuple(dict.fromkeys(attached)),
    )


def _header(message: Message, name: str) -> str:
    """A header's value as it reads, or as much as can be read of it."""
    value = str(message.get(name) or "")
    try:
        parts = decode_header(value)
    except (HeaderParseError, ValueError):
        return value
    return "".join(part if isinstance(part, str) else decoded(part, label) for part, label in parts)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_SUBJECT]


def _date(value: str) -> datetime | None:
    try:
        said = parsedate_to_datetime(value)
        return (said if said.tzinfo else said.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _parts(message: Message, depth: int = 0) -> tuple[list[str], list[str]]:
    """The texts of a message in order, and the names of what is attached."""
    if message.get_content_type() == "multipart/alternative" and message.is_multipart():
        return _alternative(_inside(message), depth)
    if message.get_content_type() == "message/rfc822" and message.is_multipart():
        return [_nested(inner, depth) for inner in _inside(message)[:1] if depth < _DEEPEST], []
    if message.is_multipart():
        found = [_parts(part, depth + 1) for part in _inside(message) if depth < _DEEPEST]
        return [body for bodies, _ in found for body in bodies], [name for _, names in found for name in names]
    name = _file_name(message)
    if _is_attachment(message, name):
        return [], [name] if name and message.get("content-id") is None else []
    return [_text(message)], []


def _inside(message: Message) -> list[Message]:
    payload = message.get_payload()
    return [part for part in payload if isinstance(part, Message)][:_MOST_PARTS] if isinstance(payload, list) else []


def _alternative(parts: Iterable[Message], depth: int) -> tuple[list[str], list[str]]:
    """The plain version, unless it only says that there is another one."""
    versions = [(part.get_content_type(), *_parts(part, depth + 1)) for part in parts if depth < _DEEPEST]
    texts = [(kind, "\n\n".join(bodies), names) for kind, bodies, names in versions if any(map(str.strip, bodies))]
    plain_ones = [each for each in texts if each[0] == "text/plain"]
    longest = max((len(body) for _, body, _ in texts), default=0)
    chosen = [each for each in plain_ones if len(each[1]) >= _STUB * longest] or texts[-1:]
    return [body for _, body, _ in chosen[:1]], [name for _, _, names in texts for name in names]


def _nested(message: Message, depth: int) -> str:
    """A message within a message."""
    bodies, _ = _parts(message, depth + 1)
    subject = _one_line(_header(message, "subject"))
    head = ["---------- Forwarded message ----------", f"From: {_header(message, 'from')}", f"Subject: {subject}", ""]
    return "\n".join([*head, *bodies])


def _file_name(part: Message) -> str:
    try:
        return _one_line(_decoded_name(part.get_filename() or ""))
    except (ValueError, TypeError, LookupError, HeaderParseError, AttributeError):
        return ""


def _decoded_name(name: str) -> str:
    return "".join(each if isinstance(each, str) else decoded(each, label) for each, label in decode_header(name))


def _is_attachment(part: Message, name: str) -> bool:
    if part.get_content_maintype() != "text" or part.get_content_subtype() in {"calendar", "x-vcard", "vcard", "csv"}:
        return True
    disposition = str(part.get("content-disposition") or "").strip().lower()
    return disposition.startswith("attachment") and bool(name)


def _text(part: Message) -> str:
    """The words of a part: decoded by what it is, whatever it claims to be."""
    payload = part.get_payload()
    text = _decoded_payload(part, payload) if isinstance(payload, str) else ""
    if part.get_content_subtype() == "html" or (part.get_content_subtype() == "plain" and is_html(text)):
        return markup.text_of(text)
    if _parameter(part, "format").lower() == "flowed":
        return _reflowed(text)
    return text


def _decoded_payload(part: Message, payload: str) -> str:
    encoding = str(part.get("content-transfer-encoding") or "").strip().lower()
    if encoding == "quoted-printable":
        return decoded(quopri.decodestring(payload.encode("utf-8", "replace")), _parameter(part, "charset"))
    if encoding == "base64":
        data = _of_base64(payload)
        return payload if data is None else decoded(data, _parameter(part, "charset"))
    return payload


def _parameter(part: Message, name: str) -> str:
    try:
        value = part.get_param(name)
    except (ValueError, TypeError, IndexError):
        return ""
    return value[2] if isinstance(value, tuple) else str(value or "")


def _of_base64(payload: str) -> bytes | None:
    """The bytes; what does not belong is left out, what is missing at the end is made up; None where there are none."""
    signs = re.sub(r"[^A-Za-z0-9+/]", "", payload)
    whole = signs[:-1] if len(signs) % 4 == 1 else signs
    try:
        return base64.b64decode(whole + "=" * (-len(whole) % 4))
    except (binascii.Error, ValueError):
        return None


def _reflowed(text: str) -> str:
    """Paragraphs of "format=flowed", in which a line that ends in a blank goes on (RFC 3676)."""
    found: list[str] = []
    goes_on = False
    for line in text.split("\n"):
        if goes_on and not line.startswith(">"):
            found[-1] += line.removeprefix(" ")
        else:
            found.append(line)
        goes_on = line.endswith(" ") and line != "-- " and not line.startswith(">")
    return "\n".join(found)


# Cleaning


def _cleaned(mail: _Mail) -> Cleaned:
    own = quoting.own_words(plain.tidy(mail.body), mail.subject)
    text = plain.tidy(plain.unwrapped(own.text))
    if mail.attached:
        text = f"{text}\n\nAttached: {', '.join(mail.attached)}".strip()
    sender = next(iter(people(mail.sender)), None) or (None if mail.sender else own.signed)
    return Cleaned(
        text=text,
        title=mail.subject or None,
        participants=tuple(dict.fromkeys([*([sender] if sender else []), *people(*mail.others)])),
        started_at=mail.sent,
        ended_at=mail.sent,
        lines=(Said(text, sender, mail.sent),) if text and sender else (),
    )
