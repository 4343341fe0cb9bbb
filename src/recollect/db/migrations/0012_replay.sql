-- Talk read again by the model or extractor of today, and what would change by it. All of it lies in the space of
-- whoever asked, as it may tell of a profile.

create table replay (
    space_id text collate "C" not null,
    id uuid not null,
    of_space text not null,                     -- whose talk is read
    thread_id text,                             -- null: every thread
    since timestamptz,                          -- null: from the beginning
    extractor text not null,                    -- what reads: a model's name, or rules
    status text not null check (status in ('reading', 'ready', 'accepted', 'discarded')),
    messages integer not null default 0,        -- how many there are to read
    messages_read integer not null default 0,   -- as it was when the changes were planned
    fell_back integer not null default 0,       -- likewise: those of which the model gave no answer
    begun_at timestamptz not null,
    ready_at timestamptz,
    ended_at timestamptz,
    primary key (space_id, id)
);

-- One message as it is read now; kept as it comes, so that a run that was killed goes on.
create table replay_reading (
    space_id text collate "C" not null,
    replay_id uuid not null,
    message_id uuid not null,
    fell_back boolean not null,                 -- the model gave no answer that could be used
    found jsonb not null,
    read_at timestamptz not null,
    primary key (space_id, replay_id, message_id),
    foreign key (space_id, replay_id) references replay (space_id, id) on delete cascade
);

create table replay_change (
    space_id text collate "C" not null,
    replay_id uuid not null,
    id text not null,                           -- the same for the same change, however often it is planned
    place integer not null,
    op text not null check (op in ('added', 'changed', 'retired')),
    kind text not null check (kind in ('statement', 'profile', 'proposal')),
    shown jsonb not null,                       -- what a reader sees: before, after, reason, messages
    plan jsonb not null,                        -- what it takes to write it, and what it rests on
    status text not null check (status in ('open', 'accepted', 'skipped')),
    outcome text,
    primary key (space_id, replay_id, id),
    foreign key (space_id, replay_id) references replay (space_id, id) on delete cascade
);

do $$
declare
    name text;
    readable text := $policy$space_id = any (nullif(current_setting('recollect.spaces', true), '')::text[])$policy$;
    writable text := $policy$space_id = (nullif(current_setting('recollect.spaces', true), '')::text[])[1]$policy$;
begin
    foreach name in array array['replay', 'replay_reading', 'replay_change'] loop
        execute format('alter table %I enable row level security', name);
        execute format('create policy reading on %I for select using (%s)', name, readable);
        execute format('create policy adding on %I for insert with check (%s)', name, writable);
        execute format('create policy changing on %I for update using (%s) with check (%s)', name, writable, writable);
        execute format('create policy removing on %I for delete using (%s)', name, writable);
    end loop;
end
$$;
