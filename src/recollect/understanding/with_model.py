"""Understanding by a language model: the same outputs as the rules give, its answers held to the message.

A model proposes and the message decides: what cannot be quoted, was not said by the speaker of themself, carries
a secret or breaks the writing rules is dropped or marked down here. Errors of the seam go up unchanged.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from recollect.core.terms import terms
from recollect.providers.language import LanguageModel
from recollect.understanding import prompts
from recollect.understanding.fence import CLOSING, OPENING, unfenced
from recollect.understanding.grounding import Message, Passage
from recollect.understanding.keyless import corrections
from recollect.understanding.keyless.masking import spoken_words
from recollect.understanding.model import (
    THE_USER,
    Fact,
    FactType,
    Line,
    Milestone,
    Statement,
    Summary,
    Understood,
    Utterance,
)
from recollect.understanding.profile_keys import (
    KEYS,
    STANDING,
    holds_many,
    importance,
    known,
    normal_key,
    normal_value,
    rule_key,
)
from recollect.understanding.prompts import (
    ChunkSummary,
    ExtractedFact,
    ExtractedFacts,
    ExtractedStatement,
    FoundMilestone,
    Judgement,
    Judgements,
    Milestones,
)
from recollect.understanding.same_fact import Relation
from recollect.understanding.secrets import MASK, holds_secret, mask
from recollect.understanding.writing import MOST_CHARACTERS, Draft, checked, cut, sentences

INFERRED = 0.6
"""The most confidence of what was not said in so many words."""

_OF_OTHERS = frozenset({"partner", "children", "pets"})
_NEVER_GUESSED: frozenset[FactType] = frozenset({"identity", "constraint"})
"""Who somebody is, and what they must avoid, is in the message or nowhere; a taste may show between the lines."""
_LONGEST_VALUE = 200
_LONGEST_TOPIC = 40
_NO_VALUE = frozenset({"", "none", "null", "n/a", "na", "unknown", "not specified", "not mentioned", "unspecified"})
_SPEAKER_WORDS = frozenset({"i", "me", "user", "the user", "owner", "the owner", "speaker", "the speaker", "self"})
_ISO = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
_RELATIVE = re.compile(
    r"\b(?:on |in )?(?:yesterday|today|tonight|tomorrow|(?:last|this|next) (?:night|morning|afternoon|evening"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?P<span>week|weekend|month|year)))\b",
    re.IGNORECASE,
)
_SPACES = re.compile(r"\s+")
_EDGES = " \t\n\"'“”‘’`"


@dataclass(frozen=True, slots=True)
class Guidance:
    """What a space asks of extraction, and how much may come of one message."""

    instructions: str | None = None
    keys: tuple[str, ...] = ()
    """Profile keys of the space's own, beside those that every profile knows."""
    most_candidates: int = 5
    """Statements that a long message is asked for."""
    most_statements: int = 3
    """Statements that one message may give."""
    long_turn: int = 400
    """Characters from which a message is long."""
    least_confidence: float = 0.4
    least_importance: float = 0.2


async def understand(model: LanguageModel, utterance: Utterance, guidance: Guidance) -> Understood:
    """What one message taught, by a model; nothing of assistants, tools and systems, who are not even shown to it."""
    text = prompts.shortened(_readable(utterance.text))
    if utterance.role != "user" or not text:
        return Understood()
    most = guidance.most_candidates if len(text) > guidance.long_turn else guidance.most_statements
    before = _readable(utterance.before) if utterance.before else None
    instructions = prompts.extraction_instructions(guidance.keys, guidance.instructions)
    prompt = prompts.extraction_prompt(utterance, text, before, most)
    answer = (await model.ask("extract", instructions, prompt, ExtractedFacts)).value
    message = Message(spoken_words(text))
    facts = _facts(answer.facts, message, guidance) if utterance.own else ()
    found = _statements(answer.statements[: guidance.most_candidates], message, utterance)
    if corrected := corrections(utterance):
        keys = {(fact.type, fact.key) for fact in corrected}
        facts = (*(fact for fact in facts if (fact.type, fact.key) not in keys), *corrected)
    return replace(found, facts=facts, statements=_foremost(found.statements, guidance.most_statements))


async def summarise(model: LanguageModel, lines: Sequence[Line]) -> Summary:
    """A stretch of talk in few words, with its topics."""
    readable = _readable_lines(lines)
    if not readable:
        return Summary("")
    prompt = prompts.talk_prompt(readable)
    answer = (await model.ask("summarise", prompts.summary_instructions(), prompt, ChunkSummary)).value
    text = _whole_sentences(mask(_one_line(answer.summary)), prompts.LONGEST_SUMMARY)
    topics = (_one_line(topic).strip(_EDGES + "#.,;") for topic in answer.topics)
    kept = (topic for topic in topics if 0 < len(topic) <= _LONGEST_TOPIC and not holds_secret(topic))
    return Summary(text, tuple({topic.casefold(): topic for topic in kept}.values()))


async def milestones(model: LanguageModel, lines: Sequence[Line]) -> tuple[Milestone, ...]:
    """What happened in a stretch of talk that is worth telling, in its order."""
    readable = _readable_lines(lines)
    if not readable:
        return ()
    prompt = prompts.talk_prompt(readable)
    answer = (await model.ask("summarise", prompts.milestone_instructions(), prompt, Milestones)).value
    made = (_milestone(found, readable) for found in answer.milestones)
    kept = {(each.type, each.title.casefold()): each for each in made if each is not None}
    return tuple(sorted(kept.values(), key=lambda each: (each.first_turn, each.last_turn)))


async def same_fact(model: LanguageModel, older: str, newer: str) -> Relation:
    """How a newer statement stands to an older one."""
    prompt = prompts.judge_prompt(mask(older), mask(newer))
    return (await model.ask("judge", prompts.judge_instructions(), prompt, Judgement)).value.verdict


async def same_facts(model: LanguageModel, pairs: Sequence[tuple[str, str]]) -> list[Relation]:
    """How the newer statement of each pair stands to the older one; what the model leaves out is different."""
    masked = [(mask(older), mask(newer)) for older, newer in pairs]
    prompt = prompts.judge_pairs_prompt(masked)
    answer = (await model.ask("judge", prompts.judge_pairs_instructions(), prompt, Judgements)).value
    said = {each.pair: each.verdict for each in answer.pairs}
    return [said.get(number, "different") for number in range(1, len(pairs) + 1)]


def _readable(text: str) -> str:
    """The text without what was recalled into it, its secrets masked."""
    return mask(unfenced(text)).strip()


def _readable_lines(lines: Sequence[Line]) -> list[Line]:
    readable = (replace(line, text=_readable(line.text)) for line in lines)
    return [line for line in readable if line.text]


# Facts


def _facts(found: Iterable[ExtractedFact], message: Message, guidance: Guidance) -> tuple[Fact, ...]:
    made = (_fact(item, message, guidance) for item in found)
    return _without_doubles(fact for fact in made if fact is not None)


def _fact(item: ExtractedFact, message: Message, guidance: Guidance) -> Fact | None:
    """The fact as far as the message bears it out; None where it does not."""
    named = _named(item, item.value, guidance)
    if named is None:
        return None
    value = normal_value(named[1], item.value)
    if not _usable(item, named, value, guidance):
        return None
    quoted = message.passages(item.quote)
    said = [each for each in quoted or message.passages(value) if _says(each, named, value, item.ended, message)]
    if not said:
        return None
    own = bool(quoted) and item.first_person and _of_oneself(said, named, value, message)
    if not own and named[0] in _NEVER_GUESSED and not message.names(value):
        return None
    return Fact(
        *named,
        value,
        confidence=item.confidence if quoted else min(item.confidence, INFERRED),
        importance=_importance(item, named),
        correction=item.correction and own,
        ended=item.ended,
        first_person=own,
        quote=_one_line(item.quote),
    )


def _named(item: ExtractedFact, value: str, guidance: Guidance) -> tuple[FactType, str] | None:
    """The type and key, each put right where the other tells how; None for a key that nobody asked for."""
    asked = item.key.strip(_EDGES)
    key = asked if asked in guidance.keys else normal_key(asked)
    if key in guidance.keys:
        return item.type, key
    kinds: Iterable[FactType] = (item.type, *KEYS)
    for kind in kinds:
        if known(kind, key) and not key.startswith(STANDING):
            return kind, key
    return ("instruction", rule_key(value)) if item.type == "instruction" else None


def _usable(item: ExtractedFact, named: tuple[FactType, str], value: str, guidance: Guidance) -> bool:
    """Whether it is sure and weighty enough, says something, and carries no secret."""
    if item.confidence < guidance.least_confidence or _importance(item, named) < guidance.least_importance:
        return False
    if value.casefold() in _NO_VALUE or len(value) > _LONGEST_VALUE:
        return False
    return not (_secret(item.value, f"{named[1]}: {value}") or holds_secret(item.quote))


def _importance(item: ExtractedFact, named: tuple[FactType, str]) -> float:
    """As the model weighs it; else as its key is."""
    return item.importance if "importance" in item.model_fields_set else importance(*named)


def _says(passage: Passage, named: tuple[FactType, str], value: str, ended: bool, message: Message) -> bool:
    """Whether the passage claims the fact, and claims it of the speaker."""
    if not passage.meant or passage.borrows(value):
        return False
    kind, key = named
    if kind == "instruction":
        return _is_ordered(passage, key, value, message)
    if passage.doubts(value) or (not ended and (passage.is_past(value) or passage.denies(value))):
        return False
    return key in _OF_OTHERS or passage.voice() != "other"


def _is_ordered(passage: Passage, key: str, value: str, message: Message) -> bool:
    """Whether an order is in the message: in its words, or, where it is put into others, as one about replies."""
    if not key.startswith(STANDING) and message.names(value):
        return True
    if message.shares(value) >= _LEAST_SHARED:
        return True
    return _REPLYING.search(passage.sentence) is not None and (
        not key.startswith(STANDING) or _REPLYING.search(value) is not None
    )


_LEAST_SHARED = 1 / 3
"""Of the words of what a model tells, so many are in the message."""
_REPLYING = re.compile(
    r"\b(?:answer|repl(?:y|ies)|respon[ds]|writ|speak|talk|explain|say|tell|keep it|be |short|brief|concise|long|detail"
    r"|bullet|list|table|format|markdown|emoji|language|tone|words?|sentences?|paragraphs?|call me|use |antwort"
    r"|schreib|sprich"
    r"|r[ée]pon|[ée]cri|respond|escrib|habla|rispond|scriv|svar|skriv|antwoord|schrijf|odpow|pisz|отве|пиш)"
    r"|回答|回复|用中文|日本語|한국어",
    re.IGNORECASE,
)


def _of_oneself(said: Iterable[Passage], named: tuple[FactType, str], value: str, message: Message) -> bool:
    """Whether it was said in the first person and in so many words; an order is always the speaker's own."""
    kind, key = named
    if kind == "instruction":
        return True
    voices = {passage.voice() for passage in said}
    return message.names(value) and ("own" in voices or (key in _OF_OTHERS and "other" in voices))


def _without_doubles(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """One fact for each value, and one value for each key that holds but one: the surest, else the first."""
    kept: dict[tuple[object, ...], Fact] = {}
    for fact in facts:
        place = (fact.type, fact.key, fact.ended, fact.value.casefold() if _beside(fact) else None)
        if place not in kept or _surety(fact) > _surety(kept[place]):
            kept[place] = fact
    return tuple(kept.values())


def _beside(fact: Fact) -> bool:
    """Whether another value of the same key may stand beside it."""
    return fact.ended or holds_many(fact.key)


def _surety(fact: Fact) -> tuple[bool, bool, float]:
    return (fact.correction, fact.first_person, fact.confidence)


# Statements


def _statements(found: Iterable[ExtractedStatement], message: Message, utterance: Utterance) -> Understood:
    """The statements that the message bears out and the writing rules pass, with the count of those they did not."""
    kept: dict[str, Statement] = {}
    rejected: Counter[str] = Counter()
    written = 0
    for given in found:
        item = _weighed(given, message, utterance)
        if item is None:
            continue
        written += 1
        happened = _day(item.happened_on, utterance)
        draft = _dated(checked(item.content), happened)
        if draft.text is None:
            rejected[draft.problems[0]] += 1
        else:
            kept.setdefault(draft.text.casefold(), _statement(item, draft.text, happened, utterance))
    return Understood(statements=tuple(kept.values()), rejected=dict(rejected), written=written)


def _weighed(given: ExtractedStatement, message: Message, utterance: Utterance) -> ExtractedStatement | None:
    """The statement as far as the message bears it out, less sure where it was said with doubt; else None."""
    item = given.model_copy(update={"content": _of_speaker(given, message, utterance)})
    said = [passage for passage in message.passages(item.quote) if passage.meant]
    if _secret(item.content) or holds_secret(item.quote) or not _bears_out(item, said, message, utterance):
        return None
    if all(passage.doubted for passage in said) and not _HEDGE.search(item.content):
        return item.model_copy(update={"confidence": min(item.confidence, INFERRED)})
    return item


def _of_speaker(item: ExtractedStatement, message: Message, utterance: Utterance) -> str:
    """What another speaker says of themself is told of them by name: "the user" is the owner, who did not speak."""
    if utterance.own or utterance.speaker is None:
        return item.content
    if not any(passage.voice() == "own" for passage in message.passages(item.quote)):
        return item.content
    return _THE_USER.sub(utterance.speaker, item.content)


def _bears_out(item: ExtractedStatement, said: Sequence[Passage], message: Message, utterance: Utterance) -> bool:
    """Whether the words quoted carry what is said of them: no other numbers, no "not" lost, most words their own."""
    if not said or not (utterance.own or _is_named(item.content, message, utterance)):
        return False
    if OPENING[:12] in item.content or CLOSING[:12] in item.content:
        return False
    figures = set(_NUMBER.findall(_ISO_DATE.sub(" ", item.content)))
    if not figures <= set(_NUMBER.findall(utterance.text)):
        return False
    if all(passage.negated for passage in said) and not _NEGATION.search(item.content):
        return False
    names = set(terms(f"{utterance.speaker or THE_USER} {THE_USER} {item.about}"))
    told = set(terms(_ISO_DATE.sub(" ", item.content))) - names
    return not told or len(told & set(terms(utterance.text))) >= len(told) / 3


def _is_named(content: str, message: Message, utterance: Utterance) -> bool:
    """Whether what another speaker says is told of somebody that they are or name, not of the owner."""
    if _THE_USER.search(content):
        return False
    first = content.split(maxsplit=1)[0].removesuffix("'s")
    return first == (utterance.speaker or "").split()[0] or not first[:1].isupper() or message.names(first)


_THE_USER = re.compile(rf"\b{THE_USER}\b", re.IGNORECASE)
_HEDGE = re.compile(
    r"\b(?:might|may|maybe|perhaps|possibly|probably|could|consider\w*|thinks?|if|wish\w*|unsure"
    r"|thinking)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_ISO_DATE = re.compile(r"\b\d{4}(?:-\d{2}){0,2}\b")
_NEGATION = re.compile(r"\b(?:not|never|no|none|cannot|without|stopped|quit|dislikes?|hates?)\b|n't\b", re.IGNORECASE)


def _dated(draft: Draft, happened: datetime | None) -> Draft:
    """The draft with "last Friday" as the day that it was; refused where that is not known: it would soon be wrong."""
    if draft.text is None or not _RELATIVE.search(draft.text):
        return draft
    if happened is None:
        return Draft(None, ("date",))
    return checked(_RELATIVE.sub(lambda match: _absolute(match["span"], happened), draft.text))


def _absolute(span: str | None, happened: datetime) -> str:
    day = happened.date().isoformat()
    spans = {None: f"on {day}", "month": f"in {day[:7]}", "year": f"in {day[:4]}"}
    return spans.get(span.casefold() if span else None, f"in the week of {day}")


def _statement(item: ExtractedStatement, content: str, happened: datetime | None, utterance: Utterance) -> Statement:
    return Statement(
        type=item.type,
        content=content,
        confidence=item.confidence,
        importance=item.importance if "importance" in item.model_fields_set else None,
        about=_about(item.about, utterance),
        happened=happened,
        ends=item.ends,
        quote=_one_line(item.quote),
    )


def _about(name: str, utterance: Utterance) -> str | None:
    said = _one_line(name).strip(_EDGES)
    if said.casefold() in _SPEAKER_WORDS:
        return utterance.speaker or THE_USER
    return None if said.casefold() in _NO_VALUE else said


def _day(said: str, utterance: Utterance) -> datetime | None:
    """The beginning of a day, month or year that a model named, in the zone of the message."""
    match = _ISO.match(said.strip())
    if match is None:
        return None
    year, month, day = (int(part) if part else 1 for part in match.groups())
    if abs(year - utterance.at.year) > 150:
        return None
    try:
        return datetime(year, month, day, tzinfo=ZoneInfo(utterance.zone))
    except ValueError:
        return None


def _foremost(statements: Sequence[Statement], most: int) -> tuple[Statement, ...]:
    """The most important ones, in the order of the message."""
    ranked = sorted(statements, key=lambda each: (each.importance or 0.0, each.confidence), reverse=True)[:most]
    return tuple(each for each in statements if each in ranked)


# Milestones


def _milestone(found: FoundMilestone, lines: Sequence[Line]) -> Milestone | None:
    """The milestone within the lines; None where it lies outside of them, says nothing or breaks the writing rules."""
    title = cut(_one_line(found.title).strip(_EDGES).rstrip("."), prompts.LONGEST_TITLE)
    summary = checked(found.summary, episodic=True).text
    context, outcome = (_whole_sentences(_one_line(text), MOST_CHARACTERS) for text in (found.context, found.outcome))
    turns = _turns(found, lines)
    if not title or summary is None or turns is None or _secret(title, summary, context, outcome):
        return None
    return Milestone(
        type=found.type,
        title=title,
        summary=summary,
        context=context,
        participants=_participants(found, lines, turns),
        outcome=None if outcome.casefold() in _NO_VALUE else outcome,
        valence=found.valence,
        significance=found.significance,
        first_turn=turns[0],
        last_turn=turns[1],
    )


def _turns(found: FoundMilestone, lines: Sequence[Line]) -> tuple[int, int] | None:
    """The turns shown that lie in the range that the model gave, first and last; None where there are none."""
    first, last = sorted((found.first_turn, found.last_turn))
    inside = [line.turn for line in lines if first <= line.turn <= last]
    return (min(inside), max(inside)) if inside else None


def _participants(found: FoundMilestone, lines: Sequence[Line], turns: tuple[int, int]) -> tuple[str, ...]:
    """Those named who speak or are spoken of in the lines; else the speakers of the range."""
    talk = "\n".join(f"{_speaker(line)}: {line.text}" for line in lines).casefold()
    named = [name for each in found.participants if (name := _one_line(each).strip(_EDGES)) and name.casefold() in talk]
    speakers = [_speaker(line) for line in lines if turns[0] <= line.turn <= turns[1]]
    return tuple(dict.fromkeys(named or speakers))


def _speaker(line: Line) -> str:
    return line.speaker or line.role


# Words


def _secret(*texts: str) -> bool:
    """Whether a text carries a secret, or the mask of one: what is then left of it is not worth keeping."""
    return any(MASK in text or holds_secret(text) for text in texts)


def _one_line(text: str) -> str:
    return _SPACES.sub(" ", text).strip()


def _whole_sentences(text: str, most: int) -> str:
    """As many whole sentences as fit; the words that fit where not even one does."""
    parts = sentences(text)
    while len(parts) > 1 and len(" ".join(parts)) > most:
        parts.pop()
    return cut(" ".join(parts), most)
