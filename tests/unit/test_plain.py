"""Texts as a person reads them, and where what is read stands in what is written."""

import base64
import json
import quopri
from urllib.parse import quote

import pytest

from recollect.understanding.plain import plain

NAME = "Íñigo Núñez"


def where(text: str, wanted: str) -> str:
    """What stands written for something that is read."""
    read = plain(text)
    begin = read.text.index(wanted)
    first, last = read.span(begin, begin + len(wanted))
    return text[first:last]


@pytest.mark.parametrize(
    "written",
    [
        NAME,
        json.dumps(NAME)[1:-1],
        json.dumps(json.dumps(NAME))[3:-3],
        json.dumps(json.dumps(json.dumps(NAME)))[7:-7],
        "&Iacute;&ntilde;igo N&#250;&#xF1;ez",
        "&amp;Iacute;&amp;ntilde;igo N&amp;uacute;&ntilde;ez",
        quote(NAME),
        quote(quote(NAME)),
        quote(NAME.encode("latin-1")),
        quopri.encodestring(NAME.encode()).decode(),
        quopri.encodestring(NAME.encode("latin-1")).decode(),
        "=C3=8D=C3=B1igo N=C3=BA=\n=C3=B1ez",
        "Íñi\u00adgo Nú\u200bñez",
        "Íñｉｇｏ Ｎúñez",
        "\\xcd\\xf1igo N\\xfa\\xf1ez",
        "\\xc3\\x8d\\xc3\\xb1igo N\\xc3\\xba\\xc3\\xb1ez",
        f"=?utf-8?B?{base64.b64encode(NAME.encode()).decode()}?=",
        "=?iso-8859-1?Q?=CD=F1igo_N=FA=F1ez?=",
    ],
)
def test_a_name_is_read_however_it_is_written(written: str) -> None:
    text = f"Today {written} came; 100 % sure & done."
    assert plain(text).text == f"Today {NAME} came; 100 % sure & done."
    assert where(text, NAME) == written
    assert where(text, "came") == "came"
    assert where(text, "Today") == "Today"


def test_what_is_no_escape_is_left_as_it_is() -> None:
    for text in (
        "",
        "a = b & c",
        "100% of a\\b",
        "&nosuch; \\ud83d %zz =ZZ =?x?Q?=FF?=",
        "&#0; &#99999999;",
        "=?utf-8?B?!?=",
    ):
        assert plain(text).text == text


def test_pairs_and_signs() -> None:
    assert plain('{"a": "\\ud83d\\ude00 Anna\\nWintour \\"x\\""}').text == '{"a": "😀 Anna\nWintour "x""}'
    assert where("\\ud83d\\ude00 Anna\\nWintour", "Wintour") == "Wintour"
    assert where("\\ud83d\\ude00 Anna\\nWintour", "😀") == "\\ud83d\\ude00"


def test_a_large_text_is_read_in_pieces() -> None:
    text = "word " * 100_000 + "N&uacute;&ntilde;ez" + " word" * 100_000
    assert where(text, "Núñez") == "N&uacute;&ntilde;ez"
