"""What is aimed at, and what is only being considered."""

import re

from recollect.understanding.keyless.draft import Draft
from recollect.understanding.keyless.text import pattern

_WHO = r"(?:I|we|(?:my|our) [\w-]+(?: <CAP>)? and I|<CAP> and I|(?:my|our) team|the team|our company)"
_AIMING = (
    pattern(
        r"(?:my|our|the) (?:[\w-]+ ){0,3}(?:goal|aim|target(?: weight| score| time| date| price)?"
        r"|objective|ambition|resolution|dream|plan|mission|intention|hope|OKR|north star|milestone"
        r"|priority)s?(?: for [^,;]{2,40}?| this \w+| with [^,.;]{2,40}?| here| now| in \d{4}| of mine| "
        r"at \w+| as agreed| on \w+)? (?:is|are|remains|was always|has always been) (?!not\b|unclear|what"
        r"|simple$)"
    ),
    pattern(
        rf"{_WHO} (?:am|are|is|have been) (?:<ADV>|both |all )*(?:aiming|hoping|planning|intending"
        r"|training|saving(?: up)?|preparing|studying|working towards?|working on becoming|determined|on "
        r"track|set|looking|striving|gunning|shooting|practi[sc]ing|applying) (?:to\b|for\b|on\b"
        r"|towards?\b|a\b|an\b|my\b|our\b)"
    ),
    pattern(rf"{_WHO} (?:<ADV>)*(?:aim|aims|plan|plans|intend|intends|hope|hopes) (?:to|on)\b"),
    pattern(rf"{_WHO} (?:<ADV>)*(?:want|wants|would like|would love) to\b"),
    pattern(
        rf"{_WHO} (?:<ADV>)*(?:want|wants|would like) (?:the|my|our|everything)\b.{{0,60}}\b(?:finished"
        r"|done|ready|complete|completed|live|painted|out|shipped|launched|paid off|built|over)\b"
    ),
    pattern(
        rf"{_WHO} (?:am|are|is|have been) (?:<ADV>)*(?:trying|learning|working hard|attempting|teaching "
        r"myself)(?: (?:to|how to))?\b"
    ),
    pattern(r"by (?:the )?[^,]{3,40},? (?:I|we) (?:want|will|plan|hope|aim|intend|would like) (?:to )?"),
    pattern(
        rf"{_WHO} (?:have|has) (?:<ADV>)*(?:set (?:myself|ourselves) (?:the|a) (?:goal|target|aim)|signed "
        r"up (?:for|to run)|set my sights on|committed (?:myself )?to|vowed to|promised myself to)\b"
    ),
)
_WANT_DONE = pattern(
    rf"{_WHO} (?:<ADV>)*(?:want|wants|would like|need) (?:it|the|my|our|everything"
    r"|this)\b.{0,60}\b(?:finished|done|ready|complete|completed|live|painted|out|shipped|launched|paid "
    r"off|built|over)\b"
)
_WHAT_WANTED = pattern(r"what (?P<who>I|we) (?:<ADV>|do )*(?:want|need|aim for|am after|are after|hope for) is ")
_WANT = pattern(rf"{_WHO} (?:<ADV>)*(?:want|wants|would like|would love) to\b")
_TRY = pattern(rf"{_WHO} (?:am|are|is|have been) (?:<ADV>)*(?:trying|attempting|looking) to\b")
_LOOKING_FOR = pattern(rf"{_WHO} (?:am|are|is) (?:<ADV>)*looking (?:for|at|on|a|an|my|our|forward)\b")
_ACHIEVEMENT = pattern(
    r"\bto (?:<ADV>|one day |eventually |finally |also )*(?:learn(?! (?:more|what|why|whether))|become"
    r"|run (?:a|an|my|the|\d|under|at)|lose (?:\d|some weight|weight)|gain \d|write (?:a|my) (?:book"
    r"|novel|thesis|memoir|phd)|publish|launch|ship|buy (?:a|my|our) (?:house|flat|home|car|boat|place"
    r"|apartment|cabin|van|piano|farm)|quit|move to|move (?:back|out|abroad|closer|into)|start (?:a|my"
    r"|our) (?:own )?(?:business|company|family|podcast|blog|phd|startup|bakery|masters?|channel|degree"
    r"|farm|career)|open (?:a|my|our)|found (?:a|my)|visit|travel|retire|climb|hike|cycle (?:to|from"
    r"|across)|swim (?:a|the)|finish (?:my|the|our|a)|complete (?:my|the|our|a)|graduate|get (?:down to"
    r"|under|below|above|over|fit|certified|into|better at|a promotion|promoted|my|in shape|a degree"
    r"|married|a job|a dog|a cat|under|fluent)|pass|reach|grow (?:the|our|my|to)|reduce|cut (?:the|our|my"
    r"|back|down)|increase|double|halve|improve (?:my|our|the) (?!code|answer|function|prompt|text|query)"
    r"|earn|save (?:\$|€|£|\d|up|enough|for|money)|pay off|migrate|release|qualify|win|build (?:a|my|our"
    r"|up) (?:house|business|own|career|company|app|cabin|boat|treehouse|deck|platform|startup|saas|game"
    r"|greenhouse|community|home)|switch careers|change careers|study (?:in|at|medicine|law|abroad)|speak"
    r"|master|play (?:the|in|a)|adopt|raise|expand|hire|beat|do (?:a|my) (?:phd|master|triathlon|marathon"
    r"|degree|doctorate)|apply (?:to|for)|go (?:back to (?:school|university|uni)|vegan|vegetarian"
    r"|freelance|part-time|plastic-free)|cook (?:more|at home)|read (?:\d+|more|one|two|twelve|fifty|a "
    r"book)|eat (?:less|more|healthier)|drink (?:less|more)|sleep (?:more|eight|at least)|walk (?:the|\d"
    r"|more|\w+ steps)|exercise|stop (?:smoking|drinking|biting|eating)|give up|have (?:\w+ "
    r")?(?:customers|users|paying)|have (?:passed|finished|completed|saved|written|learned|read|paid|lost"
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
    r"|six|Q[1-4]|ten)|within (?:the|a|\w+) |one day|someday|eventually|by age|before turning|later this "
    r"year|this (?:spring|summer|autumn|fall|winter|quarter|season))\b"
)
_OF_THE_MOMENT = pattern(
    r"\bto (?:<ADV>)*(?:know|ask|see|understand|use|make (?:it|this|sure|a (?:function|list|table|script"
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
_LEARNS = pattern(rf"{_WHO} (?:am|are|is|have been) (?:<ADV>)*(?:learning|practi[sc]ing|studying)\b")
_ON_THE_WAY = pattern(rf"{_WHO} (?:am|are) (?:<ADV>)*(?:set|on track|preparing a|looking|working on)\b")
_DOUBT = re.compile(r"^(?:I (?:think|guess|suppose|believe|feel like)(?: that)?|maybe|perhaps|probably|possibly)[, ]+")
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


def goal(text: str) -> Draft | None:
    """Something that is aimed at."""
    text = _WHAT_WANTED.sub(lambda found: f"{'my' if found['who'] == 'I' else 'our'} goal is ", text)
    if not any(rule.match(text) for rule in _AIMING) or not _lasting(text):
        return None
    learns = _LEARNS.match(text) and not _DEADLINE.search(text)
    return Draft("goal", text, 0.75 if learns else 0.9)


def _lasting(text: str) -> bool:
    """Whether it is more than the next step: an achievement, or something with a date."""
    achieves, deadline = _ACHIEVEMENT.search(text), _DEADLINE.search(text)
    if _OF_THE_MOMENT.search(text) and not (achieves and deadline):
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
    if not _CONSIDERING.match(bare) or not _GREAT_CHANGE.search(bare) or _VAGUE.search(bare):
        return None
    return Draft("goal", bare if _DOUBTFUL.search(bare) else re.sub(r"\bwill\b", "might", bare, count=1), 0.5)
