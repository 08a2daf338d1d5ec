import type { Migration } from './migrate.ts';

/** A cache of fetched pages. `body` is base64 and is the last column, because it is large. */
export const cachedPages: Migration = {
  version: 9,
  name: 'pages',
  up: ({ int }) => [
    `create table pages (
      url text primary key,
      final_url text not null,
      content_type text not null,
      etag text not null,
      last_modified text not null,
      checked_at ${int} not null,
      bytes ${int} not null,
      body text not null)`,
    'create index pages_by_checked_at on pages (checked_at)',
  ],
};
