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
    r"^(?:please |and |so |also |then )*(?:always|never|from now on|from here on(?: out)?|going forward"
    r"|in (?:the )?future|henceforth|every time|each time|whenever|by default|as a (?:general )?rule|in "
    r"general|at all times|from today(?: on)?|for all future|starting (?:now|today)|do not ever|don't "
    r"ever|in all (?:your|future)|for every|in every)\b"
    r"|\b(?:from now on|going forward|in (?:the )?future|in all (?:your|future) \w+|every time|at all "
    r"times|by default|from here on(?: out)?|always|every (?:single )?time|in every (?:reply|answer"
    r"|response|message)|ever again|as a rule|in general|permanently|for all (?:future|my|your) \w+|until "
    r"I say otherwise|unless I (?:ask|say|tell you)[\w ]*)$|\b(?:please |do |must |should |want you to "
    r"|would like you to |you to )(?:always|never)\b|^(?:please )?(?:do not|don't|stop) ever\b|^please "
    r"(?:do not|don't) ever\b",
    re.IGNORECASE,
)
_COMMAND = (
    r"(?:use|write|reply|answer|respond|speak|talk|call|address|give|show|include|add|cite|explain|ask|tell"
    r"|keep|format|put|avoid|start|begin|end|provide|check|suggest|assume|send|mention|make|be|do|stick"
    r"|return|run|double-check|confirm|remind|refer|translate|convert|quote|list|summari[sz]e|point|state"
    r"|correct|let|say|offer|apologi[sz]e|round|sign|greet|mark|prefix|wrap|consider|recommend|prefer|follow"
    r"|spell|skip|leave|omit|remove|delete|share|store|log|book|schedule|print|link|number|think|work|treat"
    r"|warn|test|generate|commit|push|prepend|append|capitali[sz]e|use|sort|name|finish|open|close|get|go|try"
    r"|set|note|flag|challenge|praise|interrupt|repeat|bring|discuss|ignore|shorten|describe|present|express"
    r"|display|report|label|reference|look|search|verify|propose|draft|lead|limit|split|highlight|bold|change"
    r"|edit|modify|touch|edit|invent|make up|guess|recap|feel|wish|comment|document|compare|break|require"
    r"|please|pretend|hide|attach|embed|exceed|drop|swear|lecture|patronise|patronize|sugar-coat|sugarcoat"
    r"|bother|insert|render|replace|reveal|respect|remember|read|wait|require|write)"
)
_ALWAYS_NEVER = pattern(
    rf"(?:please |and |so |but |also |ok |just )*(?:always|never)(?: please| ever)? (?P<v>{_COMMAND}\b.+)",
    re.IGNORECASE,
)
_LEADS = pattern(
    r"(?:please |and |so |but |also )*(?:from now on|from here on(?: out)?|going forward|in (?:the "
    r")?future|henceforth|starting (?:now|today)|by default|as a (?:general )?rule|in general|from "
    r"today(?: on)?|at all times|for (?:all )?future \w+|in all future \w+|for everything (?:we|you) "
    r"\w+),? (?:please |I want you to |I would like you to |you should |can you |I expect you to |you are "
    r"to |could you |you must |I would prefer (?:it )?if you |I need you to )*(?P<v>(?:always |never "
    rf"|ever |only |do not |don't |stop |no |just |all )*(?:{_COMMAND}|{_REPLIES}|only|no|just|all|I)\b.+)",
    re.IGNORECASE,
)
_DONT_EVER = pattern(rf"(?:please )?(?:do not|don't) (?:you )?ever (?P<v>{_COMMAND}\b.+)", re.IGNORECASE)
_WHENEVER = pattern(
    r"(?:please )?(?:whenever|every time|each time|any time|anytime|when|if) (?:I|you|we|there|my|the|an?"
    r"|it) [^,]{3,80}(?:,|then)? (?:then |please |you should |you must |I want you to )*(?P<v>(?:always"
    rf"|never) .+|(?<=[,n] ){_COMMAND}\b.+)",
    re.IGNORECASE,
)
_WANT_YOU = pattern(
    r"(?:I (?:<ADV>)*(?:want|need|expect|would like|would prefer|prefer|ask|would appreciate)(?: it if)? "
    r"you (?:to )?|you (?:should|must|are to|may|need to|have to|can) |can you (?:please )?|could you "
    r"(?:please )?|I would appreciate it if you )(?P<v>(?:always|never|not ever) .+)"
)
_TAILED = pattern(
    r"(?:please |just |and |also |always |can you (?:please )?|could you (?:please )?)*(?P<v>(?:do not "
    rf"|don't |stop |never |no |no more |only |always )*(?:{_COMMAND}|\w+ing|\w+s)\b.{{2,200}}?),? (?:from "
    r"now on|going forward|in (?:the )?future|in all (?:your|future) \w+|at all times|by default|in every "
    r"(?:reply|answer|response|message)|ever again|as a rule|until I say otherwise|every (?:single )?time"
    r"|whenever (?:you|I|we) .+|each time (?:you|I) .+|every time (?:you|I) .+|when (?:you (?:reply"
    r"|answer|respond|write|talk|speak|explain|give|show|suggest|generate|send|code)|(?:replying"
    r"|answering|writing|talking|speaking|explaining|responding) (?:to me|code)?).*)(?:,? please)?$",
    re.IGNORECASE,
)
_STOP_DOING = pattern(
    r"(?:please |and |also |just )*(?:stop|quit|no more|avoid|refrain from|do not|don't) (?P<v>(?:using"
    r"|calling|adding|saying|starting|ending|apologi[sz]ing|repeating|asking|giving|writing|including"
    r"|putting|telling|sending|making|suggesting|summari[sz]ing|praising|flattering|lecturing|use|call me"
    r"|add|start|end|apologi[sz]e|include|say|give me|tell me|sugar-?coat|explain|ask me|write)\b.*"
    r"|(?:emojis?|emoticons|exclamation marks|jargon|small talk|flattery|bullet points|filler)\b.*)",
    re.IGNORECASE,
)
_HABITS = pattern(
    r"\b(?:emojis?|emoticons|exclamation (?:marks|points)|jargon|small talk|flattery|sir|ma'am|madam|mate"
    r"|buddy|dude|bro|apologi[sz]\w*|disclaimers?|every (?:answer|reply|message|response)|all the time|so "
    r"much|each (?:answer|reply|message)|your (?:answers|replies|responses|messages)|follow-up questions"
    r"|filler|buzzwords|em[- ]dashes|semicolons|bullet points|sugar-?coat\w*|great question|as an ai"
    r"|markdown|tables|headings|slang|swear\w*|abbreviations|acronyms|hashtags|puns|idioms|call me"
    r"|calling me|me my|passive voice|analogies|metaphors)\b",
    re.IGNORECASE,
)
_HANGING = pattern(r"(?:please |and |so )*(?:when|whenever|if|every time|each time|any ?time)\b", re.IGNORECASE)
_FORMAT_WORD = pattern(
    r"\b(?:diffs?|tables?|one-line summary|summary (?:first|at the)|headings|headers|bullet(?:ed)?(?: "
    r"points?| lists?)?|bullets|numbered (?:steps|lists?)|markdown|code blocks?|plain text|prose|JSON"
    r"|lists|step[- ]by[- ]step|paragraphs|(?:a |one-line |short |brief )summary|tl;?dr|bold|footnotes"
    r"|headlines?)\b",
    re.IGNORECASE,
)
_ALWAYS_AFTER = pattern(
    r"(?:and |also )*(?P<v>(?!I\b|we\b|you\b|he\b|she\b|it\b|they\b|my\b|there\b|that\b)(?:[\w'-]+ "
    r"){1,4}(?:always|never) (?:in|with|as|at|on|go|goes|use|be|before|after|first|without|under)\b.+)",
    re.IGNORECASE,
)
_EVERY_TIME = pattern(
    r"(?:and |also )*(?P<v>(?!I\b|we\b|he\b|she\b|it\b|they\b|my\b|there\b|that\b|what\b)[^,]{3,60},? "
    r"(?:every (?:single )?time|always|from now on|from here on(?: out)?|at all times|permanently)(?:,? "
    r"please)?)$",
    re.IGNORECASE,
)
_EACH = pattern(
    rf"(?:please |and |also )*(?P<v>(?:do not |never )?{_COMMAND}\b.*\b(?:every|each) (?:message|reply"
    r"|answer|response|email you write)\b.*)$",
    re.IGNORECASE,
)
_FOR_EVERY = pattern(
    r"(?:please |and |also )*(?P<v>(?:for|with|in) (?:every|each) (?!time\b)[\w -]{3,30},? (?:please "
    rf")?{_COMMAND}\b.+)$",
    re.IGNORECASE,
)
_UNLESS = pattern(
    rf"(?:please |and |also )*(?P<v>(?:do not |never |only )?{_COMMAND}\b.*\b(?:unless|until) I (?:ask|say"
    r"|tell|request|explicitly|specifically)\b.*)$",
    re.IGNORECASE,
)
_WHEN_DOING = pattern(
    r"(?:please )?when (?:you are )?(?:answering|replying|writing|explaining|coding|responding"
    r"|summari[sz]ing|suggesting|giving|quoting|citing|reviewing)\b[^,]{0,40}, (?:please )?(?P<v>(?:do "
    r"not |never |always |no )?\w+ .+)$",
    re.IGNORECASE,
)
_WANT_ALWAYS = pattern(
    r"I (?:want|need|expect|would like|would prefer) (?:you to )?(?P<v>(?!to\b|it\b).{3,100}?(?:,? "
    r"(?:always|every time|from now on|at all times)|in (?:everything|all|whatever) (?:you|your) "
    r".{3,40}?))(?:,? (?:always|please))?$"
)
_NO_THING = pattern(
    r"(?:and |please |also |oh and )*(?P<v>no (?:more )?(?:headings|headers|emojis?|bullet points|bullets"
    r"|tables|markdown|jargon|disclaimers|em[- ]dashes|exclamation marks|small talk|filler|flattery"
    r"|apologies|hashtags|corporate \w+|buzzwords|slang|lectures|preamble|caveats)\b.*)$",
    re.IGNORECASE,
)
_ONCE = pattern(
    r"\b(?:this time|just this once|for (?:this|that) (?:one|answer|reply|question|task|email|text"
    r"|message|file|function|example)|right now|for now|today|tonight|this (?:one|answer|reply|text|email"
    r"|paragraph|sentence|function|file|code|message|list|letter|week|month|version|draft)|the (?:text"
    r"|email|paragraph|sentence|letter|function|code|article|second|first|last|above|following|previous"
    r"|file|script|essay|list|title|summary|story|poem) ?(?:above|below|again|shorter)?|it (?:shorter"
    r"|longer|in|again|more|less|to)|in the (?:email|letter|text|story|poem|essay|summary|list|report"
    r"|script|code|function|title))\b",
    re.IGNORECASE,
)
_REPLY_LANGUAGE = (
    pattern(
        r"(?:please |and |also |kindly |you (?:can|should|must|may) |from now on,? |can you (?:please )?"
        r"|could you (?:please )?|I (?:want|need|expect|would like|would prefer|prefer) you to |always "
        r"|only |just )*(?:always |only |please )*(?:reply|answer|respond|speak|talk|communicate|write "
        r"back|write to me|chat|converse)(?: to me| with me| me| to my (?:questions|messages))?(?: only| "
        rf"always| exclusively)? in (?P<v>{_TONGUE})(?=$|[,.!]| (?:from|even|please|only|unless|always"
        r"|whenever|no|regardless|by|going|and|to|at|for|as|when|instead|in|because|so|not)\b)",
        re.IGNORECASE,
    ),
    pattern(
        r"I (?:<ADV>)*(?:want|prefer|need|would like|would prefer|expect|like)(?: (?:all|your|my|to get"
        rf"|to have|to receive|the|to read))* {_REPLIES} (?:to be |written )?in (?P<v>{_TONGUE})"
    ),
    pattern(
        r"(?:please )?(?:keep|write|give me|make|send|let) (?:all )?(?:your|me|the|my|all) ?(?:future "
        rf")?{_REPLIES}? ?(?:be )?in (?P<v>{_TONGUE})(?= from now| always|$| please)"
    ),
    pattern(rf"(?P<v>{_TONGUE}) only,? please$"),
    pattern(rf"(?:your|all) {_REPLIES} (?:should|must|have to|need to|are to) (?:always )?be in (?P<v>{_TONGUE})"),
    pattern(
        rf"(?:please )?(?:always )?(?:use|stick to|switch to|stay in) (?P<v>{_TONGUE}) (?:from now on|for "
        rf"(?:all )?your {_REPLIES}|in (?:all )?(?:your )?(?:future )?{_REPLIES}|when (?:you )?(?:reply"
        r"|answer|talk|speak|respond)\w*|with me|always|for everything)"
    ),
)
_LENGTH = (
    r"(?:short|brief|concise|long|detailed|succinct|terse|short and (?:simple|sweet|to the point|clear)|to "
    r"the point|crisp|compact|thorough|in-depth|very short|very brief|extremely short|as short as possible"
    r"|under \w+ (?:words|sentences|lines|paragraphs)|below \w+ (?:words|sentences|lines)|at most \w+ "
    r"(?:words|sentences|lines|paragraphs)|(?:a )?maximum (?:of )?\w+ (?:words|sentences|lines|paragraphs)|no "
    r"(?:longer|more) than \w+ (?:words|sentences|lines|paragraphs)|(?:to |within )?(?:one|two|three|four"
    r"|five|a single|\d+) (?:short )?(?:words|sentences?|lines?|paragraphs?)(?: (?:max|at most|or less|or "
    r"fewer))?|one-liners?|longer|shorter)"
)
_REPLY_LENGTH: tuple[re.Pattern[str], ...] = (
    pattern(
        r"(?:please |just |and |also |always |from now on,? |can you |could you |you should |I want you "
        r"to |I would like you to )*(?:always )?(?:keep|make|give|write|limit|restrict|cap|hold) (?:me "
        rf")?(?:all )?(?:of )?(?:your|my|the|all|any)? ?(?:future )?{_REPLIES} (?:always |nice and |really "
        rf"|very |as |to )*(?P<v>{_LENGTH})(?! in this)"
    ),
    pattern(
        r"I (?:<ADV>|would |much )*(?:prefer|like|want|appreciate|need|love|value)(?: (?:my|your|the"
        rf"|really|to get|to have|getting|it when))* (?P<v>{_LENGTH})(?:,? (?:and )?\w+)?,? {_REPLIES}"
    ),
    pattern(
        rf"I (?:<ADV>|would |much )*(?:prefer|like|want|need)(?: (?:my|your|the|all))* {_REPLIES} (?:to be "
        rf"|that are |kept )?(?P<v>{_LENGTH})"
    ),
    pattern(
        r"(?:please |just |and |also |from now on,? )*(?:always )?(?:give|write|send|use|provide)(?: me)? "
        rf"(?:only |always )*(?P<v>{_LENGTH}) {_REPLIES}"
    ),
    pattern(
        r"(?:please |and |also |from now on,? )*(?:always )?(?:reply|answer|respond)(?: to me)?(?: always"
        r"| only)? (?:in|with) (?:at most |no more than |a maximum of |under |fewer than |less than |max "
        rf")?(?P<v>{_LENGTH}|(?:one|two|three|four|five|\d+) (?:sentences?|words|lines|paragraphs?)(?: or "
        r"less| at most| max)?)"
    ),
    pattern(
        r"(?:please |and |also )*(?:always )?(?:be|stay) (?P<v>brief|concise|succinct|terse) (?:in (?:all "
        r")?(?:your|future)|with your|when you|from now|always|at all times|with me)"
    ),
    pattern(rf"(?:your|all) {_REPLIES} (?:should|must|have to|need to|are to) (?:always |never )?be (?P<v>{_LENGTH})"),
    pattern(r"(?:please |always |from now on,? )+(?:be|keep it) (?:very |always )?(?P<v>brief|concise|succinct|short)"),
    pattern(
        r"(?:please )?never (?:write|reply with|answer with|give me|send me) (?P<v>more than \w+ (?:words"
        r"|sentences|lines|paragraphs))"
    ),
)
_FORMAT = (
    r"(?:bullet(?:ed)?[ -]?points?|bullets|bulleted lists?|bullet lists?|numbered lists?|tables?|a table"
    r"|markdown|Markdown|plain text|plain prose|prose|JSON|json|YAML|code blocks?|headings|headers|numbered "
    r"steps|step[- ]by[- ]step(?: instructions| lists?)?|a bulleted list|a numbered list|full sentences"
    r"|paragraphs|lists|valid JSON|HTML|LaTeX|steps|code first|a summary first)"
)
_REPLY_LENGTH += (
    pattern(
        r"(?:please |just |and |also |always )*(?:keep|limit|stick|cap) (?:it|things|everything|them"
        r"|yourself|answers|replies)? ?(?:to|under|at|within|below) (?P<v>(?:at most |max(?:imum)? |under "
        r"|about |no more than )?(?:a|one|two|three|four|five|six|ten|twenty|fifty|a hundred|\d+) "
        r"(?:short )?(?:sentences?|words|lines|paragraphs?)(?: max| at most| or less| "
        r"tops)?)(?=.*\b(?:from (?:now|here|today) on|always|every time|in future|going forward|at all "
        r"times|ever)\b)",
        re.IGNORECASE,
    ),
    pattern(
        r"(?:please )?(?:always )?(?:keep|limit) (?:your )?(?:answers|replies|responses) (?:to|under"
        r"|within|below) (?P<v>(?:at most |max(?:imum)? |about )?(?:a|one|two|three|four|five|six|ten"
        r"|twenty|fifty|a hundred|\d+) (?:short )?(?:sentences?|words|lines|paragraphs?)(?: max| at most| "
        r"or less| tops)?)",
        re.IGNORECASE,
    ),
)
_REPLY_FORMAT = (
    pattern(
        r"(?:please |just |and |also |always |from now on,? |can you |could you |I (?:want|would like"
        r"|need|prefer) you to )*(?:always )?(?:format|structure|present|write|give|keep|put|lay out"
        rf"|organi[sz]e|send) (?:me )?(?:all )?(?:your|my|the|any)? ?(?:future )?(?:{_REPLIES}|things"
        rf"|everything|lists)(?: always)? (?:as|in|using|with|into) (?P<v>{_FORMAT})"
    ),
    pattern(
        r"I (?:<ADV>|would |much )*(?:prefer|like|want|love|appreciate)(?: (?:my|your|the|to get|getting"
        rf"|{_REPLIES}|formatted|in|as|with|to be|written|to have))* (?P<v>{_FORMAT})(?: (?:over|to|rather"
        rf"|instead|in (?:your|the)|for|when|as|{_REPLIES})\b.*|$|,|\.)"
    ),
    pattern(
        r"(?:please |and |also |from now on,? )*(?:always )?(?:reply|answer|respond)(?: to me)?(?: always"
        rf"| only)? (?:in|with|as|using) (?:short |simple |only )?(?P<v>{_FORMAT})"
    ),
    pattern(
        rf"(?:please |and |also |from now on,? |by default,? )*(?:always )?use (?P<v>{_FORMAT}) (?:in "
        rf"(?:all )?your {_REPLIES}|for (?:all )?(?:your )?{_REPLIES}|when (?:you|answering|replying)"
        r"|whenever)"
    ),
    pattern(rf"(?:please |also |from now on,? )*always use (?P<v>{_FORMAT})"),
    pattern(
        rf"(?:your|all) {_REPLIES} (?:should|must|have to) (?:always )?(?:be in|use|come as|be formatted "
        rf"as|come in) (?P<v>{_FORMAT})"
    ),
)


_NAMING = pattern(r"(?:(?:from now on|going forward|please|just|in future|always),? )*call me <CAP>", 0)


def read(text: str, said: str) -> Iterator[Found]:
    """The standing orders of a clause; `said` is the whole sentence, for orders that hang on a "when"."""
    if _NAMING.match(text):
        return
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
    """Whether what looks like a standing order is one."""
    if _BARE_POINTER.search(whole) or (_HANGING.match(whole) and _THIS_CASE.search(whole)):
        return False
    if rule is _WHENEVER and _WHEN_OR_IF.match(whole):
        return bool(_ALWAYS.match(match["v"]) or _LASTING_CASE.search(whole[:60]))
    if rule is _EVERY_TIME and _no_order(match["v"]):
        return False
    if rule in (_ALWAYS_AFTER, _EVERY_TIME):
        return not _TELLING.search(match["v"]) or _COMMANDING.match(match["v"]) is not None
    return not (rule is _LEADS and match["v"].startswith(("I am", "I have", "I will", "I live", "I work")))


def _no_order(said: str) -> bool:
    """A taste ("tabs over spaces, always") or a mere exclamation."""
    if CODING.search(said) or "theme" in said or len(said.split()) < _FEWEST_WORDS:
        return True
    return bool(re.search(r"\b(?:over|instead of|rather than)\b|^like,", said, re.IGNORECASE))


_FEWEST_WORDS = 3
_BARE_POINTER = re.compile(r"^\W*(?:\w+ ){1,3}(?:it|this|that)$")
_THIS_CASE = re.compile(r"^[^,]*\b(?:it|this)\b|\bin this\b")
_WHEN_OR_IF = re.compile(r"(?:please )?(?:when|if)\b", re.IGNORECASE)
_ALWAYS = re.compile(r"(?:always|never)\b", re.IGNORECASE)
_LASTING_CASE = re.compile(
    r"\b(?:I (?:ask|say|send)|you (?:write|answer|reply|give|suggest|explain|generate|show|quote|mention|cite"
    r"|do not know|are (?:not sure|unsure)))\b",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"\b(?:I|me|we|he|she|it is|is|are|was|were|has|had|loses?|wins?|fails?|happens?|works?|breaks?|makes?|gets?)\b"
)
_COMMANDING = re.compile(rf"{_COMMAND}\b", re.IGNORECASE)


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
