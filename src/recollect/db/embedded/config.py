"""The server's settings, from the machine it runs on."""

import os
import sys
from contextlib import suppress
from pathlib import Path

import psutil

_MB = 1024 * 1024

HBA = """\
# Written by Recollect. The socket lies in a private folder, and still asks for a password.
local all all scram-sha-256
"""


def settings(memory: int, shared_folder: int) -> dict[str, str]:
    """Settings for a machine with `memory` bytes and a folder for shared memory of `shared_folder` bytes.

    fsync and synchronous_commit stay on: what was acknowledged survives a power cut.
    """
    return {
        "listen_addresses": "",
        "port": "5432",
        "unix_socket_permissions": "0700",
        "password_encryption": "scram-sha-256",
        "max_connections": "100",
        "shared_buffers": _megabytes(memory // 8, 32, 512),
        "effective_cache_size": _megabytes(memory // 2, 64, 1_048_576),
        "work_mem": _megabytes(memory // 128, 4, 16),
        "maintenance_work_mem": _megabytes(memory // 16, 32, 256),
        "random_page_cost": "1.1",
        "jit": "off",  # compiling costs more than our short statements take
        "max_wal_size": "2GB",
        "wal_compression": "on",
        "fsync": "on",
        "synchronous_commit": "on",
        "full_page_writes": "on",
        # A container often has 64 MB of shared memory: building a vector index in parallel would fail.
        "dynamic_shared_memory_type": "posix" if shared_folder >= 1024 * _MB else "mmap",
        "timezone": "UTC",
        "log_timezone": "UTC",
        "lc_messages": "C",
        "log_line_prefix": "%m [%p] ",
        # Errors quote values. They go to the caller; a log would keep what somebody asked us to forget.
        "log_min_messages": "log",
        "log_min_error_statement": "panic",
        "log_error_verbosity": "terse",
        "log_checkpoints": "off",
    }


def render(values: dict[str, str], socket_folder: Path) -> str:
    """The configuration file's text."""
    lines = [f"{name} = {_quoted(value)}" for name, value in values.items()]
    lines.append(f"unix_socket_directories = {_quoted(str(socket_folder))}")
    head = "# Written by Recollect at each start. ALTER SYSTEM wins over this file.\n"
    return head + "\n".join(lines) + "\n"


def machine_settings() -> dict[str, str]:
    """Settings for this machine."""
    return settings(_memory(), _shared_folder_size())


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''").replace("\\", "\\\\") + "'"


def _megabytes(size: int, least: int, most: int) -> str:
    return f"{min(max(size // _MB, least), most)}MB"


def _memory() -> int:
    """Bytes of memory, or of the container's share of it."""
    total = int(psutil.virtual_memory().total)
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):  # "max" is no number, and means no limit
            return min(total, int(Path(path).read_text(encoding="ascii")))
    return total


def _shared_folder_size() -> int:
    """Bytes of /dev/shm; other systems keep POSIX shared memory elsewhere, without such a limit."""
    if sys.platform != "linux":
        return sys.maxsize
    with suppress(OSError):
        info = os.statvfs("/dev/shm")  # noqa: S108 - only its size is asked for
        return info.f_blocks * info.f_frsize
    return 0
