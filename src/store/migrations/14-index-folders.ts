import type { Migration } from './migrate.ts';

/** Folders and patterns whose new files an update of the index finds. */
export const indexFolders: Migration = {
  version: 14,
  name: 'index folders',
  up: () => [
    `create table index_folders (
      principal text not null,
      source text not null,
      primary key (principal, source))`,
  ],
};
