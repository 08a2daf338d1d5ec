import type { Caller } from '#core/calls/call.ts';
import type { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { UpstreamState } from '#core/hub/upstream-state.ts';
import type { Hub, Upstream } from '#core/hub/upstream.ts';
import { reason } from '#core/messages/reasons.ts';
import type { Clock } from '#core/time/clock.ts';
import { isToolNameOf } from '#hub/catalogue/tool-name.ts';
import { toConnection } from './server-connection.ts';
import { fixFor, formatServerFix } from './server-problems.ts';

/** What there is to say about MCP servers that do not work, or whose tools are not known yet. */
export interface ServerNotes {
  /** Empty where the server works. */
  of(server: string): string;
  /**
   * The servers of a caller that are starting for the first time, so that their tools are not known.
   * Waits for them for a moment.
   */
  starting(caller: Caller): Promise<readonly string[]>;
  /** The servers of a caller whose tools are not known as they cannot be used, such as for want of a login. */
  unavailable(caller: Caller): readonly UnavailableServer[];
  /** Why a tool of a server of the caller is not known; undefined if the server has listed its tools. */
  explainUnknown(tool: string, caller: Caller): CallError | undefined;
  /** The hub, once there is one, and which of its servers a caller may use. */
  use(hub: Pick<Hub, 'find' | 'onChange'>, serversOf: ServersOf): void;
}

export interface UnavailableServer {
  readonly server: string;
  /** A sentence, and what to do. */
  readonly problem: string;
}

/** Of all servers, or of those that are wanted. */
type ServersOf = (
  caller: Caller,
  isWanted?: (upstream: Upstream) => boolean,
) => readonly Upstream[];

/** Since a server began to start; a search after that does not wait for it. */
const WAIT_MS = 3_000;

export function createServerNotes(clock: Pick<Clock, 'now' | 'after'>): ServerNotes {
  let hub: Pick<Hub, 'find' | 'onChange'> | undefined;
  let serversOf: ServersOf = () => [];

  const unknown = (caller: Caller) =>
    serversOf(caller).filter(
      (upstream) => upstream.tools() === undefined && upstream.state().is === 'starting',
    );

  return {
    of(server) {
      const upstream = hub?.find(server);
      return upstream ? toConnection(upstream).problem : '';
    },
    async starting(caller) {
      const now = clock.now();
      const left = unknown(caller).map((upstream) => {
        const state = upstream.state();
        return state.is === 'starting' ? WAIT_MS - (now - state.since) : 0;
      });
      const most = Math.min(WAIT_MS, Math.max(0, ...left));
      if (most > 0 && hub) await changed(hub, clock, most, () => unknown(caller).length === 0);
      return unknown(caller).map(({ name }) => name);
    },
    unavailable(caller) {
      return serversOf(caller)
        .filter((upstream) => upstream.tools() === undefined && upstream.state().is === 'waiting')
        .map(toConnection)
        .map(({ server, problem }) => ({ server, problem }));
    },
    explainUnknown(tool, caller) {
      // The longest name: that of another server may be its beginning.
      const [upstream] = serversOf(caller, ({ name }) => isToolNameOf(name, tool)).toSorted(
        (one, other) => other.name.length - one.name.length,
      );
      if (!upstream) return undefined;
      const state = upstream.state();
      if (state.is !== 'disabled' && upstream.tools() !== undefined) return undefined;
      // It connects with the first call; this one cannot wait for that, but the next one can use it.
      if (state.is === 'stopped' || state.is === 'waiting')
        upstream.connect().catch(() => undefined);
      return whyUnknown(upstream.name, state);
    },
    use(given, servers) {
      hub = given;
      serversOf = servers;
    },
  };
}

const RETRY_MS = 3_000;

function whyUnknown(server: string, state: UpstreamState): CallError {
  if (state.is !== 'waiting' && state.is !== 'disabled') {
    return codedError('network', reason('server_tools_not_known', { server }), {
      retryAfterMs: RETRY_MS,
      fix: 'Call it again in some seconds.',
    });
  }
  const { because } = state;
  const isLogin = because.code === 'server_login_needed' || because.code === 'server_login_failed';
  const usual = state.is === 'disabled' ? 'not_configured' : 'network';
  return codedError(isLogin ? 'auth' : usual, because, {
    fix: formatServerFix(fixFor({ name: server, reason: because })),
  });
}

/** Resolves once `isDone` after a change of a server, or when the time is over. */
function changed(
  hub: Pick<Hub, 'onChange'>,
  clock: Pick<Clock, 'after'>,
  ms: number,
  isDone: () => boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      timer.stop();
      stop();
      resolve();
    };
    const timer = clock.after(ms, end);
    const stop = hub.onChange(() => {
      if (isDone()) end();
    });
  });
}
