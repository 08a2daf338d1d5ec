import { addAbortSignal, type Readable } from 'node:stream';
import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';

export const MAX_INPUT_BYTES = 10_000_000;

/** Explains to the user what the command is waiting for. */
export const WAITING_FOR_STDIN =
  'exai: reading standard input until it ends; there is none with </dev/null\n';

/** After this time without input the user is told what the command is waiting for. */
const WAITING_NOTICE_MS = 3_000;

export interface ReadStdinOptions {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Called at most once, when no input has come for a while. */
  readonly onWaiting: () => void;
}

/** Reads piped text; empty at a terminal, where the user would have to type it. */
export async function readStdin(options: ReadStdinOptions): Promise<string> {
  return decode(await readStdinBytes(options));
}

/** Reads what is piped in; nothing at a terminal. */
export async function readStdinBytes({
  input,
  signal,
  clock,
  onWaiting,
}: ReadStdinOptions): Promise<Uint8Array> {
  if (input.isTTY === true) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const patience = clock.after(WAITING_NOTICE_MS, onWaiting);
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
  return Buffer.concat(chunks);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new CallError('validation', 'Standard input is not UTF-8 text.', {
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
