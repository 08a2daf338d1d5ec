import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/**
 * Replaces a file atomically with mode 0600: after a crash it is either the old or the new file,
 * complete.
 */
export function writePrivateFile(path: string, content: string): void {
  const draft = `${path}.${process.pid}.tmp`;
  // A temporary file of this name can only be left from a crash.
  rmSync(draft, { force: true });
  try {
    writeFileSync(draft, content, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(dirname(path));
}

/**
 * Syncs a folder, because a rename is durable only after that. Windows cannot open a folder and
 * does not need this.
 */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** The text of a file, or undefined when there is no such file. */
export function readFileIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The first bytes of a file, for files that have a known size; none when there is no such file, or when the path is not a
 * file. A pipe would block the process, and a file of any size would be read into memory.
 */
export function readFirstBytes(path: string, maxBytes: number): Buffer {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
  try {
    if (!fstatSync(file).isFile()) return Buffer.alloc(0);
    const bytes = Buffer.alloc(maxBytes);
    return bytes.subarray(0, readSync(file, bytes, 0, maxBytes, 0));
  } finally {
    closeSync(file);
  }
}
