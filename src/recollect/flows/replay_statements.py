"""What a replay would change of statements: drafts of today beside the statements that the same messages taught.

A draft that says what is known is no change, unless it says it otherwise. What no draft says any more is retired; where
a draft of the same message is near it, that one takes its place.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from recollect.core.scope import Scope
from recollect.flows import statements
from recollect.flows.barring import bars_in
from recollect.flows.indexing import passages_of, plain
from recollect.flows.parts import Parts
from recollect.flows.reading import known_owner
from recollect.flows.replay_heard import Heard, basis_of, is_free, shown_of
from recollect.flows.statements import Asked, Draft, Neighbour, covers, was_deleted_by_hand
from recollect.flows.wordings import Wording, plain_words, wordings_of
from recollect.records import store
from recollect.records.tombstones import Bars
from recollect.replays.model import Planned, ReplayChange, change_id
from recollect.understanding.model import Statement

_PAGE = 100
_TOLD_OTHERWISE = "read again, it is told otherwise"
_KNOWN_NOW = "read again, it is sure"
_SAID = "read again, a message says so"
_UNSAID = "read again, no message says so"


@dataclass(slots=True)
class Told:
    """Something new, and every draft that says it."""

    drafts: list[Draft]
    near: Sequence[Neighbour]

    @property
    def vector(self) -> NDArray[np.float32]:
        """Where its first draft lies."""
        return self.drafts[0].passages[0].embedding

    @property
    def messages(self) -> list[str]:
        """The messages that say it."""
        return list(dict.fromkeys(str(draft.said.message_id) for draft in self.drafts))


@dataclass(slots=True)
class Known:
    """A statement that these messages speak for, and the drafts that say the same."""

    row: Any
    wordings: tuple[Wording, ...]
    """What it says; of one that a person had a hand in, what it said before too."""
    free: bool
    drafts: list[Draft] = field(default_factory=list)

    @property
    def messages(self) -> list[str]:
        """The messages that speak for it."""
        return list(self.row.data["messages"])


async def plan_statements(parts: Parts, scope: Scope, heard: Mapping[str, Heard]) -> list[Planned]:
    """What would change of the statements of a space."""
    known, asked = await _known(parts, scope, heard), await _asked(parts, scope.space, heard)
    matching = _Matching(parts, known, heard, await bars_in(parts, scope.space))
    for first in range(0, len(asked), _PAGE):
        page = asked[first : first + _PAGE]
        async with parts.database.transaction(scope.space) as connection:
            near = await statements.neighbours(parts, connection, scope.space, page)
        await asyncio.to_thread(matching.take, page, near)
    return await asyncio.to_thread(matching.changes, heard)


async def _known(parts: Parts, scope: Scope, heard: Mapping[str, Heard]) -> list[Known]:
    """The statements that messages taught, each with its vector."""
    space = scope.space
    async with parts.database.transaction(space) as connection:
        rows = await store.stated_by(connection, space, list(heard))
    words = await wordings_of(parts, space, rows)
    return [Known(row, each, is_free(row, heard) and scope.may_see(row)) for row, each in zip(rows, words, strict=True)]


async def _asked(parts: Parts, space: str, heard: Mapping[str, Heard]) -> list[Asked]:
    """What messages say as they are read now, in the order in which it was said, with the owners' names."""
    said = [(each, statement) for each in heard.values() for statement in each.statements]
    entries = await passages_of(parts, space, [plain(statement.content) for _, statement in said])
    owners: dict[str, str | None] = {}
    for each, _ in said:
        if each.owner not in owners:
            owners[each.owner] = (await known_owner(parts, each.owner, each.row.actor_id)).display
    return [
        (Draft(statement, passages, each.said, each.found["long"]), owners[each.owner])
        for (each, statement), passages in zip(said, entries, strict=True)
    ]


class _Matching:
    """Drafts find the statements that say the same, or each other."""

    def __init__(self, parts: Parts, known: Sequence[Known], heard: Mapping[str, Heard], bars: Bars) -> None:
        self._parts = parts
        self._heard = heard
        self._bars = bars
        self._known = {each.row.id: each for each in known}
        self._of_message: dict[str, list[Known]] = {}
        for each in known:
            for message in each.messages:
                self._of_message.setdefault(message, []).append(each)
        self._new: list[Told] = []
        self._vectors = np.zeros((0, 0), np.float32)
        """Of what is new, and room for more."""

    def take(self, asked: Sequence[Asked], near: Sequence[Sequence[Neighbour]]) -> None:
        """Place drafts, one after the other."""
        for (draft, owner), of_one in zip(asked, near, strict=True):
            self.place(draft, owner, of_one)

    def place(self, draft: Draft, owner: str | None, near: Sequence[Neighbour]) -> None:
        """Where a draft belongs: to a statement that is known, to another draft, or to none so far."""
        settings = self._parts.settings
        alike = [each for each in near if each.similarity >= settings.merge_likely and each.verdict.relation == "same"]
        if (known := self._repeated(draft, owner)) is not None:
            known.drafts.append(draft)
        elif said := next((each for each in alike if covers(each, draft)), None):
            if said.memory.id in self._known:
                self._known[said.memory.id].drafts.append(draft)
        elif any(map(was_deleted_by_hand, alike)):
            return
        elif (told := next(self._saying_same(draft, owner), None)) is not None:
            told.drafts.append(draft)
        elif not self._was_deleted(draft):
            self._begin(Told([draft], [each for each in near if each.alive]))

    def _was_deleted(self, draft: Draft) -> bool:
        """Whether a person deleted what was learned of that sentence, and it was purged since."""
        id = draft.said.message_id
        body = self._heard[str(id)].row.body
        return id is not None and self._bars.was_deleted_of(id, body, draft.statement.content)

    def _begin(self, told: Told) -> None:
        """Something that nobody has said so far."""
        many = len(self._new)
        if many == len(self._vectors):
            room = np.zeros((max(_PAGE, 2 * many), len(told.vector)), np.float32)
            for place, each in enumerate(self._new):
                room[place] = each.vector
            self._vectors = room
        self._vectors[many] = told.vector
        self._new.append(told)

    def _repeated(self, draft: Draft, owner: str | None) -> Known | None:
        """A statement that the very message taught before, of whatever category; the same words first."""
        mine = self._of_message.get(str(draft.said.message_id), [])
        for each in mine:
            if any(word.repeats(draft) for word in each.wordings):
                return each
        same = (each for each in mine if any(word.says_same(self._parts, draft, owner) for word in each.wordings))
        return next(same, None)

    def _saying_same(self, draft: Draft, owner: str | None) -> Iterator[Told]:
        """What is new and says the same, the first that was said first."""
        if not self._new:
            return
        least = self._parts.calibration.raw(self._parts.settings.merge_likely)
        near = self._vectors[: len(self._new)] @ draft.passages[0].embedding
        for place in np.flatnonzero(near >= least):
            told = self._new[place]
            first = told.drafts[0]
            said = Wording(first.statement.content, told.vector)
            if first.category == draft.category and said.says_same(self._parts, draft, owner):
                yield told

    def changes(self, heard: Mapping[str, Heard]) -> list[Planned]:
        """All that would change: what is told otherwise, what goes, what is new."""
        unsaid = [each for each in self._known.values() if not each.drafts]
        replaced = self._replaced(unsaid)
        planned = [change for each in self._known.values() if (change := self._retold(each, heard)) is not None]
        for each in unsaid:
            told = replaced.get(each.row.id)
            if each.free:
                planned.append(_gone(each, heard) if told is None else _otherwise(each, told.drafts[0], heard))
        taken = {id(told) for told in replaced.values()}
        return planned + [_added(told, heard) for told in self._new if id(told) not in taken]

    def _replaced(self, unsaid: Sequence[Known]) -> dict[UUID, Told]:
        """Of what no draft says any more: the draft of the same message, said by it alone, that is nearest to it.

        Where a person wrote, pinned or deleted it, the draft says nothing new: it stays, or stays away.
        """
        settings = self._parts.settings
        pairs = sorted(
            (
                (near, each.row.id, place)
                for each in unsaid
                for place, told in enumerate(self._new)
                if told.messages == each.messages
                and told.drafts[0].statement.confidence >= settings.pending_below
                and (near := self._nearness(each, told)) >= settings.merge_related
            ),
            key=lambda pair: (-pair[0], pair[1], pair[2]),
        )
        found: dict[UUID, Told] = {}
        for _, memory, place in pairs:
            if memory not in found and all(told is not self._new[place] for told in found.values()):
                found[memory] = self._new[place]
        return found

    def _nearness(self, known: Known, told: Told) -> float:
        """How near something new is to what was known, in any words that it had."""
        return max(word.nearness(self._parts, told.drafts[0]) for word in known.wordings)

    def _retold(self, known: Known, heard: Mapping[str, Heard]) -> Planned | None:
        """A statement whose drafts all say it in other words, or for sure what it leaves open."""
        if not known.free or not known.drafts:
            return None
        row, least = known.row, self._parts.settings.pending_below
        sure = [draft for draft in known.drafts if draft.statement.confidence >= least]
        if not sure:
            return None
        if not is_unsure(row, least) and any(_is_told_so(row, draft.statement) for draft in known.drafts):
            return None
        fullest = max(sure, key=lambda draft: len(draft.statement.content))
        return _otherwise(known, fullest, heard)


def is_unsure(statement: Any, least: float) -> bool:
    """Whether it waits because it was not sure; not because it contradicts what a person said."""
    return bool(statement.pending and statement.confidence < least)


def _is_told_so(row: Any, statement: Statement) -> bool:
    return plain_words(row.content) == plain_words(statement.content) and bool(row.type == statement.type)


def _otherwise(known: Known, draft: Draft, heard: Mapping[str, Heard]) -> Planned:
    row, statement = known.row, draft.statement
    same = _is_told_so(row, statement)
    change = ReplayChange(
        id=change_id("changed", "statement", row.id, statement.type, statement.content),
        op="changed",
        kind="statement",
        type=statement.type,
        key=None,
        before=row.content,
        after=statement.content,
        reason=_KNOWN_NOW if same else _TOLD_OTHERWISE,
        messages=shown_of([str(draft.said.message_id), *known.messages], heard),
        memory_id=row.id,
    )
    return Planned(change, {"memory": str(row.id), "basis": basis_of([row]), "drafts": [kept(draft)]})


def _gone(known: Known, heard: Mapping[str, Heard]) -> Planned:
    row = known.row
    change = ReplayChange(
        id=change_id("retired", "statement", row.id),
        op="retired",
        kind="statement",
        type=row.type,
        key=None,
        before=row.content,
        after=None,
        reason=_UNSAID,
        messages=shown_of(known.messages, heard),
        memory_id=row.id,
    )
    return Planned(change, {"memory": str(row.id), "basis": basis_of([row]), "drafts": []})


def _added(told: Told, heard: Mapping[str, Heard]) -> Planned:
    statement = told.drafts[0].statement
    change = ReplayChange(
        id=change_id("added", "statement", statement.content, told.messages[0]),
        op="added",
        kind="statement",
        type=statement.type,
        key=None,
        before=None,
        after=statement.content,
        reason=_against(told.near),
        messages=shown_of(told.messages, heard),
        memory_id=None,
    )
    return Planned(change, {"drafts": [kept(draft) for draft in told.drafts]})


def _against(near: Sequence[Neighbour]) -> str:
    """Why it would be added, and what it would end."""
    contrary = [each.memory.content for each in near if each.verdict.relation == "contradicts"]
    return f"{_SAID}, against what is known: {' '.join(contrary)}" if contrary else _SAID


def kept(draft: Draft) -> dict[str, Any]:
    """A draft as a plan keeps it."""
    statement = asdict(draft.statement)
    statement["happened"] = statement["happened"] and statement["happened"].isoformat()
    return {"message": str(draft.said.message_id), "statement": statement, "long": draft.long}
