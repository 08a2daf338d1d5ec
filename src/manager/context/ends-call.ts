import type { CallError } from '#core/call-error.ts';

const FINAL: ReadonlySet<string> = new Set(['cancelled', 'budget', 'internal']);

/** Whether an error ends the whole call: nobody waits for the rest any more, or may pay for it; or it is a bug. */
export function endsCall(error: CallError): boolean {
  return FINAL.has(error.class);
}
