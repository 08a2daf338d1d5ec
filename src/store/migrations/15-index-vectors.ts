import type { Migration } from './migrate.ts';

/** Vectors of the passages of a segment, some passages in a row, by the model that made them. */
export const indexVectors: Migration = {
  version: 15,
  name: 'index vectors',
  up: ({ dialect, int, bytes }) => [
    `create table index_vectors (
      segment_id ${int} not null references index_segments (id) on delete cascade,
      at ${int} not null,
      model text not null,
      bytes ${bytes} not null,
      primary key (segment_id, at))`,
    ...(dialect === 'postgres'
      ? ['alter table index_vectors alter column bytes set storage external']
      : []),
  ],
};
