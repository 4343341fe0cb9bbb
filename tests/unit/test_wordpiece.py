"""Our tokenizer gives the numbers and places that the `tokenizers` library gives, whatever the text."""

import json
import unicodedata
from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

import wordpieces
from recollect.providers import onnx, wordpiece
from recollect.providers.text import encodable
from recollect.providers.wordpiece import WordPiece

DATA = Path(__file__).parents[1] / "data"
FOLDER = onnx.WORDS.parent
SIZE = 1_000

library = cache(wordpieces.library)
ours = cache(lambda: WordPiece(FOLDER))

HOSTILE = {
    "marks of the model": "[CLS] a[SEP]b [MASK][UNK] [PAD]",
    "nearly marks of the model": "[sep] [ SEP] [SEP [\0SEP] SEP] [[SEP]] [CLS\u0301]",
    "dotted I": "İstanbul ISPARTA ığdır İİ",
    "ligatures and wide letters": "ﬁne ﬄ Ⅷ ２０２６ ＡＢＣ ℌ ß ẞ ĳ ǅ",
    "marks on letters": "e\u0301te\u0302\u0301 Ångström naïve \u0301alone o\u0338",
    "marks on signs": "<\u0338 =\u0338 ≮ ≠ \u037e \u1fef",
    "controls": "a\0b \x01 c\x1cd\x1d\x7f e\x85f\x0bg\x0ch\r\n\ti",
    "nothing to see": "a\u200bb\u00adc\ufeffd\u2060e\ufffdf\U000e0041\ue000g",
    "spaces": "a\u00a0b\u1680c\u2003d\u2028e\u202ff\u3000g",
    "Chinese, Japanese, Korean": "記憶力 memory記憶 ひらがなカタカナ が 안녕하세요 豈 𠀀 〇々",
    "Indian": "क्षत्रिय नी தமிழ் বাংলা ไทย ລາວ བོད་ཡིག",
    "right to left": "שָׁלוֹם مَرْحَبًا \u202eabc",
    "Greek": "ΟΔΟΣ ὀδός ᾳ ΐ Ω K Å",
    "emoji": "😀👩‍👩‍👧‍👦🇵🇹 ❤️ 1️⃣",
    "signs": "a_b-c—d…‘e’ “f” $1.50 x^2 `~|<>+= №5 ½ ² ©",
    "the longest word": "x" * 100 + " " + "x" * 101 + " " + "e\u0301" * 100 + " " + "e\u0301" * 101,
    "very long words": "ab1" * 3_000 + " " + "é" * 3_000,
    "newer than the pieces": "\u2e4f \u0c04 \u1c89 \U0001e943a\U0001e945 \U00016ea0 \ua7ce",
    "half a pair": "a\ud800b \udfff",
    "nothing": "",
    "white": " \n\t\u3000 ",
}


def agree(text: str) -> None:
    sound = encodable(text)
    expected = library().encode(sound, add_special_tokens=False)
    ids, spans = ours().pieces(sound)
    assert ids == expected.ids == ours().ids(sound)
    if in_order(sound):
        assert spans == expected.offsets


def in_order(text: str) -> bool:
    """Whether marks stand as Unicode would order them; where not, the library misplaces the ends of unknown words."""
    kept = [character for character in text if unicodedata.category(character) not in ("Cc", "Cf", "Co")]
    return unicodedata.normalize("NFD", "".join(kept)) == "".join(unicodedata.normalize("NFD", one) for one in kept)


def strings(found: object) -> list[str]:
    """All strings of a JSON value."""
    if isinstance(found, str):
        return [found]
    inside = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
    return [text for part in inside for text in strings(part)]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts(text: str) -> None:
    agree(text)


def test_every_character_of_unicode() -> None:
    """Of the planes that nothing is in, and of those of private use, some."""
    points = [*range(0xD800), *range(0xE000, 0x34000), *range(0x34000, 0x110000, 97), *range(0xE0000, 0xE0200)]
    for start in range(0, len(points), SIZE):
        agree(" ".join(f"a{chr(point)}b{chr(point)}" for point in points[start : start + SIZE]))


@given(st.text(st.characters(codec=None), max_size=60))
@example("\u0301a")
@settings(max_examples=500, deadline=None)
def test_any_text(text: str) -> None:
    agree(text)


PARTS = (
    st.sampled_from([*wordpieces.MARKS, "the", "ing", "Unbelievable", "2026", " ", " ", "\n"])
    | st.characters(max_codepoint=0x7F)
    | st.characters(min_codepoint=0x80, max_codepoint=0x24F)
    | st.characters(categories=["Mn", "Mc", "Cc", "Cf", "Zs", "Po", "Sc"])
    | st.characters(min_codepoint=0x3000, max_codepoint=0xFFFF)
)


@given(st.lists(PARTS, max_size=40).map("".join))
@settings(max_examples=1_000, deadline=None)
def test_any_mixture(text: str) -> None:
    agree(text)


@pytest.mark.parametrize("path", sorted(DATA.rglob("*.json*")), ids=lambda path: path.name)
def test_texts_of_people(path: Path) -> None:
    text = path.read_text("utf-8")
    values = map(json.loads, text.splitlines()) if path.suffix == ".jsonl" else [json.loads(text)]
    for said in {text for value in values for text in strings(value)}:
        agree(said)


def test_what_was_cut_is_forgotten_when_there_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordpiece, "_MOST_KEPT", 10)
    made = WordPiece(FOLDER)
    text = " ".join(f"word{number}" for number in range(100)) + " " + "y" * 99
    assert made.ids(text) == made.ids(text) == library().encode(text, add_special_tokens=False).ids
    assert len(made._cut) <= 10
    assert "y" * 99 not in made._cut


def test_the_library_of_these_tests_is_set_up_as_the_model_was() -> None:
    made = library()
    assert isinstance(made, Tokenizer)
    assert made.encode("I moved", "To Oslo").tokens == ["[CLS]", "i", "moved", "[SEP]", "to", "oslo", "[SEP]"]
    assert made.encode("I moved", "To Oslo").type_ids == [0, 0, 0, 0, 1, 1, 1]
