// What it costs that calls pass through the hub, with the server behind it, beside other programs
// that do so: CPU per call of all processes, and calls per second.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { installTools } from '../../scripts/install-tools.ts';
import { openSessionLoad } from '../mcp-call/http-load.ts';
import { openLoad } from '../mcp-call/load.ts';
import { median, report, type BenchRow } from '../report.ts';
import { measureGrowth } from './growth.ts';
import { openSseLoad } from './sse-load.ts';
import { startEcho, startExai, startMcpHub, startPeer, TOKEN, type Target } from './targets.ts';
import { residentMb } from './tree-usage.ts';

const IN_FLIGHT = 32;
const CALLS = 2_000;
const ROUNDS = 7;
const GOAL_MS = 0.25;
const GOAL_PER_SECOND = 3_000;
const IDLE_SERVERS = 20;

interface Contender {
  readonly name: string;
  readonly target: Target;
  readonly run: (calls: number) => Promise<void>;
  readonly cpuMs: number[];
  readonly perSecond: number[];
}

const folder = mkdtempSync(join(tmpdir(), 'exai-bench-hub-'));
const started: Target[] = [];
const keep = async (target: Promise<Target>): Promise<Target> => {
  const each = await target;
  started.push(each);
  return each;
};

try {
  await installTools(['test/tools/upstreams']);
  const echo = { command: process.execPath, args: [resolve('bench/hub/echo-server.mjs')] };
  const web = await keep(startEcho());
  const exai = await keep(
    startExai(folder, 'passing', { echo, web: { url: `http://127.0.0.1:${web.port}/mcp` } }),
  );
  const peers = await Promise.all(
    ['floor', 'mcp-proxy', 'supergateway'].map(async (name) => ({
      name,
      target: await keep(startPeer(name)),
    })),
  );
  const hub = await keep(startMcpHub(folder));
  const contenders = [
    await overWs('stdio, a reading tool', exai, 'mcp__echo__echo'),
    await overWs('stdio, a tool that changes something', exai, 'mcp__echo__change'),
    await overHttp('stdio, from HTTP', exai, 'mcp__echo__echo'),
    await overWs('HTTP, a reading tool', exai, 'mcp__web__echo', [web]),
    await overSse('mcp-hub', hub, 'echo__echo'),
    ...(await Promise.all(peers.map(({ name, target }) => overHttp(name, target, 'echo')))),
  ];
  for (let round = 0; round <= ROUNDS; round++) {
    console.error(round === 0 ? 'warm-up' : `round ${round} of ${ROUNDS}`);
    for (const each of contenders) await measure(each, round === 0 ? 'warm_up' : 'counted');
  }
  const rows = contenders.flatMap(rowsOf);
  report('hub', [...rows, ...growthRows(), await idleRow()]);
} finally {
  await Promise.all(started.map((target) => target.stop()));
  rmSync(folder, { recursive: true, force: true });
}

/** `others`: further processes that a call runs through. */
async function overWs(
  name: string,
  target: Target,
  tool: string,
  others: readonly Target[] = [],
): Promise<Contender> {
  const load = await openLoad(target.port, TOKEN, (id) => paramsOf(tool, id));
  const pids = [target, ...others];
  return contender(name, { ...target, cpuMs: () => sum(pids) }, (calls) =>
    load.run(calls, IN_FLIGHT),
  );
}

async function overHttp(name: string, target: Target, tool: string): Promise<Contender> {
  const at = { port: target.port, token: TOKEN };
  const load = await openSessionLoad(at, (id) => paramsOf(tool, id));
  return contender(name, target, async (calls) => {
    await load.connect(IN_FLIGHT);
    await load.run(calls);
  });
}

async function overSse(name: string, target: Target, tool: string): Promise<Contender> {
  const load = await openSseLoad(`http://127.0.0.1:${target.port}/mcp`, (id) => paramsOf(tool, id));
  return contender(name, target, (calls) => load.run(calls, IN_FLIGHT));
}

function contender(name: string, target: Target, run: Contender['run']): Contender {
  return { name, target, run, cpuMs: [], perSecond: [] };
}

function paramsOf(tool: string, id: number): string {
  return `{"name":"${tool}","arguments":{"text":"${'x'.repeat(58)}${id % 1_000_000}"}}`;
}

function sum(targets: readonly Target[]): number {
  return targets.reduce((all, target) => all + target.cpuMs(), 0);
}

async function measure(
  { target, run, cpuMs, perSecond }: Contender,
  counts: 'warm_up' | 'counted',
) {
  const before = target.cpuMs();
  const from = performance.now();
  await run(CALLS);
  const tookMs = performance.now() - from;
  if (counts === 'warm_up') return;
  cpuMs.push((target.cpuMs() - before) / CALLS);
  perSecond.push((CALLS / tookMs) * 1_000);
}

function rowsOf({ name, cpuMs, perSecond }: Contender): BenchRow[] {
  const isGoal = name === 'stdio, a reading tool';
  const cpu = median(cpuMs);
  const rate = median(perSecond);
  return [
    {
      what: `${name}: CPU per call, server included`,
      value: cpu,
      unit: 'ms',
      ...(isGoal && { goal: `≤ ${GOAL_MS} ms`, ok: cpu <= GOAL_MS }),
    },
    {
      what: `${name}: calls at ${IN_FLIGHT} in flight`,
      value: rate,
      unit: '/s',
      ...(isGoal && { goal: `≥ ${GOAL_PER_SECOND}/s`, ok: rate >= GOAL_PER_SECOND }),
    },
  ];
}

function growthRows(): BenchRow[] {
  const [few, many] = [measureGrowth(4), measureGrowth(200)];
  return [
    {
      what: 'one of 200 servers changes its 50 tools',
      value: many.change,
      unit: 'ms',
      ratio: many.change / few.change,
      goal: '< 2 ms',
      ok: many.change < 2,
    },
    { what: 'list after it', value: many.list, unit: 'ms', ratio: many.list / few.list },
    {
      what: 'a tool by its name, of 10,000',
      value: many.finds,
      unit: 'µs',
      ratio: many.finds / few.finds,
    },
    {
      what: 'a search among 10,000 after one server changed its 50 tools',
      value: many.search,
      unit: 'ms',
      ratio: many.search / few.search,
    },
  ];
}

async function idleRow(): Promise<BenchRow> {
  const echo = { command: process.execPath, args: [resolve('bench/hub/echo-server.mjs')] };
  const none = await keep(startExai(folder, 'none', {}));
  const servers = Array.from({ length: IDLE_SERVERS }, (_, n) => [`echo${n}`, echo] as const);
  const some = await keep(startExai(folder, 'some', Object.fromEntries(servers)));
  await some.settled();
  const perServer = (residentMb(some.pid) - residentMb(none.pid)) / IDLE_SERVERS;
  return { what: 'memory of the daemon for each connected server', value: perServer, unit: 'MB' };
}
