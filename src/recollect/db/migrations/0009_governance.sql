-- Who may see what: a transaction may name the categories that its reader sees, next to its spaces; `recollect.categories`
-- unset, or empty as it reads after a transaction, is every category.

-- No statement can forget it: what a reader may not see is not there. One policy with both conditions, as Citus carries
-- no restrictive one to its nodes, and without a subquery, which it allows in none. A `case`, since of an `or` the
-- planner thinks, where the setting is unset, that hardly a row passes, and joins one by one.
alter policy reading on memory using (
    space_id = any (nullif(current_setting('recollect.spaces', true), '')::text[])
    and case when nullif(current_setting('recollect.categories', true), '') is null then true
             else category = any (nullif(current_setting('recollect.categories', true), '')::text[]) end);

-- Whether a reader sees a category: for what has one, but lies in a table of its own.
create function sees(of_category text) returns boolean
language sql stable parallel safe
return case when nullif(current_setting('recollect.categories', true), '') is null then true
            else of_category = any (nullif(current_setting('recollect.categories', true), '')::text[]) end;

-- Whom the profile that a reader is shown was made for: what it may see may change.
alter table reader add column sight text not null default '';

-- Candidates of the categories that are seen; the setting is read once for a search, not for every entry.
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
            select e.memory_id, e.kind, -(e.embedding <#> query) / query_length as similarity,
                coalesce(-(e.weights <#> idf), 0) as lexical, e.happened_at, e.part_of, e.speaker, e.role, e.importance,
                e.length
            from entry e
            where e.space_id = of_space and e.visible
              and (e.valid_until is null or e.valid_until > at_time)
              and e.sensitivity = any (of_sensitivity)
              and e.kind = any (of_kinds)
              and (shown is null or e.category = any (shown))
        ),
        chosen as (
            (select * from scored order by similarity desc, memory_id limit most)
            union
            (select * from scored where lexical > 0 order by lexical desc, memory_id limit most)
        )
        select c.memory_id::text, of_space, c.kind, c.similarity, c.lexical, date_part('epoch', c.happened_at),
            c.part_of::text, c.speaker, c.role, c.importance, c.length, total
        from chosen c;
end
$$;

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
        select w.memory_id::text, of_space, w.kind, -(w.embedding <#> query) / query_length, w.lexical,
               date_part('epoch', w.happened_at), w.part_of::text, w.speaker, w.role, w.importance, w.length, total
        from (
            select e.memory_id, e.kind, e.embedding, -(e.weights <#> idf) as lexical, e.happened_at, e.part_of,
                   e.speaker, e.role, e.importance, e.length
            from entry e
            where e.terms && any_of
              and e.terms @> all_of
              and e.space_id = of_space
              and e.visible
              and (of_kinds is null or e.kind = any (of_kinds))
              and (shown is null or e.category = any (shown))
              and e.sensitivity = any (of_sensitivity)
              and (e.valid_until is null or e.valid_until > at_time)
            order by lexical desc, e.memory_id
            limit most
        ) as w;
end
$$;
