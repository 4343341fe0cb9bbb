-- name: hold_off
-- Until this transaction ends nobody begins to copy the space: a copy would miss what it writes.
select pg_advisory_xact_lock_shared(hashtextextended('projection:' || %(space)s::text, 0));

-- name: hold_alone
-- The same from the other side: no transaction that looked before is still writing.
select pg_advisory_xact_lock(hashtextextended('projection:' || %(space)s::text, 0));

-- name: state
-- How the space stands, if it is projected: changes are noted once its copy has begun.
select state from projection where space_id = %(space)s;

-- name: note
-- What changed, if changes of the space are noted.
insert into outbox (space_id, id, target_id, at)
select p.space_id, t.id, t.target_id, %(at)s::timestamptz
from projection p, unnest(%(ids)s::uuid[], %(targets)s::uuid[]) as t (id, target_id)
where p.space_id = %(space)s and p.state in ('copying', 'following')
on conflict (space_id, id) do nothing;

-- name: adopt
-- The space is projected from now on; all of it has to be copied first.
insert into projection (space_id, state, behind_since) values (%(space)s, 'whole', %(at)s)
on conflict (space_id) do nothing;

-- name: copy_whole
-- Whatever was copied or noted counts for nothing: all of it is to be copied anew.
insert into projection (space_id, state, behind_since) values (%(space)s, 'whole', %(at)s)
on conflict (space_id) do update
set state = 'whole', behind_since = coalesce(projection.behind_since, excluded.behind_since);

-- name: copy_emptied
-- The same for a space that was emptied, if it is projected.
update projection set state = 'whole', behind_since = coalesce(behind_since, %(at)s)
where space_id = %(space)s and not state = 'refused'
returning space_id;

-- name: copy_lost
-- The same, provided that Neo4j should hold the copy that it was found not to hold.
update projection set state = 'whole', behind_since = coalesce(behind_since, %(at)s)
where space_id = %(space)s and state = 'following' and copy_id = %(copy)s
returning space_id;

-- name: refuse
-- Neo4j holds what another database wrote, provided that nobody asked for a rebuild meanwhile.
update projection set state = 'refused', behind_since = coalesce(behind_since, %(at)s)
where space_id = %(space)s and turn = %(turn)s
returning space_id;

-- name: clear
-- What waits is part of that copy.
delete from outbox where space_id = %(space)s;

-- name: begin_copy
-- The copy begins: from here on changes are noted.
update projection set state = 'copying' where space_id = %(space)s and state = 'whole';

-- name: end_copy
-- The copy is whole, provided that nobody asked for another one meanwhile.
update projection
set state = 'following', carried_id = copy_id, carrying_id = null, behind_since = null,
    failed = null, failed_at = null, projected_at = %(at)s
where space_id = %(space)s and state = 'copying' and turn = %(turn)s
returning turn;

-- name: take_turn
-- Somebody begins to write to Neo4j: whoever did before may not any more. What is copied whole is a copy of its own;
-- a batch that was cut off may have reached Neo4j, and goes on under its name.
update projection
set turn = turn + 1,
    origin = coalesce(origin, %(fresh)s),
    copy_id = case when state = 'following' then copy_id else %(fresh)s end,
    carrying_id = case when state = 'following' then coalesce(carrying_id, %(fresh)s) end
where space_id = %(space)s and not state = 'refused'
returning turn, state, origin, copy_id, carried_id, carrying_id;

-- name: waiting
-- What changed, in order.
select id, target_id from outbox where space_id = %(space)s order by id limit %(limit)s;

-- name: carried
-- It was carried over.
delete from outbox where space_id = %(space)s and id = any (%(ids)s::uuid[]);

-- name: went_well
-- When, and that nothing is wrong; the batch is what Neo4j had last, unless somebody was quicker to say so.
update projection
set projected_at = %(at)s, failed = null, failed_at = null,
    carried_id = case when carrying_id = %(batch)s::uuid then carrying_id else carried_id end,
    carrying_id = nullif(carrying_id, %(batch)s::uuid)
where space_id = %(space)s;

-- name: went_wrong
-- Why the last try failed.
update projection set failed = %(failed)s, failed_at = %(at)s where space_id = %(space)s;

-- name: stand
-- How far the projection of a space is.
select p.space_id, p.state, p.projected_at, p.failed, p.failed_at, p.behind_since,
    (select count(*) from outbox o where o.space_id = %(space)s) as waiting,
    (select min(o.at) from outbox o where o.space_id = %(space)s) as oldest
from projection p
where p.space_id = %(space)s;

-- name: stands
-- The same of every space that is projected (for the owner).
select p.space_id, p.state, p.projected_at, p.failed, p.failed_at, p.behind_since, coalesce(o.waiting, 0) as waiting, o.oldest
from projection p
left join (select space_id, count(*) as waiting, min(at) as oldest from outbox group by space_id) o
    on o.space_id = p.space_id
order by p.space_id;

-- name: latest_turn
-- Who took the last turn.
select turn from projection where space_id = %(space)s;

-- name: level
-- What Neo4j holds if it has all of a space that PostgreSQL has; no row where it does not.
select p.copy_id, p.carried_id
from projection p
where p.space_id = %(space)s and p.state = 'following'
  and not exists (select from outbox o where o.space_id = %(space)s);

-- name: waits
-- Which of some nodes and relations wait to be carried over.
select distinct target_id from outbox where space_id = %(space)s and target_id = any (%(ids)s::uuid[]);

-- name: spaces_to_project
-- Spaces (for the owner, over all of them) that are behind.
select space_id from projection where state in ('whole', 'copying')
union
select distinct space_id from outbox;

-- name: spaces_to_adopt
-- The same, and those that are not projected yet.
select space_id from projection where state in ('whole', 'copying')
union
select distinct space_id from outbox
union
select s.space_id from space s where not exists (select from projection p where p.space_id = s.space_id);

-- name: spaces_followed
-- What Neo4j should hold (for the owner, over all spaces).
select space_id, copy_id, carried_id, carrying_id from projection where state = 'following' order by space_id;

-- name: spaces_all
-- Every space (for the owner).
select space_id from space order by space_id;
