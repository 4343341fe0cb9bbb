"""Every error that Recollect raises on purpose.

RecollectError
├── NotFound         the id, thread or space does not exist here
├── InvalidInput     a value is wrong; `field` names it
├── NotAllowed       the scope may not do or see what was asked for; `what` names it
├── Conflict         somebody else changed it first, or the value is barred
├── Unavailable      a part is down; `part` names it
└── ModelMismatch    the database was filled with another embedding model
"""


class RecollectError(Exception):
    """The root of the tree: catch this to catch everything below."""


class NotFound(RecollectError):
    """What was asked for does not exist in any space that the scope may read."""


class InvalidInput(RecollectError, ValueError):
    """A value that the caller gave cannot be taken. Nothing was written."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class NotAllowed(RecollectError):
    """The scope lacks the right to what was asked for."""

    def __init__(self, what: str, problem: str) -> None:
        super().__init__(f"{what}: {problem}")
        self.what = what


class Conflict(RecollectError):
    """The write lost against another one, or is barred."""


class Unavailable(RecollectError):
    """A part that Recollect depends on does not answer."""

    def __init__(self, part: str, problem: str) -> None:
        super().__init__(f"{part}: {problem}")
        self.part = part
        self.problem = problem


class ModelMismatch(RecollectError):
    """The vectors in the database come from another embedding model than the one configured."""
