"""All that two texts say as one text, by rules: every sentence of both, in its place, and each once in a place."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from recollect.understanding.units import Unit, placed, same_place, units

Path = tuple[str, ...]
Told = Callable[[Unit, Sequence[Unit]], tuple[int, bool] | None]
"""Which of some units says what another does, in other words, and whether the other says more."""


@dataclass(slots=True)
class _Line:
    """A unit of the text that is being made."""

    unit: Unit
    body: str
    lead: str | None
    """The white space before it, where it was there before."""
    trail: str = ""
    """The white space after it."""
    after: "_Line | None" = None
    """What stood before it there."""
    emptied: bool = False
    """A heading from under which something moved away."""


def united(older: str, newer: str, whole: str | None, told_again: Told) -> str:
    """One text for two; `whole` is all that the newer one is a part of, where the older came of an earlier state of it.

    Then the newer text's places count: what stands elsewhere by now moves. Otherwise what stands elsewhere is said
    there too.
    """
    making = _Making.of(older, whole, told_again)
    making.take_in(newer)
    return making.text() if making.changed else older


def _cut(text: str) -> list[tuple[Unit, str, str]]:
    """Units with their text, which keeps its indent, and the white space after it."""
    found = []
    for unit in units(text):
        raw = text[unit.start : unit.end]
        body = raw.rstrip()
        found.append((unit, body.lstrip("\n"), raw[len(body) :]))
    return found


@lru_cache(maxsize=4)  # a long section is compared piece by piece
def _places(whole: str) -> tuple[dict[str, list[Path]], list[Path]]:
    """Where the sentences of a text stand, and its headings."""
    cut = units(whole)
    places: dict[str, list[Path]] = {}
    for unit in cut:
        if not unit.heading:
            places.setdefault(unit.key, []).append(unit.path)
    return places, [unit.path for unit in cut if unit.heading]


@dataclass(slots=True)
class _Making:
    """The text that is being made."""

    lines: list[_Line]
    whole: dict[str, list[Path]] | None
    """Where each unit of the whole text stands."""
    headings: list[Path]
    told_again: Told
    changed: bool = False
    order: dict[Path, list[_Line]] = field(default_factory=dict)
    """The lines of the newer text, in its order, by their place."""

    @classmethod
    def of(cls, older: str, whole: str | None, told_again: Told) -> "_Making":
        lines: list[_Line] = []
        lead = ""
        for unit, body, space in _cut(older):
            lines.append(_Line(unit, body, lead, space, lines[-1] if lines else None))
            lead = space
        places, headings = (None, []) if whole is None else _places(whole)
        return cls(lines, places, headings, told_again)

    def take_in(self, newer: str) -> None:
        cut = [(unit, body) for unit, body, _ in _cut(newer)]
        for place, (unit, body) in enumerate(cut):
            if unit.heading:
                self._take_heading(unit, body, cut[place + 1 :], is_first=place == 0)
            elif unit.key:
                self._take(unit, body)
        if self.whole is not None:
            self._reorder()
            self._drop_emptied()

    # Headings

    def _take_heading(self, unit: Unit, body: str, rest: Sequence[tuple[Unit, str]], *, is_first: bool) -> None:
        if self._place(unit.path) in {line.unit.path for line in self.lines}:
            return
        at = 0 if is_first and self._is_of_all(unit, rest) else self._end_of(self._place(unit.path[:-1]))
        self._insert(at, _Line(unit, body, None))
        for line, at_last in zip(self.lines, placed([line.unit for line in self.lines]), strict=True):
            line.unit = at_last

    def _is_of_all(self, heading: Unit, rest: Sequence[tuple[Unit, str]]) -> bool:
        """Whether a heading stands over what begins the older text without one, all of it, or over its first one."""
        bare = [line.unit.key for line in self.lines if not line.unit.path]
        own = {unit.key for unit, _ in rest if unit.path == heading.path}
        below = [unit.key for unit, _ in rest if unit.heading and unit.path[: len(heading.path)] == heading.path]
        if bare:
            return own.issuperset(bare)
        tops = [line.unit for line in self.lines if line.unit.heading and len(line.unit.path) == 1]
        return bool(tops) and all(unit.key in below and unit.level > heading.level for unit in tops)

    def _end_of(self, parent: Path) -> int:
        """Behind all that stands under a heading, also in its parts."""
        if parent:
            inside = [place for place, line in enumerate(self.lines) if line.unit.path[: len(parent)] == parent]
            if inside:
                return inside[-1] + 1
        return len(self.lines)

    def _drop_emptied(self) -> None:
        """A heading that was renamed, and has nothing left to stand over."""
        kept = []
        for place, line in enumerate(self.lines):
            path = line.unit.path
            alone = not any(other.unit.path[: len(path)] == path for other in self.lines[place + 1 :])
            if not (line.emptied and alone and not any(same_place(path, each) for each in self.headings)):
                kept.append(line)
        self.lines = kept

    # Sentences

    def _take(self, unit: Unit, body: str) -> None:
        at = self._place(unit.path)
        twins = [line for line in self.lines if not line.unit.heading and line.unit.key == unit.key]
        line = next((line for line in twins if line.unit.path == at), None) or self._without_place(twins, unit, at)
        if line is None and (moving := next(filter(self._has_moved, twins), None)) is not None:
            self._move(moving, at)
            line = moving
        if line is not None:
            self._write(line, unit)
        elif (line := self._said_already(unit, at)) is None:
            line = _Line(replace(unit, path=at), body, None)
            self._insert(self._last_at(at), line)
        listed = self.order.setdefault(line.unit.path, [])
        if line.unit.key == unit.key and all(each is not line for each in listed):
            listed.append(line)

    def _place(self, path: Path) -> Path:
        """A path as the older text has it."""
        known = dict.fromkeys(line.unit.path for line in self.lines)
        return path if path in known else next((each for each in known if same_place(each, path)), path)

    def _without_place(self, twins: Sequence[_Line], unit: Unit, at: Path) -> _Line | None:
        """What the newer text has under no heading stands where it stood, unless the whole text has taken it out."""
        if at or not twins:
            return None
        out = self.whole is not None and () in self.whole.get(unit.key, ()) and all(map(self._has_moved, twins))
        return None if out else twins[0]

    def _has_moved(self, line: _Line) -> bool:
        """Whether the whole text has a sentence no more where it stood."""
        if self.whole is None:
            return False
        return not any(same_place(line.unit.path, path) for path in self.whole.get(line.unit.key, ()))

    def _move(self, line: _Line, at: Path) -> None:
        for heading in self.lines:
            if heading.unit.heading and heading.unit.path and heading.unit.path == line.unit.path:
                heading.emptied = True
        self.lines = [each for each in self.lines if each is not line]
        line.unit = replace(line.unit, path=at)
        line.after, line.lead = None, None
        self._insert(self._last_at(at), line)

    def _write(self, line: _Line, unit: Unit) -> None:
        """As the newer text has it, where only its marks differ."""
        if line.unit.text != unit.text:
            line.body = line.body.replace(line.unit.text, unit.text, 1)
            line.unit = replace(unit, path=line.unit.path)
            self.changed = True

    def _said_already(self, unit: Unit, at: Path) -> _Line | None:
        near = [
            line
            for line in self.lines
            if line.lead is not None and not line.unit.heading and (same_place(line.unit.path, at) or not at)
        ]
        found = self.told_again(unit, [line.unit for line in near])
        if found is None:
            return None
        line, fuller = near[found[0]], found[1]
        if fuller:
            self._write(line, unit)
        return line

    def _last_at(self, at: Path) -> int:
        own = [place for place, line in enumerate(self.lines) if line.unit.path == at]
        return own[-1] + 1 if own else len(self.lines) if at else 0

    def _insert(self, place: int, line: _Line) -> None:
        self.lines.insert(place, line)
        self.changed = True

    def _reorder(self) -> None:
        """What the newer text has in another order comes in its order, unless it is said more than once there."""
        times = Counter((line.unit.path, line.unit.key) for line in self.lines)
        for listed in self.order.values():
            if any(times[line.unit.path, line.unit.key] > 1 for line in listed):
                continue
            slots = sorted(self._at(line) for line in listed)
            if slots != [self._at(line) for line in listed]:
                for slot, line in zip(slots, list(listed), strict=True):
                    self.lines[slot] = line
                self.changed = True

    def _at(self, line: _Line) -> int:
        return next(place for place, each in enumerate(self.lines) if each is line)

    # The text

    def text(self) -> str:
        out = ""
        before: _Line | None = None
        for line in self.lines:
            out += ("" if before is None else _space(before, line)) + line.body
            before = line
        return out.strip()


def _space(before: _Line, line: _Line) -> str:
    if line.lead is not None and line.after is before:
        return line.lead
    if line.unit.heading:
        return "\n\n"
    if before.unit.heading and before.trail:
        return before.trail
    if line.unit.is_item or before.unit.is_item or before.body.splitlines()[-1].lstrip().startswith(_MARKS):
        return "\n"
    return "\n\n" if line.lead and "\n" in line.lead else " "


_MARKS = ("#", "-", "*", "+", "|", "```", "~~~")


def in_another_order(older: Iterable[Unit], newer: Iterable[Unit]) -> tuple[Unit, Unit] | None:
    """The first step of two numbered lists that comes at another place in the other, and what is there."""
    before, after = _steps(older), _steps(newer)
    for path, steps in after.items():
        for known, listed in before.items():
            if same_place(path, known):
                common = listed.keys() & steps.keys()
                was = [unit for key, unit in listed.items() if key in common]
                now = [unit for key, unit in steps.items() if key in common]
                for one, other in zip(was, now, strict=True):
                    if one.key != other.key:
                        return one, other
    return None


def _steps(cut: Iterable[Unit]) -> dict[Path, dict[str, Unit]]:
    found: dict[Path, dict[str, Unit]] = {}
    for unit in cut:
        if unit.is_numbered:
            found.setdefault(unit.path, {}).setdefault(unit.key, unit)
    return found
