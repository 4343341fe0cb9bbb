-- Keys of those who come in from outside: the server's. They belong to no space, and are the owner's alone: there is
-- no policy, so that the application role sees none of them.
create table api_key (
    id uuid primary key,
    name text not null,
    prefix text not null unique,                -- how the secret begins: by this it is found
    digest bytea not null,                      -- SHA-256 of the secret, which is kept nowhere
    user_id text,
    project_id text,
    agent_id text,
    team_ids text[] not null default '{}',
    sensitivity text not null check (sensitivity in ('low', 'normal', 'high')),
    admin boolean not null,
    created_at timestamptz not null,
    last_used_at timestamptz,
    uses bigint not null default 0,
    revoked_at timestamptz,
    check (admin or user_id is not null or project_id is not null or agent_id is not null)
);

alter table api_key enable row level security;
