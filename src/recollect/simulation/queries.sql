-- name: standing
-- How memories of each kind and state stand, and what is left of their salience.
select u.kind, u.state, count(*) as memories,
    avg(salience_at(%(now)s, u.salience, u.salience_at, u.state, u.ttl_policy, u.confidence, u.recall_frequency,
                    u.decay_gradient, %(rate)s, %(confident)s)) as salience
from memory_use u
where u.space_id = %(space)s and not u.state = 'soft_deleted'
group by u.kind, u.state
order by u.kind, u.state;

-- name: followed
-- What is left of the salience of nodes by these names.
select m.title as name,
    max(salience_at(%(now)s, u.salience, u.salience_at, u.state, u.ttl_policy, u.confidence, u.recall_frequency,
                    u.decay_gradient, %(rate)s, %(confident)s)) as salience
from memory m
join memory_use u on u.space_id = %(space)s and u.memory_id = m.id
where m.space_id = %(space)s and m.kind in ('person', 'concept', 'entity') and m.title = any (%(names)s::text[])
group by m.title;

-- name: searchable
-- How many entries the default search reads, and how many there are.
select count(*) filter (where visible) as visible, count(*) as entries from entry where space_id = %(space)s;
