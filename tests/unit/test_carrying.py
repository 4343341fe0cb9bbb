"""Which passages carry something that is forgotten: by names, by sentences, and by keyed hashes alone."""

import json

import pytest

from recollect.core.errors import InvalidInput, Unavailable
from recollect.core.keyring import Keyring
from recollect.understanding import carrying
from recollect.understanding.carrying import Marks, Names, Texts

MARIA = Names(
    full=frozenset({("maria", "lopez"), ("lopez", "maria")}),
    first=frozenset({"maria", "mia"}),
    last=frozenset({"lopez"}),
    others=frozenset({("maria", "schmidt"), ("lopez", "consulting")}),
)
SHARED = Names(MARIA.full, MARIA.first, MARIA.last, frozenset({"maria", "lopez"}), MARIA.others)


def nested(value, levels):
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("levels", [20, 60, 600, 900])
def test_what_lies_deep_goes_and_keeps_nobody_from_being_forgotten(levels):
    before = {"deep": nested("Maria Lopez", levels), "beside": nested("Bob", levels), "text": "Maria Lopez left."}
    after = carrying.without_in(before, MARIA)
    assert "Maria" not in repr(carrying.lost(json.dumps(after["deep"]), MARIA))
    assert json.dumps(after["beside"]) == json.dumps(nested("Bob", levels))
    assert after["text"] == ""
    assert "Maria" not in carrying.without("[" * levels + '"Maria Lopez"' + "]" * levels, MARIA)
    assert "Maria" not in carrying.without_in("[" * levels + '"Maria Lopez"' + "]" * levels, MARIA)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Maria Lopez likes tea. The budget was approved.", "[forgotten] The budget was approved."),
        ("We met maria yesterday. Bob paid.", "[forgotten] Bob paid."),
        ("Maria's plan works! Dr. Lopez agrees. Juan Lopez does not.", "[forgotten] Juan Lopez does not."),
        ("MARIA LÓPEZ came. Bob left.", "[forgotten] Bob left."),
        ("Lopez, Maria: 3 days. Bob: 4 days.", "[forgotten]"),
        ("Bob: hi\nMaria: I am ill. And sad.\nBob: ok", "Bob: hi\n[forgotten]\nBob: ok"),
        ("Maria Lopez  10:03 AM\nI am here\nstill\n\nBob 10:04\nok", "[forgotten]\n\nBob 10:04\nok"),
        ("Meeting with MARIA\nLopez about x\nNext line", "[forgotten]\nNext line"),
        ("Write to maria.lopez@example.org today. Then rest.", "[forgotten] Then rest."),
        ("Ask @marialopez. Then rest.", "[forgotten] Then rest."),
        ("Maria Lopezs dog barked. It rained.", "[forgotten] It rained."),
        ("mia's dog barked. It rained.", "[forgotten] It rained."),
        ("lopez's dog barked. i saw lopez. It rained.", "[forgotten] It rained."),
        ("Maria Lopez left. She cried. Then it rained.", "[forgotten] Then it rained."),
        ("Maria Lopez met Bob Stern. He laughed.", "[forgotten] He laughed."),
        ("Maria Schmidt came. Lopez Consulting closed.", "Maria Schmidt came. Lopez Consulting closed."),
        ("Maria Krause came.", "Maria Krause came."),
        ("Nothing of it.", "Nothing of it."),
        ("", ""),
    ],
)
def test_a_person_is_found_by_every_name_and_nobody_else(text: str, left: str) -> None:
    assert carrying.redacted(text, MARIA) == left


def test_names_that_others_share_count_where_the_full_name_stands() -> None:
    assert carrying.redacted("Maria came. It rained.", SHARED) == "Maria came. It rained."
    assert carrying.redacted("Maria Lopez sang. Maria came.", SHARED) == "[forgotten]"
    both = "Maria Lopez sang. Maria Schmidt played. Maria came."
    assert carrying.redacted(both, SHARED) == "[forgotten] Maria Schmidt played. Maria came."


def test_a_name_that_is_a_word_is_one_in_lower_case() -> None:
    will = Names(frozenset({("will", "hunt")}), frozenset({"will"}), frozenset({"hunt"}))
    assert carrying.redacted("We will meet. Will sings.", will) == "We will meet. [forgotten]"


def test_names_of_scripts_without_spaces() -> None:
    wang = Names(frozenset({tuple("王小明")}))
    assert carrying.redacted("今天王小明来了。我们喝茶。", wang) == "[forgotten]我们喝茶。"


def test_labels_and_objects() -> None:
    assert carrying.labelled(["lopez", "tea", "maria-lopez"], MARIA, meant=False) == ["tea"]
    assert carrying.labelled(["lopez", "tea"], SHARED, meant=False) == ["lopez", "tea"]
    assert carrying.labelled(["lopez", "tea"], SHARED, meant=True) == ["tea"]
    value = {"who": "Maria Lopez", "Maria": 1, "list": ["Maria Lopez", "Bob"], "text": "Maria sang. It rained.", "n": 3}
    assert carrying.without_in(value, MARIA) == {"who": "", "list": ["Bob"], "text": "It rained.", "n": 3}


def test_a_text_is_found_by_its_sentences() -> None:
    nuts = Texts.of(["Alice is allergic to nuts."], ignored=["Alice"])
    assert carrying.without("Allergic to nuts is Alice. Bob sings.", nuts) == "Bob sings."
    assert carrying.without("I am allergic to nuts and pollen.", nuts) == "I am allergic to nuts and pollen."
    for announced in ("Note: ", "User said: ", "- Summary: "):
        assert carrying.without(f"{announced}Alice is allergic to nuts. Bob sings.", nuts) == "Bob sings."
    assert carrying.without("Menu: nuts. Bob sings.", nuts) == "Menu: nuts. Bob sings."
    within = Texts.of(["Alice is allergic to nuts."], within=True, ignored=["Alice"])
    assert carrying.redacted("I am allergic to nuts and pollen. I sing.", within) == "[forgotten] I sing."


def test_hashes_alone_find_what_names_and_sentences_find(tmp_path) -> None:
    key = Keyring(tmp_path).current()
    forms = [*carrying.name_forms(MARIA)]
    forms += [("text", form) for form in carrying.sentence_forms("Alice is allergic to nuts.")]
    marks = {(form, key.mark(form, text)) for form, text in forms}
    finder = Marks(lambda form, text: (form, key.mark(form, text)) in marks)
    text = "Maria's dog barked. maria lopez left. Dr. Lopez sang. Alice is allergic to nuts. Maria Schmidt came."
    assert carrying.without(text, finder) == "Maria Schmidt came."
    assert carrying.labelled(["lopez", "tea"], finder, meant=False) == ["tea"]


def test_keys_are_kept_apart_and_adopted(tmp_path) -> None:
    ring = Keyring(tmp_path)
    own = ring.current()
    assert ring.current() == own
    assert ring.path.stat().st_mode & 0o777 == 0o600
    other = Keyring(tmp_path / "other").current()
    assert ring.adopt(other.secret.hex()) == other
    ring.adopt(other.secret.hex())
    assert len(ring.path.read_text().split()) == 2
    assert ring.current() == own
    assert ring.find(other.id) == other
    with pytest.raises(Unavailable, match="missing"):
        ring.find("0")
    for wrong in ("", "xyz", "00"):
        with pytest.raises(InvalidInput, match="key"):
            ring.adopt(wrong)
    assert own.mark("name", "a") != own.mark("first", "a") != other.mark("first", "a")
