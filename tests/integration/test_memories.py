async def test_added_memory_is_found(rc):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice prefers tea.", type="preference")
    [hit] = await me.search("tea")
    assert hit.memory.id == added.id
