-- Asked by the owner, who sees every space.

-- name: spaces
-- Every space there is, with how much is in it.
select s.space_id as space, s.created_at, coalesce(t.entries, 0) as entries
from recollect.space s left join recollect.space_statistics t on t.space_id = s.space_id
order by s.space_id
limit %(limit)s;
