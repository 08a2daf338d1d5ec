import { appendFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { variable, type Environment } from '#config/environment.ts';
import { checkHomeTrust } from '#config/home/home-permissions.ts';
import { createTimestamps, type Timestamps } from '#core/time/timestamps.ts';
import { formatLogJson, UNBOUND } from '#telemetry/logs/log-line.ts';
import type { ShimEntry } from './shim-log.ts';

const MAX_LINE_BYTES = 8192;
const MAX_FILE_BYTES = 5_242_880;

let timestamps: ((nowMs: number) => Timestamps) | undefined;

/** Appends log entries, and rotates a file that has grown too large. Never throws. */
export function appendEntries(file: string, entries: readonly ShimEntry[], env: Environment): void {
  const momentAt = (timestamps ??= createTimestamps(zoneOf(env)));
  let text = '';
  for (const { atMs, level, event, fields } of entries) {
    const head = { moment: momentAt(atMs), level, event };
    text += formatLogJson(head, UNBOUND, { pid: process.pid, ...fields }, MAX_LINE_BYTES);
  }
  try {
    checkHomeTrust({ root: dirname(dirname(file)) });
    const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
    if (size > 0 && size + Buffer.byteLength(text) > MAX_FILE_BYTES) renameSync(file, `${file}.1`);
    appendFileSync(file, text, { mode: 0o600 });
  } catch {
    // No folder yet, no space, no permission, or another user's home: a shim works without its log.
  }
}

function zoneOf(env: Environment): string {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const wanted = variable(env, 'EXAI_TIMEZONE') ?? own;
  try {
    return Intl.DateTimeFormat('en-US', { timeZone: wanted }).resolvedOptions().timeZone;
  } catch {
    // The daemon reports a time zone that does not exist.
    return own;
  }
}
