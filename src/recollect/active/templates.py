"""Templates in YAML: which sections an active memory has. Every error names its line."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml

from recollect.core import check
from recollect.core.errors import InvalidInput

MOST_BYTES = 100_000
MOST_SECTIONS = 200
_FIELD = "template"


@dataclass(frozen=True, slots=True)
class SectionPlan:
    """A section that a template names."""

    id: str
    name: str
    required: bool


@dataclass(frozen=True, slots=True)
class Template:
    """A template, read."""

    id: str
    name: str
    sections: tuple[SectionPlan, ...]
    text: str
    """As it was given."""


@cache
def built_in() -> dict[str, str]:
    """The templates that come with Recollect: their names and YAML texts."""
    folder = files("recollect.active").joinpath("built_in")
    found = {path.name.removesuffix(".yaml"): path.read_text("utf-8") for path in folder.iterdir()}
    return dict(sorted(found.items()))


def parse(given: object) -> Template:
    """Read a template: YAML text, or the name of one that is built in."""
    text = check.text(_FIELD, given, most_bytes=MOST_BYTES)
    if ":" not in text and "\n" not in text.strip():
        text = text.strip()
        if text not in built_in():
            raise InvalidInput(_FIELD, f"{text[:80]!r} is neither YAML nor one of {', '.join(built_in())}")
        text = built_in()[text]
    root = _mapping(_node(text), "the template", ("template", "sections"))
    head = _mapping(_required(root, "template", 1), "template", ("id", "name", "version", "description"))
    head_line = _line(root["template"])
    return Template(
        _text(_required(head, "id", head_line), "template.id"),
        _text(_required(head, "name", head_line), "template.name"),
        _sections(_required(root, "sections", 1)),
        text,
    )


def _node(text: str) -> yaml.Node:
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}: " if mark else ""
        raise InvalidInput(_FIELD, f"{where}{error.problem or 'is no YAML'}") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise InvalidInput(_FIELD, f"line {line}: holds a character that YAML does not allow") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise InvalidInput(_FIELD, f"line 1: is no YAML ({type(error).__name__})") from None
    if node is None:
        raise InvalidInput(_FIELD, "line 1: is empty")
    return node


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _refuse(node: yaml.Node, problem: str) -> InvalidInput:
    return InvalidInput(_FIELD, f"line {_line(node)}: {problem}")


def _mapping(node: yaml.Node, what: str, keys: tuple[str, ...]) -> dict[str, yaml.Node]:
    if not isinstance(node, yaml.MappingNode):
        raise _refuse(node, f"{what} must be a mapping")
    found: dict[str, yaml.Node] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise _refuse(key, f"a key of {what} must be a word")
        if key.value in found:
            raise _refuse(key, f"{key.value!r} is given twice")
        if key.value not in keys:
            raise _refuse(key, f"{what} has no {key.value!r}, only {', '.join(keys)}")
        found[key.value] = value
    return found


def _required(mapping: dict[str, yaml.Node], key: str, line: int) -> yaml.Node:
    if key not in mapping:
        raise InvalidInput(_FIELD, f"line {line}: {key!r} is missing")
    return mapping[key]


def _text(node: yaml.Node, what: str) -> str:
    if not isinstance(node, yaml.ScalarNode) or node.tag == "tag:yaml.org,2002:null" or not node.value.strip():
        raise _refuse(node, f"{what} must be text")
    try:
        return check.identifier(what, node.value.strip())
    except InvalidInput as error:
        raise _refuse(node, f"{what} {error.problem}") from None


def _flag(node: yaml.Node, what: str) -> bool:
    if not isinstance(node, yaml.ScalarNode) or node.tag != "tag:yaml.org,2002:bool":
        raise _refuse(node, f"{what} must be true or false")
    return node.value.casefold() in ("true", "yes", "on")


def _sections(node: yaml.Node) -> tuple[SectionPlan, ...]:
    if not isinstance(node, yaml.SequenceNode) or not node.value:
        raise _refuse(node, "sections must be a list with at least one section")
    if len(node.value) > MOST_SECTIONS:
        raise _refuse(node, f"there are {len(node.value)} sections; the limit is {MOST_SECTIONS}")
    found: dict[str, SectionPlan] = {}
    for item in node.value:
        plan = _section(item)
        if plan.id in found:
            raise _refuse(item, f"section id {plan.id!r} is given twice")
        found[plan.id] = plan
    return tuple(found.values())


def _section(node: yaml.Node) -> SectionPlan:
    values = _mapping(node, "a section", ("id", "name", "required", "description"))
    line = _line(node)
    required = values.get("required")
    return SectionPlan(
        _text(_required(values, "id", line), "section id"),
        _text(_required(values, "name", line), "section name"),
        required is not None and _flag(required, "required"),
    )
