"""A second opinion: what the trained tagger makes of what the rules took, and what it sees that they missed.

The rules know what a clause means; the tagger has read thousands of labelled messages and knows what a reader would
keep. What both see is kept, what the rules take and the tagger finds unlikely is dropped, and what only the tagger
sees is taken where it is sure.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, cast, get_args

from recollect.core.terms import terms
from recollect.understanding.keyless.holding import holds_now
from recollect.understanding.keyless.marks import Marks, Passage, Value
from recollect.understanding.keyless.vocabulary import (
    ACQUAINTANCES,
    PARTNERS,
    PETS,
    RELATIVES,
    STATES_OF_LIFE,
    alternatives,
)
from recollect.understanding.model import Fact, FactType, Statement, StatementType
from recollect.understanding.profile_keys import FAVORITE, STANDING, favorite_key, holds_many, normal_value

KEEP: dict[str, float] = {
    "fact": 0.05, "decision": 0.02, "preference": 0.1, "constraint": 0.03, "goal": 0.1, "instruction": 0.05,
    "profile identity": 0.02, "profile preference": 0.02, "profile constraint": 0.02,
}  # fmt: skip
"""How likely at least something must be that the rules took. Rules for keyed values seldom err."""
ADD: dict[str, float] = {
    "fact": 0.95, "decision": 0.95, "preference": 0.95, "constraint": 0.7, "goal": 0.9, "instruction": 0.9,
    "profile identity": 0.97, "profile preference": 0.85, "profile constraint": 0.95,
}  # fmt: skip
"""How likely at least something must be that only the tagger sees."""
PART = 0.3
"""How likely a part between two commas must be to belong to a passage."""
_SURE_END = 0.5
_SURE_KEY = 0.35
_FAVORITE = "preference.favorite"
_THING = "preference.thing"
STATEMENTS: tuple[StatementType, ...] = get_args(StatementType)
_MOSTLY = 0.7
_TENTATIVE = 0.75
"""Up to this confidence a statement is pending."""


class Seen(NamedTuple):
    """A keyed value that the tagger sees."""

    type: FactType
    key: str
    value: str
    ended: bool


def believed(facts: Sequence[Fact], marks: Marks) -> list[Fact]:
    """The facts that the rules took, less those that the tagger finds unlikely."""
    return [
        fact
        for fact in facts
        if _plainly_ordered(fact) or (_likely(fact, marks) >= KEEP[_name(fact)] and _holds(fact, marks.text))
    ]


def _holds(fact: Fact, text: str) -> bool:
    """Whether a value that the rules took holds now, where its words are to be found."""
    place = text.find(fact.value)
    return fact.ended or place < 0 or holds_now(f"{fact.type}.{fact.key}", text, place, place + len(fact.value))


_PLAINLY_ORDERED = re.compile(
    r"(?:(?:please|and|also|so),? )*(?:(?:do not|don['’]t) ever\b|(?:my |a |one )?standing (?:order|rule|request)\b"
    r"|I(?: would|['’]d) (?:rather|prefer it if) you (?:always|never)\b"
    r"|(?:when|whenever|if|any ?time) I say [^,]{2,40},? I mean\b"
    r"|(?:can|could|will|would) you (?:please |make sure (?:that )?(?:you|to) )+(?:always|never)\b)",
    re.IGNORECASE,
)


def _plainly_ordered(fact: Fact) -> bool:
    """An order in words that can be nothing else: they speak to the assistant, and for good."""
    return fact.type == "instruction" and _PLAINLY_ORDERED.match(fact.quote) is not None


def _name(fact: Fact) -> str:
    return "instruction" if fact.type == "instruction" else f"profile {fact.type}"


def _likely(fact: Fact, marks: Marks) -> float:
    if fact.type == "instruction":
        return max(marks.likely("instruction", fact.quote), marks.likely("instruction", fact.value))
    key = _FAVORITE if fact.key.startswith(FAVORITE) else f"{fact.type}.{fact.key}"
    return marks.likely_value(key, fact.value, fact.quote)


def likely(statements: Sequence[Statement], marks: Marks) -> list[Statement]:
    """The statements that the rules took, less those that the tagger finds unlikely; of pending ones it has no view."""
    if marks.is_brief:
        return list(statements)
    return [
        statement
        for statement in statements
        if statement.confidence <= _TENTATIVE
        or _CORRECTS.match(statement.quote)
        or (statement.type in _PLAIN_WORDS and _PLAIN_WORDS[statement.type].search(statement.content))
        or (statement.type == "decision" and _ALL_AGREED.search(statement.quote))
        or marks.likely(statement.type, statement.content) >= KEEP[statement.type]
    ]


_PLAINLY_BINDS = re.compile(
    r"\b(?:must (?:not|never)|may (?:not|never|only) (?!have\b|be (?:true|right|so)\b)|(?:is|are) (?:not|never"
    r"|only) (?:allowed"
    r"|permitted) to|(?:is|are) (?:forbidden|prohibited|obliged|legally required) (?:to|from)|no longer than \d"
    r"|forbids?\b"
    r"|prohibits?\b)|^(?:Legal|Compliance|Security|HR|IT|Finance|Procurement)\b.* (?:cannot|must|may not|let)\b"
)
"""Words that can be nothing but a lasting limit, whatever the tagger makes of the rest."""
_PLAINLY_CHOSEN = re.compile(
    r"\bdecided on (?:the|an?) [^,]+, not (?:the|an?) |\b(?:decided|chose|chosen|opted|picked|settled on"
    r"|(?:went|gone) (?:with|for))\b.* (?:instead of|rather than|over) (?!there\b"
    r"|the (?:weekend|phone|summer|years?|moon)\b|it\b)"
)
"""A choice that names what was not chosen."""
_ALL_AGREED = re.compile(
    r"\b(?:everyone|everybody|we all|all of us|the (?:team|board|committee|whole \w+))(?: has| have)? (?:signed off"
    r"|agreed|voted)\b",
    re.IGNORECASE,
)
"""Who was asked, so that something was decided."""
_PLAIN_WORDS: Mapping[str, re.Pattern[str]] = {"constraint": _PLAINLY_BINDS, "decision": _PLAINLY_CHOSEN}
_CORRECTS = re.compile(r"(?:actually|correction|sorry|oops|no wait|wait)\b", re.IGNORECASE)
"""Who corrects something wants it known."""


def values(marks: Marks, own: str) -> Iterator[Seen]:
    """The keyed values of which the tagger is sure; `own` is what the speaker says in their own name."""
    seen = marks.values()
    things = [value for value in seen if value.key == _THING]
    for value in seen:
        if value.key == _THING or _weaker(value, seen):
            continue
        type, key = _type_and_key(value)
        if value.likely < ADD[f"profile {type}"]:
            continue
        if value.key == _FAVORITE:
            thing = min(things, key=lambda each: abs(each.start - value.start), default=None)
            if thing is None:
                continue
            key = favorite_key(_POSSESSIVE.sub("", marks.text[thing.start : thing.end]))
        said = _said(value, marks.text)
        if (
            said
            and _fits(value.key, said)
            and not _of_another(value, marks.text)
            and holds_now(value.key, marks.text, value.start, value.end)
            and said in own
            and said.lower() not in STATES_OF_LIFE
            and not (value.key == "identity.partner" and said.islower() and _DIED.match(marks.text, value.end))
        ):
            yield Seen(type, key, normal_value(key, said), _ended(value, marks.text))


def _type_and_key(value: Value) -> tuple[FactType, str]:
    type, key = value.key.split(".")
    return cast("FactType", type), key


def _weaker(value: Value, seen: Sequence[Value]) -> bool:
    """Whether a key that holds one value has a likelier one in the message."""
    return (
        not holds_many(_type_and_key(value)[1])
        and value.key != _FAVORITE
        and any(other.key == value.key and other.likely > value.likely for other in seen)
    )


_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_MONEY = "$€£₹¥"
_NAME_GOES_ON = re.compile(
    r"(?:(?<=[ .][A-ZÀ-Þ])\.|(?<=\bUniv)\.|(?<=\bInst)\.|(?<=\bSt)\.)?"
    r"(?: (?:de|of|del|di|van|von|la|le|du|da|den|der|the))? [A-ZÀ-Þ][\w'’-]*"
)
_FIRM_GOES_ON = re.compile(rf"(?: (?:and|&) [A-ZÀ-Þ][\w'’-]*)|{_NAME_GOES_ON.pattern}")
"""Two names make one firm, but never one place or person."""
_FIRMS = frozenset({"identity.employer", "identity.school"})
_NAME_BEGINS = re.compile(
    r"(?<=[a-zà-ÿ,:] )(?!(?:Dr|Mr|Mrs|Ms|Mx|Prof|Professor|Sir|Dear|Name|Rev|Miss|Lady|Lord) )[A-ZÀ-Þ][a-zà-ÿ]+ $"
)
"""A first name that the tagger left out; what begins a sentence may be any word."""
_NEXT_CLAUSE = re.compile(
    r",?(?: (?:and|the))? (?:I|In|At|My|We|Our|He|She|They|It|This|That|The|And|But|So|As|On|For|With|From|To)\b"
)
"""A capital that begins another clause rather than goes on with a name: "in Gdańsk and I", "at Bolt In May"."""
_NAMED = frozenset(
    {
        "identity.full_name",
        "identity.name",
        "identity.employer",
        "identity.school",
        "identity.city",
        "identity.hometown",
        "identity.language",
    }
)
_MINUTES = re.compile(r":\d\d\b")
_BESIDE = re.compile(
    r"^(?:our|my|the|little|baby|big|old|dear|called|named|both|about|around|nationality|name|age|aged) (?=\S)"
    r"|(?<=\w) (?:citizen|national|passport|citizenship|nationality)$",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"['’]s$")


def _said(value: Value, text: str) -> str:
    """The words of a value, with what plainly belongs to it: the rest of a name, of an address, the sign of money."""
    start, end = value.start, value.end
    if value.key == "identity.pets" and text[start].islower():
        called = _CALLED.match(text, end) or _NAMED_BEFORE.search(text, 0, start)
        if called is not None:
            return called["name"]
    for found in _MAIL.finditer(text):
        if found.start() <= start < found.end():
            start, end = found.span()
    while start and text[start - 1] in _MONEY:
        start -= 1
    if value.key == "identity.timezone" and (minutes := _MINUTES.match(text, end)) is not None:
        end = minutes.end()
    if value.key == "identity.full_name" and (first := _NAME_BEGINS.search(text, 0, start)) is not None:
        start = first.start()
    if value.key in _NAMED:
        goes_on = _FIRM_GOES_ON if value.key in _FIRMS else _NAME_GOES_ON
        while (more := goes_on.match(text, end)) is not None and not _NEXT_CLAUSE.match(text, end):
            end = more.end()
    said = text[start:end]
    while (bare := _BESIDE.sub("", said)) != said:
        said = bare
    return said.strip(" \t\n.,;:!?()'’\"")


_SHAPES: Mapping[str, re.Pattern[str]] = {
    "identity.age": re.compile(r"\d{1,3}(?: years old| yrs?| years)?|[a-z]+(?:[- ][a-z]+)?", re.IGNORECASE),
    "identity.birthday": re.compile(r".*(?:\d|[a-z]{3}).*"),
    "identity.email": _MAIL,
    "identity.pronouns": re.compile(r"[a-z]+(?: ?/ ?[a-z]+)+|he|she|they", re.IGNORECASE),
    "identity.timezone": re.compile(r".*[A-Z+].*"),
    "identity.job": re.compile(r"(?!teach |run |work |do |sell)\S.*"),
    "constraint.budget": re.compile(r".*\d.*|.*(?:hundred|thousand|grand|million).*"),
}  # fmt: skip


def _fits(key: str, said: str) -> bool:
    shape = _SHAPES.get(key)
    return shape is None or shape.fullmatch(said) is not None


_SENTENCE_START = re.compile(r"[.!?\n]")
_CHILD = (
    r"(?:(?!and\b)[\w-]+ ){0,2}(?:son|daughter|child|kid|baby|boy|girl|kids|children|sons|daughters|twins|boys|girls)\b"
)
_BESIDE_A_CHILD = re.compile(rf",? (?:and|with) (?:my|our|the) {_CHILD}")
_ANOTHERS_CHILD = re.compile(
    rf"\b(?:my|our) (?:[\w-]+ ){{0,2}}?(?:{alternatives((RELATIVES | ACQUAINTANCES) - PARTNERS)})\b(?:,? [A-Z]\w+)?,?"
    r" (?:just )?(?:has|had|have|is having|gave birth|adopted|is expecting)\b",
    re.IGNORECASE,
)
_A_CHILD_BEFORE = re.compile(rf"\b{_CHILD}[^.!?]{{0,40}}$")
_WHOSE = re.compile(
    rf"\b(?:(?P<own>I(?:['’]m|['’]ve)?|me|myself|my (?:own )?(?:age|birthday))"
    rf"|(?:my|our) (?:[\w-]+ ){{0,2}}?(?:{alternatives(RELATIVES | ACQUAINTANCES)})"
    r"|mum|mom|mam|dad|gran|granny|nan|grandma|grandpa|he|she)\b",
    re.IGNORECASE,
)
_MONEY_COMES = re.compile(
    r"\b(?:gives?|gave|given|sends?|sent|pays?|paid|gets?|(?<!have )(?<!['’]ve )(?<!has )got|receives?d?"
    r"|earn\w*|won|raised|made|donat\w+|lent|owes?"
    r"|costs?|charge[sd]?|asks?|wants?)\b",
    re.IGNORECASE,
)
_MONEY_MAY_GO = re.compile(
    r"\b(?:budget|spend\w*|max\w*|tops|at most|up to|limit\w*|cap\w*|afford\w*|no more than|not? over|only have"
    r"|only got|all in)\b",
    re.IGNORECASE,
)


_OF_THE_BODY = frozenset(f"constraint.{key}" for key in ("diet", "allergy", "intolerance", "condition", "medication"))
_CLAUSE_START = re.compile(
    r"[;:] |, (?:and |but |so )?(?=I\b|my\b|[A-Z]\w+ (?:is|has)\b)|\b(?:and|but|so|because|since) (?=I\b)"
)
_SOMEBODY_HAS = re.compile(
    r"\W*(?:(?:and|but|so|also|because|since|as),? )*(?:(?!I\b|Severely\b"
    r"|Not\b)[A-Z][\w-]+(?: [A-Z][\w-]+)?(?:,[^,]{2,30},)?|(?:[Mm]y|[Oo]ur) "
    rf"(?:[\w-]+ ){{0,2}}?(?:{alternatives(RELATIVES | ACQUAINTANCES)})(?:,? [A-Z]\w+)?|[Hh]e|[Ss]he|[Tt]hey)"
    r"(?:['’]s|['’]re| (?:is|was|are|has|have|had|takes?|suffers?|gets?|eats?|can['’]?t|cannot|can not"
    r"|does(?:n['’]t| not)|do not"
    r"|don['’]t|keeps?|needs?|must))\b(?! (?:me|my|gives? me)\b)(?!.*\b(?:I|me|my)\b)"
)
"""Somebody else as the subject: "Ada is allergic to …"."""


def _of_another(value: Value, text: str) -> bool:
    """Whether the words around a value say that it is another's: somebody's age, a child's other parent, an income."""
    before = _SENTENCE_START.split(text[: value.start])[-1]
    if value.key in _FAMILY:
        return _OF_THEIRS.search(before) is not None or (
            value.key == "identity.children" and _child_of_another(value, text, before)
        )
    if value.key == "identity.email":
        return _ANOTHERS_MAIL.search(before) is not None
    if value.key in _OF_THE_BODY:
        return _SOMEBODY_HAS.match(_CLAUSE_START.split(before)[-1]) is not None
    if value.key == "identity.age":
        return _age_of_another(before)
    if value.key in _NAMES:
        return _WRITTEN_TO.search(before) is not None or _WHO_IT_IS.match(text, value.end) is not None
    sentence = before + _SENTENCE_START.split(text[value.start :])[0]
    comes = value.key == "constraint.budget" and _MONEY_COMES.search(before) is not None
    return comes and _MONEY_MAY_GO.search(sentence) is None


def _child_of_another(value: Value, text: str, before: str) -> bool:
    beside = _BESIDE_A_CHILD.match(text, value.end) and not _A_CHILD_BEFORE.search(before)
    return bool(beside or _ANOTHERS_CHILD.search(before))


_OF_A_THING = re.compile(r"\b(?:[Mm]y|[Oo]ur|[Tt]he) (?!age\b|birthday\b)[\w-]+ (?:is|was|turned|turns)(?: \w+)? $")


def _age_of_another(before: str) -> bool:
    named = [found["own"] is not None for found in _WHOSE.finditer(before)]
    return (bool(named) and not named[-1]) or _OF_A_THING.search(before) is not None


_NAMES = frozenset({"identity.name", "identity.full_name", "identity.preferred_name"})
_TITLE = r"(?:(?:Dr|Mr|Mrs|Ms|Mx|Prof|Professor|Sir|Rev|Judge)\.? )"
_WRITTEN_TO = re.compile(
    rf"\b(?:address(?:ed)?(?: (?:it|this|the \w+))? to|[Dd]ear|attn:?|for the attention of) {_TITLE}?$"
    rf"|\b(?:to|for|with|by|about|ask|tell|see|saw|met|thank|contact|email) {_TITLE}$"
)
_WHO_IT_IS = re.compile(
    r",? \(?(?:(?:who|she|he)(?:['’]s| is| was| works| runs| lives) "
    rf"|(?:my|our) (?:[\w-]+ ){{0,2}}?(?:{alternatives(RELATIVES | ACQUAINTANCES)})\b)"
)
"""Who somebody is to the speaker, right behind their name: no one says that of themself."""
_FAMILY = frozenset({"identity.partner", "identity.children", "identity.pets"})
_SIBLINGS = frozenset({"sister", "brother", "twin", "sibling"})
"""Of one's child they are one's own, too."""
_OF_THEIRS = re.compile(
    r"\b(?:[Hh]is|[Hh]er|[Tt]heir|[Yy]our|(?!(?:[Tt]hat|[Ii]t|[Hh]ere|[Ww]hat|[Tt]here|[Ll]et"
    r"|[Ww]ho)['’])[\w-]+['’]s(?! (?:the|an?|my|our) ))"
    rf" (?:[\w-]+ ){{0,2}}?(?:{alternatives((RELATIVES | PETS) - _SIBLINGS)}),? $"
)
"""Whose somebody is, right before their name: "her daughter Clara"."""
_CALLED = re.compile(
    r"(?<=[a-z])(?:,| \(| is|['’]s|,? (?:called|named)|,? whose name is"
    r"|,? by the name of) ?(?P<name>[A-ZÀ-Þ][\w'’-]*)(?=[,.;!?)]| and\b|$)"
)
"""The name of an animal, right behind what it is."""
_NAMED_BEFORE = re.compile(
    r"\b(?!(?:And|But|So|Also|With|The|For|Even|When|If|Both|While|Is|Are)\b)(?P<name>[A-ZÀ-Þ][\w'’-]*),? (?:the|our"
    r"|my) (?:[\w-]+ )?$"
)
"""… or before it: "Monty the labrador"."""
_ANOTHERS_MAIL = re.compile(
    r"\b(?:[Cc]ontact|[Ee]-?mail|[Ww]rite to|[Aa]sk|[Rr]each|[Cc]c|[Cc]all|[Ff]rom|[Tt]o|[Ss]ee) (?:[A-ZÀ-Þ][\w'’-]+"
    r"|(?:the|our|his|her|their"
    r"|your) [\w'’-]+)(?![^.!?]*\b(?:I|my|me)\b)[^.!?]*$|\b(?:his|her|their|your|our"
    r"|[\w-]+['’]s) (?:[\w-]+ )?(?:e-?mail|mail|address)\b[^.!?]*$"
)
_DIED = re.compile(r",? (?:has |had |sadly |just )*(?:passed away|passed on|died|expired)\b", re.IGNORECASE)
_PARTED_FROM = re.compile(
    r"\b(?:ex|split|splitting|broke|broken|break|divorc\w*|separat\w*|left|leaving|died|dead|passed|lost|put down"
    r"|put to sleep|no longer|any ?more|over|former|late|widow\w*|gone|rehomed|gave|given|moved out|apart|goodbye"
    r"|without|ended|not (?:together|with|married)|single)\b|n['’]t\b",
    re.IGNORECASE,
)


def _ended(value: Value, text: str) -> bool:
    """Whether a value holds no more; of those one lives with only where a word says so."""
    after = _SENTENCE_START.split(text[value.end :])[0]
    if value.key in _FAMILY and _DIED.match(after):
        return True
    if value.ended < _SURE_END:
        return False
    sentence = _SENTENCE_START.split(text[: value.start])[-1] + text[value.start : value.end] + after
    return value.key not in _FAMILY or _PARTED_FROM.search(sentence) is not None


_NO_SUBJECT = re.compile(
    r"(?!(?:I|[Mm]y|[Ww]e|[Oo]ur|[Tt]he|[Aa]n?|[Hh]e|[Ss]he|[Tt]hey|[Ii]t|[Hh]is|[Hh]er|[Tt]heir|[Tt]his"
    r"|[Tt]hat|[Tt]hese"
    r"|[Tt]here|[Nn]o|[Nn]othing|[Ee]very|[Ee]ach|[Aa]ll|[Bb]oth|[Nn]obody|[Ee]verything|i|[Ss]o|[Aa]nd|[Bb]ut"
    r"|[Bb]ecause"
    r"|[Ss]ince|[Aa]s|[Ff]rom|[Bb]y|[Oo]n|[Ii]n|[Aa]t|[Ff]or|[Tt]o|[Nn]ot|[Nn]ever|[Aa]lways)\b)[a-z]"
)
_LEADS = " \t\n,;:–—-()."


_SHARED = re.compile(r"\W*\b(?:and|but|so) (?:I|we|my|our|the|it|he|she|they)\b", re.IGNORECASE)
_JOINED = re.compile(r"\b(?:and|but|so|also|plus)$", re.IGNORECASE)
_NO_CLAUSE = re.compile(
    r"(?:of|on|in|at|with|after|before|for|from|to|because|since|as|than|that|which|who|I need|we need|only)\b"
    r"|an? [^.]*$(?<!\bis)(?<!\bhas)",
    re.IGNORECASE,
)


def type_of(said: str, marks: Marks) -> StatementType | None:
    """The type of statement that the tagger surely takes a clause for, which has to be a part of its sentence.

    The tagger marks whole parts between commas: of what shares one with something else it cannot tell.
    """
    stands = marks.stands(said)
    if stands is None or _NO_CLAUSE.match(said):
        return None
    before = _JOINED.sub("", marks.text[: stands[0]].rstrip()).rstrip()
    if (before and before[-1] not in ",;:–—(.!?)\n") or _SHARED.match(_after(said, marks, stands[0])):
        return None
    likely = {type: marks.likely(type, said) for type in STATEMENTS}
    best = max(STATEMENTS, key=likely.__getitem__)
    return best if best in _PLAINLY_SAID and likely[best] >= ADD[best] else None


def _after(said: str, marks: Marks, start: int) -> str:
    """What follows a clause in its message."""
    last = said.rsplit(maxsplit=1)[-1]
    place = marks.text.find(last, start)
    return "" if place < 0 else marks.text[place + len(last) :]


_PLAINLY_SAID: tuple[StatementType, ...] = ("constraint", "goal")
"""Types that a single clause tells; facts and decisions often need what stands around them."""


class Told(NamedTuple):
    """A passage that only the tagger sees whole."""

    said: str
    instead: tuple[Statement, ...]
    """What the rules made of pieces of it."""


def passages(marks: Marks, kind: StatementType, taken: Sequence[Statement]) -> Iterator[Told]:
    """The passages of a kind of which the tagger is sure and that no statement tells yet, in the speaker's words."""
    for passage in marks.passages(kind, PART):
        if passage.likely < ADD[kind]:
            continue
        start = passage.start
        if _NO_SUBJECT.match(marks.text[start:].lstrip(_LEADS)):
            start = marks.part_before(passage)
        said = marks.text[start : passage.end].strip(_LEADS)
        there = tuple(statement for statement in taken if _tells(statement.content, passage, marks))
        if not there:
            yield Told(said, ())
        elif kind == "constraint" and _JOINS_TWO.search(said) and any(each.type == kind for each in there):
            continue
        elif not covers(" ".join(statement.content for statement in there), said):
            yield Told(said, tuple(statement for statement in there if statement.type == kind))


_JOINS_TWO = re.compile(r"\b(?:and|but|so) (?:I|we)\b")
"""A passage of two clauses, of which a limit that was read already may be one: the other is none."""


def _tells(content: str, passage: Passage, marks: Marks) -> bool:
    """Whether a statement was made of words in that passage."""
    stands = marks.stands(content)
    return stands is not None and stands[0] < passage.end and stands[1] > passage.start


_REPLY_KEYS = ("reply_language", "reply_length", "reply_format")


class Order(NamedTuple):
    """A standing order that only the tagger sees whole."""

    said: str
    sentence: str
    before: str
    """The sentence right before it."""
    key: str | None
    instead: tuple[Fact, ...]
    """What the rules made of pieces of it."""


def orders(marks: Marks, taken: Sequence[Fact]) -> Iterator[Order]:
    """The standing orders that no fact tells yet: at most one of a sentence, with its key if it has one."""
    by_sentence: dict[tuple[int, int], list[Passage]] = {}
    for passage in marks.passages("instruction", PART):
        by_sentence.setdefault(passage.sentence, []).append(passage)
    for sentence, found in by_sentence.items():
        sure = [passage for passage in found if passage.likely >= ADD["instruction"]]
        if not sure:
            continue
        said = marks.text[_beginning(sure[0], marks) : found[-1].end].strip(_LEADS)
        if _WHEN.match(said) and _PARTED.search(said) is None:
            said = marks.text[_beginning(sure[0], marks) : sentence[1]].strip(_LEADS)
        if _NEXT_ITEM.search(said):
            continue
        there = tuple(_ordered(sentence, marks, taken))
        if not there or (all(fact.key.startswith(STANDING) for fact in there) and not _told(there, said)):
            whole = marks.text[slice(*sentence)].strip()
            yield Order(said, whole, marks.sentence_before(sentence), _reply_key(sure[0], marks), there)


def _beginning(passage: Passage, marks: Marks) -> int:
    """Where an order begins: with when it holds, if that is said right before it."""
    before = marks.part_before(passage)
    return before if _WHEN.match(marks.text[before : passage.start].strip(_LEADS)) else passage.start


_PARTED = re.compile(r",\s|\bthen\b")
""" "If it rains" alone orders nothing: what is to be done then stands behind a comma."""
_NEXT_ITEM = re.compile(r"\s\(?\d{1,2}\)")
_WHEN = re.compile(
    r"(?:what|when)(?:so)?(?:ever)?\b|if\b|any ?time|every time|each time|next time|for (?:all|any|every|each)\b"
    r"|in (?:all|any|every|each)\b",
    re.IGNORECASE,
)


def _reply_key(passage: Passage, marks: Marks) -> str | None:
    keys = {key: marks.within(key, passage) for key in _REPLY_KEYS}
    best = max(keys, key=keys.__getitem__)
    return best if keys[best] >= _SURE_KEY else None


def _ordered(sentence: tuple[int, int], marks: Marks, taken: Sequence[Fact]) -> Iterator[Fact]:
    """The orders that were taken from a sentence."""
    first, last = sentence
    for fact in taken:
        stands = marks.stands(fact.quote or fact.value) if fact.type == "instruction" else None
        if stands is not None and stands[0] < last and stands[1] > first:
            yield fact


def _told(facts: Sequence[Fact], said: str) -> bool:
    return covers(" ".join(fact.value for fact in facts), said)


def covers(content: str, said: str) -> bool:
    """Whether a statement tells most of a passage."""
    wanted = set(terms(said))
    return len(wanted.intersection(terms(content))) >= _MOSTLY * len(wanted)
