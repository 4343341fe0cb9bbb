-- Every job names a task and a space. `lock` is "task:space": one such job runs at a time. `queueing_lock` is
-- the same for what shall run now, with "later:" or "retry:" in front for what waits for its time, so that
-- neither keeps new work out of the queue. Those two have a negative priority until they are due: procrastinate
-- lets a waiting job hold back later ones of its lock, unless they rank higher.
-- `args` holds the space, `origins` (the jobs, enqueued by no other, that this one descends from) and `of`
-- (the job that this one tries again).

-- name: enqueue
-- One job of the task and space, unless one waits already. The shared lock lasts as long as the transaction:
-- a worker that has just taken the waiting job waits for its holders, whose rows it could not see otherwise.
insert into procrastinate_jobs (queue_name, task_name, lock, queueing_lock, args)
select 'recollect', %(task)s::text, %(lock)s::text, %(lock)s::text, jsonb_build_object('space', %(space)s::text)
  from (select pg_advisory_xact_lock_shared(hashtextextended(%(lock)s::text, 0))) as writing
on conflict (queueing_lock) where status = 'todo' do nothing;

-- name: enqueue_following
-- The same from inside a job: what waits already is marked as following from it too.
insert into procrastinate_jobs (queue_name, task_name, lock, queueing_lock, args)
select 'recollect', %(task)s::text, %(lock)s::text, %(lock)s::text,
       jsonb_build_object('space', %(space)s::text, 'origins', to_jsonb(%(origins)s::text[]))
  from (select pg_advisory_xact_lock_shared(hashtextextended(%(lock)s::text, 0))) as writing
on conflict (queueing_lock) where status = 'todo' do update set args = job_args_union(procrastinate_jobs.args, excluded.args);

-- name: enqueue_later
-- One job that waits for its time; of two times, the earlier.
insert into procrastinate_jobs (queue_name, task_name, priority, lock, queueing_lock, args, scheduled_at)
select 'recollect', %(task)s::text, -1, %(lock)s::text, 'later:' || %(lock)s::text,
       jsonb_strip_nulls(jsonb_build_object('space', %(space)s::text, 'origins', to_jsonb(%(origins)s::text[]))),
       now() + make_interval(secs => %(after)s::float8)
  from (select pg_advisory_xact_lock_shared(hashtextextended(%(lock)s::text, 0))) as writing
on conflict (queueing_lock) where status = 'todo' do update
   set scheduled_at = least(procrastinate_jobs.scheduled_at, excluded.scheduled_at),
       args = job_args_union(procrastinate_jobs.args, excluded.args);

-- name: enqueue_all
-- One job for each of many spaces, for work that is committed already. Ordered, so that two callers with
-- spaces in common wait for each other in one direction only.
insert into procrastinate_jobs (queue_name, task_name, lock, queueing_lock, args)
select 'recollect', %(task)s::text, %(task)s::text || ':' || space, %(task)s::text || ':' || space,
       jsonb_strip_nulls(jsonb_build_object('space', space, 'origins', to_jsonb(%(origins)s::text[])))
  from (select distinct unnest(%(spaces)s::text[]) as space order by space) as asked
on conflict (queueing_lock) where status = 'todo' do update
   set args = job_args_union(procrastinate_jobs.args, excluded.args)
 where excluded.args ? 'origins';

-- name: register
-- A new worker, alive as of now.
select worker_id from procrastinate_register_worker_v1();

-- name: unregister
-- A worker that ends in order; what it still holds is anybody's, and what waited behind its jobs too.
with gone as (delete from procrastinate_workers where id = %(worker)s returning id)
select pg_notify('procrastinate_queue_v1#recollect', '') from gone;

-- name: beat
-- The worker is alive. No row: the others think it dead and have taken its jobs.
update procrastinate_workers set last_heartbeat = clock_timestamp() where id = %(worker)s returning id;

-- name: fetch
-- The next job that may run, now held by the worker; a row of nulls if there is none. Nobody waits for the disk
-- here or where a job is done: should the server crash, the job is run again, which it has to bear anyway.
select id, task_name, lock, args, attempts
  from set_config('synchronous_commit', 'off', true) as relaxed,
       procrastinate_fetch_job_v2(array['recollect']::varchar[], %(worker)s::bigint);

-- name: claim
-- A job that never waited: it runs now, unless one of its lock runs already.
insert into procrastinate_jobs (queue_name, task_name, lock, args, status, worker_id)
values ('recollect', %(task)s::text, %(lock)s::text, jsonb_build_object('space', %(space)s::text), 'doing', %(worker)s)
on conflict (lock) where status = 'doing' do nothing
returning id, task_name, lock, args, attempts;

-- name: promote
-- Jobs that have become due get the rank of others; how many, and the seconds until the next.
with due as (
    update procrastinate_jobs set priority = 0
     where id in (select id from procrastinate_jobs
                   where status = 'todo' and priority < 0 and scheduled_at <= now()
                     for update skip locked)
    returning id
)
select (select count(*) from due) as promoted,
       (select extract(epoch from min(scheduled_at) - now())::float8 from procrastinate_jobs
         where status = 'todo' and priority < 0 and scheduled_at > now()) as next;

-- name: writers
-- The transactions that enqueued this task and space and have not ended.
select virtualtransaction from pg_locks
 where locktype = 'advisory' and granted and objsubid = 1
   and database = (select oid from pg_database where datname = current_database())
   and classid = ((hashtextextended(%(lock)s::text, 0) >> 32) & 4294967295)::oid
   and objid = (hashtextextended(%(lock)s::text, 0) & 4294967295)::oid;

-- name: done
-- The job ended well. No row: another worker has taken it over.
delete from procrastinate_jobs using set_config('synchronous_commit', 'off', true) as relaxed
 where id = %(id)s and status = 'doing' and worker_id = %(worker)s
returning id;

-- name: again
-- The job is replaced by a new one, merged with the one that waits under the same queueing lock, if any. Then
-- no trigger tells the workers that it need not wait any more.
with gone as (
    delete from procrastinate_jobs
     where id = %(id)s and status = 'doing' and worker_id is not distinct from %(worker)s::bigint
    returning *
), next as (
    insert into procrastinate_jobs (queue_name, task_name, priority, lock, queueing_lock, args, attempts, scheduled_at)
    select queue_name, task_name, case when %(after)s::float8 > 0 then -1 else 0 end, lock, %(prefix)s::text || lock,
           args || jsonb_build_object('of', id, 'origins', coalesce(args -> 'origins', jsonb_build_array(id::text))),
           attempts + %(tried)s::int,
           case when %(after)s::float8 > 0 then now() + make_interval(secs => %(after)s::float8) end
      from gone
    on conflict (queueing_lock) where status = 'todo' do update
       set attempts = greatest(procrastinate_jobs.attempts, excluded.attempts),
           args = job_args_union(procrastinate_jobs.args, excluded.args)
    returning id
), noted as (
    insert into job_error (job_id, at, error)
    select id, now(), %(error)s::text from next where %(error)s::text is not null
    on conflict (job_id) do update set at = excluded.at, error = excluded.error
)
select id, pg_notify('procrastinate_queue_v1#recollect', '') from next;

-- name: fail
-- The job is given up. Of one task and space only the latest failure is kept.
with failed as (
    update procrastinate_jobs set status = 'failed', attempts = attempts + 1
     where id = %(id)s and status = 'doing' and worker_id is not distinct from %(worker)s::bigint
    returning id, lock
), older as (
    delete from procrastinate_jobs as job using failed
     where job.lock = failed.lock and job.status = 'failed' and job.id <> failed.id
), noted as (
    insert into job_error (job_id, at, error) select id, now(), %(error)s::text from failed
    on conflict (job_id) do update set at = excluded.at, error = excluded.error
)
select id from failed;

-- name: abandoned
-- Jobs whose worker is dead, or that their living worker knows nothing of (its connection broke as it took them).
select job.id, job.task_name, job.lock, job.args, job.attempts, job.worker_id
  from procrastinate_jobs as job left join procrastinate_workers as worker on worker.id = job.worker_id
 where job.status = 'doing' and job.queue_name = 'recollect'
   and case when job.worker_id = %(worker)s::bigint then job.id <> all (%(running)s::bigint[])
            else worker.id is null or worker.last_heartbeat < clock_timestamp() - make_interval(secs => %(timeout)s::float8) end;

-- name: prune
-- Forget the workers that died.
delete from procrastinate_workers as worker
 where last_heartbeat < clock_timestamp() - make_interval(secs => %(timeout)s::float8) and id <> %(worker)s::bigint
   and not exists (select from procrastinate_jobs as job where job.worker_id = worker.id and job.status = 'doing');

-- name: queued
-- What waits or runs, and whether its time has come.
select id, coalesce(status = 'todo' and scheduled_at > now(), false) as later
  from procrastinate_jobs where status in ('todo', 'doing') and queue_name = 'recollect';

-- name: descendants
-- What is left of some jobs: themselves, and those that descend from them.
select id, status::text as status, coalesce(left(queueing_lock, 6) in ('retry:', 'later:'), false) as deferred,
       (args ->> 'of')::bigint as again_of
  from procrastinate_jobs
 where status in ('todo', 'doing', 'failed') and queue_name = 'recollect'
   and (id = any (%(ids)s::bigint[]) or args -> 'origins' ?| %(names)s::text[]);

-- name: list_jobs
-- Jobs with what is known of them, oldest first.
select job.id, job.task_name as task, job.args ->> 'space' as space, job.status::text as status, job.attempts,
       job.scheduled_at as due_at, job.worker_id as worker, failure.at as failed_at, failure.error
  from procrastinate_jobs as job left join job_error as failure on failure.job_id = job.id
 where job.queue_name = 'recollect' and job.status::text = any (%(statuses)s::text[])
   and (%(task)s::text is null or job.task_name = %(task)s::text)
   and (%(spaces)s::text[] is null or job.args ->> 'space' = any (%(spaces)s::text[]))
 order by job.id limit %(limit)s::int;

-- name: count_jobs
-- How many jobs there are in each state.
select case when job.status = 'todo' and job.scheduled_at > clock_timestamp() then 'later' else job.status::text end
           as state,
       count(*) as jobs
  from procrastinate_jobs as job
 where job.queue_name = 'recollect' and job.status in ('todo', 'doing', 'failed')
 group by 1;

-- name: revive
-- A failed job starts over as a new one, or as the one that waits already.
with gone as (
    delete from procrastinate_jobs where id = %(id)s and status = 'failed' and queue_name = 'recollect' returning *
)
insert into procrastinate_jobs (queue_name, task_name, lock, queueing_lock, args)
select queue_name, task_name, lock, lock, args - 'origins' || jsonb_build_object('of', id) from gone
on conflict (queueing_lock) where status = 'todo' do update set attempts = 0
returning id;

-- name: live_workers
-- Workers with a recent heartbeat, and how many jobs each runs.
select worker.id, worker.last_heartbeat, count(job.id) as running
  from procrastinate_workers as worker
  left join procrastinate_jobs as job on job.worker_id = worker.id and job.status = 'doing'
 where worker.last_heartbeat >= clock_timestamp() - make_interval(secs => %(timeout)s::float8)
 group by worker.id order by worker.id;

-- name: first_seen
-- Jobs that the schedule did not know count as run when it first sees them.
insert into job_run (job, last_due) select unnest(%(jobs)s::text[]), %(now)s on conflict (job) do nothing;

-- name: runs
-- The last run of each job.
select job, last_due, last_started, last_finished, counts, failed from job_run order by job;

-- name: enqueue_due
-- Enqueue a job for a due time, once, whoever comes first.
with claimed as (
    update job_run set last_due = %(due)s where job = %(task)s::text and last_due < %(due)s returning job
)
insert into procrastinate_jobs (queue_name, task_name, lock, queueing_lock, args)
select 'recollect', job, %(lock)s::text, %(lock)s::text, jsonb_build_object('space', %(space)s::text) from claimed
on conflict (queueing_lock) where status = 'todo' do nothing
returning id;

-- name: record_run
-- How a run went, or that it has begun.
insert into job_run (job, last_due, last_started, last_finished, counts, failed)
values (%(job)s::text, %(started)s, %(started)s, %(finished)s, %(counts)s::jsonb, %(failed)s::text)
on conflict (job) do update
   set last_started = excluded.last_started, last_finished = excluded.last_finished,
       counts = excluded.counts, failed = excluded.failed;
