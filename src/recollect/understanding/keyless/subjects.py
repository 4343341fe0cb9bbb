"""Clauses put into plain order: what stands before the subject moved behind it, a subject left out put back."""

import re

_TRAILERS = re.compile(
    r"(?:,? (?:btw|by the way|tbh|to be honest|lol|haha+|honestly|though|too|as well|anyway|actually|fwiw"
    r"|fyi|thanks|thank you|thx|just so you know|period|full stop|if that helps|if it helps|if that "
    r"matters|if it matters|for what it is worth|either|obviously|of course"
    r"|I am afraid|unfortunately|sadly|luckily|sorry|that is all|and that is that))+$",
    re.IGNORECASE,
)
_FRONT = re.compile(
    r"^(?P<front>someday|one day|eventually|yesterday|tomorrow|(?:by |before |until |at |from )?the (?:very )?(?:end"
    r"|start|beginning|middle) of (?:the|this|next) [^,;: ]{3,10}|(?:since|in|on|at(?! most| least)|for|by|after|before"
    r"|during|from|until|last|next|this|yesterday|tomorrow|back in|as of|every|when it comes to|with|one|two|three"
    r"|four|five"
    r"|six|ten|a|\d+) [^,;:]{1,40}?),? (?P<rest>(?:I|my|we|our|the)\b (?!\w+ (?:has to|must|cannot|may|needs"
    r" to)\b).+)$",
    re.IGNORECASE,
)
_NOT_A_FRONT = re.compile(
    r"\b(?:I|my|we|our|that|which|who|if|when|whenever|because|you|your|is|are|was|has|have|had|will|must"
    r"|can|now on|future|time|and)\b|\b(?:with|of|to|from|by|for|at|in|on|about|between)$"
)
_SINCE_MINE = re.compile(r"^since (?:my|our) ", re.IGNORECASE)
_COUNTED = re.compile(r"(?:this|one|two|three|four|five|six|ten|an?|\d+) ", re.IGNORECASE)
_TIME = re.compile(
    r"\b(?:year|month|week|day|morning|evening|afternoon|night|weekend|spring|summer|autumn|fall|winter|quarter|time"
    r"|ago"
    r"|semester|term|season|decade|\w+day|January|February|March|April|May|June|July|August|September|October|November"
    r"|December)s?\b"
)
_WORLD = re.compile(r"^[Ii]n (?:the (?:game|show|book|sims)\b|[A-Z]\w+(?: \w+){0,2}$)")
_MONTHS = re.compile(r"January|February|March|April|May|June|July|August|September|October|November|December")
_STATES = (
    "(?:deathly |severely |highly |very |badly |mildly )?allergic to|vegetarian|vegan|lactose intolerant"
    "|diabetic|coeliac|celiac|married (?:to|with|for)|divorced|retired|pregnant|diagnosed with|based in"
    "|born (?:in|on|and)|originally from|fluent in"
    "|single (?:mum|mom|dad)|self-employed|unemployed|colou?r-?blind"
)
_DOINGS = (
    r"trying|planning|hoping|aiming|training|saving|going with|sticking with|moving to|working (?:at|as"
    r"|for)|running (?:windows|linux|macos|ubuntu|fedora|arch|debian|nixos)|living in|learning|expecting"
    r"|getting married|turning \d|studying|flying (?:out |back |home )?to|starting (?:at|a new|my)|doing (?:my|an?) "
    r"(?:phd|PhD|masters?|degree|MBA"
    r"|apprenticeship|residency)|heading (?:off |out )?to|off to|going for the|travelling to|traveling to|moving "
    r"(?:in|out|house)"
    "|currently (?:living|working|studying)|switching|dropping|thinking (?:of|about)|considering"
)
_KIN = (
    "grandad|granddad|gran|granny|nan|nana|auntie|aunt|uncle|cousin|nephew|niece|dad|mum|mom|wife|husband|partner"
    "|landlord"
    "|boss|sister|brother|grandma|grandpa|girlfriend|boyfriend|daughter|son"
)
_ELIDED: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(source, re.IGNORECASE), subject)
    for source, subject in (
        (r"^not (?=(?:a (?:big |huge )?fan|vegan|vegetarian|allergic|into|keen|fond)\b)", "I am not "),
        (rf"^(?=(?:{_STATES})\b)", "I am "),
        (rf"^(?=(?:{_DOINGS})\b(?! [\w ]{{1,30}} (?:has|is|was|can|helps|takes|will|makes|feels)\b))", "I am "),
        (
            r"^(?:cannot|can not) (?=(?:stand|bear|eat|drink|drive|lift|swim|have (?:dairy|gluten)|do|tolerate|fly)\b)",
            "I cannot ",
        ),
        (r"^do not (?=(?:eat|drink|drive|smoke|like|love|enjoy|own|care for) (?!it\b|this\b|that\b))", "I do not "),
        (r"^(?=would (?:like|love|rather|prefer) to\b)", "I "),
        (
            r"^(?=(?:love|hate|prefer|dislike|adore|loathe|detest) (?!it\b|this|that|you|the\b|all the|and\b|his\b"
            r"|her\b"
            r"|their\b|how\b|what\b|these|those|them|to (?:see|hear)))",
            "I ",
        ),
        (
            r"^(?=been (?:an? |on |in |at |vegan|vegetarian|living|working|studying|married|sober|using"
            r"|playing|learning|training)\b)",
            "I have ",
        ),
        (
            r"^(?=not (?:going to (?!be|lie|happen)|(?:renewing|buying|selling|taking|having|doing) (?!it|this|that"
            r"|the\b))\w)",
            "I am ",
        ),
        (r"^(?=(?:big|huge|massive|lifelong) fan of\b)", "I am a "),
        (r"^(?=(?:not big on|obsessed with|addicted to|not really into|sober since)\b)", "I am "),
        (r"^(?=from (?-i:[A-Z])\w+(?: (?-i:[A-Z])\w+)?$)", "I am "),
        (r"^(?=deadline is\b)", "the "),
        (r"^got (?=(?:a|an|two|three|four|five) )", "I have "),
        (r"^no (?=(?:kids|children|pets|car|siblings)$)", "I have no "),
        (
            r"^(?=(?:favou?rite|fave|full name|goal|aim|target|dream|ambition|plan|budget|pronouns"
            r"|birthday|timezone|email)(?: [\w .-]{1,40}?)? (?:is|are)\b)",
            "my ",
        ),
        (
            rf"^(?=(?:{_KIN})(?:'s (?:name|birthday))?(?: \(\w+\))?(?: \w+)? (?:is|has|was|also|does|will"
            r"|lives|works|just|got|had|loves|hates|turned|turns|moved|started|died|retired|says|broke|fell|cannot"
            r"|needs|went"
            r"|came|comes|arrives|starts|speaks|plays|teaches|runs|bought|sold|left|lost|passed)\b)",
            "my ",
        ),
        (
            r"^(?=(?:divorce|offer|mortgage|visa|promotion|results?|diagnosis|loan|operation|op|surgery|scan|biopsy"
            r"|appointment|wedding|funeral|exam|interview|notice period|lease|flight|due date|forms|paperwork"
            r"|application)(?: (?:from|for|with|in|at) "
            r"[\w ]{2,30}?)? (?:came|went|is|was|got|has|starts|runs|ends)\b)",
            "my ",
        ),
        (r"^never (?=(?:learned to|learnt to|been (?:to|on)|owned|smoked|driven)\b)", "I have never "),
        (
            r"^(?=(?:discharged|raised|promoted|diagnosed|laid off|made redundant|accepted|hired|elected|awarded"
            r"|cleared"
            r"|transferred|released)"
            r" (?:in|from|to|with|as|by|at|last|yesterday|on|into)\b)",
            "I was ",
        ),
        (r"^(?=(?:also )?into (?:[\w-]+ ?){1,3}$)", "I am "),
        (r"^(?=(?:prod|production|staging|backend|frontend) (?:runs|uses|is (?:on|in|hosted|written))\b)", "our "),
        (
            r"^they (?:have |just |finally |had )*(?=(?:taken|put|made|given|offered|moved|hired|promoted|diagnosed"
            r"|named|fired"
            r"|accepted|discharged|transferred|cleared) me\b)",
            "I was ",
        ),
        (
            r"^(?=(?:handing in my|giving (?:my )?notice|leaving (?:for|my|the)|having (?:my|an?) (?:op|operation"
            r"|surgery"
            r"|baby|scan|wisdom)|getting (?:my|our)|picking up (?:my|our)|majoring in|signing (?:the|my|our))\b)",
            "I am ",
        ),
    )
)
_ELIDED_PAST = re.compile(
    r"^(?:just |finally |recently )?(?:moved|started|turned|passed|quit|left|joined|bought|sold|adopted"
    r"|graduated|decided|chose|picked|settled|broke|got|ran|finished|signed|cancelled|canceled|ruled out|pulled the"
    r" (?:plug|trigger)|went for|went with|won|lost|booked|had|went|flew"
    r"|switched|became|met|grew up"
    r"|studied|worked|lived|retired|stopped|gave up|completed|published|launched|shipped|opted|agreed"
    r"|celebrated|visited|saw|climbed|handed in|tore|sprained|planted|applied|enrolled|submitted|defended|inherited"
    r"|swam|cycled"
    r"|hiked|rode|drove|renewed|hired(?! (?:as|by|at))|lent|donated|qualified|came (?:off|out|back)|put in my"
    r"|gave (?:my|a|birth|notice)|handed|dropped out|spoke|sat my|took my|signed up)\b(?! (?:it|this|that|you|your)\b)",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"^(my \w+) \(([A-Z]\w+)\)")


_LAST_WORDS = frozenset(
    [
        "btw",
        "way",
        "tbh",
        "honest",
        "lol",
        "haha",
        "honestly",
        "though",
        "too",
        "well",
        "anyway",
        "actually",
        "fwiw",
        "fyi",
        "thanks",
        "you",
        "thx",
        "know",
        "period",
        "stop",
        "helps",
        "matters",
        "worth",
        "either",
        "obviously",
        "course",
        "afraid",
        "unfortunately",
        "sadly",
        "luckily",
        "sorry",
        "all",
        "that",
    ]
)


def plain(part: str) -> str:
    """A clause in plain order: subject first, nothing trailing."""
    last = part.rpartition(" ")[2].lower()
    if last in _LAST_WORDS or last.startswith("haha"):
        part = _TRAILERS.sub("", part)
    return _with_subject(_fronted(part))


def _fronted(part: str) -> str:
    """ "Since May I work …" as "I work … since May"; what is told of a game's world is marked as such."""
    found = _FRONT.match(part)
    if found is None or _NOT_A_FRONT.search(_SINCE_MINE.sub("", found["front"])):
        return part
    if _COUNTED.match(found["front"]) and not _TIME.search(found["front"]):
        return part
    front = found["front"]
    if _WORLD.match(front) and not _MONTHS.search(front):
        return f"pretend {part}"
    if (resolved := _RESOLVED.match(found["rest"])) is not None:
        return f"{resolved.group()} {_small(front)}{found['rest'][resolved.end() :]}"
    return f"{found['rest']} {_small(front)}"


_RESOLVED = re.compile(
    r"(?:I|we|(?:the|my|our) [\w-]+(?: [\w-]+)?) (?:have |has |had |finally |all |both )*(?:decided|agreed"
    r"|voted|resolved)"
    r"(?= (?:to|that|not to|against)\b)"
)
"""When something was resolved goes with the resolving: what was resolved may have a day of its own."""
_FEAST = re.compile(
    r"^it is (?P<what>(?:my|our|[A-Z]\w+'s) (?:[\w']+ ){0,3}(?:birthday|anniversary|wedding|graduation|funeral|exam"
    r"|recital"
    r"|christening|leaving do)) (?P<when>(?:on|in|next|this|tomorrow) .*)$"
)
_TOOK = re.compile(r"^(they (?:just |finally )*)(?P<verb>took|gave)(?= me\b)", re.IGNORECASE)


_FIRST_PERSON_VERB = re.compile(
    r"(?:cannot|have not|have never|do not|will not|would not|am|have been) (?!be\b)\w", re.IGNORECASE
)


def spoken(part: str) -> str:
    """A clause that surely tells something of its speaker and begins with "cannot" or "have not", with its "I"."""
    return f"I {_small(part)}" if _FIRST_PERSON_VERB.match(part) else part


def _with_subject(part: str) -> str:
    """A clause whose "I" or "my" was left out, as notes and chat do, with it; what "they" did to me as done to me."""
    part = _TOOK.sub(lambda found: found[1] + ("taken" if found["verb"] == "took" else "given"), part)
    for left_out, subject in _ELIDED:
        if left_out.match(part):
            told = left_out.sub("", part, count=1)
            if subject == "I was ":
                told = told.replace(" me ", " ", 1)
            return _BRACKETED.sub(r"\1 \2", f"{subject}{_small(told)}")
    if (feast := _FEAST.match(part)) is not None:
        return f"{feast['what']} is {feast['when']}"
    if _ELIDED_PAST.match(part):
        return f"I {_small(part)}"
    return part


def _small(part: str) -> str:
    return part[:1].lower() + part[1:]
