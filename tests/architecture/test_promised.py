"""The names and defaults that callers were promised, as they are written down for them."""

import ast
from collections.abc import Iterator
from typing import Any

import pytest

from recollect.wire.verbs import VERBS, Verb

# `...` stands for a value that has no default.
PROMISED = """
me.conversation(..., title=None, remember=True, shared=False)
chat.add(..., ..., name=None, at=None, metadata=None, id=None)
chat.context(..., tokens=..., system=None, extra=(), after=None, wait="searchable")
chat.messages(first=1, limit=100)
chat.retract(..., replace=None)
chat.narrative_arc()
chat.pause()
chat.resume()
chat.end(outcome=None)
me.conversations(status=None, limit=100, after=None)
me.add(..., kind="statement", type=..., category=None, tags=(), importance=None, confidence=None, pinned=False, ttl_policy="decay", metadata=None, valid_from=None, id=None, lift=False)
me.add_many(...)
me.search_many(...)
me.delete_all(tags=None)
me.search(..., limit=10, kinds=None, types=None, categories=None, tags=None, tier=None, agent=None, run=None, thread=None, source=None, speaker=None, metadata=None, include=(), min_importance=None, since=None, until=None, valid_at=None, as_known_at=None, threshold=None, context=None, weights=None, after=None)
me.get(...)
me.update(..., content=..., if_version=None)
me.history(...)
me.feedback(..., ...)
me.get_all(kinds=..., limit=100, after=None)
me.delete(...)
me.restore(...)
me.forget(id=None, message=None, thread=None, source=None, person=None, query=None, everything=False, keep_raw=False, dry_run=False, token=None)
me.profile()
me.set_profile(..., ..., ..., confidence=1.0)
me.pending()
me.promote(...)
me.create_active(title=..., template=..., sections=..., description=None, metadata=None)
me.update_section(..., ..., ...)
me.actives(agent=None)
me.get_active(...)
me.end_active(...)
me.migrate()
me.chunk_history(...)
me.reviews()
me.resolve(..., ..., text=None)
me.ingest(..., source_type="text-note", title=None, participants=(), started_at=None, ended_at=None, context_type=None, sensitivity="normal", ttl_policy="decay", metadata=None, id=None, team_id=None)
me.explore(..., granularity=2, mode="full", within=None)
me.traverse(..., depth=2, types=None)
me.path(..., ...)
me.nodes(kind="person", name=None)
me.add_note(..., ..., lifetime="month")
me.relate(..., ..., ..., description=...)
me.update_relation(...)
me.update_note(...)
me.remove_note(...)
me.match(..., names=None, limit=100)
me.query(agent=..., query=..., categories=..., filters=..., top_k=3, threshold=None, return_="bullets", budget_tokens=512)
me.consents()
me.decide(..., accept=...)
me.tombstones()
me.lift(...)
me.save_checkpoint(...)
me.load_checkpoint()
me.watch(after=None)
rc.run_job(...)
rc.drain(timeout=60)
"""  # noqa: E501
OWNERS = {"rc": "recollect", "me": "memory", "chat": "chat"}
# What `**values` takes has its defaults elsewhere: that it takes them is what can be seen here.
_UNSAID = object()


def calls() -> Iterator[tuple[Verb, ast.Call]]:
    verbs = {(verb.owner, verb.name): verb for verb in VERBS}
    for line in PROMISED.strip().splitlines():
        call = ast.parse(line, mode="eval").body
        assert isinstance(call, ast.Call)
        assert isinstance(call.func, ast.Attribute)
        assert isinstance(call.func.value, ast.Name)
        yield verbs[OWNERS[call.func.value.id], call.func.attr], call


@pytest.mark.parametrize(("verb", "call"), list(calls()), ids=lambda each: each.id if isinstance(each, Verb) else "")
def test_a_promised_call_is_taken(verb: Verb, call: ast.Call) -> None:
    given = {each.arg: ast.literal_eval(each.value) for each in call.keywords if each.arg is not None}
    verb.signature.bind(*call.args, **given)
    known = {argument.name for argument in verb.arguments} or set(given)
    assert given.keys() <= known
    for name, promised in given.items():
        default = _default(verb, name)
        assert promised is ... or default is _UNSAID or default == promised, name


def _default(verb: Verb, name: str) -> Any:
    parameter = verb.signature.parameters.get(name)
    return _UNSAID if parameter is None else parameter.default
