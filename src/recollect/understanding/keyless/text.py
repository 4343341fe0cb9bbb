"""Small things that all rules share: patterns written with named pieces, and contractions written out."""

import re
from functools import lru_cache

from recollect.understanding.keyless import vocabulary as words

_UPPER = "A-ZÀ-ÖØ-ÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮİĴĶĹĻĽŁŃŅŇŌŎŐŔŖŘŚŜŞŠŢŤŨŪŬŮŰŲŴŶŸŹŻŽΑ-ΩА-Я"
CAPITAL = rf"[{_UPPER}](?:[\w-]|'(?!s\b)(?=\w\w))*"
NAME = rf"{CAPITAL}(?:(?: (?:van|von|de|da|der|del|di|al|bin|la|le))? {CAPITAL}){{0,2}}"
PLACE = (
    rf"(?:[Tt]he )?(?:St\. |Mt\. |Ft\. )?{CAPITAL}"
    rf"(?:(?: (?:de|da|do|di|del|la|le|of|upon|am|sur|dos|das|el|e)){{0,2}}[ -]{CAPITAL}){{0,3}}"
)
ADVERB = f"(?:(?:{words.alternatives(words.ADVERBS)}) )"
RELATIVE = words.alternatives(words.RELATIVES)
ACQUAINTANCE = words.alternatives(words.ACQUAINTANCES)
END = (
    r"(?=$|[,;:.!()–—]| (?:back|and|but|so|because|since|for|with|from|now|these|right|at|as|in|on|by|too"
    r"|though|although|anyway|currently|already|which"
    r"|who|where|until|after|before|when|while|near|yet|again|if|or|to|instead|this|that|is|was|btw|then"
    r"|than|also|over|most|here|about|via|not|these days|nowadays|only|last|every|full|part|rather|today"
    r"|all)\b)"
)
_PIECES = {
    "<I>": f"I {ADVERB}*",
    "<AM>": f"I (?:am|was recently|have been) {ADVERB}*",
    "<NAME>": NAME,
    "<PLACE>": PLACE,
    "<CAP>": CAPITAL,
    "<END>": END,
    "<ADV>": ADVERB,
    "<REL>": f"(?:{RELATIVE})",
    "<ACQ>": f"(?:{ACQUAINTANCE})",
    "<N>": r"(?:\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty)",
    "<MONTH>": r"(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb"
    r"|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)",
    "<DAY>": r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day",
}


@lru_cache(maxsize=1024)
def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern in which named pieces such as <PLACE> stand for longer ones."""
    for piece, meaning in _PIECES.items():
        source = source.replace(piece, meaning)
    return re.compile(source, flags)


def any_of(listed: tuple[str, ...] | frozenset[str]) -> str:
    """Any of the listed words, as a piece of a pattern."""
    return f"(?:{words.alternatives(listed)})"


_CONTRACTIONS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(source), meaning)
    for source, meaning in (
        (r"\b[Ii][´`]", "I'"),
        (r"(?<![\w'.@/-])i(?=$|[ ,'])", "I"),
        (r" & (?=[a-z])", " and "),
        (r" AND (?=[Iim])", " and "),
        (r"(?<= )NOT(?= [a-z])", "not"),
        (r"\b(?:I'm|[Ii]m|I'M)(?= )", "I am"),
        (r"\b(?:I've|[Ii]ve|I'VE)(?= )", "I have"),
        (r"\b(?:I'll|I'LL)(?= )", "I will"),
        (r"\b(?:I'd|I'D) (?=(?:been|had|just|already|never|always|gone|done|\w+ed)\b)", "I had "),
        (r"\b(?:I'd|I'D)(?= )", "I would"),
        (r"\b([Ww])e're\b", r"\1e are"),
        (r"\b([Ww])e've\b", r"\1e have"),
        (r"\b([Ww])e'll\b", r"\1e will"),
        (r"\b([Ww])e'd (?=(?:been|had|just|already|never|gone|done|\w+ed)\b)", r"\1e had "),
        (r"\b([Ww])e'd\b", r"\1e would"),
        (r"\b([Yy])ou're\b", r"\1ou are"),
        (r"\b([Yy])ou've\b", r"\1ou have"),
        (r"\b([Yy])ou'll\b", r"\1ou will"),
        (r"\b([Tt])hey're\b", r"\1hey are"),
        (r"\b([Tt])hey've\b", r"\1hey have"),
        (r"\b([Ll])et's\b", r"\1et us"),
        (r"\b([Cc])(?:an't|ant|an not)\b", r"\1annot"),
        (r"\b([Ww])(?:on't|ont)\b", r"\1ill not"),
        (r"\b([Ss])han't\b", r"\1hall not"),
        (
            r"\b([Dd]o|[Dd]oes|[Dd]id|[Ii]s|[Ww]as|[Aa]re|[Ww]ere|[Hh]as|[Hh]ave|[Hh]ad|[Mm]ust|[Ss]hould"
            r"|[Ww]ould|[Cc]ould|[Nn]eed)n't\b",
            r"\1 not",
        ),
        (r"\b([Dd]o|[Dd]oes|[Dd]id|[Ii]s|[Hh]ave|[Hh]as)nt\b", r"\1 not"),
        (r"\b([Ii]t|[Tt]hat|[Tt]here|[Ww]hat|[Ww]here)'s (?=(?:been|got|had)\b)", r"\1 has "),
        (
            r"\b([Hh]e|[Ss]he|[Ww]ho)'s (?=(?:been|got|had|taken|gone|become|begun|started|bought|found"
            r"|left|lost|made|written|done|just \w+ed|always|never|(?!called|named|retired|married|divorced"
            r"|engaged|based|aged|widowed|separated|interested|obsessed|scared|excited|worried|tired|bored|supposed"
            r"|allowed|disabled|gifted|talented|experienced)\w+ed)\b)",
            r"\1 has ",
        ),
        (r"\b([Hh]e|[Ss]he|[Ii]t|[Tt]hat|[Tt]here|[Ww]hat|[Ww]here|[Ww]ho|[Hh]ow)'s\b", r"\1 is"),
        (r"\b([Hh]e|[Ss]he|[Ii]t|[Tt]hey|[Tt]here)'ll\b", r"\1 will"),
        (r"\b([Ii]t)s (?=(?:the|an?|not|going|in (?:the|our|my)|only|just|too)\b)", r"\1 is "),
        (
            r"(?<!\bmaste)(?<!\bbachelo)(?<!\bMaste)(?<!\bBachelo)(\w)'s (?=(?:a|an|the|not|from|in|on|at|out|with"
            r"|off|also|now|still|always|only|so|having"
            r"|diabetic|coeliac|celiac|deaf|blind|retired|married|divorced|single|autistic|dyslexic"
            r"|allergic|vegan|vegetarian|getting|going|turning|pregnant|called|named|due|moving|coming"
            r"|starting|visiting|just|very|really|\d+)\b)",
            r"\1 is ",
        ),
        (
            r"(\w)'s (?=(?:been|got|lived|worked|moved|decided|taken|started|had|just started|picked|chosen|agreed"
            r"|voted"
            r"|settled on|gone with|opted|approved|ruled out|signed off)\b)",
            r"\1 has ",
        ),
        (r"\b(name)'s (?=[A-Z])", r"\1 is "),
        (r"\bhubby\b", "husband"),
        (r"\b([Mm]y) sis\b", r"\1 sister"),
        (r"\bbday\b|\bb-day\b", "birthday"),
        (r"\b(my|My) gf\b", r"\1 girlfriend"),
        (r"\b(my|My) bf\b", r"\1 boyfriend"),
        (r"\b([Bb]udget|[Bb]irthday|[Dd]eadline)'s (?=[\d$€£]|on |[A-Z])", r"\1 is "),
        (r"\b(date|opening|party|interview|exam|flight)'s (?=\d|[A-Z]|next |this |tomorrow|on )", r"\1 is "),
        (r"\b([Nn]ever), ever\b", r"\1 ever"),
        (r"\bgonna\b", "going to"),
        (r"\bwanna\b", "want to"),
        (r"\bgotta\b", "have to"),
        (
            r"\b(have|has|had) got (?!to\b|used|rid|stuck|lost|better|worse|married|engaged|divorced"
            r"|fired|accepted|promoted|back|it\b|into|on\b|hired|laid|going|\w+ed\b|this|that|you)",
            r"\1 ",
        ),
        (r"\b(have|has) got to\b", r"\1 to"),
    )
)


def _needle(source: str) -> str:
    """What a text must hold, in lower case, for a contraction to have a chance; empty where that is not known."""
    for needle in ("'ve\\b", "'re\\b", "'ll\\b", "'d\\b", "shan't", "'s ", "'s\\b", "hubby", "gonna", "wanna", "gotta"):
        if needle in source.replace("[Ss]han't", "shan't"):
            return needle.removesuffix("\\b").replace("shan't", "n't")
    known = {
        " sis\\b": " sis",
        " gf\\b": " gf",
        " bf\\b": " bf",
        ") got": " got ",
        " & ": " & ",
        "n't\\b": "n't",
        "nt\\b": "nt",
        "t)s (?=": "its ",
    }
    if "|" in source and "an't|ant" in source:
        return "can"
    if "on't|ont" in source:
        return "won"
    return next((needle for end, needle in known.items() if end in source), "")


_GUARDED = tuple((_needle(found.pattern), found, meaning) for found, meaning in _CONTRACTIONS)


def written_out(text: str) -> str:
    """The text with its contractions written out, so that a rule needs one form only."""
    low = text.lower()
    for needle, found, meaning in _GUARDED:
        if needle in low:
            text = found.sub(meaning, text)
    return text
