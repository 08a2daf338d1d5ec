import { expect, test } from 'vitest';
import { toldOnce } from './told-once.ts';

const LIST = 'kimi-k3: it cannot be asked (yet): exai keys add kimi; default: it has no address';
const WON = `nobody else could, so what was given is quoted (${LIST})`;

function content(because: string) {
  return {
    tried: [
      {
        number: 12,
        rule: 'simple',
        when: '',
        verdict: 'nobody_left' as const,
        because: 'none left',
      },
      { number: 16, rule: 'whoever', when: '', verdict: 'wins' as const, because },
    ],
    plan: {
      class: 'chat' as const,
      confidence: 1,
      rule: 'whoever',
      because: [`Rule 16: ${because}.`, 'Rule 12 (simple) found nobody: none left.', 'Class chat.'],
      candidates: [],
      notices: [`No model can be asked: ${LIST}. Add a key.`],
    },
    left_out: [
      {
        provider: 'kimi',
        model: 'kimi-k3',
        because: 'it cannot be asked (yet): exai keys add kimi',
      },
    ],
  };
}

test('who is left out is listed in its own part alone', () => {
  const { tried, plan } = toldOnce(content(WON));
  const quoted = 'nobody else could, so what was given is quoted';
  expect(tried.map(({ because }) => because)).toEqual(['none left', quoted]);
  expect(plan.because).toEqual([`Rule 16: ${quoted}.`, 'Class chat.']);
  expect(plan.notices).toEqual(['No model can be asked. Add a key.']);
});

test.each([
  'it is asked for, so glm-4.7-flash answers (its name is an alias)',
  'it is asked for, so glm-4.7-flash answers',
  'a bracket that opens nowhere)',
])('another remark stays: %s', (because) => {
  const before = content(because);
  const { tried, plan } = toldOnce(before);
  expect(tried).toEqual(before.tried);
  expect(plan.notices).toEqual(before.plan.notices);
});
