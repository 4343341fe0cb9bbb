"""The share of BM25 that belongs to a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.records import bm25

counts = st.dictionaries(st.integers(1, 10**9 - 1), st.integers(1, 40), min_size=1, max_size=30)
means = st.floats(1, 500)


def test_a_text_of_mean_length_weighs_a_single_term_at_one():
    assert bm25.weights({7: 1}, 24, 24.0) == {7: pytest.approx(1.0)}


def test_repetition_saturates():
    once, often, ever = (bm25.weights({7: n}, 24, 24.0)[7] for n in (1, 10, 10_000))
    assert once < often < ever < bm25.K1 + 1


def test_a_longer_text_weighs_its_terms_less():
    short, long = (bm25.weights({7: 1}, length, 24.0)[7] for length in (5, 100))
    assert short > 1 > long


def test_a_space_without_a_mean_takes_the_typical_one():
    assert bm25.weights({7: 1}, 24, 0.0) == bm25.weights({7: 1}, 24, bm25.TYPICAL_LENGTH)


@given(counts, means, means)
def test_weights_made_with_any_mean_can_be_made_anew_with_another(terms, old, new):
    length = sum(terms.values())
    again = bm25.reweighted(bm25.weights(terms, length, old), length, new)
    assert again == pytest.approx(bm25.weights(terms, length, new), rel=1e-9)


def test_a_text_without_terms_stays_without():
    assert bm25.weights({}, 0, 24.0) == {}
    assert bm25.reweighted({}, 0, 24.0) == {}
