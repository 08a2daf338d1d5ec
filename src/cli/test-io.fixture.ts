import { noColor } from './format/colors.ts';
import type { Io } from './io.ts';

interface TestIoOptions {
  readonly charset: Io['charset'];
  /** The columns of a terminal; absent for a pipe. */
  readonly width?: number;
  readonly signal?: AbortSignal;
}

/** The surroundings of a command that finds the daemon of this home, and what it has written. */
export function createTestIo(root: string, { charset, width, signal }: TestIoOptions) {
  const texts = { out: '', err: '' };
  const stdout = { write: (text: string) => void (texts.out += text) };
  const io: Io = {
    stdout,
    documents: stdout,
    editor: stdout,
    stderr: { write: (text) => void (texts.err += text) },
    env: { EXAI_HOME: root, HOME: root, EXAI_AUTOSTART: 'false', NO_COLOR: '1' },
    paint: noColor,
    charset,
    ...(width !== undefined && { width }),
    progress: width === undefined ? 'none' : 'live',
    signal: signal ?? new AbortController().signal,
  };
  return { io, texts };
}
