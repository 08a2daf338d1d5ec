import type { Caller } from '#core/calls/call.ts';
import type { Calls, ListKind } from '#core/calls/calls.ts';
import { withClientInfo } from '#core/calls/client-info.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { oneLine } from '#core/text/text.ts';
import type { InputRequestKind, LogLevel } from '#core/tools/input-request.ts';
import { readInputRequestKinds } from '#mcp/client-capabilities.ts';
import {
  INVALID_PARAMS,
  isObject,
  METHOD_NOT_FOUND,
  rpcErrorResponse,
  rpcResultResponse,
  type Members,
} from '#mcp/json-rpc.ts';
import {
  isLogLevel,
  LOG_LEVEL_LIST,
  parseClientInfo,
  readClientInfo,
  readClientName,
} from '#mcp/protocol-meta.ts';
import { MODERN_VERSION } from '#mcp/protocol-versions.ts';
import type { RpcRequest } from '#mcp/read-message.ts';
import type { ActiveCalls, CallRefusal } from './active-calls.ts';
import type { DeferReply, InFlightRequests } from './in-flight.ts';
import type { McpSink } from './mcp-sink.ts';
import { completionReply, discoverReply, initializeReply, listReply } from './replies.ts';
import type { ServerInfo } from './server-info.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { Tasks } from './tasks.ts';

/** What a legacy client declared in `initialize` and `logging/setLevel`. */
export interface LegacyClient {
  inputRequestKinds: readonly InputRequestKind[];
  logLevel: LogLevel;
  /** `clientInfo.name`. */
  name: string | undefined;
  /** The caller of its calls, with its `clientInfo`. */
  caller: Caller;
}

interface MethodsOptions {
  readonly sink: McpSink;
  readonly inFlight: InFlightRequests;
  readonly calls: Calls;
  readonly caller: Caller;
  readonly transport: string;
  readonly log: Log;
  readonly serverInfo: ServerInfo;
  readonly activeCalls: ActiveCalls;
  readonly subscriptions: Subscriptions;
  /** Undefined where tasks are not offered. */
  readonly tasks: (() => Tasks) | undefined;
  readonly deferReply: DeferReply;
  readonly legacy: LegacyClient;
  /** Why no call may start now; undefined if one may. */
  readonly refusal: () => CallRefusal | undefined;
}

/** The method handlers of both eras. */
interface Methods {
  legacy(request: RpcRequest): void;
  modern(request: RpcRequest): void;
  /** Answers an unknown method. */
  refuse(request: RpcRequest, era: 'legacy' | 'modern'): void;
}

const MAX_IN_FLIGHT = 1024;
const MAX_METHOD_CHARS = 128;

export const TOO_MANY_REQUESTS = new CallError(
  'over_capacity',
  'This connection has 1,024 requests in flight.',
  {
    retryAfterMs: 1000,
    fix: 'Send it again in a second, when some of them are answered.',
  },
);

export function isAtRequestLimit(inFlight: InFlightRequests): boolean {
  return inFlight.size() >= MAX_IN_FLIGHT;
}

export function createMethods(options: MethodsOptions): Methods {
  const { sink, inFlight, calls, caller, serverInfo, activeCalls, subscriptions, tasks, legacy } =
    options;

  function serveLegacy(request: RpcRequest): void {
    const { id, method } = request;
    switch (method) {
      case 'initialize':
        return initialize(request);
      case 'ping':
        return sink.reply(id, rpcResultResponse(id, '{}'));
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

  function serveTask(request: RpcRequest, handler: Tasks): void {
    if (hasRoom(request)) options.deferReply(request.id, handler.serve(request));
  }

  /** Whether one more request fits; answers it with an error if not. */
  function hasRoom(request: RpcRequest): boolean {
    const fits = !isAtRequestLimit(inFlight);
    if (!fits) sink.reply(request.id, tooManyReply(request));
    return fits;
  }

  function initialize(request: RpcRequest): void {
    const { id, params } = request;
    legacy.inputRequestKinds = readInputRequestKinds(params?.['capabilities']);
    legacy.name = readClientName(params?.['clientInfo']);
    legacy.caller = withClientInfo(caller, parseClientInfo(params?.['clientInfo']));
    logClientConnected(options.log, params?.['clientInfo'], {
      ...options,
      protocol: params?.['protocolVersion'],
    });
    sink.reply(id, initializeReply(request, serverInfo));
  }

  function discover({ id, params }: RpcRequest): void {
    logClientConnected(options.log, readClientInfo(params), {
      ...options,
      protocol: MODERN_VERSION,
    });
    sink.reply(id, discoverReply(id, serverInfo, tasks ? 'with_tasks' : 'without_tasks'));
  }

  /** Methods of both eras. */
  function serve(request: RpcRequest, era: 'legacy' | 'modern'): void {
    switch (request.method) {
      case 'tools/call':
        return activeCalls.start(request, 'tool', era, options.refusal());
      case 'prompts/get':
        return activeCalls.start(request, 'prompt', era, options.refusal());
      case 'resources/read':
        return activeCalls.start(request, 'resource', era, options.refusal());
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
    sink.reply(request.id, listReply(request, kind, { era, calls, caller, serverInfo }));
  }

  function complete(request: RpcRequest, era: 'legacy' | 'modern'): void {
    if (!hasRoom(request)) return;
    const reply = completionReply(request, { era, calls, caller, serverInfo });
    options.deferReply(
      request.id,
      reply.then((text) => ({ text })),
    );
  }

  function setLevel({ id, params }: RpcRequest): void {
    const level = params?.['level'];
    if (!isLogLevel(level)) {
      const text = `Invalid params: level must be one of ${LOG_LEVEL_LIST}.`;
      return sink.reply(id, rpcErrorResponse(id, INVALID_PARAMS, text));
    }
    legacy.logLevel = level;
    sink.reply(id, rpcResultResponse(id, '{}'));
  }

  function refuse({ id, method }: RpcRequest, era: 'legacy' | 'modern'): void {
    const status = era === 'modern' ? 404 : undefined;
    const text = `Method not found: ${oneLine(method, MAX_METHOD_CHARS)}`;
    sink.reply(id, rpcErrorResponse(id, METHOD_NOT_FOUND, text), status);
  }

  return { legacy: serveLegacy, modern: serveModern, refuse };
}

function tooManyReply({ id }: RpcRequest): string {
  const { message, fix, policy, class: errorClass, retryAfterMs } = TOO_MANY_REQUESTS;
  const data = { error_class: errorClass, retry_after_ms: retryAfterMs };
  return rpcErrorResponse(id, policy.rpcCode, `${message} ${fix}`, data);
}

const MAX_CHARS = 64;

/** Logs which program connected and how, for the owner of the daemon. */
function logClientConnected(
  log: Log,
  info: unknown,
  context: { readonly caller: Caller; readonly transport: string; readonly protocol: unknown },
): void {
  const { name, version }: Members = isObject(info) ? info : {};
  log.info('client_connected', {
    client: shortText(name),
    client_version: shortText(version),
    protocol: shortText(context.protocol),
    transport: context.transport,
    // The name of this field before 0.2.0, for one release.
    door: context.transport,
    principal: context.caller.principal,
  });
}

function shortText(value: unknown): string {
  return typeof value === 'string' ? oneLine(value, MAX_CHARS) : '';
}
