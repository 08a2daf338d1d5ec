import type { Migration } from './migrate.ts';

/** Servers whose tools are pinned, and definitions that wait for the owner. */
export const pinSets: Migration = {
  version: 16,
  name: 'pin sets',
  up: ({ int }) => [
    `alter table pins add column approval text not null default 'first_sight'`,
    `alter table pins add column findings text not null default 'null'`,
    'alter table pins drop column candidate',
    `create table pin_candidates (
      server text not null,
      tool text not null,
      hash text not null,
      definition text not null,
      findings text not null,
      decision text not null,
      renamed_from text,
      first_seen_at ${int} not null,
      primary key (server, tool))`,
    `create table pin_sets (
      server text not null primary key,
      approved_list_hash text not null,
      first_seen_at ${int} not null,
      changed_at ${int} not null)`,
  ],
};
