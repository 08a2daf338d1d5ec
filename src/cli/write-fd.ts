import { fstatSync, writeSync } from 'node:fs';

/**
 * Writes synchronously and completely. Nothing is lost when the process exits right after, a slow
 * reader slows the writer, and `--version` needs no stream. Returns whether the reader is still
 * there.
 */
export function writeAllSync(fd: number, text: string): 'written' | 'closed' {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE' || (code === 'EIO' && isTerminal(fd))) return 'closed';
      if (code !== 'EAGAIN') throw error;
      pause();
    }
  }
  return 'written';
}

/**
 * Distinguishes a closed terminal from a failing disk by the file type; isatty no longer works on a
 * closed terminal.
 */
function isTerminal(fd: number): boolean {
  return fstatSync(fd).isCharacterDevice();
}

/** Waits for a full pipe that another process has made non-blocking. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
}
