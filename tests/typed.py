"""How a verb is typed: its command, the options that its arguments have, and a whole command line for a call of it."""

import inspect
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

import typer.main

from recollect.cli import app, words
from recollect.flows import remember
from recollect.memory import Chat, Context, Recollect, ScopedMemory
from recollect.records import changes, filters
from recollect.wire.verbs import Verb

# A verb's command, where it is not called as the verb is (with a dash where the verb has an underscore).
COMMANDS = {
    "Recollect.backup": "db backup",
    "Recollect.restore": "db restore",
    "Context.ack": "context",
}

# An argument's option, where it is called otherwise.
OPTIONS = {
    "ScopedMemory.add": {"tags": "tag"},
    "ScopedMemory.add_many": {"memories": "file"},
    "ScopedMemory.add_note": {"id": "node"},
    "ScopedMemory.chunk_history": {"source_id": "source"},
    "ScopedMemory.conversation": {"thread_id": "thread"},
    "ScopedMemory.get_conversation": {"thread_id": "thread"},
    "ScopedMemory.create_active": {"sections": "section"},
    "ScopedMemory.delete_all": {"agent": "by_agent"},
    "ScopedMemory.get_all": {"agent": "by_agent"},
    "ScopedMemory.guide": {
        "profile_keys": "profile_key",
        "entity_types": "entity_type",
        "relation_types": "relation_type",
    },
    "ScopedMemory.import_lines": {"lines": "file"},
    "ScopedMemory.ingest": {
        "raw": "paths",
        "source_type": "type",
        "participants": "participant",
        "started_at": "started",
        "ended_at": "ended",
        "context_type": "context",
        "ttl_policy": "ttl",
        "team_id": "team",
    },
    "ScopedMemory.leave_team": {"team_id": "team"},
    "ScopedMemory.match": {"pattern": "chain"},
    "ScopedMemory.merge": {"a_id": "a", "b_id": "b"},
    "ScopedMemory.notes": {"id": "node"},
    "ScopedMemory.path": {"a_id": "a", "b_id": "b"},
    "ScopedMemory.query": {"return_": "full"},
    "ScopedMemory.relate": {"a_id": "a", "b_id": "b"},
    "ScopedMemory.relations": {"id": "node"},
    "ScopedMemory.save_checkpoint": {"state": "file"},
    "ScopedMemory.search": {"agent": "by_agent"},
    "ScopedMemory.search_many": {"agent": "by_agent"},
    "ScopedMemory.traverse": {"node_id": "node"},
    "ScopedMemory.update": {"tags": "tag", "sensitivity": "new_sensitivity"},
    "Recollect.make_key": {
        "user_id": "user",
        "project_id": "project",
        "agent_id": "agent",
        "team_ids": "team",
    },
    "Chat.add_many": {"messages": "file"},
}
# Everywhere: an id that the verb calls by what it is of is an argument `id`.
IDS = ("active_id", "consent_id", "conversation_id", "replay_id", "review_id", "source_id", "tombstone_id")

# What no option is for.
WITHOUT = {
    "progress": "a bar is drawn",
    "timing": "an object that is filled in",
    "min_level": "min_importance says the same; `query --filter` has D's levels",
    "max_level": "likewise",
    "user": "--user and --actor name one",
}
OTHER_DEFAULTS = {
    "ScopedMemory.ingest source_type": "a file says what it is",
    "ScopedMemory.nodes kind": "a name may be anything's",
    "ScopedMemory.query return_": "--full, or not",
}
NO_COMMAND = {"Recollect.close": "a command closes what it opened"}

# What verbs take by name without saying so in their signatures.
_FILTERS = set(filters._CHECKS)
_ASKED = {"threshold", "context", "weights"}
MORE = {
    "ScopedMemory.add": remember._FIELDS,
    "ScopedMemory.search": _FILTERS | _ASKED,
    "ScopedMemory.search_many": _FILTERS | _ASKED | {"limit"},
    "ScopedMemory.get_all": _FILTERS,
    "ScopedMemory.delete_all": _FILTERS,
    "ScopedMemory.update": set(changes._CHECKS),
}


CLASSES: dict[str, type] = {each.__name__: each for each in (Recollect, ScopedMemory, Chat, Context)}


def verbs() -> Iterator[str]:
    """The public verbs: what is awaited, or iterated without end."""
    for owner, members in CLASSES.items():
        for name, value in vars(members).items():
            if not name.startswith("_") and (inspect.iscoroutinefunction(value) or inspect.isasyncgenfunction(value)):
                yield f"{owner}.{name}"


def _parameters_of(verb: str) -> list[inspect.Parameter]:
    owner, name = verb.split(".")
    parameters = inspect.signature(vars(CLASSES[owner])[name]).parameters.values()
    return [each for each in parameters if each.kind is not each.VAR_KEYWORD and each.name != "self"]


def arguments_of(verb: str) -> set[str]:
    return {*(each.name for each in _parameters_of(verb)), *MORE.get(verb, ())}


def defaults_of(verb: str) -> dict[str, Any]:
    """What an argument is that is not given, where the signature says so."""
    return {each.name: each.default for each in _parameters_of(verb) if each.default is not each.empty}


def option_of(verb: str, argument: str) -> Any:
    """The option or argument of the verb's command; None where there is none."""
    parameters = {each.name: each for each in commands()[command_of(verb)].params}
    alone = "id" if argument in IDS and "id" in parameters else argument
    return parameters.get(OPTIONS.get(verb, {}).get(argument, alone))


def command_of(verb: str) -> str:
    return COMMANDS.get(verb, verb.split(".")[1].replace("_", "-"))


@cache
def program() -> Any:
    """`recollect`."""
    return typer.main.get_command(app)


@cache
def commands() -> dict[str, Any]:
    """Every command by the words that are typed for it; a group that does something alone, and a verb's, too."""
    context = typer.Context(program())
    return dict(_below(program())) | {verb: program().get_command(context, verb) for verb in words.VERBS}


def _below(group: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        here = f"{path} {name}".strip()
        yield here, command
        if hasattr(command, "commands"):
            yield from _below(command, here)


# A command line for a call ------------------------------------------------------------------------------------


@dataclass
class Line:
    """What is typed, and what comes in on stdin."""

    command: str
    options: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    input: str | None = None

    @property
    def words(self) -> list[str]:
        return [*self.command.split(), *self.options, "--json", "--", *self.arguments]


_OWNERS = {"recollect": "Recollect", "memory": "ScopedMemory", "chat": "Chat"}
_SCOPE = {"user_id": "user", "project_id": "project", "agent_id": "agent", "thread_id": "thread", "team_ids": "team"}
_STDIN = "-"
# What a command does beside its verb, which its answer has nothing of, and what would never end.
_ALSO = {"ingest": ("--no-wait",), "import_lines": ("--no-wait",), "watch": ("--limit", "3")}
_PAIRS = ("weights", "sections", "names", "offered", "filters")
_ALL = "all"
_NONE_OF_THEM = ","


def line_of(verb: Verb, scope: Mapping[str, Any], given: Mapping[str, Any]) -> Line:
    """The command line that says what a call says."""
    named = f"{_OWNERS[verb.owner]}.{verb.name}"
    if verb.name == "add" and isinstance(given.get("content"), list):
        return _messages(scope, [given["content"]] if verb.owner == "memory" else [[dict(given)]])
    line = Line(command_of(named))
    parameters = {each.name: each for each in commands()[line.command].params}
    for name, value in scope.items():
        if (option := _SCOPE[name]) in parameters and not (option == "team" and verb.name == "leave_team"):
            _type(line, parameters[option], value)
    positions: dict[str, list[str]] = {}
    for name, value in given.items():
        parameter = option_of(named, name)
        if parameter is None:
            line.options += [f"--{name.replace('_', '-')}", str(value)]
        elif name in _READ:
            line.input = _READ[name](value)
            positions[parameter.name] = [_STDIN]
        elif parameter.param_type_name == "argument":
            positions[parameter.name] = _words(line, value)
        else:
            _type(line, parameter, _plain(name, value))
    line.arguments = [word for name in parameters for word in positions.get(name, ())]
    if named == "Chat.add_many":
        line.options.append("--messages")
    line.options += _ALSO.get(verb.id, ())
    return line


def _messages(scope: Mapping[str, Any], given: Sequence[Any]) -> Line:
    [messages] = given
    options = [word for name in scope for word in (f"--{_SCOPE[name]}", str(scope[name]))]
    return Line("add-many", [*options, "--messages"], [_STDIN], "\n".join(_json(each) for each in messages))


def _type(line: Line, parameter: Any, value: Any) -> None:
    """Type an option."""
    long = next(name for name in parameter.opts if name.startswith("--"))
    if isinstance(value, bool):
        line.options += [long] if value else parameter.secondary_opts
    elif value is None:
        line.options += [] if parameter.default is None else [long, _ALL]
    elif isinstance(value, list | tuple) and parameter.nargs == 1:
        line.options += [word for each in value for word in (long, str(each))]
    else:
        line.options += [long, *map(str, value if isinstance(value, tuple) else [value])]


def _words(line: Line, value: Any) -> list[str]:
    """An argument by its place."""
    if isinstance(value, str) and "\0" in value:  # no system lets one be typed
        line.input = value
        return [_STDIN]
    if isinstance(value, list):
        return [word for each in value for word in (each if isinstance(each, tuple) else [str(each)])]
    return [str(value)]


def _plain(name: str, value: Any) -> Any:
    """An option's value as it is typed."""
    if name == "return_":
        return value == "full"
    if name in _PAIRS:
        return [f"{key}={item}" for key, item in value.items()]
    if name == "changes" and not value:
        return _NONE_OF_THEM
    if isinstance(value, dict):
        return _json(value)
    return value.isoformat() if isinstance(value, datetime) else value


def _json(value: Any) -> str:
    return json.dumps(value, default=lambda each: each.isoformat() if isinstance(each, datetime) else str(each))


# What is read from stdin, and in which form.
_READ: Mapping[str, Callable[[Any], str]] = {
    "memories": _json,
    "messages": _json,
    "lines": "\n".join,
    "state": _json,
    "raw": str,
}
