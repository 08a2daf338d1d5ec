import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { Caller } from '#core/calls/call.ts';
import { createIds } from '#core/ids.ts';
import type { Log, Metrics, Tracer } from '#core/telemetry/telemetry.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { RpcRequest } from '#mcp/read-message.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createReceiveBuffers, MAX_RECEIVE_BUFFER_BYTES } from '../http/receive-buffers.ts';
import { startListener, type ListenerLimits } from '../http/listener.ts';
import type { Route } from '../http/route-dispatcher.ts';
import { createFakeMcps, type FakeMcp } from './fake-mcp.fixture.ts';
import { messagesOf, readEvents, type SeenEvent } from './fake-sink.fixture.ts';
import { createMcpHttp, type McpHttpOptions } from './mcp-http.ts';

export const OWNER: Caller = { principal: 'local', scopes: ['*'], roots: [] };

/**
 * MCP over HTTP on a real port, with sessions that behave as the test wants. A request without a
 * token is from the owner.
 */
export async function startMcpHttp(
  options: Partial<McpHttpOptions> & {
    onRequest?: (session: FakeMcp, message: RpcRequest) => void;
    tools?: Readonly<Record<string, Pick<Tool, 'inputSchema'>>>;
    limits?: ListenerLimits;
    maxConnections?: number;
    routes?: readonly Route[];
  } = {},
) {
  const clock = createFakeClock();
  const logged: string[] = [];
  const note = (event: string) => void logged.push(event);
  const log: Log = { info: note, warn: note, error: note, with: () => log };
  const counted: string[] = [];
  const timed: number[] = [];
  const gauges = new Map<string, () => number>();
  const metrics: Metrics = {
    counter: () => ({ add: (labels = {}) => void counted.push(Object.values(labels).join(' ')) }),
    histogram: () => ({ observe: (value) => void timed.push(value) }),
    gauge: (name, _help, give) => void gauges.set(name, give),
  };
  const mcps = createFakeMcps(options.onRequest ?? ((session, { id }) => session.answer(id)));
  let made = 0;
  const mcpHttp = createMcpHttp({
    openMcp: mcps.openMcp,
    authenticator: {
      isCredentialValid: () => true,
      async authenticate({ token }) {
        if (token === 'wrong')
          throw new CallError('auth', 'The token is wrong.', { fix: 'Get one.' });
        return token === undefined ? OWNER : { ...OWNER, principal: token, credential: token };
      },
    },
    find: (name) => options.tools?.[name] as Tool | undefined,
    clock,
    newSession: () => `session-${++made}`,
    maxBodyBytes: 4 * 1024 * 1024,
    receiveBuffers: createReceiveBuffers({ maxBytes: MAX_RECEIVE_BUFFER_BYTES, clock }),
    maxSessions: 2000,
    sessionIdleMs: 1_800_000,
    streamAfterMs: 1000,
    streamForMs: 0,
    sseKeepaliveMs: 15_000,
    metrics,
    ...options,
  });
  let ids = 0;
  const listener = await startListener({
    host: '127.0.0.1',
    port: 0,
    routes: options.routes ?? [],
    endpoints: mcpHttp.endpoints,
    origins: ['https://app.example'],
    isTrusted: async () => true,
    clock,
    newId: createIds(clock, (bytes) => new Uint8Array(bytes).fill(ids++)),
    log,
    metrics,
    tracer: NO_TRACER,
    ...(options.limits && { limits: options.limits }),
    ...(options.maxConnections && { maxConnections: options.maxConnections }),
  });
  onTestFinished(async () => {
    await Promise.all([mcpHttp.drain(0), listener.drain(0), Promise.resolve(clock.advance(0))]);
  });
  const { port } = listener.bound;
  return { mcpHttp, listener, clock, logged, counted, timed, gauges, mcps: mcps.sessions, port };
}

const NO_TRACER: Tracer = {
  isOff: true,
  span: (_name, _options, work) =>
    work({ traceId: '0'.repeat(32), traceparent: undefined, set: () => undefined }),
};

export interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface TestRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

const USUAL = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Sends a request and gives its response, of which nothing is read yet. */
export function send(port: number, asked: TestRequest): Promise<IncomingMessage> {
  const { method = 'POST', path = '/mcp', body } = asked;
  // An empty text leaves a header out.
  const headers = Object.entries({ ...(method === 'POST' && USUAL), ...asked.headers });
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: Object.fromEntries(headers.filter(([, value]) => value !== '')),
        agent: false,
      },
      resolve,
    );
    onTestFinished(() => void call.destroy());
    call.on('error', reject);
    // For other methods Node sets no content length by default.
    call.end(method === 'POST' ? body : undefined);
  });
}

/** The whole answer. */
export async function ask(port: number, asked: TestRequest): Promise<Got> {
  const response = await send(port, asked);
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}

export interface Reading {
  readonly response: IncomingMessage;
  events(): SeenEvent[];
  messages(): string[];
  text(): string;
  /** Until so many messages have come. */
  until(count: number): Promise<string[]>;
  readonly ended: Promise<void>;
  hangUp(): void;
}

/** An answer that streams, read as it comes. */
export async function listen(port: number, asked: TestRequest): Promise<Reading> {
  const response = await send(port, asked);
  let body = '';
  let tell: () => void = () => undefined;
  response.on('data', (chunk) => {
    body += String(chunk);
    tell();
  });
  // A stream that is cut is what some tests are about.
  response.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => void response.once('close', resolve));
  const reading: Reading = {
    response,
    events: () => readEvents(body),
    messages: () => messagesOf(readEvents(body)),
    text: () => body,
    async until(count) {
      while (reading.messages().length < count) {
        await new Promise<void>((resolve) => (tell = resolve));
      }
      return reading.messages();
    },
    ended,
    hangUp: () => void response.destroy(),
  };
  return reading;
}

export function rpc(method: string, params?: object, id: number | string | null = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', ...(id !== null && { id }), method, params });
}

export const MODERN = '2026-07-28';

/** A request of the stateless era with its headers. */
export function modern(method: string, params: Record<string, unknown> = {}): TestRequest {
  const { name } = params;
  return {
    headers: {
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
    body: rpc(method, {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': MODERN,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    }),
  };
}

/** Opens a session and gives the header that names it. */
export async function initialize(
  port: number,
  headers: Readonly<Record<string, string>> = {},
  protocolVersion = '2025-11-25',
): Promise<Record<string, string>> {
  const got = await ask(port, { headers, body: rpc('initialize', { protocolVersion }, 'init') });
  return { ...headers, 'mcp-session-id': String(got.headers['mcp-session-id']) };
}

/** Until a condition holds, looking again after every turn of the event loop. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

/** A plain socket. */
export async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}
