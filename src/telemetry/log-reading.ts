import { open, type FileHandle } from 'node:fs/promises';

/** A log file held open, which stays the same file while rotation renames it. */
export interface OpenLog {
  readonly handle: FileHandle;
  readonly ino: number;
  /** Bytes, when it was opened. */
  readonly size: number;
}

const BLOCK = 65_536;
const NEWLINE = 0x0a;

/** The log's file by age: 0 is the one being written, 1 the one rotated last. */
export function pathOfAge(file: string, age: number): string {
  return age === 0 ? file : `${file}.${age}`;
}

/** Nothing when there is no such file. */
export async function openLog(path: string): Promise<OpenLog | undefined> {
  try {
    const handle = await open(path, 'r');
    const { ino, size } = await handle.stat();
    return { handle, ino, size };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The last whole lines of one file, and where the last of them ends. Reads no more than it needs, from the end. */
export async function lastLines(
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
  // What was read may begin in the middle of a line, which is then one more than was wanted.
  return { lines: wanted === 0 ? [] : lines.slice(-wanted), end: from + end };
}

/** Hands over every whole line from `from` on and returns where the unfinished rest begins. */
export async function linesFrom(
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
