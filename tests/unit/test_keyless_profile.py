"""Profile facts from first-person statements, without a model."""

from datetime import UTC, datetime

import pytest

from recollect.understanding.keyless import understand
from recollect.understanding.model import Fact, Utterance

AT = datetime(2026, 3, 10, 18, tzinfo=UTC)


def facts(text: str) -> tuple[Fact, ...]:
    return understand(Utterance(text, "user", "Alice", own=True, at=AT, zone="Europe/Berlin")).facts


def keyed(text: str) -> set[tuple[str, str, str]]:
    return {(fact.type, fact.key, fact.value) for fact in facts(text)}


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("Hi, my name is Alex.", "name", "Alex"),
        ("Hi there! Sofia here, product manager at Klarna.", "name", "Sofia"),
        ("Oh, and I go by Lex.", "preferred_name", "Lex"),
        ("My pronouns are she/they.", "pronouns", "she/they"),
        ("I'm 29 and I live in Tallinn with my boyfriend.", "age", "29"),
        ("My birthday's on 9 October", "birthday", "9 October"),
        ("i live in new york and i'm vegan", "city", "New York"),
        ("We're based in Tartu, Estonia.", "city", "Tartu"),
        ("I'm originally from Lagos.", "hometown", "Lagos"),
        ("I'm Chilean, living in Melbourne.", "nationality", "Chilean"),
        ("We speak Tamil at home.", "language", "Tamil"),
        ("I'm in the Eastern time zone", "timezone", "Eastern"),
        ("I'm a paediatric nurse, twelve hour shifts", "job", "paediatric nurse"),
        ("I work for Larkfield Energy.", "employer", "Larkfield Energy"),
        ("I'm doing a PhD in linguistics at Leiden.", "school", "Leiden"),
        ("My wife's name is Ines.", "partner", "Ines"),
        ("I met my husband at uni.", "partner", "husband"),
        ("We have 3 kids: Ida, Nils and Frida", "children", "Nils"),
        ("My dog's called Biscuit.", "pets", "Biscuit"),
        ("You can mail me at jo.doe@example.com", "email", "jo.doe@example.com"),
    ],
)
def test_identity(text: str, key: str, value: str) -> None:
    assert ("identity", key, value) in keyed(text)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("I mainly code in Elixir, with Phoenix.", "language", "Elixir"),
        ("I mainly code in Elixir, with Phoenix.", "framework", "Phoenix"),
        ("I use Neovim btw.", "editor", "Neovim"),
        ("My daily driver is Debian.", "operating_system", "Debian"),
        ("I've switched from MySQL to Postgres.", "database", "Postgres"),
        ("I prefer metric units. What is that in grams?", "units", "metric"),
        ("Light theme please, always", "theme", "Light"),
        ("Please be brutally honest with me.", "tone", "brutally honest"),
        ("My favourite colours are teal", "favorite_color", "teal"),
    ],
)
def test_preferences(text: str, key: str, value: str) -> None:
    assert ("preference", key, value) in keyed(text)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("I'm pescatarian these days", "diet", "pescatarian"),
        ("I'm allergic to peanuts, soy and shellfish.", "allergy", "soy"),
        ("Gluten makes me ill", "intolerance", "Gluten"),
        ("I've had epilepsy since I was 12", "condition", "epilepsy"),
        ("I take 20 mg of citalopram daily.", "medication", "citalopram"),
        ("My budget is $500 a month.", "budget", "$500 a month"),
        ("I'm off on Fridays.", "availability", "off on Fridays"),
    ],
)
def test_constraints(text: str, key: str, value: str) -> None:
    assert ("constraint", key, value) in keyed(text)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("Please answer in Dutch from now on.", "reply_language", "Dutch"),
        ("I prefer my answers short.", "reply_length", "short"),
        ("Bullet points only, always.", "reply_format", "Bullet points only"),
        ("Don't ever use the word delve.", "rule_use_word_delv", "Do not ever use the word delve"),
    ],
)
def test_standing_orders(text: str, key: str, value: str) -> None:
    assert ("instruction", key, value) in keyed(text)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("I'm no longer vegetarian.", "diet", "vegetarian"),
        ("Turns out I'm not allergic to cats after all.", "allergy", "cats"),
        ("I no longer work at Siemens.", "employer", "Siemens"),
        ("I'm not on sertraline anymore.", "medication", "sertraline"),
        ("I quit my job as a waiter yesterday.", "job", "waiter"),
    ],
)
def test_the_end_of_a_value(text: str, key: str, value: str) -> None:
    assert [(fact.key, fact.value, fact.ended) for fact in facts(text)] == [(key, value, True)]


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("Actually, I'm not vegetarian, I'm pescatarian.", "diet", "pescatarian"),
        ("By the way, I no longer use VS Code, I now use Zed as my editor.", "editor", "Zed"),
        ("Scratch that, I live in Porto now, not Lisbon.", "city", "Porto"),
        ("It's Jon, not John.", "name", "Jon"),
    ],
)
def test_a_correction_gives_the_new_value_only(text: str, key: str, value: str) -> None:
    (fact,) = facts(text)
    assert (fact.key, fact.value, fact.ended, fact.correction) == (key, value, False, True)


def test_facts_carry_their_words_and_their_weight() -> None:
    (fact,) = facts("Sounds good. I'm allergic to peanuts. Any ideas?")
    assert fact.quote == "I'm allergic to peanuts"
    assert fact.importance == 1.0
    assert fact.confidence >= 0.9
    assert fact.first_person


def test_another_speaker_gives_no_facts() -> None:
    said = Utterance(
        "I live in Berlin and I'm vegan. Always answer in German.", "user", "Ben", own=False, at=AT, zone="UTC"
    )
    understood = understand(said)
    assert understood.facts == ()
    assert [statement.content for statement in understood.statements] == ["Ben lives in Berlin.", "Ben is vegan."]
    assert {statement.about for statement in understood.statements} == {"Ben"}


@pytest.mark.parametrize(
    "text",
    [
        "I almost moved to Oslo.",
        "I very nearly became a doctor.",
        "I might be allergic to shellfish.",
        "I'm probably allergic to shellfish.",
        "I think I'm allergic to shellfish.",
        "I'm allergic to shellfish, I think.",
        "I'm vegan, I guess.",
        "I think my favorite color is teal.",
        "My favorite color is probably teal.",
        "I have lived in Paris and Rome.",
        "I live in fear.",
        "I live in squalor.",
        "I start my new job at Stripe on Monday.",
        "From next month I work at Stripe.",
        "I turn 40 next week.",
    ],
)
def test_what_is_doubted_averted_past_or_to_come_is_no_fact_yet(text: str) -> None:
    assert facts(text) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I've lived in Paris, Rome and now Vienna.", {("identity", "city", "Vienna")}),
        ("I've lived in Paris, then Rome, now Graz.", {("identity", "city", "Graz")}),
        ("I've lived in Graz, Austria for years.", {("identity", "city", "Graz")}),
        ("I started my new job at Stripe on Monday.", {("identity", "employer", "Stripe")}),
        ("I start at Stripe today.", {("identity", "employer", "Stripe")}),
        ("I live in Graz until May.", {("identity", "city", "Graz")}),
        ("I almost always use Vim.", {("preference", "editor", "Vim")}),
        ("My dog is called Rex. My name is Zed.", {("identity", "pets", "Rex"), ("identity", "name", "Zed")}),
        ("My son is called Tom. My name is Ann.", {("identity", "children", "Tom"), ("identity", "name", "Ann")}),
    ],
)
def test_the_value_that_holds_now_is_taken(text: str, expected: set[tuple[str, str, str]]) -> None:
    assert keyed(text) == expected


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("Hi there, I'm Wanda. I run a small bakery in Gdańsk and I need help pricing sourdough.", "city", "Gdańsk"),
        ("My mother tongue is Brazilian Portuguese.", "language", "Brazilian Portuguese"),
        ("Please call me Mrs. Adeyemi.", "preferred_name", "Mrs. Adeyemi"),
        ("I'm not in Cork any more, moved up to Galway three weeks ago.", "city", "Galway"),
        ("I have to be home by ten because of our dog.", "pets", "dog"),
        ("My son Tobias is 7 and loves chess, his sister Freya is 4.", "children", "Freya"),
    ],
)
def test_a_value_ends_where_the_next_clause_begins(text: str, key: str, value: str) -> None:
    found = {fact.value for fact in facts(text) if fact.key == key and not fact.ended}
    assert value in found
    assert all(len(each.split()) <= len(value.split()) for each in found)


def test_an_animal_has_one_name_and_not_its_kind_besides() -> None:
    assert [fact.value for fact in facts("I've got one cat, Pixel, and a very sensitive nose.")] == ["Pixel"]


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ("You keep putting a rocket emoji on everything. Stop it.", "rule_", "rocket emoji"),
        ("Answer in Hungarian when I write in Hungarian and in English otherwise.", "reply_language", "otherwise"),
        ("Answer with a table whenever I'm comparing things.", "reply_format", "comparing"),
    ],
)
def test_an_order_says_what_it_is_about_and_when_it_holds(text: str, key: str, words: str) -> None:
    (order,) = (fact for fact in facts(text) if fact.type == "instruction")
    assert order.key.startswith(key)
    assert words in order.value


def test_an_order_that_is_taken_back_ends() -> None:
    (order,) = (fact for fact in facts("You don't have to stick to short answers any more.") if fact.type != "identity")
    assert (order.key, order.ended) == ("reply_length", True)
