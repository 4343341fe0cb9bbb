"""Likes and dislikes that have no key."""

from recollect.understanding.keyless.draft import Draft, pointing
from recollect.understanding.keyless.text import pattern

_TASTE = (
    r"(?:like|love|hate|dislike|prefer|enjoy|adore|detest|loathe|despise|cannot stand|cannot bear|appreciate"
    r"|favor|favour|avoid|fancy|mind)"
)
_LIKES = pattern(
    r"(?P<who>I|we) (?P<adverbs>(?:<ADV>|would |much |do |very much )*)(?P<not>do not (?:<ADV>"
    rf"|particularly )*|no longer |not )?(?P<verb>{_TASTE}) (?P<v>.+)"
)
_FOND = pattern(
    r"I am (?:<ADV>|not |so |a bit |no longer |so very )*(?:(?:a |an )?(?:(?:big|huge|massive|great|major"
    r"|lifelong|real|avid|die-hard|total|keen) )*(?:fan of|lover of|fond of|into|crazy about|keen on"
    r"|partial to|mad about|obsessed with|passionate about|addicted to|nuts about|hooked on|big on|wild "
    r"about|in love with|not a fan of|sucker for))(?: of)? (?P<v>.+)"
)
_FAN = pattern(
    r"I am (?:<ADV>)*(?:a|an) (?:(?:big|huge|massive|great|lifelong|real|avid|total|keen|die-hard"
    r"|passionate|serious) )*(?P<v>[\w -]{3,30}) (?:fan|lover|person|addict|enthusiast|nut|buff|nerd|geek"
    r"|fanatic|aficionado|drinker|eater)(?=$|[,.]| (?:and|but|rather|not|through|more|myself|at heart)\b)"
)
_RATHER = pattern(r"I would (?:<ADV>|much )*rather (?P<v>.+ than .+)")
_TAKES_OVER = pattern(r"I would (?:<ADV>)*(?:take|pick|choose) (?P<v>.+ over .+)")
_CARES = pattern(
    r"I (?:<ADV>)*(?:do not|never) (?:<ADV>)*(?:care for|care much for|get on with|get along with) (?P<v>.+)"
)
_INTO = pattern(r"what I am (?:<ADV>)*into(?: now| lately| these days)? is (?P<v>.+)")
_EVER = pattern(
    r"I have (?:<ADV>)*(?:never|always) (?:<ADV>)*(?:liked|loved|hated|enjoyed|preferred|disliked) (?P<v>.+)"
)
_MY_THING = pattern(
    r"(?P<v>(?:[\w'-]+ ){1,4}?)(?:is|are) (?:<ADV>|not |so )*(?:my thing|my cup of tea|my jam|for me|my favou?rites?)$"
)
_OBJECT_FIRST = pattern(
    r"(?P<v>(?:<CAP>|[\w-]+)(?: [\w-]+)?) I (?P<verb>(?:<ADV>)*(?:love|hate|cannot stand|do not "
    r"(?:<ADV>)*like|adore|dislike))(?=$|,)"
)
_TASTE_OF_MINE = pattern(
    r"(?:my (?:taste|tastes|preference|preferences|go-to|guilty pleasure|comfort food|passion|hobby"
    r"|hobbies|pet peeve|thing)(?: [\w ]{0,20}?)? (?:is|are|runs?|leans?|in)\b|(?:nothing|not much) "
    r"beats)"
)
_NOT_LASTING = pattern(
    r"^(?:it|this|that(?! (?:everything|people|things|all|meetings|code|every))|these|those|them|you|your"
    r"|him|her|the (?:idea|answer|way you|second|first|third|last|new|other|one|suggestion|look|sound"
    r"|version|result|plan|title|name|example|draft|tone|summary|response|approach|solution|design you"
    r"|code|fact|option|latter|former|explanation|point|direction|structure|thought|list|story|poem"
    r"|picture|image)|to (?:know|see|hear|ask|say|think|thank|add|get|order|book|make|point|try|have|use "
    r"it|understand|change|be (?:able|honest|clear))|how|what|where|when you|if|a (?:bit|little|moment"
    r"|minute|second|quick|table|refund|different|recipe|few|list|copy)|some|another|one|more|your|both"
    r"|any|an (?:answer|example|explanation|overview|update)|help|option|version|all of|both of"
    r"|everything you|here|being (?:wrong|interrupted)|my (?:chances|new|job)|things (?:so far|as "
    r"they))\b"
)

_ANY_DAY = pattern(
    r"(?P<v>[\w-]+(?: [\w-]+)? (?:over|rather than) [\w-]+(?: [\w-]+)?),? (?:any day|every time|all day"
    r"|any time|always)\b"
)
_WITH_OBJECT = (_FOND, _FAN, _RATHER, _TAKES_OVER, _CARES, _EVER, _MY_THING)
_NOT_A_TASTE = frozenset({"mind", "appreciate", "fancy"})


def preference(text: str) -> Draft | None:
    """A like or a dislike that lasts."""
    if (match := _OBJECT_FIRST.match(text)) is not None and not pointing(match["v"].lower()):
        return Draft("preference", f"I {match['verb']} {match['v']}")
    if (match := _ANY_DAY.match(text)) is not None and not pointing(match["v"].lower()):
        return Draft("preference", f"I prefer {match['v'][:1].lower()}{match['v'][1:]}")
    if (match := _INTO.match(text)) is not None:
        return Draft("preference", f"I am into {match['v']}")
    for rule in _WITH_OBJECT:
        if (match := rule.match(text)) is not None:
            return None if _NOT_LASTING.match(match["v"]) or pointing(match["v"]) else Draft("preference", text)
    return _liked(text)


def _liked(text: str) -> Draft | None:
    match = _LIKES.match(text)
    if match is None:
        return Draft("preference", text, 0.85) if _TASTE_OF_MINE.match(text) else None
    if _NOT_LASTING.match(match["v"]) or "would" in match["adverbs"] or match["verb"] in _NOT_A_TASTE:
        return None
    return Draft("preference", text, ends=(match["not"] or "").startswith("no longer"))
