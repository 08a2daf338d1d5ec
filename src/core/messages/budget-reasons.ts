import { formatUsd } from '../text/format.ts';
import type { SentenceTable } from './coded-message.ts';
import type { ModelGroup } from './model-groups.ts';
import { formatModelList } from './model-groups.ts';
import type { NoParams, Reason } from './reasons.ts';

/** Reasons about daily budgets and the cost limits of requests. */
export interface BudgetReasonParams {
  /** Of one client, or of all clients if none is named. */
  spent_today: {
    readonly client?: string;
    readonly spentMicroUsd: number;
    readonly limitMicroUsd: number;
    readonly setting: string;
  };
  /** For clients, as only the owner may know what others spent. */
  shared_budget: { readonly state: 'used_up' | 'left' };
  /** `resetsOn` is the next UTC day. */
  budget_used_up: { readonly spending: Reason; readonly resetsOn?: string };
  /** The rest of the budget was reserved for other requests until this one timed out. */
  budget_reserved: { readonly spending: Reason };
  budget_reserved_by_others: NoParams;
  /** Only free models are allowed, and this one costs money or may. */
  model_costs_money: { readonly spending: Reason };
  price_unknown: NoParams;
  price_too_high: { readonly maxMicroUsd: number; readonly limitMicroUsd: number };
  no_model_within_price: {
    readonly limitMicroUsd: number;
    readonly models: readonly ModelGroup[];
  };
  /** Summaries and earlier attempts used part of the cost limit of the call. */
  price_above_rest: { readonly model: string };
}

export const BUDGET_REASON_SENTENCES: SentenceTable<BudgetReasonParams> = {
  spent_today: ({ client, spentMicroUsd, limitMicroUsd, setting }) => {
    const subject = client === undefined ? 'All clients together have' : `${client} has`;
    return `${subject} spent ${formatUsd(spentMicroUsd)} of ${formatUsd(limitMicroUsd)} today (${setting})`;
  },
  shared_budget: ({ state }) =>
    `The budget that all clients share ${state === 'used_up' ? 'is used up for today' : 'has something left today'}`,
  budget_used_up: ({ spending, resetsOn }, render) =>
    resetsOn === undefined
      ? `${render.reason(spending)}. A new day begins at midnight UTC`
      : `${render.reason(spending)}; resets at ${resetsOn} 00:00 UTC`,
  budget_reserved: ({ spending }, render) =>
    `${render.reason(spending)}; the rest was set aside for other requests until the time of this one was over`,
  budget_reserved_by_others: () => 'Other requests have set aside what is left of the budget',
  model_costs_money: ({ spending }, render) => `it costs money, or may: ${render.reason(spending)}`,
  price_unknown: () => 'its price is unknown',
  price_too_high: ({ maxMicroUsd, limitMicroUsd }) => {
    const allowed =
      limitMicroUsd === 0
        ? 'and it may cost nothing'
        : `more than the ${formatUsd(limitMicroUsd)} allowed`;
    return `it can cost up to ${formatUsd(maxMicroUsd)}, ${allowed}`;
  },
  no_model_within_price: ({ limitMicroUsd, models }, render) => {
    const limit = limitMicroUsd === 0 ? 'nothing' : `no more than ${formatUsd(limitMicroUsd)}`;
    return `No model is sure to cost ${limit}${formatModelList(models, render)}`;
  },
  price_above_rest: ({ model }, render) =>
    `${model} could cost more than is left of ${render.argument('max_cost_usd')}`,
};
