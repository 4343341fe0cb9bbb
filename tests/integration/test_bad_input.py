"""Bad input, for every verb: refused with the name of the field, and nothing written."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from recollect.core.errors import InvalidInput

NAIVE = datetime(2026, 1, 1)
HUGE = "x" * 5_000_000
NAN = float("nan")


def contents(url: str) -> dict[str, Any]:
    """How many rows each table has, and a digest of them all."""
    with psycopg.connect(url) as owner:
        tables = owner.execute(
            "select format('%I.%I', schemaname, tablename) from pg_tables where schemaname like 'recollect%'"
            " and tablename not like '%worker%' order by 1"
        ).fetchall()
        digest = "select count(*), coalesce(sum(hashtextextended(row::text, 0)), 0)::text from {} as row"
        return {table: owner.execute(digest.format(table)).fetchone() for (table,) in tables}


async def refuses(rc: Any, cases: list[tuple[Callable[[], Awaitable[Any]], str]]) -> None:
    await rc.drain()
    before = contents(rc.database_url)
    wrong = []
    for place, (call, field) in enumerate(cases):
        try:
            await call()
            wrong.append((place, field, "was taken"))
        except InvalidInput as error:
            if error.field != field:
                wrong.append((place, field, f"named {error.field}"))
        except Exception as error:
            wrong.append((place, field, repr(error)[:120]))
    assert wrong == []
    await rc.recalls.flush()
    assert contents(rc.database_url) == before


TEXTS = ["", "  \n ", "a\x00b", "\ud800", HUGE, None, 5, b"bytes", {"a": 1}]
IDS = ["", "no-id", 7, None]
UNITS = [NAN, float("inf"), -0.1, 1.1, "0.5", True]
MOMENTS = [NAIVE, "2026-01-01T00:00:00", "yesterday", 5]
NAMES = ["", "x" * 201, "a\x00", "\udfff", 5]


async def test_add(rc):
    me = rc.scope(user_id="alice")
    cases = [(lambda value=value: me.add(value), "content") for value in TEXTS]
    fields: dict[str, list[Any]] = {
        "kind": ["turn", "nonsense", "", 5, []],
        "type": ["nonsense", "", 5, []],
        "category": NAMES,
        "tags": ["abc", [""], [5], 5, ["a\x00"]],
        "importance": UNITS,
        "confidence": UNITS,
        "pinned": [1, "yes"],
        "ttl_policy": ["nonsense", "", 5],
        "metadata": [[], "a", {1: 2}, {"a": NAN}, {"a": "\x00"}, {"a": "\ud800"}, {"a": object()}, {"a": HUGE}],
        "valid_from": MOMENTS,
        "id": ["", "no-id", 7],
        "title": ["", "\x00", 5, HUGE],
        "nonsense": [1],
    }
    for field, values in fields.items():
        cases += [(lambda field=field, value=value: me.add("Fine.", **{field: value}), field) for value in values]
        cases += [
            (
                lambda field=field, value=value: me.add_many(
                    [{"content": "Fine."}, {"content": "Fine.", field: value}]
                ),
                f"[1].{field}",
            )
            for value in values[:1]
        ]
    cases += [(lambda value=value: me.add_many(value), "memories") for value in ("abc", {"content": "a"}, 5, None)]
    cases += [(lambda: me.add_many([{"content": "Fine."}, 5]), "memories[1]")]
    await refuses(rc, cases)


async def test_messages(rc):
    me = rc.scope(user_id="alice", thread_id="chat-1")
    chat = await me.conversation()
    cases = [(lambda value=value: chat.add("user", value), "content") for value in TEXTS]
    parts: list[Any] = [[], ["text"], [{"type": "text", "text": "a\x00"}], [{"x": NAN}], [{"x": object()}]]
    cases += [(lambda value=value: chat.add("user", value), "content") for value in parts]
    fields: dict[str, list[Any]] = {
        "role": ["", "nobody", None, 5],
        "name": NAMES,
        "at": MOMENTS,
        "metadata": [[], "a", {"a": NAN}, {1: 1}],
        "id": ["", "no-id", 7],
        "nonsense": [1],
    }
    fine = {"role": "user", "content": "Fine."}
    for field, values in fields.items():
        if field != "nonsense":
            cases += [
                (lambda f=field, v=value: chat.add(**{"role": "user", "content": "Fine.", f: v}), field)
                for value in values
            ]
        cases += [(lambda f=field: chat.add_many([fine, fine | {f: fields[f][0]}]), f"messages[1].{field}")]
        cases += [(lambda f=field: me.add([fine, fine | {f: fields[f][0]}]), f"messages[1].{field}")]
    cases += [(lambda value=value: chat.add_many(value), "messages") for value in ("abc", fine, 5, None)]
    cases += [(lambda: chat.add_many([5]), "messages[0]"), (lambda: me.add([5]), "messages[0]")]
    cases += [(lambda: me.add([fine], importance=0.5), "importance")]
    cases += [(lambda value=value: chat.messages(first=value), "first") for value in (0, "1", True, 2**40)]
    cases += [(lambda value=value: chat.messages(limit=value), "limit") for value in (0, 10**9, None)]
    cases += [(lambda: chat.end(outcome="\x00"), "outcome"), (lambda: chat.end(outcome=5), "outcome")]
    await refuses(rc, cases)


async def test_bad_messages_do_not_begin_a_thread(rc):
    me = rc.scope(user_id="alice", thread_id="new")
    await refuses(rc, [(lambda: me.add([{"role": "user", "content": ""}]), "messages[0].content")])


async def test_conversations(rc):
    me = rc.scope(user_id="alice")
    cases = [(lambda value=value: me.conversation(value), "thread_id") for value in [*NAMES, None]]
    cases += [
        (lambda: me.conversation("t", title=""), "title"),
        (lambda: me.conversation("t", title=5), "title"),
        (lambda: me.conversation("t", remember="no"), "remember"),
        (lambda: me.conversation("t", shared=1), "shared"),
        (lambda: me.conversations(status="nonsense"), "status"),
        (lambda: me.conversations(limit=0), "limit"),
        (lambda: me.conversations(after="no-id"), "after"),
    ]
    await refuses(rc, cases)


FILTERS: dict[str, list[Any]] = {
    "kinds": ["statement", ["nonsense"], [5], 5],
    "types": ["fact", [5], [""]],
    "categories": ["a", [None]],
    "tags": ["a", 5],
    "tier": ["middle", 5],
    "agent": NAMES,
    "run": NAMES,
    "thread": NAMES,
    "source": ["no-id", 5],
    "speaker": NAMES,
    "metadata": ["a", [1], {"a": NAN}, {"a": "\x00"}],
    "include": ["archived", ["soft_deleted"], [5]],
    "min_importance": UNITS,
    "since": [*MOMENTS, "2026-02-30", "2026-1-1"],
    "until": MOMENTS,
    "valid_at": MOMENTS,
    "as_known_at": MOMENTS,
    "nonsense": [1],
}


async def test_search(rc):
    me = rc.scope(user_id="alice")
    await me.add("Alice prefers tea.")
    cases = [(lambda value=value: me.search(value), "query") for value in TEXTS]
    fields: dict[str, list[Any]] = FILTERS | {
        "limit": [0, -1, 10**6, "5", None, True],
        "threshold": UNITS,
        "context": ["", "\x00", 5],
        "weights": [[], "a", 5],
        "after": ["nonsense", 5, "", "1.2.3"],
    }
    for field, values in fields.items():
        cases += [(lambda f=field, v=value: me.search("tea", **{f: v}), field) for value in values]
    for weights in ({"nonsense": 1}, {"semantic": -1}, {"semantic": NAN}, {"semantic": "1"}, {"semantic": True}):
        cases.append((lambda w=weights: me.search("tea", weights=w), f"weights.{min(weights)}"))
    cases += [
        (lambda: me.search("tea", since="2026-02-01", until="2026-01-01"), "until"),
        (lambda: me.search("tea", wait="for ever"), "wait"),
        (lambda: me.search_many("tea"), "queries"),
        (lambda: me.search_many(["tea", ""]), "query"),
        (lambda: me.search_many([{"query": "tea", "nonsense": 1}]), "nonsense"),
        (lambda: me.search_many([{"limit": 5}]), "query"),
        (lambda: me.search_many([5]), "query"),
    ]
    await refuses(rc, cases)


async def test_listing_and_deleting_by_filters(rc):
    me = rc.scope(user_id="alice")
    await me.add("Alice prefers tea.")
    cases = []
    for field, values in FILTERS.items():
        cases += [(lambda f=field, v=value: me.get_all(**{f: v}), field) for value in values]
        cases += [(lambda f=field, v=value: me.delete_all(**{f: v}), field) for value in values]
    cases += [(lambda value=value: me.get_all(limit=value), "limit") for value in (0, 10**6, "5", True, None)]
    cases += [(lambda value=value: me.get_all(after=value), "after") for value in ("", "no-id", 7)]
    await refuses(rc, cases)


async def test_changing(rc):
    me = rc.scope(user_id="alice")
    memory = await me.add("Alice prefers tea.")
    cases = []
    for value in IDS:
        cases += [(lambda v=value, verb=verb: verb(v), "id") for verb in (me.get, me.delete, me.restore, me.history)]
        cases += [(lambda v=value: me.update(v, content="Fine."), "id")]
    fields: dict[str, list[Any]] = {
        "content": TEXTS,
        "title": ["", "\x00", 5],
        "summary": ["", "\x00", 5],
        "type": ["nonsense", None, 5, ""],
        "category": [*NAMES, None],
        "tags": ["abc", [5], None],
        "metadata": ["a", [], {"a": NAN}],
        "importance": [*UNITS, None],
        "confidence": [*UNITS, None],
        "pinned": [1, None],
        "ttl_policy": ["nonsense", None],
        "sensitivity": ["nonsense", None],
        "valid_from": MOMENTS,
        "valid_until": MOMENTS,
        "if_version": [0, -1, "1", True, 1.5],
        "kind": ["statement"],
        "nonsense": [1],
    }
    for field, values in fields.items():
        cases += [(lambda f=field, v=value: me.update(memory.id, **{"pinned": True, f: v}), field) for value in values]
    cases += [(lambda: me.update(memory.id), "content")]
    cases += [(lambda value=value: me.delete(memory.id, reason=value), "reason") for value in ("", "\x00", 5)]
    await refuses(rc, cases)


async def test_watching_and_jobs(rc):
    me = rc.scope(user_id="alice")
    cases = [(lambda value=value: anext(me.watch(after=value)), "after") for value in (-1, "1", True, 1.5)]
    cases += [(lambda value=value: rc.run_job(value), "name") for value in ("", "nonsense", None, 5)]
    await refuses(rc, cases)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "user_id"),
        *(({"user_id": name}, "user_id") for name in NAMES),
        *(({"user_id": "a", "project_id": name}, "project_id") for name in NAMES),
        *(({"user_id": "a", "agent_id": name}, "agent_id") for name in NAMES),
        *(({"user_id": "a", "run_id": name}, "run_id") for name in NAMES),
        *(({"user_id": "a", "thread_id": name}, "thread_id") for name in NAMES),
        *(({"user_id": "a", "team_ids": teams}, "team_ids") for teams in ("red", [""], [5], 5)),
        *(({"user_id": "a", "sensitivity": word}, "sensitivity") for word in ("secret", None, 5)),
    ],
)
def test_scopes(given, field):
    from recollect import Recollect

    rc = Recollect.open(embedder="fake")
    rc.parts = None  # a scope is checked before anything is touched
    with pytest.raises(InvalidInput) as caught:
        rc.scope(**given)
    assert caught.value.field == field


async def test_a_clock_without_a_zone_is_refused(rc, open_recollect):
    naive = await open_recollect(clock=lambda: NAIVE)
    me = naive.scope(user_id="alice")
    await refuses(rc, [(lambda: me.add("Fine."), "clock"), (lambda: me.search("Fine."), "clock")])


async def test_what_is_not_there_is_not_found_and_changes_nothing(rc):
    from recollect.core.errors import NotFound

    me, id = rc.scope(user_id="alice"), uuid4()
    before = contents(rc.database_url)
    for call in (me.get(id), me.delete(id), me.restore(id), me.history(id), me.update(id, content="x")):
        with pytest.raises(NotFound, match=str(id)):
            await call
    assert contents(rc.database_url) == before
