"""Scoring an extractor on the labelled set: precision and recall per type, by the rules of the guide.

python tests/labelled.py FILE... [--wrong]
"""

import argparse
import calendar
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from recollect.core.terms import stems
from recollect.understanding.keyless import understand as keyless
from recollect.understanding.model import Fact, Statement, Understood, Utterance
from recollect.understanding.writing import Draft, checked

Case = Mapping[str, Any]
Understand = Callable[[Utterance], Understood]

PROFILE = ("identity", "preference", "constraint", "instruction")
STATEMENTS = ("fact", "decision", "preference", "constraint", "goal")
TYPES = (*(f"profile {each}" for each in PROFILE), *(f"statement {each}" for each in STATEMENTS))

_ARTICLES = frozenset({"a", "an", "the"})
_MONTHS = list(calendar.month_name)[1:]
_DATE = re.compile(r"\d{4}(?:-\d\d){0,2}")


@dataclass
class Score:
    """How often an extractor was right, for one type."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0


@dataclass
class Result:
    """The scores per type, and each error in words."""

    scores: dict[str, Score] = field(default_factory=lambda: {each: Score() for each in TYPES})
    errors: list[str] = field(default_factory=list)


def load(paths: Iterable[Path]) -> list[Case]:
    """The cases of some files."""
    return [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines() if line.strip()]


def utterance(case: Case) -> Utterance:
    """The message of a case as the extractor gets it."""
    own = case["name"] is None or case["name"] == case["owner"]
    before = case.get("before") or []
    return Utterance(
        text=case["content"],
        role=case["role"],
        speaker=case["owner"] if own else case["name"],
        own=own,
        at=datetime.fromisoformat(case["at"]),
        zone=case["timezone"],
        before=before[-1]["content"] if before else None,
    )


@dataclass
class Form:
    """How much of what an extractor writes keeps to the writing rules."""

    drafts: int = 0
    refused: int = 0
    """Drafts that the extractor itself gave up: they could not be said without a pronoun."""
    items: int = 0
    broken: list[str] = field(default_factory=list)
    """New items that the rules would refuse, trim or change."""

    @property
    def passed(self) -> float:
        return 1 - len(self.broken) / self.items if self.items else 1.0


def form(cases: Iterable[Case], understand: Understand) -> Form:
    """The new items of an extractor against the writing rules, as they come."""
    found = Form()
    for case in cases:
        understood = understand(utterance(case))
        texts = [statement.content for statement in understood.statements]
        found.drafts += understood.written
        found.refused += sum(understood.rejected.values())
        found.items += len(texts)
        found.broken += [text for text in texts if checked(text) != Draft(text)]
    return found


def score(cases: Iterable[Case], understand: Understand) -> Result:
    """Precision and recall of an extractor over some cases."""
    result = Result()
    for case in cases:
        understood = understand(utterance(case))
        _score_profile(case, understood.facts, result)
        _score_statements(case, understood.statements, result)
    return result


def _score_profile(case: Case, facts: Sequence[Fact], result: Result) -> None:
    wanted, allowed = list(case["profile"]), list(case.get("optional", {}).get("profile", []))
    for fact in facts:
        label = _take(wanted, lambda label, fact=fact: _is_fact(label, fact))
        if label is not None:
            result.scores[f"profile {fact.type}"].right += 1
        elif _take(allowed, lambda label, fact=fact: _is_fact(label, fact)) is None:
            result.scores[f"profile {fact.type}"].wrong += 1
            taken = f"{fact.type}.{fact.key} = {fact.value!r} {'ended' * fact.ended}"
            result.errors.append(f"WRONG  {case['id']} {_said(case)}\n       {taken}")
    for label in wanted:
        result.scores[f"profile {label['type']}"].missed += 1
        result.errors.append(f"MISSED {case['id']} {_said(case)}\n       {label}")


def _score_statements(case: Case, statements: Sequence[Statement], result: Result) -> None:
    wanted, allowed = list(case["statements"]), list(case.get("optional", {}).get("statements", []))
    left = []
    for statement in statements:
        if _take(wanted, lambda label, statement=statement: _is_statement(label, statement)) is not None:
            result.scores[f"statement {statement.type}"].right += 1
        else:
            left.append(statement)
    for statement in left:
        covered = (
            _take(allowed, lambda label, statement=statement: _is_statement(label, statement, any_type=True))
            is not None
        )
        if not covered and not _repeats_profile(case, statement):
            result.scores[f"statement {statement.type}"].wrong += 1
            result.errors.append(
                f"WRONG  {case['id']} {_said(case)}\n       {statement.type}: {statement.content} "
                f"({statement.confidence})"
            )
    used = [label["must"] for label in case.get("optional", {}).get("statements", []) if label not in allowed]
    for label in wanted:
        if label["must"] in used:
            continue
        result.scores[f"statement {label['type']}"].missed += 1
        result.errors.append(f"MISSED {case['id']} {_said(case)}\n       {label}")


def _take(labels: list[Any], fits: Callable[[Any], bool]) -> Any | None:
    """The first label that fits, taken out of the list: one item matches one label."""
    for place, label in enumerate(labels):
        if fits(label):
            return labels.pop(place)
    return None


def _is_fact(label: Case, fact: Fact) -> bool:
    if label["type"] != fact.type or bool(label.get("retract")) != fact.ended:
        return False
    if label.get("key") is not None and label["key"] != fact.key:
        return False
    return _value_fits(label, fact.value)


def _value_fits(label: Case, value: str) -> bool:
    if label.get("value"):
        accepted = label["value"] if isinstance(label["value"], list) else [label["value"]]
        return _plain(value) in {_plain(each) for each in accepted}
    return _holds(value, label.get("must", []))


def _is_statement(label: Case, statement: Statement, any_type: bool = False) -> bool:
    if label["type"] != statement.type and not any_type:
        return False
    about = label.get("about")
    named = not about or about.split()[0].casefold() in statement.content.casefold()
    return named and _holds(statement.content, label["must"])


def _repeats_profile(case: Case, statement: Statement) -> bool:
    """Whether a statement says what a profile label says already."""
    labels = [*case["profile"], *case.get("optional", {}).get("profile", [])]
    return any(_said_by(label, statement.content) for label in labels)


def _said_by(label: Case, content: str) -> bool:
    if label.get("value"):
        accepted = label["value"] if isinstance(label["value"], list) else [label["value"]]
        return any(_holds(content, [each]) for each in accepted)
    return _holds(content, label.get("must", []))


def _holds(text: str, must: Sequence[str]) -> bool:
    """Whether all words occur, by their stems; dates literally."""
    found = stems(text)
    return all(_occurs(each, text, found) for each in must)


def _occurs(each: str, text: str, found: frozenset[str]) -> bool:
    """A date literally, a month by its name or its number ("August", "2026-08"), all else by its stems."""
    if _DATE.fullmatch(each):
        return each in text
    if each in _MONTHS and re.search(rf"\b\d{{4}}-{_MONTHS.index(each) + 1:02d}", text):
        return True
    return found >= stems(each)


def _plain(value: str) -> str:
    """Without case, articles and punctuation."""
    return " ".join(word for word in re.findall(r"[^\W_]+", value.casefold()) if word not in _ARTICLES)


def _said(case: Case) -> str:
    who = f"{case['name']}: " if case["name"] else ""
    return who + case["content"].replace("\n", " ⏎ ")[:220] + f"   [{case['at'][:10]}]"


def table(result: Result) -> str:
    """The scores as text."""
    lines = [f"{'type':<22} {'right':>5} {'wrong':>5} {'missed':>6} {'precision':>9} {'recall':>7}"]
    for name, each in result.scores.items():
        lines.append(
            f"{name:<22} {each.right:>5} {each.wrong:>5} {each.missed:>6} {each.precision:>9.3f} {each.recall:>7.3f}"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Score the keyless extractor on labelled files.")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--wrong", action="store_true", help="print each miss and each false alarm")
    given = parser.parse_args()
    cases = load(given.files)
    result = score(cases, keyless)
    if given.wrong:
        print("\n".join(result.errors))  # noqa: T201
    print(table(result))  # noqa: T201
    print(f"{len(cases)} cases, {dict(Counter(case['split'] for case in cases))}")  # noqa: T201
    kept = form(cases, keyless)
    print(f"{kept.passed:.1%} of {kept.items} new items in form; {kept.refused} of {kept.drafts} drafts given up")  # noqa: T201


if __name__ == "__main__":
    main()
