import type { Progress } from '#core/call.ts';
import { harmless } from './call-result.ts';
import type { Io } from './io.ts';

const MAX_CHARS = 72;
const CLEAR = '\r\u001b[K';

/** What a call is doing, on one line of a terminal that rewrites itself; nothing in a pipe. */
export function createProgressLine(io: Pick<Io, 'stderr' | 'progress'>) {
  let isShown = false;
  return {
    show: ({ note, done, total }: Progress): void => {
      if (io.progress === 'none') return;
      const count = total === undefined || done === undefined ? '' : `${done} of ${total} `;
      const line = harmless(`${count}${note ?? ''}`)
        .replaceAll(/\s+/g, ' ')
        .slice(0, MAX_CHARS);
      if (line === '') return;
      isShown = true;
      io.stderr.write(`${CLEAR}${line}`);
    },
    clear(): void {
      if (isShown) io.stderr.write(CLEAR);
      isShown = false;
    },
  };
}
