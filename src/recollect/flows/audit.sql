-- name: statements
-- Statements that hold, the newest first, for as many as are looked at.
select r.id from remembered r
where r.space_id = %(space)s and r.kind = 'statement' and r.valid_until is null and not r.pending
  and r.state in ('candidate', 'active', 'core')
order by r.created_at desc, r.id desc
limit %(most)s;

-- name: waiting
-- Statements that nobody corroborated or promoted for a long time.
select id, content as text from remembered
where space_id = %(space)s and kind = 'statement' and pending and not state = 'soft_deleted' and valid_until is null
  and created_at < %(before)s
order by id;

-- name: behind
-- Descriptions and stories that the nights did not bring up to date.
select d.target_id as id, d.kind as text from dirty d where d.space_id = %(space)s and d.since < %(before)s
order by d.target_id;

-- name: failed_sources
-- Documents that were given up.
select s.id, coalesce(m.title, s.source_type) as text
from source s join memory m on m.space_id = %(space)s and m.id = s.id
where s.space_id = %(space)s and s.failed is not null
order by s.id;

-- name: unsourced
-- What was learned from messages of which none is left, and stands although no person stands for it.
select r.id, r.content as text
from remembered r
where r.space_id = %(space)s and r.kind in ('profile', 'statement', 'episode', 'procedure') and not r.by_hand
  and r.state in ('candidate', 'active', 'core') and jsonb_typeof(r.data->'messages') = 'array'
  and jsonb_array_length(r.data->'messages') > 0
  and not exists (
      select from message m
      where m.space_id = %(space)s and m.retracted_at is null and r.data->'messages' ? m.id::text)
order by r.id;

-- name: loose_ends
-- Relations of which one end is gone.
select t.id, t.type as text
from relation t
where t.space_id = %(space)s and t.valid_until is null
  and (not exists (select from memory m where m.space_id = %(space)s and m.id = t.from_id)
    or not exists (select from memory m where m.space_id = %(space)s and m.id = t.to_id))
order by t.id;

-- name: texts
-- Every derived text, page by page, in the order of ids.
select r.id, concat_ws(E'\n', r.title, r.summary, r.content) as text
from remembered r
where r.space_id = %(space)s and not r.kind in ('turn', 'source', 'chunk', 'item') and not r.state = 'soft_deleted'
  and r.id > %(after)s
order by r.id
limit %(most)s;

-- name: written
-- How many drafts of texts were made of late, and how many of them the writing rules refused.
select coalesce(sum((detail->>'written')::bigint), 0)::bigint as written,
    coalesce(sum((select sum(value::bigint) from jsonb_each_text(detail->'rejected'))), 0)::bigint as rejected
from event
where space_id = %(space)s and op = 'extract' and at >= %(since)s;
