"""A key of the profile, told again from words that were read otherwise."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from recollect.core.ids import new_id
from recollect.profile.conflicts import Policy
from recollect.profile.model import Held, Said
from recollect.profile.retelling import Retold, Word, keys_of, retell
from recollect.understanding.model import Fact

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
POLICY = Policy(frozenset({"city"}), 2)


def word(value: str, day: int, key: str = "city", **more: object) -> Word:
    said = Said(NOON + timedelta(days=day), 1, UUID(int=day + 1))
    return Word(replace(Fact("identity", key, value, 1.0), **more), said)  # type: ignore[arg-type]


def held(value: str, day: int, **more: object) -> Held:
    value_of_day = Held(new_id(), value, 1.0, NOON + timedelta(days=day), 1, None, False, False, {})
    return replace(value_of_day, **more)  # type: ignore[arg-type]


def value(retold: Retold) -> str | None:
    return retold.active.value if retold.active else None


def test_the_last_word_holds_and_all_that_did_something_are_kept() -> None:
    words = [word("Porto", 0), word("Porto", 1), word("Lisbon", 2)]
    retold = retell(words, [], [], POLICY)
    assert value(retold) == "Lisbon"
    assert retold.words == words
    assert [each.ended_at for each in retold.held] == [NOON + timedelta(days=2), None]


def test_an_end_leaves_nothing() -> None:
    assert value(retell([word("Porto", 0), word("Porto", 1, ended=True)], [], [], POLICY)) is None


def test_what_a_person_set_stands_and_what_was_said_later_is_proposed() -> None:
    standing = held("Faro", 1, by_hand=True)
    retold = retell([word("Porto", 0), word("Lisbon", 2)], [standing], [], POLICY)
    assert retold.active == standing
    assert [each.fact.value for each, _ in retold.proposed] == ["Lisbon"]
    assert retold.words == []


def test_what_a_person_deleted_is_not_told_again() -> None:
    retold = retell([word("Porto", 1)], [held("Porto", 0, by_hand=True, deleted=True)], [], POLICY)
    assert value(retold) is None
    assert retold.words == retold.proposed == []


def test_inferred_values_wait_for_signals_and_sensitive_ones_for_consent() -> None:
    tones = [word("formal", day, "tone", first_person=False) for day in range(2)]
    alone = retell(tones[:1], [], [], POLICY)
    assert (value(alone), [each for each, _ in alone.proposed]) == (None, tones[:1])
    both = retell(tones, [], [], POLICY)
    assert (value(both), both.words, both.proposed) == ("formal", tones, [])
    assert value(retell(tones[:1], [], [UUID(int=99)], POLICY)) == "formal"
    cities = [word("Porto", day, first_person=False) for day in range(3)]
    assert (value(retell(cities, [], [], POLICY)), len(retell(cities, [], [], POLICY).proposed)) == (None, 3)


def test_words_are_told_in_the_order_in_which_they_were_said_key_by_key() -> None:
    later, earlier, other = word("Lisbon", 2), word("Porto", 1), word("Alice", 0, "name")
    known = held("Porto", 1)
    keys = {key.key: key for key in keys_of([later, other, earlier], [("identity", "city", known)])}
    assert (keys["city"].words, keys["city"].values) == ([earlier, later], [known])
    assert keys["name"].words == [other]


def test_items_of_a_key_that_holds_many_are_told_apart() -> None:
    words = [word("peanuts", 0, "allergy"), word("shrimp", 1, "allergy"), word("Peanuts", 2, "allergy")]
    assert [[each.fact.value for each in key.words] for key in keys_of(words, [])] == [
        ["peanuts", "Peanuts"],
        ["shrimp"],
    ]
