import { join } from 'node:path';
import type { Environment } from '#config/environment.ts';
import type { Home } from '#config/home.ts';
import type { Clock, Timer } from '#core/clock.ts';
import type { Fields, Log } from '#core/telemetry.ts';

export interface ShimLog extends Log {
  /** Resolves when what waits is written; for the end of the process. Never rejects. */
  flush(): Promise<void>;
}

/** A line before it is formatted. */
export interface ShimEntry {
  readonly atMs: number;
  readonly level: 'info' | 'warn' | 'error';
  readonly event: string;
  readonly fields: Fields;
}

const WRITE_AFTER_MS = 500;
const MOST_WAITING = 500;

/**
 * `logs/shim.jsonl`, to which every shim of a home appends. Lines wait a moment before they are formatted and written:
 * knowing the time zone takes half as long as Node's own start, and the client waits for its first answer meanwhile.
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

  function note(level: ShimEntry['level'], event: string, fields: Fields): void {
    // Whoever says so much says the same again and again.
    if (entries.length < MOST_WAITING) entries.push({ atMs: clock.now(), level, event, fields });
    timer ??= clock.after(WRITE_AFTER_MS, () => void flush());
  }

  function logWith(bound: Fields): ShimLog {
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
