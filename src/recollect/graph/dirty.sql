-- name: mark
-- Texts that have to follow what came. What is marked already keeps its place, under another mark: whoever read it
-- meanwhile must not take that away.
insert into dirty (space_id, target_id, kind, since, mark, anew)
select %(space)s, id, kind, %(now)s, %(mark)s, %(anew)s
from unnest(%(ids)s::uuid[], %(kinds)s::text[]) as d (id, kind)
order by id
on conflict (space_id, target_id) do update
    set mark = excluded.mark, anew = dirty.anew or excluded.anew;

-- name: clear
-- The texts followed, where nothing came since they were read.
delete from dirty d
using unnest(%(ids)s::uuid[], %(marks)s::uuid[]) as c (id, mark)
where d.space_id = %(space)s and d.target_id = c.id and d.mark = c.mark;

-- name: drop
-- Texts that need not follow any more.
delete from dirty where space_id = %(space)s and target_id = any (%(ids)s::uuid[]);
