import type { Readable } from 'node:stream';
import { CallError } from '#core/errors/call-error.ts';
import type { Output } from './io.ts';

export interface ConfirmOptions {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Output;
  /** The question without the `[y/N]`. */
  readonly question: string;
  /** Names what was not done, for the error message. */
  readonly ifDeclined: string;
}

const YES = /^\s*y(?:es)?\s*$/i;

/**
 * Continues only if the user answers yes at a terminal. Without a terminal, `--yes` is required.
 */
export async function confirm({
  input,
  output,
  question,
  ifDeclined,
}: ConfirmOptions): Promise<void> {
  if (input.isTTY !== true) {
    throw new CallError(
      'bad_request',
      `No terminal is available to confirm this, so ${ifDeclined}.`,
      {
        field: '--yes',
        fix: 'Confirm with --yes.',
      },
    );
  }
  output.write(`${question} [y/N] `);
  if (!YES.test(await firstLine(input))) {
    throw new CallError('cancelled', `Cancelled; ${ifDeclined}.`);
  }
}

async function firstLine(input: Readable): Promise<string> {
  let text = '';
  try {
    for await (const chunk of input.iterator({ destroyOnReturn: false })) {
      text += String(chunk);
      if (/[\r\n]/.test(text)) break;
    }
  } finally {
    input.pause();
  }
  return text.split(/[\r\n]/, 1)[0] ?? '';
}
