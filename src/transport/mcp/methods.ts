import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { Calls, ListKind } from '#core/calls.ts';
import { oneLine } from '#core/one-line.ts';
import type { LogLevel, QuestionKind } from '#core/question.ts';
import type { Log } from '#core/telemetry.ts';
import { askableOf } from '#mcp/askable.ts';
import { clientInfoOf, clientNameOf, isLogLevel, LEVELS_IN_WORDS } from '#mcp/claim.ts';
import { errorReply, INVALID_PARAMS, METHOD_NOT_FOUND, resultReply } from '#mcp/json-rpc.ts';
import { MODERN_VERSION } from '#mcp/protocol-versions.ts';
import type { RpcRequest } from '#mcp/read-message.ts';
import { completionReply } from './completion.ts';
import { discoverReply } from './discover-reply.ts';
import type { InFlight } from './in-flight.ts';
import { logGreeting } from './greeting.ts';
import { initializeReply } from './initialize-reply.ts';
import type { Later } from './later.ts';
import { listReply } from './list-reply.ts';
import type { McpLine } from './mcp-line.ts';
import type { Runs } from './runs.ts';
import type { ServerFacts } from './server-facts.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { Tasks } from './tasks.ts';

/** What a legacy client says when it begins, and later of its log. */
export interface LegacyClient {
  askable: readonly QuestionKind[];
  logLevel: LogLevel;
  /** What it calls itself. */
  name: string | undefined;
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
  /** Absent where there are none. */
  readonly tasks: (() => Tasks) | undefined;
  readonly later: Later;
  readonly legacy: LegacyClient;
  /** Why no call may begin now, if none may. */
  readonly refusal: () => CallError | undefined;
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
  const { line, inFlight, calls, caller, facts, runs, subscriptions, tasks, legacy } = options;

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
    switch (request.method) {
      case 'server/discover':
        return discover(request);
      case 'subscriptions/listen':
        return hasRoom(request) ? subscriptions.listen(request) : undefined;
      case 'tasks/get':
      case 'tasks/update':
      case 'tasks/cancel':
        return tasks ? serveTask(request, tasks()) : refuse(request, 'modern');
      default:
        return serve(request, 'modern');
    }
  }

  function serveTask(request: RpcRequest, all: Tasks): void {
    if (hasRoom(request)) options.later(request.id, all.serve(request));
  }

  /** Whoever finds none is told so. */
  function hasRoom(request: RpcRequest): boolean {
    const hasIt = !isFull(inFlight);
    if (!hasIt) line.reply(request.id, tooManyReply(request));
    return hasIt;
  }

  function initialize(request: RpcRequest): void {
    const { id, params } = request;
    legacy.askable = askableOf(params?.['capabilities']);
    legacy.name = clientNameOf(params?.['clientInfo']);
    logGreeting(options.log, params?.['clientInfo'], {
      ...options,
      protocol: params?.['protocolVersion'],
    });
    line.reply(id, initializeReply(request, facts));
  }

  function discover({ id, params }: RpcRequest): void {
    logGreeting(options.log, clientInfoOf(params), { ...options, protocol: MODERN_VERSION });
    line.reply(id, discoverReply(id, facts, tasks ? 'with_tasks' : 'without_tasks'));
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
    if (!hasRoom(request)) return;
    const reply = completionReply(request, { era, calls, caller, facts });
    options.later(
      request.id,
      reply.then((text) => ({ text })),
    );
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
