import { OWNER_PRINCIPAL } from '#core/auth/principal.ts';
import type { Budgets } from '#manager/budget/budgets.ts';

/** What a caller may still spend; of the budget of all clients only the owner learns it. */
export function ownBudgetLeft(
  principal: string,
  budgets: Pick<Budgets, 'left'>,
): number | undefined {
  const left = budgets.left(principal);
  const mayKnow = left?.whose === 'client' || principal === OWNER_PRINCIPAL;
  return mayKnow ? left?.leftMicroUsd : undefined;
}
