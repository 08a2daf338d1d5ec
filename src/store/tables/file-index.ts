import { CallError } from '#core/errors/call-error.ts';
import type {
  FileIndexStore,
  IndexedFile,
  IndexOrigin,
  IndexPartKind,
  IndexRun,
  IndexSegment,
  SegmentParts,
} from '#core/stores/file-index.ts';
import type { Clock } from '#core/time/clock.ts';
import { int, text } from './columns.ts';
import { createVectorStore } from './index-vectors.ts';
import { execute, placeholders, type Database, type Row, type Statement } from '../database.ts';

/** Parts of a segment per kind; the id of a part is the id of its segment times this, and its place. */
const PARTS = 65_536;
const IDS_PER_QUERY = 500;
/** Bytes of parts in one write, so that other writes do not wait long. */
const BYTES_PER_WRITE = 1_048_576;
const ROWS_PER_WRITE = 500;
/** What was not finished by then was interrupted. */
const INTERRUPTED_MS = 600_000;
const FILES_PER_WRITE = 50;

const TABLES: Record<IndexPartKind, string> = {
  postings: 'index_postings',
  texts: 'index_texts',
};

export function createFileIndexStore(db: Database, clock: Pick<Clock, 'now'>): FileIndexStore {
  async function insert(sql: string, params: Statement['params']): Promise<number> {
    const [row] = await execute(db, { sql: `${sql} returning id`, params });
    return int(row ?? {}, 'id');
  }

  /** Deletes segments with their parts, some rows at a time. */
  async function deleteSegments(ids: readonly number[]): Promise<void> {
    for (const id of ids) {
      await execute(db, { sql: 'delete from index_segments where id = ?', params: [id] });
      for (const table of Object.values(TABLES)) await deleteParts(table, id);
    }
  }

  async function deleteParts(table: string, segmentId: number): Promise<void> {
    for (let isMore = true; isMore;) {
      const rows = await execute(db, {
        sql: `delete from ${table} where id in
          (select id from ${table} where id >= ? and id < ? limit ${ROWS_PER_WRITE}) returning id`,
        params: [segmentId * PARTS, (segmentId + 1) * PARTS],
      });
      isMore = rows.length === ROWS_PER_WRITE;
    }
  }

  async function removeFiles(principal: string, ids: readonly number[]): Promise<number> {
    let removed = 0;
    for (let at = 0; at < ids.length; at += FILES_PER_WRITE) {
      const some = ids.slice(at, at + FILES_PER_WRITE);
      const rows = await execute(db, {
        sql: `delete from index_files where principal = ? and id in ${placeholders(some.length)} returning id`,
        params: [principal, ...some],
      });
      removed += rows.length;
    }
    return removed;
  }

  return {
    ...createVectorStore(db),

    async files(principal) {
      const rows = await db.scan(
        `select * from index_files where principal = ? and state <> 'indexing' order by name, id`,
        [principal],
      );
      return rows.map(toFile);
    },

    async filesById(principal, ids) {
      const found: IndexedFile[] = [];
      for (let at = 0; at < ids.length; at += IDS_PER_QUERY) {
        const some = ids.slice(at, at + IDS_PER_QUERY);
        const rows = await db.read(
          `select * from index_files where principal = ? and state <> 'indexing' and id in ${placeholders(some.length)}`,
          [principal, ...some],
        );
        found.push(...rows.map(toFile));
      }
      return found;
    },

    async find(principal, source) {
      const [row] = await db.read(
        `select * from index_files where principal = ? and source = ? and state <> 'indexing'`,
        [principal, source],
      );
      return row && toFile(row);
    },

    beginFile: (principal, { source, name, sha256, bytes, origin }) =>
      insert(
        `insert into index_files
          (principal, source, name, sha256, bytes, passages, origin, state, indexed_at, used_at)
          values (?, ?, ?, ?, ?, 0, ?, 'indexing', ?, ?)`,
        [principal, source, name, sha256, bytes, origin, clock.now(), clock.now()],
      ),

    beginSegment: (principal) =>
      insert(
        `insert into index_segments (principal, passages, terms, buckets, lengths, state, created_at)
          values (?, 0, 0, 0, ?, 'indexing', ?)`,
        [principal, new Uint8Array(0), clock.now()],
      ),

    async saveParts(kind, segmentId, parts) {
      const table = TABLES[kind];
      let statements: Statement[] = [];
      let bytes = 0;
      for (const part of parts) {
        statements.push({
          sql: `insert into ${table} (id, bytes) values (?, ?)`,
          params: [segmentId * PARTS + part.at, part.bytes],
        });
        bytes += part.bytes.length;
        if (bytes < BYTES_PER_WRITE && statements.length < ROWS_PER_WRITE) continue;
        await db.write({ statements });
        statements = [];
        bytes = 0;
      }
      if (statements.length > 0) await db.write({ statements });
    },

    async commit(principal, { segments, runs, finished, replaces = [] }) {
      const nowMs = clock.now();
      const statements: Statement[] = [];
      for (const { id, passages, terms, buckets, lengths } of segments) {
        statements.push({
          sql: `update index_segments set passages = ?, terms = ?, buckets = ?, lengths = ?, state = 'ready' where id = ?`,
          params: [passages, terms, buckets, toBytes(lengths), id],
        });
      }
      if (replaces.length > 0) {
        const ids = placeholders(replaces.length);
        statements.push({
          sql: `delete from index_runs where segment_id in ${ids}`,
          params: replaces,
          // Another daemon has replaced them.
          errorIfNoRows: new CallError('conflict', 'The index has changed meanwhile.').toJSON(),
        });
      }
      // Of a file that was removed meanwhile nothing is kept.
      for (const { segmentId, first, passages, fileId } of runs) {
        statements.push({
          sql: `insert into index_runs (segment_id, first, passages, file_id)
            select ?, ?, ?, id from index_files where id = ?`,
          params: [segmentId, first, passages, fileId],
        });
      }
      for (const fileId of new Set(runs.map((run) => run.fileId))) {
        statements.push({
          sql: `update index_files set indexed_at = ? where id = ? and state = 'indexing'`,
          params: [nowMs, fileId],
        });
      }
      for (const { id, passages } of finished) {
        statements.push(
          {
            sql: `delete from index_files where principal = ? and id <> ? and state <> 'indexing'
              and source = (select source from index_files where id = ?)`,
            params: [principal, id, id],
          },
          {
            sql: `update index_files set passages = ?, state = 'current', indexed_at = ?, used_at = ? where id = ?`,
            params: [passages, nowMs, nowMs, id],
          },
        );
      }
      if (statements.length > 0) await db.write({ statements });
      if (replaces.length > 0) await deleteSegments(replaces);
    },

    async segments(principal) {
      const rows = await db.read(
        `select id, passages, terms, buckets, lengths from index_segments
          where principal = ? and state = 'ready' order by id`,
        [principal],
      );
      return rows.map(toSegment);
    },

    async runs(principal, origin) {
      const rows = await db.read(
        `select r.segment_id, r.first, r.passages, r.file_id from index_runs r
          join index_files f on f.id = r.file_id
          where f.principal = ? and f.state <> 'indexing' ${origin ? 'and f.origin = ?' : ''}
          order by r.segment_id, r.first`,
        [principal, ...(origin ? [origin] : [])],
      );
      return rows.map(toRun);
    },

    async parts(kind, wanted) {
      const found: SegmentParts[] = [];
      for (let at = 0; at < wanted.length; at += IDS_PER_QUERY) {
        const ids = wanted
          .slice(at, at + IDS_PER_QUERY)
          .map((part) => part.segmentId * PARTS + part.at);
        const rows = await db.read(
          `select id, bytes from ${TABLES[kind]} where id in ${placeholders(ids.length)}`,
          ids,
        );
        found.push(...rows.map(toParts));
      }
      return found;
    },

    async setState(principal, ids, state) {
      await updateFiles(db, principal, ids, 'state = ?', [state]);
    },

    async touch(principal, ids, origin?: IndexOrigin) {
      const set = origin === 'added' ? `used_at = ?, origin = 'added'` : 'used_at = ?';
      await updateFiles(db, principal, ids, set, [clock.now()]);
    },

    async remove(principal, ids) {
      return removeFiles(principal, ids);
    },

    async folders(principal) {
      const rows = await db.read(
        'select source from index_folders where principal = ? order by source',
        [principal],
      );
      return rows.map((row) => text(row, 'source'));
    },

    async addFolders(principal, sources) {
      const statements = sources.map((source) => ({
        sql: 'insert into index_folders (principal, source) values (?, ?) on conflict do nothing',
        params: [principal, source],
      }));
      if (statements.length > 0) await db.write({ statements });
    },

    async removeFolders(principal, sources) {
      const statements = sources.map((source) => ({
        sql: 'delete from index_folders where principal = ? and source = ?',
        params: [principal, source],
      }));
      if (statements.length > 0) await db.write({ statements });
    },

    async clean(principal) {
      const before = clock.now() - INTERRUPTED_MS;
      await execute(db, {
        sql: `delete from index_files where principal = ? and state = 'indexing' and indexed_at < ?`,
        params: [principal, before],
      });
      const rows = await db.read(
        `select id from index_segments s where principal = ? and (state = 'ready' or created_at < ?)
          and not exists (select 1 from index_runs r where r.segment_id = s.id)`,
        [principal, before],
      );
      await deleteSegments(rows.map((row) => int(row, 'id')));
    },

    async prune(beforeMs) {
      const rows = await db.read(
        `select id, principal from index_files where origin = 'asked' and used_at < ?`,
        [beforeMs],
      );
      for (const principal of new Set(rows.map((row) => text(row, 'principal')))) {
        const own = rows.filter((row) => row['principal'] === principal);
        await removeFiles(
          principal,
          own.map((row) => int(row, 'id')),
        );
        await this.clean(principal);
      }
      return rows.length;
    },
  };
}

async function updateFiles(
  db: Database,
  principal: string,
  ids: readonly number[],
  set: string,
  params: readonly (string | number)[],
): Promise<void> {
  for (let at = 0; at < ids.length; at += IDS_PER_QUERY) {
    const some = ids.slice(at, at + IDS_PER_QUERY);
    await execute(db, {
      sql: `update index_files set ${set} where principal = ? and state <> 'indexing' and id in ${placeholders(some.length)}`,
      params: [...params, principal, ...some],
    });
  }
}

function toFile(row: Row): IndexedFile {
  return {
    id: int(row, 'id'),
    source: text(row, 'source'),
    name: text(row, 'name'),
    sha256: text(row, 'sha256'),
    bytes: int(row, 'bytes'),
    passages: int(row, 'passages'),
    origin: text(row, 'origin') as IndexOrigin,
    state: text(row, 'state') as IndexedFile['state'],
    indexedAt: int(row, 'indexed_at'),
  };
}

function toSegment(row: Row): IndexSegment {
  return {
    id: int(row, 'id'),
    passages: int(row, 'passages'),
    terms: int(row, 'terms'),
    buckets: int(row, 'buckets'),
    lengths: new Uint16Array(copyOf(row['lengths']).buffer),
  };
}

function toRun(row: Row): IndexRun {
  return {
    segmentId: int(row, 'segment_id'),
    first: int(row, 'first'),
    passages: int(row, 'passages'),
    fileId: int(row, 'file_id'),
  };
}

function toParts(row: Row): SegmentParts {
  const id = int(row, 'id');
  const segmentId = Math.floor(id / PARTS);
  return { segmentId, at: id - segmentId * PARTS, bytes: copyOf(row['bytes']) };
}

/** Bytes at the beginning of a separate buffer. */
function copyOf(cell: Row[string] | undefined): Uint8Array<ArrayBuffer> {
  return cell instanceof Uint8Array ? Uint8Array.from(cell) : new Uint8Array(0);
}

function toBytes({ buffer, byteOffset, byteLength }: Uint16Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
