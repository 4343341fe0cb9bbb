"""The settings that a simulation was run with, and how they are told."""

from collections.abc import Iterable
from typing import Any

from recollect.core.settings import Settings
from recollect.providers.language import TASKS

_MODELS = ("model", *(f"model_{task}" for task in TASKS), "model_consolidate_cheap")


def chosen(settings: Settings, given: Iterable[str]) -> dict[str, Any]:
    """The settings by which memories fade, are put away and become stories, and what else was given."""
    names = list(Settings.model_fields)
    first, last = names.index("salience_initial"), names.index("source_accesses")
    told = dict.fromkeys((*names[first : last + 1], *given, "embedder"))
    return {name: getattr(settings, name) for name in told}


def without_models(settings: Settings, given: Iterable[str]) -> Settings:
    """The settings without the models of the environment and the file: an invented life is not worth their price."""
    return settings.model_copy(update={name: None for name in _MODELS if name not in given})


def changed(settings: dict[str, Any]) -> str:
    """The settings that are not at their default, with what that would be; what is embedded with is told apart."""
    others = [(name, value) for name, value in settings.items() if name != "embedder" and value != _default(name)]
    return ", ".join(f"{name} = {shown(value)} (default {shown(_default(name))})" for name, value in others)


def _default(name: str) -> Any:
    return Settings.model_fields[name].default


def shown(value: Any) -> str:
    """A value in few characters."""
    if isinstance(value, tuple):
        return "+".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
