"""The verbs of active memory: create, update a section, list, look at, end."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from recollect.active import store, templates
from recollect.active.model import Active, SectionText
from recollect.active.templates import SectionPlan
from recollect.core import check
from recollect.core.clock import Clock
from recollect.core.errors import Conflict, InvalidInput, NotAllowed, NotFound
from recollect.core.ids import new_id
from recollect.core.scope import Scope
from recollect.core.settings import Settings
from recollect.db.database import Connection, Database
from recollect.queue import enqueue_on
from recollect.records import store as records
from recollect.records.model import Actor

MIGRATE_TASK = "migration"


@dataclass(frozen=True, slots=True)
class Desk:
    """What the verbs work with."""

    database: Database
    settings: Settings
    clock: Clock


async def create(
    desk: Desk,
    scope: Scope,
    title: object,
    template: object,
    sections: object,
    description: object,
    metadata: object,
) -> Active:
    """Begin working notes; sections come from the template, or from what is given."""
    most = desk.settings.message_bytes
    values = {
        "agent": scope.agent_id or "",
        "title": check.text("title", title, most_bytes=2_000),
        "description": check.optional_text("description", description),
        "metadata": check.mapping("metadata", metadata, most_bytes=most),
    }
    contents = None if sections is None else _checked_sections(sections, most)
    plan = None if template is None else templates.parse(template)
    plans = _given_plans(contents or {}) if plan is None else plan.sections
    if plan is not None:
        _check_against(plans, contents)
    values["template"] = None if plan is None else plan.text
    id = new_id()
    async with desk.database.transaction(scope.space) as connection:
        await store.create(connection, scope.space, id, values, plans, contents or {}, _actor(scope), desk.clock())
        await records.act(connection, scope.space, desk.clock(), "ADD", "create_active", [id], _acting(scope))
        return await _found(connection, scope.space, id)


def _acting(scope: Scope) -> Actor:
    return Actor(scope.user_id, scope.agent_id, scope.thread_id, "working notes")


def _checked_sections(given: object, most: int) -> dict[str, str]:
    if not isinstance(given, Mapping):
        raise InvalidInput("sections", "must be an object of names and texts")
    if len(given) > templates.MOST_SECTIONS:
        raise InvalidInput("sections", f"are {len(given)}; the limit is {templates.MOST_SECTIONS}")
    return {
        check.identifier("sections", name): check.text(f"sections.{name}", text, most_bytes=most, empty=True)
        for name, text in given.items()
    }


def _given_plans(contents: Mapping[str, str]) -> tuple[SectionPlan, ...]:
    return tuple(SectionPlan(name, name, required=False) for name in contents)


def _check_against(plans: tuple[SectionPlan, ...], contents: Mapping[str, str] | None) -> None:
    """Content for sections that the template names, and, where any is given, for all that it requires."""
    if contents is None:
        return
    names = {plan.id for plan in plans}
    for name in contents:
        if name not in names:
            raise InvalidInput(f"sections.{name}", f"is not in the template, which has {', '.join(sorted(names))}")
    for plan in plans:
        if plan.required and not contents.get(plan.id, "").strip():
            raise InvalidInput(f"sections.{plan.id}", "is required by the template")


def _actor(scope: Scope) -> str | None:
    return scope.agent_id or scope.user_id


async def update_section(desk: Desk, scope: Scope, id: UUID, name: object, text: object) -> Active:
    """Give a section another text: one atomic statement that adds 1 to its count.

    Every update asks for the migration, and that counts: of updates that come at once none sees the others.
    """
    section = check.identifier("section", name)
    content = check.text("text", text, most_bytes=desk.settings.message_bytes, empty=True)
    space, now = scope.space, desk.clock()
    async with desk.database.transaction(space) as connection:
        known = await _own(connection, scope, id)
        _check_update(known, section, content)
        values = {"space": space, "id": id, "name": section, "content": content, "now": now}
        cursor = await connection.execute(
            store.QUERIES["update_section"], values | {"position": len(known.sections) + 1}
        )
        row = await cursor.fetchone()
        number = row.updates if row else 0
        await connection.execute(store.QUERIES["log_text"], values | {"number": number, "actor": _actor(scope)})
        updated = await _found(connection, space, id)
        await records.act(connection, space, now, "UPDATE", "update_section", [id], _acting(scope))
        await enqueue_on(connection, MIGRATE_TASK, space)
    return updated


def _check_update(known: Active, section: str, content: str) -> None:
    if known.status == "ended":
        raise Conflict(f"active memory {known.id} has ended")
    is_new = section not in known.sections
    if is_new and known.template is not None:
        raise InvalidInput("section", f"{section!r} is not in the template, which has {', '.join(known.sections)}")
    if is_new and len(known.sections) >= templates.MOST_SECTIONS:
        raise InvalidInput("section", f"would be one more than {templates.MOST_SECTIONS}")
    if not content.strip() and not is_new and known.sections[section].required:
        raise InvalidInput("text", f"is empty, and the template requires section {section!r}")


async def actives(desk: Desk, scope: Scope, agent: object, *, ended: bool) -> list[Active]:
    """The active memories of an agent: the named one, else the scope's own, else all of the space."""
    whose = scope.agent_id if agent is None else check.identifier("agent", agent)
    if scope.categories is not None and whose != scope.agent_id:
        raise NotAllowed(f"agent {whose}", f"the scope is bound to agent {scope.agent_id}")
    async with desk.database.transaction(scope.space) as connection:
        return await store.listed(connection, scope.space, whose, ended=ended)


async def get(desk: Desk, scope: Scope, id: UUID) -> Active:
    """One active memory of the scope's space, ended or not."""
    async with desk.database.transaction(scope.space) as connection:
        return await _seen(connection, scope, id)


async def texts(desk: Desk, scope: Scope, id: UUID) -> list[SectionText]:
    """Every text that its sections ever had, those that were overwritten before they migrated too."""
    async with desk.database.transaction(scope.space) as connection:
        await _seen(connection, scope, id)
        return await store.texts(connection, scope.space, id)


async def _found(connection: Connection, space: str, id: UUID) -> Active:
    found = await store.get(connection, space, id)
    if found is None:
        raise NotFound(f"there is no active memory {id}")
    return found


async def _seen(connection: Connection, scope: Scope, id: UUID) -> Active:
    """One that the scope may see: an agent with an allowlist has its own notes, and nobody else's."""
    found = await _found(connection, scope.space, id)
    if scope.categories is not None and found.agent_id not in (None, scope.agent_id):
        raise NotFound(f"there is no active memory {id}")
    return found


async def _own(connection: Connection, scope: Scope, id: UUID) -> Active:
    """One that the scope may change, held: an agent's notes are its own, and its user's."""
    found = await store.get(connection, scope.space, id, hold=True)
    if found is None:
        raise NotFound(f"there is no active memory {id}")
    if scope.agent_id is not None and found.agent_id not in (None, scope.agent_id):
        raise NotAllowed(f"active memory {id}", f"it is the work of agent {found.agent_id}")
    return found


async def end(desk: Desk, scope: Scope, id: UUID) -> Active:
    """The task is over: nothing more is written; what has not landed yet, first words too, is migrated."""
    at = {"space": scope.space, "id": id, "now": desk.clock()}
    async with desk.database.transaction(scope.space) as connection:
        await _own(connection, scope, id)
        await connection.execute(store.QUERIES["end"], at)
        await connection.execute(store.QUERIES["end_sections"], at)
        ended = await _found(connection, scope.space, id)
        if any(section.update_count for section in ended.sections.values()):
            await enqueue_on(connection, MIGRATE_TASK, scope.space)
    return ended
