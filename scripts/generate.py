"""What is generated from the code: `./dev generate` writes it, and tests compare it.

- `src/recollect/sync.pyi`: the types of the blocking faces, from the asynchronous classes in `memory.py`
- `src/recollect/client/__init__.pyi`: the types of the client, from the same
- `src/recollect/db/schema.sql`: the schema as the migrations leave it, from a database they were applied to
- the table of settings in `docs/reference.md`, from `Settings`
"""

import ast
import asyncio
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from recollect.core.settings import Settings
from recollect.db import embedded, migrate
from recollect.db.database import SCHEMA
from recollect.db.embedded import binaries

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "recollect"
STUB = SOURCE / "sync.pyi"
CLIENT_STUB = SOURCE / "client" / "__init__.pyi"
SCHEMA_FILE = SOURCE / "db" / "schema.sql"
REFERENCE = ROOT / "docs" / "reference.md"

# The stub ----------------------------------------------------------------------------------------

_FACES = ("Context", "Chat", "ScopedMemory", "Recollect")
_FIELDS = {
    "Context": """text: str
tokens: int
stable_prefix: int
warnings: tuple[str, ...]
hits: tuple[Hit, ...]
recall_advised: bool
offered: dict[str, int]""",
    "Chat": "conversation: Conversation",
    "ScopedMemory": "",
    "Recollect": "settings: Settings",
}
_OF_RECOLLECT = """
def __enter__(self) -> Self: ...
def __exit__(
    self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
) -> None: ...
"""
_WITHIN = """
def within(face: ScopedMemory | Chat) -> tuple[Any, AbstractEventLoop]: ...
"""
_ITERATORS = {"AsyncIterator": "Iterator", "AsyncGenerator": "Iterator"}


_OF_CLIENT = """
@classmethod
def connect(cls, url: str, key: str | None = None, *, timeout: float | None = ...) -> Self: ...
@classmethod
def open(cls, url: str, key: str | None = None, *, timeout: float | None = ...) -> Self: ...
def __await__(self) -> Generator[Any, None, Self]: ...
async def __aenter__(self) -> Self: ...
async def __aexit__(
    self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
) -> None: ...
async def close(self) -> None: ...
def scope(
    self,
    user_id: str | None = None,
    project_id: str | None = None,
    agent_id: str | None = None,
    run_id: str | None = None,
    thread_id: str | None = None,
    team_ids: Sequence[str] | None = None,
    sensitivity: Sensitivity | None = None,
) -> ScopedMemory: ...
"""
# What a client's memory has of its own, or a server keeps to itself.
_NOT_OF_CLIENT = {"open", "close", "scope", "database_url", "backup", "restore"}


@dataclass(frozen=True)
class _Stub:
    """How the classes of `memory.py` are shown to one sort of callers."""

    method: Callable[[ast.FunctionDef | ast.AsyncFunctionDef], str]
    fields: Mapping[str, str]
    recollect: str
    """What `Recollect` has of its own."""
    without: Collection[str] = ()
    """What it does not have."""


def sync_stub() -> str:
    """The text of `sync.pyi`."""
    names = '__all__ = ["Chat", "Context", "Recollect", "ScopedMemory", "within"]'
    more = ["from asyncio import AbstractEventLoop", "from collections.abc import Iterator"]
    return _stub(_Stub(_method, _FIELDS, _OF_RECOLLECT), [*more, "from recollect import memory"], names, _WITHIN)


def client_stub() -> str:
    """The text of the client's stub."""
    names = '__all__ = ["Chat", "Context", "Recollect", "ScopedMemory"]'
    more = ["from collections.abc import Generator"]
    fields = _FIELDS | {"Recollect": ""}
    return _stub(_Stub(_awaited, fields, _OF_CLIENT, _NOT_OF_CLIENT), more, names, "")


def _stub(stub: _Stub, more: list[str], names: str, end: str) -> str:
    module = ast.parse((SOURCE / "memory.py").read_text("utf-8"))
    classes = {node.name: node for node in module.body if isinstance(node, ast.ClassDef)}
    body = "\n\n".join(_face(classes[name], stub) for name in _FACES)
    used = {node.id for node in ast.walk(ast.parse(body)) if isinstance(node, ast.Name)}
    local = sorted((used & classes.keys()) - set(_FACES))
    imports = [*_imports(module, used), *more, *(f"from recollect.memory import {name}" for name in local)]
    head = "# Generated from memory.py by `./dev generate`: do not edit."
    return _formatted("\n".join([head, *imports, names, body, end]))


def _face(node: ast.ClassDef, stub: _Stub) -> str:
    functions = [item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)]
    overloaded = {function.name for function in functions if _is_overload(function)}
    left_out = stub.without if node.name == "Recollect" else ()
    # A stub has the overloads alone, without what implements them.
    shown = [item for item in functions if not item.name.startswith("_") and item.name not in left_out]
    methods = [stub.method(item) for item in shown if item.name not in overloaded or _is_overload(item)]
    lines = [stub.fields[node.name], *methods, *([stub.recollect] if node.name == "Recollect" else [])]
    return f"class {node.name}:\n" + _indented("\n".join(lines))


def _awaited(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """A method as it is, but that a stub calls a generator what its caller gets."""
    decorators = [f"@{name}" for name in map(ast.unparse, node.decorator_list) if name in ("overload", "property")]
    returns = ast.unparse(node.returns) if node.returns else "None"
    awaited = isinstance(node, ast.AsyncFunctionDef) and not returns.startswith("AsyncIterator")
    text = f"{'async ' if awaited else ''}def {node.name}({ast.unparse(node.args)}) -> {returns}: ..."
    return "\n".join([*decorators, re.sub(r"'(\w+)'", _unquoted_face, text)])


def _is_overload(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(ast.unparse(decorator) == "overload" for decorator in node.decorator_list)


def _method(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    shown = ("overload", "property", "classmethod")
    decorators = [f"@{name}" for name in map(ast.unparse, node.decorator_list) if name in shown]
    returns = ast.unparse(_SyncTypes().visit(node.returns)) if node.returns else "None"
    # A name in quotes is one of the faces: a stub may name what comes later.
    signature = re.sub(r"'(\w+)'", _unquoted_face, f"def {node.name}({ast.unparse(node.args)}) -> {returns}: ...")
    return "\n".join([*decorators, signature])


def _unquoted_face(match: re.Match[str]) -> str:
    return match[1] if match[1] in _FACES else match[0]


class _SyncTypes(ast.NodeTransformer):
    """What a blocking call returns instead."""

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(_ITERATORS.get(node.id, node.id))


def _imports(module: ast.Module, used: set[str]) -> Iterator[str]:
    for node in module.body:
        if isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names if (alias.asname or alias.name) in used]
            yield from (f"from {node.module} import {name}" for name in names)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def _formatted(text: str) -> str:
    for command in (["check", "--select", "I,F401", "--fix", "--quiet"], ["format", "--quiet"]):
        text = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(STUB), "-"],
            input=text, capture_output=True, text=True, check=True, cwd=ROOT,
        ).stdout  # fmt: skip
    return text


# The schema --------------------------------------------------------------------------------------


def schema(owner_url: str) -> str:
    """The schema of a database as text that is the same each time."""
    program = binaries.installed()[binaries.newest()] / "pg_dump"
    options = ["--schema-only", f"--schema={SCHEMA}", "--no-owner", "--no-privileges"]
    dump = subprocess.run(
        [program, *options, "-d", owner_url], capture_output=True, text=True, check=True, env=binaries.environment()
    ).stdout
    lines = [line for line in dump.splitlines() if not re.match(r"--|\\|SET |SELECT pg_catalog\.set_config", line)]
    body = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    head = "-- The schema as the migrations leave it. Generated by `./dev generate`: do not edit, write a migration.\n"
    return f"{head}\n{body}\n"


def fresh_schema() -> str:
    """The schema of a new database of the embedded server."""
    with tempfile.TemporaryDirectory() as folder:
        server = embedded.start(Path(folder))
        try:
            asyncio.run(_upgrade(server.owner_url))
            return schema(server.owner_url)
        finally:
            server.release()


async def _upgrade(owner_url: str) -> None:
    async with await psycopg.AsyncConnection.connect(owner_url, autocommit=True) as owner:
        await migrate.upgrade(owner, migrate.app_url_for(owner_url), create_role=True)


# The settings ------------------------------------------------------------------------------------

_BEGIN, _END = "<!-- settings: generated by ./dev generate -->", "<!-- settings: end -->"


def settings_table() -> str:
    """The table of all settings."""
    rows = [_row(name, field) for name, field in Settings.model_fields.items()]
    return "\n".join(["| setting | environment | default | what it is |", "|---|---|---|---|", *rows])


def _row(name: str, field: FieldInfo) -> str:
    cells = (f"`{name}`", f"`RECOLLECT_{name.upper()}`", _default(name, field), field.description or "")
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _default(name: str, field: FieldInfo) -> str:
    if name == "data_dir":
        return "`$XDG_DATA_HOME/recollect`, else `~/.local/share/recollect`"
    value: Any = field.default
    if value is None:
        return "none"
    assert not isinstance(value, SecretStr), "a secret has no default"
    if isinstance(value, tuple):
        return ", ".join(f"`{item}`" for item in value)
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def reference() -> str:
    """The text of `docs/reference.md` with the table as it should be."""
    before, rest = REFERENCE.read_text("utf-8").split(_BEGIN)
    _, after = rest.split(_END)
    return f"{before}{_BEGIN}\n{settings_table()}\n{_END}{after}"


def main() -> None:
    """Write all of it."""
    STUB.write_text(sync_stub(), "utf-8")
    CLIENT_STUB.write_text(client_stub(), "utf-8")
    SCHEMA_FILE.write_text(fresh_schema(), "utf-8")
    REFERENCE.write_text(reference(), "utf-8")


if __name__ == "__main__":
    main()
