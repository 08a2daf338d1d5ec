import type { Caller } from '#core/calls/call.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Diagnostics } from '#core/diagnostics/diagnostics.ts';
import { logEntry, type ActivityEntry } from './activity-entry.ts';
import { isMachineOwner } from './visibility.ts';

/**
 * The warnings and errors among the last log lines, oldest first; undefined if the caller may not
 * see them.
 */
export async function recentProblems(
  ops: Pick<Diagnostics, 'logLines'>,
  caller: Caller,
  lookedAt: number,
): Promise<readonly ActivityEntry[] | undefined> {
  if (!isMachineOwner(caller)) return undefined;
  if (lookedAt === 0) return [];
  const lines = await ops.logLines(lookedAt).catch((thrown: unknown) => CallError.from(thrown));
  // An unreadable log is itself a problem to report.
  if (lines instanceof CallError) {
    return [{ at: 0, line: `The log cannot be read: ${lines.message}`, row: {} }];
  }
  return lines.flatMap((line) => {
    const entry = logEntry(line);
    return entry && (entry.level === 'warn' || entry.level === 'error') ? [entry] : [];
  });
}
