"""`recollect demo`: a few months of somebody's life, some questions, and why each answer was found."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import Call, command

if TYPE_CHECKING:
    from recollect.demo import Question
    from recollect.flows.transfer import Imported
    from recollect.memory import ScopedMemory
    from recollect.retrieval.search import Hit

app = typer.Typer()

NEXT = (
    'recollect search "What did Leonor bake?" --user demo',
    "recollect serve --demo             look at all of it in a browser",
    "recollect list --user demo --limit 5",
    'recollect add "I prefer tea to coffee." --type preference',
    'recollect search "what do I like to drink?"',
    "recollect import FILE.jsonl        your own conversations: one message a line, with thread, role and content",
    "recollect db status",
    "(from a clone, without an installed command: ./dev run search … and so on)",
)


@dataclass(frozen=True, slots=True)
class Answer:
    """A question and what was found."""

    question: str
    shows: str
    hits: "list[Hit]"


@command(app, "demo", scope=False)
async def demo(
    call: Call, limit: Annotated[int, typer.Option("--limit", "-n", help="Hits for each question.")] = 2
) -> None:
    """Load a few months of somebody's life, ask questions about it, and show why each answer was found."""
    from recollect import demo as story
    from recollect.demo.furnishing import fill

    with call.out.waiting("Starting"):
        async with call.memory() as opened:
            done = await fill(opened)
            memory = opened.scope(story.USER)
            answers = [await _ask(memory, question, limit) for question in story.QUESTIONS]
    if call.json:
        call.out.line({"imported": done, "answers": answers}, indent=2)
    else:
        _show(call, done, answers)


async def _ask(memory: "ScopedMemory", question: "Question", limit: int) -> Answer:
    found = await memory.search(question.text, limit, threshold=question.threshold)
    return Answer(question.text, question.shows, found)


def _show(call: Call, done: "Imported", answers: list[Answer]) -> None:
    from rich.rule import Rule
    from rich.text import Text

    from recollect.cli import show

    say = call.out.console.print
    loaded = "was loaded before" if done.present else f"loaded: {done.messages} messages, {done.memories} memories"
    say(Text(f"Ines, Joaquim and a tram stop ({loaded})\n", style="bold"))
    for answer in answers:
        say(Rule(Text(answer.question, style="bold"), align="left", style="dim"))
        say(Text(f"{answer.shows}\n", style="italic dim"))
        for part in show.hits(answer.hits):
            say(part)
        if not answer.hits:
            say()
    say(Rule(Text("What to do next", style="bold"), align="left", style="dim"))
    for line in NEXT:
        say(Text(f"  {line}"), soft_wrap=True)
