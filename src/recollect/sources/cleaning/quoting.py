"""What a mail says itself: without the mails that it answers, signatures, and what every mail of a firm carries.

A forwarded mail is what the mail says, and stays. Nothing is taken away where nothing would be left.
"""

import re
from dataclasses import dataclass

from recollect.sources.cleaning.people import people
from recollect.sources.cleaning.phrases import one_of
from recollect.sources.cleaning.signatures import RULE, has_words, unsigned

# "On Mon, Mar 2, 2026 at 10:15 AM Sarah Chen <sarah@example.org> wrote:" in the languages of the usual programs.
_ATTRIBUTION = one_of(r"""
    on\b.{5,300}\bwrote ?:  am\b.{5,300}\bschrieb\b.{0,150}:  le\b.{5,300}\ba écrit ?:  el\b.{5,300}\bescribió ?:
    il\b.{5,300}\bha scritto ?:  op\b.{5,300}\bschreef\b.{0,150}:  em\b.{5,300}\bescreveu ?:
    den\b.{5,300}\bskrev\b.{0,150}:  (?:w dniu|dnia)\b.{5,300}\b(?:pisze|napisał(?:\(a\)|a)?) ?:
    .{5,300}\b(?:писал|пишет)(?:\(а\)|а)? ?:  在.{5,300}写道[:：]  .{5,200}のメール[:：]
    """)
_WROTE = re.compile(rf"(?=.{{0,200}}\d){_ATTRIBUTION}\s*$", re.IGNORECASE)
_WROTE_BEGINS = re.compile(r"(?:on|am|le|el|il|op|em|den|w dniu|dnia|在)\b|\d", re.IGNORECASE)
_WROTE_SHORT = re.compile(r"[^\n]{2,80} (?:wrote|writes|schrieb|a écrit|escribió|ha scritto) ?:\s*$")
_ANSWERED = one_of("""
    original message  original appointment  ursprüngliche nachricht  originalnachricht  message d'origine
    mensaje original  messaggio originale  oorspronkelijk bericht  mensagem original  reply message
    (?:please )?reply above this line  antworten sie oberhalb dieser zeile
    """)
_ORIGINAL = re.compile(rf"\s*[-_*#]{{2,}} ?{_ANSWERED}\b.{{0,40}}$", re.IGNORECASE)
_PASSED_ON = one_of("""
    forwarded message  weitergeleitete nachricht  message transféré  mensaje reenviado  messaggio inoltrato
    doorgestuurd bericht  forwarded by
    """)
_APPLES = one_of("""
    begin forwarded message:  anfang der weitergeleiteten nachricht:  début du message (?:réexpédié|transféré) ?:
    """)
_FORWARDED = re.compile(rf"\s*(?:[-_*]{{2,}} ?{_PASSED_ON}\b.{{0,60}}|{_APPLES})\s*$", re.IGNORECASE)
_FORWARDING_SUBJECT = re.compile(r"\s*(?:fwd?|wg|tr|rv|i|enc|doorst)\s*:", re.IGNORECASE)
_FIELDS = {
    "from": "from von de da van från fra od от 发件人 差出人",
    "date": "sent date gesendet datum envoyé enviado enviada inviato data fecha verzonden skickat 发送时间 日期",
    "to": "to an à para a aan till til 收件人 宛先",
    "subject": "subject betreff objet asunto oggetto onderwerp assunto ämne emne 主题 件名",
    "cc": "cc kopie copia bcc reply-to importance attachments",
}
_FIELD_OF = {word: field for field, words in _FIELDS.items() for word in words.split()}
_HEADER = re.compile(r"[*_]{0,2}([^\W\d_][\w-]{0,14})(?: el| le)?[*_]{0,2} ?[:：][*_]{0,2}\s*(.*)$", re.IGNORECASE)
_QUOTED = re.compile(r"\s{0,3}>")


@dataclass(frozen=True, slots=True)
class Own:
    """What a mail says itself."""

    text: str
    signed: str | None = None
    """The name under it."""


def own_words(body: str, subject: str = "") -> Own:
    """The body of a mail without what it quotes and what stands under every mail."""
    forward = _FORWARDING_SUBJECT.match(subject) is not None
    kept = _unquoted(body.split("\n"), forward=forward)
    if not has_words(kept):
        kept = [re.sub(r"^(?:\s{0,3}>)+ ?", "", line) for line in body.split("\n")]
    text, signed = unsigned(kept)
    return Own(text, signed)


# Quotes


def _unquoted(lines: list[str], *, forward: bool) -> list[str]:
    """The lines that are no quotes. A quote without ">" reaches to the end."""
    kept: list[str] = []
    place = 0
    while place < len(lines):
        length = _attribution(lines, place)
        if length:
            if not _quote_follows(lines, place + length):
                break
            place += length
        elif _QUOTED.match(lines[place]):
            place += 1
        elif _FORWARDED.match(lines[place]):
            return [*kept, *_forwarded(lines[place + 1 :])]
        elif _begins_original(lines, place):
            return [*kept, *_forwarded(lines[place:])] if forward or not has_words(kept) else kept
        else:
            kept.append(lines[place])
            place += 1
    return kept


def _attribution(lines: list[str], place: int) -> int:
    """How many lines say who wrote what is quoted next, 0 for none. Programs break that line in two or three."""
    first = lines[place].strip()
    if not first or len(first) > 400:
        return 0
    if _WROTE_SHORT.match(first) and _quote_follows(lines, place + 1):
        return 1
    if not _WROTE_BEGINS.match(first) and not first.endswith((":", "：")):
        return 0
    for length in (1, 2, 3):
        joined = " ".join(line.strip() for line in lines[place : place + length])
        if len(joined) <= 400 and _WROTE.match(joined):
            return length
    return 0


def _quote_follows(lines: list[str], place: int) -> bool:
    following = next((line for line in lines[place : place + 3] if line.strip()), "")
    return _QUOTED.match(following) is not None


def _begins_original(lines: list[str], place: int) -> bool:
    """Whether the mail that is answered begins here: a line that says so, or the block of fields that Outlook puts."""
    if _ORIGINAL.match(lines[place]):
        return True
    at = place + 1 if RULE.match(lines[place]) else place
    return len(_fields(lines[at : at + 8]).keys() & {"from", "date", "to", "subject"}) >= 3


def _fields(lines: list[str]) -> dict[str, str]:
    """The fields of a mail that stand as text at the head of these lines."""
    found: dict[str, str] = {}
    for line in lines:
        match = _HEADER.match(line.strip())
        field = _FIELD_OF.get(match[1].lower()) if match else None
        if match is None or field is None:
            if found or line.strip():
                break
            continue
        if not found and field != "from":
            break
        found[field] = match[2].strip()
    return found


def _forwarded(lines: list[str]) -> list[str]:
    """A forwarded mail: who wrote it, and its own words."""
    place = next((at for at, line in enumerate(lines) if line.strip() and not _is_mark(line)), len(lines))
    bare = (
        [re.sub(r"^\s{0,3}> ?", "", line) for line in lines[place:]] if _quote_follows(lines, place) else lines[place:]
    )
    fields = _fields(bare[:8])
    inside = bare[_length_of_fields(bare) :] if fields else bare
    text, _ = unsigned(_unquoted(inside, forward=False))
    return ["", *_introduction(fields), text] if text else ["", *_introduction(fields), *inside]


def _is_mark(line: str) -> bool:
    return any(mark.match(line) for mark in (_ORIGINAL, _FORWARDED, RULE))


def _length_of_fields(lines: list[str]) -> int:
    """Up to the first empty line after them."""
    begun = next((at for at, line in enumerate(lines) if line.strip()), 0)
    return next((at for at in range(begun, len(lines)) if not lines[at].strip()), len(lines))


def _introduction(fields: dict[str, str]) -> list[str]:
    who = ", ".join(people(fields.get("from", "")))
    subject = fields.get("subject", "")
    if not who and not subject:
        return []
    return [f"Forwarded{f' from {who}' if who else ''}{f', “{subject}”' if subject else ''}:", ""]
