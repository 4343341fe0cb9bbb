"""A context that fits its budget, in three renderings."""

from dataclasses import dataclass, field
from typing import Any

from recollect.context.allocation import choose
from recollect.context.budget import Budget
from recollect.context.chat import Chat, anthropic_messages, openai_messages
from recollect.context.model import Chosen, Materials
from recollect.context.render import whole_text
from recollect.core.errors import InvalidInput
from recollect.core.tokens import TokenCounter

LEAST_TOKENS = 16


@dataclass(frozen=True)
class Context:
    """A prompt that fits: as text, or as the messages of a chat model."""

    text: str
    tokens: int
    """How many tokens the text has, by the counter that it was fitted with."""
    stable_prefix: int
    """How many characters of the text stay the same while messages are only added: what a prompt cache can keep."""
    warnings: tuple[str, ...]
    """What did not fit or had to be cut, by name."""
    included: tuple[str, ...]
    """The ids of the episodes, then of the memories, that are in it."""
    chosen: Chosen = field(repr=False)

    def to_openai(self) -> Chat:
        """The messages for OpenAI's chat completions and what speaks its language."""
        return openai_messages(self.chosen.stable, self.chosen.volatile)

    def to_anthropic(self) -> dict[str, Any]:
        """`system` and `messages` for Anthropic's messages."""
        return anthropic_messages(self.chosen.stable, self.chosen.volatile)


def fit(materials: Materials, tokens: int, counter: TokenCounter, budget: Budget | None = None) -> Context:
    """The context of at most so many tokens that says most of the materials."""
    if tokens < LEAST_TOKENS:
        raise InvalidInput("tokens", f"must be at least {LEAST_TOKENS}")
    chosen = choose(materials, tokens, counter, budget or Budget())
    text, stable_prefix = whole_text(chosen.stable, chosen.volatile)
    recalled = (*chosen.volatile.episodes, *chosen.volatile.memories)
    return Context(
        text=text,
        tokens=chosen.tokens,
        stable_prefix=stable_prefix,
        warnings=chosen.warnings,
        included=tuple(found.id for found in recalled),
        chosen=chosen,
    )
