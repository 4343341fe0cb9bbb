"""Every public write leaves a line of history and an event; the verbs are read from the classes, so that none is left
out."""

import inspect
from uuid import UUID

import psycopg
import pytest

from recollect.memory import Chat, Recollect, ScopedMemory

# Verbs that change nothing, or nothing that somebody said: they look, carry out, or run what others began.
READING = {
    "actives", "chunk_history", "consents", "context", "conversations", "export", "explore", "get", "get_active",
    "get_all", "history", "merges", "messages", "narrative_arc", "nodes", "notes", "path", "pending", "profile",
    "relations", "reviews", "search", "search_many", "section_history", "sources", "templates", "tombstones",
    "traverse", "watch",
    "audit", "checkpoint", "checkpoints", "get_replay", "load_checkpoint", "match", "query", "replay",
    "replays", "spend", "deleted", "find_conversation", "work", "overview", "timezone",
    "ack", "get_conversation", "revision",
}  # fmt: skip
OF_ALL = {
    *("backup", "close", "drain", "restore", "run_job", "scope", "graph_status", "rebuild_graph", "verify_graph"),
    *("jobs", "retry_job", "spaces", "make_key", "keys", "rotate_key", "revoke_key"),
}
# Each state that a program saves is a version that says who saved it when; a replay is told in its own tests.
OWN_LOG = {"save_checkpoint", "accept_replay", "discard_replay"}


def verbs(*classes: type) -> set[str]:
    return {name for each in classes for name, member in inspect.getmembers(each, inspect.isfunction) if name[0] != "_"}


class Desk:
    """A space in which every verb has something to do."""

    def __init__(self, rc: Recollect) -> None:
        self.rc = rc
        self.me = rc.scope(user_id="alice", agent_id="planner", thread_id="desk", team_ids=["crew"])

    async def chat(self) -> Chat:
        return await self.me.conversation("chat")

    async def memory(self) -> UUID:
        return (await self.me.add("Alice owns a boat.")).id

    async def people(self) -> list[UUID]:
        await self.me.ingest("Zelda Quist works at Doppler Group. Rupert Vane works at Orbital Labs.")
        await self.rc.drain()
        return [(await self.me.nodes(name=name))[0].id for name in ("Zelda Quist", "Rupert Vane")]

    async def relation(self) -> UUID:
        return (await self.me.relate(*await self.people(), "knows", description="From school.")).id

    async def note(self) -> UUID:
        return (await self.me.add_note(await self.memory(), "It leaks.")).id

    async def active(self) -> UUID:
        return (await self.me.create_active("Trip", sections={"plan": "Pack."})).id

    async def updated(self) -> UUID:
        id = await self.active()
        await self.me.update_section(id, "plan", "Maria brings the tents.")
        return id

    async def merge(self) -> UUID:
        return (await self.me.merge(*await self.people())).id

    async def stone(self) -> UUID:
        return (await self.me.forget(await self.memory())).tombstones[0]

    async def lines(self) -> list[str]:
        other = self.rc.scope(user_id="bob")
        await other.add("Bob owns a kite.")
        return [line async for line in other.export()]


async def _update(desk):
    id = await desk.memory()
    return lambda: desk.me.update(id, content="Alice owns two boats.")


async def _delete(desk):
    id = await desk.memory()
    return lambda: desk.me.delete(id)


async def _delete_checkpoints(desk):
    await desk.me.save_checkpoint({"step": 1})
    return desk.me.delete_checkpoints


async def _delete_all(desk):
    await desk.memory()
    return lambda: desk.me.delete_all(kinds=["statement"])


async def _restore(desk):
    id = await desk.memory()
    await desk.me.delete(id)
    return lambda: desk.me.restore(id)


async def _forget(desk):
    id = await desk.memory()
    return lambda: desk.me.forget(id)


async def _lift(desk):
    id = await desk.stone()
    return lambda: desk.me.lift(id)


async def _promote(desk):
    id = (await desk.me.ingest("The bridge is closed.")).id
    await desk.rc.drain()
    return lambda: desk.me.promote(id)


async def _decide(desk):
    chat = await desk.chat()
    await chat.add("user", "Zoe says Alice's pronouns are she/her.", name="Zoe")
    await desk.rc.drain()
    with psycopg.connect(desk.rc.database_url) as owner:
        owner.execute(
            "insert into recollect.consent (space_id, id, type, key, value, confidence, importance, reason, said_at,"
            " proposed_at, expires_at) values ('user:alice', gen_random_uuid(), 'identity', 'city', 'Porto', 0.6, 0.8,"
            " 'said', '2026-01-01Z', '2026-01-01Z', '2099-01-01Z')"
        )
    [first, *_] = await desk.me.consents()
    return lambda: desk.me.decide(first.id, accept=True)


async def _update_section(desk):
    id = await desk.active()
    return lambda: desk.me.update_section(id, "plan", "Pack tents.")


async def _end_active(desk):
    id = await desk.updated()
    return lambda: desk.me.end_active(id)


async def _migrate(desk):
    await desk.updated()
    return desk.me.migrate


async def _resolve(desk):
    id = await desk.updated()
    await desk.me.migrate()
    await desk.me.update_section(id, "plan", "Maria does not bring the tents.")
    await desk.me.migrate()
    [review, *_] = await desk.me.reviews()
    return lambda: desk.me.resolve(review.id, "keep_new")


async def _add_note(desk):
    id = await desk.memory()
    return lambda: desk.me.add_note(id, "It leaks.")


async def _update_note(desk):
    id = await desk.note()
    return lambda: desk.me.update_note(id, "It sinks.")


async def _remove_note(desk):
    id = await desk.note()
    return lambda: desk.me.remove_note(id)


async def _relate(desk):
    ends = await desk.people()
    return lambda: desk.me.relate(*ends, "knows")


async def _update_relation(desk):
    id = await desk.relation()
    return lambda: desk.me.update_relation(id, description="From work.")


async def _end_relation(desk):
    id = await desk.relation()
    return lambda: desk.me.end_relation(id)


async def _feedback(desk):
    id = await desk.memory()
    return lambda: desk.me.feedback(id, "useful")


async def _merge(desk):
    ends = await desk.people()
    return lambda: desk.me.merge(*ends)


async def _unmerge(desk):
    id = await desk.merge()
    return lambda: desk.me.unmerge(id)


async def _resolve_merge(desk):
    ends = await desk.people()
    with psycopg.connect(desk.rc.database_url) as owner:
        owner.execute(
            "insert into recollect.node_merge (space_id, id, kept_id, gone_id, status, proposed_at)"
            " values ('user:alice', gen_random_uuid(), %s, %s, 'proposed', now())",
            ends,
        )
    [proposed] = await desk.me.merges()
    return lambda: desk.me.resolve_merge(proposed.id, accept=True)


async def _retry_source(desk):
    id = (await desk.me.ingest("The bridge is closed.")).id
    with psycopg.connect(desk.rc.database_url) as owner:
        owner.execute("update recollect.source set failed = 'x', attempts = 9 where id = %s", [id])
    return lambda: desk.me.retry_source(id)


async def _leave_team(desk):
    await desk.me.ingest("The dam is closed.", team_id="crew")
    await desk.rc.drain()
    await desk.me.search("dam", kinds=["chunk"])
    await desk.rc.drain()
    return lambda: desk.me.leave_team("crew")


async def _import_lines(desk):
    lines = await desk.lines()
    carl = desk.rc.scope(user_id="carl")
    return lambda: carl.import_lines(lines)


async def _retract(desk):
    chat = await desk.chat()
    await chat.add("user", "I own a boat.")
    await desk.rc.drain()
    return lambda: chat.retract(1)


def _of_chat(verb, *given):
    async def ready(desk):
        chat = await desk.chat()
        await chat.add("user", "I own a boat.")
        await desk.rc.drain()
        return lambda: getattr(chat, verb)(*given)

    return ready


def _plain(verb, *given, **named):
    async def ready(desk):
        return lambda: getattr(desk.me, verb)(*given, **named)

    return ready


WRITES = {
    "add": _plain("add", "Alice likes plums."),
    "add_many": _plain("add_many", [{"content": "Alice likes plums."}]),
    "add_note": _add_note,
    "conversation": _plain("conversation", "another"),
    "create_active": _plain("create_active", "Trip"),
    "decide": _decide,
    "delete": _delete,
    "delete_checkpoints": _delete_checkpoints,
    "delete_all": _delete_all,
    "end": _of_chat("end"),
    "end_active": _end_active,
    "end_relation": _end_relation,
    "feedback": _feedback,
    "forget": _forget,
    "guide": _plain("guide", instructions="Look for boats."),
    "import_lines": _import_lines,
    "ingest": _plain("ingest", "The bridge is closed."),
    "leave_team": _leave_team,
    "lift": _lift,
    "merge": _merge,
    "migrate": _migrate,
    "pause": _of_chat("pause"),
    "promote": _promote,
    "relate": _relate,
    "remove_note": _remove_note,
    "resolve": _resolve,
    "resolve_merge": _resolve_merge,
    "restore": _restore,
    "resume": _of_chat("resume"),
    "retract": _retract,
    "retry_source": _retry_source,
    "set_profile": _plain("set_profile", "identity", "name", "Alice"),
    "unmerge": _unmerge,
    "update": _update,
    "update_note": _update_note,
    "update_relation": _update_relation,
    "update_section": _update_section,
}


def test_every_verb_is_known() -> None:
    assert verbs(ScopedMemory, Chat) == READING | OWN_LOG | set(WRITES)
    assert verbs(Recollect) == OF_ALL


def told(rc: Recollect) -> tuple[set[tuple[str, UUID]], set[tuple[str, UUID]]]:
    """The lines of history and the events that there are."""
    with psycopg.connect(rc.database_url) as owner:
        lines, events = (
            set(owner.execute(f"select space_id, id from recollect.{table}").fetchall())
            for table in ("history", "event")
        )
    return lines, events


@pytest.mark.parametrize("verb", sorted(WRITES))
async def test_a_write_is_in_history_and_events(mind: Recollect, verb: str) -> None:
    write = await WRITES[verb](Desk(mind))
    await mind.drain()
    before = told(mind)
    await write()
    at_once = told(mind)
    await mind.drain()
    after = told(mind)
    for what, old, soon, late in zip(("line of history", "event"), before, at_once, after, strict=True):
        assert (soon | late) - old, f"no {what}"


async def test_messages_are_in_history_when_they_are_searchable(mind: Recollect) -> None:
    chat = await Desk(mind).chat()
    message = await chat.add("user", "I own a boat.")
    await mind.drain()
    assert [line.event for line in await Desk(mind).me.history(message.id)] == ["ADD"]
