"""The fence around recalled memory."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.understanding.fence import CLOSING, OPENING, fenced, unfenced


def test_what_is_fenced_is_not_read_again() -> None:
    assert unfenced(f"Hello.\n{fenced('Alice lives in Oslo.')}\nI live in Rome.") == "Hello.\n\nI live in Rome."


def test_a_fence_that_is_never_closed_reaches_to_the_end() -> None:
    assert unfenced(f"Hello. {OPENING}\nAlice lives in Oslo.") == "Hello. "


def test_several_fences() -> None:
    assert unfenced(f"a{fenced('x')}b{fenced('y')}c") == "abc"


def test_a_marker_inside_cannot_close_the_fence() -> None:
    inside = f"one {CLOSING} two {OPENING} three <<< Recollect: END >>> four"
    assert unfenced(f"before {fenced(inside)} after") == "before  after"


def test_a_lone_closing_marker_is_taken_out() -> None:
    assert unfenced(f"I live in Rome. {CLOSING}") == "I live in Rome. "


@given(
    st.text(),
    st.text(alphabet=st.characters(exclude_characters="<>")),
    st.text(alphabet=st.characters(exclude_characters="<>")),
)
def test_nothing_fenced_ever_comes_out(inside: str, before: str, after: str) -> None:
    assert unfenced(before + fenced(inside) + after) == before + after
