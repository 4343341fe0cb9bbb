"""Terms of any script, and the numbers that stand for them."""

import unicodedata
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.terms import STOP_WORDS, runs_together, term_counts, term_id, term_ids, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Running runners RAN", ["run", "runner", "ran"]),
        ("Caroline's adoption agencies", ["carolin", "adopt", "agenc"]),
        ("In 2023, at 7:30 pm", ["2023", "7", "30", "pm"]),
        ("snake_case and kebab-case", ["snake", "case", "kebab", "case"]),
        ("Crème brûlée in Zürich", ["creme", "brule", "zurich"]),
        ("Straße", ["strass"]),
        ("Ёлка и ЁЛКА", ["елка", "и", "елка"]),
        ("Αθήνα ΑΘΗΝΑ", ["αθηνα", "αθηνα"]),
        ("שָׁלוֹם שלום", ["שלום", "שלום"]),
        ("مُحَمَّد محمد", ["محمد", "محمد"]),
        ("ｆｕｌｌ ｗｉｄｔｈ", ["full", "width"]),
        ("", []),
        ("?! … —", []),
        ("the who of it", []),
    ],
)
def test_words_are_folded_and_stemmed(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我喜欢茶", ["我喜", "喜欢", "欢茶"]),
        ("茶", ["茶"]),
        ("茶。水", ["茶", "水"]),
        ("がっこう", ["がっ", "っこ", "こう"]),
        ("ｶﾞｷﾞ", ["ガギ"]),
        ("안녕하세요", ["안녕", "녕하", "하세", "세요"]),
        ("กิน", ["กิ", "ิน"]),
        ("iPhone手机15", ["iphon", "手机", "15"]),
    ],
)
def test_scripts_without_spaces_are_pairs(text: str, expected: list[str]) -> None:
    decomposed = [unicodedata.normalize("NFKD", term) for term in expected]
    assert [unicodedata.normalize("NFKD", term) for term in terms(text)] == decomposed


def test_vowel_signs_that_a_script_needs_stay() -> None:
    assert terms("हिन्दी भाषा") == ["हिन्दी", "भाषा"]
    assert terms("की") != terms("का")
    assert terms("か") != terms("が")


def test_a_query_in_another_form_finds_the_text() -> None:
    for text in ("Café", "안녕", "がく", "Ångström"):
        assert terms(unicodedata.normalize("NFD", text)) == terms(unicodedata.normalize("NFC", text))
        assert terms(text.upper()) == terms(text.lower())


def test_runs_together() -> None:
    assert runs_together("王芳")
    assert not runs_together("Anna")
    assert not runs_together("王 芳")


@given(st.text(max_size=200))
def test_any_text_gives_clean_terms(text: str) -> None:
    found = terms(text)
    assert all(term and term == term.strip() and not term.isspace() for term in found)
    assert not STOP_WORDS.intersection(terms(" ".join(STOP_WORDS)))
    assert terms(text) == found


@given(st.text(alphabet=st.characters(codec="ascii"), max_size=100), st.sampled_from(["é", "茶", "я"]))
def test_the_fast_path_and_the_full_path_agree(text: str, other: str) -> None:
    assert terms(f"{text} {other}")[:-1] == terms(text)


@given(st.text(max_size=20), st.text(max_size=20))
def test_ids_are_in_range_and_stable(space: str, term: str) -> None:
    number = term_id(space, term)
    assert 1 <= number <= 999_999_999
    assert number == term_id(space, term)


def test_ids_do_not_change_between_releases() -> None:
    assert term_ids("user:alice", ["tea", "茶"]) == [634466522, 359120562]


def test_ids_belong_to_their_space() -> None:
    assert term_id("user:alice", "tea") != term_id("user:bob", "tea")
    assert term_id("user:a", "btea") != term_id("user:ab", "tea")


def test_counts_are_the_term_frequencies() -> None:
    counts = term_counts("user:alice", "Tea, more tea, and a teapot. 茶茶茶")
    assert counts == dict(Counter(term_ids("user:alice", ["tea", "tea", "teapot", "茶茶", "茶茶"])))
    assert term_counts("user:alice", "the") == {}
