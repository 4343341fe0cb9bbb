-- name: statistics
-- What search has to know of a space, and how much the question's terms weigh in it altogether.
select s.entries, s.mean_length, s.weighted_length, s.kinds, s.speakers, s.vector_index, sp.timezone,
    (
        select sum(inverse_frequency(t.documents, s.entries))
        from unnest(%(terms)s::integer[]) as wanted (term)
        left join term_statistics t on t.space_id = {space} and t.term = wanted.term
    ) as question_weight
from space_statistics s
left join space sp on sp.space_id = {space}
where s.space_id = {space};

-- name: exact
-- Candidates of a space by reading all of its entries: the nearest, and those that share the weightiest words.
with question as materialized (
    select ('{{' || string_agg(wanted.term || ':' || boost * inverse_frequency(documents, entries), ',')
            || '}}/1000000000')::sparsevec as idf
    from unnest(%(terms)s::integer[], %(boosts)s::double precision[]) as wanted (term, boost)
    left join space_statistics s on s.space_id = {space}
    left join term_statistics t on t.space_id = {space} and t.term = wanted.term
),
scored as materialized (
    select e.memory_id, e.kind, e.part_of, e.speaker, e.role, e.happened_at, e.importance,
        1 - (e.embedding <=> %(query)s) as similarity,
        coalesce(-(e.weights <#> (select idf from question)), 0) as lexical
    from {source}
    where e.space_id = {space} and {conditions}
)
(select * from scored order by similarity desc, memory_id limit %(most)s)
union
(select * from scored where lexical > 0 order by lexical desc, memory_id limit %(most)s);

-- name: nearest
-- Candidates of a large space by its vector index, each with its words' score too.
with question as materialized (
    select ('{{' || string_agg(wanted.term || ':' || boost * inverse_frequency(documents, entries), ',')
            || '}}/1000000000')::sparsevec as idf
    from unnest(%(terms)s::integer[], %(boosts)s::double precision[]) as wanted (term, boost)
    left join space_statistics s on s.space_id = {space}
    left join term_statistics t on t.space_id = {space} and t.term = wanted.term
)
select e.memory_id, e.kind, e.part_of, e.speaker, e.role, e.happened_at, e.importance,
    1 - (e.embedding <=> %(query)s) as similarity,
    coalesce(-(e.weights <#> (select idf from question)), 0) as lexical
from entry e
where e.space_id = {space} and {conditions}
order by (e.embedding::halfvec({dimensions})) <=> (%(query)s::halfvec({dimensions}))
limit %(most)s;

-- name: wordiest
-- Candidates of a large space by their words.
select * from lexical_candidates(
    {space}, %(terms)s::integer[], %(boosts)s::double precision[], %(query)s, %(kinds)s::text[],
    %(sensitivity)s::text[], %(now)s, %(most_rows)s, %(most)s);

-- name: count_matches
-- Whether a filter leaves few enough memories of a large space to read them all.
select count(*) as matches
from (select 1 from remembered r where r.space_id = {space} and {conditions} limit %(most)s) matching;

-- name: hydrate
-- The memories of hits, whole, where the filters still hold.
select r.* from remembered r where r.space_id = {space} and r.id = any (%(ids)s) and {conditions};

-- name: relations_among
-- Relations between candidates, still valid.
select id, from_id, to_id, type, description, strength
from relation
where space_id = {space} and from_id = any (%(ids)s) and to_id = any (%(ids)s)
  and (valid_until is null or valid_until > %(now)s);

-- name: said_before
-- What was said just before each of these turns: the reranker reads it too.
select m.id, before.name, before.body
from message m
join message before
    on before.space_id = m.space_id and before.conversation_id = m.conversation_id and before.turn = m.turn - 1
where m.space_id = {space} and m.id = any (%(ids)s);

-- name: versions_known
-- Texts as they were known at a moment, where they have changed since.
select memory_id, version, title, summary, content, valid_from, valid_until
from memory_version
where space_id = {space} and memory_id = any (%(ids)s)
  and recorded_from <= %(at)s and recorded_until > %(at)s;
