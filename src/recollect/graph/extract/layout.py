"""People by where they stand: speakers, senders and receivers, who is greeted, who signs, addresses and handles."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from recollect.graph.extract.found import PERSON, Mention
from recollect.graph.extract.reading import Label, Page, Sentence
from recollect.understanding.lexicon import (
    COMPANY_ENDINGS,
    GREETINGS,
    KIN,
    KIN_TITLES,
    KNOWN,
    LABELS,
    NOT_PEOPLE,
    ORGANISATION_ENDINGS,
    PARTICLES,
    PEOPLE_FIELDS,
    ROLES,
    SURNAMES,
    TITLES,
    VALEDICTIONS,
    WORDS,
    WORDY,
    fold,
    is_common,
    is_given,
    listed,
)

ADDRESS = re.compile(r"(?<![\w.+-])([A-Za-z0-9][\w.+-]*)@([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)")
HANDLE = re.compile(r"(?<![\w.@/])@([A-Za-z][\w.-]*\w)")
URL = re.compile(r"(?:https?://|www\.)\S+")
_NEVER_GREETED = NOT_PEOPLE | TITLES | KIN_TITLES | ROLES
_NOBODY = listed("nobody")
_BOXES = listed("boxes")
_ITEM = re.compile(r"\s*(?:[,;/]|\band\b|&|\bund\b|\s\+\s)\s*")
_ASIDE = re.compile(r"\([^)]*\)|<[^>]*>|\[[^\]]*\]|[\"“”*]")
_LONGEST_NAME = 5
_LONGEST_CLOSING = 8
_CLOSING = re.compile(r"\s*(?P<closing>[^\n,!.]{2,40})[,!.]\s*(?P<name>[^\W\d_][^\n,!]{1,40}?)\s*(?:x+|🙂|❤️)?\s*$")
_DASH = re.compile(r"\s*(?:--?|–|—|~)\s?(?P<name>[^\W\d_][^\n,.:!]{1,30}?)\s*$")


def people(page: Page, speakers: Iterable[str] = ()) -> list[Mention]:
    """Everybody whom the layout of a text names; the surest of all mentions."""
    found = [*_labels(page, speakers), *_fields(page), *_greeted(page), *_signed(page)]
    found += [*_addressed(page), *_handled(page)]
    return found


# Speakers


def _labels(page: Page, speakers: Iterable[str]) -> Iterator[Mention]:
    labelled = {
        (each.label.start, each.label): number
        for number, each in reversed(list(enumerate(page.sentences)))
        if each.label
    }
    given = {fold(name) for name in speakers}
    counted = Counter(fold(label.text) for _, label in labelled)
    spoken = {name for name in counted if _may_speak(name)}
    talk = len(labelled) >= 2 and (len(spoken) > 1 or max(counted.values(), default=0) > 1)
    for (_, label), number in sorted(labelled.items(), key=lambda item: item[0][0]):
        if fold(label.text) in given or _is_speaker(label, talk=talk, said=counted[fold(label.text)]):
            name, title = _without_title(label.text)
            yield Mention(label.start, label.end, number, name, PERSON, 0.95, title)


def _may_speak(label: str) -> bool:
    """Whether a folded label is not a part of a document."""
    words = label.split()
    return not all(word.strip(".") in LABELS or (word in WORDS and not is_given(word)) for word in words)


def _is_speaker(label: Label, *, talk: bool, said: int) -> bool:
    words = fold(label.text).split()
    if len(words) > 1 and words[0].strip(".") in TITLES | KIN_TITLES and not is_common(words[-1]):
        return True
    if (
        words[-1] in KIN
        or any(not _may_be_part(word) for word in words)
        or " ".join(words) in KNOWN
        or any(word.isdigit() for word in words)
    ):
        return False
    cased = label.text[0].isupper()
    if len(words) == 1:
        return _speaks_alone(words[0], talk=talk, said=said, cased=cased)
    if any(word in PARTICLES for word in words[:1]):
        return False
    named = is_given(words[0]) or words[-1] in SURNAMES
    return named or (talk and cased and all(part[0].isupper() for part in label.text.split()))


def _may_be_part(word: str) -> bool:
    """Whether a word of a label may be part of a name."""
    bare = word.strip(".")
    if bare in LABELS or bare in NOT_PEOPLE or bare in COMPANY_ENDINGS or bare in ROLES:
        return bare in SURNAMES and is_given(bare)
    parts = re.split(r"[-_]", bare)
    if len(parts) > 1 and (
        not {"mgr", "bot", "admin"}.isdisjoint(parts) or all(part in ROLES or is_common(part) for part in parts)
    ):
        return False
    if bare in ORGANISATION_ENDINGS and bare not in SURNAMES:
        return False
    return not is_common(bare) or is_given(bare) or bare in SURNAMES


def _speaks_alone(word: str, *, talk: bool, said: int, cased: bool) -> bool:
    if talk:
        return is_given(word) or not is_common(word) or said > 1
    if word in WORDY or is_common(word):
        return False
    return is_given(word) and (cased or said > 1)


def _without_title(name: str) -> tuple[str, str]:
    """A name, and the title before it."""
    words = name.split()
    count = 0
    while count < len(words) - 1 and fold(words[count]).strip(".") in TITLES | KIN_TITLES:
        count += 1
    return " ".join(words[count:]), " ".join(words[:count])


# Fields, greetings, signatures


def _fields(page: Page) -> Iterator[Mention]:
    """Who is listed: "Attendees: Sarah, Tom", "From: Sarah Chen <…>"."""
    for number, sentence in enumerate(page.sentences):
        label = sentence.label
        if label is None or not sentence.text or fold(label.text).replace("-", " ").split()[-1] not in PEOPLE_FIELDS:
            continue
        if fold(label.text) in ("team", "host", "contact", "owner") and len(sentence.tokens) > 6:
            continue
        yield from _listed(page, sentence, number)


def _listed(page: Page, sentence: Sentence, number: int) -> Iterator[Mention]:
    blank = _ASIDE.sub(lambda match: " " * len(match[0]), sentence.text)
    blank = ADDRESS.sub(lambda match: " " * len(match[0]), blank)
    place = 0
    for part in [*_ITEM.finditer(blank), None]:
        end = len(blank) if part is None else part.start()
        item = blank[place:end]
        name = item.strip(" .'’")
        start = sentence.start + place + item.find(name) if name else 0
        if name and _is_listed_name(name):
            bare, title = _without_title(name)
            yield Mention(start, start + len(name), number, bare, PERSON, 0.9, title)
        place = end if part is None else part.end()


def _is_listed_name(name: str) -> bool:
    words = name.split()
    folded = [fold(word).strip(".") for word in words]
    if not 0 < len(words) <= _LONGEST_NAME or (fold(name) in KNOWN and not is_given(folded[0])):
        return False
    if any(
        word in NOT_PEOPLE or word in ROLES or word in ORGANISATION_ENDINGS or word in COMPANY_ENDINGS
        for word in folded
        if word not in SURNAMES
    ):
        return False
    if len(words) == 1:
        return words[0][0].isalpha() and (is_given(folded[0]) or (words[0][0].isupper() and not is_common(folded[0])))
    cased = all(word[0].isupper() or fold(word) in PARTICLES for word in words)
    return cased and not all(is_common(word) for word in folded)


def _greeted(page: Page) -> Iterator[Mention]:
    """Whom a letter begins with: "Hi Leah and Jonah,"."""
    for number, sentence in enumerate(page.sentences):
        tokens = sentence.tokens
        if number == 0 and len(tokens) == 2 and tokens[1].text in (",", "!") and _is_listed_name(tokens[0].text):
            yield Mention(tokens[0].start, tokens[0].end, number, tokens[0].text, PERSON, 0.9)
        if not tokens or tokens[0].folded not in GREETINGS or tokens[0].possessive:
            continue
        end = next(
            (
                at
                for at, token in enumerate(tokens)
                if token.text in (",", "!", ".", ":", "–", "-", "—", "?") and (token.text != "." or at > 2)
            ),
            len(tokens),
        )
        for at in range(1, end):
            token = tokens[at]
            if not token.is_name_like or token.folded in GREETINGS or token.folded in _NEVER_GREETED:
                continue
            before = tokens[at - 2] if tokens[at - 1].text == "." else tokens[at - 1]
            alone = not before.is_name_like or before.folded in GREETINGS
            last = at + 1 >= end or not tokens[at + 1].is_name_like
            if (
                alone
                and last
                and (
                    is_given(token.folded)
                    or (not is_common(token.folded) and token.folded not in KNOWN and end < 7 and end < len(tokens))
                )
            ):
                yield Mention(token.start, token.end, number, token.text, PERSON, 0.9)


def _signed(page: Page) -> Iterator[Mention]:
    """Who signs: the line behind "Best regards,", "Love, Bea", "— Kip"."""
    lines = page.lines
    signed = False
    for number, (start, end) in enumerate(lines):
        line = page.text[start:end]
        if number and _closes(page.text[slice(*lines[number - 1])]):
            signed = True  # what stands under the name is a role or an organisation
            yield from _signature(page, line.strip(" *_-–—x"), start + len(line) - len(line.lstrip(" *_-–—")))
        elif number > len(lines) - 4 and not signed:
            inline = _CLOSING.match(line)
            if inline and _closes(inline["closing"] + ","):
                yield from _signature(page, inline["name"], start + inline.start("name"))
            elif number and (dashed := _DASH.match(line)):
                yield from _signature(page, dashed["name"], start + dashed.start("name"))
            elif number > 1 and _is_name_alone(line):
                signed = True
                yield from _signature(page, line, start)


def _is_name_alone(line: str) -> bool:
    """Whether a line near the end is two or three words that only a name can be."""
    words = line.strip().split()
    return 1 < len(words) < 4 and all(
        word[0].isupper() and word.isalpha() and not is_common(fold(word)) for word in words
    )


def _closes(line: str) -> bool:
    """Whether a line is "Kind regards," or the like."""
    words = [fold(word).strip(".,!") for word in line.split()]
    if not words or len(words) > _LONGEST_CLOSING or words[0] not in VALEDICTIONS or line.rstrip()[-1] in ".?":
        return False
    return len(words) < 4 or line.rstrip().endswith((",", "!")) or all(word in VALEDICTIONS for word in words[:3])


def _signature(page: Page, name: str, start: int) -> Iterator[Mention]:
    name = name.partition(",")[0].strip()
    words = name.split()
    if not words or len(words) > 4 or not words[0][0].isalpha():
        return
    folded = [fold(word).strip(".,") for word in words]
    if any(
        word in NOT_PEOPLE or word in ORGANISATION_ENDINGS or word in COMPANY_ENDINGS
        for word in folded
        if word not in SURNAMES
    ):
        return
    if not all(word[0].isupper() or word in PARTICLES for word in words) and not is_given(folded[0]):
        return
    if all(is_common(word) for word in folded) and not is_given(folded[0]):
        return
    bare, title = _without_title(name)
    yield Mention(start, start + len(name), page.sentence_at(start), bare, PERSON, 0.9, title)


# Addresses and handles


def _addressed(page: Page) -> Iterator[Mention]:
    """Whose address it is, as far as it tells."""
    if "@" not in page.text:
        return
    for match in ADDRESS.finditer(page.text):
        name = name_of_address(match[1])
        if name:
            number = page.sentence_at(match.start())
            yield Mention(match.start(), match.end(), number, name, PERSON, 0.85, weak=True, also=match[0])


def name_of_address(local: str) -> str:
    """The name that an address is made of; empty for a letter-box of many."""
    words = [word for word in re.split(r"[._+-]", re.sub(r"\d+$", "", local)) if word]
    folded = [fold(word) for word in words]
    if not words or any(word in _BOXES or word in NOT_PEOPLE for word in folded) or len(words) > 3:
        return ""
    if len(words) == 1:
        return words[0].capitalize() if is_given(folded[0]) and folded[0] not in WORDY else ""
    if is_given(folded[0]) or folded[-1] in SURNAMES or is_given(folded[-1]):
        return " ".join(f"{word.upper()}." if len(word) == 1 else word.capitalize() for word in words)
    return ""


def _handled(page: Page) -> Iterator[Mention]:
    if "@" not in page.text:
        return
    for match in HANDLE.finditer(page.text):
        name = fold(match[1])
        if (
            name in _NOBODY
            or name in NOT_PEOPLE
            or (name in KNOWN and not is_given(name))
            or (is_common(name) and not is_given(name))
        ):
            continue
        yield Mention(match.start(), match.end(), page.sentence_at(match.start()), match[1], PERSON, 0.85)
