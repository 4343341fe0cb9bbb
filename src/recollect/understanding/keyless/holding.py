"""Whether a keyed value holds now, by the words on either side of it: not to come, not left behind, not taken back."""

import re
from collections.abc import Mapping

_SENTENCE_START = re.compile(r"[.!?\n]")
_RETIRED = r"\bretired (?:in|from|after|last|at|since|early|two|three|five|ten|\d)\b[^.!?]*$"
"""What stands behind it was done until then."""
_BEFORE: Mapping[str, re.Pattern[str]] = {
    "identity.age": re.compile(
        r"\b(?:turning|turn|will be|['’]ll be|going to be|about to (?:be|turn)|almost|nearly|soon|not yet) (?:\w+ )?$",
        re.IGNORECASE,
    ),
    "identity.employer": re.compile(
        r"\b(?:(?:one|a|a single|two|three|a few|a couple of|half a) (?:shift|day|week|month|summer|season|gig)s?"
        r"|used to|formerly|briefly|once worked|interview\w*|appl(?:y|ied|ying))\b[^.!?]*$"
        rf"|{_RETIRED}|\b(?:at|for|with) (?:an?|the|my|our) [^,.!?]{{2,40}} (?:in|near|outside) $",
        re.IGNORECASE,
    ),
    "identity.job": re.compile(
        r"\b(?:stop|no longer|used to be|retrain\w*|train\w* (?:to be|as)|becom\w+|want to be|dream\w*|studying to be"
        rf"|apply\w*|applied|hir(?:e|ing)|look\w* for|need|call|find)\b(?: \w+){{0,4}} $|{_RETIRED}"
        r"|\bI (?:run|own|drive|ride|manage|have) (?:an? |the |my )?$",
        re.IGNORECASE,
    ),
    "identity.city": re.compile(
        r"\b(?:moved out of|moved away from|moving away from|moved from|away from|left|leaving|fled|back from) $"
        r"|\b[Bb]orn (?:and raised )?(?:on [^,.!?]{3,30} )?(?:in|at|near) $"
        r"|\b[A-ZÀ-Þ][\w-]+, $",  # "Youngstown, Ohio": the city is the first of them
    ),
    "identity.hometown": re.compile(r"\b[A-ZÀ-Þ][\w-]+, $"),
}
_AFTER: Mapping[str, re.Pattern[str]] = {
    "identity.age": re.compile(
        r"[- ](?:something|ish|odd)\b| (?:in|on|next|this coming) (?:the )?(?:\d|next|a few|two|three|January|February"
        r"|March|April|May|June|July|August|September|October|November|December|week|month|year|spring|summer|autumn"
        r"|winter)\b(?![^.!?]*\b(?:since|ago)\b)",
        re.IGNORECASE,
    ),
    "identity.job": re.compile(
        r" (?:in my spare time|on the side|as a hobby|for fun|at (?:the )?weekends?)\b", re.IGNORECASE
    ),
    "identity.hometown": re.compile(
        r",? (?:(?:and|but|then) )*(?:(?:I |was )*(?:raised|grew up|brought up)|(?:do not|don['’]t|never|cannot"
        r"|can['’]t)"
        r" remember|(?:my )?childhood)\b",
        re.IGNORECASE,
    ),
}
_TAKEN_BACK = re.compile(
    r"[^.!?]{0,30}?(?:\.\.+|…|,| [-–—]+)\s*(?:no,? wait|wait,? no|scratch that|no,? sorry|I meant?|correction)\b",
    re.IGNORECASE,
)
"""Said a moment later: "to Sendai on Thursday... no wait, to Natori"."""


def holds_now(key: str, text: str, start: int, end: int) -> bool:
    """Whether the value that stands at a place of a message is one that its speaker has now."""
    before, after = _SENTENCE_START.split(text[:start])[-1], text[end:]
    if key in _BEFORE and _BEFORE[key].search(before):
        return False
    if key in _AFTER and _AFTER[key].match(after):
        return False
    return not (key.startswith("identity.") and _TAKEN_BACK.match(after))
