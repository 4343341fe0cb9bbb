"""The server keeps to what it says of itself: requests that fit its description and requests that do not, by lot.

`RECOLLECT_EXAMPLES` says how many of an operation, of each sort; the suite makes do with a few.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.specs.openapi import checks

from recollect.server import bodies
from recollect.server.examples import LINKS, example_of
from recollect.server.openapi import document
from recollect.wire.verbs import VERBS
from serving import process

EXAMPLES = int(os.environ.get("RECOLLECT_EXAMPLES", "5"))
QUIETLY = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
# A schema does not tell that an end comes after a beginning, or that an id is of something; a deleted memory can
# be looked at until it is purged; and a memory that was added may be one that was deleted before.
LEFT_OUT = [checks.positive_data_acceptance, checks.use_after_free, checks.ensure_resource_availability]
ENDLESS = "watch"
LINES = "import_lines"
VERB_OF = {verb.id: verb for verb in VERBS}
schemathesis.serializer.alias(bodies.LINES, "text/plain")
NEO4J = {"rebuild_graph", "verify_graph"}
"""Without one they answer that it is not there: 503."""


class Seeded:
    """A server with something in it, and ids that requests may name."""

    def __init__(self, url: str) -> None:
        self.url = url
        with httpx.Client(base_url=url, timeout=60) as http:
            self.key = http.post("/v1/make_key", json={"name": "root", "admin": True, "user_id": "alice"}).json()[
                "secret"
            ]
        self.headers = {"Authorization": f"Bearer {self.key}"}
        self._http = httpx.Client(base_url=url, headers=self.headers, timeout=60)
        self.ids = self._fill()
        self.lines = self._http.post("/v1/export", json={}).text

    def post(self, verb: str, **arguments: Any) -> Any:
        answer = self._http.post(f"/v1/{verb}", json=arguments)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def _fill(self) -> dict[str, Any]:
        self.post("conversation", thread_id="talk")
        self.post("conversations/talk/add", role="user", content="My name is Alice.")
        self.post("ingest", raw="Zelda Quist works at Doppler Group. Rupert Vane works at Orbital Labs.")
        memory = self.post("add", content="Alice prefers tea.")
        active = self.post("create_active", title="Trip", sections={"plan": "Pack."})
        self.post("drain", timeout=60)
        people = [node["id"] for node in self.post("nodes")]
        source = self.post("sources")[0]["id"]
        relation = self.post("relate", a_id=people[0], b_id=people[1], type="knows")["id"]
        note = self.post("add_note", id=memory["id"], text="Green.")["id"]
        replay = self.post("replay")["id"]
        stone = self.post("forget", id=self.post("add", content="Nobody knows.")["id"])["tombstones"][0]
        return {
            "id": memory["id"],
            "active_id": active["id"],
            "node_id": people[0],
            "a_id": people[0],
            "b_id": people[1],
            "source_id": source,
            "replay_id": replay,
            "tombstone_id": stone,
            "section": "plan",
            "update_relation": relation,
            "end_relation": relation,
            "update_note": note,
            "remove_note": note,
        }

    def named(self, case: schemathesis.Case) -> schemathesis.Case:
        """The same request about something that is there."""
        id = case.operation.definition.raw["operationId"]
        if id == LINES:
            case.body = self.lines
        if isinstance(case.body, dict):
            known = {name: value for name, value in self.ids.items() if name in case.body}
            case.body = case.body | known | ({"id": self.ids[id]} if id in self.ids else {})
        if "thread" in (case.path_parameters or {}):
            case.path_parameters = {**case.path_parameters, "thread": "talk"}
        return case


@pytest.fixture(scope="module")
def seeded(server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seeded]:
    folder: Path = tmp_path_factory.mktemp("served")
    with server.fresh_database() as url, process(url, folder) as (_, address):
        yield Seeded(address)


@pytest.fixture
def described(seeded: Seeded) -> Any:
    return schemathesis.openapi.from_dict(document())


def sent(seeded: Seeded, case: schemathesis.Case, reached: set[str]) -> None:
    """Send a request for Alice: whom it speaks for is tried elsewhere."""
    case.headers = {name: value for name, value in (case.headers or {}).items() if not name.startswith("X-Recollect")}
    answer = case.call_and_validate(base_url=seeded.url, headers=seeded.headers, excluded_checks=LEFT_OUT, timeout=60)
    if answer.status_code == 200:
        reached.add(case.operation.definition.raw["operationId"])


def shown(seeded: Seeded, operation: Any) -> schemathesis.Case:
    """The request that the description shows, about something that is there."""
    verb = VERB_OF[operation.definition.raw["operationId"]]
    place = {"thread": "talk"} if "{thread}" in operation.path else {}
    body, kind = (seeded.lines, bodies.LINES) if verb.takes_lines else (dict(example_of(verb)), bodies.JSON)
    return seeded.named(operation.Case(body=body, media_type=kind, path_parameters=place))


def try_all(seeded: Seeded, operation: Any, mode: GenerationMode, reached: set[str]) -> None:
    """Requests of one sort to one operation; of those that fit, every other one is about something that is there."""

    @QUIETLY
    @given(case=operation.as_strategy(generation_mode=mode), about=st.booleans())
    def try_it(case: schemathesis.Case, about: bool) -> None:
        sent(seeded, seeded.named(case) if about and mode is GenerationMode.POSITIVE else case, reached)

    try_it()


def test_every_operation_keeps_to_its_description(seeded: Seeded, described: Any) -> None:
    reached, problems = set[str](), list[str]()
    operations = [each.ok() for each in described.get_all_operations()]
    tried = [each for each in operations if each.definition.raw["operationId"] not in {ENDLESS, *NEO4J}]
    # All examples come first: what is sent by lot may forget everything.
    for operation in tried:
        sent(seeded, shown(seeded, operation), reached)
    for operation in tried:
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            try:
                try_all(seeded, operation, mode, reached)
            except Exception as problem:
                problems.append(f"{operation.label}: {problem}")
    assert not problems, "\n\n".join(problems)
    assert len(operations) == len(VERBS)
    assert len(reached) >= 0.6 * len(operations), sorted({verb.id for verb in VERBS} - reached)


def test_one_answer_leads_to_the_next(seeded: Seeded, described: Any) -> None:
    followed = set[str]()

    class Walk(described.as_state_machine()):  # type: ignore[misc]
        def get_call_kwargs(self, case: schemathesis.Case) -> dict[str, Any]:
            return {"headers": seeded.headers, "base_url": seeded.url, "timeout": 60}

        def before_call(self, case: schemathesis.Case) -> None:
            case.headers = {}

        def step(self, input: Any) -> Any:
            # What is asked by lot seldom has an answer that leads on, and was asked above.
            if input.transition is None:
                input.case.body = shown(seeded, input.case.operation).body
            output = super().step(input)
            if input.transition is not None and input.is_applied and output.response.status_code == 200:
                followed.add(input.transition.id)
            return output

        def validate_response(self, response: Any, case: schemathesis.Case, **more: Any) -> None:
            case.validate_response(response, excluded_checks=LEFT_OUT, headers=seeded.headers)

    # One step in twelve follows a link: of few walks none might.
    walks = max(40, QUIETLY.max_examples)
    Walk.run(settings=settings(QUIETLY, stateful_step_count=6, max_examples=walks))
    assert followed


def test_links_and_examples_are_of_arguments_that_exist() -> None:
    verbs = {verb.id: verb for verb in VERBS}
    for verb, links in LINKS.items():
        assert verb in verbs
        for _, target, name in links:
            assert name in {argument.name for argument in verbs[target].arguments}, (verb, target)
    for verb in VERBS:
        if verb.method == "POST" and not verb.takes_lines:
            verb.request.validate_python(example_of(verb), strict=False)


def test_every_operation_is_described_with_an_example_and_its_errors() -> None:
    paths = document()["paths"]
    assert len(paths) == len(VERBS)
    for verb in VERBS:
        told = paths[verb.path][verb.method.lower()]
        assert told["summary"]
        assert {"200", "401", "403", "404", "409", "413", "415", "422", "503"} <= told["responses"].keys()
        if verb.method == "POST" and not verb.takes_lines:
            [content] = told["requestBody"]["content"].values()
            assert content["example"] == example_of(verb)
            name = content["schema"]["$ref"].rpartition("/")[2]
            assert document()["components"]["schemas"][name]["additionalProperties"] is False
