"""What binds the speaker: diet, allergies, conditions, medication, when they can be reached, budget."""

import re
from collections.abc import Iterator

from recollect.understanding.keyless import vocabulary as words
from recollect.understanding.keyless.found import ByOpening, Found, items, led, unfolded
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
    (
        pattern(
            r"(?:I|we) (?:am|are|have|run|keep|come from|live in) (?:an? |all )(?:<ADV>|strictly |fully )*"
            rf"(?P<v>{_DIET}) (?:household|home|house|kitchen|family)\b"
        ),
        False,
    ),
    (pattern(rf"(?:I am|we are) (?:both |all )(?P<v>{_DIET})s?(?=$|[,.;!)])"), False),
    (
        pattern(
            rf"(?:it is |it has to be |so |make it |everything )*(?:strictly |only |always )*(?P<v>{_DIET})"
            rf"(?: food| stuff| meals| places)?,? (?:only|for me)(?:,? (?:for me"
            r"|please|always|here|thanks))*(?=$|,)",
            re.IGNORECASE,
        ),
        False,
    ),
    (
        pattern(
            rf"(?P<v>{_DIET}) (?:for life|household here|here|since \d{{4}}|for \w+ years)(?=$|[,.])", re.IGNORECASE
        ),
        False,
    ),
    (pattern(rf"my diet is (?:strictly |fully |completely |mostly |entirely |now )*(?P<v>{_DIET})"), False),
    (pattern(rf"(?:as|being) (?:a |an )?(?:strict )?(?P<v>{_DIET}),? (?:myself,? )?(?:I|my|we)\b"), False),
    (pattern(rf"as (?:a |an )?(?:strict )?(?P<v>{_DIET})(?: myself)?$"), False),
)
_FOOD = (
    r"(?:pea)?nuts?|almonds?|cashews?|walnuts?|shellfish|prawns?|shrimps?|crab|lobster|fish|eggs?|milk|soy"
    r"|sesame|kiwis?|bees?|wasps?|stings?|penicillin"
    r"|latex|mustard|celery"
)
_BADLY = "severe |bad |serious |nasty |mild |slight |life-threatening |deadly |terrible |proper "
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
    pattern(
        r"my (?:only |biggest |worst |main )?allerg(?:y|ies)(?: is| are|:| include)(?: to)? (?P<v>[^.;!?()]{2,80})"
    ),
    pattern(r"allergies: (?P<v>[^.;!?()]{2,80})", re.IGNORECASE),
    pattern(rf"(?:.*\b)?(?:my|our) (?:{_BADLY})?(?P<v>[a-z]+(?:[ -]nuts?)?) allergy\b"),
    pattern(
        r"(?=.*\b(?:I|me|my)\b)(?!(?:my|our|his|her|the|this|that|people|anyone|kids|children|those) |<CAP> "
        r"(?:is|has|was)\b)"
        rf"(?:.*\b)?(?:with an?|have an?|got an?|due to an?) (?:{_BADLY})?(?P<v>[a-z]+(?:[ -]nuts?)?) allergy\b"
    ),
    pattern(
        r"(?P<v>[A-Za-z]+(?: [a-z]+)?(?: and [a-z]+)?) (?:<ADV>|will )*(?:brings? me out in|gives? me|makes? me "
        r"break out in"
        r"|makes? me come out in|causes? me|cover(?:s)? me in|sends? me into|puts? me in) (?:<ADV>|full |massive "
        r"|huge |awful )*"
        r"(?:hives|a rash|rashes|welts|anaphyla\w+|anaphylactic shock|swelling)\b"
    ),
    pattern(
        r"(?P<v>[A-Za-z]+(?: [a-z]+)?) (?:<ADV>|will |could |can |would |nearly )*(?:makes?|made) my (?:throat"
        r"|tongue|lips|face|airways?)"
        r" (?:close|swell|itch|tingle|closes)\b"
    ),
    pattern(
        rf"(?P<v>(?:[A-Za-z]+ )?(?:{_FOOD})(?: (?:and|or) (?:[a-z]+ )?(?:{_FOOD}))*) (?:<ADV>|literally )*"
        rf"(?:(?:will|would|can) (?:<ADV>|literally )*kill me|sends? me to (?:A&E|hospital|the ER|the hospital"
        rf"|casualty))\b",
        re.IGNORECASE,
    ),
    pattern(
        r"I (?:<ADV>)*(?:break out in hives|come out in hives|get hives|go into anaphyla\w+|get anaphyla\w+|swell up"
        r"|break out"
        r"|come out in a rash)(?: shock)? (?:from|with|after eating|after|whenever I eat|when I eat|around|near) "
        r"(?P<v>[^.;!?()]{2,60})"
    ),
    pattern(r"I (?:<ADV>)*carry an? EpiPen (?:for|because of) (?:my )?(?!(?:\w+ ){1,2}allergy)(?P<v>[^.;!?()]{2,60})"),
    pattern(
        r"I (?:<ADV>)*(?:react (?:<ADV>|very )*(?:badly|severely|violently)|have (?:bad|severe|serious|allergic) "
        r"reactions?) to (?P<v>[^.;!?()]{2,60})"
    ),
    pattern(
        r"I cannot (?:<ADV>)*(?:eat|have|touch|go near|be (?:around|near)) (?P<v>[\w ]{2,30}?)(?:,| \(| because "
        r"of(?: an?| my)?| due to(?: an?| my)?| -)? ?(?:severe |bad |nut |food )?allerg(?:y|ic)\b"
    ),
)
_INTOLERABLE = "(?:dairy|lactose|gluten|fructose|histamine|wheat|cow's milk|milk)"
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
        r"(?:<ADV>|really |so |very )*(?:ill|sick|bloated|nauseous|vomit|throw up|unwell|queasy|poorly|gassy)(?=$"
        r"|[,.]| \(| "
        r"(?:and|so|but|every|for|as)\b)"
    ),
    pattern(
        r"(?P<v>[A-Za-z]+(?: (?!do|does|really|just|never|always)[a-z]+)?) (?:<ADV>)*(?:(?:do|does) not "
        r"(?:<ADV>)*(?:agree with me|sit (?:well|right)"
        r" with (?:me|my stomach))|disagrees? with me|upsets? my (?:stomach|tummy|gut|belly)|(?:wrecks?|messes? "
        r"(?:up|with)|kills?|destroys?"
        r"|ruins?|plays? havoc with) my (?:stomach|gut|guts|tummy|digestion|belly)|gives? me (?:terrible |awful |bad "
        r"|the worst )?(?:cramps"
        r"|stomach ?aches?|bloating|the runs|tummy ache|indigestion|diarrhoea|diarrhea|migraines))\b"
    ),
    pattern(
        rf"(?:me and )?(?P<v>{any_of(words.INTOLERANCES)}) and (?:I|me) (?:<ADV>)*(?:do not|never|cannot) "
        rf"(?:<ADV>)*(?:get (?:along|on)"
        r"|agree|mix|work|go together)\b",
        re.IGNORECASE,
    ),
    pattern(
        rf"(?:.*, )?(?P<v>{any_of(words.INTOLERANCES)}) (?:<ADV>)*(?:wrecks?|kills?|destroys?|ruins?|floors?"
        r"|murders?|messes? up|hates?) me\b",
        re.IGNORECASE,
    ),
    pattern(
        r"<I>(?:cannot|do not) (?:<ADV>)*(?:do|have|eat|touch|stomach|take) (?:any |anything with "
        rf")?(?P<v>{_INTOLERABLE})(?=$|[,.;!(]| (?:and|so|at|or|but|any ?more|because)\b)"
    ),
    pattern(
        r"my (?:stomach|gut|body|system|tummy) (?:cannot|does not|will not) (?:<ADV>)*(?:handle|take|tolerate"
        rf"|digest|like|process) (?P<v>{any_of(words.INTOLERANCES)})\b"
    ),
    pattern(
        rf"(?:.*\b)?(?:my|with an?|because of a|due to a) (?P<v>{any_of(words.INTOLERANCES)})[ -](?:intolerance"
        r"|sensitivity)\b"
    ),
    pattern(rf"<I>(?:cannot|do not) (?:tolerate|digest|handle|process) (?P<v>{any_of(words.INTOLERANCES)})\b"),
)
_CONDITION = (
    rf"(?:{any_of(words.CONDITIONS)}|(?:(?!(?:the|this|that|some|any|what|an?)\b)[A-Za-z][\w'-]+ ){{1,3}}"
    rf"(?:syndrome|disease|disorder"
    r"|dystrophy|palsy|degeneration)"
    r"|[a-z]{3,}(?:itis|osis|aemia|emia|algia|pathy|plegia|paresis|phobia|oedema|edema|trophy|plasia|penia)|"
    r"(?:bad|dodgy|gammy|fused|weak|artificial"
    r"|replaced)"
    r" (?:back|knee|hip|heart|shoulder|spine|ankle|wrist)s?|cataracts|a stoma|one lung|tremors?|hemiplegia|a hernia)"
)
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
            rf"|severe )?(?P<v>(?:{_CONDITION}|{any_of(words.CONDITION_ADJECTIVES)})|(?!small|one|it|the|large|rare"
            r"|big|this|that|something|some|my|early|stage|new)"
            r"[\w'-]+(?: (?!in|last|when|at|two|three|a|as|by|this|yesterday|on|and|back|years?|after|one"
            r"|ones)[\w'-]+){0,2})"
        ),
        True,
    ),
    (
        pattern(
            r"<AM>(?:<ADV>|mildly |severely |slightly |partially |completely |profoundly |a |an |registered |born "
            r"|clinically |legally "
            rf"|medically |red-green |part |half |insulin-dependent )*(?P<v>{any_of(words.CONDITION_ADJECTIVES)}(?: "
            r"(?:in|on) (?:my |one |the )(?:left |right )?(?:ears?|eyes?|side))?)(?=$|[,.;!()]| \(| (?!as a bat|drunk"
            r"|spot|faith"
            r"|date|trust|side|man)\w)"
        ),
        False,
    ),
    (pattern(rf"(?:.*\b)?(?:because of|due to|thanks to|with|given|of) my (?P<v>{_CONDITION})\b"), False),
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
    (
        pattern(
            r"<I>(?:take|am taking|am on|use|inject|was prescribed|am prescribed|need) [\w ,-]{3,40} for (?:my |the "
            r"|a |an |chronic )?"
            rf"(?P<v>{_CONDITION})(?=$|[,.;!()]| )"
        ),
        False,
    ),
    (pattern(rf"I was born (?P<v>{any_of(words.CONDITION_ADJECTIVES)})(?=$|[,.;!()]| )"), False),
    (pattern(rf"as an? (?P<v>{any_of(words.CONDITION_ADJECTIVES)})(?: person)?(?:,? (?:I|my)\b|$)"), False),
)
_BY_ENDING = (
    r"[A-Za-z][a-z]{2,}(?:pril|sartan|olol|statin|prazole|triptan|mycin|cillin|oxetine|gliptin|gliflozin|glutide|dipine"
    r"|xaban|zepam|zolam|thyroxine|barbital|setron|phylline|terol|parin|formin|cycline|floxacin|profen|coxib|dronate"
    r"|azepine|giline|peridone|apine|tinib|lukast|umab|ximab|zumab|methasone|nisone|nisolone|semide|thiazide|afil)"
)
_MEDICINE = (
    rf"(?:{any_of(words.MEDICINES)}|{_BY_ENDING}"
    rf"|{any_of(frozenset(word.capitalize() for word in words.MEDICINES))}|blood "
    r"thinners|blood pressure (?:medication|meds|tablets|pills)|the pill|birth control|thyroid (?:medication"
    r"|hormones|tablets)|beta[- ]blockers|vitamin D|iron supplements|antihistamines|an? (?:asthma )?inhaler"
    r"|ADHD medication|sleeping pills|folic acid|antidepressants)"
)
_MEDICATION_RULES = (
    pattern(
        r"<I>(?:<ADV>)*(?:take|am taking|am on|use|need|inject|have to take|must take|have been (?:taking"
        r"|on)|was prescribed|got prescribed|rely on|am prescribed|have been prescribed|have (?:<ADV>)*been "
        r"(?:prescribed|put on)|got put on|was put on|started(?: taking"
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
        r"(?:my|the) (?:doc|doctor|GP|gp|psychiatrist|consultant|neurologist|cardiologist|specialist)(?: has| just| "
        r"recently| finally)* (?:put me on|started me on|prescribed me|switched me to)"
        rf" (?P<v>{_MEDICINE})(?=$|[,.;!()]| )"
    ),
    pattern(
        r"(?:they|GP|doctor|my consultant|the hospital|the clinic|I was(?: they)?)(?: have| has| just| finally"
        r"| recently)* "
        rf"(?:put|started|got)(?: me)?(?: back)? on (?P<v>{_MEDICINE})(?=$|[,.;!()]| )"
    ),
    pattern(
        rf"my (?!iron|insulin|testosterone|estradiol|melatonin|vitamin)(?P<v>{_MEDICINE})(?:'s| is| was| has"
        rf"| dose| makes| gets| runs)"
    ),
    pattern(rf"(?P<v>{_MEDICINE}) (?:stays|remains|is staying|is still on|continues|is for life|keeps me)\b"),
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
    r"|every|each|always|never|usually|generally|regularly|normally|only|ever|after \d+\w*|before \d+\w*|between \d+\w*"
    r"|from \d+\w*|until \d+\w*|after (?:noon|six|seven|eight|five|four|nine|work)|before (?:noon|nine|ten|eight"
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
_TIME_OF_DAY = re.compile(
    rf"\b(?:{_DAYS}|\d+(?:am|pm)?|noon|midnight|six|seven|eight|nine|ten|eleven|five|four|three|two|one|lunch\w*"
    r"|work|hours|dinner|dark"
    r"|sundown|sunset|school run|bedtime|breakfast)\b",
    re.IGNORECASE,
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
    pattern(
        r"my (?P<v>(?:phone|mobile|laptop|line) (?:is|stays|goes) (?:<ADV>)*(?:off|on silent|switched off|away"
        r"|muted)\b[^.;!?]{2,80})"
    ),
    pattern(
        rf"(?P<v>(?:[Ee]very |[Oo]n |[Mm]ost )?{_DAYS.replace('(?:weekends', '(?:[Ww]eekends')}(?: (?:mornings"
        rf"|afternoons|evenings|nights))?(?:,? (?:and|or) {_DAYS})? (?:I am|I will be|we are) "
        r"(?:<ADV>)*(?:not )?(?:offline|off|away|out|unavailable|unreachable|busy|free|available|online|around|home"
        r"|at (?:work|church|training|choir|practice)|in (?:meetings|theatre|class|surgery|court"
        r"|the lab))\b[^.;!?]{0,60})",
        re.IGNORECASE,
    ),
    pattern(
        rf"I (?:<ADV>)*keep (?P<v>(?:my )?{_DAYS}(?: (?:mornings|afternoons|evenings))?(?: and {_DAYS})? (?:free"
        rf"|clear|open|for)\b[^.;!?]{{0,60}})"
    ),
    pattern(rf"(?:I am )?(?:still )?(?P<v>on call (?:on |every )?{_DAYS}[^.;!?]{{0,40}})"),
    pattern(r"(?P<v>no (?:meetings|calls)\b[^.;!?]{2,60})"),
    pattern(
        r"I can (?:<ADV>|ever )*(?P<v>(?:talk|chat|speak|meet|call|do calls|take calls|reply|answer|respond|work"
        r"|make|join|do|get online"
        r"|pick up|be reached|be online)\b[^.;!?]{2,100})"
    ),
    pattern(
        r"I (?:cannot|do not|never|will not) (?:<ADV>|ever )*(?P<v>(?:talk|chat|meet|call|do|take|reply|respond|pick "
        r"up|look at (?:messages|email|my phone)"
        r"|read (?:messages|email|emails)|check|answer|work|make|join|attend|schedule|book|start)\b[^.;!?]{2,100})"
    ),
    pattern(
        r"(?:please |but |so )*(?:do not|never|only|best to|best|just|you can|try to|try not to)(?: ever| only| best)* "
        r"(?P<v>(?:try|call|ring|phone|reach|contact|message|text|ping|bother|disturb|catch|get|schedule|book|expect"
        r"|bug) (?:me|anything|meetings|calls)"
        r"\b[^.;!?]{2,100})"
    ),
    pattern(
        r"(?P<v>(?:call|ring|phone|reach|contact|message|text|ping|catch|try) me (?:only |any ?time |after |before "
        r"|between |on |weekdays |evenings )[^.;!?]{2,80})"
    ),
    pattern(
        r"(?:you can|you will|you cannot|people can|anyone can) (?:not |<ADV>|ever )*(?P<v>(?:get hold of|get"
        r"|reach|find|catch|ring"
        r"|call|contact|message|get through to) me\b[^.;!?]{2,100})"
    ),
    pattern(
        r"(?:the )?(?P<v>best time(?:s)? to (?:reach|call|get|catch|contact|ring|phone) me (?:is|are) [^.;!?]{2,80})"
    ),
    pattern(
        r"(?P<v>(?:(?:my|our|the) )?(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|[Mm]ornings|[Aa]fternoons"
        r"|[Ee]venings|[Ww]eekends|[Ww]eeknights"
        r"|[Ww]eekdays)(?: (?:mornings|afternoons|evenings|nights|and \w+))? (?:is|are)(?: <ADV>)*(?: always| "
        r"strictly)? (?:a write-off|a no-go|no-go|out"
        r"|off|off[- ]limits|my day off|my days? off|for (?:the|my) (?:kids|family|church|mum|dad|mom)|family time"
        r"|sacred|blocked|taken|spoken for|booked|ruled out"
        r"|impossible|the only time|a non-starter|hopeless|best|ideal|when I)\b[^.;!?]{0,60})"
    ),
    pattern(
        r"(?P<v>(?:[Ww]eekends|[Ee]venings|[Mm]ornings|[Ww]eekdays|[Aa]fternoons|(?:Mon|Tues|Wednes|Thurs|Fri|Satur"
        r"|Sun)days)(?: (?:and|or) \w+)?(?: (?:after|before|from|until) [\w: ]{1,12})? (?:works?|suits?|is|are)"
        r" (?:best |fine |good |better |ok |okay )?(?:for me|me)\b[^.;!?]{0,40})"
    ),
    pattern(
        r"(?P<v>(?:[Ww]eekends|[Ee]venings|[Mm]ornings|[Ww]eekdays|[Aa]fternoons|(?:Mon|Tues|Wednes|Thurs|Fri|Satur"
        r"|Sun)days)(?: and \w+)? only"
        r"(?: for (?:calls|meetings|me))?)$"
    ),
    pattern(
        r"I (?:<ADV>)*(?P<v>(?:log off|clock off|clock out|finish(?: work)?|knock off|sign off|switch (?:my phone "
        r")?off|go offline|shut down|stop work(?:ing)?"
        r"|start work|get off work|am in bed|am asleep)\b[^.;!?]{2,60})"
    ),
)
_AMOUNT = (
    r"(?:(?:about|around|roughly|at most|up to|under|max|maximum|only|exactly|no more than|below"
    r"|approximately|just) )*(?:a )?(?P<v>(?:[$€£¥]|USD |EUR |GBP |CHF |US\$)? ?\d[\d.,']*(?: \d{3})*k?(?: "
    r"?(?:k\b|K\b|thousand|million))?(?: ?(?:dollars|euros|euro|pounds|bucks|francs|yen|rupees|USD|EUR|GBP|CHF|kr"
    r"|kroner|zloty|[$€£]|quid))?(?:(?: ?[-–] ?| to )[$€£]?\d[\d.,]*k?)?(?:(?: a| per| each|/)\s?(?:month|week|year"
    r"|person|night|day|head|trip|term))?)"
)
_MONEY = re.compile(
    r"[$€£¥]|\d ?[kK]\b|dollars|euro|pounds|bucks|francs|yen|rupees|USD|EUR|GBP|CHF|kr\b|kroner|zloty"
    r"|quid|grand|thousand"
)
_BUDGET_RULES = (
    pattern(
        rf"(?:my |our |the )?(?:max(?:imum)? |total )?budget(?: is| of|:| (?:tops|maxes) out at| stops at"
        rf"| ends at| sits at)? {_AMOUNT}",
        re.IGNORECASE,
    ),
    pattern(
        rf"(?:I|we) (?:<ADV>)*(?:have|got|have only|have about) {_AMOUNT}(?: (?:in total|all in|max|tops))? "
        r"(?:to (?:spend|play with|work with|live on)|(?:set aside|put aside|saved|budgeted) for|for (?!sale|free)\w+)"
    ),
    pattern(
        rf"{_AMOUNT}(?: (?:all in|in total|total))? is (?:<ADV>|about )*(?:my|our|the) (?:absolute |hard |upper |top "
        r"|monthly |weekly |total )*(?:limit|ceiling|max|maximum"
        r"|budget|cap|top whack)\b"
    ),
    pattern(
        rf"{_AMOUNT}(?: (?:all in|in total|total))? is (?:<ADV>|about )*(?:all (?:I|we) (?:have|can)|the most (?:I"
        r"|we) can|what (?:I|we) (?:can (?:spend|afford)|have))\b"
    ),
    pattern(
        r"(?:the most|all|the max(?:imum)?)(?: that)? (?:I|we) (?:can|could|want to|am willing to|have to) ?(?:spend"
        r"|pay|afford|go to|stretch to)?"
        rf"(?: on [\w ]{{2,20}})? is {_AMOUNT}"
    ),
    pattern(
        rf"(?:my|our|the) (?:[\w-]+ ){{0,2}}(?:max(?:imum)? spend|spend|spending limit|limit|cap|ceiling"
        rf"|price limit|max|maximum|top end)(?: "
        rf"(?:for|on) [\w ]{{2,30}})?(?: is|:) {_AMOUNT}"
    ),
    pattern(rf".*\b(?:my|our) (?:[\w-]+ ){{0,2}}budget(?: for [\w ]{{2,30}}?)? (?:at|of|to|is) {_AMOUNT}"),
    pattern(
        r"(?:it|that|this|everything) (?:has to|must|should|cannot|needs to) (?:not )?(?:cost|be|come in|stay|go"
        rf"|run)(?: to)?(?: more than| under| below| over| above)? {_AMOUNT}(?: (?:max|tops|all in|total|at most))?$"
    ),
    pattern(
        rf"(?:no more than|nothing over|not a penny over|at most|max(?:imum)?(?: of)?|up to|tops) {_AMOUNT}(?: "
        r"(?:max|tops|all in|in total|total|please))*$",
        re.IGNORECASE,
    ),
    pattern(rf"(?:I|we) (?:<ADV>)*(?:am|are|have) (?:capped|limited)(?: myself)? (?:at|to) {_AMOUNT}"),
    pattern(
        r"(?:I|we) (?:<ADV>)*(?:live on|get by on|budget|am on|set aside|put aside|allow myself|manage on) "
        rf"{_AMOUNT}(?=$|[,.]| (?:for|a|per|each|on)\b)"
    ),
    pattern(
        r"(?:my|our|the) (?:[\w-]+ ){0,3}budget(?: for [\w ]{2,30})? is (?:limited to |capped at |now "
        rf"|set at |still )?{_AMOUNT}"
    ),
    pattern(
        rf"(?:I|we) (?:<ADV>)*(?:have|am on|work with|am working with|are on) a (?:[\w-]+ ){{0,2}}budget of {_AMOUNT}"
    ),
    pattern(
        r"(?:I|we) (?:<ADV>)*(?:cannot|can not|do not want to|never) (?:spend|pay|afford|go|stretch|do)(?: (?:more "
        rf"than|over|above|anything over|anything above|beyond|past|to more than)) {_AMOUNT}"
    ),
    pattern(
        r"(?:I|we) (?:<ADV>)*can (?:only )?(?:spend|afford|pay) (?:up to|at most|no more than|max|a "
        rf"maximum of|only)? ?{_AMOUNT}"
    ),
)


_NOT_WHEN = re.compile(
    r"(?:work (?:nights?|shifts?|night|day|long|full|part|at|for|as|with|in|on (?!Mon|Tue|Wed|Thu|Fri|Sat|Sun|week)"
    r"|from"
    r"|\w+ (?:at|for|as) an?)\b|away from home|(?:do|make|take|answer|start|check|work|read) (?:it|that|this|things"
    r"|a|the)\b"
    r"|free (?:from|to)\b|home\b(?! (?:on|only|after|every)))"
)
_ALLERGIC = re.compile(r"kill me|sends? me|allerg|hives|rash|welts|anaphyl|swell|EpiPen|throat|tongue|airway|react")
_INTOLERANT = re.compile(
    r"intoleran|sensitiv|and I do not|and I never|\b(?:me|my (?:stomach|gut|guts|tummy|belly|digestion|body"
    r"|system))\b|cannot|not (?:do|have"
    r"|eat|tolerate|digest|handle|process)"
)
_DIETS = ByOpening(_DIET_RULES, lambda rule: rule[0])
_CONDITIONS = ByOpening(_CONDITION_RULES, lambda rule: rule[0])
_ALLERGIES = ByOpening(_ALLERGY_RULES, lambda rule: rule)
_INTOLERANCES = ByOpening(_INTOLERANCE_RULES, lambda rule: rule)
_MEDICATIONS = ByOpening(_MEDICATION_RULES, lambda rule: rule)
_AVAILABILITIES = ByOpening(_AVAILABILITY_RULES, lambda rule: rule)
_BUDGETS = ByOpening(_BUDGET_RULES, lambda rule: rule)


def read(text: str) -> Iterator[Found]:
    """What a clause says that binds its speaker."""
    text = led(text)
    yield from _read(text)
    for part in unfolded(text):
        yield from _read(part)
    if (second := _AND_ALSO.match(text)) is not None:
        yield from _read(f"I am {second['rest']}")


_AND_ALSO = pattern(
    r"I am (?!allergic|sensitive|intolerant)[^,;:]{3,40}?,? (?:and|but|plus) (?:I am )?(?P<rest>(?:<ADV>|also "
    r"|severely |badly |very |highly |mildly )*(?:allergic to"
    rf"|{any_of(words.INTOLERANCES)}[ -]intolerant|{any_of(words.CONDITION_ADJECTIVES)}|(?:{_DIET})$)\b.*)$"
)


def _read(text: str) -> Iterator[Found]:
    yield from _diet(text)
    if _ALLERGIC.search(text):
        yield from _listed(text, "allergy", _ALLERGIES.of(text))
    if _INTOLERANT.search(text):
        yield from _listed(text, "intolerance", _INTOLERANCES.of(text))
    yield from _conditions(text)
    yield from _medication(text)
    yield from _availability(text)
    for rule in _BUDGETS.of(text) if any(character.isdigit() for character in text) else ():
        match = rule.match(text)
        if match is not None and ("budget" in match.group().lower() or _MONEY.search(match["v"])):
            yield Found("constraint", "budget", match["v"].strip(" ,."))
            return


def _diet(text: str) -> Iterator[Found]:
    for rule, eventful in _DIETS.of(text):
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
        if "gives me" in match.group() or "give me" in match.group():
            things = [thing for thing in things if _EDIBLE.search(thing)]
        things = [thing for thing in things if thing.lower() not in _POINTING]
        if any(
            thing.lower().split()[0] in words.JOKE_ALLERGIES or thing.lower() in words.JOKE_ALLERGIES
            for thing in things
        ):
            return
        for thing in things:
            yield Found("constraint", key, thing)
        return


_POINTING = words.listed("it that this both them those these everything anything something you one ones him her me")
_EDIBLE = re.compile(
    r"nuts?\b|peanut|almond|shellfish|prawn|shrimp|crab|lobster|fish|egg|milk|dairy|cheese|lactose|gluten|wheat"
    r"|bread|soy|sesame"
    r"|berr(?:y|ies)|kiwi|peach|apple|banana|mango|citrus|tomato|pepper|onion|garlic|celery|mustard|latex|penicillin"
    r"|nickel|wool"
    r"|cats?\b|dogs?\b|pollen|dust|bee|wasp|yeast|wine|beer|alcohol|caffeine|coffee|chocolate|pork|beef|meat|corn"
    r"|beans|lentils"
    r"|legumes|spicy|sulph|sulf|ibuprofen|aspirin|amoxicillin|cream|oats|rye|mushrooms?|avocado|pineapple|melon",
    re.IGNORECASE,
)


def _conditions(text: str) -> Iterator[Found]:
    for rule, eventful in _CONDITIONS.of(text):
        if (match := rule.match(text)) is None:
            continue
        for value in match.groups():
            if value and not re.search(r"allerg|intoleran", value) and not _figurative(value, text[match.end() :]):
                yield Found("constraint", "condition", value, eventful, aside="my " in match.group()[-len(value) - 3 :])
        return


def _figurative(value: str, rest: str) -> bool:
    """ "I'm blind to that", "I have anxiety about the demo": of the moment, or no condition."""
    return bool(
        re.match(r" (?:to|about|over|without|from (?:work|all|the|this|looking)|with (?:rage|love))\b", rest)
    ) or value.lower() in {"it", "the", "a", "this"}


def _medication(text: str) -> Iterator[Found]:
    for rule in _MEDICATIONS.of(text):
        if (match := rule.match(text)) is None:
            continue
        for value in match.groups():
            if value and value.lower() not in _NO_MEDICINE and not _TOOL.fullmatch(value):
                yield Found("constraint", "medication", value)
        for also in pattern(rf"(?:,| and|, and| plus|, plus) (?:my )?(?P<v>{_MEDICINE})\b").finditer(text, match.end()):
            yield Found("constraint", "medication", also["v"])
        return


def _availability(text: str) -> Iterator[Found]:
    if not _TIME_OF_DAY.search(text) or not _LASTING.search(text) or _MOMENT.search(text):
        return
    for rule in _AVAILABILITIES.of(text):
        if (match := rule.match(text)) is None:
            continue
        # An hour alone does not tell what it bounds.
        if not _NOT_WHEN.match(match["v"]) and " " in (said := _said(text, match)):
            yield Found("constraint", "availability", said)
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
