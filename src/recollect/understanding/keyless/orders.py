"""Standing orders to the assistant: how it is to reply, and what it is always or never to do."""

import re
from collections.abc import Iterator

from recollect.understanding.keyless import vocabulary as words
from recollect.understanding.keyless.found import Found
from recollect.understanding.keyless.tastes import CODING
from recollect.understanding.keyless.text import any_of, pattern
from recollect.understanding.profile_keys import rule_key

_TONGUE = any_of(words.TONGUES | {tongue.lower() for tongue in words.TONGUES})
_REPLIES = r"(?:answers|replies|responses|explanations|messages|texts|output|summaries|reply|answer|response)"
_STANDING = pattern(
    r"^(?:please |and |so |also |then )*(?:always|never|from now on|from here on(?: out)?|going forward|in (?:the )?future|henceforth|every time|each time|whenever|by default|as a (?:general )?rule|in general|at all times|from today(?: on)?|for all future|starting (?:now|today)|do not ever|don't ever|in all (?:your|future)|for every|in every)\b"
    r"|\b(?:from now on|going forward|in (?:the )?future|in all (?:your|future) \w+|every time|at all times|by default|from here on(?: out)?|always|every (?:single )?time|in every (?:reply|answer|response|message)|ever again|as a rule|in general|permanently|for all (?:future|my|your) \w+|until I say otherwise|unless I (?:ask|say|tell you)[\w ]*)$|\b(?:please |do |must |should |want you to |would like you to |you to )(?:always|never)\b|^(?:please )?(?:do not|don't|stop) ever\b|^please (?:do not|don't) ever\b",
    re.IGNORECASE,
)
_COMMAND = r"(?:use|write|reply|answer|respond|speak|talk|call|address|give|show|include|add|cite|explain|ask|tell|keep|format|put|avoid|start|begin|end|provide|check|suggest|assume|send|mention|make|be|do|stick|return|run|double-check|confirm|remind|refer|translate|convert|quote|list|summari[sz]e|point|state|correct|let|say|offer|apologi[sz]e|round|sign|greet|mark|prefix|wrap|consider|recommend|prefer|follow|spell|skip|leave|omit|remove|delete|share|store|log|book|schedule|print|link|number|think|work|treat|warn|test|generate|commit|push|prepend|append|capitali[sz]e|use|sort|name|finish|open|close|get|go|try|set|note|flag|challenge|praise|interrupt|repeat|bring|discuss|ignore|shorten|describe|present|express|display|report|label|reference|look|search|verify|propose|draft|lead|limit|split|highlight|bold|change|edit|modify|touch|edit|invent|make up|guess|recap|feel|wish|comment|document|compare|break|require|please|pretend|hide|attach|embed|exceed|drop|swear|lecture|patronise|patronize|sugar-coat|sugarcoat|bother|insert|render|replace|reveal|respect|remember|read|wait|require|write)"
_ALWAYS_NEVER = pattern(
    rf"(?:please |and |so |but |also |ok |just )*(?:always|never)(?: please| ever)? (?P<v>{_COMMAND}\b.+)",
    re.IGNORECASE,
)
_LEADS = pattern(
    rf"(?:please |and |so |but |also )*(?:from now on|from here on(?: out)?|going forward|in (?:the )?future|henceforth|starting (?:now|today)|by default|as a (?:general )?rule|in general|from today(?: on)?|at all times|for (?:all )?future \w+|in all future \w+|for everything (?:we|you) \w+),? (?:please |I want you to |I would like you to |you should |can you |I expect you to |you are to |could you |you must |I would prefer (?:it )?if you |I need you to )*(?P<v>(?:always |never |ever |only |do not |don't |stop |no |just |all )*(?:{_COMMAND}|{_REPLIES}|only|no|just|all|I)\b.+)",
    re.IGNORECASE,
)
_DONT_EVER = pattern(rf"(?:please )?(?:do not|don't) (?:you )?ever (?P<v>{_COMMAND}\b.+)", re.IGNORECASE)
_WHENEVER = pattern(
    rf"(?:please )?(?:whenever|every time|each time|any time|anytime|when|if) (?:I|you|we|there|my|the|an?|it) [^,]{{3,80}}(?:,|then)? (?:then |please |you should |you must |I want you to )*(?P<v>(?:always|never) .+|(?<=[,n] ){_COMMAND}\b.+)",
    re.IGNORECASE,
)
_WANT_YOU = pattern(
    r"(?:I (?:<ADV>)*(?:want|need|expect|would like|would prefer|prefer|ask|would appreciate)(?: it if)? you (?:to )?|you (?:should|must|are to|may|need to|have to|can) |can you (?:please )?|could you (?:please )?|I would appreciate it if you )(?P<v>(?:always|never|not ever) .+)"
)
_TAILED = pattern(
    rf"(?:please |just |and |also |always |can you (?:please )?|could you (?:please )?)*(?P<v>(?:do not |don't |stop |never |no |no more |only |always )*(?:{_COMMAND}|\w+ing|\w+s)\b.{{2,200}}?),? (?:from now on|going forward|in (?:the )?future|in all (?:your|future) \w+|at all times|by default|in every (?:reply|answer|response|message)|ever again|as a rule|until I say otherwise|every (?:single )?time|whenever (?:you|I|we) .+|each time (?:you|I) .+|every time (?:you|I) .+|when (?:you (?:reply|answer|respond|write|talk|speak|explain|give|show|suggest|generate|send|code)|(?:replying|answering|writing|talking|speaking|explaining|responding) (?:to me|code)?).*)(?:,? please)?$",
    re.IGNORECASE,
)
_STOP_DOING = pattern(
    r"(?:please |and |also |just )*(?:stop|quit|no more|avoid|refrain from|do not|don't) (?P<v>(?:using|calling|adding|saying|starting|ending|apologi[sz]ing|repeating|asking|giving|writing|including|putting|telling|sending|making|suggesting|summari[sz]ing|praising|flattering|lecturing|use|call me|add|start|end|apologi[sz]e|include|say|give me|tell me|sugar-?coat|explain|ask me|write)\b.*|(?:emojis?|emoticons|exclamation marks|jargon|small talk|flattery|bullet points|filler)\b.*)",
    re.IGNORECASE,
)
_HABITS = pattern(
    r"\b(?:emojis?|emoticons|exclamation (?:marks|points)|jargon|small talk|flattery|sir|ma'am|madam|mate|buddy|dude|bro|apologi[sz]\w*|disclaimers?|every (?:answer|reply|message|response)|all the time|so much|each (?:answer|reply|message)|your (?:answers|replies|responses|messages)|follow-up questions|filler|buzzwords|em[- ]dashes|semicolons|bullet points|sugar-?coat\w*|great question|as an ai|markdown|tables|headings|slang|swear\w*|abbreviations|acronyms|hashtags|puns|idioms|call me|calling me|me my|passive voice|analogies|metaphors)\b",
    re.IGNORECASE,
)
_HANGING = pattern(r"(?:please |and |so )*(?:when|whenever|if|every time|each time|any ?time)\b", re.IGNORECASE)
_FORMAT_WORD = pattern(
    r"\b(?:diffs?|tables?|one-line summary|summary (?:first|at the)|headings|headers|bullet(?:ed)?(?: points?| lists?)?|bullets|numbered (?:steps|lists?)|markdown|code blocks?|plain text|prose|JSON|lists|step[- ]by[- ]step|paragraphs|(?:a |one-line |short |brief )summary|tl;?dr|bold|footnotes|headlines?)\b",
    re.IGNORECASE,
)
_ALWAYS_AFTER = pattern(
    r"(?:and |also )*(?P<v>(?!I\b|we\b|you\b|he\b|she\b|it\b|they\b|my\b|there\b|that\b)(?:[\w'-]+ ){1,4}(?:always|never) (?:in|with|as|at|on|go|goes|use|be|before|after|first|without|under)\b.+)",
    re.IGNORECASE,
)
_EVERY_TIME = pattern(
    r"(?:and |also )*(?P<v>(?!I\b|we\b|he\b|she\b|it\b|they\b|my\b|there\b|that\b|what\b)[^,]{3,60},? (?:every (?:single )?time|always|from now on|from here on(?: out)?|at all times|permanently)(?:,? please)?)$",
    re.IGNORECASE,
)
_EACH = pattern(
    rf"(?:please |and |also )*(?P<v>(?:do not |never )?{_COMMAND}\b.*\b(?:every|each) (?:message|reply|answer|response|email you write)\b.*)$",
    re.IGNORECASE,
)
_FOR_EVERY = pattern(
    rf"(?:please |and |also )*(?P<v>(?:for|with|in) (?:every|each) (?!time\b)[\w -]{{3,30}},? (?:please )?{_COMMAND}\b.+)$",
    re.IGNORECASE,
)
_UNLESS = pattern(
    rf"(?:please |and |also )*(?P<v>(?:do not |never |only )?{_COMMAND}\b.*\b(?:unless|until) I (?:ask|say|tell|request|explicitly|specifically)\b.*)$",
    re.IGNORECASE,
)
_WHEN_DOING = pattern(
    r"(?:please )?when (?:you are )?(?:answering|replying|writing|explaining|coding|responding|summari[sz]ing|suggesting|giving|quoting|citing|reviewing)\b[^,]{0,40}, (?:please )?(?P<v>(?:do not |never |always |no )?\w+ .+)$",
    re.IGNORECASE,
)
_WANT_ALWAYS = pattern(
    r"I (?:want|need|expect|would like|would prefer) (?:you to )?(?P<v>(?!to\b|it\b).{3,100}?(?:,? (?:always|every time|from now on|at all times)|in (?:everything|all|whatever) (?:you|your) .{3,40}?))(?:,? (?:always|please))?$"
)
_NO_THING = pattern(
    r"(?:and |please |also |oh and )*(?P<v>no (?:more )?(?:headings|headers|emojis?|bullet points|bullets|tables|markdown|jargon|disclaimers|em[- ]dashes|exclamation marks|small talk|filler|flattery|apologies|hashtags|corporate \w+|buzzwords|slang|lectures|preamble|caveats)\b.*)$",
    re.IGNORECASE,
)
_ONCE = pattern(
    r"\b(?:this time|just this once|for (?:this|that) (?:one|answer|reply|question|task|email|text|message|file|function|example)|right now|for now|today|tonight|this (?:one|answer|reply|text|email|paragraph|sentence|function|file|code|message|list|letter|week|month|version|draft)|the (?:text|email|paragraph|sentence|letter|function|code|article|second|first|last|above|following|previous|file|script|essay|list|title|summary|story|poem) ?(?:above|below|again|shorter)?|it (?:shorter|longer|in|again|more|less|to)|in the (?:email|letter|text|story|poem|essay|summary|list|report|script|code|function|title))\b",
    re.IGNORECASE,
)
_REPLY_LANGUAGE = (
    pattern(
        rf"(?:please |and |also |kindly |you (?:can|should|must|may) |from now on,? |can you (?:please )?|could you (?:please )?|I (?:want|need|expect|would like|would prefer|prefer) you to |always |only |just )*(?:always |only |please )*(?:reply|answer|respond|speak|talk|communicate|write back|write to me|chat|converse)(?: to me| with me| me| to my (?:questions|messages))?(?: only| always| exclusively)? in (?P<v>{_TONGUE})(?=$|[,.!]| (?:from|even|please|only|unless|always|whenever|no|regardless|by|going|and|to|at|for|as|when|instead|in|because|so|not)\b)",
        re.IGNORECASE,
    ),
    pattern(
        rf"I (?:<ADV>)*(?:want|prefer|need|would like|would prefer|expect|like)(?: (?:all|your|my|to get|to have|to receive|the|to read))* {_REPLIES} (?:to be |written )?in (?P<v>{_TONGUE})"
    ),
    pattern(
        rf"(?:please )?(?:keep|write|give me|make|send|let) (?:all )?(?:your|me|the|my|all) ?(?:future )?{_REPLIES}? ?(?:be )?in (?P<v>{_TONGUE})(?= from now| always|$| please)"
    ),
    pattern(rf"(?P<v>{_TONGUE}) only,? please$"),
    pattern(rf"(?:your|all) {_REPLIES} (?:should|must|have to|need to|are to) (?:always )?be in (?P<v>{_TONGUE})"),
    pattern(
        rf"(?:please )?(?:always )?(?:use|stick to|switch to|stay in) (?P<v>{_TONGUE}) (?:from now on|for (?:all )?your {_REPLIES}|in (?:all )?(?:your )?(?:future )?{_REPLIES}|when (?:you )?(?:reply|answer|talk|speak|respond)\w*|with me|always|for everything)"
    ),
)
_LENGTH = r"(?:short|brief|concise|long|detailed|succinct|terse|short and (?:simple|sweet|to the point|clear)|to the point|crisp|compact|thorough|in-depth|very short|very brief|extremely short|as short as possible|under \w+ (?:words|sentences|lines|paragraphs)|below \w+ (?:words|sentences|lines)|at most \w+ (?:words|sentences|lines|paragraphs)|(?:a )?maximum (?:of )?\w+ (?:words|sentences|lines|paragraphs)|no (?:longer|more) than \w+ (?:words|sentences|lines|paragraphs)|(?:to |within )?(?:one|two|three|four|five|a single|\d+) (?:short )?(?:words|sentences?|lines?|paragraphs?)(?: (?:max|at most|or less|or fewer))?|one-liners?|longer|shorter)"
_REPLY_LENGTH: tuple[re.Pattern[str], ...] = (
    pattern(
        rf"(?:please |just |and |also |always |from now on,? |can you |could you |you should |I want you to |I would like you to )*(?:always )?(?:keep|make|give|write|limit|restrict|cap|hold) (?:me )?(?:all )?(?:of )?(?:your|my|the|all|any)? ?(?:future )?{_REPLIES} (?:always |nice and |really |very |as |to )*(?P<v>{_LENGTH})(?! in this)"
    ),
    pattern(
        rf"I (?:<ADV>|would |much )*(?:prefer|like|want|appreciate|need|love|value)(?: (?:my|your|the|really|to get|to have|getting|it when))* (?P<v>{_LENGTH})(?:,? (?:and )?\w+)?,? {_REPLIES}"
    ),
    pattern(
        rf"I (?:<ADV>|would |much )*(?:prefer|like|want|need)(?: (?:my|your|the|all))* {_REPLIES} (?:to be |that are |kept )?(?P<v>{_LENGTH})"
    ),
    pattern(
        rf"(?:please |just |and |also |from now on,? )*(?:always )?(?:give|write|send|use|provide)(?: me)? (?:only |always )*(?P<v>{_LENGTH}) {_REPLIES}"
    ),
    pattern(
        rf"(?:please |and |also |from now on,? )*(?:always )?(?:reply|answer|respond)(?: to me)?(?: always| only)? (?:in|with) (?:at most |no more than |a maximum of |under |fewer than |less than |max )?(?P<v>{_LENGTH}|(?:one|two|three|four|five|\d+) (?:sentences?|words|lines|paragraphs?)(?: or less| at most| max)?)"
    ),
    pattern(
        r"(?:please |and |also )*(?:always )?(?:be|stay) (?P<v>brief|concise|succinct|terse) (?:in (?:all )?(?:your|future)|with your|when you|from now|always|at all times|with me)"
    ),
    pattern(rf"(?:your|all) {_REPLIES} (?:should|must|have to|need to|are to) (?:always |never )?be (?P<v>{_LENGTH})"),
    pattern(r"(?:please |always |from now on,? )+(?:be|keep it) (?:very |always )?(?P<v>brief|concise|succinct|short)"),
    pattern(
        r"(?:please )?never (?:write|reply with|answer with|give me|send me) (?P<v>more than \w+ (?:words|sentences|lines|paragraphs))"
    ),
)
_FORMAT = r"(?:bullet(?:ed)?[ -]?points?|bullets|bulleted lists?|bullet lists?|numbered lists?|tables?|a table|markdown|Markdown|plain text|plain prose|prose|JSON|json|YAML|code blocks?|headings|headers|numbered steps|step[- ]by[- ]step(?: instructions| lists?)?|a bulleted list|a numbered list|full sentences|paragraphs|lists|valid JSON|HTML|LaTeX|steps|code first|a summary first)"
_REPLY_LENGTH += (
    pattern(
        r"(?:please |just |and |also |always )*(?:keep|limit|stick|cap) (?:it|things|everything|them|yourself|answers|replies)? ?(?:to|under|at|within|below) (?P<v>(?:at most |max(?:imum)? |under |about |no more than )?(?:a|one|two|three|four|five|six|ten|twenty|fifty|a hundred|\d+) (?:short )?(?:sentences?|words|lines|paragraphs?)(?: max| at most| or less| tops)?)(?=.*\b(?:from (?:now|here|today) on|always|every time|in future|going forward|at all times|ever)\b)",
        re.IGNORECASE,
    ),
    pattern(
        r"(?:please )?(?:always )?(?:keep|limit) (?:your )?(?:answers|replies|responses) (?:to|under|within|below) (?P<v>(?:at most |max(?:imum)? |about )?(?:a|one|two|three|four|five|six|ten|twenty|fifty|a hundred|\d+) (?:short )?(?:sentences?|words|lines|paragraphs?)(?: max| at most| or less| tops)?)",
        re.IGNORECASE,
    ),
)
_REPLY_FORMAT = (
    pattern(
        rf"(?:please |just |and |also |always |from now on,? |can you |could you |I (?:want|would like|need|prefer) you to )*(?:always )?(?:format|structure|present|write|give|keep|put|lay out|organi[sz]e|send) (?:me )?(?:all )?(?:your|my|the|any)? ?(?:future )?(?:{_REPLIES}|things|everything|lists)(?: always)? (?:as|in|using|with|into) (?P<v>{_FORMAT})"
    ),
    pattern(
        rf"I (?:<ADV>|would |much )*(?:prefer|like|want|love|appreciate)(?: (?:my|your|the|to get|getting|{_REPLIES}|formatted|in|as|with|to be|written|to have))* (?P<v>{_FORMAT})(?: (?:over|to|rather|instead|in (?:your|the)|for|when|as|{_REPLIES})\b.*|$|,|\.)"
    ),
    pattern(
        rf"(?:please |and |also |from now on,? )*(?:always )?(?:reply|answer|respond)(?: to me)?(?: always| only)? (?:in|with|as|using) (?:short |simple |only )?(?P<v>{_FORMAT})"
    ),
    pattern(
        rf"(?:please |and |also |from now on,? |by default,? )*(?:always )?use (?P<v>{_FORMAT}) (?:in (?:all )?your {_REPLIES}|for (?:all )?(?:your )?{_REPLIES}|when (?:you|answering|replying)|whenever)"
    ),
    pattern(rf"(?:please |also |from now on,? )*always use (?P<v>{_FORMAT})"),
    pattern(
        rf"(?:your|all) {_REPLIES} (?:should|must|have to) (?:always )?(?:be in|use|come as|be formatted as|come in) (?P<v>{_FORMAT})"
    ),
)


def read(text: str, said: str) -> Iterator[Found]:
    """The standing orders of a clause; `said` is the whole sentence, for orders that hang on a "when"."""
    if _ONCE.search(text) and not _STANDING.search(text) and not _HANGING.match(text):
        return
    keyed = list(_keyed(text))
    if keyed:
        yield from keyed
        return
    for order in _orders(text, said):
        yield Found("instruction", "reply_format" if _FORMAT_WORD.search(order) else rule_key(order), order)
        return


def _keyed(text: str) -> Iterator[Found]:
    negated = re.search(r"\b(?:do not|never|stop|no longer|avoid)\b", text, re.IGNORECASE)
    for key, rules in (
        ("reply_language", _REPLY_LANGUAGE),
        ("reply_length", _REPLY_LENGTH),
        ("reply_format", _REPLY_FORMAT),
    ):
        for rule in rules:
            match = rule.match(text)
            if match is not None and (not negated or "more than" in match["v"]):
                yield Found("instruction", key, _value(key, match["v"]))
                break


def _value(key: str, said: str) -> str:
    return said.capitalize() if key == "reply_language" else said.strip()


def _orders(text: str, said: str) -> Iterator[str]:
    """Orders without a key of their own, as they were said, without "please" and "from now on"."""
    for whole in (text, said) if _HANGING.match(said) and text in said[: len(text) + 4] else (text,):
        for rule in (
            _LEADS,
            _WHENEVER,
            _ALWAYS_NEVER,
            _DONT_EVER,
            _WANT_YOU,
            _WANT_ALWAYS,
            _TAILED,
            _EACH,
            _FOR_EVERY,
            _UNLESS,
            _WHEN_DOING,
            _ALWAYS_AFTER,
            _EVERY_TIME,
            _NO_THING,
        ):
            match = rule.match(whole)
            if match is not None and _meant(rule, match, whole):
                yield _tidy(whole, rule, match)
    match = _STOP_DOING.match(text)
    if match is not None and _HABITS.search(match["v"]):
        yield _sentence(text)


def _meant(rule: re.Pattern[str], match: re.Match[str], whole: str) -> bool:
    if re.search(r"^\W*(?:\w+ ){1,3}(?:it|this|that)$", whole):
        return False
    if rule is _WHENEVER and re.match(r"(?i)(?:please )?(?:when|if)\b", whole):
        return bool(re.match(r"(?i)(?:always|never)\b", match["v"])) or bool(
            re.search(
                r"(?i)\b(?:I ask|I say|I send|you (?:write|answer|reply|give|suggest|explain|generate|show|quote|mention|cite|do not know|are (?:not sure|unsure)))\b",
                whole[:60],
            )
        )
    if rule is _EVERY_TIME and (
        CODING.search(match["v"])
        or "theme" in match["v"]
        or re.search(r"\b(?:over|instead of|rather than)\b", match["v"])
        or len(match["v"].split()) < 3
        or match["v"].lower().startswith("like,")
    ):
        return False
    if rule in (_ALWAYS_AFTER, _EVERY_TIME):
        return not re.search(
            r"\b(?:I|me|we|he|she|it is|is|are|was|were|has|had|loses?|wins?|fails?|happens?|works?|breaks?|makes?|gets?)\b",
            match["v"],
        ) or bool(re.match(rf"(?i){_COMMAND}\b", match["v"]))
    return not (rule is _LEADS and match["v"].startswith(("I am", "I have", "I will", "I live", "I work")))


def _tidy(whole: str, rule: re.Pattern[str], match: re.Match[str]) -> str:
    if rule in (_LEADS, _WANT_YOU, _WANT_ALWAYS):
        return _sentence(match["v"])
    return _sentence(whole)


def _sentence(order: str) -> str:
    order = re.sub(
        r"^(?:(?:please|and|so|but|also|ok|then|can you|could you)\b,? )+|,? (?:please|thanks|thank you)$",
        "",
        order.strip(" ,.!"),
        flags=re.IGNORECASE,
    )
    return order[:1].upper() + order[1:]
