"""A language model for tests, whose answers a function gives."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from recollect.providers.language.base import Answer, BadAnswer, CallRecord, Task

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Question:
    """What the fake was asked."""

    task: Task
    instructions: str
    prompt: str


@dataclass
class FakeLanguageModel:
    """Answers with what `answers` returns for a question: an instance or a dict; an exception is raised."""

    answers: Callable[[Question], Any]
    questions: list[Question] = field(default_factory=list)

    def name(self, task: Task) -> str | None:
        return "fake"

    async def ask(self, task: Task, instructions: str, prompt: str, answer: type[T]) -> Answer[T]:
        question = Question(task, instructions, prompt)
        self.questions.append(question)
        given = self.answers(question)
        if isinstance(given, Exception):
            raise given
        try:
            value = answer.model_validate(given, from_attributes=True)
        except ValidationError as error:
            raise BadAnswer("fake did not answer in the form that it was asked for") from error
        return Answer(value, CallRecord("fake", task, len(prompt) // 4, 1, None, 0.0, 0, "ok"))

    async def close(self) -> None:
        """Nothing to let go of."""
