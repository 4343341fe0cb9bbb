"""One script of every verb, how a face plays it, and what of the answers is compared. The faces are in `faces.py`."""

import json
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from recollect import client, memory, sync
from recollect.core.errors import RecollectError
from recollect.memory import Hits
from recollect.wire.verbs import VERBS, Verb

ROWS_OF = {verb.id: verb for verb in VERBS}
RULES = """
categories: {system: [{name: profile, context: all}], custom: [{name: tasks}]}
allowlists: {planner: [tasks, goals], open: [tasks, goals, knowledge, preferences, activity, profile, event]}
"""
ELSEWHERE = UUID("0198a3c2-0000-7000-8000-00000000beef")
"""A memory of somebody else."""
GIVEN = UUID("0198a3c2-0000-7000-8000-000000000001")
AT = datetime(2026, 3, 1, 12, tzinfo=UTC)

Kept = dict[str, Any]
Play = Callable[[Verb, Mapping[str, Any], dict[str, Any]], Awaitable[Any]]
"""A call of a verb, for a scope, with what is given."""


@dataclass(frozen=True)
class Row:
    """One call: of which verb, with what, by whom, and what of the answer later rows need."""

    verb: str
    given: Mapping[str, Any] | Callable[[Kept], Mapping[str, Any]] = field(default_factory=dict)
    keep: tuple[str, Callable[[Any], Any]] | None = None
    scope: Mapping[str, Any] = field(default_factory=dict)
    sql: str | None = None
    """What the owner changes before, where no verb leads there."""
    look: Callable[[Any], Any] = lambda value: value
    """What of the answer is compared."""
    unsaid: Mapping[str, str] = field(default_factory=dict)
    """The faces that have no words for it, and why; there the library does it, so that what follows is the same."""

    def arguments(self, kept: Kept) -> dict[str, Any]:
        return dict(self.given(kept) if callable(self.given) else self.given)


def _id(value: Any) -> Any:
    return value["id"] if isinstance(value, dict) else value.id


def _of_what(line: str) -> tuple[str, str]:
    """A line of a whole export, whose rows tell how long things took: of what it is."""
    told = json.loads(line)
    return told["record"], told.get("table", "")


def _first(value: Any) -> Any:
    return _id(value[0])


def _failures(work: Any) -> Any:
    """Of how work stands: workers and what is due differ from one process to the next."""
    queue = work["queue"] if isinstance(work, dict) else work.queue
    return [job for job in queue if (job["state"] if isinstance(job, dict) else job.state) == "failed"]


_PLANNER = {"agent_id": "planner"}

SCRIPT: tuple[Row, ...] = (
    # Memories
    Row("add", {"content": "Alice prefers tea.", "type": "preference", "id": GIVEN, "tags": ("drink",)}),
    Row("add", {"content": "Alice prefers coffee.", "id": str(GIVEN)}),
    Row("add", {"content": "Paint the boat blue.", "category": "tasks", "valid_from": AT, "metadata": {"n": [1, None]}},
        ("task", _id)),
    Row("add", {"content": [{"role": "user", "content": "I own a boat.", "at": AT}]}, scope={"thread_id": "desk"}),
    Row("add", {"content": "x", "colour": "blue"}),
    Row("add", {"content": ""}),
    Row("add", {"content": 5}, unsaid={"terminal": "whatever is typed is a text"}),
    Row("add", {"content": "x\x00"}),
    Row("add", {"content": "x", "importance": 2}),
    Row("add", {"content": "x", "valid_from": datetime(2026, 3, 1)}),
    Row("add", {"content": [{"role": "user", "content": "hi"}]}, unsaid={"mcp": "assistants share a conversation"}),
    Row("add_many", {"memories": [{"content": "The boat was built in 1962."}, {"content": "The boat is of wood."}]}),
    Row("add_many", {"memories": [{"content": "fine"}, {"content": ""}]}),
    Row("search", {"query": "boat", "limit": 3}),
    Row("search", {"query": "tea", "kinds": ["statement"], "since": "2026-01-01", "weights": {"recency": 0}},
        unsaid={"mcp": "weights are no matter for a model"}),
    Row("search", {"query": "boat", "limit": 0}),
    Row("search", {"query": "boat", "colour": "blue"}),
    Row("search", {"query": "boat", "categories": ["knowledge"]}, scope=_PLANNER),
    Row("search", {"query": "boat", "after": "nonsense"}),
    Row("search_many", {"queries": ["tea", "boat"], "limit": 1}),
    Row("search_many", {"queries": ["tea", {"query": "boat", "limit": 1}], "kinds": ["statement"]},
        unsaid={"terminal": "options are for all questions"}),
    Row("search_many", {"queries": []}, unsaid={"terminal": "a command that is given nothing says what it needs"}),
    Row("query", {"query": "boat"}),
    Row("query", {"query": "boat", "return_": "full", "top_k": 2}),
    Row("query", {"query": "boat", "categories": ["knowledge"], "agent": "planner"}),
    Row("get", {"id": GIVEN}),
    Row("get", {"id": ELSEWHERE}),
    Row("get", {"id": "nonsense"}),
    Row("get_all", {"limit": 2}),
    Row("get_all", {"tags": ["drink"], "after": None}),
    Row("update", {"id": GIVEN, "content": "Alice prefers green tea.", "if_version": 1}),
    Row("update", {"id": GIVEN, "content": "Alice prefers black tea.", "if_version": 1}),
    Row("update", {"id": ELSEWHERE, "content": "mine"}),
    Row("update", {"id": GIVEN, "colour": "blue"}),
    Row("history", {"id": GIVEN}),
    Row("feedback", {"id": GIVEN, "verdict": "useful"}),
    Row("feedback", {"id": GIVEN, "verdict": "splendid"}),
    Row("delete", lambda k: {"id": k["task"], "reason": "done"}),
    Row("delete", {"id": ELSEWHERE}),
    Row("restore", lambda k: {"id": k["task"]}),
    Row("delete_all", {"tags": ["nothing has this"]}),
    Row("audit"),
    Row("revision"),
    Row("overview", {"days": 2}),
    Row("overview", {"days": 0}),
    Row("deleted", {"limit": 1}),
    Row("timezone"),
    Row("work", look=_failures),
    Row("templates"),
    Row("spend", {"days": 2}),
    Row("guide", {"instructions": "Look for boats.", "entity_types": ["boat"]}),
    # The profile
    Row("set_profile", {"type": "identity", "key": "name", "value": "Alice"}),
    Row("set_profile", {"type": "nonsense", "key": "name", "value": "Alice"}),
    Row("profile"),
    Row("consents", {"status": None}, ("consent", _first), sql=(
        "insert into recollect.consent (space_id, id, type, key, value, confidence, importance, reason, said_at,"
        " proposed_at, expires_at) values ('user:alice', gen_random_uuid(), 'identity', 'city', 'Porto', 0.6, 0.8,"
        " 'said', '2026-01-01Z', '2026-01-01Z', '2099-01-01Z')")),
    Row("decide", lambda k: {"consent_id": k["consent"], "accept": True}),
    Row("decide", lambda k: {"consent_id": k["consent"], "accept": False}),
    Row("pending"),
    # Conversations
    Row("get_conversation", {"thread_id": "talk"}),
    Row("conversation", {"thread_id": "talk", "title": "A talk"}),
    Row("conversation", {"thread_id": "talk", "remember": False}),
    Row("conversation"),
    Row("get_conversation", {"thread_id": "talk"}),
    Row("chat_add", {"role": "user", "content": "My name is Alice.", "name": "Alice", "at": AT}),
    Row("chat_add", {"role": "assistant", "content": [{"type": "text", "text": "Hello."}], "metadata": {"n": 1.5}}),
    Row("chat_add", {"role": "narrator", "content": "x"}),
    Row("chat_add_many", {"messages": [{"role": "user", "content": "We decided to sell the boat."}]}),
    Row("chat_messages", {"first": 1, "limit": 2}),
    Row("chat_messages", {"limit": 0}),
    Row("drain", {"timeout": 60}),
    Row("chat_context", {"question": "What is my name?", "tokens": 2000}),
    Row("chat_context", {"question": "What is my name?", "tokens": 2000, "system": "Be kind.", "extra": ["Today."]},
        unsaid={"mcp": "an assistant has them already"}),
    Row("chat_context", {"question": "What is my name?", "tokens": 3}),
    Row("chat_ack", {"offered": {"user:alice": 1}}),
    Row("chat_ack", {"offered": {"user:bob": 1}}),
    Row("chat_ack"),
    Row("chat_retract", {"turn": 1, "replace": "My name is Alice Doe."}),
    Row("chat_retract", {"turn": 99}),
    Row("chat_narrative_arc"),
    Row("chat_pause"),
    Row("chat_resume"),
    Row("chat_end", {"outcome": "The boat is sold."}),
    Row("conversations", {"status": "ended"}, ("ended", _first)),
    Row("find_conversation", lambda k: {"conversation_id": k["ended"]}),
    Row("find_conversation", {"conversation_id": ELSEWHERE}),
    Row("conversations", {"status": "nonsense"}),
    # Sources and the graph
    Row("ingest", {"raw": "Zelda Quist works at Doppler Group. Rupert Vane works at Orbital Labs.", "title": "People"},
        ("source", _id)),
    Row("ingest", {"raw": "x", "team_id": "others"}, unsaid={"terminal": "who names a team there is of it"}),
    Row("drain"),
    Row("sources"),
    Row("promote", lambda k: {"id": k["source"]}),
    Row("chunk_history", lambda k: {"source_id": k["source"]}),
    Row("nodes", {"kind": "person"}, ("people", lambda found: [_id(each) for each in found])),
    Row("relate", lambda k: {"a_id": k["people"][0], "b_id": k["people"][1], "type": "knows", "description": "School."},
        ("relation", _id)),
    Row("update_relation", lambda k: {"id": k["relation"], "description": "From work."}),
    Row("relations", lambda k: {"id": k["people"][0]}),
    Row("traverse", lambda k: {"node_id": k["people"][0], "depth": 1}),
    Row("path", lambda k: {"a_id": k["people"][0], "b_id": k["people"][1]}),
    Row("path", lambda k: {"a_id": k["people"][0], "b_id": str(ELSEWHERE)}),
    Row("match", {"pattern": [("person", "works_at", "entity")], "names": {0: "Zelda Quist"}}),
    Row("explore", {"queries": ["Zelda Quist"], "granularity": 1}),
    Row("explore", {"queries": ["x"], "granularity": 9}),
    Row("end_relation", lambda k: {"id": k["relation"]}),
    Row("add_note", lambda k: {"id": k["people"][0], "text": "Tall.", "lifetime": "year"}, ("note", _id)),
    Row("update_note", lambda k: {"id": k["note"], "text": "Very tall."}),
    Row("notes", lambda k: {"id": k["people"][0]}),
    Row("remove_note", lambda k: {"id": k["note"]}),
    Row("merge", lambda k: {"a_id": k["people"][0], "b_id": k["people"][1]}, ("merge", _id)),
    Row("merges", {"status": None}),
    Row("unmerge", lambda k: {"id": k["merge"]}),
    Row("resolve_merge", lambda k: {"id": k["merge"], "accept": True}),
    Row("retry_source", lambda k: {"source_id": k["source"]}),
    Row("leave_team", {"team_id": "crew"}, scope={"team_ids": ["crew"]}),
    Row("leave_team", {"team_id": "others"}),
    # Working notes
    Row("create_active", {"title": "Trip", "sections": {"plan": "Pack."}}, ("active", _id), scope={"agent_id": "open"}),
    Row("update_section", lambda k: {"active_id": k["active"], "section": "plan", "text": "Maria brings the tents."},
        scope={"agent_id": "open"}),
    Row("update_section", lambda k: {"active_id": k["active"], "section": "nonsense", "text": "x"},
        scope={"agent_id": "open"}),
    Row("actives", scope={"agent_id": "open"}),
    Row("get_active", lambda k: {"active_id": k["active"]}, scope={"agent_id": "open"}),
    Row("section_history", lambda k: {"active_id": k["active"]}, scope={"agent_id": "open"}),
    Row("migrate", scope={"agent_id": "open"}),
    Row("end_active", lambda k: {"active_id": k["active"]}, scope={"agent_id": "open"}),
    Row("reviews", {"status": None}),
    Row("resolve", {"review_id": ELSEWHERE, "resolution": "keep_new"}),
    # Checkpoints
    Row("save_checkpoint", {"state": {"step": 1, "seen": [None, 1.5, "é"]}}, scope={"thread_id": "run"}),
    Row("save_checkpoint", {"state": [], "if_version": 7}, scope={"thread_id": "run"}),
    Row("save_checkpoint", {"state": 1}),
    Row("load_checkpoint", scope={"thread_id": "run"}),
    Row("checkpoint", {"version": 1}, scope={"thread_id": "run"}),
    Row("checkpoint", {"version": 5}, scope={"thread_id": "run"}),
    Row("checkpoints", scope={"thread_id": "run"}),
    Row("delete_checkpoints", scope={"thread_id": "run"}),
    # Replay
    Row("replay", {"thread": "talk"}, ("replay", _id)),
    Row("replay", scope=_PLANNER),
    Row("replays"),
    Row("get_replay", lambda k: {"replay_id": k["replay"]}),
    Row("accept_replay", lambda k: {"replay_id": k["replay"], "changes": []}),
    Row("discard_replay", lambda k: {"replay_id": k["replay"]}),
    # Changes, coming and going
    Row("watch", {"after": 0}),
    Row("watch", {"after": -1}),
    Row("export", {"plain": True}, ("lines", list)),
    Row("export", look=lambda lines: [_of_what(line) for line in lines]),
    Row("import_lines", lambda k: {"lines": k["lines"]}, scope={"user_id": "carol"}),
    Row("import_lines", {"lines": ["nonsense"]}),
    # Forgetting
    Row("forget", {"query": "boat", "dry_run": True}),
    Row("forget", {"query": "boat"}, unsaid={"mcp": "without a token it only looks"}),
    Row("forget", {"message": ("talk", 3)}),
    Row("forget", {"id": GIVEN}),
    Row("forget", {"id": ELSEWHERE}),
    Row("forget", {"id": GIVEN}, scope=_PLANNER),
    Row("tombstones", {}, ("stone", _first)),
    Row("lift", lambda k: {"tombstone_id": k["stone"]}),
    Row("add", {"content": "Alice prefers green tea."}),
    # All spaces
    Row("run_job", {"name": "decay"}),
    Row("run_job", {"name": "nonsense"}),
    Row("jobs", look=_failures),
    Row("retry_job", {"id": 10**9}),
    Row("spaces", look=lambda found: [each["space"] if isinstance(each, dict) else each.space for each in found]),
    Row("graph_status"),
    Row("rebuild_graph"),
    Row("verify_graph"),
    Row("make_key", {"name": "laptop", "user_id": "alice", "team_ids": ["crew"]}, ("key", lambda made: _id(
        made["key"] if isinstance(made, dict) else made.key))),
    Row("make_key", {"name": "laptop"}, unsaid={"terminal": "who names nobody is `me`"}),
    Row("rotate_key", lambda k: {"id": k["key"]}),
    Row("keys"),
    Row("revoke_key", lambda k: {"id": k["key"]}),
    Row("revoke_key", {"id": ELSEWHERE}),
)  # fmt: skip


# What is compared ------------------------------------------------------------------------------------------

_VARIES = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|rcl_[0-9a-f]{10}(?:_[\w-]+)?|(?<='token': ')[^']+"
    r"|(?<='id': ')[0-9a-f]{10}(?=')"
)
# A server's caller uses a key with every call, the library none; how rare a word is depends on when words were counted.
_USED = re.compile(r"'last_used_at': [^,]+, 'uses': \d+|'evidence': [\d.e-]+")


def steady(text: str) -> str:
    """A text in which ids and secrets, which are drawn by lot, are numbered as they come."""
    numbers: dict[str, int] = {}
    return _USED.sub("", _VARIES.sub(lambda found: f"#{numbers.setdefault(found[0], len(numbers))}", text))


def shape(value: Any) -> Any:
    """A value with the names of its types, in words that can be compared."""
    if isinstance(value, Hits):
        return ["Hits", *map(shape, value), *value.warnings]
    if isinstance(value, memory.Context | client.Context | sync.Context):
        told = (value.text, value.tokens, value.stable_prefix, value.warnings, value.recall_advised, value.offered)
        return ["Context", *told, shape(value.hits), value.to_openai(), value.to_anthropic()]
    if isinstance(value, memory.Chat | client.Chat | sync.Chat):
        return ["Chat", shape(value.conversation)]
    if is_dataclass(value):
        return [type(value).__name__, {each.name: shape(getattr(value, each.name)) for each in fields(value)}]
    if isinstance(value, dict):
        return {str(key): shape(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [type(value).__name__, *map(shape, value)]
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return round(value, 9) if isinstance(value, float) else str(value) if isinstance(value, UUID) else value


@dataclass(frozen=True)
class Played:
    """What became of a row."""

    typed: str
    """With the types of Python, where there are any."""
    written: str
    """As JSON."""
    told: Any = None
    """The same before it was made steady; None of what was refused."""

    def seen(self, view: Callable[[Any], Any]) -> str:
        """What a face that tells less tells of it."""
        return self.written if self.told is None else steady(repr(view(self.told)))


@dataclass(frozen=True)
class Face:
    """A way in: how it plays a row, and what to compare of what it tells."""

    name: str
    play: Play
    typed: bool = False
    """Whether it answers in the types of Python."""
    verbs: frozenset[str] = frozenset(ROWS_OF)
    """Those that it has; the library does the others."""
    told: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    """Where it tells less than the library: that much of what the library told."""

    def says(self, row: Row) -> bool:
        return row.verb in self.verbs and self.name not in row.unsaid

    def compared(self, row: Row, library: Played, own: Played) -> Iterator[tuple[str, str]]:
        """What the library told of a row and what this face did: equal where they agree."""
        if self.typed:
            yield library.typed, own.typed
        yield library.seen(self.told.get(row.verb, lambda told: told)), own.written


async def play_all(
    face: Face, library: Play, run_sql: Callable[[str], None], settle: Callable[[], Awaitable[None]]
) -> list[Played | None]:
    """The whole script, by one face; what it does off the answer path is waited for. None where it has no words."""
    kept: Kept = {}
    played = list[Played | None]()
    for row in SCRIPT:
        if row.sql is not None:
            run_sql(row.sql)
        await settle()
        played.append(await _play(face, library, row, kept))
    return played


async def _play(face: Face, library: Play, row: Row, kept: Kept) -> Played | None:
    verb, says = ROWS_OF[row.verb], face.says(row)
    scope = {} if verb.admin else {"user_id": "alice", **row.scope}
    try:
        value = await (face.play if says else library)(verb, scope, row.arguments(kept))
    except (RecollectError, TypeError) as error:
        told = f"{type(error).__name__} {getattr(error, 'field', '')}"
        return Played(told, told) if says else None
    if row.keep is not None:
        kept[row.keep[0]] = row.keep[1](value)
    if not says:
        return None
    value = row.look(value)
    told = _rounded(value if verb.streams else _written(verb, value, typed=face.typed))
    return Played(steady(repr(shape(value))), steady(repr(told)), told)


def _written(verb: Verb, value: Any, *, typed: bool) -> Any:
    if not typed:
        return value
    return json.loads(verb.write(_unfaced(value)))


def _unfaced(value: Any) -> Any:
    """The faces of conversations stand for what they hold."""
    if isinstance(value, sync.Chat | client.Chat):
        return value.conversation
    if isinstance(value, sync.Context):
        return value._inner
    if isinstance(value, client.Context):
        return value._told
    return value


def _rounded(value: Any) -> Any:
    if is_dataclass(value):
        return {each.name: _rounded(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return round(value, 9) if isinstance(value, float) else str(value) if isinstance(value, UUID) else value
