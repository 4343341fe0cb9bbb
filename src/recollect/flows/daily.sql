-- name: spaces_due
-- Spaces in which a statement was learned or changed of late, or with pairs that a day was too short for.
select m.space_id
from memory m join memory_use u on u.space_id = m.space_id and u.memory_id = m.id
where m.kind = 'statement' and m.updated_at > {changed_since} and u.state in ('candidate', 'active', 'core')
union
select space_id from upkeep where pairs_left;

-- name: candidates
-- Statements that hold and are young enough, and changed of late, weigh something, or are among the most asked for.
with holding as (
    select m.id, m.created_at, m.updated_at, u.importance, u.access_count
    from memory m join memory_use u on u.space_id = %(space)s and u.memory_id = m.id
    where m.space_id = %(space)s and m.kind = 'statement' and m.valid_until is null and m.created_at > %(young_since)s
      and u.state in ('candidate', 'active', 'core') and not u.pending
)
select id
from holding
where updated_at > %(changed_since)s
   or importance > %(weighty)s
   or access_count >= greatest(1, (select percentile_disc(0.9) within group (order by access_count) from holding))
order by created_at desc, id desc;

-- name: near
-- Pairs of statements of one category that are near each other, each pair once for either side that asks.
select asked.memory_id as id, near.memory_id as other_id, near.similarity
from entry asked
join memory m on m.space_id = %(space)s and m.id = asked.memory_id and m.version = asked.version
cross join lateral (
    select e.memory_id, -(e.embedding <#> asked.embedding) as similarity
    from entry e
    where e.space_id = %(space)s and e.kind = 'statement' and e.category = asked.category and e.passage = 0
      and e.visible and not e.memory_id = asked.memory_id
    order by e.embedding <#> asked.embedding
    limit %(most)s
) near
where asked.space_id = %(space)s and asked.memory_id = any (%(ids)s::uuid[]) and asked.passage = 0 and asked.visible
  and near.similarity >= %(least)s;

-- name: checked
-- What is known of pairs: merged once, they are never merged again.
select one_id, other_id, similarity, verdict, checked_at from pair_check
where space_id = %(space)s and one_id = any (%(ids)s::uuid[]) and other_id = any (%(ids)s::uuid[])
  and (verdict = 'merged' or checked_at > %(since)s);

-- name: checked_today
-- How many pairs a day has seen.
select count(*) as pairs from pair_check where space_id = %(space)s and checked_at >= %(since)s;

-- name: note_check
-- What a comparison came to.
insert into pair_check (space_id, one_id, other_id, similarity, verdict, checked_at)
values (%(space)s, %(one)s, %(other)s, %(similarity)s, %(verdict)s, %(now)s)
on conflict (space_id, one_id, other_id) do update
    set similarity = excluded.similarity, verdict = excluded.verdict, checked_at = excluded.checked_at;

-- name: drop_old_checks
-- Comparisons that count no more.
delete from pair_check where space_id = %(space)s and checked_at <= %(since)s and not verdict = 'merged';

-- name: note_left
-- Whether pairs wait for another day.
insert into upkeep (space_id, pairs_left) values (%(space)s, %(left)s)
on conflict (space_id) do update set pairs_left = excluded.pairs_left;
