import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Clock, Timer } from '#core/time/clock.ts';
import { pathOfAge } from './log-reader.ts';

export interface LogFile {
  /**
   * Queues a line that ends in a newline. Never throws or waits. `soon`: it may wait a moment to be
   * written with others.
   */
  write(line: string, need: 'now' | 'soon'): void;
  /** Resolves when all lines so far are on disk, or when writing them has failed once more. */
  flush(): Promise<void>;
  /** Flushes and stops writing; lines that still cannot be written are dropped. */
  close(): Promise<void>;
}

interface LogFileOptions extends RotatingFileOptions {
  clock: Clock;
  /** The line that tells how many were dropped, written when writing works again. */
  dropNotice: (dropped: number) => string;
  /** Called when writing starts to fail, and for lines dropped at the end. */
  onProblem: (message: string) => void;
}

/** Characters that may wait in memory while the disk is slow, full or gone. */
const MAX_WAITING_CHARS = 4_194_304;
/** How long lines are collected, because an append costs the same for one line as for a hundred. */
const GATHER_MS = 25;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 30_000;

/**
 * A log file that writes lines in order; lines that arrive during an append, or shortly after each
 * other, are appended together.
 */
export function createLogFile(options: LogFileOptions): LogFile {
  const file = createRotatingFile(options);
  let waiting: string[] = [];
  let waitingChars = 0;
  let dropped = 0;
  let failures = 0;
  let writing: Promise<void> | undefined;
  let retry: Timer | undefined;
  let gathering: Timer | undefined;
  let closing: Promise<void> | undefined;
  /** Whether a waiting line must be written without gathering others. */
  let isUrgent = false;

  function start(): Promise<void> {
    retry?.stop();
    retry = undefined;
    gathering?.stop();
    gathering = undefined;
    writing ??= drain().then((outcome) => {
      writing = undefined;
      if (outcome === 'refused') retryLater();
      // A line that arrived after the loop ended found `writing` still set.
      else if (isUrgent) void start();
      else if (waiting.length > 0) gather();
    });
    return writing;
  }

  function gather(): void {
    gathering ??= options.clock.after(GATHER_MS, () => void start());
  }

  /** Writes the waiting lines; those that arrive meanwhile only if one of them is urgent. */
  async function drain(): Promise<'written' | 'refused'> {
    let left = waiting.length;
    try {
      while (waiting.length > 0 && (left > 0 || isUrgent)) {
        if (isUrgent) left = waiting.length;
        isUrgent = false;
        left -= await appendSome();
        failures = 0;
        noticeDrops();
      }
      if (waiting.length === 0) isUrgent = false;
      return 'written';
    } catch (error) {
      failures++;
      if (failures === 1) options.onProblem(`Cannot write ${options.path}: ${String(error)}`);
      return 'refused';
    }
  }

  function retryLater(): void {
    if (closing) return;
    const delay = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));
    retry = options.clock.after(delay, () => void start());
  }

  async function appendSome(): Promise<number> {
    const count = await file.append(waiting);
    for (const line of waiting.splice(0, count)) waitingChars -= line.length;
    return count;
  }

  function noticeDrops(): void {
    if (dropped === 0) return;
    push(options.dropNotice(dropped));
    dropped = 0;
    isUrgent = true;
  }

  function push(line: string): void {
    waiting.push(line);
    waitingChars += line.length;
  }

  async function flush(): Promise<void> {
    await writing;
    if (waiting.length > 0) await start();
  }

  async function close(): Promise<void> {
    await flush();
    const lost = waiting.length + dropped;
    if (lost > 0) options.onProblem(`${lost} log lines could not be written to ${options.path}.`);
    waiting = [];
    // No lines are left, so a failing close loses nothing.
    await file.close().catch(() => {});
  }

  return {
    write(line, need) {
      if (closing) return;
      if (waitingChars + line.length > MAX_WAITING_CHARS) {
        dropped++;
        return;
      }
      push(line);
      isUrgent ||= need === 'now';
      if (writing || retry) return;
      if (isUrgent) void start();
      else gather();
    },
    flush,
    close: () => (closing ??= close()),
  };
}

interface RotatingFile {
  /** Appends some of the lines and returns how many; throws when none could be written. */
  append(lines: readonly string[]): Promise<number>;
  close(): Promise<void>;
}

/** Read at each use, as settings may change them. */
interface RotatingFileOptions {
  path: string;
  /** No file grows beyond this. */
  maxBytes: number;
  /** How many rotated files are kept; `path.1` is the newest. */
  keepFiles: number;
}

const MAX_CHUNK = 1_048_576;

/**
 * A rotating file that contains only whole lines. It handles its deletion, a full disk and a crash
 * in the middle of a line.
 */
function createRotatingFile(options: RotatingFileOptions): RotatingFile {
  const { path } = options;
  let held: { file: FileHandle; ino: number } | undefined;

  async function release(): Promise<void> {
    const released = held;
    held = undefined;
    await released?.file.close();
  }

  /** The open file at `path` with its size; opens a new one when it was moved or deleted. */
  async function current(): Promise<{ file: FileHandle; size: number }> {
    const onDisk = await stat(path).catch(ignoreMissing);
    if (held && held.ino === onDisk?.ino) return { file: held.file, size: onDisk.size };
    await release();
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(path, 'a+', 0o600);
    held = { file, ino: (await file.stat()).ino };
    if (onDisk) await file.chmod(0o600).catch(() => {});
    return { file, size: await trimPartialLine(file) };
  }

  async function rotate(): Promise<void> {
    const { keepFiles } = options;
    await release();
    if (keepFiles === 0) await rm(path, { force: true });
    for (let age = await freeAge(keepFiles); age > 0; age--) {
      const younger = pathOfAge(path, age - 1);
      await rename(younger, pathOfAge(path, age)).catch(ignoreMissing);
    }
    await removeOlder(path, keepFiles);
  }

  /**
   * The lowest free age, so that repeating a failed rotation moves only the remaining files; else
   * the oldest age.
   */
  async function freeAge(keepFiles: number): Promise<number> {
    let age = Math.min(1, keepFiles);
    while (age < keepFiles && (await stat(pathOfAge(path, age)).catch(ignoreMissing))) age++;
    return age;
  }

  /** Writes bytes and returns how many were written; fewer when the disk became full. */
  async function write(file: FileHandle, bytes: Buffer): Promise<number> {
    let done = 0;
    try {
      while (done < bytes.length) done += (await file.write(bytes, done)).bytesWritten;
    } catch (error) {
      if (done < bytes.length) await trimPartialLine(file).catch(() => {});
      await release().catch(() => {});
      if (bytes.indexOf('\n') >= done) throw error;
    }
    return done;
  }

  return {
    async append(lines) {
      const { maxBytes } = options;
      let { file, size } = await current();
      if (size > 0 && size + Buffer.byteLength(lines[0] ?? '') > maxBytes) {
        await rotate();
        ({ file, size } = await current());
      }
      const { bytes, ends } = chunkOf(lines, Math.min(MAX_CHUNK, maxBytes - size));
      const written = await write(file, bytes);
      return ends.filter((end) => end <= written).length;
    },
    close: release,
  };
}

/** As many lines as fit into `room`, at least the first, with the end offset of each. */
function chunkOf(lines: readonly string[], room: number): { bytes: Buffer; ends: number[] } {
  const ends: number[] = [];
  let total = 0;
  for (const line of lines) {
    const end = total + Buffer.byteLength(line);
    if (end > room && ends.length > 0) break;
    ends.push(end);
    total = end;
  }
  return { bytes: Buffer.from(lines.slice(0, ends.length).join('')), ends };
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

const BLOCK = 65_536;
const NEWLINE = 0x0a;

/** Truncates a partial last line, left by an interrupted write. Returns the size of the file. */
async function trimPartialLine(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  const end = await lastLineEnd(file, size);
  if (end < size) await file.truncate(end);
  return end;
}

async function lastLineEnd(file: FileHandle, size: number): Promise<number> {
  const block = Buffer.alloc(Math.min(BLOCK, size));
  for (let from = size; from > 0;) {
    const length = Math.min(block.length, from);
    from -= length;
    const { bytesRead } = await file.read(block, 0, length, from);
    const newline = block.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (newline !== -1) return from + newline + 1;
  }
  return 0;
}

/** Removes rotated files beyond `keepFiles`, left from a larger setting. */
async function removeOlder(path: string, keepFiles: number): Promise<void> {
  const start = `${basename(path)}.`;
  // A file that cannot be removed only takes space and must not stop the log.
  const names = await readdir(dirname(path)).catch(() => []);
  const ages = names
    .filter((name) => name.startsWith(start))
    .map((name) => name.slice(start.length))
    .filter((age) => /^[1-9]\d{0,5}$/.test(age))
    .map(Number)
    .filter((age) => age > keepFiles);
  for (const age of ages) await rm(pathOfAge(path, age), { force: true }).catch(() => {});
}
