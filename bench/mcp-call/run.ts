// A tool call over WebSocket: what it costs the daemon, with token, validation and audit, beside
// the plain SDK server and bare ws; what an idle client costs; whether the number of tools matters.
// The same over HTTP, where it is sessions.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import { median, report, type BenchRow } from '../report.ts';
import { addClientToken } from './client-token.ts';
import { measureWritePrice } from './durable.ts';
import { measureFlatness } from './flat.ts';
import { httpCallRows, type HttpSubjects } from './http-calls.ts';
import { httpGrowthRows } from './http-growth.ts';
import { openLoad, type Load } from './load.ts';
import { startSubject, type Subject } from './subject.ts';

const ROUNDS = 7;
const WARM_UP_CALLS = 5000;
const MANY = { inFlight: 64, calls: 20_000, goalRatio: 0.6 };
const ONE = { inFlight: 1, calls: 5000, goalRatio: 1 };
const GOAL_PER_SECOND = 10_000;
const IDLE_SOCKETS = 1000;
const IDLE_GOAL_MB = 40;
const SETTLE_MS = 5000;
const FEW_TOOLS = 10;
const MANY_TOOLS = 10_000;
const FLAT_GOAL = 1.1;
const TOKEN = 'a-token-for-the-bench-of-mcp-calls';

interface Candidate {
  readonly what: string;
  readonly subject: Subject;
  readonly load: Load;
  /** CPU per call in µs, by calls in flight. */
  readonly cpu: { many: number[]; one: number[] };
  readonly perSecond: number[];
}

const built = resolve('bench/mcp-call/built');
buildSync({
  entryPoints: ['raw-peer', 'sdk-peer', 'raw-http-peer', 'sdk-http-peer'].map((name) =>
    resolve(`bench/mcp-call/${name}.ts`),
  ),
  outdir: built,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  packages: 'external',
});
const started: Subject[] = [];
const { bin } = JSON.parse(readFileSync('package.json', 'utf8')) as { bin: { exai: string } };
const program = resolve(bin.exai);
const daemon = [program, 'serve', '--port', '0'];
const http: HttpSubjects = {
  raw: () => start([resolve(built, 'raw-http-peer.js')]),
  sdk: (kind) => start([resolve(built, 'sdk-http-peer.js'), kind]),
  ours: async () => {
    const subject = await start(daemon);
    return { subject, token: addClientToken(program, subject.home) };
  },
};
const rows: BenchRow[] = [];
try {
  const raw = await candidate('raw ws', [resolve(built, 'raw-peer.js')]);
  const sdk = await candidate('plain SDK server', [resolve(built, 'sdk-peer.js')]);
  const ours = await candidate('EX-AI', daemon);
  const all = [raw, sdk, ours];
  for (const { load } of all) await load.run(WARM_UP_CALLS, MANY.inFlight);
  // Interleaved, so that a busy moment of the machine falls on all alike.
  for (let round = 0; round < ROUNDS; round++) {
    for (const each of all) await measure(each);
  }
  rows.push(...callRows(all, sdk, ours));
  for (const { load } of all) load.close();
  rows.push(await idleRow());
  rows.push(...(await httpCallRows(http)));
  rows.push(...(await httpGrowthRows(http)));
  rows.push(...(await flatRows()));
  rows.push(...(await writeRows()));
  report('mcp-call', rows);
} finally {
  for (const subject of started) await subject.stop();
}

async function start(args: readonly string[]): Promise<Subject> {
  const subject = await startSubject(args, { EXAI_TOKEN: TOKEN });
  started.push(subject);
  return subject;
}

async function candidate(what: string, args: readonly string[]): Promise<Candidate> {
  const subject = await start(args);
  const load = await openLoad(subject.port, TOKEN);
  return { what, subject, load, cpu: { many: [], one: [] }, perSecond: [] };
}

async function measure({ subject, load, cpu, perSecond }: Candidate): Promise<void> {
  const start = performance.now();
  cpu.many.push(await cpuPerCall(subject, load, MANY));
  perSecond.push((MANY.calls * 1000) / (performance.now() - start));
  cpu.one.push(await cpuPerCall(subject, load, ONE));
}

async function cpuPerCall(
  subject: Subject,
  load: Load,
  { calls, inFlight }: { readonly calls: number; readonly inFlight: number },
): Promise<number> {
  const before = subject.cpuMs();
  await load.run(calls, inFlight);
  return ((subject.cpuMs() - before) * 1000) / calls;
}

function callRows(all: readonly Candidate[], sdk: Candidate, ours: Candidate): BenchRow[] {
  const at = (which: 'many' | 'one', { inFlight, goalRatio }: typeof MANY) =>
    all.map((each): BenchRow => {
      const value = median(each.cpu[which]);
      const ratio = value / median(sdk.cpu[which]);
      const isOurs = each === ours;
      return {
        what: `${each.what}, ${inFlight} in flight: CPU per call`,
        value,
        unit: 'µs',
        ratio,
        ...(isOurs && { goal: `≤ ${goalRatio} × the SDK server`, ok: ratio <= goalRatio }),
      };
    });
  const rate = all.map((each): BenchRow => {
    const value = median(each.perSecond);
    const what = `${each.what}, ${MANY.inFlight} in flight on one socket`;
    const goal = { goal: `≥ ${GOAL_PER_SECOND}/s`, ok: value >= GOAL_PER_SECOND };
    return { what, value, unit: 'calls/s', ...(each === ours && goal) };
  });
  return [...at('many', MANY), ...at('one', ONE), ...rate];
}

/** A daemon that has served a client before, so that only the sockets are new. */
async function idleRow(): Promise<BenchRow> {
  const subject = await start(daemon);
  const first = await openLoad(subject.port, TOKEN);
  await first.run(100, 1);
  first.close();
  await sleep(SETTLE_MS);
  const before = subject.residentMb();
  const loads: Load[] = [];
  while (loads.length < IDLE_SOCKETS) loads.push(await openLoad(subject.port, TOKEN));
  await sleep(SETTLE_MS);
  const value = subject.residentMb() - before;
  for (const load of loads) load.close();
  return {
    what: `${IDLE_SOCKETS} idle initialised sockets: resident memory over none`,
    value,
    unit: 'MB',
    goal: `≤ ${IDLE_GOAL_MB} MB`,
    ok: value <= IDLE_GOAL_MB,
  };
}

async function writeRows(): Promise<BenchRow[]> {
  const { reading, changing } = await measureWritePrice();
  const unit = 'µs';
  return [
    { what: 'calls/ with the store, 1 in flight, reading: CPU per call', value: reading, unit },
    { what: 'the same, changing, on disk before the answer', value: changing, unit },
  ];
}

async function flatRows(): Promise<BenchRow[]> {
  const { few, many, inTurn } = await measureFlatness(FEW_TOOLS, MANY_TOOLS);
  const ratio = many / few;
  const goal = `≤ ${FLAT_GOAL} × with ${FEW_TOOLS}`;
  return [
    { what: `calls/ alone, ${FEW_TOOLS} tools: CPU per call`, value: few, unit: 'µs' },
    {
      what: `calls/ alone, ${MANY_TOOLS} tools: CPU per call`,
      value: many,
      unit: 'µs',
      ratio,
      goal,
      ok: ratio <= FLAT_GOAL,
    },
    {
      what: `the same, each of the ${MANY_TOOLS} called in its turn`,
      value: inTurn,
      unit: 'µs',
      ratio: inTurn / few,
    },
  ];
}
