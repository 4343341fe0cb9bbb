"""Things that are no names of everyday language: code, files, identifiers, acronyms, tickets, and parts of a system."""

import re
from collections.abc import Iterator

from recollect.graph.extract.found import UNKNOWN, Mention
from recollect.graph.extract.reading import CAPITALS, Page, Sentence
from recollect.graph.extract.relations import acts
from recollect.understanding.lexicon import COMPANY_ENDINGS, DATES, DEMONYMS, KNOWN, LABELS, ROLES, is_common, listed

_CODE = re.compile(r"`([^`\n]{2,60})`")
_FILE = re.compile(r"(?<![\w/])(?:[\w.-]+/)*[\w-]+\.(?:py|sql|md|ts|js|tsx|json|ya?ml|toml|rs|go|java|sh|html|css)\b")
_IDENTIFIER = re.compile(r"\b(?:[a-z][a-z0-9]*(?:_[a-z0-9]+)+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-z]+[A-Z]\w+)\b")
_TICKET = re.compile(r"\b[A-Z]{2,8}-\d{1,6}\b")
_COMMON_CAPITALS = listed("common_capitals")
_COMPONENT = re.compile(
    rf"\b(?:the|our|this) ((?:[a-z][a-z0-9-]+ ){{0,2}}(?:{'|'.join(sorted(listed('components')))}))\b", re.IGNORECASE
)
_NAMES = KNOWN.keys() | COMPANY_ENDINGS
_OF_FAMILIES = ("Mc", "Mac", "De", "Di", "La", "Le", "Van", "Fitz", "O")
_OF_CODE = (
    *("Service", "Controller", "Manager", "Handler", "Factory", "Error", "Exception", "Client", "Request", "Response"),
    *("Model", "View", "Test", "Config", "Storage", "Type", "Store", "Id"),
)
_MODEL = re.compile(r"\b[A-Za-z]{1,2}\d{3,4}(?=s?\b)")
_BRANDED = re.compile(r"^(?:i|e)[A-Z][a-z]+$|^[A-Z][a-z]+(?:[A-Z][a-z]+)+$")


def code(page: Page) -> Iterator[Mention]:
    """What is written as code, files and identifiers."""
    for number, sentence in enumerate(page.sentences):
        text = page.text[sentence.start : sentence.end]
        if "`" in text:
            yield from (_thing(sentence, number, match.start(1), match[1], "code") for match in _CODE.finditer(text))
        if "." in text:
            yield from (_thing(sentence, number, match.start(), match[0], "code") for match in _FILE.finditer(text))
        for match in _IDENTIFIER.finditer(text):
            if _is_code(match[0]):
                yield _thing(sentence, number, match.start(), match[0], "code")
        for match in _MODEL.finditer(text):
            yield _thing(sentence, number, match.start(), match[0], "product", sure=0.75)
        if "-" in text:
            yield from (_thing(sentence, number, match.start(), match[0], "ticket") for match in _TICKET.finditer(text))


def _is_code(word: str) -> bool:
    """Whether a word with capitals within is an identifier, and no name: "McCartney", "ZaloPay"."""
    if word.casefold() in _NAMES or word.startswith(_OF_FAMILIES):
        return False
    return _BRANDED.match(word) is None or word.endswith(_OF_CODE)


def acronyms(page: Page) -> Iterator[Mention]:
    """Words in capitals that nobody knows."""
    for number, sentence in enumerate(page.sentences):
        if sentence.loud:
            continue
        for token in sentence.tokens:
            name = token.text.removesuffix("s")
            if token.shape != CAPITALS or len(name) < 2 or not name.isalnum() or not name.isascii():
                continue
            folded = name.casefold()
            if (
                name in _COMMON_CAPITALS
                or folded in KNOWN
                or folded in ROLES
                or folded in LABELS
                or folded in DATES | DEMONYMS
                or (is_common(folded) and len(name) > 3)
            ):
                continue
            yield Mention(token.start, token.start + len(name), number, name, UNKNOWN, 0.7, weak=True)


def components(page: Page) -> Iterator[Mention]:
    """Parts of a system without a name of which something is said: "the billing service uses …"."""
    for number, sentence in enumerate(page.sentences):
        for match in _COMPONENT.finditer(sentence.text):
            start = sentence.start + match.start(1)
            if acts(sentence.tokens, start + len(match[1])):
                yield Mention(start, start + len(match[1]), number, match[1].lower(), "component", 0.7)


def _thing(sentence: Sentence, number: int, start: int, name: str, type: str, sure: float = 0.9) -> Mention:
    place = sentence.start + start
    return Mention(place, place + len(name), number, name, type, sure)
