"""A short yes or no."""

import pytest

from recollect.understanding.acknowledgement import acknowledged


@pytest.mark.parametrize("text", ["Yes.", "yes please", "Sure, go ahead!", "That's right.", "OK", "Yep, that is me"])
def test_a_yes(text: str) -> None:
    assert acknowledged(text) is True


@pytest.mark.parametrize("text", ["No.", "Nope!", "please don't", "No, thanks", "That's not right."])
def test_a_no(text: str) -> None:
    assert acknowledged(text) is False


@pytest.mark.parametrize(
    "text",
    ["", "Yes, but only at work.", "Yes?", "I said yes to the offer in Rome last week, you know, and then left", "Hm."],
)
def test_neither(text: str) -> None:
    assert acknowledged(text) is None
