"""What a profile rule finds in a clause, and the helpers that take values apart."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

from recollect.understanding.model import FactType


class Found(NamedTuple):
    """A keyed value, before it is a fact."""

    type: FactType
    key: str
    value: str
    eventful: bool = False
    """Whether the clause tells an event beyond the value ("I moved to …")."""
    aside: bool = False
    """Whether the value was only mentioned on the way to something else."""
    corrects: bool = False
    """Whether the words themselves replace an older value ("I switched to …")."""


_OPENINGS = (
    ("I ", ("I",)),
    ("my ", ("my",)),
    ("(?:I|we) ", ("I", "we")),
    ("(?:my|our) ", ("my", "our")),
    ("(?:I am|we are) ", ("I", "we")),
    ("(?:my|our|the) ", ("my", "our", "the")),
)
_Ruled = TypeVar("_Ruled")


class ByOpening(Generic[_Ruled]):
    """Rules sorted by the word that a clause must open with, so that a clause meets only those that can match it."""

    def __init__(self, rules: Iterable[_Ruled], pattern_of: Callable[[_Ruled], re.Pattern[str]]) -> None:
        needed = [(rule, _opening(pattern_of(rule))) for rule in rules]
        words = {word for _, opening in needed for word in opening or ()}
        self._by_word = {
            word: tuple(rule for rule, opening in needed if not opening or word in opening) for word in words
        }
        self._rest = tuple(rule for rule, opening in needed if not opening)

    def of(self, text: str) -> tuple[_Ruled, ...]:
        """The rules that a clause may match."""
        return self._by_word.get(text.partition(" ")[0], self._rest)


def readings(
    text: str,
    guard: re.Pattern[str],
    rules: "ByOpening[tuple[re.Pattern[str], Callable[[re.Match[str]], Iterator[Found]]]]",
) -> Iterator[Found]:
    """What every rule finds that a clause matches; the guard spares those of which no word is there."""
    if guard.search(text) is None:
        return
    for rule, reader in rules.of(text):
        if (match := rule.match(text)) is not None:
            yield from reader(match)


def _opening(compiled: re.Pattern[str]) -> tuple[str, ...] | None:
    if compiled.flags & re.IGNORECASE or _outer_choice(compiled.pattern):
        return None
    return next((words for start, words in _OPENINGS if compiled.pattern.startswith(start)), None)


def _outer_choice(source: str) -> bool:
    """Whether a pattern is a choice between several as a whole, so that its start says little."""
    depth, escaped, listed_ = 0, False, False
    for character in source:
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif listed_:
            listed_ = character != "]"
        elif character == "[":
            listed_ = True
        elif character in "()":
            depth += 1 if character == "(" else -1
        elif character == "|" and depth == 0:
            return True
    return False


_TAIL = re.compile(
    r",? (?:but|so|which|because|since|though|although|if|when|as|that|where|while|after|before|for|with"
    r"|in|on|at|ever|too|these|now|anymore|any more|unfortunately|by the way|btw|please|thanks|and (?:it"
    r"|that|this|I|my|we|have|am|so|only|not|try|avoid|always|would|need)|who|from|or I|just|especially"
    r"|and (?:no|yes|never|nothing|you)"
    r"|the (?:tests?|results?|bloods?|doctor|allergist|consultant)|myself|then|mainly|apparently"
    r"|pls|is|are|was|it)\b.*$"
)
_ASIDE = re.compile(r",? (?:and|or), (?:\w+ly|of all things|believe it or not), |,? (?:and|or) (?:\w+ly)?,? (?=to )")
_BETWEEN = re.compile(
    r"\s*,\s*(?:and |or |as well as )?(?:also )?(?:to )?|\s+(?:and|or|as well as|plus)\s+(?:also )?(?:to )?|\s*&\s*"
)
_FILLER = re.compile(
    r"^(?:also|both|all (?:kinds|types|sorts) of|any(?: kind of)?|some(?: kinds of)?|most(?: kinds of)?"
    r"|certain|all|the|a|an|severely|mild|severe|really|very|things like|stuff like|my|tree(?= "
    r"nuts?\b)\b(?!))\s+",
    re.IGNORECASE,
)
_LONGEST_ITEM = 5


_LED_TO = re.compile(
    r"^(?:(?:hi|hiya|hey|hello|heya|all in|well|oh|ok|okay|fyi|btw|heads up|for the record"
    r"|when it comes to [\w ]{3,20}|yes"
    r"|yeah|yep|no|nope|right|still|again|of (?:last|this) \w+|day to day|in my own (?:code|projects|work)"
    r"|in code"
    r"|at work|professionally|when coding|when I code"
    r"|for me personally|if it is not obvious),? )+(?=(?:I|my|we|our|full name"
    r"|please|call|[€$£]?\d+)\b)",
    re.IGNORECASE,
)


_NEARLY = re.compile(
    r"\b(?:pretty much|more or less|practically|just about|nearly|virtually) (?=all\b|everything|always|only|every)"
)
_NAMES_ITSELF = re.compile(r"^(?:[Mm]y |[Tt]he )?[Nn]ame's (?=[A-Z])")
_DOING = re.compile(r"^[Dd]oing (?=(?:my|an?) )")


def led(text: str) -> str:
    """A clause without what stands before its subject and says nothing of its own."""
    text = _NAMES_ITSELF.sub("my name is ", text)
    return _DOING.sub("I am doing ", _NEARLY.sub("", _LED_TO.sub("", text)))


_BREAK = re.compile(r",(?: and| but| plus)? |(?<=[a-z\d]) (?:and|but|so) (?=now I am\b|I am\b)| \((?=[a-z])")
_SMALL_WORDS = re.compile(r"^(?:(?:and|but|also|plus|now|still|so|though|currently|happily) )+", re.IGNORECASE)
_OWN_SUBJECT = re.compile(r"(?:I|we|my name|as an?)\b|[A-Z][\w-]+ here\b")
_OF_THE_SELF = re.compile(
    r"(?:I|we) (?:just |still |now |actually |originally |only |really )*(?:am|are)\b(?! (?!living|working|based"
    r"|residing)\w+ing\b)"
    r"|I (?:was (?:born|raised)|have been|have lived|have type|live|work|grew up|come from|drive|teach|study"
    r"|moved|packed in)\b"
    r"|my name is|[A-Z][\w-]+ here\b|.* for me$"
)
_DROPPED: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(source), f"{subject} ")
    for source, subject in (
        (
            r"(?:from [A-Z]|living in|based in|residing in|settled in|married to|engaged to|allergic to|intolerant to)",
            "I am",
        ),
        (r"(?:been|lived) (?:living |based )?(?:in|at|with) ", "I have"),
        (
            r"in (?=[A-Z][\w-]+(?: [A-Z][\w-]+)? (?:since (?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|yesterday"
            r"|this |last (?:night|week))|for \w+ years|\w+ years))",
            "I have been",
        ),
        (r"in (?=[A-Z][\w-]+(?: [A-Z][\w-]+)? (?:these days|now|nowadays))", "I am"),
        (r"(?:born|raised|brought up) ", "I was"),
        (r"(?:grew up|work as|work at|work for|live in|study at|came off|come from|went off|weaned off) ?", "I"),
        (r"native [A-Za-z]+ speaker", "I am a"),
        (r"originally (?:from )?[A-Z]|on call ", "I am"),
        (r"[A-Z][a-z]+ (?:citizen|national)(?:$|,)", "I am a"),
        (
            r"(?:type (?:1|2|one|two) )?diabetic(?: here| since|$)|(?:coeliac|celiac|asthmatic|dyslexic|autistic"
            r"|epileptic|colou?r[- ]?blind|pescatarian|pescetarian|flexitarian)(?: here| since|$)",
            "I am",
        ),
        (r"I am ", ""),
    )
)


@lru_cache(maxsize=64)
def unfolded(text: str) -> tuple[str, ...]:
    """The parts of a clause that have dropped their "I am" or "I have", each as a sentence of its own."""
    if _OWN_SUBJECT.match(text) and _BREAK.search(text) is None:
        return ()
    parts = _BREAK.split(text)
    made: list[str] = []
    own = _OF_THE_SELF.match(parts[0]) is not None
    for place, part in enumerate(parts):
        bare = _SMALL_WORDS.sub("", part)
        if place == 0 and _OWN_SUBJECT.match(bare):
            continue
        if (whole := _restored(bare, part)) is not None and (place == 0 or own):
            own = True
            made.append(whole)
    return tuple(made)


def _restored(bare: str, part: str) -> str | None:
    low = (
        bare if not bare[:2].istitle() or bare.startswith("I ") or _CITIZEN.match(bare) else bare[:1].lower() + bare[1:]
    )
    for opening, subject in _DROPPED:
        if opening.match(low):
            return (subject.lstrip() + low).replace(" here", "")
    if part.lower().startswith("still ") and (still := _STILL.match(bare)) is not None:
        return f"I work at {still['v']}" if still["how"] == "at" else f"I live in {still['v']}"
    return None


_CITIZEN = re.compile(r"[A-Z][a-z]+ (?:citizen|national)\b")
_STILL = re.compile(r"(?P<how>at|in) (?P<v>[A-Z][\w&-]+(?: [A-Z][\w&-]+){0,2})$")


def listed(parts: list[str]) -> list[str]:
    """The things of a list up to where it is no list any more ("cats, test came back negative")."""
    for place, part in enumerate(parts[1:], 1):
        if _A_CLAUSE.search(part):
            return parts[:place]
    return parts


_A_CLAUSE = re.compile(
    r"\b(?:I|me|my|we|he|she|they|it|you|came|went|got|confirmed|said|makes?|gives?|was|were|will|would|does|did|had"
    r"|can"
    r"|cannot|could|must|should|no|not|even|especially|so|avoid|keep|check|just|usually|means?)\b"
)


def head(value: str) -> str:
    """A value up to where the sentence goes on."""
    return _TAIL.sub("", value).strip(" ,.;:!?\"'")


def items(value: str) -> list[str]:
    """The things of a list: "peanuts, soy and shellfish" gives three."""
    parts = [_FILLER.sub("", part.strip(" .;:!?\"'")) for part in _BETWEEN.split(head(_ASIDE.sub(" and ", value)))]
    return [part for part in listed(parts) if part and len(part.split()) <= _LONGEST_ITEM]
