-- name: write_beside_others
-- Whoever adds something by hand, until the end of the transaction: before it asks what is barred, and before it holds
-- any row, as who forgets holds rows after this.
select pg_advisory_xact_lock_shared(hashtextextended('forget:' || %(space)s::text, 0));

-- name: forget_alone
-- Whoever forgets waits for those who asked before, and sees what they wrote; who comes later sees the tombstone.
select pg_advisory_xact_lock(hashtextextended('forget:' || %(space)s::text, 0));

-- name: bury
-- A tombstone: what was asked for, when and by whom, in numbers and ids alone.
insert into tombstone (space_id, id, form, keep_raw, at, actor, agent_id, counts, waiting)
values (%(space)s, %(id)s, %(form)s, %(keep_raw)s, %(at)s, %(actor)s, %(agent_id)s, %(counts)s, %(waiting)s)
on conflict (space_id, id) do nothing;

-- name: mark
-- The keyed hashes that a tombstone bars by.
insert into tombstone_mark (space_id, tombstone_id, form, key_id, mark)
select %(space)s, %(id)s, m.form, %(key_id)s, m.mark
from unnest(%(forms)s::text[], %(marks)s::bytea[]) as m (form, mark)
on conflict (space_id, tombstone_id, form, key_id, mark) do nothing;

-- name: account
-- What went under a tombstone, and what of it still has to be followed.
update tombstone set counts = %(counts)s, waiting = %(waiting)s where space_id = %(space)s and id = %(id)s;

-- name: await
-- More has to be followed.
update tombstone set waiting = %(waiting)s where space_id = %(space)s and id = %(id)s;

-- name: settle
-- Nothing of it waits any more; what came meanwhile stays.
update tombstone set waiting = '{}' where space_id = %(space)s and id = %(id)s and waiting = %(waiting)s;

-- name: waiting
-- Tombstones of which something still has to be followed.
select id, waiting from tombstone where space_id = %(space)s and not waiting = '{}' order by id;

-- name: all
-- The tombstones of a space, oldest first, with how many marks each has.
select t.*, (select count(*) from tombstone_mark m where m.space_id = %(space)s and m.tombstone_id = t.id) as marks
from tombstone t
where t.space_id = %(space)s
order by t.id;

-- name: marks
-- All that is barred in a space.
select m.tombstone_id, m.form, m.key_id, m.mark, t.at
from tombstone_mark m
join tombstone t on t.space_id = %(space)s and t.id = m.tombstone_id
where m.space_id = %(space)s;

-- name: lift
-- A tombstone bars nothing any more.
delete from tombstone where space_id = %(space)s and id = any (%(ids)s::uuid[]) returning id;

-- name: lift_marks
-- Nor do its marks.
delete from tombstone_mark where space_id = %(space)s and tombstone_id = any (%(ids)s::uuid[]);

-- name: unmark
-- What a person deleted, and says again, bars nothing any more.
delete from tombstone_mark where space_id = %(space)s and form = 'learned' and mark = any (%(marks)s::bytea[]);

-- name: newest
-- The newest tombstone of a space: another one, and something was forgotten meanwhile.
select id from tombstone where space_id = %(space)s order by id desc limit 1;
