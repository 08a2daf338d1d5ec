import type { Caller } from '#core/calls/call.ts';
import type { Hub, Upstream } from '#core/hub/upstream.ts';
import type { Clock } from '#core/time/clock.ts';
import { toConnection } from './server-connection.ts';

/** What there is to say about MCP servers that do not work, or whose tools are not known yet. */
export interface ServerNotes {
  /** Empty where the server works. */
  of(server: string): string;
  /**
   * The servers of a caller that are starting for the first time, so that their tools are not known.
   * Waits for them for a moment.
   */
  starting(caller: Caller): Promise<readonly string[]>;
  /** The hub, once there is one, and which of its servers a caller may use. */
  use(hub: Pick<Hub, 'find' | 'onChange'>, serversOf: ServersOf): void;
}

type ServersOf = (caller: Caller) => readonly Upstream[];

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
    use(given, servers) {
      hub = given;
      serversOf = servers;
    },
  };
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
