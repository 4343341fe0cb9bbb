"""What a key of the profile would hold, had its words been read otherwise. Pure: the rules are those of `conflicts`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from recollect.core.ids import new_id
from recollect.profile.conflicts import Decision, Policy, certainty, decide
from recollect.profile.model import Held, Said
from recollect.understanding.model import Fact
from recollect.understanding.profile_keys import holds_many, same_value


@dataclass(frozen=True, slots=True)
class Word:
    """A value that a message says for a key, or the end of it."""

    fact: Fact
    said: Said


@dataclass(slots=True)
class Retold:
    """A key, told from the words that are left and from the values that stand whatever they say."""

    held: list[Held]
    words: list[Word] = field(default_factory=list)
    """Those that do something, in order: learned again, they leave the key as `held` says."""
    proposed: list[tuple[Word, str]] = field(default_factory=list)
    """Those that would wait for consent, and why."""
    told: dict[UUID, Word] = field(default_factory=dict)
    """The words that values came of."""

    @property
    def active(self) -> Held | None:
        """What would hold."""
        return next((value for value in self.held if value.active), None)


@dataclass(slots=True)
class Key:
    """A key of the profile, of one with many items one of them: the words on it, and its values as rows."""

    type: str
    key: str
    value: str
    """Of a key with many items, the one that it is about."""
    words: list[Word] = field(default_factory=list)
    values: list[Held] = field(default_factory=list)

    def is_about(self, type: str, key: str, value: str) -> bool:
        """Whether a value belongs here."""
        return (self.type, self.key) == (type, key) and (not holds_many(key) or same_value(key, self.value, value))


def keys_of(words: Iterable[Word], values: Iterable[tuple[str, str, Held]]) -> list[Key]:
    """Words and values by the key that they are about; words in the order in which they were said."""
    keys: dict[tuple[str, str], list[Key]] = {}

    def about(type: str, key: str, value: str) -> Key:
        known = keys.setdefault((type, key), [])
        found = next((each for each in known if each.is_about(type, key, value)), None)
        if found is None:
            known.append(found := Key(type, key, value))
        return found

    for type, key, held in values:
        about(type, key, held.value).values.append(held)
    for word in sorted(words, key=lambda word: (word.said.at, word.said.turn)):
        about(word.fact.type, word.fact.key, word.fact.value).words.append(word)
    return [each for of_key in keys.values() for each in of_key]


def retell(words: Sequence[Word], standing: Sequence[Held], heard: Sequence[UUID], policy: Policy) -> Retold:
    """Take words one after the other; `standing` are values that they may only add to, as live ones could, and `heard`
    the messages that spoke for an inferred value before."""
    retold = Retold(list(standing))
    waiting: list[Word] = []
    for word in words:
        fact, said = word.fact, word.said
        like = [other for other in waiting if same_value(fact.key, other.fact.value, fact.value)]
        signals = {*heard, *(other.said.message_id for other in like), said.message_id}
        decision = decide(fact, said, retold.held, 0 if fact.first_person else len(signals), policy)
        if decision.outcome == "propose":
            waiting.append(word)
            if not fact.ended:
                retold.proposed.append((word, decision.reason))
        elif decision.outcome != "ignore":
            if decision.outcome in ("add", "replace"):
                retold.words += like
                retold.proposed = [each for each in retold.proposed if each[0] not in like]
            retold.words.append(word)
            _apply(retold, word, decision)
    return retold


def _apply(retold: Retold, word: Word, decision: Decision) -> None:
    target, said = decision.target, word.said
    if target and decision.outcome == "confirm":
        later = max((target.said_at, target.turn), (said.at, said.turn))
        sure = max(target.confidence, certainty(word.fact))
        _put(retold, replace(target, said_at=later[0], turn=later[1], confidence=sure))
        return
    if target:
        _put(retold, replace(target, ended_at=said.at))
    if decision.outcome == "end":
        return
    over = said.at if decision.outcome == "rule_out" else None
    new = Held(new_id(), word.fact.value, certainty(word.fact), said.at, said.turn, over, False, False, {})
    retold.held.append(new)
    retold.told[new.id] = word


def _put(retold: Retold, value: Held) -> None:
    retold.held = [value if each.id == value.id else each for each in retold.held]
