"""Two texts about the same thing: where they contradict each other, and one text that says what both say."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from recollect.core.terms import terms
from recollect.providers.language import LanguageModel
from recollect.understanding.parting import parted
from recollect.understanding.same_fact import compare
from recollect.understanding.secrets import mask
from recollect.understanding.units import Unit, bare, units

_LEAST_SHARED = 0.5
"""Of the words of the shorter of two sentences: below that they are about different things."""
_NEAR = 0.9
"""What the same-fact test is told of sentences that share their words."""
_LONGEST = 400
_LONGEST_PROMPT = 12_000
_WE = re.compile(r"\b(?:we|i)\b(?! ?['’])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two sentences that cannot both hold."""

    older: str
    newer: str
    reason: str


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence of a text: its words, and the heading above it."""

    text: str
    words: frozenset[str]
    under: str


def contradictions(older: str, newer: str) -> list[Contradiction]:
    """Sentences of the newer text that contradict one of the older, unless either text holds both itself."""
    before, after = _said(older), _said(newer)
    fresh = {key: said for key, said in after.items() if key not in before}
    gone = {key: said for key, said in before.items() if key not in after}
    return list(_clashes(list(gone.values()), list(fresh.values())))


def _said(text: str) -> dict[str, _Said]:
    """The sentences of a text by their normal form."""
    found = {}
    for unit in units(text):
        words = bare(unit.text)
        if not unit.heading and 0 < len(words) <= _LONGEST:
            found[unit.key] = _Said(_in_third_person(words), frozenset(terms(words)), unit.under)
    return found


def _in_third_person(text: str) -> str:
    """As the same-fact test reads: whoever writes the notes is always the same."""
    return _WE.sub("the team", text)


def _clashes(older: Sequence[_Said], newer: Sequence[_Said]) -> Iterator[Contradiction]:
    for after in newer:
        for before in older:
            if _may_clash(before.words, after.words) and (reason := _clash(before, after)) is not None:
                yield Contradiction(before.text, after.text, reason)


def _clash(before: _Said, after: _Said) -> str | None:
    """Why two sentences cannot both hold. What differs in one place only is told by that, unless headings tell it."""
    found = parted(before.text, after.text)
    if found is not None:
        elsewhere = before.under and after.under and before.under != after.under
        return found[1] if found[0] == "contradict" and not elsewhere else None
    verdict = compare(before.text, after.text, similarity=_NEAR)
    return verdict.reason if verdict.relation == "contradicts" else None


def _may_clash(older: frozenset[str], newer: frozenset[str]) -> bool:
    shared = len(older & newer)
    return shared > 0 and shared >= _LEAST_SHARED * min(len(older), len(newer))


def without(text: str, others: Iterable[str]) -> str:
    """A text without the sentences that others hold; nothing, where only headings are left."""
    told = {unit.key for other in others for unit in units(other) if not unit.heading}
    found = units(text)
    left = [unit for unit in found if unit.heading or unit.key not in told]
    if len(left) == len(found):
        return text
    if all(unit.heading for unit in left):
        return ""
    return "".join(text[unit.start : unit.end] for unit in left).strip()


def union(older: str, newer: str) -> str:
    """All sentences of both texts, each once: those that are new stand under their heading, or at the end.

    A sentence that differs in its marks only, such as a box that was ticked, is taken as the newer text has it; of two
    that say the same, the one that says more.
    """
    before, after = units(older), units(newer)
    places = {unit.key: place for place, unit in enumerate(before) if not unit.heading}
    places |= _told_again(before, [unit for unit in after if unit.key not in places])
    headings = {unit.under for unit in before}
    texts = [older[unit.start : unit.end] for unit in before]
    added: dict[str, list[Unit]] = {}
    for unit in _once(after):
        if unit.key not in places:
            added.setdefault(unit.under, []).append(unit)
            places[unit.key] = -1
        elif (place := places[unit.key]) >= 0 and before[place].text != unit.text:
            texts[place] = texts[place].replace(before[place].text, unit.text, 1)
    if not added and texts == [older[unit.start : unit.end] for unit in before]:
        return older
    return _assembled(before, texts, added, {unit.under: unit.text for unit in after if unit.heading}, headings)


def _once(found: Sequence[Unit]) -> list[Unit]:
    """Sentences in their order, each the first time that it comes."""
    first: dict[str, Unit] = {}
    for unit in found:
        if unit.key and not unit.heading:
            first.setdefault(unit.key, unit)
    return list(first.values())


def _told_again(before: Sequence[Unit], fresh: Sequence[Unit]) -> dict[str, int]:
    """Sentences that an older one says already, in other words: its place where they say more, else -1."""
    known = [(place, bare(unit.text)) for place, unit in enumerate(before) if not unit.heading]
    words = {place: frozenset(terms(text)) for place, text in known}
    found: dict[str, int] = {}
    for unit in fresh:
        said = bare(unit.text)
        if unit.heading or not 0 < len(said) <= _LONGEST:
            continue
        own = frozenset(terms(said))
        for place, text in known:
            if len(text) > _LONGEST or not _may_clash(words[place], own):
                continue
            verdict = compare(_in_third_person(text), _in_third_person(said), similarity=_NEAR)
            if verdict.relation == "same":
                found[unit.key] = place if verdict.fuller == "newer" and len(said) > len(text) else -1
                break
    return found


def _assembled(
    before: Sequence[Unit], texts: Sequence[str], added: dict[str, list[Unit]], titles: dict[str, str], known: set[str]
) -> str:
    last = {unit.under: place for place, unit in enumerate(before)}
    out = ""
    for place, (unit, text) in enumerate(zip(before, texts, strict=True)):
        out += text
        if last[unit.under] == place:
            for new in added.get(unit.under, ()):
                out = _joined(out, new)
            if unit.under in added and place < len(before) - 1:
                out = out.rstrip() + "\n\n"
    for under, new_units in added.items():
        if under not in known:
            out = out.rstrip() + ("\n\n" + titles[under] + "\n" if under in titles else "\n\n")
            for new in new_units:
                out = _joined(out, new)
    return out.strip()


def _joined(text: str, unit: Unit) -> str:
    stripped = text.rstrip()
    if not stripped:
        return unit.text
    ends_line = unit.is_item or stripped.splitlines()[-1].lstrip().startswith(("#", "-", "*", "+", "|", "```"))
    return stripped + ("\n" if ends_line else " ") + unit.text


# By a model --------------------------------------------------------------------------------------------------------


class Merged(BaseModel):
    """One text that says what two say."""

    text: str = Field(max_length=_LONGEST_PROMPT)


_INSTRUCTIONS = (
    "You merge two notes of an agent about the same thing into one. Keep every fact, number, name, date and list item"
    " of both; say each once; where the newer note continues the older one, put it in order. Add nothing. Answer in the"
    " markdown of the notes."
)


async def merged_by_model(model: LanguageModel, older: str, newer: str) -> str | None:
    """One text for two, by a model; nothing where they are too long for one, or its answer cannot be trusted."""
    if len(older) + len(newer) > _LONGEST_PROMPT:
        return None
    prompt = f"The older note:\n{mask(older)}\n\nThe newer note:\n{mask(newer)}"
    answer = await model.ask("consolidate", _INSTRUCTIONS, prompt, Merged)
    text = answer.value.text.strip()
    return text if _is_faithful(older, newer, text) else None


def _is_faithful(older: str, newer: str, merged: str) -> bool:
    """Whether a merged text can be stored, lost no name or number, made none up, and contradicts neither note."""
    if not merged or "\0" in merged:
        return False
    known, told = _marked(older) | _marked(newer), _marked(merged)
    made_up = {word for word in told - known if any(map(str.isdigit, word))}
    lost = known - {word.casefold() for word in _words(merged)}
    return not lost and not made_up and not contradictions(older, merged) and not contradictions(newer, merged)


def _marked(text: str) -> set[str]:
    return {word.casefold() for word in _words(text) if any(c.isdigit() or c.isupper() for c in word)}


def _words(text: str) -> list[str]:
    return [word.strip(".,;:!?()[]{}\"'`*_#") for word in text.split()]
