-- What the nights keep of their work on statements and insights.

-- Pairs of statements that were compared, so that none is compared again before its time.
create table pair_check (
    space_id text collate "C" not null,
    one_id uuid not null,                       -- the smaller id
    other_id uuid not null,
    similarity double precision not null,       -- calibrated, to two places; another one makes it another pair
    verdict text not null check (verdict in ('merged', 'contradicts', 'different')),
    checked_at timestamptz not null,
    primary key (space_id, one_id, other_id)
);

create index pair_check_old on pair_check (space_id, checked_at);

-- One row a space, once a night has worked there.
create table upkeep (
    space_id text collate "C" primary key,
    pairs_left boolean not null default false,  -- more pairs than a day may compare
    insights_at timestamptz                     -- when the talk was last read for insights
);

do $$
declare
    name text;
    readable text := $policy$space_id = any (nullif(current_setting('recollect.spaces', true), '')::text[])$policy$;
    writable text := $policy$space_id = (nullif(current_setting('recollect.spaces', true), '')::text[])[1]$policy$;
begin
    foreach name in array array['pair_check', 'upkeep'] loop
        execute format('alter table %I enable row level security', name);
        execute format('create policy reading on %I for select using (%s)', name, readable);
        execute format('create policy adding on %I for insert with check (%s)', name, writable);
        execute format('create policy changing on %I for update using (%s) with check (%s)', name, writable, writable);
        execute format('create policy removing on %I for delete using (%s)', name, writable);
    end loop;
end
$$;
