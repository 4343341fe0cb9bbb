"""Secrets are found by their shape and masked; plain talk about them is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.understanding import secrets
from recollect.understanding.secrets import MASK, holds_secret, mask

SECRETS = [
    ("my key is sk-proj-Zk3vT9wq8Lm2Nx7Rb4Yc", "Zk3vT9wq8Lm2Nx7Rb4Yc"),
    ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "16C7e42F292c6912E7710c838347Ae178B4a"),
    ("AKIAIOSFODNN7EXAMPLE is the id", "AKIAIOSFODNN7EXAMPLE"),
    ("the db password is Tr0ub4dor-Kestrel-88, put it in", "Tr0ub4dor"),
    ("password: hunter2", "hunter2"),
    ("The password of the router at the cabin is Tern-7714-quay.", "Tern-7714-quay"),
    ("the wifi password for the office is sunflower", "sunflower"),
    ("AWS_SECRET_ACCESS_KEY=wJ4lrXUtnFEMI0K7MDENGbPxRfiCYexample9", "wJ4lrXUtnFEMI"),
    ("postgres://app:s3cr3tpw@db.example/main", "s3cr3tpw"),
    ("Authorization: Bearer abcdefghijklmnop1234", "abcdefghijklmnop1234"),
    ("card 4111 1111 1111 1111 exp 09/27", "4111 1111 1111 1111"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY-----", "MIIEow"),
    ("the alarm PIN is 9030", "9030"),
    ("my SSN is 123-45-6789", "123-45-6789"),
    ("token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-def", "eyJhbGciOiJIUzI1NiJ9"),
]
PLAIN = [
    "I forgot my password again.",
    "The password is wrong.",
    "The password is stored in the vault.",
    "How do tokens work?",
    "My phone number is 0171 2345678.",
    "Order 1234567890123456 has not arrived.",
    "The key to success is patience.",
    "The token is expired.",
    "Commit 3fa2c1d fixed it.",
    "id 123e4567-e89b-12d3-a456-426614174000",
    "I was born on 1990-04-02 and live in Rome.",
]


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_a_secret_is_masked(text: str, secret: str) -> None:
    assert holds_secret(text)
    assert secret not in mask(text)
    assert MASK in mask(text)


@pytest.mark.parametrize("text", PLAIN)
def test_plain_talk_is_left_alone(text: str) -> None:
    assert mask(text) == text
    assert not holds_secret(text)


@given(st.text(max_size=400))
def test_what_is_masked_needs_no_second_mask(text: str) -> None:
    assert mask(mask(text)) == mask(text)


def test_a_very_long_text_is_read_in_one_pass() -> None:
    text = "-----BEGIN PRIVATE KEY-----" * 3 + "a1" * 200_000 + " password " * 20_000
    assert MASK in mask(text)


WORDS = (
    "Password|PA\u017f\u017fWORD|p\u0131n|P\u0130N|to\u212aen|contraseña|Kennwort|login|USERNAME|is|:|=|/|to|from|hunter2|x9$k!q|é|"
    "bearer|Basic|abcdefghijklmnop1234|xoxb-1234567890|4111 1111 1111 1111|٤١١١١١١١١١١١١١١١|ssn|Social Security|"
    "123-45-6789|https://a:b2@c|wJ4lrXUtnFEMI0K7MDENGbPxRfiCYexample9|admin|key|cred|creds|the|a 2fa code|\n"
)


class Anything:
    """Hints that rule nothing out."""

    longest_run = 10**9

    def __init__(self, text: str) -> None:
        del text

    def any_of(self, *stems: str) -> bool:
        return bool(stems)

    def may_hold_digits(self, count: int) -> bool:
        return count > 0


@given(st.lists(st.one_of(st.sampled_from(WORDS.split("|")), st.text(max_size=5)), max_size=12).map(" ".join))
def test_no_pattern_is_ruled_out_that_would_have_found_something(text: str) -> None:
    found = mask(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "_Hints", Anything)
        assert mask(text) == found
