-- States of threads have a table of their own: a narrow row with a number for a key is written and found quicker than
-- one among the checkpoints of graphs.

create table checkpoint_state (
    space_id text collate "C" not null,
    owner text collate "C" not null,            -- whose thread it is, as in `conversation`
    thread_id text collate "C" not null,
    version bigint not null,                    -- from 1 on; whoever reads the latest reads the end of the key
    body bytea not null,                        -- JSON
    saved_by text,
    saved_at timestamptz not null,
    primary key (space_id, owner, thread_id, version)
);

alter table checkpoint_state alter column body set storage external;

do $$
declare
    readable text := $policy$space_id = any (nullif(current_setting('recollect.spaces', true), '')::text[])$policy$;
    writable text := $policy$space_id = (nullif(current_setting('recollect.spaces', true), '')::text[])[1]$policy$;
begin
    alter table checkpoint_state enable row level security;
    execute format('create policy reading on checkpoint_state for select using (%s)', readable);
    execute format('create policy adding on checkpoint_state for insert with check (%s)', writable);
    execute format('create policy changing on checkpoint_state for update using (%s) with check (%s)', writable, writable);
    execute format('create policy removing on checkpoint_state for delete using (%s)', writable);
end
$$;

-- On a cluster the table is spread before the states come: they go from shard to shard, beside the rows that they were.
do $$
begin
    if exists (select from pg_extension where extname = 'citus') then
        if exists (select from pg_dist_partition where logicalrelid = 'checkpoint'::regclass) then
            perform create_distributed_table('checkpoint_state', 'space_id', colocate_with => 'recollect.space');
        end if;
    end if;
end
$$;

insert into checkpoint_state (space_id, owner, thread_id, version, body, saved_by, saved_at)
select space_id, owner, thread_id, id::bigint, body, saved_by, saved_at from checkpoint where kind = 'state';

delete from checkpoint where kind = 'state';

-- What is left are the checkpoints of graphs.
alter table checkpoint drop constraint checkpoint_pkey;
alter table checkpoint drop column kind;
alter table checkpoint add constraint checkpoint_pkey primary key (space_id, owner, thread_id, namespace, id);

drop function save_state(text, text, text, bytea, bigint, integer, text, timestamptz);

-- Save a state as the next version of its thread; the version, or nothing where another one than `expected` is the
-- latest. Of two that save the same version at once one is refused by the key, and tries again. The oldest beyond `keep`
-- go, some at a time.
-- A function, so that all of it is one call, which on a cluster runs where the space lies. Tables are named with their
-- schema, as setting a search path at each call costs too. It names its space to the policies itself, for the rest of
-- its transaction, which a message before it would have done: who may call it could have sent that as well. What they
-- guarantee stays: of all rows, its statements see and write those of the one space that it was called for.
create function save_state(
    of_space text, of_owner text, of_thread text, state bytea, expected bigint, keep integer, by_agent text,
    at_time timestamptz
)
returns bigint
language plpgsql
as $$
declare
    named text := set_config('recollect.spaces', array[of_space]::text, true);
    latest bigint;
begin
    -- A statement of its own, not part of an expression: on a cluster only that finds its shard.
    select s.version into latest from recollect.checkpoint_state s
    where s.space_id = of_space and s.owner = of_owner and s.thread_id = of_thread
    order by s.version desc limit 1;
    latest := coalesce(latest, 0);
    if latest <> expected then
        return null;
    end if;
    insert into recollect.checkpoint_state (space_id, owner, thread_id, version, body, saved_by, saved_at)
    values (of_space, of_owner, of_thread, latest + 1, state, by_agent, at_time);
    if latest = 0 then
        insert into recollect.space (space_id, created_at) values (of_space, at_time)
        on conflict (space_id) do nothing;
    elsif latest >= keep and latest % 64 = 0 then
        delete from recollect.checkpoint_state
        where space_id = of_space and owner = of_owner and thread_id = of_thread and version <= latest + 1 - keep;
    end if;
    return latest + 1;
end
$$;
