-- Which copy of a space Neo4j should hold: without that, one that was emptied, brought back from a backup, or written
-- from another database would be taken for ours.

alter table projection add column origin uuid;              -- of this projection; another database has another one
alter table projection add column copy_id uuid;             -- of the last whole copy, made anew for each
alter table projection add column carried_id uuid;          -- of what Neo4j had last: the copy, or a batch of changes
alter table projection add column carrying_id uuid;         -- of the batch that is under way, or was cut off
alter table projection add column behind_since timestamptz; -- when all of it had to be copied; null once it is

alter table projection drop constraint projection_state_check;
-- `refused`: Neo4j holds this space of another database; nothing is noted or written until somebody wants it rebuilt.
alter table projection add constraint projection_state_check
    check (state in ('whole', 'copying', 'following', 'refused'));

-- Copies that were made before have no marks, and are made anew.
update projection set state = 'whole', behind_since = now();
delete from outbox;
