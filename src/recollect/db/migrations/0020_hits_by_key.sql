-- The memories of hits are found quicker: each by its key, and its use by the same key (`limit 1`, so that no plan
-- compares all of one table with all of the other).
create or replace function visible_memories(in_space text, ids uuid[], of_sensitivity text[], at_time timestamptz)
returns setof remembered
language plpgsql stable
set search_path from current
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
    return query
        select r.*
        from unnest(ids) as wanted (id)
        cross join lateral (
            select * from remembered where space_id = in_space and id = wanted.id and memory_id = wanted.id limit 1
        ) r
        where not r.state = any ('{soft_deleted,archived}') and not r.pending
          and r.sensitivity = any (of_sensitivity)
          and (r.valid_until is null or r.valid_until > at_time);
end
$$;
