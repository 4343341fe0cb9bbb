"""The whole server: pages and tools stand behind the same gate as REST, whatever the address."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from assistants import call, problem, text_of
from recollect import Recollect
from recollect.console.pages import PAGES
from recollect.mcp.tools import TOOLS
from serving import caller, served

SECRET = "Zyxomma"
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
SPEAKS = {"Accept": "application/json, text/event-stream"}
PAGE_OF = {
    "/memories": "memory",
    "/graph": "node",
    "/conversations": "talk",
    "/stories": "memory",
    "/sources": "source",
    "/forgotten": "stone",
    "/reviews": "review",
    "/consents": "consent",
    "/merges": "merge",
}


async def bobs(rc: Recollect) -> dict[str, str]:
    """One of each thing that a page shows, of somebody else, in which everything carries one word."""
    bob = rc.scope(user_id="bob", agent_id="scribe", thread_id="talk")
    chat = await bob.conversation("talk", title=SECRET)
    await chat.add("user", f"My boat is called {SECRET}.")
    memory = await bob.add(f"Bob's boat is called {SECRET}.")
    note = await bob.add_note(memory.id, f"{SECRET} leaks.")
    source = await bob.ingest(f"{SECRET} Quist works at Doppler Group. Rupert Vane works at Orbital Labs.")
    await bob.forget((await bob.add(f"The {SECRET} has a crack.")).id)
    await rc.drain()
    one, other = (await bob.nodes())[:2]
    merge = await bob.merge(one.id, other.id)
    [stone] = await bob.tombstones()
    found = {"memory": memory, "note": note, "source": source, "node": one, "merge": merge, "stone": stone}
    ids = {name: str(each.id) for name, each in found.items()}
    return ids | {"talk": str(chat.conversation.id), "review": ids["memory"], "consent": ids["memory"]}


async def held(rc: Recollect) -> list[str]:
    """All of Bob's space."""
    await rc.recalls.flush()
    lines = [json.loads(line) async for line in rc.scope(user_id="bob").export()]
    return sorted(json.dumps(line, sort_keys=True) for line in lines)


def paths(ids: dict[str, str], path: str) -> list[str]:
    """The addresses of a page with the ids of somebody else."""
    own = ids.get(PAGE_OF.get("/" + path.split("/")[1], ""), ids["memory"])
    named = path.replace("{note}", ids["note"])
    return [named.replace("{id}", id) for id in {own, ids["memory"]}]


FORMS = {
    "content": "Mine.",
    "version": "1",
    "pinned": "yes",
    "verdict": "wrong",
    "text": "Mine.",
    "lifetime": "month",
    "resolution": "keep_new",
    "decision": "yes",
}


async def test_no_page_leads_to_another_space(mind: Recollect) -> None:
    ids = await bobs(mind)
    made = await mind.make_key("laptop", user_id="alice")
    before = await held(mind)
    async with served(mind, user="me") as url, caller(url) as web:
        web.cookies.set("recollect_key", made.secret)
        page = await web.get("/memories")
        token = re.search(r'name="csrf" value="([^"]+)"', page.text)
        assert token
        for path, method, _ in PAGES:
            for address in paths(ids, path) if "{" in path else ():
                form = {"csrf": token[1], **FORMS}
                answer = await (web.get(address) if method == "GET" else web.post(address, data=form))
                assert SECRET not in answer.text, address
                assert answer.status_code in (400, 403, 404), (address, answer.status_code)
        for form, target in (("memory", ids["memory"]), ("thread", "talk"), ("person", SECRET), ("query", SECRET)):
            sent = {"csrf": token[1], "form": form, "target": target}
            answer = await web.post("/forget", data=sent)
            assert SECRET not in answer.text.replace(f'value="{SECRET}"', ""), form
    assert await held(mind) == before


async def test_a_chosen_space_of_somebody_else_is_let_go(mind: Recollect) -> None:
    await bobs(mind)
    made = await mind.make_key("laptop", user_id="alice")
    async with served(mind, user="me") as url, caller(url) as web:
        for kept in ("user%3Abob", "project%3Aboat"):
            web.cookies.set("recollect_key", made.secret)
            web.cookies.set("recollect_space", kept)
            for path in ("/", "/memories", "/conversations", "/jobs"):
                answer = await web.get(path)
                assert answer.status_code == 303, (kept, path)
        web.cookies.delete("recollect_space")
        for header in ("X-Recollect-User", "X-Recollect-Project"):
            assert (await web.get("/memories", headers={header: "bob"})).status_code == 401


class TestTools:
    @asynccontextmanager
    async def assistant(self, url: str, key: str | None = None, **headers: str) -> AsyncIterator[Client]:
        given = headers if key is None else {"Authorization": f"Bearer {key}", **headers}
        async with (
            httpx2.AsyncClient(headers=given, timeout=60) as http,
            Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
        ):
            yield client

    async def test_a_key_is_asked_for(self, rc: Recollect) -> None:
        made = await rc.make_key("laptop", user_id="alice")
        async with served(rc, user="me") as url:
            for key in (None, "nonsense", made.secret + "x"):
                async with caller(url, key, **SPEAKS) as http:
                    refused = await http.post("/mcp", json=HELLO)
                    assert refused.status_code == 401
                    assert refused.headers["www-authenticate"] == "Bearer"
                    assert refused.json()["error"]["data"]["error"] == "NotAllowed"
            async with caller(url, made.secret, **SPEAKS, **{"X-Recollect-User": "bob"}) as http:
                assert (await http.post("/mcp", json=HELLO)).status_code == 403

    async def test_behind_a_proxy_it_answers_to_that_name(self, rc: Recollect) -> None:
        made = await rc.make_key("laptop", user_id="alice")
        async with served(rc, user="me") as url, caller(url, made.secret, **SPEAKS, Host="memory.example") as http:
            assert (await http.post("/mcp", json=HELLO)).status_code == 200
            strange = await http.post("/mcp", json=HELLO, headers={"Origin": "https://evil.example"})
            assert strange.status_code == 403

    async def test_without_keys_no_page_reaches_it_by_a_name_of_its_own(self, rc: Recollect) -> None:
        async with served(rc, user="me") as url, caller(url, **SPEAKS) as http:
            assert (await http.post("/mcp", json=HELLO)).status_code == 200
            for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Origin": "null"}):
                assert (await http.post("/mcp", json=HELLO, headers=headers)).status_code == 403, headers

    async def test_one_that_listens_does_not_hold_the_server_up(self, rc: Recollect) -> None:
        """What an assistant might be told unasked has no end of its own."""
        async with served(rc, user="me") as url:
            http = caller(url, **SPEAKS)
            opened = await http.post("/mcp", json=HELLO)
            named = {"Mcp-Session-Id": opened.headers["mcp-session-id"], "Mcp-Protocol-Version": "2025-06-18"}
            await http.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=named)
            listening = await http.send(http.build_request("GET", "/mcp", headers=named), stream=True)
            assert listening.status_code == 200
        assert [part async for part in listening.aiter_bytes() if not part.startswith(b":")] == []
        await http.aclose()

    async def test_each_speaks_for_its_key(self, mind: Recollect) -> None:
        ids = await bobs(mind)
        made = await mind.make_key("laptop", user_id="alice")
        before = await held(mind)
        asked: dict[str, dict[str, Any]] = {
            "remember": {"content": "Alice rows."},
            "recall": {"query": SECRET, "include": ["archived", "expired"], "thread": "talk"},
            "context": {"question": "boats", "thread": "talk"},
            "query": {"query": SECRET, "filters": {"user_id": "bob"}},
            "explore": {"queries": ["boats"], "granularity": 1},
            "profile": {},
            "history": {"id": ids["memory"]},
            "forget": {"id": ids["memory"]},
        }
        assert asked.keys() == TOOLS.keys()
        async with served(mind, user="me") as url, self.assistant(url, made.secret) as alice:
            for name, given in asked.items():
                answered = await alice.call_tool(name, given)
                told = text_of(answered) + str(answered.structured_content)
                assert SECRET not in told, name
            for id in ids.values():
                for name, given in (("history", {"id": id}), ("forget", {"id": id}), ("forget", {"source": id})):
                    assert (await problem(alice, name, **given))["error"] == "NotFound"
                assert SECRET not in text_of(await alice.call_tool("explore", {"within": id}))
            assert (await call(alice, "recall", query="rows"))["hits"]
        assert await held(mind) == before
