-- What Recollect keeps beside procrastinate's tables, in the same schema.

-- The schedule: when each job was last due, and how its last run went. Domain time throughout.
create table job_run (
    job text primary key,
    last_due timestamptz not null,              -- the newest due time that was enqueued, or passed over
    last_started timestamptz,
    last_finished timestamptz,                  -- empty while it runs
    counts jsonb not null default '{}',
    failed text                                 -- the error of the last run, if it ended with one
);

-- Why a job failed, or why it is tried again: the error's class and what may be told of it. Real time.
create table job_error (
    job_id bigint primary key references procrastinate_jobs (id) on delete cascade,
    at timestamptz not null,
    error text not null
);

-- procrastinate looks for jobs of the same lock with every job that it hands out.
create index job_lock on procrastinate_jobs (lock) where status in ('todo', 'doing');

-- The payloads of two jobs that became one: both have ancestors that somebody may be waiting for. Only the
-- newest are kept; whoever waits for older ones has long been told that they take their time.
create function job_args_union(one jsonb, other jsonb) returns jsonb language sql immutable
return case when other ? 'origins' then one || jsonb_build_object('origins', (
    select jsonb_agg(origin::text order by origin) from (
        select distinct value::bigint as origin
          from jsonb_array_elements_text(coalesce(one -> 'origins', '[]') || (other -> 'origins'))
         order by origin desc limit 200
    ) as newest
)) else one end;
