"""The words that the same-fact test knows: verbs, opposites, units, synonyms, and the stem that stands for each."""

import re

from recollect.core.terms import terms


def word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


IRREGULAR = {
    past: base
    for line in """
        bought buy|brought bring|built build|came come|chose choose|chosen choose|did do|done do|drank drink
        drove drive
        driven drive|ate eat|eaten eat|fell fall|felt feel|flew fly|forgot forget|forgotten forget|found find
        gave give
        given give|went go|gone go|got get|had have|heard hear|held hold|kept keep|knew know|known know|led lead
        left leave
        lent lend|lost lose|made make|met meet|paid pay|put put|ran run|read read|said say|sold sell|sent send
        spent spend
        spoke speak|spoken speak|stood stand|swam swim|taught teach|took take|taken take|thought think|told tell
        understood understand|wore wear|won win|wrote write|written write|began begin|begun begin|grew grow
        became become
        forbidden forbid|saw see|seen see|broke break|broken break|sang sing|slept sleep|hid hide|hurt hurt
        cut cut|set set|caught catch
        shot shoot|quit quit|rode ride|drew draw|threw throw|fed feed|fought fight|sat sit
    """.replace("\n", "|").split("|")
    if line.strip()
    for past, base in [line.split()]
}
_PLURALS = {"children": "child", "people": "person", "men": "man", "women": "woman", "feet": "foot", "mice": "mouse"}
_SYNONYMS = """
    big large huge|small little tiny|buy purchase|car automobile|live reside based|move relocate
    job occupation profession
    begin start|finish complete|like love enjoy adore fond|help assist|doctor physician|kid child|film movie
    phone telephone|holiday vacation|flat apartment|fast quick rapid|mum mother mom|dad father|company firm
    decide decision choose pick select opt|allergic allergy|answer reply respond response|fix repair|bike bicycle
    use utilize|photo picture photograph|often frequently|every each|go travel|daily everyday|teach teacher
    own possess
    must obligatory mandatory|wedding marriage|write author|break fracture|error bug defect|show display
    build construct
    choice preference|main primary|money cash|sick ill|glad happy|afraid scared fear|smart clever|exercise workout
    meal dish|postgres postgresql|gift present|speak talk|football soccer|gather collect|intend plan|search lookup
    allow permit|forbid prohibit ban|vegetarian veggie|employ work|study student|drink drinker|smoke smoker
    ship release launch|delay postpone|require need|cook cooking|hike hiking|hobby pastime
"""
# A word, and the word that it denies.
_OPPOSITES = """
    dislike like|hate like|detest like|loathe like|avoid prefer|forbid allow|disable enable|deactivate activate
    reject accept|disagree agree|exclude include|fail succeed|unable able
    impossible possible|unavailable available|unsafe safe|unhealthy healthy|unhappy happy|optional must
    oppose support
    distrust trust|inactive active|offline online|illegal legal|incorrect correct|wrong correct|false true
    dead alive
    absent present|unpaid paid|incomplete complete|insecure secure|private public|decline accept
"""
# Opposites that may both have happened, one after the other.
_SUCCESSIVE = """
    sell buy|close open|leave arrive|fire hire|remove add|decrease increase|lower raise|forget remember|lose win
    lock unlock
    borrow return|disconnect connect|uninstall install
"""
# Of each line, one at a time can be true of a thing.
_EXCLUSIVE = """
    vegetarian vegan pescatarian omnivore|married single divorced widowed engaged|left right|dark light
    metric imperial
    window aisle|tab space|short long|big small|hot cold|early late|high low|full part|open closed|on off
    indoor outdoor
    red blue green yellow black white grey brown purple orange pink|introvert extrovert
    morning evening night afternoon
    formal informal casual|cheap expensive|easy difficult hard|fast slow|good bad|north south east west
    sweet savoury
    left-handed right-handed|full-time part-time|older younger|taller shorter|better worse|remote onsite
    weekly monthly daily yearly
"""
HAVE = word_set("has have having had")
BE = word_set("is are was were be been being am")
AUXILIARIES = BE | HAVE | word_set("does do did will shall can could must should may might would cannot needs used")
VERBS = word_set(
    "like love prefer want need use live work own go eat drink run play speak study teach learn know write read make"
    " take"
    " meet plan hope hate avoid keep drive ride cook bring get give buy sell start stop enjoy dislike think believe"
    " require allow forbid support agree decide visit"
)
NOT_VERBS = word_set("always sometimes perhaps besides its this sales news series towards across")
INTENDING = word_set("going plan plans planning intend intends intending aims aiming")
KEPT = word_set(
    "only off out up down more less most least before after until again other another under above below all same"
)
LIGHT = word_set(
    "really very quite also currently now still already actually certain thing please both just presently recently"
    " anymore longer new newly generally kind sort type lot lots much many person called named name"
    " instead rather way today nowadays together"
)
NEGATIONS = word_set("not never no neither nor without hardly nobody nothing none")
CONDITIONS = word_set("if unless except when whenever while but although only until before after almost nearly")
FREQUENCIES = word_set(
    "always often sometimes usually rarely seldom occasionally regularly mostly daily weekly monthly"
)
MODALITIES = {
    "must": word_set("must should needs require required obliged mandatory"),
    "can": word_set("can could able"),
    "may": word_set("may might maybe perhaps possibly probably likely considering considers thinking"),
    "want": word_set("want wants wanted wish wishes would hopes hope"),
}
PREPOSITIONS = word_set(
    "along across within near via since among onto behind beside per toward towards around during despite inside"
    " outside"
)
ADJUNCTS = PREPOSITIONS | word_set("in at on as with because and of from by for to into which who")
CAN_MODIFY = word_set("big small little large nice good great old young favourite favorite local whole entire large")
DETERMINERS = word_set("a an the his her their its this that")
_MANY_VALUED = word_set(
    "friend colleague sister brother cousin child son daughter hobby pet goal skill concern problem reason option idea"
    " allergy neighbour neighbor interest dream plan wish uncle aunt tool ingredient member customer client rule topic"
    " strength weakness risk issue bug error task advantage user student teacher"
)
_ATTRIBUTES = word_set(
    "deadline colour color name job status language budget limit version owner lead manager capital title address"
    " birthday age height weight price cost salary size diet timezone pronoun nickname employer role position editor"
    " drink food dish sport season band author book film game animal theme"
)
COUNTRIES = word_set(
    "portugal spain france germany italy austria switzerland poland norway sweden denmark finland ireland england"
    " scotland"
    " wales britain uk usa us america canada mexico brazil argentina chile peru colombia india china japan korea"
    " thailand"
    " vietnam indonesia australia netherlands belgium greece turkey egypt morocco kenya nigeria russia ukraine romania"
    " hungary czechia croatia slovenia serbia bulgaria iceland israel iran iraq pakistan singapore malaysia philippines"
    " europe asia africa bavaria catalonia texas california florida tuscany scandinavia estonia latvia lithuania"
    " slovakia"
)
NUMBER_WORDS = {
    word: number
    for number, word in enumerate(
        re.findall(
            r"\w+",
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
            " seventeen eighteen nineteen twenty",
        )
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "dozen": 12}
MULTIPLES = {"hundred": 100, "thousand": 1000, "k": 1000, "million": 1_000_000, "billion": 1_000_000_000}
UNITS: dict[str, tuple[str, float]] = {
    unit: (dimension, factor)
    for dimension, table in {
        "mass": {"mcg": 1e-6, "mg": 1e-3, "g": 1.0, "gram": 1.0, "kg": 1000.0, "kilo": 1000.0,
                 "kilogram": 1000.0, "lb": 453.6},
        "length": {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "metre": 1.0, "meter": 1.0, "km": 1e3, "kilometre": 1e3,
                   "kilometer": 1e3, "mile": 1609.0, "ft": 0.3048, "inch": 0.0254},
        "time": {"ms": 1e-3, "millisecond": 1e-3, "s": 1.0, "sec": 1.0, "second": 1.0, "min": 60.0, "minute": 60.0,
                 "h": 3600.0, "hr": 3600.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0},
        "span": {"month": 1.0, "year": 12.0, "yr": 12.0},
        "volume": {"ml": 1e-3, "l": 1.0, "litre": 1.0, "liter": 1.0},
        "data": {"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12},
        "percent": {"%": 1.0, "percent": 1.0},
        "euro": {"€": 1.0, "eur": 1.0, "euro": 1.0},
        "dollar": {"$": 1.0, "usd": 1.0, "dollar": 1.0},
        "pound": {"£": 1.0, "gbp": 1.0, "pound": 1.0},
        "degree": {"°c": 1.0, "°": 1.0, "degree": 1.0},
    }.items()
    for unit, factor in table.items()
}  # fmt: skip


def _stem(word: str) -> str:
    """The stem of a word whatever its spelling: "favourite" as "favorite", "organise" as "organize"."""
    base = IRREGULAR.get(word) or _PLURALS.get(word, word)
    spelled = re.sub(r"is(e|ed|es|ing)$", r"iz\1", base) if len(base) > 6 else base
    found = terms(spelled) or ([spelled] if spelled in KEPT else [])
    stem = "".join(found).replace("our", "or")
    return stem.rstrip("ei") if len(stem) > 4 else stem


def _classes(table: str) -> dict[str, str]:
    """Each stem of a line stands for the first of the line."""
    lines = [line.split() for line in table.replace("\n", "|").split("|") if line.strip()]
    return {_stem(word): _stem(line[0]) for line in lines for word in line}


_CANON = _classes(_SYNONYMS)


def canonical(word: str) -> str:
    stem = _stem(word)
    return _CANON.get(stem, stem)


def _opposites(table: str) -> dict[str, str]:
    lines = [line.split() for line in table.replace("\n", "|").split("|") if line.strip()]
    return {canonical(word): canonical(other) for word, other in lines}


NEGATIVE = _opposites(_OPPOSITES)
AFTERWARDS = _opposites(_SUCCESSIVE)
ONE_OF = {
    canonical(word): place
    for place, line in enumerate(_EXCLUSIVE.replace("\n", "|").split("|"))
    for word in line.split()
}
MANY = frozenset(map(canonical, _MANY_VALUED))
SINGLE = frozenset(map(canonical, _ATTRIBUTES))
CHOSEN = frozenset(map(canonical, word_set("favourite preferred main default current primary official usual best")))
TIMED = frozenset(
    map(
        canonical,
        word_set(
            "due start end begin open close leave depart arrive land schedule set move plan happen fall expire take"
            " place"
            " born postpone reschedule launch run"
        ),
    )
)
