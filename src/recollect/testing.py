"""A pytest plugin for those who test what their own agents remember.

It is loaded by pytest wherever Recollect is installed, and gives three fixtures. Each is a function that takes a scope,
of `recollect.Recollect` or of `recollect.sync.Recollect`; with the former it has to be awaited, and a test that forgets
that fails.

    async def test_my_agent(assert_recalls, assert_forgotten, assert_never_leaks):
        await assert_recalls(alice, "What does Alice drink?", "green tea")
        await assert_forgotten(alice, "Project Nightingale")
        await assert_never_leaks(alice, "green tea", to=[bob, carol])
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, Sequence
from typing import Any

import pytest

from recollect.core.errors import NotAllowed, NotFound

_MOST = 1_000
_EXCERPT = 300
_HIDDEN = ("archived", "expired")
Steps = Generator[Any, Any, None]
"""What an assertion asks of a memory, call after call; each answer is sent back to it."""


def _recalls(scope: Any, question: str, *wanted: str, limit: int = 10, **filters: Any) -> Steps:
    """A question finds every wanted text among its best hits."""
    _named(wanted)
    hits = yield scope.search(question, limit=limit, **filters)
    found = [_shown(hit.memory) for hit in hits]
    missing = [text for text in wanted if not any(_holds(each, text) for each in found)]
    if missing:
        listed = "\n".join(f"  {place}. {text}" for place, text in enumerate(found, start=1)) or "  nothing"
        raise AssertionError(f"{question!r} does not recall {_quoted(missing)}; it finds\n{listed}")


def _forgotten(scope: Any, *texts: str) -> Steps:
    """Nothing has any of the texts: nothing that can be read, and nothing that lies anywhere in the database."""
    _named(texts)
    if (yield _looking(scope, "is_empty")):
        raise AssertionError("nothing is stored, and nothing was ever forgotten: the test would prove nothing")
    for text in texts:
        yield from _unseen(scope, text)
    for place, text, held in (yield _looking(scope, "holding", texts)):
        raise AssertionError(f"{place} still has {text!r}: {_excerpt(held, text)!r}")


def _unseen(scope: Any, text: str) -> Steps:
    """Nothing that can be read has a text: no search, no list, no profile, no person, no message."""
    hits = yield from _allowed(scope.search, text, limit=50, include=_HIDDEN)
    _refuse("search", [hit.memory for hit in hits], text)
    _refuse("the profile", (yield from _allowed(scope.profile)), text)
    _refuse("the nodes", (yield from _allowed(scope.nodes)), text)
    after = None
    while True:
        page = yield from _allowed(scope.get_all, limit=_MOST, after=after, include=_HIDDEN)
        _refuse("the list of memories", page, text)
        if (after := getattr(page, "next", None)) is None:
            break
    after = None
    while talks := (yield from _allowed(scope.conversations, limit=_MOST, after=after)):
        for talk in talks:
            yield from _unsaid(scope, talk, text)
        after = talks[-1].id


def _unsaid(scope: Any, talk: Any, text: str) -> Steps:
    """No message of a conversation has a text."""
    chat = yield scope.find_conversation(talk.id)
    first = 1
    while messages := (yield chat.messages(first=first, limit=_MOST)):
        _refuse(f"thread {talk.thread_id!r}", messages, text)
        first = messages[-1].turn + 1


def _allowed(call: Callable[..., Any], *given: Any, **options: Any) -> Generator[Any, Any, Any]:
    """What a call answers; nothing to an agent that may not ask at all."""
    try:
        return (yield call(*given, **options))
    except NotAllowed:
        return ()


def _never_leaks(scope: Any, *texts: str, to: Any) -> Steps:
    """What a scope knows no other one sees, whatever it asks."""
    _named(texts)
    others = to if isinstance(to, Iterable) else [to]
    if not others:
        raise AssertionError("to: names nobody: the test would prove nothing")
    for text in texts:
        hits = yield scope.search(text, limit=10, include=_HIDDEN)
        known = [hit.memory.id for hit in hits if _holds(_shown(hit.memory), text)]
        if not known:
            raise AssertionError(f"{text!r} is not known in the first place: the test would prove nothing")
        for other in others:
            yield from _unseen(other, text)
            for id in known:
                yield from _refused(other, id)


def _refused(scope: Any, id: Any) -> Steps:
    """A memory of somebody else cannot be had by its id."""
    try:
        seen = yield scope.get(id)
    except (NotFound, NotAllowed):
        return
    raise AssertionError(f"memory {id} can be read: {_shown(seen)!r}")


def _named(texts: Sequence[str]) -> None:
    """An assertion about no text, or an empty one, would hold whatever is stored."""
    if not texts:
        raise AssertionError("no text is named: the test would prove nothing")
    for text in texts:
        if not isinstance(text, str) or not text.strip():
            raise AssertionError(f"{text!r} is no text to look for: the test would prove nothing")


def _looking(scope: Any, name: str, *given: Any) -> Any:
    """What the owner of the database finds; at once, or to be awaited."""
    # pytest loads this file wherever Recollect is installed: only who asserts something pays for the rest of it.
    from recollect import sync
    from recollect.flows import whereabouts

    look = getattr(whereabouts, name)
    if not isinstance(scope, sync.ScopedMemory):
        return look(scope._parts, scope.scope, *given)
    inner, loop = sync.within(scope)
    return asyncio.run_coroutine_threadsafe(look(inner._parts, inner.scope, *given), loop).result()


def _excerpt(held: str, text: str) -> str:
    at = max(0, held.casefold().find(text.casefold()))
    return held[max(0, at - _EXCERPT) : at + _EXCERPT]


def _refuse(where: str, found: Iterable[Any], text: str) -> None:
    for each in found:
        if _holds(_shown(each), text):
            raise AssertionError(f"{where} still has {text!r}: {_shown(each)!r}")


def _shown(each: Any) -> str:
    """Every text of a memory, a fact or a message."""
    names = ("title", "summary", "content", "value", "name", "body", "data", "aliases")
    return "\n".join(str(value) for name in names if (value := getattr(each, name, None)))


def _holds(text: str, wanted: str) -> bool:
    return " ".join(wanted.casefold().split()) in " ".join(text.casefold().split())


def _quoted(texts: Sequence[str]) -> str:
    return ", ".join(map(repr, texts))


# Running the steps on either kind of memory -----------------------------------------------------------------------


class _Awaited:
    """An assertion on an asynchronous memory, which knows whether anybody awaited it."""

    def __init__(self, first: Any, steps: Steps) -> None:
        self._first, self._steps = first, steps
        self.awaited = False

    def __await__(self) -> Generator[Any, Any, None]:
        self.awaited = True
        return self._run().__await__()

    async def _run(self) -> None:
        answer = self._first
        while True:
            try:
                got = await answer
            except Exception as error:
                asked = _throw(self._steps, error)
            else:
                asked = _send(self._steps, got)
            if asked is _DONE:
                return
            answer = asked


_DONE: Any = object()


def _send(steps: Steps, value: Any) -> Any:
    try:
        return steps.send(value)
    except StopIteration:
        return _DONE


def _throw(steps: Steps, error: Exception) -> Any:
    try:
        return steps.throw(error)
    except StopIteration:
        return _DONE


class _Assertion:
    """A fixture's function."""

    def __init__(self, make: Callable[..., Steps]) -> None:
        self._make = make
        self.pending: list[_Awaited] = []

    def __call__(self, scope: Any, *texts: str, **options: Any) -> Awaitable[None] | None:
        steps = self._make(scope, *texts, **options)
        if inspect.iscoroutinefunction(getattr(type(scope), "search", None)):
            waiting = _Awaited(_send(steps, None), steps)
            self.pending.append(waiting)
            return waiting
        _run_through(steps)
        return None


def _run_through(steps: Steps) -> None:
    """The steps of a memory that answers at once. A generator cannot see an error of a call that it has not made yet:
    calls are made by it, and raise in it."""
    answer = _send(steps, None)
    while answer is not _DONE:
        answer = _send(steps, answer)


def _fixture(make: Callable[..., Steps]) -> Iterator[_Assertion]:
    made = _Assertion(make)
    yield made
    if any(not each.awaited for each in made.pending):
        pytest.fail("an assertion on an asynchronous memory was not awaited", pytrace=False)


@pytest.fixture
def assert_recalls() -> Iterator[_Assertion]:
    """`assert_recalls(scope, question, text, …, limit=10)`: the question finds each text among its best hits."""
    yield from _fixture(_recalls)


@pytest.fixture
def assert_forgotten() -> Iterator[_Assertion]:
    """`assert_forgotten(scope, text, …)`: nothing has any of the texts, wherever it lies in the database."""
    yield from _fixture(_forgotten)


@pytest.fixture
def assert_never_leaks() -> Iterator[_Assertion]:
    """`assert_never_leaks(scope, text, …, to=others)`: what the scope knows no other one sees."""
    yield from _fixture(_never_leaks)
