"""How the tagger of messages is made: messages, labels and places, and, where torch is installed, a run in small."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recollect.providers import onnx
from recollect.providers.tagging import KEYS, KINDS, MODEL
from train.notice import messages
from train.notice.align import closest, spans
from train.notice.encode import IGNORED, encode, labelled
from train.notice.messages import Message
from training import made_in_small, needs_torch


def message(content: str, **labels: Any) -> Message:
    return Message.model_validate({"set": "test", "content": content, "owner": "Alice", **labels})


def marked(of: Message) -> set[tuple[str, str, bool]]:
    """The words that carry each label, and whether they count."""
    return {(of.content[slice(*span.place)].strip(), span.label, span.counts) for span in spans(of)}


def fact(*must: str, **more: Any) -> dict[str, Any]:
    return {"type": "fact", "about": "Alice", "must": list(must), **more}


@pytest.fixture(scope="module")
def known() -> list[Message]:
    return messages.read()


# Labels to places --------------------------------------------------------------------------------


def test_a_value_is_marked_where_it_stands_and_a_statement_with_its_clause():
    said = message(
        "Quick one: I moved to Lisbon last Friday, can you help?",
        profile=[{"type": "identity", "key": "city", "value": ["Lisbon"]}],
        statements=[fact("moved", "Lisbon", "2026-03-06")],
    )
    assert marked(said) == {
        ("Lisbon", "identity.city", True),
        ("I moved to Lisbon last Friday,", "fact", True),
    }


def test_the_longest_wording_is_marked_in_any_case():
    said = message(
        "i'm a Staff Engineer here",
        profile=[{"type": "identity", "key": "job", "value": ["engineer", "staff engineer"]}],
    )
    assert marked(said) == {("Staff Engineer", "identity.job", True)}


def test_a_value_in_other_forms_is_found_by_its_words():
    said = message(
        "I run a very small bakery up north",
        profile=[{"type": "identity", "key": "job", "value": ["runs a small bakery"]}],
    )
    assert marked(said) == {("run a very small bakery", "identity.job", True)}


def test_a_statement_over_a_comma_takes_both_clauses():
    said = message("My sister Mia, who is vegan, visits on Sunday.", statements=[fact("sister", "vegan")])
    assert marked(said) == {("My sister Mia, who is vegan,", "fact", True)}


def test_the_smallest_stretch_with_all_words_counts():
    text = "Ben likes tea. Ben and I decided on tea for Ben"
    assert text[slice(*closest(text, ["tea", "Ben"]) or ())] == "tea. Ben"
    assert closest(text, ["2026-03-06"]) is None
    assert closest(text, ["coffee"]) is None


def test_a_favorite_is_marked_with_what_it_is_the_favorite_of():
    said = message(
        "My favourite colour is green", profile=[{"type": "preference", "key": "favorite_color", "value": ["green"]}]
    )
    assert marked(said) == {("green", "preference.favorite", True), ("colour", "preference.thing", True)}


def test_a_value_given_up_is_marked_as_ended_too():
    said = message(
        "I'm no longer vegan", profile=[{"type": "constraint", "key": "diet", "value": ["vegan"], "retract": True}]
    )
    assert marked(said) == {("vegan", "constraint.diet", True), ("vegan", "ended", True)}


def test_a_standing_order_is_a_clause_and_carries_its_key():
    said = message(
        "Thanks! From now on answer in French, please.",
        profile=[{"type": "instruction", "key": "reply_language", "value": ["French"]}],
    )
    clause = "From now on answer in French,"
    assert marked(said) == {(clause, "instruction", True), (clause, "reply_language", True)}


def test_what_is_optional_pending_or_not_to_be_found_does_not_count():
    text = "Maybe I'll move to Rome. I bake."
    said = message(
        text,
        profile=[{"type": "identity", "key": "employer", "value": ["Acme"]}],
        statements=[fact("Rome", pending=True)],
        optional={"profile": [{"type": "identity", "key": "job", "value": ["bake"]}]},
    )
    assert marked(said) == {
        (text, "identity.employer", False),
        ("Maybe I'll move to Rome.", "fact", False),
        ("bake", "identity.job", False),
    }


# Places to numbers -------------------------------------------------------------------------------


def test_each_token_has_its_kinds_and_its_key():
    said = message(
        "I live in Oslo, ok?",
        profile=[{"type": "identity", "key": "city", "value": ["Oslo"]}],
        statements=[fact("live", "Oslo")],
    )
    example = encode(said.content, spans(said))
    # start, I live in oslo , ok ? end
    assert example.kinds[:, KINDS.index("fact")].tolist() == [0, 1, 1, 1, 1, 1, 0, 0, 0]
    assert example.keys.tolist() == [IGNORED, 0, 0, 0, KEYS.index("identity.city"), 0, 0, 0, IGNORED]
    assert example.counted[1:-1].all()
    assert not example.counted[[0, -1]].any()


def test_a_word_that_is_demanded_and_allowed_is_demanded():
    value = {"type": "identity", "key": "city", "value": ["Oslo"]}
    said = message("I live in Oslo", profile=[value], optional={"profile": [{**value, "key": "hometown"}]})
    assert encode(said.content, spans(said)).keys[4] == KEYS.index("identity.city")


def test_what_others_say_teaches_nothing_about_the_profile():
    (example,) = labelled([message("I'm vegan", name="Ben", statements=[fact("vegan")])])
    assert (example.keys == IGNORED).all()
    assert not example.counted[:, KINDS.index("instruction") :].any()
    assert example.counted[1:-1, KINDS.index("fact")].all()


def test_only_what_users_say_is_trained_on_and_no_more_than_the_tagger_reads_at_once():
    assert labelled([message("I am a tool", role="tool")]) == []
    (example,) = labelled([message("word " * 1000)])
    assert len(example.ids) == len(example.keys) == len(example.kinds) == 256


# The pack ----------------------------------------------------------------------------------------


def test_the_messages_can_be_read(known: list[Message]):
    assert len(known) == 7278
    assert "".join(sorted({each.set for each in known})) == "123abcdefghijklmnopqrstvwx"
    assert all(each.content.strip() for each in known)
    assert all(not each.profile and not each.statements for each in known if each.role != "user")


def test_the_messages_use_known_types_and_keys_only(known: list[Message]):
    assert {span.label for each in known for span in spans(each)} <= {*KINDS, *KEYS}
    statements = {label.type for each in known for label in (*each.statements, *each.optional.statements)}
    assert statements == {"fact", "decision", "preference", "constraint", "goal"}


def test_nearly_every_label_that_has_to_be_learned_has_a_place(known: list[Message]):
    demanded = [each.model_copy(update={"optional": messages.Labels()}) for each in known]
    assert np.mean([span.counts for each in demanded for span in spans(each)]) > 0.98


def test_no_message_of_the_closed_set_is_trained_on(known: list[Message]):
    """Compared by their hashes, so that a failure shows none of them."""
    lines = (messages.TESTED / "closed.jsonl").read_text("utf-8").splitlines()
    closed = {_hash(json.loads(line)["content"]) for line in lines}
    assert len(closed) > 100
    assert not closed & {_hash(each.content) for each in known}


@needs_torch
def test_a_run_in_small_makes_a_tagger(tmp_path: Path):
    said = made_in_small("notice", tmp_path / "model.onnx")
    assert "24 labelled messages" in said
    ids = [onnx.START, *onnx.tokens("I moved to Oslo"), onnx.END]
    kinds, keys = onnx.Model(tmp_path / "model.onnx", shares_words=True).outputs(ids, [1] * len(ids))
    shipped = onnx.Model(MODEL, shares_words=True).outputs(ids, [1] * len(ids))
    assert [kinds.shape, keys.shape] == [each.shape for each in shipped]


def _hash(content: str) -> str:
    return hashlib.sha256(" ".join(content.casefold().split()).encode()).hexdigest()
