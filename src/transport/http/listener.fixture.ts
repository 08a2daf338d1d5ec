import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { createIds } from '#core/ids.ts';
import type { Log, Metrics, SpanOptions, Tracer } from '#core/telemetry/telemetry.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { get as getUrl, type Answer } from '../../../test/http-get.ts';
import { startListener, type HttpListener, type ListenerOptions } from './listener.ts';
import type { Route } from './route-dispatcher.ts';
import { jsonReply } from './reply.ts';

/** Trusts callers with the token; without one, all callers. */
export function bears(token: string | undefined): ListenerOptions['isTrusted'] {
  return async (given) => token === undefined || given === token;
}

export function okRoute(path: string): Route {
  return { method: 'GET', path, access: 'open', handle: () => jsonReply(200, { path }) };
}

export function slowRoute() {
  let finish = () => {};
  let begin = () => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const route: Route = {
    ...okRoute('/slow'),
    async handle() {
      begin();
      await finished;
      return jsonReply(200, {});
    },
  };
  return { route, begun, finish: () => finish() };
}

export async function listen(routes: Route[], options: Partial<ListenerOptions> = {}) {
  const clock = createFakeClock();
  const logged: string[] = [];
  const note = (event: string) => void logged.push(event);
  const log: Log = { info: note, warn: note, error: note, with: () => log };
  const listener = await startListener({
    host: '127.0.0.1',
    port: 0,
    routes,
    isTrusted: bears(undefined),
    clock,
    newId: createIds(clock, (bytes) => new Uint8Array(bytes)),
    log,
    metrics: NO_METRICS,
    tracer: NO_TRACER,
    ...options,
  });
  onTestFinished(() => listener.drain(0));
  return { listener, clock, logged };
}

const NO_METRICS: Metrics = {
  counter: () => ({ add: () => undefined }),
  histogram: () => ({ observe: () => undefined }),
  gauge: () => undefined,
};

const NO_TRACER: Tracer = {
  span: (_name, _options, work) =>
    work({ traceId: '0'.repeat(32), traceparent: undefined, set: () => undefined }),
};

/** Records the attributes of each span. */
export function recordingTracer() {
  const spans: { name: string; options: SpanOptions; set: object; outcome: string }[] = [];
  const tracer: Tracer = {
    async span(name, options, work) {
      const span = { name, options, set: {}, outcome: 'ok' };
      spans.push(span);
      const note = (key: string, value: unknown) => void Object.assign(span.set, { [key]: value });
      try {
        return await work({ traceId: '', traceparent: undefined, set: note });
      } catch (thrown) {
        span.outcome = CallError.from(thrown).class;
        throw thrown;
      }
    },
  };
  return { tracer, spans };
}

/** Everything that the peer sends until it closes. */
export async function readAll(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

/** The relevant parts of a raw response. */
export function parseAnswer(text: string) {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body: JSON.parse(body) as unknown };
}

export async function open({ bound }: HttpListener): Promise<Socket> {
  const socket = connect(bound.port, bound.host);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

export function get(
  { bound }: HttpListener,
  path: string,
  headers?: Record<string, string>,
  method?: string,
): Promise<Answer> {
  return getUrl(`${bound.url}${path}`, headers, method);
}
