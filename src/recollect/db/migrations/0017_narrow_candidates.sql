-- Candidates are found quicker; what is found is the same.

-- Entries are put in order by the few bytes that decide it, and only those that are chosen are looked up again for
-- the rest: by their place, which holds for as long as the statement that read it, and each by itself (`limit 1`), so
-- that no plan reads the space once more instead. A question has fewer terms than an entry, and the product of two
-- sparse vectors is quicker with the shorter one first; nearly all entries are of normal sensitivity, and comparing one
-- text is quicker than looking through an array.
create or replace function exact_candidates(
    of_space text, question integer[], boosts double precision[], query halfvec, query_length double precision,
    of_kinds text[], of_sensitivity text[], at_time timestamptz, in_entries bigint, most integer
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
    left join term_statistics t on t.space_id = of_space and t.term = wanted.term;
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
        chosen as (
            (select * from scored order by near, memory_id limit most)
            union
            (select * from scored where words < 0 order by words, memory_id limit most)
        )
        select c.memory_id::text, of_space, e.kind, -c.near / query_length, coalesce(-c.words, 0),
            date_part('epoch', e.happened_at), e.part_of::text, e.speaker, e.role, e.importance, e.length, total
        from chosen c
        cross join lateral (select * from entry where ctid = c.place and space_id = of_space limit 1) e;
end
$$;

-- The same for candidates by their words.
create or replace function lexical_candidates(
    of_space text, question integer[], boosts double precision[], query halfvec, query_length double precision,
    of_kinds text[], of_sensitivity text[], at_time timestamptz, most_rows integer, most integer
)
returns table (
    memory_id text, space text, kind text, similarity double precision, lexical double precision,
    at double precision, thread text, speaker text, role text, importance double precision, length integer,
    weight double precision
)
language plpgsql stable security definer
set search_path from current
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
    any_of integer[];
    all_of integer[];
    idf sparsevec;
    total double precision;
    shown text[] := nullif(current_setting('recollect.categories', true), '')::text[];
begin
    if not coalesce(of_space = any (nullif(current_setting('recollect.spaces', true), '')::text[]), false) then
        return;
    end if;
    with counted as (
        select wanted.term, coalesce(t.documents, 0) as documents,
               wanted.boost * inverse_frequency(t.documents, s.entries) as weight
        from unnest(question, boosts) as wanted (term, boost)
        left join space_statistics s on s.space_id = of_space
        left join term_statistics t on t.space_id = of_space and t.term = wanted.term
    ),
    ranked as (
        select *, row_number() over rarest_first as place, sum(documents) over rarest_first as touched
        from counted
        window rarest_first as (order by documents, term)
    )
    select array_agg(term) filter (where touched <= most_rows),
           array_agg(term) filter (where place <= 2),
           ('{' || string_agg(term || ':' || weight, ',') || '}/1000000000')::sparsevec,
           sum(weight)
    into any_of, all_of, idf, total
    from ranked;
    if any_of is not null then
        all_of := '{}';
    else
        any_of := all_of;
    end if;
    return query
        select w.memory_id::text, of_space, e.kind, -(e.embedding <#> query) / query_length, -w.words,
               date_part('epoch', e.happened_at), e.part_of::text, e.speaker, e.role, e.importance, e.length, total
        from (
            select e.ctid as place, e.memory_id, idf <#> e.weights as words
            from entry e
            where e.terms && any_of
              and e.terms @> all_of
              and e.space_id = of_space
              and e.visible
              and (of_kinds is null or e.kind = any (of_kinds))
              and (shown is null or e.category = any (shown))
              and e.sensitivity = any (of_sensitivity)
              and (e.valid_until is null or e.valid_until > at_time)
            order by words, e.memory_id
            limit most
        ) as w
        cross join lateral (select * from entry where ctid = w.place and space_id = of_space limit 1) e;
end
$$;
