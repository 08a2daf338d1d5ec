import { expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import type { RouteExplanation } from '#core/llm/route.ts';
import { dedupeExplanation } from './render-explanation.ts';

const NO_KEY = reason('no_key', { provider: 'kimi' });
const KIMI = { models: [{ provider: 'kimi', model: 'kimi-k3' }], reason: NO_KEY };
const applies = reason('no_rule_before');
const choice = reason('input_quoted');
const WON = reason('rule_chose', { applies, choice, passedOver: [KIMI] });
const MISSED = reason('rule_without_model', { applies, models: [KIMI] });
const CLASSIFIED = reason('classified', {
  class: 'chat',
  confidence: 1,
  reason: reason('plain_question'),
});

function chosen(why: Reason): Reason {
  return reason('chosen_by_rule', { number: 16, rule: 'any-available', reason: why });
}

function explanation(won: Reason): Pick<RouteExplanation, 'tried' | 'plan' | 'leftOut'> {
  const error = {
    class: 'not_configured',
    message: 'No model can be asked.',
    reason: reason('no_model_usable', { models: [KIMI] }),
    fixes: [],
  } as const;
  const leftOut = [{ provider: 'kimi', model: 'kimi-k3', reason: NO_KEY }] as const;
  return {
    tried: [
      { number: 12, id: 'simple-tool', when: '', verdict: 'nobody_left', reason: MISSED },
      { number: 16, id: 'any-available', when: '', verdict: 'wins', reason: won },
    ],
    plan: {
      class: 'chat',
      confidence: 1,
      rule: 'any-available',
      reasons: [
        chosen(won),
        reason('rule_found_no_model', { number: 12, rule: 'simple-tool', reason: MISSED }),
        CLASSIFIED,
      ],
      tried: [],
      candidates: [],
      leftOut,
      notices: [notice('quoted_instead', { error })],
    },
    leftOut,
  };
}

test('models that are left out, and rules that found none, are listed in their own parts alone', () => {
  const { tried, plan } = dedupeExplanation(explanation(WON));
  const short = reason('rule_chose', { applies, choice, passedOver: [] });
  expect(tried.map((trial) => trial.reason)).toEqual([MISSED, short]);
  expect(plan?.reasons).toEqual([chosen(short), CLASSIFIED]);
});

test('a notice keeps the models that it is about', () => {
  const whole = explanation(WON);
  expect(dedupeExplanation(whole).plan?.notices).toEqual(whole.plan?.notices);
});

test('models that the page does not list stay where they are', () => {
  const other = { models: [{ provider: 'glm', model: 'glm-5.3' }], reason: NO_KEY };
  const won = reason('rule_chose', { applies, choice, passedOver: [KIMI, other] });
  expect(dedupeExplanation(explanation(won)).tried.at(-1)?.reason).toEqual(won);
});

test('without a plan no rule has won', () => {
  const { plan: _, ...rest } = explanation(WON);
  expect(dedupeExplanation(rest).tried.at(-1)).toMatchObject({
    verdict: 'does_not_apply',
    reason: { code: 'other_model_forbidden' },
  });
});
