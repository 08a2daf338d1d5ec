import { open, stat, type FileHandle } from 'node:fs/promises';
import { sleep, type Clock } from '#core/time/clock.ts';

/** An open log file. The handle stays valid while rotation renames the file. */
interface OpenLog {
  readonly handle: FileHandle;
  readonly ino: number;
  /** Size in bytes when it was opened. */
  readonly size: number;
}

const BLOCK = 65_536;
const NEWLINE = 0x0a;

/** The path of a log file by age: 0 is the current one, 1 the one rotated last. */
export function pathOfAge(file: string, age: number): string {
  return age === 0 ? file : `${file}.${age}`;
}

/** Opens a log file; undefined when there is no such file. */
async function openLog(path: string): Promise<OpenLog | undefined> {
  try {
    const handle = await open(path, 'r');
    const { ino, size } = await handle.stat();
    return { handle, ino, size };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The last whole lines of one file, and where they end. Reads blocks from the end. */
async function lastLines(
  { handle, size }: OpenLog,
  wanted: number,
): Promise<{ lines: string[]; end: number }> {
  const blocks: Buffer[] = [];
  let from = size;
  for (let newlines = 0; from > 0 && newlines <= wanted;) {
    const block = await blockAt(handle, Math.max(0, from - BLOCK), from);
    for (const byte of block) if (byte === NEWLINE) newlines++;
    from -= block.length;
    if (block.length === 0) break;
    blocks.unshift(block);
  }
  const bytes = Buffer.concat(blocks);
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  if (end === 0) return { lines: [], end: from };
  const lines = bytes.toString('utf8', 0, end - 1).split('\n');
  // The first block may begin inside a line, which is then one more than wanted.
  return { lines: wanted === 0 ? [] : lines.slice(-wanted), end: from + end };
}

/**
 * Passes every whole line after `from` to `onLine` and returns where the partial last line begins.
 */
async function linesFrom(
  { handle }: OpenLog,
  from: number,
  onLine: (line: string) => void,
): Promise<number> {
  let rest: Buffer = Buffer.alloc(0);
  for (let at = from; ;) {
    const block = await blockAt(handle, at, at + BLOCK);
    if (block.length === 0) return at - rest.length;
    at += block.length;
    const bytes = Buffer.concat([rest, block]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end > 0)
      bytes
        .toString('utf8', 0, end - 1)
        .split('\n')
        .forEach(onLine);
    rest = bytes.subarray(end);
  }
}

async function blockAt(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const block = Buffer.alloc(to - from);
  const { bytesRead } = await handle.read(block, 0, block.length, from);
  return block.subarray(0, bytesRead);
}

/** The last whole lines, oldest first, and where they end in the newest file. */
interface History {
  lines: string[];
  end: number;
}

/** Reads the last lines, also of rotated files when the newest file has fewer than wanted. */
async function readHistory(
  file: string,
  newest: OpenLog | undefined,
  wanted: number,
): Promise<History> {
  let { lines, end } = newest ? await lastLines(newest, wanted) : { lines: [], end: 0 };
  const seen = new Set(newest && [newest.ino]);
  for (let age = 1; lines.length < wanted; age++) {
    const older = await openLog(pathOfAge(file, age));
    if (!older) break;
    try {
      // After a rotation between two opens the same file appears again under its next name.
      if (seen.has(older.ino)) continue;
      seen.add(older.ino);
      const more = await lastLines(older, wanted - lines.length);
      lines = [...more.lines, ...lines];
    } finally {
      await older.handle.close();
    }
  }
  return { lines, end };
}

/** The last whole lines of a log, also from its rotated files. Empty when there is no log. */
export async function tail(file: string, lines: number): Promise<string[]> {
  const newest = await openLog(file);
  try {
    return (await readHistory(file, newest, lines)).lines;
  } finally {
    await newest?.handle.close();
  }
}

const LOOK_EVERY_MS = 250;

/**
 * Follows a log across rotation and truncation until the signal aborts. The file need not exist
 * yet. With `last`, that many existing lines come first, and no line between them and the new ones
 * is missed.
 */
export async function follow(
  file: string,
  signal: AbortSignal,
  onLine: (line: string) => void,
  clock: Clock,
  last = 0,
): Promise<void> {
  let reading = await openLog(file);
  // Without a current file, the rotated files are old and all later files are new.
  let lastSeen = reading?.ino ?? (await inoOf(pathOfAge(file, 1)));
  let position = 0;
  try {
    const history = await readHistory(file, reading, last);
    history.lines.forEach(onLine);
    position = history.end;
    while (!signal.aborted) {
      for (const next of await newerFiles(file, lastSeen)) {
        await readOn();
        await reading?.handle.close();
        reading = next;
        lastSeen = next.ino;
        position = 0;
      }
      await readOn();
      await sleep(clock, LOOK_EVERY_MS, signal);
    }
  } finally {
    await reading?.handle.close();
  }

  async function readOn(): Promise<void> {
    if (!reading) return;
    const { size } = await reading.handle.stat();
    if (size < position) position = 0;
    position = await linesFrom(reading, position, onLine);
  }
}

/** The files after the one with `ino`, oldest first; all files when `ino` is undefined. */
async function newerFiles(file: string, ino: number | undefined): Promise<OpenLog[]> {
  const current = await inoOf(file);
  if (current === undefined || current === ino) return [];
  const newer: OpenLog[] = [];
  for (let age = 0; ; age++) {
    const log = await openLog(pathOfAge(file, age));
    if (log && log.ino !== ino) {
      // After a rotation between two opens the same file appears again under its next name.
      if (newer.some((known) => known.ino === log.ino)) await log.handle.close();
      else newer.push(log);
      continue;
    }
    await log?.handle.close();
    if (log || ino === undefined) return newer.reverse();
    // The file we read was removed, so which rotated files are new is unknown; the current one is.
    for (const other of newer.splice(1)) await other.handle.close();
    return newer;
  }
}

async function inoOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.ino;
}
