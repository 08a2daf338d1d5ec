import { CallError } from '#core/call-error.ts';
import { ERROR_CLASSES, ERROR_POLICY } from '#core/error-class.ts';
import { isStartRefusal, type StartRefusal } from '#transport/shim/start-refusal.ts';

const MOST_CHARS = 600;
/** As claimHome says it. */
const HOME_TAKEN = /^A daemon already runs on /;

/** Why a daemon that was started ended again: its last words for its user, and the class that its exit code stands for. */
export function startReason(exit: number | null, said: string, log: string): CallError {
  if (exit === null || exit === ERROR_POLICY.interrupted.exit) return stopped();
  const last = (pattern: RegExp) => [...said.matchAll(pattern)].at(-1)?.[1]?.slice(0, MOST_CHARS);
  const known = ERROR_CLASSES.find((each) => ERROR_POLICY[each].exit === exit) ?? 'internal';
  const words = last(/^exai: (.+)$/gm) ?? `The daemon ended with code ${exit} before it was ready.`;
  const cause: StartRefusal = { startExit: exit };
  return new CallError(known, words, { fix: last(/^ {2}fix: (.+)$/gm) ?? `See ${log}.`, cause });
}

/** By a signal, or because somebody asked it to: nothing that the next one would meet too. */
function stopped(): CallError {
  return new CallError('interrupted', 'The daemon was stopped before it was reached.', {
    fix: 'Try again.',
  });
}

/** The next one will hardly be stopped too. */
export function isStopped(reason: CallError): boolean {
  return reason.class === 'interrupted' && !isStartRefusal(reason);
}

/** Another daemon has the home: it will answer soon, or it is going and its place will be free. All else stays as it is. */
export function isHomeTaken(reason: CallError): boolean {
  return reason.class === 'conflict' && HOME_TAKEN.test(reason.message);
}
