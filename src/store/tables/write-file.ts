import { createHash } from 'node:crypto';
import { CallError } from '#core/errors/call-error.ts';
import { untilAborted } from '#core/net/until-aborted.ts';
import { formatMegabytes } from '#core/text/format.ts';
import type { Clock } from '#core/time/clock.ts';
import type { FileWriteOptions, NewFile, StoredFile } from '#core/stores/files.ts';
import { text } from './columns.ts';
import { insertPart, PART_BYTES, removeDropped } from './content-parts.ts';
import type { Database, Statement } from '../database.ts';
import { createPartBuffers, type PartBuffers } from './part-buffers.ts';

/** Contents of all writes together that are on their way to the disk: each commit stays short. */
const MAX_PARTS_AT_ONCE = 2;
/** Another write of the same content, or a deletion, can come between: then it is tried again. */
const MAX_TRIES = 20;

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** What is known of a content at its end. */
interface Whole {
  readonly sha256: string;
  readonly bytes: number;
  /** The last part, which is stored together with the file. */
  readonly last: Uint8Array;
  /** Whether parts are stored already. */
  readonly begun: boolean;
}

/**
 * Creates the function that stores files. Parts are stored as they come, under a content without a
 * digest; the last write gives it the digest and adds the file, so that a file is whole or absent.
 */
export function createFileWriter(db: Database, clock: Pick<Clock, 'now'>) {
  const turns = createTurns(MAX_PARTS_AT_ONCE);
  const buffers = createPartBuffers();
  const save = (statements: readonly Statement[]) => turns.take(() => db.write({ statements }));
  const savePart = async (id: string, at: number, part: Uint8Array) => {
    const nowMs = clock.now();
    const begun = at === 0 ? [beginContent(id, nowMs)] : [];
    const statements = [...begun, ...insertPart(id, at, part, nowMs)];
    await turns.take(() => db.write({ statements, bulk: true }));
    // Not after an error: the write may still be on its way.
    buffers.release(part);
  };

  /** Stores all parts but the last. A part is written while the next one arrives. */
  async function storeParts(
    id: string,
    chunks: Chunks,
    { maxBytes = Number.MAX_SAFE_INTEGER, signal }: FileWriteOptions,
    onBegin: () => void,
  ): Promise<Whole> {
    const digest = createHash('sha256');
    const part = createPart(buffers);
    let bytes = 0;
    let stored = 0;
    const writing = createWriting();
    try {
      for await (const chunk of untilAborted(chunks, signal)) {
        bytes += chunk.length;
        if (bytes > maxBytes) throw tooLarge(maxBytes);
        digest.update(chunk);
        for (let rest = chunk; rest.length > 0;) {
          // A full part is stored when more follows, so that a small file is one write.
          if (part.isFull()) {
            if (stored === 0) onBegin();
            const at = stored;
            const full = part.take();
            stored += full.length;
            await writing.next(() => savePart(id, at, full));
          }
          rest = part.add(rest);
        }
      }
      signal?.throwIfAborted();
    } finally {
      await writing.settled();
    }
    await writing.next();
    return { sha256: digest.digest('hex'), bytes, last: part.end(), begun: stored > 0 };
  }

  /** Adds the file with the content that is stored already, or with its own. */
  async function finish(
    file: NewFile,
    whole: Whole,
    purpose: string | undefined,
  ): Promise<StoredFile> {
    const { sha256, bytes } = whole;
    const nowMs = clock.now();
    const times = { createdAt: nowMs, usedAt: nowMs };
    const stored = { ...file, sha256, bytes, ...times, ...(purpose !== undefined && { purpose }) };
    for (let tries = 1; ; tries++) {
      const [known] = await db.read('select id from contents where sha256 = ?', [sha256]);
      try {
        if (known) await save(shareContent(stored, text(known, 'id'), whole.begun));
        else await save(completeContent(stored, whole));
        // The own parts are not needed.
        if (known && whole.begun) await removeDropped(db, file.id);
        return stored;
      } catch (thrown) {
        const error = CallError.from(thrown);
        if (error.class !== 'conflict' || tries === MAX_TRIES) throw error;
        const taken = await db.read('select id from files where id = ?', [file.id]);
        if (taken.length > 0) throw error;
      }
    }
  }

  return async (
    file: NewFile,
    chunks: Chunks,
    options: FileWriteOptions = {},
  ): Promise<StoredFile> => {
    let begun = false;
    const onBegin = () => {
      begun = true;
    };
    try {
      const whole = await storeParts(file.id, chunks, options, onBegin);
      return await finish(file, whole, options.purpose?.());
    } catch (thrown) {
      // What cannot be removed now is removed by retention.
      if (begun) await abandon(db, file.id).catch(() => undefined);
      throw CallError.from(thrown);
    }
  };
}

function beginContent(id: string, nowMs: number): Statement {
  return {
    sql: 'insert into contents (id, sha256, bytes, touched_at) values (?, null, 0, ?)',
    params: [id, nowMs],
  };
}

async function abandon(db: Database, id: string): Promise<void> {
  const sql = 'update contents set touched_at = 0 where id = ? and sha256 is null';
  await db.write({ statements: [{ sql, params: [id] }] });
  await removeDropped(db, id);
}

function completeContent(file: StoredFile, { begun, last }: Whole): readonly Statement[] {
  const { id, sha256, bytes, createdAt } = file;
  const at = bytes - last.length;
  return [
    ...(begun ? [] : [beginContent(id, createdAt)]),
    ...(last.length > 0 ? insertPart(id, at, last, createdAt) : []),
    {
      // A server that failed meanwhile may have lost parts that were not durable yet.
      sql: `update contents set sha256 = ?, bytes = ? where id = ? and sha256 is null and touched_at > 0
            and (select coalesce(sum(length(bytes)), 0) from content_parts where content_id = ?) = ?`,
      params: [sha256, bytes, id, id, bytes],
      errorIfNoRows: lost(),
    },
    insertFile(file, id),
  ];
}

/** The update locks the content, and fails if its last file was deleted meanwhile. */
function shareContent(
  file: StoredFile,
  contentId: string,
  hasOwnParts: boolean,
): readonly Statement[] {
  const { id, sha256, createdAt } = file;
  const sql = 'update contents set touched_at = ? where id = ? and sha256 = ?';
  return [
    { sql, params: [createdAt, contentId, sha256], errorIfNoRows: lost() },
    insertFile(file, contentId),
    ...(hasOwnParts
      ? [{ sql: 'update contents set touched_at = 0 where id = ?', params: [id] }]
      : []),
  ];
}

function insertFile(file: StoredFile, contentId: string): Statement {
  const { id, principal, sha256, name, mime, bytes, createdAt, usedAt, purpose = null } = file;
  return {
    sql: `insert into files
          (id, principal, sha256, name, mime, bytes, created_at, used_at, content_id, purpose)
          values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    params: [id, principal, sha256, name, mime, bytes, createdAt, usedAt, contentId, purpose],
  };
}

function lost() {
  return new CallError('conflict', 'The content of this file was removed while it was stored.', {
    fix: 'Send the file again.',
  }).toJSON();
}

function tooLarge(maxBytes: number): CallError {
  return new CallError('too_large', `The file is over the limit of ${formatMegabytes(maxBytes)}.`, {
    fix: 'Send a smaller file, or a part of it.',
  });
}

/** A part that fills up. Its bytes are copied, as the source may use its buffers again. */
function createPart(buffers: PartBuffers) {
  let buffer: Uint8Array | undefined;
  let filled = 0;
  return {
    isFull: () => filled === PART_BYTES,
    /** Returns what did not fit. */
    add(bytes: Uint8Array): Uint8Array {
      buffer ??= buffers.acquire();
      const fitting = bytes.subarray(0, PART_BYTES - filled);
      buffer.set(fitting, filled);
      filled += fitting.length;
      return bytes.subarray(fitting.length);
    },
    /** A full part, which the caller releases. */
    take(): Uint8Array {
      const taken = buffer ?? NOTHING;
      buffer = undefined;
      filled = 0;
      return taken;
    },
    /** A copy of what the last part holds. */
    end(): Uint8Array {
      const last = buffer?.slice(0, filled) ?? NOTHING;
      if (buffer) buffers.release(buffer);
      buffer = undefined;
      return last;
    },
  };
}

const NOTHING = new Uint8Array();

/** One write at a time, beside which its caller continues. */
function createWriting() {
  let last: Promise<unknown> = Promise.resolve();
  return {
    /** Waits for the last one, and rejects as it did; then begins another. */
    async next(work?: () => Promise<unknown>): Promise<void> {
      await last;
      if (!work) return;
      last = work();
      last.catch(() => undefined);
    },
    settled: () => last.then(nothing, nothing),
  };
}

function nothing(): void {}

/** Lets some work run at once, and the rest wait in order. */
function createTurns(atOnce: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async take<T>(work: () => Promise<T>): Promise<T> {
      if (running === atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
      else running += 1;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else running -= 1;
      }
    },
  };
}
