"""What people say without meaning it: "um", "you know", a word begun twice. Only what is surely that goes."""

import re
from collections.abc import Callable
from functools import partial

from recollect.sources.cleaning.phrases import one_of, words

_HUM = r"(?:u+h*m+|u+h+|e+r+m+|er|hm+|mh+m*|mm+h*m*|ä+h+m*|ö+h+m*|eu+h+|ehm+)(?![\w'’-])"


def _hummed_but(words_too: str) -> re.Pattern[str]:
    """Hums one after the other, but not those that may be words."""
    hum = rf"(?!{words_too}\b){_HUM}(?:\s*(?:,|\.{{2,}}|…|-{{1,2}}|–))?\s*"
    return re.compile(rf"(?:^|(?<=[\s(\"“]))(?<!\d\s)(?P<hums>(?:{hum})+)(?P<next>\w?)", re.IGNORECASE)


# "ER" is a place; "um zehn Uhr" and "um dia" are no hums.
_HUMMED = _hummed_but("(?-i:UM|ER|MM|HM)")
_HUMMED_ELSEWHERE = _hummed_but("(?:um|er|mm|hm)")
_SPOKEN_ELSEWHERE = words(
    "und der die das nicht ist wir ich mit auf für den ein eine zu von não que para com os uma em het een van niet de"
)
_SPOKEN_HERE = words("the and is to of it that we you i in was for on are have be this with")
_PHRASE = r"(?:you know|i mean|like|you see|sort of|kind of|sozusagen|weißt du)"
_BETWEEN = re.compile(rf",\s*{_PHRASE}(?:\s*,\s*{_PHRASE})*\s*(?P<after>[,.?!…])", re.IGNORECASE)
_LEADING = re.compile(r"(?P<before>^|[.?!…]\s+)(?:(?:you know|i mean|like)\s*,\s+)+(?P<next>\w)", re.IGNORECASE)
_SMALL = """
    i the a an and to we it is in of so but he she they you my our this there if for on with at be was are have what
    when i'm it's we're i'll that's they're there's you're und ich der die das wir es ist le la je les on el yo
"""
_STUTTERED = words(_SMALL)
_RUNNING_ON = _STUTTERED | words(
    "or that should can could will would may might must do did does not just to from by as"
)
_LISTED = "|".join(sorted(map(re.escape, _STUTTERED), key=lambda word: (-len(word), word)))
_AGAIN = re.compile(rf"\b(?P<word>{_LISTED})(?:(?:\s*[,…-]\s*|\s*\.{{2,}}\s*|\s+)(?P=word)\b(?!['’]))+", re.IGNORECASE)
_BEGUN = re.compile(r"\b(?P<start>[a-z]{1,3})(?:-(?P=start))*-+(?P<word>(?P=start)[a-z']*)\b", re.IGNORECASE)
_SOUNDS = one_of("""
    music  applause  laugh(?:s|ter|ing)?  cough(?:s|ing)?  sighs?  silence  pause  (?:background )?noise  crosstalk
    blank_audio  sneezes?  clears throat  chuckles?  beep  typing  musik  lachen  gelächter  applaus  rires?  risas
    """)
_NOISE = re.compile(rf"[\[(]{_SOUNDS}(?: playing)?[\])]", re.IGNORECASE)
_BEFORE_SIGN = re.compile(r"[^\S\n]+(?=[,.;:?!…](?:\s|$))")
_SIGNS = re.compile(r",(?:\s*,)+|(?<=[.?!…])\s*,|,(?=\s*[.?!…])")
_LEFT = re.compile(r"^[\s,;–-]+")
_BLANKS = re.compile(r"[^\S\n]{2,}")


def without_fillers(text: str) -> str:
    """Speech as it would have been written; a text of fillers alone is left as it is."""
    return cleaner(text)(text)


def cleaner(whole: str) -> Callable[[str], str]:
    """What takes the fillers out of pieces of a talk, by the language of the whole."""
    spoken = re.findall(r"[^\W\d_]+", whole[:20_000].lower())
    elsewhere = sum(word in _SPOKEN_ELSEWHERE for word in spoken) > sum(word in _SPOKEN_HERE for word in spoken)
    return partial(_without, hummed=_HUMMED_ELSEWHERE if elsewhere else _HUMMED)


def _without(text: str, hummed: re.Pattern[str]) -> str:
    bare = hummed.sub(_next, _NOISE.sub(" ", text))
    bare = _AGAIN.sub(lambda found: found["word"], _BEGUN.sub(_whole_word, bare))
    bare = _LEADING.sub(lambda found: found["before"] + found["next"].upper(), bare)
    bare = _BETWEEN.sub(_between, bare)
    bare = _SIGNS.sub(_sign, _BEFORE_SIGN.sub("", bare))
    bare = _BLANKS.sub(" ", _LEFT.sub("", bare)).strip()
    return bare if any(map(str.isalnum, bare)) else text.strip()


def _next(found: re.Match[str]) -> str:
    """What is left of hums: the next letter, large where they began a sentence."""
    return found["next"].upper() if found["hums"][0].isupper() else found["next"]


def _between(found: re.Match[str]) -> str:
    """The sign that follows; no comma after "and", "should" and the like, which had none but for the phrase."""
    before = re.search(r"[a-z']+$", found.string[: found.start()], re.IGNORECASE)
    runs_on = before is not None and before[0].lower() in _RUNNING_ON
    return "" if runs_on and found["after"] == "," else found["after"]


def _sign(found: re.Match[str]) -> str:
    return "," if found[0].count(",") > 1 else ""


def _whole_word(found: re.Match[str]) -> str:
    """ "w-we" is "we"; "re-read" and "t-test" are words."""
    word = found["word"]
    if word.lower() not in _STUTTERED:
        return found[0]
    return word[0].upper() + word[1:] if found["start"][0].isupper() else word
