"""Slack: messages of an export as a talk, threads together, people by name, without joins and bots.

The text is JSON: a list of messages, or an object with `messages` and, where known, `channel` and `users` (names or
Slack's own objects by id, or a list of these objects).
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from html import unescape
from typing import Any

from recollect.sources.cleaning import plain
from recollect.sources.cleaning.model import Cleaned, Said, speakers, spoken
from recollect.sources.cleaning.moments import epoch

Json = dict[str, Any]

_OF_PEOPLE = frozenset({"", "thread_broadcast", "reply_broadcast", "file_share", "file_comment", "me_message"})
_MENTION = re.compile(r"<@([A-Z0-9]+)(?:\|([^<>]*))?>")
_ADDRESSED = re.compile(r"\A(<@[A-Z0-9]+(?:\|[^<>]*)?>)\s+(?=\w)")
_CHANNEL = re.compile(r"<#([A-Z0-9]+)(?:\|([^<>]*))?>")
_SPECIAL = re.compile(r"<!([^<>|]*)(?:\|([^<>]*))?>")
_LINK = re.compile(r"<((?:https?|mailto|tel|ftp|file|slack)[^<>|\s]*)(?:\|([^<>]*))?>")
_EMOJI = re.compile(r"(?<![\w:]):(?:[a-z][a-z0-9_+'-]*|[+-]1)(?:::skin-tone-\d)?:(?!\w)")
_STRESS = re.compile(r"(?<![\w*_~])([*_~])(?=\S)([^\n*_~]{1,300}?)(?<=\S)\1(?![\w*_~])")
_BLANKS = re.compile(r"[^\S\n]{2,}")
_ID = re.compile(r"[UWB](?=[A-Z0-9]*\d)[A-Z0-9]+|USLACKBOT")
"""By which Slack knows somebody; to people it says nothing."""
_SOMEBODY = "someone"
_LONGEST_TITLE = 60


def read(raw: str) -> Json | None:
    """The export as an object with `messages`; None for what is none."""
    if not raw.lstrip("\ufeff \t\r\n").startswith(("[", "{")):
        return None
    try:
        found = json.loads(raw.strip("\ufeff \t\r\n"))
    except (ValueError, RecursionError):
        return None
    export = {"messages": found} if isinstance(found, list) else found
    return export if isinstance(export, dict) and is_export(export) else None


def is_export(export: Json) -> bool:
    """Whether the messages are Slack's: each an object, most with a time stamp or a user."""
    messages = export.get("messages")
    if not isinstance(messages, list) or not messages:
        return False
    slack = [
        each for each in messages if isinstance(each, dict) and "ts" in each and ("text" in each or "user" in each)
    ]
    return len(slack) * 2 >= len(messages)


def clean(raw: str) -> Cleaned | None:
    """The talk; None where the text is no export, or nobody says a word in it."""
    export = read(raw)
    return None if export is None else clean_export(export)


def clean_export(export: Json) -> Cleaned | None:
    """The talk of an export that was read already."""
    names = names_of(export.get("users"))
    messages = in_order(each for each in export["messages"] if isinstance(each, dict))
    bots = bots_of(export.get("users"))
    of_people = [each for each in messages if is_said(each, bots)]
    lines = _lines(of_people, names) or _lines(messages, names)
    if not lines:
        return None
    moments = [line.at for line in lines if line.at]
    return Cleaned(
        text=plain.tidy(spoken(lines)),
        title=_title(export.get("channel"), lines, one_thread=_is_thread(of_people)),
        participants=speakers(lines),
        started_at=min(moments, default=None),
        ended_at=max(moments, default=None),
        lines=lines,
    )


def names_of(users: Any) -> dict[str, str]:
    """The name of everybody by id."""
    listed = users.items() if isinstance(users, Mapping) else ((None, each) for each in _list(users))
    found: dict[str, str] = {}
    for id, user in listed:
        who = user if isinstance(user, str) else _name(user)
        key = id or (user.get("id") if isinstance(user, dict) else None)
        if who and isinstance(key, str):
            found[key] = " ".join(who.split())
    return found


def bots_of(users: Any) -> frozenset[str]:
    """The ids of those who are no people."""
    listed = users.values() if isinstance(users, Mapping) else _list(users)
    marked = (str(user.get("id")) for user in listed if isinstance(user, dict) and user.get("is_bot"))
    return frozenset({"USLACKBOT", *marked})


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _name(user: Any) -> str:
    """As people call somebody: the real name before the one that they chose to be shown."""
    if not isinstance(user, dict):
        return ""
    inner = user.get("profile")
    profile = inner if isinstance(inner, dict) else {}
    known = (profile.get("real_name"), user.get("real_name"), profile.get("display_name"), user.get("display_name"))
    return next((each.strip() for each in (*known, user.get("name")) if isinstance(each, str) and each.strip()), "")


def in_order(messages: Iterable[Json]) -> list[Json]:
    """Messages by time, each answer in its thread; a message that is there twice once."""
    by_stamp = {(str(each.get("ts")), str(each.get("user")), str(each.get("text"))): each for each in messages}
    return sorted(by_stamp.values(), key=lambda each: (_stamp(thread_of(each)), _stamp(each.get("ts"))))


def thread_of(message: Json) -> str:
    """The time stamp by which a message's thread goes."""
    return str(message.get("thread_ts") or message.get("ts") or "")


def _stamp(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0.0


def is_said(message: Json, bots: frozenset[str]) -> bool:
    """Whether a person said something: no join, no change of the topic, no bot."""
    subtype = str(message.get("subtype") or "")
    if subtype not in _OF_PEOPLE or message.get("user") in bots:
        return False
    return not (message.get("bot_id") and not message.get("client_msg_id")) and bool(_words_in(message))


def _words_in(message: Json) -> str:
    """What a message says: its text, the text of what it quotes or shows, the names of files."""
    text = message.get("text")
    parts = [text if isinstance(text, str) else ""]
    if not parts[0].strip():
        parts += [str(each.get("text") or each.get("fallback") or "") for each in _objects(message.get("attachments"))]
    files = [str(each.get("title") or each.get("name") or "") for each in _objects(message.get("files"))]
    if any(files):
        parts.append(f"(shared {', '.join(filter(None, files))})")
    return "\n".join(part for part in parts if part.strip())


def _objects(value: Any) -> list[Json]:
    return [each for each in _list(value) if isinstance(each, dict)]


def _lines(messages: Sequence[Json], names: Mapping[str, str]) -> tuple[Said, ...]:
    lines = (Said(readable(_words_in(each), names), _speaker(each, names), epoch(each.get("ts"))) for each in messages)
    return tuple(line for line in lines if any(map(str.isalnum, line.text)))


def _speaker(message: Json, names: Mapping[str, str]) -> str | None:
    user = message.get("user")
    known = names.get(user) if isinstance(user, str) else None
    own = known or _name(message.get("user_profile")) or message.get("username") or user
    return " ".join(own.split()) if isinstance(own, str) and own.strip() and not _ID.fullmatch(own.strip()) else None


def readable(text: str, names: Mapping[str, str]) -> str:
    """Slack's marks as people read them."""
    text = _ADDRESSED.sub(r"\1, ", text)
    text = _MENTION.sub(lambda found: names.get(found[1]) or found[2] or _SOMEBODY, text)
    text = _CHANNEL.sub(lambda found: f"#{found[2] or found[1]}", text)
    text = _SPECIAL.sub(lambda found: found[2] or f"@{found[1].partition('^')[0]}", text)
    text = _LINK.sub(lambda found: found[2] or found[1].removeprefix("mailto:").removeprefix("tel:"), text)
    text = _STRESS.sub(r"\2", _EMOJI.sub("", text))
    return _BLANKS.sub(" ", plain.tidy(unescape(text)))


def _is_thread(messages: Sequence[Json]) -> bool:
    return len(messages) > 1 and len({thread_of(each) for each in messages}) == 1


def _title(channel: Any, lines: Sequence[Said], *, one_thread: bool) -> str | None:
    """The channel, and what a thread is about by its first words; the people where no channel is known."""
    where = str(channel.get("name") or "") if isinstance(channel, dict) else str(channel or "")
    about = " ".join(lines[0].text.split()) if one_thread or not where else ""
    if len(about) > _LONGEST_TITLE:
        about = about[:_LONGEST_TITLE].rpartition(" ")[0].rstrip(" ,;:.-") + "…"
    named = f"#{where.lstrip('#')}" if where else ""
    return ": ".join(part for part in (named, about) if part) or None
