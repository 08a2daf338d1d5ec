import type { Calls } from '#core/calls/calls.ts';
import type { CallStore } from '#core/stores/calls.ts';
import { median } from '../report.ts';
import { AT_ONCE, CALLER, createSubjectCalls } from './subject-calls.ts';

const ROUNDS = 15;
const CALLS = 20_000;

export interface Flatness {
  /** Among few tools, among many, and each of the many in its turn: CPU per call in µs. */
  readonly few: number;
  readonly many: number;
  readonly inTurn: number;
}

/**
 * A call's life without its socket and its disk: what grows with the number of tools can only be
 * here.
 */
export async function measureFlatness(few: number, many: number): Promise<Flatness> {
  const [small, large] = [createSubjectCalls(few, NOWHERE), createSubjectCalls(many, NOWHERE)];
  const cases = {
    few: { calls: small, used: few },
    many: { calls: large, used: few },
    inTurn: { calls: large, used: many },
  };
  const samples = { few: [] as number[], many: [] as number[], inTurn: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const name of ['few', 'many', 'inTurn'] as const) {
      const { calls, used } = cases[name];
      const microseconds = await cpuPerCall(calls, used);
      if (round > 0) samples[name].push(microseconds);
    }
  }
  return { few: median(samples.few), many: median(samples.many), inTurn: median(samples.inTurn) };
}

const NOWHERE: CallStore = {
  record: () => Promise.resolve(),
  recordLazily: () => undefined,
  recordUsage: () => Promise.resolve(),
  list: () => Promise.resolve([]),
  attempts: () => Promise.resolve([]),
  costs: () => Promise.resolve({ attempts: [], usage: [] }),
};

async function cpuPerCall(calls: Calls, used: number): Promise<number> {
  const { tools } = calls.list(CALLER);
  const before = process.cpuUsage();
  for (let n = 0; n < CALLS; n += AT_ONCE) {
    const answers = Array.from({ length: AT_ONCE }, (_, i) => {
      // With arguments that none shares: identical calls would be one piece of work.
      const tool = tools[(n + i) % used]?.name ?? '';
      const args = { model: `m${n + i}` };
      return calls.start({ tool, args, caller: CALLER, transport: 'ws', session: 's' }).answer;
    });
    for (const { error } of await Promise.all(answers)) if (error) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}
