"""The writing rules: what a memory's text must be before it is kept.

A text that is read alone, months later, has to say by itself whom and what it is about. What can be put right is
put right (blanks, the final period, the length); what cannot is refused, with the reason, so that refusals can be
counted. What a person adds by hand is never refused.
"""

import re
from dataclasses import dataclass

from recollect.core.terms import STOP_WORDS

MOST_CHARACTERS = 280
MOST_SENTENCES = 2


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


@dataclass(frozen=True, slots=True)
class Draft:
    """A text as the rules leave it."""

    text: str | None
    """None: refused."""
    problems: tuple[str, ...] = ()
    """What was wrong, each in a word: "trimmed" and "tense" were let pass, the others refused it."""


def checked(text: str, *, episodic: bool = False) -> Draft:
    """The text made to follow the rules, or refused; an episodic one should be in the past tense."""
    tidy = _ended(_unmarked(_single_spaced(text)))
    if not _WORD.search(tidy):
        return Draft(None, ("empty",))
    short = _ended(_shortened(tidy))
    refused = tuple(problem for problem, holds in _refusals(short, episodic=episodic) if holds)
    if refused:
        return Draft(None, refused)
    let_pass = (
        ("trimmed", len("".join(short.split())) < len("".join(tidy.split()))),
        ("tense", episodic and not is_past(short)),
    )
    return Draft(short, tuple(problem for problem, holds in let_pass if holds))


def trimmed(text: str) -> tuple[str, str | None]:
    """A text added by hand, cut to the rules' length, and a warning where that lost something."""
    whole = text.strip()
    if len(whole) <= MOST_CHARACTERS and len(sentences(whole)) <= MOST_SENTENCES:
        return whole, None
    short = _shortened(_single_spaced(whole))
    warning = f"trimmed from {len(whole)} to {len(short)} characters: a memory is one or two sentences"
    return short, warning if short != _single_spaced(whole) else None


def sentences(text: str) -> list[str]:
    """The sentences of a text in order; a line break ends one, an abbreviation or a decimal point does not."""
    return [sentence for line in text.splitlines() for sentence in _sentences_of(line.strip()) if sentence]


def cut(text: str, most: int) -> str:
    """The text within so many characters, broken at a word, with a mark where something is missing."""
    if len(text) <= most:
        return text
    room = text[: max(most - 1, 0)]
    at_word = room if text[len(room)].isspace() else room.rpartition(" ")[0] or room
    return at_word.rstrip(" ,;:–—-(") + "…" if most > 0 else ""


def is_past(text: str) -> bool:
    """Whether some verb of the text stands in the past tense."""
    words = re.findall(r"[a-z]+", text.lower())
    return any(word in _PAST or (word.endswith("ed") and word not in _NOT_PAST) for word in words) or _is_han(text)


# --- Sentences ----------------------------------------------------------------------------------------------------

_WORD = re.compile(r"\w")
_BREAK = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[^\W_a-z])|(?<=[。！？])(?=\S)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|Inc|Ltd|Co|vs|etc|e\.g|i\.e|cf|No|Nr|approx|ca|Fig|Vol|a\.m|p\.m))\.$"
)
_ENDINGS = tuple(".!?…。！？")


def _sentences_of(line: str) -> list[str]:
    found: list[str] = []
    begin = 0
    for match in _BREAK.finditer(line):
        so_far = line[begin : match.start()]
        if _WORD.search(so_far) and not _ABBREVIATION.search(so_far):
            found.append((so_far + match[0]).strip())
            begin = match.end()
    return [*found, line[begin:].strip()]


def _single_spaced(text: str) -> str:
    return " ".join(text.split())


def _unmarked(text: str) -> str:
    """Without the mark of a list item."""
    return re.sub(r"^(?:(?:[-*•–]|\d{1,2}[.)])\s+)+", "", text)


def _ended(text: str) -> str:
    """With a final period, in place of whatever else a statement may have ended in."""
    bare = text.rstrip(" ,;:-–")
    bare = re.sub(r"!+$", ".", bare)
    inner = bare.rstrip("\"'”’)]»")
    if not bare or inner.endswith(_ENDINGS):
        return bare
    return bare + ("。" if _is_han(bare) else ".")


def _is_han(text: str) -> bool:
    return re.search(r"[\u3040-\u30ff\u3400-\u9fff]", text) is not None


def _shortened(text: str) -> str:
    """Cut to the first two sentences, to the first if two are too long, or to the words that fit."""
    parts = sentences(text)[:MOST_SENTENCES]
    while len(parts) > 1 and len(_joined(parts)) > MOST_CHARACTERS:
        parts.pop()
    return cut(_joined(parts), MOST_CHARACTERS)


def _joined(parts: list[str]) -> str:
    return "".join(part if part.endswith(("。", "！", "？")) else f"{part} " for part in parts).strip()


# --- Refusals -----------------------------------------------------------------------------------------------------

_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|`[^`]*`|(?<!\w)'[^']+'(?!\w)|«[^»]*»")
_SPEAKERS = re.compile(
    r"\b(?:[Mm]e|[Mm]y|[Mm]yself|[Ww]e|us|[Oo]urs?|[Oo]urselves|[Yy]ou|[Yy]ours?|[Yy]oursel(?:f|ves))\b"
    r"|\b(?:of|is|are|was) mine\b|[我你您咱俺]|私(?=は|の|が|も)|僕|あなた"
)
# "World War I" is no speaker.
_ROMAN = re.compile(
    r"\b[A-Z][a-z]+ I\b(?! (?:am|was|have|had|will|would|can|could|do|did|like|want|need|think)\b)(?!')"
)
_OTHERS = re.compile(
    r"\b(?:he|she|they|him|her|them|his|hers|their|theirs|it|its|himself|herself|themselves|itself)\b", re.IGNORECASE
)
_POINTING = re.compile(
    r"^(?:this|that|these|those)"
    r"(?:'s| (?:is|was|are|were|has|have|had|will|would|can|could|means|makes|made|did|does))\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"\b[^\W\d_a-z]\w*")
_THING = re.compile(
    r"\b(?:the|an?|this|that|these|those|each|every|some|any|no|one|two|three|all|most|many|\w+'s|\w+s')\s+\w+",
    re.IGNORECASE,
)
# Capitalised where a sentence begins, these name nobody.
_NOBODY = STOP_WORDS | _set("""
    yesterday today tomorrow recently currently apparently sometimes usually often always never maybe perhaps however
    also later earlier since although though unfortunately finally actually generally according monday tuesday
    wednesday thursday friday saturday sunday january february march april may june july august september october
    november december last next during without within despite
    """)
_ASKING = re.compile(
    r"^(?:what|who|whom|where|when|why|how|which)(?: \w+)?"
    r" (?:is|are|was|were|do|does|did|can|could|should|would|will|has)\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"^(?:please|always|never|don't|do not|let's|remember|remind|make sure|keep|use|call|write|send|add|go|give|tell"
    r"|ask|avoid|try|take|note|check|stop|start|reply|respond|answer|speak|be|do|buy|get)\b"
    r"(?! (?:of|is|are|was|were|has|have|had|will|can|must|should|and|or|cases?|centers?|centres?)\b)",
    re.IGNORECASE,
)
_NO_SUBJECT = re.compile(
    r"^(?:is|are|was|were|has|have|had|does|did|likes|loves|hates|prefers|wants|needs|lives|works|uses|plays|speaks"
    r"|owns|enjoys|dislikes|plans|decided|moved|bought|studies|knows|thinks|can|cannot|can't|must|should|isn't|doesn't"
    r"|allergic|born|married)\b(?! of\b)",
    re.IGNORECASE,
)
_PAST = _set("""
    was were had did went came got gave took made saw met thought felt found left bought ate wrote spoke spent sent ran
    said told knew kept held led lost paid sold stood taught understood won began grew became broke chose drove flew
    built brought heard read put set cut fell
    """)


_NOT_PAST = _set(
    "need indeed speed seed feed breed bleed exceed proceed succeed embed bed red shed hundred sacred naked"
)


def _refusals(text: str, *, episodic: bool) -> list[tuple[str, bool]]:
    bare = _QUOTED.sub("“”", text.replace("’", "'"))
    return [
        ("pronoun", _has_speaker(bare) or _points_nowhere(bare)),
        ("question", _is_question(bare)),
        ("person", not episodic and _has_no_subject(bare)),
    ]


def _has_speaker(text: str) -> bool:
    return _SPEAKERS.search(text) is not None or re.search(r"\bI\b", _ROMAN.sub("", text)) is not None


def _points_nowhere(text: str) -> bool:
    """Whether a pronoun comes before anything that it could stand for."""
    if _POINTING.match(text):
        return True
    first = _OTHERS.search(text)
    return first is not None and not _names_something(text[: first.start()])


def _names_something(text: str) -> bool:
    named = any(match[0].lower() not in _NOBODY for match in _NAME.finditer(text))
    return named or _THING.search(text) is not None or _is_han(text)


def _is_question(text: str) -> bool:
    return any(part.rstrip("\"'”’)]").endswith(("?", "？")) or _ASKING.match(part) for part in sentences(text))


def _has_no_subject(text: str) -> bool:
    return any(_ORDER.match(part) or _NO_SUBJECT.match(part) for part in sentences(text))
