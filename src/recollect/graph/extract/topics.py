"""Terms that a text comes to speak of: two words that make one ("error budget"), and topics of one word."""

from collections.abc import Iterable, Iterator, Sequence

from recollect.core.terms import STOP_WORDS
from recollect.graph.extract.found import Mention
from recollect.graph.extract.reading import CAPITAL, CAPITALS, LOWER, NUMBER, Page, Sentence, Token
from recollect.understanding.lexicon import (
    DATES,
    DEMONYMS,
    HEADS,
    KIN,
    ROLES,
    SURE_VERBS,
    TOPICS,
    VERBS,
    is_given,
    listed,
)

CONCEPT = "concept"
_BEFORE_NOUNS = listed("before_nouns")
_BEFORE_VERBS = listed("before_verbs")
_EVERYDAY = listed("everyday_nouns")
_NO_MODIFIERS = listed("no_modifiers") | STOP_WORDS | DATES | DEMONYMS
_PEOPLE = (listed("not_people") | ROLES) - listed("departments")
_ALSO_VERBS = frozenset({"cost", "costs"})
_OBJECTS = frozenset(
    {
        "us", "me", "him", "them", "you", "an", "a", "the", "more", "less", "too", "nothing", "about", "around",
        "almost", "nearly", "only", "over", "under", "between", "extra", "double", "twice", "money", "time", "next",
    }
)  # fmt: skip
"""What follows a verb and no noun: "costs us", "cost the firm"."""
_SHORTEST = 3
_SHORT_TEXT = 250
_LONG_TEXT = 2_000
"""Words up to which a term that is said once, or twice, is what a text is about."""
_WORDS_A_TERM = 30
"""Words of a text for each term that it may be about."""
_FEWEST = 4
_MOST = 40
_SURE = 0.75


def topics(page: Page, taken: Iterable[Mention]) -> list[Mention]:
    """The mentions of the terms that a text is about, those that it comes back to first."""
    if not page.english:
        return []
    named = {place for mention in taken for place in range(mention.start, mention.end)}
    found: dict[str, list[Mention]] = {}
    for number, sentence in enumerate(page.sentences):
        for mention in _of_sentence(sentence, number, named):
            found.setdefault(_stem(mention.text), []).append(mention)
    words = sum(len(sentence.tokens) for sentence in page.sentences)
    least = 1 if words <= _SHORT_TEXT else 2 if words <= _LONG_TEXT else 3
    kept = [said for said in found.values() if len(said) >= least]
    kept.sort(key=lambda said: (-len(said), -len(said[0].text.split()), said[0].start))
    most = min(_MOST, _FEWEST + words // _WORDS_A_TERM)
    return [_named(mention, said[0].text) for said in kept[:most] for mention in said]


def _named(mention: Mention, name: str) -> Mention:
    mention.text = name
    return mention


def _of_sentence(sentence: Sentence, number: int, named: set[int]) -> Iterator[Mention]:
    tokens, place = sentence.tokens, 0
    while place < len(tokens):
        end = _run(tokens, place, named)
        heads = (at for at in range(end - 1, place - 1, -1) if _is_head(tokens[at]) and not _is_verb(tokens, at))
        last = next(heads, None)
        if last is not None and last > place:
            yield _mention(tokens[_first(tokens, place, last) : last + 1], number)
        else:
            yield from (
                _mention([token], number) for at, token in enumerate(tokens[place:end], place) if _is_topic(tokens, at)
            )
        place = max(end, place + 1)


def _run(tokens: Sequence[Token], place: int, named: set[int]) -> int:
    """Where a run of words ends that may make a term."""
    end = place
    while end < len(tokens) and _may_be_part(tokens, end) and tokens[end].start not in named:
        if end > place and tokens[end].start - tokens[end - 1].end > 1:
            break
        end += 1
        if tokens[end - 1].possessive:
            break
    return end


def _may_be_part(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    word = token.folded
    if token.shape == CAPITALS:
        return len(word) > 1
    if "'" in word or word in KIN or word in _PEOPLE:
        return False
    if token.shape != LOWER and not (token.shape == CAPITAL and place == 0):
        return False
    if len(word) < _SHORTEST or word in _NO_MODIFIERS or word in SURE_VERBS or word.endswith("ly"):
        return False
    if place and tokens[place - 1].folded in _BEFORE_VERBS:
        return False
    return not (word in VERBS and _singular(word) not in HEADS) and not (is_given(word) and word not in HEADS)


def _is_head(token: Token) -> bool:
    word = _singular(token.folded)
    return (word in HEADS or token.folded in HEADS) and word not in _EVERYDAY


def _is_verb(tokens: Sequence[Token], place: int) -> bool:
    """Whether a head that may be a verb has an object: "the heater costs 89 euros" names no heater costs."""
    word = tokens[place].folded
    if (word not in VERBS and word not in _ALSO_VERBS) or place + 1 >= len(tokens):
        return False
    follows = tokens[place + 1]
    return follows.shape == NUMBER or follows.folded in _OBJECTS


def _first(tokens: Sequence[Token], place: int, last: int) -> int:
    """Where the term begins that ends with a head: one word before it, two where both are nouns of terms."""
    if last - place > 1 and _is_head(tokens[last - 1]) and tokens[last - 2].folded in HEADS:
        return last - 2
    return last - 1


def _is_topic(tokens: Sequence[Token], place: int) -> bool:
    word = tokens[place].folded
    return word in TOPICS or _singular(word) in TOPICS


def _mention(tokens: Sequence[Token], number: int) -> Mention:
    name = " ".join(token.text if token.shape == CAPITALS else token.text.lower() for token in tokens)
    return Mention(tokens[0].start, tokens[-1].end, number, name, CONCEPT, _SURE)


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 5:
        return word[:-3] + "y"
    if word.endswith(("sses", "ches", "shes", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _stem(name: str) -> str:
    first, _, last = name.casefold().rpartition(" ")
    return f"{first} {_singular(last)}"
