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
    r"I am (?:<ADV>|not |so |a bit |no longer |so very |very |pretty |rather |super |extremely |incredibly |terribly "
    r")*(?:(?:a |an )?(?:(?:big|huge|massive|great|major"
    r"|lifelong|real|avid|die-hard|total|keen) )*(?:fan of|lover of|fond of|into|crazy about|keen on"
    r"|partial to|mad about|obsessed with|passionate about|addicted to|nuts about|hooked on|big on|wild "
    r"about|in love with|not a fan of|sucker for))(?: of)? (?P<v>.+)"
)
_FAN = pattern(
    r"I am (?:<ADV>)*(?:a|an) (?:(?:big|huge|massive|great|lifelong|real|avid|total|keen|die-hard"
    r"|passionate|serious) )*(?P<v>[\w -]{3,30}) (?:fan|lover|person|addict|enthusiast|nut|buff|nerd|geek"
    r"|fanatic|aficionado|drinker|eater)(?=$|[,.]| (?:and|but|rather|not|through|more|myself|at heart)\b)"
)
_RATHER = pattern(r"I would (?:<ADV>|much )*(?:rather|sooner) (?P<v>.+ than .+)")
_NO_TIME_FOR = pattern(
    r"I (?:<ADV>)*(?:have (?:<ADV>)*(?:no (?:patience|time|love|stomach|use|interest)|little (?:patience|time|love"
    r"|interest)|zero (?:patience|interest|tolerance)|(?:a |an )?(?:real |huge |big |definite |bit of a |massive "
    r")*(?:soft"
    r" spot|weakness|sweet tooth|thing|passion|aversion|dislike|love|preference|fondness|hatred|obsession))(?: for| "
    r"to| of"
    r"| in| with)|swear by|live for|cannot be doing with|cannot be bothered with|cannot get enough of|cannot abide"
    r"|cannot deal with|could not care less about|do not (?:<ADV>)*(?:go in for|see the (?:point|appeal) of|get the"
    r" (?:point|appeal|hype) of|rate)|am (?:<ADV>)*happiest|am (?:<ADV>)*(?:put off|bored) by|gravitate towards?"
    r"|(?:steer|stay) clear of|am (?:<ADV>)*not one for|(?:always|never|usually|tend to) go for|would choose|am "
    r"allergic to small talk) (?P<v>.+)"
)
_NOT_FOR_ME = pattern(
    r"(?P<v>(?!this|that|it|these|those|your|you)(?:[\w'-]+ ){0,3}[\w'-]+)(?: on the other hand)?(?:, (?:no thanks$"
    r"|no thank you$|hard pass$|no way$|)| (?:just |simply |really )?(?:is|are) )"
    r"(?:(?<=thanks)|(?<=you)|(?<=pass)|(?<=way)|(?:<ADV>)*(?:not|never) (?:<ADV>)*(?:for me|my (?:thing|cup of tea"
    r"|scene|style|bag|jam)))$"
)
_GRATES = pattern(
    r"(?P<v>(?!this|that|it|these|those|he|she|you|they|I|we|my|your|the (?:code|build|test|error|bug|script)|what)"
    r"(?:[\w'-]+ ){1,5}?)(?:<ADV>)*(?:drives? me (?:mad|crazy|nuts|up the wall|insane|round the bend)|gets? on my "
    r"nerves"
    r"|gets? my goat|does my head in|do my head in|puts? me off|bores? me|make my skin crawl|makes my skin crawl"
    r"|makes? me"
    r" (?:cringe|shudder|gag)|leaves? me cold|relax(?:es)? me|calms? me|always cheers? me up)\b"
)
_GIVE_ME = pattern(r"give me (?P<v>.+?)(?:,)? (?:over .+|any day|any time|every time)")
_TAKES_OVER = pattern(r"I would (?:<ADV>)*(?:take|pick|choose) (?P<v>.+ over .+)")
_CARES = pattern(
    r"I (?:<ADV>)*(?:do not|never) (?:<ADV>)*(?:care for|care much for|get on with|get along with) (?P<v>.+)"
)
_MORE_OF = pattern(r"I am (?:<ADV>)*(?:more (?:of )?an?|much more of an?) (?P<v>[\w -]{2,40} (?:than|person).*)")
_BEST = pattern(
    r"what I (?:<ADV>)*(?:do )?(?P<verb>like|love|enjoy|hate|dislike|prefer)(?: (?:best|most|least))? (?:is|are) "
    r"(?P<v>.+)"
)
_INTO = pattern(r"what I am (?:<ADV>)*into(?: now| lately| these days)? is (?P<v>.+)")
_EVER = pattern(
    r"I have (?:<ADV>)*(?:never|always) (?:<ADV>)*(?:liked|loved|hated|enjoyed|preferred|disliked) (?P<v>.+)"
)
_MY_THING = pattern(
    r"(?P<v>(?:[\w'-]+ ){1,4}?)(?:is|are) (?:<ADV>|not |so )*(?:my thing|my cup of tea|my jam|for me|my favou?rites?)$"
)
_OBJECT_FIRST = pattern(
    r"(?P<v>(?![Ss]ometimes|[Uu]sually|[Ll]ately|[Pp]ersonally|<ADV>)(?:<CAP>|[\w-]+)(?: [\w-]+)?)(?: on the other "
    r"hand)?,? I (?P<verb>(?:<ADV>)*(?:love|hate|cannot stand|do "
    r"not "
    r"(?:<ADV>)*like|adore|dislike|enjoy|prefer|am (?:<ADV>)*(?:up for|into|fond of|not into)))"
    r"(?P<more> (?:far |much |way |a lot )?(?:more|better) than .+| to .+)?(?=$|,)"
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
_WITH_OBJECT = (_MORE_OF, _FOND, _FAN, _RATHER, _TAKES_OVER, _CARES, _NO_TIME_FOR, _EVER, _MY_THING, _GRATES)
_THOSE = pattern(
    r"(?:those|these) (?!two|three|ones|are|were|is)(?!.*\b(?:ideas?|suggestions|tips|options|recommendations"
    r"|examples|answers|pics?|photos)\b)[\w-]+ [\w-]+"
)
_AT_HAND = pattern(
    r"(?:(?:two|three|four|five|six|one)$|the (?!sea|mountains?|outdoors|smell|sound|taste|feel|feeling|beach"
    r"|country|countryside|city|north|south|theat|cold"
    r"|heat|rain|snow|dark|quiet|ocean|woods|forest|piano|guitar|violin|cello|colou?r|opera|ballet|desert|summer|winter"
    r"|autumn|fall|spring|weekend|morning|early|night|water|gym|office|idea of|thought of|peace|silence|sun|coast"
    r"|way (?!you)"
    r"|whole|(?-i:[A-Z])).+|all (?:the|of|these|those|your)\b.*|me\b.*|myself\b.*|and\b.*|as\b.*|I\b.*|we\b.*|each "
    r"other.*"
    r"|how\b.*|.*\bidea$|.*\b(?:suggestions?|recommendations?)\b.*)$"
)
"""What lies on the table of this talk rather than what is liked in general."""
_NOT_A_TASTE = frozenset({"mind", "appreciate", "fancy"})


_GONE_OFF = pattern(
    r"I (?:have (?:<ADV>)*(?:gone off|grown to (?:like|love|hate)|come to (?:like|love|hate|prefer)"
    r"|fallen (?:in love with"
    r"|for|out of love with)|warmed to|cooled on|lost interest in|gotten into|got into)) (?P<v>.+)"
)
_DO_NOT_DO = pattern(
    r"I (?:<ADV>)*(?:do not|never) (?:<ADV>)*do (?P<v>(?:small talk|phone calls|calls|texts?(?: messages)?|mornings"
    r"|<DAY>s|voice (?:notes|messages|calls)|video calls|meetings|social media|crowds|heights|camping|emojis|WhatsApp"
    r"|e-?mails?|group chats|surprises|horror|musicals|cocktails|seafood|spicy(?: food)?)\b.*)"
)
_SUITS = pattern(
    r"(?P<v>(?!this|that|it|these|those|he|she|you|they|your|which|what)(?:[\w'-]+ ){1,6}?)(?:<ADV>)*(?:suits? me"
    r"|works? "
    r"(?:\w+ )?(?:better|best) for me|beats? [\w ]{2,40} for me|(?:is|are) more my (?:thing|style))\b.*"
)
_LIKING = pattern(r"I am (?P<not>not )?(?:<ADV>)*(?P<verb>lik|lov|hat|prefer)(?:r?ing) (?P<v>.+)")


def preference(text: str) -> Draft | None:
    """A like or a dislike that lasts."""
    return _turned(text) or _fond(_simply(text))


def _simply(text: str) -> str:
    """ "I am not liking spicy food" as "I do not like spicy food"."""
    match = _LIKING.match(text)
    if match is None:
        return text
    verb = match["verb"] if match["verb"] == "prefer" else f"{match['verb']}e"
    return f"I {'do not ' if match['not'] else ''}{verb} {match['v']}"


def _turned(text: str) -> Draft | None:
    """A taste said in another order than "I like …", turned into that."""
    if (match := _OBJECT_FIRST.match(text)) is not None and not pointing(match["v"].lower()):
        return Draft("preference", f"I {match['verb']} {match['v']}{match['more'] or ''}")
    if (match := _ANY_DAY.match(text)) is not None and not pointing(match["v"].lower()):
        return Draft("preference", f"I prefer {match['v'][:1].lower()}{match['v'][1:]}")
    if (match := _INTO.match(text)) is not None:
        return Draft("preference", f"I am into {match['v']}")
    if (match := _BEST.match(text)) is not None and not _of_the_moment(match["v"]):
        return Draft("preference", f"I {match['verb']} {match['v']}")
    if (match := _NOT_FOR_ME.match(text)) is not None:
        return Draft("preference", f"{match['v']} is not for me", 0.85)
    return Draft("preference", f"I prefer {text[8:]}", 0.85) if _GIVE_ME.match(text) else None


def _fond(text: str) -> Draft | None:
    for rule in (*_WITH_OBJECT, _GONE_OFF, _DO_NOT_DO, _SUITS):
        if (match := rule.match(text)) is not None:
            return None if _of_the_moment(match["v"]) else Draft("preference", text)
    return _liked(text)


def _of_the_moment(liked: str) -> bool:
    """Whether it is a thing of this talk that is liked."""
    if _THOSE.match(liked):
        return False
    return bool(_NOT_LASTING.match(liked) or pointing(liked) or _AT_HAND.match(liked))


def _liked(text: str) -> Draft | None:
    match = _LIKES.match(text)
    if match is None:
        return Draft("preference", text, 0.85) if _TASTE_OF_MINE.match(text) else None
    if _of_the_moment(match["v"]) or "would" in match["adverbs"] or match["verb"] in _NOT_A_TASTE:
        return None
    text = text.replace(" those ", " ", 1).replace(" these ", " ", 1) if _THOSE.match(match["v"]) else text
    return Draft("preference", text, ends=(match["not"] or "").startswith("no longer"))
