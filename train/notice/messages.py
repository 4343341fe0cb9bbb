"""The labelled messages: our pack, and the sets that the tests of understanding hold already."""

import json
import lzma
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict

PACK = Path(__file__).parent / "messages.jsonl.xz"
TESTED = Path(__file__).parents[2] / "tests" / "data" / "understanding"


class ProfileLabel(BaseModel):
    """A keyed fact about the owner that a message holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: str
    key: str | None = None
    value: tuple[str, ...] = ()
    must: tuple[str, ...] = ()
    retract: bool = False


class StatementLabel(BaseModel):
    """Any other durable knowledge that a message holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: str
    about: str | None = None
    must: tuple[str, ...] = ()
    pending: bool = False


class Labels(BaseModel):
    """What is, or may be, taken from a message."""

    model_config = ConfigDict(frozen=True)

    profile: tuple[ProfileLabel, ...] = ()
    statements: tuple[StatementLabel, ...] = ()


class Message(Labels):
    """One message with its labels; fields that are left out have these defaults."""

    set: str
    """A letter for those who wrote and labelled it: whole sets are left out to see what a model learned."""
    content: str
    owner: str | None = None
    name: str | None = None
    role: str = "user"
    at: str = "2026-03-10T18:00:00+00:00"
    timezone: str = "UTC"
    optional: Labels = Labels()

    @property
    def own(self) -> bool:
        """Whether the owner of the memory speaks."""
        return self.name is None or self.name == self.owner


def read() -> list[Message]:
    """All labelled messages that may be trained on."""
    return [*tested(), *packed()]


def packed() -> list[Message]:
    """The messages of the pack."""
    with lzma.open(PACK, "rt", encoding="utf-8") as lines:
        return [Message.model_validate_json(line) for line in lines]


def tested() -> Iterator[Message]:
    """The messages of the tests that are for building; `closed.jsonl` is not, and never read here."""
    for name in ("open.jsonl", "practice.jsonl"):
        for line in (TESTED / name).read_text("utf-8").splitlines():
            case = json.loads(line)
            yield Message.model_validate({**case, "set": case["id"].partition("-")[0]})
