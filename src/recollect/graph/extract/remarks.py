"""What a text says of somebody or something, as short notes in the third person: sentences that begin with the name."""

import re
from collections.abc import Iterator, Mapping, Sequence

from recollect.graph.extract.found import PERSON, Mention
from recollect.graph.extract.reading import LOWER, Page
from recollect.graph.model import Entity, Lifetime, Remark
from recollect.understanding.lexicon import VERBS, fold
from recollect.understanding.writing import cut

_MOST = 3
"""Remarks of one node that a text may give."""
_LONGEST = 200
_FEWEST_WORDS = 3
_OPENING = re.compile(
    r"^(?:(?:yesterday|today|tomorrow|meanwhile|also|then|so|and|but|later|now|last \w+|this \w+|on \w+)\s*,?\s*)?$",
    re.IGNORECASE,
)
_OTHERS = re.compile(r"\b(?:i|me|my|mine|we|us|our|ours|you|your|yours)\b|\b(?:i|we|you)['’]", re.IGNORECASE)
_POINTING = re.compile(r"^(?:it|this|that|these|those)\b", re.IGNORECASE)
_FAMILY = re.compile(
    r"\b(?:born|birthday|married|marries|wedding|mother|father|mum|mom|dad|sister|brother|son|daughter|husband|wife"
    r"|died|grew up|allergic|twins?)\b",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"\b(?:works?|leads?|manages?|heads?|runs?|lives?|founded|owns?|reports? to|studies|joined|moved to|speaks|plays"
    r"|teaches|maintains?|(?:is|as) (?:an?|the|our|head|in charge)|engineer|director|manager|ceo|cto|cfo)\b",
    re.IGNORECASE,
)
_SOON = re.compile(
    r"\b(?:today|tomorrow|tonight|this (?:week|morning|afternoon|evening|weekend)|next week"
    r"|(?:on|by|until|till|before|this|next) (?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|on (?:holiday|leave|vacation)|sick|out (?:until|till|today)|in an hour)\b",
    re.IGNORECASE,
)
_ORDER: dict[Lifetime, int] = {"forever": 0, "year": 1, "month": 2, "week": 3}


def remarks(page: Page, mentions: Sequence[Mention], entities: Mapping[tuple[str, str, str], Entity]) -> list[Remark]:
    """At most three notes on each node, the lasting ones first."""
    found: dict[tuple[str, str, str], dict[str, Remark]] = {}
    for mention in mentions:
        if mention.key is None or mention.key not in entities or mention.type == "concept":
            continue
        said = _said(page, mention)
        if said:
            text = f"{entities[mention.key].name} {said}"
            found.setdefault(mention.key, {}).setdefault(text, Remark(mention.key, text, lifetime(said)))
    return [remark for told in found.values() for remark in _foremost(list(told.values()))]


def _foremost(told: Sequence[Remark]) -> Iterator[Remark]:
    kept = sorted(range(len(told)), key=lambda place: (_ORDER[told[place].lifetime], place))[:_MOST]
    return (told[place] for place in sorted(kept))


def _said(page: Page, mention: Mention) -> str:
    """What a sentence says of the name that it begins with; empty where it says nothing that stands alone."""
    sentence = page.sentences[mention.sentence]
    if mention.start < sentence.start:
        return _reported(page, mention)
    text = page.text[sentence.start : sentence.end]
    if mention.possessive or text.rstrip().endswith("?") or not _OPENING.match(text[: mention.start - sentence.start]):
        return ""
    rest = text[mention.end - sentence.start :]
    if not rest.startswith(" ") or not rest.lstrip()[:1].islower():
        return ""
    first = fold(rest.split()[0])
    says = first in VERBS or first in ("no", "now", "also", "still", "never", "used") or first.endswith(("ed", "s"))
    return _note(rest) if says and first not in ("as", "is:", "was:") else ""


def _reported(page: Page, mention: Mention) -> str:
    """What stands behind the name as in reports: "Yevhen: finished the retries"."""
    sentence = page.sentences[mention.sentence]
    if mention.type != PERSON or not sentence.tokens or sentence.tokens[0].shape != LOWER:
        return ""
    first = sentence.tokens[0].folded
    return _note(page.text[sentence.start : sentence.end]) if first in VERBS and first.endswith(("ed", "s")) else ""


def _note(text: str) -> str:
    said = " ".join(text.split()).strip(" ,;:–—-")
    if len(said.split()) < _FEWEST_WORDS or _OTHERS.search(said) or _POINTING.match(said) or said.endswith("?"):
        return ""
    short = cut(said.rstrip(".!"), _LONGEST)
    return short if short.endswith("…") else f"{short}."


def lifetime(text: str) -> Lifetime:
    """How long a note is worth keeping, by what it says."""
    if _FAMILY.search(text):
        return "forever"
    if _ROLE.search(text) and not _SOON.search(text):
        return "year"
    return "week" if _SOON.search(text) else "month"
