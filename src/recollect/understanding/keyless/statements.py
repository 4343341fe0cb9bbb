"""Which kind of statement a clause makes, if any."""

from recollect.understanding.keyless.circumstances import fact
from recollect.understanding.keyless.decisions import decision
from recollect.understanding.keyless.demands import constraint
from recollect.understanding.keyless.draft import Draft
from recollect.understanding.keyless.goals import goal
from recollect.understanding.keyless.likings import preference


def typed(text: str, dated: bool, past: bool) -> Draft | None:
    """The statement of a clause, of the most telling type that fits."""
    return decision(text) or goal(text) or constraint(text) or preference(text) or fact(text, dated, past)
