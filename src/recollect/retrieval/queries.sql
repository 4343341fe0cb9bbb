-- name: statistics
-- What search has to know of a space before it asks.
select coalesce(s.entries, 0) as entries, coalesce(s.weighted_length, 0) as weighted_length,
    coalesce(s.kinds, '{}') as kinds, coalesce(s.speakers, '{}') as speakers, s.vector_index, sp.timezone
from space sp
left join space_statistics s on s.space_id = sp.space_id
where sp.space_id = %(space)s;

-- name: question
-- The question's terms as one vector of inverse document frequencies, and what they weigh altogether. Each term is
-- looked up by itself (`limit 1`): among many spaces the planner takes every one for tiny, and would rather read all
-- terms of it.
select ('{{' || string_agg(wanted.term || ':' || wanted.boost * inverse_frequency(t.documents, %(entries)s), ',')
        || '}}/1000000000')::sparsevec as idf,
    sum(wanted.boost * inverse_frequency(t.documents, %(entries)s)) as weight
from unnest(%(terms)s::integer[], %(boosts)s::double precision[]) as wanted (term, boost)
left join lateral (
    select documents from term_statistics where space_id = %(space)s and term = wanted.term limit 1
) t on true;

-- name: exact
-- Candidates of a space by reading all of its entries. Vectors are of unit length, so that the inner product is
-- the cosine; the question's comes as whole numbers, and is divided by its length.
select * from exact_candidates(
    %(space)s, %(terms)s::integer[], %(boosts)s::double precision[], %(query)s::halfvec, %(length)s, %(kinds)s::text[],
    %(sensitivity)s::text[], %(now)s, %(entries)s, %(each)s, %(most)s, %(semantic)s, %(keyword)s);

-- name: filtered
-- The same with filters that the entries cannot answer by themselves.
with question as materialized ({question}),
scored as materialized (
    select e.memory_id, e.kind, -(e.embedding <#> %(query)s) / %(length)s as similarity,
        coalesce(-(e.weights <#> (select idf from question)), 0) as lexical, e.happened_at, e.part_of, e.speaker,
        e.role, e.importance, e.length
    from entry e
    join remembered r on r.space_id = e.space_id and r.id = e.memory_id
    where e.space_id = %(space)s and {conditions}
),
chosen as (
    (select * from scored order by similarity desc, memory_id limit %(most)s)
    union
    (select * from scored where lexical > 0 order by lexical desc, memory_id limit %(most)s)
)
select memory_id::text, %(space)s as space, kind, similarity, lexical, date_part('epoch', happened_at) as at,
    part_of::text as thread, speaker, role, importance, length, (select weight from question)
from chosen;

-- name: nearest
-- Candidates of a large space by its vector index, each with its words' score too. The space is a literal here,
-- and the statement put together anew: only then its partial index serves.
with question as materialized ({question})
select e.memory_id::text, {space} as space, e.kind, -(e.embedding <#> %(query)s) / %(length)s as similarity,
    coalesce(-(e.weights <#> (select idf from question)), 0) as lexical, date_part('epoch', e.happened_at) as at,
    e.part_of::text as thread, e.speaker, e.role, e.importance, e.length, (select weight from question)
from entry e
where e.space_id = {space} and e.visible and (e.valid_until is null or e.valid_until > %(now)s)
  and e.sensitivity = any (%(sensitivity)s) and (%(kinds)s::text[] is null or e.kind = any (%(kinds)s))
  and (%(categories)s::text[] is null or e.category = any (%(categories)s))
order by (e.embedding::halfvec({dimensions})) <#> (%(query)s::halfvec({dimensions}))
limit %(most)s;

-- name: wordiest
-- Candidates of a large space by their words.
select * from lexical_candidates(
    %(space)s, %(terms)s::integer[], %(boosts)s::double precision[], %(query)s::halfvec, %(length)s, %(kinds)s::text[],
    %(sensitivity)s::text[], %(now)s, %(most_rows)s, %(most)s);

-- name: count_matches
-- Whether a filter leaves few enough memories of a large space to read them all.
select count(*) as matches
from (select 1 from remembered r where r.space_id = %(space)s and {conditions} limit %(most)s) matching;

-- name: hydrate
-- The memories of hits, whole, if they may still be seen.
select * from visible_memories(%(space)s, %(ids)s::uuid[], %(sensitivity)s::text[], %(now)s);

-- name: hydrate_filtered
-- The memories of hits, whole, where the filters still hold.
select r.* from remembered r
where r.space_id = %(space)s and r.id = any (%(ids)s::uuid[]) and r.memory_id = any (%(ids)s::uuid[]) and {conditions};

-- name: relations_among
-- Relations between candidates, still valid.
select id, from_id, to_id, type, description, strength
from relation
where space_id = %(space)s and from_id = any (%(ids)s::uuid[]) and to_id = any (%(ids)s::uuid[])
  and (valid_until is null or valid_until > %(now)s)
  and (sees('relationships') or type = any (%(structural)s::text[]));

-- name: related
-- What some hits are tied to and none of them is, the strongest ties first.
select t.via, t.strength, r.*
from (
    select from_id as via, to_id as other, strength from relation
    where space_id = %(space)s and from_id = any (%(ids)s::uuid[]) and not to_id = any (%(known)s::uuid[])
      and type = any (%(types)s::text[]) and (type = 'related_to' or sees('relationships'))
      and (valid_until is null or valid_until > %(now)s)
    union all
    select to_id, from_id, strength from relation
    where space_id = %(space)s and to_id = any (%(ids)s::uuid[]) and not from_id = any (%(known)s::uuid[])
      and type = any (%(types)s::text[]) and (type = 'related_to' or sees('relationships'))
      and (valid_until is null or valid_until > %(now)s)
) t
join remembered r on r.space_id = %(space)s and r.id = t.other
where {conditions}
order by t.strength desc, r.id
limit %(most)s;

-- name: entities_in
-- The nodes that were found in chunks and sources.
select m.from_id as found_in, r.*
from relation m
join remembered r on r.space_id = %(space)s and r.id = m.to_id
where m.space_id = %(space)s and m.from_id = any (%(ids)s::uuid[]) and m.type = 'mentions'
  and not r.state in ('soft_deleted', 'archived') and r.sensitivity = any (%(sensitivity)s)
order by m.from_id, r.id;

-- name: relations_in
-- The relations that were found in them and held at a moment, where everybody may see them or the reader may see all.
select e.memory_id as found_in, r.id, r.from_id, r.to_id, r.type, r.description, r.strength, a.title as from_name,
    b.title as to_name
from evidence e
join relation r on r.space_id = %(space)s and r.id = e.relation_id
join memory a on a.space_id = %(space)s and a.id = r.from_id
join memory b on b.space_id = %(space)s and b.id = r.to_id
where e.space_id = %(space)s and e.memory_id = any (%(ids)s::uuid[])
  and r.valid_from <= %(at)s and (r.valid_until is null or r.valid_until > %(at)s)
  and coalesce(r.data->>'sensitivity', 'normal') = any (%(sensitivity)s) and sees('relationships')
order by e.memory_id, r.id;

-- name: said_before
-- What was said just before each of these turns: the reranker reads it too.
select m.id, before.name, before.body
from message m
join message before
    on before.space_id = m.space_id and before.conversation_id = m.conversation_id and before.turn = m.turn - 1
where m.space_id = %(space)s and m.id = any (%(ids)s::uuid[]);

-- name: near_nodes
-- The nodes that a question names and their nearest neighbours, as a part of the statements that follow; a node that
-- many sources mention tells little.
select t.node_id, max(t.tie) / (1 + ln(greatest(1, max(c.sources)))) as tie
from (
    select n.node_id, 1::double precision as tie
    from node_name n
    where n.space_id = %(space)s and n.name = any (%(names)s::text[])
    union all
    select e.other, %(hop)s * e.strength
    from (
        select distinct n.node_id from node_name n where n.space_id = %(space)s and n.name = any (%(names)s::text[])
    ) named
    cross join lateral (
        (select r.to_id as other, r.strength from relation r
         where r.space_id = %(space)s and r.from_id = named.node_id and not r.type = any (%(structural)s::text[])
           and (r.valid_until is null or r.valid_until > %(now)s)
           and coalesce(r.data->>'sensitivity', 'normal') = any (%(sensitivity)s::text[]) and sees('relationships')
         order by r.strength desc, r.id
         limit 10)
        union all
        (select r.from_id, r.strength from relation r
         where r.space_id = %(space)s and r.to_id = named.node_id and not r.type = any (%(structural)s::text[])
           and (r.valid_until is null or r.valid_until > %(now)s)
           and coalesce(r.data->>'sensitivity', 'normal') = any (%(sensitivity)s::text[]) and sees('relationships')
         order by r.strength desc, r.id
         limit 10)
    ) e
) t
join memory m on m.space_id = %(space)s and m.id = t.node_id and m.sensitivity = any (%(sensitivity)s::text[])
left join mentioned c on c.space_id = %(space)s and c.node_id = t.node_id
group by t.node_id;

-- name: connected
-- What mentions these nodes, the sources and conversations that it is part of, and the nodes' names.
with near as materialized ({near_nodes}),
mentioning as materialized (
    select e.id, sum(n.tie) as tie
    from near n
    cross join lateral (
        select r.from_id as id from relation r
        where r.space_id = %(space)s and r.to_id = n.node_id and r.type = 'mentions'
        order by r.strength desc, r.id
        limit 200
    ) e
    group by e.id
)
select 'memory' as what, id::text as key, tie from mentioning
union all
select 'whole', coalesce(s.conversation_id, m.id)::text, m.tie
from mentioning m
join source s on s.space_id = %(space)s and s.id = m.id
union all
select 'name', w.name, n.tie
from near n
join node_name w on w.space_id = %(space)s and w.node_id = n.node_id;

-- name: connected_candidates
-- The best connected of them as candidates, with their similarity and their words' score.
with near as materialized ({near_nodes}),
question as materialized ({question}),
mentioning as materialized (
    select e.id
    from near n
    cross join lateral (
        select r.from_id as id from relation r
        where r.space_id = %(space)s and r.to_id = n.node_id and r.type = 'mentions'
        order by r.strength desc, r.id
        limit 200
    ) e
    group by e.id
    order by sum(n.tie) desc, e.id
    limit %(most)s
)
select e.memory_id::text, %(space)s as space, e.kind, -(e.embedding <#> %(query)s) / %(length)s as similarity,
    coalesce(-(e.weights <#> (select idf from question)), 0) as lexical, date_part('epoch', e.happened_at) as at,
    e.part_of::text as thread, e.speaker, e.role, e.importance, e.length, (select weight from question)
from mentioning m
join entry e on e.space_id = %(space)s and e.memory_id = m.id
where e.visible and (e.valid_until is null or e.valid_until > %(now)s)
  and e.sensitivity = any (%(sensitivity)s) and (%(kinds)s::text[] is null or e.kind = any (%(kinds)s));
