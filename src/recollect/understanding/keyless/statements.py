"""Typed statements: which clauses hold something lasting, and of which kind."""

import re
from typing import NamedTuple

from recollect.understanding.keyless import vocabulary as words
from recollect.understanding.keyless.text import any_of, pattern
from recollect.understanding.model import StatementType


class Draft(NamedTuple):
    """A statement still in the first person."""

    type: StatementType
    text: str
    confidence: float = 0.9
    about: str | None = None
    """Another person than the speaker, by name."""
    ends: bool = False
    own: bool = True
    """Whether it is about the speaker at all."""


_WE = r"(?:I|we|my (?:team|company|family|boss|wife and I|husband and I|partner and I|wife|husband|partner)|our (?:team|company|family|group|board|boss|cto|CTO)|the (?:team|board|group|company|committee|family)|(?:my|our) [\w-]+(?: <CAP>)? and I|<CAP> and I)"
_AUX = r"(?:<ADV>|have |has |all |both |had )*"

# ---- decisions ------------------------------------------------------------------------------------------------------
_DECIDED = (
    pattern(
        rf"{_WE} {_AUX}(?:decided|agreed(?=:)|ended up (?:choosing|going with|picking|taking|buying)|made the call|accepted (?:the|an?|their) (?:[\w-]+ )?(?:offer|job|position)|turned down|declined the|approved|signed off on|made (?:my|our) (?:mind|minds) up|chose|chosen|settled on|opted|agreed (?:(?:yesterday|today|last \w+|on \w+) )?(?:to|on|that|not to|with .{{2,30}} to)|picked|went with|gone with|made up (?:my|our) minds? (?:to|about|on)|voted (?:(?:yesterday|today|last \w+|on \w+|unanimously) )?(?:to|for|against)|resolved to|elected to|concluded that we|ruled out|signed off on|committed to|locked in|finali[sz]ed|landed on|standardi[sz]ed on)\b(?! if\b| whether\b| yet\b)"
    ),
    pattern(
        rf"{_WE} (?:am|are|is) (?:<ADV>|not )*(?:going with|going to (?:use|go with|switch to|drop|migrate to|keep|stick with|adopt|build (?:it|the|this|our) .{{2,40}} (?:in|on|with)|rewrite|replace|take the|host|deploy|skip|cancel|postpone|rent|deprecate|support)|sticking with|switching (?:from .{{2,40}} )?to|dropping|moving (?:away from|off)|settling on|choosing|replacing|adopting|standardi[sz]ing on|opting for|cancelling|canceling|postponing|abandoning|deprecating|retiring the|phasing out|migrating (?:from .{{2,40}} )?to|keeping the|ditching|skipping|picking|turning down|not (?:renewing|going|doing|buying|taking|applying|moving|selling|extending|accepting)|renewing|accepting the|rejecting|scrapping|pausing|freezing|sunsetting|delaying|keeping|taking the (?:job|offer|position|role))\b"
    ),
    pattern(r"(?:I am|we are) (?:<ADV>)*not going to (?!be\b|lie|happen|know|make it|get\b)\w+"),
    pattern(
        rf"(?:we|our (?:team|company)|the (?:team|board|company)) will (?:<ADV>)*not (?!be able|have|make it|know|see|get)\w+"
    ),
    pattern(
        r"(?:we|I) will (?:<ADV>|not )*(?:use|go with|go for|switch to|stick with|stick to|adopt|drop|keep|host|support|migrate to|build on|rewrite|take|choose|move (?:the|our) .{2,40} to|deploy|store|ship|release|launch|replace|stay with|skip|postpone|cancel|name|call (?:the|our)|base)\b"
    ),
    pattern(r"(?:the |our |my )?(?:final )?(?:decision|choice|verdict) (?:is|was|has been made)\b"),
    pattern(r"it (?:is|was|has been) (?:<ADV>)*(?:decided|settled|agreed)\b(?:,|:| that| to)"),
    pattern(
        rf"{_WE} (?:have |had )?(?:<ADV>)*(?:made|took|reached) (?:a|the|our|my) (?:final )?decision (?:to|that|on)\b"
    ),
    pattern(
        rf"{_WE} {_AUX}(?:switched|migrated|moved) (?:the |our |my |everything |all )?[\w ]{{0,40}}?(?:from .{{2,60}} )?to (?!<PLACE><END>(?!.*\b(?:database|framework|host)))"
    ),
)
_LETS = pattern(
    r"let us (?:just |definitely |then )*(?P<v>(?:go with|go for|use|stick with|stick to|keep|drop|settle on|pick|choose|take|switch to|postpone|move (?:the|our) \w+ to|skip|call (?:the|our) .+|do|stay with|adopt|agree on)\b .+)"
)
_IT_IS = pattern(r"(?P<v>(?:[A-Z0-9][\w.+#-]*|[a-z]+)(?: [\w.+#-]+){0,4}) it is(?=$|[,.]| then| for (?P<what>.+))")
_KEEPING = pattern(
    r"(?:I am|we are) (?:not )?(?:keeping|renewing|accepting|pausing|delaying)\b (?:it|this|that|an eye|track|busy|up|on|going)\b"
)
_UNDECIDED = pattern(
    r"\b(?:have not|has not|not yet|still have to|cannot|could not|did not|never|haven't|yet to|until we|before we|help .* decide|must|need to|once we|not) (?:<ADV>)*(?:decide|decided|chosen|choose|settled|agreed|pick|picked|made up|agree)\b|\bdecide (?:whether|between|if|what|which|how)\b"
)
_TRIVIAL_CHOICE = pattern(
    r"\bto (?:take a (?:break|nap|look|walk|shower)|go (?:to bed|home|out|for a walk)|sleep|ask you|ask|try (?:it|this|that|your|you)|call it a day|eat|order|have (?:a|some|lunch|dinner)|start over|write to you|chat|text you|test you|give (?:it|this|you))\b"
)

# ---- goals ----------------------------------------------------------------------------------------------------------
_WHO = r"(?:I|we|(?:my|our) [\w-]+(?: <CAP>)? and I|<CAP> and I|(?:my|our) team|the team|our company)"
_AIMING = (
    pattern(
        r"(?:my|our|the) (?:[\w-]+ ){0,3}(?:goal|aim|target(?: weight| score| time| date| price)?|objective|ambition|resolution|dream|plan|mission|intention|hope|OKR|north star|milestone|priority)s?(?: for [^,;]{2,40}?| this \w+| with [^,.;]{2,40}?| here| now| in \d{4}| of mine| at \w+| as agreed| on \w+)? (?:is|are|remains|was always|has always been) (?!not\b|unclear|what|simple$)"
    ),
    pattern(
        rf"{_WHO} (?:am|are|is|have been) (?:<ADV>|both |all )*(?:aiming|hoping|planning|intending|training|saving(?: up)?|preparing|studying|working towards?|working on becoming|determined|on track|set|looking|striving|gunning|shooting|practi[sc]ing|applying) (?:to\b|for\b|on\b|towards?\b|a\b|an\b|my\b|our\b)"
    ),
    pattern(rf"{_WHO} (?:<ADV>)*(?:aim|aims|plan|plans|intend|intends|hope|hopes) (?:to|on)\b"),
    pattern(rf"{_WHO} (?:<ADV>)*(?:want|wants|would like|would love) to\b"),
    pattern(
        rf"{_WHO} (?:<ADV>)*(?:want|wants|would like) (?:the|my|our|everything)\b.{{0,60}}\b(?:finished|done|ready|complete|completed|live|painted|out|shipped|launched|paid off|built|over)\b"
    ),
    pattern(
        rf"{_WHO} (?:am|are|is|have been) (?:<ADV>)*(?:trying|learning|working hard|attempting|teaching myself)(?: (?:to|how to))?\b"
    ),
    pattern(r"by (?:the )?[^,]{3,40},? (?:I|we) (?:want|will|plan|hope|aim|intend|would like) (?:to )?"),
    pattern(
        rf"{_WHO} (?:have|has) (?:<ADV>)*(?:set (?:myself|ourselves) (?:the|a) (?:goal|target|aim)|signed up (?:for|to run)|set my sights on|committed (?:myself )?to|vowed to|promised myself to)\b"
    ),
)
_WANT_DONE = pattern(
    rf"{_WHO} (?:<ADV>)*(?:want|wants|would like|need) (?:it|the|my|our|everything|this)\b.{{0,60}}\b(?:finished|done|ready|complete|completed|live|painted|out|shipped|launched|paid off|built|over)\b"
)
_WHAT_WANTED = pattern(r"what (?P<who>I|we) (?:<ADV>|do )*(?:want|need|aim for|am after|are after|hope for) is ")
_WANT = pattern(rf"{_WHO} (?:<ADV>)*(?:want|wants|would like|would love) to\b")
_TRY = pattern(rf"{_WHO} (?:am|are|is|have been) (?:<ADV>)*(?:trying|attempting|looking) to\b")
_LOOKING_FOR = pattern(rf"{_WHO} (?:am|are|is) (?:<ADV>)*looking (?:for|at|on|a|an|my|our|forward)\b")
_ACHIEVEMENT = pattern(
    r"\bto (?:<ADV>|one day |eventually |finally |also )*(?:learn(?! (?:more|what|why|whether))|become|run (?:a|an|my|the|\d|under|at)|lose (?:\d|some weight|weight)|gain \d|write (?:a|my) (?:book|novel|thesis|memoir|phd)|publish|launch|ship|buy (?:a|my|our) (?:house|flat|home|car|boat|place|apartment|cabin|van|piano|farm)|quit|move to|move (?:back|out|abroad|closer|into)|start (?:a|my|our) (?:own )?(?:business|company|family|podcast|blog|phd|startup|bakery|masters?|channel|degree|farm|career)|open (?:a|my|our)|found (?:a|my)|visit|travel|retire|climb|hike|cycle (?:to|from|across)|swim (?:a|the)|finish (?:my|the|our|a)|complete (?:my|the|our|a)|graduate|get (?:down to|under|below|above|over|fit|certified|into|better at|a promotion|promoted|my|in shape|a degree|married|a job|a dog|a cat|under|fluent)|pass|reach|grow (?:the|our|my|to)|reduce|cut (?:the|our|my|back|down)|increase|double|halve|improve (?:my|our|the) (?!code|answer|function|prompt|text|query)|earn|save (?:\$|€|£|\d|up|enough|for|money)|pay off|migrate|release|qualify|win|build (?:a|my|our|up) (?:house|business|own|career|company|app|cabin|boat|treehouse|deck|platform|startup|saas|game|greenhouse|community|home)|switch careers|change careers|study (?:in|at|medicine|law|abroad)|speak|master|play (?:the|in|a)|adopt|raise|expand|hire|beat|do (?:a|my) (?:phd|master|triathlon|marathon|degree|doctorate)|apply (?:to|for)|go (?:back to (?:school|university|uni)|vegan|vegetarian|freelance|part-time|plastic-free)|cook (?:more|at home)|read (?:\d+|more|one|two|twelve|fifty|a book)|eat (?:less|more|healthier)|drink (?:less|more)|sleep (?:more|eight|at least)|walk (?:the|\d|more|\w+ steps)|exercise|stop (?:smoking|drinking|biting|eating)|give up|have (?:\w+ )?(?:customers|users|paying)|have (?:passed|finished|completed|saved|written|learned|read|paid|lost|built|launched|shipped)|clear|be (?:able to (?!eat|use|see)|fluent|debt-free|financially|profitable|done with my|a (?:better )?(?:parent|pilot|doctor|nurse|teacher|lead|manager|writer|novelist)|in (?:shape|production)|carbon|live|out of|CTO|promoted)|sign up (?:\d|for)|achieve|attain|acquire|automate|replace|get to \w+|spend (?:more|less) time|hit \d|hit (?:our|the|my)|bring (?:the|our) .+ (?:down|below|under)|keep (?:the|our|my) .+ (?:below|under|above)|see the|renovate|restore|plant|compete|qualify|record (?:a|an|my)|perform|emigrate|volunteer|downsize|own (?:a|my)|live (?:in|abroad|by|near)|work (?:abroad|part-time|in|from|remotely)|sell (?:my|our|the)|make (?:partner|the team|a living|\$|€)|teach|onboard|go live|roll out|decommission|deliver|cover|support \d|serve \d|sail|ride|row|break \d|break (?:the|my)|deadlift|squat|bench|set up (?:a|my|our) (?:business|company|charity|shop))\b"
)
_DEADLINE = pattern(
    r"\b(?:by (?:the end|end|next|\w+day|<MONTH>|\d{4}|Christmas|summer|spring|autumn|winter|then|the time I|my|Q[1-4]|\d)|before (?:the end|next|<MONTH>|I turn|my|\d|Christmas|summer)|this year|next (?:year|month|spring|summer|autumn|fall|winter|\w+day)|in (?:<MONTH>|\d{4}|the next|two|three|five|six|Q[1-4]|ten)|within (?:the|a|\w+) |one day|someday|eventually|by age|before turning|later this year|this (?:spring|summer|autumn|fall|winter|quarter|season))\b"
)
_OF_THE_MOMENT = pattern(
    r"\bto (?:<ADV>)*(?:know|ask|see|understand|use|make (?:it|this|sure|a (?:function|list|table|script|chart|point))|add|change|fix|write (?:a (?:function|script|test|query|regex|program|loop|class|letter|mail|note)|an email|code|it|this|some)|test|check|try|print|sort|parse|convert|get (?:the|this|it|a list|rid|started|back|some|all)|find|figure|choose|decide|debug|install|go (?:to bed|home|now|to sleep|out)|eat|sleep|order|cook (?:something|dinner|a|it|this)|make (?:dinner|a)|do (?:this|it|that|something)|say|tell|talk|discuss|compare|create (?:a (?:function|script|list|table|file|chart))|implement|refactor|deploy (?:this|it)|upload|send|book (?:a table)|call|thank|share|show|return|set (?:it|this|the|up (?:the|a server|nginx|docker))|handle|avoid|remove|delete|replace (?:the|this|all)|select|update|render|log|read (?:the|this|a|some|your|up)|buy (?:some|milk|it|a (?:gift|present|new (?:laptop|phone|mouse)))|watch|take (?:a|the)|have (?:a|some)|hear|leave|stop (?:here|now)|keep (?:it|this|going)|start (?:with|over|by)|continue|clarify|explain|be (?:clear|honest|sure|fair|careful)|cancel|move on|format|export|import|draw|plot|calculate|go (?:through|over|with|for (?:a|the) (?:walk|run|swim))|rest|relax|surprise|reply|answer|help|solve|work out|sit|lie|cry|scream|pick|reach (?:you|him|her|them|support)|pass (?:this|the|it|a) (?:argument|parameter|value|variable|function)|join (?:two|these|the) (?:tables|strings|lists))\b"
)

# ---- constraints ----------------------------------------------------------------------------------------------------
_THING = r"(?:the|our|my|all|every|each|any|no|each of our) (?:[\w'/-]+ ){0,5}?"
_MUST = pattern(
    rf"(?P<who>{_THING}[\w'/-]+|we|I|everything|nothing|nobody|everyone|data|payments|deployments|releases|personal data|<CAP>(?: \w+)?) (?:<ADV>)*(?P<must>must(?: not| never)?|cannot|have to|has to|need to|needs to|may not|may only|shall(?: not)?|can only|(?:am|is|are) (?:not|never|only) (?:allowed|permitted)(?: to)?|(?:am|is|are) (?:limited|restricted|capped|required|obliged|forbidden|prohibited|bound|supposed|obligated)(?: to| at| by| from)?|should never|must be|do not have permission|needs? at least|can (?:hold|handle|take|store|carry|fit) (?:at most|no more than|only|up to))\b(?P<rest>.*)"
)
_BARE_MUST = pattern(
    r"(?P<who>(?!you\b|one\b|people\b|he\b|she\b|it\b|they\b|I\b|we\b|there\b|this\b|that\b|what\b|who\b|if\b|when\b|a\b|an\b|vegetarians|vegans)(?:[\w'/-]+ ){0,4}?[\w'/-]+)(?: (?:that )?(?:we|I) \w+)? (?P<must>must(?: not| never)?|cannot|has to|have to|may not|may only|can only|should never|needs to|shall not|may (?:go|be used|enter|leave)) (?P<rest>.+)",
    re.IGNORECASE,
)
_PROJECT = pattern(
    r"\d|\b(?:EU|GDPR|HIPAA|PCI|production|reviewed|approval|approved|encrypted|license|licence|GPL|AGPL|on-prem|offline|backwards? compatible|accessible|WCAG|SOC|ISO|audit|logged|customer data|third-party|Safari|iOS|Android|Python|Java|RHEL|Ubuntu|ARM|EU-only|[A-Z]{2,})\b"
)
_AUTHORITY = pattern(
    r"(?P<who>(?:our |my |the )?(?:legal(?: team)?|compliance|security|landlord|landlady|client|customer|management|boss|doctor|surgeon|lawyer|insurer|insurance|visa|contract|lease|school|employer|board|regulator|auditors|HR|IT|[Pp]hysio|GP|policy|midwife|Legal|Landlord|Compliance|Security|Management)(?: also)?) (?:(?:(?:insists?|insisted) on (?P<on>.+)|(?:says|said|insists?|requires?|demands?|told (?:me|us)|wants?|is adamant|are adamant|are strict|made (?:it )?clear)(?: that| us to| me to)? (?P<rest>(?:we|I|no|nothing|everything|all) .*\b(?:must|cannot|can not|have to|need to|may not|not allowed|should never|can only|only)\b.*))|(?:<ADV>|will |does |do |would )*(?:not )?(?:<ADV>)*(?:lets?|allows?|permits?|forbids?|prohibits?|bans?|requires?|limits?|restricts?)\b (?P<let>.+))"
)
_TODAY = pattern(r"\b(?:today|tomorrow|tonight|right now|asap|soon|this (?:morning|afternoon|evening))\b")
_NOT_ALLOWED = pattern(
    r"(?:[\w-]+ ){1,4}(?:is|are) (?:<ADV>)*(?:not (?:allowed|permitted)|forbidden|banned|prohibited|off limits)\b.*\b(?:my|our|we|I)\b"
)
_NOBODY_MAY = pattern(
    r"(?:[Nn]o one|[Nn]obody|[Nn]o [\w-]+(?: [\w-]+)?) (?:may|can|is allowed to|should ever|gets to) (?!help|tell|explain|see|believe|know|understand)(?P<rest>\w+ .+)"
)
_ONLY = pattern(r"(?:we|our [\w ]{2,30}) only (?:supports?|accepts?|allows?|permits?) ")
_TECHNICAL = pattern(
    r"(?:.*\b)?(?:data|traffic|releases?|deployments?|payments?|backups?|logs?|passwords?|tokens?|tests?|uploads?|requests?|responses?|response times?|search|pages?|images?|files?|builds?|migrations?|secrets|queries|endpoints?|pull requests|PRs|commits|invoices|reports?|latency|uptime|API|app|site|service|server|devices?|code)$",
    re.IGNORECASE,
)
_LIMIT = pattern(
    r"(?:the|our|my) (?:[\w'-]+ ){0,4}(?:limit|deadline|maximum|minimum|cap|requirement|rule|policy|constraint|quota|ceiling|SLA|restriction|cut-off|cutoff|condition)s?(?: for [\w -]{2,40}| on [\w -]{2,40}| of [\w -]{2,30})? (?:is|are|says|requires|forbids|prohibits|demands|states)\b"
)
_NO_MORE = pattern(
    r"(?:(?:the|our|my|a|each|every) [\w' -]{2,50}|we|I) (?:<ADV>)*(?:(?:is|are|has|have|takes?|costs?|weighs?|runs?|gets?|allows?|only has|supports?|accepts?|uses?) (?:no more than|at most|a maximum of|up to|not more than|a limit of|a cap of|only room for|a hard limit of|a strict))\b"
)
_CANNOT_DO = pattern(
    r"I (?:<ADV>|physically )*(?:cannot|can no longer|am unable to|am not able to|am not allowed to|must not|may not|am not supposed to|should not|can only|must never|must avoid|have to avoid|need to avoid|am forbidden to|am no longer able to) (?P<v>.+)"
)
_ABILITY = pattern(
    r"(?:drive|swim|eat|drink|fly|lift|climb|stand for|sit for|travel|hear|see (?:well|colou?rs|far|without|in)|walk|run|work (?:on|at|after|before|more|past|in|nights|weekends|night|from|overtime|evenings)|ride|cook|read (?:small|without|sheet)|have (?=\w+(?:$|,| (?:or|and|because|anymore)))(?!to\b|been\b|it\b|any\b|this\b|that\b|fun\b)|have (?:dairy|gluten|sugar|nuts|alcohol|caffeine|milk|pets|a dog|a cat|grapefruit|salt|red meat)|take (?:ibuprofen|aspirin|penicillin|antibiotics|nsaids|painkillers|calls|meetings|time off|the stairs|holidays|leave|vacation)|use (?:my (?:left|right)|stairs|the stairs|cloud|external|public|third-party|tampons|social|a mouse|gpl|GPL|my phone at)|donate|leave the country|smoke|wear|attend (?!the call|today)|keep (?:pets|a dog|dairy)|afford|spend|install (?:software|anything)|share (?:client|customer|my|patient)|go (?:out in the sun|above|below|outside|into|to bed late|without|on (?:boats|rollercoasters))|do (?:night shifts|nights|weekends|high-impact|burpees|math|any)|digest|tolerate|handle (?:spicy|heat|caffeine|alcohol|loud)|bend|kneel|raise|carry|type (?:with|for)|consume|touch|jump|hike|dive|sleep (?:on|without|with)|roll my|smell|taste|speak (?:in public|french|german|\w+ish|\w+ese)|vote|relocate|move (?:before|until|away|abroad)|commit to more|be (?:around|near|exposed|in the sun|out in)|park|dance|sing|sit (?:on|cross)|be on|stay (?:up|out)|leave (?:before|the house|my|work)|pick up (?:heavy)|exercise|get (?:vaccinated|pregnant|out of)|have any|eat or|host|play (?:contact)|bring|record|discuss|disclose|work)\b"
)
_DUTY = pattern(r"I (?:<ADV>)*(?:must|have to|need to|need) (?P<v>.+)")
_LASTING = pattern(
    r"\b(?:every|each|always|daily|weekly|monthly|at all times|at least (?:once|twice|\w+ hours)|on (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days|twice a|three times a|once a|because of my|due to my|for medical|for religious|by law|legally|wheelchair|gluten|dairy|subtitles|captions|screen reader|hearing aid|glasses to|quiet room|at night|no later than|before (?:\d|every|each|meals)|after each|after every|step-free|ground floor|large print|on weekdays|in bed by|by \d+(?::\d\d)? ?(?:am|pm)?(?: on| every| to pick)|to pick (?:my|the) .+ up)\b"
)
_DOES_NOT = pattern(
    r"I (?:<ADV>|completely )*(?:do not|never|no longer) (?P<v>(?:eat|drink|consume|touch|smoke|drive|fly|use|do|have|own|work|take|wear|speak|swim|ski|watch)\b.*)"
)
_ABSTAINS = pattern(
    r"(?:eat|drink|consume|touch)\b(?! (?:breakfast|lunch|it|that|this|enough|much|well)\b)|drive(?! at| me)|fly\b|do (?:drugs|spicy|dairy|gluten|caffeine)"
)
_WE_MOMENT = pattern(
    r"\b(?:today|now|right now|asap|tonight|this afternoon|this morning|soon|quickly|first|talk|go\b|leave\b|hurry|start\b|figure|decide|discuss|think|see|find out|know|wait|check|fix (?:this|it|the bug)|believe|stop here|move on|rest|sleep|ask|remember|say|be (?:kidding|honest|sure|fair|careful|clear|missing|doing)|admit|confess|try|look|work (?:it|this) out|debug|rewrite|merge|push|finish (?:this|it)|call|order|buy|clean|get (?:back|going|ready|this|it|up|the))\b"
)

# ---- preferences ----------------------------------------------------------------------------------------------------
_TASTE = r"(?:like|love|hate|dislike|prefer|enjoy|adore|detest|loathe|despise|cannot stand|cannot bear|appreciate|favor|favour|avoid|fancy|mind)"
_LIKES = pattern(
    rf"(?P<who>I|we) (?P<adverbs>(?:<ADV>|would |much |do |very much )*)(?P<not>do not (?:<ADV>|particularly )*|no longer |not )?(?P<verb>{_TASTE}) (?P<v>.+)"
)
_FOND = pattern(
    r"I am (?:<ADV>|not |so |a bit |no longer |so very )*(?:(?:a |an )?(?:(?:big|huge|massive|great|major|lifelong|real|avid|die-hard|total|keen) )*(?:fan of|lover of|fond of|into|crazy about|keen on|partial to|mad about|obsessed with|passionate about|addicted to|nuts about|hooked on|big on|wild about|in love with|not a fan of|sucker for))(?: of)? (?P<v>.+)"
)
_FAN = pattern(
    r"I am (?:<ADV>)*(?:a|an) (?:(?:big|huge|massive|great|lifelong|real|avid|total|keen|die-hard|passionate|serious) )*(?P<v>[\w -]{3,30}) (?:fan|lover|person|addict|enthusiast|nut|buff|nerd|geek|fanatic|aficionado|drinker|eater)(?=$|[,.]| (?:and|but|rather|not|through|more|myself|at heart)\b)"
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
    r"(?P<v>(?:<CAP>|[\w-]+)(?: [\w-]+)?) I (?P<verb>(?:<ADV>)*(?:love|hate|cannot stand|do not (?:<ADV>)*like|adore|dislike))(?=$|,)"
)
_TASTE_OF_MINE = pattern(
    r"(?:my (?:taste|tastes|preference|preferences|go-to|guilty pleasure|comfort food|passion|hobby|hobbies|pet peeve|thing)(?: [\w ]{0,20}?)? (?:is|are|runs?|leans?|in)\b|(?:nothing|not much) beats)"
)
_NOT_LASTING = pattern(
    r"^(?:it|this|that(?! (?:everything|people|things|all|meetings|code|every))|these|those|them|you|your|him|her|the (?:idea|answer|way you|second|first|third|last|new|other|one|suggestion|look|sound|version|result|plan|title|name|example|draft|tone|summary|response|approach|solution|design you|code|fact|option|latter|former|explanation|point|direction|structure|thought|list|story|poem|picture|image)|to (?:know|see|hear|ask|say|think|thank|add|get|order|book|make|point|try|have|use it|understand|change|be (?:able|honest|clear))|how|what|where|when you|if|a (?:bit|little|moment|minute|second|quick|table|refund|different|recipe|few|list|copy)|some|another|one|more|your|both|any|an (?:answer|example|explanation|overview|update)|help|option|version|all of|both of|everything you|here|being (?:wrong|interrupted)|my (?:chances|new|job)|things (?:so far|as they))\b"
)

# ---- facts ----------------------------------------------------------------------------------------------------------
_HOLDS = r"(?:go|fell|is|are|was|were|has|have|had|lives|live|works|work|studies|study|plays|play|speaks|speak|loves|love|hates|hate|likes|like|prefers|prefer|died|passed|moved|retired|married|got|just|turned|turns|runs|run|teaches|teach|owns|own|graduated|started|starts|bought|uses|use|does|do|cannot|can|will|joined|left|became|adopted|goes|went|came|comes|grew|drives|drive|needs|collects|suffers|follows|keeps|eats|drinks|enjoys|trains|wants|plans|won|sold|broke|had|gave|finished|passed|recently|never|always|used|lost|opened|founded|writes|wrote|sings|swims|paints|coaches|served|manages|leads|belongs|arrives|visits|celebrates|attends|taught|raised|built|takes|knows|sits|stays|turns|sleeps|cooks|bakes|makes|produces|sells|ships|deploys|stores|consists|serves|supports|employs|costs|starts|ends|begins|expires|closes|opens|takes|still|also|now|usually|currently|only|both|each|might)"
_OF_MINE = pattern(
    rf"(?:my|our|one of my|one of our|an old|a) (?P<noun>(?:(?:[\w'-]+) ){{0,4}}?(?:{words.alternatives(words.RELATIVES | words.ACQUAINTANCES)}))(?:'s (?P<of>[\w -]{{2,40}}?))?(?:,? (?P<name><CAP>(?: <CAP>)?)(?:'s (?P<ofname>[\w -]{{2,40}}?))?)?(?:,? (?:who|whose) [^,]{{3,80}},)?(?: from [\w ]{{2,20}}?| and (?:his|her|their) \w+)?,? (?:<ADV>)*(?P<verb>{_HOLDS})\b(?P<rest>.*)"
)
_HAVE_KIN = pattern(r"(?:I|we) have an? (?:[\w-]+ ){0,2}?(?P<noun><REL>)(?:,? (?:called|named)?,? ?(?P<name><CAP>))?\b")
_IS_OF_MINE = pattern(
    rf"(?P<name><CAP>(?: <CAP>)?) is (?:my|our) (?P<noun>(?:[\w'-]+ ){{0,4}}(?:{words.alternatives(words.RELATIVES | words.ACQUAINTANCES)}|dog|cat))\b(?P<rest>.*)"
)
_NAMED = pattern(
    rf"(?P<name>{any_of(words.FIRST_NAMES)})(?: <CAP>)?(?:,? (?:my|our) [\w -]{{2,30}},|(?:,)? (?:from|in|on|at) (?:accounting|marketing|sales|legal|HR|IT|work|the [\w ]{{2,20}}|my [\w ]{{2,20}}|our [\w ]{{2,20}}|school|finance|support|design|engineering|ops|QA)\b,?)? (?:<ADV>)*(?P<verb>{_HOLDS})\b(?P<rest>.*)"
)
_THINGS = pattern(
    rf"(?:my|our|the) (?P<noun>(?:[\w'./-]+ ){{0,3}}?(?i:{words.alternatives(words.THINGS_OF_A_TEAM | words.THINGS_OF_A_PERSON | words.PETS | frozenset({'dog', 'cat'}))}))(?:,? (?P<name><CAP>))? (?:<ADV>)*(?P<verb>{_HOLDS})\b(?P<rest>.*)"
)
_FLEETING = pattern(
    r"^ (?:<ADV>|so |very |a bit |too |being |feeling |not |all |kind of )*(?:tired|here|asking|coming over|sick|annoyed|angry|happy|sad|great|good|bad|fine|okay|ok|nice|right|wrong|late|early|hungry|busy|broken|failing|slow|down|crashing|not working|giving|throwing|calling|waiting|asleep|bored|excited|upset|mad|confused|stuck|amazing|awesome|terrible|awful|the best|the worst|so|killing|driving me|hurting|itching|running late|sleeping|done|ready|empty|full|wet|cold|hot|warm|dirty|working on|working fine|working now|stressed|home|out|back|sure|fun|funny|cool|lovely|weird|strange|beautiful|delicious|adorable|cute|sweet|hilarious|a mess|a pain|a nightmare|a joke|important|interesting|fascinating|right here|over|gone|green|red|yelling|crying|barking|laughing|looking|getting (?:slow|on my|better|worse|annoying)|acting|worried|nervous|free (?:now|today)|available|off today|in a meeting|on (?:the phone|fire)|(?:the|a) (?:problem|issue|question|worst|best))\b"
)
_EVENTS = "moved|married|graduated|bought|adopted|retired|joined|quit|left|founded|broke|got|won|finished|passed|signed|sold|inherited|published|divorced|hired|launched|shipped|released|ran|visited|met|lost|gave birth|started|completed|became|was born|travelled|traveled|flew|climbed|hiked|cycled|attended|presented|spoke|gave|opened|closed|learned|learnt|studied|lived|worked|taught|volunteered|had|went|took|proposed|defended|submitted|applied|interviewed|accepted|switched|changed|migrated|deployed|rolled out|built|planted|ran|raced|competed|performed|played|recorded|renewed|renovated|painted|turned|celebrated|hosted|organized|organised|earned|received|donated|saved|paid off|stopped|gave up|was diagnosed|was promoted|was laid off|was hired|was fired|was admitted|was accepted|was awarded|was elected|was baptised|was baptized|was deployed|served|trained|fell|crashed|tore|sprained|fractured|underwent|recovered|emigrated|immigrated|swam|sailed|skied|dropped out|enrolled|registered|wrote|co-founded|merged|acquired|raised|booked|rented|saw|reached|upgraded|replaced|lent|borrowed|ordered|scheduled|cancelled|canceled|adopted|fostered|rescued|named|welcomed|engaged|separated|split up|broke up|came|returned|drove|walked|rode|spent|did|made|set up|read|watched|tried|baked|cooked|sang|danced|fixed|repaired|discovered|found|invested|converted"
_EVENTS = f"{_EVENTS}|(?!need|wished|liked|loved|hated|wanted|seemed|looked|used|asked|noticed|realized|realised|wondered|tried|talked|called|texted|mentioned|explained|expected|hoped|worried|happened|guessed|thanked|laughed|cried)[a-z]{{2,}}ed"
_EVENT = pattern(
    rf"(?:I|we|(?:my|our) [\w-]+(?: <CAP>)? and I|<CAP> and I) (?:<ADV>|have |has |both |all )*(?:been |was |were )?(?P<verb>{_EVENTS})\b(?P<rest>.*)"
)
_LIFE_EVENT = pattern(
    r"\b(?:did my (?:bachelor|master|phd|PhD|degree|military|apprenticeship|training|residency|doctorate)|handed in my (?:thesis|notice|resignation)|moved (?:to|from|into|in with|out|back)|got (?:married|engaged|divorced|promoted|laid off|fired|accepted|a (?:promotion|puppy|dog|cat|kitten|new job|degree|scholarship|raise|tattoo|new car|new bike|patent)|my (?:degree|driver|driving|licence|license|citizenship|visa|diploma|pilot|green card|black belt|phd|first)|certified|the job|hired|into (?:university|college|medical|law|the))|graduated|bought (?:a|an|our|my) (?:[\w-]+ )*(?:house|flat|car|apartment|boat|bike|motorbike|motorcycle|van|piano|guitar|home|cabin|farm|cottage|camera|horse|e-bike|telescope|violin|cello|sailboat|kayak|caravan|camper)|adopted|retired|joined|quit (?:my|smoking|drinking|the|coffee|sugar|facebook)|left (?:my (?:job|husband|wife|company)|the (?:company|army|navy|church|military)|university|school)|founded|co-founded|broke my|won (?:a|an|the|first|second|gold|silver|bronze)|finished (?:my (?:phd|thesis|degree|masters?|studies|training|book|novel|residency|apprenticeship)|school|university|a marathon)|passed (?:my|the) (?:[\w-]+ )*(?:exam|test|bar|driving|certification)|sold (?:my|our) (?:house|flat|car|company|business|apartment|bike|boat)|inherited|published (?:a|an|my)|divorced|launched (?:a|my|our)|was (?:born|diagnosed|promoted|laid off|hired|fired|awarded|elected|accepted|raised|adopted)|started (?:a (?:new|company|business|blog|podcast|phd|family|band|charity)|my (?:own|new|phd|first|studies|masters|apprenticeship)|working (?:at|as|for)|learning|playing|training)|studied|lost my (?:job|father|mother|dad|mum|mom|husband|wife|brother|sister|dog|cat|hearing|sight)|served in|separated|emigrated|immigrated|became (?:a|an|the)|lived in|worked (?:at|as|for|in)|taught|gave birth|had (?:a (?:baby|stroke|heart attack|miscarriage|son|daughter|knee|hip|liver|kidney|heart)|(?:knee|hip|back|heart|eye|shoulder|brain|gallbladder) surgery|my (?:appendix|tonsils|wisdom)|surgery|twins|an operation)|stopped (?:smoking|drinking|eating)|gave up (?:smoking|drinking|meat|alcohol|sugar|coffee|dairy)|ran (?:a|my|the) (?:first )?(?:marathon|half|ultra|10k)|climbed (?:mount|kilimanjaro|mont)|named (?:him|her|our|my|the)|welcomed (?:a|our)|proposed to|dropped out|converted to|underwent|paid off (?:my|our|the)|completed (?:my|a|the)|wrote (?:a|my) (?:book|novel|thesis)|raised \$?\d|defended my|had my (?:first|second)|met my)\b",
    re.IGNORECASE,
)
_PETTY = pattern(
    r"^(?:left|went|came|moved|started|finished|passed|joined|quit|got|made|did|bought|sold|met|lost|won|ran) (?:last|yesterday|today|on \w+day$|in \d|two|three|a \w+ ago)|^bought (?!an?\b|my\b|our\b|the\b|two\b|tickets|three|\d|shares|land|in\b|into)|^(?:had|ate|slept|woke|felt|tried|fixed|asked|forgot|talked|went|saw|watched|made|did|got|took|read|cooked|baked|found|started|worked|walked|spent|came|drove|met|fell|set up|ordered|discovered|changed|finished|left|replaced|wrote)\b(?: (?:to (?:bed|sleep|the (?:shop|store|gym|supermarket|office|bakery|pub)|work|lunch)|a (?:bad|good|great|long|rough|nice|lovely|busy|coffee|nap|beer|burger|headache|cold|walk|shower|bug|fever|late|look|break|photo|picture|sandwich|pizza|glass|weird|crazy|hard|quiet|terrible|lazy|call|meeting|chat|salad|movie|dream|question|rest|hangover|quick|few)|an? (?:awful|error|email|amazing|early|argument|idea|hour)|too|so|pasta|pizza|lunch|dinner|breakfast|sushi|home|out|nothing|up|asleep|some|the (?:dishes|laundry|bug|error|issue|test|tests|dog|bus|train|news|code|kids|film|movie|build|feature|same|answer|solution|report|ticket|task|draft|slides|presentation|document|review|sprint|chores|shopping|paperwork)|it|this|that|my (?:homework|laundry|nails|hair (?!colou?r)|keys|phone|umbrella|wallet|train|bus|computer|code|breakfast|lunch|dinner|room)|on (?:it|this|that)|fun|drunk|wet|lost|stuck|sick|tired|rid|back|really|great|well|badly|late|early|fine|good|only|two hours|three hours|hours|all (?:day|night|morning)|for a (?:walk|run|swim|coffee|drink)|shopping|grocery|coffee|tea|your|you|with (?:the|a) (?:bug|problem)|\w+ hours|leftovers|curry|a lot|no sleep|off|over)\b)"
)
_HAVE = pattern(
    r"(?P<who>I|we) (?:<ADV>)*(?P<verb>have|own|drive|ride|play|speak|collect|brew|grow|coach|teach|run|manage|lead|supervise|volunteer|commute|organi[sz]e|host|co-host|co-own|rent|practi[sc]e|sing|dance|write|blog|foster|raise|keep|study|train|work|live|sleep|share|belong|serve|attend|go|wear|homeschool|cycle|swim|walk|meditate|paint|sew|knit|bake|garden|fish|hunt|sail|surf|ski|climb|box|fence|hike|camp|maintain|contribute|support|mentor|tutor|babysit|get up|wake up|take care|care for|look after|earn|make|pay|do|meet|use|deploy|store|ship|release|host|serve|sell|employ|hold|come|operate|process|track|test|stand|report|monitor|spend) (?P<v>.+)"
)
_POSSESSED = pattern(
    r"^(?:<ADV>)*(?:a|an|two|three|four|five|six|seven|eight|nine|ten|twelve|\d[\d,.]*|one|several|some|no|only|about|around|roughly|over|more than|nearly|almost|just under|my own)? ?(?:(?:[\w'-]+) ){0,5}?(?:brothers?|sisters?|siblings?|cousins?|nephews?|nieces?|twins?|grandchildren|grandkids|stepchildren|uncles?|aunts?|degrees?|phd|PhD|doctorate|masters?|Master's|bachelor's|Bachelor's|MBA|diploma|car|cars|motorbikes?|motorcycles?|bikes?|bicycles?|vans?|boats?|caravan|camper|piano|guitars?|violin|cello|house|flat|apartment|cabin|farm|garden|allotment|greenhouse|balcony|bakery|\w*shop|restaurant|café|cafe|business|company|startup|studio|agency|practice|blog|podcast|channel|newsletter|band|choir|licen[cs]e|pilot's|mortgage|tattoos?|citizenship|passports?|visa|residence|scholarship|patents?|black belt|certificate|certification|years of experience|years' experience|followers|subscribers|employees|customers|clients|users|engineers|developers|people|members|servers|offices|students|embeddings|3D printer|printer|telescope|kiln|loom|drone|Tesla|Toyota|Honda|Volvo|BMW|Ford|Volkswagen|Golf|laptop|MacBook|ThinkPad|roommates?|flatmates?|housemates?|pacemaker|prosthesis|hearing aids?|collection|vineyard|orchard|bees|beehives?|hives|chickens|horses?|goats|sheep|aquarium|sourdough starter|e-bike|e-reader|Kindle|record player|synthesi[sz]er|camera|garage|workshop|sauna|pool|solar panels|heat pump|wood stove|second home|holiday home|appointment|interview|exam|flight|surgery|operation|deadline|wedding|job|contract|lease|shifts?|tenants?|landlord|coach|mentor|therapist|budget for|GPU|GPUs|cluster|nodes|replicas|repos|services|microservices|tables|rows|records|documents|stores|branches|warehouses|trucks|locations|daughters?-in-law|sons?-in-law|godchildren|godson|goddaughter|ancestors|dual|lodgers?|au pair|cleaner|nanny)\b"
)
_POSSESSION_VERBS = frozenset(
    {"have", "own", "rent", "share", "keep", "hold", "run", "manage", "lead", "supervise", "employ", "foster", "raise"}
)
_ACTIVITY = {
    "drive": r"(?:an?|my) |electric|stick|automatic|for ",
    "ride": r"an? |horses|motor|my bike|a ",
    "play": r"(?:the |bass|guitar|piano|violin|cello|drums|chess|tennis|football|soccer|basketball|badminton|volleyball|hockey|rugby|cricket|golf|squash|padel|table tennis|bridge|poker|go\b|water polo|handball|in an? |for an?|first|lead|saxophone|trumpet|flute|clarinet|banjo|ukulele|harp|accordion|Dungeons|board games|video games)",
    "speak": r"(?:fluent |some |basic |a little |only |conversational |both |decent |broken )?(?:[A-Z]\w+|four|three|two|five|six)\b",
    "collect": r"\w+", "brew": r"\w+", "grow": r"(?:my own|tomatoes|vegetables|chillies|roses|herbs|\w+ in my)",
    "coach": r"\w+", "teach": r"(?!you)\w+", "run": r"(?:an? |the |my own|every|marathons|\d+ ?k|three|two|twice|ultra)", "manage": r"an? |the |two|three|\d|our",
    "lead": r"an? |the |our", "volunteer": r"(?:at|for|as|with|in|on|every)\b", "commute": r"(?:by|to|from|two|an|\d|one|every|daily)\b",
    "organize": r"(?:an?|the|our)\b", "organise": r"(?:an?|the|our)\b", "host": r"(?:an?|the|our)\b", "co-host": r"an?|the", "co-own": r"\w+",
    "practice": r"(?:\w+ (?:every|for|at|on)|yoga|law|medicine|judo|karate|meditation|buddhism|Buddhism|aikido)", "practise": r"(?:\w+ (?:every|for|at|on)|yoga|law|medicine|judo|karate)",
    "sing": r"(?:in|with|soprano|alto|tenor|bass)\b", "dance": r"\w+", "write": r"(?:a blog|poetry|novels|poems|children's|science|fiction|short stories|songs|for )", "blog": r"about|at",
    "study": r"(?!this|it|that|for (?:the|my) (?:test|exam))\w+", "train": r"(?:for|at|with|in|every|\w+ times|twice)\b",
    "work": r"(?:from home|night|nights|part-time|part time|full-time|remotely|in|on|at|for|shifts|freelance|four|three|two|\d|as|with|weekends|long|the night|mostly|from|under|rotating|hybrid)\b", "live": r"(?:alone|with|in|on|near|next|off|by|at|close|outside|between|two|ten|abroad|within|above|across|just)\b",
    "share": r"an? |my", "belong": r"to", "serve": r"(?:on|as|in|about|\d)", "attend": r"(?!the (?:call|meeting))\w+", "go": r"(?:to (?:the gym|church|mass|mosque|therapy|yoga|pilates|the mosque|the synagogue|bed|\w+ classes|physio)|running|swimming|climbing|hiking|jogging|cycling|bouldering|fishing|surfing|skiing|dancing|birdwatching|sailing|camping)\b.*\b(?:every|times|twice|once|on \w+days|weekly|daily|at \d|most|each)",
    "wear": r"(?:glasses|contacts|contact lenses|hearing aids|size|a size|an? (?:insulin|size|pacemaker))", "homeschool": r"\w+",
    "earn": r"\S+", "make": r"(?:\$|€|£|\d|my own)", "pay": r"(?:\$|€|£|\d|around|about)\S*.*(?:rent|month|year|mortgage)", "mentor": r"\w+", "tutor": r"\w+", "babysit": r"\w+", "maintain": r"(?:an? |the |several|two)", "contribute": r"to", "support": r"(?!this|it|that)(?:[A-Z]\w+|\d|my|an? )",
    "take care": r"of", "care for": r"my", "look after": r"my|our|two", "get up": r"(?:at|around|before|every)", "wake up": r"(?:at|around|before|every)", "sleep": r"(?:with|only|on|in|about|\d|six|five|four|seven)", "rent": r"an? |my|the|out", "sew": r"\w+", "knit": r"\w+", "sail": r"\w+", "surf": r"\w+",
    "come": r"from a ", "do": r"(?:yoga|pilates|judo|karate|crossfit|CrossFit|ballet|archery|parkour|improv|taekwondo|pottery|night shifts|volunteer|stand-up|\w+ every|\w+ twice|\w+ three times|triathlons|shift work|bouldering|freelance|consulting|research on|research in|my (?:PhD|phd|masters?) )", "meet": r".*\b(?:every|on \w+days|once a|twice a|weekly|monthly)\b",
    "swim": r".*\b(?:every|times|twice|on \w+days|club|team)", "walk": r".*\b(?:every|times|daily|to work)", "cycle": r".*\b(?:to work|every|times|daily)", "meditate": r".*\b(?:every|daily|each|minutes)", "paint": r"(?:in|watercolou?rs?|with|portraits|landscapes|oil|as)", "bake": r".*\b(?:every|bread|sourdough|weekends)", "climb": r".*\b(?:every|times|twice|at|\w+days)", "ski": r".*\b(?:every|each)", "fish": r".*\b(?:every|on)", "box": r".*\b(?:every|times|at)", "fence": r"(?:for|at|competitively)", "hike": r".*\b(?:every|most)", "stand": r"\d",
    "spend": r".*\b(?:every|each|a week|a month|summers?|winters?|weekends)\b",
}  # fmt: skip
_TEAM_ACTIVITY = pattern(
    r"(?:use|deploy|store|ship|release|host|serve|sell|operate|process|track|test|run|support|employ|have|report|monitor|work|meet|do|write|keep|hold) (?!it\b|this\b|that\b|to\b|a (?:problem|bug|question|meeting|chat|look)\b|problems|issues|not\b|the same|no idea|time\b|an (?:issue|error|idea)\b|fun\b|lunch|dinner|breakfast|him|her|them|you)(?:\S+ ?){1,}"
)
_BEEN = pattern(
    r"(?:I|we) have (?:<ADV>)*(?:been (?!meaning|thinking|trying|having (?:trouble|issues|problems)|struggling|looking|debugging|wondering|busy|waiting|working on (?:this|it|that)|getting|stuck|told|asked|feeling|seeing|dealing with (?:this|an?)|sick|ill)|had |worked |lived |played |known |owned |driven |taught |run |used |studied |practi[sc]ed |coached |volunteered |sung |managed |led |smoked |written |worn |kept )\S.*\b(?:for (?:almost |over |about |nearly |more than |the (?:last|past) |around |roughly |well over )*(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|several|many|a|a couple of|a few|most of my|my whole) ?(?:year|month|decade|life|adult)|since\b|(?:my|our) (?:whole|entire) life|all my life)"
)
_STATES = pattern(
    r"(?P<who>I|we) (?:am|are) (?:<ADV>|not |an? |the )*(?:left-handed|right-handed|ambidextrous|only child|oldest|eldest|youngest|middle child|twin|single|married(?! to (?:my|the|an?)\b)|divorced|widowed|widow|widower|engaged|separated|(?:\w+ (?:weeks|months) )?pregnant|expecting|retired|between jobs|unemployed|self-employed|on (?:parental|maternity|paternity|sick) leave|on sabbatical|on disability|on a \w+ visa|(?:single )?(?:mother|father|mom|mum|dad|parent)|grandmother|grandfather|grandparent|grandma|grandpa|night owl|early riser|early bird|smoker|non-smoker|blood donor|organ donor|veteran|member of|introvert|extrovert|religious|atheist|agnostic|Catholic|Muslim|Jewish|Buddhist|Hindu|Christian|Protestant|Sikh|teetotal|teetotaller|sober|straight|gay|lesbian|bisexual|transgender|trans|nonbinary|non-binary|asexual|\d(?:\.\d+)? ?(?:m|cm|ft|feet|kg)|\d+ (?:cm|kg|feet)|five foot|six foot|tall|short-sighted|near-sighted|nearsighted|farsighted|first-generation|bilingual|trilingual|fluent in|responsible for|in charge of|team lead|in my (?:first|second|third|fourth|final|last|early|mid|late)|afraid of|scared of|terrified of|certified|licensed|qualified|trained as|working (?:from home|part-time|remotely|nights|night shifts|towards)|enrolled|a regular|vaccinated|colour|homeowner|landlord|carer|caregiver|host family|foster parent|godmother|godfather|treasurer|volunteer|beginner|novice|new to|self-taught|good at|bad at|terrible at|fluent|based|remote|fully remote|hybrid|on call|on-call|oncall|a team of|team of|startup|small|bootstrapped|nonprofit|expecting)\b.*"
)
_LACKS = pattern(
    r"(?:I|we) (?:<ADV>)*(?:do not (?:<ADV>)*(?:own|have) (?:an? |any )?|have no )(?:[\w-]+ )?(?:car|cars|kids|children|siblings|brothers|sisters|pets|licen[cs]e|driver's licen[cs]e|driving licen[cs]e|TV|television|smartphone|garden|balcony|oven|microwave|dishwasher|freezer|bike|degree|garage|lift|elevator|air conditioning|central heating|permit|visa|passport|bank account|credit card|printer|dedicated \w+|QA|DBA|designer)\b"
)
_NEVER_HAVE = pattern(
    r"(?:I|we) have never (?:been (?:on|to|in|married)|had (?:a|an|any|surgery|kids)|driven|smoked|flown|learned|learnt|owned|lived|worked|left|ridden|skied|run|eaten|drunk|used|played|met|seen (?:the sea|snow))\b(?! (?:it|this|that|so|such|before)\b)"
)
_KIN_OF = pattern(
    r"I am (?P<name><CAP>)'s (?:[\w-]+ ){0,2}(?:sister|brother|mother|father|mum|mom|dad|wife|husband|son|daughter|boss|manager|colleague|friend|roommate|flatmate|neighbou?r|partner|cousin|aunt|uncle|grandmother|grandfather|teacher|assistant|co-founder|teammate|landlord|girlfriend|boyfriend|fiancée?|niece|nephew|coach|deputy|successor|replacement|carer)\b"
)
_DUTIES = pattern(
    r"(?:I|we) (?:am|are|will be) (?:<ADV>)*(?:the (?:on-call|point|contact|lead|product|main|only|new|responsible)|owning|taking over|running the|leading|responsible for|in charge of|heading|the (?:one|person) (?:responsible|for))\b (?!this\b|it\b)"
)
_WAS_TRADE = pattern(rf"I was (?:an? )(?:[\w-]+ ){{0,3}}?(?:{words.alternatives(words.JOBS)}) (?:for|until|before|in|at|back)\b")
_SOBER = pattern(
    r"I (?:am|have been) (?:[\w-]+ (?:years?|months?|weeks?|days?) )?(?:sober|clean|smoke-free|alcohol-free|cancer-free|in remission)\b"
)
_STUDIES = pattern(
    r"I am (?:<ADV>)*(?:studying|doing (?:a|my) (?:phd|PhD|masters?|degree|apprenticeship|MBA|residency)|training as|enrolled|majoring in|reading \w+ at)\b(?! (?:for (?:the|my|a) (?:test|quiz)|this|it)\b)"
)
_SCHEDULED = pattern(
    r"(?:I|we|(?:my|our) [\w-]+(?: <CAP>)? and I|<CAP> and I) (?:<ADV>)*(?:am|are|will be|have|start|begin|leave|fly|finish|move|turn|graduate|retire|return|travel|get|will|take|am going|are going) (?P<v>.*)"
)
_EVENT_NOUN = pattern(
    r"\b(?:flying|moving|getting married|starting|leaving|travelling|traveling|visiting|having (?:surgery|a baby|my|an operation|twins|our)|graduating|retiring|turning|running (?:a|the|my)|speaking|presenting|giving a|defending|taking (?:the|my) \w+|meeting (?:my|the|with)|hosting|launching|releasing|shipping|attending|going (?:on|to (?:visit|see|a|the (?!shop|store|gym|office|supermarket|pub|bakery)|my|[A-Z]))|driving to|sailing|marrying|adopting|closing on|appointment|interview|exam|flight|surgery|operation|wedding|conference|due|deadline|vacation|holiday|trip|appraisal|reunion|race|marathon|concert|move|new job|job at|start at|my (?:new|first|last day)|viewing|check-up|checkup|scan|MRI|visa|hearing|recital|audition|tournament|parental leave|maternity leave|sabbatical|internship|semester|course|retreat|expecting|off (?:to|from|until)|on (?:leave|vacation|holiday)|joining|performing|competing|seeing (?:my|the)|picking up (?:my|our)|celebrating|signing|renewing|demo|audit|review|go live|release|launch|board meeting|kickoff|offsite|workshop|training|fly|move|start|retire|graduate|turn \d+|leave for|begin|finish (?:my|the))\b"
)
_DATED_NOUN = pattern(
    r"(?:my|our|the) (?P<noun>[\w' -]{3,40}?) (?:is|are|starts|begins|ends|takes place|was|happens|will be|is due|expires|has been moved|got moved|is scheduled|was moved|is planned|runs out|closes|opens) (?:on|in|at|from|until|due|for|scheduled|to|next|tomorrow|this|by|the|moved|last|yesterday|\d+)\b(?P<rest>.*)"
)


def decision(text: str) -> Draft | None:
    """A choice that was made."""
    if _UNDECIDED.search(text) or _TRIVIAL_CHOICE.search(text) or _KEEPING.match(text):
        return None
    if (match := _LETS.match(text)) is not None:
        return None if _loose(match["v"]) else Draft("decision", f"I decided to {match['v']}", 0.8)
    if (match := _IT_IS.match(text)) is not None and match["v"].split()[0].lower() not in {
        "what",
        "how",
        "whatever",
        "yes",
        "no",
        "where",
        "as",
        "so",
        "the",
        "like",
        "when",
        "that",
    }:
        what = f" for {match['what']}" if match["what"] and not re.match(r"(?:this|that|now)\b", match["what"]) else ""
        return Draft("decision", f"I decided on {match['v']}{what}", 0.8)
    if text.startswith("we decided: "):
        return Draft("decision", text)
    if any(rule.match(text) for rule in _DECIDED):
        return Draft(
            "decision",
            re.sub(
                r"^it (?:is|was|has been) (?:now |finally )?(?:decided|settled|agreed)(?::|,| that)?",
                "we decided that",
                text,
            ),
        )
    return None


def _loose(said: str) -> bool:
    return bool(
        re.search(
            r"\b(?:it|this|that|these|over|through|another|something|a (?:bit|break|look|different|moment)|the next|an example|step)\b",
            said,
        )
    )


def goal(text: str) -> Draft | None:
    """Something that is aimed at."""
    text = _WHAT_WANTED.sub(lambda found: f"{'my' if found['who'] == 'I' else 'our'} goal is ", text)
    if not any(rule.match(text) for rule in _AIMING) or _LOOKING_FOR.match(text):
        return None
    if (wanted := _WANT_DONE.match(text)) is not None and not _DEADLINE.search(text):
        return None
    wants, achieves, deadline = _WANT.match(text) or _TRY.match(text), _ACHIEVEMENT.search(text), _DEADLINE.search(text)
    if _OF_THE_MOMENT.search(text) and not (achieves and deadline):
        return None
    if wants and not (achieves or deadline):
        return None
    if pattern(
        r"\b(?:today|tonight|right now|this (?:afternoon|evening|morning)|in a (?:minute|moment|bit)|tomorrow morning)\b"
    ).search(text):
        return None
    if pattern(
        r"\b(?:goal|aim|point|purpose|priority|target|plan|dream|mission) of (?:this|the) (?:function|loop|code|script|test|text|question|class|method|query|essay|exercise)\b"
    ).search(text):
        return None
    if (
        pattern(rf"{_WHO} (?:am|are|is|have been) (?:<ADV>)*(?:learning|practi[sc]ing|studying)\b").match(text)
        and not deadline
    ):
        return Draft("goal", text, 0.75)
    if pattern(rf"{_WHO} (?:am|are) (?:<ADV>)*(?:set|on track|preparing a|looking|working on)\b").match(text) and not (
        achieves or deadline
    ):
        return None
    return Draft("goal", text, 0.9)


def constraint(text: str) -> Draft | None:
    """A lasting limit or requirement."""
    if (match := _CANNOT_DO.match(text)) is not None:
        lasting = _ABILITY.match(match["v"]) and not _WE_MOMENT.search(match["v"].split(" because")[0])
        return Draft("constraint", text) if lasting and not _pointing(match["v"]) else None
    if (match := _DOES_NOT.match(text)) is not None:
        return Draft("constraint", text) if _ABSTAINS.match(match["v"]) else None
    if (match := _DUTY.match(text)) is not None:
        return (
            Draft("constraint", text, 0.85)
            if _LASTING.search(match["v"]) and not re.search(r"\b(?:today|tomorrow|tonight|now)\b", text)
            else None
        )
    if (match := _AUTHORITY.match(text)) is not None and not _pointing(match["let"] or ""):
        return Draft("constraint", text, 0.85, own=False)
    if (match := _MUST.match(text)) is not None and (made := _requirement(text, match)) is not None:
        return made
    if (match := _BARE_MUST.match(text)) is not None and match["who"][:3] not in {"my ", "I "}:
        if match["must"].startswith("must") and re.match(
            r"(?:be (?:over|about|around|nice|hard|great|so|very|really|an?|the)\b|have\b)", match["rest"]
        ):
            return None
        named = (_PROJECT.search(match["rest"]) or _TECHNICAL.match(match["who"])) and not re.search(
            r"\b(?:today|tomorrow|tonight|now|asap)\b", match["rest"]
        )
        return Draft("constraint", text, 0.8, own=False) if named else None
    if any(rule.match(text) for rule in (_NOT_ALLOWED, _NOBODY_MAY, _ONLY)):
        return Draft("constraint", text, 0.8, own=False)
    if _LIMIT.match(text) or _NO_MORE.match(text):
        return Draft("constraint", text, own=False) if not _pointing(text) else None
    return None


def _requirement(text: str, match: re.Match[str]) -> Draft | None:
    who, rest = match["who"], match["rest"]
    if match["must"].startswith("must") and re.match(
        r" (?:be (?:over|about|around|nice|hard|great|so|very|really|tough|an?|the|true|joking|kidding|fun|rich|tired|crazy)\b|have\b)",
        rest,
    ):
        return None
    moment = _WE_MOMENT if who in {"we", "everyone", "nobody"} else _TODAY
    if who == "I" or moment.search(f"{rest.split(',')[0]}"[:40]) or len(rest.split()) < 2:
        return None
    if match["must"] in {"need to", "have to"} and re.search(
        r"\b(?:tomorrow|today|tonight|this week|next week)\b", rest
    ):
        return None
    if re.match(r"(?:nobody|everyone|everything|nothing|[A-Z])", who) and not re.search(
        r"\d|\b(?:team|project|repo|production|office|release|deploy|approval|review)\b", rest
    ):
        return None
    if re.match(
        r"(?:my|the) (?:sister|brother|mother|father|son|daughter|wife|husband|friend|dog|cat|user'?s?)\b", who
    ):
        return None
    if (
        match["must"] in {"needs to", "need to", "cannot"}
        and re.search(r"\b(?:be fixed|be restarted|work|connect|find|load|open|start|compile|sleep|stop)\b", rest)
        and not re.search(r"\d", rest)
    ):
        return None
    return Draft("constraint", text, 0.85, own=who in {"we"} or who.startswith(("our", "my")))


def _pointing(said: str) -> bool:
    return bool(re.match(r"(?:it|this|that|them|these|those|you|your)\b", said))


def preference(text: str) -> Draft | None:
    """A like or a dislike that lasts."""
    if (match := _OBJECT_FIRST.match(text)) is not None and not _pointing(match["v"].lower()):
        return Draft("preference", f"I {match['verb']} {match['v']}")
    if (match := _INTO.match(text)) is not None:
        return Draft("preference", f"I am into {match['v']}")
    for rule in (_FOND, _FAN, _RATHER, _TAKES_OVER, _CARES, _EVER, _MY_THING):
        if (match := rule.match(text)) is not None:
            return None if _NOT_LASTING.match(match["v"]) or _pointing(match["v"]) else Draft("preference", text)
    match = _LIKES.match(text)
    if match is None:
        return Draft("preference", text, 0.85) if _TASTE_OF_MINE.match(text) else None
    would = "would" in match["adverbs"]
    if _NOT_LASTING.match(match["v"]) or would or (match["verb"] == "mind"):
        return None
    if match["verb"] in {"is", "are"} and not dated and not _LASTING_STATE.match(rest):
        return True
    if match["verb"] in {"avoid", "appreciate", "fancy"} and match["verb"] != "avoid":
        return None
    if (
        match["verb"] == "like"
        and match["v"].startswith("to ")
        and not re.search(r"\b(?:in|on|every|before|after|when|while|with|at)\b", match["v"])
        and len(match["v"].split()) < 2
    ):
        return None
    return Draft("preference", text, ends=(match["not"] or "").startswith("no longer"))


def fact(text: str, dated: bool, past: bool) -> Draft | None:
    """A lasting circumstance, a dated event, or what is said about others."""
    return _others(text, dated) or _things(text, dated) or _own(text, dated, past)


def _others(text: str, dated: bool) -> Draft | None:
    if (match := _IS_OF_MINE.match(text)) is not None:
        return Draft("fact", text, about=match["name"], own=False)
    match = _OF_MINE.match(text) or _NAMED.match(text)
    if match is None or _fleeting(match, dated):
        return None
    if match.re is _OF_MINE and text.startswith(("an old ", "a ")) and not match["name"]:
        return None
    if match.re is _OF_MINE and match["of"] == "name":
        return Draft("fact", text, about=match["rest"].strip(" .,") or None, own=False)
    return Draft("fact", text, about=match["name"], own=False)


def _things(text: str, dated: bool) -> Draft | None:
    if (match := _DATED_NOUN.match(text)) is not None and dated and not _fleeting_rest(f" {match['rest'].strip()}"):
        return Draft("fact", text, 0.85)
    match = _THINGS.match(text)
    if match is None or (match["verb"] in {"died", "broke", "lost", "passed", "gave", "stays"} and not dated):
        return None
    if _fleeting(match, dated) or (text.startswith("the ") and not re.search(r"\d|[A-Z]", match["rest"])):
        return None
    if (
        text.startswith("the ")
        and not dated
        and not pattern(r"\b(?:is|are|runs?) (?:<ADV>)*(?:on|in|at|with|written|built|hosted|deployed) ").search(text)
    ):
        return None
    return Draft("fact", text, 0.85, about=match["name"], own=False)


def _fleeting(match: re.Match[str], dated: bool) -> bool:
    rest = match["rest"]
    if _fleeting_rest(rest) or not rest.strip(" ,."):
        return match["verb"] not in {"died", "retired", "married", "graduated"} or bool(rest.strip(" ,."))
    if match["verb"] in {
        "was",
        "were",
        "had",
        "got",
        "went",
        "came",
        "did",
        "made",
        "gave",
        "just",
        "took",
        "sat",
        "used",
        "can",
        "will",
        "wants",
        "do",
        "does",
        "cannot",
        "needs",
        "might",
    }:
        return not (dated or _durable_rest(match["verb"], rest))
    return False


_LASTING_STATE = pattern(
    r" (?:<ADV>|not |both |all |also |severely |very )*(?:an?|the|from|in|at|on|of|with|called|named|my|our|\d|over|under|about|around|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen|sixteen|eighteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
    r"|moving|getting (?:married|divorced)|studying|working (?:at|as|for|in|on a)|living|retiring|leaving|expecting|selling|learning|training|turning|doing (?:an?|his|her|their)|writing (?:an?|his|her|their)|based|located|hosted|written|built|deployed|owned|run by|made|due|closed|open|limited|split|responsible|allowed"
    r"|vegan|vegetarian|diabetic|allergic|pregnant|retired|deaf|blind|married|divorced|single|left-handed|gay|lesbian|coeliac|celiac|autistic|dyslexic|bilingual|fluent|afraid|scared|terrified|obsessed|into|fond|married|engaged|widowed|pescatarian|lactose|gluten|colou?r-?blind|disabled|adopted|Jewish|Muslim|Catholic|Buddhist|Hindu|Christian|religious|self-employed|unemployed|homeschooled|sober|remote|fully remote|older|younger|taller|tall|nearly|almost|German|French|Spanish|Italian|Portuguese|Polish|Dutch|Swedish|Danish|Norwegian|Finnish|Irish|British|English|Scottish|Welsh|American|Canadian|Mexican|Brazilian|Indian|Chinese|Japanese|Korean|Turkish|Greek|Russian|Ukrainian|Australian|Nigerian|Kenyan|PostgreSQL|[A-Z]\w+)\b"
)


def _durable_rest(verb: str, rest: str) -> bool:
    return bool(
        _had_trade(verb, rest)
        or re.match(
            r" (?:born|diagnosed|promoted|raised|married|engaged|divorced|hired|an? (?:\w+ ){0,2}(?:teacher|nurse|doctor|engineer|baby|stroke|twins|son|daughter|puppy|pilot|carpenter|soldier)|moved|started|retired|turned|bought|joined|graduated|passed away|speak|swim|play|to (?:become|study|be an?|retire|move)|not (?:eat|drink|drive|speak|like|swim)|drive|surgery)\b",
            rest,
        )
    ) or verb in {"cannot", "does", "do", "needs"}


def _fleeting_rest(rest: str) -> bool:
    return bool(_FLEETING.match(rest)) or bool(re.search(r"\b(?:right now|at the moment|just now|again today)\b", rest))


def _own(text: str, dated: bool, past: bool) -> Draft | None:
    if (match := _EVENT.match(text)) is not None:
        told = f"{match['verb']}{match['rest']}"
        if _LIFE_EVENT.search(text) or (dated and not _PETTY.match(told) and len(told.split()) > 2):
            return Draft("fact", text, 0.95 if dated else 0.9)
        return None
    if any(rule.match(text) for rule in (_BEEN, _STATES, _LACKS, _NEVER_HAVE, _KIN_OF, _DUTIES, _SOBER, _STUDIES, _WAS_TRADE)):
        return Draft("fact", text)
    if dated and not past and (match := _SCHEDULED.match(text)) is not None and _EVENT_NOUN.search(text):
        return Draft("fact", text, 0.9)
    return _held(text)


def _held(text: str) -> Draft | None:
    match = _HAVE.match(text)
    if match is None:
        return None
    verb, rest = match["verb"], match["v"]
    if _pointing(rest) or pattern(
        r"^(?:an? |some |the |no |another |lots of |two |three )*(?:[\w-]+ )?(?:question|questions|problem|problems|issue|issues|error|errors|bug|idea|ideas|headache|cold|fever|list|table|function|file|script|dataframe|string|array|class|doubt|feeling|hunch|request|favou?r|choice|look|minute|hour|chance|time|fun|trouble|suggestion|point|theory|concern|task|query|column|variable|json|csv|clue|option|options)\b"
    ).match(rest):
        return None
    if verb in _POSSESSION_VERBS and _POSSESSED.match(rest):
        return Draft("fact", text)
    wanted = _ACTIVITY.get(verb)
    if wanted is not None and match["who"] == "I" and re.match(wanted, rest):
        return Draft("fact", text, 0.85)
    if match["who"] == "we" and _TEAM_ACTIVITY.match(f"{verb} {rest}"):
        return Draft("fact", text, 0.8)
    return None


def tentative(text: str) -> Draft | None:
    """A plan said with doubt: kept aside until it is confirmed."""
    bare = re.sub(
        r"^(?:I (?:think|guess|suppose|believe|feel like)(?: that)?|maybe|perhaps|probably|possibly)[, ]+", "", text
    )
    if not pattern(
        r"(?:I|we) (?:<ADV>)*(?:might|may|am (?:<ADV>)*(?:thinking (?:of|about)|considering|leaning towards?|toying with|tempted)|are (?:<ADV>)*(?:thinking (?:of|about)|considering|leaning towards?)|will (?:probably|maybe|possibly)|will)\b"
    ).match(bare):
        return None
    if not pattern(
        r"\b(?:mov\w+|switch\w*|buy\w*|quit\w*|chang\w+|start\w*|join\w*|learn\w*|adopt\w*|sell\w*|leav\w+|apply\w*|go\w* (?:back|with|to|vegan|vegetarian)|rewrit\w+|us\w+|migrat\w+|study\w*|retir\w+|get\w* (?:a|married|an|divorced)|run\w*|travel\w*|drop\w*|tak\w+|hir\w+|renovat\w+|open\w*)\b"
    ).search(bare):
        return None
    if pattern(r"\b(?:it|this|that|you|your|today|tonight|now)\b").search(bare):
        return None
    kept = (
        ""
        if re.search(r"\b(?:might|may|thinking|considering|leaning|toying|tempted|probably|maybe|possibly)\b", bare)
        else "might"
    )
    return Draft("goal", re.sub(r"\bwill\b", "might", bare, count=1) if kept else bare, 0.5)


def by_authority(text: str) -> bool:
    """Somebody's word that binds the speaker: "legal says we cannot …"."""
    return _AUTHORITY.match(text) is not None


def _had_trade(verb: str, rest: str) -> bool:
    """ "was a coal miner"."""
    trade = re.match(r" an? ((?:[\w-]+ ){0,3}[\w-]+)", rest) if verb in {"was", "were"} else None
    return trade is not None and not words.JOBS.isdisjoint(trade[1].split())


def person_in(text: str) -> str | None:
    """The one other person that a clause is about, as later clauses may call them: "my brother Idris" or "my mother"."""
    match = _OF_MINE.match(text) or _NAMED.match(text) or _IS_OF_MINE.match(text) or _HAVE_KIN.match(text)
    if match is None:
        return None
    noun = match.groupdict().get("noun")
    if noun is None or noun.split()[-1] in words.PLURAL_RELATIONS:
        return match["name"]
    return f"my {noun} {match['name'] or ''}".strip()
