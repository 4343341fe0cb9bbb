"""First person turned into third: "I moved with my wife" becomes "Alice moved with Alice's wife"."""

import re

from recollect.understanding.keyless import vocabulary as words
from recollect.understanding.keyless.text import CAPITAL, pattern
from recollect.understanding.model import THE_USER

_MODALS = frozenset(["will", "would", "can", "cannot", "could", "must", "should", "shall", "may", "might", "ought"])
_INVARIANT = frozenset(["used", "was", "had", "did", "went"]) | words.IRREGULAR_PAST
_SAME_IN_PAST = frozenset(["read", "put", "set", "cut", "let", "cost", "shut", "split", "burst", "cast"])
_FAMILY = re.compile(
    r"\b(?:home|house|flat|apartment|kids?|children|baby|dogs?|cats?|puppy|kitten|married|wedding"
    r"|honeymoon|holidays?|vacation|family|daughter|son|parents|engaged|adopted|garden|trip|mortgage"
    r"|anniversary|divorced|pregnant|expecting|Christmas|road trip|camping|hiking|flying|moved|moving"
    r"|move to [A-Z]\w+|living together|at home|live|boys|girls|sons|daughters|twins|retriever|kitchen"
    r"|bathroom|sofa|neighbou?rs)\b"
)
_AT_WORK = re.compile(
    r"\b(?:team|company|project|product|office|release|database|API|customers?|clients?|servers?|service|queue"
    r"|stand-?up"
    r"|retro|sprint|deploy\w*|repo|backend|frontend|codebase|cloud|data|migrat\w+|Kubernetes|AWS|Azure"
    r"|Postgres\w*|Docker"
    r"|supplier|board|invoices?|hiring|vendor|software|website|app)\b"
)
_OWN_THINGS = (
    words.RELATIVES
    | words.PETS
    | {
        "house",
        "flat",
        "apartment",
        "home",
        "garden",
        "car",
        "wedding",
        "honeymoon",
        "anniversary",
        "family",
        "holiday",
        "trip",
        "mortgage",
        "baby",
        "bedroom",
        "kitchen",
        "cabin",
        "boat",
        "marriage",
        "rent",
        "neighbours",
        "neighbors",
        "landlord",
    }
)
_GROUPS = frozenset(
    {"team", "company", "group", "startup", "department", "firm", "family", "employer", "school", "band"}
)
_SUBJECT = re.compile(
    r"(?P<before>(?:^|[,;:] |\band |\bthat |\bwhere |\bwhen |\bbecause |\bwhile |\bso |\bthan |\bas "
    r"|\bbut |\bor |\bafter |\bbefore |\bsince |\buntil |\bwhich |\bwhat |\bif |\w ))(?P<who>I|[Ww]e) "
    rf"(?P<adverbs>(?:(?:no longer|{words.alternatives(words.ADVERBS)}) )*)(?P<verb>[a-z]+(?:'\w+)?)\b(?P<negated> "
    r"not\b)?"
)
_SECOND_VERB = re.compile(
    r"(?P<first>^(?:\w+ ){1,3}?(?:loves|hates|likes|lives|works|eats|drinks|uses|drives|plays|studies"
    r"|enjoys)\b(?:(?! to\b)[^,])*"
    r"(?:,| and| but|, and|, but) )(?P<verb>hate|love|like|live|work|eat|drink|use|drive|play|study|enjoy"
    r"|prefer|teach|speak)"
    r"(?= (?!it\b)\w)"
)
"""A second verb of one subject: "loves jollof, hate okra"."""
_JOINT = re.compile(
    rf"\b(?P<other>(?:my|our) [\w-]+(?: {CAPITAL})?"
    rf"|(?<!in )(?<!at )(?<!from )(?<!to )(?<!near )(?<!for )(?<!am )(?<!is )"
    rf"(?<!called ){CAPITAL}) and I\b(?! (?:am|was)\b)"
)
_JOINT_FIRST = re.compile(rf"\bI and (?P<other>(?:my|our) [\w-]+(?: {CAPITAL})?|{CAPITAL})\b")
_PERSON = re.compile(
    rf"(?:\b(?:{words.alternatives(words.RELATIVES | words.ACQUAINTANCES)})(?:,? (?P<name>{CAPITAL}))?\b"
    rf"|(?P<bare>\b{CAPITAL}\b))"
)
_AT_A_PLACE = re.compile(
    r"\b(?:in|at|near|around|outside|(?:moved|went|flew|drove|travell?ed|came|relocated|sailed) (?:\w+ )?to) $"
)
"""What stands before the name of a place rather than of somebody."""
_HE = re.compile(r"\b(?P<word>he|she|him|himself|herself)\b")
_HER = re.compile(r"\b(?:his|her)\b(?= \w)")
_KIN = re.compile(rf"\b(?:{words.alternatives(words.RELATIVES | words.ACQUAINTANCES)})\b")
_RELATIVES = re.compile(rf"\b(?:{words.alternatives(words.RELATIVES)}|landlord)\b")
_OF_A_THING = re.compile(
    r"(?P<thing>\b(?:the|an?|all|every|each|any) (?!one\b|other\b|same\b)[a-z][\w-]+\b.*?)\b(?:(?:its|their)(?= \w)"
    r"|(?<=instead of )\w+ing it\b|(?<=rather than )\w+ing it\b)"
)
"""A pronoun with what it stands for before it: "the protos in their own repo"."""
_OF_MANY = re.compile(
    r"^(?P<many>(?:The |\w+'s )?(?:[\w-]+ ){0,3}(?:[a-z]+[^s\W]s|[A-Z][a-z]+[^s]s|children|people) (?:are|have|must"
    r"|cannot|may|do|will|can)\b.*?)\btheir\b(?= \w)"
)
""" "Visitors … their own headphones"."""
_EMPTY_IT = re.compile(
    r"\b(?:if|unless|when|whenever|as long as|until|in case) it (?:is|was|gets) (?:an? (?:girl|boy|emergency|weekend"
    r"|weekday|holiday)|raining|snowing|dark|light|cold|hot|warm|wet|dry|sunny|windy|late|possible|necessary"
    r"|urgent|needed|under \w+|over \w+)\b"
    r"|\b(?:if|unless|when|whenever) it (?:rains|snows|freezes)\b"
)
"""The weather, the hour, a child to come: an "it" that needs no noun."""
_WHICH = re.compile(
    r"\b((?:an?|the|any|every|each|no|[\w-]+'s|one|nothing|anything|something|everything)"
    r" (?:(?!and\b|but\b|so\b|or\b)[\w-]+ ){0,5}?)that (?=(?:is|was|will|would|means)\b)"
)
""" "A workshop that is booked out": a "that" which its noun stands before."""
_LEFT = pattern(
    r"\b(?:I|me|my|mine|myself|we|us|our|ours|ourselves|you|your|yours|yourself|he|him|she|her|hers|his"
    r"|they|them|their|theirs|it|its|itself|this|these|those|here|that(?= ?$|[,.;]| (?:is|was|one|way"
    r"|will|would|means|stuff|thing|kind|sort|too|as|from|for|with|at|in|on)\b)|there(?! (?:is|are|was"
    r"|were|will|must|should|has|have|can|cannot|may)\b))\b",
    re.IGNORECASE,
)


def name_of(speaker: str | None) -> str:
    """What statements call the speaker."""
    return speaker or THE_USER


def told(text: str, speaker: str | None, past: bool = False) -> str:
    """A clause about its speaker, in the third person, as a sentence."""
    name = speaker or "the user"
    group = (
        f"{name}'s family"
        if (_FAMILY.search(text) or _RELATIVES.search(text)) and not _AT_WORK.search(text)
        else f"{name}'s team"
    )
    text = _JOINT.sub(lambda found: f"{_of(found['other'], name, group)} and {name}", text)
    text = _JOINT_FIRST.sub(lambda found: f"{name} and {_of(found['other'], name, group)}", text)
    text = _SUBJECT.sub(lambda found: _agreeing(found, name, group, past), text)
    text = _possessives(_SECOND_VERB.sub(lambda found: f"{found['first']}{third(found['verb'])}", text), name, group)
    text = _third_persons(text, name)
    return sentence(text)


def sentence(text: str) -> str:
    """The text as a sentence: a capital first, a period last, single spaces."""
    text = re.sub(r"\s+", " ", text).strip(" ,;:.!?-–—(")
    text = re.sub(r"\s+([,.;])", r"\1", text)
    if text.count("(") != text.count(")"):
        text = text.replace("(", "").replace(")", "")
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def unresolved(text: str) -> bool:
    """Whether a pronoun or a pointing word is left that only the talk around could explain."""
    first = _HE.search(text) or _HER.search(text)
    if first is not None and _KIN.search(text, 0, first.start()):
        text = _HER.sub("", _HE.sub("", text))
    text = _WHICH.sub(r"\1", _EMPTY_IT.sub("", _OF_MANY.sub(r"\g<many>", _OF_A_THING.sub(r"\g<thing>", text))))
    return _LEFT.search(text) is not None


def _of(other: str, name: str, group: str) -> str:
    return re.sub(r"^(?:my|our)\b", f"{name}'s", other)


def _agreeing(found: re.Match[str], name: str, group: str, past: bool) -> str:
    who = name if found["who"] == "I" else group
    verb, negated = found["verb"], found["negated"] or ""
    return f"{found['before']}{who} {_moved_adverbs(found['adverbs'], third(verb, past))}{negated}"


def _moved_adverbs(adverbs: str, verb: str) -> str:
    """ "also is" reads better as "is also"."""
    said = adverbs.strip()
    return f"{verb} {said}" if said and verb in {"is", "was", "has", "will", "must"} else f"{adverbs}{verb}"


def third(verb: str, past: bool = False) -> str:
    """A verb as it goes with a name."""
    plain = {"am": "is", "are": "is", "have": "has", "do": "does", "were": "was"}
    if verb in plain:
        return plain[verb]
    if "'" in verb or verb in _MODALS or verb in _INVARIANT or _is_past(verb) or (past and verb in _SAME_IN_PAST):
        return verb
    if verb.endswith(("s", "x", "z", "ch", "sh")):
        return f"{verb}es" if not verb.endswith("s") or verb.endswith("ss") else verb
    if verb.endswith("o"):
        return f"{verb}es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}s"


def _is_past(verb: str) -> bool:
    return verb.endswith("ed") and verb not in {"need", "feed", "speed", "breed", "weed", "bleed", "seed", "heed"}


def _possessives(text: str, name: str, group: str) -> str:
    text = re.sub(
        r"\b(?:[Oo]ur) (?=([\w-]+))",
        lambda found: (
            f"{name}'s "
            if found[1].lower() in _OWN_THINGS
            or found[1].lower() in _GROUPS
            or found[1].lower().removesuffix("s") in _OWN_THINGS
            or (group.endswith("family"))
            else f"{group}'s "
        ),
        text,
    )
    text = re.sub(r"\bon (?:my|our) own\b", "alone", text)
    text = re.sub(r"\b[Mm]y own\b|\b[Mm]y\b", f"{name}'s", text)
    text = re.sub(r"\b(?:mine|(?<=at )ours)\b", f"{name}'s", text)
    text = re.sub(r"\b(?:all )?by myself\b", "alone", text)
    text = re.sub(r" (?:myself|ourselves)(?=$|[,.;])", "", text)
    text = re.sub(r"\b(?:me|myself)\b", name, text)
    text = re.sub(r"\b(?:us|ourselves)\b", group, text)
    text = re.sub(r"\bI\b", name, text)
    return re.sub(r"\b[Ww]e\b", group, text)


def _third_persons(text: str, name: str) -> str:
    """ "he" and "she" replaced by whom the sentence names before them."""
    first = _HE.search(text) or _HER.search(text)
    if first is None:
        return text
    named = [
        each
        for each in _PERSON.finditer(text, 0, first.start())
        if each["bare"] != name and not (each["bare"] and _AT_A_PLACE.search(text, 0, each.start()))
    ]
    if not named:
        return text
    person = named[-1]["name"] or named[-1]["bare"]
    if not person or person in {"The", "User"}:
        return text
    text = text[: first.start()] + _HER.sub(f"{person}'s", text[first.start() :])
    return text[: first.start()] + _HE.sub(person, text[first.start() :])
