-- The graph as it is carried to Neo4j: which spaces are, how far each is, and what has changed since.

-- A space that is projected. Without a row nothing of it is noted, so that nothing gathers where there is no Neo4j.
create table projection (
    space_id text collate "C" not null,
    -- `whole`: nothing is noted, all of it is to be copied; `copying`: that is under way, changes are noted;
    -- `following`: the copy is whole, and follows what is noted.
    state text not null check (state in ('whole', 'copying', 'following')),
    turn bigint not null default 0,             -- rises whenever somebody begins to write to Neo4j: of two, the later holds
    projected_at timestamptz,                   -- real time, as all times here
    failed text,                                -- why the last try failed; null once one went well
    failed_at timestamptz,
    primary key (space_id)
) with (fillfactor = 70);

-- Nodes and relations that changed, by their ids alone, in order. Whoever carries them over reads them as they are then.
create table outbox (
    space_id text collate "C" not null,
    id uuid not null,
    target_id uuid not null,
    at timestamptz not null,
    primary key (space_id, id)
);

create index outbox_target on outbox (space_id, target_id);

do $$
declare
    name text;
    readable text := $policy$space_id = any (nullif(current_setting('recollect.spaces', true), '')::text[])$policy$;
    writable text := $policy$space_id = (nullif(current_setting('recollect.spaces', true), '')::text[])[1]$policy$;
begin
    foreach name in array array['projection', 'outbox'] loop
        execute format('alter table %I enable row level security', name);
        execute format('create policy reading on %I for select using (%s)', name, readable);
        execute format('create policy adding on %I for insert with check (%s)', name, writable);
        execute format('create policy changing on %I for update using (%s) with check (%s)', name, writable, writable);
        execute format('create policy removing on %I for delete using (%s)', name, writable);
    end loop;
end
$$;
