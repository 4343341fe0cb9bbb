-- name: add
-- New notes.
insert into note (space_id, id, target_id, content, added_by, source_id, lifetime, expires_at, created_at)
select %(space)s, id, target_id, content, added_by, source_id, lifetime, expires_at, %(now)s
from unnest(
    %(ids)s::uuid[], %(target_ids)s::uuid[], %(contents)s::text[], %(authors)s::text[], %(source_ids)s::uuid[],
    %(lifetimes)s::text[], %(expiries)s::timestamptz[]
) as n (id, target_id, content, added_by, source_id, lifetime, expires_at)
on conflict (space_id, id) do nothing
returning *;

-- name: known
-- Which of some texts their targets have already.
select target_id, content from note
where space_id = %(space)s and target_id = any (%(ids)s::uuid[]) and content = any (%(contents)s::text[])
  and (expires_at is null or expires_at > %(now)s);

-- name: of
-- What is noted on some targets, oldest first; what a source says is as hidden as the source.
select n.* from note n
left join memory s on s.space_id = %(space)s and s.id = n.source_id
where n.space_id = %(space)s and n.target_id = any (%(ids)s::uuid[])
  and (n.expires_at is null or n.expires_at > %(now)s)
  and (n.source_id is null or s.sensitivity = any (%(sensitivity)s))
order by n.created_at, n.id;

-- name: get
-- One note.
select * from note where space_id = %(space)s and id = %(id)s;

-- name: change
-- Another text, another life.
update note set content = %(content)s, lifetime = %(lifetime)s, expires_at = %(expires_at)s, updated_at = %(now)s
where space_id = %(space)s and id = %(id)s
returning *;

-- name: remove
-- It is taken away.
delete from note where space_id = %(space)s and id = %(id)s returning *;

-- name: drop_expired
-- Notes past their life.
delete from note where space_id = %(space)s and expires_at <= %(now)s returning *;

-- name: retarget
-- Notes that go over to another target.
update note n set target_id = t.new
from unnest(%(olds)s::uuid[], %(news)s::uuid[]) as t (old, new)
where n.space_id = %(space)s and n.target_id = t.old
returning n.id, t.old;

-- name: hand_back
-- Notes that go back to whom they were of.
update note n set target_id = t.target
from unnest(%(ids)s::uuid[], %(targets)s::uuid[]) as t (id, target)
where n.space_id = %(space)s and n.id = t.id and n.target_id = any (%(holders)s::uuid[]);
