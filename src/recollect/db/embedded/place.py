"""Where the files of an embedded server lie, and how they are kept private.

DATA_DIR/postgres/       0700, ours alone
    data/                PostgreSQL's own directory
    passwords.json       0600
    server.conf          settings, written anew at each start
    server.log
    lock                 held while somebody starts, stops or upgrades the server
    running              held by the server's processes for as long as they live
    users/               one file for each process that uses the server, held by it
    .s.PGSQL.5432        the socket, unless the path is too long for one
"""

import hashlib
import json
import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from recollect.core.errors import RecollectError
from recollect.db.embedded.account import Account, account_for, let_reach
from recollect.db.embedded.locks import is_locked, open_lock
from recollect.db.embedded.problems import unavailable

_PRIVATE = 0o700
_SECRET = 0o600

# The kernel's limit is 104 bytes on macOS and 108 on Linux, with a closing zero.
_LONGEST_SOCKET = 100
_SOCKET = ".s.PGSQL.5432"

# Commas separate hosts in a URL and folders in the server's settings; rather than escape, go elsewhere.
_PLAIN_PATH = re.compile(r"[A-Za-z0-9/._+-]+")


@dataclass(frozen=True)
class Place:
    """The folder of one embedded server."""

    home: Path
    account: Account

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def config(self) -> Path:
        return self.home / "server.conf"

    @property
    def log(self) -> Path:
        return self.home / "server.log"

    @property
    def lock(self) -> Path:
        return self.home / "lock"

    @property
    def running(self) -> Path:
        return self.home / "running"

    @property
    def users(self) -> Path:
        return self.home / "users"

    @property
    def upgrade(self) -> Path:
        return self.home / "upgrade"

    @property
    def passwords(self) -> Path:
        return self.home / "passwords.json"


def find_place(data_dir: Path) -> Place:
    """The place under a data directory, without creating anything."""
    folder = data_dir.expanduser().resolve()
    home = folder / "postgres"
    return Place(home, account_for(home, folder))


def prepare_place(data_dir: Path) -> Place:
    """The place under a data directory, created if need be, and private."""
    place = find_place(data_dir)
    folder = place.home.parent
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        make_private(folder, place.account)
    let_reach(place.home, place.account)
    if not is_locked(place.running):
        adopt(place.home, place.account)
    make_private(place.home, place.account)
    make_private(place.users, place.account)
    for path in (place.lock, place.running):
        os.close(open_lock(path))
        place.account.own(path)
    return place


def make_private(folder: Path, account: Account) -> None:
    """Make a folder that only the account can enter, or see to it that the one there is such."""
    with suppress(FileExistsError):
        folder.mkdir(mode=_PRIVATE)
        account.own(folder)
    ensure_private(folder, account)


def ensure_private(folder: Path, account: Account) -> None:
    """Refuse a folder of somebody else's, or a link in its place; close one that is open to others."""
    info = folder.lstat()
    if not stat.S_ISDIR(info.st_mode):
        raise unavailable(f"{folder} is not a folder")
    if info.st_uid not in (account.uid, os.geteuid()):
        raise unavailable(f"{folder} belongs to another account; use a data directory of your own")
    account.own(folder)
    if stat.S_IMODE(info.st_mode) != _PRIVATE:
        folder.chmod(_PRIVATE)


def adopt(tree: Path, account: Account) -> None:
    """Give a whole tree to the account: a container made anew may have numbered its accounts otherwise."""
    if account.switch and tree.exists() and tree.stat().st_uid != account.uid:
        for folder, _, names in os.walk(tree):
            for path in [Path(folder), *(Path(folder) / name for name in names)]:
                account.own(path)


def write_private(path: Path, text: str, account: Account) -> None:
    """Replace a file as a whole, readable by its owner alone from its first moment, and on disk after."""
    new = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, _SECRET)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), _SECRET)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        account.own(new)
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_tree(tree: Path) -> None:
    """Remove a folder that may not be there."""
    with suppress(FileNotFoundError):
        shutil.rmtree(tree)


# Passwords


def password_of(place: Place, role: str) -> str:
    """The role's password, made up and kept the first time it is asked for."""
    known = _read_passwords(place)
    if role not in known:
        known[role] = secrets.token_urlsafe(32)
        write_private(place.passwords, json.dumps(known, indent=2) + "\n", place.account)
    return known[role]


def _read_passwords(place: Place) -> dict[str, str]:
    try:
        known = json.loads(place.passwords.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise unavailable(f"{place.passwords} is damaged; remove it, and new passwords are set") from error
    if place.passwords.stat().st_mode & 0o077:
        place.passwords.chmod(_SECRET)
    return dict(known)


# The socket's folder


def choose_socket_folder(place: Place) -> Path:
    """The place itself, or a private folder under the runtime directory when the path does not fit.

    Called when no server runs, so that anything in a folder used before is a leftover.
    """
    if _fits(place.home):
        clear_socket(place.home)
        return place.home
    for base in _runtime_folders(place.account):
        if _fits(base / _short_name(place)):
            return _private_runtime_folder(base, place)
    raise unavailable(f"no folder with a path short enough for a socket; tried {tempfile.gettempdir()}")


def drop_socket_folder(place: Place, folder: Path) -> None:
    """Remove the socket's folder after the server has stopped, if it was made for it."""
    if folder != place.home and folder.name.startswith(_short_name(place)):
        with suppress(OSError):
            clear_socket(folder)
            folder.rmdir()


def clear_socket(folder: Path) -> None:
    """Remove a dead server's socket; its lock file names a process id that may be somebody else's now."""
    for name in (_SOCKET, f"{_SOCKET}.lock"):
        (folder / name).unlink(missing_ok=True)


def _fits(folder: Path) -> bool:
    path = str(folder / _SOCKET)
    return len(os.fsencode(path)) <= _LONGEST_SOCKET and _PLAIN_PATH.fullmatch(path) is not None


def _short_name(place: Place) -> str:
    return f"recollect-{hashlib.sha256(os.fsencode(place.home)).hexdigest()[:16]}"


def _runtime_folders(account: Account) -> Iterator[Path]:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and not account.switch and Path(runtime).is_dir():
        yield Path(runtime)
    yield Path(tempfile.gettempdir()).resolve()
    yield Path("/tmp").resolve()  # noqa: S108 - only a folder inside it, private and checked to be ours


def _private_runtime_folder(base: Path, place: Place) -> Path:
    """Always the same name, so that a URL survives a restart; another one if a stranger has taken it.

    In a shared folder like /tmp anybody may create our name first: a link, or a folder that he can read.
    """
    folder = base / _short_name(place)
    let_reach(folder, place.account)
    try:
        make_private(folder, place.account)
    except (OSError, RecollectError):  # whatever lies there is not ours, and is left alone
        folder = Path(tempfile.mkdtemp(prefix=f"{_short_name(place)}-", dir=base))
        place.account.own(folder)
    clear_socket(folder)
    return folder
