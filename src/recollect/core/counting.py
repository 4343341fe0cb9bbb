"""Numbers of things, told as people tell them."""

from collections.abc import Mapping

_CALLED = {
    "profile": "profile fact",
    "entry": "search entry",
    "history": "line of history",
    "change_log": "change",
    "section_text": "former section",
    "versions": "former version",
    "active": "active memory",
    "reader": "reader's note",
}
_SEVERAL = {"person": "people", "line of history": "lines of history"}
_VOWELS = "aeiou"

_KEYS = {"thread": "thread id", "section": "section name", "agent": "agent id", "run": "run id"}

_REWRITTEN = "rewritten_"
_RAW = {"messages": "message", "sources": "document"}


def counted(number: int, word: str) -> str:
    """`1 memory`, `2 memories`."""
    return f"{number:,} {word if number == 1 else several(word)}"


def several(word: str) -> str:
    """The plural of a word; one that ends in s is one already."""
    if word in _SEVERAL:
        return _SEVERAL[word]
    if word.endswith("s"):
        return word
    return f"{word[:-1]}ies" if word.endswith("y") and word[-2] not in _VOWELS else f"{word}s"


def listed(parts: list[str]) -> str:
    """`a, b and c`."""
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)


def forgotten(counts: Mapping[str, int], *, keep_raw: bool) -> str:
    """What a forgetting came to: what was removed, what says less than before, and what was left on request."""
    removed: list[str] = []
    rewritten: list[str] = []
    left: list[str] = []
    for name, number in sorted(counts.items()):
        if name in _RAW:
            (left if keep_raw else rewritten).append(counted(number, _RAW[name]))
        elif name.startswith(_REWRITTEN):
            rewritten.append(counted(number, _word(name.removeprefix(_REWRITTEN))))
        else:
            removed.append(counted(number, _word(name)))
    told = ((removed, "removed"), (rewritten, "rewritten"), (left, "left as asked"))
    return "; ".join(f"{listed(things)} {done}" for things, done in told if things) or "nothing"


def keys(counts: Mapping[str, int]) -> str:
    """Keys that callers chose, by what they are keys of."""
    return listed([counted(number, _KEYS.get(name, name)) for name, number in counts.items()])


def _word(name: str) -> str:
    word = _CALLED.get(name, name.replace("_", " "))
    return word[:-1] if word.endswith("s") and word not in _UNCOUNTED else word


_UNCOUNTED = frozenset({"term statistics", "space statistics"})
