"""Work and study told in the ways that name no trade we know: "X by trade", "I've been at Y since …", "my PhD at Z"."""

import re
from collections.abc import Callable, Iterator

from recollect.understanding.keyless import vocabulary as words
from recollect.understanding.keyless.found import ByOpening, Found, head, readings
from recollect.understanding.keyless.text import pattern

Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], Iterator[Found]]]

COMPANY = (
    r"(?P<v>(?:the )?(?:<CAP>|\d+<CAP>)(?:'s)?(?:(?: (?:&|and|of|for|de|der|des|du))?[ -](?:<CAP>|\d+)(?:'s)?){0,4})"
)
_FIRM = COMPANY.replace("?P<v>", "?P<firm>")
_TITLE = r"(?P<title>[a-zA-Z][\w/'&-]*(?: [\w/'&-]+){0,4}?)"
_AFTER = (
    r"(?=$|[,;:.!()–—]| (?:and|but|so|because|since|for|with|from|now|these|at|as|in|on|by|which|who|where|until"
    r"|when|while|or|to|over|out|here|nowadays|full-time|part-time|full time|part time|last|this|two|three|four|five"
    r"|six"
    r"|seven|eight|ten|yesterday|today|a|just|doing|back|about|almost|nearly|my|via|not|straight|right|every)\b)"
)
_LENGTH_OF_SERVICE = r"(?:for (?!a (?:walk|coffee|visit|day|bit of)|lunch|dinner|work|drinks|treatment)|since )"
_STUDENT = pattern(
    r"\b(?:students?|pupil|undergrad(?:uate)?|freshman|sophomore|postgrad(?:uate)?|PhD|phd|doctoral|master'?s|candidate"
    r"|fresher)\b"
)
_SCHOOL_WORD = pattern(r"\b(?:University|College|Institute|Academy|School|Uni|Gymnasium|Polytechnic|Law School)\b")
_NO_FIRM = words.listed(
    "Christmas Easter Thanksgiving Ramadan Home Work Uni Night Lunch Dinner Heart Peace Risk Once Last "
    "First Least Most Best Worst Present Times Chess Midnight Noon Costco Starbucks IKEA Target Trader "
    "Whole Disneyland Disney Glastonbury Wimbledon Heathrow Gatwick"
)


_LEVEL = re.compile(r"[A-Z]\d")


def employer(match: re.Match[str], eventful: bool = False) -> Iterator[Found]:
    """Where somebody works, unless the capital stands for a day, a name of no firm, or a school one studies at."""
    firm = match["v"].removeprefix("the ")
    first = firm.split()[0]
    if (
        first in _NO_FIRM
        or _LEVEL.fullmatch(firm)
        or (first in words.NOT_NAMES - words.DEMONYMS and " " not in firm)
        or firm in words.NOT_PLACES
    ):
        return
    yield Found("identity", "employer", match["v"], eventful)


def student(said: str) -> bool:
    """Whether a title is that of somebody who studies."""
    return _STUDENT.search(said) is not None


def _started(match: re.Match[str]) -> Iterator[Found]:
    if _SCHOOL_WORD.search(match["v"]) and match.groupdict().get("learns"):
        yield Found("identity", "school", match["v"], eventful=True)
        return
    yield from employer(match, eventful=True)


def _school(match: re.Match[str]) -> Iterator[Found]:
    if match["v"].split()[0] not in _NO_FIRM:
        yield Found("identity", "school", match["v"], eventful=True)


def _trade(match: re.Match[str]) -> Iterator[Found]:
    """A title in a frame that only titles stand in."""
    title = head(match["title"]).strip(" ,.")
    title = re.sub(r"^(?:\d+[- ]years?[- ]old|freelance(?= \w+ \w+ \w+)|an?|the|some|your) ", "", title)
    if title and not _NO_TITLE.match(title):
        yield Found("identity", "job", title)
    yield from _firm(match)


def _promoted(match: re.Match[str]) -> Iterator[Found]:
    for found in _trade(match):
        yield found._replace(eventful=True)


def _known_trade(match: re.Match[str]) -> Iterator[Found]:
    """A title without any frame, therefore only of a trade we know."""
    said = match["title"].lower().split()
    if words.is_trade(said[-1]) and not words.NOT_JOBS.intersection(said):
        yield Found("identity", "job", match["title"])


def _firm(match: re.Match[str]) -> Iterator[Found]:
    if (firm := match.groupdict().get("firm")) and firm.split()[0] not in _NO_FIRM:
        key = "school" if student(match["title"]) else "employer"
        yield Found("identity", key, firm)


def _taken_on(match: re.Match[str]) -> Iterator[Found]:
    for found in employer(match, eventful=True):
        yield found._replace(value=found.value.removeprefix("the "))
    if match["title"]:
        yield from _known_trade(match)


def _works_for(match: re.Match[str]) -> Iterator[Found]:
    """What one does "for" a capital is work if that is no person."""
    if match["v"].split()[0] not in words.FIRST_NAMES:
        yield from employer(match)


def _called_firm(match: re.Match[str]) -> Iterator[Found]:
    yield Found("identity", "employer", match["v"] or match["w"])


def _handles(match: re.Match[str]) -> Iterator[Found]:
    if match["firm"].split()[0] not in _NO_FIRM:
        yield Found("identity", "job", match["title"])
        yield Found("identity", "employer", match["firm"].removesuffix("'s"))


def _teaches(match: re.Match[str]) -> Iterator[Found]:
    yield Found("identity", "job", "teacher")
    if match["firm"]:
        yield Found("identity", "employer", match["firm"])


def _lectures(match: re.Match[str]) -> Iterator[Found]:
    yield Found("identity", "job", "lecturer")
    yield Found("identity", "employer", match["firm"])


def _drives(match: re.Match[str]) -> Iterator[Found]:
    yield Found("identity", "job", f"{match['v']} driver")
    if match["firm"]:
        yield Found("identity", "employer", match["firm"])


_NO_TITLE = pattern(
    r"(?:usual|normal|a team|team|one|it|that|this|much|possible|always|far|we|you|well|hell|if|though|part|usually"
    r"|required|needed|expected|intended|such|follows|smoothly|hard|expected|long|soon|little|many|before|consultant "
    r"to)\b"
)
_SUBJECTS = (
    r"(?:maths?|physics|chemistry|biology|history|geography|English|French|German|Spanish|music|art|drama|PE|science"
    r"|computer science|economics|philosophy|literature|woodwork|dance|reception|kindergarten|preschool|primary"
    r"|nursery|(?:high|middle|primary|secondary|elementary|grade|special) school|special ed(?:ucation)?|ESL|phonics"
    r"|[Yy]ear (?:\d+|one|two|three|four|five|six)|(?:first|second|third|fourth|fifth|sixth|\d\w\w) grade(?:rs)?"
    r"|\d(?:st|nd|rd|th)[- ]grade(?:rs)?|sixth form|toddlers|teenagers)"
)
_HANDLED = (
    r"(?:payroll|IT|support|marketing|QA|accounts|accounting|HR|logistics|research|data|security|sales|devops|UX|PR"
    r"|procurement|compliance|design|finance|admin|reception|operations|engineering|maintenance|the books"
    r"|customer \w+|tech(?:nical)? support|front desk|quality \w+)"
)
_RULES: tuple[Rule, ...] = (
    (pattern(rf"I am (?:<ADV>)*an? {_TITLE}(?:,)? by (?:trade|profession|training|day|occupation)\b"), _trade),
    (pattern(rf"(?!I\b|my\b){_TITLE}(?:,)? by (?:trade|profession)\b"), _trade),
    (pattern(rf"by (?:trade|profession|day|training),? I am (?:<ADV>)*(?:an? )?{_TITLE}{_AFTER}"), _trade),
    (
        pattern(
            rf"I (?:<ADV>)*(?:earn|make) (?:my|a) (?:living|money|keep|crust) as (?:an? |the )?{_TITLE}"
            rf"(?: (?:at|for|with) {_FIRM})?{_AFTER}"
        ),
        _trade,
    ),
    (pattern(rf"I am (?:<ADV>)*an? {_TITLE} for a living\b"), _trade),
    (
        pattern(
            r"I (?:<ADV>)*(?P<title>(?!do\b|eat\b|want\b|like\b|have\b|would\b)[a-z]+(?: [a-z]+){0,4}) for a living\b"
        ),
        _trade,
    ),
    (
        pattern(rf"(?:I|we) (?:<ADV>|have )*(?:got |been |was |were )?promoted to (?:an? |the )?{_TITLE}{_AFTER}"),
        _promoted,
    ),
    (
        pattern(
            r"(?P<title>(?:retired |ex-|former |freelance |self-employed )?[a-z]+(?: [a-z]+){0,2}) here$",
            re.IGNORECASE,
        ),
        _known_trade,
    ),
    (
        pattern(
            rf"(?:my day job|the day job|my job|my profession|my occupation|my job title|my title|my role|my trade)"
            rf"(?: these days| now| at {COMPANY})?(?: is|:) (?:as |that of |being |still )?(?:an? |the )?{_TITLE}"
            rf"(?: (?:at|for|with) {_FIRM})?$"
        ),
        _trade,
    ),
    (
        pattern(
            r"(?:I am|<NAME> here,|I am <NAME>,|I am <NAME>, \d\d,) (?:<ADV>)*(?:the )?(?P<title>(?:[Hh]ead|director"
            r"|Director|chief|VP|[Vv]ice president|lead|manager) of (?:the )?[\w-]+(?: (?!at|for|with|in)[\w-]+)?)"
            rf"(?: (?:at|for|with) {_FIRM})?{_AFTER}"
        ),
        _trade,
    ),
    (
        pattern(
            rf"(?:I am <NAME>|<CAP> here)(?:, \d\d)?,? (?:(?:and )?(?:an? |the ))?{_TITLE} (?:at|with) {_FIRM}{_AFTER}"
        ),
        _trade,
    ),
    (
        pattern(
            r"I (?:<ADV>|have )*(?:work|am|been|worked|started|am working|been working|am employed) (?:at|for|with) "
            rf"{_FIRM}(?: (?:now|yesterday|today|last \w+|for [\w ]{{2,20}}|since \w+))?,? as an? {_TITLE}{_AFTER}"
        ),
        _trade,
    ),
    (
        pattern(
            rf"I (?:<ADV>)*teach (?:<ADV>)*(?:{_SUBJECTS})(?: and {_SUBJECTS})?(?: [a-z]+)?"
            rf"(?: (?:at|in) {_FIRM}|(?= (?:at|in|to|for)\b)|$|(?=[,.]))"
        ),
        _teaches,
    ),
    (pattern(rf"I (?:<ADV>)*lecture(?: (?:in|on) [\w ]{{2,30}}?)? at {_FIRM}{_AFTER}"), _lectures),
    (
        pattern(
            r"I (?:<ADV>)*drive (?:an? |the )(?:\w+ )?(?P<v>lorry|truck|bus|taxi|tram|cab|train|ambulance|forklift"
            r"|school bus|tanker|HGV)(?: (?:in|around|out of|across) <PLACE>)? (?:for a living|for work"
            rf"|professionally|by day|full[- ]time|nights|(?:for|at|with) {_FIRM})"
        ),
        _drives,
    ),
    (
        pattern(
            r"I (?:<ADV>|have )*(?:been (?:working )?(?:at|with)|worked (?:at|for)|been employed (?:at|by)) "
            rf"{COMPANY} (?:now )?{_LENGTH_OF_SERVICE}"
        ),
        employer,
    ),
    (
        pattern(
            rf"I am (?:<ADV>)*(?:working )?(?:over )?(?:at|with) {COMPANY}(?=,? (?:now|these days|since|doing|where "
            r"we)\b)"
        ),
        employer,
    ),
    (
        pattern(rf"I (?:<ADV>)*work (?:[\w-]+ ){{0,3}}?(?:over |out |down |up )?(?:at|for|with) {COMPANY}{_AFTER}"),
        employer,
    ),
    (
        pattern(
            r"I (?:<ADV>|have )*(?:left <CAP>(?: <CAP>){0,2} for(?= <CAP>)|joined|(?:got|was|been) hired (?:by|at)"
            r"|start(?:ed)? (?:working |work |a new job "
            r"|my new"
            r" job |my job |a job )?(?:at|with|for)|took a (?:job|role|position) (?:at|with)|landed a (?:job|role) at"
            rf"|signed on with|got a (?:job|role|position) (?:at|with)) {COMPANY}{_AFTER}"
        ),
        _started,
    ),
    (
        pattern(
            r"I (?:<ADV>)*(?:lead|manage|head up|head|oversee|look after|handle|do|run|maintain|work in|am in) "
            rf"(?:the |our |all )?(?:[\w-]+ ){{0,3}}(?:{_HANDLED}|team|department|group|lab|unit|desk|kitchen|ward)"
            rf"(?: team| department| stuff| work)? (?:at|for) {COMPANY}{_AFTER}"
        ),
        employer,
    ),
    (
        pattern(
            rf"{COMPANY} (?:employs me|hired me|pays my (?:wages|salary|bills)|is (?:where I work|my employer|who I "
            r"work for))"
        ),
        employer,
    ),
    (
        pattern(
            rf"{COMPANY} (?:<ADV>|has )*(?:made me permanent|took me on|kept me on|gave me (?:a|my) (?:[\w-]+ )?"
            rf"(?:job|contract|role))\b"
            rf"(?:[^,]*, (?P<title>[a-z]+(?: [a-z]+){{0,2}}?)(?=$|,| (?:on|at|in|with)\b))?"
        ),
        _taken_on,
    ),
    (
        pattern(
            r"I (?:<ADV>)*(?:climb|fly|build|design|sell|repair|fix|test|weld|clean|code|translate|consult"
            r"|photograph|brew|survey|inspect|maintain"
            r"|service|develop|audit|recruit|edit|install|deliver|drive|pack|operate"
            r")"
            rf" (?:[a-z-]+ ){{0,3}}for {COMPANY}(?=$|[,.])"
        ),
        _works_for,
    ),
    (
        pattern(
            r"I (?:am |have been |<ADV>)*[a-z]+ing\b.{0,50}? (?:at|for) (?:an?|this) (?:[\w-]+ ){0,3}(?:startup"
            r"|start-up|company|firm|agency|studio"
            rf"|shop|bakery|nonprofit|charity|lab|bank|school|hospital|consultancy|place) (?:called"
            rf"|named) {COMPANY}{_AFTER}"
            rf"|I am (?:<ADV>)*living in <PLACE>, .{{0,40}} at an? \w+ (?:called|named) (?P<w><CAP>)"
        ),
        _called_firm,
    ),
    (
        pattern(
            rf"I (?:<ADV>)*(?:do|handle|run|manage) (?P<title>{_HANDLED}) (?:at|for) {_FIRM}(?:(?: "
            rf"(?:head office|headquarters|HQ|offices?|warehouse)"
            rf"(?: in <PLACE>)?)?{_AFTER})"
        ),
        _handles,
    ),
    (pattern(rf"my (?:employer|company|firm|workplace|boss's company),? {COMPANY},"), employer),
    (
        pattern(
            rf".*\b(?:came|come|moved|relocated|here|over|down|up)\b.{{0,40}} for (?:the|my|a|this) (?:new )?job "
            rf"(?:at|with) {COMPANY}{_AFTER}"
        ),
        employer,
    ),
    (
        pattern(
            r"I am (?:<ADV>)*(?:in|on|doing|finishing|starting|halfway through|midway through|at the end of) (?:my "
            r"|the )?"
            r"(?:(?:first|second|third|fourth|fifth|final|last|penultimate|freshman|sophomore|junior|senior|1st|2nd"
            r"|3rd|4th)"
            r"[ -])?(?:year|semester|term|trimester|PhD|phd|doctorate|master'?s|bachelor'?s|degree|MBA|MSc|BSc|BA|MA"
            rf"|apprenticeship|residency|postdoc)(?: degree)?(?: (?:in|of|on) [\w &-]{{2,40}}?)? at {COMPANY}{_AFTER}"
        ),
        _school,
    ),
    (
        pattern(
            r"I (?:<ADV>|have )*(?:started|began|begin|am doing|am starting|am finishing|am writing up|do|started on"
            r"|got into)"
            r" (?:my |an? |the )(?:[\w'-]+ )?(?:PhD|phd|doctorate|master'?s|bachelor'?s|degree|MBA|MSc|BSc|BA|MA|course"
            rf"|studies|undergrad)(?: degree)?(?: (?:in|of|on) [\w &-]{{2,40}}?)? at {COMPANY}{_AFTER}"
        ),
        _school,
    ),
    (
        pattern(
            r"I (?:<ADV>)*(?:study|am studying|am reading|read|am majoring in|major in|am enrolled|am getting my "
            r"degree)"
            rf"(?: (?!at\b)[\w&-]+){{0,5}}?(?: at| over at) {COMPANY}{_AFTER}"
        ),
        _school,
    ),
    (
        pattern(
            r"I am (?:<ADV>)*an? (?:[\w-]+ ){0,4}(?:student|undergrad|undergraduate|freshman|sophomore|fresher|pupil"
            r"|postgrad|PhD candidate|doctoral candidate|grad student|(?:junior|senior)(?= at (?:<CAP> "
            r")*(?:University|State"
            rf"|College|High)))(?: (?:in|of) [\w &-]{{2,30}}?)? at {COMPANY}{_AFTER}"
        ),
        _school,
    ),
)
_GUARD = re.compile(
    r"\b(?:trade|profession|professionally|occupation|living|job|title|role|head|[Dd]irector|VP|chief|lead|manager"
    r"|me|here|as|teach|drive"
    r"|at|with|for|by|employs|hired|employer|company|firm|workplace|crust)\b"
)


_BY_OPENING = ByOpening(_RULES, lambda rule: rule[0])


def read(text: str) -> Iterator[Found]:
    """Jobs, employers and schools that a clause tells of its speaker."""
    return readings(text, _GUARD, _BY_OPENING)
