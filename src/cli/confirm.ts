import type { Readable } from 'node:stream';
import { CallError } from '#core/call-error.ts';
import type { Output } from './io.ts';

export interface Asking {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Output;
  /** What is asked, without the choice. */
  readonly question: string;
  /** What was not done, when nobody said yes. */
  readonly otherwise: string;
}

const YES = /^\s*y(?:es)?\s*$/i;

/** Goes on only when somebody at a terminal says yes; where nobody can, `--yes` has to. */
export async function confirm({ input, output, question, otherwise }: Asking): Promise<void> {
  if (input.isTTY !== true) {
    throw new CallError('bad_request', `Nobody can be asked here, so ${otherwise}.`, {
      field: '--yes',
      fix: 'Say so with --yes.',
    });
  }
  output.write(`${question} [y/N] `);
  if (!YES.test(await firstLine(input))) {
    throw new CallError('cancelled', `Cancelled; ${otherwise}.`);
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
