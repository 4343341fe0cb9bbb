"""Texts in packed bytes: each is found whole, and bytes that are something else stop nothing."""

import pickle
import random

import ormsgpack
import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from recollect.understanding.packed import texts

LENGTHS = (1, 31, 32, 48, 65, 97, 122, 128, 191, 255, 256, 0x141, 0x4141, 0x10041)


@pytest.mark.parametrize("length", LENGTHS)
def test_a_text_of_any_length_is_found_by_its_length(length):
    text = "y" * length
    value = {"said": [text, 1, -7, 2.5, None, True, 2**40, b"\x41" * 40], "more": {"again": text}}
    assert texts(ormsgpack.packb(value)).count(text) == 2
    assert text in texts(pickle.dumps(value))


def test_what_langgraph_wraps_is_read_too():
    said = "Zelda " + "called. " * 20
    state = {"messages": [HumanMessage(content=said, id="1")], "when": {1, 2}}
    type, body = JsonPlusSerializer().dumps_typed(state)
    assert type == "msgpack"
    assert said in texts(body)


def test_bytes_that_are_something_else_stop_nothing():
    chance = random.Random(4)
    for size in range(200):
        found = texts(chance.randbytes(size))
        assert all(isinstance(text, str) for text in found)
    assert texts(b"\x80\x05broken") == []
    assert texts(b"") == []
