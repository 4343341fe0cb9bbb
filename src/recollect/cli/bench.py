"""`recollect bench …`: handed on to `recollect.bench`, which is loaded only then."""

from importlib import import_module

import typer

from recollect.core.errors import Unavailable

app = typer.Typer()


@app.command(
    "bench",
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []},
)
def bench(context: typer.Context) -> None:
    """Measure retrieval and speed."""
    try:
        module = import_module("recollect.bench.cli")
    except ModuleNotFoundError as error:
        raise Unavailable("bench", f"is not part of this installation ({error.name} is missing)") from error
    module.app(args=context.args, prog_name="recollect bench")
