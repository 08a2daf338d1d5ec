import type { Migration } from './migrate.ts';

/**
 * Contents of files, each once, in parts. A content has no digest while it is written and after its
 * last file is deleted; no file can refer to it then. Files from before have no content.
 */
export const fileContents: Migration = {
  version: 11,
  name: 'file contents',
  up: ({ dialect, int, bytes }) => [
    `create table contents (
      id text primary key,
      sha256 text unique,
      bytes ${int} not null,
      touched_at ${int} not null)`,
    // What retention looks for.
    'create index contents_without_digest on contents (touched_at) where sha256 is null',
    `create table content_parts (
      content_id text not null references contents (id),
      at ${int} not null,
      bytes ${bytes} not null,
      primary key (content_id, at))`,
    // Most contents are compressed already.
    ...(dialect === 'postgres'
      ? ['alter table content_parts alter column bytes set storage external']
      : []),
    'alter table files add column content_id text references contents (id)',
    `alter table files add column used_at ${int} not null default 0`,
    'alter table files add column purpose text',
    'update files set used_at = created_at',
    'create index files_by_content on files (content_id)',
    'create index files_by_use on files (used_at)',
    'drop index files_by_principal',
    'create index files_by_principal on files (principal, created_at, id)',
  ],
};
