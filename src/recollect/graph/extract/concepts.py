"""What a text is about: the listed terms, and the words that it comes back to."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from recollect.core.terms import STOP_WORDS
from recollect.graph.extract.found import Mention
from recollect.graph.extract.reading import CAPITAL, LOWER, Page, Token
from recollect.understanding.lexicon import (
    CONCEPTS,
    DATES,
    KIN,
    KNOWN,
    NOT_PEOPLE,
    ROLES,
    SURE_VERBS,
    VERBS,
    WORDS,
    is_given,
    listed,
)

CONCEPT = "concept"
TERM = "term"
"""The type of a technique, a protocol or a format, before it is known what the text makes of it."""
ENOUGH = 3
"""Mentions from which a text is about something."""
_TERMS = re.compile(
    rf"\b({'|'.join(sorted(map(re.escape, CONCEPTS), key=lambda term: (-len(term), term)))})(?:s|es)?\b", re.IGNORECASE
)
_BEFORE_NOUNS = listed("before_nouns")
_NO_NOUNS = STOP_WORDS | VERBS | SURE_VERBS | listed("general_nouns")


def terms(page: Page) -> Iterator[Mention]:
    """Every listed term, wherever it stands."""
    for number, sentence in enumerate(page.sentences):
        if sentence.loud and sentence.text.lstrip().startswith("#"):
            continue
        text = page.text[sentence.start : sentence.end]
        for match in _TERMS.finditer(text):
            start = sentence.start + match.start()
            yield Mention(start, sentence.start + match.end(), number, match[1].lower(), CONCEPT, 0.75)


def parted(mentions: Iterable[Mention]) -> tuple[list[Mention], list[Mention]]:
    """Terms, which are concepts where a text is about them, and everything else."""
    found, others = [], []
    for mention in mentions:
        if mention.type == TERM:
            mention.type, mention.text = CONCEPT, mention.text.lower()
            found.append(mention)
        else:
            others.append(mention)
    return found, others


def frequent(page: Page, taken: Iterable[Mention]) -> Iterator[Mention]:
    """The terms that come back again and again, of one noun or two."""
    if not page.english:
        return
    often = Counter(token.folded[:4] for sentence in page.sentences for token in sentence.tokens if len(token.text) > 3)
    if not any(count >= ENOUGH for count in often.values()):
        return
    places = {place for mention in taken for place in range(mention.start, mention.end)}
    nouns = [(number, token, noun) for number, token, noun in _nouns(page, often) if token.start not in places]
    counted = Counter(_stem(token) for _, token, _ in nouns)
    sure = {_stem(token) for _, token, noun in nouns if noun}
    wanted = {stem for stem, count in counted.items() if count >= ENOUGH and stem in sure}
    shown: dict[str, str] = {}
    for number, token, _ in nouns:
        stem = _stem(token)
        if stem in wanted:
            name = shown.setdefault(stem, token.folded)
            yield Mention(token.start, token.end, number, name, CONCEPT, 0.75)


def _nouns(page: Page, often: Counter[str]) -> Iterator[tuple[int, Token, bool]]:
    """Words that may be nouns, and whether what stands before them says that they are."""
    for number, sentence in enumerate(page.sentences):
        before = ""
        for token in sentence.tokens:
            word = token.folded
            if often[word[:4]] >= ENOUGH and token.shape in (LOWER, CAPITAL) and len(word) > 3 and _may_be_noun(word):
                yield number, token, before in _BEFORE_NOUNS
            before = word


def _may_be_noun(word: str) -> bool:
    if word in _NO_NOUNS or word in DATES or word in ROLES or word in KIN:
        return False
    if word in NOT_PEOPLE or word in KNOWN or word.endswith(("ly", "ing", "ed")) or is_given(word):
        return False
    return word in WORDS or word[:-1] in WORDS or word.isalpha()


def _stem(token: Token) -> str:
    word = token.folded
    if word.endswith("ies") and len(word) > 5:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
