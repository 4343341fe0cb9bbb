"""The time that a question names, as an interval; English only.

A question that names no time, or only seems to ("Does Summer like tea?"), gives None. Wherever two readings
are possible the wider one is taken, or none: an interval too wide costs a little order among the hits, one
too narrow hides the answer.

How it reads: `items` cuts the question into words tagged with what they may mean, `grammar` folds neighbouring
items into times with the builders of `expressions`, and `reading` takes each time with the preposition before
it and the word after it. A month, a year, a weekday, a season or a holiday is often a name or half of one
("May", "Blade Runner 2049", "Sunday roast"): each counts only behind a preposition that suits it, and only if
no noun follows.

Choices that the words leave open:

- 3/5/2024 is month first in the zones of the United States, day first elsewhere.
- "the last three weeks", "the past month": from that long before today to the end of today.
- "a few" is two to six, "several" three to ten; "around" and "roughly" reach as far again on both sides.
- "until X" and "by X" include X. "since the move in March" begins where March does, and "before the move in
  March" ends where March does: the event lies somewhere inside.
- A weekday, date, month, season or holiday without a year is the most recent one; in a question that looks
  ahead ("What should I bring on Friday?") the next one; in the plain present ("Which birthdays are in
  March?") it recurs and names no time. "winter 2023" begins in December 2023.
- Two times in one question: the interval that spans both ("more in March or in April?"); if one of them is
  open ("after 3 May and before 10 May") what they share.
"""

from recollect.core.temporal.interval import Interval
from recollect.core.temporal.reading import named_time

__all__ = ["Interval", "named_time"]
