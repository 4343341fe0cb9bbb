"""A context as the messages of a chat model: memory as the system prompt, the window as it was, then the question."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recollect.context.model import Stable, Volatile, WindowMessage
from recollect.context.parts import (
    Call,
    Other,
    Piece,
    Result,
    Text,
    arguments_object,
    arguments_text,
    as_json,
    carries_data,
    read,
    result_text,
    spoken,
)
from recollect.context.render import memory_block, volatile_text

Chat = list[dict[str, Any]]
Pairs = frozenset[tuple[int, str]]
"""Calls and answers by their message's turn and their id."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DATA_URL = re.compile(r"data:([^;,]+);base64,(.*)", re.DOTALL)
_OPENAI_PARTS = frozenset({"image_url", "input_audio", "file", "refusal"})
_ANTHROPIC_PARTS = frozenset({"image", "document", "search_result", "thinking", "redacted_thinking"})


def openai_messages(stable: Stable, volatile: Volatile) -> Chat:
    """Messages for OpenAI's chat completions, and all that speaks its language."""
    system = system_text(stable)
    paired = _paired(stable.messages)
    messages: Chat = [{"role": "system", "content": system}] if system else []
    for message in stable.messages:
        messages.extend(_openai(message, paired))
    return [*messages, {"role": "user", "content": volatile_text(volatile, in_chat=True)}]


def anthropic_messages(stable: Stable, volatile: Volatile) -> dict[str, Any]:
    """System prompt and messages for Anthropic: the two roles take turns, and the user begins."""
    paired = _paired(stable.messages)
    turns: Chat = []
    for message in stable.messages:
        _append(turns, "assistant" if message.role == "assistant" else "user", _anthropic(message, paired))
    if turns and turns[0]["role"] == "assistant":
        turns.insert(0, {"role": "user", "content": [_text_part("(The conversation goes on.)")]})
    _append(turns, "user", [_text_part(volatile_text(volatile, in_chat=True))])
    messages = [{"role": turn["role"], "content": _simplest(turn["content"])} for turn in turns]
    return {"system": system_text(stable), "messages": messages}


def system_text(stable: Stable) -> str:
    """The system prompt with the stable memory."""
    return "\n\n".join(filter(None, (stable.system, memory_block(stable))))


def wording(messages: Iterable[Mapping[str, Any]]) -> tuple[list[str], int]:
    """All that a model reads of messages, and how many media are sent within them."""
    words: list[str] = []
    media = 0
    for message in messages:
        content = message.get("content")
        for part in [content] if isinstance(content, str) else content or ():
            if isinstance(part, Mapping) and carries_data(part):
                media += 1
            else:
                words.append(_part_wording(part))
        words.extend(as_json(call) for call in message.get("tool_calls", ()))
        words.extend(str(message[key]) for key in ("name", "tool_call_id") if key in message)
    return words, media


def message_wordings(message: WindowMessage) -> tuple[tuple[list[str], int], tuple[list[str], int]]:
    """What a model reads of one message by itself, for OpenAI and for Anthropic, its tool calls taken as such."""
    everything = frozenset((message.turn, piece.id) for piece in read(message) if isinstance(piece, Call | Result))
    anthropic = {"role": message.role, "content": _anthropic(message, everything)}
    return wording(_openai(message, everything)), wording([anthropic])


def _part_wording(part: Any) -> str:
    if isinstance(part, str):
        return part
    return str(part["text"]) if part.get("type") == "text" and set(part) == {"type", "text"} else as_json(part)


def _paired(messages: Sequence[WindowMessage]) -> Pairs:
    """Calls and answers that belong together: only where all answers follow at once does a chat model take them."""
    paired: set[tuple[int, str]] = set()
    open_calls: set[str] = set()
    pending: set[tuple[int, str]] = set()
    for message in messages:
        calls, answers, words = _tools(message)
        if answers and not calls and message.role != "assistant" and open_calls.issuperset(answers):
            open_calls -= set(answers)
            pending |= {(message.turn, answer) for answer in answers}
            paired |= pending if not open_calls else set()
            # Words beside an answer end the answering: no chat model lets a further answer come after them.
            open_calls = set() if words else open_calls
        else:
            asks = message.role == "assistant" and not answers
            open_calls = set(calls) if asks else set()
            pending = {(message.turn, call) for call in open_calls}
    return frozenset(paired)


def _tools(message: WindowMessage) -> tuple[list[str], list[str], bool]:
    """The calls of a message, its answers, and whether there is more; without ids of their own all are words."""
    pieces = read(message)
    calls = [piece.id for piece in pieces if isinstance(piece, Call)]
    answers = [piece.id for piece in pieces if isinstance(piece, Result)]
    if "" in calls + answers or len(set(calls)) < len(calls) or len(set(answers)) < len(answers):
        return [], [], True
    return calls, answers, len(calls) + len(answers) < len(pieces)


def _stands(piece: Piece, message: WindowMessage, paired: Pairs) -> bool:
    """Whether a call or an answer may stay what it is; else it is told in words."""
    return isinstance(piece, Call | Result) and (message.turn, piece.id) in paired


def _openai(message: WindowMessage, paired: Pairs) -> Chat:
    if isinstance(message.content, str):
        return [_named(message, message.content)]
    pieces = read(message)
    calls = [piece for piece in pieces if isinstance(piece, Call) and _stands(piece, message, paired)]
    results = [piece for piece in pieces if isinstance(piece, Result) and _stands(piece, message, paired)]
    rest = [piece for piece in pieces if piece not in calls and piece not in results]
    messages: Chat = [
        {"role": "tool", "tool_call_id": result.id, "content": result_text(result.content)} for result in results
    ]
    if rest or calls or not results:
        messages.append(_openai_rest(message, rest, calls))
    return messages


def _openai_rest(message: WindowMessage, rest: Sequence[Piece], calls: Sequence[Call]) -> dict[str, Any]:
    parts = [_openai_part(piece) for piece in rest]
    told: Any = parts
    if message.role == "assistant" and any(part["type"] != "text" for part in parts):
        told = "\n".join(map(spoken, rest))
    rendered = _named(message, told)
    if calls:
        rendered["content"] = told or None
        rendered["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": arguments_text(call.arguments)},
            }
            for call in calls
        ]
    return rendered


def _named(message: WindowMessage, content: Any) -> dict[str, Any]:
    """A message with its speaker's name: in its field if the name is legal there, else in front of the words."""
    lone_tool = message.role in ("tool", "function")
    role = "user" if lone_tool else message.role
    name = message.name or (message.role if lone_tool else None)
    if name is None:
        return {"role": role, "content": content}
    if _NAME.fullmatch(name) and not lone_tool:
        return {"role": role, "name": name, "content": content}
    return {"role": role, "content": _prefixed(name, content)}


def _prefixed(name: str, content: Any) -> Any:
    if isinstance(content, str):
        return f"{name}: {content}"
    return [_text_part(f"{name}:"), *content]


def _openai_part(piece: Piece) -> dict[str, Any]:
    if isinstance(piece, Text):
        return dict(piece.part) if piece.part.get("type") == "text" else _text_part(piece.text)
    if isinstance(piece, Other):
        if piece.type in _OPENAI_PARTS:
            return dict(piece.part)
        if (url := _image_url(piece.part)) is not None:
            return {"type": "image_url", "image_url": {"url": url}}
    return _text_part(spoken(piece))


def _image_url(part: Mapping[str, Any]) -> str | None:
    """The address of an image of any dialect; data become a data URL."""
    kind = part.get("type")
    if kind in ("image_url", "input_image"):
        inner = part.get("image_url")
        url = inner.get("url") if isinstance(inner, Mapping) else inner
        return url if isinstance(url, str) else None
    source = part.get("source")
    if kind != "image" or not isinstance(source, Mapping):
        return None
    if source.get("type") == "base64":
        return f"data:{source.get('media_type', 'image/png')};base64,{source.get('data', '')}"
    url = source.get("url")
    return url if isinstance(url, str) else None


def _anthropic(message: WindowMessage, paired: Pairs) -> Chat:
    blocks = [_anthropic_block(piece, _stands(piece, message, paired)) for piece in read(message)]
    # Results come first in a turn, and no block of text may be blank.
    blocks.sort(key=lambda block: block["type"] != "tool_result")
    blocks = [block for block in blocks if block["type"] != "text" or block["text"].strip()]
    who = message.name if message.role == "user" else None if message.role == "assistant" else message.role
    if who and blocks and not any(block["type"] == "tool_result" for block in blocks):
        return _introduced(who, blocks)
    return blocks


def _introduced(who: str, blocks: Chat) -> Chat:
    if blocks[0]["type"] == "text":
        return [{**blocks[0], "text": f"{who}: {blocks[0]['text']}"}, *blocks[1:]]
    return [_text_part(f"{who}:"), *blocks]


def _anthropic_block(piece: Piece, stands: bool) -> dict[str, Any]:
    match piece:
        case Text():
            return dict(piece.part) if piece.part.get("type") == "text" else _text_part(piece.text)
        case Call() if stands:
            return {
                "type": "tool_use",
                "id": piece.id,
                "name": piece.name,
                "input": arguments_object(piece.arguments),
            }
        case Result() if stands:
            return _anthropic_result(piece)
        case Other() if piece.type in _ANTHROPIC_PARTS:
            return dict(piece.part)
        case Other() if (url := _image_url(piece.part)) is not None:
            return {"type": "image", "source": _source(url)}
        case _:
            return _text_part(spoken(piece))


def _anthropic_result(result: Result) -> dict[str, Any]:
    if result.part.get("type") == "tool_result" and "tool_use_id" in result.part:
        return dict(result.part)
    return {"type": "tool_result", "tool_use_id": result.id, "content": result_text(result.content)}


def _source(url: str) -> dict[str, str]:
    if (data := _DATA_URL.fullmatch(url)) is not None:
        return {"type": "base64", "media_type": data[1], "data": data[2]}
    return {"type": "url", "url": url}


def _append(turns: Chat, role: str, blocks: Chat) -> None:
    if not blocks:
        return
    if turns and turns[-1]["role"] == role:
        turns[-1]["content"].extend(blocks)
        # The answers to calls lead their turn, whichever message they came in.
        turns[-1]["content"].sort(key=lambda block: block["type"] != "tool_result")
    else:
        turns.append({"role": role, "content": list(blocks)})


def _simplest(blocks: Chat) -> Any:
    """One plain text as a string, anything else as blocks."""
    if len(blocks) == 1 and set(blocks[0]) == {"type", "text"}:
        return blocks[0]["text"]
    return blocks


def _text_part(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
