"""What goes into a context: by priority, each part within its share, the whole within the budget.

The question comes first. Then the stable part is chosen, which looks at nothing that is volatile, so that it stays
byte-identical from turn to turn: system prompt, profile, chunk summaries, recent messages. What is left goes to the
delta header, to working notes, and to what was found, best first.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from recollect.context.budget import Budget, Shares
from recollect.context.cutting import MOST_CHARACTERS, cut, cut_message
from recollect.context.meter import Meter
from recollect.context.model import Chosen, ChunkText, Materials, RecalledText, Stable, Volatile, WindowMessage
from recollect.context.render import memory_block, message_line
from recollect.context.windowing import start
from recollect.core.tokens import TokenCounter

T = TypeVar("T")
Recalled = dict[str, dict[int, RecalledText]]
"""Episodes and memories by their places."""

_LEAST_WITH_CLOSING = 128
"""Below so many tokens the closing line would take the room of the question."""
_LEAST_CUT = 32
"""What would be cut to fewer tokens is left out instead."""
_LAST_CUTS = 40


def choose(materials: Materials, tokens: int, counter: TokenCounter, budget: Budget) -> Chosen:
    """What of the materials goes into a context of at most so many tokens."""
    shares = budget.shares(tokens, counter)
    meter = Meter(counter, budget)
    warnings = list(materials.warnings)
    if tokens < budget.minimum:
        warnings.append(f"fewer than {budget.minimum} tokens: only the question and the profile")
        materials = Materials(materials.question, materials.asker, profile=materials.profile, changed=materials.changed)
    asked = _asked(materials.question, materials.asker, tokens, shares, meter, warnings)
    shares = replace(shares, stable=max(0, min(shares.stable, shares.whole - meter.volatile(asked))))
    before = _without_question(materials)
    stable = _StableChoice(before, shares, meter, budget, warnings).chosen()
    left = shares.whole - meter.stable(stable)
    said = materials.messages[len(before.messages) :]
    shown = frozenset(message.turn for message in (*stable.messages, *said))
    materials = _not_shown(materials, shown)
    volatile = _VolatileChoice(materials, asked, left, shares.working, meter, warnings).chosen()
    stable, volatile = _within(stable, volatile, shares.whole, meter, warnings)
    return Chosen(stable, volatile, meter.counted(stable, volatile), tuple(dict.fromkeys(warnings)), shown)


def _asked(
    question: str, asker: str | None, tokens: int, shares: Shares, meter: Meter, warnings: list[str]
) -> Volatile:
    asked = Volatile(question, asker, closing=tokens >= _LEAST_WITH_CLOSING)
    shorter = cut(question, shares.whole, lambda text: meter.volatile(replace(asked, question=text)))
    if shorter != question:
        warnings.append(f"question: cut from {len(question):,} to {len(shorter):,} characters")
    return replace(asked, question=shorter)


def _not_shown(materials: Materials, shown: Collection[int]) -> Materials:
    """Without what was found of messages that are in the context anyway, and no more of the rest than is wanted."""

    def others(found: Sequence[RecalledText], most: int | None) -> list[RecalledText]:
        return [each for each in found if each.turn not in shown][:most]

    return replace(
        materials,
        episodes=others(materials.episodes, materials.most_episodes),
        memories=[*others(materials.memories, materials.most_memories), *others(materials.related, None)],
    )


def _without_question(materials: Materials) -> Materials:
    """Without the last message of the window where it is the question itself, which is said at the end anyway."""
    last = materials.messages[-1] if materials.messages else None
    own = last is not None and materials.asker in (None, last.name)
    if last is not None and own and last.role == "user" and last.content == materials.question:
        return replace(materials, messages=materials.messages[:-1])
    return materials


class _StableChoice:
    """Chooses the part that stays the same: each step has what the one before it left."""

    def __init__(self, materials: Materials, shares: Shares, meter: Meter, budget: Budget, warnings: list[str]) -> None:
        self._materials = materials
        self._shares = shares
        self._room = shares.stable
        self._meter = meter
        self._budget = budget
        self._warnings = warnings

    def chosen(self) -> Stable:
        left = self._room
        system = self._system()
        left -= self._meter.text(system) if system else 0
        with_profile = Stable(profile=self._profile(min(left, self._shares.profile)))
        left = max(0, left - self._memory_size(with_profile))
        memory = replace(with_profile, summaries=self._summaries(with_profile, left))
        left -= self._memory_size(memory) - self._memory_size(with_profile)
        return replace(memory, system=system or None, messages=self._messages(left))

    def _memory_size(self, stable: Stable) -> int:
        return self._meter.text(memory_block(stable))

    def _system(self) -> str:
        system = self._materials.system or ""
        shorter = cut(system, int(self._room * self._budget.system_most), self._meter.text)
        if shorter != system:
            self._warnings.append(f"system: cut from {len(system):,} to {len(shorter):,} characters")
        return shorter

    def _profile(self, limit: int) -> tuple[tuple[str, str], ...]:
        facts = tuple(self._materials.profile)
        kept = _most_first(facts, lambda some: self._memory_size(Stable(profile=some)) <= limit)
        _note(self._warnings, "profile", "facts", len(facts) - len(kept), len(facts))
        return kept

    def _summaries(self, with_profile: Stable, left: int) -> tuple[ChunkText, ...]:
        chunks = tuple(self._materials.summaries)
        if not chunks:
            return ()
        limit = self._memory_size(with_profile) + self._summaries_limit(left)
        newest = _most_first(
            chunks[::-1],
            lambda some: self._memory_size(replace(with_profile, summaries=some[::-1])) <= limit,
        )
        _note(self._warnings, "summaries", "chunk summaries", len(chunks) - len(newest), len(chunks))
        return newest[::-1]

    def _summaries_limit(self, left: int) -> int:
        """Their fixed share, or more if the window, grown to its full length, is going to leave more.

        It looks at the oldest messages only, which stay until the window's start moves; the sizes of newer ones
        would change the summaries, and with them the prefix, from turn to turn.
        """
        share = int(self._room * self._budget.summaries_share)
        oldest = self._materials.messages[: self._budget.chunk]
        if len(oldest) < self._budget.chunk:
            return min(share, left)
        expected = 2 * sum(self._meter.text(message_line(message)[: self._room * 4]) for message in oldest)
        return min(left, max(share, left - expected, 0))

    def _messages(self, left: int) -> tuple[WindowMessage, ...]:
        messages = tuple(self._materials.messages)
        given = len(messages) + self._materials.unread
        if not messages or left < _LEAST_CUT:
            _note(self._warnings, "messages", "recent messages", given, given)
            return ()
        shown = self._shown(messages, left, self._budget.message_most)
        if len(shown) == len(messages) and len(_cut_ones(messages, shown)) == 1:
            # Where one alone is so large, it may have what the others leave.
            larger = self._shown(messages, left, self._budget.lone_message_most)
            shown = larger if len(larger) == len(messages) else shown
        _note(self._warnings, "messages", "recent messages", given - len(shown), given)
        self._warnings += [f"message {turn}: cut, it is larger than its share" for turn in _cut_ones(messages, shown)]
        return shown

    def _shown(self, messages: tuple[WindowMessage, ...], left: int, most: float) -> tuple[WindowMessage, ...]:
        """The newest messages that fit, each within its share; the start moves in steps."""
        newest: list[WindowMessage] = []
        sizes: list[int] = []
        beyond = 0
        for message in reversed(messages):
            newest.append(self._cut(message, int(left * most)))
            sizes.append(self._meter.message(newest[-1]))
            # As far as the start could have been when the last step began.
            beyond += sizes[-1] if len(sizes) > self._budget.chunk else 0
            if beyond > left:
                break
        kept = tuple(newest[::-1])
        before = min(message.turn for message in messages) - 1 + len(messages) - len(kept)
        first = start(sizes[::-1], before, left, self._budget.chunk)
        # Together they can cost a little more than one by one.
        while first < len(kept) and self._meter.stable(Stable(messages=kept[first:])) > left:
            first += 1
        return kept[first:]

    def _cut(self, message: WindowMessage, limit: int) -> WindowMessage:
        long = isinstance(message.content, str) and len(message.content) > limit * MOST_CHARACTERS
        if not long and self._meter.message(message) <= limit:
            return message
        return cut_message(message, limit, self._meter.message)


def _cut_ones(given: tuple[WindowMessage, ...], shown: tuple[WindowMessage, ...]) -> list[int]:
    """The turns of messages that are shown shorter than they are."""
    pairs = zip(given[len(given) - len(shown) :], shown, strict=True)
    return [before.turn for before, after in pairs if before is not after]


class _VolatileChoice:
    """Chooses what is said anew around the question, out of what the stable part left."""

    def __init__(
        self, materials: Materials, asked: Volatile, room: int, working: int, meter: Meter, warnings: list[str]
    ) -> None:
        self._materials = materials
        self._asked = asked
        self._room = room
        self._working = working
        self._meter = meter
        self._warnings = warnings

    def chosen(self) -> Volatile:
        volatile = self._with_lines(self._asked)
        volatile = self._with_working(volatile)
        return self._with_recalled(volatile)

    def _fits(self, volatile: Volatile) -> bool:
        return self._meter.volatile(volatile) <= self._room

    def _with_lines(self, volatile: Volatile) -> Volatile:
        """Changed facts first: without them the profile would say what no longer holds."""
        given, lines = tuple(self._materials.changed), tuple(self._materials.header)
        changed = _most_first(given, lambda some: self._fits(replace(volatile, changed=some)))
        volatile = replace(volatile, changed=changed)
        header = _most_first(lines, lambda some: self._fits(replace(volatile, header=some)))
        # The first line alone says nothing.
        header = header if len(header) > 1 else ()
        _note(self._warnings, "changed", "changed facts", len(given) - len(changed), len(given))
        _note(self._warnings, "header", "lines of updates", len(lines) - len(header), len(lines))
        return replace(volatile, header=header)

    def _with_working(self, volatile: Volatile) -> Volatile:
        """Working notes have their share, and what the memories that were found do not need."""
        found = replace(volatile, episodes=tuple(self._materials.episodes), memories=tuple(self._materials.memories))
        before = self._meter.volatile(volatile)
        spare = self._room - self._meter.volatile(found)
        room = min(self._room, before + max(self._working, spare))
        for name in ("extra", "actives"):
            for number, text in enumerate(getattr(self._materials, name), 1):
                volatile = self._with_note(volatile, name, number, text, room)
        return volatile

    def _with_note(self, volatile: Volatile, name: str, number: int, text: str, room: int) -> Volatile:
        def noted(note: str) -> Volatile:
            notes: Any = {name: (*getattr(volatile, name), note)}
            return replace(volatile, **notes)

        # What it costs beyond its own words: heading, fence and line breaks.
        shorter = cut(text, room, lambda note: self._meter.volatile(noted(note)))
        if shorter == text:
            return noted(text)
        if self._meter.text(shorter) < _LEAST_CUT:
            self._warnings.append(f"{name}: number {number} did not fit")
            return volatile
        self._warnings.append(f"{name}: number {number} was cut from {len(text):,} to {len(shorter):,} characters")
        return noted(shorter)

    def _with_recalled(self, volatile: Volatile) -> Volatile:
        """What was found, best first; what is too large by itself is cut to half the room, what does not fit is out."""
        episodes, memories = tuple(self._materials.episodes), tuple(self._materials.memories)
        limit = max(0, self._room - self._meter.volatile(volatile)) // 2
        cut_to_size = {
            "episodes": {number: self._cut(found, limit) for number, found in enumerate(episodes)},
            "memories": {number: self._cut(found, limit) for number, found in enumerate(memories)},
        }
        taken = self._taken(volatile, cut_to_size)
        _note(self._warnings, "episodes", "episodes", len(episodes) - len(taken["episodes"]), len(episodes))
        _note(self._warnings, "memories", "memories", len(memories) - len(taken["memories"]), len(memories))
        return _recalling(volatile, taken)

    def _cut(self, found: RecalledText, limit: int) -> RecalledText:
        shorter = cut(found.text, limit, self._meter.text)
        return found if shorter == found.text else replace(found, text=shorter)

    def _taken(self, volatile: Volatile, found: Recalled) -> Recalled:
        """All of it where there is room, else one after the other."""
        everything = [(text.score, name, number, text) for name, kept in found.items() for number, text in kept.items()]
        if all(text.text for *_, text in everything) and self._fits(_recalling(volatile, found)):
            return found
        taken: Recalled = {"episodes": {}, "memories": {}}
        for _, name, number, text in sorted(everything, key=lambda place: -place[0]):
            tried = {kind: dict(kept) for kind, kept in taken.items()}
            tried[name][number] = text
            if text.text and self._fits(_recalling(volatile, tried)):
                taken = tried
        return taken


def _recalling(volatile: Volatile, taken: Recalled) -> Volatile:
    """With what was taken, each kind in its own order."""
    ordered = {name: tuple(found for _, found in sorted(kept.items())) for name, kept in taken.items()}
    return replace(volatile, episodes=ordered["episodes"], memories=ordered["memories"])


def _within(
    stable: Stable, volatile: Volatile, limit: int, meter: Meter, warnings: list[str]
) -> tuple[Stable, Volatile]:
    """The choice if the whole of it is within the limit, else less of it: parts can cost more joined than alone."""
    while max(meter.whole(stable, volatile), meter.counted(stable, volatile)) > limit:
        smaller = _smaller(stable, volatile)
        if smaller is None:
            return stable, _barely(volatile, limit, meter)
        name, stable, volatile = smaller
        warnings.append(f"{name}: the last of it did not fit")
    return stable, volatile


def _smaller(stable: Stable, volatile: Volatile) -> tuple[str, Stable, Volatile] | None:
    for name in ("memories", "episodes", "actives", "extra", "header", "changed"):
        if kept := getattr(volatile, name):
            fewer: Any = {name: () if name == "header" else kept[:-1]}
            return name, stable, replace(volatile, **fewer)
    if stable.messages:
        return "messages", replace(stable, messages=stable.messages[1:]), volatile
    if stable.summaries:
        return "summaries", replace(stable, summaries=stable.summaries[1:]), volatile
    if stable.profile:
        return "profile", replace(stable, profile=stable.profile[:-1]), volatile
    return ("system", replace(stable, system=None), volatile) if stable.system else None


def _barely(volatile: Volatile, limit: int, meter: Meter) -> Volatile:
    """The question alone, shorter and shorter until it fits."""
    asked = Volatile(volatile.question, closing=False)
    for _ in range(_LAST_CUTS):
        if max(meter.whole(Stable(), asked), meter.counted(Stable(), asked)) <= limit:
            break
        asked = replace(asked, question=asked.question[: len(asked.question) * 4 // 5])
    return asked


def _most_first(items: tuple[T, ...], fits: Callable[[tuple[T, ...]], bool]) -> tuple[T, ...]:
    """As many of the first items as fit together."""
    if not items or fits(items):
        return items
    low, high = 0, len(items)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(items[:middle]) else (low, middle)
    return items[:low]


def _note(warnings: list[str], name: str, things: str, missing: int, given: int) -> None:
    if missing:
        warnings.append(f"{name}: {missing} of {given} {things} did not fit")
