"""When jobs are due: pure functions of the clock."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from recollect.jobs.schedule import SCHEDULE, SUNDAY, Schedule, last_due, next_due, of_jobs, overdue

NIGHTLY = Schedule("decay", 3, 35)
WEEKLY = Schedule("macro_promotion", 2, 0, SUNDAY)

moments = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))
zones = st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Auckland"])
schedules = st.builds(Schedule, st.just("job"), st.integers(0, 23), st.integers(0, 59), st.none() | st.integers(0, 6))


def at(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2024, 3, day, hour, minute, tzinfo=UTC)


def test_a_night_is_due_from_its_time_on() -> None:
    assert last_due(NIGHTLY, at(5, 3, 34)) == at(4, 3, 35)
    assert last_due(NIGHTLY, at(5, 3, 35)) == at(5, 3, 35)
    assert next_due(NIGHTLY, at(5, 3, 34)) == at(5, 3, 35)
    assert next_due(NIGHTLY, at(5, 3, 35)) == at(6, 3, 35)


def test_a_week_is_due_on_its_day() -> None:
    # The third of March 2024 was a Sunday.
    assert last_due(WEEKLY, at(3, 1, 59)) == datetime(2024, 2, 25, 2, tzinfo=UTC)
    assert last_due(WEEKLY, at(9, 23)) == at(3, 2)
    assert next_due(WEEKLY, at(3, 2)) == at(10, 2)


def test_times_are_those_of_the_zone() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    assert last_due(NIGHTLY, at(5, 3), berlin) == at(5, 2, 35)
    # Summer time began on the last day of March 2024.
    assert last_due(NIGHTLY, at(31, 12), berlin) == at(31, 1, 35)


def test_overdue_is_what_was_due_since_the_last_run() -> None:
    assert not overdue(NIGHTLY, at(5, 3, 35), at(6, 3, 34))
    assert overdue(NIGHTLY, at(5, 3, 35), at(6, 3, 35))
    assert overdue(NIGHTLY, at(5, 3, 35), at(12, 3))
    assert not overdue(NIGHTLY, at(12, 3), at(12, 3, 30))


@given(schedules, moments, zones)
def test_due_times_surround_now(schedule: Schedule, now: datetime, name: str) -> None:
    zone = ZoneInfo(name)
    before, after = last_due(schedule, now, zone), next_due(schedule, now, zone)
    assert before <= now < after
    longest = timedelta(days=1 if schedule.weekday is None else 7, hours=1)
    assert after - before <= longest
    assert not overdue(schedule, now, now, zone)
    assert overdue(schedule, now, after, zone)


def test_the_schedule_is_in_order_and_names_no_job_twice() -> None:
    times = [(schedule.hour, schedule.minute) for schedule in SCHEDULE]
    assert times == sorted(times)
    assert len({schedule.job for schedule in SCHEDULE}) == len(SCHEDULE)


def test_only_jobs_that_exist_are_scheduled() -> None:
    assert [schedule.job for schedule in of_jobs(["purge", "decay", "index"])] == ["decay", "purge"]


def test_a_job_may_be_due_every_few_minutes() -> None:
    [schedule] = of_jobs(["migration"])
    now = datetime(2026, 3, 18, 9, 37, 12, tzinfo=UTC)
    assert last_due(schedule, now) == datetime(2026, 3, 18, 9, 30, tzinfo=UTC)
    assert next_due(schedule, now) == datetime(2026, 3, 18, 9, 40, tzinfo=UTC)
    assert last_due(schedule, last_due(schedule, now)) == last_due(schedule, now)
    assert not overdue(schedule, datetime(2026, 3, 18, 9, 30, tzinfo=UTC), now)
    assert overdue(schedule, datetime(2026, 3, 18, 9, 29, tzinfo=UTC), now)
    assert next_due(schedule, datetime(2026, 3, 18, 23, 55, tzinfo=UTC)) == datetime(2026, 3, 19, tzinfo=UTC)
