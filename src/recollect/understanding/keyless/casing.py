"""Messages written without capitals, or in nothing else, given the capitals that the rules look for."""

import re

from recollect.understanding.keyless.vocabulary import FIRST_NAMES, STATES_OF_LIFE

_FIRST_OF_TWO = (
    "new|san|los|las|saint|st|rio|cape|hong|buenos|tel|kuala|abu|mexico|são|sao|santa|den|the|el|puerto|salt "
    "lake|fort|north|south|east|west|costa|sri"
)
_NAME_FOLLOWS = re.compile(
    r"\b(live in|living in|lives in|moved to|based in|grew up in|come from|i am from|i'm from|im from"
    r"|name is|named|call me|work at|work for|works at|works for|married to|born in) "
    rf"((?:(?:{_FIRST_OF_TWO}) )*)([a-zà-ÿ][\w'-]+)"
)
_WORDS_TOO = frozenset(
    {
        "Will",
        "Rose",
        "Grace",
        "Mark",
        "Frank",
        "Penny",
        "Joy",
        "Violet",
        "Rob",
        "Sue",
        "Ed",
        "Art",
        "Chen",
        "May",
        "Jack",
    }
)
_SMALL = frozenset(
    [
        "a",
        "an",
        "the",
        "my",
        "our",
        "this",
        "that",
        "it",
        "home",
        "germany's",
        "there",
        "here",
        "not",
        "and",
        "or",
        "something",
        "someone",
        "one",
        "two",
        "small",
        "big",
    ]
)
_KIN = re.compile(
    r"\b(?:my|our) (?:wife|husband|son|daughter|sister|brother|girlfriend|boyfriend|partner|dog|cat) "
    r"(?!is|has|and|was|who|will|works|lives|loves|had|just|got|in|to|does|can|a)([a-z]\w+)\b(?= (?:is"
    r"|has|was|lives|works|loves)\b)"
)
_PROPER = re.compile(
    r"\b(python|javascript|typescript|java|kotlin|rust|ruby|linux|ubuntu|debian|fedora"
    r"|(?<!the )(?<!our )(?<!my )(?<!new )(?<!old )(?<!all )(?<!and )windows|vim|neovim"
    r"|emacs|postgres|postgresql|mysql|sqlite|mongodb|redis|django|flask|react|angular|vue|svelte|rails"
    r"|laravel|german|french|spanish|english|italian|portuguese|dutch|polish|russian|chinese|japanese"
    r"|korean|swedish|danish|norwegian|finnish|turkish|greek|arabic|hindi|monday|tuesday|wednesday"
    r"|thursday|friday|saturday|sunday|january|february|april|june|july|august|september|october|november"
    r"|december|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|adhd|macos|vs code"
    r"|vscode)\b"
)
_SPELLED = {
    "javascript": "JavaScript",
    "typescript": "TypeScript",
    "postgresql": "PostgreSQL",
    "mysql": "MySQL",
    "sqlite": "SQLite",
    "mongodb": "MongoDB",
    "adhd": "ADHD",
    "macos": "macOS",
    "vs code": "VS Code",
    "vscode": "VS Code",
}
_MONTH_FOLLOWS = re.compile(r"\b(in|since|by|until|last|next|this|before|after) (march|may)\b")
_DAYS_AND_MONTHS = (
    r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|april|june|july|august|september"
    r"|october|november|december)"
)
_CALENDAR = re.compile(rf"\b{_DAYS_AND_MONTHS}(?=s?\b)")
_CALENDAR_WORD = re.compile(rf"(?i:\b{_DAYS_AND_MONTHS}s?\b)")
_SELF_NAMED = re.compile(r"\b(i am|i'm|im|this is|name's|it's) ([a-z]+)\b")
_SHOUTED_MORE_THAN = 12


def recased(text: str) -> str:
    """The text as it would be written with care, where it has no capitals or nothing but capitals."""
    text = _CALENDAR.sub(lambda found: found.group().capitalize(), text)
    upper = sum(map(str.isupper, text)) - len(_CALENDAR_WORD.findall(text))
    if upper > _SHOUTED_MORE_THAN * 0.8 and _shouted(text, upper):
        text = text.lower()
        upper = 0
    if upper > 1 + text.count("I") or upper > _alone(text):
        return text
    text = _MONTH_FOLLOWS.sub(lambda found: f"{found[1]} {found[2].capitalize()}", text)
    text = _SELF_NAMED.sub(_capital_if_name, text)
    text = _NAME_FOLLOWS.sub(_capital_name, text)
    text = _KIN.sub(lambda found: found.group()[: found.start(1) - found.start()] + found[1].capitalize(), text)
    return _PROPER.sub(lambda found: _SPELLED.get(found[1], found[1].capitalize()), text)


def _shouted(text: str, upper: int) -> bool:
    letters = sum(map(str.isalpha, text))
    return letters > _SHOUTED_MORE_THAN and upper > letters * 0.8


def _alone(text: str) -> int:
    """Capitals that even a careless writer types: "I"."""
    return len(re.findall(r"\bI\b", text)) + (1 if text[:1].isupper() else 0)


def _capital_if_name(found: re.Match[str]) -> str:
    name = found[2].capitalize()
    return f"{found[1]} {name}" if name in FIRST_NAMES and name not in _WORDS_TOO else found.group()


def _capital_name(found: re.Match[str]) -> str:
    if found[3] in _SMALL or found[3] in STATES_OF_LIFE:
        return found.group()
    parts = [part if part == "the" else part.capitalize() for part in f"{found[2]}{found[3]}".split()]
    return f"{found[1]} {' '.join(parts)}"
