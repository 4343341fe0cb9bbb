"""The seam to language models: a question with a form in, an answer of that form out."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeAlias, TypeVar, get_args

from pydantic import BaseModel

from recollect.core.errors import RecollectError

Task: TypeAlias = Literal["extract", "summarise", "consolidate", "consolidate_cheap", "judge", "reply"]
Outcome: TypeAlias = Literal["ok", "failed", "refused", "timeout"]
TASKS: tuple[Task, ...] = get_args(Task)

T = TypeVar("T", bound=BaseModel)


class BadAnswer(RecollectError):
    """The model answered, but not in the form that it was asked for, also after the repairs allowed."""


class Refused(BadAnswer):
    """The model, or the filter before it, declined to answer."""


@dataclass(frozen=True, slots=True)
class CallRecord:
    """What one question to a model took, whether or not it was answered."""

    model: str
    task: Task
    input_tokens: int
    output_tokens: int
    cost: float | None
    """In US dollars; None where the price is not known."""
    seconds: float
    repairs: int
    """How often the model was sent its answer back."""
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """A checked answer and what it took."""

    value: T
    call: CallRecord


OnCall: TypeAlias = Callable[[CallRecord], Awaitable[None] | None]


class LanguageModel(Protocol):
    """What every language model looks like to the rest of Recollect."""

    def name(self, task: Task) -> str | None:
        """The name of the model that does the task; None where none is configured for it."""

    async def ask(self, task: Task, instructions: str, prompt: str, answer: type[T]) -> Answer[T]:
        """The model's answer as an `answer`; Unavailable, BadAnswer or Refused where there is none."""

    async def close(self) -> None:
        """Let go of connections; the model is not used afterwards."""
