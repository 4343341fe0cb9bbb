"""How many tokens a context takes, in whichever of its three forms takes the most."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from recollect.context.budget import Budget
from recollect.context.chat import anthropic_messages, message_wordings, openai_messages, wording
from recollect.context.model import Stable, Volatile, WindowMessage
from recollect.context.render import message_line, volatile_text, whole_text
from recollect.core.tokens import TokenCounter, Weight

_NOTHING = Volatile("", closing=False)


# Where a line begins with more than white space, nothing before it changes how it is cut into tokens.
_JOINT = re.compile(r"(?<=\n)(?=\S)")
# Stands for the next line after line breaks, whose tokens depend on whether there is one; a token by itself.
_NEXT = "a"


class Meter:
    """Measures text and messages by a counter; a passage that comes again is not counted again."""

    def __init__(self, counter: TokenCounter, budget: Budget) -> None:
        self._counter = counter
        self._budget = budget
        self._next = counter.weigh(_NEXT)
        self._passages: dict[str, Weight] = {}
        self._texts: dict[str, Weight] = {}
        self._counted: dict[str, int] = {}

    def text(self, *texts: str) -> int:
        """The tokens of texts, one after the other."""
        return self._counter.total(map(self._text_weight, texts))

    def _text_weight(self, text: str) -> Weight:
        known = self._texts.get(text)
        if known is None:
            known = self._texts[text] = _added(map(self._passage_weight, _JOINT.split(text)))
        return known

    def _passage_weight(self, passage: str) -> Weight:
        known = self._passages.get(passage)
        if known is None:
            known = self._passages[passage] = self._weighed(passage)
        return known

    def _weighed(self, passage: str) -> Weight:
        if not passage.endswith("\n"):
            return self._counter.weigh(passage)
        tokens, pieces, beyond = self._counter.weigh(passage + _NEXT)
        return Weight(tokens - self._next.tokens, pieces - self._next.pieces, beyond)

    def stable(self, stable: Stable) -> int:
        """The tokens of the stable part."""
        return self.whole(stable, _NOTHING)

    def volatile(self, volatile: Volatile) -> int:
        """The tokens of the volatile part, with what a chat model adds to a message."""
        return self.text(volatile_text(volatile, after=True)) + self._budget.message_overhead

    def whole(self, stable: Stable, volatile: Volatile) -> int:
        """The tokens of the whole in its largest form."""
        anthropic = anthropic_messages(stable, volatile)
        system = [{"content": anthropic["system"]}] if anthropic["system"] else []
        return max(
            self.text(whole_text(stable, volatile)[0]),
            self._chat(openai_messages(stable, volatile)),
            self._chat([*system, *anthropic["messages"]]),
        )

    def counted(self, stable: Stable, volatile: Volatile) -> int:
        """The tokens of the whole as text, counted at one go; the estimate of a text is that of its lines anyway."""
        text = whole_text(stable, volatile)[0]
        if not self._counter.exact:
            return self.text(text)
        if text not in self._counted:
            self._counted = {text: self._counter.count(text)}
        return self._counted[text]

    def message(self, message: WindowMessage) -> int:
        """The tokens of one message in its largest form."""
        return max(self.text(message_line(message)), *(self._worded(*form, 1) for form in message_wordings(message)))

    def _chat(self, messages: Iterable[Mapping[str, Any]]) -> int:
        rendered = list(messages)
        return self._worded(*wording(rendered), len(rendered))

    def _worded(self, words: list[str], media: int, messages: int) -> int:
        overhead = messages * self._budget.message_overhead
        return self.text(*words) + media * self._budget.media + overhead


def _added(weights: Iterable[Weight]) -> Weight:
    return Weight(*map(sum, zip(Weight(0.0), *weights, strict=True)))
