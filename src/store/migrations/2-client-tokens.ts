import type { Migration } from './migrate.ts';

/**
 * A client may have several tokens at once: the old one stays good for a while after it was
 * replaced.
 */
export const clientTokens: Migration = {
  version: 2,
  name: 'client tokens',
  up: ({ int }) => [
    `create table client_tokens (
      id text primary key,
      name text not null,
      token_sha256 text not null unique,
      scopes text not null,
      created_at ${int} not null,
      expires_at ${int})`,
    `insert into client_tokens (id, name, token_sha256, scopes, created_at, expires_at)
      select id, name, token_sha256, scopes, created_at, expires_at from clients`,
    'drop table clients',
    'alter table client_tokens rename to clients',
  ],
};
