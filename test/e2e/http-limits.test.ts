import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { leftOver, NOTHING, readGauges } from '../fuzz-http/gauges.ts';
import { createMcpHttp } from '../fuzz-http/mcp-http.ts';
import { get } from '../http-get.ts';
import { verifies } from '../verifies.ts';
import { createHome, type RunningDaemon } from './exai.ts';

const MIB = 1024 * 1024;
const ACCEPT = 'Accept: application/json, text/event-stream';
const OPEN_SSE = 'GET /sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n';
const ASKING = { name: 'test_elicitation', arguments: { message: 'Who are you?' } };
const INTERRUPTED = { id: 9, error: { code: -31_067, data: { error_class: 'interrupted' } } };

/** A plain connection, and what came over it. */
async function dial({ url }: RunningDaemon): Promise<{ socket: Socket; text: () => string }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  let text = '';
  socket.on('data', (chunk: Buffer) => void (text += chunk.toString()));
  await once(socket, 'connect');
  return { socket, text: () => text };
}

function posted(path: string, headers: readonly string[], message: object): string {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  const lines = [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json'];
  return [...lines, ACCEPT, ...headers, `Content-Length: ${body.length}`, '', body].join('\r\n');
}

/**
 * Of a revision whose streams stay: with the fixtures, those of later ones end before their answer.
 */
const CAN_BE_ASKED = {
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'test', version: '1' },
  },
};

async function openSession(daemon: RunningDaemon): Promise<string> {
  const http = createMcpHttp(daemon);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, ...CAN_BE_ASKED });
  const { headers } = await http.send('POST', {}, body);
  http.close();
  return String(headers['mcp-session-id']);
}

/** The last message of a stream. */
function lastOf(text: string): unknown {
  const data = text.match(/^data: (\{.*\})$/gm)?.at(-1) ?? 'data: null';
  return JSON.parse(data.slice('data: '.length));
}

verifies(
  'http:streamable',
  'a call that asks is answered as interrupted when the daemon stops, without waiting',
  async () => {
    const daemon = await createHome().serve(['--conformance'], {
      env: { EXAI_SHUTDOWN_DRAIN_MS: '600000' },
    });
    const session = await openSession(daemon);
    const [streamable, sse, messages] = [
      await dial(daemon),
      await dial(daemon),
      await dial(daemon),
    ];
    const call = { id: 9, method: 'tools/call', params: ASKING };
    streamable.socket.write(posted('/mcp', [`Mcp-Session-Id: ${session}`], call));
    sse.socket.write(OPEN_SSE);
    await expect.poll(() => sse.text()).toContain('sessionId=');
    const path = /^data: (\/messages\S+)$/m.exec(sse.text())?.[1] ?? '';
    messages.socket.write(posted(path, [], { id: 0, ...CAN_BE_ASKED }));
    messages.socket.write(posted(path, [], call));
    for (const { text } of [streamable, sse]) {
      await expect.poll(text).toContain('elicitation/create');
    }
    const closed = [streamable, sse].map(({ socket }) => once(socket, 'close'));
    daemon.kill('SIGTERM');
    await Promise.all(closed);
    for (const { text } of [streamable, sse]) {
      const answer = JSON.stringify(lastOf(text()));
      expect(answer).toContain('"id":9');
      expect(answer).toContain('interrupted');
    }
    expect((await daemon.ended).code).toBe(0);
  },
);

verifies(
  'http:sessions',
  'a call of a session that is deleted is told so, on its stream',
  async () => {
    const daemon = await createHome().serve(['--conformance']);
    const session = await openSession(daemon);
    const { socket, text } = await dial(daemon);
    const headers = [`Mcp-Session-Id: ${session}`, 'Connection: close'];
    socket.write(posted('/mcp', headers, { id: 9, method: 'tools/call', params: ASKING }));
    await expect.poll(text).toContain('elicitation/create');
    const closed = once(socket, 'close');
    const http = createMcpHttp(daemon);
    expect((await http.endSession(session)).status).toBe(204);
    http.close();
    await closed;
    expect(lastOf(text())).toMatchObject(INTERRUPTED);
  },
);

verifies('http:limits', 'streams behind a stream are gone with their connection', async () => {
  const daemon = await createHome().serve(['--conformance']);
  const before = await readGauges(daemon);
  const { socket } = await dial(daemon);
  socket.write(OPEN_SSE.repeat(200));
  await expect.poll(async () => (await readGauges(daemon)).sessions).toBe(200);
  socket.destroy();
  await expect.poll(() => leftOver(daemon, before)).toEqual(NOTHING);
});

verifies('http:limits', 'a body in pieces of one byte takes little memory', async () => {
  const daemon = await createHome().serve();
  const { socket } = await dial(daemon);
  const before = await readGauges(daemon);
  const head = ['POST /mcp HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', ACCEPT];
  socket.write([...head, 'Transfer-Encoding: chunked', '', ''].join('\r\n'));
  const pieces = '1\r\n \r\n'.repeat(10_000);
  for (let sent = 0; sent < 200; sent++) {
    if (!socket.write(pieces)) await once(socket, 'drain');
  }
  const { residentBytes } = await readGauges(daemon);
  const grown = Math.round((residentBytes - before.residentBytes) / MIB);
  console.log(`2 MB in pieces of one byte: ${grown} MiB`);
  expect(grown).toBeLessThan(250);
});

verifies('http:limits', 'one client cannot shut out the owner', async () => {
  const home = createHome();
  const token = 'the-token-of-the-owner-is-this-long';
  const daemon = await home.serve([], {
    env: { EXAI_TOKEN: token, EXAI_LIMITS_CONNECTIONS: '10' },
  });
  const added = await home.exai(['access', 'add', 'low', '--scope', 'read:version', '--json']);
  const low = (JSON.parse(added.stdout) as { token: string }).token;
  const owner = createMcpHttp({ url: daemon.url, token });
  const mine = await owner.openSession();
  const held: (() => string)[] = [];
  for (let n = 0; n < 40; n++) {
    const { socket, text } = await dial(daemon);
    socket.write(OPEN_SSE.replace('\r\n\r\n', `\r\nAuthorization: Bearer ${low}\r\n\r\n`));
    held.push(text);
  }
  const begins = (words: string) => held.filter((text) => text().startsWith(`HTTP/1.1 ${words}`));
  await expect.poll(() => begins('').length).toBe(40);
  expect([begins('200').length, begins('503').length]).toEqual([5, 35]);
  expect((await owner.inSession(mine, { id: 1, method: 'ping' })).status).toBe(200);
  await owner.openSession();
  expect((await get(`${daemon.url}/healthz`)).status).toBe(200);
  owner.close();
});
