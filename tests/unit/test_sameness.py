"""The same-fact test and the model that has read paraphrases, held to each other."""

import pytest

from recollect.understanding.sameness import judge


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Corinne earns her living as a court interpreter.", "Corinne is a court interpreter by profession."),
        ("The Foxglove café belongs to Wilhelmina.", "Wilhelmina owns the Foxglove café."),
        ("Tea is Alice's favourite drink.", "Alice's favorite drink is tea."),
        ("Interns must not contact clients.", "Interns are forbidden to contact clients."),
    ],
)
def test_other_words_for_the_same(older: str, newer: str) -> None:
    assert judge(older, newer, similarity=0.9).relation == "same"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Salome's hearing aid cost 1,900 Swiss francs.", "Salome paid €1,900 for her hearing aid."),
        ("The trailer takes up to 750 kilograms.", "The trailer takes up to 750 pounds."),
        ("Oksana lent Gavin 500 pounds.", "Gavin lent Oksana 500 pounds."),
        ("Tristan's kidney was donated to him by his aunt.", "Tristan donated his kidney to his aunt."),
        (
            "According to Philipp, the neighbour's tree damaged the fence.",
            "According to the neighbour, Philipp's tree damaged the fence.",
        ),
        ("Emil's contract includes a non-compete clause.", "There is no non-compete clause in Emil's contract."),
        ("The dough rises at 75 degrees Celsius.", "The dough rises at 75 degrees Fahrenheit."),
        ("The backup starts at 2 am.", "The backup starts at 2 pm."),
        ("Wilfred wants to teach his son to play chess.", "Wilfred wants his son to teach him to play chess."),
    ],
)
def test_nearly_the_same_words_for_something_else(older: str, newer: str) -> None:
    assert judge(older, newer, similarity=0.97).relation != "same"
    assert judge(newer, older, similarity=0.97).relation != "same"
