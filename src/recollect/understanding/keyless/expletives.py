"""An "it" that stands for nothing, and remarks that only lead up to what is said, taken out of a clause."""

import re
from collections.abc import Callable

from recollect.understanding.keyless.text import pattern

_SETTLING = (
    r"(?:settled|decided|agreed|chose|chosen|picked|opted|went|gone|voted|concluded|dropped|ruled|plumped|made up|are"
    r"|am|will|have)\b"
)
_TALKED_OVER = (
    r"^(?P<who>I|we|(?:my|our|the) [\w' -]{2,30}?|<CAP> and I) (?:have |has |<ADV>|all |both )*(?:talked|thought|mulled"
    r"|slept|discussed|argued|hashed|chewed) (?:on |about )?(?:it|this|that|things)\b[^,]{0,40}? and "
)
_RULES: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (
        pattern(
            r"\bit (?:is|was|has been|had been) (?:<ADV>)*(?P<done>agreed|decided|resolved)"
            r"(?P<when> (?:yesterday|today|last \w+|this \w+|on \w+))? (?=to\b|that\b|not to\b)"
        ),
        lambda found: f"we {found['done']}{found['when'] or ''} ",
    ),
    (pattern(rf"{_TALKED_OVER}(?={_SETTLING})"), lambda found: f"{found['who']} "),
    (pattern(rf"{_TALKED_OVER}(?=(?:my|our|the|mum's|dad's) )"), ""),
    (
        pattern(
            r"\bma(?:de|kes?) it (?:an? |the |their |his |her )?(?:(?:hard|strict|firm|clear|formal|absolute) )*"
            r"(?:requirement|condition|rule|demand|policy) (?=that\b)"
        ),
        "requires ",
    ),
    (pattern(r"^it is (?P<what>(?:my|our) (?:[\w-]+ )?[\w-]+) (?=to\b)"), lambda found: f"{found['what']} is "),
    (pattern(r"^(?:it|that|this|which) is (?:also |partly |exactly )?(?:why|how come) (?=(?:I|we|my|our)\b)"), ""),
)


def plain(text: str) -> str:
    """A clause said without an "it" that stands for nothing: "it was agreed to …" as "we agreed to …"."""
    for rule, without in _RULES:
        text = rule.sub(without, text, count=1)
    return text
