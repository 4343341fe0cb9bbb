"""Two goals, two choices or two limits that stand in one clause, each told on its own."""

import re
from collections.abc import Iterator

from recollect.understanding.keyless.draft import Draft
from recollect.understanding.keyless.text import pattern

_LONGEST = 300
_TWO_GOALS = re.compile(r"(?P<lead>.*?\bto )(?P<first>.+?),? and then (?P<then>(?!I\b|we\b|to\b)[a-z]+ .+)")
_TWO_CHOICES = re.compile(
    r"(?P<lead>.*?\b(?:agreed|decided|voted"
    r"|resolved) (?:[\w ]{0,20} )??)(?P<first>(?:not )?to .+?),? and (?P<then>(?:not )?to .+)"
)
_OWN_CHOICES = pattern(
    r"(?P<first>.{10,}?),? and (?P<then>(?:we|I|(?:the|our|my) [\w-]+(?: [\w-]+)?|<CAP>(?: <CAP>)?) (?:<ADV>|have "
    r"|has )*(?:will|are going to|is going to|am going to|decided|agreed|voted|chose|chosen|picked|gets|goes|moves"
    r"|takes over|stays|handles|owns) .+)"
)
""" "We picked Ghent, and Ines will drive": two choices, each with its own subject."""
_BINDS = r"(?:must|cannot|has to|have to|may|needs?|can only|do not|does not|should never)\b"
_OWN_LIMITS = pattern(
    rf"(?P<first>.*(?:\b{_BINDS}|\bis a must\b).*?)(?:,? and|, so|;) "
    rf"(?P<then>(?:(?:I|we) (?:<ADV>)*(?!needs?\b){_BINDS}"
    rf"|(?:the|our|my|every|all|any|each|nothing(?! that)|nobody|whatever) (?:[\w'-]+ ){{0,5}}?{_BINDS}"
    r"|no more than\b|[a-z]+s (?:must|cannot|have to|may not|are never)\b).*(?<!it)(?<!that)(?<!them))"
)
""" "Every letter needs a stamp, and the door must stay shut": two limits, each with its own subject."""
_HAS_VERB = re.compile(
    r"\b(?:I|[Ww]e) \w+|\b(?:is|are|was|has|have|will|must|cannot|may|needs?|gets?|chose|went|gone|took|goes|stays?"
    r"|moves?|\w{3,}ed)\b"
)


_POINTS_BACK = re.compile(r"\b(?:it|them|they|he|she|him|her|this|that)\b")


def steps(draft: Draft) -> Iterator[Draft]:
    """A draft, or the two or more that its clause holds: "to pay off the loan and then learn to sail"."""
    for text in _parts(draft):
        yield draft._replace(text=text)


def _parts(draft: Draft) -> Iterator[str]:
    if draft.type == "goal":
        return _shared(_TWO_GOALS, draft.text)
    if draft.type == "decision":
        first, then = _own(_OWN_CHOICES, draft.text)
        return iter([*_shared(_TWO_CHOICES, first), *then])
    first, then = _own(_OWN_LIMITS, draft.text) if draft.type == "constraint" else (draft.text, [])
    return iter([first, *then])


def _shared(shape: re.Pattern[str], text: str) -> Iterator[str]:
    """Two verbs that share what leads to them."""
    match = shape.fullmatch(text)
    if match is None:
        yield text
        return
    yield f"{match['lead']}{match['first']}"
    yield f"{match['lead']}{match['then']}"


def _own(shape: re.Pattern[str], text: str) -> tuple[str, list[str]]:
    """What stands before a second clause with a subject of its own, and that clause, if there is one."""
    match = shape.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None or not _HAS_VERB.search(match["first"]) or _POINTS_BACK.search(match["then"]):
        return text, []
    return match["first"], [match["then"]]
