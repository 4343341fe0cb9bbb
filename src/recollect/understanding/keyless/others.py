"""Words of somebody else that a message carries: mails, forwarded texts, what is announced as another's, old sayings.

Whoever pastes a letter says "I" in it and means its writer. From the announcement on, up to a signature or the end,
nothing is the speaker's own.
"""

import re
from collections.abc import Iterator

from recollect.understanding.keyless.vocabulary import ACQUAINTANCES, FIRST_NAMES, RELATIVES, alternatives

GAP = "\ufffc"
"""Stands where something was taken out."""

_LONGEST_LEAD = 160
_NAME = r"[A-ZÀ-Þ][\w.'-]*"
_KIN = rf"(?i:(?:my|our) (?:[\w-]+ ){{0,2}}?(?:{alternatives(RELATIVES | ACQUAINTANCES)}))"
_WROTE = (
    r"(?:wrote|writes|said|says|sent|sends|texted|texts|e-?mailed|mailed|messaged|posted|posts|replied|replies"
    r"|commented"
    r"|tweeted|answered|told|forwarded|shared|asked|shouted)"
)
_WRITING = (
    r"(?:e-?mail|mail|text|sms|message|msg|whatsapp|letter|note|dm|voicemail|voice note|comment|post|reply|answer"
    r"|review"
    r"|tweet|quote|statement|words|story|testimony|bio|cv|resume|diary|blog|intro|introduction)s?"
)
_BETWEEN = r"(?: (?:just|also|once|recently|today|yesterday|then|finally|even|always|actually|has|have|had))*"
_TAKEN = r"(?:got|received|found|saw|overheard)"
_THIS = r"(?:this|that|these|the following)"

_WRITER = re.compile(rf"\b(?P<who>[\w'.>-]+)>?{_BETWEEN} {_WROTE}\b(?! (?:(?:me|us|to me) )?that\b)", re.IGNORECASE)
_OF_ANOTHER = re.compile(
    rf"\b{_WRITING}(?: (?:I|we|that|just|{_TAKEN}|today|yesterday))* (?:from|by|of) "
    r"(?!me\b|us\b|mine\b|my (?:own|life)\b|the day\b)"
    rf"|(?<!\bit)(?<!\bhere)(?<!\bthat)(?<!\bwhat)'s? (?!my\b)(?:[\w-]+ )?{_WRITING}\b|\b{_TAKEN} {_THIS}\b"
    rf"|\b(?<!my )(?<!My ){_WRITING}(?: that)? (?:I|we) (?:just )?{_TAKEN}\b",
    re.IGNORECASE,
)
_BY_WAY_OF = (
    r"(?: (?:on|via|over|in|by) (?i:(?:the )?(?:whatsapp|slack|teams|signal|telegram|discord|twitter|facebook|instagram"
    r"|linkedin|reddit|imessage|messenger|phone|chat|e-?mail|text|sms|zoom|skype))|,? \(?\d{1,2}\)?)?"
)
_SPEAKER = re.compile(
    rf"(?:{_KIN}(?:,? {_NAME}){{0,2}}|(?i:{alternatives(FIRST_NAMES)})(?: {_NAME})?|{_NAME}(?: {_NAME})? ?"
    rf"(?:\([^()]{{1,30}}\)|from (?:the )?\w+|, (?:my|our) [\w -]{{2,20}}|(?= (?:on|via|over|by))))(?:{_BY_WAY_OF})"
)
_POINTS = re.compile(
    rf"(?:this is|here is|here's|here are|below (?:is|are)|see|look(?: at)?|read|guess|behold) (?:what|the|an?"
    rf"|{_THIS}|how)\b"
    rf"|.*\b{_WROTE}(?: (?:to )?(?:me|us))? {_THIS}(?: {_WRITING})?(?: \w+){{0,2}}$|.*\b{_TAKEN} {_THIS}\b",
    re.IGNORECASE,
)
_OPENERS = re.compile(r"(?:(?:hi|hey|hello|ok|okay|so|and|also|well|btw|oh|then|fyi)\b[ ,!.-]*)+", re.IGNORECASE)
_SELVES = frozenset({"i", "we", "you", "i've", "we've", "to", "as", "and", "have", "just", "never", "not", "i'd"})
_SPEAKS = re.compile(r"\b(?:I|i|I'[a-z]+|i'[a-z]+|[Ww]e|[Ww]e'[a-z]+|[Mm]y|[Mm]e|[Oo]ur)\b")
_LEAD_END = re.compile(r":(?=\s)|[.!](?=\s)|\n")
_LEAD_START = re.compile(r"[.!?]\s|\n")

_HEADER = re.compile(r"[ \t>*]*(?:From|To|Cc|Bcc|Sent|Date|Subject|Reply-To|Received)\*{0,2}:[ \t]", re.IGNORECASE)
_FROM = re.compile(r"[ \t>*]*From\*{0,2}:[ \t].*(?:@|<[^<>]+>)", re.IGNORECASE)
_FORWARDED = re.compile(
    r"[ \t>]*[-_=*]*[ \t]*(?:begin )?(?:forwarded|original|quoted) (?:message|mail|e-?mail|text)\b.*", re.IGNORECASE
)
_OVER = re.compile(
    r"[ \t>]*[-_=*]*[ \t]*end (?:of )?(?:forwarded|original|quoted|the)?[ \w]{0,20}(?:message|mail)\b.*", re.IGNORECASE
)
_CLOSING = re.compile(
    r"[ \t]*(?:(?:with |kind |kindest |best |warm |warmest |many |all the |lots of |yours |my )*(?:best|regards|wishes"
    rf"|thanks|thank you|love|cheers|greetings|hugs|sincerely|faithfully|truly|yours|take care)\b[ ,.!–—-]*"
    rf"|[–—-]{{1,2}}[ \t]*)(?P<name>(?-i:{_NAME})(?: (?-i:{_NAME})){{0,2}})?[ \t.]*",
    re.IGNORECASE,
)
_NAME_LINE = re.compile(rf"[ \t]*[–—-]?[ \t]*{_NAME}(?: {_NAME}){{0,2}}[ \t]*")

_LISTENER = (
    r"(?!you\b|the (?:assistant|bot|ai)\b)(?:him|her|them|people|everyone|everybody|(?:my|our|the|this|that|an?|his"
    r"|some"
    rf"|her) (?:[\w-]+ ){{0,2}}?[\w-]+?|{_NAME}(?: {_NAME})?)"
)
_TOLD = re.compile(
    r"\b(?:I|[Ww]e) (?:(?:have|had|just|once|even|also|always|then) )*(?:(?:told|lied to|convinced|persuaded"
    r"|assured|informed"
    rf"|(?:said|wrote|claimed|pretended|swore) to) {_LISTENER},? (?:that )?|(?:lied|pretended|faked)(?: and said"
    rf"| saying)? "
    r"(?:that )?)(?=(?:I|my|we|our|I'm|I've|we're)\b)[^\n.!?;]*?(?=[.!?;\n]|$|, (?:but|so|because|although|though)\b)"
)
_MACHINE = re.compile(
    r"\bas an? (?:(?:large|helpful|friendly|advanced|text-based) )*(?:ai|artificial intelligence|language model|llm"
    r"|chat ?bot|(?:ai|virtual|digital|voice) assistant|gpt[\w.-]*)(?: (?:language model|model|assistant|chatbot))?"
    r"(?: (?:developed|trained|created|made|built) by [\w ]{2,30})?(?=,| I\b| my\b)[^\n]*",
    re.IGNORECASE,
)
_NO_AUTHOR = (
    r"(?!I\b|We\b|You\b|the (?:doctor|gp|nurse|dentist|vet|consultant|specialist|therapist|physio|boss|manager|team"
    r"|client"
    r"|landlord|contract|label|tests?|results?|law|rules?)\b)"
)
_AUTHOR = rf"{_NO_AUTHOR}(?:the [\w' -]{{2,30}}?|{_NAME}(?: {_NAME}){{0,2}}|they|people|he|she)"
_SAYS = r"(?:used to |would |once |always |often )?(?:says?|said|sings?|sang|wrote|writes|puts? it|remarked)"
_SAYING = re.compile(
    rf"[^\n.!?]*,? (?:as|like) {_AUTHOR} {_SAYS}(?: in [^\n.!?]{{2,40}})?[ ,]*(?=[.!?\n]|$)"
    rf"|[^\n.!?]*, (?:said|says|wrote|writes|sang|sings|quoth) {_AUTHOR}[ ,]*(?=[.!?\n]|$)"
    rf"|\b[Aa]s {_AUTHOR} {_SAYS}(?: in [^\n,.!?]{{2,40}})?, [^\n.!?]*"
    r"|\b(?:[Tt]o quote|[Qq]uoting|[Ii]n the words of) (?!me\b|myself\b)[^\n,.!?]{2,40}, [^\n.!?]*"
)


def without_others(text: str) -> str:
    """A text with a gap for each stretch that somebody else wrote or said."""
    text = _without_announced(_without_mails(text))
    low = text.lower()
    if any(
        word in low for word in ("told", "lied", "convinced", "persuaded", "assured", "informed", "pretended", " to ")
    ):
        text = _TOLD.sub(GAP, text)
    if "as a" in low:
        text = _MACHINE.sub(GAP, text)
    if any(word in low for word in ("say", "said", "sing", "sang", "wr", "puts", "quot", "words of", "remarked")):
        text = _SAYING.sub(GAP, text)
    return text


def _without_mails(text: str) -> str:
    """A text without mails and forwarded messages: from their headers to their signatures."""
    if "\n" not in text:
        return text
    lines = text.split("\n")
    kept: list[str] = []
    place = 0
    while place < len(lines):
        if _mail_begins(lines, place):
            kept.append(GAP)
            place = _signed(lines, place + 1)
        else:
            kept.append(lines[place])
            place += 1
    return "\n".join(kept)


def _mail_begins(lines: list[str], place: int) -> bool:
    line = lines[place]
    if _FORWARDED.fullmatch(line) or _FROM.match(line):
        return True
    follows = lines[place + 1] if place + 1 < len(lines) else ""
    return _HEADER.match(line) is not None and _HEADER.match(follows) is not None


def _signed(lines: list[str], place: int) -> int:
    """The line after a signature and what belongs to it; the end where nobody signed."""
    while place < len(lines):
        follows = lines[place + 1] if place + 1 < len(lines) else ""
        closing = _CLOSING.fullmatch(lines[place])
        if _OVER.fullmatch(lines[place]):
            return place + 1
        if closing is not None and (closing["name"] or _NAME_LINE.fullmatch(follows)):
            return next((at for at in range(place + 1, len(lines)) if not lines[at].strip()), len(lines))
        place += 1
    return place


def _without_announced(text: str) -> str:
    """A text without what is announced as somebody's words: the rest of the line, or all up to a signature."""
    made, start = "", 0
    for lead, begin, end in _leads(text):
        if begin < start or not _announces(lead, text[end - 1 : end], text[end:]):
            continue
        line_end = text.find("\n", end)
        line_end = len(text) if line_end < 0 else line_end
        if text[end - 1] == ":" and text[end:line_end].strip():
            stop = line_end
        else:
            rest = text[end:].split("\n")
            stop = len(text) - len("\n".join(rest[_signed(rest, 0) :]))
        made += text[start:begin] + GAP + "\n" * (stop < len(text))
        start = stop
    return made + text[start:]


def _leads(text: str) -> Iterator[tuple[str, int, int]]:
    """What stands before a colon or the end of a sentence, with where it begins and where the mark ends."""
    starts = [0, *(found.end() for found in _LEAD_START.finditer(text))]
    at = 0
    for mark in _LEAD_END.finditer(text):
        while at + 1 < len(starts) and starts[at + 1] <= mark.start():
            at += 1
        begin = starts[at]
        lead = text[begin : mark.start()].strip()
        if 0 < len(lead) <= _LONGEST_LEAD:
            yield _OPENERS.sub("", lead, count=1) if _OPENERS.match(lead) else lead, begin, mark.end()


def _announces(lead: str, mark: str, rest: str) -> bool:
    """Whether a lead says that the words after it are somebody else's; without a colon it has to point at them."""
    if mark != ":":
        return _POINTS.match(lead) is not None and _others_words(lead)
    line, _, _ = rest.partition("\n")
    speaks = _SPEAKS.search(line if line.strip() else rest) is not None
    return _others_words(lead) or (speaks and _SPEAKER.fullmatch(lead) is not None)


def _others_words(lead: str) -> bool:
    if _OF_ANOTHER.search(lead):
        return True
    return any(found["who"].lower() not in _SELVES for found in _WRITER.finditer(lead))
