"""Of the statements of a long message the weightiest are written."""

from recollect.flows.reading import Owner, Reading, weightiest
from recollect.profile.model import Said
from recollect.understanding.model import Fact, Statement, Understood


def reading(facts: list[Fact], statements: list[Statement]) -> Reading:
    owner = Owner("user:alex", set(), None, "UTC")
    understood = Understood(tuple(facts), tuple(statements))
    return Reading(None, owner, Said(None), understood, tuple(facts), True, False)  # type: ignore[arg-type]


WIFE = Statement("fact", "The user's wife is called Ana.", 0.95, quote="My wife is called Ana")
SON = Statement("fact", "The user's son is called Tim.", 0.95, quote="Our son is called Tim")
FLOOR = Statement("fact", "The server room is on the third floor.", 0.95, quote="The server room is")
REDIS = Statement("decision", "The user's team decided to use Redis.", 0.9, quote="We decided to use Redis")
LAUNCH = Statement("goal", "The user's goal is to launch in May.", 0.8, quote="I want to launch in May")
PARTNER = Fact("identity", "partner", "Ana", 0.95, quote="My wife is called Ana")


def test_a_decision_comes_before_what_the_profile_tells() -> None:
    assert weightiest(reading([PARTNER], [WIFE, SON, FLOOR, REDIS]), 3) == [SON, FLOOR, REDIS]
    assert weightiest(reading([PARTNER], [WIFE, SON, REDIS]), 2) == [SON, REDIS]


def test_what_matters_more_comes_first_and_keeps_its_place() -> None:
    assert weightiest(reading([], [WIFE, REDIS, FLOOR, LAUNCH]), 2) == [REDIS, LAUNCH]


def test_what_a_statement_weighs_itself_counts() -> None:
    weighty = Statement("fact", "The key lies under the mat.", 0.8, importance=0.9)
    assert weightiest(reading([], [REDIS, LAUNCH, weighty]), 1) == [weighty]


def test_the_same_value_in_other_words_of_the_message_is_another_thing() -> None:
    friend = Statement("decision", "The user decided to hire Ana.", 0.9, quote="I decided to hire Ana")
    assert weightiest(reading([PARTNER], [friend, FLOOR, WIFE]), 2) == [friend, FLOOR]


def test_few_are_all_taken() -> None:
    assert weightiest(reading([PARTNER], [WIFE, REDIS]), 3) == (WIFE, REDIS)
