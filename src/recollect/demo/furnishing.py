"""What there is beside talk: documents, agents at work, a procedure, something to decide, something forgotten."""

from datetime import datetime, timedelta

from recollect.demo import USER, lines
from recollect.flows.transfer import Import, Imported
from recollect.memory import Recollect, ScopedMemory

PLANNER, KEEPER = "planner", "librarian"
OVER = ("pupils", "flat", "wrist")
"""Conversations that have come to an end."""

_MAILS = (
    (
        (19, 9),
        "Receipt for the heater",
        "From: Helena Brito <helena@brito.example>\nTo: Ines <ines@example.org>\nSubject: Receipt for the heater\n\n"
        "Dear Ines,\n\nthank you for your order. The 1,500 watt heater costs 89 euros and has a warranty of three"
        " years. Joaquim can collect it at our shop by the station on Thursday.\n\nRegards,\nHelena Brito\nBrito Lda",
    ),
    (
        (16, 17),
        "Recording in January",
        "From: Rui Tavares <rui@tavares.example>\nTo: Ines <ines@example.org>\nSubject: Recording in January\n\n"
        "Hello Ines,\n\nI can record the quartet in the chapel on the hill in the middle of January. Two days"
        " cost 600 euros, the editing included. Bernardo asked for a second microphone for the cello; I have one."
        " Please tell me who plays the viola.\n\nRui Tavares",
    ),
    (
        (8, 11),
        "Harbour Theatre: your concert",
        "From: Beatriz Lemos <beatriz@harbour.example>\nTo: Ines <ines@example.org>\n"
        "Subject: Harbour Theatre: your concert\n\nDear Ines,\n\nthe concert begins at nine in the evening. The stage"
        " door opens at six. Bernardo and Sílvia have parking spaces. The hall pays the quartet"
        " 900 euros within thirty days.\n\nBeatriz Lemos\nHarbour Theatre, Porto",
    ),
)
_MEETING = (
    "Meeting of the little library. Present: Ines, Joaquim, Leonor, Father Anselmo.\n\n"
    "Joaquim reported that the old line carries ten amperes. The parish of Father Anselmo gives 150 euros for a heater."
    " Leonor keeps the key on Saturdays. Ines wants to open on Saturdays only until March."
    " Leonor will ask Brito Lda for a price."
)
_PROCEDURE = (
    "To open the little library: 1. Fetch the key at Leonor's bakery. 2. Switch the heater on ten minutes before ten."
    " 3. Put the sign on the pavement. 4. Write every loan into the green book. 5. Switch the heater off at one."
)
_MOVED = (
    ("user", "Ines", "I live in Almada now. The new map of the parishes moved the border to our side of the street."),
    ("assistant", "Pip", "Without moving a single box. Shall I change the city in your profile?"),
    ("user", "Ines", "Let me think about it. The post still finds me."),
)
_TIES = (
    ("Ines", "plays_with", "Bernardo", "In the quartet."),
    ("Ines", "plays_with", "Sílvia", "In the quartet, until she leaves for Basel."),
    ("Ines", "teaches", "Matilde", "The cello, at the conservatory."),
    ("Graça", "mother_of", "Matilde", None),
    ("Teresa Vilar", "treats", "Ines", "The left wrist."),
    ("Ines", "works_with", "Joaquim", "They keep the little library at the tram stop."),
    ("Senhor Matos", "works_for", "Senhora Pinto", "The plumber and the landlord."),
    ("Helena Brito", "works_at", "Brito Lda", None),
)
"""What Ines says herself of who belongs to whom."""
_FORGOTTEN = "The code of the bakery's back door is painted under the green flowerpot."


async def fill(rc: Recollect) -> Imported:
    """Load all of it, once; what was loaded now, and what was there."""
    me, now = rc.scope(USER), rc.parts.clock()
    await begin(me)
    work = Import(rc.parts, me.scope)
    async for _ in work.run(lines(now)):
        pass
    await rc.drain(None)
    await furnish(rc, me, now)
    return work.done


async def furnish(rc: Recollect, me: ScopedMemory, now: datetime) -> bool:
    """Add what talk does not bring, once; whether it was new."""
    if await rc.scope(me.scope.user_id, agent_id=PLANNER).actives(ended=True):
        return False
    # A document that is being read while something is forgotten would be read twice.
    await me.forget((await me.add(_FORGOTTEN)).id)
    await _documents(me, now)
    await me.add(_PROCEDURE, kind="procedure", title="Opening the little library")
    for thread in OVER:
        await (await me.conversation(thread)).end()
    await _agents(rc, me)
    chat = await me.conversation("map", title="The new map")
    await chat.add_many([{"role": role, "name": name, "content": said} for role, name, said in _MOVED])
    await rc.drain(None)
    await rc.run_job("conversation_sources")
    await rc.drain(None)
    await _relate(me)
    for job in ("storyline_promotion", "storyline_refresh", "descriptions"):
        await rc.run_job(job)
    return True


async def begin(me: ScopedMemory) -> None:
    """What somebody said of the profile by hand, before anything else was learned."""
    if not await me.profile():
        await me.set_profile("identity", "name", "Ines")
        await me.set_profile("identity", "city", "Lisbon")


async def _documents(me: ScopedMemory, now: datetime) -> None:
    for when, title, raw in _MAILS:
        await me.ingest(raw, "email", title=title, started_at=_ago(now, *when))
    people = ["Ines", "Joaquim", "Leonor", "Father Anselmo"]
    await me.ingest(
        _MEETING, "meeting", title="The little library in winter", participants=people, started_at=_ago(now, 24, 18)
    )


def _ago(now: datetime, days: int, hour: int) -> datetime:
    """Some days ago, at an hour at which people are awake."""
    return (now - timedelta(days=days)).replace(hour=hour, minute=20, second=0, microsecond=0)


async def _relate(me: ScopedMemory) -> None:
    nodes = {node.name: node.id for node in await me.nodes(None, limit=1_000)}
    for one, type, other, description in _TIES:
        if one in nodes and other in nodes:
            await me.relate(nodes[one], nodes[other], type, description=description)


async def _agents(rc: Recollect, me: ScopedMemory) -> None:
    """One at work, with something that it is not sure of; one that has done."""
    planner = rc.scope(me.scope.user_id, agent_id=PLANNER)
    trip = await planner.create_active(
        "The concert in Porto", sections={"travel": "", "money": ""}, description="Trains, beds and money for four"
    )
    await planner.update_section(trip.id, "travel", "The train to Porto leaves at 8.09 and has five seats booked.")
    await planner.update_section(trip.id, "money", "The hall pays the quartet 900 euros within 30 days.")
    await planner.migrate()
    await planner.update_section(trip.id, "money", "The hall pays the quartet 900 euros within 60 days.")
    await planner.migrate()
    keeper = rc.scope(me.scope.user_id, agent_id=KEEPER)
    sign = await keeper.create_active("The library's new sign", sections={"progress": ""})
    await keeper.update_section(
        sign.id, "progress", "The sign says: open on Saturdays from ten to one. It hangs on the bakery's door."
    )
    await keeper.end_active(sign.id)
