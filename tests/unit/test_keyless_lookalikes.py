"""What only looks like a decision, a standing order, a limit or the speaker's own: and what really is one."""

from datetime import UTC, datetime

import pytest

from recollect.understanding.keyless import understand
from recollect.understanding.model import Understood, Utterance

AT = datetime(2026, 3, 10, 18, tzinfo=UTC)


def understood(text: str) -> Understood:
    return understand(Utterance(text, "user", "Alice", own=True, at=AT, zone="Europe/Berlin"))


def typed(text: str, type: str) -> list[str]:
    return [each.content for each in understood(text).statements if each.type == type]


def values(text: str, key: str) -> list[str]:
    return [fact.value for fact in understood(text).facts if fact.key == key]


def orders(text: str) -> list[str]:
    return [fact.value for fact in understood(text).facts if fact.type == "instruction"]


# Decisions ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "We might go with the bigger tent, depends on the weight.",
        "They've decided to close the library on Saturdays.",
        "I was going to apply in Leeds but then I missed the deadline.",
        "Should we go with the oak or the ash?",
        "I'd go with the second draft if I were you.",
        "We haven't agreed on a date for the party yet.",
        "She says she's going with the first florist.",
        "Peter proposed that we switch to a shared calendar.",
        "I had decided on Oslo, then the funding fell through.",
        "We had all agreed on June, but now the hall is gone.",
        "I decided to have soup tonight.",
        "One option is to rent first and buy later.",
        "If the offer comes through we'll sell the car.",
        "I nearly cancelled the whole trip this morning.",
    ],
)
def test_a_plan_a_proposal_or_the_decision_of_others_is_no_decision(text: str) -> None:
    assert [each for each in understood(text).statements if each.type == "decision" and each.confidence > 0.75] == []


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I'm quitting sugar for good.", "Alice is quitting sugar for good."),
        (
            "We're pushing the launch to April because legal isn't done.",
            "Alice's team is pushing the launch to 2026-04.",
        ),
        (
            "We moved the release from Thursday to Tuesday, everyone signed off.",
            "Alice's team moved the release from Thursday to 2026-03-17.",
        ),
        ("we're going to call the baby Noor", "Alice's family is going to call the baby Noor."),
        ("I accepted the post in Aarhus.", "Alice accepted the post in Aarhus."),
    ],
)
def test_a_choice_is_a_decision_without_the_word(text: str, content: str) -> None:
    assert typed(text, "decision") == [content]


# Standing orders ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "1. Preheat the oven to 200 degrees. 2. Never open the door while it bakes. 3. Always let it cool on a rack.",
        "Step 2: always unplug the machine before you clean the filter. Why is that?",
        "How-to for the coffee machine: fill the tank. Never use warm water. Always empty the tray.",
        "Write the instructions for the babysitter: never give him nuts, always lock the gate.",
        "Bake at 180 for 40 minutes. Always check with a skewer. Then glaze.",
        "Never trust a recipe without weights, that's what I say.",
        "For today's session, speak only Spanish with me.",
        "For this mail, use 'Dear Ms Okafor' and keep it formal.",
        "For the rest of this chat, answer in rhyme.",
        "Summarise this in two lines.",
        "Please write a thank-you note to Greta. Keep it short, three sentences, nothing soppy.",
        "Reply to her in Italian this time, she'll like that.",
        "Tell Marek to always bring the receipts.",
    ],
)
def test_a_step_a_maxim_or_a_request_for_once_is_no_standing_order(text: str) -> None:
    assert orders(text) == []


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("Going forward: answers in Catalan, please.", "reply_language", "Catalan"),
        ("Speak Portuguese with me until I tell you otherwise.", "reply_language", "Portuguese"),
        (
            "Answer in plain text only, no markdown, in this and every other chat.",
            "reply_format",
            "plain text only, no markdown",
        ),
        (
            "In every reply, put the bottom line first, then the reasoning.",
            "reply_format",
            "In every reply, put the bottom line first, then the reasoning",
        ),
    ],
)
def test_an_order_about_replies_has_its_key(text: str, key: str, value: str) -> None:
    assert values(text, key) == [value]


@pytest.mark.parametrize(
    "text",
    [
        "Don't ever round the figures in my bookkeeping.",
        "I'd rather you never used the word 'journey'.",
        "Standing request: spell my surname with two t's.",
        "If something I ask is dangerous for someone pregnant, warn me each time.",
    ],
)
def test_an_order_for_good_is_taken_whole(text: str) -> None:
    (order,) = orders(text)
    assert set(order.lower().split()) >= {text.lower().rstrip(".").split()[-1].strip("'")}


@pytest.mark.parametrize(
    "text",
    [
        "I get up at 6. I leave at 8. Always answer in French.",
        "Two things: 1) always answer in French 2) never recommend Amazon",
        "From now on always answer in French, also when I paste a recipe for bread: mix, fold, bake.",
    ],
)
def test_numbers_and_recipes_beside_an_order_take_nothing_from_it(text: str) -> None:
    assert "French" in " ".join(orders(text))


def test_each_rule_of_a_list_for_the_assistant_is_an_order() -> None:
    found = orders("Three house rules for you: 1) never recommend Amazon 2) always ask me before you search the web")
    assert "Never recommend Amazon" in found
    assert all("2)" not in order for order in found)


# Limits ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I can't do stairs, so it has to be a ground-floor flat.", "Alice needs a ground-floor flat."),
        ("it has to be vegan because half the crew is", "Alice needs something vegan."),
        (
            "At our club nobody under sixteen may row alone.",
            "At Alice's team's club nobody under sixteen may row alone.",
        ),
        (
            "Because my husband is in a wheelchair, every door has to be at least 90 cm wide.",
            "For Alice, every door has to be at least 90 cm wide.",
        ),
        (
            "The abstract is due on 3 June and may not have more than 250 words.",
            "The abstract may not have more than 250 words.",
        ),
        (
            "We have until 1 July to hand in the tax return.",
            "Alice's team has until 2026-07-01 to hand in the tax return.",
        ),
        (
            "The landlord gave us until the end of May to move out.",
            "The landlord gave Alice's family until the end of 2026-05 to move out.",
        ),
        ("Deadline for the mural is 3 July.", "Deadline for the mural is on 2026-07-03."),
        ("I've been told to cut salt to 5 g a day.", "Alice has been told to cut salt to 5 g a day."),
        ("There can't be any nails in the wall.", "There cannot be any nails in the wall."),
        (
            "I don't have a driving licence, so the cabin has to be reachable by train.",
            "For Alice, the cabin has to be reachable by train.",
        ),
    ],
)
def test_a_limit_told_as_a_fact_is_a_constraint(text: str, content: str) -> None:
    assert content in typed(text, "constraint")


@pytest.mark.parametrize(
    "text",
    [
        "Drivers must stop at a red light.",
        "Children under twelve must wear a helmet in Austria, is that right?",
        "It can't be a coincidence.",
        "It has to be a joke.",
        "It has to be a bug in the parser.",
        "I can't find the remote.",
        "We need to buy milk and call the plumber.",
        "You must try the plum cake.",
    ],
)
def test_a_rule_of_the_world_a_guess_or_a_chore_is_no_constraint(text: str) -> None:
    assert typed(text, "constraint") == []


@pytest.mark.parametrize(
    "text",
    [
        "The parish gives us 150 euros a year for the crib.",
        "The club pays us 80 euros per game.",
        "I got 500 euros back from the tax office.",
        "The heater costs 89 euros.",
    ],
)
def test_money_that_comes_or_that_something_costs_is_no_budget(text: str) -> None:
    assert values(text, "budget") == []


# Whose it is -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "children"),
    [
        ("I live with Jonas and our daughter Tilda.", ["Tilda"]),
        ("Jonas and our son Mats are away until Sunday.", ["Mats"]),
        ("Our kids Ida and Max and our daughter Lu are asleep.", ["Ida", "Max", "Lu"]),
        ("We have a daughter, Ida, and our son Max is 4.", ["Ida", "Max"]),
    ],
)
def test_the_name_before_our_daughter_is_not_the_daughter(text: str, children: list[str]) -> None:
    assert sorted(values(text, "children")) == sorted(children)


@pytest.mark.parametrize(
    "text",
    [
        "My father is 81 and still drives.",
        "My dad, 74, lives with us.",
        "He's 71, my father.",
        "I'm with my father, 81, at the clinic.",
        "At 74 my mother has taken up the trumpet.",
    ],
)
def test_the_age_of_another_is_not_the_speakers(text: str) -> None:
    assert values(text, "age") == []


def test_his_daughter_is_not_the_citys() -> None:
    (statement,) = understood("My uncle lives in Bari with his daughter Clara.").statements
    assert statement.content == "Alice's uncle lives in Bari with his daughter Clara."


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("The retreat is on the 17th and 18th of January.", "The retreat is on 2027-01-17 and on 2027-01-18."),
        ("The seminar is on 4 and 5 June.", "The seminar is on 2026-06-04 and on 2026-06-05."),
        ("My flat is on the 2nd and 3rd floor.", "Alice's flat is on the 2nd and 3rd floor."),
    ],
)
def test_two_days_share_their_month(text: str, content: str) -> None:
    assert [each.content for each in understood(text).statements] == [content]
