import type { AskFaultRow } from './ask-fault-row.ts';

interface World {
  close(): Promise<void>;
}

/**
 * Runs every case once. Each worker has a world of its own, so that many cases can run at a time; those that wait for something to run
 * out go first, while nothing else keeps the machine busy.
 */
export async function runInWorlds<
  Case extends { readonly row: AskFaultRow },
  W extends World,
  Seen,
>(
  cases: readonly Case[],
  atOnce: number,
  open: () => Promise<W>,
  runOne: (each: Case, world: W) => Promise<Seen>,
): Promise<ReadonlyMap<Case, Seen>> {
  const seen = new Map<Case, Seen>();
  const worlds = await Promise.all(Array.from({ length: atOnce }, open));
  const run = (some: readonly Case[]) => {
    const left = some.values();
    return Promise.all(
      worlds.map(async (world) => {
        for (const each of left) seen.set(each, await runOne(each, world));
      }),
    );
  };
  try {
    await run(cases.filter(({ row }) => row.runsOut !== undefined));
    await run(cases.filter(({ row }) => row.runsOut === undefined));
  } finally {
    await Promise.all(worlds.map((world) => world.close()));
  }
  return seen;
}
