-- name: space
-- A space to walk in.
insert into recollect.space (space_id, created_at) values (%(space)s, %(now)s);

-- name: nodes
-- Nodes of the graph; their ids are their numbers.
insert into recollect.memory (
    space_id, id, kind, category, title, content, tier, happened_at, recorded_at, created_at, updated_at)
select %(space)s, lpad(to_hex(n), 32, '0')::uuid, 'entity', 'knowledge', 'Node ' || n,
    'What is known of node ' || n || ', in a sentence or two, as nodes have it once their notes were read at night.',
    'long', %(now)s, %(now)s, %(now)s, %(now)s
from generate_series(%(first)s::bigint, %(last)s) as n;

-- name: node_uses
-- How they stand: all degrees of salience, and one in a hundred archived.
insert into recollect.memory_use (
    space_id, memory_id, kind, state, salience, salience_at, importance, confidence, stored_at)
select %(space)s, lpad(to_hex(n), 32, '0')::uuid, 'entity',
    case when n = any (%(archived)s::bigint[]) then 'archived' else 'active' end,
    0.1 + 0.9 * (n * 7919 %% 1000) / 1000.0, %(now)s, 0.5, 0.9, %(now)s
from generate_series(%(first)s::bigint, %(last)s) as n;

-- name: relations
-- Relations between them; some have ended.
insert into recollect.relation (
    space_id, id, from_id, to_id, type, strength, author, valid_from, valid_until, created_at, updated_at)
select %(space)s, lpad(to_hex(r.number), 32, '0')::uuid, lpad(to_hex(r.subject), 32, '0')::uuid,
    lpad(to_hex(r.object), 32, '0')::uuid, r.type, r.strength, 'recollect', %(now)s::timestamptz - interval '30 days',
    case when r.ended then %(now)s::timestamptz - interval '1 day' end, %(now)s, %(now)s
from unnest(
    %(numbers)s::bigint[], %(subjects)s::bigint[], %(objects)s::bigint[], %(types)s::text[],
    %(strengths)s::double precision[], %(ended)s::boolean[]
) as r (number, subject, object, type, strength, ended);

-- name: relation_uses
-- How they stand; some are archived.
insert into recollect.memory_use (
    space_id, memory_id, kind, state, salience, salience_at, importance, confidence, stored_at)
select %(space)s, lpad(to_hex(r.number), 32, '0')::uuid, 'relation',
    case when r.archived then 'archived' else 'active' end, 0.5, %(now)s, 0.5, 0.9, %(now)s
from unnest(%(numbers)s::bigint[], %(archived)s::boolean[]) as r (number, archived);

-- name: touch_nodes
-- All of them changed, as far as the outbox knows.
insert into recollect.outbox (space_id, id, target_id, at)
select space_id, gen_random_uuid(), memory_id, now() from recollect.memory_use where space_id = %(space)s;
