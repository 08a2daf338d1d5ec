import { mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { removeOlder } from './remove-older.ts';
import { pathOfAge } from './log-reading.ts';
import { trimPartialLine } from './partial-line.ts';

export interface RotatingFile {
  /** Appends some of the lines, at least one, and says how many; throws when not even one could be written. */
  append(lines: readonly string[]): Promise<number>;
  close(): Promise<void>;
}

export interface RotatingFileOptions {
  path: string;
  /** No file grows beyond this. */
  maxBytes: number;
  /** How many older files stay, `path.1` being the youngest. */
  keepFiles: number;
}

const MAX_CHUNK = 1_048_576;

/** A file that only ever holds whole lines. It survives its own deletion, a full disk and a crash in the middle of a line. */
export function createRotatingFile({
  path,
  maxBytes,
  keepFiles,
}: RotatingFileOptions): RotatingFile {
  let held: { file: FileHandle; ino: number } | undefined;

  async function release(): Promise<void> {
    const released = held;
    held = undefined;
    await released?.file.close();
  }

  /** The file at `path` with its size: ours, or a new one when ours was moved or deleted. */
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
    await release();
    if (keepFiles === 0) await rm(path, { force: true });
    for (let age = await freeAge(); age > 0; age--) {
      const younger = pathOfAge(path, age - 1);
      await rename(younger, pathOfAge(path, age)).catch(ignoreMissing);
    }
    await removeOlder(path, keepFiles);
  }

  /** The youngest place without a file, so that doing a failed rotation again moves only what it left; else the oldest. */
  async function freeAge(): Promise<number> {
    let age = Math.min(1, keepFiles);
    while (age < keepFiles && (await stat(pathOfAge(path, age)).catch(ignoreMissing))) age++;
    return age;
  }

  /** Bytes written, fewer than given when the disk filled up on the way. */
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

/** As many lines as fit into `room`, at least the first, and where each of them ends. */
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
