"""Whether a clause is asserted at all: questions of if, wishes, others' words, denials and irony are not."""

import re

from recollect.understanding.keyless.text import any_of, pattern
from recollect.understanding.keyless.vocabulary import IRREGULAR_PAST

_UNREAL_START = re.compile(
    r"^(?:if|unless|suppose|supposing|imagine|imagining|what if|pretend|let us (?:say|pretend|assume"
    r"|imagine)|say I|say my|assume|assuming|in case|whether|had I|were I|even if|only if|as if|as though"
    r"|picture this|provided"
    r"|in (?:theory|a perfect world|an ideal world|my dreams|another life)|ideally|hypothetically|when I "
    r"(?:grow up|was|were|am (?:old|rich|dead)|win|retire)|once I (?:win|am rich)|next "
    r"thing you know|yeah|as the saying|they say)\b",
    re.IGNORECASE,
)
_UNREAL_INSIDE = re.compile(
    r"\b(?:wish|if only|would have|could have|should have|would be|as if|as though|what if|would never"
    r"|would love|would hate|would kill|would die|would sell|would give|could (?:eat|kill|sleep|do with"
    r"|use|murder|die)|pretend(?:ing)?|imagine|dreamed|dreamt"
    r"|in (?:a|my|another|the) (?:past|next|previous|former|other) life|in another life|in my head|metaphorically"
    r"|figuratively|jokingly|so to speak|supposed to be|on paper "
    r"I|for a day|were (?:a|an|the|born|rich)|if I (?:were|was|had|lived))\b"
)
_REPORTED = re.compile(
    r"^(?:he|she|they|it|people|everyone|everybody|someone|somebody|nobody|some|the (?!team|decision|goal"
    r"|plan)\w+|my (?!name|full|last|pronouns)[\w-]+(?: \w+)?|[A-Z]\w+|[A-Z]\w+ and \w+|one of my \w+) "
    r"(?:just |once |always |also |even |still |recently )*"
    r"(?:said|says|say|told|tells|thinks|think|claims|claimed|wrote|writes|asked|asks|believes|believed"
    r"|jokes|joked|texted|mentioned|insists|insisted|swears|swore|keeps saying|keeps telling|replied"
    r"|answered|announced|argues|argued|suggested|suggests|reckons|assumes|assumed|shouted|yelled"
    r"|whispered|sang|sings|quoted|is telling|was telling|was like|goes like|is convinced|is saying)\b"
    r"(?! (?:goodbye|yes to|no to))"
)
_DENIED = re.compile(
    r"\b(?:I (?:have )?never (?:said|told|claimed|mentioned|wrote|asked|suggested)|I did not (?:say|tell"
    r"|claim|mention|mean|write|ask)|I do not (?:think|believe|know|remember|recall|mean|care(?! (?:much "
    r")?for))|it is not (?:that|like|as if|true)|not that I|not because I|not as if|I am not (?:saying"
    r"|sure|claiming|certain)|I doubt|nobody said|who said"
    r"|it is (?:false|wrong|a lie|untrue) that|stop saying|stop assuming|do not assume|why do you think|contrary to)\b",
    re.IGNORECASE,
)
_YOUR_CLAIM = re.compile(
    r"^(?:why (?:do|did) )?you (?:said|told|think|thought|wrote|assumed|claimed|keep|seem|must|probably"
    r"|wrongly|mistakenly)\b",
    re.IGNORECASE,
)
_IRONIC = re.compile(
    r"\byeah,? (?:right|sure)\b|\bsure,? (?:sure|because|and I am|and I|jan)\b|(?:^|\s)/s\b|\b(?:lmao"
    r"|rofl|just kidding|jk|joking|sarcasm)\b|\bas if\b|\bobviously,? I am the\b|\boh yeah\b|\bof course "
    r"I am the\b|\bI am the (?:queen|king|pope|president|emperor|tooth fairy|batman|easter bunny)\b",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:I think(?! in\b)|I guess|I suppose|I believe|maybe|perhaps|probably|might|possibly|potentially"
    r"|not sure|unsure|undecided|kind of|sort of|considering|thinking (?:of|about)|leaning(?! on)|toying with"
    r"|wondering|it seems|seems like|I feel like|presumably|supposedly|could be|may (?:be|have|move|go"
    r"|get|switch|buy|start|change|need|want|take)"
    r"|we will see|if all goes well|if everything|fingers crossed|on the fence|not certain|not (?:yet "
    r"|fully |completely )?decided|tempted|playing with the idea|or something|or maybe|if I remember"
    r"|afaik|as far as I know|not 100|I assume|I suspect|debating)\b",
    re.IGNORECASE,
)
_CONDITIONAL_TAIL = re.compile(
    r"\b(?:if(?! (?:I (?:get to|can|have the) choose|I can help it|possible|I get to choose|I can choose"
    r"|I have a choice))|in case|depending on|assuming|provided that)\b"
)
_WHIMS = re.compile(
    r"\b(?:right now|at the moment|for now|today only|this time|just this once|for once|at this point|for "
    r"the time being|temporarily|just now|this instant|in this (?:chat|file|function|case|example|code"
    r"|thread|conversation))\b",
    re.IGNORECASE,
)


_MARKS_OF_IRONY = (
    "yeah", "sure", "/s", "lmao", "rofl", "kidding", "jk", "joking", "sarcasm", "as if", "obviously", "of course",
    "i am the",
)  # fmt: skip


_VOWED = re.compile(r"(?:I|we) (?:have )?(?:promised|vowed|swore|pledged) [^,]{0,30}?\b(?:I|we) would\b")


def unreal(text: str) -> bool:
    """A hypothesis or a wish."""
    if _VOWED.match(text):
        return False
    return bool(_UNREAL_START.match(text) or _UNREAL_INSIDE.search(text))


def starts_hypothesis(text: str) -> bool:
    """Whether a sentence opens with an "if" of some kind, so that its other clauses hang on it."""
    return bool(_UNREAL_START.match(text))


def conditional(text: str) -> bool:
    """Whether a clause holds only under a condition."""
    return bool(_CONDITIONAL_TAIL.search(text))


_IF_ASKED = re.compile(
    r",? (?:if|in case) (?:the \w+|anyone|anybody|they|you|it|somebody|someone) (?:asks?|needs?|wants?|helps|matters"
    r"|cares?)\b.*$"
)
_REMARK = re.compile(r"(?P<said>(?:(?!\bif\b)[^,]){8,}), [^,]{3,60}\bif\b")


def certain_part(text: str) -> str:
    """A clause without a remark of it that hangs on a condition; nothing where all of it does."""
    text = _IF_ASKED.sub("", text)
    if not conditional(text):
        return text
    remark = _REMARK.match(text)
    return "" if remark is None else remark["said"]


def reported(text: str) -> bool:
    """Somebody else's words or thoughts."""
    return bool(_REPORTED.match(text))


def denied(text: str) -> bool:
    """Something that the speaker does not claim."""
    return bool(_DENIED.search(text) or _YOUR_CLAIM.match(text))


def ironic(said: str) -> bool:
    """Marked as not meant."""
    low = said.lower()
    return any(mark in low for mark in _MARKS_OF_IRONY) and bool(_IRONIC.search(said))


def hedged(text: str) -> bool:
    """Said with doubt."""
    return bool(_HEDGED.search(text))


_DOUBT_ALONE = re.compile(
    r"(?:but |though |or )?(?:I (?:think|guess|believe|suppose|assume)(?: so)?|maybe|probably|perhaps|possibly"
    r"|(?:I am )?not (?:\w+ )?(?:sure|certain)(?: though)?|or something|if I (?:remember|recall) (?:right|rightly"
    r"|correctly)"
    r"|as far as I know|do not quote me(?: on that)?|who knows)",
    re.IGNORECASE,
)


def only_doubts(text: str) -> bool:
    """Whether a clause says no more than that the one before it is doubtful ("…, I think")."""
    return _DOUBT_ALONE.fullmatch(text) is not None


_AVERTED = re.compile(
    r"\b(?:I|we) (?:(?:have|had|very|so|once|also) )*(?:almost|nearly|narrowly) (?!finished\b|completed\b|done\b)"
    rf"(?:\w+ed|{any_of(IRREGULAR_PAST)})\b|\b(?:I|we) (?:came|was|were) (?:very |this |so )?close to \w+ing\b"
)


def averted(text: str) -> bool:
    """What nearly happened, and so did not."""
    return _AVERTED.search(text) is not None


_ABOUT_TO = pattern(
    r"(?:.*\b)?(?:I|we) (?:(?:<ADV>|am |are |will |shall |be |going to |about to )*(?:start|begin|join|turn|take up"
    r"|move)"
    r"(?:ning|ing)?\b|(?:am|are) (?:<ADV>)*moving\b)(?!.*\b(?:today|this morning|right now)\b)"
)
_FROM_THEN = re.compile(
    r"\b(?:from|starting|beginning|effective|as of|with effect from|next|tomorrow)\b", re.IGNORECASE
)
_UNTIL = re.compile(r"\b(?:until|till|til|through)\b", re.IGNORECASE)


def upcoming(text: str, in_future: bool) -> bool:
    """What holds from a later day on; `in_future` says that the clause names such a day."""
    if _ABOUT_TO.match(text):
        return True
    return in_future and _FROM_THEN.search(text) is not None and _UNTIL.search(text) is None


def passing(text: str) -> bool:
    """True only of the moment."""
    return bool(_WHIMS.search(text)) and not _HOPED.match(text)


_HOPED = re.compile(r"(?:I|we) (?:\w+ )?(?:hope|aim|intend) to [^,]+ this time\b")
