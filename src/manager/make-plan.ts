import type { Intent } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import type { Notice } from '#core/messages/notices.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import type { RouteFacts, RuleTrial } from '#core/route.ts';
import { oneLine } from '#core/one-line.ts';
import { lazily } from '#core/lazily.ts';
import { chainAfter, hasOthers, type Placed } from './chain.ts';
import { nameModels } from './name-models.ts';
import { namedError, nobodyError } from './nobody.ts';
import type { Planned } from './plan.ts';
import { planNotices } from './plan-notices.ts';
import { toCandidate } from './planned-model.ts';
import type { RouteWorld } from './route-world.ts';
import { RULES } from './rules.ts';
import { explicitModel } from './rules/named.ts';
import { reasonOf } from './reason-of.ts';
import { searchWish } from './search-wish.ts';
import { leftOut, openSituation, type OpenSituation } from './situation.ts';
import { tryRules } from './try-rules.ts';

const MAX_SHOWN_CHARS = 80;

/**
 * Who is asked, in which order, and why: everybody who cannot is out, then the first rule that finds somebody wins, then
 * the chain of the class follows. Pure: the same facts in the same world give the same plan.
 */
export function makePlan(facts: RouteFacts, world: RouteWorld, intent?: Intent): Planned {
  const names = nameModels(facts, world);
  if (names instanceof CallError) return unknownName(names);
  const { notices: nameNotices, ...named } = names;
  const situation = openSituation(facts, world, intent, named);
  const { tried, won } = tryRules(RULES, situation);
  const refused = refusedName(situation);
  const wish = searchWish(facts, situation.classified, intent);
  const first = won && toCandidate(won.placed, situation, wish);
  if (!first || refused || isNoAnswer(won.placed, situation)) {
    const error = refused ?? nobodyError(situation.out(), facts, world);
    return { is: 'nobody', error, tried, leftOut: leftOut(situation) };
  }
  const { placed: winner } = won;
  const isAlone = facts.fallback === 'none' || winner.model.provider === 'local';
  // Most requests are answered by the first, so that who comes after it is worked out only for those who look.
  const candidates = lazily(() => {
    const chain = isAlone ? [] : chainAfter(winner, situation, wish);
    return [first, ...chain.flatMap((placed) => toCandidate(placed, situation, wish) ?? [])];
  });
  const out = lazily(() => leftOut(situation));
  const { class: requestClass, confidence, reason: why } = situation.classified;
  return {
    is: 'planned',
    plan: {
      class: requestClass,
      confidence,
      rule: won.rule.id,
      reasons: [
        winner.reason,
        ...meansAuto(facts),
        ...missed(tried),
        reason('classified', { class: requestClass, confidence, reason: why }),
        ...classifierAsked(intent, wish),
      ],
      tried,
      first,
      get candidates() {
        return candidates();
      },
      others: !isAlone && hasOthers(winner, situation) ? 'yes' : 'no',
      get leftOut() {
        return out();
      },
      notices: [
        ...nameNotices,
        ...roleNotices(winner, world),
        ...planNotices(situation, winner.model, wish),
      ],
    },
  };
}

/** What is wrong with the names that are set for the role of the winner. */
function roleNotices({ role }: Placed, { roleNotices: all }: RouteWorld): readonly Notice[] {
  return (role && all?.[role]) ?? [];
}

/** Where a name means a model, the rule that chose it says so. */
function meansAuto({ namedAs, model }: RouteFacts): readonly Reason[] {
  if (namedAs === undefined || model !== undefined) return [];
  const writtenAs = oneLine(namedAs, MAX_SHOWN_CHARS);
  return [reason('name_mapped', { writtenAs, model: 'auto' })];
}

/** That a small model was asked, and what it said, is never silent. */
function classifierAsked(intent: Intent | undefined, wish: 'yes' | 'no'): readonly Reason[] {
  if (intent?.by !== 'model' || !Number.isFinite(intent.confidence)) return [];
  const { model, class: requestClass, confidence } = intent;
  return [
    reason('classifier_asked', {
      ...(model !== undefined && { model }),
      class: requestClass,
      confidence,
      searches: wish === 'yes',
    }),
  ];
}

function unknownName(error: CallError): Planned {
  const { number, id, when } = explicitModel;
  const tried: readonly RuleTrial[] = [
    { number, id, when, verdict: 'nobody_left', reason: reasonOf(error) },
  ];
  return { is: 'nobody', error, tried, leftOut: [] };
}

/**
 * A model that was named and cannot answer is an error only where nobody may take its place, or where its caller would rather
 * shorten the prompt than have it answered by another.
 */
function refusedName({ facts, named, judge }: OpenSituation): CallError | undefined {
  if (named?.by !== 'caller' || !named.model) return undefined;
  const verdict = judge(named.model);
  if (verdict.is === 'able') return undefined;
  const isTooLong = facts.context === 'whole' && verdict.against === 'window';
  if (facts.fallback !== 'none' && !isTooLong) return undefined;
  return namedError({ model: named.model, verdict }, facts);
}

/**
 * A quotation in the place of an answer, where that would mislead: of a question that no window holds, and where nobody
 * was to stand in for anybody.
 */
function isNoAnswer({ model }: Placed, { facts, named, out }: OpenSituation): boolean {
  if (model.provider !== 'local' || named?.model?.provider === 'local') return false;
  return facts.fallback === 'none' || out().some(({ verdict }) => verdict.against === 'window');
}

/** The rules that would have won with other models at hand. */
function missed(tried: readonly RuleTrial[]): readonly Reason[] {
  return tried.flatMap(({ number, id, verdict, reason: why }) =>
    verdict === 'nobody_left'
      ? [reason('rule_found_no_model', { number, rule: id, reason: why })]
      : [],
  );
}
