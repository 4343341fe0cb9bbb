-- name: memories_of
-- Some memories; those that are turns with their message and the one before it, nodes with their names. Sources
-- without a summary, such as raw sections, are not in the search index: they are found by the chunks that came of them.
select m.id, m.kind, m.version, m.title, m.summary, m.content, m.data->'aliases' as aliases,
    m.data->'keywords' as keywords, m.data->'indexed' as indexed, said.body, said.name, said.at,
    before.body as body_before, before.name as name_before
from memory m
left join message said on said.space_id = %(space)s and said.id = m.message_id and m.kind = 'turn'
left join message before
    on before.space_id = %(space)s and before.conversation_id = said.conversation_id and before.turn = said.turn - 1
where m.space_id = %(space)s and m.id = any (%(ids)s::uuid[])
  and not (m.kind = 'source' and coalesce(m.summary, '') = '')
order by m.id;

-- name: versions_of
-- The former versions of memories.
select memory_id, version, title, summary, content from memory_version where space_id = %(space)s and memory_id = any (%(ids)s);

-- name: remove_entries
-- What the search index holds of memories.
delete from entry where space_id = %(space)s and memory_id = any (%(ids)s);

-- name: write_entries
-- What the search index shall hold of them, present version and former ones.
insert into entry (
    space_id, memory_id, version, passage, kind, category, sensitivity, visible, part_of, speaker, role,
    happened_at, valid_from, valid_until, importance, text_hash, length, terms, weights, embedding)
select %(space)s, r.id, e.version, e.passage, r.kind, r.category, r.sensitivity,
    e.version = r.version and r.state not in ('archived', 'soft_deleted') and not r.pending,
    coalesce(r.conversation_id, r.source_id), r.speaker, r.role, r.happened_at,
    case when e.version = r.version then r.valid_from else v.valid_from end,
    case when e.version = r.version then r.valid_until else v.valid_until end,
    r.importance, e.text_hash, e.length, e.terms::integer[], e.weights, e.embedding
from unnest(
    %(entry_ids)s::uuid[], %(versions)s::integer[], %(passages)s::integer[], %(hashes)s::bytea[],
    %(lengths)s::integer[], %(terms)s::text[], %(weights)b::sparsevec[], %(embeddings)b::halfvec[]
) as e (id, version, passage, text_hash, length, terms, weights, embedding)
join remembered r on r.space_id = %(space)s and r.id = e.id
left join memory_version v on v.space_id = %(space)s and v.memory_id = e.id and v.version = e.version
on conflict (space_id, memory_id, version, passage) do nothing;
