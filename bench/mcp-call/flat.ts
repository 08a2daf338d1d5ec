import * as z from 'zod';
import { createCalls } from '#calls/create-calls.ts';
import { createRegistry } from '#calls/registry.ts';
import { createMetadata } from '#calls/request-metadata.ts';
import { systemClock, systemRandom } from '#app/system.ts';
import type { Calls } from '#core/calls.ts';
import { defineTool } from '#core/define-tool.schema.ts';
import { createIds } from '#core/ids.ts';
import type { CallStore } from '#core/stores/calls.ts';
import type { Tracer } from '#core/telemetry.ts';
import { createLimiter } from '#resilience/limiter.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { createListLog } from '../../test/list-log.ts';
import { median } from '../report.ts';

const ROUNDS = 15;
const CALLS = 20_000;
const AT_ONCE = 64;
const CALLER = { principal: 'local', scopes: ['*'], roots: [] };

export interface Flatness {
  /** Among few tools, among many, and each of the many in its turn: CPU per call in µs. */
  readonly few: number;
  readonly many: number;
  readonly inTurn: number;
}

/** A call's life without its socket and its disk: what grows with the number of tools can only be here. */
export async function measureFlatness(few: number, many: number): Promise<Flatness> {
  const [small, large] = [createSubject(few), createSubject(many)];
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

function createSubject(tools: number): Calls {
  const registry = createRegistry({ profile: 'full', enabled: [], disabled: [] });
  const input = z.strictObject({ model: z.string().optional() });
  registry.put(
    'bench',
    Array.from({ length: tools }, (_, n) =>
      defineTool({
        name: `tool_${n}`,
        title: 'A tool',
        description: 'Does nothing.',
        input,
        effect: 'reads',
        run: () => Promise.resolve({ text: 'ok' }),
      }),
    ),
  );
  return createCalls({
    registry,
    limiter: createLimiter({ capacity: () => AT_ONCE, maxWaiting: 0 }),
    capacity: AT_ONCE,
    retryAfterMs: 1000,
    metadata: createMetadata({ timezone: 'UTC', location: '' }, systemClock),
    store: NOWHERE,
    clock: systemClock,
    newId: createIds(systemClock, systemRandom),
    log: createListLog(),
    metrics: createMetrics(),
    tracer: NO_TRACER,
  });
}

const NOWHERE: CallStore = {
  record: () => Promise.resolve(),
  note: () => undefined,
  list: () => Promise.resolve([]),
  attempts: () => Promise.resolve([]),
};

const NO_TRACER: Tracer = {
  span: (_name, _options, work) =>
    work({ traceId: '0'.repeat(32), traceparent: undefined, set: () => undefined }),
};

async function cpuPerCall(calls: Calls, used: number): Promise<number> {
  const { tools } = calls.list(CALLER);
  const before = process.cpuUsage();
  for (let n = 0; n < CALLS; n += AT_ONCE) {
    const answers = Array.from({ length: AT_ONCE }, (_, i) => {
      // With arguments that none shares: identical calls would be one piece of work.
      const tool = tools[(n + i) % used]?.name ?? '';
      const args = { model: `m${n + i}` };
      return calls.start({ tool, args, caller: CALLER, door: 'ws', session: 's' }).answer;
    });
    for (const { error } of await Promise.all(answers)) if (error) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}
