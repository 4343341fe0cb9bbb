"""The table of verbs, and how arguments, answers and errors travel."""

import json
from datetime import UTC, datetime
from uuid import UUID

import pytest

from recollect.context.bullets import Bullet, Whole
from recollect.core import errors
from recollect.core.errors import InvalidInput, NotAllowed, RecollectError, Unavailable
from recollect.flows import remember
from recollect.memory import Bullets, Chat, Hits, Recollect, ScopedMemory
from recollect.records import changes, filters
from recollect.wire.arguments import MORE
from recollect.wire.headers import HEADERS, named_by, naming
from recollect.wire.problems import STATUS, error_of, problem_of
from recollect.wire.verbs import VERBS, Verb, verb

ID = UUID("0198a3c2-5d7e-7c3a-9b1f-2f6f0c1d4e5a")


def test_every_public_method_is_a_verb_or_stays() -> None:
    public = {
        (owner, name)
        for owner, of in (("recollect", Recollect), ("memory", ScopedMemory), ("chat", Chat))
        for name, member in vars(of).items()
        if not name.startswith("_") and callable(member)
    }
    stays = {("recollect", name) for name in ("open", "close", "scope", "backup", "restore")}
    assert {(each.owner, each.name) for each in VERBS} == public - stays


def test_no_two_share_a_path_or_an_id() -> None:
    assert len({each.path for each in VERBS}) == len({each.id for each in VERBS}) == len(VERBS)


def test_what_stands_behind_the_stars_is_what_the_library_takes() -> None:
    assert MORE["get_all"].keys() == MORE["delete_all"].keys() == filters._CHECKS.keys()
    assert MORE["search"].keys() == filters._CHECKS.keys() | {"context", "threshold", "weights"}
    assert MORE["search_many"].keys() == MORE["search"].keys() | {"limit", "after", "wait"}
    assert MORE["add"].keys() == remember._FIELDS - {"content"}
    assert MORE["update"].keys() == changes._CHECKS.keys()


def test_an_open_end_is_listed_for_every_verb_that_has_one() -> None:
    open_ended = {
        each.name for each in VERBS if any(p.kind is p.VAR_KEYWORD for p in each.signature.parameters.values())
    }
    assert open_ended == MORE.keys()


@pytest.mark.parametrize("each", VERBS, ids=lambda each: each.id)
def test_every_verb_can_be_described(each: Verb) -> None:
    assert each.request.json_schema()["additionalProperties"] is False
    assert each.response.json_schema(mode="serialization") is not None
    assert each.text


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b'{"query": "tea", "limit": "3"}', "limit"),
        (b'{"query": "tea", "limit": true}', "limit"),
        (b'{"query": "tea", "colour": 1}', "colour"),
        (b'{"query": null}', "query"),
        (b"{}", "query"),
        (b"[]", "body"),
        (b"", "query"),
        (b"nonsense", "body"),
        (b'{"query": "tea", "kinds": ["statement", 3]}', "kinds[1]"),
    ],
)
def test_a_wrong_argument_is_named(body: bytes, field: str) -> None:
    with pytest.raises(InvalidInput) as wrong:
        verb("memory", "search").parse(body)
    assert wrong.value.field == field


def test_only_what_was_given_is_handed_on() -> None:
    assert verb("memory", "search").parse(b'{"query": "tea"}') == {"query": "tea"}
    assert verb("memory", "query").parse(b'{"query": "tea", "return": "full"}') == {"query": "tea", "return_": "full"}
    assert verb("memory", "forget").parse(b'{"message": ["talk", 3]}') == {"message": ("talk", 3)}
    assert verb("memory", "match").parse(b'{"pattern": [["person", null, "entity"]], "names": {"0": "Zoe"}}') == {
        "pattern": [["person", None, "entity"]],
        "names": {0: "Zoe"},
    }


def test_bullets_and_whole_ones_come_back_as_what_they_were() -> None:
    told = [Bullet(ID, "tasks", "x", (Bullet(ID, "tasks", "y"),)), Whole(ID, "tasks", "x", kind="statement", score=0.5)]
    query = verb("memory", "query")
    back = query.read(query.write(Bullets(told, ("cut",))))
    assert (back.bullets, back.warnings) == (told, ("cut",))
    assert [type(each) for each in back.bullets] == [Bullet, Whole]


def test_warnings_travel_with_hits() -> None:
    search = verb("memory", "search")
    assert json.loads(search.write(Hits([], ("late",)))) == {"hits": [], "warnings": ["late"]}


class TestProblems:
    @pytest.mark.parametrize(
        "error",
        [
            *(kind("gone") for kind in STATUS if kind not in (InvalidInput, NotAllowed, Unavailable)),
            InvalidInput("limit", "must be from 1 to 10: not 0"),
            NotAllowed("team crew", "the scope does not belong to it"),
            Unavailable("PostgreSQL", "no connection"),
            RecollectError("anything else"),
        ],
        ids=lambda error: type(error).__name__,
    )
    def test_an_error_comes_back_as_what_it_was(self, error: RecollectError) -> None:
        again = error_of(json.loads(json.dumps(problem_of(error))))
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert vars(again) == vars(error)

    def test_every_public_error_has_a_status(self) -> None:
        below = {each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, RecollectError)}
        assert set(STATUS) == below - {RecollectError}

    def test_one_that_quotes_a_lone_surrogate_can_be_written(self) -> None:
        assert "?" in problem_of(InvalidInput("after", "is no id: '\ud800'"))["detail"]

    def test_a_stranger_is_an_error_all_the_same(self) -> None:
        assert type(error_of({"title": "SystemExit", "detail": "no"})) is RecollectError


class TestHeaders:
    def test_a_scope_comes_back_as_what_it_was(self) -> None:
        scope = {"user_id": "李 雷/..", "team_ids": ("a,b", "c d"), "sensitivity": "high", "thread_id": "é%2F"}
        assert named_by(naming(scope)) == scope
        assert all(value.isascii() for value in naming(scope).values())

    def test_nothing_named_is_nothing(self) -> None:
        assert naming({"user_id": None}) == {}
        assert named_by({}) == {}

    def test_what_is_no_utf8_is_refused(self) -> None:
        with pytest.raises(InvalidInput):
            named_by({HEADERS["user_id"]: "%ff"})


def test_moments_come_back_in_utc() -> None:
    at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    messages = verb("chat", "messages")
    body = (
        b'[{"id": "%s", "turn": 1, "role": "user", "name": null, "content": "hi", "at": "2026-03-01T13:00:00+01:00",'
        b' "metadata": {}, "watermark": "w"}]' % str(ID).encode()
    )
    assert messages.read(body)[0].at == at
