-- name: items
-- Items by id, as far as they may be seen and have not expired.
select id, type, title, content, created_at, updated_at
from remembered
where space_id = %(space)s and id = any (%(ids)s::uuid[]) and kind = 'item' and not state = 'soft_deleted'
  and sensitivity = any (%(sensitivity)s) and (valid_until is null or valid_until > %(now)s);

-- name: items_within
-- Items below a namespace whose values are as a filter says: namespaces in the order in which they were begun, the items
-- of each as they came.
with within as (
    select id, type, title, content, created_at, updated_at, data->>'put' as put,
        min((data->>'put') collate "C") over (partition by type) as begun
    from remembered
    where space_id = %(space)s and kind = 'item' and not state = 'soft_deleted' and sensitivity = any (%(sensitivity)s)
      and (valid_until is null or valid_until > %(now)s) and {within}
)
select id, type, title, content, created_at, updated_at, null as score
from within
where {conditions}
order by begun, put collate "C"
limit %(limit)s offset %(offset)s;

-- name: items_near
-- The same by how near the nearest passage of each comes to a question, a cosine; those without a passage come last.
with within as (
    select id, type, title, content, created_at, updated_at, data->>'put' as put,
        min((data->>'put') collate "C") over (partition by type) as begun
    from remembered
    where space_id = %(space)s and kind = 'item' and not state = 'soft_deleted' and sensitivity = any (%(sensitivity)s)
      and (valid_until is null or valid_until > %(now)s) and {within}
),
near as (
    select e.memory_id, max(-(e.embedding <#> %(query)s::halfvec)) / %(length)s as score
    from entry e
    where e.space_id = %(space)s and e.kind = 'item' and e.visible and e.memory_id in (select id from within)
    group by e.memory_id
)
select w.id, w.type, w.title, w.content, w.created_at, w.updated_at, n.score
from within w
left join near n on n.memory_id = w.id
where {conditions}
order by n.score desc nulls last, w.begun, w.put collate "C"
limit %(limit)s offset %(offset)s;

-- name: item_namespaces
-- The namespaces in which there are items.
select distinct type
from remembered
where space_id = %(space)s and kind = 'item' and not state = 'soft_deleted' and sensitivity = any (%(sensitivity)s)
  and (valid_until is null or valid_until > %(now)s);

-- name: replace_items
-- Other values for items that are there; where they stand among the others stays.
update memory m
set content = i.content, data = jsonb_set(i.data, '{put}', m.data->'put'), agent_id = i.agent_id,
    run_id = i.run_id, thread_id = i.thread_id, actor_id = i.actor_id, valid_until = i.valid_until,
    happened_at = %(now)s, version = m.version + 1, recorded_at = %(now)s, updated_at = %(now)s
from jsonb_to_recordset(%(items)s) as i (
    id uuid, content text, data jsonb, agent_id text, run_id text, thread_id text, actor_id text,
    valid_until timestamptz)
where m.space_id = %(space)s and m.id = i.id and m.kind = 'item'
returning m.id, m.version;

-- name: keep_items_until
-- When items are removed for good: what was deleted before is there again.
update memory_use u
set purge_at = i.until, state = case when u.state = 'soft_deleted' then coalesce(u.state_before, 'active') else u.state end,
    state_before = null, deleted_at = null
from unnest(%(ids)s::uuid[], %(until)s::timestamptz[]) as i (id, until)
where u.space_id = %(space)s and u.memory_id = i.id;

-- name: refresh_items
-- Items with a time to live that were read live that long again. In seconds, as a cluster adds no intervals here.
update memory
set valid_until = to_timestamp(%(seconds)s::double precision + 60 * (data->>'ttl')::double precision)
where space_id = %(space)s and id = any (%(ids)s::uuid[]) and kind = 'item' and data ? 'ttl' and valid_until > %(now)s
returning id, valid_until;

-- name: refresh_item_entries
-- The same for their search entries.
update entry e
set valid_until = i.until
from unnest(%(ids)s::uuid[], %(until)s::timestamptz[]) as i (id, until)
where e.space_id = %(space)s and e.memory_id = i.id;

-- name: expired_items
-- Items that have outlived their time.
select id from memory where space_id = %(space)s and kind = 'item' and valid_until <= %(now)s;
