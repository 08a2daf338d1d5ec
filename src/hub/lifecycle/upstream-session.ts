import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { UpstreamState } from '#core/hub/upstream-state.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { LightAbortController } from '#core/net/abort.ts';
import type { Random } from '#core/random.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import type { Connection, ConnectionHandlers, OpenConnection } from '../connection/connection.ts';
import { loginNeeded } from '../login/login-needed.ts';
import { restartDelayMs } from './restart-delay.ts';

interface SessionOptions {
  readonly server: string;
  readonly open: OpenConnection;
  readonly clock: Clock;
  readonly random: Random;
  /** Read when a connection becomes idle; 0: it stays. */
  readonly idleStopMs: () => number;
  readonly handlers: Omit<ConnectionHandlers, 'onClose'>;
  readonly onState: () => void;
  readonly onConnected: (connection: Connection) => void;
  readonly onDisconnected: (connection: Connection) => void;
  readonly onFailure: (error: CallError) => void;
}

/** One connection to a server, opened when it is used and closed when it is not. */
export interface UpstreamSession {
  state(): UpstreamState;
  /** The open connection, or the one that is being opened. */
  connection(): Connection | Promise<Connection>;
  /** Keeps the connection open until it is released. */
  hold(): void;
  /** `answered`: the server works, so earlier failures no longer count. */
  release(outcome: 'answered' | 'failed'): void;
  readonly isIdle: boolean;
  /** Ends the connection; the next use opens another. */
  stop(): Promise<void>;
}

export function createUpstreamSession(options: SessionOptions): UpstreamSession {
  const { server, clock, random } = options;
  let state: UpstreamState = { is: 'stopped' };
  let current: Connection | undefined;
  let opening: Promise<Connection> | undefined;
  let opener: LightAbortController | undefined;
  let holders = 0;
  let failures = 0;
  let idle: Timer | undefined;
  /** Increased by `stop`, so that a connection that is opened meanwhile is closed. */
  let generation = 0;

  function become(next: UpstreamState): void {
    state = next;
    options.onState();
  }

  function failed(error: CallError): void {
    failures += 1;
    const delayMs = restartDelayMs(failures, random);
    options.onFailure(error);
    const because = error.reason ?? reason('text', { text: error.message });
    become({ is: 'waiting', until: clock.now() + delayMs, failures, because });
  }

  function ended(connection: Connection, error: CallError): void {
    if (current !== connection) return;
    current = undefined;
    options.onDisconnected(connection);
    idle?.stop();
    // A server that worked is started by the next call; one that only fails is given time.
    if (failures === 0 && hasAnswered) {
      options.onFailure(error);
      become({ is: 'stopped' });
    } else failed(error);
  }

  let hasAnswered = false;

  async function open(): Promise<Connection> {
    const own = generation;
    let early: CallError | undefined;
    let connection: Connection | undefined;
    const signal = new LightAbortController();
    opener = signal;
    hasAnswered = false;
    become({ is: 'starting', since: clock.now() });
    try {
      const onClose = (error: CallError) => {
        if (connection) ended(connection, error);
        else early = error;
      };
      connection = await options.open({ ...options.handlers, onClose }, signal);
      if (early) throw early;
    } catch (thrown) {
      const error = CallError.from(thrown);
      if (own === generation) failed(error);
      throw error;
    } finally {
      if (own === generation) opening = undefined;
    }
    if (own !== generation) {
      await connection.close();
      throw codedError('interrupted', reason('server_stopped', { server }));
    }
    current = connection;
    become({ is: 'connected', since: clock.now(), info: connection.info });
    options.onConnected(connection);
    watchIdle();
    return connection;
  }

  function watchIdle(): void {
    idle?.stop();
    const idleStopMs = options.idleStopMs();
    if (holders > 0 || !current || idleStopMs === 0) return;
    idle = clock.after(idleStopMs, () => void stop());
  }

  async function stop(): Promise<void> {
    generation += 1;
    idle?.stop();
    const [connection, pending] = [current, opening];
    current = undefined;
    opening = undefined;
    if (connection) options.onDisconnected(connection);
    opener?.abort(codedError('interrupted', reason('server_stopped', { server })));
    failures = 0;
    if (state.is !== 'stopped') become({ is: 'stopped' });
    await Promise.all([connection?.close(), pending?.catch(() => undefined)]);
  }

  function waitingError(because: Reason, retryMs: number): CallError {
    // Time does not help.
    if (because.code === 'server_login_needed') return loginNeeded(server, because.params.scope);
    return codedError('network', reason('server_waiting', { server, retryMs, because }), {
      retryAfterMs: retryMs,
      fix: `Look at its messages with: exai servers logs ${server}`,
    });
  }

  return {
    state: () => state,
    connection() {
      if (current) return current;
      if (opening) return opening;
      if (state.is === 'waiting') {
        const leftMs = state.until - clock.now();
        // The wall clock may be set back; no wait is longer than the longest.
        if (leftMs > 0) throw waitingError(state.because, leftMs);
      }
      opening = open();
      return opening;
    },
    hold() {
      holders += 1;
      idle?.stop();
    },
    release(outcome) {
      holders -= 1;
      if (outcome === 'answered') {
        hasAnswered = true;
        failures = 0;
      }
      if (holders === 0) watchIdle();
    },
    get isIdle() {
      return holders === 0;
    },
    stop,
  };
}
