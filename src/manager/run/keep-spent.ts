import type { AskedBy } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import type { CallStore } from '#core/stores/calls.ts';
import type { Log } from '#core/telemetry.ts';
import type { Ledger } from './ledger.ts';

/**
 * Hands what asking took to the store before anybody hears the answer. Nobody waits for it here: the record of the call is
 * written after it, and that is waited for. That it could not be written takes no answer away.
 */
export function keepSpent(
  ledger: Ledger,
  { reqId }: AskedBy,
  { spend, log }: { readonly spend: CallStore['spend']; readonly log: Log },
): void {
  const { attempts, usage } = ledger.records();
  if (attempts.length === 0 && usage.length === 0) return;
  spend(attempts, usage).catch((thrown: unknown) => {
    log.error('usage_not_stored', { req_id: reqId, error: CallError.from(thrown).toJSON() });
  });
}
