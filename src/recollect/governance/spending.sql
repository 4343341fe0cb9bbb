-- name: zone
-- The time zone in which a space counts its days.
select timezone from space where space_id = %(space)s;

-- name: count
-- Add calls to what a day has seen; two that count at once add up.
insert into spend (
    space_id, day, model, task, calls, failures, input_tokens, output_tokens, money, unpriced)
values (%(space)s, %(day)s, %(model)s, %(task)s, %(calls)s, %(failures)s, %(input_tokens)s, %(output_tokens)s,
        %(money)s, %(unpriced)s)
on conflict (space_id, day, model, task) do update
    set calls = spend.calls + excluded.calls, failures = spend.failures + excluded.failures,
        input_tokens = spend.input_tokens + excluded.input_tokens,
        output_tokens = spend.output_tokens + excluded.output_tokens,
        money = spend.money + excluded.money, unpriced = spend.unpriced + excluded.unpriced;

-- name: spent
-- What a day has cost so far.
select coalesce(sum(input_tokens + output_tokens), 0)::bigint as tokens, coalesce(sum(money), 0) as money
from spend where space_id = %(space)s and day = %(day)s;

-- name: stop
-- From now on rules do the work of models; nothing where that was known.
insert into spend_stop (space_id, day, since, reason) values (%(space)s, %(day)s, %(now)s, %(reason)s)
on conflict (space_id, day) do nothing
returning since;

-- name: tell
-- An event, so that somebody sees it.
insert into event (space_id, id, at, node, op, status, detail)
values (%(space)s, %(id)s, %(now)s, 'worker', 'spend', %(status)s, %(detail)s);

-- name: rows
-- Days of a space, the newest first.
select day, model, task, calls, failures, input_tokens, output_tokens, money, unpriced
from spend where space_id = %(space)s and day >= %(first)s
order by day desc, model, task;

-- name: stops
-- The days on which it had used up what it may spend.
select day, since, reason from spend_stop where space_id = %(space)s and day >= %(first)s;
