"""Partner, children and animals, wherever in a clause and by whatever word they are named."""

import re
from collections.abc import Callable, Iterator

from recollect.understanding.keyless import vocabulary as words
from recollect.understanding.keyless.found import Found
from recollect.understanding.keyless.text import any_of, pattern

Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], Iterator[Found]]]

_PARTNER = (
    r"(?:(?:lovely|dear|beloved|long-term|longtime|new|current|amazing|other|better|domestic) )*"
    r"(?:wife|husband|spouse|partner|girlfriend|boyfriend|fiancée?|fiancee?|hubby|missus|(?<=other )half|(?<=better "
    r")half"
    r"|significant other|civil partner|bride|wifey|bloke|old man|bf|gf)"
)
_CHILD = (
    r"(?:(?:little|eldest|oldest|youngest|younger|older|middle|elder|baby|first|second|newborn|only|adopted|teenage"
    r"|grown-up|[\w]+-year-old|\d+ year old|wee|twin|foster) )*"
    r"(?:other one|younger one|older one|big one|son|daughter|child|kid|baby|toddler|stepson|stepdaughter|boy"
    r"|girl|lad|lass|youngest|eldest|oldest|firstborn"
    r"|little one|teenager|teen|newborn|infant|middle one|middle child|bub|bairn|wee one)"
)
_CHILDREN = (
    r"(?:(?:two|three|four|five|six|\d|little|young|small|grown|grown-up|adult|teenage|twin|lovely|wonderful) )*"
    r"(?:kids|children|sons|daughters|twins|triplets|boys|girls|little ones|lads|lasses|teenagers|bairns|kiddos)"
)
_PET = rf"(?:(?!and\b)[\w-]+ ){{0,3}}?{any_of(words.PETS)}"
_AGED = r"(?: \(?(?:who is |aged |is |, )?\d+(?: (?:years old|months))?\)?|, \d+(?: months)?,?| \(\d+\))?"
_NAMES = (
    rf"(?P<v>(?:(?:baby|little|wee) )?<CAP>{_AGED}(?:(?:, | and |, and | & )(?:(?:baby|little|wee) )?<CAP>{_AGED})*)"
)
_PARTED = pattern(
    r"\b(?:broke up|split up|divorc\w+|separated|ex|late|died|expired|passed away|not together|no longer together"
    r"|left me"
    r"|former"
    r"|funeral|used to have|lost|put (?:him|her|it|them|down)|when I was|as a (?:child|kid)|robot|imaginary"
    r"|virtual|plush|not my|no longer my)\b"
)
_CAPITAL = pattern(r"<CAP>")


def _each(key: str, guard: bool = True) -> Callable[[re.Match[str]], Iterator[Found]]:
    def read(match: re.Match[str]) -> Iterator[Found]:
        if guard and _PARTED.search(match.string):
            return
        for name in _CAPITAL.findall(match["v"]):
            if name not in words.NOT_NAMES or name in words.FIRST_NAMES or (key == "pets" and name in words.TITLES):
                yield Found("identity", key, name, aside=match.start() > 0)

    return read


def _counted(match: re.Match[str]) -> Iterator[Found]:
    yield Found("identity", "children", match["v"])


_RULES: tuple[Rule, ...] = (
    (
        pattern(
            rf"(?:^|, |\b(?:and|but) )(?:my |our |the )?{_PARTNER}(?:'s| is)(?: name(?: is|'s))?(?: called| named)? "
            r"(?P<v><CAP>)(?=$|[,.;]| and | but )"
        ),
        _each("partner"),
    ),
    (
        pattern(rf"\bmy {_PARTNER}(?: of [\w ]{{2,20}})?(?:,| \(|:| called| named)? ?(?P<v><CAP>)\b(?!')"),
        _each("partner"),
    ),
    (pattern(rf"^(?P<v><CAP>)(?:,| is) my {_PARTNER}\b(?!'s)"), _each("partner")),
    (
        pattern(
            r"^(?:I am|we are|I have been|I got|we got|I am getting) (?:<ADV>)*(?:married|engaged|wed|hitched) to "
            r"(?:an? [\w ]{2,30} (?:called|named) |my \w+ )?(?P<v><CAP>)\b"
        ),
        _each("partner"),
    ),
    (
        pattern(
            r"^(?:I|we) (?:<ADV>)*have (?P<v>twins|triplets|an? (?:baby|newborn|toddler)|(?:one|two|three|four|five"
            r"|six) (?:\w+ )?(?:kids|boys|girls|children|sons|daughters|teenagers|little ones))(?=$|[.!,]| (?:and"
            r"|at|so|who|in|aged|under)\b)(?!, <CAP>)"
        ),
        _counted,
    ),
    (
        pattern(
            r"^(?:I am |as )?(?:an? )?(?:(?:proud|single|working|new|happy|tired|busy) )*(?:mum|mom|mother|dad"
            r"|father|parent) (?:of|to) (?P<v>(?:one|two|three|four|five|six|twins|\d)(?: (?:kids|boys|girls"
            r"|children|sons|daughters))?)(?=$|[,.](?! [A-Z])| here\b| and\b)",
            re.IGNORECASE,
        ),
        _counted,
    ),
    (
        pattern(
            rf"\b(?:my|our) {_CHILD}(?:'s name is| is (?:called|named)|'s (?:called|named)|,| \(|:)? "
            r"?(?P<v><CAP>)\b(?!'s (?:dad|mum|mom|father|mother))"
        ),
        _each("children"),
    ),
    (pattern(rf"^(?P<v><CAP>)(?:,| is) (?:my|our) {_CHILD}\b(?!'s|-)"), _each("children")),
    (
        pattern(
            rf"\b(?:I|we) (?:<ADV>)*have (?:an? |one )?{_CHILDREN}(?:,|:| called| named| \(|, called|, named) ?{_NAMES}"
        ),
        _each("children"),
    ),
    (
        pattern(rf"\b(?:I|we) (?:<ADV>)*have an? {_CHILD}(?:,|:| called| named| \(|, called|, named) ?{_NAMES}"),
        _each("children"),
    ),
    (
        pattern(rf"\b(?:my|our) {_CHILDREN}(?:'s? names)?(?: are| is)?(?: called| named)?(?:,|:| \()? ?{_NAMES}"),
        _each("children"),
    ),
    (
        pattern(
            r"^(?:I am|we are|as|proud) (?:an? |the )?(?:(?:proud|single|working|new|happy|tired|foster) )*(?:mum"
            r"|mom|mother|dad|father|mama|papa|parent|parents) (?:of|to) (?:(?:one|two|three|four|five|six"
            r"|\d),? |\w+ (?:kids|boys|girls|children), "
            rf"|{_CHILDREN},? )?{_NAMES}"
        ),
        _each("children"),
    ),
    (
        pattern(
            rf"\b(?:my|our) {_PET}(?:'s name is| is (?:called|named)|'s (?:called|named)|,| \(|:| called| named)? "
            r"?(?P<v><CAP>)\b"
        ),
        _each("pets"),
    ),
    (
        pattern(
            rf"^(?:and )?there is (?:also )?(?:an? |the )?{_PET}(?: here)?,? (?:called|named) (?P<v><CAP>)(?=$"
            rf"|[,.]| (?:who|and|too|in the house|at home)\b)"
        ),
        _each("pets"),
    ),
    (
        pattern(
            r"^the (?:new )?(?:cat|dog|puppy|kitten|rabbit|hamster|tortoise|parrot|budgie) is (?:called|named) "
            r"(?P<v><CAP>)(?=$|[,.])"
        ),
        _each("pets"),
    ),
    (pattern(rf"^(?P<v><CAP>)(?:,| is) (?:my|our) {_PET}(?=$|,| and | is )"), _each("pets")),
    (
        pattern(
            r"\b(?:I|we) (?:<ADV>|have )*(?:have|own|adopted|rescued|keep|bought|got|took in|inherited|look after"
            r"|share (?:my|our) (?:flat|home|house|life)"
            rf" with) (?:an? |one |two |three |our |my )?{_PET}(?:,? (?:called|named|by the name of|who goes by"
            rf"|whose name is)|,|:| \() ?{_NAMES}"
        ),
        _each("pets"),
    ),
    (
        pattern(
            rf"\band (?:an? |one |two |my |our )(?:(?!and\b)[\w-]+ ){{0,3}}?{any_of(words.PETS)}(?:,? (?:called"
            r"|named)|,) (?P<v><CAP>)(?=$|[,.;)]| and | who )"
        ),
        _each("pets"),
    ),
)
_WORD = re.compile(r"[a-zé]+")
_NEAREST = words.listed(
    "wife husband spouse partner girlfriend boyfriend fiancé fiancée fiance fiancee hubby missus half other bride "
    "wifey bloke old bf gf "
    "mum mom mother dad father mama papa parent parents son daughter child kid baby toddler stepson stepdaughter boy "
    "girl lad lass "
    "youngest eldest oldest firstborn one ones teenager teen newborn infant middle bub bairn kids children sons "
    "daughters twins "
    "triplets boys girls lads lasses teenagers bairns kiddos married engaged wed hitched"
) | {part for pet in words.PETS for part in pet.split("-")}


def read(text: str) -> Iterator[Found]:
    """Those who live with the speaker, by their names."""
    if _NEAREST.isdisjoint(_WORD.findall(text.lower())):
        return
    for rule, reader in _RULES:
        for match in rule.finditer(text):
            yield from reader(match)
