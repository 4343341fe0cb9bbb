-- What a person deleted stays away after its purge too: a tombstone of its own bars it from being learned again, and
-- nothing else.

alter table tombstone drop constraint tombstone_form_check;
alter table tombstone add constraint tombstone_form_check
    check (form in ('memory', 'message', 'thread', 'source', 'person', 'query', 'everything', 'deleted'));

alter table tombstone_mark drop constraint tombstone_mark_form_check;
alter table tombstone_mark add constraint tombstone_mark_form_check
    check (form in ('name', 'first', 'last', 'text', 'said', 'row', 'learned'));
