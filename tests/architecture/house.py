"""The source as trees, for the tests of this folder."""

import ast
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "recollect"

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One file of the package."""

    path: Path

    @cached_property
    def name(self) -> str:
        """Its dotted name."""
        parts = self.path.relative_to(SOURCE.parent).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.path.read_text("utf-8"))

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """The whole tree; walking it anew for every question takes most of a test's time."""
        return tuple(ast.walk(self.tree))

    @cached_property
    def imports(self) -> frozenset[str]:
        """The modules that it imports, inside functions too."""
        return frozenset(name for node in self.nodes for name in imported(node))

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """Every function, methods and inner ones too."""
        return tuple(node for node in self.nodes if isinstance(node, Function))


@cache
def modules() -> list[Module]:
    """All files of the package."""
    return [Module(path) for path in sorted(SOURCE.rglob("*.py"))]


def imported(node: ast.AST) -> list[str]:
    """The modules that a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute here"
        return [node.module or ""]
    return []
