"""What no longer holds: "I'm not vegan any more" turned into the "I am vegan" that it ends."""

import re
from collections.abc import Iterator

from recollect.understanding.keyless import vocabulary as words
from recollect.understanding.keyless.found import Found
from recollect.understanding.keyless.text import any_of, pattern

_LEFT_EMPLOYER = pattern(
    r"(?:I )?(?:<ADV>|have |was |been |got |am )*(?:discharged from|made redundant (?:by|at|from)|let go (?:by"
    r"|from)|laid off (?:by|from)|left(?! for)"
    r"|quit|resigned from|got fired from|was fired from|was laid off (?:by|from)"
    r"|got laid off (?:by|from)|retired from) (?:my (?:job|role|position) (?:at|with) )?(?P<v>(?:the "
    r")?<CAP>(?:(?: (?:&|and|of))?[ -]<CAP>){0,3})<END>"
)
_LEFT_JOB = pattern(
    r"I (?:<ADV>|have )*(?:left|quit|gave up|lost|resigned from) my (?:job|role|position|work) as (?:an? "
    r"|the )?(?P<v>[\w -]{2,40}?)(?=$|[,.]| (?:at|in|last|yesterday|on|two|three|a|this|because|to|and"
    r"|after)\b)"
)
_JOB_AT = pattern(
    r"I (?:<ADV>|have )*(?:left|quit|lost) my (?:job|role|position)(?: as [\w -]{2,40}?)? (?:at|with) "
    r"(?P<v>(?:the )?<CAP>(?:[ -]<CAP>){0,3})<END>"
)
_PARTED_FROM = pattern(
    r"(?:my (?P<relation>wife|husband|partner|girlfriend|boyfriend|fiancée?)(?: (?P<name><CAP>))?"
    r"|(?P<bare><CAP>)) and I (?:<ADV>|have |are |got )*(?:broke up|split up|split|separated|broken up"
    r"|divorced|not together any ?more|no longer together|not together)\b"
)
_PARTED_WITH = pattern(
    r"I (?:<ADV>|have )*(?:broke up with|split up with|separated from|divorced|left|got divorced from) "
    r"(?:my (?P<relation>wife|husband|partner|girlfriend|boyfriend|fiancée?)(?:,? (?P<name><CAP>))?"
    r"|(?P<bare><CAP>))<END>"
)

_ANY_MORE = re.compile(
    r",? (?:any ?more|any longer|after all|these days|now|at all any ?more)$|,? (?:any ?more|any longer|after all)\b",
    re.IGNORECASE,
)
_BARE = re.compile(r"(?:no longer|not) (?=(?:an? )?[\w-]+)(?P<rest>.+)", re.IGNORECASE)
_VERB = re.compile(r"(?:live|work|use|take|eat|speak|study|drink|follow|own|have|go|code|write|run)s?\b")
_NO_LONGER = re.compile(r"\b(?:no longer|not any longer) ")
_STOPPED = re.compile(
    r"^I (?:have |recently |just |finally |had )*(?:stopped|quit|gave up|given up) (?P<what>being|taking"
    r"|using|working (?:at|for|as)|eating|living in|drinking|following)\b"
)
_PRESENT = {
    "being": "am",
    "taking": "take",
    "using": "use",
    "eating": "eat",
    "living in": "live in",
    "drinking": "drink",
    "following": "follow",
}
_NOT = re.compile(
    r"^(?P<who>I|my [\w ]{2,30}?) (?P<verb>am|is|are|do|does|have) (?:actually |really |in fact )?not (?P<rest>.+)$"
)
_USED_TO = re.compile(r"\bused to\b")


def given_up(text: str, corrects: bool) -> str | None:
    """What no longer holds, as it was when it held; None where the clause says no such thing."""
    bare = _BARE.match(text)
    if bare is not None and (text.lower().startswith("no longer") or _ANY_MORE.search(text)):
        return f"I {'' if _VERB.match(bare['rest']) else 'am '}{_ANY_MORE.sub('', bare['rest'])}"
    if _NO_LONGER.search(text):
        return _NO_LONGER.sub("", text, count=1)
    if (stopped := _STOPPED.match(text)) is not None:
        what = stopped["what"]
        return f"I {_PRESENT.get(what) or what.replace('working', 'work')}{text[stopped.end() :]}"
    negated = _NOT.match(text)
    if negated is None or not (_ANY_MORE.search(text) or corrects or _NOT_SO.match(text)):
        return None
    rest = _ANY_MORE.sub("", negated["rest"])
    verb = "" if negated["verb"] in {"do", "does"} else f"{negated['verb']} "
    return f"{negated['who']} {verb}{rest}"


_OFF_MEDICINE = pattern(
    r"(?:(?:I )?(?:<ADV>|have )*(?:(?:was|got|been) (?:\w+ )?taken off|came off|come off|went off|gone off"
    r"|am off|got off|stopped|stopped taking|quit"
    r"|finished(?: with)?|weaned (?:myself )?off|no longer take)"
    r"|(?:they|the doctors|the hospital|the clinic|we)(?: have| has| just| finally)* (?:took|taken|weaned|pulled"
    r"|got) me off"
    r"|(?:my|the) (?:doc|doctor|GP|gp|psychiatrist|consultant|neurologist|cardiologist|specialist)(?: has| just| "
    r"finally)* (?:took|taken|weaned|pulled|got) me off) (?:the |my )?"
    rf"(?P<v>{any_of(words.MEDICINES)})(?=$|[,.;]| )",
    re.IGNORECASE,
)
_NO_NEED = pattern(
    r"(?:you (?:do not|need not|no longer)(?: have| need)?(?: to)?|(?:there is )?no need to|you can (?:stop|quit)"
    r"|(?:please )?stop) (?:always )?"
    r"(?:reply|answer|respond|speak|talk|write|replying|answering|responding|speaking|talking|writing)(?:ing)?(?: to "
    r"me| with me)?(?: back)? in "
    rf"(?P<v>{any_of(words.TONGUES)})(?:,? (?:any ?more|any longer|from now on|now|to me))*(?=$|[,.;]| )"
)


_ANIMAL = any_of(words.PETS)
_GONE = pattern(
    rf"(?:my|our) (?:(?!and\b)[\w-]+ ){{0,2}}?{_ANIMAL},? (?P<v><CAP>)(?: has| was| got)?(?: <ADV>)*,? ?"
    rf"(?:had to be |sadly |just )*(?:died|passed"
    r"(?: away)?|put (?:down|to sleep)|ran away|run over|gone|crossed the rainbow bridge)\b"
    rf"|(?:I|we) (?:<ADV>|have |had to )*(?:do not have|no longer have|gave away|given away|rehomed?|lost"
    rf"|put down|buried|said goodbye to) "
    rf"(?:the|our|my) (?:(?!and\b)[\w-]+ ){{0,2}}?(?P<animal>{_ANIMAL})(?:,? (?P<named><CAP>))?(?=$|[,.]| (?:any"
    rf"|on|last|this|yesterday|in|two|to)\b)"
)
_NOT_MINE = pattern(
    r"(?P<who><CAP>|he|she|we) (?:is|are) (?:not|no longer) (?:my |a |an )(?P<relation>wife|husband|partner"
    r"|girlfriend|boyfriend|fiancée?)\b"
)
_LET_GO = pattern(
    r"(?:(?:they|my boss|management)(?: have| just)* (?:laid me off|fired me|let me go|sacked me"
    r"|made me redundant) (?:at|from) (?P<v><CAP>(?: <CAP>){0,2})"
    r"|(?P<w><CAP>(?: <CAP>){0,2})(?: has| just)* (?:laid me off|fired me|let me go|sacked me|made me redundant)"
    r"|I (?:<ADV>|have )*(?:handed|gave|put) in my (?:notice|resignation) (?:at|to|with) (?P<x><CAP>"
    r"(?: <CAP>){0,2}))(?=$|[,.]| )"
)
_DIVORCE = pattern(r"(?:my |the |our )?[Dd]ivorce (?:from|with) (?P<v><CAP>)\b(?!.*\b(?:might|may|if)\b)")
_NEVER_LIVED = pattern(r"I (?:have )?never (?:<ADV>)*lived in (?P<v><PLACE>)<END>")
_NOT_CALLED = pattern(r"(?:my name is|I am) not (?:called |named )?(?P<v><CAP>)(?=$|[,.])")
_NO_NICKNAME = pattern(r"(?:please )?(?:do not|never)(?: ever)? call me (?P<v><CAP>)(?=$|[,.]| (?:any|please|again)\b)")
_NOT_SO = pattern(
    rf"I am (?:<ADV>)*not (?:an? )?(?:allergic to|intolerant to|{any_of(words.DIETS)}"
    rf"|{any_of(words.CONDITION_ADJECTIVES)}|[a-z]+[- ]intolerant)\b"
)


def _of_animals_and_people(text: str) -> Iterator[Found]:
    if (match := _GONE.match(text)) is not None:
        yield Found("identity", "pets", match["v"] or match["named"] or match["animal"], eventful=True)
    if (match := _NOT_MINE.match(text)) is not None:
        yield Found("identity", "partner", match["who"] if match["who"][0].isupper() else match["relation"])
    if (match := _LET_GO.match(text)) is not None:
        yield Found("identity", "employer", match["v"] or match["w"] or match["x"], eventful=True)
    if (match := _DIVORCE.match(text)) is not None:
        yield Found("identity", "partner", match["v"], eventful=True)


def _denied(text: str) -> Iterator[Found]:
    """What was never so, and may be held wrongly."""
    for rule, key in ((_NEVER_LIVED, "city"), (_NOT_CALLED, "name"), (_NO_NICKNAME, "preferred_name")):
        if (match := rule.match(text)) is not None and match["v"] not in words.NOT_NAMES:
            yield Found("identity", key, match["v"])


def endings(text: str) -> Iterator[Found]:
    """What ends by an event: leaving an employer or a job, parting from somebody, an order taken back."""
    yield from _of_animals_and_people(text)
    yield from _denied(text)
    if (match := _OFF_MEDICINE.match(text)) is not None:
        yield Found("constraint", "medication", match["v"], eventful=True)
    if (match := _NO_NEED.match(text)) is not None:
        yield Found("instruction", "reply_language", match["v"])
    for rule, key in ((_LEFT_EMPLOYER, "employer"), (_JOB_AT, "employer"), (_LEFT_JOB, "job")):
        if (match := rule.match(text)) is not None:
            yield Found("identity", key, match["v"], eventful=True)
    if (match := _PARTED_FROM.match(text) or _PARTED_WITH.match(text)) is not None and "left" not in text.split()[:3]:
        yield Found("identity", "partner", match["name"] or match["bare"] or match["relation"], eventful=True)
