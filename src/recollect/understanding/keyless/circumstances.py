"""Facts: relatives and others, things, events, habits, what lasts."""

import re
from collections.abc import Iterator

from recollect.understanding.keyless import vocabulary as words
from recollect.understanding.keyless.draft import Draft, pointing
from recollect.understanding.keyless.text import any_of, pattern

_OTHER_RELATIONS = frozenset(
    [
        "lad",
        "lass",
        "mam",
        "team mate",
        "team-mate",
        "foreman",
        "other half",
        "missus",
        "mate",
        "best mate",
        "line manager",
        "tech lead",
        "team lead",
        "director",
        "stepmum",
        "grandchild",
        "grandkids",
        "grandchildren",
        "godchild",
        "niece",
        "folks",
        "little one",
        "middle one",
        "middle child",
        "business partner",
        "running partner",
        "PhD student",
        "postdoc",
        "apprentice",
        "childminder",
        "midwife",
        "consultant",
        "head teacher",
        "headteacher",
        "carer",
        "lodger",
        "tenant",
        "employee",
        "driver",
        "labmate",
        "classmate",
        "pen pal",
        "in-law",
        "great-aunt",
        "great-uncle",
        "stepchild",
        "stepkids",
        "nan",
        "nana",
        "grandmother",
        "CEO",
        "CTO",
        "CFO",
        "COO",
        "PM",
        "product manager",
        "release manager",
        "designer",
        "admin",
        "treasurer",
        "secretary",
        "co-author",
        "agent",
        "editor",
        "publisher",
        "stylist",
        "hairdresser",
        "vet",
        "surgeon",
        "pastor",
        "priest",
        "imam",
        "rabbi",
        "bandmate",
        "drummer",
        "twins",
        "boys",
        "girls",
        "singer",
        "bassist",
    ]
)
_PEOPLE = words.alternatives(words.RELATIVES | words.ACQUAINTANCES | _OTHER_RELATIONS)
_OPEN_VERB = (
    r"(?!says|thinks|seems|looks|feels|asks|knows|tells|insists|hopes|believes|reckons|wonders|sounds|keeps|finds|means"
    r"|claims|swears|gets|guesses|laughs|smiles|its|as|this|yes|always|perhaps|besides|sometimes|news|lots|plans|ideas"
    r"|days|years|kids|bugs|pics|photos|calls|messages|texts|wishes|worries|agrees|appreciates|understands|deserves"
    r"|inspires"
    r"|helps|motivates|encourages|deserves|means|wants|needs|loves you|reminds|remembers|hears|sees|sends|supports"
    r"|trusts)[a-z]{2,}[a-rt-z]s"
)
_POSSESSIONS = words.alternatives(words.THINGS_OF_A_TEAM | words.THINGS_OF_A_PERSON | words.PETS)
_GIVEN_NAME = any_of(words.FIRST_NAMES)
_HOLDS = (
    r"(?:start|finish|fought|go|fell|is|are|was|were|has|have|had|lives|live|works|work|studies|study|plays|play|speaks"
    r"|speak|loves|love|hates|hate|likes|like|prefers|prefer|died|passed|moved|retired|married|got|just"
    r"|turned|turns|turn|arrive|visit|celebrate|come|runs|run|teaches|teach|owns|own|graduated|started|starts"
    r"|bought|uses|use|does|do|cannot"
    r"|can|will|joined|left|became|adopted|goes|went|came|comes|grew|drives|drive|needs|collects|suffers"
    r"|follows|keeps|eats|drinks|enjoys|trains|wants|plans|won|sold|broke|had|gave|finished|passed|recently|ran|flew"
    r"|swam|rowed|drove|sang|spoke|wore|fell|sat|slept|told"
    r"|never|always|used|lost|opened|founded|writes|wrote|sings|swims|paints|coaches|served|manages|leads"
    r"|belongs|arrives|visits|celebrates|attends|taught|raised|built|takes|knows|sits|stays|turns|sleeps"
    r"|cooks|bakes|makes|produces|sells|ships|deploys|stores|consists|serves|supports|employs|costs|starts"
    r"|ends|begins|expires|closes|opens|takes|still|also|now|usually|currently|only|both|each|might)"
)
_OF_MINE = pattern(
    r"(?:my|our|one of my|one of our|an old|a|<CAP>'s) (?P<noun>(?:(?:[\w'-]+) "
    rf"){{0,4}}?(?:{_PEOPLE}))(?:'s (?P<of>[\w -]{{2,40}}?))?(?:,? (?P<name><CAP>(?: <CAP>)?)(?:'s "
    r"(?P<ofname>[\w -]{2,40}?))?)?(?:,? (?:who|whose) [^,]{3,80},)?(?: from [\w ]{2,20}?| and "
    rf"(?:his|her|their) \w+)?,? (?:<ADV>)*(?P<verb>{_HOLDS}|{_OPEN_VERB})\b(?P<rest>.*)"
)
_HAVE_KIN = pattern(r"(?:I|we) have an? (?:[\w-]+ ){0,2}(?P<noun><REL>)(?:,? (?:called|named)?,? ?(?P<name><CAP>))?\b")
_IS_OF_MINE = pattern(
    rf"(?P<name><CAP>(?: <CAP>)?) is (?:my|our) (?P<noun>(?:[\w'-]+ ){{0,4}}(?:{_PEOPLE}|dog|cat))\b(?P<rest>.*)"
)
_NAMED = pattern(
    rf"(?P<name>{_GIVEN_NAME})(?: <CAP>)?(?:,? (?:my|our) [\w -]{{2,30}},|(?:,)? (?:from|in|on|at) "
    r"(?:accounting|marketing|sales|legal|HR|IT|work|the [\w ]{2,20}|my [\w ]{2,20}|our [\w ]{2,20}"
    rf"|school|finance|support|design|engineering|ops|QA)\b,?)? (?:<ADV>)*(?P<verb>{_HOLDS})\b(?P<rest>.*)"
)
_APPOSED = pattern(
    r"(?P<name>(?:Dr\.? |Prof\.? )?<CAP>(?: <CAP>)?), (?:my|our) (?P<noun>[a-zA-Z][\w' -]{1,40}?), (?:<ADV>)*"
    rf"(?P<verb>{_HOLDS}|{_OPEN_VERB})\b(?P<rest>.*)"
)
_ASIDES = (
    pattern(
        rf"\b(?:my|our) (?P<noun>(?:(?!late\b)[a-z][\w'-]* ){{0,2}}?(?:{_PEOPLE}))(?:,? (?:called |named )?)"
        r"(?P<name>(?:Dr\.? |Prof\.? )?<CAP>(?: <CAP>)?)(?!\w|'s (?:name|friend|wife|husband))"
    ),
    pattern(
        rf"(?<![\w'])(?P<name>(?:Dr\.? |Prof\.? )?<CAP>(?: <CAP>)?), (?:my|our) (?P<noun>(?:[a-zA-Z][\w'-]* "
        rf"){{0,3}}?(?:{_PEOPLE}"
        r"|[a-z]+(?:er|or|ist|ant|ian)))(?=,|$|\.)"
    ),
)
_AGED = pattern(
    r"\b(?P<name><CAP>),? (?:who is |\(|aged )(?P<age>\d{1,2})\b(?! (?:weeks|months|days|years? of|%|percent))"
)
_KIDS = pattern(
    r"\b(?:kids|children|little ones|boys|girls|sons|daughters|grandkids|grandchildren|twins|nephews|nieces)\b"
)
_BEFALLEN = pattern(
    r"(?:^|\b(?:since|after|following) )(?:my|the) (?P<what>(?:[\w-]+ ){0,2}?(?:stroke|op|operation|surgery|accident"
    r"|heart attack"
    r"|transplant|miscarriage|crash|bypass|hysterectomy|c-section|concussion|burnout|knee replacement|hip "
    r"replacement)) "
    r"(?P<when>(?:in|on|last|this|back in|\w+ (?:days?|weeks?|months?|years?) ago|a \w+ ago|two|three|yesterday)\b.*)"
)
_SOMEBODY_LEFT = pattern(
    r"\b(?:since|after|until|before|when) (?P<name><CAP>) (?P<did>(?:left|joined|died|moved (?:out|in|away"
    r"|to [\w ]+?)|retired"
    r"|quit|was born|started) (?:in|on|last|yesterday|two|three|a) ?[\w ]{0,20})"
)
_BEFORE_THE = pattern(
    r"\b(?:before|after|until) (?:the|our|my) (?P<what>(?:baby|twins|wedding|move|operation|surgery|op|exam"
    r"|trip) (?:comes|arrives"
    r"|is|are|starts|come|arrive)(?: due)? (?:in|on|next|this) [\w ]{3,20})"
)
_REQUEST = pattern(
    r"(?:please|write|draft|help|tell|suggest|give|make|explain|find|show|what|how|who|where|when|why|can|could"
    r"|would|should"
    r"|is|are|do|does|need help|translate|rewrite|recommend|list|plan|say|ask|send|create|compose|let us|remind)\b",
    re.IGNORECASE,
)
_TASTE_OF_OTHERS = pattern(
    r"(?:loves|hates|adores|loathes|detests|dislikes|prefers|likes|enjoys|(?:is|are|was) (?:<ADV>|not |so "
    r")*(?:obsessed with|into"
    r"|keen on|fond of|mad about|crazy about|(?:a )?(?:big |huge )?fan of)|has (?:never|always) been (?:keen on|fond "
    r"of|into"
    r"|a fan of)|has (?:never|always) (?:liked|loved|hated)|cannot stand|will not (?:touch|eat|go near)|does not "
    r"(?:<ADV>)*like)\b"
)
_THE_KIDS = re.compile(r"\Athe(?= (?:twins|kids|children|boys|girls|little one|youngest|eldest)\b)")
_OF_US = pattern(
    r"there (?:is|are) (?:only |just )?(?P<n><N>) of us(?: (?:in|round|around|at|under|sharing) (?:the|our|one|home"
    r"|this)\b.*)"
)
_MOST_OF = pattern(
    r"(?:most|half|all|many|two|three|both|some|none|a few) of (?:my|our) [\w ]{2,30}? (?:are|is|work|works|live"
    r"|lives|come"
    r"|comes|speak|speaks|have|has|use|uses) (?!great|amazing|good|nice|fine|awesome|here|now|busy|asleep|failing"
    r"|broken)\S+.*"
)
_THINGS = pattern(
    rf"(?:my|our|the) (?P<noun>(?:[\w'./-]+ ){{0,3}}?(?i:{_POSSESSIONS}))(?:,? (?P<name><CAP>))? "
    rf"(?:<ADV>)*(?P<verb>{_HOLDS})\b(?P<rest>.*)"
)
_FLEETING = pattern(
    r"^ (?:<ADV>|so |very |a bit |too |being |feeling |not |all |kind of )*(?:tired|here|asking|coming "
    r"over|sick|annoyed|angry|happy|sad|great|good|bad|fine|okay|ok|nice|right|wrong|late|early|hungry"
    r"|busy|broken|failing|slow|down|crashing|not working|giving|throwing|calling|waiting|asleep|bored"
    r"|excited|upset|mad|confused|stuck|amazing|awesome|terrible|awful|the best|the worst|so|killing"
    r"|driving me|hurting|itching|running late|sleeping|done|ready|empty|full|wet|cold|hot|warm|dirty"
    r"|working on|working fine|working now|stressed|home|out|back|sure|fun|funny|cool|lovely|weird"
    r"|strange|beautiful|delicious|adorable|cute|sweet|hilarious|a mess|a pain|a nightmare|a joke"
    r"|important|interesting|fascinating|right here|over|gone|green|red|yelling|crying|barking|laughing"
    r"|looking|getting (?:slow|on my|better|worse|annoying)|acting|worried|nervous|free (?:now|today)"
    r"|available|off today|in a meeting|on (?:the phone|fire)|(?:the|a) (?:problem|issue|question|worst"
    r"|best))\b"
)
_EVENTS = (
    "moved|married|graduated|bought|adopted|retired|joined|quit|left|founded|broke|got|won|finished|passed"
    "|signed|sold|inherited|published|divorced|hired|launched|shipped|released|ran|visited|met|lost|gave "
    "birth|started|completed|became|was born|travelled|traveled|flew|climbed|hiked|cycled|attended|presented"
    "|spoke|gave|opened|closed|learned|learnt|studied|lived|worked|taught|volunteered|had|went|took|proposed"
    "|defended|submitted|applied|interviewed|accepted|switched|changed|migrated|deployed|rolled out|built"
    "|planted|ran|raced|competed|performed|played|recorded|renewed|renovated|painted|turned|celebrated"
    "|hosted|organized|organised|earned|received|donated|saved|paid off|stopped|gave up|was diagnosed|was "
    "promoted|was laid off|was hired|was fired|was admitted|was accepted|was awarded|was elected|was "
    "baptised|was baptized|was deployed|served|trained|fell|crashed|tore|sprained|fractured|underwent"
    "|recovered|emigrated|immigrated|swam|sailed|skied|dropped out|enrolled|registered|wrote|co-founded"
    "|merged|acquired|raised|booked|rented|saw|reached|upgraded|replaced|lent|borrowed|ordered|scheduled"
    "|cancelled|canceled|adopted|fostered|rescued|named|welcomed|engaged|separated|split up|broke up|came"
    "|returned|drove|walked|rode|spent|did|made|set up|read|watched|tried|baked|cooked|sang|danced|fixed"
    "|repaired|discovered|found|invested|converted|put in|given|offered|taken off|put on"
)
_EVENTS = (
    f"{_EVENTS}|(?!need|wished|liked|loved|hated|wanted|seemed|looked|used|asked|noticed|realized|realised"
    "|wondered|tried|talked|called|texted|mentioned|explained|expected|hoped|worried|happened|guessed"
    "|thanked|laughed|cried)[a-z]{2,}ed"
)
_EVENT = pattern(
    r"(?:I|we|(?:my|our) [\w-]+(?: <CAP>)? and I|<CAP> and I) (?:<ADV>|have |has |both |all )*(?:been "
    rf"|was |were )?(?P<verb>{_EVENTS})\b(?P<rest>.*)"
)
_LIFE_EVENT = pattern(
    r"\b(?:did my (?:bachelor|master|phd|PhD|degree|military|apprenticeship|training|residency|doctorate)"
    r"|handed in my (?:thesis|notice|resignation)|moved (?:to|from|into|in with|out|back)|got (?:married"
    r"|engaged|divorced|promoted|laid off|fired|accepted|a (?:promotion|puppy|dog|cat|kitten|new job"
    r"|degree|scholarship|raise|tattoo|new car|new bike|patent)|my (?:degree|driver|driving|licence"
    r"|license|citizenship|visa|diploma|pilot|green card|black belt|phd|first)|certified|the job|hired"
    r"|into (?:university|college|medical|law|the))|graduated|bought (?:a|an|our|my) (?:[\w-]+ )*(?:house"
    r"|flat|car|apartment|boat|bike|motorbike|motorcycle|van|piano|guitar|home|cabin|farm|cottage|camera"
    r"|horse|e-bike|telescope|violin|cello|sailboat|kayak|caravan|camper)|adopted(?= \w)|retired|joined|quit "
    r"(?:my|smoking|drinking|the|coffee|sugar|facebook)|left (?:my (?:job|husband|wife|company)|the "
    r"(?:company|army|navy|church|military)|university|school)|founded|co-founded|broke my|won (?:a|an"
    r"|the|first|second|gold|silver|bronze)|finished (?:my (?:phd|thesis|degree|masters?|studies|training"
    r"|book|novel|residency|apprenticeship)|school|university|a marathon)|passed (?:my|the) (?:[\w-]+ "
    r")*(?:exam|test|bar|driving|certification)|sold (?:my|our) (?:house|flat|car|company|business"
    r"|apartment|bike|boat)|inherited|published (?:a|an|my)|divorced|launched (?:a|my|our)|was (?:born"
    r"|diagnosed|promoted|laid off|hired|fired|awarded|elected|accepted|raised|adopted)|started (?:a "
    r"(?:new (?:job|school|course|role|position|company|business|life|career|degree|hobby)|company"
    r"|business|blog|podcast|phd|family|band|charity)|my (?:own|new|phd|first|studies|masters"
    r"|apprenticeship)|working (?:at|as|for)|learning|playing|training)|studied|lost my (?:job|father"
    r"|mother|dad|mum|mom|husband|wife|brother|sister|dog|cat|hearing|sight)|served in|separated"
    r"|emigrated|immigrated|became (?:a|an|the)|lived in|worked (?:at|as|for|in)|taught|gave birth|had "
    r"(?:a (?:baby|stroke|heart attack|miscarriage|son|daughter|knee|hip|liver|kidney|heart)|(?:knee|hip"
    r"|back|heart|eye|shoulder|brain|gallbladder) surgery|my (?:appendix|tonsils|wisdom)|surgery|twins|an "
    r"operation)|stopped (?:smoking|drinking|eating)|gave up (?:smoking|drinking|meat|alcohol|sugar"
    r"|coffee|dairy)|came off [a-z]{5,}|put in my (?:papers|notice|resignation)|ran (?:a|my"
    r"|the) (?:[\w-]+ ){0,4}(?:marathon|half|ultra|10k)|climbed (?:mount|kilimanjaro"
    r"|mont)|named (?:him|her|our|my|the)|welcomed (?:a|our)|proposed to|dropped out|converted to"
    r"|underwent|paid off (?:my|our|the)|completed (?:my|a|the)|wrote (?:a|my) (?:book|novel|thesis)"
    r"|raised \$?\d|defended my|had my (?:first|second)|met my)\b",
    re.IGNORECASE,
)
_PETTY = pattern(
    r"^(?:pasted|attached|posted|copied|uploaded|watched|tried|ran the (?!.*(?i:marathon|race))|tested|restarted"
    r"|installed|deployed|debugged|decided|chose|picked"
    r"|updated)\b|^(?:left|went"
    r"|came|moved|started|finished|passed|joined|quit|got|made|did|bought|sold|met|lost|won|ran) (?:last"
    r"|yesterday|today|on \w+day$|in \d|two|three|a \w+ ago)|^bought (?!an?\b|my\b|our\b|the\b|two\b"
    r"|tickets|three|\d|shares|land|in\b|into)|^(?:had|ate|slept|woke|felt|tried|fixed|asked|forgot"
    r"|talked|went|saw|watched|made|did|got|took|read|cooked|baked|found|started|worked|walked|spent|came"
    r"|drove|met|fell|set up|ordered|discovered|changed|finished|left|replaced|wrote)\b(?: (?:to (?:bed"
    r"|sleep|the (?:shop|store|gym|supermarket|office|bakery|pub)|work|lunch)|a (?:bad|good|great|long"
    r"|rough|nice|lovely|busy|coffee|nap|beer|burger|headache|cold|walk|shower|bug|fever|late|look|break"
    r"|photo|picture|sandwich|pizza|glass|weird|crazy|hard|quiet|terrible|lazy|call|meeting|chat|salad"
    r"|movie|dream|question|rest|hangover|quick|few)|an? (?:awful|error|email|amazing|early|argument|idea"
    r"|hour)|too|so|pasta|pizza|lunch|dinner|breakfast|sushi|home|out|nothing|up|asleep|some|the "
    r"(?:dishes|laundry|bug|error|issue|test|tests|dog|bus|train|news|code|kids|film|movie|build|feature"
    r"|same|answer|solution|report|ticket|task|draft|slides|presentation|document|review|sprint|chores"
    r"|shopping|paperwork)|it|this|that|my (?:homework|laundry|nails|hair (?!colou?r)|keys|phone|umbrella"
    r"|wallet|train|bus|computer|code|breakfast|lunch|dinner|room)|on (?:it|this|that)|fun|drunk|wet|lost"
    r"|stuck|sick|tired|rid|back|really|great|well|badly|late|early|fine|good|only|two hours|three hours"
    r"|hours|all (?:day|night|morning)|for a (?:walk|run|swim|coffee|drink)|shopping|grocery|coffee|tea"
    r"|your|you|with (?:the|a) (?:bug|problem)|\w+ hours|leftovers|curry|a lot|no sleep|off|over)\b)"
)
_HAVE = pattern(
    r"(?P<who>I|we) (?:<ADV>)*(?P<verb>have|own|drive|ride|play|speak|collect|brew|grow|coach|teach|run"
    r"|manage|lead|supervise|volunteer|commute|organi[sz]e|host|co-host|co-own|rent|practi[sc]e|sing"
    r"|dance|write|blog|foster|raise|keep|study|train|work|live|sleep|share|belong|serve|attend|go|wear"
    r"|homeschool|cycle|swim|walk|meditate|paint|sew|knit|bake|garden|fish|hunt|sail|surf|ski|climb|box"
    r"|fence|hike|camp|maintain|contribute|support|mentor|tutor|babysit|get up|wake up|take care|care for"
    r"|look after|earn|make|pay|do|meet|use|deploy|store|ship|release|host|serve|sell|employ|hold|come"
    r"|operate|process|track|test|stand|report|monitor|spend) (?P<v>.+)"
)
_POSSESSED = pattern(
    r"^(?:<ADV>)*(?:a|an|two|three|four|five|six|seven|eight|nine|ten|twelve|\d[\d,.]*|one|several|some"
    r"|no|only|about|around|roughly|over|more than|nearly|almost|just under|my own)? ?(?:(?:[\w'-]+) "
    r"){0,5}?(?:brothers?|sisters?|siblings?|cousins?|nephews?|nieces?|twins?|grandchildren|grandkids"
    r"|stepchildren|uncles?|aunts?|degrees?|phd|PhD|doctorate|masters?|Master's|bachelor's|Bachelor's|MBA"
    r"|diploma|car|cars|motorbikes?|motorcycles?|bikes?|bicycles?|vans?|boats?|caravan|camper|piano"
    r"|guitars?|violin|cello|house|flat|apartment|cabin|farm|garden|allotment|greenhouse|balcony|bakery"
    r"|\w*shop|restaurant|café|cafe|business|company|startup|studio|agency|practice|blog|podcast|channel"
    r"|newsletter|band|choir|licen[cs]e|pilot's|mortgage|tattoos?|citizenship|passports?|visa|residence"
    r"|scholarship|patents?|black belt|certificate|certification|years of experience|years' experience"
    r"|followers|subscribers|employees|customers|clients|users|engineers|developers|people|members"
    r"|servers|offices|students|embeddings|3D printer|printer|telescope|kiln|loom|drone|Tesla|Toyota"
    r"|Honda|Volvo|BMW|Ford|Volkswagen|Golf|laptop|MacBook|ThinkPad|roommates?|flatmates?|housemates?"
    r"|pacemaker|prosthesis|hearing aids?|collection|vineyard|orchard|bees|beehives?|hives|chickens"
    r"|horses?|goats|sheep|aquarium|sourdough starter|e-bike|e-reader|Kindle|record player|synthesi[sz]er"
    r"|camera|garage|workshop|sauna|pool|solar panels|heat pump|wood stove|second home|holiday home"
    r"|appointment|interview|exam|flight|surgery|operation|deadline|wedding|job|contract|lease|shifts?"
    r"|tenants?|landlord|coach|mentor|therapist|budget for|GPU|GPUs|cluster|nodes|replicas|repos|services"
    r"|microservices|tables|rows|records|documents|stores|branches|warehouses|trucks|locations"
    r"|daughters?-in-law|sons?-in-law|godchildren|godson|goddaughter|ancestors|dual|lodgers?|au pair"
    r"|cleaner|nanny)\b"
)
_POSSESSION_VERBS = frozenset(
    {"have", "own", "rent", "share", "keep", "hold", "run", "manage", "lead", "supervise", "employ", "foster", "raise"}
)
_ACTIVITY = {
    "drive": r"(?:an?|my|the) |electric|stick|automatic|for ",
    "ride": r"an? |horses|motor|my bike|a ",
    "play": r"(?:the |bass|guitar|piano|violin|cello|drums|chess|tennis|football|soccer|basketball|badminton"
    r"|volleyball|hockey|rugby|cricket|golf|squash|padel|table tennis|bridge|poker|go\b|water polo"
    r"|handball|in an? |for an?|first|second|lead|rhythm|saxophone|trumpet|flute|clarinet|banjo|ukulele|harp|accordion"
    r"|Dungeons|board games|video games)",
    "speak": r"(?:fluent |some |basic |a little |only |conversational |both |decent |broken )?(?:[A-Z]\w+|four"
    r"|three|two|five|six)\b",
    "collect": r"\w+",
    "brew": r"\w+",
    "grow": r"(?:my own|tomatoes|vegetables|chillies|roses|herbs|\w+ in my)",
    "coach": r"\w+",
    "teach": r"(?!you)\w+",
    "run": r"(?:an? |the |my own|every|marathons|\d+ ?k|three|two|twice|ultra)",
    "manage": r"an? |the |two|three|\d|our",
    "lead": r"an? |the |our",
    "volunteer": r"(?:at|for|as|with|in|on|every)\b",
    "commute": r"(?:by|to|from|two|an|\d|one|every|daily)\b",
    "organize": r"(?:an?|the|our)\b",
    "organise": r"(?:an?|the|our)\b",
    "host": r"(?:an?|the|our)\b",
    "co-host": r"an?|the",
    "co-own": r"\w+",
    "practice": r"(?:\w+ (?:every|for|at|on)|yoga|law|medicine|judo|karate|meditation|buddhism|Buddhism|aikido)",
    "practise": r"(?:\w+ (?:every|for|at|on)|yoga|law|medicine|judo|karate)",
    "sing": r"(?:(?:first|second|lead) \w+|in|with|soprano|alto|tenor|bass)\b",
    "dance": r"\w+",
    "write": r"(?:a blog|poetry|novels|poems|children's|science|fiction|short stories|songs|for )",
    "blog": r"about|at",
    "study": r"(?!this|it|that|for (?:the|my) (?:test|exam))\w+",
    "train": r"(?:for|at|with|in|every|\w+ times|twice)\b",
    "work": r"(?!.*\bpace\b)(?:from home|night|nights|part-time|part time|full-time|remotely|in|on|at|for|shifts"
    r"|freelance|four|three|two|\d|as|with|weekends|long|the night|mostly|from|under|rotating|hybrid)\b",
    "live": rf"(?!in {any_of(words.STATES_OF_LIFE)}\b)(?:alone|with|in|on|near|next|off|by|at|close|outside|between|two"
    r"|ten|abroad|within|above|across|just)\b",
    "share": r"an? |my",
    "belong": r"to",
    "serve": r"(?:on|as|in|about|\d)",
    "attend": r"(?!the (?:call|meeting))\w+",
    "go": r"(?:to (?:the gym|church|mass|mosque|therapy|yoga|pilates|the mosque|the synagogue|bed|\w+ classes"
    r"|physio)|running|swimming|climbing|hiking|jogging|cycling|bouldering|fishing|surfing|skiing|dancing"
    r"|birdwatching|sailing|camping)\b.*\b(?:every|times|twice|once|on \w+days|weekly|daily|at \d|most"
    r"|each)",
    "wear": r"(?:glasses|contacts|contact lenses|hearing aids|size|a size|an? (?:insulin|size|pacemaker))",
    "homeschool": r"\w+",
    "earn": r"\S+",
    "make": r"(?:\$|€|£|\d|my own)",
    "pay": r"(?:\$|€|£|\d|around|about)\S*.*(?:rent|month|year|mortgage)",
    "mentor": r"\w+",
    "tutor": r"\w+",
    "babysit": r"\w+",
    "maintain": r"(?:an? |the |several|two)",
    "contribute": r"to",
    "support": r"(?!this|it|that)(?:[A-Z]\w+|\d|my|an? )",
    "take care": r"of",
    "care for": r"my",
    "look after": r"my|our|two",
    "get up": r"(?:at|around|before|every)",
    "wake up": r"(?:at|around|before|every)",
    "sleep": r"(?:with|only|on|in|about|\d|six|five|four|seven)",
    "rent": r"an? |my|the|out",
    "sew": r"\w+",
    "knit": r"\w+",
    "sail": r"\w+",
    "surf": r"\w+",
    "come": r"from a ",
    "use": r"(?:an? (?:\w+ )?(?:wheelchair|cane|walker|stick|hearing aid|screen reader|CPAP|pump|inhaler)|[A-Z]{3,}\b)",
    "do": r"(?:the (?:books|accounts|payroll|school run|cooking|night shift|early shift"
    r"|bookkeeping|catering|teas)|yoga|pilates|judo|karate|crossfit|CrossFit|ballet|archery|parkour|improv|taekwondo"
    r"|pottery|night "
    r"shifts|volunteer|stand-up|\w+ every|\w+ twice|\w+ three times|triathlons|shift work|bouldering"
    r"|freelance|consulting|research on|research in|my (?:PhD|phd|masters?) )",
    "meet": r".*\b(?:every|on \w+days|once a|twice a|weekly|monthly)\b",
    "swim": r".*\b(?:every|times|twice|on \w+days|club|team)",
    "walk": r".*\b(?:every|times|daily|to work)",
    "cycle": r".*\b(?:to work|every|times|daily)",
    "meditate": r".*\b(?:every|daily|each|minutes)",
    "paint": r"(?:in|watercolou?rs?|with|portraits|landscapes|oil|as)",
    "bake": r".*\b(?:every|bread|sourdough|weekends)",
    "climb": r".*\b(?:every|times|twice|at|\w+days)",
    "ski": r".*\b(?:every|each)",
    "fish": r".*\b(?:every|on)",
    "box": r".*\b(?:every|times|at)",
    "fence": r"(?:for|at|competitively)",
    "hike": r".*\b(?:every|most)",
    "stand": r"\d",
    "spend": r".*\b(?:every|each|a week|a month|summers?|winters?|weekends)\b",
}
_TEAM_ACTIVITY = pattern(
    r"(?:use|deploy|store|ship|release|host|serve|sell|operate|process|track|test|run|support|employ|have"
    r"|report|monitor|work|meet|write|keep|hold) (?!it\b|this\b|that\b|to\b|a (?:problem|bug|question"
    r"|meeting|chat|look)\b|problems|issues|not\b|the same|no idea|time\b|an (?:issue|error|idea)\b|fun\b"
    r"|lunch|dinner|breakfast|him|her|them|you)(?:\S+ ?){1,}"
)
_BEEN = pattern(
    r"(?:I|we|(?:my|our) [\w-]+(?: <CAP>)? and I|<CAP> and I) have (?:<ADV>)*(?:been (?!meaning|thinking|trying"
    r"|having (?:trouble|issues|problems)"
    r"|struggling|looking|debugging|wondering|busy|waiting|working on (?:this|it|that)|getting|stuck|told"
    r"|asked|feeling|seeing|dealing with (?:this|an?)|sick|ill)|had |worked |lived |played |known |owned "
    r"|driven |taught |run |used |studied |practi[sc]ed |coached |volunteered |sung |managed |led |smoked "
    r"|written |worn |kept )\S.*\b(?:for (?:almost |over |about |nearly |more than |the (?:last|past) "
    r"|around |roughly |well over )*(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|fifteen|twenty|thirty|several|many|a|a couple of|a few|most of my|my whole) ?(?:year|month|decade"
    r"|life|adult)|since\b|(?:my|our) (?:whole|entire) life|all my life)"
)
_STATES = pattern(
    r"(?P<who>I|we|(?:my|our) [\w-]+(?: <CAP>)? and I|<CAP> and I) (?:am|are) (?:<ADV>|not (?!divorced|married"
    r"|single|widowed|retired|pregnant)|an? |the )*(?:left-handed|right-handed|ambidextrous|only "
    r"child|oldest|eldest|youngest|middle child|twin|single|married(?! to (?:my|the|an?)\b)|divorced"
    r"|widowed|widow|widower|engaged|separated|(?:\w+ (?:weeks|months) )?pregnant|expecting|retired"
    r"|between jobs|unemployed|self-employed|on (?:parental|maternity|paternity|sick) leave|on sabbatical"
    r"|on disability|on a \w+ visa|(?:single )?(?:mother|father|mom|mum|dad|parent)|grandmother"
    r"|grandfather|grandparent|grandma|grandpa|night owl|early riser|early bird|smoker|non-smoker|blood "
    r"donor|organ donor|veteran|member of|introvert|extrovert|religious|atheist|agnostic|Catholic|Muslim"
    r"|Jewish|Buddhist|Hindu|Christian|Protestant|Sikh|teetotal|teetotaller|sober|straight|gay|lesbian"
    r"|bisexual|transgender|trans|nonbinary|non-binary|asexual|\d(?:\.\d+)? ?(?:m|cm|ft|feet|kg)|\d+ "
    r"(?:cm|kg|feet)|five foot|six foot|tall|short-sighted|near-sighted|nearsighted|farsighted"
    r"|first-generation|bilingual|trilingual|fluent in|responsible for|in charge of|team lead|in my "
    r"(?:first|second|third|fourth|final|last|early|mid|late)|afraid of|scared of|terrified of|certified"
    r"|licensed|qualified|trained as|working (?:from home|part-time|remotely|nights|night shifts|towards)"
    r"|enrolled|a regular|vaccinated|colour|homeowner|landlord|carer|caregiver|host family|foster parent"
    r"|godmother|godfather|treasurer|volunteer|beginner|novice|new to|self-taught|good at|bad at|terrible "
    r"at|fluent|based|remote|fully remote|hybrid|on call|on-call|oncall|a team of|team of|startup|small"
    r"|bootstrapped|nonprofit|expecting)\b.*"
)
_HABIT = pattern(
    r"I (?:<ADV>)*(?!<ADV>|plan|used|treasure|cherish|value|commit|intend|aim|need|want|think|feel|love|like|hate"
    r"|see|try|am|was|have|had|did|do not|would|will|can|could"
    r"|should|must|hope|get"
    r"|wish|know|look|prefer|enjoy|say|hear|forget|lose|miss|keep|ask|wonder|mean|guess|appreciate|tell|thank|learn"
    r"|make"
    r"|find|give|struggle)[a-z]{3,} (?!it\b|this\b|that\b|you\b|them\b|him\b|her\b).{0,60}\b(?:every (?!time|one"
    r"|thing|so|now|step)\w+"
    r"|each (?!other|time)\w+|daily|weekly|(?:once|twice|three times|four times|five times) an? \w+|on \w+days|at "
    r"weekends|on"
    r" weekends|most (?:days|mornings|evenings|weekends))\b"
)
_DONE_OFTEN = pattern(
    r"(?:I|we) have (?:<ADV>)*(?:run|climbed|visited|been to|written|published|completed|finished|lived in|won"
    r"|raised|built|flown"
    r"|sailed|competed in) (?:over |about |almost )?(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve"
    r"|several|dozens) "
)
_ABSTAINER = pattern(r"I (?:<ADV>)*(?:do not|never) (?:<ADV>)*(?:drink|smoke|vape|gamble)(?=$|,)")
_LACKS = pattern(
    r"(?:I|we) (?:<ADV>)*(?:do not (?:<ADV>)*(?:own|have) (?:an? |any )?|have no )(?:[\w-]+ )?(?:car|cars"
    r"|kids|children|siblings|brothers|sisters|pets|licen[cs]e|driver's licen[cs]e|driving licen[cs]e|TV"
    r"|television|smartphone|garden|balcony|oven|microwave|dishwasher|freezer|bike|degree|garage|lift"
    r"|elevator|air conditioning|central heating|permit|visa|passport|bank account|credit card|printer"
    r"|dedicated \w+|QA|DBA|designer)\b"
)
_NEVER_HAVE = pattern(
    r"(?:I|we) have never (?:been (?:on|to|in|married)|had (?:a|an|any|surgery|kids)|driven|smoked|flown"
    r"|learned|learnt|owned|lived|worked|left|ridden|skied|run|eaten|drunk|used|played|met|seen (?:the "
    r"sea|snow))\b(?! (?:it|this|that|so|such|before)\b)"
)
_KIN_OF = pattern(
    r"I am (?P<name><CAP>)'s (?:[\w-]+ ){0,2}(?:sister|brother|mother|father|mum|mom|dad|wife|husband|son"
    r"|daughter|boss|manager|colleague|friend|roommate|flatmate|neighbou?r|partner|cousin|aunt|uncle"
    r"|grandmother|grandfather|teacher|assistant|co-founder|teammate|landlord|girlfriend|boyfriend"
    r"|fiancée?|niece|nephew|coach|deputy|successor|replacement|carer)\b"
)
_DUTIES = pattern(
    r"(?:I|we) (?:am|are|will be) (?:<ADV>)*(?:the (?:on-call|point|contact|lead|product|main|only|new"
    r"|responsible)|owning|taking over|running the|leading|responsible for|in charge of|heading|the "
    r"(?:one|person) (?:responsible|for))\b (?!this\b|it\b)"
)
_WAS_TRADE = pattern(
    rf"I was (?:an? )(?:[\w-]+ ){{0,3}}?(?:{words.alternatives(words.JOBS)}) (?:for|until|before|in|at|back)\b"
)
_SOBER = pattern(
    r"I (?:am|have been) (?:[\w-]+ (?:years?|months?|weeks?|days?) )?(?:sober|clean|smoke-free"
    r"|alcohol-free|cancer-free|in remission)\b"
)
_STUDIES = pattern(
    r"I am (?:<ADV>)*(?:studying|doing (?:a|my) (?:phd|PhD|masters?|degree|apprenticeship|MBA|residency)"
    r"|training as|enrolled|majoring in|reading \w+ at)\b(?! (?:for (?:the|my|a) (?:test|quiz)|this"
    r"|it)\b)"
)
_SCHEDULED = pattern(
    r"(?:I|we|(?:my|our) [\w-]+(?: <CAP>)? and I|<CAP> and I) (?:<ADV>)*(?:am|are|will be|have|start"
    r"|begin|leave|fly|finish|move|turn|graduate|retire|return|travel|get|will|take|am going|are going) "
    r"(?P<v>.*)"
)
_EVENT_NOUN = pattern(
    r"\b(?:flying|moving|getting married|starting|leaving|travelling|traveling|visiting|having (?:surgery"
    r"|a baby|my|an operation|twins|our)|graduating|retiring|turning|running (?:a|the|my)|speaking"
    r"|presenting|giving a|defending|taking (?:the|my) \w+|meeting (?:my|the|with)|hosting|launching"
    r"|releasing|shipping|attending|going (?:on|to (?:visit|see|a|the (?!shop|store|gym|office"
    r"|supermarket|pub|bakery)|my|[A-Z]))|driving to|sailing|marrying|adopting|closing on|appointment"
    r"|interview|exam|flight|surgery|operation|wedding|conference|due|deadline|vacation|holiday|trip"
    r"|appraisal|reunion|race|marathon|concert|move|new job|job at|start at|my (?:new|first|last day)"
    r"|viewing|check-up|checkup|scan|MRI|visa|hearing|recital|audition|tournament|parental leave"
    r"|maternity leave|sabbatical|internship|semester|course|retreat|expecting|off (?:to|from|until)|on "
    r"(?:leave|vacation|holiday)|joining|performing|competing|seeing (?:my|the)|picking up (?:my|our)"
    r"|celebrating|signing|renewing|demo|audit|review|go live|release|launch|board meeting|kickoff"
    r"|offsite|workshop|training|fly|move|start|retire|graduate|turn \d+|leave for|begin|finish (?:my"
    r"|the))\b"
)
_CALENDAR = pattern(r"(?:<DAY>|<MONTH>|I)\b")
_BARE_DATED = pattern(
    r"(?!I\b|we\b|he\b|she\b|it\b|they\b|this\b|that\b|there\b|you\b|what\b|how\b|who\b|which\b|if\b"
    r"|when\b)(?:[\w-]+ ){0,3}?"
    r"[\w'-]+ (?:is|was|comes?|arrives?|lands?|returns?|runs?|starts?|begins?|ends?|opens?|closes?|expires?"
    r"|is due"
    r"|is on|are due|goes live|kicks off|takes "
    r"place) "
    r"(?:on|in|at|from|until|due|next|last|tomorrow|yesterday|this|by|\d+)\b.*"
)
_OWN_PAST = pattern(
    r"(?:my|our|(?:the )?[\w-]+'s|<CAP>'s) (?P<noun>[\w' -]{2,40}?) (?P<verb>died|broke|arrived|came|went|fell|got"
    r"|was|were"
    r"|burned|burnt|flooded|sold|closed|opened|passed|turned|won|lost|ended|began|started|expired"
    r"|[a-z]{3,}ed)\b(?P<rest>.+)"
)
_DONE_TO_ME = pattern(
    r"(?!(?:you|it|this|that|they|he|she|I|we|what|who|which)\b)(?:(?:[Tt]he|my|our) )?(?:[\w'-]+ ){1,3}?(?:made|gave"
    r"|cleared|promoted|hired|offered|diagnosed|took|put|accepted|fired|laid|discharged|signed|granted|awarded"
    r"|appointed"
    r"|elected|transferred|moved) (?:me|us)\b(?! (?:laugh|cry|smile|think|feel|mad|happy|sad|a (?:hug|call|lift|hand)))"
    r" \w+.*"
)
"""What somebody did to the speaker: "the museum made me permanent last Tuesday"."""
_THE_PAST = pattern(
    r"the (?:[\w'-]+ ){1,3}?(?:burnt|burned|flooded|collapsed|closed|opened|arrived|died|was (?:sold|built|renovated"
    r"|stolen|demolished|approved|signed|cancelled|canceled|installed|postponed|moved|serviced|repaired"
    r"|replaced|fitted"
    r"|inspected|insulated|repainted|refurbished)|got (?:sold|stolen"
    r"|postponed|moved|cancelled)|came (?:through|off)|fell) .*"
)
_ABSTAINS = pattern(
    r"(?P<name><CAP>) (?:is (?:<ADV>)*(?:allergic to|vegan|vegetarian|coeliac|celiac|diabetic|lactose|pescatarian)"
    r"|does not "
    r"(?:<ADV>)*(?:eat|drink)|cannot (?:eat|have|drink))\b(?! (?:it|this|that)\b).*"
)
_BORN = pattern(r"(?P<name><CAP>) was born (?!.*\d{4}).+")
_UNDERWAY = pattern(
    r"(?:I|we) (?:am|are|will be) (?:<ADV>)*(?!trying|planning|looking|thinking|wondering|hoping|writing|working"
    r"|preparing|making"
    r"|cooking|getting ready|feeling|debugging|using|having (?:trouble|issues)|considering|going to|aiming|writing"
    r"|doing"
    r"|struggling|being|testing|fixing|referring|talking|asking|excited|kidding|dreading|counting|running late"
    r"|not)\w+ing .+"
)
_MOOD = pattern(
    r"(?:I|we) (?:am|are) (?:<ADV>|so |very )*(?:pumped|excited|nervous|thrilled|ready|stoked|trying|planning"
    r"|thinking)\b"
)
_PERFECT = pattern(
    r"(?:I|we) have (?:<ADV>|not |also )*(?:been|come|done|put|had|seen|gone|made|grown|become|given|taken|found"
    r"|noticed|heard"
    r"|said|told|thought|felt|\w{2,}ed)\b"
)
_DATED_NOUN = pattern(
    r"(?:my|our|the|[\w-]+'s) (?P<noun>[\w' -]{3,40}?) (?:is|are|starts|begins|ends|takes place|was|happens|will "
    r"be|is due|expires|has been moved|got moved|is scheduled|was moved|is planned|runs out|closes|opens) "
    r"(?:on|in|at|from|until|due|for|scheduled|to|next|tomorrow|this|by|the|moved|last|yesterday"
    r"|\d+)\b(?P<rest>.*)"
)
_LASTING_STATE = pattern(
    r" (?:<ADV>|not |both |all |also |severely |very )*(?:an?|the|from|in|at|on|of|with|called|named|my"
    r"|our|\d+|over|under|about|around|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen"
    r"|fifteen|sixteen|eighteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
    r"|moving|getting (?:married|divorced)|studying|working (?:at|as|for|in|on a)|living|retiring|leaving"
    r"|expecting|selling|learning|training|turning|doing (?:an?|his|her|their)|writing (?:an?|his|her"
    r"|their)|based|located|hosted|written|built|deployed|owned|run by|made|due|closed|open|limited|split"
    r"|responsible|allowed"
    r"|vegan|vegetarian|diabetic|allergic|pregnant|retired|deaf|blind|married|divorced|single|left-handed"
    r"|gay|lesbian|coeliac|celiac|autistic|dyslexic|bilingual|fluent|afraid|scared|terrified|obsessed"
    r"|into|fond|married|engaged|widowed|pescatarian|lactose|gluten|colou?r-?blind|disabled|adopted"
    r"|Jewish|Muslim|Catholic|Buddhist|Hindu|Christian|religious|self-employed|unemployed|homeschooled"
    r"|sober|remote|fully remote|older|younger|taller|tall|nearly|almost|German|French|Spanish|Italian"
    r"|Portuguese|Polish|Dutch|Swedish|Danish|Norwegian|Finnish|Irish|British|English|Scottish|Welsh"
    r"|American|Canadian|Mexican|Brazilian|Indian|Chinese|Japanese|Korean|Turkish|Greek|Russian|Ukrainian"
    r"|Australian|Nigerian|Kenyan|PostgreSQL|[A-Z]\w+)\b"
)
_LOOKING_BACK = frozenset(
    {"was", "were", "had", "got", "went", "came", "did", "made", "gave", "just", "took", "sat", "used", "can", "will"}
    | {"wants", "do", "does", "cannot", "needs", "might"}
)
_BACK_THEN = frozenset(
    ["ran", "flew", "swam", "rowed", "drove", "sang", "spoke", "wore", "fell", "sat", "slept", "told"]
)
_FOR_YEARS = re.compile(r"\b(?:for|over) (?:[\w-]+ ){0,3}(?:years|months|decades|life)\b|\bin the (?:army|navy|war)\b")
_LINKING = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "has",
        "have",
        "had",
        "just",
        "got",
        "still",
        "also",
        "now",
        "usually",
        "currently",
        "only",
        "both",
        "went",
        "came",
        "goes",
        "go",
        "will",
        "never",
        "always",
        "recently",
        "comes",
        "keeps",
        "runs",
        "does",
        "do",
        "can",
        "cannot",
        "gets",
        "wants",
        "needs",
        "might",
    ]
)
_OF_THE_SPEAKER = re.compile(r" (?:me|us)\b")
_CHANGED = re.compile(
    r" (?:an? (?:\w+ )?(?:fever|cold|headache|cough|flu|temperature|leak|bug|problem|question|issue|crack"
    r"|meeting|tantrum|hangover)"
    r"|(?:\w+ly )?(?:changed|broken|stopped|crashed|gone|been (?:acting|slow|down|weird|great|good|amazing|wonderful"
    r"|supportive|awesome|so|an? (?:roller|real|huge|great|blast"
    r"|big|lot|bit))|started|finished"
    r"|arrived|failed))\b"
)
_WORK_OF_ART = re.compile(
    r" an? (?:\w+ )?(?:novel|film|movie|song|book|city|name|river|language|show|game|brand|album|opera|play)\b"
)
_WHOLE = frozenset({"died", "retired", "married", "graduated"})
_MISHAPS = frozenset({"died", "broke", "lost", "passed", "gave", "stays"})
_AT_THE_MOMENT = re.compile(r"\b(?:right now|at the moment|just now|again today)\b")
_HOSTED = pattern(
    r"\b(?:is|are|runs?) (?:<ADV>)*(?:plot|number|flat|room|unit|on|in|at|with|written|built|hosted|deployed) "
)
_LASTING_PAST = re.compile(
    r" (?:born|diagnosed|promoted|raised|married|engaged|divorced|hired|moved|started|retired|turned"
    r"|bought|joined|graduated"
    r"|an? (?:\w+ ){0,2}(?:baby|stroke|heart attack|son|daughter|puppy)|twins|passed away|speak|swim|play"
    r"|to (?:become|study|be an?|retire|move)|not (?:eat|drink|drive|speak|like|swim|touch|go near|have|wear|fly"
    r"|travel)|drive|surgery|into (?:[A-Z]\w+|uni|college)"
    r"|an? (?:new )?(?:job|place|promotion|scholarship|degree|offer|post|position|role|seat|contract|grant|visa)"
    r"|accepted|every |all |everything |have (?!to\b|fun|a (?:look|question|go))|the "
    r"job)\b"
)
_TRADE = re.compile(r" an? ((?:[\w-]+ ){0,3}[\w-]+)")
_TRIFLES = pattern(
    r"^(?:an? |some |the |no |another |lots of |two |three )*(?:[\w-]+ )?(?:question|questions|problem"
    r"|problems|issue|issues|error"
    r"|errors|bug|idea|ideas|headache|cold|fever|list|table|function|file|script|dataframe|string|array"
    r"|class|doubt|feeling|hunch"
    r"|request|favou?r|choice|look|minute|hour|chance|time|fun|trouble|suggestion|point|theory|concern"
    r"|task|query|column|variable"
    r"|json|csv|clue|option|options)\b"
)
_OWN_THING = re.compile(
    r"((?:my|our|any|every|the (?!problem|issue|question|thing|idea|answer|error|reason|point|truth|rest|weather|code"
    r"|function|bug"
    r"|script|query|text|file|story|poem|letter|email|plan|goal|one|first|second|whole|same|only|best|worst|hard|good"
    r"|bad)[a-z]\w+)(?: [\w'-]+){0,4}?) (?:is|was|has|got|had|will|starts|moved|changed|must|cannot|may|can|only|costs"
    r"|runs|needs|weighs|belongs|comes|takes|closes|opens|seats|holds)\b"
)
_SEVERAL = re.compile(
    r"\b((?:my|our|the) (?:[a-z-]+ ){0,2}?(?:in-laws|parents|grandparents|kids|children|neighbours|neighbors"
    r"|[a-z]{4,}(?<!s)"
    r"s))(?=$|,| (?:are|have|must|cannot|live|before|by|at|in)\b)"
)
_SOON = re.compile(r"\b(?:today|tonight|this (?:morning|afternoon|evening)|in a (?:minute|moment|bit))\b")
_OF_ONESELF = (
    _DONE_OFTEN,
    _HABIT,
    _ABSTAINER,
    _BEEN,
    _STATES,
    _LACKS,
    _NEVER_HAVE,
    _KIN_OF,
    _DUTIES,
    _SOBER,
    _STUDIES,
    _WAS_TRADE,
)


def fact(text: str, dated: bool, past: bool) -> Draft | None:
    """A lasting circumstance, a dated event, or what is said about others."""
    return _others(text, dated) or _things(text, dated) or _own(text, dated, past)


def asides(text: str) -> Iterator[Draft]:
    """What a clause mentions on its way: who somebody is, how old a child is, an operation with its date."""
    if _REQUEST.match(text):
        return
    for rule in _ASIDES:
        for found in rule.finditer(text):
            name = found["name"]
            if name not in words.NOT_NAMES and not _CALENDAR.match(name):
                yield Draft("fact", f"{name} is my {found['noun']}", 0.85, about=name, own=False)
    if _AGED.search(text) and _KIDS.search(text):
        for aged in _AGED.finditer(text):
            yield Draft("fact", f"{aged['name']} is {aged['age']}", 0.85, about=aged["name"], own=False)
    if (gone := _SOMEBODY_LEFT.search(text)) is not None and gone["name"] not in words.NOT_NAMES:
        yield Draft("fact", f"{gone['name']} {gone['did']}", 0.85, about=gone["name"], own=False)
    if (due := _BEFORE_THE.search(text)) is not None:
        yield Draft("fact", f"my {due['what']}", 0.8)
    if (befallen := _BEFALLEN.search(text)) is not None:
        yield Draft("fact", f"I had the {befallen['what']} {befallen['when']}", 0.85)


def person_in(text: str) -> str | None:
    """The one other person that a clause is about, as a later "she" means them: "my brother Idris" or "my mother"."""
    match = _OF_MINE.match(text) or _NAMED.match(text) or _IS_OF_MINE.match(text) or _HAVE_KIN.match(text)
    if match is None:
        return _mentioned(text)
    if match.groupdict().get("of") == "name" and (named := _IS_NAMED.search(text)) is not None:
        return f"my {match['noun']} {named[1]}"
    if match["name"] is None and (called := _CALLED.search(text)) is not None:
        return f"my {match['noun']} {called[1]}"
    noun = match.groupdict().get("noun")
    if noun is None or noun.split()[-1] in words.PLURAL_RELATIONS:
        return match["name"]
    return f"my {noun} {match['name'] or ''}".strip()


_PARENT = pattern(r"(?<![\w'])(?:(?:my|our) )?(?P<who>mum|mom|dad|mam|gran|grandma|nan)\b")


_IS_NAMED = pattern(r"'s name is (<CAP>)")
_CALLED = pattern(r" (?:is|was) (?:called|named) (<CAP>)")


def _mentioned(text: str) -> str | None:
    """The one parent or grandparent that a clause mentions."""
    aside = [f"my {found['noun']} {found['name']}" for found in _ASIDES[0].finditer(text)]
    if aside:
        return aside[0] if len(aside) == 1 else None
    named = {found["who"] for found in _PARENT.finditer(text)}
    return f"my {named.pop()}" if len(named) == 1 else None


def thing_in(text: str) -> str | None:
    """The thing of the speaker that a clause is about, as "it" in the next clause means it."""
    match = _OWN_THING.match(text)
    return match[1] if match is not None else None


def several_in(text: str) -> str | None:
    """The one group of people or things that a clause names, as "they" in the next clause means them."""
    named = {found[1] for found in _SEVERAL.finditer(text)}
    return named.pop() if len(named) == 1 else None


def _others(text: str, dated: bool) -> Draft | None:
    text = _THE_KIDS.sub("my", text, count=1)
    plainly = _IS_OF_MINE.match(text) or (_BORN.match(text) if dated else None) or _ABSTAINS.match(text)
    if plainly is not None and plainly["name"] not in words.NOT_NAMES:
        return Draft("fact", text, about=plainly["name"], own=False)
    match = _OF_MINE.match(text) or _APPOSED.match(text) or _NAMED.match(text)
    if match is None:
        return None
    if match.re is _APPOSED:
        text = f"{match['name']} {match['verb']}{match['rest']}"
    if _TASTE_OF_OTHERS.match(f"{match['verb']}{match['rest']}") and not pointing(match["rest"].strip()):
        return Draft("preference", text, about=match["name"], own=False)
    if _fleeting(match, dated) or (text.startswith(("an old ", "a ")) and not match["name"]):
        return None
    if match.groupdict().get("of") == "name":
        return Draft("fact", text, about=match["rest"].strip(" .,") or None, own=False)
    return Draft("fact", text, about=match["name"], own=False)


def _things(text: str, dated: bool) -> Draft | None:
    """What the speaker has or works on: "my flight is on …", "our backend runs on …"."""
    if (match := _DATED_NOUN.match(text)) is not None and dated and not _passing(f" {match['rest'].strip()}"):
        return Draft("fact", text, 0.85)
    if dated and (_DONE_TO_ME.match(text) or _THE_PAST.match(text)):
        return Draft("fact", text, 0.85)
    if dated and _dated_thing(text):
        bare = (text[:1].islower() and not _DETERMINED.match(text)) or _PARENT.match(text.lower())
        text = f"{text[:1].lower()}{text[1:]}" if bare else text
        return Draft("fact", f"my {text}" if bare else text, 0.8)
    match = _THINGS.match(text)
    if match is None or (match["verb"] in _MISHAPS and not dated) or _fleeting(match, dated):
        return None
    if text.startswith("the ") and not (re.search(r"\d|[A-Z]", match["rest"]) and (dated or _HOSTED.search(text))):
        return None
    return Draft("fact", text, 0.85, about=match["name"], own=False)


_DETERMINED = re.compile(r"(?:my|our|the|an?|all|both|every|each|some|no|his|her|their|[\w-]+'s)\b")


def _dated_thing(text: str) -> bool:
    """ "placement starts next Monday", "our boiler died last week"."""
    if _BARE_DATED.match(text):
        return True
    match = _OWN_PAST.match(text)
    return match is not None and not _passing(match["rest"])


def _fleeting(match: re.Match[str], dated: bool) -> bool:
    """Whether what is said of somebody or something will not last."""
    verb, rest = match["verb"], match["rest"]
    if not rest.strip(" ,."):
        return verb not in _WHOLE
    if _passing(rest) if verb in _LINKING else _AT_THE_MOMENT.search(rest):
        return True
    if (_OF_THE_SPEAKER.match(rest) and verb.endswith("s")) or (match.re is _NAMED and _WORK_OF_ART.match(rest)):
        return True
    return not dated and _undated(verb, rest)


def _undated(verb: str, rest: str) -> bool:
    """Whether something said without a date will not last."""
    if verb in {"has", "have"} and _CHANGED.match(rest):
        return True
    if verb in {"is", "are"}:
        return _LASTING_STATE.match(rest) is None
    if verb in _BACK_THEN:
        return _FOR_YEARS.search(rest) is None
    return verb in _LOOKING_BACK and not _durable(verb, rest)


def _durable(verb: str, rest: str) -> bool:
    if _LASTING_PAST.match(rest) or verb in {"cannot", "does", "do", "needs"}:
        return True
    trade = _TRADE.match(rest) if verb in {"was", "were"} else None
    return trade is not None and not words.JOBS.isdisjoint(trade[1].split())


def _passing(rest: str) -> bool:
    return bool(_FLEETING.match(rest)) or bool(_AT_THE_MOMENT.search(rest))


def _own(text: str, dated: bool, past: bool) -> Draft | None:
    """What the speaker did, is, or is going to do."""
    if _BEEN.match(text) or _NEVER_HAVE.match(text):
        return Draft("fact", text)
    if (match := _EVENT.match(text)) is not None:
        told = f"{match['verb']}{match['rest']}"
        worth = _LIFE_EVENT.search(text) or (dated and not _PETTY.match(told) and len(told.split()) > 2)
        return Draft("fact", text, 0.95 if dated else 0.9) if worth else None
    if any(rule.match(text) for rule in _OF_ONESELF):
        return Draft("fact", text)
    if dated and (_DEADLINE_OF_MINE.match(text) or (not past and _scheduled(text))):
        return Draft("fact", text, 0.9)
    return None if _PERFECT.match(text) else _of_many(text) or _held(text)


def _of_many(text: str) -> Draft | None:
    """What holds of a household or of most of a group."""
    if (match := _OF_US.match(text)) is not None:
        return Draft("fact", f"my household has {match['n']} people", 0.8)
    return Draft("fact", text, 0.8) if _MOST_OF.match(text) else None


_DEADLINE_OF_MINE = pattern(
    r"(?:I|we) (?:<ADV>)*(?:have to|need to|must) (?:hand in|submit|renew|present|defend|sit|return|file|give back"
    r"|vacate"
    r"|leave|retake|pay back) (?:my|our|the)\b.*\b(?:in|on|by|until|before) .+"
)


def _scheduled(text: str) -> bool:
    """Whether a dated clause tells what is going to happen."""
    if _MOOD.match(text):
        return False
    named = _SCHEDULED.match(text) and _EVENT_NOUN.search(text)
    return bool(named) or bool(_UNDERWAY.match(text) and not _SOON.search(text))


def _held(text: str) -> Draft | None:
    """What the speaker has or does as a habit."""
    match = _HAVE.match(text)
    if match is None or pointing(match["v"]) or _TRIFLES.match(match["v"]):
        return None
    verb, rest = match["verb"], match["v"]
    if verb in _POSSESSION_VERBS and _POSSESSED.match(rest):
        return Draft("fact", text)
    wanted = _ACTIVITY.get(verb)
    if wanted is not None and match["who"] == "I" and re.match(wanted, rest):
        return Draft("fact", text, 0.85)
    return Draft("fact", text, 0.8) if match["who"] == "we" and _TEAM_ACTIVITY.match(f"{verb} {rest}") else None
