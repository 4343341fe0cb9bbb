"""A key for one space can do nothing in another, whatever the route: they are read from the server itself."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from starlette.routing import Route

from recollect import Recollect
from recollect.server.app import create_app
from recollect.server.examples import example_of
from recollect.server.gate import Gate
from recollect.wire.verbs import VERBS, Verb
from serving import caller, served

SECRET = "Zyxomma"
OPEN = {"/healthz", "/readyz", "/v1/openapi.json"}
"""What anybody may see: it tells of nobody."""
OTHERS = {"/metrics", "/v1/whoami", "/v1/{path:path}"}
"""Of the server itself; the last answers what nothing else does."""
PLACES = {"after", "source"}
"""Ids that say from where on, or of which source: what is not there leaves nothing to be listed."""


async def bobs(rc: Recollect) -> dict[str, str]:
    """A memory of somebody else, in which everything carries one word; ids by what they are of."""
    bob = rc.scope(user_id="bob", agent_id="scribe", thread_id="talk")
    chat = await bob.conversation("talk", title=SECRET)
    await chat.add("user", f"My boat is called {SECRET}.")
    memory = await bob.add(f"Bob's boat is called {SECRET}.")
    source = await bob.ingest(f"{SECRET} Quist works at Doppler Group. Rupert Vane works at Orbital Labs.")
    active = await bob.create_active(SECRET, sections={"plan": SECRET})
    note = await bob.add_note(memory.id, f"{SECRET} leaks.")
    await bob.save_checkpoint({"boat": SECRET})
    await rc.drain()
    one, other = (await bob.nodes())[:2]
    relation = await bob.relate(one.id, other.id, "knows", description=SECRET)
    replay = await bob.replay()
    gone = await bob.forget(id=(await bob.add(f"{SECRET} is for sale.")).id)
    found = {"memory": memory, "source": source, "active": active, "note": note, "node": one, "relation": relation}
    ids = {name: str(each.id) for name, each in found.items()}
    other_ids = {"talk": chat.conversation.id, "replay": replay.id, "tombstone": gone.tombstones[0]}
    return ids | {name: str(id) for name, id in other_ids.items()}


def ids_of(verb: Verb) -> list[str]:
    """The arguments of a verb that are ids of something."""
    properties = verb.request.json_schema()["properties"] if not verb.takes_lines and verb.arguments else {}
    return [name for name, told in properties.items() if '"format": "uuid"' in json.dumps(told)]


@pytest.fixture
async def alice(mind: Recollect) -> AsyncIterator[httpx.AsyncClient]:
    made = await mind.make_key("laptop", user_id="alice")
    async with served(mind) as url, caller(url, made.secret) as client:
        yield client


async def held(rc: Recollect) -> list[Any]:
    """All of Bob's space, once what he did himself is written down."""
    await rc.recalls.flush()
    lines = [json.loads(line) async for line in rc.scope(user_id="bob").export()]
    return sorted(json.dumps(line, sort_keys=True) for line in lines)


async def send(client: httpx.AsyncClient, verb: Verb, given: dict[str, Any], **headers: str) -> httpx.Response:
    path = verb.path.replace("{thread}", "talk")
    if verb.method == "GET":
        return await client.get(path, headers=headers)
    if verb.takes_lines:
        return await client.post(path, content=b"", headers=headers | {"Content-Type": "application/x-ndjson"})
    return await client.post(path, json=given, headers=headers)


def test_every_route_is_a_verb_or_known(mind: Recollect) -> None:
    routes = [route for route in create_app(mind, Gate(mind, keyless=False)).routes if isinstance(route, Route)]
    paths = {route.path.replace("{thread:path}", "{thread}") for route in routes}
    assert paths == {verb.path for verb in VERBS} | OPEN | OTHERS


async def test_no_route_takes_another_space(mind: Recollect, alice: httpx.AsyncClient) -> None:
    await bobs(mind)
    before = await held(mind)
    for verb in VERBS:
        for headers in ({"X-Recollect-User": "bob"}, {"X-Recollect-Project": "boat"}, {"X-Recollect-Teams": "crew"}):
            answer = await send(alice, verb, example_of(verb), **headers)
            assert answer.status_code == 403, (verb.id, headers, answer.text)
            assert SECRET not in answer.text, verb.id
    assert (await alice.get("/metrics")).status_code == 403
    assert await held(mind) == before


def about(verb: Verb, name: str, id: str) -> dict[str, Any]:
    """No more than a request needs, with an id wherever it takes one; and one where it might."""
    needed = {argument.name for argument in verb.arguments if argument.required}
    given = {key: value for key, value in example_of(verb).items() if key in needed}
    return given | dict.fromkeys(needed & set(ids_of(verb)), id) | {name: id}


async def test_no_id_of_another_space_leads_there(mind: Recollect, alice: httpx.AsyncClient) -> None:
    ids = await bobs(mind)
    before = await held(mind)
    named = [(verb, name) for verb in VERBS if not verb.idempotent for name in ids_of(verb)]
    for verb, name in named:
        for id in ids.values():
            answer = await send(alice, verb, about(verb, name, id))
            assert SECRET not in answer.text, (verb.id, answer.text)
            assert answer.status_code < 500, (verb.id, answer.text)
            if name not in PLACES:
                assert answer.status_code in (403, 404, 409, 422), (verb.id, name, answer.text)
    assert await held(mind) == before


async def test_no_thread_of_another_space_is_there(mind: Recollect, alice: httpx.AsyncClient) -> None:
    await bobs(mind)
    before = await held(mind)
    for verb in (verb for verb in VERBS if verb.owner == "chat"):
        assert (await send(alice, verb, example_of(verb))).status_code == 404, verb.id
    assert await held(mind) == before


async def test_no_question_finds_what_is_elsewhere(mind: Recollect, alice: httpx.AsyncClient) -> None:
    await bobs(mind)
    asked: dict[str, dict[str, Any]] = {
        "search": {"query": SECRET, "include": ["archived", "expired"], "user": "bob", "thread": "talk"},
        "search_many": {"queries": [SECRET, "boat"]},
        "query": {"query": SECRET, "filters": {"user_id": "bob"}},
        "explore": {"queries": [SECRET], "granularity": 1},
        "match": {"pattern": [[None, None, None]]},
        "get_all": {"include": ["archived", "expired"]},
        "nodes": {"kind": None},
        "forget": {"query": SECRET, "dry_run": True},
    }
    reading = [verb for verb in VERBS if verb.owner == "memory" and verb.method == "POST" and not verb.takes_lines]
    for verb in reading:
        answer = await send(alice, verb, asked.get(verb.id, example_of(verb)))
        assert SECRET not in answer.text.replace(json.dumps(asked.get(verb.id, {})), ""), (verb.id, answer.text)


async def test_an_idempotency_key_or_id_of_another_space_gives_nothing_of_it(
    mind: Recollect, alice: httpx.AsyncClient
) -> None:
    ids = await bobs(mind)
    mine = await alice.post("/v1/add", json={"content": "Alice owns a kite.", "id": ids["memory"]})
    assert mine.json()["content"] == "Alice owns a kite."
    assert mine.json()["space"] == "user:alice"
