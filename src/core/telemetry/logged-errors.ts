import type { CallError } from '../errors/call-error.ts';

const logged = new WeakSet<CallError>();

/** Marks an error as logged. */
export function markLogged(error: CallError): void {
  logged.add(error);
}

/**
 * Whether an error was logged already at a place that knows more about it; each error is logged
 * once.
 */
export function isLogged(error: CallError): boolean {
  return logged.has(error);
}
