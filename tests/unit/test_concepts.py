"""What a text is about, without a model: terms of two words, topics, and what it comes back to."""

import pytest

from recollect.graph.extract import extract


def concepts(text: str) -> set[str]:
    return {entity.name for entity in extract(text).entities if entity.kind == "concept"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We talked about capacity planning, and the error budget is used up.", {"capacity planning", "error budget"}),
        ("Maria will write the incident report.", {"incident report"}),
        ("The council discussed zoning reform and affordable housing.", {"zoning reform", "affordable housing"}),
        ("Dad called about his blood pressure.", {"blood pressure"}),
        ("Is the sales forecast out?", {"sales forecast"}),
        ("He talked about dementia and the eviction.", {"dementia", "eviction"}),
        ("Can we stop the IV fluids?", {"IV fluids"}),
    ],
)
def test_terms_and_topics(text: str, found: set[str]) -> None:
    assert found <= concepts(text)


@pytest.mark.parametrize(
    "text",
    [
        "We went for a long walk and had a nice day.",
        "They send reports, we review data, and you update records.",
        "The whole team is in the small room next week.",
        "i'll archive it, i'll plan it, we budget for it",
        "Ask the sales manager about the car park.",
        "Wir haben den Mietvertrag und den Umzug besprochen, und es ist noch nicht klar.",
    ],
)
def test_ordinary_words_are_no_concepts(text: str) -> None:
    assert concepts(text) == set()


def test_a_term_in_the_plural_is_the_same_one() -> None:
    found = [
        entity
        for entity in extract("The rate limit is low. All rate limits are low.").entities
        if entity.kind == "concept"
    ]
    assert [(entity.name, entity.points) for entity in found] == [("rate limit", 2)]


def test_what_a_name_holds_is_no_concept() -> None:
    assert concepts("She works at Brightwater Data Services in Berlin.") == set()


def test_a_long_text_is_about_what_it_comes_back_to() -> None:
    filler = "We walked along and said what came to mind, and it was fine with everybody. " * 40
    assert concepts(f"{filler} The error budget is used up.") == set()
    assert concepts(f"The error budget is used up. {filler} The error budget is back.") == {"error budget"}


def test_a_text_is_about_few_things() -> None:
    heads = ("plan", "report", "budget", "policy", "survey", "audit")
    words = (
        "harbour",
        "library",
        "hospital",
        "airport",
        "museum",
        "railway",
        "prison",
        "theatre",
        "factory",
        "stadium",
    )
    text = " ".join(f"The {word} {head} is there." for head in heads for word in words)
    found = concepts(text * 2)
    assert 0 < len(found) <= 40
