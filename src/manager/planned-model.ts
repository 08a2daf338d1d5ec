import type { Placed } from './chain.ts';
import type { PlannedModel } from './plan.ts';
import type { Situation } from './rules/rule.ts';
import { thinkingOf, thoughtWish } from './thinking.ts';

/** A model in its place with all that it is asked with. */
export function toCandidate(
  { model, role, because }: Placed,
  { facts, world, classified, judge }: Situation,
  wantsSearch: 'yes' | 'no',
): PlannedModel | undefined {
  const verdict = judge(model);
  if (verdict.is !== 'able') return undefined;
  const isLastResort = model.provider === 'local';
  const searches = wantsSearch === 'yes' && !isLastResort && world.canSearch(model) === 'yes';
  const thinking = thinkingOf(model, thoughtWish(facts, classified.class, role));
  const remarks = [
    ...(verdict.health === 'half_open' ? ['it failed lately and is being tried again'] : []),
    ...(verdict.fits === 'shortened' ? ['the context is shortened for its window'] : []),
    ...(wantsSearch === 'yes' && !searches && !isLastResort ? ['without a search'] : []),
  ];
  return {
    provider: model.provider,
    model: model.id,
    because: `${[because, ...remarks].join('; ')}.`,
    ...(thinking && { thinking }),
    search: searches ? 'provider' : 'none',
    roomTokens: verdict.roomTokens,
    ...(verdict.maxCostMicroUsd !== undefined && { maxCostMicroUsd: verdict.maxCostMicroUsd }),
    isLastResort,
    entry: model,
  };
}
