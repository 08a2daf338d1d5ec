import type { CallError } from '#core/errors/call-error.ts';
import type { Welcome } from '#core/local-socket/handshake.ts';
import type { Random } from '#core/random.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import type { Link } from '../link/link.ts';
import { createReconnector, type Connect } from './reconnect.ts';
import { PING_LINE } from './rpc-lines.ts';

interface DaemonConnectionOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly connect: Connect;
  readonly log: Log;
  /** Whether a request waits for a daemon now. */
  readonly isNeeded: () => boolean;
  /** Whether the daemon has a request to answer. */
  readonly hasPendingRequest: () => boolean;
  /**
   * The client's `initialize` request, which a new daemon gets first. `initialized` reports its
   * answer.
   */
  readonly initializeLine: () => string | undefined;
  readonly onLine: (line: string) => void;
  readonly onReady: () => void;
  readonly onLost: (reason: string) => void;
  readonly onConnectFailed: (error: CallError) => void;
  /** `full`: the daemon does not read; send nothing more until `clear`. */
  readonly onBackpressure: (pressure: 'full' | 'clear') => void;
}

/** The connection to the current daemon. When it is lost, it reconnects to the next one. */
interface DaemonConnection {
  readonly state: 'connecting' | 'initializing' | 'ready' | 'over';
  /** How many connections there have been. */
  readonly links: number;
  /** Welcome of the last daemon. */
  readonly welcome: Welcome | undefined;
  /** Starts with a link that is initialized already, or by connecting. */
  begin(link?: Link): void;
  /** Listens to the link passed to `begin`. */
  listen(): void;
  initialized(): void;
  retryNow(): void;
  send(line: string): void;
  /** Watches for an answer: a daemon that stays silent counts as gone. */
  awaitAnswer(): void;
  pause(): void;
  resume(): void;
  /** Flushes what was sent before `then`. */
  end(then: () => void): void;
  /** Ends at once. */
  stop(): void;
}

const INITIALIZE_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 1000;
/** A daemon that reads nothing for this long counts as gone. */
const UNREAD_TIMEOUT_MS = 60_000;

export function createDaemonConnection(options: DaemonConnectionOptions): DaemonConnection {
  const { clock, log } = options;
  let state: DaemonConnection['state'] = 'connecting';
  let link: Link | undefined;
  let welcome: Welcome | undefined;
  let links = 0;
  let reading: 'on' | 'off' = 'on';
  let initializing: Timer | undefined;
  let unread: Timer | undefined;

  const reconnector = createReconnector({ ...options, onFound: adopt });
  const liveness = createLiveness({
    clock,
    hasPendingRequest: options.hasPendingRequest,
    receivedBytes: () => (reading === 'on' ? link?.receivedBytes : undefined),
    ping: () => void link?.send(PING_LINE),
    onSilent: () => link && abandon(link, 'it is silent'),
  });

  /** A function, because the compiler does not know that callbacks change the state. */
  function isOver(): boolean {
    return state === 'over';
  }

  function take(next: Link): void {
    link = next;
    welcome = next.welcome;
    links += 1;
  }

  function adopt(next: Link): void {
    take(next);
    if (reading === 'off') next.pause();
    if (links > 1) log.info('connection_restored', { version: next.welcome.version });
    listen(next);
    if (next === link) replayInitialize(next);
  }

  function listen(next: Link): void {
    for (const { text } of next.welcome.notices) log.warn('daemon_notice', { notice: text });
    next.onLine((line) => next === link && options.onLine(line));
    next.onClear(() => next === link && clear());
    next.onClose((reason) => next === link && lost(reason));
  }

  /** Repeats the client's `initialize` with a new daemon. */
  function replayInitialize(next: Link): void {
    const line = options.initializeLine();
    if (line === undefined) return ready();
    state = 'initializing';
    initializing = clock.after(INITIALIZE_TIMEOUT_MS, () =>
      abandon(next, 'it does not answer initialize'),
    );
    next.send(line);
  }

  function ready(): void {
    initializing?.stop();
    state = 'ready';
    options.onReady();
  }

  function clear(): void {
    unread?.stop();
    unread = undefined;
    options.onBackpressure('clear');
  }

  function stopTimers(): void {
    for (const timer of [initializing, unread, liveness]) timer?.stop();
    unread = undefined;
  }

  function lost(reason: string): void {
    link = undefined;
    stopTimers();
    if (isOver()) return;
    state = 'connecting';
    options.onBackpressure('clear');
    options.onLost(reason);
    if (!isOver()) reconnector.begin('after a pause');
  }

  function abandon(old: Link, reason: string): void {
    lost(reason);
    old.cut();
  }

  function finish(): void {
    state = 'over';
    reconnector.stop();
    stopTimers();
  }

  return {
    get state() {
      return state;
    },
    get links() {
      return links;
    },
    get welcome() {
      return welcome;
    },
    begin(first) {
      if (!first) return reconnector.begin('at once');
      take(first);
      state = 'ready';
    },
    listen: () => link && listen(link),
    initialized: ready,
    retryNow: () => reconnector.retryNow(),
    send(line) {
      const to = link;
      if (to?.send(line) !== 'full') return;
      options.onBackpressure('full');
      unread ??= clock.after(UNREAD_TIMEOUT_MS, () => abandon(to, 'it reads nothing'));
    },
    awaitAnswer: () => liveness.watch(),
    pause() {
      reading = 'off';
      link?.pause();
    },
    resume() {
      reading = 'on';
      link?.resume();
    },
    end(then) {
      finish();
      const last = link;
      if (!last) return then();
      const timer = clock.after(CLOSE_TIMEOUT_MS, () => last.cut());
      last.onClose(() => {
        timer.stop();
        then();
      });
      last.close();
    },
    stop() {
      finish();
      link?.close();
    },
  };
}

interface LivenessOptions {
  readonly clock: Clock;
  /** Whether the daemon has a request to answer; an idle daemon may stay silent. */
  readonly hasPendingRequest: () => boolean;
  /** Bytes received so far; undefined while reading is paused. */
  readonly receivedBytes: () => number | undefined;
  /** Pings the daemon. */
  readonly ping: () => void;
  readonly onSilent: () => void;
}

interface Liveness {
  /** A request was sent. */
  watch(): void;
  stop(): void;
}

const CHECK_MS = 5000;
const PING_AFTER_CHECKS = 4;
const SILENT_AFTER_CHECKS = 6;

/**
 * Detects a hung daemon: one that is merely busy still answers a ping. It counts checks instead of
 * time, because a process that was suspended itself, or blocked by a client that does not read,
 * received nothing in that time either.
 */
function createLiveness(options: LivenessOptions): Liveness {
  let timer: Timer | undefined;
  let quietChecks = 0;
  let knownBytes: number | undefined;

  function stop(): void {
    timer?.stop();
    timer = undefined;
    quietChecks = 0;
  }

  function check(): void {
    timer = undefined;
    if (!options.hasPendingRequest()) return stop();
    const received = options.receivedBytes();
    quietChecks = received !== undefined && received === knownBytes ? quietChecks + 1 : 0;
    knownBytes = received;
    if (quietChecks === SILENT_AFTER_CHECKS) {
      stop();
      return options.onSilent();
    }
    if (quietChecks === PING_AFTER_CHECKS) options.ping();
    schedule();
  }

  function schedule(): void {
    timer = options.clock.after(CHECK_MS, check);
  }

  return {
    watch() {
      if (timer) return;
      knownBytes = options.receivedBytes();
      schedule();
    },
    stop,
  };
}
