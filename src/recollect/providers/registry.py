"""Implementations by name, imported only when one is made: models and their libraries are slow to load."""

from collections.abc import Callable, Mapping
from importlib import import_module
from operator import attrgetter
from typing import Any

from recollect.core.errors import InvalidInput


def find(field: str, name: str, known: Mapping[str, str]) -> Callable[..., Any]:
    """The factory that `known` gives as "module:name" for `name`; "kind:…" there stands for any of that kind."""
    kind, _, rest = name.partition(":")
    target = known.get(name) or (known.get(f"{kind}:…") if rest else None)
    if target is None:
        raise InvalidInput(field, f"{name!r} is unknown; choose one of {', '.join(sorted(known))}")
    module, _, attribute = target.partition(":")
    factory: Callable[..., Any] = attrgetter(attribute)(import_module(module))
    return factory
