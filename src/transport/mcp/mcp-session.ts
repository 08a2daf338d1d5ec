import { CallError } from '#core/errors/call-error.ts';
import type { Caller } from '#core/calls/call.ts';
import type { Calls } from '#core/calls/calls.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Jobs } from '#core/calls/jobs.ts';
import { lazy } from '#core/lazy.ts';
import { hasStructuredContent } from '#core/tools/structured-content.ts';
import type { Notice } from '#core/messages/notices.ts';
import type { Results } from '#core/calls/results.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import {
  checkProtocolMeta,
  invalidMetaReply,
  unsupportedVersionReply,
} from '#mcp/protocol-meta.ts';
import { rpcErrorResponse, INTERNAL_ERROR, INVALID_REQUEST, isRequestId } from '#mcp/json-rpc.ts';
import { isModernMethod, nextEra, type Era } from '#mcp/protocol-era.ts';
import { stoppingMessage } from '#mcp/stopping.ts';
import {
  readMessage,
  readParsedMessage,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
} from '#mcp/read-message.ts';
import { createHeartbeat } from './progress.ts';
import { createClientRequests } from './client-requests.ts';
import { isTimeoutCancellation, type BackgroundPolicyDecider } from './background-policy.ts';
import { createDeferReply, createInFlightRequests } from './in-flight.ts';
import type { McpSink, McpSession } from './mcp-sink.ts';
import {
  createMethods,
  isAtRequestLimit,
  TOO_MANY_REQUESTS,
  type LegacyClient,
} from './methods.ts';
import { createActiveCalls, type CallRefusal } from './active-calls.ts';
import type { ServerInfo } from './server-info.ts';
import { DAEMON_STOPPED } from '../daemon-stopped.ts';
import { createSubscriptions, type WatchBudget } from './subscriptions.ts';
import { createTasks } from './tasks.ts';

/** The client of an MCP session and how it is connected. */
export interface McpContext {
  readonly caller: Caller;
  readonly session: string;
  readonly transport: string;
  /**
   * Set where the era is known before the first message; a `modern` session serves a single
   * request.
   */
  readonly era?: 'legacy' | 'modern';
  /**
   * The client reconnects to the next daemon by itself, so its subscriptions do not end with this
   * one.
   */
  readonly reconnects?: true;
  /**
   * The client sends requests again that were not begun, to the next daemon. So a daemon that stops
   * begins no more calls, and says at its end which ones it has begun.
   */
  readonly resends?: true;
  /** Added to the first answer. */
  readonly notices?: readonly Notice[];
  /** Limit for one answer, if the client sets one itself. */
  readonly maxTokens?: number;
}

export interface McpDeps {
  readonly calls: Calls;
  readonly clock: Clock;
  readonly log: Log;
  /** What this caller is told about the server. */
  readonly serverInfo: (caller: Caller) => ServerInfo;
  /** What all sessions watch together. */
  readonly watching: WatchBudget;
  /** Runs long calls as jobs. Without it calls are never detached, and tasks are not offered. */
  readonly jobs?: Jobs;
  /** Decides when a call becomes a job. */
  readonly handoffPolicy?: BackgroundPolicyDecider;
  readonly results?: Results;
  /** Limit for one answer; default: none. */
  readonly maxTokens?: number;
  /** Whether the result of every tool carries `structuredContent`; default: no. */
  readonly outputSchemas?: boolean;
}

const EXPECTED_IN_FLIGHT = 64;
const NORMAL_CLOSURE = 1000;

const STOPPING = new CallError('over_capacity', 'The daemon is stopping.', {
  retryAfterMs: 1000,
  fix: 'Send it again in a second, to the daemon that follows.',
});
const UNANSWERED = new CallError(
  'interrupted',
  'The daemon stops before what it asked was answered.',
  { fix: 'Send it again, to the daemon that follows.' },
);
const CLIENT_ENDED = new CallError(
  'interrupted',
  'The client sends no more, so that what it was asked stays unanswered.',
);
const CLIENT_GONE = new CallError('cancelled', 'The client hung up.');

/** The MCP session with one client, in both eras of the protocol. */
export function createMcpSession(sink: McpSink, context: McpContext, deps: McpDeps): McpSession {
  const { caller, session, transport, notices = [] } = context;
  const { calls, clock, log, watching: budget, jobs, results } = deps;
  const serverInfo = deps.serverInfo(caller);
  // Read at each use, as settings may change it.
  const limits = {
    get maxTokens() {
      return context.maxTokens ?? deps.maxTokens;
    },
  };
  const inFlight = createInFlightRequests(context.era === 'modern' ? 1 : EXPECTED_IN_FLIGHT);
  const legacy: LegacyClient = { inputRequestKinds: [], logLevel: 'info', name: undefined, caller };
  let life: 'open' | 'draining' | 'closing' | 'over' = 'open';
  let clientSends: 'more' | 'no_more' = 'more';
  let era: Era = context.era ?? 'opening';
  let whenIdle: (() => void)[] = [];

  const structuredContent = (tool: string) =>
    hasStructuredContent(calls.find(tool), { outputSchemas: deps.outputSchemas ?? false })
      ? 'send'
      : 'omit';

  // Created on demand: over HTTP each request has its own session, and few concern tasks.
  const tasks =
    jobs &&
    lazy(() =>
      // prettier-ignore
      createTasks({
        calls, caller, clock, log, serverInfo, jobs, results, limits, structuredContent,
      }),
    );
  const clientRequests = createClientRequests(sink, session, clock);
  const heartbeat = createHeartbeat(clock, inFlight);
  const deferReply = createDeferReply({ sink, inFlight, isOver: () => life === 'over', onSettled });
  // prettier-ignore
  const subscriptions = createSubscriptions({
    sink, inFlight, calls, caller, serverInfo, budget, log, jobs, tasks,
  });
  // prettier-ignore
  const activeCalls = createActiveCalls({
    sink, inFlight, clientRequests, calls, clock, log, caller, session, transport, notices, serverInfo, legacy, onSettled,
    heartbeat, tasks, limits, structuredContent, handoffPolicy: jobs && deps.handoffPolicy,
  });
  // prettier-ignore
  const methods = createMethods({
    sink, inFlight, calls, caller, transport, log, serverInfo, activeCalls, subscriptions, tasks, deferReply, legacy, refusal,
  });

  const isDeaf = () => life === 'over' || life === 'closing';

  /** Handles a message; an exception fails this message only. */
  function receive(message: RpcMessage): void {
    if (isDeaf()) return;
    try {
      if (message.is === 'request') onRequest(message);
      else if (message.is === 'notification') onNotification(message);
      else clientRequests.onResponse(message.message);
    } catch (thrown) {
      log.error('mcp_message_failed', { error: CallError.from(thrown) });
      if (message.is !== 'request') return;
      inFlight.remove(message.id);
      sink.reply(message.id, rpcErrorResponse(message.id, INTERNAL_ERROR, 'Internal error'));
    }
  }

  function onRequest(request: RpcRequest): void {
    const { id, method, params } = request;
    if (inFlight.has(id)) {
      const text = 'Invalid request: a request with this id is still in flight.';
      return sink.reply(id, rpcErrorResponse(id, INVALID_REQUEST, text), 400);
    }
    const meta = era === 'legacy' ? 'none' : checkProtocolMeta(params);
    era = nextEra(era, request, meta);
    if (era === 'legacy' && meta === 'none') return methods.legacy(request);
    if (meta === 'invalid') return sink.reply(id, invalidMetaReply(id, params), 400);
    if (meta === 'valid') return methods.modern(request);
    if (method === 'initialize') {
      return sink.reply(id, unsupportedVersionReply(id, params?.['protocolVersion']), 400);
    }
    if (!isModernMethod(method)) return methods.refuse(request, 'modern');
    sink.reply(id, invalidMetaReply(id, params), 400);
  }

  function refusal(): CallRefusal | undefined {
    if (life === 'draining' && context.resends) return 'not_begun';
    if (life === 'draining') return STOPPING;
    return isAtRequestLimit(inFlight) ? TOO_MANY_REQUESTS : undefined;
  }

  function onNotification(message: RpcNotification): void {
    const { method, params } = message;
    if (method === 'notifications/cancelled') {
      return onCancelled(params?.['requestId'], params?.['reason']);
    }
    era = nextEra(era, message, checkProtocolMeta(params));
    if (method === 'notifications/initialized' && era === 'legacy') subscriptions.begin();
  }

  function onCancelled(id: unknown, reason: unknown): void {
    const cancelled = isRequestId(id) ? inFlight.get(id) : undefined;
    // It may have been answered in the meantime.
    if (!cancelled || !isRequestId(id)) return;
    if (cancelled.is === 'subscription') subscriptions.cancel(id);
    inFlight.remove(id);
    if (cancelled.is === 'call') {
      if (isTimeoutCancellation(reason)) activeCalls.detach(cancelled);
      else activeCalls.cancel(cancelled);
    }
    onSettled();
  }

  function onSettled(): void {
    if (!inFlight.isIdle()) return;
    for (const resolve of whenIdle) resolve();
    whenIdle = [];
    if (clientSends === 'more' || life === 'over') return;
    life = 'over';
    heartbeat.stop();
    subscriptions.end();
    sink.close(NORMAL_CLOSURE, '');
  }

  /** Reads nothing more, and names the calls that were begun and have no answer. */
  function endReading(): void {
    if (life !== 'draining') return;
    life = 'closing';
    sink.send(stoppingMessage(inFlight.calls().map(({ id }) => id)));
  }

  return {
    receive,
    onMessage(inbound) {
      if (isDeaf()) return;
      const message =
        typeof inbound === 'string' ? readMessage(inbound) : readParsedMessage(inbound.value);
      if (message.is !== 'unreadable') receive(message);
      else if (message.reply !== undefined) sink.send(message.reply);
    },
    onEnd() {
      clientSends = 'no_more';
      activeCalls.stopInputRequests(CLIENT_ENDED);
      onSettled();
    },
    onClose() {
      if (life === 'over') return;
      life = 'over';
      heartbeat.stop();
      subscriptions.drop();
      for (const call of inFlight.calls()) activeCalls.cancel(call, CLIENT_GONE);
      for (const resolve of whenIdle) resolve();
    },
    async drain(direction) {
      if (life === 'open') life = 'draining';
      if (direction === 'one_way') activeCalls.stopInputRequests(UNANSWERED);
      if (life === 'draining' && !inFlight.isIdle()) {
        await new Promise<void>((resolve) => whenIdle.push(resolve));
      }
      if (life !== 'draining') return;
      if (!context.reconnects) subscriptions.end();
      if (context.resends) endReading();
    },
    interrupt() {
      if (life === 'over') return;
      // Such a client knows best which of its calls it may send again.
      if (context.resends) return endReading();
      for (const call of inFlight.calls()) activeCalls.interrupt(call, DAEMON_STOPPED);
    },
  };
}
