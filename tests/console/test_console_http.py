"""What the console answers, without a browser: forms that are not its own, keys, other people's rows, bad input."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from console_world import gate
from recollect import console
from recollect.console.pages import PAGES
from recollect.core.errors import NotAllowed, Unavailable

SECRET = re.compile(r"rcl_[0-9a-f]{10}_[\w-]+")

SITE = "http://console.test"


@asynccontextmanager
async def client(app: Any, **cookies: str) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=SITE, cookies=cookies) as opened:
        yield opened


def token(page: httpx.Response) -> dict[str, str]:
    found = re.search(r'name="csrf" value="([^"]+)"', page.text)
    assert found
    return {"csrf": found[1]}


@pytest.fixture
async def web(rc) -> AsyncIterator[httpx.AsyncClient]:
    async with client(console.app(rc, *gate(rc))) as opened:
        yield opened


async def send(web: httpx.AsyncClient, path: str, *, at: str = "/memories", **form: str) -> httpx.Response:
    """A form as a page sends it."""
    return await web.post(path, data=token(await web.get(at)) | form, headers={"Origin": SITE})


class TestForms:
    async def test_one_of_ours_is_taken(self, web, rc) -> None:
        assert (await send(web, "/memories", content="Maya sails.")).status_code == 303
        assert [memory.content for memory in await rc.scope(user_id="maya").get_all()] == ["Maya sails."]

    @pytest.mark.parametrize(
        ("form", "headers"),
        [
            ({}, {}),
            ({"csrf": "guessed"}, {}),
            ({"csrf": None}, {"Origin": "http://elsewhere.test"}),
            ({"csrf": None}, {"Origin": "null"}),
            ({"csrf": None}, {"Sec-Fetch-Site": "cross-site"}),
        ],
    )
    async def test_one_of_others_is_refused(self, web, rc, form, headers) -> None:
        own = token(await web.get("/memories"))
        sent = {name: own["csrf"] if value is None else value for name, value in form.items()}
        answer = await web.post("/memories", data=sent | {"content": "Maya sails."}, headers=headers)
        assert answer.status_code == 403
        assert len(await rc.scope(user_id="maya").get_all()) == 0

    async def test_every_form_is_guarded(self, web) -> None:
        await web.get("/")
        posts = [path for path, method, _ in PAGES if method == "POST"]
        for path in [*posts, "/sign-in", "/sign-out"]:
            filled = re.sub(r"\{\w+\}", str(uuid4()), path)
            assert (await web.post(filled, data={"content": "x"})).status_code == 403, path

    async def test_every_form_of_a_page_has_the_token(self, web) -> None:
        for path in ("/", "/memories", "/sources", "/profile", "/forget", "/jobs"):
            page = (await web.get(path)).text
            forms = re.findall(r'<form method="post".*?</form>', page, re.DOTALL)
            assert all('name="csrf"' in form for form in forms), path

    async def test_the_cookie_is_out_of_reach(self, web) -> None:
        kept = (await web.get("/")).headers["set-cookie"].lower()
        assert "httponly" in kept
        assert "samesite=strict" in kept


async def test_pages_allow_nothing_from_elsewhere(web) -> None:
    for path in ("/", "/nowhere", "/static/console.css", "/memories/none"):
        policy = (await web.get(path)).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe-inline" not in policy
    page = (await web.get("/memories")).text
    assert not re.search(r"<script(?![^>]* src=)|\sstyle=|\son\w+=|https?://(?!www\.w3\.org)", page)


class TestBadInput:
    @pytest.mark.parametrize("path", ["/memories/none", "/graph/none", "/conversations/none", "/stories/none"])
    async def test_no_id(self, web, path) -> None:
        assert (await web.get(path)).status_code == 400

    @pytest.mark.parametrize("path", ["/memories", "/graph", "/conversations", "/stories"])
    async def test_an_id_of_nothing(self, web, path) -> None:
        answer = await web.get(f"{path}/{uuid4()}")
        assert answer.status_code == 404
        assert "This is not here" in answer.text

    @pytest.mark.parametrize(
        "query",
        [
            "kind=ghost",
            "since=yesterday-ish",
            "state=lost",
            "after=zzz",
            "tier=middle",
            "since=2026-03-02&until=2026-03-01",
        ],
    )
    async def test_a_filter_that_is_none(self, web, query) -> None:
        answer = await web.get(f"/memories?{query}")
        assert answer.status_code == 400
        assert query.split("=")[0].removesuffix("e")[:4] in answer.text

    async def test_a_nul_byte_and_an_empty_text(self, web, rc) -> None:
        assert (await send(web, "/memories", content="a\0b")).status_code == 400
        assert (await send(web, "/memories", content="  ")).status_code == 400
        assert (await web.get("/memories", params={"q": "a\0b"})).status_code == 400
        assert len(await rc.scope(user_id="maya").get_all()) == 0

    @pytest.mark.parametrize("number", ["9" * 5_000, "9" * 18, "-1", "٣", "1.5", "x"])
    async def test_a_number_that_is_none(self, web, rc, number) -> None:
        me = rc.scope(user_id="maya")
        added, talk = await me.add("Maya sails."), (await me.conversation("harbour")).conversation
        for path in ("/conversations?from=", "/sources?from="):
            assert (await web.get(path + number)).status_code == 200, path
        for name in ("from", "turn"):
            assert (await web.get(f"/conversations/{talk.id}?{name}={number}")).status_code in (200, 400)
        assert (await web.get(f"/graph/{added.id}?depth={number}")).status_code < 500
        assert (await send(web, f"/jobs/{number}/retry")).status_code in (400, 404)
        edited = await send(web, f"/memories/{added.id}/edit", version=number, content="Maya rows.")
        assert edited.status_code in (400, 409)
        assert (await me.get(added.id)).content == "Maya sails."

    async def test_a_form_that_does_not_say_how_large_it_is(self, web) -> None:
        """Whoever has no key may send one, too."""
        taken = 0

        async def parts() -> AsyncIterator[bytes]:
            nonlocal taken
            for name in range(60):
                for _ in range(30):
                    taken += 100_000
                    yield b"x" * 100_000
                yield f"&{name}=".encode()

        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        for path in ("/sign-in", "/memories"):
            taken = 0
            answer = await web.post(path, content=parts(), headers=headers)
            assert (answer.status_code, "larger" in answer.text) == (400, True)
            assert taken < 10_000_000

    async def test_a_space_that_cannot_be_is_not_chosen(self, web) -> None:
        for space in ("user:a\0b", "user:" + "x" * 300, "team:crew", "nobody", "user:"):
            assert (await send(web, "/space", space=space)).status_code == 400, space
        assert (await web.get("/")).status_code == 200

    async def test_five_megabytes(self, web, rc) -> None:
        answer = await send(web, "/memories", content="x" * 5_000_000)
        assert answer.status_code == 400
        assert "larger" in answer.text
        assert (await send(web, "/memories", content="x" * 2_000_000)).status_code == 400
        assert len(await rc.scope(user_id="maya").get_all()) == 0

    async def test_what_is_written_is_shown_as_it_is_written(self, web, rc) -> None:
        added = await rc.scope(user_id="maya").add("<script>alert(1)</script>", tags=['"><img src=x>'])
        page = (await web.get(f"/memories/{added.id}")).text
        assert "<script>alert" not in page
        assert "<img" not in page

    async def test_a_part_that_is_down(self, rc) -> None:
        async def down(_: Any) -> Any:
            raise Unavailable("PostgreSQL", "it does not answer")

        async with client(console.app(rc, down, gate(rc)[1])) as web:
            answer = await web.get("/")
        assert answer.status_code == 503
        assert "PostgreSQL: it does not answer" in answer.text

    async def test_a_mistake_of_ours(self, rc) -> None:
        async def mistaken(_: Any) -> Any:
            raise RuntimeError("nobody thought of it")

        async with client(console.app(rc, mistaken, gate(rc)[1])) as web:
            answer = await web.get("/")
        assert (answer.status_code, "Something broke" in answer.text) == (500, True)
        assert "nobody thought" not in answer.text
        assert "default-src 'none'" in answer.headers["content-security-policy"]


class TestOthers:
    async def test_rows_of_another_space_are_not_here(self, web, rc) -> None:
        bob = rc.scope(user_id="bob")
        memory = await bob.add("Bob owns a boat.")
        chat = await bob.conversation("one")
        await chat.add("user", "Hello.")
        for path in (f"/memories/{memory.id}", f"/conversations/{chat.conversation.id}", f"/graph/{memory.id}"):
            assert (await web.get(path)).status_code == 404
        for act in ("delete", "restore", "pin", "feedback", "edit"):
            given = {"pinned": "yes", "verdict": "useful", "version": "1", "content": "Mine."}
            assert (await send(web, f"/memories/{memory.id}/{act}", **given)).status_code == 404
        assert "Bob" not in (await web.get("/memories")).text
        assert (await bob.get(memory.id)).content == "Bob owns a boat."

    async def test_what_is_for_administrators(self, rc) -> None:
        await (await rc.scope(user_id="bob").conversation("one")).add("user", "Hello.")
        async with client(console.app(rc, *gate(rc, admin=False))) as web:
            assert "user:bob" not in (await web.get("/jobs")).text
            assert "user:bob" not in (await web.get("/")).text
            assert "Run now" not in (await web.get("/jobs")).text
            assert (await send(web, "/jobs/run", name="decay")).status_code == 403
            assert (await send(web, "/jobs/1/retry")).status_code == 403
            assert (await web.get("/keys")).status_code == 403
            assert (await send(web, "/keys", name="mine", admin="yes")).status_code == 403

    async def test_a_space_that_may_not_be_seen_is_let_go(self, rc) -> None:
        whose, is_admin = gate(rc)

        async def own_alone(request: Any) -> Any:
            if request.headers.get("x-recollect-user") not in (None, "maya"):
                raise NotAllowed("user bob", "the key is maya's")
            return await whose(request)

        async with client(console.app(rc, own_alone, is_admin), recollect_space="user%3Abob") as web:
            answer = await web.get("/memories")
            assert (answer.status_code, answer.headers["location"]) == (303, "/")
            assert 'recollect_space="";' in answer.headers["set-cookie"]


async def test_looking_recalls_nothing(web, rc) -> None:
    me = rc.scope(user_id="maya")
    memory = await me.add("Maya knows Bob Miller.")
    await me.ingest("Bob Miller works with Carol Weber in Porto. Carol Weber met Bob Miller on Monday.")
    await rc.drain()
    nodes = [node.id for node in await me.get_all(kinds=["person"])]
    around = f"/graph/{nodes[0]}"
    for path in ("/graph", around, f"{around}/around", f"/memories/{memory.id}", "/memories?q=Bob"):
        assert (await web.get(path)).status_code == 200, path
    await rc.drain()
    counted = {each.id: each.access_count for each in await me.get_all()}
    assert [counted[id] for id in (memory.id, *nodes)] == [0] * (1 + len(nodes))


async def test_a_talk_is_dated_by_when_it_took_place(web, rc) -> None:
    me = rc.scope(user_id="maya")
    recent = await me.conversation("recent")
    await recent.add("user", "The boat is dry.", at="2024-05-02T10:00:00Z")
    old = await me.conversation("old")
    await old.add("user", "The boat leaks.", at="2019-03-01T10:00:00Z")
    await old.add("user", "It leaks still.", at="2019-03-09T10:00:00Z")
    listed = (await web.get("/conversations")).text
    assert listed.index("2 May 2024") < listed.index("9 Mar 2019")
    assert ">1 Mar 2019" in (await web.get(f"/conversations/{old.conversation.id}")).text.split("</h1>")[1][:400]


async def test_it_lives_below_any_path(rc) -> None:
    async with client(Starlette(routes=[Mount("/deep/console", console.app(rc, *gate(rc)))])) as web:
        page = await web.get("/deep/console/")
        local = re.findall(r'(?:href|action|src)="(/[^"]*)"', page.text)
        assert local
        assert [path for path in local if not path.startswith("/deep/console/")] == []
        answer = await send(web, "/deep/console/memories", at="/deep/console/memories", content="Maya sails.")
        assert answer.headers["location"].startswith("/deep/console/memories/")


# Keys --------------------------------------------------------------------------------------------------------


async def test_keys_are_made_rotated_and_revoked(rc, web) -> None:
    assert "No keys" in (await web.get("/keys")).text
    made = await send(web, "/keys", at="/keys", name="planner", user_id="maya", team_ids="crew, band", admin="yes")
    assert made.headers["cache-control"] == "no-store"
    [key] = await rc.keys()
    assert (key.user_id, key.team_ids, key.admin) == ("maya", ("crew", "band"), True)
    [secret] = set(SECRET.findall(made.text))
    assert (await rc.admission.check(secret)).id == key.id
    listed = (await web.get("/keys")).text
    assert "planner" in listed
    assert secret not in listed
    [other] = set(SECRET.findall((await send(web, f"/keys/{key.id}/rotate")).text)) - {secret}
    assert (await rc.admission.check(other)).id == key.id
    assert (await send(web, f"/keys/{key.id}/revoke")).status_code == 303
    assert "revoked" in (await web.get("/keys")).text


async def test_somebody_signs_in_and_out(rc) -> None:
    async with client(console.app(rc, *gate(rc, "rk_good"))) as web:
        assert (await web.get("/")).status_code == 401
        assert (await web.get("/memories")).status_code == 401
        await send(web, "/sign-in", key="rk_bad")
        refused = await web.get("/")
        assert (refused.status_code, "was not accepted" in refused.text) == (401, True)
        kept = (await send(web, "/sign-in", key="rk_good")).headers["set-cookie"].lower()
        assert all(word in kept for word in ("httponly", "samesite=strict", "path=/"))
        assert (await web.get("/")).status_code == 200
        assert (await send(web, "/sign-in", key="bad\nkey")).status_code == 400
        await send(web, "/sign-out")
        assert (await web.get("/")).status_code == 401
