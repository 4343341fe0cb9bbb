"""What must never be remembered: keys, tokens, passwords, card numbers, private keys. Found by their shape."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import pairwise

MASK = "[secret]"

_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----END))*(?:-----END[A-Z -]*)?"
)
_KNOWN_TOKENS = re.compile(
    r"\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]{1,20}[-_]){0,4}[A-Za-z0-9]{16,200}"  # OpenAI, Anthropic, Stripe
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"
    r"|\bxox[abeoprs]-[\w-]{10,}|\bxapp-[\w-]{10,}"
    r"|\b(?:AKIA|ASIA|AGPA|AIDA)[A-Z0-9]{12,}|\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}"
    r"|\bSG\.[\w-]{16,80}\.[\w-]{16,80}|\bnpm_[A-Za-z0-9]{20,}|\bpypi-[\w-]{20,}|\bhf_[A-Za-z0-9]{16,}"
    r"|\beyJ[\w-]{8,2000}\.[\w-]{8,2000}(?:\.[\w-]{0,2000})?"  # JSON web tokens
    r"|\bdop_v1_[a-f0-9]{32,}|\bshp(?:at|ss|ca)_[a-fA-F0-9]{24,}|\bEAAC[A-Za-z0-9]{20,}"
)
_CONNECTION = re.compile(r"(?<=://)[^\s/:@]{0,80}:([^\s/@]{1,200})(?=@)")
_BEARER = re.compile(r"\b(?:[Bb]earer|[Bb]asic|BEARER)\s+([A-Za-z0-9._~+/-]{12,}=*)")
_LABEL = (
    r"pass(?:word|wort|wd|phrase|code)s?|kennwort|contraseña|mot de passe|wachtwoord|senha|pwd|pw|pin(?: code"
    r"| number)?|secret(?:[ _-](?:access[ _-])?key)?|client[ _-]secret"
    r"|(?:api|access|secret|private|auth|encryption|licen[cs]e|recovery|account|signing)[ _-]?(?:key"
    r"|token|code)s?|token|credentials?"
    r"|(?:seed|recovery) phrase|otp|cvv|cvc|one[- ]time code|2fa code|verification code"
)
# "the password for the wifi is hunter2", "API_KEY=…", "my pin: 1234".
_NAMED = re.compile(
    rf"(?i:(?<![A-Za-z])(?P<label>{_LABEL})(?![A-Za-z])(?:[\"']|\*\*)?)"
    r"(?:(?i:\s+(?:for|to|of|on|at)(?:\s+[\w'.-]+){1,8}?))?"
    r"(?i:\s*(?::|=>?|:=|->)\s*|\s+(?:is|was|=|are)(?:\s+(?:still|now|set to|just))?\s*:?\s+|\s+(?=[\"'`])|\s+"
    r"(?=[A-Za-z0-9/+]{20,}))"
    r"([\"'`]?)(?P<value>[^\s\"'`,;]{3,200})"
)
# "rotate the password to …", "my new password will be …", "changed my password from … to …", "Login: admin / …".
_CHANGED = re.compile(
    r"(?i:\b(?:password|passphrase|passcode|pass|pwd|pw|pin|secret|token|key)\b)"
    r"(?:(?i:\s+(?:for|of|on)(?:\s+[\w'.-]+){1,3}?))?"
    r"(?i:\s+(?:will be|should be|would be|has to be|must be|becomes|from|to|as))\s+[\"'`]?"
    r"(?P<first>[^\s\"'`,;]{3,200})"
    r"(?:[\"'`]?(?i:\s+(?:to|into|->))\s+[\"'`]?(?P<second>[^\s\"'`,;]{3,200}))?"
)
_LOGIN = re.compile(
    r"(?i:\b(?:login|log-in|credentials?|creds|user(?:name)?|account|sign-in)\b)\s*(?::|=|\s(?i:is|are))\s*"
    r"[^\s/:]{2,80}\s*[/:|]\s*(?P<value>[^\s\"'`,;]{4,200})"
)
_SHORTEST = 3
_MORE_THAN_A_WORD = re.compile(r"\d|[^\W\d_][@#$%^&*+=~!?|\\<>{}\[\]/_][\w]|[@#$%^&*+=~]|[a-z][A-Z]")
_PASSWORD = re.compile(r"pass|pwd|pw|seed|recovery", re.IGNORECASE)
_NOTHING_MORE = re.compile(
    r"[\"'`*)]*(?:\s*$|\s*[.,;!?\n]|\s+(?:and|but|so|btw|by|please|for|on|if|in case|don't|do not)\b)"
)
_PLAIN_WORDS = frozenset(
    [
        "a",
        "an",
        "the",
        "not",
        "too",
        "very",
        "so",
        "no",
        "in",
        "on",
        "at",
        "to",
        "for",
        "from",
        "of",
        "wrong",
        "right",
        "correct",
        "incorrect",
        "invalid",
        "expired",
        "missing",
        "required",
        "empty",
        "null",
        "none",
        "true",
        "false",
        "stored",
        "hashed",
        "encrypted",
        "safe",
        "secure",
        "weak",
        "strong",
        "unknown",
        "changed",
        "reset",
        "lost",
        "forgotten",
        "being",
        "never",
        "always",
        "already",
        "also",
        "only",
        "still",
        "now",
        "about",
        "what",
        "that",
        "this",
        "it",
        "good",
        "bad",
        "long",
        "short",
        "fine",
        "broken",
        "needed",
        "optional",
        "given",
        "set",
        "hidden",
        "redacted",
        "masked",
        "rotated",
        "leaked",
        "compromised",
        "string",
        "str",
        "int",
        "bytes",
        "where",
        "how",
        "why",
        "when",
        "important",
        "his",
        "her",
        "my",
        "our",
        "your",
        "their",
        "something",
        "somewhere",
        "based",
        "used",
        "part",
        "one",
        "two",
        "three",
        "four",
        "kept",
        "managed",
        "saved",
        "old",
        "new",
        "different",
        "stolen",
        "public",
        "private",
        "visible",
    ]
)
_CARD = re.compile(r"(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.]\d|\d)")
_LONG_RANDOM = re.compile(
    r"(?<![\w/+.-])(?=[\w+/=-]{0,200}\d)(?=[\w+/=-]{0,200}[A-Za-z])[A-Za-z0-9+/_-]{32,}={0,2}(?![\w/])"
)
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_SOCIAL = re.compile(r"(?i:\b(?:ssn|social security(?: number)?)\b\D{0,12})(\d{3}-?\d{2}-?\d{4})\b")

# What no text is without that holds the label of a secret, a login, a token, a random run, a card's number.
_LABEL_STEMS = (
    *("pass", "kennwort", "contraseña", "wachtwoord", "senha", "pwd", "pw", "pin", "secret", "key", "token"),
    *("code", "credential", "phrase", "otp", "cvv", "cvc"),
)
_LOGIN_STEMS = ("login", "log-in", "cred", "user", "account", "sign-in")
_SHORTEST_TOKEN = 15
_SHORTEST_RANDOM = 32
_CARD_DIGITS = 13
_SHORT = 4_096
"""Characters of a text that is worth remembering as it was masked."""


def mask(text: str) -> str:
    """The text with every secret replaced by a mask."""
    return _masked_lately(text) if len(text) <= _SHORT else _masked(text)


@lru_cache(maxsize=2_048)
def _masked_lately(text: str) -> str:
    """A message is looked at again and again within seconds: indexed, shown before the next one, learned from, told."""
    return _masked(text)


def _masked(text: str) -> str:
    kept: list[str] = []
    place = 0
    for start, end in _merged(sorted(_spans(text))):
        kept += [text[place:start], MASK]
        place = end
    kept.append(text[place:])
    return "".join(kept)


def holds_secret(text: str) -> bool:
    """Whether anything in the text would be masked."""
    return next(_spans(text), None) is not None


def _spans(text: str) -> Iterator[tuple[int, int]]:
    hints = _Hints(text)
    for may_hold, find in _FINDERS:
        if may_hold(hints):
            yield from find(text)


class _Hints:
    """What a text must hold for a pattern to find anything in it: cheap to see, and most texts hold none of it."""

    def __init__(self, text: str) -> None:
        self._text = text
        folded = text.casefold()
        # What a pattern that ignores case takes for an i as well.
        self._folded = folded if folded.isascii() else folded.replace("i\u0307", "i").replace("\u0131", "i")
        self.longest_run = max(map(len, text.split()), default=0)
        """Of characters without white space."""

    def any_of(self, *stems: str) -> bool:
        return any(stem in self._folded for stem in stems)

    def may_hold_digits(self, count: int) -> bool:
        """Whether there are so many digits; of other scripts than ours it is not told."""
        return not self._text.isascii() or sum(map(self._text.count, "0123456789")) >= count


def _whole(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    for found in pattern.finditer(text):
        yield found.span()


def _inner(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    for found in pattern.finditer(text):
        yield found.span(1)


def _bearers(text: str) -> Iterator[tuple[int, int]]:
    for found in _BEARER.finditer(text):
        if _mixed(found[1]):
            yield found.span(1)


def _named(text: str) -> Iterator[tuple[int, int]]:
    for found in _NAMED.finditer(text):
        if _looks_secret(found["value"], _alone(text, found.end(), found["label"])):
            yield found.span("value")


def _changed(text: str) -> Iterator[tuple[int, int]]:
    """Passwords as they are set or changed; only what is more than a word."""
    for found in _CHANGED.finditer(text):
        for group in ("first", "second"):
            if found[group] and _strong(found[group]):
                yield found.span(group)


def _logins(text: str) -> Iterator[tuple[int, int]]:
    """Passwords behind a name of login; only what is more than a word."""
    for found in _LOGIN.finditer(text):
        if _strong(found["value"]):
            yield found.span("value")


def _cards(text: str) -> Iterator[tuple[int, int]]:
    for found in _CARD.finditer(text):
        if _luhn(found.group()):
            yield found.span()


def _random_runs(text: str) -> Iterator[tuple[int, int]]:
    for found in _LONG_RANDOM.finditer(text):
        if _random(found.group()):
            yield found.span()


def _strong(value: str) -> bool:
    """Whether a value holds letters together with digits or symbols, as passwords do, unlike dates and sums."""
    bare = value.strip(".!?:)(*")
    if bare == MASK or "@" in bare[1:-4] or bare.startswith(("http", "www.", "/")) or len(bare) < _SHORTEST + 2:
        return False
    return bool(re.search(r"[A-Za-z]", bare) and re.search(r"\d|[#$%^&*+=~!?]", bare) and not _ORDINARY.fullmatch(bare))


_ORDINARY = re.compile(
    r"(?:\d+(?:st|nd|rd|th|am|pm|kg|km|GB|MB|bits?|chars?|characters|days?|hours?|min|s|ms|k|x)"
    r"|[A-Za-z]+-\d{1,4}|v\d[\d.]*|[A-Za-z]+\d{1,2}"
    r"(?<![a-z]{3}\d\d)(?<![a-z]{4}\d)|SHA-?\d+|sha\d+|base\d+|utf-?8|argon2\w*|bcrypt\d*|AES-?\d+|RSA-?\d+"
    r"|1Password|\d+-(?:day|character|char|digit|bit)\w*)"
)


def _merged(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Spans in order, those that overlap as one."""
    start = end = -1
    for first, last in spans:
        if first > end:
            if end >= 0:
                yield (start, end)
            start, end = first, last
        end = max(end, last)
    if end >= 0:
        yield (start, end)


def _looks_secret(value: str, alone: bool) -> bool:
    """What stands behind "password is" and is not the sentence going on."""
    bare = value.strip(".!?:)(*")
    if bare == MASK or len(bare) < _SHORTEST or bare.lower() in _PLAIN_WORDS or re.fullmatch(r"\d{1,3}%", bare):
        return False
    return _mixed(bare) or (alone and not bare.endswith(("ing", "ed", "ly")))


def _mixed(value: str) -> bool:
    """Whether a value is more than a word: it holds digits, symbols, or capitals where no word has them."""
    return bool(_MORE_THAN_A_WORD.search(value))


def _alone(text: str, end: int, label: str) -> bool:
    """Whether a word behind "password is" or "pin:" is all that is said there, so that it may be the password."""
    return bool(_PASSWORD.match(label)) and _NOTHING_MORE.match(text, end) is not None


def _luhn(number: str) -> bool:
    """The check sum that every payment card carries."""
    digits = [int(character) for character in number if character.isdigit()]
    if len(set(digits)) == 1:
        return False
    doubled = (digit * 2 - 9 * (digit > 4) if place % 2 else digit for place, digit in enumerate(reversed(digits)))
    return sum(doubled) % 10 == 0


def _random(run: str) -> bool:
    """A long run of letters and digits that is neither an id, a path nor words with dashes."""
    if _UUID.fullmatch(run) or run.count("/") > 3:
        return False
    digits = sum(character.isdigit() for character in run)
    changes = sum(a.isdigit() != b.isdigit() for a, b in pairwise(run))
    return digits >= 4 and changes >= 4


Finder = Callable[[str], Iterator[tuple[int, int]]]
_FINDERS: tuple[tuple[Callable[[_Hints], bool], Finder], ...] = (
    (lambda _: True, partial(_whole, _PRIVATE_KEY)),
    (lambda hints: hints.longest_run >= _SHORTEST_TOKEN, partial(_whole, _KNOWN_TOKENS)),
    (lambda hints: hints.any_of("://"), partial(_inner, _CONNECTION)),
    (lambda hints: hints.any_of("ssn", "social"), partial(_inner, _SOCIAL)),
    (lambda hints: hints.any_of("bearer", "basic"), _bearers),
    (lambda hints: hints.any_of(*_LABEL_STEMS), _named),
    (lambda hints: hints.any_of(*_LABEL_STEMS), _changed),
    (lambda hints: hints.any_of(*_LOGIN_STEMS), _logins),
    (lambda hints: hints.may_hold_digits(_CARD_DIGITS), _cards),
    (lambda hints: hints.longest_run >= _SHORTEST_RANDOM, _random_runs),
)
