/**
 * Inputs that have blocked the event loop, each beside a prober that sends small requests all the
 * time: the longest time between two answers to it. EXAI_BENCH_BIN measures
 * another build, EXAI_BENCH_INPUTS only inputs whose name contains it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import { Agent, request } from 'undici';
import { report, type BenchRow } from '../report.ts';
import { STALL_INPUTS } from './inputs.ts';

const MAX_GAP_MS = 50;
const SETTLE_MS = 1000;
const BIN = process.env['EXAI_BENCH_BIN'] ?? 'bin/exai.cjs';
const ONLY = process.env['EXAI_BENCH_INPUTS'] ?? '';

/** In a process of its own, whose event loop has nothing else to do. */
const PROBER = `
const http = require('node:http');
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
let slowest = 0;
let asked = 0;
process.stdin.on('end', () => { console.log(slowest); process.exit(0); }).resume();
function probe() {
  const at = performance.now();
  http.get(process.argv[1], { agent }, (response) => {
    response.resume().on('end', () => {
      asked += 1;
      if (asked === 50) { slowest = 0; console.log('ready'); }
      slowest = Math.max(slowest, performance.now() - at);
      setTimeout(probe, 1);
    });
  }).on('error', () => setTimeout(probe, 1));
}
probe();
`;

const built = resolve('bench/stalls/built');
buildSync({
  entryPoints: ['vendor', 'many-tools'].map((name) => resolve(`bench/stalls/${name}.ts`)),
  outdir: built,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
});

const home = mkdtempSync(join(tmpdir(), 'exai-bench-stalls-'));
const children: ChildProcess[] = [];
try {
  mkdirSync(home, { recursive: true });
  const many = { command: process.execPath, args: [resolve(built, 'many-tools.js')] };
  writeFileSync(join(home, 'config.json'), JSON.stringify({ mcpServers: { many } }));
  const vendor = await start([resolve(built, 'vendor.js')]);
  const daemon = await start([resolve(BIN), 'serve', '--port', '0'], `${vendor.url}/v1`);
  const agent = new Agent({ connections: 64 });
  const rows: BenchRow[] = [];
  const before = rssMb(daemon.pid);
  for (const { what, run } of STALL_INPUTS.filter((each) => each.what.includes(ONLY))) {
    const prober = await startProber(daemon.url);
    // A refusal may come before the request was sent.
    await run({ url: daemon.url, agent }).catch((thrown: unknown) => console.error(String(thrown)));
    await new Promise((settled) => setTimeout(settled, SETTLE_MS));
    const gap = await prober.stop();
    console.error(`${what}: ${gap.toFixed(0)} ms`);
    const ok = gap <= MAX_GAP_MS;
    rows.push({ what, value: gap, unit: 'ms', goal: `≤ ${MAX_GAP_MS} ms`, ok });
  }
  const text = await (await request(`${daemon.url}/metrics`)).body.text();
  const found = text.matchAll(/^exai_event_loop_stalls_total\{cause="worked"\} (\d+)/gm);
  const counted = [...found].reduce((sum, [, count]) => sum + Number(count), 0);
  rows.push({
    what: 'stalls over 100 ms in which the daemon worked, as it counted',
    value: counted,
    unit: '',
  });
  rows.push({ what: 'memory before', value: before, unit: 'MB' });
  rows.push({ what: 'memory at most', value: rssMb(daemon.pid), unit: 'MB' });
  report('stalls', rows);
} finally {
  for (const each of children) each.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
}
process.exit(0);

interface Started {
  readonly url: string;
  readonly pid: number;
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
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
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
  return { url, pid: child.pid ?? 0 };
}

async function startProber(url: string): Promise<{ stop(): Promise<number> }> {
  const prober = spawn(process.execPath, ['-e', PROBER, `${url}/healthz`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  prober.stdout.on('data', (chunk) => (said += String(chunk)));
  await new Promise((ready) => prober.stdout.once('data', ready));
  return {
    async stop() {
      prober.stdin.end();
      await new Promise((closed) => prober.once('close', closed));
      return Number(said.trim().split('\n').at(-1));
    },
  };
}

function rssMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}
