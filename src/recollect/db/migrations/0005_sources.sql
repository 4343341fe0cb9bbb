-- Documents and talks on their way into the graph, and what keeps the graph in order.

-- A document as it came, and how far it is understood; the memory of kind `source` has the same id. What refers to a
-- stretch of a conversation, or to a source of a team, holds no text.
create table source (
    space_id text collate "C" not null,
    id uuid not null,
    source_type text not null,
    raw text,                                   -- written once
    participants text[] not null default '{}',
    started_at timestamptz,
    ended_at timestamptz,
    context_type text,
    conversation_id uuid,
    first_turn integer,
    last_turn integer,
    origin_space text collate "C",
    origin_id uuid,
    status text not null default 'raw' check (status in ('raw', 'processed', 'extracted')),
    by_rules boolean not null default false,    -- a model was asked for and rules had to stand in
    attempts integer not null default 0,        -- of the phase that is due
    failed text,                                -- why it was given up; a retry clears it
    received_at timestamptz not null,
    processed_at timestamptz,
    extracted_at timestamptz,
    primary key (space_id, id)
) with (fillfactor = 80);

create index source_waiting on source (space_id, status, id) where not status = 'extracted' and failed is null;
create unique index source_turns on source (space_id, conversation_id, first_turn) where conversation_id is not null;
create unique index source_origin on source (space_id, origin_space, origin_id) where origin_id is not null;

-- Turns up to here have become sources.
alter table conversation add column sourced_turn integer not null default 0;

create index conversation_unsourced on conversation (space_id, updated_at) where sourced_turn < last_turn and remember;

-- How often sources mention a node, by the sources' own dates; reckoned anew from the relations whenever one is read.
create table mentioned (
    space_id text collate "C" not null,
    node_id uuid not null,
    sources integer not null,
    days integer not null,
    first_at timestamptz not null,
    last_at timestamptz not null,
    primary key (space_id, node_id)
) with (fillfactor = 70);

-- Nodes, relations, storylines and macros whose text has to follow what was noted or attached since.
create table dirty (
    space_id text collate "C" not null,
    target_id uuid not null,
    kind text not null check (kind in ('person', 'concept', 'entity', 'relation', 'storyline', 'macro')),
    since timestamptz not null,
    mark uuid not null, -- another one whenever something came, so that no reader takes a later mark away
    anew boolean not null, -- something was taken back: nothing of the text so far may be carried on
    primary key (space_id, target_id)
);

-- A name whatever it is of, and names by their beginning.
create index node_name_named on node_name (space_id, name text_pattern_ops);

-- Nodes that may be one, or were made one: `moved` is what it takes to part them again.
create table node_merge (
    space_id text collate "C" not null,
    id uuid not null,
    kept_id uuid not null,
    gone_id uuid not null,
    similarity double precision,
    status text not null check (status in ('proposed', 'merged', 'refused', 'undone')),
    moved jsonb not null default '{}',
    proposed_at timestamptz not null,
    decided_at timestamptz,
    decided_by text,
    primary key (space_id, id)
);

create unique index node_merge_pair on node_merge (space_id, kept_id, gone_id) where not status = 'undone';

-- What a relation says, as a vector, so that a question can find it.
create table relation_entry (
    space_id text collate "C" not null,
    relation_id uuid not null,
    text_hash bytea not null,
    embedding halfvec not null,
    primary key (space_id, relation_id)
);

-- The stories about a node, which may have any number of mentions.
create index relation_told on relation (space_id, to_id) where type in ('about', 'rooted_in');

alter table note add column updated_at timestamptz;

do $$
declare
    name text;
    readable text := $policy$space_id = any (nullif(current_setting('recollect.spaces', true), '')::text[])$policy$;
    writable text := $policy$space_id = (nullif(current_setting('recollect.spaces', true), '')::text[])[1]$policy$;
begin
    foreach name in array array['source', 'mentioned', 'dirty', 'node_merge', 'relation_entry'] loop
        execute format('alter table %I enable row level security', name);
        execute format('create policy reading on %I for select using (%s)', name, readable);
        execute format('create policy adding on %I for insert with check (%s)', name, writable);
        execute format('create policy changing on %I for update using (%s) with check (%s)', name, writable, writable);
        execute format('create policy removing on %I for delete using (%s)', name, writable);
    end loop;
end
$$;

-- Walking in the graph ----------------------------------------------------------------------------

-- Both directions of a relation, the strongest first, with all that a step asks for: a hub with ten thousand relations
-- is read from the index alone, or only as far as it is shown.
drop index relation_back;
create index relation_out on relation (space_id, from_id, strength desc, id)
    include (to_id, type, valid_from, valid_until);
create index relation_in on relation (space_id, to_id, strength desc, id)
    include (from_id, type, valid_from, valid_until);

-- The few that a step may not take, so that the many others need no look at their rows.
create index memory_use_away on memory_use (space_id, memory_id) include (state)
    where state in ('archived', 'soft_deleted');
create index memory_guarded on memory (space_id, id) include (sensitivity, valid_from, valid_until)
    where sensitivity = 'high' or valid_until is not null;
create index relation_guarded on relation (space_id, id) where data->>'sensitivity' = 'high';
