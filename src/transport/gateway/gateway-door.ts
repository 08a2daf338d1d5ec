import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { Calls } from '#core/calls.ts';
import type { Clock } from '#core/clock.ts';
import type { Doorman } from '#core/doorman.ts';
import { fix } from '#core/messages/fixes.ts';
import type { Metrics } from '#core/telemetry.ts';
import { createAnthropicDialect } from '../anthropic/dialect.ts';
import type { Arriving } from '../http/arriving.ts';
import type { Endpoint, Exchange } from '../http/endpoint.ts';
import type { BodyLimits } from '../http/read-body.ts';
import { createOpenAiDialect } from '../openai/dialect.ts';
import { createChats } from './chats.ts';
import { chatEndpoint } from './chat-endpoint.ts';
import { countEndpoint, embeddingsEndpoint, modelsEndpoint } from './plain-endpoints.ts';
import { createPlainCalls } from './plain-calls.ts';
import { createSessions } from './sessions.ts';

export interface GatewayDoorOptions {
  readonly calls: Pick<Calls, 'start'>;
  readonly doorman: Pick<Doorman, 'identify'> & { isGood(caller: Caller): boolean };
  readonly clock: Clock;
  newSession(): string;
  readonly maxBodyBytes: number;
  /** The memory of bodies that are not whole yet: one for all doors. */
  readonly arriving: Arriving;
  /** How long the head of a stream waits for the first word before signs of life are sent. */
  readonly headHoldMs: number;
  readonly sseKeepaliveMs: number;
  readonly metrics: Metrics;
}

export interface GatewayDoor {
  readonly endpoints: readonly Endpoint[];
  /** Requests that are being answered. */
  readonly size: number;
  /** Takes no more requests, lets what runs finish for so long, then ends it. */
  drain(withinMs: number): Promise<void>;
}

/** What all endpoints of the gateway share. */
export interface GatewayParts {
  readonly doorman: GatewayDoorOptions['doorman'];
  readonly limits: BodyLimits;
  readonly sessionOf: (exchange: Exchange) => string;
  readonly isDraining: () => boolean;
}

const STOPPED = new CallError('interrupted', 'The daemon stopped before this was answered.', {
  fixes: [fix('retry')],
});

/** The doors for other people's libraries: OpenAI's and Anthropic's. */
export function createGatewayDoor(options: GatewayDoorOptions): GatewayDoor {
  const { calls, doorman, clock, metrics } = options;
  let draining: Promise<void> | undefined;
  const parts: GatewayParts = {
    doorman,
    limits: {
      maxBytes: options.maxBodyBytes,
      setting: 'gateway.maxBodyBytes',
      arriving: options.arriving,
    },
    sessionOf: createSessions(() => options.newSession()),
    isDraining: () => draining !== undefined,
  };
  const isGood = (caller: Caller) => doorman.isGood(caller);
  const chats = createChats({
    calls,
    clock,
    isGood,
    headHoldMs: options.headHoldMs,
    keepaliveMs: options.sseKeepaliveMs,
  });
  const plain = createPlainCalls(calls, isGood);
  const openai = createOpenAiDialect();
  const anthropic = createAnthropicDialect();
  metrics.gauge('exai_gateway_chats', 'Chats under way at the gateway.', () => chats.size);

  async function drain(withinMs: number): Promise<void> {
    let stop = () => {};
    const late = new Promise<void>((resolve) => {
      const timer = clock.after(withinMs, resolve);
      stop = () => timer.stop();
    });
    await Promise.race([late, Promise.all([chats.idle(), plain.idle()])]);
    stop();
    chats.end(STOPPED);
    plain.end(STOPPED);
  }

  return {
    endpoints: [
      chatEndpoint('/v1/chat/completions', openai, chats, parts),
      chatEndpoint('/v1/messages', anthropic, chats, parts),
      countEndpoint('/v1/messages/count_tokens', anthropic, plain, parts),
      embeddingsEndpoint('/v1/embeddings', openai, plain, parts),
      modelsEndpoint('/v1/models', { openai, anthropic }, plain, parts),
    ],
    get size() {
      return chats.size + plain.size;
    },
    drain: (withinMs) => (draining ??= drain(withinMs)),
  };
}
