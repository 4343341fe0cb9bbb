"""Language models of any provider, through pydantic-ai.

Answers are asked for by JSON schema, so that models without tool calling serve as well; an endpoint that
rejects a schema gets it as part of the prompt from then on. Errors are translated here, without texts of the
request or the answer in them.
"""

import asyncio
import inspect
import logging
import os
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput, PromptedOutput
from pydantic_ai.exceptions import (
    ContentFilterError,
    ModelAPIError,
    ModelHTTPError,
    UnexpectedModelBehavior,
    UserError,
)
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, infer_model
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage

from recollect.core.errors import InvalidInput, Unavailable
from recollect.core.settings import Settings
from recollect.providers.language.base import Answer, BadAnswer, CallRecord, OnCall, Outcome, Refused, Task

T = TypeVar("T", bound=BaseModel)

PART = "language model"
NO_KEY = "none"
_SCHEMA_REJECTED = {400, 404, 415, 422, 501}

log = logging.getLogger(__name__)


class _Timed(WrapperModel):
    """The same model, given a bounded time for each answer."""

    def __init__(self, wrapped: Model, seconds: float) -> None:
        super().__init__(wrapped)
        self._seconds = seconds

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        async with asyncio.timeout(self._seconds):
            return await super().request(messages, model_settings, model_request_parameters)


@dataclass(eq=False)
class _Slot:
    """A model, and whether it has to be given schemas in the prompt."""

    model: Model
    prompted: bool


@dataclass
class _Call:
    """One question while it is under way."""

    task: Task
    slot: _Slot
    usage: RunUsage = field(default_factory=RunUsage)
    outcome: Outcome = "failed"
    started: float = field(default_factory=time.monotonic)

    @property
    def name(self) -> str:
        return self.slot.model.model_name

    def record(self) -> CallRecord:
        cost = getattr(self.usage, "cost", None)
        return CallRecord(
            model=self.name,
            task=self.task,
            input_tokens=self.usage.input_tokens,
            output_tokens=self.usage.output_tokens,
            cost=None if cost is None else float(cost),
            seconds=time.monotonic() - self.started,
            repairs=max(0, self.usage.requests - 1),
            outcome=self.outcome,
        )


class AgentModel:
    """One model for each task, by its pydantic-ai name or as a pydantic-ai model."""

    def __init__(self, models: Mapping[Task, str | Model], settings: Settings, on_call: OnCall | None = None) -> None:
        made = {_key(choice): _slot(choice, settings) for choice in models.values()}
        self._slots = {task: made[_key(choice)] for task, choice in models.items()}
        self._repairs, self._on_call = settings.model_repairs, on_call

    def name(self, task: Task) -> str | None:
        slot = self._slots.get(task)
        return slot.model.model_name if slot else None

    async def ask(self, task: Task, instructions: str, prompt: str, answer: type[T]) -> Answer[T]:
        slot = self._slots.get(task)
        if slot is None:
            raise InvalidInput(f"model_{task}", "no model is configured for this task")
        call = _Call(task, slot)
        try:
            async with _translated(call):
                value = await self._run(call, instructions, prompt, answer)
        finally:
            record = call.record()
            await self._account(record)
        return Answer(value, record)

    async def close(self) -> None:
        for slot in set(self._slots.values()):
            async with slot.model:
                """Leaving a model closes the connections that it opened itself."""

    async def _run(self, call: _Call, instructions: str, prompt: str, answer: type[T]) -> T:
        if not call.slot.prompted:
            try:
                return await self._attempt(call, instructions, prompt, NativeOutput(answer))
            except ModelHTTPError as error:
                if not _rejects_schema(error):
                    raise
        value = await self._attempt(call, instructions, prompt, PromptedOutput(answer))
        call.slot.prompted = True
        return value

    async def _attempt(
        self, call: _Call, instructions: str, prompt: str, output: NativeOutput[T] | PromptedOutput[T]
    ) -> T:
        agent = Agent(call.slot.model, output_type=output, instructions=instructions, retries=self._repairs)
        return (await agent.run(prompt, usage=call.usage)).output

    async def _account(self, record: CallRecord) -> None:
        """Hand the record on; bookkeeping that fails does not cost the answer."""
        if self._on_call is None:
            return
        try:
            handed = self._on_call(record)
            if inspect.isawaitable(handed):
                await handed
        except Exception:
            log.warning("the record of a language model's call was not kept", exc_info=True)


def _rejects_schema(error: ModelHTTPError) -> bool:
    """Whether it is the schema that an endpoint does not take. llama-cpp-python says so with a 500."""
    if error.status_code == 500:
        return "response_format" in str(error.body)
    return error.status_code in _SCHEMA_REJECTED


@asynccontextmanager
async def _translated(call: _Call) -> AsyncIterator[None]:
    """Foreign errors as ours, and the outcome of the call."""
    name = call.name
    try:
        yield
    except TimeoutError as error:
        call.outcome = "timeout"
        raise Unavailable(PART, f"{name} did not answer in time") from error
    except ContentFilterError as error:
        call.outcome = "refused"
        raise Refused(f"{name} declined to answer") from error
    except UnexpectedModelBehavior as error:
        raise BadAnswer(f"{name} did not answer in the form that it was asked for") from error
    except ModelHTTPError as error:
        raise Unavailable(PART, f"{name} answered with status {error.status_code}") from error
    except ModelAPIError as error:
        raise Unavailable(PART, f"{name} cannot be reached") from error
    except UserError as error:
        raise InvalidInput("model", str(error)) from error
    except Exception as error:
        raise Unavailable(PART, f"{name} failed ({type(error).__name__})") from error
    else:
        call.outcome = "ok"


def _key(choice: str | Model) -> str | int:
    return choice if isinstance(choice, str) else id(choice)


def _slot(choice: str | Model, settings: Settings) -> _Slot:
    model = _model(choice, settings)
    takes_schema = bool(model.profile.get("supports_json_schema_output", False))
    return _Slot(_Timed(model, settings.model_timeout), prompted=not takes_schema)


def _model(choice: str | Model, settings: Settings) -> Model:
    if not isinstance(choice, str):
        return choice
    try:
        return _endpoint_model(choice, settings) if settings.model_url else infer_model(_spoken(choice))
    except (UserError, ImportError, ValueError) as error:
        raise InvalidInput("model", str(error)) from error
    except Exception as error:
        raise InvalidInput("model", f"{choice!r} cannot be used ({type(error).__name__})") from error


def _spoken(choice: str) -> str:
    """A model's name with how to speak to it: where OpenAI's name means a server of one's own, by chat completions.

    Local servers all have those; the newer Responses API, which `openai:` stands for otherwise, most have not.
    """
    kind, colon, name = choice.partition(":")
    elsewhere = kind == "openai" and os.environ.get("OPENAI_BASE_URL")
    return f"openai-chat{colon}{name}" if elsewhere else choice


def _endpoint_model(choice: str, settings: Settings) -> Model:
    """The model at our own endpoint. A key of OpenAI's in the environment is never sent there."""
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    key = settings.model_key.get_secret_value() if settings.model_key else NO_KEY
    provider = OpenAIProvider(base_url=settings.model_url, api_key=key)
    return OpenAIChatModel(choice.removeprefix("openai:"), provider=provider)
