"""Cutting a message into sentences, and a sentence into clauses that each say one thing."""

import re
from dataclasses import dataclass
from functools import lru_cache

from recollect.understanding.keyless.others import GAP
from recollect.understanding.keyless.subjects import plain
from recollect.understanding.keyless.text import written_out

_LONGEST = 600
_MOST = 200
_SHORT = 6

_ABBREVIATION = re.compile(
    r"(?:\b(?:Dr|Mr|Mrs|Ms|Prof|St|Mt|Ft|Sr|Jr|No|vs|etc|e\.g|i\.e|approx|ca|Inc|Ltd|Corp|Co|dept|a\.m"
    r"|p\.m|U\.S|U\.K|D\.C|Ph\.D|M\.Sc|B\.Sc|w\.e\.f|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec|min|max"
    r"|incl)|\b[A-Z])\.$"
)
_STOP = re.compile(r"[.!?…]+[\"')\]]*(?=\s|$)|\n+|(?<=[^\W\d_])\s*[:;]-?[)D(](?=\s|$)")
_BULLET = re.compile(r"^\s*(?:[-*•·+]|\d{1,2}[.)])\s+|^#{1,6}\s+|\*\*|__")
_LABELLED = re.compile(r"^((?:\w[\w'/ -]{0,60}?)): (?=\S)")
_LEADING = re.compile(
    r"(?:some |a bit of |quick |more |small )?(?:context|background|note|reminder|update|info|heads[ -]up"
    r"|fyi|for|on|about|ps|one thing|two things|as for|regarding|first|second|answer)\b",
    re.IGNORECASE,
)
_AIM = "our goal is "
RULED = "required: "
"""Stands before what a heading such as "Constraints:" calls a rule."""
_BASE_VERB = re.compile(
    r"(?:run|ship|launch|get|reach|read|learn|lose|save|finish|write|cut|reduce|hire|move|build|become"
    r"|pass|be|have|keep|hit|grow|double|improve|publish|open|start|stop|make|find|buy|sell|complete"
    r"|deliver|release|win|earn|raise|migrate) ",
    re.IGNORECASE,
)
_FIELD = re.compile(
    r"(?:my )?(?:favou?rite [\w ]{2,30}|e-?mail(?: address)?|birthday|name|full name|budget|time ?zone"
    r"|pronouns|city|hometown|job|employer|nationality)$",
    re.IGNORECASE,
)
_CONTEXT = re.compile(
    r"^(?:(?:right|ok|okay|so|also|and|oh),? )*(?:(?:some |a bit of |quick |just )?(?:context|background|info"
    r"|heads[ -]up|note|fyi)\b|just so (?:it|that|we|everyone|everybody)\b|what I (?:do )?know(?= ?:)|for the record\b)"
    r"[^:.]{0,90}: ",
    re.IGNORECASE,
)
_HEADINGS = (
    (
        re.compile(
            r"^(?:(?:my|our|the|main|q[1-4]|\d{4}|this \w+'s|team|current|sprint) )*(?:goals?|objectives?"
            r"|targets?|okrs?|aims?)(?: (?:as|for|this|in|of) [\w ]+)?$",
            re.IGNORECASE,
        ),
        _AIM,
    ),
    (
        re.compile(
            r"^(?:(?:my|our|the|final|team) )*(?:decisions?|final answer|decided|agreed|settled|outcome(?: of .+)?"
            r"|conclusion|verdict)(?: (?:as|for|from|of|on) [\w ]+)?$",
            re.IGNORECASE,
        ),
        "we decided: ",
    ),
    (
        re.compile(
            r"^(?:(?:my|our|the|hard|one|two|some|team|main|project|client|house|\w+'s|non-negotiable) "
            r")*(?:requirements?"
            r"|constraints?|rules?|limits?|limitations?|restrictions?|must-haves?|non-negotiables?|spec|specs)"
            r"(?: (?:as|for|from|of|on) [\w ]+)?$",
            re.IGNORECASE,
        ),
        RULED,
    ),
)
_SPACE = re.compile(r"\s+")

_OPENERS = re.compile(
    r"^(?:(?:@\w+|that is (?:when|where)(?= (?:I|we)\b)|I meant(?: to say)?(?: that)?|long[ -]term|in the long run"
    r"|remember to|make sure to|be sure "
    r"to|actually|wait|no wait|oops|whoops|by the way|btw|oh|ah|hm+|well|also|and|so|ok|okay|right"
    r"|alright|anyway|plus|hi|hey|hello|yes|yep|yeah|no|nope|nah|good morning|good evening|morning"
    r"|evening|sure|great|nice|cool|thanks|thank you|thx|sorry|look|listen"
    r"|just so (?:you|that you) (?:know|have it|have (?:this|that)|are aware)|so you (?:know|have it)|fyi"
    r"|for your information|for the record|for (?:some "
    r")?context|for background|for reference|as background|for what it is worth|fwiw|to be clear|to be "
    r"honest|tbh|to clarify|honestly|frankly|in fact|as a matter of fact"
    r"|as you know|as I (?:said|mentioned|told you)(?: before| earlier)?|like I said|as (?:mentioned"
    r"|said)(?: before| earlier)?|before I forget|one (?:more )?thing|another thing|one last thing|fun "
    r"fact|good news|great news|big news|bad news|sad news|quick (?:note|update)|small update|update"
    r"|(?:please )?(?:keep in mind|bear in mind|remember|note|be aware|know|don't forget|do not forget|do "
    r"keep in mind)(?: please)?(?: that)?|please note|you should know(?: that)?|I should (?:mention|add"
    r"|say|note|also mention)(?: that)?|I forgot to (?:mention|say)(?: that)?|let me (?:add|mention|tell "
    r"you)(?: that)?"
    r"|I (?:told|have told) you(?: already)? that|it (?:may|might) help to know that|the thing is|thing "
    r"is|the truth is(?: that)?|truth be told|fact is|turns out(?: that)?|it turns out(?: that)?|as it "
    r"turns out|as of (?:now|today|this (?:week|month))|long story short|in short|in my case|in case it "
    r"matters|if it helps|if you must know|if you were wondering"
    r"|first(?:ly)?(?: of all)?|second(?:ly)?|third(?:ly)?|finally|lastly|next topic|next(?= (?:I|we)\b)|instead(?= "
    r"I\b| we\b)|that is why|which is why|hard requirement|about me|a bit about "
    r"me|a little about me|about myself|on a personal note|personally|for me|speaking of which|speaking "
    r"of \w+|unfortunately|luckily|fortunately|sadly|happily|thankfully|obviously|clearly|apparently"
    r"|basically|generally(?: speaking)?|usually|normally|in general|lately|recently|today|currently"
    r"|right now|nowadays|these days|at the moment"
    r"|correction|edit|ps|p\.s|note|reminder|context|background|important|heads up|heads-up|decision|p s"
    r"|disclaimer|also note that|and yes|oh and|oh also|and also|but|though|yet|then|now|still|okay so|ok "
    r"so|well actually|hence|therefore|thus|because of this|because(?! of)|since(?= (?:I|my|we|our|it|he"
    r"|she|they|the|you|there)\b)(?! (?:my|our|the)(?: (?!(?:is|are|was|were|has|have|had|can|cannot|will|does|do|did"
    r"|must|I|we)\b)[\w'-]+){1,5},? (?:I|we)\b)|as(?= (?:I|my|we|our|it|he|she|they|the|you|there|of)\b)|given that"
    r"|considering(?: that)?|seeing that|now that|that is because|after all|in the end|to answer your "
    r"question|again|similarly|likewise|besides|moreover|additionally|in addition|furthermore|what is "
    r"more|fun)"
    r"(?:[,:.–—-]+\s+|\s+))",
    re.IGNORECASE,
)
_NEEDS_MARK = re.compile(
    r"^(?:no|yes|first|second|third|next(?! (?:I|we) )|right|sure|great|nice|cool|fun|look|update|edit|note|context"
    r"|background|decision|correction|morning|evening|important|reminder|again|as(?! of| I| my| we| our)"
    r"|still)\s",
    re.IGNORECASE,
)
_CORRECTING = re.compile(
    r"\b(?:actually|correction|I meant|I mean|scratch that|rather|sorry|my mistake|to correct|not any "
    r"?more|anymore|any more|no longer|in fact|turns out|I misspoke|oops|wait|changed my mind|instead"
    r"|after all|from now on|now)\b|^no[,.! ]",
    re.IGNORECASE,
)
_ASIDE_QUESTION = re.compile(r",? (?:and|but|so) (?:honestly|you know what|guess what|know what|tbh)$", re.IGNORECASE)
_STARTS_CORRECTING = re.compile(
    r"(?:oh |well |wait |sorry |hm+ |ah )*,? ?(?:actually|no|sorry|correction|wait|I meant|my mistake|oops)\b[,:. ]",
    re.IGNORECASE,
)
_WITHDRAWN = re.compile(
    r"\b(?:scratch that|never ?mind(?: that)?|forget (?:that|it|what I said)|ignore that|strike that|just "
    r"kidding|only kidding|kidding|joking|only joking|jk|not really)\b",
    re.IGNORECASE,
)

_MARKS_OF_WITHDRAWAL = (
    "scratch",
    "mind",
    "forget",
    "ignore that",
    "strike that",
    "kidding",
    "joking",
    "jk",
    "not really",
)
_REPLACED = re.compile(r"scratch that|never ?mind|strike that", re.IGNORECASE)
_POLITE = re.compile(
    r",? (?:would you|will you|could you|can you|ok|okay|alright|please|yeah|all right)$", re.IGNORECASE
)
_SUBJECT = (
    r"(?:I|my|we|our|he|she|they|it|you|the|there|this|that|please|everyone|both|his|her|let us|do not|always|never)\b"
)
_VERBS = (
    "work|live|study|speak|love|hate|prefer|use|have|am|was|enjoy|drive|teach|run|play|moved|started"
    "|decided|want|need|take|like|own|code|write|cannot|do not|will|plan|hope|got|went|bought|joined"
    "|left|became|grew|adopted|eat|drink|work|chose|agreed|must|commute|volunteer"
    "|would|switched|finished|graduated|met|married|quit|sold|signed|retired|manage|train|practise"
    "|practice|suffer|follow|avoid|keep|wear|collect|make|build|sing|swim|cook|bake|paint|read|sleep|go"
    "|come|are|is|has|lives|works|studies|loves|hates|plays|teaches|runs|moved|uses|speaks"
)
_FINITE = (
    r"(?:must|has to|have to|cannot|may not|may|can only|is|are|was|were|has|have|allows?|only \w+s?|closes|opens"
    r"|starts"
    r"|ends|needs?|will|does|do|took|made|gave|said|says|burnt|came|comes?|went|\w{3,}ed)"
)
_PAIRED = 7
"""The most words that the first of two joined subjects can have."""
_CUT = re.compile(
    r"\s*;\s+|\s+[–—]\s+|\s+--?\s+|,?\s+(?<!nothing )(?<!anything )(?<!all )(?<!not only )but\s+"
    rf"|,?\s+(?:whereas|although|though|yet|while)\s+(?={_SUBJECT}|not)|,\s+(?:and |so |or |plus |then "
    rf")+(?={_SUBJECT}|what|where|how|which|who|can|could|is|are|do|does|would|should|any|if|when)"
    r"|,\s+(?=(?:I|I'm|(?:my|our)(?! \w+(?: \w+)?, )|we|please|pls|what|how|where|which (?!is|was|are)|who (?:else"
    r"|can|could|should|would)"
    r"|can|could|do you|does|is (?:it|that|this|there|he|she|they|my|the|an?)|are (?:there|they|these"
    r"|those|my|the|you|we)|should (?:I|we|it)|will (?:it|that|this|I|you)|any|would you|so|it|that is"
    r"|that was|he|she|they|there is|there are|you|nobody|everyone|whoever|thanks|sorry)\b)|\s+(?:and"
    r"|so|cos|coz|cause)\s+(?=(?:I|my|we|our|she|he|please|most of|half of|all of my|all of our)\s)"
    r"|,?\s+and\s+(?=(?:no|nothing) [\w ]{2,40} (?:allowed|permitted|may|can)\b)|,?\s+and\s+(?=(?:(?!to\b|then\b"
    r"|when\b|if\b|I\b|that\b|which\b|who\b|as\b)[\w'-]+ ){1,4}?(?:must|has to"
    r"|have to|cannot|can only|can contain|may not|is not allowed|are not allowed|starts|begins|is due)\b)|\.\.\.\s+"
    r"|…\s*|\s*\((?=(?:I|my|we)\b)|,\s+(?=(?:wife|husband|partner|son|daughter|mum|mom|dad|sister|brother)(?:'s "
    r"name)? (?:is|has|does|works)\b)|,\s+(?=(?:if|even"
    r"|just so|then|honestly|but|now I|from [A-Z]|living in|working (?:at|as|for)|based in|born|keep "
    r"(?:your|the|it|answers|replies|things)|stop|do not|(?:always|never) [a-z]|use)\b)|,\s+(?=(?:since"
    r"|from|as of) \w+ (?:I|we)\b)|:\s+(?=(?:I|we|my|it|is|are|can|could|what|how|where|which|do|does"
    r"|should|who|why|when|would)\b)|:\s+(?=(?:[\w'-]+ ){1,4}?(?:must|cannot|has to|have to|may not|can only)\b)"
    rf"|,\s+(?:and )?(?=the (?:(?!and\b|or\b)[\w'-]+ ){{1,3}}?{_FINITE}\b)"
    r"|,\s+(?:and )?(?=[a-z][\w-]+ (?:is|was|starts|begins|ends) (?:on|next|last|this|tomorrow|yesterday|\d))"
    r"|,?\s+and\s+(?=only [\w' -]{2,30} (?:may|can|is allowed|are allowed)\b)"
    rf"|,?\s+and\s+(?=[A-Z][\w-]+ (?:does not|cannot|is not|is allergic|is vegan|is vegetarian|will not)\b)"
    r"|,?\s+and\s+(?=(?:next|last|this) \w+ (?:I|we)\b)"
    r"|,?\s+so\s+(?=(?:any|all|every|anything|everything|nothing|no|only|whatever) |(?:[\w'-]+ ){1,4}?(?:is|are) "
    r"(?:out|off limits|off the table)\b|(?:[\w'-]+ ){1,3}only\b)"
    r"|,\s+(?:and )?(?=(?:must|cannot|has to|may not) (?:be|fit|have|not|never|run|work|stay|cost)\b)"
    r"|,\s+(?=no [\w-]+(?: [\w-]+)? (?:after|before|over|above|on|at weekends)\b)"
    r"|,\s+(?=also (?:into|a (?:big |huge )?fan)\b)|\s+and\s+(?=it (?:will|is going to) be (?:the|an?)\b)"
    r"|,\s+(?=(?:every|all|each|any|everything|nothing) (?:[\w'-]+ ){0,4}?(?:must|has to|have to|cannot"
    r"|may not|can only)\b)"
)
_DOER = (
    r"(?:(?:I|we|he|she|they|it|you|there|this|that|everyone|both|nobody)\b|(?:the|my|our|his|her) "
    rf"(?:(?!and\b|or\b)[\w'-]+ ){{1,3}}?(?:{_FINITE}|{_VERBS}|gives?|gets?|takes?|hates?|makes?|wants?|keeps?"
    rf"|pays?)\b)"
)
"""A subject with its verb: "as the bus is late", but not "as the new treasurer"."""
_SUBORDINATE = re.compile(
    r",?\s+(?:because|given that|considering(?: that)?|now that|which is why|so that|so)\s+"
    rf"(?={_SUBJECT})|,?\s+(?:since(?! I was| I were)|as)\s+(?={_DOER})|,?\s+because\s+(?=their\b|nobody\b"
    rf"|everybody\b|these\b|your\b|[A-Z])",
    re.IGNORECASE,
)
_CONJOINED = re.compile(
    r"(?:(?:,\s+|\s+)(?:and|but|then)\s+|,\s+(?=(?:got (?:divorced|married|engaged|an?\b|my\b)|started (?!last|on"
    r"|in|this"
    r"|yesterday|at|there|out)|moved to|bought an?|quit|joined|became|retired|graduated)))((?:also |now |currently "
    r"|still |usually |mostly |just |recently "
    rf"|only |really |never |always |often |mainly )?)(?=(?:{_VERBS})\b)"
)
_AND = re.compile(r",?\s+(?:and|so|cos|coz|cause)\s+")
_HAS_VERB = re.compile(
    r"\b(?:I|[Ww]e|she|he|they|it) \w+|\b(?:is|are|was|were|has|have|had|do|does|did|will|can|cannot|may|must|am"
    r"|runs?|lives?|works?|loves?|likes?|hates?|uses?|needs?|said|says|wants?|goes|went|plays?|studies"
    r"|allows?|permits|closes|opens|takes|gives|makes|costs|holds|seats|ends|keeps|means|comes|drives|drinks|eats"
    r"|teaches"
    r"|speaks|turns|owns|sells|shuts|\w{3,}ed|starts?|got|came|gave|made|picked|chose|ran|bought|met|left|took)\b"
    r"|\b(?:[A-Z]\w+|only|also|always"
    r"|never|still|just) [a-z]{3,}s\b"
)
_OTHER = re.compile(
    r"(?:she|he|our|please|they|it|you|the|there|this|that|everyone|both|his|her|let us|do not|always|never|what|where"
    r"|how|which|who|can|could|is|are|do|does|would|should|any|if|when)\b(?! [\w'-]+(?: [\w'-]+)? (?:must|has to"
    r"|have to)\b)"
)
_OPEN_VERB = re.compile(r"\b(?:to|will|would|can|cannot|must|should|may|might|do not|does not|did not|let us) \w+")
_TERSE = 120
"""Notes that leave out their "I" are shorter than this."""
_FIRST_WORD = re.compile(r"[A-Za-z]+")
_IDLE_STARTS = frozenset(
    [
        "that",
        "you",
        "your",
        "yours",
        "what",
        "how",
        "where",
        "why",
        "who",
        "which",
        "is",
        "are",
        "do",
        "does",
        "did",
        "could",
        "would",
        "should",
        "wow",
        "this",
        "these",
        "those",
        "sounds",
        "looks",
        "glad",
        "congrats",
        "congratulations",
        "awesome",
        "amazing",
        "absolutely",
        "exactly",
        "totally",
        "thanks",
        "thank",
        "whoa",
        "haha",
        "aww",
        "yay",
        "was",
        "were",
        "has",
        "they",
        "their",
        "there",
    ]
)
_TEACHING = re.compile(
    r"\b(?:[Ii]|[Ii]['´`’]|[Ii]m|[Ii]ve|me|[Mm]y|[Mm]ine|[Ww]e|[Oo]ur|[Uu]s|[Mm]yself|must|have to|has to|had to"
    r"|cannot|can't|cant"
    r"|allowed|never|always|please|pls|from now|decid\w*|settled|agreed|remember|here|name\w*|call|stop|of us|rule"
    r"|limit"
    r"|required|forbidden|got|just|moved|started|bought|future|every time|whenever|each time|goal|aim|target|dream"
    r"|plan|voted|chose"
    r"|chosen|only|whatever|hoping|aiming|training|saving|planning|trying|learning|required|deadline|maximum"
    r"|minimum)\b|[Tt]his is "
    r"[A-Z]|[:;–—]"
    r"|\.\.|\n|…|\(| - "
)
_OTHER_SUBJECT = re.compile(
    r"(?P<who>(?:my|our) [a-z][\w-]*(?:,? [A-Z][\w-]+)?|he|she|[A-Z][a-z]+)(?: (?:is|has|was|lives|works|cannot"
    r"|does|will"
    r"|\w{3,}s)\b)"
)
_BOUND = re.compile(
    r"(?P<who>(?:the|our|my|all|every|each|any) (?:[\w'/-]+ ){0,4}?[\w'/-]+) (?:must|has to|have to|cannot|may not"
    r"|needs to"
    r"|need to|can only|is|are)\b"
)
_ALSO_BOUND = re.compile(
    r",?\s+and\s+(?:it |they |also )*(?=(?:must|has to|have to|cannot|may not|needs to|can only)\b)"
)
_ALSO_DOES = re.compile(
    r",?\s+(?:and|but)\s+(?:also |now |currently |still )?(?=(?:will not|cannot|does not|is|has|was|lives|works"
    r"|plays|loves"
    r"|hates|must|may not|has to|can only"
    r"|likes|gets up|runs|teaches|studies|speaks|drives|collects|wants to|prefers|coaches|needs)\b)"
)
_OWN_SUBJECT = re.compile(r"^(?:I|We|we)\b")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of the speaker's own."""

    text: str
    """Contractions written out."""
    said: str
    """As it was written."""
    asks: bool
    idle: bool = False
    """Whether nothing in it can teach anything, so that it need not be read."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing that a sentence says, without the words that only lead to it."""

    text: str
    sentence: Sentence
    corrects: bool
    follows: bool
    """Whether it depends on the clause before it ("because …")."""


def sentences(text: str) -> list[Sentence]:
    """The sentences of a text, each with whether it is a question; what is taken back is left out."""
    found: list[Sentence] = []
    for said, mark in _pieces(text):
        kept = said
        if _may_withdraw(said) and _WITHDRAWN.search(said):
            if len(said.split()) <= _SHORT and found:
                found.pop()
            kept = _after_withdrawal(said)
        if found and (remark := _remark(kept)) is not None:
            found[-1] = _read(f"{found[-1].said}, {remark}", found[-1].asks)
        elif kept and len(kept) <= _LONGEST:
            found.append(_read(kept, "?" in mark))
        if len(found) >= _MOST:
            break
    return found


def _read(said: str, asks: bool) -> Sentence:
    if idle(said):
        return Sentence(said, said, asks, idle=True)
    written, asks = _asked(written_out(said), asks)
    return Sentence(written, said, asks)


def idle(said: str) -> bool:
    """Whether a sentence talks of the other person or of what was said, and so teaches nothing."""
    first = _FIRST_WORD.match(said)
    if first is None or (first.group().lower() not in _IDLE_STARTS and len(said) <= _TERSE):
        return False
    return _TEACHING.search(said) is None


_MADE_LASTING = re.compile(
    r"(?:(?:and|so|oh|but),? )*(?:(?:that|this|it|the same|same)(?:'s| is| goes| holds| applies| counts| stands)?(?:"
    r" for| to| "
    r"with| in)? (?:all|every|any|each|everything|anything)\b[^:]{0,60}|(?:that|this)(?:'s| is) (?:an? |my |the"
    r" )?(?:(?:standing"
    r"|permanent|general|house|lifelong|hard|lasting) )?(?:orders?|rules?|requests?|instructions?)(?: from now on|"
    r" for you)?"
    r"|all of (?:them|it|those)|in (?:every|all|each|any)\b[^:]{3,60}|every (?:single )?(?:time|answer|reply|message"
    r"|chat)"
    r"|each time|always|ever|permanently|for good|from (?:now|here) on|as a rule|do (?:that|it|this|so)(?: like"
    r" that)? (?:from "
    r"(?:now|here) on|every time|each time|always))(?:,? (?:please|thanks|ever|always|permanently|for good|I mean(?:"
    r" it)?|no "
    r"exceptions|not just (?:now|this one|here)|from (?:now|here) on|past and future|okay|ok))*",
    re.IGNORECASE,
)
_MADE_FINAL = re.compile(
    r"(?:(?:that|this|it)(?:'s| is| was| has been) (?:now |all |already )?)?(?:decided|settled|final|agreed|official)"
    r"(?: (?:now|with|at|on|by|in)\b[^,:]{2,40})?",
    re.IGNORECASE,
)


def _remark(said: str) -> str | None:
    """What a short sentence only says of the one before it: that it is to last, or that it is settled."""
    if _MADE_LASTING.fullmatch(said):
        return "from now on"
    return "that is settled" if _MADE_FINAL.fullmatch(said) else None


def _may_withdraw(said: str) -> bool:
    low = said.lower()
    return any(mark in low for mark in _MARKS_OF_WITHDRAWAL)


def _after_withdrawal(said: str) -> str:
    """What a sentence says after it took something back ("scratch that, …"); a joke takes back all."""
    if not _REPLACED.search(said):
        return ""
    return _WITHDRAWN.split(said)[-1].lstrip(" ,.:;–—-")


def _asked(text: str, asks: bool) -> tuple[str, bool]:
    """An order with a polite tag ("…, would you?") is no question."""
    if asks and (aside := _ASIDE_QUESTION.search(text)) is not None:
        return (text[: aside.start()], False)
    if not asks:
        return (text, False)
    untagged = _POLITE.sub("", text)
    if untagged != text and not re.match(r"(?:I|my|we|you|it|he|she|they|the|our)\b", untagged, re.IGNORECASE):
        return (untagged, False)
    return (text, asks)


def _pieces(text: str) -> list[tuple[str, str]]:
    pieces: list[tuple[str, str]] = []
    text, start = _unrolled(text), 0
    for stop in _STOP.finditer(text):
        if stop.group().startswith(".") and _ABBREVIATION.search(text[max(start, stop.start() - 8) : stop.start() + 1]):
            continue
        pieces.append((_clean(text[start : stop.start()]), stop.group()))
        start = stop.end()
    pieces.append((_clean(text[start:]), ""))
    return [(said, mark) for said, mark in pieces if said and said != GAP]


_INLINE_LIST = re.compile(r"(?P<head>[^:.!?\n]{3,60}): ?\(?1\) (?P<items>[^\n]+)")
_NEXT_ITEM = re.compile(r"[,;]? *\(?\b\d{1,2}\) ")


def _unrolled(text: str) -> str:
    """A list within a line as one line for each item, with the heading of all: "Rules: 1) … 2) …"."""
    if "1) " not in text:
        return text
    return _INLINE_LIST.sub(
        lambda found: "\n".join(f"{found['head']}: {item}" for item in _NEXT_ITEM.split(found["items"])), text
    )


def _clean(piece: str) -> str:
    return _SPACE.sub(" ", _BULLET.sub("", piece)).strip(" ,")


_AT_IT = re.compile(
    r",? (?:and |I have |and I have )?been (?:at it|doing (?:it|that|this|so)|there|here|at this"
    r"|with them) (?=since|for\b)"
)
""" "I work at Acme, been there since 2015" as "I work at Acme since 2015"."""
_SPEAKING = re.compile(r"^[A-Z]\w+ here,? (?:and )?(?=[A-Z]\w+'s [a-z])")
_NEWBORN = re.compile(r"^([A-Z]\w+)(?:, [\w .]{2,20})?, born(?= (?:on|last|yesterday|this|at))")


def clauses(sentence: Sentence) -> list[Clause]:
    """The clauses of a sentence in order; of a question only what is plainly stated beside it."""
    body, heading = _SPEAKING.sub("I am ", _NEWBORN.sub(r"\1 was born", _AT_IT.sub(" ", sentence.text))), ""
    if ": " in body:
        body, heading = _LABELLED.sub(_label_or_opener, _CONTEXT.sub("", body)), _headed(body)
    if ", " in body:
        body = _INTERJECTED.sub(" ", body)
    body = _REASON_FIRST.sub(r"\g<reason>, ", body)
    named = _RULES_FOR.match(sentence.text) if heading == RULED else None
    parts = [f"{heading}{part if named is None else _IT_FIRST.sub(named['what'], part)}" for part in _cut(body)]
    made: list[Clause] = []
    for part in parts:
        made += _with_subordinates(part, sentence)
    if sentence.asks:
        made = _stated(made)
    return [clause for clause in made if clause.text]


_REASON_FIRST = re.compile(
    r"^(?P<reason>(?:[Ss]ince|[Bb]ecause) (?:my|our|the) [^,;:]{3,60}? (?:is|are|was|were|has|have|had|does"
    r"|did) [^,;:]{3,60}?)"
    r" (?=(?:I|we) (?:am|are|cannot|have|must|can|will|do|need)\b)"
)
"""A reason put first without the comma behind it: "since my licence was taken I cannot drive"."""


def reason_apart(text: str) -> tuple[str, str]:
    """The reason that a text puts first without a comma, and what follows from it; an empty reason where none does."""
    found = _REASON_FIRST.match(text)
    return ("", text) if found is None else (found["reason"], text[found.end() :])


_RULES_FOR = re.compile(r"[^:]*? (?:for|on|about) (?P<what>(?:the|our|my) [\w' -]{2,40}):")
_IT_FIRST = re.compile(r"^it(?= (?:must|has|cannot|may|can|should|needs|is|will)\b)")


def _headed(text: str) -> str:
    """What a heading such as "Goals:" says of each thing below it."""
    label = _LABELLED.match(text)
    if label is None:
        return ""
    said = next((said for heading, said in _HEADINGS if heading.search(label[1])), "")
    if said != _AIM:
        return said
    named = re.sub(r"^(?:my|our|the) ", "", label[1], flags=re.IGNORECASE)
    whose = "the" if re.match(r"(?i)our|the|team|q[1-4]|sprint|company", label[1]) else "my"
    return f"{whose} {named[:1].lower()}{named[1:]} is " + ("to " if _BASE_VERB.match(text[label.end() :]) else "")


def _label_or_opener(found: re.Match[str]) -> str:
    """A heading such as "On style:" leads to what follows and says nothing itself."""
    heading = found[1]
    if _FIELD.match(heading):
        return f"my {heading.lower().removeprefix('my ')} is "
    if re.match(r"(?i)when|whenever|if|every time", heading):
        return found.group()
    if re.search(r"\b(?:allowed|must|cannot|has to|permitted|forbidden)\b", heading):
        return f"{heading}; "
    if _LEADING.match(heading) or any(known.search(heading) for known, _ in _HEADINGS):
        return ""
    if re.search(r"\b(?:I|[Ww]e) (?!forget)\w+|\b(?:is|are|has|have|am|was)\b", heading) and "forget" not in heading:
        return found.group()
    return f"{heading.lower()}: " if re.match(r"(?i)correction|actually|no\b", heading) else ""


def _cut(body: str) -> list[str]:
    """The parts of a sentence; no cut goes through a pair of subjects ("Ben and I are …")."""
    parts: list[str] = []
    start = 0
    for cut in _CUT.finditer(body):
        if (
            _AND.fullmatch(cut.group())
            and not _OTHER.match(body, cut.end())
            and not _HAS_VERB.search(part := body[start : cut.start()])
            and len(part.split()) <= _PAIRED
        ):
            continue
        parts.append(body[start : cut.start()])
        start = cut.end()
    return [part for part in (*parts, body[start:]) if part]


def _with_subordinates(part: str, sentence: Sentence) -> list[Clause]:
    main, *rest = _SUBORDINATE.split(part)
    made = [_clause(one, sentence, False) for one in _conjoined(main)]
    return made + [_clause(each, sentence, True) for each in rest]


def _conjoined(part: str) -> list[str]:
    """Two verbs of one "I" or "we" as two clauses: "I live in Rome and work at Acme"."""
    bare = stripped(part)
    if (other := _OTHER_SUBJECT.match(bare)) is not None:
        told, *more = _ALSO_DOES.split(part)
        return [told, *(f"{other['who']} {each}" for each in more)]
    if (bound := _BOUND.match(bare)) is not None:
        told, *more = _ALSO_BOUND.split(part)
        return [told, *(f"{bound['who']} {each}" for each in more)]
    if not _OWN_SUBJECT.match(bare):
        return [part]
    subject = bare.split(" ", 1)[0]
    first = _CONJOINED.search(part)
    if first is None or " instead" in part or _OPEN_VERB.search(part[: first.start()]):
        return [part]
    pieces = _CONJOINED.split(part)
    made = [pieces[0]]
    for adverb, rest in zip(pieces[1::2], pieces[2::2], strict=True):
        made.append(f"{subject} {adverb}{rest}")
    return made


def _clause(part: str, sentence: Sentence, follows: bool) -> Clause:
    corrects = bool(_CORRECTING.search(part) or _STARTS_CORRECTING.match(sentence.text))
    return Clause(stripped(part), sentence, corrects, follows)


@lru_cache(maxsize=512)
def stripped(part: str) -> str:
    """A clause without its opening words, its first word in lower case where that is only the sentence's."""
    part = _INTERJECTED.sub(" ", part.strip(" ,.;:!?–—-()"))
    for _ in range(6):
        if (setting := _SETTING.match(part)) is not None:
            part = part[setting.end() :]
        opener = _OPENERS.match(part)
        if opener is None or (_NEEDS_MARK.match(part) and not re.search(r"[,:.–—]\s$", opener.group())):
            break
        part = part[opener.end() :]
    return plain(lowered(part))


_INTERJECTED = re.compile(
    r", (?:though|however|by the way|btw|of course|honestly|to be honest|funnily enough|luckily|sadly|unfortunately"
    r"|it turns out|mind you|for the record|thankfully), ",
    re.IGNORECASE,
)
_SETTING = re.compile(
    r"^(?:for|on|in|at|with|as for|regarding|about|when it comes to|speaking of|concerning) (?!now\b|me\b"
    r"|my (?:code|opinion)|future|the future|general|all)[^,.]{2,40}, (?=(?:I|my|our|please|keep"
    r"|remember|note|full name|name|birthday|email)\b)",
    re.IGNORECASE,
)
_LOWERED = frozenset(
    [
        "what",
        "nothing",
        "anything",
        "everything",
        "whatever",
        "my",
        "our",
        "we",
        "the",
        "a",
        "an",
        "as",
        "since",
        "because",
        "always",
        "never",
        "please",
        "from",
        "when",
        "whenever",
        "if",
        "this",
        "that",
        "these",
        "those",
        "it",
        "he",
        "she",
        "they",
        "you",
        "your",
        "there",
        "both",
        "all",
        "most",
        "some",
        "every",
        "each",
        "do",
        "don't",
        "stop",
        "keep",
        "answer",
        "reply",
        "respond",
        "write",
        "speak",
        "talk",
        "use",
        "call",
        "be",
        "try",
        "make",
        "give",
        "just",
        "only",
        "no",
        "not",
        "unless",
        "until",
        "after",
        "before",
        "in",
        "on",
        "at",
        "for",
        "with",
        "by",
        "to",
        "of",
        "into",
        "let",
    ]
)


def lowered(part: str) -> str:
    """The first word in lower case if it is a small word."""
    first, space, rest = part.partition(" ")
    return f"{first.lower()}{space}{rest}" if first.lower() in _LOWERED else part


_ASKING = re.compile(
    r"^(?:what|where|how|which|who|whom|whose|why|when|can|could|is|are|do|does|did|would|should|will|any"
    r"|am|shall|may|might|has|have|was|were|or|if|whether|right|okay|ok|correct|no|isn't|is not|would you"
    r"|tell me|please|recommend|suggest|got|ideas|thoughts|anything|in that case|given)\b",
    re.IGNORECASE,
)
_STATING = re.compile(
    r"^(?:I|my|we|our|as an?)\b|^(?:the|no|nothing|nobody|all|every)\b.*\b(?:must|cannot|has to|have to|forbids?"
    r"|allowed|may)\b"
)
_TAG = re.compile(
    r"^(?:right|correct|okay|ok|no|isn't it|is not it|yes|remember|or not|don't I|do not I|am I not"
    r"|aren't I|you know)\W*$",
    re.IGNORECASE,
)


def _stated(made: list[Clause]) -> list[Clause]:
    """What a question states on the way: the clauses before "so what's …?", and what "because" and "since" give."""
    asking = next((place for place, clause in enumerate(made) if _ASKING.match(clause.text)), None)
    if asking is None or _TAG.match(made[-1].text):
        return []
    kept = [clause for clause in made[:asking] if _STATING.match(clause.text)]
    return kept + [clause for clause in made[asking + 1 :] if clause.follows and _STATING.match(clause.text)]
