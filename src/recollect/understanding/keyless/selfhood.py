"""Names, age, birthday, places, tongue, pronouns and mail in the looser ways of saying them."""

import re
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher

from recollect.understanding.keyless import vocabulary as words
from recollect.understanding.keyless.found import ByOpening, Found, readings
from recollect.understanding.keyless.text import any_of, pattern

Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], Iterator[Found]]]

_COUNTRIES = frozenset(words.COUNTRIES) | {country.removeprefix("the ") for country in words.COUNTRIES}
_TONGUE = words.TONGUE
_DEMONYM = any_of(words.DEMONYMS)
_ALIKE = 0.6
_ADULT = range(3, 116)
_BIRTH = (
    r"(?P<v>(?:the )?\d{1,2}(?:st|nd|rd|th)?(?: of)? <MONTH>(?:,? \d{4})?|<MONTH> (?:the )?\d{1,2}(?:st|nd|rd"
    r"|th)?(?:,? \d{4})?|\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}(?:[./]\d{2,4})?)"
)
_ZONE = (
    r"(?P<v>(?:[Mm]ountain|[Pp]acific|[Ee]astern|[Cc]entral(?: European)?|[Aa]tlantic|[Aa]laska|[Hh]awaii)(?: standard"
    r"| daylight| summer)? [Tt]ime|(?:UTC|GMT)(?: ?[+-] ?\d{1,2}(?::\d\d)?)?|CET|CEST|EST|EDT|PST|PDT|MST|MDT|CST"
    r"|CDT|IST"
    r"|JST|AEST|AEDT|BST|NZST|NZDT|SGT|HKT|BRT|MSK|WAT|EAT|SAST|WET|EET|ET|PT|(?:Africa|America|Asia|Atlantic"
    r"|Australia|Europe|Indian|Pacific)/[A-Z][A-Za-z_]+)"
)
_MAIL = r"(?P<v>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
_PRONOUNS = r"(?P<v>(?:she|he|they|ze|xe|it|any)(?: ?/ ?(?:her|him|them|they|hers|his|theirs|zir|xem|its?))+)"
_GOING_ON = (
    r"(?=$|[,;:.!()–—]| (?:and|but|so|because|since|for|with|from|now|these|at|as|in|on|by|which|who|where|until|when"
    r"|while|or|to|here|nowadays|last|this|two|three|four|five|six|ten|originally|myself|though|yesterday|just|about"
    r"|again"
    r"|not|before|after|again|with|right|currently|most|all|part|half)\b)"
)


def _is_name(value: str) -> bool:
    return not any(part in words.NOT_NAMES or part in words.OPENING_WORDS for part in value.split())


def _name(match: re.Match[str]) -> Iterator[Found]:
    if _is_name(match["v"]):
        yield Found("identity", "name", match["v"])


def _named(match: re.Match[str]) -> Iterator[Found]:
    if match["v"][:1].isupper():
        yield from _name(match)


def _full_name(match: re.Match[str]) -> Iterator[Found]:
    if _is_name(match["v"]) and match["v"] not in _COUNTRIES:
        yield Found("identity", "full_name", match["v"])


def _called(match: re.Match[str]) -> Iterator[Found]:
    if _is_name(match["v"]):
        yield Found("identity", "preferred_name", match["v"])


def _respelled(match: re.Match[str]) -> Iterator[Found]:
    if SequenceMatcher(None, match["v"], match["w"]).ratio() > _ALIKE and _is_name(match["v"]):
        yield Found("identity", "name", match["v"], corrects=True)


def _age(match: re.Match[str]) -> Iterator[Found]:
    if int(match["v"]) in _ADULT:
        yield Found("identity", "age", match["v"])


_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_AGE_WORDS = rf"(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_ONES)}))?"


def _age_in_words(match: re.Match[str]) -> Iterator[Found]:
    ten, _, one = match["v"].replace(" ", "-").partition("-")
    years = 20 + 10 * _TENS.index(ten) + (_ONES.index(one) + 1 if one else 0)
    yield Found("identity", "age", str(years))


def _birthday(match: re.Match[str]) -> Iterator[Found]:
    day = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", match["v"])
    yield Found("identity", "birthday", re.sub(r"\b(?:the|of) ", "", day))


def _value(key: str) -> Callable[[re.Match[str]], Iterator[Found]]:
    def read(match: re.Match[str]) -> Iterator[Found]:
        yield Found("identity", key, match["v"].strip(" ,."))

    return read


def _place(key: str, eventful: bool = False) -> Callable[[re.Match[str]], Iterator[Found]]:
    def read(match: re.Match[str]) -> Iterator[Found]:
        place = match["v"]
        first, last = place.split()[0], place.split()[-1]
        if (
            {first, last} & words.NOT_PLACES
            or (key == "city" and place in _COUNTRIES)
            or first in _NO_CITY
            or place in _TOOLS
        ):
            return
        yield Found("identity", key, place, eventful)

    return read


_TOOLS = frozenset((*words.EDITORS, *words.SYSTEMS, *words.FRAMEWORKS, *words.DATABASES, *words.LANGUAGES))
_NO_CITY = words.TONGUES | words.listed(
    "The I He She A An My Covid COVID Christmas Easter Bed Business Trouble Luck Love Zoom PR HR IT QA R&D"
)
_RULES: tuple[Rule, ...] = (
    (
        pattern(
            r"I am (?:<ADV>)*(?P<v><CAP> (?:(?:van|von|de|da|der|del|di|al|bin|la|le) )?<CAP>)(?=$|,| and | again$)"
        ),
        _full_name,
    ),
    (
        pattern(
            r"my (?:legal|official|complete|birth|married|maiden|real|given) (?:full )?name is (?P<v><CAP> <NAME>)"
        ),
        _full_name,
    ),
    (pattern(r"(?:my |the )?name(?: is|'s) (?P<v><CAP>)(?=$|[,.!]| and | but | by the way)", re.IGNORECASE), _named),
    (pattern(r"I go by the name (?:of )?(?P<v><CAP>)"), _name),
    (
        pattern(r"full name(?: for (?:the|my|this) [\w ]{2,30})?(?: is|:) (?P<v><CAP> <NAME>)", re.IGNORECASE),
        _full_name,
    ),
    (
        pattern(
            r"(?:nobody|no one|only my \w+|hardly anyone|[Nn]obody|[Nn]o one|[Oo]nly my \w+) (?:ever |really "
            r"|actually )?(?:calls|says|uses) (?:me )?<CAP>(?: any ?more)?"
            r",? (?:it is|I am|I go by|so it is|so) (?:just )?(?P<v><CAP>)\b"
        ),
        _called,
    ),
    (
        pattern(
            r"(?:please )?(?:stick (?:to|with)|just|make it|use) (?P<v><CAP>)(?:,)? (?:please|is fine|will do|for "
            r"short|is enough)\b"
        ),
        _called,
    ),
    (
        pattern(
            r"(?P<v><CAP>) is (?:fine|enough|what (?:people|everyone|friends|everybody) calls? me|short for my "
            r"name)\b(?! (?:by|with|for) me)"
        ),
        _called,
    ),
    (pattern(r"my (?:legal|official|real|given|actual|proper|christian|first) name is (?P<v><CAP>)<END>"), _name),
    (
        pattern(
            r"(?:it is|that is|it is spelled|it is spelt|I am|my name is|spelled|spelt) (?P<v><CAP>)(?:,? (?:with"
            r"|spelled"
            r"|spelt|one|two|double) [^,]{1,30})?,? (?:and )?not (?P<w><CAP>)\b"
        ),
        _respelled,
    ),
    (
        pattern(
            r"(?:.{0,30}?\b)?(?:please |just |do |you can |you may |feel free to |everybody |everyone |friends "
            r"|people |mates |[Ee]very(?:one|body) (?:at|in|on|from) [\w ]{2,20} |Friends |People |Mates |folks "
            r"|Folks |they |most people )"
            r"+(?:just |also |all |usually |always )*(?:call|calls) me (?P<v><CAP>)<END>"
        ),
        _called,
    ),
    (
        pattern(
            r"I (?:<ADV>)*(?:answer to|go by|am better known as|am known as) (?P<v><CAP>)(?=$|,? (?:to|rather"
            r"|instead|not|if|these|in|at|for|among|day|with|online|everywhere)\b|,)"
        ),
        _called,
    ),
    (
        pattern(
            r"my (?:friends|family|colleagues|mates|team|coworkers)(?: all| just)? (?:call me|know me as) "
            r"(?P<v><CAP>)<END>"
        ),
        _called,
    ),
    (
        pattern(
            r"(?:please |and |it is |that is |I am |mine are |use |refer to me (?:as|with|using) |go with |my "
            rf"pronouns: )*{_PRONOUNS}"
            r"(?: pronouns)?(?:,? (?:for me|here|please|pronouns|always|if you could))*(?=$|,| not | when | and "
            r"(?:not|please))",
            re.IGNORECASE,
        ),
        _value("pronouns"),
    ),
    (pattern(r"(?:at|being|aged) (?P<v>\d\d),? I (?:am|have|do|still|cannot|feel|want|need)\b"), _age),
    (pattern(r"I (?:am|have|do|still|cannot|feel|want|need)\b.{3,60} at (?P<v>[2-9]\d)$"), _age),
    (
        pattern(
            r"I (?:am|have been|have just turned|have turned|have hit|just hit|recently hit|hit|reached) "
            r"(?:<ADV>)*(?:aged |age |the age of )?(?P<v>\d\d)(?= (?:not \d|and|but|next|myself|going on|with|so"
            r"|this)\b)(?! and a half| and counting)"
        ),
        _age,
    ),
    (pattern(rf"I (?:am|have|do|still|cannot|feel|want|need)\b.{{3,60}} at (?P<v>{_AGE_WORDS})$"), _age_in_words),
    (pattern(r"it is (?P<v><CAP>) with an? [A-Z]\b"), _name),
    (
        pattern(
            r"(?:to you|for you|to everyone(?: else)?|to my friends),? I am (?:just )?(?P<v><CAP>)(?=$|[,.]| and )"
        ),
        _called,
    ),
    (
        pattern(
            r"(?:.{0,60}, )?(?:so )?(?P<v><CAP>) to (?:my |all my |most )?(?:friends|mates|you|everyone"
            r"|everybody|people|pals)(?=$|[,.]| too)"
        ),
        _called,
    ),
    (
        pattern(r"I (?:<ADV>)*(?:run|work|live|operate|am|stay|keep) (?:to|on) (?P<v><PLACE>) time\b(?! off)"),
        _value("timezone"),
    ),
    (
        pattern(
            rf"(?:please )?(?:[Ss]et|[Pp]ut|[Nn]ote|[Ss]ave|[Ss]tore|[Rr]ecord)(?: down)? my time ?zone "
            rf"(?:down )?(?:as|to) {_ZONE}"
        ),
        _value("timezone"),
    ),
    (
        pattern(
            rf"(?:please )?[Uu]se {_MAIL} (?:(?:on|for) (?:the |my |all |any )?(?:invoices?|receipts?|bookings?"
            rf"|contact|everything|forms?|signature|tickets?)"
            r"|from now on|instead|in future|as my)"
        ),
        _value("email"),
    ),
    (pattern(rf"my (?:\w+ )?address(?: for [\w ]{{3,25}}?)? is (?:now |still )?{_MAIL}"), _value("email")),
    (pattern(r"as an? (?P<v>\d\d)[- ]year[- ]old\b"), _age),
    (
        pattern(
            rf"(?:my )?(?:date of birth|DOB|dob|birthday)(?: is|:| falls| lands|'s)*(?: on)? {_BIRTH}", re.IGNORECASE
        ),
        _birthday,
    ),
    (pattern(rf"I (?:<ADV>)*(?:turn|will turn|will be|am turning) \d\d on {_BIRTH}"), _birthday),
    (pattern(rf"(?:born|I was born)(?: in <PLACE>)?(?: on)? {_BIRTH}"), _birthday),
    (
        pattern(
            r"(?:I|we) (?:<ADV>)*(?:live|am living|are living|have lived|have been living|reside|am based|are based|am"
            r" settled|have settled|settled|stay|dwell|rent|rent a (?:flat|room|place|house|studio)|have a (?:flat"
            r"|house|place)"
            r"|own a (?:flat|house|place)|share a (?:flat|house))(?: (?:alone|together|with [\w ]{2,25}|here|happily"
            r"|full-time"
            r"|permanently|now))?(?: (?:up|down|out|over|just|right|way|back))?(?: (?:in|near|outside|around|out of)"
            r"| just"
            r" (?:outside|north of|south of|east of|west of))(?: (?:the )?(?:\w+ )?(?:suburbs?|outskirts|centre"
            r"|center|middle|heart)"
            rf" of)? (?P<v><PLACE>){_GOING_ON}"
        ),
        _place("city"),
    ),
    (
        pattern(rf"(?:my|our) (?:flat|apartment|house|place|home) is (?:\w+ )?(?:in|near) (?P<v><PLACE>){_GOING_ON}"),
        _place("city"),
    ),
    (
        pattern(
            r"(?:home|home base|my base|my home)(?: for me)?(?: is|'s)(?: now| currently| these days)? (?:in "
            rf")?(?P<v><PLACE>){_GOING_ON}"
        ),
        _place("city"),
    ),
    (
        pattern(
            r"I am (?:<ADV>)*(?:over |up |down |out )?in (?P<v><PLACE>)(?= (?:these days|nowadays|now|permanently)\b)"
        ),
        _place("city"),
    ),
    (
        pattern(
            r"we are (?:<ADV>)*(?:over |up |down |out )?in (?P<v><PLACE>)(?= (?:these days|nowadays|now|permanently"
            r"|since)\b)"
        ),
        _place("city"),
    ),
    (
        pattern(
            r"(?:I|we) (?:<ADV>|have )*(?:bought|rented|found|got|closed on|moved into) (?:an?|our|my|the) (?:\w+ "
            r"){0,2}(?:house|flat|apartment|place|condo|cottage|home) (?:up |down |out |over )?in (?P<v><PLACE>)<END>"
        ),
        _place("city", eventful=True),
    ),
    (pattern(r"I am an? (?P<v><CAP>)-based\b"), _place("city")),
    (pattern(r"I am an? (?P<v><PLACE>) resident\b"), _place("city")),
    (
        pattern(
            r"(?:I|we) (?:<ADV>|have |only |.{3,40}? and (?:only )?)*(?:moved|relocated|came|shifted|upped sticks"
            r"|emigrated)"
            r" (?:back |over |out |down |up |across |here )?(?:from <PLACE> )?to (?P<v><PLACE>)(?=$|,| (?:for (?:the"
            r"|my|a|work)|a"
            r" (?:month|week|year|few|couple)|two|three|four|five|six|ten|in (?:\d+|January|February|March|April|May"
            r"|June|July"
            r"|August|September|October|November|December)|last|this|yesterday|recently|with my|because)\b)"
        ),
        _place("city", eventful=True),
    ),
    (
        pattern(
            r"I (?:<ADV>)*(?:am (?:originally )?from|come from|hail from|grew up(?: \w+)?(?: in| near| outside| "
            r"around| just outside)|was raised"
            r"(?: in| near)|was born(?: and (?:raised|bred))? in|am born and (?:raised|bred) in|am a native of|was "
            r"brought up in)"
            r" (?P<v><PLACE>)(?= originally| myself|,? (?:but|and|though)\b|,|$)"
        ),
        _place("hometown"),
    ),
    (pattern(r"I am originally (?:from )?(?P<v><PLACE>)$"), _place("hometown")),
    (pattern(rf"my (?P<v>{_DEMONYM}) (?:passport|citizenship|nationality)\b"), _value("nationality")),
    (pattern(rf"I am (?:<ADV>)*(?:on |in )?{_ZONE}(?=$|[,.]| (?:so|and|all)\b)"), _value("timezone")),
    (pattern(r"(?:my )?home ?town(?: is|'s|:) (?P<v><PLACE>)", re.IGNORECASE), _place("hometown")),
    (pattern(r"originally I am from (?P<v><PLACE>)<END>", re.IGNORECASE), _place("hometown")),
    (pattern(r"I am (?:<ADV>)*(?:a )?(?P<v><PLACE>)(?: native$| born and (?:bred|raised)\b)"), _place("hometown")),
    (
        pattern(
            rf"I am (?:<ADV>)*(?:an? )?(?P<v>{_DEMONYM})(?: citizen| national)?(?= (?:living|by birth|myself|born"
            r"|working|based|originally|at heart)\b)"
        ),
        _value("nationality"),
    ),
    (
        pattern(
            rf"I am (?:<ADV>)*an? dual (?:citizen|national)(?:,|:| of)? (?P<v>{_DEMONYM}(?: and |/|-|, ){_DEMONYM})"
        ),
        _value("nationality"),
    ),
    (
        pattern(
            rf"I (?:have|hold) (?:dual )?(?P<v>{_DEMONYM}(?: and |/|-){_DEMONYM}) (?:dual )?(?:citizenship"
            r"|nationality|passports?)"
        ),
        _value("nationality"),
    ),
    (
        pattern(
            r"(?:I am (?:<ADV>)*|as )an? (?P<v>Finn|Swede|Dane|Pole|Turk|Scot|Spaniard|Brit|Kiwi|Aussie|Dutchman"
            r"|Frenchman|Irishman|Welshman|Serb|Croat|Slovak|Czech)(?=$|[,.]| (?:living|and|by|so|but|I|in|myself)\b)"
        ),
        _value("nationality"),
    ),
    (pattern(rf"as an? (?P<v>{_DEMONYM})(?: citizen| national| myself)?,? I\b"), _value("nationality")),
    (
        pattern(
            rf"(?:.{{0,20}}\b)?we (?:<ADV>)*(?:speak|talk) (?:<ADV>)*(?P<v>{_TONGUE}) (?:.*\bat home\b|with (?:the"
            r"|our) (?:kids|children"
            r"|family|little ones|boys|girls)|in (?:the|our) (?:house|family|household)|as a family|among ourselves)"
        ),
        _value("language"),
    ),
    (
        pattern(
            rf"(?P<v>{_TONGUE}) is (?:what we speak at home|the language (?:we speak )?at home|our home language|my "
            r"(?:first|native|mother|home) (?:language|tongue))"
        ),
        _value("language"),
    ),
    (pattern(rf"my (?:native|first|mother|home)(?: language| tongue)(?:'s| is) (?P<v>{_TONGUE})"), _value("language")),
    (
        pattern(
            r"I (?:<ADV>)*(?:was raised (?:in|speaking)|grew up (?:with|in a)|am a native|speak native|was brought "
            rf"up speaking) (?P<v>{_TONGUE})(?:$|[, ](?!food|cuisine|music|town|village))"
        ),
        _value("language"),
    ),
    (pattern(rf"I (?:am|work|live|operate|run|sit|am usually)(?: \w+)? (?:on|in) {_ZONE}\b"), _value("timezone")),
    (
        pattern(
            rf"(?:my )?(?:time ?zone|clock|clocks|calendar|computer)(?: is| says|:|'s| are)(?: set)?(?: on"
            rf"| to)? {_ZONE}",
            re.IGNORECASE,
        ),
        _value("timezone"),
    ),
    (
        pattern(
            r"(?:my |the )?(?:(?:best|preferred|main|personal|work|new|current|only|private|right|correct) "
            r")*(?:e-?mail|mail)"
            rf"(?: address)?(?: (?:for|to reach|to use for) me| I (?:use|check))?(?: is|:|'s)(?: now| still)? {_MAIL}",
            re.IGNORECASE,
        ),
        _value("email"),
    ),
    (
        pattern(
            r"(?:you can |please |just |I can be |I am )?(?:always |best )?(?:reach|email|e-mail|mail|contact|write"
            r"|write to|drop"
            r"|send (?:it|everything|that|things)|reached|reachable|contactable)(?: me)?(?: a line)?(?: to)? (?:at"
            rf"|on|via|under|by email at) {_MAIL}",
            re.IGNORECASE,
        ),
        _value("email"),
    ),
    (
        pattern(
            rf"{_MAIL} is (?:my|the best|where) (?:e-?mail|address|mail|inbox|way to reach me|to reach me|you can "
            r"reach me)",
            re.IGNORECASE,
        ),
        _value("email"),
    ),
)
_GUARD = re.compile(
    r"to friends|to you|[Ff]riends|nobody|[Nn]ame|[Hh]ome ?town|is fine|is enough|I |my |we |our |home|at \d\d|@"
    r"|/|[Bb]irth|born|DOB"
    r"|dob|call|name|spell|language|[Tt]ime|that is|it is|as an? "
)


_BY_OPENING = ByOpening(_RULES, lambda rule: rule[0])


def read(text: str) -> Iterator[Found]:
    """Who the speaker is and where they belong, however loosely a clause says it."""
    return readings(text, _GUARD, _BY_OPENING)
