import { expect, test } from 'vitest';
import { fix } from '#core/messages/fixes.ts';
import { cliRenderer } from './messages/cli-sentences.ts';
import { isEmptyHanded, quotationLine } from './quotation-line.ts';

const LOCAL = {
  attempt: 3,
  provider: 'local',
  model: 'local-extract',
  elapsed_ms: 1,
  outcome: 'ok',
} as const;
const LATE = {
  ...LOCAL,
  attempt: 1,
  provider: 'glm',
  model: 'glm-5.3',
  outcome: 'timeout',
} as const;

const INSTEAD = 'No model can be asked. What was given is quoted instead.';

function quotedInstead(error: object) {
  return { code: 'quoted_instead', params: { error } };
}

const NO_KEY = quotedInstead({
  class: 'not_configured',
  message: 'No model can be asked.',
  fixes: [fix('add_key', { provider: 'glm' })],
});
const NOTHING = { code: 'nothing_to_quote', params: {} };
const TWICE = { code: 'a_code_of_a_later_version', params: {} };

test('without a key it is said once, with the one command', () => {
  const route = {
    because: [],
    attempts: [LOCAL],
    notices: ['stdin came twice.', INSTEAD],
    notice_data: [TWICE, NO_KEY],
  };
  expect(quotationLine({ status: 'degraded', route }, cliRenderer)).toEqual({
    line: 'No model is set up, so what was given is quoted: exai keys add glm',
    notices: ['stdin came twice.'],
  });
  const nothing = {
    ...route,
    notices: [...route.notices, 'Nothing to quote.'],
    notice_data: [...route.notice_data, NOTHING],
  };
  expect(quotationLine({ status: 'degraded', route: nothing }, cliRenderer)).toEqual({
    line: 'No model is set up, and nothing was given to quote: exai keys add glm',
    notices: ['stdin came twice.'],
  });
});

test('when models were asked, it says how each failed, and what that cost', () => {
  const again = { ...LATE, attempt: 2, outcome: 'overloaded' } as const;
  const others = ['kimi-k3', 'a', 'b', 'c'].map((model) => ({ ...LATE, model }));
  const route = { because: [], attempts: [LATE, again, ...others, LOCAL] };
  const usage = { input: 1, output: 1, cached: 0, reasoning: 0, cost_usd: 0.5, estimated: true };
  expect(quotationLine({ status: 'degraded', route, usage }, cliRenderer).line).toBe(
    'No model answered (glm-5.3: was overloaded; kimi-k3, a, b and 1 more: took too long), so what was given is quoted: exai doctor; about $0.50',
  );
});

test.each([
  ['models rest', { class: 'breaker_open', message: 'All rest.', fixes: [fix('retry')] }],
  ['a list forbids all', { class: 'not_configured', message: 'All are denied.', fixes: [] }],
  ['an old daemon says nothing of it', undefined],
])('another reason is told as it was given: %s', (_, error) => {
  const route = {
    because: [],
    attempts: [LOCAL],
    notices: [INSTEAD],
    notice_data: [quotedInstead(error ?? {})],
  };
  const { line, notices } = quotationLine({ status: 'degraded', route }, cliRenderer);
  expect(line).not.toContain('exai keys add');
  expect(line).not.toBe('');
  expect(notices).toEqual([]);
  expect(quotationLine({ status: 'degraded' }, cliRenderer).line).toBe(
    'No model was asked, so what was given is quoted.',
  );
});

test('there is nothing in hand where the local provider found nothing to quote, and only then', () => {
  const route = { because: [], attempts: [], notices: ['No.'], notice_data: [NOTHING] };
  expect(isEmptyHanded({ status: 'degraded', route })).toBe(true);
  expect(isEmptyHanded({ status: 'success', route })).toBe(false);
  expect(isEmptyHanded({ status: 'degraded', route: { ...route, notice_data: [NO_KEY] } })).toBe(
    false,
  );
  expect(isEmptyHanded({ status: 'degraded' })).toBe(false);
});
