"""Random section updates, migrations, promotions, edits, decisions, deletions, retention and clock moves: what must
hold after each."""

import itertools
import random
from collections import defaultdict
from contextlib import suppress
from datetime import timedelta

import pytest

from recollect.core.errors import Conflict, InvalidInput
from recollect.flows import comparing

SECTIONS = ("log", "plan")
_STEPS = 60
_SIZES = {"chunk_single": 60, "chunk_size": 64, "chunk_overlap": 8}


def text(section, versions):
    """A text of several chunks, of which each part has its own version."""
    parts = []
    for part, version in enumerate(versions):
        steps = [f"{section.title()} step {part}{place} of area {part} was done by team {part}." for place in range(3)]
        told = " ".join(steps)
        added = "".join(f" Area {part} also got remark {'abcdefghij'[n % 10]}{n} then." for n in range(version))
        parts.append(f"## Area {part} of the {section}\n\n{told}{added}")
    return "\n\n".join(parts)


class Walk:
    """A random walk, and what it remembers of what it did."""

    def __init__(self, rc, clock, seed):
        self.rc, self.me = rc, rc.scope(user_id="alice", agent_id="coder")
        self.clock, self.dice = clock, random.Random(seed)
        self.versions = {name: [0] * 5 for name in SECTIONS}
        self.counts = dict.fromkeys(SECTIONS, 0)
        self.given, self.landed, self.sources = defaultdict(list), [], []
        self.current = {}
        self.moments = [clock.now]
        self.most_chunks = 0
        self.deleted, self.deleted_sources, self.ended = {}, {}, set()

    async def begin(self):
        self.active = await self.me.create_active("Work", sections=dict.fromkeys(SECTIONS, ""))
        for name in SECTIONS:
            await self.update(name)

    async def update(self, name=None):
        name = name or self.dice.choice(SECTIONS)
        self.versions[name][self.dice.randrange(5)] += 1
        told = text(name, self.versions[name])
        await self.me.update_section(self.active.id, name, told)
        self.given[name].append(told)
        self.current[name] = told
        self.counts[name] += 1

    async def migrate(self):
        before = dict(self.current)
        waiting = {name for name, count in self.counts.items() if count}
        for each in await self.me.migrate():
            assert each.section in waiting
            self.landed.append(before[each.section])
            self.sources.append(each.source_id)
            self.counts[each.section] = 0

    async def migrate_while_writing(self, monkeypatch):
        """An update comes while a section is on its way."""
        plan, name, before = comparing.plan, self.dice.choice(SECTIONS), dict(self.current)
        late = []

        async def interrupted(*given):
            made = await plan(*given)
            if not late:
                late.append(name)
                await self.update(name)
            return made

        waiting = [each for each in SECTIONS if self.counts[each]]
        with monkeypatch.context() as patch:
            patch.setattr(comparing, "plan", interrupted)
            for each in await self.me.migrate():
                self.landed.append(before[each.section])
                self.sources.append(each.source_id)
        for each in waiting:
            self.counts[each] = 1 if each in late else 0

    async def promote(self):
        if self.sources:
            with suppress(Conflict):  # under review, or decided against
                await self.me.promote(self.dice.choice(self.sources))

    async def edit(self):
        chunks = list(await self.me.get_all(kinds=["chunk"], tier="short", limit=1000))
        if chunks:
            chunk = self.dice.choice(chunks)
            await self.me.update(chunk.id, content=f"{chunk.content} Somebody noted {self.dice.randrange(10**6)}.")

    async def end_or_bring_back(self):
        """A chunk holds no more, or again."""
        chunks = await self.short(include=["expired"])
        if chunks:
            chunk = self.dice.choice(chunks)
            ended = None if chunk.valid_until else max(self.clock.now, chunk.valid_from)
            await self.me.update(chunk.id, valid_until=ended)
            self.ended.add(str(chunk.id))

    async def edit_a_version(self):
        """Refused: promotion alone writes them."""
        source = self.dice.choice(self.sources)
        for version in await self.me.chunk_history(source):
            given = self.dice.choice([{"content": "xx yy"}, {"valid_until": None}, {"valid_from": self.clock.now}])
            with pytest.raises(InvalidInput):
                await self.me.update(version.id, **given)

    async def decide(self):
        for review in await self.me.reviews():
            for _ in range(2):  # what is known may have changed since: it is looked at again
                with suppress(Conflict):
                    decision = self.dice.choice(["keep_new", "keep_both", "keep_old", "merged"])
                    told = "\n\n".join(piece.text for piece in review.pieces) + " Both were looked at."
                    await self.me.resolve(review.id, decision, text=told if decision == "merged" else None)
                    break

    async def short(self, **filters):
        return list(await self.me.get_all(kinds=["chunk"], tier="short", limit=1000, **filters))

    async def delete(self):
        """A chunk, or a source; or what was deleted comes back."""
        chunks = await self.short()
        if self.deleted and self.dice.random() < 0.3:
            await self.me.restore(id := self.dice.choice(list(self.deleted)))
            del self.deleted[id]
        elif self.deleted_sources and self.dice.random() < 0.5:
            await self.me.restore(id := self.dice.choice(list(self.deleted_sources)))
            del self.deleted_sources[id]
        elif self.sources and self.dice.random() < 0.3:
            source = await self.me.delete(self.dice.choice(self.sources))
            self.deleted_sources[source.id] = source.content
        elif chunks:
            chunk = self.dice.choice(chunks)
            await self.me.delete(chunk.id)
            everything = await self.short(include=["archived", "expired"])
            twins = {other.id for other in everything if other.content == chunk.content}
            self.deleted[chunk.id] = (chunk.content, twins)

    async def retain(self):
        self.clock.forward(days=self.dice.choice([1, 20, 40]))
        await self.rc.run_job("retention")

    async def run_promotion(self):
        await self.rc.run_job("promotion")

    async def move_clock(self):
        self.clock.forward(hours=self.dice.choice([0, 1, 5, 30, -2, -40]))

    async def step(self, monkeypatch):
        weights = {
            self.update: 6,
            self.migrate: 5,
            self.promote: 7,
            self.edit: 4,
            self.end_or_bring_back: 3,
            self.edit_a_version: 1,
            self.decide: 1,
            self.delete: 2,
            self.retain: 1,
            self.run_promotion: 1,
            self.move_clock: 5,
            None: 2,
        }
        doing = self.dice.choices(list(weights), weights=list(weights.values()))[0]
        await (self.migrate_while_writing(monkeypatch) if doing is None else doing())
        self.moments.append(self.clock.now)
        await self.check()

    async def check(self):
        await self.check_versions()
        await self.check_chunks()
        await self.check_raw_log()
        found = (await self.me.get_active(self.active.id)).sections
        assert {name: section.update_count for name, section in found.items()} == self.counts
        assert {name: section.content for name, section in found.items()} == self.current

    async def check_chunks(self):
        """One chunk at each place of a source, and none that somebody deleted."""
        chunks = await self.short(include=["archived", "expired"])
        places = [(chunk.provenance.source_id, chunk.data["order"]) for chunk in chunks]
        assert len(places) == len(set(places))
        for content, twins in self.deleted.values():
            assert all(chunk.content != content or chunk.id in twins for chunk in chunks)

    async def check_versions(self):
        seen = set()
        found = await self.short(include=["archived"])
        holding = {str(chunk.id) for chunk in found if chunk.valid_until is None}
        for source in dict.fromkeys(self.sources):
            by_chunk = defaultdict(list)
            for version in await self.me.chunk_history(source):
                by_chunk[version.data["chunk"]].append(version)
            self.most_chunks = max(self.most_chunks, len(by_chunk))
            for chunk, versions in by_chunk.items():
                spans = sorted((v.valid_from, v.valid_until is None, v.valid_until or v.valid_from) for v in versions)
                for (_, is_open, until), (start, _, _) in itertools.pairwise(spans):
                    assert not is_open
                    # Neither gap nor overlap; a gap only where somebody ended the chunk.
                    assert until == start or (until < start and chunk in self.ended)
                assert spans[-1][1] or chunk not in holding or chunk in self.ended
                seen |= {version.id for version in versions}
        at = self.dice.choice(self.moments)
        valid = list(await self.me.get_all(kinds=["chunk"], tier="long", valid_at=at, limit=1000))
        chunks = [version.data["chunk"] for version in valid]
        assert len(chunks) == len(set(chunks))
        assert {version.id for version in valid} <= seen

    async def check_raw_log(self):
        sources = await self.me.get_all(kinds=["source"], include=["archived"], limit=1000)
        found = {source.content for source in sources}
        assert set(self.landed) - set(self.deleted_sources.values()) <= found <= set(self.landed)
        logged = defaultdict(list)
        for each in await self.me.section_history(self.active.id):
            logged[each.section].append(each.content)
        assert logged == self.given


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.once) for seed in range(1, 4))])
async def test_nothing_is_lost_and_versions_follow_each_other(open_recollect, clock, monkeypatch, seed):
    walk = Walk(await open_recollect(**_SIZES), clock, seed)
    await walk.begin()
    await walk.migrate()
    await walk.check()
    for _ in range(_STEPS):
        await walk.step(monkeypatch)
    assert walk.most_chunks >= 3
    assert len(walk.landed) > 3
    histories = [await walk.me.chunk_history(source) for source in dict.fromkeys(walk.sources)]
    replaced = [version for history in histories for version in history if version.valid_until is not None]
    assert replaced  # some chunk was promoted, changed and promoted again
    assert max(walk.moments) - min(walk.moments) > timedelta(hours=1)
