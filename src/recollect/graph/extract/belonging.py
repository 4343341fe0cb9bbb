"""Who belongs where, told without a verb: by a role, a home, a family, an organisation before the name."""

import re
from collections.abc import Iterator
from itertools import pairwise

from recollect.graph.extract.found import PERSON, UNKNOWN, Mention
from recollect.graph.extract.scene import Key, Scene
from recollect.graph.model import Link
from recollect.understanding.lexicon import ROLES, fold, listed

_ROLE = r"(?P<role>(?:[\w&/-]+\s+){0,3}?[\w-]+)"
_THEIR_ROLE_BEFORE = re.compile(rf"\btheir\s+{_ROLE}\s*,?\s*$", re.IGNORECASE)
_STOP = r"(?=\s*(?:[.,;:!?)]|$|\b(?:and|who|from|at|since|will|is|has|for)\b))"
_THEIR_ROLE_BEHIND = re.compile(rf"^\s*(?:,|is|\()\s*their\s+{_ROLE}{_STOP}", re.IGNORECASE)
_OUR_ROLE_BEFORE = re.compile(rf"\bour\s+{_ROLE}\s*,?\s*$", re.IGNORECASE)
_OUR_ROLE_BEHIND = re.compile(rf"^\s*(?:,|is|\()\s*our\s+{_ROLE}{_STOP}", re.IGNORECASE)
_THERE = re.compile(
    r"^\s+(?:over\s+)?there\b(?!\s+(?:is|are|was|were|will)\b(?!\s+(?:on|off|out|away|back|in|very|our|the)\b))",
    re.IGNORECASE,
)
_ASSISTS = re.compile(
    r"\b(?:assistant|secretary|deputy|advisor|adviser|aide|apprentice|pa)\s+(?:to|of)\s+(?:the\s+)?$", re.IGNORECASE
)
_HOME = re.compile(
    r"^['’]s?\s+(?:(?:old|new|little|big|own)\s+)?(?:house|flat|home|apartment|place|cottage|farm|studio)\s+(?:in|near)\s+$",
    re.IGNORECASE,
)
_FROM = re.compile(r"^\s*(?:,\s*|\()?(?:from|near|desde|aus|de)\s+$", re.IGNORECASE)
_ON_THE_WAY = re.compile(r"^\s*(?:to|until|till|at|on|by|via|nach|a|hasta)\b", re.IGNORECASE)
_OF_TRAVEL = re.compile(
    r"\b(?:flight|flights|flying|flew|fly|train|bus|drive|drove|driving|pick|picked|picking|ship|shipped|back|home|return"
    r"|returned|returning|came|coming|move|moved|moving|travel|travelled|letter|call|calls|message|mail|email)\b",
    re.IGNORECASE,
)
_BASED = re.compile(r"^[-\s]based\s+(?:[\w-]+\s+){0,2}$", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"^\s*\(\s*$")
_EAST = re.compile(r"^(?:の|的|'ten |'tan |'den |'dan |’ten |’tan |’den |’dan )$")
_BOSSES = listed("bosses") | listed("leaders")
_FOUNDERS = frozenset(("founder", "cofounder", "co-founder"))
_AWAY = re.compile(r"\b(?:former|ex|old|previous|not)\b|\bex-", re.IGNORECASE)


def links(scene: Scene) -> Iterator[Link]:
    """The relations of a sentence that no verb says."""
    for mention in scene.mentions:
        if mention.type == PERSON and mention.key is not None:
            yield from _of_their_role(scene, mention)
            yield from _of_our_role(scene, mention)
            yield from _of_assistant(scene, mention)
            if scene.voice.they is not None and _THERE.match(scene.behind(mention)):
                yield _link(scene, mention.key, "works_at", scene.voice.they, 0.65)
    for one, other in pairwise(scene.mentions):
        if one.key is not None and other.key is not None and one.key != other.key:
            yield from _of_pair(scene, one, other)


def _of_their_role(scene: Scene, mention: Mention) -> Iterator[Link]:
    """ "their founder, Perpetua": of the organisation that was named last, in the sentence or before it."""
    found = _THEIR_ROLE_BEFORE.search(scene.before(mention)) or _THEIR_ROLE_BEHIND.match(scene.behind(mention))
    if found is None or _AWAY.search(found["role"]) or mention.key is None:
        return
    named = [each.key for each in scene.mentions if each.type == "organisation" and each.end <= mention.start]
    owner = named[-1] if named else scene.voice.they
    role = _role_of(found["role"])
    if owner is not None and role:
        yield _link(scene, mention.key, "founded" if role in _FOUNDERS else "works_at", owner, 0.75)


def _of_our_role(scene: Scene, mention: Mention) -> Iterator[Link]:
    """ "our lead, Tom": a boss, or somebody to work with."""
    found = _OUR_ROLE_BEFORE.search(scene.before(mention)) or _OUR_ROLE_BEHIND.match(scene.behind(mention))
    me = scene.voice.key
    if found is None or me is None or mention.key is None or me == mention.key or _AWAY.search(found["role"]):
        return
    role = _role_of(found["role"])
    if role in _BOSSES:
        yield _link(scene, me, "reports_to", mention.key, 0.7)
    elif role:
        yield _link(scene, me, "works_with", mention.key, 0.65)


def _of_assistant(scene: Scene, mention: Mention) -> Iterator[Link]:
    """ "assistant to Ms Whitfield": who is named before, else who signs."""
    if mention.key is None or not _ASSISTS.search(scene.before(mention)):
        return
    before = [each.key for each in scene.mentions if each.type == PERSON and each.end <= mention.start]
    who = before[-1] if before else scene.voice.key
    if who is not None and who != mention.key:
        yield _link(scene, who, "reports_to", mention.key, 0.75)


def _of_pair(scene: Scene, one: Mention, other: Mention) -> Iterator[Link]:
    """What two names say that stand next to each other."""
    between, behind = scene.between(one, other), scene.behind(other)
    assert one.key is not None
    assert other.key is not None
    if one.type == PERSON and other.type == "place":
        if _HOME.match(between) or (
            _FROM.match(between) and not _ON_THE_WAY.match(behind) and not _OF_TRAVEL.search(scene.before(one))
        ):
            yield _link(scene, one.key, "lives_in", other.key, 0.65)
    elif one.type == "place" and _BASED.match(between):
        if other.type == PERSON:
            yield _link(scene, other.key, "lives_in", one.key, 0.75)
        elif other.type in ("organisation", UNKNOWN):
            yield _link(scene, other.key, "located_in", one.key, 0.75)
    elif one.type == PERSON and other.type == "organisation":
        if _IN_BRACKETS.match(between) and behind.startswith(")"):
            yield _link(scene, one.key, "works_at", other.key, 0.75)
    elif one.type == "organisation" and other.type == PERSON and _EAST.match(between):
        yield _link(scene, other.key, "works_at", one.key, 0.75)


def _role_of(text: str) -> str:
    """The word that says what somebody does, which has to be the last one."""
    last = fold(text.rsplit(maxsplit=1)[-1])
    return last if last in ROLES else ""


def _link(scene: Scene, subject: Key, type: str, thing: Key, sure: float) -> Link:
    return Link(subject, type, thing, sure, 0.5, False, scene.text[:280])
