"""What a replay would change of a profile: each key told again from the words that are left of it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any
from uuid import UUID

from recollect.core.scope import Scope
from recollect.db.database import Connection
from recollect.flows.parts import Parts
from recollect.flows.replay_heard import Heard, basis_of, is_free, shown_of
from recollect.profile import store as profiles
from recollect.profile.conflicts import Policy
from recollect.profile.model import Held
from recollect.profile.retelling import Key, Retold, Word, keys_of, retell
from recollect.replays.model import Op, Planned, ReplayChange, change_id
from recollect.understanding.profile_keys import same_value

_REASONS: Mapping[Op, str] = {
    "added": "read again, a message says so",
    "changed": "read again, messages say something else",
    "retired": "read again, no message says so",
}


@dataclass(frozen=True, slots=True)
class Profile:
    """The profile as it stands, and what was proposed for it."""

    values: Sequence[Any]
    consents: Sequence[Any]

    def rows(self, key: Key) -> list[Any]:
        """The rows of a key, in order."""
        ids = {value.id for value in key.values}
        return [row for row in self.values if row.id in ids]


async def profile_of(parts: Parts, connection: Connection, space: str) -> Profile:
    """Every value and every proposal of a space."""
    values = await profiles.rows_of_all(connection, space)
    return Profile(values, await profiles.consents(connection, space, None, parts.clock()))


async def plan_profile(parts: Parts, scope: Scope, heard: Mapping[str, Heard]) -> list[Planned]:
    """Key by key; of the asker's own profile alone."""
    space = scope.own_space
    async with parts.database.transaction(space) as connection:
        profile = await profile_of(parts, connection, space)
    own = [each for each in heard.values() if each.owner == space]
    words = [Word(fact, each.said) for each in own for fact in each.facts]
    standing = [word for word in words if not _was_declined(profile, word)]
    policy = Policy(frozenset(parts.settings.consent_keys), parts.settings.consent_signals)
    planned: list[Planned] = []
    for key in keys_of(standing, [(row.type, row.data["key"], profiles.held_of(row)) for row in profile.values]):
        if all(scope.may_see(row) for row in profile.rows(key)):
            planned += _plan_key(key, profile, heard, policy)
    return planned


def _was_declined(profile: Profile, word: Word) -> bool:
    """Whether the user said no to the value, after it was said."""
    return any(
        row.status == "declined" and row.decided_at >= word.said.at and _is_of(row, word) for row in profile.consents
    )


def _is_of(proposal: Any, word: Word) -> bool:
    fact = word.fact
    return (proposal.type, proposal.key) == (fact.type, fact.key) and same_value(fact.key, proposal.value, fact.value)


def _plan_key(key: Key, profile: Profile, heard: Mapping[str, Heard], policy: Policy) -> list[Planned]:
    rows = profile.rows(key)
    free = [str(row.id) for row in rows if is_free(row, heard)]
    if not key.words and not free:
        return []
    left = [row for row in rows if str(row.id) not in free]
    again = [str(row.id) for row in left if not row.by_hand and _ended_by(row) in {*free, *heard}]
    standing = [_standing(row, again) for row in left]
    retold = retell(key.words, standing, _signals(key, profile), policy)
    planned = [_proposal(words, heard) for words in _new_proposals(retold, profile)]
    if change := _change(key, rows, retold, heard):
        words = [_kept(word) for word in retold.words]
        plan = {"withdraw": free, "reopen": again, "words": words, "basis": basis_of(rows)}
        planned.insert(0, Planned(change, plan))
    return planned


def _standing(row: Any, again: Sequence[str]) -> Held:
    """A value that stays; one that ended by what is read anew holds until somebody says otherwise."""
    held = profiles.held_of(row)
    return replace(held, ended_at=None) if str(row.id) in again else held


def _ended_by(row: Any) -> str | None:
    ender: str | None = row.data.get("ended_by")
    return ender


def _signals(key: Key, profile: Profile) -> list[UUID]:
    """The messages that spoke for an inferred value before."""
    inferred = [word for word in key.words if not word.fact.first_person]
    waiting = [row for row in profile.consents if row.status == "open"]
    return [id for row in waiting if any(_is_of(row, word) for word in inferred) for id in row.signals]


def _change(key: Key, rows: Sequence[Any], retold: Retold, heard: Mapping[str, Heard]) -> ReplayChange | None:
    """How what would hold differs from what holds."""
    now = next((row for row in rows if profiles.held_of(row).active), None)
    then = retold.active
    if (now is None and then is None) or (now is not None and then is not None and _is_same(key, now, then)):
        return None
    op: Op = "added" if now is None else "retired" if then is None else "changed"
    before = None if now is None else now.data["value"]
    after = None if then is None else then.value
    told = [word for word in retold.words if then is None or same_value(key.key, word.fact.value, then.value)]
    ids = [str(word.said.message_id) for word in told] or (now.data.get("messages", []) if now is not None else [])
    return ReplayChange(
        id=change_id(op, "profile", key.type, key.key, before, after),
        op=op,
        kind="profile",
        type=key.type,
        key=key.key,
        before=before,
        after=after,
        reason=_REASONS[op],
        messages=shown_of(ids, heard),
        memory_id=None if now is None else now.id,
    )


def _is_same(key: Key, now: Any, then: Held) -> bool:
    return now.id == then.id or same_value(key.key, now.data["value"], then.value)


def _new_proposals(retold: Retold, profile: Profile) -> list[list[tuple[Word, str]]]:
    """Values that would wait for consent, and about which the user was never asked; each with all words for it."""
    found: list[list[tuple[Word, str]]] = []
    for word, reason in retold.proposed:
        if any(row.status != "ignored" and _is_of(row, word) for row in profile.consents):
            continue
        like = (each for each in found if same_value(word.fact.key, each[0][0].fact.value, word.fact.value))
        if (known := next(like, None)) is not None:
            known.append((word, reason))
        else:
            found.append([(word, reason)])
    return found


def _proposal(words: Sequence[tuple[Word, str]], heard: Mapping[str, Heard]) -> Planned:
    fact, reason = words[0][0].fact, words[-1][1]
    change = ReplayChange(
        id=change_id("added", "proposal", fact.type, fact.key, fact.value),
        op="added",
        kind="proposal",
        type=fact.type,
        key=fact.key,
        before=None,
        after=fact.value,
        reason=reason,
        messages=shown_of([str(word.said.message_id) for word, _ in words], heard),
        memory_id=None,
    )
    return Planned(change, {"words": [_kept(word) for word, _ in words]})


def _kept(word: Word) -> dict[str, Any]:
    """A word as a plan keeps it: the message, and which of its facts."""
    return {"message": str(word.said.message_id), "fact": asdict(word.fact)}
