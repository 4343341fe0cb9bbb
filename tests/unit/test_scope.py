"""Who asks, what they write and what they read."""

import pytest

from recollect.core.errors import InvalidInput, NotAllowed
from recollect.core.scope import Scope


@pytest.mark.parametrize(
    ("given", "space", "own", "owner"),
    [
        ({"user_id": "a"}, "user:a", "user:a", "user:a"),
        ({"user_id": "a", "agent_id": "g"}, "user:a", "user:a", "user:a"),
        ({"agent_id": "g"}, "agent:g", "agent:g", "agent:g"),
        ({"project_id": "p"}, "project:p", "project:p", ""),
        ({"user_id": "a", "project_id": "p"}, "project:p", "user:a", "user:a"),
        ({"agent_id": "g", "project_id": "p"}, "project:p", "agent:g", "agent:g"),
    ],
)
def test_the_space_that_is_written(given, space, own, owner):
    scope = Scope(**given)
    assert (scope.space, scope.own_space, scope.owner) == (space, own, owner)


def test_the_spaces_that_are_read_each_once_and_its_own_first():
    scope = Scope(user_id="a", project_id="p", team_ids=("t", "u", "t"))
    assert scope.readable == ("project:p", "user:a", "team:t", "team:u")
    assert Scope(user_id="a").readable == ("user:a",)


def test_a_team_is_written_only_by_its_members():
    scope = Scope(user_id="a", team_ids=("t",))
    assert scope.team_space("t") == "team:t"
    with pytest.raises(NotAllowed) as caught:
        scope.team_space("u")
    assert caught.value.what == "team u"


def test_somebody_has_to_be_named():
    with pytest.raises(InvalidInput) as caught:
        Scope(thread_id="t")
    assert caught.value.field == "user_id"


def test_one_string_is_not_a_list_of_teams():
    with pytest.raises(InvalidInput) as caught:
        Scope(user_id="a", team_ids="red")
    assert caught.value.field == "team_ids"
