"""Who may see what, and how much of it a context shows: categories and allowlists, read from YAML.

    categories:
      system:
        - {name: profile, context: all}
        - {name: event, context: rag, rag_length: 30}
      custom: []
    allowlists:
      planner: [goals, tasks, projects]

An allowlist may name categories that are described nowhere: those are shown by what a question calls to mind.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import yaml

from recollect.core.marked import Marked, line_of
from recollect.core.scope import Scope

_YAML = Marked("categories")
_GROUPS = ("system", "custom")
Mode = Literal["all", "rag"]


@dataclass(frozen=True, slots=True)
class Category:
    """How a category comes into a context: all of it, or what a question calls to mind, at most so many items."""

    name: str
    mode: Mode = "rag"
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Policy:
    """Categories and allowlists, as they were read."""

    categories: Mapping[str, Category] = field(default_factory=dict)
    allowlists: Mapping[str, tuple[str, ...]] | None = None
    """By agent; None: everybody sees everything."""

    def seen_by(self, scope: Scope) -> Scope:
        """The scope with what its agent may see; whoever asks without an agent is a person, and sees everything."""
        if self.allowlists is None or scope.agent_id is None:
            return scope
        return replace(scope, categories=self.allowlists.get(scope.agent_id, ()))

    def most(self, category: str) -> int | None:
        """The most items of a category in a context; None: no limit of its own."""
        known = self.categories.get(category)
        return None if known is None else known.most

    @property
    def whole(self) -> tuple[str, ...]:
        """The categories that a context shows whole, whatever the question."""
        return tuple(name for name, category in self.categories.items() if category.mode == "all")


def parse(text: str) -> Policy:
    """Read a policy; an error names the line and what is wrong with it."""
    root = _YAML.mapping(_YAML.node(text), "the file", ("categories", "allowlists"))
    categories = _categories(root["categories"]) if "categories" in root else {}
    allowlists = _allowlists(root["allowlists"]) if "allowlists" in root else {}
    return Policy(categories, allowlists or None)


def _categories(node: yaml.Node) -> dict[str, Category]:
    found: dict[str, Category] = {}
    for group, items in _YAML.mapping(node, "categories", _GROUPS).items():
        for place, item in enumerate(_YAML.items(items, f"categories.{group}")):
            category = _category(item, f"categories.{group}[{place}]")
            if category.name in found:
                raise _YAML.refusal(item, f"category {category.name!r} is given twice")
            found[category.name] = category
    return found


def _category(node: yaml.Node, where: str) -> Category:
    values = _YAML.mapping(node, where, ("name", "context", "rag_length", "description"))
    name = _YAML.text(_YAML.required(values, "name", line_of(node)), f"{where}.name")
    mode = _mode(values["context"], f"{where}.context") if "context" in values else "rag"
    if "rag_length" not in values:
        return Category(name, mode)
    if mode == "all":
        raise _YAML.refusal(values["rag_length"], f"{where}.rag_length goes with context: rag, not with all")
    return Category(name, mode, _YAML.count(values["rag_length"], f"{where}.rag_length"))


def _mode(node: yaml.Node, where: str) -> Mode:
    match _YAML.text(node, where):
        case "all":
            return "all"
        case "rag":
            return "rag"
        case other:
            raise _YAML.refusal(node, f"{where} must be all or rag, not {other!r}")


def _allowlists(node: yaml.Node) -> dict[str, tuple[str, ...]]:
    lists = _YAML.mapping(node, "allowlists", None)
    return {agent: _names(items, f"allowlists.{agent}") for agent, items in lists.items()}


def _names(node: yaml.Node, where: str) -> tuple[str, ...]:
    listed = enumerate(_YAML.items(node, where))
    return tuple(dict.fromkeys(_YAML.text(item, f"{where}[{place}]") for place, item in listed))
