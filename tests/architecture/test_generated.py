"""What is generated from the code is as the code is now. (The schema is compared in tests/migration.)"""

import sys

import house

sys.path.insert(0, str(house.ROOT / "scripts"))
import generate

_REMEDY = "run ./dev generate"


def test_the_stub_of_the_blocking_faces() -> None:
    assert generate.STUB.read_text("utf-8") == generate.sync_stub(), _REMEDY


def test_the_stub_of_the_client() -> None:
    assert generate.CLIENT_STUB.read_text("utf-8") == generate.client_stub(), _REMEDY


def test_the_table_of_settings() -> None:
    assert generate.REFERENCE.read_text("utf-8") == generate.reference(), _REMEDY
