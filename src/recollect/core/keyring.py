"""The keys of tombstones: never in the database, so that a dump of it says nothing of what was forgotten.

The key is a setting, else the first line of a file in the data directory that its owner alone may read. Further lines
are keys that came with imports and backups: hashes that were made with them stay good.
"""

import hmac
import os
import secrets
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from recollect.core.errors import InvalidInput, Unavailable

FILE = "tombstones.key"
_BYTES = 32
_MARK_BYTES = 16


@dataclass(frozen=True, slots=True)
class Key:
    """A secret, and the name by which tombstones know it."""

    secret: bytes

    @property
    def id(self) -> str:
        """What tells keys apart; nothing of the secret can be had from it."""
        return blake2b(self.secret, digest_size=8, person=b"recollect key").hexdigest()

    def mark(self, form: str, text: str) -> bytes:
        """The keyed hash of a text, as one form of mark."""
        return hmac.digest(self.secret, f"{form}\0{text}".encode(errors="surrogatepass"), "sha256")[:_MARK_BYTES]


@dataclass(frozen=True, slots=True)
class Keyring:
    """Where keys are, and the one that a setting names."""

    data_dir: Path
    configured: str | None = None

    @property
    def path(self) -> Path:
        """The file of keys."""
        return self.data_dir / FILE

    def current(self) -> Key:
        """The key for new tombstones, made if there is none."""
        if self.configured:
            return Key(blake2b(self.configured.encode(), digest_size=_BYTES).digest())
        return (self._read() or [self._make()])[0]

    def find(self, id: str) -> Key:
        """The key that tombstones were made with."""
        key = self.known(id)
        if key is None:
            raise Unavailable("tombstones", f"their key {id} is missing: it is a setting, or a line of {self.path}")
        return key

    def known(self, id: str) -> Key | None:
        """The same; None where it is not here."""
        current = [self.current()] if self.configured else []
        return next((key for key in [*current, *self._read()] if key.id == id), None)

    def adopt(self, secret: str) -> Key:
        """Keep a key that came with an import or a backup."""
        key = Key(_secret(secret))
        known = [self.current(), *self._read()]
        if all(each.id != key.id for each in known):
            with os.fdopen(os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "w") as file:
                file.write(key.secret.hex() + "\n")
        return key

    def _read(self) -> list[Key]:
        try:
            lines = self.path.read_text(encoding="ascii").split()
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise Unavailable("tombstones", f"their keys in {self.path} cannot be read: {error}") from error
        return [Key(_secret(line)) for line in lines]

    def _make(self) -> Key:
        """A new file with a new key; of two who make one at once, both take the first."""
        self.data_dir.mkdir(parents=True, exist_ok=True)
        fresh = self.path.with_name(f"{FILE}.{secrets.token_hex(8)}")
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(_BYTES) + "\n")
        try:
            os.link(fresh, self.path)
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
        return self._read()[0]


def _secret(text: str) -> bytes:
    try:
        secret = bytes.fromhex(text)
    except ValueError:
        secret = b""
    if len(secret) != _BYTES:
        raise InvalidInput("key", f"of tombstones must be {2 * _BYTES} hexadecimal digits")
    return secret
