"""How many statements a migration takes: by its sections, whatever the number of chunks."""

import numpy as np
import psycopg
import pytest
from pgvector import HalfVector
from pgvector.psycopg import register_vector

from recollect.db.database import Batch, Database

_SECTIONS = 100
_TEXT = "The auth service uses JWT access tokens"


async def fill(rc, space, chunks):
    """Chunks in bulk, every one of them near what the sections say."""
    [vector] = await rc.parts.embedder.embed([_TEXT], purpose="document")
    dice = np.random.default_rng(7)
    with psycopg.connect(rc.database_url, autocommit=True, options="-c search_path=recollect,public") as owner:
        register_vector(owner)
        owner.execute(
            "insert into memory (space_id, id, kind, type, category, content, data, source_id, agent_id, tier,"
            " happened_at, recorded_at, created_at, updated_at)"
            " select %(space)s, lpad(to_hex(n), 32, '0')::uuid, 'chunk', 'section', 'knowledge',"
            " %(text)s || ', said note ' || n, jsonb_build_object('order', 0, 'sources', '[]'::jsonb),"
            " lpad(to_hex(n + 100000), 32, '0')::uuid, 'coder', 'short', now(), now(), now(), now()"
            " from generate_series(1, %(chunks)s) n on conflict do nothing",
            {"space": space, "text": _TEXT, "chunks": chunks},
        )
        owner.execute(
            "insert into memory_use (space_id, memory_id, kind, salience_at, importance, confidence, stored_at)"
            " select space_id, id, 'chunk', now(), 0.5, 1, now() from memory where space_id = %s"
            " on conflict do nothing",
            [space],
        )
        vectors = vector + 0.05 * dice.standard_normal((chunks, len(vector)))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        owner.execute(
            "insert into entry (space_id, memory_id, version, passage, kind, category, sensitivity, happened_at,"
            " importance, text_hash, length, terms, weights, embedding)"
            " select %(space)s, lpad(to_hex(n), 32, '0')::uuid, 1, 0, 'chunk', 'knowledge', 'normal', now(), 0.5,"
            " '\\x00', 6, '{1}', '{1:1}/1000000000', v from unnest(%(vectors)s::halfvec[]) with ordinality as e (v, n)"
            " on conflict do nothing",
            {"space": space, "vectors": [HalfVector(row) for row in vectors]},
        )
        for table in ("memory", "memory_use", "entry"):
            owner.execute(f"analyze {table}")  # as the job does that takes statistics


class Counting:
    """Counts what is sent to the server."""

    def __init__(self, patch):
        self.statements = 0
        execute, send = psycopg.AsyncConnection.execute, Database.send

        async def executed(connection, *given, **options):
            self.statements += 1
            return await execute(connection, *given, **options)

        async def sent(database, batch: Batch):
            self.statements += len(batch.statements)
            return await send(database, batch)

        patch.setattr(psycopg.AsyncConnection, "execute", executed)
        patch.setattr(Database, "send", sent)


async def counted(rc, monkeypatch, user, chunks):
    """The statements of one migration, and what became of the sections."""
    me = rc.scope(user_id=user, agent_id="coder")
    await fill(rc, f"user:{user}", chunks)
    names = [f"s{number}" for number in range(_SECTIONS)]
    active = await me.create_active("Work", sections=dict.fromkeys(names, ""))
    with psycopg.connect(rc.database_url, autocommit=True, options="-c search_path=recollect,public") as owner:
        owner.execute(
            "update section set updates = 1, content = %s || '. Point ' || name || ' is new.'"
            " where space_id = %s and active_id = %s",
            [_TEXT, f"user:{user}", active.id],
        )
    with monkeypatch.context() as patch:
        counting = Counting(patch)
        landed = await me.migrate()
    assert len(landed) == _SECTIONS
    return counting.statements, {each.outcome for each in landed}


@pytest.mark.local
async def test_statements_grow_with_the_sections_not_with_the_chunks(rc, monkeypatch):
    few, _ = await counted(rc, monkeypatch, "few", 1_000)
    many, outcomes = await counted(rc, monkeypatch, "many", 10_000)
    assert "merged" in outcomes  # every chunk is near every section
    assert many <= 1.1 * few
    assert many <= 60 * _SECTIONS
