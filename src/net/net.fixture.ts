import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import type { HttpRequest } from '#core/net/http.ts';
import {
  createHttp,
  type Guard,
  type GuardedHttp,
  type HttpOptions,
  type NetworkSettings,
} from './create-http.ts';

export const NO_NETWORK: NetworkSettings = {
  httpProxy: '',
  httpsProxy: '',
  noProxy: '',
  extraCa: '',
};

/** The system clock, because tests of sockets wait for real events. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, then) {
    const timer = setTimeout(then, ms);
    timer.unref();
    return { stop: () => clearTimeout(timer) };
  },
};

export function httpFor<G extends Guard = 'configured'>(
  options: Partial<HttpOptions<G>> = {},
): GuardedHttp<G> {
  const http = createHttp<G>({
    network: NO_NETWORK,
    guard: 'configured' as G,
    clock: realClock,
    ...options,
  });
  onTestFinished(() => http.close());
  return http;
}

export function get(url: string, more: Partial<HttpRequest> = {}): HttpRequest {
  return { method: 'GET', url, headers: {}, signal: new AbortController().signal, ...more };
}

export interface Place<S> {
  readonly server: S;
  readonly port: number;
  readonly url: string;
  /** Every connection so far. */
  readonly sockets: readonly Socket[];
  /** Resolves when no connection is open. */
  untilQuiet(): Promise<void>;
}

/** An HTTP server on loopback, closed after the test. */
export function serve(answer: RequestListener): Promise<Place<Server>> {
  const server = createHttpServer({ keepAliveTimeout: 60_000 }, answer);
  return listen(server);
}

/** A TCP server that sends the bytes of a test. */
export function serveRaw(talk: (socket: Socket) => void): Promise<Place<TcpServer>> {
  return listen(createServer(talk));
}

export async function listen<S extends TcpServer>(server: S): Promise<Place<S>> {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    server,
    port,
    url: `http://127.0.0.1:${port}`,
    sockets,
    async untilQuiet() {
      const open = sockets.filter((socket) => !socket.closed);
      await Promise.all(
        open.map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))),
      );
    },
  };
}

/** Answers the first bytes of a connection with these. */
export function answerWith(bytes: string) {
  return (socket: Socket) => void socket.once('data', () => socket.write(bytes));
}

export async function failureOf(work: Promise<unknown>): Promise<CallError> {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof CallError) return thrown;
  throw new Error(`expected a CallError, got ${String(thrown)}`);
}

export async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
