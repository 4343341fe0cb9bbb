"""The English words that times are made of, and those that stand around them."""


def _listed(words: str) -> list[str]:
    return words.split()


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_MONTH_NAMES = _listed("january february march april may june july august september october november december")
_DAY_NAMES = _listed("monday tuesday wednesday thursday friday saturday sunday")

MONTHS = {short: n for n, name in enumerate(_MONTH_NAMES, 1) for short in (name, name[:3])} | {"sept": 9}
WEEKDAYS = {name: n for n, name in enumerate(_DAY_NAMES)}
SHORT_WEEKDAYS = {short: n for name, n in WEEKDAYS.items() for short in (name[:3], name.removesuffix("day"))}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
UNITS = _set("hour day week weekend fortnight month quarter year")
PARTS = {"morning": (5, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}
DAYS_FROM_TODAY = {"yesterday": -1, "today": 0, "tomorrow": 1}

_COUNTS = _listed("one two three four five six seven eight nine ten eleven twelve")
# The least and the most that each may mean.
NUMBERS = {word: (n, n) for n, word in enumerate(_COUNTS, 1)} | {
    "a": (1, 1), "an": (1, 1), "couple": (2, 2), "few": (2, 6), "several": (3, 10),
}  # fmt: skip
_ORDINALS = _listed("first second third fourth fifth sixth seventh eighth ninth tenth")
ORDINALS = {word: n for n, word in enumerate(_ORDINALS, 1)}
FINAL = {"last": -1, "final": -1}
# Which third of a month or a year each means.
EARLY = {"early": 0, "mid": 1, "late": 2}
EDGES = {"start": 0, "beginning": 0, "middle": 1, "end": 2}
SIDES = {"before": -1, "after": 1}

# Month, day, and how many days. The first one that fits is taken.
HOLIDAYS = {
    "christmas eve": (12, 24, 1),
    "christmas day": (12, 25, 1),
    "christmas|xmas": (12, 24, 3),
    "boxing day": (12, 26, 1),
    "new year|years eve": (12, 31, 1),
    "new year|years day": (1, 1, 1),
    "new year|years": (12, 31, 2),
    "valentine|valentines day": (2, 14, 1),
    "st|saint .? patrick|patricks day": (3, 17, 1),
    "independence day": (7, 4, 1),
    "halloween": (10, 31, 1),
}

BOUNDS = _set("since before after until till by around from")
IN = _set("in during throughout over") | BOUNDS
ON = _set("on at over during") | BOUNDS
ON_DAY = BOUNDS | {"on"}
# Behind these a bare weekday is an adverb ("What did we do Saturday?"), not an object ("watch Wednesday").
BEFORE_WEEKDAY = ON | _set("do did go went eat ate say said happen happened here there out home together work")
BEFORE_OWN_DAY = _set("in at during from since before after")
# A letter from June or a book by June is a person's.
GIVEN_NAMES = _set("jan march mar april may june august")
BEFORE_GIVEN_NAME = IN - {"from", "by"}
# In lower case these are a verb or a noun more often than a month.
VERBS = _set("may march mar")
BEFORE_VERB_MONTH = IN | _set("last next early mid late of -") | {str(day) for day in range(32)}

OWNERS = _set("my your his her our their its whose")
# With a capital inside a question these belong to a title ("Last Christmas", "The Day After Tomorrow").
TITLE_WORDS = BOUNDS | _set("last this next past early mid late ago") | DAYS_FROM_TODAY.keys()

_PAST_AUXILIARIES = _set("did didn was wasn were weren had hadn been has hasn haven ve")
PAST = _PAST_AUXILIARIES | _set(
    "said told went came got gave took made saw met thought felt found left bought ate wrote spoke spent sent ran"
)
NO_PAST = _set("need indeed hundred speed planned scheduled supposed")
FUTURE = _set("will ll shall should must going need needs tomorrow tonight upcoming planned scheduled due am")
PRESENT = _set("do does is are s can could would might don doesn isn aren")
HABITUAL = _set("usually always normally typically generally tend whenever born")

# What may follow a weekday, a month, a year and the like without making a name with it: the small words, and
# the verbs in which a question ends ("How did the viewing in May go?"). Any other word may be a noun.
_SMALL_WORDS = _set(
    "a about again all already also am an and any are as asking back because being between both but can could do"
    " does else for have he here how i if instead into is it just me more near not now of once only or out please"
    " regarding she should so still than that the them then there these they this those though to together too up"
    " us versus vs we what when where whether which while who why will with within without would yet you"
)
_LAST_VERBS = _set("affect change come compare cost differ end feel go happen happened help look start turn went work")
FOLLOWERS = IN | ON | OWNERS | _PAST_AUXILIARIES | _SMALL_WORDS | _LAST_VERBS
# "after work yesterday" dates no event that reaches beyond the day.
ROUTINES = _set("work bed breakfast lunch dinner school class church")

TRIGGERS = (
    frozenset("0123456789")
    | MONTHS.keys() | WEEKDAYS.keys() | SHORT_WEEKDAYS.keys() | SEASONS.keys() | UNITS | PARTS.keys()
    | DAYS_FROM_TODAY.keys() | frozenset(f"{word}s" for word in (*UNITS, *PARTS, *WEEKDAYS, *SEASONS))
    | _set("tonight christmas xmas halloween")
)  # fmt: skip
