import { closeSync, openSync } from 'node:fs';
import { constants } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import type { LoadedConfig } from '#config/load/load.ts';
import { CallError } from '#core/errors/call-error.ts';
import { ERROR_POLICY } from '#core/errors/error-class.ts';
import { withTimeout } from '../with-timeout.ts';
import type { DaemonRecord } from './daemon-file.ts';
import { startDaemon, type DaemonOptions } from './start-daemon.ts';
import type { System } from '../system.ts';
import type { Telemetry } from '../telemetry.ts';

const LAST_WORDS_MS = 2000;

/**
 * The garbage of a call lives for milliseconds. V8 allocates some of it as long-lived, and its
 * parallel collector threads cost more than they save: without both, a gateway chat takes 20 % less
 * CPU time.
 */
const MEMORY_FLAGS = ['--no-allocation-site-pretenuring', '--no-parallel-scavenge'];

/** Runs the daemon in this process, from its start until a signal has stopped it. */
export async function runDaemon(
  loaded: LoadedConfig,
  system: System,
  onReady: (record: DaemonRecord) => void,
  options?: DaemonOptions,
): Promise<void> {
  MEMORY_FLAGS.forEach(setFlagsFromString);
  const requests = listenForStop();
  const daemon = await startDaemon(loaded, system, options);
  requests.onReload(() => void daemon.reload('signal'));
  // Unhandled rejections arrive here, too.
  process.on('uncaughtException', (error) => void endOnBug(error, daemon.telemetry, system));
  onReady(daemon.record);
  const hanging = await daemon.stop(await Promise.race([requests.first, daemon.stopRequested]));
  requests.stopListening();
  // `exit` would wait for the thread of SQLite, which waits for the disk. What was acknowledged is on it.
  if (hanging.includes('store') && loaded.config.database === '')
    process.kill(process.pid, 'SIGKILL');
}

/**
 * An uncaught error leaves unknown state behind: it is logged, and the process exits. Lock and
 * store recover at the next start.
 */
async function endOnBug(error: unknown, telemetry: Telemetry, system: System): Promise<void> {
  telemetry.log.error('uncaught', { error });
  // The log redacts; a terminal does not.
  system.warn(`${CallError.from(error).message} Show it with: exai logs`);
  await withTimeout(system.clock, LAST_WORDS_MS, telemetry.flush());
  process.exit(ERROR_POLICY.internal.exit);
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;
/** By default these end the process and its calls, and SIGUSR1 opens Node's debugger. */
const IGNORED_SIGNALS = ['SIGUSR1', 'SIGUSR2', 'SIGALRM'] as const;
const TERMINAL = '/dev/tty';

export interface StopRequests {
  /** Resolves with the name of the first stop signal. */
  readonly first: Promise<string>;
  /** Calls the listener for each SIGHUP that requests a reload, also for one that came before. */
  onReload(listener: () => void): void;
  stopListening(): void;
}

/**
 * The first signal requests an orderly stop; a second one ends the process at once. SIGHUP requests
 * a reload of the settings, except when it means that the terminal of the process was closed.
 */
export function listenForStop(): StopRequests {
  const terminal = isTerminalOpen() ? 'present' : 'absent';
  let onReload: (() => void) | undefined;
  let isReloadDue = false;
  let asked = false;
  let resolveFirst: (signal: string) => void;
  const first = new Promise<string>((resolve) => (resolveFirst = resolve));
  const onSignal = (signal: NodeJS.Signals) => {
    if (signal === 'SIGHUP' && isReload(terminal)) {
      isReloadDue = onReload === undefined;
      return onReload?.();
    }
    if (asked) process.exit(128 + constants.signals[signal]);
    asked = true;
    resolveFirst(signal);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  for (const signal of IGNORED_SIGNALS) process.on(signal, ignore);
  return {
    first,
    onReload(listener) {
      onReload = listener;
      if (isReloadDue) listener();
    },
    stopListening() {
      for (const signal of SIGNALS) process.off(signal, onSignal);
      // The others stay ignored: the process ends now.
    },
  };
}

function ignore(): void {
  // Nothing follows.
}

/** Windows sends SIGHUP only when the console is closed. */
function isReload(terminal: 'present' | 'absent'): boolean {
  if (process.platform === 'win32') return false;
  return terminal === 'absent' || isTerminalOpen();
}

/** Whether the process has a controlling terminal. */
function isTerminalOpen(): boolean {
  try {
    closeSync(openSync(TERMINAL, 'r'));
    return true;
  } catch {
    return false;
  }
}
