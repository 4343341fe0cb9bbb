-- Candidates by words: those that share several of a question's common words are found too, and the plan is made once.

-- Its rarest words find entries one by one, as long as they are few; of the three that follow, any two together: an
-- entry that holds only one of those has little to say. Before, such entries were left out, and of a question without
-- rare words only its two rarest counted.
--
-- Planning took longer than finding: of the hashed terms of all spaces the planner knows many, and looked through them
-- for each question. A plan for any question has to be told that the terms find the rows: comparing the space in a
-- collation that no index has leaves none but theirs, and means the same. Each term's statistics are looked up by
-- themselves (`limit 1`): where spaces are many, the planner would rather read all terms of one.
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
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
    rare integer[];
    common integer[];
    last_two integer[];
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
        left join lateral (
            select documents from term_statistics where space_id = of_space and term = wanted.term limit 1
        ) t on true
    ),
    ranked as (
        select *, sum(documents) over (order by documents, term) as touched
        from counted
    )
    select array_agg(term) filter (where touched <= most_rows),
           array_agg(term order by documents, term) filter (where touched > most_rows),
           ('{' || string_agg(term || ':' || weight, ',') || '}/1000000000')::sparsevec,
           sum(weight)
    into rare, common, idf, total
    from ranked;
    if rare is null and cardinality(common) = 1 then
        rare := common;
    end if;
    if cardinality(common) > 2 then
        last_two := common[2:3];
    end if;
    return query
        select w.memory_id::text, of_space, e.kind, -(e.embedding <#> query) / query_length, -w.words,
               date_part('epoch', e.happened_at), e.part_of::text, e.speaker, e.role, e.importance, e.length, total
        from (
            select e.ctid as place, e.memory_id, idf <#> e.weights as words
            from entry e
            where (e.terms && rare
                   or e.terms @> common[1:1] and e.terms && common[2:3]
                   or e.terms @> last_two)
              and e.space_id = of_space collate "default"
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
