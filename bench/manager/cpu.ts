import { median } from '../report.ts';

/** Does something so often. */
export type Work = (times: number) => void | Promise<void>;

const ROUNDS = 15;
/** The kernel counts in microseconds; a round is so long that a few of them do not matter. */
const ROUND_MS = 25;
/** The compiler comes to its last word after some ten thousand times. */
const WARM_UP_MS = 800;

/**
 * CPU of each for once, in microseconds, all threads of this process together. The rounds are
 * interleaved, so that a busy moment of the machine falls on all alike.
 */
export async function cpuOfEach<Name extends string>(
  works: Readonly<Record<Name, Work>>,
): Promise<Readonly<Record<Name, number>>> {
  const names = Object.keys(works) as Name[];
  const taken = new Map<Name, number[]>();
  const times = new Map<Name, number>();
  for (const name of names) {
    taken.set(name, []);
    times.set(name, await warmUp(works[name]));
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of names) {
      const count = times.get(name) ?? 1;
      taken.get(name)?.push((await cpuMicroseconds(works[name], count)) / count);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(taken.get(name) ?? [])])) as Record<
    Name,
    number
  >;
}

/** How often it is done in a round. */
async function warmUp(work: Work): Promise<number> {
  let count = 1;
  let last = 0;
  for (let spent = 0; spent < WARM_UP_MS * 1000; spent += last) {
    last = await cpuMicroseconds(work, count);
    if (last < ROUND_MS * 1000) count *= 2;
  }
  const once = last / count;
  return Math.max(1, Math.ceil((ROUND_MS * 1000) / Math.max(once, 0.01)));
}

async function cpuMicroseconds(work: Work, times: number): Promise<number> {
  const before = process.cpuUsage();
  await work(times);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
