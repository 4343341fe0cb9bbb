-- name: mark
-- Texts that have to follow what came. What is marked already is marked anew, a moment later than before: whoever read
-- it meanwhile must not take the mark away.
insert into dirty (space_id, target_id, kind, since)
select %(space)s, id, kind, %(now)s
from unnest(%(ids)s::uuid[], %(kinds)s::text[]) as d (id, kind)
order by id
on conflict (space_id, target_id) do update
    set since = greatest(excluded.since, dirty.since + interval '1 microsecond');

-- name: clear
-- The texts followed, where nothing came since they were read.
delete from dirty d
using unnest(%(ids)s::uuid[], %(sinces)s::timestamptz[]) as c (id, since)
where d.space_id = %(space)s and d.target_id = c.id and d.since = c.since;

-- name: drop
-- Texts that need not follow any more.
delete from dirty where space_id = %(space)s and target_id = any (%(ids)s::uuid[]);
