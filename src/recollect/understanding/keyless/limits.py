"""What binds the speaker: diet, allergies, conditions, medication, when they can be reached, budget."""

import re
from collections.abc import Iterator

from recollect.understanding.keyless import vocabulary as words
from recollect.understanding.keyless.found import Found, items
from recollect.understanding.keyless.text import any_of, pattern

_DIET = any_of(words.DIETS)
_DIET_RULES = (
    (
        pattern(
            r"(?:I|we) (?:am|are|have been|have (?:always )?been|was raised) (?:<ADV>|strictly |a |an |a "
            r"strict |a lifelong |a committed |on a |on a strict |mostly |an ethical |a practising "
            rf"|pretty much |strict )*(?P<v>{_DIET})(?: diet| eater)?(?=$|[,.;!)]| (?!restaurant|food"
            r"|option|options|recipe|recipes|meal|meals|cooking|curious|friendly|place|chef|cook|butcher"
            r"|lasagne|burger)\w)"
        ),
        False,
    ),
    (
        pattern(
            r"(?:I|we) (?:<ADV>)*(?:eat|keep|follow|only eat|do|am doing|stick to|am following|am eating"
            r"|observe|need|cook|require|live on)(?: (?:only|a|an|the|strictly|strict|my|fully|all"
            rf"|exclusively|entirely|mostly|food that is))* (?P<v>{_DIET})(?: diet| food| meals| meat| "
            r"rules)?(?=$|[,.;!)]| )"
        ),
        False,
    ),
    (
        pattern(
            r"I (?:<ADV>|have )*(?:went|became|gone|turned|become|go|switched to(?: a)?|started (?:a "
            rf"|eating |being )?|converted to(?: a)?|moved to a) (?:fully |strictly |a )*(?P<v>{_DIET})(?: "
            r"diet)?<END>"
        ),
        True,
    ),
    (
        pattern(
            r"(?:I am|we are) (?:<ADV>)*on (?:an?|the) (?:strict )?(?P<v>(?!seafood|see-food|crash|new"
            r"|special|strict|diet|balanced|different|good)[\w-]+(?: [\w-]+)?) diet\b"
        ),
        False,
    ),
    (pattern(rf"my diet is (?:strictly |fully |completely |mostly |entirely |now )*(?P<v>{_DIET})"), False),
    (pattern(rf"(?:as|being) (?:a |an )?(?:strict )?(?P<v>{_DIET}),? (?:myself,? )?(?:I|my|we)\b"), False),
    (pattern(rf"as (?:a |an )?(?:strict )?(?P<v>{_DIET})(?: myself)?$"), False),
)
_ALLERGY_RULES = (
    pattern(
        r"(?:<AM>|I have been |I have become |I became )(?:<ADV>|severely |highly |deathly |very "
        r"|extremely |badly |terribly |mildly |slightly |violently |seriously |super |both |hugely "
        r"|dangerously )*allergic to (?P<v>[^.;!?()]{2,120})"
    ),
    pattern(
        r"I (?:have|suffer from|developed|have developed|also have|was diagnosed with|found out I have) "
        r"(?:a |an )?(?:<ADV>|severe |serious |bad |mild |strong |life-threatening |slight |known "
        r"|terrible |nasty )*allergy to (?P<v>[^.;!?()]{2,120})"
    ),
    pattern(
        r"I (?:have|suffer from|developed|have developed|also have|was diagnosed with|found out I have) "
        r"(?:a |an )?(?:<ADV>|severe |serious |bad |mild |strong |life-threatening |slight |known "
        r"|terrible |nasty )*(?P<v>(?:[\w-]+ ){1,2}?(?:and (?:[\w-]+ ){1,2}?)?)allerg(?:y|ies)\b"
    ),
    pattern(r"my (?:only |biggest |worst )?allerg(?:y|ies)(?: is| are|:)(?: to)? (?P<v>[^.;!?()]{2,80})"),
)
_INTOLERANCE_RULES = (
    pattern(
        r"<AM>(?:<ADV>|severely |very |slightly |mildly |a bit |a little |highly "
        rf")*(?P<v>{any_of(words.INTOLERANCES)})[ -](?:intolerant|sensitive)"
    ),
    pattern(
        r"<AM>(?:<ADV>|severely |very |slightly |mildly |a bit |highly )*(?:intolerant|sensitive) to "
        r"(?P<v>[^.;!?()]{2,60})"
    ),
    pattern(
        r"I (?:have|suffer from|developed|have developed|was diagnosed with) (?:a |an )?(?:<ADV>|severe "
        rf"|slight |mild |bad )*(?P<v>{any_of(words.INTOLERANCES)})[ -](?:intolerance|sensitivity)"
    ),
    pattern(
        r"I (?:have|developed|have developed) (?:a |an )?(?:<ADV>|severe |slight |mild |bad "
        r")*(?:intolerance|sensitivity) to (?P<v>[^.;!?()]{2,60})"
    ),
    pattern(
        r"(?P<v>[A-Za-z]+(?: (?!make|give|do)[a-z]+)?) (?:make|makes|always make|always makes) me "
        r"(?:<ADV>|really |so |very )*(?:ill|sick|bloated|nauseous|vomit|throw up|unwell)(?=$|[,.]| "
        r"(?:and|so|but)\b)"
    ),
    pattern(rf"<I>(?:cannot|do not) (?:tolerate|digest|handle|process) (?P<v>{any_of(words.INTOLERANCES)})\b"),
)
_CONDITION = any_of(words.CONDITIONS)
_CONDITION_RULES = (
    (
        pattern(
            r"<I>(?:have|suffer from|live with|am living with|deal with|have had|have been living with"
            r"|struggle with|also have|have always had|manage|do have|am dealing with|get) (?:a |an "
            r")?(?:<ADV>|mild |severe |chronic |bad |quite |really |serious |terrible |the |a form of "
            r"|adult |lifelong |pretty |inattentive |combined |moderate |clinical "
            rf")*(?P<v>{_CONDITION})(?:,? and (?:also )?(?:an? |mild |severe |chronic "
            rf")?(?P<w>{_CONDITION}))?(?=$|[,.;!()]| )"
        ),
        False,
    ),
    (
        pattern(
            r"I (?:<ADV>|have )*(?:was|been|got) (?:<ADV>)*diagnosed (?:as having|with|as) (?:a |an |mild "
            rf"|severe )?(?P<v>(?:{_CONDITION}|{any_of(words.CONDITION_ADJECTIVES)})|[\w'-]+(?: (?!in|last"
            r"|when|at|two|three|a|as|by|this|yesterday|on|and)[\w'-]+){0,2})"
        ),
        True,
    ),
    (
        pattern(
            r"<AM>(?:<ADV>|mildly |severely |slightly |partially |completely |profoundly |a "
            rf")*(?P<v>{any_of(words.CONDITION_ADJECTIVES)})(?=$|[,.;!()]| (?!as a bat|drunk|spot|faith"
            r"|date|trust|side|man)\w)"
        ),
        False,
    ),
    (pattern(rf"(?:.*\b)?(?:because of|due to|thanks to|with|given) my (?P<v>{_CONDITION})\b"), False),
    (pattern(rf"my (?P<v>{_CONDITION}) (?:is|makes|means|acts|flares|gets|keeps|has|does)\b"), False),
    (
        pattern(
            r"I have (?:had )?(?:a |an )(?P<v>(?:torn|chronic|herniated|ruptured|degenerative|artificial"
            r"|autoimmune|congenital|prosthetic|replaced) [\w-]+(?: (?:condition|disease|disorder|disc"
            r"|ligament|tendon|valve|hip|knee|leg))?)(?= since| for|$|[,.])"
        ),
        False,
    ),
    (pattern(r"I had (?:a |an )(?P<v>(?:torn|chronic|herniated|ruptured|degenerative) [\w-]+)(?= since\b)"), False),
    (pattern(r"<I>(?:use|am in|need|rely on) a (?P<v>wheelchair)\b"), False),
    (pattern(r"<I>(?P<v>wear (?:a )?hearing aids?)\b"), False),
    (pattern(rf"as an? (?P<v>{any_of(words.CONDITION_ADJECTIVES)})(?: person)?(?:,? (?:I|my)\b|$)"), False),
)
_MEDICINE = (
    rf"(?:{any_of(words.MEDICINES)}|{any_of(frozenset(word.capitalize() for word in words.MEDICINES))}|blood "
    r"thinners|blood pressure (?:medication|meds|tablets|pills)|the pill|birth control|thyroid (?:medication"
    r"|hormones|tablets)|beta[- ]blockers|vitamin D|iron supplements|antihistamines|an? (?:asthma )?inhaler"
    r"|ADHD medication|sleeping pills|folic acid|antidepressants)"
)
_MEDICATION_RULES = (
    pattern(
        r"<I>(?:<ADV>)*(?:take|am taking|am on|use|need|inject|have to take|must take|have been (?:taking"
        r"|on)|was prescribed|got prescribed|rely on|am prescribed|have been prescribed|started(?: taking"
        r"| on)?|need to take) (?:my |a |an |some |daily |low-dose |a low dose of )*(?:\d+ ?(?:mg|mcg|ml"
        rf"|units|µg|g) (?:of )?)?(?P<v>{_MEDICINE})(?:(?:,| and|, and) (?P<w>{_MEDICINE}))?(?=$|[,.;!()]| "
        r")"
    ),
    pattern(
        r"<I>(?:<ADV>)*(?:take|am taking|inject|am on) (?P<v>[A-Za-z][\w-]{3,24})(?: \d+ ?(?:mg|mcg|ml"
        r"|units))?,? (?:\d+ ?(?:mg|mcg|ml|units) )?(?:every (?:day|morning|evening|night)|daily|twice "
        r"(?:a day|daily)|once (?:a day|daily|a week)|at night|each morning|for my (?:blood pressure"
        r"|heart|thyroid|asthma|ADHD|anxiety|depression|migraines?|diabetes|epilepsy|cholesterol|back"
        r"|reflux|\w+))"
    ),
    pattern(
        r"<I>(?:<ADV>)*(?:take|am taking|inject|am on) (?P<v>(?!Uber|Ubers|Lyft|Amtrak|Caltrain|Mondays?"
        r"|Tuesdays?|Wednesdays?|Thursdays?|Fridays?|Saturdays?|Sundays?|Linux|Windows|Ubuntu|Fedora|Arch"
        r"|Mac|Android|Slack|Discord|Twitter|Instagram|Facebook|LinkedIn|Zoom|Reddit|Spanish|French"
        r"|German|Latin|English|Mastodon|GitHub|Telegram|Signal|WhatsApp|Tinder|Bumble"
        r"|Hinge)[A-Z][a-z]{4,20})(?=$|[,.;]| (?:and|for|every|daily|twice|at|since|when)\b)"
    ),
    pattern(
        r"my (?:daily |regular |current |only )?(?:medication|medicine|meds)(?: is| are|:) (?P<v>[A-Za-z][\w-]{3,24})"
    ),
)
_TOOL = pattern(any_of((*words.EDITORS, *words.SYSTEMS, *words.FRAMEWORKS, *words.DATABASES, *words.LANGUAGES)))
_NO_MEDICINE = frozenset(
    [
        "walks",
        "walk",
        "notes",
        "breaks",
        "break",
        "naps",
        "nap",
        "pictures",
        "photos",
        "lessons",
        "classes",
        "time",
        "coffee",
        "showers",
        "shower",
        "care",
        "train",
        "buses",
        "trains",
        "transport",
        "vacation",
        "holiday",
        "holidays",
        "a",
        "the",
        "it",
        "care",
        "medication",
        "pills",
        "something",
    ]
)

_DAYS = (
    r"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|weekends?|weekdays?|school nights|mornings|afternoons"
    r"|evenings|nights|lunchtimes|lunch(?:time)?|school holidays|public holidays|bank holidays)"
)
_WHEN = (
    r"(?:(?:on|after|before|between|from|until|till|during|at|in the|over|around|outside|by|past|every|only"
    rf"|most|all|any time|anytime) )+(?:the )?(?:{_DAYS}|\d{{1,2}}(?::\d\d)? ?(?:am|pm|a\.m\.|p\.m\.|o'clock"
    r"|h\b|AM|PM|CET|UTC)?|noon|midnight|six|seven|eight|nine|ten|five|four|three|two|one|lunch|work|business "
    r"hours|office hours|working hours|school hours|dinner)"
)
_LASTING = pattern(
    rf"\b(?:{_DAYS.replace('days?', 'days').replace('weekends?', 'weekends').replace('weekdays?', 'weekdays')}"
    r"|every|each|always|never|usually|generally|regularly|normally|only|after \d|before \d|between \d"
    r"|from \d|until \d|after (?:noon|six|seven|eight|five|four|nine|work)|before (?:noon|nine|ten|eight"
    r"|eleven)|weekday|weekend|office hours|business hours|working hours|school hours|(?:Fri|Satur|Sun"
    r"|Mon|Tues|Wednes|Thurs)day (?:sundown|night|evening|morning|noon|afternoon) (?:to|until|till"
    r"|through)|Monday (?:to|through)|Tuesday (?:to|through))\b"
)
_MOMENT = pattern(
    r"\b(?:today|tomorrow|tonight|this (?:week|morning|afternoon|evening|month|weekend|Monday|Tuesday"
    r"|Wednesday|Thursday|Friday)|next (?:week|month|\w+day)|(?<!sundown )until (?:Monday|Tuesday"
    r"|Wednesday|Thursday|Friday|Sunday|next|the \d)|right now|at the moment|currently|for now|on "
    r"(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)(?! (?:mornings|afternoons|evenings"
    r"|nights|and|or)))\b"
)
_AVAILABILITY_RULES = (
    pattern(
        r"I (?:<ADV>)*(?:have|get|take) (?P<v>(?:every )?(?:\w+ and )?(?:Mon|Tues|Wednes|Thurs|Fri|Satur"
        r"|Sun)days? off\b.*)"
    ),
    pattern(
        r"I (?:am|can be|will be) (?:<ADV>|only |not |never |usually |generally |best |not usually "
        r"|mostly |always |completely |totally )*(?P<v>(?:available|free|reachable|busy|online|offline"
        r"|unavailable|contactable|reached|out of (?:the )?office|in the office|off|at my desk|off work"
        r"|around|in meetings|home|unreachable|booked|away)\b[^.;!?]{0,100})"
    ),
    pattern(
        r"<I>(?:only |never |do not |cannot |can only |usually |mostly )*(?P<v>(?:work|take (?:calls"
        r"|meetings)|do (?:anything|calls|meetings|Mondays|Tuesdays|Wednesdays|Thursdays|Fridays"
        r"|Saturdays|Sundays|mornings|evenings|weekends|afternoons)|answer (?:calls|emails|messages|mail)"
        r"|have meetings|make calls|join calls|check (?:email|emails|mail|messages)|take phone calls"
        r"|accept meetings|meet)\b[^.;!?]{0,100})"
    ),
    pattern(
        r"(?:you can|please)(?: only| best)? (?P<v>(?:reach|call|contact|phone|ring|message|text) me\b[^.;!?]{2,100})"
    ),
    pattern(
        r"(?:please )?(?:do not|never) (?P<v>(?:call|contact|phone|ring|message|text|schedule|book"
        r"|disturb)\b[^.;!?]{2,100})"
    ),
    pattern(r"my (?P<v>(?:office|working|work|business|core|opening) hours are [^.;!?]{2,80})"),
    pattern(
        r"my (?P<v>(?:mornings|afternoons|evenings|weekends|Mondays|Tuesdays|Wednesdays|Thursdays|Fridays"
        r"|Saturdays|Sundays) are [^.;!?]{2,80})"
    ),
    pattern(
        r"(?P<v>(?:Mondays|Tuesdays|Wednesdays|Thursdays|Fridays|Saturdays|Sundays|mornings|Mornings"
        r"|afternoons|Afternoons|evenings|Evenings|weekends|Weekends)\b[^.;!?]{0,40} (?:are (?:off limits"
        r"|off-limits|no good|best|sacred|blocked|out|bad|always out|for my \w+|reserved)|do not work"
        r"|work best|never work|suit me|are when I)\b[^.;!?]{0,60})"
    ),
    pattern(r"(?P<v>no (?:meetings|calls)\b[^.;!?]{2,60})"),
)
_AMOUNT = (
    r"(?:(?:about|around|roughly|at most|up to|under|max|maximum|only|exactly|no more than|below"
    r"|approximately|just) )*(?:a )?(?P<v>(?:[$€£¥]|USD |EUR |GBP |CHF |US\$)? ?\d[\d.,']*(?: \d{3})*k?(?: "
    r"?(?:k|K|thousand|million))?(?: ?(?:dollars|euros|euro|pounds|bucks|francs|yen|rupees|USD|EUR|GBP|CHF|kr"
    r"|kroner|zloty|[$€£]|quid))?(?:(?: a| per| each|/)\s?(?:month|week|year|person|night|day|head|trip))?)"
)
_MONEY = re.compile(
    r"[$€£¥]|\d ?[kK]\b|dollars|euro|pounds|bucks|francs|yen|rupees|USD|EUR|GBP|CHF|kr\b|kroner|zloty"
    r"|quid|grand|thousand"
)
_BUDGET_RULES = (
    pattern(rf"(?:my |our |the )?(?:max(?:imum)? |total )?budget(?: is| of|:)? {_AMOUNT}", re.IGNORECASE),
    pattern(rf"(?:I|we) (?:<ADV>)*(?:have|got) {_AMOUNT} (?:to spend|for (?:it|this|everything|the whole|the))"),
    pattern(
        r"(?:my|our|the) (?:[\w-]+ ){0,3}budget(?: for [\w ]{2,30})? is (?:limited to |capped at |now "
        rf"|set at |still )?{_AMOUNT}"
    ),
    pattern(
        rf"(?:I|we) (?:<ADV>)*(?:have|am on|work with|am working with|are on) a (?:[\w-]+ ){{0,2}}budget of {_AMOUNT}"
    ),
    pattern(
        r"(?:I|we) (?:<ADV>)*(?:cannot|can not|do not want to|never) (?:spend|pay|afford|go)(?: (?:more "
        rf"than|over|above|anything over)) {_AMOUNT}"
    ),
    pattern(
        r"(?:I|we) (?:<ADV>)*can (?:only )?(?:spend|afford|pay) (?:up to|at most|no more than|max|a "
        rf"maximum of|only)? ?{_AMOUNT}"
    ),
)


def read(text: str) -> Iterator[Found]:
    """What a clause says that binds its speaker."""
    yield from _diet(text)
    yield from _listed(text, "allergy", _ALLERGY_RULES)
    yield from _listed(text, "intolerance", _INTOLERANCE_RULES)
    yield from _conditions(text)
    yield from _medication(text)
    yield from _availability(text)
    for rule in _BUDGET_RULES:
        match = rule.match(text)
        if match is not None and ("budget" in match.group().lower() or _MONEY.search(match["v"])):
            yield Found("constraint", "budget", match["v"].strip(" ,."))
            return


def _diet(text: str) -> Iterator[Found]:
    for rule, eventful in _DIET_RULES:
        if (match := rule.match(text)) is not None:
            if re.search(
                r"\b(?:between meals|for (?:a|one|the) (?:day|week|month)|this week|today|tonight"
                r"|restaurant|on (?:Mondays|weekdays))\b",
                text,
            ):
                return
            yield Found("constraint", "diet", match["v"], eventful)
            return


def _listed(text: str, key: str, rules: tuple[re.Pattern[str], ...]) -> Iterator[Found]:
    for rule in rules:
        if (match := rule.match(text)) is None:
            continue
        things = [re.sub(r" (?:allergy|allergies)$", "", thing) for thing in items(match["v"])]
        if any(
            thing.lower().split()[0] in words.JOKE_ALLERGIES or thing.lower() in words.JOKE_ALLERGIES
            for thing in things
        ):
            return
        for thing in things:
            yield Found("constraint", key, thing)
        return


def _conditions(text: str) -> Iterator[Found]:
    for rule, eventful in _CONDITION_RULES:
        if (match := rule.match(text)) is None:
            continue
        for value in match.groups():
            if value and not re.search(r"allerg|intoleran", value) and not _figurative(value, text[match.end() :]):
                yield Found("constraint", "condition", value, eventful, aside="my " in match.group()[-len(value) - 3 :])
        return


def _figurative(value: str, rest: str) -> bool:
    """ "I'm blind to that", "I have anxiety about the demo": of the moment, or no condition."""
    return bool(
        re.match(r" (?:to|about|over|from (?:work|all|the|this|looking)|with (?:rage|love))\b", rest)
    ) or value.lower() in {"it", "the", "a", "this"}


def _medication(text: str) -> Iterator[Found]:
    for rule in _MEDICATION_RULES:
        if (match := rule.match(text)) is None:
            continue
        for value in match.groups():
            if value and value.lower() not in _NO_MEDICINE and not _TOOL.fullmatch(value):
                yield Found("constraint", "medication", value)
        for also in pattern(rf"(?:,| and|, and) (?:my )?(?P<v>{_MEDICINE})\b").finditer(text, match.end()):
            yield Found("constraint", "medication", also["v"])
        return


def _availability(text: str) -> Iterator[Found]:
    for rule in _AVAILABILITY_RULES:
        if (match := rule.match(text)) is None:
            continue
        if (
            _LASTING.search(text)
            and not _MOMENT.search(text)
            and not re.match(
                r"(?:work (?:nights?|shifts?|night|day|long|full|part|at|for|as|with|in|on (?!Mon|Tue|Wed"
                r"|Thu|Fri|Sat|Sun|week)|from)\b|free (?:from|to)\b|home\b(?! (?:on|only|after|every)))",
                match["v"],
            )
        ):
            yield Found("constraint", "availability", _said(text, match))
        return


def _said(text: str, match: re.Match[str]) -> str:
    """The words of the limit, with its "not" or "only"."""
    value = re.sub(r",? (?:so|because|since|but|and I|which|please|if)\b.*$", "", match["v"])
    before = text[: match.start("v")]
    if re.search(r"\b(?:not|cannot|never|no)\b", before):
        value = f"not {value}" if "never" not in before else f"never {value}"
    elif "only" in before:
        value = f"only {value}"
    return value.strip(" ,.")
