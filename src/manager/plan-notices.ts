import type { Model } from '#models/model.ts';
import { nobodyError } from './nobody.ts';
import type { Named, Situation } from './rules/rule.ts';
import type { OpenSituation } from './situation.ts';
import { thinkingNotices } from './thinking.ts';

/** What the caller should know about the plan, beside the answer. */
export function planNotices(
  situation: OpenSituation,
  winner: Model,
  wantsSearch: 'yes' | 'no',
): readonly string[] {
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
    ...(isSpent ? [`${bare(budget.because)}; only models that cost nothing are asked.`] : []),
    ...(isBlind ? [`${winner.id} cannot search the web, so it answers from what it knows.`] : []),
    ...thinkingNotices(facts, winner),
  ];
}

/** Somebody was named and another answers: that is never silent. */
function passedOver(
  named: Named | undefined,
  { judge }: Situation,
  winner: Model,
): readonly string[] {
  if (!named?.model) return [];
  const verdict = judge(named.model);
  if (verdict.is === 'able') return [];
  return [
    `${named.model.id} was to answer, but ${verdict.because}; ${winner.id} is asked instead.`,
  ];
}

function quotationNotice({ facts, world, named, out }: OpenSituation): readonly string[] {
  if (named?.model?.provider === 'local') return [];
  const { message, fix } = nobodyError(out(), facts, world);
  return [`${message} What was given is quoted instead. ${fix ?? ''}`.trim()];
}

function bare(sentence: string): string {
  return sentence.replace(/\.\s*$/, '');
}
