import type { CallRecord } from '#core/stores/calls.ts';

export const NOW = '2026-01-31T12:00:00.000Z';
const NOW_MS = Date.parse(NOW);

/** A recorded call, as many minutes ago as its number. */
export function callOf(index: number, more: Partial<CallRecord> = {}): CallRecord {
  return {
    reqId: `req_${index}`,
    at: NOW_MS - index * 60_000,
    principal: index % 2 === 0 ? 'local' : 'laptop',
    agent: null,
    door: 'ws',
    tool: index % 3 === 0 ? 'chat' : 'status',
    status: 'success',
    errorClass: null,
    argsSha256: 'd',
    elapsedMs: index,
    metadata: { timestamp_utc: NOW, timestamp_local: NOW, timezone: 'UTC' },
    ...more,
  };
}

/** A line of the log, as many minutes ago as its number. */
export function logLine(index: number, level = 'info', event = 'request'): string {
  const at = NOW_MS - index * 60_000;
  const utc = new Date(at).toISOString();
  const head = { timestamp_unix: at / 1000, timestamp_utc: utc, timestamp_local: utc };
  return JSON.stringify({ ...head, level, event, req_id: null, index });
}
