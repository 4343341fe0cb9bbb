"""What a pronoun stands for, where the words before it leave no doubt.

For a thing the nearest clause that names one decides: its subject, else its only object, else the only thing that it
mentions at all. A person has to be the only one of the sentence. Where two could be meant, nobody and nothing is.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from recollect.understanding.keyless import vocabulary as words
from recollect.understanding.keyless.others import GAP
from recollect.understanding.keyless.text import CAPITAL

_FURTHEST = 400
"""How many characters back something is still spoken of."""
_NEIGHBOURS = 3
"""Words beside a pronoun by which it is found in its message."""
_LONGEST_NAME = 5

_THING = re.compile(r"\b(?:[Ii]t|(?P<of>[Ii]ts))\b")
_PERSON = re.compile(
    r"\b(?:[Hh]e|[Ss]he|him|(?P<of>[Hh]is|[Hh]er(?= (?!and\b|at\b|in\b|on\b|to\b|with\b|for\b|from\b|by\b|as\b|\w+ed\b)"
    r"\w))|her)\b"
)
_OPEN = re.compile(
    r"\b(?:you|your|they|them|their|theirs|hers|this|these|those|here|there|itself|himself|herself"
    r"|that(?=$|[,.;]| is))\b",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"\b[Ii]t (?:all\b|(?:has|needs|had) to be\b|(?:is|was|will be|has been|would be|gets|got) (?:[\w-]+ ){0,2}?"
    r"(?:settled|decided|agreed|official|time|late|early|dark|cold|hot|raining|snowing|fine|ok|okay|possible|important"
    r"|vital|hard|easy|good|bad|great|nice|true|clear|why|how|what|when|because|like|just|only|\d"
    r"|[\w'-]+ (?:[\w'-]+ )?(?:to|that|who)\b)"
    r"|(?:turns?|turned) out|seems?|looks? like|takes?\b|took\b|means?\b|matters|depends|rains?|snows?)"
)
"""An "it" that stands for nothing, or for a whole sentence."""
_SUBORDINATE = re.compile(
    r"(?:when|whenever|if|unless|until|while|because|since|although|though|please|to|give)\b", re.IGNORECASE
)
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")
_PART = re.compile(r"[,;:()]|\s[–—-]\s|\b(?:and|but|so|because|since|while|which|who|whose)\b")


def resolved(text: str, message: str) -> str | None:
    """A text with what its pronouns stand for; None where it has none, or the message leaves open what they mean."""
    thing, person = _THING.search(text), _PERSON.search(text)
    found = thing or person
    if found is None or (thing and person) or _unclear(text):
        return None
    before = _before(text, found, message)
    if before is None:
        return None
    said = text[: found.start()]
    if thing is not None:
        meant = None if _names_a_thing(said) else _thing_meant(before)
    else:
        meant = None if set(_people(said, found.group())) else _person_meant(before, found.group())
    return None if meant is None else found.re.sub(lambda each: meant + "'s" * bool(each["of"]), text)


_POINTED = re.compile(
    r"\b(?P<first>[Tt])h(?:is|ese|ose) (?!(?:time|way|stuff|thing|things|kind|sort|one|ones|year|month|week|day"
    r"|days|morning|afternoon|evening|season|term|semester|quarter|spring|summer|autumn|winter|is|was|will|would|has"
    r"|are|were|and|or|all|in|to|on|for|at|by|from|with|as|of|too|either|again|yesterday|today|tomorrow|last|next|until"
    r"|before|after|because|since|so|but|if|when|instead)\b)(?=[a-z])"
)


def unpointed(text: str) -> str:
    """A text that points at a thing by its noun, without pointing: "this driver" as "the driver"."""
    return text if _SUBORDINATE.match(text) else _POINTED.sub(r"\g<first>he ", text)


def _unclear(text: str) -> bool:
    """Whether a text points elsewhere too, says "it" of nothing, or is no sentence of its own."""
    return bool(_OPEN.search(text) or _EMPTY.search(text) or _SUBORDINATE.match(text))


def _before(text: str, found: re.Match[str], message: str) -> str | None:
    """The message up to the clause of a pronoun, which is found by the words beside it."""
    left = text[: found.start()].split()[-_NEIGHBOURS:]
    right = text[found.end() :].split()[:_NEIGHBOURS]
    for said in (" ".join([*left, found.group(), *right]), " ".join([found.group(), *right])):
        place = message.lower().find(said.lower())
        if place >= 0:
            before = message[max(0, place - _FURTHEST) : place]
            return None if GAP in before else before
    return None


# --- Things -------------------------------------------------------------------------------------------------------

_DETERMINERS = words.listed("the my our a an this that every any another")
_PREPOSITIONS = words.listed(
    "in on at to of for with by from about into over under after before during without within between through against"
    " near as than around until till since behind beside outside inside onto off up out across per via like"
)
_BREAKS = _PREPOSITIONS | words.ADVERBS | words.listed(
    "is are was were am be been being has have had do does did will would can cannot could may might must shall should"
    " need needs not no and or but so if when while because that which who whom whose what where how why I we you he"
    " she it they me us him her them there here then today tomorrow yesterday tonight too either instead again please"
    " let says said runs goes went comes came takes took makes made gets got gives gave holds works moves starts ends"
    " closes opens turns costs only all both just ago each every any some my our his their your the a an this these"
    " those"
)  # fmt: skip
_TOPICS = words.listed("about against")
"""Behind these a name is what is spoken of; behind other small words it may be a place or somebody."""
_CHOOSING = words.listed("go goes going went gone settled settling opted opting decided plumped voted looking look")
"""Verbs whose object stands behind a small word: "going with the van"."""
_PEOPLE = words.RELATIVES | words.ACQUAINTANCES | words.listed(
    "vendor insurer auditor roofer plumber builder electrician nurse guy man woman girl boy person candidate team board"
    " committee council landlord surgeon vet midwife inspector officer user owner tenant buyer seller"
)  # fmt: skip
_NO_THINGS = words.listed(
    "year month week day morning afternoon evening night weekend time moment bit lot end start beginning middle hour"
    " minute way thing reason fact question idea problem passion point while rest same other one others kind sort"
    " matter truth cent penny budget mind hand spring summer autumn fall winter"
    " meantime first second last next past future world course"
)
_PIECES = words.listed(
    "letter email mail text message report draft list table poem story essay summary answer reply announcement note"
    " post code script function query file title paragraph sentence speech recipe plan checklist template caption"
    " translation article joke bio cv resume document doc spreadsheet prompt picture image"
)
"""What an assistant is asked to write: "it" may be this one text, of which nothing lasting is said."""
_WORD = re.compile(r"[^\W_](?:[\w'’./+#&-]*[\w+#])?")


_Role = Literal["subject", "object", "other"]


class _Named(NamedTuple):
    said: str
    role: _Role


def _thing_meant(before: str) -> str | None:
    """The thing of the nearest clause that names one and does not go on about another "it"."""
    allowed = 1
    for place, sentence in enumerate(reversed(_SENTENCE.split(before))):
        if place > allowed:
            return None
        parts = _PART.split(sentence)
        for part in reversed(parts[:-1] if place == 0 else parts):
            if _THING.search(part):
                allowed = place + 1
            elif things := _things(part):
                return _only(things)
    return None


def _only(things: list[_Named]) -> str | None:
    for roles in (("subject", "object"), ("other",)):
        named = [each.said for each in things if each.role in roles]
        if named:
            return named[0] if len(named) == 1 and named[0].split()[-1].lower() not in _PIECES else None
    return None


def _things(part: str) -> list[_Named]:
    """The single things that a clause names, each with what it is to the clause."""
    tokens = _WORD.findall(part)
    found: list[_Named] = []
    place = 0
    while place < len(tokens):
        name = _thing_at(tokens, place)
        if name and (role := _role(tokens, place)) is not None and (role != "other" or len(name) == 1):
            found.append(_Named(" ".join(name), role))
        place += len(name) or 1
    return found


def _names_a_thing(said: str) -> bool:
    """Whether the words before a pronoun name something that it could stand for as well."""
    tokens = _WORD.findall(_SOMEBODY.sub(lambda each: each.group() if each["bare"] else "", said))
    return any(_thing_at(tokens, place) for place in range(len(tokens)))


def _role(tokens: list[str], place: int) -> _Role | None:
    """What the thing at a place is to its clause; None where it only says where, when or with whom."""
    before = tokens[place - 1].lower() if place else ""
    if not place or (place == 1 and before == "for"):
        return "subject"
    if before not in _PREPOSITIONS or (place > 1 and tokens[place - 2].lower() in _CHOOSING):
        return "object"
    return "other" if before in _TOPICS else None


def _thing_at(tokens: list[str], place: int) -> list[str]:
    """The words of a thing that begins at a place: "the old checkout", "our office", "Docker"."""
    first = tokens[place]
    if first.lower() in _DETERMINERS:
        head = _head(tokens[place + 1 : place + 1 + _LONGEST_NAME])
        first = {"this": "the", "that": "the", "a": "the", "an": "the", "another": "the"}.get(
            first.lower(), first.lower()
        )
        return [first, *head] if head and _is_a_thing(head[-1]) else []
    if place and _is_name(first) and not _is_first_name(first):
        return [first]
    return []


def _head(tokens: list[str]) -> list[str]:
    """The words up to the noun: until a small word, or a verb after at least one word."""
    head: list[str] = []
    for token in tokens:
        verb = token in words.IRREGULAR_PAST or token.endswith(("ed", "'s", "’s"))
        if token in _BREAKS or (head and verb):
            break
        head.append(token)
    return head


def _is_a_thing(noun: str) -> bool:
    low = noun.lower()
    plural = low.endswith("s") and not low.endswith(("ss", "us", "is")) and not noun[:1].isupper()
    return not plural and low not in _PEOPLE and low not in _NO_THINGS and noun[-1:].isalnum()


_CALENDAR = words.listed(
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August"
    " September October November December Christmas Easter I Mr Mrs Ms Dr Mum Mom Dad"
)


def _is_name(token: str) -> bool:
    return re.fullmatch(CAPITAL, token) is not None and token not in _CALENDAR


def _is_first_name(token: str) -> bool:
    return token in words.FIRST_NAMES


# --- People -------------------------------------------------------------------------------------------------------

_MEN = words.listed(
    "father dad daddy papa brother son husband boyfriend grandfather grandpa grandad granddad uncle nephew grandson"
    " stepfather stepdad stepson stepbrother father-in-law brother-in-law godfather godson ex-husband landlord fiancé"
)
_WOMEN = words.listed(
    "mother mom mum mummy mama sister daughter wife girlfriend grandmother grandma granny nan gran aunt auntie niece"
    " granddaughter stepmother stepmom stepdaughter stepsister mother-in-law sister-in-law godmother goddaughter"
    " ex-wife landlady fiancée midwife"
)
_SINGLE = (words.RELATIVES | words.ACQUAINTANCES | words.PETS) - words.listed(
    "parents siblings children kids grandparents in-laws family friends colleagues coworkers co-workers neighbours"
    " neighbors clients students twin ex lead dogs cats"
)
_SOMEBODY = re.compile(
    rf"\b(?:(?:[Mm]y|[Oo]ur|[Tt]he) (?P<kin>(?:[a-z-]+ ){{0,2}}?(?:{words.alternatives(_SINGLE)}))(?![\w'’-])"
    rf"(?:,? (?P<name>(?:(?:Mr|Mrs|Ms|Dr)\.? )?{CAPITAL}))?"
    rf"|(?P<parent>\b(?:[Mm]um|[Mm]om|[Dd]ad|[Gg]randma|[Gg]randpa|[Gg]ranny|[Gg]ran)\b(?!')(?! {CAPITAL}))"
    rf"|(?P<titled>(?:Mr|Mrs|Ms|Dr)\.? {CAPITAL})|(?P<bare>{CAPITAL}))"
)
_PLACED = re.compile(r"\b(?:in|at|near|around|into|to|from|the|an?|on|of|my|our) $", re.IGNORECASE)
_AS_A_PERSON = re.compile(r"'s (?:right|my|our|an?|sign|wife|husband|turn)\b| and (?:I|me)\b")


def _person_meant(before: str, pronoun: str) -> str | None:
    """The only person of the sentence so far, or of the one before."""
    for sentence in list(reversed(_SENTENCE.split(before)))[:2]:
        people = set(_people(sentence, pronoun))
        if people:
            return people.pop() if len(people) == 1 else None
    return None


def _people(text: str, pronoun: str) -> Iterator[str]:
    """Whom a text names that a pronoun could mean."""
    excluded = _WOMEN if pronoun.lower() in {"he", "him", "his"} else _MEN
    for found in _SOMEBODY.finditer(text):
        if found["bare"]:
            if _may_be_somebody(found, text):
                yield found["bare"]
        elif found["titled"]:
            yield found["titled"]
        elif (kin := found["kin"] or found["parent"].lower()).split()[-1] not in excluded:
            yield f"my {kin} {found['name'] or ''}".strip()


def _may_be_somebody(found: re.Match[str], text: str) -> bool:
    name = found["bare"]
    if not _is_name(name) or name in words.NOT_NAMES or name in words.TONGUES:
        return False
    if _is_first_name(name) or _AS_A_PERSON.match(text, found.end()):
        return True
    return found.start() > 0 and not _PLACED.search(text, 0, found.start()) and name[1:].islower()
