import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { Calls } from '#core/calls.ts';
import type { Log } from '#core/telemetry.ts';
import type { Channel, Session } from '../channel.ts';
import { createInFlight, OTHER, SUBSCRIPTION } from './in-flight.ts';
import { initializeReply } from './initialize-reply.ts';
import * as rpc from './json-rpc.ts';
import { LIST_CHANGED, listReply } from './list-reply.ts';
import { claimOf, nextEra, SERVER_INFO_KEY, type Era } from './protocol-era.ts';
import {
  readMessage,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
} from './read-message.ts';
import { createSdkLink } from './sdk-link.ts';
import type { ConnectSdk } from './sdk-side.ts';
import { createToolCalls } from './tool-calls.ts';

export interface McpAbout {
  readonly caller: Caller;
  readonly session: string;
  readonly door: string;
  /** Told once, beside the first answer. */
  readonly notices?: readonly string[];
}

export interface McpDeps {
  readonly calls: Calls;
  readonly log: Log;
  readonly version: string;
  /** For the model on the other side: what this server is good for. */
  readonly instructions: string;
  /** Where the SDK comes from; unless told, it is imported when first needed. */
  readonly loadSdk?: () => Promise<ConnectSdk>;
}

const MAX_IN_FLIGHT = 1024;
const RETRY_AFTER_MS = 1000;

const TOO_MANY = new CallError('over_capacity', 'This connection has 1,024 requests in flight.', {
  retryAfterMs: RETRY_AFTER_MS,
  fix: 'Send it again in a second, when some of them are answered.',
});
const STOPPING = new CallError('over_capacity', 'The daemon is stopping.', {
  retryAfterMs: RETRY_AFTER_MS,
  fix: 'Send it again in a second, to the daemon that follows.',
});
const CLIENT_GONE = new CallError('cancelled', 'The client hung up.');

const importSdk = async (): Promise<ConnectSdk> => (await import('./sdk-side.ts')).connectSdk;

/**
 * MCP with one client. `tools/call`, `tools/list` and `ping` are answered here, in both eras of the protocol, and so is an
 * ordinary `initialize`; the rest is the SDK's, which is loaded when a client first needs it.
 */
export function createMcpSession(channel: Channel, about: McpAbout, deps: McpDeps): Session {
  const { caller, session, door, notices = [] } = about;
  const { calls, log, version, instructions, loadSdk = importSdk } = deps;
  const serverInfo = { name: 'exai', title: 'EX-AI', version };
  const serverMeta = { [SERVER_INFO_KEY]: serverInfo };
  const inFlight = createInFlight();
  let life: 'open' | 'draining' | 'over' = 'open';
  let clientSends: 'more' | 'no_more' = 'more';
  let era: Era = 'opening';
  let isInitialized = false;
  let whenIdle: (() => void)[] = [];

  // prettier-ignore
  const toolCalls = createToolCalls({
    channel, inFlight, calls, log, caller, session, door, notices, serverMeta, onSettled,
  });
  // prettier-ignore
  const sdk = createSdkLink({
    channel, inFlight, log, session, serverInfo, instructions, load: loadSdk, onSettled,
    onReleased: onMessage,
  });
  const stopListening = calls.onListChanged(() => {
    if (era !== 'legacy') sdk.toolsChanged();
    else if (isInitialized) channel.send(LIST_CHANGED);
  });

  function onMessage(text: string): void {
    if (life === 'over') return;
    const held = sdk.hold(text);
    if (held === 'held') return;
    const message = readMessage(text);
    if (message.is === 'unreadable') {
      if (message.reply !== undefined) channel.send(message.reply);
    } else if (held === 'not_loading') {
      attempt(message);
    } else if (message.is === 'request') {
      channel.send(tooManyReply(message));
    }
  }

  /** A fault of our own is this message's alone: it must not end the others, let alone the daemon. */
  function attempt(message: RpcMessage): void {
    try {
      if (message.is === 'request') onRequest(message);
      else if (message.is === 'notification') onNotification(message);
      else sdk.deliver(message, era);
    } catch (thrown) {
      log.error('mcp_message_failed', { error: CallError.from(thrown) });
      if (message.is !== 'request') return;
      inFlight.remove(message.id);
      channel.send(rpc.errorReply(message.id, rpc.INTERNAL_ERROR, 'Internal error'));
    }
  }

  function onRequest(request: RpcRequest): void {
    const { id, method, params } = request;
    if (inFlight.has(id)) {
      const words = 'Invalid request: a request with this id is still in flight.';
      return channel.send(rpc.errorReply(id, rpc.INVALID_REQUEST, words));
    }
    const before = era;
    const claim = era === 'legacy' ? 'none' : claimOf(params);
    era = nextEra(era, request, claim);
    const isSettled = era === 'legacy' || era === 'modern';
    const isOurs = method === 'ping' ? isSettled : era === 'legacy' || claim === 'good';
    switch (isOurs && isSettled ? method : 'of_the_sdk') {
      case 'tools/call':
        if (era !== before) sdk.settle(era);
        return toolCalls.start(request, era, refusal());
      case 'tools/list':
        if (era !== before) sdk.settle(era);
        return channel.send(listReply(request, era, calls.list(caller), serverMeta));
      case 'ping':
        if (era !== before) sdk.settle(era);
        return channel.send(pong(request, era));
      case 'initialize':
        return initialize(request, before);
      default:
        return passOn(request, before);
    }
  }

  function passOn(request: RpcRequest, before: Era): void {
    if (inFlight.size() >= MAX_IN_FLIGHT) return channel.send(tooManyReply(request));
    inFlight.add(request.id, request.method === 'subscriptions/listen' ? SUBSCRIPTION : OTHER);
    sdk.deliver(request, before);
  }

  /** The usual beginning needs no SDK; it is told of it later, should the client turn out to need one. */
  function initialize(request: RpcRequest, before: Era): void {
    const isFirst = before === 'opening' && !sdk.isInUse();
    const reply = isFirst ? initializeReply(request, serverInfo, instructions) : undefined;
    if (reply === undefined) return passOn(request, before);
    sdk.recall(request);
    channel.send(reply);
  }

  function refusal(): CallError | undefined {
    if (life === 'draining') return STOPPING;
    return inFlight.size() >= MAX_IN_FLIGHT ? TOO_MANY : undefined;
  }

  function onNotification(message: RpcNotification): void {
    const { method, params } = message;
    if (method === 'notifications/cancelled') return onCancelled(message);
    const before = era;
    era = nextEra(era, message, claimOf(params));
    if (method === 'notifications/initialized') {
      isInitialized = true;
      if (before === 'legacy' && !sdk.isInUse()) return sdk.recall(message);
    }
    sdk.deliver(message, before);
  }

  function onCancelled(message: RpcNotification): void {
    const id = message.params?.['requestId'];
    if (!rpc.isRequestId(id)) return;
    const cancelled = inFlight.get(id);
    // It may have been answered while the cancellation was on its way.
    if (!cancelled) return;
    inFlight.remove(id);
    if (cancelled.is === 'call') toolCalls.cancel(cancelled);
    else sdk.deliver(message, era);
    onSettled();
  }

  function onSettled(): void {
    if (!isIdle()) return;
    for (const resolve of whenIdle) resolve();
    whenIdle = [];
    if (clientSends === 'more' || life === 'over') return;
    life = 'over';
    stopListening();
    sdk.end();
  }

  function isIdle(): boolean {
    return inFlight.isIdle() && !sdk.isLoading();
  }

  return {
    onMessage,
    onEnd() {
      clientSends = 'no_more';
      onSettled();
    },
    onClose() {
      if (life === 'over') return;
      life = 'over';
      stopListening();
      for (const call of inFlight.calls()) toolCalls.cancel(call, CLIENT_GONE);
      sdk.drop();
      for (const resolve of whenIdle) resolve();
    },
    drain() {
      if (life === 'open') life = 'draining';
      if (life === 'over' || isIdle()) return Promise.resolve();
      return new Promise((resolve) => whenIdle.push(resolve));
    },
  };
}

/** The modern era has none. */
function pong({ id }: RpcRequest, era: Era): string {
  if (era === 'legacy') return rpc.resultReply(id, '{}');
  return rpc.errorReply(id, rpc.METHOD_NOT_FOUND, 'Method not found');
}

function tooManyReply({ id }: RpcRequest): string {
  const { message, fix, policy, class: errorClass, retryAfterMs } = TOO_MANY;
  const data = { error_class: errorClass, retry_after_ms: retryAfterMs };
  return rpc.errorReply(id, policy.rpcCode, `${message} ${fix}`, data);
}
