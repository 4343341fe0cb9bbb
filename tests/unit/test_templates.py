"""Templates: what is read of them, and that every error names its line."""

import pytest

from recollect.active import templates
from recollect.core.errors import InvalidInput

A = """
template:
  id: "coding_agent_activity_v1"
  name: "Coding Agent Activity"
  version: "1.0.0"

sections:
  - id: "current_task"
    name: "Current Task"
    required: true
  - id: "progress"
    name: "Progress"
    required: true
  - id: "blockers"
    name: "Blockers"
    required: false
"""


def test_the_documents_template_is_read() -> None:
    template = templates.parse(A)
    assert (template.id, template.name) == ("coding_agent_activity_v1", "Coding Agent Activity")
    read = [(section.id, section.name, section.required) for section in template.sections]
    assert read == [
        ("current_task", "Current Task", True),
        ("progress", "Progress", True),
        ("blockers", "Blockers", False),
    ]
    assert template.text == A


@pytest.mark.parametrize("name", ["coding_agent", "research", "support", "planning"])
def test_built_in_templates_go_by_their_name(name: str) -> None:
    template = templates.parse(name)
    assert template.id == name
    assert any(section.required for section in template.sections)


@pytest.mark.parametrize(
    ("line", "problem", "text"),
    [
        (14, "'progress' is given twice", A.replace('"blockers"', '"progress"')),
        (11, "'id' is missing", A.replace('  - id: "progress"\n    name', "  - name")),
        (8, "'name' is missing", A.replace('    name: "Current Task"\n', "")),
        (10, "required must be true or false", A.replace("required: true", "required: perhaps", 1)),
        (8, "section id must be text", A.replace('"current_task"', '""')),
        (8, "section id must be text", A.replace('"current_task"', "[a, b]")),
        (3, "'name' is missing", A.replace('  name: "Coding Agent Activity"\n', "")),
        (1, "'sections' is missing", A.split("sections:", maxsplit=1)[0]),
        (7, "at least one section", A.split("sections:", maxsplit=1)[0] + "sections: []"),
        (4, "is given twice", A.replace('  name: "Coding', '  id: again\n  name: "Coding')),
        (
            8,
            "a section must be a mapping",
            A.replace('- id: "current_task"\n    name: "Current Task"\n    required: true', "- x"),
        ),
        (1, "must be a mapping", "- a: b"),
        (6, "template has no 'versoin', only id, name, version", A.replace('1.0.0"\n', '1.0.0"\n  versoin: 2\n')),
        (10, "a section has no 'requried'", A.replace("required: true", "requried: true", 1)),
        (2, "the template has no 'section', only template, sections", "\nsection: []" + A),
    ],
)
def test_an_error_names_its_line(line: int, problem: str, text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        templates.parse(text)
    assert refused.value.field == "template"
    assert problem in refused.value.problem
    assert f"line {line}:" in refused.value.problem


@pytest.mark.parametrize(
    "text",
    [
        "a: [1, 2",
        "a: b: c",
        "template:\n\t- x",
        "{" * 20_000 + ":",
        "template: &a\n  id: *b",
        "template: \x07",
        "",
        "a\0: b",
        "no_such_template",
        "x: " + "y" * 200_000,
        42,
        None,
    ],
)
def test_what_is_no_template_is_refused(text: object) -> None:
    with pytest.raises(InvalidInput, match="template"):
        templates.parse(text)


def test_broken_yaml_names_the_line_too() -> None:
    with pytest.raises(InvalidInput, match="line 4"):
        templates.parse("template:\n  id: x\n  name: [1\nsections: y")


def test_a_name_may_end_with_its_line() -> None:
    assert templates.parse("coding_agent\n") == templates.parse("coding_agent")
