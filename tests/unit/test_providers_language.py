"""The seam to language models with scripted ones in it."""

import asyncio
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from recollect.core.errors import InvalidInput, RecollectError, Unavailable
from recollect.core.settings import load_settings
from recollect.providers import language
from recollect.providers.language import BadAnswer, CallRecord, LanguageModel, make_language_model
from recollect.providers.language.fake import FakeLanguageModel, Question


class Fact(BaseModel):
    text: str
    sure: bool = True


def scripted(*replies: str | Exception) -> FunctionModel:
    """A model that says one thing after the other."""
    rest = iter(replies)

    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        given = next(rest)
        if isinstance(given, Exception):
            raise given
        return ModelResponse(parts=[TextPart(given)])

    return FunctionModel(reply, model_name="scripted")


def made(given: Any, on_call: Callable[[CallRecord], Any] | None = None, **settings: Any) -> LanguageModel:
    found = make_language_model(load_settings(**settings), given, on_call)
    assert found is not None
    return found


async def ask(model: LanguageModel) -> Fact:
    return (await model.ask("extract", "Find the fact.", "Alice likes tea.", Fact)).value


def test_no_model_is_a_normal_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-2")
    assert make_language_model(load_settings()) is None
    assert make_language_model(load_settings(model_url="http://localhost:1/v1")) is None


async def test_a_pydantic_ai_model_is_taken_as_it_is() -> None:
    calls: list[CallRecord] = []
    model = made(scripted('{"text": "tea"}'), calls.append)
    answer = await model.ask("judge", "Find the fact.", "Alice likes tea.", Fact)
    assert answer.value == Fact(text="tea")
    assert calls == [answer.call]
    assert (answer.call.model, answer.call.task, answer.call.outcome) == ("scripted", "judge", "ok")
    assert answer.call.input_tokens > 0
    await model.close()


async def test_any_model_of_pydantic_ai_answers_in_the_form() -> None:
    assert (await ask(made(TestModel(custom_output_text='{"text": "tea", "sure": false}')))).sure is False


async def test_the_prompt_and_the_form_reach_the_model() -> None:
    seen: list[str] = []

    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(f"{messages} {info.instructions} {info.model_request_parameters}")
        return ModelResponse(parts=[TextPart('{"text": "x"}')])

    await ask(made(FunctionModel(reply)))
    assert all(part in seen[0] for part in ("Find the fact.", "Alice likes tea.", "sure"))


async def test_a_bad_answer_is_sent_back_as_often_as_allowed() -> None:
    calls: list[CallRecord] = []
    bad = ["tea", '{"sure": true}', "[]"]
    assert (await ask(made(scripted(*bad[:2], '{"text": "tea"}'), calls.append))).text == "tea"
    with pytest.raises(BadAnswer):
        await ask(made(scripted(*bad), calls.append))
    with pytest.raises(BadAnswer):
        await ask(made(scripted(*bad), calls.append, model_repairs=0))
    assert [(call.repairs, call.outcome) for call in calls] == [(2, "ok"), (2, "failed"), (0, "failed")]


async def test_any_foreign_error_is_translated() -> None:
    calls: list[CallRecord] = []
    with pytest.raises(Unavailable, match="KeyError"):
        await ask(made(scripted(KeyError("secret")), calls.append))
    assert [call.outcome for call in calls] == ["failed"]


async def test_an_endless_answer_is_given_up() -> None:
    calls: list[CallRecord] = []

    async def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        await asyncio.sleep(60)
        raise AssertionError

    with pytest.raises(Unavailable, match="in time"):
        await ask(made(FunctionModel(reply), calls.append, model_timeout=0.05))
    assert [call.outcome for call in calls] == ["timeout"]


async def test_a_callback_may_be_a_coroutine_and_may_fail() -> None:
    calls: list[CallRecord] = []

    async def later(call: CallRecord) -> None:
        await asyncio.sleep(0)
        calls.append(call)

    def broken(call: CallRecord) -> None:
        raise OSError("no space left")

    await ask(made(scripted('{"text": "tea"}'), later))
    assert len(calls) == 1
    assert (await ask(made(scripted('{"text": "tea"}'), broken))).text == "tea"


async def test_a_task_without_a_model_is_refused() -> None:
    model = made(None, model_judge="test")
    assert (model.name("judge"), model.name("extract")) == ("test", None)
    with pytest.raises(InvalidInput) as caught:
        await ask(model)
    assert caught.value.field == "model_extract"


def test_the_given_model_stands_before_the_setting() -> None:
    model = made(scripted(), model="test", model_judge="test")
    assert [model.name(task) for task in ("extract", "judge")] == ["scripted", "test"]


@pytest.mark.parametrize("name", ["nobody:nothing", "gpt", "openai:gpt-5", "anthropic:claude"])
def test_a_model_that_cannot_be_made_is_refused_by_name(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    with pytest.raises(InvalidInput) as caught:
        make_language_model(load_settings(model=name))
    assert caught.value.field == "model"


def test_a_missing_extra_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> ModuleSpec | None:
        return None

    monkeypatch.setattr(language, "find_spec", nothing)
    with pytest.raises(InvalidInput, match=r"pip install 'recollect\[models\]'"):
        make_language_model(load_settings(model="openai:gpt-5"))


async def test_the_fake_answers_by_a_function_and_keeps_the_questions() -> None:
    fake = FakeLanguageModel(lambda question: {"text": question.prompt})
    assert (await ask(fake)).text == "Alice likes tea."
    assert fake.questions == [Question("extract", "Find the fact.", "Alice likes tea.")]
    await fake.close()


@pytest.mark.parametrize(("given", "error"), [({}, BadAnswer), (Unavailable("language model", "down"), Unavailable)])
async def test_the_fake_fails_as_told(given: Any, error: type[RecollectError]) -> None:
    with pytest.raises(error):
        await ask(FakeLanguageModel(lambda question: given))
