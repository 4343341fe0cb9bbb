"""What a tool is: its words for the model, the form of what it is given and tells, and what it does."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import mcp_types as types
from pydantic import BaseModel, ConfigDict, ValidationError

from recollect.core.errors import InvalidInput
from recollect.memory import ScopedMemory


class Given(BaseModel):
    """The arguments of a tool: only those that it knows."""

    model_config = ConfigDict(extra="forbid")


class Data(BaseModel):
    """What a tool tells; what stands below a field describes it."""

    model_config = ConfigDict(use_attribute_docstrings=True)


G = TypeVar("G", bound=Given)


@dataclass(frozen=True)
class Told:
    """What a tool answers: words for the model, and the same as data."""

    text: str
    data: Data


@dataclass(frozen=True)
class Tool(Generic[G]):
    """A tool. The description says when to use it rather than another."""

    name: str
    title: str
    description: str
    given: type[G]
    told: type[Data]
    run: Callable[[ScopedMemory, G], Awaitable[Told]]
    reads: bool = True
    """Whether it changes nothing."""
    destroys: bool = False

    @cached_property
    def listed(self) -> types.Tool:
        """As clients list it."""
        return types.Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.given.model_json_schema(),
            output_schema=self.told.model_json_schema(mode="serialization"),
            annotations=types.ToolAnnotations(
                title=self.title,
                read_only_hint=self.reads,
                destructive_hint=self.destroys,
                idempotent_hint=self.reads,
                open_world_hint=False,
            ),
        )

    async def answer(self, memory: ScopedMemory, arguments: dict[str, Any]) -> Told:
        """Check the arguments, and do it."""
        return await self.run(memory, self._checked(arguments))

    def _checked(self, arguments: dict[str, Any]) -> G:
        try:
            return self.given.model_validate(arguments)
        except ValidationError as error:
            raise refused(error) from None


def refused(error: ValidationError) -> InvalidInput:
    """The first thing that is wrong, by the name of its field."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = [str(step) for step in first["loc"] if isinstance(step, int) or step.isidentifier()]
    problem = "is no argument of this tool" if first["type"] == "extra_forbidden" else first["msg"]
    return InvalidInput(".".join(place) or "arguments", problem)
