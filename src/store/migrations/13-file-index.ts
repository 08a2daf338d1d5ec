import type { Migration } from './migrate.ts';

/**
 * The index of files: their passages in segments, which never change once they are searchable. The id of a
 * part is the id of its segment times 65,536 and its place.
 */
export const fileIndex: Migration = {
  version: 13,
  name: 'file index',
  up: ({ dialect, int, bytes, identity }) => [
    `create table index_files (
      id ${identity},
      principal text not null,
      source text not null,
      name text not null,
      sha256 text not null,
      bytes ${int} not null,
      passages ${int} not null,
      origin text not null,
      state text not null,
      indexed_at ${int} not null,
      used_at ${int} not null)`,
    'create index index_files_by_source on index_files (principal, source)',
    'create index index_files_by_use on index_files (origin, used_at)',
    `create table index_segments (
      id ${identity},
      principal text not null,
      passages ${int} not null,
      terms ${int} not null,
      buckets ${int} not null,
      lengths ${bytes} not null,
      state text not null,
      created_at ${int} not null)`,
    'create index index_segments_by_principal on index_segments (principal)',
    `create table index_runs (
      segment_id ${int} not null references index_segments (id) on delete cascade,
      first ${int} not null,
      passages ${int} not null,
      file_id ${int} not null references index_files (id) on delete cascade,
      primary key (segment_id, first))`,
    'create index index_runs_by_file on index_runs (file_id)',
    ...['index_postings', 'index_texts'].flatMap((table) => [
      `create table ${table} (
        id ${int} primary key,
        bytes ${bytes} not null)`,
      // The bytes are packed already.
      ...(dialect === 'postgres'
        ? [`alter table ${table} alter column bytes set storage external`]
        : []),
    ]),
  ],
};
