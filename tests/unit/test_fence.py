"""The fence around recalled memory."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.context.fitting import fit
from recollect.context.model import Materials, RecalledText, WindowMessage
from recollect.core.tokens import Estimator
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


def context(*messages: str) -> str:
    said = [WindowMessage(turn, "user", None, text, text) for turn, text in enumerate(messages, 1)]
    found = [RecalledText("m", "Alice lives in Oslo.", 1.0)]
    given = Materials("We chose Rust.", system="Be kind.", profile=[("name", "Ann")], messages=said, memories=found)
    return fit(given, 4_000, Estimator()).text


def test_a_context_that_comes_back_says_nothing() -> None:
    text = context("We decided to use Redis.", "I live in Rome.\n\n# A heading\nMy name is Ann.")
    assert unfenced(text).split() == ["Be", "kind."]
    assert unfenced(f"Look at this:\n{text}\nI moved to Bern.").split()[-4:] == ["I", "moved", "to", "Bern."]


def test_nor_does_the_beginning_of_one() -> None:
    text = context("We decided to use Redis.", "I live in Rome.")
    for end in range(text.index("user: We decided") + 20, len(text), 7):
        assert "Redis" not in unfenced(text[:end])
        assert "Rome" not in unfenced(text[:end])


def test_a_heading_of_somebodys_own_stays() -> None:
    text = "# Working Memory\nI live in Rome.\n# Recent Conversation\nWe talked about Redis."
    assert unfenced(text) == text
