import type { Authenticator } from '#core/auth/authenticator.ts';
import type { Caller } from '#core/calls/call.ts';
import type { Calls } from '#core/calls/calls.ts';
import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import type { FileStore } from '#core/stores/files.ts';
import type { ResponseStore } from '#core/stores/responses.ts';
import type { Metrics } from '#core/telemetry/telemetry.ts';
import { toUsd } from '#core/text/money.ts';
import type { Clock } from '#core/time/clock.ts';
import { createAnthropicDialect } from '../anthropic/dialect.ts';
import type { Endpoint } from '../http/endpoint-dispatcher.ts';
import type { HeaderList, HttpContext } from '../http/http-context.ts';
import type { ReceiveBuffers } from '../http/receive-buffers.ts';
import { createCompletionsDialect } from '../openai/completions.ts';
import { createOpenAiDialect } from '../openai/dialect.ts';
import { responsesEndpoint } from '../responses/endpoint.ts';
import { createChatStreams } from './chat-streams.ts';
import {
  chatEndpoint,
  countEndpoint,
  embeddingsEndpoint,
  modelsEndpoint,
  type GatewayContext,
} from './endpoints.ts';
import { filesEndpoint } from './files/files-endpoint.ts';
import { createRepeatedRequests, type RepeatedRequestsOptions } from './repeated-requests.ts';
import { createUnaryCalls } from './unary-calls.ts';

/** Settings and dependencies of the gateway. */
export interface GatewayOptions {
  readonly calls: Pick<Calls, 'start'>;
  readonly authenticator: Pick<Authenticator, 'authenticate'> & {
    isCredentialValid(caller: Caller): boolean;
  };
  readonly clock: Clock;
  /** Stored responses of the Responses API. */
  readonly responses: ResponseStore;
  readonly files: Pick<FileStore, 'read'>;
  newSession(): string;
  readonly maxBodyBytes: number;
  /** The memory for incomplete bodies, shared by all transports. */
  readonly receiveBuffers: ReceiveBuffers;
  /**
   * How long the head of a stream is held back while there is no text; then keepalives are sent.
   */
  readonly headHoldMs: number;
  readonly sseKeepaliveMs: number;
  /** How long answers are kept for repeated requests. */
  readonly repeats: Omit<RepeatedRequestsOptions, 'clock'>;
  /** Requests of all clients that may be with a model at once. */
  readonly maxRunning: () => number;
  /** What a principal may still spend today, as far as it may know; undefined without a limit. */
  readonly budgetLeftMicroUsd?: (principal: string) => number | undefined;
  readonly metrics: Metrics;
}

/** The HTTP endpoints of the gateway under `/v1`. */
export interface Gateway {
  readonly endpoints: readonly Endpoint[];
  /** Number of running requests. */
  readonly size: number;
  /** Rejects new requests, waits up to `withinMs` for running ones, then cancels them. */
  drain(withinMs: number): Promise<void>;
}

const STOPPED = new CallError('interrupted', 'The daemon stopped before this was answered.', {
  fixes: [fix('retry')],
});

/** Creates the gateway: endpoints for clients of the OpenAI and Anthropic APIs. */
export function createGateway(options: GatewayOptions): Gateway {
  const { calls, authenticator, clock, metrics } = options;
  let draining: Promise<void> | undefined;
  const gateway: GatewayContext = {
    authenticator,
    limits: {
      maxBytes: options.maxBodyBytes,
      setting: 'gateway.maxBodyBytes',
      receiveBuffers: options.receiveBuffers,
    },
    sessionOf: createSessions(() => options.newSession()),
    isDraining: () => draining !== undefined,
    repeated: createRepeatedRequests({ ...options.repeats, clock }),
    limitHeaders: ({ name }, { principal }) => [
      ...limitHeaders(name, options.maxRunning(), chats.size + unary.size),
      ...budgetHeaders(options.budgetLeftMicroUsd?.(principal)),
    ],
  };
  const isCredentialValid = (caller: Caller) => authenticator.isCredentialValid(caller);
  const chats = createChatStreams({
    calls,
    clock,
    isCredentialValid,
    headHoldMs: options.headHoldMs,
    keepaliveMs: options.sseKeepaliveMs,
  });
  const unary = createUnaryCalls(calls, isCredentialValid);
  const openai = createOpenAiDialect();
  const anthropic = createAnthropicDialect();
  metrics.gauge('exai_gateway_chats', 'Chats under way at the gateway.', () => chats.size);

  async function drain(withinMs: number): Promise<void> {
    let stop = () => {};
    const timeout = new Promise<void>((resolve) => {
      const timer = clock.after(withinMs, resolve);
      stop = () => timer.stop();
    });
    await Promise.race([timeout, Promise.all([chats.idle(), unary.idle()])]);
    stop();
    chats.end(STOPPED);
    unary.end(STOPPED);
  }

  return {
    endpoints: [
      chatEndpoint('/v1/chat/completions', openai, chats, gateway),
      chatEndpoint('/v1/completions', createCompletionsDialect(), chats, gateway),
      responsesEndpoint('/v1/responses', { chats, unary, store: options.responses }, gateway),
      chatEndpoint('/v1/messages', anthropic, chats, gateway),
      countEndpoint('/v1/messages/count_tokens', anthropic, unary, gateway),
      embeddingsEndpoint('/v1/embeddings', openai, unary, gateway),
      modelsEndpoint('/v1/models', { openai, anthropic }, unary, gateway),
      filesEndpoint(
        '/v1/files',
        { dialects: { openai, anthropic }, unary, files: options.files },
        gateway,
      ),
    ],
    get size() {
      return chats.size + unary.size;
    },
    drain: (withinMs) => (draining ??= drain(withinMs)),
  };
}

/**
 * Returns the session of a request, one for each connection. Limits and fairness are by session.
 */
function createSessions(newSession: () => string): (context: HttpContext) => string {
  const known = new WeakMap<object, string>();
  return ({ request: { socket } }) => {
    const session = known.get(socket);
    if (session !== undefined) return session;
    const fresh = newSession();
    known.set(socket, fresh);
    return fresh;
  };
}

const LIMIT_HEADERS = {
  openai: ['x-ratelimit-limit-requests', 'x-ratelimit-remaining-requests'],
  anthropic: ['anthropic-ratelimit-requests-limit', 'anthropic-ratelimit-requests-remaining'],
} as const;

/**
 * The requests that may run at once, and how many more may. The vendors' headers count requests in a
 * time; we have no such limit.
 */
function limitHeaders(
  dialect: keyof typeof LIMIT_HEADERS,
  maxRunning: number,
  running: number,
): HeaderList {
  const [limit, remaining] = LIMIT_HEADERS[dialect];
  const left = Math.max(0, maxRunning - running - 1);
  return [limit, String(maxRunning), remaining, String(left)];
}

/** The vendors have no header for money. */
function budgetHeaders(leftMicroUsd: number | undefined): HeaderList {
  if (leftMicroUsd === undefined) return [];
  return ['x-exai-budget-remaining-usd', toUsd(leftMicroUsd).toFixed(6)];
}
