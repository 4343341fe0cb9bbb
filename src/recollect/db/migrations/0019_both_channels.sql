-- Candidates of a space that is read whole: those that are good by both channels together come along, though neither
-- channel alone has them among its best. The question's terms are looked up one by one: among many spaces the planner
-- would read all terms of one.
drop function exact_candidates(
    text, integer[], double precision[], halfvec, double precision, text[], text[], timestamptz, bigint, integer
);

create function exact_candidates(
    of_space text, question integer[], boosts double precision[], query halfvec, query_length double precision,
    of_kinds text[], of_sensitivity text[], at_time timestamptz, in_entries bigint, each integer, most integer,
    semantic double precision, keyword double precision
)
returns table (
    memory_id text, space text, kind text, similarity double precision, lexical double precision,
    at double precision, thread text, speaker text, role text, importance double precision, length integer,
    weight double precision
)
language plpgsql stable
set search_path from current
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
    idf sparsevec;
    total double precision;
    shown text[] := nullif(current_setting('recollect.categories', true), '')::text[];
    usual text := case when 'normal' = any (of_sensitivity) then 'normal' end;
begin
    if of_kinds is null then
        raise exception 'the kinds have to be named: an index finds them';
    end if;
    select ('{' || string_agg(wanted.term || ':' || wanted.boost * inverse_frequency(t.documents, in_entries), ',')
            || '}/1000000000')::sparsevec,
        sum(wanted.boost * inverse_frequency(t.documents, in_entries))
    into idf, total
    from unnest(question, boosts) as wanted (term, boost)
    left join lateral (
        select documents from term_statistics where space_id = of_space and term = wanted.term limit 1
    ) t on true;
    return query
        with scored as materialized (
            -- Both products are negative, as the operator gives them: the least is the best.
            select e.ctid as place, e.memory_id, e.embedding <#> query as near, idf <#> e.weights as words
            from entry e
            where e.space_id = of_space and e.visible
              and (e.valid_until is null or e.valid_until > at_time)
              and (e.sensitivity = usual or e.sensitivity = any (of_sensitivity))
              and e.kind = any (of_kinds)
              and (shown is null or e.category = any (shown))
        ),
        best as (
            select semantic / nullif(least(min(near), 0), 0) as of_near, keyword / nullif(least(min(words), 0), 0) as of_words
            from scored
        ),
        chosen as (
            (select * from scored order by near, memory_id limit each)
            union
            (select * from scored where words < 0 order by words, memory_id limit each)
            union
            (select * from scored
             order by coalesce(near * (select of_near from best), 0) + coalesce(words * (select of_words from best), 0) desc,
                 memory_id
             limit most)
        )
        select c.memory_id::text, of_space, e.kind, -c.near / query_length, coalesce(-c.words, 0),
            date_part('epoch', e.happened_at), e.part_of::text, e.speaker, e.role, e.importance, e.length, total
        from chosen c
        cross join lateral (select * from entry where ctid = c.place and space_id = of_space limit 1) e;
end
$$;
