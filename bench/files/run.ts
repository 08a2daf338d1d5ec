/**
 * A file of 100 MB at `/v1/files`, and one of 20 MB as content of a request, beside the same bytes in
 * a multipart upload to a bare `node:http` server that discards them: time, CPU time of the server,
 * its memory, and how long its event loop was busy at most, as the slowest of many small requests.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, FormData, request } from 'undici';
import { median, report } from '../report.ts';
import { paddedPdf } from './padded-pdf.ts';

const ROUNDS = 5;
const LARGE_BYTES = 100_000_000;
const INLINE_BYTES = 20_000_000;
const PROBE_BYTES = 23_900_000;
const MAX_RATIO = 1.5;
const MAX_BUSY_MS = 50;
const MAX_RSS_MB = 400;

const [, script = '', child] = process.argv;
/** Reads a request to its end and answers. */
function runSink(): void {
  const server = createServer((incoming, response) => {
    incoming.resume().once('end', () => response.end('{}'));
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    console.log(`listening on http://127.0.0.1:${port}`);
  });
}

interface Server {
  readonly url: string;
  readonly pid: number;
  readonly agent: Agent;
}

interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
}

async function measure(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'exai-bench-files-'));
  const children: ChildProcess[] = [];
  const start = async (args: readonly string[]): Promise<Server> => {
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      EXAI_HOME: home,
      EXAI_AUTH_REQUIRE_TOKEN: 'false',
      KIMI_API_KEY: 'sk-bench',
      KIMI_API_URL: 'http://127.0.0.1:9/v1',
    };
    const started = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(started);
    const url = await listening(started);
    return { url, pid: started.pid ?? 0, agent: new Agent({ connections: 1 }) };
  };
  try {
    const sink = await start([script, 'sink']);
    const daemon = await start(['bin/exai.cjs', 'serve', '--port', '0']);
    const large = Buffer.alloc(LARGE_BYTES);
    for (let at = 0; at < large.length; at += 4)
      large.writeUInt32LE((at * 2_654_435_761) >>> 0, at);
    const inline = paddedPdf('The vault opens at nine', INLINE_BYTES);

    const uploads: Cost[] = [];
    const bareUploads: Cost[] = [];
    const inlines: Cost[] = [];
    const bareInlines: Cost[] = [];
    const before = rssMb(daemon.pid);
    let peak = before;
    for (let round = 0; round <= ROUNDS; round++) {
      // Different bytes, as a content that is known is stored once.
      large.writeUInt32LE(round, 0);
      const costs = [
        await costOf(sink, () => upload(sink, large)),
        await costOf(daemon, () => upload(daemon, large)),
        await costOf(sink, () => upload(sink, inline)),
        await costOf(daemon, () => count(daemon, inline)),
      ] as const;
      peak = Math.max(peak, rssMb(daemon.pid));
      if (round === 0) continue;
      bareUploads.push(costs[0]);
      uploads.push(costs[1]);
      bareInlines.push(costs[2]);
      inlines.push(costs[3]);
    }
    const busy: number[] = [];
    const probed = paddedPdf('The vault opens at nine', PROBE_BYTES);
    for (let round = 0; round <= ROUNDS; round++) {
      const slowest = await slowestProbe(daemon, () => count(daemon, probed));
      if (round > 0) busy.push(slowest);
    }
    const idle = await slowestProbe(daemon, () => upload(sink, inline));
    peak = Math.max(peak, rssMb(daemon.pid));

    const wall = (costs: readonly Cost[]) => median(costs.map(({ wallMs }) => wallMs));
    const cpu = (costs: readonly Cost[]) => median(costs.map(({ cpuMs }) => cpuMs));
    report('files', [
      { what: '100 MB at /v1/files', value: wall(uploads), unit: 'ms' },
      { what: '100 MB to a bare server', value: wall(bareUploads), unit: 'ms' },
      {
        what: '100 MB, time beside the bare server',
        ...within(wall(uploads) / wall(bareUploads), MAX_RATIO, '×'),
      },
      { what: '100 MB, CPU time of the daemon', value: cpu(uploads), unit: 'ms' },
      { what: '100 MB, CPU time of the bare server', value: cpu(bareUploads), unit: 'ms' },
      { what: '20 MB inline, read and counted', value: wall(inlines), unit: 'ms' },
      { what: '20 MB to a bare server', value: wall(bareInlines), unit: 'ms' },
      {
        what: '20 MB inline, time beside the bare server',
        ...within(wall(inlines) / wall(bareInlines), MAX_RATIO, '×'),
      },
      { what: '20 MB inline, CPU time of the daemon', value: cpu(inlines), unit: 'ms' },
      {
        what: 'slowest small request beside 24 MB inline (median of rounds)',
        ...within(median(busy), MAX_BUSY_MS, 'ms'),
      },
      { what: 'slowest small request beside nothing', value: idle, unit: 'ms' },
      { what: 'memory before', value: before, unit: 'MB' },
      { what: 'memory at most', ...within(peak, MAX_RSS_MB, 'MB') },
    ]);
  } finally {
    for (const each of children) each.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true });
  }
  process.exit(0);
}

function listening(started: ChildProcess): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    started.stdout?.on('data', (chunk) => {
      said += String(chunk);
      const url = /listening on (http:\S+)\n/.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    });
    started.once('close', () => reject(new Error(`It ended: ${said}`)));
  });
}

async function upload({ url, agent }: Server, bytes: Buffer): Promise<void> {
  const body = new FormData();
  body.append('purpose', 'user_data');
  body.append('file', new Blob([bytes]), 'large.bin');
  const response = await request(`${url}/v1/files`, { method: 'POST', body, dispatcher: agent });
  const text = await response.body.text();
  if (response.statusCode !== 200) throw new Error(text);
}

/** A document as content: it is read, and counted without a model. */
async function count({ url, agent }: Server, bytes: Buffer): Promise<void> {
  const source = { type: 'base64', media_type: 'application/pdf', data: bytes.toString('base64') };
  const content = [{ type: 'document', source }];
  const response = await request(`${url}/v1/messages/count_tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'auto', messages: [{ role: 'user', content }] }),
    dispatcher: agent,
  });
  const text = await response.body.text();
  if (response.statusCode !== 200) throw new Error(text);
}

async function costOf({ pid }: Server, work: () => Promise<void>): Promise<Cost> {
  const cpuBefore = cpuMsOf(pid);
  const at = performance.now();
  await work();
  return { wallMs: performance.now() - at, cpuMs: cpuMsOf(pid) - cpuBefore };
}

/** The longest time that one of many small requests took while `work` ran. */
async function slowestProbe({ url }: Server, work: () => Promise<void>): Promise<number> {
  const prober = spawn(process.execPath, ['-e', PROBER, `${url}/healthz`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answered = new Promise<string>((resolve) => {
    let said = '';
    prober.stdout.on('data', (chunk) => (said += String(chunk)));
    prober.once('close', () => resolve(said));
  });
  await new Promise<void>((resolve) => prober.stdout.once('data', () => resolve()));
  await work();
  prober.stdin.end();
  return Number((await answered).trim().split('\n').at(-1));
}

/** In a process of its own, whose event loop has nothing else to do. */
const PROBER = `
const http = require('node:http');
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
let slowest = 0;
let isOver = false;
let asked = 0;
process.stdin.on('end', () => { isOver = true; }).resume();
function probe() {
  if (isOver) { console.log(slowest); process.exit(0); }
  const at = performance.now();
  http.get(process.argv[1], { agent }, (response) => {
    response.resume().on('end', () => {
      asked += 1;
      if (asked === 50) { slowest = 0; console.log('ready'); }
      slowest = Math.max(slowest, performance.now() - at);
      setTimeout(probe, 1);
    });
  });
}
probe();
`;

const TICKS_PER_SECOND = 100;

function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

function rssMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

function within(value: number, max: number, unit: string) {
  return { value, unit, goal: `≤ ${max} ${unit}`, ok: value <= max };
}

if (child === 'sink') runSink();
else await measure();
