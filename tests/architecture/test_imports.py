"""Who may import what, and where."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import house
import pytest

# Loaded when they are first needed, since they are slow: commands, and the public object itself.
_LAZY = ("recollect.cli", "recollect.demo", "recollect.bench")
_LAZY_MODULES = {"recollect", "recollect.testing"}
# Only the embedded server and `db` speak to PostgreSQL's driver; elsewhere `recollect.db.compose` is enough.
_DRIVER = ("psycopg", "psycopg_pool", "pgvector.psycopg")
_HOMES = {"neo4j": "recollect.graph", "fastapi": "recollect.server", "mcp": "recollect.mcp"}


def test_the_layers_hold() -> None:
    """Contracts in pyproject.toml: import downward only, rooms of one line not at all."""
    program = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([program, "--no-cache"], cwd=house.ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr


def imports_of(module: house.Module, prefixes: tuple[str, ...]) -> list[str]:
    return [
        name
        for name in sorted(module.imports)
        if any(name == prefix or name.startswith(f"{prefix}.") for prefix in prefixes)
    ]


def may_use_driver(module: house.Module) -> bool:
    return module.name.startswith("recollect.db.") or module.path.name == "store.py"


def test_the_driver_is_imported_in_db_and_stores_only() -> None:
    guilty = {m.name: found for m in house.modules() if not may_use_driver(m) and (found := imports_of(m, _DRIVER))}
    assert guilty == {}


@pytest.mark.parametrize("library", sorted(_HOMES))
def test_a_library_is_imported_in_its_room_only(library: str) -> None:
    strangers = [module for module in house.modules() if not module.name.startswith(_HOMES[library])]
    assert [module.name for module in strangers if imports_of(module, (library,))] == []


def hidden_imports(module: house.Module) -> Iterator[str]:
    for function in module.functions:
        for node in ast.walk(function):
            yield from (f"{function.name}: {name}" for name in house.imported(node) if name.startswith("recollect"))


def test_no_import_of_ours_hides_in_a_function() -> None:
    strict = [m for m in house.modules() if not m.name.startswith(_LAZY) and m.name not in _LAZY_MODULES]
    guilty = {module.name: found for module in strict if (found := sorted(set(hidden_imports(module))))}
    assert guilty == {}
