"""Implementations by name, imported only when one is made: models and their libraries are slow to load."""

from collections.abc import Callable, Mapping
from importlib import import_module
from operator import attrgetter
from typing import Any

from recollect.core.errors import InvalidInput


def find(field: str, name: str, known: Mapping[str, str]) -> Callable[..., Any]:
    """The factory that `known` gives as "module:name" for `name`, or for the part before its colon."""
    target = known.get(name) or known.get(f"{name.partition(':')[0]}:…")
    if target is None:
        raise InvalidInput(field, f"{name!r} is unknown; choose one of {', '.join(sorted(known))}")
    module, _, attribute = target.partition(":")
    factory: Callable[..., Any] = attrgetter(attribute)(import_module(module))
    return factory
