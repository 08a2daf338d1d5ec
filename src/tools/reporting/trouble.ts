import type { Caller } from '#core/call.ts';
import { CallError } from '#core/call-error.ts';
import type { Ops } from '#core/ops.ts';
import { logEntry, type Entry } from './entry.ts';
import { ownsMachine } from './viewer.ts';

/** The warnings and errors among the last lines of the log, oldest first; nothing for who may not see them. */
export async function recentTrouble(
  ops: Pick<Ops, 'logLines'>,
  caller: Caller,
  lookedAt: number,
): Promise<readonly Entry[] | undefined> {
  if (!ownsMachine(caller)) return undefined;
  if (lookedAt === 0) return [];
  const lines = await ops.logLines(lookedAt).catch((thrown: unknown) => CallError.from(thrown));
  // A log that cannot be read is trouble of its own, and no reason to keep silent about the rest.
  if (lines instanceof CallError) {
    return [{ at: 0, line: `The log cannot be read: ${lines.message}`, row: {} }];
  }
  return lines.flatMap((line) => {
    const entry = logEntry(line);
    return entry && (entry.level === 'warn' || entry.level === 'error') ? [entry] : [];
  });
}
