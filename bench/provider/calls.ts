// What a call costs the client: ours, the least that is possible, and the SDKs that others use.
import { median, type BenchRow } from '../report.ts';
import { CLIENTS, type ClientName } from './clients.ts';
import type { Ask } from './protocol.ts';
import { hasSdks } from './require-sdk.ts';
import { startContender, type Contender } from './run-contender.ts';

const ROUNDS = 9;
/** The compiler of Node 24 comes to its last word after some ten thousand calls. */
const WARM_UP_ROUNDS = 12;
const GOAL_RATIO = 1.3;

interface Scale {
  readonly ask: Ask;
  readonly what: string;
  readonly inFlight: number;
  /** For each round; the slowest of them take ten times as long for one. */
  readonly calls: number;
}

const SCALES: readonly Scale[] = [
  { ask: 'whole', what: 'JSON call, 8 at once', inFlight: 8, calls: 1500 },
  { ask: 'burst', what: 'stream of 100 chunks at once, 4 at once', inFlight: 4, calls: 300 },
  {
    ask: 'one by one',
    what: 'stream of 100 chunks one by one, 4 at once',
    inFlight: 4,
    calls: 200,
  },
];

const SHOWN: Record<ClientName, string> = {
  floor: 'undici and JSON.parse',
  wire: 'our wire alone',
  kimi: 'our provider',
  openai: 'openai 6',
  ai: 'ai 6',
};
const OURS: readonly ClientName[] = ['wire', 'kimi'];
const SDKS: readonly ClientName[] = ['openai', 'ai'];

export interface OnNode {
  readonly title: string;
  readonly path: string;
}

export async function callRows(url: string, node: OnNode): Promise<BenchRow[]> {
  const names = (Object.keys(CLIENTS) as ClientName[]).filter(
    (name) => hasSdks() || !SDKS.includes(name),
  );
  const all: Contender[] = [];
  try {
    for (const name of names) all.push(await startContender(name, url, node.path));
    const rows: BenchRow[] = [];
    for (const scale of SCALES) rows.push(...(await rowsAt(scale, all, node)));
    return rows;
  } finally {
    for (const contender of all) await contender.stop();
  }
}

const isHeavy = ({ name }: Contender): boolean => SDKS.includes(name);

async function rowsAt(scale: Scale, all: readonly Contender[], node: OnNode): Promise<BenchRow[]> {
  const { ask, calls, inFlight, what } = scale;
  const costs = new Map(all.map(({ name }) => [name, [] as number[]]));
  for (const each of all) {
    const warmUp = isHeavy(each) ? calls : WARM_UP_ROUNDS * calls;
    await each.measure({ ask, calls: warmUp, inFlight });
  }
  // Interleaved, so that a busy moment of the machine falls on all alike.
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const each of all) {
      const fewer = isHeavy(each) ? Math.ceil(calls / 5) : calls;
      costs.get(each.name)?.push(await each.measure({ ask, calls: fewer, inFlight }));
    }
  }
  const floor = median(costs.get('floor') ?? []);
  return all.map(({ name }): BenchRow => {
    const value = median(costs.get(name) ?? []);
    const ratio = value / floor;
    return {
      what: `${node.title}, ${what}, ${SHOWN[name]}: CPU of the client`,
      value,
      unit: 'µs',
      ratio,
      ...(OURS.includes(name) && {
        goal: `≤ ${GOAL_RATIO} × undici and JSON.parse`,
        ok: ratio <= GOAL_RATIO,
      }),
    };
  });
}
