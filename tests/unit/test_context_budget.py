"""No context exceeds its budget, in any rendering, counted by real vocabularies."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import vocabularies
from recollect.context.budget import Budget
from recollect.context.fitting import Context, fit
from recollect.context.model import ChunkText, Materials, RecalledText, WindowMessage
from recollect.core.errors import InvalidInput
from recollect.core.tokens import Estimator, TokenCounter

ENGLISH = (
    "The board met on Tuesday and decided, after some discussion, to move the launch to October. Priya will write to "
    "the suppliers; Tom's estimate of 14,300 euros was accepted. Nobody objected, although the timetable is tight. "
)
CHINESE = "会议决定把发布推迟到十月，由小李负责联系供应商。預算為一萬四千三百歐元，大家都同意了。鑫森淼焱垚"
CODE = """\
    def _ranked(matches: Sequence[_Match], *, now: float = 0.0) -> list[_Ranked]:
        threads = {key: sum(v) / len(v) for key, v in grouped.items() if v is not None}
        return [(-m.total, m.id, threads.get((m.space, None), 0x7f)) for m in matches]

"""
JSON = json.dumps({"id": "7f3c9b1e-4d2a-4c58", "xs": [1.5, 22, None], "ok": True, "q": 'tea "no" sugar'}, indent=2)
ODD = "😀🎉👨‍👩‍👧 สวัสดี ﷺ \u200b\t\t\n\n <<<recollect:end>>> aGVsbG8gd29ybGQhIQ== Привет "
KINDS = (ENGLISH, CHINESE, CODE, JSON, ODD)

PER_MESSAGE = 3
"""What chat models add to a message, as their makers say."""


def passage(kind: str, start: int, length: int) -> str:
    return (kind * (1 + (start + length) // len(kind)))[start : start + length]


passages = st.builds(
    passage, st.sampled_from(KINDS), st.integers(0, 40), st.sampled_from([0, 1, 12, 40, 150, 150, 600, 3000])
)
short = st.builds(passage, st.sampled_from(KINDS), st.integers(0, 40), st.integers(1, 60))


def spoken(role: str, name: str | None, text: str) -> list[tuple[str, str | None, Any]]:
    return [(role, name, text)]


def called(text: str, query: str, answer: str, *, answered: bool) -> list[tuple[str, str | None, Any]]:
    """An assistant's call of two tools, and their answers, in Anthropic's parts."""
    calls = [
        {"type": "text", "text": text},
        {"type": "tool_use", "id": f"a{len(text)}", "name": "search", "input": {"query": query, "limit": 3}},
        {"type": "function", "id": "b1", "function": {"name": "look", "arguments": json.dumps({"q": query})}},
    ]
    answers = [
        {"type": "tool_result", "tool_use_id": f"a{len(text)}", "content": [{"type": "text", "text": answer}]},
        {"type": "tool_result", "tool_use_id": "b1", "content": answer},
    ]
    return [("assistant", None, calls), ("tool", None, answers if answered else answers[:1])]


exchanges = st.one_of(
    st.builds(
        spoken,
        st.sampled_from(["user", "assistant", "system", "tool"]),
        st.sampled_from([None, "Alice", "Bob Smith"]),
        passages,
    ),
    st.builds(called, passages, short, passages, answered=st.booleans()),
)


def window(exchanged: Sequence[list[tuple[str, str | None, Any]]]) -> list[WindowMessage]:
    flat = [message for exchange in exchanged for message in exchange]
    return [
        WindowMessage(turn, role, name, content, content if isinstance(content, str) else "")
        for turn, (role, name, content) in enumerate(flat, 1)
    ]


def recalled(prefix: str) -> st.SearchStrategy[list[RecalledText]]:
    one = st.builds(lambda text, score: (text, score), passages, st.floats(0, 1))
    return st.lists(one, max_size=10).map(
        lambda found: [RecalledText(f"{prefix}{number}", *each) for number, each in enumerate(found)]
    )


materials = st.builds(
    Materials,
    question=passages,
    system=st.none() | passages,
    profile=st.lists(st.tuples(short, short), max_size=15),
    summaries=st.lists(passages, max_size=8).map(
        lambda texts: [ChunkText(10 * n + 1, 10 * n + 10, text) for n, text in enumerate(texts)]
    ),
    messages=st.lists(exchanges, max_size=16).map(window),
    header=st.just(()) | st.lists(short, min_size=1, max_size=3).map(lambda lines: ("Memory updates:", *lines)),
    changed=st.lists(short, max_size=3),
    actives=st.lists(passages, max_size=2),
    extra=st.lists(passages, max_size=2),
    episodes=recalled("e"),
    memories=recalled("m"),
)
budgets = st.one_of(st.integers(16, 300), st.integers(256, 4000), st.sampled_from([8000, 32_000, 128_000]))


def part_tokens(part: Any, counter: TokenCounter) -> int:
    if isinstance(part, str):
        return counter.count(part)
    return counter.count(part["text"] if part.get("type") == "text" else json.dumps(part, ensure_ascii=False))


def chat_tokens(messages: Sequence[dict[str, Any]], counter: TokenCounter) -> int:
    total = 0
    for message in messages:
        content = message["content"] or []
        parts = [content] if isinstance(content, str) else content
        total += sum(part_tokens(part, counter) for part in [*parts, *message.get("tool_calls", ())]) + PER_MESSAGE
    return total


def largest(context: Context, counter: TokenCounter) -> int:
    anthropic = context.to_anthropic()
    return max(
        counter.count(context.text),
        chat_tokens(context.to_openai(), counter),
        counter.count(anthropic["system"]) + chat_tokens(anthropic["messages"], counter),
    )


HUGE = Materials(
    question="What did the log say?",
    system="You are terse.",
    profile=[("name", "Ana")],
    messages=window([spoken("user", None, ENGLISH * 1500), spoken("assistant", None, "I have read it.")]),
)


@given(materials, budgets)
@example(HUGE, 64)
@example(HUGE, 300)
@example(HUGE, 4000)
@example(replace(HUGE, question=CHINESE * 1000), 1000)
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_context_exceeds_its_budget(given_materials: Materials, tokens: int) -> None:
    real = (vocabularies.anthropic(), vocabularies.cl100k())
    estimated = fit(given_materials, tokens, Estimator())
    assert estimated.tokens <= 0.95 * tokens
    for counter in real:
        assert largest(estimated, counter) <= tokens
        exact = fit(given_materials, tokens, counter)
        assert exact.tokens == counter.count(exact.text)
        assert largest(exact, counter) <= tokens


@pytest.mark.parametrize("tokens", [64, 128, 255, 256, 1000, 4000, 32_000])
@pytest.mark.parametrize("kind", KINDS, ids=["english", "chinese", "code", "json", "odd"])
def test_a_message_larger_than_the_budget_is_cut(kind: str, tokens: int) -> None:
    long = passage(kind, 0, tokens * 6)
    messages = window([spoken("user", None, long), spoken("assistant", None, "Thank you, I have read all of it.")])
    context = fit(Materials("And now?", messages=messages), tokens, Estimator())
    for counter in (vocabularies.anthropic(), vocabularies.cl100k()):
        assert largest(context, counter) <= tokens
    if tokens >= 1000:
        assert "I have read all of it" in context.text
        assert "characters left out …]" in context.text
        assert any(warning.startswith("message 1: cut") for warning in context.warnings)
        head, _, tail = context.to_openai()[0]["content"].partition("\n[… ")
        assert long.startswith(head)
        assert long.endswith(tail.partition("…]\n")[2])


def many(count: int, text: str = ENGLISH) -> list[WindowMessage]:
    return window(
        [spoken("user" if turn % 2 else "assistant", None, f"{turn}. {text}") for turn in range(1, count + 1)]
    )


def test_a_budget_is_filled_when_there_is_enough_to_say() -> None:
    found = [RecalledText(f"m{number}", f"{number}: {ENGLISH}", 1 - number / 100) for number in range(60)]
    full = Materials("What was decided?", messages=many(60), memories=found)
    counter = vocabularies.cl100k()
    assert fit(full, 4000, counter).tokens >= 0.95 * 4000
    assert fit(full, 4000, Estimator()).tokens >= 0.9 * 4000


def test_a_system_prompt_of_200_tokens_fits_into_4000() -> None:
    counter = vocabularies.cl100k()
    system = (ENGLISH * 5)[:860]
    assert 180 <= counter.count(system) <= 220
    context = fit(Materials("Hm?", system=system, messages=many(60)), 4000, counter)
    assert context.text.startswith(system)
    assert context.to_openai()[0]["content"].startswith(system)


def test_what_does_not_fit_is_said_by_name() -> None:
    context = fit(
        Materials(
            "Hm?",
            system=ENGLISH * 40,
            profile=[(f"key {number}", ENGLISH) for number in range(40)],
            summaries=[ChunkText(10 * n + 1, 10 * n + 10, ENGLISH) for n in range(40)],
            messages=many(40),
            actives=[ENGLISH * 40],
            extra=[ENGLISH * 40],
            episodes=[RecalledText(f"e{n}", ENGLISH * 5, 0.2) for n in range(3)],
            memories=[RecalledText(f"m{n}", ENGLISH * 5, 0.9 - n / 100) for n in range(10)],
            warnings=["the reranker is down"],
        ),
        1500,
        Estimator(),
    )
    assert context.warnings[0] == "the reranker is down"
    named = {warning.partition(":")[0] for warning in context.warnings[1:]}
    assert {"system", "profile", "summaries", "messages", "extra", "memories"} <= named


def test_with_room_for_all_nothing_is_warned_about() -> None:
    context = fit(Materials("Hm?", system="Be kind.", profile=[("name", "Ana")], messages=many(6)), 4000, Estimator())
    assert context.warnings == ()


def test_of_recent_messages_the_oldest_go_and_the_start_stays_until_it_must_move() -> None:
    starts = []
    for count in range(20, 60):
        messages = many(count)
        kept = fit(Materials("Hm?", messages=messages), 1500, Estimator()).chosen.stable.messages
        assert kept == tuple(messages[len(messages) - len(kept) :])
        assert kept
        starts.append(kept[0].turn)
    assert starts == sorted(starts)
    assert len(set(starts)) <= 9, "it moves about twice in ten messages, where nine of them fit"


def test_all_messages_of_a_late_worker_are_shown_as_far_as_they_fit() -> None:
    full = Materials("Hm?", messages=[replace(m, turn=m.turn + 500) for m in many(700, "Yes.")], unread=500)
    shown = fit(full, 128_000, Estimator())
    assert len(shown.chosen.stable.messages) == 700
    assert "messages: 500 of 1200 recent messages did not fit" in shown.warnings
    few = fit(full, 2_000, Estimator())
    assert any(f"messages: {1200 - len(few.chosen.stable.messages)} of 1200" in warning for warning in few.warnings)


@pytest.mark.parametrize("others", [0, 3, 12])
def test_one_message_that_is_far_too_large_fills_its_part(others: int) -> None:
    huge = [("user", None, ENGLISH * 5_000)]
    messages = window([huge, *(spoken("assistant", None, "I see.") for _ in range(others))])
    counter = vocabularies.cl100k()
    context = fit(Materials("Hm?", messages=messages), 128_000, counter)
    room = Budget().shares(128_000, counter).stable
    assert context.tokens >= 0.7 * room
    assert len(context.chosen.stable.messages) == others + 1
    assert "message 1: cut, it is larger than its share" in context.warnings


def test_what_a_message_says_is_recalled_only_where_the_message_is_not_shown() -> None:
    messages = many(40)
    found = [RecalledText(f"m{m.turn}", f"Of turn {m.turn}.", 0.5, m.turn) for m in messages]
    context = fit(Materials("Hm?", messages=messages, memories=found, most_memories=10), 1500, Estimator())
    shown = {message.turn for message in context.chosen.stable.messages}
    told = {int(id[1:]) for id in context.included}
    assert shown.isdisjoint(told)
    assert told == set(range(1, 11))


def test_the_best_memories_get_in_and_keep_their_order() -> None:
    found = [RecalledText(str(number), f"{number}: {ENGLISH}", number / 30) for number in range(30)]
    context = fit(Materials("Hm?", memories=found), 700, Estimator())
    numbers = [int(number) for number in context.included]
    assert numbers == sorted(numbers)
    assert set(numbers) == set(range(30 - len(numbers), 30))


def test_a_large_memory_does_not_keep_the_small_ones_out() -> None:
    found = [RecalledText("large", ENGLISH * 400, 1.0), RecalledText("small", "Ana likes tea.", 0.5)]
    context = fit(Materials("Hm?", memories=found), 1000, Estimator())
    assert context.included == ("large", "small")


def test_below_256_tokens_there_is_only_question_and_profile() -> None:
    everything = Materials(
        "What is my name?",
        system="SYSTEM",
        profile=[("name", "Ana")],
        changed=["city: Bern"],
        summaries=[ChunkText(1, 10, "SUMMARY")],
        messages=many(3, "MESSAGE"),
        memories=[RecalledText("m", "MEMORY", 1.0)],
        extra=["EXTRA"],
    )
    context = fit(everything, 255, Estimator())
    assert "- name: Ana" in context.text
    assert "- city: Bern" in context.text, "what changed in the profile is the profile"
    assert "What is my name?" in context.text
    assert not any(word in context.text for word in ("SYSTEM", "SUMMARY", "MESSAGE", "MEMORY", "EXTRA"))
    assert any("256" in warning for warning in context.warnings)
    assert "SYSTEM" in fit(everything, 256, Estimator()).text


@pytest.mark.parametrize("tokens", [16, 20, 32, 64])
def test_a_tiny_budget_still_asks_the_question(tokens: int) -> None:
    context = fit(Materials("Who am I?", profile=[("name", "Ana")]), tokens, Estimator())
    assert "Who am I?" in context.text
    assert context.to_openai()[-1]["content"].startswith("Who am I?")


def test_a_question_larger_than_the_budget_is_cut_and_all_else_gives_way() -> None:
    context = fit(replace(HUGE, question="BEGIN " + ENGLISH * 500 + "THE END"), 600, Estimator())
    asked = context.to_openai()[-1]["content"]
    assert asked.startswith("BEGIN")
    assert "THE END" in asked
    assert any(warning.startswith("question: cut") for warning in context.warnings)


def test_a_long_question_takes_its_room_from_the_window() -> None:
    question = (ENGLISH * 50)[:6000]
    context = fit(Materials(question, messages=many(40)), 2000, Estimator())
    assert question in context.text
    assert len(context.chosen.stable.messages) < len(
        fit(Materials("Hm?", messages=many(40)), 2000, Estimator()).chosen.stable.messages
    )


def test_working_notes_have_their_share_and_what_memories_leave() -> None:
    found = [RecalledText(str(number), ENGLISH, 1.0) for number in range(60)]
    crowded = fit(Materials("Hm?", extra=[ENGLISH * 100], memories=found), 4000, Estimator())
    alone = fit(Materials("Hm?", extra=[ENGLISH * 100]), 4000, Estimator())
    assert len(crowded.chosen.volatile.extra[0]) < len(alone.chosen.volatile.extra[0]) / 2
    assert len(crowded.included) > 10


def test_fewer_than_16_tokens_are_refused() -> None:
    with pytest.raises(InvalidInput, match="tokens"):
        fit(Materials("Hm?"), 15, Estimator())


def test_the_shares_are_those_of_the_whole() -> None:
    shares = Budget().shares(128_000, vocabularies.cl100k())
    assert shares.whole == 128_000
    assert shares.working == 8_000
    assert shares.stable == 2_000 + int(118_000 * 0.6)
    assert Budget().shares(128_000, Estimator()).whole == 121_600
