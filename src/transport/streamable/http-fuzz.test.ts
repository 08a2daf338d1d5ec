import fc from 'fast-check';
import { expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { ask, dial, initialize, MODERN, startMcpHttp, rpc } from './mcp-http.fixture.ts';

const header = fc.constantFrom(
  'content-type: application/json',
  'content-type: text/plain',
  'accept: application/json, text/event-stream',
  'accept: */*',
  'accept: text/event-stream',
  'accept: ;;q=,,',
  'mcp-session-id: session-1',
  'mcp-session-id: nobody',
  'mcp-session-id: ',
  'mcp-protocol-version: 2025-11-25',
  `mcp-protocol-version: ${MODERN}`,
  'mcp-protocol-version: \u00ff',
  'mcp-method: tools/list',
  'mcp-name: =?base64?%%?=',
  'last-event-id: 0-0',
  'last-event-id: __proto__',
  'origin: https://app.example',
  'origin: null',
  'authorization: Bearer wrong',
  'authorization: Basic x',
  'content-encoding: gzip',
  'expect: 100-continue',
  'connection: close',
  'connection: upgrade',
  'upgrade: h2c',
);

const body = fc.oneof(
  fc.constantFrom(
    '',
    '[]',
    'null',
    '{"jsonrpc":"2.0"}',
    rpc('initialize', { protocolVersion: '2025-11-25' }),
    rpc('work'),
    rpc('notifications/cancelled', { requestId: 1 }, null),
    rpc('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': MODERN } }),
    '{"jsonrpc":"2.0","id":1,"method":"__proto__","params":{"__proto__":{"_meta":1}}}',
  ),
  fc.json(),
  fc.string({ unit: 'binary' }),
);

const request = fc.record({
  method: fc.constantFrom(
    'POST',
    'POST',
    'POST',
    'GET',
    'DELETE',
    'OPTIONS',
    'HEAD',
    'PUT',
    'BREW',
  ),
  path: fc.constantFrom(
    '/mcp',
    '/mcp',
    '/mcp?x',
    '/sse',
    '/messages',
    '/messages?sessionId=x',
    '/%',
    '//[',
  ),
  headers: fc.array(header, { maxLength: 8 }),
  body,
  framing: fc.constantFrom('length', 'chunked', 'one byte chunks', 'bad chunk', 'short', 'none'),
  end: fc.constantFrom('stay', 'half-close', 'vanish'),
});

function framed({ method, path, headers, body: text, framing }: FuzzedRequest): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'host: localhost', ...headers];
  const bytes = Buffer.byteLength(text);
  const head = (more: string[]) => [...lines, ...more, '', ''].join('\r\n');
  switch (framing) {
    case 'length':
      return head([`content-length: ${bytes}`]) + text;
    case 'short':
      return head([`content-length: ${bytes + 10}`]) + text;
    case 'chunked':
      return `${head(['transfer-encoding: chunked'])}${bytes.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
    case 'one byte chunks': {
      const ascii = text.replaceAll(/[^ -~]/g, '?');
      const chunks = ascii.split('').map((char) => `1\r\n${char}\r\n`);
      return `${head(['transfer-encoding: chunked'])}${chunks.join('')}0\r\n\r\n`;
    }
    case 'bad chunk':
      return `${head(['transfer-encoding: chunked'])}zz\r\n${text}`;
    case 'none':
      return head([]) + text;
  }
}

type FuzzedRequest = typeof request extends fc.Arbitrary<infer T> ? T : never;

verifies(
  'http:limits',
  'whatever is sent, it is answered by HTTP or disconnected, and all others are served',
  async () => {
    const { port, logged, mcps, mcpHttp, clock } = await startMcpHttp({ maxSessions: 50 });
    await initialize(port);
    await fc.assert(
      fc.asyncProperty(request, async (fuzzed) => {
        const socket = await dial(port);
        let answer = '';
        socket.on('data', (chunk: Buffer) => void (answer += chunk.toString('latin1')));
        const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
        socket.write(framed(fuzzed));
        if (fuzzed.end === 'vanish') socket.destroy();
        else if (fuzzed.end === 'half-close') socket.end();
        const good = await ask(port, { body: rpc('initialize', { protocolVersion: 'x' }) });
        expect(good.status).toBe(200);
        if (answer !== '') expect(answer).toMatch(/^HTTP\/1\.1 \d{3} /);
        socket.destroy();
        await closed;
      }),
      { numRuns: 300 },
    );
    expect(logged.filter((event) => event === 'http_failed')).toEqual([]);
    expect(mcpHttp.size).toBeLessThanOrEqual(100);
    const drained = mcpHttp.drain(0);
    clock.advance(0);
    await drained;
    expect([mcpHttp.size, mcps.filter(({ closes }) => closes !== 1).length]).toEqual([0, 0]);
  },
);
