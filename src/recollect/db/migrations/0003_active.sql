-- What agents work on, and what becomes of it: active memories and their sections, reviews of what could not be merged,
-- names of nodes, and what speaks for a relation.

-- Working notes of an agent.
create table active (
    space_id text collate "C" not null,
    id uuid not null,
    agent text not null,                        -- empty: of the space's user or project itself
    title text not null,
    description text,
    template text,                              -- YAML, as it was given
    metadata jsonb not null default '{}',
    status text not null default 'open' check (status in ('open', 'ended')),
    created_at timestamptz not null,
    ended_at timestamptz,
    primary key (space_id, id)
);

create index active_agent on active (space_id, agent, id);

-- A section's text as it stands. What was updated and has not landed in short-term memory is `updates - landed`: the
-- update count, which falls by what was read and never by an update that came meanwhile.
create table section (
    space_id text collate "C" not null,
    active_id uuid not null,
    name text not null,
    title text not null,
    required boolean not null default false,
    position integer not null,
    content text not null default '',
    updates integer not null default 0,
    landed integer not null default 0 check (landed <= updates),
    source_id uuid,                             -- the raw text that landed last
    updated_at timestamptz not null,
    primary key (space_id, active_id, name),
    foreign key (space_id, active_id) references active (space_id, id) on delete cascade
) with (fillfactor = 70);

create index section_waiting on section (space_id, active_id) where landed < updates;

-- Every text that a section ever had, written once: one that is overwritten before it migrates is not lost either.
create table section_text (
    space_id text collate "C" not null,
    active_id uuid not null,
    name text not null,
    number integer not null,                    -- 0: the initial content; else the update that brought it
    content text not null,
    actor text,
    at timestamptz not null,
    primary key (space_id, active_id, name, number),
    foreign key (space_id, active_id) references active (space_id, id) on delete cascade
);

-- Sections that contradict what is known, or may: somebody has to decide.
create table review (
    space_id text collate "C" not null,
    id uuid not null,
    active_id uuid not null,
    section text not null,
    agent text not null,
    source_id uuid not null,                    -- the raw text of the section
    content text not null,
    reason text not null,
    pieces jsonb not null,                      -- [{"order", "text", "chunks": [{"id", "content", "similarity", "why"}]}]
    status text not null default 'open'
        check (status in ('open', 'keep_old', 'keep_new', 'keep_both', 'merged', 'outdated')),
    resolved_by text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    resolved_at timestamptz,
    primary key (space_id, id)
);

create unique index review_open on review (space_id, active_id, section) where status = 'open';

-- Under which names a node is known: whoever writes a name first decides which node it is.
create table node_name (
    space_id text collate "C" not null,
    kind text not null check (kind in ('person', 'concept', 'entity')),
    type text not null,                         -- of an entity; empty for the others
    name text not null,                         -- canonical: lower case, hyphenated
    node_id uuid not null,
    primary key (space_id, kind, type, name)
);

create index node_name_node on node_name (space_id, node_id);

-- The memories in which a relation between nodes was found.
create table evidence (
    space_id text collate "C" not null,
    memory_id uuid not null,
    relation_id uuid not null,
    at timestamptz not null,
    primary key (space_id, memory_id, relation_id)
);

create index evidence_relation on evidence (space_id, relation_id);

-- A memory mentions a node once, whatever the day.
create unique index relation_mentions on relation (space_id, from_id, to_id) where type = 'mentions';

do $$
declare
    name text;
    readable text := $policy$space_id = any (nullif(current_setting('recollect.spaces', true), '')::text[])$policy$;
    writable text := $policy$space_id = (nullif(current_setting('recollect.spaces', true), '')::text[])[1]$policy$;
begin
    foreach name in array array['active', 'section', 'section_text', 'review', 'node_name', 'evidence'] loop
        execute format('alter table %I enable row level security', name);
        execute format('create policy reading on %I for select using (%s)', name, readable);
        execute format('create policy adding on %I for insert with check (%s)', name, writable);
        execute format('create policy changing on %I for update using (%s) with check (%s)', name, writable, writable);
        execute format('create policy removing on %I for delete using (%s)', name, writable);
    end loop;
end
$$;
