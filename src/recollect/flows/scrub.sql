-- name: hold_conversations
-- Conversations in which something may go, held before anything else.
select id from conversation where space_id = %(space)s and id = any (%(ids)s::uuid[]) order by id for update;

-- name: conversations_of
-- The conversations of messages.
select distinct conversation_id as id from message where space_id = %(space)s and id = any (%(ids)s::uuid[]);

-- name: reword_message
-- A message without what was forgotten.
update message
set content = %(content)s, body = %(body)s, name = %(name)s, metadata = %(metadata)s
where space_id = %(space)s and id = %(id)s;

-- name: reword_source
-- A raw text without what was forgotten.
update source set raw = %(raw)s, participants = %(participants)s, failed = %(failed)s, context_type = %(context)s
where space_id = %(space)s and id = %(id)s;

-- name: reword_memory
-- A memory without what was forgotten; it is the same version, which never said more.
update memory
set title = %(title)s, summary = %(summary)s, content = %(content)s, tags = %(tags)s, data = %(data)s,
    metadata = %(metadata)s, speaker = %(speaker)s, updated_at = %(now)s
where space_id = %(space)s and id = %(id)s;

-- name: drop_entries
-- What the search index holds of memories; they are indexed anew by what they say now.
delete from entry where space_id = %(space)s and memory_id = any (%(ids)s::uuid[]);

-- name: drop_versions
-- Former versions that carried it.
delete from memory_version v using unnest(%(ids)s::uuid[], %(versions)s::integer[]) as gone (id, version)
where v.space_id = %(space)s and v.memory_id = gone.id and v.version = gone.version;

-- name: drop_tie_entries
-- Vectors of relations that say something else now.
delete from relation_entry where space_id = %(space)s and relation_id = any (%(ids)s::uuid[]);

-- name: next_turns
-- Turns whose words are found together with those of messages before them.
select t.id from message said
join message t on t.space_id = %(space)s and t.conversation_id = said.conversation_id and t.turn = said.turn + 1
where said.space_id = %(space)s and said.id = any (%(ids)s::uuid[]);

-- name: learned_of_messages
-- What was learned of messages, first heard there or told once more.
select id from memory
where space_id = %(space)s and not kind in ('turn', 'source', 'chunk')
  and (message_id = any (%(ids)s::uuid[]) or data->'messages' ?| %(names)s::text[] or data->'evidence' ?| %(prints)s::text[]);

-- name: told_of_turns
-- Chunks of conversations that tell of messages.
select distinct e.id from memory e
join message m on m.space_id = %(space)s and m.conversation_id = e.conversation_id
where e.space_id = %(space)s and e.kind = 'episode' and e.type = 'chunk' and m.id = any (%(ids)s::uuid[])
  and coalesce(m.in_place_of, m.turn) between (e.data->>'first_turn')::integer and (e.data->>'last_turn')::integer;

-- name: talks_of_turns
-- Sources that stretches of talk became, of which messages are a part.
select distinct s.id from source s
join message m on m.space_id = %(space)s and m.conversation_id = s.conversation_id
where s.space_id = %(space)s and m.id = any (%(ids)s::uuid[]) and m.turn between s.first_turn and s.last_turn;

-- name: told_of_nodes
-- Storylines and macros about nodes.
select from_id as id from relation
where space_id = %(space)s and to_id = any (%(ids)s::uuid[]) and type in ('about', 'rooted_in');

-- name: stories_of_sources
-- Storylines that include sources, and macros over those, but for what a person wrote: their own words may tell of them.
with telling as (
    select from_id as id from relation
    where space_id = %(space)s and to_id = any (%(ids)s::uuid[]) and type = 'includes'
), above as (
    select g.from_id as id from relation g join telling t on t.id = g.to_id
    where g.space_id = %(space)s and g.type = 'groups'
)
select u.memory_id as id from memory_use u
where u.space_id = %(space)s and not u.by_hand and u.memory_id in (select id from telling union select id from above);

-- name: insights_of
-- Insights that a model had of messages and memories.
select id from memory where space_id = %(space)s and kind = 'insight' and data->'seen' ?| %(names)s::text[];

-- name: bodies
-- What messages say.
select id, body from message where space_id = %(space)s and id = any (%(ids)s::uuid[]);

-- name: chunks_of_sources
-- Chunks that none but these sources speak for, and their versions in long-term memory.
select id from memory
where space_id = %(space)s and kind = 'chunk' and source_id = any (%(ids)s::uuid[])
  and not exists (
      select from jsonb_array_elements_text(data->'sources') as listed (source)
      where not listed.source = any (%(names)s::text[]));

-- name: ties_of
-- Relations from and to memories.
select id from relation
where space_id = %(space)s and (from_id = any (%(ids)s::uuid[]) or to_id = any (%(ids)s::uuid[]));

-- name: around
-- What is tied to memories: its text may tell of them.
select distinct case when r.from_id = any (%(ids)s::uuid[]) then r.to_id else r.from_id end as id
from relation r
where r.space_id = %(space)s and (r.from_id = any (%(ids)s::uuid[]) or r.to_id = any (%(ids)s::uuid[]))
  and not r.type in ('related_to', 'supersedes');

-- name: drop_change_lines
-- Lines of the change log about what is gone.
delete from change_log where space_id = %(space)s and memory_id = any (%(ids)s::uuid[]);

-- name: drop_history_of_ties
-- History of relations that are gone.
delete from history where space_id = %(space)s and memory_id = any (%(ids)s::uuid[]);

-- name: drop_proposals
-- Proposals for the profile.
delete from consent where space_id = %(space)s and id = any (%(ids)s::uuid[]);

-- name: proposals_of_messages
-- Proposals that came of messages.
select id from consent where space_id = %(space)s and message_id = any (%(ids)s::uuid[]);

-- name: drop_notes
-- Notes of which nothing is left.
delete from note where space_id = %(space)s and id = any (%(ids)s::uuid[]);

-- name: drop_names
-- Names of nodes.
delete from node_name where space_id = %(space)s and name = any (%(names)s::text[]);

-- name: forget_profiles
-- What readers are shown of a profile is rendered anew.
update reader set profile = '[]', anchor = -1 where space_id = %(space)s and not profile = '[]';

-- name: drop_messages
-- A conversation's log.
delete from message where space_id = %(space)s and conversation_id = any (%(ids)s::uuid[]);

-- name: drop_readers
-- Who read a conversation.
delete from reader where space_id = %(space)s and conversation_id = any (%(ids)s::uuid[]);

-- name: drop_rereads
-- Messages of it that a model was to read again.
delete from reread where space_id = %(space)s and conversation_id = any (%(ids)s::uuid[]);

-- name: drop_conversations
-- Conversations.
delete from conversation where space_id = %(space)s and id = any (%(ids)s::uuid[]);

-- name: memories_of_conversations
-- All that conversations became.
select id from memory where space_id = %(space)s and conversation_id = any (%(ids)s::uuid[])
union
select id from source where space_id = %(space)s and conversation_id = any (%(ids)s::uuid[]);

-- name: messages_of_conversations
-- Their messages.
select id from message where space_id = %(space)s and conversation_id = any (%(ids)s::uuid[]);

-- name: members_referring
-- References to some sources of a team in a member's space.
select s.id from source s
where s.space_id = %(space)s and s.origin_space = %(team)s and s.origin_id = any (%(ids)s::uuid[]);

-- name: chosen_keys
-- What callers called their threads, categories, sections, agents and runs; each once.
select 'thread' as key_of, thread_id as key from conversation where space_id = %(space)s
union select 'thread', thread_id from checkpoint where space_id = %(space)s
union select 'thread', thread_id from checkpoint_state where space_id = %(space)s
union select 'section', name from section where space_id = %(space)s
union select 'category', category from memory where space_id = %(space)s
union select 'agent', agent_id from memory where space_id = %(space)s and agent_id is not null
union select 'run', run_id from memory where space_id = %(space)s and run_id is not null;
