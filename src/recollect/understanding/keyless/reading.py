"""From a message to what it teaches: own words, sentences, clauses, then rules for facts and for statements."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime
from zoneinfo import ZoneInfo

from recollect.core.terms import stems, terms
from recollect.understanding.fence import unfenced
from recollect.understanding.keyless import (
    antecedents,
    circumstances,
    decisions,
    demands,
    expletives,
    goals,
    identity,
    limits,
    modality,
    opinion,
    orders,
    tastes,
    third,
)
from recollect.understanding.keyless.casing import recased
from recollect.understanding.keyless.correcting import corrections, named
from recollect.understanding.keyless.dates import absolute, is_past
from recollect.understanding.keyless.draft import Draft
from recollect.understanding.keyless.fitting import fitted
from recollect.understanding.keyless.found import Found
from recollect.understanding.keyless.giving_up import endings, given_up
from recollect.understanding.keyless.marks import Marks
from recollect.understanding.keyless.masking import LONGEST, own_words
from recollect.understanding.keyless.others import GAP
from recollect.understanding.keyless.sentences import Clause, Sentence, clauses, reason_apart, sentences, stripped
from recollect.understanding.keyless.statements import typed
from recollect.understanding.keyless.steps import steps
from recollect.understanding.keyless.subjects import spoken
from recollect.understanding.keyless.text import written_out
from recollect.understanding.keyless.vocabulary import ACQUAINTANCES, PETS, RELATIVES, alternatives
from recollect.understanding.model import Fact, Statement, StatementType, Understood, Utterance
from recollect.understanding.profile_keys import STANDING, holds_many, importance, normal_value, same_value
from recollect.understanding.secrets import holds_secret

_LONGEST_STATEMENT = 280
_FEWEST_WORDS = 3
_MOST_STATEMENTS = 10
_CERTAIN = 1.0
_PLAIN = 0.95

_SURE_ASIDE = 0.8
_BARE_PARENT = re.compile(r"^(?P<who>mum|mom|dad|grandpa|grandma|granny|gran|nan|mam)(?='s | \w)", re.IGNORECASE)
_HEALTH = frozenset({"diet", "allergy", "intolerance", "condition", "medication"})
_DATED_VALUES = frozenset({"birthday", "availability", "budget"})
_OWN_CLAUSE = re.compile(r"(?:I|my|we|our)\b")
_HAVE_IT = re.compile(
    r"(?P<have>(?:I|we) (?:have )?(?:only |always |just )?(?:had|owned|bought|got|have|own|built|rebuilt|sold|inherited"
    r"|rent|rented|adopted|restored|opened|founded|run)) it\b"
)
_INSISTING = re.compile(r"(?<=\w )(?:actually|in fact|indeed) ")
_SINCE = re.compile(r"\b(?:since|as of|with effect from|w\.e\.f\.|starting)\b")
_TERSE = 90
_FIRST_PERSON = re.compile(r"\b(?:I|me|[Mm]y|[Mm]ine|myself|[Ww]e|us|[Oo]ur)\b")
_PRONOUN = re.compile(r"\b(?:(?P<of>his|her(?= (?!and\b|at\b|in\b|on\b|to\b|with\b|for\b)\w))|he|she|him|her)\b")
_NAMES_SOMEBODY = re.compile(rf"\b(?:[A-Z]\w{{2,}}|{alternatives(RELATIVES | ACQUAINTANCES)})\b")
_NOUN_OF = {"children": "child", "partner": "partner", "pets": "pet"}
_PEOPLE = frozenset({"partner", "children", "pets"})
_OF_ONE_S_LIFE = frozenset(terms("I am live living work working job based name called"))
"""Words that bring a value of the profile and tell nothing beside it."""
_CHANGING = frozenset({"city", "employer", "job", "school", "age"})
"""What has one value at a time: a later one must not replace it before its day."""
_TYPE_FOR_OTHERS: dict[str, StatementType] = {
    "identity": "fact",
    "preference": "preference",
    "constraint": "constraint",
}


def understand(utterance: Utterance) -> Understood:
    """What one message of a user teaches."""
    read = _Reader(utterance, Marks.of(unfenced(utterance.text[:LONGEST]))).read()
    value = named(utterance.text)
    if value is None:
        return read
    # A bare value has the key of what was spoken of, or none, unless it is put in another's place ("Jon, not John").
    others = (fact for fact in read.facts if fact.correction or not same_value(fact.key, fact.value, value))
    corrected = corrections(utterance)
    keys = {(fact.type, fact.key) for fact in corrected}
    others = (fact for fact in others if (fact.type, fact.key) not in keys)
    return replace(read, facts=(*others, *corrected))


class _Reader:
    """The state of reading one message."""

    def __init__(self, utterance: Utterance, marks: Marks) -> None:
        self._utterance = utterance
        self._marks = marks
        self._today: date = utterance.at.astimezone(ZoneInfo(utterance.zone)).date()
        self._facts: list[Fact] = []
        self._statements: list[Statement] = []
        self._rejected: Counter[str] = Counter()
        self._written = 0
        self._person: str | None = None
        self._asides: list[tuple[Draft, Clause]] = []
        self._thing: str | None = None
        self._several: str | None = None
        self._kin: dict[str, str] = {}
        self._clauses: list[Clause] = []
        self._doubtful: list[str] = []
        self._before = ""
        self._message = ""
        self._orders_others = not utterance.own or orders.of_a_procedure(utterance.text)

    def read(self) -> Understood:
        """All sentences in order."""
        own = own_words(self._utterance.text)
        said = recased(tastes.self_asked(own))
        self._message = written_out(said)
        for sentence in sentences(said):
            if sentence.idle:
                self._thing = self._several = None
            elif not holds_secret(sentence.said) and not modality.ironic(sentence.said):
                self._read_sentence(sentence)
            self._before = "" if sentence.asks or GAP in sentence.text else sentence.text
        self._reconsider(self._marks, own)
        for draft, clause in self._asides:
            if not self._told_of(draft) and self._marks.likely("fact", draft.text) > _SURE_ASIDE:
                self._write(draft, clause)
        return Understood(
            tuple(_in_one(_settled(self._facts))),
            tuple(self._statements[:_MOST_STATEMENTS]),
            dict(self._rejected),
            self._written,
        )

    def _reconsider(self, marks: Marks, own: str) -> None:
        """What the rules took and missed, in the light of the tagger's view."""
        self._facts = opinion.believed(self._facts, marks)
        self._statements = opinion.likely(self._statements, marks)
        if self._utterance.own:
            for value in opinion.values(marks, own):
                self._keep_seen(value, marks)
        if not self._orders_others:
            seen = [each for each in opinion.orders(marks, self._facts) if _is_in(each.said, own)]
            for order in (each for each in seen if self._stands(each)):
                self._take_order(order)
        for clause in self._clauses:
            self._reconsider_clause(clause, marks)
        for type in opinion.STATEMENTS:
            for told in list(opinion.passages(marks, type, self._statements)):
                if type != "fact" or not self._keyed_already(told.said):
                    self._write_told(type, told, own)

    def _stands(self, order: opinion.Order) -> bool:
        """Whether what the tagger takes for an order is one, and holds beyond the text that its message is about."""
        sentence = written_out(order.sentence.rstrip(".!?"))
        told = any(
            set(terms(order.said)) <= set(terms(fact.value)) for fact in self._facts if fact not in order.instead
        )
        if told or (order.key is None and not orders.directs(order.said, sentence)):
            return False
        return orders.standing(sentence) and not orders.for_a_piece(sentence, self._utterance.text)

    def _take_order(self, order: opinion.Order) -> None:
        """An order as one of its own, or as the rest of the one before it, on whose "when" it still hangs."""
        self._facts = [fact for fact in self._facts if fact not in order.instead]
        if not orders.lasts(order.sentence):
            for place, fact in enumerate(self._facts):
                if fact.type == "instruction" and not fact.ended and orders.hangs(fact.quote, order.before):
                    self._facts[place] = replace(fact, value=f"{fact.value}. {order.said}")
                    return
        self._keep_fact(orders.under(order.key, order.said), _clause_of(order.said), ended=False)

    def _reconsider_clause(self, clause: Clause, marks: Marks) -> None:
        """A clause that no rule read and the tagger is sure of, word for word."""
        type = opinion.type_of(clause.text, marks)
        if (
            type is None
            or demands.of_the_world(clause.text)
            or demands.follows_from(clause.text, clause.sentence.text)
            or GAP in clause.text
            or modality.hedged(clause.text)
            or modality.passing(clause.text)
        ):
            return
        told = any(opinion.covers(each.content, clause.text) for each in self._statements)
        if not told and not self._keyed_already(clause.text):
            self._write(Draft(type, clause.text), clause)

    def _keyed_already(self, said: str) -> bool:
        """Whether the profile has all that a passage tells."""
        left = set(terms(said)) - {term for fact in self._facts for term in terms(fact.value)} - _OF_ONE_S_LIFE
        return len(left) <= 1 and bool(self._facts)

    def _write_told(self, type: StatementType, told: opinion.Told, own: str) -> None:
        """A passage as a statement, in place of what the rules made of pieces of it."""
        masked = own_words(told.said)
        if GAP in masked or holds_secret(told.said) or told.said not in own:
            return
        reason, rest = reason_apart(written_out(recased(masked)))
        said = reason if reason and type == "fact" else rest
        text = spoken(_BARE_PARENT.sub(r"my \g<who>", expletives.plain(stripped(said))))
        if type == "constraint" and (demands.of_the_world(text) or demands.follows_from(text, self._marks.text)):
            return
        taken = self._statements
        self._statements = [each for each in taken if each not in told.instead]
        others = len(self._statements)
        clause = _clause_of(told.said, self._marks.sentence_of(told.said))
        for draft in steps(Draft(type, text)):
            self._write(draft, clause)
        tells = {term for each in self._statements[others:] for term in terms(each.content)}
        if not tells or any(not tells.issuperset(terms(each.content)) for each in told.instead):
            self._statements = taken

    def _keep_seen(self, seen: opinion.Seen, marks: Marks) -> None:
        """A value that only the tagger sees, unless the rules read its key, or it otherwise."""
        if seen.key not in _PEOPLE and self._doubted(seen.value):
            return
        if any(fact.value == seen.value and fact.key != seen.key for fact in self._facts):
            return
        if seen.key in _CHANGING and self._is_to_come(marks.text):
            return
        for fact in self._facts:
            if (fact.type, fact.key) == (seen.type, seen.key) and (
                not holds_many(fact.key) or stems(fact.value) & stems(seen.value)
            ):
                return
        found = Found(seen.type, seen.key, seen.value)
        self._keep_fact(found, _clause_of(marks.text), seen.ended)

    def _doubted(self, value: str) -> bool:
        """Whether a value is only in clauses that say it with doubt, or do not claim it."""
        plain = any(value in clause.text for clause in self._clauses if clause.text not in self._doubtful)
        return not plain and any(value in text for text in self._doubtful)

    def _is_to_come(self, text: str) -> bool:
        """Whether a clause tells what will be so, not what is."""
        day = absolute(text, self._today, is_past(text)).day
        return modality.upcoming(text, in_future=day is not None and day > self._today)

    def _told_of(self, aside: Draft) -> bool:
        """Whether something taken already names the person of an aside together with its last word."""
        name, last = aside.about, aside.text.split()[-1]
        if name is None:
            return False
        if not last.isdigit() and any(name in fact.value for fact in self._facts):
            return True
        return any(name in each.content and last in each.content for each in self._statements)

    def _read_sentence(self, sentence: Sentence) -> None:
        made = clauses(sentence)
        ordered = self._orders(sentence, made)
        if not made or modality.starts_hypothesis(made[0].text):
            return
        if self._declared(sentence, made[0]):
            return
        for clause in _then_and_now(_with_doubts(made)):
            if clause.text not in ordered:
                self._read_in_turn(self._resolved(replace(clause, text=expletives.plain(clause.text))))

    def _declared(self, sentence: Sentence, first: Clause) -> bool:
        """What a whole sentence declares as goals, as decided or as a rule; then nothing else is in it."""
        if sentence.asks or GAP in sentence.text or not self._asserted(first):
            return False
        if (rule := demands.declared(sentence.text)) is not None:
            self._write(rule, first)
            return True
        for draft in goals.announced(sentence.text):
            self._write(draft, first)
        decided = list(decisions.announced(sentence.text))
        for draft in decided:
            self._write(draft, first)
        return bool(decided) or goals.headed(sentence.text)

    def _read_in_turn(self, clause: Clause) -> None:
        if self._asserted(clause):
            self._read_clause(clause)
            self._clauses.append(clause)
        if not self._asserted(clause) or modality.hedged(clause.text) or modality.averted(clause.text):
            self._doubtful.append(clause.text)
        self._person = circumstances.person_in(clause.text) or self._person
        self._thing = circumstances.thing_in(clause.text)
        self._several = circumstances.several_in(clause.text)

    def _resolved(self, clause: Clause) -> Clause:
        """A clause that begins with "he", "she" or "it", with whom or what the clause before was about."""
        first, _, rest = clause.text.partition(" ")
        if first in self._kin and rest:
            return replace(clause, text=f"my {self._kin[first]} {clause.text}")
        person = self._thing if self._thing is not None and self._thing.split()[-1] in PETS else self._person
        meant = {"he": person, "she": person, "it": self._thing, "they": self._several}.get(first.lower())
        if meant is not None and rest:
            return replace(clause, text=f"{meant} {rest}")
        if self._thing is not None and (had := _HAVE_IT.match(clause.text)) is not None:
            return replace(clause, text=f"{had['have']} {self._thing}{clause.text[had.end() :]}")
        if self._thing is not None and demands.lacks_subject(clause.text):
            return replace(clause, text=f"{self._thing} {clause.text[:1].lower()}{clause.text[1:]}")
        person = self._person
        if person is None or _NAMES_SOMEBODY.search(clause.text) or not _PRONOUN.search(clause.text):
            return clause
        return replace(clause, text=_PRONOUN.sub(lambda found: person + "'s" * bool(found["of"]), clause.text))

    def _asserted(self, clause: Clause) -> bool:
        text = clause.text
        if modality.unreal(text) or modality.denied(text):
            return False
        return not modality.reported(text) or demands.by_authority(text)

    def _orders(self, sentence: Sentence, made: list[Clause]) -> set[str]:
        """Standing orders; they may hang on a "when", so they are read before hypotheses are dropped."""
        taken: set[str] = set()
        if self._orders_others:
            return taken
        if sentence.asks:
            made = [Clause(order, sentence, False, False) for order in orders.politely_asked(sentence.text)]
        for clause in made:
            read = [] if GAP in clause.text else orders.read(clause.text, sentence.text)
            found = [self._in_full(each, sentence) for each in read] or self._told_to_stop(clause)
            for each in found:
                self._keep_fact(each, clause, ended=False)
            lifted = list(orders.lifted(clause.text))
            for each in lifted:
                self._keep_fact(each, clause, ended=True)
            if found or lifted:
                taken.add(clause.text)
        return taken

    def _told_to_stop(self, clause: Clause) -> list[Found]:
        """What the sentence before complains of, where a clause only says to stop it."""
        order = orders.stopped(self._before, clause.text)
        return [] if order is None or GAP in self._before else [orders.by_nature(order)]

    def _in_full(self, order: Found, sentence: Sentence) -> Found:
        """An order that points back together with what it points to: its sentence, or the one before it."""
        if not orders.points_back(order.value):
            return order
        if len(sentence.text.split()) > len(order.value.split()) + _FEWEST_WORDS:
            return orders.by_nature(sentence.text)
        return orders.by_nature(f"{self._before}. {order.value}") if self._before else order

    def _read_clause(self, clause: Clause) -> None:
        if modality.hedged(clause.text) and not demands.ruling(clause.text):
            self._tentative(clause)
            return
        if GAP not in clause.text and (clause.follows or _FIRST_PERSON.search(clause.text)):
            self._asides += [(draft, clause) for draft in circumstances.asides(clause.text)]
        found, ended, corrects = self._found(clause)
        if self._utterance.own:
            for each in found:
                self._keep_fact(each, clause, ended, corrects)
        self._state(clause, found, ended)

    def _found(self, clause: Clause) -> tuple[list[Found], bool, bool]:
        """The keyed values of a clause, and whether it is their end that it tells."""
        text = _INSISTING.sub("", modality.certain_part(clause.text))
        if not text or _about_the_world(text) or modality.passing(text):
            return ([], False, False)
        if ended := list(endings(text)):
            return (ended, True, True)
        past = given_up(text, clause.corrects)
        if past is not None:
            return (list(_keyed(past)), True, True)
        if modality.averted(text):
            return ([], False, False)
        told = clause.sentence.text if ", then " in clause.sentence.text else text
        found = list(_keyed(_latest(told) if _ONE_AFTER_ANOTHER.fullmatch(told) else text))
        if any(each.key in _CHANGING for each in found) and self._is_to_come(text):
            found = [each for each in found if each.key not in _CHANGING]
        return (found, False, clause.corrects)

    def _keep_fact(self, found: Found, clause: Clause, ended: bool, corrects: bool = False) -> None:
        said = fitted(found.key, found.value) if found.type == "identity" else found.value
        value = normal_value(found.key, said or "")
        if not value or GAP in value or holds_secret(value):
            return
        if found.type == "instruction" and orders.of_the_moment(value):
            return
        if any(
            fact.key == found.key
            and fact.type == found.type
            and same_value(fact.key, fact.value, value)
            and fact.ended == ended
            for fact in self._facts
        ):
            return
        corrects = corrects or found.corrects
        if found.key in _NOUN_OF and value[:1].isupper() and " " not in value:
            self._kin[value] = _NOUN_OF[found.key]
        self._facts.append(
            Fact(
                found.type,
                found.key,
                value,
                _CERTAIN if corrects or ended else _PLAIN,
                importance(found.type, found.key),
                correction=corrects,
                ended=ended,
                quote=clause.sentence.said,
            )
        )

    def _state(self, clause: Clause, found: list[Found], ended: bool) -> None:
        """The statement of a clause, if it holds more than its keyed values."""
        if modality.passing(clause.text) or GAP in clause.text:
            return
        draft = self._draft(clause, found, ended)
        if draft is not None:
            for each in steps(draft):
                self._write(each, clause)

    def _draft(self, clause: Clause, found: list[Found], ended: bool) -> Draft | None:
        text = clause.text
        past = is_past(text)
        dated = absolute(text, self._today, past).day is not None
        main = [each for each in found if not each.aside]
        if main and not self._utterance.own and main[0].key not in _PEOPLE:
            return self._of_another(main[0], text, ended)
        if any(each.key in _PEOPLE for each in main):
            return typed(text, dated, past) or (None if self._utterance.own else Draft("fact", text))
        if not main:
            return typed(text, dated, past)
        if ended:
            return Draft("fact", text, ends=True) if dated and past else None
        tells = any(each.eventful for each in main) or (dated and all(each.key not in _DATED_VALUES for each in main))
        if not tells:
            return None
        return circumstances.fact(text, dated, past) or (Draft("fact", text) if dated and _SINCE.search(text) else None)

    def _of_another(self, found: Found, text: str, ended: bool) -> Draft | None:
        """What would be a keyed fact if the owner had said it."""
        if found.key in {"name", "preferred_name"} and found.value == self._utterance.speaker:
            return None
        if not _OWN_CLAUSE.match(text):
            text = f"my {found.key.replace('_', ' ')} is {found.value}"
        type = "fact" if found.key in _HEALTH else _TYPE_FOR_OTHERS[found.type]
        return Draft(type, text, ends=ended)

    def _tentative(self, clause: Clause) -> None:
        draft = goals.tentative(clause.text)
        if draft is not None and GAP not in clause.text:
            self._write(draft, clause)

    def _write(self, draft: Draft, clause: Clause) -> None:
        """A draft in the third person with absolute dates, if it keeps the writing rules."""
        past = is_past(draft.text)
        self._written += 1
        for text in self._wordings(draft, clause):
            dated = absolute(text, self._today, past)
            content = third.told(dated.text, self._utterance.speaker, past)
            if (reason := _refused(draft.type, content)) is None:
                break
        else:
            self._rejected[reason or "pronoun"] += 1
            return
        if any(content == each.content for each in self._statements):
            return
        about = draft.about or (third.name_of(self._utterance.speaker) if draft.own else None)
        self._statements.append(
            Statement(
                draft.type,
                content,
                draft.confidence,
                about=about,
                happened=self._moment(dated.day),
                ends=draft.ends,
                quote=clause.sentence.said,
            )
        )

    def _wordings(self, draft: Draft, clause: Clause) -> Iterator[str]:
        """The text, shorter ones, those with what the message says its pronouns stand for, and what it is alone."""
        text = _whole(draft, clause)
        yield from _shorter(text)
        if (named := antecedents.resolved(text, self._message)) is not None:
            yield from _shorter(named)
        if (named := antecedents.unpointed(text)) != text:
            yield from _shorter(named)
        yield from _shorter(_attributed(draft, draft.text, clause))
        if draft.type == "constraint" and (matter := demands.of_the_matter(draft.text)) is not None:
            yield from _shorter(matter)

    def _moment(self, day: date | None) -> datetime | None:
        return None if day is None else datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(self._utterance.zone))


def _whole(draft: Draft, clause: Clause) -> str:
    """A draft with what it leaves to its sentence: who decided or aims, and what was chosen."""
    said = decisions.completed(draft.text, clause.sentence.text) if draft.type == "decision" else draft.text
    return _attributed(draft, said, clause)


def _attributed(draft: Draft, said: str, clause: Clause) -> str:
    """What a draft says, with whose decision, limit or goal it is."""
    if draft.type == "decision":
        return decisions.attributed(said, draft.about is not None)
    if draft.type == "constraint":
        return demands.attributed(said, clause.sentence.text)
    return goals.attributed(said, draft.about is not None) if draft.type == "goal" else said


def _is_in(said: str, own: str) -> bool:
    """Whether a passage is the speaker's own, whatever quotes it has inside."""
    masked = own_words(said)
    return set(terms(said)) <= set(terms(own)) or (bool(masked) and masked in own)


def _clause_of(said: str, sentence: str | None = None) -> Clause:
    """A passage as a clause, of the sentence around it if that is known."""
    return Clause(said, Sentence(written_out(sentence or said), said, asks=False), corrects=False, follows=False)


def _keyed(text: str) -> Iterator[Found]:
    yield from identity.read(text)
    yield from tastes.read(text)
    yield from limits.read(text)


_THEN_AND_NOW = re.compile(
    r"(?P<then>.*?\b(?:any ?more|any longer)|.*?\bno longer [^,]+), (?P<now>(?P<verb>moved|been|got|started|took"
    r"|joined)\b.+)"
)


def _then_and_now(made: Iterable[Clause]) -> Iterator[Clause]:
    """The clauses, with what came to an end apart from what came after it: "not in Cork any more, moved to Galway"."""
    for clause in made:
        parts = _THEN_AND_NOW.fullmatch(clause.text)
        if parts is None:
            yield clause
            continue
        yield replace(clause, text=parts["then"])
        yield replace(clause, text=f"I {'have ' * (parts['verb'] == 'been')}{parts['now']}")


def _with_doubts(made: list[Clause]) -> Iterator[Clause]:
    """The clauses, each with the "…, I think" that follows it."""
    for place, clause in enumerate(made):
        follows = made[place + 1].text if place + 1 < len(made) else ""
        if modality.only_doubts(follows):
            yield replace(clause, text=f"{clause.text}, {follows}")
        elif place == 0 or not modality.only_doubts(clause.text):
            yield clause


_ONE_AFTER_ANOTHER = re.compile(
    r"(?P<who>I|we) have (?:\w+ly |also |now )?(?P<verb>lived|worked) (?P<at>in|at|for) (?P<first>[A-Z][^,]*?)"
    r"(?:, (?:and |then )*[^,]+)*?,? (?P<last>(?:and )?(?:now|currently|finally|these days) (?:in |at )?[A-Z].*"
    r"|and (?:then )?[A-Z].*)"
)
_PRESENTLY = re.compile(r"(?:and )?(?:now|currently|finally|these days) (?:in |at )?")


def _latest(text: str) -> str:
    """Of places that came one after another, the one that is said to be now; nothing of them where none is."""
    told = _ONE_AFTER_ANOTHER.fullmatch(text)
    if told is None or re.search(r"\b(?:for|since)\b", text):
        return text
    now = _PRESENTLY.match(told["last"])
    verb = "live" if told["verb"] == "lived" else "work"
    return f"{told['who']} {verb} {told['at']} {told['last'][now.end() :]}" if now else ""


def _about_the_world(text: str) -> bool:
    """Whether a clause is long and never mentions its speaker, so that no keyed value can be in it."""
    return len(text) > _TERSE and _FIRST_PERSON.search(text) is None


def _shorter(text: str) -> Iterator[str]:
    """The text, then shorter and shorter ones that still say its main thing."""
    yield text
    for tail in _TAILS:
        shorter = tail.sub("", text)
        if shorter != text and len(shorter.split()) >= _FEWEST_WORDS:
            yield shorter
            text = shorter


_TAILS = tuple(
    re.compile(source)
    for source in (
        r",? (?:and|but|so) (?:it|that|this|they|he|she|you)\b.*$",
        r" (?:on|in|for|at|from|of|with) (?:this|that|these|those) [\w-]+(?=$|,| (?:at least|by|before|is|are)\b)"
        r"|(?<=\w) here(?= (?:is"
        r"|was|are)\b)",
        r" here(?=,|$| (?:in|at|and)\b)| (?:here|there)(?= (?:within|by|before|one day|some day|instead)\b)"
        r"| (?:this (?:season|term|semester|time)|these days)(?=,|$)",
        r",? (?:(?:with|for|of|to|on|about|in|from|by|at) (?:it|that|this|them)|there|here)$",
        r" by the time .*$",
        r",? or (?:else|otherwise|the|we|I|it|they|he|she|[A-Z]\w+ \w+s)\b.*$",
        r",? (?:because|which|so that|so|since|though|although|where|while|even though|whatever|whoever|send help"
        r"|when|as)\b.*$",
        r"(?:(?<=\w\w)|(?<= \d)), .*$",
        r"(?<! a \w{3})(?<! a \w{4})(?<! a \w{5})(?<! a \w{6})(?<! a \w{7}) (?:and|until|before|after|than|but) .*$",
    )
)


_DANGLING = re.compile(
    r"\b(?:the|an?|and|or|but|of|with|into|than|because|if|when|while|since|after|that|which|who|whose|his|her|our|my"
    r"|their|believing in|from|putting off a few|the others?|the rest|the "
    r"same|the latter|the former)\.$|\b(?:is|are|was|were)\.$|\bdecided (?:that much|that|this|so)\.$"
    r"|\b(?:is|are|was|were|been) (?:learning|trying|planning|hoping|aiming)\.$|\b(?:has|have) (?:decided|agreed"
    r"|voted)\.$|\b(?:any|no) \w+er\.$|\bbe (?:much |any |a bit )?(?:shorter|longer|smaller|bigger|larger"
    r"|cheaper|lighter"
    r"|heavier|earlier|later|faster|lower|higher)\.$|\bgo (?:over|above|below|under|beyond|past)\.$"
)


_LOOSE_ONE = re.compile(
    r"\b(?:using|have|has|had|bought|got|wants?|needs?|needed|owns?|owned|likes?|loves|wears?|wearing|takes?|taking) "
    r"(?:one|some|any|none|another|both|two(?=\.$)|three(?=\.$))(?:\.$| (?:since|for|in|on|at|from|every|last|again"
    r"|too)\b)"
)
"""A "one" of something that another sentence names."""


def _refused(type: StatementType, content: str) -> str | None:
    """Why the writing rules refuse a content; None where they do not."""
    if type == "decision" and decisions.given_up(content):
        return "given up"
    if len(content) > _LONGEST_STATEMENT:
        return "too long"
    if len(content.split()) < _FEWEST_WORDS:
        return "incomplete"
    if third.unresolved(content) or _LOOSE_ONE.search(content):
        return "pronoun"
    if _DANGLING.search(content):
        return "incomplete"
    return "secret" if holds_secret(content) else None


def _settled(facts: list[Fact]) -> list[Fact]:
    """Facts without those that the same message replaces or corrects."""
    kept: list[Fact] = []
    for place, fact in enumerate(facts):
        rivals = [other for other in facts if other is not fact and (other.type, other.key) == (fact.type, fact.key)]
        if fact.ended and any(not other.ended for other in rivals):
            continue
        if fact.key in _PEOPLE and fact.value.islower() and any(not other.value.islower() for other in rivals):
            continue
        later = [other for other in facts[place + 1 :] if other in rivals]
        if not fact.ended and any(other.correction and not other.ended for other in later) and not _many(fact.key):
            continue
        replaces = not fact.ended and any(other.ended for other in rivals) and not _many(fact.key)
        kept.append(replace(fact, correction=True, confidence=_CERTAIN) if replaces else fact)
    return kept


def _in_one(facts: Sequence[Fact]) -> list[Fact]:
    """Facts, with several orders of a message on one thing as one: of a key one value holds, and none shall be lost."""
    kept: list[Fact] = []
    for fact in facts:
        before = next((other for other in kept if _same_order(other, fact)), None)
        if before is None:
            kept.append(fact)
        else:
            kept[kept.index(before)] = replace(before, value=_joined(before.value, fact.value))
    return kept


def _same_order(one: Fact, other: Fact) -> bool:
    same = one.type == other.type == "instruction" and one.key == other.key
    return same and one.ended == other.ended and not _many(one.key)


def _joined(one: str, other: str) -> str:
    """Both values, or the one that says all of the other."""
    if set(terms(other)) <= set(terms(one)):
        return one
    return other if set(terms(one)) <= set(terms(other)) else f"{one}; {other}"


def _many(key: str) -> bool:
    return holds_many(key) or key.startswith(STANDING)
