-- name: node
-- What is projected of a memory. The text of kinds that are no nodes of the graph stays where it is, and so does all
-- text of what was deleted. Of long texts no more is read than tells that they are to be cut.
select m.id, m.kind, m.tier, left(m.type, %(named)s) as type, m.sensitivity, m.valid_from, m.valid_until,
    m.created_at, m.updated_at, u.state, u.confidence, u.importance,
    case when told.is_told then left(m.title, %(named)s) end as name,
    case when told.is_told
         then left(case when m.kind = 'source' then m.summary else nullif(m.content, m.title) end, %(described)s)
         end as description,
    case when told.is_told then left(m.data->>'canonical', %(named)s) end as canonical_name,
    case when told.is_told then m.data->'aliases' end as aliases,
    m.data->>'first_seen' as first_seen, m.data->>'last_seen' as last_seen
from memory m
join memory_use u on u.space_id = %(space)s and u.memory_id = m.id
cross join lateral (
    select m.kind = any (%(kinds)s::text[]) and not u.state = 'soft_deleted' as is_told
) told
where m.space_id = %(space)s
  and (m.kind = any (%(kinds)s::text[])
       or exists (select from relation r where r.space_id = %(space)s and r.from_id = m.id)
       or exists (select from relation r where r.space_id = %(space)s and r.to_id = m.id));

-- name: nodes
-- Some of them.
{node} and m.id = any (%(ids)s::uuid[]);

-- name: nodes_after
-- A page of them.
{node} and m.id >= %(first)s order by m.id limit %(limit)s;

-- name: relation
-- What is projected of a relation.
select r.id, r.from_id, r.to_id, left(r.type, %(named)s) as type, r.attitude, r.proximity, r.strength, r.author,
    r.valid_from, r.valid_until, r.starts_on, r.created_at, r.updated_at,
    coalesce(r.data->>'sensitivity', 'normal') as sensitivity, u.state, u.confidence,
    case when not u.state = 'soft_deleted' then left(r.description, %(described)s) end as description
from relation r
join memory_use u on u.space_id = %(space)s and u.memory_id = r.id
where r.space_id = %(space)s
  and exists (select from memory f where f.space_id = %(space)s and f.id = r.from_id)
  and exists (select from memory t where t.space_id = %(space)s and t.id = r.to_id);

-- name: relations
-- Some of them.
{relation} and r.id = any (%(ids)s::uuid[]);

-- name: relations_after
-- A page of them.
{relation} and r.id >= %(first)s order by r.id limit %(limit)s;

-- name: size
-- How many nodes, at most, and relations a space has.
select (select count(*) from memory where space_id = %(space)s and kind = any (%(kinds)s::text[])) as nodes,
    (select count(*) from relation where space_id = %(space)s) as relations;
