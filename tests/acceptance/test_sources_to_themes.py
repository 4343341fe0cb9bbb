"""Document C's flows through the public verbs alone, with the clock moved: a meeting of a team, notes and their
lifetimes, sources that join a story and its theme, and the way down from themes to what was said."""

from datetime import datetime

import pytest

MEETING = "Sarah Chen leads the Atlas project. Sarah Chen works at Acme Robotics. Tom Ford reports to Sarah Chen."
TRIES = (
    "Google called. Google has a role for an engineer. Google wants to talk.",
    "Google asked for a portfolio. Google liked the bridges in it. Google answers on Monday.",
    "Google invited to an interview. Google pays the train. Google has an office in Zurich.",
    "Google asked about graphs. Google asked about teams. Google was friendly.",
    "Google declined. Google said that the role is gone. Google may call again.",
)
OFFERS = (
    "Google called once more. Google has another role. Google is in a hurry.",
    "Google invited to lunch. Google showed the office. Google introduced the team.",
    "Google made an offer. Google pays a salary of 140,000 francs. Google adds a bonus of ten percent.",
    "Google raised the offer. Google pays for the move. Google waits for an answer.",
    "Google sent the contract. Google wants it signed. Google starts in May.",
)
GARDEN = (
    "Hilde Moser planted beans. Hilde Moser dug the beds. Hilde Moser needs a hose.",
    "Hilde Moser built a fence. Hilde Moser found a hedgehog. Hilde Moser sowed dill.",
    "Hilde Moser watered the beans. Hilde Moser lent a spade. Hilde Moser has roses.",
    "Hilde Moser picked beans. Hilde Moser cooked soup. Hilde Moser mowed the lawn.",
    "Hilde Moser dried the dill. Hilde Moser cut the roses. Hilde Moser sold the hose.",
)


@pytest.fixture
def me(rc):
    return rc.scope(user_id="alice")


class TestATeamOfThree:
    """ "Alice opens meeting notes", "Bob asks 'what did we discuss?'", "Charlie never accesses"."""

    @pytest.fixture
    async def meeting(self, rc):
        given = {"title": "Staff meeting", "participants": ["alice", "bob", "charlie"], "team_id": "team-001"}
        source = await self.member(rc, "alice").ingest(MEETING, "meeting", **given)
        await rc.drain()
        return source

    def member(self, rc, user):
        return rc.scope(user_id=user, team_ids=["team-001"], thread_id=f"chat of {user}")

    async def graph(self, rc, user):
        """What a user's own graph has, by name."""
        return {node.title: node.id for node in await rc.scope(user_id=user).nodes(kind=None)}

    async def test_each_learns_at_first_use_into_a_graph_of_their_own(self, rc, clock, meeting):
        assert [await self.graph(rc, user) for user in ("alice", "bob", "charlie")] == [{}, {}, {}]
        await self.member(rc, "alice").get(meeting.id)
        await rc.drain()
        alice = await self.graph(rc, "alice")
        assert {"Sarah Chen", "Tom Ford", "Acme Robotics"} <= alice.keys()
        assert await self.graph(rc, "bob") == {}

        clock.forward(days=3)
        chat = await self.member(rc, "bob").conversation()
        assert (await chat.context("What did we discuss about Sarah Chen and Atlas?", tokens=2_000)).hits
        await rc.drain()
        bob = await self.graph(rc, "bob")
        assert bob.keys() == alice.keys()
        assert set(bob.values()).isdisjoint(alice.values())

        clock.forward(days=300)
        for job in ("decay", "source_consolidation", "descriptions"):
            await rc.run_job(job)
        assert await self.graph(rc, "charlie") == {}
        [kept] = await self.member(rc, "charlie").sources()
        assert (kept.id, kept.status) == (meeting.id, "processed")

    async def test_what_one_notes_the_others_do_not_see(self, rc, meeting):
        for user in ("alice", "bob"):
            await self.member(rc, user).get(meeting.id)
        await rc.drain()
        of_alice, of_bob = [(await self.graph(rc, user))["Sarah Chen"] for user in ("alice", "bob")]
        await self.member(rc, "alice").add_note(of_alice, "Is a good listener.")
        texts = [note.content for note in await self.member(rc, "bob").notes(of_bob)]
        assert "Is a good listener." not in texts


class TestLifetimesOfNotes:
    """ "week", "month" (default), "year", "forever"."""

    LIVES = (("week", 7), ("month", 30), ("year", 365))

    async def noted(self, rc, me):
        """A node and a relation, with a note of each lifetime on both."""
        await me.ingest(MEETING, "meeting")
        await rc.drain()
        [sarah] = await me.nodes(name="Sarah")
        tie = next(tie for tie in await me.relations(sarah.id) if tie.type == "works_at")
        for id in (sarah.id, tie.id):
            for lifetime in ("week", "year", "forever"):
                await me.add_note(id, f"For a {lifetime}.", lifetime=lifetime)
            await me.add_note(id, "For a month.")
        return sarah.id, tie.id

    async def lifetimes(self, me, id):
        return {note.lifetime for note in await me.notes(id) if note.content.startswith("For a ")}

    async def test_each_note_lasts_until_its_day_and_no_longer(self, rc, me, clock):
        ids, began = await self.noted(rc, me), clock.now
        left = {"week", "month", "year", "forever"}
        for lifetime, days in self.LIVES:
            clock.forward(days=days - (clock.now - began).days, microseconds=-1)
            await rc.run_job("note_cleanup")
            assert [await self.lifetimes(me, id) for id in ids] == [left, left]
            clock.forward(microseconds=1)
            left = left - {lifetime}
            assert [await self.lifetimes(me, id) for id in ids] == [left, left]  # also before the job
            assert (await rc.run_job("note_cleanup"))["removed"] >= 2
        clock.forward(days=3_650)
        await rc.run_job("note_cleanup")
        assert [await self.lifetimes(me, id) for id in ids] == [{"forever"}, {"forever"}]

    async def test_another_life_counts_from_the_day_it_was_given(self, rc, me, clock):
        sarah, _ = await self.noted(rc, me)
        [week] = [note for note in await me.notes(sarah) if note.content == "For a week."]
        clock.forward(days=6)
        await me.update_note(week.id, lifetime="month")
        clock.forward(days=30, microseconds=-1)
        await rc.run_job("note_cleanup")
        assert week.id in [note.id for note in await me.notes(sarah)]
        clock.forward(microseconds=1)
        await rc.run_job("note_cleanup")
        assert week.id not in [note.id for note in await me.notes(sarah)]


async def told(rc, me, clock, texts, source_type="meeting"):
    """A source a day, of the day; what it names is asked for, and so in use."""
    for text in texts:
        await me.ingest(text, source_type, started_at=clock.now)
        await rc.drain()
        clock.forward(days=1)
    await me.nodes(kind=None)
    await rc.recalls.flush()


async def of_kind(me, kind, name):
    return sorted(
        (each for each in await me.get_all(kinds=[kind], limit=100) if each.title.startswith(f"{name} (")),
        key=lambda each: each.happened_at,
    )


@pytest.fixture
async def year(rc, me, clock):
    """Two tries at a job and two summers of a garden: two themes of two storylines each."""
    for texts in (TRIES, OFFERS):
        await told(rc, me, clock, texts)
        await told(rc, me, clock, GARDEN, "text-note")
        await rc.run_job("storyline_promotion")
        clock.forward(days=100)
    clock.forward(days=-100)
    await rc.run_job("macro_promotion")


class TestAttachment:
    """ "Step 4.5: Attach Source to existing Storylines", with the counters of their macro."""

    async def test_a_source_joins_the_story_of_its_time_and_the_theme_counts_it(self, rc, me, clock, year):
        first, second = await of_kind(me, "storyline", "Google")
        [macro] = await of_kind(me, "macro", "Google")
        assert (macro.data["storyline_count"], macro.data["source_count"]) == (2, 10)
        began = clock.now
        await told(rc, me, clock, ["Google sent a laptop. Google sent a badge. Google wrote to the landlord."], "email")
        [same, joined], [counted] = await of_kind(me, "storyline", "Google"), await of_kind(me, "macro", "Google")
        assert same.data == first.data
        assert (joined.id, joined.data["source_count"]) == (second.id, second.data["source_count"] + 1)
        assert datetime.fromisoformat(joined.data["last_source_at"]) == began
        assert (counted.id, counted.data["source_count"], counted.data["storyline_count"]) == (macro.id, 11, 2)
        assert datetime.fromisoformat(counted.data["last_source_at"]) == began
        assert (joined.content, counted.content) == (second.content, macro.content)  # until the night, and the week

        await rc.run_job("storyline_refresh")
        await rc.run_job("macro_refresh")
        [_, refreshed], [retold] = await of_kind(me, "storyline", "Google"), await of_kind(me, "macro", "Google")
        assert "laptop" in refreshed.content
        assert retold.content != macro.content
        [garden] = await of_kind(me, "macro", "Hilde Moser")
        assert garden.data["source_count"] == 10

        clock.forward(days=91)  # "last_source_at > datetime() - duration('P90D')"
        await told(rc, me, clock, ["Google closed an office. Google opened one. Google hired a gardener."])
        assert [each.data for each in await of_kind(me, "storyline", "Google")] == [same.data, refreshed.data]


class TestGranularity:
    """ "Query 'job situation' at granularity 3 … drill to granularity 2 … drill to granularity 1"."""

    async def test_from_themes_over_storylines_to_the_very_words(self, rc, me, year):
        [before] = await of_kind(me, "macro", "Google")
        themes = await me.explore(["the role and offer of Google", "garden beans of Hilde Moser"], granularity=3)
        assert {hit.memory.kind for hit in themes} == {"macro"}
        assert len(themes) == 2
        [google] = [hit for hit in themes if hit.memory.title.startswith("Google (")]
        assert [(part.kind, part.sources) for part in google.parts] == [("storyline", 5), ("storyline", 5)]
        assert all(part.first_at < part.last_at and part.summary for part in google.parts)
        assert [part.title for part in google.about] == ["Google"]

        stories = await me.explore(["offer"], granularity=2, within=google.memory.id)
        assert {hit.memory.id for hit in stories} <= {part.id for part in google.parts}
        [recent] = [hit for hit in stories if "offer" in hit.memory.content or "contract" in hit.memory.content]
        assert [part.type for part in recent.parts] == ["meeting"] * 5
        assert "bonus" not in recent.memory.content

        found = await me.explore(["salary and bonus"], granularity=1, within=recent.memory.id)
        source = next(hit for hit in found if hit.memory.kind == "source")
        assert source.memory.content == OFFERS[2]
        assert "Google" in [node.title for node in source.entities]

        # What was found is recalled.
        await rc.recalls.flush()
        [after] = await of_kind(me, "macro", "Google")
        assert (before.state, after.state) == ("candidate", "active")
        assert (before.access_count, after.access_count) == (0, 1)

    async def test_the_way_down_by_ids_alone(self, rc, me, year):
        """With no question, all that is within, the newest first."""
        [macro] = await of_kind(me, "macro", "Google")
        newest, oldest = await me.explore([], granularity=2, within=macro.id)
        assert newest.memory.happened_at > oldest.memory.happened_at
        found = await me.explore([], granularity=1, within=oldest.memory.id, limit=50)
        texts = [hit.memory.content for hit in found if hit.memory.kind == "source"]
        assert texts == list(reversed(TRIES))
