import { appendFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { variable, type Environment } from '#config/environment.ts';
import { checkHomeTrust } from '#config/home-trust.ts';
import { createTimestamps, type Timestamps } from '#core/timestamps.ts';
import { formatLine, UNBOUND } from '#telemetry/log-line.ts';
import type { ShimEntry } from './shim-log.ts';

const MAX_LINE_BYTES = 8192;
const MAX_FILE_BYTES = 5_242_880;

let timestamps: ((nowMs: number) => Timestamps) | undefined;

/** Appends the lines, and moves a file that has grown too large aside. Never throws. */
export function appendEntries(file: string, entries: readonly ShimEntry[], env: Environment): void {
  const momentAt = (timestamps ??= createTimestamps(zoneOf(env)));
  let text = '';
  for (const { atMs, level, event, fields } of entries) {
    const head = { moment: momentAt(atMs), level, event };
    text += formatLine(head, UNBOUND, { pid: process.pid, ...fields }, MAX_LINE_BYTES);
  }
  try {
    checkHomeTrust({ root: dirname(dirname(file)) });
    const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
    if (size > 0 && size + Buffer.byteLength(text) > MAX_FILE_BYTES) renameSync(file, `${file}.1`);
    appendFileSync(file, text, { mode: 0o600 });
  } catch {
    // No folder yet, no room, no right, or the home of another user: a shim works without its log, and has nobody to tell.
  }
}

function zoneOf(env: Environment): string {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const wanted = variable(env, 'EXAI_TIMEZONE') ?? own;
  try {
    return Intl.DateTimeFormat('en-US', { timeZone: wanted }).resolvedOptions().timeZone;
  } catch {
    // A zone that does not exist is the daemon's to complain about.
    return own;
  }
}
