-- name: tables
-- Every table of ours and of the queue, and whether its rows are of a space.
select n.nspname as schema, c.relname as name,
    exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'space_id' and not a.attisdropped) as spaced
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p') and n.nspname in ('recollect', 'recollect_queue')
order by 1, 2;

-- name: memories_of_references
-- What a member learned of a team's sources alone: the references, what names them as its source, and the nodes that no
-- source of the member's own mentions.
with reference as (
    select id from recollect.source where space_id = %(space)s and origin_space = %(team)s
)
select m.title, m.summary, m.content, m.tags, m.data, m.metadata from recollect.memory m
where m.space_id = %(space)s and (
    m.id in (select id from reference) or m.source_id in (select id from reference)
    or (exists (select from recollect.relation r
                where r.space_id = %(space)s and r.to_id = m.id and r.from_id in (select id from reference))
        and not exists (select from recollect.relation r
                        where r.space_id = %(space)s and r.to_id = m.id and r.type = 'mentions'
                          and not r.from_id in (select id from reference))));

-- name: notes_of_references
-- Notes that came of them.
select n.content from recollect.note n
join recollect.source s on s.space_id = %(space)s and s.id = n.source_id and s.origin_space = %(team)s
where n.space_id = %(space)s;
