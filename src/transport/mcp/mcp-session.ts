import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { Calls } from '#core/calls.ts';
import type { Clock } from '#core/clock.ts';
import type { Jobs } from '#core/jobs.ts';
import { lazily } from '#core/lazily.ts';
import type { Notice } from '#core/messages/notices.ts';
import type { Results } from '#core/results.ts';
import type { Log } from '#core/telemetry.ts';
import { claimOf, claimRefusal, versionRefusal } from '#mcp/claim.ts';
import { errorReply, INTERNAL_ERROR, INVALID_REQUEST, isRequestId } from '#mcp/json-rpc.ts';
import { isModernMethod, nextEra, type Era } from '#mcp/protocol-era.ts';
import {
  readMessage,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
} from '#mcp/read-message.ts';
import { createBreath } from './breath.ts';
import { createClientQuestions } from './client-questions.ts';
import { gaveUpByTime } from './gave-up.ts';
import { createInFlight } from './in-flight.ts';
import { createLater } from './later.ts';
import type { McpLine, McpSession } from './mcp-line.ts';
import { createMethods, isFull, TOO_MANY, type LegacyClient } from './methods.ts';
import type { Patience } from './patience.ts';
import { createRuns } from './runs.ts';
import type { ServerFacts } from './server-facts.ts';
import { createSubscriptions, type WatchBudget } from './subscriptions.ts';
import { createTasks } from './tasks.ts';

export interface McpAbout {
  readonly caller: Caller;
  readonly session: string;
  readonly door: string;
  /** Where something else than the first message tells; a `modern` one is for a single request. */
  readonly era?: 'legacy' | 'modern';
  /** A client that finds the next daemon by itself: to it, subscriptions do not end with this one. */
  readonly comesBack?: true;
  /** Told once, beside the first answer. */
  readonly notices?: readonly Notice[];
  /** What this client takes in one answer, where it says so itself. */
  readonly maxTokens?: number;
}

export interface McpDeps {
  readonly calls: Calls;
  readonly clock: Clock;
  readonly log: Log;
  readonly facts: ServerFacts;
  /** What all sessions together watch. */
  readonly watching: WatchBudget;
  /** Where long work goes on. Without it calls are waited for, and tasks are not offered. */
  readonly jobs?: Jobs;
  /** When calls go on there. */
  readonly patience?: Patience;
  readonly results?: Results;
  /** What a client takes in one answer; absent, all of it. */
  readonly maxTokens?: number;
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
const SILENT = new CallError(
  'interrupted',
  'The client sends no more, so that what it was asked stays unanswered.',
);
const CLIENT_GONE = new CallError('cancelled', 'The client hung up.');

/** MCP with one client, in both eras of the protocol. */
export function createMcpSession(line: McpLine, about: McpAbout, deps: McpDeps): McpSession {
  const { caller, session, door, notices = [] } = about;
  const { calls, clock, log, facts, watching: budget, jobs, results } = deps;
  const { maxTokens = deps.maxTokens } = about;
  const inFlight = createInFlight(about.era === 'modern' ? 1 : EXPECTED_IN_FLIGHT);
  const legacy: LegacyClient = { askable: [], logLevel: 'info', name: undefined };
  let life: 'open' | 'draining' | 'over' = 'open';
  let clientSends: 'more' | 'no_more' = 'more';
  let era: Era = about.era ?? 'opening';
  let whenIdle: (() => void)[] = [];

  // Over HTTP each request has a session of its own, and few of them are about tasks.
  const tasks =
    jobs &&
    lazily(() => createTasks({ calls, caller, clock, log, facts, jobs, results, maxTokens }));
  const questions = createClientQuestions(line, session, clock);
  const breath = createBreath(clock, inFlight);
  const later = createLater({ line, inFlight, isOver: () => life === 'over', onSettled });
  // prettier-ignore
  const subscriptions = createSubscriptions({
    line, inFlight, calls, caller, facts, budget, log, jobs, tasks,
  });
  // prettier-ignore
  const runs = createRuns({
    line, inFlight, questions, calls, clock, log, caller, session, door, notices, facts, legacy, onSettled,
    breath, tasks, maxTokens, patience: jobs && deps.patience,
  });
  // prettier-ignore
  const methods = createMethods({
    line, inFlight, calls, caller, door, log, facts, runs, subscriptions, tasks, later, legacy, refusal,
  });

  /** A fault of our own is this message's alone: it must not end the others, let alone the daemon. */
  function receive(message: RpcMessage): void {
    if (life === 'over') return;
    try {
      if (message.is === 'request') onRequest(message);
      else if (message.is === 'notification') onNotification(message);
      else questions.onResponse(message.message);
    } catch (thrown) {
      log.error('mcp_message_failed', { error: CallError.from(thrown) });
      if (message.is !== 'request') return;
      inFlight.remove(message.id);
      line.reply(message.id, errorReply(message.id, INTERNAL_ERROR, 'Internal error'));
    }
  }

  function onRequest(request: RpcRequest): void {
    const { id, method, params } = request;
    if (inFlight.has(id)) {
      const words = 'Invalid request: a request with this id is still in flight.';
      return line.reply(id, errorReply(id, INVALID_REQUEST, words), 400);
    }
    const claim = era === 'legacy' ? 'none' : claimOf(params);
    era = nextEra(era, request, claim);
    if (era === 'legacy' && claim === 'none') return methods.legacy(request);
    if (claim === 'odd') return line.reply(id, claimRefusal(id, params), 400);
    if (claim === 'good') return methods.modern(request);
    if (method === 'initialize') {
      return line.reply(id, versionRefusal(id, params?.['protocolVersion']), 400);
    }
    if (!isModernMethod(method)) return methods.refuse(request, 'modern');
    line.reply(id, claimRefusal(id, params), 400);
  }

  function refusal(): CallError | undefined {
    if (life === 'draining') return STOPPING;
    return isFull(inFlight) ? TOO_MANY : undefined;
  }

  function onNotification(message: RpcNotification): void {
    const { method, params } = message;
    if (method === 'notifications/cancelled') {
      return onCancelled(params?.['requestId'], params?.['reason']);
    }
    era = nextEra(era, message, claimOf(params));
    if (method === 'notifications/initialized' && era === 'legacy') subscriptions.begin();
  }

  function onCancelled(id: unknown, reason: unknown): void {
    const cancelled = isRequestId(id) ? inFlight.get(id) : undefined;
    // It may have been answered while the cancellation was on its way.
    if (!cancelled || !isRequestId(id)) return;
    if (cancelled.is === 'subscription') subscriptions.cancel(id);
    inFlight.remove(id);
    if (cancelled.is === 'call') {
      if (gaveUpByTime(reason)) runs.leave(cancelled);
      else runs.cancel(cancelled);
    }
    onSettled();
  }

  function onSettled(): void {
    if (!inFlight.isIdle()) return;
    for (const resolve of whenIdle) resolve();
    whenIdle = [];
    if (clientSends === 'more' || life === 'over') return;
    life = 'over';
    breath.end();
    subscriptions.end();
    line.close(NORMAL_CLOSURE, '');
  }

  return {
    receive,
    onMessage(text) {
      if (life === 'over') return;
      const message = readMessage(text);
      if (message.is !== 'unreadable') receive(message);
      else if (message.reply !== undefined) line.send(message.reply);
    },
    onEnd() {
      clientSends = 'no_more';
      runs.stopAsking(SILENT);
      onSettled();
    },
    onClose() {
      if (life === 'over') return;
      life = 'over';
      breath.end();
      subscriptions.drop();
      for (const call of inFlight.calls()) runs.cancel(call, CLIENT_GONE);
      for (const resolve of whenIdle) resolve();
    },
    async drain(hearing) {
      if (life === 'open') life = 'draining';
      if (hearing === 'one_way') runs.stopAsking(UNANSWERED);
      if (life === 'draining' && !inFlight.isIdle()) {
        await new Promise<void>((resolve) => whenIdle.push(resolve));
      }
      if (life === 'draining' && !about.comesBack) subscriptions.end();
    },
  };
}
