-- Conversations that remember: how far each is understood and compressed, who was told what, and what waits for
-- the user's consent.

alter table conversation add column understood_turn integer not null default 0;    -- learned from up to here
alter table conversation add column compressed_turn integer not null default 0;    -- in finished chunks up to here
alter table conversation add column begun_revision bigint not null default 0;      -- of the space, when it began

create index conversation_to_understand on conversation (space_id, id) where understood_turn < last_turn;

-- A message that stands in the place of a retracted one is numbered as it came and read where that one stood.
alter table message add column in_place_of integer;

-- What a space tells extraction: {"instructions": …, "profile_keys": […], "entity_types": […], "relation_types": […]}.
alter table space add column guidance jsonb not null default '{}';

create index memory_episode on memory (space_id, conversation_id) where kind = 'episode';

-- Values for profile keys that were not simply taken: they wait for the user, lapse, or were passed over.
create table consent (
    space_id text collate "C" not null,
    id uuid not null,
    type text not null,
    key text not null,
    value text not null,
    confidence double precision not null,
    importance double precision not null,
    status text not null default 'open' check (status in ('open', 'accepted', 'declined', 'lapsed', 'ignored')),
    reason text not null,
    signals uuid[] not null default '{}',       -- the messages that speak for it
    conversation_id uuid,
    thread_id text,
    turn integer,
    message_id uuid,
    said_at timestamptz not null,
    proposed_at timestamptz not null,
    expires_at timestamptz,
    decided_at timestamptz,
    decided_by text,
    primary key (space_id, id)
);

create unique index consent_open on consent (space_id, type, key, lower(value)) where status = 'open';

-- Messages that rules understood because the model could not: they are read again when it can.
create table reread (
    space_id text collate "C" not null,
    conversation_id uuid not null,
    turn integer not null,
    tries integer not null default 0,
    primary key (space_id, conversation_id, turn),
    foreign key (space_id, conversation_id) references conversation (space_id, id) on delete cascade
);

-- An agent that reads a conversation for somebody: up to which revision of each space it was told of changes, what its
-- last context told, and the profile as that context's stable part shows it until the window moves.
create table reader (
    space_id text collate "C" not null,
    conversation_id uuid not null,
    owner text not null,
    agent text not null,
    told jsonb not null default '{}',
    offered jsonb not null default '{}',
    anchor integer not null default -1,
    profile jsonb not null default '[]',
    primary key (space_id, conversation_id, owner, agent),
    foreign key (space_id, conversation_id) references conversation (space_id, id) on delete cascade
) with (fillfactor = 70);

do $$
declare
    name text;
    readable text := $policy$space_id = any (nullif(current_setting('recollect.spaces', true), '')::text[])$policy$;
    writable text := $policy$space_id = (nullif(current_setting('recollect.spaces', true), '')::text[])[1]$policy$;
begin
    foreach name in array array['consent', 'reread', 'reader'] loop
        execute format('alter table %I enable row level security', name);
        execute format('create policy reading on %I for select using (%s)', name, readable);
        execute format('create policy adding on %I for insert with check (%s)', name, writable);
        execute format('create policy changing on %I for update using (%s) with check (%s)', name, writable, writable);
        execute format('create policy removing on %I for delete using (%s)', name, writable);
    end loop;
end
$$;
