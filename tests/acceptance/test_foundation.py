"""Recollect as a user meets it: nothing set up, a folder, the real embedder, and everything in one sitting."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from recollect import Recollect


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 18, 9, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


async def test_from_an_empty_folder_to_a_memory_that_stores_finds_explains_and_fades(tmp_path: Path):
    clock = Clock()
    async with Recollect.open(data_dir=tmp_path / "memory", clock=clock) as rc:
        me = rc.scope(user_id="alice", agent_id="planner", thread_id="chat-1")
        chat = await me.conversation("chat-1")
        said = [
            ("user", "Alice", "I have just moved to Lisbon with my two cats."),
            ("assistant", None, "How lovely! What are the cats called?"),
            ("user", "Alice", "Miso and Tofu. I still have to find a vet for them."),
            ("user", "Alice", "By the way, I cannot eat peanuts."),
        ]
        for role, name, content in said:
            message = await chat.add(role, content, name=name)
        goal = await me.add("Alice wants to run the Lisbon marathon in October.", type="goal")

        hits = await me.search("What are the names of Alice's pets?", after=message.watermark)
        assert "Miso and Tofu" in hits[0].memory.content
        assert hits[0].memory.provenance.turn == 3
        assert abs(sum(hits[0].why.values()) - hits[0].score) < 1e-9

        [best, *_] = await me.search("food allergy", after=message.watermark)
        assert "peanuts" in best.memory.content
        assert (await me.search("sports plans for autumn"))[0].memory.id == goal.id
        assert await me.search("How does a diesel engine work?", threshold=0.6) == []
        assert await rc.scope(user_id="mallory").search("cats") == []

        changed = await me.update(goal.id, content="Alice wants to run the Porto marathon in November.", if_version=1)
        assert changed.version == 2
        assert await me.search("marathon", as_known_at=clock.now - timedelta(seconds=1)) == []
        await me.delete(goal.id)
        assert goal.id not in [hit.memory.id for hit in await me.search("marathon", kinds=["statement"])]
        await me.restore(goal.id)
        assert [entry.event for entry in await me.history(goal.id)] == ["ADD", "UPDATE", "DELETE", "RESTORE"]
        url = rc.database_url

    clock.now += timedelta(days=35)
    async with Recollect.open(data_dir=tmp_path / "memory", clock=clock) as rc:
        assert rc.database_url == url
        me = rc.scope(user_id="alice")
        hits = await me.search("What are the names of Alice's pets?")
        assert "Miso and Tofu" in hits[0].memory.content
        assert hits[0].memory.state == "active"
        assert hits[0].memory.access_count >= 1
        assert hits[0].memory.salience < 0.55
        assert (await rc.run_job("decay"))["failed"] == 0
        assert (await me.get(goal.id)).content == "Alice wants to run the Porto marathon in November."
