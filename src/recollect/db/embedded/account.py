"""Which operating-system account the server runs as.

PostgreSQL refuses to run as root. A root process therefore hands the server to the account that already
owns the data directory, or else to one made for it, and lets that account, and nobody else, pass through
the folders above.
"""

import errno
import logging
import os
import shutil
import stat
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from recollect.db.embedded import locks
from recollect.db.embedded.problems import unavailable

if sys.platform != "win32":
    import pwd

DEDICATED = "recollect-db"
_CREATING = Path("/var/run/recollect-db.lock")
_PATIENCE = 30.0

_log = logging.getLogger(__name__)

_ACL = "system.posix_acl_access"
_ACL_VERSION = 2
_OWNER, _USER, _GROUP, _MASK, _OTHER = 0x01, 0x02, 0x04, 0x10, 0x20
_NO_ID = 0xFFFFFFFF
_EXECUTE = 0o1


@dataclass(frozen=True)
class Account:
    """A user and group id, and whether we must change to it."""

    uid: int
    gid: int
    switch: bool

    def own(self, path: Path) -> None:
        """Give a file or folder that we made to the account."""
        if self.switch:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)


def account_for(*folders: Path) -> Account:
    """Ourselves, or for root: the owner of the first folder that exists, or the dedicated account."""
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid(), switch=False)
    for folder in folders:
        if folder.exists():
            owner = _named(folder.stat().st_uid)
            return owner or _dedicated()
    return _dedicated()


def _named(uid: int) -> Account | None:
    """The account of that id. initdb refuses an id without a name; root is no answer either."""
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        return None
    return Account(uid, entry.pw_gid, switch=True) if uid else None


def _dedicated() -> Account:
    """The account made for the server, created the first time.

    One process at a time: useradd looks for the name before it locks the list of accounts, so that of two at once the
    second replaces what the first has made, and a server that already runs loses its name.
    """
    if found := _account_of(DEDICATED):
        return found
    try:
        with locks.exclusively(_CREATING, _PATIENCE):
            problem = "" if _account_of(DEDICATED) else _create_account()
    except OSError as error:
        problem = str(error)
    if found := _account_of(DEDICATED):
        return found
    raise unavailable(
        f"PostgreSQL does not run as root, and the account {DEDICATED} could not be created "
        f"({problem}); run as another user, or set RECOLLECT_DATABASE_URL"
    )


def _account_of(name: str) -> Account | None:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return Account(entry.pw_uid, entry.pw_gid, switch=True)


def _create_account() -> str:
    """What stood in the way, if anything did."""
    done = subprocess.run(_creation_command(), check=False, capture_output=True, text=True)  # noqa: S603 - our own words
    return done.stderr.strip() or f"exit status {done.returncode}"


def _creation_command() -> list[str]:
    """shadow's useradd, or busybox's adduser on small systems."""
    if useradd := shutil.which("useradd", path=_SYSTEM_PATH):
        return [useradd, "--system", "--user-group", "--no-create-home",
                "--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin", DEDICATED]  # fmt: skip
    if adduser := shutil.which("adduser", path=_SYSTEM_PATH):
        return [adduser, "-S", "-D", "-H", "-s", "/sbin/nologin", DEDICATED]
    raise unavailable(
        "PostgreSQL does not run as root, and neither useradd nor adduser is here to make an account "
        "for it; run as another user, or set RECOLLECT_DATABASE_URL"
    )


_SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"


def let_reach(path: Path, account: Account) -> None:
    """Let the account pass through every folder above `path`."""
    if account.switch:
        for folder in reversed(path.parents):
            if not _passes(folder.stat(), account):
                _let_pass(folder, account)


def let_execute(tree: Path, account: Account) -> None:
    """Let the account run the programs of an installation that was made private by a strict umask.

    They are published files; opening them tells nobody anything.
    """
    let_reach(tree, account)
    for path in [tree, *tree.rglob("*")]:
        mode = path.lstat().st_mode
        wanted = mode | (0o555 if mode & stat.S_IXUSR else 0o444)
        if not stat.S_ISLNK(mode) and wanted != mode:
            path.chmod(stat.S_IMODE(wanted))


def _passes(info: os.stat_result, account: Account) -> bool:
    if info.st_uid == account.uid:
        return bool(info.st_mode & stat.S_IXUSR)
    if info.st_gid == account.gid:
        return bool(info.st_mode & stat.S_IXGRP)
    return bool(info.st_mode & stat.S_IXOTH)


def _let_pass(folder: Path, account: Account) -> None:
    """An access-control entry for this one account: the folder stays closed to all others."""
    try:
        _add_entry(folder, account.uid)
    except (AttributeError, OSError) as error:
        if isinstance(error, OSError) and error.errno not in (errno.ENOTSUP, errno.ENOSYS):
            raise
        _log.warning("%s: no access-control lists here; everyone may now pass it, not list it", folder)
        folder.chmod(stat.S_IMODE(folder.stat().st_mode) | stat.S_IXOTH)


def _add_entry(folder: Path, uid: int) -> None:
    entries = _read_entries(folder)
    if entries.get((_USER, uid), 0) & _EXECUTE and entries.get((_MASK, _NO_ID), 0) & _EXECUTE:
        return
    entries[(_USER, uid)] = entries.get((_USER, uid), 0) | _EXECUTE
    entries[(_MASK, _NO_ID)] = entries.get((_MASK, _NO_ID), entries[(_GROUP, _NO_ID)]) | _EXECUTE
    packed = (struct.pack("<HHI", tag, mode, who) for (tag, who), mode in sorted(entries.items()))
    os.setxattr(folder, _ACL, struct.pack("<I", _ACL_VERSION) + b"".join(packed))


def _read_entries(folder: Path) -> dict[tuple[int, int], int]:
    """The list as {(tag, id): permissions}; a folder without one has what its mode says."""
    try:
        raw = os.getxattr(folder, _ACL)
    except OSError as error:
        if error.errno != errno.ENODATA:
            raise
        mode = folder.stat().st_mode
        return {(_OWNER, _NO_ID): mode >> 6 & 7, (_GROUP, _NO_ID): mode >> 3 & 7, (_OTHER, _NO_ID): mode & 7}
    return {(tag, who): mode for tag, mode, who in struct.iter_unpack("<HHI", raw[4:])}
