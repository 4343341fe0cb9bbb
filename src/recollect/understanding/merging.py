"""Two texts about the same thing: where they contradict each other, and one text that says what both say."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pydantic import BaseModel, Field

from recollect.core.terms import terms
from recollect.providers.language import LanguageModel
from recollect.understanding.parting import Verdict, parted
from recollect.understanding.same_fact import compare
from recollect.understanding.secrets import mask
from recollect.understanding.uniting import in_another_order, united
from recollect.understanding.units import Unit, bare, same_place, units

_LEAST_SHARED = 0.5
"""Of the words of the shorter of two sentences: below that they are about different things."""
_NEAR = 0.9
"""What the same-fact test is told of sentences that share their words."""
_LONGEST = 400
"""Up to here sentences are read for what they say."""
_LONGEST_COMPARED = 4_000
"""Up to here they are compared word by word."""
_LONGEST_PROMPT = 12_000
_MOST_OF = 0.75
"""Of the words of a sentence, so many have to be found again in what a model makes of it."""
_WE = re.compile(r"\b(?:we|i)\b(?! ?['’])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two sentences that cannot both hold."""

    older: str
    newer: str
    reason: str


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence of a text, or a heading: its words, and the headings above it."""

    text: str
    words: frozenset[str]
    key: str
    path: tuple[str, ...]
    heading: bool

    def is_in(self, others: Iterable["_Said"]) -> bool:
        """Whether another text has it, at this place or at none in particular."""
        return any(
            self.key == other.key
            and self.heading == other.heading
            and (same_place(self.path, other.path) or not (self.path and other.path))
            for other in others
        )


def contradictions(older: str, newer: str, *, moved: bool = True) -> list[Contradiction]:
    """Sentences of the newer text that contradict one of the older, unless either text holds both itself.

    Steps in another order do too, unless the newer text is what became of the older (`moved` is false).
    """
    cut, recut = units(older), units(newer)
    clashes = _clashes(_said(cut), _said(recut))
    found = [Contradiction(before.text, after.text, reason) for before, after, reason in clashes]
    if moved and (steps := in_another_order(cut, recut)) is not None:
        found.append(Contradiction(steps[0].text, steps[1].text, "other order"))
    return found


def _by_key(said: Iterable[_Said]) -> dict[str, list[_Said]]:
    found: dict[str, list[_Said]] = {}
    for each in said:
        found.setdefault(each.key, []).append(each)
    return found


def _said(cut: Iterable[Unit]) -> list[_Said]:
    """The sentences and headings of a text, each once in a place."""
    found: dict[tuple[tuple[str, ...], str, bool], _Said] = {}
    for unit in cut:
        words = bare(unit.text)
        if 0 < len(words) <= _LONGEST_COMPARED:
            path = unit.path[:-1] if unit.heading else unit.path
            said = _Said(_in_third_person(words), frozenset(terms(words)), unit.key, path, unit.heading)
            found.setdefault((path, unit.key, unit.heading), said)
    return list(found.values())


def _in_third_person(text: str) -> str:
    """As the same-fact test reads: whoever writes the notes is always the same."""
    return _WE.sub("the team", text)


def _clashes(before: Sequence[_Said], after: Sequence[_Said]) -> Iterator[tuple[_Said, _Said, str]]:
    known, told = _by_key(before), _by_key(after)
    fresh = [said for said in after if not said.is_in(known.get(said.key, ()))]
    gone = [said for said in before if not said.is_in(told.get(said.key, ()))]
    for new in fresh:
        for old in gone:
            if _may_clash(old.words, new.words) and (reason := _clash(old, new)) is not None:
                yield old, new, reason


def _clash(before: _Said, after: _Said) -> str | None:
    """Why two sentences cannot both hold. What differs in one place only is told by that, unless headings tell it."""
    elsewhere = before.path and after.path and not same_place(before.path, after.path)
    found = parted(before.text, after.text)
    if before.heading or after.heading:
        return _heading_clash(before, after, found) if not elsewhere else None
    if found is not None:
        return found[1] if found[0] == "contradict" and not elsewhere else None
    if max(len(before.text), len(after.text)) > _LONGEST:
        return None
    verdict = compare(before.text, after.text, similarity=_NEAR)
    return verdict.reason if verdict.relation == "contradicts" else None


def _heading_clash(before: _Said, after: _Said, found: Verdict | None) -> str | None:
    """Headings tell which thing is meant; only a state, or what follows a colon, is said of one."""
    if not (before.heading and after.heading) or found is None or found[0] != "contradict":
        return None
    return found[1] if ":" in before.text or found[1].startswith("other state") else None


def _may_clash(older: frozenset[str], newer: frozenset[str]) -> bool:
    shared = len(older & newer)
    return shared > 0 and shared >= _LEAST_SHARED * min(len(older), len(newer))


def without(text: str, others: Iterable[str]) -> str:
    """A text without the sentences that others hold at the same place; nothing, where only headings are left."""
    told = _by_key(said for other in others for said in _said(units(other)) if not said.heading)
    found = units(text)
    left = [
        unit for unit in found if unit.heading or not any(said.is_in(told.get(unit.key, ())) for said in _said([unit]))
    ]
    return text if len(left) == len(found) else _kept(text, found, left)


def _kept(text: str, found: Sequence[Unit], left: Sequence[Unit]) -> str:
    """A text without some of its units, each of the others on its line; nothing, where only headings are left."""
    if all(unit.heading for unit in left):
        return ""
    starts, out = {unit.start for unit in left}, ""
    for unit in found:
        raw = text[unit.start : unit.end]
        if unit.start in starts:
            out += raw
        elif "\n" in raw and out and not out.endswith("\n"):
            out = out.rstrip() + raw[len(raw.rstrip()) :]
    return out.strip()


def given_way(older: str, newer: str) -> str | None:
    """The older text without what the newer one contradicts; None where it contradicts no sentence of it."""
    if not contradictions(older, newer):
        return None
    cut = units(older)
    contested = {(old.key, old.heading, old.path) for old, _, _ in _clashes(_said(cut), _said(units(newer)))}
    left = [unit for unit in cut if not contested & {(said.key, said.heading, said.path) for said in _said([unit])}]
    return older if len(left) == len(cut) else _kept(older, cut, left)


def replaced(older: str, newer: str) -> str:
    """The newer text, and of the older what it does not contradict; the newer one alone, where all is in doubt."""
    rest = given_way(older, newer)
    return union(rest, newer, newer) if rest else newer


def union(older: str, newer: str, whole: str | None = None) -> str:
    """All sentences of both texts, each once in a place: those that are new stand under their heading, or at the end.

    A sentence that differs in its marks only, such as a box that was ticked, is taken as the newer text has it; of two
    that say the same, the one that says more. `whole` is the text that the newer is a part of, where the older came of
    an earlier state of it: then what it has elsewhere, or in another order, moves there.
    """
    return united(older, newer, whole, _told_again)


def _told_again(unit: Unit, known: Sequence[Unit]) -> tuple[int, bool] | None:
    """Which older sentence says one already, in other words, and whether the new one says more."""
    said = bare(unit.text)
    if not 0 < len(said) <= _LONGEST:
        return None
    own = frozenset(terms(said))
    for place, other in enumerate(known):
        text = bare(other.text)
        if len(text) > _LONGEST or not _may_clash(frozenset(terms(text)), own):
            continue
        verdict = compare(_in_third_person(text), _in_third_person(said), similarity=_NEAR)
        if verdict.relation == "same":
            return place, verdict.fuller == "newer" and len(said) > len(text)
    return None


# By a model --------------------------------------------------------------------------------------------------------


class Merged(BaseModel):
    """One text that says what two say."""

    text: str = Field(max_length=_LONGEST_PROMPT)


_INSTRUCTIONS = (
    "You merge two notes of an agent about the same thing into one. Keep every fact, number, name, date and list item"
    " of both; say each once; where the newer note continues the older one, put it in order. Add nothing. Answer in the"
    " markdown of the notes."
)


async def merged_by_model(model: LanguageModel, older: str, newer: str, united: str | None = None) -> str | None:
    """One text for two, by a model; nothing where they are too long for one, or its answer cannot be trusted.

    `united` is what the rules make of both: all of it has to be found in the answer again.
    """
    if len(older) + len(newer) > _LONGEST_PROMPT:
        return None
    prompt = f"The older note:\n{mask(older)}\n\nThe newer note:\n{mask(newer)}"
    answer = await model.ask("consolidate", _INSTRUCTIONS, prompt, Merged)
    text = answer.value.text.strip()
    return text if _is_faithful(older, newer, text, union(older, newer) if united is None else united) else None


def _is_faithful(older: str, newer: str, merged: str, united: str) -> bool:
    """Whether a merged text can be stored, lost nothing, made nothing up, and contradicts neither note."""
    if not merged or "\0" in merged:
        return False
    known, told = _marked(older) | _marked(newer), _marked(merged)
    made_up = {word for word in told - known if any(map(str.isdigit, word))}
    lost = known - {word.casefold() for word in _words(merged)}
    if lost or made_up or contradictions(older, merged) or contradictions(newer, merged):
        return False
    return _holds([merged], united, placed=True) and _holds([older, newer], merged, placed=False)


def _holds(texts: Sequence[str], other: str, *, placed: bool) -> bool:
    """Whether each unit of another text is found again: some unit, or two in a row, have most of its words.

    `placed` asks for it under the heading that it has.
    """
    cut = [unit for text in texts for unit in units(text)]
    words = [(unit.under, frozenset(terms(bare(unit.text)))) for unit in cut]
    words += [(under, one | more) for (under, one), (_, more) in pairwise(words)]
    headings = {unit.key for unit in cut if unit.heading}
    for unit in units(other):
        own = frozenset(terms(bare(unit.text)))
        found = (len(own & each) for under, each in words if not placed or not unit.path or under == unit.under)
        if (unit.heading and unit.key not in headings) or max(found, default=0) < _MOST_OF * len(own):
            return False
    return True


def _marked(text: str) -> set[str]:
    return {word.casefold() for word in _words(text) if any(c.isdigit() or c.isupper() for c in word)}


def _words(text: str) -> list[str]:
    return [word.strip(".,;:!?()[]{}\"'`*_#") for word in text.split()]
