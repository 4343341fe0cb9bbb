"""People in scripts without capitals: Han, kana, Hangul, Arabic, Hebrew, Devanagari. By family names and honorifics."""

import re
from collections import Counter
from collections.abc import Iterator

from recollect.understanding.lexicon import GIVEN, KNOWN, fold, listed

_JAPANESE = "|".join(sorted(listed("japanese_families"), key=lambda name: (-len(name), name)))
_HONOURED = "さん|様|さま|氏|くん|君|ちゃん|先生|部長|課長|社長|係長|主任|教授|先輩"
_JAPANESE_NAME = re.compile(
    rf"(?<![一-龯々])(?P<family>{_JAPANESE})"
    rf"(?:[ 　]?(?P<given>(?!(?:{_HONOURED}))[一-龯々]{{1,2}}[郎子美介樹也]?|[ぁ-ん]{{2,3}}(?=さん|[ 　、。])"
    rf"|[ァ-ヶー]{{2,4}})(?![一-龯々])|(?=(?:{_HONOURED})))"
    rf"(?P<title>{_HONOURED})?"
)
_CHINESE = "".join(sorted(listed("chinese_families")))
_CHINESE_GIVEN = "".join(sorted(listed("chinese_given")))
_CHINESE_TITLES = "先生|女士|小姐|老师|教授|经理|总监|主任|医生|律师|同学|总|姐|哥|工|阿姨|叔叔"
_CHINESE_TITLED = re.compile(
    rf"(?P<family>[{_CHINESE}])(?P<given>[{_CHINESE_GIVEN}]{{0,2}})(?P<title>{_CHINESE_TITLES})"
)
_CHINESE_NAME = re.compile(rf"[{_CHINESE}](?:[{_CHINESE_GIVEN}]{{2}}|[{_CHINESE_GIVEN}])")
_BEFORE_NAME = re.compile(
    r"(?:[和与跟给让请叫对找问由同见把被替帮、，。！？：；“「\s]|[今昨明后前]天|告诉|联系|通知|朋友|同事|经理)$"
)
_AFTER_NAME = re.compile(
    r"[和与跟给让请叫对说在是的把被来去要会也问想将已正就都、，。！？：；”」\s昨今明准打做写发带负告提]"
)
_NICKED = re.compile(rf"[小老阿][{_CHINESE}](?![一-龯])|[小老阿][{_CHINESE}](?=[说的和在也要去来是会有])")
_KANJI_GIVEN = re.compile(
    r"(?<![一-龯々])(?!皆|母|父|姉|兄|妹|弟|祖母|祖父|店員|患者|医者|奥|娘|息子|客|業者)[一-龯]{2,3}(?=さん|くん|ちゃん)"
)
_HAN = re.compile(r"[一-龯]")
_KANA = re.compile(r"[ぁ-んァ-ヶ]")
_KOREAN = "".join(sorted(listed("korean_families")))
_KOREAN_GIVEN = "".join(sorted(listed("korean_given")))
_KOREAN_TITLES = (
    "씨|님|대리|과장|차장|부장|팀장|실장|대표|이사|사원|주임|교수님|교수|선생님|선생|선배|형|언니|누나|오빠"
)
_KOREAN_NAME = re.compile(
    rf"(?<![가-힣])(?P<name>[{_KOREAN}][{_KOREAN_GIVEN}]{{2}})"
    rf"(?P<title>\s?(?:{_KOREAN_TITLES}))?(?P<particle>[은는이가을를과와의도께]|에게|한테|랑|이랑)?(?![가-힣])"
)
_KOREAN_TITLED = re.compile(
    rf"(?<![가-힣])(?P<name>[{_KOREAN}][{_KOREAN_GIVEN}]{{0,2}})\s?(?P<title>{_KOREAN_TITLES})"
    r"(?=[은는이가을를과와의도께에한]|[^가-힣]|$)"
)
_HANGUL = re.compile(r"[가-힣]")
_UNCASED_WORD = re.compile(
    r"(?:[\u0590-\u05ff]+|[\u0600-\u06ff]+|[\u0900-\u097f]+)"
    r"(?:[ ](?:[\u0590-\u05ff]+|[\u0600-\u06ff]+|[\u0900-\u097f]+))*"
)
_UNCASED = re.compile(r"[\u0590-\u06ff\u0900-\u097f]")

_UNSPACED = {name: type for name, type in KNOWN.items() if re.match(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff]", name)}
"""Known names in scripts without spaces: they are looked for within the text."""
_PARTED = re.compile(r"[的了是在和与跟给让从到把被对就都也很不要会能先再、，。！？：\s「」『』（）ぁ-ん]+")
_FIRM = re.compile(
    r"[一-龯ァ-ヶーA-Za-z]{2,6}?(?:科技|集团|公司|银行|大学|航空|医院|株式会社|運輸|電装|電機|工業|商事|銀行|病院|書店|製作所|電鉄|百貨店)$"
)

Found = tuple[int, int, str]
"""Where a name begins and ends, and the name itself."""


def people(text: str) -> Iterator[Found]:
    """The people of a text who are named in such a script."""
    if text.isascii():
        return
    if _HAN.search(text):
        japanese = list(_japanese(text))
        if _KANA.search(text):
            yield from japanese
        else:
            yield from (found for found in japanese if len(found[2]) > 3)
            yield from _chinese(text)
    if _HANGUL.search(text):
        yield from _korean(text)
    if _UNCASED.search(text):
        yield from _uncased(text)


def things(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Known names and organisations in scripts without spaces, with their types."""
    if text.isascii() or not (_HAN.search(text) or _HANGUL.search(text)):
        return
    for name, type in sorted(_UNSPACED.items(), key=lambda each: -len(each[0])):
        start = text.find(name)
        while start >= 0:
            yield start, start + len(name), name, type
            start = text.find(name, start + len(name))
    place = 0
    for part in [*_PARTED.split(text)]:
        start = text.find(part, place)
        place = start + len(part)
        if part and (match := _FIRM.fullmatch(part)):
            yield start, start + len(match[0]), match[0], "organisation"


def _japanese(text: str) -> Iterator[Found]:
    for match in _JAPANESE_NAME.finditer(text):
        given = match["given"] or ""
        end = match.end("given") if given else match.end("family")
        yield match.start(), end, match["family"] + given
    for match in _KANJI_GIVEN.finditer(text):
        yield match.start(), match.end(), match[0]


def _chinese(text: str) -> Iterator[Found]:
    """With a title, or made of letters that names are made of; a name of three only where all of it is."""
    taken: set[int] = set()
    for match in _CHINESE_TITLED.finditer(text):
        taken |= set(range(*match.span()))
        yield match.start(), match.end(), match[0]
    names = [match for match in _CHINESE_NAME.finditer(text) if match.start() not in taken]
    counted = Counter(match[0] for match in names)
    foreign = len(_HAN.findall(text)) * 2 < len(text)
    for match in names:
        if len(match[0]) > 2 or counted[match[0]] > 1 or foreign or _stands_apart(text, *match.span()):
            yield match.start(), match.end(), match[0]
    for match in _NICKED.finditer(text):
        yield match.start(), match.end(), match[0]


def _stands_apart(text: str, start: int, end: int) -> bool:
    """Whether what stands before and behind two letters is what stands around a name: 请李华准备."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    return (not before or _BEFORE_NAME.search(before) is not None) and (
        not after or _AFTER_NAME.match(after) is not None
    )


def _korean(text: str) -> Iterator[Found]:
    for match in _KOREAN_NAME.finditer(text):
        yield match.start("name"), match.end("name"), match["name"]
    for match in _KOREAN_TITLED.finditer(text):
        if len(match["name"]) != 3:
            yield match.start("name"), match.end(), match[0]


def _uncased(text: str) -> Iterator[Found]:
    """A given name, with the word behind it where that is one too or the text is in another script."""
    for stretch in _UNCASED_WORD.finditer(text):
        words = stretch[0].split(" ")
        place = stretch.start()
        alone = len(words) <= 3
        skip = 0
        for at, word in enumerate(words):
            if skip:
                skip -= 1
            elif fold(word) in GIVEN:
                count = len(words) - at if alone else 1
                skip = count - 1
                name = " ".join(words[at : at + count])
                yield place, place + len(name), name
            place += len(word) + 1
