-- Conditions that find what is due are written once: with `c.space_id` in the place of {space} they serve the owner over
-- all spaces, with a space's name the application in one.

-- name: fading
-- Sources that little is left of: old ones, and those that were asked for often and were not noted for that yet. One
-- that is still on its way into the graph waits until it has arrived there.
select c.space_id, c.memory_id as id, c.stored_at < {stored_before} as over
from memory_use c
join memory m on m.space_id = {space} and m.id = c.memory_id
where c.space_id = {space} and c.kind = 'source' and c.state in ('candidate', 'active', 'core')
  and not c.pinned and not c.by_hand and not c.ttl_policy = 'keep_forever'
  and (c.stored_at < {stored_before}
    or c.access_count >= {accesses} and not coalesce(m.data->'consolidated' ? 'referred', false))
  and salience_at({now}, c.salience, c.salience_at, c.state, c.ttl_policy, c.confidence, c.recall_frequency,
                  c.decay_gradient, {rate}, {confident}) < {below}
  and not exists (
      select from source s where s.space_id = {space} and s.id = c.memory_id and not s.status = 'extracted')

-- name: overlapping
-- Nodes that enough sources speak of whose gist together was not noted on them yet.
select c.space_id, c.node_id as id
from mentioned c
join memory_use n on n.space_id = {space} and n.memory_id = c.node_id and n.state in ('candidate', 'active', 'core')
join relation r on r.space_id = {space} and r.to_id = c.node_id and r.type = 'mentions'
join memory m on m.space_id = {space} and m.id = r.from_id and m.kind = 'source'
join memory_use u on u.space_id = {space} and u.memory_id = m.id and u.state in ('candidate', 'active', 'core')
    and not u.pinned and not u.by_hand and not u.ttl_policy = 'keep_forever'
where c.space_id = {space} and c.sources >= {overlap}
  and not coalesce(m.data->'consolidated'->'overlap' ? c.node_id::text, false)
  and not exists (
      select from source s where s.space_id = {space} and s.id = m.id and not s.status = 'extracted')
group by c.space_id, c.node_id
having count(*) >= {overlap}

-- name: spaces_to_consolidate_in
-- Spaces with sources whose gist is to be noted.
select space_id from ({fading}) as f
union
select space_id from ({overlapping}) as o;

-- name: faded
-- The sources of a space that little is left of, after one of them, in the order of their ids.
select id, over from ({fading}) as f where id > {after} order by id limit {most};

-- name: still_faded
-- Which of some sources are still so.
select id, over from ({fading}) as f where id = any ({ids}::uuid[]) order by id;

-- name: clustered
-- The nodes of a space that enough sources speak of together.
select id from ({overlapping}) as o order by id;

-- name: clusters
-- The sources that speak of some nodes together and were not noted for that yet, of each node in their order; the newest
-- of them with what they say.
select r.to_id as node_id, m.id, m.version, m.happened_at as first, m.happened_at as last, m.sensitivity,
       case when row_number() over (partition by r.to_id order by m.happened_at desc, m.id desc) <= %(newest)s
            then coalesce(nullif(m.summary, ''), left(m.content, 2000)) else '' end as text
from relation r
join memory m on m.space_id = %(space)s and m.id = r.from_id and m.kind = 'source'
join memory_use u on u.space_id = %(space)s and u.memory_id = m.id and u.state in ('candidate', 'active', 'core')
    and not u.pinned and not u.by_hand and not u.ttl_policy = 'keep_forever'
where r.space_id = %(space)s and r.to_id = any (%(nodes)s::uuid[]) and r.type = 'mentions'
  and not coalesce(m.data->'consolidated'->'overlap' ? r.to_id::text, false)
  and not exists (
      select from source s where s.space_id = %(space)s and s.id = m.id and not s.status = 'extracted')
order by r.to_id, m.happened_at, m.id;

-- name: said_of
-- What sources say, and of whom: a row for each node that one mentions.
select r.from_id as source_id, m.happened_at, coalesce(nullif(m.summary, ''), left(m.content, 2000)) as text,
       n.id, n.kind, n.title as name, n.data->'aliases' as names
from relation r
join memory m on m.space_id = %(space)s and m.id = r.from_id
join memory n on n.space_id = %(space)s and n.id = r.to_id and n.kind in ('person', 'concept', 'entity')
join memory_use u on u.space_id = %(space)s and u.memory_id = n.id and not u.state = 'soft_deleted'
where r.space_id = %(space)s and r.from_id = any (%(ids)s::uuid[]) and r.type = 'mentions'
order by r.from_id, n.id;

-- name: bare_chunks
-- The short-term chunks of which no source is in use any more; what somebody stands for is left as it is.
select ch.id
from memory ch
join memory_use u on u.space_id = %(space)s and u.memory_id = ch.id and u.state in ('candidate', 'active', 'core')
    and not u.pinned and not u.by_hand and not u.ttl_policy = 'keep_forever'
where ch.space_id = %(space)s and ch.kind = 'chunk' and ch.tier = 'short' and ch.data->'sources' ?| %(ids)s::text[]
  and not exists (
      select from jsonb_array_elements_text(ch.data->'sources') as named (id)
      join memory_use s on s.space_id = %(space)s and s.memory_id = named.id::uuid
          and s.state in ('candidate', 'active', 'core')
      where not named.id = any (%(ids)s::text[]))
order by ch.id;
