"""API keys: what is known of one, and how a secret is made and recognised. The secret itself is kept nowhere."""

import re
import secrets
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from recollect.core.scope import Scope, Sensitivity

_MARK = "rcl"
_PREFIX_BYTES = 5
_SECRET_BYTES = 32
_FORM = re.compile(rf"({_MARK}_[0-9a-f]{{{2 * _PREFIX_BYTES}}})_[\w-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Key:
    """A key as it stands: whom it speaks for, and how it was used."""

    id: UUID
    name: str
    prefix: str
    """How its secret begins, which tells keys apart and opens nothing."""
    user_id: str | None
    project_id: str | None
    agent_id: str | None
    team_ids: tuple[str, ...]
    sensitivity: Sensitivity
    admin: bool
    """Whether it may name any space, and do what belongs to none: run jobs, make keys."""
    created_at: datetime
    last_used_at: datetime | None
    uses: int
    revoked_at: datetime | None

    @property
    def scope(self) -> Scope | None:
        """Whom it speaks for; None for an admin's key that names nobody."""
        if not (self.user_id or self.project_id or self.agent_id):
            return None
        return Scope(self.user_id, self.project_id, self.agent_id, None, None, self.team_ids, self.sensitivity)


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made or rotated, with its secret: this is the one time that it is shown."""

    secret: str = field(repr=False)
    key: Key


def new_secret() -> str:
    """256 random bits after a prefix by which the key is found."""
    return f"{_MARK}_{secrets.token_hex(_PREFIX_BYTES)}_{secrets.token_urlsafe(_SECRET_BYTES)}"


def prefix_of(secret: str) -> str | None:
    """The part of a secret that may be shown; None of what is no secret of ours."""
    found = _FORM.fullmatch(secret)
    return found[1] if found else None


def digest_of(secret: str) -> bytes:
    """What is kept of a secret. It has too many bits to be guessed, so that a plain hash is enough."""
    return sha256(secret.encode(errors="surrogatepass")).digest()
