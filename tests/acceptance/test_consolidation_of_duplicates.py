"""Daily consolidation on labelled pairs, written without sight of it: 200 that say the same, 100 that do not."""

import json
from pathlib import Path

import pytest

DATA = Path(__file__).parent.parent / "data" / "consolidation"
SHARE = 0.7
"""Of the duplicates that have to go."""


@pytest.mark.parametrize("name", ["a", "b"])
@pytest.mark.once
async def test_duplicates_go_and_what_only_looks_alike_stays(name, open_recollect):
    rc = await open_recollect(embedder="recollect-recall-v2", daily_pairs=2_000)
    me = rc.scope(user_id="alice")
    pairs = [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]
    assert [sum(pair["label"] == label for pair in pairs) for label in ("same", "different")] == [200, 100]
    added = await me.add_many([{"content": pair[side], "type": pair["type"]} for pair in pairs for side in "ab"])
    counts = await rc.run_job("daily_consolidation")
    left = {memory.id for memory in await me.get_all(kinds=["statement"], limit=1_000)}
    ids = {pair["id"]: {added[2 * place].id, added[2 * place + 1].id} for place, pair in enumerate(pairs)}
    whole = {name: len(both) == 2 and both <= left for name, both in ids.items()}
    same = [pair for pair in pairs if pair["label"] == "same"]
    removed = sum(not whole[pair["id"]] for pair in same)
    assert removed >= SHARE * len(same)
    assert [pair for pair in pairs if pair["label"] == "different" and not whole[pair["id"]]] == []
    at_once = sum(len(both) == 1 for both in ids.values())  # what is known word by word is not even added
    assert counts["merged"] == len(added) - at_once - len(left)
    assert counts["merged"] == removed - at_once  # nothing went into a statement of another pair
