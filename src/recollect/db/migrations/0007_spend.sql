-- What language models and embedders cost.

-- Calls of a space on a day of its own time zone, by model and by what it was asked for; failed ones too.
create table spend (
    space_id text collate "C" not null,
    day date not null,
    model text not null,
    task text not null,                         -- of a language model; `embed`: of an embedder
    calls bigint not null,
    failures bigint not null,
    input_tokens bigint not null,
    output_tokens bigint not null,
    money double precision not null,            -- in US dollars, by the table of prices
    unpriced bigint not null,                   -- calls of a model whose price nobody knows
    primary key (space_id, day, model, task)
) with (fillfactor = 70);

-- Days on which a space had used up what it may spend, and since when rules did the work of models.
create table spend_stop (
    space_id text collate "C" not null,
    day date not null,
    since timestamptz not null,
    reason text not null,
    primary key (space_id, day)
);

do $$
declare
    name text;
    readable text := $policy$space_id = any (nullif(current_setting('recollect.spaces', true), '')::text[])$policy$;
    writable text := $policy$space_id = (nullif(current_setting('recollect.spaces', true), '')::text[])[1]$policy$;
begin
    foreach name in array array['spend', 'spend_stop'] loop
        execute format('alter table %I enable row level security', name);
        execute format('create policy reading on %I for select using (%s)', name, readable);
        execute format('create policy adding on %I for insert with check (%s)', name, writable);
        execute format('create policy changing on %I for update using (%s) with check (%s)', name, writable, writable);
        execute format('create policy removing on %I for delete using (%s)', name, writable);
    end loop;
end
$$;
