"""Names and relations, by rules."""

import pytest

from recollect.graph.extract import extract
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
