"""A pronoun is told as what it stands for where the words before it leave no doubt, and given up where they do."""

from datetime import UTC, datetime

import pytest

from recollect.understanding.keyless import understand
from recollect.understanding.keyless.antecedents import resolved
from recollect.understanding.keyless.expletives import plain
from recollect.understanding.model import Utterance


def told(text: str) -> list[str]:
    at = datetime(2026, 5, 14, 10, tzinfo=UTC)
    understood = understand(Utterance(text=text, role="user", speaker="Sam", own=True, at=at, zone="UTC", before=None))
    return [each.content for each in understood.statements]


@pytest.mark.parametrize(
    ("before", "text", "meant"),
    [
        ("Don't offer me Kafka. ", "company rules forbid it on site", "company rules forbid Kafka on site"),
        ("The kiosk is silent, guests touch it a lot. ", "it has to boot offline", "the kiosk has to boot offline"),
        ("We want a bird box, oak. My husband and ", "I decided that it will stand by the shed",
         "I decided that the bird box will stand by the shed"),
        ("I was wrong about Zig. ", "our tools will be built with it", "our tools will be built with Zig"),
        ("I'm going with the red tandem. ", "it has to carry two bags", "the red tandem has to carry two bags"),
        ("My aunt Wilma came by. ", "I decided to keep her piano", "I decided to keep my aunt Wilma's piano"),
        ("The vet weighed Crumpet. ", "she is our oldest", "Crumpet is our oldest"),
    ],
)  # fmt: skip
def test_the_only_thing_or_person_is_meant(before: str, text: str, meant: str) -> None:
    assert resolved(text, before + text) == meant


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("The lease covers the garage. ", "it has to be renewed in May"),
        ("My sister Ines called my aunt Berta. ", "she wants to learn Welsh"),
        ("My brother Luis called. ", "she wants to learn Welsh"),
        ("Draft the letter. ", "it has to stay under one page"),
        ("We meet in Ghent. ", "it has to end by nine"),
        ("I fixed the roof. ", "it was agreed to paint later"),
        ("I fixed the roof. ", "it has to be the green one"),
        ("I dropped PyPI. ", "I have moved to Conda and it runs well"),
        ("", "it has to run offline"),
    ],
)
def test_what_could_be_another_is_left_open(before: str, text: str) -> None:
    assert resolved(text, before + text) is None


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (
            "The ticket app must work offline, drivers use it in tunnels. Also it has to run on Android 8.",
            "The ticket app has to run on Android 8.",
        ),
        ("Mum moved to a care home in Ripon last week. I've decided to sell her Skoda.",
         "Sam has decided to sell Sam's mum's Skoda."),
        ("By the end of the year I want to read the whole Aeneid in Latin.",
         "Sam wants to read the whole Aeneid in Latin by the end of 2026."),
        ("They took me off lithium yesterday", "Sam was taken off lithium on 2026-05-13."),
    ],
)  # fmt: skip
def test_a_statement_names_what_its_pronoun_means(text: str, content: str) -> None:
    assert content in told(text)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("We've ruled out a home birth unless it's an emergency.", "ruled out a home birth unless it is an emergency."),
        ("This adapter has to run on 12 volts. Which regulator?", "The adapter has to run on 12 volts."),
        (
            "What I'm aiming for is a C1 certificate in Czech by June.",
            "Sam's goal is a C1 certificate in Czech by 2026-06.",
        ),
        (
            "Guests are not allowed to bring their own chairs, fire rules.",
            "Guests are not allowed to bring their own chairs",
        ),
    ],
)
def test_what_points_at_nothing_may_stay_or_is_said_without(text: str, content: str) -> None:
    assert any(content in each for each in told(text)), told(text)


@pytest.mark.parametrize(
    "text",
    ["I sold this stuff in 2019.", "My shop is shut and that is why they rang yesterday."],
)
def test_a_bare_pointer_is_given_up(text: str) -> None:
    assert not any(word in each.split() for each in told(text) for word in ("stuff", "they", "that"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("at the kick-off it was agreed to drop the fax line", "at the kick-off we agreed to drop the fax line"),
        ("it was decided last night that the bar stays", "we decided last night that the bar stays"),
        ("we talked it over on the ferry and settled on Rhodes", "we settled on Rhodes"),
        ("my sister and I slept on it and the boat will be sold", "the boat will be sold"),
        ("the insurer made it a condition that nobody sleeps there", "the insurer requires that nobody sleeps there"),
        ("it is our duty to lock the gate", "our duty is to lock the gate"),
        ("it is why I cannot stand radios", "I cannot stand radios"),
        ("I bought it and settled in", "I bought it and settled in"),
    ],
)
def test_an_it_of_nothing_is_taken_out_of_a_clause(text: str, said: str) -> None:
    assert plain(text) == said
