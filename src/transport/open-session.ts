import { CallError } from '#core/errors/call-error.ts';
import type { Caller } from '#core/calls/call.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Authenticator } from '#core/auth/authenticator.ts';
import { parseUntrustedJson } from '#core/json/json-guard.ts';
import type { Channel, ConnectionInfo, InboundMessage, OpenSession, Session } from './channel.ts';
import { charsOf } from './parse-large-message.ts';

/** The caller and connection of an MCP session. */
export interface McpSessionInfo {
  readonly caller: Caller;
  readonly session: string;
  readonly transport: string;
}

/** The protocols that a connection may use. */
export interface Protocols {
  readonly mcp: (channel: Channel, context: McpSessionInfo) => Session;
  readonly exai: (channel: Channel, connection: ConnectionInfo) => Session;
  /** Shim and command line: a handshake of EX-AI, then MCP. */
  readonly handshake: (channel: Channel, connection: ConnectionInfo) => Session;
}

/** Settings and dependencies of new sessions. */
export interface OpenSessionOptions {
  readonly protocols: Protocols;
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  readonly helloTimeoutMs: number;
}

const HELLO_TIMEOUT = 4002;
const UNAUTHORIZED = 4003;
const POLICY_VIOLATION = 1008;
/** Limits of messages that wait during authentication; the first message alone may be larger. */
const MAX_EARLY_MESSAGES = 1024;
const MAX_EARLY_CHARS = 4_194_304;

/**
 * Creates sessions that detect their protocol from the first message and then pass everything to
 * it.
 */
export function createOpenSession(options: OpenSessionOptions): OpenSession {
  return (channel, connection) => {
    let inner: Session | undefined;
    const timer = options.clock.after(options.helloTimeoutMs, () =>
      channel.close(HELLO_TIMEOUT, 'hello timeout'),
    );
    const choose = (first: InboundMessage) => {
      timer.stop();
      inner = open(channel, connection, first, options);
      return inner;
    };
    return {
      onMessage: (message) => (inner ?? choose(message)).onMessage(message),
      onEnd() {
        if (inner) inner.onEnd();
        else channel.close(1000, '');
      },
      onClose() {
        timer.stop();
        inner?.onClose();
      },
      drain: () => inner?.drain() ?? Promise.resolve(),
      interrupt: () => inner?.interrupt(),
    };
  };
}

function open(
  channel: Channel,
  connection: ConnectionInfo,
  message: InboundMessage,
  { protocols, authenticator }: OpenSessionOptions,
): Session {
  const protocol = detectProtocol(message, channel, connection);
  if (protocol === 'exai') return protocols.exai(channel, connection);
  if (protocol === 'handshake') return protocols.handshake(channel, connection);
  const transport = channel.transport === 'unix' ? 'unix' : 'tcp';
  const credentials = {
    transport,
    token: connection.token,
    connection: connection.connection,
  } as const;
  const context = { session: connection.session, transport: channel.transport };
  return authenticatedSession(channel, authenticator.authenticate(credentials), (caller) =>
    protocols.mcp(channel, { ...context, caller }),
  );
}

function detectProtocol(
  message: InboundMessage,
  { transport }: Channel,
  { protocol }: ConnectionInfo,
): keyof Protocols {
  if (protocol === 'mcp') return 'mcp';
  let first: unknown;
  try {
    first = valueOf(message);
  } catch {
    // Not JSON: the default protocol of the transport reports the error.
    return transport === 'unix' ? 'mcp' : 'exai';
  }
  if (typeof first !== 'object' || first === null) return transport === 'unix' ? 'mcp' : 'exai';
  if (Object.hasOwn(first, 'exai')) return 'handshake';
  if (Array.isArray(first) || Object.hasOwn(first, 'jsonrpc')) return 'mcp';
  return transport === 'unix' && !Object.hasOwn(first, 'op') ? 'mcp' : 'exai';
}

/** A session that queues messages during authentication and then passes them on in order. */
function authenticatedSession(
  channel: Channel,
  authentication: Promise<Caller>,
  openInner: (caller: Caller) => Session,
): Session {
  const early: InboundMessage[] = [];
  let earlyChars = 0;
  let inner: Session | undefined;
  let state: 'open' | 'ended' | 'closed' = 'open';
  authentication.then(
    (caller) => {
      if (state === 'closed') return;
      channel.identified?.(caller.principal);
      inner = openInner(caller);
      for (const message of early.splice(0)) inner.onMessage(message);
      if (state === 'ended') inner.onEnd();
    },
    (thrown: unknown) => {
      channel.send(authenticationError(CallError.from(thrown), early[0]));
      channel.close(UNAUTHORIZED, 'unauthorized');
    },
  );
  return {
    onMessage(message) {
      if (inner) return inner.onMessage(message);
      const hasRoom = early.length < MAX_EARLY_MESSAGES && earlyChars < MAX_EARLY_CHARS;
      if (!hasRoom)
        return channel.close(POLICY_VIOLATION, 'too much came before the answer to the first');
      early.push(message);
      earlyChars += charsOf(message);
    },
    onEnd() {
      state = 'ended';
      inner?.onEnd();
    },
    onClose() {
      state = 'closed';
      inner?.onClose();
    },
    drain: () => inner?.drain() ?? Promise.resolve(),
    interrupt: () => inner?.interrupt(),
  };
}

/** The error response to the first message, so that the client knows which request failed. */
function authenticationError(error: CallError, first: InboundMessage | undefined): string {
  const { message, fix } = error;
  return JSON.stringify({
    jsonrpc: '2.0',
    id: idOf(first),
    error: {
      code: error.policy.rpcCode,
      message: fix === undefined ? message : `${message} ${fix}`,
      data: { error_class: error.class },
    },
  });
}

/** The parsed message; throws if it is not JSON. */
function valueOf(message: InboundMessage): unknown {
  return typeof message === 'string' ? parseUntrustedJson(message) : message.value;
}

function idOf(message: InboundMessage | undefined): string | number | null {
  try {
    const { id } = (valueOf(message ?? 'null') ?? {}) as { id?: unknown };
    return typeof id === 'string' || typeof id === 'number' ? id : null;
  } catch {
    // Not JSON: there is no id.
    return null;
  }
}
