"""Examples of requests, and which answers lead to which requests."""

from typing import Any

from recollect.wire.verbs import Verb

_ID = "0198a3c2-5d7e-7c3a-9b1f-2f6f0c1d4e5a"
_OTHER = "0198a3c2-6f10-7b44-8c2e-71d5a9e03b6c"
_VALUES: dict[str, Any] = {
    "query": "What does Alice drink?",
    "queries": ["job search"],
    "content": "Alice prefers tea.",
    "memories": [{"content": "Alice prefers tea.", "type": "preference"}],
    "messages": [{"role": "user", "content": "I moved to Lisbon."}],
    "question": "Where do I live?",
    "role": "user",
    "turn": 1,
    "verdict": "useful",
    "type": "works_with",
    "key": "city",
    "value": "Lisbon",
    "accept": True,
    "a_id": _ID,
    "b_id": _OTHER,
    "pattern": [["person", "works_at", "entity"]],
    "title": "Plan the trip",
    "section": "progress",
    "text": "The tents are packed.",
    "resolution": "keep_new",
    "state": {"step": 3},
    "raw": "Sarah Chen joined Acme Corp as a designer in March.",
    "team_id": "crew",
    "name": "decay",
}
_OWN: dict[str, dict[str, Any]] = {
    "chat_add": {"role": "user", "content": "My name is Alice.", "name": "Alice"},
    "conversation": {"thread_id": "chat-1"},
    "get_conversation": {"thread_id": "chat-1"},
    "search": {"query": "What does Alice drink?", "limit": 5, "kinds": ["statement"]},
    "forget": {"query": "Project Nightingale", "dry_run": True},
    "set_profile": {"type": "identity", "key": "city", "value": "Lisbon"},
    "update": {"id": _ID, "content": "Alice prefers green tea."},
    "make_key": {"name": "laptop", "user_id": "alice"},
    "drain": {"timeout": 10},
    "retry_job": {"id": 17},
}


def example_of(verb: Verb) -> dict[str, Any]:
    """Arguments that a request might have."""
    if verb.id in _OWN:
        return _OWN[verb.id]
    needed = (argument.name for argument in verb.arguments if argument.required)
    return {name: _VALUES.get(name, _ID) for name in needed}


_OF_A_MEMORY = ("get", "history", "update", "delete", "restore", "relations", "notes", "add_note", "feedback")
_MEMORY = tuple(("/id", verb, "id") for verb in _OF_A_MEMORY)
LINKS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "add": _MEMORY,
    "get": (("/id", "history", "id"), ("/id", "forget", "id")),
    "ingest": (("/id", "promote", "id"), ("/id", "chunk_history", "source_id"), ("/id", "retry_source", "source_id")),
    "get_all": (("/next", "get_all", "after"),),
    "search": (("/hits/0/memory/id", "get", "id"), ("/hits/0/memory/id", "feedback", "id")),
    "nodes": (("/0/id", "traverse", "node_id"), ("/0/id", "notes", "id"), ("/0/id", "relations", "id")),
    "create_active": (("/id", "get_active", "active_id"), ("/id", "section_history", "active_id")),
    "actives": (("/0/id", "end_active", "active_id"),),
    "add_note": (("/id", "update_note", "id"), ("/id", "remove_note", "id")),
    "relate": (("/id", "update_relation", "id"), ("/id", "end_relation", "id")),
    "consents": (("/0/id", "decide", "consent_id"),),
    "reviews": (("/0/id", "resolve", "review_id"),),
    "tombstones": (("/0/id", "lift", "tombstone_id"),),
    "merges": (("/0/id", "resolve_merge", "id"), ("/0/id", "unmerge", "id")),
    "replay": (("/id", "get_replay", "replay_id"), ("/id", "discard_replay", "replay_id")),
    "save_checkpoint": (("/version", "checkpoint", "version"), ("/version", "load_checkpoint", "version")),
}
"""By verb: where an answer has an id, and which argument of which verb takes it."""
