"""What all commands share: the options that say where the memory is and whose, and how a command is run.

Nothing heavy is imported here or in the modules of the commands: `recollect --help` has to be quick. What a
command works with is imported when it runs, by `Call.memory` and `Call.database` for most of them.
"""

import asyncio
import inspect
import re
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, ParamSpec, cast

import typer
from typer.models import ArgumentInfo

from recollect.cli.exits import TERMINATED
from recollect.cli.output import Output
from recollect.core.errors import InvalidInput

if TYPE_CHECKING:
    from recollect.core.scope import Sensitivity
    from recollect.core.settings import Settings
    from recollect.db.bootstrap import Opened
    from recollect.memory import Recollect, ScopedMemory

DEFAULT_USER = "me"

P = ParamSpec("P")
Body = Callable[Concatenate["Call", P], Coroutine[Any, Any, None]]


def _option(*names: str, help: str, panel: str, **more: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=panel, **more)


_WHOSE, _WHERE = "Whose memory", "Where, and how to answer"


@dataclass(frozen=True)
class Call:
    """What a command was told beside its own arguments."""

    user: Annotated[
        str | None,
        _option(
            "--user", "-u", envvar="RECOLLECT_USER", panel=_WHOSE, help=f"The user; {DEFAULT_USER!r} if not given."
        ),
    ] = None
    project: Annotated[
        str | None, _option("--project", "-p", panel=_WHOSE, help="The project whose space is written, and read too.")
    ] = None
    agent: Annotated[
        str | None, _option("--agent", panel=_WHOSE, help="The agent that acts; alone, its own space.")
    ] = None
    thread: Annotated[str | None, _option("--thread", "-t", panel=_WHOSE, help="The conversation's thread.")] = None
    run: Annotated[str | None, _option("--run", panel=_WHOSE, help="The run of the agent that acts.")] = None
    team: Annotated[
        list[str] | None, _option("--team", panel=_WHOSE, help="A team whose space is read too; may be repeated.")
    ] = None
    sensitivity: Annotated[
        str, _option("--sensitivity", panel=_WHOSE, help="The most sensitive memories to be seen: low, normal or high.")
    ] = "normal"
    data_dir: Annotated[
        Path | None, _option("--data-dir", panel=_WHERE, help="Folder of the embedded PostgreSQL and of local files.")
    ] = None
    database_url: Annotated[
        str | None, _option("--database-url", panel=_WHERE, help="PostgreSQL to use instead; the owner's URL.")
    ] = None
    json: Annotated[bool, _option("--json", panel=_WHERE, help="Answer in JSON, and with nothing else on stdout.")] = (
        False
    )

    @cached_property
    def out(self) -> Output:
        """Where the answer goes."""
        return Output(self.json)

    def settings(self, **more: Any) -> "Settings":
        """The settings, with what the command line says put first."""
        from recollect.core.settings import load_settings

        return load_settings(data_dir=self.data_dir, database_url=self.database_url, **more)

    @asynccontextmanager
    async def memory(self, *, worker: bool = False, **settings: Any) -> "AsyncIterator[Recollect]":
        """The memory, open. Background work is done only where the command asks for it."""
        from recollect.memory import Recollect

        given = {"data_dir": self.data_dir, "database_url": self.database_url, **settings}
        async with Recollect.open(worker=worker, **given) as opened:
            yield opened

    @asynccontextmanager
    async def scoped(self, *, worker: bool = False) -> "AsyncIterator[ScopedMemory]":
        """The memory as the user, project or agent of the command line sees it."""
        async with self.memory(worker=worker) as opened:
            yield self.scope(opened)

    @asynccontextmanager
    async def database(self) -> "AsyncIterator[Opened]":
        """The database alone, whichever model filled it."""
        from recollect.db.bootstrap import open_database

        opened = await open_database(self.settings())
        try:
            yield opened
        finally:
            await opened.close()

    def scope(self, opened: "Recollect") -> "ScopedMemory":
        """The scope that the command line names."""
        return opened.scope(
            self.who,
            self.project,
            self.agent,
            self.run,
            self.thread,
            tuple(self.team or ()),
            cast("Sensitivity", self.sensitivity),
        )

    @property
    def who(self) -> str | None:
        """The user; an agent named alone acts in a space of its own."""
        if self.user is not None:
            return self.user
        alone = self.agent is not None and self.project is None
        return None if alone else DEFAULT_USER


_SCOPE = ("user", "project", "agent", "thread", "run", "team", "sensitivity")


def command(
    app: typer.Typer, name: str, *, scope: bool = True, without: tuple[str, ...] = ()
) -> Callable[[Body[P]], Body[P]]:
    """Add a command to an app. Its first parameter is the `Call`, whose options all commands share."""
    left_out = {*without, *(() if scope else _SCOPE)}

    def add(body: Body[P]) -> Body[P]:
        app.command(name)(_with_options(body, left_out))
        return body

    return add


def when_alone(app: typer.Typer, *, scope: bool = True, without: tuple[str, ...] = ()) -> Callable[[Body[P]], Body[P]]:
    """What a group of commands does when none of them is named. Its first parameter is the `Call`."""
    left_out = {*without, *(() if scope else _SCOPE)}

    def add(body: Body[P]) -> Body[P]:
        alone = _with_options(body, left_out)

        def run(context: typer.Context, **values: Any) -> None:
            if context.invoked_subcommand is None:
                alone(**values)
            else:
                _refuse_options_before(context)

        signature = inspect.signature(alone)
        context = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
        run.__signature__ = signature.replace(parameters=[context, *signature.parameters.values()])  # type: ignore[attr-defined]
        run.__annotations__ = {"context": typer.Context, **alone.__annotations__}
        run.__doc__ = body.__doc__
        app.callback(invoke_without_command=True)(run)
        return body

    return add


def _refuse_options_before(context: typer.Context) -> None:
    """An option before the command's name would be lost in silence."""
    for name in context.params:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            option = "--" + name.replace("_", "-")
            raise typer.BadParameter(f"{option} goes after '{context.invoked_subcommand}'")


def _with_options(body: Callable[..., Coroutine[Any, Any, None]], left_out: set[str]) -> Callable[..., None]:
    """A plain function that has the body's own parameters and those of the call.

    A parameter of the body that is a dataclass is a group of options: it has its fields instead.
    """
    own = list(inspect.signature(body).parameters.values())[1:]
    groups: dict[str, Any] = {
        parameter.name: parameter.annotation for parameter in own if is_dataclass(parameter.annotation)
    }
    shared = [field for field in fields(Call) if field.name not in left_out]

    def run(**values: Any) -> None:
        call = Call(**{field.name: values.pop(field.name) for field in shared})
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        # A program knows the names of the verbs' arguments, a person what was typed.
        with nullcontext() if call.json else _as_typed(ordered):
            run_until_done(body(call, **values))

    alone = [parameter for parameter in own if parameter.name not in groups]
    grouped = [field for group in groups.values() for field in fields(group)]
    ordered = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in alone] + [
        inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=field.type)
        for field in (*grouped, *shared)
    ]
    run.__signature__ = inspect.Signature(ordered)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in ordered}
    run.__doc__, run.__name__, run.__module__ = body.__doc__, body.__name__, body.__module__
    return run


@contextmanager
def _as_typed(parameters: Sequence[inspect.Parameter]) -> Iterator[None]:
    """Errors name a field as the person typed it: --min-importance, not min_importance."""
    try:
        yield
    except InvalidInput as error:
        typed = _option_of(error.field, parameters)
        if typed is None:
            raise
        raise InvalidInput(typed, error.problem) from error


def _option_of(field: str, parameters: Sequence[inspect.Parameter]) -> str | None:
    """The option or argument that a field came from, and what within it; None where there is none."""
    head, rest = _INSIDE.fullmatch(field).groups()  # type: ignore[union-attr]  # it matches any text
    found = [parameter for name in _names(head) for parameter in parameters if parameter.name == name]
    return typed_name(found[0]) + rest.replace(".", " ", 1) if found else None


def _names(field: str) -> Iterator[str]:
    """What the parameter for a field may be called."""
    # Where every command has an option of that name, which means the scope, that of one command has a longer one.
    yield from (f"new_{field}", f"by_{field}", field)
    yield from (field.removesuffix("_id"), field.removesuffix("_ids"), field.removesuffix("s"), f"{field}s")
    if field.endswith("_id"):
        yield "id"


def typed_name(parameter: inspect.Parameter) -> str:
    """An option with its dashes, or an argument by its name."""
    [info] = parameter.annotation.__metadata__
    if isinstance(info, ArgumentInfo):
        return parameter.name
    # In an annotation Typer takes the first name for a default, and knows better later.
    names = [name for name in (info.default, *(info.param_decls or ())) if isinstance(name, str)]
    declared = [name.partition("/")[0] for name in names if name.startswith("--")]
    return declared[0] if declared else "--" + parameter.name.replace("_", "-")


_INSIDE = re.compile(r"([^.\[]*)(.*)", re.DOTALL)


def run_until_done(work: Awaitable[None]) -> None:
    """Run a command; SIGTERM lets it put things in order, as Ctrl-C does."""
    try:
        asyncio.run(_cancelled_by_sigterm(work))
    except asyncio.CancelledError:
        raise typer.Exit(TERMINATED) from None


async def _cancelled_by_sigterm(work: Awaitable[None]) -> None:
    task = asyncio.current_task()
    assert task is not None
    with suppress(NotImplementedError, RuntimeError, ValueError):  # not in the main thread, or not on this system
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    await work
