import type { Intent } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import type { RouteFacts, RuleTrial } from '#core/route.ts';
import { oneLine } from '#core/one-line.ts';
import { lazily } from '#core/lazily.ts';
import { chainAfter, hasOthers, type Placed } from './chain.ts';
import { meansWords } from './means-words.ts';
import { nameModels } from './name-models.ts';
import { namedError, nobodyError } from './nobody.ts';
import type { Planned } from './plan.ts';
import { planNotices } from './plan-notices.ts';
import { toCandidate } from './planned-model.ts';
import type { RouteWorld } from './route-world.ts';
import { RULES } from './rules.ts';
import { explicitModel } from './rules/named.ts';
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
  const { class: requestClass, confidence, because } = situation.classified;
  return {
    is: 'planned',
    plan: {
      class: requestClass,
      confidence,
      rule: won.rule.id,
      because: [
        `${winner.because}.`,
        ...meansAuto(facts),
        ...missed(tried),
        `Class ${requestClass} (${Math.round(confidence * 100)} % sure): ${because}.`,
        ...intentWords(intent, wish),
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
        ...(winner.role ? (world.roleNotices?.[winner.role] ?? []) : []),
        ...planNotices(situation, winner.model, wish),
      ],
    },
  };
}

/** Where a name means a model, the rule that chose it says so. */
function meansAuto({ namedAs, model }: RouteFacts): readonly string[] {
  if (namedAs === undefined || model !== undefined) return [];
  return [`${meansWords(oneLine(namedAs, MAX_SHOWN_CHARS), 'auto')}.`];
}

/** That a small model was asked, and what it said, is never silent. */
function intentWords(intent: Intent | undefined, wish: 'yes' | 'no'): readonly string[] {
  if (intent?.by !== 'model' || !Number.isFinite(intent.confidence)) return [];
  const who = intent.model ?? 'A small model';
  const sure = `${Math.round(intent.confidence * 100)} % sure`;
  const search = wish === 'yes' ? '; the web is searched' : '';
  return [`${who} was asked what it is: ${intent.class} (${sure})${search}.`];
}

function unknownName(error: CallError): Planned {
  const { number, id, when } = explicitModel;
  const because = error.message;
  const tried: readonly RuleTrial[] = [{ number, id, when, verdict: 'nobody_left', because }];
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
function missed(tried: readonly RuleTrial[]): readonly string[] {
  return tried.flatMap(({ number, id, verdict, because }) =>
    verdict === 'nobody_left' ? [`Rule ${number} (${id}) found nobody: ${because}.`] : [],
  );
}
