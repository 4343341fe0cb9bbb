"""`recollect chat`, a talk in the terminal that shows what is recalled and learned, and `recollect context`."""

import sys
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast
from uuid import UUID

import typer

from recollect.cli.command import Call, command
from recollect.cli.lines import typed_lines
from recollect.cli.memories import After, Wait
from recollect.cli.output import visible
from recollect.cli.threads import find_chat
from recollect.core.errors import InvalidInput, RecollectError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from recollect.cli.learned import Learned
    from recollect.context.bullets import Bullet
    from recollect.conversation.model import Message
    from recollect.memory import Chat, Context, Recollect
    from recollect.profile.model import Consent
    from recollect.retrieval.search import Hit

app = typer.Typer()

DEFAULT_THREAD = "chat"
COMMANDS = {
    "/profile": "what is known of you",
    "/pending": "statements that wait to be corroborated",
    "/context": "the last context in full",
    "/yes N, /no N": "take or refuse proposal N",
    "/help": "these lines",
    "/quit": "end, as Ctrl-D does",
}
_MORE = 3
_MORE_TOKENS = 8_000
_MORE_HEAD = "Perhaps related; nothing in memory was sure to be:"
_WAITS = 5  # times two seconds for what was said to be understood; what takes longer is shown a turn later

Tokens = Annotated[int | None, typer.Option(help="The context's budget, if other than the setting.")]
System = Annotated[str | None, typer.Option(help="A system prompt, at the head of the context.")]


class Format(StrEnum):
    """How a context is printed."""

    TEXT = "text"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"


@command(app, "chat")
async def chat(call: Call, tokens: Tokens = None, system: System = None) -> None:
    """Talk, and see what is recalled and learned; without a language model, what one would be sent."""
    _check_tokens(tokens)
    async with call.memory(worker=True) as opened:
        talking = await _chat(call, opened, call.thread or DEFAULT_THREAD)
        if talking.conversation.status != "active":
            await talking.resume()
        await Talk(call, opened, talking, tokens, system).run()


def _check_tokens(tokens: int | None) -> None:
    """A budget that no turn could keep is refused before the first."""
    from recollect.flows.converse import LEAST_TOKENS

    if tokens is not None and tokens < LEAST_TOKENS:
        raise InvalidInput("tokens", f"must be at least {LEAST_TOKENS}")


@command(app, "context")
async def context(
    call: Call,
    question: Annotated[str, typer.Argument(help="What is asked next.", show_default=False)],
    tokens: Tokens = None,
    system: System = None,
    extra: Annotated[list[str] | None, typer.Option(help="A text that is to be in it too; may be repeated.")] = None,
    after: After = None,
    wait: Wait = "searchable",
    ack: Annotated[bool, typer.Option("--ack", help="Say that the updates at its head were read.")] = False,
    format: Annotated[
        Format, typer.Option(help="As text, or as the messages of a chat model; --json has them all.")
    ] = Format.TEXT,
) -> None:
    """Print what a model should know to answer a question in a conversation."""
    async with call.memory() as opened:
        chat = await _chat(call, opened, call.thread)
        waiting = cast("Literal['searchable', 'understood']", wait)
        built = await chat.context(question, tokens=tokens, system=system, extra=extra or (), after=after, wait=waiting)
        if ack:
            await built.ack()
    if call.json:
        from recollect.wire.answers import sent

        call.out.line(sent(built), indent=2)
        return
    rendered = _rendered(built, format)
    if isinstance(rendered, str):
        typer.echo(visible(rendered))  # a console would touch tabs
    else:
        call.out.line(rendered, indent=2)
    for warning in built.warnings:
        call.out.remark(f"recollect: {warning}")


def _rendered(built: "Context", format: Format) -> Any:
    match format:
        case Format.OPENAI:
            return built.to_openai()
        case Format.ANTHROPIC:
            return built.to_anthropic()
        case Format.TEXT:
            return built.text


def _summary(built: "Context") -> dict[str, Any]:
    """A context without its text and what it recalled."""
    return {
        "tokens": built.tokens,
        "stable_prefix": built.stable_prefix,
        "warnings": built.warnings,
        "recall_advised": built.recall_advised,
    }


async def _chat(call: Call, opened: "Recollect", thread: str | None) -> "Chat":
    """The conversation of a thread, begun if it is new."""
    memory = call.scope(opened)
    found = None if thread is None else await find_chat(opened, memory, thread)
    return found or await memory.conversation(thread)


@dataclass(frozen=True, slots=True)
class Turn:
    """What came of one line."""

    turn: int
    said: str
    reply: str | None
    problem: str | None
    """Why there is no reply, where a model was asked."""
    context: "Context"
    recalled: "Sequence[Hit]"
    more: "Sequence[Bullet]"
    """What a search without a threshold found, where the context itself recalled nothing."""
    learned: "Sequence[Learned]"
    waits: str | None
    """Why what was said may not have been learned from yet."""
    proposals: "Sequence[tuple[int, Consent]]"

    def as_json(self) -> dict[str, Any]:
        """The turn as one object."""
        proposals = [{"number": number, "proposal": proposal} for number, proposal in self.proposals]
        return {
            "turn": self.turn,
            "said": self.said,
            "reply": self.reply,
            "problem": self.problem,
            "context": {"text": self.context.text, **_summary(self.context)},
            "recalled": self.recalled,
            "more": self.more,
            "learned": self.learned,
            "waits": self.waits,
            "proposals": proposals,
        }


class Talk:
    """A conversation at the terminal."""

    def __init__(self, call: Call, opened: "Recollect", chat: "Chat", tokens: int | None, system: str | None) -> None:
        from recollect.cli.learned import Watcher

        self._call = call
        self._opened = opened
        self._chat = chat
        self._memory = call.scope(opened)
        self._options: dict[str, Any] = {"tokens": tokens, "system": system}
        self._watcher = Watcher(opened, self._memory)
        self._numbers: dict[UUID, int] = {}
        self._last: Context | None = None
        model = opened.parts.model
        self._model = model if model is not None and model.name("reply") is not None else None

    async def run(self) -> None:
        """Until the input ends, or `/quit`."""
        from recollect.cli import show_talk

        await self._watcher.start()
        proposals = await self._proposals()
        if not self._call.json:
            self._tell(None, show_talk.greeting(self._chat.conversation, proposals))
        async with aclosing(typed_lines(self._ask)) as lines:
            async for line in _spoken(lines):
                if line == "/quit":
                    return
                self._echo(line)
                try:
                    await (self._command(line) if line.startswith("/") else self._turn(line))
                except InvalidInput as error:
                    self._tell({"problem": str(error)}, show_talk.problem(str(error)))
        if self._at_terminal:
            self._call.out.console.print()

    @property
    def _at_terminal(self) -> bool:
        return not self._call.json and sys.stdin.isatty()

    def _ask(self) -> None:
        if self._at_terminal:
            self._call.out.console.print("you › ", style="bold", end="")

    def _echo(self, line: str) -> None:
        """What was piped in is shown, as it would stand there if it had been typed."""
        if not self._call.json and not self._at_terminal:
            readable = line.encode("utf-8", "replace").decode()
            self._call.out.console.print(f"you › {readable}", style="bold", soft_wrap=True)

    def _tell(self, value: Any, parts: "Iterable[RenderableType]") -> None:
        if self._call.json:
            self._call.out.line(value)
        else:
            for part in parts:
                self._call.out.console.print(part)

    # A turn

    async def _turn(self, line: str) -> None:
        from recollect.cli import show_talk

        said = await self._chat.add("user", line)
        built, more = await self._context(said, line)
        reply, problem = await self._reply(built)
        if reply is not None:
            await self._chat.add("assistant", reply)
        waits = await self._understood(said)
        turn = Turn(
            said.turn,
            line,
            reply,
            problem,
            built,
            built.hits,
            more,
            await self._watcher.news(),
            waits,
            await self._proposals(),
        )
        self._last = built
        self._tell(turn.as_json(), show_talk.turn(turn, with_model=self._model is not None))

    async def _context(self, said: "Message", line: str) -> "tuple[Context, list[Bullet]]":
        """The context; where it recalls nothing, one query looks for what is at least near."""
        from recollect.understanding.fence import fenced

        built = await self._chat.context(line, after=said.watermark, **self._options)
        more = await self._more(said, line) if built.recall_advised else []
        if not more:
            return built, []
        found = "\n".join(f"- {' '.join(each.text.split())}" for each in more)
        return await self._chat.context(line, extra=[f"{_MORE_HEAD}\n{fenced(found)}"], **self._options), more

    async def _more(self, said: "Message", line: str) -> "list[Bullet]":
        """The nearest memories without a threshold; not what the context shows without being asked."""
        from recollect.context.bullets import Whole
        from recollect.context.gather import is_shown
        from recollect.conversation.service import get

        window = min(said.turn, self._opened.settings.window_most)
        near = await self._memory.query(line, top_k=_MORE + window, return_="full", budget_tokens=_MORE_TOKENS)
        here = await get(self._opened.parts.database, self._chat.conversation)
        found = [(each, each.memory) for each in near if isinstance(each, Whole) and each.memory is not None]
        new = [each for each, memory in found if memory.kind != "profile" and not is_shown(memory, here)]
        return list(new[:_MORE])

    async def _reply(self, built: "Context") -> tuple[str | None, str | None]:
        """What the model says, or why it does not."""
        if self._model is None:
            return None, None
        from recollect.cli.reply import reply_to
        from recollect.governance.spend import paid_by

        try:
            with self._call.out.waiting("Thinking"), paid_by(self._memory.scope.space):
                return await reply_to(self._model, built.text), None
        except RecollectError as error:
            return None, str(error)

    async def _understood(self, said: "Message") -> str | None:
        """Give what was said a while to be learned from; why it was not, if so."""
        from recollect.conversation.model import Watermark
        from recollect.flows.waiting import wait_for

        mark, waits = Watermark.parse(said.watermark), None
        with self._call.out.waiting("Learning"):
            for _ in range(_WAITS):
                waits = await wait_for(self._opened.parts, self._memory.scope, mark, "understood")
                if waits is None:
                    break
        return waits

    async def _proposals(self) -> "list[tuple[int, Consent]]":
        """Open proposals, each with the number that it keeps for as long as the talk lasts."""
        waiting = await self._memory.consents()
        return [(self._numbers.setdefault(each.id, len(self._numbers) + 1), each) for each in waiting]

    # Commands

    async def _command(self, line: str) -> None:
        from recollect.cli import show_talk

        name, _, rest = line.partition(" ")
        match name:
            case "/profile":
                facts = await self._memory.profile()
                self._tell({"profile": facts}, show_talk.profile(facts))
            case "/pending":
                waiting = await self._memory.pending()
                self._tell({"pending": waiting}, show_talk.pending(waiting))
            case "/context":
                text = None if self._last is None else self._last.text
                self._tell({"context": text}, show_talk.last_context(self._last))
            case "/yes" | "/no":
                await self._decide(rest, accept=name == "/yes")
            case "/help":
                self._tell({"commands": COMMANDS}, [show_talk.rows(COMMANDS.items())])
            case _:
                raise InvalidInput("command", f"{name} is none; /help lists them")

    async def _decide(self, number: str, *, accept: bool) -> None:
        from recollect.cli import show_talk

        open_now = {str(number): proposal for number, proposal in await self._proposals()}
        if number.strip() not in open_now:
            raise InvalidInput("number", f"there is no open proposal {number.strip() or 'without a number'}")
        decided = await self._memory.decide(open_now[number.strip()].id, accept=accept)
        learned = await self._watcher.news()
        self._tell({"decided": decided, "learned": learned}, show_talk.decided(decided, learned))


async def _spoken(lines: AsyncIterator[str]) -> AsyncIterator[str]:
    """Lines that say something."""
    async for line in lines:
        if line.strip():
            yield line.strip()
