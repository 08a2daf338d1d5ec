import type { Emulator } from '../../../emulator/start.ts';
import { numberIn } from './questions.ts';

/** A question as it reached a vendor. */
export interface Seen {
  readonly vendor: string;
  readonly model: string;
  readonly atMs: number;
  /** Of the question. */
  readonly number: number | undefined;
  /** Whether it was asked what the question is, and not the question itself. */
  readonly isAside: boolean;
}

/** Everything that vendors received, also what the emulator forgets meanwhile. */
export interface Seeing {
  /** Often enough that the emulator has not forgotten anything. */
  look(): void;
  readonly all: readonly Seen[];
}

export function watchVendors(emulator: Emulator): Seeing {
  const all: Seen[] = [];
  let last = 0;
  return {
    all,
    look() {
      const requests = emulator.requests().filter(({ number }) => number > last);
      const [first] = requests;
      if (first && first.number > last + 1) throw new Error('the emulator forgot requests');
      last = requests.at(-1)?.number ?? last;
      for (const { vendor, body, path, atMs } of requests) {
        if (!path.includes('/chat')) continue;
        const sent = JSON.stringify(body);
        const { model } = body as { model: string };
        const isAside = sent.includes('response_format');
        all.push({ vendor, model, atMs, number: numberIn(sent), isAside });
      }
    },
  };
}
