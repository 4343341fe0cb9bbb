"""A language model whose questions pass the governor first."""

from typing import TypeVar

from pydantic import BaseModel

from recollect.governance.spend import Governor
from recollect.providers.language import Answer, LanguageModel, Task

T = TypeVar("T", bound=BaseModel)


class CountedModel:
    """The same model; a question over the cap of its space is not asked, and raises CapReached."""

    def __init__(self, model: LanguageModel, governor: Governor) -> None:
        self._model, self._governor = model, governor

    def name(self, task: Task) -> str | None:
        return self._model.name(task)

    async def ask(self, task: Task, instructions: str, prompt: str, answer: type[T]) -> Answer[T]:
        charge = await self._governor.admit(self._model.name(task) or "", task, instructions + prompt)
        try:
            return await self._model.ask(task, instructions, prompt, answer)
        finally:
            if charge is not None:
                self._governor.settle(charge)

    async def close(self) -> None:
        await self._model.close()
