"""Whether a short answer says yes or no to what was just asked."""

import re

_MOST_WORDS = 12
_YES = re.compile(
    r"^\W*(?:yes|yeah|yep|yup|sure|ok|okay|correct|right|exactly|absolutely|of course|please do|go ahead|sounds good"
    r"|that'?s (?:right|correct|fine|true)|you (?:may|can)|do (?:it|that))\b",
    re.IGNORECASE,
)
_NO = re.compile(
    r"^\W*(?:no|nope|nah|please don'?t|don'?t|do not|never|wrong|incorrect"
    r"|that'?s (?:wrong|not (?:right|correct|true)))\b",
    re.IGNORECASE,
)
_BUT = re.compile(r"\b(?:but|except|actually|instead|rather)\b|\?", re.IGNORECASE)


def acknowledged(text: str) -> bool | None:
    """True for a plain yes, False for a no, None where it is neither."""
    if len(text.split()) > _MOST_WORDS or _BUT.search(text):
        return None
    if _YES.search(text):
        return True
    return False if _NO.search(text) else None


_NOTING = re.compile(
    r"\b(?:note|remember|save|store|record|update|set|keep|change|add|call you|use|profile|memory)\b", re.IGNORECASE
)
_DENYING = re.compile(r"\b(?:not|never|no longer|left|leave|without)\b|n't\b", re.IGNORECASE)


def asks_consent(text: str, key: str, value: str) -> bool:
    """Whether a message asks to note a value under its key: a yes to "Shall I book a flight to Lisbon?" says nothing.

    The sentence that names the value has to be a question, name the key or speak of noting, and deny nothing.
    """
    words = key.replace("_", " ")
    for sentence in re.split(r"(?<=[.!?])\s+", text):
        if value.casefold() in sentence.casefold() and sentence.rstrip().endswith("?"):
            about = words in sentence.casefold() or _NOTING.search(sentence)
            return bool(about) and not _DENYING.search(sentence)
    return False
