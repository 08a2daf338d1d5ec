import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { Clock } from '#core/clock.ts';
import type { Doorman } from '#core/doorman.ts';
import {
  DRAINING_LINE,
  isDrainLine,
  readHello,
  refusedLine,
  welcomeLine,
  type Hello,
} from '#core/local-socket/handshake.ts';
import { toSent } from '#core/messages/render.ts';
import type { Notice } from '#core/messages/notices.ts';
import type { Log } from '#core/telemetry.ts';
import type { Channel, Opening, Session } from '../channel.ts';
import { helloRoots } from './hello-roots.ts';

/** What is known of a client once it has said hello. */
export interface Greeted {
  readonly caller: Caller;
  readonly session: string;
  readonly door: 'unix' | 'ws';
  readonly notices: readonly Notice[];
  readonly maxTokens?: number;
}

export interface LocalDeps {
  readonly doorman: Doorman;
  readonly openMcp: (channel: Channel, about: Greeted) => Session;
  readonly version: string;
  readonly instance: string;
  /** The user's own folder, which is never a root. */
  readonly userFolder: string;
  readonly clock: Clock;
  readonly helloTimeoutMs: number;
  /** The longest line the door takes, so that clients can tell which request was too long. */
  readonly maxLineBytes?: number;
  /** Names of the tools that change nothing, of those that the caller may use. */
  replay(caller: Caller): readonly string[];
  /** What the daemon lacks of a client's settings, given as digests by variable. */
  settingsLacking(settings: Hello['settings']): readonly Notice[];
  requestStop(reason: string): void;
  readonly log: Log;
}

/** Close codes of the EXAI frames, which other lines ignore. */
const INVALID_HELLO = 4000;
const HELLO_TIMEOUT = 4002;
const UNAUTHORIZED = 4003;
const DONE = 1000;
const FAILED = 1011;
/** Only to whom the machine's settings belong is anything said about them. */
const OWNER = 'local';
const MAX_EARLY_LINES = 1024;
const MAX_EARLY_CHARS = 4_194_304;

/** A client of ours: says hello, is told who the daemon is, then speaks MCP. */
export function createLocalSession(channel: Channel, opening: Opening, deps: LocalDeps): Session {
  let phase: 'silent' | 'identifying' | 'greeted' | 'speaking' | 'over' = 'silent';
  let about: Greeted | undefined;
  let inner: Session | undefined;
  let early: string[] = [];
  let earlyChars = 0;
  let ended = false;
  let greetedAtMs: number | undefined;

  const timer = deps.clock.after(deps.helloTimeoutMs, () =>
    refuse(new CallError('timeout', 'No hello came in time.'), HELLO_TIMEOUT),
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

  async function greet(line: string): Promise<void> {
    phase = 'identifying';
    const { door } = channel;
    let hello: Hello;
    try {
      hello = readHello(line);
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
      known = await deps.doorman.identify({
        door: door === 'unix' ? 'unix' : 'tcp',
        token: opening.token ?? hello.token,
        connection: opening.connection,
      });
    } catch (thrown) {
      if (isOver()) return;
      return refuse(CallError.from(thrown), UNAUTHORIZED);
    }
    if (isOver()) return;
    welcome(hello, known);
  }

  /** A bug of ours costs this connection, and no other. */
  function failed(thrown: unknown): void {
    deps.log.error('local_session_failed', { cause: thrown });
    finish();
    channel.close(FAILED, 'Something failed inside EX-AI.');
  }

  /** Asked through a function, because the compiler does not know that the phase moves on while we wait. */
  function isOver(): boolean {
    return phase === 'over';
  }

  function welcome(hello: Hello, known: Caller): void {
    timer.stop();
    channel.identified?.(known.principal);
    const isOwner = known.principal === OWNER;
    const notices = isOwner ? deps.settingsLacking(hello.settings) : [];
    // A peer of TCP may be of another machine or user: what it says of its folder opens nothing.
    const roots = channel.door === 'unix' ? helloRoots(hello.cwd, deps.userFolder) : [];
    const caller = { ...known, roots: [...known.roots, ...roots] };
    // The command line shows what the welcome says; behind a shim only the first answer reaches somebody who reads.
    const told = hello.kind === 'shim' ? notices : [];
    about = {
      caller,
      session: opening.session,
      door: channel.door,
      notices: told,
      ...(hello.maxTokens !== undefined && { maxTokens: hello.maxTokens }),
    };
    phase = 'greeted';
    const { version, instance, maxLineBytes } = deps;
    const more = {
      ...(maxLineBytes !== undefined && { maxLineBytes }),
      ...(isOwner && { owner: true as const }),
    };
    channel.send(
      welcomeLine({
        version,
        instance,
        replay: deps.replay(caller),
        notices: notices.map(toSent),
        ...more,
      }),
    );
    greetedAtMs = deps.clock.monotonic();
    deps.log.info('client_greeted', { kind: hello.kind, client_version: hello.version });
    const waiting = early;
    early = [];
    for (const line of waiting) take(line);
    if (ended) session.onEnd();
  }

  function take(line: string): void {
    if (phase === 'greeted' && isDrainLine(line)) return stop();
    speak()?.onMessage(line);
  }

  function speak(): Session | undefined {
    if (phase === 'greeted' && about) {
      inner = deps.openMcp(channel, about);
      phase = 'speaking';
    }
    return inner;
  }

  function stop(): void {
    if (channel.door !== 'unix' || about?.caller.principal !== OWNER) {
      const words = 'Only the owner of the daemon, on its socket file, may ask it to stop.';
      return refuse(new CallError('permission', words), INVALID_HELLO);
    }
    channel.send(DRAINING_LINE);
    deps.requestStop('a newer client asked for it');
  }

  function hold(line: string): void {
    earlyChars += line.length;
    if (early.length < MAX_EARLY_LINES && earlyChars <= MAX_EARLY_CHARS) early.push(line);
    else refuse(new CallError('over_capacity', 'Too much came before the welcome.'), INVALID_HELLO);
  }

  const session: Session = {
    onMessage(line) {
      if (phase === 'silent') void greet(line).catch(failed);
      else if (phase === 'identifying') hold(line);
      else if (phase !== 'over') take(line);
    },
    onEnd() {
      ended = true;
      if (phase === 'identifying') return;
      if (inner) inner.onEnd();
      else {
        finish();
        channel.close(DONE, '');
      }
    },
    onClose() {
      finish();
      if (greetedAtMs !== undefined) {
        deps.log.info('client_gone', {
          connected_ms: Math.round(deps.clock.monotonic() - greetedAtMs),
        });
      }
      inner?.onClose();
    },
    drain: () => inner?.drain() ?? Promise.resolve(),
  };
  return session;
}
