"""What a speaker did not assert, taken out: code, data, quotes, others' lines, text to be worked on, play."""

import re

from recollect.understanding.fence import unfenced
from recollect.understanding.keyless.others import GAP, without_others

LONGEST = 20_000
"""Of a longer message this much is read."""

_QUOTE_MARKS = str.maketrans(
    {"’": "'", "‘": "'", "´": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "\u00a0": " "}
)
_FENCES = re.compile(r"(?:```|~~~)[^\n]*\n?.*?(?:```|~~~|\Z)", re.DOTALL)
_TAGGED = re.compile(r"<(\w[\w-]{0,30})\b[^<>]{0,200}>.*?(?:</\1\s*>|\Z)", re.DOTALL)
_SIMPLE_TAG = re.compile(r"</?\w[^<>]{0,200}>")
_INLINE_CODE = re.compile(r"`([^`\n]{1,300})`")
_PLAIN_CODE = re.compile(r"[\w.+#-]+(?: [\w.+#-]+)?")
_DOUBLE_QUOTED = re.compile(r'"([^"\n]{1,2000})"')
_SINGLE_QUOTED = re.compile(r"(?<![\w'])'(?=\S)([^\n]{1,1000}?)(?<=\S)'(?!\w)")
_OPEN_QUOTE = re.compile(r'"[^"]*\Z')
_SPEAKING = re.compile(r"\b(?:I|I'm|my|me|we|our|us|you|your|i'm|i|My|We|Our|You|Your|always|never|Always|Never)\b")
_OF_ONESELF = re.compile(r"\b(?:I|I'[a-z]+|[Mm]y|[Mm]e|[Ww]e|[Oo]ur)\b")
_LINK = re.compile(r"\b(?:https?://|www\.)\S+")
_EMOJI = re.compile("[\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\U0001f000-\U0001faff]+")
_EMOJI_END = re.compile(
    r"(?<=[\w\s)])\s*[\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\U0001f000-\U0001faff]+(?=\s+(?:[A-Z]\w*|what"
    r"|how|any|so|can|could|is|do|where|which|explain|and|got|anyone|tips|need|help|please|plz|thoughts|pls)\b|\s*$)"
)

_BLOCK_QUOTE = re.compile(r"\s*(?:>|\|)")
_LOG = re.compile(
    r"\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|\w{3} \d{1,2} \d\d:\d\d:\d\d"
    r"|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL|CRITICAL)\b\]?[ :]|Traceback \(|File \"|at "
    r"[\w.$]+\(|\$ \S|>>> |#include|@\w+\()"
)
_DATA = re.compile(
    r"\s*(?:[\[{}\]]|\"?[\w.-]+\"?\s*[:=]\s*[\"'{\[]|[\w-]+(?:,[\w @.-]*){3,}$|</?\w|---+$|===+$"
    r"|[\w.]+\s*=\s*\S+$|(?:def|class|import|from|return|const|let|var|function|SELECT|INSERT|UPDATE"
    r"|DELETE|CREATE|public|private)\s+\S+.*[;(){}=:]\s*)"
)
_LABEL = re.compile(
    r"\s*(?:\[?\d{1,2}:\d\d\]? )?[\[<(*]{0,3}([A-Za-zÀ-ÿ][\w.'-]*(?: "
    r"(?:[A-ZÀ-Þ][\w.'-]*|#?\d{1,3}))?)[\])>*]{0,3}\s?(?:\(\w+\))?:[*]{0,2}\s"
)
_ROLES = frozenset(
    [
        "assistant",
        "user",
        "system",
        "human",
        "ai",
        "bot",
        "tool",
        "developer",
        "model",
        "chatgpt",
        "claude",
        "gpt",
        "speaker",
        "customer",
        "interviewer",
        "narrator",
        "patient",
        "doctor",
        "agent",
        "client",
        "me",
        "him",
        "her",
        "she",
        "he",
        "memory",
        "memories",
    ]
)
_DISCOURSE = frozenset(
    [
        "ps",
        "p.s",
        "fyi",
        "note",
        "update",
        "reminder",
        "correction",
        "edit",
        "context",
        "background",
        "btw",
        "decision",
        "goal",
        "heads-up",
        "also",
        "important",
        "anyway",
        "actually",
        "clarification",
        "so",
        "and",
        "but",
        "well",
        "thanks",
        "hi",
        "hello",
        "hey",
        "ok",
        "okay",
        "yes",
        "no",
        "sorry",
        "plus",
        "today",
        "remember",
        "listen",
        "news",
        "constraint",
        "constraints",
        "requirement",
        "requirements",
        "preference",
        "preferences",
        "fact",
        "rule",
        "deadline",
        "plan",
        "status",
        "summary",
        "disclaimer",
        "venue",
        "rules",
        "limit",
        "limits",
        "project",
        "stack",
        "team",
        "budget",
        "diet",
        "allergies",
        *("decided", "agreed", "settled", "resolved", "confirmed", "sorted", "done", "final", "official", "verdict"),
        *("result", "results", "outcome", "upshot", "conclusion", "decisions", "resolution", "announcement", "goals"),
        *("target", "aim", "objective", "request", "question", "warning", "caveat", "bonus", "info", "instruction"),
        *("instructions", "admin", "confession", "job", "work", "home", "kids", "family", "house", "health", "again"),
        *("first", "second", "third", "lastly", "finally", "seriously", "honestly", "basically", "quick", "topic"),
    ]
)

_WORK_ON = re.compile(
    r"(?:(?:^|(?<=[.!?,:;\n] )|(?<=\n)|(?<=[Pp]lease )|(?<=[Pp]ls )|(?<=you )|(?<=\bu )|(?<=to )|(?<=and )|(?<=me ))"
    r"(?i:translate|summari[sz]e|proofread|correct|rewrite|re-write|rephrase|reword|paraphrase|polish"
    r"|shorten|transcribe|put (?:this|that|it|the following) in(?:to)?"
    r"|fix (?:the|my|this|its|any)? ?(?:grammar|spelling|typos|punctuation|english|sentence"
    r"|text)|check the (?:grammar|spelling)"
    r"|check (?:my|this|the) (?:grammar|sentence|text|english)|how (?:do|would) (?:you|i|we) (?:say"
    r"|translate|write))"
    r"|(?:^|(?<=[.!?\n] )|(?<=\n)|(?<=[Pp]lease )|(?<=you ))"
    r"(?i:improve|edit|reformat|analy[sz]e|classify|parse|convert|spell-?check|what does|what do|say this"
    r"|tag|annotate|label|extract|tokeni[sz]e|diagram|punctuate|read this|here is (?:a|the|an|some|my)"
    r"|here's (?:a|the|an|some|my)|sentence|example|repeat after me|repeat|type|print|echo|output"
    r"|pronounce|reply to|respond to|answer this|grade|review))\b"
    r"[^\n:.?!\"\ufffc]{0,120}(?:[:\n]|-{1,2} |– |— |(?=\"|\ufffc))"
)
_WORK_ON_THIS = re.compile(
    r"(?:^|(?<=[.!?\n] )|(?<=\n)|(?<=please )|(?<=Please )|(?<=you ))(?i:translate|summari[sz]e|proofread"
    r"|correct|rewrite|rephrase|reword|paraphrase|polish|transcribe)\b"
    r"[^\n.:?!]{0,40}\b(?i:this|the following|following|below|these|it|into|to|in)\b[^\n:]{0,80}?[.?!:]\s"
)
_MAKE_UP = re.compile(
    r"(?!\b(?i:make|take) (?i:an? )?(?i:mental )?(?i:note)\b)"
    r"\b(?i:write|compose|draft|make up|invent|tell me|create|generate|continue|finish|complete|start"
    r"|begin|narrate|make|prepare|put together)\b[^\n.:?!]{0,30}"
    r"\b(?i:story|stories|poem|song|lyrics|dialogue|dialog|monologue|monolog|scene|letter|email|e-mail"
    r"|mail|message|essay|speech|diary|haiku|limerick|screenplay|script|novel|chapter|bio|biography"
    r"|persona|character"
    r"|review|post|tweet|caption|toast|sentence|paragraph|cover letter|text|note|joke|fairy tale|tale"
    r"|conversation|interview|journal|fanfic|rap|verse|play|sketch|profile|blurb|quote|statement|notice|sign|leaflet"
    r"|flyer|poster|memo|label|invitation|card|reminder|checklist|slogan|ad|advert|listing"
    r"|prompt|template|manual|guide|warning|obituary|eulogy|vows|page|testimonial|reference|complaint|apology)\b"
    r"[^\n:.?!]{0,160}(?::|\n|[^\n:.?!]{0,40}\b(?:starting|beginning|that (?:starts|begins)|first[ "
    r"-]person|where I|in which I|about me|as if I|as though I)\b)"
)
_PLAY = re.compile(
    r"\b(?i:let's (?:role[- ]?play|pretend|play(?=[:,.!]| (?:a|out|make)\b))|role[- ]?play(?:ing)?|(?:mock"
    r"|practi[cs]e|pretend) (?:interview"
    r"|trial|exam|call)|I'll be (?=['\"\ufffc])|I'll (?:be|play) (?:the|an?) \w+(?=[:,.]| and you)"
    r"|you're the \w+(?=[:,.]| and I)|pretend (?:that "
    r"|to be "
    r"|you|i|we)|pretending|in (?:this|the|our|my) (?:game|story|scenario|role[- ]?play|novel|campaign|play"
    r"|dream|fantasy|book|film|movie|sketch|simulation)"
    r"|(?:my|the) (?:character|protagonist|hero|heroine|narrator|avatar|persona|wizard|paladin)\b|you are "
    r"(?:now )?(?:a|an|the) \w+|you're (?:now )?(?:a|an) \w+ (?:and|who|named)|act as|act like|playing "
    r"the role|dungeons (?:and|&) dragons|d&d"
    r"|for (?:my|a|the|our) (?:novel|story|short story|screenplay|campaign|backstory|comic|sketch|musical"
    r"|script)|in the (?:style|voice) of|in character|fictional|fiction|make-believe|once upon a time|in "
    r"an alternate|in another life|for the sake of argument|for argument's sake|hypothetically|thought "
    r"experiment|as a joke|dreamt|dreamed that|had a dream)\b"
)
_SUNG = re.compile(
    r"\b(?i:song|lyrics?|chorus|verse|poem|quote|quotes|quoting|line|motto|saying|proverb|slogan|tagline"
    r"|mantra|meme|t-shirt|tshirt|sticker|mug|poster|bumper|headline|subject line|caption|billboard|test "
    r"case|fixture|placeholder|transcript|dialogue)\b"
    r"[^\n.:]{0,60}(?i::|\bgoes\b,?|\bsays\b|\bsaid\b|\breads\b|\bsaying\b|\bstates\b)"
    r"|\b(?i:movie|film|title|book|character|novel|podcast|article|tweet|post|email|e-mail|letter|note"
    r"|sign|screenshot|page|template|prompt|example|ad|advert|text|message|voicemail|review|cv|resume"
    r"|profile|status)\b"
    r"[^\n.:]{0,40}\b(?i:goes|says|reads|saying|states)\b"
)
_QUOTED_LINE = re.compile(
    r"(?<!\bI )(?<!\bI've )\b(?:wrote|said|says|posted|texted|replied|commented|tweeted|writes|goes"
    r"|messaged|emailed|shouted|answered|told me)(?: to me| back| on \w+)?\s?: [^\n]*",
    re.IGNORECASE,
)
_INJECTED = re.compile(
    r"\b(?i:(?:ignore|disregard|forget|override|bypass) (?:all |any |everything |your |the |of |my "
    r")*(?:previous|prior|above|earlier|preceding|system|safety|instructions|rules|guidelines|you were "
    r"told|you know)"
    r"|new system prompt|system prompt|jailbreak|developer mode|you are now|end of (?:system )?prompt|the "
    r"user(?:'s| is| has| said| wants| prefers| lives| likes| works)|update (?:your|the) memory|add "
    r"(?:this )?to (?:your |the )?memory|memory (?:update|dump|block|entry|entries)"
    r"|stored (?:facts|memories)|known facts|recalled (?:memory|memories)|remembered (?:facts|about)"
    r"|relevant memories|what you know about me|\[inst\]|sudo|admin (?:mode|access|rights)|i am (?:the "
    r"|an |your )?(?:admin|administrator|root|developer of this))\b"
)


_OF_INJECTION = (
    "ignore", "disregard", "forget", "override", "bypass", "prompt", "jailbreak", "developer", "you are now",
    "the user",
    "memor", "facts", "remembered", "what you know", "[inst]", "sudo", "admin", "root",
)  # fmt: skip
_OF_WORK = (
    "translate", "summar", "proofread", "correct", "rewrite", "rephrase", "reword", "paraphrase", "polish",
    "transcribe",
)  # fmt: skip
_OF_MORE_WORK = (
    *_OF_WORK, "put ", "re-write", "shorten", "fix ", "check ", "how do", "how would", "improve", "edit",
    "reformat", "analy",
    "classify", "parse", "convert", "spell", "what do", "say this", "tag", "annotate", "label", "extract", "tokeni",
    "diagram", "punctuate", "read this", "here is", "here's", "sentence", "example", "repeat", "type", "print", "echo",
    "output", "pronounce", "reply to", "respond to", "answer this", "grade", "review",
)  # fmt: skip
_OF_MAKING_UP = (
    "write", "compose", "draft", "make up", "invent", "tell me", "create", "generate", "continue", "finish", "complete",
    "start", "begin", "narrate", "make", "prepare", "put together",
)  # fmt: skip
_OF_PLAY = (
    "play", "pretend", "game", "story", "scenario", "novel", "campaign", "dream", "fantasy", "book", "film", "movie",
    "sketch", "simulation", "character", "protagonist", "hero", "narrator", "avatar", "persona", "wizard", "paladin",
    "you are", "you're", "act as", "act like", "dungeons", "d&d", "comic", "musical", "script", "style of", "voice of",
    "fiction", "make-believe", "once upon", "alternate", "another life", "argument", "hypothetically", "experiment",
    "as a joke", "dreamt", "mock", "i'll be", "practi", "interview",
)  # fmt: skip
_TALE = re.compile(
    r"\b(?i:write|compose|continue|begin|start|tell)\b[^\n.:?!]{0,60}\b(?i:novel|story|scene|monologue|screenplay"
    r"|fanfic"
    r"|thriller|fairy tale|chapter)\b[^\n.:?!]{0,40}[.!]\s+(?=(?i:I'm|I am|my name)\b)"
)
"""A tale that is asked for, whose teller then says "I"."""
_OF_SONG = (":", "goes", "says", "said", "reads", "saying", "states")
_FOREIGN = (
    (_WORK_ON, _OF_MORE_WORK), (_WORK_ON_THIS, _OF_WORK), (_MAKE_UP, _OF_MAKING_UP), (_TALE, _OF_MAKING_UP),
    (_PLAY, _OF_PLAY), (_SUNG, _OF_SONG),
)  # fmt: skip


def own_words(message: str) -> str:
    """The speaker's own prose, with a gap where something else stood; empty where the whole message is foreign."""
    text = unfenced(message[:LONGEST])
    text = text if text.isascii() else text.translate(_QUOTE_MARKS)
    low = text.lower()
    if _any_of(_OF_INJECTION, low) and _INJECTED.search(text):
        return ""
    text = without_others(_without_fences(_without_draft(text)))
    text = _without_quotes(_without_lines(_without_tags(text)))
    if ": " in text:
        text = _QUOTED_LINE.sub(GAP, text)
    text = _before_foreign(text, low)
    return text if text.isascii() else _EMOJI.sub(" ", _EMOJI_END.sub(". ", text))


def spoken_words(message: str) -> str:
    """A message less what others said in it and what was made up; code, links and quotes stay."""
    text = message if message.isascii() else message.translate(_QUOTE_MARKS)
    low = text.lower()
    lines = (GAP if _others_turn(line) else line for line in without_others(text).split("\n"))
    return _before_foreign(_QUOTED_LINE.sub(GAP, "\n".join(lines)), low)


def _others_turn(line: str) -> bool:
    """A line that is marked as quoted, or that somebody else says of themself."""
    if line.startswith(">"):
        return True
    label = _LABEL.match(line)
    return label is not None and _names_speaker(label[1]) and _OF_ONESELF.search(line, label.end()) is not None


def _any_of(needles: tuple[str, ...], low: str) -> bool:
    """Whether a pattern has a chance: one of the words that it cannot do without occurs."""
    return any(needle in low for needle in needles)


def _without_fences(text: str) -> str:
    return _FENCES.sub(GAP, text) if "```" in text or "~~~" in text else text


def _without_tags(text: str) -> str:
    if "<" in text:
        text = _SIMPLE_TAG.sub(" ", _TAGGED.sub(GAP, text))
    return _LINK.sub(GAP, text) if "://" in text or "www." in text else text


def _before_foreign(text: str, low: str) -> str:
    """The text up to where a text to be worked on, a made-up one or a play begins."""
    cuts = [
        _sentence_start(text, found.start()) if kind is _PLAY else found.end()
        for kind, needles in _FOREIGN
        if _any_of(needles, low) and (found := kind.search(text)) is not None
    ]
    if not cuts:
        return text
    cut = min(cuts)
    return text[: _sentence_start(text, cut - 1)] + GAP


def _sentence_start(text: str, place: int) -> int:
    """Where the sentence begins that holds a place."""
    return max(text.rfind(mark, 0, max(place, 0)) for mark in (". ", "! ", "? ", "\n", ".\n")) + 1


_PASTED = re.compile(
    r"^(?:#{1,3} (?![^\n]*\b(?:[Mm]e|[Mm]y|[Oo]ur|[Uu]s|I)\b)[^\n]+|\[[A-Z][\w ]*\])\n(?:[ \t]*(?:[-*•]|\d{1,2}[.)])"
    r" [^\n]+\n)+"
    r"(?:\[/[^\n]*\]\n)?(?=\s*[^\n]*\?\s*\Z)",
    re.MULTILINE,
)
"""A list under a heading that a question follows: somebody's document, which the question is about."""


_JUDGED = re.compile(
    r"\s*(?:(?:so|ok|okay|hm+|and|but|well|hey|honestly|be honest|question)[ ,:]*)*(?:\^+|(?:is|does|do|are|was|would"
    r"|did|has|how"
    r" (?:is|does)) (?:this|that|it|the above|my (?:draft|text|wording|tone|message|mail|email|note"
    r"|reply))\b[^\n]{0,80}"
    r"\b(?:too|sound\w*|read(?!y)s?|come (?:across|over)|ok|okay|fine|clear|harsh|rude|polite|cold|blunt|send|correct"
    r"|grammatical|professional|json|yaml|valid|spam|legit|scam|phishing|real)\b|(?:can|could|should) I (?:send|say"
    r"|write)"
    r" (?:it|this|that)\b|(?:what do you think of|thoughts on|opinions on|feedback on) (?:this|that|it|the above"
    r"|my)\b)",
    re.IGNORECASE,
)
"""A question about the text above it: how it reads, what it is, whether it may be sent."""


def _without_draft(text: str) -> str:
    """A text without what stands above a last paragraph that only asks how that reads."""
    _, parted, last = text.rstrip().rpartition("\n")
    if not parted or _JUDGED.match(last) is None:
        return text
    return f"{GAP}\n{last}"


_RECORD = re.compile(
    r"^(?![^\n]*\b(?:[Mm]e|[Mm]y|I|[Oo]urs?|[Uu]s)\b)[^\n]*(?i:\b(?:user|profile|memor(?:y|ies)|customer|applicant"
    r"|candidate|contact|client|record|patient|saved|stored|known)\b)[^\n]*\n"
    r"(?:[ \t]*(?:[-*•] ?)?[\w ]{2,24}: ?[^\n]+(?:\n|\Z)){2,}",
    re.MULTILINE,
)
"""Fields under a heading that says they are of a user, a customer or the like: data, whoever it is about."""


def _without_lines(text: str) -> str:
    text = _RECORD.sub(f"{GAP}\n", _PASTED.sub(f"{GAP}\n", text))
    if "\n" not in text and not _odd_line(text):
        return text
    return "\n".join(GAP if _odd_line(line) else line for line in text.split("\n"))


def _odd_line(line: str) -> bool:
    """A line of a quote, a log, data or somebody else's turn."""
    if _BLOCK_QUOTE.match(line) or _LOG.match(line) or _DATA.match(line):
        return True
    return (label := _LABEL.match(line)) is not None and _names_speaker(label[1])


def _names_speaker(label: str) -> bool:
    first = label.split(maxsplit=1)[0].lower().rstrip(".")
    if first in _ROLES:
        return True
    return label[0].isupper() and first not in _DISCOURSE


def _code_or_word(found: re.Match[str]) -> str:
    return found[1] if _PLAIN_CODE.fullmatch(found[1]) else GAP


def _without_quotes(text: str) -> str:
    if "`" in text:
        text = _INLINE_CODE.sub(_code_or_word, text)
    if "'" in text or '"' in text:
        text = _SINGLE_QUOTED.sub(_quote_or_title, _DOUBLE_QUOTED.sub(_quote_or_title, text))
        return _OPEN_QUOTE.sub(GAP, text)
    return text


_EXCLAIMED = re.compile(r"(?!(?:I|I'm|We|My|Always|Never|No|Yes)\b)[\w'-]+(?: [\w'-]+)?[!.]")
"""A word or two that are only named: "stop saying 'Absolutely!'"."""


def _quote_or_title(found: re.Match[str]) -> str:
    """A short quoted name or title is the speaker's own; anything longer, or that speaks, is a quote."""
    inside = found[1].strip()
    if _EXCLAIMED.fullmatch(inside):
        return inside.rstrip("!.")
    if len(inside.split()) <= 5 and not _SPEAKING.search(inside) and not inside.endswith(("!", "?", ".")):
        return inside.rstrip(",")
    return GAP
