import type { CallError } from './call-error.ts';

const logged = new WeakSet<CallError>();

/** The log has a line of this very failure. */
export function markLogged(error: CallError): void {
  logged.add(error);
}

/** Whether somebody who knows more of a failure has logged it already: each has one line. */
export function isLogged(error: CallError): boolean {
  return logged.has(error);
}
