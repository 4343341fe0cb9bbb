"""The table of verbs: made from the signatures of the public classes, so that a new method is a new row."""

import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, NotRequired, Required, get_origin, get_type_hints

from pydantic import AliasChoices, ConfigDict, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from recollect.core.errors import InvalidInput
from recollect.memory import Chat, Recollect, ScopedMemory
from recollect.wire.answers import STANDING, answer_of, sent
from recollect.wire.arguments import Argument, arguments_of

Owner = Literal["recollect", "memory", "chat"]
# Of `Recollect` what opens and closes it stays with the process; a backup is a file of the machine that it runs on.
_STAYS = frozenset({"open", "close", "scope", "backup", "restore"})
# Verbs whose `id` names what they write, so that the same request a second time writes nothing.
_IDEMPOTENT = frozenset({("memory", "add"), ("chat", "add"), ("memory", "ingest")})
_IMPORT = "import_lines"
_dictionary: Any = TypedDict
"""Called with names that are known only when it runs, which type checkers do not allow."""


@dataclass(frozen=True)
class Verb:
    """One verb: where it is found, what it takes, what it answers."""

    owner: Owner
    name: str
    function: Callable[..., Any]

    @property
    def id(self) -> str:
        """What tells it from others: `add` of a conversation is another verb than `add`."""
        return f"chat_{self.name}" if self.owner == "chat" else self.name

    @property
    def path(self) -> str:
        """Where it is on a server."""
        place = "/v1/conversations/{thread}" if self.owner == "chat" else "/v1"
        return f"{place}/{self.name}"

    @property
    def method(self) -> Literal["GET", "POST"]:
        """How it is asked: what browsers watch events with can only GET."""
        return "GET" if self.streams == "changes" else "POST"

    @property
    def admin(self) -> bool:
        """Whether it is about all spaces, and so the owner's."""
        return self.owner == "recollect"

    @property
    def idempotent(self) -> bool:
        """Whether a key of the caller's can stand for `id=`."""
        return (self.owner, self.name) in _IDEMPOTENT

    @property
    def streams(self) -> Literal["changes", "lines"] | None:
        """Whether it answers bit by bit: changes as events, an export as lines."""
        if get_origin(self._hints["return"]) is not AsyncIterator:
            return None
        return "changes" if self.name == "watch" else "lines"

    @property
    def tells_standing(self) -> bool:
        """Whether it answers with the conversation as it then stands."""
        return self.owner == "chat" and self.name in STANDING

    @property
    def takes_lines(self) -> bool:
        """Whether it is given lines rather than named arguments."""
        return self.name == _IMPORT

    @property
    def text(self) -> str:
        """What it does, in the words of the library."""
        return inspect.getdoc(self.function) or ""

    @cached_property
    def _plain(self) -> Callable[..., Any]:
        plain: Callable[..., Any] = inspect.unwrap(self.function)
        return plain

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return get_type_hints(self._plain)

    @cached_property
    def signature(self) -> inspect.Signature:
        """As the library has it, without `self`."""
        signature = inspect.signature(self._plain)
        return signature.replace(parameters=list(signature.parameters.values())[1:])

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        """What a request may name."""
        if self.takes_lines:
            return ()
        return tuple(arguments_of(self.name, self.signature.parameters.values(), self._hints))

    @cached_property
    def request(self) -> TypeAdapter[dict[str, Any]]:
        """The arguments of a request: strict, and no others."""
        fields = {argument.name: _field(argument) for argument in self.arguments}
        shape = _dictionary(f"{_title(self.id)}Arguments", fields)
        shape.__pydantic_config__ = ConfigDict(extra="forbid", strict=True)
        return TypeAdapter(shape)

    @cached_property
    def response(self) -> TypeAdapter[Any]:
        """The answer."""
        return TypeAdapter(answer_of(self.name, self._hints["return"]))

    def parse(self, body: bytes) -> dict[str, Any]:
        """The arguments in a request's body; an empty one gives none."""
        try:
            return self.request.validate_json(body or b"{}")
        except ValidationError as error:
            raise self._refusal(error) from None

    def _refusal(self, error: ValidationError) -> InvalidInput:
        """The first problem, by the argument's name."""
        first = error.errors(include_url=False, include_input=False)[0]
        place, problem = first["loc"], first["msg"]
        if not place:
            return InvalidInput("body", f"must be a JSON object: {problem}")
        if first["type"] == "extra_forbidden":
            return InvalidInput(str(place[0]), f"is no argument of {self.name}")
        return InvalidInput(_named(place), "is missing" if first["type"] == "missing" else problem)

    def write(self, value: Any) -> bytes:
        """An answer as JSON."""
        return self.response.dump_json(sent(value), warnings=False)

    def read(self, body: bytes) -> Any:
        """An answer of the library's own types."""
        return self.response.validate_json(body)


def _field(argument: Argument) -> Any:
    if argument.required:
        return Required[argument.type]
    shown: dict[str, Any] = {}
    if argument.default is not inspect.Parameter.empty:
        shown["json_schema_extra"] = {"default": argument.default}
    if (word := argument.name.removesuffix("_")) != argument.name:  # reserved in Python, not in a request
        shown["validation_alias"] = AliasChoices(argument.name, word)
    return NotRequired[Annotated[argument.type, Field(**shown)]]


def _named(place: tuple[int | str, ...]) -> str:
    """`messages[3]`: what stands behind is a name of a type, not of the caller's."""
    numbers = [f"[{part}]" for part in place[1:] if isinstance(part, int)]
    return f"{place[0]}{''.join(numbers)}"


def _title(id: str) -> str:
    return "".join(word.capitalize() for word in id.split("_"))


def _verbs_of(owner: Owner, of: type) -> Iterator[Verb]:
    for name, member in vars(of).items():
        if not name.startswith("_") and inspect.isfunction(member) and not (owner == "recollect" and name in _STAYS):
            yield Verb(owner, name, member)


VERBS: tuple[Verb, ...] = (
    *_verbs_of("recollect", Recollect),
    *_verbs_of("memory", ScopedMemory),
    *_verbs_of("chat", Chat),
)


def verb(owner: Owner, name: str) -> Verb:
    """One of them."""
    return next(each for each in VERBS if (each.owner, each.name) == (owner, name))
