/**
 * Inputs that have blocked the event loop, each beside a probe within the daemon: the longest time
 * in which its event loop ran nothing else, and the CPU time that its main thread used in one such
 * time, which is what counts: a busy machine makes the first longer, not the second.
 *
 * EXAI_BENCH_BIN measures another build, EXAI_BENCH_INPUTS only inputs whose name contains it,
 * EXAI_BENCH_PROFILE=1 also prints what ran in the busiest gap (the profiler takes time itself).
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import { Agent, request } from 'undici';
import { report, type BenchRow } from '../report.ts';
import { call, chat } from './ask.ts';
import { STALL_INPUTS, type StallInput } from './inputs.ts';
import type { ProbeAnswer, ProbeRequest } from './probe.ts';

const MAX_GAP_MS = 50;
const SETTLE_MS = 300;
const MAX_RUN_MS = 60_000;
const BIN = process.env['EXAI_BENCH_BIN'] ?? 'bin/exai.cjs';
const ONLY = process.env['EXAI_BENCH_INPUTS'] ?? '';
const IS_PROFILED = process.env['EXAI_BENCH_PROFILE'] === '1';

const built = resolve('bench/stalls/built');
const common = { outdir: built, bundle: true, platform: 'node', target: 'node20.19' } as const;
const entry = (name: string) => resolve(`bench/stalls/${name}.ts`);
buildSync({ ...common, entryPoints: ['vendor', 'many-tools'].map(entry), format: 'esm' });
buildSync({
  ...common,
  entryPoints: [entry('probe')],
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
});

const home = mkdtempSync(join(tmpdir(), 'exai-bench-stalls-'));
const children: ChildProcess[] = [];
try {
  mkdirSync(home, { recursive: true });
  const many = { command: process.execPath, args: [resolve(built, 'many-tools.js')] };
  writeFileSync(
    join(home, 'config.json'),
    JSON.stringify({ mcpServers: { many }, hub: { maxToolsPerServer: 10_000 } }),
  );
  const vendor = await start([resolve(built, 'vendor.js')]);
  const daemon = await start(
    ['--require', resolve(built, 'probe.cjs'), resolve(BIN), 'serve', '--port', '0'],
    `${vendor.url}/v1`,
  );
  await warmUp(daemon.url);
  const rows: BenchRow[] = [];
  const before = memoryMb(daemon);
  for (const input of STALL_INPUTS.filter(({ what }) => what.includes(ONLY))) {
    rows.push(await measure(input, daemon));
  }
  const text = await (await request(`${daemon.url}/metrics`)).body.text();
  const found = text.matchAll(/^exai_event_loop_stalls_total\{cause="worked"\} (\d+)/gm);
  const counted = [...found].reduce((sum, [, count]) => sum + Number(count), 0);
  rows.push({ what: 'stalls in which the daemon worked, as it counted', value: counted, unit: '' });
  rows.push({ what: 'memory before', value: before, unit: 'MB' });
  rows.push({ what: 'memory at most', value: memoryMb(daemon), unit: 'MB' });
  rows.push({ what: 'load of the machine', value: loadavg()[0] ?? Number.NaN, unit: '' });
  report('stalls', rows);
} finally {
  for (const each of children) each.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
}
process.exit(0);

/** What is loaded for a first request belongs to no input; and the tools of a server to none. */
async function warmUp(url: string): Promise<void> {
  const target = { url, agent: new Agent() };
  await chat(target, 'hello');
  const search = () => call(target, 'search_tools', { query: 'tool number 9999 of many' });
  for (let tries = 0; tries < 100 && !(await search()).includes('9999_of_many'); tries += 1) {
    await new Promise((waited) => setTimeout(waited, SETTLE_MS));
  }
}

async function measure({ what, prepare, run }: StallInput, daemon: Started): Promise<BenchRow> {
  const agent = new Agent({ connections: 1000 });
  const target = { url: daemon.url, agent };
  let outcome = '';
  const since = performance.now();
  let took = 0;
  const prepared = (await prepare?.(target)) ?? '';
  await ask(daemon, IS_PROFILED ? 'profile' : 'begin');
  try {
    const begun = performance.now();
    const answer = await within(run(target, prepared));
    took = performance.now() - begun;
    outcome = String(Array.isArray(answer) ? answer[0] : answer).replaceAll(/\s+/g, ' ');
  } catch (thrown) {
    // A refusal may come before the request was sent.
    outcome = String(thrown);
  }
  await new Promise((settled) => setTimeout(settled, SETTLE_MS));
  const { longest, busiest, over, profile = [] } = (await ask(daemon, 'end')) as ProbeAnswer;
  void agent.destroy();
  const total = (performance.now() - since).toFixed(0);
  console.error(
    `${what}: ${busiest.cpu.toFixed(0)} ms of CPU in a gap of ${busiest.wall.toFixed(0)} ms; ` +
      `longest gap ${longest.wall.toFixed(0)} ms with ${longest.cpu.toFixed(0)} ms of CPU; ` +
      `${over} over ${MAX_GAP_MS}; took ${took.toFixed(0)} of ${total} ms; ${memoryMb(daemon)} MB; ${outcome.slice(0, 160)}`,
  );
  for (const line of profile) console.error(`    ${line}`);
  return {
    what: `${what} (longest gap ${longest.wall.toFixed(0)} ms, CPU in it ${longest.cpu.toFixed(0)} ms)`,
    value: busiest.cpu,
    unit: 'ms CPU',
    goal: `≤ ${MAX_GAP_MS} ms`,
    ok: busiest.cpu <= MAX_GAP_MS,
  };
}

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('No end within 60 s.')), MAX_RUN_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

async function ask({ child }: Started, what: ProbeRequest): Promise<unknown> {
  const answer = once(child, 'message');
  child.send(what);
  return ((await answer) as unknown[])[0];
}

interface Started {
  readonly url: string;
  readonly child: ChildProcess;
}

async function start(args: readonly string[], vendorUrl = ''): Promise<Started> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    EXAI_HOME: home,
    EXAI_AUTH_REQUIRE_TOKEN: 'false',
    KIMI_API_KEY: 'sk-bench',
    KIMI_API_URL: vendorUrl,
  };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  children.push(child);
  let said = '';
  const url = await new Promise<string>((found, reject) => {
    child.stdout?.on('data', (chunk) => {
      said += String(chunk);
      const at = /listening on (http:\S+)\n/.exec(said)?.[1];
      if (at !== undefined) found(at);
    });
    child.once('close', () => reject(new Error(`It ended: ${said}`)));
  });
  return { url, child };
}

function memoryMb({ child }: Started): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}
