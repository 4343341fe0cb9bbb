"""The estimate stays close above what real vocabularies count, whatever the text."""

import base64
import json
import random
import string
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vocabularies
import wordpieces
from recollect.core.errors import InvalidInput, Unavailable
from recollect.core.tokens import Estimator, ExactCounter, counter_for, estimate

ROOT = Path(__file__).parents[2]
UNDER = 0.95
OVER = 1.25

PROSE = """\
When the ferry finally pulled away from the pier, Margaret realised that she had left the letters on the kitchen
table. She laughed, because there was nothing else to do. For eleven years she had carried them from one flat to the
next, and now they would lie there between the teapot and yesterday's newspaper until somebody threw them out. The
wind was stronger than the forecast had promised; two gulls hung above the stern as if on strings, and a boy in a
yellow raincoat was feeding them the remains of a sandwich.

"You don't look like a tourist," said the man beside her. He had a notebook, a pencil behind his ear, and the kind of
patience that makes people talk. She told him that she was on her way to sell her father's workshop: the lathes, the
unfinished chairs, the drawers full of screws sorted by a system that nobody had ever understood. He asked whether it
hurt. "Not yet," she said, "but I'm told that it's going to be Thursday."

Our quarterly review shows that revenue grew by 14 percent, mostly because customers in the northern region renewed
their contracts earlier than expected. Support requests, on the other hand, went up as well: the new billing page is
confusing, and about a third of all tickets mention it by name. I'd suggest that we postpone the redesign of the mobile
app until March, fix the billing page first, and hire one more person for the evening shift. Let me know what you
think before Friday; I'm happy to prepare the numbers for the board if that helps.

I've been trying to cook more at home lately. Last weekend I made a vegetable curry with coconut milk, and although it
was a little too spicy for the kids, everyone asked for seconds. Do you have any suggestions for quick dinners on
weekdays? We usually eat around half past six, and I can't stand in the kitchen for longer than thirty minutes.
"""

SIMPLIFIED = """\
昨天晚上我和老同学在河边的小饭馆见面，大家聊起了小时候的事情。那时候没有手机，放学以后我们常常在操场上踢足球，一直玩到天黑才回家。\
现在每个人都很忙，有的在医院当医生，有的自己开了公司，还有一位去了国外教书。虽然生活不一样了，可是一见面还是觉得很亲切。
系统会把较早的对话压缩成摘要，并且保存每一段的主题和轮次范围。用户提出问题的时候，先从数据库读取个人资料，再用向量检索相关的片段，\
最后按照预算组合成提示词。如果预算不够，就去掉最旧的消息，同时给出警告。这样既能控制成本，又不会丢失重要的信息。
今年春天雨水特别多，村里的水库早早就满了。农民们担心秧苗被淹，于是连夜挖开了一条新的水渠。县里派来的技术员蹲在田埂上，\
一边测量水位，一边给大家讲解排水的办法。到了五月，稻田终于恢复了往年的样子。
"""

TRADITIONAL = """\
這家書店開在一條安靜的巷子裡，門口種著兩棵桂花樹。老闆年輕的時候當過記者，後來因為喜歡舊書，便把存款都拿來收購絕版的小說與畫冊。\
每到週末，附近大學的學生會來這裡討論文學，也有人只是點一杯咖啡，靠著窗戶看雨。
"""

RECORDS = [
    {
        "id": f"{random.Random(number).getrandbits(128):032x}",
        "createdAt": f"2026-03-{number % 28 + 1:02d}T08:{number % 60:02d}:07.123Z",
        "customer": {"name": "Dana Whitfield", "email": f"dana.{number}@example.org", "active": number % 3 == 0},
        "amount": round(random.Random(number).random() * 1000, 2),
        "tags": ["renewal", "north", None],
        "note": "Called back twice; wants the invoice in euros.",
    }
    for number in range(30)
]

SOURCES = ["src/recollect/retrieval/fusion.py", "src/recollect/core/terms.py", "src/recollect/db/schema.sql"]
CODE = {name: (ROOT / name).read_text(encoding="utf-8") for name in SOURCES}
JSON = {
    "compact": json.dumps(RECORDS, separators=(",", ":")),
    "spaced": json.dumps(RECORDS),
    "indented": json.dumps(RECORDS, indent=2),
    "lines": (ROOT / "tests/data/temporal_questions.jsonl").read_text(encoding="utf-8"),
}
SAMPLES = {"prose": PROSE, "simplified": SIMPLIFIED, "traditional": TRADITIONAL, **CODE, **JSON}
REAL = {"anthropic": vocabularies.anthropic, "cl100k": vocabularies.cl100k, "o200k": vocabularies.o200k}


def slices(text: str, length: int) -> list[str]:
    return [text[start : start + length] for start in range(0, len(text) - length // 2, length)]


@pytest.mark.parametrize("vocabulary", REAL)
@pytest.mark.parametrize("name", SAMPLES)
def test_never_undercounts_by_more_than_a_twentieth(name: str, vocabulary: str) -> None:
    counter = REAL[vocabulary]()
    for text in [SAMPLES[name], *slices(SAMPLES[name], 1000), *slices(SAMPLES[name], 150)]:
        assert estimate(text) >= UNDER * counter.count(text), text


@pytest.mark.parametrize("vocabulary", ["anthropic", "cl100k"])
def test_english_prose_is_not_overcounted_by_more_than_a_quarter(vocabulary: str) -> None:
    counter = REAL[vocabulary]()
    assert estimate(PROSE) <= OVER * counter.count(PROSE)


@pytest.mark.parametrize("sample", ["simplified", "traditional"])
def test_chinese_is_not_overcounted_by_more_than_a_quarter(sample: str) -> None:
    assert estimate(SAMPLES[sample]) <= OVER * vocabularies.cl100k().count(SAMPLES[sample])


@pytest.mark.parametrize(
    "text",
    [
        base64.b64encode(random.Random(7).randbytes(3000)).decode(),
        random.Random(8).randbytes(2000).hex(),
        "😀🎉👨‍👩‍👧🇨🇭 " * 50,
        "สวัสดีครับ ยินดีต้อนรับสู่ระบบความจำ " * 20,
        "Привет, как дела? Сегодня мы говорили о погоде и о планах на лето. " * 20,
        "مرحبا بالعالم، كيف حالك اليوم؟ " * 20,
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor. " * 20,
        "ﷺ㍿" * 50,
        "\u3042\u0000\u0001\x7f" * 50,
        "   \t\t\n\n\r\n  \n" * 50,
        "-" * 500 + "=" * 77 + "~!@#$%^&*()" * 20,
        "".join(random.Random(9).choices(string.ascii_letters + string.digits + string.punctuation, k=3000)),
        "鑫森淼焱垚" * 100,
        "0123456789" * 200,
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_odd_texts_are_not_undercounted_either(text: str) -> None:
    assert estimate(text) >= UNDER * max(vocabularies.anthropic().count(text), vocabularies.cl100k().count(text))


@given(st.text(st.characters(min_codepoint=0x80)))
@settings(max_examples=300, deadline=None)
def test_characters_beyond_ascii_are_bounded(text: str) -> None:
    if not any("а" <= character <= "я" for character in text):
        assert estimate(text) >= max(vocabularies.anthropic().count(text), vocabularies.cl100k().count(text))


@given(st.text())
@settings(max_examples=200, deadline=None)
def test_any_text_has_an_estimate(text: str) -> None:
    assert bool(text) <= estimate(text) <= 20 * len(text)


def test_half_a_surrogate_pair_is_no_reason_to_fail() -> None:
    assert estimate("\ud83d and text") > 0
    assert vocabularies.anthropic().count("\ud83d and text") > 0
    assert vocabularies.cl100k().count("\ud83d and text") > 0


@pytest.mark.parametrize("counter", [Estimator, vocabularies.anthropic, vocabularies.cl100k])
def test_weights_of_parts_add_up_to_no_less_than_the_whole(counter: object) -> None:
    measured = counter()  # type: ignore[operator]
    lines = PROSE.splitlines(keepends=True)
    assert measured.count(PROSE) <= measured.total(map(measured.weigh, lines)) <= 1.05 * measured.count(PROSE)


def test_a_setting_names_the_counter() -> None:
    assert isinstance(counter_for(None), Estimator)
    assert isinstance(counter_for("estimate"), Estimator)
    assert not counter_for("estimate").exact
    assert counter_for("tiktoken:cl100k_base").exact


def test_a_tokenizer_file_counts_exactly(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    tokenizer = wordpieces.library()
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=8)
    tokenizer.save(str(path))
    by_path = counter_for(str(path))
    assert by_path.exact
    assert by_path.count("one two three") == 3
    long = "one two three " * 5000
    assert by_path.count(long) == 15_000, "neither truncated nor padded, whatever the file says"
    assert ExactCounter(path.read_text(encoding="utf-8")).count("one two three") == 3


def test_text_that_looks_like_a_special_token_is_text() -> None:
    assert vocabularies.cl100k().count("<|endoftext|>") > 1


@pytest.mark.parametrize("setting", ["/nowhere/tokenizer.json", "tiktoken:no_such_vocabulary"])
def test_a_counter_that_does_not_exist_is_named(setting: str) -> None:
    with pytest.raises(InvalidInput, match="tokenizer"):
        counter_for(setting)


@pytest.mark.parametrize(("extra", "setting"), [("tokenizers", "tokenizer.json"), ("tiktoken", "tiktoken:cl100k_base")])
def test_an_extra_that_is_missing_is_named(extra: str, setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, extra, None)
    with pytest.raises(Unavailable, match=rf"pip install 'recollect\[{extra}\]'"):
        counter_for(setting)
