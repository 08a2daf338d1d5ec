import type { AskFaultRow } from './ask-fault-row.ts';

interface World {
  close(): Promise<void>;
}

const WAVES = ['runs out', 'byte by byte', 'all others'] as const;

function waveOf({ runsOut, plan }: AskFaultRow): (typeof WAVES)[number] {
  if (runsOut !== undefined) return 'runs out';
  // Each byte takes a turn of the loop, and turns are long while many others are busy.
  return plan.id === 'F6.split' ? 'byte by byte' : 'all others';
}

/**
 * Runs every case once. Each worker has a harness of its own, so that many cases can run at a time;
 * those that wait for something to run out go first, while nothing else keeps the machine busy, and
 * then those whose answers come byte by byte.
 */
export async function runInHarnesses<
  Case extends { readonly row: AskFaultRow },
  W extends World,
  Seen,
>(
  cases: readonly Case[],
  atOnce: number,
  open: () => Promise<W>,
  runOne: (each: Case, harness: W) => Promise<Seen>,
): Promise<ReadonlyMap<Case, Seen>> {
  const seen = new Map<Case, Seen>();
  const harnesses = await Promise.all(Array.from({ length: atOnce }, open));
  const run = (some: readonly Case[]) => {
    const left = some.values();
    return Promise.all(
      harnesses.map(async (harness) => {
        for (const each of left) seen.set(each, await runOne(each, harness));
      }),
    );
  };
  try {
    for (const wave of WAVES) await run(cases.filter(({ row }) => waveOf(row) === wave));
  } finally {
    await Promise.all(harnesses.map((harness) => harness.close()));
  }
  return seen;
}
