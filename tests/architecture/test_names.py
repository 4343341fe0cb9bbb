"""Public names, annotations, and the size of functions."""

import ast
import importlib
import inspect
import re
import statistics
import tomllib
from types import ModuleType

import house
import pytest

import recollect


def exported() -> list[str]:
    """Modules that say what is theirs to give."""
    return [module.name for module in house.modules() if "__all__" in module.path.read_text("utf-8")]


def in_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest, each by name."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


@pytest.mark.parametrize("name", exported())
def test_exported_names_are_sorted_and_there(name: str) -> None:
    module = importlib.import_module(name)
    assert list(module.__all__) == sorted(set(module.__all__), key=in_order)
    assert [each for each in module.__all__ if not hasattr(module, each)] == []


def test_the_public_names_are_those_of_the_package() -> None:
    for name in recollect.__all__:
        getattr(recollect, name)
    tools = {"Any", "TYPE_CHECKING"}
    public = {name for name, value in vars(recollect).items() if not isinstance(value, ModuleType)} - tools
    assert {name for name in public if not name.startswith("_")} == set(recollect.__all__)


def test_every_error_is_public() -> None:
    errors = importlib.import_module("recollect.core.errors")
    ours = {
        name for name, value in vars(errors).items() if inspect.isclass(value) and value.__module__ == errors.__name__
    }
    assert ours <= set(recollect.__all__)


def test_type_checking_is_strict() -> None:
    """So that every function is annotated; nothing but missing stubs of others is let pass."""
    settings = tomllib.loads((house.ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mypy"]
    assert settings["strict"] is True
    assert settings["packages"] == ["recollect"]
    let_pass = {key for override in settings.get("overrides", []) for key in override} - {"module"}
    assert let_pass <= {"ignore_missing_imports"}
    assert set(settings) <= {"strict", "packages", "mypy_path", "overrides"}


def test_every_argument_is_annotated() -> None:
    bare = [
        f"{module.name}.{function.name}: {argument.arg}"
        for module in house.modules()
        for function in module.functions
        for argument in [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        if argument.annotation is None and argument.arg not in ("self", "cls")
    ]
    assert bare == []


def test_what_is_ignored_is_named() -> None:
    """A bare `type: ignore` or `noqa` would hide whatever comes later."""
    bare = re.compile(r"#\s*(type: ignore(?!\[)|noqa(?!:))")
    assert [module.name for module in house.modules() if bare.search(module.path.read_text("utf-8"))] == []


def length(function: house.Function) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def test_functions_stay_small() -> None:
    lengths = sorted(length(function) for module in house.modules() for function in module.functions)
    assert statistics.median(lengths) <= 10
    assert lengths[int(0.9 * len(lengths))] < 42


def test_modules_say_what_they_are_for() -> None:
    silent = [module.name for module in house.modules() if module.tree.body and not ast.get_docstring(module.tree)]
    assert silent == []
