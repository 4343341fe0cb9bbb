"""Lasting limits and requirements."""

import re

from recollect.understanding.keyless.draft import Draft, pointing
from recollect.understanding.keyless.text import pattern

_THING = r"(?:the|our|my|all|every|each|any|no|each of our) (?:[\w'/-]+ ){0,5}?"
_MUST = pattern(
    rf"(?P<who>{_THING}[\w'/-]+|we|I|everything|nothing|nobody|everyone|data|payments|deployments|releases"
    r"|personal data|<CAP>(?: \w+)?) (?:<ADV>)*(?P<must>must(?: not| never)?|cannot|have to|has to|need "
    r"to|needs to|may not|may only|shall(?: not)?|can only|(?:am|is|are) (?:not|never|only) (?:allowed"
    r"|permitted)(?: to)?|(?:am|is|are) (?:limited|restricted|capped|required|obliged|forbidden"
    r"|prohibited|bound|supposed|obligated)(?: to| at| by| from)?|should never|must be|do not have "
    r"permission|needs? at least|can (?:hold|handle|take|store|carry|fit) (?:at most|no more than|only|up "
    r"to))\b(?P<rest>.*)"
)
_BARE_MUST = pattern(
    r"(?P<who>(?!you\b|one\b|people\b|he\b|she\b|it\b|they\b|I\b|we\b|there\b|this\b|that\b|what\b|who\b"
    r"|if\b|when\b|a\b|an\b|vegetarians|vegans)(?:[\w'/-]+ ){0,4}?[\w'/-]+)(?: (?:that )?(?:we|I) \w+)? "
    r"(?P<must>must(?: not| never)?|cannot|has to|have to|may not|may only|can only|should never|needs to"
    r"|shall not|may (?:go|be used|enter|leave)) (?P<rest>.+)",
    re.IGNORECASE,
)
_PROJECT = pattern(
    r"\d|\b(?:EU|GDPR|HIPAA|PCI|production|reviewed|approval|approved|encrypted|license|licence|GPL|AGPL"
    r"|on-prem|offline|backwards? compatible|accessible|WCAG|SOC|ISO|audit|logged|customer data"
    r"|third-party|Safari|iOS|Android|Python|Java|RHEL|Ubuntu|ARM|EU-only|[A-Z]{2,})\b"
)
_AUTHORITY = pattern(
    r"(?P<who>(?:our |my |the )?(?:legal(?: team)?|compliance|security|landlord|landlady|client|customer"
    r"|management|boss|doctor|surgeon|lawyer|insurer|insurance|visa|contract|lease|school|employer|board"
    r"|regulator|auditors|HR|IT|[Pp]hysio|GP|policy|midwife|Legal|Landlord|Compliance|Security"
    r"|Management)(?: also)?) (?:(?:(?:insists?|insisted) on (?P<on>.+)|(?:says|said|insists?|requires?"
    r"|demands?|told (?:me|us)|wants?|is adamant|are adamant|are strict|made (?:it )?clear)(?: that| us "
    r"to| me to)? (?P<rest>(?:we|I|no|nothing|everything|all) .*\b(?:must|cannot|can not|have to|need to"
    r"|may not|not allowed|should never|can only|only)\b.*))|(?:<ADV>|will |does |do |would )*(?:not "
    r")?(?:<ADV>)*(?:lets?|allows?|permits?|forbids?|prohibits?|bans?|requires?|limits?|restricts?)\b "
    r"(?P<let>.+))"
)
_TODAY = pattern(r"\b(?:today|tomorrow|tonight|right now|asap|soon|this (?:morning|afternoon|evening))\b")
_NOT_ALLOWED = pattern(
    r"(?:[\w-]+ ){1,4}(?:is|are) (?:<ADV>)*(?:not (?:allowed|permitted)|forbidden|banned|prohibited|off "
    r"limits)\b.*\b(?:my|our|we|I)\b"
)
_NOBODY_MAY = pattern(
    r"(?:[Nn]o one|[Nn]obody|[Nn]o [\w-]+(?: [\w-]+)?) (?:may|can|is allowed to|should ever|gets to) "
    r"(?!help|tell|explain|see|believe|know|understand)(?P<rest>\w+ .+)"
)
_ALL_NEED = pattern(
    r"(?:all|every|each|[Aa]ny) [\w -]{2,40}? (?:needs?|requires?|gets?) (?:at least |a|an|one|two|three"
    r"|\d+|approval|sign-off)\b"
)
_ONLY = pattern(r"(?:we|our [\w ]{2,30}) only (?:supports?|accepts?|allows?|permits?) ")
_TECHNICAL = pattern(
    r"(?:.*\b)?(?:data|traffic|releases?|deployments?|payments?|backups?|logs?|passwords?|tokens?|tests?"
    r"|uploads?|requests?|responses?|response times?|search|pages?|images?|files?|builds?|migrations?"
    r"|secrets|queries|endpoints?|pull requests|PRs|commits|invoices|reports?|latency|uptime|API|app|site"
    r"|service|server|devices?|code)$",
    re.IGNORECASE,
)
_LIMIT = pattern(
    r"(?:the|our|my) (?:[\w'-]+ ){0,4}(?:limit|deadline|maximum|minimum|cap|requirement|rule|policy"
    r"|constraint|quota|ceiling|SLA|restriction|cut-off|cutoff|condition)s?(?: for [\w -]{2,40}| on [\w "
    r"-]{2,40}| of [\w -]{2,30})? (?:is|are|says|requires|forbids|prohibits|demands|states)\b"
)
_NO_MORE = pattern(
    r"(?:(?:the|our|my|a|each|every) [\w' -]{2,50}|we|I) (?:<ADV>)*(?:(?:is|are|has|have|takes?|costs?"
    r"|weighs?|runs?|gets?|allows?|only has|supports?|accepts?|uses?) (?:no more than|at most|a maximum "
    r"of|up to|not more than|a limit of|a cap of|only room for|a hard limit of|a strict))\b"
)
_CANNOT_DO = pattern(
    r"I (?:<ADV>|physically )*(?:cannot|can no longer|am unable to|am not able to|am not allowed to|must "
    r"not|may not|am not supposed to|should not|can only|must never|must avoid|have to avoid|need to "
    r"avoid|am forbidden to|am no longer able to) (?P<v>.+)"
)
_ABILITY = pattern(
    r"(?:drive|swim|eat|drink|fly|lift|climb|stand for|sit for|travel|hear|see (?:well|colou?rs|far"
    r"|without|in)|walk|run|work (?:on|at|after|before|more|past|in|nights|weekends|night|from|overtime"
    r"|evenings)|ride|cook|read (?:small|without|sheet)|have (?=\w+(?:$|,| (?:or|and|because"
    r"|anymore)))(?!to\b|been\b|it\b|any\b|this\b|that\b|fun\b)|have (?:dairy|gluten|sugar|nuts|alcohol"
    r"|caffeine|milk|pets|a dog|a cat|grapefruit|salt|red meat)|take (?:ibuprofen|aspirin|penicillin"
    r"|antibiotics|nsaids|painkillers|calls|meetings|time off|the stairs|holidays|leave|vacation)|use "
    r"(?:my (?:left|right)|stairs|the stairs|cloud|external|public|third-party|tampons|social|a mouse|gpl"
    r"|GPL|my phone at)|donate|leave the country|smoke|wear|attend (?!the call|today)|keep (?:pets|a dog"
    r"|dairy)|afford|spend|install (?:software|anything)|share (?:client|customer|my|patient)|go (?:out "
    r"in the sun|above|below|outside|into|to bed late|without|on (?:boats|rollercoasters))|do (?:night "
    r"shifts|nights|weekends|high-impact|burpees|math|any)|digest|tolerate|handle (?:spicy|heat|caffeine"
    r"|alcohol|loud)|bend|kneel|raise|carry|type (?:with|for)|consume|touch|jump|hike|dive|sleep (?:on"
    r"|without|with)|roll my|smell|taste|speak (?:in public|french|german|\w+ish|\w+ese)|vote|relocate"
    r"|move (?:before|until|away|abroad)|commit to more|be (?:around|near|exposed|in the sun|out in)|park"
    r"|dance|sing|sit (?:on|cross)|be on|stay (?:up|out)|leave (?:before|the house|my|work)|pick up "
    r"(?:heavy)|exercise|get (?:vaccinated|pregnant|out of)|have any|eat or|host|play (?:contact)|bring"
    r"|record|discuss|disclose|work)\b"
)
_DUTY = pattern(r"I (?:<ADV>)*(?:must|have to|need to|need) (?P<v>.+)")
_LASTING = pattern(
    r"\b(?:every|each|always|daily|weekly|monthly|at all times|at least (?:once|twice|\w+ hours)|on "
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days|twice a|three times a|once a|because of my|due to my"
    r"|for medical|for religious|by law|legally|wheelchair|gluten|dairy|subtitles|captions|screen reader"
    r"|hearing aid|glasses to|quiet room|at night|no later than|before (?:\d|every|each|meals)|after each"
    r"|after every|step-free|ground floor|large print|on weekdays|in bed by|by \d+(?::\d\d)? ?(?:am"
    r"|pm)?(?: on| every| to pick)|to pick (?:my|the) .+ up)\b"
)
_DOES_NOT = pattern(
    r"I (?:<ADV>|completely )*(?:do not|never|no longer) (?P<v>(?:eat|drink|consume|touch|smoke|drive|fly"
    r"|use|do|have|own|work|take|wear|speak|swim|ski|watch)\b.*)"
)
_ABSTAINS = pattern(
    r"(?:eat|drink|consume|touch)\b(?! (?:breakfast|lunch|it|that|this|enough|much|well)\b)|drive(?! at| "
    r"me)|fly\b|do (?:drugs|spicy|dairy|gluten|caffeine)"
)
_WE_MOMENT = pattern(
    r"\b(?:another|today|now|right now|asap|tonight|this afternoon|this morning|soon|quickly|first|talk"
    r"|go\b|leave\b|hurry|start\b|figure|decide|discuss|think|see|find out|know|wait|check|fix (?:this|it"
    r"|the bug)|believe|stop here|move on|rest|sleep|ask|remember|say|be (?:kidding|honest|sure|fair"
    r"|careful|clear|missing|doing)|admit|confess|try|look|work (?:it|this) out|debug|rewrite|merge|push"
    r"|finish (?:this|it)|call|order|buy|clean|get (?:back|going|ready|this|it|up|the))\b"
)

_EPISTEMIC = re.compile(
    r" ?(?:be (?:over|about|around|nice|hard|great|so|very|really|tough|an?|the|true|joking|kidding|fun"
    r"|rich|tired|crazy)\b|have\b)"
)
_SOON = re.compile(r"\b(?:tomorrow|today|tonight|now|asap|this week|next week)\b")
_LOOSE_SUBJECT = re.compile(r"(?:nobody|everyone|everything|nothing|[A-Z])")
_FIRM = re.compile(r"\d|\b(?:team|project|repo|production|office|release|deploy|approval|review)\b")
_PIECE_OF_WORK = re.compile(
    r"(?:the|my|this) (?:[\w-]+ )?(?:function|method|class|script|output|answer|program|loop|regex|query"
    r"|essay|text|letter|email|poem|story|title"
    r"|paragraph|sentence|homework|assignment)\b"
)
_PERSON = re.compile(r"(?:my|the) (?:sister|brother|mother|father|son|daughter|wife|husband|friend|dog|cat|user'?s?)\b")
_REPAIR = re.compile(r"\b(?:be fixed|be restarted|work|connect|find|load|open|start|compile|sleep|stop)\b")


def constraint(text: str) -> Draft | None:
    """A lasting limit or requirement."""
    for reader in (_personal, _by_authority, _required, _bare, _limited):
        if (draft := reader(text)) is not None:
            return draft
    return None


def by_authority(text: str) -> bool:
    """Somebody's word that binds the speaker: "legal says we cannot …"."""
    return _AUTHORITY.match(text) is not None


def _personal(text: str) -> Draft | None:
    """What the speaker cannot, does not or always has to do."""
    if (match := _CANNOT_DO.match(text)) is not None:
        able = _ABILITY.match(match["v"]) and not _WE_MOMENT.search(match["v"].split(" because")[0])
        return Draft("constraint", text) if able and not pointing(match["v"]) else None
    if (match := _DOES_NOT.match(text)) is not None:
        return Draft("constraint", text) if _ABSTAINS.match(match["v"]) else None
    if (match := _DUTY.match(text)) is not None and _LASTING.search(match["v"]) and not _SOON.search(text):
        return Draft("constraint", text, 0.85)
    return None


def _by_authority(text: str) -> Draft | None:
    match = _AUTHORITY.match(text)
    return None if match is None or pointing(match["let"] or "") else Draft("constraint", text, 0.85, own=False)


def _required(text: str) -> Draft | None:
    """What we, our things or the things of a project must do."""
    match = _MUST.match(text)
    if match is None or match["who"] == "I" or _not_meant(match) or _of_the_moment(match):
        return None
    who = match["who"]
    return Draft("constraint", text, 0.85, own=who == "we" or who.startswith(("our", "my")))


def _not_meant(match: re.Match[str]) -> bool:
    """A guess ("must be nice"), a person's duty, or a subject too wide to bind anybody."""
    who, must, rest = match["who"], match["must"], match["rest"]
    if must.startswith("must") and _EPISTEMIC.match(rest):
        return True
    return bool(_PERSON.match(who) or _PIECE_OF_WORK.match(who)) or bool(
        _LOOSE_SUBJECT.match(who) and not _FIRM.search(rest)
    )


def _of_the_moment(match: re.Match[str]) -> bool:
    """A task for now rather than a rule."""
    who, must, rest = match["who"], match["must"], match["rest"]
    moment = _WE_MOMENT if who in {"we", "everyone", "nobody"} else _TODAY
    if moment.search(rest.split(",")[0][:40]) or len(rest.split()) < 2:
        return True
    if must in {"need to", "have to"} and _SOON.search(rest):
        return True
    return must in {"needs to", "need to", "cannot"} and bool(_REPAIR.search(rest)) and not re.search(r"\d", rest)


def _bare(text: str) -> Draft | None:
    """A requirement on something technical, or one that names a rule, a number or a product."""
    match = _BARE_MUST.match(text)
    if match is None or text.startswith(("my ", "I ", "we ")) or _SOON.search(match["rest"]):
        return None
    if match["must"].startswith("must") and _EPISTEMIC.match(match["rest"]):
        return None
    named = _PROJECT.search(match["rest"]) or _TECHNICAL.match(match["who"])
    return Draft("constraint", text, 0.8, own=False) if named else None


def _limited(text: str) -> Draft | None:
    if any(rule.match(text) for rule in (_NOT_ALLOWED, _NOBODY_MAY, _ONLY, _ALL_NEED)):
        return Draft("constraint", text, 0.8, own=False)
    return Draft("constraint", text, own=False) if _LIMIT.match(text) or _NO_MORE.match(text) else None
