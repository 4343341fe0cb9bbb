"""Choices that were made."""

import re
from collections.abc import Iterator

from recollect.understanding.keyless.draft import Draft
from recollect.understanding.keyless.text import pattern

_WE = (
    r"(?:I|we|my (?:boss|wife and I|husband and I|partner and I|wife|husband|partner)|our (?:boss|cto|CTO)"
    r"|(?:the|my|our) (?!other\b)(?:[\w'’-]+ )?(?:team|board|group|company|committee|family|council|club|band|staff"
    r"|partners|trustees|residents|association|choir|class|parents|management|owners|members|society|crew|jury"
    r"|panel|syndicate|co-op"
    r"|department|faculty|squad|neighbours|neighbors|street|office|parish|school|union|firm|lab|kids|clients)"
    r"|(?:Team|Committee|Board|Council|Management|Everyone|Club|Choir|Family)"
    r"|(?:my|our) [\w-]+(?: <CAP>)? and I|<CAP> and I)"
)
_AUX = r"(?:<ADV>|have |has |all |both |had )*"
_DECIDED = (
    pattern(
        rf"{_WE} {_AUX}(?:decided|agreed(?=:)|ended up (?:choosing|going with|picking|taking|buying)|made "
        r"the call|accepted (?:the|an?|their) (?:[\w-]+ )?(?:offer|job|position|post|place|role)\b|turned down"
        r"|turned .{2,50} down"
        r"|declined the"
        r"|approved|signed off on|made (?:my|our) (?:mind|minds) up|chose|chosen|settled on|opted|agreed "
        r"(?:(?:yesterday|today|(?:last|this) \w+|on \w+) )?(?:to|on|that|not to|we|I am|with .{2,30} to)"
        r"|picked(?! up)|went "
        r"with|gone with|(?:went|gone) for (?:the|an? (?!walk|run|swim|drive|ride|coffee|drink|hike|jog|meal|check"
        r"|stroll))|made up (?:my|our) minds? (?:to|about|on)|voted (?:(?:yesterday|today|(?:last|this|on) \w+"
        r"|on \w+|unanimously) )?(?:to|for|against)|resolved (?:(?:at|in|on) (?:the )?[\w-]+ )?(?:to|that)"
        r"|elected to|concluded that we|ruled out"
        r"|scrapped|shelved|froze|ditched|binned|axed|greenlit|cancelled|canceled|killed off|postponed|signed off on"
        r"|committed to|locked in"
        r"|finali[sz]ed|landed on|standardi[sz]ed on|plumped for|gave the (?:green light|go-ahead) to"
        r"|signed with|rejected the|voted down|thrown out the|threw out the|awarded (?:the|.{2,30} to)"
        r"|said (?:yes|no) to|pulled the (?:plug|trigger) on|called off|vetoed|sworn off|swore off"
        r"|walked away from|withdrawn (?:my|our|the))\b(?! if\b| whether\b| yet\b)"
    ),
    pattern(
        rf"{_WE} (?:am|are|is|will be|shall be) (?:<ADV>|not )*(?:going with|going live|going to (?:use|go with"
        rf"|switch to|drop|migrate "
        r"to|keep|stick with|adopt|build (?:it|the|this|our) .{2,40} (?:in|on|with)|rewrite|replace"
        r"|take the|host|deploy|skip|cancel|postpone|rent|deprecate|support)|sticking with|moving "
        r"(?:forward|ahead) with|proceeding with|switching (?:(?:from|the|our|my|over|all) (?:.{2,40} )?)?to"
        r"|dropping|doing away with|moving "
        r"(?:away from|off)|settling on|choosing|replacing|adopting|standardi[sz]ing on|opting for|cancelling"
        r"|canceling|postponing|abandoning|binning|axing|deprecating|retiring the|phasing out|migrating (?:from "
        r".{2,40} )?to|keeping the|ditching|skipping|picking|turning down|not (?:renewing|going|doing"
        r"|buying|taking|applying|moving|selling|extending|accepting)|renewing|accepting the|rejecting"
        r"|scrapping|pausing|freezing (?:the|our|my|all|hiring)|sunsetting|delaying|keeping|shutting (?:the|our|my)"
        r" \w+|naming|calling (?:the|our|her|him) \w+|handing .{2,40} over|handing over|passing .{2,40} on to"
        r"|giving up \w+|giving .{2,30} up"
        r"|getting rid of|letting .{2,20} go|outsourcing|closing (?:the|our|my) \w+|putting .{2,40} (?:towards|into"
        r"|on hold)"
        r"|buying (?:second[ -]hand|used|new|the)|selling (?:the|our|my) \w+|pulling out of|calling off|bringing "
        r".{2,30}"
        r" in-house|building .{2,40} as an? \w+|rewriting|hiring|opening|signing with"
        r"|merging|discontinuing|holding off on|having the \w+|leaving (?:the|our|my)|cutting (?:out|the|our|back))\b"
    ),
    pattern(
        rf"{_WE} (?:am|are|is|will be|am going|are going) (?:<ADV>|not )*(?:\w+ing|to \w+) .{{2,80}}(?:\binstead\b"
        rf"|\brather "
        r"than\b|\bfrom now on$)(?!.*\b(?:today|tonight|this (?:time|morning|evening|afternoon))\b)"
    ),
    pattern(
        rf"{_WE} (?:<ADV>)*will (?:<ADV>)*not (?:<ADV>)*be (?!able|long|late|back|here|there|home|around|available"
        rf"|joining"
        r"|attending|seeing|needing|sleeping|getting|doing that)\w+ing (?!today|tonight|it\b|this\b|that\b)\w+"
    ),
    pattern(
        rf"{_WE} (?:have |has )?(?:<ADV>)*(?:went|gone) for (?!an?\b|the\b|it\b|that\b|this\b|lunch|dinner|coffee"
        r"|drinks"
        r"|breakfast|tea|walks?|runs?|ages|months|years|weeks|days|hours|good|free|broke|days|my|our|his|her"
        r"|\d)(?!.*\b(?:yesterday|today|last|on|at|together|afterwards|tonight)\b)[\w-]+"
    ),
    pattern(
        rf"{_WE} (?:am|are|is) (?:<ADV>)*(?:signing (?:us |me |myself |ourselves |the \w+ )?up (?:for|to|with)"
        r"|taking the (?!train|bus|tube|metro|tram|plane|ferry|boat|car|bike|lift|stairs|kids|children|boys|girls"
        r"|dogs?|cats?"
        r"|day|week|night|morning|afternoon|bins?|rubbish|time|lead|long|scenic|exam|test|opportunity"
        r"|medication|tablets"
        r"|pills)\w+"
        r"|moving (?:\w+ )?to (?!(?:an?|the|my|our|his|her|another|live|be|you|their|<CAP>)\b)[a-z]+-[\w-]+)\b"
    ),
    pattern(
        rf"{_WE} will (?:<ADV>)*be (?:using|going with|switching to|adopting|sticking with|dropping|replacing) \w+"
    ),
    pattern(r"(?:the|our|my) [\w -]{2,30} (?:is|are) (?:<ADV>)*going to be (?:called|named) \w+"),
    pattern(r"(?:the|our|my) [\w -]{2,30} will be (?:called|named) \w+"),
    pattern(
        rf"{_WE} (?:am|are|is) (?:<ADV>)*(?:quitting|giving up|swearing off|done with|leaving) [\w' -]{{2,40}}"
        r" for good\b"
    ),
    pattern(rf"{_WE} {_AUX}(?:quit|given up|gave up|stopped) [\w' -]{{2,40}} for good\b"),
    pattern(
        rf"{_WE} (?:am|are|is) (?:<ADV>)*(?:pushing|moving|bringing|putting) (?:the|our|my) [\w' -]{{2,30}}"
        r"(?: (?:back|forward|off))? (?:to|until|till) (?=<DAY>|<MONTH>|(?:the|next) \w+|\d)"
    ),
    pattern(
        rf"{_WE} {_AUX}(?:pushed|moved|brought|put) (?:the|our|my) [\w' -]{{2,30}}?(?: (?:back|forward|off))?"
        r"(?: from [\w ]{2,20})? (?:to|until|till) (?=<DAY>|<MONTH>|next \w+|the \d)"
    ),
    pattern(
        rf"{_WE} (?:am|are|is) (?:<ADV>)*going to call (?:the|our) (?:baby|boat|dog|cat|puppy|kitten|band"
        r"|shop|company|team|project|product|house) \w+"
    ),
    pattern(
        rf"{_WE} (?:am|are) (?:<ADV>)*not getting (?:an?|the|another|any) (?!better|younger|answer|reply|email|error"
        r"|signal|response)\w+"
    ),
    pattern(rf"instead,? {_WE} (?:am|are|is|will be) (?:<ADV>)*\w+ing (?!today|tonight)\w+", re.IGNORECASE),
    pattern(
        rf"{_WE} (?!(?:\w+ )?(?:usually|always|often|normally|mostly|generally|sometimes)\b)(?:<ADV>)*(?:go"
        rf"|goes) with (?!it\b|this\b|that\b|the flow)\w+"
    ),
    pattern(
        r"(?:I am|we are) (?:<ADV>)*going for (?:the|an?) (?!walk|run|swim|drive|ride|coffee|drink|hike|jog|meal"
        r"|check|stroll|look"
        r"|feel|vibe|more|theme)[\w-]+"
    ),
    pattern(rf"{_WE} (?:have|has) (?:<ADV>)*(?!been|had|got\b)\w+ .{{2,60}}(?:instead of|rather than) "),
    pattern(rf"{_WE} (?:have |has )?(?:<ADV>)*(?:gone|went) back to (?!sleep|bed|work|the|my|[A-Z])\w+"),
    pattern(rf"{_WE} {_AUX}decided (?:at|in|during|on) [\w ]{{2,30}}: .+"),
    pattern(r"(?:my|our) minds? (?:is|are) made up\b[:,]? .+"),
    pattern(r"(?:I am|we are) (?:<ADV>)*not going to (?!be\b|lie|happen|know|make it|get\b)\w+"),
    pattern(
        r"(?:we|our (?:team|company)|the (?:team|board|company)) will (?:<ADV>)*not (?!be able|have|make "
        r"it|know|see|get)\w+"
    ),
    pattern(
        r"(?:we|I) (?:will|shall) (?:<ADV>|not )*(?:use|go with|go for|switch to|stick with|stick to|adopt|drop"
        r"|keep|host|support|migrate to|build on|rewrite|take|choose|move (?:the|our) .{2,40} to|deploy"
        r"|store|ship|release|launch|replace|stay with|skip|postpone|cancel|name|call (?:the|our)|base)\b"
    ),
    pattern(
        r"(?:the |our |my )?(?:final )?(?:decision|choice|verdict)(?: (?:on|about|for|regarding) [^,:]{2,50}?)?"
        r" (?:is|was"
        r"|has been made)\b"
    ),
    pattern(
        rf"{_WE} (?:am|are|is) (?:<ADV>)*not (?:having|putting|getting|using|sending|renting|publishing|hiring"
        rf"|booking) (?!fun\b"
        r"|an? (?:good|great|nice|bad)|any\b|much\b|enough\b|so\b|too\b|it\b|this\b|that\b|anything\b|what\b"
        r"|better\b)\w+"
    ),
    pattern(r"it (?:is|was|has been) (?:<ADV>)*(?:decided|settled|agreed)\b(?:,|:| that| to)"),
    pattern(
        rf"{_WE} (?:have |had )?(?:<ADV>)*(?:made|took|reached) (?:a|the|our|my) (?:final )?decision (?:to|that|on)\b"
    ),
    pattern(
        rf"{_WE} {_AUX}(?:switched|migrated|moved) (?:the |our |my |everything |all )?[\w "
        r"]{0,40}?(?:from .{2,60} )?\bto (?!(?:an?|our|my|the) (?:[\w-]+ )*(?:apartment|flat|house|place|city|town"
        r"|country|home|room"
        r"|suburbs?|neighbou?rhood|area|state|village|farm)\b)(?!<PLACE><END>(?!.*\b(?:database|framework|host)))"
    ),
)
_LETS = pattern(
    r"let us (?:just |definitely |then )*(?P<v>(?:go with|go for|use|stick with|stick to|keep|drop|settle "
    r"on|pick|choose|take|switch to|postpone|move (?:the|our) \w+ to|skip|call (?:the|our) .+|do|stay "
    r"with|adopt|agree on)\b .+)"
)
_IT_IS = pattern(
    r"(?P<v>(?:[A-Z0-9][\w.+#-]*|[a-z]+)(?: [\w.+#-]+){0,4}) it is"
    r"(?P<which>, the ones? [^,]+)?(?=$|[,.]| then| for (?P<what>.+))"
)
_FILES = pattern(
    r"\b(?:function|file|branch|class|lines?|code|tab|tests?|folder|variable|method|import|config|other"
    r"|next|button|chat|window|wrong|random|\w+\.\w{1,4})\b"
)
_SHIFTED = pattern(r"(?:I|we) (?:<ADV>|have )*(?:switched|moved|migrated|picked)\b")
_KEEPING = pattern(
    r"(?:I am|we are) (?:not )?(?:keeping|renewing|accepting|pausing|delaying)\b (?:it|this|that|an eye"
    r"|track|busy|up|on|going)\b"
)
_UNDECIDED = pattern(
    r"\bhad (?:<ADV>|all |both )*(?:decided|chosen|agreed|settled|picked|opted)\b|"
    r"\b(?:have not|has not|not yet|still have to|cannot|could not|did not|never|haven't|yet to|until we"
    r"|before we|help .* decide|must|need to|once we|not) (?:<ADV>)*(?:decide|decided|chosen|choose"
    r"|settled|agreed|pick|picked|made up|agree)\b|\bdecide (?:whether|between|if|what|which|how)\b"
)
_TRIVIAL_CHOICE = pattern(
    r"\bto (?:take a (?:break|nap|look|walk|shower)|go (?:to bed|home|out|for a walk)|sleep|ask you|ask"
    r"|try (?:it|this|that|your|you)|call it a day|eat|order|have (?:a|some|lunch|dinner)|start over"
    r"|write to you|chat|text you|test you|give (?:it|this|you)"
    r"|(?:rewrite|rephrase|reword|shorten|cut|redo|change|drop|rename|split|keep) (?:the|this|my"
    r"|that) (?:[\w-]+ )?(?:intro"
    r"|introduction|paragraph|sentence|section|title|heading|headline|line|variable|function|method|slide|verse"
    r"|ending)s?)\b"
    r"|\b(?:to (?:have|cook|make|wear|watch|drink|read|play)|on|for) [^,:]{2,40}\b(?:tonight|this evening"
    r"|for (?:lunch|dinner|breakfast|tea|supper))\b"
)

_PRELUDE = pattern(
    r"^(?:after|following|having|given|with|in the end) .{3,60}?,? (?=(?:I|we|the \w+) (?:have |has "
    r"|<ADV>)*(?:decided|agreed"
    r"|chose|chosen"
    r"|settled|picked|opted|voted)\b)",
    re.IGNORECASE,
)
_THE_ONE = pattern(
    r"it (?:will be|is (?:<ADV>)*(?:going to be)?) ?(?P<v>(?:the|(?<=be )an?) [\w' -]{2,40}, not (?:the"
    r"|an?) [\w' -]{2,40}|(?:<CAP>"
    r"|the [\w-]+(?: [\w-]+)?)(?= then$))"
    r"(?: then)?$"
)
_LOOSE = re.compile(
    r"\b(?:it|this|that|these|over|through|another|something|a (?:bit|break|look|different|moment)|the "
    r"next|an example|step)\b"
)
_PERSEVERING = pattern(
    r"\b(?:will|to|us|am|are|and) (?:<ADV>)*(?:keep(?:ing)?|stay(?:ing)?|go(?:ing)?) (?:on\b|up\b|going|at it|in "
    r"touch|each"
    r" other|an eye|track|you\b|me\b|my eyes|our eyes|the faith|it\b|that\b|this\b|\w+in[g']|strong|positive|true"
    r"|for it)"
    r"|\beach other\b|\bgiv(?:e|ing) up(?:$| on)|\bup on (?:my|our)\b"
)
"""Resolves such as "I'll keep going" choose nothing."""
_NEXT_STEP = pattern(
    r"I will (?:<ADV>)*(?:take|use|skip|drop|call|keep|ship|name|store|release|go for) (?!.*\b(?:instead|for (?:the"
    r"|our|my"
    r"|all)|as (?:the|our|my)|from now|rather than|not the|the (?:job|offer|position|role|flat|house|apartment))\b)"
)
"""What the speaker does next, as an answer to a suggestion."""
_NO_CHOICE = frozenset(
    {"what", "how", "whatever", "yes", "no", "where", "as", "so", "the", "like", "when", "that", "of"}
    | {"i", "we", "they", "you", "he", "she", "it", "and", "but", "if"}
)
_IMPERSONAL = re.compile(r"^it (?:is|was|has been) (?:now |finally )?(?:decided|settled|agreed)(?::|,| that)?")
_HEADED = "we decided: "


_GOING_BACK = pattern(
    r"(?:I am|we are) (?:<ADV>)*not going (?:(?:back|anywhere|there|home|out)(?:$| (?!to \w))|to lie\b)"
    r"|.*\b(?:agreed to disagree|(?:go|going|goes|went|gone) with (?:him|her|them|you|(?:my|our"
    r"|the) (?:[\w-]+ )?(?:<REL>|kids"
    r"|children|boys|girls|family|friends?|mates?|colleagues?|neighbou?rs?|dogs?|class|choir|lads|grandchildren)\b"
    r"|<CAP>(?: and <CAP>)? (?:to|and the)\b)"
    r"|going for an? (?:\w+ )?(?:curry|pint|beer|pizza|bite|picnic|spin|cycle|wander|dip|burger|kebab|paddle|scan))\b"
    r"|.*\b(?:chose|picked|choosing) (?:my|his|her|our) (?:words|moments?|battles?)\b"
)
_OPENERS = r"(?:(?:ok|okay|right|so|well|and|anyway|good news|update|news|also|oh),? )*"
_ANNOUNCED = pattern(
    rf"{_OPENERS}(?:(?:after|at|in|during|following) (?:the|our|an?|today's"
    rf"|yesterday's) [^:,]{{3,30}}?,? (?={_WE} ))?(?P<head>(?:(?:the|our|my|final|team|board|big|key|latest"
    rf"|official|joint) )*(?:decisions?"
    r"|(?<=final )call|(?<=the )call"
    r"|(?<=our )call|(?<=team )call|(?<=big )call|(?<=board )call|ruling|resolution|decision log|upshot|outcome"
    r"|verdict|results?"
    r"|(?<=final )answer"
    r"|(?<=team )meeting|(?<=board )meeting|(?<=team )vote)(?: (?:from|of|at|in|after|on|by|last|this"
    r"|yesterday|today|taken|made)\b[^:]{0,60})?"
    r"|(?:(?:the|our|my|team's|[\w-]+'s) )?(?:choice|pick) (?:of|for) [^:]{2,40}|(?:the )?decision(?: is|'s| has"
    r" been)? made"
    rf"|(?:(?:{_WE}|it|[Aa]ll of us) )?(?:have |has |is |<ADV>|all |both |just )*(?:voted|decided|agreed|settled"
    r"|official|final"
    r"|made (?:my|our) minds? up|made up (?:my|our) minds?|changed (?:my|our) minds?)(?: (?!to\b|that\b|not\b|on\b"
    r"|against\b|for\b)[^:–—]{0,60})?|(?:(?:my|our) )?minds?(?:'s| is| are)? made up(?: about [^:]{2,40})?|[Ss]orted"
    r"|[^:,]{2,40} (?:shook|shaken) (?:hands )?on it(?: [^:,]{3,20})?)(?::| [–—-])"
    r" (?P<body>.{4,200})",
    re.IGNORECASE,
)
_CLOSED = pattern(
    rf"{_OPENERS}(?P<head>(?:(?:it|that) is |(?:I|we) have )?(?:all )?(?:decided|settled|agreed|official|made up"
    rf" (?:my|our) minds?|"
    r"(?:the )?decision(?: is|'s| has been)? made"
    r"|(?:my |our )?minds? (?:is |are )?made up)(?: (?:then|now|at last|last night|yesterday|today|this morning))?), "
    r"(?P<body>(?:(?:I|we)(?: am| are| will)|(?:the|my|our) [\w' -]{2,40}? (?:is|are|will|goes|go|stays?|gets?)|no"
    r" more) .{4,160})",
    re.IGNORECASE,
)
_IS_FINAL = pattern(
    r"(?:so |and |ok |right )*(?:.*: )?(?P<body>(?=\S+ \S)[^,:]{5,90}(?:, (?:not|no|the)\b[^,:]{2,50})?), (?:and"
    r" )?(?:(?:it is|that is|that was|that has been|it has been"
    r"|this is|all|it's|that's) )?(?:final|settled|decided|agreed|official|a done deal|done and dusted|what"
    rf" {_WE}(?: as an? \w+)? (?:have |has |all )*(?:agreed|decided)|{_WE} (?:have |has |all )*(?:agreed|decided)|I"
    rf" have made up my"
    r" mind|(?:my )?mind (?:is )?made up)\b(?! (?:to|that|on|against|we|I|not)\b)",
    re.IGNORECASE,
)
_EACH_POINT = re.compile(
    r"; |, and |,? and (?=(?:[A-Z]\w+|the|we|I|our|my)\b \w+)|, (?:and )?(?=no more \w+|[\w-]+(?: [\w-]+)? (?:is|are"
    r"|will|stays?"
    r"|goes|go|moves?|gets?|owns?|has|have)\b)"
)
_ASSERTS = re.compile(r"(?:I|we)\b")
_DOUBTED = re.compile(
    r"\b(?:if|maybe|perhaps|probably|might|not (?:yet|been|final|decided|settled|agreed)|never|until|once|whether|think"
    r"|nothing|they|he|she|you|help|pick|choose|wants?|let us|tell)\b",
    re.IGNORECASE,
)
_REASONED = re.compile(r"(?:I|we) (?:want|need|like|love|hate|prefer|hope|aim|have to|cannot|must)\b")


_AS_MINE = pattern(
    rf"{_OPENERS}(?P<body>{_WE} {_AUX}(?:chosen|chose|picked|hired|appointed|elected) [^,]{{3,60}} as (?:my|our|the"
    r"|an?) [^,]+)"
)
_INSTEAD = pattern(r"[Ii]nstead,? (?P<body>(?:I am|we are) (?:<ADV>)*(?!thinking|wondering|trying|hoping)\w+ing [^,]+)")


def announced(said: str) -> Iterator[Draft]:
    """What a sentence declares decided, before it ("Final call: …") or after it ("…, that's settled")."""
    if (plain := _AS_MINE.match(said) or _INSTEAD.match(said)) is not None:
        yield Draft("decision", plain["body"])
        return
    match = _ANNOUNCED.match(said) or _CLOSED.match(said) or _IS_FINAL.match(said)
    if match is None or _DOUBTED.search(said, match.start("body") if match.re is _IS_FINAL else 0):
        return
    points = [each.strip(" ,").removesuffix(" it is") for each in _points(match["body"])]
    own = re.search(r"\b(?:I|my|me)\b", said) or (match.re is not _ANNOUNCED and not _TOGETHER.search(said))
    decided = f"{'I' if own else 'we'} decided{_of_what(match)}"
    for point in points:
        if _REASONED.match(point) or len(point) < _SHORTEST_POINT:
            continue
        if _AND_I.match(point):
            yield Draft("decision", point[:1].lower() + point[1:], 0.85)
        else:
            yield Draft("decision", point if _ASSERTS.match(point) else f"{decided}: {point}", 0.85)


def _points(body: str) -> list[str]:
    """The decisions of a list, one by one; of "A, B, and C" all three."""
    together = _AND_I.match(body)
    start = 0 if together is None else together.end()
    points = _EACH_POINT.split(body[start:])
    points[0] = body[:start] + points[0]
    return [each for point in points for each in _ITEM.split(point)] if ", and " in body else points


_AND_I = re.compile(r"(?:[Mm]y|[Oo]ur) [\w-]+(?: [A-Z]\w+)? and I\b")
_ITEM = re.compile(r", (?!not\b|which\b|who\b|because\b|so\b|but\b|with\b|in\b|on\b|at\b|from\b|by\b|for\b|then\b)")
_TOPIC = pattern(
    r"\b(?:on|about|for|of) (?!<DAY>|<MONTH>|\d|all\b|us\b|the (?:meeting|call|vote|retro)\b)[^:,–—]{3,50}$"
)
_DECIDED_WHEN = pattern(r"\b(?:yesterday|today|last (?:night|week|<DAY>)|this (?:morning|afternoon|week)|on <DAY>)\b")


def _of_what(match: re.Match[str]) -> str:
    """What a heading says of the decisions below it: when they were taken, what they are about."""
    head = match.groupdict().get("head") or ""
    when, topic = _DECIDED_WHEN.search(head), _TOPIC.search(head)
    if when is not None:
        return f" {when.group()}"
    return "" if topic is None else re.sub(r"^ of", " on", f" {topic.group()}")


_SHORTEST_POINT = 4
_TOGETHER = re.compile(r"\b(?:we|us|our|team|board|committee|everyone)\b", re.IGNORECASE)


def decision(text: str) -> Draft | None:
    """A choice that was made."""
    if (prelude := _PRELUDE.match(text)) is not None:
        text = text[prelude.end() :]
    if _no_choice(text):
        return None
    if (match := _LETS.match(text)) is not None:
        return None if _LOOSE.search(match["v"]) else Draft("decision", f"I decided to {match['v']}", 0.8)
    if (match := _IT_IS.match(text)) is not None and _names_a_choice(match["v"]):
        return _settled(match)
    if (match := _THE_ONE.match(text)) is not None:
        return Draft("decision", f"I decided on {match['v']}", 0.8)
    if text.startswith(_HEADED) or any(rule.match(text) for rule in _DECIDED):
        return Draft("decision", _IMPERSONAL.sub("we decided:", text))
    return None


def _no_choice(text: str) -> bool:
    """Something undecided or too small, a matter of files, or only a resolve to go on."""
    if _GOING_BACK.match(text) or _undecided(text) or _TRIVIAL_CHOICE.search(text) or _KEEPING.match(text):
        return True
    if _SHIFTED.match(text) and _FILES.search(text):
        return True
    return bool(_PERSEVERING.search(text) or _NEXT_STEP.match(text))


def _undecided(text: str) -> bool:
    found = _UNDECIDED.search(text)
    return found is not None and not (found.group().startswith("had ") and _BY_THEN.search(text))


_BARE = 2
"""So many words at most are an article and its noun: "the way it is" chooses nothing, "the blue one it is" does."""


def _names_a_choice(said: str) -> bool:
    """Not "of course it is" or "it is what it is"."""
    words = said.lower().split()
    if words[0] == "the":
        words = words[1:] if len(words) > _BARE else ["the"]
    return words[0] not in _NO_CHOICE and "is" not in words


def _settled(match: re.Match[str]) -> Draft:
    """ "Postgres it is" as a decision for it."""
    what = match["what"]
    purpose = f" for {what}" if what and not re.match(r"(?:this|that|now)\b", what) else ""
    return Draft("decision", f"I decided on {match['v']}{match['which'] or ''}{purpose}", 0.8)


_CHOSEN_AFTER = re.compile(
    r"[,;:–—-]+ *(?:and |but |so )?(?:it|that|this)(?: (?:will|is going to)(?: now)? be| is(?: now)?) "
    r"(?P<what>(?!(?:not|all|just|going|too|decided|settled|final|why|been|because|about|how"
    r"|what(?! we (?:have )?(?:agreed|decided|voted)))\b|a (?:shame|pity|relief|thing|no)\b)"
    r"[^,.;!?]{2,80})|[,;:–—-]+ *(?:so )?(?P<it_is>[^,.;!?]{2,60}?) it is\b",
    re.IGNORECASE,
)
_AND_IT_IS = re.compile(r"(?P<not_this>[^,]{5,80}), (?:so )?(?P<what>[^,]{2,40}) it is")
_NOT_AFTER = re.compile(
    r", (?P<what>(?:not|no more|from|as of|starting|until) [^,.;!?]{2,50}|\d[^,.;!?-]{2,30})(?=[,.;!?]|$)",
    re.IGNORECASE,
)
_THEREFORE = re.compile(r", (?P<what>(?:he|she) will [^,.;!?]{5,60})(?=[,.;!?]|$)")
""" "We are not selling to Ann, she will rent": what the choice means for whom it names."""
_AGAINST = re.compile(r"\b(?:against|binned|dropp\w+|dropped|scrapp\w+|ditch\w+|gave up|abandon\w*|cancel\w*|not)\b")
_FOR_BEFORE = re.compile(
    r"(?:.*[.!?] )?(?P<what>for (?:the|my|our) (?!record\b|moment\b|time being\b|rest\b)[^,.;!?]{2,50}?),?"
    r" (?:though, |then, )?(?:(?:I|we)\b[^,;!?]*)?$",
    re.IGNORECASE,
)


_CHOSEN = pattern(
    r"it (?:is|will be|has to be) (?:<ADV>)*(?:going to be )?(?P<what>(?!settled|decided|agreed|official|final|not\b"
    r"|all\b|to\b|that\b|what\b|why\b|how\b|no\b|yes\b|my\b|our\b)[^,]{3,80})"
)


def _as_chosen(text: str) -> str:
    """ "It is going to be oak" or "oak it is", where it surely tells a choice, as a decision for it."""
    if (said := _IT_IS.match(text)) is not None and _names_a_choice(said["v"]):
        return _settled(said).text
    chosen = _CHOSEN.match(text)
    return text if chosen is None else f"I decided on {chosen['what']}"


def given_up(text: str) -> bool:
    """Whether a choice was planned or made once and holds no more: "we had picked Oslo"."""
    return _NO_LONGER.search(text) is not None and not (_INSTEAD_OF_IT.search(text) or _BY_THEN.search(text))


_INSTEAD_OF_IT = re.compile(r"\b(?:but|instead|now|so|then)\b")


_BY_THEN = re.compile(
    r"\bby (?:the end of )?(?:\d{4}|the time|then|lunch|noon|midnight|\w+day|the \w+)\b", re.IGNORECASE
)
""" "By Friday I had decided to go": told from a later moment, and it holds."""


_NO_LONGER = pattern(
    r"\bhad (?:<ADV>|all |both |been )*(?:decided|chosen|agreed|settled|picked|opted|planned|planning|meant"
    r"|wanted|hoped)\b"
)


def completed(text: str, sentence: str) -> str:
    """A decision with what its sentence says beside it: ", it will be the depot", ", physio it is", ", not the blue."""
    text = _as_chosen(_PRELUDE.sub("", text))
    if (both := _AND_IT_IS.fullmatch(text)) is not None:
        return f"{both['not_this']}{'; instead' if _AGAINST.search(text) else ''}: {both['what']}"
    if (inside := _CHOSEN_AFTER.search(text, _SHORTEST_POINT)) is not None and inside["what"]:
        return _with_choice(text[: inside.start()], inside)
    start, end = _place(text, sentence)
    if end < 0:
        return text
    purpose = _FOR_BEFORE.match(sentence[: max(start, 0)])
    if purpose is not None and purpose["what"].lower() not in text.lower():
        text = f"{text} {purpose['what'][:1].lower()}{purpose['what'][1:]}"
    after = sentence[end:]
    if (chosen := _CHOSEN_AFTER.match(after)) is not None:
        return _with_choice(text, chosen)
    if (beside := _NOT_AFTER.match(after) or _THEREFORE.match(after)) is not None:
        return f"{text}, {beside['what']}"
    return text


def _with_choice(text: str, chosen: re.Match[str]) -> str:
    what = (chosen["what"] or chosen["it_is"]).strip()
    return f"{text}; instead: {what}" if _AGAINST.search(text) else f"{text}: {what}"


def _place(text: str, sentence: str) -> tuple[int, int]:
    """Where a decision stands in its sentence, which may begin with what the decision ends with; -1: nowhere."""
    words, low = text.lower().split(), sentence.lower()
    start = low.find(" ".join(words[:_TELLING]))
    if start < 0:
        first, last = " ".join(words[-_TELLING - 1 :]), " ".join(words[-_TELLING:])
        end = low.find(last)
        return low.find(first), end + len(last) if end >= 0 else end
    end = start
    for word in words:
        if not low.startswith(word, end):
            break
        end += len(word) + 1
    return start, end - 1


_DECIDES = re.compile(
    r"\b(?:decid|vot|agree|cho(?:o|s)|pick|settl|opt|approv|conclu|rul|sign|commit|resolv|vetoed|plump"
    r"|(?:go(?:es|ing)?|went|gone) (?:with|for))",
    re.IGNORECASE,
)


def attributed(text: str, own: bool) -> str:
    """A decision with who took it: "the kitchen will be green" alone could be anybody's, or a fact."""
    if own or _DECIDES.search(text) or _FIRST_PERSON.search(text):
        return text
    return f"I decided: {text}"


_FIRST_PERSON = re.compile(r"\b(?:I|me|my|mine|we|us|our|ours)\b", re.IGNORECASE)
_TELLING = 3
"""Words at the end of a decision by which it is found in its sentence."""
