import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { Calls, ListKind } from '#core/calls.ts';
import type { Clock } from '#core/clock.ts';
import type { LogLevel, QuestionKind } from '#core/question.ts';
import type { Log } from '#core/telemetry.ts';
import { askableOf } from './askable.ts';
import { createClientQuestions } from './client-questions.ts';
import { completionReply } from './completion.ts';
import { discoverReply } from './discover-reply.ts';
import { createInFlight, OTHER } from './in-flight.ts';
import { initializeReply } from './initialize-reply.ts';
import * as rpc from './json-rpc.ts';
import { listReply } from './list-reply.ts';
import type { McpLine, McpSession } from './mcp-line.ts';
import * as eras from './protocol-era.ts';
import {
  readMessage,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
} from './read-message.ts';
import { createRuns } from './runs.ts';
import type { ServerFacts } from './server-facts.ts';
import { createSubscriptions } from './subscriptions.ts';

export interface McpAbout {
  readonly caller: Caller;
  readonly session: string;
  readonly door: string;
  /** Where something else than the first message tells; a `modern` one is for a single request. */
  readonly era?: 'legacy' | 'modern';
  /** A client that finds the next daemon by itself: to it, subscriptions do not end with this one. */
  readonly comesBack?: true;
  /** Told once, beside the first answer. */
  readonly notices?: readonly string[];
}

export interface McpDeps {
  readonly calls: Calls;
  readonly clock: Clock;
  readonly log: Log;
  readonly facts: ServerFacts;
}

const MAX_IN_FLIGHT = 1024;
const EXPECTED_IN_FLIGHT = 64;
const RETRY_AFTER_MS = 1000;
const NORMAL_CLOSURE = 1000;

const TOO_MANY = new CallError('over_capacity', 'This connection has 1,024 requests in flight.', {
  retryAfterMs: RETRY_AFTER_MS,
  fix: 'Send it again in a second, when some of them are answered.',
});
const STOPPING = new CallError('over_capacity', 'The daemon is stopping.', {
  retryAfterMs: RETRY_AFTER_MS,
  fix: 'Send it again in a second, to the daemon that follows.',
});
const CLIENT_GONE = new CallError('cancelled', 'The client hung up.');

/** MCP with one client, in both eras of the protocol. */
export function createMcpSession(line: McpLine, about: McpAbout, deps: McpDeps): McpSession {
  const { caller, session, door, notices = [] } = about;
  const { calls, log, facts } = deps;
  const inFlight = createInFlight(about.era === 'modern' ? 1 : EXPECTED_IN_FLIGHT);
  const legacy: { askable: readonly QuestionKind[]; logLevel: LogLevel } = {
    askable: [],
    logLevel: 'info',
  };
  let life: 'open' | 'draining' | 'over' = 'open';
  let clientSends: 'more' | 'no_more' = 'more';
  let era: eras.Era = about.era ?? 'opening';
  let whenIdle: (() => void)[] = [];

  const questions = createClientQuestions(line, session, deps.clock);
  const subscriptions = createSubscriptions({ line, inFlight, calls, caller, facts });
  // prettier-ignore
  const runs = createRuns({
    line, inFlight, questions, calls, log, caller, session, door, notices, facts, legacy, onSettled,
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
      line.reply(message.id, rpc.errorReply(message.id, rpc.INTERNAL_ERROR, 'Internal error'));
    }
  }

  function onRequest(request: RpcRequest): void {
    const { id, method, params } = request;
    if (inFlight.has(id)) {
      const words = 'Invalid request: a request with this id is still in flight.';
      return line.reply(id, rpc.errorReply(id, rpc.INVALID_REQUEST, words), 400);
    }
    const claim = era === 'legacy' ? 'none' : eras.claimOf(params);
    era = eras.nextEra(era, request, claim);
    if (era === 'legacy' && claim === 'none') return serveLegacy(request);
    if (claim === 'odd') return line.reply(id, eras.claimRefusal(id, params), 400);
    if (claim === 'good') return serveModern(request);
    if (method === 'initialize') {
      return line.reply(id, eras.versionRefusal(id, params?.['protocolVersion']), 400);
    }
    if (!eras.isModernMethod(method)) return refuse(request);
    line.reply(id, eras.claimRefusal(id, params), 400);
  }

  function serveLegacy(request: RpcRequest): void {
    const { id, method, params } = request;
    switch (method) {
      case 'initialize':
        return initialize(request);
      case 'ping':
        return line.reply(id, rpc.resultReply(id, '{}'));
      case 'logging/setLevel':
        return setLevel(id, params?.['level']);
      case 'resources/subscribe':
        return subscriptions.subscribe(request);
      case 'resources/unsubscribe':
        return subscriptions.unsubscribe(request);
      default:
        return serve(request, 'legacy');
    }
  }

  function serveModern(request: RpcRequest): void {
    const { id, method } = request;
    if (method === 'server/discover') return line.reply(id, discoverReply(id, facts));
    if (method !== 'subscriptions/listen') return serve(request, 'modern');
    if (isFull()) line.reply(id, tooManyReply(id));
    else subscriptions.listen(request);
  }

  /** What both eras have. */
  function serve(request: RpcRequest, of: 'legacy' | 'modern'): void {
    switch (request.method) {
      case 'tools/call':
        return runs.start(request, 'tool', of, refusal());
      case 'prompts/get':
        return runs.start(request, 'prompt', of, refusal());
      case 'resources/read':
        return runs.start(request, 'resource', of, refusal());
      case 'tools/list':
        return list(request, 'tools', of);
      case 'prompts/list':
        return list(request, 'prompts', of);
      case 'resources/list':
        return list(request, 'resources', of);
      case 'resources/templates/list':
        return list(request, 'templates', of);
      case 'completion/complete':
        return complete(request, of);
      default:
        return refuse(request);
    }
  }

  function list(request: RpcRequest, kind: ListKind, of: 'legacy' | 'modern'): void {
    line.reply(request.id, listReply(request, kind, { era: of, calls, caller, facts }));
  }

  function complete(request: RpcRequest, of: 'legacy' | 'modern'): void {
    const { id } = request;
    if (isFull()) return line.reply(id, tooManyReply(id));
    inFlight.add(id, OTHER);
    void completionReply(request, { era: of, calls, caller, facts }).then((text) => {
      if (!inFlight.has(id) || life === 'over') return;
      inFlight.remove(id);
      line.reply(id, text);
      onSettled();
    });
  }

  function initialize(request: RpcRequest): void {
    legacy.askable = askableOf(request.params?.['capabilities']);
    line.reply(request.id, initializeReply(request, facts));
  }

  function setLevel(id: rpc.RequestId, level: unknown): void {
    if (!eras.isLogLevel(level)) {
      const words = `Invalid params: level must be one of ${eras.LEVELS_IN_WORDS}.`;
      return line.reply(id, rpc.errorReply(id, rpc.INVALID_PARAMS, words));
    }
    legacy.logLevel = level;
    line.reply(id, rpc.resultReply(id, '{}'));
  }

  function refuse({ id }: RpcRequest): void {
    const status = era === 'modern' ? 404 : undefined;
    line.reply(id, rpc.errorReply(id, rpc.METHOD_NOT_FOUND, 'Method not found'), status);
  }

  function refusal(): CallError | undefined {
    if (life === 'draining') return STOPPING;
    return isFull() ? TOO_MANY : undefined;
  }

  function isFull(): boolean {
    return inFlight.size() >= MAX_IN_FLIGHT;
  }

  function onNotification(message: RpcNotification): void {
    const { method, params } = message;
    if (method === 'notifications/cancelled') return onCancelled(params?.['requestId']);
    era = eras.nextEra(era, message, eras.claimOf(params));
    if (method === 'notifications/initialized' && era === 'legacy') subscriptions.begin();
  }

  function onCancelled(id: unknown): void {
    const cancelled = rpc.isRequestId(id) ? inFlight.get(id) : undefined;
    // It may have been answered while the cancellation was on its way.
    if (!cancelled || !rpc.isRequestId(id)) return;
    if (cancelled.is === 'subscription') subscriptions.cancel(id);
    inFlight.remove(id);
    if (cancelled.is === 'call') runs.cancel(cancelled);
    onSettled();
  }

  function onSettled(): void {
    if (!inFlight.isIdle()) return;
    for (const resolve of whenIdle) resolve();
    whenIdle = [];
    if (clientSends === 'more' || life === 'over') return;
    life = 'over';
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
      onSettled();
    },
    onClose() {
      if (life === 'over') return;
      life = 'over';
      subscriptions.drop();
      for (const call of inFlight.calls()) runs.cancel(call, CLIENT_GONE);
      for (const resolve of whenIdle) resolve();
    },
    async drain() {
      if (life === 'open') life = 'draining';
      if (life === 'draining' && !inFlight.isIdle()) {
        await new Promise<void>((resolve) => whenIdle.push(resolve));
      }
      if (life === 'draining' && !about.comesBack) subscriptions.end();
    },
  };
}

function tooManyReply(id: rpc.RequestId): string {
  const { message, fix, policy, class: errorClass, retryAfterMs } = TOO_MANY;
  const data = { error_class: errorClass, retry_after_ms: retryAfterMs };
  return rpc.errorReply(id, policy.rpcCode, `${message} ${fix}`, data);
}
