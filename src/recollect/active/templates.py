"""Templates in YAML: which sections an active memory has. Every error names its line."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml

from recollect.core import check
from recollect.core.errors import InvalidInput
from recollect.core.marked import Marked, line_of

MOST_BYTES = 100_000
MOST_SECTIONS = 200
_FIELD = "template"
_YAML = Marked(_FIELD)


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
    root = _YAML.mapping(_YAML.node(text), "the template", ("template", "sections"))
    head = _YAML.mapping(_YAML.required(root, "template", 1), "template", ("id", "name", "version", "description"))
    head_line = line_of(root["template"])
    return Template(
        _YAML.text(_YAML.required(head, "id", head_line), "template.id"),
        _YAML.text(_YAML.required(head, "name", head_line), "template.name"),
        _sections(_YAML.required(root, "sections", 1)),
        text,
    )


def _sections(node: yaml.Node) -> tuple[SectionPlan, ...]:
    if not isinstance(node, yaml.SequenceNode) or not node.value:
        raise _YAML.refusal(node, "sections must be a list with at least one section")
    if len(node.value) > MOST_SECTIONS:
        raise _YAML.refusal(node, f"there are {len(node.value)} sections; the limit is {MOST_SECTIONS}")
    found: dict[str, SectionPlan] = {}
    for item in node.value:
        plan = _section(item)
        if plan.id in found:
            raise _YAML.refusal(item, f"section id {plan.id!r} is given twice")
        found[plan.id] = plan
    return tuple(found.values())


def _section(node: yaml.Node) -> SectionPlan:
    values = _YAML.mapping(node, "a section", ("id", "name", "required", "description"))
    line = line_of(node)
    required = values.get("required")
    return SectionPlan(
        _YAML.text(_YAML.required(values, "id", line), "section id"),
        _YAML.text(_YAML.required(values, "name", line), "section name"),
        required is not None and _YAML.flag(required, "required"),
    )
