import { CallError } from '#core/errors/call-error.ts';
import type { FollowUpRequest } from '#core/llm/provider.ts';
import type { Model } from '#models/model.ts';
import { costOf } from '#models/price.ts';
import type { Reservation } from './budgets.ts';
import { maxCostOf } from './max-cost.ts';

export interface RequestSpendingOptions {
  readonly model: Model;
  /** The reservation of the first request. */
  readonly first: Reservation;
  /** Throws where a further request does not fit into the caller's own limit. */
  readonly checkLimit: (maxMicroUsd: number, spentMicroUsd: number) => void;
  /** Reserves budget for a further request. */
  readonly reserve: (maxMicroUsd: number) => Promise<Reservation>;
}

/**
 * What one provider call spends. It may take several requests to the vendor: each has its own
 * reservation, so that limits are exceeded by at most one request.
 */
export interface RequestSpending {
  /** For `ProviderContext`. */
  readonly admitFollowUp: (request: FollowUpRequest) => Promise<void>;
  /** Books the cost of all requests. */
  settle(totalMicroUsd: number): void;
}

export function createRequestSpending(options: RequestSpendingOptions): RequestSpending {
  const { model, checkLimit, reserve } = options;
  let reservation = options.first;
  let bookedMicroUsd = 0;
  let isOver = false;

  function requireOpen(): void {
    // The call was abandoned: nothing that it still wants is paid for.
    if (isOver) throw new CallError('cancelled', 'The call is over.');
  }

  return {
    async admitFollowUp({ used, inputTokens, maxOutputTokens }) {
      requireOpen();
      const spentMicroUsd = costOf(model, used).microUsd;
      // An unknown price may be anything.
      const maxMicroUsd = maxCostOf(model, inputTokens, maxOutputTokens) ?? Infinity;
      checkLimit(maxMicroUsd, spentMicroUsd);
      reservation.settle(Math.max(0, spentMicroUsd - bookedMicroUsd));
      bookedMicroUsd = Math.max(bookedMicroUsd, spentMicroUsd);
      const next = await reserve(maxMicroUsd);
      if (isOver) next.settle(0);
      requireOpen();
      reservation = next;
    },
    settle(totalMicroUsd) {
      isOver = true;
      reservation.settle(Math.max(0, totalMicroUsd - bookedMicroUsd));
    },
  };
}
