import { currentEventName } from '#core/telemetry/renamed-names.ts';

export const LOG_LINE_LEVELS = ['info', 'warn', 'error'] as const;
export type LogLineLevel = (typeof LOG_LINE_LEVELS)[number];

export interface LogFilter {
  /** The lowest level that is shown. */
  readonly level?: LogLineLevel;
  readonly sinceMs?: number;
  /** Whether lines about clients that connect and disconnect are shown. */
  readonly connections: 'shown' | 'hidden';
}

/** `unwanted`: by the level or the time that was asked for. */
export type LogLineVerdict = 'shown' | 'hidden_connection' | 'unwanted';

const CONNECTION_EVENTS: ReadonlySet<string> = new Set(['client_connected', 'client_disconnected']);

/** Decides about one stored line. A foreign line is shown unless it is filtered. */
export function judgeLogLine(line: string, filter: LogFilter): LogLineVerdict {
  const { level, event, timestamp_unix: unix } = parse(line);
  if (filter.level !== undefined && rankOf(level) < rankOf(filter.level)) return 'unwanted';
  if (filter.sinceMs !== undefined && !(Number(unix) * 1000 >= filter.sinceMs)) return 'unwanted';
  if (filter.connections === 'shown' || typeof event !== 'string') return 'shown';
  return CONNECTION_EVENTS.has(currentEventName(event) ?? event) ? 'hidden_connection' : 'shown';
}

function rankOf(level: unknown): number {
  return LOG_LINE_LEVELS.findIndex((each) => each === level);
}

export interface FilteredTail {
  /** The stored lines, oldest first, from the first that is shown. */
  readonly lines: readonly string[];
  /** How many lines about connections are among them. */
  readonly hiddenConnections: number;
}

/** The smallest end of the log that has as many lines to show as wanted, or the whole log. */
export async function readFilteredTail(
  readTail: (count: number) => Promise<readonly string[]>,
  wanted: number,
  filter: LogFilter,
): Promise<FilteredTail> {
  for (let count = Math.max(FIRST_READ, wanted); ; count *= 4) {
    const stored = await readTail(count);
    const { start, shown, hiddenConnections } = walkBack(stored, wanted, filter);
    const isWhole = stored.length < count || count === Number.POSITIVE_INFINITY;
    if (shown >= wanted || isWhole) return { lines: stored.slice(start), hiddenConnections };
  }
}

const FIRST_READ = 500;

function walkBack(stored: readonly string[], wanted: number, filter: LogFilter) {
  let [start, shown, hiddenConnections] = [stored.length, 0, 0];
  for (let at = stored.length - 1; at >= 0 && shown < wanted; at--) {
    const verdict = judgeLogLine(stored[at] ?? '', filter);
    if (verdict === 'hidden_connection') hiddenConnections += 1;
    if (verdict !== 'shown') continue;
    shown += 1;
    start = at;
  }
  return { start, shown, hiddenConnections };
}

function parse(line: string): Readonly<Record<string, unknown>> {
  try {
    const record: unknown = JSON.parse(line);
    return record !== null && typeof record === 'object' ? { ...record } : {};
  } catch {
    // A foreign or incomplete line.
    return {};
  }
}
