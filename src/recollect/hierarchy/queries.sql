-- Conditions that find what is due are written once: with `c.space_id` in the place of {space} they serve the owner over
-- all spaces, with a space's name the application in one.

-- name: untold
-- Nodes in use, and known for some time, whose story was not told yet: by their counters; or whose last storyline is long
-- over, with enough sources since.
select c.space_id, c.node_id, c.sources::bigint as sources
from mentioned c
join memory_use u on u.space_id = {space} and u.memory_id = c.node_id
    and u.kind in ('person', 'concept', 'entity') and u.state in ('active', 'core')
where c.space_id = {space} and c.sources >= {least_sources} and c.days >= {least_days} and c.first_at < {known_before}
  and not exists (
      select from relation a
      join memory_use st on st.space_id = {space} and st.memory_id = a.from_id and st.kind = 'storyline'
      where a.space_id = {space} and a.to_id = c.node_id and a.type = 'about')
union all
select c.space_id, c.node_id, count(*) as sources
from mentioned c
join memory_use u on u.space_id = {space} and u.memory_id = c.node_id
    and u.kind in ('person', 'concept', 'entity') and u.state in ('active', 'core')
join relation r on r.space_id = {space} and r.to_id = c.node_id and r.type = 'mentions'
join memory s on s.space_id = {space} and s.id = r.from_id and s.kind = 'source'
join memory_use su on su.space_id = {space} and su.memory_id = s.id and not su.state = 'soft_deleted'
left join space sp on sp.space_id = {space}
where c.space_id = {space} and c.sources >= {least_sources} and c.days >= {least_days} and c.first_at < {known_before}
  and exists (
      select from relation a
      join memory st on st.space_id = {space} and st.id = a.from_id and st.kind = 'storyline'
      where a.space_id = {space} and a.to_id = c.node_id and a.type = 'about'
        and (st.data->>'last_source_at')::timestamptz < c.last_at)
  and not exists (
      select from relation a
      join memory st on st.space_id = {space} and st.id = a.from_id and st.kind = 'storyline'
      where a.space_id = {space} and a.to_id = c.node_id and a.type = 'about'
        and ((st.data->>'last_source_at')::timestamptz > {idle_since}
          or (st.data->>'last_source_at')::timestamptz >= s.happened_at))
group by c.space_id, c.node_id
having count(*) >= {least_sources}
   and count(distinct (s.happened_at at time zone coalesce(sp.timezone, {zone}))::date) >= {least_days}

-- name: spaces_to_tell_in
-- Spaces with a node whose story can be told.
select distinct space_id from ({due}) as due;

-- name: to_tell
-- The nodes of a space whose story can be told, those with most sources first.
select node_id as id from ({due}) as due order by sources desc, node_id limit {most};

-- name: sources_to_tell
-- The sources of a node that no storyline of it reaches, as they are told, in their order.
select s.id, s.version, s.happened_at as first, s.happened_at as last, s.sensitivity,
       coalesce(nullif(s.summary, ''), left(s.content, 2000)) as text
from relation r
join memory s on s.space_id = %(space)s and s.id = r.from_id and s.kind = 'source'
join memory_use su on su.space_id = %(space)s and su.memory_id = s.id and not su.state = 'soft_deleted'
where r.space_id = %(space)s and r.to_id = %(node)s and r.type = 'mentions'
  and not exists (
      select from relation a
      join memory st on st.space_id = %(space)s and st.id = a.from_id and st.kind = 'storyline'
      where a.space_id = %(space)s and a.to_id = %(node)s and a.type = 'about'
        and (st.data->>'last_source_at')::timestamptz >= s.happened_at)
order by s.happened_at, s.id;

-- name: sources_told
-- The newest sources of a storyline, as they are told.
select s.id, s.version, s.happened_at as first, s.happened_at as last, s.sensitivity,
       coalesce(nullif(s.summary, ''), left(s.content, 2000)) as text
from relation i
join memory s on s.space_id = %(space)s and s.id = i.to_id
join memory_use su on su.space_id = %(space)s and su.memory_id = s.id and not su.state = 'soft_deleted'
where i.space_id = %(space)s and i.from_id = %(id)s and i.type = 'includes'
order by s.happened_at desc, s.id desc
limit %(most)s;

-- name: node_of
-- What a storyline or macro is about, with all names.
select n.id, n.title as name, n.data->'aliases' as names
from relation r
join memory n on n.space_id = %(space)s and n.id = r.to_id and n.kind in ('person', 'concept', 'entity')
where r.space_id = %(space)s and r.from_id = %(id)s and r.type in ('about', 'rooted_in')
order by r.created_at desc, r.id desc
limit 1;

-- name: nodes
-- Nodes with all names.
select n.id, n.title as name, n.data->'aliases' as names
from memory n
where n.space_id = %(space)s and n.id = any (%(ids)s::uuid[]) and n.kind in ('person', 'concept', 'entity');

-- name: zone
-- The time zone of a space.
select timezone from space where space_id = %(space)s;

-- name: made_since
-- How many memories of a kind a job has made since a moment.
select count(*) as made from memory where space_id = %(space)s and kind = %(kind)s and created_at > %(since)s;

-- name: told_since
-- How many of a kind were told anew since a moment.
select count(*) as made from memory
where space_id = %(space)s and kind = %(kind)s and (data->>'refreshed_at')::timestamptz > %(since)s;

-- name: joinable
-- Of each node the storyline that a source belongs to: not archived, of the source's time, the nearest in time before
-- the most alike; none, where one of the node's storylines has the source already.
select distinct on (a.to_id) st.id
from relation a
join memory st on st.space_id = %(space)s and st.id = a.from_id and st.kind = 'storyline'
join memory_use u on u.space_id = %(space)s and u.memory_id = st.id and u.state in ('candidate', 'active', 'core')
join memory s on s.space_id = %(space)s and s.id = %(source)s
left join entry e on e.space_id = %(space)s and e.memory_id = st.id and e.version = st.version and e.passage = 0
left join entry o on o.space_id = %(space)s and o.memory_id = s.id and o.version = s.version and o.passage = 0
where a.space_id = %(space)s and a.to_id = any (%(nodes)s::uuid[]) and a.type = 'about'
  and s.happened_at < (st.data->>'last_source_at')::timestamptz + %(idle)s
  and s.happened_at > (st.data->>'first_source_at')::timestamptz - %(idle)s
  and not exists (
      select from relation b
      join relation i on i.space_id = %(space)s and i.from_id = b.from_id and i.to_id = %(source)s
          and i.type = 'includes'
      where b.space_id = %(space)s and b.to_id = a.to_id and b.type = 'about')
order by a.to_id,
    greatest(interval '0', s.happened_at - (st.data->>'last_source_at')::timestamptz,
             (st.data->>'first_source_at')::timestamptz - s.happened_at),
    e.embedding <#> o.embedding nulls last,
    st.id;

-- name: storylines_of
-- The storylines that sources belong to.
select distinct from_id as id from relation
where space_id = %(space)s and to_id = any (%(ids)s::uuid[]) and type = 'includes'
order by 1;

-- name: macros_of
-- The macros, not archived, that storylines belong to.
select distinct g.from_id as id
from relation g
join memory_use u on u.space_id = %(space)s and u.memory_id = g.from_id and u.kind = 'macro'
    and u.state in ('candidate', 'active', 'core')
where g.space_id = %(space)s and g.to_id = any (%(ids)s::uuid[]) and g.type = 'groups'
order by 1;

-- name: macros_about
-- The macros, not archived, that are rooted in a node.
select distinct r.from_id as id
from relation r
join memory_use u on u.space_id = %(space)s and u.memory_id = r.from_id and u.kind = 'macro'
    and u.state in ('candidate', 'active', 'core')
where r.space_id = %(space)s and r.to_id = %(node)s and r.type = 'rooted_in'
order by 1;

-- name: extents_of_storylines
-- What storylines cover.
select i.from_id as id, count(distinct s.id) as sources, 0 as storylines, min(s.happened_at) as first,
       max(s.happened_at) as last, array_agg(distinct s.sensitivity) as levels
from relation i
join memory s on s.space_id = %(space)s and s.id = i.to_id and s.kind = 'source'
join memory_use u on u.space_id = %(space)s and u.memory_id = s.id and not u.state = 'soft_deleted'
where i.space_id = %(space)s and i.from_id = any (%(ids)s::uuid[]) and i.type = 'includes'
group by i.from_id;

-- name: extents_of_macros
-- What macros cover: the sources of their storylines, one that several tell of once.
select g.from_id as id, count(distinct s.id) as sources, count(distinct g.to_id) as storylines,
       min(s.happened_at) as first, max(s.happened_at) as last, array_agg(distinct s.sensitivity) as levels
from relation g
join memory_use t on t.space_id = %(space)s and t.memory_id = g.to_id and t.kind = 'storyline'
    and not t.state = 'soft_deleted'
join relation i on i.space_id = %(space)s and i.from_id = g.to_id and i.type = 'includes'
join memory s on s.space_id = %(space)s and s.id = i.to_id and s.kind = 'source'
join memory_use u on u.space_id = %(space)s and u.memory_id = s.id and not u.state = 'soft_deleted'
where g.space_id = %(space)s and g.from_id = any (%(ids)s::uuid[]) and g.type = 'groups'
group by g.from_id;

-- name: extent_together
-- What storylines cover together, one source once.
select null as id, count(distinct s.id) as sources, count(distinct i.from_id) as storylines,
       min(s.happened_at) as first, max(s.happened_at) as last, array_agg(distinct s.sensitivity) as levels
from relation i
join memory s on s.space_id = %(space)s and s.id = i.to_id and s.kind = 'source'
join memory_use u on u.space_id = %(space)s and u.memory_id = s.id and not u.state = 'soft_deleted'
where i.space_id = %(space)s and i.from_id = any (%(ids)s::uuid[]) and i.type = 'includes'
having count(*) > 0;

-- name: spaces_with_dirty
-- Spaces with storylines, or macros, whose text is behind.
select distinct d.space_id
from dirty d
join memory_use u on u.space_id = d.space_id and u.memory_id = d.target_id and u.state in ('candidate', 'active', 'core')
where d.kind = {kind};

-- name: dirty
-- The storylines, or macros, whose text is behind; those that have waited longest for a new one first.
select d.target_id as id, d.mark, d.anew
from dirty d
join memory t on t.space_id = %(space)s and t.id = d.target_id
join memory_use u on u.space_id = %(space)s and u.memory_id = d.target_id
    and u.state in ('candidate', 'active', 'core')
where d.space_id = %(space)s and d.kind = %(kind)s
order by t.data->>'refreshed_at' nulls first, d.since, d.target_id
limit %(most)s;

-- name: rootless
-- Nodes with enough storylines and no macro.
select c.space_id, c.node_id, count(*) as storylines
from mentioned c
join memory_use u on u.space_id = {space} and u.memory_id = c.node_id
    and u.kind in ('person', 'concept', 'entity') and u.state in ('candidate', 'active', 'core')
join relation a on a.space_id = {space} and a.to_id = c.node_id and a.type = 'about'
join memory_use st on st.space_id = {space} and st.memory_id = a.from_id and st.kind = 'storyline'
    and st.state in ('candidate', 'active', 'core')
where c.space_id = {space} and c.first_at < {known_before}
  and not exists (
      select from relation m
      join memory_use mu on mu.space_id = {space} and mu.memory_id = m.from_id and mu.kind = 'macro'
      where m.space_id = {space} and m.to_id = c.node_id and m.type = 'rooted_in')
group by c.space_id, c.node_id
having count(*) >= {least_storylines}

-- name: left_out
-- Storylines of a node that has a macro, in which they are not: what was archived came back, or two nodes became one.
select c.space_id, c.to_id as node_id, c.from_id as id
from relation c
join memory_use st on st.space_id = {space} and st.memory_id = c.from_id and st.kind = 'storyline'
    and st.state in ('candidate', 'active', 'core')
join relation m on m.space_id = {space} and m.to_id = c.to_id and m.type = 'rooted_in'
join memory_use mu on mu.space_id = {space} and mu.memory_id = m.from_id and mu.kind = 'macro'
    and mu.state in ('candidate', 'active', 'core')
where c.space_id = {space} and c.type = 'about'
  and not exists (
      select from relation g
      join memory_use gu on gu.space_id = {space} and gu.memory_id = g.from_id and gu.kind = 'macro'
          and not gu.state = 'soft_deleted'
      where g.space_id = {space} and g.to_id = c.from_id and g.type = 'groups')

-- name: spaces_to_group_in
-- Spaces with storylines that a macro can be made of, or that one has to take in.
select distinct space_id from ({due}) as due
union
select distinct space_id from ({left_out}) as alone;

-- name: to_group
-- The nodes of a space whose storylines can become a macro, those with most of them first.
select node_id as id from ({due}) as due order by storylines desc, node_id limit {most};

-- name: to_take_in
-- The storylines that a macro has to take in, with the nodes they are about.
select distinct id, node_id from ({left_out}) as alone order by id, node_id;

-- name: storylines_about
-- The storylines of a node that are not archived, as a macro tells of them, in their order.
select st.id, st.version, (st.data->>'first_source_at')::timestamptz as first,
       (st.data->>'last_source_at')::timestamptz as last, st.sensitivity, st.content as text
from relation a
join memory st on st.space_id = %(space)s and st.id = a.from_id and st.kind = 'storyline'
join memory_use u on u.space_id = %(space)s and u.memory_id = st.id and u.state in ('candidate', 'active', 'core')
where a.space_id = %(space)s and a.to_id = %(node)s and a.type = 'about'
order by last, st.id;

-- name: storylines_told
-- The storylines of a macro, as it tells of them, in their order.
select st.id, st.version, (st.data->>'first_source_at')::timestamptz as first,
       (st.data->>'last_source_at')::timestamptz as last, st.sensitivity, st.content as text
from relation g
join memory st on st.space_id = %(space)s and st.id = g.to_id and st.kind = 'storyline'
join memory_use u on u.space_id = %(space)s and u.memory_id = st.id and not u.state = 'soft_deleted'
where g.space_id = %(space)s and g.from_id = %(id)s and g.type = 'groups'
order by last, st.id;

-- name: any_storyline
-- Whether a space tells any story yet.
select exists (select from memory where space_id = %(space)s and kind = 'storyline') as there;
