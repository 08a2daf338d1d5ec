/**
 * A file of 100 MB at `/v1/files`, one by its path, and one of 20 MB as content of a request. Beside
 * them the same bytes in a multipart upload to a server that discards them (bare), to one that does
 * only what cannot be left out (floor), and to one that stores them in SQLite (`receivers.ts`), and
 * the same request with content to the server that discards it: time, CPU time of the server, its
 * memory, and how long its event loop was busy at most, as the slowest of many small requests.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, FormData, request } from 'undici';
import { median, report } from '../report.ts';
import { paddedPdf } from './padded-pdf.ts';
import { measurePieces } from './pieces.ts';
import { runReceiver } from './receivers.ts';

const ROUNDS = 5;
const LARGE_BYTES = 100_000_000;
const INLINE_BYTES = 20_000_000;
/** With the rest of the document at most the 100 MB that a file by path may have. */
const NAMED_BYTES = LARGE_BYTES - 2000;
/** An offset within the bytes of a document that it does not use. */
const FILLING = 2000;
const PROBE_BYTES = 23_900_000;
const MAX_RATIO = 1.5;
const MAX_BUSY_MS = 50;
const MAX_RSS_MB = 400;
const MCP_VERSION = '2026-07-28';

const [, script = '', child] = process.argv;
interface Server {
  readonly url: string;
  readonly pid: number;
  readonly agent: Agent;
}

interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** What is measured, with what it is compared to. */
const WORK = {
  upload: '100 MB at /v1/files',
  bareUpload: '100 MB to the bare server',
  floorUpload: '100 MB to a server that hashes, writes and syncs',
  storeUpload: '100 MB to a server that hashes it and stores it in SQLite',
  path: '100 MB by path, read and measured',
  inline: '20 MB inline, read and counted',
  bareInline: '20 MB to the bare server',
  bareContent: '20 MB inline to the bare server',
  floorInline: '20 MB inline to a server that parses, decodes and hashes',
} as const;
type Work = keyof typeof WORK;
const NAMES = Object.keys(WORK) as Work[];

async function measure(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'exai-bench-files-'));
  const folder = mkdtempSync(join(tmpdir(), 'exai-bench-folder-'));
  const children: ChildProcess[] = [];
  const start = async (args: readonly string[], ownHome = home): Promise<Server> => {
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      EXAI_HOME: ownHome,
      EXAI_AUTH_REQUIRE_TOKEN: 'false',
      EXAI_ALLOWED_DIRS: folder,
      KIMI_API_KEY: 'sk-bench',
      KIMI_API_URL: 'http://127.0.0.1:9/v1',
    };
    const started = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(started);
    const url = await listening(started);
    return { url, pid: started.pid ?? 0, agent: new Agent({ connections: 1 }) };
  };
  try {
    const bare = await start([script, 'bare']);
    const floor = await start([script, 'floor']);
    const inSqlite = await start([script, 'store']);
    const daemon = await start(['bin/exai.cjs', 'serve', '--port', '0']);
    const large = Buffer.alloc(LARGE_BYTES);
    for (let at = 0; at < large.length; at += 4)
      large.writeUInt32LE((at * 2_654_435_761) >>> 0, at);
    const inline = paddedPdf('The vault opens at nine', INLINE_BYTES);
    const named = paddedPdf('The vault opens at ten', NAMED_BYTES);
    const path = join(folder, 'large.pdf');

    const costs = new Map<Work, Cost[]>(NAMES.map((work) => [work, []]));
    const before = rssMb(daemon.pid);
    const work = {
      bareUpload: [bare, () => upload(bare, large)],
      floorUpload: [floor, () => upload(floor, large)],
      storeUpload: [inSqlite, () => upload(inSqlite, large)],
      upload: [daemon, () => upload(daemon, large)],
      path: [daemon, () => readFiles(daemon, [path])],
      bareInline: [bare, () => upload(bare, inline)],
      bareContent: [bare, () => count(bare, inline)],
      floorInline: [floor, () => count(floor, inline)],
      inline: [daemon, () => count(daemon, inline)],
    } as const satisfies Record<Work, readonly [Server, () => Promise<unknown>]>;
    for (let round = 0; round <= ROUNDS; round++) {
      // Different bytes, as a content that is known is stored and read once.
      for (const content of [large, inline.subarray(FILLING), named.subarray(FILLING)])
        content.writeUInt32LE(round, 0);
      writeFileSync(path, named);
      for (const name of NAMES) {
        const [server, run] = work[name];
        const cost = await costOf(server, run);
        if (round > 0) costs.get(name)?.push(cost);
      }
    }
    const busy: number[] = [];
    const idle: number[] = [];
    const probed = paddedPdf('The vault opens at nine', PROBE_BYTES);
    for (let round = 0; round <= ROUNDS; round++) {
      probed.writeUInt32LE(round, FILLING);
      // The machine does the same work beside both, so that its load can be told from ours.
      const besideFloor = await slowestProbe(daemon, () => count(floor, probed));
      const slowest = await slowestProbe(daemon, () => count(daemon, probed));
      if (round === 0) continue;
      idle.push(besideFloor);
      busy.push(slowest);
    }

    const fresh = await start(['bin/exai.cjs', 'serve', '--port', '0'], join(home, 'fresh'));
    const pieces = await measurePieces({
      folder,
      upload: (bytes) => upload(fresh, bytes),
      read: (files) => readFiles(fresh, files),
      rssMb: () => rssMb(fresh.pid),
    });

    const wall = (name: Work) => median((costs.get(name) ?? []).map(({ wallMs }) => wallMs));
    const cpu = (name: Work) => median((costs.get(name) ?? []).map(({ cpuMs }) => cpuMs));
    const beside = (one: Work, other: Work) => ({
      what: `${WORK[one]}: time beside ${WORK[other].replace(/^\d+ MB (inline )?/, '')}`,
      value: wall(one) / wall(other),
      unit: '×',
    });
    const goal = (one: Work, other: Work) => {
      const { what, value } = beside(one, other);
      return { what, ...within(value, MAX_RATIO, '×') };
    };
    report('files', [
      ...NAMES.flatMap((name) => [
        { what: WORK[name], value: wall(name), unit: 'ms' },
        { what: `${WORK[name]}: CPU time of the server`, value: cpu(name), unit: 'ms' },
      ]),
      goal('upload', 'bareUpload'),
      beside('upload', 'floorUpload'),
      beside('upload', 'storeUpload'),
      beside('floorUpload', 'bareUpload'),
      beside('storeUpload', 'bareUpload'),
      goal('path', 'bareUpload'),
      goal('inline', 'bareInline'),
      beside('inline', 'bareContent'),
      beside('bareContent', 'bareInline'),
      beside('inline', 'floorInline'),
      beside('floorInline', 'bareInline'),
      {
        what: 'slowest small request beside 24 MB inline (median of rounds)',
        ...within(median(busy), MAX_BUSY_MS, 'ms'),
      },
      {
        what: 'the same while the floor server gets the 24 MB',
        value: median(idle),
        unit: 'ms',
      },
      { what: 'memory before', value: before, unit: 'MB' },
      { what: '1 GB in 500 files by path: memory', ...within(pieces.byPath, MAX_RSS_MB, 'MB') },
      { what: 'then uploaded to /v1/files: memory', ...within(pieces.uploaded, MAX_RSS_MB, 'MB') },
      { what: 'then read by their ids: memory', ...within(pieces.byId, MAX_RSS_MB, 'MB') },
      { what: 'memory at most', ...within(rssMb(daemon.pid), MAX_RSS_MB, 'MB') },
    ]);
  } finally {
    for (const each of children) each.kill('SIGKILL');
    for (const each of [home, folder]) rmSync(each, { recursive: true, force: true });
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

async function upload({ url, agent }: Server, bytes: Buffer): Promise<string> {
  const body = new FormData();
  body.append('purpose', 'user_data');
  body.append('file', new Blob([bytes]), 'large.bin');
  const response = await request(`${url}/v1/files`, { method: 'POST', body, dispatcher: agent });
  const text = await response.body.text();
  if (response.statusCode !== 200) throw new Error(text);
  return (JSON.parse(text) as { readonly id?: string }).id ?? '';
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

/** Files are read, and measured without a model. */
async function readFiles({ url, agent }: Server, files: readonly unknown[]): Promise<void> {
  const params = {
    name: 'route',
    arguments: { tool: 'file_chat', args: { prompt: 'What is in it?', files } },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': MCP_VERSION,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    },
  };
  const response = await request(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MCP_VERSION,
      'mcp-method': 'tools/call',
      'mcp-name': 'route',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    dispatcher: agent,
  });
  const text = await response.body.text();
  if (response.statusCode !== 200 || /"isError":true|"error":/.test(text)) throw new Error(text);
}

async function costOf({ pid }: Server, work: () => Promise<unknown>): Promise<Cost> {
  const cpuBefore = cpuMsOf(pid);
  const at = performance.now();
  await work();
  return { wallMs: performance.now() - at, cpuMs: cpuMsOf(pid) - cpuBefore };
}

/** The longest time that one of many small requests took while `work` ran. */
async function slowestProbe({ url }: Server, work: () => Promise<unknown>): Promise<number> {
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

if (child === 'bare' || child === 'floor' || child === 'store') runReceiver(child);
else await measure();
