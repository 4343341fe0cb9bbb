"""Scoring the graph's extraction on a labelled set: precision and recall per kind.

python tests/labelled_graph.py FILE... [--wrong]

A prediction is right if its name or an alias equals, in canonical form, the label's name or one of its aliases. Each
label counts once: a second prediction for it is wrong. Optional labels are neither.
"""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from labelled import Case, Score, load
from recollect.graph.extract import extract
from recollect.graph.model import Entity, Extracted, canonical

Names = frozenset[str]

KINDS = ("people", "organisations", "places", "products", "concepts", "relations")
_TYPES = {"organisation": "organisations", "place": "places", "product": "products", "technology": "products"}


@dataclass
class Result:
    """The scores per kind, and each error in words."""

    scores: dict[str, Score] = field(default_factory=lambda: {kind: Score() for kind in KINDS})
    errors: list[str] = field(default_factory=list)


def score(cases: Iterable[Case], extractor: Callable[[str], Extracted] = extract) -> Result:
    """Precision and recall of an extractor over some cases."""
    result = Result()
    for case in cases:
        found = extractor(case["text"])
        for kind in KINDS[:-1]:
            predicted = [_names_of(entity) for entity in found.entities if _kind(entity) == kind]
            _score_names(case, kind, predicted, result)
        _score_relations(case, found, result)
    return result


def _kind(entity: Entity) -> str | None:
    if entity.kind in ("person", "concept"):
        return {"person": "people", "concept": "concepts"}[entity.kind]
    return _TYPES.get(entity.type)


def _names_of(entity: Entity) -> Names:
    return frozenset(map(canonical, (entity.name, *entity.aliases)))


def _label(label: Any) -> Names:
    if isinstance(label, str):
        return frozenset({canonical(label)})
    return frozenset(map(canonical, (label["name"], *label["aliases"])))


def _score_names(case: Case, kind: str, predicted: Sequence[Names], result: Result) -> None:
    wanted = [_label(each) for each in case[kind]]
    allowed = [_label(each) for each in case.get("optional", {}).get(kind, [])]
    own = result.scores[kind]
    for names in predicted:
        found = next((label for label in wanted if label & names), None)
        if found is not None:
            wanted.remove(found)
            own.right += 1
        elif not any(label & names for label in allowed):
            own.wrong += 1
            result.errors.append(f"WRONG  {kind:13} {case['id']} {sorted(names)}")
    own.missed += len(wanted)
    result.errors += [f"MISSED {kind:13} {case['id']} {sorted(label)}" for label in wanted]


def _score_relations(case: Case, found: Extracted, result: Result) -> None:
    """Relations by the labels of their ends; what stands only for being named together is not scored."""
    names = {entity.key: _names_of(entity) for entity in found.entities}
    ends = {
        end: frozenset({canonical(end)}) | _people_label(case, end)
        for each in case["relations"]
        for end in (each[0], each[2])
    }
    wanted = [tuple(each) for each in case["relations"]]
    own = result.scores["relations"]
    for link in found.links:
        if link.denied or link.type == "mentioned_with":
            continue
        said = next(
            (each for each in wanted if _is_said(each, link.type, names[link.subject], names[link.object], ends)), None
        )
        if said is not None:
            wanted.remove(said)
            own.right += 1
        else:
            own.wrong += 1
            result.errors.append(f"WRONG  relations     {case['id']} {link.subject[2]} {link.type} {link.object[2]}")
    own.missed += len(wanted)
    result.errors += [f"MISSED relations     {case['id']} {' '.join(each)}" for each in wanted]


_BOTH_WAYS = frozenset({"works_with", "married_to", "sibling_of", "friend_of"})


def _is_said(label: Sequence[str], type: str, subject: Names, thing: Names, ends: Mapping[str, Names]) -> bool:
    if label[1] != type:
        return False
    straight = bool(ends[label[0]] & subject and ends[label[2]] & thing)
    return straight or (type in _BOTH_WAYS and bool(ends[label[2]] & subject and ends[label[0]] & thing))


def _people_label(case: Case, name: str) -> Names:
    labels = (_label(each) for each in (*case["people"], *case.get("optional", {}).get("people", [])))
    return next((label for label in labels if canonical(name) in label), frozenset())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--wrong", action="store_true", help="show every error")
    parser.add_argument("--kind", help="errors of this kind only")
    arguments = parser.parse_args()
    cases = load(arguments.files)
    result = score(cases)
    if arguments.wrong:
        print("\n".join(error for error in result.errors if not arguments.kind or f" {arguments.kind} " in error))  # noqa: T201
    print(f"{len(cases)} passages")  # noqa: T201
    print(f"{'':14}{'right':>6}{'wrong':>7}{'missed':>8}{'precision':>11}{'recall':>8}")  # noqa: T201
    for kind, own in result.scores.items():
        print(f"{kind:14}{own.right:6}{own.wrong:7}{own.missed:8}{own.precision:11.2f}{own.recall:8.2f}")  # noqa: T201


if __name__ == "__main__":
    main()
