import { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { ServerRequest } from '#core/hub/upstream.ts';
import type { JsonObject } from '#core/json/json.ts';
import { reason } from '#core/messages/reasons.ts';
import { LightAbortController } from '#core/net/abort.ts';
import { oneLine } from '#core/text/text.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  RESOURCE_NOT_FOUND,
  isObject,
  isRequestId,
  rpcErrorResponse,
  rpcResultResponse,
  type Members,
  type RequestId,
} from '#mcp/json-rpc.ts';
import type { ConnectionFault, ConnectionHandlers, UpstreamRequestOptions } from './connection.ts';
import type { MessageFacts } from './message-link.ts';
import { toProgress, toLogMessage } from './notifications.ts';

export interface RpcClientOptions {
  readonly server: string;
  readonly clock: Clock;
  /** Sends a message as JSON; without facts it is a response. */
  readonly send: (json: string, facts?: MessageFacts) => void;
  /** The response of this request is no longer awaited. */
  readonly abandon: (id: number) => void;
  readonly handlers: Omit<ConnectionHandlers, 'onClose'>;
}

/** The client side of JSON-RPC on one connection, in either era. */
export interface RpcClient {
  request(method: string, params: JsonObject, options: UpstreamRequestOptions): Promise<JsonObject>;
  notify(method: string, params?: JsonObject): void;
  readonly pending: number;
  /** Takes a parsed message of the server, and the request that it came in answer to, if known. */
  receive(message: unknown, requestId?: number): void;
  /** A response of this request was too large; undefined: it is not known of which. */
  receiveOversized(id: number | undefined, maxBytes: number): void;
  /** Fails one pending request. */
  fail(id: number, error: CallError): void;
  /** Fails all pending requests, and every later one. */
  end(error: CallError): void;
}

interface Pending {
  readonly id: number;
  readonly options: UpstreamRequestOptions;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: CallError) => void;
  timer: Timer | undefined;
  /** In monotonic time; while the server waits for an answer, what is left instead. */
  dueAt: number;
  /** Requests of the server that are being answered as a part of this one. */
  answering: number;
  readonly onLate: () => void;
  readonly onAbort: (() => void) | undefined;
}

/** A request of the server that is being answered. */
interface Answering {
  readonly signal: LightAbortController;
  /** The call that it belongs to. */
  readonly of: Pending | undefined;
}

const MAX_ERROR_CHARS = 1_000;
const MAX_NOTE_CHARS = 500;
/** Ids of requests that were given up, whose answers may still come. */
const MAX_GIVEN_UP = 256;
/** Requests of one server that are answered at once. */
const MAX_ANSWERING = 64;
const NOT_NEEDED = new CallError('cancelled', 'The answer is no longer needed.');

export function createRpcClient(options: RpcClientOptions): RpcClient {
  const { server, clock, send, handlers } = options;
  const pending = new Map<number, Pending>();
  const givenUp = new Set<number>();
  const answering = new Map<RequestId, Answering>();
  let lastId = 0;
  let ended: CallError | undefined;

  function settle(id: number): Pending | undefined {
    const entry = pending.get(id);
    if (!entry) return undefined;
    pending.delete(id);
    entry.timer?.stop();
    if (entry.onAbort) entry.options.signal?.removeEventListener('abort', entry.onAbort);
    if (entry.answering > 0) {
      for (const { signal, of } of answering.values()) if (of === entry) signal.abort(NOT_NEEDED);
    }
    return entry;
  }

  /** Stops waiting for an answer and tells the server so. */
  function giveUp(id: number, method: string, error: CallError): void {
    const entry = settle(id);
    if (!entry) return;
    givenUp.add(id);
    if (givenUp.size > MAX_GIVEN_UP)
      for (const oldest of givenUp) {
        givenUp.delete(oldest);
        break;
      }
    // By the specification `initialize` must not be cancelled.
    if (method !== 'initialize') {
      notify('notifications/cancelled', { requestId: id, reason: error.class });
    }
    options.abandon(id);
    entry.reject(error);
  }

  function notify(method: string, params?: JsonObject): void {
    const json = JSON.stringify({ jsonrpc: '2.0', method, ...(params && { params }) });
    send(json, { method, params: params ?? {} });
  }

  function onResponse(id: number, message: Members): void {
    const entry = settle(id);
    if (!entry) return handlers.onFault(faultOf(id));
    const { result, error } = message;
    if (isObject(error)) return entry.reject(refusal(server, error));
    if (isObject(result)) return entry.resolve(result as JsonObject);
    entry.reject(protocolError(server, 'answers a request with neither a result nor an error'));
  }

  function faultOf(id: number): ConnectionFault {
    if (givenUp.delete(id)) return 'late_answer';
    return Number.isSafeInteger(id) && id > 0 && id <= lastId ? 'answered_twice' : 'unknown_id';
  }

  function onNotification(method: string, params: Members, relatedTo: Pending | undefined): void {
    switch (method) {
      case 'notifications/progress': {
        const entry = pending.get(Number(params['progressToken']));
        entry?.options.onProgress?.(toProgress(params, MAX_NOTE_CHARS));
        return;
      }
      case 'notifications/message': {
        const log = toLogMessage(params);
        const of = relatedTo ?? only((entry) => entry.options.onLog);
        if (log) of?.options.onLog?.(log.level, log.data);
        return;
      }
      case 'notifications/tools/list_changed':
        return handlers.onListChanged('tools');
      case 'notifications/resources/list_changed':
        return handlers.onListChanged('resources');
      case 'notifications/prompts/list_changed':
        return handlers.onListChanged('prompts');
      case 'notifications/resources/updated': {
        const { uri } = params;
        if (typeof uri === 'string') handlers.onResourceUpdated(uri);
        return;
      }
      case 'notifications/cancelled': {
        const { requestId } = params;
        if (isRequestId(requestId)) answering.get(requestId)?.signal.abort(NOT_NEEDED);
      }
    }
  }

  /**
   * The newest running call that takes what the server sent without naming a request. None where
   * calls of several owners run: one must not see what is meant for another.
   */
  function only(takes: (entry: Pending) => unknown): Pending | undefined {
    let found: Pending | undefined;
    for (const entry of pending.values()) {
      if (!takes(entry)) continue;
      if (found && found.options.owner !== entry.options.owner) return undefined;
      found = entry;
    }
    return found;
  }

  function onRequest(id: RequestId, request: ServerRequest, relatedTo: Pending | undefined): void {
    const { method } = request;
    if (method === 'ping') return send(rpcResultResponse(id, '{}'));
    if (answering.has(id) || answering.size >= MAX_ANSWERING) {
      return send(rpcErrorResponse(id, INVALID_REQUEST, 'Too many requests, or the id is in use.'));
    }
    const signal = new LightAbortController();
    const of = relatedTo ?? only((entry) => entry.options.onServerRequest);
    const answer = of?.options.onServerRequest
      ? of.options.onServerRequest(request, signal)
      : handlers.onServerRequest?.(request, pending.size === 0 ? 'idle' : 'ambiguous');
    if (!answer) {
      return send(rpcErrorResponse(id, METHOD_NOT_FOUND, `${method} is not available here.`));
    }
    answering.set(id, { signal, of });
    if (of) pause(of);
    const respond = (response: string) => {
      answering.delete(id);
      if (of) resume(of);
      if (!ended) send(response);
    };
    answer.then(
      (result) => respond(rpcResultResponse(id, JSON.stringify(result))),
      (thrown: unknown) => {
        const { message, policy, reason } = CallError.from(thrown);
        const isUnsupported = reason?.code === 'server_request_unsupported';
        const code = isUnsupported ? METHOD_NOT_FOUND : policy.rpcCode || INTERNAL_ERROR;
        respond(rpcErrorResponse(id, code, message));
      },
    );
  }

  /** Time in which the server waits for an answer is not its own. */
  function pause(entry: Pending): void {
    entry.answering += 1;
    if (entry.answering > 1) return;
    entry.timer?.stop();
    entry.dueAt -= clock.monotonic();
  }

  function resume(entry: Pending): void {
    entry.answering -= 1;
    if (entry.answering > 0 || pending.get(entry.id) !== entry) return;
    const leftMs = Math.max(0, entry.dueAt);
    entry.dueAt += clock.monotonic();
    entry.timer = clock.after(leftMs, entry.onLate);
  }

  return {
    request(method, params, request) {
      if (ended) return Promise.reject(ended);
      const { signal, timeoutMs } = request;
      if (signal?.aborted) return Promise.reject(CallError.from(signal.reason));
      const id = ++lastId;
      return new Promise<JsonObject>((resolve, reject) => {
        const onAbort = signal && (() => giveUp(id, method, CallError.from(signal.reason)));
        const onLate = () => giveUp(id, method, timedOut(server, timeoutMs));
        const timer = clock.after(timeoutMs, onLate);
        const dueAt = clock.monotonic() + timeoutMs;
        // prettier-ignore
        pending.set(id, { id, options: request, resolve, reject, timer, dueAt, answering: 0, onLate, onAbort });
        if (onAbort) signal.addEventListener('abort', onAbort, { once: true });
        const sent = withMeta(params, id, request);
        const { headers } = request;
        const json = JSON.stringify({ jsonrpc: '2.0', id, method, params: sent });
        send(json, { id, method, params: sent, ...(headers && { headers }) });
      });
    },
    notify,
    get pending() {
      return pending.size;
    },
    receive(message, requestId) {
      if (!isObject(message)) return handlers.onFault('not_a_message');
      const { id, method, params } = message;
      if (typeof method !== 'string') {
        if (!('result' in message) && !('error' in message)) {
          return handlers.onFault('not_a_message');
        }
        return onResponse(typeof id === 'number' ? id : Number.NaN, message);
      }
      const members = isObject(params) ? params : {};
      const relatedTo = requestId === undefined ? undefined : pending.get(requestId);
      if (id === undefined) onNotification(method, members, relatedTo);
      else if (isRequestId(id)) {
        onRequest(id, { method, params: members as JsonObject }, relatedTo);
      } else handlers.onFault('not_a_message');
    },
    receiveOversized(id, maxBytes) {
      handlers.onFault('too_large');
      const entry = id === undefined ? undefined : settle(id);
      entry?.reject(
        codedError('too_large', reason('server_message_too_large', { server, maxBytes }), {
          fix: 'Ask for less, or raise hub.maxMessageBytes.',
        }),
      );
    },
    fail: (id, error) => settle(id)?.reject(error),
    end(error) {
      ended ??= error;
      for (const id of pending.keys()) settle(id)?.reject(error);
      for (const { signal } of answering.values()) signal.abort(error);
    },
  };
}

/** The parameters with what the hub adds to `_meta`. */
function withMeta(params: JsonObject, id: number, options: UpstreamRequestOptions): JsonObject {
  const { traceparent, onProgress } = options;
  if (traceparent === undefined && !onProgress) return params;
  const own = params['_meta'];
  return {
    ...params,
    _meta: {
      ...(isObject(own) && (own as JsonObject)),
      ...(onProgress && { progressToken: id }),
      ...(traceparent !== undefined && { traceparent }),
    },
  };
}

export function protocolError(server: string, problem: string): CallError {
  return codedError('bad_response', reason('server_protocol_error', { server, problem }));
}

function timedOut(server: string, timeoutMs: number): CallError {
  return codedError('timeout', reason('server_timeout', { server, timeoutMs }));
}

/** What errors of JSON-RPC mean; others are the server's own. */
const CLASSES: ReadonlyMap<number, ErrorClass> = new Map([
  [INVALID_PARAMS, 'validation'],
  [RESOURCE_NOT_FOUND, 'not_found'],
]);

function refusal(server: string, { code, message }: Members): CallError {
  const rpcCode = typeof code === 'number' ? code : 0;
  const text = typeof message === 'string' ? oneLine(message, MAX_ERROR_CHARS) : 'no message';
  const params = { server, rpcCode, message: text };
  return codedError(CLASSES.get(rpcCode) ?? 'tool_error', reason('server_refused', params));
}
