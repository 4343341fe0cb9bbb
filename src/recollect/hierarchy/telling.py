"""Stories told without a model: dated sentences of what happened, in the order in which it did.

A storyline is two or three sentences, a macro two to four. Each is taken as it stands from what a source, or a
storyline, says; what is added is the day, and where more happened than is told, how much.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, tzinfo

from recollect.core.terms import terms
from recollect.hierarchy.model import Extent, Node, Piece
from recollect.understanding.secrets import mask
from recollect.understanding.summary import prose
from recollect.understanding.writing import cut, sentences

STORYLINE_SENTENCES, MACRO_SENTENCES = 3, 4
_LONGEST = 220
_ALIKE = 0.7
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_ENDS = (".", "!", "?", "…", "。", "！", "？")


def day(at: datetime, zone: tzinfo) -> str:
    """A day as people write it."""
    local = at.astimezone(zone)
    return f"{local.day} {_MONTHS[local.month - 1]} {local.year}"


def span(extent: Extent, zone: tzinfo) -> str:
    """From which day to which, or the one day."""
    first, last = extent.first.astimezone(zone), extent.last.astimezone(zone)
    until = day(last, zone)
    if first.date() == last.date():
        return until
    if first.year != last.year:
        return f"{day(first, zone)} – {until}"
    return f"{first.day} {_MONTHS[first.month - 1]} – {until}"


def title(node: Node, extent: Extent, zone: tzinfo) -> str:
    """What a story is called: whom it is about, and when it happened."""
    return f"{cut(node.name, 400)} ({span(extent, zone)})"


def storyline(node: Node, sources: Sequence[Piece], extent: Extent, zone: tzinfo) -> str:
    """What sources say about a node, in two or three dated sentences."""
    said = [(piece, _about(node, piece.text)) for piece in _in_order(sources)]
    told = [(piece, sentence) for piece, sentence in said if sentence]
    more = extent.sources > len(sources) or len(told) < STORYLINE_SENTENCES
    chosen = _chosen(told, STORYLINE_SENTENCES - more)
    lines = [f"On {day(piece.last, zone)}: {sentence}" for piece, sentence in chosen]
    if more or len(lines) < 2:
        lines.insert(0, _opening(node, extent, zone))
    if len(lines) < 2:
        lines.append(f"The last mention was on {day(extent.last, zone)}.")
    return " ".join(lines)


def macro(node: Node, storylines: Sequence[Piece], extent: Extent, zone: tzinfo) -> str:
    """What a node's storylines come to, in two to four sentences: how it began, and what came of each later one."""
    ordered = _in_order(storylines)
    some = ordered if len(ordered) < MACRO_SENTENCES else [ordered[0], *ordered[2 - MACRO_SENTENCES :]]
    outcomes = (line for piece in some if (line := _outcome(piece, zone)))
    return " ".join([_opening(node, extent, zone), *outcomes])


def gist(node: Node, text: str, at: datetime, zone: tzinfo) -> str | None:
    """The one thing that a text says about a node, with its day; nothing where it says nothing."""
    sentence = _about(node, text)
    return f"On {day(at, zone)}: {sentence}" if sentence else None


def insight(node: Node, sources: Sequence[Piece], extent: Extent, zone: tzinfo) -> str:
    """What several sources together say about a node: how often it came up, and what was said first and last."""
    told = [(piece, said) for piece in _in_order(sources) if (said := _about(node, piece.text))]
    lines = [f"On {day(piece.last, zone)}: {sentence}" for piece, sentence in _chosen(told, 2)]
    return " ".join([_opening(node, extent, zone), *lines])


def _opening(node: Node, extent: Extent, zone: tzinfo) -> str:
    """How much there is: for what cannot be told sentence by sentence."""
    who = f"{extent.sources} sources"
    if extent.storylines:
        who += f" in {extent.storylines} storylines"
    first, last = day(extent.first, zone), day(extent.last, zone)
    when = f"on {last}" if first == last else f"from {first} to {last}"
    return f"{who} speak of {cut(node.name, 100)} {when}."


def _in_order(pieces: Iterable[Piece]) -> list[Piece]:
    return sorted(pieces, key=lambda piece: (piece.last, piece.id))


def _about(node: Node, text: str) -> str:
    """The sentence that names the node, else the first one; without line breaks, secrets and marks of a list."""
    found = [" ".join(sentence.split()) for sentence in sentences(prose(mask(text)))]
    names = [name.casefold() for name in (node.name, *node.names)]
    named = next((one for one in found if any(name in one.casefold() for name in names)), None)
    return _ended(named or next(iter(found), ""))


def _ended(sentence: str) -> str:
    """Cut where it is long, and closed."""
    short = cut(sentence.strip(), _LONGEST)
    return short if not short or short.endswith(_ENDS) else f"{short.rstrip(' ,;:-–')}."


def _chosen(told: Sequence[tuple[Piece, str]], most: int) -> list[tuple[Piece, str]]:
    """The last and the first sentence, then what has most to do with the rest; none that says the same again."""
    words = {sentence: frozenset(terms(sentence)) for _, sentence in told}
    common = Counter(word for _, sentence in told for word in words[sentence])
    middle = sorted(told[1:-1], key=lambda one: (-sum(common[word] for word in words[one[1]]), one[0].last, one[0].id))
    chosen: list[tuple[Piece, str]] = []
    for one in [*told[-1:], *told[:1], *middle]:
        if len(chosen) < most and not any(_alike(words[one[1]], words[other[1]]) for other in chosen):
            chosen.append(one)
    return sorted(chosen, key=lambda one: (one[0].last, one[0].id))


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return one == other or (min(len(one), len(other)) > 0 and len(one & other) >= _ALIKE * min(len(one), len(other)))


def _outcome(storyline: Piece, zone: tzinfo) -> str:
    """How a storyline ended, or stands; with its time, where it does not say that itself."""
    found = sentences(storyline.text)
    if not found:
        return ""
    last = _ended(" ".join(found[-1].split()))
    if last.startswith("On "):
        return last
    return f"{span(Extent(0, storyline.first, storyline.last), zone)}: {last}"
