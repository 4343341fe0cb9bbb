"""What is aimed at, and what is only being considered."""

import re
from collections.abc import Iterator

from recollect.understanding.keyless.draft import Draft
from recollect.understanding.keyless.text import pattern

_WHO = r"(?:I|we|(?:my|our) [\w-]+(?: <CAP>)? and I|<CAP> and I|(?:my|our) team|the team|our company)"
_AIMING = (
    pattern(
        r"(?:(?:my|our|the|this|[Nn]ext|[Nn]ew|[Bb]ig|[Mm]ain|[Uu]ltimate|[Ll]ong-term) )(?:[\w-]+ ){0,3}(?:goal|aim"
        r"|target(?: weight| score| time| date| price)?"
        r"|objective|ambition|resolution|dream|plan|mission|intention|hope|OKR|north star|milestone"
        r"|priority)s?(?: for [^,;]{2,40}?| this \w+| with [^,.;]{2,40}?| here| now| in \d{4}| of mine| "
        r"at \w+| as agreed| on \w+)?(?:, which)? (?:is|are|remains|was always|has always been) (?!not\b|unclear|what"
        r"|simple$)"
    ),
    pattern(
        rf"{_WHO} (?:am|are|is|have been) (?:<ADV>|both |all )*(?:aiming|hoping|planning|intending"
        r"|training|saving(?: up)?|preparing|studying|working towards?|working on becoming|determined|on "
        r"track|set|looking|striving|gunning|shooting|practi[sc]ing|applying) (?:to\b|for\b|on\b"
        r"|towards?\b|a\b|an\b|my\b|our\b)"
    ),
    pattern(rf"{_WHO} (?:<ADV>)*(?:aim|aims|plan|plans|intend|intends|hope|hopes) (?:to|on)\b"),
    pattern(rf"{_WHO} (?:<ADV>)*mean to (?!say|ask|be\b|tell|offend|sound|bother)\w+ .*\b(?:by|before|this|next)\b"),
    pattern(rf"{_WHO} (?:<ADV>)*(?:want|wants|would like|would love) to\b"),
    pattern(
        rf"{_WHO} (?:have |has )?(?:<ADV>)*(?:promised|vowed|swore|sworn|pledged) .{{0,30}}?(?:to \w+|(?:I"
        r"|we) would) .+"
    ),
    pattern(rf"{_WHO} (?:have|has) (?:<ADV>)*set (?:my|our) (?:heart|sights|mind|eyes?) on"),
    pattern(
        r"(?:[Oo]bjective|[Gg]oal|[Tt]arget|[Aa]im|[Aa]mbition|[Dd]ream)(?: for [^,;]{2,40}?| this \w+| here| now)? is "
        r"(?!not\b|unclear|what|simple$)"
    ),
    pattern(rf"{_WHO} (?:am|are|is) (?:<ADV>)*after (?:an? |at least |about )?[$€£]?\d"),
    pattern(
        rf"{_WHO} (?:have|has) (?:<ADV>)*(?:my|our|his|her) (?:heart|sights|eye|eyes|mind) set on|{_WHO} (?:have"
        rf"|has) (?:<ADV>)*"
        r"(?:my|our) (?:sights|eye) on"
    ),
    pattern(rf"{_WHO} (?:am|are|is) (?:<ADV>)*(?:pushing|itching|desperate|dying|keen|eager) to\b"),
    pattern(rf"{_WHO} (?:am|are|is) (?:<ADV>)*dreaming of \w+ing"),
    pattern(rf"{_WHO} (?:am going to|are going to|will) .{{3,80}} (?:someday|one day|eventually)"),
    pattern(
        r"[\w' -]{3,50} (?:is|are) (?:my|our|the|an?) (?:[\w-]+ ){0,2}(?:aim|goal|dream|target|ambition)s?(?:$| "
        r"(?:of mine|for|this"
        r"|now|right now|in)\b)"
    ),
    pattern(rf"{_WHO} (?:<ADV>)*(?:dream|dreams) of \w+ing"),
    pattern(r"I will (?:<ADV>)*have (?:\w+ed|read|run|written|built|paid off|learned|saved) .+ by\b"),
    pattern(
        rf"{_WHO} (?:<ADV>)*(?:want|wants|would like) (?:the|my|our|everything)\b.{{0,60}}\b(?:finished"
        r"|done|ready|complete|completed|live|painted|out|shipped|launched|paid off|built|over)\b"
    ),
    pattern(
        rf"{_WHO} (?:am|are|is|have been) (?:<ADV>)*(?:trying(?= to\b)|learning(?! (?:a (?:ton|lot)|so much|as|from"
        rf"|with|together|$))"
        r"|working hard(?= to\b)|attempting|teaching myself(?!.*\bsince\b))(?: (?:to|how to))?\b"
    ),
    pattern(r"by (?:the )?[^,]{3,40},? (?:I|we) (?:want|will|plan|hope|aim|intend|would like) (?:to )?"),
    pattern(
        rf"{_WHO} (?:have|has) (?:<ADV>)*(?:set (?:myself|ourselves) (?:the|a) (?:goal|target|aim)|signed "
        r"up (?:for|to run)|set my sights on|committed (?:myself )?to|vowed to|promised myself to)\b"
    ),
)
_WANT_THING = pattern(
    rf"{_WHO} (?:<ADV>)*(?:want|wants|would like|would love) (?!to\b|you\b|it\b|this\b|that\b|your\b"
    rf"|some help).{{3,80}}?"
    r" (?:by|before|this|next|in)\b"
)
_WANT_DONE = pattern(
    rf"{_WHO} (?:<ADV>)*(?:want|wants|would like|need) (?:it|the|my|our|everything"
    r"|this)\b.{0,60}\b(?:finished|done|ready|complete|completed|live|painted|out|shipped|launched|paid "
    r"off|built|over)\b"
)
_WHAT_WANTED = pattern(
    r"what (?P<who>I|we) (?:<ADV>|do )*(?:want|need|aim for|hope for|would (?:<ADV>)*like|have in mind|(?:am|are)"
    r" (?:<ADV>)*(?:after|aiming for|working towards?|hoping for|saving for|dreaming of))"
    r"(?: (?:this|for|in|out of) [\w -]{3,30}?)? is (?:modest: )?"
)
_WANT = pattern(rf"{_WHO} (?:<ADV>)*(?:want|wants|would like|would love) to\b")
_TRY = pattern(
    rf"{_WHO} (?:am|are|is|have been) (?:<ADV>)*(?:trying|attempting|looking|pushing|itching|desperate|dying|keen"
    rf"|eager|working hard) to\b"
)
_LOOKING_FOR = pattern(rf"{_WHO} (?:am|are|is) (?:<ADV>)*looking (?:for|at|on|a|an|my|our|forward)\b")
_ACHIEVEMENT = pattern(
    r"\bto (?:<ADV>|one day |eventually |finally |also )*(?:learn(?! (?:more|what|why|whether))|become"
    r"|run (?:a|an|my|the|\d|under|at)|lose (?:\d|some weight|weight)|gain \d|write (?:a|my) (?:book"
    r"|novel|thesis|memoir|phd)|publish|launch|ship|buy (?:an?|my|our) (?:[\w-]+ ){0,2}(?:house|flat|home|car|boat"
    r"|place"
    r"|apartment|cabin|van|piano|farm)|quit|move to|move (?:back|out|abroad|closer|into)|start (?:a|my"
    r"|our) (?:own )?(?:business|company|family|podcast|blog|phd|startup|bakery|masters?|channel|degree"
    r"|farm|career)|open (?:a|my|our)|found (?:a|my)|visit|travel|retire|climb|hike|cycle (?:to|from"
    r"|across)|swim (?:a|the)|finish (?:my|the|our|a)|complete (?:my|the|our|a)|graduate|get (?:down to"
    r"|(?:an?|the|my) (?:[\w:-]+ ){0,4}?(?:first|2:1|distinction|degree|certificate|specialty|licen[cs]e"
    r"|certification|ticket"
    r"|qualification|belt|badge|scholarship|place|pilot|visa|citizenship|mortgage|diploma|grant|patent|apprenticeship"
    r"|promotion|raise|gold|medal)|on with|back into|out of|off|rid of my"
    r"|under|below|above|over|fit|certified|into|better at|a promotion|promoted|my|in shape|a degree"
    r"|married|a job|a dog|a cat|under|fluent)|pass|reach|grow (?:the|our|my|to)|reduce|cut (?:the|our|my"
    r"|back|down)|increase|double|halve|improve (?:my|our|the) (?!code|answer|function|prompt|text|query)"
    r"|earn|save (?:\$|€|£|\d|up|enough|for|money)|pay off|migrate|release|qualify|win|build (?:a|my|our"
    r"|up) (?:house|business|own|career|company|app|cabin|boat|treehouse|deck|platform|startup|saas|game"
    r"|greenhouse|community|home)|switch careers|change careers|study (?!it\b|this\b|that\b|the\b|for\b|more\b"
    r"|tonight|together|now)\w+|speak"
    r"|master|play (?:the|in|a)|adopt|raise|expand|hire|beat|do (?:a|my) (?:phd|master|triathlon|marathon"
    r"|degree|doctorate)|apply (?:to|for)|go (?:back to (?:school|university|uni)|vegan|vegetarian"
    r"|freelance|part-time|plastic-free)|cook (?:more|at home)|read (?:\d+|more|one|two|twelve|fifty|a "
    r"book)|eat (?:less|more|healthier)|drink (?:less|more)|sleep (?:more|eight|at least)|walk (?:the|\d"
    r"|more|\w+ steps)|exercise|stop (?:smoking|drinking|biting|eating)|give up|have (?:[\w-]+ ){0,3}?(?:customers"
    r"|users|paying|kids|children|lads|staff|employees|shops?|working|my own|our own|house"
    r"|garden|family)|take (?:on|my|up|part|over)|hold|land (?:an?|my|the)|make it (?:to|into)|walk|knit|sew|paint"
    r"|finally"
    r"|settle|invest|set up|put|bring|break into|train (?:as|to)|retrain|go (?:to|on|into|and|solo|full|under|below"
    r"|sub)|have "
    r"(?:passed|finished|completed|saved|written|learned|read|paid|lost"
    r"|built|launched|shipped)|clear|be (?:able to (?!eat|use|see)|fluent|debt-free|financially"
    r"|profitable|done with my|a (?:better )?(?:parent|pilot|doctor|nurse|teacher|lead|manager|writer"
    r"|novelist)|in (?:shape|production)|carbon|live|out of|CTO|promoted)|sign up (?:\d|for)|achieve"
    r"|attain|acquire|automate|replace|get to \w+|spend (?:more|less) time|hit \d|hit (?:our|the|my)"
    r"|bring (?:the|our) .+ (?:down|below|under)|keep (?:the|our|my) .+ (?:below|under|above)|see the"
    r"|renovate|restore|plant|compete|qualify|record (?:a|an|my)|perform|emigrate|volunteer|downsize|own "
    r"(?:a|my)|live (?:in|abroad|by|near)|work (?:abroad|part-time|in|from|remotely)|sell (?:my|our|the)"
    r"|make (?:partner|the team|a living|\$|€)|teach|onboard|go live|roll out|decommission|deliver|cover"
    r"|support \d|serve \d|sail|ride|row|break \d|break (?:the|my)|deadlift|squat|bench|set up (?:a|my"
    r"|our) (?:business|company|charity|shop))\b"
)
_DEADLINE = pattern(
    r"\b(?:by (?:the end|end|next|\w+day|<MONTH>|\d{4}|Christmas|summer|spring|autumn|winter|then|the "
    r"time I|my|Q[1-4]|\d)|before (?:the end|next|<MONTH>|I turn|my|\d|Christmas|summer)|this year|next "
    r"(?:year|month|spring|summer|autumn|fall|winter|\w+day)|in (?:<MONTH>|\d{4}|the next|two|three|five"
    r"|six|Q[1-4]|ten)|within (?:the|a|\w+) |one day|someday|eventually|by age|before turning|(?:by"
    r"|before) (?:the )?(?:first|start|beginning|middle|Easter|Whitsun|Diwali|Eid|Ramadan|Passover"
    r"|Thanksgiving|Halloween|Hanukkah|New Year|Midsummer|[A-Z]\w+mas|Pentecost|Carnival|Hogmanay)|later this "
    r"year|this (?:spring|summer|autumn|fall|winter|quarter|season))\b"
)
_NAMED_AIM = pattern(r"(?:my|our|the) (?:[\w-]+ ){0,2}(?:dream|ambition|goal|aim|resolution|bucket list)\b")
_FAR = pattern(
    r"\b(?:by|before|in|until) (?:the end of |end of |next |early |late |mid-?|this )*(?:<MONTH>|\d{4}|Christmas"
    r"|Easter|summer"
    r"|spring|autumn|fall|winter|year|the year|Q[1-4]|quarter|month|Whitsun|Diwali|Eid|Ramadan|Passover|Thanksgiving"
    r"|Halloween|Hanukkah|New Year|Midsummer|Pentecost|Carnival"
    r"|the (?:spring|summer|autumn|fall|winter|(?:first|start|beginning|middle|end) of \w+)|I (?:turn|am "
    r"\d))\b"
    r"|\bthis (?:year|spring|summer|autumn|fall|winter)\b|\bnext (?:year|spring|summer|autumn|fall|winter)\b"
)
_OF_THE_MOMENT = pattern(
    r"^.*?\bto (?:<ADV>)*(?:make (?:some|everything)|bring|stop at|stop by|incorporate|include|wear|go shopping"
    r"|focus on|look|switch (?:it|things)"
    r"|know|ask|see|understand|use|make (?:it|this|sure|a (?:function|list|table|script"
    r"|chart|point))|add|change|fix|write (?:a (?:function|script|test|query|regex|program|loop|class"
    r"|letter|mail|note)|an email|code|it|this|some)|test|check|try|print|sort|parse|convert|get (?:the"
    r"|this|it|a list|rid|started|back|some|all)|find|figure|choose|decide|debug|install|go (?:to bed"
    r"|home|now|to sleep|out)|eat|sleep|order|cook (?:something|dinner|a|it|this)|make (?:dinner|a)|do "
    r"(?:this|it|that|something)|say|tell|talk|discuss|compare|create (?:a (?:function|script|list|table"
    r"|file|chart))|implement|refactor|deploy (?:this|it)|upload|send|book (?:a table)|call|thank|share"
    r"|show|return|set (?:it|this|the|up (?:the|a server|nginx|docker))|handle|avoid|remove|delete"
    r"|replace (?:the|this|all)|select|update|render|log|read (?:the|this|a|some|your|up)|buy (?:some"
    r"|milk|it|a (?:gift|present|new (?:laptop|phone|mouse)))|watch|take (?:a|the)|have (?:a|some)|hear"
    r"|leave|stop (?:here|now)|keep (?:it|this|going)|start (?:with|over|by)|continue|clarify|explain|be "
    r"(?:clear|honest|sure|fair|careful)|cancel|move on|format|export|import|draw|plot|calculate|go "
    r"(?:through|over|with|for (?:a|the) (?:walk|run|swim))|rest|relax|surprise|reply|answer|help|solve"
    r"|work out|sit|lie|cry|scream|pick|reach (?:you|him|her|them|support)|pass (?:this|the|it|a) "
    r"(?:argument|parameter|value|variable|function)|join (?:two|these|the) (?:tables|strings|lists))\b"
)

_SOON = pattern(
    r"\b(?:today|tonight|right now|this (?:afternoon|evening|morning)|in a (?:minute|moment|bit)|tomorrow morning)\b"
)
_OF_CODE = pattern(
    r"\b(?:goal|aim|point|purpose|priority|target|plan|dream|mission) of (?:this|the) "
    r"(?:function|loop|code|script|test|text|question|class|method|query|essay|exercise)\b"
)
_MERE_PLANNING = pattern(
    rf"{_WHO} (?:am|are|is|have been) (?:<ADV>)*(?:planning (?:an?|my|our|the) (?!.*\b(?:trip|wedding|move"
    r"|holiday|vacation|tour|expedition|honeymoon|sabbatical)\b)|learning about)"
)
_BARE_AIM = re.compile(
    r"(?:objective|goal|target|aim|ambition|dream|next|new|big|main|ultimate|long-term) ", re.IGNORECASE
)
_LEARNS = pattern(rf"{_WHO} (?:am|are|is|have been) (?:<ADV>)*(?:learning|practi[sc]ing|studying)\b")
_ON_THE_WAY = pattern(rf"{_WHO} (?:am|are) (?:<ADV>)*(?:set|on track|preparing a|looking|working on)\b")
_DOUBT = re.compile(r"^(?:I (?:think|guess|suppose|believe|feel like)(?: that)?|maybe|perhaps|probably|possibly)[, ]+")
_FLEETING_PLAN = pattern(
    r".*?\b(?:go(?:ing)? with|start(?:ing)? (?:with|by|off|working|thinking)|us(?:e|ing)|tak(?:e|ing) (?!up|over"
    r"|early|a (?:gap"
    r"|sabbatical|job))|try(?:ing)?|look(?:ing)? (?:into|at)|check(?:ing)?|get(?:ting)? (?!married|divorced|a (?:dog"
    r"|cat|puppy"
    r"|kitten|new job|degree|tattoo|divorce|mortgage|pet))|do(?:ing)?|mak(?:e|ing)|add(?:ing)?|includ(?:e|ing)"
    r"|creat(?:e|ing)"
    r"|need|consider|invest|head|visit(?:ing)?|giv(?:e|ing)|go(?:ing)? (?:for|to)|bring(?:ing)?|run(?:ning)? (?!a\b"
    r"|the|for)"
    r"|set(?:ting)?|wear(?:ing)?|order(?:ing)?|cook(?:ing)?|open(?:ing)? (?:up|with|the)|incorporat\w+|pair(?:ing)?)\b"
)
"""A next step that is only being considered; nothing to keep even with doubt."""
_CONSIDERING = pattern(
    r"(?:I|we) (?:<ADV>)*(?:might|may|am (?:<ADV>)*(?:thinking (?:of|about)|considering|leaning towards?"
    r"|toying with|tempted)"
    r"|are (?:<ADV>)*(?:thinking (?:of|about)|considering|leaning towards?)|will (?:probably|maybe|possibly)|will)\b"
)
_GREAT_CHANGE = pattern(
    r"\b(?:mov\w+|switch\w*|buy\w*|quit\w*|chang\w+|start\w*|join\w*|learn\w*|adopt\w*|sell\w*|leav\w+|apply\w*"
    r"|go\w* (?:back|with|to|vegan|vegetarian)|rewrit\w+|us\w+|migrat\w+|study\w*|retir\w+|get\w* (?:a"
    r"|married|an|divorced)"
    r"|run\w*|travel\w*|drop\w*|tak\w+|hir\w+|renovat\w+|open\w*)\b"
)
_VAGUE = pattern(r"\b(?:it|this|that|you|your|today|tonight|now)\b")
_DOUBTFUL = re.compile(r"\b(?:might|may|thinking|considering|leaning|toying|tempted|probably|maybe|possibly)\b")


_APOSTROPHE = re.compile(
    r"^((?:(?:the|my|our|[Nn]ext|this \w+'s) )?(?:[\w-]+ )?(?:[Tt]arget|[Gg]oal|[Aa]im|plan|objective|ambition"
    r"|dream))'s "
)
_LATER = pattern(
    r"^(?:(?:once|after|when|as soon as) [^,]{3,50}?,? (?=(?:the|my|our) (?:[\w-]+ )?(?:plan|goal|aim|target|idea"
    r"|dream) is\b)"
    r"|(?:next|then|now|one day|some ?day|eventually|ultimately|long[- ]term|in the long (?:run|term)|after that"
    r"|beyond that|down the line|later on),? (?=(?:I|we) (?:<ADV>)*(?:want|hope|plan|aim|would like|intend)))",
    re.IGNORECASE,
)
_BARE_WISH = re.compile(
    r"(?:really |also |still |just )?(?:want|hope|plan|aim|intend|would like|would love) to\b(?!.*\?)"
)
_BARE_DOING = re.compile(
    r"(?:really |also |still )?(?:hoping|aiming|planning|trying|training|saving(?: up)?|working|determined"
    r"|looking) (?:to|for|towards?)\b"
)
_THE_AIM = re.compile(
    r"the (?=(?:\w+ )?(?:goal|objective|aim|target|ambition)\b(?! of)(?: for [^,]{2,30}?| this \w+| here| now)? is\b)"
)
_OF_IT = re.compile(
    r" (?:on|in|for|with|to|of|from) (?:it|this|that|them)(?= (?:by|before|in|until)\b)| there(?= (?:by|before)\b)"
)


_LOOSE_END = re.compile(r" (?:after(?:wards)?|this time(?: around| round)?)(?=,|$)")


def _plainly(text: str) -> str:
    """A goal said as a fragment, after "once …" or with a clipped "is", as a sentence."""
    text = _LOOSE_END.sub("", text)
    text = _LATER.sub("", _APOSTROPHE.sub(r"\1 is ", text))
    uncapped = text[:1].lower() + text[1:]
    if _BARE_WISH.match(uncapped):
        return f"I {uncapped}"
    if _BARE_DOING.match(uncapped):
        return f"I am {uncapped}"
    text = _THE_AIM.sub("my ", text)
    return _OF_IT.sub("", text)


_ANNOUNCED = re.compile(
    r"(?:(?:ok|okay|right|so|and|also),? )*(?P<head>(?:(?:my|our|the|next|new|big|main|current|long-term|first|second"
    r"|one"
    r"|other|another|only|new year's|personal|fitness|q[1-4]|sprint|team|career|savings|sales) )*(?:goal|target"
    r"|objective|aim"
    r"|ambition|milestone|resolution|okr)(?P<many>s)?(?: for [^:]{2,30}| this \w+| now| here| as agreed)*)"
    r"(?::| [–—-]) (?P<body>[^:]{6,160})",
    re.IGNORECASE,
)
_INSIDE = pattern(
    r"(?:.*?), (?:and |but |so )?(?P<v>(?:(?:long[- ]term|in the long run|eventually|ultimately|one day|after that),? "
    r"(?:I|we) (?:<ADV>)*(?:want|hope|plan|aim)|(?<!who )(?:want|hoping|aiming|would like|planning)) to [^,]+)"
)
_OWN_START = re.compile(r"(?:I|we|my|our)\b", re.IGNORECASE)
_A_VERB = re.compile(
    r"(?:to )?(?!the\b|an?\b|my\b|our\b|no\b|\d)[a-z]+(?<!s)(?<!ing) (?:off |up |out |down |in |back )?(?:the|an?|my"
    r"|our|to|all|\d|from|below|under|at)\b"
)


_EACH_AIM = re.compile(r"; |, (?:and )?|,? and (?=[\w-]+ \w+)")


def headed(said: str) -> bool:
    """Whether all of a sentence stands under a heading such as "Next goal:"."""
    return _ANNOUNCED.match(said) is not None


def _under(head: str, body: str) -> Draft:
    head = re.sub(r"\bq(?=[1-4]\b)", "Q", re.sub(r"(?<!\bthi)s(?=$| for)", "", head.lower()))
    head = head if _OWN_START.match(head) else f"my {head.removeprefix('the ')}"
    verb = "to " if _A_VERB.match(body) and not body.startswith("to ") else ""
    return Draft("goal", f"{head} is {verb}{body}", 0.85)


def announced(said: str) -> Iterator[Draft]:
    """Goals that a sentence names under a heading ("Next goal: …") or adds to something else it tells."""
    match = _ANNOUNCED.match(said)
    if match is not None:
        for body in _EACH_AIM.split(match["body"]) if match["many"] else [match["body"]]:
            yield _under(match["head"], body.strip())
    elif (inside := _INSIDE.match(said)) is not None and _OWN_START.match(said):
        found = goal(inside["v"])
        if found is not None:
            yield found


_GIVEN_UP = pattern(
    rf"{_WHO} (?:have |has )?(?:<ADV>)*(?:(?:gave|given) up (?:on |the idea of |trying )|(?:abandoned|dropped|shelved"
    r"|ditched"
    r"|gave up|given up|scrapped|buried) (?:on )?(?:the|my|our|all) (?:[\w-]+ )?(?:plans?|goal|dream|idea|hopes?"
    r"|ambition|aim"
    r"|target)\b)"
    rf"|{_WHO} (?:am|are|is) no longer (?:training|saving|aiming|hoping|planning|working|trying) (?:for|to|towards?)\b"
    rf"|{_WHO} no longer (?:want|plan|intend|aim|hope) to\b"
    rf"|{_WHO} (?:do|does) not (?:<ADV>)*(?:want|plan|intend|aim|hope) to (?!.*\b(?:today|tonight|now)\b)[^,]+ "
    r"(?:any ?more|any longer|after all)$"
)


def _as_a_goal(text: str) -> str:
    """ "What I am after is …" as "my goal is …"."""
    return _WHAT_WANTED.sub(lambda found: f"{'my' if found['who'] == 'I' else 'our'} goal is ", text, count=1)


def _wants_by(text: str) -> bool:
    """A thing wanted by a date that lies further off than the next days."""
    return bool(_WANT_THING.match(text) and _FAR.search(text))


def goal(text: str) -> Draft | None:
    """Something that is aimed at."""
    text = _plainly(text)
    text = _as_a_goal(text)
    if _GIVEN_UP.match(text):
        return Draft("goal", text, ends=True)
    if not (_wants_by(text) or any(rule.match(text) for rule in _AIMING)) or not _lasting(text):
        return None
    if _BARE_AIM.match(text):
        text = f"my {text[:1].lower()}{text[1:]}"
    learns = _LEARNS.match(text) and not _DEADLINE.search(text)
    return Draft("goal", text, 0.75 if learns else 0.9)


_QUALIFYING = pattern(
    r"\bto (?:<ADV>)*(?:get|earn|obtain|do|take|gain) (?:an?|the|my) (?:[\w:-]+ ){0,4}?(?:degree|certificate|specialty"
    r"|licen[cs]e|certification|qualification|diploma|belt|promotion|scholarship|citizenship|mortgage|apprenticeship"
    r"|phd|PhD"
    r"|master's|doctorate|grade \d)\b"
)


def _lasting(text: str) -> bool:
    """Whether it is more than the next step: an achievement, or something with a date."""
    achieves, deadline = _ACHIEVEMENT.search(text), _DEADLINE.search(text)
    if (
        _OF_THE_MOMENT.match(text)
        and not _NAMED_AIM.match(text)
        and not _QUALIFYING.search(text)
        and not (achieves and deadline)
        and not _FAR.search(text)
    ):
        return False
    if _MERE_PLANNING.match(text) and deadline is None:
        return False
    if _SOON.search(text) or _OF_CODE.search(text) or _LOOKING_FOR.match(text):
        return False
    if _WANT_DONE.match(text):
        return deadline is not None
    needs_more = _WANT.match(text) or _TRY.match(text) or _ON_THE_WAY.match(text)
    return not needs_more or achieves is not None or deadline is not None


def tentative(text: str) -> Draft | None:
    """A plan said with doubt: kept aside until it is confirmed."""
    bare = _DOUBT.sub("", text)
    considering = _CONSIDERING.match(bare)
    if considering is None or _VAGUE.search(bare) or not _GREAT_CHANGE.search(bare):
        return None
    if _FLEETING_PLAN.match(" ".join(bare[considering.end() :].split()[:3])):
        return None
    return Draft("goal", bare if _DOUBTFUL.search(bare) else re.sub(r"\bwill\b", "might", bare, count=1), 0.5)


_BARE_WISH = re.compile(
    r"(?P<do>need|want|wish)(?= to\b)|(?P<doing>hoping|trying|aiming|planning|looking)(?= to\b)", re.IGNORECASE
)
_SOMEBODY = re.compile(r"\b(?:I|me|my|mine|we|us|our|ours)\b|^[A-Z]\w+ (?:is|has|wants|hopes|plans|aims|would)\b")
_THE_AIM = re.compile(r"the (?=(?:dream|plan|goal|aim|target|idea|hope|objective)\b)", re.IGNORECASE)


def attributed(text: str, own: bool) -> str:
    """A goal with whose it is: "stop working at 62" alone could be anybody's."""
    text = _as_a_goal(text) if _WHAT_WANTED.match(text) else text
    if own or _SOMEBODY.search(text):
        return text
    if (bare := _BARE_WISH.match(text)) is not None:
        return f"I {'am ' if bare['doing'] else ''}{text[:1].lower()}{text[1:]}"
    if _THE_AIM.match(text):
        return _THE_AIM.sub("my ", text, count=1)
    return f"my goal: {text[:1].lower()}{text[1:]}"
