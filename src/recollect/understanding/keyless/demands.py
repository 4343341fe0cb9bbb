"""Lasting limits and requirements."""

import re

from recollect.understanding.keyless import vocabulary as words
from recollect.understanding.keyless.antecedents import unpointed
from recollect.understanding.keyless.draft import Draft, pointing
from recollect.understanding.keyless.sentences import RULED
from recollect.understanding.keyless.subjects import spoken
from recollect.understanding.keyless.text import pattern

_THING = (
    r"(?:the|our|my|all|every|each|any|no|each of our|both|whatever we \w+|anything we|nothing we) (?:[\w'/-]+ ){0,5}?"
)
_MUST = pattern(
    rf"(?P<who>{_THING}[\w'/-]+|we|I|everything|nothing|nobody|everyone|data|payments|deployments|releases"
    r"|personal data|<CAP>(?: \w+)?) (?:<ADV>)*(?P<must>must(?: not| never)?|cannot|have to|has to|can (?:not|never) "
    r"(?:be|go|contain|exceed)|can contain|need "
    r"to|needs to|may not|may only|shall(?: not)?|can only|(?:am|is|are) (?:not|never|only) (?:allowed"
    r"|permitted)(?: to)?|(?:am|is|are) (?:limited|restricted|capped|required|obliged|forbidden"
    r"|prohibited|bound|supposed|obligated)(?: to| at| by| from)?|should never|must be|do not have "
    r"permission|needs? at least|may (?:have|be|take|contain|last|use|hold|weigh|cost) (?:at most|no more than|only"
    r"|up to)|can (?:hold|handle|take|store|carry|fit) (?:at most|no more than|only|up "
    r"to))\b(?P<rest>.*)"
)
_BARE_MUST = pattern(
    r"(?P<who>(?!you\b|one\b|people\b|he\b|she\b|it\b|they\b|I\b|we\b|there\b|this\b|that\b|what\b|who\b"
    r"|if\b|when\b|a\b|an\b|vegetarians|vegans)(?:[\w'/-]+ ){0,4}?[\w'/-]+)(?: (?:that )?(?:we|I) \w+)? "
    r"(?P<must>must(?: not| never)?|cannot|has to|have to|may not|may only|can only|should never|needs to"
    r"|shall not|may (?:go|be used|enter|leave)|can (?:never )?(?:contain|exceed|go over|take no more))(?: also| always"
    r"| all| still)? (?P<rest>.+)",
    re.IGNORECASE,
)
_PROJECT = pattern(
    r"\d|\b(?:EU|GDPR|HIPAA|PCI|production|reviewed|approval|approved|encrypted|license|licence|GPL|AGPL"
    r"|on-prem|offline|backwards? compatible|accessible|WCAG|SOC|ISO|audit|logged|customer data"
    r"|third-party|sign(?:ed)? off|kept|stored|retained|stay in|seconds|minutes|hours|days|weeks|months|years|lose"
    r"|signed|checked|locker|hospital|school|office|customers?|guests|inspection|certificate|insured|freestanding"
    r"|budget"
    r"|contain|stay (?:under|below|within|inside|on)|fit (?:in|on|through|under)|run on|work (?:on|with|without"
    r"|offline|in)"
    r"|Safari|iOS|Android|Python|Java|RHEL|Ubuntu|ARM|EU-only|[A-Z]{2,})\b"
)
_AUTHORITY = pattern(
    r"(?P<who>(?:(?:our |my |the )(?:[\w-]+ ){0,2}?)?(?:officer|inspector|authorities|legal(?: team)?|compliance"
    r"|security|landlord|landlady|client|customer"
    r"|management|boss|doctor|surgeon|lawyer|insurer|insurance|visa|contract|lease|school|employer|board"
    r"|regulator|auditors|HR|IT|[Pp]hysio|GP|policy|midwife|Legal|Landlord|Compliance|Security"
    r"|Management|[Ss]pec|[Ss]pecs|[Bb]rief|[Rr]ules|[Rr]egulations|[Cc]ontract|[Tt]enancy|[Dd]oc|[Dd]octors|[Dd]entist"
    r"|[Cc]onsultant|[Vv]et|[Cc]ouncil|[Vv]enue|[Aa]irline|[Bb]ank|[Ii]nsurers|[Ff]inance|[Oo]ps|[Pp]rocurement|HOA"
    r"|[Tt]eacher|[Uu]ni|[Uu]niversity|[Cc]lients|[Cc]ustomers|[Pp]ublisher|[Ss]tatute|[Ll]aw|guidelines|SLA|GDPR|union"
    r"|[Ss]upervisor|[Pp]harmacist|[Mm]arket|grant|tender|letter|by-laws|bylaws|norm|standard|permit|licen[cs]e"
    r"|ministry|museum"
    r"|carrier|neurologist|auditors?|reviewers|regs|building|tenancy|statutes|syllabus|handbook)(?: \w+)?(?: also)?)"
    r" (?:(?:(?:insists?|insisted) on (?P<on>.+)|(?:says"
    r"|said|insists?|requires?"
    r"|demands?|told (?:me|us)|wants?|is adamant|are adamant|are strict|made (?:it )?clear|stipulates?)(?: that| us "
    r"to| me to)? (?P<rest>(?<=insists )(?:all|every|each|any|everything) .+|(?<=stipulates that ).+"
    r"|(?<=demands that ).+|(?<=requires that ).+|(?<=insists that ).+|(?:(?:we|I"
    r"|everything|all|the|our|my|any|every|each|it) .*\b(?:must"
    r"|cannot|can not|have to|has to|need to|needs to|may not|not allowed|should never|can only|only|at most|no more"
    r" than)\b|(?:no|nothing|not?) \w|at least|at most|never|only).*))|(?:<ADV>|will |does |do |would )*(?:not "
    r")?(?:<ADV>)*(?:lets?|allows?|permits?|forbids?|prohibits?|bans?|bars?|requires?|limits?|restricts?|caps?"
    r"|obliges?|has (?:now )?(?:ruled out|banned|forbidden|capped|limited|prohibited))\b (?P<let>.+))"
)
_FORBIDS = pattern(
    rf"(?:the|our|my) (?!(?:{words.alternatives(words.RELATIVES | words.ACQUAINTANCES)})\b)(?:[\w'-]+"
    rf" ){{1,3}}(?:forbids?|prohibits?"
    r"|does not (?:allow|permit)|do not (?:allow|permit)|will not (?:allow|permit)|obliges? (?:us|me) to|requires"
    r" (?:us|me) to|"
    r"ha(?:s|ve) (?:capped|limited|restricted) (?:us|me|it|everyone) (?:at|to)) (?!it\b|this\b|that\b|me to\b"
    r"|you\b)\w.+"
)
_OWN_ADVISER = re.compile(
    r"(?:doc|doctors?|landlord|landlady|boss|gp|physio|dentist|consultant|surgeon|vet|midwife|supervisor|pharmacist"
    r"|teacher)\b",
    re.IGNORECASE,
)
_TODAY = pattern(r"^ ?become\b|\b(?:today|tomorrow|tonight|right now|asap|soon|this (?:morning|afternoon|evening))\b")
_NOT_ALLOWED = pattern(
    r"(?:[\w-]+ ){1,4}(?:is|are) (?:<ADV>)*(?:not (?:allowed|permitted)|forbidden|banned|prohibited|off "
    r"limits)\b.*\b(?:my|our|we|I)\b"
)
_NOBODY_MAY = pattern(
    r"(?:(?:[Nn]o one|[Nn]obody)(?: (?:under|over|below|without|except|but|outside) [\w ]{2,20}?)?|[Nn]othing (?:in"
    r"|on|at|from|near|inside) [\w ]{2,30}|[Nn]o [\w-]+(?: [\w-]+)?) (?:may"
    r"|can|is allowed to|should ever|gets to) "
    r"(?!help|tell|explain|see|believe|know|understand)(?P<rest>\w+ .+)"
)
_ALL_NEED = pattern(
    r"(?:all|every|each|[Aa]ny|everything (?:we|I)) [\w -]{2,40}? (?:needs?|requires?|gets?) (?:at least |a"
    r"|an|one|two|three"
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
_NO_X = pattern(
    r"(?:absolutely |strictly )?no (?!problem|worries|way|idea|doubt|rush|need|pressure|chance|luck|wonder"
    r"|thanks|pain|reason|point|more|one)(?P<v>(?:[\w'-]+ ){0,5}?[\w'-]+)(?:,? (?:is |are )?(?:allowed|permitted"
    r"|whatsoever"
    r"|under any circumstances|at all|on (?:<DAY>s|weekends)|at weekends|in (?:production|the (?:house|office"
    r"|building|flat|repo|codebase|core|UI))|on "
    r"(?:the"
    r" (?:premises|train|site|line))|after \d\S*(?: ?[ap]m)?|before \d\S*(?: ?[ap]m)?|(?:without|unless) [\w ]+"
    r"|(?:over|above|below|under"
    r"|beyond|past"
    r"|more than|longer than|heavier than|older than|bigger than|larger than) [\w$€£-]*\d[\w,.]*(?: [\w-]+){0,3}))"
    r"(?:$|,|(?<=allowed) .+|(?<=permitted) .+)",
    re.IGNORECASE,
)
_NOTHING = pattern(
    r"(?:nothing|not a (?:cent|penny|gram|minute)|never|not|no) (?:over|above|below|under|beyond|past|more than"
    r"|longer than"
    r"|later than|heavier than|bigger than|larger than|older than|earlier than|before|after) [\w$€£ -]{0,20}?\d.*",
    re.IGNORECASE,
)
_CAPPED = pattern(
    r"(?P<who>(?!this\b|that\b|it\b|he\b|she\b|there\b|you\b)(?:[\w'/-]+ ){0,4}[\w'/-]+?)(?:'s| is| are| has been| "
    r"was) (?:<ADV>)*"
    r"(?:capped|limited|restricted|fixed|maxed out|confined|set) (?:at|to) (?P<v>.*\d.*)"
)
_ONLY_TAKES = pattern(
    r"(?:the|our|my) (?:[\w'-]+ ){1,4}?only (?:takes?|holds?|fits?|carries|carry|seats?|sleeps?|has (?:room|space) "
    r"for|lets? us"
    r"|ha(?:s|ve) \d+|runs?|accepts?|supports?|goes up to|stores?|works? (?:on|with|in)|opens?|allows?|comes with"
    r"|covers?|does) .+"
)
_MAXIMUM = pattern(
    r"(?!.*\b(?:article|meta|title|essay|post|paragraph|words long|response)\b)"
    r"(?:(?:the|our|my) )?(?:max(?:imum)?|minimum|min|at most|at least|no more than|up to) (?:[\w'-]+ ){0,4}(?:is"
    r"|are|of)"
    r" .*\d.*",
    re.IGNORECASE,
)
_HAVE_CAP = pattern(
    r"(?:I|we) (?:<ADV>)*(?:have|got|are on|am on) (?:got )?an? (?:[\w-]+ ){0,2}?(?:cap|limit|ceiling|quota|curfew"
    r"|deadline|maximum"
    r"|minimum|allowance|restriction|ban)\b .+"
)
_ONLY_ALLOWED = pattern(r"(?:I am|we are) only (?:allowed|permitted|insured|licensed|cleared|entitled) .+")
_STUCK = pattern(
    r"(?:I|we) (?:am|are) (?:<ADV>)*(?:stuck (?:on|with)|tied (?:to|into)|locked into|bound to|limited to|restricted "
    r"to|capped at"
    r"|pinned to) (?=.*(?:\d|[A-Z])).+"
)
_OFFLINE = pattern(
    r"(?:the|our|my) [\w ]{2,30}? (?:has|have|gets?) no (?:internet|network|wifi|wi-fi|outbound|outside|root|admin"
    r"|direct)\b.*"
)
_LICENCE = pattern(
    r"(?:I|we) (?:<ADV>)*(?:have not (?:got )?|do not (?:<ADV>)*(?:have|hold) |have no )(?:got )?(?:an? |any |the "
    r")?(?:[\w-]+ )?"
    r"(?:licen[cs]e|permit|permission|clearance|authori[sz]ation|approval|insurance|visa|admin rights"
    r"|root access)\b(?! (?:today|yet|right now)).*"
)
_HAS_TO_BE = pattern(
    r"(?P<who>(?!it\b|this\b|that\b|he\b|she\b|they\b|there\b|you\b|what\b|which\b|who\b|one\b)(?:[\w'/-]+ "
    r"){0,5}[\w'/-]+) (?:is"
    r"|are) (?:<ADV>)*(?:a (?:must|hard requirement|requirement|no-go|no-no|dealbreaker|deal breaker|must-have)"
    r"|mandatory"
    r"|compulsory|required|non-negotiable|out of the question|not negotiable|off the table|off limits|not an option|not"
    r" optional|not (?:allowed|permitted)|forbidden|banned|prohibited)\b.*"
)
_ONLY_SOME = pattern(
    r"[Oo]nly (?P<who>[\w' -]{2,40}?) (?:may|can|is allowed|are allowed|is permitted|are permitted|gets to|get to)\b "
    r"(?!see|tell|know|help|imagine|hope|say)(?P<rest>\w+.*)"
)
_RULED_OUT = pattern(
    r"(?:any|all|anything|everything|every) [\w' -]{2,50}? (?:is|are) (?:out|off limits|off the table|a no-go)(?=$|,)"
    r"|(?!my\b|our\b|the\b|they\b|we\b|you\b|these\b|those\b)(?:[\w'-]+ ){0,2}(?!results|tickets|lights|exams|schools"
    r"|stars|details|nominations|invites|invitations|ones)[\w'-]+s are (?:out|off limits|off the table)(?=$|,)"
    r"|(?!my\b|our\b|the\b|they\b|we\b|you\b)(?:[\w'-]+ ){0,3}[\w'-]+ (?:is|are) (?:out|off limits|no use|no good) "
    r"(?:for|to) (?:me|us)\b"
)
_ALLOWS = pattern(
    r"(?:the|our|my) [\w' -]{2,40}? (?:only )?(?:allows?|permits?|lets in|admits?|seats?|sleeps?) (?:us "
    r"|me )?(?:only |at "
    r"most |up to |no more than |no )?(?:\d|<N> )[\w ]*$"
)
_HOLDS = pattern(
    r"(?:the|our|my) [\w' -]{2,40}? (?:holds?|takes?|seats?|sleeps?|fits?|bears?|carries|can (?:hold|take|bear|seat"
    r"|carry)) "
    r"(?:[\w.,-]+ ){0,3}?\d[\w.,]*(?: \w+){0,3},? (?:max(?:imum)?|at (?:the very )?most|tops|not more|no more|full"
    r" stop)\b.*"
)
_SHARP = pattern(
    r"(?:the|our|my) [\w' -]{2,40}? (?:closes|opens|shuts|ends|starts|locks|finishes|is over) (?:at|by) [\w: ]{1,20} "
    r"(?:sharp|at the latest|on the dot|latest)\b.*"
)
_AT_MOST = pattern(
    r"(?!.*\b(?:words?|sentences?|lines?|bullets?|bullet points|paragraphs?|characters|examples?|options?|ideas|points"
    r"|items|suggestions|questions|answers?|repl\w+|emojis?|steps)\b)"
    r"(?:max(?:imum)?|at most|no more than|minimum|at least) (?:of )?(?:\d[\d.,]*|<N>) (?:\w+ ){0,6}\w+(?=$|,)",
    re.IGNORECASE,
)
_ONLY_FOR_US = pattern(r"(?:[\w'-]+ ){1,3}only for (?:me|us)(?=$|,)")
_USE_ONLY = pattern(r"(?:I am|we are) (?:allowed|permitted) to \w+ only .+")
_STRICTLY = pattern(
    r"(?:the|our|my) [\w' -]{2,40}? (?:is|are) (?:strictly|no \w+ allowed|(?:step-free|adults?|members?|cash|card"
    r"|women|men"
    r"|staff|appointment|invitation)[ -]only)\b.*"
)
_BANNED_THING = re.compile(
    r"\b(?:deploys?|deployments?|releases?|merges?|hotfixes|production|prod|rule|policy|Fridays|weekends|office"
    r"|building"
    r"|house|flat|premises|venue|site|repo|branch)\b"
)
_MAY_AT_MOST = re.compile(r" may (?:\w+ (?:at most|no more than|only|up to)|not|only)\b")
_FRAGMENT = pattern(
    r"(?:[Mm]ust(?: not| never)?|[Hh]as to|[Hh]ave to|[Cc]annot|[Mm]ay not|[Ss]hould not|[Nn]eeds to|[Cc]an only) "
    r"(?P<rest>(?:be|fit|stay|run|work|support|cost|weigh|exceed|have|contain|take|last|go|come|arrive|use|accept|hold"
    r"|handle|finish|include|end|open|close|cover|pass|survive) .+)"
)
_MINE = pattern(r"\b(?:my|our|we|I|us|me)\b")
_LIMIT = pattern(
    r"(?:the|our|my) (?:[\w'-]+ ){0,4}(?:limit|deadline|maximum|minimum|cap|requirement|rule|policy"
    r"|constraint|quota|ceiling|SLA|restriction|cut-off|cutoff|condition|notice period"
    r"|curfew)s?(?: for [\w -]{2,40}| on [\w "
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
    r"|anymore)))(?!to\b|been\b|it\b|any\b|this\b|that\b|fun\b)|have (?:anything with|any|dairy|gluten|sugar|nuts"
    r"|alcohol"
    r"|caffeine|milk|pets|a dog|a cat|grapefruit|salt|red meat)|take (?:any|ibuprofen|aspirin|penicillin"
    r"|antibiotics|nsaids|painkillers|calls|meetings|time off|the stairs|holidays|leave|vacation)|use "
    r"(?:my (?:left|right)|stairs|the stairs|cloud|external|public|third-party|tampons|social|a mouse|gpl"
    r"|GPL|my phone at)|donate|leave the country|smoke|wear|attend (?!the call|today)|keep (?:pets|a dog"
    r"|dairy)|afford|spend|install (?:software|anything)|share (?:client|customer|my|patient)|go (?:out "
    r"in the sun|above|below|outside|into|to bed late|without|on (?:boats|rollercoasters))|do (?:night "
    r"shifts|nights|weekends|high-impact|burpees|math|any|spicy|shellfish|fish|dairy|stairs|ladders|crowds|heights)"
    r"|digest|tolerate|handle (?:spicy|heat|caffeine"
    r"|alcohol|loud)|bend|kneel|raise|carry|type (?:with|for)|consume|touch|jump|hike|dive|sleep (?:on"
    r"|without|with)|roll my|smell|taste|speak (?:in public|french|german|\w+ish|\w+ese)|vote|relocate"
    r"|move (?:before|until|away|abroad)|commit to more|be (?:around|near|exposed|in the sun|out in)|park"
    r"|dance|sing|sit (?:on|cross)|be on|stay (?:up|out)|leave (?:before|the house|my|work)|pick up "
    r"(?:heavy)|exercise|get (?:vaccinated|pregnant|out of)|have any|eat or|host|play (?:contact)|bring"
    r"|record|discuss|disclose|work)\b"
)
_FORBIDDEN = pattern(
    r"I (?:<ADV>)*(?:am not (?:allowed|permitted) to|must not|must never|may not|am forbidden to|am not supposed to) "
    r"(?!be (?:sorry|late)|forget|complain|miss|worry|let|give up|lie)\w+ \w+|I (?:<ADV>)*cannot (?:receive|manage|use "
    r"(?!it|this|that|the (?:app|api|API|site|button|feature|function|command|search)|my brain|some|your|a (?:hand"
    r"|break))"
    r"|accept|have (?:[\w-]+ ){1,3}(?:in|at|near|around) my (?:house|kitchen|home|flat|room|office|car)"
    r"|have (?:visitors|guests|people|coffee|tea|open|candles|plants|animals|a bath)|join (?:calls|meetings)|make "
    r"(?:calls|noise)|print|hold|reach|grip|get (?:up|down) (?:stairs|ladders|hills|steps)|get deliveries"
    r"|leave (?:him|her|the)|hear|do "
    r"(?:mornings|evenings|stairs|heights|mondays|<DAY>s|weekends))"
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
    r"(?:eat|drink(?!$|,)|consume|touch)\b(?! (?:breakfast|lunch|it|that|this|enough|much|well)\b)|drive(?! at| "
    r"me)|fly\b|do (?:drugs|spicy|dairy|gluten|caffeine)"
)
_WE_MOMENT = pattern(
    r"\b(?:another|today|now|right now|asap|tonight|this afternoon|this morning|soon|quickly|first|talk"
    r"|go\b(?! (?:over|above|below|under|beyond|past|without)\b)|leave\b|hurry|start\b|figure|decide|discuss|think"
    r"|see|find out|know|wait|check|fix (?:this|it"
    r"|the bug)|believe|stop here|move on|rest|sleep|ask|remember|say|be (?:kidding|honest|sure|fair"
    r"|careful|clear|missing|doing|patient|brave|strong)|do something|do better|celebrate|meet up|catch up|keep"
    r" (?:on|up|at|it|this|that|in|an eye|going|\w+ing)\b"
    r"|admit|confess|try|look|work (?:it|this) out|become|debug|rewrite|merge|push"
    r"|finish (?:this|it)|call|order|buy|clean|get (?:back|going|ready|this|it|up|the))\b"
)

_EPISTEMIC = re.compile(
    r" ?(?:be (?:so |very |really |quite |such )*(?:incredible|amazing|wonderful|exciting|thrilling|fulfilling"
    r"|rewarding"
    r"|stunning|awesome|beautiful|satisfying|frustrating|difficult|challenging|scary|delicious|fascinating|fantastic"
    r"|proud"
    r"|exhausting|lovely|stressful|worth|good|interesting|cool|happy|excited|special|pretty|heartbreaking|cute|relaxing"
    r"|gorgeous|unreal|terrifying|lonely|sad|cold|hot|busy|feeling|something|one of|nice)\b|feel\b|look\b|smell\b"
    r"|taste\b"
    r"|have (?:been|come|\w+ed)\b|be (?:over|about|around|nice|hard|great|so|very|really|tough|an?|the|true|joking"
    r"|kidding|fun"
    r"|rich|tired|crazy)\b|have\b)"
)
_SOON = re.compile(r"\b(?:tomorrow|today|tonight|now|asap|this week|next week)\b")
_LOOSE_SUBJECT = re.compile(r"(?:nobody|everyone|everything|nothing|[A-Z])")
_FIRM = re.compile(
    r"\d|\b(?:team|project|repo|production|office|release|deploy|approval|review|distance|halal|kosher|vegan"
    r"|vegetarian|gluten|nut|accessible|budget"
    r"|recyclable|free|train|bus|logs?|access|customers?|users?|servers?|network|internet|cloud|database|public|offline"
    r"|midnight|noon|locked|signed|booked|paid|labelled|packed|washable|recycled|within|alone|pets|dogs|stairs"
    r"|wheelchair|Fridays?|weekends?)\b"
)
_PIECE_OF_WORK = re.compile(
    r"(?:the|my|this) (?:[\w-]+ )?(?:function|method|class|script|output|answer|program|loop|regex|query"
    r"|essay|text|letter|email|poem|story|title"
    r"|paragraph|sentence|homework|assignment)\b"
)
_PERSON = re.compile(
    rf"(?:my|our|the) (?:[\w'-]+ )?(?:{words.alternatives(words.RELATIVES)}|friend|dog|cat|user'?s?|lad|lass)\b"
)
_CLAUSE_END = re.compile(r",| because | since | due to | until ")
_REPAIRED = re.compile(r"be (?:fixed|restarted|rebuilt|reinstalled|rerun|updated)\b")
_REPAIR = re.compile(
    r" (?:seem to |even |really |get \S+ to |not )*(?:be fixed|be restarted|work(?! (?:offline|on|with|without|in"
    r"|across|for))"
    r"|connect|find|load|open|start|compile|sleep|stop)\b(?!.*\b(?:before|after|until|without|except|on Sundays)\b)"
)


_WHATEVER = re.compile(
    r"^(?:whatever|whichever|anything)(?: (?P<noun>(?!you\b|we\b|I\b|else\b)[\w-]+(?: [\w-]+)?))? you "
    r"(?:pick|suggest|propose|choose|recommend|find|write|build|come up with|use|decide on|go for|go with|order"
    r"|plan|cook|book)"
    r" (?P<must>must|has to|needs to|cannot|should not|may not)\b(?!.*\b(?:it|that|this)$)"
)


_OF_A_PERSON = re.compile(
    r" (?:eat|drink|have (?!chocolate|grapes)|tolerate|stand|bear|speak|swim|drive|cook|read|sing|dance|wait"
    r"|believe|come|make"
    r"|find|get|stop|sleep|see|decide|afford|help|be|remember|understand|tell|say|do|work)\b"
)
"""What a person cannot is a fact about them rather than a rule."""
_HAVE_A_THING = re.compile(r"have (?!been|come|gone|had|done|to\b|\w+ed\b)")
_ANYTHING_OVER = re.compile(r"(?:anything|everything|nothing|things) .*\d", re.IGNORECASE)


_SCENE = pattern(
    r"(?:for (?:[\w-]+ ){1,2}reasons|because of (?:the|my|our) [\w -]{3,30}?|due to (?:the|my|our) [\w -]{3,30}?"
    r"|(?:at|in|on|with) (?:our|my) [\w-]+(?: [\w-]+)?),? (?=(?:the|our|my|we|I|nobody|no one|nothing"
    r"|everyone|everything|all"
    r"|every|only)\b)",
    re.IGNORECASE,
)
"""Where or why something holds, said before what holds: "for insurance reasons", "at our club"."""


def constraint(text: str) -> Draft | None:
    """A lasting limit or requirement."""
    text = _WHATEVER.sub(lambda found: f"any {found['noun'] or 'solution'} {found['must']}", text)
    if text.startswith(("this ", "these ")):
        text = unpointed(text)
    if of_the_world(text):
        return None
    body = _SCENE.sub("", text, count=1)
    for reader in (_personal, _by_authority, _required, _bare, _limited, _wanted):
        if (draft := reader(body)) is not None:
            return draft._replace(text=text) if draft.text == body else draft
    return None


_MUST_BE = pattern(
    r"(?:it|this|that) (?P<must>has to|have to|needs to|cannot|must not|may not) be (?P<what>(?:an?|on|in"
    r"|within|under|below|at"
    r" (?:least|most)|no (?:more|longer|bigger|wider|taller|heavier|larger) than|reachable|suitable"
    r"|[\w-]+-(?:free|proof"
    r"|friendly|safe|only)|vegan|vegetarian|halal|kosher|accessible|offline|waterproof|washable|wireless|portable"
    r"|foldable|second-hand|secondhand)\b[^,]*)"
)
_OF_A_TEXT = re.compile(
    r"\b(?:shorter|longer|warmer|funnier|joke|surprise|reason|mistake|error|bug|way|coincidence|sentence|paragraph"
    r"|question|table|list|page|line|word|function|number|string)\b"
)


def _wanted(text: str) -> Draft | None:
    """What something that is looked for has to be, where nothing before it says what "it" is."""
    match = _MUST_BE.match(text)
    if match is None or _OF_A_TEXT.search(match["what"]):
        return None
    thing = match["what"] if match["what"].startswith(("a ", "an ")) else f"something {match['what']}"
    return Draft("constraint", f"I {'cannot take' if 'not' in match['must'] else 'need'} {thing}", 0.85)


_MATTER = pattern(r"it (?P<must>has to|have to|needs to|must|must not|cannot|may not|should never) (?P<rest>\w+ .+)")


def of_the_matter(text: str) -> str | None:
    """A requirement on what the talk is about, which the message does not name: "it has to run on Java 8"."""
    match = _MATTER.match(text)
    if match is None or _EPISTEMIC.match(match["rest"]) or _OF_A_TEXT.search(text) or _SOON.search(text):
        return None
    return f"what I need {match['must']} {match['rest']}"


_TAGGED_RULE = pattern(
    r"(?:so |and |ok |right |well )*(?P<rule>(?:[^,:]|, (?:no|nor|or|and)\b){6,110})(?:,|:| [–—-])(?: and)? (?:(?:it"
    r"|that|this) is )?(?:(?:an?|the|our"
    r"|my|in|by|just|simply|company|school|house|hard|legal|fire|safety|insurance|building|club|landlord's"
    r"|doctor's|company's|"
    r"team|family|visa|lab|site|firm) )*(?:policy|rules?|regs|regulations?|the law|law|by law|requirement|condition"
    r"|orders|"
    r"lease|contract|tenancy agreement)(?: (?:in|at|of|from|for|since|here|with|on)\b[^,:?]{0,50})?",
    re.IGNORECASE,
)
_BINDS = re.compile(
    r"\b(?:no|not|nobody|nothing|never|cannot|must|only|may|have to|has to|need|needs|every|all|max|at most|at least"
    r"|without|free)\b",
    re.IGNORECASE,
)
_TO_THE_ASSISTANT = re.compile(
    r"\b(?:you|your|answers?|repl(?:y|ies))\b|(?:please|always|never|do not|stop)\b", re.IGNORECASE
)


def declared(said: str) -> Draft | None:
    """What a sentence calls a rule in its last words: "no screens after nine, house rule"."""
    match = _TAGGED_RULE.fullmatch(said)
    if match is None or not _BINDS.search(match["rule"]) or _TO_THE_ASSISTANT.search(match["rule"]):
        return None
    return Draft("constraint", spoken(said[match.start("rule") :].replace(": ", ", ")), 0.85, own=False)


_OF_THE_WORLD = re.compile(
    r"(?:(?:all |most )?(?:drivers|cyclists|pedestrians|motorists|trucks|lorries|cars|passengers|travellers"
    r"|travelers|citizens"
    r"|tourists|pupils|students|children|kids|minors|adults|people|humans|vegans|vegetarians|employers"
    r"|employees|landlords"
    r"|tenants|companies|banks|doctors|planes|ships|dogs|cats|babies)(?: (?:under|over) \w+)? (?:must|cannot"
    r"|may not|have to"
    r"|need to|should)|an? [\w-]+(?: [\w-]+)? (?:must|cannot|may|has to|can)|there (?:is"
    r"|are) no [\w-]+ (?:limit|law|rule))\b",
    re.IGNORECASE,
)


def of_the_world(text: str) -> bool:
    """What holds for anybody: "a lift must not carry more than 630 kg"."""
    return _OF_THE_WORLD.match(text) is not None and not _MINE.search(text)


_FOLLOWS = re.compile(r"\b(?:I|my|me)\b[^.]*\bso,? $|^because\b[^.]*\b(?:I|my|me)\b[^.]*, $", re.IGNORECASE)


def attributed(text: str, sentence: str) -> str:
    """A requirement with whose it is, where it only follows from what the speaker says of themself before it."""
    place = sentence.find(text)
    if _MINE.search(text) or place < 0 or _FOLLOWS.search(sentence[:place]) is None:
        return text
    return f"for me, {text}"


_BARE_NO = re.compile(r"(?:so )?no (?:[\w-]+ ){0,3}[\w-]+", re.IGNORECASE)


def follows_from(text: str, sentence: str) -> bool:
    """Whether a "no …" without a verb only draws the conclusion of its sentence: "no drilling, so no shelves"."""
    return _BARE_NO.fullmatch(text) is not None and re.search(rf"\bso,? {re.escape(text)}", sentence) is not None


def ruling(text: str) -> bool:
    """Whether a "may" grants or forbids something rather than guesses: "only Gill may sign"."""
    return bool(_NOBODY_MAY.match(text) or _ONLY_SOME.match(text) or _MAY_AT_MOST.search(text))


def lacks_subject(text: str) -> bool:
    """A requirement whose thing was left out: "must fit in a carry-on"."""
    return _FRAGMENT.match(text) is not None


def by_authority(text: str) -> bool:
    """Somebody's word that binds the speaker: "legal says we cannot …"."""
    return _AUTHORITY.match(text) is not None


def _personal(text: str) -> Draft | None:
    """What the speaker cannot, does not or always has to do."""
    if (match := _CANNOT_DO.match(text)) is not None:
        able = (_ABILITY.match(match["v"]) or _FORBIDDEN.match(text)) and not _WE_MOMENT.search(
            _CLAUSE_END.split(match["v"])[0]
        )
        return Draft("constraint", text) if able and not pointing(match["v"]) else None
    if (match := _DOES_NOT.match(text)) is not None:
        return Draft("constraint", text) if _ABSTAINS.match(match["v"]) else None
    if (match := _DUTY.match(text)) is not None and _LASTING.search(match["v"]) and not _SOON.search(text):
        return Draft("constraint", text, 0.85)
    return None


def _by_authority(text: str) -> Draft | None:
    match = _AUTHORITY.match(text)
    if match is None or pointing(match["let"] or ""):
        return None
    told = f"my {text[:1].lower()}{text[1:]}" if _OWN_ADVISER.match(text) else text
    return Draft("constraint", told, 0.85, own=False)


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
    if must in {"must", "must be", "should never"} and _EPISTEMIC.match(rest):
        return True
    person = _PERSON.match(who) and ("n" not in must or _OF_A_PERSON.match(rest))
    return bool(person or _PIECE_OF_WORK.match(who)) or bool(
        _LOOSE_SUBJECT.match(who) and not who.startswith(("nothing we", "everything we")) and not _FIRM.search(rest)
    )


def _of_the_moment(match: re.Match[str]) -> bool:
    """A task for now rather than a rule."""
    who, must, rest = match["who"], match["must"], match["rest"]
    moment = _WE_MOMENT if who in {"we", "everyone", "nobody"} else _TODAY
    if moment.search(rest.split(",")[0][:40]) or len(rest.split()) < 2:
        return True
    if must in {"need to", "have to"} and _SOON.search(rest):
        return True
    return (
        must in {"needs to", "need to", "cannot", "has to"} and bool(_REPAIR.match(rest)) and not re.search(r"\d", rest)
    )


def _bare(text: str) -> Draft | None:
    """A requirement on something technical, or one that names a rule, a number or a product."""
    if (fragment := _FRAGMENT.match(text)) is not None and not _SOON.search(text):
        guess = _EPISTEMIC.match(fragment["rest"]) and not _HAVE_A_THING.match(fragment["rest"])
        vague = guess or pointing(fragment["rest"].partition(" ")[2])
        return None if vague else Draft("constraint", text, 0.75, own=False)
    match = _BARE_MUST.match(text)
    if match is None or text.startswith(("my ", "I ", "we ")) or _SOON.search(match["rest"]):
        return None
    if (match["must"] == "must" and _EPISTEMIC.match(match["rest"])) or _REPAIRED.match(match["rest"]):
        return None
    named = _PROJECT.search(match["rest"]) or _TECHNICAL.match(match["who"]) or _ANYTHING_OVER.match(match["who"])
    return Draft("constraint", text, 0.8, own=False) if named else None


_HAVE_UNTIL = pattern(
    r"(?:I|we) (?:<ADV>)*(?:have|have got|got|were given|was given|have been given) (?:only |just )?(?:until"
    r"|till) .+ to \w+.*"
    r"|(?:the|our|my) [\w' -]{2,30}? (?:has given|have given|gave|gives|give) (?:us|me) (?:only "
    r"|just )?(?:until|till) .+"
)
_TOLD_TO = pattern(
    r"(?:I|we) (?:have been|was|were|am|are) (?:<ADV>)*(?:told|advised|ordered|instructed"
    r"|asked by [\w ]{3,20}) (?:not to"
    r"|to (?:avoid|cut|stay off|limit|give up|keep off|stay away from|stick to)) .+"
)
_ONLY_ROOM = pattern(r"there is (?:<ADV>)*only (?:room|space|time|money) for .+")
_AT_MOST_LONG = pattern(
    r"(?:the|our|my) [\w' -]{2,40}? (?:may|can) (?:be|have|take|last|hold|cost"
    r"|weigh) [\w.,€$£ ]*\d[\w.,€$£ ]* (?:at most|max"
    r"|at the most|tops)\b.*"
)
_DEADLINE = pattern(r"(?:the |our |my )?[Dd]eadline(?: for [\w' -]{2,40}?)? is .+")
_IS_OUT = pattern(
    r"an? [\w' -]{2,40}? (?:is|are) (?:out|off the table|out of the question|not an option|no good)(?=$|,)"
)
_LIMITS = (
    _NOT_ALLOWED, _NOBODY_MAY, _ONLY, _ALL_NEED, _NO_X, _NOTHING, _CAPPED, _ONLY_TAKES, _MAXIMUM, _HAVE_CAP,
    _LICENCE, _STUCK, _OFFLINE, _ONLY_ALLOWED, _ONLY_SOME, _RULED_OUT, _ALLOWS, _SHARP, _AT_MOST, _ONLY_FOR_US,
    _USE_ONLY, _STRICTLY, _FORBIDS, _HOLDS, _HAVE_UNTIL, _TOLD_TO, _DEADLINE, _ONLY_ROOM,
    _AT_MOST_LONG,
)  # fmt: skip


def _ours(text: str) -> bool:
    """Whether a rule is about the speaker's own affairs rather than about the world."""
    return text.startswith(("the ", "our ", "my ", "all ", "any ")) or bool(
        _MINE.search(text) or _BANNED_THING.search(text)
    )


def _limited(text: str) -> Draft | None:
    if text.startswith(RULED):
        return Draft("constraint", text.removeprefix(RULED), own=False)
    if (out := _RULED_OUT.match(text) or _IS_OUT.match(text)) is not None and not _MINE.search(out.group()):
        return Draft("constraint", f"{out.group()} for me", 0.8)
    if any(rule.match(text) for rule in _LIMITS) or (_HAS_TO_BE.match(text) and _ours(text)):
        return Draft("constraint", text, 0.8, own=False)
    return Draft("constraint", text, own=False) if _LIMIT.match(text) or _NO_MORE.match(text) else None
