import { OWNER_PRINCIPAL } from '#core/auth/principal.ts';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import type { Authenticator } from '#core/auth/authenticator.ts';
import type { Caller } from '#core/calls/call.ts';
import { CallError } from '#core/errors/call-error.ts';
import {
  DRAINING_LINE,
  isDrainLine,
  readHello,
  refusedLine,
  welcomeLine,
  type Hello,
} from '#core/local-socket/handshake.ts';
import type { Notice } from '#core/messages/notices.ts';
import { toSent } from '#core/messages/render.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Channel, ConnectionInfo, InboundMessage, Session } from '../channel.ts';
import { charsOf } from '../parse-large-message.ts';

/** A client after its hello. */
export interface WelcomedClient {
  readonly caller: Caller;
  readonly session: string;
  readonly transport: 'unix' | 'ws';
  readonly notices: readonly Notice[];
  readonly maxTokens?: number;
  /** The MCP server that is all it wants to see. */
  readonly server?: string;
  readonly resends?: true;
}

export interface HandshakeDeps {
  readonly authenticator: Authenticator;
  readonly openMcp: (channel: Channel, client: WelcomedClient) => Session;
  readonly version: string;
  readonly instance: string;
  /** The user's home folder, which is never a root. */
  readonly userFolder: string;
  readonly clock: Clock;
  readonly helloTimeoutMs: number;
  /** Maximum line length, so that clients can refuse longer requests themselves. */
  readonly maxLineBytes?: number;
  /** Names of the read-only tools of a caller, which a shim may call again; of one server: its own. */
  replay(caller: Caller, server: string | undefined): readonly string[];
  /** Why a client cannot see this MCP server; undefined: it can. */
  refuseServer(server: string): CallError | undefined;
  /** Notices about settings of the client, given as digests, that the daemon does not have. */
  missingSettings(settings: Hello['settings']): readonly Notice[];
  requestStop(reason: string): void;
  readonly log: Log;
}

/** Close codes of the EXAI protocol; other transports ignore them. */
const INVALID_HELLO = 4000;
const HELLO_TIMEOUT = 4002;
const UNAUTHORIZED = 4003;
const DONE = 1000;
const FAILED = 1011;
const MAX_EARLY_LINES = 1024;
const MAX_EARLY_CHARS = 4_194_304;

/** A session with a shim or the command line: hello, welcome, then MCP. */
export function createHandshakeSession(
  channel: Channel,
  opening: ConnectionInfo,
  deps: HandshakeDeps,
): Session {
  let phase: 'new' | 'authenticating' | 'welcomed' | 'open' | 'over' = 'new';
  let client: WelcomedClient | undefined;
  let inner: Session | undefined;
  let early: InboundMessage[] = [];
  let earlyChars = 0;
  let ended = false;
  let welcomedAtMs: number | undefined;

  const timer = deps.clock.after(deps.helloTimeoutMs, () =>
    refuse(new CallError('timeout', 'Handshake timed out.'), HELLO_TIMEOUT),
  );

  function finish(): void {
    timer.stop();
    phase = 'over';
    early = [];
  }

  function refuse(error: CallError, code: number): void {
    finish();
    channel.send(refusedLine(error));
    channel.close(code, error.message);
  }

  async function handleHello(line: InboundMessage): Promise<void> {
    phase = 'authenticating';
    const { transport } = channel;
    let hello: Hello;
    try {
      // No hello is large.
      hello = readHello(typeof line === 'string' ? line : '');
    } catch (thrown) {
      return refuse(CallError.from(thrown), INVALID_HELLO);
    }
    if (opening.token !== undefined && hello.token !== undefined && opening.token !== hello.token) {
      const error = new CallError('auth', 'The upgrade and the hello have different tokens.', {
        field: 'token',
        fix: 'Send one token.',
      });
      return refuse(error, UNAUTHORIZED);
    }
    let known: Caller;
    try {
      known = await deps.authenticator.authenticate({
        transport: transport === 'unix' ? 'unix' : 'tcp',
        token: opening.token ?? hello.token,
        connection: opening.connection,
      });
    } catch (thrown) {
      if (isOver()) return;
      return refuse(CallError.from(thrown), UNAUTHORIZED);
    }
    if (isOver()) return;
    const refusal = hello.server === undefined ? undefined : deps.refuseServer(hello.server);
    if (refusal) return refuse(refusal, INVALID_HELLO);
    welcome(hello, known);
  }

  /** An exception closes this connection only. */
  function failed(thrown: unknown): void {
    deps.log.error('unix_session_failed', { cause: thrown });
    finish();
    channel.close(FAILED, 'Something failed inside EX-AI.');
  }

  /** A function, because the compiler does not know that the phase changes during an await. */
  function isOver(): boolean {
    return phase === 'over';
  }

  function welcome(hello: Hello, known: Caller): void {
    timer.stop();
    channel.identified?.(known.principal);
    const isOwner = known.principal === OWNER_PRINCIPAL && known.scopes.includes('*');
    const notices = isOwner ? deps.missingSettings(hello.settings) : [];
    // A TCP peer may be on another machine or another user, so its folder grants no access.
    const roots = channel.transport === 'unix' ? helloRoots(hello.cwd, deps.userFolder) : [];
    const caller = { ...known, roots: [...known.roots, ...roots] };
    // The command line prints the notices of the welcome; behind a shim only the first answer
    // reaches the user.
    const firstAnswerNotices = hello.kind === 'shim' ? notices : [];
    client = {
      caller,
      session: opening.session,
      transport: channel.transport,
      notices: firstAnswerNotices,
      ...(hello.maxTokens !== undefined && { maxTokens: hello.maxTokens }),
      ...(hello.server !== undefined && { server: hello.server }),
      ...(hello.resends && { resends: hello.resends }),
    };
    phase = 'welcomed';
    const { version, instance, maxLineBytes } = deps;
    const more = {
      ...(maxLineBytes !== undefined && { maxLineBytes }),
      ...(isOwner && { owner: true as const }),
    };
    channel.send(
      welcomeLine({
        version,
        instance,
        replay: deps.replay(caller, hello.server),
        notices: notices.map(toSent),
        ...more,
      }),
    );
    welcomedAtMs = deps.clock.monotonic();
    deps.log.info('client_connected', { kind: hello.kind, client_version: hello.version });
    const waiting = early;
    early = [];
    for (const line of waiting) handleLine(line);
    if (ended) session.onEnd();
  }

  function handleLine(line: InboundMessage): void {
    if (phase === 'welcomed' && typeof line === 'string' && isDrainLine(line)) return stop();
    openInner()?.onMessage(line);
  }

  function openInner(): Session | undefined {
    if (phase === 'welcomed' && client) {
      inner = deps.openMcp(channel, client);
      phase = 'open';
    }
    return inner;
  }

  function stop(): void {
    if (channel.transport !== 'unix' || client?.caller.principal !== OWNER_PRINCIPAL) {
      const text = 'Only the owner of the daemon, on its socket file, may ask it to stop.';
      return refuse(new CallError('permission', text), INVALID_HELLO);
    }
    channel.send(DRAINING_LINE);
    deps.requestStop('a newer client asked for it');
  }

  function hold(line: InboundMessage): void {
    earlyChars += charsOf(line);
    if (early.length < MAX_EARLY_LINES && earlyChars <= MAX_EARLY_CHARS) early.push(line);
    else
      refuse(
        new CallError('over_capacity', 'Too much data received before the handshake completed.'),
        INVALID_HELLO,
      );
  }

  const session: Session = {
    onMessage(line) {
      if (phase === 'new') void handleHello(line).catch(failed);
      else if (phase === 'authenticating') hold(line);
      else if (phase !== 'over') handleLine(line);
    },
    onEnd() {
      ended = true;
      if (phase === 'authenticating') return;
      if (inner) inner.onEnd();
      else {
        finish();
        channel.close(DONE, '');
      }
    },
    onClose() {
      finish();
      if (welcomedAtMs !== undefined) {
        deps.log.info('client_disconnected', {
          connected_ms: Math.round(deps.clock.monotonic() - welcomedAtMs),
        });
      }
      inner?.onClose();
    },
    drain: () => inner?.drain() ?? Promise.resolve(),
    interrupt: () => inner?.interrupt(),
  };
  return session;
}

/**
 * The folder of the hello as a file root. Never the root of a disk, the user's home folder or one
 * above it: IDEs start their servers there if no project is open, and private files are there too.
 */
export function helloRoots(cwd: string, userFolder: string): readonly string[] {
  if (!isAbsolute(cwd) || cwd.includes('\0')) return [];
  const folder = resolve(cwd);
  if (dirname(folder) === folder) return [];
  const toUser = relative(folder, resolve(userFolder));
  const holdsUser = toUser === '' || (!toUser.startsWith('..') && !isAbsolute(toUser));
  return holdsUser ? [] : [folder];
}
