"""Document C's worked examples with the clock moved: decay, access patterns, policies, and what is promoted when.

Its prose about days until something is archived disagrees with its formula in places; the formula holds.
"""

import math
from datetime import UTC, datetime, timedelta

import pytest

from recollect.records.lifecycle import Rules, Use, decay_rate, salience
from seeding import Garden

NOW = datetime(2026, 3, 18, 9, 30, tzinfo=UTC)
DAY = timedelta(days=1)
RULES = Rules()


@pytest.fixture
def me(rc):
    return rc.scope(user_id="alice")


def left(use: Use, days: float) -> float:
    """The share of a salience that is left after some days."""
    return salience(use, NOW + days * DAY, RULES) / use.salience


def active(**more) -> Use:
    return Use("active", 0.5, NOW, **({"confidence": 1.0} | more))


def candidate(confidence: float) -> Use:
    return Use("candidate", 0.5, NOW, confidence=confidence)


class TestTheFormula:
    """ "decay_rate = base_rate / (1 + recall_frequency^decay_gradient)"."""

    @pytest.mark.parametrize(("days", "share"), [(35, 0.5), (70, 0.25), (105, 0.125)])
    def test_half_lives_of_what_was_never_recalled(self, days, share):
        """ "After 35 days unused: salience × 0.5 (half-life)", and so on."""
        assert decay_rate(active(), RULES) == 0.02
        assert left(active(), days) == pytest.approx(math.exp(-0.02 * days)) == pytest.approx(share, abs=0.005)

    @pytest.mark.parametrize(("days", "share"), [(35, 0.95), (70, 0.90)])
    def test_what_is_recalled_often_hardly_fades(self, days, share):
        """ "recall_frequency=5, decay_gradient=1.5": 0.02 / (1 + 11.18) = 0.00164."""
        use = active(recall_frequency=5, decay_gradient=1.5)
        assert decay_rate(use, RULES) == pytest.approx(0.02 / (1 + 5**1.5)) == pytest.approx(0.00164, abs=1e-5)
        assert left(use, days) == pytest.approx(share, abs=0.01)

    @pytest.mark.parametrize(
        ("confidence", "rate"), [(0.4, 0.044), (0.5, 0.04), (0.7, 0.032), (0.79, 0.0284), (0.8, 0), (0.85, 0), (0.9, 0)]
    )
    def test_doubtful_candidates_fade_faster_and_sure_ones_not_at_all(self, confidence, rate):
        assert decay_rate(candidate(confidence), RULES) == pytest.approx(rate)

    def test_half_as_sure_is_half_the_half_life(self):
        """ "After 17 days unused: salience × 0.5", "After 35 days: salience × 0.25"."""
        assert left(candidate(0.5), 17) == pytest.approx(0.5, abs=0.01)
        assert left(candidate(0.5), 35) == pytest.approx(0.25, abs=0.01)

    def test_confidence_no_longer_matters_once_active(self):
        """ "state=active, confidence=0.4": the normal rate."""
        assert left(active(confidence=0.4), 35) == left(active(), 35)


async def only(me, **filters):
    """The one memory, without recalling it."""
    [memory] = await me.get_all(include=["archived"], **filters)
    return memory


async def recall(rc, me, id):
    await me.get(id)
    await rc.recalls.flush()


KINDS = ("person", "concept", "entity", "source", "storyline", "macro", "insight")
"""Document C's kinds, and insights, which fade in the same way."""


class Topic:
    """One thing that was extracted as each of the kinds, and what becomes of it."""

    def __init__(self, rc, me, clock):
        self.rc, self.me, self.clock = rc, me, clock
        self.ids = {}

    async def extracted(self, text, confidence):
        """It is new, and this sure."""
        garden = Garden(self.rc)
        for kind in KINDS:
            plant = garden.source(f"{text}.", self.clock.now) if kind == "source" else garden.memory(kind, f"{text}.")
            self.ids[kind] = await plant
        garden.stand(list(self.ids.values()), confidence=confidence)
        return self

    async def recalled(self):
        for id in self.ids.values():
            await self.me.get(id)
        await self.rc.recalls.flush()

    async def stands(self):
        """Each kind as it is, without recalling it."""
        found = {memory.kind: memory for memory in await self.me.get_all(include=["archived"])}
        assert found.keys() == set(KINDS)
        return found.values()

    async def states(self):
        """The states that it has; one, if all kinds are treated alike."""
        return {memory.state for memory in await self.stands()}

    async def salience(self):
        """The salience, which is the same for every kind."""
        first, *others = [memory.salience for memory in await self.stands()]
        assert others == pytest.approx([first] * len(others))
        return first


@pytest.fixture
def topic(rc, me, clock):
    return Topic(rc, me, clock)


class TestAccessPatterns:
    async def test_a_high_frequency_topic_becomes_core(self, rc, clock, topic):
        """ "accessed every 3 days": candidate → active at the first access → core at the tenth, about 30 days on."""
        await topic.extracted("The launch", 0.7)
        states = []
        for _ in range(20):
            clock.forward(days=3)
            await topic.recalled()
            states.append(await topic.states())
        assert states == [{"active"}] * 9 + [{"core"}] * 11
        assert {memory.access_count for memory in await topic.stands()} == {20}
        assert await topic.salience() > 0.95
        clock.forward(days=90)
        await rc.run_job("decay")
        assert await topic.states() == {"core"}
        assert await topic.salience() > 0.8

    @pytest.mark.parametrize(
        ("confidence", "quarter", "last"),
        # ln(0.5 / 0.25) / rate until half of it is gone, ln(0.5 / 0.01) / rate until it is under 0.01.
        [(0.7, math.log(2) / 0.032, 122), (0.4, math.log(2) / 0.044, 88)],
    )
    async def test_a_one_off_mention_and_a_doubtful_one_fade(self, rc, me, clock, topic, confidence, quarter, last):
        """ "One-off mention (never retrieved)", "Low-confidence candidate (confidence=0.4, never accessed)"."""
        await topic.extracted("A cousin", confidence)
        clock.forward(days=quarter)
        assert await topic.salience() == pytest.approx(0.25)
        clock.forward(days=last - quarter)
        await rc.run_job("decay")
        assert await topic.states() == {"candidate"}
        clock.forward(days=1)
        await rc.run_job("decay")
        assert {(memory.state, memory.access_count) for memory in await topic.stands()} == {("archived", 0)}
        assert list(await me.get_all()) == []

    async def test_a_sure_candidate_waits_for_its_first_use(self, rc, clock, topic):
        """ "High-confidence candidate (confidence=0.9, never accessed)": no decay until the first retrieval."""
        await topic.extracted("Written briefs", 0.9)
        clock.forward(days=1_000)
        await rc.run_job("decay")
        assert await topic.states() == {"candidate"}
        assert await topic.salience() == 0.5
        await topic.recalled()
        assert await topic.states() == {"active"}
        clock.forward(days=35)
        # Recalled once: 0.02 / (1 + 1¹) = 0.01.
        assert await topic.salience() == pytest.approx(0.55 * math.exp(-0.01 * 35))

    async def test_a_seasonal_topic_rises_and_falls_and_stays(self, rc, clock, topic):
        """ "accessed in bursts": spikes during use, decays between, no season long enough to lose it."""
        await topic.extracted("The summer camp", 0.7)
        peaks, troughs = [], []
        for _ in range(3):
            for _ in range(3):
                clock.forward(days=1)
                await topic.recalled()
            peaks.append(await topic.salience())
            clock.forward(days=120)
            await rc.run_job("decay")
            assert await topic.states() == {"active"}
            troughs.append(await topic.salience())
        assert all(trough < peak for peak, trough in zip(peaks, troughs, strict=True))
        assert all(trough < peak for trough, peak in zip(troughs, peaks[1:], strict=False))
        assert all(0.25 < trough < 0.75 for trough in troughs)

    async def test_what_was_archived_comes_back_when_it_is_asked_for(self, rc, me, clock, topic):
        """ "archived → active: If re-accessed after archival (salience boosted)"."""
        await topic.extracted("Stamps", 0.4)
        clock.forward(days=89)
        await rc.run_job("decay")
        before, low = await topic.states(), await topic.salience()
        assert await me.search("stamps") == []
        await topic.recalled()
        assert (before, await topic.states()) == ({"archived"}, {"active"})
        assert await topic.salience() == pytest.approx(low + 0.05)
        hits = await me.search("stamps", kinds=list(KINDS))
        assert {hit.memory.kind for hit in hits} == set(KINDS)

    async def test_people_and_sources_as_they_come_wait_and_then_fade(self, rc, me, clock):
        """What documents bring is sure. Explored every three days it is core; left alone, it fades by the formula."""
        await me.ingest("Sarah Chen works at Google. Sarah Chen leads hiring. Sarah Chen likes tea.", "meeting")
        await rc.drain()
        clock.forward(days=1_000)
        await rc.run_job("decay")
        given = {"kinds": ["person", "entity", "source"], "include": ["archived"]}
        assert {(each.state, each.salience) for each in await me.get_all(**given)} == {("candidate", 0.5)}
        for _ in range(10):
            clock.forward(days=3)
            assert "Sarah Chen" in [hit.memory.title for hit in await me.explore(["Sarah Chen"], granularity=1)]
            await rc.recalls.flush()
        [sarah] = await me.get_all(kinds=["person"])
        assert (sarah.state, sarah.access_count) == ("core", 10)
        high = sarah.salience
        clock.forward(days=365)
        [sarah] = await me.get_all(kinds=["person"])
        # The second recall came after a longer time than the first, which had none before it; the others after as long.
        assert sarah.salience == pytest.approx(high * math.exp(-365 * 0.02 / (1 + 10**1.1)))

    async def test_a_relation_fades_and_is_kept_by_walking_over_it(self, rc, me, clock):
        """Relations have the same lifecycle: one that nobody walks over goes, one that is walked over is core."""
        await me.ingest("Sarah Chen works at Google. Sarah Chen knows Tom Ford. Tom Ford likes Sarah Chen.", "meeting")
        await rc.drain()
        [sarah], [google] = await me.nodes(name="Sarah"), await me.nodes("entity", name="Google")
        for type in ("admires", "envies"):
            await me.relate(sarah.id, google.id, type, confidence=0.4)

        async def states():
            return {tie.type: tie.state for tie in await me.relations(sarah.id) if tie.type in ("admires", "envies")}

        assert await states() == {"admires": "candidate", "envies": "candidate"}
        for _ in range(10):
            clock.forward(days=8)
            await me.traverse(sarah.id, depth=1, types=["admires"])
            await rc.recalls.flush()
        clock.forward(days=8)
        await rc.run_job("decay")
        assert await states() == {"admires": "core", "envies": "candidate"}  # 88 days of 4.4 % each
        clock.forward(days=1)
        await rc.run_job("decay")
        assert await states() == {"admires": "core"}


class TestPolicies:
    """ "keep_forever > ephemeral > decay"."""

    async def test_what_is_kept_forever_never_fades(self, rc, me, clock):
        await me.add("Was born in Porto.", kind="insight", confidence=0.1, ttl_policy="keep_forever")
        clock.forward(days=3_650)
        await rc.run_job("decay")
        memory = await only(me)
        assert (memory.state, memory.salience) == ("candidate", 1.0)

    @pytest.mark.parametrize(("kind", "days"), [("episode", 30), ("insight", 90)])
    async def test_what_is_short_lived_ends_on_its_day_however_salient(self, rc, me, clock, kind, days):
        short = await me.add("Borrowed the van.", kind=kind, ttl_policy="ephemeral")
        for _ in range(12):
            await recall(rc, me, short.id)
        clock.forward(days=days, microseconds=-1)
        await rc.run_job("decay")
        assert (await only(me)).state == "core"
        clock.forward(microseconds=1)
        await rc.run_job("decay")
        assert (await only(me)).state == "archived"

    async def test_nightly_runs_or_one_after_a_long_sleep_give_the_same(self, rc, clock):
        nightly, asleep = rc.scope(user_id="nightly"), rc.scope(user_id="asleep")
        for scope in (nightly, asleep):
            await scope.add("Mentioned a cousin.", kind="insight", confidence=0.5)
        for _ in range(100):
            clock.forward(days=1)
            await rc.run_job("decay")
        first, second = await only(nightly), await only(asleep)
        assert (first.state, first.salience) == (second.state, second.salience)
        assert first.salience == pytest.approx(0.5 * math.exp(-0.04 * 100))


async def story(rc, kind="storyline", user="alice"):
    return list(await rc.scope(user_id=user).get_all(kinds=[kind]))


class TestPromotion:
    """ "Nightly Storyline Promotion Job", "Weekly Macro Promotion Job": at the thresholds, and just under them."""

    async def talk(self, garden, clock, node, days, what):
        """A source on each of some days, as the days pass."""
        for number, ahead in enumerate(days):
            clock.forward(days=ahead)
            await garden.source(f"{what} {number} was about Google.", clock.now, [node])

    async def test_the_fifth_source_on_a_third_day_makes_a_storyline(self, rc, clock):
        garden = Garden(rc)
        google = await garden.node("Google", "entity")
        await self.talk(garden, clock, google, [0, 0, 1, 1], "The interview")
        clock.forward(days=1, seconds=1)
        await rc.run_job("storyline_promotion")
        assert await story(rc) == []  # three days and a moment, but four sources
        await garden.source("The offer of Google came.", clock.now, [google])
        await rc.run_job("storyline_promotion")
        [told] = await story(rc)
        assert told.title.startswith("Google (")
        assert told.data["source_count"] == 5
        assert 2 <= len(told.content.split(". ")) <= 3

    async def test_a_year_of_job_search_is_two_storylines_and_a_macro(self, rc, clock):
        garden = Garden(rc)
        google = await garden.node("Google", "entity")
        await self.talk(garden, clock, google, [0, 1, 1, 1, 1], "The interview")
        await rc.run_job("storyline_promotion")
        await rc.run_job("macro_promotion")
        assert (len(await story(rc)), len(await story(rc, "macro"))) == (1, 0)
        clock.forward(days=200)
        await self.talk(garden, clock, google, [0, 1, 1, 1], "The second try")
        await rc.run_job("storyline_promotion")
        assert len(await story(rc)) == 1  # four newer sources are not enough
        await self.talk(garden, clock, google, [1], "The contract")
        await rc.run_job("storyline_promotion")
        await rc.run_job("macro_promotion")
        first, second = sorted(await story(rc), key=lambda each: each.happened_at)
        [macro] = await story(rc, "macro")
        assert macro.data["storyline_count"] == 2
        assert garden.linked(macro.id, "groups") == {first.id, second.id}
        assert len(await rc.scope(user_id="alice").search("Google contract", kinds=["macro"])) == 1

    async def test_a_faded_source_becomes_knowledge_and_can_still_be_read(self, rc, clock):
        """ "Source older than 7 days with salience < 0.2": notes on its nodes, archived, the raw text kept."""
        garden = Garden(rc)
        google = await garden.node("Google", "entity")
        source = await garden.source("Google offered a job in Zurich.", clock.now, [google])
        me = rc.scope(user_id="alice")
        await recall(rc, me, source)  # recalled once, it loses 1 % a day: from 0.55 it is under 0.2 after 101.2 days
        clock.forward(days=101)
        await rc.run_job("source_consolidation")
        assert (await only(me, kinds=["source"])).state == "active"
        clock.forward(days=1)
        await rc.run_job("source_consolidation")
        kept = await only(me, kinds=["source"])
        assert kept.state == "archived"
        assert kept.content.startswith("Google offered a job in Zurich.")
        [(text, of)] = garden.rows("select content, source_id from note where space_id = %(space)s")
        assert text.endswith("Google offered a job in Zurich.")
        assert of == source
