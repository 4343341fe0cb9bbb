"""Categories and allowlists: what a file says, what is wrong with it, and that it is read again when it changes."""

import logging
import os
from pathlib import Path

import pytest

from recollect.core.errors import InvalidInput, NotAllowed
from recollect.core.scope import Scope
from recollect.governance.policy import Category, Policy, parse
from recollect.governance.reloading import PolicyInForce

OF_D = """
categories:
  system:
    - name: profile
      context: all
    - name: event
      context: rag
      rag_length: 30
    - name: activity
      context: rag
      rag_length: 50
  custom: []
allowlists:
  supervisor: [profile, goals, preferences, event, activity, relationships, tasks]
  planner:    [goals, tasks, projects]
  stylist:    [preferences, tone, style]
  researcher: [knowledge, interests, history]
  executor:   [tasks, recent_activity, constraints]
"""


def test_the_file_of_document_d_loads_unchanged() -> None:
    policy = parse(OF_D)
    assert policy.categories == {
        "profile": Category("profile", "all"),
        "event": Category("event", "rag", 30),
        "activity": Category("activity", "rag", 50),
    }
    assert policy.allowlists is not None
    assert list(policy.allowlists) == ["supervisor", "planner", "stylist", "researcher", "executor"]
    assert policy.allowlists["planner"] == ("goals", "tasks", "projects")
    assert policy.whole == ("profile",)
    assert (policy.most("event"), policy.most("goals")) == (30, None)


def test_an_agent_sees_what_its_list_has_and_a_person_everything() -> None:
    policy = parse(OF_D)
    assert policy.seen_by(Scope("alice")).categories is None
    assert policy.seen_by(Scope("alice", agent_id="planner")).categories == ("goals", "tasks", "projects")
    unlisted = policy.seen_by(Scope("alice", agent_id="stranger"))
    with pytest.raises(NotAllowed, match="agent stranger: it is on no allowlist"):
        unlisted.refuse_blind()


@pytest.mark.parametrize("text", ["categories: {system: [], custom: []}", "allowlists: {}"])
def test_without_allowlists_everybody_sees_everything(text: str) -> None:
    assert parse(text).seen_by(Scope("alice", agent_id="stranger")).categories is None
    assert Policy().seen_by(Scope("alice", agent_id="stranger")).categories is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "categories:\n  system:\n    - name: a\n      context: some\n",
            r"line 4: .*\.context must be all or rag",
        ),
        ("categories:\n  system:\n    - context: all\n", r"line 3: 'name' is missing"),
        ("categories:\n  system:\n    - name: a\n    - name: a\n", r"line 4: category 'a' is given twice"),
        ("categories:\n  system:\n    - {name: a, rag_length: 0}\n", r"line 3: .*rag_length must be a whole number"),
        ("categories:\n  system:\n    - {name: a, context: all, rag_length: 3}\n", r"line 3: .*goes with context: rag"),
        ("categories:\n  system:\n    - {name: a, colour: red}\n", r"line 3: categories.system\[0\] has no 'colour'"),
        ("categories:\n  other: []\n", r"line 2: categories has no 'other'"),
        ("allowlists:\n  planner: goals\n", r"line 2: allowlists.planner must be a list"),
        ("allowlists:\n  planner: [goals, [tasks]]\n", r"line 2: allowlists.planner\[1\] must be text"),
        ("allowlists:\n  planner: [a]\n  planner: [b]\n", r"line 3: 'planner' is given twice"),
        ("allowlists: [planner]\n", r"line 1: allowlists must be a mapping"),
        ("allow: {}\n", r"line 1: the file has no 'allow', only categories, allowlists"),
        ("allowlists: {planner: [a\n", r"line \d: "),
        ("# nothing\n", r"line 1: is empty"),
    ],
)
def test_an_error_names_line_and_field(text: str, problem: str) -> None:
    with pytest.raises(InvalidInput, match=f"categories: {problem}"):
        parse(text)


def test_a_changed_file_is_in_force_at_once(tmp_path: Path) -> None:
    file = tmp_path / "categories.yaml"
    file.write_text("allowlists: {planner: [goals]}\n")
    rules = PolicyInForce(str(file))
    before = rules.current
    assert rules.current is before
    file.write_text("allowlists: {planner: [goals, tasks]}\n")
    assert rules.current.allowlists == {"planner": ("goals", "tasks")}


def test_a_bad_file_leaves_the_last_good_rules_in_force(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "categories.yaml"
    file.write_text("allowlists: {planner: [goals]}\n")
    rules = PolicyInForce(file)
    file.write_text("allowlists: {planner: goals, all: [everything]}\n")
    with caplog.at_level(logging.WARNING):
        assert rules.current.allowlists == {"planner": ("goals",)}
        assert rules.current.allowlists == {"planner": ("goals",)}
    assert len(caplog.records) == 1
    assert "line 1: allowlists.planner must be a list" in caplog.text
    assert rules.untold_problem() is not None
    assert rules.untold_problem() is None
    os.unlink(file)
    assert rules.current.allowlists == {"planner": ("goals",)}
    file.write_text("allowlists: {planner: [tasks]}\n")
    assert rules.current.allowlists == {"planner": ("tasks",)}
    assert rules.problem is None


def test_a_file_that_is_not_there_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read: No such file"):
        PolicyInForce(tmp_path / "absent.yaml")
    with pytest.raises(InvalidInput, match="cannot be read"):
        PolicyInForce(str(tmp_path / "absent.yaml"))


def test_one_line_of_yaml_is_no_path() -> None:
    assert PolicyInForce("allowlists: {planner: [goals]}").current.allowlists == {"planner": ("goals",)}
    assert PolicyInForce(None).current == Policy()
    with pytest.raises(InvalidInput, match="line 1: is empty"):
        PolicyInForce("")
