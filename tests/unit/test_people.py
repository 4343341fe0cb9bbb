"""Who is somebody in a text, and who or what is not."""

import pytest

from recollect.graph.extract import extract
from recollect.sources.cleaning.people import people as of_addresses


def people(text: str) -> set[str]:
    return {entity.name for entity in extract(text).entities if entity.kind == "person"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ping Sam about it.", {"Sam"}),
        ("Ping Sam Okafor about it.", {"Sam Okafor"}),
        ("Chase Tom for the keys.", {"Tom"}),
        ("I met O'Brien yesterday.", {"O'Brien"}),
        ("O'Brien said the roof leaks.", {"O'Brien"}),
        ("王小明和李华昨天在北京开会。", {"王小明", "李华"}),
        ("请李华准备报告。", {"李华"}),
        ("tom: did bob fix it?\nann: yes, bob fixed it yesterday", {"Tom", "Ann", "Bob"}),
        ("ask bob about the keys", {"Bob"}),
        ("See you.\n\nBest,\nJonas Lindqvist\nNorthwind Traders", {"Jonas Lindqvist"}),
        ("lunch with bob at noon", {"Bob"}),
    ],
)
def test_people(text: str, found: set[str]) -> None:
    assert people(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "Patients with Morbus Zeta were seen.",
        "He sailed to Saint Helena in May.",
        "It takes Will Power to do this.",
        "Will Power is a question of training.",
        "Write to legal@acme.example, support@acme.example or no-reply@acme.example.",
        "I drank it with sherry, and a bob of hair fell down.",
        "我们在金华和江南玩了一天。",
    ],
)
def test_nobody(text: str) -> None:
    assert people(text) == set()


@pytest.mark.parametrize(
    "address",
    [
        "legal@acme.example",
        "support@acme.example",
        "no-reply@acme.example",
        "hr@acme.example",
        "it@acme.example",
        "Legal <legal@acme.example>",
        "Acme Support <support@acme.example>",
        "GitHub <noreply@github.example>",
    ],
)
def test_an_address_of_many_is_nobody(address: str) -> None:
    assert of_addresses(address) == ()


def test_somebody_may_write_from_an_address_of_many() -> None:
    assert of_addresses("Sarah Chen <info@chen.example>", "italo@acme.example") == ("Sarah Chen", "italo")
