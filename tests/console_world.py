"""A month of one person's memory for the console to show, and a console that shows it on loopback."""

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from urllib.parse import unquote
from uuid import UUID

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Mount

from recollect import Recollect, console
from recollect.core.errors import NotAllowed, Unavailable
from recollect.core.ids import new_id
from recollect.flows.overview import Overview
from recollect.memory import ScopedMemory
from seeding import Garden

START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
DAYS = 28
TALKS: tuple[tuple[int, str, str, tuple[tuple[str, str], ...]], ...] = (
    (
        *(1, "greenhouse", "The greenhouse"),
        (
            ("user", "My name is Maya Lindqvist and I live in Gothenburg."),
            ("assistant", "Nice to meet you, Maya. What are you working on?"),
            ("user", "I want to build a greenhouse on the roof. I decided to use cedar for the frame."),
            ("assistant", "Cedar stands the rain well. How large will it be?"),
            ("user", "Six square metres. Jonas Berg helps me with the frame on Saturday."),
            ("assistant", "Then Saturday it is. I will remind you of the screws."),
        ),
    ),
    (
        *(6, "kitchen", "What to cook"),
        (
            ("user", "I am allergic to hazelnuts, please remember that."),
            ("assistant", "I will: no hazelnuts."),
            ("user", "I prefer green tea to coffee in the afternoon."),
            ("assistant", "Noted, tea it is."),
        ),
    ),
    (
        *(14, "atlas", "Launch of Atlas"),
        (
            ("user", "We decided to launch Atlas on 20 April. The team agreed yesterday."),
            ("assistant", "A firm date at last. What is still open?"),
            ("user", "The payment tests fail at night. Priya Raman looks into it, she works at Northwind."),
            ("assistant", "Shall I note who to ask about the gateway?"),
            ("user", "Yes, ask Priya Raman. My goal is to have all tests green by April."),
        ),
    ),
    (
        *(24, "greenhouse-2", "Seeds and frames"),
        (
            ("user", "The greenhouse frame is finished, Jonas Berg did a great job."),
            ("assistant", "Congratulations! What will you sow first?"),
            ("user", "Tomatoes and basil. I learned to start them indoors in March."),
        ),
    ),
)
NOTES = (
    (3, "Roof survey", "Jonas Berg works at Berg Carpentry. Maya Lindqvist knows Jonas Berg. The roof bears 300 kg."),
    (10, "Atlas kickoff", "Priya Raman works at Northwind. Priya Raman works with Tomas Alm. Atlas uses PostgreSQL."),
    (
        17,
        "Gateway incident",
        "Tomas Alm works at Northwind. The gateway of Atlas uses Redis. It failed on Tuesday.",
    ),
    (21, "Market garden", "Elin Sjöberg works at Haga Market. Elin Sjöberg knows Jonas Berg. She sells cedar boards."),
)
STATEMENTS = (
    (2, "The roof of the house bears 300 kg per square metre.", "fact"),
    (4, "Cedar boards from Haga Market cost 84 kronor a metre.", "fact"),
    (9, "Maya prefers meetings before noon.", "preference"),
    (12, "Deploy Atlas only from the release branch.", "constraint"),
    (18, "Retry failed payments at most three times.", "decision"),
    (22, "Grow enough tomatoes for a whole winter of sauce.", "goal"),
)


_BUSY = {day for day, *_ in (*TALKS, *NOTES)}


@dataclass
class Clock:
    """A clock that the seeding moves."""

    now: datetime = START

    def __call__(self) -> datetime:
        return self.now


@dataclass
class World:
    """What was planted, by name."""

    rc: Recollect
    clock: Clock
    ids: dict[str, UUID] = field(default_factory=dict)

    @property
    def me(self) -> ScopedMemory:
        return self.rc.scope(user_id="maya")


async def seed(rc: Recollect, clock: Clock) -> World:
    """One of everything that a page shows, day by day."""
    world = World(rc, clock)
    for day in range(DAYS):
        clock.now = START + timedelta(days=day, hours=day % 5)
        await _live(world, day)
    await rc.drain()
    clock.now = START + timedelta(days=DAYS, hours=3)
    await _plant(world)
    await rc.drain()
    return world


async def _live(world: World, day: int) -> None:
    """What was said, written and read on one day."""
    me = world.me
    for _, thread, title, said in (talk for talk in TALKS if talk[0] == day):
        chat = await me.conversation(thread, title=title)
        for role, text in said:
            world.clock.now += timedelta(minutes=2)
            await chat.add(role, text)
        world.ids[thread] = chat.conversation.id
    for _, title, text in (note for note in NOTES if note[0] == day):
        world.ids[title] = (await me.ingest(text, title=title)).id
    for _, text, type in (statement for statement in STATEMENTS if statement[0] == day):
        world.ids[text] = (await me.add(text, type=type, tags=["by hand"])).id
    if day in _BUSY:
        await world.rc.drain()


async def _plant(world: World) -> None:
    """What waits for a person, stories, and one thing that went wrong."""
    me, garden, now = world.me, Garden(world.rc, "user:maya"), world.clock.now
    planner = world.rc.scope(user_id="maya", agent_id="planner")
    active = await planner.create_active("Gateway", sections={"tokens": ""})
    for minutes in (15, 60):
        text = f"The gateway of Atlas uses JWT access tokens. Access tokens expire after {minutes} minutes."
        await planner.update_section(active.id, "tokens", text)
        await planner.migrate()
    garden.execute(
        "insert into consent (space_id, id, type, key, value, confidence, importance, status, reason, said_at,"
        " proposed_at, expires_at) values (%(space)s, %(id)s, 'identity', 'occupation', 'engineer', 0.6, 0.8, 'open',"
        " 'inferred', %(now)s, %(now)s, %(then)s)",
        id=new_id(),
        now=now,
        then=now + timedelta(days=7),
    )
    one, other = await garden.node("Elin Sjoberg"), await garden.node("E. Sjöberg")
    garden.execute(
        "insert into node_merge (space_id, id, kept_id, gone_id, status, similarity, proposed_at)"
        " values (%(space)s, %(id)s, %(one)s, %(other)s, 'proposed', 0.86, %(now)s)",
        id=new_id(),
        one=one,
        other=other,
        now=now,
    )
    [jonas, *_] = await me.nodes("person", "Jonas Berg")
    world.ids["Jonas Berg"] = jonas.id
    story = await garden.storyline(jonas.id, [world.ids["Roof survey"], world.ids["Market garden"]], now)
    await me.update(
        story,
        title="The greenhouse on the roof",
        content="In March a plan became a frame: the roof was surveyed, cedar came from Haga Market, and Jonas Berg"
        " built with Maya what will hold tomatoes by summer.",
    )
    world.ids["storyline"] = story
    world.ids["macro"] = await garden.macro(jonas.id, [story])
    await me.update(
        world.ids["macro"], title="A house that grows", content="Building, planting, and the people of both."
    )
    gone = await me.add("The frame is painted white.")
    world.ids["gone"] = (await me.delete(gone.id, reason="It was never painted")).id
    world.ids["secret"] = (await me.add("The spare key of the greenhouse lies under the blue pot.")).id
    pinned = world.ids["Deploy Atlas only from the release branch."]
    await me.update(pinned, pinned=True)
    await me.add_note(pinned, "Agreed with Tomas Alm on the phone.", "year")
    await me.update(world.ids["Maya prefers meetings before noon."], content="Maya prefers meetings before ten.")
    garden.execute(
        "insert into recollect_queue.procrastinate_jobs (queue_name, task_name, lock, args, status, attempts)"
        " values ('recollect', 'understand', 'understand:' || %(space)s, jsonb_build_object('space', %(space)s),"
        " 'failed', 5)"
    )


Made = TypeVar("Made")


@dataclass
class Served:
    """A console that answers, and the memory behind it."""

    url: str
    world: World
    loop: asyncio.AbstractEventLoop

    def do(self, work: Awaitable[Made]) -> Made:
        """Have the memory do something, beside what pages ask."""

        async def awaited() -> Made:
            return await work

        return asyncio.run_coroutine_threadsafe(awaited(), self.loop).result()


def gate(
    rc: Recollect, key: str | None = None, *, admin: bool = True
) -> tuple[Callable[[Request], Awaitable[ScopedMemory]], Any]:
    """Who may come in: everybody, or whoever has the one key."""

    async def whose(request: Request) -> ScopedMemory:
        if key is not None and request.cookies.get("recollect_key") != key:
            raise NotAllowed("key", "it is not known")
        headers = request.headers
        named = {
            f"{kind}_id": unquote(headers[f"x-recollect-{kind}"])
            for kind in ("user", "project", "agent")
            if f"x-recollect-{kind}" in headers
        }
        level: Any = headers.get("x-recollect-sensitivity", "normal")
        return rc.scope(**(named or {"user_id": "maya"}), sensitivity=level)

    async def is_admin(request: Request) -> bool:
        return admin

    return whose, is_admin


KEY = "rk_good"


def _consoles(rc: Recollect) -> Starlette:
    """One without keys; below it one that asks for one, one with a mistake in it, and one whose database is away."""
    whose, is_admin = gate(rc)

    async def mistaken(request: Request) -> ScopedMemory:
        return Mistaken(rc, (await whose(request)).scope)

    async def away(_: Request) -> ScopedMemory:
        raise Unavailable("PostgreSQL", "it does not answer")

    return Starlette(
        routes=[
            Mount("/locked", console.app(rc, *gate(rc, KEY, admin=False))),
            Mount("/mistaken", console.app(rc, mistaken, is_admin)),
            Mount("/away", console.app(rc, away, is_admin)),
            Mount("/", console.app(rc, whose, is_admin)),
        ]
    )


class Mistaken(ScopedMemory):
    """A memory with a mistake in it."""

    async def overview(self, days: int = 30) -> Overview:
        raise RuntimeError("a mistake of ours")


@contextmanager
def served(open: Callable[[Clock], Recollect]) -> Iterator[Served]:
    """A console in a thread of its own, over a memory that lives there too."""
    ready: Any = threading.Event()
    found: dict[str, Any] = {}
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()

    async def live() -> None:
        clock = Clock()
        async with open(clock) as rc:
            world = await seed(rc, clock)
            server = uvicorn.Server(uvicorn.Config(_consoles(rc), log_level="warning", lifespan="off"))
            found.update(world=world, server=server, loop=asyncio.get_running_loop())
            ready.set()
            await server.serve(sockets=[listening])

    def run() -> None:
        try:
            asyncio.run(live())
        except BaseException as error:
            found["error"] = error
            ready.set()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    ready.wait()
    if "error" in found:
        raise found["error"]
    yield Served(f"http://127.0.0.1:{listening.getsockname()[1]}", found["world"], found["loop"])
    found["server"].should_exit = True
    thread.join()
