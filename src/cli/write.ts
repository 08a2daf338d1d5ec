import { fstatSync, writeSync } from 'node:fs';

/**
 * Writes all of it before it returns: nothing is lost when the process ends right after, a slow reader slows the
 * writer, and `--version` needs no stream. Says whether anybody still reads.
 */
export function writeAll(fd: number, text: string): 'written' | 'closed' {
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

/** One that was closed is told from a disk that fails by what it is: nobody can ask it any more. */
function isTerminal(fd: number): boolean {
  return fstatSync(fd).isCharacterDevice();
}

/** A pipe that another process made non-blocking and that is full now. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
}
