"""Assistants and their tools, by the official client: a process on stdio, a server on a socket."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import jsonschema
import pytest
from mcp.shared.exceptions import MCPError

from assistants import Http, Stdio, all_that_is_told, call, problem, read, text_of
from recollect import Recollect
from recollect.core.tokens import estimate
from recollect.mcp.server import INSTRUCTIONS
from recollect.understanding.fence import CLOSING, OPENING
from seeding import Garden

NAMES = ("remember", "recall", "context", "query", "explore", "profile", "history", "forget")
NOW = datetime(2026, 3, 18, 9, 30, tzinfo=UTC)
SECRET = "The violet heron nests behind the mill."


@pytest.fixture(params=["stdio", "http"])
async def face(
    request: pytest.FixtureRequest, rc: Recollect, database_url: str, tmp_path: Path
) -> AsyncIterator[Stdio | Http]:
    """Where assistants connect, on the database of `rc`."""
    if request.param == "stdio":
        yield Stdio(database_url, tmp_path)
        return
    async with Http(rc).serving() as serving:
        yield serving


async def story_of(rc: Recollect, name: str) -> str:
    """A storyline of five documents, all in alice's space."""
    garden = Garden(rc)
    node = await garden.node(name, state="active")
    for number in range(5):
        at = NOW - timedelta(days=10) + min(number, 2) * timedelta(days=1) + number * timedelta(minutes=1)
        await garden.source(f"{name} mended oar number {number}.", at, [node])
    assert (await rc.run_job("storyline_promotion"))["changed"] == 1
    [story] = await rc.scope(user_id="alice").get_all(kinds=["storyline"])
    return str(story.id)


async def test_every_tool_is_listed_with_its_forms_and_answers(face: Stdio | Http, rc: Recollect) -> None:
    story = await story_of(rc, "Ines Alvor")
    async with face.connect("alice") as client:
        assert client.server_info is not None
        assert (client.server_info.name, client.instructions) == ("recollect", INSTRUCTIONS)
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tuple(tools) == NAMES
        for tool in tools.values():
            assert tool.description
            assert tool.annotations is not None
            assert tool.input_schema["additionalProperties"] is False
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
            jsonschema.Draft202012Validator.check_schema(tool.output_schema)
            assert tool.annotations.read_only_hint is (tool.name not in ("remember", "forget"))
            assert tool.annotations.destructive_hint is (tool.name == "forget")

        kept = await call(client, "remember", content="Alice prefers tea.", type="preference", tags=["drinks"])
        id = kept["memory"]["id"]
        told = await client.call_tool("recall", {"query": "tea", "after": kept["watermark"]})
        assert text_of(told).startswith(OPENING)
        assert text_of(told).endswith(CLOSING)
        assert told.structured_content["hits"][0]["id"] == id
        turns = [{"role": "user", "content": "We sail on Friday."}, {"role": "assistant", "content": "Noted."}]
        added = await call(client, "remember", messages=turns, thread="plans")
        assert [(each["thread"], each["turn"]) for each in added["messages"]] == [("plans", 1), ("plans", 2)]
        built = await call(client, "context", question="When do we sail?", thread="plans", after=added["watermark"])
        assert "We sail on Friday." in built["text"]
        assert built["thread"] == "plans"
        bullets = (await call(client, "query", query="tea", categories=["preferences"]))["bullets"]
        assert [(each["id"], each["category"]) for each in bullets] == [(id, "preferences")]
        full = (await call(client, "query", query="tea", full=True, filters={"importance_min": 1}))["bullets"]
        assert (full[0]["kind"], full[0]["type"]) == ("statement", "preference")
        found = await call(client, "explore", queries=["oars", {"query": "Ines Alvor", "threshold": 0.0}])
        assert [hit["id"] for hit in found["hits"]] == [story]
        below = await call(client, "explore", within=story, granularity=1, limit=30, tokens=8000)
        assert sum(hit["kind"] == "source" for hit in below["hits"]) == 5
        past = await call(client, "history", id=id)
        assert past["memory"]["text"] == "Alice prefers tea."
        assert [entry["event"] for entry in past["entries"]] == ["ADD"]
        await rc.scope(user_id="alice").set_profile("identity", "name", "Alice")
        assert [(fact["key"], fact["value"]) for fact in (await call(client, "profile"))["facts"]] == [
            ("name", "Alice")
        ]
        looked = await call(client, "forget", id=id)
        assert looked["dry_run"]
        assert [each["text"] for each in looked["shown"] if each["id"] == id] == ["Alice prefers tea."]
        gone = await call(client, "forget", id=id, token=looked["token"])
        assert (gone["dry_run"], gone["removed"], gone["clean"]) == (False, 1, True)

        listed = [resource.uri for resource in (await client.list_resources()).resources]
        assert listed == ["recollect://profile", "recollect://storylines", f"recollect://storylines/{story}"]
        templates = [each.uri_template for each in (await client.list_resource_templates()).resource_templates]
        assert templates == ["recollect://storylines/{id}"]
        assert "**name**: Alice" in await read(client, "recollect://profile")
        assert f"(recollect://storylines/{story})" in await read(client, "recollect://storylines")
        assert (await read(client, f"recollect://storylines/{story}")).count("(source)") == 5


async def test_what_was_forgotten_and_what_is_anothers_is_out_of_reach(face: Stdio | Http, rc: Recollect) -> None:
    alice = rc.scope(user_id="alice")
    await story_of(rc, "Ines Alvor")
    await alice.set_profile("identity", "hideout", SECRET)
    async with face.connect("alice") as client:
        id = (await call(client, "remember", content=SECRET))["memory"]["id"]
        said = [{"role": "user", "content": SECRET}]
        mark = (await call(client, "remember", messages=said, thread="plans"))["watermark"]
        await rc.drain()
        await call(client, "recall", query="violet heron", after=mark)
        story = (await client.list_resources()).resources[2].uri
        assert "violet heron" in await all_that_is_told(client, "where is the nest")

        async with face.connect("bob") as other:
            told = await all_that_is_told(other, "where is the nest of Ines")
            assert "heron" not in told
            assert "Alvor" not in told
            for tool, given in (("history", {"id": id}), ("forget", {"id": id}), ("explore", {"within": id})):
                assert (await problem(other, tool, **given))["error"] == "NotFound"
            for uri in (story, f"recollect://storylines/{id}"):
                with pytest.raises(MCPError, match="there is no"):
                    await other.read_resource(uri)
            for form in ({"query": "violet heron"}, {"thread": "plans"}, {"everything": True}):
                answered = await other.call_tool("forget", form)
                assert "heron" not in text_of(answered)

        for form in ({"query": "violet heron nests"}, {"person": "Ines Alvor"}):
            looked = await call(client, "forget", **form)
            assert (await call(client, "forget", **form, token=looked["token"]))["clean"]
        await rc.drain()
        told = await all_that_is_told(client, "where is the nest of Ines")
        assert "heron" not in told
        assert "Alvor" not in told
        past = await client.call_tool("history", {"id": id})
        assert "heron" not in text_of(past) + str(past.structured_content)
        barred = await problem(client, "remember", content=SECRET)
        assert barred["error"] == "Conflict"


async def test_forgetting_takes_the_token_of_a_look(face: Stdio | Http, rc: Recollect) -> None:
    project = {"project": "mill"}
    async with face.connect("alice", **project) as client, face.connect("bob", **project) as other:
        ids = [(await call(client, "remember", content=text))["memory"]["id"] for text in ("The mill burns.", SECRET)]
        me = rc.scope(user_id="alice", project_id="mill")
        for form in ({"id": ids[0]}, {"query": "mill burns"}, {"everything": True}, {"person": "Nobody Known"}):
            for wrong in ("", "0" * 32):
                refused = await problem(client, "forget", **form, token=wrong)
                assert refused["error"] in ("Conflict", "InvalidInput")
                assert "token" in refused["message"]
            shown = await call(client, "forget", **form)
            assert shown["dry_run"]
            assert (await problem(other, "forget", **form, token=shown["token"]))["error"] == "Conflict"
        assert len(await me.get_all()) == 2

        for_one, for_other = [(await call(client, "forget", id=id))["token"] for id in ids]
        assert (await problem(client, "forget", id=ids[0], token=for_other))["error"] == "Conflict"
        assert (await problem(client, "forget", id=ids[0], keep_raw=True, token=for_one))["error"] == "Conflict"
        await me.update(ids[0], content="The mill stands.")
        assert (await problem(client, "forget", id=ids[0], token=for_one))["error"] == "Conflict"
        anew = (await call(client, "forget", id=ids[0]))["token"]
        assert (await call(client, "forget", id=ids[0], token=anew))["removed"] == 1
        assert (await problem(client, "forget", id=ids[0], token=anew))["error"] == "Conflict"
        assert [memory.content for memory in await me.get_all()] == [SECRET]
        unknown = (await call(client, "forget", person="Nobody Known"))["token"]
        await call(client, "forget", person="Nobody Known", token=unknown)
        assert (await problem(client, "forget", person="Nobody Known", token=unknown))["error"] == "Conflict"


BAD: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("recall", {}, "query"),
    ("recall", {"query": "tea", "limit": 0}, "limit"),
    ("recall", {"query": "tea", "kinds": ["poem"]}, "kinds.0"),
    ("recall", {"query": "tea", "since": "yesterday"}, "since"),
    ("recall", {"query": "tea", "limits": 3}, "limits"),
    ("recall", {"query": "  "}, "query"),
    ("remember", {}, "content"),
    ("remember", {"content": "a\x00b"}, "content"),
    ("remember", {"content": "x" * 1_100_000}, "content"),
    ("remember", {"content": "tea", "type": "rumour"}, "type"),
    ("remember", {"content": "tea", "messages": [{"role": "user", "content": "a"}]}, "content"),
    ("remember", {"messages": [{"role": "king", "content": "a"}]}, "messages.0.role"),
    ("remember", {"content": "tea", "thread": "x"}, "thread"),
    ("context", {"question": "tea", "tokens": 1}, "tokens"),
    ("query", {"query": "tea", "filters": {"importance_min": 9}}, "filters.importance_min"),
    ("explore", {}, "queries"),
    ("explore", {"queries": ["tea"], "granularity": 4}, "granularity"),
    ("history", {"id": "nonsense"}, "id"),
    ("forget", {}, "id"),
    ("forget", {"person": "Ines", "thread": "plans"}, "person"),
)


async def test_errors_name_the_field_and_write_nothing(face: Stdio | Http, rc: Recollect) -> None:
    async with face.connect("alice") as client:
        for tool, given, field in BAD:
            refused = await problem(client, tool, **given)
            assert (tool, refused["error"], refused["field"]) == (tool, "InvalidInput", field)
            assert field in refused["message"]
        for tool in ("history", "forget"):
            assert (await problem(client, tool, id=str(uuid4())))["error"] == "NotFound"
        with pytest.raises(MCPError, match="no tool 'sing'"):
            await client.call_tool("sing", {})
        for uri in ("recollect://secrets", "recollect://storylines/nonsense", "file:///etc/passwd"):
            with pytest.raises(MCPError, match="uri"):
                await client.read_resource(uri)
        with pytest.raises(MCPError, match="cursor"):
            await client.list_resources(cursor="nonsense")
    assert len(await rc.scope(user_id="alice").get_all()) == 0


async def test_answers_stay_within_their_budgets(face: Stdio | Http, rc: Recollect) -> None:
    alice = rc.scope(user_id="alice")
    long = [
        f"Lighthouse log number {n}: " + f"the lamp burned all night and entry {n} is long. " * 60 for n in range(20)
    ]
    added = await alice.add_many([{"content": text, "kind": "episode"} for text in long])
    for number in range(9):
        await alice.set_profile("preference", f"colour_{number}", "blue " * 400)
        await alice.update(added[0].id, content=f"{number} " + long[0])
    async with face.connect("alice") as client:
        asked = {
            "recall": {"query": "lighthouse log lamp", "limit": 50, "tokens": 600},
            "query": {"query": "lighthouse log lamp", "top_k": 20, "budget_tokens": 600, "full": True},
            "context": {"question": "lighthouse log lamp", "tokens": 600},
            "profile": {"tokens": 600},
            "history": {"id": str(added[0].id), "tokens": 600},
        }
        for tool, given in asked.items():
            answered = await client.call_tool(tool, given)
            # What marks a fence and says what was left out comes on top.
            assert 100 < estimate(text_of(answered)) < 760, tool
        recalled = await call(client, "recall", query="lighthouse log lamp", limit=20, tokens=600)
        assert recalled["hits"]
        assert len(recalled["hits"]) + recalled["left_out"] == 20
        looked = await client.call_tool("forget", {"everything": True})
        assert estimate(text_of(looked)) < 2_500
        assert "not listed one by one" in text_of(looked)


async def test_sensitivity_and_the_thread_of_the_scope_hold(face: Stdio | Http, rc: Recollect) -> None:
    high = rc.scope(user_id="alice", sensitivity="high")
    source = await high.ingest("The vault opens at noon.", sensitivity="high")
    await rc.drain()
    async with face.connect("alice") as client:
        assert "vault" not in await all_that_is_told(client, "when does it open")
        assert (await problem(client, "history", id=str(source.id)))["error"] == "NotFound"
    async with face.connect("alice", sensitivity="high") as client:
        assert "vault" in await all_that_is_told(client, "when does it open")


Opener = Callable[..., Any]


async def test_an_allowlist_holds_for_every_tool(open_recollect: Opener, tmp_path: Path, database_url: str) -> None:
    rules = tmp_path / "categories.yaml"
    rules.write_text("allowlists:\n  cook: [preferences]\n")
    rc = await open_recollect(categories=rules)
    alice = rc.scope(user_id="alice")
    liked = await alice.add("Alice likes plum jam.", type="preference")
    hidden = await alice.add("Alice sold the plum orchard.", type="decision")
    async with Http(rc).serving() as serving, serving.connect("alice", agent="cook") as client:
        found = await call(client, "recall", query="plum")
        assert [hit["id"] for hit in found["hits"]] == [str(liked.id)]
        assert "orchard" not in await all_that_is_told(client, "what about plums")
        assert (await problem(client, "history", id=str(hidden.id)))["error"] == "NotFound"
        refused = await problem(client, "query", query="plum", categories=["knowledge"])
        assert (refused["error"], refused["what"]) == ("NotAllowed", "category knowledge")
        assert (await problem(client, "forget", id=str(liked.id)))["error"] == "NotAllowed"
        assert (await problem(client, "query", query="plum", agent="gardener"))["error"] == "NotAllowed"
        async with serving.connect("alice", agent="gardener") as blind:
            assert (await problem(blind, "recall", query="plum"))["error"] == "NotAllowed"
