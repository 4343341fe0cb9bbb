-- What was forgotten on request: tombstones that bar it from being derived again, without a word of it.

create table tombstone (
    space_id text collate "C" not null,
    id uuid not null,
    form text not null check (form in ('memory', 'message', 'thread', 'source', 'person', 'query', 'everything')),
    keep_raw boolean not null default false,
    at timestamptz not null,
    actor text,
    agent_id text,
    counts jsonb not null default '{}',         -- what went: numbers alone
    waiting jsonb not null default '{}',        -- what still has to be made searchable again, or reached elsewhere: ids alone
    primary key (space_id, id)
);

create index tombstone_waiting on tombstone (space_id, id) where not waiting = '{}';

-- Keyed hashes of what is barred: names, sentences, rows. The key is not in the database.
create table tombstone_mark (
    space_id text collate "C" not null,
    tombstone_id uuid not null,
    form text not null check (form in ('name', 'first', 'last', 'text', 'said', 'row')),
    key_id text not null,
    mark bytea not null,
    primary key (space_id, tombstone_id, form, key_id, mark)
);

do $$
declare
    name text;
    readable text := $policy$space_id = any (nullif(current_setting('recollect.spaces', true), '')::text[])$policy$;
    writable text := $policy$space_id = (nullif(current_setting('recollect.spaces', true), '')::text[])[1]$policy$;
begin
    foreach name in array array['tombstone', 'tombstone_mark'] loop
        execute format('alter table %I enable row level security', name);
        execute format('create policy reading on %I for select using (%s)', name, readable);
        execute format('create policy adding on %I for insert with check (%s)', name, writable);
        execute format('create policy changing on %I for update using (%s) with check (%s)', name, writable, writable);
        execute format('create policy removing on %I for delete using (%s)', name, writable);
    end loop;
end
$$;
