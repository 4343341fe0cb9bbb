-- name: lock
-- One re-embedding at a time; held until the connection closes or lets go.
select pg_try_advisory_lock(hashtextextended('recollect reembedding', 0)) as mine;

-- name: unlock
-- The next one may come.
select pg_advisory_unlock(hashtextextended('recollect reembedding', 0));

-- name: models
-- The model that the database was filled with, and the one that it is being carried to.
select name, value from recollect.installation where name in ('embedder', 'reembedding');

-- name: begin
-- From here on nobody opens the database until the last vector is new.
insert into recollect.installation (name, value) values ('reembedding', %(target)s)
on conflict (name) do update set value = excluded.value;

-- name: forget_marks
-- How far an attempt with another model came counts for nothing.
delete from recollect.installation where starts_with(name, 'reembedded:');

-- name: finish
-- The database now belongs to the new model.
with done as (
    delete from recollect.installation where name = 'reembedding' or starts_with(name, 'reembedded:')
)
insert into recollect.installation (name, value) values ('embedder', %(target)s)
on conflict (name) do update set value = excluded.value;

-- name: spaces
-- Every space, with how many memories it has and how far it was re-embedded before.
select s.space_id, coalesce(m.memories, 0) as memories, i.value as mark
from recollect.space s
left join (select space_id, count(*) as memories from recollect.memory group by space_id) m using (space_id)
left join recollect.installation i on i.name = 'reembedded:' || s.space_id
order by s.space_id;

-- name: mark
-- A space is re-embedded up to here.
insert into recollect.installation (name, value) values ('reembedded:' || %(space)s, %(mark)s)
on conflict (name) do update set value = excluded.value;

-- name: drop_index
-- An index of other dimensions would refuse the new vectors; of the same ones, it would slow them down.
drop index concurrently if exists recollect.{name};

-- name: forget_index
-- Searches read the space whole until it has an index again.
update space_statistics set vector_index = null where space_id = %(space)s;

-- name: memories_after
-- A stretch of memories; those that are turns with their message and the one before it, nodes with their names. Sources
-- without a summary, such as raw sections, are not in the search index: they are found by the chunks that came of them.
select m.id, m.kind, m.version, m.title, m.summary, m.content, m.data->'aliases' as aliases,
    m.data->'keywords' as keywords, m.data->'indexed' as indexed, said.body, said.name, said.at,
    before.body as body_before, before.name as name_before
from memory m
left join message said on said.space_id = %(space)s and said.id = m.message_id and m.kind = 'turn'
left join message before
    on before.space_id = %(space)s and before.conversation_id = said.conversation_id and before.turn = said.turn - 1
where m.space_id = %(space)s and m.id > %(after)s
  and not (m.kind = 'source' and coalesce(m.summary, '') = '')
order by m.id
limit %(limit)s;
