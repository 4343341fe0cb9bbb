"""A document in few words: a summary, keywords and tags, by rules or by a language model."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from typing import TypeVar

from recollect.core.terms import STOP_WORDS, terms
from recollect.providers.language import LanguageModel
from recollect.providers.language.base import BadAnswer
from recollect.sources import prompts
from recollect.sources.cleaning.model import Said
from recollect.sources.cleaning.plain import unwrapped
from recollect.sources.vocabulary import ACTIVITIES, DOMAINS, FUNCTION_WORDS
from recollect.understanding.fence import unfenced
from recollect.understanding.model import Line
from recollect.understanding.secrets import MASK, holds_secret, mask
from recollect.understanding.summary import gist, key_topics, prose
from recollect.understanding.writing import cut, sentences

LEAST_KEYWORDS, MOST_KEYWORDS = 5, prompts.MOST_KEYWORDS
LEAST_TAGS, MOST_TAGS = 3, prompts.MOST_TAGS
T = TypeVar("T")
_MOST_SENTENCES = 2
_LONGEST_WORD = 40
_MOST_PARAGRAPHS = 300
_LONGEST_PARAGRAPH = 2_000
_SHORTEST_SAID = 12
"""Characters: "Agreed." says nothing alone."""
_LONGEST_READ = 200_000
_UNDATED = datetime(1970, 1, 1, tzinfo=UTC)
_READER = "the reader"
_TYPE_TAGS = {"slack-thread": "slack", "text-note": "note"}
_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t].*$|^[=-]{3,}$", re.MULTILINE)
_SALUTATION = re.compile(
    r"(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|hallo|guten (?:tag|morgen|abend)|liebe[rs]?"
    r"|sehr geehrte[rs]?|bonjour|chère?s?|hola|estimad[oa]s?|querid[oa]s?|ciao|gentile|beste|olá|prezad[oa]s?)\b"
    r".{0,60}[,!:.]?",
    re.IGNORECASE,
)


_BOX = re.compile(r"^[ \t]*\[[ xX]\][ \t]+", re.MULTILINE)
# "28. Februar" is no end of a sentence. The joint stands for its blank while sentences are told apart.
_JOINT = "\u2060"
_MONTHS = (
    "jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|märz|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?"
    "|sep(?:tember)?|oct(?:ober)?|okt(?:ober)?|nov(?:ember)?|dec(?:ember)?|dez(?:ember)?"
)
_ORDINAL = re.compile(rf"(\b\d{{1,2}}\.)[ \u00a0](?=(?:{_MONTHS})\b)", re.IGNORECASE)
_TELLS_NOTHING = re.compile(
    rf"[\W\d]+(?:st|nd|rd|th)?|(?:{_MONTHS})|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|mrs?|ms|dr|prof|herr|frau|st|nobody|everybody|everyone|somebody"
    r"|attached|forwarded",
    re.IGNORECASE,
)
_PREFIXES = re.compile(r"^(?:\s*(?:re|aw|fwd?|wg|tr|sv|rv)\s*:)+\s*", re.IGNORECASE)
_OF_THE_FORM = re.compile(r"(?:forwarded from|attached:)\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Digest:
    """A document in few words."""

    summary: str
    """One or two sentences."""
    keywords: tuple[str, ...] = ()
    """Five to ten, where the document has so many words."""
    tags: tuple[str, ...] = ()
    """Three to five, where the document has so many words: its kind, its domains, what it is for, who is in it."""


def digest(
    text: str,
    title: str | None = None,
    *,
    source_type: str = "text-note",
    participants: Sequence[str] = (),
    lines: Sequence[Said] = (),
) -> Digest:
    """A document in few words, by rules; the same document always in the same ones."""
    readable, title = _readable(text), _readable(title or "") or None
    said = _spoken(lines) or _written(readable)
    keywords = _keywords(readable, title, said, participants)
    return Digest(
        _summary(readable, said, participants), keywords, _tags(readable, title, source_type, participants, keywords)
    )


async def digest_with(
    model: LanguageModel,
    text: str,
    title: str | None = None,
    *,
    source_type: str = "text-note",
    participants: Sequence[str] = (),
    lines: Sequence[Said] = (),
) -> Digest:
    """A document in few words, by a model; what it leaves out, rules fill in. A failing model is a RecollectError."""
    ruled = digest(text, title, source_type=source_type, participants=participants, lines=lines)
    readable, title = _readable(text), _readable(title or "") or None
    if not _has_words(readable):
        return ruled
    prompt = prompts.digest_prompt(readable, title, source_type, participants)
    answer = (await model.ask("summarise", prompts.digest_instructions(), prompt, prompts.DocumentDigest)).value
    summary = _borne_out(answer.summary, f"{title or ''}\n{readable}")
    if not summary:
        raise BadAnswer("the model's summary says what the document does not")
    known = set(terms(f"{title or ''} {' '.join(participants)} {readable}"))
    keywords = _distinct(each for each in map(_one_line, answer.keywords) if _is_keyword(each, known))
    tags = _distinct(slug for each in answer.tags if (slug := _slug(each)) and not holds_secret(each))
    return Digest(
        summary,
        _filled(keywords, ruled.keywords, LEAST_KEYWORDS, MOST_KEYWORDS),
        _filled(tags, ruled.tags, LEAST_TAGS, MOST_TAGS),
    )


def _readable(text: str) -> str:
    """The text without what was recalled into it, its secrets masked; as much of it as is worth reading."""
    return mask(unfenced(text[:_LONGEST_READ])).strip()


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))


def _one_line(text: str) -> str:
    return " ".join(text.split())


# Summary


def _spoken(lines: Sequence[Said]) -> list[Line]:
    """What people say in a document, where it tells who does."""
    if not any(line.speaker for line in lines):
        return []
    parts = ((line.speaker or _SOMEBODY, part) for line in _ends(lines) for part in _paragraphs(_readable(line.text)))
    return _lines(parts)


_SOMEBODY = "Someone"
"""Who speaks where the others have names: not whoever keeps the document."""


def _written(text: str) -> list[Line]:
    return _lines((None, part) for part in _paragraphs(text))


def _lines(parts: Iterable[tuple[str | None, str]]) -> list[Line]:
    kept = _ends(list(parts))
    return [
        Line(place, "user", speaker, part[:_LONGEST_PARAGRAPH], _UNDATED)
        for place, (speaker, part) in enumerate(kept, 1)
    ]


def _ends(items: Sequence[T]) -> Sequence[T]:
    """The beginning and the end of what is too long to be weighed."""
    if len(items) <= _MOST_PARAGRAPHS:
        return items
    return [*items[: _MOST_PARAGRAPHS * 2 // 3], *items[-(_MOST_PARAGRAPHS // 3) :]]


def _paragraphs(text: str) -> list[str]:
    """What of a text can stand in a summary: no headings, greetings and code, unless there is nothing else."""
    body = _BOX.sub("", prose(_HEADING.sub("", unwrapped(_ORDINAL.sub(rf"\1{_JOINT}", text)))))
    parts = [part.strip() for part in body.split("\n\n") if _has_words(part)]
    telling = [part for part in (_without_salutation(part) for part in parts) if _tells(part)]
    return telling or parts or ([text] if _has_words(text) else [])


def _without_salutation(part: str) -> str:
    first, _, rest = part.partition("\n")
    return rest if _SALUTATION.fullmatch(first.strip()) else part


def _tells(part: str) -> bool:
    return _has_words(part) and not _OF_THE_FORM.match(part)


def _summary(text: str, said: Sequence[Line], participants: Sequence[str]) -> str:
    """The sentences that say most; who says them, where that is known."""
    written = not any(line.speaker for line in said)
    listener = next((who for who in participants if who not in {line.speaker for line in said}), _READER)
    weighty = [line for line in said if len(line.text) >= _SHORTEST_SAID] or said
    found = gist(weighty, _MOST_SENTENCES, written=written, to=listener).replace(_JOINT, " ")
    return cut(found or _one_line(text), prompts.LONGEST_SUMMARY)


def _borne_out(summary: str, text: str) -> str:
    """The sentences of a model's summary that name no number which the document does not have; two at most."""
    numbers = set(_NUMBER.findall(text))
    told = sentences(mask(_one_line(summary)))
    kept = [each for each in told if set(_NUMBER.findall(each)) <= numbers and MASK not in each]
    return cut(" ".join(kept[:_MOST_SENTENCES]), prompts.LONGEST_SUMMARY)


_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


# Keywords


def _keywords(text: str, title: str | None, said: Sequence[Line], participants: Sequence[str]) -> tuple[str, ...]:
    """What the document is about: its topics, and where these are few its title's, its people and its other words."""
    silent = _function_words(text)
    topics = key_topics([_silenced(line, silent) for line in said], MOST_KEYWORDS * 2)
    bare = _PREFIXES.sub("", title or "")
    about = key_topics([_silenced(Line(0, "user", None, bare, _UNDATED), silent)], 3) if bare else ()
    telling = _distinct(filter(_may_be_keyword, topics))[: MOST_KEYWORDS - len(about)]
    listed = _filled(telling, filter(_may_be_keyword, about), MOST_KEYWORDS, MOST_KEYWORDS)
    return _filled(listed, chain(participants, _other_words(text, silent)), LEAST_KEYWORDS, MOST_KEYWORDS)


def _function_words(text: str) -> frozenset[str]:
    """The words that tell nothing, of the language that the text is in; none for English, whose own are known."""
    words = _WORD.findall(text[:20_000].lower())
    shares = {name: sum(word in listed for word in words) for name, listed in FUNCTION_WORDS.items()}
    language = max(shares, key=lambda name: shares[name])
    english = sum(word in STOP_WORDS for word in words)
    return FUNCTION_WORDS[language] if shares[language] > max(english, len(words) * 0.15) else frozenset()


_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def _silenced(line: Line, silent: frozenset[str]) -> Line:
    """A line with a comma for every word that tells nothing, so that it ends a phrase."""
    if not silent:
        return line
    return replace(line, text=_WORD.sub(lambda found: "," if found[0].lower() in silent else found[0], line.text))


def _other_words(text: str, silent: frozenset[str]) -> Iterator[str]:
    """Long words before short ones, each once."""
    untold = STOP_WORDS | silent
    found = dict.fromkeys(_WORD.findall(text[:20_000]))
    telling = [each for each in found if len(each) > 2 and each.lower() not in untold and _may_be_keyword(each)]
    yield from sorted(telling, key=lambda each: -len(each))[: MOST_KEYWORDS * 2]


_MASKED = MASK.strip("[]")


def _may_be_keyword(word: str) -> bool:
    return 1 < len(word) <= _LONGEST_WORD and not _TELLS_NOTHING.fullmatch(word) and word != _MASKED


def _is_keyword(word: str, known: set[str]) -> bool:
    """Whether a model's keyword is of the document: most of its terms are."""
    own = terms(word)
    return (
        _may_be_keyword(word)
        and bool(own)
        and not holds_secret(word)
        and sum(term in known for term in own) * 2 > len(own)
    )


def _distinct(words: Iterable[str]) -> tuple[str, ...]:
    kept: dict[str, str] = {}
    for word in words:
        kept.setdefault(word.casefold(), word)
    return tuple(kept.values())


def _filled(first: Sequence[str], more: Iterable[str], least: int, most: int) -> tuple[str, ...]:
    """The first ones, and of the others as many as it takes to have enough."""
    kept = list(first[:most])
    for word in more:
        if len(kept) >= least:
            break
        if _adds(word, kept):
            kept.append(word)
    return tuple(kept)


def _adds(word: str, kept: Sequence[str]) -> bool:
    folded = word.casefold()
    return bool(folded.strip()) and all(folded not in other.casefold() for other in kept)


# Tags


def _tags(
    text: str, title: str | None, source_type: str, participants: Sequence[str], keywords: Sequence[str]
) -> tuple[str, ...]:
    """What kind of thing it is, its domains, what it is for, who is in it; keywords where that is too little."""
    counts = Counter(terms(f"{title or ''} {prose(text[:20_000])}"))
    kind = _TYPE_TAGS.get(source_type, _slug(source_type))
    told = [kind, *_foremost(DOMAINS, counts, 2), *_foremost(ACTIVITIES, counts, 1), *map(_slug, participants[:1])]
    listed = _distinct(tag for tag in told if tag)
    return _filled(listed, filter(None, map(_slug, keywords)), LEAST_TAGS, MOST_TAGS)[:MOST_TAGS]


def _foremost(listed: Mapping[str, frozenset[str]], counts: Counter[str], most: int) -> list[str]:
    """The names of which at least two words are in the text, those with the most words first."""
    held = {name: [counts[term] for term in known if term in counts] for name, known in listed.items()}
    found = [name for name, times in held.items() if len(times) >= _LEAST_SIGNS]
    return sorted(found, key=lambda name: (-len(held[name]), -sum(held[name]), name))[:most]


_LEAST_SIGNS = 2


def _slug(text: str) -> str:
    """A tag: lower case, hyphenated; empty for what is too long to be one."""
    bare = re.sub(r"[\W_]+", "-", text.casefold()).strip("-")
    return bare if len(bare) <= _LONGEST_WORD else ""
