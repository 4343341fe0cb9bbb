-- name: columns
-- The tables of spaces with their columns, as they are written; what the database computes by itself is left out.
select c.relname::text as "table", a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type,
    coalesce(array_position(i.indkey::int2[], a.attnum), -1) as place
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
join pg_index i on i.indrelid = c.oid and i.indisprimary
where c.relnamespace = 'recollect'::regnamespace and c.relkind in ('r', 'p')
  and exists (select from pg_attribute s where s.attrelid = c.oid and s.attname = 'space_id')
order by c.relname, a.attnum;

-- name: hidden
-- What a scope that was not opened for it does not see: memories, and relations that were found there alone.
select id from memory where space_id = %(space)s and sensitivity = 'high'
union
select id from relation where space_id = %(space)s and data->>'sensitivity' = 'high';

-- name: spaces
-- Every space, for a backup.
select space_id from recollect.space order by space_id;

-- name: embedder
-- The model that the vectors are of.
select value from recollect.installation where name = 'embedder';

-- name: threads
-- Which conversations there are.
select id, owner, thread_id from conversation where space_id = %(space)s;

-- name: memories
-- All that can be in the search index.
select id from memory where space_id = %(space)s;

-- name: rows_of_all
-- All rows that could have been forgotten.
select id, 'memory' as of from memory where space_id = %(space)s
union all select id, 'message' from message where space_id = %(space)s
union all select id, 'conversation' from conversation where space_id = %(space)s
union all select id, 'relation' from relation where space_id = %(space)s
union all select id, 'note' from note where space_id = %(space)s;
