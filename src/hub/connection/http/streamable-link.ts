import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { reason } from '#core/messages/reasons.ts';
import { LightAbortController, type AbortSignalLike } from '#core/net/abort.ts';
import type { HttpResponse } from '#core/net/http.ts';
import type { Clock } from '#core/time/clock.ts';
import { isObject } from '#mcp/json-rpc.ts';
import { VERSION_KEY } from '#mcp/meta-keys.ts';
import { MODERN_VERSION } from '#mcp/protocol-versions.ts';
import type { LinkHandlers, MessageFacts, MessageLink } from '../message-link.ts';
import { protocolError } from '../rpc-client.ts';
import { createEventReader } from './event-reader.ts';
import { createHttpExchange, discard, essenceOf, type HttpLinkOptions } from './http-exchange.ts';
import { standardHeaders } from './standard-headers.ts';

const ACCEPT = 'application/json, text/event-stream';
const EVENT_STREAM = 'text/event-stream';
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
/** How long the server has to take notice that the session is over. */
const GOODBYE_MS = 1_000;

interface StreamableOptions extends HttpLinkOptions {
  readonly clock: Clock;
}

/**
 * MCP over Streamable HTTP: each message is a request. A response comes as JSON or as a stream, and
 * a stream that breaks off is resumed. In the older era there is a session, and one more stream for
 * what the server sends of itself.
 */
export function openStreamableLink(
  options: StreamableOptions,
  handlers: LinkHandlers,
): MessageLink {
  const { server, clock, maxMessageBytes } = options;
  const exchange = createHttpExchange(options);
  /** Requests without a response, by id. */
  const running = new Map<number, LightAbortController>();
  const listening = new LightAbortController();
  let sessionId: string | undefined;
  let version: string | undefined;
  let initializeId: number | undefined;
  let isModern = false;
  let unsentBytes = 0;
  let isOver = false;

  function end(error: CallError): void {
    if (isOver) return;
    isOver = true;
    listening.abort(error);
    for (const [, canceller] of running) canceller.abort(error);
    running.clear();
    handlers.onClose(error);
  }

  function sessionHeaders(): Record<string, string> {
    return {
      ...(sessionId !== undefined && { 'mcp-session-id': sessionId }),
      ...(version !== undefined && { 'mcp-protocol-version': version }),
    };
  }

  function headersOf(facts: MessageFacts | undefined): Record<string, string> {
    const content = { accept: ACCEPT, 'content-type': 'application/json' };
    if (facts?.method === 'initialize') return content;
    const meta = facts?.params['_meta'];
    if (isObject(meta) && typeof meta[VERSION_KEY] === 'string' && facts) {
      return { ...facts.headers, ...content, ...standardHeaders(facts, meta[VERSION_KEY]) };
    }
    return { ...content, ...sessionHeaders(), ...(isModern && MODERN_HEADER) };
  }

  function noteEra({ id, method }: MessageFacts): void {
    if (method === 'initialize') {
      sessionId = undefined;
      version = undefined;
      isModern = false;
      initializeId = id;
    } else if (method === 'server/discover') isModern = true;
  }

  async function post(json: string, facts: MessageFacts | undefined): Promise<void> {
    const id = facts?.id;
    const canceller = new LightAbortController();
    if (id !== undefined) running.set(id, canceller);
    unsentBytes += json.length;
    try {
      const sent = exchange.send({
        method: 'POST',
        headers: headersOf(facts),
        body: json,
        signal: canceller,
      });
      const response = await sent.finally(() => (unsentBytes -= json.length));
      await take(response, facts, canceller);
    } catch (thrown) {
      if (canceller.aborted) return;
      failed(id, CallError.from(thrown));
    } finally {
      if (id !== undefined) running.delete(id);
    }
  }

  function failed(id: number | undefined, error: CallError): void {
    const code = error.reason?.code;
    if (code === 'server_session_ended') return end(error);
    if (id !== undefined) handlers.onFailed(id, error);
  }

  async function take(
    response: HttpResponse,
    facts: MessageFacts | undefined,
    signal: AbortSignalLike,
  ): Promise<void> {
    const { status } = response;
    const id = facts?.id;
    if (status === 404 && sessionId !== undefined) {
      await discard(response);
      throw sessionEnded();
    }
    if (status < 200 || status > 299) {
      const refusal = await exchange.refusal(response);
      if (refusal instanceof CallError) throw refusal;
      // Many servers answer so where the specification wants 404.
      if (sessionId !== undefined && isAboutSession(status, refusal.message)) throw sessionEnded();
      // An error of the request comes with its id, or with none where it could not be read.
      if (id !== undefined) handlers.onMessage({ ...(refusal.message as object), id });
      return;
    }
    if (facts?.method === 'initialize') sessionId = response.headers['mcp-session-id'];
    if (id === undefined) {
      await discard(response);
      if (facts?.method === 'notifications/initialized') void listen();
      return;
    }
    await takeResponse(response, id, signal);
  }

  function sessionEnded(): CallError {
    return codedError('network', reason('server_session_ended', { server }));
  }

  async function takeResponse(response: HttpResponse, id: number, signal: AbortSignalLike) {
    const mediaType = essenceOf(response);
    if (mediaType === EVENT_STREAM) return readUntilAnswered(response, id, signal);
    if (mediaType !== 'application/json') {
      await discard(response);
      const given = mediaType === '' ? 'no content type' : `the content type ${mediaType}`;
      throw protocolError(server, `answers a request with ${given}`);
    }
    const body = await exchange.readBody(response);
    if (body === undefined) return handlers.onOversized(id);
    const parsed = await parsedBody(body);
    const messages: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
    const [first] = messages;
    // An error without an id is about the request, as no other answer comes.
    const isUnnamed =
      messages.length === 1 && isObject(first) && isObject(first['error']) && first['id'] == null;
    const answered = messages.map((each) => deliver(isUnnamed ? { ...first, id } : each, id));
    if (answered.includes(id)) return;
    throw protocolError(server, 'answers a request with JSON that is not the response to it');
  }

  async function parsedBody(body: Buffer): Promise<unknown> {
    try {
      return await exchange.parse(body);
    } catch {
      throw protocolError(server, 'answers a request with something that is not JSON');
    }
  }

  /** Passes a message on; returns the id if it is a response. */
  function deliver(message: unknown, requestId: number | undefined): unknown {
    const isResponse = isObject(message) && !('method' in message);
    if (isResponse && initializeId !== undefined && message['id'] === initializeId) {
      initializeId = undefined;
      const result = message['result'];
      const given = isObject(result) ? result['protocolVersion'] : undefined;
      if (typeof given === 'string') version = given;
    }
    handlers.onMessage(message, requestId);
    return isResponse ? message['id'] : undefined;
  }

  /** Reads a stream to its end, or to the response of this request. */
  async function read(
    response: HttpResponse,
    id: number | undefined,
    from: string | undefined,
  ): Promise<{
    isAnswered: boolean;
    lastEventId: string | undefined;
    retryMs: number | undefined;
  }> {
    const reader = createEventReader(maxMessageBytes);
    let isAnswered = false;
    try {
      for await (const chunk of response.body) {
        for (const { name, data } of reader.push(chunk)) {
          if (name !== 'message') continue;
          if (data === 'too_large') {
            handlers.onOversized(id);
            isAnswered ||= id !== undefined;
          } else if (data.length > 0) {
            const answered = await deliverEvent(data, id);
            isAnswered ||= id !== undefined && answered === id;
          }
        }
      }
    } catch (thrown) {
      // A broken stream is resumed like one that ended.
      if (isOver || CallError.from(thrown).class === 'cancelled') throw thrown;
    }
    return { isAnswered, lastEventId: reader.lastEventId ?? from, retryMs: reader.retryMs };
  }

  async function deliverEvent(data: Buffer, id: number | undefined): Promise<unknown> {
    try {
      return deliver(await exchange.parse(data), id);
    } catch {
      handlers.onNoise(data.subarray(0, 500).toString('utf8'));
      return undefined;
    }
  }

  async function readUntilAnswered(
    response: HttpResponse,
    id: number,
    signal: AbortSignalLike,
  ): Promise<void> {
    let { isAnswered, lastEventId, retryMs } = await read(response, id, undefined);
    for (let delayMs = FIRST_RETRY_MS; !isAnswered; delayMs = Math.min(delayMs * 2, MAX_RETRY_MS)) {
      signal.throwIfAborted();
      // Without an id there is nothing to resume from.
      if (lastEventId === undefined) {
        throw codedError('network', reason('server_hung_up', { server }));
      }
      await pause(retryMs ?? delayMs, signal);
      const resumed = await get(lastEventId, signal);
      if (resumed) ({ isAnswered, lastEventId, retryMs } = await read(resumed, id, lastEventId));
      else if (delayMs === MAX_RETRY_MS) {
        throw codedError('network', reason('server_hung_up', { server }));
      }
    }
  }

  /** Opens a stream; undefined if the server has none, or cannot be reached now. */
  async function get(
    lastEventId: string | undefined,
    signal: AbortSignalLike,
  ): Promise<HttpResponse | undefined> {
    const headers = {
      accept: EVENT_STREAM,
      ...sessionHeaders(),
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    };
    const response = await exchange.send({ method: 'GET', headers, signal }).catch(() => undefined);
    if (!response) return undefined;
    if (response.status === 200 && essenceOf(response) === EVENT_STREAM) return response;
    await discard(response);
    if (response.status === 404 && sessionId !== undefined) throw sessionEnded();
    if (response.status === 405) throw codedError('network', reason('server_hung_up', { server }));
    return undefined;
  }

  /** What the server sends of itself, until the link ends. Servers without such a stream answer 405. */
  async function listen(): Promise<void> {
    let lastEventId: string | undefined;
    let delayMs = FIRST_RETRY_MS;
    try {
      while (!isOver) {
        const response = await get(lastEventId, listening);
        let retryMs: number | undefined;
        if (response) {
          ({ lastEventId, retryMs } = await read(response, undefined, lastEventId));
          delayMs = FIRST_RETRY_MS;
        }
        await pause(retryMs ?? delayMs, listening);
        delayMs = Math.min(delayMs * 2, MAX_RETRY_MS);
      }
    } catch (thrown) {
      failed(undefined, CallError.from(thrown));
    }
  }

  function pause(ms: number, signal: AbortSignalLike): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        timer.stop();
        reject(CallError.from(signal.reason));
      };
      const timer = clock.after(ms, () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      });
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Tells the server that the session is over. */
  async function leave(): Promise<void> {
    if (sessionId === undefined) return;
    const canceller = new LightAbortController();
    const timer = clock.after(GOODBYE_MS, () => canceller.abort(new Error('time is up')));
    await exchange
      .send({ method: 'DELETE', headers: sessionHeaders(), signal: canceller })
      .then(discard, () => undefined);
    timer.stop();
  }

  return {
    send(json, facts) {
      if (isOver) return;
      if (facts) noteEra(facts);
      // There a request is cancelled by the end of its stream.
      if (isModern && facts?.method === 'notifications/cancelled') return;
      void post(json, facts);
    },
    abandon(id) {
      running.get(id)?.abort(new CallError('cancelled', 'The response is not needed.'));
    },
    get unsentBytes() {
      return unsentBytes;
    },
    async close() {
      if (!isOver) end(codedError('interrupted', reason('server_stopped', { server })));
      await leave();
      await options.http.close();
    },
  };
}

/** An error that names no request, and that is not about its content. */
function isAboutSession(status: number, message: unknown): boolean {
  const { id, error } = message as { readonly id?: unknown; readonly error: unknown };
  const code = isObject(error) ? error['code'] : undefined;
  return status === 400 && (id === null || id === undefined) && code === SERVER_ERROR;
}

/** The first code that JSON-RPC leaves to servers. */
const SERVER_ERROR = -32_000;

const MODERN_HEADER = { 'mcp-protocol-version': MODERN_VERSION };
