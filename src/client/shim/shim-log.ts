import { join } from 'node:path';
import type { Environment } from '#config/environment.ts';
import type { Home } from '#config/home/home.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import type { LogFields, Log } from '#core/telemetry/telemetry.ts';

export interface ShimLog extends Log {
  /** Resolves when all entries are written; for the end of the process. Never rejects. */
  flush(): Promise<void>;
}

/** A log entry before it is formatted. */
export interface ShimEntry {
  readonly atMs: number;
  readonly level: 'info' | 'warn' | 'error';
  readonly event: string;
  readonly fields: LogFields;
}

const WRITE_AFTER_MS = 500;
const MAX_WAITING = 500;

/**
 * The log `logs/shim.jsonl`, to which every shim of a home appends. Entries are formatted and
 * written a moment later: finding the time zone takes half as long as the start of Node, and the
 * client waits for its first answer in that time.
 */
export function createShimLog(home: Home, env: Environment, clock: Clock): ShimLog {
  const file = join(home.logDir, 'shim.jsonl');
  let entries: ShimEntry[] = [];
  let timer: Timer | undefined;

  async function flush(): Promise<void> {
    timer?.stop();
    timer = undefined;
    if (entries.length === 0) return;
    const waiting = entries;
    entries = [];
    const { appendEntries } = await import('./shim-log-write.ts');
    appendEntries(file, waiting, env);
  }

  function note(level: ShimEntry['level'], event: string, fields: LogFields): void {
    // So many entries repeat themselves.
    if (entries.length < MAX_WAITING) entries.push({ atMs: clock.now(), level, event, fields });
    timer ??= clock.after(WRITE_AFTER_MS, () => void flush());
  }

  function logWith(bound: LogFields): ShimLog {
    return {
      info: (event, fields) => note('info', event, { ...bound, ...fields }),
      warn: (event, fields) => note('warn', event, { ...bound, ...fields }),
      error: (event, fields) => note('error', event, { ...bound, ...fields }),
      with: (fields) => logWith({ ...bound, ...fields }),
      flush,
    };
  }
  return logWith({});
}
