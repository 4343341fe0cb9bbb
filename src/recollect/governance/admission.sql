-- name: make_key
-- A new key; of its secret the hash alone.
insert into recollect.api_key (
    id, name, prefix, digest, user_id, project_id, agent_id, team_ids, sensitivity, admin, created_at)
values (%(id)s, %(name)s, %(prefix)s, %(digest)s, %(user_id)s, %(project_id)s, %(agent_id)s, %(team_ids)s,
        %(sensitivity)s, %(admin)s, %(now)s)
returning *;

-- name: keys
-- All keys, the oldest first; revoked ones too.
select * from recollect.api_key order by created_at, id;

-- name: key_of_prefix
-- The key whose secret begins so.
select * from recollect.api_key where prefix = %(prefix)s;

-- name: any_key
-- Whether a key was ever made.
select exists (select from recollect.api_key) as there;

-- name: rotate_key
-- Another secret for a key; the former one opens nothing any more.
update recollect.api_key set prefix = %(prefix)s, digest = %(digest)s
where id = %(id)s and revoked_at is null
returning *;

-- name: revoke_key
-- A key that opens nothing any more; when it was revoked first stays.
update recollect.api_key set revoked_at = coalesce(revoked_at, %(now)s) where id = %(id)s
returning *;

-- name: count_use
-- Uses of a key since they were counted last; several processes add up.
update recollect.api_key
set uses = uses + %(uses)s, last_used_at = greatest(last_used_at, %(last)s)
where id = %(id)s;
