"""How a command ends: one clear line instead of a traceback, and a number that scripts can rely on.

| code | meaning |
|---|---|
| 0 | done |
| 1 | failed, for another reason than those below; or `db doctor` found something broken |
| 2 | the command line, or a value that was given, is wrong; the message names it |
| 3 | there is no such thing |
| 4 | somebody else was first, or is in the way |
| 5 | a part that is needed does not answer |
| 6 | the database was filled with another embedding model |
| 7 | not allowed |
| 130, 143 | stopped by Ctrl-C, by SIGTERM |
| 141 | whoever read the output has gone |

With `--json` the line is the same problem that a server answers with: its `title` is the error's class.
"""

import json
import logging
import os
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from recollect.cli.output import visible
from recollect.cli.words import VERBS
from recollect.core.errors import (
    Conflict,
    InvalidInput,
    ModelMismatch,
    NotAllowed,
    NotFound,
    RecollectError,
    Unavailable,
)
from recollect.wire.problems import problem_of

FAILED = 1
INTERRUPTED = 130
TERMINATED = 143
BROKEN_PIPE = 141

CODES: dict[type[RecollectError], int] = {
    InvalidInput: 2,
    NotFound: 3,
    Conflict: 4,
    Unavailable: 5,
    ModelMismatch: 6,
    NotAllowed: 7,
}


def code_of(error: RecollectError) -> int:
    """The exit code that stands for an error."""
    return next((code for kind, code in CODES.items() if isinstance(error, kind)), FAILED)


def quiet_libraries() -> None:
    """What libraries remark on while they tidy up is nothing to a person at a terminal."""
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)


# Typer exports only what lies below it.
_UsageError: Any = typer.BadParameter.__mro__[1]
_JSON = "--json"


class Guarded(TyperGroup):
    """The group of all commands. What goes wrong in any of them is told here, and nowhere else."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by its own name, or by the verb's that it does, with dashes or as Python has it."""
        name = cmd_name.replace("_", "-")
        found: Any = self
        for word in VERBS.get(name, (name,)):
            found = found.commands.get(word)
        return found

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named."""
        quiet_libraries()
        tell = _tell_as_json if _JSON in ctx.args else _tell
        try:
            return super().invoke(ctx)
        except RecollectError as error:
            tell(error)
            raise typer.Exit(code_of(error)) from error
        except _UsageError as error:
            if tell is _tell:
                raise  # Typer shows how the command is used
            tell(_of_usage(error))
            raise typer.Exit(CODES[InvalidInput]) from error
        except BrokenPipeError as error:
            _drop_output()
            raise typer.Exit(BROKEN_PIPE) from error
        except OSError as error:
            tell(RecollectError(_of_system(error)))
            raise typer.Exit(FAILED) from error
        except KeyboardInterrupt as error:
            tell(RecollectError("interrupted"))
            raise typer.Exit(INTERRUPTED) from error


def _tell(error: RecollectError) -> None:
    print(f"recollect: {visible(' '.join(str(error).split()))}", file=sys.stderr)


def _tell_as_json(error: RecollectError) -> None:
    print(json.dumps(problem_of(error), ensure_ascii=False), file=sys.stderr)


def _of_usage(error: Any) -> InvalidInput:
    """A command line that cannot be read, by the argument or option that is wrong."""
    if (parameter := getattr(error, "param", None)) is not None:
        return InvalidInput(parameter.name, error.message or "is missing")
    option = getattr(error, "option_name", "").lstrip("-").replace("-", "_")
    return InvalidInput(option or "arguments", error.format_message())


def _of_system(error: OSError) -> str:
    name = f"{error.filename}: " if error.filename else ""
    return f"{name}{error.strerror or error}"


def _drop_output() -> None:
    """Python would try to write the rest at its end, and complain once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
