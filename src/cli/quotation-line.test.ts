import { expect, test } from 'vitest';
import { hasQuotation, quotationLine } from './quotation-line.ts';

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
const NO_KEY =
  'No model can be asked: kimi-k3: it cannot be asked: exai keys add kimi. What was given is quoted instead. Add a key: exai keys add glm.';

test('without a key it is said once, with the one command', () => {
  const route = { because: [], attempts: [LOCAL], notices: ['stdin came twice.', NO_KEY] };
  expect(quotationLine({ route }, 'something')).toEqual({
    line: 'No model is set up, so what was given is quoted: exai keys add glm',
    notices: ['stdin came twice.'],
  });
  expect(quotationLine({ route }, 'nothing').line).toBe(
    'No model is set up, and nothing was given to quote: exai keys add glm',
  );
});

test('when models were asked, it says how each failed, and what that cost', () => {
  const again = { ...LATE, attempt: 2, outcome: 'overloaded' } as const;
  const others = ['kimi-k3', 'a', 'b', 'c'].map((model) => ({ ...LATE, model }));
  const route = { because: [], attempts: [LATE, again, ...others, LOCAL] };
  const usage = { input: 1, output: 1, cached: 0, reasoning: 0, cost_usd: 0.5, estimated: true };
  expect(quotationLine({ route, usage }, 'something').line).toBe(
    'No model answered (glm-5.3: was overloaded; kimi-k3, a, b and 1 more: took too long), so what was given is quoted: exai doctor; about $0.50',
  );
});

test('another reason is told as it was given', () => {
  const resting = 'Whoever could answer is resting. What was given is quoted instead. Try again.';
  const route = { because: [], attempts: [LOCAL], notices: [resting] };
  expect(quotationLine({ route }, 'something')).toEqual({ line: resting, notices: [] });
  expect(quotationLine({}, 'something').line).toBe(
    'No model was asked, so what was given is quoted.',
  );
});

test('a quotation is known by its number', () => {
  expect(hasQuotation('No model.\n\n[1] “The pier …” — file stdin')).toBe(true);
  expect(hasQuotation('No model. There is nothing to quote.')).toBe(false);
});
