"""The server as those who speak HTTP meet it: its doors, its limits, its streams and its errors."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from uuid import uuid4

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from recollect.core.errors import NotAllowed
from recollect.server.serving import refuse_open_door
from serving import caller, served

ALICE = {"X-Recollect-User": "alice"}


@pytest.fixture
async def http(rc) -> AsyncIterator[httpx.AsyncClient]:
    """Alice, at a server that needs no key."""
    async with served(rc) as url, caller(url, **ALICE) as client:
        yield client


async def post(client: httpx.AsyncClient, verb: str, **arguments: object) -> httpx.Response:
    return await client.post(f"/v1/{verb}", json=arguments)


def problem(response: httpx.Response) -> tuple[int, str]:
    assert response.headers["content-type"] == "application/problem+json"
    told = response.json()
    assert told["status"] == response.status_code
    assert {"type", "title", "detail"} <= told.keys()
    return response.status_code, told["title"]


async def test_what_is_added_is_found(http) -> None:
    added = await post(http, "add", content="Alice prefers tea.", type="preference")
    assert added.status_code == 200
    [hit] = (await post(http, "search", query="tea")).json()["hits"]
    assert hit["memory"]["id"] == added.json()["id"]


async def test_a_conversation_is_begun_before_it_is_spoken_in(http) -> None:
    path = "/v1/conversations/chat%2F1/add"
    assert problem(await http.post(path, json={"role": "user", "content": "hi"})) == (404, "NotFound")
    assert (await post(http, "conversation", thread_id="chat/1")).json()["thread_id"] == "chat/1"
    assert (await http.post(path, json={"role": "user", "content": "hi"})).json()["turn"] == 1
    messages = await http.post("/v1/conversations/chat%2F1/messages", json={})
    assert [each["content"] for each in messages.json()] == ["hi"]


async def test_pages_follow_each_other(http) -> None:
    for number in range(5):
        await post(http, "add", content=f"Fact number {number}.")
    seen, after = [], None
    while True:
        page = (await post(http, "get_all", limit=2, after=after)).json()
        seen += [memory["content"] for memory in page["memories"]]
        if (after := page["next"]) is None:
            break
    assert seen == [f"Fact number {number}." for number in range(5)]


class TestErrors:
    async def test_each_has_its_status_and_names_what_it_is_about(self, http) -> None:
        id = (await post(http, "add", content="Alice prefers tea.")).json()["id"]
        assert problem(await post(http, "get", id=str(uuid4()))) == (404, "NotFound")
        assert problem(await post(http, "update", id=id, content="x", if_version=9)) == (409, "Conflict")
        wrong = await post(http, "search", query="tea", limit=0)
        assert problem(wrong) == (422, "InvalidInput")
        assert wrong.json()["field"] == "limit"
        outside = await post(http, "ingest", raw="A text.", team_id="others")
        assert problem(outside) == (403, "NotAllowed")
        assert outside.json()["what"] == "team others"

    async def test_an_unknown_argument_is_refused_by_name(self, http) -> None:
        for verb in ("search", "profile", "nodes"):
            refused = await post(http, verb, **({"query": "tea"} if verb == "search" else {}), colour="blue")
            assert problem(refused) == (422, "InvalidInput")
            assert refused.json()["field"] == "colour"
        elsewhere = await http.post("/v1/search?limit=3", json={"query": "tea"})
        assert elsewhere.json()["field"] == "limit"

    @pytest.mark.parametrize(
        "body", [b"{", b"[]", b"null", b'{"query": "\\ud800"}', b"\xff", b'{"query": "x"}x', b'{"limit": 3}']
    )
    async def test_a_body_that_is_none(self, http, body: bytes) -> None:
        refused = await http.post("/v1/search", content=body, headers={"Content-Type": "application/json"})
        assert problem(refused) == (422, "InvalidInput")

    async def test_a_nul_and_a_number_that_is_none_are_refused(self, http) -> None:
        assert (await post(http, "add", content="a\x00b")).json()["field"] == "content"
        nan = b'{"content": "x", "importance": NaN}'
        refused = await http.post("/v1/add", content=nan, headers={"Content-Type": "application/json"})
        assert refused.json()["field"] == "importance"

    async def test_another_method_or_path(self, http) -> None:
        wrong = await http.get("/v1/search")
        assert problem(wrong)[0] == 405
        assert wrong.headers["allow"] == "POST"
        assert problem(await post(http, "nonsense")) == (404, "NotFound")

    async def test_without_a_scope(self, http) -> None:
        del http.headers["X-Recollect-User"]
        refused = await post(http, "profile")
        assert problem(refused) == (422, "InvalidInput")
        assert refused.json()["field"] == "user_id"

    @pytest.mark.parametrize("value", ["%ff", "%00", "a%0Ab", "", "x" * 300])
    async def test_a_header_that_names_nobody(self, http, value: str) -> None:
        http.headers["X-Recollect-User"] = value
        assert problem(await post(http, "profile")) == (422, "InvalidInput")

    async def test_names_in_any_script(self, http, rc) -> None:
        http.headers["X-Recollect-User"] = "%E6%9D%8E%E9%9B%B7"
        await post(http, "add", content="李雷喜欢茶。")
        assert len(await rc.scope(user_id="李雷").get_all()) == 1


class TestLimits:
    @pytest.mark.parametrize("piece", [b"X-More: more\r\n" * 100, b"x" * 1_000], ids=["many", "one"])
    async def test_a_head_without_an_end(self, rc, piece: bytes) -> None:
        async with served(rc) as url:
            host, port = url.removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-More: ")
            with suppress(ConnectionError):
                for _ in range(1_000):
                    writer.write(piece)
                    await writer.drain()
            told = b""
            with suppress(ConnectionError):
                told = await asyncio.wait_for(reader.read(), 60)
            assert told.startswith(b"HTTP/1.1 400") or not told  # told, or the line was cut while it still sent
            writer.close()
            async with caller(url) as http:
                assert (await http.get("/healthz")).status_code == 200
                assert (await http.get("/healthz", headers={"X-More": "x" * 20_000})).status_code == 200

    async def test_a_body_that_is_too_large(self, open_recollect) -> None:
        rc = await open_recollect(body_bytes=1_000)
        async with served(rc) as url, caller(url, **ALICE) as http:
            assert problem(await post(http, "add", content="x" * 2_000)) == (413, "InvalidInput")

            async def unannounced() -> AsyncIterator[bytes]:
                yield b'{"content": "'
                for _ in range(20):
                    yield b"x" * 100
                yield b'"}'

            refused = await http.post("/v1/add", content=unannounced(), headers={"Content-Type": "application/json"})
            assert problem(refused) == (413, "InvalidInput")
            assert (await post(http, "add", content="x" * 500)).status_code == 200
        assert len(await rc.scope(user_id="alice").get_all()) == 1

    async def test_a_long_text_is_the_librarys_to_refuse(self, http) -> None:
        refused = await post(http, "add", content="x" * 5_000_000)
        assert problem(refused) == (422, "InvalidInput")
        assert refused.json()["field"] == "content"

    async def test_only_json_is_taken(self, http) -> None:
        """What a form of another site can send without asking is not."""
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            refused = await http.post("/v1/add", content=b'{"content": "x"}', headers={"Content-Type": kind})
            assert problem(refused) == (415, "InvalidInput")


async def test_everything_goes_only_after_a_look(http, rc) -> None:
    await post(http, "add", content="Alice prefers tea.")
    for given in ({}, {"dry_run": False, "token": None}):
        refused = await post(http, "forget", everything=True, **given)
        assert problem(refused) == (422, "InvalidInput")
        assert refused.json()["field"] == "token"
    assert len(await rc.scope(user_id="alice").get_all()) == 1
    token = (await post(http, "forget", everything=True, dry_run=True)).json()["token"]
    assert (await post(http, "forget", everything=True, token=token)).status_code == 200
    assert len(await rc.scope(user_id="alice").get_all()) == 0


class TestAgain:
    async def test_the_same_key_writes_once(self, http, rc) -> None:
        answers = [
            await http.post("/v1/add", json={"content": "Alice prefers tea."}, headers={"Idempotency-Key": key})
            for key in ("order 66", "order 66", "order 67")
        ]
        ids = [answer.json()["id"] for answer in answers]
        assert ids[0] == ids[1] != ids[2]

    async def test_a_message_too(self, http) -> None:
        await post(http, "conversation", thread_id="chat")
        key = {"Idempotency-Key": str(uuid4())}
        for _ in range(2):
            said = await http.post("/v1/conversations/chat/add", json={"role": "user", "content": "hi"}, headers=key)
            assert (said.json()["turn"], said.json()["id"]) == (1, key["Idempotency-Key"])

    async def test_where_it_would_not_hold_it_is_refused(self, http) -> None:
        refused = await http.post("/v1/delete_all", json={"tags": ["x"]}, headers={"Idempotency-Key": "1"})
        assert problem(refused) == (422, "InvalidInput")
        assert refused.json()["field"] == "Idempotency-Key"
        both = {"content": "x", "id": str(uuid4())}
        assert problem(await http.post("/v1/add", json=both, headers={"Idempotency-Key": "1"}))[0] == 422


class TestStreams:
    async def test_an_export_comes_in_lines_and_goes_back(self, http, rc) -> None:
        await post(http, "add", content="Alice prefers tea.")
        lines = (await post(http, "export", plain=True)).text.splitlines()
        assert [json.loads(line)["content"] for line in lines if "tea" in line] == ["Alice prefers tea."]
        taken = await http.post(
            "/v1/import_lines",
            content="\n".join(lines).encode(),
            headers={"Content-Type": "application/x-ndjson", "X-Recollect-User": "bob"},
        )
        assert taken.json()["memories"] == 1
        assert len(await rc.scope(user_id="bob").get_all()) == 1

    async def test_changes_are_events(self, http) -> None:
        async with http.stream("GET", "/v1/watch") as response:
            assert response.headers["content-type"].startswith("text/event-stream")
            lines = response.aiter_lines()
            assert await anext(lines) == ": watching"
            added = (await post(http, "add", content="Alice prefers tea.")).json()
            events = [line async for line in _until(lines, "data: ")]
        [data] = [json.loads(line.removeprefix("data: ")) for line in events if line.startswith("data: ")]
        assert data["memory_id"] == added["id"]
        assert f"id: {data['revision']}.1" in events

    async def test_one_goes_on_where_another_ended(self, http) -> None:
        for content in ("One.", "Two."):
            await post(http, "add", content=content)
        async with http.stream("GET", "/v1/watch", headers={"Last-Event-ID": "1"}) as response:
            events = [line async for line in _until(response.aiter_lines(), "data: ")]
        assert "id: 2.1" in events
        assert problem(await http.get("/v1/watch?after=soon")) == (422, "InvalidInput")
        assert problem(await http.get("/v1/watch", headers={"Last-Event-ID": "2.x"})) == (422, "InvalidInput")

    async def test_one_that_was_cut_within_a_transaction_misses_nothing(self, http) -> None:
        added = await http.post("/v1/add_many", json={"memories": [{"content": text} for text in ("A.", "B.", "C.")]})
        await post(http, "add", content="D.")
        ids, seen = list[str](), list[str]()
        while len(seen) < 4:  # a browser that comes back after every event, with the address it asked first
            headers = {"Last-Event-ID": ids[-1]} if ids else {}
            async with http.stream("GET", "/v1/watch?after=0", headers=headers) as response:
                events = [line async for line in _until(response.aiter_lines(), "data: ")]
            ids += [line.removeprefix("id: ") for line in events if line.startswith("id: ")]
            seen += [json.loads(line[6:])["memory_id"] for line in events if line.startswith("data: ")]
        assert ids == ["1.1", "1.2", "1.3", "2.1"]
        assert set(seen[:3]) == {memory["id"] for memory in added.json()}

    async def test_they_end_with_the_server(self, rc) -> None:
        async with served(rc) as url:
            client = caller(url, **ALICE)
            response = await client.send(client.build_request("GET", "/v1/watch"), stream=True)
            lines = response.aiter_lines()
            await anext(lines)
        assert [line async for line in lines if line] == []
        await client.aclose()


async def _until(lines: AsyncIterator[str], start: str) -> AsyncIterator[str]:
    async for line in lines:
        yield line
        if line.startswith(start):
            return


class TestDoor:
    async def test_a_key_speaks_for_its_own(self, rc) -> None:
        made = await rc.make_key("laptop", user_id="alice")
        async with served(rc) as url, caller(url, made.secret) as http:
            await post(http, "add", content="Alice prefers tea.")
            assert (await http.get("/v1/whoami")).json()["id"] == str(made.key.id)
            http.headers["X-Recollect-User"] = "bob"
            refused = await post(http, "get_all")
            assert problem(refused) == (403, "NotAllowed")
            assert refused.json()["what"] == "user_id bob"
        assert len(await rc.scope(user_id="alice").get_all()) == 1
        assert (await rc.keys())[0].uses == 3

    async def test_without_a_key_that_opens(self, rc) -> None:
        made = await rc.make_key("laptop", user_id="alice")
        async with served(rc) as url:
            for secret in (None, "nonsense", made.secret + "x"):
                async with caller(url, secret, **ALICE) as http:
                    refused = await post(http, "get_all")
                    assert problem(refused) == (401, "NotAllowed")
                    assert refused.headers["www-authenticate"] == "Bearer"

    async def test_one_that_is_taken_away_closes_at_once_and_ends_what_it_watches(self, rc) -> None:
        made = await rc.make_key("laptop", user_id="alice")
        async with served(rc) as url, caller(url, made.secret) as http:
            async with http.stream("GET", "/v1/watch") as response:
                lines = response.aiter_lines()
                await anext(lines)
                await rc.revoke_key(made.key.id)
                assert problem(await post(http, "get_all")) == (401, "NotAllowed")
                rest = [line async for line in lines if line]
            assert rest[0] == "event: error"

    async def test_refusals_are_told_in_the_space_of_the_key(self, rc) -> None:
        made = await rc.make_key("laptop", user_id="alice")
        async with served(rc) as url, caller(url, made.secret, **{"X-Recollect-User": "bob"}) as http:
            await post(http, "get_all")
            await post(http, "keys")
        await rc.recalls.flush()
        async with rc.parts.database.transaction("user:alice") as connection:
            rows = await (await connection.execute("select detail from event where op = 'key'")).fetchall()
        assert sorted(made.key.prefix in row.detail["problem"] for row in rows) == [True, True]

    async def test_what_a_key_leaves_open_may_be_named(self, rc) -> None:
        made = await rc.make_key("laptop", user_id="alice", team_ids=["crew", "band"], sensitivity="high")
        fine = [
            {"X-Recollect-Agent": "planner"},
            {"X-Recollect-Thread": "t", "X-Recollect-Run": "r"},
            {"X-Recollect-Teams": "crew"},
            {"X-Recollect-Sensitivity": "low"},
            {"X-Recollect-User": "alice"},
        ]
        refused = [
            {"X-Recollect-Project": "boat"},
            {"X-Recollect-Teams": "crew, board"},
        ]
        async with served(rc) as url, caller(url, made.secret) as http:
            for headers in fine:
                assert (await http.post("/v1/profile", json={}, headers=headers)).status_code == 200, headers
            for headers in refused:
                assert problem(await http.post("/v1/profile", json={}, headers=headers))[0] == 403, headers

    async def test_a_projects_key_cannot_choose_an_agent_whose_space_it_would_read(self, rc) -> None:
        await rc.scope(agent_id="spy").add("The spy keeps this to itself.")
        made = await rc.make_key("build", project_id="boat")
        async with served(rc) as url, caller(url, made.secret, **{"X-Recollect-Agent": "spy"}) as http:
            assert problem(await post(http, "search", query="spy")) == (403, "NotAllowed")

    async def test_a_low_key_sees_nothing_high(self, rc) -> None:
        made = await rc.make_key("laptop", user_id="alice")
        async with served(rc) as url, caller(url, made.secret, **{"X-Recollect-Sensitivity": "high"}) as http:
            assert problem(await post(http, "get_all")) == (403, "NotAllowed")

    async def test_an_admin_may_name_any_space(self, rc) -> None:
        made = await rc.make_key("root", admin=True)
        async with served(rc) as url, caller(url, made.secret) as http:
            for user in ("alice", "bob"):
                await http.post("/v1/add", json={"content": "x"}, headers={"X-Recollect-User": user})
            assert (await post(http, "run_job", name="decay")).status_code == 200
            assert [key["name"] for key in (await post(http, "keys")).json()] == ["root"]
        assert len(await rc.scope(user_id="bob").get_all()) == 1

    async def test_the_cookie_of_the_console_is_a_key_too(self, rc) -> None:
        made = await rc.make_key("laptop", user_id="alice")
        async with served(rc) as url, caller(url) as http:
            http.cookies.set("recollect_key", made.secret)
            assert (await post(http, "get_all")).status_code == 200
            other = await http.post("/v1/get_all", json={}, headers={"Origin": "https://evil.example"})
            assert problem(other) == (403, "NotAllowed")

    async def test_pages_of_other_sites_are_kept_out(self, http) -> None:
        own = str(http.base_url).rstrip("/")
        assert (await http.post("/v1/profile", json={}, headers={"Origin": own})).status_code == 200
        for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Host": "evil.example:7077"}):
            assert problem(await http.post("/v1/profile", json={}, headers=headers)) == (403, "NotAllowed")
        asked = await http.options("/v1/profile", headers={"Origin": "https://evil.example"})
        assert "access-control-allow-origin" not in asked.headers

    async def test_beyond_this_machine_a_key_is_needed(self, rc) -> None:
        for host in ("0.0.0.0", "::", "192.168.1.5", "example.org"):
            with pytest.raises(NotAllowed, match="no key"):
                await refuse_open_door(rc, host)
        for host in ("127.0.0.1", "::1", "localhost", "127.3.2.1"):
            await refuse_open_door(rc, host)
        made = await rc.make_key("laptop", user_id="alice")
        await refuse_open_door(rc, "0.0.0.0")
        await rc.revoke_key(made.key.id)
        with pytest.raises(NotAllowed):
            await refuse_open_door(rc, "0.0.0.0")

    async def test_there_nobody_comes_in_without_one(self, rc) -> None:
        async with served(rc, keyless=False) as url, caller(url, **ALICE) as http:
            assert problem(await post(http, "get_all")) == (401, "NotAllowed")


class TestKeepingAnEyeOnIt:
    async def test_it_says_that_it_lives_and_is_ready(self, rc) -> None:
        await rc.make_key("laptop", user_id="alice")
        async with served(rc) as url, caller(url) as http:
            assert (await http.get("/healthz")).json()["status"] == "ok"
            assert (await http.get("/readyz")).json()["status"] == "ready"
            assert problem(await http.get("/metrics")) == (401, "NotAllowed")

    async def test_requests_and_jobs_are_counted(self, http) -> None:
        await post(http, "conversation", thread_id="chat")
        await http.post("/v1/conversations/chat/add", json={"role": "user", "content": "hi"})
        await post(http, "search", query="tea", limit=0)
        page = (await http.get("/metrics")).text
        samples = {
            (sample.name, *sorted(sample.labels.values())): sample.value
            for family in text_string_to_metric_families(page)
            for sample in family.samples
        }
        assert samples["recollect_requests_total", "200", "chat_add"] == 1
        assert samples["recollect_requests_total", "422", "search"] == 1
        assert samples["recollect_request_seconds_count", "search"] == 1
        assert samples["recollect_jobs", "waiting"] == 1

    async def test_requests_are_spans_of_their_callers_trace(self, http) -> None:
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        spans, provider = InMemorySpanExporter(), TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(spans))
        trace.set_tracer_provider(provider)
        parent = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
        await http.post("/v1/profile", json={}, headers=parent)
        # FastAPI would write a second one.
        [span] = [span for span in spans.get_finished_spans() if span.kind is trace.SpanKind.SERVER]
        assert span.name == "recollect.profile"
        assert f"{span.context.trace_id:032x}" == "0af7651916cd43dd8448eb211c80319c"
        assert span.attributes["http.response.status_code"] == 200


async def test_a_wave_of_requests_is_answered_to_the_last(http, rc) -> None:
    answers = await asyncio.gather(*(post(http, "add", content=f"Fact number {n}.") for n in range(40)))
    assert {answer.status_code for answer in answers} == {200}
    assert len(await rc.scope(user_id="alice").get_all()) == 40
