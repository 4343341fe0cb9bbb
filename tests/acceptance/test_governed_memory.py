"""What document D promises of its sections 1, 2, 5, 6, 6.1, 11, 12 and 14, in its own numbers.

Its milliseconds are figures of `recollect bench governed`: a test that fails when the machine is busy tells nothing.
"""

import asyncio
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.core.errors import InvalidInput, NotAllowed
from recollect.flows import remember
from seeding import Garden

OF_D = """
categories:
  system:
    - name: profile
      context: all
    - name: event
      context: rag
      rag_length: 30
    - name: activity
      context: rag
      rag_length: 50
  custom: []
allowlists:
  supervisor: [profile, goals, preferences, event, activity, relationships, tasks]
  planner:    [goals, tasks, projects]
  stylist:    [preferences, tone, style]
  researcher: [knowledge, interests, history]
  executor:   [tasks, recent_activity, constraints]
"""
LOCAL = {"embedder": "recollect-recall-v2"}
THINGS = ("boat", "garden", "kitchen", "piano", "bicycle", "library", "harbour", "workshop", "orchard", "studio")
DEEDS = ("paint", "repair", "measure", "sell", "photograph", "insure", "clean", "move", "rent out", "heat")


@pytest.fixture
async def governed(open_recollect: Any, tmp_path: Path) -> Recollect:
    file = tmp_path / "categories.yaml"
    file.write_text(OF_D)
    return await open_recollect(categories=str(file), **LOCAL)


async def rows(rc: Recollect, statement: str) -> list[Any]:
    async with rc.parts.database.transaction("user:ana") as connection:
        cursor = await connection.execute(statement)
        return await cursor.fetchall()


class Test1MemoryDeltaHeader:
    """Header appears when changes exist; size ≤ 3 bullets; rev increments atomically."""

    async def test_it_appears_with_at_most_3_bullets(self, rc: Recollect) -> None:
        me = rc.scope(user_id="ana", agent_id="supervisor")
        chat = await me.conversation("thread-1")
        assert "Memory updates since rev" not in (await chat.context("Anything new?")).text
        for number in range(20):
            await me.add(f"Ana owns {number} kites.")
            bullets = await self._bullets(chat, "Memory updates since rev 0:")
            assert len(bullets) == min(number + 1, 3)
            assert all(bullet.startswith("- +created: [knowledge] Ana owns ") for bullet in bullets)
        await (await chat.context("Anything new?")).ack()
        assert "Memory updates since rev" not in (await chat.context("Anything new?")).text

    async def test_it_tells_each_event_of_the_document(self, open_recollect: Any, clock: Any) -> None:
        """created, updated, merged, deleted, soft_deleted, restored; each as one bullet."""
        rc = await open_recollect(**LOCAL)
        me = rc.scope(user_id="ana", agent_id="supervisor")
        chat = await me.conversation("thread-1")
        tea = await me.add("Ana prefers tea to coffee.", type="preference", importance=0.4)

        async def told() -> list[str]:
            context = await chat.context("Anything new?")
            await context.ack()
            return await self._bullets_of(context.text)

        assert await told() == ["- +created: [preferences] Ana prefers tea to coffee. (imp=2)"]
        await me.update(tea.id, content="Ana prefers green tea to coffee.")
        assert await told() == ["- ↑updated: [preferences] Ana prefers green tea to coffee. (imp=2)"]
        await me.delete(tea.id)
        assert [bullet.split(": ")[0] for bullet in await told()] == ["- −deleted"]
        await me.restore(tea.id)
        assert [bullet.split(": ")[0] for bullet in await told()] == ["- ↺restored"]
        await me.add("Ana prefers green tea over coffee.", type="preference")
        await told()
        await rc.run_job("daily_consolidation")
        assert [bullet.split(": ")[0] for bullet in await told()] == ["- ↔merged"]
        await Garden(rc, "user:ana").memory("statement", "The boat is blue.", type="fact", importance=0.2)
        clock.forward(days=60)
        await told()
        await rc.run_job("forgetting")
        [bullet] = await told()
        assert bullet.split(": ")[0].endswith("soft_deleted")

    async def test_the_revision_rises_atomically(self, rc: Recollect) -> None:
        me = rc.scope(user_id="ana")
        await asyncio.gather(*(me.add(f"Ana owns {number} kites.") for number in range(20)))
        with pytest.raises(InvalidInput):
            await me.add_many([{"content": "Ana owns a boat."}, {"content": ""}])
        [space] = await rows(rc, "select revision from space where space_id = 'user:ana'")
        revisions = await rows(rc, "select revision from change_log where space_id = 'user:ana' order by revision")
        assert [row.revision for row in revisions] == list(range(1, 21))
        assert space.revision == 20

    async def _bullets(self, chat: Any, head: str) -> list[str]:
        text = (await chat.context("Anything new?")).text
        assert head in text
        return await self._bullets_of(text)

    @staticmethod
    async def _bullets_of(text: str) -> list[str]:
        header = text.split("Memory updates since rev ")[1].split("\n\n", maxsplit=1)[0]
        return [line for line in header.splitlines() if line.startswith("- ")]


class Test2MinimalRelationsLayer:
    """Edge creation ≤ 2 ms/edge (bench); no duplicate edges; retrieval includes related bullets when present."""

    async def test_an_edge_is_written_once(self, rc: Recollect) -> None:
        """No duplicate edges, in one direction or the other, whoever writes them and however often."""
        me = rc.scope(user_id="ana")
        texts = [f"Ana wants to {deed} the old {thing} in spring." for thing in THINGS for deed in DEEDS]
        added = await me.add_many([{"content": text} for text in texts])
        before = await rows(rc, "select from_id, to_id from relation where space_id = 'user:ana'")
        assert len(before) >= 100
        async with rc.parts.database.transaction("user:ana") as connection:
            await remember.link(rc.parts, connection, "user:ana", [m.id for m in added], rc.parts.clock())
        await asyncio.gather(*(me.add(f"Ana wants to sell the old {thing} in autumn.") for thing in THINGS))
        after = await rows(rc, "select from_id, to_id from relation where space_id = 'user:ana'")
        assert len(after) > len(before)
        assert max(Counter(frozenset((row.from_id, row.to_id)) for row in after).values()) == 1

    async def test_retrieval_includes_related_bullets_when_present(self, open_recollect: Any) -> None:
        rc = await open_recollect(**LOCAL)
        me = rc.scope(user_id="ana")
        move = await me.add("Ana moves the sailing boat to the winter harbour in October.")
        paint = await me.add("The hull needs three coats of red paint.")
        await me.add("Bread dough rests overnight.")
        chat = await me.conversation("thread-1")
        question = "When does Ana move the sailing boat?"
        [alone] = await me.query(question, top_k=1)
        assert alone.related == ()
        await me.relate(move.id, paint.id, "depends_on", strength=0.9)
        [bullet] = await me.query(question, top_k=1)
        assert [tied.text for tied in bullet.related] == ["[knowledge] The hull needs three coats of red paint."]
        assert "three coats of red paint" in (await chat.context(question)).text

    async def test_a_tie_to_another_hit_is_a_small_boost(self, rc: Recollect) -> None:
        me = rc.scope(user_id="ana")
        one, other = await me.add("The red kite flies high."), await me.add("A red kite was bought.")
        await me.relate(one.id, other.id, "part_of", strength=0.8)
        for hit in await me.search("red kite"):
            assert hit.why["relation"] == pytest.approx(rc.settings.weight_relation * 0.8)
        for hit in await me.search("red kite", weights={"relation": 0}):
            assert hit.why["relation"] == 0


class Test5CategoriesAndAllowlists:
    """Requests with disallowed categories are rejected; context mode respected."""

    async def test_requests_with_disallowed_categories_are_rejected(self, governed: Recollect) -> None:
        planner = governed.scope(user_id="ana", agent_id="planner")
        for asked in (
            planner.search("plan", categories=["knowledge"]),
            planner.get_all(categories=["tasks", "knowledge"]),
            planner.query("plan", categories=["knowledge"]),
            planner.search_many([{"query": "plan", "categories": ["knowledge"]}]),
        ):
            with pytest.raises(NotAllowed, match="category knowledge"):
                await asked

    async def test_the_context_mode_is_respected(self, governed: Recollect) -> None:
        """`all`: every item of the category; `rag`: at most rag_length of what the question calls to mind."""
        me = governed.scope(user_id="ana", agent_id="supervisor")
        for number in range(12):
            await me.set_profile("preference", f"taste {number}", f"flavour{number}")
        fact = await governed.scope(user_id="ana").get_all(kinds=["profile"], limit=1)
        await governed.scope(user_id="ana").update(next(iter(fact)).id, importance=0.1)
        chat = await me.conversation("thread-1")
        text = (await chat.context("What do I like?", tokens=8_000)).text
        assert all(f"flavour{number}" in text for number in range(12))

    @pytest.mark.parametrize(("kind", "category", "most"), [("episode", "event", 30), ("turn", "activity", 50)])
    async def test_a_context_takes_rag_length_of_a_category_at_most(
        self, open_recollect: Any, kind: str, category: str, most: int
    ) -> None:
        rc = await open_recollect(categories=OF_D, context_memories=200, context_episodes=200, context_threshold=0)
        me = rc.scope(user_id="ana", agent_id="supervisor")
        texts = [f"Ana sailed the kite boat to harbour {number}." for number in range(most + 10)]
        if kind == "episode":
            await me.add_many([{"content": text, "kind": kind} for text in texts])
        else:
            await (await me.conversation("elsewhere")).add_many([{"role": "user", "content": text} for text in texts])
        await rc.drain()
        chat = await me.conversation("thread-1")
        hits = (await chat.context("Where did Ana sail the kite boat?", tokens=32_000)).hits
        assert sum(hit.memory.category == category for hit in hits) == most


class Test6MemoryQuery:
    """Server-side allowlist enforced; token/budget respected; latency < 150 ms for bullets (bench)."""

    async def test_the_request_of_the_document(self, governed: Recollect) -> None:
        me = governed.scope(user_id="ana")
        await me.add("Write the deployment plan for the new site.", category="tasks", importance=0.6)
        await me.add("The site project deploys with blue and green servers.", category="projects")
        await me.add("The deployment of last year failed.", category="history")
        told = await me.query(
            agent="planner",
            query="deployment plan context",
            categories=["tasks", "projects"],
            filters={
                "user_id": "ana",
                "pinned": False,
                "importance_min": 1,
                "importance_max": 5,
                "updated_after": "2025-07-01",
                "updated_before": None,
            },
            top_k=3,
            return_="bullets",
            budget_tokens=512,
        )
        assert told[0]["text"] == "[tasks] Write the deployment plan for the new site."
        assert {bullet["category"] for bullet in told} == {"tasks", "projects"}

    async def test_bullets_keep_to_the_allowlist_and_the_budget(self, governed: Recollect) -> None:
        me = governed.scope(user_id="ana")
        texts = [f"{deed.capitalize()} the {thing} number {n}." for n in range(5) for thing in THINGS for deed in DEEDS]
        await me.add_many([{"content": text, "category": ("tasks", "style")[n % 2]} for n, text in enumerate(texts)])
        await governed.drain()
        planner = governed.scope(user_id="ana", agent_id="planner")
        for deed in DEEDS:
            told = await planner.query(f"What was planned: {deed}?", top_k=10, budget_tokens=60)
            said = [text for each in told for text in (each.text, *(tied.text for tied in each.related))]
            assert said
            assert all(text.startswith("[tasks] ") for text in said)
            assert governed.parts.counter.count("\n".join(said)) <= 60
        assert await planner.query("paint", threshold=0.0, filters={"category": "tasks"})
        with pytest.raises(NotAllowed, match="category style"):
            await planner.query("paint", filters={"category": "style"})

    async def test_6_1_filters_are_applied_by_the_server(self, governed: Recollect) -> None:
        """Minimal required filter keys, each of them; others are refused by name."""
        me = governed.scope(user_id="ana")
        for n in range(40):
            await me.add(f"Deploy the {THINGS[n % 10]} number {n}.", category="tasks", importance=0.2 + 0.6 * (n == 39))
        [found] = await me.query("deploy", filters={"importance_min": 4}, top_k=1)
        assert "number 39." in found.text  # found among forty that fit as well: filtered before it is ranked
        keys = ("user_id", "agent_id", "run_id", "actor_id", "role", "category", "pinned")
        keys += ("importance_min", "importance_max", "updated_after", "updated_before")
        assert await me.query("deploy", filters=dict.fromkeys(keys))
        with pytest.raises(InvalidInput, match=r"filters\.tenant: is no filter"):
            await me.query("deploy", filters={"tenant": "x"})


class Test11OnDemandRecall:
    """< 10 % of turns trigger recall; latency < 200 ms (bench)."""

    async def test_recalls_are_counted(self, governed: Recollect) -> None:
        me = governed.scope(user_id="ana")
        await me.add_many([{"content": f"{deed.capitalize()} the {thing}."} for thing in THINGS for deed in DEEDS])
        for thing in THINGS:
            assert len(await me.query(f"What about the {thing}?", top_k=3, budget_tokens=256)) <= 3
        await governed.recalls.flush()
        [counted] = await rows(governed, "select count(*) from event where space_id = 'user:ana' and op = 'query'")
        assert counted.count == len(THINGS)

    async def test_fewer_than_a_tenth_of_the_turns_trigger_it_where_memory_knows(self, governed: Recollect) -> None:
        me = governed.scope(user_id="ana")
        await me.add_many(
            [{"content": f"Ana keeps the key of the {thing} in box {n}."} for n, thing in enumerate(THINGS * 3)]
        )
        chat = await me.conversation("thread-1")
        advised = 0
        for thing in THINGS * 2:
            question = f"In which box is the key of the {thing}?"
            advised += (await chat.context(question, tokens=2_000)).recall_advised
            await chat.add("user", question)
        assert advised / (2 * len(THINGS)) < 0.10
        elsewhere = await me.conversation("thread-2")
        assert (await elsewhere.context("Qwertz uiopü?", tokens=2_000)).recall_advised


STEPS = "1. Stop the server.\n2. Deploy the site.\n3. Start the server."


class Test12ProceduralMemory:
    """Created only on explicit trigger or high-confidence detection; never pollutes semantic/episodic channels."""

    @pytest.mark.parametrize(
        ("talk", "kept"),
        [
            ((("user", f"Here is how we deploy the site:\n{STEPS}"),), 1),  # spelled out
            ((("assistant", f"To deploy the site:\n{STEPS}"), ("user", "Please save these steps.")), 1),  # asked for
            ((("assistant", f"To deploy the site:\n{STEPS}"), ("user", "Thanks, that works.")), 0),
            ((("user", "My favourites:\n1. Tea\n2. Coffee\n3. Water"),), 0),
            ((("user", "We stopped the server, deployed the site and started it again."),), 0),
        ],
    )
    async def test_it_is_created_on_a_trigger_alone(self, mind: Recollect, talk: Any, kept: int) -> None:
        me = mind.scope(user_id="ana")
        chat = await me.conversation("thread-1")
        for role, text in talk:
            await chat.add(role, text)
        await mind.drain()
        found = list(await me.get_all(kinds=["procedure"]))
        assert len(found) == kept
        assert all(each.data["steps"][0] == "Stop the server." for each in found)
        others = await me.get_all(kinds=["statement", "episode", "insight", "profile"])
        assert not [memory.content for memory in others if "Stop the server" in memory.content]

    async def test_it_never_pollutes_other_channels(self, governed: Recollect) -> None:
        """Excluded from default conversational context; only fetched via memory.query(categories: ["procedural"])."""
        me = governed.scope(user_id="ana")
        await me.add(STEPS, kind="procedure")
        await me.add("The site is deployed by Ana.", type="fact")
        chat = await me.conversation("thread-1")
        question = "How is the site deployed?"
        context = await chat.context(question)
        assert {hit.memory.kind for hit in context.hits} == {"statement"}
        await context.ack()  # the delta header told that it was created
        assert "Stop the server" not in (await chat.context(question)).text
        assert "procedural" not in {bullet.category for bullet in await me.query(question, top_k=10)}
        [told] = await me.query(question, categories=["procedural"])
        assert told.text.startswith("[procedural] 1. Stop the server.")


class Test14OperationalTracking:
    """Basic counts by op/node over time; enables answering "what changed and when" without logs."""

    async def test_counts_by_op_and_node_over_time(self, open_recollect: Any, clock: Any) -> None:
        rc = await open_recollect(**LOCAL, understand=True, window_most=2, window_step=2)
        me = rc.scope(user_id="ana")
        chat = await me.conversation("thread-1")
        kite = await me.add("Ana owns a kite.")
        await me.search("kite")
        await me.query("kite")
        await chat.context("kite")
        await chat.add_many([{"role": "user", "content": f"The kite number {number} flies."} for number in range(5)])
        await rc.drain()
        clock.forward(days=1)
        await me.update(kite.id, content="Ana owns two kites.")
        await me.add("Ana prefers tea to coffee.", type="preference")
        await me.add("Ana prefers tea over coffee.", type="preference")
        await rc.run_job("daily_consolidation")
        await me.delete(kite.id)
        await rc.recalls.flush()
        first, second = await self._counts(rc)
        assert {("hotpath", "create"): 1, ("hotpath", "search"): 1, ("hotpath", "query"): 1}.items() <= first.items()
        assert {("context", "search"): 1, ("episodic", "create"): 2}.items() <= first.items()
        assert {("hotpath", "create"): 2, ("hotpath", "update"): 1, ("hotpath", "delete"): 1}.items() <= second.items()
        assert second["worker", "merge"] == 1

    async def test_what_changed_and_when(self, rc: Recollect, clock: Any) -> None:
        me = rc.scope(user_id="ana")
        kite = await me.add("Ana owns a kite.")
        began = clock.now
        clock.forward(hours=5)
        await me.update(kite.id, content="Ana owns two kites.")
        clock.forward(hours=5)
        await me.delete(kite.id)
        of_kite = f"space_id = 'user:ana' and memory_id = '{kite.id}'"
        changes = await rows(rc, f"select op, status, category, at from event where {of_kite} order by at")
        hours = [began + timedelta(hours=5 * number) for number in range(3)]
        assert [(row.op, row.status, row.at) for row in changes] == [
            ("create", "ok", hours[0]),
            ("update", "ok", hours[1]),
            ("delete", "ok", hours[2]),
        ]

    @staticmethod
    async def _counts(rc: Recollect) -> list[dict[tuple[str, str], int]]:
        """By day: how often each operation was done where."""
        counted = await rows(
            rc,
            "select (at at time zone 'UTC')::date as day, node, op, count(*) from event"
            " where space_id = 'user:ana' group by 1, 2, 3",
        )
        days = sorted({row.day for row in counted})
        return [{(row.node, row.op): row.count for row in counted if row.day == day} for day in days]
