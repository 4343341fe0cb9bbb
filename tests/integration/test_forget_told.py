"""Forgetting what a language model put into words of its own, where no name gives it away; and its vectors."""

import json
from datetime import timedelta
from typing import Any

import numpy as np
import psycopg
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel

import dumps
from conftest import MovedClock, Opener
from recollect import Recollect

LOCAL = {"embedder": "recollect-recall-v2"}
NEW_WORDS = ("cellist", "virtuoso", "inspector", "magistrate", "confidante", "helmswoman")


class Teller:
    """A model that tells of Maria Lopez without her name, as long as it is shown her, or what it told of her before."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def __call__(self, messages: Any, info: Any) -> ModelResponse:
        prompt = "".join(str(part.content) for message in messages for part in message.parts)
        self.shown.append(prompt)
        schema = info.model_request_parameters.output_object.json_schema
        return ModelResponse(parts=[TextPart(json.dumps(self._answer(set(schema["properties"]), prompt)))])

    def _answer(self, fields: set[str], prompt: str) -> dict[str, Any]:
        known = any(word in prompt.casefold() for word in ("maria", *NEW_WORDS))
        if fields == {"summary", "topics"}:
            topics = ["cellist" if known else "harbour"]
            return {
                "summary": "The cellist was spoken of." if known else "The harbour was spoken of.",
                "topics": topics,
            }
        if fields == {"milestones"}:
            moment = {"type": "solution", "title": "The virtuoso recovered", "summary": "The virtuoso played again."}
            turns = {"first_turn": 1, "last_turn": 4, "significance": 0.9}
            return {"milestones": [moment | turns] if known else []}
        if fields == {"summary", "keywords", "tags"}:
            return {
                "summary": "A magistrate signed papers." if known else "Barley was counted.",
                "keywords": [],
                "tags": [],
            }
        if fields == {"summary"}:
            return {"summary": "An inspector came and went at the labs." if known else "The labs counted barley."}
        if fields == {"insights"}:
            return {"insights": [{"summary": "Alice is at ease with a confidante."}] if known else []}
        if fields == {"description"}:
            return {"description": "The labs owe much to a helmswoman." if known else "The labs count barley."}
        return {"facts": [], "statements": []}

    @property
    def model(self) -> FunctionModel:
        return FunctionModel(self, model_name="teller")


async def test_what_a_model_told_in_new_words_goes_too(open_recollect: Opener, clock: MovedClock) -> None:
    teller = Teller()
    rc = await open_recollect(understand=True, model=teller.model, model_repairs=0)
    me = rc.scope(user_id="alice")
    for number in range(8):
        await me.ingest(
            f"Maria Lopez checked crate {number} at Orbital Labs. Rupert Vane counted {number} sacks at Orbital Labs.",
            started_at=clock.now,
        )
        await rc.drain()
        clock.forward(days=1)
    chat = await me.conversation("chat")
    for number in range(21):
        about = "Maria Lopez plays well again. " if number in (1, 2) else ""
        await chat.add("user", f"{about}The ferry number {number} leaves at nine.")
    await rc.drain()
    clock.forward(days=4)
    for job in ("storyline_promotion", "descriptions", "theory_of_mind"):
        await rc.run_job(job)
    await rc.drain()
    told = dumps.carrying(rc.database_url, *NEW_WORDS)
    for word in NEW_WORDS:
        assert any(word in row for row in told), word

    receipt = await me.forget(person="Maria Lopez")
    left = dumps.carrying(rc.database_url, *NEW_WORDS, "maria", "lopez")
    assert left == [], "\n".join(left)  # at once, not when it is told anew
    shown = len(teller.shown)
    await rc.drain()
    clock.forward(days=2)
    for job in ("storyline_refresh", "descriptions", "theory_of_mind", "source_consolidation"):
        await rc.run_job(job)
    await rc.drain()
    assert receipt.check.ok
    assert dumps.carrying(rc.database_url, *NEW_WORDS, "maria", "lopez") == []
    assert not [text for text in teller.shown[shown:] if any(word in text.casefold() for word in (*NEW_WORDS, "maria"))]
    [labs] = await me.nodes(kind="entity", name="Orbital Labs")
    stories = {story.content for story in await me.get_all(kinds=["storyline"])}
    assert "The labs counted barley." in stories
    assert [chunk.content for chunk in await me.get_all(kinds=["episode"], types=["chunk"])] == [
        "The harbour was spoken of."
    ]
    assert labs.name == "Orbital Labs"
    hits = await me.search("Rupert Vane counted 3 sacks at Orbital Labs.", limit=20)
    assert any("counted 3 sacks" in hit.memory.content for hit in hits)


FORGOTTEN = (
    "Maria Lopez checked crate 3 at the harbour.",
    "The lamp in maria lopez's office has number 1.",
    "My sister is Maria Lopez.",
    "Maria Lopez moved to Ghent and plays the cello.",
    "Maria Lopez",
    "Maria Lopez works at Orbital Labs.",
)


async def test_no_vector_of_the_default_embedder_lies_near_a_forgotten_text(
    open_recollect: Opener, clock: MovedClock
) -> None:
    rc = await open_recollect(understand=True, **LOCAL)
    me = rc.scope(user_id="alice")
    for number in range(6):
        lamp = f"The lamp in maria lopez's office has number {number}." if number % 2 else ""
        text = f"Maria Lopez checked crate {number} at the harbour. {lamp} Rupert Vane counted {number} sacks."
        await me.ingest(text, title=f"Day {number}", started_at=clock.now - timedelta(days=6 - number))
    await me.ingest("Maria Lopez works at Orbital Labs. Rupert Vane works with Maria Lopez.")
    chat = await me.conversation("chat")
    for text in ("My sister is Maria Lopez.", "Maria Lopez moved to Ghent and plays the cello.", "I live in Porto."):
        await chat.add("user", text)
    await rc.drain()
    clock.forward(days=5)
    for job in ("storyline_promotion", "descriptions"):
        await rc.run_job(job)
    await rc.drain()
    forgotten = _unit(await rc.parts.embedder.embed(list(FORGOTTEN), purpose="document"))
    before = _stored(rc) @ forgotten.T
    assert (before.max(axis=0) >= 0.99).sum() >= 3  # they are there to be found
    receipt = await me.forget(person="Maria Lopez")
    await rc.drain()
    await rc.run_job("descriptions")
    await rc.drain()
    stored = _stored(rc)
    assert len(stored) >= 10
    assert (stored @ forgotten.T).max() < 0.99
    assert receipt.check.nearest is None or receipt.check.nearest < 0.99


def _stored(rc: Recollect) -> Any:
    """Every vector that the database holds, of memories and of relations."""
    with psycopg.connect(rc.database_url) as owner:
        rows = [
            json.loads(stored)
            for table in ("entry", "relation_entry")
            for (stored,) in owner.execute(f"select embedding::text from recollect.{table} where embedding is not null")
        ]
    return _unit(np.array(rows, dtype=np.float32))


def _unit(vectors: Any) -> Any:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
