"""`recollect calibrate`: thresholds for an embedder that ships without them."""

from typing import Annotated

import typer

from recollect.cli.command import Call, command

app = typer.Typer()


@command(app, "calibrate", scope=False, without=("database_url",))
async def calibrate(
    call: Call,
    embedder: Annotated[str | None, typer.Option(help="The embedder, if another than the configured one.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the thresholds.")] = False,
) -> None:
    """Measure the configured embedder, so that thresholds mean the same for it as for ours."""
    from recollect.providers import calibration
    from recollect.providers.embedding import make_embedder

    settings = call.settings(embedder=embedder)
    model = make_embedder(settings)
    try:
        with call.out.waiting("Measuring"):
            await model.ready()
            found = await calibration.calibrate(model)
    finally:
        await model.close()
    file = None if dry_run else calibration.save(found, settings.data_dir)
    shown = [calibration.to_toml(found).rstrip(), *([] if file is None else [f"Written to {file}"])]
    call.out.answer({"calibration": found, "file": file}, lambda: shown)
