-- name: wanted
-- Whether a relation is of a type that is wanted, holds at the moment asked for, and is known not from sensitive texts
-- alone.
(%(types)s::text[] is null and not r.type = any (%(structural)s::text[]) or r.type = any (%(types)s::text[]))
and (%(valid_at)s::timestamptz is null or r.valid_from <= %(valid_at)s::timestamptz)
and (%(until)s::timestamptz is null or r.valid_until is null or r.valid_until > %(until)s::timestamptz)
and not r.id = any (%(secret)s::uuid[])
and {said_to};

-- name: held
-- And may be walked: neither archived nor deleted.
{wanted}
and not exists (
    select from memory_use a
    where a.space_id = %(space)s and a.memory_id = r.id and a.state = any (%(hidden)s::text[]));

-- name: open
-- Whether a node may be shown to who asks, and holds at the moment asked for. The ends of a walk were named, and are
-- seen whatever their state.
not exists (
    select from memory g
    where g.space_id = %(space)s and g.id = e.other and (g.sensitivity = 'high' or g.valid_until is not null)
      and not g.id = any (%(ends)s::uuid[])
      and (not g.sensitivity = any (%(sensitivity)s::text[]) or g.valid_until <= %(until)s::timestamptz))
and (%(valid_at)s::timestamptz is null or not exists (
    select from memory g
    where g.space_id = %(space)s and g.id = e.other and g.valid_from > %(valid_at)s::timestamptz
      and not g.id = any (%(ends)s::uuid[])))
and {there};

-- name: seen
-- And is neither archived nor deleted.
{open}
and not exists (
    select from memory_use a
    where a.space_id = %(space)s and a.memory_id = e.other and a.state = any (%(hidden)s::text[])
      and not a.memory_id = any (%(ends)s::uuid[]));

-- name: said_to
-- For who does not see every category: whether what is said of people and things is seen.
(sees('relationships') or r.type = any (%(structural)s::text[]));

-- name: there
-- For the same: a node of a category that they do not see is not there, and nothing rules it out.
exists (select from memory g where g.space_id = %(space)s and g.id = e.other);

-- name: both_there
-- The same of both ends of a relation.
exists (select from memory g where g.space_id = %(space)s and g.id = r.from_id)
and exists (select from memory g where g.space_id = %(space)s and g.id = r.to_id);

-- name: secret
-- Relations that were found in sensitive texts and in no others.
select id from relation where space_id = %(space)s and data->>'sensitivity' = 'high';

-- name: reach
-- The nodes one step beyond others, best first. Of each of the others the strongest relations of either direction are
-- read, and those that have more are named, with what was read of them; there is a row for that in any case.
with followed as materialized (
    select n.id as via, e.other, e.relation_id, e.strength, e.outward
    from unnest(%(frontier)s::uuid[]) as n (id)
    cross join lateral (
        (select r.to_id as other, r.id as relation_id, r.strength, true as outward
         from relation r
         where r.space_id = %(space)s and r.from_id = n.id and {held}
         order by r.strength desc, r.id
         limit %(most)s)
        union all
        (select r.from_id, r.id, r.strength, false
         from relation r
         where r.space_id = %(space)s and r.to_id = n.id and {held}
         order by r.strength desc, r.id
         limit %(most)s)
    ) e
),
crowded as materialized (
    select via, count(*) as read
    from followed
    group by via
    having count(*) filter (where outward) >= %(most)s or count(*) filter (where not outward) >= %(most)s
),
best as (
    select distinct on (other) other, relation_id, strength
    from followed
    where not other = any (%(known)s::uuid[])
    order by other, strength desc, relation_id
),
reached as (
    select e.other, e.relation_id, count(*) over () as met,
        e.strength * salience_at(%(now)s, u.salience, u.salience_at, u.state, u.ttl_policy, u.confidence,
            u.recall_frequency, u.decay_gradient, %(rate)s, %(confident)s) as score
    from best e
    join memory_use u on u.space_id = %(space)s and u.memory_id = e.other and not u.state = any (%(hidden)s::text[])
    where {open}
    order by score desc, e.other
    limit %(room)s
)
select more.crowded, more.read, reached.other as id, reached.relation_id, reached.met, reached.score
from (select array_agg(via) as crowded, sum(read) as read from crowded) more
left join reached on true
order by reached.score desc, reached.other;

-- name: scored
-- Nodes that were met elsewhere, best first, as far as they may be seen.
select e.other as id, e.relation_id, count(*) over () as met,
    e.strength * salience_at(%(now)s, u.salience, u.salience_at, u.state, u.ttl_policy, u.confidence,
        u.recall_frequency, u.decay_gradient, %(rate)s, %(confident)s) as score
from unnest(%(others)s::uuid[], %(relation_ids)s::uuid[], %(strengths)s::double precision[])
    as e (other, relation_id, strength)
join memory_use u on u.space_id = %(space)s and u.memory_id = e.other and not u.state = any (%(hidden)s::text[])
where {open}
order by score desc, e.other
limit %(room)s;

-- name: visible
-- Which of some nodes are there, and may be seen.
select e.other as id
from unnest(%(ids)s::uuid[]) as e (other)
join memory m on m.space_id = %(space)s and m.id = e.other
where {seen};

-- name: called
-- The nodes that go by a name; sources and stories by their title.
select node_id as id from node_name where space_id = %(space)s and name = any (%(names)s::text[])
union
select id from memory where space_id = %(space)s and title = %(title)s and kind = any (%(kinds)s::text[])
order by id;

-- name: relations_of
-- How many relations nodes have that hold; archived ones are not told apart, which would take as long as reading them.
select count(*) as relations
from unnest(%(ids)s::uuid[]) as n (id)
cross join lateral (
    select 1 from relation r where r.space_id = %(space)s and r.from_id = n.id and {wanted}
    union all
    select 1 from relation r where r.space_id = %(space)s and r.to_id = n.id and {wanted}
) e;

-- name: beyond
-- All nodes one step beyond others, for paths.
select coalesce(array_agg(distinct e.other), '{}')::text as ids
from (
    select r.to_id as other from relation r
    where r.space_id = %(space)s and r.from_id = any (%(frontier)s::uuid[]) and {held}
    union all
    select r.from_id from relation r
    where r.space_id = %(space)s and r.to_id = any (%(frontier)s::uuid[]) and {held}
) e
where {seen};

-- name: step
-- The strongest relation between a node and any of others.
(select r.id, r.to_id as other, r.strength from relation r
 where r.space_id = %(space)s and r.from_id = %(id)s and r.to_id = any (%(level)s::uuid[]) and {held})
union all
(select r.id, r.from_id, r.strength from relation r
 where r.space_id = %(space)s and r.to_id = %(id)s and r.from_id = any (%(level)s::uuid[]) and {held})
order by strength desc, id
limit 1;

-- name: among
-- The relations between nodes, the strongest first; archived ones too.
select r.id from relation r
where r.space_id = %(space)s and r.from_id = any (%(ids)s::uuid[]) and r.to_id = any (%(ids)s::uuid[]) and {wanted}
order by r.strength desc, r.id
limit %(most)s;

-- name: strongest
-- The strongest relations of each of some nodes.
select n.id as of_node, e.relation_id
from unnest(%(ids)s::uuid[]) as n (id)
cross join lateral (
    (select r.to_id as other, r.id as relation_id, r.strength from relation r
     where r.space_id = %(space)s and r.from_id = n.id and {held}
     order by r.strength desc, r.id
     limit 4 * %(most)s)
    union all
    (select r.from_id, r.id, r.strength from relation r
     where r.space_id = %(space)s and r.to_id = n.id and {held}
     order by r.strength desc, r.id
     limit 4 * %(most)s)
) e
where {seen}
order by n.id, e.strength desc, e.relation_id;

-- name: relations
-- Relations with the names of their ends, unless they are archived or deleted.
select r.id, r.from_id, r.to_id, coalesce(f.title, left(f.content, 80)) as from_name,
    coalesce(t.title, left(t.content, 80)) as to_name, r.type, r.description, r.strength, r.valid_from, r.valid_until,
    u.confidence, u.state
from relation r
join memory_use u on u.space_id = %(space)s and u.memory_id = r.id
join memory f on f.space_id = %(space)s and f.id = r.from_id
join memory t on t.space_id = %(space)s and t.id = r.to_id
where r.space_id = %(space)s and r.id = any (%(ids)s::uuid[]) and not u.state = any (%(hidden)s::text[]);

-- name: memories
-- Nodes, whole.
select r.* from remembered r
where r.space_id = %(space)s and r.id = any (%(ids)s::uuid[]) and r.memory_id = any (%(ids)s::uuid[]);

-- name: near
-- The relations that say what a question asks, the nearest first; where nodes are named, only between these.
select r.id, -(n.embedding <#> %(query)s) / %(length)s as similarity
from relation_entry n
join relation r on r.space_id = %(space)s and r.id = n.relation_id
where n.space_id = %(space)s and {held}
  and (%(between)s::uuid[] is null
       or r.from_id = any (%(between)s::uuid[]) and r.to_id = any (%(between)s::uuid[]))
  and not exists (
      select from remembered e
      where e.space_id = %(space)s and e.id in (r.from_id, r.to_id)
        and (e.state = any (%(hidden)s::text[]) or not e.sensitivity = any (%(sensitivity)s::text[])))
  and {both_there}
order by n.embedding <#> %(query)s, r.id
limit %(most)s;
