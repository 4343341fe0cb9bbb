-- name: hold_off
-- Until this transaction ends nobody begins to copy the space: a copy would miss what it writes.
select pg_advisory_xact_lock_shared(hashtextextended('projection:' || %(space)s::text, 0));

-- name: hold_alone
-- The same from the other side: no transaction that looked before is still writing.
select pg_advisory_xact_lock(hashtextextended('projection:' || %(space)s::text, 0));

-- name: noted
-- Whether changes of the space are noted: it is projected, and its copy has begun.
select not state = 'whole' as noted from projection where space_id = %(space)s;

-- name: note
-- What changed, if changes of the space are noted.
insert into outbox (space_id, id, target_id, at)
select p.space_id, t.id, t.target_id, %(at)s::timestamptz
from projection p, unnest(%(ids)s::uuid[], %(targets)s::uuid[]) as t (id, target_id)
where p.space_id = %(space)s and not p.state = 'whole'
on conflict (space_id, id) do nothing;

-- name: adopt
-- The space is projected from now on; all of it has to be copied first.
insert into projection (space_id, state) values (%(space)s, 'whole') on conflict (space_id) do nothing;

-- name: copy_whole
-- Whatever was copied or noted counts for nothing: all of it is to be copied anew.
insert into projection (space_id, state) values (%(space)s, 'whole')
on conflict (space_id) do update set state = 'whole';

-- name: clear
-- What waits is part of that copy.
delete from outbox where space_id = %(space)s;

-- name: begin_copy
-- The copy begins: from here on changes are noted.
update projection set state = 'copying' where space_id = %(space)s and state = 'whole';

-- name: end_copy
-- The copy is whole, provided that nobody asked for another one meanwhile.
update projection set state = 'following', failed = null, failed_at = null, projected_at = %(at)s
where space_id = %(space)s and state = 'copying' and turn = %(turn)s
returning turn;

-- name: take_turn
-- Somebody begins to write to Neo4j: whoever did before may not any more.
update projection set turn = turn + 1 where space_id = %(space)s returning turn, state;

-- name: waiting
-- What changed, in order.
select id, target_id from outbox where space_id = %(space)s order by id limit %(limit)s;

-- name: carried
-- It was carried over.
delete from outbox where space_id = %(space)s and id = any (%(ids)s::uuid[]);

-- name: went_well
-- When, and that nothing is wrong.
update projection set projected_at = %(at)s, failed = null, failed_at = null where space_id = %(space)s;

-- name: went_wrong
-- Why the last try failed.
update projection set failed = %(failed)s, failed_at = %(at)s where space_id = %(space)s;

-- name: stand
-- How far the projection of a space is.
select p.state, p.turn, p.projected_at, p.failed, p.failed_at,
    (select count(*) from outbox o where o.space_id = %(space)s) as waiting,
    (select min(o.at) from outbox o where o.space_id = %(space)s) as oldest
from projection p
where p.space_id = %(space)s;

-- name: latest_turn
-- Who took the last turn.
select turn from projection where space_id = %(space)s;

-- name: level
-- Whether Neo4j has all of a space that PostgreSQL has.
select p.state = 'following' and not exists (select from outbox o where o.space_id = %(space)s) as level
from projection p
where p.space_id = %(space)s;

-- name: waits
-- Which of some nodes and relations wait to be carried over.
select distinct target_id from outbox where space_id = %(space)s and target_id = any (%(ids)s::uuid[]);

-- name: spaces_to_project
-- Spaces (for the owner, over all of them) that are behind.
select space_id from projection where not state = 'following'
union
select distinct space_id from outbox;

-- name: spaces_to_adopt
-- The same, and those that are not projected yet.
select space_id from projection where not state = 'following'
union
select distinct space_id from outbox
union
select s.space_id from space s where not exists (select from projection p where p.space_id = s.space_id);

-- name: spaces_projected
-- Every space that is projected (for the owner).
select space_id from projection order by space_id;

-- name: spaces_all
-- Every space (for the owner).
select space_id from space order by space_id;
