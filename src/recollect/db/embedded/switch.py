"""The last step of a major upgrade: the new data directory takes the old one's name.

Two renames cannot be one, so the plan is on disk first, and whoever comes after a crash finishes it.

    DATA_DIR/postgres/
        upgrade/             while an upgrade is under way
            plan.json
            dump/            roles.sql, and one file for each database
            new/             the data directory in the making
        data-16-TIME/        afterwards: the old data directory
        dump-16-TIME/        and the dump
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from recollect.db.embedded.cluster import major_of
from recollect.db.embedded.place import Place, remove_tree, sync_folder, write_private
from recollect.db.embedded.problems import unavailable


@dataclass(frozen=True)
class Plan:
    """What an upgrade has reached. Written when the dump is whole, and again when the restore is."""

    old: int
    new: int
    stamp: str  # when it began, for the names of what is kept
    checkpoint: str  # where the old data ended; it moves when anybody opens them again
    rows: dict[str, dict[str, int]]  # database → table → rows
    restored: bool = False

    def kept_data(self, place: Place) -> Path:
        return place.home / f"data-{self.old}-{self.stamp}"

    def kept_dump(self, place: Place) -> Path:
        return place.home / f"dump-{self.old}-{self.stamp}"


def read_plan(place: Place) -> Plan | None:
    """The plan of an upgrade that did not end."""
    try:
        return Plan(**json.loads((place.upgrade / "plan.json").read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (TypeError, ValueError) as error:
        raise unavailable(f"{place.upgrade / 'plan.json'} is damaged; remove {place.upgrade}") from error


def write_plan(place: Place, plan: Plan) -> None:
    """Keep the plan, on disk before the next step is taken."""
    write_private(place.upgrade / "plan.json", json.dumps(asdict(plan), indent=2) + "\n", place.account)


def finish_switch(place: Place) -> Plan | None:
    """End a switch that a crash interrupted. One that had not begun is left to `upgrade_major`."""
    plan = read_plan(place)
    if plan is None or major_of(place.data) == plan.old:
        return None
    if not plan.restored:
        raise unavailable(f"{place.data} is gone while its upgrade was under way; put it back from a copy")
    return switch(place, plan)


def switch(place: Place, plan: Plan) -> Plan:
    """Put the new data in the old ones' place; every step may already have been taken."""
    new, dump = place.upgrade / "new", place.upgrade / "dump"
    if new.exists():
        if place.data.exists():
            place.data.rename(plan.kept_data(place))
            sync_folder(place.home)
        new.rename(place.data)
        sync_folder(place.home)
    if dump.exists():
        dump.rename(plan.kept_dump(place))
        sync_folder(place.home)
    remove_tree(place.upgrade)
    return plan
