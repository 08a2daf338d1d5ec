import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';
import { WebSocket, type ClientOptions } from 'ws';
import { CallError } from '#core/errors/call-error.ts';
import { createIds } from '#core/ids.ts';
import type { Labels, Log, Metrics, Tracer } from '#core/telemetry/telemetry.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import type { Channel, ConnectionInfo, Session } from '../channel.ts';
import { createReceiveBuffers, MAX_RECEIVE_BUFFER_BYTES } from '../http/receive-buffers.ts';
import { startListener } from '../http/listener.ts';
import { createWsServer, type WsServerOptions } from './ws-server.ts';

/** A session that records its events; tests override its handlers. */
export interface RecordedSession extends Session {
  readonly channel: Channel;
  readonly opening: ConnectionInfo;
  readonly messages: string[];
  closes: number;
}

type Behaviour = (session: RecordedSession) => Partial<Session>;

/** A WebSocket server on a real port. By default its sessions echo. */
export async function startWsServer(
  options: Partial<WsServerOptions> & {
    behave?: Behaviour;
    /** `late`: the session authenticates itself; default: at once. */
    identified?: 'at_once' | 'late';
    /** Memory budget for incomplete messages. */
    maxArrivingBytes?: number;
    /** Called for each socket before the upgrade. */
    onUpgrade?: (socket: Duplex) => void;
  } = {},
) {
  const { behave = echo, onUpgrade, identified = 'at_once' } = options;
  const { maxArrivingBytes = MAX_RECEIVE_BUFFER_BYTES } = options;
  const clock = createFakeClock();
  const logged: string[] = [];
  const note = (event: string) => void logged.push(event);
  const log: Log = { info: note, warn: note, error: note, with: () => log };
  const counted: string[] = [];
  const metrics: Metrics = {
    counter: (name) => ({
      add: (labels: Labels = {}) => void counted.push(`${name} ${labels['class']}`),
    }),
    histogram: () => ({ observe: () => undefined }),
    gauge: () => undefined,
  };
  const sessions: RecordedSession[] = [];
  const receiveBuffers = createReceiveBuffers({ maxBytes: maxArrivingBytes, clock });
  const server = createWsServer({
    openSession(channel, opening) {
      const session: RecordedSession = {
        channel,
        opening,
        messages: [],
        closes: 0,
        onMessage: (text: string) => void session.messages.push(text),
        onEnd: () => undefined,
        onClose: () => void (session.closes += 1),
        drain: () => Promise.resolve(),
        interrupt: () => undefined,
      };
      sessions.push(session);
      if (identified === 'at_once') channel.identified?.('local');
      return Object.assign(session, behave(session));
    },
    identify: async (token) => {
      if (token === 'wrong') throw new CallError('auth', 'The token is wrong.');
      return { principal: token === 'a secret' ? 'local' : token };
    },
    receiveBuffers,
    hosts: ['exai.lan'],
    origins: ['https://app.example'],
    clock,
    newSession: () => `session-${sessions.length}`,
    maxFrameBytes: 1024 * 1024,
    pingIntervalMs: 45_000,
    deadAfterMs: 120_000,
    maxConnections: 2000,
    log,
    metrics,
    ...options,
  });
  const listener = await startListener({
    host: '127.0.0.1',
    port: 0,
    routes: [],
    isTrusted: async () => true,
    clock,
    newId: createIds(clock, (bytes) => new Uint8Array(bytes)),
    log,
    metrics: { ...metrics, counter: () => ({ add: () => undefined }) },
    tracer: NO_TRACER,
    upgrade(request, socket, head) {
      onUpgrade?.(socket);
      server.upgrade(request, socket, head);
    },
  });
  onTestFinished(async () => {
    const drained = server.drain(0);
    clock.advance(1000);
    await Promise.all([drained, listener.drain(0)]);
  });
  return {
    server,
    listener,
    clock,
    logged,
    counted,
    sessions,
    receiveBuffers,
    port: listener.bound.port,
  };
}

function echo({ channel }: RecordedSession): Partial<Session> {
  return { onMessage: (text: string) => channel.send(text) };
}

const NO_TRACER: Tracer = {
  span: (_name, _options, work) =>
    work({ traceId: '0'.repeat(32), traceparent: undefined, set: () => undefined }),
};

/** An open client. */
export async function connectWs(
  port: number,
  options: ClientOptions & { path?: string; protocols?: string[] } = {},
): Promise<WebSocket> {
  const { path = '/', protocols = [], ...rest } = options;
  const client = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols, rest);
  onTestFinished(() => client.terminate());
  await once(client, 'open');
  // The tests check the close event that follows.
  client.on('error', () => undefined);
  return client;
}

/** Sends a text and waits for its echo. */
export async function ask(client: WebSocket, text: string): Promise<string> {
  const answer = nextMessage(client);
  client.send(text);
  return answer;
}

export async function nextMessage(client: WebSocket): Promise<string> {
  const [data] = (await once(client, 'message')) as [Buffer];
  return data.toString();
}

export async function closeOf(client: WebSocket): Promise<{ code: number; reason: string }> {
  const [code, reason] = (await once(client, 'close')) as [number, Buffer];
  return { code, reason: reason.toString() };
}

export const HANDSHAKE = [
  'Host: localhost',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

/** A plain socket that has sent an upgrade request only. */
export async function dial(port: number, headers = HANDSHAKE, line = 'GET /ws'): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`${line} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
  return socket;
}

/** A short frame as a client sends it, masked with zeros. */
export function clientFrame(opcode: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}

/** Waits until a condition holds, checking on every turn of the event loop. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
