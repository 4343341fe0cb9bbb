-- name: create
-- A new active memory.
insert into active (space_id, id, agent, title, description, template, metadata, created_at)
values (%(space)s, %(id)s, %(agent)s, %(title)s, %(description)s, %(template)s, %(metadata)s, %(now)s);

-- name: create_sections
-- Its sections.
insert into section (space_id, active_id, name, title, required, position, content, updated_at)
select %(space)s, %(id)s, name, title, required, position, content, %(now)s
from unnest(%(names)s::text[], %(titles)s::text[], %(required)s::boolean[], %(contents)s::text[])
    with ordinality as s (name, title, required, content, position)
on conflict (space_id, active_id, name) do nothing;

-- name: log_initial
-- The first words of its sections, for the raw log.
insert into section_text (space_id, active_id, name, number, content, actor, at)
select %(space)s, %(id)s, name, 0, content, %(actor)s, %(now)s
from unnest(%(names)s::text[], %(contents)s::text[]) as s (name, content)
where not content = ''
on conflict (space_id, active_id, name, number) do nothing;

-- name: update_section
-- One atomic statement: the new text, and one more update; a section that is not there yet begins with it.
insert into section (space_id, active_id, name, title, position, content, updates, updated_at)
values (%(space)s, %(id)s, %(name)s, %(name)s, %(position)s, %(content)s, 1, %(now)s)
on conflict (space_id, active_id, name) do update
    set content = excluded.content, updates = section.updates + 1, updated_at = excluded.updated_at
returning updates;

-- name: log_text
-- What a section was given, for the raw log.
insert into section_text (space_id, active_id, name, number, content, actor, at)
values (%(space)s, %(id)s, %(name)s, %(number)s, %(content)s, %(actor)s, %(now)s);

-- name: texts
-- Every text that the sections of an active memory ever had, in order.
select name, number, content, actor, at from section_text
where space_id = %(space)s and active_id = %(id)s
order by name, number;

-- name: get
-- Active memories by id.
select * from active where space_id = %(space)s and id = %(id)s;

-- name: hold
-- The same, held: nobody ends it, or updates a section, meanwhile.
select * from active where space_id = %(space)s and id = %(id)s for no key update;

-- name: list
-- The active memories of an agent, or of all, in the order in which they were begun.
select * from active
where space_id = %(space)s and (%(agent)s::text is null or agent = %(agent)s) and (%(ended)s or status = 'open')
order by id;

-- name: sections
-- Sections of active memories, in their order.
select * from section where space_id = %(space)s and active_id = any (%(ids)s::uuid[]) order by active_id, position, name;

-- name: open_sections
-- What an agent works on, for its context: newest first, sections in their order.
select a.title, s.title as section, s.content
from active a
join section s on s.space_id = %(space)s and s.active_id = a.id
where a.space_id = %(space)s and a.agent = %(agent)s and a.status = 'open' and not s.content = ''
order by a.id desc, s.position, s.name;

-- name: end
-- The task is over.
update active set status = 'ended', ended_at = %(now)s
where space_id = %(space)s and id = %(id)s and status = 'open'
returning id;

-- name: end_sections
-- What its sections were given at the beginning, and nobody has touched since, waits to land as an update does.
update section set updates = 1
where space_id = %(space)s and active_id = %(id)s and updates = 0 and content ~ '\S';

-- name: waiting
-- Sections with updates that have not landed: of one active memory, of an agent, or of every agent whose updates are
-- at least so many, and of tasks that are over.
select a.id as active_id, a.agent, a.title, s.name, s.title as section_title, s.content, s.updates, s.landed
from section s
join active a on a.space_id = %(space)s and a.id = s.active_id
where s.space_id = %(space)s and s.landed < s.updates
  and (%(id)s::uuid is null or a.id = %(id)s) and (%(agent)s::text is null or a.agent = %(agent)s)
  and (%(least)s <= 1 or a.status = 'ended' or a.agent in (
      select x.agent from active x join section y on y.space_id = %(space)s and y.active_id = x.id
      where x.space_id = %(space)s and y.landed < y.updates
      group by x.agent having sum(y.updates - y.landed) >= %(least)s))
order by a.id, s.position, s.name;

-- name: hold_agent
-- Migrations of one agent go one after the other: the first of its active memories stands for all of them.
select id from active where space_id = %(space)s and agent = %(agent)s order by id limit 1 for no key update;

-- name: hold_section
-- A section as it is now, held.
select updates, landed, source_id from section
where space_id = %(space)s and active_id = %(id)s and name = %(name)s
for update;

-- name: land
-- What was read has landed; an update that came meanwhile still counts.
update section set landed = greatest(landed, %(updates)s), source_id = coalesce(%(source)s, source_id)
where space_id = %(space)s and active_id = %(id)s and name = %(name)s;

-- name: review
-- One open review a section, brought up to date rather than repeated.
insert into review (
    space_id, id, active_id, section, agent, source_id, content, reason, pieces, created_at, updated_at)
values (
    %(space)s, %(id)s, %(active_id)s, %(section)s, %(agent)s, %(source_id)s, %(content)s, %(reason)s, %(pieces)s, %(now)s,
    %(now)s)
on conflict (space_id, active_id, section) where status = 'open' do update
    set source_id = excluded.source_id, content = excluded.content, reason = excluded.reason, pieces = excluded.pieces,
        updated_at = excluded.updated_at
returning id;

-- name: outdate_review
-- The section says something else by now, which contradicts nothing: nothing is left to decide.
update review set status = 'outdated', resolved_at = %(now)s, updated_at = %(now)s
where space_id = %(space)s and active_id = %(active_id)s and section = %(section)s and status = 'open';

-- name: asking_agents
-- Whose open reviews are about some sources.
select distinct agent from review
where space_id = %(space)s and source_id = any (%(sources)s::uuid[]) and status = 'open'
order by agent;

-- name: close_reviews
-- Sources are gone: nothing is left to decide about them.
update review set status = 'outdated', resolved_at = %(now)s, updated_at = %(now)s
where space_id = %(space)s and source_id = any (%(sources)s::uuid[]) and status = 'open';

-- name: refresh_review
-- What is known has changed since the review was asked for: it shows it as it is.
update review set pieces = %(pieces)s, updated_at = %(now)s
where space_id = %(space)s and id = %(id)s and status = 'open';

-- name: open_review_of
-- The open review of a source, if there is one.
select id from review where space_id = %(space)s and source_id = %(source)s and status = 'open' limit 1;

-- name: reviews
-- Reviews in the order in which they came up, of one agent or of all.
select * from review
where space_id = %(space)s
    and (%(status)s::text is null or status = %(status)s)
    and (%(agent)s::text is null or agent = %(agent)s) and sees('knowledge')
order by id;

-- name: get_review
-- One review.
select * from review where space_id = %(space)s and id = %(id)s;

-- name: hold_review
-- The same, held until it is decided.
select * from review where space_id = %(space)s and id = %(id)s for update;

-- name: resolve
-- What was decided, once; never before a decision that it follows, whatever the clock did.
update review
set status = %(status)s, resolved_by = %(by)s, updated_at = %(now)s,
    resolved_at = greatest(%(now)s, (select max(x.resolved_at) from review x where x.space_id = %(space)s))
where space_id = %(space)s and id = %(id)s and status = 'open'
returning *;

-- name: decisions
-- What was decided about some chunks, the last decision first.
select * from review
where space_id = %(space)s and agent = %(agent)s and status in ('keep_old', 'keep_new', 'keep_both', 'merged')
  and jsonb_path_query_array(pieces, '$[*].chunks[*].id') ?| %(chunks)s::text[]
order by resolved_at desc, id desc;
