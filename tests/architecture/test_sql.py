"""Named statements: each is used, each that is used exists, each says what it is for."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import house
import pytest

_HEADER = re.compile(r"^-- name: (\w+)\n(.*)$", re.MULTILINE)


def named_files() -> list[Path]:
    """Files that `recollect.db.sql.load` reads."""
    return [path for path in sorted(house.SOURCE.rglob("*.sql")) if "-- name: " in path.read_text("utf-8")]


def statements(path: Path) -> list[str]:
    return [match[1] for match in _HEADER.finditer(path.read_text("utf-8"))]


@cache
def loaded_by() -> dict[tuple[str, str], Path]:
    """(module, variable) → the file that it holds, imports of the variable followed."""
    found: dict[tuple[str, str], Path] = {}
    for module in house.modules():
        for node in module.nodes:
            if isinstance(node, ast.Assign) and (path := _loaded(node.value)):
                found |= {(module.name, target.id): path for target in node.targets if isinstance(target, ast.Name)}
    for module in house.modules():
        for node in module.nodes:
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if path := found.get((node.module or "", alias.name)):
                        found[module.name, alias.asname or alias.name] = path
    return found


def _loaded(value: ast.expr) -> Path | None:
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "load"):
        return None
    given = [argument.value for argument in value.args if isinstance(argument, ast.Constant)]
    folder = house.SOURCE.parent.joinpath(*str(given[0]).split("."))
    return folder / (str(given[1]) if len(given) > 1 else "queries.sql")


def constants(nodes: Iterable[ast.AST]) -> frozenset[str]:
    return frozenset(n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str))


@cache
def _words(module: house.Module) -> frozenset[str]:
    return constants(module.nodes)


def asked_for(module: house.Module, variables: dict[str, Path]) -> dict[Path, set[str]]:
    """The names that a module looks up directly, and through functions that take the name as an argument."""
    used: dict[Path, set[str]] = defaultdict(set)
    takes: dict[str, tuple[Path, int]] = {}
    for function in module.functions:
        parameters = [argument.arg for argument in function.args.args]
        for node in ast.walk(function):
            path = _subscripted(node, variables)
            if path and isinstance(node, ast.Subscript) and ast.unparse(node.slice) in parameters:
                takes[function.name] = (path, parameters.index(ast.unparse(node.slice)))
    for node in module.nodes:
        if isinstance(node, ast.Subscript) and (path := _subscripted(node, variables)):
            used[path] |= set(_literals(node.slice))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in takes:
            path, place = takes[node.func.id]
            if len(node.args) > place:
                used[path] |= set(_literals(node.args[place]))
    return used


def _subscripted(node: ast.AST, variables: dict[str, Path]) -> Path | None:
    """The file that `node` takes a statement from, if it does."""
    if not isinstance(node, ast.Subscript):
        return None
    value = node.value
    name = value.id if isinstance(value, ast.Name) else value.attr if isinstance(value, ast.Attribute) else ""
    return variables.get(name)


def _literals(node: ast.expr) -> Iterator[str]:
    """A name, or the two of a choice."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    if isinstance(node, ast.IfExp):
        yield from _literals(node.body)
        yield from _literals(node.orelse)


@cache
def asked_of_all() -> dict[Path, set[str]]:
    """By file, the names that all modules look up."""
    files, asked = loaded_by(), defaultdict[Path, set[str]](set)
    for module in house.modules():
        variables = {variable: loaded for (name, variable), loaded in files.items() if name == module.name}
        variables |= _through_modules(module, files)
        for path, names in asked_for(module, variables).items():
            asked[path] |= names
    return asked


@pytest.mark.parametrize("path", named_files(), ids=lambda path: str(path.relative_to(house.SOURCE)))
class TestFile:
    def test_names_are_unique_and_explained(self, path: Path) -> None:
        found = _HEADER.findall(path.read_text("utf-8"))
        names = [name for name, _ in found]
        assert len(names) == len(set(names))
        assert [name for name, following in found if not following.startswith("-- ")] == []

    def test_every_statement_is_used(self, path: Path) -> None:
        """Its name stands somewhere in a module that has the file, or asks for it through one that has."""
        files = loaded_by()
        owners = {name for (name, _), loaded in files.items() if loaded == path}
        assert owners, "nobody loads this file"
        users = [module for module in house.modules() if module.name in owners or _leans_on(module, owners)]
        words = {word for module in users for word in _words(module)}
        assert sorted(set(statements(path)) - words) == []

    def test_every_used_name_exists(self, path: Path) -> None:
        assert sorted(asked_of_all().get(path, set()) - set(statements(path))) == []


def _leans_on(module: house.Module, owners: set[str]) -> bool:
    return not owners.isdisjoint(_imports(module))


@cache
def _imports(module: house.Module) -> frozenset[str]:
    return frozenset(name for node in module.nodes for name in _names(node))


def _names(node: ast.AST) -> Iterator[str]:
    """Modules, and what may be modules, that a statement imports."""
    for name in house.imported(node):
        yield name
        if isinstance(node, ast.ImportFrom):
            yield from (f"{name}.{alias.name}" for alias in node.names)


def _through_modules(module: house.Module, files: dict[tuple[str, str], Path]) -> dict[str, Path]:
    """Variables reached as attributes: `store.QUERIES[…]`. Left out where two imported modules disagree."""
    imports = _imports(module)
    found: dict[str, set[Path]] = defaultdict(set)
    for (owner, variable), path in files.items():
        if owner in imports:
            found[variable].add(path)
    own = {variable for (name, variable) in files if name == module.name}
    return {variable: next(iter(paths)) for variable, paths in found.items() if len(paths) == 1 and variable not in own}
