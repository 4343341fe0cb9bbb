"""What talk tells of the mind of whoever talks: asked of a language model, and held to the writing rules."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, Field

from recollect.providers.language import LanguageModel
from recollect.understanding import writing
from recollect.understanding.fence import unfenced
from recollect.understanding.prompts import DATA, WRITING, Share, Text, bounded, harmless, those_that_fit
from recollect.understanding.secrets import holds_secret, mask

_MOST = 3
_IMPORTANCE = 2
_LEVELS = 5


@dataclass(frozen=True, slots=True)
class Seen:
    """What an observation is made of."""

    activities: tuple[str, ...]
    learned: tuple[str, ...]
    talk: str


@dataclass(frozen=True, slots=True)
class Insight:
    """An observation as it is kept."""

    text: str
    tags: tuple[str, ...]
    importance: float
    confidence: float


class Observation(BaseModel):
    """One observation."""

    summary: Annotated[Text, bounded(writing.MOST_CHARACTERS)] = Field(description="The observation, third person.")
    tags: Annotated[list[Text], those_that_fit(5)] = Field(default_factory=list, description="One to three words.")
    importance: int = Field(_IMPORTANCE, ge=1, le=_LEVELS, description="1 to 5; 2 is usual.")
    confidence: Share = Field(0.6, description="How sure it is, 0 to 1.")


class Observations(BaseModel):
    """What there is to observe."""

    insights: Annotated[list[Observation], those_that_fit(_MOST)] = Field(
        default_factory=list, description="One to three; none where nothing can be told."
    )


_INSTRUCTIONS = f"""\
You observe how a user feels, trusts, decides and likes to be treated, for an assistant that wants to serve them well. \
From what is shown, write down one to three insights about the user that are not said outright and that hold beyond \
this talk: emotions, trust, style, how preferences change. Write none where nothing can be told. Do not repeat facts, \
do not diagnose, do not judge, never speak of the assistant.

{WRITING}

{DATA.format(tag="talk")} The same holds for <happened> and <learned>."""


async def insights(model: LanguageModel, seen: Seen) -> list[Insight]:
    """What a model observes, as far as it can be kept."""
    answer = (await model.ask("consolidate", _INSTRUCTIONS, _prompt(seen), Observations)).value
    kept = (_kept(each) for each in answer.insights[:_MOST])
    return list({insight.text: insight for insight in kept if insight is not None}.values())


def snippet(said: Sequence[tuple[str, str]], most: int) -> str:
    """The last words of a talk, whole messages first of all the newest, within so many characters."""
    lines: list[str] = []
    left = most
    for speaker, text in reversed(said):
        readable = " ".join(mask(unfenced(text)).split())
        line = f"{speaker}: {readable}"
        if not readable:
            continue
        if len(line) > left:
            if not lines:
                lines.append(writing.cut(line, left))
            break
        lines.append(line)
        left -= len(line) + 1
    return "\n".join(reversed(lines))


def _prompt(seen: Seen) -> str:
    return "\n".join(
        (
            *_part("happened", seen.activities),
            *_part("learned", seen.learned),
            *_part("talk", seen.talk.splitlines()),
        )
    )


def _part(tag: str, lines: Iterable[str]) -> list[str]:
    safe = [harmless(mask(line)) for line in lines]
    return [f"<{tag}>", *safe, f"</{tag}>"] if safe else []


def _kept(found: Observation) -> Insight | None:
    draft = writing.checked(found.summary)
    if draft.text is None or holds_secret(draft.text):
        return None
    tags = tuple(dict.fromkeys(tag.strip().lower() for tag in found.tags if tag.strip()))
    # Level 2 is 0.4: an insight weighs less than a fact.
    return Insight(draft.text, tags, found.importance / _LEVELS, found.confidence)
