-- name: spaces
-- Spaces to fade in.
insert into recollect.space (space_id, created_at)
select %(space)s || '-' || n, %(now)s from generate_series(0, %(spaces)s - 1) as n;

-- name: memories
-- Memories of a kind that decay may archive, spread over the spaces.
insert into recollect.memory (
    space_id, id, kind, category, content, tier, happened_at, recorded_at, created_at, updated_at)
select %(space)s || '-' || n %% %(spaces)s, lpad(to_hex(n), 32, '0')::uuid, 'insight', 'facts',
    'What was once noticed, number ' || n, 'long', %(now)s, %(now)s, %(now)s, %(now)s
from generate_series(%(first)s::bigint, %(last)s) as n;

-- name: uses
-- Their counters: every hundredth has faded below the threshold, the others by all degrees above it.
insert into recollect.memory_use (
    space_id, memory_id, kind, state, salience, salience_at, access_count, recall_frequency, decay_gradient,
    importance, confidence, stored_at)
select %(space)s || '-' || n %% %(spaces)s, lpad(to_hex(n), 32, '0')::uuid, 'insight',
    case when due or n %% 3 = 0 then 'active' when n %% 3 = 1 then 'core' else 'candidate' end,
    case when due then 0.5 else 0.3 + 0.1 * (n %% 7) end,
    %(now)s::timestamptz - make_interval(secs => 86400 * case when due then 420.0 + n %% 100 else (n %% 600) / 10.0 end),
    n %% 5, case when due then 1 else n %% 5 end, 0.5 + 0.1 * (n %% 20), 0.4, 0.5 + 0.1 * (n %% 5), %(now)s
from generate_series(%(first)s::bigint, %(last)s) as n, lateral (select (n / %(spaces)s) %% 100 = 0 as due) as faded;

-- name: entries
-- Their search entries: a vector that is as long as the embedder's, and a few words.
insert into recollect.entry (
    space_id, memory_id, version, passage, kind, category, sensitivity, happened_at, importance, text_hash, length,
    terms, weights, embedding)
select %(space)s || '-' || n %% %(spaces)s, lpad(to_hex(n), 32, '0')::uuid, 1, 0, 'insight', 'facts', 'normal', %(now)s,
    0.4, decode(md5(n::text), 'hex'), 8,
    array[1 + n %% 1000003, 2000000 + n %% 5003, 3000000 + n %% 101]::integer[],
    format('{%%s:1,%%s:1,%%s:1}/1000000000', 1 + n %% 1000003, 2000000 + n %% 5003, 3000000 + n %% 101)::sparsevec,
    %(vector)s::halfvec
from generate_series(%(first)s::bigint, %(last)s) as n;

-- name: sample
-- Some memories as they are stored, with what the database makes of their salience.
select space_id, memory_id, state, salience, salience_at, confidence, ttl_policy, access_count, recall_frequency,
    last_recall_interval, decay_gradient, last_accessed_at,
    recollect.salience_at(%(at)s, salience, salience_at, state, ttl_policy, confidence, recall_frequency, decay_gradient,
                          %(rate)s, %(confident)s) as salience_in_sql
from recollect.memory_use
where starts_with(space_id, %(space)s) and memory_id = any (%(ids)s);

-- name: archived
-- How many are archived, and how many of them can still be found.
select count(*) as archived, count(*) filter (where e.visible) as visible
from recollect.memory_use u
left join recollect.entry e on e.space_id = u.space_id and e.memory_id = u.memory_id
where starts_with(u.space_id, %(space)s) and u.state = 'archived';
