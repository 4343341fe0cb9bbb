-- name: standing
-- How memories and relations of each kind and state stand, and what is left of their salience.
select u.kind, u.state, count(*) as memories,
    avg(salience_at(%(now)s, u.salience, u.salience_at, u.state, u.ttl_policy, u.confidence, u.recall_frequency,
                    u.decay_gradient, %(rate)s, %(confident)s)) as salience
from memory_use u
where u.space_id = %(space)s
group by u.kind, u.state
order by u.kind, u.state;

-- name: each
-- How every memory stands of kinds that are followed one by one.
select u.memory_id as id, u.kind, u.state, u.ttl_policy, u.confidence, u.recall_frequency as recalls,
    salience_at(%(now)s, u.salience, u.salience_at, u.state, u.ttl_policy, u.confidence, u.recall_frequency,
                u.decay_gradient, %(rate)s, %(confident)s) as salience
from memory_use u
where u.space_id = %(space)s and u.kind = any (%(kinds)s::text[])
order by u.memory_id;

-- name: titles
-- What memories are called.
select id, coalesce(nullif(title, ''), left(content, 80)) as title
from memory where space_id = %(space)s and id = any (%(ids)s::uuid[]);

-- name: stories
-- The storylines and macros, what they are about and how many sources each covers.
select m.id, m.kind, n.title as about, coalesce((m.data->>'source_count')::integer, 0) as sources
from memory m
join memory_use u on u.space_id = %(space)s and u.memory_id = m.id and u.state in ('candidate', 'active', 'core')
join relation r on r.space_id = %(space)s and r.from_id = m.id and r.type in ('about', 'rooted_in')
join memory n on n.space_id = %(space)s and n.id = r.to_id
where m.space_id = %(space)s and m.kind in ('storyline', 'macro')
order by m.id;

-- name: searchable
-- How many entries the default search reads, and how many there are.
select count(*) filter (where visible) as visible, count(*) as entries from entry where space_id = %(space)s;
