import type { Log } from '#core/telemetry/telemetry.ts';

export interface ListLog extends Log {
  readonly lines: { event: string; fields: unknown }[];
}

/** A log that keeps its lines in memory. */
export function createListLog(): ListLog {
  const lines: ListLog['lines'] = [];
  const add = (event: string, fields?: unknown) => void lines.push({ event, fields });
  const log = { lines, info: add, warn: add, error: add, with: () => log };
  return log;
}
