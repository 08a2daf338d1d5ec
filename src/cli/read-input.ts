import { addAbortSignal, type Readable } from 'node:stream';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';

export const MAX_INPUT_BYTES = 10_000_000;

/** For whoever waits without knowing what for. */
export const WAITING_WORDS =
  'exai: reading standard input until it ends; there is none with </dev/null\n';

/** Whoever waits longer than this may not know what for. */
const PATIENCE_MS = 3_000;

export interface InputOptions {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Told once, when nothing has come for a while. */
  readonly onWaiting: () => void;
}

/** The text that is piped in; nothing from a terminal, where somebody would have to type it. */
export async function readInput({
  input,
  signal,
  clock,
  onWaiting,
}: InputOptions): Promise<string> {
  if (input.isTTY === true) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const patience = clock.after(PATIENCE_MS, onWaiting);
  try {
    for await (const chunk of addAbortSignal(signal, input)) {
      patience.stop();
      const part = chunk as Uint8Array;
      bytes += part.length;
      if (bytes > MAX_INPUT_BYTES) throw tooLarge();
      chunks.push(part);
    }
  } finally {
    patience.stop();
  }
  return decode(Buffer.concat(chunks));
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new CallError('validation', 'What was piped in is no text in UTF-8.', {
      field: 'stdin',
      fix: 'Pipe in text; iconv turns other encodings into UTF-8.',
      cause,
    });
  }
}

function tooLarge(): CallError {
  return new CallError(
    'too_large',
    `More than ${MAX_INPUT_BYTES / 1_000_000} MB were piped in, which is the most that can be asked about.`,
    { field: 'stdin', fix: 'Pipe in the part that matters.' },
  );
}
