"""What time a question names: the labelled set, tables of our own, and what must hold for any text."""

import json
import timeit
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.temporal import Interval, named_time

DATA = Path(__file__).parents[1] / "data"
THURSDAY = datetime(2026, 5, 14, 12, 0, tzinfo=UTC)


def instant(written: str | None) -> datetime | None:
    return None if written is None else datetime.fromisoformat(written)


def utc(written: str) -> datetime | None:
    """An instant in UTC; ".." is an open side."""
    return None if written == ".." else datetime.fromisoformat(written).replace(tzinfo=UTC)


def interval(written: str) -> Interval:
    since, until = written.split("/")
    return Interval(utc(since), utc(until))


@pytest.mark.parametrize(
    ("name", "count", "least"), [("temporal_questions", 60, 59), ("temporal_questions_more", 40, 38)]
)
def test_the_labelled_questions(name: str, count: int, least: int) -> None:
    rows = [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    misses = []
    for row in rows:
        found = named_time(row["question"], datetime.fromisoformat(row["asked_at"]), row["timezone"])
        wanted = (instant(row["since"]), instant(row["until"]))
        if (found and (found.since, found.until)) != (None if wanted == (None, None) else wanted):
            misses.append(f"{row['id']} {row['question']} wanted {wanted}, found {found}")
    assert len(rows) == count
    assert len(rows) - len(misses) >= least, "\n".join(misses)


NAMED = [
    # Dates.
    ("What did I eat on May 3rd?", "2026-05-03/2026-05-04"),
    ("What did I eat on May 3, 2024?", "2024-05-03/2024-05-04"),
    ("What did I eat on the 3rd of May 2024?", "2024-05-03/2024-05-04"),
    ("What happened on the Fourth of July?", "2025-07-04/2025-07-05"),
    ("What happened on Jan. 3, 2025?", "2025-01-03/2025-01-04"),
    ("What happened on 2024/05/03?", "2024-05-03/2024-05-04"),
    ("What did I note at 2024-05-03T10:15:00Z?", "2024-05-03/2024-05-04"),
    ("What did I do on 13/5/2024?", "2024-05-13/2024-05-14"),
    ("What did I do on 5/13/2024?", "2024-05-13/2024-05-14"),
    ("What did I do on 12/24?", "2025-12-24/2025-12-25"),
    ("Who called on the 5th?", "2026-05-05/2026-05-06"),
    ("Who called on the 5th of last month?", "2026-04-05/2026-04-06"),
    ("What did I do on Monday, 3 May 2021?", "2021-05-03/2021-05-04"),
    ("What did I cook on Sunday evening, 3 May?", "2026-05-03T18:00/2026-05-04"),
    ("Where was the picture from December 1,2023 taken?", "2023-12-01/2023-12-02"),
    ("What did I finish last Friday on 23 January, 2022?", "2022-01-23/2022-01-24"),
    ("What did I do on Wednesday the 13th?", "2026-05-13/2026-05-14"),
    ("What did I do on 29 February?", "2024-02-29/2024-03-01"),
    # Months, quarters, years, seasons.
    ("What did I write in May '24?", "2024-05-01/2024-06-01"),
    ("what did i write in march", "2026-03-01/2026-04-01"),
    ("What did we do in March of last year?", "2025-03-01/2025-04-01"),
    ("What did we do last year in March?", "2025-03-01/2025-04-01"),
    ("What did we ship in Q1?", "2026-01-01/2026-04-01"),
    ("What did we ship in the third quarter of last year?", "2025-07-01/2025-10-01"),
    ("Where did I live in the 1990s?", "1990-01-01/2000-01-01"),
    ("What did I do in the winter of 2023?", "2023-12-01/2024-03-01"),
    ("What did I do in the summer?", "2025-06-01/2025-09-01"),
    ("Where did we go the summer before last?", "2024-06-01/2024-09-01"),
    # Pieces.
    ("What did I do in late 2024?", "2024-09-01/2025-01-01"),
    ("What did I do at the beginning of March?", "2026-03-01/2026-03-11"),
    ("What happened in late March?", "2026-03-21/2026-04-01"),
    ("What happened in late May?", "2025-05-21/2025-06-01"),
    ("What did I do in the first half of 2024?", "2024-01-01/2024-07-01"),
    ("What did I do in the last week of July?", "2025-07-25/2025-08-01"),
    ("What did I do on the last Friday of last month?", "2026-04-24/2026-04-25"),
    ("What did I do on the second Tuesday of May?", "2026-05-12/2026-05-13"),
    ("What did I do the first weekend of May?", "2026-05-02/2026-05-04"),
    ("What did I do in the week of 3 May?", "2026-04-27/2026-05-04"),
    # Relative to now.
    ("What did I do the day before yesterday?", "2026-05-12/2026-05-13"),
    ("What did I do the week before last?", "2026-04-27/2026-05-04"),
    ("What did I do in the last three weeks?", "2026-04-23/2026-05-15"),
    ("What did I do over the past few days?", "2026-05-08/2026-05-15"),
    ("What did I do this past weekend?", "2026-05-09/2026-05-11"),
    ("What did I do a few weeks ago?", "2026-03-30/2026-05-04"),
    ("What did I do two or three days ago?", "2026-05-11/2026-05-13"),
    ("What did I do roughly three weeks ago?", "2026-04-13/2026-05-04"),
    ("What did I do more than two years ago?", "../2025-01-01"),
    ("What did I do three Fridays ago?", "2026-04-24/2026-04-25"),
    ("What did I ask two hours ago?", "2026-05-14T09:00/2026-05-14T11:00"),
    ("What did we do on Tuesday last week?", "2026-05-05/2026-05-06"),
    ("What did we do Saturday?", "2026-05-09/2026-05-10"),
    ("What happened at Monday's meeting?", "2026-05-11/2026-05-12"),
    ("Who called the night before last?", "2026-05-12T18:00/2026-05-13T06:00"),
    ("How was the party on Saturday night?", "2026-05-09T18:00/2026-05-10T06:00"),
    ("What did I do on the morning of 3 May 2024?", "2024-05-03T05:00/2024-05-03T12:00"),
    # Ahead.
    ("What will I do next week?", "2026-05-18/2026-05-25"),
    ("What's on tomorrow morning?", "2026-05-15T05:00/2026-05-15T12:00"),
    ("What should I bring on Friday?", "2026-05-15/2026-05-16"),
    ("What's due before June?", "../2026-06-01"),
    ("What will we do this weekend?", "2026-05-16/2026-05-18"),
    # Holidays.
    ("What did I do at Christmas 2023?", "2023-12-24/2023-12-27"),
    ("Which film did I see on Christmas Eve?", "2025-12-24/2025-12-25"),
    ("What did I do on St. Patrick's Day?", "2026-03-17/2026-03-18"),
    ("What did I do the week before Christmas?", "2025-12-17/2025-12-24"),
    ("How was last year's Christmas party?", "2025-12-24/2025-12-27"),
    ("What did we do the Friday before 15 July 2023?", "2023-07-14/2023-07-15"),
    # Ranges and bounds.
    ("Between Monday and now, what did I eat?", "2026-05-11/.."),
    ("Where did I live from 2019 to 2021?", "2019-01-01/2022-01-01"),
    ("What did I do from March 2024 to May?", "2024-03-01/2024-06-01"),
    ("What did I do between November and February?", "2025-11-01/2026-03-01"),
    ("What did I do between March 3 and 7?", "2026-03-03/2026-03-08"),
    ("What did I do from Monday to Wednesday?", "2026-05-11/2026-05-14"),
    ("What did I do in late May/early June?", "2025-05-21/2025-06-11"),
    ("What did I do in March, April and May?", "2026-03-01/2026-06-01"),
    ("What did I do after 3 May and before 10 May?", "2026-05-04/2026-05-10"),
    ("What have I done since last summer?", "2025-06-01/.."),
    ("What did I do until March?", "../2026-04-01"),
    ("What did I do from March on?", "2026-03-01/.."),
    ("What did I do around Christmas?", "2025-12-21/2025-12-30"),
    # The time dates an event, around which the question asks.
    ("How have I slept since the move in March?", "2026-03-01/.."),
    ("What did I do before the wedding last year?", "../2026-01-01"),
    ("How did I feel after work yesterday?", "2026-05-13/2026-05-14"),
    # Two times.
    ("Did I run more in March than April?", "2026-03-01/2026-05-01"),
    ("Did I run more in January or December?", "2025-12-01/2026-02-01"),
    ("How did sales in Q4 compare to Q3?", "2025-07-01/2026-01-01"),
    ("Did I run more in March or in April?", "2026-03-01/2026-05-01"),
    ("What did I say last week about the trip in 2023?", "2023-01-01/2026-05-11"),
    # A name beside a time.
    ("What did April tell me in April?", "2026-04-01/2026-05-01"),
    ("What did Carol say about Sunday roast on Sunday?", "2026-05-10/2026-05-11"),
]


@pytest.mark.parametrize(("question", "wanted"), NAMED)
def test_names_a_time(question: str, wanted: str) -> None:
    assert named_time(question, THURSDAY, "UTC") == interval(wanted)


UNNAMED = [
    "Who called on the 5th floor?",
    "What may I write, and is this may be enough?",
    "Did May and June come along?",
    "What did Autumn say?",
    "Who did I meet before Summer left?",
    "Who did I meet after June called?",
    "Which book was written by June?",
    "Did I like March of the Penguins?",
    "May 3 people come?",
    "What did we do on Monday mornings?",
    "How many Sunday lunches did I have?",
    "What did I do on Good Friday?",
    "Did I watch Wednesday?",
    "Did we eat at TGI Friday's?",
    "What did I think of 1984?",
    "Was it in 2000 words?",
    "How was the Christmas party?",
    "What do I always eat at Christmas?",
    "What did I say about Last Christmas?",
    'Who sang "Yesterday"?',
    "Which birthdays are in March?",
    "What do I wear in the summer?",
    "Do I work from Monday to Friday?",
    "What did I do in my last week at Google?",
    "What was the last week of school like?",
    "How did I last 3 weeks without coffee?",
    "Who helped me after my last fall?",
    "What did the doctor do the next day?",
    "What happened the day after the storm?",
    "What did I do half a year ago?",
    "Where was I 1.5 years ago?",
    "What was in my Audi Q3?",
    "What is my year-end bonus?",
    "What did I do on 2026-02-30?",
    "What is at https://example.com/2024/05/03/post?",
    "What is new in version 3.11.12?",
    "What happened on 9/11?",
    "What did I do at night?",
    "Was Tom born in May?",
    "What did I resolve in the New Year?",
    "",
]


@pytest.mark.parametrize("question", UNNAMED)
def test_names_no_time(question: str) -> None:
    assert named_time(question, THURSDAY, "UTC") is None


@pytest.mark.parametrize(
    ("zone", "day"),
    [("Europe/London", "2024-05-03"), ("America/New_York", "2024-03-05"), ("America/Toronto", "2024-05-03")],
)
def test_the_zone_decides_which_number_is_the_month(zone: str, day: str) -> None:
    midnight = datetime.fromisoformat(day).replace(tzinfo=ZoneInfo(zone))
    found = named_time("What did I do on 3/5/2024?", THURSDAY, zone)
    assert found == Interval(midnight.astimezone(UTC), (midnight + timedelta(days=1)).astimezone(UTC))


CLOCK_CHANGES = [
    # The night in which clocks go forward has eleven hours from 18:00 to 06:00.
    ("What did I dream last night?", "2026-03-29T07:00", "Europe/Berlin", "2026-03-28T17:00/2026-03-29T04:00"),
    ("What did I do last week?", "2026-03-12T12:00", "America/New_York", "2026-03-02T05:00/2026-03-09T04:00"),
    ("What did I do yesterday?", "2025-11-03T12:00", "America/New_York", "2025-11-02T04:00/2025-11-03T05:00"),
    # In the second pass of the repeated hour, the hour before is the first pass.
    ("What did I say in the last hour?", "2025-11-02T06:30", "America/New_York", "2025-11-02T05:30/2025-11-02T06:30"),
    # Midnight did not exist: the day began at one.
    ("What did I do yesterday?", "2018-11-05T12:00", "America/Sao_Paulo", "2018-11-04T03:00/2018-11-05T02:00"),
]


@pytest.mark.parametrize(("question", "asked_at", "zone", "wanted"), CLOCK_CHANGES)
def test_clock_changes(question: str, asked_at: str, zone: str, wanted: str) -> None:
    now = utc(asked_at)
    assert now is not None
    assert named_time(question, now, zone) == interval(wanted)


def test_a_day_that_the_zone_skipped_names_no_time() -> None:
    assert named_time("What did I do on 30 December 2011?", THURSDAY, "Pacific/Apia") is None


def test_holds_its_start_and_not_its_end() -> None:
    day = interval("2026-05-13/2026-05-14")
    assert day.holds(datetime(2026, 5, 13, tzinfo=UTC))
    assert not day.holds(datetime(2026, 5, 14, tzinfo=UTC))
    assert interval("../2026-05-14").holds(datetime(1970, 1, 1, tzinfo=UTC))
    assert interval("2026-05-13/..").holds(datetime(2100, 1, 1, tzinfo=UTC))


def test_a_pasted_text_names_no_time() -> None:
    assert named_time("What did I do yesterday? " * 200, THURSDAY, "UTC") is None


def test_a_question_without_a_word_of_time_costs_next_to_nothing() -> None:
    question = "Which dip do I like with the noodles that Carol made for us in the blue kitchen?"
    seconds = min(timeit.repeat(lambda: named_time(question, THURSDAY, "UTC"), number=100, repeat=5)) / 100
    assert seconds < 0.0001


WORDS = (
    "last this next past the a few couple of 3 31 0 2024 1984 9999 day week weeks month years weekend night hour ago"
    " morning evening today yesterday May march June Summer fall winter Monday Fri Fridays Christmas New Year's Eve"
    " Q3 H1 1990s quarter half first second 5th 30th 29 February in on at by since before after until between and or"
    " to from , - / ? . ' \" ' 3/4 12/24 30/02/2024 2026-02-30 2024-05-03 14.02.2025 0000-05 early mid late end start"
    " every my more than around from now time did will do I what"
)
QUESTIONS = st.one_of(st.text(max_size=80), st.lists(st.sampled_from(WORDS.split()), max_size=14).map(" ".join))
ZONES = st.sampled_from(
    ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/Sao_Paulo"]
)
RELATIVE = (
    "yesterday",
    "last week",
    "three days ago",
    "in the past two months",
    "since last year",
    "this morning",
    "next month",
    "in 1989",
    "on 2024-05-03",
    "the week before last",
    "on monday",
    "at christmas",
    "last summer",
)
INSTANTS = st.datetimes(datetime(1990, 1, 1), datetime(2035, 1, 1), timezones=st.just(UTC))


@given(QUESTIONS, INSTANTS, ZONES)
def test_any_text_gives_a_true_interval_or_none(question: str, now: datetime, zone: str) -> None:
    found = named_time(question, now, zone)
    if found is None:
        return
    assert found.since is not None or found.until is not None
    assert all(bound.utcoffset() == timedelta(0) for bound in (found.since, found.until) if bound is not None)
    assert found.since is None or found.until is None or found.since < found.until


@given(
    st.sampled_from(RELATIVE),
    st.sampled_from([str.lower, str.upper, str.title, str.capitalize]),
    INSTANTS,
)
def test_capitals_do_not_matter_where_no_name_is_near(time: str, written: Callable[[str], str], now: datetime) -> None:
    question = f"what did we talk about {time}?"
    found = named_time(question, now, "Europe/Berlin")
    assert found is not None
    assert named_time(written(question), now, "Europe/Berlin") == found


@given(INSTANTS, ZONES)
def test_days_around_now_meet_without_a_gap(now: datetime, zone: str) -> None:
    days = [named_time(f"What was planned {day}?", now, zone) for day in ("yesterday", "today", "tomorrow")]
    yesterday, today, tomorrow = (day or pytest.fail("no day") for day in days)
    assert today.holds(now)
    assert yesterday.until == today.since
    assert today.until == tomorrow.since


@given(INSTANTS, ZONES, st.sampled_from(["on Friday", "last Friday", "over the weekend", "last week", "last summer"]))
def test_what_is_past_is_over(now: datetime, zone: str, time: str) -> None:
    found = named_time(f"What did I do {time}?", now, zone)
    assert found is not None
    assert found.until is not None
    assert found.until <= now
