import { hash } from 'node:crypto';
import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { CallError } from '#core/errors/call-error.ts';
import { NO_LINK, type ChainHead } from './chain.ts';

/** The end of a chain, as this home recorded it outside of the database. */
export interface RecordedHead extends ChainHead {
  readonly writerId: string;
}

/**
 * The file has two places for a head, which are written in turn: a crash within a write leaves the
 * other one. A write is one call of the system without a rename, because each commit makes one.
 */
const PLACE_BYTES = 512;
const PLACES = 2;

export interface HeadFile {
  /**
   * Writes a head that the database has made durable. It survives the end of the process at once,
   * and a power cut after the next `sync`. A failure leaves the head behind the database, which is
   * safe.
   */
  record(head: ChainHead): void;
  /** Makes the recorded heads durable; cheap when there is no new one. */
  sync(): Promise<void>;
  close(): void;
}

/** The newest head in the file; undefined without a file or where none can be read. */
export function readHeadFile(path: string): RecordedHead | undefined {
  let newest: RecordedHead | undefined;
  const bytes = readPlaces(path);
  for (let place = 0; place < PLACES; place++) {
    const text = bytes.subarray(place * PLACE_BYTES, (place + 1) * PLACE_BYTES).toString('utf8');
    const found = parsePlace(text);
    if (found && found.seq >= (newest?.seq ?? 0)) newest = found;
  }
  return newest;
}

/** Replaces the file by one with this head alone: at a start, and when a restore moved the chain back. */
export function resetHeadFile(path: string, head: RecordedHead): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) throw folderInPlace(path);
  // The holder of the home's lock writes it, so a file of this name is left from a crash.
  const draft = `${path}.tmp`;
  rmSync(draft, { force: true });
  const file = openSync(draft, 'wx', 0o600);
  try {
    const place = toPlace(head);
    for (let at = 0; at < PLACES; at++) writeSync(file, place, 0, PLACE_BYTES, at * PLACE_BYTES);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}

/** Opens an existing file, to record heads of one chain. */
export function openHeadFile(path: string, writerId: string): HeadFile {
  const file = openSync(path, 'r+');
  let place = 0;
  let syncedMs = 0;
  let state: 'open' | 'closed' = 'open';
  return {
    record(head) {
      try {
        writeSync(file, toPlace({ ...head, writerId }), 0, PLACE_BYTES, place * PLACE_BYTES);
        place = (place + 1) % PLACES;
      } catch {
        // The commit is durable. The next one writes its own head.
      }
    },
    sync: () =>
      new Promise((resolve) => {
        const { mtimeMs } = state === 'open' ? fstatSync(file) : { mtimeMs: syncedMs };
        if (mtimeMs === syncedMs) return resolve();
        fdatasync(file, (failed) => {
          if (!failed) syncedMs = mtimeMs;
          resolve();
        });
      }),
    close() {
      if (state === 'closed') return;
      state = 'closed';
      closeSync(file);
    },
  };
}

function toPlace({ writerId, seq, hash: end }: RecordedHead): Buffer {
  const line = JSON.stringify({
    writer: writerId,
    seq,
    hash: end,
    check: digest(writerId, seq, end),
  });
  return Buffer.from(`${line.padEnd(PLACE_BYTES - 1)}\n`);
}

function digest(writerId: string, seq: number, end: string): string {
  return hash('sha256', JSON.stringify([writerId, seq, end])).slice(0, 16);
}

function parsePlace(text: string): RecordedHead | undefined {
  try {
    const { writer, seq, hash: end, check } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (typeof writer !== 'string' || typeof end !== 'string') return undefined;
    if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 0) return undefined;
    if (check !== digest(writer, seq, end)) return undefined;
    return { writerId: writer, seq, hash: end };
  } catch {
    // Cut off by a crash, or not ours: the other place counts.
    return undefined;
  }
}

/** None without a file. A pipe would block the process; another type of file, or a longer one, is foreign. */
function readPlaces(path: string): Buffer {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw thrown;
  }
  try {
    if (!fstatSync(file).isFile()) return Buffer.alloc(0);
    const bytes = Buffer.alloc(PLACES * PLACE_BYTES);
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(file);
  }
}

function folderInPlace(path: string): CallError {
  return new CallError(
    'validation',
    `${path} is a folder; the end of the audit log belongs there.`,
    {
      field: path,
      fix: 'Move it away, then start again.',
    },
  );
}

/** The head that a chain continues after: the recorded one where the database ends before it. */
export function laterHead(found: ChainHead, recorded: ChainHead = NO_LINK): ChainHead {
  return found.seq < recorded.seq ? recorded : found;
}
