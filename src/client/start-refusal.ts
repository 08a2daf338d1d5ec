import type { CallError } from '#core/call-error.ts';

/** The `cause` of an error in a daemon's own words about why it did not start. */
export interface StartRefusal {
  readonly startExit: number;
}

/** Whether a daemon was started and refused: the next one, started with the same settings, will hardly say otherwise. */
export function isStartRefusal({ cause }: CallError): boolean {
  return typeof cause === 'object' && cause !== null && 'startExit' in cause;
}
