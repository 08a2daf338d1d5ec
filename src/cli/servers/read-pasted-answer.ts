import type { Readable } from 'node:stream';

const MAX_CHARS = 16_384;

/** Reads lines that a user pastes at a terminal; elsewhere nothing is read. */
export function readPastedAnswer(
  input: Readable & { readonly isTTY?: boolean },
  signal: AbortSignal,
  onLine: (line: string) => Promise<void>,
): { stop(): void } {
  if (input.isTTY !== true) return { stop: () => undefined };
  let text = '';
  const onData = (chunk: unknown): void => {
    text = (text + String(chunk)).slice(-MAX_CHARS);
    const lines = text.split(/\r?\n|\r/);
    text = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') void onLine(line.trim());
  };
  const stop = (): void => {
    input.off('data', onData);
    input.pause();
    signal.removeEventListener('abort', stop);
  };
  input.on('data', onData);
  signal.addEventListener('abort', stop, { once: true });
  return { stop };
}
