"""Databases are compared by what their rows say, not by the ids that were made."""

from uuid import uuid4

from same_rows import canonical, changed


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
