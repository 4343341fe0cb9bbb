"""Summaries without a model: the sentences that carry a stretch of talk, told in the third person.

Sentences are weighed by the words that run through the stretch, by what they are (decisions and facts before
questions, questions before explanations, chatter last) and by where they stand; the best that fit are told in the
order in which they were said. Person is changed where that is safe, and a sentence is quoted where it is not: a
clumsy sentence is better than a false one.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from recollect.core.terms import STOP_WORDS, count_together, runs_together, terms
from recollect.understanding.model import THE_USER, Line, Summary
from recollect.understanding.writing import cut, is_past, sentences

THE_ASSISTANT = "The assistant"
MOST_MERGED_TOPICS = 12
# Of one message, and of all that are weighed: a pasted book must not make a summary slow.
_MOST_SENTENCES = 200
_MOST_TRIED = 80
_CHARACTERS = 4  # of a token, roughly


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def rough_tokens(text: str) -> int:
    """How many tokens a text has, roughly: four characters each, one where characters are words."""
    together = count_together(text)
    return together + math.ceil((len(text) - together) / _CHARACTERS)


def summarise(lines: Sequence[Line], most_tokens: int = 150) -> Summary:
    """A stretch of talk in few words, and what it was about; empty only where no line has a word."""
    return Summary(_told(lines, most_tokens).text, key_topics(lines))


def outline(lines: Sequence[Line], most_tokens: int = 300) -> Summary:
    """Very many messages in few words; what it was about is looked for in the messages that these words tell of."""
    told = _told(lines, most_tokens)
    places = sorted({candidate.place[0] for candidate in told.chosen})
    return Summary(told.text, key_topics([lines[place] for place in places]))


def gist(
    lines: Sequence[Line],
    most_sentences: int = 2,
    most_tokens: int = 100,
    *,
    written: bool = False,
    to: str | None = None,
) -> str:
    """The few sentences that say most of a document, in its order; as they stand where it is written by nobody named.

    `to` is who is meant by "you" where no other speaker answers.
    """
    tell = _as_it_stands if written else _reported
    return _told(lines, most_tokens, most_sentences=most_sentences, tell=tell, to=to).text


def merge(older: Summary, newer: Summary, most_tokens: int = 300) -> Summary:
    """Two stretches as one; where they are too long together the older one is condensed first."""
    earlier, then = _flat(older.text), _flat(newer.text)
    topics = _distinct((*newer.topics, *older.topics), MOST_MERGED_TOPICS)
    ordered = tuple(sorted(topics, key=[*older.topics, *newer.topics].index))
    if not earlier or not then:
        return Summary(_condensed(earlier or then, most_tokens), ordered)
    whole = f"Earlier: {earlier}\n\nThen: {then}"
    if rough_tokens(whole) > most_tokens:
        then = _condensed(then, most_tokens * 2 // 3)
        earlier = _condensed(earlier, most_tokens - rough_tokens(f"Earlier: \n\nThen: {then}") - 1)
        whole = f"Earlier: {earlier}\n\nThen: {then}" if earlier else f"Then: {then}"
    return Summary(whole, ordered)


def speaker_of(line: Line) -> str:
    """The name by which a summary calls the one who said a line."""
    if line.speaker:
        return line.speaker
    return THE_ASSISTANT if line.role in {"assistant", "tool", "system"} else THE_USER


def prose(text: str) -> str:
    """What of a message is talk: no code, no tables, no marks of lists, headings and emphasis."""
    text = re.sub(r"```.*?(?:```|\Z)", " ", text, flags=re.DOTALL)
    text = re.sub(r"^[ \t]*(?:#{1,6}|[-*•>]|\d{1,2}[.)])[ \t]+|^[ \t]*\|.*$", "", text, flags=re.MULTILINE)
    return re.sub(r"\*\*|__|`", "", text)


# --- Choosing -----------------------------------------------------------------------------------------------------

_CHATTER = _set("""
    hi hello hey thanks thank ok okay yes no yeah yep nope sure great good nice cool perfect awesome wonderful excellent
    lovely morning evening afternoon night bye goodbye welcome please sorry glad happy help enjoy cheers haha ha lol wow
    noted understood right exactly indeed fine well oh ah um hmm got done works sounds sound looks look hear see you
    fun luck course absolutely definitely problem worries pleasure day weekend time let know anything else
    """)
_DECIDED = re.compile(
    r"\b(?:decided|agreed|chose|settled on|went with|go(?:ing)? with|switched|changed (?:my|our)|will use|it is for)\b",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"\b(?:my (?:name|job|birthday|deadline|budget|pronouns|timezone|team|company|goal|wife|husband|partner|son"
    r"|daughter|sister|brother)|i(?:'m| am) (?:a|an|allergic|not|based|from|vegan|vegetarian)"
    r"|i (?:live|work|prefer|use|like|love|hate|need|want|have|own|moved|bought|no longer|never|always)"
    r"|we (?:use|need|must|have|run|want)|must|deadline|budget|due|fixed|solved|finished|released|shipped|failed|broke"
    r"|bug|issue|error)\b",
    re.IGNORECASE,
)
_POINTING = re.compile(r"(?:that|this|it|there|these|those|they)(?:'s|'re)?\b", re.IGNORECASE)
_FIGURES = re.compile(r"\d")
_ROLE_WEIGHT = {"user": 1.0, "assistant": 0.7, "tool": 0.2, "system": 0.1}


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    place: tuple[int, int]
    line: Line
    sentence: str
    terms: frozenset[str]
    to: str
    """Who is spoken to."""


class _Telling(NamedTuple):
    text: str
    chosen: Sequence[_Candidate]


def _told(
    lines: Sequence[Line],
    most_tokens: int,
    *,
    most_sentences: int = _MOST_TRIED,
    tell: "Callable[[_Candidate], str] | None" = None,
    to: str | None = None,
) -> _Telling:
    candidates = _candidates(lines, to)
    meaningful = [candidate for candidate in candidates if not _is_chatter(candidate)]
    weights = _weights(meaningful)
    ranked = sorted(meaningful or candidates, key=lambda one: (-_score(one, weights), one.place))
    chosen: list[_Candidate] = []
    told = ""
    reported = cache(tell or _reported)
    for candidate in ranked[:_MOST_TRIED]:
        if len(chosen) == most_sentences:
            break
        if _is_too_much(candidate, reported(candidate), told, most_tokens) or _repeats(candidate, chosen):
            continue
        longer = sorted([*chosen, candidate], key=lambda one: one.place)
        if rough_tokens(text := _narrated(longer, reported)) <= most_tokens:
            chosen, told = longer, text
    if chosen:
        return _Telling(told, chosen)
    return _Telling(_fitted(_narrated(ranked[:1], reported), most_tokens), ranked[:1])


def _is_too_much(candidate: _Candidate, clause: str, told: str, most_tokens: int) -> bool:
    """Whether a clause cannot fit, wherever it joins what is told: it saves two leads at most, its own and the next."""
    return len(told) + len(clause) - 2 * len(_lead(candidate.line)) > _CHARACTERS * most_tokens


def _candidates(lines: Sequence[Line], to: str | None = None) -> list[_Candidate]:
    """Every sentence; where there is only code, the code."""
    found = []
    for place, line in enumerate(lines):
        said = prose(line.text)
        parts = sentences(said if re.search(r"\w", said) else line.text)[:_MOST_SENTENCES]
        spoken_to = _listener(lines, place, to)
        found += [
            _Candidate((place, part), line, sentence, frozenset(terms(sentence)), spoken_to)
            for part, sentence in enumerate(map(_opened, parts))
            if re.search(r"\w", sentence)
        ]
    return found


_OPENING = re.compile(
    r"(?:(?:by the way|btw|before i forget|actually|okay|ok|oh|ah|ha|well|anyway|hi|hello|hey|thanks|thank you|great"
    r"|nice|perfect|cool|good morning|morning|evening|sure|yes|no|right|alright|understood|noted|got it|one more thing)"
    r"(?: \w+)?[,:!.–—-]+\s+)+",
    re.IGNORECASE,
)


def _opened(sentence: str) -> str:
    """A sentence without the words that only lead up to it."""
    match = _OPENING.match(sentence)
    rest = sentence[match.end() :] if match else ""
    return rest[0].upper() + rest[1:] if len(rest.split()) > 1 else sentence


def _listener(lines: Sequence[Line], place: int, to: str | None) -> str:
    """The nearest other speaker before, else after, else whoever is usual."""
    me = speaker_of(lines[place])
    others = [speaker_of(line) for line in (*reversed(lines[:place]), *lines[place + 1 :])]
    usual = to or (THE_USER if lines[place].role == "assistant" else THE_ASSISTANT)
    return next((other for other in others if other != me), usual)


def _is_chatter(candidate: _Candidate) -> bool:
    sentence = candidate.sentence
    words = re.findall(r"[^\W\d_]+", sentence.lower())
    if not sentence.isascii() and any(map(runs_together, words)):
        return len("".join(words)) < 5
    telling = [word for word in words if word not in STOP_WORDS and word not in _CHATTER]
    return len(telling) < 2 and not (telling and (_DECIDED.search(sentence) or _STATED.search(sentence)))


def _weights(candidates: Sequence[_Candidate]) -> dict[str, float]:
    """What each word counts: more with every message that has it, less than proportionally."""
    held_by = Counter(
        term for one in {(each.place[0], term) for each in candidates for term in each.terms} for term in one[1:]
    )
    return {term: math.log1p(held) for term, held in held_by.items()}


def _score(candidate: _Candidate, weights: dict[str, float]) -> float:
    central = sum(weights.get(term, 0.0) for term in candidate.terms) / math.sqrt(max(len(candidate.terms), 4))
    sentence = candidate.sentence
    own = candidate.line.role == "user"
    worth = 1.5 * bool(own and _DECIDED.search(sentence)) + 1.2 * bool(own and _STATED.search(sentence))
    worth += 0.3 * bool(_FIGURES.search(sentence)) + 0.4 / (1 + candidate.place[1])
    worth += 0.4 * sentence.endswith(("?", "？")) * own
    worth -= 0.8 * bool(_POINTING.match(sentence))
    return max(central + worth, 0.1) * _ROLE_WEIGHT.get(candidate.line.role, 0.5) / (1 + len(sentence) / 400)


def _repeats(candidate: _Candidate, chosen: Iterable[_Candidate]) -> bool:
    return any(
        len(candidate.terms & other.terms) > 0.6 * max(min(len(candidate.terms), len(other.terms)), 1)
        and not any(map(_has_digit, candidate.terms ^ other.terms))
        for other in chosen
    )


def _has_digit(term: str) -> bool:
    return any(map(str.isdigit, term))


def _fitted(text: str, most_tokens: int) -> str:
    """As much of a text as fits; a letter at least."""
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if rough_tokens(cut(text, middle)) <= most_tokens else (low, middle - 1)
    short = cut(text, low)
    return short if any(map(str.isalnum, short)) else next((char for char in text if char.isalnum()), "")


# --- Telling ------------------------------------------------------------------------------------------------------


def _narrated(chosen: Sequence[_Candidate], reported: Callable[[_Candidate], str]) -> str:
    """The sentences told one after the other; an answer follows its question after a semicolon."""
    told = [reported(candidate) for candidate in chosen]
    text = told[0] if told else ""
    for (before, after), (last, clause) in zip(pairwise(chosen), pairwise(told), strict=True):
        answered = before.sentence.endswith("?") and before.line.role == "user" and after.line.role == "assistant"
        lead = _lead(after.line)
        if _same_voice(before.line, after.line) and clause.startswith(lead) and last.startswith(lead):
            text = f"{text} {clause.removeprefix(lead)}"
        elif answered and clause.startswith(THE_ASSISTANT):
            text = f"{text.removesuffix('.')}; {clause[0].lower()}{clause[1:]}"
        else:
            text = f"{text} {clause}"
    return text


def _same_voice(one: Line, other: Line) -> bool:
    """Whether one goes on in the other: the same message, or the same person by name."""
    return one is other or (one.speaker is not None and one.speaker == other.speaker)


def _reported(candidate: _Candidate) -> str:
    sentence = cut(" ".join(candidate.sentence.split()), 400)
    who = speaker_of(candidate.line)
    if sentence.endswith(("?", "？")):
        return asked(sentence, who, candidate.to)
    told = third_person(sentence, who, candidate.to)
    if told.startswith((who, "The group")) and not sentence.startswith(who):
        return _closed(told)
    return _closed(f"{_lead(candidate.line)}{told}")


def _as_it_stands(candidate: _Candidate) -> str:
    return _closed(cut(" ".join(candidate.sentence.split()), 400))


def _lead(line: Line) -> str:
    return f"{speaker_of(line)} {'explained' if line.role == 'assistant' else 'said'}: "


def _closed(text: str) -> str:
    bare = text.rstrip(" ,;:!")
    return bare if bare.rstrip('"”’)').endswith((".", "…", "。", "？", "?", "！")) else f"{bare}."


_ASKED: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), told)
    for pattern, told in (
        (r"^(?:so |and |but |now )*(?:what|how) about (?P<rest>.+)", "asked about {rest}"),
        (r"^(?:so |and )*what(?:'s| is| are| was| were) (?P<rest>(?:the|a|an|my|your|our) .+)", "asked about {rest}"),
        (r"^(?:so |and )*(?:can|could|would|will) you (?:please |also )*(?P<rest>[a-z]+ .+)", "asked {to} to {rest}"),
        (r"^(?:so |and )*how (?:do|can|should|would|could|might) (?:i|we|one|you) (?P<rest>.+)", "asked how to {rest}"),
        (r"^(?:so |and )*(?:is|are) there (?P<rest>.+)", "asked whether there was {rest}"),
        (r"^(?:and )(?P<rest>[a-z ]{3,30})$", "asked about {rest}"),
    )
)


def asked(question: str, who: str, to: str) -> str:
    """A question told in the third person, quoted where its word order would have to change."""
    bare = question.rstrip("?？ ")
    before, _, last = bare.rpartition(", ")
    for pattern, told in _ASKED:
        match = pattern.match(bare) or (pattern.match(last) if len(before) < 40 else None)
        if match:
            rest = third_person(match["rest"], who, to)
            return f"{who} {told.format(rest=rest, to=_inside(to))}."
    return f'{who} asked: "{bare}?"'


def _inside(name: str) -> str:
    """A name as it stands inside a sentence."""
    return name[0].lower() + name[1:] if name in {THE_USER, THE_ASSISTANT} else name


_SAME_FORM = _set("can could will would should must may might shall did had was")
_ADVERBS = "(?P<adverb>(?:(?:also|just|always|never|no longer|now|still|often|[a-z]+ly|already) )?)"
_I_VERB = re.compile(rf"\bI {_ADVERBS}(?P<verb>[a-z]+)\b(?!')")
_YOU_VERB = re.compile(r"\b[Yy]ou (?P<verb>[a-z]+)\b(?!')")
_WE_VERB = re.compile(r"\b[Ww]e (?P<verb>[a-z]+)\b(?!')")
_SHIFTS: tuple[tuple[str, str, str], ...] = (
    ("I", r"\bI'm\b|\bI am\b", "{who} is"),
    ("I", r"\bI've\b|\bI have\b", "{who} has"),
    ("I", r"\bI'll\b", "{who} will"),
    ("I", r"\bI'd(?= (?:\w+ly )?(?:\w+(?:ed|en)|been|gone|done)\b)", "{who} had"),
    ("I", r"\bI'd\b", "{who} would"),
    ("I", r"\bI don't\b|\bI do not\b", "{who} does not"),
    ("I", r"\bI haven't\b", "{who} has not"),
    ("we", r"\b[Ww]e're\b", "the group is"),
    ("we", r"\b[Ww]e've\b|\b[Ww]e have\b", "the group has"),
    ("we", r"\b[Ww]e'll\b", "the group will"),
    ("we", r"\b[Ll]et's\b", "the group should"),
    ("we", r"\b[Ww]e are\b", "the group is"),
    ("we", r"\b[Ww]e were\b", "the group was"),
    ("you", r"\b[Yy]ou're\b|\b[Yy]ou are\b", "{to} is"),
    ("you", r"\b[Yy]ou've\b|\b[Yy]ou have\b", "{to} has"),
    ("you", r"\b[Yy]ou'll\b", "{to} will"),
    ("you", r"\b[Yy]ou'd\b", "{to} would"),
    ("you", r"\b[Yy]ou don't\b|\b[Yy]ou do not\b", "{to} does not"),
)
_OWNED: tuple[tuple[str, str, str], ...] = (
    ("I", r"\b[Mm]y\b", "{who}'s"),
    ("I", r"\b[Mm]yself\b", "{who}"),
    ("I", r"\bme\b", "{who}"),
    ("I", r"\bmine\b", "{who}'s"),
    ("I", r"\bI\b", "{who}"),
    ("we", r"\b[Oo]urs?\b", "{who}'s"),
    ("we", r"\b[Ww]e\b|\bus\b", "the group"),
    ("you", r"\b[Yy]ours?\b", "{to}'s"),
    ("you", r"\b[Yy]ourself\b|\b[Yy]ou\b", "{to}"),
)
_PERSON = re.compile(
    r"\b(?:(?P<I>I|me|mine|[Mm]y|[Mm]yself)|(?P<we>[Ww]e|us|[Oo]urs?|[Ll]et's)|(?P<you>[Yy]ou|[Yy]ours?|[Yy]ourself))\b"
)
"""A word that all of these begin with, by its person: a text without any is told as it is."""
_QUOTE = re.compile(r"(\"[^\"]*\"|“[^”]*”)")


@lru_cache(maxsize=4_096)  # a sentence is told again with every one that is tried beside it
def third_person(text: str, who: str, to: str) -> str:
    """What `who` said to `to`, with both by name; quotations stay as they are."""
    parts = _QUOTE.split(text.replace("’", "'"))
    told = "".join(part if place % 2 else _shifted(part, who, to) for place, part in enumerate(parts))
    return told[:1].upper() + told[1:] if text[:1].isupper() else told


def _shifted(text: str, who: str, to: str) -> str:
    persons = {found.lastgroup for found in _PERSON.finditer(text)}
    if not persons:
        return text
    one, other = _inside(who), _inside(to)
    for person, pattern, told in _replaced(_SHIFTS, one, other):
        if person in persons:
            text = pattern.sub(told, text)
    text = _I_VERB.sub(lambda match: f"{one} {match['adverb']}{_conjugated(match['verb'])}", text)
    text = _YOU_VERB.sub(lambda match: f"{other} {_conjugated(match['verb'])}", text)
    text = _WE_VERB.sub(lambda match: f"the group {_conjugated(match['verb'])}", text)
    for person, pattern, told in _replaced(_OWNED, one, other):
        if person in persons:
            text = pattern.sub(told, text)
    return text


@lru_cache(maxsize=256)
def _replaced(table: tuple[tuple[str, str, str], ...], who: str, to: str) -> list[tuple[str, re.Pattern[str], str]]:
    """What stands for what between two people, and in which person it is said."""
    return [
        (person, re.compile(pattern), told.format(who=who, to=to).replace("\\", r"\\"))
        for person, pattern, told in table
    ]


def _conjugated(verb: str) -> str:
    """The form that goes with a name: "I like", "Alice likes"; past and modal verbs stay."""
    if verb in _SAME_FORM or is_past(verb) or verb.endswith(("ing", "ly")) or verb in STOP_WORDS - {"do", "have"}:
        return verb
    if verb in {"have", "do", "go"}:
        return {"have": "has", "do": "does", "go": "goes"}[verb]
    if verb.endswith(("s", "sh", "ch", "x", "z")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if re.search(r"[^aeiou]y$", verb) else f"{verb}s"


# --- Merging ------------------------------------------------------------------------------------------------------

_MARKS = re.compile(r"\b(?:Earlier|Then):\s*")


def _flat(text: str) -> str:
    """The text of a summary without the marks of earlier merges."""
    return " ".join(_MARKS.sub("", text).split())


def _condensed(text: str, most_tokens: int) -> str:
    """The sentences that say most of a text, in order, within a budget; later ones win where they say as much."""
    if rough_tokens(text) <= most_tokens:
        return text
    if most_tokens <= 0:
        return ""
    parts = [(place, part, frozenset(terms(part))) for place, part in enumerate(sentences(text)[-_MOST_SENTENCES:])]
    held_by = Counter(term for _, _, found in parts for term in found)
    chosen: list[tuple[int, str]] = []
    while parts:
        best = max(parts, key=lambda one: (_density(one[1], one[2], held_by), one[0]))
        parts.remove(best)
        longer = sorted([*chosen, best[:2]])
        if rough_tokens(" ".join(part for _, part in longer)) <= most_tokens:
            chosen = longer
            # What has been told counts for less, so that ten sentences alike do not crowd out the eleventh.
            held_by.subtract({term: held_by[term] - 1 for term in best[2] if held_by[term] > 1})
    return " ".join(part for _, part in chosen) if chosen else _fitted(text, most_tokens)


_KEEP = re.compile(
    r"\b(?:decided|agreed|switched|chose|prefers|lives in|works at|allergic|is a|uses|no longer|birthday|deadline|must"
    r"|finished|fixed|solved|released)\b"
)


def _density(part: str, found: frozenset[str], held_by: Counter[str]) -> float:
    central = sum(math.log1p(held_by[term]) for term in found) / math.sqrt(max(len(found), 4))
    return (central + bool(_KEEP.search(part))) / (1 + len(part) / 300)


# --- Topics -------------------------------------------------------------------------------------------------------

_TOPIC_WORD = re.compile(r"[^\W_][\w+#]*(?:[-'’./&][\w+#]+)*")
_EMPTY_WORDS = (
    STOP_WORDS
    | _CHATTER
    | _set("""
    thing things way ways lot lots something anything everything nothing someone bit kind sort example point part side
    question answer idea today tomorrow yesterday now week month year hour hours minute minutes days weeks months years
    first second third last next new old big small little long short many much few several better best worse more less
    want wants wanted need needs use uses used using like likes liked love make makes made making get gets getting go
    goes going went know knows think thinks thought try tries trying tried take takes took taking give gives gave find
    finds found finding tell told say says said saying saw come comes came put keep keeps kept add adds added ask asks
    asked start starts started show shows mean means meant work worked working run runs running call called talk talked
    help helps feel feels seem seems happen happens turn turned set sets leave leaves left live lives move moved become
    decided decide prefer prefers suggest recommend recommended possible able actually really probably maybe currently
    usually always never often sometimes already still even though however therefore instead rather quite pretty
    also too half whole below above under beside along across per via before after during until since while must may
    one two three four five six seven eight nine ten hundred thousand another every each both either user
    assistant easy hard fast slow don doesn didn isn wasn won can't dont i'm i've it's that's what's let's there's
    you're we're they're who how's else there here around without within between against yet enough almost forget
    bring brings check looking worth sense sure simple fixed finished done cannot plan planning wrote write writing read
    """)
)
_HAN_SPLIT = re.compile(
    r"[的了是在我你他她它们和与就都也很有不吗呢吧把被给对从到要会能这那个一用说想去来做让为以及或]|[ぁ-ん]+|[、。，！？：；「」（）\s\W]+"
)
_HAN_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff々ー]+")


def key_topics(lines: Sequence[Line], most: int = 6) -> tuple[str, ...]:
    """What a stretch was about: names, terms and noun phrases, most telling first, each once."""
    found: dict[tuple[str, ...], list[_Use]] = defaultdict(list)
    for place, line in enumerate(lines):
        if line.role in {"user", "assistant"} or len(lines) == 1:
            weight = _ROLE_WEIGHT.get(line.role, 0.5)
            for phrase in _phrases(prose(line.text[:_MOST_READ])):
                found[phrase.stems].append((phrase, place, weight))
    found.pop((), None)
    ranked = sorted((-_prominence(uses), uses[0][1], stems) for stems, uses in found.items() if _is_settled(uses))
    return _distinct((_shown(found[stems]) for _, _, stems in ranked), most)


_MOST_READ = 2_000
"""Characters of a message in which its topics are looked for: a paste names them at its head."""


class _Word(NamedTuple):
    """A word, or several that stand together."""

    text: str
    name: bool
    stems: tuple[str, ...]
    words: int = 1


_Use = tuple[_Word, int, float]
"""A phrase, the message that has it, and what that one weighs."""


def _is_settled(uses: Sequence[_Use]) -> bool:
    """Whether it is a phrase at all: three words that met once are more often a piece of a sentence."""
    return len(uses) > 1 or uses[0][0].words < 3 or uses[0][0].name


def _prominence(uses: Sequence[_Use]) -> float:
    """More with every message that has it, and a little more with each time that one says it again."""
    weights = {place: weight for _, place, weight in uses} if len(uses) > 1 else {0: uses[0][2]}
    spread = sum(weights.values()) + 0.25 * (len(uses) - len(weights))
    return spread * (1 + 0.3 * (uses[0][0].words - 1)) * (1.4 if _is_name(uses) else 1.0)


def _is_name(uses: Sequence[_Use]) -> bool:
    return any(word.name for word, _, _ in uses)


def _shown(uses: Sequence[_Use]) -> str:
    """As it was written most often; in small letters where it was once and is no name."""
    forms = [form for form, _ in Counter(word.text for word, _, _ in uses).most_common()]
    small = [form for form in forms if form.islower()]
    return small[0] if small and not _is_name(uses) else forms[0]


def _phrases(text: str) -> list[_Word]:
    """Runs of up to three telling words, and each telling word by itself."""
    found: list[_Word] = []
    for sentence in sentences(text):
        han = [] if sentence.isascii() else _HAN_RUN.findall(sentence)
        found += [_named(piece, False) for run in han for piece in _han_pieces(run)]
        for run in _runs(_HAN_RUN.sub(" ", sentence) if han else sentence):
            found += _pieces(run)
    return found


def _runs(sentence: str) -> list[list[_Word]]:
    """The telling words that stand together, with nothing but a space between them."""
    runs: list[list[_Word]] = [[]]
    end = 0
    for match in _TOPIC_WORD.finditer(sentence):
        word = _telling(match[0], end == 0)
        if runs[-1] and (word is None or sentence[end : match.start()].strip()):
            runs.append([])
        if word is not None:
            runs[-1].append(word)
        end = match.end()
    return [run for run in runs if run]


@lru_cache(maxsize=20_000)  # most words come again and again
def _telling(written: str, opens: bool) -> _Word | None:
    """A word that may name a topic; "new" does in "New York". `opens`: a sentence begins with it."""
    text = written.removesuffix("'s").removesuffix("’s")
    low = text.lower()
    if len(low) < 2 or low in STOP_WORDS or low.isdigit():
        return None
    named = text.istitle() and not opens
    return None if not named and (low in _EMPTY_WORDS or low.endswith("ly")) else _named(text, opens)


def _named(text: str, opens: bool) -> _Word:
    """A word, and whether it is a name: the capital that a sentence begins with tells nothing."""
    stems = tuple(terms(text))
    if text.isalpha() and text.islower():
        return _Word(text, False, stems)
    inside = any(map(str.isupper, text[1:])) or any(map(str.isdigit, text))
    return _Word(text, inside or (text[0].isupper() and not opens), stems)


def _pieces(run: list[_Word]) -> list[_Word]:
    if len(run) > 3:
        return [*run, *map(_joined, run, run[1:], run[2:])]
    return [*run, _joined(*run)] if len(run) > 1 else run


def _joined(*words: _Word) -> _Word:
    """Words that stand together; their stems are those of all."""
    texts, names, stems, _ = zip(*words, strict=True)
    return _Word(" ".join(texts), all(names), sum(stems, ()), len(words))


def _han_pieces(run: str) -> list[str]:
    """Words of Chinese or Japanese, as far as particles tell: what stands between them."""
    return [piece for piece in _HAN_SPLIT.split(run) if 2 <= len(piece) <= 8]


def _distinct(topics: Iterable[str], most: int) -> tuple[str, ...]:
    """The first ones, without those whose words are all in one before, or the other way round."""
    kept: list[tuple[str, frozenset[str]]] = []
    for topic in topics:
        if len(kept) >= most:
            break
        stems = frozenset(terms(topic))
        if stems and not any(stems <= other or other <= stems for _, other in kept):
            kept.append((topic, stems))
    return tuple(topic for topic, _ in kept)
