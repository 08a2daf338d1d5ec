import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { Clock } from '#core/clock.ts';
import type { Doorman } from '#core/doorman.ts';
import { parseText } from '#core/parse-text.ts';
import type { Channel, OpenSession, Opening, Session } from './channel.ts';

export interface McpAbout {
  readonly caller: Caller;
  readonly session: string;
  readonly door: string;
}

/** The protocols a connection may turn out to speak. */
export interface Protocols {
  readonly mcp: (channel: Channel, about: McpAbout) => Session;
  readonly exai: (channel: Channel, opening: Opening) => Session;
  /** Shim and command line, which say hello in a way of their own and then speak MCP. */
  readonly local: (channel: Channel, opening: Opening) => Session;
}

export interface OpenSessionOptions {
  readonly protocols: Protocols;
  readonly doorman: Doorman;
  readonly clock: Clock;
  readonly helloTimeoutMs: number;
}

const HELLO_TIMEOUT = 4002;
const UNAUTHORISED = 4003;
const POLICY = 1008;
/** While it is found out who is there, so much may wait; the first message alone may be larger. */
const MAX_EARLY = 1024;
const MAX_EARLY_CHARS = 4_194_304;

/** A connection says by its first message which protocol it speaks; then that protocol has it. */
export function createOpenSession(options: OpenSessionOptions): OpenSession {
  return (channel, opening) => {
    let inner: Session | undefined;
    const timer = options.clock.after(options.helloTimeoutMs, () =>
      channel.close(HELLO_TIMEOUT, 'hello timeout'),
    );
    const choose = (text: string) => {
      timer.stop();
      inner = open(channel, opening, text, options);
      return inner;
    };
    return {
      onMessage: (text) => (inner ?? choose(text)).onMessage(text),
      onEnd() {
        if (inner) inner.onEnd();
        else channel.close(1000, '');
      },
      onClose() {
        timer.stop();
        inner?.onClose();
      },
      drain: () => inner?.drain() ?? Promise.resolve(),
    };
  };
}

function open(
  channel: Channel,
  opening: Opening,
  text: string,
  { protocols, doorman }: OpenSessionOptions,
): Session {
  const kind = kindOf(text, channel, opening);
  if (kind === 'exai') return protocols.exai(channel, opening);
  if (kind === 'local') return protocols.local(channel, opening);
  const door = channel.door === 'unix' ? 'unix' : 'tcp';
  const arrival = { door, token: opening.token, connection: opening.connection } as const;
  const about = { session: opening.session, door: channel.door };
  return admitted(channel, doorman.identify(arrival), (caller) =>
    protocols.mcp(channel, { ...about, caller }),
  );
}

function kindOf(text: string, { door }: Channel, { protocol }: Opening): keyof Protocols {
  if (protocol === 'mcp') return 'mcp';
  let first: unknown;
  try {
    first = parseText(text);
  } catch {
    // Whatever it is, the protocol of the door says what it thinks of it.
    return door === 'unix' ? 'mcp' : 'exai';
  }
  if (typeof first !== 'object' || first === null) return door === 'unix' ? 'mcp' : 'exai';
  if (Object.hasOwn(first, 'exai')) return 'local';
  if (Array.isArray(first) || Object.hasOwn(first, 'jsonrpc')) return 'mcp';
  return door === 'unix' && !Object.hasOwn(first, 'op') ? 'mcp' : 'exai';
}

/** What arrives while it is found out who is there waits, and goes on in order. */
function admitted(
  channel: Channel,
  identity: Promise<Caller>,
  enter: (caller: Caller) => Session,
): Session {
  const early: string[] = [];
  let earlyChars = 0;
  let inner: Session | undefined;
  let gone: 'no' | 'ended' | 'closed' = 'no';
  identity.then(
    (caller) => {
      if (gone === 'closed') return;
      channel.identified?.(caller.principal);
      inner = enter(caller);
      for (const text of early.splice(0)) inner.onMessage(text);
      if (gone === 'ended') inner.onEnd();
    },
    (thrown: unknown) => {
      channel.send(refusal(CallError.from(thrown), early[0]));
      channel.close(UNAUTHORISED, 'unauthorized');
    },
  );
  return {
    onMessage(text) {
      if (inner) return inner.onMessage(text);
      const hasRoom = early.length < MAX_EARLY && earlyChars < MAX_EARLY_CHARS;
      if (!hasRoom) return channel.close(POLICY, 'too much came before the answer to the first');
      early.push(text);
      earlyChars += text.length;
    },
    onEnd() {
      gone = 'ended';
      inner?.onEnd();
    },
    onClose() {
      gone = 'closed';
      inner?.onClose();
    },
    drain: () => inner?.drain() ?? Promise.resolve(),
  };
}

/** To whatever was asked first, so that the client knows which of its requests failed. */
function refusal(error: CallError, first: string | undefined): string {
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

function idOf(text: string | undefined): string | number | null {
  try {
    const { id } = (JSON.parse(text ?? 'null') ?? {}) as { id?: unknown };
    return typeof id === 'string' || typeof id === 'number' ? id : null;
  } catch {
    // Not JSON: there is no id to answer to.
    return null;
  }
}
