import { groupModels, type ModelGroup } from '#core/messages/model-groups.ts';
import { reason } from '#core/messages/reasons.ts';
import type { RuleTrial } from '#core/route.ts';
import type { Placed } from './chain.ts';
import type { Rule, Situation, Wanted } from './rules/rule.ts';

export interface Won {
  readonly rule: Rule;
  readonly placed: Placed;
}

/** The rules in their order, until one is about the request and finds somebody who can. */
export function tryRules(
  rules: readonly Rule[],
  situation: Situation,
): { readonly tried: readonly RuleTrial[]; readonly won?: Won } {
  const tried: RuleTrial[] = [];
  for (const rule of rules) {
    const { number, id, when } = rule;
    const applies = rule.applies(situation);
    if (applies.is === 'no') {
      tried.push({ number, id, when, verdict: 'does_not_apply', reason: applies.reason });
      continue;
    }
    const wanted = rule.wants(situation);
    const winner = wanted.find(({ model }) => situation.judge(model).is === 'able');
    if (!winner) {
      const models = outOf(wanted, situation);
      const why = reason('rule_without_model', { applies: applies.reason, models });
      tried.push({ number, id, when, verdict: 'nobody_left', reason: why });
      continue;
    }
    const { model, role, choice } = winner;
    const passedOver = outOf(wanted.slice(0, wanted.indexOf(winner)), situation);
    const why = reason('rule_chose', { applies: applies.reason, choice, passedOver });
    tried.push({ number, id, when, verdict: 'wins', reason: why });
    const chosen = reason('chosen_by_rule', { number, rule: id, reason: why });
    const placed = { model, ...(role && { role }), reason: chosen };
    return { tried, won: { rule, placed } };
  }
  return { tried };
}

/** Those of them that cannot be asked. */
function outOf(wanted: readonly Wanted[], { judge }: Situation): readonly ModelGroup[] {
  if (wanted.length === 0) return [];
  return groupModels(
    wanted.flatMap(({ model }) => {
      const verdict = judge(model);
      if (verdict.is !== 'unable') return [];
      return [{ provider: model.provider, model: model.id, reason: verdict.reason }];
    }),
  );
}
