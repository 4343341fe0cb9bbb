"""The commands about sources, on a real database with the fake embedder."""

import asyncio
import os

import psycopg

from recollect import Recollect

NOTE = "Sarah Chen works at Acme Robotics."


async def ingested(**more):
    async with Recollect.open(worker=False) as rc:
        source = await rc.scope(user_id="alice").ingest(NOTE, title="Staff", **more)
        await rc.drain()
        return source


def test_sources_are_listed_and_tried_again(run, answer):
    first = asyncio.run(ingested())
    [listed] = answer("sources", "list", "--user", "alice")
    assert (listed["id"], listed["status"], listed["title"]) == (str(first.id), "extracted", "Staff")
    assert answer("sources", "list", "--user", "alice", "--status", "failed") == []
    assert "No sources." in run("sources", "list", "--user", "bob").stdout
    run("sources", "retry", str(first.id), "--user", "alice", ok=4)
    with psycopg.connect(os.environ["RECOLLECT_DATABASE_URL"]) as owner:
        owner.execute(
            "update recollect.source set status = 'processed', failed = 'ValueError', attempts = 5"
            " where space_id = 'user:alice'"
        )
    shown = run("sources", "list", "--user", "alice", "--status", "failed").stdout
    assert "ValueError" in shown
    assert "Staff" in shown
    assert "on its way" in run("sources", "retry", str(first.id), "--user", "alice").stdout
    [listed] = answer("sources", "list", "--user", "alice")
    assert (listed["status"], listed["attempts"]) == ("extracted", 0)
