import { CallError, type ErrorJson } from '#core/errors/call-error.ts';
import { ERROR_CLASSES, ERROR_POLICY } from '#core/errors/error-class.ts';
import { fix } from '#core/messages/fixes.ts';

const MARK = 'start_failed';

/** The line in which an autostarted daemon reports why it ended before it was ready. */
export function startFailureLine(error: CallError): string {
  return `${JSON.stringify({ exai: MARK, error })}\n`;
}

/** Reads the last such line of its output; undefined if there is none. */
function readStartFailure(written: string): CallError | undefined {
  for (const line of written.split('\n').reverse()) {
    if (!line.startsWith('{')) continue;
    const found = parse(line);
    if (found?.exai === MARK && typeof found.error?.message === 'string') {
      return CallError.fromJSON(found.error);
    }
  }
  return undefined;
}

function parse(line: string): { readonly exai?: unknown; readonly error?: ErrorJson } | undefined {
  try {
    return JSON.parse(line) as { readonly exai?: unknown; readonly error?: ErrorJson };
  } catch {
    // Other output, such as the stack trace of a crash.
    return undefined;
  }
}

/** The `cause` of an error that the daemon itself reported as the reason why it did not start. */
interface StartRefusal {
  readonly startExit: number;
}

/**
 * Whether a started daemon refused to run: with the same settings the next one will most likely
 * refuse too.
 */
export function isStartRefusal({ cause }: CallError): boolean {
  return typeof cause === 'object' && cause !== null && 'startExit' in cause;
}

/** The reason why a started daemon ended: its own report, or else the meaning of its exit code. */
export function readStartOutcome(exit: number | null, written: string, log: string): CallError {
  if (exit === null || exit === ERROR_POLICY.interrupted.exit) return stopped();
  const cause: StartRefusal = { startExit: exit };
  const reported = readStartFailure(written);
  if (reported) {
    const fixes = reported.fixes.length > 0 ? reported.fixes : [`See ${log}.`];
    const { reason } = reported;
    const facts = { ...reported.facts(), ...(reason && { reason }), fixes, cause };
    return new CallError(reported.class, reported.message, facts);
  }
  const known = ERROR_CLASSES.find((each) => ERROR_POLICY[each].exit === exit) ?? 'internal';
  const message = `The daemon ended with code ${exit} before it was ready.`;
  return new CallError(known, message, { fix: `See ${log}.`, cause });
}

/** The daemon was stopped by a signal or on request, which does not concern the next one. */
function stopped(): CallError {
  return new CallError('interrupted', 'The daemon was stopped before it was reached.', {
    fixes: [fix('retry')],
  });
}

/** Whether the daemon was stopped, so that the next one may succeed. */
export function isStopped(reason: CallError): boolean {
  return reason.class === 'interrupted' && !isStartRefusal(reason);
}

/**
 * Whether another daemon holds the home: it will answer soon, or it is stopping. Other reasons
 * persist.
 */
export function isHomeTaken({ reason }: CallError): boolean {
  return reason?.code === 'home_in_use';
}
