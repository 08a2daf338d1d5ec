import { notice, type Notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';
import { nobodyError } from './nobody.ts';
import { summaryOf } from './reason-of.ts';
import type { Named, Situation } from './rules/rule.ts';
import type { OpenSituation } from './situation.ts';
import { thinkingNotices } from './thinking.ts';

/** What the caller should know about the plan, beside the answer. */
export function planNotices(
  situation: OpenSituation,
  winner: Model,
  wantsSearch: 'yes' | 'no',
): readonly Notice[] {
  const { facts, world, named, locked, judge } = situation;
  const { budget } = world;
  const isSpent = budget !== undefined && budget.leftMicroUsd <= 0;
  const isQuotation = winner.provider === 'local';
  const isBlind = wantsSearch === 'yes' && !isQuotation && world.canSearch(winner) === 'no';
  // Who named a model asks for it, whatever the thread had before.
  const isMoot = named?.model !== undefined && judge(named.model).is === 'able';
  return [
    ...passedOver(named, situation, winner),
    ...(isMoot ? [] : passedOver(locked, situation, winner)),
    ...(isQuotation ? quotationNotice(situation) : []),
    ...(isSpent ? [notice('only_free_models', { spending: budget.reason })] : []),
    ...(isBlind ? [notice('model_cannot_search', { model: winner.id })] : []),
    ...thinkingNotices(facts, winner),
  ];
}

/** Somebody was named and another answers: that is never silent. */
function passedOver(
  named: Named | undefined,
  { judge }: Situation,
  winner: Model,
): readonly Notice[] {
  if (!named?.model) return [];
  const verdict = judge(named.model);
  if (verdict.is === 'able') return [];
  const { reason } = verdict;
  return [notice('model_passed_over', { model: named.model.id, reason, instead: winner.id })];
}

function quotationNotice({ facts, world, named, out }: OpenSituation): readonly Notice[] {
  if (named?.model?.provider === 'local') return [];
  const error = summaryOf(nobodyError(out(), facts, world));
  return [notice('quoted_instead', { error })];
}
