"""The rules of the same-fact test, in the order in which they are asked; the first that has a verdict gives it."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from recollect.understanding.same_fact.reading import DIRECTION, LEAVES, SETTLED, Date, Reading, Word, ends, expanded
from recollect.understanding.same_fact.verdict import Verdict
from recollect.understanding.same_fact.words import (
    ADJUNCTS,
    AFTERWARDS,
    BE,
    CAN_MODIFY,
    CHOSEN,
    CONDITIONS,
    COUNTRIES,
    DETERMINERS,
    FREQUENCIES,
    HAVE,
    MANY,
    MODALITIES,
    NEGATIONS,
    ONE_OF,
    SINGLE,
    TIMED,
    UNITS,
    canonical,
    word_set,
)


@dataclass(frozen=True)
class Pair:
    older: Reading
    newer: Reading
    similarity: float

    @cached_property
    def only_older(self) -> frozenset[str]:
        return self.older.bag - self.newer.bag - self.newer.about

    @cached_property
    def only_newer(self) -> frozenset[str]:
        return self.newer.bag - self.older.bag - self.older.about

    @cached_property
    def extra(self) -> frozenset[str]:
        return self.only_older | self.only_newer

    @cached_property
    def one_sided(self) -> bool:
        """Whether at most one of them says something that the other does not."""
        return not (self.only_older and self.only_newer)

    @cached_property
    def share(self) -> float:
        """How much of the longer one both say."""
        longest = max(len(self.older.bag), len(self.newer.bag), 1)
        return len(self.older.bag & self.newer.bag) / longest

    @cached_property
    def aligned(self) -> bool:
        """Whether both say the same of the same, numbers, dates and "not" aside."""
        return self.one_sided and len(self.extra) <= 2 and (self.share >= 0.5 or not self.extra)

    @cached_property
    def dates_clash(self) -> bool:
        one, other = self.older.dates, self.newer.dates
        return bool(one and other) and not any(_agree(a, b) for a in one for b in other)

    @cached_property
    def numbers_clash(self) -> str | None:
        """The label under which both have numbers, but others."""
        one, other = self.older.quantities, self.newer.quantities
        return next((label for label in one if label in other and not _near(one[label], other[label])), None)


def _agree(one: Date, other: Date) -> bool:
    return all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))


def _near(one: frozenset[float], other: frozenset[float]) -> bool:
    """Equal but for what floating point makes of a conversion."""
    return len(one) == len(other) and all(
        abs(a - b) <= 1e-6 * max(abs(a), abs(b)) for a, b in zip(sorted(one), sorted(other), strict=True)
    )


def _same(reason: str, pair: Pair) -> Verdict:
    dated = len(pair.older.dates) + len(pair.older.quantities) - len(pair.newer.dates) - len(pair.newer.quantities)
    more = (len(pair.only_older) - len(pair.only_newer), dated)
    return Verdict("same", reason, "older" if more > (0, 0) else "newer")


def _contradicts(reason: str) -> Verdict:
    return Verdict("contradicts", reason)


def _different(reason: str) -> Verdict:
    return Verdict("different", reason)


def _turned_round(pair: Pair) -> Verdict | None:
    """ "Tea is Alice's favourite drink" and "Alice's favourite drink is tea"."""
    older, newer = pair.older, pair.newer
    copulas = older.verb == newer.verb and older.verb in {"is", "are", "was"}
    plain = older.negative == newer.negative and not older.quantities and not newer.quantities
    named = not (_under_preposition(older) or _under_preposition(newer))
    if copulas and plain and named and older.about == newer.bag and newer.about == older.bag and older.bag:
        return _same("same fact in other words", pair)
    return None


def _under_preposition(reading: Reading) -> bool:
    """Whether "is" leads to a preposition: "is for Bob" names nothing that Bob is."""
    first = next((word for word in reading.said if word.term), None)
    return first is not None and bool(ADJUNCTS & set(first.gap))


def _other_subject(pair: Pair) -> Verdict | None:
    older, newer = pair.older, pair.newer
    if "?" in older.text + newer.text or bool(older.about) != bool(newer.about):
        return _different("about another")
    if older.heads != newer.heads or (older.people ^ newer.people and not _one_name(older, newer)):
        return _different("about another")
    apart = older.about - newer.about and newer.about - older.about
    if apart or (older.head != newer.head and not (older.people & newer.people)):
        return _different("about another")
    return None


def _one_name(older: Reading, newer: Reading) -> bool:
    """Whether one is called by more of the same name ("Alice", "Alice Miller"), or the heads agree."""
    some, more = sorted((older.people, newer.people), key=len)
    return some < more and (bool(some) or older.head == newer.head)


def _ended(pair: Pair) -> Verdict | None:
    """The newer one says that what the older one tells is over."""
    older, newer = pair.older, pair.newer
    if not ends(newer.text) or ends(older.text) or older.negative or older.tense == "past":
        return _left(pair)
    core = older.bag - {canonical(older.verb)}
    if older.bag <= newer.bag or (core and core <= newer.bag and _gave_up(older, newer)):
        return _contradicts("no longer")
    return _left(pair)


_GIVEN_UP = re.compile(
    r"\b(?:cancelled|canceled|gave up|given up|stopped|quit|dropped|unsubscribed|retired|resigned|moved)\b"
)
_HELD = word_set(
    "has have uses takes is works plays attends drinks eats subscribes goes lives studies runs smokes wants plans hopes"
    " aims intends"
)


def _gave_up(older: Reading, newer: Reading) -> bool:
    return older.verb in _HELD and bool(_GIVEN_UP.search(newer.lower))


def _left(pair: Pair) -> Verdict | None:
    """ "left Acme" ends "works at Acme", and says nothing about "likes Acme"."""
    frame = _frame(pair.older)
    if frame is None or frame.key not in {"employer", "school", "home"} or not LEAVES.search(pair.newer.lower):
        return None
    if pair.newer.words & NEGATIONS:
        return None
    return _contradicts("no longer") if frame.value <= pair.newer.bag and pair.older.tense == "present" else None


_AIMS = re.compile(r"\b(?:wants?|hopes?|plans?|aims?|intends?|would like|is going|will|dreams of)\b")
_CALLED_OFF = re.compile(
    r"\b(?:is|are) not going to\b|\bwill not\b|\bdecided (?:not to|against)\b|\bdoes not (?:want|plan) to\b"
)
_AIMING = frozenset(map(canonical, word_set("want hope plan aim intend dream decide like")))


def _called_off(pair: Pair) -> Verdict | None:
    """What was aimed at is not going to be done."""
    older, newer = pair.older, pair.newer
    if older.negative or not newer.negative or older.tense == "past" or not _AIMS.search(older.lower):
        return None
    core = older.bag - _AIMING
    if (
        not _CALLED_OFF.search(expanded(newer.text).lower())
        or not core
        or core != newer.bag - _AIMING
        or pair.dates_clash
    ):
        return None
    return _contradicts("called off")


def _negated(pair: Pair) -> Verdict | None:
    older, newer = pair.older, pair.newer
    if older.negative == newer.negative:
        return None
    alike = older.tense == newer.tense and _modality(older) == _modality(newer) and _conditions_agree(pair)
    if alike and _no_clash(pair) and (not pair.extra or _denies_part(pair)):
        return _contradicts("negated")
    return _different("one denies, of something else")


def _denies_part(pair: Pair) -> bool:
    """ "not allergic to nuts" against "allergic to nuts and milk"."""
    asserted = pair.newer if pair.older.negative else pair.older
    more = [word for word in asserted.said if word.term in pair.extra]
    return pair.extra <= asserted.bag and len(more) == 1 and "and" in more[0].gap


def _no_clash(pair: Pair) -> bool:
    return not pair.dates_clash and pair.numbers_clash is None and not pair.older.dates ^ pair.newer.dates


def _opposed(pair: Pair) -> Verdict | None:
    """ "sold" after "bought": both happened; "is closed" and "is open" cannot both be."""
    for here, there in ((pair.only_older, pair.only_newer), (pair.only_newer, pair.only_older)):
        if any(AFTERWARDS.get(term) in there for term in here):
            lasting = pair.older.lasting and pair.newer.lasting and len(pair.extra) == 2
            return _contradicts("opposite") if lasting else _different("opposite happenings")
    return None


def _swapped(pair: Pair) -> Verdict | None:
    """The same words with their places changed: who lent whom, what is preferred over what."""
    if pair.extra:
        return None
    older, newer = _operands(pair.older), _operands(pair.newer)
    if older and newer and older[0] & newer[1] and older[1] & newer[0]:
        if not pair.older.lasting:
            return _different("the other way round")
        return _contradicts("the other way round")
    return None


def _operands(reading: Reading) -> tuple[frozenset[str], frozenset[str]] | None:
    """What stands before and behind a word of direction: "tea" and "coffee" of "tea over coffee"."""
    text = reading.lower
    if "prefer" in text:
        text = re.sub(r"\bto\b", "over", text)
    marks = list(DIRECTION.finditer(text))
    if not marks:
        return None
    mark = marks[-1]
    left, right = text[: mark.start()], text[mark.end() :]
    if mark[1] == "from" and " to " in right:
        left, _, right = right.partition(" to ")
    return frozenset(map(canonical, re.findall(r"\w+", left))) - {""}, frozenset(
        map(canonical, re.findall(r"\w+", right))
    ) - {""}


@dataclass(frozen=True, slots=True)
class _Frame:
    """An attribute that has one value at a time."""

    key: str
    value: frozenset[str]
    name: bool
    event: bool
    """Told as a change: true ever after, so that a later value does not make it false."""


_VALUE = (
    r"(?P<value>[^,.;]+?)(?=,|\.|;|$"
    r"| (?:in|at|on|as|for|with|since|and|near|to|because|instead|from|during|by|who|which)\b)"
)
_FRAMES: tuple[tuple[str, re.Pattern[str], bool], ...] = tuple(
    (key, re.compile(rf"\b(?:{pattern}) (?:the |an? |her |his |their )?{_VALUE}"), event)
    for key, pattern, event in (
        ("home", "(?:lives?|living|resides?|is based|is located|is headquartered) in", False),
        ("home", "(?:moved|relocated) (?:\\w+ )?to|has moved to", True),
        ("employer", "(?:works?|working|is employed) (?:at|for|by)", False),
        ("employer", "(?:started|began) (?:working )?(?:at|for)|took a job at", True),
        ("spouse", "is married to", False),
        ("manager", "reports to", False),
        ("school", "studies at|goes to school at|is enrolled at", False),
        ("name", "is (?:called|named)", False),
        ("home page", "is hosted (?:on|at)", False),
        ("written in", "is written in", False),
    )
)
_CHOICE = re.compile(
    r"\b(?:decided (?:to use|to go with|on|for)|(?:has )?chosen?|picked|selected|went with|settled on|opted for|uses?)"
    r" (?P<value>[^,.;]+?) (?:as|for) (?:the |an? |her |his |their |its )?"
    r"(?P<role>[^,.;]+?)(?: instead| now)?(?:[.,;]|$)"
)
_JOINED = re.compile(r"\bjoined (?P<value>[^,.;]+?) as an?\b")
_WORKS_AS = re.compile(r"\bworks? as an? (?P<value>[^,.;]+?)(?=[,.;]|$| (?:in|at|for|on)\b)")


def _frame(reading: Reading) -> _Frame | None:
    plain = expanded(reading.text)
    if reading.tense == "future":
        return None
    if match := _WORKS_AS.search(reading.text):
        return _framed("occupation", match["value"], event=False)
    for key, pattern, event in _FRAMES:
        if match := pattern.search(plain):
            return _framed(key, match["value"], event=event)
    if match := _JOINED.search(plain):
        return _framed("employer", match["value"], event=True)
    if match := _CHOICE.search(plain):
        role = " ".join(sorted(map(canonical, re.findall(r"\w+", match["role"]))))
        return _framed(f"choice for {role}", match["value"], event=False)
    return None


def _framed(key: str, value: str, *, event: bool) -> _Frame:
    found = frozenset(term for word in re.findall(r"[\w+#]+", value) if (term := canonical(word.lower())))
    return _Frame(key, found, value[0].isupper(), event)


def _other_value(pair: Pair) -> Verdict | None:
    """Another value of an attribute that has one at a time."""
    if pair.older.negative or pair.newer.negative:
        return None
    older, newer = _frame(pair.older), _frame(pair.newer)
    if older and newer and older.key == newer.key:
        return _reframed(pair, older, newer)
    return _changed(pair) or _redecided(pair) or _attribute(pair) or _exclusive(pair)


def _reframed(pair: Pair, older: _Frame, newer: _Frame) -> Verdict | None:
    of_many = older.key == "name" and pair.older.head in MANY
    if older.value & newer.value or older.event or older.name != newer.name or of_many:
        return None
    if older.name and bool(older.value & _COUNTRY_TERMS) != bool(newer.value & _COUNTRY_TERMS):
        return _different("one place may lie in the other")
    told_apart = (pair.only_older - older.value) and (pair.only_newer - newer.value)
    if newer.event or (pair.older.tense == pair.newer.tense and not told_apart):
        return _contradicts("other value of the same attribute")
    return None


_COUNTRY_TERMS = frozenset(map(canonical, COUNTRIES))
_CHANGE = re.compile(r"\b(?:switched|changed|migrated|moved|went) from (?P<old>[^,.;]+?) to (?P<new>[^,.;]+)")
_INSTEAD = re.compile(r"\b(?:instead of|rather than|in place of) (?P<old>[^,.;]+)")


def _changed(pair: Pair) -> Verdict | None:
    """The newer one names the older one's value as what was left behind."""
    plain = expanded(pair.newer.text)
    match = _CHANGE.search(plain) or _INSTEAD.search(plain)
    if not match or not (pair.older.tense == "present" or SETTLED.search(pair.older.lower)) or pair.older.negative:
        return _instead(pair)
    left = frozenset(term for word in re.findall(r"[\w+#]+", match["old"]) if (term := canonical(word.lower())))
    verb = canonical(pair.older.verb)
    core = pair.older.bag - {verb} - _CHOOSING
    if _CHANGE.search(pair.older.text) or _INSTEAD.search(pair.older.text):
        return None
    return _contradicts("switched") if left and core and core <= left | pair.newer.bag and left & core else None


_CHOOSING = frozenset(map(canonical, word_set("decide use go choose pick select settle opt work live rely run host")))


def _instead(pair: Pair) -> Verdict | None:
    """ "decided to use MySQL instead" after "decided to use PostgreSQL"."""
    if not re.search(r"\binstead\b(?! of)", pair.newer.lower) or not pair.older.lasting:
        return None
    both = pair.older.bag & pair.newer.bag
    one_each = len(pair.only_older) <= 2 and len(pair.only_newer) <= 2
    return _contradicts("instead") if both & _CHOOSING and one_each and not pair.one_sided else None


_DECIDED_ONCE = re.compile(
    r"\b(?:decided|agreed|chose|settled) (?:to |on )?(?:spend|hold|host|go|travel|use|build|make|paint|deploy|run"
    r"|launch|ship|schedule|book|release|celebrate|name|call|start|store|write|move|put)"
)
_DEFINITE = re.compile(r"\b(?:the|this year's|next year's) (?P<thing>(?:[a-z]+ )?[a-z]+)\b")


def _redecided(pair: Pair) -> Verdict | None:
    """ "decided to spend the summer holiday in Brittany" after "… in Wales": one decision about one thing."""
    older, newer = pair.older.lower, pair.newer.lower
    few = 0 < len(pair.only_older) <= 2 and 0 < len(pair.only_newer) <= 2
    if not few or not _DECIDED_ONCE.search(older) or not _DECIDED_ONCE.search(newer):
        return None
    things = {match["thing"] for match in _DEFINITE.finditer(older)} & {
        match["thing"] for match in _DEFINITE.finditer(newer)
    }
    return _contradicts("decided otherwise") if things else None


def _attribute(pair: Pair) -> Verdict | None:
    """ "The database is PostgreSQL" and "The database is MySQL"; not "the room is big" and "the room is cold"."""
    older, newer = pair.older, pair.newer
    if older.verb != newer.verb or older.verb not in {"is", "are"} or pair.one_sided:
        return None
    subject = older.subject[-1] if older.subject else None
    if subject is None or subject.name or older.head in MANY or older.bag & newer.bag:
        return None
    named = _first_is_name(older) and _first_is_name(newer)
    if named or older.head in SINGLE or older.about & CHOSEN:
        return _contradicts("other name" if named else "other value of the same attribute")
    return None


def _first_is_name(reading: Reading) -> bool:
    first = next((word for word in reading.said if word.term), None)
    return first is not None and first.name


def _exclusive(pair: Pair) -> Verdict | None:
    """ "is vegetarian" and "is pescatarian", "prefers dark mode" and "prefers light mode"."""
    if len(pair.only_older) != 1 or len(pair.only_newer) != 1 or "a" in _article_before(pair):
        return None
    (one,), (other,) = pair.only_older, pair.only_newer
    if ONE_OF.get(one, -1) != ONE_OF.get(other, -2) or not (pair.older.lasting and pair.newer.lasting):
        return None
    states = pair.older.verb in BE or canonical(pair.older.verb) in _PREFERRING
    return _contradicts("other value of the same attribute") if states and pair.older.verb == pair.newer.verb else None


_PREFERRING = frozenset(map(canonical, word_set("prefers wants keeps needs must")))


def _article_before(pair: Pair) -> set[str]:
    """The articles in front of the words that differ, where the thing named is one of several."""
    if pair.older.verb in BE:
        return set()
    return {"a" for word in pair.older.said if word.term in pair.only_older and {"a", "an"} & set(word.gap)}


def _other_number(pair: Pair) -> Verdict | None:
    label = pair.numbers_clash
    if label is None:
        return None
    shown = f"{pair.older.shown[label]} / {pair.newer.shown[label]}"
    indefinite = re.search(r"\b(?:a|an|another) (?=\d)", pair.older.lower + " " + pair.newer.lower)
    lasting = pair.older.lasting and pair.newer.lasting and pair.older.tense == pair.newer.tense
    settles = lasting and pair.aligned and not pair.extra and not indefinite and not _dated_apart(pair)
    if label == "clock":
        settles = settles and _timed(pair.older)
    return _contradicts(f"other number: {shown}") if settles else _different(f"other number: {shown}")


def _dated_apart(pair: Pair) -> bool:
    return pair.dates_clash or bool(pair.older.dates ^ pair.newer.dates)


def _timed(reading: Reading) -> bool:
    """Whether it is about a thing that takes place at one time."""
    things = reading.subject and not reading.subject[-1].name
    born = "born" in reading.words or "birthday" in reading.words
    return born or (bool(things) and (reading.verb in BE | {"will"} or bool(reading.bag & TIMED)))


_MOVING = frozenset(
    map(canonical, word_set("move push postpone extend reschedule delay shift change slip bring forward back"))
)


def _moved(pair: Pair) -> Verdict | None:
    """ "The deadline moved to June" after "the deadline is in May": of one thing there is one date."""
    older, newer = pair.older, pair.newer
    if not pair.dates_clash or older.negative or newer.negative or not pair.extra or not pair.extra <= _MOVING:
        return None
    told = all(reading.verb in BE or reading.bag & _MOVING for reading in (older, newer))
    named = older.subject and not older.subject[-1].name
    return _contradicts("other date") if told and named else None


def _other_date(pair: Pair) -> Verdict | None:
    if not pair.dates_clash:
        return None
    lasting = pair.older.lasting and pair.newer.lasting
    settles = lasting and not pair.extra and _timed(pair.older) and _timed(pair.newer)
    return _contradicts("other date") if settles else _different("other date")


def _other_tense(pair: Pair) -> Verdict | None:
    if pair.older.tense != pair.newer.tense:
        return _different(f"{pair.older.tense} / {pair.newer.tense}")
    return None


def _other_mood(pair: Pair) -> Verdict | None:
    if _modality(pair.older) != _modality(pair.newer):
        return _different("other certainty or duty")
    if not _conditions_agree(pair) or not _frequencies_agree(pair):
        return _different("under another condition")
    return None


def _modality(reading: Reading) -> frozenset[str]:
    duty = "has to" in reading.lower or "have to" in reading.lower
    found = {kind for kind, words in MODALITIES.items() if reading.words & words}
    return frozenset(found | ({"must"} if duty else set()))


def doubtful(reading: Reading) -> bool:
    """Whether it is said with doubt."""
    return "may" in _modality(reading)


_DOUBTING = frozenset(map(canonical, MODALITIES["may"] | word_set("consider think")))


def settles(pair: Pair) -> bool:
    """Whether the newer says for sure what the older one left open, or that it is not so."""
    older, newer = pair.older, pair.newer
    if not doubtful(older) or doubtful(newer) or older.negative or pair.dates_clash or _other_subject(pair):
        return False
    core = older.bag - _DOUBTING
    return bool(core) and core <= newer.bag


def _conditions_agree(pair: Pair) -> bool:
    return pair.older.words & CONDITIONS == pair.newer.words & CONDITIONS


def _frequencies_agree(pair: Pair) -> bool:
    one, other = pair.older.words & FREQUENCIES, pair.newer.words & FREQUENCIES
    return not (one and other) or bool(one & other)


def _other_verb(pair: Pair) -> Verdict | None:
    """ "has a doctor" is not "is a doctor", though "has an allergy" is "is allergic"."""
    verbs = {pair.older.verb, pair.newer.verb}
    if not (verbs & HAVE and verbs & BE) or pair.older.tense == "past":
        return None
    said = (*pair.older.said, *pair.newer.said)
    forms = {word.text.lower().rstrip("s") for word in said if word.term}
    return None if len(forms) > len(pair.older.bag | pair.newer.bag) else _different("is / has")


def _told_again(pair: Pair) -> Verdict | None:
    """The words agree: the same, or the same with more detail."""
    older, newer = pair.older, pair.newer
    if not pair.one_sided:
        names = any(word.name and word.term in pair.extra for word in (*older.said, *newer.said))
        return _different("other name" if names else "something else is said")
    if not (older.bag & newer.bag) and (older.bag or newer.bag):
        return _different("something else is said")
    if _counts_apart(pair) or _roles_apart(pair):
        return _different("told of other things")
    if not pair.extra:
        return _same("same fact in other words", pair)
    return _same("same fact in more detail", pair) if _only_detail(pair) else _different("told more narrowly")


def _counts_apart(pair: Pair) -> bool:
    """A bare count that only one of them has: "a cat" and "two cats"."""
    one, other = pair.older.quantities, pair.newer.quantities
    dimensions = {dimension for dimension, _ in UNITS.values()} | {"clock"}
    return any(label not in dimensions for label in one.keys() ^ other.keys())


def _roles_apart(pair: Pair) -> bool:
    """Whether the shared names stand in another order or behind another direction."""
    older, newer = pair.older, pair.newer
    orders = [[word.term for word in reading.said if word.name and word.term in pair.newer.bag & pair.older.bag]
              for reading in (older, newer)]  # fmt: skip
    joined = "and" in older.words and "and" in newer.words
    moved = orders[0] != orders[1] and not joined and not older.passive and not newer.passive
    facing = [_facing(older), _facing(newer)]
    turned = any(facing[0][term] != facing[1][term] for term in facing[0].keys() & facing[1].keys())
    owners = [{word.term for word in reading.said if word.owner} for reading in (older, newer)]
    shared = pair.older.bag & pair.newer.bag
    return moved or turned or bool((owners[0] ^ owners[1]) & shared and not pair.extra and older.verb == newer.verb)


_FACING = word_set("from to for against behind under above")


def _facing(reading: Reading) -> dict[str, str]:
    """Which way each word lies: "from Rome", "to Rome", "for Rome"."""
    words = (*reading.subject, *reading.said)
    return {word.term: min(_FACING & set(word.gap)) for word in words if _FACING & set(word.gap)}


def _only_detail(pair: Pair) -> bool:
    """Whether what one says beyond the other only adds to it: where, with whom, since when."""
    longer = pair.older if pair.only_older else pair.newer
    if longer.negative or len(pair.extra) > _most_detail(pair.similarity):
        return False
    said = longer.said
    first = next((word for word in said if word.term and not _modifies(word)), None)
    if first is not None and first.term in pair.extra:
        return False
    return all(_adds(said, place, pair.extra) for place, word in enumerate(said) if word.term in pair.extra)


def _most_detail(similarity: float) -> int:
    """How many words one may have beyond the other: the nearer the embedder puts them, the more."""
    return 4 if similarity >= 0.92 else 3 if similarity >= 0.85 else 1


def _modifies(word: Word) -> bool:
    """Whether a word only colours what follows: "a big dog", "usually works"."""
    low = word.text.lower()
    return (low in CAN_MODIFY and bool(DETERMINERS & set(word.gap))) or low.endswith("ly") or low in FREQUENCIES


def _adds(said: tuple[Word, ...], place: int, extra: Iterable[str]) -> bool:
    """Whether a word stands behind a preposition, is an adverb, or belongs to a phrase that does."""
    word = said[place]
    if _modifies(word):
        return True
    if {"and", "or"} & set(word.gap):
        return not word.name
    if ADJUNCTS & set(word.gap) or "," in word.gap:
        # "in the garden shed" adds a place; "in the big Rome office" changes what "Rome office" was.
        following = said[place + 1] if place + 1 < len(said) else None
        return following is None or bool(following.gap) or not following.term or following.term in extra
    return place > 0 and said[place - 1].term in extra and not set(word.gap) and _adds(said, place - 1, extra)


RULES: tuple[Callable[[Pair], Verdict | None], ...] = (
    _turned_round, _other_subject, _ended, _called_off, _negated, _opposed, _swapped, _other_value, _other_number,
    _moved, _other_date,
    _other_tense, _other_mood, _other_verb, _told_again,
)  # fmt: skip
