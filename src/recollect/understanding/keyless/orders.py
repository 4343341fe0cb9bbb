"""Standing orders to the assistant: how it is to reply, and what it is always or never to do."""

import re
from collections.abc import Iterator
from itertools import pairwise

from recollect.understanding.keyless import vocabulary as words
from recollect.understanding.keyless.found import Found
from recollect.understanding.keyless.tastes import CODING
from recollect.understanding.keyless.text import any_of, pattern
from recollect.understanding.profile_keys import rule_key

_MIXED = frozenset({"Hinglish", "Spanglish", "Denglish", "Franglais", "Singlish", "Taglish", "Pidgin", "Patois"})
_TONGUES = words.TONGUES | _MIXED
_TONGUE = any_of(_TONGUES | {tongue.lower() for tongue in _TONGUES})
_VARIETY = (
    r"(?:(?:British|American|Australian|Canadian|Indian|Irish|Scottish|UK|US|Brazilian|European|Mexican|Argentinian"
    r"|Castilian|Swiss|Austrian|Canadian|Quebec|Latin American|Simplified|Traditional) )?"
)
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
    r"(?:do not|don't) ever\b|\bfrom (?:today|this (?:day|point)|now|here) (?:on|forward)|\btoday and (?:every"
    r"|always)\b|\bas of (?:now|today)\b",
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
    r"|bother|insert|render|replace|reveal|respect|remember|read|wait|require|write|scale|uppercase|lowercase|pick"
    r"|choose|take|save|create"
    r"|build|count|calculate|compute|estimate|weigh|rate|rank|group|order|prioriti[sz]e|favou?r|stay|hold|plan"
    r"|phrase|word|frame|justify"
    r"|cross-check|indent|annotate|type|import|install|deploy|merge|rebase|refactor|rewrite|rephrase|reword"
    r"|paraphrase|expand|abbreviate"
    r"|itali[sc]i[sz]e|underline|emphasi[sz]e|quiz|coach|prompt|pause|rush|judge|critici[sz]e|nag|flatter|joke|tease"
    r"|spoil|trim|cut|copy"
    r"|paste|email|text|message|phone|notify|alert|ping|tag|upload|download|archive|file|record|track|update|fetch"
    r"|buy|substitute|swap"
    r"|measure|serve|pack|route|reserve|cancel|reschedule|postpone|exclude|contact|disclose|publish|post|sanitize"
    r"|validate|lint|mask|redact"
    r"|hand|walk|speak|second-guess|overrule|preface|close out|talk|stop|refuse|default|hyphenate|source|back up|pad"
    r"|waffle|ramble|soften"
    r"|moralise|moralize|assume|ask|nest|transliterate|lay|spell|simplify|dumb)"
)
_SMALL = (
    r"(?:I|you|we|he|she|it|they|the|a|an|my|our|your|his|her|is|are|was|were|am|be|been|being|has|have|had|will"
    r"|would|can|could|might|may"
    r"|shall|should|must|does|did|that|this|there|these|those|if|when|what|how|why|who|where|which|not|to|of|in|on"
    r"|at|for|with|from|by|as"
    r"|and|but|or|so|than|more|less|maybe|perhaps|price|very|too|also|even|again|happy|sorry|glad|sure|mind|ever|fun"
    r"|good|great|wrote|said|told|went|came|made|got|felt|took|gave|saw|knew|thought|left|kept|sang|him|them)"
)
_VERB = rf"(?:{_COMMAND}|(?!{_SMALL}\b)[a-z]{{3,}}(?<!ed)(?<!ing)(?<!ly)(?<!s))"
"""Any word that may be an order's verb, for frames in which nothing else can stand."""
_ALWAYS_NEVER = pattern(
    rf"(?:please |and |so |but |also |ok |just )*(?:always|never)(?: please| ever)? (?P<v>{_COMMAND}\b.+)",
    re.IGNORECASE,
)
_NEVER_FOR_ME = pattern(
    rf"(?:please |and |so |but |also |ok |just )*(?P<v>(?:(?:always|never) {_VERB} .*\b(?:me|you|your)\b"
    rf"|(?<=please )(?:always|never) {_VERB}\b).*)",
    re.IGNORECASE,
)
_NEVER_EVER = pattern(
    r"(?:please |and |so |but |also )*(?P<v>never ever (?!been|had|seen|gone|done|met|heard|\w+ed\b).{3,80})$",
    re.IGNORECASE,
)
_LEADS = pattern(
    r"(?:please,? |and |so |but |also |ok |right |new rule:? |house rule:? )*(?:from now on|from this point (?:on"
    r"|forward|onwards?)|from here (?:on in|onwards?)|as of (?:now|today)|moving forward|hereafter|henceforward"
    r"|from this day(?: on| forward)?|for the future"
    r"|as a standing (?:rule|order)|until further notice|(?:until|unless) I (?:tell|say|ask|let)[\w ]*(?:otherwise"
    r"|different\w*|stop|so)|for as long as we \w+|in every (?:chat|conversation|answer|reply)"
    r"|in (?:all|any) (?:of )?(?:your|our|my|future) \w+|with (?:all|any|every) \w+ you \w+(?: me)?"
    r"|for (?:all|any|every|each) (?:the )?(?:\w+ ){1,2}(?:you|I|we) (?:give|write|send|show|ask|share|post|make|do"
    r"|paste|produce|generate)[\w ,]{0,25}?|from here on(?: out)?|going forward|in (?:the "
    r")?future|henceforth|starting (?:now|today)|by default|as a (?:general )?rule|in general|from "
    r"today(?: on)?|at all times|for (?:all )?future \w+|in all future \w+|for everything (?:we|you) "
    r"\w+),? (?:please,? |make sure (?:to|you|that you) |be sure to |remember to |kindly |I want you to |I would "
    r"like you to |you should |can you |I expect you to |you are "
    r"to |could you |you must |I would prefer (?:it )?if you |I need you to )*(?P<v>(?:always |never "
    rf"|ever |only |do not |don't |stop |no |just |all )*(?:{_VERB}|{_REPLIES}|only|no|just|all|I)\b.+)",
    re.IGNORECASE,
)
_DONT_EVER = pattern(rf"(?:please )?(?:do not|don't) (?:you )?ever (?P<v>{_COMMAND}\b.+)", re.IGNORECASE)
_WHENEVER = pattern(
    r"(?:please |and |also |but |so )*(?:whenever|whatever|wherever|every time|each time|any time|anytime|when|if) "
    r"(?:I|you|we|there|my"
    r"|the|an?|something|anything|somebody|someone"
    r"|it) [^,]{3,80}(?:,|then)? (?:then |please |you should |you must |I want you to )*(?P<v>(?:always"
    rf"|never) .+|(?<=, )(?:do not |just |only )?{_VERB}\b.+|(?<=n ){_COMMAND}\b.+)",
    re.IGNORECASE,
)
_I_MEAN = pattern(
    r"(?:please |and |also |so |(?:from now on|going forward|in future),? )*(?P<v>(?:when|whenever|if"
    r"|every time|any ?time|each time)"
    r" I (?:just |only )?(?:say|write|mention|type|ask about|talk about|speak of"
    r"|refer to)\b[^,]{2,60},? I (?:always )?mean\b.+)",
    re.IGNORECASE,
)
"""What a word stands for in all that is said: "when I say the flat I mean the one in Graz"."""
_WANT_YOU = pattern(
    r"(?:I (?:<ADV>)*(?:want|need|expect|would like|would prefer|prefer|ask|would appreciate)(?: it if)? "
    r"you (?:to )?|you (?:should|must|are to|need to|have to) |you are (?=(?:never|always) to\b)|can you (?:please )?"
    r"|could you "
    r"(?:please )?|I would appreciate it if you |it would (?:be (?:great|nice|helpful|good|best|easier)"
    r"|help(?: me)?(?: a lot)?) if you (?:could "
    r"|would )?)(?P<v>(?:always|never|not ever) .+"
    rf"|(?:not )?{_VERB}\b.{{3,120}}?\b(?:each time|every time|every single time|whenever|as a rule|by default|in "
    r"every (?:answer|reply|message|chat)|from now on|going forward)\b.*)"
)
_YOU_MUST = pattern(
    r"you (?:must|are to|are never to|must never|are not to|must not|are not allowed to|may never|may not) (?P<v>"
    rf"(?=.*\b(?:me|my|I)\b){_VERB}\b.{{3,120}}?\b(?:before|any|every|unless|without|whenever|all|each)\b.*)"
)
_MAKE_SURE = pattern(
    r"(?:please |and |also )*(?:make sure (?:to|you|that you|your)|be sure to|see to it that you|remember to|don't "
    r"forget to|do not forget to|make (?:it )?a (?:habit|point|rule) (?:of|to)|get (?:in|into) the habit of|I need "
    r"you to|I want you to"
    rf"|I would like you to) (?P<v>(?:always |never )?(?:{_VERB}|\w+ing)\b.{{3,160}})",
    re.IGNORECASE,
)
_BEFORE_YOU = pattern(
    r"(?:please |and |also )*(?P<v>(?:before|after|once) you (?!can|could|do that)[^,]{3,60}, (?:please "
    r")?(?:always |never |do not )?(?:ask|check|confirm|tell|warn|show|run|let|get|wait|remind|read|verify"
    r"|double-check|explain|summari[sz]e|list)\b.+)$",
    re.IGNORECASE,
)
_NO_CIRCUMSTANCES = pattern(
    r"(?P<v>(?:under no circumstances|on no account|in no case|at no (?:point|time)|never under any "
    r"circumstances)(?: (?:may|should|must|can|are|will|shall) you)? .{5,160})$",
    re.IGNORECASE,
)
_ASK_BEFORE = pattern(
    r"(?:please |and |also |always )*(?P<v>(?:ask|check with|tell|warn|consult|show|run it past|run it by|get back "
    r"to|confirm with) me (?:first )?before (?:you |\w+ing\b|any).{3,140})$",
    re.IGNORECASE,
)
_NOT_TO_ME = pattern(
    r"(?:please |also |and |oh )*(?:do not|don't)(?: ever)? (?P<v>(?:mention|bring up|talk about|use|send|quote"
    r"|suggest|recommend"
    r"|speak|say|show|pitch|push|sell|preach) .{3,80} (?:to|with|around|at) me)(?:,? ever|,? again|,? please"
    r"|, not .+)*$",
    re.IGNORECASE,
)
_A_RULE = pattern(
    rf"(?:please |and |also )*(?P<v>(?:do not |never |always )?{_COMMAND}\b.{{5,120}}), (?:this|that) is (?:an? |the "
    r"|my )?(?:general |standing |house |permanent |hard )?rule\b.*$",
    re.IGNORECASE,
)
_ALWAYS_DOING = pattern(r"please (?P<v>(?:always|never|only) \w+ing\b.{3,140})$", re.IGNORECASE)
_ONLY_EVER = pattern(rf"(?:please |and |also )*(?P<v>only ever {_COMMAND}\b.+)$", re.IGNORECASE)
_I_NEVER_WANT = pattern(
    r"I (?:never|do not ever|do not) want (?:you )?to (?P<v>(?:ever )?(?:see|hear|read|get|be (?:called|asked|told"
    r"|shown|given|sent))\b.{3,100}?)(?:,? (?:again|ever again|ever|any ?more|from you.*|in (?:your|a) .*))$"
)
_RATHER_NEVER = pattern(
    r"I would (?:much |really )?(?:rather|prefer(?: it if| that)?) you (?P<v>(?:always|never|did not ever"
    r"|stopped)\b.+|did not .+,? (?:in general|ever|as a rule|at all"
    r"|again|any ?more|from now on|going forward|in future))"
)
_TREAT_ME = pattern(
    r"(?:please |always |just )*(?P<v>(?:treat me (?:as|like)|assume (?:I am|that I am|I have|I know|I do not know|I "
    r"use)|explain (?:things|everything|it all) (?:like|as if|as though)|talk to me as if) .+)$",
    re.IGNORECASE,
)
_HABITUAL = re.compile(
    r"\b(?:habit|point of|a rule|always|never|every|each (?:time|reply|answer|session|chat)|any (?:long|new|future"
    r"|big|time|code|email|recipe|reply|answer|session|file)|whenever|from now on|going forward|in future|each time)\b",
    re.IGNORECASE,
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
    r"(?:please |and |also |just )*(?:stop|quit|no more|avoid|refrain from|do not|don't|drop|lose|ditch|cut|skip"
    r"|enough with|enough of|lay off|knock off|less of|go easy on|spare me|I do not want you to|I do not want to "
    r"see)(?: with| out| it with| all)?(?: the| "
    r"your| those| these| all)* (?P<v>(?:using"
    r"|recommending|proposing|offering|reminding|opening|calling|adding|saying|starting|ending|apologi[sz]ing"
    r"|repeating|asking|giving|writing|including"
    r"|putting|telling|sending|making|suggesting|summari[sz]ing|praising|flattering|lecturing|use|call me"
    r"|add|start|end|apologi[sz]e|include|say|give me|tell me|sugar-?coat|explain|ask me|write)\b.*"
    r"|(?:[\w-]+ ){0,2}(?:emojis?|emoticons|exclamation (?:marks|points)|jargon|small talk|flattery|bullet points"
    r"|filler|disclaimers|caveats|apologies|preambles?|fluff|pleasantries|pep talks?|buzzwords|slang|hashtags"
    r"|em[- ]dashes|headings|headers|tables|markdown|praise|compliments|cheerleading|summaries|recaps?|motivational "
    r"\w+|smileys)\b.*)",
    re.IGNORECASE,
)
_HABITS = pattern(
    r"\b(?:emojis?|emoticons|exclamation (?:marks|points)|jargon|small talk|flattery|sir|ma'am|madam|mate"
    r"|buddy|dude|bro|apologi[sz]\w*|disclaimers?|every (?:answer|reply|message|response)|all the time|so "
    r"much|each (?:answer|reply|message)|your (?:answers|replies|responses|messages)|follow-up questions"
    r"|filler|buzzwords|em[- ]dashes|semicolons|bullet points|sugar-?coat\w*|great question|as an ai"
    r"|markdown|tables|headings|slang|swear\w*|abbreviations|acronyms|hashtags|puns|idioms|call me"
    r"|calling me|me my|passive voice|analogies|metaphors|fluff|preambles?|caveats|pleasantries|pep talks?|praise"
    r"|compliments|cheerleading|recaps?|smileys|headings|headers)\b",
    re.IGNORECASE,
)
_BY_HABIT = pattern(
    r"(?:please |and |so |also |just )*(?:stop|quit) (?:suggesting|recommending|proposing|offering|apologi[sz]ing"
    r"|telling me"
    r"|asking me|reminding me|opening with|starting with|ending with)\b(?! (?:it|this|that|them|those|these)\b)",
    re.IGNORECASE,
)
"""What an assistant can only be told to stop because it does it again and again."""
_HANGING = pattern(r"(?:please |and |so )*(?:when|whenever|if|every time|each time|any ?time)\b", re.IGNORECASE)
_FORMAT_WORD = pattern(
    r"\b(?:diffs?|tables?|one-line summary|summary (?:first|at the)|headings|headers|bullet(?:ed)?(?: "
    r"points?| lists?)?|bullets|numbered (?:steps|lists?)|markdown|code blocks?|plain text|prose|JSON"
    r"|lists|step[- ]by[- ]step|paragraphs|(?:single|one) (?:code )?block|bulleted|numbered|(?:a |one-line |short "
    r"|brief )summary|tl;?dr|bold|footnotes"
    r"|headlines?|(?:answer|conclusion|result|code|total|summary|verdict|point) first|(?:first|top) line|at the"
    r" (?:very )?top|at the (?:very )?(?:bottom|end|start|beginning) of (?:each|every|all|your)|bottom line"
    r"|blank lines?|(?:short|plain) answer first|alphabetical|(?:last|first) (?:row|column)|indent\w*|line breaks?)\b",
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
    rf"(?:please |and |also )*(?P<v>(?:do not |never )?{_COMMAND}\b.*\b(?<!for )(?:every|each) (?:message|reply|chat"
    r"|answer|response|conversation|session|email you write)\b.*)$",
    re.IGNORECASE,
)
_FOR_EVERY = pattern(
    r"(?:please |and |also )*(?P<v>(?:for|with|in) every (?!time\b|way\b|day\b)[\w -]{3,30},? (?:please "
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
    r"|apologies|hashtags|corporate \w+|buzzwords|slang|lectures|preambles?|caveats|fluff|pleasantries|pep talks?"
    r"|emoticons|smileys|summaries|recaps?|bold text|italics|footnotes|Latin|acronyms|abbreviations)\b.*)$",
    re.IGNORECASE,
)
_NEVER_A_THING = pattern(
    r"(?:and |please |also )*(?P<v>(?:no|zero) (?:more )?[\w -]{3,40}?,? (?:ever|ever again|from now on|going "
    r"forward|under any circumstances|in any (?:reply|answer|message)|in your (?:replies|answers|messages|responses)"
    r"|when you (?:reply|answer|write|talk)[\w ]*|unless I ask[\w ]*))(?:,? please)?$",
    re.IGNORECASE,
)
_THING_ONLY = pattern(
    r"(?:and |please |also )*(?P<v>(?:(?:bullet points|bullets|plain text|prose|numbered lists?|tables|short "
    r"sentences|full sentences|markdown|code blocks|lists|plain English|British spelling|American spelling"
    r"|straight answers|headlines)(?:,? not [\w ]+,?)?) (?:only|please|always|from now on|going forward|every time"
    r"|whenever .+|when you .+|by default|in (?:all )?your \w+)(?:,? (?:only|please|always|from now on|going "
    r"forward))*)$",
    re.IGNORECASE,
)
_ONCE = pattern(
    r"\b(?:this time|just this once|for (?:this|that) (?:one|answer|reply|question|task|email|text"
    r"|message|file|function|example)|right now|for now|today|tonight|this (?:one|answer|reply|text|email"
    r"|paragraph|sentence|function|file|code|message|list|letter|week|month|version|draft)|the (?:text"
    r"|email|paragraph|sentence|letter|function|code|article|second|first|last|above|following|previous"
    r"|file|script|essay|list|title|summary|story|poem|press release|newsletter|flyer|invitation|speech|card|caption"
    r"|cv|resume)"
    r" ?(?:above|below|again|shorter)?|it (?:shorter"
    r"|longer|in|again|more|less|to)|in the (?:email|letter|text|story|poem|essay|summary|list|report"
    r"|script|code|function|title))\b",
    re.IGNORECASE,
)
_REPLY_LANGUAGE = (
    pattern(
        r"(?:please,? |and |also |kindly |henceforth,? |by default,? |in general,? |going forward,? |in future,? "
        r"|as a rule,? |from today(?: on)?,? "
        r"|from here on(?: out| in)?,? |moving forward,? |whatever (?:language )?I \w+(?: in)?,? |you (?:can|should"
        r"|must|may) |from now on,? |can you (?:please )?"
        r"|could you (?:please )?|I (?:want|need|expect|would like|would prefer|prefer) you to |always "
        r"|only |just )*(?:always |only |please )*(?:reply|answer|respond|speak|talk|communicate|write "
        r"back|write to me|chat|converse)(?: to me| with me| me| to my (?:questions|messages))?(?: only| "
        r"always| exclusively| back)? in (?:plain |simple |formal |easy "
        rf")?(?P<v>{_VARIETY}{_TONGUE})(?=$|[,.!]| (?:from|even|please|only|unless|always"
        r"|whenever|no|regardless|by|going|and|to|at|for|as|when|instead|in|because|so|not|until|na|ok|pls)\b| \()",
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
    pattern(
        rf"(?P<v>{_TONGUE}) (?:is fine|is good|is ok|is okay|will do|works|it is|please|again|would be (?:great|best"
        rf"|good))\b.{{0,30}}\b(?:from (?:here|now) on|for everything|always|going forward|in (?:your|all) \w+|with me)"
    ),
    pattern(
        r"(?:.*, )?(?:from (?:now|today|here) on|going forward|in future),? (?:it is "
        rf"|only )?(?P<v>{_VARIETY}{_TONGUE}) "
        r"(?:replies|answers|responses|only|again|please)\b",
        re.IGNORECASE,
    ),
    pattern(rf"(?P<v>{_TONGUE}) only(?:,? (?:please|from now on|with me|in here|here|for me|always|thanks))+$"),
    pattern(
        rf"(?:everything|all of it|always|please|just) in (?P<v>{_TONGUE})(?:,? (?:please|from now on|always|with me"
        r"|going forward))+$"
    ),
    pattern(
        r"<I>(?:<ADV>|would )*(?:prefer|like|rather|want)(?: (?:to|if you|it if you|you to|that you|we|us to))* "
        r"(?:speak|talk|chat|communicate|write|reply|answer|respond|converse)(?:ed)?(?: to me| with me| to each "
        rf"other)? in (?P<v>{_TONGUE})\b"
    ),
    pattern(
        r"(?:let us|we (?:will|should|can)) (?:<ADV>)*(?:speak|talk|chat|stick to|stick with|keep (?:it|this"
        rf"|things) in|switch to|do this in|use) (?:in )?(?P<v>{_TONGUE})(?= (?:from|always|in here|only|going"
        r"|whenever|for everything)\b)"
    ),
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
        rf"|really|to get|to have|getting|it when))* (?P<v>{_LENGTH}(?:,? (?:and |but )?{_LENGTH})*)(?:,? (?:and "
        rf")?\w+)?,? {_REPLIES}"
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
        r"(?:please |just |and |also )*(?:be|stay|keep it|keep things|keep (?:your )?(?:answers|replies|responses"
        r"|messages)|make it) (?:very |nice and |really |super |as )*(?P<v>brief|concise|succinct|short|terse|snappy"
        r"|tight"
        r"|to the point|long and detailed|detailed|thorough|short and \w+)(?: as possible)?,? (?:in general|always"
        r"|from now on|going forward|with me|at all times|every time|as a rule|by default|in future|unless I .*"
        r"|whenever .*|when(?:ever)? you .*)"
    ),
    pattern(
        r"(?:please |just |and |also |always )*(?P<v>(?:one|two|three|four|five|\d+)(?:[ -](?:short )?(?:sentences?"
        r"|lines?|paragraphs?|words?))(?:,? (?:max|tops|at most|or less|maximum))?|short answers|brief answers|short "
        r"replies|long answers|one-liners)"
        r"(?: (?:max|tops|only|please|is plenty|is enough|per (?:answer|reply)))*,? (?:always|from now on|going "
        r"forward|every time|unless I .*|at all times|in future|please, always|with me|by default|as a rule|ever"
        r"|please)$",
        re.IGNORECASE,
    ),
    pattern(
        r"(?:please )?(?P<v>no (?:long|lengthy|short|longwinded|long-winded|rambling|wordy) (?:answers|replies"
        r"|responses|explanations|essays))\b"
    ),
    pattern(
        r"(?:please )?never (?:write |reply with |answer with |give me |send me |go over |use )?(?P<v>more than \w+ "
        r"(?:words"
        r"|sentences|lines|paragraphs))"
    ),
)
_FORMAT = (
    r"(?:bullet(?:ed)?[ -]?points?|markdown tables?|bullets|bulleted lists?|bullet lists?|numbered lists?|tables?|a "
    r"table"
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
        r"(?:please )?(?:always )?(?:keep|limit|cap|hold|restrict) (?:all |every |each |any )?(?:of )?(?:your |the "
        r"|my )?(?:single )?(?:answers?|replies|reply|responses?|messages?|summaries|explanations?) (?:to|under"
        r"|within|below|at) (?P<v>(?:at most |max(?:imum)? |about |no more than )?(?:a|one|two|three|four|five|six"
        r"|seven|eight|ten|twenty|fifty|a hundred|\d+) (?:short )?(?:sentences?|words|lines|paragraphs?))",
        re.IGNORECASE,
    ),
    pattern(
        rf"(?:.*, )?(?P<v>{_LENGTH}) is (?:what I (?:<ADV>)*(?:want|like|prefer|need)|how I (?:<ADV>)*(?:like|want"
        r"|prefer) (?:it|them|things))\b"
    ),
    pattern(
        r"(?:please )?(?:always )?(?:keep|limit) (?:your )?(?:answers|replies|responses) (?:to|under"
        r"|within|below) (?P<v>(?:at most |max(?:imum)? |about )?(?:a|one|two|three|four|five|six|ten"
        r"|twenty|fifty|a hundred|\d+) (?:short )?(?:sentences?|words|lines|paragraphs?)(?: max| at most| "
        r"or less| tops)?)",
        re.IGNORECASE,
    ),
)
_REPLY_FORMAT: tuple[re.Pattern[str], ...] = (
    pattern(
        rf"I (?:<ADV>|would |much )*(?:prefer|like|want|need|love) (?:all )?(?:of )?(?:your|my|the) {_REPLIES} (?:as"
        rf"|in|with|to be|formatted as|to come as|laid out as) (?:an? )?(?P<v>{_FORMAT})"
    ),
    pattern(
        r"(?:please |just |and |also |always |from now on,? |can you |could you |I (?:want|would like"
        r"|need|prefer) you to )*(?:always )?(?:format|structure|present|write|give|keep|put|lay out"
        r"|organi[sz]e|send) (?:me )?(?:all )?(?:your|my|the|any)? ?(?:future )?(?:(?!answer\b|reply\b"
        rf"|response\b){_REPLIES}|things"
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


_TOLD = re.compile(r"(?:I(?! quit)|my|we|our|he|she|they|it|that|this|there|his|her|their)\b")
_TO_YOU = re.compile(
    r"\b(?:you|your|repl(?:y|ies)|answers?|responses?|explanations?|messages|summaries|bullet\w*|tables?|lists?"
    r"|markdown|prose|steps|want|prefer"
    r"|like|need|love|appreciate|rather|value|expect|until|unless|always|never|when(?:ever)?|every|each|if)\b"
)
_CIRCUMSTANCES = re.compile(
    r"^never, (?:under any circumstances|not even once|at any (?:point|time)|for any reason), ", re.IGNORECASE
)
_PLEASE = re.compile(r"^(?:pls|plz|plse),? ", re.IGNORECASE)
_ADDRESSED = re.compile(
    r"^(?:(?:hey|hi|yo|ok|listen|look|bhai|bro|dude|mate|man|sir|madam|ma'am|buddy|pal|yaar|folks|guys"
    r"|dear(?: assistant)?),? )+",
    re.IGNORECASE,
)
_ONE_RULE = re.compile(
    r"(?:(?:ok|okay|right|so),? )*(?:(?:one|a|my|house|general|standing|another|only|golden|first|more|last"
    r"|final) )*(?:new"
    r" )?rule(?: for (?:you|this"
    r" assistant|us|(?:all )?our (?:chats|talks|conversations|sessions)|these chats|this chat))?(?: is|:"
    r"| [–—-]|(?<=new rule),),? (?P<v>(?:(?:no"
    r"|never|always"
    r"|do not|only|ask)\b|(?<=new rule: )|(?<=new rule - )|(?<=new rule – )|(?<=new rule, )|(?<=for you:"
    r" ))(?!.*\b(?:may|must"
    r"|has to|have to) )[^?]+)$",
    re.IGNORECASE,
)


_ANOTHERS = re.compile(
    r".*,? (?:(?:my|our|the|his|her) [\w' -]{2,30}? (?:used to|would always|always) (?:say|said|tell|told)\b.*|so"
    r" says? .+"
    r"|as (?:my|the|our) \w+ (?:says|said|puts it).*|(?:(?:that|this) is )?(?:what|as|like) (?:I|we|they)"
    r" (?:always )?say|(?:that|it) is (?:my|our|his|her|the) (?:motto|mantra|maxim|philosophy))"
    r"|[^:]{0,60}\b(?:say|says|said|tell|told|tells|reads?|add|put|wrote|config|readme|sign|policy"
    r"|handbook)\b[^:]{0,40}: .+"
    r"|[^:]{0,40}\b(?:his|her|their|[\w-]+'s) (?:[\w-]+ ){0,2}(?:rule|motto|advice|mantra|principle|policy"
    r"|tip)s?\b[^:]{0,30}"
    r"(?::| is| was) .+"
    r"|(?:and |so |please )*(?:tell|ask|remind|warn|text|email|let) (?-i:[A-Z])\w+ (?:to|that|not|know)\b.*",
    re.IGNORECASE,
)
_FOR_ONE_PIECE = re.compile(
    r"(?:and |so |please |but )*(?:(?:just |only )*(?:for|in|during) (?:(?:this|that) (?!(?:and|or)\b)\w+"
    r"|today(?:'s)?|tonight(?:'s)?|the (?:next|following|current)|the (?:rest|remainder) of (?:this|the|today))"
    r"\b(?! (?:and|or) (?:all|every|any|each|future)\b)"
    r"|try again\b)",
    re.IGNORECASE,
)


_STEP = re.compile(r"(?:^|(?<=[\s(]))\(?(?P<number>\d{1,2})[.)](?= )")
_STEP_HEAD = re.compile(r"(?:^|[.!?\n]\s*)step \d{1,2}[:.]", re.IGNORECASE)
_HOW_TO = re.compile(
    r"\b(?:how-to|recipe|manual|checklist|procedure|instructions|steps|guide|notes?|sign|leaflet|rules) "
    r"(?:I wrote )?for (?!you\b|this (?:assistant|chat)\b|(?:all )?(?:our|your) (?:chats|talks|answers"
    r"|replies)\b)[^.:\n]{2,40}:",
    re.IGNORECASE,
)
_TO_ASSISTANT = re.compile(
    r"\b(?:you|your|me|my|from now on|from here on|going forward|in future|answer\w*|repl(?:y|ies)|respond\w*|emojis?"
    r"|recommend|suggest|explain|summar\w+|translat\w+|metric|bullet\w*|format\w*|sources?)\b",
    re.IGNORECASE,
)
_BY_HAND = re.compile(
    r"(?:^|[.!\n] ?)(?:then |next,? |now |finally,? )?(?:bake|mix|stir|fold|knead|preheat|heat|boil|simmer"
    r"|fry|roast|whisk|pour"
    r"|chop|peel|drain|rinse|season|glaze|roll|grease|melt|beat|marinate|sand|drill|screw|loosen|tighten|unplug|attach"
    r"|press|fill|empty|wipe|dig|plant|water|prune|sew|iron|fasten|remove the|add the|add \d|take off|switch off"
    r"|turn (?:on|off|the)|let (?:it|the|them))\b",
    re.IGNORECASE,
)
_IN_ALL_TALKS = re.compile(
    r"\bfrom (?:now|here|today) on\b|\bgoing forward\b|\bin future\b"
    r"|\bwhen(?:ever)? I (?:paste|send|ask|write|share)\b",
    re.IGNORECASE,
)
_FEWEST_STEPS = 2


def of_a_procedure(message: str) -> bool:
    """Whether a message sets out how something is done: its "always" and "never" are for whoever does it.

    That is a text named as somebody's instructions, or steps and work of the hands without a word to the assistant.
    """
    if _HOW_TO.search(message) or _STEP_HEAD.search(message):
        return _IN_ALL_TALKS.search(message) is None
    numbers = [int(step["number"]) for step in _STEP.finditer(message)]
    numbered = (1, 2) in pairwise(numbers)
    return (numbered or len(_BY_HAND.findall(message)) >= _FEWEST_STEPS) and _TO_ASSISTANT.search(message) is None


def read(text: str, said: str) -> Iterator[Found]:
    """The standing orders of a clause; `said` is the whole sentence, for orders that hang on a "when"."""
    if _TOLD.match(text) and not _TO_YOU.search(text):
        return
    if not standing(said):
        return
    text = _CIRCUMSTANCES.sub("never ", _PLEASE.sub("please ", _ADDRESSED.sub("", text)))
    if _NAMING.match(text):
        return
    if (rule := _ONE_RULE.match(said) or _STANDING_HEAD.match(said)) is not None:
        yield by_nature(rule["v"])
        return
    if _first(text, said) and (whole := _of_every_case(said)) is not None:
        yield by_nature(whole)
        return
    yield from _of_clause(text[2:] if text.startswith("I quit ") and said[:5].lower() == "quit " else text, said)


def standing(said: str) -> bool:
    """Whether a sentence may give the assistant an order that lasts: not another's words, a maxim or one piece."""
    return not (
        _ANOTHERS.fullmatch(said)
        or _TO_SOMEBODY.match(said)
        or _FOR_ONE_PIECE.match(said)
        or _WHAT_HAPPENS.match(said)
        or _OWN_PLAN.match(said)
        or _LIFTS.match(said)
    )


_TO_SOMEBODY = re.compile(
    rf"@(?!assistant\b|bot\b|ai\b)\w+|(?:(?:hi|hey|hello|dear|ok|and"
    rf"|so),? )*(?-i:{words.alternatives(words.FIRST_NAMES)}),(?! (?:I|my|we|our)\b)",
    re.IGNORECASE,
)
"""Who is spoken to by name is not the assistant."""
_LIFTS = re.compile(
    r"(?:(?:ok|okay|and|also|so|actually|please|right),? )*(?:(?:you (?:do not|need not|no longer)(?: have"
    r"| need)?(?: to)?|(?:there"
    r" is )?no need (?:to|for)|(?:you can|you may|feel free to) (?:stop|quit|drop))\b[^,]*\b(?:any ?more|any longer"
    r"|again|after all)"
    r"|(?:you (?:can|may)|please|feel free to) (?:go back|return|revert) to\b(?!.*\bfrom (?:now|here) on\b)"
    r"|(?:you (?:can|may) )?(?:scrap|forget|ignore|disregard|drop|undo|cancel|never mind"
    r") (?:what I (?:said|told you|asked)|(?:the|that|my) (?:(?:old|earlier|last|previous) )?(?:rule|order|instruction"
    r"|request|thing|bit))(?: (?:about|on|with|of)\b|$)|you can (?:write|use|give|answer|speak"
    r"|talk)\b.*\b(?:normal(?:ly)?|as usual|again)\b)",
    re.IGNORECASE,
)
"""An order that is taken back: what its words name is no longer wanted, or no longer forbidden."""


_OWN_PLAN = re.compile(
    r"(?:from (?:now|here|today) on|going forward|in future|starting (?:now|today)|as of (?:now|today)),? I (?:am|will"
    r"|have|go|get|do not|cannot)\b(?!.*\byou\b)",
    re.IGNORECASE,
)
"""What the speaker means to do from now on."""


_WHAT_HAPPENS = re.compile(
    r"(?:every time|each time|whenever) (?:I|we) (?:still |then |always )*(?:have to|must|end up|get|am"
    r"|see)\b(?!.*, )[^,]*$"
    r"|(?:when|whenever|if|every time|each time|any ?time) (?:I|we|you|the|my|it)\b(?:[^,]* (?:it|this) (?:just "
    r"|always "
    r"|then |still )*(?:hangs|crashes|fails|breaks|says|shows|gives|stops|freezes|takes|goes|gets|throws|returns"
    r"|does not|is|has)\b"
    r"|[^,]*, (?:(?:then |suddenly "
    r"|sometimes )*(?:it|this|that"
    r"|they|he|she|the (?:\w+ ){1,3}?(?:is|are|was|shows?|goes|does|gets?|has|keeps?|says?)"
    r"|my (?:\w+ ){1,3}?(?:is|are|shows?"
    r"|goes|does|gets?|has|keeps?|says?)|nothing|there (?:is|are))\b|I (?:get|see|have|am|feel|hear|think"
    r"|always|never|end|just|go"
    r"|take|use|make|do|eat|drink|start|usually|forget|lose))\b)",
    re.IGNORECASE,
)
"""What happens then, rather than what is to be done: "whenever I open the file, it shows squares"."""
_A_PIECE = re.compile(
    r"\b(?:write|draft|compose|prepare|translate|rewrite|rephrase|reword|summari[sz]e|proofread|shorten|edit"
    r"|make|create|give|sketch|show|plan|build|design) "
    r"(?:me |us |up |him |her )?(?:an?|the|this|these|my|our|it|some|two|three|five)\b",
    re.IGNORECASE,
)
_LASTING_WHEN = re.compile(r"\bwhen(?:ever)? (?:you|I)\b|\bstop\b|\bno more\b|\bany ?more\b", re.IGNORECASE)


def for_a_piece(sentence: str, message: str) -> bool:
    """Whether an order without a word that lasts is about the one text that its message asks for."""
    return not lasts(sentence) and _A_PIECE.search(message) is not None


_LIFTED = pattern(
    r"(?:and |also |ok |so |please )*(?:you (?:need not|do not (?:have|need) to|no longer (?:have|need) to|can stop"
    r"|may stop)"
    r"|no need to|stop) (?:always |keep )?(?:answer|reply|respond|speak|talk|writ|chat)\w*(?: back)?(?: to me"
    r"| with me| me)? in "
    rf"(?P<v>{_VARIETY}{_TONGUE})(?:,? (?:any ?more|any longer|now|please|from now on))*$",
    re.IGNORECASE,
)


def lifted(text: str) -> Iterator[Found]:
    """A standing order that is taken back: "You needn't answer in Welsh any more"."""
    match = _LIFTED.match(text)
    if match is not None:
        yield Found("instruction", "reply_language", _value("reply_language", match["v"]))
        return
    about = _WHAT_IS_LIFTED.search(text) if _LIFTS.match(text) else None
    if about is None:
        return
    if (tongue := _ANY_TONGUE_NAMED.search(about["v"])) is not None:
        yield Found("instruction", "reply_language", _value("reply_language", tongue["v"]))
    elif _OF_LENGTH.search(about["v"]):
        yield Found("instruction", "reply_length", about["v"])
    elif _FORMAT_WORD.search(about["v"]):
        yield Found("instruction", "reply_format", about["v"])


_WHAT_IS_LIFTED = re.compile(
    r"\b(?:about|stick(?:ing)? to|stop|keep(?:ing)?|giving|writing|answering|using|answer|write|use|with|for) "
    r"(?P<v>[^,.;]+?)(?=(?:,? (?:any ?more|any longer|now|again|please|after all))*(?:$|[,.;]))",
    re.IGNORECASE,
)
_OF_LENGTH = re.compile(
    r"\b(?:short|brief|concise|long|one-liners?|lines?|sentences?|words|paragraphs?|length|terse)\b", re.IGNORECASE
)


def _of_clause(text: str, said: str) -> Iterator[Found]:
    """The standing orders that a clause gives in its own words."""
    once = _ONCE.search(text) and not (_STANDING.search(text) or _HANGING.match(text) or _A_HABIT.search(text))
    if once or (_HANGING.match(said) and not _first(text, said) and _WHENEVER.match(said)):
        return
    keyed = list(_keyed(text))
    if keyed:
        yield from keyed
        yield from _length_besides(keyed, text)
        return
    for order in _orders(text, said):
        yield by_nature(order)
        return
    if _JUST_A_LEAD.fullmatch(text.removeprefix("please, ")) and not _first(text, said):
        text = said
    if _lasting_fragment(text) or _format_when(text) or (_SHORT_TOO.match(text) and _LASTS.search(said)):
        yield by_nature(text)


_STANDING_HEAD = re.compile(
    r"(?:(?:ok|okay|right|so|also|and|please|oh),? )*(?:(?:my |a |one |two |three |four |another |new |general "
    r"|more |last"
    r" |final |further )*(?:standing|house"
    r"|permanent"
    r"|ground|golden|blanket|lasting) (?:orders?|rules?|requests?|instructions?|preferences?|wish(?:es)?)(?: for you"
    r"| here)?(?: is)?"
    r"|as a (?:general )?rule|by default|from (?:now|here|today) on(?: out)?|going forward|in (?:the )?future|always"
    r"|for (?:all )?future reference|(?:\w+ ){0,3}(?:for the future|for good|for always))(?::| [–—-]) (?P<v>.+)",
    re.IGNORECASE,
)
_A_HABIT = re.compile(r"\bmake (?:it )?a (?:habit|point|rule)\b|\bget (?:in|into) the habit\b", re.IGNORECASE)
_EXCHANGE = (
    r"(?:sessions?|chats?|conversations?|answers?|repl(?:y|ies)|responses?|messages?|exchanges?|explanations?"
    r"|(?:[\w-]+ ){0,2}[\w-]+ (?:that )?(?:you|I) (?:send|write|give|show|make|produce|generate|share|paste|post"
    r"|suggest"
    r"|draft|do|create|propose)(?: (?:me|you|for me))?)"
)
_EVERY_CASE: tuple[re.Pattern[str], ...] = (
    pattern(
        r"(?:please,? |and |also |oh,? )*(?P<v>(?:at|in|on|after|before|with|for|to|from) (?:the (?:very )?(?:end|start"
        r"|beginning|top|bottom|close) of )?(?:each|every|any|all|our)(?: of)?(?: my| our| your| the| new"
        rf"| single)* {_EXCHANGE}"
        rf"[,:]? (?:please |always |never |only |do not |I (?:want|need|expect) )*(?:{_VERB}|no)\b.+)",
        re.IGNORECASE,
    ),
    pattern(
        r"(?:please,? |and |also |oh,? )*(?P<v>(?:for|in|with|on) (?:all future|any future|future|anything|everything"
        r"|whatever)\b[^,:]{2,50}[,:] (?:please |always |never |only |do not )*"
        rf"(?:{_COMMAND}|no|I (?:want|need|expect|would like|prefer))\b.+)",
        re.IGNORECASE,
    ),
    pattern(
        rf"(?:please,? |and |also )*(?P<v>(?:each|every|all|any)(?: of)?(?: your| single| the)* {_EXCHANGE} (?:you \w+ "
        r")?(?:should|must|has to|have to|needs to|need to|is to|are to|ought to|gets?|ends?|starts?|begins?"
        r"|comes?)\b.+)",
        re.IGNORECASE,
    ),
    pattern(
        r"(?:and |also |so |ok |right )*(?P<v>(?:you (?:may|can|should|must|need to|have to) )?(?:please "
        r"|kindly )?(?:stop|quit"
        r"|cease|do not keep|no more|refrain from|avoid) \w+ing\b.*\b(?:whenever|every time|each time|ever again"
        r"|any ?more|permanently"
        r"|for good|all the time|always|in future|from now on|now or ever|when I|if I|(?:every|each|any|all"
        r"|your) (?:messages?|answers?"
        r"|replies|reply|responses?|chats?))\b.*)",
        re.IGNORECASE,
    ),
)
_ALL_OF_IT = (
    rf"(?:(?:everything|anything|whatever) (?:that )?(?:you|I) (?:ever )?\w+|(?:each|every|any|all|none)(?: of)?(?:"
    rf" the| my| your"
    rf"| our| new| single)* {_EXCHANGE})"
)
_EVERY_CASE += (
    pattern(
        rf"(?:please,? |and |also |oh,? |so )*(?P<v>(?:do not |never |only |always |just )*(?:{_COMMAND}"
        rf"|no)\b[^.]{{3,100}}? (?:in|with"
        rf"|for|on|of|to|at|after|before) {_ALL_OF_IT}\b.*)",
        re.IGNORECASE,
    ),
    pattern(
        rf"(?:please,? |and |also |oh,? |so )*(?P<v>(?:for )?{_ALL_OF_IT}[,:] (?:please )?(?!I\b|we\b|my\b|it"
        rf" is\b)\w+.*)",
        re.IGNORECASE,
    ),
    pattern(
        r"(?:please,? |and |also |oh,? )*(?P<v>(?:every|each) (?:<DAY>|morning|evening|day|week|month),? (?:please )?"
        rf"{_COMMAND}\b.+\b(?:me|my)\b.*)",
        re.IGNORECASE,
    ),
    pattern(
        r"(?:please |and |also )*(?P<v>(?:when|if) (?:in doubt|unsure|not sure|you are (?:unsure|not sure|uncertain"
        r"|in doubt)),? "
        rf"(?:please |always |just )*{_COMMAND}\b.*\b(?:me|guess\w*|so)\b.*)",
        re.IGNORECASE,
    ),
)
_ABOUT_A_PIECE = re.compile(
    r"\b(?:the|this|that) (?:app|api|table|form|page|site|service|server|system|client|customer|user|quiz|game|bot"
    r"|script|survey|endpoint)\b",
    re.IGNORECASE,
)
_LASTS = re.compile(
    r"\bfrom (?:now|here|today|this (?:point|day)) (?:on|forward)|\b(?:going|moving) forward\b|\bin (?:the )?future\b"
    r"|\bby default\b|\bas a (?:general )?rule\b|\bevery (?:single )?time\b|\bevery (?:answer|reply|message)\b"
    r"|\bat all times\b|\balways\b|\bpermanently\b|(?<!, if )\bever(?: again)?$|\buntil (?:I say|further)\b"
    r"|\bno matter what I\b|\bwhatever I (?:ask|say|write)\b|\beach time\b|\bevery other day\b|\bnow (?:and|or) "
    r"(?:in future|ever|forever)\b|\b(?:in|throughout|across) all (?:of )?(?:your|our|my) \w+|\bforever\b"
    r"|\bacross the board\b"
    r"|\bfor good\b|\bper (?:answer|reply|response|message)\b|\bhereafter\b|\bhenceforth\b",
    re.IGNORECASE,
)
_TOLD_OF = re.compile(
    r"\b(?:is|are|was|were|am|has|have|had|will|would|can|could|did|does|I|we|he|she|they|it|there|them|him|her|been"
    r"|got|went|came|always (?:\w+s|\w+ed))\b"
)
_OF_REPLIES = re.compile(
    rf"\b(?:{_REPLIES}|words|sentences?|lines?|paragraphs?|bullets?|bullet points|points|sources|footnotes|spelling"
    r"|units"
    r"|dates|times|links|citations|references|code|comments|examples|emojis?|headings|tables|steps|summary|currency"
    r"|prices"
    r"|figures|numbers|amounts|format|style|punctuation|commas|quotes|quotation marks|headlines|titles|jargon|markdown"
    r"|diffs?|snippets|metric|imperial|celsius|fahrenheit|kilomet\w+|transliterations?|translations?|pronunciation|"
    r"phonetics|acronyms|abbreviations|recipes|lists|one-liners?|drafts|suggestions|measurements|explanations)\b",
    re.IGNORECASE,
)
_STARTS_ORDER = re.compile(
    r"(?:please |and |also |just )*(?:no\b(?!,)|never|only|zero|nothing|under|at most|max\b|skip|drop|spare me"
    rf"|{_COMMAND}"
    r"\b)",
    re.IGNORECASE,
)
_SHORT_TOO = re.compile(
    r"\b(?:please |and |also )*(?:keep (?:it|them|things|everything|answers|replies) (?:short|brief|concise|tight"
    r"|snappy"
    r"|to the point)|(?:[a-z]+|\d+) (?:lines?|sentences?|words|paragraphs?) (?:max|tops|at (?:the very )?most))\b",
    re.IGNORECASE,
)
_COUNT = (
    r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|fifty|(?:a|one) hundred"
    r"|a (?:few|couple of)|half an?|a single)(?: (?:or|to) \w+)?"
)
_LENGTHY = re.compile(
    rf"\b{_COUNT}(?: (?:short|full|plain|simple|brief|tight))? (?:words|sentences?|lines?|paragraphs?)\b(?! (?:of"
    rf" code|apart"
    r"|summary|between))"
    r"|^(?:under|at most|max|no more than|fewer than|less than|within) .*\b(?:words|sentences|lines|paragraphs)\b"
    rf"|\b(?:one|two|three)-(?:line|sentence|paragraph|word) {_REPLIES}\b|\bone-liners\b"
    rf"|\b(?:short|brief|concise|terse|long|detailed|longer|shorter|snappy|thorough|lengthy|in-depth)(?:,?"
    rf" [\w-]+){{0,2}} "
    rf"{_REPLIES}\b"
    r"|\b(?:answer|reply|respond) (?:me )?(?:briefly|concisely|tersely|shortly)\b"
    r"|\bkeep (?:it|them|things|what you (?:write|say|send)"
    rf"|everything|{_REPLIES}) (?:short|brief|concise|tight|snappy)\b"
    rf"|\b{_REPLIES}\b.*\b(?:under|within|below|at most|max|no more than) .*\b(?:words|sentences|lines|paragraphs)\b",
    re.IGNORECASE,
)
_BY_YOU = re.compile(r"\byou (?:write|draft|send|give|make|do|show|suggest|produce|generate|create)\b", re.IGNORECASE)
_MOST_WORDS_OF_A_FRAGMENT = 16


def _length_besides(keyed: list[Found], text: str) -> Iterator[Found]:
    """A length asked for together with a language or a format, where both are to last."""
    short = _SHORT_TOO.search(text)
    if short is not None and _LASTS.search(text) and all(each.key != "reply_length" for each in keyed):
        yield Found("instruction", "reply_length", _sentence(text[short.start() :]))


def _first(text: str, said: str) -> bool:
    """Whether a clause is the one its sentence begins with, apart from "and" and the like or a heading."""
    place = said.lower().find(text[:10].lower())
    if place < 0 or text.endswith((" at", " in", " for", " with")):
        return True
    return place <= len("please also ") or said[:place].rstrip().endswith(":")


def _of_every_case(said: str) -> str | None:
    """An order whose own words say that it holds for each session, each reply or all of a kind."""
    for rule in _EVERY_CASE:
        match = rule.match(said)
        if match is not None and not _ABOUT_A_PIECE.search(said) and not _PLEASANTRY.search(said):
            return match["v"]
    return None


def _lasting_fragment(text: str) -> bool:
    """A phrase without a verb of telling that is said to hold for good: "Sources as footnotes, from here on"."""
    last = _LASTS.search(text)
    if last is None or len(text.split()) > _MOST_WORDS_OF_A_FRAGMENT or " for me" in text:
        return False
    before = text[: last.start()]
    if _TOLD_OF.search(before) or CODING.search(before) or _PLEASANTRY.search(text) or " " not in before.strip():
        return False
    return bool(_STARTS_ORDER.match(before) or _OF_REPLIES.search(before) or _BY_YOU.search(before))


_FORMAT_WHEN = re.compile(
    r"(?P<what>[^,]{3,50}?\b(?:over|not|instead of|rather than|first|only)\b[^,]{0,40}?),? (?:whenever|every time"
    r"|each time) "
    r"(?:there|you|I|we)\b",
    re.IGNORECASE,
)


def _format_when(text: str) -> bool:
    """ "Tables over prose whenever there are numbers"."""
    match = _FORMAT_WHEN.match(text)
    return match is not None and bool(_FORMAT_WORD.search(match["what"])) and not _TOLD_OF.search(match["what"])


_POINTS_BACK = re.compile(
    r"\b(?:read|see|hear|say|do|want|use) (?:that|this|it)(?: again| any ?more|$)"
    r"|\b(?:reply|answer|write) in (?:that|this|it)\b",
    re.IGNORECASE,
)
_IF_THIS_ONE = re.compile(r"if (?:the|this|that|these|those|it|there)\b", re.IGNORECASE)
_EVER = re.compile(
    r"\b(?:always|ever|never|every|each|any|whenever|from now|in future|going forward|by default)\b", re.IGNORECASE
)


_OF_BEFORE = re.compile(
    r"(?:(?:please|and|so|do not|don't|never|always|only|just|stop|quit|keep) )*(?:(?:\w+ing|[a-z]+)(?: (?:to|up|out"
    r"|off|on|doing"
    r"|using|correct))? )?(?:that|those|these|them)\b(?! (?:I|you|we|the|my|all|every|there|it|he|she|they)\b)"
    r"|(?:stick|keep) to it\b|(?:[\w-]+ ){0,2}in (?:that|those|them)\b|do not,? ever$",
    re.IGNORECASE,
)


_DOES_IT = re.compile(
    r"(?:(?:and|but|ugh|hey|also|so),? )*(?:you (?:just )?(?:keep|are always|are constantly|always keep)"
    r"|why do you (?:always |keep )+)"
    r" ?(?P<v>\w+ing\b.{3,120})",
    re.IGNORECASE,
)
_STOP_IT = re.compile(
    r"(?:(?:please|so|and|just|ok),? )*(?:stop|quit|cut|drop|do not|knock)(?: (?:it|that|this|doing (?:it|that|this)"
    r"|it out|off))*"
    r"(?:,? (?:please|ok|thanks|now|for good|ever|already))*",
    re.IGNORECASE,
)


def stopped(before: str, said: str) -> str | None:
    """An order to stop what the sentence before complains of: "You keep putting a rocket on everything. Stop it"."""
    does = _DOES_IT.fullmatch(before.rstrip(".! "))
    return f"Stop {does['v']}" if does is not None and _STOP_IT.fullmatch(said) else None


def points_back(order: str) -> bool:
    """Whether an order is about what was said before it: "quit that", "never use them"."""
    return _OF_BEFORE.match(order) is not None


def of_the_moment(order: str) -> bool:
    """ "If the file is empty, skip it", "never say that again": without what it points to it says nothing."""
    points_back = _POINTS_BACK.search(order) is not None
    return points_back or (_IF_THIS_ONE.match(order) is not None and _EVER.search(order) is None)


_DIRECTS = re.compile(
    rf"(?:(?:please|just|and|also|so|but|then|or|ok) )*(?:{_COMMAND}|do not|don't)\b"
    r"|\b(?:please|pls|plz|always|never|no|not|don['’]?t|only|every|each|when(?:ever)?|if|from (?:now|here|today)"
    r"|should|must|want|need"
    r"|like|prefer|rather|stop|quit|max|at most|any ?time|anything|everything|by default|in future|as a rule|for good"
    r"|forever|your?)\b",
    re.IGNORECASE,
)
_COMPLAINS = re.compile(
    r"(?:and |but |ugh,? |hey,? )*you (?:just |have )?(?:keep|kept|still|constantly|always|never|again|asked|did|gave"
    r"|wrote|used|said)\b(?!.*\b(?:stop|please|do not|don['’]t|quit)\b)",
    re.IGNORECASE,
)


def directs(order: str, sentence: str) -> bool:
    """Whether words of a sentence can be an order at all: they ask or want something, rather than tell or complain."""
    return _DIRECTS.search(sentence) is not None and _COMPLAINS.match(order) is None


def hangs(quote: str, before: str) -> bool:
    """Whether an order was given in the sentence before, for a case that what follows is still about."""
    return bool(quote) and quote.rstrip(".!? ") in before and _HANGING_INSIDE.search(before) is not None


_HANGING_INSIDE = re.compile(
    r"\b(?:when(?:ever)?|if|every time|each time|any ?time|for (?:any|all|every|each)|in (?:any|all|every|each)) ",
    re.IGNORECASE,
)


def lasts(sentence: str) -> bool:
    """Whether a sentence itself says that what it orders holds for good."""
    return bool(_EVER.search(sentence) or _LASTS.search(sentence) or _LASTING_WHEN.search(sentence))


def under(key: str | None, order: str) -> Found:
    """An order under a key that is known already, or else by its words."""
    if key == "reply_language":
        tongue = None if _NOT_SPOKEN.search(order) else _tongue_of(order)
        return by_nature(order) if tongue is None else Found("instruction", key, tongue)
    return by_nature(order) if key is None else Found("instruction", key, _sentence(order))


def _tongue_of(order: str) -> str | None:
    """The language that an order asks for, by whichever name, or the languages and when each is wanted."""
    if (whole := _BY_MY_OWN.search(order)) is not None:
        return whole["v"]
    if (asked := _ANSWERED_IN.search(order) or _ANY_TONGUE_NAMED.search(order)) is not None:
        return _value("reply_language", asked["v"])
    own = _OWN_NAMES.search(order)
    return None if own is None else _TONGUE_BY_OWN_NAME[own.group().lower()]


_NO_NOUN = (
    r"(?=$|[^\w ]| \(| (?:only|please|pls|from|for|unless|when|whenever|if|and|or|in|with|to|no|not|regardless|even"
    r"|always|as"
    r"|at|because|replies|answers|responses|too|again|going|instead|by|so|until|on|is|it|except|whatever|here|any|all"
    r"|but"
    r"|every|each|henceforth|hereafter|forever|exclusively|moving|throughout|back|na|me|you|just|I|my|we|will|would"
    r"|should"
    r"|must|now|today|than|rather|then|where|since|of)\b)"
)
"""A language stands alone: in "Swiss francs" and "French grammar" it says what kind of thing something is."""
_NOT_SPOKEN = re.compile(
    r"\b(?:stop|quit|do not|don['’]?t|no need to|avoid|skip) (?:[\w']+ ){0,2}?(?:translat|explain|correct"
    r"|transliterat)\w*",
    re.IGNORECASE,
)
_BY_MY_OWN = re.compile(
    rf"(?P<v>{_VARIETY}{_TONGUE} (?:when|if|whenever) I (?:\w+ ){{1,3}}(?:in )?{_TONGUE}\b.*\b(?:{_TONGUE}"
    rf"|otherwise)\b.*)",
    re.IGNORECASE,
)
"""One language for what is written in it and another for the rest."""
_ANY_TONGUE_NAMED = re.compile(rf"\b(?P<v>{_VARIETY}{_TONGUE})\b{_NO_NOUN}")
_TONGUE_BY_OWN_NAME = {
    "deutsch": "German", "français": "French", "francais": "French", "español": "Spanish", "castellano": "Spanish",
    "italiano": "Italian", "português": "Portuguese", "nederlands": "Dutch", "svenska": "Swedish", "dansk": "Danish",
    "norsk": "Norwegian", "suomi": "Finnish", "suomeksi": "Finnish", "polski": "Polish", "polsku": "Polish",
    "česky": "Czech", "türkçe": "Turkish", "русский": "Russian", "日本語": "Japanese", "中文": "Chinese",
}  # fmt: skip
_OWN_NAMES = re.compile("|".join(_TONGUE_BY_OWN_NAME), re.IGNORECASE)


_IN_A_TONGUE = re.compile(
    r"(?:(?:please|only|always|just|you|can|should|must|may),? )*(?:(?:reply|answer|respond|write|speak|talk|chat"
    r"|stick to)(?: to "
    rf"me| with me| me| back)? |(?:answers|replies|responses|everything|explanations) )?"
    rf"(?:always |only )?(?:in )?(?P<v>{_VARIETY}{_TONGUE})(?:,? (?:only|replies|answers"
    rf"|please|again"
    rf"|with me|for everything))*(?:,? (?:{_LASTS.pattern}).*|;.*|, (?:even|no matter|whatever|because|I|my|we)\b.*)?",
    re.IGNORECASE,
)
_ANSWERED_IN = re.compile(
    r"\b(?:answer|reply|respond|write back|speak|talk)\b(?: (?:to me|with me|me|please|always|only|back))* in "
    rf"(?P<v>{_VARIETY}{_TONGUE})\b",
    re.IGNORECASE,
)


_SPOKEN = re.compile(
    rf"(?:(?:please|always|only|just),? )*(?:speak|talk|write|chat)(?: only| in)* "
    rf"(?P<v>{_VARIETY}{_TONGUE}) (?:with|to) me\b",
    re.IGNORECASE,
)


_OF_TALKING = re.compile(
    rf"\b(?:{_REPLIES}|answer\w*|repl(?:y|ying)|respond\w*|speak\w*|talk\w*|chat\w*|communicat\w+|converse"
    rf"|stick(?:ing)?"
    r" to|default to|stay(?:ing)? in|everything you (?:write|send|say|give)|write (?:to )?me|writing to me)\b",
    re.IGNORECASE,
)
_OF_OTHER_TEXTS = re.compile(
    r"\b(?:translat\w+|translit\w+|comments?|code|names?|words?|spell\w*|terms?|phrases?|accents?|e-?mails?|letters?"
    r"|posts?|subtitles?|titles?|captions?|articles?|grammar|mistakes?|vocabulary|pronunciation|lessons?|practi[sc]e"
    r"|learn\w*|correct|simple|easy|basic)\b",
    re.IGNORECASE,
)
_NOT_OR_IF = re.compile(r"\b(?:if|when|whenever|unless|not|never|no|stop|avoid|instead of)\b", re.IGNORECASE)


def _one_tongue(order: str) -> re.Match[str] | None:
    """The one language that an order about talking itself names: "talk to me in Catalan in future"."""
    found = list(_ANY_TONGUE_NAMED.finditer(order))
    if len(found) != 1 or not _OF_TALKING.search(order) or _OF_OTHER_TEXTS.search(order):
        return None
    return None if _NOT_OR_IF.search(order[: found[0].start()]) else found[0]


def by_nature(order: str) -> Found:
    """An order under the key that its words belong to."""
    value = _sentence(order)
    if (tongue := _IN_A_TONGUE.fullmatch(value) or _SPOKEN.match(value) or _one_tongue(value)) is not None:
        return Found("instruction", "reply_language", _value("reply_language", tongue["v"]))
    if _LENGTHY.search(value):
        return Found("instruction", "reply_length", value)
    return Found("instruction", "reply_format" if _FORMAT_WORD.search(value) else rule_key(value), value)


_ASKED = pattern(
    r"(?:and |also |so |hey |oh |please |ok )*(?:(?:can|could|would|will) (?:you|we)|any chance (?:that )?you (?:can"
    r"|could))"
    r"(?: please| kindly| maybe| just| mind)* (?P<v>(?:(?<=mind )\w+ing|always|never|stop|not|only|make a (?:habit"
    r"|point) of|make sure|remember to|start|from now on|keep"
    rf"|{_COMMAND})\b.+)$",
    re.IGNORECASE,
)
_LASTING_ORDER = re.compile(
    r"\b(?:always|never|from now on|going forward|in future|every time|each time|make (?:it )?a (?:habit|point|rule)"
    r"|by default|in general|in everything you|stop (?:recommending|suggesting|proposing)|whenever|at all times"
    r"|every (?:single )?(?:reply|answer|message|chat|time)|as a rule|from here on)\b",
    re.IGNORECASE,
)


_TAGGED = re.compile(
    r"(?P<v>(?!(?:do|does|did|is|are|was|were|can|could|would|will|should|shall|why|what|how|who|where|when|which"
    r"|have|has"
    r"|I|we|he|she|it|they|my|our|so)\b).+?),? (?:got it|ok|okay|understood|alright|all right|deal|please|will you"
    r"|would you|could you|can you|got that|clear|agreed|yes|yeah)$",
    re.IGNORECASE,
)


_MERELY_ASKED = re.compile(r",? or (?:is|are|do|does|would|can|not)\b|\bif I asked\b|\bbe able to\b", re.IGNORECASE)


def politely_asked(said: str) -> Iterator[str]:
    """The order in a question that is one: "Could you always …?", "Can you make a habit of …?"."""
    tagged = _TAGGED.match(said)
    if tagged is not None and _LASTING_ORDER.search(said):
        yield tagged["v"][:1].lower() + tagged["v"][1:]
        return
    found = None if _MERELY_ASKED.search(said) else _ASKED.match(said)
    if found is not None and _LASTING_ORDER.search(said) and not said.lower().startswith("can we"):
        yield re.sub(r"^(?=(?:always|never|only) \w+ing\b)", "please ", re.sub(r"^not ", "do not ", found["v"]))


def _keyed(text: str) -> Iterator[Found]:
    if (by_mine := _BY_MY_OWN.search(text)) is not None and _OF_TALKING.search(text):
        yield Found("instruction", "reply_language", by_mine["v"])
        return
    negated = re.search(r"\b(?:do not|never|stop|no longer|avoid)\b", text, re.IGNORECASE)
    for key, rules in (
        ("reply_language", _REPLY_LANGUAGE),
        ("reply_length", _REPLY_LENGTH),
        ("reply_format", _REPLY_FORMAT),
    ):
        for rule in rules:
            match = rule.match(text)
            if match is not None and (not negated or re.match(r"more than|no ", match["v"])):
                rest = text[match.end("v") :]
                case = _ONLY_THEN.match(rest) if key == "reply_format" else None
                value = f"{match['v']}{case.group()}" if case else _value(key, match["v"]) + _ruled_out(key, rest)
                yield Found("instruction", key, value)
                break


_ONLY_THEN = re.compile(
    r"(?: only| please)*,? (?:whenever|when|if|every time|each time) (?:I|there|we|something|it)\b[^.;]*"
    r"|(?: only| please)*,? for (?:any|all|every|each) (?!of\b|my\b|your\b|repl|answer|respon)[^.;]+",
    re.IGNORECASE,
)
"""When alone a format is wanted: without that an order would say more than it did."""


_AND_NONE = re.compile(r"(?: only| please)*,? (?:and |but )?(?:no|not|never|without) [^,.;]{3,40}", re.IGNORECASE)


_AND_AT_MOST = re.compile(
    r", (?:at most |max(?:imum)? |no more than |under |never more than )?(?:a|one|two|three|four|five|six|ten"
    r"|\d+) (?:short )?"
    r"(?:sentences?|words|lines|paragraphs?)\b(?:,? (?:at (?:the )?most|max(?:imum)?|tops|or (?:less|fewer)))?",
    re.IGNORECASE,
)


def _ruled_out(key: str, rest: str) -> str:
    """ "plain text only, no markdown", "short, three sentences at most": what is not wanted belongs to what is."""
    beside = {"reply_format": _AND_NONE, "reply_length": _AND_AT_MOST}.get(key)
    ruled_out = None if beside is None else beside.match(rest)
    return "" if ruled_out is None else ruled_out.group()


def _value(key: str, said: str) -> str:
    if key != "reply_language":
        return said.strip()
    return " ".join(word if word.isupper() else word.capitalize() for word in said.split())


def _orders(text: str, said: str) -> Iterator[str]:
    """Orders without a key of their own, as they were said, without "please" and "from now on"."""
    for whole in (text, said) if _opens(text, said) else (text,):
        for rule in (
            _I_MEAN,
            _LEADS,
            _WHENEVER,
            _ALWAYS_NEVER,
            _DONT_EVER,
            _WANT_YOU,
            _YOU_MUST,
            _MAKE_SURE,
            _WANT_ALWAYS,
            _TAILED,
            _EACH,
            _FOR_EVERY,
            _UNLESS,
            _WHEN_DOING,
            _ALWAYS_AFTER,
            _EVERY_TIME,
            _NO_THING,
            _NEVER_A_THING,
            _BEFORE_YOU,
            _NO_CIRCUMSTANCES,
            _ASK_BEFORE,
            _NOT_TO_ME,
            _A_RULE,
            _ALWAYS_DOING,
            _ONLY_EVER,
            _I_NEVER_WANT,
            _RATHER_NEVER,
            _TREAT_ME,
            _THING_ONLY,
            _NEVER_FOR_ME,
            _NEVER_EVER,
        ):
            match = rule.match(whole)
            if match is not None and not _MERE_LEAD.fullmatch(whole) and _meant(rule, match, whole):
                yield _tidy(whole, rule, match)
    match = _STOP_DOING.match(text)
    if match is not None and (_HABITS.search(match["v"]) or _BY_HABIT.match(text)):
        yield _sentence(text)


def _opens(text: str, said: str) -> bool:
    """Whether a clause opens a sentence of which the order needs more than that clause."""
    if _JUST_A_LEAD.fullmatch(text) and said.lower().startswith(text.lower()):
        return True
    if _UNTIL.match(said):
        return text.split(" ", maxsplit=1)[0] in said[:60]
    return _HANGING.match(said) is not None and text in said[: len(text) + 4]


_JUST_A_LEAD = re.compile(
    r"(?:please,? )?(?:from now on|from here on(?: out| in)?|from this point (?:on|forward)|going forward|moving "
    r"forward|in (?:the )?future|as a (?:general )?rule|by default|at all times|as of (?:now|today)"
    r"|henceforth|for (?:all|any|every|each) .{3,40}|in (?:all|any|every|each) .{3,40}|before you .{3,40}|(?:for|in) "
    r"future \w+|starting (?:now|today)|when(?:ever)? (?:I|you) .{3,60}|if (?:I|you) .{3,60}|any ?time I .{3,40}"
    r"|every time I .{3,40}|each time I .{3,40}|after you .{3,40}|once you .{3,40})",
    re.IGNORECASE,
)
_MERE_LEAD = re.compile(
    r"(?:please,? )?(?:from (?:now|here|today) on(?: out)?|going forward|in (?:the )?future|every time|always"
    r"|by default)"
    r"(?:,? please)?",
    re.IGNORECASE,
)
_UNTIL = re.compile(r"(?:please )?(?:until|unless) I\b", re.IGNORECASE)


def _meant(rule: re.Pattern[str], match: re.Match[str], whole: str) -> bool:
    """Whether what looks like a standing order is one."""
    if _BARE_POINTER.search(whole) or (_HANGING.match(whole) and _THIS_CASE.search(whole)):
        return False
    if _not_meant(rule, match, whole):
        return False
    if rule is _WHENEVER and _WHEN_OR_IF.match(whole):
        return bool(_ALWAYS.match(match["v"]) or _LASTING_CASE.search(whole[:60]) or _EACH_TIME.search(match["v"]))
    if rule in (_ALWAYS_AFTER, _EVERY_TIME):
        return not _TELLING.search(match["v"]) or _COMMANDING.match(match["v"]) is not None
    return not (rule is _LEADS and _OF_ONESELF.match(match["v"]))


def _not_meant(rule: re.Pattern[str], match: re.Match[str], whole: str) -> bool:
    """Sayings, courtesies, and what is told of oneself or asked of one text only."""
    return bool(
        _PLEASANTRY.search(whole)
        or (rule is _TAILED and _GERUND.match(whole))
        or (rule is _MAKE_SURE and (_THIS_TEXT.search(whole) or not _HABITUAL.search(whole)))
        or (rule is _NEVER_A_THING and " for me" in whole)
        or (rule is _FOR_EVERY and (_THIS_TEXT.search(whole) or not _IN_OUR_TALKS.search(whole)))
        or (rule in (_ALWAYS_AFTER, _TAILED) and _SUPPOSED.search(whole))
        or (rule is _EVERY_TIME and _no_order(match["v"]))
        or (rule is _WHENEVER and _OWN_WAY.search(whole[: match.start("v")]))
        or (rule in (_ALWAYS_AFTER, _EVERY_TIME) and _OF_A_PRODUCT.match(whole))
    )


def _no_order(said: str) -> bool:
    """A taste ("tabs over spaces, always") or a mere exclamation."""
    if CODING.search(said) or "theme" in said or len(said.split()) < _FEWEST_WORDS:
        return True
    return bool(re.search(r"\b(?:over|instead of|rather than)\b|^like,", said, re.IGNORECASE))


_PLEASANTRY = re.compile(
    r"^never (?:give up|say never|mind|fear|forget|stop (?:learning|dreaming|believing))\b|^always (?:remember"
    r"|believe|be yourself)\b"
    r"|\b(?:need (?:help|anything|me)|hesitate|let me know|feel free)\b",
    re.IGNORECASE,
)
_GERUND = re.compile(r"\w+ing\b.*\b(?:I|my|we|our)\b", re.IGNORECASE)
_SUPPOSED = re.compile(
    r"\b(?:might|may|can|could|would|will) (?:not )?always\b|^(?:guidelines|requirements|things)\b|\bwriting it$",
    re.IGNORECASE,
)
_THIS_TEXT = re.compile(
    r"\b(?:each|every) (?:question|section|slide|chapter|paragraph|item|day|week|scene|character|step|topic|row"
    r"|column|bullet|line|page|word|option|answer (?:option|choice|key)|point|product|person)\b"
    r"|\bthe (?:article|essay|blog|post|story|text|quiz|itinerary|plan|table|script|email|letter)\b",
    re.IGNORECASE,
)
_IN_OUR_TALKS = re.compile(
    rf"\b(?:I|me|my|you|your|we|our|always|never|from now on|{_REPLIES}|chat|session|recipe|code|conversation)\b",
    re.IGNORECASE,
)
_FEWEST_WORDS = 3
_BARE_POINTER = re.compile(r"^\W*(?:\w+ ){1,3}(?:it|this|that)$")
_THIS_CASE = re.compile(r"^[^,]*\b(?:it|this)\b|\bin this\b")
_WHEN_OR_IF = re.compile(r"(?:please |and |also |but |so )*(?:when|if)\b", re.IGNORECASE)
_ALWAYS = re.compile(r"(?:always|never)\b", re.IGNORECASE)
_EACH_TIME = re.compile(r"\b(?:each|every(?: single)?) time$", re.IGNORECASE)
_LASTING_CASE = re.compile(
    r"\b(?:I (?:ever )?(?:ask|say|send|vent|paste|share|mention|complain|rant|upload|forget|misspell|type|speak|quote"
    r"|post"
    r"|switch to|slip into|write (?:to you )?in|talk about|give you|show you|attach|link|drop in|dump)|you (?:write"
    r"|answer|reply|give|suggest|explain|generate|show|quote|mention|cite"
    r"|do not know|are (?:not sure|unsure)))\b",
    re.IGNORECASE,
)
_OF_ONESELF = re.compile(r"I (?!(?:want|need|expect|would like|would prefer|prefer) (?!to\b))", re.IGNORECASE)
_OWN_WAY = re.compile(
    r"\bI (?:\w+ly )?(?:like|love|prefer|hate|enjoy|tend|go for|reach for)\b|\b(?:was|were)\b"
    r"|\b(?:I|we|he|she|they|it)(?: \w+)? $"
)
_OF_A_PRODUCT = re.compile(
    rf"(?!.*\b(?:you|your|{_REPLIES})\b).*\b(?:must|should|can|may|has to|have to|need to|needs to|will|which|that) "
    r"(?:\w+, )?(?:always|never|permanently)\b|(?:which|that|and) \w+,",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"\b(?:I|me|we|he|she|it is|is|are|was|were|has|had|loses?|wins?|fails?|happens?|works?|breaks?|makes?|gets?)\b"
)
_COMMANDING = re.compile(rf"{_COMMAND}\b", re.IGNORECASE)


_SCOPED = re.compile(r"(?:please,? )?(?:for|in|with) (?:all|any|every|each)\b(?! future)", re.IGNORECASE)


def _tidy(whole: str, rule: re.Pattern[str], match: re.Match[str]) -> str:
    if rule in (_LEADS, _WANT_YOU, _WANT_ALWAYS) and not _SCOPED.match(whole):
        return _sentence(match["v"])
    return _sentence(whole)


def _sentence(order: str) -> str:
    order = re.sub(
        r"^(?:(?:please|and|so|but|also|ok|then|can you|could you)\b,? )+"
        r"|(?:,? (?:please|thanks|thank you)|, (?:always|as a rule|for good|from now on))+$",
        "",
        order.strip(" ,.!"),
        flags=re.IGNORECASE,
    )
    return order[:1].upper() + order[1:]
