import { CallError } from '#core/call-error.ts';
import { ERROR_CLASSES, ERROR_POLICY } from '#core/error-class.ts';
import { fix } from '#core/messages/fixes.ts';
import { readStartFailure } from './start-failure.ts';
import { isStartRefusal, type StartRefusal } from './start-refusal.ts';

/** Why a daemon that was started ended again: what it said of itself, or else what its exit code stands for. */
export function startReason(exit: number | null, written: string, log: string): CallError {
  if (exit === null || exit === ERROR_POLICY.interrupted.exit) return stopped();
  const cause: StartRefusal = { startExit: exit };
  const told = readStartFailure(written);
  if (told) {
    const fixes = told.fixes.length > 0 ? told.fixes : [`See ${log}.`];
    const { reason } = told;
    const about = { ...told.facts(), ...(reason && { reason }), fixes, cause };
    return new CallError(told.class, told.message, about);
  }
  const known = ERROR_CLASSES.find((each) => ERROR_POLICY[each].exit === exit) ?? 'internal';
  const message = `The daemon ended with code ${exit} before it was ready.`;
  return new CallError(known, message, { fix: `See ${log}.`, cause });
}

/** By a signal, or because somebody asked it to: nothing that the next one would meet too. */
function stopped(): CallError {
  return new CallError('interrupted', 'The daemon was stopped before it was reached.', {
    fixes: [fix('retry')],
  });
}

/** The next one will hardly be stopped too. */
export function isStopped(reason: CallError): boolean {
  return reason.class === 'interrupted' && !isStartRefusal(reason);
}

/** Another daemon has the home: it will answer soon, or it is going and its place will be free. All else stays as it is. */
export function isHomeTaken({ reason }: CallError): boolean {
  return reason?.code === 'home_in_use';
}
