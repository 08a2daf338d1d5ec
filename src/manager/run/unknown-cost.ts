import type { ProviderId } from '#core/llm/provider.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { isFree } from '../budget/max-cost.ts';
import type { RoutingState } from '../route/routing-state.ts';
import type { Ledger } from './ledger.ts';

/**
 * The notice about an answer that a spending limit cannot include, because its price is unknown. The
 * user's own server counts as free.
 */
export function unknownCostNotices(
  { provider, model }: { readonly provider: ProviderId; readonly model: string },
  { budget }: Pick<RoutingState, 'budget'>,
  ledger: Pick<Ledger, 'totals'>,
): readonly Notice[] {
  const isPaid = !isFree({ provider });
  const isUncounted = isPaid && budget !== undefined && !ledger.totals().costKnown;
  return isUncounted ? [notice('cost_unknown', { model })] : [];
}
