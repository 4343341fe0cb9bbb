-- name: counts
-- How many memories of each kind stand in each state.
select kind, case when pending and not state = 'soft_deleted' then 'pending' else state end as state, count(*) as count
from remembered
where space_id = %(space)s and sensitivity = any (%(sensitivity)s)
group by 1, 2;

-- name: growth
-- How many memories of each kind are from each of the last days: what was imported is from the day on which it was said, a
-- node from the one on which it was first spoken of. Days are texts, since nobody checks that an imported one is a day.
select least(to_char(least(happened_at, created_at) at time zone %(zone)s, 'YYYY-MM-DD'), left(data ->> 'first_seen', 10))
    as day, kind, count(*) as count
from memory
where space_id = %(space)s and least(happened_at, created_at) >= %(since)s and sensitivity = any (%(sensitivity)s)
group by 1, 2;

-- name: said
-- How many conversations of some owners there are, and messages in them.
select count(*) as conversations, coalesce(sum(last_turn), 0)::bigint as messages
from conversation
where space_id = %(space)s and owner = any (%(owners)s);
