"""What programs keep as items, on every kind of server."""

from recollect import Recollect
from recollect.adapters.langgraph import RecollectStore


async def test_items_are_put_replaced_found_refreshed_and_removed(rc: Recollect, clock) -> None:
    store = RecollectStore(rc.scope(user_id="alice"), index={"fields": ["text"]}, ttl={"refresh_on_read": True})
    await store.aput(("docs",), "one", {"text": "tea in the morning", "n": 1}, ttl=10)
    await store.aput(("docs",), "two", {"text": "a boat of wood", "n": 2})
    await store.aput(("docs",), "one", {"text": "coffee at noon", "n": 3}, ttl=10)
    assert (await store.aget(("docs",), "one")).value == {"text": "coffee at noon", "n": 3}
    assert [found.key for found in await store.asearch(("docs",), filter={"n": {"$gt": 2}})] == ["one"]
    assert (await store.asearch(("docs",), query="a boat of wood"))[0].key == "two"
    clock.forward(minutes=8)
    assert await store.aget(("docs",), "one") is not None  # which begins its ten minutes anew
    clock.forward(minutes=8)
    assert await store.aget(("docs",), "one", refresh_ttl=False) is not None
    clock.forward(minutes=8)
    assert await store.aget(("docs",), "one") is None
    await store.adelete(("docs",), "two")
    assert await store.asearch(("docs",)) == []
    assert await store.alist_namespaces() == []
