"""Conversations, contexts and profiles for people to read."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from recollect.cli.show import rows, short, table, when
from recollect.conversation.model import ListedConversation, searchable_text
from recollect.understanding.fence import CLOSING, OPENING
from recollect.understanding.secrets import mask

if TYPE_CHECKING:
    from recollect.cli.learned import Learned
    from recollect.cli.talk import Turn
    from recollect.conversation.model import Conversation, Message
    from recollect.flows.milestones import Episode
    from recollect.memory import Context
    from recollect.profile.model import Consent, ProfileFact
    from recollect.records.model import Memory
    from recollect.retrieval.search import Hit
    from recollect.understanding.milestones import Arc

__all__ = [
    "arc",
    "consents",
    "conversations",
    "decided",
    "greeting",
    "guidance",
    "last_context",
    "messages",
    "pending",
    "problem",
    "profile",
    "quoted",
    "rows",
    "turn",
]

_LINE = 160
_LABELS = {"learned": "green", "changed": "yellow", "merged": "cyan", "pending": "magenta", "holds again": "green"}


def _indented(part: RenderableType, by: int = 2) -> RenderableType:
    return Padding(part, (0, 0, 0, by), expand=False)


# Lists


def profile(facts: "Sequence[ProfileFact]") -> Iterator[RenderableType]:
    """What is known of the user."""
    if not facts:
        yield Text("Nothing is known yet.", style="dim")
        return
    listed = table("type", "key", "value", "sure", "since")
    for fact in facts:
        cells = (fact.type, fact.key, fact.value, f"{fact.confidence:.2f}", when(fact.since))
        listed.add_row(*map(Text, cells))
    yield listed


def consents(found: "Sequence[Consent]") -> Iterator[RenderableType]:
    """Proposals, and where each stands."""
    if not found:
        yield Text("No proposals.", style="dim")
        return
    listed = table("id", "status", "value", "why", "until")
    for each in found:
        cells = (str(each.id), each.status, f"{each.key} = {each.value}", each.reason, when(each.expires_at))
        listed.add_row(*map(Text, cells))
    yield listed


def pending(found: "Sequence[Memory]") -> Iterator[RenderableType]:
    """Statements that wait to be corroborated."""
    if not found:
        yield Text("Nothing is pending.", style="dim")
        return
    for memory in found:
        sure = f"  {when(memory.happened_at)} · confidence {memory.confidence:.2f}"
        yield Group(Text.assemble((str(memory.id), "dim"), sure), _indented(short(memory.content, _LINE), 4))


def guidance(given: Mapping[str, Any]) -> Iterator[RenderableType]:
    """What a space tells extraction."""
    if not given:
        yield Text("This space gives no guidance.", style="dim")
        return
    yield rows((name, value if isinstance(value, str) else ", ".join(value)) for name, value in given.items())


def conversations(found: "Sequence[Conversation]", limit: int) -> Iterator[RenderableType]:
    """Conversations, and how to see the next."""
    if not found:
        yield Text("No conversations.", style="dim")
        return
    listed = table("thread", "title", "status", "turns", "last")
    for each in found:
        aside = "" if each.remember else ", temporary"
        shared = ", shared" if each.shared else ""
        cells = (each.thread_id, each.title or "", each.status + aside + shared, str(each.last_turn))
        listed.add_row(*map(Text, cells), when(_last(each)))
    yield listed
    if len(found) == limit:
        yield Text(f"More: --after {found[-1].id}", style="dim")


def _last(conversation: "Conversation") -> datetime:
    """When something was said last; of one that just changed, when that was."""
    said_at = conversation.said_at if isinstance(conversation, ListedConversation) else None
    return said_at or conversation.updated_at


def messages(found: "Sequence[Message]", last_turn: int) -> Iterator[RenderableType]:
    """The raw log."""
    if not found:
        yield Text("No messages.", style="dim")
        return
    for message in found:
        yield _message(message)
    if found[-1].turn < last_turn:
        yield Text(f"More: --first {found[-1].turn + 1}", style="dim")


def _message(message: "Message") -> RenderableType:
    marks = [
        *(["taken back"] if message.retracted else []),
        *([f"in place of {message.in_place_of}"] if message.in_place_of else []),
    ]
    aside = "".join(f" · {mark}" for mark in marks)
    who = message.role if message.name is None else f"{message.name} ({message.role})"
    head = Text.assemble((f"{message.turn:>4}  ", "bold"), (who, "magenta"), " · ", when(message.at), (aside, "yellow"))
    words = searchable_text(message.content) or "(no text)"
    return Group(head, _indented(Text(words, style="dim" if message.retracted else ""), 6))


def arc(told: "Arc[Episode]") -> Iterator[RenderableType]:
    """The story of a conversation."""
    thirds = {"beginning": told.beginning, "middle": told.middle, "end": told.end}
    if not any(thirds.values()):
        yield Text("No milestones yet.", style="dim")
        return
    for name, episodes in thirds.items():
        yield Text(name, style="bold")
        for episode in episodes:
            yield _indented(_episode(episode, key=episode in told.key_moments))


def _episode(episode: "Episode", *, key: bool) -> Text:
    found = episode.milestone
    turns = f"{found.first_turn}" if found.first_turn == found.last_turn else f"{found.first_turn}-{found.last_turn}"
    title = " ".join(found.title.split())
    star = ("★ ", "yellow") if key else ("  ", "")
    return Text.assemble(star, (f"{found.type}, ", "cyan"), (f"turn {turns}: ", "dim"), title)


# A talk


def greeting(conversation: "Conversation", proposals: "Sequence[tuple[int, Consent]]") -> Iterator[RenderableType]:
    """How a talk begins."""
    so_far = f", {conversation.last_turn} turns so far" if conversation.last_turn else ""
    yield Text(f"Thread {conversation.thread_id}{so_far}. /help lists the commands, Ctrl-D ends.", style="dim")
    yield from _proposals(proposals)


def problem(text: str) -> Iterator[RenderableType]:
    """What is wrong with a line."""
    yield Text(text, style="red")


def turn(done: "Turn", *, with_model: bool) -> Iterator[RenderableType]:
    """The reply, or the context instead of it; below it what was recalled and what was learned."""
    if done.reply is not None:
        yield Text.assemble(("assistant › ", "bold cyan"), done.reply)
    elif with_model:
        yield Text(f"No reply: {done.problem}", style="red")
    else:
        yield Text(f"No model is configured. It would have been sent {_size(done.context)}:", style="dim")
        yield from (_indented(line) if line else line for line in _context(done.context))
    for warning in done.context.warnings:
        yield _indented(Text(f"warning: {warning}", style="yellow"))
    yield from (_indented(_recalled("recalled", hit)) for hit in done.recalled)
    yield from (_indented(Text.assemble(("perhaps: ", "blue"), short(each.text))) for each in done.more)
    yield from (_indented(_learned(each)) for each in done.learned)
    if done.waits:
        yield _indented(Text(f"learning: {done.waits}", style="yellow"))
    yield from _proposals(done.proposals)
    yield Text()


def _size(context: "Context") -> str:
    share = context.stable_prefix / max(1, len(context.text))
    return f"{context.tokens} tokens, {share:.0%} of it stable"


def _context(context: "Context") -> Iterator[Text]:
    """The lines of its text, the headings standing out from it and the fences standing back."""
    for line in context.text.rstrip().split("\n"):
        yield Text(line, style="bold" if line.startswith("#") else "dim" if line in (OPENING, CLOSING) else "")


def last_context(context: "Context | None") -> Iterator[RenderableType]:
    """What the model was sent, or would have been."""
    if context is None:
        yield Text("Nothing was asked yet.", style="dim")
        return
    yield from _context(context)
    yield Text(_size(context), style="dim")


def quoted(memory: "Memory") -> str:
    """A memory as it is put into a context: who said it when, if it is a message."""
    if memory.kind != "turn":
        return " ".join(memory.content.split())
    speaker = memory.provenance.speaker or memory.provenance.role or "user"
    return f"{memory.happened_at:%Y-%m-%d}, {speaker}: {' '.join(mask(memory.content).split())}"


def _recalled(label: str, hit: "Hit") -> Text:
    return Text.assemble((f"{label}: ", "blue"), (f"{hit.score:.2f}  ", "dim"), short(quoted(hit.memory)))


def _learned(each: "Learned") -> Text:
    named = each.text if each.key is None else f"{each.key} = {each.text}"
    before = f" (was {each.before})" if each.before else ""
    return Text.assemble((f"{each.what}: ", _LABELS.get(each.what, "red")), short(named + before, _LINE))


def _proposals(proposals: "Iterable[tuple[int, Consent]]") -> Iterator[RenderableType]:
    for number, each in proposals:
        asked = f"{each.key} = {each.value}? ({each.reason}) /yes {number} or /no {number}"
        yield _indented(Text.assemble(("proposed: ", "magenta"), asked))


def decided(consent: "Consent", learned: "Sequence[Learned]") -> Iterator[RenderableType]:
    """What became of a proposal."""
    yield Text(f"{consent.key} = {consent.value}: {consent.status}")
    yield from (_indented(_learned(each)) for each in learned)
