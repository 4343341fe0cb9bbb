"""People in scripts without capitals: Han, kana, Hangul, Arabic, Hebrew, Devanagari. By family names and honorifics."""

import re
from collections import Counter
from collections.abc import Iterator

from recollect.graph.extract.lexicon import GIVEN, KNOWN, fold

_JAPANESE = (
    "佐藤 鈴木 高橋 田中 伊藤 渡辺 渡邊 山本 中村 小林 加藤 吉田 山田 佐々木 山口 松本 井上 木村 林 斎藤 斉藤 清水 山崎 森 池田 橋本 阿部 石川 山下 中島 石井 小川 前田 岡田 長谷川 藤田 後藤 近藤 村上 遠藤 青木 坂本 福田 "
    "太田 西村 藤井 金子 岡本 藤原 中野 三浦 原田 中川 松田 竹内 小野 田村 中山 和田 石田 森田 上田 原 内田 柴田 酒井 宮崎 横山 高木 安藤 宮本 大野 小島 谷口 今井 工藤 高田 増田 丸山 杉山 村田 大塚 新井 小山 平野 藤本 "
    "河野 上野 野口 武田 松井 千葉 菅原 岩崎 久保 佐野 野村 木下 松尾 菊地 菊池 市川 杉本 古川 大西 島田 水野 桜井 高野 渡部 吉川 山内 西田 飯田 川口 西川 小松 北村 安田 五十嵐 川崎 平田 関 中田 東 矢野 川上 永井 本田"
)
_HONOURED = "さん|様|さま|氏|くん|君|ちゃん|先生|部長|課長|社長|係長|主任|教授|先輩"
_JAPANESE_NAME = re.compile(
    rf"(?<![一-龯々])(?P<family>{'|'.join(sorted(_JAPANESE.split(), key=len, reverse=True))})"
    rf"(?:[ 　]?(?P<given>(?!(?:{_HONOURED}))[一-龯々]{{1,2}}[郎子美介樹也]?|[ぁ-ん]{{2,3}}(?=さん|[ 　、。])|[ァ-ヶー]{{2,4}})(?![一-龯々])|(?=(?:{_HONOURED})))"
    rf"(?P<title>{_HONOURED})?"
)
_CHINESE = "王李张張刘劉陈陳杨楊黄黃赵趙周吴吳徐孙孫马馬朱胡郭何高林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖田董袁潘于蒋蔣蔡余杜叶葉程苏蘇魏吕呂丁任沈姚卢盧姜崔钟鍾谭譚陆陸汪范金石廖贾賈夏韦韋付方白邹鄒孟熊秦邱江尹薛闫段雷侯龙龍史陶黎贺賀顾顧毛郝龚邵万钱錢严覃武戴莫孔向汤"
_CHINESE_GIVEN = "伟芳娜秀英敏静靜丽麗强強磊军軍洋勇艳艷杰傑娟涛濤明超霞平刚剛桂建华華国國志文晓曉琳玲红紅梅萍燕辉輝鹏鵬飞飛宇浩然轩軒梓涵欣怡雨佳嘉俊峰博思雪莹瑩倩婷颖穎慧洁潔云雲海波斌龙振宁寧兵凯凱健鑫波旭东東立永庆慶春兰蘭凤鳳珍淑美惠芬蓉薇蕾晨阳陽帆航睿哲瑞琪瑶萱彤悦诗语可心一诺子轩宸泽皓"
_CHINESE_TITLES = "先生|女士|小姐|老师|教授|经理|总监|主任|医生|律师|同学|总|姐|哥|工|阿姨|叔叔"
_CHINESE_TITLED = re.compile(
    rf"(?P<family>[{_CHINESE}])(?P<given>[{_CHINESE_GIVEN}]{{0,2}})(?P<title>{_CHINESE_TITLES})"
)
_CHINESE_NAME = re.compile(rf"[{_CHINESE}](?:[{_CHINESE_GIVEN}]{{2}}|[{_CHINESE_GIVEN}])")
_NICKED = re.compile(rf"[小老阿][{_CHINESE}](?![一-龯])|[小老阿][{_CHINESE}](?=[说的和在也要去来是会有])")
_KANJI_GIVEN = re.compile(
    r"(?<![一-龯々])(?!皆|母|父|姉|兄|妹|弟|祖母|祖父|店員|患者|医者|奥|娘|息子|客|業者)[一-龯]{2,3}(?=さん|くん|ちゃん)"
)
_HAN = re.compile(r"[一-龯]")
_KANA = re.compile(r"[ぁ-んァ-ヶ]")
_KOREAN = "김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우구민진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모"
_KOREAN_GIVEN = "민준서연지우현수영진은정호훈희경숙자미선주윤성재동상태하예나유아원석철용규혁빈찬솔슬다인란순옥형승기한건도율시온채린별봄결담람산새해환욱웅범병종창광대덕명문보복봉삼세소안애양여완요울월의이일임장전제조중천청춘충치평필학항향혜화효후흥"
_KOREAN_TITLES = (
    "씨|님|대리|과장|차장|부장|팀장|실장|대표|이사|사원|주임|교수님|교수|선생님|선생|선배|형|언니|누나|오빠"
)
_KOREAN_NAME = re.compile(
    rf"(?<![가-힣])(?P<name>[{_KOREAN}][{_KOREAN_GIVEN}]{{2}})"
    rf"(?P<title>\s?(?:{_KOREAN_TITLES}))?(?P<particle>[은는이가을를과와의도께]|에게|한테|랑|이랑)?(?![가-힣])"
)
_KOREAN_TITLED = re.compile(
    rf"(?<![가-힣])(?P<name>[{_KOREAN}][{_KOREAN_GIVEN}]{{0,2}})\s?(?P<title>{_KOREAN_TITLES})(?=[은는이가을를과와의도께에한]|[^가-힣]|$)"
)
_HANGUL = re.compile(r"[가-힣]")
_UNCASED_WORD = re.compile(
    r"(?:[\u0590-\u05ff]+|[\u0600-\u06ff]+|[\u0900-\u097f]+)(?:[ ](?:[\u0590-\u05ff]+|[\u0600-\u06ff]+|[\u0900-\u097f]+))*"
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
        if len(match[0]) > 2 or counted[match[0]] > 1 or foreign:
            yield match.start(), match.end(), match[0]
    for match in _NICKED.finditer(text):
        yield match.start(), match.end(), match[0]


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
