"""The reference names all there is: every verb with its arguments, and every job."""

import re
from pathlib import Path

import pytest

from recollect.flows import fade
from recollect.wire.verbs import VERBS, Verb

REFERENCE = (Path(__file__).parents[2] / "docs" / "reference.md").read_text("utf-8")
CALLED = {"recollect": "rc", "memory": "me", "chat": "chat"}


def told(verb: Verb) -> str:
    """What stands between the brackets of a verb; after the first of a row the object may be left out."""
    own = CALLED[verb.owner]
    rows = [row for row in REFERENCE.splitlines() if re.match(rf"\| `[a-z ]*\b{own}\.", row)]
    found = re.search(rf"(?:\b{own}\.|`){verb.name}\(([^`]*)\)`", "\n".join(rows))
    assert found, f"{own}.{verb.name} is missing"
    return found[1]


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.id)
def test_every_verb(verb: Verb) -> None:
    said = told(verb)
    for name, parameter in verb.signature.parameters.items():
        if parameter.kind is not parameter.VAR_KEYWORD and name != "timing":  # for benchmarks
            assert re.search(rf"\b{name}\b", said), f"{verb.id}: {name} is missing"


@pytest.mark.parametrize("job", sorted(fade.SWEEPS))
def test_every_job(job: str) -> None:
    [row] = [row for row in REFERENCE.splitlines() if "rc.run_job(" in row]
    assert f"`{job}`" in row
