import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { fuzzHttp, tryBytes, type FuzzTarget } from '../fuzz-http.ts';
import { claim, LEGACY, MODERN, opening } from '../fuzz-http/any-rpc.ts';
import { leftOver, NOTHING, readGauges } from '../fuzz-http/gauges.ts';
import { forAll } from '../fuzz-http/for-all.ts';
import { createMcpHttp } from '../fuzz-http/mcp-http.ts';
import { startSlowSenders } from '../fuzz-http/slow-senders.ts';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';

/** One connection of a run again: EXAI_FUZZ_SEED=1 EXAI_FUZZ_FROM=1221 EXAI_FUZZ_CONNECTIONS=1. */
const SEED = Number(process.env['EXAI_FUZZ_SEED'] ?? 1);
const FROM = Number(process.env['EXAI_FUZZ_FROM'] ?? 0);
const CONNECTIONS = Number(process.env['EXAI_FUZZ_CONNECTIONS'] ?? 400);
const SLOW_SENDERS = 300;
const ABANDONED = 2500;
const MAX_SESSIONS = 2000;
const MANY_BYTES = 64 * 1024 * 1024;
const TOKEN = 'a-token-of-this-test';

verifies(
  'door:fuzz',
  'requests made of anything, beside slow senders, get one typed answer each and leave nothing behind',
  async () => {
    const home = createHome();
    const env = { EXAI_TOKEN: TOKEN, EXAI_LISTENER_SESSION_IDLE_MS: '15000' };
    const daemon = await home.serve(['--conformance'], { env });
    const { stdout } = await home.exai(['access', 'add', 'other', '--json'], { env });
    const { token: otherToken } = JSON.parse(stdout) as { token: string };
    const target = { url: daemon.url, pid: daemon.pid, token: TOKEN, otherToken };
    const before = await readGauges(target);
    const slow = startSlowSenders(daemon.url, SLOW_SENDERS, [
      '',
      'P',
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\n',
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'y'.repeat(8000)}`,
    ]);

    const { faults, ...counts } = await fuzzHttp(target, {
      connections: CONNECTIONS,
      seed: SEED,
      from: FROM,
    });
    console.log(`fuzzed HTTP, seed ${SEED}:`, counts);
    expect(faults).toEqual([]);
    expect(counts.answers).toBeGreaterThan(CONNECTIONS / 2);
    await endWhileCallsRun(target);
    await abandonSessions(target);
    expect((await readGauges(target)).sessions).toBeLessThanOrEqual(MAX_SESSIONS);
    const told = await slow.gone;
    expect(new Set(told)).toEqual(new Set(['HTTP/1.1 408 Request Timeout']));
    await expect.poll(() => leftOver(target, before)).toEqual(NOTHING);
    daemon.kill('SIGTERM');
    expect((await daemon.ended).code).toBe(0);
    expect((await home.exai(['audit', 'verify'], { env })).code).toBe(0);
    const logged = await home.exai(['logs', '--json', '-n', '1000000'], { env });
    expect(logged.stdout.split('\n').filter((line) => line.includes('"level":"error"'))).toEqual(
      [],
    );
  },
);

async function abandonSessions(target: FuzzTarget): Promise<void> {
  const http = createMcpHttp(target);
  const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params: opening(LEGACY) };
  const statuses = new Map<number, number>();
  await forAll(Array.from({ length: ABANDONED }), async () => {
    const { status } = await http.send('POST', {}, JSON.stringify(message));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  });
  http.close();
  // When all are taken the one that waits longest makes room.
  expect([...statuses]).toEqual([[200, ABANDONED]]);
}

/** Whether a call was still on its way or ran already, it is over with its session. */
async function endWhileCallsRun(target: FuzzTarget): Promise<void> {
  const http = createMcpHttp(target);
  const params = { name: 'test_tool_with_progress', arguments: {}, _meta: { progressToken: 1 } };
  const statuses = new Set<number>();
  await forAll(Array.from({ length: 100 }), async () => {
    const session = await http.openSession();
    const calls = [1, 2, 3].map((id) =>
      http.inSession(session, { id, method: 'tools/call', params }),
    );
    const [ended, ...answers] = await Promise.all([http.endSession(session), ...calls]);
    expect(ended.status).toBe(204);
    for (const { status } of answers) statuses.add(status);
    expect((await http.inSession(session, { id: 4, method: 'ping' })).status).toBe(404);
  });
  http.close();
  expect([...statuses].filter((status) => status !== 200 && status !== 404)).toEqual([]);
}

/** Bytes that were taken wrongly once, or that are easily taken wrongly. */
interface Case {
  readonly name: string;
  readonly bytes: (host: string) => string;
  readonly is: 'sound' | 'broken';
  readonly ending: 'wait' | 'half_close';
  readonly statuses: readonly number[];
}

const JSON_HEADERS =
  'Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n';

function post(host: string, headers: string, body: string): string {
  return `POST /mcp HTTP/1.1\r\nHost: ${host}\r\n${JSON_HEADERS}${headers}\r\n${body}`;
}

function call(host: string, name: string): string {
  const params = { name, arguments: {}, _meta: { progressToken: 1, ...claim() } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const headers = `MCP-Protocol-Version: ${MODERN}\r\nMcp-Method: tools/call\r\nMcp-Name: ${name}\r\n`;
  return post(host, `${headers}Content-Length: ${body.length}\r\n`, body);
}

const health = (host: string) => `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`;

const CASES: readonly Case[] = [
  {
    name: 'the method CONNECT is refused with words',
    bytes: (host) => `CONNECT example.com:443 HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    is: 'sound',
    ending: 'wait',
    statuses: [405],
  },
  {
    name: 'an expectation that nobody knows is refused with words',
    bytes: (host) => post(host, 'Expect: tea\r\nContent-Length: 2\r\n', '{}'),
    is: 'sound',
    ending: 'wait',
    statuses: [417],
  },
  {
    name: 'a request is answered though garbage stands behind it',
    bytes: (host) => `${health(host)}garbage\r\n\r\n`,
    is: 'broken',
    ending: 'wait',
    statuses: [200],
  },
  {
    name: 'a second Host is refused',
    bytes: (host) => `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\n\r\n`,
    is: 'sound',
    ending: 'wait',
    statuses: [400],
  },
  {
    name: 'requests in one go are answered in their order',
    bytes: (host) => `${health(host)}${call(host, 'version')}${call(host, 'nonsense')}`,
    is: 'sound',
    ending: 'wait',
    statuses: [200, 200, 200],
  },
  {
    name: 'a length and a coding are no request',
    bytes: (host) => post(host, 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
    is: 'broken',
    ending: 'wait',
    statuses: [400],
  },
  {
    name: 'a chunk whose size is none ends its request',
    bytes: (host) => post(host, 'Transfer-Encoding: chunked\r\n', 'zz\r\n\r\n'),
    is: 'broken',
    ending: 'wait',
    statuses: [400],
  },
  {
    name: 'a body that ends before its length is no request',
    bytes: (host) => post(host, 'Content-Length: 40\r\n', '{}'),
    is: 'broken',
    ending: 'half_close',
    statuses: [400],
  },
  {
    name: 'another protocol is told that this is HTTP',
    bytes: () => '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
    is: 'broken',
    ending: 'wait',
    statuses: [400],
  },
];

/** The sentences of those that were not taken as they should be, with what came instead. */
async function failing(cases: readonly Case[], url: string): Promise<Record<string, unknown>> {
  const target = { url, token: '', otherToken: '' };
  const failed: Record<string, unknown> = {};
  for (const { name, bytes, is, ending, statuses } of cases) {
    const sent = Buffer.from(bytes(new URL(url).host), 'latin1');
    const given = await tryBytes(target, sent, { is, ending, answers: statuses.length });
    const isRight = given.fault === undefined && String(given.statuses) === String(statuses);
    if (!isRight) failed[name] = given;
  }
  return failed;
}

verifies(
  'door:fuzz',
  'bytes that are easily taken wrongly are taken as they should be',
  async () => {
    const daemon = await createHome().serve(['--conformance']);
    expect(await failing(CASES, daemon.url)).toEqual({});
  },
);

verifies('http:limits', 'a stream asked for behind a call goes with its connection', async () => {
  const daemon = await createHome().serve(['--conformance']);
  const before = await readGauges(daemon);
  await dropBehindACall(daemon.url);
  await expect.poll(() => leftOver(daemon, before)).toEqual(NOTHING);
});

verifies('http:limits', 'a body in the smallest of chunks takes little room', async () => {
  const daemon = await createHome().serve();
  const before = await readGauges(daemon);
  await sendSmallChunks(daemon.url);
  const after = await readGauges(daemon);
  expect(after.residentBytes - before.residentBytes).toBeLessThan(MANY_BYTES);
});

/**
 * Sends a call and a request for a stream in one go, and resets the connection while the call runs.
 */
async function dropBehindACall(url: string): Promise<void> {
  const { host, hostname, port } = new URL(url);
  const method = 'subscriptions/listen';
  const params = { notifications: { toolsListChanged: true }, _meta: claim() };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method, params });
  const headers = `MCP-Protocol-Version: ${MODERN}\r\nMcp-Method: ${method}\r\n`;
  const listen = post(host, `${headers}Content-Length: ${body.length}\r\n`, body);
  const socket = connect(Number(port), hostname);
  socket.write(`${call(host, 'test_tool_with_progress')}${listen}`);
  // The first step of the call.
  await once(socket, 'data');
  socket.resetAndDestroy();
}

/**
 * A megabyte in chunks of one byte, and then what is no chunk, so that its answer says that all of
 * it was read.
 */
async function sendSmallChunks(url: string): Promise<void> {
  const { host, hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.write(post(host, 'Transfer-Encoding: chunked\r\n', ''));
  for (let sent = 0; sent < 20; sent++) {
    if (!socket.write('1\r\nx\r\n'.repeat(50_000))) await once(socket, 'drain');
  }
  socket.write('none\r\n');
  await once(socket, 'data');
}
