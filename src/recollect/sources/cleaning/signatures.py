"""What stands under a mail: names and numbers, greetings, devices, lawyers; and the warning that stands above it."""

import re
from collections.abc import Callable

from recollect.sources.cleaning.phrases import one_of
from recollect.understanding.writing import sentences

RULE = re.compile(r"\s*[-_=*~]{5,}\s*$")
_Ends = Callable[[list[str], int], bool]
_DELIMITER = re.compile(r"\s*-- ?\s*$|\s*—\s*$|\s*_{2,4}\s*$")
_SENT_FROM = one_of("""
    (?:sent|written|typed) (?:from|with|via|using) (?:my |the )?i(?:phone|pad|pod)
    (?:sent|written|typed) (?:from|with|via|using) (?:my |the )?(?:android|galaxy|samsung|mobile|phone|blackberry|pixel)
    (?:sent|written|typed) (?:from|with|via|using) (?:my |the )?(?:outlook|yahoo|gmail|proton|mail for windows)
    (?:sent|written|typed) (?:from|with|via|using) (?:my |the )?(?:windows mail|huawei|xiaomi|tablet|smartphone)
    get outlook for  download outlook  von meinem .{2,30} gesendet  gesendet (?:von|mit)  skickat från  wysłane z
    diese nachricht wurde von meinem  envoyé (?:de|depuis) mon  enviado desde (?:mi|el)  enviado do meu
    inviato da(?:l mio)?  verstuurd vanaf  отправлено с  发自我的  iphoneから送信
    """)
_DEVICE = re.compile(rf"\s*{_SENT_FROM}", re.IGNORECASE)
_GREETINGS = one_of("""
    (?:with )?(?:best|kind|kindest|warm|warmest|good|many|all (?:the|my))(?: (?:regards|wishes|thanks|best))?
    (?:thanks (?:and|&) )?(?:(?:best|kind) )?regards  sincerely  (?:yours|very) (?:sincerely|truly|faithfully)
    (?:sincerely|truly|faithfully) yours  yours  cheers  thanks(?: (?:again|so much|a lot|all|in advance))?
    thank you(?: (?:again|so much|very much|in advance))?  take care  cordially  respectfully  love  xo+  br  rgds
    talk soon  see you(?: soon)?
    (?:mit )?(?:freundlich|best|herzlich|lieb|viel|schön)en? grü(?:ß|ss)en?  mfg  vg  lg  gru(?:ß|ss)  grü(?:ß|ss)e
    danke(?: und gruß)?  cordialement  bien (?:cordialement|à vous)  (?:bien )?amicalement  à bientôt
    salutations(?: distinguées)?  (?:un )?(?:cordial )?saludos?(?: cordiales)?  un abrazo  atentamente
    (?:cordiali |distinti )?saluti  un saluto  met vriendelijke groet(?:en)?  groet(?:en|jes)?  atenciosamente
    abraços?  med vänliga hälsningar  (?:med )?vennlig hilsen
    """)
_CLOSING = re.compile(rf"\s*{_GREETINGS}[ ,.!–-]*$", re.IGNORECASE)
_BOILERPLATE = one_of(r"""
    this (?:e-?mail|message|communication|transmission)\b.{0,120}\b(?:confidential|privileged|intended|solely)
    the (?:information|contents?)(?: contained)?(?: in| of)? this (?:e-?mail|message|communication)\b
    confidentiality notice  disclaimer\b  legal notice  please consider the environment
    if you (?:are not the intended recipient|have received this (?:e-?mail|message) in error)
    diese e-?mail .{0,60}vertraulich  der inhalt dieser e-?mail
    you(?:'re| are) receiving this (?:e-?mail|message)  you(?:'ve| have)? received this (?:e-?mail|message) because
    to unsubscribe\b  unsubscribe from  .{0,60}\bmailing list$  https?://\S+/(?:listinfo|unsubscribe)\S*$
    """)
_LEGAL = re.compile(rf"\s*\*?\s*{_BOILERPLATE}", re.IGNORECASE)
_WARNING = re.compile(
    r"\s*\W{0,4}\s*(?:caution|warning|achtung|external(?: (?:e-?mail|sender))?)\b.{0,20}"
    r"(?:this (?:e-?mail|message)|e-?mail|originated|outside|sender).{0,300}$",
    re.IGNORECASE,
)
_ENDS = (".", "!", "?", "…", "。", "！", "？")
_MOST_SIGNED = 12
_LONGEST_SIGNED = 90


def has_words(lines: list[str]) -> bool:
    """Whether lines say anything."""
    return any(any(map(str.isalnum, line)) for line in lines)


def unsigned(lines: list[str]) -> tuple[str, str | None]:
    """The text without what stands under it, and whose name does."""
    lines = _without_warning(lines)
    lines, _ = _cut_where(lines, _is_footer)
    lines, below = _cut_where(lines, _ends_message)
    lines, signature = _cut_closing(lines)
    signed = _name_in(signature) or _name_in(below)
    return "\n".join(lines).strip(), signed


def _without_warning(lines: list[str]) -> list[str]:
    """Without the banner that a mail from outside gets."""
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    return lines[first + 1 :] if lines and _WARNING.match(lines[first]) and has_words(lines[first + 1 :]) else lines


def _is_footer(lines: list[str], place: int) -> bool:
    """Legal boilerplate and the feet of mailing lists: all that is below is more of it."""
    if _LEGAL.match(lines[place][:400]) is None:
        return False
    return place * 2 >= len(lines) or len(lines) - place <= 15


def _ends_message(lines: list[str], place: int) -> bool:
    if _DEVICE.match(lines[place]) and len(lines[place]) < 120:
        return len([line for line in lines[place + 1 :] if line.strip()]) <= 6
    return _DELIMITER.match(lines[place]) is not None and _is_signature(lines[place + 1 :])


def _cut_where(lines: list[str], ends: _Ends) -> tuple[list[str], list[str]]:
    """The lines before the first one that ends them, if they say anything, and those from it on."""
    for place in range(len(lines)):
        if lines[place].strip() and ends(lines, place) and has_words(lines[:place]):
            return _without_rules(lines[:place]), lines[place:]
    return lines, []


def _without_rules(lines: list[str]) -> list[str]:
    while lines and (not lines[-1].strip() or RULE.match(lines[-1])):
        lines = lines[:-1]
    return lines


def _cut_closing(lines: list[str]) -> tuple[list[str], list[str]]:
    """The lines before "Best regards," where only a signature follows, and those below it."""
    for place in range(max(0, len(lines) - _MOST_SIGNED - 6), len(lines)):
        if _CLOSING.match(lines[place][:120]) and _is_signature(lines[place + 1 :]) and has_words(lines[:place]):
            return lines[:place], lines[place + 1 :]
    return lines, []


def _is_signature(lines: list[str]) -> bool:
    """Whether lines are names, titles and numbers: few, short, and no sentence but a motto."""
    said = [line for line in lines if line.strip()]
    long = [line for line in said if len(line) > _LONGEST_SIGNED]
    return len(said) <= _MOST_SIGNED and len(long) <= 1 and sum(map(_told, said)) <= 1


def _told(line: str) -> int:
    """How many sentences a line has."""
    return sum(len(each.split()) > 1 and each.endswith(_ENDS) for each in sentences(line[:1000]))


_NAME = re.compile(r"[^\W\d_][^\W\d_.'’-]*(?:[.'’ -]{1,2}[^\W\d_][^\W\d_'’-]*){0,3}\.?")


def _name_in(lines: list[str]) -> str | None:
    """The name that a signature begins with."""
    first = next((line.strip(" *_,-–—") for line in lines if line.strip(" *_,-–—")), "")
    if len(first) > 40 or not _NAME.fullmatch(first) or not first[0].isupper() or _DEVICE.match(first):
        return None
    return first
