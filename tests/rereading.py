"""A talk that rules learn from, and a model that reads it otherwise."""

import json
from datetime import UTC, datetime
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

MONDAY = datetime(2026, 3, 9, 10, tzinfo=UTC)
SAID = (
    "My name is Alice and I live in Porto.",
    "We decided to use PostgreSQL for the billing service.",
    "I take the ferry to work, you know.",
    "My sister Nora is allergic to peanuts.",
    "I work at Acme.",
)


class Scripted:
    """A model that knows messages by a word of theirs; of any other it says nothing."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self.answers = answers
        self.asked = 0
        self.down = False
        self.garbage = ""

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.asked += 1
        if self.down:
            raise ConnectionError("nobody there")
        prompt = "".join(str(part.content) for message in messages for part in message.parts)
        if self.garbage and self.garbage in prompt.split("<message>")[-1]:
            return ModelResponse(parts=[TextPart("I would rather talk about the weather.")])
        return ModelResponse(parts=[TextPart(json.dumps(answer_to(prompt, self.answers)))])

    @property
    def model(self) -> FunctionModel:
        return FunctionModel(self, model_name="scripted")


def answer_to(prompt: str, answers: dict[str, Any]) -> Any:
    """What a model says of the message of a prompt."""
    found = [answer for word, answer in answers.items() if word in prompt.rsplit("<message>", maxsplit=1)[-1]]
    return found[0] if found else {"facts": [], "statements": []}


def learned(*, facts: Any = (), statements: Any = ()) -> dict[str, Any]:
    """An answer of a model: (type, key, value, quote), and (type, content, quote)."""
    return {
        "facts": [
            {"type": type, "key": key, "value": value, "confidence": 0.95, "importance": 0.8, "quote": quote}
            for type, key, value, quote in facts
        ],
        "statements": [
            {"type": type, "content": content, "confidence": 0.9, "quote": quote} for type, content, quote in statements
        ],
    }


BETTER = {
    "Porto": learned(
        facts=[("identity", "name", "Alice", "My name is Alice"), ("identity", "city", "Porto", "I live in Porto")]
    ),
    "PostgreSQL": learned(
        statements=[
            (
                "decision",
                "Alice's team chose PostgreSQL for the billing service.",
                "We decided to use PostgreSQL for the billing service",
            )
        ]
    ),
    "ferry": learned(statements=[("fact", "Alice takes the ferry to work.", "I take the ferry to work")]),
    "Acme": learned(facts=[("identity", "job", "Acme", "I work at Acme")]),
}
"""The name stays, the decision is told otherwise, the ferry is new, the employer is a job, and Nora is not told of."""


DECIDED = "Alice's team decided to use PostgreSQL for the billing service."
CHOSE = "Alice's team chose PostgreSQL for the billing service."
NORA = "Alice's sister Nora is allergic to peanuts."
FERRY = "Alice takes the ferry to work."
