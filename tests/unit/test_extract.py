"""Names and relations, by rules."""

import pytest

from recollect.graph.extract import Types, extract
from recollect.graph.model import canonical, overlap


def named(text: str) -> set[tuple[str, str, str]]:
    return {entity.key for entity in extract(text).entities}


def linked(text: str) -> set[tuple[str, str, str, bool]]:
    return {(link.subject[2], link.type, link.object[2], link.denied) for link in extract(text).links}


def test_names_and_technical_terms() -> None:
    found = named("# Current Task\n\nMaria chose PostgreSQL for the Atlas Project; see `update_section` in store.py.")
    assert ("entity", "technology", "postgresql") in found
    assert ("entity", "project", "atlas") in found
    assert ("entity", "code", "update_section") in found
    assert ("entity", "code", "store.py") in found
    assert all("current" not in name for _, _, name in found)


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("The auth service uses Redis.", ("auth-service", "uses", "redis", False)),
        ("Maria works at Acme Corp.", ("maria", "works_at", "acme-corp", False)),
        ("Redis depends on Linux.", ("redis", "depends_on", "linux", False)),
        ("The auth service no longer uses Redis.", ("auth-service", "uses", "redis", True)),
    ],
)
def test_relations(text: str, link: tuple[str, str, str, bool]) -> None:
    assert link in linked(text)


def test_whoever_works_somewhere_is_a_person() -> None:
    assert ("person", "", "maria") in named("Maria works at Acme Corp.")


def test_what_is_denied_is_marked() -> None:
    entities = {entity.name: entity.denied for entity in extract("The auth service does not use Redis.").entities}
    assert entities["Redis"]
    assert not entities["auth service"]


def test_a_denied_name_that_is_also_affirmed_is_not_denied() -> None:
    entities = {entity.name: entity.denied for entity in extract("Redis is not needed. We run Redis anyway.").entities}
    assert entities == {"Redis": False}


def test_the_same_words_give_the_same_names() -> None:
    text = "Implemented JWT-based authentication with refresh tokens for Atlas."
    assert extract(text) == extract(text)
    assert overlap(extract(text).names, extract("JWT authentication, refresh tokens: done for Atlas.").names) == 1


def test_overlap_and_canonical_names() -> None:
    assert canonical("Atlas  Project") == "atlas-project"
    assert canonical("C++") == "c++"
    assert overlap(frozenset(), frozenset({"a"})) == 1
    assert overlap(frozenset({"a", "b"}), frozenset({"a", "c", "d"})) == 0.5


@pytest.mark.parametrize("text", ["", "   ", "#", "```", "x" * 100_000, "A " * 20_000, "uses " * 5_000])
def test_any_text_can_be_read(text: str) -> None:
    assert extract(text) is not None


def test_a_number_or_a_legal_form_ends_the_name_of_a_thing() -> None:
    found = named(
        "Apollo 1 was cancelled and Sarah Chen leads Apollo 2. Falcon 9 begins to fly. "
        "It was BMW AG that hired Tom Weber."
    )
    assert {("entity", "name", "apollo-1"), ("entity", "name", "apollo-2"), ("entity", "name", "falcon-9")} <= found
    assert ("entity", "organisation", "bmw-ag") in found
    assert not {name for _, _, name in found} & {"apollo", "ag", "bmw"}


@pytest.mark.parametrize("text", ["We met Zorvax 5 times.", "Zorvax 3 weeks ago said so.", "Zorvax 2024 was fine."])
def test_a_number_that_counts_something_is_no_part_of_a_name(text: str) -> None:
    assert {name for _, _, name in named(text)} <= {"zorvax"}


@pytest.mark.parametrize(
    "text",
    [
        "Black Pearl is our oldest vehicle. Tom sails Black Pearl at dawn.",
        "The vehicle Black Pearl is big. Black Pearl sails at dawn.",
        "Tom sails Black Pearl. Black Pearl, a fast vehicle, came home.",
    ],
)
def test_what_a_space_asks_for_is_of_its_type_wherever_it_is_named(text: str) -> None:
    entities = extract(text, types=Types(entities=("vehicle",))).entities
    [pearl] = [entity for entity in entities if "pearl" in entity.key[2]]
    assert (pearl.key, pearl.points) == (("entity", "vehicle", "black-pearl"), 2)


def test_what_is_no_name_is_of_no_type() -> None:
    assert not extract("What is a vehicle? It was a vehicle.", types=Types(entities=("vehicle",))).entities


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("The office is at 12 Anna Lane.", "anna-lane"),
        ("My aunt lives in Haus Maria.", "haus-maria"),
        ("The practice on Clara Zetkin Street is closed.", "clara-zetkin-street"),
    ],
)
def test_a_street_or_a_house_is_nobody(text: str, place: str) -> None:
    assert {(kind, name) for kind, _, name in named(text)} == {("entity", place)}


def test_a_person_may_be_called_like_a_street_or_a_house() -> None:
    assert ("person", "", "anna-lane") in named("Anna Lane called.")
    assert ("person", "", "david-villa") in named("David Villa scored twice.")


def test_a_verb_with_its_object_is_no_part_of_a_term() -> None:
    assert named("The heater costs 89 euros. Sick days cost the firm a lot.") == set()
    assert ("concept", "", "heater-costs") in named("Heater costs have doubled.")
