import type { Io } from './io.ts';

/** A count that runs on one line of a terminal, and says nothing in a pipe. */
export function createCounter(io: Pick<Io, 'stderr' | 'progress'>, what: string) {
  const live = io.progress === 'live';
  return {
    show(count: number): void {
      if (live) io.stderr.write(`\r${count} rows ${what}`);
    },
    clear(): void {
      if (live) io.stderr.write('\r\u001b[K');
    },
  };
}
