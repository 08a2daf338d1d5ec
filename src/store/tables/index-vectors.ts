import type { FileIndexStore } from '#core/stores/file-index.ts';
import { execute, placeholders, type Database } from '../database.ts';
import { int, text } from './columns.ts';

type VectorStore = Pick<FileIndexStore, 'vectorParts' | 'vectorModels' | 'vectors' | 'saveVectors'>;

/** The vectors of the index of files. */
export function createVectorStore(db: Database): VectorStore {
  return {
    async vectorParts(principal, model) {
      const rows = await db.read(
        `select v.segment_id, v.at, length(v.bytes) as size from index_vectors v
          join index_segments s on s.id = v.segment_id
          where s.principal = ? and s.state = 'ready' and v.model = ?`,
        [principal, model],
      );
      return rows.map((row) => ({
        segmentId: int(row, 'segment_id'),
        at: int(row, 'at'),
        bytes: int(row, 'size'),
      }));
    },

    async vectorModels(segmentIds) {
      if (segmentIds.length === 0) return [];
      const rows = await db.read(
        `select distinct model from index_vectors where segment_id in ${placeholders(segmentIds.length)}`,
        segmentIds,
      );
      return rows.map((row) => text(row, 'model'));
    },

    async vectors(model, segmentId) {
      const rows = await db.read(
        'select at, bytes from index_vectors where segment_id = ? and model = ? order by at',
        [segmentId, model],
      );
      return rows.map((row) => {
        const cell = row['bytes'];
        const bytes = cell instanceof Uint8Array ? Uint8Array.from(cell) : new Uint8Array(0);
        return { at: int(row, 'at'), bytes };
      });
    },

    async saveVectors(model, parts) {
      for (const { segmentId, at, bytes } of parts) {
        // Of a segment that was removed meanwhile nothing is kept.
        await execute(db, {
          sql: `insert into index_vectors (segment_id, at, model, bytes)
            select id, ?, ?, ? from index_segments where id = ?
            on conflict (segment_id, at) do update set model = excluded.model, bytes = excluded.bytes`,
          params: [at, model, bytes, segmentId],
        });
      }
    },
  };
}
