// What a chat costs a gateway: a JSON answer and a stream, one at a time and fifty at once, ours
// beside the floor and the peers.
import { median, type BenchRow } from '../report.ts';
import type { Contender, ContenderName } from './contenders.ts';
import type { LoadResult } from './load-protocol.ts';
import type { Load } from './start-load.ts';

const ROUNDS = 5;
/** A heavy one costs ten times as much: it gets so many times fewer calls. */
const FEWER = 10;

interface Scale {
  readonly ask: 'whole' | 'burst' | 'paced';
  readonly what: string;
  readonly inFlight: number;
  /**
   * Of a light one in each round: enough for a second of its time, as the kernel counts in
   * hundredths.
   */
  readonly calls: number;
  readonly warmUpCalls: number;
  /** How many times the floor ours may cost. */
  readonly goalRatio?: number;
}

const SCALES = {
  whole50: {
    ask: 'whole',
    what: 'JSON answer, 50 at once',
    inFlight: 50,
    calls: 8000,
    warmUpCalls: 20_000,
    goalRatio: 2.5,
  },
  whole1: {
    ask: 'whole',
    what: 'JSON answer, one at a time',
    inFlight: 1,
    calls: 2000,
    warmUpCalls: 1000,
  },
  burst50: {
    ask: 'burst',
    what: 'stream of 100 chunks, 50 at once',
    inFlight: 50,
    calls: 2000,
    warmUpCalls: 4000,
    goalRatio: 1.6,
  },
  burst1: {
    ask: 'burst',
    what: 'stream of 100 chunks, one at a time',
    inFlight: 1,
    calls: 800,
    warmUpCalls: 200,
  },
  paced1: {
    ask: 'paced',
    what: 'stream as a model speaks, one at a time',
    inFlight: 1,
    calls: 30,
    warmUpCalls: 5,
  },
} as const satisfies Record<string, Scale>;

type ScaleName = keyof typeof SCALES;
interface Sample extends LoadResult {
  readonly cpuMicroseconds: number;
}
/** What was measured, by who and how. */
type Samples = ReadonlyMap<ContenderName, Record<ScaleName, Sample[]>>;

const FIRST_GOAL_MS = 0.25;
const PORTKEY_GOAL = 10;
/** How many times as much as the floor. */
const RESIDENT_GOAL_RATIO = 1.5;

export async function callRows(all: readonly Contender[], load: Load): Promise<BenchRow[]> {
  const samples = await measureAll(all, load);
  const cost = (scale: ScaleName): BenchRow[] => cpuRows(scale, all, samples);
  return [
    ...cost('whole50'),
    ...cost('whole1'),
    ...cost('burst50'),
    ...cost('burst1'),
    ...firstWordRows(all, samples),
    ...againstPeers(samples),
    ...residentRows(all),
  ];
}

async function measureAll(all: readonly Contender[], load: Load): Promise<Samples> {
  const names = Object.keys(SCALES) as ScaleName[];
  const none = () =>
    Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<ScaleName, Sample[]>;
  const samples: Samples = new Map(all.map(({ name }) => [name, none()]));
  for (const each of all) {
    console.error(`gateway: ${each.title} warms up`);
    for (const name of names) await measure(each, SCALES[name], SCALES[name].warmUpCalls, load);
  }
  // Interleaved, so that a busy moment of the machine falls on all alike.
  for (let round = 0; round < ROUNDS; round += 1) {
    console.error(`gateway: calls, round ${round + 1} of ${ROUNDS}`);
    for (const name of names) {
      for (const each of all) {
        const found = await measure(each, SCALES[name], SCALES[name].calls, load);
        samples.get(each.name)?.[name].push(found);
      }
    }
  }
  return samples;
}

async function measure(
  { subject, target, weight }: Contender,
  { ask, inFlight }: Scale,
  light: number,
  load: Load,
): Promise<Sample> {
  const isFew = weight === 'heavy' && ask !== 'paced';
  const calls = isFew ? Math.ceil(light / FEWER) : light;
  const before = subject.cpuMs();
  const result = await load.run({ target, ask, calls, inFlight });
  return { ...result, cpuMicroseconds: ((subject.cpuMs() - before) * 1000) / calls };
}

function middle(
  samples: Samples,
  name: ContenderName,
  scale: ScaleName,
  of: keyof Sample = 'cpuMicroseconds',
): number {
  return median((samples.get(name)?.[scale] ?? []).map((sample) => sample[of]));
}

function cpuRows(scale: ScaleName, all: readonly Contender[], samples: Samples): BenchRow[] {
  const { what, goalRatio }: Scale = SCALES[scale];
  const floor = middle(samples, 'floor', scale);
  return all.map(({ name, title }): BenchRow => {
    const value = middle(samples, name, scale);
    const ratio = value / floor;
    const isJudged = name === 'ours' && goalRatio !== undefined;
    return {
      what: `${what}, ${title}: CPU of the gateway`,
      value,
      unit: 'µs',
      ratio,
      ...(isJudged && { goal: `≤ ${goalRatio} × node:http and undici`, ok: ratio <= goalRatio }),
    };
  });
}

function firstWordRows(all: readonly Contender[], samples: Samples): BenchRow[] {
  const rowsOf = (scale: ScaleName, of: keyof Sample, words: string, isJudged: boolean) => {
    const floor = middle(samples, 'floor', scale, of);
    return all.map(({ name, title }): BenchRow => {
      const value = middle(samples, name, scale, of);
      const over = value - floor;
      const goal = `≤ ${FIRST_GOAL_MS} ms over node:http and undici (${over.toFixed(3)} ms)`;
      return {
        what: `${SCALES[scale].what}, ${title}: ${words}`,
        value,
        unit: 'ms',
        ratio: value / floor,
        ...(isJudged && name === 'ours' && { goal, ok: over <= FIRST_GOAL_MS }),
      };
    });
  };
  return [
    ...rowsOf('burst1', 'firstWordMs', 'the first word, p50', true),
    ...rowsOf(
      'paced1',
      'firstWordOverheadMs',
      "the first word without the vendor's time, p50",
      false,
    ),
    ...rowsOf(
      'paced1',
      'wordOverheadMs',
      'a later word from vendor to reader, p50; EX-AI holds it until the next, 5 ms later',
      false,
    ),
  ];
}

/** How many times ours a peer costs. */
function againstPeers(samples: Samples): BenchRow[] {
  const pairs = [
    { peer: 'portkey', title: 'Portkey', ours: 'ours', goalRatio: PORTKEY_GOAL },
    { peer: 'router', title: 'claude-code-router', ours: 'ours-messages', goalRatio: undefined },
  ] as const;
  const scales = ['whole50', 'burst50'] as const;
  return pairs
    .filter(({ peer }) => samples.has(peer))
    .flatMap(({ peer, title, ours, goalRatio }) =>
      scales.map((scale): BenchRow => {
        const value = middle(samples, peer, scale) / middle(samples, ours, scale);
        const isJudged = goalRatio !== undefined && scale === 'whole50';
        return {
          what: `${SCALES[scale].what}: CPU of ${title} ÷ CPU of EX-AI`,
          value,
          unit: 'times',
          ...(isJudged && { goal: `≥ ${goalRatio}`, ok: value >= goalRatio }),
        };
      }),
    );
}

function residentRows(all: readonly Contender[]): BenchRow[] {
  const floor = all.find(({ name }) => name === 'floor')?.subject.residentMb() ?? Number.NaN;
  return all
    .filter(({ name }) => name !== 'ours-messages')
    .map(({ name, title, subject }): BenchRow => {
      const value = subject.residentMb();
      const ratio = value / floor;
      const goal = `≤ ${RESIDENT_GOAL_RATIO} × node:http and undici`;
      return {
        what: `${title}: resident memory after all of this`,
        value,
        unit: 'MB',
        ratio,
        ...(name === 'ours' && { goal, ok: ratio <= RESIDENT_GOAL_RATIO }),
      };
    });
}
