-- Where a run stood: states that programs save under a thread, and the checkpoints of LangGraph's graphs.

-- One row a checkpoint. A `state` is JSON that somebody saved, its id the version, with leading zeros; a `graph` is a
-- checkpoint of LangGraph, whose ids sort by time. Whoever reads the latest reads the end of the key.
create table checkpoint (
    space_id text collate "C" not null,
    owner text collate "C" not null,            -- whose thread it is, as in `conversation`
    thread_id text collate "C" not null,
    kind text collate "C" not null check (kind in ('state', 'graph')),
    namespace text collate "C" not null default '',     -- of a subgraph; empty: the graph itself
    id text collate "C" not null,
    parent_id text collate "C",
    type text not null,                         -- how `body` is to be read
    body bytea not null,
    metadata jsonb not null default '{}',
    run_id text,
    channels text[] not null default '{}',      -- values that lie in `checkpoint_value`
    versions text[] not null default '{}',      -- and the version of each
    saved_by text,
    saved_at timestamptz not null,
    primary key (space_id, owner, thread_id, kind, namespace, id)
);

create index checkpoint_run on checkpoint (space_id, owner, run_id) where run_id is not null;

-- A channel's value, written once for all checkpoints that have it.
create table checkpoint_value (
    space_id text collate "C" not null,
    owner text collate "C" not null,
    thread_id text collate "C" not null,
    namespace text collate "C" not null,
    channel text collate "C" not null,
    version text collate "C" not null,
    type text not null,
    body bytea not null,
    primary key (space_id, owner, thread_id, namespace, channel, version)
);

-- What the tasks of a graph wrote after a checkpoint, before the next one; it may come before the checkpoint itself.
create table checkpoint_write (
    space_id text collate "C" not null,
    owner text collate "C" not null,
    thread_id text collate "C" not null,
    namespace text collate "C" not null,
    checkpoint_id text collate "C" not null,
    task_id text collate "C" not null,
    place integer not null,
    task_path text collate "C" not null,
    channel text not null,
    type text not null,
    body bytea not null,
    primary key (space_id, owner, thread_id, namespace, checkpoint_id, task_id, place)
);

-- Bodies are written often and read seldom: compressing each would take longer than all the rest of a save.
alter table checkpoint alter column body set storage external;
alter table checkpoint_value alter column body set storage external;
alter table checkpoint_write alter column body set storage external;

do $$
declare
    name text;
    readable text := $policy$space_id = any (nullif(current_setting('recollect.spaces', true), '')::text[])$policy$;
    writable text := $policy$space_id = (nullif(current_setting('recollect.spaces', true), '')::text[])[1]$policy$;
begin
    foreach name in array array['checkpoint', 'checkpoint_value', 'checkpoint_write'] loop
        execute format('alter table %I enable row level security', name);
        execute format('create policy reading on %I for select using (%s)', name, readable);
        execute format('create policy adding on %I for insert with check (%s)', name, writable);
        execute format('create policy changing on %I for update using (%s) with check (%s)', name, writable, writable);
        execute format('create policy removing on %I for delete using (%s)', name, writable);
    end loop;
end
$$;

-- Save a state as the next version of its thread; the version, or nothing where another one than `expected` is the
-- latest. Two that save at once get two versions. The oldest beyond `keep` go, some at a time.
-- A function, so that all of it is one call, which on a cluster runs where the space lies. Tables are named with their
-- schema, as setting a search path at each call costs too.
create function save_state(
    of_space text, of_owner text, of_thread text, state bytea, expected bigint, keep integer, by_agent text,
    at_time timestamptz
)
returns bigint
language plpgsql
as $$
declare
    latest bigint;
begin
    loop
        -- A statement of its own, not part of an expression: on a cluster only that finds its shard.
        select c.id into latest from recollect.checkpoint c
        where c.space_id = of_space and c.owner = of_owner and c.thread_id = of_thread and c.kind = 'state'
          and c.namespace = ''
        order by c.id desc limit 1;
        latest := coalesce(latest, 0);
        if latest <> expected then
            return null;
        end if;
        insert into recollect.checkpoint (
            space_id, owner, thread_id, kind, namespace, id, type, body, saved_by, saved_at)
        values (of_space, of_owner, of_thread, 'state', '', lpad((latest + 1)::text, 18, '0'), 'json', state, by_agent,
                at_time)
        on conflict (space_id, owner, thread_id, kind, namespace, id) do nothing;
        exit when found;
    end loop;
    if latest = 0 then
        insert into recollect.space (space_id, created_at) values (of_space, at_time)
        on conflict (space_id) do nothing;
    elsif latest >= keep and latest % 64 = 0 then
        delete from recollect.checkpoint
        where space_id = of_space and owner = of_owner and thread_id = of_thread and kind = 'state' and namespace = ''
          and id <= lpad((latest + 1 - keep)::text, 18, '0');
    end if;
    return latest + 1;
end
$$;
