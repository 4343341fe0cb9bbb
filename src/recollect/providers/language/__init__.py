"""Language models, made by `make_language_model`. None is a normal state."""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from recollect.core.errors import InvalidInput
from recollect.core.settings import Settings
from recollect.providers import registry
from recollect.providers.language.base import (
    TASKS,
    Answer,
    BadAnswer,
    CallRecord,
    LanguageModel,
    OnCall,
    Outcome,
    Refused,
    Task,
)

if TYPE_CHECKING:
    from pydantic_ai.models import Model

__all__ = [
    "TASKS",
    "Answer",
    "BadAnswer",
    "CallRecord",
    "LanguageModel",
    "OnCall",
    "Outcome",
    "Refused",
    "Task",
    "make_language_model",
]

_IMPLEMENTATION = {"pydantic-ai": "recollect.providers.language.agent:AgentModel"}


def make_language_model(
    settings: Settings, model: "str | Model | None" = None, on_call: OnCall | None = None
) -> LanguageModel | None:
    """The models that the settings name, one for each task; `model` stands before `settings.model`."""
    default = model if model is not None else settings.model
    chosen = {task: getattr(settings, f"model_{task}") or default for task in TASKS}
    chosen["consolidate_cheap"] = settings.model_consolidate_cheap or chosen["consolidate"]
    named = {task: choice for task, choice in chosen.items() if choice is not None}
    if not named:
        return None
    if find_spec("pydantic_ai") is None:
        raise InvalidInput("model", "language models need an extra: pip install 'recollect[models]'")
    factory = registry.find("model", "pydantic-ai", _IMPLEMENTATION)
    made: LanguageModel = factory(named, settings, on_call)
    return made
