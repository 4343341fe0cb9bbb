"""Descriptions by rules: one or two sentences from relations and notes, the same however often they are made."""

from datetime import UTC, datetime, timedelta

import pytest

from recollect.understanding.describing import Remarked, Subject, Tied, by_rules

START = datetime(2026, 3, 1, tzinfo=UTC)


def sarah(*notes, ties=(), present=None, lead=None, kind="person", name="Sarah Chen"):
    remarks = tuple(
        Remarked(text, lifetime, START + timedelta(days=day))
        for day, (text, lifetime) in enumerate((note, "month") if isinstance(note, str) else note for note in notes)
    )
    return Subject(kind, name, present, remarks, tuple(Tied(*tie) for tie in ties), lead)


def again(subject):
    """The same, with what it was described as."""
    made = by_rules(subject)
    return by_rules(
        Subject(subject.kind, subject.name, made.text, subject.notes, subject.ties, made.lead, subject.fresh)
    )


def test_relations_make_one_sentence():
    made = by_rules(sarah(ties=[("works_at", "Acme Corp"), ("leads", "the billing migration")]))
    assert made.text == "Sarah Chen works at Acme Corp and leads the billing migration."


@pytest.mark.parametrize(
    ("type", "outgoing", "said"),
    [
        ("married_to", True, "Sarah Chen is married to X."),
        ("friend_of", True, "Sarah Chen is a friend of X."),
        ("uncle_of", True, "Sarah Chen is an uncle of X."),
        ("depends_on", True, "Sarah Chen depends on X."),
        ("part_of", True, "Sarah Chen is part of X."),
        ("works_at", False, "Sarah Chen employs X."),
        ("part_of", False, "Sarah Chen includes X."),
        ("friend_of", False, None),
        ("mentions", True, None),
        ("mentioned_with", True, None),
        ("mentioned_with", False, None),
        ("related_to", True, None),
    ],
)
def test_a_relation_in_words(type, outgoing, said):
    assert by_rules(sarah(ties=[(type, "X", outgoing)])).text == said


def test_nothing_known_is_no_description():
    assert by_rules(sarah()).text is None


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("Sarah Chen leads billing", "Sarah Chen leads billing."),
        ("She leads billing.", "Sarah Chen leads billing."),
        ("Her team is in Rome.", "Sarah Chen's team is in Rome."),
        ("leads billing", "Sarah Chen leads billing."),
        ("Prefers email to calls.", "Sarah Chen prefers email to calls."),
        ("Is she coming on Friday?", None),
        ("call me back", None),
        ("My key is sk-proj-abcdefghijklmnopqrstuvwx0123456789.", None),
        ("…", None),
    ],
)
def test_a_note_becomes_a_sentence_about_the_node_or_nothing(note, said):
    assert by_rules(sarah(note)).text == said


def test_what_lasts_longest_comes_first_then_the_newest():
    made = by_rules(
        sarah(
            ("Sarah Chen is vegetarian.", "forever"),
            "Sarah Chen visited Rome.",
            "Sarah Chen learns Greek.",
            ("Sarah Chen has a cold.", "week"),
        )
    )
    assert made.text == "Sarah Chen is vegetarian. Sarah Chen learns Greek."


def test_a_newer_note_that_contradicts_an_older_one_stands_alone():
    made = by_rules(sarah(("Sarah Chen works at Acme.", "forever"), "Sarah Chen does not work at Acme."))
    assert made.text == "Sarah Chen does not work at Acme."


def test_nothing_is_said_twice():
    made = by_rules(sarah("Sarah Chen works at Acme.", "Sarah works at Acme.", ties=[("works_at", "Acme")]))
    assert made.text == "Sarah Chen works at Acme."


def test_a_relation_that_a_note_tells_more_of_is_left_to_the_note():
    made = by_rules(
        sarah("Sarah Chen works at Acme as an engineer.", ties=[("works_at", "Acme"), ("manages", "Atlas")])
    )
    assert made.text == "Sarah Chen manages Atlas. Sarah Chen works at Acme as an engineer."
    alone = sarah("Sarah Chen works at Acme as an engineer.", ties=[("works_at", "Acme")])
    assert by_rules(alone).text == "Sarah Chen works at Acme as an engineer."
    assert again(alone) == by_rules(alone)


def test_two_notes_of_the_same_are_told_once():
    made = by_rules(
        sarah("Sarah Chen wrote the yearly report on budgets.", "Sarah Chen wrote the yearly report, as ever.")
    )
    assert made.text == "Sarah Chen wrote the yearly report, as ever."


def test_it_is_short_whatever_there_is():
    notes = [
        f"Sarah Chen told a long story about place number {n} and all that happened there on a day." for n in range(9)
    ]
    made = by_rules(sarah(*notes, ties=[("works_at", "A" * 100), ("uses", "B" * 100), ("manages", "C" * 100)]))
    assert len(made.text) <= 280


@pytest.mark.parametrize(
    "subject",
    [
        sarah("She leads billing.", "Likes tea a lot.", ties=[("works_at", "Acme Corp")]),
        sarah("She leads billing.", "Likes tea a lot.", "Plays chess."),
        sarah(ties=[("works_at", "Acme Inc."), ("works_with", "Dr. Bob")]),
        sarah("They pair daily.", kind="relation", name="Sarah Chen works with Bob", present="Sarah pairs with Bob."),
        sarah(kind="relation", name="A uses B", present="A uses B because C said so, " + "and so on " * 40),
    ],
)
def test_made_again_it_is_the_same(subject):
    made = by_rules(subject)
    assert again(subject) == made
    assert by_rules(subject) == made


def test_what_was_known_stays_while_there_is_room():
    before = by_rules(sarah("Sarah Chen leads billing."))
    after = by_rules(sarah(present=before.text, ties=[("works_at", "Acme")]))
    assert after.text == "Sarah Chen works at Acme. Sarah Chen leads billing."
    gone = by_rules(sarah(present=after.text, lead=after.lead))
    assert gone.text == "Sarah Chen leads billing."  # the relation ended


def test_a_relation_without_notes_keeps_the_words_of_its_text():
    assert by_rules(sarah(kind="relation", present="whatever, as it was said")).text == "whatever, as it was said"
