-- name: below
-- What lies below a macro, a storyline or a node: storylines, sources and nodes, each once.
with stories as (
    select %(id)s::uuid as id
    union
    select r.to_id from relation r where r.space_id = %(space)s and r.from_id = %(id)s and r.type = 'groups'
),
sources as (
    select r.to_id as id from relation r
    where r.space_id = %(space)s and r.from_id in (select id from stories) and r.type = 'includes'
    union
    select coalesce(m.source_id, m.id) from relation r
    join memory m on m.space_id = %(space)s and m.id = r.from_id and m.kind in ('source', 'chunk')
    where r.space_id = %(space)s and r.to_id = %(id)s and r.type = 'mentions'
)
select id from stories where not id = %(id)s
union
select id from sources
union
select r.to_id from relation r
where %(nodes)s and r.space_id = %(space)s
  and (r.from_id in (select id from stories) and r.type in ('about', 'rooted_in')
    or r.from_id in (select id from sources) and r.type = 'mentions');

-- name: parts
-- What storylines and macros hold, the newest first, and what they are about: a few of each, and how many there are.
select p.*
from (
    select r.from_id as of_id, r.type in ('about', 'rooted_in') as is_about, m.id, m.kind, m.type, m.title,
        coalesce(nullif(m.summary, ''), left(m.content, 300)) as summary, m.happened_at, u.state,
        (m.data->>'source_count')::integer as sources, m.data->>'first_source_at' as first_at,
        m.data->>'last_source_at' as last_at,
        count(*) over (partition by r.from_id, r.type) as all_of_type,
        row_number() over (partition by r.from_id, r.type order by m.happened_at desc, m.id) as place
    from relation r
    join memory m on m.space_id = %(space)s and m.id = r.to_id
    join memory_use u on u.space_id = %(space)s and u.memory_id = m.id
    where r.space_id = %(space)s and r.from_id = any (%(ids)s::uuid[])
      and r.type in ('about', 'rooted_in', 'includes', 'groups')
      and not u.state = 'soft_deleted' and m.sensitivity = any (%(sensitivity)s)
) p
where p.place <= %(most)s
order by p.of_id, p.place;
