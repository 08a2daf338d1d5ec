import type { AskReport } from '#core/llm/ask.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import type { Reason } from '#core/messages/reasons.ts';
import type { Ledger } from '../run/ledger.ts';

/** The report of exchanges that a provider has answered. */
export function exchangeReport(
  provider: ProviderId,
  ledger: Ledger,
  reasons: readonly Reason[] = [],
): AskReport {
  return {
    provider,
    reasons,
    attempts: ledger.attempts,
    notices: [],
    ...ledger.totals(),
    quality: 'full',
  };
}
