import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { Calls, ListKind } from '#core/calls.ts';
import { oneLine } from '#core/one-line.ts';
import type { LogLevel, QuestionKind } from '#core/question.ts';
import type { Log } from '#core/telemetry.ts';
import { askableOf } from './askable.ts';
import { clientInfoOf, isLogLevel, LEVELS_IN_WORDS, MODERN_VERSION } from './claim.ts';
import { completionReply } from './completion.ts';
import { discoverReply } from './discover-reply.ts';
import { OTHER, type InFlight } from './in-flight.ts';
import { logGreeting } from './greeting.ts';
import { initializeReply } from './initialize-reply.ts';
import { errorReply, INVALID_PARAMS, METHOD_NOT_FOUND, resultReply } from './json-rpc.ts';
import { listReply } from './list-reply.ts';
import type { McpLine } from './mcp-line.ts';
import type { RpcRequest } from './read-message.ts';
import type { Runs } from './runs.ts';
import type { ServerFacts } from './server-facts.ts';
import type { Subscriptions } from './subscriptions.ts';

/** What a legacy client says when it begins, and later of its log. */
export interface LegacyClient {
  askable: readonly QuestionKind[];
  logLevel: LogLevel;
}

export interface MethodsOptions {
  readonly line: McpLine;
  readonly inFlight: InFlight;
  readonly calls: Calls;
  readonly caller: Caller;
  readonly door: string;
  readonly log: Log;
  readonly facts: ServerFacts;
  readonly runs: Runs;
  readonly subscriptions: Subscriptions;
  readonly legacy: LegacyClient;
  /** Why no call may begin now, if none may. */
  readonly refusal: () => CallError | undefined;
  readonly onSettled: () => void;
}

/** Every method there is, in each era. */
export interface Methods {
  legacy(request: RpcRequest): void;
  modern(request: RpcRequest): void;
  /** There is no such one. */
  refuse(request: RpcRequest, era: 'legacy' | 'modern'): void;
}

const MAX_IN_FLIGHT = 1024;
const MAX_METHOD_CHARS = 128;

export const TOO_MANY = new CallError(
  'over_capacity',
  'This connection has 1,024 requests in flight.',
  {
    retryAfterMs: 1000,
    fix: 'Send it again in a second, when some of them are answered.',
  },
);

export function isFull(inFlight: InFlight): boolean {
  return inFlight.size() >= MAX_IN_FLIGHT;
}

export function createMethods(options: MethodsOptions): Methods {
  const { line, inFlight, calls, caller, facts, runs, subscriptions, legacy } = options;

  function serveLegacy(request: RpcRequest): void {
    const { id, method } = request;
    switch (method) {
      case 'initialize':
        return initialize(request);
      case 'ping':
        return line.reply(id, resultReply(id, '{}'));
      case 'logging/setLevel':
        return setLevel(request);
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
    if (method === 'server/discover') return discover(request);
    if (method !== 'subscriptions/listen') return serve(request, 'modern');
    if (isFull(inFlight)) line.reply(id, tooManyReply(request));
    else subscriptions.listen(request);
  }

  function initialize(request: RpcRequest): void {
    const { id, params } = request;
    legacy.askable = askableOf(params?.['capabilities']);
    logGreeting(options.log, params?.['clientInfo'], {
      ...options,
      protocol: params?.['protocolVersion'],
    });
    line.reply(id, initializeReply(request, facts));
  }

  function discover({ id, params }: RpcRequest): void {
    logGreeting(options.log, clientInfoOf(params), { ...options, protocol: MODERN_VERSION });
    line.reply(id, discoverReply(id, facts));
  }

  /** What both eras have. */
  function serve(request: RpcRequest, era: 'legacy' | 'modern'): void {
    switch (request.method) {
      case 'tools/call':
        return runs.start(request, 'tool', era, options.refusal());
      case 'prompts/get':
        return runs.start(request, 'prompt', era, options.refusal());
      case 'resources/read':
        return runs.start(request, 'resource', era, options.refusal());
      case 'tools/list':
        return list(request, 'tools', era);
      case 'prompts/list':
        return list(request, 'prompts', era);
      case 'resources/list':
        return list(request, 'resources', era);
      case 'resources/templates/list':
        return list(request, 'templates', era);
      case 'completion/complete':
        return complete(request, era);
      default:
        return refuse(request, era);
    }
  }

  function list(request: RpcRequest, kind: ListKind, era: 'legacy' | 'modern'): void {
    line.reply(request.id, listReply(request, kind, { era, calls, caller, facts }));
  }

  function complete(request: RpcRequest, era: 'legacy' | 'modern'): void {
    const { id } = request;
    if (isFull(inFlight)) return line.reply(id, tooManyReply(request));
    inFlight.add(id, OTHER);
    void completionReply(request, { era, calls, caller, facts }).then((text) => {
      // It may have been cancelled.
      if (!inFlight.has(id)) return;
      inFlight.remove(id);
      line.reply(id, text);
      options.onSettled();
    });
  }

  function setLevel({ id, params }: RpcRequest): void {
    const level = params?.['level'];
    if (!isLogLevel(level)) {
      const words = `Invalid params: level must be one of ${LEVELS_IN_WORDS}.`;
      return line.reply(id, errorReply(id, INVALID_PARAMS, words));
    }
    legacy.logLevel = level;
    line.reply(id, resultReply(id, '{}'));
  }

  function refuse({ id, method }: RpcRequest, era: 'legacy' | 'modern'): void {
    const status = era === 'modern' ? 404 : undefined;
    const words = `Method not found: ${oneLine(method, MAX_METHOD_CHARS)}`;
    line.reply(id, errorReply(id, METHOD_NOT_FOUND, words), status);
  }

  return { legacy: serveLegacy, modern: serveModern, refuse };
}

function tooManyReply({ id }: RpcRequest): string {
  const { message, fix, policy, class: errorClass, retryAfterMs } = TOO_MANY;
  const data = { error_class: errorClass, retry_after_ms: retryAfterMs };
  return errorReply(id, policy.rpcCode, `${message} ${fix}`, data);
}
