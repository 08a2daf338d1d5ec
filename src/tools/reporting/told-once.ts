import { notice, type Notice } from '#core/messages/notices.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import type { Explanation, RuleTrial } from '#core/route.ts';

type Told = Pick<Explanation, 'tried' | 'plan' | 'leftOut'>;

/**
 * The same explanation without repetitions, for a page that has a part of its own for the models that are left out and
 * one for the rules.
 */
export function toldOnce<T extends Told>(explanation: T): T {
  const { tried, plan, leftOut } = explanation;
  const listed = new Set(leftOut.map(({ provider, model }) => `${provider}/${model}`));
  const shorten = (each: Reason) => withoutModels(each, listed);
  return {
    ...explanation,
    tried: tried.map((trial) => ({ ...trial, ...shownTrial(trial, plan, shorten) })),
    ...(plan && {
      plan: {
        ...plan,
        reasons: plan.reasons.filter(({ code }) => code !== 'rule_found_no_model').map(shorten),
        candidates: plan.candidates.map((each) => ({ ...each, reason: shorten(each.reason) })),
        notices: plan.notices.map((each) => shownNotice(each, shorten)),
      },
    }),
  };
}

/** Where nobody is asked no rule has won: only the model that the caller named might have answered. */
function shownTrial(
  { verdict, reason: why }: RuleTrial,
  plan: Explanation['plan'],
  shorten: (reason: Reason) => Reason,
): Pick<RuleTrial, 'verdict' | 'reason'> {
  if (verdict !== 'wins') return { verdict, reason: why };
  if (plan) return { verdict, reason: shorten(why) };
  return { verdict: 'does_not_apply', reason: reason('other_model_forbidden') };
}

/** A reason without its list of models, where the page lists all of them anyway. */
function withoutModels(each: Reason, listed: ReadonlySet<string>): Reason {
  if (each.code === 'chosen_by_rule') {
    const why = withoutModels(each.params.reason, listed);
    return reason('chosen_by_rule', { ...each.params, reason: why });
  }
  if (each.code === 'rule_chose') {
    const areListed = each.params.passedOver.every(({ models }) =>
      models.every(({ provider, model }) => listed.has(`${provider}/${model}`)),
    );
    return areListed ? reason('rule_chose', { ...each.params, passedOver: [] }) : each;
  }
  // Why no model can be asked: its models are among those that are left out.
  return 'models' in each.params
    ? ({ ...each, params: { ...each.params, models: [] } } as Reason)
    : each;
}

function shownNotice(each: Notice, shorten: (reason: Reason) => Reason): Notice {
  if (each.code !== 'quoted_instead') return each;
  const { error } = each.params;
  if (!error.reason) return each;
  return notice('quoted_instead', { error: { ...error, reason: shorten(error.reason) } });
}
