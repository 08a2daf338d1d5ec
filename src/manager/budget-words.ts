import type { Deadline } from '#core/deadline.ts';
import type { Cancel } from '#core/http.ts';
import type { Reason } from '#core/messages/reasons.ts';

/** Money that is set aside until it is known what a request cost. */
export interface Reservation {
  /** What it really cost; the rest is free again. The first word counts. */
  settle(microUsd: number): void;
}

export interface BudgetLeft {
  readonly leftMicroUsd: number;
  /** What was spent, as far as its reader may know. */
  readonly reason: Reason;
  /** Of all clients together, or of this one. */
  readonly whose?: 'everyone' | 'client';
}

export interface Budgets {
  /** What the principal may still spend today; nothing when there is no limit. What others have set aside is not taken off. */
  left(principal: string): BudgetLeft | undefined;
  /**
   * Sets money aside for a request that costs at most so much. While others' reservations could use up the rest, it
   * waits for them to settle, so that nothing is overspent by more than one request; throws `budget` when the money is
   * spent, `timeout` when the deadline comes first, or what the signal says.
   */
  reserve(
    principal: string,
    maxMicroUsd: number,
    wait: { readonly deadline: Deadline; readonly signal: Cancel },
  ): Promise<Reservation>;
}
