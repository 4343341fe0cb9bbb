"""Milestones without a model: the moments of a talk that are worth telling, found by what people say at them.

Each kind has its own turns of phrase. A question, a hypothesis, a plan, a denial, a quotation or code is no moment,
and of the assistant's words only what it says it has done itself counts: a milestone too few costs a line in a
story, one too many makes the story false.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Generic, Protocol, TypeVar

from recollect.core.terms import STOP_WORDS, terms
from recollect.understanding.fence import unfenced
from recollect.understanding.keyless.dates import absolute
from recollect.understanding.model import Line, Milestone, MilestoneType
from recollect.understanding.summary import THE_ASSISTANT, key_topics, prose, speaker_of, third_person
from recollect.understanding.writing import cut, sentences

KEY_MOMENT = 0.7
"""The significance from which a milestone is a key moment."""
MOST_TITLE = 80
MOST_CONTEXT = 200
_MOST_SUMMARY = 280
_MOST_SENTENCE = 600


class Moment(Protocol):
    """Anything that happened at a turn and matters more or less."""

    @property
    def first_turn(self) -> int: ...

    @property
    def significance(self) -> float: ...


M = TypeVar("M", bound=Moment)


@dataclass(frozen=True, slots=True)
class Arc(Generic[M]):
    """A conversation as a story in three parts, and its key moments."""

    beginning: tuple[M, ...]
    middle: tuple[M, ...]
    end: tuple[M, ...]
    key_moments: tuple[M, ...]


def milestones(lines: Sequence[Line]) -> tuple[Milestone, ...]:
    """The milestones of a stretch of talk in order, at most one for a sentence and one of a type for a message."""
    found = [
        _milestone(lines, place, sighting)
        for place, line in enumerate(lines)
        if line.role in {"user", "assistant"}
        for sighting in _sightings(line)
    ]
    return merge_overlapping(_resolved([each for each in found if each is not None]))


def merge_overlapping(found: Iterable[Milestone]) -> tuple[Milestone, ...]:
    """One for those of a type that say the same: word for word, or nearly so in turns that overlap or touch."""
    kept: list[Milestone] = []
    for milestone in sorted(found, key=lambda one: (one.first_turn, one.last_turn)):
        match = next((place for place, other in enumerate(kept) if is_one(other, milestone, kept)), None)
        if match is None:
            kept.append(milestone)
        else:
            kept[match] = merged_into(kept[match], milestone)
    return tuple(kept)


def arc(found: Iterable[M], last_turn: int, key_moment: float = KEY_MOMENT) -> Arc[M]:
    """What happened in each third of the turns, in order, and what mattered most."""
    ordered = sorted(found, key=lambda one: one.first_turn)
    thirds: tuple[list[M], list[M], list[M]] = ([], [], [])
    for moment in ordered:
        thirds[min(max((moment.first_turn - 1) * 3 // max(last_turn, 1), 0), 2)].append(moment)
    beginning, middle, end = map(tuple, thirds)
    return Arc(beginning, middle, end, tuple(one for one in ordered if one.significance >= key_moment))


# --- Finding ------------------------------------------------------------------------------------------------------

_WHO = r"(?:I|[Ww]e|(?:[Tt]he|[Oo]ur|[Mm]y) (?:team|group|company|board|committee|family)|[A-Z]\w+ and I)"
_DID = rf"\b{_WHO}(?:'ve| have| has| had)?(?: (?:finally|now|just|also|all|both|already|then|actually|eventually))*"
_BROKEN = (
    r"(?:bug|problem|issue|error|crash|failure|memory leak|leak|regression|outage|bottleneck|vulnerability|deadlock"
    r"|race condition|conflict|data loss)s?"
)


@dataclass(frozen=True, slots=True)
class _Cue:
    type: MilestoneType
    pattern: re.Pattern[str]
    verb: str | None = None
    """The verb that a title begins with, before what follows the cue; None: the clause itself is the title."""


def _cues(type: MilestoneType, *patterns: tuple[str, str | None]) -> list[_Cue]:
    return [
        _Cue(type, re.compile(pattern, re.IGNORECASE if pattern.startswith("^") else 0), verb)
        for pattern, verb in patterns
    ]


_REST = r"(?P<rest>[^;]*)"
_ABOUT = r"(?P<rest>(?:from|to|away)\b[^;]*)"
_IS_NOW = r"(?:is|are|has been|was) (?:now |finally |all )?"
_THING = r"the [\w -]{2,40}?"
_SOME = r"(?:a|an|another|some|serious|two|three|several)"
_PLAIN_WORD = rf"(?!(?:{'|'.join(sorted(STOP_WORDS))}|yes|sure|indeed|whatever|know|time|cause|think|guess)\b)[\w+#.-]+"
# The first that fits a sentence names its type: the rarer before the commoner.
_CUES = (
    *_cues(
        "pivot",
        (rf"{_DID} (?:switched|pivoted|migrated|changed course) {_ABOUT}", "Switched"),
        (rf"{_DID} decided to (?:switch|pivot|migrate|move away) {_ABOUT}", "Switched"),
        (rf"\b{_WHO}(?:'re| are|'m| am) (?:now )?(?:switching|pivoting|migrating) {_ABOUT}", "Switched"),
        (rf"{_DID} (?:scrapped|abandoned|dropped|ditched) (?P<rest>(?:the|our|my|that|this)\b[^;]*)", "Dropped"),
        (rf"{_DID} changed (?:my|our) (?:mind|minds|plans?|approach|direction|strategy)\b{_REST}", "Changed plans"),
        (rf"\b[Cc]hange of (?:plans?|direction|course)\b[:,. –-]*{_REST}", "Changed plans:"),
        (rf"{_DID} (?:started over|started from scratch){_REST}", "Started over"),
    ),
    *_cues(
        "breakthrough",
        (rf"\b[Bb]reakthrough\b[:!,. –-]*{_REST}", "Breakthrough:"),
        (rf"{_DID} (?:figured|worked) out (?P<rest>(?:why|how|what|that|where|the)\b[^;]*)", "Figured out"),
        (
            rf"\b{_WHO}(?:'ve| have| has)? finally (?:understood|understand|cracked|see|get|got)"
            r" (?P<rest>(?:why|how|what|it|the)\b[^;]*)",
            "Understood",
        ),
        (
            rf"{_DID} (?:found|discovered|identified|tracked down)"
            r" (?P<rest>the (?:root )?(?:cause|culprit|reason|key|missing piece)\b[^;]*)",
            "Found",
        ),
        (rf"\b[Ii]t (?:has )?finally clicked\b{_REST}", "Understood"),
        (r"\b[Nn]ow I (?:understand|see|get) (?P<rest>(?:why|how|what)\b[^;]*)", "Understood"),
    ),
    *_cues(
        "solution",
        (rf"{_DID} (?:fixed|solved|resolved|sorted out|patched|repaired) (?P<rest>[^;]+)", "Fixed"),
        (
            r"(?<!get )(?<!got )(?<!getting )(?<!have )(?<!had )"
            r"\b(?:[Tt]hat|[Tt]his|[Ii]t|[Yy]our (?:fix|idea|suggestion|tip|change))(?: has|'s)? (?:really )?"
            rf"(?:fixed|solved|resolved|did the trick|sorted|cured)\b{_REST}",
            "Solved",
        ),
        (
            rf"(?:\b[Ii]t|\b[Tt]hat|\b[Ee]verything|\b(?i:{_THING}))(?: finally)? (?:works|is working|work)"
            rf" (?:now|again|fine now)\b{_REST}",
            None,
        ),
        (
            rf"\b(?:{_WHO} )?(?:[Gg]ot|have|finally got) (?:it|that|everything|{_THING})"
            rf" (?:working|to work|running|fixed)\b{_REST}",
            None,
        ),
        (r"\b[Tt]he (?:fix|solution|answer) (?:was|turned out to be) (?P<rest>[^;]+)", "Fixed by"),
        (
            rf"\b[Tt]he (?:bug|problem|issue|error|crash|outage|leak)(?: [\w -]{{2,40}}?)? {_IS_NOW}"
            rf"(?:fixed|solved|resolved|gone)\b{_REST}",
            None,
        ),
    ),
    *_cues(
        "completion",
        (
            rf"{_DID} (?:finished|completed|shipped|released|launched|deployed|delivered|published|submitted|merged"
            r"|wrapped up|handed in|rolled out|passed) (?P<rest>(?:the|my|our|all|both|version|v\d|[A-Z0-9])[^;]*)",
            "Finished",
        ),
        (
            rf"\b(?P<whole>(?:[Tt]he|[Oo]ur|[Mm]y|[Vv]ersion|[Pp]hase|[Mm]ilestone|[Aa]ll)\b[\w .-]{{2,60}}? {_IS_NOW}"
            r"(?:done|complete|completed|finished|live|shipped|released|deployed|merged|delivered|published|submitted))"
            rf"\b{_REST}",
            None,
        ),
    ),
    *_cues(
        "decision",
        (rf"{_DID} (?:decided|agreed|opted|resolved|committed) (?P<rest>(?:to|on|that|for|against)\b[^;]*)", "Decided"),
        (rf"{_DID} (?:chose|chosen|picked(?! up)|selected|settled on|went with|gone with) (?P<rest>[^;]+)", "Chose"),
        (
            rf"\b{_WHO}(?:'re| are|'m| am|'ll| will) (?:now )?(?:going|go|sticking|stick) with (?P<rest>[^;]+)",
            "Chose",
        ),
        (r"\b[Ll]et's (?:go|stick) with (?P<rest>[^;]+)", "Chose"),
        (
            r"^(?:(?:okay|ok|right|so|well|fine|alright|yes|then),? )*"
            rf"(?P<rest>(?:the )?{_PLAIN_WORD}(?: {_PLAIN_WORD}){{0,2}}) it is(?=[.!,]|$| then\b| for\b)",
            "Chose",
        ),
        (r"\b[Tt]he (?:final )?decision (?:is|was) (?P<rest>(?:to|that|for|against)\b[^;]*)", "Decided"),
        (rf"{_DID} made up (?:my|our) minds?\b[:,. –-]*{_REST}", "Decided:"),
    ),
    *_cues(
        "issue",
        (
            rf"{_DID} (?:found|noticed|discovered|hit|ran into|run into|encountered|spotted|identified)"
            rf" (?P<rest>(?:{_SOME}|the|\w+)\b[\w ,'-]{{0,40}}?\b{_BROKEN}\b[^;]*)",
            "Found",
        ),
        (
            rf"\b(?:[Tt]here(?:'s| is| are)|{_WHO} (?:have|has)(?: got)?"
            rf"|{_WHO}(?:'re| are|'m| am) (?:getting|seeing|facing|hitting))"
            rf" (?P<rest>{_SOME}\b[\w ,'-]{{0,30}}?\b{_BROKEN}\b[^;]*)",
            "Found",
        ),
        (
            r"\b(?P<whole>(?:[Tt]he|[Oo]ur|[Mm]y)\b[\w .'/-]{2,50}? (?:crashes|crashed|keeps (?:failing|crashing)|fails"
            r"|failed|broke|is broken|is down|stopped working|times out|timed out|does not work|doesn't work"
            rf"|won't start|is leaking memory))\b{_REST}",
            None,
        ),
    ),
)

_SUPPOSED = re.compile(
    r"\b(?:if|would|could|might|maybe|perhaps|suppose|imagine|unless|whether|hopefully|wish|assuming|in case|had we"
    r"|let me know|once|as soon as|until|should|what about|how about|example|e\.g\.|almost|nearly|supposed to)\b",
    re.IGNORECASE,
)
_PLANNED = re.compile(
    r"\b(?:will|'ll|going to|gonna|plan(?:s|ning)? to|need(?:s)? to|want(?:s)? to|have to|has to|must|hope to"
    r"|try(?:ing)? to|about to|tomorrow|next (?:week|month|year|sprint)|later today|soon"
    r"|to be (?:fixed|solved|done|decided))\b"
)
_DENIED = re.compile(
    r"\b(?:not|never|no longer|nobody|no one|nothing|none|without|haven't|hasn't|hadn't|didn't|don't|isn't|aren't"
    r"|wasn't|weren't|can't|cannot|couldn't|no (?:bug|problem|issue|error|crash|regression|leak)s?"
    r"|neither|yet to|far from)\b",
    re.IGNORECASE,
)
# What an issue says may well hold a "not"; what is chosen may be said with "will".
_MAY_DENY = frozenset({"issue", "breakthrough"})
_CHOSEN_AHEAD = re.compile(r"(?:'ll| will|'re| are|'m| am) (?:now )?(?:go|going|stick|sticking) with\b|\bto\b")
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']{2,}'(?!\w)")
_OWN_DOING = re.compile(r"^(?:(?:Good news|Done|Great|Update)[:!,.]\s*)?(?:I|I've|We|We've)\b")


@dataclass(frozen=True, slots=True)
class _Sighting:
    cue: _Cue
    sentence: str
    title: str
    rest: str
    """What follows the cue: what was decided, fixed, found or finished."""
    joint: bool
    """Whether "we" did it."""
    present: bool
    """Whether it was said in the present tense, or ahead: "I'm going with Rust"."""


def _sightings(line: Line) -> list[_Sighting]:
    """At most one of each type, in order."""
    found: dict[str, _Sighting] = {}
    for sentence in filter(_is_short, sentences(prose(unfenced(line.text)))):
        sighting = _sighting(_dated(sentence, line), line)
        if sighting is not None:
            found.setdefault(sighting.cue.type, sighting)
    return list(found.values())


def _dated(sentence: str, line: Line) -> str:
    """A sentence whose days are those of the calendar, counted from when it was said."""
    return absolute(sentence, line.at.date()).text


def _is_short(sentence: str) -> bool:
    """Whether somebody may have said it in one breath; what is longer is pasted."""
    return len(sentence) <= _MOST_SENTENCE


def _sighting(sentence: str, line: Line) -> _Sighting | None:
    plain = _QUOTED.sub("…", sentence.replace("’", "'"))
    if plain.rstrip(" \"')”").endswith("?") or _SUPPOSED.search(plain):
        return None
    if line.role == "assistant" and not _OWN_DOING.match(plain):
        return None
    for cue in _CUES:
        match = cue.pattern.search(plain)
        if match and _happened(cue, plain, match):
            return _seen(cue, sentence, match)
    return None


def _happened(cue: _Cue, plain: str, match: re.Match[str]) -> bool:
    """Whether the cue tells what is so, and not what is planned or denied."""
    before, inside = plain[: match.start()], match[0]
    own = inside[: match.start("rest") - match.start()] if "rest" in match.re.groupindex else inside
    clause = re.split(r"[,;:]", before)[-1] + own
    chosen = cue.type == "decision" and _CHOSEN_AHEAD.search(own)
    if _PLANNED.search(clause) and not chosen:
        return False
    return cue.type in _MAY_DENY or not _DENIED.search(clause)


def _seen(cue: _Cue, sentence: str, match: re.Match[str]) -> _Sighting:
    groups = match.groupdict()
    rest = _tidy(groups.get("rest") or "")
    whole = groups.get("whole") or match[0][: match.start("rest") - match.start()]
    title = _tidy(f"{_tidy(whole) if cue.verb is None else cue.verb} {_clause(rest)}")
    joint = re.search(r"\b(?:we|let's|our)\b", match[0], re.IGNORECASE) is not None
    present = _PRESENT.search(match[0][: match.start("rest") - match.start()]) is not None
    return _Sighting(cue, " ".join(sentence.split()), title[:1].upper() + title[1:], rest, joint, present)


_PRESENT = re.compile(r"'(?:re|m|ll|s)\b|\b(?:are|am|will|is)\b|\b(?:has|have)(?: got)? ?$", re.IGNORECASE)
_THANKS = re.compile(r"[,;.!]?\s*\b(?:thanks|thank you|cheers|yay|hooray)\b.*$", re.IGNORECASE)


def _tidy(text: str) -> str:
    return _THANKS.sub("", " ".join(text.split())).strip(" .,!:;–-…")


def _clause(text: str) -> str:
    """The first clause of what follows: without its reason and its aside."""
    return re.split(r",| because\b| since\b| so that\b| due to\b| –| - |: ", text)[0].strip()


# --- Telling ------------------------------------------------------------------------------------------------------

_BASE: dict[MilestoneType, tuple[float, float]] = {
    # Significance, valence.
    "decision": (0.55, 0.3),
    "solution": (0.6, 0.7),
    "breakthrough": (0.75, 0.8),
    "issue": (0.5, -0.6),
    "completion": (0.6, 0.7),
    "pivot": (0.6, 0.0),
}
_REASON = re.compile(
    r"\b(?:because|since|due to|so that|in order to|as it|reason|thanks to)\b|\bso (?:we|I)\b", re.IGNORECASE
)
_WEIGHTY = re.compile(
    r"\b(?:critical|production|major|blocking|blocker|finally|huge|outage|data loss|security|launch(?:ed)?|everyone"
    r"|customers?|deadline|important|release(?:d)?)\b",
    re.IGNORECASE,
)
_GLAD = re.compile(
    r"\b(?:great|finally|happy|glad|love|excellent|amazing|relieved|yay|hooray|perfect)\b", re.IGNORECASE
)
_SORRY = re.compile(
    r"\b(?:unfortunately|sadly|frustrat\w+|annoying|terrible|awful|bad|worse|angry|disappoint\w+|regret\w*)\b",
    re.IGNORECASE,
)
_VAGUE = frozenset(
    terms("work working now again fixed solved chose decided found got running finished understood everything clicked")
)
_TROUBLE = frozenset(terms("bug issue problem error"))
# Verbs that tell what happened with what follows them, whatever the sentence was like.
_TELLING = frozenset({"Chose", "Decided", "Switched", "Dropped", "Found", "Understood", "Changed plans:"})
_REPORTING: dict[MilestoneType, str] = {
    "decision": "decided",
    "solution": "reported a solution",
    "breakthrough": "reported a breakthrough",
    "issue": "reported an issue",
    "completion": "reported a completed task",
    "pivot": "reported a change of direction",
}


def _milestone(lines: Sequence[Line], place: int, sighting: _Sighting) -> Milestone | None:
    """What was seen, told; nothing where neither the words nor the talk before say what it was about."""
    line, before = lines[place], lines[max(place - 2, 0) : place]
    who = speaker_of(line)
    vague = not frozenset(terms(sighting.title)) - _VAGUE
    participants = tuple(dict.fromkeys(map(speaker_of, (*before[-1:], line))))
    other = next((name for name in participants if name != who), THE_ASSISTANT)
    topics = ", ".join(key_topics(before, 2)) if vague else ""
    if vague and not topics:
        return None
    title = third_person(f"{sighting.title}: {topics}" if vague else sighting.title, who, other)
    kind = sighting.cue.type
    first = before[-1].turn if vague and before else line.turn
    return Milestone(
        type=kind,
        title=cut(title, MOST_TITLE),
        summary=f"{who} {_REPORTING[kind]} about {topics}." if vague else _summary(sighting, who, other),
        context=cut(" ".join(prose(before[-1].text).split()), MOST_CONTEXT) if before else "",
        participants=participants,
        outcome=_outcome(sighting, who, other),
        valence=_valence(kind, sighting.sentence),
        significance=_significance(sighting, by_assistant=line.role == "assistant", vague=vague),
        first_turn=first,
        last_turn=line.turn,
    )


def _outcome(sighting: _Sighting, who: str, other: str) -> str | None:
    """What came of it; an issue has no outcome until it is solved."""
    if sighting.cue.type == "issue" or not frozenset(terms(sighting.rest)) - _VAGUE:
        return None
    return cut(third_person(sighting.rest, who, other), MOST_CONTEXT)


def _summary(sighting: _Sighting, who: str, other: str) -> str:
    """What happened in one sentence in the past tense: told where the sentence was about its speaker, else reported."""
    said = _THANKS.sub("", sighting.sentence).rstrip(" .!")
    told = third_person(said, who, other).rstrip(" .!")
    verb = sighting.cue.verb
    shifted = told != said
    if not (verb and shifted) or sighting.present or verb.endswith(":"):
        rest = third_person(sighting.rest, who, other)
        subject = "The group" if sighting.joint else who
        plain = verb in _TELLING and rest
        told = (
            f"{subject} {verb.lower()} {rest}" if verb and plain else f"{who} {_REPORTING[sighting.cue.type]}: {told}"
        )
    return cut(f"{told}.", _MOST_SUMMARY)


def _valence(kind: MilestoneType, sentence: str) -> float:
    shift = 0.2 * bool(_GLAD.search(sentence)) - 0.2 * bool(_SORRY.search(sentence))
    return round(min(max(_BASE[kind][1] + shift, -1.0), 1.0), 2)


def _significance(sighting: _Sighting, *, by_assistant: bool, vague: bool) -> float:
    kind = sighting.cue.type
    score = _BASE[kind][0]
    score += 0.2 * bool(kind in {"decision", "pivot"} and _REASON.search(sighting.sentence))
    score += 0.1 * bool(_WEIGHTY.search(sighting.sentence))
    score -= 0.1 * by_assistant + 0.15 * vague
    return round(min(max(score, 0.0), 1.0), 2)


def _resolved(found: Sequence[Milestone]) -> list[Milestone]:
    """Issues and the solutions that came after them, both worth more for each other."""
    pairs = [
        (issue, solution)
        for issue in found
        for solution in found
        if issue.type == "issue" and solution.type in {"solution", "breakthrough"} and _answers(issue, solution)
    ]
    outcomes = {id(issue): solution.summary for issue, solution in reversed(pairs)}
    linked = set(map(id, chain.from_iterable(pairs)))
    return [_raised(one, outcomes.get(id(one), one.outcome)) if id(one) in linked else one for one in found]


def _raised(one: Milestone, outcome: str | None) -> Milestone:
    return replace(one, significance=round(min(one.significance + 0.2, 1.0), 2), outcome=outcome)


def _answers(issue: Milestone, solution: Milestone) -> bool:
    """Whether a solution comes after an issue and speaks of it, or follows it at once."""
    if solution.last_turn < issue.last_turn:
        return False
    shared = _told_terms(issue) & _told_terms(solution)
    return bool(shared) or solution.first_turn - issue.last_turn <= 2


def _told_terms(milestone: Milestone) -> frozenset[str]:
    return frozenset(terms(f"{milestone.title} {milestone.outcome or ''}")) - _VAGUE - _TROUBLE


# --- Merging ------------------------------------------------------------------------------------------------------


_FIGURES = re.compile(r"\w*\d[\w.]*")
_OPPOSED = re.compile(
    r"\b(?:instead|rather than|in place of|over|against|not|no longer|back to|after all)\b", re.IGNORECASE
)
_COMMON = _VAGUE | frozenset(terms("use go make take keep try start stop move switch choose decide agree pick with"))
_CHOICES = frozenset({"decision", "pivot"})


def is_one(one: Milestone, other: Milestone, all: Iterable[Milestone] = ()) -> bool:
    """Whether two tell the same; `all` are the milestones among which they stand."""
    if one.type != other.type or not _agree(one.title, other.title):
        return False
    if _is_near(one, other):
        return True
    return _subject(one) == _subject(other) and not any(_overtook(one, each, other) for each in all)


def _is_near(one: Milestone, other: Milestone) -> bool:
    return other.first_turn <= one.last_turn + 1 and one.first_turn <= other.last_turn + 1


def _agree(one: str, other: str) -> bool:
    """Whether titles share most of what they are about, and neither names or counts anything against the other."""
    mine, theirs = (frozenset(terms(title)) - _COMMON for title in (one, other))
    if one.casefold() == other.casefold() or (not mine and not theirs):
        return frozenset(terms(one)) == frozenset(terms(other))
    opposed = [bool(_OPPOSED.search(title)) for title in (one, other)]
    alike = len(mine & theirs) > 0.5 * max(min(len(mine), len(theirs)), 1)
    figures = {frozenset(_FIGURES.findall(title)) for title in (one, other)}
    names = [_names(title) for title in (one, other)]
    return alike and len(figures) == 1 and opposed[0] == opposed[1] and (names[0] <= names[1] or names[1] <= names[0])


def _names(title: str) -> frozenset[str]:
    """Words of a title that are written large, but for its first one."""
    return frozenset(word for word in re.findall(r"[\w+#.-]+", title)[1:] if word[:1].isupper())


def _subject(milestone: Milestone) -> frozenset[str]:
    return frozenset(terms(milestone.title))


def _overtook(one: Milestone, between: Milestone, other: Milestone) -> bool:
    """Whether something else was chosen in the meantime: then the same choice once more is a new one."""
    if between.type not in _CHOICES or not one.last_turn < between.first_turn <= other.first_turn:
        return False
    return between is not other and bool((_subject(between) & _subject(one)) - _COMMON) and between.title != one.title


def merged_into(one: Milestone, other: Milestone) -> Milestone:
    """The one that matters more, or says more, over both stretches; said again much later it stays where it was."""
    weights = [(each.significance, len(_subject(each))) for each in (one, other)]
    main, side = (other, one) if weights[1] > weights[0] else (one, other)
    return replace(
        main,
        context=one.context or other.context,
        participants=tuple(dict.fromkeys((*one.participants, *other.participants))),
        outcome=main.outcome or side.outcome,
        valence=round((one.valence + other.valence) / 2, 2),
        significance=max(one.significance, other.significance),
        first_turn=min(one.first_turn, other.first_turn),
        last_turn=max(one.last_turn, other.last_turn) if _is_near(one, other) else one.last_turn,
    )
