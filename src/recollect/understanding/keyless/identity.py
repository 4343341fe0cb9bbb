"""Who the speaker is: names, age, places, work, family, as they are said in the first person."""

import re
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher

from recollect.understanding.keyless import household, livelihood, selfhood
from recollect.understanding.keyless import vocabulary as words
from recollect.understanding.keyless.found import ByOpening, Found, head, items, led, unfolded
from recollect.understanding.keyless.text import any_of, pattern

Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], Iterator[Found]]]

_COUNTRIES = frozenset(words.COUNTRIES) | {country.removeprefix("the ") for country in words.COUNTRIES}
_TOOL = pattern(any_of((*words.EDITORS, *words.SYSTEMS, *words.FRAMEWORKS, *words.DATABASES, *words.LANGUAGES)))


_TITLED = re.compile(r"(?:Dr|Mr|Mrs|Ms|Mx|Prof|Miss|Sister|Father)\.? (?=\S)")


def _is_name(value: str) -> bool:
    return not any(part in words.NOT_NAMES for part in _TITLED.sub("", value).split())


def _name(key: str) -> Callable[[re.Match[str]], Iterator[Found]]:
    def read(match: re.Match[str]) -> Iterator[Found]:
        if _is_name(match["v"]):
            yield Found("identity", key, match["v"])

    return read


def _announced(match: re.Match[str]) -> Iterator[Found]:
    """ "Thandiwe here, …": a name, unless an ordinary word opens the sentence ("Same here, …")."""
    if _is_name(match["v"]) and match["v"] not in words.OPENING_WORDS:
        yield Found("identity", "name", match["v"])


def _plain(key: str, eventful: bool = False) -> Callable[[re.Match[str]], Iterator[Found]]:
    def read(match: re.Match[str]) -> Iterator[Found]:
        yield Found("identity", key, match["v"].strip(" ,."), eventful)

    return read


def _place(key: str, eventful: bool = False) -> Callable[[re.Match[str]], Iterator[Found]]:
    def read(match: re.Match[str]) -> Iterator[Found]:
        place = match["v"]
        if place.split()[-1] in words.NOT_PLACES or place.split()[0] in words.NOT_PLACES:
            return
        if (key == "city" and place in _COUNTRIES) or _TOOL.fullmatch(place):
            return
        yield Found("identity", key, place, eventful)

    return read


def _age(eventful: bool = False) -> Callable[[re.Match[str]], Iterator[Found]]:
    def read(match: re.Match[str]) -> Iterator[Found]:
        age = match["v"].lower()
        number = int(age) if age.isdigit() else _AGES.get(age, 0)
        if 3 <= number <= 115:
            yield Found("identity", "age", str(number), eventful)

    return read


_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_ONES = {word: n for n, word in enumerate(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"], 1)}
_AGES = (
    _TENS
    | {f"{ten}-{one}": a + b for ten, a in _TENS.items() for one, b in _ONES.items()}
    | {
        word: n
        for n, word in enumerate(
            ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"], 13
        )
    }
)
_AGE = rf"(?P<v>\d{{1,3}}|(?:{'|'.join(_TENS)})(?:-(?:{'|'.join(_ONES)}))?|(?:thir|four|fif|six|seven|eigh|nine)teen)"


_AT_HOME = pattern(r"(?:stay-at-home|full-time) (?:dad|mum|mom|parent|mother|father)|homemaker")


def job_title(value: str) -> str | None:
    """A title if the phrase is one: its last noun is a known trade ("retired maths teacher")."""
    phrase = re.split(
        r" (?:at|for|with|in|from|of|who|and|on|based|by|since|these|working|employed|specializ\w+|specialis\w+"
        r"|living|here|to|now|so|though|but|-|–) ?",
        value,
    )[0].strip(" ,.")
    phrase = re.sub(r"^(?:\d+|[a-z]+)[- ]years?[- ]old (?:\w+ (?=\w+ \w+))?", "", phrase)
    said = phrase.lower().split()
    if _AT_HOME.fullmatch(phrase.lower()):
        return phrase
    if not said or len(said) > 5 or not words.is_trade(said[-1]) or words.NOT_JOBS.intersection(said[:-1]):
        return None
    return phrase


_OF_THE_DAY = re.compile(
    r"\b(?:tonight|today|tomorrow|this (?:time|week|weekend|evening)|for the (?:day|night"
    r"|evening))\b"
)


def _job(match: re.Match[str]) -> Iterator[Found]:
    said = match["v"].strip(" ,.")
    if _OF_THE_DAY.search(said):
        return
    title = job_title(said)
    whole = pattern(
        r"^(head|director|manager|vp|vice president|chief) of (?:[\w&-]+)(?: [\w&-]+)?", re.IGNORECASE
    ).match(said)
    if title or whole:
        yield Found(
            "identity", "job", whole.group() if whole else title or "", eventful=match.re.pattern.startswith("I got")
        )
        yield from _employer_in(said)


def _work_as(match: re.Match[str]) -> Iterator[Found]:
    title = head(match["v"])
    title = re.split(r" (?:at|for|in|of the|here|part-time|full-time|there|and) ", f"{title} ")[0].strip(" ,.")
    bare = match.group()[: match.start("v") - match.start()].endswith(" as ")
    if title and len(title.split()) <= 5 and not (bare and job_title(title) is None):
        yield Found("identity", "job", title)
    yield from _employer_in(match["v"])


def _employer_in(said: str) -> Iterator[Found]:
    found = pattern(
        r"(?: (?:at|for|with|employed by)) (?P<v>(?:the )?<CAP>(?:(?: (?:&|and|of|for|de)){0,1}[ -](?:<CAP>"
        r"|\d+)){0,4})<END>"
    ).search(f" {said}")
    if found and found["v"] not in words.NOT_PLACES:
        yield from _employer(found)


def _employer(match: re.Match[str]) -> Iterator[Found]:
    value = match["v"]
    if value.split()[0] in words.NOT_NAMES - words.DEMONYMS and len(value.split()) == 1:
        return
    if livelihood.student(match.string) or (re.search(r"\b(?:University|College)$", value) and "study" in match.string):
        yield Found("identity", "school", value)
        return
    yield Found("identity", "employer", value)


def _partner(match: re.Match[str]) -> Iterator[Found]:
    if _is_name(match["v"]) and not _PARTED.search(match.string):
        yield Found("identity", "partner", match["v"])


def _children(match: re.Match[str]) -> Iterator[Found]:
    for name in items(match["v"]):
        if pattern(r"<CAP>(?: <CAP>)?").fullmatch(name) and _is_name(name):
            yield Found("identity", "children", name)


def _counted_children(match: re.Match[str]) -> Iterator[Found]:
    yield Found("identity", "children", match["v"])


def _pets(match: re.Match[str]) -> Iterator[Found]:
    """Animals by their names, while they live."""
    if _DEAD.search(match.string) or _NO_ANIMAL.search(match.string):
        return
    for name in items(match["v"]):
        if pattern(r"<CAP>(?: <CAP>)?").fullmatch(name):
            yield Found("identity", "pets", name)


def _kept_pets(match: re.Match[str]) -> Iterator[Found]:
    """Animals without names: "a dog and two cats"."""
    for animal in items(match["v"]):
        last = animal.lower().split()[-1]
        if last in words.PETS:
            yield Found("identity", "pets", animal)


def _birthday(match: re.Match[str]) -> Iterator[Found]:
    yield Found(
        "identity", "birthday", re.sub(r"\b(?:the|of) ", "", re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", match["v"]))
    )


def _timezone(match: re.Match[str]) -> Iterator[Found]:
    yield Found("identity", "timezone", match["v"].strip())


_NO_ANIMAL = pattern(r"\b(?:robot|imaginary|virtual|toy|plush|stuffed|cartoon)\b")
_DEAD = pattern(r"\b(?:died|passed away|put (?:him|her|it|them|\w+) (?:down|to sleep)|late|used to have)\b")
_PARTED = pattern(
    r"^my \w+$|\b(?:not|no longer|stop \w+ \w+ as) (?:my|our)\b|\b(?:broke up|split up|divorc\w+|separated|ex"
    r"|late|died|expired|passed away|not together|no longer together"
    r"|left me|former|funeral|first (?:wife|husband))\b"
)
_ZONE = (
    r"(?P<v>[Mm]ountain time|[Pp]acific time|[Ee]astern time|[Cc]entral (?:European )?time"
    r"|[A-Z][a-z]+/[A-Z][A-Za-z_]+(?:/[A-Z]\w+)?|(?:UTC|GMT)(?: ?[+-] ?\d{1,2}(?::\d\d)?)?|(?:C|E|W|P|M)(?:E"
    r"|S|D)?(?:S|D)?T|IST|JST|AEST|AEDT|BST|NZST|SGT|HKT|BRT|MSK|WAT|EAT|SAST|(?:Pacific|Eastern|Central"
    r"|Mountain|Central European|Eastern European)(?: (?:Standard|Daylight|Summer))?(?: [Tt]ime)?)"
)
_BIRTH = (
    r"(?P<v>(?:the )?\d{1,2}(?:st|nd|rd|th)?(?: of)? <MONTH>(?:,? \d{4})?|<MONTH> (?:the )?\d{1,2}(?:st|nd|rd"
    r"|th)?(?:,? \d{4})?|\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}(?:[./]\d{2,4})?)"
)
_TONGUE = words.TONGUE
_PARTNER = any_of(words.PARTNERS)
_CHILD = (
    r"(?:(?:little|eldest|oldest|youngest|younger|older|middle|elder|baby|first|second|newborn|\w+-year-old"
    r"|only|adopted|teenage|step) )*(?:son|daughter|child|kid|baby|toddler|stepson|stepdaughter|boy|girl"
    r"|youngest|eldest|oldest|firstborn)"
)
_PET = rf"(?:(?:[\w-]+ ){{0,3}}{any_of(words.PETS)})"
_COMPANY = r"(?P<v>(?:the )?(?:<CAP>|\d+<CAP>)(?:(?: (?:&|and|of|for|de|der|des|du))?[ -](?:<CAP>|\d+)){0,4})"


def _school(match: re.Match[str]) -> Iterator[Found]:
    if match["v"][:1].isupper() or match["v"].startswith("the "):
        yield Found("identity", "school", match["v"])


def _relation(match: re.Match[str]) -> Iterator[Found]:
    """A partner without a name is kept by what they are to the speaker."""
    if not _PARTED.search(match.string):
        yield Found("identity", "partner", match["v"])


def _unnamed_pet(match: re.Match[str]) -> Iterator[Found]:
    """An animal that is only spoken of is kept by what it is, while it lives."""
    if not (_DEAD.search(match.string) or _NO_ANIMAL.search(match.string)):
        yield Found("identity", "pets", match["v"])


def _respelled(match: re.Match[str]) -> Iterator[Found]:
    """A name corrected by its spelling: the two must be alike."""
    if SequenceMatcher(None, match["v"], match["w"]).ratio() > 0.6 and _is_name(match["v"]):
        yield Found("identity", "name", match["v"], corrects=True)


def _driver(match: re.Match[str]) -> Iterator[Found]:
    yield Found("identity", "job", f"{match['v']} driver")
    yield from _employer_in(f"for{match['rest']}")


def _titled(match: re.Match[str]) -> Iterator[Found]:
    if title := job_title(match["v"]):
        yield Found("identity", "job", title)
        yield from _employer_in(match["v"])


def _begun(match: re.Match[str]) -> Iterator[Found]:
    for found in _titled(match):
        yield found._replace(eventful=True)


def _joined(match: re.Match[str]) -> Iterator[Found]:
    for found in _employer(match):
        yield found._replace(eventful=True)


def _tongue(match: re.Match[str]) -> Iterator[Found]:
    yield Found("identity", "language", match["v"].capitalize())


def _wed(match: re.Match[str]) -> Iterator[Found]:
    if _is_name(match["v"]):
        yield Found("identity", "partner", match["v"], eventful=True)


def _attended(match: re.Match[str]) -> Iterator[Found]:
    """Where one goes without saying what for is a school only if more than the name says so."""
    if match["v"] not in _COUNTRIES and match["v"].split()[0] not in words.NOT_PLACES | words.NOT_NAMES:
        yield Found("identity", "school", match["v"])


def _either_place(match: re.Match[str]) -> Iterator[Found]:
    if (place := match["v"] or match["w"]) not in _COUNTRIES and place.split()[0] not in words.NOT_PLACES:
        yield Found("identity", "city", place)


def _introduced(match: re.Match[str]) -> Iterator[Found]:
    """ "I am Beatriz, 34, pastry chef": an age and a trade behind a name."""
    if not _is_name(match["name"]):
        return
    if match["age"]:
        yield Found("identity", "age", match["age"])
    if match["v"] and (title := job_title(match["v"])):
        yield Found("identity", "job", title)


RULES: tuple[Rule, ...] = (
    (
        pattern(
            r"(?:I am|my name is|it is|this is) (?P<name><NAME>)(?: here)?,(?: (?:aged )?(?P<age>[1-9]\d)"
            r"(?: years old| yo)?(?=$|[,. ]))?"
            r",?(?: (?:and )?(?:an? )?(?P<v>[a-z][\w' -]{2,40}?)(?=$|,| (?:at|in|from|by|and|based|living|with)\b))?"
        ),
        _introduced,
    ),
    (
        pattern(
            r"(?P<name><CAP>) here,(?: (?P<age>[1-9]\d)(?=$|[,. ]))?,?(?: (?:an? )?(?P<v>[a-z][\w' -]{2,40}?)(?=$|,))?"
        ),
        _introduced,
    ),
    (pattern(r"I am (?P<v>[a-z]+)$"), _titled),
    (pattern(r"I am (?:<ADV>)*an? (?P<v>[^,.;:!?()]{2,60}?) (?:so|though|but) "), _titled),
    (
        pattern(
            r"I drive (?:an? )?(?P<v>HGV|lorry|bus|tram|train|ambulance|forklift|night bus)(?: (?:in|around"
            r"|out of) <PLACE>)?"
            r"(?P<rest>)(?=$|[,.;(]| \()"
        ),
        _driver,
    ),
    (
        pattern(r"my (?:first |given )?name(?: is| was)(?: actually| now| in fact| really)? (?P<v><NAME>)<END>"),
        _name("name"),
    ),
    (
        pattern(
            r"(?:my )?[Ff]ull (?:legal )?name(?: (?:for|on) (?:the|my|this) [\w ]{2,30}?)?(?: is|'s|:) "
            r"(?P<v><NAME>(?: <CAP>)?)"
        ),
        _name("full_name"),
    ),
    (
        pattern(r"my name is (?P<v><CAP>(?: <CAP>)*(?: (?:van|von|de|da|der|del|di|al|bin))? <CAP>)(?=$|[,.])"),
        _name("full_name"),
    ),
    (
        pattern(
            r"I am(?: called| named)? (?P<v><CAP>(?: <CAP>)?)(?=$|,| by the way| btw| and I | and my | "
            r"from | here|, and |[.!]| – | — | \()"
        ),
        _name("name"),
    ),
    (pattern(r"(?P<v><CAP>) is my name(?=$|,)"), _name("name")),
    (pattern(rf"(?P<v>{any_of(words.FIRST_NAMES)}) here(?=$|,)"), _name("name")),
    (pattern(r"(?P<v><CAP>) here, (?=[a-z])"), _announced),
    (pattern(r"(?:it is|this is) (?P<v><CAP>)(?: (?:here|speaking|again)(?=$|[,.!]))"), _name("name")),
    (pattern(rf"this is (?P<v>{any_of(words.FIRST_NAMES)})(?=$|[,.]| and )"), _name("name")),
    (
        pattern(r"(?:it is|my name is|I am) (?P<v><CAP>)(?: with an? [\w-]+)?,? (?:and )?not (?P<w><CAP>)$"),
        _respelled,
    ),
    (pattern(r"the name(?: is|'s) (?P<v><NAME>)<END>"), _name("name")),
    (
        pattern(
            r"(?:(?:please |just |always |from now on,? |going forward,? |in future,? )*call me|you "
            r"(?:can|may|should) (?:just |also )?call me|(?:most |my "
            r")?(?:people|everyone|everybody|[Ee]veryone|[Ee]verybody|[Pp]eople|friends|family"
            r"|colleagues)(?: \w+)? calls? me|<I>(?:go by|prefer to be called|prefer to go by|like to be "
            r"called|want to be called|would (?:like|prefer|rather) (?:you )?(?:to )?(?:be called|call "
            r"me)|am known as)|do call me|my nickname is|my friends call me) "
            r"(?P<v>(?:(?:Dr|Mr|Mrs|Ms|Mx|Prof|Miss|Sister|Father)\.? )?<CAP>(?: <CAP>)?)<END>"
        ),
        _name("preferred_name"),
    ),
    (pattern(r"my (?:preferred )?pronouns are (?P<v>\w+(?: ?/ ?\w+)+|\w+ and \w+)"), _plain("pronouns")),
    (
        pattern(
            r"<I>(?:use|go by|prefer) (?:the (?:pronouns )?)?(?P<v>(?:she|he|they|ze|xe|it|any)(?: ?/ "
            r"?\w+){1,2})(?: pronouns)?"
        ),
        _plain("pronouns"),
    ),
    (
        pattern(
            r"(?P<v>(?:she|he|they|ze|xe)/(?:her|him|them|hers|zir|xem)s?)(?:,? (?:please|pronouns))?$", re.IGNORECASE
        ),
        _plain("pronouns"),
    ),
    (
        pattern(
            rf"<AM>{_AGE}(?: years? old\b| years? (?:of age|young)| y/?o\b| yrs old|$|(?= and | but |, |\.| now$| "
            r"already$|,$| not (?:\d|an? )))"
        ),
        _age(),
    ),
    (pattern(rf"I am an? {_AGE}[ -]years?[ -]old"), _age()),
    (pattern(rf"my age is {_AGE}<END>"), _age()),
    (pattern(rf"I (?:just |recently |have just |finally |have )*turned {_AGE}\b"), _age(eventful=True)),
    (pattern(rf"my birthday(?: is|'s)(?: on)? {_BIRTH}"), _birthday),
    (pattern(rf"I was born (?:on )?{_BIRTH}"), _birthday),
    (pattern(rf"I (?:have my|celebrate my) birthday (?:is )?on {_BIRTH}"), _birthday),
    (
        pattern(
            r"(?:I|we) (?:(?:<ADV>)*live|(?:<ADV>)*reside|(?:am|are) (?:<ADV>)*(?:living|based|located"
            r"|settled|residing|home)|have (?:<ADV>)*(?:lived|been living|been based)) (?:<ADV>)*(?:alone "
            r"|together |here )?(?:in|near) (?:a \w+ in |downtown |central |north |south |east |west "
            r")?(?P<v><PLACE>)<END>"
        ),
        _place("city"),
    ),
    (
        pattern(
            r"(?:I|we) (?:<ADV>|have )*(?:moved|relocated) (?:back |over |out |down |up )?(?:(?:here "
            r")?from (?:<PLACE>) )?to (?P<v><PLACE>)<END>"
        ),
        _place("city", eventful=True),
    ),
    (pattern(r"I am (?:an? )[^,.;:!?]{3,60}? (?:based|living|residing) in (?P<v><PLACE>)<END>"), _place("city")),
    (
        pattern(
            r"(?:I|we) have been in (?P<v><PLACE>) (?:for (?!a (?:few )?(?:days?|hours?)|two (?:days"
            r"|hours)|an hour)|since\b|(?:\d+|\w+|several|many) (?:years|months)\b)"
        ),
        _place("city"),
    ),
    (pattern(r"(?P<v><PLACE>) has been (?:my |our )?home (?:for|since)\b"), _place("city")),
    (
        pattern(r"(?:I am|we are) (?:<ADV>|both |living )*in (?P<v><PLACE>)(?:, not <PLACE>)? since\b"),
        _place("city", eventful=True),
    ),
    (
        pattern(
            r"as an? [\w -]{2,30}? (?:living|based|residing|settled) in (?P<v><PLACE>)<END>"
            r"|as an? [\w -]{2,30}? (?:living|based) in (?P<w><PLACE>) I\b"
        ),
        _either_place,
    ),
    (pattern(r"I [\w ]{3,40} in (?P<v><PLACE>) \((?:I )?live (?:here|there)\b"), _place("city")),
    (
        pattern(r"my (?:home )?(?:city|home|home city|home town now|current city) is (?:now )?(?P<v><PLACE>)<END>"),
        _place("city"),
    ),
    (pattern(r"(?P<v><PLACE>) is (?:my home|where I (?:now |currently )?live)"), _place("city")),
    (pattern(r"<I>call (?P<v><PLACE>) home"), _place("city")),
    (
        pattern(
            r"I (?:have )?(?:<ADV>)*lived in (?P<v><PLACE>) (?:all my life|my (?:whole|entire) life|ever since"
            r"|since)\b"
        ),
        _place("city"),
    ),
    (
        pattern(
            r"(?:we (?:<ADV>|have )*left|(?:I|we) (?:<ADV>|have )*(?:swapped|traded)) <PLACE> for "
            r"(?P<v><PLACE>)<END>"
        ),
        _place("city", eventful=True),
    ),
    (pattern(rf"(?P<v>{any_of(words.DEMONYMS)}),? by (?:birth|passport|nationality)\b"), _plain("nationality")),
    (pattern(rf"{_ZONE}(?: time)? here(?=$|[,.])"), _timezone),
    (
        pattern(
            r"<I>(?:am (?:<ADV>)*from|come from|grew up in|was raised in|(?:was|am) born (?:and (?:raised"
            r"|bred|grew up) )?in|was brought up in|hail from|spent my (?:whole )?childhood in) (?:a "
            r"(?:small |little )?(?:village|town) (?:near|outside|in) )?(?P<v><PLACE>)<END>"
        ),
        _place("hometown"),
    ),
    (pattern(r"my (?:home ?town|place of birth|birthplace) is (?P<v><PLACE>)<END>"), _place("hometown")),
    (
        pattern(
            rf"<AM>(?:an? )?(?P<v>{any_of(words.DEMONYMS)})(?: citizen| national)?(?=$|[,.]| and | but | "
            r"by | originally| so )"
        ),
        _plain("nationality"),
    ),
    (pattern(rf"my nationality is (?P<v>{any_of(words.DEMONYMS)})"), _plain("nationality")),
    (
        pattern(rf"<I>(?:have|hold|got) (?:an? )?(?P<v>{any_of(words.DEMONYMS)}) (?:citizenship|passport|nationality)"),
        _plain("nationality"),
    ),
    (
        pattern(
            r"my (?:mother tongue|native (?:language|tongue)|first language|home language|mother "
            rf"language) is (?P<v>{_TONGUE})"
        ),
        _plain("language"),
    ),
    (
        pattern(rf"(?P<v>{_TONGUE}) is my (?:mother tongue|native (?:language|tongue)|first language)"),
        _plain("language"),
    ),
    (pattern(rf"I am a native (?:speaker of )?(?P<v>{_TONGUE})(?: speaker)?"), _plain("language")),
    (pattern(rf"I am a native (?P<v>(?i:{_TONGUE})) speaker"), _tongue),
    (
        pattern(
            rf"(?:I|we) (?:<ADV>)*(?:speak|talk|spoke|talked) (?P<v>{_TONGUE}) (?:at home|natively|as (?:a|my) (?:first"
            r"|native|mother)|with my (?:family|kids|children|parents))"
        ),
        _plain("language"),
    ),
    (pattern(rf"<I>grew up speaking (?P<v>{_TONGUE})"), _plain("language")),
    (pattern(rf"my (?:time ?zone|local time) is (?:the )?{_ZONE}"), _timezone),
    (pattern(rf"<AM>(?:in|on|at) (?:the )?{_ZONE}(?: time ?zone| time)?(?=$|[,.]| and | so | but )"), _timezone),
    (pattern(rf"(?:<I>(?:live|work) in|<AM>in) the {_ZONE}(?: time ?zone| time)"), _timezone),
    (
        pattern(
            r"I (?:am|have been) (?:now |currently |also |still |actually |working as |mostly |mainly )*(?:a|an|the"
            r"|one of the) "
            r"(?P<v>[^,.;:!?()]{2,80})"
        ),
        _job,
    ),
    (
        pattern(
            r"(?:I am (?:<NAME>|\d\d)(?: years old)?, (?:and )?(?:a|an|the)|<CAP> here, (?:an? |the "
            r")?(?=[a-z]))\s?(?P<v>[^,.;:!?()]{2,80})"
        ),
        _job,
    ),
    (
        pattern(
            r"I (?:<ADV>)*(?:work|am working|am freelancing|freelance|started|joined|am employed|have "
            r"started)\b[^;:!?()]{0,60}?,? (?:still |now )?as (?:a|an|the) (?P<v>[^,.;:!?()]{2,60})"
        ),
        _titled,
    ),
    (
        pattern(
            r"I drive (?:an? )?(?P<v>HGV|lorry|truck|bus|taxi|tram|cab|train|ambulance|forklift)s? (?:for"
            r"|at|with)\b(?P<rest>.*)"
        ),
        _driver,
    ),
    (pattern(r"as (?:a|an) (?P<v>[^,.;:!?()]{2,60}?),? (?:I|my|we)\b"), _job),
    (
        pattern(
            r"I am (?:now |currently )*(?P<v>(?:CTO|CEO|CFO|COO|VP|head|director|retired|unemployed"
            r"|self-employed|professor|principal)(?: of [\w ]{2,40}| at [^,.;:!?()]{2,60})?)(?=$|[,.])"
        ),
        _work_as,
    ),
    (
        pattern(
            r"<I>work (?:<ADV>)*(?:full-time |part-time |freelance |there )?as (?:(?:an?"
            r"|the) )?(?P<v>[^,.;:!?()]{2,80})"
        ),
        _work_as,
    ),
    (
        pattern(
            r"I am (?:now |currently |still )*(?:working|employed|freelancing) (?:full-time |part-time "
            r")?as (?:(?:an?|the) )?(?P<v>[^,.;:!?()]{2,80})"
        ),
        _work_as,
    ),
    (
        pattern(
            r"my (?:job|profession|occupation|day job|job title|role|current role|trade)(?: at <PLACE>)? "
            r"is (?:that of )?(?:a |an |being an? )?(?P<v>[^,.;:!?()]{2,80})"
        ),
        _titled,
    ),
    (
        pattern(
            r"I (?:<ADV>|have )*(?:got|accepted|took|landed|started) (?:a |an |the |my )?(?:new |first "
            r"|great )*(?:job|position|role) as (?:a |an |the )?(?P<v>[^,.;:!?()]{2,80})"
        ),
        _begun,
    ),
    (pattern(r"I (?:<ADV>|have )*became (?:a |an |the )?(?P<v>[^,.;:!?()]{2,60})"), _begun),
    (
        pattern(
            r"(?:<I>work|I am (?:<ADV>)*(?:working|employed)) (?:<ADV>)*(?:remotely |full-time |part-time "
            rf"|here )?(?:at|for|with|by) {_COMPANY}<END>"
        ),
        _employer,
    ),
    (pattern(rf"I am (?:<ADV>)*(?:at|with) {_COMPANY} (?:as|now|these days|doing|in the)\b"), _employer),
    (pattern(rf"<I>work in (?:[\w-]+ ){{1,3}}(?:at|for) {_COMPANY}<END>"), _employer),
    (
        pattern(
            r"I (?:<ADV>|have )*(?:joined|(?:have )?started (?:working )?(?:at|with)|started (?:a |my "
            r")(?:new )?(?:job|position|role) (?:at|with)|got (?:a |the |my )?(?:new )?job (?:at|with)"
            rf"|was hired (?:by|at)|moved over to) {_COMPANY}<END>"
        ),
        _joined,
    ),
    (pattern(rf"my (?:employer|company|current employer) is (?:called )?{_COMPANY}<END>"), _employer),
    (pattern(rf"{_COMPANY} is my (?:employer|new employer)"), _employer),
    (
        pattern(
            r"(?:<I>(?:study|go to(?: school at)?|attend(?! .* at ))|I am (?:<ADV>)*(?:studying|enrolled|finishing "
            r"my [\w' ]{2,30}|doing (?:a |my )[\w ]{2,30}|a (?:[\w-]+ ){0,3}student|in (?:my )?(?:first"
            r"|second|third|fourth|final|last|1st|2nd|3rd|4th) year)) (?:[\w ]{0,40}?)(?:at |in "
            r")?(?P<v>(?:the )?(?:<CAP> ){0,3}(?:University|College|Institute|Academy|School|Gymnasium|High|Primary"
            r"|State|Tech|Polytechnic|Uni"
            r"|High School)(?: of(?: the)? <CAP>(?: <CAP>){0,2})?|(?<=at )(?:the )?<CAP>(?: <CAP>){0,3}"
            r"|(?:MIT|ETH|ETH Zürich|ETH Zurich|UCLA|NYU|LSE|TU <CAP>|UC <CAP>|KTH|EPFL|Stanford|Harvard"
            r"|Yale|Oxford|Cambridge|Princeton))<END>"
        ),
        _plain("school", eventful=True),
    ),
    (
        pattern(
            r"(?:I am an? |I am in my )?(?:[Ff]irst|[Ss]econd|first|second|third|fourth|final|last|1st"
            r"|2nd|3rd|4th)[- ]year (?:[\w ]{0,40}?)(?:at|in) (?P<v>(?:the )?<CAP>(?:(?: of| the| for| "
            r"and){0,2} <CAP>){0,4})(?=$|[,.]| )"
        ),
        _school,
    ),
    (
        pattern(
            r"my (?:school|university|college|uni|alma mater) is (?:called )?(?P<v>(?:the )?<CAP>(?:(?: "
            r"of| the| for| and){0,2} <CAP>){0,4})<END>"
        ),
        _plain("school"),
    ),
    (
        pattern(
            rf"I (?:<ADV>)*go to (?P<v><CAP>(?: <CAP>){{0,2}}(?=, (?:[a-z-]+ )?(?:freshman|sophomore|junior"
            rf"|senior|fresher|first"
            rf"|second|third|final|major|stud|doing|reading))|{any_of(words.UNIVERSITIES)})\b"
        ),
        _attended,
    ),
    (
        pattern(
            r"(?P<v><CAP>) and I (?:<ADV>|have |are |got |have been |finally )*(?:married|engaged|hitched"
            r"|tied the knot|eloped)\b(?! with)"
        ),
        _wed,
    ),
    (pattern(r"(?:I|we) (?:<ADV>|have |am |are )*(?:got |been )?(?:married|engaged) to (?P<v><NAME>)<END>"), _partner),
    (
        pattern(
            r"I am (?:<ADV>)*(?:dating|seeing|in a relationship with) (?:an? \w+ (?:called|named) )?(?P<v><NAME>)<END>"
        ),
        _partner,
    ),
    (pattern(r"I (?:<ADV>)*married (?P<v><NAME>)<END>"), _partner),
    (
        pattern(
            rf"my {_PARTNER}(?:'s name is|, (?=<CAP>)| is (?:called|named)| is(?= <CAP>(?:$|,| and)))? "
            r"(?P<v><CAP>)(?! (?:<CAP>))<END>"
        ),
        _partner,
    ),
    (pattern(rf"my {_PARTNER},? (?P<v><CAP>)\b"), _partner),
    (
        pattern(
            rf"my (?P<v>{_PARTNER})\b(?! <CAP>|,? <CAP>|-|'s (?:family|mother|father|brother|sister|parents|name))"
        ),
        _relation,
    ),
    (pattern(rf"(?P<v><CAP>) is my {_PARTNER}\b"), _partner),
    (pattern(rf"<I>have an? {_PARTNER} (?:called|named) (?P<v><CAP>)"), _partner),
    (
        pattern(rf"(?:my|our) {_CHILD}(?:'s name is| is (?:called|named)|,| is(?= <CAP>(?:$|,)))? (?P<v><CAP>)\b"),
        _children,
    ),
    (
        pattern(
            r"(?:my|our) (?:two |three |four |five |\d )?(?:kids|children|sons|daughters|twins|boys"
            r"|girls)(?:'s? names)?(?: are)?(?: called| named)?,?:? (?P<v><CAP>(?:, <CAP>)*,? and <CAP>)"
        ),
        _children,
    ),
    (
        pattern(
            r"(?:I|we) (?:<ADV>)*have (?:a |an |one |two |three |four |five |\d )?(?:[\w-]+ ){0,3}(?:kids"
            r"|children|sons|daughters|twins|boys|girls|son|daughter|child|kid|baby)(?: and (?:a |an |one "
            r"|two )?(?:son|daughter|boy|girl))?(?: called| named|,|:|, called|, named) "
            r"(?P<v><CAP>(?:(?:, | and |, and )<CAP>)*)"
        ),
        _children,
    ),
    (
        pattern(
            rf"(?P<v><CAP>(?:(?:, | and |, and )<CAP>)*) (?:is|are) (?:my|our) (?:{_CHILD}|kids|children"
            r"|sons|daughters|twins)\b"
        ),
        _children,
    ),
    (
        pattern(
            r"(?:I|we) (?:<ADV>)*have (?P<v>(?:a|one|two|three|four|five|six|\d) (?:young |small |little "
            r"|grown-up |adult |teenage |grown )?(?:kids|children|sons|daughters|son|daughter))(?=$|[.!]| "
            r"and (?:I|we|a)| who | aged)"
        ),
        _counted_children,
    ),
    (
        pattern(
            r"(?:I am|we are) (?:<ADV>)*(?:a |the )?(?:proud )?(?:mother|father|mom|mum|dad|parent"
            r"|parents) (?:of|to) (?P<v>(?:two|three|four|five|six|\d)(?: (?:kids|children|boys|girls"
            r"|sons|daughters))?)"
        ),
        _counted_children,
    ),
    (
        pattern(
            rf"(?:my|our) (?:new |old |little )*{_PET}(?:'s name is| is (?:called|named)|,| is(?= "
            r"<CAP>(?:$|,)))? (?P<v><CAP>)\b"
        ),
        _pets,
    ),
    (
        pattern(
            rf"(?:my|our) (?:two |three |four |\d )?{_PET}(?: are)?(?: called| named)?,? (?P<v><CAP>(?:, "
            r"<CAP>)*,? and <CAP>)"
        ),
        _pets,
    ),
    (
        pattern(
            r"(?:I|we) (?:<ADV>|have )*(?:have|own|got|adopted|keep|rescued|bought) (?:a |an |one |two "
            rf"|three |\d |my )?{_PET}(?: and (?:a |an |one |two )?{_PET})?(?:,? (?:called|named|whose "
            r"name is|by the name of)|,|:) (?P<v><CAP>(?:(?:, | and |, and )<CAP>)*)"
        ),
        _pets,
    ),
    (
        pattern(
            r"(?:I|we) (?:<ADV>)*(?:have|own|keep) (?P<v>(?:an?|one|two|three|four|five|six|\d+) "
            rf"{_PET}(?:(?:,| and|, and) (?:an?|one|two|three|four|\d+) {_PET})*)(?=$|[,.!]| (?:and|at|but"
            r"|so|who|that|in)\b)"
        ),
        _kept_pets,
    ),
    (
        pattern(r"my (?:personal |work |private |new )?e-?mail(?: address)? is (?P<v>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"),
        _plain("email"),
    ),
    (pattern(r"(?:my )?e-?mail(?: address)?: (?P<v>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)", re.IGNORECASE), _plain("email")),
    (
        pattern(
            r"(?:you can )?(?:reach|email|e-mail|mail|contact|write to) me (?:at|on|via|under) "
            r"(?P<v>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
        ),
        _plain("email"),
    ),
)
_NEAREST: tuple[Rule, ...] = (
    (pattern(rf"(?:^|, |and )(?:my )?(?:birthday|date of birth|DOB|dob|born):? (?:is |on )?{_BIRTH}"), _birthday),
    (pattern(rf"\b(?:my|our) (?P<v>{_PARTNER})\b(?!,? <CAP>|-|'s)"), _relation),
    (pattern(rf"\b(?:my|our) {_PARTNER},? (?P<v><CAP>)\b"), _partner),
    (
        pattern(
            r"\b(?:[Mm]y|[Oo]ur) (?:(?:old|new|little|rescue) )*(?P<v>dogs?|cats?|puppy|kitten|hamster|rabbits?"
            r"|parrot|budgie|tortoise"
            r"|horse|hens|chickens|guinea pigs?)\b(?!,? \(?<CAP>|-|'s|s'| (?:is|are|called|named)(?: called"
            r"| named)? <CAP>"
            r"| (?:food|sitter|walker|bed|flap|person|people|sitting|show|hair)\b)"
        ),
        _unnamed_pet,
    ),
    (
        pattern(
            r"\b(?:my|our|the) (?:two |three |four )?(?:kids|children|sons|daughters|twins|boys|girls),? "
            r"(?P<v><CAP>(?:, <CAP>)*,? and <CAP>)"
        ),
        _children,
    ),
    (
        pattern(
            r"\b(?:my|our) (?P<v>(?:two|three|four|five|six|\d) (?:\w+ )?(?:kids|children|sons|daughters"
            r"|girls|boys))\b(?!,? <CAP>)"
        ),
        _counted_children,
    ),
    (
        pattern(
            rf"\b(?:a|the|one|two|three|four) {any_of(words.PETS)}(?: here)?,? (?:called |named "
            r")?(?P<v><CAP>(?:, <CAP>)*,? and <CAP>)"
        ),
        _pets,
    ),
    (pattern(rf"\b(?:my|our) {_CHILD},? (?P<v><CAP>)\b"), _children),
    (pattern(rf"(?<=\band )an? (?:[\w-]+ ){{0,2}}{any_of(words.PETS)},? (?:called|named) (?P<v><CAP>)\b"), _pets),
    (pattern(rf"\b(?:my|our) (?:[\w-]+ )?{any_of(words.PETS)},? (?:called |named )?(?P<v><CAP>)\b"), _pets),
)
"""Those nearest to the speaker, named wherever the clause names them."""


_ABOUT_ME = re.compile(
    r"\b(?:I|[Mm]y|[Ww]e|[Oo]ur|me|mine|is|here|name|trade|profession|a|the|by birth|by passport|year)\b|[@/]"
    r"|[Bb]irth|born|DOB|dob|[Hh]ome|'s "
)
_NEAR = re.compile(r"\b(?:my|our|the|an?|one|two|three|four)\b|born|DOB|dob|birth")
_BY_OPENING = ByOpening(RULES, lambda rule: rule[0])


def read(text: str) -> Iterator[Found]:
    """What a clause says about who its speaker is."""
    text = led(text)
    if _SOMEBODY_ELSES.search(text) and not _FIRST_PERSON.search(text):
        return
    seen: list[Found] = []
    for part in (text, *unfolded(text)):
        for found in _read(part):
            if found not in seen:
                seen.append(found)
                yield found


_FIRST_PERSON = re.compile(r"\b(?:I|[Mm]y|[Mm]e|[Ww]e|[Oo]ur)\b")
_SOMEBODY_ELSES = re.compile(r"\b(?:prefers|likes|lives|works|speaks|studies|Street|Avenue|e\.g\.)(?:\b|\s|$)")


def _read(text: str) -> Iterator[Found]:
    if _ABOUT_ME.search(text) is None:
        return
    main = [_titled_animal(found, text) for found in _main(text)]
    yield from main
    known = {found.key for found in main if not found.aside}
    for found in (*selfhood.read(text), *livelihood.read(text)):
        if found.key not in known:
            known.add(found.key)
            yield found
    for found in household.read(text):
        yield _titled_animal(found, text)


def _titled_animal(found: Found, text: str) -> Found:
    """An animal with the whole of its name: "Mister Tibbs" rather than "Mister"."""
    if found.key != "pets" or found.value not in words.TITLES:
        return found
    whole = pattern(rf"\b{found.value}\.? <CAP>").search(text)
    return found._replace(value=whole.group()) if whole else found


def _main(text: str) -> Iterator[Found]:
    for rule, reader in _BY_OPENING.of(text):
        if (match := rule.match(text)) is not None:
            yield from reader(match)
    for rule, reader in _NEAREST if _NEAR.search(text) else ():
        for match in rule.finditer(text):
            for found in reader(match):
                yield found._replace(aside=True)
