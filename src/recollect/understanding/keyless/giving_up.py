"""Clauses that say that something no longer holds, turned into what held: "I'm not vegan any more" gives "I am vegan"."""

import re

_ANY_MORE = re.compile(r",? (?:any ?more|any longer|after all|these days|now|at all any ?more)$|,? (?:any ?more|any longer|after all)\b", re.IGNORECASE)
_NO_LONGER = re.compile(r"\b(?:no longer|not any longer) ")
_STOPPED = re.compile(r"^I (?:have |recently |just |finally |had )*(?:stopped|quit|gave up|given up) (?P<what>being|taking|using|working (?:at|for|as)|eating|living in|drinking|following)\b")
_PRESENT = {"being": "am", "taking": "take", "using": "use", "eating": "eat", "living in": "live in", "drinking": "drink", "following": "follow"}
_NOT = re.compile(r"^(?P<who>I|my [\w ]{2,30}?) (?P<verb>am|is|are|do|does|have) (?:actually |really |in fact )?not (?P<rest>.+)$")
_USED_TO = re.compile(r"\bused to\b")


def given_up(text: str, corrects: bool) -> str | None:
    """What no longer holds, as it was when it held; None where the clause says no such thing."""
    if _NO_LONGER.search(text):
        return _NO_LONGER.sub("", text, count=1)
    if (stopped := _STOPPED.match(text)) is not None:
        what = stopped["what"]
        return f"I {_PRESENT.get(what) or what.replace('working', 'work')}{text[stopped.end() :]}"
    negated = _NOT.match(text)
    if negated is None or not (_ANY_MORE.search(text) or corrects):
        return None
    rest = _ANY_MORE.sub("", negated["rest"])
    verb = "" if negated["verb"] in {"do", "does"} else f"{negated['verb']} "
    return f"{negated['who']} {verb}{rest}"
