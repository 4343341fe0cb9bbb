"""Whoever writes what Neo4j holds says so: each statement on nodes and relations is run by a function that touches."""

import ast
import re
from pathlib import Path

import house
import test_sql

_WRITES = re.compile(r"\b(?:insert into|update|delete from) (?:memory|memory_use|relation)\b")
_OF_NO_CONCERN = {
    "merge_data": "what sources keep for themselves: status, tries",
    "mark_along": "because of what something was deleted",
    "unmark_along": "because of what something was deleted",
    "mark_consolidated": "which gist was noted where",
    "move_on": "when a talk last went on",
    "release": "whether jobs may change it",
    "replace_items": "what programs keep for themselves, which no graph has",
    "keep_items_until": "how long such things are kept",
    "refresh_items": "how long such things are kept",
}


def writing_statements() -> dict[Path, set[str]]:
    """The names of the statements that write memories, their use, or relations."""
    found: dict[Path, set[str]] = {}
    for path in test_sql.named_files():
        parts = re.split(r"^-- name: (\w+)$", path.read_text("utf-8"), flags=re.MULTILINE)[1:]
        names = {name for name, body in zip(parts[::2], parts[1::2], strict=True) if _WRITES.search(body)}
        if names:
            found[path] = names
    return found


def running() -> dict[str, set[str]]:
    """By statement, the functions that run it."""
    loaded, writing = test_sql.loaded_by(), writing_statements()
    found: dict[str, set[str]] = {name: set() for names in writing.values() for name in names}
    for module in house.modules():
        mine = {path for (name, _), path in loaded.items() if name == module.name}
        names = {name for path in mine for name in writing.get(path, ())}
        for function in module.functions:
            found_here = names & test_sql.constants(ast.walk(function)) if names else ()
            for name in found_here:
                found[name].add(f"{module.name}.{function.name}{'' if touches(function) else ' is silent'}")
    return found


def touches(function: house.Function) -> bool:
    calls = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
    return any(isinstance(func, ast.Name) and func.id == "touch" for func in calls)


# They hand the name on to a function that runs the statement, and touches.
_BY_NAME = {"recollect.flows.fade._decay", "recollect.flows.fade._consolidate"}


def test_nodes_and_relations_are_written_in_their_rooms_only() -> None:
    rooms = {
        "records/queries.sql",
        "records/relations.sql",
        "records/lifecycle.sql",
        "graph/merges.sql",
        "records/items.sql",
    }
    rooms |= {"flows/scrub.sql"}
    assert {str(path.relative_to(house.SOURCE)) for path in writing_statements()} == rooms


def test_whoever_writes_them_touches_them() -> None:
    silent = {
        f"{where.removesuffix(' is silent')} runs {name}"
        for name, functions in running().items()
        for where in functions
        if where.endswith(" is silent") and name not in _OF_NO_CONCERN and where.split()[0] not in _BY_NAME
    }
    assert silent == set()


def test_no_statement_escapes_the_look() -> None:
    assert [name for name, functions in running().items() if not functions] == []
