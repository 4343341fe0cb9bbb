"""The policy in force: read when Recollect opens, and again whenever its file has changed."""

import logging
import os
from pathlib import Path

from recollect.core.errors import InvalidInput
from recollect.governance.policy import Policy, parse

_log = logging.getLogger(__name__)
_MOST_BYTES = 1_000_000

Stamp = tuple[int, int, int]


class PolicyInForce:
    """A policy and the file that it came from, if it came from one.

    Each look at it asks the file system whether the file is another one by now, which costs a microsecond or two. A
    file that cannot be read leaves the last good policy in force: nobody sees more because of a typing error.
    """

    def __init__(self, given: str | Path | None) -> None:
        self._path = _path_of(given)
        self._stamp: Stamp | None = None
        self._policy = Policy()
        self.problem: str | None = None
        """Why the file as it is now is not in force; None where it is."""
        self._told: str | None = None
        if self._path is not None:
            self._stamp = _stamp(self._path)
            self._policy = parse(_text_of(self._path))
        elif given is not None:
            self._policy = parse(str(given))

    @property
    def current(self) -> Policy:
        """The policy, from the file as it is now."""
        if self._path is not None and (stamp := _stamp(self._path)) != self._stamp:
            self._stamp = stamp
            self._read_again(self._path)
        return self._policy

    def untold_problem(self) -> str | None:
        """The problem, once: for whoever records it."""
        if self.problem == self._told:
            return None
        self._told = self.problem
        return self.problem

    def _read_again(self, path: Path) -> None:
        try:
            self._policy, self.problem = parse(_text_of(path)), None
        except InvalidInput as error:
            self.problem = str(error)
            _log.warning("%s is not taken over, the rules before stay in force: %s", path, error)


def _path_of(given: str | Path | None) -> Path | None:
    """A path is one line without a colon and a space after it; anything else is YAML."""
    if given is None or isinstance(given, Path):
        return given
    text = given.strip()
    is_yaml = "\n" in text or ": " in text or text.endswith(":") or text.startswith("{")
    return None if is_yaml or not text else Path(text)


def _stamp(path: Path) -> Stamp | None:
    """What changes when a file is written or replaced; None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _text_of(path: Path) -> str:
    try:
        text = path.read_bytes()[: _MOST_BYTES + 1].decode("utf-8")
    except OSError as error:
        raise InvalidInput("categories", f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InvalidInput("categories", f"{path} is no UTF-8, at byte {error.start}") from None
    if len(text) > _MOST_BYTES:
        raise InvalidInput("categories", f"{path} is larger than {_MOST_BYTES} bytes")
    return text
