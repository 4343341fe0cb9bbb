-- The ground floor: spaces, the raw log, what is remembered, and how it is found.
-- Every table of a space leads its primary key with space_id, holds no trigger, and references
-- only rows of its own space, so that the schema shards by space.

do $$
begin
    -- Asked for first: on a cluster not even `if not exists` is allowed to an owner who did not make it.
    if not exists (select from pg_extension where extname = 'vector') then
        create extension vector schema public;
    end if;
end
$$;

-- What this database was set up with: the embedding model and its dimensions. Common to all spaces.
create table installation (
    name text primary key,
    value jsonb not null
);

-- One row a space: `user:…`, `project:…`, `team:…`, `agent:…`.
create table space (
    space_id text collate "C" primary key,
    created_at timestamptz not null,
    revision bigint not null default 0,         -- rises once with each transaction that changes knowledge
    changes bigint not null default 0,          -- entries written or withdrawn since statistics were taken
    timezone text
) with (fillfactor = 50);

-- What search has to know of a space, refreshed in the background.
create table space_statistics (
    space_id text collate "C" primary key,
    entries bigint not null default 0,          -- visible entries
    mean_length double precision not null default 0,        -- mean number of terms of an entry, now
    weighted_length double precision not null default 0,    -- the mean that the stored term weights were made with
    kinds jsonb not null default '{}',          -- visible entries of each kind
    speakers text[] not null default '{}',      -- who has spoken here
    vector_index text,                          -- name of the space's own HNSW index, once it is built
    taken_at timestamptz
);

-- In how many visible entries of the space a term occurs; kept off the write path.
create table term_statistics (
    space_id text collate "C" not null,
    term integer not null,
    documents integer not null,
    primary key (space_id, term)
);

-- The raw log ------------------------------------------------------------------------------------

create table conversation (
    space_id text collate "C" not null,
    id uuid not null,
    owner text not null,                        -- whose thread it is; empty: the space's, shared
    thread_id text not null,
    title text,
    status text not null default 'active' check (status in ('active', 'paused', 'ended')),
    outcome text,
    remember boolean not null default true,
    last_turn integer not null default 0,
    indexed_turn integer not null default 0,    -- turns up to here are searchable
    created_at timestamptz not null,
    updated_at timestamptz not null,
    ended_at timestamptz,
    primary key (space_id, id),
    unique (space_id, owner, thread_id)
) with (fillfactor = 70);

create index conversation_waiting on conversation (space_id, id) where indexed_turn < last_turn;

create table message (
    space_id text collate "C" not null,
    conversation_id uuid not null,
    turn integer not null,
    id uuid not null,
    role text not null,
    name text,
    content json not null,                      -- a string, or the parts as they came, to the letter
    body text not null,                         -- the searchable text of the content
    at timestamptz not null,
    recorded_at timestamptz not null,
    metadata jsonb not null default '{}',
    agent_id text,
    run_id text,
    actor_id text,
    retracted_at timestamptz,
    primary key (space_id, conversation_id, turn),
    unique (space_id, id),
    foreign key (space_id, conversation_id) references conversation (space_id, id) on delete cascade
);

-- What is remembered -----------------------------------------------------------------------------

create table memory (
    space_id text collate "C" not null,
    id uuid not null,
    kind text not null,
    type text,
    category text not null,
    tags text[] not null default '{}',
    title text,
    summary text,
    content text not null,
    data jsonb not null default '{}',           -- what only this kind has
    metadata jsonb not null default '{}',       -- what the caller gave, returned as it is
    conversation_id uuid,
    thread_id text,
    turn integer,
    message_id uuid,
    source_id uuid,
    agent_id text,
    run_id text,
    actor_id text,
    role text,
    speaker text,
    tier text not null check (tier in ('short', 'long')),
    sensitivity text not null default 'normal' check (sensitivity in ('low', 'normal', 'high')),
    happened_at timestamptz not null,           -- when it happened or was said
    valid_from timestamptz,
    valid_until timestamptz,
    version integer not null default 1,
    recorded_at timestamptz not null,           -- since when this version is known
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (space_id, id)
);

create index memory_message on memory (space_id, message_id) where message_id is not null;
create index memory_thread on memory (space_id, thread_id, turn) where thread_id is not null;
create index memory_source on memory (space_id, source_id) where source_id is not null;
create index memory_kind on memory (space_id, kind, id);

-- What changes at another pace than the text: small rows, no index over a counter, room for HOT updates.
-- Relations have a row here too: one lifecycle serves both.
create table memory_use (
    space_id text collate "C" not null,
    memory_id uuid not null,
    kind text not null,
    state text not null default 'candidate'
        check (state in ('candidate', 'active', 'core', 'archived', 'soft_deleted')),
    salience double precision not null default 0.5,
    salience_at timestamptz not null,           -- when that salience was true
    access_count integer not null default 0,
    recall_frequency integer not null default 0,
    last_recall_interval double precision not null default 0,
    decay_gradient double precision not null default 1,
    last_accessed_at timestamptz,
    importance double precision not null,
    confidence double precision not null,
    pinned boolean not null default false,
    ttl_policy text not null default 'decay' check (ttl_policy in ('keep_forever', 'ephemeral', 'decay')),
    by_hand boolean not null default false,     -- added, edited, restored or decided by a person
    pending boolean not null default false,     -- waits for corroboration
    stored_at timestamptz not null,             -- lifecycle ages count from here
    deleted_at timestamptz,
    purge_at timestamptz,
    state_before text,                          -- what restore goes back to
    primary key (space_id, memory_id)
) with (fillfactor = 70);

create index memory_use_purge on memory_use (space_id, purge_at) where purge_at is not null;

-- Former versions of a content; the present one is in `memory`.
create table memory_version (
    space_id text collate "C" not null,
    memory_id uuid not null,
    version integer not null,
    title text,
    summary text,
    content text not null,
    valid_from timestamptz,
    valid_until timestamptz,
    recorded_from timestamptz not null,
    recorded_until timestamptz not null,
    primary key (space_id, memory_id, version)
);

-- What is left of a salience at a moment: `lifecycle.salience` in SQL. Computed when read.
create function salience_at(
    at_time timestamptz, salience double precision, since timestamptz, state text, ttl_policy text,
    confidence double precision, recall_frequency integer, decay_gradient double precision,
    rate double precision, confident double precision
) returns double precision
language sql immutable parallel safe
return case
    when ttl_policy = 'keep_forever' then 1
    -- What was archived as a candidate goes on as one.
    when (state = 'candidate' or state in ('archived', 'soft_deleted') and recall_frequency = 0)
        and confidence >= confident then salience
    -- Beyond the floor exp() would raise an underflow error.
    else salience * exp(greatest(-700, -rate / (1 + power(recall_frequency::double precision, decay_gradient))
        * case when state = 'candidate' or state in ('archived', 'soft_deleted') and recall_frequency = 0
               then 1 + (1 - confidence) * 2 else 1 end
        * greatest(0, extract(epoch from at_time - since)::double precision / 86400)))
end;

-- A memory as it is read: what it says and how it stands.
create view remembered with (security_invoker = true) as
select m.*, u.memory_id, u.state, u.salience, u.salience_at, u.access_count, u.recall_frequency, u.last_recall_interval,
       u.decay_gradient, u.last_accessed_at, u.importance, u.confidence, u.pinned, u.ttl_policy, u.by_hand,
       u.pending, u.stored_at, u.deleted_at, u.purge_at
from memory m
join memory_use u on u.space_id = m.space_id and u.memory_id = m.id;

create table relation (
    space_id text collate "C" not null,
    id uuid not null,
    from_id uuid not null,
    to_id uuid not null,
    type text not null,
    description text,
    attitude text,
    proximity text,
    strength double precision not null default 0.5,
    data jsonb not null default '{}',
    author text,
    valid_from timestamptz not null,
    valid_until timestamptz,
    starts_on date not null generated always as ((valid_from at time zone 'UTC')::date) stored,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (space_id, id),
    unique (space_id, from_id, to_id, type, starts_on)
);

create index relation_back on relation (space_id, to_id);
create unique index relation_related on relation (space_id, from_id, to_id) where type = 'related_to';

create table note (
    space_id text collate "C" not null,
    id uuid not null,
    target_id uuid not null,
    content text not null,
    added_by text,
    source_id uuid,
    lifetime text not null default 'month' check (lifetime in ('week', 'month', 'year', 'forever')),
    expires_at timestamptz,
    created_at timestamptz not null,
    primary key (space_id, id)
);

create index note_target on note (space_id, target_id);
create index note_expiry on note (space_id, expires_at) where expires_at is not null;

-- What happened to it ----------------------------------------------------------------------------

create table history (
    space_id text collate "C" not null,
    memory_id uuid not null,
    id uuid not null,
    event text not null check (event in
        ('ADD', 'UPDATE', 'DELETE', 'MERGE', 'LINK', 'TTL', 'RESTORE', 'FORGET')),
    version integer,
    at timestamptz not null,
    actor text,
    agent_id text,
    reason text,
    detail jsonb not null default '{}',         -- names and numbers, never text of the memory
    primary key (space_id, memory_id, id)
);

create table change_log (
    space_id text collate "C" not null,
    revision bigint not null,
    position integer not null,
    memory_id uuid not null,
    kind text not null,
    event text not null check (event in
        ('created', 'updated', 'merged', 'deleted', 'soft_deleted', 'restored')),
    thread_id text,
    at timestamptz not null,
    primary key (space_id, revision, position)
);

create index change_log_age on change_log (space_id, at);

create table event (
    space_id text collate "C" not null,
    id uuid not null,
    at timestamptz not null,
    node text not null check (node in ('hotpath', 'context', 'episodic', 'worker')),
    op text not null,
    status text not null,
    memory_id uuid,
    category text,
    similarity double precision,
    milliseconds double precision,
    detail jsonb not null default '{}',
    primary key (space_id, id)
);

-- The search index -------------------------------------------------------------------------------

-- One row a passage of a version of a memory: what it is about as a vector, its words as term weights,
-- and the few columns that ranking needs, so that a search reads this table alone until it knows its hits.
-- It is also the embedding cache: the same text of the same space is embedded once.
create table entry (
    space_id text collate "C" not null,
    memory_id uuid not null,
    version integer not null,
    passage integer not null,
    kind text not null,
    category text not null,
    sensitivity text not null,
    visible boolean not null default true,      -- false: a former version, archived, pending or deleted
    part_of uuid,                               -- the conversation or source it belongs to
    speaker text,
    role text,
    happened_at timestamptz not null,
    valid_from timestamptz,
    valid_until timestamptz,
    importance double precision not null,
    text_hash bytea not null,
    length integer not null,
    terms integer[] not null,                   -- hashed together with the space
    weights sparsevec not null,                 -- BM25's saturated term frequencies
    embedding halfvec not null,
    primary key (space_id, memory_id, version, passage)
) with (fillfactor = 95, toast_tuple_target = 8160);

alter table entry alter column embedding set storage main;
alter table entry alter column weights set storage main;
alter table entry alter column terms set storage main;

create index entry_terms on entry using gin (terms) with (fastupdate = off);
create index entry_text on entry (text_hash);
create index entry_kind on entry (space_id, kind);

-- Isolation --------------------------------------------------------------------------------------

-- `recollect.spaces` is set for each transaction: the one space it writes, then the others it may read.
-- After a transaction the setting reads as the empty string, hence nullif.
do $$
declare
    name text;
    -- Without a subquery, which Citus allows in no policy. Every statement of ours names its space too, so that the
    -- setting is read once, to find the rows, and not for every row.
    readable text := $policy$space_id = any (nullif(current_setting('recollect.spaces', true), '')::text[])$policy$;
    writable text := $policy$space_id = (nullif(current_setting('recollect.spaces', true), '')::text[])[1]$policy$;
begin
    foreach name in array array[
        'space', 'space_statistics', 'term_statistics', 'conversation', 'message', 'memory', 'memory_use',
        'memory_version', 'relation', 'note', 'history', 'change_log', 'event', 'entry'
    ] loop
        execute format('alter table %I enable row level security', name);
        execute format('create policy reading on %I for select using (%s)', name, readable);
        execute format('create policy adding on %I for insert with check (%s)', name, writable);
        execute format('create policy changing on %I for update using (%s) with check (%s)', name, writable, writable);
        execute format('create policy removing on %I for delete using (%s)', name, writable);
    end loop;
end
$$;

-- The raw log's writer ----------------------------------------------------------------------------

-- Number and write messages; their ids and turns, or nothing if a given id is taken or the conversation takes no more.
-- The conversation's row is locked until the commit, so that turns have neither gaps nor duplicates, and a turn that
-- can be seen has all those before it. A function, so that on a cluster all of it is one call that runs where the space
-- lies: an insert from a select would go through the coordinator, in two phases.
create function append_messages(
    of_space text, of_conversation uuid, messages json, given_ids uuid[], at_time timestamptz, by_agent text,
    in_run text, by_actor text
)
returns table (id uuid, turn integer)
language plpgsql
set search_path from current
as $$
#variable_conflict use_column
declare
    before integer;
begin
    if cardinality(given_ids) > 0 then
        if exists (select from message where space_id = of_space and id = any (given_ids))
            or exists (
                select from memory
                where space_id = of_space and id = any (given_ids) and message_id is distinct from id) then
            return;
        end if;
    end if;
    update conversation
    set last_turn = last_turn + json_array_length(messages), updated_at = at_time
    where space_id = of_space and id = of_conversation and not status = 'ended'
    returning last_turn - json_array_length(messages) into before;
    if before is null then
        return;
    end if;
    -- One statement with all rows as values: on a cluster it goes to the shard as it is.
    return query execute (
        select 'insert into message (space_id, conversation_id, turn, id, role, name, content, body, at, recorded_at,'
            || ' metadata, agent_id, run_id, actor_id) values '
            || string_agg(
                format('(%L, %L, %s, %L, %L, %L, %L, %L, %L, %L, %L, %L, %L, %L)',
                    of_space, of_conversation, before + m.place, m.id, m.role, m.name, m.content, m.body, m.at, at_time,
                    m.metadata, by_agent, in_run, by_actor),
                ', ' order by m.place)
            || ' returning id, turn'
        from json_to_recordset(messages) as m (
            place integer, id uuid, role text, name text, content json, body text, at timestamptz, metadata jsonb));
end
$$;

-- Search functions --------------------------------------------------------------------------------

-- BM25's inverse document frequency. Statistics lag behind: a term that they do not know counts as rarest.
create function inverse_frequency(documents integer, entries bigint) returns double precision
language sql immutable parallel safe
return ln(1 + (greatest(entries, documents, 0) - coalesce(documents, 0) + 0.5::double precision)
              / (coalesce(documents, 0) + 0.5::double precision));

-- Candidates of a space by reading all of its entries: the nearest, and those that share the weightiest words.
-- A function, because its plan is made once for a connection and not for every search. That plan must not depend on
-- how many spaces there are, nor on how large this one is: hence no sequential scan. Columns are put into their final
-- form only for the few that are chosen.
create function exact_candidates(
    of_space text, question integer[], boosts double precision[], query halfvec, query_length double precision,
    of_kinds text[], of_sensitivity text[], at_time timestamptz, in_entries bigint, most integer
)
returns table (
    memory_id text, space text, kind text, similarity double precision, lexical double precision,
    at double precision, thread text, speaker text, role text, importance double precision, length integer,
    weight double precision
)
language plpgsql stable
set search_path from current
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
    idf sparsevec;
    total double precision;
begin
    select ('{' || string_agg(wanted.term || ':' || wanted.boost * inverse_frequency(t.documents, in_entries), ',')
            || '}/1000000000')::sparsevec,
        sum(wanted.boost * inverse_frequency(t.documents, in_entries))
    into idf, total
    from unnest(question, boosts) as wanted (term, boost)
    left join term_statistics t on t.space_id = of_space and t.term = wanted.term;
    return query
        with scored as materialized (
            select e.memory_id, e.kind, -(e.embedding <#> query) / query_length as similarity,
                coalesce(-(e.weights <#> idf), 0) as lexical, e.happened_at, e.part_of, e.speaker, e.role, e.importance,
                e.length
            from entry e
            where e.space_id = of_space and e.visible
              and (e.valid_until is null or e.valid_until > at_time)
              and e.sensitivity = any (of_sensitivity)
              and (of_kinds is null or e.kind = any (of_kinds))
        ),
        chosen as (
            (select * from scored order by similarity desc, memory_id limit most)
            union
            (select * from scored where lexical > 0 order by lexical desc, memory_id limit most)
        )
        select c.memory_id::text, of_space, c.kind, c.similarity, c.lexical, date_part('epoch', c.happened_at),
            c.part_of::text, c.speaker, c.role, c.importance, c.length, total
        from chosen c;
end
$$;

-- The memories of hits, whole, if they may still be seen; a function for the same reason. Both tables are given the
-- ids: whatever the planner thinks of their sizes, it finds the rows by their keys. (On a cluster a function that
-- takes `of_space` runs where the space lies, which Citus allows to no join: hence the other name here.)
create function visible_memories(in_space text, ids uuid[], of_sensitivity text[], at_time timestamptz)
returns setof remembered
language plpgsql stable
set search_path from current
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
    return query
        select r.* from remembered r
        where r.space_id = in_space and r.id = any (ids) and r.memory_id = any (ids)
          and not r.state = any ('{soft_deleted,archived}') and not r.pending
          and r.sensitivity = any (of_sensitivity)
          and (r.valid_until is null or r.valid_until > at_time);
end
$$;

-- Candidates by their words, through the GIN index. The array operators are not leakproof, so that under
-- row-level security PostgreSQL would not use the index for the application role; hence SECURITY DEFINER,
-- and the function asks by itself whether the space may be read. Only the rarest terms of the question are
-- looked up, as long as they touch no more than `most_rows` rows; every row found is scored with all terms.
-- Where even the rarest term is more common than that, a row has to hold the two rarest together.
create function lexical_candidates(
    of_space text, question integer[], boosts double precision[], query halfvec, query_length double precision,
    of_kinds text[], of_sensitivity text[], at_time timestamptz, most_rows integer, most integer
)
returns table (
    memory_id text, space text, kind text, similarity double precision, lexical double precision,
    at double precision, thread text, speaker text, role text, importance double precision, length integer,
    weight double precision
)
language plpgsql stable security definer
set search_path from current
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
    any_of integer[];
    all_of integer[];
    idf sparsevec;
    total double precision;
begin
    if not coalesce(of_space = any (nullif(current_setting('recollect.spaces', true), '')::text[]), false) then
        return;
    end if;
    with counted as (
        select wanted.term, coalesce(t.documents, 0) as documents,
               wanted.boost * inverse_frequency(t.documents, s.entries) as weight
        from unnest(question, boosts) as wanted (term, boost)
        left join space_statistics s on s.space_id = of_space
        left join term_statistics t on t.space_id = of_space and t.term = wanted.term
    ),
    ranked as (
        select *, row_number() over rarest_first as place, sum(documents) over rarest_first as touched
        from counted
        window rarest_first as (order by documents, term)
    )
    select array_agg(term) filter (where touched <= most_rows),
           array_agg(term) filter (where place <= 2),
           ('{' || string_agg(term || ':' || weight, ',') || '}/1000000000')::sparsevec,
           sum(weight)
    into any_of, all_of, idf, total
    from ranked;
    if any_of is not null then
        all_of := '{}';
    else
        any_of := all_of;
    end if;
    return query
        select e.memory_id::text, of_space, e.kind, -(e.embedding <#> query) / query_length,
               -(e.weights <#> idf) as lexical, date_part('epoch', e.happened_at), e.part_of::text, e.speaker, e.role,
               e.importance, e.length, total
        from entry e
        where e.terms && any_of
          and e.terms @> all_of
          and e.space_id = of_space
          and e.visible
          and (of_kinds is null or e.kind = any (of_kinds))
          and e.sensitivity = any (of_sensitivity)
          and (e.valid_until is null or e.valid_until > at_time)
        order by lexical desc, e.memory_id
        limit most;
end
$$;
