import { expect, test } from 'vitest';
import { reason } from '#core/messages/reasons.ts';
import { answeredBy } from './answered-by.ts';

const ANSWERED = {
  status: 'success',
  req_id: 'req_1',
  provider: 'glm',
  model: 'glm-4.7-flash',
  route: { because: [], reasons: [reason('text', { text: 'A plain question' })], attempts: [] },
  usage: { input: 10, output: 2, cached: 0, reasoning: 0, cost_usd: 0, estimated: false },
};

test('a call that asked a model says who answered', () => {
  expect(answeredBy(ANSWERED)).toBe(
    'glm-4.7-flash (glm): A plain question; 10 tokens in, 2 out; free',
  );
});

test('where no model answered it says that', () => {
  const route = { because: [], attempts: [] };
  const degraded = { status: 'degraded', req_id: 'req_1', route };
  expect(answeredBy(degraded)).toContain('what was given is quoted');
  const nothing = {
    notices: ['Nothing to quote.'],
    notice_data: [{ code: 'nothing_to_quote', params: {} }],
  };
  expect(answeredBy({ ...degraded, route: { ...route, ...nothing } })).toContain(
    'nothing was given to quote',
  );
});

test('nothing is said of a call that asked nobody, or of what is no envelope', () => {
  expect(answeredBy({ status: 'success', req_id: 'req_1', tool: 'health' })).toBe('');
  for (const other of [{}, { route: 'north', usage: 7 }, { req_id: 4, model: 'x' }]) {
    expect(answeredBy(other)).toBe('');
  }
});
