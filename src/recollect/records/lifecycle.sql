-- name: recall
-- Count recalls of memories, each as often as `times` says, all of one moment. The numbers are those of
-- `lifecycle.recalled`, that many times over: from the second on no time has passed, so that the interval is 0 and
-- the gradient falls once. What was archived is seen again.
with recalled as (
    select u.memory_id, r.times, u.state as state_before, u.last_recall_interval as interval_before,
        u.last_accessed_at as accessed_before, u.pending,
        salience_at(%(now)s, u.salience, u.salience_at, u.state, u.ttl_policy, u.confidence, u.recall_frequency,
                    u.decay_gradient, %(rate)s, %(confident)s) as left_over,
        case when u.last_accessed_at is null then 0
             else greatest(0, extract(epoch from %(now)s - u.last_accessed_at)::double precision / 86400)
        end as days,
        -- The recall, counted from 1, that makes it active; 0 for what is active already.
        case when u.state = 'archived' then 1
             when u.state = 'candidate' then greatest(1, %(active_accesses)s - u.access_count)
             else 0
        end as active_at
    from unnest(%(ids)s::uuid[], %(times)s::integer[]) as r (memory_id, times)
    join memory_use u on u.memory_id = r.memory_id
    where u.space_id = %(space)s and u.memory_id = any (%(ids)s::uuid[]) and not u.state = 'soft_deleted'
      -- Another node stands for one that was merged: it stays where it was put.
      and not (u.state = 'archived' and exists (
          select from memory g where g.space_id = %(space)s and g.id = u.memory_id and g.data ? 'merged_into'))
    order by u.memory_id
    for update of u
),
shown as (
    update entry e set visible = not r.pending
    from recalled r
    join memory m on m.space_id = %(space)s and m.id = r.memory_id
    where e.space_id = %(space)s and e.memory_id = r.memory_id and e.version = m.version
      and r.state_before = 'archived'
)
update memory_use u
set access_count = u.access_count + r.times,
    recall_frequency = u.recall_frequency + r.times,
    salience = least(1, r.left_over + r.times * %(gain)s),
    salience_at = greatest(u.salience_at, %(now)s),
    last_recall_interval = case when r.times = 1 then r.days else 0 end,
    decay_gradient = greatest(0.5, least(3.0, u.decay_gradient + case
            when r.accessed_before is null or r.days = r.interval_before then 0
            when r.days > r.interval_before then 0.1
            else -0.05
        end) - case when r.times > 1 and r.days > 0 then 0.05 else 0 end),
    last_accessed_at = greatest(u.last_accessed_at, %(now)s),
    state = case
        when u.state = 'core' or (r.times > r.active_at and u.access_count + r.times >= %(core_accesses)s) then 'core'
        when r.times >= r.active_at then 'active'
        else u.state
    end
from recalled r
where u.space_id = %(space)s and u.memory_id = r.memory_id
returning u.memory_id, r.state_before, u.state;

-- name: spaces_to_decay
-- Spaces (for the owner, over all of them) in which decay or a time to live has something to archive.
select distinct space_id from memory_use where {decay_due};

-- name: decay
-- Archive what has faded below the threshold, and what was meant to be short-lived and is past its time.
with due as (
    select memory_id, case when ttl_policy = 'ephemeral' then 'time to live' else 'decay' end as why
    from memory_use
    where space_id = %(space)s and {decay_due}
),
moved as (
    update memory_use u
    set state = 'archived'
    from due
    where u.space_id = %(space)s and u.memory_id = due.memory_id
    returning u.memory_id, due.why
),
hidden as (
    update entry set visible = false
    where space_id = %(space)s and visible and memory_id in (select memory_id from moved)
),
told as (
    insert into history (space_id, memory_id, id, event, at, actor, reason)
    select %(space)s, memory_id, gen_random_uuid(), 'TTL', %(now)s, 'recollect', why
    from moved
    on conflict (space_id, memory_id, id) do nothing
)
select memory_id from moved;

-- name: spaces_to_consolidate
-- Spaces in which consolidation has something to archive.
select distinct u.space_id
from memory_use u join memory m on m.space_id = u.space_id and m.id = u.memory_id
where {consolidation_due};

-- name: consolidate
-- Archive old memories of little weight. `valid_until` stays: they were not refuted.
with moved as (
    update memory_use u
    set state = 'archived'
    from memory m
    where u.space_id = %(space)s and m.space_id = %(space)s and m.id = u.memory_id and {consolidation_due}
    returning u.memory_id
),
hidden as (
    update entry set visible = false
    where space_id = %(space)s and visible and memory_id in (select memory_id from moved)
),
told as (
    insert into history (space_id, memory_id, id, event, at, actor, reason)
    select %(space)s, memory_id, gen_random_uuid(), 'TTL', %(now)s, 'recollect', 'consolidation'
    from moved
    on conflict (space_id, memory_id, id) do nothing
)
select memory_id from moved;

-- name: spaces_to_forget_in
-- Spaces in which forgetting has something to soft-delete.
select distinct space_id from memory_use where {forgetting_due};

-- name: forgettable
-- What nobody asked for in a long time and matters little, held until it is gone.
select memory_id as id from memory_use where space_id = %(space)s and {forgetting_due} for update;

-- name: spaces_to_purge
-- Spaces with something past its purge date.
select distinct space_id from memory_use where purge_at <= %(now)s;

-- name: purgeable
-- What is past its purge date, held so that nobody restores it meanwhile.
select memory_id as id from memory_use where space_id = %(space)s and purge_at <= %(now)s for update;

-- name: spaces_with_old_lines
-- Spaces whose change log, events or replays are older than they are kept, or with chunks that are past their time.
select distinct space_id from change_log where at < %(changes_before)s
union
select distinct space_id from event where at < %(events_before)s
union
select distinct space_id from replay where coalesce(ended_at, ready_at, begun_at) < %(replays_before)s
union
select distinct c.space_id
from memory c
join memory_use u on u.space_id = c.space_id and u.memory_id = c.id
where c.kind = 'chunk'
  and (c.tier = 'short' and c.type = 'section' and u.state in ('candidate', 'active', 'core') and not u.pinned
       and not u.by_hand and not u.ttl_policy = 'keep_forever'
       and greatest(u.last_accessed_at, u.stored_at, c.updated_at) <= %(idle_since)s
    or c.tier = 'long' and c.valid_until <= %(ended_before)s);

-- name: drop_old_lines
-- Change log and events past their time.
with changes as (
    delete from change_log where space_id = %(space)s and at < %(changes_before)s returning 1
),
events as (
    delete from event where space_id = %(space)s and at < %(events_before)s returning 1
)
select (select count(*) from changes) + (select count(*) from events) as removed;

-- name: spaces_with_expired_notes
-- Spaces with a note past its life.
select distinct space_id from note where expires_at <= %(now)s;

-- name: spaces_with_lapsing_proposals
-- Spaces with proposals for a profile that nobody decided in time.
select distinct space_id from consent where status = 'open' and expires_at <= %(now)s;

-- name: spaces_with_waiting_turns
-- Spaces with messages that are not searchable yet, or that nothing was learned from yet, and with sources on their way.
select distinct space_id from conversation
where (indexed_turn < last_turn or understood_turn < last_turn) and remember
union
select distinct space_id from source
where failed is null and (status = 'raw' or status = 'processed' and not starts_with(space_id, 'team:'));

-- name: spaces_to_source
-- Spaces with conversations that have ended, or rest, and of which turns have not become sources.
select distinct space_id from conversation
where sourced_turn < last_turn and remember and (status = 'ended' or updated_at <= %(silent_since)s);

-- name: spaces_to_describe
-- Spaces with nodes or relations whose description is behind what was noted.
select distinct space_id from dirty where kind in ('person', 'concept', 'entity', 'relation');

-- name: spaces_referring
-- Spaces that refer to sources of a team.
select distinct space_id from source where origin_space = %(team)s order by space_id;

-- name: spaces_to_migrate
-- Spaces with sections whose updates have not landed.
select distinct space_id from section where landed < updates;

-- name: spaces_to_promote_in
-- Spaces with sources that long-term memory does not have as they are now; the same condition as in `unpromoted`.
select distinct c.space_id
from memory c
join memory_use u on u.space_id = c.space_id and u.memory_id = c.id
where c.kind = 'chunk' and c.tier = 'short' and not u.state in ('soft_deleted', 'archived') and c.source_id is not null
  and (c.valid_until is not null) = exists (
      select from memory l
      where l.space_id = c.space_id and l.source_id = c.source_id and l.kind = 'chunk' and l.tier = 'long'
        and l.valid_until is null and l.data->>'chunk' = c.id::text
        and (c.valid_until is not null or l.data->>'digest' = md5(c.content)));
