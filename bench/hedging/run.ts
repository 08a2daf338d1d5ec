// What hedging costs and saves: asks of several kinds to three vendors whose times spread as real ones do, in
// virtual time, with hedging off and on; and the CPU time of an ask with either. EXAI_BENCH_MINUTES is the virtual time.
import { systemClock } from '#app/system.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { Provider } from '#core/llm/provider.ts';
import type { HedgeMode } from '#manager/run/hedging.ts';
import { cpuOfEach, type Work } from '../manager/cpu.ts';
import { report, type BenchRow } from '../report.ts';
import { openBenchManager, play, VENDORS, type Played, type Weather } from './play.ts';

const MINUTES = Number(process.env['EXAI_BENCH_MINUTES'] ?? 240);
const ASKS_PER_SECOND = 2;
const SEED = 11;
const MODES = ['off', 'auto', 'on'] as const;
const MOST_REQUESTS = 1.05;
/** Of a CPU time that is measured by a kernel that counts in microseconds, on a machine that does other work. */
const SAME_CPU = 1.1;
const SPELL_EVERY_MS = 20 * 60_000;
const SPELL_MS = 2 * 60_000;

const isSpell = (ms: number) => ms % SPELL_EVERY_MS > SPELL_EVERY_MS - SPELL_MS;
const spellOf = (ms: number) => VENDORS[Math.floor(ms / SPELL_EVERY_MS) % VENDORS.length];

const WEATHERS: Readonly<Record<string, Weather>> = {
  'healthy vendors': () => 'well',
  'healthy vendors, each busy for 2 minutes in an hour': (vendor, ms) =>
    isSpell(ms) && spellOf(ms) === vendor ? 'busy' : 'well',
  'each vendor silent for 2 minutes in an hour': (vendor, ms) =>
    isSpell(ms) && spellOf(ms) === vendor ? 'silent' : 'well',
};

const rows: BenchRow[] = [];
for (const [what, weather] of Object.entries(WEATHERS)) {
  let off: Played | undefined;
  for (const hedge of MODES) {
    const played = await play({
      hedge,
      minutes: MINUTES,
      asksPerSecond: ASKS_PER_SECOND,
      weather,
      seed: SEED,
    });
    off ??= played;
    rows.push(...rowsOf(what, hedge, played, off));
  }
}
rows.push(...(await cpuRows()));
report('hedging', rows);

function rowsOf(what: string, hedge: HedgeMode, played: Played, off: Played): BenchRow[] {
  const { asks, answered, vendorRequests, hedges, microUsd } = played;
  const isHealthy = what.startsWith('healthy');
  // What is saved is seen by those who ask while a vendor is silent.
  const seconds = played.firstWords
    .filter(({ askedAtMs }) => isHealthy || isSpell(askedAtMs))
    .map(({ ms }) => ms / 1000)
    .sort((a, b) => a - b);
  const at = (share: number) => seconds[Math.floor(share * (seconds.length - 1))] ?? Number.NaN;
  const perAsk = vendorRequests / asks;
  const name = `${what}, hedging ${hedge}`;
  const most = hedge === 'off' ? 1 : MOST_REQUESTS;
  const who = isHealthy ? 'all asks' : 'asks while one is silent';
  return [
    {
      what: `${name}: requests to vendors per ask (${asks} asks, ${hedges} hedges)`,
      value: perAsk,
      unit: '',
      ...(isHealthy && { goal: `≤ ${most}`, ok: perAsk <= most }),
    },
    {
      what: `${name}: money per ask, at most`,
      value: microUsd / asks,
      unit: 'µ$',
      ratio: microUsd / asks / (off.microUsd / off.asks),
    },
    ...(isHealthy ? [0.99] : [0.5, 0.9, 0.99, 1]).map((share) => ({
      what: `${name}: time to the first word of ${who}, ${share === 1 ? 'longest' : `p${share * 100}`}`,
      value: at(share),
      unit: 's',
    })),
    { what: `${name}: asks without an answer`, value: asks - answered, unit: '' },
  ];
}

/** Vendors that answer at once. */
async function cpuRows(): Promise<BenchRow[]> {
  const asking = async (hedge: HedgeMode): Promise<Work> => {
    const { manager } = await openBenchManager(systemClock, VENDORS.map(instantVendor), hedge);
    const signal = new AbortController().signal;
    return async (times) => {
      for (let n = 0; n < times; n += 1) {
        let attempts = 0;
        await manager.ask(
          { messages: [{ role: 'user', content: 'Why does the tide turn?' }] },
          {
            reqId: 'req_bench',
            tool: 'chat',
            category: 'fast_response',
            caller: { principal: 'local', scopes: ['*'], roots: [] },
            deadline: deadlineIn(systemClock, 60_000),
            signal,
            nextAttempt: () => (attempts += 1),
          },
        );
      }
    };
  };
  const taken = await cpuOfEach({ off: await asking('off'), auto: await asking('auto') });
  const ratio = taken.auto / taken.off;
  return [
    { what: 'CPU of an ask, hedging off', value: taken.off, unit: 'µs' },
    {
      what: 'CPU of an ask, hedging auto',
      value: taken.auto,
      unit: 'µs',
      ratio,
      goal: `≤ ${SAME_CPU} × off`,
      ok: ratio <= SAME_CPU,
    },
  ];
}

function instantVendor(id: (typeof VENDORS)[number]): Provider {
  return {
    id,
    title: id,
    capabilities: [],
    check: async () => 'ok',
    async *chat({ model }, { vendorCalls }) {
      vendorCalls?.count();
      yield { type: 'start', model };
      yield { type: 'text', text: 'The moon pulls it.' };
      const usage = { input: 8, output: 5, cached: 0, reasoning: 0, estimated: false };
      yield { type: 'usage', usage };
      yield { type: 'finish', reason: 'stop' };
    },
  };
}
