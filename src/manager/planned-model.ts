import { reason, type Reason } from '#core/messages/reasons.ts';
import type { Placed } from './chain.ts';
import type { PlannedModel } from './plan.ts';
import type { Situation } from './rules/rule.ts';
import { thinkingOf, thoughtWish } from './thinking.ts';

/** A model in its place with all that it is asked with. */
export function toCandidate(
  { model, role, reason: place }: Placed,
  { facts, world, classified, judge }: Situation,
  wantsSearch: 'yes' | 'no',
): PlannedModel | undefined {
  const verdict = judge(model);
  if (verdict.is !== 'able') return undefined;
  const isLastResort = model.provider === 'local';
  const searches = wantsSearch === 'yes' && !isLastResort && world.canSearch(model) === 'yes';
  const thinking = thinkingOf(model, thoughtWish(facts, classified.class, role));
  const remarks: Reason[] = [];
  if (verdict.health === 'half_open') remarks.push(reason('recovering'));
  if (verdict.fits === 'shortened') remarks.push(reason('context_shortened'));
  if (wantsSearch === 'yes' && !searches && !isLastResort) remarks.push(reason('without_search'));
  return {
    provider: model.provider,
    model: model.id,
    reason: place,
    remarks,
    ...(thinking && { thinking }),
    search: searches ? 'provider' : 'none',
    roomTokens: verdict.roomTokens,
    ...(verdict.maxCostMicroUsd !== undefined && { maxCostMicroUsd: verdict.maxCostMicroUsd }),
    isLastResort,
    entry: model,
  };
}
