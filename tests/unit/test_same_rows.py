"""Databases are compared by what their rows say, not by the ids that were made."""

from uuid import uuid4

from same_rows import canonical, changed, strays


def made(*, known: str, linked_to_first: bool = True) -> dict[str, list[str]]:
    """Two memories and a relation to one of them, with ids of their own."""
    first, second, relation = (str(uuid4()) for _ in range(3))
    return {
        "memory": [f"({first},tea)", f"({second},coffee)", f"({known},known)"],
        "relation": [f"({relation},{known},{first if linked_to_first else second})"],
    }


def test_other_ids_are_the_same_rows() -> None:
    known = str(uuid4())
    assert canonical(made(known=known), {known}) == canonical(made(known=known), {known})


def test_another_link_is_another_database() -> None:
    known = str(uuid4())
    other = made(known=known, linked_to_first=False)
    assert canonical(made(known=known), {known}) != canonical(other, {known})


def test_known_ids_are_not_interchangeable() -> None:
    one, other = str(uuid4()), str(uuid4())
    assert canonical(made(known=one), {one, other}) != canonical(made(known=other), {one, other})


def test_changed_rows_are_those_that_came_or_went() -> None:
    assert changed({"memory": ["a", "b"]}, {"memory": ["b", "c"]}) == {"memory": ["a", "c"]}


def test_what_was_not_due_is_a_stray_where_it_changed_or_went() -> None:
    due, other, gone = (str(uuid4()) for _ in range(3))
    before = {"memory": [f"({due},tea)", f"({other},coffee)", f"({gone},{due})"], "space": ["(1)"]}
    after = {"memory": [f"({due},milk)", f"({other},juice)"], "space": ["(2)"]}
    expected = [f"({other},coffee)", f"({other},juice)", f"({gone},{due})"]
    assert sorted(strays(before, after, {due}, set())) == sorted(expected)
    assert strays(before, after, {due, other, gone}, set()) == []


def test_what_is_new_hangs_on_what_is_due() -> None:
    due, spared, story, tie, line, wrong, lone = (str(uuid4()) for _ in range(7))
    known = {"memory": [f"({due},a)", f"({spared},b)"], "relation": [], "event": []}
    told = {"memory": [*known["memory"], f"({story},it went on)"], "relation": [f"({tie},{story},{due})"]}
    assert strays(known, told | {"event": [f"({line},done)"]}, {due}, {spared}) == []
    about_spared = told | {"relation": [*told["relation"], f"({wrong},{story},{spared})"], "event": []}
    assert strays(known, about_spared, {due}, {spared}) == [f"({wrong},{story},{spared})"]
    unbidden = known | {"memory": [*known["memory"], f"({lone},from nowhere)"]}
    assert strays(known, unbidden, {due}, {spared}) == [f"({lone},from nowhere)"]
