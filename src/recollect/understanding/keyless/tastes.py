"""What the speaker prefers, where there is a key for it: tools, style, units, theme, tone, favourites."""

import re
from collections.abc import Iterator

from recollect.understanding.keyless import vocabulary as words
from recollect.understanding.keyless.found import ByOpening, Found, head, led
from recollect.understanding.keyless.text import any_of, pattern
from recollect.understanding.profile_keys import favorite_key

_TOOLS: tuple[tuple[str, str], ...] = (
    ("editor", any_of(words.EDITORS)),
    ("operating_system", any_of(words.SYSTEMS)),
    ("framework", any_of(words.FRAMEWORKS)),
    ("database", any_of(words.DATABASES)),
    ("language", any_of(words.LANGUAGES)),
)
_KEY_WORDS = {
    "editor": r"(?:(?:text |code )?editor|IDE|ide)",
    "operating_system": r"(?:operating system|OS|os|distro|distribution|desktop|system)",
    "framework": r"(?:(?:web |frontend |front-end |backend |ui |UI |JS |deep learning )?framework)",
    "database": r"(?:database|db|DB|data ?store)",
    "language": r"(?:(?:programming |coding |scripting )?language)",
}
_CHOOSING = (
    r"(?:prefer|use|favor|favour|like|love|swear by|stick (?:with|to)|code in|program in|write in|develop in"
    r"|work in|work with|work on|am on|run|am using|am running|rely on|default to|go with|write|develop with"
    r"|am a fan of|live in|work mostly in|reach for|am stuck with|build (?:everything |things )?(?:in|with)"
    r"|daily drive|am coding in|am writing|do (?:everything|all my \w+|most (?:of my )?\w+|my \w+) (?:in|on|with)"
    r"|have been (?:using|on|running)"
    r"|cannot live without|could not live without|never leave|spend (?:all day|my days?|my time|most of my time) in"
    r"|type everything in"
    r"|edit (?:everything )?(?:in|with)|build (?:on|everything on)|always (?:use|pick|choose|go for)|pick|choose|go "
    r"for|am all in on|am sold on"
    r"|am happiest (?:in|with|on)|am most (?:comfortable|productive|at home) (?:in|with|on)|boot|settled on|am back "
    r"on|think in)"
)
_MAINLY = (
    r"(?:<ADV>|ever |mostly |mainly |usually |exclusively |almost exclusively |primarily |generally |always |mainly "
    r"|nowadays )*"
)
_STOP = (
    r"(?=$|[,.;!?):]| \(| (?:full|these|code|most|as|for|over|on|at|and|but|to|instead|because|with|these|now"
    r"|when|in|rather|everywhere|exclusively|daily|every|all|by|most|mostly|whenever|than|myself|personally"
    r"|anyway|so|or|from|since|code|mainly|at|everyday|a lot|too|only|primarily|programming|development"
    r"|scripts|both|this|last|yesterday|ages|years|recently|if|wherever|where|not|or|via|after|until|before|while"
    r"|though"
    r"|period|hands|through|like|here|again|already|nowadays|about|around|two|three|four|five|six|ten|\d+|a (?:month"
    r"|week|year|while|few|couple"
    r"|day|bit|decade)|ever|and|my|the (?:whole|other|last)|out|without|under|inside|there|one|pretty|until|almost"
    r"|back|right|just)\b)"
)

CODING = pattern(
    r"\b(?:tabs|snake_case|camelCase|type hints?|type annotations?|docstrings?|functional (?:style"
    r"|programming|coding style|code|coding|components)|object-oriented|OOP|immutab\w+|pure functions"
    r"|(?:small|short|tiny) (?:\w+ )?functions|early returns|list comprehensions?|composition (?:over|to)"
    r"|test-driven|TDD|semicolons|(?:single|double) quotes|trailing commas|arrow functions|async/await"
    r"|(?:static|strict|strong) typing|guard clauses|coding style|code style|PEP ?8|named exports"
    r"|one-liners|spaces over tabs|\w+[- ]space indent\w*|(?:two|four|2|4) spaces|readable code"
    r"|test-first|snake case|camel case|(?:my|clean|readable|verbose|terse) code|explicit (?:code|types"
    r"|imports|error handling)|descriptive (?:variable )?names|comments in (?:my |the )?code|dataclasses"
    r"|line length|f-strings|nested (?:ifs|loops|conditionals|ternaries)|one class per file|allman|braces on"
    r"|max(?:imum)? \w+ columns|\d+ columns|comprehensions"
    r"|no classes|no comments|functional core|pure functions?|const over let|pattern matching|explicit returns?"
    r"|hungarian notation"
    r"|kebab-case|PascalCase|short variable names|long variable names|meaningful names)\b",
    re.IGNORECASE,
)
_TABS_KEPT = re.compile(
    r"\b(?:keep\w*|kept) tabs\b|\btabs on\b|\b(?:browser|open|guitar|\d+|chrome|many) tabs\b|\bbar tabs\b",
    re.IGNORECASE,
)
_CODING_ALONE = re.compile(
    r"(?:always )?(?:(?:two|four|eight|2|4|8)[- ]spaces?(?: indent\w*)?|tabs|snake_case|camelCase|type hints|single "
    r"quotes|double quotes|trailing commas|early returns)(?: (?:everywhere|always))?",
    re.IGNORECASE,
)
_CODING_LIST = pattern(rf"(?:(?:no|always|only|lots of) )?(?:{CODING.pattern})[^:?]{{0,20}}, ", re.IGNORECASE)
_CODING_NOTE = pattern(
    r"(?!.*\b(?:I|you|we|it|is|are|was|be|can|should|how|what|why|does|do)\b).*\b(?:not|over|everywhere"
    r"|always|instead of|rather than|please|never)\b",
    re.IGNORECASE,
)
_LIKING = (
    r"(?:<I>(?:<ADV>|strongly |much )*(?:prefer|like|favor|favour|love|use|write|stick to|stick with|follow|want"
    r"|swear by|am big on|am strict about|keep|name|format|aim for"
    r"|lean (?:on|towards)|go with|believe in|expect|insist "
    r"on|indent with|go for|am a fan of|am into)|my (?:preferred )?(?:coding|code|programming) style is|I am "
    r"a (?:big |huge )?(?:fan of|believer in)|in (?:my )?code,? I (?:<ADV>)*(?:prefer|like|use))"
)

_TONE = (
    r"(?:formal|informal|casual|direct|blunt|friendly|polite|professional|humorous|funny|playful|gentle"
    r"|honest|straightforward|warm|serious|sarcastic|matter-of-fact|encouraging|concise and direct|brutally "
    r"honest|neutral|relaxed|laid-back|technical|kind|dry|no-nonsense|candid|respectful|chatty|upbeat)"
)
_TONES = (
    r"(?P<v>(?:(?:more|very|a bit|bit|really|totally|completely|brutally|quite|less|slightly|nice and) "
    rf")?{_TONE}(?:(?:,| and|, and| but|, but) (?:(?:more|very|brutally|always|a bit|a little|slightly"
    rf"|mildly) )?{_TONE})*)"
)

_TOOL_RULES = tuple(
    (key, rule)
    for key, tool in _TOOLS
    for rule in (
        pattern(rf"<I>{_MAINLY}{_CHOOSING} {_MAINLY}(?P<v>{tool}){_STOP}"),
        pattern(
            r"(?:my|our) (?:<ADV>)*(?:main |primary |preferred |go-to |default |daily |current |usual |daily-driver "
            rf"|chosen |day-to-day |everyday )*{_KEY_WORDS[key]}(?: of choice)?(?: at work| at home)? is "
            rf"(?:now |still |currently )*(?P<v>{tool}){_STOP}"
        ),
        pattern(
            r"my (?:daily driver|weapon of choice|tool of choice|machine runs|laptop runs|work laptop "
            rf"runs|computer runs|PC runs|stack is)(?: is| now)? (?P<v>{tool}){_STOP}"
        ),
        pattern(
            rf"(?P<v>{tool}) (?:is|has (?:<ADV>)*been)(?: <ADV>)*(?: (?:always|still|now|definitely|by far))? (?:my "
            rf"(?:<ADV>|main |primary |preferred |go-to |default |daily |new |current |usual )*(?:{_KEY_WORDS[key]}"
            r"|daily driver|weapon|tool|pick|go-to|choice|home)"
            r"\b(?: of choice)?|what I (?:<ADV>)*(?:use|reach for|run|code in|write|prefer|live in|know best|work "
            r"in)|where I (?:<ADV>)*(?:live|work|am happiest|feel at home))"
            rf"|(?P<w>{tool}) (?:works|suits|fits) (?:best for me|me best|me (?:better|fine)|best)"
        ),
        pattern(
            rf"(?:whatever [^,]{{3,40}}, )?(?P<v>{tool}) (?:first|by default|preferably|as (?:the |my "
            rf"|a )?default)(?:,? always)?$"
        ),
        pattern(
            rf"(?:always |only |just )*(?P<v>{tool}),? (?:always|all the way|full stop|period|every time"
            rf"|or nothing|on everything|everywhere)$"
        ),
        pattern(
            r"(?:everything|most of what|all|nearly everything|almost everything) I (?:write|build|code|do"
            r"|ship) is (?:written )?in "
            rf"(?P<v>{tool}){_STOP}"
        ),
        pattern(rf"(?P<v>{tool}) (?:user|person|dev|developer) (?:for (?:\d+|\w+) years|since \d+)"),
        pattern(
            rf"(?:it is|it has been|everything is|everything runs on|I am on) (?:now |all )?(?P<v>{tool}) (?:on"
            rf"|across|for) (?:everything|all my \w+"
            r"|every (?:machine|box|laptop))(?: (?:I own|now|here|these days))*$"
        ),
        pattern(
            r"I would (?:<ADV>)*(?:start|build|write|do|make) (?:anything(?: new)?|everything(?: new)?"
            r"|any new \w+|new (?:stuff|things|projects)"
            rf"|all new \w+) (?:in|with|on) (?P<v>{tool}){_STOP}"
        ),
        pattern(
            rf"(?:give me|nothing beats|you cannot beat|it is|long live|always|just|team) (?P<v>{tool})(?:,? (?:any "
            r"day|every time|all the way|for me|all day|over [\w+#. ]+"
            r"|or nothing|for everything|or bust|always))+$"
        ),
        pattern(
            rf"(?P<v>{tool}) (?:for (?:me|editing|coding|everything|all my \w+|(?:the |my )?(?:web|backend|back end"
            r"|frontend|front end|data|scripts?|scripting|UI|desktop|laptop"
            r"|server|servers|code|storage|persistence|day-to-day|daily \w+|text|notes|work|development|dev|programming"
            r"|database|db|web bit|web side|web stuff|web part)(?: \w+)?)"
            r"|(?:user|person|guy|girl|fan|man|woman|dev|developer) here|all the way|all day long|or bust|or nothing"
            r"|everywhere|on everything|on all my machines)"
            r"(?:,? (?:always|please|every time|thanks|obviously|though|these days|now|too))*$"
        ),
        pattern(
            rf"(?P<v>{tool}) is (?:my (?:daily driver|weapon of choice)|what I (?:<ADV>)*use)"
            rf"|(?P<w>{tool}) is my (?:main |primary |preferred |go-to |default |daily |new "
            rf")*{_KEY_WORDS[key]}"
        ),
    )
)
_SWITCHED = tuple(
    (
        key,
        pattern(
            r"I (?:<ADV>|have )*(?:switched|moved|migrated|changed|went|gone|come|came|returned|jumped|defected"
            r"|crossed|converted)(?: my \w+)?(?: over| back)? "
            rf"(?:from {tool} )?to (?:using )?(?P<v>{tool}){_STOP}"
        ),
    )
    for key, tool in _TOOLS
)
_SWITCHED += tuple(
    (
        key,
        pattern(
            r"I (?:<ADV>|have )*(?:dumped|ditched|dropped|abandoned|left|swapped|traded|gave up|binned|replaced|quit"
            r"|exchanged)(?: out)? "
            rf"[\w.+# ]{{1,25}} (?:for|with) (?P<v>{tool}){_STOP}"
        ),
    )
    for key, tool in _TOOLS
)
_RATHER = tuple(
    (
        key,
        pattern(
            r"(?:.*\b)?I would (?:<ADV>|rather |much rather )*(?:take|pick|choose|go with|use|prefer|have) "
            rf"(?P<v>{tool}) (?:over|before|any day|every time|rather than|instead of)\b"
        ),
    )
    for key, tool in _TOOLS
)
_PERSON = pattern(
    r"I am (?:<ADV>|more of )*an? (?:<ADV>|long-time |die-hard |happy |heavy )*(?P<v>Mac|mac|macOS) "
    r"(?:person|user|guy|girl|man|woman)\b"
)
_USERS = tuple(
    (
        key,
        pattern(
            rf"I am (?:<ADV>|more of )*an? (?:<ADV>|long-time |die-hard |happy |heavy )*(?P<v>{tool}) "
            r"(?:person|user|guy|girl|man|woman)\b"
        ),
    )
    for key, tool in _TOOLS
)
_OVER = tuple(
    (
        key,
        pattern(
            rf"(?P<v>{tool})(?: (?:over|rather than|instead of) (?:plain |vanilla |raw )?[\w.+#]+(?:,? "
            r"(?:every time|any day|always|all day|please))?| (?:if I get to choose|any day|every time"
            r"|all the way|all day))$"
        ),
    )
    for key, tool in _TOOLS
)
_ALONG = tuple((key, pattern(rf"(?:, | and |^ |^)(?:in|on|with|using) (?P<v>{tool})(?![\w-])")) for key, tool in _TOOLS)
_ALSO_MINE = tuple(
    (
        key,
        pattern(
            rf"(?:, | and )(?P<v>{tool})(?: is)? (?:my|as my|for my|is what I use as) (?:\w+ )?{_KEY_WORDS[key]}\b"
        ),
    )
    for key, tool in _TOOLS
) + tuple(
    (
        key,
        pattern(
            rf"(?:,|;)? (?:and )?(?P<v>{tool}) (?:over (?:pretty much )?(?:anything|everything|\w+)|for the "
            rf"(?:code|rest|front|back)\b)"
        ),
    )
    for key, tool in _TOOLS
)
_ANY_TOOL = tuple(
    (
        key,
        pattern(
            rf"<I>{_MAINLY}(?:use|prefer|am using) (?P<v><CAP>(?: <CAP>)?) as my (?:main |primary "
            rf"|preferred |daily |go-to )*{word}\b"
        ),
    )
    for key, word in _KEY_WORDS.items()
)
_ANY_MAIN = tuple(
    (
        key,
        pattern(
            rf"my (?:main |primary |preferred |go-to |default |daily )*{word} is (?:now |still "
            rf")*(?P<v><CAP>(?: <CAP>)?){_STOP}"
        ),
    )
    for key, word in _KEY_WORDS.items()
    if key != "language"
)
_LANGUAGE = pattern(
    r"my (?:favou?rite|main|primary|preferred|go-to|strongest|best) (?:programming |coding |scripting "
    rf")language(?: of choice)? is (?P<v>[\w+#-]+){_STOP}"
)
_WRITE_CODE = pattern(
    rf"<I>{_MAINLY}(?:write|do|code)(?: (?:most of |all of |all |almost all of )?(?:my |the )?(?:code"
    r"|coding|programming|work|projects|everything|scripts|tools|development))?(?: mostly| mainly)? in "
    rf"(?P<v>{any_of(words.LANGUAGES)}){_STOP}"
)
_PASSIVE_CODE = pattern(
    rf"(?:most|all) of my (?:code|work|projects) (?:is|are) (?:written )?in (?P<v>{any_of(words.LANGUAGES)}){_STOP}"
)

_UNITS: tuple[re.Pattern[str], ...] = (
    pattern(
        r"(?:<I>(?:<ADV>)*(?:prefer|use|like|want|think in|am used to|work (?:in|with)|only (?:use"
        r"|understand|know)|need|go by|measure in|would prefer)|please (?:always )?(?:use|stick to)"
        r"|always use|use|stick to|please (?:always )?(?:give|show|stick to)(?: me)?(?: \w+){0,3} in|my "
        r"(?:preferred )?units are) (?:the )?(?P<v>metric|imperial|celsius|Celsius|fahrenheit|Fahrenheit"
        r"|SI|US customary|kilometers|kilometres|miles|degrees Celsius|degrees Fahrenheit|kilograms"
        r"|pounds)(?: units| system| measurements| measures)?(?=$|[,.;]| (?:and|for|over|not|rather"
        r"|instead|please|when|in|units|to|everywhere|only|if|because)\b)"
    ),
)
_UNIT = (
    r"(?:[Cc]elsius|[Ff]ahrenheit|[Kk]ilomet(?:er|re)s|[Kk]m|[Mm]iles|[Kk]ilos|[Kk]ilograms|[Pp]ounds"
    r"|[Gg]rams|[Mm]illimet(?:er|re)s|[Cc]entimet(?:er|re)s|[Cc]m|[Mm]m|[Kk]g|[Kk]m/h|[Mm]ph|[Ss]tone|[Yy]ards"
    r"|[Kk]nots|[Nn]autical [Mm]iles|[Ll]bs|[Ll]it(?:er|re)s|[Mm]etric|[Ii]mperial|[Mm]et(?:er|re)s|[Ff]eet"
    r"|[Ii]nches|[Oo]unces|[Cc]ups)"
)
_UNITS += (
    pattern(
        r"(?:<I>(?:<ADV>)*(?:prefer|use|think in|want|need|like) |always |please |only |use "
        rf")*(?P<v>{_UNIT}(?:(?:,| and|, and) {_UNIT})+|[Mm]etric|[Ii]mperial)(?: units| system)?(?: for "
        r"me|,? please| only| everywhere| always)"
    ),
)


_UNITS += (
    pattern(
        r"<I>(?:<ADV>)*(?:work in|think in|measure in|measure everything in|cook in|bake in|weigh (?:everything "
        r"|things )?in|prefer|use|am used to|go by|only do|only know"
        rf"|understand|deal in|count in|want|grew up with) (?P<v>{_UNIT}(?:(?:,| and|, and) {_UNIT})*)(?: units| "
        r"system)?(?=$|[,.;]| (?:and|for|over|not|rather|so|because|when|only|everywhere)\b)"
    ),
    pattern(
        rf"(?:always |only |please |use |give me |stick to |stick with )*(?P<v>{_UNIT}(?:(?:,| and|, and) "
        rf"{_UNIT})*)(?: units)?(?:,? (?:please|always|for me|only|thanks|every time|everywhere"
        r"|for everything|throughout|all the way|over \w+|not \w+))+$"
    ),
    pattern(
        r"(?:please |always |and )*(?:give|show|put|list|quote|express|keep|use|write|convert)?(?: me)? ?(?:all "
        r")?(?:the |your |my )?(?:temperatures?|temps|distances?|weights?|measurements?|lengths?|heights"
        rf"|recipes|units|quantities|sizes) (?:should (?:always )?be )?(?:always )?(?:in|to) (?P<v>{_UNIT}(?:(?:,| "
        rf"and|, and) {_UNIT})*)(?=$|[,.;]| (?:please|always|from|and|only|not|for|every))"
    ),
    pattern(rf"(?P<v>{_UNIT}(?:(?:,| and|, and) {_UNIT})+|[Mm]etric|[Ii]mperial)(?: units)?$"),
    pattern(
        r"I am (?:<ADV>|more of )*an? (?P<v>metric|imperial|Celsius|Fahrenheit) (?:person|guy|girl|user|gal|man"
        r"|woman|kind of \w+)\b"
    ),
)


def _system(said: str) -> str:
    """One unit as it was said; several of a kind as the system that they belong to."""
    if not re.search(r",| and ", said) or re.search(r"(?i)knots|nautical", said):
        return said
    return "imperial" if re.search(r"(?i)fahrenheit|miles|pounds|feet|inches|ounces", said) else "metric"


_THEME = (
    pattern(
        r"<I>(?:<ADV>)*(?:prefer|use|like|love|need|want|have everything in|keep everything in|go for|set "
        r"everything to)(?: (?:a|the|my|everything in))? (?P<v>dark|light|high-contrast|solarized"
        r"|Solarized|Dracula|Nord|Gruvbox)(?: |-)(?:mode|theme|themes|UI|interface|colou?r scheme)"
    ),
    pattern(r"my (?:preferred |editor |colou?r )*(?:theme|colou?r scheme) is (?:called )?(?P<v>[\w ]{2,30})"),
    pattern(
        r"(?:[Aa]lways |please |only |just |give me |it is |on |in |I am |I am always )*(?P<v>[Dd]ark|[Ll]ight"
        r"|[Hh]igh[- ]contrast) (?:mode|themes?)(?: there)?(?:,? (?:please|always|everywhere|everything|for everything"
        r"|for me|here|on everything|only|all the way|all day|or nothing|in everything|every time|across the board"
        r"|on all (?:my )?\w+|wherever possible|24/7|period|forever))*(?=$|, (?!or\b))"
    ),
    pattern(
        r"(?:<I>(?:am|am more of) an? (?:<ADV>|strict |big |firm )*|<I>(?:keep|have|set|run|view|read|like|want|use"
        r"|put|switch|need) (?:\w+ ){1,4}?(?:in|to|on|with) (?:a )?)"
        r"(?P<v>dark|light|high[- ]contrast)[ -](?:mode|themes?)\b"
    ),
    pattern(r"(?P<v>[Ss]olarized (?:dark|light)|[Gg]ruvbox (?:dark|light)|Dracula|Gruvbox)(?: theme)?$"),
    pattern(r"(?=.*\bmy\b).*, (?P<v>dark|light) (?:mode|theme)(?=$|,)"),
    pattern(
        r"(?P<v>[Dd]ark|[Ll]ight|[Hh]igh[- ]contrast) (?:mode|themes?) (?:is|are) (?:my|the only|what I|easier on my"
        r"|a must|non-negotiable|better for my|kinder)\b"
    ),
    pattern(
        r"(?:.*, )?(?P<v>[Dd]ark|[Ll]ight|[Ss]olarized [Dd]ark|[Ss]olarized [Ll]ight|Dracula|Gruvbox"
        r"|Nord)(?: (?:mode|theme))? (?:everywhere|in everything|on everything|always|is my|all the "
        r"way)\b"
    ),
)
_TONE_RULES = (
    pattern(
        r"<I>(?:<ADV>)*(?:prefer|like|want|appreciate|value|would (?:like|prefer))(?: (?:it when|when|if"
        r"|you to be|you to keep|an?|your|the|your replies|your answers))*(?: (?:you (?:are|keep it)"
        rf"|answers|tone))* {_TONES}(?: (?:tone|style|language|answers|replies|feedback|communication"
        r"|manner|way))?(?: with me| of (?:speaking|writing|talking))?<END>"
    ),
    pattern(
        r"(?:please |always |from now on,? |just |you can |you may |feel free to )*(?:be|stay|remain|keep "
        r"it|keep things|keep the tone|keep your tone|keep a|use an?|use a more|write in an?|speak in an?"
        rf"|talk in an?|talk to me in an?|adopt an?) (?:always )?{_TONES}(?: (?:tone|style|language|manner"
        r"|way|voice|register))?(?: (?:with|to|towards?) me| when (?:you )?(?:talk\w*|speak\w*|writ\w*"
        r"|answer\w*|reply\w*)[\w ]*| in your (?:answers|replies|responses|feedback))"
    ),
    pattern(
        rf"(?:please )?(?:always )?(?:use an?|use a more|keep (?:the|your|an?)|adopt an?) {_TONES} (?:tone"
        rf"|style|voice|register)|(?:please )?(?:always )?(?:keep (?:the|your) tone) {_TONES.replace('?P<v>', '?P<w>')}"
    ),
    pattern(
        r"(?:please )?(?:talk|speak) to me (?:in an? )?(?P<v>like (?:a|an|I am) [\w ]{2,30}"
        rf"|{_TONE}(?:ly)?(?: way)?)(?=$|[,.])"
    ),
    pattern(
        r"(?:please )?(?:talk|speak) to me (?P<v>like (?:a|an|I am|you would) [\w ]{2,40}|as (?:a|an) [\w "
        r"]{2,30})(?=$|[,.])"
    ),
    pattern(
        rf"I would (?:much |really )?(?:rather|prefer)(?: it if| that)? you (?:were|are|be|stayed|kept it) {_TONES}"
    ),
    pattern(
        r"(?:please )?(?:always )?(?:address|treat) me (?:more )?(?P<v>formally|informally|casually"
        r"|politely|respectfully)"
    ),
    pattern(
        r"(?:<I>(?:<ADV>|would |much )*(?:prefer|like|want|appreciate|respond best to|respond well to)|(?:please "
        r")?(?:always )?(?:use|adopt|keep|keep to|stick to|take|go for|strike)) "
        r"(?:an? )?(?P<v>[a-z-]+(?:(?:,| and|, and| but) [a-z-]+)?) (?:tone|register|tone of voice|way of "
        r"talking)(?= (?:with|in|when|from|for|over|rather|always|at)\b|$|[,.])"
    ),
    pattern(
        rf"(?:please |just |always |you can |do )*be {_TONES}(?: (?:with me|to me|towards me|when .*|always|from now "
        r"on|please|at all times))+"
    ),
    pattern(
        r"(?:please |just |always )*(?P<v>be straight|shoot straight|give it to me straight|tell it to me straight"
        r"|do not sugar-?coat (?:it|things|anything)|skip the pleasantries)"
        r"(?: with me)?(?:,? (?:always|please|every time|from now on|at all times))*$",
        re.IGNORECASE,
    ),
    pattern(rf"(?:your|the) tone (?:should|must|can) (?:always )?be {_TONES}"),
    pattern(rf"my preferred tone is {_TONES}"),
    pattern(
        rf"{_TONES} (?:is (?:fine|best|good|how I like it)|suits me(?: best| fine)?|works (?:best )?for me)\b",
        re.IGNORECASE,
    ),
    pattern(rf"I (?:<ADV>)*(?:take|handle|like my \w+|like it|like things|prefer it) {_TONES}<END>"),
)
_FAVORITE = pattern(
    r"\b[Mm]y (?:<ADV>|all-time |absolute |personal |all time |current |new |hands-down |one |very |single "
    r")*(?:favou?rite|fave?) "
    r"(?P<thing>[a-z][\w -]{1,40}?)(?: of all time| ever|,? hands down|,? by far|,? bar none|,? without a doubt"
    r"| to \w+| in the world| at the moment| right "
    r"now| by far| of them all| overall)?,?(?: (?:is|are|has always been|was always|would be|will always be|is still"
    r"|is now|has to be|have to be|must be|remains"
    r"|would have to be)|'s)(?: definitely| probably| still| now| actually| and always will be| always| easily| "
    r"hands down| hands-down| by far| without a doubt|:)*"
    r"(?: called)? (?P<v>(?<=is )<CAP>, <CAP>(?=$| and my)|[^,.;:!?]{1,80})"
)
_FAVORITE_AFTER = pattern(
    r"(?P<v>[A-Z0-9][^,.;:!?]{0,60}?|[a-z]+(?: [a-z]+)?)(?:,? (?:hands down|by far|without a doubt),?)? (?:is|are"
    r"|has always been|will always be|remains)(?: (?:still|easily|definitely|by far"
    r"|hands down|probably|always|without a doubt|and always will be))* my (?:all-time |absolute |personal |current "
    r"|very |number one "
    r"|all time )*(?:favou?rite|fave?) (?P<thing>[a-z][\w -]{1,30}?)(?: of all time| ever| in the world| by far| "
    r"hands down| lol| haha| tbh| ngl| btw|,? (?:and )?(?:it )?always (?:has been|will be|was)|,.*)*$"
)
_LANGUAGE_THINGS = frozenset({"language", "programming language", "coding language"})


_PREFERRED = ByOpening(
    (
        *_TOOL_RULES,
        *_ANY_TOOL,
        *_ANY_MAIN,
        ("language", _LANGUAGE),
        ("language", _WRITE_CODE),
        ("language", _PASSIVE_CODE),
    ),
    lambda rule: rule[1],
)
_FANS = ByOpening((*_OVER, *_USERS, *_RATHER), lambda rule: rule[1])
_WAYS = tuple(
    (key, ByOpening(rules, lambda rule: rule))
    for key, rules in (("units", _UNITS), ("theme", _THEME), ("tone", _TONE_RULES))
)
_WAY_WORDS = {
    "units": words.listed(
        "metric imperial celsius fahrenheit si us kilometers kilometres km miles kilos kilograms pounds grams "
        "millimeters "
        "millimetres centimeters centimetres cm mm kg mph h stone yards lbs knots nautical liters litres meters"
        " metres feet inches "
        "ounces cups"
    ),
    "theme": words.listed("dark light contrast solarized dracula nord gruvbox theme themes scheme mode"),
    "tone": words.listed(
        "me tone you your register voice way be stay keep blunt formal casual direct formally informally casually i"
    ),
}
_TOOL_WORD = re.compile(r"[a-z]+")
_TOOL_WORDS = frozenset(
    part
    for tool in (*words.EDITORS, *words.SYSTEMS, *words.FRAMEWORKS, *words.DATABASES, *words.LANGUAGES)
    for part in _TOOL_WORD.findall(tool.lower())[:1]
) | words.listed(
    "mac editor ide os distro distribution system desktop framework database db datastore data language laptop "
    "machine computer"
)


def read(text: str) -> Iterator[Found]:
    """What a clause prefers under a known key."""
    text = _SHORT_IS.sub(r"\1 is my ", led(text))
    if not _TOOL_WORDS.isdisjoint(_TOOL_WORD.findall(text.lower())):
        yield from _tools(text)
    yield from _style(text)
    said = _TOOL_WORD.findall(text.lower())
    for key, rules in _WAYS:
        for rule in () if _WAY_WORDS[key].isdisjoint(said) else rules.of(text):
            if (match := rule.match(text)) is not None:
                value = next(value for value in match.groups() if value)
                yield Found("preference", key, _system(value) if key == "units" else value)
                break
    yield from _favorites(text)


_LATER_TOOL = re.compile(r"\b(?:on everything|everywhere|for everything|all the way|is my|by default)\b")
_SHORT_IS = re.compile(r"^(\w[\w.+#-]*)'s my ")
_ANY = dict(_TOOLS)
_STACK = pattern(
    "(?:"
    + "|".join(_ANY.values())
    + r")(?:,? (?:with|and|on|plus|over|\\+|on top of) (?:"
    + "|".join(_ANY.values())
    + r"))+(?: (?:underneath|below|behind it|on top|everywhere|always|for me|all the way|for everything|every time))+"
)


def _stack(text: str) -> Iterator[Found]:
    """Nothing but tools, as they stand on each other: "Elixir with Phoenix and Postgres underneath"."""
    if _STACK.fullmatch(text) is None:
        return
    for key, rule in _NAMED_TOOLS:
        if (match := rule.search(text)) is not None:
            yield Found("preference", key, match.group())


_NAMED_TOOLS = tuple((key, pattern(rf"(?<![\w.])(?:{tool})(?![\w.+#])")) for key, tool in _TOOLS)


def _tools(text: str) -> Iterator[Found]:
    yield from _stack(text)
    for key, rule in _PREFERRED.of(text):
        if (match := rule.match(text)) is not None and not _loosely_liked(match, text):
            yield Found("preference", key, match["v"] or match.groupdict().get("w") or "")
            yield from _beside(text[match.end() :], key)
            return
    if (match := _PERSON.match(text)) is not None:
        yield Found("preference", "operating_system", {"mac": "macOS"}.get(match["v"].lower(), match["v"]))
        return
    for key, rule in _FANS.of(text):
        if (match := rule.match(text)) is not None:
            yield Found("preference", key, match["v"])
            return
    if ", " in text and (later := text.partition(", ")[2]) and _LATER_TOOL.search(later):
        yield from _tools(later)
        return
    for key, rule in _SWITCHED:
        if (match := rule.match(text)) is not None:
            yield Found("preference", key, match["v"], eventful=True, corrects=True)
            return


def _beside(rest: str, taken: str) -> Iterator[Found]:
    """Further tools named on the way: "I write Rust, in Helix, on NixOS"."""
    for key, rule in (*_ALONG, *_ALSO_MINE):
        if key != taken and (match := rule.search(rest)) is not None:
            yield Found("preference", key, match["v"])


def _loosely_liked(match: re.Match[str], text: str) -> bool:
    """To love a tool or to use it for one thing is less than to prefer it."""
    verb = match.group().removesuffix(match["v"] or "")
    if re.search(r"\b(?:stuck with)\b", verb):
        return True
    if re.search(r"\b(?:my|our)\b", match.group()):
        return False
    if re.search(r"\b(?:love|like)\b", verb):
        return not re.search(r"\bas my\b|\b(?:over|better than|more than|rather than)\b", text)
    return bool(re.search(r"\b(?:to (?:run|build|test|check|fix)|for (?:this|that|the|a|one)\b)", text[match.end() :]))


def _style(text: str) -> Iterator[Found]:
    if (match := _TABS_PERSON.match(text)) is not None:
        yield Found("preference", "coding_style", match["v"])
        return
    if CODING.search(text) is None or _TABS_KEPT.search(text):
        return
    match = pattern(rf"{_LIKING} (?P<v>[^.;!?]{{3,140}})").match(text) or _WRITING.match(text)
    if match is None and _CODING_ALONE.fullmatch(text):
        yield Found("preference", "coding_style", text)
        return
    if match is None and len(CODING.findall(text)) > 1 and _CODING_LIST.match(text):
        yield Found("preference", "coding_style", text)
        return
    if match is None and _CODING_NOTE.match(text) and CODING.search(text):
        yield Found("preference", "coding_style", text)
    if match is not None and CODING.search(match["v"]):
        value = re.sub(
            r"^(?:an?|the|to use|to write|using|writing|it when (?:code|functions) (?:is|are|has)) ", "", match["v"]
        )
        yield Found("preference", "coding_style", re.sub(r",? (?:because|since|so that|so|but I|when I).*$", "", value))


_TABS_PERSON = pattern(
    r"I am (?:<ADV>|more of )*an? (?P<v>tabs|spaces|two-space|four-space|functional|snake_case|camelCase|TDD"
    r"|OOP)(?: programming| style)? "
    r"(?:person|guy|girl|woman|man|kind of \w+|coder|programmer)\b"
)
_WRITING = pattern(
    r"when (?:you )?(?:write|writing|give me|show me) (?:\w+ )?(?:code|[A-Z][\w+#]+|python|scripts"
    r"|functions)(?: for me)?[:,]? (?P<v>.+)",
    re.IGNORECASE,
)


def _favorites(text: str) -> Iterator[Found]:
    if "fav" not in text.lower() or re.search(
        r"\b(?:one|some|two|a few|among) of$|\b(?:one|some|two|few|among|of) my\b|\b(?:his|her|their|your)\b", text
    ):
        return
    text = re.sub(r"(?<=\w)(?: ?=|:)(?= )", " is", text, count=1) if _NOTED_FAVORITE.match(text) else text
    for apposed in _APPOSED_FAVORITE.finditer(text):
        yield from _favorite(apposed)
    text = re.sub(r"^(?:favou?rite|fave?)\b", lambda opening: f"my {opening.group()}", text, flags=re.IGNORECASE)
    found = [_FAVORITE_AFTER.match(text)] if text[:3].lower() != "my " else list(_FAVORITE.finditer(text))
    for match in found or [None]:
        if match is not None:
            yield from _favorite(match)


_NOTED_FAVORITE = re.compile(r"(?:[Mm]y )?(?:[Aa]ll-time )?[Ff]av(?:ou?rite|e)? [a-z]+(?: [a-z]+)?(?: ?=|:) ")
_APPOSED_FAVORITE = pattern(
    r"\b(?P<v><CAP>(?: <CAP>)*|[a-zé]{3,}), my (?:absolute |all-time |very )*(?:favou?rite|fave?) "
    r"(?P<thing>[a-z]+(?: [a-z]+)?)"
    r"(?=$|[,.]| (?:on|ever|of all|in the|by far)\b)(?! is\b)"
)


def _favorite(match: re.Match[str]) -> Iterator[Found]:
    thing = re.sub(r" (?:to|for|of|in|from|at|on|by|with|about|when|that|since) .*$", "", match["thing"].strip())
    value = head(re.split(r" and my ", match["v"])[0]) if ", " not in match["v"] else match["v"]
    if (
        thing.split()[0]
        in {"thing", "part", "one", "ones", "of", "so", "way", "kind", "moment", "things", "bit", "parts"}
        or not value
        or re.match(
            r"(?:this|that|it|the one|when|where|to|how|not|what|you|your|going|being|so|really|also|just|delicious"
            r"|amazing|great|good|awesome|back|here|out|coming|perfect|gone|closed)\b",
            value,
        )
    ):
        return
    if thing in _LANGUAGE_THINGS and pattern(any_of(words.LANGUAGES)).fullmatch(value):
        yield Found("preference", "language", value)
        return
    for key, word in _KEY_WORDS.items():
        if key != "language" and pattern(word).fullmatch(thing):
            yield Found("preference", key, value)
            return
    yield Found("preference", favorite_key(thing), value)


_SELF_ASKED = re.compile(
    r"(?:(?<=[.!?\n] )|(?<=\n)|^)(?:my |our |and (?:my )?)?(?P<what>(?:all-time )?favou?rite [a-z][\w ]{1,30}?)(?: "
    r"of all time| ever)?\? "
    r"(?:(?:well,?|oh,?|mine is|mine's|that is|that's|that would be|that'd be|it's|it is|easily|definitely|easy,?"
    r"|probably|has to be|got to be|gotta be|would be|hands down) )*"
    r"(?P<v>(?!I\b|What|Do\b|Is\b|Can\b|Why|How|Not\b|No\b|Yes\b|Well\b|You)[\w'-]+[^.!?,;\n]{0,50})",
    re.IGNORECASE,
)


def self_asked(text: str) -> str:
    """A favourite that the speaker asks for and tells ("Favourite font? Mine is Söhne") as one sentence."""
    if "avo" not in text:
        return text
    return _SELF_ASKED.sub(lambda found: f"my {found['what'][:1].lower()}{found['what'][1:]} is {found['v']}", text)
